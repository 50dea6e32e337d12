/* sketch/minhash.h -- 128 bytes and 64 bits that estimate how alike two sets are.
 *
 * MinHash by one permutation: the values of a set are uniform already, so the
 * smallest in each of 128 equal ranges (the top 7 bits) is a sample; an empty
 * range takes that of another, drawn by a fixed random walk (optimal
 * densification, Shrivastava 2017).  Of each sample 8 bits are kept, so equal
 * bytes happen by chance once in 256, which the estimate corrects.
 *
 * SimHash: bit b is set when more than half of the values have bit b set.
 *
 * Cost: minhash 128 binary searches; simhash about three operations a value
 * (bit-sliced counters).
 */
#ifndef WINNOW_SKETCH_MINHASH_H
#define WINNOW_SKETCH_MINHASH_H
#include "sketch/shingle.h"

#define MINHASH_N 128

struct minhash {
	uint8_t v[MINHASH_N];
};

void minhash_make(struct minhash *m, struct set s);			  /* all zero for the empty set */
double minhash_jaccard(const struct minhash *a, const struct minhash *b); /* estimate in [0, 1] */

uint64_t simhash_make(struct set s);	    /* 0 for the empty set */
uint64_t simhash_make_narrow(struct set s); /* the same by what every processor has: the twin */
static inline unsigned simhash_distance(uint64_t a, uint64_t b) { return (unsigned)__builtin_popcountll(a ^ b); }
#endif
