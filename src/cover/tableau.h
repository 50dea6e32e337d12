/* cover/tableau.h -- the simplex method on the packing side of a covering instance, dense and condensed.
 *
 * A line per column of the instance (its slack), a column per variable; the packing problem has a feasible start (all
 * zero), so one phase is enough, and a variable may be added at any time: what is solved stays feasible, and goes on
 * from there.  That is how rows are priced in where there are too many for a tableau, and how cuts come in (cuts.h).
 *
 * A column of the instance may be fixed, taken or refused: its line goes, and what is left goes on from there too.  That
 * is how a branch of a search begins where its parent ended (search.c).
 *
 * Variables are named by numbers: r < rows is the value u(r) of a row, rows + c the slack of a column, and from
 * rows + cols on those that were added with tableau_add under names of the caller's.
 *
 * Memory: 8 bytes * (cols + 1) * (room + 1).  A pivot costs at most that many operations.
 */
#ifndef WINNOW_COVER_TABLEAU_H
#define WINNOW_COVER_TABLEAU_H
#include "cover/instance.h"

struct tableau {
	uint32_t lines, columns, room; /* without the last line (costs) and column 0 (right-hand side) */
	uint32_t rows, cols;	       /* of the instance */
	size_t width;
	double *cell;
	uint32_t *basic, *free_; /* what a line stands for; what a column (from 1) stands for */
	double *edge;		 /* by column: how long its edge is (Devex) */
	uint32_t *place, *line;	 /* scratch of tableau_add: the column or the line of each slack */
	uint64_t pivots, work;	 /* work: numbers touched */
};

/* right[c]: what column c's load may come to.  room: the most columns that it will hold. */
void tableau_init(struct arena *a, struct tableau *t, const struct instance *in, const double *right, uint32_t room);

struct tableau_term {
	uint32_t col;
	double factor;
};
/* A variable that weighs factor on each col, once in each, and gains `gain` a unit; false if there is no room. */
bool tableau_add(struct tableau *t, uint32_t name, const struct tableau_term *term, size_t n, double gain);
/* Takes out variables that are 0 and not worth having, from name `first` on and before `end`. */
void tableau_purge(struct tableau *t, uint32_t first, uint32_t end);
/* All that are 0. */
void tableau_drop(struct tableau *t, uint32_t first, uint32_t end);
/* Takes out the values of rows that are 0 and not needed. */
void tableau_forget(struct tableau *t, const uint8_t *row_needed);

/* The same with room for `spare` more columns than it has. */
void tableau_copy(struct arena *a, struct tableau *t, const struct tableau *from, uint32_t spare);
/* Takes the instance's column c (its load may then be anything, and what it leaves of its weight counts), or refuses it
 * (its load may be anything).  False if nothing bounds the sum any more; the tableau is then of no use. */
bool tableau_fix(struct tableau *t, uint32_t c, bool taken);

/* To the optimum of what is in it; false if `pivots` more of them, `work` counted from its making, or a sum beyond
 * `enough` came first. */
bool tableau_solve(struct tableau *t, uint64_t pivots, uint64_t work, double enough);
/* What the sum has come to, in the units of `right`. */
static inline double tableau_value(const struct tableau *t) { return t->cell[(size_t)t->lines * t->width]; }

static inline double *tableau_line(const struct tableau *t, uint32_t i) { return t->cell + (size_t)i * t->width; }
static inline bool tableau_is_slack(const struct tableau *t, uint32_t name)
{
	return name >= t->rows && name - t->rows < t->cols;
}
/* The fractional cover that the costs show, of the columns that are not fixed. */
void tableau_cover(const struct tableau *t, double *x);
#endif
