/* text/scan.h -- the next interesting byte, sixteen at a time.
 *
 * SSE2 is part of every x86-64, so no dispatch is needed; elsewhere, and in
 * the tail of a piece, the byte loops do the same.  The scalar twins are
 * named _slow and a test compares them.
 */
#ifndef WINNOW_TEXT_SCAN_H
#define WINNOW_TEXT_SCAN_H
#include <stddef.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

static inline const char *scan_three_slow(const char *p, const char *end, char a, char b, char c)
{
	while (p < end && *p != a && *p != b && *p != c)
		p++;
	return p;
}

/* First of three bytes, or end. */
static inline const char *scan_three(const char *p, const char *end, char a, char b, char c)
{
#if defined(__x86_64__)
	const __m128i va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b), vc = _mm_set1_epi8(c);

	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		int hit = _mm_movemask_epi8(
		    _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, va), _mm_cmpeq_epi8(v, vb)), _mm_cmpeq_epi8(v, vc)));

		if (hit)
			return p + __builtin_ctz((unsigned)hit);
	}
#endif
	return scan_three_slow(p, end, a, b, c);
}

static inline const char *scan_two(const char *p, const char *end, char a, char b)
{
	return scan_three(p, end, a, b, b);
}

/* What ends a run of plain text: '<', '&', NUL. */
static inline const char *scan_data(const char *p, const char *end) { return scan_three(p, end, '<', '&', 0); }
#endif
