/* cover/search.c -- branch and bound over reduced blocks.
 *
 * Recursion is by instances: a branch is the block without the column, with
 * the rows it covered gone or their demand less.  Depth is bounded by the
 * number of columns of a block, nodes by the budget.  Each node owns an arena.
 */
#include "cover/search.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/task.h"
#include "cover/local.h"
#include "cover/reduce.h"
#include "cover/round.h"
#include "cover/tree.h"

#define LOCAL_STEPS 100 /* numbers that local search touches for a bound, for each entry of a block */

void search_tell(const struct search *s, uint64_t more)
{
	struct effort *e = s->effort;
	uint64_t done;

	if (!e || !e->progress || !e->most)
		return;
	done = e->done + s->before + s->work + more;
	e->told = done > e->told ? done : e->told;
	e->progress(e->context, e->told / SEARCH_WORK, (e->told > e->most ? e->told : e->most) / SEARCH_WORK);
}

bool search_spent(struct search *s)
{
	search_tell(s, 0);
	if (s->exhausted)
		return true;
	s->exhausted = s->nodes >= s->node_budget || s->work / SEARCH_WORK >= s->node_budget || task_interrupted();
	if (s->deadline > 0 && !s->exhausted) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		if ((double)now.tv_sec + (double)now.tv_nsec / 1e9 > s->deadline)
			s->exhausted = s->timed_out = true;
	}
	return s->exhausted;
}

/* The column nearest to a coin toss; longer ones first, then by number. */
static uint32_t branching_column(const struct instance *in, const double *x)
{
	uint32_t best = 0;
	double best_score = -1;

	for (uint32_t c = 0; c < in->cols; c++) {
		double f = fabs(x[c] - 0.5);
		double score = (f > 0.5 ? 0 : 0.5 - f) + 1e-6 * (double)(in->col_at[c + 1] - in->col_at[c]);

		if (score > best_score) {
			best_score = score;
			best = c;
		}
	}
	return best;
}

/* Columns that a cover under `below` may hold: with any other it would cost too much. */
static void affordable(const struct instance *in, const struct packing *relaxed, weight below, uint8_t *use)
{
	weight room = (below - 1) * PACKING_SCALE - relaxed->value;

	for (uint32_t c = 0; c < in->cols; c++)
		use[c] = relaxed->reduced[c] <= room;
}

/* The block with column c taken or refused, of the columns in use; false if a row is left without. */
static bool child_of(struct arena *a, const struct instance *in, uint32_t c, bool take, const uint8_t *may,
		     struct instance *out)
{
	uint8_t *use = arena_alloc(a, (size_t)in->cols + 1);
	uint32_t *demand = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
		 *row = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1);
	uint32_t *scratch = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1), rows = 0;

	memcpy(use, may, in->cols);
	use[c] = 0;
	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	memcpy(demand, in->demand, sizeof(*demand) * in->rows);
	for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++) {
		uint32_t r = in->col_row[i];

		if (take)
			demand[r]--;
		if (in->row_at[r + 1] - in->row_at[r] - 1 < demand[r])
			return false;
	}
	for (uint32_t r = 0; r < in->rows; r++)
		if (demand[r])
			row[rows++] = r;
	instance_part(a, out, in, row, rows, use, demand, in->w, scratch);
	/* in these parts a column's name is its number in the block */
	for (uint32_t k = 0, from = 0; k < out->cols; k++) {
		while (in->col_id[from] != out->col_id[k])
			from++;
		out->col_id[k] = from;
	}
	memset(use, 0, in->cols);
	use[c] = take;
	instance_know(a, out, in, out->col_id, use, NULL);
	return true;
}

static bool search_node(struct search *s, const struct instance *in, weight below, bool any, uint8_t *taken);

/* As search_node, for a block whose relaxation is known. */
static bool branch(struct search *s, const struct instance *in, const struct packing *relaxed, weight below, bool any,
		   uint8_t *taken)
{
	uint32_t c = branching_column(in, relaxed->x);
	bool found = false;
	uint8_t *may;

	if (packing_branches(relaxed))
		return tree_search(s, in, relaxed, below, any, taken);
	may = mem_array((size_t)in->cols + 1, 1);

	for (int take = 1; take >= 0 && !s->exhausted && !(found && any); take--) {
		struct arena a = { 0 };
		struct instance child;
		uint8_t *got;

		affordable(in, relaxed, below, may);
		if (!(take && !may[c]) && child_of(&a, in, c, take, may, &child)) {
			got = arena_zalloc(&a, (size_t)child.cols + 1);
			if (search_node(s, &child, below - (take ? in->w[c] : 0), any, got)) {
				found = true;
				memset(taken, 0, in->cols);
				taken[c] = (uint8_t)take;
				for (uint32_t k = 0; k < child.cols; k++)
					taken[child.col_id[k]] |= got[k];
				below = instance_cost(in, taken);
			}
		}
		arena_release(&a);
	}
	mem_free(may);
	return found;
}

struct block {
	struct instance in;
	struct packing relaxed;
	uint8_t *taken; /* the best cover known */
	weight cost;
	uint32_t *col; /* number in the parent of each column */
};

uint64_t search_work_left(const struct search *s)
{
	uint64_t budget = s->node_budget * SEARCH_WORK, left = budget > s->work ? (budget - s->work) / 2 : 0;

	return left > PACKING_WORK ? PACKING_WORK : left < 1000000 ? 1000000 : left;
}

static void block_open(struct arena *a, struct search *s, struct block *b, const struct instance *in,
		       const struct reduction *red, const uint32_t *row, uint32_t rows, uint32_t *scratch)
{
	uint32_t from = 0;

	instance_part(a, &b->in, in, row, rows, red->col_alive, red->demand, in->w, scratch);
	b->col = ARENA_ARRAY(a, uint32_t, (size_t)b->in.cols + 1);
	for (uint32_t k = 0; k < b->in.cols; k++) {
		while (in->col_id[from] != b->in.col_id[k])
			from++;
		b->col[k] = from;
	}
	instance_know(a, &b->in, in, b->col, red->taken, red->col_alive);
	packing_solve(a, &b->in, search_work_left(s), &b->relaxed);
	s->pivots += b->relaxed.pivots;
	s->work += b->relaxed.work;
	b->taken = arena_zalloc(a, (size_t)b->in.cols + 1);
	round_cover(&b->in, b->relaxed.x, b->taken);
	b->cost = instance_cost(&b->in, b->taken);
}

/* Cuts, where they may show that there is no cover that is cheap enough; by how much the bound rose. */
static weight block_tighten(struct arena *a, struct search *s, struct block *b, weight missing)
{
	weight before = b->relaxed.bound, target = before + missing < b->cost ? before + missing : b->cost;
	uint64_t pivots = b->relaxed.pivots, work = b->relaxed.work;

	if (target <= before)
		return 0;
	packing_tighten(a, &b->in, target, search_work_left(s), PACKING_ROUNDS, &b->relaxed);
	s->pivots += b->relaxed.pivots - pivots;
	s->work += b->relaxed.work - work;
	return b->relaxed.bound - before;
}

static uint32_t open_blocks(struct arena *a, struct search *s, const struct instance *in, const struct reduction *red,
			    struct block **out)
{
	uint32_t *block = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
		 *row = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1);
	uint32_t *scratch = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1),
		 blocks = instance_blocks(in, red->row_alive, red->col_alive, block);
	uint32_t *at = arena_zalloc(a, sizeof(*at) * ((size_t)blocks + 2));

	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	for (uint32_t r = 0; r < in->rows; r++)
		if (red->row_alive[r])
			at[block[r] + 2]++;
	for (uint32_t b = 0; b < blocks; b++)
		at[b + 2] += at[b + 1];
	for (uint32_t r = 0; r < in->rows; r++)
		if (red->row_alive[r])
			row[at[block[r] + 1]++] = r;
	*out = arena_zalloc(a, sizeof(**out) * ((size_t)blocks + 1));
	for (uint32_t b = 0; b < blocks; b++)
		block_open(a, s, &(*out)[b], in, red, row + at[b], at[b + 1] - at[b], scratch);
	return blocks;
}

/* any: the first cover under `below` will do.  Only the last block may stop at
 * that: what an earlier one saves may be needed by a later one. */
static bool search_node(struct search *s, const struct instance *in, weight below, bool any, uint8_t *taken)
{
	struct arena a = { 0 };
	struct reduction red;
	struct block *block;
	uint32_t blocks;
	weight fixed = 0, bounds = 0, total;
	bool found = false;

	if (search_spent(s))
		return false;
	s->nodes++;
	reduce(&a, in, &red);
	if (red.infeasible)
		goto out;
	for (uint32_t c = 0; c < in->cols; c++)
		if (red.taken[c])
			fixed += in->w[c];
	if (fixed >= below)
		goto out;
	blocks = open_blocks(&a, s, in, &red, &block);
	for (uint32_t b = 0; b < blocks; b++)
		bounds += block[b].relaxed.bound;
	total = fixed + bounds;
	for (uint32_t b = 0; b < blocks && total < below; b++)
		total += block_tighten(&a, s, &block[b], below - total);
	for (uint32_t b = 0; b < blocks && total < below; b++) {
		struct block *k = &block[b];
		bool enough = any && b + 1 == blocks;

		total += k->cost - k->relaxed.bound;
		if (k->cost > k->relaxed.bound && !(enough && total < below)) {
			weight target = k->cost < k->cost + below - total ? k->cost : k->cost + below - total;

			/* a cover under its target, or proof that there is none */
			if (branch(s, &k->in, &k->relaxed, target, enough, k->taken)) {
				total -= k->cost;
				k->cost = instance_cost(&k->in, k->taken);
				total += k->cost;
			} else if (s->exhausted && total >= below)
				break;
		}
	}
	if (total < below) {
		found = true;
		memcpy(taken, red.taken, in->cols);
		for (uint32_t b = 0; b < blocks; b++)
			for (uint32_t k = 0; k < block[b].in.cols; k++)
				taken[block[b].col[k]] |= block[b].taken[k];
	}
out:
	arena_release(&a);
	return found;
}

bool search_cover(struct search *s, const struct instance *in, weight below, uint8_t *taken)
{
	return search_node(s, in, below, false, taken);
}

bool search_any(struct search *s, const struct instance *in, weight below, uint8_t *taken)
{
	return search_node(s, in, below, true, taken);
}

/* Asks a block for a cover of exactly the bound, then of one more, and so on. */
static weight bound_of_block(struct arena *a, struct search *s, struct block *b)
{
	weight bound;

	if (b->cost > b->relaxed.bound)
		local_search(s, &b->in, b->relaxed.bound, LOCAL_STEPS * b->in.row_at[b->in.rows], b->taken);
	b->cost = instance_cost(&b->in, b->taken);
	block_tighten(a, s, b, b->cost - b->relaxed.bound);
	for (bound = b->relaxed.bound; bound < b->cost; bound++)
		if (branch(s, &b->in, &b->relaxed, bound + 1, true, b->taken) || s->exhausted)
			break;
	return bound;
}

weight search_bound(struct search *s, const struct instance *in, weight *relaxed)
{
	struct arena a = { 0 };
	struct reduction red;
	struct block *block;
	uint32_t blocks;
	weight bound = 0;

	reduce(&a, in, &red);
	for (uint32_t c = 0; c < in->cols; c++)
		bound += red.taken[c] ? in->w[c] : 0;
	blocks = open_blocks(&a, s, in, &red, &block);
	*relaxed = bound * PACKING_SCALE;
	for (uint32_t b = 0; b < blocks; b++)
		*relaxed += block[b].relaxed.value;
	for (uint32_t b = 0; b < blocks; b++)
		bound += bound_of_block(&a, s, &block[b]);
	arena_release(&a);
	return bound;
}
