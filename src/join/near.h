/* join/near.h -- which documents can pair with one of a few at all (inside changed.c; update uses it too).
 *
 * Without an equal key there is no pair.  A document of the few, c, that must share at least `need` of its n items with
 * whoever it pairs with, shares one of any n - need + 1 of them: those that are rarest,
 * by a sample, are looked for.  A document on the other side must find as much as
 * it needs itself among the items of all the few; reading it ends as soon as it
 * has missed too many.  Both are necessary conditions: no pair is lost.
 * Cost: about a nanosecond for each item of the first half of every other set.
 */
#ifndef WINNOW_JOIN_NEAR_H
#define WINNOW_JOIN_NEAR_H
#include "base/vec.h"
#include "join/coverage.h"

struct near_pair { /* sets of the leading kind, and what they share */
	uint32_t few, other, shared;
};
typedef VEC(struct near_pair) near_pairs;

/* The few are those that ask; kind: of ask->least.  live: [q->n] documents to look at; cleared where no pair of
 * disjunct i with one of the few can be; the few stay as they are, unless only pairs that were put off are wanted.  found: [threads] lists: true
 * when they then hold every pair of different sets that can be wanted and satisfies
 * the leading bounds one way or the other, each once. */
bool coverage_near(const struct join_query *q, unsigned i, const struct join_options *o,
		   const struct coverage_asking *ask, int kind, uint8_t *live, near_pairs *found);
#endif
