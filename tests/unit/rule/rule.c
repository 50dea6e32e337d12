/* What rules mean, on a handful of documents written out by hand. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "rule/eval.h"
#include "rule/plan.h"
#include "test.h"

/*	doc   host  title   time        words  lang
 *	0     x     News    2010-01-01  10     en
 *	1     x     news    2010-01-01  20     -
 *	2     y     -       2010-01-08  0      -
 *	3     -     -       2011-03-05  30     de       */
static void small(struct columns *c)
{
	static const char *const host[] = { "x", "x", "y", NULL }, *const title[] = { "News", "news", NULL, NULL },
				 *const lang[] = { "en", NULL, NULL, "de" };
	static const double time[] = { 1262304000, 1262304000, 1262908800, 1299283200 }, words[] = { 10, 20, 0, 30 };

	columns_init(c, 4);
	columns_add(c, ATTR_HOST, TYPE_TEXT);
	columns_add(c, ATTR_TITLE, TYPE_TEXT);
	columns_add(c, ATTR_LANG, TYPE_TEXT);
	columns_add(c, ATTR_TIME, TYPE_TIME);
	columns_add(c, ATTR_WORDS, TYPE_NUMBER);
	for (size_t i = 0; i < 4; i++) {
		columns_text(c, c->col[ATTR_HOST], i, str(host[i]));
		columns_text(c, c->col[ATTR_TITLE], i, str(title[i]));
		columns_text(c, c->col[ATTR_LANG], i, str(lang[i]));
		columns_number(c->col[ATTR_TIME], i, (double)(int64_t)time[i]);
		columns_number(c->col[ATTR_WORDS], i, words[i]);
	}
	columns_finish(c);
}

static const struct {
	const char *rule;
	uint32_t a, b;
	bool want;
	const char *because;
} pairs[] = {
	{ "a.host = b.host", 0, 1, true, "equal" },
	{ "a.host = b.host", 3, 3, true, "missing equals missing" },
	{ "a.host = b.host", 2, 3, false, "missing differs from all others" },
	{ "a.host != b.host", 2, 3, true, "= and != are complements" },
	{ "a.title = b.title", 2, 3, true, "missing titles are equal" },
	{ "a.title = b.title and has(a.title)", 2, 3, false, "has asks" },
	{ "a.title = b.title", 0, 1, false, "case-sensitive" },
	{ "lower(a.title) = lower(b.title)", 0, 1, true, "lower" },
	{ "a.title < b.title", 0, 1, true, "by bytes" },
	{ "a.title <= b.title", 2, 3, false, "no order with missing" },
	{ "not a.title <= b.title", 2, 3, true, "a negated order is true where a side is missing" },
	{ "a.title ~ \"NEWS\"", 0, 1, true, "~ ignores case" },
	{ "a.title ~ \"NEWS\"", 2, 1, false, "~ of missing is false" },
	{ "a.title !~ \"NEWS\"", 2, 1, true, "!~ is its complement" },
	{ "a.title ~ \"\"", 2, 1, false, "not even the empty expression is found in missing" },
	{ "b.time - 0.5s <= a.time", 0, 1, true, "parts of seconds" },
	{ "a.time <= b.time", 0, 1, true, "equal times both ways" },
	{ "a.time <= b.time", 1, 0, true, "equal times both ways" },
	{ "a.time < b.time", 1, 0, false, "strict" },
	{ "abs(a.time - b.time) <= 7d", 0, 2, true, "a week" },
	{ "abs(a.time - b.time) < 7d", 0, 2, false, "not within" },
	{ "b.time - a.time = 1w", 0, 2, true, "durations compare" },
	{ "(b.time - a.time) / 1d = 7", 0, 2, true, "duration / duration is a number" },
	{ "a.time + 7d = b.time", 0, 2, true, "time + duration" },
	{ "a.words / b.words > 0", 0, 2, false, "division by zero is missing" },
	{ "a.words / b.words = b.words / a.words", 2, 2, true, "and missing equals missing" },
	{ "year(a.time) = 2010 and a.year = 2010 and month(a.time) = 1 and day(a.time) = 1", 0, 1, true,
	  "parts of a time" },
	{ "a.time >= 2011 and a.time < 2012", 3, 0, true, "four digits beside a time name a year" },
	{ "a.time > 2011-03 and a.time < 2011-03-06 and a.time = 2011-03-05T00:00:00Z", 3, 0, true,
	  "dates are first instants" },
	{ "len(a.title) = 4 and startswith(a.title, \"Ne\") and endswith(a.title, \"ws\") and contains(a.title, "
	  "\"ew\")",
	  0, 1, true, "texts" },
	{ "contains(a.title, \"\")", 2, 1, false, "missing contains nothing" },
	{ "max(a.words, b.words) = 20 and min(a.words, b.words) = 10 and round(a.words / 4) = 3", 0, 1, true,
	  "numbers" },
	{ "a.lang in (\"en\", \"de\")", 0, 1, true, "in" },
	{ "a.lang in (\"en\", \"de\")", 1, 0, false, "missing is in no list" },
	{ "not a.lang in (\"en\", \"de\")", 1, 0, true, "so not in" },
	{ "1 + 2 * 3 = 7 and -2 < -1 and 7 - 2 - 1 = 4 and 8 / 2 / 2 = 2", 0, 0, true, "precedence, left to right" },
	{ "true or false and false", 0, 0, true, "and before or" },
};

TEST(rule, means_what_it_says)
{
	struct columns c;

	small(&c);
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct rule_env env = { .kind = RULE_PAIR };
		struct rule *rule;
		struct bound *bound;
		struct err err = { 0 };

		if (!CHECK(rule_parse(t->arena, str(pairs[i].rule), &env, &rule, &err) == WN_OK, "%s\n%s",
			   pairs[i].rule, err.text))
			continue;
		CHECK_EQ(rule_holds_plainly(rule, &c, NULL, pairs[i].a, pairs[i].b, NULL), pairs[i].want, "%s: %s",
			 pairs[i].rule, pairs[i].because);
		REQUIRE(rule_bind(&bound, rule, &c, NULL, &err) == WN_OK, "%s", err.text);
		CHECK_EQ(rule_holds(bound, pairs[i].a, pairs[i].b, NULL), pairs[i].want, "compiled %s: %s",
			 pairs[i].rule, pairs[i].because);
		bound_free(bound);
	}
	columns_release(&c);
}

static const struct {
	enum measure m;
	enum cmp_op op;
	uint64_t p, q;
	struct overlap ov;
	bool want;
	const char *because;
} measures[] = {
	{ MEASURE_CONTAINMENT_AB, CMP_GE, 7, 10, { 7, 10, 100 }, true, "7 of 10 is 0.7" },
	{ MEASURE_CONTAINMENT_AB, CMP_GT, 7, 10, { 7, 10, 100 }, false, "> differs from >=" },
	{ MEASURE_CONTAINMENT_AB, CMP_GE, 7, 10, { 6, 10, 100 }, false, "6 of 10" },
	{ MEASURE_CONTAINMENT_BA, CMP_GE, 7, 10, { 7, 10, 100 }, false, "7 of 100" },
	{ MEASURE_JACCARD, CMP_EQ, 1, 3, { 1, 2, 2 }, true, "1 / 3" },
	{ MEASURE_DICE, CMP_EQ, 1, 2, { 1, 2, 2 }, true, "2 / 4" },
	{ MEASURE_SHARED, CMP_LT, 5, 2, { 2, 9, 9 }, true, "2 < 2.5" },
	{ MEASURE_JACCARD, CMP_EQ, 1, 1, { 0, 0, 0 }, true, "both empty: 1" },
	{ MEASURE_CONTAINMENT_AB, CMP_GE, 1, 10, { 0, 0, 5 }, false, "one empty: 0" },
	{ MEASURE_CONTAINMENT_BA, CMP_GE, 1, 10, { 0, 5, 0 }, false, "one empty: 0" },
	{ MEASURE_JACCARD,
	  CMP_GE,
	  999999999,
	  1000000000,
	  { 999999998, 1000000000, 999999998 },
	  false,
	  "nine decimals, exactly" },
	{ MEASURE_CONTAINMENT_AB,
	  CMP_GE,
	  999999999,
	  1000000000,
	  { 999999999, 1000000000, 1000000000 },
	  true,
	  "nine decimals, exactly" },
	{ MEASURE_DICE,
	  CMP_EQ,
	  1000000000,
	  1000000000,
	  { UINT64_C(1) << 50, UINT64_C(1) << 50, UINT64_C(1) << 50 },
	  true,
	  "beyond 64 bits" },
	{ MEASURE_JACCARD,
	  CMP_GE,
	  999999999,
	  1000000000,
	  { (UINT64_C(1) << 50) - 1, UINT64_C(1) << 50, UINT64_C(1) << 50 },
	  true,
	  "beyond 64 bits" },
	{ MEASURE_JACCARD,
	  CMP_LT,
	  1,
	  1,
	  { (UINT64_C(1) << 50) - 1, UINT64_C(1) << 50, UINT64_C(1) << 50 },
	  true,
	  "beyond 64 bits" },
};

TEST(rule, measures_are_exact)
{
	for (size_t i = 0; i < COUNT(measures); i++)
		CHECK_EQ(measure_holds(measures[i].m, measures[i].op, measures[i].p, measures[i].q, measures[i].ov),
			 measures[i].want, "%s", measures[i].because);
}

TEST(rule, presets_are_rules)
{
	const struct preset *found;
	struct buf names = BUF(1024);
	struct err err = { 0 };

	for (const struct preset *p = presets; p->name; p++) {
		struct rule_env env = { .kind = RULE_PAIR };
		struct rule *rule;

		buf_printf(&names, "%s%s", p == presets ? "" : ", ", p->name);

		CHECK(rule_parse(t->arena, str(p->rule), &env, &rule, &err) == WN_OK, "%s: %s", p->name, err.text);
		CHECK(preset_find(str(p->name), &found, &err) == WN_OK && found == p);
	}
	CHECK(preset_find(STR("journalst"), &found, &err) == WN_USAGE);
	CHECK_STR(str(err.text), STR("unknown preset \"journalst\"; did you mean \"journalist\"?"));
	CHECK(preset_find(STR("zzz"), &found, &err) == WN_USAGE);
	CHECK_STR(STR(PRESET_NAMES), buf_view(&names));
	buf_release(&names);
}

TEST(rule, selections_pick_documents_and_list_their_queries)
{
	struct columns c;
	struct rule_env env = { .kind = RULE_SELECTION };
	struct rule *rule;
	struct bound *bound;
	struct err err = { 0 };
	static const uint8_t expense[] = { 1, 0, 1, 0 }, minister[] = { 0, 0, 0, 1 };
	struct text_hits hits[] = { { expense }, { minister } };
	uint8_t out[4];

	small(&c);
	REQUIRE(rule_parse(t->arena, STR("text ~ \"expense\" and time < 2011 and not text ~ \"prime minister\""), &env,
			   &rule, &err) == WN_OK,
		"%s", err.text);
	REQUIRE(rule->n_queries == 2);
	CHECK_STR(rule->queries[1], STR("prime minister"));
	CHECK(!rule->needs[ATTR_TEXT] && rule->needs[ATTR_TIME]);
	REQUIRE(rule_bind(&bound, rule, &c, hits, &err) == WN_OK);
	selection_run(bound, out);
	CHECK(out[0] && !out[1] && out[2] && !out[3]);
	CHECK(selection_holds(bound, 2));
	bound_free(bound);
	columns_release(&c);
}

TEST(rule, preferences_are_thousandths)
{
	static const struct {
		const char *text;
		int64_t want[4];
	} prefer[] = {
		{ "newest", { 1262304000000, 1262304000000, 1262908800000, 1299283200000 } },
		{ "oldest", { -1262304000000, -1262304000000, -1262908800000, -1299283200000 } },
		{ "longest", { 10000, 20000, 0, 30000 } },
		{ "words", { 10000, 20000, 0, 30000 } },
		{ "1 / words", { 100, 50, 0, 33 } },
		{ "len(title) * 2", { 8000, 8000, 0, 0 } },
	};
	struct columns c;

	small(&c);
	for (size_t i = 0; i < COUNT(prefer); i++) {
		struct rule_env env = { 0 };
		struct rule *rule;
		struct bound *bound;
		struct err err = { 0 };
		int64_t out[4];

		REQUIRE(prefer_parse(t->arena, str(prefer[i].text), &env, &rule, &err) == WN_OK, "%s", err.text);
		REQUIRE(rule_bind(&bound, rule, &c, NULL, &err) == WN_OK);
		prefer_values(bound, out);
		for (size_t k = 0; k < 4; k++)
			CHECK_EQ(out[k], prefer[i].want[k], "%s of %zu", prefer[i].text, k);
		bound_free(bound);
	}
	columns_release(&c);
}

TEST(rule, attribute_lists)
{
	struct rule_env env = { 0 };
	unsigned attrs[4];
	size_t n;
	struct err err = { 0 };

	REQUIRE(attrs_parse(STR("hostname, lang,year"), &env, attrs, 4, &n, &err) == WN_OK, "%s", err.text);
	CHECK(n == 3 && attrs[0] == ATTR_HOST && attrs[1] == ATTR_LANG && attrs[2] == ATTR_YEAR);
	CHECK(attrs_parse(STR("host,lnag"), &env, attrs, 4, &n, &err) == WN_USAGE);
	CHECK_STR(str(err.text), STR("unknown attribute \"lnag\"; did you mean \"lang\"?"));
	CHECK(attrs_parse(STR(""), &env, attrs, 4, &n, &err) == WN_USAGE);
}

static int parse_repeated(struct test *t, const char *head, const char *unit, size_t n, const char *tail,
			  struct err *err)
{
	size_t len = strlen(unit), at = strlen(head);
	char *p = malloc(at + n * len + strlen(tail) + 1);
	struct rule_env env = { .kind = RULE_PAIR };
	struct rule *rule;
	int rc;

	memcpy(p, head, at);
	for (size_t i = 0; i < n; i++, at += len)
		memcpy(p + at, unit, len);
	memcpy(p + at, tail, strlen(tail) + 1);
	rc = rule_parse(t->arena, str(p), &env, &rule, err);
	free(p);
	return rc;
}

TEST(rule, bad_input_is_refused_in_words)
{
	struct err err = { 0 };

	CHECK(parse_repeated(t, "", "(", 10000, "true", &err) == WN_USAGE);
	CHECK(str_find(str(err.text), STR("nested deeper than 200")) >= 0, "%s", err.text);
	CHECK(parse_repeated(t, "", "not ", 10000, "true", &err) == WN_USAGE);
	CHECK(parse_repeated(t, "1 = ", "-", 10000, "1", &err) == WN_USAGE);
	CHECK(parse_repeated(t, "1 = 1", "+1", 10000, "", &err) == WN_USAGE, "deep without brackets");
	CHECK(parse_repeated(t, "true", " and true", 5 * 1024, "", &err) == WN_OK, "wide is not deep: %s", err.text);
	CHECK(parse_repeated(t, "", " ", 10 << 20, "true", &err) == WN_USAGE);
	CHECK(str_find(str(err.text), STR("at most 65536")) >= 0, "%s", err.text);
	CHECK(parse_repeated(t, "a.title = \"", "x", 60000, "\"", &err) == WN_OK, "%s", err.text);
	CHECK(parse_repeated(t, "", "(", 199, "true", &err) == WN_USAGE);
	CHECK(str_find(str(err.text), STR("never closed")) >= 0, "%s", err.text);
}

TEST(rule, clauses_show_their_numbers)
{
	struct columns c;
	struct rule_env env = { .kind = RULE_PAIR };
	struct rule *rule;
	struct err err = { 0 };
	struct overlap ov[TEXT_KINDS] = { { 7, 10, 100 }, { 0, 0, 0 } };
	struct clause *clause;
	size_t n;

	small(&c);
	REQUIRE(rule_parse(t->arena, STR("C(a,b) >= 0.7 and a.time <= b.time and a.title = b.title"), &env, &rule,
			   &err) == WN_OK);
	clause = rule_clauses(t->arena, rule, &c, 2, 3, ov, &n);
	REQUIRE(n == 3);
	CHECK(clause[0].holds && clause[1].holds && clause[2].holds && clause[2].by_missing && !clause[1].by_missing);
	CHECK_STR(clause[0].numbers, STR("containment(a, b) = 7/10 = 0.7000"));
	CHECK_STR(clause[1].numbers, STR("a.time = 2010-01-08T00:00:00Z, b.time = 2011-03-05T00:00:00Z"));
	CHECK_STR(clause[2].numbers, STR("a.title is missing, b.title is missing"));
	columns_release(&c);
}
