/* Bounds are bounds, whatever made them; reductions keep the optimum. */
#include <math.h>

#include "cover/local.h"
#include "cover/packing.h"
#include "cover/reduce.h"
#include "cover/round.h"
#include "cover/search.h"
#include "cover/tree.h"
#include "test.h"

static void draw_instance(struct test *t, struct instance *in, uint32_t rows, uint32_t cols, uint32_t quota)
{
	uint64_t at = 0;

	*in = (struct instance){ .rows = rows, .cols = cols };
	in->row_at = ARENA_ARRAY(t->arena, uint64_t, rows + 1);
	in->row_col = ARENA_ARRAY(t->arena, uint32_t, rows * cols + 1);
	in->demand = ARENA_ARRAY(t->arena, uint32_t, rows + 1);
	in->row_id = ARENA_ARRAY(t->arena, uint32_t, rows + 1);
	in->col_id = ARENA_ARRAY(t->arena, uint32_t, cols + 1);
	in->w = ARENA_ARRAY(t->arena, weight, cols + 1);
	for (uint32_t r = 0; r < rows; r++) {
		in->row_at[r] = at;
		in->row_id[r] = r;
		for (uint32_t c = 0; c < cols; c++)
			if (test_below(t, 3) == 0)
				in->row_col[at++] = c;
		if (at == in->row_at[r])
			in->row_col[at++] = (uint32_t)test_below(t, cols);
		in->demand[r] = r < quota ? 1 + (uint32_t)test_below(t, at - in->row_at[r]) : 1;
	}
	in->row_at[rows] = at;
	for (uint32_t c = 0; c < cols; c++) {
		in->col_id[c] = c;
		in->w[c] = 1 + (weight)test_below(t, 5);
	}
	instance_transpose(t->arena, in);
}

/* Two columns in each row: where odd rings are, the relaxation is halves. */
static void draw_pairs(struct test *t, struct instance *in, uint32_t rows, uint32_t cols)
{
	draw_instance(t, in, rows, cols, 0);
	for (uint32_t r = 0; r < rows; r++) {
		uint32_t x = (uint32_t)test_below(t, cols - 1), y = x + 1 + (uint32_t)test_below(t, cols - x - 1);

		in->row_at[r] = 2 * (uint64_t)r;
		in->row_col[in->row_at[r]] = x;
		in->row_col[in->row_at[r] + 1] = y;
	}
	in->row_at[rows] = 2 * (uint64_t)rows;
	instance_transpose(t->arena, in);
}

static weight cheapest(const struct instance *in, struct test *t)
{
	uint8_t *taken = arena_alloc(t->arena, in->cols + 1);
	weight best = WEIGHT_MAX;

	for (uint32_t k = 0; k < 1u << in->cols; k++) {
		for (uint32_t c = 0; c < in->cols; c++)
			taken[c] = k >> c & 1;
		if (instance_covered(in, taken) && instance_cost(in, taken) < best)
			best = instance_cost(in, taken);
	}
	return best;
}

TEST(packing, bounds_and_search_agree_with_all_subsets)
{
	for (int i = 0; i < 1500 && !t->failures; i++) {
		struct instance in;
		struct packing relaxed;
		struct search s = { .node_budget = 100000 };
		uint8_t taken[16] = { 0 };
		weight best;

		draw_instance(t, &in, 1 + (uint32_t)test_below(t, 10), 1 + (uint32_t)test_below(t, 9),
			      (uint32_t)test_below(t, 3));
		best = cheapest(&in, t);
		packing_solve(t->arena, &in, test_below(t, 4) ? PACKING_WORK : 0, &relaxed); /* 0: subgradients */
		CHECK(relaxed.bound <= best, "relaxation above the optimum");
		round_cover(&in, relaxed.x, taken);
		CHECK(instance_covered(&in, taken) && instance_cost(&in, taken) >= best);
		CHECK(search_cover(&s, &in, WEIGHT_MAX, taken) && instance_covered(&in, taken));
		CHECK(instance_cost(&in, taken) == best, "search: %lld, optimum %lld",
		      (long long)instance_cost(&in, taken), (long long)best);
		CHECK(!search_cover(&s, &in, best, taken), "nothing is cheaper than the optimum");
	}
}

/* The cheapest cover under `best`, by trying every column of the first row that is open, and nothing clever. */
static weight cheapest_by_rows(const struct instance *in, uint8_t *taken, weight cost, weight best)
{
	uint32_t r = 0;

	if (cost >= best)
		return best;
	for (; r < in->rows; r++) {
		uint32_t got = 0;

		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++)
			got += taken[in->row_col[i]];
		if (got < in->demand[r])
			break;
	}
	if (r == in->rows)
		return cost;
	for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++) {
		uint32_t c = in->row_col[i];

		if (taken[c])
			continue;
		taken[c] = 1;
		best = cheapest_by_rows(in, taken, cost + in->w[c], best);
		taken[c] = 0;
	}
	return best;
}

/* Each column covers its own row and a few others, as documents do; the last row may be a quota's. */
static void draw_documents(struct test *t, struct instance *in, uint32_t n, uint32_t others, bool equal)
{
	bool quota = test_below(t, 3) == 0;

	draw_instance(t, in, n, n, 0);
	for (uint32_t r = 0, at = 0; r < n; r++) {
		in->row_at[r] = at;
		for (uint32_t c = 0; c < n; c++)
			if (c == r || test_below(t, n) < (quota && r == n - 1 ? n / 3 : others))
				in->row_col[at++] = c;
		in->row_at[r + 1] = at;
	}
	if (quota && in->row_at[n] - in->row_at[n - 1] > 4)
		in->demand[n - 1] = 2 + (uint32_t)test_below(t, 3);
	for (uint32_t c = 0; c < n; c++)
		in->w[c] = equal ? 1 : 1000000 - (weight)test_below(t, 1000);
	instance_transpose(t->arena, in);
}

TEST(packing, branches_agree_with_a_plain_search)
{
	uint64_t nodes = 0;

	for (int i = 0; i < 60 && !t->failures; i++) {
		struct instance in;
		struct packing relaxed;
		struct search s = { .node_budget = 100000 };
		uint8_t taken[64] = { 0 };
		bool any = test_below(t, 2);
		weight best;

		draw_documents(t, &in, 16 + (uint32_t)test_below(t, 20), 2 + (uint32_t)test_below(t, 3),
			       test_below(t, 2));
		best = cheapest_by_rows(&in, taken, 0, WEIGHT_MAX);
		packing_solve(t->arena, &in, PACKING_WORK, &relaxed);
		CHECK(relaxed.bound <= best && packing_branches(&relaxed));
		CHECK(!tree_search(&s, &in, &relaxed, best, any, taken), "nothing is cheaper than the optimum");
		CHECK(tree_search(&s, &in, &relaxed, best + 1, any, taken) && instance_covered(&in, taken));
		CHECK(instance_cost(&in, taken) == best);
		CHECK(tree_search(&s, &in, &relaxed, WEIGHT_MAX, false, taken) && instance_covered(&in, taken));
		CHECK(instance_cost(&in, taken) == best && !s.exhausted);
		nodes += s.nodes;
	}
	CHECK(nodes > 200, "only %llu nodes", (unsigned long long)nodes);
}

/* The cheapest cover among those with column c. */
static weight cheapest_with(const struct instance *in, struct test *t, uint32_t c)
{
	uint8_t *taken = arena_alloc(t->arena, in->cols + 1);
	weight best = WEIGHT_MAX;

	for (uint32_t k = 0; k < 1u << in->cols; k++) {
		for (uint32_t i = 0; i < in->cols; i++)
			taken[i] = k >> i & 1;
		if (taken[c] && instance_covered(in, taken) && instance_cost(in, taken) < best)
			best = instance_cost(in, taken);
	}
	return best;
}

TEST(packing, cuts_hold_for_every_cover)
{
	uint32_t raised = 0;

	for (int i = 0; i < 600 && !t->failures; i++) {
		struct instance in;
		struct packing relaxed;
		weight best, before, value;
		bool equal = test_below(t, 2) == 0;

		if (test_below(t, 2))
			draw_pairs(t, &in, 3 + (uint32_t)test_below(t, 10), 3 + (uint32_t)test_below(t, 7));
		else
			draw_instance(t, &in, 3 + (uint32_t)test_below(t, 10), 3 + (uint32_t)test_below(t, 7),
				      (uint32_t)test_below(t, 3));
		for (uint32_t c = 0; equal && c < in.cols; c++)
			in.w[c] = 1;
		best = cheapest(&in, t);
		packing_solve(t->arena, &in, PACKING_WORK, &relaxed);
		before = relaxed.bound;
		value = relaxed.value;
		packing_tighten(t->arena, &in, best + 1, PACKING_WORK, PACKING_ROUNDS, &relaxed);
		raised += relaxed.value > value;
		CHECK(relaxed.bound >= before && relaxed.bound <= best, "cuts above the optimum");
		for (uint32_t k = 0; k < relaxed.cuts.n; k++) /* each cut of every cover */
			for (uint32_t set = 0; set < 1u << in.cols; set++) {
				const struct cut *cut = &relaxed.cuts.cut[k];
				uint8_t taken[16] = { 0 };
				uint64_t sum = 0;

				for (uint32_t c = 0; c < in.cols; c++)
					taken[c] = set >> c & 1;
				for (uint32_t q = 0; q < cut->n; q++)
					sum += taken[cut->col[q]] * cut->factor[q];
				CHECK(sum >= cut->least || !instance_covered(&in, taken), "a cover breaks a cut");
			}
		for (uint32_t c = 0; c < in.cols; c++)
			CHECK(relaxed.value + relaxed.reduced[c] <= cheapest_with(&in, t, c) * PACKING_SCALE,
			      "a cover with the column is cheaper than its reduced cost says");
	}
	CHECK(raised > 20, "cuts raised %u bounds", raised);
}

/* More rows than the tableau begins with: optimal when a fractional cover costs what the bound says. */
TEST(packing, rows_are_priced_in)
{
	struct instance in;
	struct packing relaxed;
	double cost = 0, value;

	draw_instance(t, &in, 2500, 40, 0);
	for (uint32_t c = 0; c < in.cols; c++)
		in.w[c] = 1;
	packing_solve(t->arena, &in, PACKING_WORK, &relaxed);
	CHECK(relaxed.optimal && relaxed.some_rows);
	for (uint32_t r = 0; r < in.rows; r++) {
		double sum = 0;

		for (uint64_t i = in.row_at[r]; i < in.row_at[r + 1]; i++)
			sum += relaxed.x[in.row_col[i]];
		CHECK(sum > 1 - 1e-5, "row %u is left short: %g", r, sum);
	}
	for (uint32_t c = 0; c < in.cols; c++)
		cost += relaxed.x[c];
	value = (double)relaxed.value / PACKING_SCALE;
	CHECK(fabs(cost - value) < 1e-2, "fractional cover %g, bound %g", cost, value);
}

TEST(packing, local_search_finds_small_covers)
{
	uint32_t optimal = 0, rounds = 300;

	for (uint32_t i = 0; i < rounds && !t->failures; i++) {
		struct instance in;
		struct search s = { 0 };
		uint8_t taken[16];
		weight best, got;

		draw_instance(t, &in, 1 + (uint32_t)test_below(t, 14), 1 + (uint32_t)test_below(t, 12), 0);
		memset(taken, 1, sizeof taken);
		CHECK(in.w[0] == 1 || !local_search(&s, &in, 0, 1000, taken), "not for weights");
		for (uint32_t c = 0; c < in.cols; c++)
			in.w[c] = 1;
		best = cheapest(&in, t);
		CHECK(local_search(&s, &in, best, 20000, taken) && instance_covered(&in, taken));
		got = instance_cost(&in, taken);
		CHECK(got >= best);
		optimal += got == best;
	}
	CHECK(optimal > rounds * 9 / 10, "the smallest in %u of %u", optimal, rounds);
}

TEST(packing, repaired_values_are_feasible_and_full)
{
	for (int i = 0; i < 300 && !t->failures; i++) {
		struct instance in;
		weight u[16];

		draw_instance(t, &in, 1 + (uint32_t)test_below(t, 12), 1 + (uint32_t)test_below(t, 12), 0);
		for (uint32_t r = 0; r < in.rows; r++)
			u[r] = (weight)test_below(t, 2 * PACKING_SCALE);
		packing_repair(&in, u, PACKING_SCALE);
		for (uint32_t c = 0; c < in.cols; c++) {
			weight load = 0;

			for (uint64_t k = in.col_at[c]; k < in.col_at[c + 1]; k++)
				load += u[in.col_row[k]];
			CHECK(load <= PACKING_SCALE);
		}
	}
}
