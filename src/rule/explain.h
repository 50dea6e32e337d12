/* rule/explain.h -- the plan in words. */
#ifndef WINNOW_RULE_EXPLAIN_H
#define WINNOW_RULE_EXPLAIN_H
#include "rule/plan.h"

/* Text of several lines: canonical form and name, each disjunct's keys,
 * orders, one-sided terms, content and rest, then warnings.  plan may be NULL
 * (no collection): then without numbers of work and missing values. */
struct str rule_explain(struct arena *arena, const struct rule *rule, const struct columns *c, const struct plan *plan,
			struct err *err);
#endif
