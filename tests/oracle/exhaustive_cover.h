/* oracle/exhaustive_cover.h -- the best cover by trying every subset; n <= 20.
 *
 * Straight from the definition: covers everything, holds pins, fills quotas;
 * fewest, then most of previous, then largest sum of prefer.  Knows nothing of
 * folding: it wants the whole relation.
 */
#ifndef WINNOW_ORACLE_EXHAUSTIVE_COVER_H
#define WINNOW_ORACLE_EXHAUSTIVE_COVER_H
#include <stdbool.h>
#include <stdint.h>

struct exhaustive {
	uint32_t n;
	uint32_t by[20]; /* by[a]: bit b set if Cov(a, b), b != a */
	uint32_t pinned; /* bits */
	const uint32_t *group, *demand;
	uint32_t groups;
	const int64_t *prefer;
	uint32_t previous;
	bool use_previous;
};

struct exhaustive_best {
	uint32_t size, in_common;
	__int128 value;
	uint32_t example; /* bits */
};

bool exhaustive_valid(const struct exhaustive *e, uint32_t kept);
struct exhaustive_best exhaustive_cover(const struct exhaustive *e);
#endif
