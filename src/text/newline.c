/* text/newline.c -- see newline.h. */
#include "text/newline.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

size_t newline_slow(char *out, struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		bool before_lf = i + 1 < s.n && s.p[i + 1] == '\n';

		if (s.p[i] != '\r')
			out[n++] = s.p[i];
		else if (!before_lf)
			out[n++] = '\n';
	}
	return n;
}

size_t newline_narrow(char *out, struct str s)
{
	const char *p = s.p, *end = str_end(s);
	char *o = out;

	while (p < end) {
#if defined(__x86_64__)
		const __m128i cr = _mm_set1_epi8('\r');

		while (end - p >= 16) { /* o is never ahead of p, and has bytes to spare */
			__m128i v = _mm_loadu_si128((const __m128i *)p);
			unsigned hit = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, cr));

			_mm_storeu_si128((__m128i *)o, v);
			if (hit) {
				p += __builtin_ctz(hit);
				o += __builtin_ctz(hit);
				break;
			}
			p += 16;
			o += 16;
		}
#endif
		if (p < end && *p != '\r') {
			*o++ = *p++;
		} else if (p < end) {
			*o++ = '\n';
			p += 1 + (end - p > 1 && p[1] == '\n');
		}
	}
	return (size_t)(o - out);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt"))) static size_t newline_wide(char *out, struct str s)
{
	const __m512i cr = _mm512_set1_epi8('\r'), lf = _mm512_set1_epi8('\n');
	const char *p = s.p, *end = str_end(s);
	char *o = out;

	for (; end - p > 64; p += 64) { /* the byte behind the 64 is looked at, too */
		__m512i v = _mm512_loadu_si512(p);
		__mmask64 is_cr = _mm512_cmpeq_epi8_mask(v, cr), is_lf = _mm512_cmpeq_epi8_mask(v, lf);
		__mmask64 keep = ~(is_cr & (is_lf >> 1 | (__mmask64)(p[64] == '\n') << 63));

		_mm512_storeu_si512(o, _mm512_maskz_compress_epi8(keep, _mm512_mask_mov_epi8(v, is_cr, lf)));
		o += __builtin_popcountll(keep);
	}
	return (size_t)(o - out) + newline_slow(o, str_n(p, (size_t)(end - p)));
}
#endif

size_t newline_unix(char *out, struct str s)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2"))
		return newline_wide(out, s);
#endif
	return newline_narrow(out, s);
}
