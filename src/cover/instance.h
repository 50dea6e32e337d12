/* cover/instance.h -- a covering problem in the small: rows, columns, weights.
 *
 * Rows must be covered (demand times), columns may be taken.  A document is
 * a row (it must be covered) and a column (it may be kept); a quota is a row
 * with its group's members as columns.  Both directions are stored as CSR with
 * ascending lists.  Instances are immutable; reduce.c looks at one through
 * flags, and instance_part cuts what is left out of it.
 *
 * Weights are positive integers of 128 bits, all 1 when only the number of
 * documents matters.  With a preference they are made so that one scalar
 * orders covers by size, then value (value.c).
 */
#ifndef WINNOW_COVER_INSTANCE_H
#define WINNOW_COVER_INSTANCE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef __int128 weight;
#define WEIGHT_MAX ((weight)1 << 100) /* more than any sum of weights that occurs */

/* What every cover satisfies: the sum of factor * x(col) is at least `least`. */
struct cut {
	uint32_t n;
	uint32_t *col, *factor;
	uint32_t least;
	const uint64_t *rows; /* bits: the rows that it follows from, or NULL where that is not known */
};

struct instance {
	uint32_t rows, cols;
	uint64_t *row_at, *col_at;   /* rows + 1, cols + 1 */
	uint32_t *row_col, *col_row; /* columns of each row, rows of each column */
	uint32_t *demand;	     /* rows; > 1 only for quotas */
	weight *w;		     /* cols */
	uint32_t *row_id, *col_id;   /* the caller's names, ascending */
	/* What is known beside the rows, which imply it for whole numbers: relaxations may use it, reductions need not
	 * look at it, as any of the covers that they leave satisfies it. */
	struct cut *known;
	uint32_t knowns;
};

/* col_at and col_row from row_at and row_col. */
void instance_transpose(struct arena *a, struct instance *in);

/* The part of `in` with the rows listed and the columns for which use_col is
 * set and that occur in them; both keep their order.  row_id and col_id are
 * carried over.  demand and w are taken from the arrays given (by old number).
 * scratch: cols + 1 numbers. */
void instance_part(struct arena *a, struct instance *out, const struct instance *in, const uint32_t *row, uint32_t rows,
		   const uint8_t *use_col, const uint32_t *demand, const weight *w, uint32_t *scratch);

/* What is known of `in` as far as it says something of its part `out`: col[k] is the number of out's column k in `in`;
 * taken (by column of `in`, or NULL) counts; columns of `in` that are neither taken nor in `out` are refused, but for
 * those that `open` (or NULL) has: they may be taken elsewhere, and what is known of them says nothing of `out`. */
void instance_know(struct arena *a, struct instance *out, const struct instance *in, const uint32_t *col,
		   const uint8_t *taken, const uint8_t *open);

/* Weakly connected blocks of the alive rows and columns: block[r] for alive
 * rows, numbered by first row; returns how many. */
uint32_t instance_blocks(const struct instance *in, const uint8_t *row_alive, const uint8_t *col_alive,
			 uint32_t *block);

/* Does `taken` (by column) cover every row? */
bool instance_covered(const struct instance *in, const uint8_t *taken);
weight instance_cost(const struct instance *in, const uint8_t *taken);
#endif
