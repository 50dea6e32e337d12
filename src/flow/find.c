/* flow/find.c -- see find.h. */
#include "flow/find.h"

#include <sqlite3.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "flow/selection.h"

struct passing_row {
	uint64_t capture, count;
	int64_t time;
};

/* The captures that pass, as bits over contents and as the newest capture and count of each content. */
struct ids {
	VEC(uint64_t) list;
};

struct passing {
	uint64_t *bits, n_bits;
	struct map newest; /* content -> index in rows */
	VEC(struct passing_row) rows;
};

static void passing_release(struct passing *p)
{
	mem_free(p->bits);
	map_release(&p->newest);
	vec_release(&p->rows);
}

static void pass(struct passing *p, uint64_t content, uint64_t capture, int64_t time)
{
	uint64_t at = *map_put(&p->newest, content, p->rows.n);

	if (at == p->rows.n)
		vec_push(&p->rows, ((struct passing_row){ capture, 0, time }));
	p->rows.p[at].count++;
	if (time >= p->rows.p[at].time) {
		p->rows.p[at].time = time;
		p->rows.p[at].capture = capture;
	}
	p->bits[content / 64] |= 1ull << (content % 64);
}

/* Up to so many captures of matching contents are asked for one by one; beyond, all documents are read. */
enum { FEW_CAPTURES = 8000 };

/* The captures of the contents in bits, ascending by content; false: there are too many. */
static bool few_captures(struct collection *coll, const uint64_t *bits, uint64_t n_bits, struct ids *out)
{
	sqlite3_stmt *s = NULL;
	bool few = true;

	if (sqlite3_prepare_v2(catalog_sqlite(coll->catalog), "select capture from content_capture where content = ?",
			       -1, &s, NULL) != SQLITE_OK)
		return false;
	for (uint64_t word = 0; word <= n_bits / 64 && few; word++)
		for (uint64_t left = bits[word]; left && few; left &= left - 1) {
			uint64_t content = word * 64 + (uint64_t)__builtin_ctzll(left);

			sqlite3_bind_int64(s, 1, (sqlite3_int64)content);
			while (few && sqlite3_step(s) == SQLITE_ROW) {
				vec_push(&out->list, (uint64_t)sqlite3_column_int64(s, 0));
				few = out->list.n <= FEW_CAPTURES;
			}
			sqlite3_reset(s);
		}
	sqlite3_finalize(s);
	return few;
}

/* Which of the documents a cover keeps: by seeks when they are few, else by one reading of what it keeps. */
static int keep_covered(struct collection *coll, uint64_t cover, bool few, const struct selection *docs, uint8_t *kept,
			struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;
	struct map all = { 0 };
	int rc = WN_OK, step = SQLITE_DONE;
	const char *sql = few ? "select kept from cover_member where cover = ?1 and capture = ?2"
			      : "select capture from cover_member where cover = ?1 and kept = 1";

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		return err_set(err, WN_CATALOG, "the members of the cover: %s", sqlite3_errmsg(db));
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	while (!few && (step = sqlite3_step(s)) == SQLITE_ROW)
		map_put(&all, (uint64_t)sqlite3_column_int64(s, 0), 1);
	for (size_t d = 0; d < docs->n && (step == SQLITE_DONE || step == SQLITE_ROW); d++) {
		if (few) {
			sqlite3_bind_int64(s, 2, (sqlite3_int64)docs->id[d]);
			step = sqlite3_step(s);
			kept[d] = step == SQLITE_ROW && sqlite3_column_int(s, 0);
			if (step == SQLITE_ROW || step == SQLITE_DONE)
				sqlite3_reset(s);
		} else {
			kept[d] = map_get(&all, docs->id[d]) != NULL;
		}
	}
	if (step != SQLITE_DONE && step != SQLITE_ROW)
		rc = err_set(err, WN_CATALOG, "the members of the cover: %s", sqlite3_errmsg(db));
	map_release(&all);
	sqlite3_finalize(s);
	return rc;
}

static bool shown(const struct find_request *q, const struct selection *docs, size_t d)
{
	const struct columns *c = &docs->columns;

	return !q->acl ||
	       acl_allows(q->acl, columns_str(c, c->col[ATTR_URLKEY], d), (int64_t)c->col[ATTR_TIME]->num[d], q->user);
}

static int load_passing(struct collection *coll, const struct find_request *q, struct arena *a, const uint64_t *bits,
			uint64_t n_bits, struct passing *p, struct err *err)
{
	struct selection_request s = { 0 };
	struct selection docs = { 0 };
	struct rule_env env;
	struct rule *where = NULL;
	struct ids ids = { 0 };
	uint8_t *kept = NULL;
	bool few;
	int rc;

	if ((rc = selection_env(coll, a, RULE_SELECTION, &env, err)) < 0)
		return rc;
	/* the default selection of rules has status 200; a search looks at every document */
	if ((rc = rule_parse(a, q->where ? arena_str(a, str(q->where)) : STR("true"), &env, &where, err)) < 0)
		return rc;
	s.where = where;
	s.needs[ATTR_TIME] = true;
	s.needs[ATTR_URLKEY] = q->acl != NULL;
	p->n_bits = n_bits;
	p->bits = mem_zarray(n_bits / 64 + 1, sizeof *p->bits);
	few = few_captures(coll, bits, n_bits, &ids);
	if (few) {
		s.only = ids.list.p;
		s.n_only = ids.list.n;
	}
	if ((!few || ids.list.n) && (rc = selection_load(&docs, coll, &s, err)) == WN_OK) {
		kept = mem_zarray(docs.n + 1, 1);
		if (q->cover)
			rc = keep_covered(coll, q->cover, few, &docs, kept, err);
		for (size_t d = 0; d < docs.n && rc == WN_OK; d++)
			if (docs.content[d] && docs.content[d] < n_bits && (!q->cover || kept[d]) && shown(q, &docs, d))
				pass(p, docs.content[d], docs.id[d], (int64_t)docs.columns.col[ATTR_TIME]->num[d]);
	}
	mem_free(kept);
	vec_release(&ids.list);
	selection_release(&docs);
	return rc;
}

/* Statements that every hit needs, prepared once a search. */
struct asking {
	sqlite3_stmt *newest, *brief;
};

static int asking_open(struct asking *x, struct collection *coll, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);

	if (sqlite3_prepare_v2(
		db,
		"select c.id, c.time from content_capture x join capture c on c.id = x.capture where x.content = ?1",
		-1, &x->newest, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(
		db,
		"select c.time, c.urlkey, h.name, w.text from capture c join host h on h.id = c.host left join content t on t.id = c.content left join word w on w.id = t.lang "
		"where c.id = ?1",
		-1, &x->brief, NULL) != SQLITE_OK)
		return err_set(err, WN_CATALOG, "search: %s", sqlite3_errmsg(db));
	return WN_OK;
}

static void asking_close(struct asking *x)
{
	sqlite3_finalize(x->newest);
	sqlite3_finalize(x->brief);
}

/* Without a filter: the newest capture of a content, and how many it has. */
static uint64_t newest_of(struct asking *x, uint64_t content, uint64_t *count)
{
	uint64_t best = 0;
	int64_t time = 0;

	*count = 0;
	sqlite3_bind_int64(x->newest, 1, (sqlite3_int64)content);
	while (sqlite3_step(x->newest) == SQLITE_ROW) {
		++*count;
		if (!best || sqlite3_column_int64(x->newest, 1) > time) {
			best = (uint64_t)sqlite3_column_int64(x->newest, 0);
			time = sqlite3_column_int64(x->newest, 1);
		}
	}
	sqlite3_reset(x->newest);
	return best;
}

static struct str column(struct arena *a, sqlite3_stmt *s, int i)
{
	const char *p = (const char *)sqlite3_column_text(s, i);

	return p ? arena_str(a, str_n(p, (size_t)sqlite3_column_bytes(s, i))) : STR_NONE;
}

static int brief_of(struct asking *x, struct arena *a, uint64_t id, struct capture *out)
{
	int rc = WN_NONE;

	sqlite3_bind_int64(x->brief, 1, (sqlite3_int64)id);
	if (sqlite3_step(x->brief) == SQLITE_ROW) {
		*out = (struct capture){ .id = id,
					 .time = sqlite3_column_int64(x->brief, 0),
					 .urlkey = column(a, x->brief, 1),
					 .host = column(a, x->brief, 2),
					 .lang = column(a, x->brief, 3) };
		rc = WN_OK;
	}
	sqlite3_reset(x->brief);
	return rc;
}

static int fill_hit(struct collection *coll, struct asking *x, struct arena *a, const struct find_request *q,
		    const struct ftquery *query, const struct passing *p, const struct fthit *hit, struct find_hit *out,
		    struct err *err)
{
	const uint64_t *at = map_get(&p->newest, hit->content);
	struct texts t;
	uint64_t id;
	int rc;

	*out = (struct find_hit){ .score = hit->score };
	if (at) {
		out->captures = p->rows.p[*at].count;
		id = p->rows.p[*at].capture;
	} else {
		id = newest_of(x, hit->content, &out->captures);
	}
	if (!id)
		return WN_NONE;
	rc = q->brief ? brief_of(x, a, id, &out->capture) : catalog_capture(coll->catalog, a, id, &out->capture, err);
	if (rc == WN_OK && q->snippet && (rc = collection_text(coll, hit->content, &t, err)) == WN_OK) {
		out->snippet = ftquery_snippet(a, query, t.body, q->snippet);
		out->snippet.text = arena_str(a, out->snippet.text);
	}
	return rc;
}

int find_run(struct collection *coll, struct arena *a, const struct find_request *q, struct find_result *out,
	     struct err *err)
{
	struct passing p = { 0 };
	struct ftfilter filter = { 0 };
	struct fthit *hits = mem_array(q->limit + 1, sizeof *hits);
	struct ftreader *words;
	struct ftquery *query;
	uint64_t *bits = NULL;
	struct catalog_next next;
	struct asking x = { 0 };
	bool filtered = q->where || q->cover || q->acl;
	size_t n = 0;
	int rc;

	*out = (struct find_result){ 0 };
	if ((rc = ftquery_parse(a, q->words, &query, err)) < 0 || (rc = collection_words(coll, &words, err)) < 0 ||
	    (rc = catalog_next(coll->catalog, &next, err)) < 0)
		goto out;
	bits = mem_zarray(next.content / 64 + 1, sizeof *bits);
	if ((rc = ftsearch_bits(words, query, bits, next.content, &out->matches, err)) < 0 ||
	    (rc = asking_open(&x, coll, err)) < 0)
		goto out;
	if (filtered) {
		if ((rc = load_passing(coll, q, a, bits, next.content, &p, err)) < 0)
			goto out;
		filter = (struct ftfilter){ .bits = p.bits, .n_bits = p.n_bits };
	}
	if ((rc = ftsearch_top(words, query, filtered ? &filter : NULL, q->limit, hits, &n, err)) < 0)
		goto out;
	if (filtered) {
		out->matches = 0;
		for (uint64_t i = 0; i <= next.content / 64; i++)
			out->matches += (uint64_t)__builtin_popcountll(bits[i] & p.bits[i]);
	}
	out->hits = ARENA_ARRAY(a, struct find_hit, n + 1);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		rc = fill_hit(coll, &x, a, q, query, &p, &hits[i], &out->hits[out->n], err);
		if (rc == WN_OK)
			out->n++;
		else if (rc == WN_NONE) /* its captures were removed since the index was opened */
			rc = WN_OK;
	}
out:
	asking_close(&x);
	passing_release(&p);
	mem_free(hits);
	mem_free(bits);
	return rc;
}
