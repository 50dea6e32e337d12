/* join/changed.c -- the pairs with an end among changed documents (coverage.h).
 *
 * Only items that a changed document has can be shared with one, so a bitmap of
 * those is what the other sets are read through; with a key, only blocks that
 * hold a changed document are read at all (near.h, which also finds the pairs of
 * sets).  When many have changed the same index and probes as in the whole join
 * are used: once with changed rows as a, once as b.
 */
#include <string.h>

#include "base/mem.h"
#include "join/answer.h"
#include "join/big.h"
#include "join/coverage.h"
#include "join/flags.h"
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
			s->rows[x] |= changed[r->member[i]] != 0;
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

struct set_row {
	uint32_t set, row;
};

static int by_set(const void *pa, const void *pb)
{
	const struct set_row *a = pa, *b = pb;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static struct set_row *rows_by_set(const struct joiner *j)
{
	struct set_row *v = mem_array((size_t)j->rows.n + 1, sizeof *v);
	bool sorted = true;

	for (uint32_t x = 0; x < j->rows.n; x++) {
		v[x] = (struct set_row){ j->rows.set[j->kind][x], x };
		sorted &= x == 0 || v[x - 1].set <= v[x].set;
	}
	if (!sorted)
		sort_array(v, j->rows.n, sizeof *v, by_set);
	return v;
}

/* The first of the rows of a set, which end where another set's begin. */
static const struct set_row *rows_of(const struct set_row *v, uint32_t n, uint32_t set)
{
	uint32_t low = 0;

	while (n) {
		uint32_t half = n / 2;

		if (v[low + half].set < set) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return v + low;
}

static void meet(struct joiner *j, const struct set_row *v, uint32_t n, struct near_pair p)
{
	const struct set_row *end = v + n;

	for (const struct set_row *x = rows_of(v, n, p.few); x < end && x->set == p.few; x++)
		for (const struct set_row *y = rows_of(v, n, p.other); y < end && y->set == p.other; y++) {
			if (x->row == y->row || j->rows.block[x->row] != j->rows.block[y->row])
				continue;
			probe_met(&j->probes[0], j, 0, x->row, y->row, p.shared);
			if (p.few != p.other)
				probe_met(&j->probes[0], j, 0, y->row, x->row, p.shared);
		}
}

/* Lists of rows from pairs of sets, which are known already. */
static void given_lists(struct joiner *j, struct row_lists *out, const uint8_t *changed, const near_pairs *found,
			unsigned threads)
{
	row_pairs *pairs = mem_zarray(threads, sizeof *pairs);
	struct set_row *v = rows_by_set(j);
	struct selecting s = { .j = j };

	select_rows(&s, changed);
	j->probes[0].pair = keep_pair;
	j->probes[0].context = pairs;
	j->probes[0].ended = false;
	for (uint32_t x = 0; x < j->rows.n; x++) {
		j->targets = s.rows[x] ? NULL : s.rows;
		probe_without_index(&j->probes[0], j, 0, x);
		if (s.rows[x] && j->rows.size[j->kind][x]) /* one set, told apart by the other text */
			meet(j, v, j->rows.n,
			     (struct near_pair){ j->rows.set[j->kind][x], j->rows.set[j->kind][x],
						 j->rows.size[j->kind][x] });
	}
	j->targets = NULL;
	for (unsigned t = 0; t < threads; t++)
		for (size_t i = 0; i < found[t].n; i++)
			meet(j, v, j->rows.n, found[t].p[i]);
	lists_build(out, j->rows.n, pairs, threads);
	mem_free(s.rows);
	mem_free(v);
	mem_free(pairs);
}

/* Coverers of documents that do not ask for them are looked for among those that ask whom they cover. */
struct sides {
	struct row_side all, asking;
};

static void take_side(struct answer *s, const struct sides *sides, bool asks)
{
	for (unsigned i = 0; i < s->n; i++)
		s->joiner[i].as_b = asks ? sides[i].all : sides[i].asking;
}

static bool is_wanted(const struct coverage_asking *ask, uint32_t a, uint32_t b)
{
	return (ask->asks[a] & COVERAGE_AS_A && (!ask->b_ok || ask->b_ok[b])) ||
	       (ask->asks[b] & COVERAGE_AS_B && (!ask->a_ok || ask->a_ok[a]));
}

static bool has_row(const struct answer *s, uint32_t a)
{
	bool has = false;

	for (unsigned i = 0; i < s->n; i++)
		has |= s->joiner[i].rows.row_of[a] != ROW_NONE;
	return has;
}

/* The pairs of a that are wanted, in order. */
static int give(struct answer *s, const struct coverage_asking *ask, uint32_t a, int kind, coverings *found,
		coverage_pair *pair, void *context, uint64_t *pairs)
{
	int rc = 0;

	answer_coverers(s, 0, a, kind, found);
	for (size_t i = 0; i < found->n && rc == 0; i++)
		if (is_wanted(ask, a, found->p[i].b)) {
			++*pairs;
			rc = pair(context, a, found->p[i].b, kind < 0 ? 0 : found->p[i].shared, 0, 0);
		}
	return rc;
}

/* A disjunct's pairs of sets, and the documents that can have one. */
struct prepared {
	near_pairs *pairs; /* [threads] */
	uint8_t *live;
	bool known;
};

/* False: nothing of what was put off is asked for. */
static bool prepare(struct prepared *p, const struct join_query *q, unsigned i, const struct join_options *o,
		    const struct coverage_asking *ask, int kind, unsigned threads)
{
	bool any = !ask->later;

	p->live = mem_alloc((size_t)q->n + 1);
	p->pairs = mem_zarray(threads, sizeof *p->pairs);
	if (ask->done)
		flags_not(p->live, ask->done, q->n);
	else
		memset(p->live, 1, (size_t)q->n + 1);
	p->known = coverage_near(q, i, o, ask, kind, p->live, p->pairs);
	for (unsigned t = 0; t < threads; t++)
		any |= p->pairs[t].n != 0;
	if (ask->later && !p->known)
		memset(p->live, 0, (size_t)q->n + 1); /* nothing was put off here */
	return any;
}

/* Documents that are live in some disjunct. */
static uint8_t *live_of_all(const struct prepared *p, unsigned disjuncts, uint32_t n)
{
	uint8_t *live = mem_zalloc((size_t)n + 1);

	for (unsigned i = 0; i < disjuncts; i++)
		for (uint32_t d = 0; (d = flags_next(p[i].live, d, n)) < n; d++)
			live[d] = 1;
	return live;
}

static void prepared_release(struct prepared *p, unsigned threads)
{
	for (unsigned t = 0; p->pairs && t < threads; t++)
		vec_release(&p->pairs[t]);
	mem_free(p->pairs);
	mem_free(p->live);
	*p = (struct prepared){ 0 };
}

int coverage_changed(const struct join_query *q, const struct join_options *o, const struct coverage_asking *ask,
		     int kind, coverage_pair *pair, void *context, struct coverage_stats *stats, struct err *err)
{
	struct answer s = { .q = q, .n = q->n_disjuncts, .threads = o && o->threads ? o->threads : 1 };
	const uint8_t *changed = ask->asks;
	struct prepared *prepared = mem_zarray((size_t)s.n + 1, sizeof *prepared);
	uint8_t *as_b = mem_zalloc((size_t)q->n + 1), *live;
	struct sides *sides;
	coverings found = { 0 };
	uint64_t pairs = 0;
	bool any = false;
	int rc = WN_OK;

	for (unsigned i = 0; i < s.n; i++)
		any |= prepare(&prepared[i], q, i, o, ask, kind, s.threads);
	for (unsigned i = 0; i < s.n && !any; i++)
		prepared_release(&prepared[i], s.threads);
	if (!any) {
		mem_free(prepared);
		mem_free(as_b);
		return WN_OK;
	}
	s.joiner = mem_zarray((size_t)s.n + 1, sizeof *s.joiner);
	s.lists = mem_zarray((size_t)s.n + 1, sizeof *s.lists);
	for (unsigned i = 0; i < s.n && rc == WN_OK; i++) {
		struct prepared *p = &prepared[i];

		joiner_open(&s.joiner[i], q, i, o, p->live, false);
		if (p->known)
			given_lists(&s.joiner[i], &s.lists[i], changed, p->pairs, s.threads);
		if (s.joiner[i].kind >= 0 && !p->known && !ask->later)
			rc = changed_lists(&s.joiner[i], &s.lists[i], changed, s.threads, err);
	}
	sides = mem_zarray((size_t)s.n + 1, sizeof *sides);
	for (uint32_t d = 0; (d = flags_next(ask->asks, d, q->n)) < q->n; d++)
		as_b[d] = ask->asks[d] & COVERAGE_AS_B;
	for (unsigned i = 0; i < s.n && rc == WN_OK; i++)
		sides[i] = (struct sides){ s.joiner[i].as_b, joiner_side(&s.joiner[i], as_b) };
	live = live_of_all(prepared, s.n, q->n);
	for (uint32_t a = 0; rc == WN_OK && (a = flags_next(live, a, q->n)) < q->n; a++) {
		if (!has_row(&s, a))
			continue;
		take_side(&s, sides, changed[a] & COVERAGE_AS_A);
		rc = give(&s, ask, a, kind, &found, pair, context, &pairs);
	}
	for (unsigned i = 0; i < s.n; i++) {
		if (s.joiner[i].probes && sides[i].all.start)
			s.joiner[i].as_b = sides[i].all;
		joiner_side_release(&sides[i].asking);
	}
	for (unsigned i = 0; i < s.n; i++)
		prepared_release(&prepared[i], s.threads);
	mem_free(prepared);
	mem_free(sides);
	mem_free(as_b);
	mem_free(live);
	answer_stats(&s, stats);
	if (stats)
		stats->pairs += pairs;
	vec_release(&found);
	answer_close(&s);
	return rc;
}
