/* flow/selection.c -- see selection.h.
 *
 * Two readings of the catalogue when there is an expression: the first fills
 * only what the expression looks at, for all captures; the second fills what
 * was asked for, for those selected.  Memory is by selected document.
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
				  .uncomputed = 1ull << ATTR_RANK | 1ull << ATTR_INLINKS | 1ull << ATTR_OUTLINKS,
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

/* ---- one row into the columns ---- */

struct filler {
	struct columns *cols;
	struct url url; /* scratch */
	struct imported *imported;
	size_t n_imported;
};

static void fill_text(struct filler *f, unsigned attr, size_t doc, struct str s)
{
	if (f->cols->col[attr] && s.n)
		columns_text(f->cols, f->cols->col[attr], doc, s);
}

static void fill_number(struct filler *f, unsigned attr, size_t doc, double v)
{
	if (f->cols->col[attr])
		columns_number(f->cols->col[attr], doc, v);
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
	if (url_port_number(&f->url) >= 0)
		fill_number(f, ATTR_PORT, doc, url_port_number(&f->url));
}

static void fill_row(struct filler *f, size_t doc, const struct capture *c, bool main_text)
{
	static const char hex[] = "0123456789abcdef";
	char digest[40];

	fill_text(f, ATTR_URL, doc, c->url);
	fill_text(f, ATTR_URLKEY, doc, c->urlkey);
	fill_text(f, ATTR_HOST, doc, c->host);
	fill_text(f, ATTR_DOMAIN, doc, c->domain);
	fill_text(f, ATTR_MIME, doc, c->mime);
	fill_text(f, ATTR_TYPE, doc, c->declared);
	fill_text(f, ATTR_TITLE, doc, c->title);
	fill_text(f, ATTR_LANG, doc, str_eq(c->lang, STR("und")) ? STR_NONE : c->lang);
	fill_text(f, ATTR_CHARSET, doc, c->charset);
	fill_text(f, ATTR_CRAWL, doc, c->crawl_name);
	fill_text(f, ATTR_FILE, doc, c->file_name);
	fill_number(f, ATTR_TIME, doc, (double)c->time);
	fill_number(f, ATTR_YEAR, doc, (double)stamp_civil(c->time).year);
	if (c->status != CAPTURE_NO_STATUS)
		fill_number(f, ATTR_STATUS, doc, c->status);
	fill_number(f, ATTR_BYTES, doc, (double)c->bytes);
	if (c->content) {
		fill_number(f, ATTR_WORDS, doc, (double)c->words);
		fill_number(f, ATTR_SHINGLES, doc, (double)(main_text ? c->shingles_main : c->shingles));
		fill_number(f, ATTR_CONTENT, doc, (double)c->content);
	}
	if (c->published != CAPTURE_NO_TIME)
		fill_number(f, ATTR_PUBLISHED, doc, (double)c->published);
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

static int filler_open(struct filler *f, struct columns *cols, size_t n, const bool needs[ATTR_LIMIT],
		       const struct rule_env *env, struct collection *coll, struct err *err)
{
	int rc = WN_OK;

	*f = (struct filler){ .cols = cols };
	columns_init(cols, n);
	f->imported = mem_zarray(env->n_user + 1, sizeof *f->imported);
	for (unsigned i = 0; i < ATTR_LIMIT && rc == WN_OK; i++) {
		if (!needs[i] || i == ATTR_TEXT)
			continue;
		if (i < ATTR_USER) {
			columns_add(cols, i, attr_type(i));
		} else if (i - ATTR_USER < env->n_user) {
			columns_add(cols, i, env->user[i - ATTR_USER].type);
			rc = imported_load(&f->imported[f->n_imported++], coll, i, env->user[i - ATTR_USER].type, err);
		}
	}
	return rc;
}

static void filler_close(struct filler *f)
{
	url_release(&f->url);
	for (size_t i = 0; i < f->n_imported; i++)
		imported_release(&f->imported[i]);
	mem_free(f->imported);
}

/* ---- which captures, in canonical order ---- */

struct key {
	uint64_t id, content;
	int64_t time;
	uint32_t urlkey; /* equal for equal urlkeys */
};

struct keys {
	VEC(struct key) list;
};

struct tie { /* what decides among captures of one urlkey and second */
	struct key key;
	struct str digest, url, file;
	uint64_t at;
};

static int by_tie(const void *a, const void *b)
{
	const struct tie *x = a, *y = b;
	int d;

	if ((d = str_cmp(x->digest, y->digest)) || (d = str_cmp(x->url, y->url)) || (d = str_cmp(x->file, y->file)))
		return d;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool passes(struct selection *out, const struct selection_request *q, const struct capture *c)
{
	if (q->captures)
		return true;
	if (!c->content) {
		out->excluded.no_text++;
		return false;
	}
	if (!q->where && c->status != 200 && c->status != CAPTURE_NO_STATUS) {
		out->excluded.status++;
		return false;
	}
	return true;
}

static int read_keys(struct collection *coll, const struct selection_request *q, struct selection *out,
		     struct keys *keys, struct err *err)
{
	struct capture_query all = { .by_key = true, .documents_only = false };
	struct capture_cursor *cur = NULL;
	struct arena a = { 0 };
	VEC(struct tie) ties = { 0 };
	struct capture c;
	struct str last_key = STR_NONE;
	struct arena key_arena = { 0 };
	int64_t last_time = 0;
	uint32_t urlkey = 0;
	bool any = false;
	int rc;

	if ((rc = catalog_captures(coll->catalog, &all, &cur, err)) < 0)
		return rc;
	do {
		rc = capture_next(cur, &c, err);
		if (rc < 0)
			break;
		if (rc == WN_END || !any || c.time != last_time || !str_eq(c.urlkey, last_key)) {
			if (ties.n > 1)
				sort_array(ties.p, ties.n, sizeof *ties.p, by_tie);
			for (size_t i = 0; i < ties.n; i++)
				vec_push(&keys->list, ties.p[i].key);
			ties.n = 0;
			arena_reset(&a);
		}
		if (rc == WN_END)
			break;
		if (!any || !str_eq(c.urlkey, last_key)) {
			urlkey++;
			arena_reset(&key_arena);
			last_key = arena_str(&key_arena, c.urlkey);
		}
		last_time = c.time;
		any = true;
		if (passes(out, q, &c))
			vec_push(&ties, ((struct tie){ { c.id, c.content, c.time, urlkey },
						       arena_str(&a, c.digest),
						       arena_str(&a, c.url),
						       arena_str(&a, c.file_name),
						       c.at }));
	} while (rc == WN_OK);
	capture_close(cur);
	vec_release(&ties);
	arena_release(&a);
	arena_release(&key_arena);
	return rc < 0 ? rc : WN_OK;
}

/* The same of some captures: a seek each. */
static int read_only_keys(struct collection *coll, const struct selection_request *q, struct selection *out,
			  struct keys *keys, struct err *err)
{
	int rc = WN_OK;

	for (size_t i = 0; i < q->n_only && rc == WN_OK; i++) {
		struct arena a = { 0 };
		struct capture c;

		rc = catalog_capture(coll->catalog, &a, q->only[i], &c, err);
		if (rc == WN_OK && passes(out, q, &c))
			vec_push(&keys->list, ((struct key){ c.id, c.content, c.time, (uint32_t)i }));
		arena_release(&a);
	}
	return rc == WN_NONE ? WN_OK : rc;
}

static int fill_only(struct collection *coll, struct filler *f, const struct keys *keys, struct err *err)
{
	bool main_text = catalog_settings(coll->catalog)->main_text;
	int rc = WN_OK;

	for (size_t i = 0; i < keys->list.n && rc == WN_OK; i++) {
		struct arena a = { 0 };
		struct capture c;

		if ((rc = catalog_capture(coll->catalog, &a, keys->list.p[i].id, &c, err)) == WN_OK)
			fill_row(f, i, &c, main_text);
		arena_release(&a);
	}
	return rc;
}

/* Reads the catalogue in the order of keys and fills rows; number[i] of key i is its document, or UINT32_MAX. */
static int fill(struct collection *coll, const struct selection_request *q, struct filler *f, const struct keys *keys,
		struct err *err)
{
	struct capture_query all = { .by_key = true };
	struct capture_cursor *cur = NULL;
	struct map doc_of = { 0 };
	bool main_text = catalog_settings(coll->catalog)->main_text;
	struct capture c;
	size_t next = 0;
	int rc;

	if (q->only)
		return fill_only(coll, f, keys, err);
	/* keys are in cursor order but for ties, which are few: try the next few before asking the map */
	for (size_t i = 1; i < keys->list.n; i++)
		if (keys->list.p[i].id < keys->list.p[i - 1].id && keys->list.p[i].time == keys->list.p[i - 1].time) {
			for (size_t k = 0; k < keys->list.n; k++)
				map_put(&doc_of, keys->list.p[k].id, k);
			break;
		}
	if ((rc = catalog_captures(coll->catalog, &all, &cur, err)) < 0)
		goto out;
	while ((rc = capture_next(cur, &c, err)) == WN_OK && next < keys->list.n) {
		if (doc_of.n) {
			const uint64_t *at = map_get(&doc_of, c.id);

			if (at)
				fill_row(f, *at, &c, main_text);
		} else if (c.id == keys->list.p[next].id) {
			fill_row(f, next++, &c, main_text);
		}
	}
	capture_close(cur);
out:
	map_release(&doc_of);
	return rc < 0 ? rc : WN_OK;
}

/* `text ~ "..."`: which documents match, by the full-text index. */
static int text_hits(struct collection *coll, const struct rule *where, const struct keys *keys, struct text_hits *hits,
		     struct err *err)
{
	struct ftreader *words;
	struct arena a = { 0 };
	uint64_t most = 0;
	int rc;

	if (where->n_queries == 0)
		return WN_OK;
	if ((rc = collection_words(coll, &words, err)) < 0)
		return rc;
	for (size_t i = 0; i < keys->list.n; i++)
		most = keys->list.p[i].content > most ? keys->list.p[i].content : most;
	for (size_t i = 0; i < where->n_queries && rc == WN_OK; i++) {
		uint64_t *bits = mem_zarray(most / 64 + 1, sizeof *bits), count;
		uint8_t *hit = mem_zarray(keys->list.n + 1, 1);
		struct ftquery *q;

		if ((rc = ftquery_parse(&a, where->queries[i], &q, err)) == WN_OK)
			rc = ftsearch_bits(words, q, bits, most + 1, &count, err);
		for (size_t k = 0; k < keys->list.n && rc == WN_OK; k++) {
			uint64_t c = keys->list.p[k].content;

			hit[k] = c && (bits[c / 64] >> (c % 64) & 1);
		}
		mem_free(bits);
		hits[i].hit = hit;
	}
	arena_release(&a);
	return rc;
}

static int apply_where(struct collection *coll, const struct selection_request *q, struct selection *out,
		       struct keys *keys, struct err *err)
{
	const struct rule *where = q->where;
	struct columns cols = { 0 };
	struct filler f;
	struct text_hits *hits = mem_zarray(where->n_queries + 1, sizeof *hits);
	struct bound *bound = NULL;
	uint8_t *picked = NULL;
	size_t n = 0;
	int rc;

	if ((rc = filler_open(&f, &cols, keys->list.n, where->needs, &where->env, coll, err)) < 0 ||
	    (rc = fill(coll, q, &f, keys, err)) < 0)
		goto out;
	columns_finish(&cols);
	if ((rc = text_hits(coll, where, keys, hits, err)) < 0 || (rc = rule_bind(&bound, where, &cols, hits, err)) < 0)
		goto out;
	picked = mem_zarray(keys->list.n + 1, 1);
	selection_run(bound, picked);
	for (size_t i = 0; i < keys->list.n; i++)
		if (picked[i])
			keys->list.p[n++] = keys->list.p[i];
	out->excluded.where = keys->list.n - n;
	keys->list.n = n;
out:
	filler_close(&f);
	bound_free(bound);
	columns_release(&cols);
	for (size_t i = 0; i < where->n_queries; i++)
		mem_free((void *)hits[i].hit);
	mem_free(hits);
	mem_free(picked);
	return rc;
}

static void apply_min_versions(struct selection *out, struct keys *keys, uint64_t least)
{
	size_t n = 0;

	for (size_t i = 0; i < keys->list.n;) {
		size_t end = i;

		while (end < keys->list.n && keys->list.p[end].urlkey == keys->list.p[i].urlkey)
			end++;
		if (end - i >= least) {
			memmove(keys->list.p + n, keys->list.p + i, (end - i) * sizeof *keys->list.p);
			n += end - i;
		}
		i = end;
	}
	out->excluded.versions = keys->list.n - n;
	keys->list.n = n;
}

int selection_load(struct selection *out, struct collection *coll, const struct selection_request *q, struct err *err)
{
	struct arena a = { 0 };
	struct rule_env env;
	struct keys keys = { 0 };
	struct filler f = { 0 };
	int rc;

	*out = (struct selection){ 0 };
	if ((rc = selection_env(coll, &a, RULE_PAIR, &env, err)) < 0 || (rc = q->only ? read_only_keys(coll, q, out, &keys, err) : read_keys(coll, q, out, &keys, err)) < 0)
		goto out;
	if (q->where && (rc = apply_where(coll, q, out, &keys, err)) < 0)
		goto out;
	if (q->min_versions > 1)
		apply_min_versions(out, &keys, q->min_versions);
	out->n = keys.list.n;
	out->id = mem_array(out->n + 1, sizeof *out->id);
	out->content = mem_array(out->n + 1, sizeof *out->content);
	for (size_t i = 0; i < out->n; i++) {
		out->id[i] = keys.list.p[i].id;
		out->content[i] = keys.list.p[i].content;
	}
	if ((rc = filler_open(&f, &out->columns, out->n, q->needs, &env, coll, err)) == WN_OK)
		rc = fill(coll, q, &f, &keys, err);
	columns_finish(&out->columns);
	filler_close(&f);
out:
	vec_release(&keys.list);
	arena_release(&a);
	if (rc < 0)
		selection_release(out);
	return rc;
}

void selection_part(struct selection *out, const struct selection *in, const uint32_t *docs, size_t n)
{
	*out = (struct selection){ .n = n,
				   .id = mem_array(n + 1, sizeof *out->id),
				   .content = mem_array(n + 1, sizeof *out->content) };
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
	}
	columns_finish(&out->columns);
}

void selection_release(struct selection *s)
{
	mem_free(s->id);
	mem_free(s->content);
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
