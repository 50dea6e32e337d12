/* Words of a stretch brought together, against going through them one by one. */
#include "test.h"

#include "base/buf.h"
#include "base/limits.h"
#include "fulltext/gather.h"
#include "fulltext/index.h"
#include "fulltext/match.h"

/* Few of each length, and long ones that differ at their ends only. */
static void random_word(struct test *t, bool cut, struct buf *out)
{
	static const size_t lengths[] = { 1, 2, 7, 8, 9, 15, 16, 17, 24, 40, LIMIT_FT_TERM, LIMIT_FT_TERM + 9 };
	size_t n = lengths[test_below(t, COUNT(lengths) - !cut)];

	for (size_t i = 0; i + 1 < n; i++)
		buf_byte(out, 'a');
	buf_byte(out, (char)('a' + test_below(t, 5)));
	buf_byte(out, ' ');
}

/* Every occurrence is in its term at its place, and there are no others. */
static void compare(struct test *t, struct gather *g, struct str *words, size_t n)
{
	size_t all = 0;

	gather_close(g);
	CHECK_EQ(g->n, n);
	for (size_t i = 0; i < g->terms.n; i++) {
		const struct gathered *x = &g->terms.p[i];
		const uint16_t *gaps = gather_gaps(g, x);
		size_t place = (size_t)-1;

		for (size_t j = 0; j < x->n; j++) {
			place += gaps[j] + (size_t)1;
			CHECK(place < n && str_eq(words[place], gather_key(g, x)), "term %zu, place %zu", i, place);
		}
		CHECK_EQ(place, x->last);
		for (size_t j = 0; j < i; j++)
			CHECK(!str_eq(gather_key(g, x), gather_key(g, &g->terms.p[j])), "terms %zu and %zu", j, i);
		all += x->n;
	}
	CHECK_EQ(all, n);
}

TEST(gather, every_word_is_at_its_places)
{
	struct gather g = { 0 };
	struct word_reader r = { 0 };
	struct buf text = BUF(16 * MIB);
	struct str *words = ARENA_ARRAY(t->arena, struct str, GATHER_MOST);

	for (unsigned round = 0; round < 40; round++) {
		size_t count = (size_t)test_below(t, round % 8 ? 300 : 2 * GATHER_MOST), n = 0, stretches = 0;
		bool same_hash = round % 4 == 1; /* only the bytes tell them apart; one that is cut is hashed again */

		buf_reset(&text);
		for (size_t i = 0; i < count; i++)
			if (round % 8)
				random_word(t, !same_hash, &text);
			else
				buf_printf(&text, "%u ", (unsigned)test_below(t, 20000));
		word_open(&r, buf_view(&text));
		gather_open(&g, test_below(t, 2) ? 0 : text.n);
		while (word_batch(&r)) {
			for (size_t i = 0; i < r.n && same_hash; i++)
				r.terms[i].hash = 7;
			for (size_t i = 0; i < r.n;) {
				size_t end = gather_words(&g, &r, i);

				for (; i < end; i++) {
					struct str key = word_bytes(&r, i);

					words[n++] = arena_str(t->arena, str_sub(key, 0, LIMIT_FT_TERM));
				}
				if (end < r.n) {
					CHECK_EQ(n, GATHER_MOST, "it is full");
					compare(t, &g, words, n);
					gather_open(&g, text.n);
					n = 0;
					stretches++;
				}
			}
		}
		compare(t, &g, words, n);
		CHECK_EQ(n + stretches * GATHER_MOST, count);
	}
	gather_release(&g);
	word_release(&r);
	buf_release(&text);
}

/* Numbers of a builder's streams that do not fit the usual places. */
TEST(gather, documents_far_apart_and_places_far_behind_are_found)
{
	enum { TEXTS = 2300, LONG = 1500, WORDS = 150000 };
	const char *dir = arena_printf(t->arena, "%s/far", test_dir(t)).p;
	struct ftbuild *b = ftbuild_new(64 * MIB);
	struct buf text = BUF(4 * MIB);
	struct ftreader *reader;
	struct ftindex *x;
	struct ftquery *q;
	struct fthit top[10];
	struct err err = { 0 };
	size_t n;

	REQUIRE(ftindex_open(&x, dir, &err) == WN_OK, "%s", err.text);
	for (unsigned i = 0; i < TEXTS; i++) {
		buf_reset(&text);
		if (i == LONG)
			for (unsigned j = 0; j < WORDS; j++)
				buf_printf(&text, "%s ", j == 70000 || j == 149000 ? "far" : j % 2 ? "even" : "odd");
		CHECK_EQ(ftindex_add(x, b, i, STR_NONE,
				     i == LONG		   ? buf_view(&text)
				     : i == 3 || i == 2299 ? STR("so far")
							   : STR("near"),
				     &err),
			 WN_OK, "%s", err.text);
	}
	CHECK_EQ(ftindex_flush(x, b, &err), WN_OK, "%s", err.text);
	CHECK_EQ(ftindex_commit(x, &err), WN_OK, "%s", err.text);
	ftbuild_free(b);
	ftindex_close(x);
	CHECK_EQ(ftindex_check(dir, &err), WN_OK, "%s", err.text);
	REQUIRE(ftreader_open(&reader, dir, &err) == WN_OK, "%s", err.text);
	REQUIRE(ftquery_parse(t->arena, STR("far"), &q, &err) == WN_OK);
	CHECK_EQ(ftsearch_top(reader, q, NULL, 10, top, &n, &err), WN_OK, "%s", err.text);
	CHECK_EQ(n, 3);
	REQUIRE(ftquery_parse(t->arena, STR("\"even far even\" \"odd even odd\""), &q, &err) == WN_OK);
	CHECK_EQ(ftsearch_top(reader, q, NULL, 10, top, &n, &err), WN_OK, "%s", err.text);
	CHECK(n == 1 && top[0].content == LONG, "%zu", n);
	ftreader_close(reader);
	buf_release(&text);
}
