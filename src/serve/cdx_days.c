/* serve/cdx_days.c -- captures of one URL per day, for calendars; see cdx_scan.h. */
#include <sqlite3.h>

#include "serve/cdx_scan.h"

int cdx_days(struct catalog *c, struct str urlkey, int64_t from, int64_t to, const struct cdx_setting *setting,
	     int (*each)(void *context, int64_t day, uint64_t captures, uint64_t first), void *context, struct err *err)
{
	/* one key: a plain range of its tree, two numbers a row */
	static const char sql[] =
	    "select time, capture from capture_key where urlkey = ?1 and time >= ?2 and time <= ?3 "
	    "order by time, capture";
	sqlite3 *db = catalog_sqlite(c);
	sqlite3_stmt *s = NULL;
	int64_t day = INT64_MIN;
	uint64_t n = 0, first = 0;
	int rc = WN_OK, step = SQLITE_ERROR;

	if (!db || sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		return err_set(err, WN_CATALOG, "the catalogue of %s cannot be read", catalog_dir(c));
	sqlite3_bind_text(s, 1, urlkey.n ? urlkey.p : "", (int)urlkey.n, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, from);
	sqlite3_bind_int64(s, 3, to);
	while (rc == WN_OK && (step = sqlite3_step(s)) == SQLITE_ROW) {
		int64_t time = sqlite3_column_int64(s, 0), d = time / 86400 - (time % 86400 < 0);

		if (!acl_allows(setting->acl, urlkey, time, setting->user))
			continue;
		if (d != day) {
			if (n)
				rc = each(context, day, n, first);
			day = d;
			n = 0;
			first = (uint64_t)sqlite3_column_int64(s, 1);
		}
		n++;
	}
	sqlite3_finalize(s);
	if (rc == WN_OK && step != SQLITE_DONE)
		rc = err_set(err, WN_CATALOG, "the catalogue of %s cannot be read", catalog_dir(c));
	if (rc == WN_OK && n)
		rc = each(context, day, n, first);
	return rc < 0 ? rc : WN_OK;
}
