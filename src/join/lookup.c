/* join/lookup.c -- see lookup.h. */
#include "join/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/task.h"
#include "join/big.h"
#include "join/bound.h"
#include "join/intersect.h"
#include "join/sets.h"

#define UNKNOWN_SHARE 4u   /* more than a quarter of the sets unknown to the index: reading all is cheaper */
#define MEMBERS_AT_ONCE 8u /* handed to a thread */
#define LATER_AT_ONCE 64u  /* pairs */
#define ASKED_FACTOR 3u	   /* times as many items as must be asked for */
#define RADIX_BITS 11u
#define RADIX_PASSES 3u	  /* at most */
#define NEAR_PLACE 32u	  /* so few are sorted by insertion */
#define FINISH_LEAST 32u  /* postings worth reading to be spared an intersection: so many, */
#define FINISH_ITEMS 6u	  /* and one for so many items */
#define FINISH_DROPS 6u	  /* one of so many must have been spared, or reading on is of no use */
#define AHEAD 8u	  /* refs between a look ahead and the next */
#define FIND_SLICE 32768u /* queries looked up by one task */

struct list { /* one that a member may walk */
	uint32_t length, weight;
	const uint32_t *rows; /* of the index, or members (of_members) */
	uint32_t prefix;
	bool of_members;
};

struct walker { /* per thread */
	struct sets_scratch scratch;
	VEC(struct list) lists;
	VEC(uint64_t) refs, order;
	uint64_t *slot; /* a table of refs, which a new turn empties */
	size_t slots;
	uint32_t turn;
	VEC(uint32_t) own; /* rows that are lists by themselves */
	VEC(uint32_t) met; /* sets */
	VEC(struct postings_later) later;
	uint32_t *acc; /* [sets] weight of the lists walked that it is in, at least */
};

struct lookup {
	const struct lookup_request *r;
	const struct join_sets *sets;
	VEC(uint32_t) member; /* sets: the few, then those that are unknown */
	uint32_t n_few;
	uint32_t *member_of;	 /* [sets] or UINT32_MAX */
	uint64_t *items, *start; /* of the members */
	uint32_t *asked;	 /* [members] so many of its items are looked up, the least */
	struct postings_query *query;
	size_t n_queries, *slice_from; /* slices end between items */
	size_t n_slices;
	postings_hits *hits;   /* [slices] */
	size_t *hit_start;     /* [members + 1] */
	uint32_t *hit;	       /* refs by member */
	size_t *run_start;     /* [members + 1] */
	uint32_t *run;	       /* by member: where in `holders` the other holders of an item are */
	VEC(uint32_t) holders; /* n, then n members */
	struct range {	       /* of a set's documents, by the first order */
		double a_min, a_max, b_min, b_max;
	} * range;	       /* [sets]; NULL without an order */
	struct walker *walker; /* [threads] */
	near_pairs *found;
	bool damaged;
};

#define PROBER (1u << 31) /* in acc: met as one that probes */

/* ---- members and their items ---- */

/* False when too many sets are unknown to the index. */
static bool choose_members(struct lookup *x)
{
	const struct lookup_request *r = x->r;
	uint8_t *known = mem_zalloc((size_t)x->sets->n + 1);
	uint32_t unknown = 0, others = 0;

	for (uint32_t k = 0; k < r->kept->tail.rows; k++)
		if (r->kept->set_of[k] != JOIN_NO_SET)
			known[r->kept->set_of[k]] = 1;
	for (uint32_t s = 0; s < x->sets->n; s++)
		if (r->few[s] && x->sets->size[s])
			vec_push(&x->member, s);
	x->n_few = (uint32_t)x->member.n;
	for (uint32_t s = 0; s < x->sets->n; s++) {
		if (r->few[s] || !r->live[s] || x->sets->size[s] == 0)
			continue;
		others++;
		if (!known[s]) {
			unknown++;
			vec_push(&x->member, s);
		}
	}
	mem_free(known);
	return unknown <= others / UNKNOWN_SHARE;
}

static void decode_members(void *context, size_t from, size_t to, unsigned worker)
{
	struct lookup *x = context;

	for (size_t m = from; m < to; m++) {
		uint32_t n;
		const uint64_t *item =
		    sets_get(&x->walker[worker].scratch, x->r->q, x->r->lead->kind, x->member.p[m], 0, &n);

		if (n)
			memcpy(x->items + x->start[m], item, n * sizeof *item);
	}
}

/* What a pair of this member must share beyond the bounds. */
static uint64_t least_of(const struct lookup *x, uint32_t m)
{
	const struct lookup_request *r = x->r;
	uint32_t set = x->member.p[m];

	return r->least && r->few[set] == COVERAGE_AS_A && !r->lead->flip ? r->least[set] : 0;
}

/* One that probes and must share `least` of its items shares one of any n - least + 1.  If that is all it asks for, no
 * more need to be looked up; but among some more the rarest can be chosen. */
static uint32_t items_asked(const struct lookup *x, uint32_t m)
{
	uint64_t n = x->start[m + 1] - x->start[m], least = least_of(x, m);

	if (least == 0 || least > n || n <= ASKED_FACTOR * (n - least + 1))
		return (uint32_t)n;
	return (uint32_t)(ASKED_FACTOR * (n - least + 1));
}

static void read_members(struct lookup *x)
{
	uint64_t at = 0;

	x->start = mem_array(x->member.n + 1, sizeof *x->start);
	x->member_of = mem_array((size_t)x->sets->n + 1, sizeof *x->member_of);
	memset(x->member_of, 0xff, ((size_t)x->sets->n + 1) * sizeof *x->member_of);
	for (size_t m = 0; m < x->member.n; m++) {
		x->start[m] = at;
		x->member_of[x->member.p[m]] = (uint32_t)m;
		at += x->sets->size[x->member.p[m]];
	}
	x->start[x->member.n] = at;
	x->asked = mem_array(x->member.n + 1, sizeof *x->asked);
	for (size_t m = 0; m < x->member.n; m++) {
		x->asked[m] = items_asked(x, (uint32_t)m);
		x->n_queries += x->asked[m];
	}
	x->items = mem_array(at + 1, sizeof *x->items);
	task_each(x->r->threads, x->member.n, MEMBERS_AT_ONCE, decode_members, x);
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
static void sort_queries(struct lookup *x)
{
	size_t bytes = (x->n_queries + 1) * sizeof(struct postings_query);
	struct postings_query *v = big_alloc(bytes), *w = big_alloc(bytes);
	size_t count[(1u << RADIX_BITS) + 1], n = x->n_queries;
	unsigned passes = 1;

	for (size_t m = 0, at = 0; m < x->member.n; m++)
		for (uint64_t i = x->start[m]; i < x->start[m] + x->asked[m]; i++)
			v[at++] = (struct postings_query){ x->items[i], (uint32_t)m };
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
	x->query = v;
}

/* ---- by the first order ---- */

static void widen(double *low, double *high, double v)
{
	*low = v < *low ? v : *low; /* a missing value changes nothing: no order with it holds */
	*high = v > *high ? v : *high;
}

static void note_ranges(struct lookup *x)
{
	const struct join_disjunct *d = x->r->lead->d;
	const uint32_t *of = x->r->q->set_of[x->r->lead->kind];

	if (d->n_orders == 0)
		return;
	x->range = mem_array((size_t)x->sets->n + 1, sizeof *x->range);
	for (uint32_t s = 0; s < x->sets->n; s++)
		x->range[s] = (struct range){ INFINITY, -INFINITY, INFINITY, -INFINITY };
	for (uint32_t k = 0; k < x->r->q->n; k++) {
		struct range *g = of[k] == JOIN_NO_SET || !x->r->docs[k] ? NULL : &x->range[of[k]];

		if (!g)
			continue;
		widen(&g->a_min, &g->a_max, d->order[0].va[k]);
		widen(&g->b_min, &g->b_max, d->order[0].vb[k]);
	}
}

/* Can a document of set p probe, and one of set o be opposite to it? */
static bool order_allows(const struct lookup *x, uint32_t p, uint32_t o)
{
	const struct join_order *r = &x->r->lead->d->order[0];
	const struct range *a, *b;

	if (!x->range)
		return true;
	a = &x->range[x->r->lead->flip ? o : p];
	b = &x->range[x->r->lead->flip ? p : o];
	return b->b_max - a->a_min >= r->lo && b->b_min - a->a_max <= r->hi;
}

/* ---- looking up ---- */

static void find_slice(void *context, size_t from, size_t to, unsigned worker)
{
	struct lookup *x = context;

	(void)worker;
	for (size_t k = from; k < to; k++) {
		const struct postings_query *q = x->query + x->slice_from[k];

		if (!postings_find(x->r->kept, q, x->slice_from[k + 1] - x->slice_from[k], x->n_few, &x->hits[k]))
			__atomic_store_n(&x->damaged, true, __ATOMIC_RELAXED);
	}
}

static void find_items(struct lookup *x)
{
	size_t at = 0, slices = x->n_queries / FIND_SLICE + 1;

	x->slice_from = mem_zarray(slices + 1, sizeof *x->slice_from);
	while (at < x->n_queries) {
		x->slice_from[x->n_slices++] = at;
		at = at + FIND_SLICE < x->n_queries ? at + FIND_SLICE : x->n_queries;
	}
	x->slice_from[x->n_slices] = x->n_queries;
	x->hits = mem_zarray(x->n_slices + 1, sizeof *x->hits);
	task_each(x->r->threads, x->n_slices, 1, find_slice, x);
}

/* Refs by member. */
static void group_hits(struct lookup *x)
{
	x->hit_start = mem_zarray(x->member.n + 2, sizeof *x->hit_start);
	for (size_t k = 0; k < x->n_slices; k++)
		for (size_t i = 0; i < x->hits[k].n; i++)
			x->hit_start[x->hits[k].p[i].of + 2]++;
	for (size_t m = 0; m < x->member.n; m++)
		x->hit_start[m + 2] += x->hit_start[m + 1];
	x->hit = mem_array(x->hit_start[x->member.n + 1] + 1, sizeof *x->hit);
	for (size_t k = 0; k < x->n_slices; k++) {
		for (size_t i = 0; i < x->hits[k].n; i++)
			x->hit[x->hit_start[x->hits[k].p[i].of + 1]++] = x->hits[k].p[i].ref;
		vec_release(&x->hits[k]);
	}
}

/* Where the holders q[0..n) stand; the same ones stand once. */
static uint32_t holders_at(struct lookup *x, struct map *known, const struct postings_query *q, size_t n)
{
	uint64_t sign = n, *at;

	for (size_t k = 0; k < n; k++)
		sign = mix64(sign + q[k].of);
	for (;; sign++) { /* lists of one signature may differ */
		const uint32_t *there;
		size_t k = 0;

		at = map_put(known, sign, x->holders.n);
		if (*at == x->holders.n)
			break;
		there = x->holders.p + *at;
		if (there[0] != n)
			continue;
		while (k < n && there[k + 1] == q[k].of)
			k++;
		if (k == n)
			return (uint32_t)*at;
	}
	vec_push(&x->holders, (uint32_t)n);
	for (size_t k = 0; k < n; k++)
		vec_push(&x->holders, q[k].of);
	return (uint32_t)*at;
}

/* Items of several members: who they are, and by member where that stands. */
static void note_runs(struct lookup *x)
{
	const struct postings_query *q = x->query;
	struct map known = { 0 };

	x->run_start = mem_zarray(x->member.n + 2, sizeof *x->run_start);
	for (int turn = 0; turn < 2; turn++) {
		for (size_t i = 0, end; i < x->n_queries; i = end) {
			bool few = false;
			uint32_t at;

			for (end = i; end < x->n_queries && q[end].item == q[i].item; end++)
				few |= q[end].of < x->n_few;
			if (end - i < 2 || !few)
				continue;
			at = turn ? holders_at(x, &known, q + i, end - i) : 0;
			for (size_t k = i; k < end; k++) {
				if (turn)
					x->run[x->run_start[q[k].of + 1]++] = at;
				else
					x->run_start[q[k].of + 2]++;
			}
		}
		for (size_t m = 0; m < x->member.n && turn == 0; m++)
			x->run_start[m + 2] += x->run_start[m + 1];
		if (turn == 0)
			x->run = mem_array(x->run_start[x->member.n + 1] + 1, sizeof *x->run);
	}
	map_release(&known);
}

/* ---- walking ---- */

/* Small arrays of small numbers. */
static void sort_numbers(uint64_t *v, size_t n)
{
	while (n > 24) {
		uint64_t pivot = v[n / 2];
		size_t i = 0, k = n - 1;

		for (;; i++, k--) {
			uint64_t t;

			while (v[i] < pivot)
				i++;
			while (v[k] > pivot)
				k--;
			if (i >= k)
				break;
			t = v[i];
			v[i] = v[k];
			v[k] = t;
		}
		if (k + 1 < n - k - 1) { /* the shorter half first: the stack stays low */
			sort_numbers(v, k + 1);
			v += k + 1;
			n -= k + 1;
		} else {
			sort_numbers(v + k + 1, n - k - 1);
			n = k + 1;
		}
	}
	for (size_t i = 1; i < n; i++) {
		uint64_t x = v[i];
		size_t k = i;

		for (; k && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* Numbers, each once with how often it was there: number << 32 | count; returns how many. */
static size_t distinct(struct walker *w, const uint32_t *number, size_t n)
{
	size_t kept = 0, mask;

	if (w->slots < 2 * n + 2) {
		for (w->slots = 1024; w->slots < 4 * n; w->slots *= 2)
			;
		w->slot = mem_rearray(w->slot, w->slots, sizeof *w->slot);
		memset(w->slot, 0, w->slots * sizeof *w->slot);
		w->turn = 0;
	}
	mask = w->slots - 1;
	w->turn++;
	vec_reserve(&w->refs, n + 1);
	for (size_t i = 0; i < n; i++) {
		size_t at = (number[i] * 0x9e3779b1u >> 7) & mask;

		/* a slot of this turn: turn << 32 | place */
		while (w->slot[at] >> 32 == w->turn && w->refs.p[(uint32_t)w->slot[at]] >> 32 != number[i])
			at = (at + 1) & mask;
		if (w->slot[at] >> 32 != w->turn) {
			w->slot[at] = (uint64_t)w->turn << 32 | kept;
			w->refs.p[kept++] = (uint64_t)number[i] << 32;
		}
		w->refs.p[(uint32_t)w->slot[at]]++;
	}
	return kept;
}

/* The lists of the index that a member is in. */
static void gather_lists(struct lookup *x, struct walker *w, uint32_t m)
{
	struct postings *kept = x->r->kept;
	size_t n = distinct(w, x->hit + x->hit_start[m], x->hit_start[m + 1] - x->hit_start[m]);

	vec_reserve(&w->own, n + 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t ref = (uint32_t)(w->refs.p[i] >> 32), weight = (uint32_t)w->refs.p[i], at = 0;
		const struct postings_class *c;

		if (i + 2 * AHEAD < n)
			postings_expect(kept, (uint32_t)(w->refs.p[i + 2 * AHEAD] >> 32), false);
		if (i + AHEAD < n)
			postings_expect(kept, (uint32_t)(w->refs.p[i + AHEAD] >> 32), true);
		if (ref & POSTINGS_OWN) {
			w->own.p[i] = ref & ~POSTINGS_OWN; /* a list of that row alone */
			if (w->own.p[i] < kept->tail.rows)
				vec_push(&w->lists, ((struct list){ 1, weight, &w->own.p[i], 1, false }));
			continue;
		}
		while ((c = postings_lists(kept, ref, &at)))
			vec_push(&w->lists, ((struct list){ c->n, weight, kept->post + c->start, c->prefix, false }));
	}
}

/* Those of other members. */
static void gather_members(struct lookup *x, struct walker *w, uint32_t m)
{
	size_t n = distinct(w, x->run + x->run_start[m], x->run_start[m + 1] - x->run_start[m]);

	for (size_t i = 0; i < n; i++) {
		const uint32_t *holders = x->holders.p + (w->refs.p[i] >> 32);

		vec_push(&w->lists, ((struct list){ holders[0], (uint32_t)w->refs.p[i], holders + 1, 0, true }));
	}
}

/* The set that a place in a list means; JOIN_NO_SET: one that is no more. */
static uint32_t set_at(const struct lookup *x, const struct list *l, uint32_t k)
{
	return l->of_members ? x->member.p[l->rows[k]] : x->r->kept->set_of[l->rows[k]];
}

/* Sets that would walk one of the lists themselves, up to this member. */
static void meet_probers(struct lookup *x, struct walker *w)
{
	for (size_t i = 0; i < w->lists.n; i++)
		for (uint32_t k = 0; k < w->lists.p[i].prefix; k++) {
			uint32_t set = x->r->kept->set_of[w->lists.p[i].rows[k]];

			if (set == JOIN_NO_SET || w->acc[set])
				continue;
			vec_push(&w->met, set);
			w->acc[set] = PROBER;
		}
}

/* When can a pair be wanted in which set p probes, and o is opposite to it?  0: never. */
static unsigned asked_for(const struct lookup *x, uint32_t p, uint32_t o)
{
	const struct lookup_request *r = x->r;
	uint32_t a = r->lead->flip ? o : p, b = r->lead->flip ? p : o;

	return (r->few[a] & COVERAGE_AS_A ? r->b_ok[b] : 0u) | (r->few[b] & COVERAGE_AS_B ? r->a_ok[a] : 0u);
}

/* Whom of the sets met is it worth to look at, and when? */
static unsigned wanted(const struct lookup *x, uint32_t m, uint32_t set, bool prober)
{
	uint32_t own = x->member.p[m];

	if (set == own || (x->member_of[set] == UINT32_MAX && !x->r->live[set]))
		return 0;
	prober |= x->r->lead->symmetric;
	return (order_allows(x, own, set) ? asked_for(x, own, set) : 0) |
	       (prober && order_allows(x, set, own) ? asked_for(x, set, own) : 0);
}

/* Can it share enough, if all of the rest were shared? */
static bool long_enough(const struct lookup *x, const struct walker *w, uint32_t m, uint32_t set, uint64_t rest)
{
	const struct joiner *j = x->r->lead;
	uint32_t n = (uint32_t)(x->start[m + 1] - x->start[m]), size = x->sets->size[set];
	uint64_t most = (w->acc[set] & ~PROBER) + rest;

	most = most < size ? most : size;
	most = most < n ? most : n;
	return (most >= joiner_need(j, n, size) && most >= least_of(x, m)) ||
	       (w->acc[set] & PROBER && most >= joiner_need(j, size, n));
}

/* Leaves out what cannot be a pair whatever they share, and what can wait. */
static void sift(struct lookup *x, struct walker *w, uint32_t m, uint64_t rest)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->met.n; i++) {
		uint32_t set = w->met.p[i];
		unsigned when = wanted(x, m, set, w->acc[set] & PROBER);

		w->met.p[kept] = set;
		if (when & COVERAGE_NOW) {
			kept++;
			continue;
		}
		if (when && long_enough(x, w, m, set, rest))
			vec_push(&w->later,
				 ((struct postings_later){ x->member.p[m], set, order_allows(x, x->member.p[m], set),
							   order_allows(x, set, x->member.p[m]) }));
		w->acc[set] = 0;
	}
	w->met.n = kept;
}

/* Leaves out what shares too little, if all of the rest were shared; returns how many. */
static size_t sift_short(struct lookup *x, struct walker *w, uint32_t m, uint64_t rest)
{
	size_t kept = 0, before = w->met.n;

	for (size_t i = 0; i < before; i++) {
		uint32_t set = w->met.p[i];

		w->met.p[kept] = set;
		if (long_enough(x, w, m, set, rest))
			kept++;
		else
			w->acc[set] = 0;
	}
	w->met.n = kept;
	return before - kept;
}

/* Reads on in the lists as long as that leaves out enough of what else has to be intersected. */
static void finish(struct lookup *x, struct walker *w, uint32_t m, size_t i, uint64_t rest)
{
	uint64_t share = FINISH_LEAST + (x->start[m + 1] - x->start[m]) / FINISH_ITEMS, room = w->met.n * share;
	size_t dropped, seen = w->met.n;

	for (; i < w->lists.n && w->met.n; i++) {
		const struct list *l = &w->lists.p[(uint32_t)w->order.p[i]];

		if (l->length > room) {
			dropped = sift_short(x, w, m, rest);
			if (dropped * FINISH_DROPS < seen)
				return;
			seen = w->met.n;
			room = seen * share;
			if (l->length > room)
				return;
		}
		for (uint32_t k = 0; k < l->length; k++) {
			uint32_t set = set_at(x, l, k);

			if (set != JOIN_NO_SET && w->acc[set])
				w->acc[set] += l->weight;
		}
		room -= l->length;
		rest -= l->weight;
	}
	sift_short(x, w, m, rest);
}

/* Walks the shortest lists of a member that probes: without one of them it shares too little. */
static void walk(struct lookup *x, struct walker *w, uint32_t m, uint64_t least)
{
	uint64_t rest = x->start[m + 1] - x->start[m] - x->asked[m]; /* of those anything may be shared */
	size_t i = 0;

	vec_reserve(&w->order, w->lists.n + 1);
	for (; i < w->lists.n; i++) {
		w->order.p[i] = (uint64_t)w->lists.p[i].length << 32 | i;
		rest += w->lists.p[i].weight;
	}
	sort_numbers(w->order.p, w->lists.n);
	for (i = 0; i < w->lists.n && rest >= least; i++) {
		const struct list *l = &w->lists.p[(uint32_t)w->order.p[i]];

		for (uint32_t k = 0; k < l->length; k++) {
			uint32_t set = set_at(x, l, k);

			if (set == JOIN_NO_SET)
				continue;
			if (w->acc[set] == 0)
				vec_push(&w->met, set);
			w->acc[set] += l->weight;
		}
		rest -= l->weight;
	}
	sift(x, w, m, rest);
	finish(x, w, m, i, rest);
}

static void note_pair(struct lookup *x, unsigned worker, uint32_t s, uint32_t t, uint32_t shared)
{
	const struct joiner *j = x->r->lead;
	uint32_t n = x->sets->size[s], m = x->sets->size[t];

	if (joiner_lead_holds(j, n, m, shared) || joiner_lead_holds(j, m, n, shared))
		vec_push(&x->found[worker], ((struct near_pair){ x->r->few[s] ? s : t, x->r->few[s] ? t : s, shared }));
}

static void intersect(struct lookup *x, struct walker *w, unsigned worker, uint32_t m, uint32_t set)
{
	uint32_t n = (uint32_t)(x->start[m + 1] - x->start[m]), other = x->sets->size[set];
	const uint64_t *item;

	if (x->member_of[set] != UINT32_MAX)
		item = x->items + x->start[x->member_of[set]];
	else
		item = sets_get(&w->scratch, x->r->q, x->r->lead->kind, set, 0, &other);
	note_pair(x, worker, x->member.p[m], set, intersect_sets(x->items + x->start[m], n, item, other));
}

static void intersect_met(struct lookup *x, struct walker *w, unsigned worker, uint32_t m)
{
	for (size_t i = 0; i < w->met.n; i++) {
		w->acc[w->met.p[i]] = 0;
		intersect(x, w, worker, m, w->met.p[i]);
	}
	w->met.n = 0;
	w->lists.n = 0;
}

/* One that does not ask as the side that probes still probes the other members, of which one may ask for it. */
static void pair_member(struct lookup *x, unsigned worker, uint32_t m)
{
	struct walker *w = &x->walker[worker];
	const struct joiner *j = x->r->lead;
	unsigned asks = x->r->few[x->member.p[m]];
	bool probes = j->symmetric || asks & (j->flip ? COVERAGE_AS_B : COVERAGE_AS_A),
	     probed = !j->symmetric && asks & (j->flip ? COVERAGE_AS_A : COVERAGE_AS_B);
	uint64_t least = joiner_least(j, x->start[m + 1] - x->start[m]), more = least_of(x, m);

	least = more > least ? more : least;
	gather_members(x, w, m);
	if (!probes) {
		walk(x, w, m, least);
		intersect_met(x, w, worker, m);
		least = UINT64_MAX;
	}
	if (m < x->n_few) {
		gather_lists(x, w, m);
		if (probed)
			meet_probers(x, w);
	}
	walk(x, w, m, least);
	intersect_met(x, w, worker, m);
}

static void pair_members(void *context, size_t from, size_t to, unsigned worker)
{
	struct lookup *x = context;

	for (size_t m = from; m < to; m++)
		pair_member(x, worker, (uint32_t)m);
}

/* ---- all of it ---- */

static int by_sets(const void *a, const void *b)
{
	const struct near_pair *x = a, *y = b;
	uint32_t xl = x->few < x->other ? x->few : x->other, yl = y->few < y->other ? y->few : y->other;
	uint32_t xh = x->few ^ x->other ^ xl, yh = y->few ^ y->other ^ yl;

	if (xl != yl)
		return xl < yl ? -1 : 1;
	return xh < yh ? -1 : xh > yh;
}

/* Two members may have met each other. */
static void unify(struct lookup *x)
{
	near_pairs *all = &x->found[0];
	size_t n = 0;

	for (unsigned t = 1; t < x->r->threads; t++) {
		vec_reserve(all, all->n + x->found[t].n);
		if (x->found[t].n)
			memcpy(all->p + all->n, x->found[t].p, x->found[t].n * sizeof *all->p);
		all->n += x->found[t].n;
		x->found[t].n = 0;
	}
	for (unsigned t = 0; t < x->r->threads; t++)
		for (size_t i = 0; i < x->walker[t].later.n; i++)
			vec_push(&x->r->kept->later, x->walker[t].later.p[i]);
	sort_array(all->p, all->n, sizeof *all->p, by_sets);
	for (size_t i = 0; i < all->n; i++)
		if (i == 0 || by_sets(&all->p[i], &all->p[n - 1]) != 0)
			all->p[n++] = all->p[i];
	all->n = n;
}

static void release(struct lookup *x)
{
	for (unsigned t = 0; t < x->r->threads; t++) {
		struct walker *w = &x->walker[t];

		sets_scratch_release(&w->scratch);
		vec_release(&w->lists);
		vec_release(&w->refs);
		vec_release(&w->order);
		vec_release(&w->own);
		vec_release(&w->met);
		vec_release(&w->later);
		mem_free(w->acc);
		mem_free(w->slot);
	}
	for (size_t k = 0; k < x->n_slices; k++)
		vec_release(&x->hits[k]);
	vec_release(&x->member);
	vec_release(&x->holders);
	mem_free(x->walker);
	mem_free(x->member_of);
	mem_free(x->items);
	mem_free(x->start);
	mem_free(x->asked);
	big_free(x->query, (x->n_queries + 1) * sizeof *x->query);
	mem_free(x->range);
	mem_free(x->slice_from);
	mem_free(x->hits);
	mem_free(x->hit_start);
	mem_free(x->hit);
	mem_free(x->run_start);
	mem_free(x->run);
}

bool lookup_pairs(const struct lookup_request *r, near_pairs *found)
{
	struct lookup x = { .r = r, .sets = &r->q->sets[r->lead->kind], .found = found };

	x.walker = mem_zarray(r->threads, sizeof *x.walker);
	if (x.sets->bag || r->kept->tail.bounds != joiner_bounds(r->lead) || !choose_members(&x)) {
		release(&x);
		return false;
	}
	for (unsigned t = 0; t < r->threads; t++)
		x.walker[t].acc = mem_zarray((size_t)x.sets->n + 1, sizeof *x.walker[t].acc);
	note_ranges(&x);
	read_members(&x);
	sort_queries(&x);
	find_items(&x);
	group_hits(&x);
	note_runs(&x);
	if (!x.damaged)
		task_each(r->threads, x.member.n, MEMBERS_AT_ONCE, pair_members, &x);
	x.damaged |= r->kept->damaged;
	for (unsigned t = 0; t < r->threads && x.damaged; t++)
		found[t].n = 0;
	if (!x.damaged)
		unify(&x);
	release(&x);
	return !x.damaged;
}

/* ---- what was put off ---- */

static void intersect_later(void *context, size_t from, size_t to, unsigned worker)
{
	struct lookup *x = context;

	for (size_t i = from; i < to; i++) {
		const struct postings_later *p = &x->r->kept->later.p[i];
		uint32_t s = p->set, t = p->other;

		if ((p->set_probes && asked_for(x, s, t)) || (p->other_probes && asked_for(x, t, s)))
			note_pair(x, worker, s, t,
				  sets_overlap(&x->walker[worker].scratch, x->r->q, x->r->lead->kind, s, t).shared);
	}
}

void lookup_later(const struct lookup_request *r, near_pairs *found)
{
	struct lookup x = { .r = r, .sets = &r->q->sets[r->lead->kind], .found = found };

	x.walker = mem_zarray(r->threads, sizeof *x.walker);
	task_each(r->threads, r->kept->later.n, LATER_AT_ONCE, intersect_later, &x);
	unify(&x);
	release(&x);
}
