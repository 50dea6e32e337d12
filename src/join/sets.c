/* join/sets.c -- see sets.h. */
#include "join/sets.h"

#include "base/mem.h"
#include "join/intersect.h"

const uint64_t *sets_get(struct sets_scratch *s, const struct join_query *q, int kind, uint32_t set, int which,
			 uint32_t *n)
{
	const struct join_sets *sets = &q->sets[kind];
	struct join_cursor c = { 0 };

	*n = set == JOIN_NO_SET ? 0 : sets->size[set];
	if (*n == 0)
		return NULL;
	if (sets->items)
		return sets->items + sets->start[set];
	if (s->kind[which] == kind + 1 && s->set[which] == set)
		return s->items[which];
	if (s->room[which] < *n) {
		s->room[which] = (size_t)*n + *n / 2;
		s->items[which] = mem_rearray(s->items[which], s->room[which], sizeof(uint64_t));
	}
	sets->open(sets->context, set, &c);
	sets->read(sets->context, &c, UINT64_MAX, s->items[which], *n);
	s->kind[which] = kind + 1;
	s->set[which] = set;
	return s->items[which];
}

struct join_overlap sets_overlap(struct sets_scratch *s, const struct join_query *q, int kind, uint32_t a, uint32_t b)
{
	struct join_overlap o = { 0 };
	const uint64_t *x = sets_get(s, q, kind, a, 0, &o.a), *y;

	if (a == b) {
		o.b = o.shared = o.a;
		return o;
	}
	y = sets_get(s, q, kind, b, 1, &o.b);
	o.shared = q->sets[kind].bag ? intersect_bags(x, o.a, y, o.b) : intersect_sets(x, o.a, y, o.b);
	return o;
}

void sets_scratch_release(struct sets_scratch *s)
{
	mem_free(s->items[0]);
	mem_free(s->items[1]);
	*s = (struct sets_scratch){ 0 };
}
