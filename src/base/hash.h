/* base/hash.h -- hashes that are not for security (XXH3) and a mixer. */
#ifndef WINNOW_BASE_HASH_H
#define WINNOW_BASE_HASH_H
#include "base/str.h"

struct hash128 {
	uint64_t lo, hi;
};

uint64_t hash64(const void *p, size_t n);	 /* XXH3-64, seed 0 */
struct hash128 hash128(const void *p, size_t n); /* XXH3-128, seed 0 */
static inline uint64_t hash_str(struct str s) { return hash64(s.p, s.n); }

/* A bijection of 64 bits with good avalanche (the finaliser of splitmix64). */
static inline uint64_t mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}
#endif
