/* oracle/exhaustive_cover.c -- all subsets, one after another. */
#include "exhaustive_cover.h"

static bool quotas_filled(const struct exhaustive *e, uint32_t kept)
{
	for (uint32_t g = 0; e->group && g < e->groups; g++) {
		uint32_t size = 0, have = 0;

		for (uint32_t d = 0; d < e->n; d++)
			if (e->group[d] == g) {
				size++;
				have += kept >> d & 1;
			}
		if (have < size && have < e->demand[g])
			return false;
	}
	return true;
}

bool exhaustive_valid(const struct exhaustive *e, uint32_t kept)
{
	if (e->pinned & ~kept)
		return false;
	for (uint32_t a = 0; a < e->n; a++)
		if (!(kept >> a & 1) && !(e->by[a] & kept))
			return false;
	return quotas_filled(e, kept);
}

struct exhaustive_best exhaustive_cover(const struct exhaustive *e)
{
	struct exhaustive_best best = { .size = UINT32_MAX };

	for (uint32_t kept = 0; kept < (uint32_t)1 << e->n; kept++) {
		struct exhaustive_best x = { (uint32_t)__builtin_popcount(kept), 0, 0, kept };

		if (x.size > best.size || !exhaustive_valid(e, kept))
			continue;
		if (e->use_previous)
			x.in_common = (uint32_t)__builtin_popcount(kept & e->previous);
		for (uint32_t d = 0; e->prefer && d < e->n; d++)
			if (kept >> d & 1)
				x.value += e->prefer[d];
		if (x.size < best.size || x.in_common > best.in_common ||
		    (x.in_common == best.in_common && x.value > best.value))
			best = x;
	}
	return best;
}
