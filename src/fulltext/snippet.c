/* fulltext/snippet.c -- the piece of a text that shows best why it was found; see search.h.
 *
 * One pass finds every place where a wanted leaf of the query matches; a window
 * of max_bytes slides over them, and the one with the most different leaves,
 * then the most matches, then the earliest wins.
 */
#include "base/limits.h"
#include "base/vec.h"
#include "fulltext/query.h"
#include "text/word.h"

#define PLACES_MAX 4096 /* matches looked at in one text */

struct place {
	size_t from, to; /* bytes of the text */
	unsigned leaf;
};

struct finder {
	VEC(const struct ftquery *) leaves;
	VEC(struct place) places;
};

static void collect(struct finder *f, const struct ftquery *q)
{
	if (q->excluded)
		return;
	if (q->kind < FT_ALL)
		vec_push(&f->leaves, q);
	for (const struct ftquery *c = q->kind < FT_ALL ? NULL : q->first; c; c = c->next)
		collect(f, c);
}

struct recent { /* the last terms of the text, for phrases */
	struct str terms[LIMIT_FT_LEAVES];
	size_t starts[LIMIT_FT_LEAVES];
	char *bytes;
	size_t n;
};

/* Does leaf q match with the term that was read last (number n - 1)? */
static bool ends_here(const struct ftquery *q, const struct recent *r, size_t *start)
{
	if (q->n_terms > r->n)
		return false;
	for (size_t j = 0; j < q->n_terms; j++) {
		size_t at = (r->n - q->n_terms + j) % LIMIT_FT_LEAVES;

		if (q->kind == FT_PREFIX ? !str_starts(r->terms[at], q->terms[j]) : !str_eq(r->terms[at], q->terms[j]))
			return false;
		if (j == 0)
			*start = r->starts[at];
	}
	return true;
}

static void find_places(struct finder *f, struct str text)
{
	struct recent *r = mem_zalloc(sizeof *r);
	struct buf folded = BUF(SIZE_MAX / 2);
	struct str rest = text, source;

	r->bytes = mem_alloc((size_t)LIMIT_FT_LEAVES * LIMIT_FT_TERM);
	while (f->places.n < PLACES_MAX && word_next(&rest, &folded, &source)) {
		size_t at = r->n++ % LIMIT_FT_LEAVES, n = folded.n < LIMIT_FT_TERM ? folded.n : LIMIT_FT_TERM;

		memcpy(r->bytes + at * LIMIT_FT_TERM, folded.p, n);
		r->terms[at] = str_n(r->bytes + at * LIMIT_FT_TERM, n);
		r->starts[at] = (size_t)(source.p - text.p);
		for (size_t i = 0; i < f->leaves.n; i++) {
			struct place p = { .to = (size_t)(source.p - text.p) + source.n, .leaf = f->leaves.p[i]->leaf };

			if (ends_here(f->leaves.p[i], r, &p.from))
				vec_push(&f->places, p);
		}
	}
	buf_release(&folded);
	mem_free(r->bytes);
	mem_free(r);
}

/* The window of places [*first, *last) that shows most. */
static void best_window(const struct finder *f, size_t max_bytes, size_t *first, size_t *last)
{
	unsigned count[LIMIT_FT_LEAVES + 1] = { 0 };
	size_t best = 0, different = 0;

	*first = *last = 0;
	for (size_t low = 0, high = 0; high < f->places.n; high++) {
		size_t score;

		different += count[f->places.p[high].leaf]++ == 0;
		while (low < high && f->places.p[high].to > f->places.p[low].from + max_bytes)
			different -= --count[f->places.p[low++].leaf] == 0;
		score = different * (PLACES_MAX + 1) + (high - low + 1);
		if (score > best) {
			best = score;
			*first = low;
			*last = high + 1;
		}
	}
}

/* Moves at to a place between words, at most 40 bytes further: forward when dir > 0. */
static size_t word_edge(struct str text, size_t at, int dir)
{
	for (unsigned i = 0; i < 40; i++) {
		size_t here = dir > 0 ? at + i : at - i;

		if (here == 0 || here >= text.n)
			return here > text.n ? text.n : here;
		if (ascii_space(text.p[here]))
			return here;
	}
	while (at > 0 && at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80)
		at += dir > 0 ? 1 : (size_t)-1;
	return at;
}

struct ftsnippet ftquery_snippet(struct arena *a, const struct ftquery *q, struct str text, size_t max_bytes)
{
	struct finder f = { 0 };
	struct ftsnippet out = { .text = STR_NONE };
	size_t first, last, from = 0, to, context;

	collect(&f, q);
	find_places(&f, text);
	best_window(&f, max_bytes, &first, &last);
	to = max_bytes < text.n ? max_bytes : text.n;
	if (last > first) {
		size_t begin = f.places.p[first].from, end = f.places.p[last - 1].to;

		context = end - begin < max_bytes ? (max_bytes - (end - begin)) / 2 : 0;
		from = begin > context ? word_edge(text, begin - context, 1) : 0;
		from = from > begin ? begin : from;
		to = from + max_bytes > end ? from + max_bytes : end;
	}
	if (to < text.n)
		to = word_edge(text, to, last > first && to - f.places.p[last - 1].to < 40 ? 1 : -1);
	to = to > text.n ? text.n : to;
	if (last > first && to < f.places.p[last - 1].to)
		to = f.places.p[last - 1].to;
	out.cut_before = from > 0;
	out.cut_after = to < text.n;
	out.text = str_sub(text, from, to);
	if (last > first) {
		out.marks = ARENA_ARRAY(a, struct ftmark, last - first);
		for (size_t i = first; i < last; i++) {
			struct ftmark m = { (uint32_t)(f.places.p[i].from - from),
					    (uint32_t)(f.places.p[i].to - f.places.p[i].from) };

			if (f.places.p[i].to > to || f.places.p[i].from < from)
				continue;
			if (out.n_marks && m.at < out.marks[out.n_marks - 1].at + out.marks[out.n_marks - 1].n)
				continue; /* inside the one before */
			out.marks[out.n_marks++] = m;
		}
	}
	vec_release(&f.leaves);
	vec_release(&f.places);
	return out;
}
