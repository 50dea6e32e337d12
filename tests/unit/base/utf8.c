/* UTF-8: the fast validator beside the decoder that it must agree with. */
#include "base/utf8.h"
#include "test.h"

static size_t valid_slow(struct str s)
{
	size_t i = 0;

	while (i < s.n) {
		uint32_t cp;
		size_t n = utf8_decode(s.p + i, s.p + s.n, &cp);

		if (cp == 0xFFFD && !(n == 3 && memcmp(s.p + i, "\xEF\xBF\xBD", 3) == 0))
			break;
		i += n;
	}
	return i;
}

TEST(utf8, valid_prefix_as_decoded_one_by_one)
{
	for (int i = 0; i < 30000; i++) {
		char bytes[160];
		size_t n = 0, want = test_below(t, sizeof bytes - 70);

		while (n < want) {
			size_t kind = test_below(t, 40);

			if (kind == 0)
				bytes[n++] = (char)test_below(t, 256);
			else if (kind < 4)
				for (size_t k = test_below(t, 66); k > 0; k--)
					bytes[n++] = 'a';
			else if (kind < 10)
				bytes[n++] = (char)test_below(t, 128);
			else
				n += utf8_encode(kind < 25   ? 0x80 + (uint32_t)test_below(t, 0x780)
						 : kind < 35 ? 0xE000 + (uint32_t)test_below(t, 0x2000)
							     : 0x10000 + (uint32_t)test_below(t, 0x100000),
						 bytes + n);
			if (n > sizeof bytes - 70)
				break;
		}
		size_t valid = valid_slow(str_n(bytes, n)), ascii = 0;

		while (ascii < n && !(bytes[ascii] & 0x80))
			ascii++;
		CHECK_EQ(utf8_valid(str_n(bytes, n)), valid);
		CHECK_EQ(utf8_ascii(str_n(bytes, n)), ascii);
	}
	CHECK_EQ(utf8_valid(STR_NONE), 0);
	CHECK_EQ(utf8_ascii(STR_NONE), 0);
}

TEST(utf8, what_the_standard_calls_ill_formed_is)
{
	static const char *const bad[] = { "\x80",
					   "\xC1\xBF",
					   "\xE0\x9F\xBF",
					   "\xED\xA0\x80",
					   "\xF0\x8F\xBF\xBF",
					   "\xF4\x90\x80\x80",
					   "\xF5\x80\x80\x80",
					   "\xC3",
					   "\xE3\x81",
					   "\xFF" };

	for (size_t i = 0; i < COUNT(bad); i++)
		CHECK_EQ(utf8_valid(str(bad[i])), 0, "%zu", i);
	CHECK_EQ(utf8_valid(STR("\xEF\xBF\xBD")), 3);
}
