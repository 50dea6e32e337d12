/* cover/cuts.c -- cuts from the columns of the tableau that stand for fractional documents.
 *
 * The column of a tight column's slack holds, on the lines of basic rows, the multipliers of those rows in the
 * equation of x(c); any whole multiple of them, less its whole part, is a candidate.  All are weighed by how far the
 * fractional cover is from the cut, and the best are made again and added.
 */
#include "cover/cuts.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cover/packing.h"

#define UNIT ((int64_t)1 << 30) /* D */
#define MARGIN 64		/* multipliers are taken this much smaller, against rounding */
#define NEAR_WHOLE 1e-5
#define LEAST_DEPTH 0.01
#define PER_ROUND 24	     /* cuts, and a tenth of the rows */
#define MOST_FACTOR 1000000u /* of a cut's right side */

static const int multiples[] = { 1, -1, 2, -2, 3, -3, 5 };

struct candidate {
	double depth;
	uint32_t column;
	int multiple;
};

struct maker {
	const struct instance *in;
	const struct packing *p;
	int64_t *load; /* cols, over UNIT */
	int64_t least; /* over UNIT */
};

static int64_t multiplier(double x)
{
	x -= floor(x);
	return x < NEAR_WHOLE || x > 1 - NEAR_WHOLE ? 0 : (int64_t)(x * (double)UNIT) - MARGIN;
}

static void aggregate(struct maker *m, uint32_t column, int multiple)
{
	const struct tableau *t = &m->p->t;
	const struct instance *in = m->in;

	memset(m->load, 0, sizeof(*m->load) * in->cols);
	m->least = 0;
	for (uint32_t i = 0; i < t->lines; i++) {
		uint32_t name = t->basic[i];
		int64_t k;

		if (tableau_is_slack(t, name) || !(k = multiplier(multiple * tableau_line(t, i)[column])))
			continue;
		if (name < in->rows) {
			m->least += k * in->demand[name];
			for (uint64_t q = in->row_at[name]; q < in->row_at[name + 1]; q++)
				m->load[in->row_col[q]] += k;
		} else {
			const struct cut *cut = &m->p->cuts.cut[name - in->rows - in->cols];

			m->least += k * cut->least;
			for (uint32_t q = 0; q < cut->n; q++)
				m->load[cut->col[q]] += k * cut->factor[q];
		}
	}
	for (uint32_t c = 0; c < in->cols; c++) /* what is fixed is no variable */
		if (m->p->fixed[c]) {
			m->least -= m->p->fixed[c] == PACKING_TAKEN ? m->load[c] : 0;
			m->load[c] = 0;
		}
}

static int64_t up(int64_t x) { return (x + UNIT - 1) / UNIT; }

/* A factor beyond the right side says no more than the right side itself. */
static int64_t factor_of(const struct maker *m, uint32_t c)
{
	int64_t f = up(m->load[c]), least = up(m->least);

	return f < least ? f : least;
}

/* How far x is from what was aggregated, in the cut's own direction. */
static double depth_of(const struct maker *m)
{
	double short_by = (double)up(m->least), norm = 0;

	if (m->least <= 0 || up(m->least) > MOST_FACTOR)
		return 0;
	for (uint32_t c = 0; c < m->in->cols; c++)
		if (m->load[c]) {
			double f = (double)factor_of(m, c);

			short_by -= f * m->p->x[c];
			norm += f * f;
		}
	return norm > 0 ? short_by / sqrt(norm) : 0;
}

static int deepest_first(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->depth != b->depth)
		return a->depth > b->depth ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return a->multiple < b->multiple ? -1 : a->multiple > b->multiple;
}

static struct cut *new_cut(struct arena *a, struct packing *p)
{
	struct cut_pool *pool = &p->cuts;

	if (pool->n == pool->cap) {
		struct cut *more = ARENA_ARRAY(a, struct cut, pool->cap = 2 * pool->cap + 64);

		if (pool->n)
			memcpy(more, pool->cut, sizeof(*more) * pool->n);
		pool->cut = more;
	}
	return &pool->cut[pool->n++];
}

static bool keep_cut(struct arena *a, struct packing *p, const struct maker *m, struct tableau_term *term)
{
	struct cut *cut;
	uint32_t n = 0;

	if (p->t.columns >= p->t.room)
		return false;
	for (uint32_t c = 0; c < m->in->cols; c++)
		if (m->load[c])
			term[n++] = (struct tableau_term){ c, (double)factor_of(m, c) };
	cut = new_cut(a, p);
	*cut = (struct cut){ n, ARENA_ARRAY(a, uint32_t, n), ARENA_ARRAY(a, uint32_t, n), (uint32_t)up(m->least) };
	for (uint32_t k = 0; k < n; k++) {
		cut->col[k] = term[k].col;
		cut->factor[k] = (uint32_t)term[k].factor;
	}
	return tableau_add(&p->t, m->in->rows + m->in->cols + p->cuts.n - 1, term, n, cut->least);
}

static uint32_t find_candidates(struct packing *p, struct maker *m, struct candidate *out)
{
	const double *x = tableau_line(&p->t, p->t.lines);
	uint32_t n = 0, columns = p->t.columns;

	for (uint32_t j = 1; j <= columns; j++) {
		double part = x[j] - floor(x[j]);

		if (!tableau_is_slack(&p->t, p->t.free_[j]) || part < 0.01 || part > 0.99)
			continue;
		for (size_t k = 0; k < COUNT(multiples); k++) {
			struct candidate c = { 0, j, multiples[k] };

			aggregate(m, j, multiples[k]);
			if ((c.depth = depth_of(m)) > LEAST_DEPTH)
				out[n++] = c;
		}
		p->t.work += COUNT(multiples) * (uint64_t)(p->t.lines + m->in->cols);
	}
	return n;
}

uint32_t cuts_add(struct arena *a, const struct instance *in, struct packing *p)
{
	struct maker m = { in, p, mem_array((size_t)in->cols + 1, sizeof(int64_t)), 0 };
	struct candidate *found = mem_array(COUNT(multiples) * (size_t)p->t.columns + 1, sizeof(*found));
	struct tableau_term *term = mem_array((size_t)in->cols + 1, sizeof(*term));
	uint32_t n = find_candidates(p, &m, found), added = 0;

	sort_array(found, n, sizeof(*found), deepest_first);
	for (uint32_t k = 0; k < n && added < PER_ROUND + in->rows / 10; k++) {
		if (k && fabs(found[k].depth - found[k - 1].depth) < 1e-9)
			continue; /* most often the same cut */
		aggregate(&m, found[k].column, found[k].multiple);
		if (!keep_cut(a, p, &m, term))
			break;
		added++;
	}
	mem_free(m.load);
	mem_free(found);
	mem_free(term);
	return added;
}
