/* tests/unit/catalog/members.c -- files of members, seen through the virtual table: every question has the answer that a table
 * of the same rows gives; what is damaged is told. */
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "catalog/memberfile.h"
#include "test.h"

enum { COVERS = 3, MEMBERS = 60 };

static void run_sql(struct test *t, sqlite3 *db, const char *sql)
{
	CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
}

static const char *members_path(struct test *t, const char *dir, unsigned cover, unsigned revision)
{
	return revision ? arena_printf(t->arena, "%s/runs/%06u-r%u.members", dir, cover, revision).p
			: arena_printf(t->arena, "%s/runs/%06u.members", dir, cover).p;
}

/* Captures in any order, some far apart; witnesses are kept ones. */
static struct member_list random_list(struct test *t)
{
	uint32_t n = (uint32_t)test_below(t, MEMBERS), step = test_below(t, 2) ? 1 : 1000, at = 0,
		 *id = ARENA_ARRAY(t->arena, uint32_t, n + 1), *witness = ARENA_ARRAY(t->arena, uint32_t, n + 1),
		 *shared = ARENA_ARRAY(t->arena, uint32_t, n + 1), *size = ARENA_ARRAY(t->arena, uint32_t, n + 1);

	for (uint32_t i = 0; i < n; i++) {
		at += 1 + (uint32_t)test_below(t, 2 * step);
		id[i] = at;
		witness[i] = MEMBER_KEPT;
		shared[i] = (uint32_t)test_below(t, 100);
		size[i] = (uint32_t)test_below(t, 1000);
	}
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = (uint32_t)test_below(t, i), x = id[i - 1];

		id[i - 1] = id[k];
		id[k] = x;
	}
	for (uint32_t i = n / 3; i < n && n > 3; i++) /* the first third is kept */
		if (test_below(t, 4))
			witness[i] = (uint32_t)test_below(t, n / 3);
	return (struct member_list){ n, id, witness, shared, size };
}

static void store(struct test *t, sqlite3 *db, const char *dir, unsigned cover, unsigned revision, bool first)
{
	struct member_list m = random_list(t);
	struct err err = { 0 };

	CHECK(memberfile_write(&m, revision, members_path(t, dir, cover, first ? 0 : revision), &err) == WN_OK, "%s",
	      err.text);
	run_sql(
	    t, db,
	    arena_printf(t->arena, "delete from twin where cover = %u; delete from cover where id = %u", cover, cover)
		.p);
	run_sql(t, db,
		arena_printf(t->arena,
			     "insert into cover values (%u, null, '', '', null, '{}', %u, 0, 'done', %u, 0, 0, '')",
			     cover, revision, m.n)
		    .p);
	for (uint32_t i = 0; i < m.n; i++) {
		uint32_t w = m.witness[i];

		run_sql(t, db,
			(w == MEMBER_KEPT
			     ? arena_printf(t->arena, "insert into twin values (%u, %u, 1, null, null, null, null)",
					    cover, m.id[i])
			     : arena_printf(t->arena, "insert into twin values (%u, %u, 0, %u, %u, %u, %u)", cover,
					    m.id[i], m.id[w], m.shared[i], m.size[i], m.size[w]))
			    .p);
	}
}

static struct str answer(struct test *t, sqlite3 *db, const char *sql, const char *table)
{
	struct buf out = BUF(1 * MIB);
	sqlite3_stmt *s = NULL;
	struct str all;
	struct buf text = BUF(64 * KIB);

	for (const char *p = sql; *p; p++) /* T stands for the table */
		if (*p == 'T')
			buf_printf(&text, "%s", table);
		else
			buf_byte(&text, *p);
	if (CHECK(sqlite3_prepare_v2(db, text.p, (int)text.n, &s, NULL) == SQLITE_OK, "%s: %s", sql,
		  sqlite3_errmsg(db)))
		while (sqlite3_step(s) == SQLITE_ROW)
			for (int i = 0; i < sqlite3_column_count(s); i++)
				buf_printf(&out, "%s%s",
					   sqlite3_column_text(s, i) ? (const char *)sqlite3_column_text(s, i) : "-",
					   i + 1 < sqlite3_column_count(s) ? "," : "\n");
	CHECK(sqlite3_finalize(s) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
	all = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	buf_release(&text);
	return all;
}

static const char *const questions[] = {
	"select * from T order by cover, capture",
	"select * from T where cover = %u order by capture",
	"select * from T where cover = %u and capture = %u",
	"select * from T where cover = %u and capture > %u order by capture",
	"select * from T where cover = %u and capture >= %u and kept = 0 order by capture",
	"select * from T where cover = %u and witness is null and capture > %u order by capture",
	"select * from T where cover = %u and witness = %u order by capture",
	"select * from T where cover = %u and witness >= %u and (witness, capture) > (%u, 7) order by witness, capture",
	"select * from T where cover = %u and witness > %u order by witness, capture",
	"select * from T where cover = %u and witness = %u and capture > %u order by capture",
	"select capture from T where cover = %u and kept = 1 order by capture",
	"select capture from T where cover = %u and kept = 2 order by capture",
	"select capture from T where cover = %u and kept = 0 and witness is null",
	"select * from T where cover = '%u' and capture >= '%u' order by capture desc",
	"select * from T where cover = %u.0 and capture > %u.5 order by capture",
	"select * from T where cover = %u and capture = %u.5",
	"select * from T where cover = %u and capture > -3 and witness > -%u order by witness desc, capture desc",
	"select * from T where cover = null or witness = null",
	"select * from T where cover = %u and capture > 'x' order by capture",
	"select witness, count(*) from T where cover = %u and kept = 0 group by witness order by witness",
	"select cover, count(*), sum(kept), sum(shared), sum(size), sum(witness_size) from T group by cover order by cover",
	"select count(*) filter (where m.kept and n.kept), count(*) filter (where m.kept and not ifnull(n.kept, 0)) from T m "
	"left join T n on n.cover = 2 and n.capture = m.capture where m.cover = %u",
	"select m.capture, n.capture, o.capture from T m join T n on n.cover = m.cover and n.witness = m.capture join T o on o.cover = 3 and o.capture = n.capture "
	"where m.cover = %u order by 1, 2, 3",
	"select kept, witness, shared, size, witness_size from T where cover in (1, %u, 9) and capture in (%u, 3, 5) order by cover, capture",
};

/* Numbers that are there, or not. */
static const char *ask(struct test *t, sqlite3 *db, const char *question, unsigned cover)
{
	struct str captures = answer(t, db, "select capture from twin order by random() limit 3", "twin");
	const char *at[3] = { "1", "2", "3" };

	for (int i = 0; i < 3 && captures.n; i++)
		at[i] = arena_strz(t->arena, str_cut(&captures, '\n'));
	struct buf out = BUF(64 * KIB);
	const char *sql;
	int n = 0;

	for (const char *p = question; *p; p++) {
		if (p[0] != '%') {
			buf_byte(&out, *p);
			continue;
		}
		if (n == 0)
			buf_printf(&out, "%u", cover);
		else
			buf_printf(&out, "%s", at[n % 3]);
		n++;
		p++;
	}
	sql = arena_strz(t->arena, buf_view(&out));
	buf_release(&out);
	return sql;
}

TEST(members, answer_as_a_table_does)
{
	struct catalog_settings fresh = { .k = 5, .profile = "w3c" };
	struct catalog *c = NULL;
	struct err err = { 0 };
	const char *dir = arena_printf(t->arena, "%s/coll", test_dir(t)).p;
	sqlite3 *db;

	REQUIRE(catalog_open(&c, dir, CATALOG_CREATE, &fresh, &err) == WN_OK, "%s", err.text);
	db = catalog_sqlite(c);
	os_mkdir(arena_printf(t->arena, "%s/runs", dir).p, NULL);
	run_sql(
	    t, db,
	    "create table twin (cover integer not null, capture integer not null, kept integer not null, witness integer, shared integer, size integer, "
	    "witness_size integer, primary key (cover, capture)) without rowid");
	for (unsigned round = 1; round <= 12; round++) {
		for (unsigned cover = 1; cover <= COVERS; cover++)
			if (round == 1 || test_below(t, 2))
				store(t, db, dir, cover, round, round == 1);
		for (size_t q = 0; q < COUNT(questions); q++) {
			const char *sql = ask(t, db, questions[q], 1 + (unsigned)test_below(t, COVERS + 1));

			CHECK_STR(answer(t, db, sql, "cover_member"), answer(t, db, sql, "twin"), "%s", sql);
		}
	}
	catalog_close(c);
}

TEST(members, damage_is_told)
{
	const char *path = arena_printf(t->arena, "%s/x.members", test_dir(t)).p;

	for (int round = 0; round < 60; round++) {
		struct member_list m = random_list(t);
		struct memberfile f;
		struct err err = { 0 };
		size_t bytes = 32 + (size_t)16 * m.n, at = test_below(t, bytes);
		int fd = -1;
		char x;

		REQUIRE(memberfile_write(&m, 7, path, &err) == WN_OK, "%s", err.text);
		REQUIRE(memberfile_open(&f, path, 7, &err) == WN_OK, "%s", err.text);
		CHECK_EQ(f.list.n, m.n);
		CHECK(memberfile_order(&f));
		memberfile_close(&f);
		CHECK(memberfile_open(&f, path, 8, &err) == WN_DATA);
		REQUIRE(os_open(&fd, path, O_RDWR, &err) == WN_OK, "%s", err.text);
		CHECK(pread(fd, &x, 1, (off_t)at) == 1);
		x ^= (char)(1 << test_below(t, 8));
		CHECK(pwrite(fd, &x, 1, (off_t)at) == 1);
		CHECK(memberfile_open(&f, path, 7, &err) == WN_DATA, "a bit of byte %zu of %zu", at, bytes);
		CHECK(ftruncate(fd, (off_t)at) == 0);
		CHECK(memberfile_open(&f, path, 7, &err) == WN_DATA, "%zu of %zu bytes", at, bytes);
		os_close(&fd);
	}
}
