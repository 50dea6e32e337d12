/* tests/unit/sketch/setpack.c -- wide steps write the bytes that narrow ones do. */
#include "sketch/setpack.h"

#include <stdlib.h>

#include "base/hash.h"
#include "test.h"

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* n different values, in order; of few leading bits when they are crowded. */
static struct set random_set(struct test *t, size_t n, bool crowded)
{
	uint64_t *v = arena_alloc(t->arena, (n + 1) * sizeof *v);
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		v[i] = test_random(t) >> (crowded ? 20 : 0);
	qsort(v, n, sizeof *v, ascending);
	for (size_t i = 0; i < n; i++)
		if (!m || v[m - 1] != v[i])
			v[m++] = v[i];
	return (struct set){ v, m };
}

static size_t random_size(struct test *t, int round)
{
	return (size_t)test_below(t, round % 50 == 0 ? 40000 : round % 3 ? 300 : 3000);
}

TEST(setpack, wide_and_narrow_write_the_same_bytes)
{
	for (int round = 0; round < 1500; round++) {
		struct set s = random_set(t, random_size(t, round), round % 5 == 0);
		unsigned low = low_bits(s.n);
		size_t n = set_bytes(s.n, low);
		unsigned char *wide = arena_alloc(t->arena, n + 1), *narrow = arena_alloc(t->arena, n + 1);
		uint64_t *back = arena_alloc(t->arena, (s.n + 1) * sizeof *back);

		memset(wide, 0x55, n + 1);
		memset(narrow, 0xaa, n + 1);
		if (s.n) {
			pack_set(wide, s, low);
			pack_set_narrow(narrow, s, low);
		}
		CHECK(memcmp(wide, narrow, n) == 0 || !n, "%zu values", s.n);
		CHECK(wide[n] == 0x55 && narrow[n] == 0xaa, "written behind the end");
		if (s.n) {
			CHECK(unpack_set(back, wide, s.n, low) && memcmp(back, s.p, s.n * 8) == 0, "%zu values", s.n);
		}
		CHECK(simhash_make(s) == simhash_make_narrow(s), "%zu values", s.n);
	}
}

TEST(setpack, parts_by_wide_and_by_narrow_steps_are_the_same)
{
	for (int round = 0; round < 1500; round++) {
		struct set body = random_set(t, 1 + random_size(t, round), false),
			   more = random_set(t, 1 + test_below(t, 40), false);
		uint64_t *v = arena_alloc(t->arena, (body.n + more.n) * sizeof *v), seldom = 1 + test_below(t, 40);
		struct set main = { v, 0 };
		size_t room, full, wide_n, narrow_n;
		unsigned char *wide, *narrow;

		for (size_t i = 0; i < body.n; i++)
			if (test_below(t, seldom))
				v[main.n++] = body.p[i];
		for (size_t i = 0; i < more.n && round % 2; i++)
			if (!bsearch(&more.p[i], body.p, body.n, 8, ascending))
				v[main.n++] = more.p[i];
		qsort(v, main.n, sizeof *v, ascending);
		full = part_bytes(body.n, main.n);
		room = round % 4 ? full : (size_t)test_below(t, full + 1);
		wide = arena_alloc(t->arena, room + 1);
		narrow = arena_alloc(t->arena, room + 1);
		wide[room] = narrow[room] = 0x55;
		wide_n = pack_part(wide, room, body, (struct set_view){ 0 }, main);
		narrow_n = pack_part_narrow(narrow, room, body, main);
		CHECK_EQ(wide_n, narrow_n);
		CHECK(memcmp(wide, narrow, wide_n) == 0, "%zu of %zu values", main.n, body.n);
		CHECK(wide[room] == 0x55 && narrow[room] == 0x55, "written behind the end");
	}
}
