/* text/scan.h -- the next interesting byte, sixteen at a time.
 *
 * SSE2 is part of every x86-64, so no dispatch is needed; elsewhere, and in
 * the tail of a piece, the byte loops do the same.  The scalar twins are
 * named _slow and a test compares them.
 */
#ifndef WINNOW_TEXT_SCAN_H
#define WINNOW_TEXT_SCAN_H
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/* What the processor has for loops that are compiled more than once. */
enum scan_kernel { SCAN_PLAIN, SCAN_AVX2, SCAN_AVX512 };
#define SCAN_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define SCAN_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,avx2,bmi,bmi2,popcnt")))

static inline enum scan_kernel scan_kernel(void)
{
#if defined(__x86_64__)
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
		return SCAN_PLAIN;
	return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("avx512vbmi2")
		   ? SCAN_AVX512
		   : SCAN_AVX2;
#else
	return SCAN_PLAIN;
#endif
}

static inline const char *scan_three_slow(const char *p, const char *end, char a, char b, char c)
{
	while (p < end && *p != a && *p != b && *p != c)
		p++;
	return p;
}

#if defined(__x86_64__)
static inline unsigned scan_mask(const char *p, __m128i a, __m128i b, __m128i c)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p);

	return (unsigned)_mm_movemask_epi8(
	    _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, a), _mm_cmpeq_epi8(v, b)), _mm_cmpeq_epi8(v, c)));
}
#endif

/* First of three bytes, or end. */
static inline const char *scan_three(const char *p, const char *end, char a, char b, char c)
{
#if defined(__x86_64__)
	const __m128i va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b), vc = _mm_set1_epi8(c);

	for (; end - p >= 16; p += 16) {
		unsigned hit = scan_mask(p, va, vb, vc);

		if (hit)
			return p + __builtin_ctz(hit);
	}
#endif
	return scan_three_slow(p, end, a, b, c);
}

static inline const char *scan_two(const char *p, const char *end, char a, char b)
{
	return scan_three(p, end, a, b, b);
}

/* The same where most runs are shorter than 64 bytes and none is as long as the one before: one step for all costs less
 * than being wrong about how many there will be. */
static inline const char *scan_three_wide(const char *p, const char *end, char a, char b, char c)
{
#if defined(__x86_64__)
	const __m128i va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b), vc = _mm_set1_epi8(c);

	for (; end - p >= 64; p += 64) {
		uint64_t low = scan_mask(p, va, vb, vc) | scan_mask(p + 16, va, vb, vc) << 16;
		uint64_t high = scan_mask(p + 32, va, vb, vc) | scan_mask(p + 48, va, vb, vc) << 16;
		uint64_t hit = low | high << 32;

		if (hit)
			return p + __builtin_ctzll(hit);
	}
#endif
	return scan_three(p, end, a, b, c);
}

/* What ends a run of plain text: '<', '&', NUL. */
static inline const char *scan_data(const char *p, const char *end) { return scan_three_wide(p, end, '<', '&', 0); }
#endif
