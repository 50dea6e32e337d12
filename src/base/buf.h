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

char *buf_grow(struct buf *b, size_t n);	      /* buf_room, where there is none yet */
static inline char *buf_room(struct buf *b, size_t n) /* room for n more at p + n, or NULL; add to b->n what was used */
{
	return b->p && n <= b->cap - b->n ? b->p + b->n : buf_grow(b, n);
}
static inline bool buf_add(struct buf *b, const void *p, size_t n)
{
	char *to = buf_room(b, n);

	if (!to)
		return false;
	if (n)
		memcpy(to, p, n);
	b->n += n;
	return true;
}
static inline bool buf_str(struct buf *b, struct str s) { return buf_add(b, s.p, s.n); }
static inline bool buf_byte(struct buf *b, char c)
{
	char *to = buf_room(b, 1);

	if (!to)
		return false;
	*to = c;
	b->n++;
	return true;
}
bool buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline struct str buf_view(const struct buf *b)
{
	return (struct str){ b->p, b->n };
} /* until the next change */
void buf_reset(struct buf *b);	 /* empty, keeps memory and maximum */
void buf_release(struct buf *b); /* zero again but for the maximum */
#endif
