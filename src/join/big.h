/* join/big.h -- zeroed arrays that may be large: from the system with huge pages
 * when they are, from the heap when a huge page would be a waste. */
#ifndef WINNOW_JOIN_BIG_H
#define WINNOW_JOIN_BIG_H
#include "base/mem.h"

#define BIG_BYTES ((size_t)4 << 20)

static inline void *big_alloc(size_t bytes) { return bytes >= BIG_BYTES ? mem_map(bytes) : mem_zalloc(bytes + 1); }
static inline void big_free(void *p, size_t bytes)
{
	if (bytes < BIG_BYTES)
		mem_free(p);
	else if (p)
		mem_unmap(p, bytes);
}
#endif
