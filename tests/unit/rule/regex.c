/* Regular expressions: a table of cases, and random ones against sets of end
 * positions computed straight from the meaning of each operator. */
#include "rule/regex.h"

#include "test.h"

static const struct {
	const char *pattern, *text;
	unsigned flags;
	bool want;
} cases[] = {
	{ "news", "Old NEWS here", REGEX_ICASE, true },
	{ "news", "Old NEWS here", 0, false },
	{ "^news", "old news", 0, false },
	{ "news$", "old news", 0, true },
	{ "", "", 0, true },
	{ "", "x", REGEX_FULL, false },
	{ "a|b|", "c", REGEX_FULL, false },
	{ "colou?r", "colr color", 0, true },
	{ "ab{2,3}c", "abbbbc", 0, false },
	{ "ab{2,3}c", "abbbc", 0, true },
	{ "ab{2,}c", "abbbbbbc", 0, true },
	{ "a{,2}b", "aab", REGEX_FULL, true },
	{ "a{x}", "a{x}", REGEX_FULL, true },
	{ "(?:ab)+", "ababab", REGEX_FULL, true },
	{ "a+?b*?", "aaabb", REGEX_FULL, true },
	{ "\\bcat\\b", "a cat sat", 0, true },
	{ "\\bcat\\b", "concatenate", 0, false },
	{ "\\Bcat", "concatenate", 0, true },
	{ "\\d{4}-\\d\\d", "in 2010-05", 0, true },
	{ "[[:digit:]]+", "12", REGEX_FULL, true },
	{ "[^[:space:]]+", "a b", REGEX_FULL, false },
	{ "[]a]+", "]a]", REGEX_FULL, true },
	{ "[a-c-]+", "a-c", REGEX_FULL, true },
	{ "\\.html?$", "/index.htm", 0, true },
	{ "\xc3\xa4rger", "\xc3\x84RGER", REGEX_ICASE, true },
	{ "\xce\xa3", "\xcf\x82", REGEX_ICASE, true },
	{ "^.$", "\xf0\x9f\x98\x80", 0, true },
	{ "\\x{1f600}", "\xf0\x9f\x98\x80", 0, true },
	{ "\\u00e9", "\xc3\xa9", 0, true },
	{ "^.$", "\xff", 0, true },
	{ "[^a]", "A", REGEX_ICASE, false },
	{ "a.c", "a\nc", 0, true },
	{ "text/.*", "text/html", REGEX_FULL, true },
	{ "ext", "text", REGEX_START, false },
	{ "tex", "text", REGEX_START, true },
	{ "(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", 0, false },
	{ "\\(\\)\\[\\]\\*", "()[]*", REGEX_FULL, true },
	{ "\\W", "abc", 0, false },
	{ "\\S+\\s\\S+", "a b", REGEX_FULL, true },
};

TEST(regex, finds_what_it_should)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct regex *re;
		struct regex_run *run;
		struct err err = { 0 };

		if (!CHECK(regex_parse(t->arena, str(cases[i].pattern), cases[i].flags, &re, NULL, &err) == WN_OK,
			   "%s: %s", cases[i].pattern, err.text))
			continue;
		run = regex_run_new(re);
		CHECK_EQ(regex_match(run, str(cases[i].text)), cases[i].want, "%s on %s", cases[i].pattern,
			 cases[i].text);
		CHECK_EQ(regex_match_plainly(re, str(cases[i].text)), cases[i].want, "%s on %s, plainly",
			 cases[i].pattern, cases[i].text);
		regex_run_free(run);
	}
}

static const struct {
	const char *pattern;
	size_t column;
	const char *says;
} bad[] = {
	{ "(a)\\1", 4, "back-references" },
	{ "a(?=b)", 2, "look-around" },
	{ "(?<!x)y", 1, "look-around" },
	{ "a(b", 2, "never closed" },
	{ "a)b", 2, "closes nothing" },
	{ "[a", 1, "never closed" },
	{ "*a", 1, "nothing here to repeat" },
	{ "a{5,2}", 2, "ends before" },
	{ "a{2000}", 2, "more than 1000" },
	{ "a\\", 2, "escapes nothing" },
	{ "\\q", 1, "unknown escape" },
	{ "[z-a]", 2, "backwards" },
	{ "[[:foo:]]", 2, "unknown class" },
	{ "((a{1000}){1000}){1000}", 1, "too large" },
	{ "a++", 3, "possessive" },
	{ "(?i)a", 1, "only (?: )" },
	{ "\\x{110000}", 1, "code point" },
};

TEST(regex, refuses_with_the_column)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct regex *re;
		struct err err = { 0 };
		size_t column = 0;

		CHECK(regex_parse(t->arena, str(bad[i].pattern), 0, &re, &column, &err) < 0, "%s", bad[i].pattern);
		CHECK_EQ(column, bad[i].column, "%s", bad[i].pattern);
		CHECK(str_find(str(err.text), str(bad[i].says)) >= 0, "%s: %s", bad[i].pattern, err.text);
	}
}

TEST(regex, is_linear_where_backtracking_is_not)
{
	struct regex *re;
	struct err err = { 0 };
	size_t n = 1 << 20;
	char *text = arena_alloc(t->arena, n);
	struct regex_run *run;

	memset(text, 'a', n);
	REQUIRE(regex_parse(t->arena, STR("(a+)+(a|aa)*[^a]{1,20}(x+x+)+y"), 0, &re, NULL, &err) == WN_OK, "%s",
		err.text);
	run = regex_run_new(re);
	CHECK(!regex_match(run, str_n(text, n)));
	regex_run_free(run);
	/* more states than are kept at once: made anew, same answer */
	for (size_t i = 0; i < n; i++)
		text[i] = test_below(t, 2) ? 'a' : 'b';
	text[n - 16] = 'a';
	REQUIRE(regex_parse(t->arena, STR("a[ab]{15}$"), 0, &re, NULL, &err) == WN_OK, "%s", err.text);
	run = regex_run_new(re);
	CHECK(regex_match(run, str_n(text, n)));
	text[n - 16] = 'b';
	CHECK(!regex_match(run, str_n(text, n)));
	regex_run_free(run);
}

/* The twin: a random tree, its pattern, and the ends a match may have. */
struct tree {
	enum { LETTER, ANY, NOT_A, SEQ, ALT, STAR, PLUS, MAYBE, TWICE, BEGIN, END, WORD } kind;
	char letter;
	struct tree *x, *y;
};

static struct tree *random_tree(struct test *t, unsigned depth, struct str *pattern)
{
	static const int leaves[] = { LETTER, LETTER, LETTER, ANY, NOT_A, BEGIN, END, WORD };
	struct tree *n = ARENA_NEW(t->arena, struct tree);
	struct str x, y;

	n->kind =
	    depth == 0 || test_below(t, 4) == 0 ? leaves[test_below(t, COUNT(leaves))] : (int)(SEQ + test_below(t, 6));
	n->letter = "aB -"[test_below(t, 4)];
	if (n->kind >= SEQ && n->kind <= TWICE)
		n->x = random_tree(t, depth - 1, &x);
	if (n->kind == SEQ || n->kind == ALT)
		n->y = random_tree(t, depth - 1, &y);
	switch (n->kind) {
	case LETTER: *pattern = arena_printf(t->arena, "%c", n->letter); break;
	case ANY: *pattern = STR("."); break;
	case NOT_A: *pattern = STR("[^a]"); break;
	case BEGIN: *pattern = STR("^"); break;
	case END: *pattern = STR("$"); break;
	case WORD: *pattern = STR("\\b"); break;
	case SEQ: *pattern = arena_printf(t->arena, "%.*s%.*s", STR_FMT(x), STR_FMT(y)); break;
	case ALT: *pattern = arena_printf(t->arena, "(?:%.*s|%.*s)", STR_FMT(x), STR_FMT(y)); break;
	case STAR: *pattern = arena_printf(t->arena, "(%.*s)*", STR_FMT(x)); break;
	case PLUS: *pattern = arena_printf(t->arena, "(%.*s)+", STR_FMT(x)); break;
	case MAYBE: *pattern = arena_printf(t->arena, "(%.*s)?", STR_FMT(x)); break;
	case TWICE: *pattern = arena_printf(t->arena, "(%.*s){2,3}", STR_FMT(x)); break;
	}
	return n;
}

static unsigned ends(const struct tree *n, struct str s, size_t at);

static unsigned ends_all(const struct tree *n, struct str s, unsigned starts)
{
	unsigned out = 0;

	for (size_t i = 0; i <= s.n; i++)
		if (starts >> i & 1)
			out |= ends(n, s, i);
	return out;
}

static bool word_at(struct str s, size_t i) { return i < s.n && ascii_alpha(s.p[i]); }

static unsigned ends(const struct tree *n, struct str s, size_t at)
{
	unsigned here = 1u << at, more, step = at < s.n ? here << 1 : 0;

	switch (n->kind) {
	case LETTER: return at < s.n && ascii_lower(s.p[at]) == ascii_lower(n->letter) ? step : 0;
	case ANY: return step;
	case NOT_A: return at < s.n && ascii_lower(s.p[at]) != 'a' ? step : 0;
	case BEGIN: return at == 0 ? here : 0;
	case END: return at == s.n ? here : 0;
	case WORD: return (at > 0 && word_at(s, at - 1)) != word_at(s, at) ? here : 0;
	case SEQ: return ends_all(n->y, s, ends(n->x, s, at));
	case ALT: return ends(n->x, s, at) | ends(n->y, s, at);
	case MAYBE: return here | ends(n->x, s, at);
	case TWICE: more = ends_all(n->x, s, ends(n->x, s, at)); return more | ends_all(n->x, s, more);
	default:
		here = n->kind == PLUS ? ends(n->x, s, at) : here;
		while ((more = here | ends_all(n->x, s, here)) != here)
			here = more;
		return here;
	}
}

TEST(regex, random_patterns_agree_with_their_meaning)
{
	unsigned found = 0, tried = 0;

	for (unsigned i = 0; i < 3000; i++) {
		struct str pattern;
		struct tree *tree = random_tree(t, 4, &pattern);
		unsigned flags = REGEX_ICASE | (unsigned[]){ 0, REGEX_FULL, REGEX_START }[test_below(t, 3)];
		struct regex *re;
		struct err err = { 0 };
		struct regex_run *run;

		if (regex_parse(t->arena, pattern, flags, &re, NULL, &err) <
		    0) { /* a possessive or doubled sign made by chance */
			CHECK(str_find(str(err.text), STR("repe")) >= 0 || str_find(str(err.text), STR("possess")) >= 0,
			      "%.*s: %s", STR_FMT(pattern), err.text);
			continue;
		}
		run = regex_run_new(re);
		for (unsigned k = 0; k < 10; k++) {
			char text[12];
			struct str s = { text, test_below(t, 9) };
			unsigned out = 0;
			bool want;

			for (size_t c = 0; c < s.n; c++)
				text[c] = "aAbB -c"[test_below(t, 7)];
			for (size_t at = 0; at <= (flags & (REGEX_FULL | REGEX_START) ? 0 : s.n); at++)
				out |= ends(tree, s, at);
			want = flags & REGEX_FULL ? out >> s.n & 1 : out != 0;
			CHECK_EQ(regex_match(run, s), want, "%.*s on \"%.*s\" flags %u", STR_FMT(pattern), STR_FMT(s),
				 flags);
			CHECK_EQ(regex_match_plainly(re, s), want, "%.*s on \"%.*s\" plainly", STR_FMT(pattern),
				 STR_FMT(s));
			found += want;
			tried++;
		}
		regex_run_free(run);
	}
	CHECK(found > tried / 10 && found < tried * 9 / 10, "%u of %u match", found, tried);
}
