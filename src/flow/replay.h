/* flow/replay.h -- a capture's record, opened again from its archive file.
 *
 *	replay_open(&p, coll, &capture, true, err);  // a revisit: its original's record
 *	payload_begin(&p.payload, p.reader, &p.record, ...);
 *	replay_close(&p);
 */
#ifndef WINNOW_FLOW_REPLAY_H
#define WINNOW_FLOW_REPLAY_H
#include "archive/payload.h"
#include "flow/collection.h"

struct replay { /* zero-initialised is closed */
	struct reader *reader;
	struct record record;
	struct payload payload;
	struct arena arena;
	struct capture capture; /* whose record it is: of a revisit with `original`, the original */
};

/* Is this the record that was entered?  The file may have been replaced since. */
bool replay_is_same(const struct record *r, const struct capture *c);

int replay_open(struct replay *p, struct collection *coll, const struct capture *c, bool original, struct err *err);
void replay_close(struct replay *p);

/* Records of many captures in the order of their files: in a member with many records, a reader goes on behind the last
 * one rather than open the member anew for each. */
struct replay_run { /* zero-initialised is closed */
	struct reader *reader;
	uint64_t file;
	struct span span; /* of the record that was read last */
};

/* The record of c, which is not the first of its member; run->reader stands in it.  WN_END: it cannot be found so, and
 * replay_open tells why, or reads it. */
int replay_run_to(struct replay_run *run, struct collection *coll, const struct capture *c, struct record *rec,
		  struct err *err);
void replay_run_close(struct replay_run *run);
#endif
