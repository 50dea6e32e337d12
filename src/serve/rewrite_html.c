/* serve/rewrite_html.c -- a page copied byte for byte, but for the references in its tags.
 *
 * The scanner finds tags and attributes exactly where the tokenizer of the
 * HTML standard does (tests compare it with text/html.h), but keeps their place
 * in the source.  What a tag's attribute means is a row of `table`. */
#include "base/limits.h"
#include "base/utf8.h"
#include "serve/rewrite.h"
#include "serve/rewrite_html.h"
#include "text/entity.h"

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
	{ "", "style", IS_STYLE, 0 }, { "", "background", IS_URL, MOD_IM }, { "", "integrity", IS_RENAMED, 0 }, { "", "attributionsrc", IS_RENAMED, 0 },
};
/* clang-format on */

/* ---- the scanner ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

size_t html_scan_tag(struct str s, size_t at, struct scanned_tag *t)
{
	size_t i = at + 1;

	t->n = 0;
	t->self_closing = false;
	t->end = i < s.n && s.p[i] == '/';
	i += t->end;
	t->name.p = s.p + i;
	while (i < s.n && !is_blank(s.p[i]) && s.p[i] != '/' && s.p[i] != '>')
		i++;
	t->name.n = (size_t)(s.p + i - t->name.p);
	for (;;) {
		struct scanned_attr a = { .quote = 0 };

		while (i < s.n && (is_blank(s.p[i]) || s.p[i] == '/')) {
			t->self_closing = s.p[i] == '/' && i + 1 < s.n && s.p[i + 1] == '>';
			i++;
		}
		if (i >= s.n)
			return 0;
		if (s.p[i] == '>')
			return i + 1;
		a.name.p = s.p + i++;
		while (i < s.n && !is_blank(s.p[i]) && s.p[i] != '/' && s.p[i] != '>' && s.p[i] != '=')
			i++;
		a.name.n = (size_t)(s.p + i - a.name.p);
		a.value = str_n(s.p + i, 0);
		size_t after = i;

		while (i < s.n && is_blank(s.p[i]))
			i++;
		if (i < s.n && s.p[i] == '=') {
			i++;
			while (i < s.n && is_blank(s.p[i]))
				i++;
			a.has_value = true;
			a.value.p = s.p + (i < s.n ? i : s.n);
			if (i < s.n && (s.p[i] == '"' || s.p[i] == '\'')) {
				const char *end = memchr(s.p + i + 1, s.p[i], s.n - i - 1);

				if (!end)
					return 0;
				a.quote = s.p[i];
				a.value = str_n(s.p + i + 1, (size_t)(end - (s.p + i + 1)));
				i = (size_t)(end - s.p) + 1;
			} else {
				size_t from = i;

				while (i < s.n && !is_blank(s.p[i]) && s.p[i] != '>')
					i++;
				a.value = str_n(s.p + from, i - from);
			}
		} else {
			i = after;
		}
		if (t->n < SCAN_ATTRS)
			t->attrs[t->n++] = a;
	}
}

size_t html_scan_comment(struct str s, size_t at)
{
	size_t i = at + 4;

	if (i < s.n && s.p[i] == '>')
		return i + 1;
	if (i + 1 < s.n && s.p[i] == '-' && s.p[i + 1] == '>')
		return i + 2;
	for (; i < s.n; i++) {
		const char *dash = memchr(s.p + i, '-', s.n - i);

		if (!dash)
			return s.n;
		i = (size_t)(dash - s.p);
		if (i + 2 < s.n && s.p[i + 1] == '-' && s.p[i + 2] == '>')
			return i + 3;
		if (i + 3 < s.n && s.p[i + 1] == '-' && s.p[i + 2] == '!' && s.p[i + 3] == '>')
			return i + 4;
	}
	return s.n;
}

static bool tag_at(struct str s, size_t at, const char *open, struct str name)
{
	size_t n = strlen(open), end = at + n + name.n;

	return end < s.n && memcmp(s.p + at, open, n) == 0 && str_ieq(str_sub(s, at + n, end), name) &&
	       (is_blank(s.p[end]) || s.p[end] == '/' || s.p[end] == '>');
}

size_t html_scan_raw(struct str s, size_t at, struct str name)
{
	bool script = str_ieq(name, STR("script")), escaped = false, doubly = false;

	for (size_t i = at; i < s.n; i++) {
		if (script && escaped && s.p[i] == '-' && i + 2 < s.n && s.p[i + 1] == '-' && s.p[i + 2] == '>')
			escaped = doubly = false;
		if (s.p[i] != '<')
			continue;
		if (script && !escaped && i + 3 < s.n && memcmp(s.p + i, "<!--", 4) == 0) {
			/* <!--> and <!---> are over at once */
			escaped = !(i + 4 < s.n && s.p[i + 4] == '>') &&
				  !(i + 5 < s.n && s.p[i + 4] == '-' && s.p[i + 5] == '>');
		} else if (script && escaped && !doubly && tag_at(s, i, "<", name)) {
			doubly = true;
		} else if (tag_at(s, i, "</", name)) {
			if (!doubly)
				return i;
			doubly = false;
		}
	}
	return s.n;
}

bool html_is_raw(struct str name)
{
	static const char *const raw[] = { "script", "style",  "textarea", "title",
					   "xmp",    "iframe", "noembed",  "noframes" };

	for (size_t i = 0; i < COUNT(raw); i++)
		if (str_ieq(name, str(raw[i])))
			return true;
	return false;
}

/* ---- attribute values ---- */

struct str html_attr_decode(struct arena *a, struct str s)
{
	char *out;
	size_t n = 0, i = 0;

	if (str_chr(s, '&') < 0)
		return s;
	out = arena_alloc(a, s.n * 2 + 8);
	while (i < s.n) {
		if (s.p[i] != '&') {
			out[n++] = s.p[i++];
			continue;
		}
		if (i + 1 < s.n && s.p[i + 1] == '#') {
			bool hex = i + 2 < s.n && (s.p[i + 2] | 32) == 'x';
			size_t k = i + 2 + hex, from = k;
			uint32_t code = 0;

			while (k < s.n && (hex ? hex_digit(s.p[k]) >= 0 : ascii_digit(s.p[k]))) {
				code = code > 0x110000 ? code : code * (hex ? 16 : 10) + (uint32_t)hex_digit(s.p[k]);
				k++;
			}
			if (k > from) {
				const char *error;

				n += utf8_encode(entity_number(code, &error), out + n);
				i = k + (k < s.n && s.p[k] == ';');
				continue;
			}
		} else {
			struct entity_match m;
			size_t k = i + 1;

			entity_start(&m);
			while (k < s.n && entity_step(&m, s.p[k]))
				k++;
			char last = m.best ? s.p[i + m.best_n] : 0,
			     next = m.best && i + 1 + m.best_n < s.n ? s.p[i + 1 + m.best_n] : 0;

			if (m.best && (last == ';' || !(next == '=' || ascii_alpha(next) || ascii_digit(next)))) {
				struct str t = entity_text(m.best);

				memcpy(out + n, t.p, t.n);
				n += t.n;
				i += 1 + m.best_n;
				continue;
			}
		}
		out[n++] = s.p[i++];
	}
	return str_n(out, n);
}

static void add_encoded(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '&': buf_str(out, STR("&amp;")); break;
		case '"': buf_str(out, STR("&quot;")); break;
		case '\'': buf_str(out, STR("&#39;")); break;
		case '<': buf_str(out, STR("&lt;")); break;
		default: buf_byte(out, s.p[i]);
		}
	}
}

struct str html_scan_value(const struct scanned_tag *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (str_ieq(t->attrs[i].name, str(name)))
			return t->attrs[i].value;
	return STR_NONE;
}

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

	while (i < value.n && (is_blank(value.p[i]) || ascii_digit(value.p[i]) || value.p[i] == '.'))
		i++;
	while (i < value.n && (is_blank(value.p[i]) || value.p[i] == ';' || value.p[i] == ','))
		i++;
	if (i == value.n) {
		buf_str(out, value);
		return;
	}
	if (str_istarts(str_sub(value, i, value.n), STR("url"))) {
		size_t k = i + 3;

		while (k < value.n && is_blank(value.p[k]))
			k++;
		if (k < value.n && value.p[k] == '=') {
			for (k++; k < value.n && is_blank(value.p[k]); k++)
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
	struct str page;
	size_t from; /* copied up to here */
	struct str base_target;
	bool has_base;
	struct buf value; /* of one attribute */
	unsigned depth;
};

static void copy_to(struct state *x, const char *p)
{
	size_t to = (size_t)(p - x->page.p);

	if (to > x->from)
		buf_str(x->w->out, str_sub(x->page, x->from, to));
	x->from = to > x->from ? to : x->from;
}

static void replace_value(struct state *x, const struct scanned_attr *a, struct str value)
{
	if (str_eq(value, a->value))
		return;
	copy_to(x, a->value.p);
	if (!a->quote)
		buf_byte(x->w->out, '"');
	add_encoded(x->w->out, value);
	if (!a->quote)
		buf_byte(x->w->out, '"');
	x->from = (size_t)(a->value.p + a->value.n - x->page.p);
}

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
	bool head_done = x->w->head_done, top = x->w->top;

	if (x->depth >= 2)
		return;
	x->w->out = &inner;
	x->w->top = false;
	x->w->head_done = false;
	html_rewrite_at(x->w, html, x->depth + 1);
	x->w->out = out;
	x->w->head = head;
	x->w->head_done = head_done;
	x->w->top = top;
	buf_str(&x->value, buf_view(&inner));
	buf_release(&inner);
}

static void one_attr(struct state *x, const struct scanned_tag *t, const struct scanned_attr *a, const struct row *row)
{
	struct rewriter *w = x->w;
	struct str value = html_attr_decode(w->arena, a->value), equiv;

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
		replace_value(x, a, buf_view(&x->value));
		if (top && str_starts(buf_view(&x->value), w->prefix) && !html_scan_value(t, "target").p) {
			copy_to(x, a->value.p + a->value.n + (a->quote != 0));
			buf_str(w->out, STR(" target=\"_top\""));
		}
		return;
	}
	case IS_TARGET:
		if (a->value.n && a->value.p[0] == '_')
			replace_value(x, a, leads_to_top(x, t) ? STR("_top") : STR("_self"));
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
			replace_value(x, a, STR("archived-speculationrules"));
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
	case IS_RENAMED:
		copy_to(x, a->name.p);
		buf_str(w->out, STR("data-archived-"));
		return;
	}
	replace_value(x, a, buf_view(&x->value));
}

/* <?xml-stylesheet href="..."?>, written like a tag: where it ends, 0: never. */
static size_t xml_style(struct state *x, size_t at, struct scanned_tag *t)
{
	static const struct row href = { "", "href", IS_URL, MOD_CS };
	size_t end = html_scan_tag(x->page, at + 1, t);

	for (size_t i = 0; end && i < t->n; i++)
		if (str_eq(t->attrs[i].name, STR("href")) && t->attrs[i].quote)
			one_attr(x, t, &t->attrs[i], &href);
	return end;
}

/* onclick and the like: all names that begin so, since no others do. */
static const struct row handler = { "", "on", IS_CODE, 0 };
static bool is_handler(struct str attr) { return attr.n > 3 && str_istarts(attr, STR("on")); }

static const struct row *row_of(struct str tag, struct str attr)
{
	for (size_t i = 0; i < COUNT(table); i++)
		if (str_ieq(attr, str(table[i].attr)) && (!table[i].tag[0] || str_ieq(tag, str(table[i].tag))))
			return &table[i];
	return is_handler(attr) ? &handler : NULL;
}

static void start_tag(struct state *x, const struct scanned_tag *t, size_t at, size_t end)
{
	struct rewriter *w = x->w;

	if (!w->head_done && !str_ieq(t->name, STR("html"))) {
		bool is_head = str_ieq(t->name, STR("head"));

		w->head_done = true;
		copy_to(x, x->page.p + (is_head ? end : at));
		buf_str(w->out, w->head);
		if (is_head)
			return;
	}
	if (str_ieq(t->name, STR("base")) && html_scan_value(t, "target").p)
		x->base_target = html_scan_value(t, "target");
	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = row_of(t->name, t->attrs[i].name);

		if (row && (t->attrs[i].has_value || row->meaning == IS_RENAMED))
			one_attr(x, t, &t->attrs[i], row);
	}
}

static bool is_script_type(struct str type)
{
	type = str_trim(type);
	return type.n == 0 || str_ifind(type, STR("javascript")) >= 0 || str_ifind(type, STR("ecmascript")) >= 0 ||
	       str_ieq(type, STR("module"));
}

/* The content of an element without markup, at [at, end). */
static void raw_content(struct state *x, const struct scanned_tag *t, size_t at, size_t end)
{
	struct str inside = str_sub(x->page, at, end);

	if (str_ieq(t->name, STR("style"))) {
		copy_to(x, x->page.p + at);
		rewrite_css(x->w, inside, x->w->out);
		x->from = end;
	} else if (str_ieq(t->name, STR("script")) && is_script_type(html_scan_value(t, "type"))) {
		copy_to(x, x->page.p + at);
		rewrite_js(x->w, inside, x->w->out);
		x->from = end;
	} else if (str_ieq(t->name, STR("script")) && str_ieq(str_trim(html_scan_value(t, "type")), STR("importmap"))) {
		copy_to(x, x->page.p + at);
		rewrite_import_map(x->w, inside, x->w->out);
		x->from = end;
	}
}

void html_rewrite_at(struct rewriter *w, struct str page, unsigned depth)
{
	struct state x = { .w = w, .page = page, .value = BUF(LIMIT_REWRITE), .depth = depth };
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
		if (ascii_alpha(page.p[at + 1])) {
			if ((end = html_scan_tag(page, at, &t)) == 0)
				break;
			start_tag(&x, &t, at, end);
			at = end;
			if (str_ieq(t.name, STR("plaintext")))
				break;
			if (html_is_raw(t.name) && !(w->xml && t.self_closing)) {
				end = html_scan_raw(page, at, t.name);
				raw_content(&x, &t, at, end);
				at = end;
			}
		} else if (page.p[at + 1] == '/' && at + 2 < page.n && ascii_alpha(page.p[at + 2])) {
			if ((end = html_scan_tag(page, at, &t)) == 0)
				break;
			at = end;
		} else if (at + 3 < page.n && memcmp(page.p + at, "<!--", 4) == 0) {
			at = html_scan_comment(page, at);
		} else if (w->xml && str_starts(str_sub(page, at, page.n), STR("<?xml-stylesheet"))) {
			if ((end = xml_style(&x, at, &t)) == 0)
				break;
			at = end;
		} else if (w->xml && at + 8 < page.n && memcmp(page.p + at, "<![CDATA[", 9) == 0) {
			ptrdiff_t stop = str_find(str_sub(page, at, page.n), STR("]]>"));

			at = stop < 0 ? page.n : at + (size_t)stop + 3;
		} else if (page.p[at + 1] == '!' || page.p[at + 1] == '?' || page.p[at + 1] == '/') {
			const char *close = memchr(page.p + at + 1, '>', page.n - at - 1);

			at = close ? (size_t)(close - page.p) + 1 : page.n;
		} else {
			at++;
		}
	}
	copy_to(&x, str_end(page));
	buf_release(&x.value);
}

void rewrite_html(struct rewriter *w, struct str page) { html_rewrite_at(w, page, 0); }
