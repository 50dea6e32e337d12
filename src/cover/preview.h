/* cover/preview.h -- how many documents a cover would keep, from a sample of whole blocks.
 *
 * A rule with an equality key never covers across blocks of that key, so a
 * cover is the sum of its blocks' covers, and a sample of whole blocks, each
 * solved exactly, estimates it without bias.  (Sampling documents would keep
 * only p * p of the pairs and understate redundancy.)
 *
 *	preview_draw	 which blocks to solve, within a budget of documents
 *	preview_total	 all that is kept, with an interval, from what they kept
 *
 * Blocks differ in size by orders of magnitude, so they are drawn by size
 * class (powers of two): classes that fit the budget's share are taken whole,
 * of the others a simple random sample.  Estimate: per class the ratio of what
 * is kept to an amount known of every block, times the class's amount.  The
 * interval is the linearised variance with the finite population factor and
 * Student's t; a class of few drawn blocks borrows the variance of all classes,
 * and each has one imagined block that was not seen and kept half of what it
 * has otherwise, so that a few equal blocks do not pass for certainty; clipped
 * to what is possible.
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
	double estimate, low, high; /* of all documents */
	bool exact;
};

/* An amount of which every block has some: documents kept, bytes kept. */
struct preview_amounts {
	const double *x;    /* [blocks] known of every block and about proportional to the amount: documents, bytes */
	const double *most; /* [blocks] that a block can have */
	double least;	    /* that every block has */
	const double *y;    /* what drawn block i has, in the order of sample->block */
};

struct preview_interval preview_total(const struct preview_sample *s, const uint32_t *size, uint32_t blocks,
				      const struct preview_amounts *v);
#endif
