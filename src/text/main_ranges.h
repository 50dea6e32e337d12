/* text/main_ranges.h -- a main text told by where it lies in its body.
 *
 * A main text is ranges of the body joined by line feeds (text/main.h), so a
 * list of ranges says it in a few bytes.  Packed, each range is two numbers:
 * how far behind the end of the one before it begins (behind 0, the first),
 * and its length; seven bits to a byte, the low ones first, the eighth set
 * where more follow.  That is never more than the body's bytes and one.
 */
#ifndef WINNOW_TEXT_MAIN_RANGES_H
#define WINNOW_TEXT_MAIN_RANGES_H
#include "text/main.h"

#define MAIN_RANGE_MOST 10 /* bytes of one, packed */

/* Room for MAIN_RANGE_MOST * n bytes at out; how many were written. */
size_t main_ranges_pack(const struct main_range *ranges, size_t n, char *out);

/* Walks packed ranges of a body; what was packed may be any bytes. */
struct main_ranges {
	const char *p, *end;
	uint64_t at, body_n;
	bool wrong; /* they are no ranges of the body; set when the walk is over */
};
static inline struct main_ranges main_ranges_of(struct str packed, size_t body_n)
{
	return (struct main_ranges){ packed.p, packed.n ? packed.p + packed.n : packed.p, 0, body_n, false };
}
bool main_ranges_next(struct main_ranges *r, struct main_range *out);

/* The main text, n bytes, to out; false when that is not what the ranges make. */
bool main_ranges_join(struct str body, struct str packed, char *out, size_t n);
#endif
