/* bench/document_sum.h -- one number for all that was found in a page: it changes when any of it does. */
#ifndef WINNOW_BENCH_DOCUMENT_SUM_H
#define WINNOW_BENCH_DOCUMENT_SUM_H
#include "base/hash.h"
#include "text/document.h"

static inline uint64_t sum_add(uint64_t h, uint64_t value) { return mix64(h * 31 + value); }
static inline uint64_t sum_str(uint64_t h, struct str s) { return sum_add(sum_add(h, s.n), hash_str(s)); }

static inline uint64_t document_sum(const struct document *d)
{
	const struct page *page = &d->page;
	const struct str strings[] = { d->mime,
				       page->text,
				       page->title,
				       page->description,
				       page->canonical,
				       page->lang,
				       page->published,
				       page->author,
				       page->site_name,
				       page->base,
				       d->main,
				       d->lang,
				       str(d->charset ? d->charset : "") };
	const uint64_t numbers[] = { d->kind,	       d->why_none,	d->charset_source,
				     d->replaced,      d->flaws,	page->cut,
				     page->body_start, page->nofollow,	page->noindex,
				     page->nlinks,     d->nmain_ranges, (uint64_t)(d->lang_confidence * 1e9) };
	uint64_t h = 0;

	for (size_t i = 0; i < COUNT(strings); i++)
		h = sum_str(h, strings[i]);
	for (size_t i = 0; i < COUNT(numbers); i++)
		h = sum_add(h, numbers[i]);
	for (size_t i = 0; i < d->nmain_ranges; i++)
		h = sum_add(sum_add(h, d->main_ranges[i].start), d->main_ranges[i].end);
	for (size_t i = 0; i < page->nlinks; i++) {
		const struct link *l = &page->links[i];

		h = sum_str(sum_str(sum_str(sum_str(h, l->href), l->url), l->anchor), l->rel);
		h = sum_add(h, (uint64_t)l->at << 16 | (uint64_t)l->kind << 1 | l->nofollow);
	}
	return h;
}
#endif
