/* flow/solving.h -- from a kernel to its minimum cover, in turns where it has open documents. */
#ifndef WINNOW_FLOW_SOLVING_H
#define WINNOW_FLOW_SOLVING_H
#include "cover/cover.h"
#include "join/coverage.h"

/* p: what beside the kernel is asked for; its graph is filled in here.  q, o: those that the kernel was made with.  The
 * kernel may have grown after it.  WN_LIMIT when the rows that are needed do not fit into o->memory. */
int solving_run(struct cover_problem *p, struct kernel *k, const struct join_query *q, const struct join_options *o,
		struct cover_result *out, struct err *err);
#endif
