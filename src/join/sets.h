/* join/sets.h -- whole sets out of struct join_sets, for comparing two. */
#ifndef WINNOW_JOIN_SETS_H
#define WINNOW_JOIN_SETS_H
#include "join/query.h"

struct sets_scratch { /* the two sets last looked at; zero is empty */
	uint64_t *items[2];
	size_t room[2];
	uint32_t set[2];
	int kind[2]; /* + 1 */
};

/* The items of a set; JOIN_NO_SET is empty.  which: 0 or 1, so that two sets
 * can be held; until the next call with the same. */
const uint64_t *sets_get(struct sets_scratch *s, const struct join_query *q, int kind, uint32_t set, int which,
			 uint32_t *n);
struct join_overlap sets_overlap(struct sets_scratch *s, const struct join_query *q, int kind, uint32_t a, uint32_t b);
void sets_scratch_release(struct sets_scratch *s);

/* Things of `size` bytes, each with the number of a set at `at` in it, sorted by (set, compare): one pass and many short sorts
 * instead of a long one, since few things have one set. */
void sets_sort(void *things, size_t n, size_t size, size_t at, uint32_t sets,
	       int (*compare)(const void *, const void *, void *), void *context);
#endif
