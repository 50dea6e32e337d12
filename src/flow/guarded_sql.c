/* flow/guarded_sql.c -- see guarded_sql.h. */
#include "flow/guarded_sql.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/task.h"

#define ROW_MOST (40 * MIB) /* a page's links take up to 32 */

enum { COLUMNS_MOST = 256, TICK = 20 /* virtual machine steps between looks at the clock */ };

static int authorize(void *context, int action, const char *a, const char *b, const char *database, const char *trigger)
{
	(void)context, (void)b, (void)database, (void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION: /* both take or give addresses of code */
		return b && (sqlite3_stricmp(b, "load_extension") == 0 || sqlite3_stricmp(b, "fts3_tokenizer") == 0)
			   ? SQLITE_DENY
			   : SQLITE_OK;
	case SQLITE_PRAGMA: /* table_info and the like tell; none may set */
		return a && (sqlite3_stricmp(a, "table_info") == 0 || sqlite3_stricmp(a, "table_list") == 0 ||
			     sqlite3_stricmp(a, "table_xinfo") == 0)
			   ? SQLITE_OK
			   : SQLITE_DENY;
	default: return SQLITE_DENY;
	}
}

static int tick(void *context)
{
	const double *deadline = context;

	return task_interrupted() || (*deadline > 0 && progress_clock() > *deadline);
}

/* What a row may have in bytes: it is there in several copies until it is written, escaped in one of them. */
static size_t row_most(const struct sql_limits *limits)
{
	uint64_t share = limits->memory / 24;

	return share && share < ROW_MOST ? (size_t)share : ROW_MOST;
}

static int row_too_long(const struct sql_limits *limits, struct err *err)
{
	return err_set(err, WN_LIMIT, "a row of the answer has more than %zu MB%s; narrow it", row_most(limits) >> 20,
		       row_most(limits) < ROW_MOST ? ", the share of --memory" : "");
}

static bool row_fits(sqlite3_stmt *s, size_t n, const struct sql_limits *limits)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		int type = sqlite3_column_type(s, (int)i);

		if (type == SQLITE_TEXT || type == SQLITE_BLOB)
			bytes += (size_t)sqlite3_column_bytes(s, (int)i);
	}
	return bytes <= row_most(limits);
}

static int run(sqlite3 *db, sqlite3_stmt *s, const struct sql_limits *limits, const struct sql_sink *sink,
	       double deadline, struct err *err)
{
	const char *names[COLUMNS_MOST];
	size_t n = (size_t)sqlite3_column_count(s);
	uint64_t rows = 0;
	int rc, step;

	if (n > COLUMNS_MOST)
		return err_set(err, WN_LIMIT, "more than %d columns", COLUMNS_MOST);
	for (size_t i = 0; i < n; i++)
		names[i] = sqlite3_column_name(s, (int)i);
	if ((rc = sink->head(sink->context, names, n)) < 0)
		return rc;
	while ((step = sqlite3_step(s)) == SQLITE_ROW) {
		if (limits->rows && rows++ >= limits->rows)
			return WN_OK;
		if (!row_fits(s, n, limits))
			return row_too_long(limits, err);
		if ((rc = sink->row(sink->context, s, n)) < 0)
			return rc;
	}
	if (step == SQLITE_DONE)
		return WN_OK;
	if (step == SQLITE_INTERRUPT && task_interrupted())
		return err_set(err, WN_INTERRUPTED, "interrupted");
	if (step == SQLITE_INTERRUPT)
		return err_set(err, WN_LIMIT, "the query took longer than %.0f seconds; narrow it",
			       deadline > 0 ? limits->seconds : 0);
	if ((step & 0xff) == SQLITE_TOOBIG && !limits->value)
		return row_too_long(limits, err);
	if ((step & 0xff) == SQLITE_NOMEM && limits->memory)
		return err_set(err, WN_LIMIT, "the query needs more than %" PRIu64 " MB of memory; narrow it",
			       limits->memory / 2 >> 20);
	return err_set(err, WN_USAGE, "SQL: %s", sqlite3_errmsg(db));
}

int guarded_sql(struct collection *coll, struct str sql, const struct sql_limits *limits, const struct sql_sink *sink,
		struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	double deadline = limits->seconds > 0 ? progress_clock() + limits->seconds : 0;
	sqlite3_stmt *s = NULL;
	const char *rest = NULL;
	struct arena a = { 0 };
	int rc = WN_OK, longest;

	if (access(arena_printf(&a, "%s/access.aclj", catalog_dir(coll->catalog)).p, F_OK) == 0)
		rc = err_set(
		    err, WN_USAGE,
		    "%s has access rules (access.aclj), which SQL cannot hold to; ask with 'winnow ls' or CDX, or move the file away while you ask",
		    catalog_dir(coll->catalog));
	arena_release(&a);
	if (rc < 0)
		return rc;
	if (!db)
		return err_set(err, WN_USAGE, "this collection is not kept in SQLite");
	if (limits->memory) /* the rest is for what is made of the rows */
		sqlite3_hard_heap_limit64((sqlite3_int64)limits->memory / 2);
	longest = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, limits->value ? limits->value : (int)row_most(limits));
	/* members of covers are no table as a rule: that is declared now, which the guard would take for a change */
	sqlite3_exec(db, "select 1 from cover_member limit 0", NULL, NULL, NULL);
	sqlite3_set_authorizer(db, authorize, NULL);
	sqlite3_progress_handler(db, TICK, tick, &deadline);
	if (sqlite3_prepare_v2(db, sql.p, (int)sql.n, &s, &rest) != SQLITE_OK) {
		bool denied = sqlite3_errcode(db) == SQLITE_AUTH;

		rc = denied ? err_set(err, WN_USAGE,
				      "this SQL is not allowed: only SELECT on this collection's tables and views (%s)",
				      sqlite3_errmsg(db))
			    : err_set(err, WN_USAGE, "SQL: %s", sqlite3_errmsg(db));
	} else if (!s) {
		rc = err_set(err, WN_USAGE, "there is no SQL here; try \"select host, captures from hosts\"");
	} else if (rest && str_trim(str_n(rest, (size_t)(sql.p + sql.n - rest))).n) {
		rc = err_set(err, WN_USAGE, "one statement at a time; '%.40s' stands behind the first", rest);
	} else if (!sqlite3_stmt_readonly(s)) {
		rc = err_set(err, WN_USAGE, "this SQL would write; only SELECT is allowed");
	} else {
		rc = run(db, s, limits, sink, deadline, err);
	}
	sqlite3_finalize(s);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_set_authorizer(db, NULL, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, longest);
	return rc;
}
