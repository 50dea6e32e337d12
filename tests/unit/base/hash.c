/* tests/unit/base/hash.c -- hashes beside those of the library, however they are made here. */
#include "base/hash.h"

#include <xxhash.h>

#include "base/mem.h"
#include "test.h"

TEST(hash, is_that_of_the_library)
{
	enum { MOST = 1 << 20 };
	unsigned char *p = mem_alloc(MOST);

	for (size_t i = 0; i < MOST; i++)
		p[i] = (unsigned char)test_below(t, 256);
	for (size_t n = 0; n < 5000; n++)
		CHECK_EQ(hash64(p + n % 17, n), XXH3_64bits(p + n % 17, n), "%zu bytes", n);
	for (int round = 0; round < 100; round++) {
		size_t from = test_below(t, 64), n = test_below(t, MOST - 64);

		CHECK_EQ(hash64(p + from, n), XXH3_64bits(p + from, n), "%zu bytes", n);
	}
	mem_free(p);
}
