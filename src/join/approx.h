/* join/approx.h -- candidates by MinHash bands, each verified exactly (inside
 * joiner.c, when join_options.bands is set).
 *
 * A row's set is sampled once per (band, place): the least item of each of
 * bands x rows equal ranges of values, empty ranges filled from others.  Rows
 * that agree on all places of some band are candidates; their sets are then
 * intersected, so no wrong pair is given.  A pair of Jaccard similarity s is
 * found with probability p(s) = 1 - (1 - s^rows)^bands; with n pairs found, the
 * recall is estimated as n / sum of 1 / p(s) over them.
 */
#ifndef WINNOW_JOIN_APPROX_H
#define WINNOW_JOIN_APPROX_H
#include "join/joiner.h"

#define APPROX_PLACES 1024u /* bands x rows at most */

int approx_run(struct joiner *j, const uint8_t *of_a, const uint8_t *of_b, joiner_pair *pair, void *context,
	       struct err *err);
#endif
