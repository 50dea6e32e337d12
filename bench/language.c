/* bench/language.c -- accuracy and speed of text/lang on labelled texts.
 *
 *	bench-language FILE [REPEAT]      judges: FILE has a line per text: label, tab, text with
 *	                                  tabs and line feeds as blanks
 *	bench-language --texts FILE       makes such lines from lines "label, tab, path of a page"
 *
 * Prints right answers and texts a second of CPU time, one thread; with WRONG
 * in the environment every wrong answer too.  bench/language.py makes the
 * files and runs peers beside.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/os.h"
#include "base/vec.h"
#include "text/charset.h"
#include "text/extract.h"
#include "text/lang.h"

#define FILE_MOST ((size_t)1 << 31)

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The body text of each page, by the same path as ingest's. */
static int print_texts(struct str lines)
{
	static const struct extract_options options = { .no_links = true, .no_outline = true };
	struct extract *x = extract_new();

	while (lines.n) {
		struct arena a = { 0 };
		struct err err = { 0 };
		struct str line = str_cut(&lines, '\n'), label = str_cut(&line, '\t'), bytes;
		struct page page;
		size_t replaced;

		if (os_slurp(&a, arena_strz(&a, line), FILE_MOST, &bytes, &err) != WN_OK) {
			fprintf(stderr, "bench-language: %s\n", err.text);
			return 3;
		}
		extract_page(x, charset_decode(&a, charset_find(bytes, STR_NONE, true), bytes, &replaced), STR_NONE,
			     &options, &page);
		char *text = arena_strz(&a, page.text);

		for (size_t i = 0; i < page.text.n; i++)
			text[i] = ascii_space(text[i]) || !text[i] ? ' ' : text[i];
		printf("%.*s\t%.*s\n", STR_FMT(label), (int)page.text.n, text);
		arena_release(&a);
	}
	extract_free(x);
	return 0;
}

int main(int argc, char **argv)
{
	struct arena a = { 0 };
	struct err err = { 0 };
	struct str all, line;
	bool make = argc == 3 && str_eq(str(argv[1]), STR("--texts"));
	VEC(struct str) labels = { 0 };
	VEC(struct str) texts = { 0 };
	size_t right = 0, unsure = 0;
	int repeat = argc > 2 ? atoi(argv[2]) : 1;
	double start, seconds;

	if (argc < 2 || os_slurp(&a, argv[make ? 2 : 1], FILE_MOST, &all, &err) != WN_OK) {
		fprintf(stderr, "bench-language: %s\n", argc < 2 ? "usage: bench-language FILE [REPEAT]" : err.text);
		return 2;
	}
	if (make)
		return print_texts(all);
	while (all.n) {
		line = str_cut(&all, '\n');
		struct str label = str_cut(&line, '\t');

		vec_push(&labels, label);
		vec_push(&texts, line);
	}
	lang_of(STR("warm up"));
	start = cpu_seconds();
	for (int round = 0; round < repeat; round++)
		for (size_t i = 0; i < texts.n; i++) {
			struct lang got = lang_of(texts.p[i]);

			if (round)
				continue;
			if (str_eq(str(got.code), labels.p[i]))
				right++;
			else if (str_eq(str(got.code), STR("und")))
				unsure++;
			if (!str_eq(str(got.code), labels.p[i]) && getenv("WRONG"))
				printf("%.*s\t%s\t%.2f\t%.*s\n", STR_FMT(labels.p[i]), got.code, got.confidence,
				       (int)(texts.p[i].n < 120 ? texts.p[i].n : 120), texts.p[i].p);
		}
	seconds = cpu_seconds() - start;
	printf("winnow\ttexts %zu\tright %zu\tund %zu\taccuracy %.4f\ttexts/s %.0f\n", texts.n, right, unsure,
	       texts.n ? (double)right / (double)texts.n : 0, seconds > 0 ? (double)texts.n * repeat / seconds : 0);
	vec_release(&labels);
	vec_release(&texts);
	arena_release(&a);
	return 0;
}
