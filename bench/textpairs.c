/* bench/textpairs.c -- from texts to all pairs J >= t, timed: sets by the shingler of ingest, pairs by the exact join.
 *
 *	bench-textpairs TEXTS [NUM/DEN] [threads=2] [sets=FILE] [pairs]
 *
 * TEXTS: as `bench-pagetext --texts` writes it; J >= 8/10 by default.  sets=FILE writes the sets as bench-generate does, for
 * bench-join and bench/pairs_peers.py; pairs prints a line a pair: a b shared size_a size_b.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/task.h"
#include "base/vec.h"
#include "join/coverage.h"
#include "sketch/shingle.h"

enum { THREADS_MOST = 64, BLOCK = 256 };

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct texts {
	VEC(struct str) list;
};

/* Texts of the file, which stays mapped. */
static bool cut(struct str all, struct texts *out)
{
	while (all.n) {
		char *end;
		size_t n = strtoull(all.p, &end, 10), head = (size_t)(end - all.p) + 1;

		if (end == all.p || head + n > all.n)
			return false;
		vec_push(&out->list, str_sub(all, head, head + n));
		all = str_sub(all, head + n, all.n);
	}
	return true;
}

struct shingling {
	const struct texts *texts;
	struct shingler shinglers[THREADS_MOST];
	uint64_t **sets; /* [n], each of size[i] */
	uint32_t *size;
};

static void shingle_some(void *context, size_t from, size_t to, unsigned worker)
{
	struct shingling *s = context;

	for (size_t i = from; i < to; i++) {
		struct set set = shingle_text(&s->shinglers[worker], s->texts->list.p[i]);

		s->size[i] = (uint32_t)set.n;
		s->sets[i] = mem_array(set.n + 1, sizeof **s->sets);
		memcpy(s->sets[i], set.p ? set.p : s->sets[i], set.n * sizeof **s->sets);
	}
}

/* The format of bench-generate: a document a set. */
static bool write_sets(const char *path, uint32_t n, const struct join_sets *sets, uint64_t items)
{
	FILE *f = fopen(path, "wb");
	uint64_t head[3] = { n, n + n % 2, items }; /* an even number of sizes keeps the items aligned */
	uint32_t none = 0;
	bool ok;

	if (!f)
		return false;
	fwrite(head, sizeof head, 1, f);
	for (uint32_t i = 0; i < n; i++)
		fwrite((uint32_t[4]){ i, 0, i, i }, 16, 1, f);
	fwrite(sets->size, sizeof *sets->size, n, f);
	if (n % 2)
		fwrite(&none, sizeof none, 1, f);
	fwrite(sets->items, sizeof *sets->items, items, f);
	ok = !ferror(f);
	return fclose(f) == 0 && ok;
}

static int print_pair(void *context, uint32_t a, uint32_t b, uint32_t shared, uint32_t size_a, uint32_t size_b)
{
	(void)context;
	printf("%u %u %u %u %u\n", a, b, shared, size_a, size_b);
	return 0;
}

int main(int argc, char **argv)
{
	struct join_options o = { .threads = 2 };
	struct join_disjunct d = { .n_bounds = 1, .bound = { { .measure = JOIN_JACCARD, .num = 8, .den = 10 } } };
	struct join_query q = { .disjunct = &d, .n_disjuncts = 1 };
	struct coverage_stats stats = { 0 };
	struct shingling s = { 0 };
	struct texts texts = { 0 };
	struct os_map map;
	struct err err = { 0 };
	const char *sets_to = NULL;
	uint64_t *start, *items, n_items = 0;
	uint32_t *set_of;
	bool print = false;
	double t0, c0, t1;
	int rc;

	if (argc < 2 || os_map(&map, argv[1], &err) < 0 || !cut(str_n((const char *)map.p, map.n), &texts)) {
		fprintf(stderr, "usage: bench-textpairs TEXTS [NUM/DEN] [threads=N] [sets=FILE] [pairs]\n%s\n",
			err.text);
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		if (strncmp(argv[i], "threads=", 8) == 0)
			o.threads = (unsigned)atoi(argv[i] + 8);
		else if (strncmp(argv[i], "sets=", 5) == 0)
			sets_to = argv[i] + 5;
		else if (strcmp(argv[i], "pairs") == 0)
			print = true;
		else
			sscanf(argv[i], "%" SCNu64 "/%" SCNu64, &d.bound[0].num, &d.bound[0].den);
	}
	if (o.threads < 1 || o.threads > THREADS_MOST)
		o.threads = 1;
	q.n = (uint32_t)texts.list.n;

	t0 = now(CLOCK_MONOTONIC);
	c0 = now(CLOCK_PROCESS_CPUTIME_ID);
	s.texts = &texts;
	s.sets = mem_array(q.n + 1, sizeof *s.sets);
	s.size = mem_array(q.n + 1, sizeof *s.size);
	for (unsigned i = 0; i < o.threads; i++)
		s.shinglers[i].spec = SHINGLE_DEFAULT;
	task_each(o.threads, q.n, BLOCK, shingle_some, &s);
	start = mem_array(q.n + 1, sizeof *start);
	set_of = mem_array(q.n + 1, sizeof *set_of);
	for (uint32_t i = 0; i < q.n; i++) {
		set_of[i] = i;
		start[i] = n_items;
		n_items += s.size[i];
	}
	items = mem_array(n_items + 1, sizeof *items);
	for (uint32_t i = 0; i < q.n; i++) {
		memcpy(items + start[i], s.sets[i], s.size[i] * sizeof *items);
		mem_free(s.sets[i]);
	}
	q.sets[0] = (struct join_sets){ .n = q.n, .size = s.size, .start = start, .items = items };
	q.set_of[0] = set_of;
	t1 = now(CLOCK_MONOTONIC);
	if (print) {
		rc = coverage_each(&q, &o, 0, print_pair, NULL, &stats, &err);
	} else {
		struct coverage c;

		rc = coverage_build(&c, &q, &o, &stats, &err);
		stats.pairs = rc == WN_OK ? c.start[q.n] : 0;
	}
	if (rc < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	fprintf(stderr,
		"%u texts of %.1f MB, %" PRIu64 " shingles: sets %.3f s, pairs %.3f s, both %.3f s CPU; %" PRIu64
		" ordered pairs\n",
		q.n, 1e-6 * (double)map.n, n_items, t1 - t0, now(CLOCK_MONOTONIC) - t1,
		now(CLOCK_PROCESS_CPUTIME_ID) - c0, stats.pairs);
	if (sets_to && !write_sets(sets_to, q.n, &q.sets[0], n_items)) {
		fprintf(stderr, "cannot write %s\n", sets_to);
		return 3;
	}
	return 0;
}
