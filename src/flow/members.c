/* flow/members.c -- see members.h. */
#include "flow/members.h"

#include <sqlite3.h>

#include "base/mem.h"

struct members {
	sqlite3_stmt *s;
	sqlite3 *db;
};

#define COLUMNS "select capture, kept, witness, shared, size, witness_size from cover_member "
#define BY_WITNESS "indexed by cover_witness "

static const char *const queries[] = {
	[MEMBERS_ALL] = COLUMNS "where cover = ?1 and capture > ?3 order by capture",
	[MEMBERS_KEPT] = COLUMNS BY_WITNESS "where cover = ?1 and witness is null and capture > ?3 order by capture",
	[MEMBERS_DROPPED] = COLUMNS "where cover = ?1 and capture > ?3 and kept = 0 order by capture",
	[MEMBERS_BY_WITNESS] = COLUMNS BY_WITNESS
	"where cover = ?1 and witness >= ?2 and (witness, capture) > (?2, ?3) order by witness, capture",
	[MEMBERS_OF] = COLUMNS BY_WITNESS "where cover = ?1 and witness = ?2 and capture > ?3 order by capture",
};

static int failed(struct collection *coll, struct err *err)
{
	return err_set(err, WN_CATALOG, "the members of the cover: %s", sqlite3_errmsg(catalog_sqlite(coll->catalog)));
}

static int ask(struct collection *coll, const char *sql, sqlite3_stmt **out, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	const char *at = strstr(sql, BY_WITNESS);
	struct buf plain = BUF(4096);

	*out = NULL;
	if (sqlite3_prepare_v2(db, sql, -1, out, NULL) == SQLITE_OK)
		return WN_OK;
	/* there is such an index where members are rows (covers.h), and not in the oldest collections, which are slow instead */
	if (at && buf_printf(&plain, "%.*s%s", (int)(at - sql), sql, at + strlen(BY_WITNESS)))
		sqlite3_prepare_v2(db, plain.p, (int)plain.n, out, NULL);
	buf_release(&plain);
	return *out ? WN_OK : failed(coll, err);
}

int members_open(struct members **out, struct collection *coll, const struct members_query *q, struct err *err)
{
	sqlite3_stmt *s;
	int rc = ask(coll, queries[q->which], &s, err);

	*out = NULL;
	if (rc < 0)
		return rc;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)q->cover);
	if (q->which == MEMBERS_BY_WITNESS || q->which == MEMBERS_OF)
		sqlite3_bind_int64(s, 2, (sqlite3_int64)q->witness);
	sqlite3_bind_int64(s, 3, (sqlite3_int64)q->after);
	*out = mem_zalloc(sizeof **out);
	(*out)->s = s;
	(*out)->db = catalog_sqlite(coll->catalog);
	return WN_OK;
}

int members_next(struct members *m, struct cover_member *out, struct err *err)
{
	switch (sqlite3_step(m->s)) {
	case SQLITE_ROW: covers_read_member(m->s, out); return WN_OK;
	case SQLITE_DONE: return WN_END;
	default: return err_set(err, WN_CATALOG, "the members of the cover: %s", sqlite3_errmsg(m->db));
	}
}

void members_close(struct members *m)
{
	if (!m)
		return;
	sqlite3_finalize(m->s);
	mem_free(m);
}

/* The numbers of a statement's only row. */
static int counted(struct collection *coll, sqlite3_stmt *s, uint64_t *one, uint64_t *two, struct err *err)
{
	bool good = sqlite3_step(s) == SQLITE_ROW;
	int rc = good ? WN_OK : failed(coll, err);

	*one = good ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
	if (two)
		*two = good ? (uint64_t)sqlite3_column_int64(s, 1) : 0;
	sqlite3_finalize(s);
	return rc;
}

int members_count_of(struct collection *coll, uint64_t cover, uint64_t witness, uint64_t *n, struct err *err)
{
	sqlite3_stmt *s;
	int rc = ask(coll, "select count(*) from cover_member where cover = ?1 and witness = ?2", &s, err);

	*n = 0;
	if (rc < 0)
		return rc;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	sqlite3_bind_int64(s, 2, (sqlite3_int64)witness);
	return counted(coll, s, n, NULL, err);
}

int members_count_dropped(struct collection *coll, uint64_t cover, struct str urlkey, uint64_t *n, struct err *err)
{
	sqlite3_stmt *s;
	int rc = ask(
	    coll,
	    "select count(*) from capture_key k join cover_member m on m.cover = ?1 and m.capture = k.capture and m.kept = 0 where k.urlkey = ?2",
	    &s, err);

	*n = 0;
	if (rc < 0)
		return rc;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	sqlite3_bind_text(s, 2, urlkey.p, (int)urlkey.n, SQLITE_STATIC);
	return counted(coll, s, n, NULL, err);
}

int members_compare(struct collection *coll, uint64_t first, uint64_t second, uint64_t *both, uint64_t *alone,
		    struct err *err)
{
	sqlite3_stmt *s;
	int rc = ask(
	    coll,
	    "select count(*) filter (where m.kept and n.kept), count(*) filter (where m.kept and not ifnull(n.kept, 0)) from cover_member m "
	    "left join cover_member n on n.cover = ?2 and n.capture = m.capture where m.cover = ?1",
	    &s, err);

	*both = *alone = 0;
	if (rc < 0)
		return rc;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)first);
	sqlite3_bind_int64(s, 2, (sqlite3_int64)second);
	return counted(coll, s, both, alone, err);
}

int members_covering(struct catalog *c, uint64_t cover, void (*each)(void *context, uint64_t kept, uint64_t covers),
		     void *context, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int step = SQLITE_ERROR;

	if (sqlite3_prepare_v2(
		catalog_sqlite(c),
		"select witness, count(*) from cover_member where cover = ? and kept = 0 group by witness order by witness",
		-1, &s, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
		while ((step = sqlite3_step(s)) == SQLITE_ROW)
			each(context, (uint64_t)sqlite3_column_int64(s, 0), (uint64_t)sqlite3_column_int64(s, 1));
	}
	sqlite3_finalize(s);
	return step == SQLITE_DONE ? WN_OK : err_set(err, WN_CATALOG, "the members of the cover cannot be read");
}
