/* catalog/sqlite_keys.c -- what calendars and lists of URLs ask of the index of keys: seeks, and numbers alone.
 *
 * A statement that is asked row by row is prepared once per open catalogue;
 * that of catalog_times is asked once a page, and may be nested in itself. */
#include "catalog/sqlite_int.h"

int sq_times(struct catalog *base, struct str urlkey, int64_t from, int64_t to,
	     int (*each)(void *context, uint64_t id, int64_t time), void *context, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	sqlite3_stmt *s = NULL;
	int rc, step = SQLITE_ROW;

	if ((rc = sq_prepare(c, &s,
			     "select capture, time from capture_key where urlkey = ?1 and time >= ?2 and time <= ?3 "
			     "order by time, capture",
			     err)) < 0)
		return rc;
	sq_text_always(s, 1, urlkey);
	sqlite3_bind_int64(s, 2, from);
	sqlite3_bind_int64(s, 3, to);
	while (rc == WN_OK && (step = sqlite3_step(s)) == SQLITE_ROW)
		rc = each(context, sq_u64(s, 0), sqlite3_column_int64(s, 1));
	if (rc == WN_OK && step != SQLITE_DONE)
		rc = sq_fail(c, "index", err);
	sqlite3_finalize(s);
	return rc;
}

int sq_brief(struct catalog *base, uint64_t id, int *status, uint64_t *content, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	int rc, step;

	if (!c->brief && (rc = sq_prepare(c, &c->brief, "select status, content from capture where id = ?", err)) < 0)
		return rc;
	sq_int(c->brief, 1, id);
	step = sqlite3_step(c->brief);
	if (step == SQLITE_ROW) {
		*status = sqlite3_column_type(c->brief, 0) == SQLITE_NULL ? CAPTURE_NO_STATUS
									  : sqlite3_column_int(c->brief, 0);
		*content = sq_u64(c->brief, 1);
	}
	sqlite3_reset(c->brief);
	return step == SQLITE_ROW ? WN_OK : step == SQLITE_DONE ? WN_NONE : sq_fail(c, "capture", err);
}

int sq_url(struct catalog *base, struct arena *a, struct str from, struct str to, uint64_t most,
	   struct catalog_url *out, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	int rc, step;

	if ((!c->next_key &&
	     (rc = sq_prepare(
		  c, &c->next_key,
		  "select urlkey from capture_key where urlkey >= ?1 and (not ?3 or urlkey < ?2) order by urlkey limit 1",
		  err)) < 0) ||
	    (!c->about_key &&
	     (rc = sq_prepare(
		  c, &c->about_key,
		  "select (select c.url from capture c join capture_key k on k.capture = c.id where k.urlkey = ?1 order by k.time desc limit 1), "
		  "(select count(*) from (select 1 from capture_key where urlkey = ?1 limit ?2)), (select min(time) from capture_key where urlkey = ?1), "
		  "(select max(time) from capture_key where urlkey = ?1)",
		  err)) < 0))
		return rc;
	sq_text_always(c->next_key, 1, from);
	sq_text_always(c->next_key, 2, to);
	sqlite3_bind_int(c->next_key, 3, to.n > 0);
	step = sqlite3_step(c->next_key);
	if (step == SQLITE_ROW)
		out->urlkey = arena_str(a, sq_col(c->next_key, 0));
	sqlite3_reset(c->next_key);
	if (step != SQLITE_ROW)
		return step == SQLITE_DONE ? WN_NONE : sq_fail(c, "keys", err);
	sq_text_always(c->about_key, 1, out->urlkey);
	sq_int(c->about_key, 2, most);
	step = sqlite3_step(c->about_key);
	if (step == SQLITE_ROW) {
		out->url = arena_str(a, sq_col(c->about_key, 0));
		out->captures = sq_u64(c->about_key, 1);
		out->first = sqlite3_column_int64(c->about_key, 2);
		out->last = sqlite3_column_int64(c->about_key, 3);
	}
	sqlite3_reset(c->about_key);
	return step == SQLITE_ROW ? WN_OK : sq_fail(c, "keys", err);
}

void sq_keys_release(struct sqlite_catalog *c)
{
	sqlite3_finalize(c->brief);
	sqlite3_finalize(c->next_key);
	sqlite3_finalize(c->about_key);
}
