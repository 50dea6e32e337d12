/* tests/unit/base/str.c -- slices: numbers, cutting. */
#include "base/str.h"

#include "test.h"

static const struct {
	const char *text;
	bool ok;
	uint64_t value;
} numbers[] = {
	{ "0", true, 0 },
	{ "18446744073709551615", true, UINT64_MAX },
	{ "18446744073709551616", false, 0 },
	{ "", false, 0 },
	{ "-1", false, 0 },
	{ " 1", false, 0 },
	{ "1x", false, 0 },
};

TEST(str, reads_whole_numbers_only)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		uint64_t v = 0;

		CHECK_EQ(str_u64(str(numbers[i].text), &v), numbers[i].ok, "%s", numbers[i].text);
		CHECK_EQ(v, numbers[i].value, "%s", numbers[i].text);
	}
}

TEST(str, cut_ends_with_no_rest)
{
	struct str rest = STR("a,b,");

	CHECK_STR(str_cut(&rest, ','), STR("a"));
	CHECK_STR(str_cut(&rest, ','), STR("b"));
	CHECK(rest.p != NULL && rest.n == 0, "an empty last part is a part");
	CHECK_STR(str_cut(&rest, ','), STR(""));
	CHECK(rest.p == NULL);
}
