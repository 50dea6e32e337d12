/* sketch/simhash.c -- SimHash-64 of a set; see minhash.h.
 *
 * 64 counters are kept as bit planes: bit b of plane j is bit j of counter b.
 * Two such rows of counters lie side by side in a vector, each for every
 * other value; 16 values are first added by carry-save adders, so planes 3 and
 * above see one carry for every eight values of a row.  Rows are added, and the
 * counters compared with half of the values, plane by plane, too.  A processor
 * with AVX-512 takes eight rows, and adds with one instruction each for sum and carry.
 */
#include "sketch/minhash.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef uint64_t rows __attribute__((vector_size(16)));
#define VALUES 16 /* of one round: eight for each row */

static inline rows add3(rows a, rows b, rows c, rows *carry)
{
	rows u = a ^ b;

	*carry = (a & b) | (u & c);
	return u ^ c;
}

static inline rows load(const uint64_t *p)
{
	rows v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* The sums of n / VALUES rounds, in the planes of two rows. */
static void add_rounds(rows *plane, const uint64_t *p, size_t n)
{
	rows one = { 0 }, two = { 0 }, four = { 0 };

	for (const uint64_t *v = p, *end = p + n; v < end; v += VALUES) {
		rows a, b, c, d, e, f, carry;

		one = add3(one, load(v), load(v + 2), &a);
		one = add3(one, load(v + 4), load(v + 6), &b);
		two = add3(two, a, b, &e);
		one = add3(one, load(v + 8), load(v + 10), &c);
		one = add3(one, load(v + 12), load(v + 14), &d);
		two = add3(two, c, d, &f);
		four = add3(four, e, f, &carry);
		for (unsigned j = 3; carry[0] | carry[1]; j++) {
			rows next = plane[j] & carry;

			plane[j] ^= carry;
			carry = next;
		}
	}
	plane[0] = one;
	plane[1] = two;
	plane[2] = four;
}

/* sum += one of two rows, plane by plane. */
static void add_row(uint64_t *sum, const uint64_t *row, unsigned planes)
{
	uint64_t carry = 0;

	for (unsigned j = 0; j < planes; j++) {
		uint64_t a = sum[j], b = row[(size_t)2 * j], u = a ^ b;

		sum[j] = u ^ carry;
		carry = (a & b) | (u & carry);
	}
}

static void count_plain(uint64_t *sum, struct set s, unsigned planes)
{
	size_t rounds = s.n / VALUES * VALUES;
	rows plane[64];
	uint64_t row[64][2];

	if (rounds) {
		memset(plane, 0, planes * sizeof *plane);
		add_rounds(plane, s.p, rounds);
		memcpy(row, plane, planes * sizeof *plane);
		for (unsigned r = 0; r < 2; r++)
			add_row(sum, &row[0][r], planes);
	}
	for (size_t i = rounds; i < s.n; i++) {
		uint64_t carry = s.p[i];

		for (unsigned j = 0; carry; j++) {
			uint64_t next = sum[j] & carry;

			sum[j] ^= carry;
			carry = next;
		}
	}
}

#if defined(__x86_64__)
#define WIDE_VALUES 64
#define SUM3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define CARRY3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0xe8)

/* Each row becomes the sum of itself and the one that is a step further. */
#define ADD_ROWS(plane, planes, step)                                                          \
	do {                                                                                   \
		__m512i over = _mm512_setzero_si512();                                         \
		for (unsigned j = 0; j < (planes); j++) {                                      \
			__m512i own = (plane)[j], other = _mm512_alignr_epi64(own, own, step); \
			(plane)[j] = SUM3(own, other, over);                                   \
			over = CARRY3(own, other, over);                                       \
		}                                                                              \
	} while (0)

/* All values; those behind the last whole round with zeros, which count nothing. */
__attribute__((target("avx512f"))) static void count_wide(uint64_t *sum, struct set s, unsigned planes)
{
	__m512i plane[64], one = _mm512_setzero_si512(), two = one, four = one;
	uint64_t rest[WIDE_VALUES];
	const uint64_t *v = s.p;

	for (unsigned j = 0; j < planes || j < 3; j++)
		plane[j] = _mm512_setzero_si512();
	for (size_t left = s.n; left;) {
		__m512i x[8], a, b, c, d, e, f, carry;

		if (left < WIDE_VALUES) {
			memset(rest, 0, sizeof rest);
			v = memcpy(rest, v, left * sizeof *v);
			left = WIDE_VALUES;
		}
		for (unsigned i = 0; i < 8; i++)
			x[i] = _mm512_loadu_si512(v + (size_t)8 * i);
		a = CARRY3(one, x[0], x[1]);
		one = SUM3(one, x[0], x[1]);
		b = CARRY3(one, x[2], x[3]);
		one = SUM3(one, x[2], x[3]);
		e = CARRY3(two, a, b);
		two = SUM3(two, a, b);
		c = CARRY3(one, x[4], x[5]);
		one = SUM3(one, x[4], x[5]);
		d = CARRY3(one, x[6], x[7]);
		one = SUM3(one, x[6], x[7]);
		f = CARRY3(two, c, d);
		two = SUM3(two, c, d);
		carry = CARRY3(four, e, f);
		four = SUM3(four, e, f);
		for (unsigned j = 3; _mm512_test_epi64_mask(carry, carry); j++) {
			__m512i next = _mm512_and_si512(plane[j], carry);

			plane[j] = _mm512_xor_si512(plane[j], carry);
			carry = next;
		}
		v += WIDE_VALUES;
		left -= WIDE_VALUES;
	}
	plane[0] = one;
	plane[1] = two;
	plane[2] = four;
	ADD_ROWS(plane, planes, 4);
	ADD_ROWS(plane, planes, 2);
	ADD_ROWS(plane, planes, 1);
	for (unsigned j = 0; j < planes; j++)
		sum[j] = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(plane[j]));
}

static bool wide(void) { return __builtin_cpu_supports("avx512f"); }
#else
#define count_wide count_plain
static bool wide(void) { return false; }
#endif

static uint64_t simhash(struct set s, bool wide)
{
	uint64_t sum[64] = { 0 }, more = 0, equal = ~(uint64_t)0;
	unsigned planes = s.n ? 64 - (unsigned)__builtin_clzll(s.n) : 0;

	if (wide)
		count_wide(sum, s, planes);
	else
		count_plain(sum, s, planes);
	for (unsigned j = planes; j-- > 0;) { /* which counters are above n / 2 */
		uint64_t half = -(uint64_t)(s.n / 2 >> j & 1);

		more |= equal & sum[j] & ~half;
		equal &= ~(sum[j] ^ half);
	}
	return more;
}

uint64_t simhash_make(struct set s) { return simhash(s, wide()); }
uint64_t simhash_make_narrow(struct set s) { return simhash(s, false); }
