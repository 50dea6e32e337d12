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

/* The end of a document type at s: behind the declarations in brackets, if it has such. */
static ptrdiff_t doctype_end(struct str s)
{
	ptrdiff_t end = str_chr(s, '>'), open = str_chr(s, '['), close;

	if (open < 0 || open > end)
		return end;
	close = str_chr(str_sub(s, (size_t)open, s.n), ']');
	if (close < 0)
		return -1;
	end = str_chr(str_sub(s, (size_t)(open + close), s.n), '>');
	return end < 0 ? end : open + close + end;
}

size_t xml_aside(struct str s, struct str *data)
{
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
		end = doctype_end(s);
		return end < 0 ? s.n : (size_t)end + 1;
	}
	return 0;
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
