/* Narrow and layered blocks: sweeps find the minimum, and what is learned of parts holds for every cover. */
#include "cover/packing.h"
#include "cover/parts.h"
#include "cover/pieces.h"
#include "cover/round.h"
#include "cover/search.h"
#include "cover/sweep.h"
#include "test.h"

enum { MOST = 200 };

static void begin(struct test *t, struct instance *in, uint32_t n)
{
	*in = (struct instance){ .rows = n, .cols = n };
	in->row_at = ARENA_ARRAY(t->arena, uint64_t, n + 1);
	in->row_col = ARENA_ARRAY(t->arena, uint32_t, (size_t)n * n + 1);
	in->demand = ARENA_ARRAY(t->arena, uint32_t, n + 1);
	in->row_id = ARENA_ARRAY(t->arena, uint32_t, n + 1);
	in->col_id = ARENA_ARRAY(t->arena, uint32_t, n + 1);
	in->w = ARENA_ARRAY(t->arena, weight, n + 1);
	for (uint32_t r = 0; r < n; r++) {
		in->demand[r] = 1;
		in->w[r] = 1;
		in->row_id[r] = in->col_id[r] = r;
	}
	in->row_at[0] = 0;
}

/* Documents that are covered by some of their neighbours, before and after. */
static void draw_band(struct test *t, struct instance *in, uint32_t n, uint32_t band, uint32_t one_in)
{
	uint64_t at = 0;

	begin(t, in, n);
	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t c = r < band ? 0 : r - band; c < n && c <= r + band; c++)
			if (c == r || c + 1 == r || test_below(t, one_in) == 0)
				in->row_col[at++] = c;
		in->row_at[r + 1] = at;
	}
	instance_transpose(t->arena, in);
}

/* Layers of equal time: a document is covered by some of its own layer, in a ring so that they reach each other, and of
 * later ones. */
static void draw_layers(struct test *t, struct instance *in, uint32_t n, uint32_t layer, uint32_t one_in)
{
	uint64_t at = 0;

	begin(t, in, n);
	for (uint32_t r = 0; r < n; r++) {
		uint32_t first = r - r % layer, end = first + layer < n ? first + layer : n;

		for (uint32_t c = first; c < n; c++)
			if (c == r || c == (r + 1 < end ? r + 1 : first) ||
			    test_below(t, c < end ? one_in : 4 * one_in) == 0)
				in->row_col[at++] = c;
		in->row_at[r + 1] = at;
	}
	instance_transpose(t->arena, in);
}

/* The least that columns count for in a cover, under `best`: every column of the first open row is tried. */
static uint32_t fewest(const struct instance *in, uint8_t *taken, const uint32_t *counts, uint32_t cost, uint32_t best)
{
	uint32_t r = 0;

	if (cost >= best)
		return best;
	for (; r < in->rows; r++) {
		bool open = true;

		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++)
			open &= !taken[in->row_col[i]];
		if (open)
			break;
	}
	if (r == in->rows)
		return cost;
	for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++) {
		uint32_t c = in->row_col[i];

		taken[c] = 1;
		best = fewest(in, taken, counts, cost + counts[c], best);
		taken[c] = 0;
	}
	return best;
}

static void count_all(uint32_t *counts)
{
	for (uint32_t c = 0; c < MOST; c++)
		counts[c] = 1;
}

/* What is known of `in` from number `first` on, tried against all covers. */
static void check_known(struct test *t, const struct instance *in, uint32_t first)
{
	for (uint32_t k = first; k < in->knowns; k++) {
		uint8_t taken[MOST] = { 0 };
		uint32_t counts[MOST] = { 0 }, best;

		for (uint32_t c = 0; c < in->known[k].n; c++)
			counts[in->known[k].col[c]] = in->known[k].factor[c];
		best = fewest(in, taken, counts, 0, UINT32_MAX);
		CHECK(best >= in->known[k].least, "known %u of %u: at least %u, but %u are enough", k, in->knowns,
		      in->known[k].least, best);
	}
}

static bool sweep(struct test *t, const struct instance *in, uint64_t work, uint8_t *taken)
{
	struct search s = { .node_budget = 1000000 };
	struct packing relaxed;

	packing_solve(t->arena, in, PACKING_WORK, &relaxed);
	packing_repair(in, relaxed.u, PACKING_SCALE);
	return sweep_cover(&s, in, relaxed.u, work, taken);
}

TEST(parts, sweeps_find_what_trying_all_finds)
{
	uint32_t through = 0, better = 0;

	for (int i = 0; i < 400 && !t->failures; i++) {
		uint32_t n = 2 + (uint32_t)test_below(t, 19), best, began;
		uint8_t taken[MOST] = { 0 };
		uint32_t ones[MOST];
		struct instance in;

		draw_band(t, &in, n, 2 + (uint32_t)test_below(t, 6), 2 + (uint32_t)test_below(t, 3));
		count_all(ones);
		best = fewest(&in, taken, ones, 0, UINT32_MAX);
		if (test_below(t, 2))
			memset(taken, 1, n); /* dual values rule nothing out then */
		else
			round_cover(&in, NULL, taken);
		began = (uint32_t)instance_cost(&in, taken);
		if (!sweep(t, &in, PACKING_WORK, taken))
			continue;
		through++;
		CHECK(instance_covered(&in, taken));
		CHECK_EQ(instance_cost(&in, taken), best, "sweep: %u documents", n);
		better += best < began;
	}
	CHECK(through > 300 && better > 100, "%u of 400 went through, %u of them to a smaller cover", through, better);
	printf("parts: of 400 sweeps %u went through, %u to a smaller cover\n", through, better);
}

TEST(parts, sweeps_agree_with_the_search_on_larger_blocks)
{
	uint32_t through = 0;

	for (int i = 0; i < 12 && !t->failures; i++) {
		uint32_t n = 60 + (uint32_t)test_below(t, MOST - 60);
		struct search s = { .node_budget = 100000 };
		uint8_t taken[MOST] = { 0 }, found[MOST] = { 0 };
		struct instance in;

		draw_band(t, &in, n, 4 + (uint32_t)test_below(t, 4), 2 + (uint32_t)test_below(t, 2));
		REQUIRE(search_cover(&s, &in, WEIGHT_MAX, found) && !s.exhausted);
		round_cover(&in, NULL, taken);
		if (!sweep(t, &in, PACKING_WORK, taken))
			continue;
		through++;
		CHECK(instance_covered(&in, taken) && instance_cost(&in, taken) == instance_cost(&in, found),
		      "%u documents: sweep %d, search %d", n, (int)instance_cost(&in, taken),
		      (int)instance_cost(&in, found));
	}
	CHECK(through >= 8, "%u of 12 went through", through);
}

TEST(parts, sweeps_leave_alone_what_is_not_for_them)
{
	uint8_t taken[MOST], all[MOST];
	struct instance in;

	memset(all, 1, sizeof all);
	memset(taken, 1, sizeof taken);
	draw_band(t, &in, MOST, MOST, 3); /* every row is in the front */
	CHECK(!sweep(t, &in, PACKING_WORK, taken));
	draw_band(t, &in, 100, 8, 2);
	CHECK(!sweep(t, &in, 1000, taken), "a thousand numbers are not enough");
	in.w[3] = 2;
	CHECK(!sweep(t, &in, PACKING_WORK, taken), "weights");
	in.w[3] = 1;
	in.demand[5] = 2;
	CHECK(!sweep(t, &in, PACKING_WORK, taken), "demands");
	CHECK(memcmp(taken, all, sizeof all) == 0);
}

TEST(parts, what_is_learned_holds_for_every_cover)
{
	uint32_t learned = 0, raised = 0;

	for (int i = 0; i < 250 && !t->failures; i++) {
		uint32_t n = 12 + (uint32_t)test_below(t, 12), best;
		struct search s = { .node_budget = 10000 }, plain = { .node_budget = 100000 }, knowing = plain;
		uint8_t taken[MOST] = { 0 };
		uint32_t counts[MOST], bound;
		struct packing before, after;
		struct instance in;
		weight relaxed;

		draw_layers(t, &in, n, 4 + (uint32_t)test_below(t, 7), 2 + (uint32_t)test_below(t, 4));
		packing_solve(t->arena, &in, PACKING_WORK, &before);
		if (!(bound = parts_learn(t->arena, &s, &in, UINT32_MAX, 100000000)) || !in.knowns)
			continue;
		check_known(t, &in, 0);
		learned += in.knowns;
		packing_solve(t->arena, &in, PACKING_WORK, &after);
		raised += after.value > before.value;
		count_all(counts);
		best = fewest(&in, taken, counts, 0, UINT32_MAX);
		CHECK(bound <= best, "parts need %u, and %u are enough", bound, best);
		CHECK(after.value >= before.value && after.bound <= best, "a bound of %d, and %u are enough",
		      (int)after.bound, best);
		CHECK(search_cover(&knowing, &in, WEIGHT_MAX, taken) && instance_covered(&in, taken));
		CHECK_EQ(instance_cost(&in, taken), best);
		CHECK(!search_any(&knowing, &in, best, taken), "nothing is smaller than the minimum");
		CHECK_EQ(search_bound(&plain, &in, &relaxed), best);
	}
	CHECK(learned > 100 && raised > 50, "%u rows were learned, and the bound was raised %u times", learned, raised);
	printf("parts: %u rows learned, the relaxation's bound raised %u times\n", learned, raised);
}

/* Branches, blocks and reductions carry what is known to what is left. */
TEST(parts, searches_with_what_is_known_agree_with_those_without)
{
	uint32_t learned = 0;
	uint64_t nodes = 0;

	for (int i = 0; i < 12 && !t->failures; i++) {
		uint32_t n = 50 + (uint32_t)test_below(t, 30);
		struct search s = { .node_budget = 1000 }, plain = { .node_budget = 100000 }, knowing = plain;
		uint8_t taken[MOST] = { 0 }, found[MOST] = { 0 };
		struct instance in, bare;

		draw_layers(t, &in, n, 12 + (uint32_t)test_below(t, 10), 4 + (uint32_t)test_below(t, 3));
		bare = in;
		if (!parts_learn(t->arena, &s, &in, UINT32_MAX, 100000000))
			continue;
		learned += in.knowns;
		REQUIRE(search_cover(&plain, &bare, WEIGHT_MAX, found) && !plain.exhausted);
		REQUIRE(search_cover(&knowing, &in, WEIGHT_MAX, taken) && !knowing.exhausted);
		CHECK(instance_covered(&in, taken) && instance_cost(&in, taken) == instance_cost(&in, found),
		      "%u documents: %d with what is known, %d without", n, (int)instance_cost(&in, taken),
		      (int)instance_cost(&in, found));
		CHECK(!search_any(&knowing, &in, instance_cost(&in, found), taken));
		nodes += knowing.nodes;
	}
	CHECK(learned > 20 && nodes > 24, "%u rows were learned, %llu nodes", learned, (unsigned long long)nodes);
	printf("parts: %u rows learned of larger blocks, searched in %llu nodes\n", learned, (unsigned long long)nodes);
}

/* Fractional covers are what pieces cut off; nothing that they say may cut off a cover. */
TEST(parts, what_pieces_tell_holds_for_every_cover)
{
	uint32_t learned = 0, raised = 0, whole = 0;

	for (int i = 0; i < 300 && !t->failures; i++) {
		uint32_t n = 8 + (uint32_t)test_below(t, 15), counts[MOST], best, kept;
		struct search s = { .node_budget = 100000 };
		uint8_t taken[MOST] = { 0 };
		struct packing p, again;
		struct instance in;
		weight before;

		if (test_below(t, 2))
			draw_layers(t, &in, n, n, 3 + (uint32_t)test_below(t, 4));
		else
			draw_band(t, &in, n, 3 + (uint32_t)test_below(t, 6), 2 + (uint32_t)test_below(t, 3));
		packing_solve(t->arena, &in, PACKING_WORK, &p);
		before = p.value;
		count_all(counts);
		best = fewest(&in, taken, counts, 0, UINT32_MAX);
		pieces_learn(t->arena, &s, &in, WEIGHT_MAX, 300000000, &p);
		check_known(t, &in, 0);
		CHECK(p.bound <= best && p.value >= before, "a bound of %d, and %u are enough", (int)p.bound, best);
		learned += in.knowns;
		raised += p.value > before;
		whole += p.bound == best && n <= 18;
		kept = in.knowns;
		pieces_prune(&in, 0, p.x);
		CHECK(in.knowns <= kept);
		packing_solve(t->arena, &in, PACKING_WORK, &again);
		CHECK(again.bound <= best && again.value >= before);
	}
	CHECK(learned > 100 && raised > 80, "%u rows were learned, and the bound was raised %u times", learned, raised);
	printf("pieces: %u rows learned, the relaxation's bound raised %u times, to the minimum %u times\n", learned,
	       raised, whole);
}

/* Larger ones, where not all rows are in a piece, and pieces are given up. */
TEST(parts, pieces_agree_with_the_search_on_larger_blocks)
{
	uint32_t learned = 0;

	for (int i = 0; i < 12 && !t->failures; i++) {
		uint32_t n = 50 + (uint32_t)test_below(t, 40);
		struct search s = { .node_budget = 100000 }, plain = { .node_budget = 200000 }, knowing = plain;
		uint8_t taken[MOST] = { 0 }, found[MOST] = { 0 };
		struct instance in;
		struct packing p;

		if (i % 2)
			draw_layers(t, &in, n, 12 + (uint32_t)test_below(t, 10), 4 + (uint32_t)test_below(t, 3));
		else
			draw_band(t, &in, n, 5 + (uint32_t)test_below(t, 8), 2 + (uint32_t)test_below(t, 2));
		REQUIRE(search_cover(&plain, &in, WEIGHT_MAX, found) && !plain.exhausted);
		packing_solve(t->arena, &in, PACKING_WORK, &p);
		pieces_learn(t->arena, &s, &in, WEIGHT_MAX, 300000000, &p);
		learned += in.knowns;
		CHECK(p.bound <= instance_cost(&in, found), "%u documents: a bound of %d, and %d are enough", n,
		      (int)p.bound, (int)instance_cost(&in, found));
		for (uint32_t k = 0; k < in.knowns; k++) {
			uint64_t sum = 0;

			for (uint32_t c = 0; c < in.known[k].n; c++)
				sum += found[in.known[k].col[c]] ? in.known[k].factor[c] : 0;
			CHECK(sum >= in.known[k].least, "known %u of %u cuts off a cover", k, in.knowns);
		}
		REQUIRE(search_cover(&knowing, &in, WEIGHT_MAX, taken) && !knowing.exhausted);
		CHECK_EQ(instance_cost(&in, taken), instance_cost(&in, found));
	}
	CHECK(learned > 50, "%u rows were learned", learned);
}
