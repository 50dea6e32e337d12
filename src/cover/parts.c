/* cover/parts.c -- see parts.h.
 *
 * Three families of parts: each layer alone, each layer with all that it reaches, and layers in the order of how many
 * columns they reach, taken together from the first on.  The smallest part comes first.
 */
#include "cover/parts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

#define NONE UINT32_MAX
#define LEAST_ROWS 8   /* of a part */
#define GROWTH 20      /* layers that are taken together: by one part in so many, or more, at a time */
#define SHARE 8	       /* of the work that is left, for one part */
#define PARTS_MOST 400 /* of a block */
#define ONE_LAYER 4    /* a layer of all rows but one in so many: there are no others to speak of */

/* Strongly connected parts (Tarjan): numbered so that what a layer reaches has lower numbers. */
struct layers {
	uint32_t n, *of;	/* of: rows */
	uint32_t *first, *row;	/* rows of layer k: row[first[k] ...] */
	uint32_t *row_of;	/* cols: the row of the same name, or NONE */
	uint64_t **rows, **col; /* n, as bits: what it reaches, itself too */
};

struct walk {
	uint32_t *number, *low, *stack, *path, stacked, depth, count;
	uint64_t *next;
};

static void enter(struct walk *w, const struct instance *in, uint32_t r)
{
	w->number[r] = w->low[r] = w->count++;
	w->next[r] = in->row_at[r];
	w->stack[w->stacked++] = r;
	w->path[w->depth++] = r;
}

static void leave(struct walk *w, struct layers *l, uint32_t r)
{
	w->depth--;
	if (w->low[r] == w->number[r]) {
		do
			l->of[w->stack[--w->stacked]] = l->n;
		while (w->stack[w->stacked] != r);
		l->n++;
	}
	if (w->depth && w->low[r] < w->low[w->path[w->depth - 1]])
		w->low[w->path[w->depth - 1]] = w->low[r];
}

static void find_layers(struct arena *a, const struct instance *in, struct layers *l)
{
	struct walk w = { .number = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
			  .low = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
			  .stack = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
			  .path = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
			  .next = ARENA_ARRAY(a, uint64_t, (size_t)in->rows + 1) };

	*l = (struct layers){ .of = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
			      .row_of = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1) };
	for (uint32_t c = 0, r = 0; c < in->cols; c++) {
		while (r < in->rows && in->row_id[r] < in->col_id[c])
			r++;
		l->row_of[c] = r < in->rows && in->row_id[r] == in->col_id[c] ? r : NONE;
	}
	memset(w.number, 0xff, sizeof(*w.number) * in->rows);
	memset(l->of, 0xff, sizeof(*l->of) * in->rows);
	for (uint32_t root = 0; root < in->rows; root++) {
		if (w.number[root] == NONE)
			enter(&w, in, root);
		while (w.depth) {
			uint32_t r = w.path[w.depth - 1], to;

			if (w.next[r] == in->row_at[r + 1]) {
				leave(&w, l, r);
				continue;
			}
			to = l->row_of[in->row_col[w.next[r]++]];
			if (to != NONE && w.number[to] == NONE)
				enter(&w, in, to);
			else if (to != NONE && l->of[to] == NONE && w.number[to] < w.low[r])
				w.low[r] = w.number[to];
		}
	}
	l->first = arena_zalloc(a, sizeof(*l->first) * ((size_t)l->n + 2));
	l->row = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1);
	for (uint32_t r = 0; r < in->rows; r++)
		l->first[l->of[r] + 2]++;
	for (uint32_t k = 0; k < l->n; k++)
		l->first[k + 2] += l->first[k + 1];
	for (uint32_t r = 0; r < in->rows; r++)
		l->row[l->first[l->of[r] + 1]++] = r;
}

static void set_bit(uint64_t *x, uint32_t i) { x[i / 64] |= (uint64_t)1 << i % 64; }

static void unite(uint64_t *x, const uint64_t *y, size_t words)
{
	for (size_t i = 0; i < words; i++)
		x[i] |= y[i];
}

static uint32_t count(const uint64_t *x, size_t words)
{
	uint32_t n = 0;

	for (size_t i = 0; i < words; i++)
		n += (uint32_t)__builtin_popcountll(x[i]);
	return n;
}

static size_t words_of(uint32_t n) { return n / 64 + 1; }

static void reach(struct arena *a, const struct instance *in, struct layers *l)
{
	size_t rows = words_of(in->rows), cols = words_of(in->cols);
	uint32_t *met = arena_zalloc(a, sizeof(*met) * ((size_t)l->n + 1)); /* by layer k: k + 1 */

	l->rows = ARENA_ARRAY(a, uint64_t *, (size_t)l->n + 1);
	l->col = ARENA_ARRAY(a, uint64_t *, (size_t)l->n + 1);
	for (uint32_t k = 0; k < l->n; k++) {
		l->rows[k] = arena_zalloc(a, sizeof(uint64_t) * rows);
		l->col[k] = arena_zalloc(a, sizeof(uint64_t) * cols);
		met[k] = k + 1;
		for (uint32_t i = l->first[k]; i < l->first[k + 1]; i++) {
			uint32_t r = l->row[i];

			set_bit(l->rows[k], r);
			for (uint64_t q = in->row_at[r]; q < in->row_at[r + 1]; q++) {
				uint32_t to = l->row_of[in->row_col[q]];

				set_bit(l->col[k], in->row_col[q]);
				if (to == NONE || met[l->of[to]] == k + 1)
					continue;
				met[l->of[to]] = k + 1;
				unite(l->rows[k], l->rows[l->of[to]], rows);
				unite(l->col[k], l->col[l->of[to]], cols);
			}
		}
	}
}

struct part {
	uint64_t *bits; /* rows */
	uint32_t rows;
};

struct learner {
	struct search *s;
	struct instance *in;
	struct arena *a;
	struct part part[3 * PARTS_MOST], *inside; /* inside: rows of what is known, by number of that */
	uint32_t parts;
};

static void add_part(struct learner *l, const uint64_t *bits)
{
	size_t words = words_of(l->in->rows);
	uint32_t rows = count(bits, words);

	if (rows < LEAST_ROWS || rows >= l->in->rows || l->parts == COUNT(l->part))
		return;
	l->part[l->parts] = (struct part){ ARENA_ARRAY(l->a, uint64_t, words), rows };
	memcpy(l->part[l->parts++].bits, bits, sizeof(*bits) * words);
}

struct size {
	uint32_t layer, cols;
};

static int by_columns(const void *x, const void *y)
{
	const struct size *a = x, *b = y;

	if (a->cols != b->cols)
		return a->cols < b->cols ? -1 : 1;
	return a->layer < b->layer ? -1 : a->layer > b->layer;
}

static void add_unions(struct learner *l, const struct layers *y)
{
	struct size *order = ARENA_ARRAY(l->a, struct size, (size_t)y->n + 1);
	size_t words = words_of(l->in->rows);
	uint64_t *all = arena_zalloc(l->a, sizeof(*all) * words);
	uint32_t last = 0;

	for (uint32_t k = 0; k < y->n; k++)
		order[k] = (struct size){ k, count(y->col[k], words_of(l->in->cols)) };
	sort_array(order, y->n, sizeof(*order), by_columns);
	for (uint32_t k = 0; k < y->n; k++) {
		uint32_t rows;

		unite(all, y->rows[order[k].layer], words);
		if ((rows = count(all, words)) > last + last / GROWTH + 1) {
			add_part(l, all);
			last = rows;
		}
	}
}

static int smaller_first(const void *x, const void *y, void *context)
{
	const struct part *a = x, *b = y;

	if (a->rows != b->rows)
		return a->rows < b->rows ? -1 : 1;
	return memcmp(a->bits, b->bits, sizeof(*a->bits) * *(const size_t *)context);
}

static bool contains(const uint64_t *x, const uint64_t *y, size_t words)
{
	for (size_t i = 0; i < words; i++)
		if (y[i] & ~x[i])
			return false;
	return true;
}

/* The part as an instance, with what is known of parts inside it; col: its columns' numbers in the block. */
static void cut_part(struct arena *a, const struct learner *l, const struct part *p, struct instance *out,
		     uint32_t **col)
{
	struct instance *in = l->in, known = *in;
	uint32_t *row = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1), rows = 0,
		 *scratch = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	uint8_t *use = arena_alloc(a, (size_t)in->cols + 1);

	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	memset(use, 1, in->cols);
	for (uint32_t r = 0; r < in->rows; r++)
		if (p->bits[r / 64] >> r % 64 & 1)
			row[rows++] = r;
	instance_part(a, out, in, row, rows, use, in->demand, in->w, scratch);
	*col = ARENA_ARRAY(a, uint32_t, (size_t)out->cols + 1);
	for (uint32_t k = 0, at = 0; k < out->cols; k++) {
		while (in->col_id[at] != out->col_id[k])
			at++;
		(*col)[k] = at;
	}
	known.known = ARENA_ARRAY(a, struct cut, (size_t)in->knowns + 1);
	known.knowns = 0;
	for (uint32_t q = 0; q < in->knowns; q++)
		if (contains(p->bits, l->inside[q].bits, words_of(in->rows)))
			known.known[known.knowns++] = in->known[q];
	instance_know(a, out, &known, *col, NULL, NULL);
}

static void learn_part(struct learner *l, const struct part *p, uint64_t work)
{
	struct search s = { .node_budget = work / SEARCH_WORK + 1, .deadline = l->s->deadline };
	struct instance *in = l->in, part;
	struct arena a = { 0 };
	uint32_t *col, bound;
	weight relaxed;

	cut_part(&a, l, p, &part, &col);
	bound = (uint32_t)search_bound(&s, &part, &relaxed);
	l->s->work += s.work;
	l->s->nodes += s.nodes;
	l->s->pivots += s.pivots;
	l->s->timed_out |= s.timed_out;
	if (relaxed < (weight)bound * PACKING_SCALE) {
		struct cut *new = &in->known[in->knowns];

		*new = (struct cut){ part.cols, ARENA_ARRAY(l->a, uint32_t, (size_t)part.cols + 1),
				     ARENA_ARRAY(l->a, uint32_t, (size_t)part.cols + 1), bound };
		for (uint32_t k = 0; k < part.cols; k++) {
			new->col[k] = col[k];
			new->factor[k] = 1;
		}
		l->inside[in->knowns++] = *p;
	}
	arena_release(&a);
}

bool parts_learn(struct arena *a, struct search *s, struct instance *in, uint64_t work)
{
	struct learner *l = arena_zalloc(a, sizeof(*l));
	uint64_t end = s->work + work;
	size_t words = words_of(in->rows);
	struct layers y;

	*l = (struct learner){ .s = s, .in = in, .a = a };
	find_layers(a, in, &y);
	for (uint32_t k = 0; k < y.n; k++)
		if (y.first[k + 1] - y.first[k] > in->rows - in->rows / ONE_LAYER)
			return false;
	reach(a, in, &y);
	for (uint32_t k = 0; k < y.n && l->parts < 2 * PARTS_MOST; k++) {
		uint64_t *own = arena_zalloc(a, sizeof(*own) * words);

		for (uint32_t i = y.first[k]; i < y.first[k + 1]; i++)
			set_bit(own, y.row[i]);
		add_part(l, own);
		add_part(l, y.rows[k]);
	}
	add_unions(l, &y);
	qsort_r(l->part, l->parts, sizeof(*l->part), smaller_first, &words);
	in->known = ARENA_ARRAY(a, struct cut, (size_t)l->parts + 1);
	l->inside = ARENA_ARRAY(a, struct part, (size_t)l->parts + 1);
	for (uint32_t k = 0; k < l->parts && s->work < end; k++)
		if (!k || smaller_first(&l->part[k], &l->part[k - 1], &words))
			learn_part(l, &l->part[k], (end - s->work) / SHARE);
	return in->knowns > 0;
}
