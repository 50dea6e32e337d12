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

static const struct {
	uint64_t bytes;
	const char *words;
} sizes[] = {
	{ 0, "0 B" },	      { 999, "999 B" },		{ 1000, "1.0 kB" },
	{ 99940, "99.9 kB" }, { 99960, "100 kB" },	{ 999499, "999 kB" },
	{ 999500, "1.0 MB" }, { 1118700000, "1.1 GB" }, { UINT64_MAX, "18.4 EB" },
};

TEST(str, sizes_are_told_by_the_unit_that_fits)
{
	char out[STR_SIZE];

	for (size_t i = 0; i < COUNT(sizes); i++)
		CHECK_STR(str_size(sizes[i].bytes, out), str(sizes[i].words));
}
