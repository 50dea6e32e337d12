/* serve/history.c -- see history.h. */
#include "serve/history.h"

#include <sqlite3.h>

#include "archive/stamp.h"
#include "archive/surt.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/buf.h"
#include "base/vec.h"

enum question { AT_OR_AFTER, AT_OR_BEFORE, COUNT_TO, CAPTURE, NEXT_KEY, BEGIN, END, QUESTIONS };

/* Row values make each a seek in the primary key, not a scan of one URL's rows. */
static const char *const sql[QUESTIONS] = {
	[AT_OR_AFTER] =
	    "select capture, time from capture_key where urlkey = ?1 and (time, capture) > (?2, ?3) order by time, capture limit ?4",
	[AT_OR_BEFORE] =
	    "select capture, time from capture_key where urlkey = ?1 and (time, capture) < (?2, ?3) order by time desc, capture desc limit ?4",
	[COUNT_TO] = "select count(*) filter (where time <= ?2), count(*) from capture_key where urlkey = ?1",
	[CAPTURE] =
	    ("select c.id, c.file, c.at, c.length, c.skip, c.part, c.kind, c.time, c.urlkey, c.url, c.status, m.text, c.original, c.method, "
	     "c.payload_digest, c.content, c.redirect, c.bytes from capture c left join word m on m.id = c.mime where c.id = ?1"),
	[NEXT_KEY] = "select urlkey from capture_key where urlkey > ?1 and urlkey < ?2 order by urlkey limit 1",
	[BEGIN] = "begin",
	[END] = "commit",
};

struct history {
	struct collection *coll;
	const struct surt_profile *profile;
	sqlite3_stmt *stmt[QUESTIONS];
	struct map files; /* file -> index in paths */
	VEC(const char *) paths;
	struct arena arena;
	struct buf key;
	bool began;
};

int history_open(struct history **out, struct collection *coll, struct err *err)
{
	struct history *h = mem_zalloc(sizeof *h);
	sqlite3 *db = catalog_sqlite(coll->catalog);

	h->coll = coll;
	h->profile = surt_profile(catalog_settings(coll->catalog)->profile);
	h->key = BUF(4 * LIMIT_URL);
	for (size_t i = 0; i < QUESTIONS; i++)
		if (!db ||
		    sqlite3_prepare_v3(db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &h->stmt[i], NULL) != SQLITE_OK) {
			err_set(err, WN_CATALOG, "the catalogue of %s cannot be asked: %s", catalog_dir(coll->catalog),
				db ? sqlite3_errmsg(db) : "it has no tables");
			history_close(h);
			return WN_CATALOG;
		}
	*out = h;
	return WN_OK;
}

void history_close(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < QUESTIONS; i++)
		sqlite3_finalize(h->stmt[i]);
	map_release(&h->files);
	vec_release(&h->paths);
	arena_release(&h->arena);
	buf_release(&h->key);
	mem_free(h);
}

/* Without a transaction each question takes its own lock: slower, not wrong; so failures need no answer. */
void history_begin(struct history *h)
{
	h->began = sqlite3_get_autocommit(catalog_sqlite(h->coll->catalog));
	if (!h->began)
		return; /* the thread holds one already */
	sqlite3_step(h->stmt[BEGIN]);
	sqlite3_reset(h->stmt[BEGIN]);
}

void history_end(struct history *h)
{
	if (h->began) {
		sqlite3_step(h->stmt[END]);
		sqlite3_reset(h->stmt[END]);
	}
	h->began = false;
}

struct collection *history_collection(struct history *h) { return h->coll; }

const struct surt_profile *history_profile(const struct history *h) { return h->profile; }

struct str history_key(struct history *h, struct arena *a, struct str url)
{
	buf_reset(&h->key);
	surt_add(h->profile, url, &h->key);
	return arena_str(a, buf_view(&h->key));
}

static int failed(struct history *h, struct err *err)
{
	return err_set(err, WN_CATALOG, "the catalogue of %s cannot be read: %s", catalog_dir(h->coll->catalog),
		       sqlite3_errmsg(catalog_sqlite(h->coll->catalog)));
}

/* Up to n moments on one side of (time, id). */
static int side(struct history *h, enum question which, struct str key, int64_t time, int64_t id, struct moment *out,
		size_t n, size_t *got, struct err *err)
{
	sqlite3_stmt *s = h->stmt[which];
	int step;

	*got = 0;
	sqlite3_bind_text(s, 1, key.p, (int)key.n, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, time);
	sqlite3_bind_int64(s, 3, id);
	sqlite3_bind_int64(s, 4, (sqlite3_int64)n);
	while ((step = sqlite3_step(s)) == SQLITE_ROW && *got < n)
		out[(*got)++] = (struct moment){ (uint64_t)sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1) };
	sqlite3_reset(s);
	return step == SQLITE_ROW || step == SQLITE_DONE ? WN_OK : failed(h, err);
}

static int one(struct history *h, enum question which, struct str key, int64_t time, int64_t id, struct moment *out,
	       struct err *err)
{
	size_t got;
	int rc = side(h, which, key, time, id, out, 1, &got, err);

	return rc < 0 ? rc : got ? WN_OK : WN_NONE;
}

int history_closest(struct history *h, struct str key, int64_t from, int64_t to, struct moment *out, struct err *err)
{
	struct moment before;
	int has_after = one(h, AT_OR_AFTER, key, from, -1, out, err), has_before;

	if (has_after < 0 && has_after != WN_NONE)
		return has_after;
	if (has_after == WN_OK && out->time <= to)
		return WN_OK;
	has_before = one(h, AT_OR_BEFORE, key, from, -1, &before, err);
	if (has_before < 0 && has_before != WN_NONE)
		return has_before;
	if (has_before == WN_OK && (has_after == WN_NONE || from - before.time <= out->time - to)) {
		/* of several in that second the first, as looking forward finds it */
		return one(h, AT_OR_AFTER, key, before.time, -1, out, err);
	}
	return has_after;
}

int history_after(struct history *h, struct str key, struct moment m, struct moment *out, struct err *err)
{
	return one(h, AT_OR_AFTER, key, m.time, INT64_MAX, out, err);
}

int history_before(struct history *h, struct str key, struct moment m, struct moment *out, struct err *err)
{
	return one(h, AT_OR_BEFORE, key, m.time, -1, out, err);
}

int history_first(struct history *h, struct str key, struct moment *out, struct err *err)
{
	return one(h, AT_OR_AFTER, key, INT64_MIN, -1, out, err);
}

int history_last(struct history *h, struct str key, struct moment *out, struct err *err)
{
	return one(h, AT_OR_BEFORE, key, INT64_MAX, -1, out, err);
}

int history_count(struct history *h, struct str key, int64_t until, uint64_t *number, uint64_t *all, struct err *err)
{
	sqlite3_stmt *s = h->stmt[COUNT_TO];
	int rc = WN_OK;

	*number = *all = 0;
	sqlite3_bind_text(s, 1, key.p, (int)key.n, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, until);
	if (sqlite3_step(s) == SQLITE_ROW) {
		*number = (uint64_t)sqlite3_column_int64(s, 0);
		*all = (uint64_t)sqlite3_column_int64(s, 1);
	} else {
		rc = err_set(err, WN_CATALOG, "captures: %s", sqlite3_errmsg(sqlite3_db_handle(s)));
	}
	sqlite3_reset(s);
	return rc;
}

int history_next_key(struct history *h, struct arena *a, struct str after, struct str before, struct str *out,
		     struct err *err)
{
	sqlite3_stmt *s = h->stmt[NEXT_KEY];
	int rc = WN_NONE, step;

	sqlite3_bind_text(s, 1, after.p, (int)after.n, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, before.p, (int)before.n, SQLITE_STATIC);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW) {
		*out = arena_str(a, str_n((const char *)sqlite3_column_text(s, 0), (size_t)sqlite3_column_bytes(s, 0)));
		rc = WN_OK;
	} else if (step != SQLITE_DONE) {
		rc = err_set(err, WN_CATALOG, "captures: %s", sqlite3_errmsg(sqlite3_db_handle(s)));
	}
	sqlite3_reset(s);
	return rc;
}

int history_list(struct history *h, struct str key, struct moment after, struct moment *out, size_t n, size_t *got,
		 struct err *err)
{
	return side(h, AT_OR_AFTER, key, after.time, (int64_t)after.id, out, n, got, err);
}

static struct str text(struct arena *a, sqlite3_stmt *s, int i)
{
	const char *p = sqlite3_column_blob(s, i);

	return p ? arena_str(a, str_n(p, (size_t)sqlite3_column_bytes(s, i))) : STR_NONE;
}

int history_capture(struct history *h, struct arena *a, uint64_t id, struct capture *out, struct err *err)
{
	sqlite3_stmt *s = h->stmt[CAPTURE];
	int step, rc = WN_OK;

	sqlite3_bind_int64(s, 1, (sqlite3_int64)id);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		*out = (struct capture){
			.id = id,
			.file = (uint64_t)sqlite3_column_int64(s, 1),
			.at = (uint64_t)sqlite3_column_int64(s, 2),
			.length = (uint64_t)sqlite3_column_int64(s, 3),
			.skip = (uint64_t)sqlite3_column_int64(s, 4),
			.part = text(a, s, 5),
			.kind = (enum capture_kind)sqlite3_column_int(s, 6),
			.time = sqlite3_column_int64(s, 7),
			.urlkey = text(a, s, 8),
			.url = text(a, s, 9),
			.status =
			    sqlite3_column_type(s, 10) == SQLITE_NULL ? CAPTURE_NO_STATUS : sqlite3_column_int(s, 10),
			.mime = text(a, s, 11),
			.original = (uint64_t)sqlite3_column_int64(s, 12),
			.method = text(a, s, 13),
			.payload_digest = text(a, s, 14),
			.content = (uint64_t)sqlite3_column_int64(s, 15),
			.redirect = text(a, s, 16),
			.bytes = (uint64_t)sqlite3_column_int64(s, 17),
			.published = CAPTURE_NO_TIME,
			.refers_time = CAPTURE_NO_TIME,
		};
	else if (step == SQLITE_DONE)
		rc = err_set(err, WN_NONE, "capture %llu is not in this collection", (unsigned long long)id);
	else
		rc = failed(h, err);
	sqlite3_reset(s);
	return rc;
}

int history_file(struct history *h, uint64_t file, const char **path, struct err *err)
{
	uint64_t *at = map_get(&h->files, file);
	int rc;

	if (!at) {
		if ((rc = collection_file(h->coll, &h->arena, file, path, err)) < 0)
			return rc;
		map_put(&h->files, file, h->paths.n);
		vec_push(&h->paths, *path);
		return WN_OK;
	}
	*path = h->paths.p[*at];
	return WN_OK;
}
