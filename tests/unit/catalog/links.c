/* tests/unit/catalog/links.c -- packed links: what goes in comes out, in C and in SQL, also after an update from version 1. */
#include <sqlite3.h>

#include "base/limits.h"
#include "base/vec.h"
#include "catalog/linkpack.h"
#include "test.h"

enum { LINKS = 200 };

static struct str random_url(struct test *t)
{
	static const char *const parts[] = { "http://", "a.example/", "b.example/", "index.html", "?q=",
					     "#",	"\xc3\xa9",   "x",	    "/",	  "" };
	struct str s = STR("");

	for (uint64_t i = 0, n = 1 + test_below(t, 6); i < n; i++)
		s = arena_printf(t->arena, "%.*s%s", STR_FMT(s), parts[test_below(t, COUNT(parts))]);
	return s;
}

static size_t random_links(struct test *t, struct catalog_link *l)
{
	size_t n = test_below(t, LINKS);

	for (size_t i = 0; i < n; i++)
		l[i] = (struct catalog_link){ (unsigned)test_below(t, 10), test_below(t, 2) != 0, random_url(t),
					      test_below(t, 3) ? random_url(t) : STR_NONE };
	return n;
}

static struct str pack(struct test *t, const struct catalog_link *l, size_t n)
{
	struct linkpack p = LINKPACK;
	struct str packed;

	for (size_t i = 0; i < n; i++)
		CHECK(linkpack_add(&p, &l[i]));
	packed = arena_str(t->arena, linkpack_view(&p));
	linkpack_release(&p);
	return packed;
}

static void same_link(struct test *t, const struct catalog_link *got, const struct catalog_link *want)
{
	CHECK_EQ(got->kind, want->kind);
	CHECK_EQ(got->nofollow, want->nofollow);
	CHECK_STR(got->url, want->url);
	CHECK_STR(got->anchor, want->anchor);
}

TEST(linkpack, gives_back_what_was_packed)
{
	for (int round = 0; round < 50; round++) {
		struct catalog_link l[LINKS], got;
		size_t n = random_links(t, l), i = 0;
		struct linkpack_reader r;

		linkpack_open(&r, pack(t, l, n));
		for (; linkpack_next(&r, &got) && i < n; i++)
			same_link(t, &got, &l[i]);
		CHECK_EQ(i, n);
		CHECK(!r.damaged);
		linkpack_close(&r);
	}
}

TEST(linkpack, a_list_that_is_full_stays_readable)
{
	struct linkpack p = LINKPACK;
	struct catalog_link l = { 0, false, STR("http://a.example/"), STR("some words") }, got;
	struct linkpack_reader r;
	size_t n = 0;

	p.out.max = 4096;
	while (linkpack_add(&p, &l))
		n++;
	CHECK(n > 100 && n == p.n);
	linkpack_open(&r, linkpack_view(&p));
	while (linkpack_next(&r, &got))
		n--;
	CHECK_EQ(n, 0);
	CHECK(!r.damaged);
	linkpack_close(&r);
	linkpack_release(&p);
}

/* Any bytes: the reader ends, within them (the sanitizers look). */
TEST(linkpack, damaged_bytes_end_the_list)
{
	for (int round = 0; round < 300; round++) {
		struct catalog_link l[LINKS], got;
		struct str packed = pack(t, l, random_links(t, l));
		char *bytes = mem_alloc(packed.n + 1);
		size_t n = packed.n ? test_below(t, packed.n + 1) : 0, rows = 0;
		struct linkpack_reader r;

		memcpy(bytes, packed.p, packed.n);
		bytes = mem_realloc(bytes, n ? n : 1); /* cut; and one byte changed */
		if (n)
			bytes[test_below(t, n)] ^= (char)(1 + test_below(t, 255));
		linkpack_open(&r, str_n(bytes, n));
		while (linkpack_next(&r, &got))
			rows++;
		CHECK(rows <= n);
		linkpack_close(&r);
		mem_free(bytes);
	}
}

/* ---- in a catalogue ---- */

static struct catalog *open_catalog(struct test *t, enum catalog_mode mode)
{
	struct catalog_settings fresh = { .k = 5, .profile = "ia-surt", .extractor = 1 };
	struct catalog *c = NULL;
	struct err err = { 0 };

	CHECK(catalog_open(&c, arena_printf(t->arena, "%s/coll", test_dir(t)).p, mode, &fresh, &err) == WN_OK, "%s",
	      err.text);
	return c;
}

/* Three captures, two with links of their own, one with those of the first. */
static void fill(struct test *t, struct catalog *c, const struct catalog_link *l, size_t n,
		 const struct catalog_link *m, size_t k)
{
	struct capture captures[3];
	struct catalog_page pages[2] = { { 1, 11, pack(t, l, n) }, { 2, 12, pack(t, m, k) } };
	struct catalog_batch b = { .captures = captures, .n_captures = 3, .pages = pages, .n_pages = 2 };
	struct err err = { 0 };

	for (unsigned i = 0; i < 3; i++)
		captures[i] = (struct capture){ .id = i + 1,
						.url = STR("http://a.example/"),
						.urlkey = STR("example,a)/"),
						.time = i,
						.page = i == 1 ? 2 : 1,
						.published = CAPTURE_NO_TIME,
						.refers_time = CAPTURE_NO_TIME };
	CHECK(catalog_add(c, &b, &err) == WN_OK, "%s", err.text);
}

static struct str answer(struct test *t, struct catalog *c, const char *sql)
{
	sqlite3 *db = catalog_sqlite(c);
	sqlite3_stmt *s = NULL;
	struct str out = STR("");

	if (!CHECK(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db)))
		return out;
	while (sqlite3_step(s) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(s); i++)
			out = arena_printf(t->arena, "%.*s%s%s", STR_FMT(out), i ? "|" : "",
					   (const char *)sqlite3_column_text(s, i));
		out = arena_printf(t->arena, "%.*s\n", STR_FMT(out));
	}
	sqlite3_finalize(s);
	return out;
}

static const char all_links[] =
    "select capture, source, seq, kind, nofollow, target, ifnull(anchor, '-') from links order by capture, seq";

static const struct catalog_link first[] = {
	{ 0, false, { "http://a.example/one", sizeof "http://a.example/one" - 1 }, { "One", sizeof "One" - 1 } },
	{ 3, false, { "http://a.example/one.png", sizeof "http://a.example/one.png" - 1 }, { 0 } },
	{ 0, true, { "http://b.example/", sizeof "http://b.example/" - 1 }, { "Other", sizeof "Other" - 1 } },
};
static const struct catalog_link second[] = {
	{ 0, false, { "http://a.example/", sizeof "http://a.example/" - 1 }, { "Home", sizeof "Home" - 1 } }
};
static const char expected[] = "1|http://a.example/|0|0|0|http://a.example/one|One\n"
			       "1|http://a.example/|1|3|0|http://a.example/one.png|-\n"
			       "1|http://a.example/|2|0|1|http://b.example/|Other\n"
			       "2|http://a.example/|0|0|0|http://a.example/|Home\n"
			       "3|http://a.example/|0|0|0|http://a.example/one|One\n"
			       "3|http://a.example/|1|3|0|http://a.example/one.png|-\n"
			       "3|http://a.example/|2|0|1|http://b.example/|Other\n";

TEST(links, are_rows_in_sql)
{
	struct catalog *c = open_catalog(t, CATALOG_CREATE);

	REQUIRE(c);
	fill(t, c, first, COUNT(first), second, COUNT(second));
	CHECK_STR(answer(t, c, all_links), str(expected));
	CHECK_STR(answer(t, c, "select count(*) from links where target = 'http://a.example/one'"), STR("2\n"));
	CHECK_STR(answer(t, c, "select count(*) from links l join captures c on c.url = l.target"), STR("3\n"));
	catalog_close(c);
}

static const char version_1[] =
    "drop view links; drop table page; alter table file drop column lines;"
    "create table page (id integer primary key, key integer not null unique, refs integer not null);"
    "create table target (id integer primary key, url text not null);"
    "create table link (page integer not null, seq integer not null, kind integer not null, nofollow integer not null, target integer not null, anchor text,"
    " primary key (page, seq)) without rowid;"
    "create view links as select c.id as capture, c.url as source, l.seq, l.kind, l.nofollow, t.url as target, l.anchor"
    " from capture c join link l on l.page = c.page join target t on t.id = l.target;"
    "insert into page values (1, 11, 0), (2, 12, 0);"
    "insert into target values (7, 'http://a.example/one'), (5, 'http://a.example/one.png'), (6, 'http://b.example/'), (8, 'http://a.example/');"
    "insert into link values (1, 0, 0, 0, 7, 'One'), (1, 1, 3, 0, 5, null), (1, 2, 0, 1, 6, 'Other'), (2, 0, 0, 0, 8, 'Home');"
    "update meta set value = '1' where key = 'version'";

TEST(links, of_version_1_are_packed_by_whoever_opens_first)
{
	static const enum catalog_mode modes[] = { CATALOG_READ, CATALOG_SHARED, CATALOG_WRITE };

	for (size_t i = 0; i < COUNT(modes); i++) {
		struct catalog *c = open_catalog(t, CATALOG_CREATE);

		REQUIRE(c);
		if (i == 0)
			fill(t, c, first, COUNT(first), second, COUNT(second));
		CHECK(sqlite3_exec(catalog_sqlite(c), version_1, NULL, NULL, NULL) == SQLITE_OK, "%s",
		      sqlite3_errmsg(catalog_sqlite(c)));
		CHECK_STR(answer(t, c, all_links), str(expected));
		catalog_close(c);
		c = open_catalog(t, modes[i]);
		REQUIRE(c);
		CHECK_STR(answer(t, c, all_links), str(expected));
		CHECK_STR(
		    answer(
			t, c,
			"select value, (select count(*) from sqlite_master where name in ('link', 'target')) from meta where key = 'version'"),
		    STR("4|0\n"));
		catalog_close(c);
	}
}

/* ---- what a batch waits for ---- */

static int not_ready(void *context, struct err *err)
{
	++*(int *)context;
	return err_set(err, WN_IO, "a segment could not be written");
}

TEST(batch, counts_when_what_it_waits_for_is_there)
{
	struct catalog *c = open_catalog(t, CATALOG_CREATE);
	struct capture one = { .id = 1,
			       .url = STR("http://a.example/"),
			       .urlkey = STR("example,a)/"),
			       .published = CAPTURE_NO_TIME,
			       .refers_time = CAPTURE_NO_TIME };
	int asked = 0;
	struct catalog_batch b = { .captures = &one, .n_captures = 1, .ready = not_ready, .context = &asked };
	struct err err = { 0 };

	CHECK(catalog_add(c, &b, &err) == WN_IO && str_eq(str(err.text), STR("a segment could not be written")));
	CHECK(asked == 1);
	CHECK_STR(answer(t, c, "select count(*) from capture"), STR("0\n"));
	b.ready = NULL;
	CHECK(catalog_add(c, &b, &err) == WN_OK);
	CHECK_STR(answer(t, c, "select count(*) from capture"), STR("1\n"));
	catalog_close(c);
}

TEST(batch, a_row_that_cannot_be_entered_leaves_nothing)
{
	struct catalog *c = open_catalog(t, CATALOG_CREATE);
	struct capture captures[3];
	struct catalog_batch b = { .captures = captures, .n_captures = 3 };
	struct err err = { 0 };

	for (unsigned i = 0; i < 3; i++)
		captures[i] = (struct capture){ .id = i < 2 ? i + 1 : 2, /* the last is there already */
						.url = STR("http://a.example/"),
						.urlkey = STR("example,a)/"),
						.host = STR("a.example"),
						.mime = STR("text/html"),
						.record_id = STR("<urn:x>"),
						.time = i,
						.published = CAPTURE_NO_TIME,
						.refers_time = CAPTURE_NO_TIME };
	CHECK(catalog_add(c, &b, &err) == WN_CATALOG, "%s", err.text);
	CHECK_STR(
	    answer(t, c,
		   "select (select count(*) from capture), (select count(*) from word), (select count(*) from host)"),
	    STR("0|0|0\n"));
	captures[2].id = 3;
	CHECK(catalog_add(c, &b, &err) == WN_OK, "%s", err.text);
	CHECK_STR(
	    answer(
		t, c,
		"select c.id, c.time, w.text, c.status, (select count(*) from capture_hash h where h.capture = c.id) "
		"from capture c join word w on w.id = c.mime order by 1"),
	    STR("1|0|text/html|0|1\n2|1|text/html|0|1\n3|2|text/html|0|1\n"));
	CHECK_STR(answer(t, c, "select count(*) from given('rows')"), STR("0\n")); /* none are given to SQL text */
	catalog_close(c);
}

/* ---- archive files that come behind their index ---- */

static int one_more(void *steps) { return --*(int *)steps < 0; }

TEST(adopt, costs_what_was_added)
{
	enum { IMPORTED = 2000, STEPS = 1000 };
	struct catalog *c = open_catalog(t, CATALOG_CREATE);
	struct capture *all = ARENA_ARRAY(t->arena, struct capture, IMPORTED);
	struct catalog_batch b = { .captures = all, .n_captures = IMPORTED };
	struct err err = { 0 };
	uint64_t adopted = 1;
	int left = STEPS; /* of 1,000 instructions of SQLite each: a few a row, not a row of each with each */

	REQUIRE(c);
	for (unsigned i = 0; i < IMPORTED; i++)
		all[i] = (struct capture){ .id = i + 1,
					   .url = STR("http://a.example/"),
					   .urlkey = STR("example,a)/"),
					   .time = i,
					   .part = STR("absent.warc.gz"),
					   .published = CAPTURE_NO_TIME,
					   .refers_time = CAPTURE_NO_TIME };
	CHECK(catalog_add(c, &b, &err) == WN_OK && catalog_set(c, CATALOG_IMPORTED, STR("1"), &err) == WN_OK, "%s",
	      err.text);
	sqlite3_progress_handler(catalog_sqlite(c), 1000, one_more, &left);
	CHECK(catalog_adopt(c, &adopted, &err) == WN_OK && adopted == 0, "%s", err.text);
	catalog_close(c);
}
