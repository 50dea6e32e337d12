/* flow/coverers.h -- all coverers of some documents, found anew for the checker.
 *
 * Shares nothing with join but the rule's plan, which says where a disjunct cannot hold without a shared shingle
 * (or two empty texts) or an equal key; there it is looked for among such documents, elsewhere among all.  Every
 * pair is put to the rule, evaluated plainly.
 */
#ifndef WINNOW_FLOW_COVERERS_H
#define WINNOW_FLOW_COVERERS_H
#include "flow/run.h"

struct coverer { /* Cov(a, b), a != b */
	uint32_t a, b;
};

struct coverers {
	struct coverer *pairs; /* by a, then b */
	size_t n;
};

/* Coverers of the documents with wanted[d]. */
int coverers_find(struct coverers *out, struct run *run, const uint8_t *wanted, unsigned threads, uint64_t memory,
		  struct err *err);
void coverers_release(struct coverers *c);
#endif
