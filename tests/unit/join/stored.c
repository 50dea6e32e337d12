/* Sets read in parts from stored segments are the sets that were stored. */
#include "join/stored.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "test.h"

enum { CONTENTS = 40, MOST = 3000 };

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t *draw_set(struct test *t, uint32_t *n)
{
	static const uint32_t sizes[] = { 0, 1, 5, 63, 64, 65, 255, 256, 1000, 2999 };
	uint64_t *v = ARENA_ARRAY(t->arena, uint64_t, MOST);
	uint32_t m = 0;

	*n = sizes[test_below(t, 10)];
	for (uint32_t i = 0; i < *n; i++)
		v[i] = test_below(t, 8) ? test_random(t) : ~(uint64_t)test_below(t, 4);
	qsort(v, *n, sizeof *v, by_value);
	for (uint32_t i = 0; i < *n; i++)
		if (i == 0 || v[i] != v[i - 1])
			v[m++] = v[i];
	*n = m;
	return v;
}

/* Reads a set in parts cut at random values, with little room. */
static bool reads_back(struct test *t, const struct join_sets *s, uint32_t set, const uint64_t *want, uint32_t n)
{
	uint64_t out[64], below = 0;
	struct join_cursor c;
	uint32_t at = 0, got;

	s->open(s->context, set, &c);
	while (c.left) {
		below = test_below(t, 5) ? below + (test_random(t) >> (1 + test_below(t, 6))) : UINT64_MAX;
		do {
			uint32_t cap = 1 + (uint32_t)test_below(t, 64);

			got = s->read(s->context, &c, below, out, cap);
			if (at + got > n || memcmp(out, want + at, got * sizeof *out) != 0)
				return false;
			for (uint32_t i = 0; i < got; i++)
				if (out[i] >= below && below != UINT64_MAX)
					return false;
			at += got;
			if (got < cap && at < n && want[at] < below)
				return false;
		} while (got);
	}
	return at == n;
}

TEST(stored, sets_read_in_parts_are_the_sets_stored)
{
	const char *dir = test_dir(t);
	struct segment_writer *w;
	struct segments *g;
	struct stored s;
	struct err err = { 0 };
	uint64_t *set[CONTENTS][2], content[2 * CONTENTS + 1];
	uint32_t n[CONTENTS][2];
	char path[4096];

	snprintf(path, sizeof path, "%s/000001.seg", dir);
	REQUIRE(segment_writer_open(&w, path, (struct shingle_spec){ .k = 5 }, 0, &err) == WN_OK, "%s", err.text);
	for (uint32_t i = 0; i < CONTENTS; i++) {
		for (int k = 0; k < 2; k++)
			set[i][k] = draw_set(t, &n[i][k]);
		REQUIRE(segment_writer_add(w, i, (struct set){ set[i][0], n[i][0] }, (struct set){ set[i][1], n[i][1] },
					   &err) == WN_OK,
			"%s", err.text);
		content[2 * i] = content[2 * i + 1] = i;
	}
	content[2 * CONTENTS] = STORED_NO_CONTENT;
	REQUIRE(segment_writer_commit(w, &err) == WN_OK, "%s", err.text);
	REQUIRE(segments_open(&g, dir, &err) == WN_OK, "%s", err.text);
	REQUIRE(stored_open(&s, g, content, 2 * CONTENTS + 1, 3, 2, NULL, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(s.set_of[2 * CONTENTS], JOIN_NO_SET, "a document without text has no set");
	for (uint32_t i = 0; i < CONTENTS; i++)
		for (int k = 0; k < 2; k++) {
			uint32_t id = s.set_of[2 * i];

			CHECK_EQ(s.set_of[2 * i + 1], id, "documents of one content share a set");
			CHECK_EQ(s.sets[k].size[id], n[i][k], "content %u", i);
			CHECK(reads_back(t, &s.sets[k], id, set[i][k], n[i][k]), "content %u, kind %d, %u values", i, k,
			      n[i][k]);
		}
	stored_close(&s);
	for (uint64_t below = UINT64_MAX / 2; below; below >>= 3) {
		REQUIRE(stored_open(&s, g, content, 2 * CONTENTS + 1, 3, 2, NULL, &err) == WN_OK, "%s", err.text);
		stored_narrow(&s, below, 2);
		for (uint32_t i = 0; i < CONTENTS; i++)
			for (int k = 0; k < 2; k++) {
				uint32_t id = s.set_of[2 * i], left = 0;

				while (left < n[i][k] && set[i][k][left] < below)
					left++;
				CHECK_EQ(s.sets[k].size[id], left, "content %u, narrowed", i);
				CHECK(reads_back(t, &s.sets[k], id, set[i][k], left), "content %u, kind %d, %u of %u",
				      i, k, left, n[i][k]);
			}
		stored_close(&s);
	}
	segments_close(g);
}
