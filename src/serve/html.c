/* serve/html.c -- see html.h. */
#include "serve/html.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "archive/stamp.h"
#include "base/utf8.h"

static struct str entity(unsigned char c)
{
	switch (c) {
	case '&': return STR("&amp;");
	case '<': return STR("&lt;");
	case '>': return STR("&gt;");
	case '"': return STR("&quot;");
	case '\'': return STR("&#39;");
	default: return STR_NONE;
	}
}

/* How many bytes the character at p has; 0: it is none that a page may show. */
static size_t character(const char *p, size_t n)
{
	unsigned char c = (unsigned char)p[0];
	size_t want = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;

	if (c < 0x80)
		return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f ? 0 : 1;
	return want && want <= n && utf8_valid(str_n(p, want)) == want ? want : 0;
}

void html_safe(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n;) {
		struct str e = entity((unsigned char)s.p[i]);
		size_t n = character(s.p + i, s.n - i);

		if (e.n)
			buf_str(b, e);
		else if (n)
			buf_add(b, s.p + i, n);
		else
			buf_str(b, STR("\xef\xbf\xbd"));
		i += n ? n : 1;
	}
}

void html_number(struct buf *b, uint64_t n)
{
	char digits[32], out[48];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n), at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	buf_add(b, out, (size_t)at);
}

static bool plain(char c) { return ascii_alpha(c) || ascii_digit(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

void html_percent(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (plain(s.p[i]))
			buf_byte(b, s.p[i]);
		else
			buf_printf(b, "%%%02X", (unsigned char)s.p[i]);
}

void html_url(struct buf *b, struct str url)
{
	for (size_t i = 0; i < url.n; i++) {
		unsigned char c = (unsigned char)url.p[i];
		struct str e = entity(c);

		if (c <= 0x20 || c >= 0x7f || c == '#' || c == '\\' || c == '<' || c == '>' || c == '"')
			buf_printf(b, "%%%02X", c);
		else if (e.n)
			buf_str(b, e);
		else
			buf_byte(b, (char)c);
	}
}

void location_url(struct buf *b, struct str url)
{
	for (size_t i = 0; i < url.n; i++) {
		unsigned char c = (unsigned char)url.p[i];

		if (c <= 0x20 || c >= 0x7f || c == '#')
			buf_printf(b, "%%%02X", c);
		else
			buf_byte(b, (char)c);
	}
}

static void time_element(struct buf *b, int64_t time, bool day)
{
	char text[21];

	stamp_rfc3339(time, text);
	buf_printf(b, "<time datetime=\"%s\">%.10s", text, text);
	if (!day)
		buf_printf(b, " %.5s", text + 11);
	buf_str(b, STR("</time>"));
}

static void directive(struct buf *b, char what, va_list *ap)
{
	char stamp[15];

	switch (what) {
	case 's': html_safe(b, va_arg(*ap, struct str)); break;
	case 'z': html_safe(b, str(va_arg(*ap, const char *))); break;
	case 'm': buf_str(b, str(va_arg(*ap, const char *))); break;
	case 'b':
		buf_str(b, STR("<bdi>"));
		html_safe(b, va_arg(*ap, struct str));
		buf_str(b, STR("</bdi>"));
		break;
	case 'n': html_number(b, va_arg(*ap, uint64_t)); break;
	case 'u': buf_printf(b, "%" PRIu64, va_arg(*ap, uint64_t)); break;
	case 'f': buf_printf(b, "%.1f", va_arg(*ap, double)); break;
	case 't': time_element(b, va_arg(*ap, int64_t), false); break;
	case 'd': time_element(b, va_arg(*ap, int64_t), true); break;
	case 'i': buf_str(b, stamp_14(va_arg(*ap, int64_t), stamp)); break;
	case 'p': html_percent(b, va_arg(*ap, struct str)); break;
	case 'r': html_url(b, va_arg(*ap, struct str)); break;
	default: buf_byte(b, what);
	}
}

void html(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (const char *p = fmt; *p; p++) {
		const char *next = strchrnul(p, '%');

		buf_add(b, p, (size_t)(next - p));
		if (!*next || !next[1])
			break;
		directive(b, next[1], &ap);
		p = next + 1;
	}
	va_end(ap);
}
