/* Any bytes as a rule, a selection and a preference: an error in words, or a
 * canonical form that reads back to itself, a plan, and evaluators that agree. */
#include <stdlib.h>

#include "rule/explain.h"

static void columns_for(struct columns *c, const struct rule *rule)
{
	columns_init(c, 3);
	for (unsigned i = 0; i < ATTR_LIMIT; i++) {
		struct column *col;

		if (!rule->needs[i])
			continue;
		col = columns_add(c, i, i < ATTR_USER ? attr_type(i) : rule->env.user[i - ATTR_USER].type);
		for (size_t d = 0; d < 2; d++) { /* the third stays missing */
			if (col->type == TYPE_TEXT)
				columns_text(c, col, d, d ? STR("example") : STR("News"));
			else
				columns_number(col, d, d ? 1262304000 : 200);
		}
	}
	columns_finish(c);
}

static void evaluate(struct arena *arena, const struct rule *rule)
{
	static const uint8_t hit[] = { 1, 0, 1 };
	struct text_hits *hits = ARENA_ARRAY(arena, struct text_hits, rule->n_queries + 1);
	struct overlap ov[TEXT_KINDS] = { { 3, 4, 5 }, { 0, 0, 0 } };
	struct columns c;
	struct bound *bound;
	struct plan *plan;
	struct err err = { 0 };

	for (size_t i = 0; i < rule->n_queries; i++)
		hits[i].hit = hit;
	columns_for(&c, rule);
	if (rule_bind(&bound, rule, &c, hits, &err) < 0)
		abort();
	for (uint32_t a = 0; a < 3 && rule->env.kind != RULE_NUMERIC; a++)
		for (uint32_t b = 0; b < 3; b++)
			if (rule->env.kind == RULE_PAIR || a == b)
				if (rule_holds(bound, a, b, ov) != rule_holds_plainly(rule, &c, hits, a, b, ov))
					abort();
	if (rule->env.kind == RULE_PAIR && plan_make(&plan, bound, &err) == WN_OK) {
		rule_explain(arena, rule, &c, plan, &err);
		plan_folds(plan, 0, 1, ov);
		plan_free(plan);
	}
	bound_free(bound);
	columns_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rule_attr user[] = { { { "topic", 5 }, TYPE_TEXT }, { { "spam", 4 }, TYPE_BOOL } };
	struct arena arena = { 0 };

	if (size > 4096)
		return 0;
	for (int kind = RULE_PAIR; kind <= RULE_NUMERIC; kind++) {
		struct rule_env env = { .kind = kind, .user = user, .n_user = COUNT(user) };
		struct rule *rule, *again;
		struct err err = { 0 };

		if (rule_parse(&arena, str_n((const char *)data, size), &env, &rule, &err) < 0) {
			if (!err.text[0])
				abort();
			continue;
		}
		if (rule_parse(&arena, rule->canonical, &env, &again, &err) < 0 ||
		    !str_eq(rule->canonical, again->canonical))
			abort();
		evaluate(&arena, rule);
	}
	arena_release(&arena);
	return 0;
}
