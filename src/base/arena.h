/* base/arena.h -- many small things that die together.
 *
 * An arena lives as long as a record, a page, a request or a run.  A function
 * that allocates takes it as its first argument.  Zero-initialised is valid.
 */
#ifndef WINNOW_BASE_ARENA_H
#define WINNOW_BASE_ARENA_H
#include <stdarg.h>

#include "base/str.h"

struct arena_block;
struct arena {
	char *at, *end;
	struct arena_block *blocks; /* newest first */
	size_t used;		    /* bytes in all blocks */
};

void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull)); /* 16-byte aligned, not zeroed */
void *arena_zalloc(struct arena *a, size_t n) __attribute__((returns_nonnull));
struct str arena_str(struct arena *a, struct str s); /* a copy, NUL behind it */
char *arena_strz(struct arena *a, struct str s);
struct str arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct str arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
struct str arena_lower(struct arena *a, struct str s); /* ASCII */
void arena_reset(struct arena *a);		       /* empty; keeps one block */
void arena_release(struct arena *a);		       /* gives all memory back; zero again */

#define ARENA_NEW(a, T) ((T *)arena_zalloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))
#endif
