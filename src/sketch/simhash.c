/* sketch/simhash.c -- SimHash-64 of a set; see minhash.h.
 *
 * 64 counters are kept as bit planes: bit b of plane j is bit j of counter b.
 * Eight values are first added by carry-save adders, so planes 3 and above see
 * one carry for every eight values.
 */
#include "sketch/minhash.h"

static inline uint64_t add3(uint64_t a, uint64_t b, uint64_t c, uint64_t *carry)
{
	uint64_t u = a ^ b;

	*carry = (a & b) | (u & c);
	return u ^ c;
}

static inline void carry_up(uint64_t plane[64], unsigned from, uint64_t carry)
{
	for (unsigned j = from; carry; j++) {
		uint64_t next = plane[j] & carry;

		plane[j] ^= carry;
		carry = next;
	}
}

uint64_t simhash_make(struct set s)
{
	uint64_t plane[64] = { 0 }, out = 0;
	size_t i = 0;
	unsigned planes = s.n ? 64 - (unsigned)__builtin_clzll(s.n) : 0;

	for (; i + 8 <= s.n; i += 8) {
		const uint64_t *v = s.p + i;
		uint64_t one = plane[0], two = plane[1], four = plane[2], a, b, c, d, e, f, eight;

		one = add3(one, v[0], v[1], &a);
		one = add3(one, v[2], v[3], &b);
		two = add3(two, a, b, &e);
		one = add3(one, v[4], v[5], &c);
		one = add3(one, v[6], v[7], &d);
		two = add3(two, c, d, &f);
		four = add3(four, e, f, &eight);
		plane[0] = one;
		plane[1] = two;
		plane[2] = four;
		carry_up(plane, 3, eight);
	}
	for (; i < s.n; i++)
		carry_up(plane, 0, s.p[i]);
	for (unsigned b = 0; b < 64; b++) {
		size_t count = 0;

		for (unsigned j = 0; j < planes; j++)
			count |= (size_t)(plane[j] >> b & 1) << j;
		out |= (uint64_t)(count > s.n - count) << b;
	}
	return out;
}
