/* base/hash.c -- see hash.h. */
#include "base/hash.h"

#include <xxhash.h>

uint64_t hash64(const void *p, size_t n) { return XXH3_64bits(p, n); }

struct hash128 hash128(const void *p, size_t n)
{
	XXH128_hash_t h = XXH3_128bits(p, n);

	return (struct hash128){ h.low64, h.high64 };
}
