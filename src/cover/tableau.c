/* cover/tableau.c -- see tableau.h. */
#include "cover/tableau.h"

#include "base/mem.h"
#include "base/task.h"

#define EPS 1e-9
#define SHOWN 1e-9 /* less of a column in a fractional cover is none */

void tableau_init(struct arena *a, struct tableau *t, const struct instance *in, const double *right, uint32_t room)
{
	*t = (struct tableau){ .lines = in->cols, .room = room, .rows = in->rows, .cols = in->cols };
	t->width = (size_t)room + 1;
	t->cell = arena_zalloc(a, sizeof(double) * t->width * ((size_t)in->cols + 1));
	t->basic = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	t->free_ = ARENA_ARRAY(a, uint32_t, (size_t)room + 2);
	t->edge = ARENA_ARRAY(a, double, (size_t)room + 2);
	t->place = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	t->line = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	for (uint32_t c = 0; c < in->cols; c++) {
		t->basic[c] = in->rows + c;
		tableau_line(t, c)[0] = right[c];
	}
}

void tableau_copy(struct arena *a, struct tableau *t, const struct tableau *from, uint32_t spare)
{
	size_t used = (size_t)from->columns + 1;

	*t = *from;
	t->room = from->columns + spare;
	t->width = (size_t)t->room + 1;
	t->cell = ARENA_ARRAY(a, double, t->width *((size_t)t->lines + 1));
	t->basic = ARENA_ARRAY(a, uint32_t, (size_t)t->lines + 1);
	t->free_ = ARENA_ARRAY(a, uint32_t, (size_t)t->room + 2);
	t->edge = ARENA_ARRAY(a, double, (size_t)t->room + 2);
	for (uint32_t i = 0; i <= t->lines; i++)
		memcpy(tableau_line(t, i), tableau_line(from, i), sizeof(double) * used);
	memcpy(t->basic, from->basic, sizeof(*t->basic) * t->lines);
	memcpy(t->free_, from->free_, sizeof(*t->free_) * used);
	memcpy(t->edge, from->edge, sizeof(*t->edge) * used);
	t->work += used * t->lines / 2;
}

/* place[c]: the column of its slack, or 0 when that is basic and weighs on its own line alone. */
static void find_slacks(struct tableau *t)
{
	memset(t->place, 0, sizeof(*t->place) * t->cols);
	for (uint32_t j = 1; j <= t->columns; j++)
		if (tableau_is_slack(t, t->free_[j]))
			t->place[t->free_[j] - t->rows] = j;
	for (uint32_t i = 0; i < t->lines; i++)
		if (tableau_is_slack(t, t->basic[i]))
			t->line[t->basic[i] - t->rows] = i;
}

/* The variable's column in terms of the basis: the slacks' columns are the inverse. */
bool tableau_add(struct tableau *t, uint32_t name, const struct tableau_term *term, size_t n, double gain)
{
	uint32_t j = t->columns + 1;
	struct tableau_term *moved;
	size_t m = 0;

	if (j > t->room)
		return false;
	moved = mem_array(n + 1, sizeof(*moved));
	find_slacks(t);
	for (uint32_t i = 0; i <= t->lines; i++)
		tableau_line(t, i)[j] = 0;
	tableau_line(t, t->lines)[j] = -gain;
	for (size_t k = 0; k < n; k++)
		if (t->place[term[k].col])
			moved[m++] = (struct tableau_term){ t->place[term[k].col], term[k].factor };
		else
			tableau_line(t, t->line[term[k].col])[j] = term[k].factor;
	for (uint32_t i = 0; m && i <= t->lines; i++) {
		double *at = tableau_line(t, i), sum = at[j];

		for (size_t k = 0; k < m; k++)
			sum += moved[k].factor * at[moved[k].col];
		at[j] = sum;
	}
	t->free_[j] = name;
	t->edge[j] = 1;
	t->columns = j;
	t->work += m * t->lines + t->lines;
	mem_free(moved);
	return true;
}

static void remove_column(struct tableau *t, uint32_t j)
{
	for (uint32_t i = 0; j != t->columns && i <= t->lines; i++)
		tableau_line(t, i)[j] = tableau_line(t, i)[t->columns];
	t->free_[j] = t->free_[t->columns];
	t->edge[j] = t->edge[t->columns];
	t->columns--;
	t->work += t->lines;
}

void tableau_purge(struct tableau *t, uint32_t first, uint32_t end)
{
	const double *cost = tableau_line(t, t->lines);

	for (uint32_t j = t->columns; j >= 1; j--)
		if (t->free_[j] >= first && t->free_[j] < end && cost[j] >= EPS)
			remove_column(t, j);
}

void tableau_drop(struct tableau *t, uint32_t first, uint32_t end)
{
	for (uint32_t j = t->columns; j >= 1; j--)
		if (t->free_[j] >= first && t->free_[j] < end)
			remove_column(t, j);
}

void tableau_forget(struct tableau *t, const uint8_t *row_needed)
{
	for (uint32_t j = t->columns; j >= 1; j--)
		if (t->free_[j] < t->rows && !row_needed[t->free_[j]])
			remove_column(t, j);
}

/* Reference weights (Devex): about how long each column's edge is, so that a gain is measured along it. */
static void reweigh(struct tableau *t, const double *from, uint32_t j)
{
	double here = t->edge[j], scale = here / (from[j] * from[j]);

	for (uint32_t k = 1; k <= t->columns; k++) {
		double length = from[k] * from[k] * scale;

		if (length > t->edge[k])
			t->edge[k] = length;
	}
	t->edge[j] = scale > 1 ? scale : 1;
}

static void subtract_plain(double *line, const double *from, double factor, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		line[k] -= factor * from[k];
}

#if defined(__x86_64__)
/* The same numbers to the last bit: multiplied, rounded, subtracted, rounded; only four at a time. */
__attribute__((target("avx2"))) static void subtract_avx2(double *line, const double *from, double factor, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		line[k] -= factor * from[k];
}
#endif

typedef void subtract_fn(double *line, const double *from, double factor, uint32_t n);
static subtract_fn *subtract_of_machine(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		return subtract_avx2;
#endif
	return subtract_plain;
}

static void pivot(struct tableau *t, uint32_t i, uint32_t j)
{
	uint64_t lines = 1;
	double *from = tableau_line(t, i), inverse = 1 / from[j];
	uint32_t name = t->basic[i], columns = t->columns;
	subtract_fn *subtract = subtract_of_machine();

	reweigh(t, from, j);
	for (uint32_t k = 0; k <= columns; k++)
		from[k] *= inverse;
	from[j] = inverse;
	for (uint32_t l = 0; l <= t->lines; l++) {
		double *line = tableau_line(t, l), factor = line[j];

		if (l == i || factor == 0)
			continue;
		lines++;
		subtract(line, from, factor, columns + 1);
		line[j] = -factor * inverse;
	}
	t->basic[i] = t->free_[j];
	t->free_[j] = name;
	t->pivots++;
	t->work += lines * (columns + 1) + t->lines;
}

/* The column that gains most along its edge, or the first that gains, after stalling. */
static uint32_t entering(const struct tableau *t, bool first)
{
	const double *cost = tableau_line(t, t->lines);
	uint32_t best = 0;
	double most = 0;

	for (uint32_t j = 1; j <= t->columns; j++)
		if (cost[j] < -EPS && cost[j] * cost[j] > most * t->edge[j]) {
			best = j;
			most = cost[j] * cost[j] / t->edge[j];
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
		const double *line = tableau_line(t, i);
		double ratio;

		if (line[j] <= EPS)
			continue;
		ratio = line[0] / line[j];
		if (best == UINT32_MAX || ratio < least - 1e-12 ||
		    (ratio < least + 1e-12 && t->basic[i] < t->basic[best])) {
			best = i;
			least = ratio;
		}
	}
	return best;
}

static void remove_line(struct tableau *t, uint32_t i)
{
	uint32_t last = t->lines - 1;
	size_t bytes = sizeof(double) * ((size_t)t->columns + 1);

	if (i != last) {
		memcpy(tableau_line(t, i), tableau_line(t, last), bytes);
		t->basic[i] = t->basic[last];
	}
	memcpy(tableau_line(t, last), tableau_line(t, t->lines), bytes); /* costs */
	t->lines--;
}

/* The line that stops column j first as it grows, or falls; the larger entry of equals. */
static uint32_t stopping(const struct tableau *t, uint32_t j, double way)
{
	uint32_t best = UINT32_MAX;
	double least = 0, entry = 0;

	for (uint32_t i = 0; i < t->lines; i++) {
		double at = way * tableau_line(t, i)[j], ratio;

		if (at <= EPS)
			continue;
		ratio = tableau_line(t, i)[0] / at;
		if (best == UINT32_MAX || ratio < least - 1e-12 || (ratio < least + 1e-12 && at > entry)) {
			best = i;
			least = ratio;
			entry = at;
		}
	}
	return best;
}

/* Without a limit on its load, a column's slack may have any sign: it comes into the basis in the direction that gains,
 * if it is not there, and then its line says nothing more. */
bool tableau_fix(struct tableau *t, uint32_t c, bool taken)
{
	uint32_t name = t->rows + c, i = 0, j = 1;
	double *cost = tableau_line(t, t->lines);

	while (i < t->lines && t->basic[i] != name)
		i++;
	if (i < t->lines) {
		for (uint32_t k = 0; taken && k <= t->columns; k++)
			cost[k] += tableau_line(t, i)[k];
	} else {
		while (t->free_[j] != name)
			j++;
		cost[j] -= taken;
		if ((i = stopping(t, j, cost[j] < 0 ? 1 : -1)) == UINT32_MAX)
			return false;
		pivot(t, i, j);
	}
	remove_line(t, i);
	t->work += t->lines + t->columns;
	return true;
}

bool tableau_solve(struct tableau *t, uint64_t pivots, uint64_t work, double enough)
{
	uint64_t begin = t->pivots;

	while (t->pivots - begin < pivots && t->work < work && tableau_value(t) < enough && !task_interrupted()) {
		uint32_t j = entering(t, t->pivots - begin > pivots / 2), i;

		if (!j || (i = leaving(t, j)) == UINT32_MAX)
			return true;
		pivot(t, i, j);
	}
	return false;
}

void tableau_cover(const struct tableau *t, double *x)
{
	const double *cost = tableau_line(t, t->lines);

	memset(x, 0, sizeof(*x) * t->cols);
	for (uint32_t j = 1; j <= t->columns; j++)
		if (tableau_is_slack(t, t->free_[j]))
			x[t->free_[j] - t->rows] = cost[j] > SHOWN ? cost[j] : 0;
}
