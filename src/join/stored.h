/* join/stored.h -- sets as they are stored (sketch/segment.h), for a query.
 *
 *	stored_open(&s, segments, content, n, kinds, threads, err)
 *	q.sets[k] = s.sets[k]; q.set_of[k] = s.set_of;
 *
 * Sets are numbered by content; documents of one content share a set.  Every
 * set in use is tested against its checksum once, here; later reads decode from
 * the mapped file, in parts, on any thread.  With `known` sizes nothing is read
 * here, and a set is tested when it is first used: one that is damaged, or not of
 * its size, is then empty, and stored_state tells so afterwards.
 */
#ifndef WINNOW_JOIN_STORED_H
#define WINNOW_JOIN_STORED_H
#include "join/query.h"
#include "sketch/segment.h"

struct stored {
	struct join_sets sets[JOIN_KINDS];
	uint32_t *set_of; /* [n] */
	uint32_t *size[JOIN_KINDS];
	uint32_t *full[JOIN_KINDS]; /* after stored_narrow the sizes as they are stored, else NULL */
	uint64_t *start[JOIN_KINDS];
	uint32_t n, *content; /* [n] of each set */
	const struct segments *segments;
	struct stored_text {
		struct stored *of;
		int kind;
	} text[JOIN_KINDS];
	int failed; /* first failure of a set used late */
	struct err err;
};

#define STORED_NO_CONTENT UINT64_MAX /* of a document without text: its sets are empty */

/* content[d] of each document, below 2^32; kinds: bit k = sets of kind k are wanted.  known[k][d], NULL: sizes are
 * read.  s stays where it is until stored_close. */
int stored_open(struct stored *s, const struct segments *segments, const uint64_t *content, uint32_t n, unsigned kinds,
		unsigned threads, uint32_t *const known[JOIN_KINDS], struct err *err);
/* From now on a set is its items below `below`: of hashes the same random share of every set, so measures of narrowed sets
 * estimate those of whole ones.  Cost: reading what remains.  Only after sizes were read (known NULL). */
void stored_narrow(struct stored *s, uint64_t below, unsigned threads);
int stored_state(const struct stored *s, struct err *err);
void stored_close(struct stored *s); /* zero is fine */
#endif
