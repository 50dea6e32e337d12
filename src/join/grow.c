/* join/grow.c -- rows of the core on demand (coverage.h, kernel_grow).
 *
 * Thousands of equal pages under a window, or on hosts that must differ, cover
 * each other by the million pairs, and a minimum cover needs few of them.  So
 * not all rows are given to the solver but some; what its cover leaves uncovered
 * says which are missing.
 *
 *  1. Which open documents does nothing kept cover?  One probe of their rows
 *     against rows with kept documents, which ends at the first coverer.
 *  2. Of these, in a random order that is always the same, rows are taken as long
 *     as no document is in more than GROW_SHARED of their lists.  So a call reads
 *     few entries for each document, and takes rows that say different things.
 *
 * Lists are fetched for a few documents at a time, as many as have FETCH_PAIRS
 * pairs of rows by what the last ones had.
 */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/task.h"
#include "join/answer.h"
#include "join/coverage.h"

#define GROW_SHARED 2u /* lists taken in a call that may have the same document */
#define FETCH_FIRST 16u
#define FETCH_MOST 4096u
#define FETCH_PAIRS (1u << 20)
#define GROW_TRIES \
	8u /* pairs of documents tried in a call for each entry taken: others are looked at in the next one */

struct candidate {
	uint64_t ticket;
	uint32_t doc;
};

static int by_ticket(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->ticket != b->ticket)
		return a->ticket < b->ticket ? -1 : 1;
	return a->doc < b->doc ? -1 : a->doc > b->doc;
}

struct growth {
	struct answer s;
	struct kernel *k;
	uint8_t *live, *covered; /* [n] */
	VEC(struct candidate) candidates;
	size_t at;		 /* candidates that were looked at */
	uint32_t *shares;	 /* [n] lists taken that have the document: at most GROW_SHARED */
	uint64_t tried, entries; /* pairs of documents, and those of them in rows taken */
	VEC(uint32_t) by;	 /* of the row that is taken */
	kernel_row *row;
	void *context;
	uint32_t taken;
	coverings found;
};

/* --- what is uncovered --- */

struct looking {
	struct joiner *j;
	uint8_t *covered;
};

static bool look(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	struct looking *l = context;

	return !joiner_mark_covered(l->j, worker, x, y, shared, l->covered) || l->j->flip;
}

static int find_uncovered(struct growth *g, const uint8_t *kept, struct err *err)
{
	uint32_t n = g->k->graph.n;
	uint8_t *asks = mem_alloc((size_t)n + 1);
	int rc = WN_OK;

	for (unsigned i = 0; i < g->s.n && rc == WN_OK && kept; i++) {
		struct joiner *j = &g->s.joiner[i];
		struct looking l = { j, g->covered };

		for (uint32_t d = 0; d < n; d++) {
			g->covered[d] |= kept[d];
			asks[d] = g->k->open[d] && !g->covered[d];
		}
		joiner_take(j, asks, kept);
		rc = joiner_run(j, NULL, NULL, look, &l, err);
	}
	mem_free(asks);
	for (uint32_t d = 0; d < n && rc == WN_OK; d++)
		if (g->k->open[d] && !g->covered[d])
			vec_push(&g->candidates, ((struct candidate){ mix64(d + 1), d }));
	sort_array(g->candidates.p, g->candidates.n, sizeof *g->candidates.p, by_ticket);
	return rc;
}

/* --- rows taken --- */

static bool keep_pair(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	row_pairs *pairs = context;

	vec_push(&pairs[worker], ((struct row_pair){ x, y, shared }));
	return true;
}

/* The pairs of the rows of some documents; how many there are. */
static int fetch(struct growth *g, const uint32_t *docs, size_t n, uint64_t *count, struct err *err)
{
	row_pairs *pairs = mem_zarray(g->s.threads, sizeof *pairs);
	int rc = WN_OK;

	*count = 0;
	for (unsigned i = 0; i < g->s.n && rc == WN_OK; i++) {
		struct joiner *j = &g->s.joiner[i];
		uint8_t *wanted;

		if (j->kind < 0)
			continue;
		wanted = mem_zalloc((size_t)j->rows.n + 1);
		for (size_t k = 0; k < n; k++)
			if (j->rows.row_of[docs[k]] != ROW_NONE)
				wanted[j->rows.row_of[docs[k]]] = 1;
		rc = joiner_run(j, wanted, NULL, keep_pair, pairs, err);
		for (unsigned t = 0; t < g->s.threads; t++)
			*count += pairs[t].n;
		lists_build(&g->s.lists[i], j->rows.n, pairs, g->s.threads);
		mem_free(wanted);
	}
	mem_free(pairs);
	return rc;
}

/* Takes the row of a document unless too many of the rows taken have one of its coverers, or it. */
static void take(struct growth *g, uint32_t d)
{
	coverings *c = &g->found;
	bool free = g->shares[d] < GROW_SHARED;

	if (free)
		g->tried += answer_coverers(&g->s, 0, d, -1, c);
	for (size_t i = 0; free && i < c->n; i++)
		free = g->shares[c->p[i].b] < GROW_SHARED;
	if (!free)
		return;
	g->shares[d]++;
	g->entries += c->n + 1;
	g->by.n = 0;
	for (size_t i = 0; i < c->n; i++) {
		g->shares[c->p[i].b]++;
		vec_push(&g->by, c->p[i].b);
	}
	g->row(g->context, d, g->by.p, g->by.n);
	g->k->open[d] = 0;
	g->k->n_open--;
	g->taken++;
}

static bool may_try(const struct growth *g) { return g->tried <= g->entries * GROW_TRIES; }

static int take_rows(struct growth *g, struct err *err)
{
	VEC(uint32_t) docs = { 0 };
	size_t size = FETCH_FIRST;
	int rc = WN_OK;

	while (g->at < g->candidates.n && may_try(g) && rc == WN_OK && !task_interrupted()) {
		uint64_t pairs, next;

		for (docs.n = 0; g->at < g->candidates.n && docs.n < size; g->at++)
			if (g->shares[g->candidates.p[g->at].doc] < GROW_SHARED)
				vec_push(&docs, g->candidates.p[g->at].doc);
		if (docs.n == 0 || (rc = fetch(g, docs.p, docs.n, &pairs, err)) < 0)
			break;
		for (size_t i = 0; i < docs.n && may_try(g); i++)
			take(g, docs.p[i]);
		next = (uint64_t)FETCH_PAIRS * docs.n / (pairs + 1);
		size = next > FETCH_MOST ? FETCH_MOST
		       : next < size / 2 ? size / 2 + 1
		       : next > size * 2 ? size * 2
					 : next;
	}
	vec_release(&docs);
	if (rc == WN_OK && task_interrupted())
		rc = err_set(err, WN_INTERRUPTED, "interrupted while joining");
	return rc;
}

int kernel_grow(struct kernel *k, const struct join_query *q, const struct join_options *o, const uint8_t *kept,
		kernel_row *row, void *context, uint32_t *grown, struct err *err)
{
	struct growth g = { .k = k, .row = row, .context = context };
	int rc;

	*grown = 0;
	if (k->n_open == 0)
		return WN_OK;
	g.live = mem_alloc((size_t)q->n + 1);
	for (uint32_t d = 0; d < q->n; d++)
		g.live[d] = k->fold[d] == d;
	g.covered = mem_zalloc((size_t)q->n + 1);
	g.shares = mem_zarray((size_t)q->n + 1, sizeof *g.shares);
	answer_take(&g.s, q, o);
	if ((rc = find_uncovered(&g, kept, err)) == WN_OK && g.candidates.n) {
		for (unsigned i = 0; i < g.s.n; i++)
			joiner_take(&g.s.joiner[i], g.live, g.live);
		rc = take_rows(&g, err);
		*grown = g.taken;
	}
	answer_give(&g.s, o);
	mem_free(g.live);
	mem_free(g.covered);
	mem_free(g.shares);
	vec_release(&g.candidates);
	vec_release(&g.by);
	vec_release(&g.found);
	return rc;
}

/* --- lists of some columns --- */

int kernel_lists(const struct kernel *k, const struct join_query *q, const struct join_options *o, const uint8_t *asks,
		 const uint8_t *columns, kernel_row *row, void *context, struct err *err)
{
	struct growth g = { 0 };
	VEC(uint32_t) docs = { 0 };
	uint8_t *live = mem_alloc((size_t)q->n + 1);
	uint64_t pairs;
	int rc = WN_OK;

	for (uint32_t d = 0; d < q->n; d++)
		live[d] = columns[d] && k->fold[d] == d;
	answer_take(&g.s, q, o);
	for (unsigned i = 0; i < g.s.n; i++)
		joiner_take(&g.s.joiner[i], asks, live);
	for (uint32_t from = 0; from < q->n && rc == WN_OK;) {
		docs.n = 0;
		for (; from < q->n && docs.n < FETCH_MOST; from++)
			if (asks[from])
				vec_push(&docs, from);
		if (docs.n && (rc = fetch(&g, docs.p, docs.n, &pairs, err)) < 0)
			break;
		for (size_t i = 0; i < docs.n; i++) {
			answer_coverers(&g.s, 0, docs.p[i], -1, &g.found);
			g.by.n = 0;
			for (size_t c = 0; c < g.found.n; c++)
				vec_push(&g.by, g.found.p[c].b);
			row(context, docs.p[i], g.by.p, g.by.n);
		}
		if (task_interrupted())
			rc = err_set(err, WN_INTERRUPTED, "interrupted while joining");
	}
	answer_give(&g.s, o);
	mem_free(live);
	vec_release(&docs);
	vec_release(&g.by);
	vec_release(&g.found);
	return rc;
}
