/* bench/text.c -- text and links of every page in archive files, MB of decoded payload per second.
 *
 *	bench-text [--main] [--threads N] FILE.warc.gz...
 *
 * Reads records, decodes the payload, finds the charset, extracts text and
 * links (resolved); --main adds main content and language.  With two threads
 * each takes every other file.  Prints one line per run: payload MB, pages,
 * seconds, MB/s.  Every payload is parsed; none is skipped as equal. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "archive/payload.h"
#include "archive/reader.h"
#include "base/limits.h"
#include "base/task.h"
#include "text/document.h"

struct worker {
	char **files;
	int nfiles, from, step;
	bool main;
	uint64_t bytes, text, pages, links, with_text;
};

static void one_file(struct worker *w, const char *path, struct documents *documents)
{
	struct err err = { 0 };
	struct reader *r;
	struct record rec;
	struct payload p = { 0 };
	struct arena a = { 0 };

	if (reader_open(&r, path, &err) < 0) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		exit(1);
	}
	while (reader_next(r, &rec, &err) == WN_OK) {
		struct str body;
		bool cut;

		if (payload_begin(&p, r, &rec, PAYLOAD_DECODED, 0, &err) < 0)
			continue;
		if (payload_all(&p, 256 * MIB, &body, &cut, &err) == WN_OK && p.has_http && body.n) {
			struct document d;
			struct document_in in = { .payload = body,
						  .mime = p.http.content_type,
						  .url = rec.target_uri,
						  .no_main = !w->main,
						  .no_lang = !w->main };

			if (document_extract(&d, &a, documents, &in, &err) == WN_OK) {
				w->bytes += body.n;
				w->pages++;
				w->text += d.page.text.n;
				w->links += d.page.nlinks;
				w->with_text += d.why_none == DOCUMENT_HAS_TEXT;
			}
			arena_reset(&a);
		}
		payload_end(&p, &rec, &err);
	}
	payload_release(&p);
	reader_close(r);
	arena_release(&a);
}

static void *work(void *context)
{
	struct worker *w = context;
	struct documents *documents = documents_new();

	for (int i = w->from; i < w->nfiles; i += w->step)
		one_file(w, w->files[i], documents);
	documents_free(documents);
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker w[64] = { 0 };
	pthread_t id[64];
	int threads = 1, first = 1;
	bool main_too = false;
	struct timespec t0, t1, c1;
	struct worker sum = { 0 };

	for (; first < argc && argv[first][0] == '-' && argv[first][1] == '-'; first++) {
		if (strcmp(argv[first], "--main") == 0)
			main_too = true;
		else if (strcmp(argv[first], "--threads") == 0 && first + 1 < argc)
			threads = atoi(argv[++first]);
	}
	if (first == argc || threads < 1 || threads > 64) {
		fprintf(stderr, "usage: bench-text [--main] [--threads N] FILE.warc.gz...\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (int i = 0; i < threads; i++) {
		w[i] = (struct worker){
			.files = argv + first, .nfiles = argc - first, .from = i, .step = threads, .main = main_too
		};
		pthread_create(&id[i], NULL, work, &w[i]);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(id[i], NULL);
		sum.bytes += w[i].bytes, sum.pages += w[i].pages, sum.text += w[i].text, sum.links += w[i].links,
		    sum.with_text += w[i].with_text;
	}
	clock_gettime(CLOCK_MONOTONIC, &t1);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &c1);
	double wall = (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) * 1e-9;
	double cpu = (double)c1.tv_sec + (double)c1.tv_nsec * 1e-9;

	printf(
	    "payload %.1f MB, %llu pages (%llu with text), text %.1f MB, %llu links, %.2f s: %.1f MB/s; %.2f s of CPU: %.1f MB/s a core\n",
	    (double)sum.bytes / 1e6, (unsigned long long)sum.pages, (unsigned long long)sum.with_text,
	    (double)sum.text / 1e6, (unsigned long long)sum.links, wall, (double)sum.bytes / 1e6 / wall, cpu,
	    (double)sum.bytes / 1e6 / cpu);
	return 0;
}
