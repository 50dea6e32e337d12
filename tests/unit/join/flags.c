/* tests/unit/join/flags.c -- arrays of flags, beside looking at each. */
#include "join/flags.h"

#include "test.h"

#define MOST 700u

TEST(join, flags_are_found_and_counted_one_by_one)
{
	for (int round = 0; round < 2000 && t->failures < 3; round++) {
		uint8_t flag[MOST] = { 0 }, not [MOST], both[MOST];
		uint32_t n = (uint32_t)test_below(t, MOST + 1), rare = 1 + (uint32_t)test_below(t, 90), count = 0;

		for (uint32_t i = 0; i < n; i++) {
			flag[i] = test_below(t, rare) ? 0 : (uint8_t)(1 + test_below(t, 255));
			both[i] = (uint8_t)test_below(t, 256);
			count += flag[i] != 0;
		}
		CHECK_EQ(flags_count(flag, n), count, "round %d: of %u", round, n);
		for (uint32_t from = 0; from <= n; from++) {
			uint32_t next = from;

			while (next < n && !flag[next])
				next++;
			CHECK_EQ(flags_next(flag, from, n), next, "round %d: from %u of %u", round, from, n);
		}
		flags_not(not, flag, n);
		for (uint32_t i = 0; i < n; i++)
			CHECK_EQ(not [i], flag[i] == 0, "round %d: not %u", round, i);
		memcpy(not, both, n);
		flags_both(not, flag, n);
		for (uint32_t i = 0; i < n; i++)
			CHECK_EQ(not [i], both[i] & flag[i], "round %d: both %u", round, i);
	}
}
