/* cover/blocks.h -- what reductions left, cut into blocks; and quotas that need no row.
 *
 * A quota whose group holds every column of the blocks it touches needs no
 * search: any cover of those blocks has all its columns in the group, so the
 * quota only asks for more of them if the blocks need too few.  Such quotas
 * are `loose`: their rows are left out, and whoever solves adds what is
 * missing ("padding").
 */
#ifndef WINNOW_COVER_BLOCKS_H
#define WINNOW_COVER_BLOCKS_H
#include "cover/reduce.h"

struct blocks {
	uint32_t n;
	uint32_t *row_block; /* rows of the instance; UINT32_MAX if none */
	uint32_t *row_first; /* n + 1 into rows */
	uint32_t *rows;	     /* alive rows by block */
	uint8_t *loose;	     /* rows: a quota without a row */
	uint32_t *col_block; /* cols: the block of an alive column; UINT32_MAX if none */
};

/* quota rows are those with row_id >= n.  join[r] (may be NULL) forbids that row r becomes loose. */
void blocks_find(struct arena *a, const struct instance *in, const struct reduction *red, uint32_t n,
		 const uint8_t *join, struct blocks *out);
/* One of them as an instance; scratch: in->cols numbers, all UINT32_MAX. */
void blocks_cut(struct arena *a, const struct instance *in, const struct reduction *red, const struct blocks *b,
		uint32_t k, const weight *w, uint32_t *scratch, struct instance *out);
#endif
