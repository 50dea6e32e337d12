/* base/forest.h -- which of n things belong together, as joins become known.
 *
 *	uint32_t *up = forest_new(n);
 *	forest_unite(up, 3, 7);
 *	same = forest_root(up, 3) == forest_root(up, 7);
 *	mem_free(up);
 *
 * The root of a tree is its smallest number, so that nothing depends on the
 * order of unions.  Paths are halved on the way: O(log n) amortised.
 */
#ifndef WINNOW_BASE_FOREST_H
#define WINNOW_BASE_FOREST_H
#include <stdint.h>

#include "base/mem.h"

static inline void forest_init(uint32_t *up, uint32_t n)
{
	for (uint32_t x = 0; x < n; x++)
		up[x] = x;
}

static inline uint32_t *forest_new(uint32_t n)
{
	uint32_t *up = mem_array((size_t)n + 1, sizeof *up);

	forest_init(up, n);
	return up;
}

static inline uint32_t forest_root(uint32_t *up, uint32_t x)
{
	while (up[x] != x)
		x = up[x] = up[up[x]];
	return x;
}

static inline void forest_unite(uint32_t *up, uint32_t x, uint32_t y)
{
	x = forest_root(up, x);
	y = forest_root(up, y);
	if (x < y)
		up[y] = x;
	else
		up[x] = y;
}
#endif
