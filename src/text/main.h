/* text/main.h -- the article without what surrounds it.
 *
 * From the body text and its outline (text/outline.h) to the ranges of the
 * body that a reader came for: no navigation, header, footer, related links,
 * share bars, cookie notes.  Pages that are no article (documentation, lists,
 * statutes, forums) keep their whole body but for what is surely furniture.
 * Cost: one pass over the rows, one over the text of the candidates.
 */
#ifndef WINNOW_TEXT_MAIN_H
#define WINNOW_TEXT_MAIN_H
#include "base/arena.h"
#include "text/outline.h"

struct main_range {
	uint32_t start, end; /* bytes of the body text, start < end, ascending and apart */
};

struct main_text {
	struct str text; /* the ranges joined by a line feed; the body itself when all of it is main */
	struct main_range *ranges;
	size_t n_ranges;
	bool whole; /* no article was found: the body stands in, furniture apart */
};

/* Ranges and text live in the arena; text may be the body itself. */
struct main_text main_content(struct arena *a, struct str body, const struct outline *o);

/* Whether a text has a mark of punctuation, as prose has, in any of the scripts that have their own; and its slow twin. */
bool main_has_mark(struct str text);
bool main_has_mark_narrow(struct str text); /* as on any processor */
bool main_has_mark_slow(struct str text);
#endif
