/* text/charset_find.c -- which encoding: mark, HTTP, meta prescan, XML declaration, detection. */
#include <uchardet.h>

#include "base/utf8.h"
#include "text/charset.h"
#include "text/glance.h"
#include "text/scan.h"

#define PRESCAN_BYTES 1024   /* as the standard says */
#define LATE_META_BYTES 8192 /* a meta behind it makes a browser begin again: looked for before guessing */
#define DETECT_BYTES 6144    /* of runs of text that are not all ASCII */

static const struct encoding *by_name(const char *name) { return encoding_of_label(str(name)); }

/* ---- the prescan of the standard ---- */

static bool space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

struct attr {
	char name[24], value[200];
	size_t name_n, value_n;
};

static void fold(char *to, size_t cap, size_t *n, const char *from, const char *end)
{
	*n = (size_t)(end - from) < cap ? (size_t)(end - from) : cap;
	for (size_t i = 0; i < *n; i++)
		to[i] = ascii_lower(from[i]);
}

/* "get an attribute": false at '>' or the end; name folded, value folded, at most what fits.  Nobody asks for those of most
 * elements: with a NULL they are passed over. */
static inline bool get_attr(const char **at, const char *end, struct attr *a)
{
	const char *p = *at, *from;
	bool closed = false; /* by a quote */

	while (p < end && (space(*p) || *p == '/'))
		p++;
	if (p == end || *p == '>') {
		*at = p;
		return false;
	}
	from = p;
	while (p < end && !(*p == '=' && p > from) && !space(*p) && *p != '/' && *p != '>')
		p++;
	if (a)
		fold(a->name, sizeof a->name, &a->name_n, from, p);
	while (p < end && space(*p))
		p++;
	from = p;
	if (p < end && *p == '=') {
		p++;
		while (p < end && space(*p))
			p++;
		from = p;
		if (p < end && (*p == '"' || *p == '\'')) {
			const char *quote = memchr(p + 1, *p, (size_t)(end - p - 1));

			from = p + 1;
			p = quote ? quote : end;
			closed = quote != NULL;
		} else {
			while (p < end && !space(*p) && *p != '>')
				p++;
		}
	}
	if (a)
		fold(a->value, sizeof a->value, &a->value_n, from, p);
	*at = p + closed;
	return true;
}

/* "extracting a character encoding from a meta element". */
static struct str charset_in_content(struct str s)
{
	for (;;) {
		ptrdiff_t at = str_find(s, STR("charset"));

		if (at < 0)
			return STR_NONE;
		s = str_n(s.p + at + 7, s.n - (size_t)at - 7);
		struct str t = str_trim(s);

		if (!t.n || t.p[0] != '=')
			continue;
		t = str_trim(str_n(t.p + 1, t.n - 1));
		if (!t.n)
			return STR_NONE;
		if (t.p[0] == '"' || t.p[0] == '\'') {
			ptrdiff_t close = str_chr(str_n(t.p + 1, t.n - 1), t.p[0]);

			return close < 0 ? STR_NONE : str_n(t.p + 1, (size_t)close);
		}
		size_t n = 0;

		while (n < t.n && !space(t.p[n]) && t.p[n] != ';')
			n++;
		return str_n(t.p, n);
	}
}

static bool seen(const struct attr *a, const char *name) { return str_eq(str_n(a->name, a->name_n), str(name)); }

/* A meta element's attributes; its encoding or NULL. */
static const struct encoding *meta_encoding(const char **at, const char *end)
{
	struct attr a;
	bool got_pragma = false, need_pragma = false, known = false;
	bool had_http = false, had_content = false, had_charset = false;
	const struct encoding *e = NULL;

	while (get_attr(at, end, &a)) {
		struct str value = str_n(a.value, a.value_n);

		if (seen(&a, "http-equiv") && !had_http) {
			had_http = true;
			got_pragma |= str_eq(value, STR("content-type"));
		} else if (seen(&a, "content") && !had_content) {
			struct str label = charset_in_content(value);

			had_content = true;
			if (label.n && !known) {
				e = encoding_of_label(label);
				known = e != NULL;
				need_pragma = known;
			}
		} else if (seen(&a, "charset") && !had_charset) {
			had_charset = true;
			e = encoding_of_label(value);
			known = true;
			need_pragma = false;
		}
	}
	return known && (!need_pragma || got_pragma) ? e : NULL;
}

static bool has_meta(const char *p, const char *end)
{
	for (; (p = memchr(p, '<', (size_t)(end - p))); p++)
		if (end - p >= 6 && (p[1] | 32) == 'm' && strncasecmp(p, "<meta", 5) == 0)
			return true;
	return false;
}

static const struct encoding *prescan(struct str bytes, size_t max)
{
	const char *p = bytes.p, *end = bytes.p + (bytes.n < max ? bytes.n : max);

	if (!has_meta(p, end)) /* there is nothing to be found between other tags */
		return NULL;
	for (; p < end && (p = memchr(p, '<', (size_t)(end - p))); p++) {
		size_t left = (size_t)(end - p);

		if (left < 2)
			continue;
		if (left >= 4 && memcmp(p, "<!--", 4) == 0) {
			const char *close = memmem(p + 2, left - 2, "-->", 3);

			if (!close)
				return NULL;
			p = close + 2;
		} else if (left >= 6 && (p[1] | 32) == 'm' && strncasecmp(p, "<meta", 5) == 0 &&
			   (space(p[5]) || p[5] == '/')) {
			p += 5;
			const struct encoding *e = meta_encoding(&p, end);

			if (e) {
				const char *name = encoding_name(e);

				if (strncmp(name, "utf-16", 6) == 0)
					return by_name("utf-8");
				return strcmp(name, "x-user-defined") == 0 ? by_name("windows-1252") : e;
			}
		} else if (ascii_alpha(p[1]) || (p[1] == '/' && left > 2 && ascii_alpha(p[2]))) {
			while (p < end && !space(*p) && *p != '>')
				p++;
			while (get_attr(&p, end, NULL))
				;
		} else if (p[1] == '!' || p[1] == '/' || p[1] == '?') {
			const char *close = memchr(p, '>', left);

			if (!close)
				return NULL;
			p = close;
		}
	}
	return NULL;
}

struct str charset_prescan(struct str bytes)
{
	const struct encoding *e = prescan(bytes, PRESCAN_BYTES);

	return e ? str(encoding_name(e)) : STR_NONE;
}

/* <?xml ... encoding="..."?> at the very beginning. */
static const struct encoding *xml_encoding(struct str bytes)
{
	struct str head = str_sub(bytes, 0, PRESCAN_BYTES);

	if (!str_starts(head, STR("<?xml")))
		return NULL;
	ptrdiff_t close = str_chr(head, '>');

	if (close < 0)
		return NULL;
	head.n = (size_t)close;
	ptrdiff_t at = str_find(head, STR("encoding"));

	if (at < 0)
		return NULL;
	struct str rest = str_trim(str_n(head.p + at + 8, head.n - (size_t)at - 8));

	if (!rest.n || rest.p[0] != '=')
		return NULL;
	rest = str_trim(str_n(rest.p + 1, rest.n - 1));
	if (rest.n < 2 || (rest.p[0] != '"' && rest.p[0] != '\''))
		return NULL;
	ptrdiff_t end = str_chr(str_n(rest.p + 1, rest.n - 1), rest.p[0]);
	const struct encoding *e = end < 0 ? NULL : encoding_of_label(str_n(rest.p + 1, (size_t)end));

	return e && strncmp(encoding_name(e), "utf-16", 6) == 0 ? by_name("utf-8") : e;
}

/* ---- detection ---- */

/* Bytes that are not ASCII at or behind i, counted as far as `enough`. */
static size_t high_bytes(struct str s, size_t i, size_t enough)
{
	size_t n = 0;

	for (; n < enough && (i += utf8_ascii(str_n(s.p + i, s.n - i))) < s.n; i++)
		n++;
	return n;
}

static bool ascii_only(struct str s) { return utf8_ascii(s) == s.n; }

/* The first letters are markup, in code units of two bytes: "<" and what may follow it.  low: where the letters are. */
static bool wide_markup(struct str s, size_t low)
{
	size_t i = 0;

	while (i + 8 <= s.n && s.p[i + !low] == 0 && ascii_space(s.p[i + low]))
		i += 2;
	if (i + 8 > s.n || s.p[i + low] != '<' ||
	    !(ascii_alpha(s.p[i + 2 + low]) || s.p[i + 2 + low] == '!' || s.p[i + 2 + low] == '?'))
		return false;
	for (size_t end = i + 8; i < end; i += 2) {
		if (s.p[i + !low] != 0 || s.p[i + low] < ' ')
			return false;
		if (s.p[i + low] == '>') /* "<p>" and letters of any kind */
			break;
	}
	return true;
}

/* UTF-16 without a mark: half of the bytes are zero, all on one side; a page that is not in Latin letters begins with
 * markup that is.  Text of other alphabets has blanks, and almost no letter beyond U+08FF. */
static const struct encoding *utf16(struct str s)
{
	size_t zero[2] = { 0, 0 }, small[2] = { 0, 0 }, n = s.n < 4096 ? s.n & ~(size_t)1 : 4096;

	if (!memchr(s.p, 0, n))
		return NULL;
	if (wide_markup(s, 0))
		return by_name("utf-16le");
	if (wide_markup(s, 1))
		return by_name("utf-16be");
	for (size_t i = 0; i < n; i++) {
		zero[i & 1] += s.p[i] == 0;
		small[i & 1] += (unsigned char)s.p[i] <= 8;
	}
	if (n >= 4 && zero[1] > n / 4 && zero[0] < n / 64 + 1)
		return by_name("utf-16le");
	if (n >= 4 && zero[0] > n / 4 && zero[1] < n / 64 + 1)
		return by_name("utf-16be");
	for (size_t side = 0; side < 2; side++)
		if (n >= 32 && zero[side] && small[side] > n / 2 - n / 16 && small[!side] < n / 64 + 1)
			return by_name(side ? "utf-16le" : "utf-16be");
	return NULL;
}

/* Mostly UTF-8: a page that was cut, or into which something else was pasted. */
static bool nearly_utf8(struct str s)
{
	size_t good = 0, bad = 0;

	while (s.n) {
		size_t n = utf8_valid(s);

		for (size_t i = 0; i < n; i++)
			good += (s.p[i] & 0xC0) == 0xC0;
		s = str_n(s.p + n, s.n - n);
		if (s.n) {
			uint32_t cp;

			n = utf8_decode(s.p, str_end(s), &cp);
			/* a sequence that only the end of the page cuts is not bad */
			bad += n < s.n;
			good += n == s.n && n > 1;
			s = str_n(s.p + n, s.n - n);
		}
	}
	return good > 10 * bad;
}

static bool iso2022jp(struct str s)
{
	for (const char *p = s.p; (p = memchr(p, 0x1B, (size_t)(s.p + s.n - p))); p++)
		if (s.p + s.n - p >= 3 && p[1] == '$' && (p[2] == 'B' || p[2] == '@'))
			return true;
	return false;
}

/* What uchardet says of the text between the tags. */
static const struct encoding *statistics(struct str s)
{
	uchardet_t u = uchardet_new();
	const char *p = s.p, *end = str_end(s);
	size_t given = 0;
	const struct encoding *e = NULL;

	if (!u)
		return NULL;
	while (p < end && given < DETECT_BYTES) {
		const char *tag = memchr(p, '<', (size_t)(end - p));
		const char *stop = tag ? tag : end;
		size_t n = (size_t)(stop - p) < DETECT_BYTES ? (size_t)(stop - p) : DETECT_BYTES;

		if (n && !ascii_only(str_n(p, n))) {
			if (uchardet_handle_data(u, p, n))
				break;
			given += n;
		}
		if (!tag)
			break;
		const char *close = memchr(tag, '>', (size_t)(end - tag));

		p = close ? close + 1 : end;
	}
	uchardet_data_end(u);
	const char *name = uchardet_get_charset(u);

	if (name && *name) {
		e = encoding_of_label(str(name));
		if (!e && strcmp(name, "UHC") == 0)
			e = by_name("euc-kr");
		if (!e && strncmp(name, "MAC-CYRILLIC", 12) == 0)
			e = by_name("x-mac-cyrillic");
	}
	uchardet_delete(u);
	return e;
}

/* ---- western or not ---- */

static bool letter(char c) { return ascii_alpha(c); }

/* The next byte at or behind i that is not ASCII and has neighbours; s.n when there is none. */
static size_t next_high(struct str s, size_t i)
{
	i += utf8_ascii(str_n(s.p + i, s.n - i));
	return i + 1 < s.n ? i : s.n;
}

/* Bytes that are symbols in windows-1252 and letters in the Latin encodings of eastern Europe, inside words. */
static bool central_european(struct str s)
{
	size_t symbols = 0, hungarian = 0, ring = 0;

	for (size_t i = 1; i < s.n && (i = next_high(s, i)) < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (!letter(s.p[i - 1]) || !(letter(s.p[i + 1]) || (s.p[i + 1] & 0x80)))
			continue;
		symbols += c == 0xB1 || c == 0xB3 || c == 0xB6 || c == 0xB9 || c == 0xBA || c == 0xBB || c == 0xBC ||
			   c == 0xBE || c == 0xBF || c == 0xF8 || c == 0xEC || c == 0xFE || c == 0x9D;
		hungarian += (c == 0xF5 && s.p[i + 1] != 'e') || c == 0xFB;
		ring += c == 0xF9; /* u with a ring; in windows-1252 with a grave accent, which ends words: où, più */
	}
	return symbols >= 3 || hungarian >= 4 || (symbols >= 2 && ring >= 2);
}

static bool baltic_or_turkish(struct str s)
{
	size_t n = 0;

	for (size_t i = 1; i < s.n && (i = next_high(s, i)) < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		n += (c == 0xF0 || c == 0xFE || c == 0xFD || c == 0xF8) && (letter(s.p[i - 1]) || letter(s.p[i + 1]));
	}
	return n >= 8;
}

/* Hardly ever two bytes that are not ASCII side by side: a Latin alphabet.  Others are runs of such bytes. */
static bool latin(struct str s)
{
	size_t high = 0, beside = 0;

	for (size_t i = 0; i < s.n && (i += utf8_ascii(str_n(s.p + i, s.n - i))) < s.n; i++) {
		high++;
		beside += i > 0 && (s.p[i - 1] & 0x80);
	}
	return beside * 16 <= high;
}

/* Letters that Ukrainian has in KOI8-U where KOI8-R has lines to draw boxes with, inside words; else the two are the same. */
static bool ukrainian(struct str s)
{
	size_t n = 0;

	for (size_t i = 1; i < s.n && (i = next_high(s, i)) < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool inside = (unsigned char)s.p[i - 1] >= 0xC0 || (unsigned char)s.p[i + 1] >= 0xC0;

		n += inside && (c == 0xA4 || c == 0xA6 || c == 0xA7 || c == 0xAD);
	}
	return n >= 2;
}

/* uchardet cannot tell the Latin encodings apart on little text; the web's default stands unless its reading puts
 * symbols into words. */
static const struct encoding *sober(const struct encoding *e, struct str s)
{
	static const char *const central[] = { "iso-8859-2", "windows-1250", NULL };
	static const char *const other[] = { "iso-8859-13",  "windows-1257", "iso-8859-4",
					     "windows-1254", "iso-8859-9",   NULL };
	static const char *const never[] = { "iso-8859-3",  "iso-8859-10",  "iso-8859-14", "iso-8859-15",
					     "iso-8859-16", "windows-1258", "macintosh",   NULL };
	const char *name = e ? encoding_name(e) : "";

	if (strcmp(name, "ibm866") == 0 && latin(s))
		return by_name("windows-1252");
	if (strcmp(name, "koi8-r") == 0 && ukrainian(s))
		return by_name("koi8-u");
	for (int i = 0; never[i]; i++)
		if (strcmp(name, never[i]) == 0)
			return by_name("windows-1252");
	for (int i = 0; other[i]; i++)
		if (strcmp(name, other[i]) == 0 && !baltic_or_turkish(s))
			return by_name("windows-1252");
	for (int i = 0; central[i]; i++)
		if (strcmp(name, central[i]) == 0 && !central_european(s))
			return by_name("windows-1252");
	return e;
}

static const struct encoding *detect(struct str s, const struct glance *g)
{
	const struct encoding *e = g->nul ? utf16(s) : NULL;

	if (e)
		return e;
	if (g->ascii == s.n)
		return by_name(g->esc && iso2022jp(s) ? "iso-2022-jp" : "utf-8");
	if (utf8_valid(s) == s.n || nearly_utf8(s))
		return by_name("utf-8");
	if (latin(s) && !central_european(s) && !baltic_or_turkish(s))
		return by_name("windows-1252"); /* whatever the statistics said of it, sober() would say this */
	e = sober(statistics(s), s);
	/* a wide encoding that needs zeros it does not have, or one we cannot name: the web's default */
	if (!e || strncmp(encoding_name(e), "utf-16", 6) == 0)
		e = by_name("windows-1252");
	return e;
}

const struct encoding *charset_detect(struct str s)
{
	struct glance g = glance_at(s);

	return detect(s, &g);
}

/* ---- labels that lie ---- */

/* What to read instead of the encoding e that a label names; e itself when the label may be true. */
static const struct encoding *disproved(const struct encoding *e, struct str s, const struct glance *g)
{
	static const char *const two_byte[] = { "gbk", "gb18030", "big5", "euc-kr", "euc-jp", "shift_jis", NULL };
	const char *name = encoding_name(e);
	size_t high;

	if (strncmp(name, "utf-16", 6) == 0) {
		const struct encoding *seen = g->nul ? utf16(s) : NULL;

		if (seen) /* "utf-16" is little-endian, as browsers read it, unless the bytes say otherwise */
			return seen;
		return !g->nul && utf8_valid(s) == s.n ? by_name("utf-8") : e;
	}
	if (strcmp(name, "utf-8") == 0 || strcmp(name, "replacement") == 0 || strcmp(name, "x-user-defined") == 0)
		return e;
	high = high_bytes(s, g->ascii, 12);
	if (!high)
		return g->esc && (strncmp(name, "iso-8859", 8) == 0 || strncmp(name, "windows-", 8) == 0) &&
			       iso2022jp(s)
			   ? by_name("iso-2022-jp")
			   : e;
	if (strcmp(name, "iso-2022-jp") == 0)
		return iso2022jp(s) ? e : charset_detect(s);
	for (int i = 0; two_byte[i]; i++)
		if (strcmp(name, two_byte[i]) == 0 && high < 12)
			return e; /* so few bytes may be UTF-8 by chance */
	return utf8_valid(s) == s.n ? by_name("utf-8") : e;
}

static struct charset believe(const struct encoding *e, enum charset_source source, struct str s,
			      const struct glance *g)
{
	const struct encoding *true_one = disproved(e, s, g);
	struct charset c = {
		.encoding = true_one, .source = source, .lied = true_one != e, .ascii = g->ascii, .no_cr = !g->cr
	};

	c.mixed = strcmp(encoding_name(c.encoding), "windows-1252") == 0 ||
		  strcmp(encoding_name(c.encoding), "iso-8859-2") == 0;
	if (c.lied)
		c.source = CHARSET_DETECTED;
	return c;
}

/* The next "t=" of s, where a "charset=" could end, from i on: where its sign is, or s.n. */
static size_t next_t_sign(struct str s, size_t i)
{
#if defined(__x86_64__)
	const __m128i t = _mm_set1_epi8('t'), fold = _mm_set1_epi8(32), sign = _mm_set1_epi8('=');

	for (; i >= 1 && i + 16 <= s.n; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(s.p + i));
		__m128i before = _mm_or_si128(_mm_loadu_si128((const __m128i *)(s.p + i - 1)), fold);
		unsigned hit =
		    (unsigned)_mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(v, sign), _mm_cmpeq_epi8(before, t)));

		if (hit)
			return i + (size_t)__builtin_ctz(hit);
	}
#endif
	while (i < s.n && (s.p[i] != '=' || (s.p[i - 1] | 32) != 't'))
		i++;
	return i;
}

/* Whether a late meta can be there at all: most pages without an early one have none. */
static bool late_meta(struct str s)
{
	struct str head = str_sub(s, PRESCAN_BYTES - 200, LATE_META_BYTES);

	for (size_t i = 7; i < head.n && (i = next_t_sign(head, i)) < head.n; i++)
		if (strncasecmp(head.p + i - 7, "charset", 7) == 0)
			return true;
	return false;
}

struct charset charset_find(struct str s, struct str http_label, bool markup)
{
	const struct encoding *e;

	if (str_starts(s, STR("\xEF\xBB\xBF")))
		return (struct charset){ .encoding = by_name("utf-8"), .source = CHARSET_BOM, .bom = 3 };
	if (str_starts(s, STR("\xFE\xFF")))
		return (struct charset){ .encoding = by_name("utf-16be"), .source = CHARSET_BOM, .bom = 2 };
	if (str_starts(s, STR("\xFF\xFE")))
		return (struct charset){ .encoding = by_name("utf-16le"), .source = CHARSET_BOM, .bom = 2 };
	struct glance g = glance_at(s);

	if (http_label.n && (e = encoding_of_label(http_label)))
		return believe(e, CHARSET_HTTP, s, &g);
	if (markup && (e = prescan(s, PRESCAN_BYTES)))
		return believe(e, CHARSET_META, s, &g);
	if (markup && (e = xml_encoding(s)))
		return believe(e, CHARSET_XML, s, &g);
	if (markup && late_meta(s) && (e = prescan(s, LATE_META_BYTES)))
		return believe(e, CHARSET_META, s, &g);
	return believe(detect(s, &g), CHARSET_DETECTED, s, &g);
}
