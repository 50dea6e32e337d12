/* join/flags.h -- walking an array of bytes of which few are not 0. */
#ifndef WINNOW_JOIN_FLAGS_H
#define WINNOW_JOIN_FLAGS_H
#include <stdint.h>
#include <string.h>

static inline uint32_t flags_count(const uint8_t *flag, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += flag[i] != 0;
	return count;
}

/* Some bits of each. */
static inline void flags_part(uint8_t *restrict to, const uint8_t *restrict from, uint32_t n, unsigned shift,
			      uint8_t mask)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = (uint8_t)(from[i] >> shift & mask);
}

/* The first from `i` on that is not 0, or n. */
static inline uint32_t flags_next(const uint8_t *flag, uint32_t i, uint32_t n)
{
	for (uint64_t eight = 0; n - i >= sizeof eight; i += (uint32_t)sizeof eight) {
		memcpy(&eight, flag + i, sizeof eight);
		if (eight)
			break;
	}
	while (i < n && !flag[i])
		i++;
	return i;
}
#endif
