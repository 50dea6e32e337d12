/* join/lookup.c -- see lookup.h. */
#include "join/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/task.h"
#include "join/bound.h"
#include "join/lookup_int.h"

#define UNKNOWN_SHARE 4u   /* more than a quarter of the sets unknown to the index: reading all is cheaper */
#define SEEKERS_AT_ONCE 8u /* handed to a thread */

void lookup_documents(struct postings *kept, const struct join_query *q, int kind)
{
	const uint32_t *of = q->set_of[kind], sets = q->sets[kind].n;

	if (kept->docs)
		return;
	kept->docs_start = mem_zarray((size_t)sets + 3, sizeof *kept->docs_start);
	kept->docs = mem_array((size_t)q->n + 1, sizeof *kept->docs);
	for (uint32_t d = 0; d < q->n; d++) /* those without a set come last */
		kept->docs_start[(of[d] < sets ? of[d] : sets) + 2]++;
	for (uint32_t s = 0; s <= sets; s++)
		kept->docs_start[s + 2] += kept->docs_start[s + 1];
	for (uint32_t d = 0; d < q->n; d++)
		kept->docs[kept->docs_start[(of[d] < sets ? of[d] : sets) + 1]++] = d;
}

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
			x->member_ask |= r->few[s];
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

/* ---- by the first order ---- */

static void widen(double *low, double *high, double v)
{
	*low = v < *low ? v : *low; /* a missing value changes nothing: no order with it holds */
	*high = v > *high ? v : *high;
}

/* The range of a set's documents, which is kept until another takes its place. */
static const struct range *range_of(const struct lookup *x, struct walker *w, uint32_t set)
{
	const struct join_order *order = &x->r->lead->d->order[0];
	const struct postings *kept = x->r->kept;
	struct range *g = &w->ranges[set % LOOKUP_RANGES];

	if (g->next == set + 1)
		return g;
	*g = (struct range){ INFINITY, -INFINITY, INFINITY, -INFINITY, set + 1 };
	for (uint32_t i = kept->docs_start[set]; i < kept->docs_start[set + 1]; i++) {
		uint32_t d = kept->docs[i];

		if (!x->r->docs[d])
			continue;
		widen(&g->a_min, &g->a_max, order->va[d]);
		widen(&g->b_min, &g->b_max, order->vb[d]);
	}
	return g;
}

/* Can a document of a set p probe, and one of a set o be opposite to it? */
static bool order_allows(const struct lookup *x, const struct range *p, const struct range *o)
{
	const struct join_order *r = &x->r->lead->d->order[0];
	const struct range *a = x->r->lead->flip ? o : p, *b = x->r->lead->flip ? p : o;

	return x->r->lead->d->n_orders == 0 || (b->b_max - a->a_min >= r->lo && b->b_min - a->a_max <= r->hi);
}

static struct seeker seeker_of(const struct lookup *x, struct walker *w, uint32_t set)
{
	const struct lookup_request *r = x->r;
	const struct joiner *j = r->lead;
	struct seeker s = { .set = set, .n = x->sets->size[set] };

	s.more = r->least && r->few[set] == COVERAGE_AS_A && !j->flip ? r->least[set] : 0;
	s.least = joiner_least(j, s.n);
	s.least = s.more > s.least ? s.more : s.least;
	if (j->d->n_orders)
		s.range = *range_of(x, w, set);
	return s;
}

/* ---- pairs ---- */

/* When can a pair be wanted in which set p probes, and o is opposite to it?  0: never. */
static unsigned asked_for(const struct lookup *x, uint32_t p, uint32_t o)
{
	const struct lookup_request *r = x->r;
	uint32_t a = r->lead->flip ? o : p, b = r->lead->flip ? p : o;

	return (r->few[a] & COVERAGE_AS_A ? r->b_ok[b] : 0u) | (r->few[b] & COVERAGE_AS_B ? r->a_ok[a] : 0u);
}

/* False: no pair with it can be wanted, now or later, as far as their sizes tell. */
static bool consider(const struct lookup *x, struct walker *w, const struct seeker *s, uint32_t set,
		     struct candidate *c)
{
	const struct joiner *j = x->r->lead;
	uint32_t size = x->sets->size[set], most = s->n < size ? s->n : size;
	const struct range *range;

	*c = (struct candidate){ .set = set };
	if (set == s->set || !(x->r->few[set] || x->r->live[set] || x->member_of[set] != UINT32_MAX))
		return false;
	c->probing = asked_for(x, s->set, set);
	c->probed = asked_for(x, set, s->set);
	if (!(c->probing | c->probed))
		return false;
	if (c->probing) {
		c->least_probing = joiner_need(j, s->n, size);
		c->least_probing = s->more > c->least_probing ? s->more : c->least_probing;
		c->probing = most < c->least_probing ? 0 : c->probing;
	}
	if (c->probed) {
		c->least_probed = joiner_need(j, size, s->n);
		c->probed = most < c->least_probed ? 0 : c->probed;
	}
	if (!(c->probing | c->probed))
		return false;
	range = x->r->lead->d->n_orders ? range_of(x, w, set) : NULL;
	c->may_probe = order_allows(x, &s->range, range);
	c->may_be_probed = order_allows(x, range, &s->range);
	c->probing = c->may_probe ? c->probing : 0;
	c->probed = c->may_be_probed ? c->probed : 0;
	return c->probing | c->probed;
}

/* When is a pair wanted, if the two share so many?  0: never. */
static unsigned wanted(const struct candidate *c, uint64_t shared)
{
	return (shared >= c->least_probing ? c->probing : 0) | (shared >= c->least_probed ? c->probed : 0);
}

/* What the seeker shares with a row: items of the classes that both have, and those that the row alone has.  False: the
 * index is damaged. */
static bool shared_with(struct lookup *x, struct walker *w, uint32_t row, uint32_t *shared, bool *sure)
{
	const uint32_t *class = postings_row_classes(x->r->kept, row), n = x->r->kept->rows[row].n, *mark = w->mark;
	uint32_t any = 0, sum = 0;

	if (!class)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		sum += mark[class[i]]; /* what is above the items stays above their sum */
		any |= mark[class[i]];
	}
	*shared = (sum & LOOKUP_ITEMS) + w->alone[row];
	*sure = !(any & LOOKUP_AMBIGUOUS);
	return true;
}

/* Notes a pair for later: as many as the seeker shares with a row, or UINT32_MAX, and `differ` more. */
static void put_off(struct walker *w, const struct seeker *s, const struct candidate *c, uint32_t base, int32_t differ)
{
	vec_push(&w->later, ((struct postings_later){ s->set, c->set, base, differ, c->may_probe, c->may_be_probed }));
}

/* Can a pair that nobody wants yet be put off, instead of counted?  Without a key a set's rows have the same classes. */
static bool can_wait(const struct lookup *x, const struct seeker *s, const struct candidate *c)
{
	return !((c->probing | c->probed) & COVERAGE_NOW) && !x->r->lead->d->key && !s->more;
}

/* Counts what the seeker shares with a set that was considered, by its base. */
static void count_considered(struct lookup *x, unsigned worker, const struct seeker *s, const struct candidate *c,
			     uint32_t base, int32_t differ)
{
	struct walker *w = &x->walker[worker];
	uint32_t shared = 0, few;
	bool sure = true;
	unsigned when;

	if (base != UINT32_MAX && !shared_with(x, w, base, &shared, &sure))
		return;
	shared += (uint32_t)differ;
	if (!sure && wanted(c, shared)) /* it may share less, not more */
		shared = sets_overlap(&w->scratch, x->r->q, x->r->lead->kind, s->set, c->set).shared;
	when = wanted(c, shared);
	few = x->r->few[s->set] ? s->set : c->set;
	if (when & COVERAGE_NOW)
		vec_push(&x->found[worker], ((struct near_pair){ few, few ^ s->set ^ c->set, shared }));
	else if (when)
		put_off(w, s, c, UINT32_MAX, (int32_t)shared);
}

/* The pair of the seeker with a set that differs from a row, its base (UINT32_MAX: none), in items of which the seeker
 * has `differ` more of the set's own than of the base's. */
static void count_pair(struct lookup *x, unsigned worker, const struct seeker *s, uint32_t set, uint32_t base,
		       int32_t differ)
{
	struct walker *w = &x->walker[worker];
	struct candidate c;

	if (set == JOIN_NO_SET || !consider(x, w, s, set, &c))
		return;
	if (can_wait(x, s, &c))
		put_off(w, s, &c, base, differ);
	else
		count_considered(x, worker, s, &c, base, differ);
}

#define LIST_LINES 4u /* of a row's classes, fetched ahead */

/* Rows that were met: the lists of those that are counted are fetched while others are considered. */
static void count_rows(struct lookup *x, unsigned worker, const struct seeker *s)
{
	const struct postings *kept = x->r->kept;
	struct walker *w = &x->walker[worker];

	w->considered.n = 0;
	for (size_t i = 0; i < w->met.n; i++) {
		uint32_t row = w->met.p[i], set = kept->set_of[row];
		struct considered *c;

		w->seen[row] = 0;
		if (set == JOIN_NO_SET)
			continue;
		c = vec_add(&w->considered);
		c->row = row;
		if (!consider(x, w, s, set, &c->set)) {
			w->considered.n--;
		} else if (can_wait(x, s, &c->set)) {
			put_off(w, s, &c->set, row, 0);
			w->considered.n--;
		} else {
			/* which may not be tested yet: no pointer */
			uintptr_t list = (uintptr_t)kept->forward + kept->rows[row].start * sizeof *kept->forward;

			for (uint32_t k = 0; k < LIST_LINES; k++)
				__builtin_prefetch((const void *)(list + (uintptr_t)k * 64));
		}
	}
	w->met.n = 0;
	for (size_t i = 0; i < w->considered.n; i++)
		count_considered(x, worker, s, &w->considered.p[i].set, w->considered.p[i].row, 0);
}

/* ---- whom it meets ---- */

static void meet_beside(struct beside *b, uint32_t who)
{
	if (!b->of[who].seen)
		vec_push(&b->noted, who);
	b->of[who].seen = BESIDE_MET;
}

/* The seeker has `weight` items that it has and its row has not, or, less than 0, the other way. */
static void differ_beside(struct beside *b, uint32_t who, int32_t weight, bool meets)
{
	struct beside_set *of = &b->of[who];

	if (!of->seen) {
		vec_push(&b->noted, who);
		of->seen = BESIDE_NOTED;
	}
	if (meets)
		of->seen = BESIDE_MET;
	of->differ += weight;
}

/* Added sets that have an item of the seeker which their base has not, whose base it met, or who would meet it. */
static void walk_added(struct lookup *x, struct walker *w, const struct seeker *s)
{
	const struct added *a = &x->r->kept->added;
	uint32_t m = x->member_of[s->set];

	for (size_t i = x->differ_start[m]; i < x->differ_start[m + 1]; i++)
		differ_beside(&w->added, x->differ[i] & ~ADDED_MISSING, x->differ[i] & ADDED_MISSING ? -1 : 1,
			      !(x->differ[i] & ADDED_MISSING));
	for (size_t i = 0; i < w->met.n; i++)
		for (uint32_t k = a->first_of[w->met.p[i]]; k != ADDED_NONE; k = a->next_of[k])
			meet_beside(&w->added, k);
	for (size_t i = 0; i < w->parts.n && s->probed; i++)
		if (!(w->parts.p[i].class & POSTINGS_OWN))
			for (uint32_t k = x->more_start[w->parts.p[i].class]; k != ADDED_NONE; k = x->more.p[k].next)
				meet_beside(&w->added, x->more.p[k].added);
}

/* Other members in the same way: each of two that probes finds the other.  It shares too little with whoever has none of
 * the items that are in no list, or in one that it walked; who has one of them by its base was met with that. */
static void walk_members(struct lookup *x, struct walker *w, uint32_t m)
{
	const struct lookup_runs *r = &x->runs;

	for (uint32_t i = r->of_start[m]; i < r->of_start[m + 1]; i++) {
		uint32_t run = r->of[i], class = r->class.p[run];
		int32_t weight = (int32_t)r->weight.p[run];
		bool walked = class == UINT32_MAX || w->mark[class] & LOOKUP_WALKED;

		for (uint32_t k = r->start.p[run]; k < r->in_base.p[run]; k++) {
			uint32_t who = r->holders.p[k] >> LOOKUP_KIND_BITS, kind = lookup_kind(r->holders.p[k]);

			if (kind == LOOKUP_NOT_HERE)
				differ_beside(&w->members, who, -weight, false);
			else if (who != m) /* one without a base may not look for others itself */
				differ_beside(&w->members, who, weight, walked || x->beside[who] == UINT32_MAX);
		}
	}
	for (size_t i = 0; i < w->met.n; i++)
		for (uint32_t k = x->beside_first[w->met.p[i]]; k != UINT32_MAX; k = x->beside_next[k])
			meet_beside(&w->members, k);
}

static void count_added(struct lookup *x, unsigned worker, const struct seeker *s)
{
	const struct added *a = &x->r->kept->added;
	struct beside *b = &x->walker[worker].added;

	for (size_t i = 0; i < b->noted.n; i++) {
		uint32_t who = b->noted.p[i];

		if (b->of[who].seen == BESIDE_MET)
			count_pair(x, worker, s, a->set_of[who], a->base[who], b->of[who].differ);
	}
	beside_forget(b);
}

static void count_members(struct lookup *x, unsigned worker, const struct seeker *s)
{
	struct beside *b = &x->walker[worker].members;

	for (size_t i = 0; i < b->noted.n; i++) {
		uint32_t who = b->noted.p[i];

		if (b->of[who].seen == BESIDE_MET)
			count_pair(x, worker, s, x->member.p[who], x->beside[who], b->of[who].differ);
	}
	beside_forget(b);
}

/* Meets rows by the parts that were gathered, added sets and members, and counts what they share. */
static void pair_gathered(struct lookup *x, unsigned worker, const struct seeker *s, bool added, bool members)
{
	struct walker *w = &x->walker[worker];

	lookup_walk(x, w, s);
	if (added)
		walk_added(x, w, s);
	if (members)
		walk_members(x, w, x->member_of[s->set]);
	count_rows(x, worker, s);
	count_added(x, worker, s);
	count_members(x, worker, s);
	lookup_forget(w);
}

/* ---- who meets ---- */

static unsigned bit_of_prober(const struct joiner *j) { return j->flip ? COVERAGE_AS_B : COVERAGE_AS_A; }

/* Known sets that ask do not find members: those find them, whichever way. */
static void pair_member(struct lookup *x, unsigned worker, uint32_t m)
{
	struct seeker s = seeker_of(x, &x->walker[worker], x->member.p[m]);
	const struct joiner *j = x->r->lead;
	unsigned prober = bit_of_prober(j), other = prober ^ (COVERAGE_AS_A | COVERAGE_AS_B);

	if (m >= x->n_asking && !x->known.n) /* nobody asks but members, and those find it: runs tell all its items */
		return;
	s.probes = j->symmetric || x->r->few[s.set] & prober || (x->known_ask | x->member_ask) & other;
	s.probed = !j->symmetric && (x->r->few[s.set] & other || x->known_ask & prober);
	lookup_gather(x, &x->walker[worker], s.set);
	pair_gathered(x, worker, &s, lookup_wants_added(x, m), x->compares);
}

/* A set that the index knows: of each of its rows the classes are there.  Or an added one, which was looked up. */
static void pair_known(struct lookup *x, unsigned worker, uint32_t set)
{
	struct walker *w = &x->walker[worker];
	struct postings *kept = x->r->kept;
	struct seeker s = seeker_of(x, w, set);
	const struct joiner *j = x->r->lead;
	unsigned prober = bit_of_prober(j);

	s.probes = j->symmetric || x->r->few[set] & prober;
	s.probed = !j->symmetric && x->r->few[set] & ~prober;
	if (kept->row_of[set] == UINT32_MAX) {
		lookup_gather(x, w, set);
		pair_gathered(x, worker, &s, true, false);
	}
	for (uint32_t row = kept->row_of[set]; row != UINT32_MAX; row = kept->next_row[row]) {
		lookup_gather_row(x, w, row);
		pair_gathered(x, worker, &s, kept->added.n != 0, false);
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

static bool find_pairs(struct lookup *x)
{
	const struct lookup_request *r = x->r;

	lookup_documents(r->kept, r->q, r->lead->kind);
	if (!lookup_items(x))
		return false;
	lookup_walkers_open(x);
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

	lookup_walkers_close(&x);
	lookup_items_release(&x);
	vec_release(&x.more);
	mem_free(x.more_start);
	vec_release(&x.member);
	vec_release(&x.known);
	mem_free(x.member_of);
	return ok;
}

/* Counts what a pair that was put off shares. */
static void count_later(struct lookup *x, struct postings_later *p, bool gathered)
{
	const struct joiner *j = x->r->lead;
	struct walker *w = &x->walker[0];
	uint32_t n = x->sets->size[p->set], m = x->sets->size[p->other], shared;
	bool sure;

	if (!gathered || x->r->kept->damaged || !shared_with(x, w, p->base, &shared, &sure) || !sure)
		shared = sets_overlap(&w->scratch, x->r->q, j->kind, p->set, p->other).shared;
	else
		shared += (uint32_t)p->differ;
	p->base = UINT32_MAX;
	p->differ = (int32_t)shared;
	p->set_probes = p->set_probes && shared >= joiner_need(j, n, m);
	p->other_probes = p->other_probes && shared >= joiner_need(j, m, n);
}

static bool is_asked_for(const struct lookup *x, const struct postings_later *p)
{
	return (p->set_probes && asked_for(x, p->set, p->other)) || (p->other_probes && asked_for(x, p->other, p->set));
}

void lookup_later(const struct lookup_request *r, near_pairs *found)
{
	struct lookup x = { .r = r, .sets = &r->q->sets[r->lead->kind], .found = found };
	uint32_t gathered = UINT32_MAX;
	bool known = false;

	for (size_t i = 0; i < r->kept->later.n; i++) {
		struct postings_later *p = &r->kept->later.p[i];

		if (!(r->few[p->set] | r->few[p->other]) || !is_asked_for(&x, p))
			continue;
		if (p->base != UINT32_MAX) {
			if (!x.walker)
				lookup_walkers_open(&x);
			if (gathered != p->set) {
				lookup_forget(&x.walker[0]);
				known = lookup_gather(&x, &x.walker[0], gathered = p->set);
			}
			count_later(&x, p, known);
		}
		if (is_asked_for(&x, p))
			vec_push(&found[0], r->few[p->set]
						? ((struct near_pair){ p->set, p->other, (uint32_t)p->differ })
						: ((struct near_pair){ p->other, p->set, (uint32_t)p->differ }));
	}
	lookup_walkers_close(&x);
	unify(&x);
}
