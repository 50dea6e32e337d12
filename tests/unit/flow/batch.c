/* tests/unit/flow/batch.c -- ids and commits of batches, taken by hand while earlier ones are written. */
#include "flow/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static struct collection make(struct test *t, const char *dir)
{
	struct collection coll;
	struct err err = { 0 };
	struct catalog_settings s = { .k = 5, .profile = "ia-surt" };

	CHECK(collection_open(&coll, dir, CATALOG_CREATE, &s, &err) == WN_OK, "%s", err.text);
	return coll;
}

/* A capture of the content with this key: `first` fills its first eight bytes, `rest` the others. */
static struct found *found_of(unsigned char first, unsigned char rest)
{
	struct found *f = found_new();

	f->is_capture = f->has_document = f->has_texts = true;
	f->capture.url = f->capture.urlkey = STR("http://a.example/");
	f->capture.host = STR("a.example");
	memset(f->content.key, first, 8);
	memset(f->content.key + 8, rest, 24);
	f->texts = (struct texts_in){ { STR("title"), STR("a body"), STR("a body") }, STR_NONE };
	segment_pack(&f->packed, (struct set){ 0 }, (struct set){ 0 });
	return f;
}

static struct batch *opened(struct test *t, struct collection *coll, unsigned threads)
{
	struct batch_options o = { .threads = threads, .plan = memory_plan(0, 1) };
	struct batch *b = NULL;
	struct err err = { 0 };

	CHECK(batch_open(&b, coll, &o, &err) == WN_OK, "%s", err.text);
	return b;
}

static uint64_t contents(struct test *t, struct collection *coll)
{
	struct catalog_next next = { 0 };
	struct err err = { 0 };

	CHECK(catalog_next(coll->catalog, &next, &err) == WN_OK, "%s", err.text);
	return next.content - 1;
}

/* Each content is entered once, whether what knows it is this batch, the one being written, or the catalogue. */
TEST(batch, keys_that_begin_alike_are_different_contents)
{
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct collection coll = make(t, arena_printf(t->arena, "%s/%u", test_dir(t), threads).p);
		struct err err = { 0 };

		for (unsigned round = 0; round < 3; round++) {
			struct batch *b = opened(t, &coll, threads);

			for (unsigned i = 0; i < 40; i++) {
				unsigned char first = (unsigned char)(i % 4), rest = (unsigned char)(i / 4 % 3);

				CHECK(batch_take(b, found_of(first, rest), 1, &err) == WN_OK, "%s", err.text);
				if (i % 5 == 4)
					CHECK(batch_pass(b, &err) == WN_OK, "%s", err.text);
			}
			CHECK(batch_commit(b, &err) == WN_OK, "%s", err.text);
			CHECK_EQ(batch_counts(b)->contents, round ? 0 : 12);
			batch_close(b);
			CHECK_EQ(contents(t, &coll), 12);
		}
		collection_close(&coll);
	}
}

TEST(batch, a_failure_of_one_that_was_passed_is_told_later_and_ends_writing)
{
	for (unsigned threads = 1; threads <= 2; threads++) {
		const char *dir = arena_printf(t->arena, "%s/%u", test_dir(t), threads).p,
			   *sketch = arena_printf(t->arena, "%s/sketch", dir).p,
			   *away = arena_printf(t->arena, "%s/away", dir).p;
		struct collection coll = make(t, dir);
		struct batch *b = opened(t, &coll, threads);
		struct err err = { 0 };
		int rc;

		CHECK_EQ(batch_take(b, found_of(1, 1), 1, &err), WN_OK);
		CHECK_EQ(batch_commit(b, &err), WN_OK);
		REQUIRE(rename(sketch, away) == 0);
		CHECK_EQ(batch_take(b, found_of(2, 2), 1, &err), WN_OK);
		rc = batch_pass(b, &err);
		CHECK(threads > 1 ? rc == WN_OK || rc == WN_IO : rc == WN_IO, "%d", rc);
		CHECK_EQ(batch_take(b, found_of(3, 3), 1, &err), WN_OK);
		CHECK_EQ(batch_commit(b, &err), WN_IO);
		CHECK(strstr(err.text, "sketch"), "%s", err.text);
		REQUIRE(rename(away, sketch) == 0);
		CHECK_EQ(batch_commit(b, &err), WN_IO); /* what comes behind a gap is not entered */
		batch_close(b);
		CHECK_EQ(contents(t, &coll), 1);
		collection_close(&coll);
	}
}

static struct str via_of_first(struct test *t, struct collection *coll)
{
	struct capture c = { 0 };
	struct err err = { 0 };

	CHECK(catalog_capture(coll->catalog, t->arena, 1, &c, &err) == WN_OK, "%s", err.text);
	return c.via;
}

TEST(batch, does_not_end_between_a_capture_and_what_is_said_of_it)
{
	struct collection coll = make(t, arena_printf(t->arena, "%s/via", test_dir(t)).p);
	struct err err = { 0 };
	struct batch *b;
	struct found *page, *said, *other;

	setenv("WINNOW_BATCH", "1", 1);
	b = opened(t, &coll, 1);
	unsetenv("WINNOW_BATCH");
	page = found_of(1, 1);
	page->record_id = STR("<urn:page>");
	said = found_new();
	said->via_of = STR("<urn:page>");
	said->via = STR("http://a.example/before");
	other = found_new();
	other->via_of = STR("<urn:other>");
	CHECK(!batch_ends_before(b, page, false));
	CHECK(batch_take(b, page, 0, &err) == WN_OK, "%s", err.text);
	CHECK(batch_full(b));
	CHECK(!batch_ends_before(b, said, false));
	CHECK(batch_ends_before(b, other, false));
	CHECK(batch_take(b, said, 0, &err) == WN_OK, "%s", err.text);
	found_free(other);
	CHECK(batch_commit(b, &err) == WN_OK, "%s", err.text);
	batch_close(b);
	CHECK_STR(via_of_first(t, &coll), STR("http://a.example/before"));
	collection_close(&coll);
}

/* Reads the record again: with its text, without what was seen in front of it. */
static int with_texts(void *context, const struct capture *c, struct found **out, struct err *err)
{
	(void)context, (void)c, (void)err;
	*out = found_of(7, 7);
	return WN_OK;
}

TEST(batch, a_record_that_is_read_again_keeps_its_flaws)
{
	struct collection coll = make(t, arena_printf(t->arena, "%s/again", test_dir(t)).p);
	struct batch_options o = { .threads = 1, .plan = memory_plan(0, 1), .again = with_texts };
	struct flaw garbage = { .kind = FLAW_GARBAGE, .at = 5 };
	struct found *f = found_of(7, 7);
	struct err err = { 0 };
	struct batch *b = NULL;

	REQUIRE(batch_open(&b, &coll, &o, &err) == WN_OK, "%s", err.text);
	f->has_texts = false; /* it was skipped as equal to one that was never delivered */
	found_flaws(f, &garbage, 1);
	CHECK(batch_take(b, f, 1, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(batch_counts(b)->flaws, 1);
	CHECK_EQ(batch_counts(b)->contents, 1);
	CHECK(batch_commit(b, &err) == WN_OK, "%s", err.text);
	batch_close(b);
	collection_close(&coll);
}
