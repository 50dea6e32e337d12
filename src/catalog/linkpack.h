/* catalog/linkpack.h -- the links of a page in one string of bytes.
 *
 * A page has dozens of links and most share their beginning with the one
 * before, so a list is kept whole, not as rows: in a segment, or as a page's column
 * in earlier collections.  The bytes (docs/format/links.md): a version byte, then
 * for each link a byte of flags, how much of the last URL it shares, the rest of
 * its URL, and its anchor where it has one.  Reading is sequential, O(bytes);
 * whatever bytes are given, a reader ends within them.
 */
#ifndef WINNOW_CATALOG_LINKPACK_H
#define WINNOW_CATALOG_LINKPACK_H
#include "base/buf.h"
#include "catalog/catalog.h"

enum { LINKPACK_KINDS = 10 }; /* a link's kind is below it */

struct linkpack {
	struct buf out;	 /* its maximum is what a list may take */
	struct buf last; /* the URL before */
	size_t n;
};

#define LINKPACK ((struct linkpack){ .out = BUF(LIMIT_LINKS_PACKED), .last = BUF(4 * LIMIT_URL) })

void linkpack_reset(struct linkpack *p);
void linkpack_release(struct linkpack *p);
/* False, and the list is as it was, when the link does not fit any more. */
bool linkpack_add(struct linkpack *p, const struct catalog_link *l);
struct str linkpack_view(const struct linkpack *p); /* until the next change; empty for no links */

struct linkpack_reader {
	struct str rest;
	struct buf url;
	bool damaged;
};

/* In a list's place: it lies in a segment (linkstore.h), under this number. */
enum { LINKPACK_PAGE = 11 };
size_t linkpack_put_page(unsigned char out[LINKPACK_PAGE], uint64_t page); /* its bytes */
bool linkpack_page(struct str packed, uint64_t *page);			   /* false: it is a list, or damaged */

bool linkpack_sound(struct str packed);					 /* is it a list that can be read to its end? */
void linkpack_open(struct linkpack_reader *r, struct str packed);	 /* packed stays the caller's and must stay */
bool linkpack_next(struct linkpack_reader *r, struct catalog_link *out); /* out lasts until the next call */
void linkpack_close(struct linkpack_reader *r);
#endif
