/* base/hash.c -- see hash.h. */
#include "base/hash.h"

#include <xxhash.h>

#include "base/hash_int.h"

#define HASH_SHORT 240u /* XXH3 takes these without vectors */

/* The library is built for any processor of its kind; checksums of many megabytes are worth the wider one's. */
uint64_t hash64(const void *p, size_t n)
{
#ifdef WINNOW_HASH_WIDE
	if (n > HASH_SHORT && __builtin_cpu_supports("avx2"))
		return hash64_wide(p, n);
#endif
	return XXH3_64bits(p, n);
}

struct hash128 hash128(const void *p, size_t n)
{
	XXH128_hash_t h = XXH3_128bits(p, n);

	return (struct hash128){ h.low64, h.high64 };
}
