/* text/document.c -- one table from kind of payload to its reader; see document.h. */
#include "text/document.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "archive/url.h"
#include "text/feed.h"
#include "text/office.h"
#include "text/pdf.h"
#include "text/xml.h"

struct documents {
	struct extract *extract;
};

const struct document_flaw_name document_flaw_names[] = {
	{ DOC_FLAW_REPLACED, "charset-replaced", "bytes that are not of the page's charset became U+FFFD" },
	{ DOC_FLAW_TEXT_CUT, "text-cut", "the text is longer than the limit and was cut" },
	{ DOC_FLAW_DEPTH_CUT, "depth-cut", "elements are nested deeper than the limit" },
	{ DOC_FLAW_LINKS_CUT, "links-cut", "there are more or longer links than the limit" },
	{ DOC_FLAW_TOKEN_CUT, "token-cut", "a tag or comment is longer than the limit and was cut" },
	{ DOC_FLAW_CHARSET_UNKNOWN, "charset-unknown", "the charset that HTTP names is none" },
	{ DOC_FLAW_CHARSET_LIES, "charset-lies", "the charset that is declared is disproved by the bytes" },
	{ DOC_FLAW_READER_FAILED, "reader-failed", "the program that reads this kind of file gave up" },
	{ DOC_FLAW_NUL, "nul-in-text", "NUL bytes in the text were dropped" },
	{ 0, NULL, NULL },
};

const char *document_why_name(enum document_why why)
{
	static const char *const names[DOCUMENT_WHYS] = { "has-text", "empty", "binary", "no-reader", "failed" };

	return names[why];
}

struct documents *documents_new(void)
{
	struct documents *d = mem_zalloc(sizeof *d);

	d->extract = extract_new();
	return d;
}

void documents_free(struct documents *d)
{
	if (d) {
		extract_free(d->extract);
		mem_free(d);
	}
}

/* ---- what it is ---- */

static struct str essence(struct str mime)
{
	ptrdiff_t semicolon = str_chr(mime, ';');

	return str_trim(semicolon < 0 ? mime : str_n(mime.p, (size_t)semicolon));
}

/* charset= of a media type, unquoted. */
static struct str charset_parameter(struct str mime)
{
	ptrdiff_t at = str_ifind(mime, STR("charset="));

	if (at < 0)
		return STR_NONE;
	struct str s = str_trim(str_n(mime.p + at + 8, mime.n - (size_t)at - 8));

	if (s.n && (s.p[0] == '"' || s.p[0] == '\'')) {
		ptrdiff_t close = str_chr(str_n(s.p + 1, s.n - 1), s.p[0]);

		return str_n(s.p + 1, close < 0 ? s.n - 1 : (size_t)close);
	}
	size_t n = 0;

	while (n < s.n && s.p[n] != ';' && s.p[n] != ',' && !ascii_space(s.p[n]))
		n++;
	return str_n(s.p, n);
}

/* Magic numbers, longest claim first where one begins with another. */
enum sure {
	BY_BYTES,   /* no text begins so */
	BY_LETTERS, /* a text may; the format has bytes that no text has */
	BY_SOURCE   /* the format is made of letters itself: a label of text is believed */
};
/* clang-format off */
static const struct {
	struct str magic;
	const char *mime;
	enum sure sure;
} magics[] = {
	{ STR("%PDF-"), "application/pdf", BY_BYTES }, { STR("\x89PNG\r\n\x1A\n"), "image/png", BY_BYTES },
	{ STR("GIF87a"), "image/gif", BY_LETTERS }, { STR("GIF89a"), "image/gif", BY_LETTERS },
	{ STR("\xFF\xD8\xFF"), "image/jpeg", BY_BYTES }, { STR("PK\x03\x04"), "application/zip", BY_BYTES },
	{ STR("\x1F\x8B\x08"), "application/gzip", BY_BYTES }, { STR("BZh"), "application/x-bzip2", BY_LETTERS },
	{ STR("\xFD" "7zXZ\0"), "application/x-xz", BY_BYTES }, { STR("\x28\xB5\x2F\xFD"), "application/zstd", BY_BYTES },
	{ STR("\x7F" "ELF"), "application/x-elf", BY_BYTES }, { STR("OggS\0"), "application/ogg", BY_BYTES },
	{ STR("ID3"), "audio/mpeg", BY_LETTERS }, { STR("wOFF"), "font/woff", BY_LETTERS }, { STR("wOF2"), "font/woff2", BY_LETTERS },
	{ STR("\0\0\1\0"), "image/x-icon", BY_BYTES }, { STR("%!PS-Adobe-"), "application/postscript", BY_SOURCE },
	{ STR("{\\rtf"), "application/rtf", BY_SOURCE }, { STR("\xD0\xCF\x11\xE0"), "application/x-ole", BY_BYTES },
	{ STR("FWS"), "application/x-shockwave-flash", BY_LETTERS }, { STR("CWS"), "application/x-shockwave-flash", BY_LETTERS },
};
/* clang-format on */

static const struct str html_starts[] = {
	STR("<!doctype html"), STR("<html"), STR("<head"),  STR("<script"), STR("<iframe"),   STR("<h1"),
	STR("<div"),	       STR("<font"), STR("<table"), STR("<a "),	    STR("<a>"),	      STR("<style"),
	STR("<title"),	       STR("<b>"),   STR("<body"),  STR("<br"),	    STR("<p>"),	      STR("<p "),
	STR("<!--"),	       STR("<meta"), STR("<link"),  STR("<center"), STR("<frameset"),
};

#define SNIFFED 1445 /* bytes that the MIME Sniffing Standard reads */

/* How many of the first bytes no text has. */
static size_t binary_bytes(struct str s)
{
	size_t n = s.n < SNIFFED ? s.n : SNIFFED, found = 0;

	if (str_starts(s, STR("\xFE\xFF")) || str_starts(s, STR("\xFF\xFE")) || str_starts(s, STR("\xEF\xBB\xBF")))
		return 0;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		found += c <= 8 || c == 0x0B || (c >= 0x0E && c <= 0x1A) || (c >= 0x1C && c <= 0x1F);
	}
	return found;
}

static bool looks_binary(struct str s) { return binary_bytes(s) > 0; }

/* Of what is declared to be text, an eighth: letters struck over with backspaces and the ^Z of old systems are no reason to
 * lose a page, for which the Standard would offer a download.  Images and programs have more. */
static bool surely_binary(struct str s) { return binary_bytes(s) > (s.n < SNIFFED ? s.n : SNIFFED) / 8; }

/* The type a payload has by its first bytes alone; none when they are no magic number. */
static struct str sniff_magic(struct str s, struct str type)
{
	for (size_t i = 0; i < COUNT(magics); i++) {
		if (!str_starts(s, magics[i].magic))
			continue;
		if (magics[i].sure == BY_BYTES || looks_binary(s) ||
		    (magics[i].sure == BY_SOURCE && !str_istarts(type, STR("text/"))))
			return str(magics[i].mime);
	}
	return STR_NONE;
}

static bool is_utf16(const struct encoding *e) { return e && strncmp(encoding_name(e), "utf-16", 6) == 0; }

/* Hardly a unit of it is one that no text has: noise and other binaries have an eighth of them. */
static bool reads_as_utf16(struct str s, bool big)
{
	size_t n = (s.n < SNIFFED ? s.n : SNIFFED) / 2, bad = 0;
	unsigned before = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned unit = (unsigned)(unsigned char)s.p[2 * i + !big] << 8 | (unsigned char)s.p[2 * i + big];
		bool low = unit >= 0xDC00 && unit <= 0xDFFF, after_high = before >= 0xD800 && before <= 0xDBFF;

		bad += low != after_high || (unit < ' ' && !ascii_space((char)unit)) || unit >= 0xFFFE ||
		       (unit >= 0xE000 && unit <= 0xF8FF);
		before = unit;
	}
	return n && bad <= n / 16;
}

/* The UTF-16 that a payload without a mark is in, by what HTTP says or by its bytes; NULL when it is not.  A label of
 * UTF-16 comes first: letters that are not Latin look like control characters. */
static const struct encoding *wide_encoding(struct str s, struct str charset)
{
	const struct encoding *e;

	if (is_utf16(encoding_of_label(charset))) {
		e = charset_find(s, charset, false).encoding;
		if (is_utf16(e) && reads_as_utf16(s, strcmp(encoding_name(e), "utf-16be") == 0))
			return e;
	}
	e = charset_detect(str_sub(s, 0, 512));
	return is_utf16(e) ? e : NULL;
}

/* The head of UTF-16 as ASCII, to be looked at as markup: other letters are '?'.  Empty when s is not UTF-16. */
static struct str narrowed(struct str s, struct str charset, char *out, size_t room)
{
	bool mark = str_starts(s, STR("\xFF\xFE")) || str_starts(s, STR("\xFE\xFF"));
	const struct encoding *e = mark ? NULL : wide_encoding(s, charset);
	size_t low = mark ? (unsigned char)s.p[0] == 0xFE : e && strcmp(encoding_name(e), "utf-16be") == 0, n = 0;

	if (!mark && !e)
		return STR_NONE;
	for (size_t i = 2 * mark; i + 1 < s.n && n < room; i += 2)
		out[n++] = s.p[i + !low] == 0 && s.p[i + low] > 0 ? s.p[i + low] : '?';
	return str_n(out, n);
}

static struct str skip_blank(struct str s)
{
	if (str_starts(s, STR("\xEF\xBB\xBF")))
		s = str_n(s.p + 3, s.n - 3);
	while (s.n && ascii_space(s.p[0]))
		s = str_n(s.p + 1, s.n - 1);
	return s;
}

/* The type of something that begins with an XML declaration or a first element. */
static struct str sniff_xml(struct str s)
{
	struct str head = str_sub(s, 0, 4096);

	if (feed_is(head))
		return str_ifind(head, STR("<feed")) >= 0 ? STR("application/atom+xml") : STR("application/rss+xml");
	if (str_ifind(head, STR("<html")) >= 0)
		return STR("application/xhtml+xml");
	if (str_find(head, STR("<svg")) >= 0)
		return STR("image/svg+xml");
	return STR("text/xml");
}

/* The type of markup that the text begins with; none when it is not markup. */
static struct str sniff_markup(struct str s)
{
	s = skip_blank(s);
	if (str_istarts(s, STR("<?xml")) || str_istarts(s, STR("<rss")) || str_istarts(s, STR("<feed")) ||
	    str_istarts(s, STR("<rdf:rdf")))
		return sniff_xml(s);
	for (size_t i = 0; i < COUNT(html_starts); i++)
		if (str_istarts(s, html_starts[i]))
			return STR("text/html");
	return STR_NONE;
}

#define PDF_JUNK 1024 /* bytes before its head that readers of PDF pass over */

/* The MIME type the bytes look like, STR_NONE when they do not tell. */
static struct str sniff(struct str payload, struct str declared, struct str charset)
{
	struct str type = essence(declared), seen, wide = STR_NONE;
	bool html = str_ieq(type, STR("text/html")) || str_ieq(type, STR("application/xhtml+xml"));
	char head[4096];

	if (!payload.n)
		return STR_NONE;
	if ((seen = sniff_magic(payload, type)).n)
		return seen;
	if (str_ieq(type, STR("application/pdf")) && str_find(str_sub(payload, 0, PDF_JUNK + 5), STR("%PDF-")) >= 0)
		return STR("application/pdf");
	if ((seen = sniff_markup(payload)).n)
		return seen;
	bool marked = str_starts(payload, STR("\xFF\xFE")) || str_starts(payload, STR("\xFE\xFF"));

	if (marked || looks_binary(payload)) {
		wide = narrowed(payload, charset, head, sizeof head);
		if (!wide.n && !marked && (!str_istarts(type, STR("text/")) || surely_binary(payload)))
			return STR("application/octet-stream");
		if ((seen = sniff_markup(wide)).n)
			return seen;
	}
	return html ? STR("text/html") : STR("text/plain");
}

/* What a type means for us.  */
static const struct {
	const char *mime;
	enum payload_kind kind;
} kinds[] = {
	{ "text/html", PAYLOAD_HTML },
	{ "application/xhtml+xml", PAYLOAD_XHTML },
	{ "application/rss+xml", PAYLOAD_FEED },
	{ "application/atom+xml", PAYLOAD_FEED },
	{ "application/rdf+xml", PAYLOAD_FEED },
	{ "text/xml", PAYLOAD_XML },
	{ "application/xml", PAYLOAD_XML },
	{ "application/pdf", PAYLOAD_PDF },
	{ "text/plain", PAYLOAD_TEXT },
	{ "text/markdown", PAYLOAD_TEXT },
	{ "text/x-rst", PAYLOAD_TEXT },
	{ "text/csv", PAYLOAD_TEXT },
	{ "text/tab-separated-values", PAYLOAD_TEXT },
	{ "text/enriched", PAYLOAD_TEXT },
	{ "message/rfc822", PAYLOAD_TEXT },
	{ "text/x-diff", PAYLOAD_TEXT },
	{ "text/x-patch", PAYLOAD_TEXT },
	{ "text/troff", PAYLOAD_TEXT },
	{ "application/vnd.openxmlformats-officedocument.wordprocessingml.document", PAYLOAD_OFFICE },
	{ "application/vnd.oasis.opendocument.text", PAYLOAD_OFFICE },
};

static enum payload_kind kind_of(struct str mime)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (str_ieq(mime, str(kinds[i].mime)))
			return kinds[i].kind;
	return PAYLOAD_BINARY;
}

static bool is_any(struct str mime, const char *const *list)
{
	for (; *list; list++)
		if (str_ieq(mime, str(*list)))
			return true;
	return false;
}

/* The type to go by.  The bytes win over the label where they are sure (magic, markup); a label that says more
 * than "some text" (script, style, JSON, image) is believed about text. */
static struct str identify(struct str payload, struct str declared, struct str charset)
{
	static const char *const vague[] = { "",
					     "text/plain",
					     "text/html",
					     "application/octet-stream",
					     "application/xml",
					     "text/xml",
					     "unknown/unknown",
					     "application/unknown",
					     "*/*",
					     "application/x-unknown-content-type",
					     "application/xhtml+xml",
					     "no-type",
					     "unk",
					     NULL };
	struct str type = essence(declared), seen = sniff(payload, declared, charset);

	if (!seen.n)
		return type;
	if (str_eq(seen, STR("application/zip")) && kind_of(type) == PAYLOAD_OFFICE)
		return type;
	if (str_eq(seen, STR("text/plain")) && !is_any(type, vague))
		return type;
	if (str_eq(seen, STR("text/plain")) && kind_of(type) == PAYLOAD_XML &&
	    str_starts(skip_blank(payload), STR("<")))
		return STR("text/xml"); /* it need not begin with its declaration */
	if (str_ieq(type, STR("text/html")) &&
	    (str_eq(seen, STR("text/xml")) || str_eq(seen, STR("application/xhtml+xml"))))
		return STR("text/html"); /* served as HTML, read as HTML */
	if (str_ieq(type, STR("text/plain")) && str_eq(seen, STR("text/html")))
		return STR("text/plain"); /* browsers show the source */
	if (str_ieq(type, STR("application/xhtml+xml")) && str_eq(seen, STR("text/html")))
		return STR("application/xhtml+xml");
	if (str_eq(seen, STR("text/html")) && !is_any(type, vague))
		return type;
	return seen;
}

/* ---- readers; each fills out->page and says why there is no text ---- */

struct job {
	struct document *out;
	struct arena *a;
	struct documents *scratch;
	const struct document_in *in;
	struct err *err;
};

static struct str label_of(const struct document_in *in)
{
	return in->charset.n ? in->charset : charset_parameter(in->mime);
}

/* *no_cr, unless NULL: whether the text is known to have no CR. */
static struct str decode(struct job *j, bool markup, bool *no_cr)
{
	struct document *out = j->out;
	struct str label = label_of(j->in);
	struct charset c = charset_find(j->in->payload, label, markup);

	if (label.n && !encoding_of_label(label))
		out->flaws |= DOC_FLAW_CHARSET_UNKNOWN;
	if (c.lied)
		out->flaws |= DOC_FLAW_CHARSET_LIES;
	out->charset = encoding_name(c.encoding);
	out->charset_source = c.source;
	struct str payload = j->in->payload, text;

	/* a letter of one byte may become one of three, unless it is what it is already */
	if (payload.n > LIMIT_PAYLOAD_TEXT / 3 && utf8_ascii(payload) != payload.n &&
	    (c.encoding != encoding_of_label(STR("utf-8")) || utf8_valid(payload) != payload.n)) {
		payload.n = LIMIT_PAYLOAD_TEXT / 3;
		out->flaws |= DOC_FLAW_TEXT_CUT;
	}
	text = charset_decode(j->a, c, payload, &out->replaced);
	if (no_cr)
		*no_cr = c.no_cr && encoding_keeps_ascii(c.encoding);

	if (out->replaced)
		out->flaws |= DOC_FLAW_REPLACED;
	return text;
}

static void take_cut(struct document *out)
{
	static const struct {
		unsigned cut, flaw;
	} map[] = { { CUT_TEXT, DOC_FLAW_TEXT_CUT },
		    { CUT_DEPTH, DOC_FLAW_DEPTH_CUT },
		    { CUT_LINKS, DOC_FLAW_LINKS_CUT },
		    { CUT_TOKEN, DOC_FLAW_TOKEN_CUT },
		    { CUT_NUL, DOC_FLAW_NUL } };

	for (size_t i = 0; i < COUNT(map); i++)
		if (out->page.cut & map[i].cut)
			out->flaws |= map[i].flaw;
}

/* XHTML without the declarations of its document type, which are no text, and with their entities in place. */
static struct str expanded(struct job *j, struct str html)
{
	struct str declarations, root = xml_behind_declarations(html, &declarations);
	struct buf out = BUF(2 * root.n + MIB);

	if (!declarations.n)
		return root;
	xml_expand(&out, root, declarations);
	if (out.full)
		j->out->flaws |= DOC_FLAW_TEXT_CUT;
	root = arena_str(j->a, buf_view(&out));
	buf_release(&out);
	return root;
}

static int read_html(struct job *j)
{
	struct extract_options options = { .no_links = j->in->no_links,
					   .no_resolve = j->in->no_resolve,
					   .no_outline = j->in->no_main,
					   .xml = j->out->kind == PAYLOAD_XHTML };

	struct str html = decode(j, true, &options.no_cr);

	if (options.xml)
		html = expanded(j, html);
	options.encoding = encoding_of_label(str(j->out->charset));
	extract_page(j->scratch->extract, html, j->in->url, &options, &j->out->page);
	take_cut(j->out);
	return WN_OK;
}

/* Text that is already text: CRs normalised, NULs dropped, cut at the limit. */
static struct str plain(struct job *j, struct str s)
{
	struct document *out = j->out;
	bool plain_already = !memchr(s.p, '\r', s.n) && !memchr(s.p, 0, s.n);
	char *p;
	size_t n = 0;

	if (s.n > LIMIT_TEXT) {
		for (s.n = LIMIT_TEXT; s.n && ((unsigned char)s.p[s.n] & 0xC0) == 0x80; s.n--)
			;
		out->flaws |= DOC_FLAW_TEXT_CUT;
	}
	if (plain_already)
		return s;
	p = arena_alloc(j->a, s.n);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == 0)
			out->flaws |= DOC_FLAW_NUL;
		else if (s.p[i] != '\r')
			p[n++] = s.p[i];
		else if (i + 1 == s.n || s.p[i + 1] != '\n')
			p[n++] = '\n';
	}
	return str_n(p, n);
}

static int read_text(struct job *j)
{
	struct str s = decode(j, false, NULL);

	j->out->page.text = s.n ? plain(j, s) : s;
	return WN_OK;
}

static int read_xml(struct job *j)
{
	struct buf out = BUF(LIMIT_TEXT);

	xml_text(&out, decode(j, true, NULL));
	j->out->page.text = arena_str(j->a, buf_view(&out));
	if (out.full)
		j->out->flaws |= DOC_FLAW_TEXT_CUT;
	buf_release(&out);
	return WN_OK;
}

static int read_feed(struct job *j)
{
	struct document *out = j->out;
	struct url base = { 0 }, scratch = { 0 };
	struct feed f;
	struct str s = decode(j, true, NULL);

	feed_read(j->a, s, &f);
	out->page = (struct page){ .text = f.text, .title = f.title, .lang = f.lang, .published = f.published };
	out->page.body_start = f.title.n && str_starts(f.text, f.title) ? f.title.n + (f.text.n > f.title.n) : 0;
	if (f.cut)
		out->flaws |= DOC_FLAW_TEXT_CUT;
	if (!j->in->no_links && f.n_links) {
		struct link *links = arena_zalloc(j->a, f.n_links * sizeof *links);
		bool has_base = !j->in->no_resolve && url_parse(&base, j->in->url, NULL);

		for (size_t i = 0; i < f.n_links; i++) {
			links[i] = (struct link){ .href = f.links[i].url, .anchor = f.links[i].anchor, .kind = LINK_A };
			if (!j->in->no_resolve && url_parse(&scratch, f.links[i].url, has_base ? &base : NULL))
				links[i].url = arena_str(j->a, url_href(&scratch));
		}
		out->page.links = links;
		out->page.nlinks = f.n_links;
	}
	url_release(&base);
	url_release(&scratch);
	return WN_OK;
}

/* A reader of its own for a kind of file: text and title, or why there is none. */
typedef int file_reader(struct arena *a, struct str payload, struct str *text, struct str *title, const char **why,
			struct err *err);

static int read_file(struct job *j, file_reader *read)
{
	const char *why = NULL;
	struct str text = STR_NONE, title = STR_NONE;
	int rc = read(j->a, j->in->payload, &text, &title, &why, j->err);

	if (rc < 0)
		return rc;
	if (why) {
		j->out->why_none = DOCUMENT_FAILED;
		j->out->flaws |= DOC_FLAW_READER_FAILED;
		j->out->failed = why;
	}
	if (title.n && text.n)
		text = arena_printf(j->a, "%.*s\n%.*s", STR_FMT(title), STR_FMT(text));
	j->out->page = (struct page){ .text = text.n ? plain(j, text) : text,
				      .title = title,
				      .body_start = title.n && text.n ? title.n + 1 : 0 };
	return WN_OK;
}

static int read_pdf(struct job *j)
{
	if (j->in->no_pdf) {
		j->out->why_none = DOCUMENT_NO_READER;
		return WN_OK;
	}
	return read_file(j, pdf_text);
}

static int read_office(struct job *j) { return read_file(j, office_text); }

static int read_nothing(struct job *j)
{
	/* style sheets, scripts, JSON and other text that is not for reading have no reader either */
	j->out->why_none = !looks_binary(j->in->payload) ? DOCUMENT_NO_READER : DOCUMENT_BINARY;
	return WN_OK;
}

static const struct {
	int (*read)(struct job *j);
} readers[PAYLOAD_KINDS] = {
	[PAYLOAD_NONE] = { read_nothing }, [PAYLOAD_HTML] = { read_html },     [PAYLOAD_XHTML] = { read_html },
	[PAYLOAD_TEXT] = { read_text },	   [PAYLOAD_FEED] = { read_feed },     [PAYLOAD_PDF] = { read_pdf },
	[PAYLOAD_XML] = { read_xml },	   [PAYLOAD_OFFICE] = { read_office }, [PAYLOAD_BINARY] = { read_nothing },
};

/* ---- all of it ---- */

static bool blank(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_space(s.p[i]))
			return false;
	return true;
}

static void find_main(struct job *j)
{
	struct document *out = j->out;

	if (j->in->no_main || !out->page.outline) {
		out->main = out->page.text;
		return;
	}
	struct main_text m = main_content(j->a, out->page.text, out->page.outline);

	out->main = m.text;
	out->main_ranges = m.ranges;
	out->nmain_ranges = m.n_ranges;
}

bool document_readable(struct str payload, struct str mime)
{
	enum payload_kind kind = kind_of(identify(payload, mime, charset_parameter(mime)));

	return kind != PAYLOAD_NONE && kind != PAYLOAD_BINARY;
}

struct lang document_lang(struct str body, struct str main) { return document_lang_of(body, main, STR_NONE, NULL); }

struct lang document_lang_of(struct str body, struct str main, struct str ranges, struct lang_memo *memo)
{
	struct lang_text text = { .text = body, .n = body.n };

	if (main.n > 200)
		text = (struct lang_text){ ranges.n ? body : main, ranges, main.n };
	return lang_of_ranges(&text, memo);
}

int document_extract(struct document *out, struct arena *a, struct documents *scratch, const struct document_in *in,
		     struct err *err)
{
	struct job j = { out, a, scratch, in, err };
	int rc;

	*out = (struct document){ .lang = STR("und") };
	if (!in->payload.n) {
		out->why_none = DOCUMENT_EMPTY;
		out->mime = essence(in->mime);
		return WN_OK;
	}
	out->mime = in->is_text ? STR("text/plain") : identify(in->payload, in->mime, label_of(in));
	out->kind = kind_of(out->mime);
	if ((rc = readers[out->kind].read(&j)) < 0)
		return rc;
	if (blank(out->page.text)) {
		if (out->why_none == DOCUMENT_HAS_TEXT)
			out->why_none = DOCUMENT_EMPTY;
		return WN_OK;
	}
	out->why_none = DOCUMENT_HAS_TEXT;
	find_main(&j);
	if (!in->no_lang) {
		struct lang lang = document_lang(out->page.text, out->main);

		out->lang = arena_str(a, str(lang.code));
		out->lang_confidence = lang.confidence;
	}
	return WN_OK;
}
