/* serve/job_store.c -- see job_store.h. */
#include "serve/job_store.h"

#include <sqlite3.h>

#include "base/limits.h"

static const char table[] =
    "create table if not exists job (id integer primary key, seq integer not null, state integer not null, wish integer not null default 0, "
    "kind text not null, spec text not null, owner text not null default '', lease integer not null default 0, "
    "progress text not null default '', error text not null default '', key text, created integer not null, "
    "started integer not null default 0, ended integer not null default 0, attempts integer not null default 0, "
    "result integer not null default 0);"
    "create unique index if not exists job_key on job (key) where key is not null;"
    "create index if not exists job_open on job (state, id) where state < 3;";

const char *job_state_name(enum job_state s)
{
	static const char *const names[JOB_STATES] = {
		"queued", "running", "paused", "succeeded", "failed", "cancelled"
	};

	return names[s];
}

static int failed(sqlite3 *db, struct err *err)
{
	int code = sqlite3_errcode(db) & 0xff;

	return err_set(err, code == SQLITE_BUSY || code == SQLITE_LOCKED ? WN_BUSY : WN_CATALOG,
		       "the table of jobs: %s", sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = NULL;

	return sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK ? s : NULL;
}

static void bind(sqlite3_stmt *s, int at, struct str v)
{
	sqlite3_bind_text(s, at, v.n ? v.p : "", (int)v.n, SQLITE_TRANSIENT);
}

/* Runs it to its end; the number of rows it changed, or an error. */
static int change(sqlite3 *db, sqlite3_stmt *s, int *rows, struct err *err)
{
	int step = s ? sqlite3_step(s) : SQLITE_ERROR, rc = WN_OK;

	if (step != SQLITE_DONE && step != SQLITE_ROW)
		rc = failed(db, err);
	*rows = rc == WN_OK ? sqlite3_changes(db) : 0;
	sqlite3_finalize(s);
	return rc;
}

static int changed_one(sqlite3 *db, sqlite3_stmt *s, struct err *err)
{
	int rows, rc = change(db, s, &rows, err);

	return rc < 0 ? rc : rows ? WN_OK : err_set(err, WN_NONE, "the job is not what it was");
}

int job_store_prepare(sqlite3 *db, struct err *err)
{
	return sqlite3_exec(db, table, NULL, NULL, NULL) == SQLITE_OK ? WN_OK : failed(db, err);
}

bool job_store_is_there(sqlite3 *db)
{
	sqlite3_stmt *s = prepare(db, "select 1 from sqlite_master where name = 'job'");
	bool there = s && sqlite3_step(s) == SQLITE_ROW;

	sqlite3_finalize(s);
	return there;
}

static uint64_t number_with_key(sqlite3 *db, struct str key)
{
	sqlite3_stmt *s = prepare(db, "select id from job where key = ?1");
	uint64_t n = 0;

	if (s) {
		bind(s, 1, key);
		if (sqlite3_step(s) == SQLITE_ROW)
			n = (uint64_t)sqlite3_column_int64(s, 0);
	}
	sqlite3_finalize(s);
	return n;
}

/* Those that ended go when there are too many; ids are not given again, since the newest row stays. */
static int forget_old(sqlite3 *db, struct err *err)
{
	sqlite3_stmt *s = prepare(
	    db, "delete from job where state >= 3 and id in (select id from job order by id desc limit -1 offset ?1)");
	int rows;

	if (s)
		sqlite3_bind_int(s, 1, LIMIT_JOBS);
	return change(db, s, &rows, err);
}

int job_store_add(sqlite3 *db, const char *kind, struct str spec, struct str key, int64_t now, uint64_t *number,
		  bool *known, struct err *err)
{
	sqlite3_stmt *s;
	int rc, rows;

	*known = false;
	if (sqlite3_exec(db, "begin immediate", NULL, NULL, NULL) != SQLITE_OK)
		return failed(db, err);
	if (key.n && (*number = number_with_key(db, key))) {
		*known = true;
		sqlite3_exec(db, "rollback", NULL, NULL, NULL);
		return WN_OK;
	}
	if (job_store_open_jobs(db) >= LIMIT_JOBS) {
		sqlite3_exec(db, "rollback", NULL, NULL, NULL);
		return err_set(err, WN_LIMIT, "%d jobs are waiting already; try again when one has ended", LIMIT_JOBS);
	}
	s = prepare(db, "insert into job (seq, state, kind, spec, key, created) values (1, 0, ?1, ?2, ?3, ?4)");
	if (s) {
		bind(s, 1, str(kind));
		bind(s, 2, spec);
		if (key.n)
			bind(s, 3, key);
		sqlite3_bind_int64(s, 4, now);
	}
	if ((rc = change(db, s, &rows, err)) == WN_OK) {
		*number = (uint64_t)sqlite3_last_insert_rowid(db);
		rc = forget_old(db, err);
	}
	if (rc == WN_OK && sqlite3_exec(db, "commit", NULL, NULL, NULL) != SQLITE_OK)
		rc = failed(db, err);
	if (rc < 0)
		sqlite3_exec(db, "rollback", NULL, NULL, NULL);
	return rc;
}

int job_store_take(sqlite3 *db, struct arena *a, struct str owner, int64_t now, int64_t lease, struct job_row *out,
		   struct err *err)
{
	/* looking first: taking needs the write lock, which is not asked for when nothing waits */
	sqlite3_stmt *s = prepare(db, "select 1 from job where state = 0 or (state = 1 and lease < ?1) limit 1");
	uint64_t number;
	int step;

	if (!s)
		return failed(db, err);
	sqlite3_bind_int64(s, 1, now);
	step = sqlite3_step(s);
	sqlite3_finalize(s);
	if (step == SQLITE_DONE)
		return WN_NONE;
	if (step != SQLITE_ROW)
		return failed(db, err);
	s = prepare(
	    db,
	    "update job set state = 1, owner = ?1, lease = ?2 + ?3, attempts = attempts + 1, seq = seq + 1, wish = case state when 0 then 0 else wish end, "
	    "started = case started when 0 then ?2 else started end "
	    "where id = (select id from job where state = 0 or (state = 1 and lease < ?2) order by id limit 1) returning id");
	if (!s)
		return failed(db, err);
	bind(s, 1, owner);
	sqlite3_bind_int64(s, 2, now);
	sqlite3_bind_int64(s, 3, lease);
	step = sqlite3_step(s);
	number = step == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
	while (step == SQLITE_ROW)
		step = sqlite3_step(s);
	sqlite3_finalize(s);
	if (step != SQLITE_DONE)
		return failed(db, err);
	return number ? job_store_get(db, a, number, out, err) : WN_NONE;
}

int job_store_beat(sqlite3 *db, uint64_t number, struct str owner, int64_t now, int64_t lease, struct str progress,
		   enum job_wish *wish, struct err *err)
{
	sqlite3_stmt *s = prepare(
	    db,
	    "update job set lease = ?3 + ?4, seq = seq + (progress <> ?5), progress = ?5 where id = ?1 and owner = ?2 and state = 1 returning wish");
	int step;

	if (!s)
		return failed(db, err);
	sqlite3_bind_int64(s, 1, (sqlite3_int64)number);
	bind(s, 2, owner);
	sqlite3_bind_int64(s, 3, now);
	sqlite3_bind_int64(s, 4, lease);
	bind(s, 5, progress);
	step = sqlite3_step(s);
	*wish = step == SQLITE_ROW ? (enum job_wish)sqlite3_column_int(s, 0) : JOB_GO_ON;
	if (step == SQLITE_ROW && sqlite3_step(s) != SQLITE_DONE)
		step = SQLITE_ERROR;
	sqlite3_finalize(s);
	return step == SQLITE_ROW ? WN_OK : step == SQLITE_DONE ? WN_NONE : failed(db, err);
}

int job_store_end(sqlite3 *db, uint64_t number, struct str owner, enum job_state state, uint64_t result,
		  struct str error, struct str progress, int64_t now, struct err *err)
{
	sqlite3_stmt *s = prepare(
	    db,
	    "update job set state = ?3, result = ?4, error = ?5, progress = case ?6 when '' then progress else ?6 end, "
	    "ended = case when ?3 >= 3 then ?7 else 0 end, owner = '', lease = 0, wish = 0, seq = seq + 1 where id = ?1 and owner = ?2 and state = 1");

	if (s) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)number);
		bind(s, 2, owner);
		sqlite3_bind_int(s, 3, (int)state);
		sqlite3_bind_int64(s, 4, (sqlite3_int64)result);
		bind(s, 5, error);
		bind(s, 6, progress);
		sqlite3_bind_int64(s, 7, now);
	}
	return changed_one(db, s, err);
}

int job_store_ask(sqlite3 *db, uint64_t number, enum job_wish wish, int64_t now, struct err *err)
{
	/* a queued or paused one has no owner who could be asked */
	sqlite3_stmt *s = prepare(
	    db,
	    wish == JOB_WISH_CANCEL
		? "update job set wish = case state when 1 then ?2 else 0 end, ended = case state when 1 then 0 else ?3 end, "
		  "state = case state when 1 then 1 else 5 end, seq = seq + 1 where id = ?1 and state < 3"
		: "update job set wish = case state when 1 then ?2 else 0 end, state = case state when 0 then 2 else state end, "
		  "seq = seq + 1 where id = ?1 and state < 2 and ?3 = ?3");

	if (s) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)number);
		sqlite3_bind_int(s, 2, (int)wish);
		sqlite3_bind_int64(s, 3, now);
	}
	return changed_one(db, s, err);
}

int job_store_resume(sqlite3 *db, uint64_t number, struct err *err)
{
	sqlite3_stmt *s = prepare(db, "update job set state = 0, wish = 0, seq = seq + 1 where id = ?1 and state = 2");

	if (s)
		sqlite3_bind_int64(s, 1, (sqlite3_int64)number);
	return changed_one(db, s, err);
}

#define COLUMNS_OF_JOB                                                                                                      \
	"id, seq, state, wish, kind, spec, owner, progress, error, key, created, started, ended, lease, attempts, result, " \
	"(select count(*) from job b where b.state < 2 and b.id < job.id)"

static struct str text(struct arena *a, sqlite3_stmt *s, int i)
{
	const char *p = (const char *)sqlite3_column_text(s, i);

	return p ? arena_str(a, str_n(p, (size_t)sqlite3_column_bytes(s, i))) : STR("");
}

static struct job_row read_row(struct arena *a, sqlite3_stmt *s)
{
	int state = sqlite3_column_int(s, 2);

	return (struct job_row){ .number = (uint64_t)sqlite3_column_int64(s, 0),
				 .seq = (uint64_t)sqlite3_column_int64(s, 1),
				 .state = state >= 0 && state < JOB_STATES ? (enum job_state)state : JOB_FAILED,
				 .wish = (enum job_wish)sqlite3_column_int(s, 3),
				 .kind = text(a, s, 4),
				 .spec = text(a, s, 5),
				 .owner = text(a, s, 6),
				 .progress = text(a, s, 7),
				 .error = text(a, s, 8),
				 .key = text(a, s, 9),
				 .created = sqlite3_column_int64(s, 10),
				 .started = sqlite3_column_int64(s, 11),
				 .ended = sqlite3_column_int64(s, 12),
				 .lease = sqlite3_column_int64(s, 13),
				 .attempts = (uint64_t)sqlite3_column_int64(s, 14),
				 .result = (uint64_t)sqlite3_column_int64(s, 15),
				 .ahead = state == JOB_QUEUED ? (unsigned)sqlite3_column_int(s, 16) : 0 };
}

int job_store_get(sqlite3 *db, struct arena *a, uint64_t number, struct job_row *out, struct err *err)
{
	sqlite3_stmt *s = prepare(db, "select " COLUMNS_OF_JOB " from job where id = ?1");
	int step;

	if (!s)
		return job_store_is_there(db) ? failed(db, err) : WN_NONE;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)number);
	if ((step = sqlite3_step(s)) == SQLITE_ROW)
		*out = read_row(a, s);
	sqlite3_finalize(s);
	return step == SQLITE_ROW ? WN_OK : step == SQLITE_DONE ? WN_NONE : failed(db, err);
}

int job_store_list(sqlite3 *db, struct arena *a, size_t n, struct job_row **out, size_t *got, struct err *err)
{
	sqlite3_stmt *s = prepare(db, "select " COLUMNS_OF_JOB " from job order by id desc limit ?1");
	int step = SQLITE_DONE;

	*out = ARENA_ARRAY(a, struct job_row, n + 1);
	*got = 0;
	if (!s)
		return job_store_is_there(db) ? failed(db, err) : WN_OK;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)n);
	while (*got < n && (step = sqlite3_step(s)) == SQLITE_ROW)
		(*out)[(*got)++] = read_row(a, s);
	sqlite3_finalize(s);
	return step == SQLITE_ROW || step == SQLITE_DONE ? WN_OK : failed(db, err);
}

unsigned job_store_open_jobs(sqlite3 *db)
{
	sqlite3_stmt *s = prepare(db, "select count(*) from job where state < 2");
	unsigned n = s && sqlite3_step(s) == SQLITE_ROW ? (unsigned)sqlite3_column_int(s, 0) : 0;

	sqlite3_finalize(s);
	return n;
}
