/* bench/pagetext.c -- the body text of HTML files without their titles, for comparison with browsers.
 *
 *	ls pages/x.html | bench-pagetext
 *
 * A line per path read from standard input: path, charset, U+FFFD put in, flaws, text; tabs and newlines as blanks.
 * --sums: path and the sum of all that was found (document_sum.h), to compare two builds page by page.
 * --texts: each text as its length in bytes on a line and the bytes, as bench-fulltext reads them. */
#include <stdio.h>

#include "base/limits.h"
#include "base/os.h"
#include "document_sum.h"

int main(int argc, char **argv)
{
	struct documents *documents = documents_new();
	struct arena a = { 0 };
	char line[4096];
	bool texts = argc > 1 && strcmp(argv[1], "--texts") == 0, sums = argc > 1 && strcmp(argv[1], "--sums") == 0;

	while (fgets(line, sizeof line, stdin)) {
		struct err err = { 0 };
		struct document d;
		struct document_in in = {
			.mime = STR("text/html"), .url = STR("http://example.org/"), .no_main = !sums, .no_lang = !sums
		};

		line[strcspn(line, "\n")] = 0;
		if (os_slurp(&a, line, 256 * MIB, &in.payload, &err) < 0 ||
		    document_extract(&d, &a, documents, &in, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		if (sums) {
			printf("%s\t%016llx\n", line, (unsigned long long)document_sum(&d));
			arena_reset(&a);
			continue;
		}
		if (texts) {
			printf("%zu\n", d.page.text.n - d.page.body_start);
			fwrite(d.page.text.p + d.page.body_start, 1, d.page.text.n - d.page.body_start, stdout);
			arena_reset(&a);
			continue;
		}
		printf("%s\t%s\t%zu\t%u\t", line, d.charset ? d.charset : "", d.replaced, d.flaws);
		for (size_t i = d.page.body_start; i < d.page.text.n; i++) {
			char c = d.page.text.p[i];

			putchar(ascii_space(c) ? ' ' : c);
		}
		putchar('\n');
		arena_reset(&a);
	}
	documents_free(documents);
	arena_release(&a);
	return 0;
}
