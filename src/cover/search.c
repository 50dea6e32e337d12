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
#include "cover/reduce.h"

struct ranked {
	double key;
	uint32_t col;
};

static int by_key(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return a->col < b->col ? -1 : a->col > b->col;
}

static int by_weight(const void *x, const void *y, void *context)
{
	const weight *w = context;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (w[a] != w[b])
		return w[a] > w[b] ? -1 : 1;
	return a > b ? -1 : a < b;
}

/* Takes out what the rest covers anyway, the dearest first. */
static void drop_redundant(const struct instance *in, uint8_t *taken)
{
	uint32_t *count = mem_zarray((size_t)in->rows + 1, sizeof(*count)),
		 *list = mem_array((size_t)in->cols + 1, sizeof(*list)), n = 0;

	for (uint32_t c = 0; c < in->cols; c++)
		if (taken[c]) {
			list[n++] = c;
			for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
				count[in->col_row[i]]++;
		}
	qsort_r(list, n, sizeof(*list), by_weight, in->w);
	for (uint32_t k = 0; k < n; k++) {
		bool needed = false;
		uint32_t c = list[k];

		for (uint64_t i = in->col_at[c]; !needed && i < in->col_at[c + 1]; i++)
			needed = count[in->col_row[i]] <= in->demand[in->col_row[i]];
		if (needed)
			continue;
		taken[c] = 0;
		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			count[in->col_row[i]]--;
	}
	mem_free(count);
	mem_free(list);
}

/* Columns in falling order of x, each if it still covers something. */
static void round_fraction(const struct instance *in, const double *x, uint8_t *taken)
{
	struct ranked *order = mem_array((size_t)in->cols + 1, sizeof(*order));
	uint32_t *open = mem_array((size_t)in->rows + 1, sizeof(*open));

	for (uint32_t c = 0; c < in->cols; c++)
		order[c] = (struct ranked){ x[c], c };
	sort_array(order, in->cols, sizeof(*order), by_key);
	memcpy(open, in->demand, sizeof(*open) * in->rows);
	memset(taken, 0, in->cols);
	for (uint32_t k = 0; k < in->cols; k++) {
		uint32_t c = order[k].col;
		bool useful = false;

		for (uint64_t i = in->col_at[c]; !useful && i < in->col_at[c + 1]; i++)
			useful = open[in->col_row[i]] > 0;
		if (!useful)
			continue;
		taken[c] = 1;
		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			open[in->col_row[i]] -= open[in->col_row[i]] > 0;
	}
	mem_free(order);
	mem_free(open);
	drop_redundant(in, taken);
}

/* Greedy by gain per weight, with a lazy heap: gains only fall, so a column
 * whose gain is still true when it comes to the top is the best. */
static void greedy(const struct instance *in, uint8_t *taken)
{
	struct ranked *heap = mem_array((size_t)in->cols + 1, sizeof(*heap));
	uint32_t *open = mem_array((size_t)in->rows + 1, sizeof(*open)), n = in->cols;
	uint64_t left = 0;

	memset(taken, 0, in->cols);
	memcpy(open, in->demand, sizeof(*open) * in->rows);
	for (uint32_t r = 0; r < in->rows; r++)
		left += open[r];
	for (uint32_t c = 0; c < n; c++)
		heap[c] = (struct ranked){ (double)(in->col_at[c + 1] - in->col_at[c]) / (double)in->w[c], c };
	sort_array(heap, n, sizeof(*heap), by_key); /* a sorted array is a heap */
	while (left && n) {
		uint32_t c = heap[0].col, gain = 0, at = 0;

		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			gain += open[in->col_row[i]] > 0;
		if (gain && (double)gain / (double)in->w[c] == heap[0].key) {
			taken[c] = 1;
			left -= gain;
			for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
				open[in->col_row[i]] -= open[in->col_row[i]] > 0;
			gain = 0;
		}
		if (gain)
			heap[0].key = (double)gain / (double)in->w[c];
		else
			heap[0] = heap[--n];
		for (;;) { /* sift down */
			uint32_t child = 2 * at + 1;
			struct ranked moved = heap[at];

			if (child >= n)
				break;
			if (child + 1 < n && by_key(&heap[child + 1], &heap[child]) < 0)
				child++;
			if (by_key(&moved, &heap[child]) < 0)
				break;
			heap[at] = heap[child];
			heap[child] = moved;
			at = child;
		}
	}
	mem_free(heap);
	mem_free(open);
	drop_redundant(in, taken);
}

void search_round(const struct instance *in, const double *x, uint8_t *taken)
{
	uint8_t *other;

	greedy(in, taken);
	if (!x)
		return;
	other = mem_zarray((size_t)in->cols + 1, 1);
	round_fraction(in, x, other);
	if (instance_cost(in, other) <= instance_cost(in, taken))
		memcpy(taken, other, in->cols);
	mem_free(other);
}

static bool out_of_budget(struct search *s)
{
	if (s->exhausted)
		return true;
	s->exhausted = s->nodes >= s->node_budget || s->work / SEARCH_WORK >= s->node_budget;
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
	return true;
}

static bool search_node(struct search *s, const struct instance *in, weight below, bool any, uint8_t *taken);

/* As search_node, for a block whose relaxation is known. */
static bool branch(struct search *s, const struct instance *in, const struct packing *relaxed, weight below, bool any,
		   uint8_t *taken)
{
	uint32_t c = branching_column(in, relaxed->x);
	bool found = false;
	uint8_t *may = mem_array((size_t)in->cols + 1, 1);

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

/* What a single relaxation may cost: half of what is left, but enough for a small one. */
static uint64_t work_left(const struct search *s)
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
	packing_solve(a, &b->in, work_left(s), &b->relaxed);
	s->pivots += b->relaxed.pivots;
	s->work += b->relaxed.work;
	b->taken = arena_zalloc(a, (size_t)b->in.cols + 1);
	search_round(&b->in, b->relaxed.x, b->taken);
	b->cost = instance_cost(&b->in, b->taken);
}

/* Cuts, where they may show that there is no cover that is cheap enough; by how much the bound rose. */
static weight block_tighten(struct arena *a, struct search *s, struct block *b, weight missing)
{
	weight before = b->relaxed.bound, target = before + missing < b->cost ? before + missing : b->cost;
	uint64_t pivots = b->relaxed.pivots, work = b->relaxed.work;

	if (target <= before)
		return 0;
	packing_tighten(a, &b->in, target, work_left(s), &b->relaxed);
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

	if (out_of_budget(s))
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
