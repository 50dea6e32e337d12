/* Readable cases: the .t files of tests/data/rule
 *
 *	@ pair | selection | prefer     what the following texts are
 *	> text of a rule (\n for a line break)
 *	= its canonical form
 *	! a line of the error's text; all lines must be given
 *
 * A canonical form must also read back to itself. */
#include <stdlib.h>

#include "base/os.h"
#include "rule/ast.h"
#include "test.h"

static const struct rule_attr user[] = {
	{ { "topic", 5 }, TYPE_TEXT },
	{ { "score", 5 }, TYPE_NUMBER },
	{ { "checked-on", 10 }, TYPE_TIME },
	{ { "spam", 4 }, TYPE_BOOL },
};

static struct str unescape(struct arena *arena, struct str s)
{
	char *out = arena_alloc(arena, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] == 'n')
			out[n++] = '\n', i++;
		else
			out[n++] = s.p[i];
	return str_n(out, n);
}

static int read_text(struct test *t, enum rule_kind kind, struct str text, struct rule **rule, struct err *err)
{
	struct rule_env env = { .kind = kind,
				.user = user,
				.n_user = COUNT(user),
				.uncomputed = UINT64_C(1) << ATTR_RANK,
				.has_settings = true,
				.k = 5 };

	return kind == RULE_NUMERIC ? prefer_parse(t->arena, text, &env, rule, err)
				    : rule_parse(t->arena, text, &env, rule, err);
}

static void run_case(struct test *t, enum rule_kind kind, struct str text, struct str canonical, struct str error)
{
	struct rule *rule, *again;
	struct err err = { 0 };
	int rc = read_text(t, kind, text, &rule, &err);

	if (error.n) {
		CHECK(rc == WN_USAGE, "%.*s was accepted", STR_FMT(text));
		CHECK_STR(str(err.text), error, "%.*s", STR_FMT(text));
		return;
	}
	if (!CHECK(rc == WN_OK, "%.*s\n%s", STR_FMT(text), err.text))
		return;
	CHECK_STR(rule->canonical, canonical, "%.*s", STR_FMT(text));
	rc = kind == RULE_NUMERIC ? WN_OK : read_text(t, kind, rule->canonical, &again, &err);
	if (CHECK(rc == WN_OK, "canonical form is refused: %s", err.text) && kind != RULE_NUMERIC) {
		CHECK_STR(again->canonical, rule->canonical);
		CHECK_STR(str(again->sha256), str(rule->sha256));
	}
}

static void run_file(struct test *t, const char *name)
{
	struct str all, line, text = STR_NONE, canonical = STR_NONE, error = STR_NONE,
			      path = arena_printf(t->arena, "%s/rule/%s", TEST_DATA, name);
	struct err err = { 0 };
	enum rule_kind kind = RULE_PAIR;
	unsigned cases = 0;

	REQUIRE(os_slurp(t->arena, path.p, 1 << 20, &all, &err) == WN_OK, "%s", err.text);
	while (all.p) {
		line = str_cut(&all, '\n');
		if (line.n == 0 || line.p[0] == '>') {
			if (text.p) {
				run_case(t, kind, text, canonical, error);
				cases++;
			}
			text = canonical = error = STR_NONE;
		}
		if (line.n < 2 || line.p[0] == '#')
			continue;
		if (line.p[0] == '@')
			kind = str_ends(line, STR("selection")) ? RULE_SELECTION
			       : str_ends(line, STR("prefer"))	? RULE_NUMERIC
								: RULE_PAIR;
		else if (line.p[0] == '>')
			text = unescape(t->arena, str_sub(line, 2, line.n));
		else if (line.p[0] == '=')
			canonical = str_sub(line, 2, line.n);
		else if (line.p[0] == '!')
			error = error.n ? arena_printf(t->arena, "%.*s\n%.*s", STR_FMT(error),
						       STR_FMT(str_sub(line, 2, line.n)))
					: str_sub(line, 2, line.n);
	}
	CHECK(cases >= 5, "%s has only %u cases", name, cases);
}

TEST(cases, canonical_forms) { run_file(t, "canonical.t"); }
TEST(cases, errors_show_the_place) { run_file(t, "errors.t"); }
TEST(cases, selections) { run_file(t, "selection.t"); }

/* Reports, and whoever reads them, take a rule for text: its name must be that of what they show. */
TEST(cases, what_is_no_text_is_refused)
{
	struct rule *rule;
	struct err err = { 0 };

	CHECK_EQ(read_text(t, RULE_PAIR, STR("a.title = \"\xff\" and a.host = b.host"), &rule, &err), WN_USAGE);
	CHECK(str_starts(str(err.text), STR("column 12: the byte 0xff is not UTF-8\n")), "%s", err.text);
	CHECK_EQ(read_text(t, RULE_SELECTION, STR("title = \"x\0y\""), &rule, &err), WN_USAGE);
	CHECK(str_starts(str(err.text), STR("column 11: a zero byte is no text\n")), "%s", err.text);
}

/* The manual is one text; what the tables of the program hold must be in it. */
TEST(cases, the_manual_names_everything)
{
	struct str manual, path = arena_printf(t->arena, "%s/../../docs/man/winnow-rules.7.md", TEST_DATA);
	struct err err = { 0 };

	REQUIRE(os_slurp(t->arena, path.p, 1 << 20, &manual, &err) == WN_OK, "%s", err.text);
	for (unsigned i = 0; i < ATTR_USER; i++)
		CHECK(str_find(manual, str(attr_name(i))) >= 0, "attribute %s", attr_name(i));
	for (const struct func_info *f = func_table; f->name; f++)
		CHECK(str_find(manual, str(f->name)) >= 0, "function %s", f->name);
	for (const struct preset *p = presets; p->name; p++) {
		CHECK(str_find(manual, str(p->name)) >= 0, "preset %s", p->name);
		CHECK(str_find(manual, str(p->rule)) >= 0, "rule of preset %s", p->name);
	}
}
