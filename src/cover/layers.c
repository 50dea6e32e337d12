/* cover/layers.c -- see layers.h. */
#include "cover/layers.h"

#include <string.h>

#define NONE UINT32_MAX

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

void bits_unite(uint64_t *x, const uint64_t *y, size_t words)
{
	for (size_t i = 0; i < words; i++)
		x[i] |= y[i];
}

uint32_t bits_count(const uint64_t *x, size_t words)
{
	uint32_t n = 0;

	for (size_t i = 0; i < words; i++)
		n += (uint32_t)__builtin_popcountll(x[i]);
	return n;
}

static void reach(struct arena *a, const struct instance *in, struct layers *l)
{
	size_t rows = bits_words(in->rows), cols = bits_words(in->cols);
	uint32_t *met = arena_zalloc(a, sizeof(*met) * ((size_t)l->n + 1)); /* by layer k: k + 1 */

	l->rows = ARENA_ARRAY(a, uint64_t *, (size_t)l->n + 1);
	l->col = ARENA_ARRAY(a, uint64_t *, (size_t)l->n + 1);
	for (uint32_t k = 0; k < l->n; k++) {
		l->rows[k] = arena_zalloc(a, sizeof(uint64_t) * rows);
		l->col[k] = arena_zalloc(a, sizeof(uint64_t) * cols);
		met[k] = k + 1;
		for (uint32_t i = l->first[k]; i < l->first[k + 1]; i++) {
			uint32_t r = l->row[i];

			bits_set(l->rows[k], r);
			for (uint64_t q = in->row_at[r]; q < in->row_at[r + 1]; q++) {
				uint32_t to = l->row_of[in->row_col[q]];

				bits_set(l->col[k], in->row_col[q]);
				if (to == NONE || met[l->of[to]] == k + 1)
					continue;
				met[l->of[to]] = k + 1;
				bits_unite(l->rows[k], l->rows[l->of[to]], rows);
				bits_unite(l->col[k], l->col[l->of[to]], cols);
			}
		}
	}
}

bool bits_contain(const uint64_t *x, const uint64_t *y, size_t words)
{
	for (size_t i = 0; i < words; i++)
		if (y[i] & ~x[i])
			return false;
	return true;
}

void layers_find(struct arena *a, const struct instance *in, struct layers *l)
{
	find_layers(a, in, l);
	reach(a, in, l);
}
