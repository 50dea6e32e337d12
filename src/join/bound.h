/* join/bound.h -- thresholds on overlaps, by integers.
 *
 * A and B are the sizes of the two sets, o what they share.  Sizes are below
 * 2^32 and fractions have at most 10^9 below the line, so every product fits
 * in 64 bits.  Two empty sets have ratio 1; one empty set has ratio 0.
 */
#ifndef WINNOW_JOIN_BOUND_H
#define WINNOW_JOIN_BOUND_H
#include "join/query.h"

/* Is the measure of (A, B, o) at or above the bound? */
bool bound_holds(const struct join_bound *b, uint64_t A, uint64_t B, uint64_t o);

/* The least o with which it can hold of sizes A and B > 0; may exceed both. */
uint64_t bound_need(const struct join_bound *b, uint64_t A, uint64_t B);

/* The least o with which it can hold of a first set of size A > 0, whatever B. */
uint64_t bound_least(const struct join_bound *b, uint64_t A);

/* The same bound with a and b exchanged. */
struct join_bound bound_flip(struct join_bound b);

/* True of (a, b) exactly when true of (b, a)? */
bool bound_symmetric(const struct join_bound *b);
#endif
