/* join/stored.c -- see stored.h. */
#include "join/stored.h"
#include "base/vec.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/task.h"

static void view_open(void *context, uint32_t set, struct join_cursor *c)
{
	const struct join_sets *s = context;

	*c = (struct join_cursor){ 0, s->start[set], s->size[set], s->size[set] };
}

static uint32_t view_read(void *context, struct join_cursor *c, uint64_t below, uint64_t *out, uint32_t cap)
{
	struct set_view v = { (const unsigned char *)(uintptr_t)c->last, c->size };
	uint32_t i = c->size - c->left, n = set_view_read(v, &i, &c->at, below, out, cap);

	(void)context;
	c->left -= n;
	return n;
}

struct opening {
	struct stored *s;
	const struct segments *segments;
	const uint64_t *content; /* by set */
	unsigned kinds;
	atomic_int rc;
	struct err *err;
};

static void open_sets(void *context, size_t from, size_t to, unsigned worker)
{
	struct opening *o = context;

	(void)worker;
	for (size_t i = from; i < to && atomic_load(&o->rc) == WN_OK; i++) {
		const struct segment *g = segments_find(o->segments, o->content[i]);

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
				    (unsigned long long)o->content[i]);
			else
				rc = segment_view(g, o->content[i], k ? SKETCH_MAIN : SKETCH_BODY, &v, &err);
			if (rc < 0 && atomic_compare_exchange_strong(&o->rc, &ok, rc) && o->err)
				*o->err = err;
			o->s->size[k][i] = v.n;
			o->s->start[k][i] = (uint64_t)(uintptr_t)v.p;
		}
	}
}

struct numbered {
	uint64_t content;
	uint32_t doc;
};

static int by_content(const void *pa, const void *pb)
{
	const struct numbered *a = pa, *b = pb;

	return a->content < b->content ? -1 : a->content > b->content;
}

int stored_open(struct stored *s, const struct segments *segments, const uint64_t *content, uint32_t n, unsigned kinds,
		unsigned threads, struct err *err)
{
	struct numbered *v = mem_array((size_t)n + 1, sizeof *v);
	uint64_t *of_set = mem_array((size_t)n + 1, sizeof *of_set);
	struct opening o = { s, segments, of_set, kinds, WN_OK, err };
	uint32_t sets = 0;
	bool bag = false;

	*s = (struct stored){ .set_of = mem_array((size_t)n + 1, sizeof *s->set_of) };
	for (uint32_t d = 0; d < n; d++)
		v[d] = (struct numbered){ content[d], d };
	sort_array(v, n, sizeof *v, by_content);
	for (uint32_t i = 0; i < n; i++) {
		if (v[i].content == STORED_NO_CONTENT) {
			s->set_of[v[i].doc] = JOIN_NO_SET;
			continue;
		}
		if (i == 0 || v[i].content != v[i - 1].content)
			of_set[sets++] = v[i].content;
		s->set_of[v[i].doc] = sets - 1;
	}
	mem_free(v);
	if (sets && segments_find(segments, of_set[0]))
		bag = segment_spec(segments_find(segments, of_set[0])).bag;
	for (int k = 0; k < JOIN_KINDS; k++) {
		if (!(kinds >> k & 1))
			continue;
		s->size[k] = mem_zarray((size_t)sets + 1, sizeof *s->size[k]);
		s->start[k] = mem_zarray((size_t)sets + 1, sizeof *s->start[k]);
	}
	task_each(threads ? threads : 1, sets, 256, open_sets, &o);
	for (int k = 0; k < JOIN_KINDS; k++)
		if (kinds >> k & 1)
			s->sets[k] = (struct join_sets){ .n = sets,
							 .bag = bag,
							 .size = s->size[k],
							 .start = s->start[k],
							 .context = &s->sets[k],
							 .open = view_open,
							 .read = view_read };
	mem_free(of_set);
	if (atomic_load(&o.rc) < 0)
		stored_close(s);
	return atomic_load(&o.rc);
}

void stored_close(struct stored *s)
{
	mem_free(s->set_of);
	for (int k = 0; k < JOIN_KINDS; k++) {
		mem_free(s->size[k]);
		mem_free(s->start[k]);
	}
	*s = (struct stored){ 0 };
}
