/* base/buf.h -- bytes that grow, up to a maximum they are born with.
 *
 * Adding past the maximum adds nothing, sets `full` and returns false; the
 * flag is sticky, so a run of additions may be checked once at the end.
 */
#ifndef WINNOW_BASE_BUF_H
#define WINNOW_BASE_BUF_H
#include "base/str.h"

struct buf {
	char *p;
	size_t n, cap, max;
	bool full;
};

#define BUF(maximum) ((struct buf){ .max = (maximum) })

bool buf_add(struct buf *b, const void *p, size_t n);
bool buf_str(struct buf *b, struct str s);
bool buf_byte(struct buf *b, char c);
bool buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *buf_room(struct buf *b, size_t n); /* room for n more at p + n, or NULL; add to b->n what was used */
static inline struct str buf_view(const struct buf *b)
{
	return (struct str){ b->p, b->n };
} /* until the next change */
void buf_reset(struct buf *b);	 /* empty, keeps memory and maximum */
void buf_release(struct buf *b); /* zero again but for the maximum */
#endif
