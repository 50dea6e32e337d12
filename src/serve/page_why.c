/* serve/page_why.c -- why a document is kept or hidden, and two covers beside each other. */
#include <inttypes.h>

#include "base/limits.h"
#include "serve/cover_ui.h"

enum { COVERED_ALL = 200, DIFFERENCES = 50, COUNTED_AT_ONCE = 50000, COMPARED_AT_ONCE = 50000 };

/* ---- shared by the pages of covers ---- */

void cover_href(struct request *q, struct buf *b, uint64_t id)
{
	html(b, "%s/c/%p/covers/%u", page_base(q), str(q->served->name), id);
}

bool cover_open(struct request *q, struct response *r, const char *name, struct collection **coll,
		struct cover_row *row)
{
	struct err err = { 0 };

	if (!(*coll = page_collection(q, r)))
		return false;
	if (covers_find(*coll, &q->arena, arena_strz(&q->arena, request_arg(q, name)), row, &err) < 0) {
		page_done(*coll);
		response_err(r, &err);
		return false;
	}
	return true;
}

bool cover_document(struct request *q, struct collection *coll, struct buf *b, uint64_t id, struct capture *c)
{
	if (catalog_capture(coll->catalog, &q->arena, id, c, NULL) < 0 || !page_allowed(q, c->urlkey, c->time)) {
		html(b, "document %u, not open to readers", id);
		return false;
	}
	html(b, "%t ", c->time);
	page_capture_link(q, b, c);
	html(b, " <span class=\"soft\">%b</span>", c->url);
	return true;
}

void cover_score(struct buf *b, const struct cover_member *m)
{
	if (!m->size) /* the rule has no measure */
		return;
	html(b, " <span class=\"soft\">%f %% contained in the kept page, Jaccard %f %%</span> ",
	     percent(m->shared, m->size), percent(m->shared, m->size + m->witness_size - m->shared));
}

void cover_again(struct request *q, struct buf *b, uint64_t cover, uint64_t keep, const char *label)
{
	if (q->server->options.read_only)
		return;
	html(b, "<form method=\"post\" action=\"%s/c/%p/covers\"><input type=\"hidden\" name=\"again\" value=\"%u\">",
	     page_base(q), str(q->served->name), cover);
	if (keep)
		html(b, "<input type=\"hidden\" name=\"keep\" value=\"%u\">", keep);
	else
		html(b, "<input type=\"hidden\" name=\"update\" value=\"1\">");
	html(b, "<button class=\"small\">%z", label);
	if (keep)
		html(b, "<span class=\"hidden\">, document %u, and compute the cover anew</span>", keep);
	html(b, "</button></form>");
}

void cover_actions(struct request *q, struct buf *b, const struct cover_row *row, uint64_t hidden, uint64_t kept)
{
	html(
	    b,
	    "<span class=\"actions\"><a href=\"%s/c/%p/diff/%u..%u\">diff<span class=\"hidden\"> of %u and %u</span></a><a href=\"",
	    page_base(q), str(q->served->name), hidden, kept, hidden, kept);
	cover_href(q, b, row->id);
	html(b, "/doc/%u\">why<span class=\"hidden\"> %u is hidden</span></a>", hidden, hidden);
	cover_again(q, b, row->id, hidden, "keep this one");
	html(b, "</span>");
}

void cover_covered(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row,
		   uint64_t kept, uint64_t most)
{
	struct members_query of = { .cover = row->id, .which = MEMBERS_OF, .witness = kept };
	struct members *list = NULL;
	struct cover_member m;
	struct capture c;
	uint64_t shown = 0, all;

	if (members_count_of(coll, row->id, kept, &all, NULL) < 0 || !all || members_open(&list, coll, &of, NULL) < 0)
		return;
	html(b, "<details open><summary>covers %n</summary><ul class=\"covered\">\n", all);
	for (; shown < most && members_next(list, &m, NULL) == WN_OK; shown++) {
		html(b, "<li>");
		if (cover_document(q, coll, b, m.id, &c)) {
			cover_score(b, &m);
			cover_actions(q, b, row, m.id, kept);
		}
		html(b, "</li>\n");
	}
	if (all > shown) {
		html(b, "<li><a href=\"");
		cover_href(q, b, row->id);
		html(b, "/doc/%u\">all %n</a></li>", kept, all);
	}
	html(b, "</ul></details>\n");
	members_close(list);
}

/* ---- why ---- */

/* The run of the two documents alone: the rule sees nothing else of a pair. */
static int clauses(struct request *q, struct collection *coll, const struct cover_row *row, uint64_t a, uint64_t w,
		   struct clause **out, size_t *n, struct err *err)
{
	struct run_request rq = covers_request(&q->arena, row);
	struct overlap ov[TEXT_KINDS];
	uint64_t ids[2] = { a, w };
	struct run run;
	uint32_t x, y;
	int rc;

	*n = 0;
	rq.threads = 1;
	rq.only = ids;
	rq.n_only = 2;
	rq.n_keep = 0;
	rq.min_versions = 0;
	rq.per = NULL;
	rq.keep_at_least = 0;
	if ((rc = run_open(&run, coll, &rq, err)) < 0)
		return rc;
	if (selection_find(&run.docs, a, &x) && selection_find(&run.docs, w, &y) &&
	    (rc = run_overlaps(&run, x, y, ov, err)) == WN_OK) {
		*out = rule_clauses(&q->arena, run.rule, &run.docs.columns, x, y, ov, n);
		for (size_t i = 0; i < *n; i++) {
			(*out)[i].text = arena_str(&q->arena, (*out)[i].text);
			(*out)[i].numbers = arena_str(&q->arena, (*out)[i].numbers);
		}
	}
	run_close(&run);
	return rc;
}

static const struct sheet_column clause_columns[] = { { "clause", "Clause", COLUMN_CODE },
						      { "holds", "Holds", COLUMN_TEXT },
						      { "values", "Values", COLUMN_TEXT },
						      { NULL, NULL, COLUMN_TEXT } };

static void put_clauses(struct sheet *l, const struct clause *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		sheet_row(l);
		if (sheet_cell(l, c[i].text))
			html(l->b, "<code>%s</code>", c[i].text);
		sheet_text(l, c[i].holds ? c[i].by_missing ? STR("yes, both missing") : STR("yes") : STR("no"));
		sheet_text(l, c[i].numbers);
	}
	sheet_end(l);
}

struct reason {
	uint64_t id;
	struct capture c, w;
	bool open; /* w is open to the reader; else nothing is said of it, also not by clauses, which quote both */
	struct cover_member m;
	struct clause *clauses;
	size_t n;
};

static int find_reason(struct request *q, struct collection *coll, const struct cover_row *row, struct reason *x,
		       struct err *err)
{
	int rc;

	if ((rc = catalog_capture(coll->catalog, &q->arena, x->id, &x->c, err)) < 0 ||
	    (rc = covers_member(coll, row->id, x->id, &x->m, err)) < 0)
		return rc;
	if (!page_allowed(q, x->c.urlkey, x->c.time))
		return err_set(err, WN_NONE, "this capture is not open to readers");
	if (x->m.kept)
		return WN_OK;
	if ((rc = catalog_capture(coll->catalog, &q->arena, x->m.witness, &x->w, err)) < 0)
		return rc;
	x->open = page_allowed(q, x->w.urlkey, x->w.time);
	if (!x->open)
		return WN_OK;
	return clauses(q, coll, row, x->id, x->m.witness, &x->clauses, &x->n, err);
}

static void why_page(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row,
		     struct reason *x)
{
	struct sheet l;
	struct capture c;

	html(b, "<h1>Why is it %z?</h1>\n<p>", x->m.kept ? "kept" : "hidden");
	cover_document(q, coll, b, x->id, &c);
	html(b, "</p>\n<p>By <a href=\"");
	cover_href(q, b, row->id);
	html(b, "\">cover %u</a>: <code>%s</code></p>\n", row->id, row->rule);
	if (x->m.kept) {
		html(b, "<p>It is kept. What is hidden because of it:</p>\n");
		cover_covered(q, coll, b, row, x->id, COVERED_ALL);
		return;
	}
	if (!x->open) {
		html(b,
		     "<p class=\"note\">It is hidden because another one is kept, which is not open to readers.</p>\n");
		cover_again(q, b, row->id, x->id, "Keep this one");
		return;
	}
	html(b, "<p class=\"note\">It is hidden because this one is kept: ");
	cover_document(q, coll, b, x->m.witness, &c);
	html(b, "</p>\n<p>They share %n shingles of %n and %n.", x->m.shared, x->m.size, x->m.witness_size);
	cover_score(b, &x->m);
	html(b, " <a href=\"%s/c/%p/diff/%u..%u\">How they differ</a></p>\n", page_base(q), str(q->served->name), x->id,
	     x->m.witness);
	if (x->n) {
		html(b, "<h2>The rule, clause by clause</h2>");
		sheet_begin(&l, SHEET_TABLE, b, clause_columns, NULL);
		put_clauses(&l, x->clauses, x->n);
	} else {
		html(
		    b,
		    "<p class=\"note\">The collection has changed since this cover was made; the rule cannot be shown clause by clause.</p>\n");
	}
	cover_again(q, b, row->id, x->id, "Keep this one");
}

static void why_json(struct request *q, struct response *r, const struct cover_row *row, const struct reason *x)
{
	struct json *j = data_begin(q);
	struct sheet l;

	json_open(j, '{');
	json_put_u64(j, "id", x->id);
	json_put_text(j, "url", x->c.url);
	data_time(j, "time", x->c.time);
	json_put_text(j, "state", x->m.kept ? STR("kept") : STR("dropped"));
	if (!x->m.kept && x->open) {
		json_put_u64(j, "by_id", x->m.witness);
		json_put_text(j, "by_url", x->w.url);
		json_put_u64(j, "shared", x->m.shared);
		json_put_u64(j, "size", x->m.size);
		json_put_u64(j, "by_size", x->m.witness_size);
		json_key(j, "clauses");
		sheet_begin_in(&l, j, clause_columns);
		put_clauses(&l, x->clauses, x->n);
	}
	json_close(j, '}');
	data_end(q, r, j, row->revision, STR_NONE);
}

void page_why(struct request *q, struct response *r)
{
	struct reason x = { 0 };
	struct collection *coll;
	struct cover_row row;
	struct err err = { 0 };
	struct buf *b;
	int rc;

	if (!str_u64(request_arg(q, "doc"), &x.id)) {
		response_error(r, 404, "a document's address ends in its number");
		return;
	}
	if (!cover_open(q, r, "cover", &coll, &row))
		return;
	rc = find_reason(q, coll, &row, &x, &err);
	if (rc < 0) {
		response_err(r, &err);
	} else if (q->format.n) {
		why_json(q, r, &row, &x);
	} else {
		b = page_begin(q, TAB_COVERS,
			       arena_printf(&q->arena, "Document %" PRIu64 " in cover %" PRIu64, x.id, row.id));
		why_page(q, coll, b, &row, &x);
		page_forms(q, b, "json");
		page_end(q, r, b);
	}
	page_done(coll);
}

/* ---- two covers ---- */

static const struct sheet_column compare_columns[] = {
	{ "id", "Document", COLUMN_TEXT },
	{ "url", NULL, COLUMN_TEXT },
	{ "time", NULL, COLUMN_TEXT },
	{ "in_a", "In the first", COLUMN_TEXT },
	{ "in_b", "In the second", COLUMN_TEXT },
	{ NULL, NULL, COLUMN_TEXT },
};

/* One cover's members in the order of their ids. */
struct side {
	struct members *list;
	struct cover_member at;
	bool end;
};

/* A document that the two covers treat differently; -1: not selected. */
struct unlike {
	uint64_t id;
	int kept[2];
};

static void side_next(struct side *x) { x->end = !x->list || members_next(x->list, &x->at, NULL) != WN_OK; }

/* Up to DIFFERENCES of them behind `after`, from at most COMPARED_AT_ONCE documents: covers of millions may differ in few.
 * True: there may be more behind *last. */
static bool find_unlike(struct collection *coll, const struct cover_row row[2], uint64_t after,
			struct unlike out[DIFFERENCES], unsigned *n, uint64_t *looked, uint64_t *last)
{
	struct side side[2] = { 0 };
	bool more = true;

	*n = 0;
	*looked = 0;
	*last = after;
	for (int i = 0; i < 2; i++) {
		members_open(&side[i].list, coll, &(struct members_query){ .cover = row[i].id, .after = after }, NULL);
		side_next(&side[i]);
	}
	while ((more = !side[0].end || !side[1].end) && *looked < COMPARED_AT_ONCE) {
		struct unlike u = { UINT64_MAX, { -1, -1 } };

		for (int i = 0; i < 2; i++)
			if (!side[i].end && side[i].at.id < u.id)
				u.id = side[i].at.id;
		for (int i = 0; i < 2; i++)
			if (!side[i].end && side[i].at.id == u.id) {
				u.kept[i] = side[i].at.kept;
				side_next(&side[i]);
			}
		if (u.kept[0] != u.kept[1]) {
			if (*n == DIFFERENCES)
				break; /* one more there is */
			out[(*n)++] = u;
		}
		++*looked;
		*last = u.id;
	}
	for (int i = 0; i < 2; i++)
		members_close(side[i].list);
	return more;
}

static struct str state_name(int kept) { return kept < 0 ? STR("not selected") : kept ? STR("kept") : STR("hidden"); }

static void difference(struct request *q, struct collection *coll, struct sheet *l, const struct unlike *u)
{
	struct capture c;

	if (catalog_capture(coll->catalog, &q->arena, u->id, &c, NULL) < 0 || !page_allowed(q, c.urlkey, c.time))
		return;
	sheet_row(l);
	if (sheet_cell_u64(l, u->id))
		cover_document(q, coll, l->b, u->id, &c);
	sheet_text(l, c.url);
	sheet_time(l, c.time);
	for (int side = 0; side < 2; side++) {
		struct str state = state_name(u->kept[side]);

		if (sheet_cell(l, state))
			html(l->b, "<span class=\"tag %z\">%s</span>", u->kept[side] > 0 ? "kept" : "dropped", state);
	}
}

/* How many both keep, and each alone. */
static void compare_counts(struct request *q, struct collection *coll, struct buf *b, const struct cover_row row[2])
{
	uint64_t both, first;

	if (row[0].documents + row[1].documents > COUNTED_AT_ONCE && !request_param(q, "count").n) {
		html(b, "<p><a class=\"button\" href=\"?count=1\">Count the differences</a> takes a moment.</p>\n");
		return;
	}
	if (members_compare(coll, row[0].id, row[1].id, &both, &first, NULL) == WN_OK)
		html(
		    b,
		    "<dl class=\"facts\"><div><dt>Kept by both</dt><dd>%n</dd></div><div><dt>Only by cover %u</dt><dd>%n</dd></div><div><dt>Only by cover %u</dt><dd>%n</dd></div></dl>\n",
		    both, row[0].id, first, row[1].id, row[1].kept - both);
}

static void compare_head(struct request *q, struct collection *coll, struct buf *b, const struct cover_row row[2])
{
	html(b, "<h1>Two covers</h1>\n<div class=\"cols\">");
	for (int i = 0; i < 2; i++) {
		html(b, "<div class=\"panel\"><h2>%z: <a href=\"", i ? "Second" : "First");
		cover_href(q, b, row[i].id);
		html(b, "\">cover %u</a> %b</h2><pre>%s</pre><p>%n of %n kept, revision %u</p></div>\n", row[i].id,
		     row[i].name, row[i].rule, row[i].kept, row[i].documents, row[i].revision);
	}
	html(b, "</div>\n");
	compare_counts(q, coll, b, row);
	html(b, "<h2>Where they differ</h2>\n");
}

static void compare_rows(struct request *q, struct response *r, struct collection *coll, const struct cover_row row[2],
			 uint64_t after)
{
	struct unlike *found = ARENA_ARRAY(&q->arena, struct unlike, DIFFERENCES);
	struct page_sheet p;
	struct sheet l;
	uint64_t looked;
	unsigned n;
	bool more = find_unlike(coll, row, after, found, &n, &looked, &after);

	if (page_sheet_begin(&p, q, coll, &l, compare_columns,
			     &(struct page_look){ .tab = TAB_COVERS, .title = STR("Two covers") })) {
		compare_head(q, coll, p.b, row);
		if (!n)
			html(p.b, "<p>%z</p>\n",
			     more ? "Among the documents looked at so far they do not differ; there are more."
				  : "They do not differ.");
		page_sheet_table(&p, NULL);
	}
	for (unsigned i = 0; i < n; i++)
		difference(q, coll, &l, &found[i]);
	page_sheet_end(&p, r, more ? arena_printf(&q->arena, "after=%" PRIu64, after) : STR_NONE);
}

/* The pair is in the address: /compare/3..5. */
void page_compare(struct request *q, struct response *r)
{
	struct str pair = request_arg(q, "pair");
	ptrdiff_t dots = str_find(pair, STR(".."));
	struct collection *coll;
	struct cover_row row[2];
	struct err err = { 0 };
	uint64_t after;

	if (dots <= 0 || !request_u64(q, "after", 0, INT64_MAX, 0, &after)) {
		response_error(r, 404, "two covers are compared at /compare/FIRST..SECOND");
		return;
	}
	if (!(coll = page_collection(q, r)))
		return;
	if (covers_find(coll, &q->arena, arena_strz(&q->arena, str_sub(pair, 0, (size_t)dots)), &row[0], &err) < 0 ||
	    covers_find(coll, &q->arena, arena_strz(&q->arena, str_sub(pair, (size_t)dots + 2, pair.n)), &row[1],
			&err) < 0)
		response_err(r, &err);
	else
		compare_rows(q, r, coll, row, after);
	page_done(coll);
}

/* From the form of the list to the pair's own address. */
void page_compare_go(struct request *q, struct response *r)
{
	struct buf *b = request_buf(q, LIMIT_URL);

	html(b, "%s/c/%p/compare/%p..%p", page_base(q), str(q->served->name), request_param(q, "a"),
	     request_param(q, "b"));
	response_redirect(r, 302, buf_view(b));
}
