/* serve/page_covers.c -- the list of covers, one cover with what each kept document covers, what it hides.
 *
 * Lists go on by key, never by offset: kept documents by their number, hidden
 * ones by the number of their coverer and then their own, which the index
 * cover_witness has in this order.  A hidden document names its direct coverer
 * and its score; a group is never called copies of one page.
 */
#include <inttypes.h>

#include "base/limits.h"
#include "flow/export.h"
#include "serve/acl.h"
#include "serve/cover_ui.h"

enum { ROWS = 25, COVERED_SHOWN = 5, HOSTS_SHOWN = 10 };

static const struct sheet_column cover_columns[] = {
	{ "id", "Cover", COLUMN_TEXT },
	{ "name", NULL, COLUMN_TEXT },
	{ "rule", "Rule", COLUMN_CODE },
	{ "rule_sha256", NULL, COLUMN_TEXT },
	{ "selection", NULL, COLUMN_TEXT },
	{ "documents", "Documents", COLUMN_NUMBER },
	{ "kept", "Kept", COLUMN_NUMBER },
	{ "lower_bound", NULL, COLUMN_NUMBER },
	{ "revision", "Revision", COLUMN_NUMBER },
	{ "created_at", "Made", COLUMN_TEXT },
	{ NULL, NULL, COLUMN_TEXT },
};

static void cover_row(struct request *q, struct sheet *l, const struct cover_row *row)
{
	sheet_row(l);
	if (sheet_cell_u64(l, row->id)) {
		html(l->b, "<a href=\"");
		cover_href(q, l->b, row->id);
		html(l->b, "\">cover %u</a> %b", row->id, row->name);
	}
	sheet_text(l, row->name);
	sheet_text(l, row->rule);
	sheet_text(l, row->sha256);
	sheet_text(l, row->selection);
	sheet_number(l, row->documents);
	if (sheet_cell_u64(l, row->kept))
		html(l->b, "%n (%f %%)", row->kept, percent(row->kept, row->documents));
	sheet_number(l, row->lower_bound);
	sheet_number(l, row->revision);
	sheet_time(l, row->created);
}

static void compare_form(struct request *q, struct buf *b, const struct cover_row *rows, size_t n)
{
	html(b, "<form class=\"row\" action=\"%s/c/%p/compare\">", page_base(q), str(q->served->name));
	for (int side = 0; side < 2; side++) {
		html(b, "<div class=\"field\"><label for=\"%z\">%z</label><select id=\"%z\" name=\"%z\">",
		     side ? "b" : "a", side ? "with" : "Compare", side ? "b" : "a", side ? "b" : "a");
		for (size_t i = 0; i < n && i < 200; i++)
			html(b, "<option value=\"%u\"%m>cover %u %s</option>", rows[i].id,
			     i == (side ? 0u : 1u) ? " selected" : "", rows[i].id, rows[i].name);
		html(b, "</select></div>");
	}
	html(b, "<button>Compare</button></form>\n");
}

void page_cover_list(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct cover_row *rows;
	struct err err = { 0 };
	struct page_sheet p;
	struct sheet l;
	size_t n;
	int rc;

	if (!coll)
		return;
	if ((rc = page_covers(q, coll, &rows, &n, &err)) < 0) {
		page_done(coll);
		response_err(r, &err);
		return;
	}
	if (page_sheet_begin(&p, q, coll, &l, cover_columns,
			     &(struct page_look){ .tab = TAB_COVERS, .title = STR("Covers") })) {
		html(
		    p.b,
		    "<h1>Covers</h1>\n<p>A cover is the smallest set of documents that, by a rule, stands for all others.</p>\n"
		    "<p><a class=\"button primary\" href=\"%s/c/%p/rules/new\">New rule</a></p>\n%z",
		    page_base(q), str(q->served->name),
		    n ? "" : "<p>There is none yet: choose a rule, look at what it would hide, and compute it.</p>\n");
		page_sheet_table(&p, NULL);
	}
	for (size_t i = 0; i < n && i < 500; i++)
		cover_row(q, &l, &rows[i]);
	if (p.b && n > 1 && l.form == SHEET_TABLE) {
		sheet_end(&l);
		compare_form(q, p.b, rows, n);
		page_forms(q, p.b, "json csv jsonl");
		page_end(q, r, p.b);
	} else {
		page_sheet_end(&p, r, STR_NONE);
	}
	page_done(coll);
}

/* ---- one cover ---- */

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
	    "<div class=\"note bad\"><p>The collection is at revision %u; this cover is of revision %u and does not know what came since.</p>",
	    next.revision, row->revision);
	cover_again(q, b, row->id, 0, "Compute it for the collection as it is now");
	html(b, "</div>\n");
}

static void proof(struct buf *b, const struct cover_row *row, const struct json_value *report)
{
	uint64_t components = number(report, "components"), proven = number(report, "proven_components"),
		 gap = row->kept > row->lower_bound ? row->kept - row->lower_bound : 0,
		 tenths = components ? 1000 * proven / components : 0; /* never rounded up: 100 % is all */

	if (gap == 0)
		html(b, "<p class=\"note good\"><b>%n kept, proven minimum:</b> no smaller set covers the rest.</p>\n",
		     row->kept);
	else
		html(
		    b,
		    "<p class=\"note\"><b>%n kept</b> \u00b7 proven minimum in %f %% of %n groups \u00b7 at most %n above the optimum.</p>\n",
		    row->kept, (double)tenths / 10, components, gap);
}

static void share_table(struct request *q, struct collection *coll, struct buf *b, const struct json_value *list,
			const char *key, const char *heading, const char *caption)
{
	unsigned n = 0;

	for (const struct json_value *v = list ? list->first : NULL; v && n < HOSTS_SHOWN; v = v->next) {
		uint64_t documents = number(v, "documents"), hidden = documents - number(v, "kept");

		if (strcmp(key, "host") == 0 && !acl_shows_host(q, q->served, coll, json_text(v, key)))
			continue;
		if (!n++)
			html(
			    b,
			    "<div><table class=\"counts\"><caption>%z</caption><thead><tr><th scope=\"col\">%z</th><th scope=\"col\" class=\"num\">Hidden</th><th scope=\"col\" "
			    "class=\"num\">of</th><td></td></tr></thead><tbody>\n",
			    caption, heading);
		html(b, "<tr><th scope=\"row\">%b</th><td class=\"num\">%n</td><td class=\"num\">%n</td><td>",
		     json_text(v, key), hidden, documents);
		page_bar(b, hidden, documents);
		html(b, "</td></tr>\n");
	}
	if (n)
		html(b, "</tbody></table></div>\n");
}

static const char *const archives[] = { "warc", "wacz", "cdxj" };

static void exports(struct request *q, struct buf *b, const struct cover_row *row)
{
	static const struct {
		const char *path, *name, *what;
	} files[] = {
		{ ".csv", "CSV", "every document, kept or hidden, by which one, with scores" },
		{ ".jsonl", "JSON lines", "the same for programs" },
		{ "/methods.txt", "Methods note",
		  "selection, rule, hash, revision, counts, proof: for a paper's appendix" },
	};

	html(b, "<h2>Take it away</h2><ul class=\"links\">");
	for (size_t i = 0; i < COUNT(files); i++) {
		html(b, "<li><a href=\"");
		cover_href(q, b, row->id);
		html(b, "%z\">%z</a>: %z</li>", files[i].path, files[i].name, files[i].what);
	}
	html(b, "</ul>\n");
	if (!q->server->options.read_only && q->authorised) {
		html(b, "<div class=\"row\">As an archive:");
		for (size_t i = 0; i < COUNT(archives); i++) {
			html(b, "<form method=\"post\" action=\"");
			cover_href(q, b, row->id);
			html(b, "/export/%z\"><button class=\"small\">%z</button></form>", archives[i], archives[i]);
		}
		html(b, "</div>\n");
	}
	html(
	    b,
	    "<p class=\"hint\">A large one is made by a job, whose page has the file when it ends. In a terminal: <code>winnow export %z --cover %u --format wacz -o kept.wacz</code></p>\n",
	    q->served->name, row->id);
	html(b, "<p><a class=\"button\" href=\"%s/c/%p/search?cover=%u\">Search in what it keeps</a></p>\n",
	     page_base(q), str(q->served->name), row->id);
}

static void summary(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row, bool whole)
{
	struct json_value *report = NULL;

	if (json_parse(&q->arena, row->report, &report, NULL) < 0)
		report = NULL;
	html(b, "<h1>Cover %u%z%s</h1>\n<pre>%s</pre>\n", row->id, row->name.n ? ": " : "", row->name, row->rule);
	stale(q, coll, b, row);
	html(
	    b,
	    "<dl class=\"facts\"><div><dt>Documents</dt><dd>%n</dd></div><div><dt>Kept</dt><dd>%n <small>%f %%</small></dd></div><div><dt>Hidden</dt><dd>%n</dd></div>",
	    row->documents, row->kept, percent(row->kept, row->documents), row->documents - row->kept);
	if (number(report, "bytes"))
		html(b, "<div><dt>Payload kept</dt><dd>%f %%</dd></div>",
		     percent(number(report, "bytes_kept"), number(report, "bytes")));
	html(b, "<div><dt>Revision</dt><dd>%u</dd></div><div><dt>Made</dt><dd>%d</dd></div></dl>\n", row->revision,
	     row->created);
	proof(b, row, report);
	if (row->selection.n)
		html(b, "<p>Only documents with <code>%s</code>.</p>\n", row->selection);
	if (row->options.per.n)
		html(b, "<p>At least %n kept per %s.</p>\n", row->options.keep_at_least, row->options.per);
	if (row->options.n_keep)
		html(b, "<p>%n documents were kept because somebody said so.</p>\n", (uint64_t)row->options.n_keep);
	if (!whole)
		return;
	html(b, "<div class=\"cols\">");
	share_table(q, coll, b, json_get(report, "by_host"), "host", "Host", "Hidden by host");
	share_table(q, coll, b, json_get(report, "by_year"), "year", "Year", "Hidden by year");
	html(b, "</div>\n");
	exports(q, b, row);
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

static void kept_row(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row,
		     uint64_t id)
{
	struct capture c;

	html(b, "<li><span class=\"tag kept\">kept</span> ");
	if (cover_document(q, coll, b, id, &c))
		html(
		    b,
		    " <span class=\"actions\"><a href=\"%s/%p/*/%r\">all captures<span class=\"hidden\"> of %b</span></a></span>",
		    page_base(q), str(q->served->slug), page_url(q, &c), c.url);
	cover_covered(q, coll, b, row, id, COVERED_SHOWN);
	html(b, "</li>\n");
}

static void dropped_row(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row,
			const struct cover_member *m)
{
	struct capture c;
	bool open;

	html(b, "<li><span class=\"tag dropped\">hidden</span> ");
	open = cover_document(q, coll, b, m->id, &c);
	html(b, "<br>by ");
	open &= cover_document(q, coll, b, m->witness, &c);
	if (open) {
		cover_score(b, m);
		cover_actions(q, b, row, m->id, m->witness);
	}
	html(b, "</li>\n");
}

/* Rows behind (by, after); NULL: the catalogue cannot be asked. */
static struct members *list_members(struct collection *coll, uint64_t cover, bool dropped, uint64_t by, uint64_t after)
{
	struct members_query of = {
		.cover = cover, .which = dropped ? MEMBERS_BY_WITNESS : MEMBERS_KEPT, .witness = by, .after = after
	};
	struct members *list;

	return members_open(&list, coll, &of, NULL) < 0 ? NULL : list;
}

static void rows(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row, bool dropped,
		 uint64_t by, uint64_t after)
{
	struct members *list = list_members(coll, row->id, dropped, by, after);
	struct cover_member m;
	unsigned n = 0;

	html(b, "<ol class=\"hits\">\n");
	while (list && members_next(list, &m, NULL) == WN_OK && ++n <= ROWS) {
		after = m.id;
		by = m.witness;
		if (dropped)
			dropped_row(q, coll, b, row, &m);
		else
			kept_row(q, coll, b, row, m.id);
	}
	members_close(list);
	html(b, "</ol>\n");
	if (!n)
		html(b, "<p>%z</p>\n",
		     after     ? "There are no more."
		     : dropped ? "Nothing is hidden: no document has a coverer under this rule."
			       : "Nothing was selected.");
	if (n > ROWS)
		html(
		    b,
		    "<nav class=\"pager\" aria-label=\"Pages\"><a class=\"button\" rel=\"next\" href=\"?by=%u&amp;after=%u\">Next</a></nav>\n",
		    by, after);
}

/* ---- for programs ---- */

static const struct sheet_column member_columns[] = {
	{ "id", "Document", COLUMN_NUMBER },
	{ "url", "URL", COLUMN_TEXT },
	{ "time", "Time", COLUMN_TEXT },
	{ "state", "State", COLUMN_TEXT },
	{ "by_id", "By", COLUMN_NUMBER },
	{ "by_url", "By URL", COLUMN_TEXT },
	{ "by_time", "By time", COLUMN_TEXT },
	{ "shared", "Shared", COLUMN_NUMBER },
	{ "size", "Shingles", COLUMN_NUMBER },
	{ "by_size", "By shingles", COLUMN_NUMBER },
	{ "containment", "Containment", COLUMN_NUMBER },
	{ "jaccard", "Jaccard", COLUMN_NUMBER },
	{ NULL, NULL, COLUMN_TEXT },
};

static bool put_member(struct request *q, struct sheet *l, struct collection *coll, struct arena *a,
		       const struct cover_member *m)
{
	struct capture c, w = { .time = CAPTURE_NO_TIME };

	if (catalog_capture(coll->catalog, a, m->id, &c, NULL) < 0 || !page_allowed(q, c.urlkey, c.time))
		return false;
	sheet_row(l);
	sheet_number(l, c.id);
	sheet_text(l, c.url);
	sheet_time(l, c.time);
	sheet_text(l, m->witness ? STR("dropped") : STR("kept"));
	if (!m->witness || catalog_capture(coll->catalog, a, m->witness, &w, NULL) < 0 ||
	    !page_allowed(q, w.urlkey, w.time)) {
		for (const struct sheet_column *col = &member_columns[4]; col->name; col++)
			sheet_none(l);
		return true;
	}
	sheet_number(l, m->witness);
	sheet_text(l, w.url);
	sheet_time(l, w.time);
	sheet_number(l, m->shared);
	sheet_number(l, m->size);
	sheet_number(l, m->witness_size);
	sheet_real(l, percent(m->shared, m->size) / 100, 4);
	sheet_real(l, percent(m->shared, m->size + m->witness_size - m->shared) / 100, 4);
	return true;
}

enum { PIECE = 500, ONLY_DROPPED = 1 };

static bool fill_members(struct sheet_source *source, struct sheet *l, struct collection *coll, struct arena *scratch)
{
	struct members_query of = { .cover = source->list,
				    .which = source->after_minor == ONLY_DROPPED ? MEMBERS_DROPPED : MEMBERS_ALL,
				    .after = source->after };
	struct members *list = NULL;
	struct cover_member m;
	unsigned n = 0;

	members_open(&list, coll, &of, NULL);
	for (; list && n < PIECE && members_next(list, &m, NULL) == WN_OK; n++) {
		source->after = m.id;
		put_member(source->q, l, coll, scratch, &m);
	}
	members_close(list);
	return n == PIECE;
}

static void stream_members(struct request *q, struct response *r, const struct cover_row *row, bool dropped)
{
	struct sheet_source *s = ARENA_NEW(&q->arena, struct sheet_source);

	*s = (struct sheet_source){ .fill = fill_members,
				    .columns = member_columns,
				    .list = row->id,
				    .after_minor = dropped ? ONLY_DROPPED : 0 };
	sheet_stream(q, r, s, arena_printf(&q->arena, "cover-%" PRIu64, row->id).p);
}

/* The summary and one page of members. */
static void as_json(struct request *q, struct response *r, struct collection *coll, const struct cover_row *row,
		    bool dropped, uint64_t by, uint64_t after)
{
	struct json *j = data_begin(q);
	struct sheet l;
	struct members *list = list_members(coll, row->id, dropped, by, after);
	struct cover_member m;
	struct str next = STR_NONE;
	unsigned n = 0;

	json_open(j, '{');
	json_put_u64(j, "id", row->id);
	json_put_text(j, "name", row->name);
	json_put_text(j, "rule", row->rule);
	json_put_text(j, "rule_sha256", row->sha256);
	json_put_text(j, "selection", row->selection);
	json_put_u64(j, "revision", row->revision);
	data_time(j, "created_at", row->created);
	json_put_u64(j, "documents", row->documents);
	json_put_u64(j, "kept", row->kept);
	json_put_u64(j, "lower_bound", row->lower_bound);
	json_key(j, "members");
	sheet_begin_in(&l, j, member_columns);
	while (list && members_next(list, &m, NULL) == WN_OK && ++n <= ROWS) {
		after = m.id;
		by = m.witness;
		put_member(q, &l, coll, &q->arena, &m);
	}
	members_close(list);
	sheet_end(&l);
	json_close(j, '}');
	if (n > ROWS)
		next = arena_printf(&q->arena, "by=%" PRIu64 "&after=%" PRIu64, by, after);
	data_end(q, r, j, row->revision, next);
}

static void browse(struct request *q, struct response *r, bool dropped)
{
	struct collection *coll;
	struct cover_row row;
	uint64_t after, by;
	struct buf *b;

	if (!request_u64(q, "after", 0, INT64_MAX, 0, &after) || !request_u64(q, "by", 0, INT64_MAX, 0, &by)) {
		response_error(r, 400, "after and by are numbers of documents");
		return;
	}
	if (!cover_open(q, r, "cover", &coll, &row))
		return;
	if (str_eq(q->format, STR("json"))) {
		as_json(q, r, coll, &row, dropped, by, after);
	} else if (q->format.n) {
		stream_members(q, r, &row, dropped);
	} else {
		b = page_begin(q, TAB_COVERS,
			       arena_printf(&q->arena, "Cover %" PRIu64 "%s", row.id, dropped ? ", hidden" : ""));
		summary(q, coll, b, &row, !after && !dropped);
		html(b, "<h2>%z</h2>\n", dropped ? "What it hides" : "What it keeps");
		tabs(q, b, &row, dropped);
		rows(q, coll, b, &row, dropped, by, after);
		page_forms(q, b, "json csv jsonl");
		page_end(q, r, b);
	}
	page_done(coll);
}

void page_cover(struct request *q, struct response *r) { browse(q, r, false); }

void page_dropped(struct request *q, struct response *r) { browse(q, r, true); }

/* The address that earlier versions gave. */
void page_cover_csv(struct request *q, struct response *r)
{
	q->format = STR("csv");
	browse(q, r, false);
}

void page_methods(struct request *q, struct response *r)
{
	struct collection *coll;
	struct cover_row row;
	struct buf *b;

	if (!cover_open(q, r, "cover", &coll, &row))
		return;
	b = request_buf(q, LIMIT_PAGE);
	export_methods(&row, catalog_settings(coll->catalog), !request_acl(q, q->served), b);
	page_done(coll);
	r->policy = POLICY_DATA;
	response_body(r, "text/plain; charset=utf-8", buf_view(b));
}
