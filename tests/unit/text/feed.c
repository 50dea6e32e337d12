/* tests/unit/text/feed.c -- feeds of the three families, and broken ones. */
#include "text/feed.h"

#include "test.h"

static const char rss[] =
    "<?xml version=\"1.0\"?>\n<rss version=\"2.0\" xmlns:content=\"x\"><channel><title>Harbour &amp; town</title>"
    "<link>http://h.example/</link><description>News of the harbour</description><language>en-gb</language>"
    "<item><title>Ferry late</title><link> http://h.example/1 </link>"
    "<description>&lt;p&gt;The ferry was &lt;b&gt;late&lt;/b&gt;.&lt;/p&gt;&lt;p&gt;Twice &amp;amp; more.&lt;/p&gt;</description>"
    "<pubDate>Mon, 06 Sep 2010 00:01:00 GMT</pubDate></item>"
    "<item><title><![CDATA[Fish <i>cheap</i>]]></title><content:encoded><![CDATA[<div>Cod<br>Eel <a href='/eel'>x</a></div>"
    "<script>var a = '<p>no</p>';</script>]]></content:encoded></item></channel></rss>";

TEST(feed, rss_titles_texts_links)
{
	struct feed f;

	CHECK(feed_is(str(rss)));
	feed_read(t->arena, str(rss), &f);
	CHECK_STR(f.title, STR("Harbour & town"));
	CHECK_STR(
	    f.text,
	    STR("Harbour & town\nNews of the harbour\nFerry late\nThe ferry was late.\nTwice & more.\nFish cheap\nCod\nEel x"));
	CHECK_STR(f.lang, STR("en-gb"));
	CHECK_STR(f.published, STR("Mon, 06 Sep 2010 00:01:00 GMT"));
	CHECK_EQ(f.items, 2);
	REQUIRE(f.n_links == 3, "%zu", f.n_links);
	CHECK_STR(f.links[0].url, STR("http://h.example/"));
	CHECK_STR(f.links[1].url, STR("http://h.example/1"));
	CHECK_STR(f.links[1].anchor, STR("Ferry late"));
	CHECK_STR(f.links[2].url, STR("/eel"));
	CHECK_STR(f.links[2].anchor, STR("x"));
}

static const char atom[] =
    "<!-- c --><feed xmlns='http://www.w3.org/2005/Atom' xml:lang='de'><title type='text'>a &lt; b</title>"
    "<link rel='self' href='http://a.example/feed'/><link href='http://a.example/?a=1&amp;b=2'/>"
    "<entry><title type='html'>A &lt;em&gt;b&lt;/em&gt;</title><updated>2011-01-02T00:00:00Z</updated>"
    "<content type='xhtml'><div xmlns='x'><p>Eins &amp; zwei</p><p>drei</p></div></content></entry>"
    "<entry><title>n</title><updated>2012-01-02T00:00:00Z</updated><summary>kurz</summary></entry></feed>";

TEST(feed, atom_types_of_text)
{
	struct feed f;

	CHECK(feed_is(str(atom)));
	feed_read(t->arena, str(atom), &f);
	CHECK_STR(f.text, STR("a < b\nA b\nEins & zwei\ndrei\nn\nkurz"));
	CHECK_STR(f.lang, STR("de"));
	CHECK_STR(f.published, STR("2012-01-02T00:00:00Z"));
	REQUIRE(f.n_links == 1, "%zu", f.n_links);
	CHECK_STR(f.links[0].url, STR("http://a.example/?a=1&b=2"));
}

TEST(feed, is_told_from_other_xml)
{
	CHECK(feed_is(STR("<?xml version='1.0'?><rdf:RDF xmlns='x'><channel/></rdf:RDF>")));
	CHECK(!feed_is(STR("<html><body>rss</body></html>")));
	CHECK(!feed_is(STR("<?xml version='1.0'?><sitemap/>")));
	CHECK(!feed_is(STR("rss")));
	CHECK(!feed_is(STR("<!-- <rss>")));
	CHECK(!feed_is(STR("")));
}

TEST(feed, any_cut_of_a_feed_is_read)
{
	for (size_t n = 0; n < sizeof rss; n++) {
		struct feed f;

		feed_read(t->arena, str_n(rss, n), &f);
		CHECK(f.text.n <= n);
	}
}

TEST(feed, random_damage_is_read)
{
	for (int round = 0; round < 300; round++) {
		char *p = arena_strz(t->arena, str(atom));
		struct feed f;

		for (int i = 0; i < 6; i++)
			p[test_below(t, sizeof atom - 1)] = "<>&;\"'/!?x\0"[test_below(t, 11)];
		feed_read(t->arena, str_n(p, sizeof atom - 1), &f);
		feed_is(str_n(p, sizeof atom - 1));
		CHECK(f.text.n < sizeof atom);
	}
}
