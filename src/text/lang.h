/* text/lang.h -- which language a text is in.
 *
 * Script decides first: Greek, Hangul, Thai, Georgian and the like have one
 * language each; Latin, Cyrillic, Arabic, Devanagari and Hebrew are told apart by the
 * frequencies of their letter groups, quantised logarithms in a table that
 * tools/mklang makes (lang_table.h says from what).  A long text is
 * sampled in a few places, so that cost does not grow with it: about 2 KB are read.
 */
#ifndef WINNOW_TEXT_LANG_H
#define WINNOW_TEXT_LANG_H
#include "base/str.h"

struct lang {
	char code[4];	  /* ISO 639-1 (or 639-3 where there is none), "und" when unsure */
	float confidence; /* 0..1; 0 with "und" */
};

/* Text is UTF-8; ill-formed bytes are passed over. */
struct lang lang_of(struct str text);
struct lang lang_of_plain(struct str text); /* the same by what every processor has: the twin */

/* A text in ranges of another (text/main_ranges.h), and words that were met before: what their letters weigh is
 * remembered, so that thousands of texts of a few languages cost a fraction.  The answer is the same. */
struct lang_text {
	struct str text;
	struct str ranges; /* of text; empty: all of it */
	size_t n;	   /* bytes of what the ranges make */
};
struct lang_memo; /* of one thread */
struct lang_memo *lang_memo_new(void);
void lang_memo_free(struct lang_memo *m); /* m may be NULL */
struct lang lang_of_ranges(const struct lang_text *t, struct lang_memo *m);

/* Every code lang_of can answer but "und", ascending; *n of them. */
const char *const *lang_codes(size_t *n);
#endif
