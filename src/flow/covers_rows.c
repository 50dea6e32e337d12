/* flow/covers_rows.c -- members of covers as rows of a table, in collections that were made before catalogue version 4 (covers_rows.h). */
#include "flow/covers_rows.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>

static int failed(sqlite3 *db, const char *what, struct err *err)
{
	return err_set(err, WN_CATALOG, "%s: %s", what, sqlite3_errmsg(db));
}

bool rows_here(sqlite3 *db)
{
	sqlite3_stmt *s = NULL;
	bool rows = sqlite3_prepare_v2(db, "select 1 from sqlite_master where type = 'table' and name = 'cover_member'",
				       -1, &s, NULL) == SQLITE_OK &&
		    sqlite3_step(s) == SQLITE_ROW;

	sqlite3_finalize(s);
	return rows;
}

int rows_delete_all(sqlite3 *db, uint64_t cover, struct err *err)
{
	char sql[80];

	snprintf(sql, sizeof sql, "delete from cover_member where cover = %" PRIu64, cover);
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? WN_OK : failed(db, "cover_member", err);
}

int rows_leave(sqlite3 *db, bool *rows, struct err *err)
{
	sqlite3_stmt *s = NULL;
	/* of covers, not of members: a cover of nothing has none, and is read from the table all the same */
	bool empty = sqlite3_prepare_v2(db, "select 1 from cover limit 1", -1, &s, NULL) == SQLITE_OK &&
		     sqlite3_step(s) == SQLITE_DONE;

	sqlite3_finalize(s);
	if (!empty)
		return WN_OK;
	if (sqlite3_exec(db, "drop table cover_member", NULL, NULL, NULL) != SQLITE_OK)
		return failed(db, "cover_member", err);
	*rows = false;
	return WN_OK;
}

int rows_delete(sqlite3 *db, uint64_t cover, const uint64_t *gone, size_t n, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	if (sqlite3_prepare_v2(db, "delete from cover_member where cover = ? and capture = ?", -1, &s, NULL) !=
	    SQLITE_OK)
		return failed(db, "cover_member", err);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
		sqlite3_bind_int64(s, 2, (sqlite3_int64)gone[i]);
		if (sqlite3_step(s) != SQLITE_DONE)
			rc = failed(db, "cover_member", err);
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
	return rc;
}

struct capture_document {
	uint32_t capture, document;
};

static int by_capture(const void *a, const void *b)
{
	const struct capture_document *x = a, *y = b;

	return x->capture < y->capture ? -1 : x->capture > y->capture;
}

static int insert_member(sqlite3 *db, sqlite3_stmt *s, uint64_t cover, const struct member_list *m, uint32_t d,
			 struct err *err)
{
	bool kept = m->witness[d] == MEMBER_KEPT;
	uint32_t values[4] = { 0 };
	int rc;

	if (!kept) {
		values[0] = m->id[m->witness[d]];
		values[1] = m->shared[d];
		values[2] = m->size[d];
		values[3] = m->size[m->witness[d]];
	}
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	sqlite3_bind_int64(s, 2, m->id[d]);
	sqlite3_bind_int(s, 3, kept);
	for (int k = 0; k < 4; k++)
		if (kept)
			sqlite3_bind_null(s, 4 + k);
		else
			sqlite3_bind_int64(s, 4 + k, values[k]);
	rc = sqlite3_step(s) == SQLITE_DONE ? WN_OK : failed(db, "cover_member", err);
	sqlite3_reset(s);
	return rc;
}

int rows_insert(sqlite3 *db, const struct cover_row *row, const struct member_list *m, struct err *err)
{
	struct capture_document *all;
	sqlite3_stmt *s = NULL;
	size_t n = 0;
	int rc = WN_OK;

	/* the oldest collections had no index of witnesses */
	if (sqlite3_exec(db, "create index if not exists cover_witness on cover_member (cover, witness)", NULL, NULL,
			 NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, "insert or replace into cover_member values (?,?,?,?,?,?,?)", -1, &s, NULL) !=
		SQLITE_OK)
		return failed(db, "cover_member", err);
	all = mem_array((size_t)m->n + 1, sizeof *all);
	for (uint32_t d = 0; d < m->n; d++)
		if (!row->patch || row->differs(row->update, d))
			all[n++] = (struct capture_document){ m->id[d], d };
	sort_array(all, n, sizeof *all, by_capture);
	for (size_t i = 0; i < n && rc == WN_OK; i++)
		rc = insert_member(db, s, row->id, m, all[i].document, err);
	mem_free(all);
	sqlite3_finalize(s);
	return rc;
}
