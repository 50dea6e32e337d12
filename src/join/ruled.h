/* join/ruled.h -- a rule's plan (rule/plan.h) as a query of the joiner.
 *
 *	ruled_open(&r, plan);
 *	r.query.sets[k] = ..., r.query.set_of[k] = ... for the texts of the rule
 *	coverage_build(&c, &r.query, &options, &stats, err);
 *	ruled_close(&r);
 *
 * Blocks become keys, ranges orders, lower content terms bounds; a disjunct
 * with anything else is tested by the rule's own evaluator, pair by pair.
 */
#ifndef WINNOW_JOIN_RULED_H
#define WINNOW_JOIN_RULED_H
#include "join/query.h"
#include "rule/plan.h"

struct ruled {
	struct join_query query;
	struct join_fold fold;
	struct join_disjunct *disjuncts;
	const struct plan *plan;
};

/* The plan is borrowed.  query.set_of is only to be set for kinds in
 * plan->rule->texts: folding goes by the sets that are there. */
void ruled_open(struct ruled *r, const struct plan *plan);
void ruled_close(struct ruled *r); /* zero is fine */
#endif
