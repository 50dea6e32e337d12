/* join/lookup_items.c -- see lookup_int.h.
 *
 * The items of all members are sorted, so that one walk over the index finds them and items that several
 * members have come together by themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/task.h"
#include "join/big.h"
#include "join/lookup_int.h"

#define MEMBERS_AT_ONCE 8u /* handed to a thread */
#define RADIX_BITS 11u
#define RADIX_PASSES 3u	  /* at most */
#define NEAR_PLACE 32u	  /* so few are sorted by insertion */
#define FIND_SLICE 32768u /* queries looked up by one task */

struct reading {
	struct lookup *x;
	struct sets_scratch *scratch; /* [threads] */
	struct postings_query *query;
	size_t n;
	uint32_t below;	     /* members whose items are looked up, and not only compared with each other */
	postings_hits *hits; /* [slices] */
	size_t n_slices;
	bool damaged;
};

static void read_members(void *context, size_t from, size_t to, unsigned worker)
{
	struct reading *g = context;
	const struct lookup *x = g->x;

	for (size_t m = from; m < to; m++) {
		struct postings_query *q = g->query + x->start[m];
		uint32_t n;
		const uint64_t *item = sets_get(&g->scratch[worker], x->r->q, x->r->lead->kind, x->member.p[m], 0, &n);

		for (uint32_t i = 0; i < n; i++)
			q[i] = (struct postings_query){ item[i], (uint32_t)m };
	}
}

static bool comes_before(const struct postings_query *x, const struct postings_query *y)
{
	return x->item != y->item ? x->item < y->item : x->of < y->of;
}

static int by_item(const void *a, const void *b) { return comes_before(a, b) ? -1 : comes_before(b, a); }

/* Items of equal upper bits: as a rule one, of several members in order. */
static void sort_few(struct postings_query *v, size_t n)
{
	if (n > NEAR_PLACE) {
		size_t i = 1;

		while (i < n && comes_before(&v[i - 1], &v[i]))
			i++;
		if (i < n)
			sort_array(v, n, sizeof *v, by_item);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct postings_query q = v[i];
		size_t k = i;

		for (; k && comes_before(&q, &v[k - 1]); k--)
			v[k] = v[k - 1];
		v[k] = q;
	}
}

/* All items with their members, ascending: by the upper bits in passes, then what little is left. */
static void sort_queries(struct reading *g)
{
	size_t bytes = (g->n + 1) * sizeof(struct postings_query), n = g->n;
	struct postings_query *v = g->query, *w = big_alloc(bytes);
	size_t count[(1u << RADIX_BITS) + 1];
	unsigned passes = 1;

	while (passes < RADIX_PASSES && n >> passes * RADIX_BITS)
		passes++;
	for (unsigned pass = 0; pass < passes; pass++) {
		unsigned shift = 64 - (passes - pass) * RADIX_BITS;
		struct postings_query *swap;

		memset(count, 0, sizeof count);
		for (size_t i = 0; i < n; i++)
			count[(v[i].item >> shift & ((1u << RADIX_BITS) - 1)) + 1]++;
		for (size_t i = 0; i < 1u << RADIX_BITS; i++)
			count[i + 1] += count[i];
		for (size_t i = 0; i < n; i++)
			w[count[v[i].item >> shift & ((1u << RADIX_BITS) - 1)]++] = v[i];
		swap = v;
		v = w;
		w = swap;
	}
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && (v[end].item ^ v[i].item) >> (64 - passes * RADIX_BITS) == 0; end++)
			;
		sort_few(v + i, end - i);
	}
	big_free(w, bytes);
	g->query = v;
}

/* Where a slice begins: between two items, so that those of one are found together. */
static size_t slice_from(const struct reading *g, size_t k)
{
	size_t at = k * FIND_SLICE;

	while (at && at < g->n && g->query[at].item == g->query[at - 1].item)
		at++;
	return at < g->n ? at : g->n;
}

static void find_slice(void *context, size_t from, size_t to, unsigned worker)
{
	struct reading *g = context;

	(void)worker;
	for (size_t k = from; k < to; k++) {
		size_t at = slice_from(g, k), end = slice_from(g, k + 1);

		if (!postings_find(g->x->r->kept, g->query + at, end - at, g->below, &g->hits[k]))
			__atomic_store_n(&g->damaged, true, __ATOMIC_RELAXED);
	}
}

/* Refs by member. */
static void group_hits(struct lookup *x, struct reading *g)
{
	x->hit_start = mem_zarray(x->member.n + 2, sizeof *x->hit_start);
	for (size_t k = 0; k < g->n_slices; k++)
		for (size_t i = 0; i < g->hits[k].n; i++)
			x->hit_start[g->hits[k].p[i].of + 2]++;
	for (size_t m = 0; m < x->member.n; m++)
		x->hit_start[m + 2] += x->hit_start[m + 1];
	x->hit = mem_array(x->hit_start[x->member.n + 1] + 1, sizeof *x->hit);
	for (size_t k = 0; k < g->n_slices; k++)
		for (size_t i = 0; i < g->hits[k].n; i++)
			x->hit[x->hit_start[g->hits[k].p[i].of + 1]++] = g->hits[k].p[i].ref;
}

/* The run of the holders q[0..n). */
static uint32_t run_of(struct lookup_runs *r, struct map *known, const struct postings_query *q, size_t n)
{
	uint64_t sign = n, *run;

	for (size_t k = 0; k < n; k++)
		sign = mix64(sign + q[k].of);
	for (;; sign++) { /* lists of one signature may differ */
		const uint32_t *there;
		size_t k = 0;

		run = map_put(known, sign, r->weight.n);
		if (*run == r->weight.n)
			break;
		there = r->holders.p + r->start.p[*run];
		if (r->start.p[*run + 1] - r->start.p[*run] != n)
			continue;
		while (k < n && there[k] == q[k].of)
			k++;
		if (k == n)
			return (uint32_t)*run;
	}
	for (size_t k = 0; k < n; k++)
		vec_push(&r->holders, q[k].of);
	vec_push(&r->start, (uint32_t)r->holders.n);
	vec_push(&r->weight, 0);
	return (uint32_t)r->weight.n - 1;
}

static void note_runs(struct lookup *x, const struct reading *g)
{
	struct lookup_runs *r = &x->runs;
	const struct postings_query *q = g->query;
	struct map known = { 0 };

	vec_push(&r->start, 0);
	for (size_t i = 0, end; i < g->n; i = end) {
		for (end = i + 1; end < g->n && q[end].item == q[i].item; end++)
			;
		if (end - i > 1 && q[i].of < x->n_asking) {
			uint32_t run = run_of(r, &known, q + i, end - i); /* may move the weights */

			r->weight.p[run]++;
		}
	}
	map_release(&known);
	r->of_start = mem_zarray(x->member.n + 2, sizeof *r->of_start);
	for (size_t i = 0; i < r->holders.n; i++)
		r->of_start[r->holders.p[i] + 2]++;
	for (size_t m = 0; m < x->member.n; m++)
		r->of_start[m + 2] += r->of_start[m + 1];
	r->of = mem_array(r->holders.n + 1, sizeof *r->of);
	for (size_t run = 0; run < r->weight.n; run++)
		for (uint32_t i = r->start.p[run]; i < r->start.p[run + 1]; i++)
			r->of[r->of_start[r->holders.p[i] + 1]++] = (uint32_t)run;
}

bool lookup_items(struct lookup *x)
{
	struct reading g = { .x = x, .below = x->known.n ? (uint32_t)x->member.n : x->n_asking };

	x->start = mem_zarray(x->member.n + 1, sizeof *x->start);
	for (size_t m = 0; m < x->member.n; m++)
		x->start[m + 1] = x->start[m] + x->sets->size[x->member.p[m]];
	g.n = x->start[x->member.n];
	g.query = big_alloc((g.n + 1) * sizeof *g.query);
	g.scratch = mem_zarray(x->r->threads, sizeof *g.scratch);
	task_each(x->r->threads, x->member.n, MEMBERS_AT_ONCE, read_members, &g);
	sort_queries(&g);
	g.n_slices = g.n / FIND_SLICE + 1;
	g.hits = mem_zarray(g.n_slices, sizeof *g.hits);
	task_each(x->r->threads, g.n_slices, 1, find_slice, &g);
	if (!g.damaged) {
		group_hits(x, &g);
		note_runs(x, &g);
	}
	for (unsigned t = 0; t < x->r->threads; t++)
		sets_scratch_release(&g.scratch[t]);
	for (size_t k = 0; k < g.n_slices; k++)
		vec_release(&g.hits[k]);
	mem_free(g.scratch);
	mem_free(g.hits);
	big_free(g.query, (g.n + 1) * sizeof *g.query);
	return !g.damaged;
}

void lookup_items_release(struct lookup *x)
{
	mem_free(x->start);
	mem_free(x->hit_start);
	mem_free(x->hit);
	vec_release(&x->runs.start);
	vec_release(&x->runs.weight);
	vec_release(&x->runs.holders);
	mem_free(x->runs.of_start);
	mem_free(x->runs.of);
}
