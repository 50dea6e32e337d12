/* cover/solve.c -- sizes: reduce, bound, search, and write down the proof.
 *
 * Dual values: a row that forced its only column has y = 1; rows of a block
 * have those of its relaxation; all others 0.  A column forced by a row and in
 * a group with z > 0 would count twice, so its row gives way: y = 1 - z.  The
 * group's demand counts that column, so the sum is the same.
 */
#include "cover/solve.h"

#include <stdlib.h>

#include "base/forest.h"
#include "base/mem.h"
#include "cover/blocks.h"
#include "cover/improve.h"
#include "cover/local.h"
#include "cover/parts.h"
#include "cover/pieces.h"
#include "cover/round.h"
#include "cover/sweep.h"
#include "cover/tree.h"

#define ROOT_LEAST 50000000 /* numbers that the first relaxation may touch, however small the budget */
#define LOCAL_FIRST 300	    /* numbers that local search touches before the exact one, for each entry of the block */
#define LOCAL_PART 400	    /* or this part of the budget, */
#define LOCAL_MOST 10000    /* but so many at most, since small blocks are searched in less */
#define SEARCH_FIRST 8	    /* a search has this part of the budget before other ways are tried */
#define SWEEP_MORE 2	    /* a sweep has so many times the budget, */
#define PARTS_MORE 2	    /* parts so many times, */
#define SEARCH_LAST 2	    /* and the search after them so many times */
#define PIECES_PART 2	    /* of which pieces of the whole have one part in so many of the budget */
#define LOCAL_LAST 8	    /* and after it, where that had to give up: this part of the budget again */
#define LOCAL_KNOWN 60	    /* the same as LOCAL_FIRST, where a cover is known that much more was spent on */
#define KNOWN_MOST 4	    /* of so many rows of a block all but one are known */

struct job {
	const struct cover_problem *p;
	const struct open *o;
	const struct instance *in;
	struct reduction red;
	struct blocks blocks;
	struct solved *out;
	const struct solve_limits *limits;
	uint32_t *scratch;
	uint32_t block_cols;
	uint64_t nodes;	 /* that a block may cost: less, once some were given up */
	uint64_t sweep;	 /* the same of sweeps */
	uint32_t behind; /* blocks that follow */
};

static uint32_t group_of(const struct cover_problem *p, uint32_t d) { return p->group ? p->group[d] : COVER_NO_GROUP; }

static uint32_t larger(uint32_t x, uint32_t y) { return x > y ? x : y; }

static void note_dual(struct job *j, uint32_t row_id, uint32_t value)
{
	if (row_id < j->p->n)
		j->out->y[row_id] = value;
	else
		j->out->group_y[row_id - j->p->n] = value;
}

/* The block's optimum without its quotas, which is often what they need
 * anyway, and bounds from below where the relaxation of all at once does not:
 * without them it falls into small blocks.  0 if it has none, or no proof. */
static weight without_quotas(struct job *j, struct arena *a, struct search *s, const struct instance *in,
			     uint8_t *taken)
{
	uint32_t *row = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1), rows = 0,
		 *scratch = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	uint8_t *use = arena_alloc(a, (size_t)in->cols + 1), *got;
	struct instance part;
	weight cost;

	for (uint32_t r = 0; r < in->rows; r++)
		if (in->row_id[r] < j->p->n)
			row[rows++] = r;
	if (rows == in->rows)
		return 0;
	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	memset(use, 1, in->cols);
	instance_part(a, &part, in, row, rows, use, in->demand, in->w, scratch);
	got = arena_zalloc(a, (size_t)part.cols + 1);
	if (!search_cover(s, &part, WEIGHT_MAX, got) || s->exhausted)
		return 0;
	cost = instance_cost(&part, got);
	memset(use, 0, in->cols);
	for (uint32_t c = 0, at = 0; c < part.cols; c++) {
		while (in->col_id[at] != part.col_id[c])
			at++;
		use[at] = got[c];
	}
	if (cost < instance_cost(in, taken) && instance_covered(in, use))
		memcpy(taken, use, in->cols);
	return cost;
}

/* The bound that cuts reach before any branching. */
static uint32_t tightened(struct arena *a, struct search *s, const struct instance *in, const uint8_t *taken,
			  struct packing *relaxed)
{
	uint64_t before = relaxed->work;

	packing_tighten(a, in, instance_cost(in, taken), s->node_budget * SEARCH_WORK / 3, PACKING_ROUNDS, relaxed);
	s->work += relaxed->work - before;
	return (uint32_t)relaxed->bound;
}

/* The fewest columns: asks for a cover of exactly the bound, then one more,
 * and so on.  Returns the bound reached; the budget may end it early. */
static uint32_t close_gap(struct search *s, const struct instance *in, const struct packing *relaxed, uint32_t bound,
			  uint8_t *taken)
{
	uint32_t cost = (uint32_t)instance_cost(in, taken);

	for (; bound < cost; bound++) {
		if (packing_branches(relaxed) ? tree_search(s, in, relaxed, (weight)bound + 1, true, taken)
					      : search_any(s, in, (weight)bound + 1, taken))
			return bound;
		if (s->exhausted)
			return bound;
	}
	return cost;
}

/* What local search may touch before the exact one: little beside what that costs where the two differ by one. */
static uint64_t first_steps(const struct instance *in, uint64_t work)
{
	uint64_t entries = in->row_at[in->rows], steps = work / LOCAL_PART;

	steps = steps < LOCAL_MOST * entries ? steps : LOCAL_MOST * entries;
	steps = steps > LOCAL_FIRST * entries ? steps : LOCAL_FIRST * entries;
	return steps < work ? steps : work;
}

/* Was most of this block in components that an earlier search gave up? */
static bool is_known(const struct job *j, const struct instance *in)
{
	const struct cover_known *known = j->p->known;
	uint64_t rows = 0;

	for (uint32_t r = 0; known && r < in->rows; r++)
		rows += in->row_id[r] < j->p->n && known->given_up[in->row_id[r]];
	return rows && rows * KNOWN_MOST >= (uint64_t)in->rows * (KNOWN_MOST - 1);
}

/* What dual values prove of a block: those that no column has in common are rounded up apart. */
static uint32_t bound_by_pieces(const struct instance *in, const weight *u)
{
	uint32_t *up = forest_new(in->rows), bound = 0;
	weight *sum = mem_zarray((size_t)in->rows + 1, sizeof(*sum));

	for (uint32_t c = 0; c < in->cols; c++) {
		uint32_t first = UINT32_MAX;

		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++) {
			uint32_t r = in->col_row[i];

			if (u[r] && first != UINT32_MAX)
				forest_unite(up, first, r);
			else if (u[r])
				first = r;
		}
	}
	for (uint32_t r = 0; r < in->rows; r++)
		sum[forest_root(up, r)] += u[r] * in->demand[r];
	for (uint32_t r = 0; r < in->rows; r++)
		bound += (uint32_t)((sum[r] + PACKING_SCALE - 1) / PACKING_SCALE);
	mem_free(up);
	mem_free(sum);
	return bound;
}

/* A cover and dual values from what is known: work in proportion to the block, and no search. */
static uint32_t solve_known(struct job *j, struct search *s, const struct instance *in, struct packing *relaxed,
			    uint8_t *taken)
{
	const struct cover_known *known = j->p->known;
	uint8_t *old = mem_array((size_t)in->cols + 1, 1);
	uint32_t scale = PACKING_SCALE / known->denominator, bound;

	for (uint32_t c = 0; c < in->cols; c++)
		old[c] = known->kept[in->col_id[c]];
	round_complete(in, old);
	round_cover(in, NULL, taken);
	if (instance_cost(in, old) <= instance_cost(in, taken))
		memcpy(taken, old, in->cols);
	mem_free(old);
	for (uint32_t r = 0; r < in->rows; r++)
		relaxed->u[r] = (weight)known->y[in->row_id[r]] * scale;
	packing_repair(in, relaxed->u, PACKING_SCALE);
	bound = bound_by_pieces(in, relaxed->u);
	local_search(s, in, bound, LOCAL_KNOWN * in->row_at[in->rows], taken);
	return bound;
}

/* The documents that quotas ask for, which no two of them have in common: a bound with dual values of its own. */
static uint32_t bound_by_quotas(const struct job *j, const struct instance *in)
{
	uint32_t bound = 0;

	for (uint32_t r = 0; r < in->rows; r++)
		bound += in->row_id[r] >= j->p->n ? in->demand[r] : 0;
	return bound;
}

static void quota_duals(const struct job *j, const struct instance *in, weight *u)
{
	for (uint32_t r = 0; r < in->rows; r++)
		u[r] = in->row_id[r] >= j->p->n ? PACKING_SCALE : 0;
}

/* Of the last block, what a cover of all must have in it at least, by what the caller knows; 0: nothing. */
static uint32_t least_of_last(const struct job *j)
{
	uint64_t kept = 0;

	for (uint32_t d = 0; d < j->p->n; d++)
		kept += j->out->kept[d];
	return j->p->begin && !j->behind && j->p->least > kept ? (uint32_t)(j->p->least - kept) : 0;
}

/* The caller's cover, made whole by local search: true if that is as small as a cover can be. */
static bool make_whole(const struct job *j, struct search *s, const struct instance *in, uint32_t least, uint64_t work,
		       uint8_t *taken)
{
	if (!least)
		return false;
	for (uint32_t c = 0; c < in->cols; c++)
		taken[c] = j->p->begin[in->col_id[c]];
	round_complete(in, taken);
	local_search(s, in, least, first_steps(in, work), taken);
	return instance_cost(in, taken) <= least;
}

/* The ways of a search, each with what it and those behind it may cost, in eighths of a block's budget (a sweep apart). */
enum {
	FROM_LOCAL = 8 / LOCAL_LAST,
	FROM_LAST = 8 * SEARCH_LAST + FROM_LOCAL,
	FROM_PARTS = 8 * PARTS_MORE + FROM_LAST,
	FROM_SWEEP = 8 / LOCAL_LAST + FROM_PARTS,
	FROM_SEARCH = 8 / SEARCH_FIRST + FROM_SWEEP,
	WITH_QUOTAS = 8 + FROM_LOCAL + 4 /* a search with all of it, local search, improve_cover */
};

/* What is left of this block costs `eighths` of its budget at most, and `sweep` numbers.  Those behind it are larger, so they
 * are taken to be hard too, each with half of the budget of the one before, as solve_anew gives them when it gives one up. */
static void expect(const struct job *j, const struct search *s, uint64_t eighths, uint64_t sweep)
{
	struct effort *e = j->limits->effort;
	uint64_t nodes = j->nodes, most = e->done + s->before + s->work + sweep;

	most += nodes * SEARCH_WORK / 8 * eighths;
	for (uint32_t k = 0; k < j->behind; k++) {
		nodes = nodes > j->limits->nodes / 16 ? nodes / 2 : nodes;
		most += nodes * SEARCH_WORK / 8 * FROM_SEARCH;
	}
	e->most = most;
	search_tell(s, 0);
}

/* The minimum of a narrow block.  False if it is not narrow enough. */
static bool by_sweep(struct job *j, struct search *s, const struct instance *in, const weight *u, uint8_t *taken)
{
	struct search w = {
		.effort = s->effort, .before = s->before + s->work, .node_budget = UINT64_MAX, .deadline = s->deadline
	};
	weight *feasible = mem_array((size_t)in->rows + 1, sizeof(*feasible));
	bool through;

	memcpy(feasible, u, sizeof(*feasible) * in->rows);
	packing_repair(in, feasible, PACKING_SCALE);
	through = sweep_cover(&w, in, feasible, j->sweep * SWEEP_MORE * SEARCH_WORK, taken);
	mem_free(feasible);
	s->before += w.work;
	s->timed_out |= w.timed_out;
	if (!through && w.work / SEARCH_WORK >= j->sweep * SWEEP_MORE)
		j->sweep /= 2;
	return through;
}

/* Where the first part of the budget was not enough: a sweep, and otherwise what the block's parts and pieces tell, then
 * a search with all of it.  Returns the bound reached. */
static uint32_t close_otherwise(struct job *j, struct arena *a, struct search *s, struct instance *in,
				const struct packing *relaxed, uint32_t bound, uint8_t *taken)
{
	uint64_t work = j->nodes * SEARCH_WORK;
	struct packing anew;
	uint32_t first;

	expect(j, s, FROM_SWEEP, j->sweep * SWEEP_MORE * SEARCH_WORK);
	if (by_sweep(j, s, in, relaxed->u, taken)) {
		s->exhausted = false;
		return (uint32_t)instance_cost(in, taken);
	}
	if (s->timed_out)
		return bound;
	expect(j, s, FROM_SWEEP, 0);
	local_search(s, in, bound, work / LOCAL_LAST, taken);
	expect(j, s, FROM_PARTS, 0);
	s->exhausted = false;
	s->node_budget = s->work / SEARCH_WORK + PARTS_MORE * j->nodes;
	bound = larger(bound, parts_learn(a, s, in, (uint32_t)instance_cost(in, taken), PARTS_MORE * work));
	if (bound >= instance_cost(in, taken))
		return bound;
	expect(j, s, FROM_LAST, 0);
	s->node_budget = s->work / SEARCH_WORK + SEARCH_LAST * j->nodes;
	first = in->knowns;
	packing_solve(a, in, SEARCH_LAST * work, &anew);
	s->work += anew.work;
	if (!packing_branches(&anew))
		return close_gap(s, in, relaxed, bound, taken);
	pieces_learn(a, s, in, instance_cost(in, taken), work / PIECES_PART, &anew);
	pieces_prune(in, first, anew.x);
	bound = larger(bound, tightened(a, s, in, taken, &anew));
	return close_gap(s, in, &anew, bound, taken);
}

/* A cover and dual values from the relaxation, cuts, local search and branching.  Returns the bound reached. */
static uint32_t solve_anew(struct job *j, struct arena *a, struct search *s, struct instance *in,
			   struct packing *relaxed, uint8_t *taken)
{
	uint64_t work = j->nodes * SEARCH_WORK;
	uint32_t bound, quotas = bound_by_quotas(j, in), least = least_of_last(j);
	weight relieved;

	if (make_whole(j, s, in, least, work, taken)) {
		relaxed->u = ARENA_ARRAY(a, weight, (size_t)in->rows + 1);
		quota_duals(j, in, relaxed->u);
		return (uint32_t)instance_cost(in, taken);
	}
	packing_solve(a, in, work < ROOT_LEAST ? ROOT_LEAST : work < PACKING_WORK ? work : PACKING_WORK, relaxed);
	round_cover(in, relaxed->x, taken);
	bound = (uint32_t)relaxed->bound;
	if (bound < quotas) {
		quota_duals(j, in, relaxed->u);
		bound = quotas;
	}
	if (instance_cost(in, taken) <= bound)
		return bound;
	expect(j, s, quotas ? WITH_QUOTAS : FROM_SEARCH, quotas ? 0 : j->sweep * SWEEP_MORE * SEARCH_WORK);
	bound = larger(bound, tightened(a, s, in, taken, relaxed));
	local_search(s, in, bound, first_steps(in, work), taken);
	relieved = without_quotas(j, a, s, in, taken);
	bound = larger(bound, (uint32_t)relieved);
	s->node_budget = quotas ? j->nodes : s->work / SEARCH_WORK + 1 + j->nodes / SEARCH_FIRST;
	expect(j, s, quotas ? WITH_QUOTAS : FROM_SEARCH, quotas ? 0 : j->sweep * SWEEP_MORE * SEARCH_WORK);
	bound = close_gap(s, in, relaxed, bound, taken);
	if (s->exhausted && !s->timed_out && !quotas)
		bound = close_otherwise(j, a, s, in, relaxed, bound, taken);
	if (s->exhausted && !quotas)
		expect(j, s, FROM_LOCAL, 0);
	if (s->exhausted && (!local_search(s, in, bound, work / LOCAL_LAST, taken) || quotas))
		improve_cover(s, in, bound, taken);
	if (s->exhausted && j->nodes > j->limits->nodes / 16)
		j->nodes /= 2;
	return bound;
}

static void solve_block(struct job *j, uint32_t k)
{
	struct solved_block *b = &j->out->block[k];
	struct effort *e = j->limits->effort;
	struct search s = { .effort = e, .node_budget = j->nodes, .deadline = j->limits->deadline };
	struct packing relaxed = { 0 };
	struct arena a = { 0 };
	struct instance in;
	uint8_t *taken;

	blocks_cut(&a, j->in, &j->red, &j->blocks, k, j->in->w, j->scratch, &in);
	taken = arena_zalloc(&a, (size_t)in.cols + 1);
	if (is_known(j, &in)) {
		relaxed.u = ARENA_ARRAY(&a, weight, (size_t)in.rows + 1);
		b->lower = solve_known(j, &s, &in, &relaxed, taken);
	} else {
		b->lower = solve_anew(j, &a, &s, &in, &relaxed, taken);
	}
	b->cost = (uint32_t)instance_cost(&in, taken);
	packing_repair(&in, relaxed.u, PACKING_SCALE);
	for (uint32_t r = 0; r < in.rows; r++)
		note_dual(j, in.row_id[r], (uint32_t)relaxed.u[r]);
	b->certified = bound_by_pieces(&in, relaxed.u);
	if (b->certified > b->lower)
		b->lower = b->certified;
	b->status = b->certified == b->cost ? COVER_CERTIFIED : b->lower == b->cost ? COVER_SEARCHED : COVER_BOUNDED;
	b->first = j->block_cols;
	b->cols = in.cols;
	for (uint32_t c = 0; c < in.cols; c++) {
		j->out->block_col[j->block_cols++] = in.col_id[c];
		j->out->kept[in.col_id[c]] |= taken[c];
	}
	j->out->nodes += s.nodes;
	j->out->pivots += s.pivots + relaxed.pivots;
	j->out->timed_out |= s.timed_out;
	e->done += e->most ? s.before + s.work : 0;
	e->most = 0;
	arena_release(&a);
}

/* -1, 0, 1: x is worth less, as much, more than y. */
static int compare_value(const struct cover_problem *p, uint32_t x, uint32_t y)
{
	if (p->previous && !p->previous[x] != !p->previous[y])
		return p->previous[x] ? 1 : -1;
	if (p->prefer && p->prefer[x] != p->prefer[y])
		return p->prefer[x] > p->prefer[y] ? 1 : -1;
	return 0;
}

static int best_first(const void *x, const void *y, void *context)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_value(context, b, a);

	return c ? c : a < b ? -1 : a > b;
}

/* Fills a loose quota (row r): true if its blocks had left it short, and then
 * the quota is the whole bound of what it touches. */
static void pad(struct job *j, uint32_t r)
{
	const struct instance *in = j->in;
	uint32_t g = in->row_id[r] - j->p->n, missing = j->red.demand[r], n = 0, *free_;

	for (uint64_t i = in->row_at[r]; missing && i < in->row_at[r + 1]; i++)
		missing -= j->out->kept[in->col_id[in->row_col[i]]] && !j->red.taken[in->row_col[i]];
	if (!missing)
		return;
	free_ = mem_array(in->row_at[r + 1] - in->row_at[r] + 1, sizeof(*free_));
	for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++)
		if (!j->out->kept[in->col_id[in->row_col[i]]])
			free_[n++] = in->col_id[in->row_col[i]];
	qsort_r(free_, n, sizeof(*free_), best_first, (void *)(uintptr_t)j->p);
	for (uint32_t i = 0; i < missing; i++)
		j->out->kept[free_[i]] = 1;
	mem_free(free_);
	j->out->group_y[g] = PACKING_SCALE;
	for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++) {
		uint32_t k = j->blocks.col_block[in->row_col[i]];
		struct solved_block *b;

		if (k == UINT32_MAX)
			continue;
		for (uint32_t q = j->blocks.row_first[k]; q < j->blocks.row_first[k + 1]; q++)
			note_dual(j, in->row_id[j->blocks.rows[q]], 0);
		b = &j->out->block[k]; /* however good its own cover is, the quota asks for more */
		b->status = COVER_CERTIFIED;
		b->lower = b->certified = b->cost;
	}
}

static void forced_duals(struct job *j)
{
	const struct cover_problem *p = j->p;

	for (uint32_t d = 0; d < p->n; d++) /* documents without coverers */
		if (j->o->sure[d] && !(p->pinned && p->pinned[d]))
			j->out->y[d] = PACKING_SCALE;
	for (uint32_t c = 0; c < j->in->cols; c++)
		if (j->red.taken[c]) {
			j->out->kept[j->in->col_id[c]] = 1;
			note_dual(j, j->in->row_id[j->red.why[c]], PACKING_SCALE);
		}
}

/* Where a forced column's group has a value of its own, the row that forced it gives way. */
static void yield_to_quotas(struct job *j)
{
	const struct cover_problem *p = j->p;

	for (uint32_t d = 0; p->group && d < p->n; d++)
		if (j->o->sure[d] && !(p->pinned && p->pinned[d]) && group_of(p, d) != COVER_NO_GROUP)
			j->out->y[d] -= j->out->group_y[p->group[d]];
	for (uint32_t c = 0; p->group && c < j->in->cols; c++)
		if (j->red.taken[c] && j->in->row_id[j->red.why[c]] < p->n &&
		    group_of(p, j->in->col_id[c]) != COVER_NO_GROUP)
			j->out->y[j->in->row_id[j->red.why[c]]] -= j->out->group_y[p->group[j->in->col_id[c]]];
}

static int by_rows(const void *x, const void *y, void *context)
{
	const struct blocks *b = context;
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y, m = b->row_first[p + 1] - b->row_first[p],
		 n = b->row_first[q + 1] - b->row_first[q];

	if (m != n)
		return m < n ? -1 : 1;
	return p < q ? -1 : p > q;
}

/* The order in which blocks are solved: what is given up costs those that follow, so the easy ones come first. */
static uint32_t *smallest_first(struct arena *a, const struct blocks *b)
{
	uint32_t *order = ARENA_ARRAY(a, uint32_t, (size_t)b->n + 1);

	for (uint32_t k = 0; k < b->n; k++)
		order[k] = k;
	qsort_r(order, b->n, sizeof(*order), by_rows, (void *)(uintptr_t)b);
	return order;
}

void solve_size(struct arena *a, const struct cover_problem *p, const struct open *o, const struct solve_limits *l,
		struct solved *out)
{
	struct job j = { .p = p, .o = o, .in = &o->in, .out = out, .limits = l, .nodes = l->nodes, .sweep = l->nodes };
	struct arena local = { 0 };
	uint32_t *order;

	*out = (struct solved){ .kept = arena_alloc(a, (size_t)p->n + 1),
				.y = arena_zalloc(a, sizeof(*out->y) * ((size_t)p->n + 1)),
				.group_y = arena_zalloc(a, sizeof(*out->group_y) * ((size_t)p->groups + 1)) };
	memcpy(out->kept, o->sure, p->n);
	reduce(&local, j.in, &j.red);
	forced_duals(&j);
	blocks_find(&local, j.in, &j.red, p->n, NULL, &j.blocks);
	out->blocks = j.blocks.n;
	out->rows_left = j.red.rows_left;
	out->cols_left = j.red.cols_left;
	out->forced = o->sure_count + j.red.taken_count;
	out->block = arena_zalloc(a, sizeof(*out->block) * ((size_t)out->blocks + 1));
	out->block_col = ARENA_ARRAY(a, uint32_t, (size_t)j.red.cols_left + 1);
	j.scratch = ARENA_ARRAY(&local, uint32_t, (size_t)j.in->cols + 1);
	memset(j.scratch, 0xff, sizeof(*j.scratch) * j.in->cols);
	order = smallest_first(&local, &j.blocks);
	for (uint32_t k = 0; k < out->blocks; k++) {
		j.behind = out->blocks - k - 1;
		solve_block(&j, order[k]);
	}
	for (uint32_t r = 0; r < j.in->rows; r++)
		if (j.blocks.loose[r])
			pad(&j, r);
	yield_to_quotas(&j);
	arena_release(&local);
}
