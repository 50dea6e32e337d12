/* tests/unit/catalog/linkstore.c -- lists of links in segments: found by page, also in files that came later; damage is told. */
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/os.h"
#include "catalog/linkpack.h"
#include "catalog/linkstore.h"
#include "test.h"

enum { PAGES = 120 };

static struct str some_list(struct test *t, uint64_t page)
{
	struct linkpack p = LINKPACK;
	struct str packed;

	for (uint64_t i = 0, n = 1 + test_below(t, 9); i < n; i++) {
		struct str url = arena_printf(t->arena, "http://a.example/%llu/%llu", (unsigned long long)page,
					      (unsigned long long)test_below(t, 99));

		CHECK(linkpack_add(&p, &(struct catalog_link){ 0, false, url, i & 1 ? STR("words") : STR_NONE }));
	}
	packed = arena_str(t->arena, linkpack_view(&p));
	linkpack_release(&p);
	return packed;
}

static const char *segment(struct test *t, const char *dir, unsigned number, uint64_t first)
{
	return arena_printf(t->arena, "%s/%010u-%llu.seg", dir, number, (unsigned long long)first).p;
}

/* Files of random lengths, with some page numbers left out between them; the twin is the array. */
TEST(linkstore, gives_back_what_was_written)
{
	for (int round = 0; round < 20; round++) {
		const char *dir = arena_printf(t->arena, "%s/links%d", test_dir(t), round).p;
		struct catalog_page pages[PAGES];
		bool there[PAGES + 2] = { false };
		struct linkstore *s = linkstore_new(dir);
		struct err err = { 0 };
		struct str got;
		unsigned number = 1;

		CHECK_EQ(linkstore_get(s, 1, &got, &err), WN_NONE); /* no directory: nothing in it */
		REQUIRE(os_mkdir(dir, &err) == WN_OK);
		for (uint64_t i = 0; i < PAGES; i++)
			pages[i] = (struct catalog_page){ i + 1, i, some_list(t, i + 1) };
		for (size_t from = 0, n; from < PAGES; from += n + test_below(t, 3)) {
			n = 1 + test_below(t, 40);
			if (n > PAGES - from)
				n = PAGES - from;
			CHECK(linkstore_write(segment(t, dir, number++, from + 1), pages + from, n, &err) == WN_OK,
			      "%s", err.text);
			for (size_t i = from; i < from + n; i++)
				there[i + 1] = true;
			/* one that was opened before finds what came later, in any order */
			for (int ask = 0; ask < 40; ask++) {
				uint64_t page = test_below(t, PAGES + 2);
				int rc = linkstore_get(s, page, &got, &err);

				CHECK_EQ(rc, there[page] ? WN_OK : WN_NONE);
				CHECK_EQ(linkstore_has(s, page, &err), rc);
				if (rc == WN_OK)
					CHECK_STR(got, pages[page - 1].links);
			}
		}
		linkstore_free(s);
		s = linkstore_new(dir);
		for (uint64_t page = 0; page < PAGES + 2; page++) {
			CHECK_EQ(linkstore_get(s, page, &got, &err), there[page] ? WN_OK : WN_NONE);
			if (there[page])
				CHECK_STR(got, pages[page - 1].links);
		}
		linkstore_free(s);
	}
}

/* Every byte of a file changed, one at a time, and every length: the check tells each, and no list comes out wrong. */
TEST(linkstore, damage_is_told)
{
	struct catalog_page pages[3];
	const char *path = segment(t, test_dir(t), 1, 1);
	struct err err = { 0 };
	struct str whole;
	char *copy;

	for (uint64_t i = 0; i < COUNT(pages); i++)
		pages[i] = (struct catalog_page){ i + 1, i, some_list(t, i + 1) };
	REQUIRE(linkstore_write(path, pages, COUNT(pages), &err) == WN_OK);
	CHECK_EQ(linkstore_check(path, &err), WN_OK);
	REQUIRE(os_slurp(t->arena, path, MIB, &whole, &err) == WN_OK);
	copy = arena_alloc(t->arena, whole.n);
	for (size_t at = 0; at < 2 * whole.n; at++) {
		bool cut = at >= whole.n;
		struct linkstore *s;

		memcpy(copy, whole.p, whole.n);
		if (!cut)
			copy[at] ^= (char)(1 + test_below(t, 255));
		REQUIRE(os_store(path, str_n(copy, cut ? at - whole.n : whole.n), &err) == WN_OK);
		CHECK(linkstore_check(path, &err) == WN_DATA, "byte %zu", at);
		CHECK(strstr(err.text, path) != NULL, "%s", err.text);
		err_reset(&err);
		s = linkstore_new(test_dir(t));
		for (uint64_t page = 1; page <= COUNT(pages); page++) {
			struct str got = STR_NONE;
			int rc = linkstore_get(s, page, &got, &err);

			CHECK(rc == WN_DATA || (rc == WN_OK && str_eq(got, pages[page - 1].links)));
			err_reset(&err);
		}
		linkstore_free(s);
	}
}

TEST(linkpack, a_page_that_is_elsewhere)
{
	static const uint64_t some[] = { 0, 1, 127, 128, 1 << 20, UINT64_MAX };

	for (size_t i = 0; i < COUNT(some); i++) {
		unsigned char bytes[LINKPACK_PAGE];
		size_t n = linkpack_put_page(bytes, some[i]);
		uint64_t page = 5;

		CHECK(linkpack_page(str_n((char *)bytes, n), &page) && page == some[i]);
		CHECK(!linkpack_page(str_n((char *)bytes, n - 1), &page)); /* cut */
	}
	CHECK(!linkpack_page(STR("\1\0\0\1a"), &(uint64_t){ 0 }));
	CHECK(!linkpack_page(STR_NONE, &(uint64_t){ 0 }));
}

/* ---- in a catalogue ---- */

static struct str targets(struct test *t, struct catalog *c, int *code)
{
	sqlite3_stmt *s = NULL;
	struct str out = STR("");
	int step;

	CHECK(sqlite3_prepare_v2(catalog_sqlite(c), "select capture, seq, target from links order by capture, seq", -1,
				 &s, NULL) == SQLITE_OK);
	while ((step = sqlite3_step(s)) == SQLITE_ROW)
		out = arena_printf(t->arena, "%.*s%s %s %s\n", STR_FMT(out), (const char *)sqlite3_column_text(s, 0),
				   (const char *)sqlite3_column_text(s, 1), (const char *)sqlite3_column_text(s, 2));
	*code = step;
	sqlite3_finalize(s);
	return out;
}

struct listed {
	struct test *t;
	struct str out;
};

static int list_link(void *context, const struct catalog_link *l)
{
	struct listed *x = context;

	x->out = arena_printf(x->t->arena, "%.*s%.*s\n", STR_FMT(x->out), STR_FMT(l->url));
	return WN_OK;
}

static int count_page(void *context, uint64_t page)
{
	(void)page;
	++*(uint64_t *)context;
	return 0;
}

/* A catalogue with the lists in its table, and one with the same in a segment. */
static struct catalog *filled(struct test *t, const char *name, struct catalog_page *pages, size_t n, bool apart)
{
	struct catalog_settings fresh = { .k = 5, .profile = "ia-surt", .extractor = 1 };
	const char *dir = arena_printf(t->arena, "%s/%s", test_dir(t), name).p,
		   *links = arena_printf(t->arena, "%s/links", dir).p;
	struct capture *captures = ARENA_ARRAY(t->arena, struct capture, n);
	struct catalog_batch b = {
		.captures = captures, .n_captures = n, .pages = pages, .n_pages = n, .links_apart = apart
	};
	struct catalog *c = NULL;
	struct err err = { 0 };

	for (size_t i = 0; i < n; i++)
		captures[i] = (struct capture){ .id = i + 1,
						.url = STR("http://a.example/"),
						.urlkey = STR("example,a)/"),
						.time = (int64_t)i,
						.page = pages[i].id,
						.published = CAPTURE_NO_TIME,
						.refers_time = CAPTURE_NO_TIME };
	CHECK(catalog_open(&c, dir, CATALOG_CREATE, &fresh, &err) == WN_OK, "%s", err.text);
	if (c && apart) {
		CHECK(os_mkdir(links, &err) == WN_OK);
		CHECK(linkstore_write(segment(t, links, 1, pages[0].id), pages, n, &err) == WN_OK, "%s", err.text);
	}
	if (c)
		CHECK(catalog_add(c, &b, &err) == WN_OK, "%s", err.text);
	return c;
}

TEST(links, in_segments_are_the_same_rows)
{
	struct catalog_page pages[30];
	struct catalog *inside, *apart;
	struct err err = { 0 };
	uint64_t lost = 0, page = 7;
	int a, b;

	for (uint64_t i = 0; i < COUNT(pages); i++)
		pages[i] = (struct catalog_page){ i + 1, 100 + i, some_list(t, i + 1) };
	inside = filled(t, "inside", pages, COUNT(pages), false);
	apart = filled(t, "apart", pages, COUNT(pages), true);
	REQUIRE(inside && apart);
	CHECK_STR(targets(t, apart, &a), targets(t, inside, &b));
	CHECK(a == SQLITE_DONE && b == SQLITE_DONE);
	for (uint64_t i = 1; i <= COUNT(pages); i++) {
		struct listed x = { t, STR("") }, y = { t, STR("") };

		CHECK_EQ(catalog_links(inside, i, list_link, &x, &err), WN_OK);
		CHECK_EQ(catalog_links(apart, i, list_link, &y, &err), WN_OK);
		CHECK_STR(y.out, x.out);
	}
	CHECK(catalog_lost_links(inside, count_page, &lost, &err) == WN_OK && lost == 0);
	CHECK(catalog_lost_links(apart, count_page, &lost, &err) == WN_OK && lost == 0);
	/* without the file: an error that says where, and all of them are lost, also after they were forgotten */
	CHECK(unlink(segment(t, arena_printf(t->arena, "%s/apart/links", test_dir(t)).p, 1, 1)) == 0);
	CHECK(catalog_lost_links(apart, count_page, &lost, &err) == WN_OK && lost == COUNT(pages));
	CHECK(catalog_links(apart, 7, list_link, &(struct listed){ t, STR("") }, &err) == WN_DATA);
	CHECK(strstr(err.text, "apart/links") && strstr(err.text, "page 7"), "%s", err.text);
	targets(t, apart, &a);
	CHECK(a != SQLITE_DONE);
	CHECK(strstr(sqlite3_errmsg(catalog_sqlite(apart)), "apart/links") != NULL);
	err_reset(&err);
	CHECK_EQ(catalog_page_by_key(apart, 106, &page, &err), WN_OK);
	CHECK_EQ(page, 7);
	CHECK_EQ(catalog_forget_links(apart, &page, 1, &err), WN_OK);
	CHECK_EQ(catalog_page_by_key(apart, 106, &page, &err), WN_OK);
	CHECK_EQ(page, 0);
	lost = 0;
	CHECK(catalog_lost_links(apart, count_page, &lost, &err) == WN_OK && lost == COUNT(pages));
	catalog_close(inside);
	catalog_close(apart);
}

/* A list in the table that is cut, or has a link of no kind, is lost like one whose segment is gone. */
TEST(links, damaged_in_the_table_are_lost)
{
	static const struct {
		const char *sql, *because;
	} damages[] = {
		{ "update page set links = substr(links, 1, length(links) - 1) where id = 2", "cut" },
		{ "update page set links = x'011f000168' where id = 2", "a kind that is none" },
		{ "update page set links = x'0180000168' where id = 2", "a flag that is none" },
	};
	struct catalog_page pages[3];
	struct err err = { 0 };

	for (uint64_t i = 0; i < COUNT(pages); i++)
		pages[i] = (struct catalog_page){ i + 1, 100 + i, some_list(t, i + 1) };
	for (size_t i = 0; i < COUNT(damages); i++) {
		struct catalog *c = filled(t, damages[i].because, pages, COUNT(pages), false);
		uint64_t lost = 0;
		int code;

		REQUIRE(c);
		CHECK(catalog_lost_links(c, count_page, &lost, &err) == WN_OK && lost == 0);
		REQUIRE(sqlite3_exec(catalog_sqlite(c), damages[i].sql, NULL, NULL, NULL) == SQLITE_OK);
		CHECK(catalog_lost_links(c, count_page, &lost, &err) == WN_OK && lost == 1, "%s", damages[i].because);
		targets(t, c, &code);
		CHECK(code != SQLITE_DONE, "%s", damages[i].because);
		CHECK(strstr(sqlite3_errmsg(catalog_sqlite(c)), "--reprocess") != NULL);
		catalog_close(c);
	}
}

/* A reader takes a collection of version 3 as it is, whoever writes makes it one of today, and its lists stay. */
TEST(links, of_version_3_stay_where_they_are)
{
	struct catalog_page pages[3];
	const char *dir = arena_printf(t->arena, "%s/three", test_dir(t)).p;
	static const enum catalog_mode modes[] = { CATALOG_READ, CATALOG_WRITE };
	static const char *const versions[] = { "3", "4" };
	struct catalog *c;
	struct str before;
	struct err err = { 0 };
	int code;

	for (uint64_t i = 0; i < COUNT(pages); i++)
		pages[i] = (struct catalog_page){ i + 1, 100 + i, some_list(t, i + 1) };
	c = filled(t, "three", pages, COUNT(pages), false);
	REQUIRE(c);
	before = targets(t, c, &code);
	CHECK(sqlite3_exec(catalog_sqlite(c), "update meta set value = '3' where key = 'version'", NULL, NULL, NULL) ==
	      SQLITE_OK);
	catalog_close(c);
	for (size_t i = 0; i < COUNT(modes); i++) {
		struct str version = STR_NONE;

		REQUIRE(catalog_open(&c, dir, modes[i], NULL, &err) == WN_OK);
		CHECK_STR(targets(t, c, &code), before);
		CHECK_EQ(catalog_get(c, "version", t->arena, &version, &err), WN_OK);
		CHECK_STR(version, str(versions[i]));
		catalog_close(c);
	}
}
