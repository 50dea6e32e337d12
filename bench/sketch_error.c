/* bench/sketch_error.c -- how far MinHash and SimHash are from the exact sets.
 *
 *	bench-sketch_error TEXTS [PAIRS]
 *
 * TEXTS holds texts, each as its length in bytes on a line and the bytes (bench-pagetext --texts).  Takes PAIRS (20,000)
 * pairs of different sets of five-word shingles: half of them neighbours in TEXTS, half drawn at random, and for each also
 * a pair made of it by mixing, so that every likeness occurs.  Prints for ranges of the exact Jaccard index how often it
 * occurred, MinHash's bias, root mean square and largest error beside what 128 samples of 8 bits must have
 * (sqrt((p + c)(1 - p - c) / 128) / (1 - 1/256), p = J, c = (1 - J) / 256), and SimHash's mean distance in bits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/vec.h"
#include "sketch/minhash.h"

#define RANGES 10

struct tally {
	uint64_t n;
	double bias, square, worst, expected, distance;
};

static uint64_t state = 88172645463325252u;
static uint64_t below(uint64_t n)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return state % n;
}

static void compare(struct tally *tallies, struct set a, struct set b)
{
	struct minhash ma, mb;
	size_t both = set_shared(a, b);
	double exact = (double)both / (double)(a.n + b.n - both), chance = (1 - exact) / 256;
	struct tally *t = &tallies[exact == 1 ? RANGES : (int)(exact * RANGES)];

	minhash_make(&ma, a);
	minhash_make(&mb, b);
	double error = minhash_jaccard(&ma, &mb) - exact;

	t->n++;
	t->bias += error;
	t->square += error * error;
	t->worst = fabs(error) > t->worst ? fabs(error) : t->worst;
	t->expected += (exact + chance) * (1 - exact - chance) / MINHASH_N / (255.0 / 256) / (255.0 / 256);
	t->distance += simhash_distance(simhash_make(a), simhash_make(b));
}

/* Of the values of a and b that only one has, some that both would: a likeness between one and theirs.  Which ones is drawn by
 * a hash of the value, because MinHash itself cuts values into ranges. */
static struct set mixed(struct set a, struct set b, uint64_t *out)
{
	uint64_t salt = below(UINT64_MAX), cut = below(UINT64_MAX);
	size_t n = 0, i = 0, j = 0;

	while (i < a.n || j < b.n) {
		bool from_a = j == b.n || (i < a.n && a.p[i] <= b.p[j]), both = i < a.n && j < b.n && a.p[i] == b.p[j];
		uint64_t v = from_a ? a.p[i] : b.p[j];

		i += from_a;
		j += !from_a || both;
		if (both || (hash64(&(uint64_t){ v ^ salt }, 8) < cut) == from_a)
			out[n++] = v;
	}
	return (struct set){ out, n };
}

int main(int argc, char **argv)
{
	struct os_map map;
	struct err err = { 0 };
	struct shingler s = { .spec = SHINGLE_DEFAULT };
	VEC(struct set) sets = { 0 };
	size_t pairs = argc > 2 ? (size_t)atol(argv[2]) : 20000, longest = 0;
	struct tally tallies[RANGES + 1] = { 0 };

	if (argc < 2 || os_map(&map, argv[1], &err) < 0) {
		fprintf(stderr, "usage: bench-sketch_error TEXTS [PAIRS]\n%s\n", err.text);
		return 2;
	}
	for (struct str rest = { (const char *)map.p, map.n }; rest.n;) {
		uint64_t n = 0;

		if (!str_u64(str_cut(&rest, '\n'), &n) || n > rest.n)
			return fprintf(stderr, "%s is not a list of texts\n", argv[1]), 3;
		struct set set = shingle_text(&s, str_n(rest.p, n));

		rest = str_sub(rest, n, rest.n);
		if (set.n < 50)
			continue; /* of small sets the exact index is as cheap */
		uint64_t *copy = mem_array(set.n, sizeof *copy);

		memcpy(copy, set.p, set.n * sizeof *copy);
		vec_push(&sets, ((struct set){ copy, set.n }));
		longest = set.n > longest ? set.n : longest;
	}
	if (sets.n < 2)
		return fprintf(stderr, "too few texts\n"), 3;
	uint64_t *room = mem_array(2 * longest, sizeof *room);

	for (size_t i = 0; i < pairs; i++) {
		size_t x = below(sets.n - 1), y = i % 2 ? x + 1 : below(sets.n);
		struct set mix = mixed(sets.p[x], sets.p[y], room);

		if (x == y)
			continue;
		compare(tallies, sets.p[x], sets.p[y]);
		if (mix.n)
			compare(tallies, sets.p[x], mix);
	}
	printf(
	    "%zu sets of 50 shingles or more\n\n| exact Jaccard | pairs | MinHash bias | rms error | expected | worst | SimHash bits apart |\n|---|---|---|---|---|---|---|\n",
	    sets.n);
	for (int r = 0; r <= RANGES; r++) {
		const struct tally *t = &tallies[r];
		double n = (double)t->n;

		if (t->n && r < RANGES)
			printf("| .%d to %s%d | %llu | %+.4f | %.4f | %.4f | %.3f | %.1f |\n", r, r == 9 ? "" : ".",
			       r == 9 ? 1 : r + 1, (unsigned long long)t->n, t->bias / n, sqrt(t->square / n),
			       sqrt(t->expected / n), t->worst, t->distance / n);
		else if (t->n)
			printf("| 1 | %llu | %+.4f | %.4f | %.4f | %.3f | %.1f |\n", (unsigned long long)t->n,
			       t->bias / n, sqrt(t->square / n), sqrt(t->expected / n), t->worst, t->distance / n);
	}
	for (size_t i = 0; i < sets.n; i++)
		mem_free((void *)sets.p[i].p);
	vec_release(&sets);
	mem_free(room);
	shingler_release(&s);
	os_unmap(&map);
	return 0;
}
