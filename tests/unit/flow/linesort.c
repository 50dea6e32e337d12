/* tests/unit/flow/linesort.c -- lines in byte order, in memory and through runs. */
#include "flow/linesort.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "test.h"

static int gather(void *context, struct str lines, struct err *err)
{
	(void)err;
	buf_str(context, lines);
	return WN_OK;
}

static int by_bytes(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

TEST(linesort, agrees_with_sorting_all_at_once)
{
	for (int round = 0; round < 6; round++) {
		size_t n = round ? 20000 + test_below(t, 20000) : test_below(t, 3);
		struct str *lines = arena_alloc(t->arena, (n + 1) * sizeof *lines);
		struct buf got = BUF(256 * MIB), want = BUF(256 * MIB);
		struct linesort s;
		struct err err = { 0 };

		linesort_init(&s, MIB, test_dir(t));
		for (size_t i = 0; i < n; i++) {
			size_t pad = test_below(t, 50) ? test_below(t, 60) : test_below(t, 9000);
			char *p = arena_alloc(t->arena, pad + 32);
			int m = snprintf(p, 32, "com,%c)/%u", (char)('a' + test_below(t, 3)),
					 (unsigned)test_below(t, 1000));

			memset(p + m, 'x', pad);
			p[(size_t)m + pad] = '\n';
			lines[i] = str_n(p, (size_t)m + pad + 1);
			REQUIRE(linesort_add(&s, lines[i], &err) == WN_OK, "%s", err.text);
		}
		if (round)
			CHECK(s.runs.n > 1, "the lines did not fit: %zu runs", s.runs.n);
		REQUIRE(linesort_drain(&s, &got, gather, &err) == WN_OK, "%s", err.text);
		qsort(lines, n, sizeof *lines, by_bytes);
		for (size_t i = 0; i < n; i++)
			buf_str(&want, lines[i]);
		CHECK(str_eq(buf_view(&got), buf_view(&want)), "%zu lines", n);
		linesort_release(&s);
		buf_release(&got);
		buf_release(&want);
	}
}

TEST(linesort, says_when_there_is_no_room_for_runs)
{
	struct linesort s;
	struct err err = { 0 };
	char line[1000];
	int rc = WN_OK;

	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\n';
	linesort_init(&s, MIB, "/nonexistent");
	for (int i = 0; i < 2000 && rc == WN_OK; i++)
		rc = linesort_add(&s, str_n(line, sizeof line), &err);
	CHECK(rc < 0);
	CHECK(err.text[0] != '\0');
	linesort_release(&s);
}
