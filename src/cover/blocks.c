/* cover/blocks.c -- two passes of components: without quotas to see which are loose, then with the others. */
#include "cover/blocks.h"

#define NONE UINT32_MAX

static void col_blocks(const struct instance *in, const struct reduction *red, const uint8_t *row_use,
		       const uint32_t *row_block, uint32_t *out)
{
	for (uint32_t c = 0; c < in->cols; c++) {
		out[c] = NONE;
		if (!red->col_alive[c])
			continue;
		for (uint64_t i = in->col_at[c]; out[c] == NONE && i < in->col_at[c + 1]; i++)
			if (row_use[in->col_row[i]])
				out[c] = row_block[in->col_row[i]];
	}
}

/* Which quotas hold all columns of the blocks they touch. */
static void find_loose(struct arena *a, const struct instance *in, const struct reduction *red, uint32_t n,
		       const uint8_t *join, struct blocks *b, const uint8_t *row_use, uint32_t blocks)
{
	uint32_t *size = arena_zalloc(a, sizeof(*size) * ((size_t)blocks + 1)),
		 *mine = arena_zalloc(a, sizeof(*mine) * ((size_t)blocks + 1));

	col_blocks(in, red, row_use, b->row_block, b->col_block);
	for (uint32_t c = 0; c < in->cols; c++)
		if (b->col_block[c] != NONE)
			size[b->col_block[c]]++;
	for (uint32_t r = 0; r < in->rows; r++) {
		bool loose = red->row_alive[r] && in->row_id[r] >= n && !(join && join[r]);

		if (!loose)
			continue;
		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++)
			if (b->col_block[in->row_col[i]] != NONE)
				mine[b->col_block[in->row_col[i]]]++;
		for (uint64_t i = in->row_at[r]; loose && i < in->row_at[r + 1]; i++) {
			uint32_t k = b->col_block[in->row_col[i]];

			loose = k == NONE || mine[k] == size[k];
		}
		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++)
			if (b->col_block[in->row_col[i]] != NONE)
				mine[b->col_block[in->row_col[i]]] = 0;
		b->loose[r] = loose;
	}
}

void blocks_find(struct arena *a, const struct instance *in, const struct reduction *red, uint32_t n,
		 const uint8_t *join, struct blocks *b)
{
	uint8_t *use = arena_alloc(a, (size_t)in->rows + 1);
	uint32_t *at;
	bool quotas = false;

	b->row_block = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1);
	b->col_block = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	b->rows = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1);
	b->loose = arena_zalloc(a, (size_t)in->rows + 1);
	for (uint32_t r = 0; r < in->rows; r++) {
		use[r] = red->row_alive[r] && in->row_id[r] < n;
		quotas |= red->row_alive[r] && in->row_id[r] >= n;
	}
	b->n = instance_blocks(in, use, red->col_alive, b->row_block);
	if (quotas) {
		find_loose(a, in, red, n, join, b, use, b->n);
		for (uint32_t r = 0; r < in->rows; r++)
			use[r] = red->row_alive[r] && !b->loose[r];
		b->n = instance_blocks(in, use, red->col_alive, b->row_block);
	}
	col_blocks(in, red, use, b->row_block, b->col_block);
	at = arena_zalloc(a, sizeof(*at) * ((size_t)b->n + 2));
	for (uint32_t r = 0; r < in->rows; r++)
		if (b->row_block[r] != NONE)
			at[b->row_block[r] + 2]++;
	for (uint32_t k = 0; k < b->n; k++)
		at[k + 2] += at[k + 1];
	for (uint32_t r = 0; r < in->rows; r++)
		if (b->row_block[r] != NONE)
			b->rows[at[b->row_block[r] + 1]++] = r;
	b->row_first = at;
}

void blocks_cut(struct arena *a, const struct instance *in, const struct reduction *red, const struct blocks *b,
		uint32_t k, const weight *w, uint32_t *scratch, struct instance *out)
{
	instance_part(a, out, in, b->rows + b->row_first[k], b->row_first[k + 1] - b->row_first[k], red->col_alive,
		      red->demand, w, scratch);
}
