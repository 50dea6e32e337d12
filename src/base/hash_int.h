/* base/hash_int.h -- inside hash.c. */
#ifndef WINNOW_BASE_HASH_INT_H
#define WINNOW_BASE_HASH_INT_H
#include <stddef.h>
#include <stdint.h>

uint64_t hash64_wide(const void *p,
		     size_t n); /* hash64, on a processor with AVX2; only where WINNOW_HASH_WIDE is defined */
#endif
