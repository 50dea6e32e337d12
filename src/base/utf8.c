/* base/utf8.c -- see utf8.h.  SSE2 is part of every x86-64; elsewhere, and in tails, the byte loops do the same. */
#include "base/utf8.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

size_t utf8_decode(const char *p, const char *end, uint32_t *cp)
{
	const unsigned char *s = (const unsigned char *)p;
	size_t have = (size_t)(end - p), need, i;
	unsigned char low = 0x80, high = 0xbf;
	uint32_t c = s[0];

	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		need = 1;
		c &= 0x1f;
	} else if (c >= 0xe0 && c <= 0xef) {
		low = c == 0xe0 ? 0xa0 : 0x80;
		high = c == 0xed ? 0x9f : 0xbf;
		need = 2;
		c &= 0x0f;
	} else if (c >= 0xf0 && c <= 0xf4) {
		low = c == 0xf0 ? 0x90 : 0x80;
		high = c == 0xf4 ? 0x8f : 0xbf;
		need = 3;
		c &= 0x07;
	} else {
		*cp = 0xfffd;
		return 1;
	}
	for (i = 1; i <= need; i++) {
		if (i >= have || s[i] < low || s[i] > high) {
			*cp = 0xfffd;
			return i;
		}
		c = c << 6 | (s[i] & 0x3f);
		low = 0x80;
		high = 0xbf;
	}
	*cp = c;
	return need + 1;
}

size_t utf8_encode(uint32_t cp, char *out)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

size_t utf8_ascii(struct str s)
{
	size_t i = 0;

#if defined(__x86_64__)
	for (; i + 64 <= s.n; i += 64) {
		const __m128i *v = (const __m128i *)(s.p + i);
		__m128i low = _mm_or_si128(_mm_loadu_si128(v), _mm_loadu_si128(v + 1));
		__m128i high = _mm_or_si128(_mm_loadu_si128(v + 2), _mm_loadu_si128(v + 3));

		if (_mm_movemask_epi8(_mm_or_si128(low, high)))
			break;
	}
	for (; i + 16 <= s.n; i += 16) {
		int mask = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(s.p + i)));

		if (mask)
			return i + (size_t)__builtin_ctz((unsigned)mask);
	}
#endif
	while (i < s.n && !(s.p[i] & 0x80))
		i++;
	return i;
}

/* Bytes of the sequence at u, which is not ASCII; 0 when it is none. */
static inline size_t sequence(const unsigned char *u, size_t have)
{
	if (u[0] < 0xe0) /* most letters that are not ASCII */
		return u[0] >= 0xc2 && have > 1 && (u[1] & 0xc0) == 0x80 ? 2 : 0;
	if (u[0] < 0xf0 && u[0] != 0xe0 && u[0] != 0xed)
		return have > 2 && (u[1] & 0xc0) == 0x80 && (u[2] & 0xc0) == 0x80 ? 3 : 0;
	uint32_t cp;
	size_t n = utf8_decode((const char *)u, (const char *)u + have, &cp);

	return cp == 0xfffd ? 0 : n; /* U+FFFD itself begins with 0xef: above */
}

size_t utf8_valid(struct str s)
{
	size_t i = 0, n;

	while (i < s.n) {
		if (!(s.p[i] & 0x80))
			i += s.n - i > 1 && (s.p[i + 1] & 0x80) ? 1 : utf8_ascii(str_n(s.p + i, s.n - i));
		else if ((n = sequence((const unsigned char *)s.p + i, s.n - i)))
			i += n;
		else
			break;
	}
	return i;
}
