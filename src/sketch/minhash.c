/* sketch/minhash.c -- see minhash.h. */
#include "sketch/minhash.h"

#include "base/hash.h"

#define GOLDEN 0x9e3779b97f4a7c15U

#define NONE UINT32_MAX
#define FEW (32 * MINHASH_N) /* up to here a pass over all values is cheaper than searches */

/* The first value of each range, by writing the index of each, the first one last. */
static void first_by_pass(uint32_t *first, struct set s)
{
	for (size_t i = s.n; i-- > 0;)
		first[s.p[i] >> 57] = (uint32_t)i;
}

/* The same, ranges found by galloping. */
static void first_by_search(uint32_t *first, struct set s)
{
	size_t at = 0;

	while (at < s.n) {
		unsigned range = (unsigned)(s.p[at] >> 57);
		uint64_t last = ((uint64_t)range << 57) | (((uint64_t)1 << 57) - 1);
		size_t step = 1, high;

		first[range] = (uint32_t)at;
		while (at + step < s.n && s.p[at + step] <= last)
			step *= 2;
		high = at + step < s.n ? at + step : s.n;
		at += step / 2 + 1;
		while (at < high) {
			size_t middle = at + (high - at) / 2;

			if (s.p[middle] <= last)
				at = middle + 1;
			else
				high = middle;
		}
	}
}

void minhash_make(struct minhash *m, struct set s)
{
	uint32_t first[MINHASH_N];

	memset(m, 0, sizeof *m);
	if (!s.n)
		return;
	memset(first, 0xff, sizeof first);
	if (s.n <= FEW)
		first_by_pass(first, s);
	else
		first_by_search(first, s);
	for (unsigned i = 0; i < MINHASH_N; i++) {
		uint64_t x = i;
		unsigned j = i;

		while (first[j] == NONE) {
			x += GOLDEN;
			j = (unsigned)(mix64(x) >> 57);
		}
		m->v[i] = (uint8_t)mix64(s.p[first[j]]);
	}
}

/* How many of the bytes agree. */
static unsigned equal_bytes(const struct minhash *a, const struct minhash *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MINHASH_N; i++)
		n += a->v[i] == b->v[i];
	return n;
}

double minhash_jaccard(const struct minhash *a, const struct minhash *b)
{
	double chance = 1.0 / 256, share = equal_bytes(a, b) / (double)MINHASH_N;
	double j = (share - chance) / (1 - chance);

	return j < 0 ? 0 : j;
}
