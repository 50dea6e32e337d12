/* bench/text.c -- text and links of every page in archive files, MB of decoded payload per second.
 *
 *	bench-text [--main] [--lang] [--sum] [--threads N] FILE.warc.gz...
 *
 * Reads records, decodes the payload, finds the charset, extracts text and
 * links (resolved); --main adds main content, --lang the language.  Threads share the
 * ranges of each file, as ingest does.  Every payload is parsed; none is
 * skipped as equal.  Prints one line: payload MB, pages, seconds, MB/s; --sum
 * adds a sum over all that was found (document_sum.h) that is the same for any number of threads
 * and changes when any of it does. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "archive/scan.h"
#include "base/limits.h"
#include "base/mem.h"
#include "document_sum.h"

struct worker {
	struct documents *documents;
	struct payload payload;
	struct arena arena;
	uint64_t bytes, text, pages, links, with_text, sum;
	char apart[64]; /* workers write to lines of their own */
};

struct bench {
	struct worker *workers;
	bool main, lang, sum;
};

static void *work(void *context, struct reader *r, struct record *rec, size_t file, unsigned worker)
{
	struct bench *b = context;
	struct worker *w = &b->workers[worker];
	struct err err = { 0 };
	struct str body;
	bool cut;

	(void)file;
	if (payload_begin(&w->payload, r, rec, PAYLOAD_DECODED, 0, &err) < 0)
		return NULL;
	if (payload_all(&w->payload, 256 * MIB, &body, &cut, &err) == WN_OK && w->payload.has_http && body.n) {
		struct document d;
		struct document_in in = { .payload = body,
					  .mime = w->payload.http.content_type,
					  .url = rec->target_uri,
					  .no_main = !b->main,
					  .no_lang = !b->lang };

		if (document_extract(&d, &w->arena, w->documents, &in, &err) == WN_OK) {
			w->bytes += body.n;
			w->pages++;
			w->text += d.page.text.n;
			w->links += d.page.nlinks;
			w->with_text += d.why_none == DOCUMENT_HAS_TEXT;
			if (b->sum)
				w->sum += document_sum(&d);
		}
		arena_reset(&w->arena);
	}
	payload_end(&w->payload, rec, &err);
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

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	struct worker sum = { 0 };
	struct err err = { 0 };
	int threads = 1, first = 1;

	for (; first < argc && argv[first][0] == '-' && argv[first][1] == '-'; first++) {
		if (strcmp(argv[first], "--main") == 0)
			b.main = true;
		else if (strcmp(argv[first], "--lang") == 0)
			b.lang = true;
		else if (strcmp(argv[first], "--sum") == 0)
			b.sum = true;
		else if (strcmp(argv[first], "--threads") == 0 && first + 1 < argc)
			threads = atoi(argv[++first]);
	}
	if (first == argc || threads < 1 || threads > 64) {
		fprintf(stderr, "usage: bench-text [--main] [--lang] [--sum] [--threads N] FILE.warc.gz...\n");
		return 2;
	}
	b.workers = mem_zarray((size_t)threads + 1, sizeof *b.workers);
	for (int i = 0; i <= threads; i++)
		b.workers[i].documents = documents_new();
	struct scan s = { .threads = (unsigned)threads, .context = &b, .work = work, .done = done };
	double from = seconds(CLOCK_MONOTONIC);
	int rc = scan_paths(&s, (const char *const *)argv + first, (size_t)(argc - first), &err);
	double wall = seconds(CLOCK_MONOTONIC) - from, cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

	for (int i = 0; i <= threads; i++) {
		struct worker *w = &b.workers[i];

		sum.bytes += w->bytes, sum.pages += w->pages, sum.text += w->text, sum.links += w->links;
		sum.with_text += w->with_text, sum.sum += w->sum;
		documents_free(w->documents);
		payload_release(&w->payload);
		arena_release(&w->arena);
	}
	mem_free(b.workers);
	printf(
	    "payload %.1f MB, %llu pages (%llu with text), text %.1f MB, %llu links, %.2f s: %.1f MB/s; %.2f s of CPU: %.1f MB/s a core",
	    (double)sum.bytes / 1e6, (unsigned long long)sum.pages, (unsigned long long)sum.with_text,
	    (double)sum.text / 1e6, (unsigned long long)sum.links, wall, (double)sum.bytes / 1e6 / wall, cpu,
	    (double)sum.bytes / 1e6 / cpu);
	if (b.sum)
		printf("; sum %016llx", (unsigned long long)sum.sum);
	putchar('\n');
	return rc != 0;
}
