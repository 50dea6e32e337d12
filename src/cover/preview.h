/* cover/preview.h -- how many documents a cover would keep, from a sample of whole blocks.
 *
 * A rule with an equality key never covers across blocks of that key, so a
 * cover is the sum of its blocks' covers, and a sample of whole blocks, each
 * solved exactly, estimates it without bias.  (Sampling documents would keep
 * only p * p of the pairs and understate redundancy.)
 *
 *	preview_draw	 which blocks to solve, within a budget of documents
 *	preview_estimate the total with an interval, from what they kept
 *
 * Blocks differ in size by orders of magnitude, so they are drawn by size
 * class (powers of two): classes that fit the budget's share are taken whole,
 * of the others a simple random sample.  Estimate: per class the ratio of
 * documents kept, times the class's documents.  The interval is the linearised
 * variance with the finite population factor, Student's t, and one imagined
 * block per class that was not seen and kept otherwise, so that a few equal
 * blocks do not pass for certainty; clipped to what is possible.
 */
#ifndef WINNOW_COVER_PREVIEW_H
#define WINNOW_COVER_PREVIEW_H
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define PREVIEW_CLASSES 33 /* a block of size s is of class floor(log2(s)) */

struct preview_sample {
	uint32_t *block; /* drawn blocks, ascending */
	uint32_t n;
	uint64_t documents;		  /* in them */
	uint32_t drawn[PREVIEW_CLASSES];  /* blocks drawn */
	uint32_t blocks[PREVIEW_CLASSES]; /* blocks there are */
	uint64_t sizes[PREVIEW_CLASSES];  /* their documents */
	bool whole;			  /* everything was drawn: the estimate is exact */
};

/* size[b] >= 1 of each block.  At least one block of every class is drawn (two
 * if there are two), whatever the budget.  Same seed, same sample. */
void preview_draw(struct arena *a, struct preview_sample *out, const uint32_t *size, uint32_t blocks, uint64_t budget,
		  uint64_t seed);

struct preview_interval {
	double estimate, low, high; /* documents kept of all */
	bool exact;
};

/* kept[i] of sample block i, in the order of sample->block. */
struct preview_interval preview_estimate(const struct preview_sample *s, const uint32_t *size, const uint32_t *kept);

/* The same for any amount: x[b] of every block is known (bytes, say), y[i] is
 * what sample block i keeps of it; 0 <= y <= x. */
struct preview_interval preview_ratio(const struct preview_sample *s, const uint32_t *size, uint32_t blocks,
				      const double *x, const double *y);
#endif
