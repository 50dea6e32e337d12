/* flow/covers.c -- see covers.h. */
#include "flow/covers.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/os.h"

static int failed(sqlite3 *db, const char *what, struct err *err) { return err_set(err, WN_CATALOG, "%s: %s", what, sqlite3_errmsg(db)); }

static void options_json(const struct cover_options *o, struct buf *out)
{
	struct json j = { .out = out, .spaced = true };

	json_open(&j, '{');
	if (o->where.n) {
		json_key(&j, "where");
		json_str(&j, o->where);
	}
	if (o->per.n) {
		json_key(&j, "per");
		json_str(&j, o->per);
		json_key(&j, "keep_at_least");
		json_u64(&j, o->keep_at_least);
	}
	if (o->prefer.n) {
		json_key(&j, "prefer");
		json_str(&j, o->prefer);
	}
	if (o->min_versions) {
		json_key(&j, "min_versions");
		json_u64(&j, o->min_versions);
	}
	if (o->n_keep) {
		json_key(&j, "keep");
		json_open(&j, '[');
		for (size_t i = 0; i < o->n_keep; i++)
			json_u64(&j, o->keep[i]);
		json_close(&j, ']');
	}
	json_close(&j, '}');
}

static uint64_t json_number(const struct json_value *v, const char *key)
{
	uint64_t n = 0;

	return str_u64(json_text(v, key), &n) ? n : 0;
}

static int options_read(struct arena *a, struct str text, struct cover_options *o, struct err *err)
{
	const struct json_value *keep;
	struct json_value *v;
	int rc;

	if ((rc = json_parse(a, text, &v, err)) < 0)
		return err_in(err, "options of a stored cover");
	o->where = json_text(v, "where");
	o->per = json_text(v, "per");
	o->prefer = json_text(v, "prefer");
	o->keep_at_least = json_number(v, "keep_at_least");
	o->min_versions = json_number(v, "min_versions");
	keep = json_get(v, "keep");
	for (const struct json_value *k = keep ? keep->first : NULL; k; k = k->next)
		o->n_keep++;
	o->keep = ARENA_ARRAY(a, uint64_t, o->n_keep + 1);
	o->n_keep = 0;
	for (const struct json_value *k = keep ? keep->first : NULL; k; k = k->next)
		if (str_u64(k->text, &o->keep[o->n_keep]))
			o->n_keep++;
	return WN_OK;
}

static const char *run_path(const char *dir, struct arena *a, uint64_t cover) { return arena_printf(a, "%s/runs/%06" PRIu64 ".seg", dir, cover).p; }

static int write_certificate(const char *dir, uint64_t cover, const struct certificate *proof, struct err *err)
{
	struct arena a = { 0 };
	struct buf bytes = BUF(4 * GIB);
	struct os_atomic f = { .fd = -1 };
	const char *path = run_path(dir, &a, cover);
	int rc;

	if ((rc = os_mkdir(arena_printf(&a, "%s/runs", dir).p, err)) < 0)
		goto out;
	if (!certificate_write(proof, &bytes)) {
		rc = err_set(err, WN_LIMIT, "the certificate is larger than %zu bytes", bytes.max);
		goto out;
	}
	if ((rc = os_atomic_open(&f, path, err)) < 0)
		goto out;
	if ((rc = os_write(f.fd, bytes.p, bytes.n, path, err)) < 0)
		os_atomic_abort(&f);
	else
		rc = os_atomic_commit(&f, err);
out:
	buf_release(&bytes);
	arena_release(&a);
	return rc;
}

static int insert_members(sqlite3 *db, uint64_t cover, const struct cover_member *m, size_t n, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	if (sqlite3_prepare_v2(db, "insert into cover_member values (?,?,?,?,?,?,?)", -1, &s, NULL) != SQLITE_OK)
		return failed(db, "cover_member", err);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
		sqlite3_bind_int64(s, 2, (sqlite3_int64)m[i].id);
		sqlite3_bind_int(s, 3, m[i].kept);
		if (m[i].kept) {
			for (int k = 4; k <= 7; k++)
				sqlite3_bind_null(s, k);
		} else {
			sqlite3_bind_int64(s, 4, (sqlite3_int64)m[i].witness);
			sqlite3_bind_int64(s, 5, (sqlite3_int64)m[i].shared);
			sqlite3_bind_int64(s, 6, (sqlite3_int64)m[i].size);
			sqlite3_bind_int64(s, 7, (sqlite3_int64)m[i].witness_size);
		}
		if (sqlite3_step(s) != SQLITE_DONE)
			rc = failed(db, "cover_member", err);
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
	return rc;
}

static int insert_row(sqlite3 *db, const struct cover_row *row, struct err *err)
{
	struct buf options = BUF(16 * MIB);
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	options_json(&row->options, &options);
	if (sqlite3_prepare_v2(db, "insert into cover values (?,?,?,?,?,?,?,?,'done',?,?,?,?)", -1, &s, NULL) != SQLITE_OK) {
		rc = failed(db, "cover", err);
	} else {
		const struct str texts[] = { row->name, row->rule, row->sha256, row->selection, buf_view(&options) };

		sqlite3_bind_int64(s, 1, (sqlite3_int64)row->id);
		for (int i = 0; i < 5; i++)
			if (texts[i].n || i == 1)
				sqlite3_bind_text(s, 2 + i, texts[i].p, (int)texts[i].n, SQLITE_STATIC);
		sqlite3_bind_int64(s, 7, (sqlite3_int64)row->revision);
		sqlite3_bind_int64(s, 8, (sqlite3_int64)time(NULL));
		sqlite3_bind_int64(s, 9, (sqlite3_int64)row->documents);
		sqlite3_bind_int64(s, 10, (sqlite3_int64)row->kept);
		sqlite3_bind_int64(s, 11, (sqlite3_int64)row->lower_bound);
		sqlite3_bind_text(s, 12, row->report.n ? row->report.p : "", (int)row->report.n, SQLITE_STATIC);
		if (sqlite3_step(s) != SQLITE_DONE)
			rc = failed(db, "cover", err);
	}
	sqlite3_finalize(s);
	buf_release(&options);
	return rc;
}

int covers_store(const char *dir, struct cover_row *row, const struct cover_member *members, size_t n, const struct certificate *proof, struct err *err)
{
	struct catalog *c = NULL;
	sqlite3_stmt *s = NULL;
	sqlite3 *db;
	int rc;

	if ((rc = catalog_open(&c, dir, CATALOG_SHARED, NULL, err)) < 0)
		return rc;
	db = catalog_sqlite(c);
	if (sqlite3_exec(db, "begin immediate", NULL, NULL, NULL) != SQLITE_OK) {
		rc = failed(db, "storing the cover", err);
		goto out;
	}
	if (sqlite3_prepare_v2(db, "select max(ifnull((select max(id) from cover), 0), ifnull((select cast(value as integer) from meta where key = 'last_cover'), 0)) + 1",
			       -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		row->id = (uint64_t)sqlite3_column_int64(s, 0);
	else
		rc = failed(db, "cover", err);
	sqlite3_finalize(s);
	if (rc == WN_OK && (rc = write_certificate(dir, row->id, proof, err)) == WN_OK && (rc = insert_row(db, row, err)) == WN_OK)
		rc = insert_members(db, row->id, members, n, err);
	if (rc == WN_OK && sqlite3_exec(db, "commit", NULL, NULL, NULL) != SQLITE_OK)
		rc = failed(db, "storing the cover", err);
	if (rc < 0)
		sqlite3_exec(db, "rollback", NULL, NULL, NULL);
out:
	catalog_close(c);
	return rc;
}

static struct str column(struct arena *a, sqlite3_stmt *s, int i)
{
	return arena_str(a, str_n((const char *)sqlite3_column_text(s, i), (size_t)sqlite3_column_bytes(s, i)));
}

static int read_row(struct arena *a, sqlite3_stmt *s, struct cover_row *o, struct err *err)
{
	int rc;

	*o = (struct cover_row){ .id = (uint64_t)sqlite3_column_int64(s, 0), .name = column(a, s, 1), .rule = column(a, s, 2), .sha256 = column(a, s, 3),
				 .selection = column(a, s, 4), .revision = (uint64_t)sqlite3_column_int64(s, 6), .created = sqlite3_column_int64(s, 7),
				 .documents = (uint64_t)sqlite3_column_int64(s, 8), .kept = (uint64_t)sqlite3_column_int64(s, 9),
				 .lower_bound = (uint64_t)sqlite3_column_int64(s, 10), .report = column(a, s, 11) };
	rc = options_read(a, column(a, s, 5), &o->options, err);
	o->options.rule = o->rule;
	return rc;
}

#define COVER_COLUMNS "id, name, rule, rule_sha256, selection, options, revision, created, documents, kept, lower_bound, report"

int covers_find(struct collection *coll, struct arena *a, const char *name, struct cover_row *out, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;
	int rc, step;

	if (sqlite3_prepare_v2(db, "select " COVER_COLUMNS " from cover where id = ?1 or name = ?2 order by name = ?2 desc, id desc limit 1", -1, &s, NULL) != SQLITE_OK)
		return failed(db, "covers", err);
	sqlite3_bind_int64(s, 1, strspn(name, "0123456789") == strlen(name) ? atoll(name) : -1);
	sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		rc = read_row(a, s, out, err);
	else if (step == SQLITE_DONE)
		rc = err_set(err, WN_NONE, "there is no cover '%s' here; 'winnow covers %s' lists them", name, catalog_dir(coll->catalog));
	else
		rc = failed(db, "covers", err);
	sqlite3_finalize(s);
	return rc;
}

int covers_each(struct collection *coll, int (*each)(void *context, const struct cover_row *row), void *context, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	if (sqlite3_prepare_v2(db, "select " COVER_COLUMNS " from cover order by id", -1, &s, NULL) != SQLITE_OK)
		return failed(db, "covers", err);
	while (rc == WN_OK && sqlite3_step(s) == SQLITE_ROW) {
		struct arena a = { 0 };
		struct cover_row row;

		if ((rc = read_row(&a, s, &row, err)) == WN_OK)
			rc = each(context, &row);
		arena_release(&a);
	}
	sqlite3_finalize(s);
	return rc;
}

static void read_member(sqlite3_stmt *s, struct cover_member *m)
{
	*m = (struct cover_member){ .id = (uint64_t)sqlite3_column_int64(s, 0), .kept = sqlite3_column_int(s, 1) != 0,
				    .witness = (uint64_t)sqlite3_column_int64(s, 2), .shared = (uint64_t)sqlite3_column_int64(s, 3),
				    .size = (uint64_t)sqlite3_column_int64(s, 4), .witness_size = (uint64_t)sqlite3_column_int64(s, 5) };
}

int covers_members(struct collection *coll, struct arena *a, uint64_t cover, struct cover_member **out, size_t *n, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;
	VEC(struct cover_member) all = { 0 };

	if (sqlite3_prepare_v2(db, "select capture, kept, witness, shared, size, witness_size from cover_member where cover = ? order by capture", -1, &s, NULL) != SQLITE_OK)
		return failed(db, "cover_member", err);
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	while (sqlite3_step(s) == SQLITE_ROW)
		read_member(s, vec_add(&all));
	sqlite3_finalize(s);
	*out = ARENA_ARRAY(a, struct cover_member, all.n + 1);
	if (all.n)
		memcpy(*out, all.p, all.n * sizeof **out);
	*n = all.n;
	vec_release(&all);
	return WN_OK;
}

int covers_member(struct collection *coll, uint64_t cover, uint64_t capture, struct cover_member *out, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;
	int rc = WN_OK, step;

	if (sqlite3_prepare_v2(db, "select capture, kept, witness, shared, size, witness_size from cover_member where cover = ? and capture = ?", -1, &s, NULL) != SQLITE_OK)
		return failed(db, "cover_member", err);
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	sqlite3_bind_int64(s, 2, (sqlite3_int64)capture);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		read_member(s, out);
	else
		rc = err_set(err, WN_NONE, "document %" PRIu64 " is not among the documents of this cover: its selection left it out", capture);
	sqlite3_finalize(s);
	return rc;
}

int covers_certificate(struct collection *coll, struct arena *a, uint64_t cover, struct certificate *out, struct err *err)
{
	const char *path = run_path(catalog_dir(coll->catalog), a, cover);
	struct str bytes;
	int rc;

	if ((rc = os_slurp(a, path, 4 * GIB, &bytes, err)) < 0)
		return rc;
	rc = certificate_read(a, bytes, out, err);
	return rc < 0 ? err_in(err, "%s", path) : rc;
}

int covers_remove(const char *dir, uint64_t cover, struct err *err)
{
	struct catalog *c = NULL;
	struct arena a = { 0 };
	char sql[400];
	int rc;

	if ((rc = catalog_open(&c, dir, CATALOG_SHARED, NULL, err)) < 0)
		return rc;
	snprintf(sql, sizeof sql,
		 "begin immediate; insert or replace into meta select 'last_cover', max(max(id), ifnull((select cast(value as integer) from meta where key = 'last_cover'), 0)) "
		 "from cover; delete from cover_member where cover = %" PRIu64 "; delete from cover where id = %" PRIu64 "; commit", cover, cover);
	if (sqlite3_exec(catalog_sqlite(c), sql, NULL, NULL, NULL) != SQLITE_OK) {
		rc = failed(catalog_sqlite(c), "removing the cover", err);
		sqlite3_exec(catalog_sqlite(c), "rollback", NULL, NULL, NULL);
	} else {
		rc = os_unlink(run_path(dir, &a, cover), err);
	}
	catalog_close(c);
	arena_release(&a);
	return rc;
}

static const char *text_or_null(struct arena *a, struct str s) { return s.n ? arena_strz(a, s) : NULL; }

struct run_request covers_request(struct arena *a, const struct cover_row *row)
{
	const struct cover_options *o = &row->options;
	const char **keep = ARENA_ARRAY(a, const char *, o->n_keep + 1);

	for (size_t i = 0; i < o->n_keep; i++)
		keep[i] = arena_printf(a, "%" PRIu64, o->keep[i]).p;
	return (struct run_request){ .rule = row->rule, .where = text_or_null(a, o->where), .per = text_or_null(a, o->per), .keep_at_least = o->keep_at_least,
				     .prefer = text_or_null(a, o->prefer), .keep = keep, .n_keep = o->n_keep, .min_versions = o->min_versions };
}
