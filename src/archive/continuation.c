/* archive/continuation.c -- see segment.h. */
#include "archive/continuation.h"
#include "base/vec.h"

#include <stdlib.h>

#include "base/mem.h"

void continuations_release(struct continuations *s)
{
	arena_release(&s->arena);
	mem_free(s->path);
	mem_free(s->v);
	*s = (struct continuations){ 0 };
}

static int by_origin(const void *a, const void *b)
{
	const struct continuation *x = a, *y = b;
	int c = str_cmp(x->origin, y->origin);

	if (c == 0)
		c = (x->number > y->number) - (x->number < y->number);
	return c ? c : (x->span.at > y->span.at) - (x->span.at < y->span.at);
}

static void add(struct continuations *s, const struct record *rec)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 16;
		s->v = mem_rearray(s->v, s->cap, sizeof *s->v);
	}
	s->v[s->n++] =
	    (struct continuation){ arena_str(&s->arena, rec->segment_origin), arena_str(&s->arena, rec->part),
				   rec->segment_number, rec->segment_total, rec->span };
}

int continuations_of(struct continuations *s, const char *path, struct err *err)
{
	struct reader *r;
	struct record *rec;
	int rc;

	if (s->path && strcmp(s->path, path) == 0)
		return WN_OK;
	continuations_release(s);
	if ((rc = reader_open(&r, path, err)) < 0)
		return rc;
	rec = mem_alloc(sizeof *rec);
	while ((rc = reader_next(r, rec, err)) == WN_OK && s->n < LIMIT_SEGMENTS)
		if (rec->type == RECORD_CONTINUATION && rec->segment_origin.n && rec->segment_number > 1)
			add(s, rec);
	mem_free(rec);
	reader_close(r);
	if (rc < 0)
		return rc;
	if (s->n)
		sort_array(s->v, s->n, sizeof *s->v, by_origin);
	s->path = mem_strdup(path);
	return WN_OK;
}

const struct continuation *continuations_find(const struct continuations *s, struct str id, size_t *n)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (str_cmp(s->v[mid].origin, id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (hi = lo; hi < s->n && str_eq(s->v[hi].origin, id); hi++)
		;
	*n = hi - lo;
	return hi > lo ? &s->v[lo] : NULL;
}
