/* sketch/shingle.h -- words to sets: the shingles of a text as sorted 64-bit hashes.
 *
 * A shingle is k consecutive terms (unit word) or k consecutive code points of
 * the terms joined by one blank (unit char); a text with 1..k-1 of them is one
 * shingle; none, none.  With bag the i-th occurrence of a shingle is an element
 * of its own.  docs/format/shingles.md has the hash byte by byte, tests/oracle/
 * shingles.py says the same in Python.
 *
 *	struct shingler s = { .spec = SHINGLE_DEFAULT };
 *	struct set body = shingle_text(&s, text);   // until the next call
 *	shingler_release(&s);
 *
 * Cost: one pass over the text, a few over the hashes (sketch/hashsort.h); 16
 * bytes a shingle of scratch, 8 beyond a million of them, kept between calls.
 */
#ifndef WINNOW_SKETCH_SHINGLE_H
#define WINNOW_SKETCH_SHINGLE_H
#include "base/err.h"
#include "text/main.h"
#include "text/word.h"

enum shingle_unit { SHINGLE_WORD, SHINGLE_CHAR };

struct shingle_spec {
	unsigned k; /* 1..LIMIT_SHINGLE_K */
	enum shingle_unit unit;
	bool bag;
};
#define SHINGLE_DEFAULT ((struct shingle_spec){ .k = 5, .unit = SHINGLE_WORD, .bag = false })

struct set { /* ascending, no value twice; borrowed */
	const uint64_t *p;
	size_t n;
};

struct shingler {
	struct shingle_spec spec;
	/* private scratch */
	struct word_reader words;
	uint64_t *hashes, *sorted, *t, *ends;
	size_t hashes_cap, sorted_cap, t_cap, ends_cap;
	uint64_t terms;	   /* of the last text: its words */
	bool force_narrow; /* tests: without AVX-512 */
};

int shingle_check(struct shingle_spec spec, struct err *err); /* WN_USAGE when k is out of range */
struct set shingle_text(struct shingler *s, struct str text); /* until the next call on s */

/* The sets of a text and of its ranges joined by line feeds, at little more than the cost of the first.  Both until the
 * next call on s.  False when it must be done one by one: characters, bags, ranges that cut a term in two, a part with
 * fewer than k terms, a text of more than 256 KiB. */
bool shingle_with_part(struct shingler *s, struct str text, const struct main_range *ranges, size_t n_ranges,
		       struct set *whole, struct set *part);
void shingler_release(struct shingler *s);

/* How many values two sets share, by merging. */
size_t set_shared(struct set a, struct set b);
bool set_check(struct set s, const char **reason);
#endif
