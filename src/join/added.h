/* join/added.h -- sets that came after an index was made, beside it (docs/format/postings.md).
 *
 * A set that came is as a rule much like one that the index knows, its base.  What is kept of it is the base's row and
 * the items in which the two differ: those that it has and the base has not, and those that the base has and it has
 * not.  A set s shares with it what s shares with the base, and one more or less for each of those items that s has.
 * So lookup.c finds pairs with it without reading it: whoever shares enough with it has one of its own items, or is met
 * by whoever meets the base.
 *	Each update leaves a part: rows, and the differences ascending by item.  Parts are merged when a later one is not
 * much smaller than one before it, so there are few.
 * Cost: 12 bytes for each difference, in memory 4 to 8 more; a few nanoseconds for each item that is looked up in a part,
 * and for each difference that is found.
 */
#ifndef WINNOW_JOIN_ADDED_H
#define WINNOW_JOIN_ADDED_H
#include "base/err.h"
#include "base/vec.h"
#include "join/query.h"

#define ADDED_MISSING (1u << 31) /* of who: the base has the item, the set has not */
#define ADDED_NONE UINT32_MAX

struct added_row {
	uint32_t name, base; /* base: a row of the index, or ADDED_NONE */
};

struct added_part {
	const struct added_row *rows;
	const uint64_t *items;
	const uint32_t *who;	/* a row of the part, perhaps with ADDED_MISSING */
	uint32_t n_rows, first; /* first: number of its first row among those of all parts */
	size_t n;
	unsigned shift; /* slot[item >> shift]: the first difference that has this item or a larger one's upper bits */
	uint32_t *slot;
};

struct added_item {
	uint64_t item;
	uint32_t who;
};

struct added {
	VEC(struct added_part) parts;
	uint32_t n;		      /* rows of all parts */
	uint32_t *set_of;	      /* [n] the set of now; JOIN_NO_SET: none */
	uint32_t *base;		      /* [n] */
	uint32_t *row_of;	      /* [sets] or ADDED_NONE */
	uint32_t *first_of, *next_of; /* [rows of the index], [n]: whose base a row is; ADDED_NONE: none more */
	/* A bit of the upper bits of each difference: most items are in none. */
	uint64_t *filter;
	unsigned filter_shift;
	/* What was looked up and is in no part: sets instead of names; items of one question after those of another. */
	VEC(struct added_row) fresh;
	VEC(struct added_item) fresh_items;
};

static inline bool added_may_have(const struct added *a, uint64_t item)
{
	return a->filter[item >> a->filter_shift >> 6] >> (item >> a->filter_shift & 63) & 1;
}

/* A part from its bytes, which stay the caller's; it belongs to the index whose tail has this checksum, of `rows` rows.
 * WN_DATA with the reason. */
int added_open(struct added *a, const unsigned char *bytes, size_t n, uint64_t index, uint32_t rows, struct err *err);
/* After the last part; as postings_bind. */
void added_bind(struct added *a, const uint32_t *set_of, uint32_t names, uint32_t sets, uint32_t rows);
void added_release(struct added *a); /* zero is fine */
/* How many parts in front a new one leaves as they are; it takes the place of the others. */
unsigned added_stay(const struct added *a);
/* The bytes of that part, with what is fresh; name: of sets.  False: there is nothing fresh, or put said no. */
bool added_write(struct added *a, uint64_t index, const uint32_t *name,
		 bool (*put)(void *context, const void *p, size_t n), void *context);
#endif
