/* sketch/minhash.c -- see minhash.h. */
#include "sketch/minhash.h"

#include "base/hash.h"

#define GOLDEN 0x9e3779b97f4a7c15U

void minhash_make(struct minhash *m, struct set s)
{
	uint64_t filled[MINHASH_N / 64] = { 0 };
	size_t at = 0;

	memset(m, 0, sizeof *m);
	if (!s.n)
		return;
	while (at < s.n) { /* the first value of each range, ranges found by galloping */
		unsigned range = (unsigned)(s.p[at] >> 57);
		uint64_t last = ((uint64_t)range << 57) | (((uint64_t)1 << 57) - 1);
		size_t step = 1, high;

		m->v[range] = (uint8_t)mix64(s.p[at]);
		filled[range / 64] |= (uint64_t)1 << range % 64;
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
	for (unsigned i = 0; i < MINHASH_N; i++) {
		uint64_t x = i;
		unsigned j = i;

		while (!(filled[j / 64] >> j % 64 & 1)) {
			x += GOLDEN;
			j = (unsigned)(mix64(x) >> 57);
		}
		if (j != i)
			m->v[i] = m->v[j];
	}
}

unsigned minhash_equal(const struct minhash *a, const struct minhash *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MINHASH_N; i++)
		n += a->v[i] == b->v[i];
	return n;
}

double minhash_jaccard(const struct minhash *a, const struct minhash *b)
{
	double chance = 1.0 / 256, share = minhash_equal(a, b) / (double)MINHASH_N;
	double j = (share - chance) / (1 - chance);

	return j < 0 ? 0 : j;
}
