/* base/arena.c -- see arena.h.  Blocks double from 4 KiB to 1 MiB; a larger wish gets its own block. */
#include "base/arena.h"

#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISON 1
#endif
#endif
#ifdef ARENA_POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

struct arena_block {
	struct arena_block *next;
	size_t n;
	_Alignas(16) char bytes[];
};

enum { BLOCK_FIRST = 4096, BLOCK_MOST = 1 << 20 };

static void grow(struct arena *a, size_t n)
{
	size_t want = a->blocks ? a->blocks->n * 2 : BLOCK_FIRST;
	struct arena_block *b;

	if (want > BLOCK_MOST)
		want = BLOCK_MOST;
	if (want < n)
		want = n;
	b = mem_alloc(sizeof *b + want);
	b->n = want;
	b->next = a->blocks;
	a->blocks = b;
	a->at = b->bytes;
	a->end = b->bytes + want;
	a->used += want;
	ASAN_POISON_MEMORY_REGION(b->bytes, want);
}

void *arena_alloc(struct arena *a, size_t n)
{
	size_t need;
	char *p;

	if (__builtin_add_overflow(n, 15, &need))
		die("no memory for %zu more bytes", n);
	need &= ~(size_t)15;
	if (need == 0)
		need = 16;
	if ((size_t)(a->end - a->at) < need)
		grow(a, need);
	p = a->at;
	a->at += need;
	ASAN_UNPOISON_MEMORY_REGION(p, n ? n : 1);
	return p;
}

void *arena_zalloc(struct arena *a, size_t n) { return memset(arena_alloc(a, n), 0, n); }

struct str arena_str(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = 0;
	return str_n(p, s.n);
}

char *arena_strz(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = 0;
	return p;
}

struct str arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char first[256], *p; /* most are short: formatted once */
	int n;

	va_copy(again, ap);
	n = vsnprintf(first, sizeof first, fmt, again);
	va_end(again);
	if (n < 0)
		BUG("format %s", fmt);
	p = arena_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof first)
		memcpy(p, first, (size_t)n + 1);
	else
		vsnprintf(p, (size_t)n + 1, fmt, ap);
	return str_n(p, (size_t)n);
}

struct str arena_printf(struct arena *a, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	va_start(ap, fmt);
	s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}

struct str arena_lower(struct arena *a, struct str s)
{
	char *p = arena_strz(a, s);

	for (size_t i = 0; i < s.n; i++)
		p[i] = ascii_lower(p[i]);
	return str_n(p, s.n);
}

static void free_block(struct arena_block *b)
{
	ASAN_UNPOISON_MEMORY_REGION(b->bytes, b->n);
	mem_free(b);
}

void arena_reset(struct arena *a)
{
	struct arena_block *keep = a->blocks, *b, *next;

	if (!keep)
		return;
	for (b = keep->next; b; b = next) {
		next = b->next;
		free_block(b);
	}
	keep->next = NULL;
	a->at = keep->bytes;
	a->end = keep->bytes + keep->n;
	a->used = keep->n;
	ASAN_POISON_MEMORY_REGION(keep->bytes, keep->n);
	if (keep->n > BLOCK_MOST) { /* one giant must not stay for ever */
		free_block(keep);
		*a = (struct arena){ 0 };
	}
}

void arena_release(struct arena *a)
{
	struct arena_block *b, *next;

	for (b = a->blocks; b; b = next) {
		next = b->next;
		free_block(b);
	}
	*a = (struct arena){ 0 };
}
