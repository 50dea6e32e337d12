/* tests/unit/flow/jsonl.c -- lines of JSON are taken once, continued and replaced, as archives are. */
#include "flow/jsonl.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/os.h"
#include "base/progress.h"
#include "test.h"
#include "text/document.h"

static const char *in_dir(struct test *t, const char *name)
{
	return arena_printf(t->arena, "%s/%s", test_dir(t), name).p;
}

static void write_file(struct test *t, const char *path, const char *how, const char *text)
{
	FILE *f = fopen(path, how);

	REQUIRE(f);
	CHECK(fputs(text, f) >= 0 && fclose(f) == 0);
}

static struct ingest_report take(struct test *t, const char *path)
{
	struct catalog_settings fresh = { .k = 2, .profile = "ia-surt", .extractor = DOCUMENT_VERSION };
	struct ingest_options o = { .threads = 1, .memory = 256u << 20 };
	struct ingest_report r = { 0 };
	struct jsonl_map map;
	struct collection coll;
	struct err err = { 0 };

	progress_setup(PROGRESS_NEVER);
	CHECK(jsonl_map_parse(STR("id=n,text=body,time=when"), &map, &err) == WN_OK, "%s", err.text);
	if (!CHECK(collection_open(&coll, in_dir(t, "coll"), CATALOG_CREATE, &fresh, &err) == WN_OK, "%s", err.text))
		return r;
	CHECK(jsonl_ingest(&coll, path, &map, &o, &r, &err) == WN_OK, "%s", err.text);
	collection_close(&coll);
	return r;
}

static struct str urls(struct test *t)
{
	struct capture_query q = { .by_key = true };
	struct capture_cursor *cur = NULL;
	struct str out = STR("");
	struct collection coll;
	struct capture c;
	struct err err = { 0 };

	CHECK(collection_open(&coll, in_dir(t, "coll"), CATALOG_READ, NULL, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(catalog_captures(coll.catalog, &q, &cur, &err), WN_OK);
	while (capture_next(cur, &c, &err) == WN_OK) {
		CHECK_EQ(c.file, 0, "no archive file: nothing can be read from a span");
		out = arena_printf(t->arena, "%.*s%.*s %llu; ", STR_FMT(out), STR_FMT(c.url),
				   (unsigned long long)c.words);
	}
	capture_close(cur);
	collection_close(&coll);
	return out;
}

TEST(jsonl, is_taken_once_and_continued)
{
	const char *path = in_dir(t, "d.jsonl"), *moved = in_dir(t, "e.jsonl");
	struct ingest_report r;

	write_file(
	    t, path, "w",
	    "{\"n\":\"a\",\"body\":\"one two three\",\"when\":\"2010-01-01\"}\nno object\n{\"n\":\"b\",\"body\":\"four");
	r = take(t, path);
	CHECK_EQ(r.captures, 1);
	CHECK_EQ(r.flaws, 2);
	CHECK_STR(urls(t), STR("urn:jsonl:a 3; "));
	CHECK_EQ(take(t, path).files_skipped, 1);
	CHECK_STR(urls(t), STR("urn:jsonl:a 3; "));

	write_file(t, path, "a", " five\"}\n{\"body\":\"six\"}\n"); /* the open line is finished, one more */
	r = take(t, path);
	CHECK_EQ(r.captures, 2);
	CHECK_STR(urls(t), STR("urn:jsonl:4 1; urn:jsonl:a 3; urn:jsonl:b 2; "));

	CHECK(rename(path, moved) == 0);
	CHECK_EQ(take(t, moved).files_skipped, 1, "known by its bytes");
	write_file(t, moved, "w", "{\"n\":\"z\",\"body\":\"all new\"}\n");
	r = take(t, moved);
	CHECK_EQ(r.files_replaced, 1);
	CHECK_EQ(r.captures_replaced, 3);
	CHECK_STR(urls(t), STR("urn:jsonl:z 2; "));
}
