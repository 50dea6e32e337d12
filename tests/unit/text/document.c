/* From payload to document: what is recognised as what, and payloads made to hurt, each by its name.
 * The large forms (a million tags, an attribute of a gigabyte, a line of 100 MB) are the same pages with a larger count. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "test.h"
#include "text/document.h"

static struct document read_as(struct test *t, struct str payload, const char *mime)
{
	struct documents *documents = documents_new();
	struct document_in in = { .payload = payload,
				  .mime = str(mime),
				  .url = STR("http://example.org/dir/page.html") };
	struct document d;
	struct err err = { 0 };

	CHECK_EQ(document_extract(&d, t->arena, documents, &in, &err), 0, "%s", err.text);
	d.page.text = arena_str(t->arena, d.page.text);
	d.page.title = arena_str(t->arena, d.page.title);
	d.main = arena_str(t->arena, d.main);
	d.page.links = NULL;
	documents_free(documents);
	return d;
}

/* ASCII as UTF-16 without a mark. */
static struct str wide(struct test *t, const char *s, bool big)
{
	size_t n = strlen(s);
	char *p = arena_zalloc(t->arena, 2 * n + 1);

	for (size_t i = 0; i < n; i++)
		p[2 * i + big] = s[i];
	return str_n(p, 2 * n);
}

/* Readers by what the root element is; any other XML is what stands in its elements. */
TEST(document, xml_is_read_by_its_root)
{
	static const char other[] =
	    "<!DOCTYPE catalogue [ <!ENTITY a \"not <text>\"> ]>\n<!-- no --><catalogue>\n <book id='no'>\n  <title>On  winnowing</title>"
	    "<by>A. &amp; B.</by><blurb><![CDATA[chaff <b>& wheat]]> &#65;</blurb><?no no?></book><empty/>end\n</catalogue>";
	static const char *const types[] = { "text/xml", "application/xml; charset=utf-8", "" };

	for (size_t i = 0; i < COUNT(types); i++) {
		const char *begun = arena_printf(t->arena, "<?xml version='1.0'?>%s", other).p;
		struct document d = read_as(t, str(begun), types[i]);

		CHECK_STR(d.mime, STR("text/xml"));
		CHECK_STR(d.page.text, STR("On winnowing\nA. & B.\nchaff <b>& wheat A\nend"));
		if (i < 2) {
			d = read_as(t, str(other), types[i]);
			CHECK_STR(d.mime, STR("text/xml"), "without a declaration");
			CHECK_STR(d.page.text, STR("On winnowing\nA. & B.\nchaff <b>& wheat A\nend"));
		}
		d = read_as(t, STR("<?xml version='1.0'?><rss><channel><title>N</title></channel></rss>"), types[i]);
		CHECK_STR(d.mime, STR("application/rss+xml"));
		d = read_as(t, STR("<?xml version='1.0'?><html><head><style>no</style></head><body>yes</body></html>"),
			    types[i]);
		CHECK_STR(d.page.text, STR("yes"));
	}
	for (size_t n = 0; n < sizeof other; n++) /* any cut of it is read */
		CHECK(read_as(t, str_n(other, n), "text/xml").page.text.n <= n);
	CHECK_STR(read_as(t, STR("no markup at all"), "text/xml").mime, STR("text/plain"));
}

TEST(document, utf16_without_a_mark_is_markup_when_it_begins_so)
{
	static const char page[] =
	    "\r\n<!DOCTYPE html><html><head><title>T</title></head><body><p>Hello <b>there</b></body></html>";
	struct document d;

	for (int big = 0; big < 2; big++) {
		d = read_as(t, wide(t, page, big), big ? "text/html; charset=utf-16be" : "text/html; charset=utf-16le");
		CHECK_STR(d.mime, STR("text/html"));
		CHECK_STR(d.page.text, STR("T\nHello there"), "declared");
		d = read_as(t, wide(t, page, big), "text/html");
		CHECK_STR(d.page.text, STR("T\nHello there"), "seen");
		CHECK_STR(str(d.charset), big ? STR("utf-16be") : STR("utf-16le"));
		d = read_as(t, wide(t, page, big), "");
		CHECK_STR(d.page.text, STR("T\nHello there"), "no type at all");
		d = read_as(t, wide(t, page, big), "text/plain");
		CHECK_STR(d.mime, STR("text/plain"), "browsers show the source");
	}
	d = read_as(
	    t,
	    wide(
		t,
		"<?xml version='1.0'?><rss><channel><title>News</title><item><title>One</title></item></channel></rss>",
		false),
	    "application/rss+xml");
	CHECK_EQ(d.kind, PAYLOAD_FEED);
	d = read_as(t, wide(t, "plain words, no markup", false), "text/plain; charset=utf-16le");
	CHECK_STR(d.page.text, STR("plain words, no markup"));
	d = read_as(t, wide(t, "words of a page without its tags", false), "text/html; charset=utf-16le");
	CHECK_STR(d.mime, STR("text/html"));
}

/* UTF-8 of letters up to U+07FF as UTF-16 without a mark. */
static struct str wide_letters(struct test *t, const char *s, bool big)
{
	struct str in = str(s);
	char *p = arena_alloc(t->arena, 2 * in.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < in.n;) {
		uint32_t point;

		i += utf8_decode(in.p + i, str_end(in), &point);
		p[n + big] = (char)point;
		p[n + !big] = (char)(point >> 8);
		n += 2;
	}
	return str_n(p, n);
}

TEST(document, utf16_that_http_declares_is_not_binary_for_its_letters)
{
	static const char *const texts[] = { "Съешь же ещё этих мягких французских булок, да выпей чаю",
					     "Καλημέρα κόσμε, τι κάνεις σήμερα;", "שלום לכולם, מה שלומכם היום" };
	static const char *const types[] = { "text/plain; charset=", "text/html; charset=", "text/plain; " };

	for (size_t i = 0; i < COUNT(texts) * COUNT(types) * 2; i++) {
		bool big = i & 1;
		const char *text = texts[i / 2 % COUNT(texts)], *label = big ? "utf-16be" : "utf-16le";
		const char *type = arena_printf(t->arena, "%s%s", types[i / 2 / COUNT(texts)], label).p;
		struct document d = read_as(t, wide_letters(t, text, big), type);

		CHECK_STR(d.page.text, str(text), "%s", type);
		CHECK_STR(str(d.charset), str(label), "%s", type);
		d = read_as(t, wide_letters(t, arena_printf(t->arena, "<p>%s", text).p, big), "text/html");
		CHECK_STR(d.page.text, str(text), "a page of a tag and a line");
	}
	struct document d = read_as(t, wide_letters(t, texts[0], true), "text/plain; charset=utf-16");

	CHECK_STR(d.page.text, str(texts[0]), "big-endian, whatever utf-16 means");
	CHECK(d.flaws & DOC_FLAW_CHARSET_LIES);
	CHECK_STR(read_as(t, STR("ASCII after all"), "text/plain; charset=utf-16").page.text, STR("ASCII after all"));
	CHECK_EQ(read_as(t, STR("\x89PNG\r\n\x1A\n...."), "text/plain; charset=utf-16").why_none, DOCUMENT_BINARY);
	char noise[1024];

	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (char)(test_random(t) >> 24);
	CHECK_EQ(read_as(t, str_n(noise, sizeof noise), "application/octet-stream; charset=utf-16").why_none,
		 DOCUMENT_BINARY);
}

TEST(document, text_that_begins_like_a_magic_number_is_text)
{
	static const char *const begins[] = { "ID3",  "CWS",	"FWS",	  "BZh",    "wOFF",
					      "wOF2", "GIF89a", "GIF87a", "{\\rtf", "%!PS-Adobe-" };

	for (size_t i = 0; i < COUNT(begins); i++) {
		struct str text = arena_printf(t->arena, "%s is how some files begin.", begins[i]);
		struct str file = arena_printf(t->arena, "%s%c%c%c and so on", begins[i], 3, 0, 7);

		CHECK_STR(read_as(t, text, "text/plain").page.text, text);
		CHECK_STR(read_as(t, text, "text/html; charset=utf-8").page.text, text);
		CHECK_EQ(read_as(t, file, "text/plain").kind, PAYLOAD_BINARY, "%s", begins[i]);
		CHECK_EQ(read_as(t, file, "text/html").kind, PAYLOAD_BINARY, "%s", begins[i]);
	}
	CHECK_STR(read_as(t, STR("ID3 is a word"), "").page.text, STR("ID3 is a word"), "no label at all");
	CHECK_EQ(read_as(t, STR("{\\rtf1 words}"), "application/octet-stream").why_none, DOCUMENT_NO_READER);
	CHECK_EQ(read_as(t, STR("{\\rtf1 words}"), "text/rtf").why_none, DOCUMENT_NO_READER);
}

TEST(document, a_pdf_may_have_junk_before_its_head)
{
	static const char pdf[] = "%PDF-1.4\n1 0 obj\n";
	struct str junk = arena_printf(t->arena, "\x01\x02\r\n%*s%s", 1020, "", pdf);

	CHECK_EQ(read_as(t, junk, "application/pdf").kind, PAYLOAD_PDF);
	CHECK_EQ(read_as(t, STR("<br>Warning: in line 1\n%PDF-1.4\n"), "application/pdf").kind, PAYLOAD_PDF);
	CHECK_EQ(read_as(t, arena_printf(t->arena, " %.*s", STR_FMT(junk)), "application/pdf").kind, PAYLOAD_BINARY);
	CHECK_EQ(read_as(t, junk, "application/octet-stream").kind, PAYLOAD_BINARY);
	CHECK_STR(read_as(t, STR("it begins with %PDF-"), "text/plain").page.text, STR("it begins with %PDF-"));
}

TEST(document, bytes_win_over_a_wrong_label)
{
	CHECK_EQ(read_as(t, STR("%PDF-1.4 x"), "text/html").kind, PAYLOAD_PDF);
	CHECK_EQ(read_as(t, STR("\x89PNG\r\n\x1A\n...."), "text/html").why_none, DOCUMENT_BINARY);
	CHECK_EQ(read_as(t, STR("{\"a\": \"text that is not for reading\"}"), "application/json").why_none,
		 DOCUMENT_NO_READER);
	CHECK_STR(read_as(t, STR("<html><p>x"), "application/octet-stream").page.text, STR("x"));
	CHECK_STR(read_as(t, STR("<html><p>x"), "text/plain").page.text, STR("<html><p>x"), "browsers show the source");
	CHECK_EQ(read_as(t, STR(""), "text/html").why_none, DOCUMENT_EMPTY);
	CHECK_EQ(read_as(t, STR("<html> \n </html>"), "text/html").why_none, DOCUMENT_EMPTY);
	CHECK_STR(read_as(t, STR("caf\xE9 \xE0 la carte"), "text/plain; charset=\"ISO-8859-1\"").page.text,
		  STR("caf\xC3\xA9 \xC3\xA0 la carte"));
	CHECK_STR(
	    read_as(t, STR("\xC4\xE5\xED\xFC \xE4\xEE\xE1\xF0\xFB\xE9"), "text/plain; charset=windows-1251").page.text,
	    STR("\xD0\x94\xD0\xB5\xD0\xBD\xD1\x8C \xD0\xB4\xD0\xBE\xD0\xB1\xD1\x80\xD1\x8B\xD0\xB9"));
}

TEST(document, text_with_a_few_control_characters_is_text)
{
	CHECK_STR(read_as(t, STR("an old text ends so\x1A"), "text/plain").page.text, STR("an old text ends so\x1A"));
	CHECK_STR(read_as(t, STR("<p>an old page rings the bell\x07"), "text/html").mime, STR("text/html"));
	CHECK_EQ(read_as(t, STR("M\x02Z\x01 \x03 \x04 a program"), "text/plain").why_none, DOCUMENT_BINARY);
	CHECK_EQ(read_as(t, STR("of no declared type\x1A"), "").why_none, DOCUMENT_BINARY);
}

TEST(document, xhtml_by_its_own_rules_only_when_served_as_such)
{
	static const char page[] =
	    "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script/></head><body><p>a<![CDATA[<b>]]></p><div/>b</body></html>";

	CHECK_STR(read_as(t, str(page), "application/xhtml+xml").page.text, STR("a<b>\nb"));
	CHECK_STR(read_as(t, str(page), "application/xhtml+xml").mime, STR("application/xhtml+xml"));
}

TEST(document, declarations_of_xhtml_are_no_text)
{
	static const char head[] =
	    "<?xml version='1.0'?><!-- [ -->\n<!DOCTYPE html PUBLIC '-//W3C//DTD [>' 'x.dtd' [\n"
	    "<!-- it's ]> --><!ENTITY co \"Winnow &amp; > Sons ]>\">\n<!ENTITY % no 'x'><!ENTITY file SYSTEM 'x.txt'>"
	    "<!ELEMENT p ANY> %no; ]\n>";
	static const char page[] = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>&co;</title></head>"
				   "<body><p>by &co;, &lt;&other; &amp; &file;</p></body></html>";
	struct str all = arena_printf(t->arena, "%s%s", head, page);

	CHECK_STR(read_as(t, all, "application/xhtml+xml").page.text,
		  STR("Winnow & > Sons ]>\nby Winnow & > Sons ]>, <&other; & &file;"));
	CHECK_STR(read_as(t, STR("<!DOCTYPE html [ ]><html><p>x</p></html>"), "application/xhtml+xml").page.text,
		  STR("x"));
	CHECK_STR(read_as(t, all, "text/xml").page.text,
		  STR("Winnow & > Sons ]>\nby Winnow & > Sons ]>, <&other; & &file;"));
	for (size_t n = 0; n < all.n; n++) /* any cut of it is read */
		CHECK(read_as(t, str_sub(all, 0, n), "application/xhtml+xml").page.text.n <= 2 * n);
	struct buf b = BUF(64 * MIB);

	buf_str(&b, STR("<!DOCTYPE html [<!ENTITY a '"));
	for (size_t i = 0; i < 100000; i++)
		buf_str(&b, STR("many "));
	buf_str(&b, STR("'>]><html><body>"));
	for (size_t i = 0; i < 100000; i++)
		buf_str(&b, STR("&a;"));
	struct document d = read_as(t, buf_view(&b), "application/xhtml+xml");

	CHECK(d.flaws & DOC_FLAW_TEXT_CUT, "entities have a bound");
	CHECK(d.page.text.n < 4 * b.n);
	buf_release(&b);
}

static struct str repeated(struct buf *b, const char *before, const char *piece, size_t times, const char *after)
{
	buf_str(b, str(before));
	for (size_t i = 0; i < times; i++)
		buf_str(b, str(piece));
	buf_str(b, str(after));
	return buf_view(b);
}

static const struct {
	const char *name, *before, *piece;
	size_t times;
	const char *after;
	unsigned flaws;	  /* at least these */
	const char *ends; /* of the text; NULL: whatever */
} bad[] = {
	{ "nesting", "", "<div>", 100000, "deep</div>", DOC_FLAW_DEPTH_CUT, "deep" },
	{ "nesting of all kinds", "", "<b><i><p><table><tr><td>", 20000, "deep", DOC_FLAW_DEPTH_CUT, "deep" },
	{ "anchors in buttons in anchors", "", "<a><nobr><button><b>", 20000, "deep", 0, "deep" },
	{ "an attribute without end", "<p title='", "AAAAAAAAAAAAAAAA", 200000, "'>after", DOC_FLAW_TOKEN_CUT,
	  "after" },
	{ "attributes without end", "<p ", "a b c d e f g h i j k l m n o p q r s t ", 1, ">after", 0, "after" },
	{ "references without end", "", "&amp;&&notit&#&#x&#99999999999;", 50000, "after", 0, "after" },
	{ "a charset that lies", "<meta charset=utf-8>", "\xE9\xFF\x80", 1000, "after", DOC_FLAW_REPLACED, "after" },
	{ "tags of a less-than", "", "<", 300000, "", 0, NULL },
	{ "comments that never end", "before", "<!--", 100000, "", 0, NULL },
	{ "scripts that never end", "before", "<script><!--<script", 50000, "", 0, "before" },
	{ "a title that never ends", "<title>", "word ", 100000, "", DOC_FLAW_TEXT_CUT, NULL },
	{ "a quote that never ends", "before", "<a href=\"", 50000, "", 0, NULL },
	{ "links without end", "", "<a href=x>y</a>", 210000, "", DOC_FLAW_LINKS_CUT, NULL },
	{ "candidates without end", "<img srcset='", "a 1x,", 250000, "'>after", 0, "after" },
	{ "imports without end", "<style>", "@import url(x);", 210000, "</style>after", DOC_FLAW_LINKS_CUT, "after" },
	{ "a section without end", "<svg><![CDATA[", "]]", 200000, "", 0, NULL },
	{ "one line", "<p>", "word <b>bold</b> &eacute; ", 100000, "after", 0, "after" },
	{ "one word", "", "wwwwwwwwwwwwwwww", 100000, "", 0, NULL },
	{ "escapes only", "<meta charset=iso-2022-jp>", "\x1B$B", 100000,
	  "\x1B(B"
	  "after",
	  DOC_FLAW_REPLACED, "after" },
	{ "leads only", "<meta charset=euc-jp>", "\x8F", 100000, " after", DOC_FLAW_REPLACED, "after" },
};

TEST(document, bad_pages_are_bounded_and_say_why)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct buf b = BUF(64 * MIB);
		struct document d =
		    read_as(t, repeated(&b, bad[i].before, bad[i].piece, bad[i].times, bad[i].after), "text/html");

		CHECK_EQ(d.flaws & bad[i].flaws, bad[i].flaws, "%s: flaws %x", bad[i].name, d.flaws);
		CHECK_EQ(utf8_valid(d.page.text), d.page.text.n, "%s", bad[i].name);
		if (bad[i].ends)
			CHECK(str_ends(d.page.text, str(bad[i].ends)), "%s", bad[i].name);
		buf_release(&b);
	}
}

TEST(document, nul_bytes_are_dropped_and_told)
{
	struct document d = read_as(t, STR("<p>a\0b<p\0x>c\0\0 d"), "text/html");

	CHECK_STR(d.page.text, STR("abc d"));
	CHECK(d.flaws & DOC_FLAW_NUL);
}

TEST(document, utf16_cut_in_a_letter_is_replaced_and_told)
{
	struct document d = read_as(t, STR("\xFF\xFE<\0p\0>\0a\0\x3D\xD8\0"), "text/html");

	CHECK_STR(d.page.text, STR("a\xEF\xBF\xBD"));
	CHECK_EQ(d.replaced, 1, "half a pair and half a unit are one end");
	CHECK(d.flaws & DOC_FLAW_REPLACED);
}

TEST(document, a_seven_bit_charset_on_eight_bit_text_lies)
{
	struct document d = read_as(t,
				    STR("<p>gr\xC3\xBC\xC3\x9F"
					"e und K\xC3\xBCsse"),
				    "text/html; charset=iso-2022-jp");

	CHECK_STR(str(d.charset), STR("utf-8"));
	CHECK(d.flaws & DOC_FLAW_CHARSET_LIES);
}
