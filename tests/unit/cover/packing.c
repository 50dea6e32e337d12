/* Bounds are bounds, whatever made them; reductions keep the optimum. */
#include "cover/packing.h"
#include "cover/reduce.h"
#include "cover/search.h"
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
		weight best, u[16];

		draw_instance(t, &in, 1 + (uint32_t)test_below(t, 10), 1 + (uint32_t)test_below(t, 9),
			      (uint32_t)test_below(t, 3));
		best = cheapest(&in, t);
		packing_solve(t->arena, &in, test_below(t, 4) ? PACKING_WORK : 0, &relaxed); /* 0: subgradients */
		CHECK(relaxed.bound <= best, "relaxation above the optimum");
		for (uint32_t r = 0; r < in.rows; r++)
			u[r] = (weight)test_below(t, 3 * PACKING_SCALE);
		CHECK(packing_bound(&in, u) <= best, "any values give a bound");
		search_round(&in, relaxed.x, taken);
		CHECK(instance_covered(&in, taken) && instance_cost(&in, taken) >= best);
		CHECK(search_cover(&s, &in, WEIGHT_MAX, taken) && instance_covered(&in, taken));
		CHECK(instance_cost(&in, taken) == best, "search: %lld, optimum %lld",
		      (long long)instance_cost(&in, taken), (long long)best);
		CHECK(!search_cover(&s, &in, best, taken), "nothing is cheaper than the optimum");
	}
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
