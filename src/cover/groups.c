/* cover/groups.c -- see groups.h: groups and components joined by the documents they have in common. */
#include "cover/groups.h"

#include "base/forest.h"

uint32_t groups_reach(uint8_t *open, uint32_t n, const uint32_t *group, uint32_t groups, const uint32_t *part,
		      uint32_t parts)
{
	uint32_t *up = forest_new(groups + parts), added = 0; /* groups, then components */
	uint8_t *reached = mem_zarray((size_t)groups + parts + 1, 1);

	for (uint32_t d = 0; d < n; d++)
		if (group[d] < groups && part[d] < parts)
			forest_unite(up, group[d], groups + part[d]);
	for (uint32_t d = 0; d < n; d++)
		if (open[d] && group[d] < groups)
			reached[forest_root(up, group[d])] = 1;
	for (uint32_t d = 0; d < n; d++) {
		if (open[d] || !((group[d] < groups && reached[forest_root(up, group[d])]) ||
				 (part[d] < parts && reached[forest_root(up, groups + part[d])])))
			continue;
		open[d] = 1;
		added++;
	}
	mem_free(up);
	mem_free(reached);
	return added;
}
