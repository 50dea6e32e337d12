/* cover/pieces.h -- cuts of small pieces of a block, as deep as a piece can give.
 *
 * A piece is a handful of rows S that share columns.  Columns that hold the same rows of S are one (a trace).  Numbers w
 * on the traces give the row "sum of w(trace of c) x(c) is at least the cheapest cover of S under w", which every cover
 * of the block satisfies.  The w that the fractional cover x breaks most is found by a linear problem over the covers
 * of S, which are made one by one: the least sum of w(c) x(c) with w(K) >= 1 for each cover K known; the cheapest cover
 * under that w is the next K, until none is cheaper than 1.  If the least sum is 1, x is no worse than a mixture of
 * covers of S, and nothing that holds for S alone cuts it off (Boyd's Fenchel cuts; local cuts of Applegate and others).
 *
 * Floating point finds w; it is put on whole numbers, and the cheapest cover under those is found by exact search.
 */
#ifndef WINNOW_COVER_PIECES_H
#define WINNOW_COVER_PIECES_H
#include "cover/search.h"

#define PIECES_ROWS 64 /* that a piece has at most: its traces are bits */

/* Adds to what is known of `in`, whose demands and weights are all 1, and to its relaxation p, to which no other cuts
 * were added, until p's bound is `target`, little is gained, or about `work` numbers were touched. */
void pieces_learn(struct arena *a, struct search *s, struct instance *in, weight target, uint64_t work,
		  struct packing *p);

/* Of what is known of `in` from number `first` on, what the fractional cover x does not meet with room to spare. */
void pieces_prune(struct instance *in, uint32_t first, const double *x);
#endif
