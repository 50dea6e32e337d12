/* bench/main_content.c -- our main content of pages, for bench/main_content.py to judge.
 *
 *	bench-main_content FILE...             a JSON line per page: file, whole, bytes of body, date, text
 *	bench-main_content --speed N FILE...   reads all files, then N rounds: MB/s of page bytes with
 *	                                       text and outline only, and with main content; one thread
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "base/os.h"
#include "base/vec.h"
#include "text/charset.h"
#include "text/extract.h"
#include "text/main.h"

#define PAGE_MOST ((size_t)1 << 30)

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void read_page(struct arena *a, struct extract *x, struct str bytes, struct page *page)
{
	static const struct extract_options options = { .no_resolve = true };
	size_t replaced = 0;
	struct charset c = charset_find(bytes, STR_NONE, true);

	extract_page(x, charset_decode(a, c, bytes, &replaced), STR("http://example.org/"), &options, page);
}

static void print_page(const char *file, struct str bytes, struct extract *x)
{
	struct arena a = { 0 };
	struct page page;
	struct main_text m;
	struct buf out = BUF(PAGE_MOST);
	struct json j = { .out = &out };

	read_page(&a, x, bytes, &page);
	m = main_content(&a, page.text, page.outline);
	json_open(&j, '{');
	json_key(&j, "file");
	json_z(&j, file);
	json_key(&j, "whole");
	json_bool(&j, m.whole);
	json_key(&j, "body");
	json_u64(&j, page.text.n);
	json_key(&j, "published");
	json_str(&j, page.published);
	json_key(&j, "text");
	json_str(&j, m.text);
	json_close(&j, '}');
	printf("%.*s\n", STR_FMT(buf_view(&out)));
	buf_release(&out);
	arena_release(&a);
}

static void speed(const struct str *pages, size_t n, int rounds, struct extract *x, bool with_main)
{
	struct arena a = { 0 };
	double start = cpu_seconds(), seconds;
	uint64_t bytes = 0, text = 0;

	for (int r = 0; r < rounds; r++)
		for (size_t i = 0; i < n; i++) {
			struct page page;

			arena_reset(&a);
			read_page(&a, x, pages[i], &page);
			bytes += pages[i].n;
			text += with_main ? main_content(&a, page.text, page.outline).text.n : page.text.n;
		}
	seconds = cpu_seconds() - start;
	printf("winnow %s\t%.1f MB/s\t%.0f pages/s\t%zu pages\t%.1f MB of text\n",
	       with_main ? "text and main content" : "text only", (double)bytes / 1e6 / seconds,
	       (double)n * rounds / seconds, n, (double)text / 1e6 / rounds);
	arena_release(&a);
}

int main(int argc, char **argv)
{
	struct arena a = { 0 };
	struct err err = { 0 };
	struct extract *x = extract_new();
	VEC(struct str) pages = { 0 };
	int rounds = argc > 3 && str_eq(str(argv[1]), STR("--speed")) ? atoi(argv[2]) : 0;

	for (int i = rounds ? 3 : 1; i < argc; i++) {
		struct str bytes;

		if (os_slurp(&a, argv[i], PAGE_MOST, &bytes, &err) != WN_OK) {
			fprintf(stderr, "bench-main_content: %s\n", err.text);
			return 3;
		}
		if (rounds) {
			vec_push(&pages, bytes);
		} else {
			print_page(argv[i], bytes, x);
			arena_reset(&a);
		}
	}
	if (rounds) {
		speed(pages.p, pages.n, 1, x, true);
		speed(pages.p, pages.n, rounds, x, false);
		speed(pages.p, pages.n, rounds, x, true);
	}
	vec_release(&pages);
	extract_free(x);
	arena_release(&a);
	return 0;
}
