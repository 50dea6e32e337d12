/* tests/unit/base/map.c -- tables beside lists that are searched from the front. */
#include "base/map.h"

#include "base/vec.h"
#include "test.h"

struct pair {
	uint64_t key, value;
};

static struct pair *find(struct pair *p, size_t n, uint64_t key)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].key == key)
			return &p[i];
	return NULL;
}

TEST(map, holds_what_a_list_holds)
{
	for (unsigned round = 0; round < 40; round++) {
		uint64_t keys = 1 + test_below(t, 600); /* few: they repeat; 0 and UINT64_MAX are keys like others */
		VEC(struct pair) list = { 0 };
		struct map m = { 0 };

		CHECK(!map_get(&m, 0), "an empty map has nothing");
		for (unsigned i = 0; i < 1000; i++) {
			uint64_t key = test_below(t, keys) - test_below(t, 2), value = test_random(t);
			struct pair *known = find(list.p, list.n, key);
			uint64_t *got = map_put(&m, key, value);

			CHECK_EQ(*got, known ? known->value : value, "key %" PRIu64, key);
			if (!known)
				vec_push(&list, ((struct pair){ key, value }));
			else if (test_below(t, 2)) /* the slot may be written to */
				*got = known->value = value;
		}
		CHECK_EQ(m.n, list.n);
		for (uint64_t key = 0; key < keys + 2; key++) {
			struct pair *known = find(list.p, list.n, key - 1);
			uint64_t *got = map_get(&m, key - 1);

			CHECK(!got == !known && (!got || *got == known->value), "key %" PRIu64, key - 1);
		}
		map_release(&m);
		vec_release(&list);
	}
}

TEST(map, intern_numbers_texts_by_first_sight)
{
	for (unsigned round = 0; round < 20; round++) {
		VEC(struct str) seen = { 0 };
		struct intern names = { 0 };
		uint32_t id;

		CHECK(!intern_find(&names, STR(""), &id), "nothing is in an empty one, not even nothing");
		for (unsigned i = 0; i < 600; i++) {
			struct str s = arena_printf(t->arena, "%.*s", (int)test_below(t, 4), "\1ab\xff");
			size_t at = 0;

			if (test_below(t, 3))
				s = arena_printf(t->arena, "%" PRIu64, test_below(t, 300));
			while (at < seen.n && !str_eq(seen.p[at], s))
				at++;
			CHECK_EQ(intern_find(&names, s, &id), at < seen.n);
			if (at == seen.n)
				vec_push(&seen, s);
			CHECK_EQ(intern_id(&names, s), at);
			CHECK(intern_find(&names, s, &id) && id == at);
		}
		CHECK_EQ(names.n, seen.n);
		for (size_t i = 0; i < seen.n; i++)
			CHECK_STR(names.strs[i], seen.p[i]);
		intern_release(&names);
		vec_release(&seen);
	}
}
