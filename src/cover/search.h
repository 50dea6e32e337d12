/* cover/search.h -- the cheapest cover of an instance, by branch and bound.
 *
 * At each node: reduce, cut into blocks, bound each block by its relaxation,
 * round that to a cover; where bound and cover differ, branch on a column
 * (taken, then refused) and go on inside.  Everything is deterministic.
 */
#ifndef WINNOW_COVER_SEARCH_H
#define WINNOW_COVER_SEARCH_H
#include "cover/instance.h"
#include "cover/packing.h"

#define SEARCH_WORK 400000 /* numbers touched in relaxations that a node may cost, on average */

/* How far the search of a problem's hard blocks is: numbers touched, as all of `work`. */
struct effort {
	void (*progress)(void *context, uint64_t done, uint64_t most);
	void *context;
	uint64_t done; /* in the blocks before */
	uint64_t most; /* that all can come to, the blocks behind included; 0: the present block is not hard so far */
	uint64_t told; /* what was told last; it never falls, though a way that was given up may have counted more */
};

struct search {
	struct effort *effort; /* NULL: nobody asks */
	uint64_t before;       /* touched in this block before this search began */
	uint64_t nodes, node_budget, pivots, work;
	double deadline; /* monotonic seconds; 0 = none */
	bool exhausted, timed_out;
};

/* A cover of `in` that costs less than `below`, in taken[] (by column); false
 * if there is none.  It is the cheapest unless s->exhausted was set, and then
 * false means nothing. */
bool search_cover(struct search *s, const struct instance *in, weight below, uint8_t *taken);

/* The same, but any cover under `below` will do. */
bool search_any(struct search *s, const struct instance *in, weight below, uint8_t *taken);

/* What any cover costs at least, as far as the budget goes.  For weights that are all 1. */
weight search_bound(struct search *s, const struct instance *in, weight *relaxed);

/* Is the budget, or the time, at its end? */
bool search_spent(struct search *s);
/* Tells how far it is, with `more` numbers touched that are not counted in s->work yet. */
void search_tell(const struct search *s, uint64_t more);
/* What a single relaxation may cost: half of what is left, but enough for a small one. */
uint64_t search_work_left(const struct search *s);
#endif
