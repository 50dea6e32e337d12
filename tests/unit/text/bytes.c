/* Loops that look at many bytes at once, beside what they must equal: newlines, marks, and the URLs
 * of style sheets. */
#include "base/buf.h"
#include "base/limits.h"
#include "test.h"
#include "text/css.h"
#include "text/main.h"
#include "text/newline.h"

TEST(newline, agrees_with_its_slow_twin)
{
	char text[400], want[400 + NEWLINE_SLACK], got[400 + NEWLINE_SLACK];

	for (int round = 0; round < 20000; round++) {
		size_t n = test_below(t, sizeof text + 1), often = 1 + test_below(t, 40);

		for (size_t i = 0; i < n; i++)
			text[i] = test_below(t, often) ? 'x' : "\r\n\r"[test_below(t, 3)];
		struct str expect = str_n(want, newline_slow(want, str_n(text, n)));

		CHECK_STR(str_n(got, newline_narrow(got, str_n(text, n))), expect, "narrow, %zu bytes", n);
		CHECK_STR(str_n(got, newline_unix(got, str_n(text, n))), expect, "%zu bytes", n);
	}
}

TEST(main, mark_is_found_as_by_its_slow_twin)
{
	static const char *const rare[] = { ".",
					    ",",
					    ";",
					    ":",
					    "!",
					    "?",
					    "\xe3\x80\x81",
					    "\xe3\x80\x82",
					    "\xef\xbc\x8c",
					    "\xd8\x8c",
					    "\xe0\xa5\xa4",
					    "\xe3\x80\x83",
					    "\xd8\x8d",
					    "\xe3",
					    "\xd8",
					    "\xe0\xa5",
					    "\x80",
					    "\xd5\x9d",
					    "\xd6\x89",
					    "\xdb\x94",
					    "\xe0\xbc\x8d",
					    "\xe1\x81\x8b",
					    "\xe1\x8d\xa2",
					    "\xe1\x9f\x94",
					    "\xe1\x9f\x97",
					    "\xe1\x9f",
					    "\xef\xbc" };

	for (int round = 0; round < 20000; round++) {
		struct buf text = BUF(MIB);
		size_t often = 2 + test_below(t, 100);

		for (size_t n = test_below(t, 150); n > 0; n--)
			buf_str(&text, test_below(t, often) ? STR("a") : str(rare[test_below(t, COUNT(rare))]));
		CHECK(main_has_mark(buf_view(&text)) == main_has_mark_slow(buf_view(&text)));
		CHECK(main_has_mark_narrow(buf_view(&text)) == main_has_mark_slow(buf_view(&text)));
		buf_release(&text);
	}
}

TEST(bytes, marks_of_other_scripts)
{
	static const char *const sentences[] = { "ջուր։", "نص؛ ", "متن۔", "पानी।", "ཆུ།",  "ရေ။",
						 "ውሃ።",	  "ទឹក ។", "水。", "水？",  "水；" };

	for (size_t i = 0; i < COUNT(sentences); i++) {
		struct str padded = arena_printf(t->arena, "%s and no mark behind it", sentences[i]);

		CHECK(main_has_mark(str(sentences[i])), "%s", sentences[i]);
		CHECK(main_has_mark(padded) && main_has_mark_slow(padded), "%s", sentences[i]);
	}
	CHECK(!main_has_mark(STR("ទឹក ရေ ውሃ ཆུ ջուր متن and no mark at all")));
}

static void note(void *context, struct str url)
{
	struct buf *found = context;

	buf_str(found, url);
	buf_str(found, STR("|"));
}

static void skip_space(const char **p, const char *end)
{
	while (*p < end && ascii_space(**p))
		++*p;
}

/* The content of the string at *p, its quote. */
static struct str string_at(const char **p, const char *end)
{
	char quote = *(*p)++;
	const char *from = *p;

	while (*p < end && **p != quote && **p != '\n')
		*p += **p == '\\' && *p + 1 < end ? 2 : 1;
	struct str s = str_n(from, (size_t)(*p - from));

	*p += *p < end;
	return s;
}

static void note_some(struct buf *found, struct str url)
{
	url = str_trim(url);
	if (url.n)
		note(found, url);
}

/* The URLs of a style sheet without escapes, byte by byte. */
static void css_slow(struct str css, struct buf *found)
{
	const char *p = css.p, *end = str_end(css);
	bool import = false;

	while (p < end) {
		struct str rest = str_n(p, (size_t)(end - p));

		if (str_starts(rest, STR("/*"))) {
			ptrdiff_t close = str_find(str_sub(rest, 2, rest.n), STR("*/"));

			p = close < 0 ? end : p + close + 4;
		} else if (*p == '"' || *p == '\'') {
			struct str s = string_at(&p, end);

			if (import)
				note_some(found, s);
			import = false;
		} else if (str_istarts(rest, STR("@import")) && rest.n > 7) {
			import = true;
			p += 7;
		} else if (str_istarts(rest, STR("url(")) && rest.n > 4) {
			import = false;
			p += 4;
			skip_space(&p, end);
			if (p < end && (*p == '"' || *p == '\'')) {
				note_some(found, string_at(&p, end));
				continue;
			}
			const char *from = p;

			while (p < end && *p != ')')
				p++;
			note_some(found, str_n(from, (size_t)(p - from)));
		} else {
			import &= *p != ';' && *p != '{';
			p++;
		}
	}
}

TEST(css, urls_agree_with_those_found_byte_by_byte)
{
	static const char *const parts[] = { "url(",
					     "URL(",
					     "@import",
					     "@media",
					     "/*",
					     "*/",
					     "\"",
					     "'",
					     "(",
					     ")",
					     ";",
					     "{",
					     "}",
					     "a.css",
					     "  ",
					     "\n",
					     "u",
					     "r",
					     "l",
					     "/",
					     "*",
					     "@",
					     "color: red",
					     "p { margin: 0 0 0 0 }",
					     "background-image: " };
	struct buf css = BUF(MIB), want = BUF(MIB), got = BUF(MIB);

	for (int round = 0; round < 20000; round++) {
		css.n = want.n = got.n = 0;
		for (size_t n = test_below(t, 24); n > 0; n--)
			buf_str(&css, str(parts[test_below(t, COUNT(parts))]));
		css_slow(buf_view(&css), &want);
		css_urls(buf_view(&css), note, &got);
		CHECK_STR(buf_view(&got), buf_view(&want), "%.*s", STR_FMT(buf_view(&css)));
	}
	buf_release(&css);
	buf_release(&want);
	buf_release(&got);
}
