/* cover/value.c -- among the smallest covers, the one most like the previous, then the most preferred.
 *
 * 1. The dual values say which columns a minimum cover can hold at all.  Let
 *    rows with y > 0 be joined where a column touches both; a class of them
 *    with sum Y needs ceil(Y) columns, and if those add up to the size of the
 *    cover then a minimum cover has no column that touches no class, and none
 *    whose load falls short of 1 by more than ceil(Y) - Y.
 * 2. Quotas are first left out unless they have a value; those the answer
 *    breaks are put in and the search is made again: an optimum that needs no
 *    quota's row to satisfy it is an optimum with it.
 * 3. What is left is reduced by value and cut into blocks.  In each, weights
 *    M - v with v = previous * (range + 1) + prefer (as small integers: less
 *    the least, over the common divisor) and M above any sum of v make one
 *    number of size and value, and search_cover does the rest.
 */
#include <stdlib.h>

#include "base/forest.h"
#include "base/mem.h"
#include "cover/blocks.h"
#include "cover/solve.h"

#define NONE UINT32_MAX
#define VALUE_BITS 78 /* weights stay below 2^78: times PACKING_SCALE, summed over 2^20 rows, below 2^118 */

struct job {
	struct arena *a;
	const struct cover_problem *p;
	const struct open *o;
	const struct instance *in;
	const struct solve_limits *limits;
	struct solved *s;
	const uint32_t *component;
	const uint8_t *minimum;
	uint8_t *best;
	uint8_t *use_col, *use_row; /* of in */
	uint8_t *kept;		    /* n: the new cover */
};

static uint32_t dual_of(const struct job *j, uint32_t row)
{
	uint32_t id = j->in->row_id[row];

	return id < j->p->n ? j->s->y[id] : j->s->group_y[id - j->p->n];
}

/* Marks in use_col what a minimum cover can hold. */
static void choose_columns(struct job *j, uint32_t components)
{
	const struct instance *in = j->in;
	uint32_t *class_ = ARENA_ARRAY(j->a, uint32_t, (size_t)in->rows + 1),
		 *col_class = ARENA_ARRAY(j->a, uint32_t, (size_t)in->cols + 1);
	uint64_t *sum = arena_zalloc(j->a, sizeof(*sum) * ((size_t)in->rows + 1)),
		 *need = arena_zalloc(j->a, sizeof(*need) * ((size_t)components + 1));
	uint64_t *load = arena_zalloc(j->a, sizeof(*load) * ((size_t)in->cols + 1)),
		 *have = arena_zalloc(j->a, sizeof(*have) * ((size_t)components + 1));

	forest_init(class_, in->rows);
	for (uint32_t c = 0; c < in->cols; c++) {
		uint32_t first = NONE;

		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++) {
			uint32_t r = in->col_row[i], y = dual_of(j, r);

			if (!y)
				continue;
			load[c] += y;
			if (first == NONE)
				first = r;
			else
				forest_unite(class_, r, first);
		}
		col_class[c] = first;
		have[j->component[in->col_id[c]]] += j->s->kept[in->col_id[c]];
	}
	for (uint32_t r = 0; r < in->rows; r++)
		sum[forest_root(class_, r)] += (uint64_t)dual_of(j, r) * in->demand[r];
	for (uint32_t r = 0; r < in->rows; r++)
		if (class_[r] == r && sum[r])
			need[j->component[in->col_id[in->row_col[in->row_at[r]]]]] +=
			    (sum[r] + PACKING_SCALE - 1) / PACKING_SCALE;
	for (uint32_t c = 0; c < in->cols; c++) {
		uint32_t k = j->component[in->col_id[c]];
		uint64_t Y;

		j->use_col[c] = j->minimum[k];
		if (!j->minimum[k] || need[k] != have[k])
			continue;
		j->use_col[c] = 0;
		if (col_class[c] == NONE)
			continue;
		Y = sum[forest_root(class_, col_class[c])];
		j->use_col[c] = PACKING_SCALE - load[c] <= (PACKING_SCALE - Y % PACKING_SCALE) % PACKING_SCALE;
	}
}

static uint64_t gcd(uint64_t x, uint64_t y)
{
	while (y) {
		uint64_t r = x % y;

		x = y;
		y = r;
	}
	return x;
}

/* One number for size and value.  False if the values had to be rounded. */
static bool scalar_weights(const struct cover_problem *p, struct instance *in)
{
	int64_t least = INT64_MAX;
	uint64_t divisor = 0;
	unsigned __int128 range = 0, top = 0;
	unsigned shift = 0;

	for (uint32_t c = 0; p->prefer && c < in->cols; c++)
		if (p->prefer[in->col_id[c]] < least)
			least = p->prefer[in->col_id[c]];
	for (uint32_t c = 0; p->prefer && c < in->cols; c++)
		divisor = gcd((uint64_t)p->prefer[in->col_id[c]] - (uint64_t)least, divisor);
	for (uint32_t c = 0; p->prefer && divisor && c < in->cols; c++) {
		uint64_t v = ((uint64_t)p->prefer[in->col_id[c]] - (uint64_t)least) / divisor;

		if (v > range)
			range = v;
	}
	for (;; shift++) { /* a shift is needed only for absurd values in huge blocks */
		top = (range >> shift) + (p->previous ? (range >> shift) * in->cols + 1 : 0);
		if (top < ((unsigned __int128)1 << VALUE_BITS) / ((unsigned __int128)in->cols + 1))
			break;
	}
	for (uint32_t c = 0; c < in->cols; c++) {
		uint32_t d = in->col_id[c];
		weight v = p->prefer && divisor
			       ? (weight)((((uint64_t)p->prefer[d] - (uint64_t)least) / divisor) >> shift)
			       : 0;

		if (p->previous && p->previous[d])
			v += (weight)(range >> shift) * in->cols + 1;
		in->w[c] = (weight)top * in->cols + 1 - v;
	}
	return shift == 0;
}

static void solve_block(struct job *j, const struct instance *whole, const struct reduction *red,
			const struct blocks *b, uint32_t k, uint32_t *scratch)
{
	struct search s = { .node_budget = j->limits->nodes, .deadline = j->limits->deadline };
	struct arena a = { 0 };
	struct instance in;
	uint8_t *taken;
	bool exact, found;

	blocks_cut(&a, whole, red, b, k, whole->w, scratch, &in);
	exact = scalar_weights(j->p, &in);
	taken = arena_zalloc(&a, (size_t)in.cols + 1);
	found = search_cover(&s, &in, (weight)1 << 110, taken);
	for (uint32_t c = 0; c < in.cols; c++) {
		if (!exact || s.exhausted || !found)
			j->best[j->component[in.col_id[c]]] = 0;
		j->kept[in.col_id[c]] |= taken[c];
	}
	j->s->nodes += s.nodes;
	j->s->pivots += s.pivots;
	j->s->timed_out |= s.timed_out;
	arena_release(&a);
}

/* The best cover with the rows in use_row, into j->kept. */
static void solve_relaxed(struct job *j)
{
	const struct instance *in = j->in;
	struct arena a = { 0 };
	struct instance part;
	struct reduction red;
	struct blocks blocks;
	uint32_t *row = ARENA_ARRAY(&a, uint32_t, (size_t)in->rows + 1), rows = 0,
		 *scratch = ARENA_ARRAY(&a, uint32_t, (size_t)in->cols + 1);
	weight *w = ARENA_ARRAY(&a, weight, (size_t)in->cols + 1);
	uint8_t *join = arena_alloc(&a, (size_t)in->rows + 1);

	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	memset(join, 1, in->rows);
	for (uint32_t r = 0; r < in->rows; r++)
		if (j->use_row[r])
			row[rows++] = r;
	for (uint32_t c = 0; c < in->cols; c++) { /* only compared, so the order of values is enough */
		uint32_t d = in->col_id[c];

		w[c] = j->p->prefer ? -(weight)j->p->prefer[d] : 0;
		if (j->p->previous && j->p->previous[d])
			w[c] -= (weight)1 << 66;
	}
	instance_part(&a, &part, in, row, rows, j->use_col, in->demand, w, scratch);
	memcpy(j->kept, j->o->sure, j->p->n);
	reduce(&a, &part, &red);
	for (uint32_t c = 0; c < part.cols; c++)
		j->kept[part.col_id[c]] |= red.taken[c];
	blocks_find(&a, &part, &red, j->p->n, join, &blocks);
	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	for (uint32_t k = 0; k < blocks.n; k++)
		solve_block(j, &part, &red, &blocks, k, scratch);
	arena_release(&a);
}

/* Puts in the quotas that the new cover breaks; false if it breaks none. */
static bool add_broken_quotas(struct job *j)
{
	const struct instance *in = j->in;
	bool any = false;

	for (uint32_t r = 0; r < in->rows; r++) {
		uint32_t got = 0;

		if (in->row_id[r] < j->p->n || j->use_row[r] ||
		    !j->minimum[j->component[in->col_id[in->row_col[in->row_at[r]]]]])
			continue;
		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++)
			got += j->kept[in->col_id[in->row_col[i]]];
		if (got < in->demand[r])
			j->use_row[r] = any = true;
	}
	return any;
}

void solve_value(struct arena *a, const struct cover_problem *p, const struct open *o, const struct solve_limits *l,
		 struct solved *s, const uint32_t *component, uint32_t components, const uint8_t *minimum,
		 uint8_t *best)
{
	struct job j = { .a = a,
			 .p = p,
			 .o = o,
			 .in = &o->in,
			 .limits = l,
			 .s = s,
			 .component = component,
			 .minimum = minimum,
			 .best = best };
	uint32_t *was = arena_zalloc(a, sizeof(*was) * ((size_t)components + 1)),
		 *is = arena_zalloc(a, sizeof(*is) * ((size_t)components + 1));

	j.use_col = arena_zalloc(a, (size_t)j.in->cols + 1);
	j.use_row = arena_zalloc(a, (size_t)j.in->rows + 1);
	j.kept = arena_alloc(a, (size_t)p->n + 1);
	memcpy(best, minimum, components);
	choose_columns(&j, components);
	for (uint32_t r = 0; r < j.in->rows; r++)
		j.use_row[r] = minimum[component[j.in->col_id[j.in->row_col[j.in->row_at[r]]]]] &&
			       (j.in->row_id[r] < p->n || dual_of(&j, r));
	do
		solve_relaxed(&j);
	while (add_broken_quotas(&j));
	for (uint32_t c = 0; c < j.in->cols; c++) {
		uint32_t d = j.in->col_id[c];

		was[component[d]] += s->kept[d];
		is[component[d]] += j.kept[d];
	}
	for (uint32_t k = 0; k < components; k++)
		if (was[k] != is[k])
			best[k] = 0;
	for (uint32_t c = 0; c < j.in->cols; c++) {
		uint32_t d = j.in->col_id[c], k = component[d];

		if (minimum[k] && was[k] == is[k])
			s->kept[d] = j.kept[d];
	}
}
