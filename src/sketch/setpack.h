/* sketch/setpack.h -- a set as bytes: for segment.c alone, which stores them.
 *
 * A set of n values is cut at bit L (64 - L = floor(log2 n), at least 7): the
 * low L bits of the values lie side by side; the high parts are a row of bits
 * with a one for each value and a zero for each step of the high part.  Reading
 * walks the ones of that row: one shift, one mask and one unaligned load a value.
 * Sets of fewer than 64 values are stored as they are.
 *
 * Nearly all of a main text's shingles are shingles of the body, so its set is
 * kept as a bit for each value of the body's set and the few values besides:
 * a part.  It is read by walking both.
 */
#ifndef WINNOW_SKETCH_SETPACK_H
#define WINNOW_SKETCH_SETPACK_H
#include "sketch/segment.h"

unsigned low_bits(size_t n);
size_t set_bytes(size_t n, unsigned low);
void pack_set(unsigned char *out, struct set s, unsigned low);
void pack_set_narrow(unsigned char *out, struct set s,
		     unsigned low); /* the same by what every processor has: the twin */
/* False when the ones of the row are not n, or the row is too short. */
bool unpack_set(uint64_t *out, const unsigned char *p, size_t n, unsigned low);

#define PART_HEAD 8 /* values of the body's set u32, values besides u32 */
size_t part_bytes(size_t n_body, size_t n_extra);

/* main as a part of a set of n_body values, into out, which has room for `room` bytes; 0 when that is too little.  The
 * body's values come from where they are: in memory, or packed. */
size_t pack_part(unsigned char *out, size_t room, struct set body, struct set_view packed, struct set main);
size_t pack_part_narrow(unsigned char *out, size_t room, struct set body, struct set main); /* the twin; in memory */

/* A view's pointer has its lowest bit set for a part, which lies behind the set that it is part of; all sets begin at whole
 * 8 bytes. */
static inline struct set_view part_view(const unsigned char *part, uint32_t n)
{
	return (struct set_view){ part + 1, n };
}
static inline bool is_part(struct set_view v) { return (uintptr_t)v.p & 1; }
uint32_t part_read(struct set_view v, uint32_t *i, uint64_t *at, uint64_t below, uint64_t *out, uint32_t cap);
#endif
