/* serve/rewrite_xml.c -- XML that is no page: DASH presentations, feeds, site maps, XSLT, and whatever has a style sheet.
 *
 * Copied byte for byte but for references that would leave the archive: those
 * of <?xml-stylesheet?>, of attributes and of the text of elements that are
 * rows below.  Others stay, since what they are relative to is often written
 * elsewhere: in a BaseURL, or in the document that a style sheet is applied to.
 * Names that a document declares itself (entities) are not followed: a value
 * with one stays.  One pass; a fixed depth is remembered. */
#include "base/limits.h"
#include "serve/rewrite_html.h"

static const struct {
	const char *tag; /* "": any */
	const char *attr;
	enum modifier mod;
} attributes[] = {
	{ "a", "href", MOD_MP },
	{ "link", "href", MOD_MP },
	{ "", "href", MOD_OE },
	{ "img", "src", MOD_IM },
	{ "script", "src", MOD_JS },
	{ "iframe", "src", MOD_IF },
	{ "", "src", MOD_OE },
	{ "", "url", MOD_OE },
	{ "form", "action", MOD_MP },
	{ "object", "data", MOD_OE },
	{ "", "background", MOD_IM },
	/* DASH */
	{ "SegmentTemplate", "media", MOD_OE },
	{ "SegmentTemplate", "initialization", MOD_OE },
	{ "SegmentTemplate", "index", MOD_OE },
	{ "SegmentTemplate", "bitstreamSwitching", MOD_OE },
	{ "SegmentURL", "media", MOD_OE },
	{ "SegmentURL", "index", MOD_OE },
	{ "", "sourceURL", MOD_OE },
	{ "", "moreInformationURL", MOD_MP },
	{ "UTCTiming", "value", MOD_OE },
};

/* Elements whose text is a reference, by the document's first element. */
static const struct {
	const char *root, *tag;
	enum modifier mod;
} texts[] = {
	{ "MPD", "BaseURL", MOD_OE }, { "MPD", "Location", MOD_OE }, { "MPD", "PatchLocation", MOD_OE },
	{ "rss", "link", MOD_MP },    { "rss", "url", MOD_OE },	     { "rss", "comments", MOD_MP },
	{ "RDF", "link", MOD_MP },    { "RDF", "url", MOD_OE },	     { "feed", "icon", MOD_IM },
	{ "feed", "logo", MOD_IM },   { "urlset", "loc", MOD_MP },   { "sitemapindex", "loc", MOD_MP },
};

enum { DEPTH = 16 }; /* of elements whose base is remembered */

struct xml {
	struct rewriter *w;
	struct html_copy copy;
	struct buf value;
	struct str root;
	unsigned depth;
	struct str outer[DEPTH]; /* the base around the element at this depth, where the element has one of its own */
};

/* Of a <meta> by which the document goes elsewhere, or forbids what ours allows: it may hold elements of pages. */
static bool moves(const struct scanned_attr *a)
{
	struct str value = str_trim(a->value);

	return str_ieq(a->name, STR("http-equiv")) && (str_chr(a->value, '&') >= 0 || str_ieq(value, STR("refresh")) ||
						       str_istarts(value, STR("content-security-policy")));
}

static void attribute(struct xml *x, struct str tag, const struct scanned_attr *a)
{
	struct str name = xml_local(a->name), ref;

	if (str_eq(tag, STR("meta")) && moves(a)) {
		html_copy_renamed(&x->copy, a->name);
		return;
	}
	if (!a->quote || str_starts(a->name, STR("xmlns")) || xml_has_own_names(a->value))
		return;
	for (size_t i = 0; i < COUNT(attributes); i++)
		if (str_eq(name, str(attributes[i].attr)) &&
		    (!attributes[i].tag[0] || str_eq(tag, str(attributes[i].tag)))) {
			ref = html_attr_decode(x->w->arena, a->value);
			buf_reset(&x->value);
			rewrite_lead(x->w, ref, attributes[i].mod, &x->value);
			if (!str_eq(buf_view(&x->value), ref)) /* else also the way its letters are written stays */
				html_copy_value(&x->copy, a, buf_view(&x->value));
			return;
		}
}

/* A BaseURL: the base of the element around it, the first of several. */
static void set_base(struct xml *x, struct str ref)
{
	struct url base = { 0 };

	if (x->depth && x->depth <= DEPTH && !x->outer[x->depth - 1].p &&
	    url_parse(&base, str_trim(ref), &x->w->base) && url_is_http(&base)) {
		x->outer[x->depth - 1] = arena_str(x->w->arena, url_href(&x->w->base));
		url_copy(&x->w->base, &base);
	}
	url_release(&base);
}

/* The text of an element, at `at`: what stands before the next tag, or in the CDATA section that begins it. */
static void text_of(struct xml *x, struct str tag, size_t at)
{
	struct str page = x->copy.page, rest, text, ref;
	bool raw;
	size_t row = 0;
	ptrdiff_t end;

	while (at < page.n && html_blank(page.p[at]))
		at++;
	rest = str_sub(page, at, page.n);
	raw = str_starts(rest, STR("<![CDATA["));
	while (row < COUNT(texts) && !(str_eq(x->root, str(texts[row].root)) && str_eq(tag, str(texts[row].tag))))
		row++;
	if (row == COUNT(texts) || (end = raw ? str_find(rest, STR("]]>")) : str_chr(rest, '<')) < 0)
		return;
	text = str_sub(rest, raw ? 9 : 0, (size_t)end);
	if (!raw && xml_has_own_names(text))
		return;
	ref = raw ? text : html_attr_decode(x->w->arena, text);
	buf_reset(&x->value);
	rewrite_lead(x->w, ref, texts[row].mod, &x->value);
	if (!str_eq(buf_view(&x->value), ref)) {
		html_copy_to(&x->copy, text.p);
		if (raw)
			buf_str(x->copy.out, buf_view(&x->value));
		else
			html_add_encoded(x->copy.out, buf_view(&x->value));
		x->copy.from = (size_t)(str_end(text) - x->copy.page.p);
	}
	if (str_eq(tag, STR("BaseURL")))
		set_base(x, ref);
}

static void element(struct xml *x, const struct scanned_tag *t, size_t end)
{
	struct str tag = xml_local(t->name);
	struct scanned_attr late;
	bool ignored = false;

	if (t->end) {
		x->depth -= x->depth > 0;
		if (x->depth < DEPTH && x->outer[x->depth].p) {
			url_parse(&x->w->base, x->outer[x->depth], NULL);
			x->outer[x->depth] = STR_NONE;
		}
		return;
	}
	if (!x->root.p)
		x->root = tag;
	for (size_t i = 0; i < t->n; i++)
		attribute(x, tag, &t->attrs[i]);
	for (size_t i = t->rest; i && html_scan_attr(x->copy.page, &i, &late, &ignored) == SCAN_ATTR;)
		attribute(x, tag, &late);
	if (t->self_closing)
		return;
	text_of(x, tag, end);
	x->depth++;
}

void rewrite_xml(struct rewriter *w, struct str xml)
{
	struct xml x = { .w = w, .copy = { .page = xml, .out = w->out }, .value = BUF(LIMIT_REWRITE) };
	struct scanned_tag t;
	size_t at = 0;

	while (at < xml.n) {
		const char *open = memchr(xml.p + at, '<', xml.n - at);
		const struct scanned_attr *href;
		struct str rest;

		if (!open || (at = (size_t)(open - xml.p)) + 1 >= xml.n)
			break;
		rest = str_sub(xml, at, xml.n);
		if (str_starts(rest, STR("<?xml-stylesheet"))) {
			at = xml_scan_style(xml, at, &t, &href);
			if (w->bare && xml_is_transform(w->arena, &t)) {
				html_copy_renamed(&x.copy, t.name);
			} else if (href) {
				buf_reset(&x.value);
				rewrite_lead(w, html_attr_decode(w->arena, href->value), MOD_CS, &x.value);
				html_copy_value(&x.copy, href, buf_view(&x.value));
			}
		} else if (rest.p[1] == '!' || rest.p[1] == '?') {
			at = xml_pass_other(w, xml, at);
		} else {
			size_t end = html_scan_tag(xml, at, &t);

			if (!end)
				break;
			element(&x, &t, end);
			at = end;
		}
	}
	html_copy_to(&x.copy, str_end(xml));
	buf_release(&x.value);
}
