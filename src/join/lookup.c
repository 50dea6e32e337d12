/* join/lookup.c -- see lookup.h. */
#include "join/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/task.h"
#include "join/bound.h"
#include "join/lookup_int.h"

#define UNKNOWN_SHARE 4u     /* more than a quarter of the sets unknown to the index: reading all is cheaper */
#define SEEKERS_AT_ONCE 8u   /* handed to a thread */
#define AMBIGUOUS (1u << 31) /* in a mark: a ref may have meant another class */

struct part {				/* a list that a seeker is in */
	uint32_t length, weight, class; /* of a list of one row (POSTINGS_OWN): the row */
};

struct range { /* of a set's documents, by the first order */
	double a_min, a_max, b_min, b_max;
};

struct walker { /* per thread */
	struct sets_scratch scratch;
	VEC(struct part) parts;
	VEC(uint64_t) refs, order;
	uint64_t *slot; /* a table of refs, which a new turn empties */
	size_t slots;
	uint32_t turn;
	uint32_t *mark;	     /* [classes] items of it that the seeker has */
	uint32_t *run_mark;  /* [runs] */
	uint32_t *alone;     /* [rows] items that a row alone has and the seeker too */
	uint8_t *seen;	     /* [rows], or [members] */
	VEC(uint32_t) met;   /* the same, listed */
	uint8_t *seen_added; /* [added] */
	int32_t *differ;     /* [added] what the seeker shares with it, less what it shares with its base */
	VEC(uint32_t) met_added;
	VEC(struct postings_later) later;
};

struct seeker {
	uint32_t set, n;
	uint64_t least, more; /* it shares with an opposite when it probes; of that what it asks for */
	bool probes, probed;
};

/* ---- who seeks ---- */

static bool is_known(const struct postings *kept, uint32_t set)
{
	return kept->row_of[set] != UINT32_MAX || (kept->added.n && kept->added.row_of[set] != ADDED_NONE);
}

/* False when too many sets are unknown to the index. */
static bool choose_seekers(struct lookup *x)
{
	const struct lookup_request *r = x->r;
	uint32_t unknown = 0, others = 0;
	unsigned asks = 0;

	x->member_of = mem_array((size_t)x->sets->n + 1, sizeof *x->member_of);
	memset(x->member_of, 0xff, ((size_t)x->sets->n + 1) * sizeof *x->member_of);
	for (uint32_t s = 0; s < x->sets->n; s++) {
		if (!r->few[s] || !x->sets->size[s])
			continue;
		asks |= r->few[s];
		if (!is_known(r->kept, s)) {
			vec_push(&x->member, s);
		} else {
			vec_push(&x->known, s);
			x->known_ask |= r->few[s];
			x->added_ask |= r->kept->row_of[s] == UINT32_MAX;
		}
	}
	x->n_asking = (uint32_t)x->member.n;
	for (uint32_t s = 0; s < x->sets->n; s++) {
		if (r->few[s] || !r->live[s] || x->sets->size[s] == 0)
			continue;
		others++;
		if (!is_known(r->kept, s) &&
		    ((asks & COVERAGE_AS_A && r->b_ok[s]) || (asks & COVERAGE_AS_B && r->a_ok[s]))) {
			unknown++;
			vec_push(&x->member, s);
		}
	}
	x->n_unknown = (uint32_t)x->member.n;
	for (size_t i = 0; i < x->known.n && r->kept->added.n; i++)
		vec_push(&x->member, x->known.p[i]);
	for (size_t m = 0; m < x->member.n; m++)
		x->member_of[x->member.p[m]] = (uint32_t)m;
	return unknown <= others / UNKNOWN_SHARE;
}

static struct seeker seeker_of(const struct lookup *x, uint32_t set)
{
	const struct lookup_request *r = x->r;
	const struct joiner *j = r->lead;
	struct seeker s = { .set = set, .n = x->sets->size[set] };

	s.more = r->least && r->few[set] == COVERAGE_AS_A && !j->flip ? r->least[set] : 0;
	s.least = joiner_least(j, s.n);
	s.least = s.more > s.least ? s.more : s.least;
	return s;
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

/* ---- pairs ---- */

/* When can a pair be wanted in which set p probes, and o is opposite to it?  0: never. */
static unsigned asked_for(const struct lookup *x, uint32_t p, uint32_t o)
{
	const struct lookup_request *r = x->r;
	uint32_t a = r->lead->flip ? o : p, b = r->lead->flip ? p : o;

	return (r->few[a] & COVERAGE_AS_A ? r->b_ok[b] : 0u) | (r->few[b] & COVERAGE_AS_B ? r->a_ok[a] : 0u);
}

/* When is a pair of the seeker with a set wanted, if it shares `shared` (or up to that)?  0: never. */
static unsigned wanted(const struct lookup *x, const struct seeker *s, uint32_t set, uint64_t shared)
{
	const struct joiner *j = x->r->lead;
	uint32_t size = x->sets->size[set];
	unsigned probing = asked_for(x, s->set, set), probed = asked_for(x, set, s->set);

	if (probing && (shared < s->more || !order_allows(x, s->set, set) || shared < joiner_need(j, s->n, size)))
		probing = 0;
	if (probed && (!order_allows(x, set, s->set) || shared < joiner_need(j, size, s->n)))
		probed = 0;
	return probing | probed;
}

/* A pair of which it is known what they share: now, or for later. */
static void note_pair(struct lookup *x, unsigned worker, const struct seeker *s, uint32_t set, uint32_t shared)
{
	unsigned when = wanted(x, s, set, shared);
	uint32_t few = x->r->few[s->set] ? s->set : set;

	if (when & COVERAGE_NOW)
		vec_push(&x->found[worker], ((struct near_pair){ few, few ^ s->set ^ set, shared }));
	else if (when)
		vec_push(&x->walker[worker].later,
			 ((struct postings_later){ s->set, set, shared, order_allows(x, s->set, set),
						   order_allows(x, set, s->set) }));
}

static bool worth_counting(const struct lookup *x, const struct seeker *s, uint32_t set)
{
	uint32_t size = x->sets->size[set];

	return set != s->set && (x->r->few[set] || x->r->live[set] || x->member_of[set] != UINT32_MAX) &&
	       wanted(x, s, set, s->n < size ? s->n : size);
}

/* What the seeker shares with a row: items of the classes that both have, and those that the row alone has.  False: the
 * index is damaged. */
static bool shared_with(struct lookup *x, struct walker *w, uint32_t row, uint32_t *shared, bool *sure)
{
	const uint32_t *class = postings_row_classes(x->r->kept, row), n = x->r->kept->rows[row].n;
	uint32_t any = 0;

	*shared = w->alone[row];
	if (!class)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		*shared += w->mark[class[i]] & ~AMBIGUOUS;
		any |= w->mark[class[i]];
	}
	*sure = !(any & AMBIGUOUS);
	return true;
}

static void note_counted(struct lookup *x, unsigned worker, const struct seeker *s, uint32_t set, uint32_t shared,
			 bool sure)
{
	if (!sure && wanted(x, s, set, shared)) /* it may share less, not more */
		shared = sets_overlap(&x->walker[worker].scratch, x->r->q, x->r->lead->kind, s->set, set).shared;
	note_pair(x, worker, s, set, shared);
}

static void count_row(struct lookup *x, unsigned worker, const struct seeker *s, uint32_t row)
{
	uint32_t set = x->r->kept->set_of[row], shared;
	bool sure;

	if (set == JOIN_NO_SET || !worth_counting(x, s, set) ||
	    !shared_with(x, &x->walker[worker], row, &shared, &sure))
		return;
	note_counted(x, worker, s, set, shared, sure);
}

static void count_added(struct lookup *x, unsigned worker, const struct seeker *s, uint32_t added)
{
	const struct added *a = &x->r->kept->added;
	uint32_t set = a->set_of[added], shared = 0;
	bool sure = true;

	if (set == JOIN_NO_SET || !worth_counting(x, s, set) ||
	    (a->base[added] != ADDED_NONE && !shared_with(x, &x->walker[worker], a->base[added], &shared, &sure)))
		return;
	note_counted(x, worker, s, set, shared + (uint32_t)x->walker[worker].differ[added], sure);
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

static void meet(struct walker *w, uint32_t who)
{
	if (w->seen[who])
		return;
	w->seen[who] = 1;
	vec_push(&w->met, who);
}

static void meet_list(struct lookup *x, struct walker *w, const struct part *p, bool prefix)
{
	const struct postings_class *c = &x->r->kept->classes[p->class];
	const uint32_t *row;

	if (p->class & POSTINGS_OWN) {
		meet(w, p->class & ~POSTINGS_OWN);
		return;
	}
	if (prefix && c->prefix == 0)
		return;
	if (!(row = postings_list(x->r->kept, p->class)))
		return;
	for (uint32_t i = 0; i < (prefix ? c->prefix : c->n); i++)
		meet(w, row[i]);
}

/* The shortest lists of one that probes: without one of them it shares too little.  Who would walk one of
 * the lists themselves, up to this one, stand in front. */
static void walk(struct lookup *x, struct walker *w, const struct seeker *s)
{
	uint64_t rest = 0;

	if (s->probes) {
		vec_reserve(&w->order, w->parts.n + 1);
		for (size_t i = 0; i < w->parts.n; i++) {
			w->order.p[i] = (uint64_t)w->parts.p[i].length << 32 | i;
			rest += w->parts.p[i].weight;
		}
		sort_numbers(w->order.p, w->parts.n);
		for (size_t i = 0; i < w->parts.n && rest >= s->least; i++) {
			const struct part *p = &w->parts.p[(uint32_t)w->order.p[i]];

			meet_list(x, w, p, false);
			rest -= p->weight;
		}
	}
	for (size_t i = 0; i < w->parts.n && s->probed; i++)
		meet_list(x, w, &w->parts.p[i], true);
}

static void add_part(struct lookup *x, struct walker *w, uint32_t class, uint32_t weight, bool sure)
{
	vec_push(&w->parts, ((struct part){ x->r->kept->classes[class].n, weight, class }));
	w->mark[class] = (w->mark[class] + weight) | (sure ? 0 : AMBIGUOUS);
}

/* The base's classes, less the items that the member has not. */
static void gather_base(struct lookup *x, struct walker *w, uint32_t m)
{
	struct postings *kept = x->r->kept;
	uint32_t row = x->base[m], alone = kept->rows[row].alone;
	const uint32_t *class = postings_row_classes(kept, row);
	size_t from = x->hit_start[2 * m + 1], n = distinct(w, x->hit + from, x->hit_start[2 * m + 2] - from);

	if (!class)
		return;
	for (uint32_t i = 0; i < kept->rows[row].n; i++)
		w->mark[class[i]] = kept->classes[class[i]].weight;
	for (size_t i = 0; i < n; i++) {
		uint32_t ref = (uint32_t)(w->refs.p[i] >> 32), less = (uint32_t)w->refs.p[i], of_base = 0, classes,
			 it = 0;
		const struct postings_name *name;

		if (ref & POSTINGS_OWN) {
			alone -= less < alone ? less : alone;
			continue;
		}
		classes = postings_classes(kept, ref, &name);
		for (uint32_t k = 0; k < classes; k++)
			if (w->mark[name[k].class]) {
				of_base++;
				it = name[k].class;
			}
		if (of_base == 1 && (w->mark[it] & ~AMBIGUOUS) >= less)
			w->mark[it] -= less;
		for (uint32_t k = 0; k < classes && of_base != 1; k++)
			w->mark[name[k].class] |= w->mark[name[k].class] ? AMBIGUOUS : 0;
	}
	for (uint32_t i = 0; i < kept->rows[row].n; i++)
		if (w->mark[class[i]])
			vec_push(&w->parts, ((struct part){ kept->classes[class[i]].n, w->mark[class[i]] & ~AMBIGUOUS,
							    class[i] }));
	if (alone) {
		vec_push(&w->parts, ((struct part){ 1, alone, POSTINGS_OWN | row }));
		w->alone[row] = alone;
	}
}

/* The lists that a member is in. */
static void gather_member(struct lookup *x, struct walker *w, uint32_t m)
{
	struct postings *kept = x->r->kept;
	size_t from = x->hit_start[2 * m], n;

	if (x->base[m] != UINT32_MAX)
		gather_base(x, w, m);
	n = distinct(w, x->hit + from, x->hit_start[2 * m + 1] - from);
	for (size_t i = 0; i < n; i++) {
		uint32_t ref = (uint32_t)(w->refs.p[i] >> 32), weight = (uint32_t)w->refs.p[i], classes;
		const struct postings_name *name;

		if (ref & POSTINGS_OWN) {
			if ((ref & ~POSTINGS_OWN) >= kept->tail.rows)
				continue;
			vec_push(&w->parts, ((struct part){ 1, weight, ref }));
			w->alone[ref & ~POSTINGS_OWN] += weight;
			continue;
		}
		classes = postings_classes(kept, ref, &name);
		for (uint32_t k = 0; k < classes; k++)
			add_part(x, w, name[k].class, weight, classes == 1);
	}
}

static void forget(struct walker *w)
{
	for (size_t i = 0; i < w->parts.n; i++)
		if (w->parts.p[i].class & POSTINGS_OWN)
			w->alone[w->parts.p[i].class & ~POSTINGS_OWN] = 0;
		else
			w->mark[w->parts.p[i].class] = 0;
	w->parts.n = 0;
}

static void meet_added(struct walker *w, uint32_t added)
{
	if (w->seen_added[added])
		return;
	w->seen_added[added] = 1;
	vec_push(&w->met_added, added);
}

/* Added sets that have an item of the seeker which their base has not, whose base it met, or who would meet it. */
static void walk_added(struct lookup *x, struct walker *w, const struct seeker *s)
{
	const struct added *a = &x->r->kept->added;
	uint32_t m = x->member_of[s->set];

	for (size_t i = x->differ_start[m]; i < x->differ_start[m + 1]; i++) {
		uint32_t who = x->differ[i] & ~ADDED_MISSING;

		w->differ[who] += x->differ[i] & ADDED_MISSING ? -1 : 1;
		meet_added(w, who);
	}
	for (size_t i = 0; i < w->met.n; i++)
		for (uint32_t k = a->first_of[w->met.p[i]]; k != ADDED_NONE; k = a->next_of[k])
			meet_added(w, k);
	for (size_t i = 0; i < w->parts.n && s->probed; i++)
		if (!(w->parts.p[i].class & POSTINGS_OWN))
			for (uint32_t k = x->more_start[w->parts.p[i].class]; k != ADDED_NONE; k = x->more.p[k].next)
				meet_added(w, x->more.p[k].added);
}

/* Meets rows by the parts that were gathered, and added sets, and counts what they share. */
static void pair_gathered(struct lookup *x, unsigned worker, const struct seeker *s, bool added)
{
	struct walker *w = &x->walker[worker];

	walk(x, w, s);
	if (added)
		walk_added(x, w, s);
	for (size_t i = 0; i < w->met.n; i++) {
		w->seen[w->met.p[i]] = 0;
		count_row(x, worker, s, w->met.p[i]);
	}
	w->met.n = 0;
	for (size_t i = 0; i < w->met_added.n; i++) {
		count_added(x, worker, s, w->met_added.p[i]);
		w->seen_added[w->met_added.p[i]] = 0;
		w->differ[w->met_added.p[i]] = 0;
	}
	w->met_added.n = 0;
	forget(w);
}

/* ---- members ---- */

/* Whom a member meets of the others: each of two that probes finds the other. */
static void pair_with_members(struct lookup *x, unsigned worker, uint32_t m, const struct seeker *s)
{
	struct walker *w = &x->walker[worker];
	const struct lookup_runs *r = &x->runs;
	uint32_t from = r->of_start[m], n = r->of_start[m + 1] - from;
	uint64_t rest = 0;

	vec_reserve(&w->order, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t run = r->of[from + i];

		w->order.p[i] = (uint64_t)(r->start.p[run + 1] - r->start.p[run]) << 32 | run;
		w->run_mark[run] = r->weight.p[run];
		rest += r->weight.p[run];
	}
	if (rest >= s->least)
		sort_numbers(w->order.p, n);
	for (uint32_t i = 0; i < n && rest >= s->least; i++) {
		uint32_t run = (uint32_t)w->order.p[i];

		for (uint32_t k = r->start.p[run]; k < r->start.p[run + 1]; k++)
			meet(w, r->holders.p[k]);
		rest -= r->weight.p[run];
	}
	for (size_t i = 0; i < w->met.n; i++) {
		uint32_t o = w->met.p[i], shared = 0;

		w->seen[o] = 0;
		if (!worth_counting(x, s, x->member.p[o]))
			continue;
		for (uint32_t k = r->of_start[o]; k < r->of_start[o + 1]; k++)
			shared += w->run_mark[r->of[k]];
		note_pair(x, worker, s, x->member.p[o], shared);
	}
	w->met.n = 0;
	for (uint32_t i = 0; i < n; i++)
		w->run_mark[r->of[from + i]] = 0;
}

static unsigned bit_of_prober(const struct joiner *j) { return j->flip ? COVERAGE_AS_B : COVERAGE_AS_A; }

/* Known sets that ask do not find members: those find them, whichever way. */
static void pair_member(struct lookup *x, unsigned worker, uint32_t m)
{
	struct seeker s = seeker_of(x, x->member.p[m]);
	const struct joiner *j = x->r->lead;
	unsigned prober = bit_of_prober(j), other = prober ^ (COVERAGE_AS_A | COVERAGE_AS_B);

	s.probes = j->symmetric || x->r->few[s.set] & prober || x->known_ask & other;
	s.probed = !j->symmetric && (x->r->few[s.set] & other || x->known_ask & prober);
	pair_with_members(x, worker, m, &s);
	if (m >= x->n_asking && !x->known.n)
		return;
	gather_member(x, &x->walker[worker], m);
	pair_gathered(x, worker, &s, lookup_wants_added(x, m));
}

/* A set that the index knows: of each of its rows the classes are there.  Or an added one, which was looked up. */
static void pair_known(struct lookup *x, unsigned worker, uint32_t set)
{
	struct walker *w = &x->walker[worker];
	struct postings *kept = x->r->kept;
	struct seeker s = seeker_of(x, set);
	const struct joiner *j = x->r->lead;
	unsigned prober = bit_of_prober(j);

	s.probes = j->symmetric || x->r->few[set] & prober;
	s.probed = !j->symmetric && x->r->few[set] & ~prober;
	if (kept->row_of[set] == UINT32_MAX) {
		gather_member(x, w, x->member_of[set]);
		pair_gathered(x, worker, &s, true);
	}
	for (uint32_t row = kept->row_of[set]; row != UINT32_MAX; row = kept->next_row[row]) {
		const uint32_t *class = postings_row_classes(kept, row);

		for (uint32_t i = 0; class && i < kept->rows[row].n; i++)
			add_part(x, w, class[i], kept -> classes[class[i]].weight, true);
		if (kept->added.n && kept->rows[row].alone) { /* no other row has them, but added sets may */
			w->alone[row] = kept->rows[row].alone;
			vec_push(&w->parts, ((struct part){ 1, w->alone[row], POSTINGS_OWN | row }));
		}
		pair_gathered(x, worker, &s, kept->added.n != 0);
	}
}

static void pair_seekers(void *context, size_t from, size_t to, unsigned worker)
{
	struct lookup *x = context;

	for (size_t i = from; i < to; i++)
		if (i < x->n_unknown)
			pair_member(x, worker, (uint32_t)i);
		else
			pair_known(x, worker, x->known.p[i - x->n_unknown]);
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

/* Two that ask may have met each other. */
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
	sort_array(all->p, all->n, sizeof *all->p, by_sets);
	for (size_t i = 0; i < all->n; i++)
		if (i == 0 || by_sets(&all->p[i], &all->p[n - 1]) != 0)
			all->p[n++] = all->p[i];
	all->n = n;
}

static void walkers_open(struct lookup *x)
{
	const struct postings_tail *t = &x->r->kept->tail;
	size_t most = t->rows > x->member.n ? t->rows : x->member.n;

	x->walker = mem_zarray(x->r->threads, sizeof *x->walker);
	for (unsigned i = 0; i < x->r->threads; i++) {
		struct walker *w = &x->walker[i];

		w->mark = mem_zarray((size_t)t->classes + 1, sizeof *w->mark);
		w->run_mark = mem_zarray(x->runs.weight.n + 1, sizeof *w->run_mark);
		w->alone = mem_zarray((size_t)t->rows + 1, sizeof *w->alone);
		w->seen = mem_zalloc(most + 1);
		w->seen_added = mem_zalloc((size_t)x->r->kept->added.n + 1);
		w->differ = mem_zarray((size_t)x->r->kept->added.n + 1, sizeof *w->differ);
	}
}

static void walkers_close(struct lookup *x)
{
	for (unsigned t = 0; x->walker && t < x->r->threads; t++) {
		struct walker *w = &x->walker[t];

		sets_scratch_release(&w->scratch);
		vec_release(&w->parts);
		vec_release(&w->refs);
		vec_release(&w->order);
		vec_release(&w->met);
		vec_release(&w->later);
		mem_free(w->mark);
		mem_free(w->run_mark);
		mem_free(w->alone);
		mem_free(w->seen);
		mem_free(w->seen_added);
		mem_free(w->differ);
		vec_release(&w->met_added);
		mem_free(w->slot);
	}
	mem_free(x->walker);
}

static bool find_pairs(struct lookup *x)
{
	const struct lookup_request *r = x->r;

	note_ranges(x);
	if (!lookup_items(x))
		return false;
	walkers_open(x);
	if (r->kept->added.n)
		lookup_added_more(x);
	task_each(r->threads, x->n_unknown + x->known.n, SEEKERS_AT_ONCE, pair_seekers, x);
	if (r->kept->damaged) {
		for (unsigned t = 0; t < r->threads; t++)
			x->found[t].n = 0;
		return false;
	}
	unify(x);
	for (unsigned t = 0; t < r->threads; t++)
		for (size_t i = 0; i < x->walker[t].later.n; i++)
			vec_push(&r->kept->later, x->walker[t].later.p[i]);
	return true;
}

bool lookup_pairs(const struct lookup_request *r, near_pairs *found)
{
	struct lookup x = { .r = r, .sets = &r->q->sets[r->lead->kind], .found = found };
	bool ok =
	    !x.sets->bag && r->kept->tail.bounds == joiner_bounds(r->lead) && choose_seekers(&x) && find_pairs(&x);

	walkers_close(&x);
	lookup_items_release(&x);
	vec_release(&x.more);
	mem_free(x.more_start);
	vec_release(&x.member);
	vec_release(&x.known);
	mem_free(x.member_of);
	mem_free(x.range);
	return ok;
}

void lookup_later(const struct lookup_request *r, near_pairs *found)
{
	struct lookup x = { .r = r, .sets = &r->q->sets[r->lead->kind], .found = found };

	for (size_t i = 0; i < r->kept->later.n; i++) {
		const struct postings_later *p = &r->kept->later.p[i];

		if ((p->set_probes && asked_for(&x, p->set, p->other)) ||
		    (p->other_probes && asked_for(&x, p->other, p->set)))
			vec_push(&found[0], r->few[p->set] ? ((struct near_pair){ p->set, p->other, p->shared })
							   : ((struct near_pair){ p->other, p->set, p->shared }));
	}
	unify(&x);
}
