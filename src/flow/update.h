/* flow/update.h -- a stored cover, brought to the collection's present revision.
 *
 * Only documents that are new, changed, or lost what settled them are probed;
 * only components that one of those touches are joined and solved again.
 * docs/algorithm/update.md says why that gives the minimum.
 */
#ifndef WINNOW_FLOW_UPDATE_H
#define WINNOW_FLOW_UPDATE_H
#include "flow/covers.h"
#include "flow/reduce.h"

struct update_request {
	bool stable; /* among minimum covers, the one with most in common with the cover as it was */
	unsigned threads;
	uint64_t memory;
	const char *tmp;
	const struct covers_commit *commit; /* NULL: none */
};

/* The cover keeps its id and name.  out->update says what was done; when the
 * state of the run is missing, everything is solved again and out->update.whole
 * says why. */
int update_run(struct collection *coll, const struct cover_row *row, const struct update_request *q,
	       struct reduce_report *out, struct err *err);
#endif
