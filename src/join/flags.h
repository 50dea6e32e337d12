/* join/flags.h -- walking an array of bytes of which few are not 0. */
#ifndef WINNOW_JOIN_FLAGS_H
#define WINNOW_JOIN_FLAGS_H
#include <stdint.h>
#include <string.h>

static inline uint32_t flags_count(const uint8_t *flag, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n;) { /* so few that a byte counts them: several at once */
		uint32_t end = n - i > UINT8_MAX ? i + UINT8_MAX : n;
		uint8_t some = 0;

		for (; i < end; i++)
			some += flag[i] != 0;
		count += some;
	}
	return count;
}

/* Those that are 0 in another. */
static inline void flags_not(uint8_t *restrict to, const uint8_t *restrict from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = from[i] == 0;
}

static inline void flags_both(uint8_t *restrict to, const uint8_t *restrict with, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] &= with[i];
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
	uint64_t w[4];

	while (i < n && i % 8 && !flag[i]) /* those that follow one another are found at once */
		i++;
	if (i < n && flag[i])
		return i;
	for (; n - i >= sizeof w; i += (uint32_t)sizeof w) {
		memcpy(w, flag + i, sizeof w);
		if (w[0] | w[1] | w[2] | w[3])
			break;
	}
	while (i < n && !flag[i])
		i++;
	return i;
}
#endif
