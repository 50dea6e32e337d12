/* flow/import.c -- see import.h. */
#include "flow/import.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>

#include "archive/cdx.h"
#include "base/task.h"
#include "archive/coding.h"
#include "archive/psl.h"
#include "archive/stamp.h"
#include "archive/surt.h"
#include "archive/url.h"
#include "base/csv.h"
#include "base/limits.h"
#include "base/os.h"
#include "base/progress.h"
#include "base/vec.h"
#include "flow/batch.h"
#include "flow/inputs.h"
#include "rule/rule.h"

/* ---- attributes ---- */

#define NUMBER_DIGITS 15 /* that a number keeps, whatever they are */

struct attribute {
	char *name;
	enum value_type type; /* narrowed as values are seen */
	bool any;
};

struct table {
	struct attribute *columns;
	size_t n, key; /* key: which column */
	const char *by;
};

static int head(struct csv *c, struct arena *a, struct table *t, struct err *err)
{
	static const char *const keys[] = { "url", "urlkey", "host", "id" }, *const words[] = {
		"and", "or", "not", "in", "true", "false"
	};
	int rc;

	if ((rc = csv_next(c, err)) != WN_OK)
		return rc < 0 ? rc : err_set(err, WN_USAGE, "the file is empty; its first line must name the columns");
	t->n = c->cells.n;
	t->columns = arena_zalloc(a, t->n * sizeof *t->columns);
	for (size_t i = 0; i < t->n; i++) {
		struct str name = str_trim(c->cells.p[i]);

		if (i == 0 && str_starts(name, STR("\xef\xbb\xbf")))
			name = str_sub(name, 3, name.n);
		t->columns[i] = (struct attribute){ arena_strz(a, name), TYPE_NUMBER, false };
		for (size_t k = 0; k < COUNT(keys) && !t->by; k++)
			if (str_eq(name, str(keys[k]))) {
				t->by = keys[k];
				t->key = i;
			}
	}
	if (!t->by)
		return err_set(err, WN_USAGE,
			       "no column is called url, urlkey, host or id, so rows cannot be told apart");
	if (t->n < 2)
		return err_set(err, WN_USAGE, "beside the key there is no column to import");
	for (size_t i = 0; i < t->n; i++) {
		const char *name = t->columns[i].name;

		if (i == t->key)
			continue;
		if (!name[0] ||
		    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != strlen(name) ||
		    ascii_digit(name[0]))
			return err_set(
			    err, WN_USAGE,
			    "'%s' cannot be an attribute's name: letters, digits, - and _, not beginning with a digit",
			    name);
		for (size_t k = 0; k < COUNT(words); k++)
			if (str_ieq(str(name), str(words[k])))
				return err_set(
				    err, WN_USAGE,
				    "'%s' is a word of the rule language, so no rule could name the attribute; give the column another name",
				    name);
		if (attr_find(str(name)) >= 0)
			return err_set(err, WN_USAGE,
				       "'%s' is an attribute that every document has; give the column another name",
				       name);
	}
	return WN_OK;
}

/* A code is no number: a zero in front (007, a postal code), or more digits than a number keeps. */
static bool is_number(struct str v, double *d)
{
	struct str s = str_sub(v, v.n && v.p[0] == '-', v.n);
	size_t digits = 0;

	for (size_t i = 0; i < s.n && s.p[i] != 'e' && s.p[i] != 'E'; i++)
		digits += ascii_digit(s.p[i]) && (digits || s.p[i] != '0');
	if (digits > NUMBER_DIGITS || (s.n > 1 && s.p[0] == '0' && ascii_digit(s.p[1])) || (s.n && s.p[0] == '+'))
		return false;
	return str_double(v, d);
}

/* Nor is one a date of which no calendar knows the day, or that goes on behind it. */
static bool is_time(struct str v, struct stamp *t)
{
	return v.n >= 4 && ascii_digit(v.p[0]) && str_chr(v, '-') > 0 && stamp_parse(v, t) && !t->clipped && !t->unread;
}

static void narrow(struct attribute *a, struct str v)
{
	struct stamp t;
	double d;

	if (v.n == 0)
		return;
	if (a->any && a->type == TYPE_NUMBER && !is_number(v, &d))
		a->type = TYPE_TEXT; /* times and numbers in one column are texts */
	else if (!a->any)
		a->type = is_number(v, &d) ? TYPE_NUMBER : TYPE_TIME;
	if (a->type == TYPE_TIME && !is_time(v, &t))
		a->type = TYPE_TEXT;
	a->any = true;
}

static int sql_failed(sqlite3 *db, struct err *err)
{
	return err_set(err, WN_CATALOG, "attributes: %s", sqlite3_errmsg(db));
}

/* Earlier collections have a column of values that makes numbers of texts that look like some. */
static int keep_texts(sqlite3 *db, struct err *err)
{
	static const char sql[] =
	    "create temp table attribute_before as select * from attribute_value; drop table attribute_value;"
	    "create table attribute_value (attribute integer not null, key any not null, value blob, primary key (attribute, key)) without rowid;"
	    "insert into attribute_value select * from attribute_before; drop table attribute_before";
	sqlite3_stmt *s = NULL;
	bool old;

	if (sqlite3_prepare_v2(
		db,
		"select 1 from pragma_table_info('attribute_value') where name = 'value' and type = 'ANY' collate nocase",
		-1, &s, NULL) != SQLITE_OK)
		return sql_failed(db, err);
	old = sqlite3_step(s) == SQLITE_ROW;
	sqlite3_finalize(s);
	return !old || sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? WN_OK : sql_failed(db, err);
}

/* The attribute's row, made or made anew; its old values go. */
static int attribute_row(sqlite3 *db, const struct attribute *a, const char *by, sqlite3_int64 *id, struct err *err)
{
	static const char *const names[] = { [TYPE_NUMBER] = "number", [TYPE_TEXT] = "text", [TYPE_TIME] = "time" };
	sqlite3_stmt *s = NULL;
	int ok;

	if (sqlite3_prepare_v2(
		db,
		"insert into attribute (name, type, by) values (?1,?2,?3) on conflict (name) do update set type = ?2, by = ?3 returning id",
		-1, &s, NULL) != SQLITE_OK)
		return sql_failed(db, err);
	sqlite3_bind_text(s, 1, a->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, a->any ? names[a->type] : "text", -1, SQLITE_STATIC);
	sqlite3_bind_text(s, 3, by, -1, SQLITE_STATIC);
	ok = sqlite3_step(s) == SQLITE_ROW;
	*id = ok ? sqlite3_column_int64(s, 0) : 0;
	while (ok && sqlite3_step(s) == SQLITE_ROW)
		;
	sqlite3_finalize(s);
	if (!ok || sqlite3_prepare_v2(db, "delete from attribute_value where attribute = ?", -1, &s, NULL) != SQLITE_OK)
		return sql_failed(db, err);
	sqlite3_bind_int64(s, 1, *id);
	ok = sqlite3_step(s) == SQLITE_DONE;
	sqlite3_finalize(s);
	return ok ? WN_OK : sql_failed(db, err);
}

static void bind_value(sqlite3_stmt *s, int i, enum value_type type, struct str v)
{
	struct stamp t;
	double d;

	if (type == TYPE_NUMBER && is_number(v, &d) && d == trunc(d))
		sqlite3_bind_int64(s, i, (sqlite3_int64)d);
	else if (type == TYPE_NUMBER && is_number(v, &d))
		sqlite3_bind_double(s, i, d);
	else if (type == TYPE_TIME && is_time(v, &t))
		sqlite3_bind_int64(s, i, t.time);
	else
		sqlite3_bind_text(s, i, v.p, (int)v.n, SQLITE_STATIC);
}

static int insert_values(sqlite3 *db, struct csv *c, const struct table *t, const sqlite3_int64 *ids,
			 struct import_report *out, struct err *err)
{
	/* hosts lie in the catalogue in lower case, however people write them */
	const char *insert = strcmp(t->by, "host") == 0 ? "insert or replace into attribute_value values (?,lower(?),?)"
							: "insert or replace into attribute_value values (?,?,?)";
	sqlite3_stmt *s = NULL;
	int rc;

	if (sqlite3_prepare_v2(db, insert, -1, &s, NULL) != SQLITE_OK)
		return sql_failed(db, err);
	while ((rc = csv_next(c, err)) == WN_OK) {
		if (c->cells.n == 1 && c->cells.p[0].n == 0)
			continue;
		if (c->cells.n != t->n) {
			if (!out->skipped++)
				snprintf(out->first_skipped, sizeof out->first_skipped,
					 "line %" PRIu64 " has %zu cells where the first line has %zu", c->line,
					 c->cells.n, t->n);
			continue;
		}
		out->rows++;
		for (size_t i = 0; i < t->n && rc == WN_OK; i++) {
			if (i == t->key || c->cells.p[i].n == 0)
				continue;
			sqlite3_bind_int64(s, 1, ids[i]);
			sqlite3_bind_text(s, 2, c->cells.p[t->key].p, (int)c->cells.p[t->key].n, SQLITE_STATIC);
			bind_value(s, 3, t->columns[i].type, c->cells.p[i]);
			if (sqlite3_step(s) != SQLITE_DONE)
				rc = sql_failed(db, err);
			sqlite3_reset(s);
		}
	}
	sqlite3_finalize(s);
	return rc < 0 ? rc : WN_OK;
}

/* How many of the keys just imported no capture has. */
static int count_unmatched(sqlite3 *db, const struct table *t, sqlite3_int64 attribute, uint64_t *out, struct err *err)
{
	static const struct {
		const char *by, *sql;
	} forms[] = {
		{ "url",
		  "select count(*) from attribute_value where attribute = ? and key not in (select url from capture)" },
		{ "urlkey",
		  "select count(*) from attribute_value where attribute = ? and key not in (select urlkey from capture)" },
		{ "host",
		  "select count(*) from attribute_value where attribute = ? and key not in (select name from host)" },
		{ "id",
		  "select count(*) from attribute_value where attribute = ? and key not in (select cast(id as text) from capture)" },
	};
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	for (size_t i = 0; i < COUNT(forms) && rc == WN_OK; i++) {
		if (strcmp(forms[i].by, t->by) != 0)
			continue;
		if (sqlite3_prepare_v2(db, forms[i].sql, -1, &s, NULL) != SQLITE_OK)
			return sql_failed(db, err);
		sqlite3_bind_int64(s, 1, attribute);
		if (sqlite3_step(s) == SQLITE_ROW)
			*out = (uint64_t)sqlite3_column_int64(s, 0);
		else
			rc = sql_failed(db, err);
		sqlite3_finalize(s);
	}
	return rc;
}

int import_attributes(struct collection *coll, const char *path, struct import_report *out, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	struct os_map map = { 0 };
	struct csv c = { 0 };
	struct arena a = { 0 };
	struct table t = { 0 };
	sqlite3_int64 *ids;
	int rc;

	*out = (struct import_report){ 0 };
	if ((rc = os_map(&map, path, err)) < 0)
		return rc;
	c.rest = str_n((const char *)map.p, map.n);
	if ((rc = head(&c, &a, &t, err)) < 0)
		goto out;
	while ((rc = csv_next(&c, err)) == WN_OK) /* the types first */
		for (size_t i = 0; c.cells.n == t.n && i < t.n; i++)
			narrow(&t.columns[i], c.cells.p[i]);
	if (rc < 0)
		goto out;
	c.rest = str_n((const char *)map.p, map.n);
	c.line = c.lines = 0;
	csv_next(&c, err);
	ids = ARENA_ARRAY(&a, sqlite3_int64, t.n);
	if (sqlite3_exec(db, "begin immediate", NULL, NULL, NULL) != SQLITE_OK) {
		rc = sql_failed(db, err);
		goto out;
	}
	rc = keep_texts(db, err);
	for (size_t i = 0; i < t.n && rc == WN_OK; i++)
		if (i != t.key) {
			rc = attribute_row(db, &t.columns[i], t.by, &ids[i], err);
			out->attributes++;
		}
	if (rc == WN_OK)
		rc = insert_values(db, &c, &t, ids, out, err);
	for (size_t i = 0; i < t.n && rc == WN_OK; i++) {
		uint64_t n = 0;

		if (i != t.key && (rc = count_unmatched(db, &t, ids[i], &n, err)) == WN_OK && n > out->unmatched)
			out->unmatched = n;
	}
	if (rc == WN_OK &&
	    sqlite3_exec(db, "update meta set value = cast(value as integer) + 1 where key = 'revision'; commit", NULL,
			 NULL, NULL) != SQLITE_OK)
		rc = sql_failed(db, err);
	if (rc < 0)
		sqlite3_exec(db, "rollback", NULL, NULL, NULL);
out:
	csv_release(&c);
	arena_release(&a);
	os_unmap(&map);
	return rc < 0 ? err_in(err, "%s", path) : rc;
}

/* ---- CDX ---- */

struct cdx_import {
	struct batch *batch;
	struct url url;
	struct buf key;
	const struct surt_profile *profile;
	struct import_report *report;
	struct catalog *catalog;
	bool ask; /* the catalogue has captures that this file's lines may repeat */
};

static void skip_line(struct import_report *r, const char *path, uint64_t line, const char *why)
{
	if (!r->skipped++)
		snprintf(r->first_skipped, sizeof r->first_skipped, "%.100s line %" PRIu64 ": %.120s", path, line, why);
}

static struct found *found_of(struct cdx_import *m, const struct cdx *x)
{
	struct found *f = found_new();
	struct capture *c = &f->capture;

	f->is_capture = true;
	c->kind = str_eq(x->mime, STR("warc/revisit")) ? CAPTURE_REVISIT : CAPTURE_RESPONSE;
	c->time = x->time;
	c->url = arena_str(&f->arena, x->url.n ? x->url : x->urlkey);
	c->urlkey = x->urlkey;
	if (x->urlkey.n == 0) {
		buf_reset(&m->key);
		surt_add(m->profile, x->url, &m->key);
		c->urlkey = buf_view(&m->key);
	}
	c->urlkey = arena_str(&f->arena, c->urlkey);
	if (url_parse(&m->url, c->url, NULL) && m->url.has_host) {
		c->host = arena_str(&f->arena, url_hostname(&m->url));
		c->domain = psl_domain(c->host);
	}
	c->status = x->status < 0 ? CAPTURE_NO_STATUS : x->status;
	c->declared = c->mime = c->kind == CAPTURE_REVISIT ? STR_NONE : arena_str(&f->arena, x->mime);
	c->payload_digest = arena_str(&f->arena, x->digest);
	c->redirect = arena_str(&f->arena, x->redirect);
	c->at = x->offset == CDX_NONE ? 0 : x->offset;
	c->length = x->length == CDX_NONE ? 0 : x->length;
	c->part = arena_str(&f->arena, x->filename); /* which file it is in, until it is found */
	return f;
}

/* "sha1:ABC" and "ABC" are one digest. */
static struct str without_label(struct str digest)
{
	return str_sub(digest, (size_t)(str_rchr(digest, ':') + 1), digest.n);
}

static struct str last_part(struct str path) { return str_sub(path, (size_t)(str_rchr(path, '/') + 1), path.n); }

/* Whether a row is of the record that a line is about: a record of an archive file that was read, by the file's name and
 * the offset; else what an earlier import brought, with the same length and digest, too. */
static bool same_record(const struct cdx_row *row, const struct capture *c)
{
	if (row->at != c->at)
		return false;
	if (row->file)
		return str_eq(last_part(row->file_name), last_part(c->part));
	return row->length == c->length && str_eq(row->file_name, c->part) &&
	       str_eq(without_label(row->digest), without_label(c->payload_digest));
}

/* Whether the line is there: same key and time, and the same record. */
static int is_known(struct cdx_import *m, const struct capture *c, bool *known, struct err *err)
{
	struct cdx_range r = { .from = { c->urlkey, c->time, INT64_MIN }, .to = { c->urlkey, c->time + 1, INT64_MIN } };
	struct cdx_cursor *cur = NULL;
	struct cdx_row row;
	int rc;

	*known = false;
	if ((rc = catalog_cdx(m->catalog, &r, &cur, err)) < 0)
		return rc;
	while (!*known && (rc = cdx_next(cur, &row, err)) == WN_OK)
		*known = same_record(&row, c);
	cdx_close(cur);
	return rc < 0 ? rc : WN_OK;
}

static int take_line(struct cdx_import *m, const struct cdx *x, struct err *err)
{
	struct found *f = found_of(m, x);
	bool known = false;
	int rc = m->ask ? is_known(m, &f->capture, &known, err) : WN_OK;

	if (rc < 0 || known) {
		m->report->known += known;
		found_free(f);
		return rc;
	}
	m->report->rows++;
	if ((rc = batch_take(m->batch, f, 0, err)) == WN_OK && batch_full(m->batch))
		rc = batch_commit(m->batch, err);
	return rc;
}

static int import_lines(struct cdx_import *m, struct str text, const char *path, struct err *err)
{
	struct cdx_reader reader = { 0 };
	struct arena a = { 0 };
	uint64_t line_number = 0;
	int rc = WN_OK;

	while (text.p && text.n && rc == WN_OK) {
		struct err why = { 0 };
		struct str line = str_cut(&text, '\n');
		struct cdx x;

		line_number++;
		progress_add(line.n + 1);
		arena_reset(&a);
		rc = cdx_parse(&reader, &a, line, &x, &why);
		if (rc == WN_NONE) {
			rc = WN_OK;
			continue;
		}
		if (rc < 0) {
			skip_line(m->report, path, line_number, why.text);
			rc = WN_OK;
			continue;
		}
		rc = take_line(m, &x, err);
	}
	arena_release(&a);
	return rc;
}

/* What a gzip file holds, as memory; it lies in a file without a name. */
static int map_unpacked(struct str packed, const char *path, void **p, size_t *n, struct err *err)
{
	struct decoder *d = decoder_new(CODING_GZIP);
	char *piece = mem_alloc(MIB);
	int fd = -1, rc = os_temporary(&fd, err);

	*n = 0;
	while (rc == WN_OK && coding_sniff(packed) == CODING_GZIP) {
		enum decode_state state = DECODE_MORE;

		decoder_reset(d);
		while (rc == WN_OK && state == DECODE_MORE) {
			size_t used = 0, before = packed.n;

			state = decoder_step(d, &packed, piece, MIB, &used);
			rc = os_write(fd, piece, used, "a temporary file", err);
			*n += used;
			if (state == DECODE_MORE && !used && before == packed.n)
				state = DECODE_BAD; /* cut off */
			if (rc == WN_OK && task_interrupted())
				rc = err_set(err, WN_INTERRUPTED, "interrupted");
		}
		if (rc == WN_OK && state != DECODE_DONE)
			rc =
			    err_set(err, WN_DATA, "%s cannot be unpacked to its end; nothing of it was imported", path);
	}
	if (rc == WN_OK && *n)
		rc = os_map_private(p, fd, *n, "a temporary file", err);
	decoder_free(d);
	mem_free(piece);
	os_close(&fd);
	return rc;
}

/* An index as memory, unpacked. */
struct index_text {
	struct os_map map;
	void *unpacked;
	size_t n;
	struct str text;
};

static void index_text_release(struct index_text *x)
{
	mem_unmap(x->unpacked, x->n);
	os_unmap(&x->map);
}

static int index_text_open(struct index_text *x, const char *path, const char *coll, struct err *err)
{
	int rc = os_named_file(path, err);

	*x = (struct index_text){ 0 };
	if (rc < 0 || (rc = os_map(&x->map, path, err)) < 0)
		return rc;
	x->text = str_n((const char *)x->map.p, x->map.n);
	if (coding_sniff(x->text) == CODING_GZIP &&
	    (rc = map_unpacked(x->text, path, &x->unpacked, &x->n, err)) == WN_OK)
		x->text = str_n(x->unpacked, x->n);
	if (rc == WN_OK && (str_starts(x->text, STR("WARC/")) || str_starts(x->text, STR("filedesc:"))))
		rc = err_set(err, WN_USAGE, "%s is an archive, not an index of one: 'winnow ingest %s %s' takes it",
			     path, coll, path);
	if (rc < 0)
		index_text_release(x);
	return rc;
}

int import_cdx_look(const char *path, const char *coll, struct err *err)
{
	struct index_text x;
	int rc = index_text_open(&x, path, coll, err);

	if (rc == WN_OK)
		index_text_release(&x);
	return rc;
}

static int import_file(struct cdx_import *m, const char *path, struct err *err)
{
	struct index_text x;
	int rc = index_text_open(&x, path, catalog_dir(m->catalog), err);

	if (rc < 0)
		return rc;
	progress_phase("importing", "bytes", x.text.n);
	rc = import_lines(m, x.text, path, err);
	index_text_release(&x);
	return rc;
}

int import_cdx(struct collection *coll, const char *const *paths, size_t n, uint64_t memory, struct import_report *out,
	       struct err *err)
{
	struct batch_options o = { .threads = 1, .plan = memory_plan(memory, 1) };
	struct cdx_import m = { .key = BUF(4 * LIMIT_URL),
				.profile = surt_profile(catalog_settings(coll->catalog)->profile),
				.report = out,
				.catalog = coll->catalog };
	struct catalog_next next;
	uint64_t resolved, left;
	int rc;

	*out = (struct import_report){ 0 };
	if ((rc = catalog_set(coll->catalog, CATALOG_IMPORTED, STR("1"), err)) < 0 ||
	    (rc = batch_open(&m.batch, coll, &o, err)) < 0)
		return rc;
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		if ((rc = catalog_next(coll->catalog, &next, err)) < 0)
			break;
		m.ask = next.capture > 1;
		if ((rc = import_file(&m, paths[i], err)) == WN_OK)
			rc = batch_commit(m.batch, err); /* the next file's lines are compared with what is there */
	}
	progress_end();
	batch_close(m.batch);
	if (rc == WN_OK) /* revisits find their originals among all lines */
		rc = catalog_resolve(coll->catalog, &resolved, &left, err);
	url_release(&m.url);
	buf_release(&m.key);
	return rc;
}
