/* cover/round.h -- a good cover, quickly: greedy, and what a fractional cover suggests.
 *
 * Cost: a sort of the columns and a few passes over the entries.
 */
#ifndef WINNOW_COVER_ROUND_H
#define WINNOW_COVER_ROUND_H
#include "cover/instance.h"

/* The better of greedy and of rounding x (may be NULL), less what is redundant. */
void round_cover(const struct instance *in, const double *x, uint8_t *taken);
/* `taken` made a cover greedily, less what is redundant. */
void round_complete(const struct instance *in, uint8_t *taken);
#endif
