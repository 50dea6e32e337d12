/* join/kernel.c -- what a minimum cover needs of the coverage graph, without the
 * V^2 lists of long chains (see coverage.h, struct kernel).
 *
 *  1. Twins are folded (fold.h); the rest lives.
 *  2. Every row probes.  Each of its documents learns whether anything covers
 *     it; the list of rows is kept only while it is short (KERNEL_LIST).
 *     A probe whose list is long and whose documents are all covered stops.
 *  3. Living documents without a coverer are forced.
 *  4. Documents of short lists look for a forced coverer there; the rows of
 *     long lists probe once more, against rows with forced documents only.
 *  5. What nothing forced covers is the core.  It gets complete lists, from a
 *     further probe where they were long, a batch of rows at a time.
 *
 *     When these would have more than KERNEL_EDGES entries, none is given: the
 *     core is left open, for kernel_grow (grow.c).
 *
 * The lists kept at once are at most KERNEL_LIST x rows + one batch + KERNEL_EDGES.
 */
#include <string.h>

#include "base/mem.h"
#include "base/task.h"
#include "join/answer.h"
#include "join/coverage.h"
#include "join/fold.h"

#define KERNEL_LIST 256u   /* rows in a list that is kept in the first pass */
#define KERNEL_BATCH 2048u /* rows with long lists that get theirs at once */
#define KERNEL_BLOCK 256u  /* documents handed to a thread at once */
#define KERNEL_TRIES 512u  /* pairs of documents tried for each entry that lists may have */
#define KERNEL_EDGES \
	(1u << 23) /* entries of complete lists; a bound on memory, so fixed: the answer must not depend on it */

struct reduction {
	struct answer s;
	uint32_t n, list;
	uint8_t *live, *has, *forced; /* [n] */
	uint32_t *cover;	      /* [n] least forced coverer, or UINT32_MAX */
	uint32_t **count;	      /* [disjuncts][rows] of row pairs met in the first pass */
	row_pairs *pairs;	      /* [threads] */
	uint64_t *length;	      /* [batch] coverers of each document of the batch */
	uint64_t most;		      /* entries that the core's lists may have */
	uint64_t listed, tried;	      /* that they have by now; pairs of documents tried for them */
	uint64_t fetched;	      /* pairs of rows for a batch */
	coverings *found;	      /* [threads] */
};

struct pass { /* one joiner at work */
	struct reduction *r;
	struct joiner *j;
	uint32_t *count;
};

static bool is_long(const struct reduction *r, unsigned i, uint32_t x)
{
	return r->s.joiner[i].kind < 0 || r->count[i][x] > r->list;
}

/* --- the first pass --- */

static bool first_pass(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	struct pass *p = context;
	struct reduction *r = p->r;
	uint32_t met = __atomic_add_fetch(&p->count[x], 1, __ATOMIC_RELAXED);
	bool all = joiner_mark_covered(p->j, worker, x, y, shared, r->has);

	if (met <= r->list && p->j->kind >= 0)
		vec_push(&r->pairs[worker], ((struct row_pair){ x, y, shared }));
	return met <= r->list || !all || p->j->flip;
}

static int run_first(struct reduction *r, struct err *err)
{
	int rc = WN_OK;

	for (unsigned i = 0; i < r->s.n && rc == WN_OK; i++) {
		struct joiner *j = &r->s.joiner[i];
		struct pass p = { r, j, NULL };

		r->count[i] = p.count = mem_zarray((size_t)j->rows.n + 1, sizeof *p.count);
		rc = joiner_run(j, NULL, NULL, first_pass, &p, err);
		if (j->kind >= 0)
			lists_build(&r->s.lists[i], j->rows.n, r->pairs, r->s.threads);
	}
	return rc;
}

/* --- forced coverers --- */

static void cover_by(struct reduction *r, uint32_t a, uint32_t b)
{
	uint32_t old = __atomic_load_n(&r->cover[a], __ATOMIC_RELAXED);

	while (b < old && !__atomic_compare_exchange_n(&r->cover[a], &old, b, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

struct forced_search {
	struct reduction *r;
	uint32_t a;
};

static bool note_forced_coverer(void *context, uint32_t b)
{
	struct forced_search *f = context;

	cover_by(f->r, f->a, b);
	return true;
}

static bool second_pass(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	struct pass *p = context;

	for (uint32_t i = p->j->as_a.start[x]; i < p->j->as_a.start[x + 1]; i++) {
		struct forced_search f = { p->r, p->j->as_a.member[i] };

		if (!p->r->forced[f.a])
			joiner_expand(p->j, worker, f.a, y, shared, note_forced_coverer, &f);
	}
	return true;
}

struct short_lists {
	struct reduction *r;
	unsigned disjunct;
};

static void search_short(void *context, size_t from, size_t to, unsigned worker)
{
	struct short_lists *k = context;
	struct reduction *r = k->r;
	struct joiner *j = &r->s.joiner[k->disjunct];
	const struct row_lists *l = &r->s.lists[k->disjunct];

	for (size_t x = from; x < to; x++) {
		struct pass p = { r, j, NULL };

		if (is_long(r, k->disjunct, (uint32_t)x))
			continue;
		for (uint64_t i = l->start[x]; i < l->start[x + 1]; i++)
			second_pass(&p, worker, (uint32_t)x, l->to[i], l->shared[i]);
	}
}

static int run_second(struct reduction *r, struct err *err)
{
	int rc = WN_OK;

	for (unsigned i = 0; i < r->s.n && rc == WN_OK; i++) {
		struct joiner *j = &r->s.joiner[i];
		struct short_lists k = { r, i };
		uint8_t *of_a = mem_zalloc((size_t)j->rows.n + 1), *of_b = mem_zalloc((size_t)j->rows.n + 1);
		struct pass p = { r, j, NULL };
		bool any = false;

		joiner_take(j, r->live, r->forced);
		if (j->kind >= 0)
			task_each(r->s.threads, j->rows.n, KERNEL_BLOCK, search_short, &k);
		for (uint32_t x = 0; x < j->rows.n; x++) {
			of_a[x] = is_long(r, i, x);
			any |= of_a[x];
			of_b[x] = side_count(&j->as_b, x) != 0;
		}
		if (any)
			rc = joiner_run(j, of_a, of_b, second_pass, &p, err);
		joiner_take(j, r->live, r->live);
		mem_free(of_a);
		mem_free(of_b);
	}
	return rc;
}

/* --- the core --- */

static bool is_core(const struct reduction *r, uint32_t d) { return r->has[d] && r->cover[d] == UINT32_MAX; }

static bool third_pass(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	struct pass *p = context;

	if (__atomic_add_fetch(&p->r->fetched, 1, __ATOMIC_RELAXED) > p->r->most / 2)
		return false;
	vec_push(&p->r->pairs[worker], ((struct row_pair){ x, y, shared }));
	return true;
}

/* Are the lists of the core more than may be held? */
static bool too_many(const struct reduction *r)
{
	return __atomic_load_n(&r->listed, __ATOMIC_RELAXED) > r->most ||
	       __atomic_load_n(&r->tried, __ATOMIC_RELAXED) > r->most * KERNEL_TRIES ||
	       __atomic_load_n(&r->fetched, __ATOMIC_RELAXED) > r->most / 2;
}

/* The end of a batch of documents from `from` on: as many as have no more than
 * KERNEL_BATCH rows with long lists.  wanted[i]: those rows, by disjunct. */
static uint32_t batch_end(const struct reduction *r, uint32_t from, uint8_t **wanted, uint64_t *rows)
{
	uint32_t d;

	*rows = 0;
	for (d = from; d < r->n && *rows < KERNEL_BATCH; d++)
		for (unsigned i = 0; i < r->s.n && is_core(r, d); i++) {
			uint32_t x = r->s.joiner[i].rows.row_of[d];

			if (x != ROW_NONE && r->s.joiner[i].kind >= 0 && is_long(r, i, x) && !wanted[i][x]) {
				wanted[i][x] = 1;
				++*rows;
			}
		}
	return d;
}

struct batch {
	struct reduction *r;
	struct answer *long_lists;
	uint32_t from;
	uint32_t **out; /* [batch] lists, each its own */
};

static void list_documents(void *context, size_t from, size_t to, unsigned worker)
{
	struct batch *b = context;
	struct reduction *r = b->r;
	coverings *found = &r->found[worker];

	for (size_t k = from; k < to; k++) {
		uint32_t d = b->from + (uint32_t)k;

		b->out[k] = NULL;
		r->length[k] = 0;
		if (!is_core(r, d) || too_many(r))
			continue;
		__atomic_add_fetch(&r->tried, answer_coverers(b->long_lists, worker, d, -1, found), __ATOMIC_RELAXED);
		if (__atomic_add_fetch(&r->listed, found->n, __ATOMIC_RELAXED) > r->most)
			continue;
		r->length[k] = found->n;
		b->out[k] = mem_array(found->n + 1, sizeof *b->out[k]);
		for (size_t i = 0; i < found->n; i++)
			b->out[k][i] = found->p[i].b;
	}
}

/* Rows of this batch with long lists get them; short ones are there. */
static int fetch_long(struct reduction *r, struct row_lists *merged, uint8_t **wanted, struct err *err)
{
	int rc = WN_OK;

	for (unsigned i = 0; i < r->s.n && rc == WN_OK && !too_many(r); i++) {
		struct joiner *j = &r->s.joiner[i];
		const struct row_lists *l = &r->s.lists[i];
		struct pass p = { r, j, NULL };

		if (j->kind < 0)
			continue;
		r->fetched = 0;
		rc = joiner_run(j, wanted[i], NULL, third_pass, &p, err);
		for (uint32_t x = 0; x < j->rows.n; x++)
			for (uint64_t k = l->start[x]; k < l->start[x + 1] && !is_long(r, i, x); k++)
				vec_push(&r->pairs[0], ((struct row_pair){ x, l->to[k], l->shared[k] }));
		lists_build(&merged[i], j->rows.n, r->pairs, r->s.threads);
	}
	return rc;
}

struct growing {
	uint64_t *start;
	VEC(uint32_t) by;
};

static int run_batch(struct reduction *r, uint32_t from, uint32_t *end, struct growing *g, struct err *err)
{
	uint8_t **wanted = mem_array((size_t)r->s.n + 1, sizeof *wanted);
	struct row_lists *merged = mem_zarray((size_t)r->s.n + 1, sizeof *merged);
	struct answer view = r->s;
	struct batch b = { r, &view, from, NULL };
	uint64_t rows;
	int rc = WN_OK;

	for (unsigned i = 0; i < r->s.n; i++)
		wanted[i] = mem_zalloc((size_t)r->s.joiner[i].rows.n + 1);
	*end = batch_end(r, from, wanted, &rows);
	b.out = mem_array((size_t)(*end - from) + 1, sizeof *b.out);
	if (rows) {
		rc = fetch_long(r, merged, wanted, err);
		view.lists = merged;
	}
	r->length = mem_rearray(r->length, (size_t)(*end - from) + 1, sizeof *r->length);
	if (rc == WN_OK)
		task_each(r->s.threads, *end - from, KERNEL_BLOCK, list_documents, &b);
	for (uint32_t d = from; d < *end && rc == WN_OK; d++) {
		uint64_t n = r->length[d - from];

		g->start[d] = g->by.n;
		if (r->cover[d] != UINT32_MAX)
			vec_push(&g->by, r->cover[d]);
		vec_reserve(&g->by, g->by.n + n);
		for (uint64_t i = 0; i < n; i++)
			g->by.p[g->by.n++] = b.out[d - from][i];
		mem_free(b.out[d - from]);
	}
	for (unsigned i = 0; i < r->s.n; i++) {
		mem_free(wanted[i]);
		lists_release(&merged[i]);
	}
	mem_free(wanted);
	mem_free(merged);
	mem_free(b.out);
	return rc;
}

/* --- together --- */

static void reduction_release(struct reduction *r, const struct join_options *o)
{
	for (unsigned i = 0; i < r->s.n; i++)
		mem_free(r->count[i]);
	for (unsigned t = 0; t < r->s.threads; t++) {
		vec_release(&r->pairs[t]);
		vec_release(&r->found[t]);
	}
	mem_free(r->count);
	mem_free(r->pairs);
	mem_free(r->found);
	mem_free(r->live);
	mem_free(r->has);
	mem_free(r->forced);
	mem_free(r->cover);
	mem_free(r->length);
	answer_give(&r->s, o);
}

static void note_forced(struct reduction *r, struct kernel *k)
{
	for (uint32_t d = 0; d < r->n; d++) {
		r->forced[d] = r->live[d] && !r->has[d];
		k->n_forced += r->forced[d];
	}
}

/* Complete lists of the core, or none of them. */
static int run_core(struct reduction *r, struct kernel *k, struct growing *g, struct err *err)
{
	int rc = WN_OK;

	for (uint32_t d = 0; d < r->n && rc == WN_OK && !too_many(r);)
		rc = run_batch(r, d, &d, g, err);
	if (rc < 0 || !too_many(r))
		return rc;
	k->open = mem_zalloc((size_t)r->n + 1);
	vec_release(&g->by);
	for (uint32_t d = 0; d < r->n; d++) {
		g->start[d] = g->by.n;
		if (r->cover[d] != UINT32_MAX)
			vec_push(&g->by, r->cover[d]);
		k->open[d] = is_core(r, d);
		k->n_open += k->open[d];
	}
	return WN_OK;
}

int coverage_kernel(struct kernel *out, const struct join_query *q, const struct join_options *o,
		    struct coverage_stats *stats, struct err *err)
{
	struct reduction r = { .n = q->n,
			       .list = o && o->list ? o->list : KERNEL_LIST,
			       .most = o && o->edges ? o->edges : KERNEL_EDGES };
	struct growing g = { 0 };
	int rc;

	*out = (struct kernel){ .fold = mem_array((size_t)q->n + 1, sizeof *out->fold) };
	out->n_folded = fold_twins(out->fold, q);
	r.live = mem_array((size_t)q->n + 1, 1);
	for (uint32_t d = 0; d < q->n; d++)
		r.live[d] = out->fold[d] == d;
	answer_take(&r.s, q, o);
	for (unsigned i = 0; i < r.s.n; i++)
		joiner_take(&r.s.joiner[i], r.live, r.live);
	r.has = mem_zalloc((size_t)q->n + 1);
	r.forced = mem_zalloc((size_t)q->n + 1);
	r.cover = mem_array((size_t)q->n + 1, sizeof *r.cover);
	memset(r.cover, 0xff, ((size_t)q->n + 1) * sizeof *r.cover);
	r.count = mem_zarray((size_t)r.s.n + 1, sizeof *r.count);
	r.pairs = mem_zarray(r.s.threads, sizeof *r.pairs);
	r.found = mem_zarray(r.s.threads, sizeof *r.found);
	g.start = mem_zarray((size_t)q->n + 1, sizeof *g.start);
	rc = run_first(&r, err);
	if (rc == WN_OK) {
		note_forced(&r, out);
		rc = run_second(&r, err);
	}
	if (rc == WN_OK)
		rc = run_core(&r, out, &g, err);
	for (uint32_t d = 0; d < q->n; d++) {
		out->n_covered += r.cover[d] != UINT32_MAX;
		out->n_core += is_core(&r, d);
	}
	g.start[q->n] = g.by.n;
	out->graph = (struct coverage){ q->n, g.start, g.by.p ? g.by.p : mem_alloc(sizeof(uint32_t)) };
	answer_stats(&r.s, stats);
	if (stats)
		stats->pairs += g.by.n;
	reduction_release(&r, o);
	if (rc < 0)
		kernel_release(out);
	return rc;
}

void kernel_release(struct kernel *k)
{
	coverage_release(&k->graph);
	mem_free(k->fold);
	mem_free(k->open);
	*k = (struct kernel){ 0 };
}
