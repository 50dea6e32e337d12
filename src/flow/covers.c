/* flow/covers.c -- see covers.h. */
#include "flow/covers.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/os.h"
#include "flow/covers_rows.h"

static int failed(sqlite3 *db, const char *what, struct err *err)
{
	return err_set(err, WN_CATALOG, "%s: %s", what, sqlite3_errmsg(db));
}

static void options_json(const struct cover_options *o, struct buf *out)
{
	struct json j = { .out = out, .spaced = true };

	json_open(&j, '{');
	if (o->where.n)
		json_put_str(&j, "where", o->where);
	if (o->per.n) {
		json_put_str(&j, "per", o->per);
		json_put_u64(&j, "keep_at_least", o->keep_at_least);
	}
	if (o->prefer.n)
		json_put_str(&j, "prefer", o->prefer);
	if (o->min_versions)
		json_put_u64(&j, "min_versions", o->min_versions);
	if (o->approx)
		json_put_bool(&j, "approx", true);
	if (o->n_keep) {
		json_put_open(&j, "keep", '[');
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
	o->approx = json_get(v, "approx") != NULL;
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

/* Files of a cover; revision 0: as it was first made. */
static const char *run_path(const char *dir, struct arena *a, uint64_t cover, uint64_t revision, const char *ending)
{
	if (revision)
		return arena_printf(a, "%s/runs/%06" PRIu64 "-r%" PRIu64 ".%s", dir, cover, revision, ending).p;
	return arena_printf(a, "%s/runs/%06" PRIu64 ".%s", dir, cover, ending).p;
}

/* The cover's own files, those of `revision` left out, and the members of the revision before, `was`: somebody may be
 * reading them.  All when it is UINT64_MAX. */
static int remove_files(const char *dir, uint64_t cover, uint64_t revision, uint64_t was, struct err *err)
{
	struct arena a = { 0 };
	const char *runs = arena_printf(&a, "%s/runs", dir).p, *before = run_path(dir, &a, cover, was, "members");
	struct str plain = arena_printf(&a, "%06" PRIu64 ".", cover),
		   later = arena_printf(&a, "%06" PRIu64 "-r", cover),
		   now = arena_printf(&a, "%06" PRIu64 "-r%" PRIu64 ".", cover, revision), *names;
	size_t n;
	int rc = os_list(&a, runs, "", &names, &n, err);

	if (access(before, F_OK) != 0)
		before = run_path(dir, &a, cover, 0, "members");
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		const char *path = arena_printf(&a, "%s/%.*s", runs, STR_FMT(names[i])).p;

		if ((str_starts(names[i], plain) || str_starts(names[i], later)) && !str_starts(names[i], now) &&
		    (revision == UINT64_MAX || strcmp(path, before) != 0))
			rc = os_unlink(path, err);
	}
	arena_release(&a);
	return rc;
}

static const char *index_path(const char *dir, struct arena *a, uint64_t cover, uint64_t revision, unsigned disjunct,
			      unsigned added)
{
	struct str ending =
	    added ? arena_printf(a, "postings%u+%u", disjunct, added) : arena_printf(a, "postings%u", disjunct);

	return run_path(dir, a, cover, revision, ending.p);
}

/* Files of an index by the cover's name; where links cannot be made there is no index. */
static void link_index(const char *dir, struct arena *a, const struct cover_row *row, uint64_t revision)
{
	for (unsigned i = 0; i < row->n_index; i++) {
		const struct cover_index *x = &row->index[i];
		const char *to = index_path(dir, a, row->id, revision, x->disjunct, x->added);

		if (strcmp(x->path, to) != 0)
			os_link(x->path, to, NULL);
	}
}

/* members: NULL where they are rows. */
static int write_files(const char *dir, const struct cover_row *row, uint64_t revision,
		       const struct member_list *members, const struct certificate *proof,
		       const struct run_state *state, struct err *err)
{
	uint64_t cover = row->id;
	struct arena a = { 0 };
	struct buf bytes = BUF(4 * GIB);
	int rc;

	if ((rc = os_mkdir(arena_printf(&a, "%s/runs", dir).p, err)) < 0)
		goto out;
	if (!certificate_write(proof, &bytes)) {
		rc = err_set(err, WN_LIMIT, "the certificate is larger than %zu bytes", bytes.max);
		goto out;
	}
	if (members &&
	    (rc = memberfile_write(members, row->revision, run_path(dir, &a, cover, revision, "members"), err)) < 0)
		goto out;
	if ((rc = os_store(run_path(dir, &a, cover, revision, "seg"), buf_view(&bytes), err)) < 0 || !state)
		goto out;
	link_index(dir, &a, row, revision);
	rc = state_write(state, !members, run_path(dir, &a, cover, revision, "state"), err);
out:
	buf_release(&bytes);
	arena_release(&a);
	return rc;
}

/* The bytes of a file of the cover as it stands at its revision. */
static int slurp(const char *dir, struct arena *a, uint64_t cover, uint64_t revision, const char *ending,
		 struct str *out, const char **path, struct err *err)
{
	struct err ignored = { 0 };

	*path = run_path(dir, a, cover, revision, ending);
	if (os_slurp(a, *path, 4 * GIB, out, &ignored) == WN_OK)
		return WN_OK;
	*path = run_path(dir, a, cover, 0, ending);
	return os_slurp(a, *path, 4 * GIB, out, err);
}

static int insert_row(sqlite3 *db, const struct cover_row *row, struct err *err)
{
	struct buf options = BUF(16 * MIB), report = BUF(64 * MIB);
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	options_json(&row->options, &options);
	row->describe(row->described, row->id, &report);
	if (sqlite3_prepare_v2(db, "insert into cover values (?,?,?,?,?,?,?,?,'done',?,?,?,?)", -1, &s, NULL) !=
	    SQLITE_OK) {
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
		sqlite3_bind_text(s, 12, report.n ? report.p : "", (int)report.n, SQLITE_STATIC);
		if (sqlite3_step(s) != SQLITE_DONE)
			rc = failed(db, "cover", err);
	}
	sqlite3_finalize(s);
	buf_release(&options);
	buf_release(&report);
	return rc;
}

static int next_id(sqlite3 *db, uint64_t *id, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	if (sqlite3_prepare_v2(
		db,
		"select max(ifnull((select max(id) from cover), 0), ifnull((select cast(value as integer) from meta where key = 'last_cover'), 0)) + 1",
		-1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		*id = (uint64_t)sqlite3_column_int64(s, 0);
	else
		rc = failed(db, "cover", err);
	sqlite3_finalize(s);
	return rc;
}

static int delete_row(sqlite3 *db, uint64_t cover, struct err *err)
{
	char sql[80];

	snprintf(sql, sizeof sql, "delete from cover where id = %" PRIu64, cover);
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? WN_OK : failed(db, "cover", err);
}

/* The revision that a cover is of in the catalogue; UINT64_MAX when it is not there. */
static uint64_t stored_revision(sqlite3 *db, uint64_t cover)
{
	uint64_t revision = UINT64_MAX;
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(db, "select revision from cover where id = ?", -1, &s, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
		if (sqlite3_step(s) == SQLITE_ROW)
			revision = (uint64_t)sqlite3_column_int64(s, 0);
	}
	sqlite3_finalize(s);
	return revision;
}

int covers_name_check(struct str name, struct err *err)
{
	uint64_t number;

	if (name.n && str_u64(name, &number))
		return err_set(err, WN_USAGE,
			       "'%.*s' is a number, which names a cover by its id; give a name with letters",
			       STR_FMT(name));
	return WN_OK;
}

/* Taken by a cover of another rule, selection or revision; the same command again may have its name again. */
static int name_is_free(sqlite3 *db, const struct cover_row *row, struct err *err)
{
	struct str name = row->name;
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	if (sqlite3_prepare_v2(
		db,
		"select id from cover where name = ?1 and id <> ?5 and (rule_sha256 <> ?2 or ifnull(selection, '') <> ?3 or revision <> ?4)",
		-1, &s, NULL) != SQLITE_OK)
		return failed(db, "cover", err);
	sqlite3_bind_text(s, 1, name.p, (int)name.n, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, row->sha256.p, (int)row->sha256.n, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, row->selection.n ? row->selection.p : "", (int)row->selection.n, SQLITE_STATIC);
	sqlite3_bind_int64(s, 4, (sqlite3_int64)row->revision);
	sqlite3_bind_int64(s, 5, (sqlite3_int64)row->id);
	if (sqlite3_step(s) == SQLITE_ROW)
		rc = err_set(
		    err, WN_USAGE,
		    "cover %lld is called '%.*s' already; give another --name, or remove it with 'winnow cover rm'",
		    (long long)sqlite3_column_int64(s, 0), STR_FMT(name));
	if (sqlite3_finalize(s) != SQLITE_OK && rc == WN_OK)
		rc = failed(db, "covers", err);
	return rc;
}

/* In the transaction: what is of the cover before goes, and there is an id. */
static int make_way(sqlite3 *db, struct cover_row *row, bool *rows, struct err *err)
{
	int rc = WN_OK;

	if (row->patch && stored_revision(db, row->id) != row->was_revision)
		return err_set(err, WN_CATALOG, "the cover was changed or removed meanwhile; nothing was stored");
	if (!row->id)
		rc = next_id(db, &row->id, err);
	else if ((rc = delete_row(db, row->id, err)) == WN_OK && *rows)
		rc = row->patch ? rows_delete(db, row->id, row->gone, row->n_gone, err)
				: rows_delete_all(db, row->id, err);
	if (rc == WN_OK && *rows && !row->patch)
		rc = rows_leave(db, rows, err);
	return rc == WN_OK && row->name.n ? name_is_free(db, row, err) : rc;
}

int covers_store(const char *dir, struct cover_row *row, const struct member_list *members,
		 const struct certificate *proof, const struct run_state *state, const struct covers_commit *commit,
		 struct err *err)
{
	struct catalog *c = NULL;
	bool replaces = row->id != 0, rows;
	uint64_t was;
	sqlite3 *db;
	int rc;

	if ((rc = catalog_open(&c, dir, CATALOG_SHARED, NULL, err)) < 0)
		return rc;
	db = catalog_sqlite(c);
	if (sqlite3_exec(db, "begin immediate", NULL, NULL, NULL) != SQLITE_OK) {
		rc = failed(db, "storing the cover", err);
		goto out;
	}
	rows = rows_here(db);
	was = replaces ? stored_revision(db, row->id) : 0;
	if ((rc = make_way(db, row, &rows, err)) == WN_OK &&
	    (rc = write_files(dir, row, replaces ? row->revision : 0, rows ? NULL : members, proof, state, err)) ==
		WN_OK &&
	    (rc = insert_row(db, row, err)) == WN_OK && rows)
		rc = rows_insert(db, row, members, err);
	if (rc == WN_OK && commit)
		rc = commit->run(commit->context, db, row->id, err);
	if (rc == WN_OK && sqlite3_exec(db, "commit", NULL, NULL, NULL) != SQLITE_OK)
		rc = failed(db, "storing the cover", err);
	if (rc < 0)
		sqlite3_exec(db, "rollback", NULL, NULL, NULL);
	else if (replaces)
		rc = remove_files(dir, row->id, row->revision, was, err);
out:
	catalog_close(c);
	return rc;
}

int covers_commit(const char *dir, uint64_t cover, const struct covers_commit *commit, struct err *err)
{
	struct catalog *c = NULL;
	sqlite3 *db;
	int rc;

	if ((rc = catalog_open(&c, dir, CATALOG_SHARED, NULL, err)) < 0)
		return rc;
	db = catalog_sqlite(c);
	if (sqlite3_exec(db, "begin immediate", NULL, NULL, NULL) != SQLITE_OK ||
	    ((rc = commit->run(commit->context, db, cover, err)) == WN_OK &&
	     sqlite3_exec(db, "commit", NULL, NULL, NULL) != SQLITE_OK))
		rc = failed(db, "storing the cover", err);
	if (rc < 0)
		sqlite3_exec(db, "rollback", NULL, NULL, NULL);
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

	*o = (struct cover_row){ .id = (uint64_t)sqlite3_column_int64(s, 0),
				 .name = column(a, s, 1),
				 .rule = column(a, s, 2),
				 .sha256 = column(a, s, 3),
				 .selection = column(a, s, 4),
				 .revision = (uint64_t)sqlite3_column_int64(s, 6),
				 .created = sqlite3_column_int64(s, 7),
				 .documents = (uint64_t)sqlite3_column_int64(s, 8),
				 .kept = (uint64_t)sqlite3_column_int64(s, 9),
				 .lower_bound = (uint64_t)sqlite3_column_int64(s, 10),
				 .report = column(a, s, 11) };
	rc = options_read(a, column(a, s, 5), &o->options, err);
	o->options.rule = o->rule;
	return rc;
}

#define COVER_COLUMNS \
	"id, name, rule, rule_sha256, selection, options, revision, created, documents, kept, lower_bound, report"

int covers_find(struct collection *coll, struct arena *a, const char *name, struct cover_row *out, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;
	int64_t number;
	int rc, step;

	if (!str_i64(str(name), &number))
		number = -1;
	if (sqlite3_prepare_v2(db,
			       "select " COVER_COLUMNS
			       " from cover where id = ?1 or name = ?2 order by name = ?2 desc, id desc limit 1",
			       -1, &s, NULL) != SQLITE_OK)
		return failed(db, "covers", err);
	sqlite3_bind_int64(s, 1, number);
	sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		rc = read_row(a, s, out, err);
	else if (step == SQLITE_DONE)
		rc = err_set(err, WN_NONE, "there is no cover '%s' here; 'winnow covers %s' lists them", name,
			     catalog_dir(coll->catalog));
	else
		rc = failed(db, "covers", err);
	sqlite3_finalize(s);
	return rc;
}

int covers_each(struct collection *coll, int (*each)(void *context, const struct cover_row *row), void *context,
		struct err *err)
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
	if (sqlite3_finalize(s) != SQLITE_OK && rc == WN_OK)
		rc = failed(db, "covers", err);
	return rc;
}

void covers_read_member(sqlite3_stmt *s, struct cover_member *m)
{
	*m = (struct cover_member){ .id = (uint64_t)sqlite3_column_int64(s, 0),
				    .kept = sqlite3_column_int(s, 1) != 0,
				    .witness = (uint64_t)sqlite3_column_int64(s, 2),
				    .shared = (uint64_t)sqlite3_column_int64(s, 3),
				    .size = (uint64_t)sqlite3_column_int64(s, 4),
				    .witness_size = (uint64_t)sqlite3_column_int64(s, 5) };
}

int covers_members(struct collection *coll, struct arena *a, uint64_t cover, struct cover_member **out, size_t *n,
		   struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;
	VEC(struct cover_member) all = { 0 };

	if (sqlite3_prepare_v2(
		db,
		"select capture, kept, witness, shared, size, witness_size from cover_member where cover = ? order by capture",
		-1, &s, NULL) != SQLITE_OK)
		return failed(db, "cover_member", err);
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	while (sqlite3_step(s) == SQLITE_ROW)
		covers_read_member(s, vec_add(&all));
	if (sqlite3_finalize(s) != SQLITE_OK) {
		vec_release(&all);
		return failed(db, "cover_member", err);
	}
	*out = ARENA_ARRAY(a, struct cover_member, all.n + 1);
	if (all.n)
		memcpy(*out, all.p, all.n * sizeof **out);
	*n = all.n;
	vec_release(&all);
	return WN_OK;
}

int covers_members_as_stored(struct collection *coll, struct arena *a, const struct cover_row *row,
			     struct cover_member **out, size_t *n, struct err *err)
{
	const char *dir = catalog_dir(coll->catalog);
	const struct member_list *m;
	struct memberfile f = { 0 };
	struct err ignored = { 0 };
	int rc = WN_NONE;

	if (!rows_here(catalog_sqlite(coll->catalog)) &&
	    (rc = memberfile_read(&f, run_path(dir, a, row->id, row->revision, "members"), row->revision, &ignored)) <
		0 &&
	    rc != WN_DATA)
		rc = memberfile_read(&f, run_path(dir, a, row->id, 0, "members"), row->revision, &ignored);
	if (rc < 0) /* they are rows, or what is wrong is told as to everybody else */
		return covers_members(coll, a, row->id, out, n, err);
	m = &f.list;
	*n = m->n;
	*out = ARENA_ARRAY(a, struct cover_member, *n + 1);
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t w = m->witness[i];
		bool kept = w == MEMBER_KEPT;

		(*out)[i] = (struct cover_member){ .id = m->id[i],
						   .kept = kept,
						   .witness = kept	 ? 0
							      : w < m->n ? m->id[w]
									 : UINT64_MAX,
						   .shared = kept ? 0 : m->shared[i],
						   .size = kept ? 0 : m->size[i],
						   .witness_size = !kept && w < m->n ? m->size[w] : 0 };
	}
	memberfile_close(&f);
	return WN_OK;
}

int covers_member(struct collection *coll, uint64_t cover, uint64_t capture, struct cover_member *out, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;
	int rc = WN_OK, step;

	if (sqlite3_prepare_v2(
		db,
		"select capture, kept, witness, shared, size, witness_size from cover_member where cover = ? and capture = ?",
		-1, &s, NULL) != SQLITE_OK)
		return failed(db, "cover_member", err);
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	sqlite3_bind_int64(s, 2, (sqlite3_int64)capture);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		covers_read_member(s, out);
	else if (step == SQLITE_DONE)
		rc = err_set(err, WN_NONE,
			     "document %" PRIu64 " is not among the documents of this cover: its selection left it out",
			     capture);
	else
		rc = failed(db, "cover_member", err);
	sqlite3_finalize(s);
	return rc;
}

static int revision_of(struct collection *coll, uint64_t cover, uint64_t *revision, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;

	*revision = 0;
	if (sqlite3_prepare_v2(db, "select revision from cover where id = ?", -1, &s, NULL) != SQLITE_OK)
		return failed(db, "cover", err);
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	if (sqlite3_step(s) == SQLITE_ROW)
		*revision = (uint64_t)sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return WN_OK;
}

int covers_certificate(struct collection *coll, struct arena *a, uint64_t cover, struct certificate *out,
		       struct err *err)
{
	const char *path;
	uint64_t revision;
	struct str bytes;
	int rc;

	if ((rc = revision_of(coll, cover, &revision, err)) < 0 ||
	    (rc = slurp(catalog_dir(coll->catalog), a, cover, revision, "seg", &bytes, &path, err)) < 0)
		return rc;
	rc = certificate_read(a, bytes, out, err);
	return rc < 0 ? err_in(err, "%s", path) : rc;
}

int covers_state(struct collection *coll, const struct cover_row *row, struct run_state *out, struct err *err)
{
	const char *dir = catalog_dir(coll->catalog);
	struct err ignored = { 0 };
	struct arena a = { 0 };
	uint64_t revision = row->revision;
	int rc = state_read(out, run_path(dir, &a, row->id, revision, "state"), &ignored);

	if (rc < 0 && rc != WN_DATA) {
		revision = 0; /* as it was first made */
		rc = access(run_path(dir, &a, row->id, 0, "state"), F_OK) == 0
			 ? state_read(out, run_path(dir, &a, row->id, 0, "state"), &ignored)
			 : err_set(&ignored, WN_NONE,
				   "nothing was kept to go on from: its pairs were too many, or runs/ was emptied");
	}
	if (rc == WN_OK && !out->id)
		rc = state_join(out, run_path(dir, &a, row->id, revision, "members"), &ignored);
	if (rc < 0 && err)
		*err = ignored;
	arena_release(&a);
	return rc;
}

const char *covers_index(struct collection *coll, struct arena *a, const struct cover_row *row, unsigned disjunct,
			 unsigned added)
{
	const char *dir = catalog_dir(coll->catalog),
		   *path = index_path(dir, a, row->id, row->revision, disjunct, added);

	if (access(path, R_OK) == 0)
		return path;
	path = index_path(dir, a, row->id, 0, disjunct, added);
	return access(path, R_OK) == 0 ? path : NULL;
}

int covers_remove(const char *dir, uint64_t cover, struct err *err)
{
	struct catalog *c = NULL;
	sqlite3 *db;
	int rc;

	if ((rc = catalog_open(&c, dir, CATALOG_SHARED, NULL, err)) < 0)
		return rc;
	db = catalog_sqlite(c);
	if (sqlite3_exec(
		db,
		"begin immediate; insert or replace into meta select 'last_cover', max(max(id), ifnull((select cast(value as integer) from meta where key = 'last_cover'), 0)) "
		"from cover",
		NULL, NULL, NULL) != SQLITE_OK)
		rc = failed(db, "removing the cover", err);
	if (rc == WN_OK && rows_here(db))
		rc = rows_delete_all(db, cover, err);
	if (rc == WN_OK && (rc = delete_row(db, cover, err)) == WN_OK &&
	    sqlite3_exec(db, "commit", NULL, NULL, NULL) != SQLITE_OK)
		rc = failed(db, "removing the cover", err);
	if (rc < 0)
		sqlite3_exec(db, "rollback", NULL, NULL, NULL);
	else
		rc = remove_files(dir, cover, UINT64_MAX, 0, err);
	catalog_close(c);
	return rc;
}

static const char *text_or_null(struct arena *a, struct str s) { return s.n ? arena_strz(a, s) : NULL; }

struct run_request covers_request(struct arena *a, const struct cover_row *row)
{
	const struct cover_options *o = &row->options;
	const char **keep = ARENA_ARRAY(a, const char *, o->n_keep + 1);

	for (size_t i = 0; i < o->n_keep; i++)
		keep[i] = arena_printf(a, "%" PRIu64, o->keep[i]).p;
	return (struct run_request){ .rule = row->rule,
				     .where = text_or_null(a, o->where),
				     .per = text_or_null(a, o->per),
				     .keep_at_least = o->keep_at_least,
				     .prefer = text_or_null(a, o->prefer),
				     .keep = keep,
				     .n_keep = o->n_keep,
				     .min_versions = o->min_versions };
}
