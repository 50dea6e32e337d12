/* cover/instance.c -- building and cutting instances; all passes are linear in what they touch,
 * but for instance_part, which sorts the columns it meets. */
#include "cover/instance.h"
#include "base/vec.h"

#include <stdlib.h>

#include "base/mem.h"

#define UNSEEN UINT32_MAX

void instance_transpose(struct arena *a, struct instance *in)
{
	uint64_t edges = in->row_at[in->rows];
	uint64_t *at = arena_zalloc(a, sizeof(*at) * ((size_t)in->cols + 2));

	for (uint64_t i = 0; i < edges; i++)
		at[in->row_col[i] + 2]++;
	for (uint32_t c = 0; c < in->cols; c++)
		at[c + 2] += at[c + 1];
	in->col_row = ARENA_ARRAY(a, uint32_t, edges + 1);
	for (uint32_t r = 0; r < in->rows; r++)
		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++)
			in->col_row[at[in->row_col[i] + 1]++] = r;
	in->col_at = at;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

void instance_part(struct arena *a, struct instance *out, const struct instance *in, const uint32_t *row, uint32_t rows,
		   const uint8_t *use_col, const uint32_t *demand, const weight *w, uint32_t *scratch)
{
	uint64_t edges = 0, at = 0;
	uint32_t cols = 0, *met;

	for (uint32_t i = 0; i < rows; i++)
		for (uint64_t k = in->row_at[row[i]]; k < in->row_at[row[i] + 1]; k++)
			edges += use_col[in->row_col[k]] != 0;
	met = ARENA_ARRAY(a, uint32_t, edges + 1);
	for (uint32_t i = 0; i < rows; i++)
		for (uint64_t k = in->row_at[row[i]]; k < in->row_at[row[i] + 1]; k++)
			if (use_col[in->row_col[k]] && scratch[in->row_col[k]] == UNSEEN) {
				scratch[in->row_col[k]] = 0;
				met[cols++] = in->row_col[k];
			}
	sort_array(met, cols, sizeof(*met), by_number);
	for (uint32_t c = 0; c < cols; c++)
		scratch[met[c]] = c;

	*out = (struct instance){ .rows = rows, .cols = cols };
	out->row_at = ARENA_ARRAY(a, uint64_t, (size_t)rows + 1);
	out->row_col = ARENA_ARRAY(a, uint32_t, edges + 1);
	out->demand = ARENA_ARRAY(a, uint32_t, (size_t)rows + 1);
	out->row_id = ARENA_ARRAY(a, uint32_t, (size_t)rows + 1);
	out->col_id = ARENA_ARRAY(a, uint32_t, (size_t)cols + 1);
	out->w = ARENA_ARRAY(a, weight, (size_t)cols + 1);
	for (uint32_t i = 0; i < rows; i++) {
		out->row_at[i] = at;
		out->demand[i] = demand[row[i]];
		out->row_id[i] = in->row_id[row[i]];
		for (uint64_t k = in->row_at[row[i]]; k < in->row_at[row[i] + 1]; k++)
			if (use_col[in->row_col[k]])
				out->row_col[at++] = scratch[in->row_col[k]];
	}
	out->row_at[rows] = at;
	for (uint32_t c = 0; c < cols; c++) {
		out->col_id[c] = in->col_id[met[c]];
		out->w[c] = w[met[c]];
		scratch[met[c]] = UNSEEN;
	}
	instance_transpose(a, out);
}

void instance_know(struct arena *a, struct instance *out, const struct instance *in, const uint32_t *col,
		   const uint8_t *taken, const uint8_t *open)
{
	uint32_t *to;

	out->knowns = 0;
	if (!in->knowns)
		return;
	out->known = ARENA_ARRAY(a, struct cut, in->knowns);
	to = mem_array((size_t)in->cols + 1, sizeof(*to));
	memset(to, 0xff, sizeof(*to) * in->cols);
	for (uint32_t k = 0; k < out->cols; k++)
		to[col[k]] = k;
	for (uint32_t q = 0; q < in->knowns; q++) {
		const struct cut *old = &in->known[q];
		struct cut new = { 0, ARENA_ARRAY(a, uint32_t, old->n), ARENA_ARRAY(a, uint32_t, old->n), 0 };
		uint64_t counted = 0;
		bool astray = false;

		for (uint32_t i = 0; i < old->n; i++) {
			uint32_t c = old->col[i];

			if (taken && taken[c]) {
				counted += old->factor[i];
			} else if (to[c] != UNSEEN) {
				new.col[new.n] = to[c];
				new.factor[new.n++] = old->factor[i];
			} else {
				astray |= open && open[c];
			}
		}
		if (astray || counted >= old->least || !new.n)
			continue;
		new.least = old->least - (uint32_t)counted;
		out->known[out->knowns++] = new;
	}
	mem_free(to);
}

uint32_t instance_blocks(const struct instance *in, const uint8_t *row_alive, const uint8_t *col_alive, uint32_t *block)
{
	uint32_t *queue = mem_array((size_t)in->rows + 1, sizeof(*queue)), blocks = 0;
	uint8_t *col_seen = mem_zarray((size_t)in->cols + 1, 1);

	for (uint32_t r = 0; r < in->rows; r++)
		block[r] = UNSEEN;
	for (uint32_t first = 0; first < in->rows; first++) {
		uint32_t head = 0, tail = 0;

		if (!row_alive[first] || block[first] != UNSEEN)
			continue;
		block[first] = blocks;
		queue[tail++] = first;
		while (head < tail) {
			uint32_t r = queue[head++];

			for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++) {
				uint32_t c = in->row_col[i];

				if (!col_alive[c] || col_seen[c])
					continue;
				col_seen[c] = 1;
				for (uint64_t k = in->col_at[c]; k < in->col_at[c + 1]; k++)
					if (row_alive[in->col_row[k]] && block[in->col_row[k]] == UNSEEN) {
						block[in->col_row[k]] = blocks;
						queue[tail++] = in->col_row[k];
					}
			}
		}
		blocks++;
	}
	mem_free(queue);
	mem_free(col_seen);
	return blocks;
}

bool instance_covered(const struct instance *in, const uint8_t *taken)
{
	for (uint32_t r = 0; r < in->rows; r++) {
		uint32_t left = in->demand[r];

		for (uint64_t i = in->row_at[r]; left && i < in->row_at[r + 1]; i++)
			left -= taken[in->row_col[i]];
		if (left)
			return false;
	}
	return true;
}

weight instance_cost(const struct instance *in, const uint8_t *taken)
{
	weight sum = 0;

	for (uint32_t c = 0; c < in->cols; c++)
		if (taken[c])
			sum += in->w[c];
	return sum;
}
