/* tests/unit/text/kernels.c -- what is read many bytes at a time, beside what every processor has and the obvious way. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "test.h"
#include "text/extract_page.h"
#include "text/glance.h"
#include "text/html_states.h"

/* White space collapsed the obvious way. */
static struct str collapsed_slow(struct arena *a, struct str s)
{
	char *out = arena_alloc(a, s.n + 1);
	size_t n = 0;

	s = str_trim(s);
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_space(s.p[i]))
			out[n++] = s.p[i];
		else if (out[n - 1] != ' ')
			out[n++] = ' ';
	return str_n(out, n);
}

TEST(extract, white_space_is_collapsed_as_by_its_slow_twin)
{
	struct extract *wide = extract_new(), *half = extract_new(), *narrow = extract_new();
	struct page p, q, h;

	narrow->kernel = narrow->html->kernel = SCAN_PLAIN;
	if (half->kernel > SCAN_AVX2)
		half->kernel = half->html->kernel = SCAN_AVX2;
	for (int round = 0; round < 6000; round++) {
		size_t n = 1 + test_below(t, 400), rare = 1 + test_below(t, 12);
		char *text = mem_alloc(n); /* a page of its own, so that a read past it is seen */

		for (size_t i = 0; i < n; i++)
			text[i] =
			    test_below(t, rare) ? (char)('a' + test_below(t, 26)) : " \t\n\v\f  \n"[test_below(t, 8)];
		extract_page(wide, str_n(text, n), STR_NONE, NULL, &p);
		extract_page(half, str_n(text, n), STR_NONE, NULL, &h);
		extract_page(narrow, str_n(text, n), STR_NONE, NULL, &q);
		CHECK_STR(p.text, collapsed_slow(t->arena, str_n(text, n)));
		CHECK_STR(q.text, p.text);
		CHECK_STR(h.text, p.text);
		mem_free(text);
	}
	extract_free(wide);
	extract_free(half);
	extract_free(narrow);
}

TEST(extract, kernels_read_the_same_pages)
{
	static const char *const parts[] = { "<p>",
					     "</p>",
					     "<b>",
					     "</b>",
					     "<pre>\n",
					     "</pre>",
					     "<a href=/x?y&amp;z>",
					     "</a>",
					     "\n",
					     "  ",
					     "&amp;",
					     "&x",
					     "word",
					     "<li class='a b'>",
					     "<table>",
					     "<td>",
					     "</table>",
					     "<br>",
					     "<!-- c -->",
					     "\1",
					     "<svg><title>",
					     "<script>x",
					     "</script>",
					     "a text that is somewhat longer than others are, ",
					     "<",
					     ">",
					     "</svg>",
					     "<textarea>",
					     "</textarea>",
					     "<i title='>'>" };
	struct extract *wide = extract_new(), *half = extract_new(), *narrow = extract_new();
	struct page p, q, h;

	narrow->kernel = narrow->html->kernel = SCAN_PLAIN;
	if (half->kernel > SCAN_AVX2)
		half->kernel = half->html->kernel = SCAN_AVX2;
	for (int round = 0; round < 6000; round++) {
		struct buf page = BUF(MIB);

		for (size_t n = test_below(t, 60); n > 0; n--)
			buf_str(&page, str(parts[test_below(t, COUNT(parts))]));
		extract_page(wide, buf_view(&page), STR("http://example.org/"), NULL, &p);
		extract_page(half, buf_view(&page), STR("http://example.org/"), NULL, &h);
		extract_page(narrow, buf_view(&page), STR("http://example.org/"), NULL, &q);
		CHECK_STR(q.text, p.text, "%.*s", STR_FMT(buf_view(&page)));
		CHECK_STR(h.text, p.text, "%.*s", STR_FMT(buf_view(&page)));
		CHECK_EQ(h.nlinks, p.nlinks);
		CHECK_EQ(q.nlinks, p.nlinks);
		for (size_t i = 0; i < p.nlinks && i < q.nlinks; i++)
			CHECK_STR(q.links[i].anchor, p.links[i].anchor);
		buf_release(&page);
	}
	extract_free(wide);
	extract_free(half);
	extract_free(narrow);
}

TEST(glance, sees_what_its_slow_twin_sees)
{
	static const unsigned char rare[] = { 0, '\r', 0x1B, 0x80, 0xFF, '\n', 0x8D, 0x9B };

	for (int round = 0; round < 6000; round++) {
		size_t n = test_below(t, 400);
		char *text = mem_alloc(n + 1); /* of its own, so that a read past it is seen */
		struct glance want, got[2];

		for (size_t i = 0; i < n; i++)
			text[i] = (char)(' ' + test_below(t, 95));
		for (size_t i = test_below(t, 4); n && i > 0; i--)
			text[test_below(t, n)] = (char)rare[test_below(t, COUNT(rare))];
		text = mem_realloc(text, n ? n : 1);
		want = glance_slow(str_n(text, n));
		got[0] = glance_plain(str_n(text, n));
		got[1] = glance_at(str_n(text, n));
		for (int i = 0; i < 2; i++) {
			CHECK_EQ(got[i].ascii, want.ascii);
			CHECK_EQ(got[i].nul, want.nul);
			CHECK_EQ(got[i].cr, want.cr);
			CHECK_EQ(got[i].esc, want.esc);
		}
		mem_free(text);
	}
}
