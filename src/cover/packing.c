/* cover/packing.c -- simplex on the packing side, subgradients, exact bounds.
 *
 * Columns taken at most once: with equal weights a column taken twice never
 * pays (another of the quota's group does as well), so nothing need forbid it.
 * With unequal ones, columns of rows with demand > 1 get a variable v each:
 * load(c) - v(c) <= w(c), at the price of v in the sum; the min() in L(u).
 *
 * Where there are many rows the tableau (tableau.h) begins with those that a
 * few rounds of subgradients value most, and takes in those that its
 * fractional cover leaves short.
 * Weights are perturbed by a hash of the column's number against stalling, by
 * about 1e-7 where all are equal, 1e-11 where they differ by themselves; the final basis is then read with the true
 * weights: u(i) = sum of T[i][j] w(j) over the tight columns j, where the
 * T[i][j] are ratios of small integers and are rounded to PACKING_SCALE.
 */
#include "cover/packing.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/task.h"
#include "base/vec.h"
#include "cover/cuts.h"

#define TABLEAU_CELLS ((size_t)4 << 20) /* 32 MiB */
#define LEAST_ROOM 256			/* with room for fewer rows than this: subgradients */
#define CUT_ROOM 64			/* and half as many as there are rows */
#define FIRST_ROWS 500			/* of many, to begin with */
#define MORE_ROWS 50			/* that come in at a time */
#define SUBGRADIENT_ROUNDS 4000
#define SUBGRADIENT_LEAST 100 /* whatever the work that is allowed */

static bool needs_cap(const struct instance *in, uint32_t c)
{
	for (uint64_t k = in->col_at[c]; k < in->col_at[c + 1]; k++)
		if (in->demand[in->col_row[k]] > 1)
			return true;
	return false;
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

static int64_t rounded(double x) { return (int64_t)(x * PACKING_SCALE + (x < 0 ? -0.5 : 0.5)); }
static uint64_t most_pivots(const struct instance *in) { return 50 * ((uint64_t)in->rows + in->cols) + 1000; }

static double *perturbed(struct arena *a, const struct instance *in)
{
	double *right = ARENA_ARRAY(a, double, (size_t)in->cols + 1), nudge;
	weight heaviest = 1, lightest = WEIGHT_MAX;

	for (uint32_t c = 0; c < in->cols; c++) {
		heaviest = in->w[c] > heaviest ? in->w[c] : heaviest;
		lightest = in->w[c] < lightest ? in->w[c] : lightest;
	}
	nudge = lightest == heaviest ? 1e-7 : 1e-11;
	for (uint32_t c = 0; c < in->cols; c++)
		right[c] =
		    (double)in->w[c] * (1 / (double)heaviest) + nudge * (1 + (double)(mix64(c + 1) >> 44) / (1 << 20));
	return right;
}

static bool add_known(struct packing *p, uint32_t name, const struct cut *cut, struct tableau_term *term)
{
	size_t n = 0;
	double gain = cut->least;

	for (uint32_t i = 0; i < cut->n; i++) {
		gain -= p->fixed[cut->col[i]] == PACKING_TAKEN ? cut->factor[i] : 0;
		if (p->fixed[cut->col[i]] == PACKING_FREE)
			term[n++] = (struct tableau_term){ cut->col[i], cut->factor[i] };
	}
	return tableau_add(&p->t, name, term, n, gain);
}

/* r: a row, or the name of something known. */
static bool add_row(struct packing *p, const struct instance *in, uint32_t r, struct tableau_term *term)
{
	size_t n = 0;
	double gain;

	if (r >= in->rows)
		return add_known(p, r, &p->cuts.cut[r - in->rows - in->cols], term);
	gain = in->demand[r];

	for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++) {
		gain -= p->fixed[in->row_col[i]] == PACKING_TAKEN;
		if (p->fixed[in->row_col[i]] == PACKING_FREE)
			term[n++] = (struct tableau_term){ in->row_col[i], 1 };
	}
	return tableau_add(&p->t, r, term, n, gain);
}

struct short_row {
	double by;
	uint32_t row;
};

static int by_shortage(const void *x, const void *y)
{
	const struct short_row *a = x, *b = y;

	if (a->by != b->by)
		return a->by > b->by ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Rows that are not in the tableau and that x leaves short, the worst first; what is known, by its name, likewise. */
static uint32_t short_rows(const struct packing *p, const struct instance *in, const double *x, struct short_row *out)
{
	uint32_t n = 0, first = in->rows + in->cols, end = first + p->knowns;
	uint8_t *present = mem_zarray((size_t)end + 1, 1);

	for (uint32_t i = 0; i < p->t.lines; i++)
		if (p->t.basic[i] < end)
			present[p->t.basic[i]] = 1;
	for (uint32_t j = 1; j <= p->t.columns; j++)
		if (p->t.free_[j] < end)
			present[p->t.free_[j]] = 1;
	for (uint32_t k = 0; k < p->knowns; k++) {
		const struct cut *cut = &p->cuts.cut[k];
		double by = cut->least;

		for (uint32_t i = 0; !present[first + k] && i < cut->n; i++)
			by -= x[cut->col[i]] * cut->factor[i];
		if (!present[first + k] && by > 1e-6)
			out[n++] = (struct short_row){ by, first + k };
	}
	for (uint32_t r = 0; p->some_rows && r < in->rows; r++) {
		double by = in->demand[r];

		for (uint64_t i = in->row_at[r]; !present[r] && i < in->row_at[r + 1]; i++)
			by -= x[in->row_col[i]];
		if (!present[r] && by > 1e-6)
			out[n++] = (struct short_row){ by, r };
	}
	sort_array(out, n, sizeof(*out), by_shortage);
	mem_free(present);
	return n;
}

static void read_cover(struct packing *p, const struct instance *in)
{
	tableau_cover(&p->t, p->x);
	for (uint32_t c = 0; c < in->cols; c++)
		if (p->fixed[c])
			p->x[c] = p->fixed[c] == PACKING_TAKEN;
}

static bool packing_resolve(struct packing *p, const struct instance *in, uint64_t limit)
{
	struct tableau_term *term = mem_array((size_t)in->cols + 1, sizeof(*term));
	struct short_row *few = mem_array((size_t)in->rows + p->knowns + 1, sizeof(*few));
	bool done;

	while ((done = tableau_solve(&p->t, limit, p->limit, p->enough)) && (p->some_rows || p->knowns)) {
		uint32_t n, added = 0;

		read_cover(p, in);
		if (!(n = short_rows(p, in, p->x, few)))
			break;
		if (p->t.columns + MORE_ROWS > p->t.room) {
			if (p->some_rows)
				tableau_purge(&p->t, 0, in->rows);
			tableau_purge(&p->t, in->rows + in->cols, in->rows + in->cols + p->knowns);
		}
		while (added < n && added < MORE_ROWS && add_row(p, in, few[added].row, term))
			added++;
		if (!added) {
			done = false;
			break;
		}
	}
	read_cover(p, in);
	p->pivots = p->t.pivots;
	p->work = p->t.work;
	mem_free(term);
	mem_free(few);
	return done;
}

static void packing_read(struct packing *p, const struct instance *in, weight *u, weight *v)
{
	const struct tableau *t = &p->t;
	uint32_t *tight = mem_array((size_t)t->columns + 1, sizeof(*tight)), n = 0;

	for (uint32_t j = 1; j <= t->columns; j++)
		if (tableau_is_slack(t, t->free_[j]))
			tight[n++] = j;
	memset(u, 0, sizeof(*u) * in->rows);
	if (p->cuts.n)
		memset(v, 0, sizeof(*v) * p->cuts.n);
	for (uint32_t i = 0; i < t->lines; i++) {
		const double *line = tableau_line(t, i);
		weight value = 0;

		if (tableau_is_slack(t, t->basic[i]) || (p->caps && t->basic[i] >= in->rows))
			continue;
		for (uint32_t k = 0; k < n; k++)
			if (line[tight[k]] > 1e-8 || line[tight[k]] < -1e-8)
				value += rounded(line[tight[k]]) * in->w[t->free_[tight[k]] - in->rows];
		value = value > 0 ? value : 0;
		if (t->basic[i] < in->rows)
			u[t->basic[i]] = value;
		else
			v[t->basic[i] - in->rows - in->cols] = value;
	}
	p->work = (p->t.work += (uint64_t)t->lines * n / 2);
	mem_free(tight);
}

static void add_caps(struct packing *p, const struct instance *in)
{
	uint32_t name = in->rows + in->cols;

	for (uint32_t c = 0; p->caps && c < in->cols; c++)
		if (needs_cap(in, c))
			tableau_add(&p->t, name++, &(struct tableau_term){ c, -1 }, 1, -1);
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
	for (; round < rounds && step > 1e-3 && !(round && task_interrupted()); round++) {
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

/* All rows; or those that matter most to a bound that subgradients find, which are most of those that matter. */
static void first_rows(struct arena *a, const struct instance *in, struct packing *p)
{
	struct tableau_term *term = mem_array((size_t)in->cols + 1, sizeof(*term));
	struct short_row *order = mem_array((size_t)in->rows + 1, sizeof(*order));

	if (p->some_rows)
		subgradients(a, in, p->limit / 20, p);
	for (uint32_t r = 0; r < in->rows; r++)
		order[r] = (struct short_row){ (double)p->u[r], r };
	sort_array(order, in->rows, sizeof(*order), by_shortage);
	for (uint32_t k = 0; k < in->rows && !(p->some_rows && k == FIRST_ROWS); k++)
		add_row(p, in, order[k].row, term);
	mem_free(term);
	mem_free(order);
}

/* False if it was stopped before the optimum, or never begun. */
static bool simplex(struct arena *a, const struct instance *in, struct packing *p)
{
	size_t most = TABLEAU_CELLS / ((size_t)in->cols + 1), want;

	p->caps = caps_of(in);
	if ((size_t)in->rows + p->caps > most)
		p->caps = 0; /* a weaker bound, still one */
	want = (size_t)in->rows + p->caps;
	p->some_rows = want > most || want > 4 * FIRST_ROWS;
	if (p->some_rows && p->caps)
		p->some_rows = false;
	if (most < want && most < LEAST_ROOM)
		return false;
	want += CUT_ROOM + in->rows / 2 + in->knowns;
	tableau_init(a, &p->t, in, perturbed(a, in), (uint32_t)(want < most ? want : most));
	first_rows(a, in, p);
	add_caps(p, in);
	return packing_resolve(p, in, most_pivots(in));
}

/* L(u, v) over PACKING_SCALE, and what each column costs beyond its load, if that is asked for.  fixed: or NULL; what
 * is taken counts as it is, what is refused not at all. */
static weight value_of(const struct instance *in, const struct cut_pool *cuts, const weight *u, const weight *v,
		       const uint8_t *fixed, weight *reduced)
{
	weight sum = 0, *left = mem_array((size_t)in->cols + 1, sizeof(*left));

	for (uint32_t r = 0; r < in->rows; r++)
		sum += u[r] * in->demand[r];
	for (uint32_t c = 0; c < in->cols; c++) {
		left[c] = in->w[c] * PACKING_SCALE;
		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			left[c] -= u[in->col_row[i]];
	}
	for (uint32_t k = 0; cuts && k < cuts->n; k++) {
		const struct cut *cut = &cuts->cut[k];

		if (v[k] <= 0)
			continue;
		sum += v[k] * cut->least;
		for (uint32_t i = 0; i < cut->n; i++)
			left[cut->col[i]] -= v[k] * cut->factor[i];
	}
	for (uint32_t c = 0; c < in->cols; c++) {
		if (fixed && fixed[c] ? fixed[c] == PACKING_TAKEN : left[c] < 0)
			sum += left[c];
		if (reduced)
			reduced[c] = left[c];
	}
	mem_free(left);
	return sum;
}

static weight ceiling(weight sum) { return sum <= 0 ? 0 : (sum + PACKING_SCALE - 1) / PACKING_SCALE; }

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
	*out = (struct packing){ .u = arena_zalloc(a, sizeof(weight) * ((size_t)in->rows + 1)),
				 .x = arena_zalloc(a, sizeof(double) * ((size_t)in->cols + 1)),
				 .reduced = ARENA_ARRAY(a, weight, (size_t)in->cols + 1),
				 .fixed = arena_zalloc(a, (size_t)in->cols + 1),
				 .limit = work,
				 .enough = INFINITY };
	if (simplex(a, in, out)) {
		out->optimal = true;
		packing_read(out, in, out->u, NULL);
	} else {
		subgradients(a, in, work, out);
	}
	out->value = value_of(in, NULL, out->u, NULL, NULL, out->reduced);
	out->bound = ceiling(out->value);
	packing_learn(a, in, out);
}

#define CUT_IDLE 4 /* rounds that gain little, then stop */

/* The bound of the tableau as it stands; true if that is more than before. */
static bool read_bound(const struct instance *in, struct packing *p)
{
	weight *u = mem_array((size_t)in->rows + 1, sizeof(*u)), *v = mem_array((size_t)p->cuts.n + 1, sizeof(*v)),
	       *reduced = mem_array((size_t)in->cols + 1, sizeof(*reduced)), value;
	bool more;

	packing_read(p, in, u, v);
	value = value_of(in, &p->cuts, u, v, p->fixed, reduced);
	if ((more = value > p->value)) {
		memcpy(p->reduced, reduced, sizeof(*reduced) * in->cols);
		p->value = value;
		p->bound = ceiling(value);
	}
	mem_free(u);
	mem_free(v);
	mem_free(reduced);
	return more;
}

void packing_learn(struct arena *a, const struct instance *in, struct packing *p)
{
	if (!p->optimal || p->caps || p->cuts.n != p->knowns || !in->knowns)
		return;
	p->cuts = (struct cut_pool){ ARENA_ARRAY(a, struct cut, in->knowns), in->knowns, in->knowns };
	memcpy(p->cuts.cut, in->known, sizeof(*in->known) * in->knowns);
	p->knowns = in->knowns;
	p->limit = p->t.work + PACKING_WORK;
	p->some_rows = true; /* what is known implies many of them */
	tableau_drop(&p->t, 0, in->rows);
	tableau_drop(&p->t, in->rows + in->cols, UINT32_MAX);
	if (p->t.room < p->t.columns + CUT_ROOM + MORE_ROWS + p->t.lines / 2) {
		struct tableau more;

		tableau_copy(a, &more, &p->t, CUT_ROOM + MORE_ROWS + p->t.lines);
		p->t = more;
	}
	packing_resolve(p, in, most_pivots(in));
	read_bound(in, p);
	tableau_purge(&p->t, 0, in->rows);
	tableau_purge(&p->t, in->rows + in->cols, UINT32_MAX);
}

void packing_tighten(struct arena *a, const struct instance *in, weight target, uint64_t work, int rounds,
		     struct packing *p)
{
	uint32_t idle = 0;

	if (!p->optimal || p->caps)
		return;
	p->limit = p->t.work + work;
	p->enough = INFINITY;
	for (int round = 0; round < rounds && idle < CUT_IDLE && p->bound < target; round++) {
		weight before = p->value;

		tableau_purge(&p->t, in->rows + in->cols, UINT32_MAX);
		if (!cuts_add(a, in, p) || !packing_resolve(p, in, most_pivots(in)))
			break;
		read_bound(in, p);
		idle = p->value * 1000 < before * 1001 ? idle + 1 : 0;
	}
}

bool packing_branches(const struct packing *p) { return p->optimal; }

static uint32_t spare(const struct packing *p) { return CUT_ROOM + p->t.rows / 2 + (p->some_rows ? 4 * MORE_ROWS : 0); }

size_t packing_size(const struct packing *p)
{
	return sizeof(double) * ((size_t)p->t.lines + 1) * ((size_t)p->t.columns + spare(p) + 1);
}

void packing_copy(struct arena *a, const struct instance *in, const struct packing *p, struct packing *out)
{
	*out = *p;
	out->x = ARENA_ARRAY(a, double, (size_t)in->cols + 1);
	out->reduced = ARENA_ARRAY(a, weight, (size_t)in->cols + 1);
	out->fixed = arena_alloc(a, (size_t)in->cols + 1);
	memcpy(out->x, p->x, sizeof(*p->x) * in->cols);
	memcpy(out->reduced, p->reduced, sizeof(*p->reduced) * in->cols);
	memcpy(out->fixed, p->fixed, in->cols);
	tableau_copy(a, &out->t, &p->t, spare(p));
}

bool packing_fix(struct packing *p, uint32_t c, bool taken)
{
	p->fixed[c] = taken ? PACKING_TAKEN : PACKING_REFUSED;
	return tableau_fix(&p->t, c, taken);
}

void packing_forget(struct packing *p, const uint8_t *row_needed) { tableau_forget(&p->t, row_needed); }

void packing_resume(const struct instance *in, uint64_t pivots, uint64_t work, double enough, struct packing *p)
{
	p->limit = p->t.work + work;
	p->enough = enough;
	packing_resolve(p, in, pivots);
	read_bound(in, p);
}
