/* bench/fulltext -- indexing speed, size and query times of the full-text index.
 *
 *	bench-fulltext TEXTS [THREADS]
 *
 * TEXTS holds texts, each as its length in bytes on a line and the bytes.
 * Two threads by default, a builder each; then all is merged into one segment,
 * and the best 20 by BM25 are asked for: frequent, medium and rare words, and
 * two words (both; either), 200 queries each, drawn by document frequency.  bench/fulltext.py
 * does the same with tantivy.  The queries go to DIR/queries, so that both ask the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/task.h"
#include "base/vec.h"
#include "fulltext/index.h"
#include "fulltext/manifest.h"
#include "fulltext/search.h"

#define DIR "bench-fulltext.dir"
#define QUERIES 200

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void must(int rc, const struct err *err)
{
	if (rc < 0) {
		fprintf(stderr, "%s\n", err->text);
		exit(3);
	}
}

struct job {
	struct str *texts;
	size_t n, block;
	struct ftindex *index;
	struct ftbuild *builders[64];
};

static void index_block(void *context, size_t from, size_t to, unsigned worker)
{
	struct job *j = context;
	struct err err = { 0 };

	for (size_t i = from; i < to; i++)
		must(ftindex_add(j->index, j->builders[worker], i, STR_NONE, j->texts[i], &err), &err);
}

struct word {
	char *text;
	uint32_t df;
};

static int by_df(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return x->df != y->df ? (x->df < y->df ? 1 : -1) : strcmp(x->text, y->text);
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void measure(struct ftreader *r, const char *name, char queries[QUERIES][128], FILE *list)
{
	struct arena a = { 0 };
	double times[QUERIES], hits = 0;

	for (int i = 0; i < QUERIES; i++) {
		struct ftquery *q;
		struct fthit top[20];
		struct err err = { 0 };
		size_t n;

		fprintf(list, "%s\t%s\n", name, queries[i]);
		times[i] = 1e9;
		for (int pass = 0; pass < 3; pass++) {
			double t = now(CLOCK_MONOTONIC);

			must(ftquery_parse(&a, str(queries[i]), &q, &err), &err);
			must(ftsearch_top(r, q, NULL, 20, top, &n, &err), &err);
			t = now(CLOCK_MONOTONIC) - t;
			times[i] = t < times[i] ? t : times[i];
		}
		hits += (double)n;
		arena_reset(&a);
	}
	qsort(times, QUERIES, sizeof *times, by_time);
	printf("%-12s p50 %.4f ms  p99 %.4f ms  (%.1f hits)\n", name, 1e3 * times[QUERIES / 2],
	       1e3 * times[QUERIES * 99 / 100], hits / QUERIES);
	arena_release(&a);
}

static void queries(struct ftreader *r, const struct ftseg *s)
{
	VEC(struct word) words = { 0 };
	struct ftdict d = { 0 };
	struct err err = { 0 };
	static char list[QUERIES][128];
	FILE *f = fopen(DIR "/queries", "w");
	int rc = ftdict_seek(&d, s, STR("a"), &err);

	for (; rc == WN_OK; rc = ftdict_next(&d, &err))
		if (d.key.n < 40 && d.key.p[0] >= 'a' && d.key.p[0] <= 'z' &&
		    (unsigned char)d.key.p[d.key.n - 1] < 128) {
			struct word w = { mem_alloc(d.key.n + 1), d.term.df };

			memcpy(w.text, d.key.p, d.key.n);
			w.text[d.key.n] = 0;
			if (strcmp(w.text, "or") != 0)
				vec_push(&words, w);
		}
	must(rc, &err);
	if (words.n < 12000)
		must(err_set(&err, WN_USAGE, "too few different words: more text is needed"), &err);
	qsort(words.p, words.n, sizeof *words.p, by_df);
	static const struct {
		const char *name;
		size_t from, to;
	} kinds[] = { { "frequent", 0, 200 }, { "medium", 1000, 2000 }, { "rare", 10000, 12000 } };
	for (size_t k = 0; k < COUNT(kinds); k++) {
		for (size_t i = 0; i < QUERIES; i++)
			snprintf(list[i], sizeof *list, "%s",
				 words.p[kinds[k].from + mix64(i) % (kinds[k].to - kinds[k].from)].text);
		measure(r, kinds[k].name, list, f);
	}
	for (int either = 0; either < 2; either++) {
		for (size_t i = 0; i < QUERIES; i++)
			snprintf(list[i], sizeof *list, "%s%s%s", words.p[mix64(i + 1000) % 300].text,
				 either ? " or " : " ", words.p[mix64(i + 2000) % 1000].text);
		measure(r, either ? "two, either" : "two, both", list, f);
	}
	fclose(f);
	for (size_t i = 0; i < words.n; i++)
		mem_free(words.p[i].text);
	vec_release(&words);
	ftdict_release(&d);
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
	struct os_map map;
	struct err err = { 0 };
	VEC(struct str) texts = { 0 };
	struct job job = { .block = 64 };
	struct ftreader *r;
	struct ftmanifest m;
	uint64_t bytes = 0;
	double wall, cpu, merge_cpu;

	if (argc < 2 || threads < 1 || threads > 64) {
		fprintf(stderr, "usage: bench-fulltext TEXTS [THREADS]\n");
		return 2;
	}
	must(os_map(&map, argv[1], &err), &err);
	for (struct str rest = { (const char *)map.p, map.n }; rest.n;) {
		uint64_t n = 0;

		if (!str_u64(str_cut(&rest, '\n'), &n) || n > rest.n)
			must(err_set(&err, WN_DATA, "%s is not a list of texts", argv[1]), &err);
		vec_push(&texts, str_n(rest.p, n));
		rest = str_sub(rest, n, rest.n);
		bytes += n;
	}
	if (system("rm -rf " DIR) != 0)
		return 3;
	must(ftindex_open(&job.index, DIR, &err), &err);
	for (unsigned i = 0; i < threads; i++)
		job.builders[i] = ftbuild_new(256 * MIB);
	job.texts = texts.p;
	wall = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	task_each(threads, texts.n, job.block, index_block, &job);
	for (unsigned i = 0; i < threads; i++) {
		must(ftindex_flush(job.index, job.builders[i], &err), &err);
		ftbuild_free(job.builders[i]);
	}
	must(ftindex_commit(job.index, &err), &err);
	wall = now(CLOCK_MONOTONIC) - wall;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	merge_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	must(ftindex_merge_all(job.index, &err), &err);
	merge_cpu = now(CLOCK_PROCESS_CPUTIME_ID) - merge_cpu;
	ftindex_close(job.index);
	must(ftmanifest_open(&m, DIR, &err), &err);
	printf("texts %zu, %.1f MB; index %.1f MB (%.1f %%)\n", texts.n, (double)bytes / 1e6,
	       (double)m.parts.p[0].s->map.n / 1e6, 100.0 * (double)m.parts.p[0].s->map.n / (double)bytes);
	printf(
	    "indexing     %.1f MB/s wall on %u threads, %.1f MB/s of processor time, %.1f with all merged into one\n",
	    (double)bytes / wall / 1e6, threads, (double)bytes / cpu / 1e6, (double)bytes / (cpu + merge_cpu) / 1e6);
	must(ftreader_open(&r, DIR, &err), &err);
	queries(r, m.parts.p[0].s);
	ftreader_close(r);
	ftmanifest_release(&m);
	vec_release(&texts);
	os_unmap(&map);
	return 0;
}
