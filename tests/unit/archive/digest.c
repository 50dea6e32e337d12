/* tests/unit/archive/digest.c -- the SHA-256 of short texts is libcrypto's. */
#include "archive/digest.h"

#include "test.h"

TEST(digest, short_texts_have_the_sha256_of_libcrypto)
{
	char text[400];

	for (size_t n = 0; n < sizeof text; n++) {
		unsigned char own[32];
		struct digest want;

		text[n] = (char)test_random(t);
		digest_sha256(str_n(text, n), own);
		digest_of(DIGEST_SHA256, str_n(text, n), &want);
		CHECK(memcmp(own, want.bytes, sizeof own) == 0, "of %zu bytes", n);
	}
}
