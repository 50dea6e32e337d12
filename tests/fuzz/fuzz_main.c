/* Any page's main content: ranges in order that make its text; and a language for it. */
#include <stdlib.h>

#include "text/extract.h"
#include "text/lang.h"
#include "text/main.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static struct extract *x;
	static const struct extract_options options = { .no_resolve = true };
	struct arena a = { 0 };
	struct page page;
	struct main_text m;
	struct str rest;
	uint32_t at = 0;

	if (!x)
		x = extract_new();
	extract_page(x, str_n((const char *)p, n), STR("http://a.example/"), &options, &page);
	m = main_content(&a, page.text, page.outline);
	rest = m.text;
	for (size_t i = 0; i < m.n_ranges; i++) {
		struct main_range r = m.ranges[i];

		if (r.start < at || r.start >= r.end || r.end > page.text.n)
			abort();
		if (i)
			rest = str_sub(rest, 1, rest.n);
		if (!str_starts(rest, str_sub(page.text, r.start, r.end)))
			abort();
		rest = str_sub(rest, r.end - r.start, rest.n);
		at = r.end;
	}
	if (m.n_ranges && rest.n)
		abort();
	if (lang_of(m.text).confidence > 1 || lang_of(str_n((const char *)p, n)).confidence < 0)
		abort();
	arena_release(&a);
	return 0;
}
