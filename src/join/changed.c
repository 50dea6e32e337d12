/* join/changed.c -- the pairs with an end among changed documents (coverage.h).
 *
 * Only items that a changed document has can be shared with one, so a bitmap of
 * those is what the other sets are read through; with a key, only blocks that
 * hold a changed document are read at all.  What is left goes through the same
 * index and probes as the whole join: once with changed rows as a, once as b.
 * Cost: reading the sets of those blocks once, about a nanosecond an item, and
 * the join of what the bitmap lets through.
 */
#include <string.h>

#include "base/mem.h"
#include "join/answer.h"
#include "join/big.h"
#include "join/coverage.h"
#include "join/near.h"
#include "join/probe.h"
#include "join/sets.h"

struct selecting {
	const struct joiner *j;
	uint8_t *rows; /* [rows.n] with a changed document */
	uint64_t items;
};

static void select_rows(struct selecting *s, const uint8_t *changed)
{
	const struct rows *r = &s->j->rows;

	s->rows = mem_zalloc((size_t)r->n + 1);
	for (uint32_t x = 0; x < r->n; x++) {
		for (uint32_t i = r->start[x]; i < r->start[x + 1]; i++)
			s->rows[x] |= changed[r->member[i]];
		if (s->rows[x] && s->j->kind >= 0)
			s->items += r->size[s->j->kind][x];
	}
}

static size_t filter_build(struct columns_filter *f, const struct selecting *s)
{
	struct joiner *j = (struct joiner *)(uintptr_t)s->j;
	unsigned bits = 10;

	while (bits < 34 && (uint64_t)1 << bits < 16 * s->items)
		bits++;
	f->shift = 64 - bits;
	f->bits = big_alloc(((size_t)1 << bits) / 8);
	for (uint32_t x = 0; x < j->rows.n; x++) {
		uint32_t n;
		const uint64_t *item;

		if (!s->rows[x])
			continue;
		item = sets_get(&j->probes[0].sets, j->q, j->kind, j->rows.set[j->kind][x], 0, &n);
		for (uint32_t i = 0; i < n; i++)
			f->bits[item[i] >> f->shift >> 6] |= (uint64_t)1 << (item[i] >> f->shift & 63);
	}
	return ((size_t)1 << bits) / 8;
}

static bool keep_pair(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	row_pairs *pairs = context;

	vec_push(&pairs[worker], ((struct row_pair){ x, y, shared }));
	return true;
}

static int changed_lists(struct joiner *j, struct row_lists *out, const uint8_t *changed, unsigned threads,
			 struct err *err)
{
	struct selecting s = { .j = j };
	struct columns_filter f = { 0 };
	row_pairs *pairs = mem_zarray(threads, sizeof *pairs);
	uint8_t *others;
	size_t bytes;
	int rc;

	select_rows(&s, changed);
	others = mem_alloc((size_t)j->rows.n + 1);
	for (uint32_t x = 0; x < j->rows.n; x++)
		others[x] = !s.rows[x];
	bytes = filter_build(&f, &s);
	j->filter = &f;
	rc = joiner_run(j, s.rows, NULL, keep_pair, pairs, err);
	if (rc == WN_OK)
		rc = joiner_run(j, others, s.rows, keep_pair, pairs, err);
	j->filter = NULL;
	columns_index_release(&j->index);
	j->indexed = false;
	lists_build(out, j->rows.n, pairs, threads);
	big_free(f.bits, bytes);
	mem_free(others);
	mem_free(s.rows);
	mem_free(pairs);
	return rc;
}

/* The pairs of a with a changed end, in order. */
static int give(struct answer *s, const uint8_t *changed, uint32_t a, coverings *found, coverage_pair *pair,
		void *context, uint64_t *pairs)
{
	int rc = 0;

	answer_coverers(s, 0, a, -1, found);
	for (size_t i = 0; i < found->n && rc == 0; i++)
		if (changed[a] || changed[found->p[i].b]) {
			++*pairs;
			rc = pair(context, a, found->p[i].b, 0, 0, 0);
		}
	return rc;
}

int coverage_changed(const struct join_query *q, const struct join_options *o, const uint8_t *changed,
		     coverage_pair *pair, void *context, struct coverage_stats *stats, struct err *err)
{
	struct answer s = { .q = q, .n = q->n_disjuncts, .threads = o && o->threads ? o->threads : 1 };
	coverings found = { 0 };
	uint64_t pairs = 0;
	int rc = WN_OK;

	s.joiner = mem_zarray((size_t)s.n + 1, sizeof *s.joiner);
	s.lists = mem_zarray((size_t)s.n + 1, sizeof *s.lists);
	for (unsigned i = 0; i < s.n && rc == WN_OK; i++) {
		uint8_t *live = mem_alloc((size_t)q->n + 1);

		memset(live, 1, (size_t)q->n + 1);
		coverage_near(q, i, o, changed, true, true, live);
		joiner_open(&s.joiner[i], q, i, o, live, false);
		mem_free(live);
		if (s.joiner[i].kind >= 0)
			rc = changed_lists(&s.joiner[i], &s.lists[i], changed, s.threads, err);
	}
	for (uint32_t a = 0; a < q->n && rc == WN_OK; a++)
		rc = give(&s, changed, a, &found, pair, context, &pairs);
	answer_stats(&s, stats);
	if (stats)
		stats->pairs += pairs;
	vec_release(&found);
	answer_close(&s);
	return rc;
}
