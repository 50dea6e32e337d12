/* join/intersect.c -- see intersect.h.
 *
 * The vector forms compare a block of a with all rotations of a block of b and
 * step over the block whose last item is smaller: 4 x 4 items of 64 bits, or
 * 8 x 8 ranks of 32.
 */
#include "join/intersect.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

uint32_t intersect_bags(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb)
{
	uint32_t i = 0, j = 0, shared = 0;

	while (i < na && j < nb) {
		uint64_t x = a[i], y = b[j];

		shared += x == y;
		i += x <= y;
		j += y <= x;
	}
	return shared;
}

uint32_t intersect_sets_plain(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb)
{
	return intersect_bags(a, na, b, nb);
}

uint32_t intersect_weights_plain(const uint32_t *a, const uint32_t *weight, const uint32_t *rest, uint32_t na,
				 const uint32_t *b, uint32_t nb, uint32_t need)
{
	uint32_t i = 0, j = 0, sum = 0;

	while (i < na && j < nb) {
		uint32_t x = a[i], y = b[j];

		if (sum + rest[i] < need)
			return sum;
		sum += x == y ? weight[i] : 0;
		i += x <= y;
		j += y <= x;
	}
	return sum;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint32_t sets_avx2(const uint64_t *a, uint32_t na, const uint64_t *b,
							  uint32_t nb)
{
	uint32_t i = 0, j = 0, shared = 0;

	while (i + 4 <= na && j + 4 <= nb) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(a + i)),
			y = _mm256_loadu_si256((const __m256i *)(b + j));
		__m256i m0 = _mm256_cmpeq_epi64(x, y), m1 = _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64(y, 0x39)),
			m2 = _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64(y, 0x4e)),
			m3 = _mm256_cmpeq_epi64(x, _mm256_permute4x64_epi64(y, 0x93));
		__m256i m = _mm256_or_si256(_mm256_or_si256(m0, m1), _mm256_or_si256(m2, m3));
		uint64_t la = a[i + 3], lb = b[j + 3];

		shared += (uint32_t)__builtin_popcount((unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(m)));
		i += la <= lb ? 4 : 0;
		j += lb <= la ? 4 : 0;
	}
	return shared + intersect_bags(a + i, na - i, b + j, nb - j);
}

__attribute__((target("avx2"))) static uint32_t sum_avx2(__m256i v)
{
	__m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

	s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
	s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
	return (uint32_t)_mm_cvtsi128_si32(s);
}

__attribute__((target("avx2"))) static uint32_t weights_avx2(const uint32_t *a, const uint32_t *weight,
							     const uint32_t *rest, uint32_t na, const uint32_t *b,
							     uint32_t nb, uint32_t need)
{
	const __m256i turn = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
	__m256i total = _mm256_setzero_si256();
	uint32_t i = 0, j = 0, sum, steps = 0;

	while (i + 8 <= na && j + 8 <= nb) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(a + i)),
			y = _mm256_loadu_si256((const __m256i *)(b + j));
		__m256i z = _mm256_permute4x64_epi64(y, 0x4e); /* four lanes on */
		__m256i m = _mm256_or_si256(_mm256_cmpeq_epi32(x, y), _mm256_cmpeq_epi32(x, z));
		uint32_t la = a[i + 7], lb = b[j + 7];

		for (int r = 0; r < 3; r++) {
			y = _mm256_permutevar8x32_epi32(y, turn);
			z = _mm256_permutevar8x32_epi32(z, turn);
			m = _mm256_or_si256(m, _mm256_or_si256(_mm256_cmpeq_epi32(x, y), _mm256_cmpeq_epi32(x, z)));
		}
		total = _mm256_add_epi32(total, _mm256_and_si256(m, _mm256_loadu_si256((const __m256i *)(weight + i))));
		i += la <= lb ? 8 : 0;
		j += lb <= la ? 8 : 0;
		if (++steps % 8 == 0 && i < na && (sum = sum_avx2(total)) + rest[i] < need)
			return sum;
	}
	sum = sum_avx2(total);
	if (i == na || sum + rest[i] < need)
		return sum;
	return sum +
	       intersect_weights_plain(a + i, weight + i, rest + i, na - i, b + j, nb - j, need > sum ? need - sum : 0);
}
#endif

uint32_t intersect_sets(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb)
{
#if defined(__x86_64__)
	if (na >= 4 && nb >= 4 && __builtin_cpu_supports("avx2"))
		return sets_avx2(a, na, b, nb);
#endif
	return intersect_sets_plain(a, na, b, nb);
}

uint32_t intersect_weights(const uint32_t *a, const uint32_t *weight, const uint32_t *rest, uint32_t na,
			   const uint32_t *b, uint32_t nb, uint32_t need)
{
#if defined(__x86_64__)
	if (na >= 8 && nb >= 8 && __builtin_cpu_supports("avx2"))
		return weights_avx2(a, weight, rest, na, b, nb, need);
#endif
	return intersect_weights_plain(a, weight, rest, na, b, nb, need);
}
