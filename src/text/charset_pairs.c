/* text/charset_pairs.c -- encodings of two bytes a letter, by table.
 *
 * A table says for each lead and trail byte which one code point of the basic
 * plane they are, and for each byte alone whether it is one; it is asked of
 * ICU's converter, once per encoding, when the encoding is first met (64 KiB
 * and about two milliseconds).  What is not in the table (longer sequences,
 * ill-formed ones) goes to the converter itself, from there to the next byte
 * below 0x30: no encoding here has such a byte inside a letter, so both agree
 * on what comes after.  The result is therefore the converter's, an order of
 * magnitude faster on ordinary text; a test holds them equal on random bytes.
 *
 * ISO-2022-JP has states, so there what is not ordinary (other escapes than
 * those of ASCII, Roman and JIS X 0208, ill-formed pairs) sends the whole page
 * to the converter. */
#include "text/charset_pairs.h"

#include <pthread.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include "base/mem.h"
#include "base/utf8.h"

#define LEADS 128
#define JAPANESE_MAIL "ISO-2022-JP"
#define NEVER_INSIDE 0x30 /* bytes below it are letters of their own, wherever they stand */

struct pairs {
	pthread_once_t once;
	const char *icu;
	bool usable;		   /* ASCII is ASCII */
	uint16_t alone[LEADS];	   /* 0x80 to 0xFF as letters of their own; 0: not one */
	uint16_t pair[LEADS][256]; /* 0: not one code point of the basic plane; ISO-2022-JP: by seven-bit lead */
};

/* U+FFFD for what is ill-formed; some converters of ICU would say U+001A. */
static void replace(const void *context, UConverterToUnicodeArgs *args, const char *units, int32_t n,
		    UConverterCallbackReason reason, UErrorCode *e)
{
	static const UChar replacement = 0xFFFD;

	(void)context;
	(void)units;
	(void)n;
	if (reason <= UCNV_IRREGULAR) {
		*e = U_ZERO_ERROR;
		ucnv_cbToUWriteUChars(args, &replacement, 1, 0, e);
	}
}

static UConverter *converter(const char *icu)
{
	UErrorCode e = U_ZERO_ERROR;
	UConverter *c = ucnv_open(icu, &e);

	if (U_FAILURE(e))
		return NULL;
	ucnv_setToUCallBack(c, replace, NULL, NULL, NULL, &e);
	return c;
}

/* The code point that n bytes are, when they are exactly one of the basic plane; else 0. */
static uint16_t ask(UConverter *c, const char *bytes, size_t n)
{
	UErrorCode e = U_ZERO_ERROR;
	UChar wide[4], *w = wide;
	const char *p = bytes;

	ucnv_resetToUnicode(c);
	ucnv_toUnicode(c, &w, wide + COUNT(wide), &p, bytes + n, NULL, true, &e);
	if (U_FAILURE(e) || w != wide + 1 || p != bytes + n || wide[0] == 0xFFFD ||
	    (wide[0] >= 0xD800 && wide[0] < 0xE000))
		return 0;
	return wide[0];
}

static void fill(struct pairs *t)
{
	UConverter *c = converter(t->icu);

	if (!c)
		return;
	t->usable = true;
	if (strcmp(t->icu, JAPANESE_MAIL) == 0) {
		for (unsigned lead = 0x21; lead < 0x7F; lead++)
			for (unsigned trail = 0x21; trail < 0x7F; trail++)
				t->pair[lead][trail] =
				    ask(c, (const char[]){ 0x1B, '$', 'B', (char)lead, (char)trail }, 5);
		ucnv_close(c);
		return;
	}
	for (unsigned b = 1; b < 0x80; b++)
		t->usable &= ask(c, (const char[]){ (char)b }, 1) == b;
	for (unsigned lead = 0x80; lead < 0x100; lead++) {
		t->alone[lead - 0x80] = ask(c, (const char[]){ (char)lead }, 1);
		for (unsigned trail = NEVER_INSIDE; trail < 0x100 && !t->alone[lead - 0x80]; trail++)
			t->pair[lead - 0x80][trail] = ask(c, (const char[]){ (char)lead, (char)trail }, 2);
	}
	ucnv_close(c);
}

/* One table and one once-function per encoding: pthread_once takes no argument. */
#define TABLES(X)          \
	X(0, "Big5-HKSCS") \
	X(1, "EUC-JP") X(2, "windows-949") X(3, "gb18030") X(4, "ibm-943_P15A-2003") X(5, JAPANESE_MAIL)
static struct pairs tables[] = {
#define X(i, name) { .once = PTHREAD_ONCE_INIT, .icu = (name) },
	TABLES(X)
#undef X
};
#define X(i, name) \
	static void fill_##i(void) { fill(&tables[i]); }
TABLES(X)
#undef X
static void (*const fills[])(void) = {
#define X(i, name) fill_##i,
	TABLES(X)
#undef X
};

static const struct pairs *table_of(const char *icu)
{
	for (size_t i = 0; i < COUNT(tables); i++) {
		if (strcmp(tables[i].icu, icu) == 0) {
			pthread_once(&tables[i].once, fills[i]);
			return tables[i].usable ? &tables[i] : NULL;
		}
	}
	return NULL;
}

/* ---- the converter ---- */

static char *put_wide(char *out, const UChar *u, const UChar *end, size_t *replaced)
{
	while (u < end) {
		uint32_t cp = *u++;

		if (cp >= 0xD800 && cp < 0xDC00 && u < end && *u >= 0xDC00 && *u < 0xE000)
			cp = 0x10000 + ((cp - 0xD800) << 10) + (*u++ - 0xDC00u);
		else if (cp >= 0xD800 && cp < 0xE000)
			cp = 0xFFFD;
		*replaced += cp == 0xFFFD;
		out += utf8_encode(cp, out);
	}
	return out;
}

/* All of s by the converter c, begun anew. */
static char *convert(UConverter *c, struct str s, char *out, size_t *replaced)
{
	const char *p = s.p, *end = str_end(s);
	UChar wide[1024], kept = 0;
	UErrorCode e;

	ucnv_resetToUnicode(c);
	do {
		UChar *w = wide;

		if (kept)
			*w++ = kept;
		kept = 0;
		e = U_ZERO_ERROR;
		ucnv_toUnicode(c, &w, wide + COUNT(wide), &p, end, NULL, true, &e);
		if (e == U_BUFFER_OVERFLOW_ERROR && w[-1] >= 0xD800 && w[-1] < 0xDC00)
			kept = *--w; /* its other half comes first next time */
		out = put_wide(out, wide, w, replaced);
	} while (e == U_BUFFER_OVERFLOW_ERROR);
	return out;
}

static inline char *put(char *out, unsigned cp)
{
	if (cp < 0x800) {
		*out++ = (char)(0xC0 | cp >> 6);
	} else {
		*out++ = (char)(0xE0 | cp >> 12);
		*out++ = (char)(0x80 | (cp >> 6 & 0x3F));
	}
	*out++ = (char)(0x80 | (cp & 0x3F));
	return out;
}

/* Letters by table from i on; returns where it must stop. */
static size_t by_table(const struct pairs *t, struct str s, size_t i, char **to)
{
	char *out = *to;

	while (i < s.n) {
		unsigned c = (unsigned char)s.p[i], cp;

		if (c < 0x80) {
			size_t n = s.n - i > 1 && (s.p[i + 1] & 0x80) ? 1 : utf8_ascii(str_n(s.p + i, s.n - i));

			memcpy(out, s.p + i, n);
			out += n;
			i += n;
		} else if (s.n - i > 1 && (cp = t->pair[c - 0x80][(unsigned char)s.p[i + 1]])) {
			out = put(out, cp);
			i += 2;
		} else if ((cp = t->alone[c - 0x80])) {
			out = put(out, cp);
			i++;
		} else {
			break;
		}
	}
	*to = out;
	return i;
}

/* Ordinary ISO-2022-JP, all of it, to out; NULL when it is not ordinary. */
static char *japanese_mail(const struct pairs *t, struct str s, char *out)
{
	enum { ASCII, ROMAN, KANJI } state = ASCII;
	size_t i = 0, escaped = 0; /* where the last escape ended */

	while (i < s.n) {
		unsigned c = (unsigned char)s.p[i];

		if (c == 0x1B) {
			struct str escape = str_sub(s, i + 1, i + 3);

			if (i && i == escaped) /* nothing between two escapes: an error */
				return NULL;

			if (str_eq(escape, STR("(B")))
				state = ASCII;
			else if (str_eq(escape, STR("(J")))
				state = ROMAN;
			else if (str_eq(escape, STR("$B")))
				state = KANJI;
			else
				return NULL;
			escaped = i += 3;
		} else if (state == KANJI) {
			unsigned cp = s.n - i > 1 && c < 0x80 ? t->pair[c][(unsigned char)s.p[i + 1]] : 0;

			if (cp < 0x80)
				return NULL;
			out = put(out, cp);
			i += 2;
		} else if (state == ROMAN && (c == '\\' || c == '~')) {
			out = put(out, c == '~' ? 0x203E : 0xA5);
			i++;
		} else if (c < 0x80 && c != 0x0E && c != 0x0F) {
			*out++ = (char)c;
			i++;
		} else {
			return NULL;
		}
	}
	return out;
}

struct str charset_pairs_decode(struct arena *a, const char *icu, struct str s, bool table, size_t *replaced)
{
	const struct pairs *t = table ? table_of(icu) : NULL;
	/* a byte gives at most one code point of three bytes, two bytes at most four; one more for what was begun */
	char *out = arena_alloc(a, s.n * 3 + 16), *o = out;
	UConverter *c = NULL;

	if (t && strcmp(icu, JAPANESE_MAIL) == 0) {
		char *end = japanese_mail(t, s, out);

		if (end)
			return str_n(out, (size_t)(end - out));
		t = NULL;
	}
	size_t i = t ? by_table(t, s, 0, &o) : 0;

	while (i < s.n) {
		size_t stop = t ? i : s.n;

		while (stop < s.n && (unsigned char)s.p[stop] >= NEVER_INSIDE)
			stop++;
		stop += stop < s.n; /* with that byte, so that nothing looks cut */
		if (!c && !(c = converter(icu)))
			return STR("\xEF\xBF\xBD");
		o = convert(c, str_n(s.p + i, stop - i), o, replaced);
		i = stop < s.n ? by_table(t, s, stop, &o) : stop;
	}
	if (c)
		ucnv_close(c);
	return str_n(out, (size_t)(o - out));
}

size_t charset_pairs_encode(const char *icu, struct str text, char *out, size_t cap, size_t *bytes)
{
	UErrorCode e = U_ZERO_ERROR;
	UConverter *c = ucnv_open(icu, &e);
	const char *p = text.p, *end = str_end(text);

	*bytes = 0;
	if (U_FAILURE(e))
		return 0;
	ucnv_setFromUCallBack(c, UCNV_FROM_U_CALLBACK_STOP, NULL, NULL, NULL, &e);
	/* a letter at a time: what is open at the end is closed once, as ISO-2022-JP needs it */
	for (char *at = out; p < end && U_SUCCESS(e);) {
		uint32_t cp;
		size_t n = utf8_decode(p, end, &cp);
		UChar wide[2] = { (UChar)cp, 0 };
		const UChar *w = wide;
		size_t units = cp > 0xFFFF ? 2 : 1;

		if (units == 2) {
			wide[0] = (UChar)(0xD7C0 + (cp >> 10));
			wide[1] = (UChar)(0xDC00 | (cp & 0x3FF));
		}
		ucnv_fromUnicode(c, &at, out + cap - 8, &w, wide + units, NULL, false, &e);
		if (U_SUCCESS(e)) {
			p += n;
			*bytes = (size_t)(at - out);
		}
	}
	if (*bytes) {
		char *at = out + *bytes;
		const UChar none = 0, *w = &none;

		if (U_FAILURE(e)) { /* of the letter that stopped it nothing may stay inside */
			size_t again = (size_t)(p - text.p);

			ucnv_close(c);
			return charset_pairs_encode(icu, str_n(text.p, again), out, cap, bytes);
		}
		ucnv_fromUnicode(c, &at, out + cap, &w, &none, NULL, true, &e);
		*bytes = (size_t)(at - out);
	}
	ucnv_close(c);
	return (size_t)(p - text.p);
}
