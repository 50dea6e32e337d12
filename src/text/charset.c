/* text/charset.c -- bytes to UTF-8; see charset.h. */
#include "text/charset.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "text/charset_pairs.h"

enum decode { DECODE_UTF8, DECODE_TABLE, DECODE_ICU, DECODE_UTF16LE, DECODE_UTF16BE, DECODE_REPLACEMENT, DECODE_USER };

struct encoding {
	const char *name;
	enum decode decode;
	const uint16_t *table; /* code points of 0x80 to 0xFF */
	const char *icu;
};

#include "text/charset_table.h"

const char *encoding_name(const struct encoding *e) { return e->name; }

bool encoding_keeps_ascii(const struct encoding *e)
{
	return e->decode == DECODE_UTF8 || e->decode == DECODE_TABLE || e->decode == DECODE_USER;
}

const struct encoding *encoding_of_label(struct str label)
{
	char low[24];
	size_t lo = 0, hi = COUNT(labels);

	label = str_trim(label);
	if (label.n == 0 || label.n >= sizeof low)
		return NULL;
	for (size_t i = 0; i < label.n; i++)
		low[i] = ascii_lower(label.p[i]);
	low[label.n] = 0;
	if (strlen(low) != label.n)
		return NULL;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = strcmp(labels[mid].label, low);

		if (c == 0)
			return &encodings[labels[mid].encoding];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* ---- decoders; each writes to out, which has room, and returns its end ---- */

/* UTF-8 for a letter or mark of western text, which as windows-1252 would be two or three odd signs. */
static size_t pasted(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;

	if (end - p >= 2 && u[0] == 0xC3 && u[1] >= 0x80 && u[1] <= 0xBF)
		return 2;
	if (end - p >= 2 && u[0] == 0xC2 &&
	    (u[1] == 0xA0 || u[1] == 0xA9 || u[1] == 0xAB || u[1] == 0xAE || u[1] == 0xB0 || u[1] == 0xBB))
		return 2;
	if (end - p >= 3 && u[0] == 0xE2 && u[1] == 0x80 && u[2] >= 0x93 && u[2] <= 0xA6)
		return 3;
	return 0;
}

/* c1: a table for 0x80 to 0x9F where the encoding has only controls there, or NULL. */
static char *decode_table(const uint16_t *table, const uint16_t *c1, bool mixed, struct str s, char *out,
			  size_t *replaced)
{
	const char *p = s.p, *end = str_end(s);

	while (p < end) {
		size_t run = utf8_ascii(str_n(p, (size_t)(end - p)));

		memcpy(out, p, run);
		p += run;
		out += run;
		/* where one letter is not ASCII others are near */
		for (const char *stop = end - p >= 16 ? p + 16 : end; p < stop; p++) {
			unsigned c = (unsigned char)*p;

			if (c < 0x80) {
				*out++ = (char)c;
				continue;
			}
			unsigned cp = c1 && c < 0xA0 ? c1[c - 0x80] : table[c - 0x80];
			size_t n = mixed ? pasted(p, end) : 0;

			if (n) {
				memcpy(out, p, n);
				out += n;
				p += n - 1;
				continue;
			}
			if (cp < 0x800) {
				*out++ = (char)(0xC0 | cp >> 6);
			} else {
				*replaced += cp == 0xFFFD;
				*out++ = (char)(0xE0 | cp >> 12);
				*out++ = (char)(0x80 | (cp >> 6 & 0x3F));
			}
			*out++ = (char)(0x80 | (cp & 0x3F));
		}
	}
	return out;
}

static char *decode_user(struct str s, char *out)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		out += utf8_encode(c < 0x80 ? c : 0xF700u + c, out);
	}
	return out;
}

static char *decode_utf16(struct str s, bool big, char *out, size_t *replaced)
{
	uint32_t high = 0;

	for (size_t i = 0; i + 1 < s.n; i += 2) {
		unsigned char a = (unsigned char)s.p[i], b = (unsigned char)s.p[i + 1];
		uint32_t u = big ? (uint32_t)a << 8 | b : (uint32_t)b << 8 | a;

		if (high && u >= 0xDC00 && u < 0xE000) {
			out += utf8_encode(0x10000 + ((high - 0xD800) << 10) + (u - 0xDC00), out);
			high = 0;
			continue;
		}
		if (high) {
			out += utf8_encode(0xFFFD, out);
			++*replaced;
			high = 0;
		}
		if (u >= 0xD800 && u < 0xDC00) {
			high = u;
		} else if (u >= 0xDC00 && u < 0xE000) {
			out += utf8_encode(0xFFFD, out);
			++*replaced;
		} else {
			out += utf8_encode(u, out);
		}
	}
	if (high || s.n % 2) { /* cut in the middle */
		out += utf8_encode(0xFFFD, out);
		++*replaced;
	}
	return out;
}

/* Valid runs are copied whole; each maximal ill-formed part is one U+FFFD. */
static char *decode_utf8(struct str s, char *out, size_t *replaced)
{
	while (s.n) {
		size_t n = utf8_valid(s);

		memcpy(out, s.p, n);
		out += n;
		s = str_n(s.p + n, s.n - n);
		if (s.n) {
			uint32_t cp;

			n = utf8_decode(s.p, str_end(s), &cp);
			out += utf8_encode(0xFFFD, out);
			++*replaced;
			s = str_n(s.p + n, s.n - n);
		}
	}
	return out;
}

struct str charset_decode(struct arena *a, struct charset c, struct str bytes, size_t *replaced)
{
	const struct encoding *e = c.encoding;
	char *out, *end;

	*replaced = 0;
	bytes = str_n(bytes.p + c.bom, bytes.n - c.bom);
	if (bytes.n == 0)
		return STR("");
	size_t ascii = c.bom ? 0 : c.ascii;

	if (e->decode == DECODE_UTF8 && ascii + utf8_valid(str_n(bytes.p + ascii, bytes.n - ascii)) == bytes.n)
		return bytes;
	if (e->decode == DECODE_ICU)
		return charset_pairs_decode(a, e->icu, bytes, true, replaced);
	if (e->decode == DECODE_REPLACEMENT) {
		*replaced = 1;
		return STR("\xEF\xBF\xBD");
	}
	if (e->decode == DECODE_TABLE && ascii + utf8_ascii(str_n(bytes.p + ascii, bytes.n - ascii)) == bytes.n)
		return bytes; /* ASCII needs no copy */
	out = arena_alloc(a, bytes.n * 3 + 16);
	switch (e->decode) {
	case DECODE_TABLE:
		end = decode_table(e->table, c.mixed && e->table == table_iso_8859_2 ? table_windows_1250 : NULL,
				   c.mixed && e->table == table_windows_1252, bytes, out, replaced);
		break;
	case DECODE_USER: end = decode_user(bytes, out); break;
	case DECODE_UTF16LE: end = decode_utf16(bytes, false, out, replaced); break;
	case DECODE_UTF16BE: end = decode_utf16(bytes, true, out, replaced); break;
	default: end = decode_utf8(bytes, out, replaced); break;
	}
	return str_n(out, (size_t)(end - out));
}

/* ---- the other way ---- */

static char *put_escaped(char *out, unsigned char c)
{
	/* the query set of the URL standard; what a seven-bit encoding makes of a letter is mostly not in it */
	if (c > ' ' && c < 0x7F && !strchr("\"#'<>", c)) {
		*out++ = (char)c;
		return out;
	}
	*out++ = '%';
	*out++ = "0123456789ABCDEF"[c >> 4];
	*out++ = "0123456789ABCDEF"[c & 15];
	return out;
}

/* How much of s, which begins with a letter beyond ASCII, is encoded at out; 0: e has no bytes for the first. */
static size_t encode_some(const struct encoding *e, struct str s, char *out, size_t cap, size_t *bytes)
{
	size_t n = 1;
	uint32_t cp;

	if (e->decode == DECODE_ICU) {
		while (n < s.n && n < cap / 8 && (s.p[n] & 0x80))
			n++;
		while (n < s.n && (s.p[n] & 0xC0) == 0x80)
			n++;
		return charset_pairs_encode(e->icu, str_n(s.p, n), out, cap, bytes);
	}
	n = utf8_decode(s.p, str_end(s), &cp);
	*bytes = 1;
	for (unsigned i = 0; i < 128; i++)
		if (cp != 0xFFFD && e->table[i] == cp) {
			*out = (char)(0x80 + i);
			return n;
		}
	return 0;
}

struct str charset_query(struct arena *a, const struct encoding *e, struct str s)
{
	if ((e->decode != DECODE_ICU && e->decode != DECODE_TABLE) || utf8_ascii(s) == s.n)
		return s;
	struct buf out = { .max = 16 * s.n + 64 }; /* a letter of two bytes becomes 13, or 24 with escapes around it */
	char bytes[1024], escaped[3 * sizeof bytes];

	while (s.n) {
		size_t ascii = utf8_ascii(s), n = 0, used;
		char *end = escaped;
		uint32_t cp;

		buf_str(&out, str_n(s.p, ascii));
		s = str_n(s.p + ascii, s.n - ascii);
		if (!s.n)
			break;
		used = encode_some(e, s, bytes, sizeof bytes, &n);
		for (size_t i = 0; i < n && used; i++)
			end = put_escaped(end, (unsigned char)bytes[i]);
		buf_str(&out, str_n(escaped, (size_t)(end - escaped)));
		if (!used) {
			used = utf8_decode(s.p, str_end(s), &cp);
			buf_printf(&out, "%%26%%23%u%%3B", (unsigned)cp);
		}
		s = str_n(s.p + used, s.n - used);
	}
	s = arena_str(a, buf_view(&out));
	buf_release(&out);
	return s;
}
