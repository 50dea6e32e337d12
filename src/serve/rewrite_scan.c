/* serve/rewrite_scan.c -- tags and attributes where the tokenizer of the HTML standard finds them, with their place in the
 * source (tests compare it with text/html.h); and the copy of a page in which single values are replaced. */
#include "base/utf8.h"
#include "serve/rewrite_html.h"
#include "text/entity.h"

/* ---- the scanner ---- */

/* What of other attributes decides how one is read. */
static const char *const deciding[SCAN_DECIDING] = { "rel", "as", "type", "target", "http-equiv", "content" };

enum scan html_scan_attr(struct str s, size_t *at, struct scanned_attr *a, bool *self_closing)
{
	size_t i = *at, after;

	*a = (struct scanned_attr){ .quote = 0 };
	while (i < s.n && (html_blank(s.p[i]) || s.p[i] == '/')) {
		*self_closing = s.p[i] == '/' && i + 1 < s.n && s.p[i + 1] == '>';
		i++;
	}
	if (i >= s.n)
		return SCAN_CUT;
	if (s.p[i] == '>') {
		*at = i + 1;
		return SCAN_END;
	}
	a->name.p = s.p + i++;
	while (i < s.n && !html_blank(s.p[i]) && s.p[i] != '/' && s.p[i] != '>' && s.p[i] != '=')
		i++;
	a->name.n = (size_t)(s.p + i - a->name.p);
	a->value = str_n(s.p + i, 0);
	after = i;
	while (i < s.n && html_blank(s.p[i]))
		i++;
	if (i >= s.n || s.p[i] != '=') {
		*at = after;
		return SCAN_ATTR;
	}
	for (i++; i < s.n && html_blank(s.p[i]); i++)
		;
	a->has_value = true;
	if (i < s.n && (s.p[i] == '"' || s.p[i] == '\'')) {
		const char *end = memchr(s.p + i + 1, s.p[i], s.n - i - 1);

		if (!end)
			return SCAN_CUT;
		a->quote = s.p[i];
		a->value = str_n(s.p + i + 1, (size_t)(end - (s.p + i + 1)));
		i = (size_t)(end - s.p) + 1;
	} else {
		size_t from = i;

		while (i < s.n && !html_blank(s.p[i]) && s.p[i] != '>')
			i++;
		a->value = str_n(s.p + from, i - from);
	}
	*at = i;
	return SCAN_ATTR;
}

size_t html_scan_tag(struct str s, size_t at, struct scanned_tag *t)
{
	size_t i = at + 1;

	t->n = t->rest = 0;
	for (size_t k = 0; k < SCAN_DECIDING; k++)
		t->late[k] = STR_NONE;
	t->self_closing = false;
	t->end = i < s.n && s.p[i] == '/';
	i += t->end;
	t->name.p = s.p + i;
	while (i < s.n && !html_blank(s.p[i]) && s.p[i] != '/' && s.p[i] != '>')
		i++;
	t->name.n = (size_t)(s.p + i - t->name.p);
	for (;;) {
		struct scanned_attr late, *a = t->n < SCAN_ATTRS ? &t->attrs[t->n] : &late;
		size_t from = i;

		switch (html_scan_attr(s, &i, a, &t->self_closing)) {
		case SCAN_CUT: return 0;
		case SCAN_END: return i;
		case SCAN_ATTR: break;
		}
		if (a != &late) {
			t->n++;
			continue;
		}
		t->rest = t->rest ? t->rest : from;
		for (size_t k = 0; k < SCAN_DECIDING; k++)
			if (!t->late[k].p && str_ieq(late.name, str(deciding[k])))
				t->late[k] = late.value;
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
	       (html_blank(s.p[end]) || s.p[end] == '/' || s.p[end] == '>');
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

/* Stands for the & of a reference that is kept: no text has it. */
#define KEPT '\1'

/* keep: references to what is not ASCII stay, for pages whose bytes are not UTF-8. */
static struct str decode(struct arena *a, struct str s, bool keep)
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

				code = entity_number(code, &error);
				if (keep && code >= 0x80) {
					out[n++] = KEPT;
					i++;
					continue;
				}
				n += utf8_encode(code, out + n);
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

				if (keep && (t.p[0] & 0x80)) {
					out[n++] = KEPT;
					i++;
					continue;
				}
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

struct str html_attr_decode(struct arena *a, struct str s) { return decode(a, s, false); }
struct str html_attr_decode_ascii(struct arena *a, struct str s) { return decode(a, s, true); }

void html_add_encoded(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '&': buf_str(out, STR("&amp;")); break;
		case '"': buf_str(out, STR("&quot;")); break;
		case '\'': buf_str(out, STR("&#39;")); break;
		case '<': buf_str(out, STR("&lt;")); break;
		case KEPT: buf_byte(out, '&'); break;
		default: buf_byte(out, s.p[i]);
		}
	}
}

struct str html_scan_value(const struct scanned_tag *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (str_ieq(t->attrs[i].name, str(name)))
			return t->attrs[i].value;
	for (size_t k = 0; k < SCAN_DECIDING; k++)
		if (strcmp(name, deciding[k]) == 0)
			return t->late[k];
	return STR_NONE;
}

/* ---- XML ---- */

struct str xml_local(struct str name)
{
	ptrdiff_t colon = str_chr(name, ':');

	return colon < 0 ? name : str_sub(name, (size_t)colon + 1, name.n);
}

/* The declaration of a document type, which may hold others in brackets. */
static size_t doctype_end(struct str s, size_t at)
{
	char quote = 0;

	for (unsigned depth = 0; at < s.n; at++) {
		char c = s.p[at];

		if (quote) {
			quote = c == quote ? 0 : quote;
		} else if (str_starts(str_sub(s, at, s.n), STR("<!--")) || str_starts(str_sub(s, at, s.n), STR("<?"))) {
			at = xml_scan_other(s, at) - 1; /* where a quote is a letter */
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else if (c == '<') {
			depth++;
		} else if (c == '>' && --depth == 0) {
			return at + 1;
		}
	}
	return s.n;
}

size_t xml_scan_other(struct str s, size_t at)
{
	static const struct {
		struct str open, close;
	} kinds[] = { { STR("<!--"), STR("-->") }, { STR("<![CDATA["), STR("]]>") }, { STR("<?"), STR("?>") } };
	struct str rest = str_sub(s, at, s.n);

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (str_starts(rest, kinds[i].open)) {
			struct str inside = str_sub(rest, kinds[i].open.n, rest.n);
			ptrdiff_t stop = str_find(inside, kinds[i].close);

			return stop < 0 ? s.n : at + kinds[i].open.n + (size_t)stop + kinds[i].close.n;
		}
	return doctype_end(s, at);
}

/* A document type that declares markup, or attributes that stand nowhere. */
static bool makes_elements(struct arena *a, struct str doctype)
{
	bool defaults = false;

	for (size_t at = 2; at < doctype.n; at++) {
		struct str rest = str_sub(doctype, at, doctype.n), text;
		ptrdiff_t end;

		if (str_starts(rest, STR("<!--")) || str_starts(rest, STR("<?"))) {
			at = xml_scan_other(doctype, at) - 1;
		} else if (rest.p[0] == '<') {
			defaults = str_starts(rest, STR("<!ATTLIST"));
		} else if (rest.p[0] == '%') {
			return true; /* declarations out of parts */
		} else if (rest.p[0] == '"' || rest.p[0] == '\'') {
			text = str_sub(rest, 1, rest.n);
			if ((end = str_chr(text, rest.p[0])) < 0)
				break;
			text = html_attr_decode(a, str_sub(text, 0, (size_t)end));
			if (defaults || str_chr(text, '<') >= 0 || str_chr(text, '&') >= 0)
				return true;
			at += (size_t)end + 1;
		}
	}
	return false;
}

size_t xml_pass_other(struct rewriter *w, struct str s, size_t at)
{
	size_t end = xml_scan_other(s, at);

	if (str_starts(str_sub(s, at, end), STR("<!DOCTYPE")))
		w->made |= makes_elements(w->arena, str_sub(s, at, end));
	return end;
}

bool xml_scan_text(struct str s, size_t at, struct str name, size_t *end)
{
	for (; at < s.n; at++) {
		if (s.p[at] != '<')
			continue;
		if (at + 1 < s.n && (s.p[at + 1] == '!' || s.p[at + 1] == '?')) {
			at = xml_scan_other(s, at) - 1;
		} else {
			*end = at;
			return tag_at(s, at, "</", name);
		}
	}
	*end = s.n;
	return true;
}

bool xml_has_own_names(struct str value)
{
	for (size_t i = 0; i < value.n; i++)
		if (value.p[i] == '&' && !(i + 1 < value.n && value.p[i + 1] == '#')) {
			struct entity_match m;
			size_t k = i + 1;

			entity_start(&m);
			while (k < value.n && entity_step(&m, value.p[k]))
				k++;
			if (!m.best || value.p[i + m.best_n] != ';')
				return true;
		}
	return false;
}

struct str xml_root(struct str xml)
{
	size_t at = 0, end;

	for (;;) {
		const char *open = at == xml.n ? NULL : memchr(xml.p + at, '<', xml.n - at);

		if (!open || (at = (size_t)(open - xml.p)) + 1 >= xml.n)
			return STR_NONE;
		if (xml.p[at + 1] != '!' && xml.p[at + 1] != '?')
			break;
		at = xml_scan_other(xml, at);
	}
	for (end = ++at; end < xml.n && !html_blank(xml.p[end]) && xml.p[end] != '/' && xml.p[end] != '>'; end++)
		;
	return xml_local(str_sub(xml, at, end));
}

size_t xml_scan_style(struct str s, size_t at, struct scanned_tag *t, const struct scanned_attr **href)
{
	size_t end = xml_scan_other(s, at); /* a quote that is left open does not hide it */

	*href = NULL;
	if (!html_scan_tag(str_sub(s, 0, end), at + 1, t) || !str_eq(t->name, STR("xml-stylesheet"))) {
		t->n = t->rest = 0;
		return end;
	}
	for (size_t i = 0; i < t->n; i++)
		if (str_eq(t->attrs[i].name, STR("href")) && t->attrs[i].quote)
			*href = &t->attrs[i];
	return end;
}

bool xml_is_transform(struct arena *a, const struct scanned_tag *style)
{
	struct str type = html_attr_decode(a, html_scan_value(style, "type"));

	return str_ifind(type, STR("xsl")) >= 0 || str_ifind(type, STR("xml")) >= 0;
}

/* ---- the copy ---- */

void html_copy_to(struct html_copy *c, const char *p)
{
	size_t to = (size_t)(p - c->page.p);

	if (to > c->from)
		buf_str(c->out, str_sub(c->page, c->from, to));
	c->from = to > c->from ? to : c->from;
}

void html_copy_renamed(struct html_copy *c, struct str name)
{
	html_copy_to(c, name.p);
	buf_str(c->out, STR("data-archived-"));
}

void html_copy_value(struct html_copy *c, const struct scanned_attr *a, struct str value)
{
	if (str_eq(value, a->value))
		return;
	html_copy_to(c, a->value.p);
	if (!a->quote)
		buf_byte(c->out, '"');
	html_add_encoded(c->out, value);
	if (!a->quote)
		buf_byte(c->out, '"');
	c->from = (size_t)(a->value.p + a->value.n - c->page.p);
}
