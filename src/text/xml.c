/* text/xml.c -- tags and character data of XML, one at a time. */
#include "text/xml.h"

#include "base/utf8.h"

/* The entity at s, written to out[4]; returns the bytes read, 0 when it is none that is known. */
static size_t entity(struct str s, char *out, size_t *n)
{
	static const struct {
		struct str name;
		char c;
	} names[] = { { STR("&lt;"), '<' },
		      { STR("&gt;"), '>' },
		      { STR("&amp;"), '&' },
		      { STR("&quot;"), '"' },
		      { STR("&apos;"), '\'' } };
	uint32_t point = 0;
	size_t i = 2;

	for (size_t e = 0; e < COUNT(names); e++)
		if (str_starts(s, names[e].name)) {
			out[0] = names[e].c;
			*n = 1;
			return names[e].name.n;
		}
	if (s.n < 4 || s.p[1] != '#')
		return 0;
	if (s.p[2] == 'x' || s.p[2] == 'X')
		for (i = 3; i < s.n && i < 10 && hex_digit(s.p[i]) >= 0; i++)
			point = point * 16 + (uint32_t)hex_digit(s.p[i]);
	else
		for (; i < s.n && i < 10 && ascii_digit(s.p[i]); i++)
			point = point * 10 + (uint32_t)(s.p[i] - '0');
	if (i == s.n || s.p[i] != ';' || point == 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
		return 0;
	*n = utf8_encode(point, out);
	return i + 1;
}

void xml_decode(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n;) {
		char out[4];
		size_t n = 0, used = 0;
		ptrdiff_t amp = str_chr(str_sub(s, i, s.n), '&');

		if (amp != 0) {
			size_t plain = amp < 0 ? s.n - i : (size_t)amp;

			buf_add(b, s.p + i, plain);
			i += plain;
			continue;
		}
		used = entity(str_sub(s, i, s.n), out, &n);
		if (used)
			buf_add(b, out, n);
		else
			buf_byte(b, '&');
		i += used ? used : 1;
	}
}

size_t xml_tag(struct str s, struct xml_tag *t)
{
	size_t i = 1, from;
	char quote = 0;
	ptrdiff_t colon;

	*t = (struct xml_tag){ .end = s.n > 1 && s.p[1] == '/' };
	i += t->end;
	for (from = i; i < s.n && !ascii_space(s.p[i]) && s.p[i] != '>' && s.p[i] != '/'; i++)
		;
	t->name = str_n(s.p + from, i - from);
	if ((colon = str_rchr(t->full = t->name, ':')) >= 0)
		t->name = str_sub(t->name, (size_t)colon + 1, t->name.n);
	for (from = i; i < s.n && (quote || s.p[i] != '>'); i++)
		if (quote ? s.p[i] == quote : s.p[i] == '"' || s.p[i] == '\'')
			quote = quote ? 0 : s.p[i];
	if (i >= s.n)
		return 0;
	t->attrs = str_n(s.p + from, i - from);
	t->empty = i > from && s.p[i - 1] == '/';
	return i + 1;
}

/* Behind the quotation, comment or processing instruction that may begin at i; i when none does. */
static size_t skip_quoted(struct str s, size_t i)
{
	struct str rest = str_sub(s, i, s.n), close = STR_NONE;
	size_t open = 1;
	ptrdiff_t end;

	if (str_starts(rest, STR("<!--")))
		close = STR("-->"), open = 4;
	else if (str_starts(rest, STR("<?")))
		close = STR("?>"), open = 2;
	else if (rest.n && (rest.p[0] == '"' || rest.p[0] == '\''))
		close = str_n(rest.p, 1);
	if (!close.n)
		return i;
	end = str_find(str_sub(rest, open, rest.n), close);
	return end < 0 ? s.n : i + open + (size_t)end + close.n;
}

/* Where the first `what` outside of those is, from i on; s.n when there is none. */
static size_t find_bare(struct str s, size_t i, char a, char b)
{
	while (i < s.n && s.p[i] != a && s.p[i] != b) {
		size_t behind = skip_quoted(s, i);

		i = behind > i ? behind : i + 1;
	}
	return i;
}

/* The end of a document type at s: behind the declarations in brackets, if it has such. */
static ptrdiff_t doctype_end(struct str s, struct str *declarations)
{
	size_t open = find_bare(s, 0, '[', '>'), close;

	*declarations = STR_NONE;
	if (open < s.n && s.p[open] == '[') {
		close = find_bare(s, open + 1, ']', ']');
		*declarations = str_sub(s, open + 1, close);
		open = find_bare(s, close, '>', '>');
	}
	return open < s.n ? (ptrdiff_t)open : -1;
}

size_t xml_aside(struct str s, struct str *data)
{
	struct str declarations;
	ptrdiff_t end;

	*data = STR_NONE;
	if (str_starts(s, STR("<![CDATA["))) {
		end = str_find(s, STR("]]>"));
		*data = str_sub(s, 9, end < 0 ? s.n : (size_t)end);
		return end < 0 ? s.n : (size_t)end + 3;
	}
	if (str_starts(s, STR("<!--"))) {
		end = str_find(s, STR("-->"));
		return end < 0 ? s.n : (size_t)end + 3;
	}
	if (str_starts(s, STR("<?"))) {
		end = str_find(s, STR("?>"));
		return end < 0 ? s.n : (size_t)end + 2;
	}
	if (str_istarts(s, STR("<!DOCTYPE"))) {
		end = doctype_end(s, &declarations);
		return end < 0 ? s.n : (size_t)end + 1;
	}
	return 0;
}

struct str xml_behind_declarations(struct str s, struct str *declarations)
{
	*declarations = STR_NONE;
	for (struct str rest = s;;) {
		struct str data;
		size_t n = 0;

		if (str_starts(rest, STR("\xEF\xBB\xBF")))
			n = 3;
		while (n < rest.n && ascii_space(rest.p[n]))
			n++;
		rest = str_sub(rest, n, rest.n);
		if (str_istarts(rest, STR("<!DOCTYPE"))) {
			ptrdiff_t end = doctype_end(rest, declarations);

			return end >= 0 && declarations->p ? str_sub(rest, (size_t)end + 1, rest.n) : s;
		}
		if (!(str_starts(rest, STR("<?")) || str_starts(rest, STR("<!--"))) || !(n = xml_aside(rest, &data)))
			return s;
		rest = str_sub(rest, n, rest.n);
	}
}

struct declared {
	struct str name, text;
};
enum { DECLARED_MOST = 256 };

/* <!ENTITY name "text">; those of parameters (%) and of other files have no text here. */
static size_t find_declared(struct str s, struct declared *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n && n < DECLARED_MOST;) {
		struct str rest = str_sub(s, i, s.n);
		size_t behind = skip_quoted(s, i);

		if (behind > i) {
			i = behind;
			continue;
		}
		if (!str_starts(rest, STR("<!ENTITY"))) {
			i++;
			continue;
		}
		size_t at = 8, from;

		while (at < rest.n && ascii_space(rest.p[at]))
			at++;
		for (from = at; at < rest.n && !ascii_space(rest.p[at]); at++)
			;
		out[n].name = str_sub(rest, from, at);
		while (at < rest.n && ascii_space(rest.p[at]))
			at++;
		behind = skip_quoted(rest, at);
		if (behind > at + 1 && rest.p[at] != '<') {
			out[n].text = str_sub(rest, at + 1, behind - 1);
			n += out[n].name.n > 0;
		}
		i += behind > at ? behind : at;
	}
	return n;
}

void xml_expand(struct buf *out, struct str s, struct str declarations)
{
	struct declared known[DECLARED_MOST];
	size_t n = find_declared(declarations, known);

	while (s.n && !out->full) {
		ptrdiff_t at = n ? str_chr(s, '&') : -1, semicolon;
		size_t plain = at < 0 ? s.n : (size_t)at + 1, i = 0;

		buf_add(out, s.p, plain - (at >= 0));
		s = str_sub(s, plain, s.n);
		if (at < 0)
			break;
		semicolon = str_chr(str_sub(s, 0, 256), ';');
		while (i < n && !(semicolon > 0 && str_eq(known[i].name, str_sub(s, 0, (size_t)semicolon))))
			i++;
		if (i == n) {
			buf_byte(out, '&');
		} else {
			buf_str(out, known[i].text);
			s = str_sub(s, (size_t)semicolon + 1, s.n);
		}
	}
}

/* Adds s with its white space as single blanks; `gap` stands before its first word. */
static void add_words(struct buf *out, struct str s, char *gap)
{
	for (size_t i = 0; i < s.n;) {
		size_t from = i;

		while (i < s.n && !ascii_space(s.p[i]))
			i++;
		if (i > from) {
			if (out->n && *gap)
				buf_byte(out, *gap);
			buf_add(out, s.p + from, i - from);
			*gap = 0;
		}
		for (; i < s.n && ascii_space(s.p[i]); i++)
			if (!*gap)
				*gap = ' ';
	}
}

void xml_text(struct buf *out, struct str xml)
{
	struct buf run = BUF(out->max);
	char gap = 0;

	while (xml.n && !out->full) {
		ptrdiff_t at = str_chr(xml, '<');
		size_t n = at < 0 ? xml.n : (size_t)at;
		struct str data;
		struct xml_tag t;

		buf_reset(&run);
		xml_decode(&run, str_n(xml.p, n));
		add_words(out, buf_view(&run), &gap);
		xml = str_sub(xml, n, xml.n);
		if (!xml.n)
			break;
		n = xml_aside(xml, &data);
		add_words(out, data, &gap);
		if (!n) {
			n = xml_tag(xml, &t);
			gap = '\n';
		}
		xml = str_sub(xml, n ? n : xml.n, xml.n);
	}
	buf_release(&run);
}
