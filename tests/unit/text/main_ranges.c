/* tests/unit/text/main_ranges.c -- ranges in bytes, and back. */
#include "text/main_ranges.h"

#include "test.h"

TEST(main_ranges, come_back_as_they_were)
{
	for (int round = 0; round < 2000; round++) {
		struct main_range v[50], got;
		char packed[COUNT(v) * MAIN_RANGE_MOST];
		uint64_t at = 0;
		size_t n = 0, bytes, i = 0;
		struct main_ranges walk;

		while (n < COUNT(v)) {
			unsigned bits = (unsigned)test_below(t, round % 2 ? 31 : 8);
			uint64_t from = at + (n > 0) + test_below(t, 1ull << bits),
				 to = from + 1 + test_below(t, 1ull << bits);

			if (to > UINT32_MAX)
				break;
			v[n++] = (struct main_range){ (uint32_t)from, (uint32_t)to };
			at = to;
		}
		bytes = main_ranges_pack(v, n, packed);
		CHECK(bytes <= at + 1, "%zu bytes for a body of %zu", bytes, (size_t)at);
		walk = main_ranges_of(str_n(packed, bytes), at);
		for (; main_ranges_next(&walk, &got); i++)
			CHECK(i < n && got.start == v[i].start && got.end == v[i].end, "range %zu", i);
		CHECK(i == n && !walk.wrong);
		if (n) { /* a shorter body does not have them */
			walk = main_ranges_of(str_n(packed, bytes), at - 1);
			while (main_ranges_next(&walk, &got))
				;
			CHECK(walk.wrong);
		}
	}
}

TEST(main_ranges, make_a_text_of_the_size_that_is_said)
{
	const struct main_range v[] = { { 0, 3 }, { 4, 5 }, { 8, 11 } };
	char packed[COUNT(v) * MAIN_RANGE_MOST], out[16];
	struct str bytes = str_n(packed, main_ranges_pack(v, COUNT(v), packed)), body = STR("one two six");

	REQUIRE(main_ranges_join(body, bytes, out, 9));
	CHECK_STR(str_n(out, 9), STR("one\nt\nsix"));
	CHECK(!main_ranges_join(body, bytes, out, 8));
	CHECK(!main_ranges_join(body, bytes, out, 10));
	CHECK(!main_ranges_join(str_sub(body, 0, 10), bytes, out, 9), "a body too short");
	CHECK(!main_ranges_join(body, str_sub(bytes, 0, bytes.n - 1), out, 9), "half a range");
}

TEST(main_ranges, of_any_bytes_stay_within_their_body)
{
	for (int round = 0; round < 20000; round++) {
		size_t n = test_below(t, 20), body_n = test_below(t, 100);
		char packed[20], *body = arena_alloc(t->arena, body_n + 1), *out = arena_alloc(t->arena, body_n + 1);
		struct main_ranges walk;
		struct main_range got;
		uint32_t at = 0;

		memset(body, 'b', body_n);
		for (size_t i = 0; i < n; i++)
			packed[i] = (char)(test_below(t, 3) ? test_below(t, 16) : test_random(t));
		walk = main_ranges_of(str_n(packed, n), body_n);
		while (main_ranges_next(&walk, &got)) {
			CHECK(got.start >= at && got.start < got.end && got.end <= body_n);
			at = got.end;
		}
		main_ranges_join(str_n(body, body_n), str_n(packed, n), out, test_below(t, body_n + 1));
	}
}
