/* sketch/simhash.c -- SimHash-64 of a set; see minhash.h.
 *
 * 64 counters are kept as bit planes: bit b of plane j is bit j of counter b.
 * Two such rows of counters lie side by side in a vector, each for every
 * other value; 16 values are first added by carry-save adders, so planes 3 and
 * above see one carry for every eight values of a row.  Rows are added, and the
 * counters compared with half of the values, plane by plane, too.
 */
#include "sketch/minhash.h"

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

/* sum += row r, plane by plane. */
static void add_row(uint64_t *sum, const rows *plane, unsigned r, unsigned planes)
{
	uint64_t carry = 0;

	for (unsigned j = 0; j < planes; j++) {
		uint64_t a = sum[j], b = plane[j][r], u = a ^ b;

		sum[j] = u ^ carry;
		carry = (a & b) | (u & carry);
	}
}

uint64_t simhash_make(struct set s)
{
	rows plane[64];
	uint64_t sum[64] = { 0 }, more = 0, equal = ~(uint64_t)0;
	unsigned planes = s.n ? 64 - (unsigned)__builtin_clzll(s.n) : 0;
	size_t rounds = s.n / VALUES * VALUES;

	if (rounds) {
		memset(plane, 0, planes * sizeof *plane);
		add_rounds(plane, s.p, rounds);
		for (unsigned r = 0; r < 2; r++)
			add_row(sum, plane, r, planes);
	}
	for (size_t i = rounds; i < s.n; i++) {
		uint64_t carry = s.p[i];

		for (unsigned j = 0; carry; j++) {
			uint64_t next = sum[j] & carry;

			sum[j] ^= carry;
			carry = next;
		}
	}
	for (unsigned j = planes; j-- > 0;) { /* which counters are above n / 2 */
		uint64_t half = -(uint64_t)(s.n / 2 >> j & 1);

		more |= equal & sum[j] & ~half;
		equal &= ~(sum[j] ^ half);
	}
	return more;
}
