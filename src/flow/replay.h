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
#endif
