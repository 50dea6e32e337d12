/* tests/unit/sketch/diff.c */
#include "sketch/diff.h"

#include "base/buf.h"
#include "test.h"

static const struct {
	const char *a, *b, *want, *because;
} cases[] = {
	{ "", "", "", "nothing differs from nothing" },
	{ "a b c", "a b c", "=a b c", "equal texts are one piece" },
	{ "a b c", "a x c", "=a |-b |+x |=c", "a word replaced" },
	{ "a b c", "a c", "=a |-b |=c", "a word taken out" },
	{ "", "new words", "+new words", "all is new" },
	{ "one two three four five six", "zero one two three four five six", "+zero |=one two three four five six",
	  "an anchor after something new" },
};

static struct str shown(struct test *t, struct diff d)
{
	struct buf out = BUF(1 << 20);
	struct str s;

	for (size_t i = 0; i < d.n; i++)
		buf_printf(&out, "%s%c%.*s", i ? "|" : "", "=-+"[d.pieces[i].op], STR_FMT(d.pieces[i].text));
	s = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	return s;
}

TEST(diff, shows_what_changed)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_STR(shown(t, diff_texts(t->arena, str(cases[i].a), str(cases[i].b), DIFF_WORD)),
			  str(cases[i].want), "%s", cases[i].because);
}

/* The pieces of a diff, put together again, are the two texts; and no more is
 * called different than a longest common subsequence leaves. */
TEST(diff, pieces_make_both_texts_again)
{
	for (int round = 0; round < 300; round++) {
		struct buf a = BUF(1 << 16), b = BUF(1 << 16), x = BUF(1 << 16), y = BUF(1 << 16);
		char wa[64], wb[64];
		unsigned n = (unsigned)test_below(t, round % 2 ? 40 : 5), m = (unsigned)test_below(t, 40),
			 lcs[65][65] = { { 0 } };
		struct diff d;

		for (unsigned i = 0; i < n; i++)
			buf_printf(&a, "%c ", wa[i] = (char)('a' + test_below(t, 4)));
		for (unsigned i = 0; i < m; i++)
			buf_printf(&b, "%c ", wb[i] = (char)('a' + test_below(t, 4)));
		d = diff_texts(t->arena, buf_view(&a), buf_view(&b), DIFF_WORD);
		for (size_t i = 0; i < d.n; i++) {
			if (d.pieces[i].op != DIFF_ONLY_B)
				buf_str(&x, d.pieces[i].text);
			if (d.pieces[i].op != DIFF_ONLY_A)
				buf_str(&y, d.pieces[i].text);
		}
		CHECK_STR(buf_view(&x), buf_view(&a), "a again");
		CHECK_STR(buf_view(&y), buf_view(&b), "b again");
		for (unsigned i = 1; i <= n; i++)
			for (unsigned j = 1; j <= m; j++) {
				unsigned best = lcs[i - 1][j] > lcs[i][j - 1] ? lcs[i - 1][j] : lcs[i][j - 1];

				lcs[i][j] = wa[i - 1] == wb[j - 1] && lcs[i - 1][j - 1] + 1 > best
						? lcs[i - 1][j - 1] + 1
						: best;
			}
		CHECK(d.same <= lcs[n][m], "more is the same than can be");
		if (n < 5 || m < 5) /* no anchor fits: the search alone, which is exact */
			CHECK_EQ(d.same, lcs[n][m]);
		buf_release(&a);
		buf_release(&b);
		buf_release(&x);
		buf_release(&y);
	}
}
