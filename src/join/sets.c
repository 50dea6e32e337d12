/* join/sets.c -- see sets.h. */
#include "join/sets.h"

#include <stdlib.h>
#include <string.h>

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

static uint32_t bucket_of(const unsigned char *thing, size_t at, uint32_t sets)
{
	uint32_t set;

	memcpy(&set, thing + at, sizeof set);
	return set < sets ? set : sets; /* JOIN_NO_SET comes last */
}

void sets_sort(void *things, size_t n, size_t size, size_t at, uint32_t sets,
	       int (*compare)(const void *, const void *, void *), void *context)
{
	uint32_t *end = mem_zarray((size_t)sets + 2, sizeof *end);
	unsigned char *from = things, *to = mem_array(n + 1, size);

	for (size_t i = 0; i < n; i++)
		end[bucket_of(from + i * size, at, sets) + 1]++;
	for (uint32_t b = 0; b < sets; b++)
		end[b + 1] += end[b];
	for (size_t i = 0; i < n; i++)
		memcpy(to + (size_t)end[bucket_of(from + i * size, at, sets)]++ * size, from + i * size, size);
	memcpy(from, to, n * size);
	mem_free(to);
	for (uint32_t b = 0, start = 0; b <= sets; start = end[b++])
		if (end[b] - start > 1)
			qsort_r(from + (size_t)start * size, end[b] - start, size, compare, context);
	mem_free(end);
}
