/* sketch/segments.c -- all segments of a directory, looked up by content; see segment.h.
 *
 * Ranges of contents, sorted and disjoint: where two files overlap the one with
 * the larger name keeps the contents both have.
 */
#include <stdlib.h>

#include "base/os.h"
#include "base/vec.h"
#include "sketch/segment.h"

struct range {
	uint64_t from, to; /* contents [from, to) */
	const struct segment *segment;
};

struct segments {
	VEC(struct segment *) open;
	VEC(struct range) ranges;
};

static int by_from(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Takes [from, to) away from the ranges that are there. */
static void cut_out(struct segments *s, uint64_t from, uint64_t to)
{
	for (size_t i = 0, n = s->ranges.n; i < n; i++) {
		struct range *r = &s->ranges.p[i];

		if (r->from >= to || r->to <= from)
			continue;
		if (r->to > to) {
			struct range rest = { to, r->to, r->segment };

			vec_push(&s->ranges, rest);
			r = &s->ranges.p[i];
		}
		r->to = r->from < from ? from : r->from;
	}
}

int segments_open(struct segments **out, const char *dir, struct err *err)
{
	struct segments *s = mem_zalloc(sizeof *s);
	struct arena arena = { 0 };
	struct str *names;
	size_t n, kept = 0;
	int rc = os_list(&arena, dir, ".seg", &names, &n, err);

	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		struct segment *one;
		struct range r;

		if ((rc = segment_open(&one, arena_printf(&arena, "%s/%.*s", dir, STR_FMT(names[i])).p, err)) < 0)
			break;
		vec_push(&s->open, one);
		r = (struct range){ segment_first(one), segment_first(one) + segment_count(one), one };
		cut_out(s, r.from, r.to);
		vec_push(&s->ranges, r);
	}
	arena_release(&arena);
	if (rc < 0) {
		segments_close(s);
		return rc;
	}
	for (size_t i = 0; i < s->ranges.n; i++)
		if (s->ranges.p[i].from < s->ranges.p[i].to)
			s->ranges.p[kept++] = s->ranges.p[i];
	s->ranges.n = kept;
	if (kept)
		sort_array(s->ranges.p, kept, sizeof *s->ranges.p, by_from);
	*out = s;
	return WN_OK;
}

void segments_close(struct segments *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->open.n; i++)
		segment_close(s->open.p[i]);
	vec_release(&s->open);
	vec_release(&s->ranges);
	mem_free(s);
}

const struct segment *segments_find(const struct segments *s, uint64_t content)
{
	size_t low = 0, high = s->ranges.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->ranges.p[middle].to <= content)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->ranges.n && s->ranges.p[low].from <= content ? s->ranges.p[low].segment : NULL;
}

static int absent(uint64_t content, struct err *err)
{
	return err_set(err, WN_NONE, "no segment holds the sets of content %llu", (unsigned long long)content);
}

int segments_get(const struct segments *s, uint64_t content, enum sketch_text which, uint64_t *out, size_t room,
		 size_t *n, struct err *err)
{
	const struct segment *one = segments_find(s, content);

	return one ? segment_get(one, content, which, out, room, n, err) : absent(content, err);
}

int segments_size(const struct segments *s, uint64_t content, enum sketch_text which, size_t *n, struct err *err)
{
	const struct segment *one = segments_find(s, content);

	return one ? segment_size(one, content, which, n, err) : absent(content, err);
}
