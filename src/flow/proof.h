/* flow/proof.h -- checking a stored cover against the collection.
 *
 * By code that shares nothing with join and cover but the rule's evaluator:
 * every Cov is computed anew from the stored sets, by rule_holds_plainly.
 * The coverers of a document are looked for among all documents, or among
 * those that share a shingle or a key with it where every disjunct requires that.
 */
#ifndef WINNOW_FLOW_PROOF_H
#define WINNOW_FLOW_PROOF_H
#include "cover/check.h"
#include "flow/covers.h"

struct proof_report {
	struct cover_verdict verdict;
	uint64_t kept, dropped, bound, stated_bound, values; /* values: documents whose coverers were all looked for */
	uint64_t example[COVER_OFFENCES];		     /* the first capture of each offence; 0: none to name */
	bool stale;					     /* the collection has moved on since */
	double seconds;
};

int proof_check(struct collection *coll, const struct cover_row *row, unsigned threads, uint64_t memory,
		struct proof_report *out, struct err *err);
#endif
