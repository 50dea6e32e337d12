/* cover/tree.h -- branch and bound inside one block, each branch going on from its parent's relaxation.
 *
 * A node fixes columns: by branching, by reductions of what is left open, by reduced costs.  Its relaxation is its
 * parent's tableau less the lines of what was fixed, cuts and all, so that a node costs a few pivots.  What falls apart
 * goes back to search.h, which solves the parts one by one.
 */
#ifndef WINNOW_COVER_TREE_H
#define WINNOW_COVER_TREE_H
#include "cover/packing.h"
#include "cover/search.h"

/* As search_cover and search_any, for a relaxation that packing_branches says yes of; it stays as it is. */
bool tree_search(struct search *s, const struct instance *in, const struct packing *relaxed, weight below, bool any,
		 uint8_t *taken);
#endif
