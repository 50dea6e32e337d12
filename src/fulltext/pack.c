/* fulltext/pack.c -- see pack.h. */
#include "fulltext/pack.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define FEW 8	      /* below: varints */
#define PATCH_COST 20 /* bits an exception is taken to cost beside its high part: its place, and time */

typedef uint32_t lanes __attribute__((vector_size(16)));
typedef int32_t signed_lanes __attribute__((vector_size(16)));
typedef float float_lanes __attribute__((vector_size(16)));

static inline unsigned char *put_varint(unsigned char *p, uint64_t v)
{
	for (; v > 127; v >>= 7)
		*p++ = (unsigned char)(v | 128);
	*p++ = (unsigned char)v;
	return p;
}

void pack_varint(struct buf *out, uint64_t v)
{
	unsigned char *p = (unsigned char *)buf_room(out, 10);

	if (p)
		out->n += (size_t)(put_varint(p, v) - p);
}

static unsigned width(uint32_t v) { return 63 - (unsigned)__builtin_clzll(2 * (uint64_t)v + 1); } /* 0 of 0 */

/* How many of n numbers have each width. */
struct widths {
	uint8_t
	    of[4][32]; /* four counts, since the next number may well be as long as this one; 32 bits are not counted */
	unsigned greatest;
};

/* Of numbers below 2^31 the exponents of floats say it.  Without the bit behind the highest none is rounded up to the
 * next power of two. */
static void count_widths(struct widths *c, const uint32_t *v, size_t n)
{
	lanes all = { 0 };
	uint32_t any = 0;
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		lanes x;
		float_lanes f;
		uint32_t w[4];

		memcpy(&x, v + i, sizeof x);
		all |= x;
		f = __builtin_convertvector((signed_lanes)(x & ~(x >> 1)), float_lanes);
		x = (((lanes)f >> 23) - 126) & (lanes)(x != 0) & 31;
		memcpy(w, &x, sizeof w);
		for (size_t j = 0; j < 4; j++)
			c->of[j][w[j]]++;
	}
	any = all[0] | all[1] | all[2] | all[3];
	for (; i < n; i++) {
		any |= v[i];
		c->of[0][width(v[i]) & 31]++;
	}
	c->greatest = width(any);
}

/* The width that costs least, and how many numbers are longer. */
static unsigned best_width(const uint32_t *v, size_t n, unsigned *longer)
{
	struct widths c = { 0 };
	unsigned best, above = 0;
	size_t best_cost;

	count_widths(&c, v, n);
	best = c.greatest;
	if (best == 32) { /* of no use here; counted one by one */
		memset(&c, 0, sizeof c);
		for (size_t i = 0; i < n; i++) {
			unsigned w = width(v[i]);

			above += w == 32;
			c.of[0][w & 31] += w < 32;
		}
	}
	best_cost = n * best;
	*longer = 0;
	for (unsigned b = best; b-- > 0 && above * (size_t)PATCH_COST < best_cost;) {
		size_t cost;

		for (size_t j = 0; j < 4 && b < 31; j++)
			above += c.of[j][b + 1];
		cost = n * b + above * (size_t)PATCH_COST;
		if (cost < best_cost) {
			best_cost = cost;
			best = b;
			*longer = above;
		}
	}
	return best;
}

#if defined(__x86_64__)
#define TARGET_WIDE __attribute__((target("avx512f,avx512cd,avx512bw,bmi,popcnt")))

static bool wide(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
	       __builtin_cpu_supports("avx512bw");
}

/* The same with the widths as bytes, of which 64 are compared at once; which: a bit for each number that is longer. */
TARGET_WIDE static unsigned best_width_wide(const uint32_t *v, size_t n, unsigned *longer, uint64_t which[2])
{
	_Alignas(64) uint8_t widths[PACK_N];
	__m512i any = _mm512_setzero_si512(), first, second;
	unsigned best, above = 0;
	size_t best_cost;

	for (size_t i = 0; i < PACK_N; i += 16) {
		__mmask16 here = i >= n ? 0 : n - i < 16 ? (__mmask16)((1u << (n - i)) - 1) : 0xffff;
		__m512i x = _mm512_maskz_loadu_epi32(here, v + (here ? i : 0));

		any = _mm512_or_si512(any, x);
		_mm_store_si128((__m128i *)(widths + i),
				_mm512_cvtepi32_epi8(_mm512_sub_epi32(_mm512_set1_epi32(32), _mm512_lzcnt_epi32(x))));
	}
	first = _mm512_load_si512(widths);
	second = _mm512_load_si512(widths + 64);
	best = width((uint32_t)_mm512_reduce_or_epi32(any));
	best_cost = n * best;
	*longer = 0;
	for (unsigned b = best; b-- > 0 && above * (size_t)PATCH_COST < best_cost;) {
		const __m512i most = _mm512_set1_epi8((char)b);
		uint64_t in_first = _mm512_cmpgt_epu8_mask(first, most),
			 in_second = _mm512_cmpgt_epu8_mask(second, most);
		size_t cost;

		above = (unsigned)(__builtin_popcountll(in_first) + __builtin_popcountll(in_second));
		cost = n * b + above * (size_t)PATCH_COST;
		if (cost < best_cost) {
			best_cost = cost;
			best = b;
			*longer = above;
			which[0] = in_first;
			which[1] = in_second;
		}
	}
	return best;
}
#else
static bool wide(void) { return false; }

static unsigned best_width_wide(const uint32_t *v, size_t n, unsigned *longer, uint64_t which[2])
{
	return (void)which, best_width(v, n, longer);
}
#endif

static size_t packed_bytes(size_t n, unsigned b) { return n == PACK_N ? 16 * (size_t)b : (n * b + 7) / 8; }

/* One of 32 steps of packing four lanes of constant width b: all conditions are known when compiling. */
#define PACK_STEP(i)                                                   \
	{                                                              \
		const unsigned at = ((i)*b) % 32;                      \
		lanes x;                                               \
		memcpy(&x, v + 4 * (i), 16);                           \
		x &= mask;                                             \
		acc = at == 0 ? x : acc | x << at;                     \
		if (at + b >= 32) {                                    \
			memcpy(out + 16 * (((i)*b) / 32), &acc, 16);   \
			acc = at + b > 32 ? x >> ((32 - at) & 31) : x; \
		}                                                      \
	}
#define PACK_STEPS4(i) PACK_STEP(i) PACK_STEP((i) + 1) PACK_STEP((i) + 2) PACK_STEP((i) + 3)
#define PACK_STEPS16(i) PACK_STEPS4(i) PACK_STEPS4((i) + 4) PACK_STEPS4((i) + 8) PACK_STEPS4((i) + 12)

static inline __attribute__((always_inline)) void pack_width(unsigned char *out, const uint32_t *v, const unsigned b)
{
	const uint32_t m = b == 32 ? ~(uint32_t)0 : ((uint32_t)1 << (b & 31)) - 1;
	const lanes mask = { m, m, m, m };
	lanes acc = { 0 };

	PACK_STEPS16(0)
	PACK_STEPS16(16)
}

/* Every width from 1 to 32. */
#define WIDTHS4(b) WIDTH(b) WIDTH((b) + 1) WIDTH((b) + 2) WIDTH((b) + 3)
#define WIDTHS WIDTHS4(1) WIDTHS4(5) WIDTHS4(9) WIDTHS4(13) WIDTHS4(17) WIDTHS4(21) WIDTHS4(25) WIDTHS4(29)

static void pack_lanes(unsigned char *out, const uint32_t *v, unsigned b)
{
	switch (b) {
#define WIDTH(b) \
	case b: pack_width(out, v, b); break;
		WIDTHS
#undef WIDTH
	}
}

/* Writes up to 4 bytes behind what it packs. */
static void pack_row(unsigned char *out, const uint32_t *v, size_t n, unsigned b)
{
	uint64_t word = 0, mask = ((uint64_t)1 << b) - 1;
	unsigned filled = 0; /* below 32 */

	for (size_t i = 0; i < n; i++) {
		word |= (v[i] & mask) << filled;
		filled += b;
		if (filled >= 32) {
			memcpy(out, &word, 4);
			out += 4;
			word >>= 32;
			filled -= 32;
		}
	}
	memcpy(out, &word, 4);
}

/* The places of numbers longer than b. */
static void find_places(unsigned char *out, const uint32_t *v, size_t n, unsigned b, unsigned patches)
{
	unsigned found = 0;

	for (size_t i = 0; i < n && found < patches; i++) {
		out[found] = (unsigned char)i;
		found += v[i] >> b != 0;
	}
}

/* The same, told by bits. */
static void put_places(unsigned char *out, const uint64_t which[2])
{
	for (unsigned w = 0; w < 2; w++)
		for (uint64_t bits = which[w]; bits; bits &= bits - 1)
			*out++ = (unsigned char)(64 * w + (unsigned)__builtin_ctzll(bits));
}

static void pack(struct buf *out, const uint32_t *v, size_t n, bool wide)
{
	uint64_t which[2];
	unsigned b, patches;
	unsigned char *p, *places;

	if (n < FEW) {
		if (!(p = (unsigned char *)buf_room(out, FEW * (size_t)5)))
			return;
		for (size_t i = 0; i < n; i++)
			p = put_varint(p, v[i]);
		out->n = (size_t)((char *)p - out->p);
		return;
	}
	b = wide ? best_width_wide(v, n, &patches, which) : best_width(v, n, &patches);
	if (!(p = (unsigned char *)buf_room(out, 2 + packed_bytes(n, b) + 8 + patches * (size_t)6)))
		return;
	p[0] = (unsigned char)b;
	p[1] = (unsigned char)patches;
	p += 2;
	if (n == PACK_N)
		pack_lanes(p, v, b);
	else
		pack_row(p, v, n, b);
	p += packed_bytes(n, b);
	if (patches) { /* their places, then what stands above b of each */
		places = p;
		p += patches;
		if (wide)
			put_places(places, which);
		else
			find_places(places, v, n, b, patches);
		for (unsigned i = 0; i < patches; i++)
			p = put_varint(p, v[places[i]] >> b);
	}
	out->n = (size_t)((char *)p - out->p);
}

void pack_block(struct buf *out, const uint32_t *v, size_t n) { pack(out, v, n, wide()); }
void pack_block_narrow(struct buf *out, const uint32_t *v, size_t n) { pack(out, v, n, false); }

/* One of 32 steps of unpacking four lanes of constant width b: all conditions are known when compiling. */
#define STEP(i)                                                        \
	{                                                              \
		const unsigned at = ((i)*b) % 32, from = ((i)*b) / 32; \
		lanes x;                                               \
		if (at == 0 || (i) == 0)                               \
			memcpy(&acc, in + 16 * from, 16);              \
		x = acc >> at;                                         \
		if (at + b > 32) {                                     \
			memcpy(&acc, in + 16 * (from + 1), 16);        \
			x |= acc << ((32 - at) & 31);                  \
		}                                                      \
		x &= mask;                                             \
		memcpy(v + 4 * (i), &x, 16);                           \
	}
#define STEPS4(i) STEP(i) STEP((i) + 1) STEP((i) + 2) STEP((i) + 3)
#define STEPS16(i) STEPS4(i) STEPS4((i) + 4) STEPS4((i) + 8) STEPS4((i) + 12)

static inline __attribute__((always_inline)) void unpack_width(const unsigned char *in, uint32_t *v, const unsigned b)
{
	const uint32_t m = b == 32 ? ~(uint32_t)0 : ((uint32_t)1 << (b & 31)) - 1;
	const lanes mask = { m, m, m, m };
	lanes acc;

	STEPS16(0)
	STEPS16(16)
}

static void unpack_lanes(const unsigned char *in, uint32_t *v, unsigned b)
{
	switch (b) {
	case 0: memset(v, 0, PACK_N * sizeof *v); break;
#define WIDTH(b) \
	case b: unpack_width(in, v, b); break;
		WIDTHS
#undef WIDTH
	}
}

static void unpack_row(const unsigned char *in, const unsigned char *end, uint32_t *v, size_t n, unsigned b)
{
	uint64_t mask = ((uint64_t)1 << b) - 1;
	size_t at = 0, i = 0;

	for (; i < n && in + (at >> 3) + 8 <= end; i++, at += b) {
		uint64_t word;

		memcpy(&word, in + (at >> 3), 8);
		v[i] = (uint32_t)(word >> (at & 7) & mask);
	}
	for (; i < n; i++, at += b) { /* the last few, where a whole word would be too much */
		uint64_t word = 0;

		for (size_t j = 0; j < 5 && in + (at >> 3) + j < end; j++)
			word |= (uint64_t)in[(at >> 3) + j] << 8 * j;
		v[i] = (uint32_t)(word >> (at & 7) & mask);
	}
}

static const unsigned char *patch(const unsigned char *p, const unsigned char *end, uint32_t *v, size_t n, unsigned b,
				  unsigned patches)
{
	const unsigned char *places = p;

	if ((size_t)(end - p) < patches)
		return NULL;
	p += patches;
	for (unsigned i = 0; i < patches; i++) {
		uint64_t high;

		if (!(p = unpack_varint(p, end, &high)) || places[i] >= n || b > 31)
			return NULL;
		if (v)
			v[places[i]] |= (uint32_t)(high << b);
	}
	return p;
}

const unsigned char *unpack_block(const unsigned char *p, const unsigned char *end, uint32_t *v, size_t n)
{
	unsigned b, patches;
	size_t bytes;

	if (n < FEW) {
		for (size_t i = 0; i < n; i++) {
			uint64_t x;

			if (!(p = unpack_varint(p, end, &x)) || x > UINT32_MAX)
				return NULL;
			v[i] = (uint32_t)x;
		}
		return p;
	}
	if (end - p < 2 || p[0] > 32)
		return NULL;
	b = p[0];
	patches = p[1];
	p += 2;
	bytes = packed_bytes(n, b);
	if ((size_t)(end - p) < bytes)
		return NULL;
	if (n == PACK_N)
		unpack_lanes(p, v, b);
	else
		unpack_row(p, end, v, n, b);
	p += bytes;
	return patches ? patch(p, end, v, n, b, patches) : p;
}

const unsigned char *skip_block(const unsigned char *p, const unsigned char *end, size_t n)
{
	unsigned b, patches;

	if (n < FEW) {
		uint64_t x;

		for (size_t i = 0; i < n && p; i++)
			p = unpack_varint(p, end, &x);
		return p;
	}
	if (end - p < 2 || p[0] > 32)
		return NULL;
	b = p[0];
	patches = p[1];
	p += 2;
	if ((size_t)(end - p) < packed_bytes(n, b))
		return NULL;
	p += packed_bytes(n, b);
	return patches ? patch(p, end, NULL, n, b, patches) : p;
}
