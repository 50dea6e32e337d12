/* join/lookup.h -- pairs of a few sets with all others by a kept index (inside near.c).
 *
 * Of a set that the index knows its classes are there.  The items of the others are looked up, which gives
 * classes as well; sets that the index does not know and that do not ask are taken along, but pairs of two of
 * them are not wanted.
 *	A set that probes shares one of any n - least + 1 of its items with its opposite: it walks its
 * shortest lists until the items left are fewer than `least`.  The opposite of a
 * set that is met without probing has it in one of the lists that it would walk itself: those rows are in front
 * of the list.  What two share is counted by the classes of whoever was met; no set is read that the index knows.
 * Cost: by what the sets that it does not know have, by the lists walked, and by the classes of the sets met.
 */
#ifndef WINNOW_JOIN_LOOKUP_H
#define WINNOW_JOIN_LOOKUP_H
#include "join/joiner.h"
#include "join/near.h"
#include "join/postings.h"

struct lookup_request {
	const struct join_query *q;
	const struct joiner *lead; /* joiner_aim */
	struct postings *kept;
	const uint8_t *few;	    /* [sets] as what they ask (coverage.h) */
	const uint8_t *live;	    /* [sets] others to look at */
	const uint8_t *a_ok, *b_ok; /* [sets] wanted as a, as b: COVERAGE_NOW, COVERAGE_LATER or both */
	const uint32_t
	    *least; /* [sets] of those that ask as a only: what a pair must share; NULL: nothing beyond the bounds */
	const uint8_t *docs; /* [documents] those meant by few and live */
	unsigned threads;
};

/* Documents by set (kept->docs), which stay with the index for the questions that follow. */
void lookup_documents(struct postings *kept, const struct join_query *q, int kind);
/* Appends every pair of different sets that can be wanted and satisfies the leading bounds one way or the other, each
 * once.  False: the index is damaged, or knows too little; the lists are then empty. */
bool lookup_pairs(const struct lookup_request *r, near_pairs *found);
/* The same of what lookup_pairs put off (kept->later): pairs that nobody wanted before. */
void lookup_later(const struct lookup_request *r, near_pairs *found);
#endif
