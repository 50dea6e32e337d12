/* join/lookup_walk.c -- the lists that a seeker is in, and whom it meets there (lookup_int.h). */
#include <string.h>

#include "base/mem.h"
#include "join/lookup_int.h"

#define AHEAD 8u /* numbers between a look ahead and its use */

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
static size_t distinct(struct walker *w, const struct postings *p, size_t start, size_t n)
{
	const uint32_t *number = n ? p->refs.p + start : NULL; /* there may be none at all */
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

void lookup_walk(struct lookup *x, struct walker *w, const struct seeker *s)
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
			if (!(p->class & POSTINGS_OWN))
				w->mark[p->class] |= LOOKUP_WALKED;
		}
	}
	for (size_t i = 0; i < w->parts.n && s->probed; i++)
		meet_list(x, w, &w->parts.p[i], true);
}

static void add_part(struct lookup *x, struct walker *w, uint32_t class, uint32_t weight, bool sure)
{
	vec_push(&w->parts, ((struct part){ x->r->kept->classes[class].n, weight, class }));
	w->mark[class] = (w->mark[class] + weight) | (sure ? 0 : LOOKUP_AMBIGUOUS);
}

/* The base's classes, less the items that the set has not. */
static void gather_base(struct lookup *x, struct walker *w, const struct postings_looked *l)
{
	struct postings *kept = x->r->kept;
	uint32_t row = l->base, alone = kept->rows[row].alone;
	const uint32_t *class = postings_row_classes(kept, row);
	size_t n = distinct(w, kept, l->start + l->n_own, l->n_missing);

	if (!class)
		return;
	for (uint32_t i = 0, count = kept->rows[row].n; i < count; i++) {
		if (i + AHEAD < count) {
			__builtin_prefetch(&kept->classes[class[i + AHEAD]]);
			__builtin_prefetch(&w->mark[class[i + AHEAD]], 1);
		}
		w->mark[class[i]] = kept->classes[class[i]].weight;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t ref = (uint32_t)(w->refs.p[i] >> 32), less = (uint32_t)w->refs.p[i], of_base = 0, classes,
			 it = 0;
		const struct postings_name *name;

		if (i + 2 * AHEAD < n)
			postings_expect_slot(kept, (uint32_t)(w->refs.p[i + 2 * AHEAD] >> 32));
		if (i + AHEAD < n)
			postings_expect_class(kept, (uint32_t)(w->refs.p[i + AHEAD] >> 32));
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
		if (of_base == 1 && (w->mark[it] & LOOKUP_ITEMS) >= less)
			w->mark[it] -= less;
		for (uint32_t k = 0; k < classes && of_base != 1; k++)
			w->mark[name[k].class] |= w->mark[name[k].class] ? LOOKUP_AMBIGUOUS : 0;
	}
	for (uint32_t i = 0; i < kept->rows[row].n; i++)
		if (w->mark[class[i]])
			vec_push(&w->parts, ((struct part){ kept->classes[class[i]].n, w->mark[class[i]] & LOOKUP_ITEMS,
							    class[i] }));
	if (alone) {
		vec_push(&w->parts, ((struct part){ 1, alone, POSTINGS_OWN | row }));
		w->alone[row] = alone;
	}
}

static void gather_looked(struct lookup *x, struct walker *w, const struct postings_looked *l)
{
	struct postings *kept = x->r->kept;
	size_t n;

	if (l->base != UINT32_MAX)
		gather_base(x, w, l);
	n = distinct(w, kept, l->start, l->n_own);
	w->named.n = 0;
	for (size_t i = 0; i < n;
	     i++) { /* first what they mean, so that it can be fetched while others are looked at */
		uint32_t ref = (uint32_t)(w->refs.p[i] >> 32), weight = (uint32_t)w->refs.p[i], classes;
		const struct postings_name *name;

		if (i + 2 * AHEAD < n)
			postings_expect_slot(kept, (uint32_t)(w->refs.p[i + 2 * AHEAD] >> 32));
		if (i + AHEAD < n)
			postings_expect_class(kept, (uint32_t)(w->refs.p[i + AHEAD] >> 32));
		if (ref & POSTINGS_OWN) {
			if ((ref & ~POSTINGS_OWN) >= kept->tail.rows)
				continue;
			vec_push(&w->parts, ((struct part){ 1, weight, ref }));
			w->alone[ref & ~POSTINGS_OWN] += weight;
			continue;
		}
		classes = postings_classes(kept, ref, &name);
		for (uint32_t k = 0; k < classes; k++) {
			__builtin_prefetch(&kept->classes[name[k].class]);
			__builtin_prefetch(&w->mark[name[k].class], 1);
			vec_push(&w->named, ((struct named){ name[k].class, weight, classes == 1 }));
		}
	}
	for (size_t i = 0; i < w->named.n; i++)
		add_part(x, w, w->named.p[i].class, w->named.p[i].weight, w->named.p[i].sure);
}

void lookup_gather_row(struct lookup *x, struct walker *w, uint32_t row)
{
	struct postings *kept = x->r->kept;
	const uint32_t *class = postings_row_classes(kept, row);

	for (uint32_t i = 0, count = kept->rows[row].n; class && i < count; i++) {
		if (i + AHEAD < count) {
			__builtin_prefetch(&kept->classes[class[i + AHEAD]]);
			__builtin_prefetch(&w->mark[class[i + AHEAD]], 1);
		}
		add_part(x, w, class[i], kept -> classes[class[i]].weight, true);
	}
	if (kept->added.n && kept->rows[row].alone) { /* no other row has them, but added sets may */
		w->alone[row] = kept->rows[row].alone;
		vec_push(&w->parts, ((struct part){ 1, w->alone[row], POSTINGS_OWN | row }));
	}
}

bool lookup_gather(struct lookup *x, struct walker *w, uint32_t set)
{
	struct postings *kept = x->r->kept;
	const uint64_t *looked = map_get(&kept->looked_of, set);

	if (kept->row_of[set] != UINT32_MAX)
		lookup_gather_row(x, w, kept->row_of[set]);
	else if (looked)
		gather_looked(x, w, &kept->looked.p[*looked]);
	return kept->row_of[set] != UINT32_MAX || looked;
}

void lookup_forget(struct walker *w)
{
	for (size_t i = 0; i < w->parts.n; i++)
		if (w->parts.p[i].class & POSTINGS_OWN)
			w->alone[w->parts.p[i].class & ~POSTINGS_OWN] = 0;
		else
			w->mark[w->parts.p[i].class] = 0;
	w->parts.n = 0;
}

void beside_forget(struct beside *b)
{
	for (size_t i = 0; i < b->noted.n; i++)
		b->of[b->noted.p[i]] = (struct beside_set){ 0 };
	b->noted.n = 0;
}

static void beside_open(struct beside *b, size_t n) { b->of = mem_zarray(n + 1, sizeof *b->of); }

static void beside_close(struct beside *b)
{
	mem_free(b->of);
	vec_release(&b->noted);
}

void lookup_walkers_open(struct lookup *x)
{
	x->walker = mem_zarray(x->r->threads, sizeof *x->walker);
	for (unsigned i = 0; i < x->r->threads; i++) {
		struct walker *w = &x->walker[i];
		struct postings_marks marks = postings_marks(x->r->kept, i);

		w->mark = marks.class;
		w->alone = marks.alone;
		w->seen = marks.seen;
		w->ranges = mem_zarray(LOOKUP_RANGES, sizeof *w->ranges);
		beside_open(&w->added, x->r->kept->added.n);
		beside_open(&w->members, x->n_unknown);
	}
}

void lookup_walkers_close(struct lookup *x)
{
	for (unsigned t = 0; x->walker && t < x->r->threads; t++) {
		struct walker *w = &x->walker[t];

		lookup_forget(w);
		sets_scratch_release(&w->scratch);
		vec_release(&w->parts);
		vec_release(&w->refs);
		vec_release(&w->named);
		vec_release(&w->order);
		vec_release(&w->met);
		vec_release(&w->considered);
		vec_release(&w->later);
		mem_free(w->ranges);
		beside_close(&w->added);
		beside_close(&w->members);
		mem_free(w->slot);
	}
	mem_free(x->walker);
}
