/* flow/selection.c -- see selection.h.
 *
 * Which captures there are, in which order, and their plain facts come from the
 * table of captures (captures.h).  With an expression columns are made twice:
 * first what it looks at, for all captures, then what was asked for, for those
 * selected.  Only URLs, digests, titles and imported values are read from the
 * catalogue row by row.
 */
#include "flow/selection.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "archive/stamp.h"
#include "archive/url.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/vec.h"
#include "flow/captures.h"

int selection_env(struct collection *coll, struct arena *a, enum rule_kind kind, struct rule_env *out, struct err *err)
{
	const struct catalog_settings *s = catalog_settings(coll->catalog);
	struct rule_attr *user = ARENA_ARRAY(a, struct rule_attr, ATTR_LIMIT);
	sqlite3_stmt *stmt = NULL;
	size_t n = 0;

	if (sqlite3_prepare_v2(catalog_sqlite(coll->catalog), "select name, type from attribute order by id", -1, &stmt,
			       NULL) != SQLITE_OK)
		return err_set(err, WN_CATALOG, "attributes: %s", sqlite3_errmsg(catalog_sqlite(coll->catalog)));
	while (sqlite3_step(stmt) == SQLITE_ROW && n + ATTR_USER < ATTR_LIMIT) {
		const char *type = (const char *)sqlite3_column_text(stmt, 1);

		user[n].name = arena_str(a, str((const char *)sqlite3_column_text(stmt, 0)));
		user[n++].type = strcmp(type, "number") == 0 ? TYPE_NUMBER
				 : strcmp(type, "time") == 0 ? TYPE_TIME
							     : TYPE_TEXT;
	}
	sqlite3_finalize(stmt);
	*out = (struct rule_env){ .kind = kind,
				  .user = user,
				  .n_user = n,
				  .uncomputed = SELECTION_UNCOMPUTED,
				  .has_settings = true,
				  .k = s->k,
				  .unit_char = s->chars,
				  .bag = s->bag,
				  .default_text = s->main_text ? TEXT_MAIN : TEXT_BODY };
	return WN_OK;
}

/* ---- imported attributes: a map from key to value ---- */

struct imported {
	unsigned attr;
	enum value_type type;
	enum { BY_URL, BY_URLKEY, BY_HOST, BY_ID } by;
	struct intern keys;
	VEC(double) numbers;
	VEC(struct str) texts;
	struct arena arena;
};

static void imported_release(struct imported *m)
{
	intern_release(&m->keys);
	vec_release(&m->numbers);
	vec_release(&m->texts);
	arena_release(&m->arena);
}

static int imported_load(struct imported *m, struct collection *coll, unsigned attr, enum value_type type,
			 struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;

	*m = (struct imported){ .attr = attr, .type = type };
	if (sqlite3_prepare_v2(
		db,
		"select a.by, v.key, v.value from (select id, by from attribute order by id limit 1 offset ?) a "
		"left join attribute_value v on v.attribute = a.id",
		-1, &s, NULL) != SQLITE_OK)
		return err_set(err, WN_CATALOG, "attributes: %s", sqlite3_errmsg(db));
	sqlite3_bind_int(s, 1, (int)(attr - ATTR_USER));
	while (sqlite3_step(s) == SQLITE_ROW) {
		const char *by = (const char *)sqlite3_column_text(s, 0),
			   *key = (const char *)sqlite3_column_text(s, 1);
		struct str text;

		m->by = strcmp(by, "url") == 0	    ? BY_URL
			: strcmp(by, "urlkey") == 0 ? BY_URLKEY
			: strcmp(by, "host") == 0   ? BY_HOST
						    : BY_ID;
		if (!key)
			continue;
		intern_id(&m->keys, str_n(key, (size_t)sqlite3_column_bytes(s, 1)));
		text = str_n((const char *)sqlite3_column_text(s, 2), (size_t)sqlite3_column_bytes(s, 2));
		vec_push(&m->texts, arena_str(&m->arena, text));
		vec_push(&m->numbers, sqlite3_column_double(s, 2));
	}
	sqlite3_finalize(s);
	return WN_OK;
}

static void imported_fill(struct imported *m, struct columns *cols, size_t doc, const struct capture *c)
{
	struct column *col = cols->col[m->attr];
	char digits[24];
	struct str key = m->by == BY_URL ? c->url : m->by == BY_URLKEY ? c->urlkey : c->host;
	uint32_t at;

	if (m->by == BY_ID) {
		snprintf(digits, sizeof digits, "%llu", (unsigned long long)c->id);
		key = str(digits);
	}
	if (!intern_find(&m->keys, key, &at))
		return;
	if (m->type == TYPE_TEXT)
		columns_text(cols, col, doc, m->texts.p[at]);
	else
		columns_number(col, doc, m->numbers.p[at]);
}

/* ---- columns of chosen captures ---- */

typedef VEC(struct capture_stretch) row_list; /* in canonical order; no stretch is of two tables (captures.h) */

static size_t count_rows(const row_list *rows)
{
	size_t n = 0;

	for (size_t k = 0; k < rows->n; k++)
		n += rows->p[k].n;
	return n;
}

/* Appends rows of one stretch of the table's, to the last ones if they go on there. */
static void add_rows(row_list *rows, uint32_t from, uint32_t n, uint32_t first)
{
	struct capture_stretch *last = rows->n ? &rows->p[rows->n - 1] : NULL;

	if (last && from != first && last->from + last->n == from)
		last->n += n;
	else if (n)
		vec_push(rows, ((struct capture_stretch){ from, n }));
}

/* Leaves those that are picked ([all of them], in order). */
static void pick_rows(row_list *rows, const uint8_t *picked)
{
	row_list some = { 0 };
	size_t at = 0;

	for (size_t k = 0; k < rows->n; k++) {
		uint32_t from = rows->p[k].from;

		for (uint32_t i = 0; i < rows->p[k].n; i++)
			if (picked[at++])
				add_rows(&some, from + i, 1, from);
	}
	vec_release(rows);
	*rows = some;
}

/* Names by row of a table, with the number each has among the columns' texts. */
struct names {
	struct str *of; /* [n] */
	uint32_t *cell; /* [n] 0: not used yet */
	size_t n;
};

struct filler {
	struct collection *coll;
	struct columns *cols;
	const struct captures *from;
	const struct capture_stretch *rows; /* cols->n of the table */
	size_t n_rows;			    /* stretches */
	uint32_t *content;		    /* [cols->n] */
	void *facts;			    /* [cols->n] of what is filled in, of 8 bytes at most */
	struct url url;			    /* scratch */
	struct arena arena;
	struct imported *imported;
	size_t n_imported;
	uint32_t *doc_of; /* [last + 1] by capture; UINT32_MAX: not chosen; made when asked for */
};

static int names_load(struct filler *f, struct names *out, const char *sql, struct err *err)
{
	sqlite3 *db = catalog_sqlite(f->coll->catalog);
	sqlite3_stmt *s = NULL;
	int step = SQLITE_ERROR;

	*out = (struct names){ 0 };
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK)
		while ((step = sqlite3_step(s)) == SQLITE_ROW) {
			size_t id = (size_t)sqlite3_column_int64(s, 0);

			if (id >= out->n) {
				size_t n = id + id / 2 + 16;

				out->of = mem_rearray(out->of, n, sizeof *out->of);
				memset(out->of + out->n, 0, (n - out->n) * sizeof *out->of);
				out->n = n;
			}
			out->of[id] = arena_str(&f->arena, str_n((const char *)sqlite3_column_text(s, 1),
								 (size_t)sqlite3_column_bytes(s, 1)));
		}
	sqlite3_finalize(s);
	out->cell = mem_zarray(out->n + 1, sizeof *out->cell);
	return step == SQLITE_DONE ? WN_OK : err_set(err, WN_CATALOG, "captures: %s", sqlite3_errmsg(db));
}

static void names_release(struct names *n)
{
	mem_free(n->of);
	mem_free(n->cell);
}

/* The columns whose texts stand in small tables. */
static int fill_names(struct filler *f, struct err *err)
{
	static const struct {
		unsigned attr;
		size_t field;
		const char *sql;
	} named[] = {
		{ ATTR_HOST, offsetof(struct captures, host), "select id, name from host" },
		{ ATTR_DOMAIN, offsetof(struct captures, host), "select id, domain from host" },
		{ ATTR_MIME, offsetof(struct captures, mime), "select id, text from word" },
		{ ATTR_TYPE, offsetof(struct captures, declared), "select id, text from word" },
		{ ATTR_LANG, offsetof(struct captures, lang), "select id, text from word where text <> 'und'" },
		{ ATTR_CHARSET, offsetof(struct captures, charset), "select id, text from word" },
		{ ATTR_CRAWL, offsetof(struct captures, crawl), "select id, name from crawl" },
		{ ATTR_FILE, offsetof(struct captures, file), "select id, name from file" },
		{ ATTR_TITLE, offsetof(struct captures, content),
		  "select id, title from content where title is not null" },
	};
	uint32_t *row = f->facts;
	int rc = WN_OK;

	for (size_t i = 0; i < COUNT(named) && rc == WN_OK; i++) {
		struct column *col = f->cols->col[named[i].attr];
		struct names names;

		if (!col)
			continue;
		rc = names_load(f, &names, named[i].sql, err);
		captures_take(row, f->from, named[i].field, sizeof *row, f->rows, f->n_rows);
		for (size_t d = 0; d < f->cols->n && rc == WN_OK; d++) {
			uint32_t k = row[d];

			if (k == 0 || k >= names.n || names.of[k].n == 0)
				continue;
			if (names.cell[k] == 0) {
				columns_text(f->cols, col, d, names.of[k]);
				names.cell[k] = col->id[d];
			}
			col->id[d] = names.cell[k];
		}
		names_release(&names);
	}
	return rc;
}

/* Columns of numbers, one after another: each is a pass over two arrays. */
static void fill_times(struct filler *f, unsigned attr, size_t field)
{
	struct column *col = f->cols->col[attr];
	int64_t *of = f->facts;

	if (!col)
		return;
	captures_take(of, f->from, field, sizeof *of, f->rows, f->n_rows);
	for (size_t d = 0, n = f->cols->n; d < n; d++)
		if (of[d] != CAPTURE_NO_TIME)
			col->num[d] = (double)of[d];
}

static void fill_counts(struct filler *f, unsigned attr, size_t field)
{
	struct column *col = f->cols->col[attr];
	uint32_t *of = f->facts;

	if (!col)
		return;
	captures_take(of, f->from, field, sizeof *of, f->rows, f->n_rows);
	for (size_t d = 0, n = f->cols->n; d < n; d++)
		if (f->content[d])
			col->num[d] = of[d];
}

#define DAYS_KNOWN 1024u /* days whose year is kept: neighbours are of a few */

static void fill_years(struct filler *f)
{
	struct column *col = f->cols->col[ATTR_YEAR];
	struct {
		int64_t next; /* the day and one; 0: none */
		double year;
	} known[DAYS_KNOWN] = { 0 };
	int64_t *of = f->facts;

	if (!col)
		return;
	CAPTURES_TAKE(of, f->from, time, f->rows, f->n_rows);
	for (size_t d = 0; d < f->cols->n; d++) {
		int64_t time = of[d], next;

		if (time < 0) {
			col->num[d] = (double)stamp_year(time);
			continue;
		}
		next = (int64_t)((uint64_t)time / 86400 + 1);
		if (known[next % DAYS_KNOWN].next != next) {
			known[next % DAYS_KNOWN].next = next;
			known[next % DAYS_KNOWN].year = (double)stamp_year(time);
		}
		col->num[d] = known[next % DAYS_KNOWN].year;
	}
}

static void fill_numbers(struct filler *f)
{
	struct column *const status = f->cols->col[ATTR_STATUS], *const bytes = f->cols->col[ATTR_BYTES];
	int32_t *code = f->facts;
	uint64_t *size = f->facts;

	fill_times(f, ATTR_TIME, offsetof(struct captures, time));
	fill_times(f, ATTR_PUBLISHED, offsetof(struct captures, published));
	fill_counts(f, ATTR_WORDS, offsetof(struct captures, words));
	fill_counts(f, ATTR_SHINGLES,
		    catalog_settings(f->coll->catalog)->main_text ? offsetof(struct captures, shingles_main)
								  : offsetof(struct captures, shingles));
	fill_counts(f, ATTR_CONTENT, offsetof(struct captures, content));
	fill_years(f);
	if (status)
		CAPTURES_TAKE(code, f->from, status, f->rows, f->n_rows);
	for (size_t d = 0; status && d < f->cols->n; d++)
		if (code[d] != CAPTURE_NO_STATUS)
			status->num[d] = code[d];
	if (bytes)
		CAPTURES_TAKE(size, f->from, bytes, f->rows, f->n_rows);
	for (size_t d = 0; bytes && d < f->cols->n; d++)
		bytes->num[d] = (double)(int64_t)size[d];
}

static void fill_text(struct filler *f, unsigned attr, size_t doc, struct str s)
{
	if (f->cols->col[attr] && s.n)
		columns_text(f->cols, f->cols->col[attr], doc, s);
}

static bool wants_url_parts(const struct columns *c)
{
	return c->col[ATTR_SCHEME] || c->col[ATTR_PORT] || c->col[ATTR_PATH] || c->col[ATTR_QUERY];
}

static void fill_url_parts(struct filler *f, size_t doc, struct str url)
{
	struct str s;

	if (!url_parse(&f->url, url, NULL))
		return;
	s = url_protocol(&f->url);
	fill_text(f, ATTR_SCHEME, doc, str_sub(s, 0, s.n ? s.n - 1 : 0));
	fill_text(f, ATTR_PATH, doc, url_pathname(&f->url));
	s = url_search(&f->url);
	fill_text(f, ATTR_QUERY, doc, str_sub(s, 1, s.n));
	if (f->cols->col[ATTR_PORT] && url_port_number(&f->url) >= 0)
		columns_number(f->cols->col[ATTR_PORT], doc, url_port_number(&f->url));
}

/* What only the row of the capture has. */
static void fill_own(struct filler *f, size_t doc, const struct capture *c)
{
	static const char hex[] = "0123456789abcdef";
	char digest[40];

	fill_text(f, ATTR_URL, doc, c->url);
	fill_text(f, ATTR_URLKEY, doc, c->urlkey);
	if (f->cols->col[ATTR_DIGEST] && c->digest.n == 20) {
		for (size_t i = 0; i < 20; i++) {
			digest[2 * i] = hex[(unsigned char)c->digest.p[i] >> 4];
			digest[2 * i + 1] = hex[(unsigned char)c->digest.p[i] & 15];
		}
		fill_text(f, ATTR_DIGEST, doc, str_n(digest, 40));
	}
	if (wants_url_parts(f->cols))
		fill_url_parts(f, doc, c->url);
	for (size_t i = 0; i < f->n_imported; i++)
		imported_fill(&f->imported[i], f->cols, doc, c);
}

static struct str column_str(sqlite3_stmt *s, int i)
{
	return str_n((const char *)sqlite3_column_blob(s, i), (size_t)sqlite3_column_bytes(s, i));
}

static void note_documents(struct filler *f, const uint32_t *id)
{
	f->doc_of = mem_array((size_t)f->from->last + 1, sizeof *f->doc_of);
	memset(f->doc_of, 0xff, ((size_t)f->from->last + 1) * sizeof *f->doc_of);
	for (size_t d = 0; d < f->cols->n; d++)
		f->doc_of[id[d]] = (uint32_t)d;
}

static void fill_own_row(struct filler *f, size_t doc, sqlite3_stmt *s)
{
	struct capture c = { .id = (uint64_t)sqlite3_column_int64(s, 0),
			     .url = column_str(s, 1),
			     .urlkey = column_str(s, 2),
			     .digest = column_str(s, 3),
			     .host = column_str(s, 4) };

	fill_own(f, doc, &c);
}

static int fill_texts(struct filler *f, struct err *err)
{
	bool few = f->cols->n < f->from->last / 16; /* a seek each */
	struct column **col = f->cols->col;
	sqlite3 *db = catalog_sqlite(f->coll->catalog);
	sqlite3_stmt *s = NULL;
	uint32_t *ids = f->facts;
	int step = SQLITE_DONE;

	if (!col[ATTR_URL] && !col[ATTR_URLKEY] && !col[ATTR_DIGEST] && !wants_url_parts(f->cols) && f->n_imported == 0)
		return WN_OK;
	if (sqlite3_prepare_v2(
		db,
		few ? "select c.id, c.url, c.urlkey, c.digest, h.name from capture c left join host h on h.id = c.host where c.id = ?"
		    : "select c.id, c.url, c.urlkey, c.digest, h.name from capture c left join host h on h.id = c.host",
		-1, &s, NULL) != SQLITE_OK)
		return err_set(err, WN_CATALOG, "captures: %s", sqlite3_errmsg(db));
	CAPTURES_TAKE(ids, f->from, id, f->rows, f->n_rows);
	if (!few)
		note_documents(f, ids);
	for (size_t d = 0; few && d < f->cols->n; d++) {
		sqlite3_bind_int64(s, 1, ids[d]);
		if ((step = sqlite3_step(s)) == SQLITE_ROW)
			fill_own_row(f, d, s);
		sqlite3_reset(s);
	}
	while (!few && (step = sqlite3_step(s)) == SQLITE_ROW) {
		uint64_t id = (uint64_t)sqlite3_column_int64(s, 0);

		if (id <= f->from->last && f->doc_of[id] != UINT32_MAX)
			fill_own_row(f, f->doc_of[id], s);
	}
	sqlite3_finalize(s);
	return step == SQLITE_DONE || step == SQLITE_ROW ? WN_OK
							 : err_set(err, WN_CATALOG, "captures: %s", sqlite3_errmsg(db));
}

static void filler_close(struct filler *f)
{
	url_release(&f->url);
	for (size_t i = 0; i < f->n_imported; i++)
		imported_release(&f->imported[i]);
	mem_free(f->imported);
	mem_free(f->doc_of);
	mem_free(f->content);
	mem_free(f->facts);
	arena_release(&f->arena);
}

/* Columns of rows of the table; finished. */
static int fill(struct columns *cols, struct collection *coll, const struct captures *from, const row_list *rows,
		const bool needs[ATTR_LIMIT], const struct rule_env *env, struct err *err)
{
	struct filler f = { .coll = coll, .cols = cols, .from = from, .rows = rows->p, .n_rows = rows->n };
	size_t n = count_rows(rows);
	int rc = WN_OK;

	columns_init(cols, n);
	f.content = mem_array(n + 1, sizeof *f.content);
	f.facts = mem_array(n + 1, sizeof(uint64_t));
	CAPTURES_TAKE(f.content, from, content, rows->p, rows->n);
	f.imported = mem_zarray(env->n_user + 1, sizeof *f.imported);
	for (unsigned i = 0; i < ATTR_LIMIT && rc == WN_OK; i++) {
		if (!needs[i] || i == ATTR_TEXT)
			continue;
		if (i < ATTR_USER) {
			columns_add(cols, i, attr_type(i));
		} else if (i - ATTR_USER < env->n_user) {
			columns_add(cols, i, env->user[i - ATTR_USER].type);
			rc = imported_load(&f.imported[f.n_imported++], coll, i, env->user[i - ATTR_USER].type, err);
		}
	}
	if (rc == WN_OK) {
		fill_numbers(&f);
		if ((rc = fill_names(&f, err)) == WN_OK)
			rc = fill_texts(&f, err);
	}
	columns_finish(cols);
	filler_close(&f);
	return rc;
}

/* ---- which captures ---- */

/* Those of a stretch, of which the table has status and content from the first on. */
static void take_stretch(struct capture_stretch s, const uint32_t *content, const int32_t *status,
			 const struct selection_request *q, struct selection *out, row_list *rows)
{
	bool any_status = !q->where;
	uint32_t from = 0;

	for (uint32_t i = 0; i < s.n && !q->captures; i++) {
		bool none = !content[i], other = any_status & (status[i] != 200) & (status[i] != CAPTURE_NO_STATUS);

		if (!(none | other))
			continue;
		out->excluded.no_text += none;
		out->excluded.status += !none;
		add_rows(rows, s.from + from, i - from, s.from);
		from = i + 1;
	}
	add_rows(rows, s.from + from, s.n - from, s.from);
}

static void take_rows(const struct captures *t, const struct selection_request *q, struct selection *out,
		      row_list *rows)
{
	for (size_t k = 0; k < t->n_stretches; k++) {
		struct capture_stretch s = t->stretches[k];

		if (s.from < t->n_table)
			take_stretch(s, t->content + s.from, t->status + s.from, q, out, rows);
		else
			take_stretch(s, t->rest->content + (s.from - t->n_table),
				     t->rest->status + (s.from - t->n_table), q, out, rows);
	}
}

/* `text ~ "..."`: which documents match, by the full-text index. */
static int text_hits(struct collection *coll, const struct rule *where, const struct captures *t, const row_list *rows,
		     struct text_hits *hits, struct err *err)
{
	struct ftreader *words;
	struct arena a = { 0 };
	uint64_t most = 0;
	uint32_t *content;
	size_t n = count_rows(rows);
	int rc;

	if (where->n_queries == 0)
		return WN_OK;
	if ((rc = collection_words(coll, &words, err)) < 0)
		return rc;
	content = mem_array(n + 1, sizeof *content);
	CAPTURES_TAKE(content, t, content, rows->p, rows->n);
	for (size_t i = 0; i < n; i++)
		most = content[i] > most ? content[i] : most;
	for (size_t i = 0; i < where->n_queries && rc == WN_OK; i++) {
		uint64_t *bits = mem_zarray(most / 64 + 1, sizeof *bits), count;
		uint8_t *hit = mem_zarray(n + 1, 1);
		struct ftquery *q;

		if ((rc = ftquery_parse(&a, where->queries[i], &q, err)) == WN_OK)
			rc = ftsearch_bits(words, q, bits, most + 1, &count, err);
		for (size_t k = 0; k < n && rc == WN_OK; k++) {
			uint64_t c = content[k];

			hit[k] = c && (bits[c / 64] >> (c % 64) & 1);
		}
		mem_free(bits);
		hits[i].hit = hit;
	}
	mem_free(content);
	arena_release(&a);
	return rc;
}

static int apply_where(struct collection *coll, const struct rule *where, const struct captures *t,
		       struct selection *out, row_list *rows, struct err *err)
{
	struct columns cols = { 0 };
	struct text_hits *hits = mem_zarray(where->n_queries + 1, sizeof *hits);
	struct bound *bound = NULL;
	uint8_t *picked = NULL;
	size_t n = count_rows(rows);
	int rc;

	if ((rc = fill(&cols, coll, t, rows, where->needs, &where->env, err)) < 0 ||
	    (rc = text_hits(coll, where, t, rows, hits, err)) < 0 ||
	    (rc = rule_bind(&bound, where, &cols, hits, err)) < 0)
		goto out;
	picked = mem_zarray(n + 1, 1);
	selection_run(bound, picked);
	pick_rows(rows, picked);
	out->excluded.where = n - count_rows(rows);
out:
	bound_free(bound);
	columns_release(&cols);
	for (size_t i = 0; i < where->n_queries; i++)
		mem_free((void *)hits[i].hit);
	mem_free(hits);
	mem_free(picked);
	return rc;
}

static void apply_min_versions(const struct captures *t, struct selection *out, row_list *rows, uint64_t least)
{
	size_t n = count_rows(rows), end;
	uint64_t *url = mem_array(n + 1, sizeof *url);
	uint8_t *picked = mem_zarray(n + 1, 1);

	CAPTURES_TAKE(url, t, url, rows->p, rows->n);
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && url[end] == url[i]; end++)
			;
		memset(picked + i, end - i >= least, end - i);
	}
	pick_rows(rows, picked);
	out->excluded.versions = n - count_rows(rows);
	mem_free(url);
	mem_free(picked);
}

static void widen(uint64_t *restrict to, const uint32_t *restrict from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

int selection_load(struct selection *out, struct collection *coll, const struct selection_request *q, struct err *err)
{
	struct arena a = { 0 };
	struct rule_env env;
	struct captures t = { 0 };
	row_list rows = { 0 };
	uint32_t *facts;
	int rc;

	*out = (struct selection){ 0 };
	if ((rc = selection_env(coll, &a, RULE_PAIR, &env, err)) < 0 ||
	    (rc = q->only	 ? captures_some(&t, coll, q->only, q->n_only, err)
		  : q->catalogue ? captures_read(&t, coll, err)
				 : captures_load(&t, coll, err)) < 0)
		goto out;
	take_rows(&t, q, out, &rows);
	if (q->where && (rc = apply_where(coll, q->where, &t, out, &rows, err)) < 0)
		goto out;
	if (q->min_versions > 1)
		apply_min_versions(&t, out, &rows, q->min_versions);
	out->n = count_rows(&rows);
	out->captures = t.n;
	out->revision = t.revision;
	out->id = mem_array(out->n + 1, sizeof *out->id);
	out->content = mem_array(out->n + 1, sizeof *out->content);
	out->url = mem_array(out->n + 1, sizeof *out->url);
	facts = mem_array(out->n + 1, sizeof *facts);
	CAPTURES_TAKE(facts, &t, id, rows.p, rows.n);
	widen(out->id, facts, out->n);
	CAPTURES_TAKE(out->url, &t, url, rows.p, rows.n);
	CAPTURES_TAKE(facts, &t, content, rows.p, rows.n);
	widen(out->content, facts, out->n);
	for (int k = 0; k < 2 && q->sizes; k++) {
		out->shingles[k] = mem_array(out->n + 1, sizeof *out->shingles[k]);
		if (k)
			CAPTURES_TAKE(out->shingles[k], &t, shingles_main, rows.p, rows.n);
		else
			CAPTURES_TAKE(out->shingles[k], &t, shingles, rows.p, rows.n);
		for (size_t i = 0, n = out->n; i < n; i++)
			out->shingles[k][i] = facts[i] ? out->shingles[k][i] : 0;
	}
	mem_free(facts);
	rc = fill(&out->columns, coll, &t, &rows, q->needs, &env, err);
out:
	vec_release(&rows);
	captures_release(&t);
	arena_release(&a);
	if (rc < 0)
		selection_release(out);
	return rc;
}

void selection_part(struct selection *out, const struct selection *in, const uint32_t *docs, size_t n)
{
	*out = (struct selection){ .n = n,
				   .id = mem_array(n + 1, sizeof *out->id),
				   .content = mem_array(n + 1, sizeof *out->content),
				   .url = mem_array(n + 1, sizeof *out->url) };
	columns_init(&out->columns, n);
	for (unsigned attr = 0; attr < ATTR_LIMIT; attr++) {
		const struct column *from = in->columns.col[attr];
		struct column *to = from ? columns_add(&out->columns, attr, from->type) : NULL;

		for (size_t i = 0; from && i < n; i++) {
			if (from->type != TYPE_TEXT)
				to->num[i] = from->num[docs[i]];
			else if (from->id[docs[i]])
				columns_text(&out->columns, to, i, columns_str(&in->columns, from, docs[i]));
		}
	}
	for (size_t i = 0; i < n; i++) {
		out->id[i] = in->id[docs[i]];
		out->content[i] = in->content[docs[i]];
		out->url[i] = in->url[docs[i]];
	}
	columns_finish(&out->columns);
}

void selection_release(struct selection *s)
{
	mem_free(s->id);
	mem_free(s->content);
	mem_free(s->url);
	mem_free(s->shingles[0]);
	mem_free(s->shingles[1]);
	columns_release(&s->columns);
	*s = (struct selection){ 0 };
}

bool selection_find(const struct selection *s, uint64_t id, uint32_t *out)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->id[i] == id) {
			*out = (uint32_t)i;
			return true;
		}
	return false;
}
