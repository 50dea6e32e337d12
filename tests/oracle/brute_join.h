/* oracle/brute_join.h -- who covers whom, straight from the definition.
 *
 * All pairs, all terms, sets compared item by item with counts.  Shares with
 * the joiner only the structs of join/query.h.
 */
#ifndef WINNOW_ORACLE_BRUTE_JOIN_H
#define WINNOW_ORACLE_BRUTE_JOIN_H
#include "join/query.h"

/* What the sets of a kind share, by looking up every item of one in the other. */
struct join_overlap brute_overlap(const struct join_query *q, int kind, uint32_t a, uint32_t b);
bool brute_bound(const struct join_bound *b, struct join_overlap o);
bool brute_covers(const struct join_query *q, uint32_t a, uint32_t b); /* a != b */
/* covers[a * n + b] for all pairs; 0 on the diagonal.  The caller's to free. */
uint8_t *brute_join(const struct join_query *q);
#endif
