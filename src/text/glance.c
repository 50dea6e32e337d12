/* text/glance.c -- see glance.h. */
#include "text/glance.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "text/scan.h"

static void add_slow(struct glance *g, const char *p, size_t n, size_t at)
{
	for (size_t i = 0; i < n; i++) {
		g->nul |= p[i] == 0;
		g->cr |= p[i] == '\r';
		g->esc |= p[i] == 0x1B;
		if ((p[i] & 0x80) && g->ascii == SIZE_MAX)
			g->ascii = at + i;
	}
}

static struct glance ended(struct glance g, struct str s, size_t from)
{
	add_slow(&g, s.p + from, s.n - from, from);
	if (g.ascii == SIZE_MAX)
		g.ascii = s.n;
	return g;
}

struct glance glance_slow(struct str s) { return ended((struct glance){ .ascii = SIZE_MAX }, s, 0); }

#if defined(__x86_64__)
struct glance glance_plain(struct str s)
{
	const __m128i r = _mm_set1_epi8('\r'), e = _mm_set1_epi8(0x1B), zero = _mm_setzero_si128();
	__m128i nul = zero, cr = zero, esc = zero;
	struct glance g = { .ascii = SIZE_MAX };
	size_t i = 0;

	for (; s.n - i >= 16; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(s.p + i));

		nul = _mm_or_si128(nul, _mm_cmpeq_epi8(v, zero));
		cr = _mm_or_si128(cr, _mm_cmpeq_epi8(v, r));
		esc = _mm_or_si128(esc, _mm_cmpeq_epi8(v, e));
		if (g.ascii == SIZE_MAX && _mm_movemask_epi8(v))
			g.ascii = i + (size_t)__builtin_ctz((unsigned)_mm_movemask_epi8(v));
	}
	g.nul = _mm_movemask_epi8(nul) != 0;
	g.cr = _mm_movemask_epi8(cr) != 0;
	g.esc = _mm_movemask_epi8(esc) != 0;
	return ended(g, s, i);
}

SCAN_TARGET_AVX2 static struct glance glance_avx2(struct str s)
{
	const __m256i r = _mm256_set1_epi8('\r'), e = _mm256_set1_epi8(0x1B), zero = _mm256_setzero_si256();
	__m256i nul = zero, cr = zero, esc = zero;
	struct glance g = { .ascii = SIZE_MAX };
	size_t i = 0;

	for (; s.n - i >= 64; i += 64) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(s.p + i));
		__m256i w = _mm256_loadu_si256((const __m256i *)(s.p + i + 32));
		__m256i least = _mm256_min_epu8(v, w);

		nul = _mm256_or_si256(nul, _mm256_cmpeq_epi8(least, zero));
		cr = _mm256_or_si256(cr, _mm256_or_si256(_mm256_cmpeq_epi8(v, r), _mm256_cmpeq_epi8(w, r)));
		esc = _mm256_or_si256(esc, _mm256_or_si256(_mm256_cmpeq_epi8(v, e), _mm256_cmpeq_epi8(w, e)));
		if (g.ascii == SIZE_MAX && _mm256_movemask_epi8(_mm256_or_si256(v, w))) {
			uint64_t high = (uint32_t)_mm256_movemask_epi8(v) | (uint64_t)(uint32_t)_mm256_movemask_epi8(w)
										<< 32;

			g.ascii = i + (size_t)__builtin_ctzll(high);
		}
	}
	g.nul = _mm256_movemask_epi8(nul) != 0;
	g.cr = _mm256_movemask_epi8(cr) != 0;
	g.esc = _mm256_movemask_epi8(esc) != 0;
	return ended(g, s, i);
}

struct glance glance_at(struct str s) { return scan_kernel() == SCAN_PLAIN ? glance_plain(s) : glance_avx2(s); }
#else
struct glance glance_plain(struct str s) { return glance_slow(s); }
struct glance glance_at(struct str s) { return glance_slow(s); }
#endif
