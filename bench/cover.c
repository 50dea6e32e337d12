/* bench/cover.c -- the minimum cover of an exported graph, with its certificate.
 *
 *	bench-cover GRAPH [ROUNDS [PREFER [GROUP N]]]
 *
 * GRAPH: lines "a b" (further columns are ignored): b covers a, numbers from 0;
 * the number of documents is the largest number + 1, or N given by a first line
 * "# N".  PREFER and GROUP: files with a number per document ("-": none); N is
 * what each group must keep.  Reading is not timed.  Prints the median of ROUNDS (default 5).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cover/certificate.h"

struct pair {
	uint32_t a, b;
};

static int by_pair(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return p->b < q->b ? -1 : p->b > q->b;
}

static int by_double(const void *x, const void *y)
{
	double p = *(const double *)x, q = *(const double *)y;

	return p < q ? -1 : p > q;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The numbers of a file, one a line; NULL for "-". */
static int64_t *numbers(const char *path, uint32_t n)
{
	int64_t *out;
	FILE *f;
	long long x;

	if (strcmp(path, "-") == 0)
		return NULL;
	f = fopen(path, "r");
	out = mem_zarray((size_t)n + 1, sizeof(*out));
	for (uint32_t i = 0; f && i < n && fscanf(f, "%lld", &x) == 1; i++)
		out[i] = x;
	if (f)
		fclose(f);
	return out;
}

static void add_groups(struct cover_problem *p, const int64_t *group, uint32_t demand)
{
	uint32_t *of = mem_array((size_t)p->n + 1, sizeof(*of)), *want;

	for (uint32_t d = 0; d < p->n; d++) {
		of[d] = (uint32_t)group[d];
		if (of[d] >= p->groups)
			p->groups = of[d] + 1;
	}
	want = mem_array((size_t)p->groups + 1, sizeof(*want));
	for (uint32_t g = 0; g < p->groups; g++)
		want[g] = demand;
	p->group = of;
	p->demand = want;
}

int main(int argc, char **argv)
{
	VEC(struct pair) pairs = { 0 };
	struct cover_problem p = { 0 };
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	int rounds = argc > 2 ? atoi(argv[2]) : 5;
	char line[256];
	uint64_t *start;
	uint32_t *by;
	double *took;

	if (!f || rounds < 1) {
		fprintf(stderr, "usage: bench-cover GRAPH [ROUNDS [PREFER [GROUP N]]]\n");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		struct pair x;
		uint32_t top;

		if (sscanf(line, "# %u", &top) == 1 && top > p.n)
			p.n = top;
		if (sscanf(line, "%u %u", &x.a, &x.b) != 2 || x.a == x.b)
			continue;
		vec_push(&pairs, x);
		top = x.a > x.b ? x.a : x.b;
		if (top >= p.n)
			p.n = top + 1;
	}
	fclose(f);
	qsort(pairs.p, pairs.n, sizeof(*pairs.p), by_pair);
	start = mem_zarray((size_t)p.n + 2, sizeof(*start));
	by = mem_array(pairs.n + 1, sizeof(*by));
	for (size_t i = 0; i < pairs.n; i++) {
		start[pairs.p[i].a + 1]++;
		by[i] = pairs.p[i].b;
	}
	for (uint32_t d = 0; d < p.n; d++)
		start[d + 1] += start[d];
	p.start = start;
	p.by = by;
	if (argc > 3)
		p.prefer = numbers(argv[3], p.n);
	if (argc > 5)
		add_groups(&p, numbers(argv[4], p.n), (uint32_t)atoi(argv[5]));
	took = mem_array((size_t)rounds, sizeof(*took));
	for (int i = 0; i < rounds; i++) {
		struct cover_result r;
		struct certificate c;
		struct certificate_run run = { .revision = 1 };
		struct arena a = { 0 };
		struct buf out = BUF(1u << 30);
		struct err err;
		double begin = now();

		if (cover_solve(&p, &r, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		certificate_from_result(&a, &p, &r, &run, &c);
		certificate_write(&c, &out);
		took[i] = now() - begin;
		if (i == 0)
			printf(
			    "documents %u  pairs %zu  kept %u  lower bound %llu  certified %llu  components %u (%u certified, %u searched, %u bounded)\n"
			    "forced %llu  left after reductions: %llu rows, %llu columns, %llu blocks  pivots %llu  nodes %llu  certificate %zu bytes\n",
			    p.n, pairs.n, r.kept_count, (unsigned long long)r.lower_bound,
			    (unsigned long long)r.certified, r.component_count, r.by_status[0], r.by_status[1],
			    r.by_status[2], (unsigned long long)r.forced, (unsigned long long)r.residual_rows,
			    (unsigned long long)r.residual_columns, (unsigned long long)r.residual_blocks,
			    (unsigned long long)r.pivots, (unsigned long long)r.nodes, out.n);
		if (i == 0 && p.prefer)
			printf("sum of preferences %lld, %s\n", (long long)cover_prefer_sum(p.prefer, r.kept, p.n).lo,
			       r.value_proven ? "proven" : "not proven");
		if (i == 0 && p.group)
			printf("quotas %u, binding %u\n", p.groups, r.quotas_binding);
		buf_release(&out);
		arena_release(&a);
		cover_result_release(&r);
	}
	qsort(took, (size_t)rounds, sizeof(*took), by_double);
	printf("solve with certificate: median %.2f ms, least %.2f ms of %d rounds (CPU time)\n",
	       took[rounds / 2] * 1e3, took[0] * 1e3, rounds);
	vec_release(&pairs);
	mem_free(start);
	mem_free(by);
	mem_free(took);
	return 0;
}
