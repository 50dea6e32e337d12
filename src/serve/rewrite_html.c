/* serve/rewrite_html.c -- a page copied byte for byte, but for the references in its tags.
 *
 * What a tag's attribute means is a row of `table`; rewrite_scan.c finds them. */
#include "serve/rewrite_html.h"

#include "base/limits.h"

/* clang-format off */
enum meaning { IS_URL, IS_LINK, IS_SRCSET, IS_STYLE, IS_RENAMED, IS_SRCDOC, IS_CONTENT, IS_EQUIV, IS_REL_URL, IS_SCRIPT_URL, IS_TARGET, IS_BASE, IS_CODE, IS_TYPE };
/* clang-format on */

struct row {
	const char *tag; /* "": any */
	const char *attr;
	enum meaning meaning;
	enum modifier mod;
};

/* clang-format off */
static const struct row table[] = {
	{ "a", "href", IS_LINK, MOD_MP }, { "area", "href", IS_LINK, MOD_MP }, { "a", "target", IS_TARGET, 0 }, { "area", "target", IS_TARGET, 0 },
	{ "a", "xlink:href", IS_LINK, MOD_MP },
	{ "a", "ping", IS_RENAMED, 0 }, { "area", "ping", IS_RENAMED, 0 },
	{ "applet", "codebase", IS_URL, MOD_OE }, { "applet", "archive", IS_URL, MOD_OE },
	{ "audio", "src", IS_URL, MOD_OE }, { "base", "href", IS_BASE, MOD_MP },
	{ "bgsound", "src", IS_URL, MOD_OE }, { "button", "formaction", IS_URL, MOD_MP },
	{ "embed", "src", IS_URL, MOD_OE }, { "feimage", "href", IS_URL, MOD_IM }, { "feimage", "xlink:href", IS_URL, MOD_IM },
	{ "form", "action", IS_URL, MOD_MP }, { "frame", "src", IS_URL, MOD_FR }, { "html", "manifest", IS_RENAMED, 0 },
	{ "iframe", "src", IS_URL, MOD_IF }, { "iframe", "srcdoc", IS_SRCDOC, 0 }, { "iframe", "csp", IS_RENAMED, 0 },
	{ "image", "href", IS_URL, MOD_IM }, { "image", "src", IS_URL, MOD_IM }, { "image", "xlink:href", IS_URL, MOD_IM },
	{ "img", "src", IS_URL, MOD_IM }, { "img", "lowsrc", IS_URL, MOD_IM }, { "img", "dynsrc", IS_URL, MOD_OE }, { "img", "srcset", IS_SRCSET, MOD_IM },
	{ "input", "src", IS_URL, MOD_IM }, { "input", "formaction", IS_URL, MOD_MP },
	{ "link", "href", IS_REL_URL, MOD_MP }, { "link", "imagesrcset", IS_SRCSET, MOD_IM },
	{ "meta", "content", IS_CONTENT, MOD_MP }, { "meta", "http-equiv", IS_EQUIV, 0 },
	{ "object", "data", IS_URL, MOD_OE }, { "object", "codebase", IS_URL, MOD_OE },
	{ "script", "src", IS_SCRIPT_URL, MOD_JS }, { "script", "href", IS_SCRIPT_URL, MOD_JS }, { "script", "xlink:href", IS_SCRIPT_URL, MOD_JS },
	{ "script", "type", IS_TYPE, 0 },
	{ "source", "src", IS_URL, MOD_OE }, { "source", "srcset", IS_SRCSET, MOD_IM }, { "track", "src", IS_URL, MOD_OE },
	{ "use", "href", IS_URL, MOD_IM }, { "use", "xlink:href", IS_URL, MOD_IM },
	{ "video", "src", IS_URL, MOD_OE }, { "video", "poster", IS_URL, MOD_IM },
	{ "", "fill", IS_STYLE, 0 }, { "", "stroke", IS_STYLE, 0 }, { "", "filter", IS_STYLE, 0 }, { "", "mask", IS_STYLE, 0 }, { "", "clip-path", IS_STYLE, 0 },
	{ "", "cursor", IS_STYLE, 0 }, { "", "marker-start", IS_STYLE, 0 }, { "", "marker-mid", IS_STYLE, 0 }, { "", "marker-end", IS_STYLE, 0 },
	{ "", "style", IS_STYLE, 0 }, { "", "background", IS_URL, MOD_IM }, { "", "integrity", IS_RENAMED, 0 }, { "", "attributionsrc", IS_RENAMED, 0 },
};
/* clang-format on */

/* ---- what an attribute becomes ---- */

static enum modifier link_modifier(const struct scanned_tag *t)
{
	static const struct {
		const char *word;
		enum modifier mod;
	} as[] = {
		{ "script", MOD_JS },	{ "style", MOD_CS },   { "image", MOD_IM }, { "font", MOD_OE },
		{ "document", MOD_IF }, { "worker", MOD_WKR }, { "audio", MOD_OE }, { "video", MOD_OE },
		{ "track", MOD_OE },	{ "fetch", MOD_MP },
	};
	struct str rel = html_scan_value(t, "rel"), what = html_scan_value(t, "as");

	if (str_ifind(rel, STR("modulepreload")) >= 0)
		return MOD_ESM;
	if (str_ifind(rel, STR("stylesheet")) >= 0)
		return MOD_CS;
	if (str_ifind(rel, STR("icon")) >= 0)
		return MOD_IM;
	if (str_ifind(rel, STR("manifest")) >= 0)
		return MOD_LN;
	for (size_t i = 0; i < COUNT(as); i++)
		if (str_ieq(what, str(as[i].word)))
			return as[i].mod;
	return MOD_MP;
}

/* "5; url='x'" with the URL rewritten. */
static void refresh(struct rewriter *w, struct str value, struct buf *out)
{
	size_t i = 0, end;
	char quote;

	while (i < value.n && (html_blank(value.p[i]) || ascii_digit(value.p[i]) || value.p[i] == '.'))
		i++;
	while (i < value.n && (html_blank(value.p[i]) || value.p[i] == ';' || value.p[i] == ','))
		i++;
	if (i == value.n) {
		buf_str(out, value);
		return;
	}
	if (str_istarts(str_sub(value, i, value.n), STR("url"))) {
		size_t k = i + 3;

		while (k < value.n && html_blank(value.p[k]))
			k++;
		if (k < value.n && value.p[k] == '=') {
			for (k++; k < value.n && html_blank(value.p[k]); k++)
				;
			i = k;
		}
	}
	quote = i < value.n && (value.p[i] == '"' || value.p[i] == '\'') ? value.p[i] : 0;
	i += quote != 0;
	for (end = i; end < value.n && !(quote && value.p[end] == quote); end++)
		;
	buf_str(out, str_sub(value, 0, i));
	rewrite_ref(w, str_trim(str_sub(value, i, end)), MOD_MP, out);
	buf_str(out, str_sub(value, end, value.n));
}

struct state {
	struct rewriter *w;
	struct html_copy copy;
	struct str base_target;
	bool has_base, inside; /* the first tag is past */
	bool targeted;	       /* the tag was given a target */
	struct buf value;      /* of one attribute */
	unsigned depth;
};

/* A link that leaves the page goes to the frame page of its target, in the whole window. */
static bool leads_to_top(const struct state *x, const struct scanned_tag *t)
{
	struct str target = str_trim(html_scan_value(t, "target"));

	if (!x->w->top &&
	    !(str_ieq(target, STR("_top")) || str_ieq(target, STR("_parent")) || str_ieq(target, STR("_blank"))))
		return false;
	if (target.n == 0)
		target = x->base_target;
	return target.n == 0 || target.p[0] == '_';
}

static void srcdoc(struct state *x, struct str html)
{
	struct buf inner = BUF(LIMIT_REWRITE), *out = x->w->out;
	struct str head = x->w->head;
	bool head_done = x->w->head_done, top = x->w->top, xml = x->w->xml;
	struct url base = { 0 };

	if (x->depth >= 2)
		return;
	url_copy(&base, &x->w->base); /* a <base> inside is that of the inner document alone */
	x->w->out = &inner;
	x->w->top = x->w->xml = false; /* also in XHTML it is HTML */
	x->w->head_done = false;
	html_rewrite_at(x->w, html, x->depth + 1);
	url_copy(&x->w->base, &base);
	url_release(&base);
	x->w->out = out;
	x->w->head = head;
	x->w->head_done = head_done;
	x->w->top = top;
	x->w->xml = xml;
	buf_str(&x->value, buf_view(&inner));
	buf_release(&inner);
}

static void one_attr(struct state *x, const struct scanned_tag *t, const struct scanned_attr *a, const struct row *row)
{
	struct rewriter *w = x->w;
	bool text =
	    row->meaning == IS_CODE || row->meaning == IS_STYLE; /* in the page's charset, of which UTF-8 is no part */
	struct str value = (text && !w->utf8 ? html_attr_decode_ascii : html_attr_decode)(w->arena, a->value), equiv;

	buf_reset(&x->value);
	switch (row->meaning) {
	case IS_URL: rewrite_ref(w, value, row->mod, &x->value); break;
	case IS_REL_URL:
		if (str_ieq(str_trim(html_scan_value(t, "rel")), STR("canonical")))
			return;
		rewrite_ref(w, value, link_modifier(t), &x->value);
		break;
	case IS_SCRIPT_URL:
		rewrite_ref(w, value, str_ieq(str_trim(html_scan_value(t, "type")), STR("module")) ? MOD_ESM : MOD_JS,
			    &x->value);
		break;
	case IS_LINK: {
		bool top = leads_to_top(x, t);

		rewrite_ref(w, value, top ? MOD_NONE : MOD_MP, &x->value);
		if (!str_eq(buf_view(&x->value), value))
			html_copy_value(&x->copy, a, buf_view(&x->value));
		if (top && !x->targeted && str_starts(buf_view(&x->value), w->prefix) &&
		    !html_scan_value(t, "target").p) {
			x->targeted = true; /* once: it may have both href and xlink:href */
			html_copy_to(&x->copy, a->value.p + a->value.n + (a->quote != 0));
			buf_str(w->out, STR(" target=\"_top\""));
		}
		return;
	}
	case IS_TARGET:
		if (a->value.n && a->value.p[0] == '_')
			html_copy_value(&x->copy, a, leads_to_top(x, t) ? STR("_top") : STR("_self"));
		return;
	case IS_BASE:
		if (!x->has_base && url_parse(&w->scratch, str_trim(value), &w->base) && url_is_http(&w->scratch))
			url_copy(&w->base, &w->scratch);
		x->has_base = true; /* the first one counts, as in browsers */
		rewrite_ref(w, value, MOD_MP, &x->value);
		break;
	case IS_SRCSET: rewrite_srcset(w, value, row->mod, &x->value); break;
	case IS_STYLE: rewrite_css(w, value, &x->value); break;
	case IS_CODE: rewrite_js(w, value, &x->value); break;
	case IS_SRCDOC: srcdoc(x, value); break;
	case IS_TYPE: /* pages that the browser is to fetch ahead, from the live web */
		if (str_ieq(str_trim(value), STR("speculationrules")))
			html_copy_value(&x->copy, a, STR("archived-speculationrules"));
		return;
	case IS_CONTENT:
		equiv = str_trim(html_attr_decode(w->arena, html_scan_value(t, "http-equiv")));
		if (!str_ieq(equiv, STR("refresh")))
			return;
		refresh(w, value, &x->value);
		break;
	case IS_EQUIV:
		if (!str_istarts(str_trim(value), STR("content-security-policy")) &&
		    !str_ieq(str_trim(value), STR("set-cookie")))
			return;
		/* fall through */
	case IS_RENAMED: html_copy_renamed(&x->copy, a->name); return;
	}
	if (str_eq(buf_view(&x->value), value))
		return; /* also the way its letters are written stays */
	html_copy_value(&x->copy, a, buf_view(&x->value));
}

/* onclick and the like: all names that begin so, since no others do. */
static const struct row handler = { "", "on", IS_CODE, 0 };
static bool is_handler(struct str attr) { return attr.n > 3 && str_istarts(attr, STR("on")); }

/* SVG has more elements that refer to others than are worth a row. */
static const struct row reference = { "", "href", IS_URL, MOD_IM };

static const struct row *row_of(const struct rewriter *w, struct str tag, struct str attr)
{
	if (w->xml && str_eq(xml_local(attr), STR("href")) && !str_starts(attr, STR("xmlns:")))
		attr = STR("href");
	for (size_t i = 0; i < COUNT(table); i++)
		if (str_ieq(attr, str(table[i].attr)) && (!table[i].tag[0] || str_ieq(tag, str(table[i].tag))))
			return &table[i];
	return is_handler(attr) ? &handler : w->xml && str_eq(attr, STR("href")) ? &reference : NULL;
}

/* In XML: a frame or a <meta> that may go where only the document's own names say. */
static bool leads_unseen(const struct scanned_tag *t, const struct scanned_attr *a, const struct row *row)
{
	if (row->meaning == IS_EQUIV)
		return str_chr(a->value, '&') >= 0 || xml_has_own_names(html_scan_value(t, "content"));
	return (row->mod == MOD_IF || row->mod == MOD_FR) && xml_has_own_names(a->value);
}

static void attribute(struct state *x, const struct scanned_tag *t, const struct scanned_attr *a)
{
	const struct row *row = row_of(x->w, t->name, a->name);

	if (row && x->w->xml && leads_unseen(t, a, row)) {
		html_copy_renamed(&x->copy, a->name);
		return;
	}
	if (row && (row->meaning == IS_RENAMED || (a->has_value && !(x->w->xml && xml_has_own_names(a->value)))))
		one_attr(x, t, a, row);
}

static void start_tag(struct state *x, const struct scanned_tag *t, size_t at, size_t end)
{
	struct rewriter *w = x->w;
	struct scanned_attr late;
	bool ignored = false, root = false;

	x->targeted = false;
	if (!w->head_done && w->xml && !x->inside && !str_eq(t->name, STR("html"))) {
		root = true;
	} else if (!w->head_done && !str_ieq(t->name, STR("html"))) {
		bool is_head = str_ieq(t->name, STR("head"));

		w->head_done = true;
		html_copy_to(&x->copy, x->copy.page.p + (is_head ? end : at));
		buf_str(w->out, w->head);
		if (is_head)
			return;
	}
	if (str_ieq(t->name, STR("base")) && html_scan_value(t, "target").p)
		x->base_target = html_scan_value(t, "target");
	for (size_t i = 0; i < t->n; i++)
		attribute(x, t, &t->attrs[i]);
	for (size_t i = t->rest; i && html_scan_attr(x->copy.page, &i, &late, &ignored) == SCAN_ATTR;)
		attribute(x, t, &late);
	if (root && !t->self_closing) { /* in drawings and other XML nothing stands before the first element */
		w->head_done = true;
		html_copy_to(&x->copy, x->copy.page.p + end);
		buf_str(w->out, w->head);
	}
	x->inside = true;
}

static bool is_script_type(struct str type)
{
	type = str_trim(type);
	return type.n == 0 || str_ifind(type, STR("javascript")) >= 0 || str_ifind(type, STR("ecmascript")) >= 0 ||
	       str_ieq(type, STR("module"));
}

typedef void rewrite_text(struct rewriter *w, struct str text, struct buf *out);

static rewrite_text *rewriter_of(const struct scanned_tag *t)
{
	struct str type = html_scan_value(t, "type");

	if (str_ieq(t->name, STR("style")))
		return rewrite_css;
	if (!str_ieq(t->name, STR("script")))
		return NULL;
	return is_script_type(type)			   ? rewrite_js
	       : str_ieq(str_trim(type), STR("importmap")) ? rewrite_import_map
							   : NULL;
}

/* The content of an element without markup, at [at, end).  In XML references to characters stand for these also there. */
static void raw_content(struct state *x, const struct scanned_tag *t, size_t at, size_t end)
{
	struct str inside = str_sub(x->copy.page, at, end);
	rewrite_text *rewrite = rewriter_of(t);
	bool coded = x->w->xml && str_chr(inside, '&') >= 0 && str_find(inside, STR("<![CDATA[")) < 0;

	if (!rewrite || (coded && (xml_has_own_names(inside) || str_chr(inside, '<') >= 0)))
		return;
	html_copy_to(&x->copy, x->copy.page.p + at);
	buf_reset(&x->value);
	rewrite(x->w, coded ? html_attr_decode(x->w->arena, inside) : inside, coded ? &x->value : x->w->out);
	if (coded)
		html_add_encoded(x->w->out, buf_view(&x->value));
	x->copy.from = end;
}

/* Elements whose content is no markup.  In XML all is markup, but styles and scripts are read as a whole. */
static bool is_raw(const struct rewriter *w, const struct scanned_tag *t)
{
	if (w->xml)
		return !t->self_closing && (str_eq(t->name, STR("style")) || str_eq(t->name, STR("script")));
	return html_is_raw(t->name);
}

static bool is_xml_name(char c) { return c == '_' || c == ':' || (c & 0x80); } /* may begin one, beside letters */

void html_rewrite_at(struct rewriter *w, struct str page, unsigned depth)
{
	struct state x = {
		.w = w, .copy = { .page = page, .out = w->out }, .value = BUF(LIMIT_REWRITE), .depth = depth
	};
	struct scanned_tag t;
	size_t at = 0;

	while (at < page.n) {
		const char *open = memchr(page.p + at, '<', page.n - at);
		size_t end;

		if (!open)
			break;
		at = (size_t)(open - page.p);
		if (at + 1 >= page.n)
			break;
		if (ascii_alpha(page.p[at + 1]) || (w->xml && is_xml_name(page.p[at + 1]))) {
			if ((end = html_scan_tag(page, at, &t)) == 0)
				break;
			struct str name = t.name;

			if (w->xml)
				t.name = xml_local(name);
			start_tag(&x, &t, at, end);
			at = end;
			if (!w->xml && str_ieq(t.name, STR("plaintext")))
				break;
			if (is_raw(w, &t)) {
				if (!w->xml)
					end = html_scan_raw(page, at, name);
				else if (!xml_scan_text(page, at, name, &end))
					continue; /* elements inside are as real as others */
				raw_content(&x, &t, at, end);
				at = end;
			}
		} else if (page.p[at + 1] == '/' && at + 2 < page.n && ascii_alpha(page.p[at + 2])) {
			if ((end = html_scan_tag(page, at, &t)) == 0)
				break;
			at = end;
		} else if (w->xml && str_starts(str_sub(page, at, page.n), STR("<?xml-stylesheet"))) {
			static const struct row style = { "", "href", IS_URL, MOD_CS };
			const struct scanned_attr *href;

			at = xml_scan_style(page, at, &t, &href);
			if (w->bare && xml_is_transform(w->arena, &t))
				html_copy_renamed(&x.copy, t.name);
			else if (href)
				one_attr(&x, &t, href, &style);
		} else if (w->xml && (page.p[at + 1] == '!' || page.p[at + 1] == '?')) {
			at = xml_pass_other(w, page, at);
		} else if (at + 3 < page.n && memcmp(page.p + at, "<!--", 4) == 0) {
			at = html_scan_comment(page, at);
		} else if (page.p[at + 1] == '!' || page.p[at + 1] == '?' || page.p[at + 1] == '/') {
			const char *close = memchr(page.p + at + 1, '>', page.n - at - 1);

			at = close ? (size_t)(close - page.p) + 1 : page.n;
		} else {
			at++;
		}
	}
	html_copy_to(&x.copy, str_end(page));
	buf_release(&x.value);
}

void rewrite_html(struct rewriter *w, struct str page) { html_rewrite_at(w, page, 0); }
