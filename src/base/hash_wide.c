/* base/hash_wide.c -- XXH3 of long inputs with vectors of 256 bits (hash.c); compiled for processors that have them. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash_int.h"

uint64_t hash64_wide(const void *p, size_t n) { return XXH3_64bits(p, n); }
