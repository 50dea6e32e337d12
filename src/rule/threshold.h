/* rule/threshold.h -- the threshold a person turns: the first measure of a rule
 * that must be at least some constant.
 *
 * Found in the order of the rule's text, outside of `not`.  rule_with_threshold
 * writes the rule again with another constant in its place.
 */
#ifndef WINNOW_RULE_THRESHOLD_H
#define WINNOW_RULE_THRESHOLD_H
#include "rule/eval.h"

struct threshold {
	size_t at, end; /* where the constant stands in the rule's text */
	enum measure measure;
	enum text_kind kind;
	double value;
};

/* False: the rule has none. */
bool rule_threshold(const struct rule *rule, struct threshold *out);
/* The text that the rule was parsed from, with `value` (hundredths, 1 .. 100) as its threshold. */
struct str rule_with_threshold(struct arena *a, struct str text, const struct threshold *t, unsigned value);
#endif
