/* bench/records.c -- how fast all records of archive files are read, HTTP heads parsed.
 *
 *	bench-records [-t THREADS] [-d | -q] FILE...
 *
 * -d also computes and compares payload digests; -q reads heads only and passes payloads over.  Prints records, bytes of
 * content (blocks), seconds and MB/s: the figure that is set beside FastWARC's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/scan.h"
#include "base/mem.h"
#include "base/progress.h"

struct tally {
	struct payload payload;
	uint64_t records, bytes, http, passed;
	char apart[64]; /* workers write to lines of their own */
};

struct bench {
	struct tally *tallies;
	unsigned wants;
	bool quick;
};

static void *work(void *context, struct reader *r, struct record *rec, size_t file, unsigned worker)
{
	struct bench *b = context;
	struct tally *t = &b->tallies[worker];
	struct err err = { 0 };

	(void)file;
	if (payload_begin(&t->payload, r, rec, PAYLOAD_RAW, b->quick ? PAYLOAD_HEAD : b->wants, &err) < 0)
		return NULL;
	t->http += t->payload.has_http;
	if (b->wants)
		payload_end(&t->payload, rec, &err);
	t->records++;
	t->passed += rec->passed;
	t->bytes += rec->length;
	return NULL;
}

static int done(void *context, void *item, size_t file, const struct scan_file *summary)
{
	(void)context;
	(void)item;
	(void)file;
	if (summary && summary->code < 0)
		fprintf(stderr, "%s\n", summary->err->text);
	return 0;
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	unsigned threads = 1;
	int c;

	while ((c = getopt(argc, argv, "t:dq")) != -1) {
		if (c == 't')
			threads = (unsigned)atoi(optarg);
		else if (c == 'd')
			b.wants = PAYLOAD_CHECK;
		else if (c == 'q')
			b.quick = true;
		else
			return 2;
	}
	b.tallies = mem_zarray(threads + 1, sizeof *b.tallies);
	struct scan s = { .threads = threads, .quick = b.quick, .context = &b, .work = work, .done = done };
	struct err err = { 0 };
	double from = progress_clock();
	int rc = scan_paths(&s, (const char *const *)argv + optind, (size_t)(argc - optind), &err);
	double seconds = progress_clock() - from;
	uint64_t records = 0, bytes = 0, http = 0, passed = 0;

	for (unsigned i = 0; i <= threads; i++) {
		records += b.tallies[i].records;
		bytes += b.tallies[i].bytes;
		http += b.tallies[i].http;
		passed += b.tallies[i].passed;
		payload_release(&b.tallies[i].payload);
	}
	mem_free(b.tallies);
	printf(
	    "%llu records, %llu HTTP heads, %llu payloads passed over, %.1f MB of content, %.3f s, %.0f MB/s, %u thread%s\n",
	    (unsigned long long)records, (unsigned long long)http, (unsigned long long)passed, (double)bytes / 1e6,
	    seconds, (double)bytes / 1e6 / seconds, threads, threads == 1 ? "" : "s");
	return rc != 0;
}
