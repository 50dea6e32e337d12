/* flow/pending.h -- the kernel of a run that is not finished.
 *
 * Joining is most of the work of a reduce.  Its answer is written to
 * runs/pending-KEY.kernel, whole or not at all; a reduce that is killed after
 * that begins there when it is asked for again.  KEY names the rule, the
 * selection, every option that changes the kernel, and the revision, so an
 * answer is never taken for another question's.  docs/format/run-state.md.
 */
#ifndef WINNOW_FLOW_PENDING_H
#define WINNOW_FLOW_PENDING_H
#include "flow/run.h"

/* SHA-256 of the question. */
void pending_key(const struct run *r, const struct run_request *q, unsigned char key[32]);
/* WN_NONE when there is no whole answer to this question. */
int pending_load(const struct run *r, const unsigned char key[32], struct kernel *k, struct coverage_stats *stats,
		 struct err *err);
int pending_store(const struct run *r, const unsigned char key[32], const struct kernel *k,
		  const struct coverage_stats *stats, struct err *err);
/* Removes the answer to this question, those of other revisions, and what killed runs left half written. */
int pending_clear(const char *dir, const unsigned char key[32], uint64_t revision, struct err *err);
#endif
