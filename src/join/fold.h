/* join/fold.h -- twins folded into those that dominate them (for kernel.c; update asks of single pairs). */
#ifndef WINNOW_JOIN_FOLD_H
#define WINNOW_JOIN_FOLD_H
#include "join/query.h"

/* fold[x] = the document x is folded into, or x; returns how many are folded.
 * Cost: a sort, and for each document at most FOLD_TRIES comparisons. */
uint32_t fold_twins(uint32_t *fold, const struct join_query *q);
/* Does x fold into y? */
bool fold_pair(const struct join_query *q, uint32_t x, uint32_t y);
#endif
