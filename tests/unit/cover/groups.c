/* How far quotas reach, beside the definition applied until nothing changes. */
#include "cover/groups.h"

#include <string.h>

#include "test.h"

enum { N = 24 };

static bool related(const uint32_t *of, uint32_t limit, uint32_t d, uint32_t e)
{
	return of[d] < limit && of[d] == of[e];
}

/* A document is reached by one of its group that is open, or by one of its component that is in a group with an open
 * one (and so is open itself). */
static uint32_t reach_slowly(uint8_t *open, uint32_t n, const uint32_t *group, uint32_t groups, const uint32_t *part,
			     uint32_t parts)
{
	uint32_t added = 0;
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t d = 0; d < n; d++)
			for (uint32_t e = 0; e < n && !open[d]; e++)
				if (open[e] && (related(group, groups, d, e) ||
						(group[e] < groups && related(part, parts, d, e)))) {
					open[d] = more = true;
					added++;
				}
	}
	return added;
}

TEST(groups, reach_as_far_as_chains_of_groups_and_components_lead)
{
	uint32_t reached = 0, left = 0;

	for (int round = 0; round < 5000 && !t->failures; round++) {
		uint32_t n = (uint32_t)test_below(t, N + 1), groups = (uint32_t)test_below(t, N),
			 parts = (uint32_t)test_below(t, N), group[N], part[N], added;
		uint8_t open[N], slow[N];

		for (uint32_t d = 0; d < n; d++) {
			group[d] = (uint32_t)test_below(t, groups + 2); /* those beyond: in none */
			part[d] = test_below(t, 8) ? (uint32_t)test_below(t, parts + 1) : UINT32_MAX;
			open[d] = slow[d] = test_below(t, 10) == 0;
		}
		added = groups_reach(open, n, group, groups, part, parts);
		CHECK_EQ(added, reach_slowly(slow, n, group, groups, part, parts));
		CHECK(memcmp(open, slow, n) == 0);
		reached += added;
		for (uint32_t d = 0; d < n; d++)
			left += !open[d];
	}
	CHECK(reached > 1000 && left > 1000, "both happen: %u, %u", reached, left);
}

TEST(groups, without_a_group_nothing_is_reached)
{
	uint32_t group[] = { 9, 9, 0 }, part[] = { 0, 0, 0 };
	uint8_t open[] = { 1, 0, 0 };

	CHECK_EQ(groups_reach(open, 3, group, 1, part, 1), 0);
}
