/* flow/captures.c -- see captures.h: making the table from the catalogue.
 *
 * Three scans, each of a B-tree from left to right: captures by id, contents
 * by id, and urlkeys, which give the order.  Captures of one urlkey and second
 * are few and looked up one by one.
 */
#include "flow/captures_int.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/vec.h"

/* ---- the block ---- */

/* Where the pointers to the arrays are in a table, and how wide the arrays are. */
static const struct {
	size_t field, size;
} arrays[] = {
#define ARRAY(name, size)                             \
	{                                             \
		offsetof(struct captures, name), size \
	}
	ARRAY(time, 8),	   ARRAY(published, 8), ARRAY(bytes, 8),    ARRAY(url, 8),	     ARRAY(id, 4),
	ARRAY(content, 4), ARRAY(host, 4),	ARRAY(mime, 4),	    ARRAY(declared, 4),	     ARRAY(charset, 4),
	ARRAY(lang, 4),	   ARRAY(words, 4),	ARRAY(shingles, 4), ARRAY(shingles_main, 4), ARRAY(file, 4),
	ARRAY(crawl, 4),   ARRAY(status, 4),
#undef ARRAY
};

static char *array_of(const struct captures *c, size_t i)
{
	char *p;

	memcpy(&p, (const char *)c + arrays[i].field, sizeof p);
	return p;
}

size_t captures_lay_out(struct captures *c, char *base)
{
	size_t n = c->n_table, at = 0;

	for (size_t i = 0; i < COUNT(arrays); i++) {
		char *p = base ? base + at : NULL;

		memcpy((char *)c + arrays[i].field, &p, sizeof p);
		at += (n * arrays[i].size + 7) / 8 * 8;
	}
	return at;
}

void captures_copy(struct captures *to, size_t i, const struct captures *from, size_t k, size_t n)
{
	for (size_t f = 0; f < COUNT(arrays); f++)
		memcpy(array_of(to, f) + i * arrays[f].size, array_of(from, f) + k * arrays[f].size,
		       n * arrays[f].size);
}

void captures_take(void *out, const struct captures *c, size_t field, size_t size,
		   const struct capture_stretch *stretches, size_t n)
{
	const char *table, *rest = NULL;
	char *to = out;

	memcpy(&table, (const char *)c + field, sizeof table);
	if (c->rest)
		memcpy(&rest, (const char *)c->rest + field, sizeof rest);
	for (size_t k = 0; k < n; k++) {
		size_t from = stretches[k].from, bytes = stretches[k].n * size;

		memcpy(to, from < c->n_table ? table + from * size : rest + (from - c->n_table) * size, bytes);
		to += bytes;
	}
}

void captures_all(struct captures *c)
{
	mem_free(c->stretches);
	c->n = c->n_table;
	c->n_stretches = c->n ? 1 : 0;
	c->stretches = mem_array(1, sizeof *c->stretches);
	c->stretches[0] = (struct capture_stretch){ 0, (uint32_t)c->n };
}

void captures_alloc(struct captures *c, size_t n)
{
	c->n_table = n;
	c->block = mem_zalloc(CAPTURES_HEAD + captures_lay_out(c, NULL) + 8);
	captures_lay_out(c, c->block + CAPTURES_HEAD);
	captures_all(c);
}

void captures_whole(struct captures *out, const struct captures *c)
{
	*out = (struct captures){ .revision = c->revision, .last = c->last, .altered = c->altered };
	captures_alloc(out, c->n);
	for (size_t f = 0; f < COUNT(arrays); f++)
		captures_take(array_of(out, f), c, arrays[f].field, arrays[f].size, c->stretches, c->n_stretches);
}

void captures_release(struct captures *c)
{
	if (c->rest)
		captures_release(c->rest);
	mem_free(c->rest);
	mem_free(c->stretches);
	mem_free(c->block);
	os_unmap(&c->map);
	*c = (struct captures){ 0 };
}

/* ---- a table and what came since ---- */

struct putting {
	struct captures *out, *rest;
	const struct captures *old;
	size_t at, before; /* a stretch of old, and how many captures stand in front of it */
	size_t rows;	   /* of rest, so far */
	VEC(struct capture_stretch) stretches;
};

static void put_stretch(struct putting *p, size_t from, size_t n)
{
	struct capture_stretch *last = p->stretches.n ? &p->stretches.p[p->stretches.n - 1] : NULL;

	/* one is not of both tables */
	if (last && last->from + last->n == from && from != p->out->n_table)
		last->n += (uint32_t)n;
	else
		vec_push(&p->stretches, ((struct capture_stretch){ (uint32_t)from, (uint32_t)n }));
}

static void put_rest(struct putting *p, const struct captures *from, size_t i, size_t n)
{
	captures_copy(p->rest, p->rows, from, i, n);
	put_stretch(p, p->out->n_table + p->rows, n);
	p->rows += n;
}

/* Captures of old from a place on, which are there. */
static void put_old(struct putting *p, size_t place, size_t n)
{
	const struct captures *old = p->old;

	if (place < p->before)
		p->at = p->before = 0;
	while (n) {
		struct capture_stretch s = old->stretches[p->at];
		size_t skip = place - p->before, some;

		if (skip >= s.n) {
			p->before += s.n;
			p->at++;
			continue;
		}
		some = s.n - skip < n ? s.n - skip : n;
		if (s.from < old->n_table)
			put_stretch(p, s.from + skip, some);
		else
			put_rest(p, old->rest, s.from - old->n_table + skip, some);
		place += some;
		n -= some;
	}
}

bool captures_put_together(struct captures *out, struct captures *old, const struct captures *rows,
			   const struct capture_stretch *pieces, size_t n)
{
	struct putting p = { .out = out, .old = old, .rest = mem_zalloc(sizeof *p.rest) };
	size_t to = 0, fresh = 0;
	bool ok = old->n_table + (uint64_t)(old->rest ? old->rest->n : 0) + rows->n < UINT32_MAX;

	captures_alloc(p.rest, (old->rest ? old->rest->n : 0) + rows->n);
	out->n_table = old->n_table;
	for (size_t k = 0; k < n && ok; k++) {
		bool new = pieces[k].from == CAPTURE_NEW;
		size_t from = new ? fresh : pieces[k].from, there = new ? rows->n : old->n, count = pieces[k].n;

		ok = from <= there && count <= there - from && count <= out->n - to && count;
		if (!ok)
			break;
		if (new)
			put_rest(&p, rows, from, count);
		else
			put_old(&p, from, count);
		fresh += new ? count : 0;
		to += count;
	}
	out->rest = p.rest;
	out->stretches = p.stretches.p;
	out->n_stretches = p.stretches.n;
	p.rest->n = p.rows;
	if (!ok || to != out->n)
		return false;
	out->map = old->map;
	old->map = (struct os_map){ 0 };
	captures_lay_out(out, (char *)(uintptr_t)out->map.p + CAPTURES_HEAD);
	captures_release(old);
	return true;
}

/* ---- rows ---- */

static uint32_t u32(sqlite3_stmt *s, int i)
{
	sqlite3_int64 v = sqlite3_column_int64(s, i);

	return v < 0 || v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

void captures_row(struct captures *c, size_t i, sqlite3_stmt *s)
{
	c->id[i] = u32(s, 0);
	c->content[i] = u32(s, 1);
	c->time[i] = sqlite3_column_int64(s, 2);
	c->status[i] = sqlite3_column_type(s, 3) == SQLITE_NULL ? CAPTURE_NO_STATUS : sqlite3_column_int(s, 3);
	c->host[i] = u32(s, 4);
	c->bytes[i] = (uint64_t)sqlite3_column_int64(s, 5);
	c->mime[i] = u32(s, 6);
	c->declared[i] = u32(s, 7);
	c->charset[i] = u32(s, 8);
	c->published[i] = sqlite3_column_type(s, 9) == SQLITE_NULL ? CAPTURE_NO_TIME : sqlite3_column_int64(s, 9);
	c->file[i] = u32(s, 10);
	c->crawl[i] = u32(s, 11);
}

uint64_t captures_url(struct str urlkey) { return hash_str(urlkey); }

static int failed(sqlite3 *db, struct err *err) { return err_set(err, WN_CATALOG, "captures: %s", sqlite3_errmsg(db)); }

static int one(sqlite3 *db, const char *sql, uint64_t *out, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	*out = 0;
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		*out = (uint64_t)sqlite3_column_int64(s, 0);
	else
		rc = failed(db, err);
	sqlite3_finalize(s);
	return rc;
}

/* Captures by id, contents looked up in arrays by id. */
static int read_rows(struct captures *c, sqlite3 *db, struct err *err)
{
	sqlite3_stmt *s = NULL, *t = NULL;
	uint64_t contents = 0, n;
	struct {
		uint32_t words, shingles, shingles_main, lang;
	} *of = NULL;
	size_t i = 0;
	int step = SQLITE_DONE, rc;

	if ((rc = one(db, "select count(*) from capture", &n, err)) < 0 ||
	    (rc = one(db, "select ifnull(max(id), 0) from content", &contents, err)) < 0)
		return rc;
	if (n >= UINT32_MAX || contents >= UINT32_MAX || c->last >= UINT32_MAX)
		return err_set(err, WN_LIMIT, "%" PRIu64 " captures are more than one run takes", n);
	captures_alloc(c, (size_t)n);
	of = mem_zarray((size_t)contents + 1, sizeof *of);
	if (sqlite3_prepare_v2(db, "select id, words, shingles, shingles_main, lang from content", -1, &t, NULL) !=
		SQLITE_OK ||
	    sqlite3_prepare_v2(db, "select " CAPTURE_COLUMNS " from capture c", -1, &s, NULL) != SQLITE_OK) {
		rc = failed(db, err);
		goto out;
	}
	while ((step = sqlite3_step(t)) == SQLITE_ROW) {
		uint32_t k = u32(t, 0);

		of[k].words = u32(t, 1);
		of[k].shingles = u32(t, 2);
		of[k].shingles_main = u32(t, 3);
		of[k].lang = u32(t, 4);
	}
	while (step == SQLITE_DONE && i < n && sqlite3_step(s) == SQLITE_ROW) {
		captures_row(c, i, s);
		if (c->content[i] <= contents) {
			c->words[i] = of[c->content[i]].words;
			c->shingles[i] = of[c->content[i]].shingles;
			c->shingles_main[i] = of[c->content[i]].shingles_main;
			c->lang[i] = of[c->content[i]].lang;
		}
		i++;
	}
	if (i != n)
		rc = failed(db, err);
out:
	sqlite3_finalize(s);
	sqlite3_finalize(t);
	mem_free(of);
	return rc;
}

static struct str text(sqlite3_stmt *s, int i, struct arena *a)
{
	return arena_str(a, str_n((const char *)sqlite3_column_blob(s, i), (size_t)sqlite3_column_bytes(s, i)));
}

void captures_place(struct capture_place *out, sqlite3_stmt *s, int i, struct arena *a)
{
	*out = (struct capture_place){ .id = u32(s, 0),
				       .time = sqlite3_column_int64(s, 2),
				       .urlkey = text(s, i, a),
				       .digest = text(s, i + 1, a),
				       .url = text(s, i + 2, a),
				       .file = text(s, i + 3, a),
				       .at = (uint64_t)sqlite3_column_int64(s, i + 4) };
}

int captures_by_place(const void *a, const void *b)
{
	const struct capture_place *x = a, *y = b;
	int d;

	if ((d = str_cmp(x->urlkey, y->urlkey)))
		return d;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if ((d = str_cmp(x->digest, y->digest)) || (d = str_cmp(x->url, y->url)) || (d = str_cmp(x->file, y->file)))
		return d;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* ids[from, to) are of one urlkey and second. */
static int sort_ties(sqlite3 *db, sqlite3_stmt **s, uint32_t *ids, size_t from, size_t to, struct err *err)
{
	struct capture_place *p;
	struct arena a = { 0 };
	int rc = WN_OK;

	if (to - from < 2)
		return WN_OK;
	p = mem_array(to - from, sizeof *p);
	if (!*s && sqlite3_prepare_v2(db,
				      "select c.id, null, c.time, " PLACE_COLUMNS
				      " from capture c left join file f on f.id = c.file where c.id = ?",
				      -1, s, NULL) != SQLITE_OK)
		rc = failed(db, err);
	for (size_t i = from; i < to && rc == WN_OK; i++) {
		sqlite3_bind_int64(*s, 1, ids[i]);
		if (sqlite3_step(*s) == SQLITE_ROW)
			captures_place(&p[i - from], *s, 3, &a);
		else
			rc = failed(db, err);
		sqlite3_reset(*s);
	}
	if (rc == WN_OK)
		sort_array(p, to - from, sizeof *p, captures_by_place);
	for (size_t i = from; i < to && rc == WN_OK; i++)
		ids[i] = p[i - from].id;
	mem_free(p);
	arena_release(&a);
	return rc;
}

/* ids in canonical order, and hashes of their urlkeys. */
static int read_order(sqlite3 *db, uint32_t *ids, uint64_t *url, size_t n, struct err *err)
{
	sqlite3_stmt *s = NULL, *place = NULL;
	int64_t last_time = 0;
	size_t i = 0, tie = 0;
	int rc = WN_OK;

	if (sqlite3_prepare_v2(db, "select urlkey, time, capture from capture_key order by urlkey, time, capture", -1,
			       &s, NULL) != SQLITE_OK)
		rc = failed(db, err);
	while (rc == WN_OK && i < n && sqlite3_step(s) == SQLITE_ROW) {
		struct str key = str_n((const char *)sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0));
		int64_t time = sqlite3_column_int64(s, 1);

		url[i] = captures_url(key);
		if (i && (url[i] != url[i - 1] || time != last_time)) {
			rc = sort_ties(db, &place, ids, tie, i, err);
			tie = i;
		}
		last_time = time;
		ids[i++] = u32(s, 2);
	}
	if (rc == WN_OK)
		rc = i == n ? sort_ties(db, &place, ids, tie, i, err) : failed(db, err);
	sqlite3_finalize(s);
	sqlite3_finalize(place);
	return rc;
}

static int read_table(struct captures *out, sqlite3 *db, struct err *err)
{
	struct captures rows = { .last = out->last };
	uint32_t *ids, *row_of;
	uint64_t *url;
	size_t n;
	int rc;

	if ((rc = read_rows(&rows, db, err)) < 0) {
		captures_release(&rows);
		return rc;
	}
	n = rows.n;
	ids = mem_array(n + 1, sizeof *ids);
	url = mem_array(n + 1, sizeof *url);
	row_of = mem_array((size_t)out->last + 1, sizeof *row_of);
	memset(row_of, 0xff, ((size_t)out->last + 1) * sizeof *row_of);
	for (size_t i = 0; i < n; i++)
		row_of[rows.id[i] <= out->last ? rows.id[i] : 0] = (uint32_t)i;
	rc = read_order(db, ids, url, n, err);
	if (rc == WN_OK) {
		captures_alloc(out, n);
		for (size_t i = 0; i < n && rc == WN_OK; i++) {
			uint32_t row = ids[i] <= out->last ? row_of[ids[i]] : UINT32_MAX;

			if (row == UINT32_MAX)
				rc =
				    err_set(err, WN_DATA,
					    "the catalogue has no capture %u that its index names: run `winnow verify`",
					    ids[i]);
			else
				captures_copy(out, i, &rows, row, 1);
			out->url[i] = url[i];
		}
	}
	mem_free(ids);
	mem_free(url);
	mem_free(row_of);
	captures_release(&rows);
	return rc;
}

/* ---- all of it ---- */

int captures_read(struct captures *out, struct collection *coll, struct err *err)
{
	struct catalog_next next;
	int rc;

	*out = (struct captures){ 0 };
	if ((rc = catalog_next(coll->catalog, &next, err)) < 0)
		return rc;
	out->revision = next.revision;
	out->last = next.capture - 1;
	if ((rc = read_table(out, catalog_sqlite(coll->catalog), err)) < 0)
		captures_release(out);
	return rc;
}

int captures_load(struct captures *out, struct collection *coll, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	struct captures old = { 0 }, head = { 0 };
	struct catalog_next next, after;
	struct arena a = { 0 };
	bool logged;
	int rc;

	*out = (struct captures){ 0 };
	if ((rc = catalog_next(coll->catalog, &next, err)) < 0)
		goto out;
	if (captures_map(out, coll, next.revision))
		goto out;
	head.revision = next.revision;
	head.last = next.capture - 1;
	/* a catalogue of an earlier winnow keeps no list of what was altered: its table is made anew each time */
	logged = one(db, "select ifnull(max(seq), 0) from altered", &head.altered, err) == WN_OK;
	rc = WN_NONE;
	if (logged && captures_map_older(&old, coll, next.revision)) {
		*out = head;
		rc = captures_patch(out, &old, db, err);
		captures_release(&old);
	}
	if (rc == WN_NONE) {
		*out = head;
		rc = read_table(out, db, err);
	}
	if (rc == WN_OK && (rc = catalog_next(coll->catalog, &after, err)) == WN_OK && logged &&
	    after.revision == next.revision)
		captures_store(out, coll); /* whoever reads without a snapshot may have seen two revisions */
out:
	if (rc < 0)
		captures_release(out);
	arena_release(&a);
	return rc;
}
