/* sketch/diff.c -- see diff.h. */
#include "sketch/diff.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"

enum { ANCHOR = 5 };

struct token {
	uint64_t hash;	  /* of the bytes without the white space behind */
	uint32_t at, end; /* end: where the next token begins */
};

struct tokens {
	struct token *p;
	uint32_t n;
	struct str text;
};

static struct tokens cut(struct arena *a, struct str s, enum diff_unit unit)
{
	VEC(struct token) all = { 0 };
	struct tokens out = { .text = s };
	size_t i = 0;

	while (i < s.n) {
		size_t from = i, end;

		if (unit == DIFF_LINE) {
			while (i < s.n && s.p[i] != '\n')
				i++;
			end = i;
			i += i < s.n;
		} else {
			while (i < s.n && !ascii_space(s.p[i]))
				i++;
			end = i;
			while (i < s.n && ascii_space(s.p[i]))
				i++;
			if (end == from && from == 0) { /* white space before the first word */
				continue;
			}
		}
		vec_push(&all, ((struct token){ hash64(s.p + from, end - from), (uint32_t)from, (uint32_t)i }));
	}
	out.n = (uint32_t)all.n;
	out.p = ARENA_ARRAY(a, struct token, all.n + 1);
	if (all.n)
		memcpy(out.p, all.p, all.n * sizeof *out.p);
	vec_release(&all);
	return out;
}

struct match {
	uint32_t a, b; /* tokens that are the same place */
};

/* Hash of each run of ANCHOR tokens -> its place + 1, or 0 when it occurs twice. */
static struct map runs(const struct tokens *t)
{
	struct map m = { 0 };

	for (uint32_t i = 0; i + ANCHOR <= t->n; i++) {
		uint64_t h = 0, before = m.n, *at;

		for (uint32_t k = 0; k < ANCHOR; k++)
			h = mix64(h * 31 + t->p[i + k].hash);
		at = map_put(&m, h, i + 1);
		if (m.n == before)
			*at = 0;
	}
	return m;
}

/* Longest subsequence with b ascending (a ascends already): patience piles. */
static size_t longest(struct match *m, size_t n)
{
	uint32_t *tail = mem_array(n + 1, sizeof *tail), *previous = mem_array(n + 1, sizeof *previous);
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = length;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (m[tail[middle]].b < m[i].b)
				low = middle + 1;
			else
				high = middle;
		}
		previous[i] = low ? tail[low - 1] : UINT32_MAX;
		tail[low] = (uint32_t)i;
		length += low == length;
	}
	if (length) {
		struct match *chain = mem_array(length, sizeof *chain);
		uint32_t at = tail[length - 1];

		for (size_t i = length; i-- > 0; at = previous[at])
			chain[i] = m[at];
		memcpy(m, chain, length * sizeof *m);
		mem_free(chain);
	}
	mem_free(tail);
	mem_free(previous);
	return length;
}

struct work {
	const struct tokens *a, *b;
	VEC(struct match) same; /* matched tokens, ascending in both */
};

/* Myers' greedy search for a shortest edit script of a[a0, a1) and b[b0, b1);
 * nothing is matched when more than LIMIT_DIFF_CHANGES edits are needed. */
static void myers(struct work *w, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1)
{
	int n = (int)(a1 - a0), m = (int)(b1 - b0), most = n + m < LIMIT_DIFF_CHANGES ? n + m : LIMIT_DIFF_CHANGES, d,
	    k, x = 0, y = 0;
	int **trace = mem_zarray((size_t)most + 1, sizeof *trace), *v = mem_zarray(2 * (size_t)most + 3, sizeof *v);
	bool found = false;
	size_t first = w->same.n;

	for (d = 0; d <= most && !found; d++) {
		for (k = -d; k <= d; k += 2) {
			x = k == -d || (k != d && v[most + k] < v[most + k + 2]) ? v[most + k + 2] : v[most + k] + 1;
			y = x - k;
			while (x < n && y < m && w->a->p[a0 + (uint32_t)x].hash == w->b->p[b0 + (uint32_t)y].hash)
				x++, y++;
			v[most + k + 1] = x;
			if (x >= n && y >= m) {
				found = true;
				break;
			}
		}
		trace[d] = mem_array(2 * (size_t)d + 1, sizeof **trace);
		for (int i = -d; i <= d; i++)
			trace[d][i + d] = v[most + i + 1];
	}
	if (found) { /* back from the end; the diagonal steps are the matches */
		x = n;
		y = m;
		for (d--; d > 0; d--) {
			int before = d - 1, from, at;

			k = x - y;
			at = k == -d || (k != d && (k - 1 < -before ? -1 : trace[before][k - 1 + before]) <
						       (k + 1 > before ? -1 : trace[before][k + 1 + before]))
				 ? k + 1
				 : k - 1;
			from = trace[before][at + before];
			while (x > (at > k ? from : from + 1) && y > (at > k ? from - at + 1 : from - at)) {
				x--, y--;
				vec_push(&w->same, ((struct match){ a0 + (uint32_t)x, b0 + (uint32_t)y }));
			}
			x = from;
			y = from - at;
		}
		while (x > 0 && y > 0) {
			x--, y--;
			vec_push(&w->same, ((struct match){ a0 + (uint32_t)x, b0 + (uint32_t)y }));
		}
		for (size_t i = first, j = w->same.n; i + 1 < j; i++, j--) {
			struct match t = w->same.p[i];

			w->same.p[i] = w->same.p[j - 1];
			w->same.p[j - 1] = t;
		}
	}
	for (d = 0; d <= most; d++)
		mem_free(trace[d]);
	mem_free(trace);
	mem_free(v);
}

/* What lies between two anchors: equal ends first, the rest by Myers. */
static void between(struct work *w, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1)
{
	uint32_t tail = 0;

	while (a0 < a1 && b0 < b1 && w->a->p[a0].hash == w->b->p[b0].hash)
		vec_push(&w->same, ((struct match){ a0++, b0++ }));
	while (a0 < a1 && b0 < b1 && w->a->p[a1 - 1].hash == w->b->p[b1 - 1].hash)
		a1--, b1--, tail++;
	if (a0 < a1 && b0 < b1)
		myers(w, a0, a1, b0, b1);
	for (uint32_t i = 0; i < tail; i++)
		vec_push(&w->same, ((struct match){ a1 + i, b1 + i }));
}

static void match_all(struct work *w)
{
	struct map in_a = runs(w->a), in_b = runs(w->b);
	VEC(struct match) anchors = { 0 };
	uint32_t a0 = 0, b0 = 0;

	for (uint32_t i = 0; i + ANCHOR <= w->a->n; i++) {
		uint64_t h = 0;
		const uint64_t *x, *y;

		for (uint32_t k = 0; k < ANCHOR; k++)
			h = mix64(h * 31 + w->a->p[i + k].hash);
		x = map_get(&in_a, h);
		y = map_get(&in_b, h);
		if (x && *x && y && *y)
			vec_push(&anchors, ((struct match){ i, (uint32_t)*y - 1 }));
	}
	anchors.n = longest(anchors.p, anchors.n);
	for (size_t i = 0; i < anchors.n; i++) {
		if (anchors.p[i].a < a0 || anchors.p[i].b < b0)
			continue; /* inside what the anchor before it matched */
		between(w, a0, anchors.p[i].a, b0, anchors.p[i].b);
		a0 = anchors.p[i].a;
		b0 = anchors.p[i].b;
		for (uint32_t k = 0; k < ANCHOR; k++)
			vec_push(&w->same, ((struct match){ a0 + k, b0 + k }));
		a0 += ANCHOR;
		b0 += ANCHOR;
	}
	between(w, a0, w->a->n, b0, w->b->n);
	vec_release(&anchors);
	map_release(&in_a);
	map_release(&in_b);
}

static struct str stretch(const struct tokens *t, uint32_t from, uint32_t to)
{
	return from < to ? str_n(t->text.p + t->p[from].at, t->p[to - 1].end - t->p[from].at) : STR_NONE;
}

struct diff diff_texts(struct arena *arena, struct str a, struct str b, enum diff_unit unit)
{
	struct tokens ta = cut(arena, a, unit), tb = cut(arena, b, unit);
	struct work w = { .a = &ta, .b = &tb };
	struct diff out = { 0 };
	uint32_t x = 0, y = 0;

	match_all(&w);
	out.pieces = ARENA_ARRAY(arena, struct diff_piece, 3 * w.same.n + 3);
	for (size_t i = 0; i <= w.same.n;) {
		uint32_t nx = i < w.same.n ? w.same.p[i].a : ta.n, ny = i < w.same.n ? w.same.p[i].b : tb.n;
		size_t run = 0;

		if (nx > x)
			out.pieces[out.n++] = (struct diff_piece){ DIFF_ONLY_A, stretch(&ta, x, nx), nx - x };
		if (ny > y)
			out.pieces[out.n++] = (struct diff_piece){ DIFF_ONLY_B, stretch(&tb, y, ny), ny - y };
		out.only_a += nx - x;
		out.only_b += ny - y;
		while (i + run < w.same.n && w.same.p[i + run].a == nx + run && w.same.p[i + run].b == ny + run)
			run++;
		if (run)
			out.pieces[out.n++] =
			    (struct diff_piece){ DIFF_SAME, stretch(&ta, nx, nx + (uint32_t)run), (uint32_t)run };
		out.same += (uint32_t)run;
		x = nx + (uint32_t)run;
		y = ny + (uint32_t)run;
		i += run ? run : 1;
	}
	vec_release(&w.same);
	return out;
}
