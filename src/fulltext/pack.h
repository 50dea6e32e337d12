/* fulltext/pack.h -- up to 128 small numbers in few bytes.
 *
 * Eight numbers and more: b bits each, b chosen so that few are longer; those
 * are patched from a list behind (PFOR).  A full block of 128 lies in four
 * lanes of 32 bits, so that plain vector code unpacks four at a time; shorter
 * blocks are one row of bits.  Fewer than eight: varints.
 * docs/format/fulltext-segment.md draws the bytes.
 */
#ifndef WINNOW_FULLTEXT_PACK_H
#define WINNOW_FULLTEXT_PACK_H
#include "base/buf.h"

#define PACK_N 128

void pack_block(struct buf *out, const uint32_t *v, size_t n);	      /* n <= PACK_N */
void pack_block_narrow(struct buf *out, const uint32_t *v, size_t n); /* as a processor without wide vectors does it */
/* Reads n numbers at p, never past end; returns where they stop, NULL when they are not there. */
const unsigned char *unpack_block(const unsigned char *p, const unsigned char *end, uint32_t *v, size_t n);
/* The same without the numbers. */
const unsigned char *skip_block(const unsigned char *p, const unsigned char *end, size_t n);

void pack_varint(struct buf *out, uint64_t v);
static inline const unsigned char *unpack_varint(const unsigned char *p, const unsigned char *end, uint64_t *v)
{
	uint64_t x = 0;

	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		x |= (uint64_t)(*p & 127) << shift;
		if (!(*p++ & 128)) {
			*v = x;
			return p;
		}
	}
	return NULL;
}
#endif
