/* cover/round.c -- see round.h. */
#include "cover/round.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

struct ranked {
	double key;
	uint32_t col;
};

static int by_key(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return a->col < b->col ? -1 : a->col > b->col;
}

static int by_weight(const void *x, const void *y, void *context)
{
	const weight *w = context;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (w[a] != w[b])
		return w[a] > w[b] ? -1 : 1;
	return a > b ? -1 : a < b;
}

/* Takes out what the rest covers anyway, the dearest first. */
static void drop_redundant(const struct instance *in, uint8_t *taken)
{
	uint32_t *count = mem_zarray((size_t)in->rows + 1, sizeof(*count)),
		 *list = mem_array((size_t)in->cols + 1, sizeof(*list)), n = 0;

	for (uint32_t c = 0; c < in->cols; c++)
		if (taken[c]) {
			list[n++] = c;
			for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
				count[in->col_row[i]]++;
		}
	qsort_r(list, n, sizeof(*list), by_weight, in->w);
	for (uint32_t k = 0; k < n; k++) {
		bool needed = false;
		uint32_t c = list[k];

		for (uint64_t i = in->col_at[c]; !needed && i < in->col_at[c + 1]; i++)
			needed = count[in->col_row[i]] <= in->demand[in->col_row[i]];
		if (needed)
			continue;
		taken[c] = 0;
		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			count[in->col_row[i]]--;
	}
	mem_free(count);
	mem_free(list);
}

/* Columns in falling order of x, each if it still covers something. */
static void round_fraction(const struct instance *in, const double *x, uint8_t *taken)
{
	struct ranked *order = mem_array((size_t)in->cols + 1, sizeof(*order));
	uint32_t *open = mem_array((size_t)in->rows + 1, sizeof(*open));

	for (uint32_t c = 0; c < in->cols; c++)
		order[c] = (struct ranked){ x[c], c };
	sort_array(order, in->cols, sizeof(*order), by_key);
	memcpy(open, in->demand, sizeof(*open) * in->rows);
	memset(taken, 0, in->cols);
	for (uint32_t k = 0; k < in->cols; k++) {
		uint32_t c = order[k].col;
		bool useful = false;

		for (uint64_t i = in->col_at[c]; !useful && i < in->col_at[c + 1]; i++)
			useful = open[in->col_row[i]] > 0;
		if (!useful)
			continue;
		taken[c] = 1;
		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			open[in->col_row[i]] -= open[in->col_row[i]] > 0;
	}
	mem_free(order);
	mem_free(open);
	drop_redundant(in, taken);
}

/* Greedy by gain per weight, with a lazy heap: gains only fall, so a column
 * whose gain is still true when it comes to the top is the best. */
void round_complete(const struct instance *in, uint8_t *taken)
{
	struct ranked *heap = mem_array((size_t)in->cols + 1, sizeof(*heap));
	uint32_t *open = mem_array((size_t)in->rows + 1, sizeof(*open)), n = 0;
	uint64_t left = 0;

	memcpy(open, in->demand, sizeof(*open) * in->rows);
	for (uint32_t c = 0; c < in->cols; c++)
		for (uint64_t i = in->col_at[c]; taken[c] && i < in->col_at[c + 1]; i++)
			open[in->col_row[i]] -= open[in->col_row[i]] > 0;
	for (uint32_t r = 0; r < in->rows; r++)
		left += open[r];
	for (uint32_t c = 0; c < in->cols; c++)
		if (!taken[c])
			heap[n++] =
			    (struct ranked){ (double)(in->col_at[c + 1] - in->col_at[c]) / (double)in->w[c], c };
	sort_array(heap, n, sizeof(*heap), by_key); /* a sorted array is a heap */
	while (left && n) {
		uint32_t c = heap[0].col, gain = 0, at = 0;

		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			gain += open[in->col_row[i]] > 0;
		if (gain && (double)gain / (double)in->w[c] == heap[0].key) {
			taken[c] = 1;
			left -= gain;
			for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
				open[in->col_row[i]] -= open[in->col_row[i]] > 0;
			gain = 0;
		}
		if (gain)
			heap[0].key = (double)gain / (double)in->w[c];
		else
			heap[0] = heap[--n];
		for (;;) { /* sift down */
			uint32_t child = 2 * at + 1;
			struct ranked moved = heap[at];

			if (child >= n)
				break;
			if (child + 1 < n && by_key(&heap[child + 1], &heap[child]) < 0)
				child++;
			if (by_key(&moved, &heap[child]) < 0)
				break;
			heap[at] = heap[child];
			heap[child] = moved;
			at = child;
		}
	}
	mem_free(heap);
	mem_free(open);
	drop_redundant(in, taken);
}

void round_cover(const struct instance *in, const double *x, uint8_t *taken)
{
	uint8_t *other;

	memset(taken, 0, in->cols);
	round_complete(in, taken);
	if (!x)
		return;
	other = mem_zarray((size_t)in->cols + 1, 1);
	round_fraction(in, x, other);
	if (instance_cost(in, other) <= instance_cost(in, taken))
		memcpy(taken, other, in->cols);
	mem_free(other);
}
