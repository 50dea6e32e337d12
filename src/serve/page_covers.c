/* serve/page_covers.c -- covers: the list, one cover with what each kept document covers, what it hides, and why.
 *
 * Lists go on by key (after=ID), never by offset.  A hidden document names its
 * direct coverer and its score; a group is never called copies of one page.
 */
#include <inttypes.h>
#include <sqlite3.h>

#include "base/json.h"
#include "base/limits.h"
#include "flow/export.h"
#include "serve/page.h"

enum { ROWS = 25, COVERED_SHOWN = 5, COVERED_ALL = 200 };

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void cover_href(struct request *q, struct buf *b, uint64_t id)
{
	html(b, "%s/c/%p/covers/%u", page_base(q), str(q->served->name), id);
}

void page_cover_list(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct cover_row *rows;
	struct err err = { 0 };
	struct buf *b;
	size_t n;
	int rc;

	if (!coll)
		return;
	b = page_begin(q, TAB_COVERS, STR("Covers"));
	rc = page_covers(q, coll, &rows, &n, &err);
	page_done(coll);
	if (rc < 0) {
		response_err(r, &err);
		return;
	}
	html(
	    b,
	    "<h1>Covers</h1>\n<p>A cover is the smallest set of documents that, by a rule, stands for all others.</p>\n"
	    "<p><a class=\"button primary\" href=\"%s/c/%p/rules/new\">New rule</a></p>\n",
	    page_base(q), str(q->served->name));
	if (n)
		html(
		    b,
		    "<table class=\"cards\"><thead><tr><th scope=\"col\">Cover</th><th scope=\"col\">Rule</th><th scope=\"col\" class=\"num\">Documents</th><th scope=\"col\" "
		    "class=\"num\">Kept</th><th scope=\"col\">Revision</th><th scope=\"col\">Made</th></tr></thead><tbody>\n");
	else
		html(b, "<p>There is none yet.</p>\n");
	for (size_t i = 0; i < n && i < 500; i++) {
		html(b, "<tr><th scope=\"row\"><a href=\"");
		cover_href(q, b, rows[i].id);
		html(
		    b,
		    "\">cover %u</a> %s</th><td data-name=\"Rule\"><code>%s</code></td><td class=\"num\" data-name=\"Documents\">%n</td><td class=\"num\" data-name=\"Kept\">%n (%f %%)</td>"
		    "<td class=\"num\" data-name=\"Revision\">%u</td><td data-name=\"Made\">%d</td></tr>\n",
		    rows[i].id, rows[i].name, rows[i].rule, rows[i].documents, rows[i].kept,
		    percent(rows[i].kept, rows[i].documents), rows[i].revision, rows[i].created);
	}
	if (n)
		html(b, "</tbody></table>\n");
	page_end(q, r, b);
}

/* ---- one cover ---- */

static bool open_cover(struct request *q, struct response *r, struct collection **coll, struct cover_row *row)
{
	struct err err = { 0 };

	if (!(*coll = page_collection(q, r)))
		return false;
	if (covers_find(*coll, &q->arena, arena_strz(&q->arena, request_arg(q, "cover")), row, &err) < 0) {
		page_done(*coll);
		response_err(r, &err);
		return false;
	}
	return true;
}

static uint64_t number(const struct json_value *v, const char *key)
{
	uint64_t n = 0;

	return v && str_u64(json_text(v, key), &n) ? n : 0;
}

static void stale(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row)
{
	struct catalog_next next;

	if (catalog_next(coll->catalog, &next, NULL) < 0 || next.revision == row->revision)
		return;
	html(
	    b,
	    "<p class=\"note bad\">The collection is at revision %u; this cover is of revision %u and does not know what came since. ",
	    next.revision, row->revision);
	if (!q->server->options.read_only)
		html(b, "<a href=\"%s/c/%p/rules/new?rule=%p\">Compute it again</a>", page_base(q),
		     str(q->served->name), row->rule);
	html(b, "</p>\n");
}

static void proof(struct request *q, struct buf *b, const struct cover_row *row)
{
	struct json_value *v = NULL;
	uint64_t components, proven, gap = row->kept > row->lower_bound ? row->kept - row->lower_bound : 0;

	if (json_parse(&q->arena, row->report, &v, NULL) < 0)
		v = NULL;
	components = number(v, "components");
	proven = number(v, "proven_components");
	if (gap == 0)
		html(b, "<p class=\"note good\"><b>%n kept, proven minimum:</b> no smaller set covers the rest.</p>\n",
		     row->kept);
	else
		html(
		    b,
		    "<p class=\"note\"><b>%n kept</b> \u00b7 proven minimum in %f %% of %n groups \u00b7 at most %n above the optimum.</p>\n",
		    row->kept, percent(proven, components), components, gap);
	if (v && number(v, "bytes"))
		html(b, "<p>Of %f MB of payload, %f MB are kept (%f %%).</p>\n", (double)number(v, "bytes") / 1e6,
		     (double)number(v, "bytes_kept") / 1e6, percent(number(v, "bytes_kept"), number(v, "bytes")));
}

static void exports(struct request *q, struct buf *b, const struct cover_row *row)
{
	html(b, "<h2>Take it away</h2><ul class=\"links\"><li><a href=\"");
	cover_href(q, b, row->id);
	html(
	    b,
	    "/cover.csv\">cover.csv</a>: every document, kept or dropped, by which one, with scores</li><li><a href=\"");
	cover_href(q, b, row->id);
	html(
	    b,
	    "/methods.txt\">Methods note</a>: selection, rule, hash, revision, counts, proof</li></ul>\n<p>As WARC or WACZ, in a terminal: <code>winnow export %z --cover %u "
	    "--format warc -o kept.warc.gz</code></p>\n",
	    q->served->name, row->id);
}

static void summary(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row)
{
	html(b, "<h1>Cover %u%z%s</h1>\n<pre>%s</pre>\n", row->id, row->name.n ? ": " : "", row->name, row->rule);
	stale(q, coll, b, row);
	html(
	    b,
	    "<dl class=\"facts\"><div><dt>Documents</dt><dd>%n</dd></div><div><dt>Kept</dt><dd>%n <small>%f %%</small></dd></div><div><dt>Hidden</dt><dd>%n</dd></div>"
	    "<div><dt>Revision</dt><dd>%u</dd></div><div><dt>Made</dt><dd>%d</dd></div></dl>\n",
	    row->documents, row->kept, percent(row->kept, row->documents), row->documents - row->kept, row->revision,
	    row->created);
	proof(q, b, row);
	if (row->selection.n)
		html(b, "<p>Only documents with <code>%s</code>.</p>\n", row->selection);
	if (row->options.per.n)
		html(b, "<p>At least %n kept per %s.</p>\n", row->options.keep_at_least, row->options.per);
}

static void tabs(struct request *q, struct buf *b, const struct cover_row *row, bool dropped)
{
	html(b, "<nav class=\"pager\" aria-label=\"Documents\"><a class=\"button\"%m href=\"",
	     dropped ? "" : " aria-current=\"page\"");
	cover_href(q, b, row->id);
	html(b, "\">Kept: %n</a><a class=\"button\"%m href=\"", row->kept, dropped ? " aria-current=\"page\"" : "");
	cover_href(q, b, row->id);
	html(b, "/dropped\">Hidden: %n</a></nav>\n", row->documents - row->kept);
}

static sqlite3_stmt *prepare(struct collection *coll, const char *sql, uint64_t cover, uint64_t other, uint64_t limit)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(catalog_sqlite(coll->catalog), sql, -1, &s, NULL) != SQLITE_OK)
		return NULL;
	sqlite3_bind_int64(s, 1, (sqlite3_int64)cover);
	sqlite3_bind_int64(s, 2, (sqlite3_int64)other);
	sqlite3_bind_int64(s, 3, (sqlite3_int64)limit);
	return s;
}

/* One document in a list; false when readers may not see it. */
static bool document(struct request *q, struct collection *coll, struct buf *b, uint64_t id, struct capture *c)
{
	if (catalog_capture(coll->catalog, &q->arena, id, c, NULL) < 0 || !page_allowed(q, c->urlkey, c->time)) {
		html(b, "document %u", id);
		return false;
	}
	html(b, "%t ", c->time);
	page_capture_link(q, b, c);
	html(b, " <span class=\"soft\">%b</span>", c->url);
	return true;
}

static void score(struct buf *b, uint64_t shared, uint64_t size, uint64_t witness_size)
{
	if (!size) /* the rule has no measure */
		return;
	html(b, " <span class=\"soft\">%f %% contained in the kept page, Jaccard %f %%</span>", percent(shared, size),
	     percent(shared, size + witness_size - shared));
}

static void covered(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row,
		    uint64_t kept, uint64_t most)
{
	sqlite3_stmt *s = prepare(
	    coll,
	    "select capture, shared, size, witness_size, count(*) over () from cover_member where cover = ?1 and witness = ?2 order by capture limit ?3",
	    row->id, kept, most);
	uint64_t shown = 0, all = 0;

	while (s && sqlite3_step(s) == SQLITE_ROW) {
		uint64_t id = (uint64_t)sqlite3_column_int64(s, 0);
		struct capture c;

		if (!shown++) {
			all = (uint64_t)sqlite3_column_int64(s, 4);
			html(b, "<details open><summary>covers %n</summary><ul class=\"covered\">\n", all);
		}
		html(b, "<li>");
		document(q, coll, b, id, &c);
		score(b, (uint64_t)sqlite3_column_int64(s, 1), (uint64_t)sqlite3_column_int64(s, 2),
		      (uint64_t)sqlite3_column_int64(s, 3));
		html(b,
		     " <a href=\"%s/c/%p/diff/%u..%u\">diff<span class=\"hidden\"> of %u and %u</span></a> <a href=\"",
		     page_base(q), str(q->served->name), id, kept, id, kept);
		cover_href(q, b, row->id);
		html(b, "/doc/%u\">why<span class=\"hidden\"> %u is hidden</span></a></li>\n", id, id);
	}
	if (all > shown) {
		html(b, "<li><a href=\"");
		cover_href(q, b, row->id);
		html(b, "/doc/%u\">all %n</a></li>", kept, all);
	}
	if (shown)
		html(b, "</ul></details>\n");
	sqlite3_finalize(s);
}

static void kept_row(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row,
		     uint64_t id)
{
	struct capture c;

	html(b, "<li><span class=\"tag kept\">kept</span> ");
	if (document(q, coll, b, id, &c))
		html(b, " <a href=\"%s/%p/*/%r\">all captures<span class=\"hidden\"> of %b</span></a>", page_base(q),
		     str(q->served->slug), c.url, c.url);
	covered(q, coll, b, row, id, COVERED_SHOWN);
	html(b, "</li>\n");
}

static void dropped_row(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row,
			sqlite3_stmt *s)
{
	uint64_t id = (uint64_t)sqlite3_column_int64(s, 0), by = (uint64_t)sqlite3_column_int64(s, 1);
	struct capture c;

	html(b, "<li><span class=\"tag dropped\">hidden</span> ");
	document(q, coll, b, id, &c);
	html(b, "<br>by ");
	document(q, coll, b, by, &c);
	score(b, (uint64_t)sqlite3_column_int64(s, 2), (uint64_t)sqlite3_column_int64(s, 3),
	      (uint64_t)sqlite3_column_int64(s, 4));
	html(b, "<br><a href=\"%s/c/%p/diff/%u..%u\">diff<span class=\"hidden\"> of %u and %u</span></a> <a href=\"",
	     page_base(q), str(q->served->name), id, by, id, by);
	cover_href(q, b, row->id);
	html(b, "/doc/%u\">why<span class=\"hidden\"> %u is hidden</span></a></li>\n", id, id);
}

static void rows(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row, bool dropped,
		 uint64_t after)
{
	sqlite3_stmt *s = prepare(
	    coll,
	    dropped
		? "select capture, witness, shared, size, witness_size from cover_member where cover = ?1 and capture > ?2 and kept = 0 order by capture limit ?3"
		: "select capture from cover_member where cover = ?1 and capture > ?2 and kept = 1 order by capture limit ?3",
	    row->id, after, ROWS + 1);
	uint64_t last = 0;
	unsigned n = 0;

	html(b, "<ol class=\"hits\">\n");
	while (s && sqlite3_step(s) == SQLITE_ROW && ++n <= ROWS) {
		last = (uint64_t)sqlite3_column_int64(s, 0);
		if (dropped)
			dropped_row(q, coll, b, row, s);
		else
			kept_row(q, coll, b, row, last);
	}
	sqlite3_finalize(s);
	html(b, "</ol>\n");
	if (!n)
		html(b, "<p>%z</p>\n",
		     after     ? "There are no more."
		     : dropped ? "Nothing is hidden: no document has a coverer under this rule."
			       : "Nothing was selected.");
	if (n > ROWS) {
		html(b, "<nav class=\"pager\" aria-label=\"Pages\"><a class=\"button\" rel=\"next\" href=\"");
		cover_href(q, b, row->id);
		html(b, "%z?after=%u\">Next</a></nav>\n", dropped ? "/dropped" : "", last);
	}
}

static void browse(struct request *q, struct response *r, bool dropped)
{
	struct collection *coll;
	struct cover_row row;
	uint64_t after;
	struct buf *b;

	if (!request_u64(q, "after", 0, INT64_MAX, 0, &after)) {
		response_error(r, 400, "after is the number of a document");
		return;
	}
	if (!open_cover(q, r, &coll, &row))
		return;
	b = page_begin(q, TAB_COVERS,
		       arena_printf(&q->arena, "Cover %" PRIu64 "%s", row.id, dropped ? ", hidden" : ""));
	summary(q, coll, b, &row);
	if (!after && !dropped)
		exports(q, b, &row);
	html(b, "<h2>%z</h2>\n", dropped ? "What it hides" : "What it keeps");
	tabs(q, b, &row, dropped);
	rows(q, coll, b, &row, dropped, after);
	page_done(coll);
	page_end(q, r, b);
}

void page_cover(struct request *q, struct response *r) { browse(q, r, false); }

void page_dropped(struct request *q, struct response *r) { browse(q, r, true); }

/* ---- why ---- */

static int clauses(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row, uint64_t a,
		   uint64_t w, struct err *err)
{
	struct run_request rq = covers_request(&q->arena, row);
	struct overlap ov[TEXT_KINDS];
	struct run run;
	struct clause *c;
	uint32_t x, y;
	size_t n;
	int rc;

	rq.threads = 1;
	if ((rc = run_open(&run, coll, &rq, err)) < 0)
		return rc;
	if (!selection_find(&run.docs, a, &x) || !selection_find(&run.docs, w, &y)) {
		html(
		    b,
		    "<p class=\"note\">The collection has changed since this cover was made; the rule cannot be shown clause by clause.</p>\n");
	} else if ((rc = run_overlaps(&run, x, y, ov, err)) == WN_OK) {
		c = rule_clauses(&q->arena, run.rule, &run.docs.columns, x, y, ov, &n);
		html(
		    b,
		    "<h2>The rule, clause by clause</h2><table class=\"cards\"><thead><tr><th scope=\"col\">Clause</th><th scope=\"col\">Holds</th><th "
		    "scope=\"col\">Values</th></tr></thead><tbody>\n");
		for (size_t i = 0; i < n; i++)
			html(
			    b,
			    "<tr><th scope=\"row\"><code>%s</code></th><td data-name=\"Holds\">%z</td><td data-name=\"Values\">%b%z</td></tr>\n",
			    c[i].text, c[i].holds ? "yes" : "no", c[i].numbers,
			    c[i].by_missing ? " (both missing)" : "");
		html(b, "</tbody></table>\n");
	}
	run_close(&run);
	return rc;
}

static int explain(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row, uint64_t id,
		   struct err *err)
{
	struct cover_member m;
	struct capture c, w;
	int rc;

	if ((rc = catalog_capture(coll->catalog, &q->arena, id, &c, err)) < 0 ||
	    (rc = covers_member(coll, row->id, id, &m, err)) < 0)
		return rc;
	if (!page_allowed(q, c.urlkey, c.time))
		return err_set(err, WN_NONE, "this capture is not open to readers");
	html(b, "<h1>Why is it %z?</h1>\n<p>", m.kept ? "kept" : "hidden");
	document(q, coll, b, id, &c);
	html(b, "</p>\n<p>By <a href=\"");
	cover_href(q, b, row->id);
	html(b, "\">cover %u</a>: <code>%s</code></p>\n", row->id, row->rule);
	if (m.kept) {
		html(b, "<p>It is kept. What is hidden because of it:</p>\n");
		covered(q, coll, b, row, id, COVERED_ALL);
		return WN_OK;
	}
	html(b, "<p class=\"note\">It is hidden because this one is kept: ");
	document(q, coll, b, m.witness, &w);
	html(b, "</p>\n<p>They share %n shingles of %n and %n.", m.shared, m.size, m.witness_size);
	score(b, m.shared, m.size, m.witness_size);
	html(b, " <a href=\"%s/c/%p/diff/%u..%u\">How they differ</a></p>\n", page_base(q), str(q->served->name), id,
	     m.witness);
	if ((rc = clauses(q, coll, b, row, id, m.witness, err)) == WN_OK && !q->server->options.read_only)
		html(
		    b,
		    "<form method=\"post\" action=\"%s/c/%p/covers\"><input type=\"hidden\" name=\"again\" value=\"%u\"><input type=\"hidden\" name=\"keep\" value=\"%u\">"
		    "<button>Keep this one: compute a cover that has it</button></form>\n",
		    page_base(q), str(q->served->name), row->id, id);
	return rc;
}

void page_why(struct request *q, struct response *r)
{
	struct collection *coll;
	struct cover_row row;
	struct err err = { 0 };
	struct buf *b;
	uint64_t id;
	int rc;

	if (!str_u64(request_arg(q, "doc"), &id)) {
		response_error(r, 404, "a document's address ends in its number");
		return;
	}
	if (!open_cover(q, r, &coll, &row))
		return;
	b = page_begin(q, TAB_COVERS, arena_printf(&q->arena, "Document %" PRIu64 " in cover %" PRIu64, id, row.id));
	rc = explain(q, coll, b, &row, id, &err);
	page_done(coll);
	if (rc < 0)
		response_err(r, &err);
	else
		page_end(q, r, b);
}

void page_methods(struct request *q, struct response *r)
{
	struct collection *coll;
	struct cover_row row;
	struct buf *b;

	if (!open_cover(q, r, &coll, &row))
		return;
	b = request_buf(q, LIMIT_PAGE);
	export_methods(&row, catalog_settings(coll->catalog), b);
	page_done(coll);
	r->policy = POLICY_DATA;
	response_body(r, "text/plain; charset=utf-8", buf_view(b));
}

/* ---- cover.csv, streamed a piece at a time ---- */

enum { CSV_ROWS = 500 };

struct csv {
	struct request *q;
	struct collection coll; /* its own handle: the worker's serves others meanwhile */
	struct arena arena;
	struct buf piece;
	size_t at;
	uint64_t cover, last;
	bool open, ended;
};

static void csv_cell(struct buf *b, struct str s)
{
	buf_byte(b, '"');
	if (s.n && strchr("=+-@\t\r", s.p[0])) /* a spreadsheet would compute it */
		buf_byte(b, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_byte(b, '"');
		buf_byte(b, s.p[i]);
	}
	buf_byte(b, '"');
}

static bool csv_rows(struct csv *v)
{
	sqlite3_stmt *s = prepare(
	    &v->coll,
	    "select capture, kept, witness, shared, size, witness_size from cover_member where cover = ?1 and capture > ?2 order by capture limit ?3",
	    v->cover, v->last, CSV_ROWS);
	unsigned n = 0;

	while (s && sqlite3_step(s) == SQLITE_ROW) {
		struct capture c;

		n++;
		v->last = (uint64_t)sqlite3_column_int64(s, 0);
		arena_reset(&v->arena);
		if (catalog_capture(v->coll.catalog, &v->arena, v->last, &c, NULL) < 0 ||
		    !page_allowed(v->q, c.urlkey, c.time))
			continue;
		html(&v->piece, "%u,%i,", v->last, c.time);
		csv_cell(&v->piece, c.url);
		html(&v->piece, ",%z,", sqlite3_column_int(s, 1) ? "kept" : "dropped");
		for (int i = 2; i < 6; i++)
			if (sqlite3_column_type(s, i) != SQLITE_NULL)
				html(&v->piece, "%u%z", (uint64_t)sqlite3_column_int64(s, i), i < 5 ? "," : "");
			else
				html(&v->piece, "%z", i < 5 ? "," : "");
		buf_str(&v->piece, STR("\r\n"));
	}
	sqlite3_finalize(s);
	return n == CSV_ROWS;
}

static ptrdiff_t csv_more(void *context, char *p, size_t n)
{
	struct csv *v = context;
	size_t left;

	while (v->at == v->piece.n && !v->ended) {
		buf_reset(&v->piece);
		v->at = 0;
		v->ended = !csv_rows(v);
	}
	left = v->piece.n - v->at;
	n = n < left ? n : left;
	memcpy(p, v->piece.p + v->at, n);
	v->at += n;
	return (ptrdiff_t)n;
}

static void csv_done(void *context)
{
	struct csv *v = context;

	if (v->open)
		collection_close(&v->coll);
	arena_release(&v->arena);
	buf_release(&v->piece);
}

void page_cover_csv(struct request *q, struct response *r)
{
	struct csv *v = ARENA_NEW(&q->arena, struct csv);
	struct collection *coll;
	struct cover_row row;
	struct err err = { 0 };

	if (!open_cover(q, r, &coll, &row))
		return;
	page_done(coll);
	*v = (struct csv){ .q = q, .cover = row.id, .piece = BUF(LIMIT_PAGE) };
	if (collection_open(&v->coll, q->served->dir, CATALOG_READ, NULL, &err) < 0) {
		response_err(r, &err);
		return;
	}
	v->open = true;
	buf_str(&v->piece, STR("id,stamp,url,state,by_id,shared,size,by_size\r\n"));
	r->policy = POLICY_DATA;
	response_headerf(r, "Content-Disposition", "attachment; filename=\"cover-%" PRIu64 ".csv\"", row.id);
	response_stream(r, "text/csv; charset=utf-8", csv_more, csv_done, v);
}
