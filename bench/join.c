/* bench/join.c -- pairs and kernels from sets, timed by phase.
 *
 *	bench-join FILE MODE [NUM/DEN] [options]
 *
 * FILE: as bench-generate writes it.  MODE: contained (containment(a,b) >= t and
 * a.time <= b.time), chain (containment alone), host (contained, same site),
 * jaccard.  Options: threads=2 memory=MB kernel (only what a cover needs)
 * docs=N (the first N documents) pairs (print a b shared size_a size_b).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/mem.h"
#include "base/os.h"
#include "join/coverage.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

struct doc {
	uint32_t set, site, url, time;
};

static int print_pair(void *context, uint32_t a, uint32_t b, uint32_t shared, uint32_t size_a, uint32_t size_b)
{
	(void)context;
	printf("%u %u %u %u %u\n", a, b, shared, size_a, size_b);
	return 0;
}

int main(int argc, char **argv)
{
	struct join_options o = { .threads = 2 };
	struct join_disjunct d = { .n_bounds = 1 };
	struct join_query q = { .disjunct = &d, .n_disjuncts = 1 };
	struct coverage_stats stats = { 0 };
	struct os_map map;
	struct err err = { 0 };
	const uint64_t *head;
	const struct doc *docs;
	uint32_t *set_of, *site;
	uint64_t *start, items = 0, pairs = 0;
	double *when, t0, c0;
	bool kernel = false, print = false, distinct = false;
	int rc;

	if (argc < 3 || os_map(&map, argv[1], &err) < 0) {
		fprintf(
		    stderr,
		    "usage: bench-join FILE contained|chain|host|jaccard [NUM/DEN] [threads=N] [memory=MB] [kernel] [pairs]\n%s\n",
		    err.text);
		return 2;
	}
	head = (const uint64_t *)(const void *)map.p;
	docs = (const struct doc *)(head + 3);
	q.n = (uint32_t)head[0];
	d.bound[0] = (struct join_bound){ .measure = strcmp(argv[2], "jaccard") ? JOIN_CONTAINED : JOIN_JACCARD,
					  .num = 7,
					  .den = 10 };
	for (int i = 3; i < argc; i++) {
		if (strncmp(argv[i], "threads=", 8) == 0)
			o.threads = (unsigned)atoi(argv[i] + 8);
		else if (strncmp(argv[i], "memory=", 7) == 0)
			o.memory = (size_t)atol(argv[i] + 7) << 20;
		else if (strncmp(argv[i], "docs=", 5) == 0)
			q.n = (uint32_t)atol(argv[i] + 5);
		else if (strncmp(argv[i], "bands=", 6) == 0)
			sscanf(argv[i] + 6, "%ux%u", &o.bands, &o.rows);
		else if (strcmp(argv[i], "kernel") == 0)
			kernel = true;
		else if (strcmp(argv[i], "pairs") == 0)
			print = true;
		else if (strcmp(argv[i], "distinct") == 0)
			distinct = true;
		else
			sscanf(argv[i], "%" SCNu64 "/%" SCNu64, &d.bound[0].num, &d.bound[0].den);
	}
	set_of = mem_array(q.n + 1, sizeof *set_of);
	site = mem_array(q.n + 1, sizeof *site);
	when = mem_array(q.n + 1, sizeof *when);
	start = mem_array(head[1] + 1, sizeof *start);
	for (uint32_t i = 0; i < q.n; i++) {
		set_of[i] = docs[i].set;
		site[i] = docs[i].site;
		when[i] = docs[i].time;
	}
	q.sets[0].n = (uint32_t)head[1];
	q.sets[0].size = (const uint32_t *)(const void *)(docs + head[0]);
	for (uint64_t i = 0; i < head[1]; i++) {
		start[i] = items;
		items += q.sets[0].size[i];
	}
	q.sets[0].start = start;
	q.sets[0].items = (const uint64_t *)(const void *)(map.p + 24 + head[0] * 16 + head[1] * 4);
	if (distinct) {			 /* one document a set */
		q.n = (uint32_t)head[1]; /* maybe one more, empty, for alignment */
		set_of = mem_rearray(set_of, q.n + 1, sizeof *set_of);
		for (uint32_t i = 0; i < q.n; i++)
			set_of[i] = i;
	}
	q.set_of[0] = set_of;
	if (!distinct && (strcmp(argv[2], "contained") == 0 || strcmp(argv[2], "host") == 0)) {
		d.n_orders = 1;
		d.order[0] = (struct join_order){ when, when, 0, INFINITY, false, false };
	}
	if (strcmp(argv[2], "host") == 0)
		d.key = site;
	t0 = now();
	c0 = cpu();
	if (print) {
		rc = coverage_each(&q, &o, 0, print_pair, NULL, &stats, &err);
	} else if (kernel) {
		struct kernel k;

		rc = coverage_kernel(&k, &q, &o, &stats, &err);
		if (rc == WN_OK)
			fprintf(stderr, "forced %u covered %u core %u\n", k.n_forced, k.n_covered, k.n_core);
	} else {
		struct coverage c;

		rc = coverage_build(&c, &q, &o, &stats, &err);
		pairs = rc == WN_OK ? c.start[q.n] : 0;
	}
	mem_watch();
	if (rc < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	fprintf(stderr,
		"%u documents, %" PRIu64 " items: %.3f s, %.3f s CPU, %zu MB anonymous; rows %" PRIu64
		" classes %" PRIu64 " postings %" PRIu64 " row pairs %" PRIu64 " pairs %" PRIu64 " recall %.4f\n",
		q.n, items, now() - t0, cpu() - c0, mem_peak() >> 20, stats.rows, stats.classes, stats.postings,
		stats.row_pairs, pairs ? pairs : stats.pairs, stats.recall);
	return 0;
}
