/* join/lookup_int.h -- the sets that an index does not know, in its terms (lookup.c, lookup_items.c). */
#ifndef WINNOW_JOIN_LOOKUP_INT_H
#define WINNOW_JOIN_LOOKUP_INT_H
#include "base/vec.h"
#include "join/lookup.h"
#include "join/sets.h"

/* Items that the same members have, two at least of which one asks, as one class. */
struct lookup_runs {
	VEC(uint32_t) start, weight; /* by run: where its holders begin */
	VEC(uint32_t) holders;	     /* members, ascending */
	uint32_t *of_start, *of;     /* [members + 1]: the runs of each */
};

struct lookup {
	const struct lookup_request *r;
	const struct join_sets *sets;
	VEC(uint32_t) member; /* sets that the index does not know: those that ask, then the others */
	uint32_t n_asking;
	VEC(uint32_t) known; /* sets that ask and that it knows */
	unsigned known_ask;  /* as what, taken together */
	uint32_t *member_of; /* [sets] or UINT32_MAX */
	uint64_t *start;     /* [members + 1] in the items of all */
	uint32_t *base;	     /* [members] the row of a set like it, or UINT32_MAX */
	/* Refs by member, one for each item that was found: of 2 m those that it has and the base has not, of 2 m + 1
	 * those that the base has and it has not. */
	size_t *hit_start; /* [2 members + 1] */
	uint32_t *hit;
	struct lookup_runs runs;
	struct range *range;   /* [sets]; NULL without an order */
	struct walker *walker; /* [threads] */
	near_pairs *found;
	bool damaged;
};

/* Looks up the items of the members: start, base, hit and runs.  False: the index is damaged. */
bool lookup_items(struct lookup *x);
void lookup_items_release(struct lookup *x);
#endif
