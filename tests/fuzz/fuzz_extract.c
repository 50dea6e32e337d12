/* Extractor: any bytes; text valid UTF-8, links and anchors inside their bounds. */
#include <stdlib.h>

#include "base/utf8.h"
#include "text/charset.h"
#include "text/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct extract *x;
	struct arena a = { 0 };
	struct page p;
	size_t replaced;
	struct extract_options o = { .max_text = n % 7 == 0 ? 50 : 0, .xml = n % 5 == 0 };

	if (!x)
		x = extract_new();
	struct str s = { (const char *)data, n };

	s = charset_decode(&a, (struct charset){ .encoding = encoding_of_label(STR("utf-8")) }, s, &replaced);
	extract_page(x, s, STR("http://example.org/a/b"), &o, &p);
	if (p.text.n && utf8_valid(p.text) != p.text.n)
		abort();
	for (size_t i = 0; i < p.nlinks; i++) {
		struct str l = p.links[i].anchor;

		if (l.n && utf8_valid(l) != l.n)
			abort();
		if (p.links[i].at > p.text.n)
			abort();
	}
	for (size_t i = 0; p.outline && i < p.outline->nodes.n; i++)
		if (p.outline->nodes.p[i].end > p.text.n)
			abort();
	arena_release(&a);
	return 0;
}
