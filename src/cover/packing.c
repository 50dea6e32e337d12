/* cover/packing.c -- simplex on the packing side, subgradients, exact bounds.
 *
 * Columns taken at most once: with equal weights a column taken twice never
 * pays (another of the quota's group does as well), so nothing need forbid it.
 * With unequal ones, columns of rows with demand > 1 get a variable v each:
 * load(c) - v(c) <= w(c), at the price of v in the sum; the min() in L(u).
 *
 * The packing problem has a feasible start (u = 0), so one phase is enough.
 * Tableau: a line per column of the instance (its slack), a column per row,
 * in condensed form, so a pivot costs lines * columns less the zero lines.
 * Weights are perturbed by a hash of the column's number against stalling, by
 * about 1e-7 where all are equal, 1e-11 where they differ by themselves; the final basis is then read with the true
 * weights: u(i) = sum of T[i][j] w(j) over the tight columns j, where the
 * T[i][j] are ratios of small integers and are rounded to PACKING_SCALE.
 */
#include "cover/packing.h"

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"

#define TABLEAU_CELLS ((size_t)4 << 20) /* 32 MiB; beyond it subgradients */
#define EPS 1e-9
#define SUBGRADIENT_ROUNDS 4000
#define SUBGRADIENT_LEAST 100 /* whatever the work that is allowed */

struct tableau {
	uint32_t lines, columns; /* without the last line (costs) and column (right-hand side) */
	size_t width;
	double *cell;
	uint32_t *basic,
	    *free_; /* what a line, a column stands for: < rows a row's u, < rows + cols a column's slack, else a v */
};

static double *line_of(const struct tableau *t, uint32_t i) { return t->cell + (size_t)i * t->width; }

static bool needs_cap(const struct instance *in, uint32_t c)
{
	for (uint64_t k = in->col_at[c]; k < in->col_at[c + 1]; k++)
		if (in->demand[in->col_row[k]] > 1)
			return true;
	return false;
}

static void tableau_init(struct arena *a, struct tableau *t, const struct instance *in, double scale, double nudge,
			 uint32_t caps)
{
	uint32_t cap = in->rows;

	t->lines = in->cols;
	t->columns = in->rows + caps;
	t->width = (size_t)t->columns + 1;
	t->cell = arena_zalloc(a, sizeof(double) * t->width * ((size_t)in->cols + 1));
	t->basic = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	t->free_ = ARENA_ARRAY(a, uint32_t, (size_t)t->columns + 1);
	for (uint32_t c = 0; c < in->cols; c++) {
		double *line = line_of(t, c);

		t->basic[c] = in->rows + c;
		for (uint64_t k = in->col_at[c]; k < in->col_at[c + 1]; k++)
			line[in->col_row[k]] = 1;
		line[t->columns] = (double)in->w[c] * scale + nudge * (1 + (double)(mix64(c + 1) >> 44) / (1 << 20));
		if (caps && needs_cap(in, c)) {
			line[cap] = -1;
			line_of(t, in->cols)[cap] = 1;
			t->free_[cap] = in->cols + cap;
			cap++;
		}
	}
	for (uint32_t r = 0; r < in->rows; r++) {
		t->free_[r] = r;
		line_of(t, in->cols)[r] = -(double)in->demand[r];
	}
}

/* Returns how many cells it touched. */
static uint64_t pivot(struct tableau *t, uint32_t i, uint32_t j)
{
	uint64_t lines = 1;
	double *from = line_of(t, i), inverse = 1 / from[j];
	uint32_t name = t->basic[i];

	for (size_t k = 0; k < t->width; k++)
		from[k] *= inverse;
	from[j] = inverse;
	for (uint32_t l = 0; l <= t->lines; l++) {
		double *line = line_of(t, l), factor = line[j];

		if (l == i || factor == 0)
			continue;
		lines++;
		for (size_t k = 0; k < t->width; k++)
			line[k] -= factor * from[k];
		line[j] = -factor * inverse;
	}
	t->basic[i] = t->free_[j];
	t->free_[j] = name;
	return lines * t->width + t->lines;
}

/* The column that gains most per unit, or the first that gains, after stalling. */
static uint32_t entering(const struct tableau *t, bool first)
{
	const double *cost = line_of(t, t->lines);
	uint32_t best = UINT32_MAX;

	for (uint32_t j = 0; j < t->columns; j++)
		if (cost[j] < -EPS && (best == UINT32_MAX || cost[j] < cost[best])) {
			best = j;
			if (first)
				break;
		}
	return best;
}

static uint32_t leaving(const struct tableau *t, uint32_t j)
{
	uint32_t best = UINT32_MAX;
	double least = 0;

	for (uint32_t i = 0; i < t->lines; i++) {
		const double *line = line_of(t, i);
		double ratio;

		if (line[j] <= EPS)
			continue;
		ratio = line[t->columns] / line[j];
		if (best == UINT32_MAX || ratio < least - 1e-12 ||
		    (ratio < least + 1e-12 && t->basic[i] < t->basic[best])) {
			best = i;
			least = ratio;
		}
	}
	return best;
}

static weight rounded(double x) { return (weight)llround(x * PACKING_SCALE); }

static bool is_slack(const struct instance *in, uint32_t name)
{
	return name >= in->rows && name - in->rows < in->cols;
}

/* How many variables v the relaxation needs. */
static uint32_t caps_of(const struct instance *in)
{
	uint32_t caps = 0;
	bool equal = true;

	for (uint32_t c = 0; c < in->cols; c++) {
		equal &= in->w[c] == in->w[0];
		caps += needs_cap(in, c);
	}
	return equal ? 0 : caps;
}

/* False if it was stopped before the optimum. */
static bool simplex(struct arena *a, const struct instance *in, uint32_t caps, uint64_t work, struct packing *out)
{
	bool done = false;
	struct tableau t;
	weight heaviest = 1, lightest = WEIGHT_MAX;
	uint64_t limit = 50 * ((uint64_t)in->rows + in->cols) + 1000;
	const double *cost;

	for (uint32_t c = 0; c < in->cols; c++)
		if (in->w[c] > heaviest)
			heaviest = in->w[c];
	for (uint32_t c = 0; c < in->cols; c++)
		if (in->w[c] < lightest)
			lightest = in->w[c];
	tableau_init(a, &t, in, 1 / (double)heaviest, lightest == heaviest ? 1e-7 : 1e-11, caps);
	while (out->pivots < limit && out->work < work) {
		uint32_t j = entering(&t, out->pivots > limit / 2), i;

		if (j == UINT32_MAX || (i = leaving(&t, j)) == UINT32_MAX) {
			done = true;
			break;
		}
		out->work += pivot(&t, i, j);
		out->pivots++;
	}
	for (uint32_t i = 0; i < t.lines; i++) {
		const double *line = line_of(&t, i);
		weight u = 0;

		if (t.basic[i] >= in->rows)
			continue;
		for (uint32_t j = 0; j < t.columns; j++)
			if (is_slack(in, t.free_[j]) && line[j] != 0)
				u += rounded(line[j]) * in->w[t.free_[j] - in->rows];
		out->u[t.basic[i]] = u > 0 ? u : 0;
	}
	cost = line_of(&t, t.lines);
	for (uint32_t j = 0; j < t.columns; j++)
		if (is_slack(in, t.free_[j]))
			out->x[t.free_[j] - in->rows] = cost[j] > EPS ? cost[j] : 0;
	return done;
}

/* What a round of subgradients looks at: L(u), the fraction taken, and the gap of each row. */
static double lagrangian(const struct instance *in, const double *w, const double *u, int32_t *gap, double *average)
{
	double value = 0;

	for (uint32_t r = 0; r < in->rows; r++) {
		gap[r] = (int32_t)in->demand[r];
		value += u[r] * in->demand[r];
	}
	for (uint32_t c = 0; c < in->cols; c++) {
		double reduced = w[c];

		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			reduced -= u[in->col_row[i]];
		average[c] *= 0.95;
		if (reduced >= 0)
			continue;
		value += reduced;
		average[c] += 0.05;
		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			gap[in->col_row[i]]--;
	}
	return value;
}

/* Each row gets what its cheapest column could pay for each of its rows: feasible. */
static void fair_shares(const struct instance *in, const double *w, double *u)
{
	for (uint32_t r = 0; r < in->rows; r++) {
		u[r] = 1;
		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++) {
			uint32_t c = in->row_col[i];
			double each = w[c] / (double)(in->col_at[c + 1] - in->col_at[c]);

			if (each < u[r])
				u[r] = each;
		}
	}
}

/* Subgradient ascent on L(u) for instances too large for a tableau.  The step aims at a target a little above the
 * best value so far (Polyak); when it has not come nearer for a while, it begins again there with half the step.
 * The direction keeps some of the last one, which damps its swings. */
static void subgradients(struct arena *a, const struct instance *in, uint64_t work, struct packing *out)
{
	double *u = ARENA_ARRAY(a, double, (size_t)in->rows + 1), *best = ARENA_ARRAY(a, double, (size_t)in->rows + 1);
	double *way = arena_zalloc(a, sizeof(double) * ((size_t)in->rows + 1));
	double *w = ARENA_ARRAY(a, double, (size_t)in->cols + 1),
	       *average = arena_zalloc(a, sizeof(double) * ((size_t)in->cols + 1));
	int32_t *gap = ARENA_ARRAY(a, int32_t, (size_t)in->rows + 1);
	double heaviest = 1, top = -1, step = 1;
	uint64_t entries = in->row_at[in->rows] + 1, rounds = 2 * work / entries;
	unsigned idle = 0, round = 0;

	rounds = rounds < SUBGRADIENT_LEAST    ? SUBGRADIENT_LEAST
		 : rounds > SUBGRADIENT_ROUNDS ? SUBGRADIENT_ROUNDS
					       : rounds;

	for (uint32_t c = 0; c < in->cols; c++)
		if ((double)in->w[c] > heaviest)
			heaviest = (double)in->w[c];
	for (uint32_t c = 0; c < in->cols; c++)
		w[c] = (double)in->w[c] / heaviest;
	fair_shares(in, w, u);
	for (; round < rounds && step > 1e-3; round++) {
		double value = lagrangian(in, w, u, gap, average), norm = 0, aim;

		if (value > top) {
			idle = value > top + 1e-4 * fabs(top) ? 0 : idle + 1;
			top = value;
			memcpy(best, u, sizeof(*u) * in->rows);
		} else {
			idle++;
		}
		if (idle >= 40) {
			step *= 0.5;
			idle = 0;
			memcpy(u, best, sizeof(*u) * in->rows);
			memset(way, 0, sizeof(*way) * in->rows);
			continue;
		}
		for (uint32_t r = 0; r < in->rows; r++) {
			way[r] = 0.9 * way[r] + 0.1 * gap[r];
			if (u[r] <= 0 && way[r] < 0)
				way[r] = 0;
			norm += way[r] * way[r];
		}
		if (norm <= 0)
			break;
		aim = 1.05 * top + 0.1 - value;
		for (uint32_t r = 0; r < in->rows; r++) {
			u[r] += step * aim * way[r] / norm;
			if (u[r] < 0)
				u[r] = 0;
		}
	}
	for (uint32_t r = 0; r < in->rows; r++)
		out->u[r] = (weight)(best[r] * heaviest * PACKING_SCALE);
	memcpy(out->x, average, sizeof(*average) * in->cols);
	out->work += round * 2 * in->row_at[in->rows];
}

weight packing_bound(const struct instance *in, const weight *u)
{
	weight sum = 0;

	for (uint32_t r = 0; r < in->rows; r++)
		sum += u[r] * in->demand[r];
	for (uint32_t c = 0; c < in->cols; c++) {
		weight left = in->w[c] * PACKING_SCALE;

		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			left -= u[in->col_row[i]];
		if (left < 0)
			sum += left;
	}
	return sum <= 0 ? 0 : (sum + PACKING_SCALE - 1) / PACKING_SCALE;
}

void packing_repair(const struct instance *in, weight *u, weight unit)
{
	weight *load = mem_array((size_t)in->cols + 1, sizeof(*load));

	for (uint32_t c = 0; c < in->cols; c++) {
		weight over = -unit;

		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			over += u[in->col_row[i]];
		for (uint64_t i = in->col_at[c]; over > 0 && i < in->col_at[c + 1]; i++) {
			weight *at = &u[in->col_row[i]], cut = *at < over ? *at : over;

			*at -= cut;
			over -= cut;
		}
	}
	for (uint32_t c = 0; c < in->cols; c++) {
		load[c] = 0;
		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			load[c] += u[in->col_row[i]];
	}
	for (uint32_t r = 0; r < in->rows; r++) {
		weight room = unit;

		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++)
			if (unit - load[in->row_col[i]] < room)
				room = unit - load[in->row_col[i]];
		u[r] += room;
		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++)
			load[in->row_col[i]] += room;
	}
	mem_free(load);
}

void packing_solve(struct arena *a, const struct instance *in, uint64_t work, struct packing *out)
{
	uint32_t caps = caps_of(in);

	*out = (struct packing){ .u = arena_zalloc(a, sizeof(weight) * ((size_t)in->rows + 1)),
				 .x = arena_zalloc(a, sizeof(double) * ((size_t)in->cols + 1)) };
	if (((size_t)in->rows + caps + 1) * ((size_t)in->cols + 1) > TABLEAU_CELLS)
		caps = 0; /* a weaker bound, still one */
	if (((size_t)in->rows + caps + 1) * ((size_t)in->cols + 1) > TABLEAU_CELLS || !simplex(a, in, caps, work, out))
		subgradients(a, in, work, out);
	out->bound = packing_bound(in, out->u);
}
