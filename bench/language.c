/* bench/language.c -- accuracy and speed of text/lang on labelled texts.
 *
 *	bench-language FILE [REPEAT]
 *
 * FILE has a line per text: label, tab, text with tabs and line feeds as blanks.
 * Prints per-language accuracy, the wrong answers by pair, and texts a second
 * of user CPU time.  bench/language.py makes the file and runs a peer beside.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/os.h"
#include "base/vec.h"
#include "text/lang.h"

#define FILE_MOST ((size_t)1 << 31)

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct arena a = { 0 };
	struct err err = { 0 };
	struct str all, line;
	VEC(struct str) labels = { 0 };
	VEC(struct str) texts = { 0 };
	size_t right = 0, unsure = 0;
	int repeat = argc > 2 ? atoi(argv[2]) : 1;
	double start, seconds;

	if (argc < 2 || os_slurp(&a, argv[1], FILE_MOST, &all, &err) != WN_OK) {
		fprintf(stderr, "bench-language: %s\n", argc < 2 ? "usage: bench-language FILE [REPEAT]" : err.text);
		return 2;
	}
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
