/* base/buf.c -- see buf.h. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"

char *buf_grow(struct buf *b, size_t n)
{
	size_t want, cap;

	if (b->max == 0)
		BUG("a buf without a maximum");
	if (__builtin_add_overflow(b->n, n, &want) || want > b->max) {
		b->full = true;
		return NULL;
	}
	if (want > b->cap || !b->p) {
		cap = b->cap ? b->cap : 256;
		while (cap < want)
			cap *= 2;
		if (cap > b->max)
			cap = b->max;
		b->p = mem_realloc(b->p, cap);
		b->cap = cap;
	}
	return b->p + b->n;
}

bool buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char *to;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(b->p ? b->p + b->n : NULL, b->p ? b->cap - b->n : 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		BUG("format %s", fmt);
	if (b->p && (size_t)n < b->cap - b->n) { /* it had room */
		b->n += (size_t)n;
		return true;
	}
	to = buf_room(b, (size_t)n + 1);
	if (!to)
		return false;
	va_start(ap, fmt);
	vsnprintf(to, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
	return true;
}

void buf_reset(struct buf *b)
{
	b->n = 0;
	b->full = false;
}

void buf_release(struct buf *b)
{
	mem_free(b->p);
	*b = BUF(b->max);
}
