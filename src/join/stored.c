/* join/stored.c -- see stored.h. */
#include "join/stored.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/task.h"
#include "base/vec.h"

static void note_failure(struct stored *s, int rc, const struct err *err)
{
	int ok = WN_OK;

	if (__atomic_compare_exchange_n(&s->failed, &ok, rc, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		s->err = *err;
}

/* A set that is used for the first time; 0 when it cannot be. */
static uint64_t view_late(const struct stored_text *t, uint32_t set)
{
	struct stored *s = t->of;
	const struct segment *g = segments_find(s->segments, s->content[set]);
	struct set_view v = { 0 };
	struct err err = { 0 };
	int rc;

	if (!g)
		rc = err_set(&err, WN_DATA,
			     "the shingle set of content %u is missing; ingest with --reprocess makes it again",
			     s->content[set]);
	else
		rc = segment_view(g, s->content[set], t->kind ? SKETCH_MAIN : SKETCH_BODY, &v, &err);
	if (rc == WN_OK && v.n != s->size[t->kind][set])
		rc =
		    err_set(&err, WN_DATA, "the shingle set of content %u has not the size that the catalogue gives it",
			    s->content[set]);
	if (rc < 0) {
		note_failure(s, rc, &err);
		return 0;
	}
	__atomic_store_n(&s->start[t->kind][set], (uint64_t)(uintptr_t)v.p, __ATOMIC_RELAXED);
	return (uint64_t)(uintptr_t)v.p;
}

static void view_open(void *context, uint32_t set, struct join_cursor *c)
{
	const struct stored_text *t = context;
	uint64_t start = __atomic_load_n(&t->of->start[t->kind][set], __ATOMIC_RELAXED);
	uint32_t n = t->of->size[t->kind][set], full = t->of->full[t->kind] ? t->of->full[t->kind][set] : n;

	if (start == 0 && n)
		start = view_late(t, set);
	*c = (struct join_cursor){ .last = start, .left = start ? n : 0, .size = full };
}

static uint32_t view_read(void *context, struct join_cursor *c, uint64_t below, uint64_t *out, uint32_t cap)
{
	struct set_view v = { (const unsigned char *)(uintptr_t)c->last, c->size };
	uint32_t n = v.p ? set_view_read(v, &c->read, &c->at, below, out, cap < c->left ? cap : c->left) : 0;

	(void)context;
	c->left -= n;
	return n;
}

static void view_near(const struct join_cursor *c)
{
	if (c->last)
		set_view_near((struct set_view){ (const unsigned char *)(uintptr_t)c->last, c->size }, c->read, c->at);
}

struct opening {
	struct stored *s;
	const struct segments *segments;
	unsigned kinds;
	atomic_int rc;
	struct err *err;
};

static void open_sets(void *context, size_t from, size_t to, unsigned worker)
{
	struct opening *o = context;

	(void)worker;
	for (size_t i = from; i < to && atomic_load(&o->rc) == WN_OK; i++) {
		const struct segment *g = segments_find(o->segments, o->s->content[i]);

		for (int k = 0; k < JOIN_KINDS; k++) {
			struct set_view v = { 0 };
			struct err err = { 0 };
			int rc = WN_OK, ok = WN_OK;

			if (!(o->kinds >> k & 1))
				continue;
			if (!g)
				rc = err_set(
				    &err, WN_DATA,
				    "the shingle set of content %llu is missing; ingest with --reprocess makes it again",
				    (unsigned long long)o->s->content[i]);
			else
				rc = segment_view(g, o->s->content[i], k ? SKETCH_MAIN : SKETCH_BODY, &v, &err);
			if (rc < 0 && atomic_compare_exchange_strong(&o->rc, &ok, rc) && o->err)
				*o->err = err;
			o->s->size[k][i] = v.n;
			o->s->start[k][i] = (uint64_t)(uintptr_t)v.p;
		}
	}
}

/* Numbers the contents in use, ascending: s->content, s->set_of. */
static void number_contents(struct stored *s, const uint64_t *content, uint32_t n)
{
	uint64_t most = 0;
	uint32_t *number;

	for (uint32_t d = 0; d < n; d++)
		if (content[d] != STORED_NO_CONTENT && content[d] > most)
			most = content[d];
	number = mem_zarray((size_t)most + 1, sizeof *number);
	for (uint32_t d = 0; d < n; d++)
		if (content[d] != STORED_NO_CONTENT)
			number[content[d]] = 1;
	s->content = mem_array((size_t)n + 1, sizeof *s->content);
	for (uint64_t c = 0; c <= most; c++)
		if (number[c]) {
			s->content[s->n] = (uint32_t)c;
			number[c] = s->n++;
		}
	s->set_of = mem_array((size_t)n + 1, sizeof *s->set_of);
	for (uint32_t d = 0; d < n; d++)
		s->set_of[d] = content[d] == STORED_NO_CONTENT ? JOIN_NO_SET : number[content[d]];
	mem_free(number);
}

int stored_open(struct stored *s, const struct segments *segments, const uint64_t *content, uint32_t n, unsigned kinds,
		unsigned threads, uint32_t *const known[JOIN_KINDS], struct err *err)
{
	struct opening o = { s, segments, kinds, WN_OK, err };
	bool bag = false, late = known != NULL;

	*s = (struct stored){ .segments = segments };
	number_contents(s, content, n);
	if (s->n && segments_find(segments, s->content[0]))
		bag = segment_spec(segments_find(segments, s->content[0])).bag;
	for (int k = 0; k < JOIN_KINDS; k++) {
		if (!(kinds >> k & 1))
			continue;
		s->text[k] = (struct stored_text){ s, k };
		s->size[k] = mem_zarray((size_t)s->n + 1, sizeof *s->size[k]);
		s->start[k] = mem_zarray((size_t)s->n + 1, sizeof *s->start[k]);
		for (uint32_t d = 0; late && d < n; d++)
			if (s->set_of[d] != JOIN_NO_SET)
				s->size[k][s->set_of[d]] = known[k][d];
	}
	if (!late)
		task_each(threads ? threads : 1, s->n, 256, open_sets, &o);
	for (int k = 0; k < JOIN_KINDS; k++)
		if (kinds >> k & 1)
			s->sets[k] = (struct join_sets){ .n = s->n,
							 .bag = bag,
							 .size = s->size[k],
							 .start = s->start[k],
							 .context = &s->text[k],
							 .open = view_open,
							 .read = view_read,
							 .near = view_near };
	if (atomic_load(&o.rc) < 0)
		stored_close(s);
	return atomic_load(&o.rc);
}

struct narrowing {
	struct stored *s;
	uint64_t below;
};

static void narrow_sets(void *context, size_t from, size_t to, unsigned worker)
{
	const struct narrowing *w = context;
	uint64_t items[256];

	(void)worker;
	for (int k = 0; k < JOIN_KINDS; k++)
		for (size_t i = from; w->s->full[k] && i < to; i++) {
			struct set_view v = { (const unsigned char *)(uintptr_t)w->s->start[k][i], w->s->full[k][i] };
			uint64_t at = 0;
			uint32_t n = 0;

			while (v.p && set_view_read(v, &n, &at, w->below, items, COUNT(items)) == COUNT(items))
				;
			w->s->size[k][i] = n;
		}
}

void stored_narrow(struct stored *s, uint64_t below, unsigned threads)
{
	struct narrowing w = { s, below };

	for (int k = 0; k < JOIN_KINDS; k++)
		if (s->size[k]) {
			s->full[k] = mem_array((size_t)s->n + 1, sizeof *s->full[k]);
			memcpy(s->full[k], s->size[k], (size_t)s->n * sizeof *s->full[k]);
		}
	task_each(threads ? threads : 1, s->n, 256, narrow_sets, &w);
}

int stored_state(const struct stored *s, struct err *err)
{
	if (s->failed < 0 && err)
		*err = s->err;
	return s->failed;
}

void stored_close(struct stored *s)
{
	mem_free(s->set_of);
	mem_free(s->content);
	for (int k = 0; k < JOIN_KINDS; k++) {
		mem_free(s->size[k]);
		mem_free(s->full[k]);
		mem_free(s->start[k]);
	}
	*s = (struct stored){ 0 };
}
