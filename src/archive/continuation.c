/* archive/continuation.c -- see continuation.h. */
#include "archive/continuation.h"

#include "base/mem.h"

void continuations_release(struct continuations *s)
{
	arena_release(&s->arena);
	vec_release(&s->files);
	vec_release(&s->all);
	*s = (struct continuations){ 0 };
}

static int by_origin(const void *a, const void *b)
{
	const struct continuation *x = a, *y = b;
	int c = str_cmp(x->origin, y->origin);

	if (c == 0)
		c = (x->number > y->number) - (x->number < y->number);
	if (c == 0)
		c = (x->file > y->file) - (x->file < y->file);
	return c ? c : (x->span.at > y->span.at) - (x->span.at < y->span.at);
}

static void add(struct continuations *s, const char *path, const struct record *rec)
{
	struct continuation g = { arena_str(&s->arena, rec->segment_origin),
				  arena_str(&s->arena, rec->part),
				  path,
				  s->files.n,
				  rec->segment_number,
				  rec->segment_total,
				  rec->span };

	vec_push(&s->all, g);
}

int continuations_read(struct continuations *s, const char *path, struct err *err)
{
	struct reader *r;
	struct record *rec;
	int rc;

	for (size_t i = 0; i < s->files.n; i++)
		if (strcmp(s->files.p[i], path) == 0)
			return WN_OK;
	if (s->all.n >= LIMIT_SEGMENTS)
		continuations_release(s); /* those of other files make room */
	if ((rc = reader_open(&r, path, err)) < 0)
		return rc;
	path = arena_strz(&s->arena, str(path));
	rec = mem_alloc(sizeof *rec);
	while ((rc = reader_next(r, rec, err)) == WN_OK && s->all.n < LIMIT_SEGMENTS)
		if (rec->type == RECORD_CONTINUATION && rec->segment_origin.n && rec->segment_number > 1)
			add(s, path, rec);
	mem_free(rec);
	reader_close(r);
	if (rc < 0)
		return rc;
	vec_push(&s->files, path);
	s->sorted = false;
	return WN_OK;
}

const struct continuation *continuations_find(struct continuations *s, struct str id, size_t *n)
{
	size_t lo = 0, hi = s->all.n;

	if (!s->sorted)
		sort_array(s->all.p, s->all.n, sizeof *s->all.p, by_origin);
	s->sorted = true;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (str_cmp(s->all.p[mid].origin, id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (hi = lo; hi < s->all.n && str_eq(s->all.p[hi].origin, id); hi++)
		;
	*n = hi - lo;
	return hi > lo ? &s->all.p[lo] : NULL;
}
