/* The studio's fields and the rule's text say the same. */
#include "serve/builder.h"

#include "rule/rule.h"
#include "test.h"

static struct str canonical(struct test *t, struct str text)
{
	struct err err = { 0 };
	struct rule *rule = NULL;

	CHECK_EQ(rule_parse(t->arena, text, &(struct rule_env){ .kind = RULE_PAIR }, &rule, &err), WN_OK, "%.*s: %s",
		 STR_FMT(text), err.text);
	return rule ? rule->canonical : STR_NONE;
}

static struct str written(struct test *t, const struct built *b)
{
	struct buf out = BUF(4096);
	struct str s;

	built_write(b, &out);
	s = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	return s;
}

TEST(builder, fields_written_and_read_again_are_the_same)
{
	for (unsigned m = 0; built_measures[m].value; m++)
		for (unsigned p = 0; built_places[p].value; p++)
			for (unsigned bits = 0; bits < 16; bits++) {
				struct built in = { .measure = m,
						    .place = p,
						    .percent =
							m < 3 ? (bits & 8 ? 10000 : 101 * (p + 1) + bits * 10) : 7000,
						    .main_text = m < 3 && bits & 1,
						    .not_older = bits & 2,
						    .same_lang = bits & 4,
						    .more = bits & 8 ? STR("a.title = b.title") : STR_NONE },
					     out;
				struct str text = written(t, &in);

				if (!text.n) /* nothing was asked for: no rule */
					continue;
				CHECK(built_read(t->arena, canonical(t, text), &out), "%.*s", STR_FMT(text));
				CHECK_EQ(out.measure, in.measure, "%.*s", STR_FMT(text));
				CHECK_EQ(out.place, in.place, "%.*s", STR_FMT(text));
				CHECK_EQ(out.percent, in.percent, "%.*s", STR_FMT(text));
				CHECK_EQ(out.main_text, in.main_text, "%.*s", STR_FMT(text));
				CHECK_EQ(out.not_older, in.not_older, "%.*s", STR_FMT(text));
				CHECK_EQ(out.same_lang, in.same_lang, "%.*s", STR_FMT(text));
				CHECK_STR(out.more, in.more);
			}
}

TEST(builder, every_preset_goes_through_the_fields_unchanged)
{
	for (const struct preset *p = presets; p->name; p++) {
		struct str text = canonical(t, str(p->rule));
		struct built b, again;

		CHECK(built_read(t->arena, text, &b), "%s", p->name);
		CHECK_EQ(b.more.n, 0, "%s", p->name);
		CHECK_EQ(written(t, &b).n, text.n, "the same clauses, in the fields' order: %s", p->name);
		CHECK(built_read(t->arena, canonical(t, written(t, &b)), &again) &&
			  memcmp(&b, &again, offsetof(struct built, more)) == 0,
		      "%s", p->name);
	}
}

TEST(builder, what_the_fields_cannot_show_is_kept_or_refused)
{
	static const struct {
		const char *rule;
		bool shown;
		const char *more;
	} rules[] = {
		{ "jaccard(a, b) >= 0.9 and (a.host = b.host or a.lang = b.lang)", true,
		  "(a.host = b.host or a.lang = b.lang)" },
		{ "a.title = \"x and y or z\" and b.status = 200", true,
		  "a.title = \"x and y or z\" and b.status = 200" },
		{ "containment(a, b) >= 0.71234", true, "containment(a, b) >= 0.71234" },
		{ "containment(a, b) > 0.7", true, "containment(a, b) > 0.7" },
		{ "dice(a, b) >= 0.5 and jaccard(a, b) >= 0.25", true, "jaccard(a, b) >= 0.25" },
		{ "a.host = b.host or jaccard(a, b) >= 0.9", false, "" },
	};

	for (size_t i = 0; i < COUNT(rules); i++) {
		struct str text = canonical(t, str(rules[i].rule));
		struct built b;

		CHECK_EQ(built_read(t->arena, text, &b), rules[i].shown, "%s", rules[i].rule);
		CHECK_STR(b.more, str(rules[i].more));
	}
}

TEST(builder, reads_percentages)
{
	static const struct {
		const char *text;
		bool good;
		unsigned want;
	} texts[] = { { "70", true, 7000 },   { "70.5", true, 7050 }, { "0.01", true, 1 },
		      { "100", true, 10000 }, { "0", false, 0 },      { "101", false, 0 },
		      { "x", false, 0 },      { "1.234", false, 0 },  { "", false, 0 } };

	for (size_t i = 0; i < COUNT(texts); i++) {
		unsigned got = 0;

		CHECK_EQ(built_percent(str(texts[i].text), &got), texts[i].good, "%s", texts[i].text);
		if (texts[i].good)
			CHECK_EQ(got, texts[i].want, "%s", texts[i].text);
	}
}
