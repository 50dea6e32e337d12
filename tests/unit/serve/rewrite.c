/* tests/unit/serve/rewrite.c -- references lead into the archive, everything else stays byte for byte. */
#include "base/limits.h"
#include "base/mem.h"
#include "serve/replay.h"
#include "serve/rewrite_html.h"
#include "test.h"
#include "text/html.h"

static struct rewriter rewriter(struct arena *a, struct buf *out)
{
	struct rewriter w = {
		.prefix = STR("/c/"), .stamp = "20100102030405", .out = out, .arena = a, .utf8 = true, .head_done = true
	};

	url_parse(&w.base, STR("http://a.example/d/p.html"), NULL);
	return w;
}

/* What one way of rewriting makes of it; want NULL: it stays as it is. */
static void check_rewritten(struct test *t, void (*how)(struct rewriter *w, struct str in, struct buf *out),
			    const char *in, const char *want)
{
	struct arena a = { 0 };
	struct buf out = BUF(1 * MIB);
	struct rewriter w = rewriter(&a, &out);

	how(&w, str(in), &out);
	CHECK_STR(buf_view(&out), str(want ? want : in));
	url_release(&w.base);
	url_release(&w.scratch);
	buf_release(&out);
	arena_release(&a);
}

static void as_page(struct rewriter *w, struct str in, struct buf *out)
{
	(void)out; /* it is the rewriter's own */
	rewrite_html(w, in);
}

static void as_xhtml(struct rewriter *w, struct str in, struct buf *out)
{
	w->xml = true;
	as_page(w, in, out);
}

static void as_page_with_script(struct rewriter *w, struct str in, struct buf *out)
{
	w->head = STR("[us]");
	w->head_done = false;
	as_xhtml(w, in, out);
}

static void as_xml(struct rewriter *w, struct str in, struct buf *out)
{
	(void)out;
	rewrite_xml(w, in);
}

#define AT(mod) "/c/20100102030405" mod "/http://a.example"

static const struct {
	const char *in, *out;
} pages[] = {
	{ "<img src=x.png>", "<img src=\"" AT("im_") "/d/x.png\">" },
	{ "<IMG alt='<a href=y>' SRC = ' /x?a=1&amp;b=2 '>",
	  "<IMG alt='<a href=y>' SRC = '" AT("im_") "/x?a=1&amp;b=2'>" },
	{ "<a href='#top'>x</a><a href=mailto:a@b>", "<a href='#top'>x</a><a href=mailto:a@b>" },
	{ "<a href=q>", "<a href=\"" AT("mp_") "/d/q\">" },
	{ "<a href=\"../../../q\">", "<a href=\"" AT("mp_") "/q\">" },
	{ "<img srcset=\"a.png 1x, /b.png 2x\">", "<img srcset=\"" AT("im_") "/d/a.png 1x, " AT("im_") "/b.png 2x\">" },
	{ "<link rel=preload as=image imagesrcset='a.png 1x'>",
	  "<link rel=preload as=image imagesrcset='" AT("im_") "/d/a.png 1x'>" },
	{ "<meta http-equiv=refresh content=\"5; url='/n'\">",
	  "<meta http-equiv=refresh content=\"5; url=&#39;" AT("mp_") "/n&#39;\">" },
	{ "<meta http-equiv=\"Content-Security-Policy\" content=\"x\">",
	  "<meta data-archived-http-equiv=\"Content-Security-Policy\" content=\"x\">" },
	{ "<p style=\"background:url('i.png')\">", "<p style=\"background:url(&#39;" AT("im_") "/d/i.png&#39;)\">" },
	{ "<style>@import \"s.css\"; b{background:url(i.png)}</style>",
	  "<style>@import \"" AT("cs_") "/d/s.css\"; b{background:url(" AT("im_") "/d/i.png)}</style>" },
	{ "<textarea><img src=x></textarea><title><img src=x></title>",
	  "<textarea><img src=x></textarea><title><img src=x></title>" },
	{ "<!-- <img src=x> --><img src=y>", "<!-- <img src=x> --><img src=\"" AT("im_") "/d/y\">" },
	{ "<script src=s.js integrity=abc></script>",
	  "<script src=\"" AT("js_") "/d/s.js\" data-archived-integrity=abc></script>" },
	{ "<script>var u='http://b.example/x', n='http://www.w3.org/2000/svg';</script>",
	  "<script>var u='/c/20100102030405mp_/http://b.example/x', n='http://www.w3.org/2000/svg';</script>" },
	{ "<script><!-- <script> <img src=x> </script> --></script><img src=y>",
	  "<script><!-- <script> <img src=x> </script> --></script><img src=\"" AT("im_") "/d/y\">" },
	{ "<script type=importmap>{\"imports\":{\"lib\":\"/l.js\",\"x/\":\"./x/\",\"y\":\"z\"}}</script>",
	  "<script type=importmap>{\"imports\":{\"lib\":\"" AT("esm_") "/l.js\",\"x/\":\"" AT(
	      "esm_") "/d/x/\",\"y\":\"z\"}}</script>" },
	{ "<p onclick=\"location='/x'\">", "<p onclick=\"__winnow.of(self).location=&#39;/x&#39;\">" },
	{ "<base href=\"/z/\"><img src=x>", "<base href=\"" AT("mp_") "/z/\"><img src=\"" AT("im_") "/z/x\">" },
	{ "<base href=\"/z/\"><base href=\"/y/\"><img src=x>",
	  "<base href=\"" AT("mp_") "/z/\"><base href=\"" AT("mp_") "/y/\"><img src=\"" AT("im_") "/z/x\">" },
	{ "<meta content=\"0;url=/n\" http-equiv=\"&#114;efresh\">",
	  "<meta content=\"0;url=" AT("mp_") "/n\" http-equiv=\"&#114;efresh\">" },
	{ "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"https://b.example/\"]}]}</script>",
	  "<script type=\"archived-speculationrules\">{\"prefetch\":[{\"urls\":[\"https://b.example/\"]}]}</script>" },
	{ "<use xlink:href=\"s.svg#i\"/><track src=t.vtt>",
	  "<use xlink:href=\"" AT("im_") "/d/s.svg#i\"/><track src=\"" AT("oe_") "/d/t.vtt\">" },
	{ "<link rel=manifest href=/m.json>", "<link rel=manifest href=\"" AT("ln_") "/m.json\">" },
	{ "<a ping=http://t.example/ href=#>", "<a data-archived-ping=http://t.example/ href=#>" },
	{ "<iframe srcdoc=\"&lt;img src=x&gt;\"></iframe>",
	  "<iframe srcdoc=\"&lt;img src=&quot;" AT("im_") "/d/x&quot;>\"></iframe>" },
	/* what an inner document says of its base holds in it alone */
	{ "<iframe srcdoc=\"&lt;base href=/in/&gt;&lt;img src=x&gt;\"></iframe><img src=y>",
	  "<iframe srcdoc=\"&lt;base href=&quot;" AT("mp_") "/in/&quot;>&lt;img src=&quot;" AT(
	      "im_") "/in/x&quot;>\"></iframe><img src=\"" AT("im_") "/d/y\">" },
	{ "<a href='//b.example/x'>", "<a href='/c/20100102030405mp_/http://b.example/x'>" },
	{ "<img src", "<img src" },
	{ "a < b <3 </ x>", "a < b <3 </ x>" },
};

TEST(rewrite, touches_references_alone)
{
	for (size_t i = 0; i < COUNT(pages); i++)
		check_rewritten(t, as_page, pages[i].in, pages[i].out);
}

/* A tag with more attributes than are held: each is rewritten, and read with the ones that decide. */
TEST(rewrite, reads_all_attributes_of_a_tag)
{
	static const struct {
		const char *first, *in, *out; /* n attributes stand between first and in */
	} late[] = {
		{ "<img", " src=x>", " src=\"" AT("im_") "/d/x\">" },
		{ "<link", " href=x rel=stylesheet><img src=y>",
		  " href=\"" AT("cs_") "/d/x\" rel=stylesheet><img src=\"" AT("im_") "/d/y\">" },
		{ "<meta http-equiv=refresh", " content='0;url=/n'>", " content='0;url=" AT("mp_") "/n'>" },
		{ "<meta", " content='0;url=/n' http-equiv=refresh />",
		  " content='0;url=" AT("mp_") "/n' http-equiv=refresh />" },
		{ "<img", " src=\"never ends", " src=\"never ends" },
	};

	for (size_t i = 0; i < COUNT(late); i++)
		for (unsigned n = SCAN_ATTRS - 3; n < SCAN_ATTRS + 3; n++) {
			struct arena a = { 0 };
			struct buf page = BUF(1 * MIB), want = BUF(1 * MIB), out = BUF(1 * MIB);
			struct rewriter w = rewriter(&a, &out);

			buf_str(&page, str(late[i].first));
			for (unsigned k = 0; k < n; k++)
				buf_printf(&page, " a%u=%u", k, k);
			buf_str(&want, buf_view(&page));
			buf_str(&page, str(late[i].in));
			buf_str(&want, str(late[i].out));
			rewrite_html(&w, buf_view(&page));
			CHECK_STR(buf_view(&out), buf_view(&want), "%u attributes before", n);
			url_release(&w.base);
			url_release(&w.scratch);
			buf_release(&page);
			buf_release(&want);
			buf_release(&out);
			arena_release(&a);
		}
}

TEST(rewrite, leads_to_styles_of_xml)
{
	check_rewritten(
	    t, as_page_with_script,
	    "<?xml version=\"1.0\"?><?xml-stylesheet type='text/css' href='/s.css?a&amp;b'?><html><p/></html>",
	    "<?xml version=\"1.0\"?><?xml-stylesheet type='text/css' href='" AT(
		"cs_") "/s.css?a&amp;b'?><html>[us]<p/></html>");
}

/* ---- XML ---- */

#define OF(mod) "/c/20100102030405" mod "/"

static const struct {
	const char *in, *out; /* out NULL: as it is */
} drawings[] = {
	/* SVG and XHTML: pages in XML */
	{ "<svg><image xlink:href='/x.png'/><use href='#a'/><mpath xl:href='http://b.example/p.svg#m'/></svg>",
	  "<svg><image xlink:href='" AT("im_") "/x.png'/><use href='#a'/><mpath xl:href='" OF(
	      "im_") "http://b.example/p.svg#m'/></svg>" },
	{ "<s:svg xmlns:s='http://www.w3.org/2000/svg' xmlns:href='http://b.example/'><s:image href='/x.png'/></s:svg>",
	  "<s:svg xmlns:s='http://www.w3.org/2000/svg' xmlns:href='http://b.example/'><s:image href='" AT(
	      "im_") "/x.png'/></s:svg>" },
	{ "<rect fill='url(/g.svg#a)' stroke='red' filter='url(#f)' clip-path='url(&quot;http://b.example/c.svg#x&quot;)'/>",
	  "<rect fill='url(" AT("im_") "/g.svg#a)' stroke='red' filter='url(#f)' clip-path='url(&quot;" OF(
	      "im_") "http://b.example/c.svg#x&quot;)'/>" },
	/* declarations are no markup, and names that they declare are not ours to read */
	{ "<!DOCTYPE svg [<!ENTITY at 'http://b.example'><!ENTITY i '<image href=\"/x\"/>'><!-- ' -->]><svg><image href='&at;/x'/><image href='/y'/></svg>",
	  "<!DOCTYPE svg [<!ENTITY at 'http://b.example'><!ENTITY i '<image href=\"/x\"/>'><!-- ' -->]><svg><image href='&at;/x'/><image href='" AT(
	      "im_") "/y'/></svg>" },
	/* styles and scripts are text in which references to characters count, unless it is CDATA */
	{ "<style>a{b:url(&quot;/x?a&amp;b&quot;)}</style>",
	  "<style>a{b:url(&quot;" AT("im_") "/x?a&amp;b&quot;)}</style>" },
	{ "<style><![CDATA[a>b{c:url(/x)}/* </style> */]]></style><image href='/y'/>",
	  "<style><![CDATA[a>b{c:url(" AT("im_") "/x)}/* </style> */]]></style><image href='" AT("im_") "/y'/>" },
	{ "<script>a &amp;&amp; b('http://b.example/?x&amp;y')</script>",
	  "<script>a &amp;&amp; b(&#39;" OF("mp_") "http://b.example/?x&amp;y&#39;)</script>" },
	{ "<style>a{b:url(&own;)}</style>", NULL },
	{ "<style><!-- a{b:url(/x?&amp;)} --></style>", NULL },
	{ "<style>a{}<image href='/x'/></style>", "<style>a{}<image href='" AT("im_") "/x'/></style>" },
	/* in XML all elements hold markup */
	{ "<title><image href='/x'/></title><style/><image href='/y'/>",
	  "<title><image href='" AT("im_") "/x'/></title><style/><image href='" AT("im_") "/y'/>" },
	{ "<?php > ?><![CDATA[<image href='/x'/>]]><!-- <image href='/x'/> --><image href='/y'/>",
	  "<?php > ?><![CDATA[<image href='/x'/>]]><!-- <image href='/x'/> --><image href='" AT("im_") "/y'/>" },
	/* names begin with more than letters, and quotes inside instructions are none */
	{ "<_s:image href='/x'/><\xc3\xa9:image href='/x'/>",
	  "<_s:image href='" AT("im_") "/x'/><\xc3\xa9:image href='" AT("im_") "/x'/>" },
	{ "<!DOCTYPE svg [<?it's?><!--> ' -->]><image href='/x'/>",
	  "<!DOCTYPE svg [<?it's?><!--> ' -->]><image href='" AT("im_") "/x'/>" },
	{ "<?xml-stylesheet href='?><p>it's</p>", NULL },
	{ "<?xml-stylesheets href='/x'?><p/>", NULL },
	/* where only names of its own say where a document goes it stays */
	{ "<meta http-equiv='refresh' content='0;url=&own;'/><meta http-equiv='&own;' content='0;url=/x'/><iframe src='&own;'/>",
	  "<meta data-archived-http-equiv='refresh' content='0;url=&own;'/><meta data-archived-http-equiv='&own;' content='0;url=/x'/>"
	  "<iframe data-archived-src='&own;'/>" },
	{ "<iframe srcdoc='&lt;img src=x&gt;'/>", "<iframe srcdoc='&lt;img src=&quot;" AT("im_") "/d/x&quot;>'/>" },
};

TEST(rewrite, reads_pages_in_xml)
{
	for (size_t i = 0; i < COUNT(drawings); i++)
		check_rewritten(t, as_xhtml, drawings[i].in, drawings[i].out);
}

static void as_main_xhtml(struct rewriter *w, struct str in, struct buf *out)
{
	w->top = true;
	as_xhtml(w, in, out);
}

static void as_page_of_1252(struct rewriter *w, struct str in, struct buf *out)
{
	w->utf8 = false;
	w->charset.encoding = encoding_of_label(STR("windows-1252"));
	as_page(w, in, out);
}

TEST(rewrite, writes_no_utf8_into_other_charsets)
{
	check_rewritten(t, as_page_of_1252, "<a href='mailto:a?subject=caf&eacute;'><p onclick='x(\"&eacute;\")'>",
			NULL);
	check_rewritten(t, as_page_of_1252, "<p style='a:url(/x);b:\"&eacute;\xe9&#233;&amp;\"'>",
			"<p style='a:url(" AT("im_") "/x);b:&quot;&eacute;\xe9&#233;&amp;&quot;'>");
}

TEST(rewrite, gives_a_link_one_target)
{
	check_rewritten(t, as_main_xhtml, "<a href='/x' xlink:href='/y'/><a href='/x'/>",
			"<a href='" AT("") "/x' target=\"_top\" xlink:href='" AT("") "/y'/><a href='" AT(
			    "") "/x' target=\"_top\"/>");
}

TEST(rewrite, puts_its_script_into_drawings)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "<?xml version='1.0'?><svg a='/x'><script>1</script></svg>",
		  "<?xml version='1.0'?><svg a='/x'>[us]<script>1</script></svg>" },
		{ "<svg/>", "<svg/>" },
		{ "<math><mi>x</mi></math>", "<math>[us]<mi>x</mi></math>" },
		{ "<html><head><title/></head><svg><rect/></svg></html>",
		  "<html><head>[us]<title/></head><svg><rect/></svg></html>" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check_rewritten(t, as_page_with_script, rows[i].in, rows[i].out);
}

static const struct {
	const char *in, *out; /* out NULL: as it is */
} documents[] = {
	/* style sheets of any XML, and of style sheets */
	{ "<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='/s.xsl?a&amp;b'?><r/>",
	  "<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='" AT("cs_") "/s.xsl?a&amp;b'?><r/>" },
	{ "<?xml-stylesheet href='s.css'?><r/>", NULL },
	{ "<xsl:stylesheet xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:import href='http://b.example/c.xsl'/><xsl:include href='d.xsl'/>"
	  "<a href='{link}'/><a href='http://b.example/{@id}?q={x}'/><img src='/i/{@n}.png'/><img src='//b.example/{@n}'/></xsl:stylesheet>",
	  "<xsl:stylesheet xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:import href='" OF(
	      "oe_") "http://b.example/c.xsl'/><xsl:include href='d.xsl'/>"
		     "<a href='{link}'/><a href='" OF("mp_") "http://b.example/{@id}?q={x}'/><img src='" AT(
			 "im_") "/i/{@n}.png'/><img src='" OF("im_") "http://b.example/{@n}'/></xsl:stylesheet>" },
	/* what stays in the archive by itself stays as it is; what climbs out of its site does not */
	{ "<r href='x' src='../y' url='#z'/>", NULL },
	{ "<r href='../../x'/>", "<r href='" AT("oe_") "/x'/>" },
	{ "<r href='.%2E/%2e%2e/x' src='%2e/%2e%2e/y'/>", "<r href='" AT("oe_") "/x' src='%2e/%2e%2e/y'/>" },
	{ "<r href='a&#xA0;b&#10;c&apos;'/>", NULL },
	{ "<?xml-stylesheet href='?><r>it's</r>", NULL },
	{ "<r><h:meta http-equiv='Refresh' content='0;url=/x'/><h:meta http-equiv='x' content='/x'/></r>",
	  "<r><h:meta data-archived-http-equiv='Refresh' content='0;url=/x'/><h:meta http-equiv='x' content='/x'/></r>" },
	{ "<r href='urn:x' src='mailto:a@b' url='data:,'/>", NULL },
	/* names, and names of names, are no references */
	{ "<r xmlns='http://b.example/' xmlns:href='http://b.example/' schemeIdUri='http://b.example/' href='&own;/x'>http://b.example/</r>",
	  NULL },
	{ "<!DOCTYPE r [<!ENTITY e \"<x href='/y'>\">]><r><![CDATA[<x href='/y'>]]><!-- <x href='/y'> --></r>", NULL },
	{ "<r href=/bare", NULL },
	/* feeds and site maps */
	{ "<rss><channel><link>http://a.example/?a&amp;b</link><atom:link href='http://a.example/f'/><guid>http://a.example/1</guid>"
	  "<item><link><![CDATA[ http://a.example/?a&b ]]></link><enclosure url='http://b.example/a.mp3'/></item></channel></rss>",
	  "<rss><channel><link>" AT("mp_") "/?a&amp;b</link><atom:link href='" AT(
	      "mp_") "/f'/><guid>http://a.example/1</guid>"
		     "<item><link><![CDATA[" AT("mp_") "/?a&b]]></link><enclosure url='" OF(
			 "oe_") "http://b.example/a.mp3'/></item></channel></rss>" },
	{ "<urlset><url><loc>http://a.example/x</loc></url></urlset>",
	  "<urlset><url><loc>" AT("mp_") "/x</loc></url></urlset>" },
	{ "<other><link>http://a.example/x</link></other>", NULL },
	{ "<rss><link>\n<![CDATA[/x]]>\n</link></rss>", "<rss><link>\n<![CDATA[" AT("mp_") "/x]]>\n</link></rss>" },
	/* DASH: what lies in a BaseURL is relative to it */
	{ "<MPD xmlns='urn:mpeg:dash:schema:mpd:2011'><Period><SegmentTemplate media='$RepresentationID$/$Number%05d$.m4s' initialization='/i.mp4'/></Period></MPD>",
	  "<MPD xmlns='urn:mpeg:dash:schema:mpd:2011'><Period><SegmentTemplate media='$RepresentationID$/$Number%05d$.m4s' initialization='" AT(
	      "oe_") "/i.mp4'/></Period></MPD>" },
	{ "<MPD><BaseURL>http://b.example/v/</BaseURL><BaseURL>http://c.example/</BaseURL><Period><BaseURL>p1/</BaseURL><SegmentList>"
	  "<Initialization sourceURL='/i'/><SegmentURL media='s1' index='../../../x'/></SegmentList></Period><Period><SegmentURL media='/s2'/></Period></MPD>",
	  "<MPD><BaseURL>" OF("oe_") "http://b.example/v/</BaseURL><BaseURL>" OF(
	      "oe_") "http://c.example/</BaseURL><Period><BaseURL>p1/</BaseURL><SegmentList>"
		     "<Initialization sourceURL='" OF("oe_") "http://b.example/i'/><SegmentURL media='s1' index='" OF(
			 "oe_") "http://b.example/x'/></SegmentList></Period><Period><SegmentURL media='" OF("oe_") "http://b.example/s2'/></Period></MPD>" },
	{ "<MPD><Period><BaseURL>http://b.example/</BaseURL><S media='/x'/></Period><Period xlink:href='/r.xml'><AdaptationSet bitstreamSwitching='true'/></Period>"
	  "<UTCTiming schemeIdUri='urn:mpeg:dash:utc:http-iso:2014' value='https://t.example/now'/><Location>/live.mpd</Location></MPD>",
	  "<MPD><Period><BaseURL>" OF("oe_") "http://b.example/</BaseURL><S media='/x'/></Period><Period xlink:href='" AT(
	      "oe_") "/r.xml'><AdaptationSet bitstreamSwitching='true'/></Period>"
		     "<UTCTiming schemeIdUri='urn:mpeg:dash:utc:http-iso:2014' value='" OF(
			 "oe_") "https://t.example/now'/><Location>" AT("oe_") "/live.mpd</Location></MPD>" },
};

static void as_xml_without_origin(struct rewriter *w, struct str in, struct buf *out)
{
	w->bare = true;
	as_xml(w, in, out);
}

TEST(rewrite, leaves_transforms_to_pages_with_an_origin)
{
	check_rewritten(
	    t, as_xml_without_origin,
	    "<?xml-stylesheet type='text/xsl' href='/s.xsl'?><?xml-stylesheet type='text/css' href='/s.css'?><r/>",
	    "<?data-archived-xml-stylesheet type='text/xsl' href='/s.xsl'?><?xml-stylesheet type='text/css' href='" AT(
		"cs_") "/s.css'?><r/>");
}

TEST(rewrite, leaves_transforms_under_other_names_too)
{
	check_rewritten(t, as_xml_without_origin, "<?xml-stylesheet type='application/xml' href='/s'?><r/>",
			"<?data-archived-xml-stylesheet type='application/xml' href='/s'?><r/>");
	check_rewritten(t, as_xml_without_origin, "<?xml-stylesheet type='text/&#120;sl' href='/s'?><r/>",
			"<?data-archived-xml-stylesheet type='text/&#120;sl' href='/s'?><r/>");
}

TEST(rewrite, notes_document_types_that_make_elements)
{
	static const struct {
		const char *xml;
		bool made;
	} rows[] = {
		{ "<!DOCTYPE r><r/>", false },
		{ "<!DOCTYPE r PUBLIC '-//x' 'http://b.example/x%20y.dtd'><r/>", false },
		{ "<!DOCTYPE r [<!-- <!ENTITY e '<x/>'> --><!ENTITY n 'http://b.example/'><!ENTITY nbsp '&#160;'>]><r/>",
		  false },
		{ "<!DOCTYPE r [<!ATTLIST r a CDATA #IMPLIED><!ENTITY u 'x%20y'>]><r/>", false },
		{ "<!DOCTYPE r [<!ATTLIST r a CDATA 'x'>]><r/>", true },
		{ "<!DOCTYPE r [<!ENTITY e '<x/>'>]><r/>", true },
		{ "<!DOCTYPE r [<!ENTITY e '&#x3C;x/>'>]><r/>", true },
		{ "<!DOCTYPE r [<!ENTITY e '&#38;#60;x/>'>]><r/>", true },
		{ "<!DOCTYPE r [<!ENTITY % p 'x'> %p;]><r/>", true },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int page = 0; page < 2; page++) {
			struct arena a = { 0 };
			struct buf out = BUF(1 * MIB);
			struct rewriter w = rewriter(&a, &out);

			(page ? as_xhtml : as_xml)(&w, str(rows[i].xml), &out);
			CHECK(w.made == rows[i].made);
			url_release(&w.base);
			url_release(&w.scratch);
			buf_release(&out);
			arena_release(&a);
		}
}

TEST(rewrite, leads_xml_into_the_archive)
{
	for (size_t i = 0; i < COUNT(documents); i++)
		check_rewritten(t, as_xml, documents[i].in, documents[i].out);
}

/* ---- manifests ---- */

static const struct {
	void (*rewrite)(struct rewriter *w, struct str text, struct buf *out);
	const char *in, *out; /* out NULL: as it is */
} lists[] = {
	{ rewrite_hls,
	  "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"/k\",IV=0x1\r\nseg1.ts\r\nhttp://b.example/seg2.ts\n/seg3.ts",
	  "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"" AT("oe_") "/k\",IV=0x1\r\nseg1.ts\r\n" OF(
	      "oe_") "http://b.example/seg2.ts\n" AT("oe_") "/seg3.ts" },
	{ rewrite_hls,
	  "#EXT-X-DATERANGE:X-ASSET-URI=\"http://b.example/{$id}\",URI=\"/b\"\n#EXT-X-KEY:URI=\"skd://x\"\n#URI=\"/open",
	  "#EXT-X-DATERANGE:X-ASSET-URI=\"" OF("oe_") "http://b.example/{$id}\",URI=\"" AT(
	      "oe_") "/b\"\n#EXT-X-KEY:URI=\"skd://x\"\n#URI=\"" AT("oe_") "/open" },
	{ rewrite_app,
	  "{ \"name\": \"http://a.example/\", \"start_url\": \"\\/s?a\", \"id\": \"/\", \"icons\": [{\"src\":\"i.png\"},{\"src\" : \"http:\\/\\/b.example\\/i.png\"}] }",
	  "{ \"name\": \"http://a.example/\", \"start_url\": \"" AT(
	      "mp_") "/s?a\", \"id\": \"/\", \"icons\": [{\"src\":\"i.png\"},{\"src\" : \"" OF("im_") "http://b.example/i.png\"}] }" },
	{ rewrite_app,
	  "{\"scope\":\"/\",\"description\":\"\\\"src\\\":\\\"/x\\\"\",\"shortcuts\":[{\"url\":\"/n?q=%s\"}],\"src\":[\"/a\"]}",
	  "{\"scope\":\"" AT("mp_") "/\",\"description\":\"\\\"src\\\":\\\"/x\\\"\",\"shortcuts\":[{\"url\":\"" AT(
	      "mp_") "/n?q=%s\"}],\"src\":[\"/a\"]}" },
	{ rewrite_app, "{\"src\":\"/never ends", NULL },
	{ rewrite_app, "\"", NULL },
	{ rewrite_app, "", NULL },
};

TEST(rewrite, leads_manifests_into_the_archive)
{
	for (size_t i = 0; i < COUNT(lists); i++)
		check_rewritten(t, lists[i].rewrite, lists[i].in, lists[i].out);
}

TEST(rewrite, is_chosen_by_type_and_bytes)
{
	static const struct {
		const char *mime;
		enum modifier mod;
		const char *body;
		enum rewrite_kind kind;
	} rows[] = {
		{ "application/dash+xml", MOD_MP, "<MPD/>", REWRITE_XML },
		{ "application/dash+xml", MOD_OE, "<MPD/>", REWRITE_XML },
		{ "application/dash+xml", MOD_ID, "<MPD/>", REWRITE_NOT },
		{ "application/octet-stream", MOD_MP, "\xef\xbb\xbf<?xml version='1.0'?><!-- <r> --><MPD>",
		  REWRITE_XML },
		{ "application/octet-stream", MOD_MP, "<r>", REWRITE_NOT },
		{ "application/rss+xml", MOD_MP, "<rss>", REWRITE_XML },
		{ "text/xml", MOD_MP, "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY e '>'>]>\n<h:html>",
		  REWRITE_HTML },
		{ "application/xml", MOD_IM, "<svg>", REWRITE_HTML },
		{ "application/xml", MOD_MP, "", REWRITE_XML },
		{ "image/svg+xml", MOD_IM, "<svg>", REWRITE_HTML },
		{ "application/manifest+json", MOD_MP, "{}", REWRITE_APP },
		{ "application/json", MOD_MP, "{}", REWRITE_NOT },
		{ "application/json", MOD_LN, " {}", REWRITE_APP },
		{ "text/plain", MOD_LN, "{}", REWRITE_APP },
		{ "application/json", MOD_LN, "[]", REWRITE_NOT },
		{ "audio/mpegurl", MOD_OE, "#EXTM3U\n", REWRITE_HLS },
		{ "text/plain", MOD_OE, "#EXTM3U\n", REWRITE_HLS },
		{ "text/plain", MOD_MP, "#EXT", REWRITE_NOT },
		{ "text/html", MOD_JS, "var a", REWRITE_JS },
		{ "text/html", MOD_MP, "{\"a\":1}", REWRITE_NOT },
		{ "text/html", MOD_IM, "<p>", REWRITE_NOT },
		{ "text/plain", MOD_CS, "a{}", REWRITE_CSS },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_EQ(rewrite_kind(str(rows[i].mime), rows[i].mod, str(rows[i].body)), rows[i].kind, "row %zu", i);
}

static const struct {
	const char *in, *out;
} sheets[] = {
	{ "a{b:url( \"x.png\" )}", "a{b:url( \"" AT("im_") "/d/x.png\" )}" },
	{ "/* url(x) */ a::after{content:\"url(x)\"}", "/* url(x) */ a::after{content:\"url(x)\"}" },
	{ "@import url(x.css);@import 'y.css' screen;",
	  "@import url(" AT("cs_") "/d/x.css);@import '" AT("cs_") "/d/y.css' screen;" },
	{ "a{b:url(data:image/png;base64,AAAA)}", "a{b:url(data:image/png;base64,AAAA)}" },
	{ "a{b:url(x\\29 y)}", "a{b:url(" AT("im_") "/d/x%29y)}" },
	{ "a{b:url(", "a{b:url(" },
	{ "@namespace svg url(http://www.w3.org/2000/svg);@namespace \"http://www.w3.org/1999/xhtml\";a{b:url(x)}",
	  "@namespace svg url(http://www.w3.org/2000/svg);@namespace \"http://www.w3.org/1999/xhtml\";a{b:url(" AT(
	      "im_") "/d/x)}" },
	/* the quote that ends a URL begins nothing */
	{ "a{b:url(\"x.png\")}c{d:url('y.png');e:url(z.png)}",
	  "a{b:url(\"" AT("im_") "/d/x.png\")}c{d:url('" AT("im_") "/d/y.png');e:url(" AT("im_") "/d/z.png)}" },
	{ "@import url('x.css')screen;@import \"y.css\";a{b:url(z)}",
	  "@import url('" AT("cs_") "/d/x.css')screen;@import \"" AT("cs_") "/d/y.css\";a{b:url(" AT("im_") "/d/z)}" },
	{ "a{b:url(\"x\\\"y\");c:url(z)}", "a{b:url(\"" AT("im_") "/d/x%22y\");c:url(" AT("im_") "/d/z)}" },
	{ ".a\\\"b{c:url(x)}", ".a\\\"b{c:url(" AT("im_") "/d/x)}" },
	{ "a{b:image-set('x.png' 1x,\"y.png\" 2x type(\"image/png\"));content:'z.png'}",
	  "a{b:image-set('" AT("im_") "/d/x.png' 1x,\"" AT(
	      "im_") "/d/y.png\" 2x type(\"image/png\"));content:'z.png'}" },
	{ "a{b:-webkit-image-set(url(x) 1x,url(y) 2x)}",
	  "a{b:-webkit-image-set(url(" AT("im_") "/d/x) 1x,url(" AT("im_") "/d/y) 2x)}" },
};

TEST(rewrite, finds_urls_of_styles)
{
	for (size_t i = 0; i < COUNT(sheets); i++)
		check_rewritten(t, rewrite_css, sheets[i].in, sheets[i].out);
}

#define WL "__winnow.loc(location)"
#define WS "__winnow.of(self).location"
static const struct {
	const char *in, *out; /* out NULL: as it is */
} scripts[] = {
	/* constants */
	{ "u='http://b.example/x'", "u='/c/20100102030405mp_/http://b.example/x'" },
	{ "u='<img src=\"http://b.example/x\">'", "u='<img src=\"/c/20100102030405mp_/http://b.example/x\">'" },
	{ "u=`http://b.example/${'http://b.example/'+x}/'http://no`",
	  "u=`/c/20100102030405mp_/http://b.example/${'/c/20100102030405mp_/http://b.example/'+x}/'/c/20100102030405mp_/http://no`" },
	{ "// 'http://b.example/x'\n/* 'http://b.example/x' */", NULL },
	{ "if (o === 'http://b.example' || 'http://b.example' != o) switch (o) { case 'http://b.example': }", NULL },
	{ "w.postMessage(m, 'http://b.example')", NULL },
	{ "f(m, 'http://b.example/x')", "f(m, '/c/20100102030405mp_/http://b.example/x')" },
	{ "r=/[/'\"]/;u=\"http://b.example/x\"", "r=/[/'\"]/;u=\"/c/20100102030405mp_/http://b.example/x\"" },
	{ "a=b/2;u='http://b.example/x'/1", "a=b/2;u='/c/20100102030405mp_/http://b.example/x'/1" },
	/* modules */
	{ "import a from '/m.js';import{b as c}from\"./n.js\";import 'http://b.example/o.js';import d from 'lib';export*from'../p.js'",
	  "import a from '" AT("esm_") "/m.js';import{b as c}from\"" AT(
	      "esm_") "/d/n.js\";import '/c/20100102030405esm_/http://b.example/o.js';import d from 'lib';export*from'" AT("esm_") "/p.js'" },
	{ "import('/m.js').then(f);import.meta.url;a.import('/x')",
	  "__winnow.imp(\"http://a.example/d/p.html\",'/m.js').then(f);import.meta.url;a.import('/x')" },
	{ "x={from:'/a'};from='/b';Array.from('/c')", NULL },
	/* location, read */
	{ "x=location.href", "x=" WL ".href" },
	{ "if(location.protocol=='https:'){return location}", "if(" WL ".protocol=='https:'){return " WL "}" },
	{ "a?location:b", "a?" WL ":b" },
	{ "window.location.href+document . location+top?.location",
	  "__winnow.of(window).location.href+__winnow.of(document) . location+__winnow.of(top)?.location" },
	/* location, written */
	{ "location='/x'", WS "='/x'" },
	{ "if(a)location=b;else location = c", "if(a)" WS "=b;else " WS " = c" },
	{ "a&&(b(),1);{location=x}", "a&&(b(),1);{" WS "=x}" },
	{ "window.location='/x';self.location.replace(y)",
	  "__winnow.of(window).location='/x';__winnow.of(self).location.replace(y)" },
	/* location that is something else, or could be */
	{ "a.location='x';b.window.location;this.location", NULL },
	{ "o={location:1,a:2};o={a,location};f({location});", NULL },
	{ "var location=1;location=2", NULL },
	{ "function f(location){location=1}", NULL },
	{ "location=>location", "location=>" WL },
	{ "(a,location)=>{location=2}", NULL },
	{ "({location='x'})=>1", NULL },
	{ "class A{location=1;location;static location=2;#location;get location(){}f(){this.#location}}", NULL },
	{ "for(location in x);for(location of y);location:for(;;);", NULL },
	{ "'location';\"window.location\";`location`;/location/;//location", NULL },
	{ "mylocation=location2=$location=_location", NULL },
	{ "[location]=x;f(location);f(...location)", NULL },
	{ "`${location.href}`", "`${" WL ".href}`" },
	{ "`a${{b:`${location.x}`}.b}c`;location.y", "`a${{b:`${" WL ".x}`}.b}c`;" WL ".y" },
	{ "'a\\\r\nlocation.b';location.c", "'a\\\r\nlocation.b';" WL ".c" },
	{ "<!-- location.href\nlocation.href", "<!-- location.href\n" WL ".href" },
	{ "'unclosed\nlocation.x", "'unclosed\n" WL ".x" },
};

TEST(rewrite, leads_scripts_into_the_archive)
{
	for (size_t i = 0; i < COUNT(scripts); i++)
		check_rewritten(t, rewrite_js, scripts[i].in, scripts[i].out);
}

/* ---- the scanner against the tokenizer of the standard ---- */

static void note_tag(struct buf *out, bool end, struct str name, const struct html_attr *attrs, size_t n)
{
	buf_printf(out, "<%s", end ? "/" : "");
	for (size_t i = 0; i < name.n; i++)
		buf_byte(out, ascii_lower(name.p[i]));
	for (size_t i = 0; !end && i < n; i++) {
		buf_byte(out, ' ');
		for (size_t k = 0; k < attrs[i].name.n; k++)
			buf_byte(out, ascii_lower(attrs[i].name.p[k]));
		buf_byte(out, '=');
		buf_str(out, attrs[i].value);
	}
	buf_str(out, STR(">\n"));
}

struct twin {
	struct html *h;
	struct buf out;
};

static void on_token(void *context, const struct html_token *token)
{
	struct twin *x = context;

	if (token->type != HTML_START && token->type != HTML_END)
		return;
	note_tag(&x->out, token->type == HTML_END, token->text, token->attrs, token->nattrs);
	if (token->type == HTML_START && html_is_raw(token->text)) {
		html_set_model(x->h, str_eq(token->text, STR("script")) ? HTML_SCRIPT
				     : str_eq(token->text, STR("textarea")) || str_eq(token->text, STR("title"))
					 ? HTML_RCDATA
					 : HTML_RAWTEXT);
		html_set_last_start(x->h, token->text);
	}
}

static void scan(struct arena *a, struct str page, struct buf *out)
{
	static struct scanned_tag t;

	for (size_t at = 0; at < page.n;) {
		const char *open = memchr(page.p + at, '<', page.n - at);
		size_t end = 0;

		if (!open || (at = (size_t)(open - page.p)) + 1 >= page.n)
			return;
		if (ascii_alpha(page.p[at + 1]) ||
		    (page.p[at + 1] == '/' && at + 2 < page.n && ascii_alpha(page.p[at + 2]))) {
			struct html_attr attrs[SCAN_ATTRS];
			size_t n = 0;

			if ((end = html_scan_tag(page, at, &t)) == 0)
				return;
			for (size_t i = 0; i < t.n; i++) {
				bool twice = false;

				for (size_t k = 0; k < n; k++)
					twice |= str_ieq(attrs[k].name, t.attrs[i].name);
				if (!twice)
					attrs[n++] = (struct html_attr){ t.attrs[i].name,
									 html_attr_decode(a, t.attrs[i].value) };
			}
			note_tag(out, t.end, t.name, attrs, n);
			at = end;
			if (!t.end && html_is_raw(t.name))
				at = html_scan_raw(page, at, t.name);
		} else if (at + 3 < page.n && memcmp(page.p + at, "<!--", 4) == 0) {
			at = html_scan_comment(page, at);
		} else if (page.p[at + 1] == '!' || page.p[at + 1] == '?' || page.p[at + 1] == '/') {
			const char *close = memchr(page.p + at + (page.p[at + 1] == '/' ? 2 : 1), '>',
						   page.n - at - (page.p[at + 1] == '/' ? 2 : 1));

			at = close ? (size_t)(close - page.p) + 1 : page.n;
		} else {
			at++;
		}
	}
}

TEST(rewrite, sees_the_tags_that_the_tokenizer_sees)
{
	static const char *const bits[] = { "<",	  ">",		 "/",	      "a",	   "=",	     "\"",
					    "'",	  " ",		 "<script>",  "</script>", "<!--",   "-->",
					    "-",	  "!",		 "<img src=", "&amp;",	   "&#x41;", "&lt",
					    "<textarea>", "</textarea>", "<style>",   "</style ",  "x",	     "\n",
					    "<b c=d>",	  "</b>",	 "?",	      "<script",   "--!>" };
	uint64_t seed = 88172645463325252ull;

	for (unsigned round = 0; round < 20000; round++) {
		struct arena a = { 0 };
		struct buf page = BUF(64 * KIB), ours = BUF(1 * MIB);
		struct twin x = { .out = BUF(1 * MIB) };

		for (unsigned i = 0; i < 14; i++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			buf_str(&page, str(bits[seed % COUNT(bits)]));
		}
		x.h = html_new(on_token, &x);
		html_feed(x.h, buf_view(&page));
		html_end(x.h);
		html_free(x.h);
		scan(&a, buf_view(&page), &ours);
		bool same = CHECK_STR(buf_view(&ours), buf_view(&x.out), "in %.*s", STR_FMT(buf_view(&page)));
		buf_release(&page);
		buf_release(&ours);
		buf_release(&x.out);
		arena_release(&a);
		if (!same)
			return;
	}
}

/* ---- addresses ---- */

static const struct {
	const char *in, *url, *stamp;
	enum modifier mod;
	bool calendar;
} addresses[] = {
	{ "2010mp_/http://a.example/", "http://a.example/", "2010", MOD_MP, false },
	{ "20100102030405id_/http:/a.example/x", "http://a.example/x", "20100102030405", MOD_ID, false },
	{ "2010zz_///a.example/x", "http://a.example/x", "2010", MOD_MP, false },
	{ "http://a.example/", "http://a.example/", "", MOD_NONE, false },
	{ "a.example/x", "http://a.example/x", "", MOD_NONE, false },
	{ "*/http://a.example/", "http://a.example/", "", MOD_NONE, true },
	{ "2009-2011*/http://a.example/", "http://a.example/", "2009", MOD_NONE, true },
	{ "2010/https%3A%2F%2Fa.example%2Fx", "https://a.example/x", "2010", MOD_NONE, false },
};

TEST(replay_path, reads_every_spelling)
{
	for (size_t i = 0; i < COUNT(addresses); i++) {
		struct arena a = { 0 };
		struct replay_path p;

		REQUIRE(replay_path_parse(&p, &a, str(addresses[i].in), STR_NONE, false));
		CHECK_STR(p.url, str(addresses[i].url));
		CHECK_STR(p.stamp, str(addresses[i].stamp));
		CHECK_EQ(p.modifier, addresses[i].mod);
		CHECK_EQ(p.calendar, addresses[i].calendar);
		arena_release(&a);
	}
}

TEST(replay_path, refuses_what_has_no_url)
{
	static const char *const bad[] = { "2010mp_/", "2010mp_//", "/", "*/" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct arena a = { 0 };
		struct replay_path p;

		CHECK(!replay_path_parse(&p, &a, str(bad[i]), STR_NONE, false), "%s", bad[i]);
		arena_release(&a);
	}
}

TEST(replay_path, cache_busters_go)
{
	struct arena a = { 0 };

	CHECK_STR(replay_plain_url(&a, STR("http://a/x?_=123&b=1")), STR("http://a/x?b=1"));
	CHECK_STR(replay_plain_url(&a, STR("http://a/x?_=123")), STR("http://a/x"));
	CHECK(!replay_plain_url(&a, STR("http://a/x?b=1")).p);
	CHECK(!replay_plain_url(&a, STR("http://a/x")).p);
	arena_release(&a);
}
