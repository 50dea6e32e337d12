/* The vector kernels against their plain twins. */
#include "join/intersect.h"

#include "base/mem.h"
#include "test.h"

static uint32_t ascending(struct test *t, uint64_t *out, uint32_t n, uint64_t step)
{
	uint64_t v = test_below(t, step);

	for (uint32_t i = 0; i < n; i++) {
		out[i] = v;
		v += 1 + test_below(t, step);
	}
	return n;
}

TEST(intersect, vectors_agree_with_plain_loops)
{
	enum { ROOM = 200 };
	uint64_t a[ROOM], b[ROOM];
	uint32_t ra[ROOM], rb[ROOM], weight[ROOM], rest[ROOM + 1];

	for (int round = 0; round < 3000; round++) {
		uint64_t step = 1 + test_below(t, 4);
		uint32_t na = ascending(t, a, (uint32_t)test_below(t, ROOM), step),
			 nb = ascending(t, b, (uint32_t)test_below(t, ROOM), step);
		uint32_t full, need;

		for (uint32_t i = 0; i < na; i++) {
			ra[i] = (uint32_t)a[i];
			weight[i] = 1 + (uint32_t)test_below(t, 9);
		}
		for (uint32_t i = 0; i < nb; i++)
			rb[i] = (uint32_t)b[i];
		rest[na] = 0;
		for (uint32_t i = na; i-- > 0;)
			rest[i] = rest[i + 1] + weight[i];
		CHECK_EQ(intersect_sets(a, na, b, nb), intersect_sets_plain(a, na, b, nb), "%u x %u", na, nb);
		full = intersect_weights_plain(ra, weight, rest, na, rb, nb, 0);
		CHECK_EQ(intersect_weights(ra, weight, rest, na, rb, nb, 0), full, "%u x %u", na, nb);
		need = (uint32_t)test_below(t, (uint64_t)full * 2 + 1);
		if (need <= full)
			CHECK_EQ(intersect_weights(ra, weight, rest, na, rb, nb, need), full, "need %u of %u", need,
				 full);
		else
			CHECK(intersect_weights(ra, weight, rest, na, rb, nb, need) < need, "need %u of %u", need,
			      full);
	}
}

TEST(intersect, bags_pair_off_equal_items)
{
	uint64_t a[] = { 1, 1, 1, 5, 9, 9 }, b[] = { 1, 1, 2, 9, 9, 9 };

	CHECK_EQ(intersect_bags(a, 6, b, 6), 4, "two of 1, two of 9");
	CHECK_EQ(intersect_bags(a, 0, b, 6), 0, "nothing in common with nothing");
}
