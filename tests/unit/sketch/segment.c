/* Stored sets and texts: what went in comes out, damage is named, nothing half-written appears. */
#include "test.h"

#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/os.h"
#include "sketch/hashsort.h"
#include "sketch/segment.h"
#include "sketch/textstore.h"
#include "text/main_ranges.h"

static struct set random_set(struct test *t, size_t n)
{
	uint64_t *v = ARENA_ARRAY(t->arena, uint64_t, n + 1), *scratch = ARENA_ARRAY(t->arena, uint64_t, n + 1);

	for (size_t i = 0; i < n; i++)
		v[i] = test_below(t, 8) ? test_random(t) : test_random(t) >> test_below(t, 64);
	return (struct set){ v, hashsort(v, n, scratch, false) };
}

/* What a main text has: most of the body's values, in runs, and a few besides. */
static struct set random_part(struct test *t, struct set body)
{
	size_t n = 0, besides = (size_t)test_below(t, 4), most = body.n + besides;
	uint64_t *v = ARENA_ARRAY(t->arena, uint64_t, most + 1), *scratch = ARENA_ARRAY(t->arena, uint64_t, most + 1);
	bool in = test_below(t, 2);

	for (size_t i = 0; i < body.n; i++) {
		if (test_below(t, 20) == 0)
			in = !in;
		if (in)
			v[n++] = body.p[i];
	}
	for (; besides; besides--)
		v[n++] = test_below(t, 3) ? test_random(t) : UINT64_MAX - test_below(t, 2);
	return (struct set){ v, hashsort(v, n, scratch, false) };
}

static const size_t sizes[] = { 0, 1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4095, 4096, 40000 };

static const char *write_sets(struct test *t, struct set *body, struct set *main, size_t n, uint64_t first)
{
	const char *path = arena_printf(t->arena, "%s/%06u.seg", test_dir(t), (unsigned)first).p;
	struct segment_writer *w;
	struct err err = { 0 };

	if (!CHECK_EQ(segment_writer_open(&w, path, SHINGLE_DEFAULT, first, &err), WN_OK, "%s", err.text))
		return path;
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(segment_writer_add(w, first + i, body[i], main[i], &err), WN_OK, "%s", err.text);
	CHECK(access(path, F_OK) != 0, "nothing appears before commit");
	CHECK_EQ(segment_writer_commit(w, &err), WN_OK, "%s", err.text);
	return path;
}

static bool same_set(struct segment *s, uint64_t content, enum sketch_text which, struct set want, int *rc)
{
	uint64_t *got = mem_array(want.n + 1, 8);
	size_t n = 0;
	bool same;

	*rc = segment_get(s, content, which, got, want.n, &n, NULL);
	same = *rc == WN_OK && n == want.n && (n == 0 || memcmp(got, want.p, n * 8) == 0);
	mem_free(got);
	return same;
}

TEST(segment, gives_back_every_set)
{
	enum { N = COUNT(sizes) };
	struct set body[N], main[N];
	struct segment *s;
	struct err err = { 0 };
	const char *path;
	int rc;

	for (size_t i = 0; i < N; i++) {
		body[i] = random_set(t, sizes[i]);
		main[i] = i % 3 == 0 ? body[i] : i % 3 == 1 ? random_part(t, body[i]) : random_set(t, sizes[i] / 2);
	}
	path = write_sets(t, body, main, N, 70);
	CHECK_EQ(segment_check(path, &err), WN_OK, "%s", err.text);
	REQUIRE(segment_open(&s, path, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(segment_first(s), 70);
	CHECK_EQ(segment_count(s), N);
	CHECK_EQ(segment_spec(s).k, 5);
	for (size_t i = 0; i < N; i++) {
		struct sketch k;
		struct minhash m;

		CHECK(same_set(s, 70 + i, SKETCH_BODY, body[i], &rc), "body of %zu values", body[i].n);
		CHECK(same_set(s, 70 + i, SKETCH_MAIN, main[i], &rc), "main of %zu values", main[i].n);
		CHECK_EQ(segment_sketch(s, 70 + i, SKETCH_MAIN, &k, &err), WN_OK);
		minhash_make(&m, main[i]);
		CHECK(k.n == main[i].n && k.simhash == simhash_make(main[i]) && memcmp(&m, &k.minhash, sizeof m) == 0);
	}
	CHECK_EQ(segment_get(s, 69, SKETCH_BODY, NULL, 0, &(size_t){ 0 }, &err), WN_NONE);
	CHECK_EQ(segment_get(s, 70 + N, SKETCH_BODY, NULL, 0, &(size_t){ 0 }, &err), WN_NONE);
	segment_close(s);
}

/* Read in parts, by number and by value, as the join does it. */
TEST(segment, sets_are_read_in_parts)
{
	enum { N = 3 * COUNT(sizes) };
	struct set body[N], main[N];
	struct segment *s;
	struct err err = { 0 };

	for (size_t i = 0; i < N; i++) {
		body[i] = random_set(t, sizes[i / 3]);
		main[i] = random_part(t, body[i]);
	}
	REQUIRE(segment_open(&s, write_sets(t, body, main, N, 1), &err) == WN_OK, "%s", err.text);
	for (size_t c = 0; c < 2 * N; c++) {
		struct set want = c % 2 ? main[c / 2] : body[c / 2];
		struct set_view v;
		uint32_t i = 0, n = 0, got;
		uint64_t at = 0, some[64], below = 0;

		REQUIRE(segment_view(s, 1 + c / 2, c % 2 ? SKETCH_MAIN : SKETCH_BODY, &v, &err) == WN_OK, "%s",
			err.text);
		CHECK_EQ(v.n, want.n);
		while (below != UINT64_MAX) {
			below = test_below(t, 3) && n < want.n
				    ? want.p[n] + test_below(t, 3) * (UINT64_MAX / (want.n + 1))
				    : below;
			below = n >= want.n || below < want.p[n] ? UINT64_MAX : below;
			do {
				uint32_t cap = 1 + (uint32_t)test_below(t, COUNT(some));

				got = set_view_read(v, &i, &at, below, some, cap);
				for (uint32_t k = 0; k < got; k++, n++)
					CHECK(n < want.n && some[k] == want.p[n] &&
					      (some[k] < below || below == UINT64_MAX));
			} while (got);
			CHECK_EQ(i, n);
			CHECK(n == want.n || (below != UINT64_MAX && want.p[n] >= below), "stopped too early");
		}
		CHECK_EQ(n, want.n);
	}
	segment_close(s);
}

/* A main text that is most of the body adds a bit a value, not a value. */
TEST(segment, a_part_of_the_body_takes_bits)
{
	struct set body = random_set(t, 4000), part = { body.p + 40, body.n - 80 };
	struct buf alone = BUF(1 << 20), both = BUF(1 << 20), later = BUF(1 << 20);

	segment_pack_body(&alone, body);
	segment_pack(&both, body, part);
	CHECK(both.n < alone.n + 152 + 24 + body.n / 8, "%zu and %zu bytes", alone.n, both.n);
	segment_pack_body(&later, body);
	segment_pack_main(&later, part);
	CHECK_STR(buf_view(&later), buf_view(&both), "one after the other");
	segment_pack_main(&alone, body);
	segment_pack(&both, body, body);
	CHECK_STR(buf_view(&alone), buf_view(&both), "the same set");
	buf_release(&alone);
	buf_release(&both);
	buf_release(&later);
}

TEST(segment, refuses_contents_out_of_order)
{
	struct segment_writer *w;
	struct err err = { 0 };
	const char *path = arena_printf(t->arena, "%s/000001.seg", test_dir(t)).p;

	REQUIRE(segment_writer_open(&w, path, SHINGLE_DEFAULT, 5, &err) == WN_OK);
	CHECK_EQ(segment_writer_add(w, 6, (struct set){ 0 }, (struct set){ 0 }, &err), WN_USAGE);
	segment_writer_abort(w);
	CHECK(access(path, F_OK) != 0, "aborted: nothing is left");
}

static void put_file(struct test *t, const char *path, const char *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	REQUIRE(f != NULL);
	CHECK_EQ(fwrite(p, 1, n, f), n);
	fclose(f);
}

/* Any byte changed, any end cut off: each set is right or an error that names the file; the checker sees it. */
TEST(segment, damage_is_an_error_and_never_a_wrong_set)
{
	enum { N = 4 };
	struct set body[N], main[N];
	struct str file;
	const char *path, *bad = arena_printf(t->arena, "%s/bad", test_dir(t)).p;
	char *copy;

	for (size_t i = 0; i < N; i++) {
		body[i] = random_set(t, 40 + 60 * i);
		main[i] = i == 2 ? body[i] : i == 3 ? random_part(t, body[i]) : random_set(t, 30 * i);
	}
	path = write_sets(t, body, main, N, 0);
	REQUIRE(os_slurp(t->arena, path, 1 << 24, &file, NULL) == WN_OK);
	copy = arena_alloc(t->arena, file.n);
	for (unsigned round = 0; round < 1500; round++) {
		struct segment *s;
		struct err err = { 0 };
		size_t n = file.n, at = (size_t)test_below(t, n);

		memcpy(copy, file.p, n);
		if (round % 8 == 0)
			n = at;
		else
			copy[at] ^= (char)(1 << test_below(t, 8));
		put_file(t, bad, copy, n);
		CHECK(segment_check(bad, &err) == WN_DATA || n == 0, "round %u, byte %zu: the checker is silent", round,
		      at);
		CHECK(n == 0 || strstr(err.text, bad) != NULL, "the error names the file: %s", err.text);
		if (segment_open(&s, bad, NULL) < 0)
			continue;
		for (size_t i = 0; i < N; i++) {
			int rc;

			CHECK(same_set(s, i, SKETCH_BODY, body[i], &rc) || rc == WN_DATA, "byte %zu: a wrong body", at);
			CHECK(same_set(s, i, SKETCH_MAIN, main[i], &rc) || rc == WN_DATA, "byte %zu: a wrong main", at);
		}
		segment_close(s);
	}
}

TEST(segments, later_files_win_where_two_hold_a_content)
{
	struct set a[6], b[3], none[6] = { 0 };
	struct segments *s;
	struct err err = { 0 };
	uint64_t got[8];
	size_t n;

	for (size_t i = 0; i < 6; i++)
		a[i] = random_set(t, 1);
	for (size_t i = 0; i < 3; i++)
		b[i] = random_set(t, 2);
	write_sets(t, a, none, 6, 0);
	write_sets(t, b, none, 3, 2); /* file 000002: contents 2, 3, 4 again */
	REQUIRE(segments_open(&s, test_dir(t), &err) == WN_OK, "%s", err.text);
	for (uint64_t c = 0; c < 6; c++) {
		struct set want = c >= 2 && c < 5 ? b[c - 2] : a[c];

		CHECK_EQ(segments_get(s, c, SKETCH_BODY, got, 8, &n, &err), WN_OK, "%s", err.text);
		CHECK(n == want.n && memcmp(got, want.p, n * 8) == 0, "content %" PRIu64, c);
	}
	CHECK_EQ(segments_get(s, 6, SKETCH_BODY, got, 8, &n, &err), WN_NONE);
	segments_close(s);
	REQUIRE(segments_open(&s, arena_printf(t->arena, "%s/absent", test_dir(t)).p, &err) == WN_OK);
	CHECK_EQ(segments_get(s, 0, SKETCH_BODY, got, 8, &n, &err), WN_NONE);
	segments_close(s);
}

static struct str random_bytes(struct test *t, size_t n)
{
	char *p = arena_alloc(t->arena, n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = "abcdefgh \n"[test_below(t, 10)];
	return str_n(p, n);
}

/* Ranges of a body that is not empty; main is what they make. */
static struct str random_main(struct test *t, struct str body, struct str *main)
{
	struct main_range v[40];
	size_t n = 0, at = 0;
	char *packed = arena_alloc(t->arena, MAIN_RANGE_MOST * COUNT(v));
	struct buf text = BUF(MIB);

	while (n < COUNT(v) && at < body.n) {
		size_t from = at + (n > 0) + test_below(t, test_below(t, 2) ? 3 : body.n / 4 + 1),
		       to = from + 1 + test_below(t, test_below(t, 2) ? 3 : body.n / 4 + 1);

		if (to > body.n)
			break;
		v[n++] = (struct main_range){ (uint32_t)from, (uint32_t)to };
		if (n > 1)
			buf_byte(&text, '\n');
		buf_str(&text, str_sub(body, from, to));
		at = to;
	}
	if (!n) {
		v[n++] = (struct main_range){ 0, 1 };
		buf_str(&text, str_sub(body, 0, 1));
	}
	*main = arena_str(t->arena, buf_view(&text));
	buf_release(&text);
	return str_n(packed, main_ranges_pack(v, n, packed));
}

static bool same_texts(struct texts a, struct texts b)
{
	return str_eq(a.title, b.title) && str_eq(a.body, b.body) && str_eq(a.main, b.main);
}

TEST(textstore, is_not_written_with_a_text_missing)
{
	struct textstore_writer *w;
	struct err err = { 0 };
	const char *path = arena_printf(t->arena, "%s/000001.seg", test_dir(t)).p;
	struct texts one = { STR("title"), STR("body"), STR("body") };

	REQUIRE(textstore_writer_open(&w, path, 5, 2, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(textstore_writer_add(w, 6, (struct texts_in){ one, STR_NONE }, &err), WN_OK, "%s", err.text);
	CHECK_EQ(textstore_writer_commit(w, &err), WN_USAGE);
	CHECK(access(path, F_OK) != 0);
}

/* Pages that are alike and follow one another take little more than one of them. */
TEST(textstore, texts_that_are_alike_are_packed_together)
{
	enum { N = 8 };
	struct textstore_writer *w;
	struct err err = { 0 };
	const char *path = arena_printf(t->arena, "%s/000001.seg", test_dir(t)).p;
	struct str page = random_bytes(t, 12000), file;

	REQUIRE(textstore_writer_open(&w, path, 1, N, &err) == WN_OK, "%s", err.text);
	for (unsigned i = 0; i < N; i++) {
		struct str body = arena_printf(t->arena, "version %u %.*s", i, STR_FMT(page));

		CHECK_EQ(textstore_writer_add(w, 1 + i, (struct texts_in){ { STR("t"), body, body }, STR_NONE }, &err),
			 WN_OK);
	}
	REQUIRE(textstore_writer_commit(w, &err) == WN_OK, "%s", err.text);
	REQUIRE(os_slurp(t->arena, path, 1 << 24, &file, NULL) == WN_OK);
	CHECK(file.n < 2 * page.n, "%zu bytes", file.n);
}

TEST(textstore, gives_back_every_text_and_names_damage)
{
	enum { N = 60 };
	struct texts want[N], got;
	struct str ranges[N] = { 0 };
	struct texts_in one;
	struct textstore_writer *w;
	struct textstore *s;
	struct textcache c = { 0 };
	struct err err = { 0 };
	const char *path = arena_printf(t->arena, "%s/000001.seg", test_dir(t)).p,
		   *bad = arena_printf(t->arena, "%s/bad", test_dir(t)).p;
	struct str file;
	char *copy;

	REQUIRE(textstore_writer_open(&w, path, 100, N, &err) == WN_OK, "%s", err.text);
	for (size_t i = 0; i < N; i++) {
		want[i].title = random_bytes(t, i % 7 * 5);
		want[i].body = random_bytes(t, i == 30 ? 200000 : i % 5 * 3000);
		want[i].main = i % 2 ? want[i].body : random_bytes(t, i % 3 * 1000);
		if (i % 2 == 0 && i % 4 && want[i].body.n)
			ranges[i] = random_main(t, want[i].body, &want[i].main);
	}
	for (size_t i = 0; i < N; i++) { /* in any order, but each once */
		size_t at = i * 7 % N;

		struct texts_in in = { want[at], ranges[at] };

		if (in.ranges.n)
			in.texts.main.p = NULL;
		CHECK_EQ(textstore_writer_add(w, 100 + at, in, &err), WN_OK, "%s", err.text);
		CHECK_EQ(textstore_writer_add(w, 100 + at, in, &err), WN_USAGE, "twice");
	}
	one = (struct texts_in){ want[0], STR_NONE };
	CHECK_EQ(textstore_writer_add(w, 99, one, &err), WN_USAGE, "below the first");
	CHECK_EQ(textstore_writer_add(w, 100 + N, one, &err), WN_USAGE, "behind the last");
	REQUIRE(textstore_writer_commit(w, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(textstore_check(path, &err), WN_OK, "%s", err.text);
	REQUIRE(textstore_open(&s, test_dir(t), &err) == WN_OK, "%s", err.text);
	CHECK(textstore_has(s, 100 + N - 1) && !textstore_has(s, 100 + N));
	for (unsigned i = 0; i < 4 * N; i++) {
		size_t at = (size_t)test_below(t, N);

		CHECK_EQ(textstore_get(s, 100 + at, &c, &got, &err), WN_OK, "%s", err.text);
		CHECK(same_texts(got, want[at]), "content %zu", at);
	}
	CHECK_EQ(textstore_get(s, 99, &c, &got, &err), WN_NONE);
	textstore_close(s);
	textcache_release(&c);
	REQUIRE(os_slurp(t->arena, path, 1 << 24, &file, NULL) == WN_OK);
	copy = arena_alloc(t->arena, file.n);
	for (unsigned round = 0; round < 300; round++) {
		size_t at = (size_t)test_below(t, file.n), n = round % 8 ? file.n : at;

		memcpy(copy, file.p, file.n);
		copy[at] ^= (char)(1 << test_below(t, 8));
		put_file(t, bad, copy, n);
		CHECK(textstore_check(bad, &err) == WN_DATA || n == 0, "byte %zu: the checker is silent", at);
		if (textstore_open_file(&s, bad, NULL) < 0)
			continue;
		for (size_t i = 0; i < N; i++) {
			int rc = textstore_get(s, 100 + i, &c, &got, NULL);

			CHECK(rc == WN_DATA || (rc == WN_OK && same_texts(got, want[i])), "byte %zu: a wrong text", at);
		}
		textcache_release(&c);
		textstore_close(s);
	}
}
