/* cover/solve.h -- the minimum of an instance with its proof, then the best of the minima.
 *
 * solve_size finds the fewest columns and dual values.  solve_value finds,
 * among covers of that size, the one of the greatest value: columns that no
 * cover of that size can hold (the dual values tell) are left out, the rest is
 * reduced and searched with weights that order by size, then value.
 */
#ifndef WINNOW_COVER_SOLVE_H
#define WINNOW_COVER_SOLVE_H
#include "cover/open.h"
#include "cover/search.h"

struct solved_block {	      /* an independent part of what reductions left */
	uint32_t first, cols; /* its columns: solved.block_col[first ...], documents */
	uint32_t cost, lower, certified;
	uint8_t status; /* enum cover_status */
};

struct solved {
	uint8_t *kept;	   /* n */
	uint32_t *y;	   /* n, over PACKING_SCALE */
	uint32_t *group_y; /* groups */
	struct solved_block *block;
	uint32_t blocks;
	uint32_t *block_col;
	uint64_t nodes, pivots, rows_left, cols_left, forced;
	bool timed_out;
};

struct solve_limits {
	uint64_t nodes; /* per block */
	double deadline;
	struct effort *effort;
};

void solve_size(struct arena *a, const struct cover_problem *p, const struct open *o, const struct solve_limits *l,
		struct solved *out);

/* kept[] becomes a cover of the same size and greatest value in every
 * component (component[d] < components; open quotas join components) of which
 * minimum[] says that its size is proven; best[c] says whether the value is.
 * Other components stay as they are. */
void solve_value(struct arena *a, const struct cover_problem *p, const struct open *o, const struct solve_limits *l,
		 struct solved *s, const uint32_t *component, uint32_t components, const uint8_t *minimum,
		 uint8_t *best);
#endif
