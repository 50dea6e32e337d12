/* bench/shingle -- words, shingles, sorted sets and stored sets per second on one core.
 *
 *	bench-shingle FILE...     each file is a text; no files: a made-up one
 *
 * Prints the best of five passes, beside the ceilings measured with throw-away
 * prototypes (181 M shingles/s from words, 116 M/s sort and unique).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/vec.h"
#include "sketch/hashsort.h"
#include "sketch/segment.h"

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Words of 2 to 12 letters from a vocabulary of 20,000, a thousand and more to a text. */
static struct str made_up(struct arena *a, uint64_t seed)
{
	size_t words = 400 + (size_t)(mix64(seed) % 1500), at = 0;
	char *p = arena_alloc(a, words * 14);

	for (size_t i = 0; i < words; i++) {
		uint64_t r = mix64(seed * 1000003 + i), word = mix64(r % 20000 * (r >> 32) % 20000);
		size_t n = 2 + (size_t)(word % 11 * (word >> 40 & 3) / 3);

		for (size_t j = 0; j < n; j++)
			p[at++] = (char)((i % 9 == 0 && j == 0 ? 'A' : 'a') + (char)(mix64(word + j) % 26));
		p[at++] = i % 12 == 11 ? '\n' : ' ';
	}
	return (struct str){ p, at };
}

int main(int argc, char **argv)
{
	VEC(struct str) texts = { 0 };
	struct arena arena = { 0 };
	struct shingler s = { .spec = SHINGLE_DEFAULT };
	struct err err = { 0 };
	double words_s = 1e9, shingles_s = 1e9, sort_s = 1e9, all_s = 1e9, pack_s = 1e9, get_s = 1e9;
	uint64_t bytes = 0, words = 0, made = 0, distinct = 0, sink = 0, stored = 0;
	const char *path = "bench-shingle.seg";
	struct segment *segment;
	uint64_t *set = NULL, *raw = NULL, *scratch = NULL;
	size_t cap = 0;

	for (int i = 1; i < argc; i++) {
		struct str text;

		if (os_slurp(&arena, argv[i], LIMIT_TEXT, &text, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 3;
		}
		vec_push(&texts, text);
	}
	for (uint64_t i = 0; texts.n < 4000 && argc == 1; i++)
		vec_push(&texts, made_up(&arena, i + 1));
	for (int pass = 0; pass < 5; pass++) {
		struct segment_writer *w;
		struct buf packed = BUF(4 * GIB);
		double t, sorting = 0, packing = 0, shingling;

		bytes = words = made = distinct = 0;
		t = cpu_seconds();
		for (size_t i = 0; i < texts.n; i++) {
			bytes += texts.p[i].n;
			word_open(&s.words, texts.p[i]);
			while (word_batch(&s.words)) {
				words += s.words.n;
				sink ^= s.words.terms[0].hash;
			}
		}
		words_s = cpu_seconds() - t < words_s ? cpu_seconds() - t : words_s;

		if (segment_writer_open(&w, path, s.spec, 0, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 3;
		}
		shingling = 0;
		for (size_t i = 0; i < texts.n; i++) {
			struct set got;
			size_t n;

			t = cpu_seconds();
			got = shingle_text(&s, texts.p[i]);
			shingling += cpu_seconds() - t;
			n = got.n;
			distinct += n;
			made += s.terms >= 5 ? s.terms - 4 : 1;
			if (n > cap) {
				cap = n * 2;
				set = mem_rearray(set, cap, 8);
				raw = mem_rearray(raw, cap, 8);
				scratch = mem_rearray(scratch, cap, 8);
			}
			for (size_t j = 0; j < n; j++) /* in an order as good as random */
				raw[j] = mix64(got.p[j]);
			t = cpu_seconds();
			sink ^= hashsort(raw, n, scratch, false);
			sorting += cpu_seconds() - t;
			t = cpu_seconds();
			segment_pack(&packed, got, got);
			packing += cpu_seconds() - t;
			if (segment_writer_put(w, i, &packed, &err) < 0) {
				fprintf(stderr, "%s\n", err.text);
				return 3;
			}
		}
		buf_release(&packed);
		all_s = shingling < all_s ? shingling : all_s;
		sort_s = sorting < sort_s ? sorting : sort_s;
		pack_s = packing < pack_s ? packing : pack_s;
		shingles_s = all_s - sort_s;
		if (segment_writer_commit(w, &err) < 0 || segment_open(&segment, path, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 3;
		}
		t = cpu_seconds();
		for (size_t i = 0; i < texts.n; i++) {
			size_t n;

			if (segment_get(segment, i, SKETCH_BODY, set, cap, &n, &err) < 0) {
				fprintf(stderr, "%s\n", err.text);
				return 3;
			}
			sink ^= n ? set[n - 1] : 0;
		}
		get_s = cpu_seconds() - t < get_s ? cpu_seconds() - t : get_s;
		segment_close(segment);
		struct os_map m;

		if (os_map(&m, path, &err) == WN_OK) {
			stored = m.n;
			os_unmap(&m);
		}
	}
	unlink(path);
	printf("texts %zu, %.1f MB, words %" PRIu64 ", shingles %" PRIu64 ", distinct %" PRIu64 " (%" PRIx64 ")\n",
	       texts.n, (double)bytes / 1e6, words, made, distinct, sink & 15);
	printf("words                     %8.1f M words/s  %8.1f MB/s\n", (double)words / words_s / 1e6,
	       (double)bytes / words_s / 1e6);
	printf("words to shingle hashes   %8.1f M/s  (ceiling 181)\n", (double)made / shingles_s / 1e6);
	printf("sort and unique           %8.1f M/s  (ceiling 116)\n", (double)distinct / sort_s / 1e6);
	printf("text to sorted set        %8.1f M/s\n", (double)made / all_s / 1e6);
	printf("MinHash, SimHash, packing %8.1f M/s\n", (double)distinct / pack_s / 1e6);
	printf("stored set to array       %8.1f M/s  %5.2f bytes a shingle\n", (double)distinct / get_s / 1e6,
	       (double)stored / (double)distinct);
	shingler_release(&s);
	arena_release(&arena);
	return 0;
}
