/* Bounds on overlaps against trying every overlap, and what plans look like. */
#include <stdlib.h>

#include "rule/explain.h"
#include "test.h"

TEST(plan, needs_are_the_least_overlaps)
{
	static const enum cmp_op ops[] = { CMP_GE, CMP_GT, CMP_EQ };
	unsigned tight = 0;

	for (unsigned trial = 0; trial < 20000; trial++) {
		struct content_term terms[2];
		struct disjunct d = { .content = terms, .n_content = 1 + test_below(t, 2) };
		uint64_t a = test_below(t, 14), b = test_below(t, 14), least = NEED_NEVER, need;

		for (size_t i = 0; i < d.n_content; i++) {
			uint64_t q = 1 + test_below(t, 12);

			terms[i] = (struct content_term){
				TEXT_BODY, test_below(t, 5), ops[test_below(t, 3)], 1 + test_below(t, q), q, true
			};
		}
		for (uint64_t o = 0; o <= a && o <= b && least == NEED_NEVER; o++) {
			bool all = true;

			for (size_t i = 0; i < d.n_content; i++)
				all =
				    all && measure_holds(terms[i].measure, terms[i].op == CMP_EQ ? CMP_GE : terms[i].op,
							 terms[i].p, terms[i].q, (struct overlap){ o, a, b });
			if (all)
				least = o;
		}
		need = content_need(&d, TEXT_BODY, a, b);
		CHECK_EQ(need, least, "a %" PRIu64 " b %" PRIu64 " %d %" PRIu64 "/%" PRIu64, a, b, terms[0].measure,
			 terms[0].p, terms[0].q);
		tight += least != NEED_NEVER && least > 0;
	}
	CHECK(tight > 1000);
}

static struct str explained(struct test *t, const char *text)
{
	struct rule_env env = { .kind = RULE_PAIR };
	struct rule *rule;
	struct err err = { 0 };

	if (!CHECK(rule_parse(t->arena, str(text), &env, &rule, &err) == WN_OK, "%s", err.text))
		return STR_NONE;
	return rule_explain(t->arena, rule, NULL, NULL, &err);
}

TEST(plan, is_explained_in_words)
{
	CHECK(str_find(explained(t, "a.words > 3 and b.words > 4"), STR("QUADRATIC")) > 0);
	CHECK(str_find(explained(t, presets[2].rule), STR("blocks     a.host = b.host")) > 0);
	CHECK(str_find(explained(t, presets[2].rule), STR("order      a.time <= b.time")) > 0);
	CHECK(str_find(explained(t, "not jaccard(a,b) >= 0.9 and a.host = b.host"),
		       STR("content    jaccard(a, b) < 0.9")) > 0);
	CHECK(str_find(explained(t, "jaccard(a,b) >= 0.9 or a.digest = b.digest"), STR("alternative 2 of 2")) > 0);
	CHECK(str_find(explained(t, "false"), STR("never true")) > 0);
}

TEST(plan, refuses_too_many_alternatives)
{
	struct buf_text {
		char p[4000];
		size_t n;
	} s = { .n = 0 };
	struct rule_env env = { .kind = RULE_PAIR };
	struct rule *rule;
	struct err err = { 0 };

	for (int i = 0; i < 7; i++)
		s.n += (size_t)snprintf(s.p + s.n, sizeof s.p - s.n, "%s(a.words = b.words or a.bytes < b.bytes)",
					i ? " and " : "");
	REQUIRE(rule_parse(t->arena, str_n(s.p, s.n), &env, &rule, &err) == WN_OK, "%s", err.text);
	CHECK(rule_explain(t->arena, rule, NULL, NULL, &err).p == NULL);
	CHECK(str_find(str(err.text), STR("more than 64")) > 0, "%s", err.text);
}

TEST(plan, counts_the_pairs_of_blocks)
{
	struct columns c;
	struct rule_env env = { .kind = RULE_PAIR };
	struct rule *rule;
	struct bound *bound;
	struct plan *plan;
	struct err err = { 0 };
	static const char *const hosts[] = { "x", "y", "x", "x", NULL, NULL };

	columns_init(&c, COUNT(hosts));
	struct column *host = columns_add(&c, ATTR_HOST, TYPE_TEXT);
	struct column *words = columns_add(&c, ATTR_WORDS, TYPE_NUMBER);

	for (size_t i = 0; i < COUNT(hosts); i++) {
		columns_text(&c, host, i, str(hosts[i]));
		columns_number(words, i, (double)i);
	}
	columns_finish(&c);
	CHECK_EQ(host->n_missing, 2);
	REQUIRE(rule_parse(t->arena, STR("a.host = b.host or a.words < 2"), &env, &rule, &err) == WN_OK);
	REQUIRE(rule_bind(&bound, rule, &c, NULL, &err) == WN_OK);
	REQUIRE(plan_make(&plan, bound, &err) == WN_OK);
	REQUIRE(plan->n == 2);
	CHECK_EQ(plan->d[0].n_blocks, 3, "missing is a key of its own");
	CHECK_EQ(disjunct_pairs(plan, &plan->d[0]), 3 * 2 + 2, "x: 6, y: 0, missing: 2");
	CHECK_EQ(disjunct_pairs(plan, &plan->d[1]), 2 * 6 - 2, "two documents may be dropped, with five others each");
	CHECK_EQ(plan_quadratic(plan), 10, "the second alternative has no key");
	plan_free(plan);
	bound_free(bound);
	columns_release(&c);
}

/*	doc  host  time        words  port
 *	0    x     2010-01-01  3      5
 *	1    x     2010-01-02  9      -
 *	2    x     2010-01-02  9      5
 *	3    y     2010-01-03  3      5     all of equal sets */
static const struct {
	const char *rule;
	uint32_t x, y;
	bool want;
	const char *because;
} folds[] = {
	{ "containment(a,b) >= 0.7 and a.time <= b.time and a.host = b.host", 0, 1, true,
	  "the later twin covers more and is covered by less" },
	{ "containment(a,b) >= 0.7 and a.time <= b.time and a.host = b.host", 1, 0, false, "not the earlier one" },
	{ "containment(a,b) >= 0.7 and a.time <= b.time and a.host = b.host", 1, 2, true, "equal times both ways" },
	{ "containment(a,b) >= 0.7 and a.time <= b.time and a.host = b.host", 2, 1, true, "equal times both ways" },
	{ "containment(a,b) >= 0.7 and a.time <= b.time and a.host = b.host", 0, 3, false, "another host" },
	{ "containment(a,b) >= 0.7 and a.time <= b.time", 0, 3, true, "where the host does not matter" },
	{ "containment(a,b) >= 0.7 and a.time < b.time", 1, 2, false, "strict: equal times do not cover each other" },
	{ "containment(a,b) >= 0.7 and a.time < b.time", 0, 1, true, "strict: the earlier one goes" },
	{ "containment(a,b) < 1", 0, 1, false, "twins do not cover each other" },
	{ "jaccard(a,b) >= 0.9", 0, 3, true, "content alone" },
	{ "jaccard(a,b) >= 0.9 and abs(a.time - b.time) <= 7d", 0, 1, false, "a window has no best time" },
	{ "jaccard(a,b) >= 0.9 and abs(a.time - b.time) <= 7d", 1, 2, true, "but equal times are alike" },
	{ "jaccard(a,b) >= 0.9 and a.time <= b.time and a.words >= b.words", 0, 1, false, "two orders at once" },
	{ "jaccard(a,b) >= 0.9 and a.time <= b.time and a.words <= b.words", 0, 1, true, "two orders that agree" },
	{ "jaccard(a,b) >= 0.9 and a.host != b.host", 0, 3, false, "each covers what the other does not" },
	{ "jaccard(a,b) >= 0.9 and b.words > 5", 0, 1, true, "a better coverer" },
	{ "jaccard(a,b) >= 0.9 and a.words > 5", 1, 2, true, "both may be dropped" },
	{ "jaccard(a,b) >= 0.9 and a.words < 5", 0, 1, true, "y cannot be dropped, x can" },
	{ "a.host = b.host or a.words <= b.port", 2, 1, false, "a missing bound covers nothing" },
	{ "a.host = b.host or a.words <= b.port", 1, 2, true, "x's missing bound obliges nothing" },
	{ "a.host = b.host or a.port <= b.words", 2, 1, true, "y's missing side has no coverer to hand on" },
	{ "a.host = b.host or a.port <= b.words", 1, 2, false, "x's missing side would lose y's coverers" },
	{ "a.host = b.host and a.time <= b.time", 0, 2, true, "no content: all of a block fold" },
};

TEST(plan, folds_exactly_the_dominated)
{
	static const double time[] = { 1262304000, 1262390400, 1262390400, 1262476800 }, words[] = { 3, 9, 9, 3 };
	struct overlap self[TEXT_KINDS] = { { 8, 8, 8 }, { 8, 8, 8 } };
	struct columns c;

	columns_init(&c, 4);
	columns_add(&c, ATTR_HOST, TYPE_TEXT);
	columns_add(&c, ATTR_TIME, TYPE_TIME);
	columns_add(&c, ATTR_WORDS, TYPE_NUMBER);
	columns_add(&c, ATTR_PORT, TYPE_NUMBER);
	for (size_t i = 0; i < 4; i++) {
		columns_text(&c, c.col[ATTR_HOST], i, i < 3 ? STR("x") : STR("y"));
		columns_number(c.col[ATTR_TIME], i, time[i]);
		columns_number(c.col[ATTR_WORDS], i, words[i]);
		if (i != 1)
			columns_number(c.col[ATTR_PORT], i, 5);
	}
	columns_finish(&c);
	for (size_t i = 0; i < COUNT(folds); i++) {
		struct rule_env env = { .kind = RULE_PAIR };
		struct rule *rule;
		struct bound *bound;
		struct plan *plan;
		struct err err = { 0 };

		REQUIRE(rule_parse(t->arena, str(folds[i].rule), &env, &rule, &err) == WN_OK, "%s", err.text);
		REQUIRE(rule_bind(&bound, rule, &c, NULL, &err) == WN_OK && plan_make(&plan, bound, &err) == WN_OK);
		CHECK_EQ(plan_folds(plan, folds[i].x, folds[i].y, self), folds[i].want, "%s: %s", folds[i].rule,
			 folds[i].because);
		plan_free(plan);
		bound_free(bound);
	}
	columns_release(&c);
}
