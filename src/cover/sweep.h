/* cover/sweep.h -- the smallest cover of a narrow block, column by column.
 *
 * Columns are decided one after the other.  All that matters of the past is which rows are covered among those that have
 * columns on both sides, before and after (the front), so that of all choices with the same covered rows the cheapest is
 * enough.  Documents that resemble their neighbours in time or in name make fronts of a few tens of rows in blocks
 * of hundreds, whose relaxation says little.
 *
 * A choice is forgotten when another is as good whatever follows: it covers more at no greater cost, or it does so
 * together with as many of the columns to come as it is cheaper; or when the dual values of what it leaves open make it
 * as dear as the cover that is known.
 *
 * Example: rows {1 2} {2 3} {3 4}, columns in order.  After column 2 the front is the second row: covered for 1 (by
 * 2), or open for 1 (by 1), which is worse.  Then column 3 or 4 for another 1: two in all.
 */
#ifndef WINNOW_COVER_SWEEP_H
#define WINNOW_COVER_SWEEP_H
#include "cover/search.h"

/* The smallest cover of `in`, in taken[], which is a cover before and after; u: dual values over PACKING_SCALE, feasible.
 * For demands and weights that are all 1.  False if the front is too wide, or `work` numbers are not enough: then
 * nothing is known. */
bool sweep_cover(struct search *s, const struct instance *in, const weight *u, uint64_t work, uint8_t *taken);
#endif
