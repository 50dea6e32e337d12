/* serve/page_home.c -- the list of collections, and one collection at a glance.
 *
 * Numbers come from serve/glance.h: counted once for each revision, never while
 * somebody waits for a page.
 */
#include <inttypes.h>

#include "archive/stamp.h"
#include "serve/glance.h"
#include "serve/jobs.h"
#include "serve/page.h"
#include "serve/setup.h"

static const struct sheet_column collection_columns[] = {
	{ "name", "Collection", COLUMN_TEXT },
	{ "captures", "Captures", COLUMN_NUMBER },
	{ "documents", "Documents", COLUMN_NUMBER },
	{ "bytes_payload", "Payload", COLUMN_NUMBER },
	{ "first", "From", COLUMN_TEXT },
	{ "last", "To", COLUMN_TEXT },
	{ "revision", "Revision", COLUMN_NUMBER },
	{ NULL, NULL, COLUMN_TEXT },
};

static void day_cell(struct sheet *l, int64_t time)
{
	if (sheet_cell_time(l, time) && time != CAPTURE_NO_TIME)
		html(l->b, "%d", time);
}

static void collection_row(struct request *q, struct response *r, struct sheet *l, const struct served *s)
{
	struct collection *coll = request_open(q, s, r);
	struct glance g = { 0 };
	struct catalog_next next = { 0 };

	sheet_row(l);
	if (sheet_cell(l, str(s->name)))
		html(l->b, "<a href=\"%s/c/%p\">%z</a>", page_base(q), str(s->name), s->name);
	if (!coll) {
		r->status = 200;
		sheet_text(l, STR("It could not be opened."));
		return;
	}
	if (!glance_of(q, s, coll, &g) && !g.stats.revision) {
		sheet_text(l, STR("being counted"));
		return;
	}
	catalog_next(coll->catalog, &next, NULL);
	sheet_number(l, g.stats.captures);
	sheet_number(l, g.stats.documents);
	if (sheet_cell_u64(l, g.stats.bytes_payload))
		buf_str(l->b, str_size(g.stats.bytes_payload, (char[STR_SIZE]){ 0 }));
	day_cell(l, g.stats.first);
	day_cell(l, g.stats.last);
	sheet_number(l, next.revision);
}

static void collections(struct request *q, struct response *r, struct sheet *l)
{
	for (size_t i = 0; i < q->server->n_served; i++)
		collection_row(q, r, l, &q->server->served[i]);
	sheet_end(l);
}

/* A form that takes an archive file; with scripts files can be dropped on it, and it tells how far they are. */
void page_upload_form(struct request *q, struct buf *b, const struct served *to)
{
	struct str coll = to ? str(to->name) : STR_NONE;

	html(
	    b,
	    "<form class=\"upload\" method=\"post\" enctype=\"multipart/form-data\" action=\"%s%z%p/upload\" data-upload=\"%s/api/v1/collections%z%p%z\" data-jobs=\"%s/jobs/\">\n",
	    page_base(q), to ? "/c/" : "", coll, page_base(q), to ? "/" : "", coll, to ? "/archives" : "",
	    page_base(q));
	html(
	    b,
	    "<div class=\"row\"><div class=\"field grow\"><label for=\"file\">WARC, ARC or WACZ file</label><input id=\"file\" name=\"file\" type=\"file\" required></div>");
	if (!to)
		html(
		    b,
		    "<div class=\"field\"><label for=\"name\">Name</label><input id=\"name\" name=\"name\" pattern=\"[A-Za-z0-9._\\-]+\" placeholder=\"of the file\"></div>");
	html(
	    b,
	    "<button class=\"primary\">%z</button></div>\n<p class=\"drop-hint\" hidden>\u2026 or drop it anywhere on this page.</p>"
	    "<p class=\"sending\" role=\"status\"></p><progress hidden max=\"1\" value=\"0\" aria-label=\"Sent\"></progress></form>\n",
	    to ? "Add it" : "Make it a collection");
}

static void add_archives(struct request *q, struct buf *b)
{
	bool sample = server_find(q->server, STR("sample"), false) != NULL;

	html(b, "<section class=\"drop\" aria-labelledby=\"add\"><h2 id=\"add\">Add archives</h2>\n");
	if (!q->authorised) {
		html(b,
		     "<p>To add archives here, open the link that the server printed when it started.</p></section>\n");
		return;
	}
	page_upload_form(q, b, NULL);
	if (!sample)
		html(
		    b,
		    "<form method=\"post\" action=\"%s/sample\"><p>No archives at hand? <button>Try the sample</button></p></form>\n",
		    page_base(q));
	html(
	    b,
	    "<details><summary>In a terminal</summary><pre>winnow ingest my-collection FILE.warc.gz ...\nwinnow serve my-collection</pre><p>Large archives need not be copied this way; the "
	    "files themselves are never changed.</p></details></section>\n");
}

void page_home(struct request *q, struct response *r)
{
	struct buf *b = page_begin(q, TAB_NONE, STR("Collections"));
	struct sheet l;

	setup_look(q->server);
	html(b, "<h1>%z</h1>\n", q->server->n_served ? "Collections" : "Read an archive, keep what matters");
	if (q->server->n_served) {
		sheet_begin(&l, SHEET_TABLE, b, collection_columns, NULL);
		collections(q, r, &l);
	} else {
		html(
		    b,
		    "<p class=\"lead\">winnow shows archived pages as they were, finds words in them, and hides what repeats: you say what counts as redundant, it proves that nothing "
		    "else is lost.</p>\n");
	}
	if (!q->server->options.read_only)
		add_archives(q, b);
	page_end(q, r, b);
}

/* ---- one collection ---- */

static const struct {
	enum glance_kind kind;
	const char *caption, *head, *link; /* link: the filter of a search that a row leads to */
} tables[] = {
	{ GLANCE_HOSTS, "Hosts", "Host", "host" },
	{ GLANCE_MIME, "Types", "Type", NULL },
	{ GLANCE_STATUS, "HTTP status", "Status", NULL },
	{ GLANCE_LANG, "Languages", "Language", "lang" },
	{ GLANCE_FLAWS, "Flaws in the archives", "Flaw", NULL },
	{ GLANCE_WHY, "Captures without text", "Reason", NULL },
};

static void count_table(struct request *q, struct buf *b, const struct glance_table *t, unsigned which)
{
	if (!t->n)
		return;
	html(
	    b,
	    "<div><table class=\"counts\"><caption>%z</caption><thead><tr><th scope=\"col\">%z</th><th scope=\"col\" class=\"num\">Captures</th><td></td></tr></thead><tbody>\n",
	    tables[which].caption, tables[which].head);
	for (size_t i = 0; i < t->n; i++) {
		struct str name = t->rows[i].name;

		html(b, "<tr><th scope=\"row\">");
		if (tables[which].link && name.n)
			html(b, "<a href=\"%s/c/%p/search?%z=%p\">%b</a>", page_base(q), str(q->served->name),
			     tables[which].link, name, name);
		else
			html(b, "%b", name.n ? name : STR("none"));
		html(b, "</th><td class=\"num\">%n</td><td>", t->rows[i].n);
		page_bar(b, t->rows[i].n, t->most);
		html(b, "</td></tr>\n");
	}
	html(b, "</tbody></table>");
	if (t->all > t->n)
		html(b, "<p class=\"soft\">and %n more</p>", t->all - t->n);
	html(b, "</div>\n");
}

/* Months between the first and the last, with their empty ones: time is the axis. */
static void months_chart(struct buf *b, const struct glance_table *m)
{
	const struct glance_row *top = NULL;
	uint64_t first = 0, last = 0, month, year;
	double w;

	for (size_t i = 0; i < m->n; i++)
		if (!top || m->rows[i].n > top->n)
			top = &m->rows[i];
	if (!top)
		return;
	for (size_t i = 0; i < m->n; i++)
		if (m->rows[i].name.n == 7 && str_u64(str_sub(m->rows[i].name, 0, 4), &year) &&
		    str_u64(str_sub(m->rows[i].name, 5, 7), &month)) {
			last = year * 12 + month;
			first = first ? first : last;
		}
	w = 1000.0 / (double)(last - first + 1);
	html(
	    b,
	    "<h2>Captures by month</h2>\n<figure class=\"chart\"><figcaption>%n captures in %n months; most in %s: %n.</figcaption>\n<svg viewBox=\"0 0 1000 100\" "
	    "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
	    m->sum, (uint64_t)m->n, top->name, top->n);
	for (size_t i = 0; i < m->n; i++) {
		double h = 2 + 98.0 * (double)m->rows[i].n / (double)m->most;

		if (m->rows[i].name.n == 7 && str_u64(str_sub(m->rows[i].name, 0, 4), &year) &&
		    str_u64(str_sub(m->rows[i].name, 5, 7), &month))
			html(b, "<rect x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"/>",
			     w * (double)(year * 12 + month - first), 100 - h, w > 2 ? w - 1 : w, h);
	}
	html(
	    b,
	    "</svg>\n<p class=\"axis\" aria-hidden=\"true\"><span>%s</span><span>%s</span></p><details><summary>As a table</summary><table><thead><tr><th "
	    "scope=\"col\">Month</th><th scope=\"col\" class=\"num\">Captures</th></tr></thead><tbody>\n",
	    m->rows[0].name, m->rows[m->n - 1].name);
	for (size_t i = 0; i < m->n; i++)
		html(b, "<tr><th scope=\"row\">%s</th><td class=\"num\">%n</td></tr>\n", m->rows[i].name, m->rows[i].n);
	html(b, "</tbody></table></details></figure>\n");
}

static void fact(struct buf *b, const char *name, uint64_t n) { html(b, "<div><dt>%z</dt><dd>%n</dd></div>", name, n); }

static void facts(struct buf *b, const struct catalog_stats *st)
{
	html(b, "<dl class=\"facts\">");
	fact(b, "Captures", st->captures);
	fact(b, "Documents", st->documents);
	fact(b, "URLs", st->urls);
	fact(b, "Hosts", st->hosts);
	fact(b, "Archive files", st->files);
	html(b, "<div><dt>Payload</dt><dd>");
	buf_str(b, str_size(st->bytes_payload, (char[STR_SIZE]){ 0 }));
	html(b, "</dd></div>");
	if (st->first != CAPTURE_NO_TIME)
		html(b, "<div class=\"wide\"><dt>Time</dt><dd>%d to %d</dd></div>", st->first, st->last);
	html(b, "</dl>\n");
}

static void redundancy(struct request *q, struct collection *coll, struct buf *b, const struct catalog_stats *st)
{
	struct str name = str(q->served->name);
	struct cover_row *covers;
	struct err err = { 0 };
	size_t n;

	html(
	    b,
	    "<section class=\"panel\" aria-labelledby=\"redundancy\"><h2 id=\"redundancy\">Redundancy at a glance</h2>\n<p>");
	if (st->documents)
		html(
		    b,
		    "<b class=\"big\">%f %%</b> of %n documents repeat another one word for word: there are %n different texts.",
		    100.0 * (double)(st->documents - st->contents) / (double)st->documents, st->documents,
		    st->contents);
	else
		html(b, "This collection has no documents with a text.");
	html(b, "</p>\n");
	if (page_covers(q, coll, &covers, &n, &err) < 0 || n == 0)
		html(
		    b,
		    "<p>What else is redundant is for you to say.</p><p><a class=\"button primary\" href=\"%s/c/%p/rules/new\">Say what is redundant</a></p>\n",
		    page_base(q), name);
	else
		html(
		    b,
		    "<p>The newest cover, <a href=\"%s/c/%p/covers/%u\">cover %u</a>, keeps %n of %n documents.</p><p><a class=\"button primary\" href=\"%s/c/%p/rules/new\">Try "
		    "another rule</a></p>\n",
		    page_base(q), name, covers[0].id, covers[0].id, covers[0].kept, covers[0].documents, page_base(q),
		    name);
	html(b, "</section>\n");
}

static void ways_in(struct request *q, struct buf *b)
{
	struct str name = str(q->served->name);

	html(
	    b,
	    "<div class=\"cols ways\"><form role=\"search\" action=\"%s/c/%p/search\"><label for=\"q\">Search the text</label><div class=\"join\"><input id=\"q\" name=\"q\" "
	    "type=\"search\"><button class=\"primary\">Search</button></div></form>\n",
	    page_base(q), name);
	html(
	    b,
	    "<form action=\"%s/c/%p/go\"><label for=\"url\">Captures of a URL</label><div class=\"join\"><input id=\"url\" name=\"url\" type=\"text\" inputmode=\"url\" "
	    "placeholder=\"http://\"><button>Show</button></div></form></div>\n",
	    page_base(q), name);
}

static void as_json(struct request *q, struct response *r, const struct glance *g)
{
	struct json *j = data_begin(q);

	json_open(j, '{');
	json_put_text(j, "name", str(q->served->name));
	json_put_u64(j, "captures", g->stats.captures);
	json_put_u64(j, "documents", g->stats.documents);
	json_put_u64(j, "contents", g->stats.contents);
	json_put_u64(j, "urls", g->stats.urls);
	json_put_u64(j, "bytes_payload", g->stats.bytes_payload);
	data_time(j, "first", g->stats.first);
	data_time(j, "last", g->stats.last);
	for (int kind = 0; kind < GLANCE_KINDS; kind++) {
		json_put_open(j, glance_names[kind], '{');
		for (size_t i = 0; i < g->tables[kind].n; i++) {
			json_key_str(j, g->tables[kind].rows[i].name);
			json_u64(j, g->tables[kind].rows[i].n);
		}
		json_close(j, '}');
	}
	json_close(j, '}');
	data_end(q, r, j, g->stats.revision, STR_NONE);
}

void page_overview(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct glance g;
	struct buf *b;
	bool counted;

	if (!coll)
		return;
	counted = glance_of(q, q->served, coll, &g);
	if (q->format.n) {
		page_done(coll);
		if (counted)
			as_json(q, r, &g);
		else
			glance_later(r);
		return;
	}
	b = page_begin_as(
	    q, &(struct page_look){ .tab = TAB_OVERVIEW, .title = str(q->served->name), .refresh = counted ? 0 : 2 });
	html(b, "<h1>%z</h1>\n", q->served->name);
	ways_in(q, b);
	if (!counted)
		html(
		    b, "<p class=\"note\" role=\"status\" data-again=\"2\">%z</p>\n",
		    g.stats.revision
			? "Something was added since this was counted; the numbers are those from before, and are being counted anew."
			: "This collection is being counted.");
	if (g.stats.revision) {
		facts(b, &g.stats);
		redundancy(q, coll, b, &g.stats);
		months_chart(b, &g.tables[GLANCE_MONTHS]);
		html(b, "<h2>What is in it</h2>\n<p><a href=\"%s/c/%p/urls\">All URLs</a></p><div class=\"cols\">\n",
		     page_base(q), str(q->served->name));
		for (unsigned i = 0; i < COUNT(tables); i++)
			count_table(q, b, &g.tables[tables[i].kind], i);
		html(b, "</div>\n");
	}
	page_done(coll);
	if (q->authorised && !q->server->options.read_only) {
		html(b, "<details class=\"panel\"><summary>Add an archive to this collection</summary>\n");
		page_upload_form(q, b, q->served);
		html(b, "</details>\n");
	}
	page_forms(q, b, "json");
	page_end(q, r, b);
}
