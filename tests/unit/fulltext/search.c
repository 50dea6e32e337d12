/* The index against a scan of all texts: random collections, random queries, any cut into segments. */
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/limits.h"
#include "base/os.h"
#include "base/vec.h"
#include "fulltext/index.h"
#include "fulltext/match.h"
#include "text/word.h"

enum { CONTENTS = 700, WORDS = 60 };

struct world { /* texts as lists of words w0, w1, ...; dead ones are removed */
	struct str title[CONTENTS], body[CONTENTS];
	bool dead[CONTENTS];
	const char *dir;
	struct words {
		struct str *p;
		size_t n;
	} words[FT_FIELDS][CONTENTS]; /* the same, cut */
};

static struct str random_words(struct test *t, size_t n)
{
	char *p = arena_alloc(t->arena, n * 5 + 1);
	size_t at = 0;

	for (size_t i = 0; i < n; i++) { /* w0 is frequent, w59 rare */
		uint64_t w = test_below(t, 1 + test_below(t, 1 + test_below(t, WORDS)));

		at += (size_t)sprintf(p + at, "W%u%s", (unsigned)w, test_below(t, 9) ? " " : ", ");
	}
	return str_n(p, at);
}

static struct words cut(struct test *t, struct str text)
{
	struct words w = { ARENA_ARRAY(t->arena, struct str, text.n + 1), 0 };
	struct buf folded = BUF(1 << 16);
	struct str source;

	while (word_next(&text, &folded, &source))
		w.p[w.n++] = arena_str(t->arena, buf_view(&folded));
	buf_release(&folded);
	return w;
}

static void make_world(struct test *t, struct world *w)
{
	*w = (struct world){ .dir = arena_printf(t->arena, "%s/ft", test_dir(t)).p };
	for (unsigned i = 0; i < CONTENTS; i++) {
		w->title[i] = random_words(t, (size_t)test_below(t, 4));
		w->body[i] = random_words(t, (size_t)test_below(t, i % 50 == 0 ? 900 : 60));
		w->words[FT_TITLE][i] = cut(t, w->title[i]);
		w->words[FT_BODY][i] = cut(t, w->body[i]);
	}
}

/* ---- the slow twin ---- */

static uint32_t count_leaf(const struct ftquery *q, struct str *terms, size_t n_terms, struct words text)
{
	uint32_t tf = 0;

	for (size_t i = 0; i + n_terms <= text.n; i++) {
		size_t j = 0;

		while (j < n_terms &&
		       (q->kind == FT_PREFIX ? str_starts(text.p[i + j], terms[j]) : str_eq(text.p[i + j], terms[j])))
			j++;
		tf += j == n_terms;
	}
	return tf;
}

/* By leaf: what its weight and the mean length come to over all live texts. */
static double leaf_weight[64], leaf_mean[64];

static void weigh(const struct world *w, const struct ftquery *q)
{
	if (q->kind >= FT_ALL) {
		for (const struct ftquery *c = q->first; c; c = c->next)
			weigh(w, c);
		return;
	}
	leaf_weight[q->leaf] = 0;
	for (size_t j = 0; j < q->n_terms; j++) {
		uint64_t df = 0, sum = 0, live = 0;

		for (unsigned i = 0; i < CONTENTS; i++) {
			if (w->dead[i])
				continue;
			df += count_leaf(q, q->terms + j, 1, w->words[q->field][i]) > 0;
			sum += ft_norm_length(ft_norm(w->words[q->field][i].n));
			live++;
		}
		leaf_weight[q->leaf] += log(1 + ((double)(live - df) + 0.5) / ((double)df + 0.5));
		leaf_mean[q->leaf] = sum ? (double)sum / (double)live : 1;
	}
}

static uint64_t scan_leaf(const struct world *w, const struct ftquery *q, unsigned doc, bool *matches)
{
	uint32_t tf = count_leaf(q, q->terms, q->n_terms, w->words[q->field][doc]);
	uint32_t length = ft_norm_length(ft_norm(w->words[q->field][doc].n));

	*matches = tf > 0;
	if (!tf)
		return 0;
	if (q->kind == FT_PREFIX)
		return (uint64_t)FT_UNIT;
	return ft_score((float)(leaf_weight[q->leaf] * (FT_K1 + 1)) * FT_UNIT, tf,
			(float)(FT_K1 * (1 - FT_B + FT_B * length / leaf_mean[q->leaf])));
}

static uint64_t scan(const struct world *w, const struct ftquery *q, unsigned doc, bool *matches)
{
	uint64_t sum = 0;
	unsigned yes = 0, wanted = 0;

	if (q->kind < FT_ALL)
		return scan_leaf(w, q, doc, matches);
	for (const struct ftquery *c = q->first; c; c = c->next) {
		bool m;
		uint64_t s = scan(w, c, doc, &m);

		if (c->excluded && m) {
			*matches = false;
			return 0;
		}
		if (!c->excluded) {
			wanted++;
			yes += m;
			sum += m ? s : 0;
		}
	}
	*matches = q->kind == FT_ALL ? yes == wanted : yes > 0;
	return sum;
}

/* ---- comparing ---- */

static void add_atom(struct test *t, struct buf *b, unsigned depth);

static void add_query(struct test *t, struct buf *b, unsigned depth)
{
	unsigned alternatives = test_below(t, 3) ? 1 : 2 + (unsigned)test_below(t, 2);

	for (unsigned i = 0; i < alternatives; i++) {
		unsigned items = 1 + (unsigned)test_below(t, 3), wanted = (unsigned)test_below(t, items);

		if (i)
			buf_str(b, STR(" or "));
		for (unsigned j = 0; j < items; j++) {
			if (j)
				buf_byte(b, ' ');
			if (j != wanted && test_below(t, 4) == 0)
				buf_byte(b, '-');
			add_atom(t, b, depth);
		}
	}
}

static void add_atom(struct test *t, struct buf *b, unsigned depth)
{
	unsigned kind = (unsigned)test_below(t, depth ? 8 : 6);

	if (test_below(t, 6) == 0)
		buf_str(b, STR("title:"));
	if (kind == 0) {
		buf_byte(b, '"');
		for (unsigned i = 0, n = 1 + (unsigned)test_below(t, 3); i < n; i++)
			buf_printf(b, "w%u ", (unsigned)test_below(t, 1 + test_below(t, 12)));
		buf_byte(b, '"');
	} else if (kind == 1) {
		buf_printf(b, "w%u*", (unsigned)test_below(t, 6));
	} else if (kind >= 6) {
		buf_byte(b, '(');
		add_query(t, b, depth - 1);
		buf_byte(b, ')');
	} else {
		buf_printf(b, "w%u", (unsigned)test_below(t, WORDS));
	}
}

static bool odd(void *context, uint64_t content) { return (content & *(uint64_t *)context) != 0; }

static int by_hit(const void *a, const void *b)
{
	const struct fthit *x = a, *y = b;

	return x->score != y->score ? (x->score < y->score ? 1 : -1)
				    : (x->content < y->content ? -1 : x->content > y->content);
}

static void compare(struct test *t, const struct world *w, struct ftreader *r, struct str text, size_t limit,
		    bool exact_df)
{
	struct ftquery *q;
	struct err err = { 0 };
	struct fthit want[CONTENTS], got[CONTENTS];
	size_t n_want = 0, n_got = 0, all = 0;
	uint64_t bits[CONTENTS / 64 + 1] = { 0 }, count, mask = 1;
	bool filtered = test_below(t, 3) == 0;
	struct ftfilter filter = { .test = odd, .context = &mask };

	if (!CHECK_EQ(ftquery_parse(t->arena, text, &q, &err), WN_OK, "%.*s: %s", STR_FMT(text), err.text))
		return;
	weigh(w, q);
	for (unsigned i = 0; i < CONTENTS; i++) {
		bool m;
		uint64_t score;

		if (w->dead[i])
			continue;
		score = scan(w, q, i, &m);
		if (i % 16 == 0)
			CHECK_EQ(ftquery_matches(q, w->title[i], w->body[i]), m, "%.*s on %u", STR_FMT(text), i);
		all += m;
		if (m && (!filtered || (i & 1)))
			want[n_want++] = (struct fthit){ i, (double)score / (double)FT_UNIT };
		if (m)
			bits[i / 64] |= (uint64_t)1 << i % 64;
	}
	qsort(want, n_want, sizeof *want, by_hit);
	n_want = n_want < limit ? n_want : limit;
	CHECK_EQ(ftsearch_top(r, q, filtered ? &filter : NULL, limit, got, &n_got, &err), WN_OK, "%s", err.text);
	CHECK_EQ(n_got, n_want, "%.*s", STR_FMT(text));
	for (size_t i = 0; i < n_got && i < n_want && exact_df; i++)
		CHECK(got[i].content == want[i].content && got[i].score == want[i].score,
		      "%.*s: hit %zu is %" PRIu64 " %f, should be %" PRIu64 " %f", STR_FMT(text), i, got[i].content,
		      got[i].score, want[i].content, want[i].score);
	uint64_t found[CONTENTS / 64 + 1] = { 0 };
	CHECK_EQ(ftsearch_bits(r, q, found, CONTENTS, &count, &err), WN_OK, "%s", err.text);
	CHECK_EQ(count, all, "%.*s", STR_FMT(text));
	CHECK(memcmp(found, bits, sizeof bits) == 0, "%.*s: all matches", STR_FMT(text));
}

static void compare_many(struct test *t, const struct world *w, unsigned rounds, bool exact_df)
{
	struct ftreader *r;
	struct err err = { 0 };
	struct buf text = BUF(1 << 16);

	REQUIRE(ftreader_open(&r, w->dir, &err) == WN_OK, "%s", err.text);
	for (unsigned i = 0; i < rounds; i++) {
		buf_reset(&text);
		if (i % 3 == 0) { /* the shapes that have a driver of their own */
			for (unsigned j = 0, n = 1 + (unsigned)test_below(t, 3); j < n; j++)
				buf_printf(&text, "%sw%u", j ? (i % 2 ? " or " : " ") : "",
					   (unsigned)test_below(t, 1 + test_below(t, WORDS)));
		} else {
			add_query(t, &text, 2);
		}
		compare(t, w, r, buf_view(&text), 1 + (size_t)test_below(t, 30), exact_df);
	}
	buf_release(&text);
	ftreader_close(r);
}

/* Contents dealt to builders that write segments; every committed state is searched. */
static void build(struct test *t, const struct world *w, unsigned builders, unsigned per_segment)
{
	struct ftindex *x;
	struct ftbuild *b[3];
	struct err err = { 0 };

	REQUIRE(ftindex_open(&x, w->dir, &err) == WN_OK, "%s", err.text);
	for (unsigned i = 0; i < builders; i++)
		b[i] = ftbuild_new(0);
	for (unsigned i = 0; i < CONTENTS; i++) {
		struct ftbuild *one = b[test_below(t, builders)];

		CHECK_EQ(ftindex_add(x, one, i, w->title[i], w->body[i], &err), WN_OK, "%s", err.text);
		if (ftbuild_contents(one) == per_segment)
			CHECK_EQ(ftindex_flush(x, one, &err), WN_OK, "%s", err.text);
	}
	for (unsigned i = 0; i < builders; i++) {
		CHECK_EQ(ftindex_flush(x, b[i], &err), WN_OK, "%s", err.text);
		ftbuild_free(b[i]);
	}
	CHECK_EQ(ftindex_contents(x), 0, "flushed is not committed");
	CHECK_EQ(ftindex_commit(x, &err), WN_OK, "%s", err.text);
	CHECK_EQ(ftindex_contents(x), CONTENTS);
	CHECK_EQ(ftindex_end(x), CONTENTS);
	ftindex_close(x);
	CHECK_EQ(ftindex_check(w->dir, &err), WN_OK, "%s", err.text);
}

TEST(search, one_segment_agrees_with_a_scan_of_all_texts)
{
	struct world w;

	make_world(t, &w);
	build(t, &w, 1, CONTENTS);
	compare_many(t, &w, 40, true);
}

TEST(search, many_segments_merged_and_removed_from_agree_too)
{
	struct world w;
	struct ftindex *x;
	struct ftreader *before;
	struct err err = { 0 };
	bool did = true;
	unsigned merges = 0;

	make_world(t, &w);
	build(t, &w, 3, 20);
	compare_many(t, &w, 12, true);
	REQUIRE(ftreader_open(&before, w.dir, &err) == WN_OK);
	REQUIRE(ftindex_open(&x, w.dir, &err) == WN_OK, "%s", err.text);
	for (unsigned i = 0; i < CONTENTS; i++)
		if (test_below(t, 4) == 0) {
			CHECK_EQ(ftindex_remove(x, i, &err), WN_OK);
			w.dead[i] = true;
		}
	CHECK_EQ(ftindex_commit(x, &err), WN_OK, "%s", err.text);
	compare_many(t, &w, 8, false); /* df still counts what is gone: scores differ, matches do not */
	while (did) {
		CHECK_EQ(ftindex_merge(x, &did, &err), WN_OK, "%s", err.text);
		merges += did;
	}
	CHECK(merges > 1, "small segments are merged");
	compare_many(t, &w, 8, false);
	CHECK_EQ(ftindex_merge_all(x, &err), WN_OK, "%s", err.text);
	ftindex_close(x);
	compare_many(t, &w, 12, true);
	CHECK_EQ(ftindex_check(w.dir, &err), WN_OK, "%s", err.text);
	CHECK_EQ(ftreader_contents(before), CONTENTS, "a reader keeps the state it opened");
	{
		struct world all = w;

		memset(all.dead, 0, sizeof all.dead);
		compare(t, &all, before, STR("w1 or w2"), 10, true);
	}
	ftreader_close(before);
}

/* Every file of an index of one segment, by the same calls with less or more memory. */
static struct str one_segment(struct test *t, const char *name, size_t memory, const struct str *texts, size_t n)
{
	const char *dir = arena_printf(t->arena, "%s/%s", test_dir(t), name).p;
	struct ftbuild *b = ftbuild_new(memory);
	struct ftindex *x;
	struct err err = { 0 };
	struct str *names, all = STR_NONE;
	size_t files = 0;

	if (ftindex_open(&x, dir, &err) != WN_OK)
		return STR_NONE;
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(ftindex_add(x, b, i + 5, STR("a title"), texts[i], &err), WN_OK, "%s", err.text);
	CHECK_EQ(ftindex_flush(x, b, &err), WN_OK, "%s", err.text);
	CHECK_EQ(ftindex_commit(x, &err), WN_OK, "%s", err.text);
	CHECK_EQ(ftindex_merge_all(x, &err), WN_OK, "%s", err.text);
	ftbuild_free(b);
	ftindex_close(x);
	CHECK_EQ(ftindex_check(dir, &err), WN_OK, "%s", err.text);
	CHECK_EQ(os_list(t->arena, dir, "", &names, &files, &err), WN_OK);
	CHECK_EQ(files, 2, "a manifest and one segment; runs are gone");
	if (files)
		os_slurp(t->arena, arena_printf(t->arena, "%s/%.*s", dir, STR_FMT(names[0])).p, 64 * MIB, &all, &err);
	return all;
}

TEST(index, a_text_that_does_not_fit_the_memory_gives_the_same_segment)
{
	enum { TEXTS = 4, LENGTH = 40000 };
	struct str texts[TEXTS];

	for (size_t i = 0; i < TEXTS; i++) {
		struct buf text = BUF(16 * MIB);

		for (size_t j = 0; j < LENGTH; j++)
			buf_printf(&text, i == 2 ? "w%u " : "w%u the ", (unsigned)test_below(t, i % 2 ? 60000 : 300));
		texts[i] = arena_str(t->arena, buf_view(&text));
		buf_release(&text);
	}
	struct str roomy = one_segment(t, "roomy", 64 * MIB, texts, TEXTS);
	struct str narrow = one_segment(t, "narrow", 0, texts, TEXTS);

	CHECK(roomy.n > 100000, "%zu bytes", roomy.n);
	CHECK(str_eq(roomy, narrow), "%zu and %zu bytes", roomy.n, narrow.n);
}

TEST(index, what_was_not_committed_is_gone_and_numbers_may_be_used_again)
{
	struct world w;
	struct ftindex *x;
	struct ftbuild *b = ftbuild_new(0);
	struct err err = { 0 };
	struct str *names;
	size_t n;

	make_world(t, &w);
	build(t, &w, 1, 100);
	REQUIRE(ftindex_open(&x, w.dir, &err) == WN_OK);
	CHECK_EQ(ftindex_add(x, b, CONTENTS, STR("lost"), STR("lost"), &err), WN_OK);
	CHECK_EQ(ftindex_flush(x, b, &err), WN_OK);
	ftindex_close(x);
	CHECK_EQ(os_list(t->arena, w.dir, ".seg", &names, &n, &err), WN_OK);
	CHECK_EQ(n, 7, "the segment that was not committed is unlinked");
	REQUIRE(ftindex_open(&x, w.dir, &err) == WN_OK);
	CHECK_EQ(ftindex_truncate(x, CONTENTS - 150, &err), WN_OK);
	for (unsigned i = CONTENTS - 150; i < CONTENTS; i++)
		CHECK_EQ(ftindex_add(x, b, i, w.title[i], w.body[i], &err), WN_OK, "%s", err.text);
	CHECK_EQ(ftindex_flush(x, b, &err), WN_OK);
	CHECK_EQ(ftindex_commit(x, &err), WN_OK, "%s", err.text);
	CHECK_EQ(ftindex_contents(x), CONTENTS);
	CHECK_EQ(ftindex_merge_all(x, &err), WN_OK, "%s", err.text);
	ftindex_close(x);
	ftbuild_free(b);
	compare_many(t, &w, 6, true);
}

static const struct {
	const char *query, *error;
} bad[] = {
	{ "", "no word" },
	{ "  ... ", "no word" },
	{ "\"open", "does not end" },
	{ "(a b", "does not end" },
	{ "a)", "closes nothing" },
	{ "-a", "only leave out" },
	{ "b or -a", "only leave out" },
	{ "a or", "both sides" },
	{ "a or or b", "both sides" },
	{ "a or (b or )", "both sides" },
	{ "*", "beginning of a word" },
	{ "foo-ba*", "cut into several" },
	{ "title: x", "right behind" },
	{ "NOT", "must follow" },
};

TEST(query, brackets_nested_too_deep_are_a_fault_of_the_search)
{
	struct ftquery *q;
	struct err err = { 0 };
	char deep[2 * LIMIT_FT_DEPTH + 4];

	memset(deep, '(', sizeof deep);
	CHECK_EQ(ftquery_parse(t->arena, str_n(deep, sizeof deep), &q, &err), WN_USAGE, "%s", err.text);
	CHECK(strstr(err.text, "too deep"), "%s", err.text);
}

TEST(query, bad_ones_say_what_and_where)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct ftquery *q;
		struct err err = { 0 };
		int rc = ftquery_parse(t->arena, str(bad[i].query), &q, &err);

		CHECK_EQ(rc, WN_USAGE, "%s", bad[i].query);
		CHECK(strstr(err.text, bad[i].error) && strstr(err.text, "column"), "%s: %s", bad[i].query, err.text);
	}
}

static const struct {
	const char *query, *title, *body;
	bool matches;
} matching[] = {
	{ "hello", "", "Hello World", true },
	{ "Hel*", "", "HELLO", true },
	{ "don't", "", "I don't know", true },
	{ "don't", "", "t don", false },
	{ "\"world hello\"", "", "hello world", false },
	{ "title:news", "News", "nothing", true },
	{ "title:(news or views)", "Views", "", true },
	{ "title:\"the news\"", "The News", "", true },
	{ "news", "News", "nothing", false },
	{ "a -b", "", "a b", false },
	{ "a - b", "", "a b", true },
	{ "a b or c", "", "c", true },
	{ "a (b or c)", "", "c", false },
	{ "\xe6\x97\xa5\xe6\x9c\xac", "", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", true },
	{ "\"or\"", "", "this or that", true },
	{ "a NOT (b c)", "", "a b", true },
};

TEST(query, means_what_the_language_says)
{
	for (size_t i = 0; i < COUNT(matching); i++) {
		struct ftquery *q;
		struct err err = { 0 };

		if (CHECK_EQ(ftquery_parse(t->arena, str(matching[i].query), &q, &err), WN_OK, "%s: %s",
			     matching[i].query, err.text))
			CHECK_EQ(ftquery_matches(q, str(matching[i].title), str(matching[i].body)), matching[i].matches,
				 "%s on %s / %s", matching[i].query, matching[i].title, matching[i].body);
	}
}

TEST(snippet, shows_the_words_that_were_asked_for)
{
	struct buf text = BUF(1 << 20);
	struct ftquery *q;
	struct ftsnippet s;

	for (unsigned i = 0; i < 200; i++)
		buf_printf(&text, "filler%u ", i);
	buf_str(&text, STR("the Quick brown fox jumps "));
	for (unsigned i = 0; i < 200; i++)
		buf_printf(&text, "quick%u ", i);
	REQUIRE(ftquery_parse(t->arena, STR("quick \"brown fox\" ju* -absent"), &q, NULL) == WN_OK);
	s = ftquery_snippet(t->arena, q, buf_view(&text), 120);
	CHECK(s.text.n <= 170 && s.cut_before && s.cut_after, "%zu bytes", s.text.n);
	CHECK_EQ(s.n_marks, 3);
	if (s.n_marks == 3) {
		CHECK_STR(str_sub(s.text, s.marks[0].at, s.marks[0].at + s.marks[0].n), STR("Quick"));
		CHECK_STR(str_sub(s.text, s.marks[1].at, s.marks[1].at + s.marks[1].n), STR("brown fox"));
		CHECK_STR(str_sub(s.text, s.marks[2].at, s.marks[2].at + s.marks[2].n), STR("jumps"));
	}
	s = ftquery_snippet(t->arena, q, STR("nothing here"), 120);
	CHECK_STR(s.text, STR("nothing here"));
	CHECK_EQ(s.n_marks, 0);
	buf_release(&text);
}

/* Any byte of a segment or manifest changed: an error, or the right answer. */
TEST(index, damage_is_an_error_and_never_a_wrong_answer)
{
	struct world w;
	struct ftquery *q;
	struct fthit want[20], got[20];
	size_t n_want, n;
	struct ftreader *r;
	struct err err = { 0 };
	struct str file;
	const char *path;
	char *copy;

	make_world(t, &w);
	build(t, &w, 1, CONTENTS);
	REQUIRE(ftquery_parse(t->arena, STR("w3 or \"w0 w1\" or w2*"), &q, &err) == WN_OK);
	REQUIRE(ftreader_open(&r, w.dir, &err) == WN_OK);
	REQUIRE(ftsearch_top(r, q, NULL, 20, want, &n_want, &err) == WN_OK);
	ftreader_close(r);
	path = arena_printf(t->arena, "%s/000001.seg", w.dir).p;
	REQUIRE(os_slurp(t->arena, path, 1 << 24, &file, &err) == WN_OK, "%s", err.text);
	copy = arena_alloc(t->arena, file.n);
	for (unsigned round = 0; round < 200; round++) {
		size_t at = (size_t)test_below(t, file.n);
		FILE *f = fopen(path, "wb");
		int rc;

		memcpy(copy, file.p, file.n);
		copy[at] ^= (char)(1 << test_below(t, 8));
		fwrite(copy, 1, file.n, f);
		fclose(f);
		CHECK_EQ(ftindex_check(w.dir, &err), WN_DATA, "byte %zu: the checker is silent", at);
		CHECK(strstr(err.text, "000001.seg") != NULL, "%s", err.text);
		if (ftreader_open(&r, w.dir, &err) < 0)
			continue;
		rc = ftsearch_top(r, q, NULL, 20, got, &n, &err);
		CHECK(rc == WN_DATA || (rc == WN_OK && n == n_want && memcmp(got, want, n * sizeof *got) == 0),
		      "byte %zu: rc %d", at, rc);
		ftreader_close(r);
	}
}

/* A segment that is sound, but of another index. */
TEST(index, a_segment_in_place_of_another_is_an_error)
{
	struct world w, other;
	struct ftreader *r;
	struct err err = { 0 };
	struct str file;
	const char *path;
	FILE *f;

	make_world(t, &w);
	build(t, &w, 1, CONTENTS);
	make_world(t, &other);
	other.dir = arena_printf(t->arena, "%s/other", test_dir(t)).p;
	build(t, &other, 1, CONTENTS);
	REQUIRE(os_slurp(t->arena, arena_printf(t->arena, "%s/000001.seg", other.dir).p, 1 << 24, &file, &err) == WN_OK,
		"%s", err.text);
	path = arena_printf(t->arena, "%s/000001.seg", w.dir).p;
	f = fopen(path, "wb");
	REQUIRE(f && fwrite(file.p, 1, file.n, f) == file.n && fclose(f) == 0);
	CHECK_EQ(ftindex_check(w.dir, &err), WN_DATA);
	CHECK(strstr(err.text, "000001.seg") != NULL, "%s", err.text);
	CHECK_EQ(ftreader_open(&r, w.dir, &err), WN_DATA);
}

struct traffic {
	struct ftindex *x;
	const char *dir;
	struct ftquery *q;
	atomic_bool over;
	int rc;
	uint64_t searches, shrank;
	struct err err;
};

static void *merge_while_written(void *context)
{
	struct traffic *c = context;
	bool did = false;

	while (c->rc == WN_OK && (!atomic_load(&c->over) || did))
		c->rc = ftindex_merge(c->x, &did, &c->err);
	return NULL;
}

static void *read_while_written(void *context)
{
	struct traffic *c = context;
	uint64_t last = 0;

	while (c->rc == WN_OK && !atomic_load(&c->over)) {
		struct ftreader *r;
		struct fthit top[10];
		uint64_t now;
		size_t n;

		if ((c->rc = ftreader_open(&r, c->dir, &c->err)) < 0)
			break;
		now = ftreader_contents(r);
		c->shrank += now < last;
		last = now;
		c->rc = ftsearch_top(r, c->q, NULL, 10, top, &n, &c->err);
		c->searches++;
		ftreader_close(r);
	}
	return NULL;
}

TEST(index, readers_and_merges_go_on_while_it_is_written)
{
	struct world w;
	struct ftindex *x;
	struct ftbuild *b = ftbuild_new(0);
	struct err err = { 0 };
	struct traffic merging = { 0 }, reading = { 0 };
	pthread_t threads[2];

	make_world(t, &w);
	REQUIRE(ftindex_open(&x, w.dir, &err) == WN_OK, "%s", err.text);
	REQUIRE(ftquery_parse(t->arena, STR("w1 or \"w0 w2\" or w3*"), &reading.q, &err) == WN_OK);
	merging.x = x;
	reading.dir = w.dir;
	pthread_create(&threads[0], NULL, merge_while_written, &merging);
	pthread_create(&threads[1], NULL, read_while_written, &reading);
	for (unsigned i = 0; i < CONTENTS; i++) {
		CHECK_EQ(ftindex_add(x, b, i, w.title[i], w.body[i], &err), WN_OK, "%s", err.text);
		if (i % 7 == 6) {
			CHECK_EQ(ftindex_flush(x, b, &err), WN_OK, "%s", err.text);
			CHECK_EQ(ftindex_commit(x, &err), WN_OK, "%s", err.text);
		}
	}
	CHECK_EQ(ftindex_flush(x, b, &err), WN_OK, "%s", err.text);
	CHECK_EQ(ftindex_commit(x, &err), WN_OK, "%s", err.text);
	atomic_store(&merging.over, true);
	atomic_store(&reading.over, true);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	CHECK_EQ(merging.rc, WN_OK, "%s", merging.err.text);
	CHECK_EQ(reading.rc, WN_OK, "%s", reading.err.text);
	CHECK_EQ(reading.shrank, 0, "a later state never has fewer contents");
	ftbuild_free(b);
	ftindex_close(x);
	compare_many(t, &w, 6, true);
}
