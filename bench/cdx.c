/* bench/cdx.c -- CDX queries per CPU second, without HTTP: bench-cdx COLL URL-OF-MANY.
 *
 * Exact, closest and prefix queries on URLs drawn from the collection; closest
 * and calendar on one URL with many captures. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "archive/surt.h"
#include "base/limits.h"
#include "flow/collection.h"
#include "serve/cdx_scan.h"

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int one_day(void *context, int64_t day, uint64_t captures, uint64_t first)
{
	(void)day, (void)first;
	*(uint64_t *)context += captures;
	return WN_OK;
}

static void ask(struct collection *c, struct str query, struct buf *out)
{
	struct cdx_setting none = { 0 };
	struct arena a = { 0 };
	struct cdx_query q;
	struct err err = { 0 };
	struct cdx_scan *s;
	bool done = false;

	if (cdx_query_parse(&a, CDX_PYWB, NULL, query, &q, &err) < 0)
		exit(1);
	s = cdx_scan_new(&q, &none);
	buf_reset(out);
	while (!done)
		if (cdx_scan_fill(s, c->catalog, out, 16 * MIB, &done, &err) < 0)
			exit(1);
	cdx_scan_free(s);
	arena_release(&a);
}

int main(int argc, char **argv)
{
	static const char *const forms[] = { "url=%s&limit=10", "url=%s&closest=20070315&limit=1", "url=%s*&limit=10" };
	enum { URLS = 2000, ROUNDS = 20000 };
	struct collection c = { 0 };
	struct err err = { 0 };
	struct buf out = BUF(64 * MIB), key = BUF(MIB);
	struct arena a = { 0 };
	char *urls[URLS];
	struct catalog_next next;
	uint64_t n = 0;
	double t;

	if (argc < 3 || collection_open(&c, argv[1], CATALOG_READ, NULL, &err) < 0 ||
	    catalog_next(c.catalog, &next, &err) < 0)
		return fprintf(stderr, "bench-cdx COLL URL: %s\n", err.text), 1;
	srand(7);
	for (int i = 0; i < URLS;) {
		struct cdx_row row;

		if (catalog_cdx_row(c.catalog, 1 + ((uint64_t)rand() * 32768u + (uint64_t)rand()) % next.capture, &row,
				    &err) == WN_OK)
			urls[i++] = arena_strz(&a, row.url);
	}
	for (size_t f = 0; f < COUNT(forms); f++) {
		t = cpu();
		for (int i = 0; i < ROUNDS; i++) {
			char query[4096];

			snprintf(query, sizeof query,
				 f == 0	  ? "url=%s&limit=10"
				 : f == 1 ? "url=%s&closest=20070315&limit=1"
					  : "url=%s*&limit=10",
				 urls[i % URLS]);
			ask(&c, str(query), &out);
		}
		printf("%-36s %.0f per CPU second\n", forms[f], ROUNDS / (cpu() - t));
	}
	t = cpu();
	for (int i = 0; i < 1000; i++)
		ask(&c, arena_printf(&a, "url=%s&closest=20050102030405&limit=1", argv[2]), &out);
	printf("closest of many: %.3f ms\n", (cpu() - t) * 1e3 / 1000);
	surt_add(NULL, str(argv[2]), &key);
	t = cpu();
	if (cdx_days(c.catalog, buf_view(&key), INT64_MIN, INT64_MAX, &(struct cdx_setting){ 0 }, one_day, &n, &err) <
	    0)
		return 1;
	printf("calendar of %llu: %.1f ms\n", (unsigned long long)n, (cpu() - t) * 1e3);
	buf_release(&out);
	buf_release(&key);
	arena_release(&a);
	collection_close(&c);
	return 0;
}
