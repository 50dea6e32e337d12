/* The extractor: readable cases of body text and links, the trees of html5lib,
 * and pages made to hurt. */
#include <stdlib.h>

#include "archive/url.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"
#include "test.h"
#include "text/css.h"
#include "text/charset.h"
#include "text/extract.h"

static struct str text_of(struct test *t, struct str html)
{
	struct extract *x = extract_new();
	struct page p;

	extract_page(x, html, STR("http://example.org/dir/page.html"), NULL, &p);
	struct str s = arena_str(t->arena, p.text);

	extract_free(x);
	return s;
}

static const struct {
	const char *html, *text, *because;
} texts[] = {
	{ "<title>T</title><p>a<p>b", "T\na\nb", "title first, a line per block" },
	{ "<p>a<b>b</b>c", "abc", "inline elements do not separate" },
	{ "<p>a <b> b</b>\n c", "a b c", "white space is one blank" },
	{ "<div>a</div>b", "a\nb", "a block separates what follows it" },
	{ "a<br>b<br/>c", "a\nb\nc", "br separates" },
	{ "<table><tr><td>a<td>b<tr><th>c</table>d", "a\tb\nc\nd", "cells and rows separate" },
	{ "<ul><li>a<li>b</ul>", "a\nb", "items separate" },
	{ "a<script>x<b></script>b<style>y</style>c", "abc", "script and style are not text" },
	{ "a<!-- x -->b<template><p>x</template>c", "abc", "comments and templates are not text" },
	{ "a<p hidden>x<b>y</b><p>b<span hidden=until-found>z</span>", "a\nb", "hidden is not text" },
	{ "<head>\n<meta name=x content=y>\n<title>t &amp; u</title></head>\n<body>b", "t & u\nb",
	  "of the head only the title" },
	{ "<img alt=x title=y src=z>a", "a", "alt and title attributes do not count" },
	{ "&lt;p&gt; &eacute;&#233;&#xe9; &notit; &amp", "<p> \xC3\xA9\xC3\xA9\xC3\xA9 \xC2\xACit; &",
	  "references are decoded" },
	{ "<noscript>a <b>b</b></noscript>", "a b", "noscript as without scripts" },
	{ "<pre>\na\n  b\n</pre>c", "a\n  b\nc", "pre keeps its white space, but not its first newline" },
	{ "<textarea>\n<b>a</textarea>b", "<b>a\nb", "textarea is text" },
	{ "<iframe>x</iframe><noframes>y</noframes><noembed>z</noembed>a", "a", "what browsers never show" },
	{ "<select><option>a<option>b</select>c", "a\nb\nc", "options separate" },
	{ "<svg><title>x</title><text>a</text><style>b</style></svg>c", "ac", "text of SVG" },
	{ "<math><mi>x</mi><annotation>y</annotation></math>", "x", "text of MathML" },
	{ "a<svg><![CDATA[<b>]]></svg><![CDATA[x]]>", "a<b>", "CDATA in SVG only" },
	{ "<p>late<title>T</title>", "T\nlate", "a late title comes first all the same" },
	{ "<title>a</title><title>b</title>c", "a\nc", "the first title counts" },
	{ "a\0b", "a", "(the table's strings end at NUL)" },
	{ "<xmp><b></xmp>a<plaintext><p>b", "<b>\na\n<p>b", "xmp and plaintext" },
	{ "<frameset><frame src=a><noframes>x</noframes></frameset>", "", "a frameset has no text" },
	{ "<p>a</p >b</p>c", "a\nb\nc", "an end tag p without p separates" },
	{ "<dialog>x</dialog><dialog open>a</dialog><video>y</video>", "a", "closed dialogs and video fallbacks" },
	{ "<h1>a<h2>b</h1>c", "a\nb\nc", "headings" },
	{ "a<span><dialog>x</span>b<p>c", "a\nb\nc", "a dialog that is not closed ends with what it is in" },
	{ "<b><dialog>x</b>b", "b", "the same in a formatting element" },
	{ "<dialog>x<p>y</dialog>b", "b", "the end of a dialog ends what is open in it" },
	{ "<span hidden>x<noscript>y</span>z</noscript>w</span>b", "b", "noscript is special" },
	{ "<span hidden><svg><desc><i>x</span>y</i></desc></svg>z</span>b", "b", "desc in SVG is special" },
	{ "<b hidden>x<svg></b>b", "b", "svg itself is not" },
	{ "<button hidden>x<p>y</button>b", "b", "the end of a button ends what is open in it" },
	{ "<td>a<tr>b", "ab", "cells without a table mean nothing" },
	{ "", "", "nothing" },
	{ "<", "<", "a lone bracket is text" },
};

TEST(extract, body_text)
{
	for (size_t i = 0; i < COUNT(texts); i++)
		CHECK_STR(text_of(t, str(texts[i].html)), str(texts[i].text), "%s: %s", texts[i].because,
			  texts[i].html);
}

TEST(extract, nul_is_dropped) { CHECK_STR(text_of(t, str_n("a\0b<p>\0c", 8)), STR("ab\nc")); }

TEST(extract, nothing_points_behind_the_text)
{
	struct extract *x = extract_new();
	struct page p;

	extract_page(x, STR("<p>a<pre>b  \n   <a href=c> </a></pre>"), STR("http://e.org/"), NULL, &p);
	CHECK_STR(p.text, STR("a\nb"));
	CHECK(p.nlinks == 1 && p.links[0].at <= p.text.n);
	for (size_t i = 0; i < p.outline->nodes.n; i++)
		CHECK(p.outline->nodes.p[i].start <= p.text.n && p.outline->nodes.p[i].end <= p.text.n);
	extract_free(x);
}

TEST(extract, text_does_not_depend_on_line_ends)
{
	CHECK_STR(text_of(t, STR("a\r\nb<pre>x\r\ny\rz</pre><a\r\nhref=x>c</a>")), STR("a b\nx\ny\nz\nc"));
}

static const struct {
	const char *html, *links, *because;
} links[] = {
	{ "<a href='b.html'>B <i>c</i></a>", "a http://example.org/dir/b.html [B c]\n", "relative to the page" },
	{ "<base href='/x/'><a href='y'>z</a>", "a http://example.org/x/y [z]\n", "relative to base" },
	{ "<base href='data:,x'><a href='y'>z</a>", "a http://example.org/dir/y [z]\n",
	  "a base of data: does not count" },
	{ "<base href='JavaScript:1'><base href='/x/'><a href='y'>z</a>", "a http://example.org/dir/y [z]\n",
	  "nor does one of javascript:, and the first is the first" },
	{ "<a href=a>1</a><base href='/x/'><base href='/n/'>", "a http://example.org/x/a [1]\n",
	  "the first base, wherever it stands" },
	{ "<a rel='x NoFollow' href=//h/>t", "a http://h/ [t] nofollow\n", "nofollow of a link" },
	{ "<meta name=robots content='noindex, nofollow'><a href=a>t", "a http://example.org/dir/a [t] nofollow\n",
	  "nofollow of a page" },
	{ "<img src=a srcset='b 1x, c 2x,d,, e (x,y) 3x, f'>",
	  "img http://example.org/dir/a []\nimg http://example.org/dir/b []\nimg http://example.org/dir/c []\nimg http://example.org/dir/d []\n"
	  "img http://example.org/dir/e []\nimg http://example.org/dir/f []\n",
	  "srcset" },
	{ "<link rel=stylesheet href=s.css><script src=x.js></script><iframe src=f></iframe>",
	  "link http://example.org/dir/s.css []\nscript http://example.org/dir/x.js []\nframe http://example.org/dir/f []\n",
	  "resources" },
	{ "<form action='?q=1&amp;r=2'><area href=z alt=Zed>",
	  "form http://example.org/dir/page.html?q=1&r=2 []\narea http://example.org/dir/z [Zed]\n",
	  "forms and areas" },
	{ "<meta http-equiv=refresh content='5; URL=\"next\"'>", "refresh http://example.org/dir/next []\n",
	  "refresh" },
	{ "<style>@import 'a.css'; @import url(b.css); /* url(no) */ p { background: url( \"c.png\" ) }</style><p style='x:url(d)'>",
	  "css http://example.org/dir/a.css []\ncss http://example.org/dir/b.css []\ncss http://example.org/dir/c.png []\n"
	  "css http://example.org/dir/d []\n",
	  "style sheets" },
	{ "<a href=1>x<a href=2>y</a>z", "a http://example.org/dir/1 [x]\na http://example.org/dir/2 [y]\n",
	  "a begins where the last ends" },
	{ "<a href='  sp\nace  '>x</a>", "a http://example.org/dir/space [x]\n", "white space in URLs" },
	{ "<a name=x>y</a><a href=''>z</a>", "a http://example.org/dir/page.html [z]\n", "no href, no link" },
	{ "<frameset><frame src=a>", "frame http://example.org/dir/a []\n", "frames" },
	{ "<a href='mailto:x@y'>m</a><a href='http://['>bad</a>", "a mailto:x@y [m]\na (none) [bad]\n",
	  "what cannot be resolved is kept as written" },
};

TEST(extract, links)
{
	struct extract *x = extract_new();

	for (size_t i = 0; i < COUNT(links); i++) {
		struct buf b = BUF(1 << 16);
		struct page p;

		extract_page(x, str(links[i].html), STR("http://example.org/dir/page.html"), NULL, &p);
		for (size_t k = 0; k < p.nlinks; k++)
			buf_printf(&b, "%s %.*s [%.*s]%s\n", link_kind_name(p.links[k].kind),
				   STR_FMT(p.links[k].url.n ? p.links[k].url : STR("(none)")),
				   STR_FMT(p.links[k].anchor), p.links[k].nofollow ? " nofollow" : "");
		CHECK_STR(buf_view(&b), str(links[i].links), "%s", links[i].because);
		buf_release(&b);
	}
	extract_free(x);
}

static const struct {
	const char *html, *want;
} dated[] = {
	{ "<p><abbr class='x published' title='2011-03-30T21:05:00-07:00'>9:05</abbr>", "2011-03-30T21:05:00-07:00" },
	{ "<p><abbr class=unpublished title='2011-03-30'>9:05</abbr>", "" },
	{ "<p><span itemprop=datePublished content='2012-01-02'>Monday</span><time datetime='2018-01-02'>",
	  "2012-01-02" },
	{ "<div property='schema:dateCreated' content='2013-01-02'>x</div><div property='schema:datePublished' content='2014-01-02'>",
	  "2014-01-02" },
	{ "<div itemprop=name content='2013-01-02'>x</div>", "" },
	{ "<meta name=bepress_citation_date content='2009-09-15'>", "2009-09-15" },
};

TEST(extract, what_the_head_says)
{
	struct extract *x = extract_new();
	struct page p;

	extract_page(
	    x,
	    STR("<html lang=' de-AT '><head><title> A\n B </title><meta name=Description content='d  e'>"
		"<link rel='canonical' href='/c'><meta property='article:published_time' content='2019-05-04'>"
		"<meta name=date content='2001-01-01'><meta name=author content=Me><meta property='og:site_name' content=S>"
		"<body><time datetime=1999>x</time>"),
	    STR("https://h/x"), NULL, &p);
	CHECK_STR(p.title, STR("A B"));
	CHECK_STR(p.lang, STR("de-AT"));
	CHECK_STR(p.description, STR("d e"));
	CHECK_STR(p.canonical, STR("https://h/c"));
	CHECK_STR(p.published, STR("2019-05-04"));
	CHECK_STR(p.author, STR("Me"));
	CHECK_STR(p.site_name, STR("S"));
	CHECK_EQ(p.body_start, 4);
	extract_page(
	    x,
	    STR("<script type='application/ld+json'>{\"datePublished\" : \"2020-02-02T10:00\"}</script><time datetime=2018>"),
	    STR("https://h/x"), NULL, &p);
	CHECK_STR(p.published, STR("2020-02-02T10:00"));
	extract_page(x, STR("<p><time datetime='2018-01-02'>"), STR(""), NULL, &p);
	CHECK_STR(p.published, STR("2018-01-02"));
	extract_page(
	    x, STR("<meta property='article:published_time' content='last week'><meta name=date content='20180506'>"),
	    STR(""), NULL, &p);
	CHECK_STR(p.published, STR("20180506"));
	for (size_t i = 0; i < COUNT(dated); i++) {
		extract_page(x, str(dated[i].html), STR("http://a.example/"), NULL, &p);
		CHECK_STR(p.published, str(dated[i].want));
	}
	extract_free(x);
}

/* ---- pages made to hurt: each must end soon, in bounded memory, with its text ---- */

static const struct {
	const char *head, *again, *tail;
	unsigned times, cut;
	const char *text, *because;
} hurt[] = {
	{ "", "<div>", "x", 300000, CUT_DEPTH, "x", "nesting" },
	{ "", "<b>", "x<p>y", 300000, CUT_DEPTH, "x\ny", "nesting of formatting elements" },
	{ "<p title=\"", "xxxxxxxxxx", "\">after", 300000, CUT_TOKEN, "after", "a long attribute" },
	{ "<p ", "=a ", ">after", 300000, 0, "after", "many attributes of one name" },
	{ "a", "&#0", "", 100, 0, NULL, "references without end" },
	{ "<p x=\"", "&amp;", "\">y", 300000, 0, "y", "references in an attribute" },
	{ "a", "</p></div></table>", "b", 300000, 0, "a\nb", "end tags of nothing" },
	{ "<table>", "<tr><td>", "b", 100000, 0, "b", "cells" },
	{ "", "<a href=x></a>", "b", 210000, CUT_LINKS, "b", "links" },
	{ "<!--", "<!--", "", 300000, 0, "", "comments in a comment" },
	{ "<svg>", "<g>", "</svg>b", 300000, CUT_DEPTH, NULL, "nesting in SVG" },
	{ "<script><!--", "<script ", "", 300000, 0, "", "a script that does not end" },
	{ "", "<select><option>", "b", 100000, 0, "b", "selects" },
	{ "<title>", "t ", "", 300000, CUT_TEXT, NULL, "a title that does not end" },
	{ "<style>", "url(", "</style>b", 300000, 0, "b", "a style sheet of openings" },
	{ "<img srcset='", "a,", "'>b", 300000, 0, "b", "a srcset of commas" },
};

TEST(extract, bad_pages_end_soon_and_say_what_was_cut)
{
	struct extract *x = extract_new();

	for (size_t i = 0; i < COUNT(hurt); i++) {
		struct buf b = BUF(64 << 20);
		struct page p;

		buf_str(&b, str(hurt[i].head));
		for (unsigned k = 0; k < hurt[i].times; k++)
			buf_str(&b, str(hurt[i].again));
		buf_str(&b, str(hurt[i].tail));
		extract_page(x, buf_view(&b), STR("http://example.org/"), NULL, &p);
		if (hurt[i].text)
			CHECK_STR(p.text, str(hurt[i].text), "%s", hurt[i].because);
		CHECK_EQ(p.cut & hurt[i].cut, hurt[i].cut, "%s", hurt[i].because);
		buf_release(&b);
	}
	extract_free(x);
}

TEST(extract, text_is_cut_at_the_limit_between_characters)
{
	struct extract *x = extract_new();
	struct extract_options o = { .max_text = 10 };
	struct page p;

	extract_page(x, STR("<p>abc<p>d\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9<p>more"), STR(""), &o, &p);
	CHECK_STR(p.text, STR("abc\nd\xC3\xA9\xC3\xA9"));
	CHECK_EQ(p.cut, CUT_TEXT);
	extract_free(x);
}

/* ---- html5lib's trees ---- */

/* The text a tree dump shows, by the same rules, white space collapsed. */
struct tree_text {
	struct buf out;
	char sep;
};

static void add_collapsed(struct tree_text *w, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (ascii_space(s.p[i])) {
			w->sep = ' ';
			continue;
		}
		if (w->sep && w->out.n)
			buf_byte(&w->out, ' ');
		w->sep = 0;
		buf_byte(&w->out, s.p[i]);
	}
}

static bool name_in(struct str name, const char *list)
{
	char padded[80];

	if (name.n > 60)
		return false;
	snprintf(padded, sizeof padded, " %.*s ", STR_FMT(name));
	return strstr(list, padded) != NULL;
}

#define NEVER_SHOWN " script style template noframes iframe noembed audio video datalist rp head title "
#define FOREIGN_NEVER_SHOWN " title desc script style annotation annotation-xml "

static struct str tree_text(struct test *t, struct str dump)
{
	struct tree_text w = { .out = BUF(1 << 20) }, title = { .out = BUF(1 << 20) };
	struct node {
		unsigned depth;
		bool block;
	} open[600];
	size_t nopen = 0;
	bool had_title = false;
	unsigned hide_at = 0; /* depth + 1 of the hiding element, 0: none */
	unsigned title_at = 0;

	while (dump.n && dump.p[dump.n - 1] == '\n')
		dump.n--;
	while (dump.n) {
		struct str line = str_cut(&dump, '\n');
		size_t depth = 0;

		if (line.n < 2 || line.p[0] != '|')
			continue;
		while (line.n > 2 + 2 * depth + 1 && line.p[2 + 2 * depth] == ' ' && line.p[3 + 2 * depth] == ' ')
			depth++;
		struct str node = str_n(line.p + 2 + 2 * depth, line.n - 2 - 2 * depth);
		bool attribute = node.n && node.p[0] != '<' && node.p[0] != '"' && str_find(node, STR("=\"")) > 0;

		if (attribute) {
			if (str_starts(node, STR("hidden=")) && !hide_at && nopen)
				hide_at = open[nopen - 1].depth + 1;
			continue;
		}
		while (nopen && open[nopen - 1].depth >= depth)
			if (open[--nopen].block && !hide_at)
				w.sep = ' ';
		if (hide_at && depth < hide_at)
			hide_at = 0;
		while (nopen && open[nopen - 1].depth >= depth)
			nopen--;
		if (title_at && depth < title_at)
			title_at = 0;
		if (node.n && node.p[0] == '"') {
			/* the text runs to the closing quote, over lines */
			struct str text = str_n(node.p + 1, node.n - 1);

			while (!(text.n && text.p[text.n - 1] == '"') || (dump.n && dump.p[0] != '|')) {
				if (!dump.n)
					break;
				struct str more = str_cut(&dump, '\n');

				text.n = (size_t)(more.p + more.n - text.p);
			}
			if (text.n)
				text.n--;
			if (title_at)
				add_collapsed(&title, text);
			else if (!hide_at)
				add_collapsed(&w, text);
			continue;
		}
		if (!node.n || node.p[0] != '<' || node.p[1] == '!' || node.p[1] == '?')
			continue;
		struct str name = str_n(node.p + 1, node.n - 2);
		bool foreign = str_chr(name, ' ') >= 0;
		enum tag tag = foreign ? TAG_OTHER : tag_of(name.p, name.n);
		bool block = !foreign && (tag_info[tag].flags & (IS_BLOCK | IS_CELL)) != 0;

		if (foreign)
			name = str_n(name.p + str_chr(name, ' ') + 1, name.n - (size_t)str_chr(name, ' ') - 1);
		if (!hide_at && !foreign && tag == TAG_BR)
			w.sep = ' ';
		if (!hide_at && block)
			w.sep = ' ';
		if (!foreign && tag == TAG_TITLE && !had_title) {
			had_title = true;
			title_at = (unsigned)depth + 1;
		}
		/* head: its text is only the title's; elements in it are looked at one by one */
		if (!hide_at && !title_at && tag != TAG_HEAD &&
		    name_in(name, foreign ? FOREIGN_NEVER_SHOWN : NEVER_SHOWN))
			hide_at = (unsigned)depth + 1;
		if (!hide_at && tag == TAG_DIALOG)
			hide_at = (unsigned)depth + 1;
		if (nopen < COUNT(open))
			open[nopen++] = (struct node){ (unsigned)depth, block };
	}
	if (title.out.n && w.out.n)
		buf_byte(&title.out, ' ');
	buf_str(&title.out, buf_view(&w.out));
	struct str out = arena_str(t->arena, buf_view(&title.out));

	buf_release(&w.out);
	buf_release(&title.out);
	return out;
}

static struct str squeeze(struct test *t, struct str s)
{
	struct tree_text w = { .out = BUF(1 << 20) };

	add_collapsed(&w, s);
	struct str out = arena_str(t->arena, buf_view(&w.out));

	buf_release(&w.out);
	return out;
}

static int by_byte(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }

/* The same characters in another order: what foster parenting and adoption do. */
static bool same_letters(struct test *t, struct str a, struct str b)
{
	struct str s[2] = { a, b };
	char *p[2];
	size_t n[2];

	for (int i = 0; i < 2; i++) {
		p[i] = arena_alloc(t->arena, s[i].n + 1);
		n[i] = 0;
		for (size_t k = 0; k < s[i].n; k++)
			if (!ascii_space(s[i].p[k]))
				p[i][n[i]++] = s[i].p[k];
		qsort(p[i], n[i], 1, by_byte);
	}
	return n[0] == n[1] && memcmp(p[0], p[1], n[0]) == 0;
}

/* clang-format off */
static const char *const tree_files[] = {
	"adoption01", "adoption02", "blocks", "comments01", "doctype01", "domjs-unsafe", "entities01", "entities02", "html5test-com", "inbody01",
	"isindex", "main-element", "math", "menuitem-element", "namespace-sensitivity", "noscript01", "pending-spec-changes",
	"pending-spec-changes-plain-text-unsafe", "plain-text-unsafe", "quirks01", "ruby", "scriptdata01", "search-element", "svg", "tables01",
	"template", "tests1", "tests2", "tests3", "tests4", "tests5", "tests6", "tests7", "tests8", "tests9", "tests10", "tests11", "tests12",
	"tests14", "tests15", "tests16", "tests17", "tests18", "tests19", "tests20", "tests21", "tests22", "tests23", "tests24", "tests25",
	"tests26", "tests_innerHTML_1", "tricky01", "void-in-phrasing", "webkit01", "webkit02", "foreign-fragment",
};
/* clang-format on */

TEST_SUITE(extract, text_equals_the_text_of_html5lib_trees)
{
	unsigned documents = 0, good = 0, fragments = 0, scripted = 0, order = 0, copies = 0;
	bool show = getenv("SHOW") != NULL;

	for (size_t f = 0; f < COUNT(tree_files); f++) {
		char name[120];
		struct str all;
		struct err err = { 0 };

		snprintf(name, sizeof name, "suites/html5lib-tests/tree-construction/%s.dat", tree_files[f]);
		REQUIRE(os_slurp(t->arena, suite_path(t, name), 64 << 20, &all, &err) == WN_OK, "%s", err.text);
		while (all.n) {
			ptrdiff_t next = str_find(str_n(all.p + 1, all.n - 1), STR("\n#data\n"));
			struct str one = next < 0 ? all : str_n(all.p, (size_t)next + 2);

			all = next < 0 ? STR_NONE : str_n(all.p + next + 2, all.n - (size_t)next - 2);
			ptrdiff_t errors = str_find(one, STR("\n#errors\n")),
				  tree = str_find(one, STR("\n#document\n"));

			if (errors < 0 || tree < 0)
				continue;
			struct str data = errors > 6 ? str_n(one.p + 6, (size_t)errors - 6) : STR("");
			struct str middle = str_n(one.p + errors, (size_t)(tree - errors));

			if (str_find(middle, STR("#document-fragment")) >= 0) {
				fragments++;
				continue;
			}
			if (str_find(middle, STR("#script-on")) >= 0) {
				scripted++;
				continue;
			}
			struct str want = tree_text(t, str_n(one.p + tree + 11, one.n - (size_t)tree - 11));
			struct str got = squeeze(t, text_of(t, data));

			documents++;
			if (str_eq(want, got)) {
				good++;
			} else {
				bool moved = same_letters(t, want, got);

				bool copied = str_find(data, STR("<selectedcontent>")) >= 0;

				order += moved;
				copies += copied && !moved;
				CHECK(moved || copied, "%s: %.*s: want \"%.*s\", got \"%.*s\"", tree_files[f],
				      STR_FMT(data), STR_FMT(want), STR_FMT(got));
				if (show)
					printf("%s%s: %.*s\n  want [%.*s]\n  got  [%.*s]\n", moved ? "(order) " : "",
					       tree_files[f], STR_FMT(data), STR_FMT(want), STR_FMT(got));
			}
		}
	}
	printf(
	    "html5lib trees: text of %u of %u documents\n"
	    "  %u: text or elements directly in a table stand before it in the tree (foster parenting); here they keep their place\n"
	    "  %u: selectedcontent, whose text is a copy of an option's\n"
	    "  not run: %u fragments (a page has no context element), %u with scripts on\n",
	    good, documents, order, copies, fragments, scripted);
	CHECK_EQ(good + order + copies, documents);
	CHECK(order <= 13);
}

/* The short cut for plain references beside the parser of the standard. */
TEST(extract, links_resolve_as_the_url_parser_says)
{
	static const char *const bases[] = { "http://example.org/dir/sub/page.html?q=/x#h",
					     "https://EXAMPLE.org:8443",
					     "http://user@h.org//a//b",
					     "ftp://h/x/y",
					     "file:///C:/x/y.html",
					     "mailto:x",
					     "http://h.org/a/./b/../c",
					     "" };
	static const char *const parts[] = { "a",
					     "b.html",
					     "/",
					     "//",
					     "../",
					     "./",
					     "..",
					     ".",
					     "?",
					     "#",
					     "x=1&amp;y=2",
					     "%2e%2E",
					     "%41",
					     ":",
					     "http://",
					     "https://",
					     "example.org",
					     "H.org",
					     "h.org:80",
					     "h.org:443",
					     "@",
					     "\\",
					     " ",
					     "\t",
					     "~",
					     "'",
					     "|",
					     "&eacute;",
					     "&lt;",
					     "http:",
					     "...",
					     ".x",
					     ";",
					     "C|",
					     "^",
					     "{",
					     "`",
					     "mailto:",
					     "ftp://",
					     "ftp.H.org",
					     "long-path/with_many.letters/in(it)",
					     "/.x/",
					     "/..x",
					     "?format=html;sektion=8$1,2",
					     "www.Example.ORG:8080/" };
	struct extract *x = extract_new();
	struct url base = { 0 }, url = { 0 };

	for (int round = 0; round < 4000; round++) {
		struct buf page = BUF(MIB);
		const char *at = bases[test_below(t, COUNT(bases))];
		struct page p;

		for (int k = 0; k < 6; k++) {
			buf_str(&page, STR("<a href=\""));
			for (size_t n = test_below(t, 7); n > 0; n--)
				buf_str(&page, str(parts[test_below(t, COUNT(parts))]));
			buf_str(&page, STR("\">x</a>"));
		}
		extract_page(x, buf_view(&page), str(at), NULL, &p);
		bool ok = url_parse(&base, str(at), NULL);

		for (size_t i = 0; i < p.nlinks; i++) {
			struct str want =
			    url_parse(&url, p.links[i].href, ok ? &base : NULL) ? url_href(&url) : STR_NONE;

			CHECK_STR(p.links[i].url, want, "%.*s on %s", STR_FMT(p.links[i].href), at);
		}
		buf_release(&page);
	}
	url_release(&base);
	url_release(&url);
	extract_free(x);
}

/* The path is UTF-8 in any case, and the fragment; the query is in the encoding of the page. */
TEST(extract, queries_of_links_are_in_the_encoding_of_the_page)
{
	struct extract *x = extract_new();
	struct extract_options options = { .encoding = encoding_of_label(STR("windows-1252")) };
	struct page p;

	extract_page(x, STR("<a href='/caf\u00e9?q=caf\u00e9#caf\u00e9'>a</a><a href='mailto:a?subject=\u00e9'>b</a>"),
		     STR("http://example.org/"), &options, &p);
	CHECK_EQ(p.nlinks, 2);
	CHECK_STR(p.links[0].url, STR("http://example.org/caf%C3%A9?q=caf%E9#caf%C3%A9"));
	CHECK_STR(p.links[1].url, STR("mailto:a?subject=%C3%A9"));
	extract_free(x);
}
