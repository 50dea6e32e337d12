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

static int load_passing(struct collection *coll, const struct find_request *q, struct arena *a, struct passing *p,
			struct err *err)
{
	struct selection_request s = { 0 };
	struct selection docs = { 0 };
	struct catalog_next next;
	struct map kept = { 0 };
	struct rule_env env;
	struct rule *where = NULL;
	int rc;

	if ((rc = catalog_next(coll->catalog, &next, err)) < 0 ||
	    (rc = selection_env(coll, a, RULE_SELECTION, &env, err)) < 0)
		return rc;
	/* the default selection of rules has status 200; a search looks at every document */
	if ((rc = rule_parse(a, q->where ? arena_str(a, str(q->where)) : STR("true"), &env, &where, err)) < 0)
		return rc;
	s.where = where;
	s.needs[ATTR_TIME] = true;
	if ((rc = selection_load(&docs, coll, &s, err)) < 0)
		return rc;
	if (q->cover) {
		sqlite3_stmt *stmt = NULL;

		if (sqlite3_prepare_v2(catalog_sqlite(coll->catalog),
				       "select capture from cover_member where cover = ? and kept = 1", -1, &stmt,
				       NULL) == SQLITE_OK) {
			sqlite3_bind_int64(stmt, 1, (sqlite3_int64)q->cover);
			while (sqlite3_step(stmt) == SQLITE_ROW)
				map_put(&kept, (uint64_t)sqlite3_column_int64(stmt, 0), 1);
		}
		sqlite3_finalize(stmt);
	}
	p->n_bits = next.content;
	p->bits = mem_zarray(p->n_bits / 64 + 1, sizeof *p->bits);
	for (size_t d = 0; d < docs.n; d++)
		if (docs.content[d] && docs.content[d] < p->n_bits && (!q->cover || map_get(&kept, docs.id[d])))
			pass(p, docs.content[d], docs.id[d], (int64_t)docs.columns.col[ATTR_TIME]->num[d]);
	map_release(&kept);
	selection_release(&docs);
	return WN_OK;
}

/* Without a filter: the newest capture of a content, and how many it has. */
static int newest_of(struct collection *coll, struct arena *a, uint64_t content, struct capture *out, uint64_t *count,
		     struct err *err)
{
	struct capture_query q = { .content = content };
	struct capture_cursor *cur = NULL;
	struct capture c;
	uint64_t best = 0;
	int64_t time = 0;
	int rc;

	*count = 0;
	if ((rc = catalog_captures(coll->catalog, &q, &cur, err)) < 0)
		return rc;
	while ((rc = capture_next(cur, &c, err)) == WN_OK) {
		++*count;
		if (!best || c.time > time) {
			best = c.id;
			time = c.time;
		}
	}
	capture_close(cur);
	if (rc < 0 || !best)
		return rc < 0 ? rc : WN_NONE;
	return catalog_capture(coll->catalog, a, best, out, err);
}

static int fill_hit(struct collection *coll, struct arena *a, const struct find_request *q, const struct ftquery *query,
		    const struct passing *p, const struct fthit *hit, struct find_hit *out, struct err *err)
{
	const uint64_t *at = map_get(&p->newest, hit->content);
	struct texts t;
	int rc;

	*out = (struct find_hit){ .score = hit->score };
	if (at) {
		out->captures = p->rows.p[*at].count;
		rc = catalog_capture(coll->catalog, a, p->rows.p[*at].capture, &out->capture, err);
	} else {
		rc = newest_of(coll, a, hit->content, &out->capture, &out->captures, err);
	}
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
	bool filtered = q->where || q->cover;
	size_t n = 0;
	int rc;

	*out = (struct find_result){ 0 };
	if ((rc = ftquery_parse(a, q->words, &query, err)) < 0 || (rc = collection_words(coll, &words, err)) < 0 ||
	    (rc = catalog_next(coll->catalog, &next, err)) < 0)
		goto out;
	if (filtered) {
		if ((rc = load_passing(coll, q, a, &p, err)) < 0)
			goto out;
		filter = (struct ftfilter){ .bits = p.bits, .n_bits = p.n_bits };
	}
	if ((rc = ftsearch_top(words, query, filtered ? &filter : NULL, q->limit, hits, &n, err)) < 0)
		goto out;
	bits = mem_zarray(next.content / 64 + 1, sizeof *bits);
	if ((rc = ftsearch_bits(words, query, bits, next.content, &out->matches, err)) < 0)
		goto out;
	if (filtered) {
		out->matches = 0;
		for (uint64_t i = 0; i <= next.content / 64; i++)
			out->matches += (uint64_t)__builtin_popcountll(bits[i] & p.bits[i]);
	}
	out->hits = ARENA_ARRAY(a, struct find_hit, n + 1);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		rc = fill_hit(coll, a, q, query, &p, &hits[i], &out->hits[out->n], err);
		if (rc == WN_OK)
			out->n++;
		else if (rc == WN_NONE) /* its captures were removed since the index was opened */
			rc = WN_OK;
	}
out:
	passing_release(&p);
	mem_free(hits);
	mem_free(bits);
	return rc;
}
