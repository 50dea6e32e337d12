/* cover/cuts.h -- inequalities that every cover satisfies and its relaxation does not.
 *
 * Chvatal-Gomory cuts: multiply rows (and cuts found before) by numbers k(r) / D >= 0, add them up, and round both
 * sides up: sum over columns of ceil(load(c) / D) x(c) >= ceil(sum of k(r) demand(r) / D) holds for every cover,
 * because its x are whole.  The multipliers are fractions of the tableau's inverse, which make the cut one that the
 * fractional cover breaks; they are put on whole numbers k first, so that a cut is valid whatever the floating point.
 *
 * Example: three rows {1 2} {2 3} {1 3}, each by 1/2: x1 + x2 + x3 >= 3/2, so >= 2.
 */
#ifndef WINNOW_COVER_CUTS_H
#define WINNOW_COVER_CUTS_H
#include "cover/instance.h"

struct cut_pool {
	struct cut *cut; /* named rows + cols + k in the tableau; the first are what is known of the instance */
	uint32_t n, cap;
};

/* Finds cuts that p->x breaks and adds them to p's tableau; how many. */
struct packing;
uint32_t cuts_add(struct arena *a, const struct instance *in, struct packing *p);
#endif
