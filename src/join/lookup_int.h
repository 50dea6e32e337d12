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

struct lookup_more {
	uint32_t added, next; /* next: in more, or ADDED_NONE */
};

struct lookup {
	const struct lookup_request *r;
	const struct join_sets *sets;
	/* Sets whose items are looked up: those that are in neither the index nor added to it and that ask, others that are
	 * in neither; if there are added ones, then those that ask and are in one of the two. */
	VEC(uint32_t) member;
	uint32_t n_asking, n_unknown;
	VEC(uint32_t) known; /* sets that ask and that are in the index or added */
	unsigned known_ask;  /* as what, taken together */
	bool added_ask;	     /* some of them are not in the index */
	uint32_t *member_of; /* [sets] or UINT32_MAX */
	uint64_t *start;     /* [members + 1] in the items of all */
	uint32_t *base;	     /* [members] the row of a set like it, or UINT32_MAX */
	/* Refs by member, one for each item that was found: of 2 m those that it has and the base has not, of 2 m + 1
	 * those that the base has and it has not. */
	size_t *hit_start; /* [2 members + 1] */
	uint32_t *hit;
	/* By member the differences of added sets that it has (added.h: who, by the numbers of all rows). */
	size_t *differ_start; /* [members + 2] */
	uint32_t *differ;
	/* By class the added sets that have it in their prefix while their base has not. */
	uint32_t *more_start; /* [classes] */
	VEC(struct lookup_more) more;
	struct lookup_runs runs;
	struct range *range;   /* [sets]; NULL without an order */
	struct walker *walker; /* [threads] */
	near_pairs *found;
	bool damaged;
};

/* Is a member compared with added sets?  One that does not ask is when one of those does. */
static inline bool lookup_wants_added(const struct lookup *x, uint32_t m)
{
	return x->r->kept->added.n && (m < x->n_asking || m >= x->n_unknown || x->added_ask);
}

/* Looks up the items of the members: start, base, hit, differ and runs.  False: the index is damaged. */
bool lookup_items(struct lookup *x);
void lookup_items_release(struct lookup *x);

/* The differences of added sets that a set has, which are told as `of`. */
void lookup_added_items(const struct added *a, const uint64_t *item, uint32_t n, uint32_t of, postings_hits *out);
void lookup_added_more(struct lookup *x); /* more, more_start */
#endif
