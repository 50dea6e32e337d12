/* tests/unit/text/main.c -- the article without what surrounds it, and pages that are none. */
#include "text/main.h"

#include "test.h"
#include "text/extract.h"

#define PARA1 \
	"The council met on Monday to decide about the old bridge, which has been closed since the flood of last spring."
#define PARA2 \
	"Engineers told the meeting that repairs would take two years, and that a new bridge could be built in the same time."
#define PARA3 \
	"Shopkeepers on both sides of the river, who have lost a third of their custom, asked for a ferry until then."

static struct main_text main_of(struct test *t, struct extract *x, const char *html, struct page *page)
{
	static const struct extract_options options = { .no_resolve = true };

	extract_page(x, str(html), STR("http://a.example/"), &options, page);
	return main_content(t->arena, page->text, page->outline);
}

static const struct {
	const char *html, *want, *because;
} articles[] = {
	{ "<title>Bridge</title><body><header><h1>Daily</h1><nav><a href=/>Home</a> <a href=/s>Sport, all of it, every day</a></nav></header>"
	  "<div class=article-body><p>" PARA1 "<p>" PARA2
	  "<div class=share-bar>Share this on every network there is, please, now.</div><p>" PARA3
	  "</div><div class=related><p>Ten more bridges that you have to see, and why they fell down in the end.</p></div>"
	  "<footer><p>Copyright of this newspaper, all rights reserved, no part of it may be copied.</p></footer>"
	  "<div id=cookie-consent><p>We use cookies, and so do 500 partners of ours, to know all about you.</p></div>",
	  PARA1 "\n" PARA2 "\n" PARA3, "a named body; share bar inside, furniture around" },
	{ "<body><table><tr><td><a href=1>One</a><br><a href=2>Two</a><td><p>" PARA1 "<p>" PARA2 "<p>" PARA3
	  "<p>" PARA1 PARA2 "<p>" PARA2 PARA3 "<p>" PARA3 PARA1 "</table>",
	  NULL, "a layout table, nothing named" },
	{ "<body><div id=a><article><div class=chunk-1><div class=story-text><p>" PARA1 "<p>" PARA2
	  "</div><aside>Ad</aside></div>"
	  "<div class=chunk-2><div class=story-text><p>" PARA3
	  "</div></div></article></div><ul><li><a href=x>More on bridges and such</a></ul>",
	  PARA1 "\n" PARA2 "\n" PARA3, "a body in chunks of the same name" },
	{ "<body><div class=page><div class=menu><a href=x>a</a></div><article><p>" PARA1
	  "</p><ul><li><a href=1>Read: the bridge of old</a>"
	  "<li><a href=2>Read: the flood</a></ul><p>" PARA2 "</p><p>" PARA3 "</p><p>" PARA1 " " PARA2 " " PARA3
	  " " PARA1 " " PARA2 " " PARA3 " " PARA1 " " PARA2 " " PARA3 " " PARA1
	  "</p></article><div><a href=1>Most read today, of all</a><a href=2>Also this one was read by many</a>"
	  "<a href=2>Nobody has read this, really, at all, but you may, if you have the time</a><a href=3>" PARA1
	  "</a><a href=4>" PARA2 "</a>"
	  "<a href=5>The ten best bridges of the year, by people who have crossed them</a></div>"
	  "<form><p>Send us your name, your address, and whatever else you have.</p></form></div>",
	  NULL, "an article; a list of links between its paragraphs" },
};

TEST(main, articles_lose_their_surroundings)
{
	struct extract *x = extract_new();

	for (size_t i = 0; i < COUNT(articles); i++) {
		struct page page;
		struct main_text m = main_of(t, x, articles[i].html, &page);

		if (articles[i].want)
			CHECK_STR(m.text, str(articles[i].want), "%s", articles[i].because);
		CHECK(str_find(m.text, STR(PARA1)) >= 0 && str_find(m.text, STR(PARA3)) >= 0, "%s",
		      articles[i].because);
		CHECK(str_find(m.text, STR("Read:")) < 0 && str_find(m.text, STR("cookies")) < 0 &&
			  str_find(m.text, STR("Send us")) < 0,
		      "%s", articles[i].because);
	}
	extract_free(x);
}

/* clang-format off */
static const struct {
	const char *html, *keep[4], *because;
} others[] = {
	{ "<body><h1>Options</h1><dl><dt>-a<dd>All of them.<dt>-b<dd>Both.</dl><pre>ls -a\nls -b</pre><p>See also ls(1).</p>",
	  { "-a", "Both.", "ls -b", "See also" }, "documentation: lists and code" },
	{ "<body><h1>Index</h1><ul><li><a href=1>Chapter one</a><li><a href=2>Chapter two</a><li><a href=3>Chapter three</a></ul>",
	  { "Index", "Chapter one", "Chapter three" }, "a list of links is its own content" },
	{ "<body><nav><a href=/>Home</a></nav><h1>Title 3</h1><h2>§ 3-101. Scope.</h2><p>(a) This title applies.</p><p>(1) To some;</p><p>(2) to all.</p>"
	  "<p>History: 1973, c. 2.</p>",
	  { "Title 3", "3-101", "(2) to all.", "History: 1973" }, "a statute: short paragraphs" },
	{ "<body><table><tr><th>Year<th>Cases<tr><td>1999<td>12<tr><td>2000<td>15</table>", { "Year", "Cases", "1999", "15" }, "a table" },
	{ "<body><div class=post><div class=author>ann</div><div class=postbody>Does anyone know how this works? I have tried it twice.</div></div>"
	  "<div class=post><div class=author>bob</div><div class=postbody>Yes, of course. You have to turn it on first, then wait.</div></div>"
	  "<div class=post><div class=author>cid</div><div class=postbody>No, that is not right, and it never was; use the other one.</div></div>",
	  { "Does anyone know", "You have to turn it on", "No, that is not right" }, "a forum: every post" },
	{ "<body><div class=topic><p>How does one keep bread fresh, please? Mine is like stone by the evening.</div><ol class=comments>"
	  "<li class=comment><p>Put it into a box of wood, never into one of plastic, and keep the lid closed at all times.</p></li>"
	  "<li class=comment><p>Freeze it in slices, and take out what you need; that is what we have done for years, and it works.</p></li>"
	  "<li class=comment><p>Eat it at once, as my grandmother did, who had nine children and no stale bread in all her life.</p></li></ol>",
	  { "How does one", "a box of wood", "Freeze it", "Eat it at once" }, "a forum whose answers are called comments" },
	{ "plain words only", { "plain words only" }, "no elements" },
};
/* clang-format on */

TEST(main, pages_that_are_no_article_lose_nothing)
{
	struct extract *x = extract_new();

	for (size_t i = 0; i < COUNT(others); i++) {
		struct page page;
		struct main_text m = main_of(t, x, others[i].html, &page);

		for (size_t k = 0; k < COUNT(others[i].keep) && others[i].keep[k]; k++)
			CHECK(str_find(m.text, str(others[i].keep[k])) >= 0, "%s: %s is gone from [%.*s]",
			      others[i].because, others[i].keep[k], STR_FMT(m.text));
		CHECK(str_find(m.text, STR("Home")) < 0, "%s: navigation is furniture anywhere", others[i].because);
	}
	extract_free(x);
}

TEST(main, of_nothing_is_nothing)
{
	struct outline o = { 0 };
	struct main_text m = main_content(t->arena, STR(""), &o);

	CHECK_EQ(m.text.n, 0);
	m = main_content(t->arena, STR("no rows"), &o);
	CHECK_STR(m.text, STR("no rows"));
	CHECK(m.whole);
	CHECK_EQ(m.n_ranges, 1);
}

/* Ranges ascend, lie apart in the body, and joined by line feeds are the text. */
static void check_ranges(struct test *t, struct str body, const struct main_text *m)
{
	struct str rest = m->text;
	uint32_t at = 0;

	for (size_t i = 0; i < m->n_ranges; i++) {
		struct main_range r = m->ranges[i];

		REQUIRE(r.start >= at && r.start < r.end && r.end <= body.n);
		if (i) {
			REQUIRE(rest.n && rest.p[0] == '\n');
			rest = str_sub(rest, 1, rest.n);
		}
		REQUIRE(str_starts(rest, str_sub(body, r.start, r.end)));
		rest = str_sub(rest, r.end - r.start, rest.n);
		at = r.end;
	}
	CHECK_EQ(rest.n, 0);
}

TEST(main, random_pages_have_ordered_ranges)
{
	static const char *const pieces[] = { "<p>",
					      "</p>",
					      "<div>",
					      "</div>",
					      "<div class=content>",
					      "<div class='article-body'>",
					      "<ul>",
					      "<li>",
					      "</ul>",
					      "<table>",
					      "<tr>",
					      "<td>",
					      "</table>",
					      "<nav>",
					      "</nav>",
					      "<footer>",
					      "</footer>",
					      "<article>",
					      "</article>",
					      "<a href=x>",
					      "</a>",
					      "<h2>",
					      "</h2>",
					      "<main>",
					      "</main>",
					      "<span class=byline>",
					      "<span class=x>",
					      "</span>",
					      "<pre>",
					      "</pre>",
					      "<section>",
					      "</section>",
					      PARA1,
					      PARA2,
					      " short ",
					      " link text, quite long as such texts go, with a comma ",
					      "<aside class=related>",
					      "</aside>",
					      "<form>",
					      "</form>",
					      "<dl>",
					      "<dt>",
					      "<dd>",
					      "</dl>",
					      "<blockquote>",
					      "</blockquote>",
					      "<div style='display:none'>",
					      "<div role=main>",
					      "<title>T</title>" };
	struct extract *x = extract_new();

	for (int round = 0; round < 3000; round++) {
		size_t n = test_below(t, 120), len = 0;
		char *html = arena_alloc(t->arena, n * 128 + 1);
		struct page page;
		struct main_text m;

		for (size_t i = 0; i < n; i++) {
			const char *piece = pieces[test_below(t, COUNT(pieces))];

			memcpy(html + len, piece, strlen(piece));
			len += strlen(piece);
		}
		html[len] = 0;
		m = main_of(t, x, html, &page);
		check_ranges(t, page.text, &m);
		arena_reset(t->arena);
	}
	extract_free(x);
}

/* Offsets of an outline that were never finished, or lie outside the body, are
 * clipped, not followed. */
TEST(main, wild_outlines_are_clipped)
{
	for (int round = 0; round < 2000; round++) {
		struct outline o = { 0 };
		size_t n = 1 + test_below(t, 30);
		struct main_text m;

		for (size_t i = 0; i < n; i++) {
			struct outline_node node = { .start = (uint32_t)test_below(t, 300),
						     .end = (uint32_t)test_below(t, 300),
						     .last = (uint32_t)test_below(t, 40),
						     .parent = i ? (uint32_t)test_below(t, i) : UINT32_MAX,
						     .link = (uint32_t)test_below(t, 100),
						     .hints = (uint16_t)test_random(t),
						     .tag = (uint8_t)test_below(t, OUTLINE_TAGS) };

			if (i && test_below(t, 2))
				node.parent = (uint32_t)i - 1;
			vec_push(&o.nodes, node);
			o.tags |= (uint64_t)1 << node.tag;
			o.hints |= node.hints;
		}
		m = main_content(t->arena, STR(PARA1 "\n" PARA2), &o);
		check_ranges(t, STR(PARA1 "\n" PARA2), &m);
		outline_release(&o);
	}
}

static const struct {
	const char *name;
	uint32_t want;
	const char *because;
} hints[] = {
	{ "article-body", HINT_BODY | HINT_CONTENT, "a kind and a text" },
	{ "entry-content", HINT_BODY | HINT_CONTENT, "the same" },
	{ "articleBody", HINT_BODY | HINT_CONTENT, "capitals part words" },
	{ "postcontent", HINT_BODY, "written together" },
	{ "related-content", HINT_RELATED, "content of something bad is no content" },
	{ "has-sidebar", 0, "it tells about what is inside" },
	{ "article-body-wrapper", HINT_CONTENT, "a wrapper is no body" },
	{ "footer-wrapper", HINT_FOOT, "but that of a footer is one" },
	{ "menu-wrapper", 0, "that of a menu may hold the page" },
	{ "visually-hidden", HINT_HIDDEN, "" },
	{ "overflow-hidden", 0, "it cuts, and hides nothing" },
	{ "field--label-hidden", 0, "its label is hidden" },
	{ "hidden-xs", 0, "hidden on small screens only" },
	{ "hidden lg:flex", 0, "shown on wide ones" },
	{ "lg:hidden", HINT_HIDDEN, "hidden on wide ones" },
	{ "main-nav", HINT_NAV, "" },
	{ "social-media-embed", 0, "an embedded post is no share bar" },
	{ "x1 y_2", 0, "" },
	{ "add", 0, "ad is a word, not a beginning" },
};

TEST(outline, hints_are_whole_words)
{
	struct outline o = { 0 };
	uint32_t name;

	for (size_t i = 0; i < COUNT(hints); i++) {
		struct outline_attrs attrs = { .class_ = str(hints[i].name) };

		CHECK_EQ(outline_hints(&o, &attrs, &name), hints[i].want, "%s: %s", hints[i].name, hints[i].because);
	}
}

/* What is remembered of a class says the same as what is read of an id, also when others took its place. */
TEST(outline, hints_from_memory_are_those_that_were_read)
{
	static const char *const words[] = { "nav", "x", "Article", "body", "side-bar", "wrapper", "q9", "share" };
	struct outline o = { 0 };

	for (unsigned round = 0; round < 3000; round++) {
		char list[128];
		size_t n = 0, most = 1 + (size_t)test_below(t, 5);
		uint32_t name;

		for (size_t i = 0; i < most; i++)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%c", words[test_below(t, COUNT(words))],
					      " -_"[test_below(t, 3)]);
		struct outline_attrs class_ = { .class_ = str_n(list, n) }, id = { .id = str_n(list, n) };

		CHECK_EQ(outline_hints(&o, &class_, &name), outline_hints(&o, &id, &name), "%.*s", (int)n, list);
	}
}

TEST(outline, rows_nest_and_links_sum)
{
	struct outline o = { 0 };

	outline_open(&o, OUTLINE_BODY, 0, NULL);
	outline_open(&o, OUTLINE_UL, 10, NULL);
	outline_open(&o, OUTLINE_LI, 10, NULL);
	outline_link(&o, 9);
	outline_open(&o, OUTLINE_LI, 20, NULL); /* closes the first */
	outline_close(&o, OUTLINE_TABLE, 25);	/* not open: ignored */
	outline_close(&o, OUTLINE_UL, 30);
	outline_finish(&o, 50);
	REQUIRE(o.nodes.n == 4);
	CHECK_EQ(o.nodes.p[2].end, 20);
	CHECK_EQ(o.nodes.p[2].last, 3);
	CHECK_EQ(o.nodes.p[1].last, 4);
	CHECK_EQ(o.nodes.p[1].link, 9);
	CHECK_EQ(o.nodes.p[0].link, 9);
	CHECK_EQ(o.nodes.p[0].end, 50);
	CHECK_EQ(o.nodes.p[3].parent, 1);
	outline_release(&o);
}

TEST(outline, depth_is_bounded)
{
	struct outline o = { 0 };

	for (size_t i = 0; i < 100000; i++)
		outline_open(&o, OUTLINE_DIV, i, NULL);
	for (size_t i = 0; i < 100000; i++)
		outline_close(&o, OUTLINE_DIV, 100000);
	outline_finish(&o, 100000);
	CHECK_EQ(o.nodes.n, LIMIT_OUTLINE_DEPTH);
	outline_release(&o);
}
