/* cover/reduce.h -- make an instance smaller without changing its optimum.
 *
 * Rules, applied until none applies (w = weight, k = demand still open):
 *	a row with as many columns as demand	takes them all
 *	rows e, f: e's columns all in f, k(e) >= k(f)	drops row f
 *	columns s, t: s's rows all in t, w(t) <= w(s)	drops column s; if s is in
 *		a quota's row that asks for k more, only when k such t are there
 * Each rule also keeps the bound of the linear relaxation, so dual values of
 * what is left, with those noted here, are dual values of the whole.
 */
#ifndef WINNOW_COVER_REDUCE_H
#define WINNOW_COVER_REDUCE_H
#include "cover/instance.h"

#define REDUCE_NONE UINT32_MAX

struct reduction {
	uint8_t *row_alive, *col_alive; /* what is left */
	uint8_t *taken;			/* columns in the cover */
	uint32_t *demand;		/* still open */
	uint32_t *why;			/* for a taken column the row that had no other; REDUCE_NONE if not taken */
	uint32_t rows_left, cols_left, taken_count;
	bool infeasible; /* some row has fewer columns than its demand */
};

/* All arrays from the arena. */
void reduce(struct arena *a, const struct instance *in, struct reduction *out);
#endif
