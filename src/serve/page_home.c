/* serve/page_home.c -- the list of collections, and one collection at a glance.
 *
 * The overview counts whole tables, so it is made once for each revision of a
 * collection and remembered.
 */
#include <pthread.h>
#include <sqlite3.h>

#include "archive/stamp.h"
#include "base/limits.h"
#include "base/mem.h"
#include "serve/page.h"
#include "text/document.h"

static void add_archives(struct request *q, struct buf *b)
{
	html(b, "<section class=\"drop\" aria-labelledby=\"add\"><h2 id=\"add\">Add archives</h2>\n"
		"<p>A collection is made from WARC, ARC or WACZ files in a terminal; the files themselves are never changed:</p>\n"
		"<pre>winnow ingest my-collection FILE.warc.gz ...\nwinnow serve my-collection</pre>\n");
	if (!q->server->n_served)
		html(b, "<p>No archives at hand? <code>make demo</code> makes a collection of the sample that comes with winnow.</p>\n");
	html(b, "</section>\n");
}

static void collection_row(struct request *q, struct response *r, struct buf *b, const struct served *s)
{
	struct collection *coll = request_open(q, s, r);
	struct catalog_stats st;
	struct err err = { 0 };

	html(b, "<tr><th scope=\"row\"><a href=\"%s/c/%p\">%z</a></th>", page_base(q), str(s->name), s->name);
	if (!coll || catalog_stats(coll->catalog, &st, &err) < 0) {
		r->status = 200;
		html(b, "<td colspan=\"4\">It could not be opened: %z</td></tr>\n", err.code ? err.text : "see the server's log");
		return;
	}
	html(b, "<td class=\"num\" data-name=\"Captures\">%n</td><td class=\"num\" data-name=\"Documents\">%n</td><td data-name=\"Time\">", st.captures, st.documents);
	if (st.first != CAPTURE_NO_TIME)
		html(b, "%d to %d", st.first, st.last);
	html(b, "</td><td class=\"num\" data-name=\"Revision\">%u</td></tr>\n", st.revision);
}

void page_home(struct request *q, struct response *r)
{
	struct buf *b = page_begin(q, TAB_NONE, STR("Collections"));

	html(b, "<h1>Collections</h1>\n");
	if (q->server->n_served) {
		html(b, "<table class=\"cards\"><thead><tr><th scope=\"col\">Collection</th><th scope=\"col\" class=\"num\">Captures</th><th scope=\"col\" "
			"class=\"num\">Documents</th><th scope=\"col\">Time</th><th scope=\"col\" class=\"num\">Revision</th></tr></thead><tbody>\n");
		for (size_t i = 0; i < q->server->n_served; i++)
			collection_row(q, r, b, &q->server->served[i]);
		html(b, "</tbody></table>\n");
	} else {
		html(b, "<p>There is no collection yet.</p>\n");
	}
	add_archives(q, b);
	page_end(q, r, b);
}

/* ---- one collection ---- */

struct count {
	struct str name;
	uint64_t n;
};
struct counts {
	struct arena *arena;
	VEC(struct count) rows;
	uint64_t sum, most;
};

static int take_count(void *context, struct str name, uint64_t n)
{
	struct counts *c = context;

	vec_push(&c->rows, ((struct count){ arena_str(c->arena, name), n }));
	c->sum += n;
	if (n > c->most)
		c->most = n;
	return WN_OK;
}

static int sql_counts(struct collection *coll, const char *sql, struct counts *out, struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		return err_set(err, WN_CATALOG, "counting: %s", sqlite3_errmsg(db));
	while (sqlite3_step(s) == SQLITE_ROW)
		take_count(out, str_n((const char *)sqlite3_column_text(s, 0), (size_t)sqlite3_column_bytes(s, 0)), (uint64_t)sqlite3_column_int64(s, 1));
	sqlite3_finalize(s);
	return WN_OK;
}

static struct str no_text_name(struct str value)
{
	uint64_t why;

	if (!str_u64(value, &why))
		return value;
	return why ? str(document_why_name((enum document_why)why)) : STR("revisit without its original");
}

/* A table of at most `most` rows; `link`: where a row leads, e.g. "host" of a search. */
static void count_table(struct request *q, struct buf *b, const struct counts *c, const char *caption, const char *head, size_t most, const char *link, bool why)
{
	if (!c->rows.n)
		return;
	html(b, "<div><table><caption>%z</caption><thead><tr><th scope=\"col\">%z</th><th scope=\"col\" class=\"num\">Captures</th><td></td></tr></thead><tbody>\n", caption,
	     head);
	for (size_t i = 0; i < c->rows.n && i < most; i++) {
		struct str name = why ? no_text_name(c->rows.p[i].name) : c->rows.p[i].name;

		html(b, "<tr><th scope=\"row\">");
		if (link && name.n)
			html(b, "<a href=\"%s/c/%p/search?%z=%p\">%b</a>", page_base(q), str(q->served->name), link, name, name);
		else
			html(b, "%b", name.n ? name : STR("none"));
		html(b, "</th><td class=\"num\">%n</td><td>", c->rows.p[i].n);
		page_bar(b, c->rows.p[i].n, c->most);
		html(b, "</td></tr>\n");
	}
	html(b, "</tbody></table>");
	if (c->rows.n > most)
		html(b, "<p class=\"soft\">and %n more</p>", (uint64_t)(c->rows.n - most));
	html(b, "</div>\n");
}

static void months_chart(struct buf *b, const struct counts *m)
{
	double w = m->rows.n ? 1000.0 / (double)m->rows.n : 0;
	const struct count *top = NULL;

	for (size_t i = 0; i < m->rows.n; i++)
		if (!top || m->rows.p[i].n > top->n)
			top = &m->rows.p[i];
	if (!top)
		return;
	html(b, "<h2>Captures by month</h2>\n<figure><figcaption>%n captures in %n months; most in %s: %n.</figcaption>\n<svg class=\"chart\" viewBox=\"0 0 1000 100\" "
		"preserveAspectRatio=\"none\" aria-hidden=\"true\">",
	     m->sum, (uint64_t)m->rows.n, top->name, top->n);
	for (size_t i = 0; i < m->rows.n; i++) {
		double h = 2 + 98.0 * (double)m->rows.p[i].n / (double)m->most;

		html(b, "<rect x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"/>", w * (double)i, 100 - h, w * 0.8, h);
	}
	html(b, "</svg>\n<details><summary>As a table</summary><table><thead><tr><th scope=\"col\">Month</th><th scope=\"col\" class=\"num\">Captures</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < m->rows.n; i++)
		html(b, "<tr><th scope=\"row\">%s</th><td class=\"num\">%n</td></tr>\n", m->rows.p[i].name, m->rows.p[i].n);
	html(b, "</tbody></table></details></figure>\n");
}

static void fact(struct buf *b, const char *name, uint64_t n) { html(b, "<div><dt>%z</dt><dd>%n</dd></div>", name, n); }

static int tables(struct request *q, struct collection *coll, struct buf *b, struct err *err)
{
	static const struct {
		const char *what, *caption, *head, *link;
	} kinds[] = {
		{ "mime", "Types", "Type", NULL }, { "status", "HTTP status", "Status", NULL }, { "lang", "Languages", "Language", "lang" },
		{ "flaws", "Flaws in the archives", "Flaw", NULL }, { "why", "Captures without text", "Reason", NULL },
	};
	struct counts months = { .arena = &q->arena }, hosts = months;
	int rc;

	rc = sql_counts(coll, "select strftime('%Y-%m', time, 'unixepoch') m, count(*) from capture_key group by m order by m", &months, err);
	if (rc == WN_OK)
		rc = sql_counts(coll, "select h.name, n from (select host, count(*) n from capture group by host order by n desc limit 21) c join host h on h.id = c.host order by n desc, h.name",
				&hosts, err);
	if (rc == WN_OK) {
		months_chart(b, &months);
		html(b, "<h2>What is in it</h2>\n<div class=\"cols\">\n");
		count_table(q, b, &hosts, "Hosts", "Host", 20, "host", false);
	}
	for (size_t i = 0; i < COUNT(kinds) && rc == WN_OK; i++) {
		struct counts c = { .arena = &q->arena };

		if ((rc = catalog_counts(coll->catalog, kinds[i].what, take_count, &c, err)) == WN_OK)
			count_table(q, b, &c, kinds[i].caption, kinds[i].head, 10, kinds[i].link, strcmp(kinds[i].what, "why") == 0);
		vec_release(&c.rows);
	}
	html(b, "</div>\n");
	vec_release(&months.rows);
	vec_release(&hosts.rows);
	return rc;
}

static void redundancy(struct request *q, struct collection *coll, struct buf *b, const struct catalog_stats *st)
{
	struct cover_row *covers;
	struct err err = { 0 };
	size_t n;

	html(b, "<h2>Redundancy at a glance</h2>\n<p>%n documents have %n different texts", st->documents, st->contents);
	if (st->documents)
		html(b, ": %f %% repeat another word for word", 100.0 * (double)(st->documents - st->contents) / (double)st->documents);
	html(b, ".</p>\n");
	if (page_covers(q, coll, &covers, &n, &err) < 0 || n == 0) {
		html(b, "<p><a class=\"button primary\" href=\"%s/c/%p/rules/new\">Say what is redundant</a></p>\n", page_base(q), str(q->served->name));
		return;
	}
	html(b, "<p>The newest cover keeps %n of %n documents: <a href=\"%s/c/%p/covers/%u\">cover %u</a>. <a href=\"%s/c/%p/rules/new\">Another rule</a></p>\n", covers[0].kept,
	     covers[0].documents, page_base(q), str(q->served->name), covers[0].id, covers[0].id, page_base(q), str(q->served->name));
}

/* What was made for a revision: by collection, as many as are served. */
static struct remembered {
	unsigned index;
	uint64_t revision;
	struct str html;
	struct remembered *next;
} *memory;
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;

static bool recall(unsigned index, uint64_t revision, struct buf *b)
{
	bool known = false;

	pthread_mutex_lock(&memory_lock);
	for (struct remembered *m = memory; m && !known; m = m->next)
		if (m->index == index && m->revision == revision)
			known = buf_str(b, m->html);
	pthread_mutex_unlock(&memory_lock);
	return known;
}

static void remember(unsigned index, uint64_t revision, struct str text)
{
	struct remembered *m;

	pthread_mutex_lock(&memory_lock);
	for (m = memory; m && m->index != index; m = m->next)
		;
	if (!m) {
		m = mem_zarray(1, sizeof *m);
		*m = (struct remembered){ .index = index, .next = memory };
		memory = m;
	}
	mem_free((char *)m->html.p);
	m->html.p = memcpy(mem_alloc(text.n + 1), text.p, text.n);
	m->html.n = text.n;
	m->revision = revision;
	pthread_mutex_unlock(&memory_lock);
}

void page_overview(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct catalog_stats st;
	struct err err = { 0 };
	struct buf *b, *made;
	int rc;

	if (!coll)
		return;
	b = page_begin(q, TAB_OVERVIEW, str(q->served->name));
	made = request_buf(q, LIMIT_PAGE);
	if ((rc = catalog_stats(coll->catalog, &st, &err)) == WN_OK) {
		html(b, "<h1>%z</h1>\n<form class=\"row\" role=\"search\" action=\"%s/c/%p/search\"><div class=\"field grow\"><label for=\"q\">Search the text</label><input id=\"q\" "
			"name=\"q\" type=\"search\"></div><button class=\"primary\">Search</button></form>\n",
		     q->served->name, page_base(q), str(q->served->name));
		html(b, "<form class=\"row\" action=\"%s/c/%p/go\"><div class=\"field grow\"><label for=\"url\">Captures of a URL</label><input id=\"url\" name=\"url\" type=\"text\" "
			"inputmode=\"url\" placeholder=\"http://\"></div><button>Show</button></form>\n",
		     page_base(q), str(q->served->name));
		html(b, "<dl class=\"facts\">");
		fact(b, "Captures", st.captures);
		fact(b, "Documents", st.documents);
		fact(b, "Different texts", st.contents);
		fact(b, "URLs", st.urls);
		fact(b, "Hosts", st.hosts);
		fact(b, "Archive files", st.files);
		html(b, "<div><dt>Payload</dt><dd>%f <small>MB</small></dd></div>", (double)st.bytes_payload / 1e6);
		if (st.first != CAPTURE_NO_TIME)
			html(b, "<div><dt>From</dt><dd>%d</dd></div><div><dt>To</dt><dd>%d</dd></div>", st.first, st.last);
		fact(b, "Revision", st.revision);
		html(b, "</dl>\n");
		redundancy(q, coll, b, &st);
		if (!recall(q->served->index, st.revision, b) && (rc = tables(q, coll, made, &err)) == WN_OK) {
			remember(q->served->index, st.revision, buf_view(made));
			buf_str(b, buf_view(made));
		}
	}
	page_done(coll);
	if (rc < 0)
		response_err(r, &err);
	else
		page_end(q, r, b);
}
