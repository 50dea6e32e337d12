/* serve/page_calendar.c -- a URL in time: its years, twelve months of one of them, and a table of its captures.
 *
 * Years are counted from the index of keys alone; only the captures of the
 * year that is shown are read.  A day's mark says how much the text changed
 * since the capture before it, by its shape and in words, never by colour:
 * Jaccard distance of the shingle sets, at most CHANGES_MOST a page.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>

#include "archive/stamp.h"
#include "archive/surt.h"
#include "base/limits.h"
#include "serve/page.h"

enum { YEARS_MOST = 400, YEAR_CAPTURES = 20000, TABLE_ROWS = 500, CHANGES_MOST = 400 };

struct point {
	uint64_t id, content;
	int64_t time;
	int status;
	int change;  /* percent of the text that is new since the one before; -1: not known, -2: the first */
	bool hidden; /* by the cover */
};

struct calendar {
	struct request *q;
	struct collection *coll;
	struct str url, key;
	struct {
		int64_t year;
		uint64_t n;
	} years[YEARS_MOST];
	size_t n_years;
	uint64_t all, most;
	int64_t year;
	struct point *points;
	size_t n;
	bool cut;		/* more captures in this year than are shown */
	struct cover_row cover; /* newest; id 0: none */
};

static sqlite3_stmt *prepare(struct calendar *c, const char *sql)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(catalog_sqlite(c->coll->catalog), sql, -1, &s, NULL) != SQLITE_OK)
		return NULL;
	sqlite3_bind_text(s, 1, c->key.p, (int)c->key.n, SQLITE_STATIC);
	return s;
}

static void count_years(struct calendar *c)
{
	sqlite3_stmt *s = prepare(c, "select time from capture_key where urlkey = ?1 order by time");
	int64_t from = 0, to = 0;

	while (s && sqlite3_step(s) == SQLITE_ROW) {
		int64_t time = sqlite3_column_int64(s, 0);

		if (!c->n_years || time >= to || time < from) {
			int64_t year = stamp_civil(time).year;

			if (c->n_years == YEARS_MOST)
				break;
			from = stamp_from_civil(year, 1, 1, 0, 0, 0);
			to = stamp_from_civil(year + 1, 1, 1, 0, 0, 0);
			c->years[c->n_years].year = year;
			c->years[c->n_years++].n = 0;
		}
		c->all++;
		if (++c->years[c->n_years - 1].n > c->most)
			c->most = c->years[c->n_years - 1].n;
	}
	sqlite3_finalize(s);
}

static void load_points(struct calendar *c)
{
	sqlite3_stmt *s = prepare(
	    c,
	    "select k.capture, k.time, c.status, c.content from capture_key k join capture c on c.id = k.capture where k.urlkey = ?1 and k.time >= ?2 and k.time < ?3 "
	    "order by k.time, k.capture limit ?4");

	c->points = ARENA_ARRAY(&c->q->arena, struct point, YEAR_CAPTURES + 1);
	if (s) {
		sqlite3_bind_int64(s, 2, stamp_from_civil(c->year, 1, 1, 0, 0, 0));
		sqlite3_bind_int64(s, 3, stamp_from_civil(c->year + 1, 1, 1, 0, 0, 0));
		sqlite3_bind_int64(s, 4, YEAR_CAPTURES + 1);
	}
	while (s && sqlite3_step(s) == SQLITE_ROW) {
		struct point p = { .id = (uint64_t)sqlite3_column_int64(s, 0),
				   .time = sqlite3_column_int64(s, 1),
				   .status = sqlite3_column_int(s, 2),
				   .content = (uint64_t)sqlite3_column_int64(s, 3),
				   .change = -1 };

		if (c->n == YEAR_CAPTURES) {
			c->cut = true;
			break;
		}
		if (page_allowed(c->q, c->key, p.time))
			c->points[c->n++] = p;
	}
	sqlite3_finalize(s);
}

/* Shared values of two ascending sets. */
static size_t shared(const struct set *a, const struct set *b)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		if (a->p[i] == b->p[j])
			n++, i++, j++;
		else if (a->p[i] < b->p[j])
			i++;
		else
			j++;
	}
	return n;
}

/* The content of the last capture before this year that has one; 0: none. */
static uint64_t content_before(struct calendar *c)
{
	sqlite3_stmt *s = prepare(
	    c,
	    "select c.content from capture_key k join capture c on c.id = k.capture where k.urlkey = ?1 and k.time < ?2 and c.content is not null "
	    "order by k.time desc, k.capture desc limit 1");
	uint64_t content = 0;

	if (s) {
		sqlite3_bind_int64(s, 2, stamp_from_civil(c->year, 1, 1, 0, 0, 0));
		if (sqlite3_step(s) == SQLITE_ROW)
			content = (uint64_t)sqlite3_column_int64(s, 0);
	}
	sqlite3_finalize(s);
	return content;
}

static void changes(struct calendar *c)
{
	unsigned measured = 0;
	uint64_t before = content_before(c);

	for (size_t i = 0; i < c->n; i++) {
		struct point *p = &c->points[i];
		struct arena scratch = { 0 };
		struct set a, b;

		if (!p->content)
			continue;
		if (!before)
			p->change = i == 0 ? -2 : -1;
		else if (before == p->content)
			p->change = 0;
		else if (measured++ < CHANGES_MOST &&
			 collection_set(c->coll, &scratch, before, SKETCH_BODY, &a, NULL) == WN_OK &&
			 collection_set(c->coll, &scratch, p->content, SKETCH_BODY, &b, NULL) == WN_OK && a.n + b.n) {
			size_t both = shared(&a, &b);

			p->change = 100 - (int)(100 * both / (a.n + b.n - both));
			if (!p->change)
				p->change = 1;
		}
		before = p->content;
		arena_release(&scratch);
	}
}

static void hidden(struct calendar *c)
{
	struct cover_row *rows;
	sqlite3_stmt *s = NULL;
	size_t n;

	if (page_covers(c->q, c->coll, &rows, &n, NULL) < 0 || !n)
		return;
	c->cover = rows[0];
	if (sqlite3_prepare_v2(catalog_sqlite(c->coll->catalog),
			       "select kept from cover_member where cover = ?1 and capture = ?2", -1, &s,
			       NULL) == SQLITE_OK)
		for (size_t i = 0; i < c->n; i++) {
			sqlite3_bind_int64(s, 1, (sqlite3_int64)c->cover.id);
			sqlite3_bind_int64(s, 2, (sqlite3_int64)c->points[i].id);
			c->points[i].hidden = sqlite3_step(s) == SQLITE_ROW && !sqlite3_column_int(s, 0);
			sqlite3_reset(s);
		}
	sqlite3_finalize(s);
}

/* The shape of a change and its words. */
static const char *shape(int change)
{
	return change == -2  ? "\u25c6"
	       : change < 0  ? "\u00b7"
	       : change == 0 ? "\u25cb"
	       : change < 15 ? "\u25d4"
	       : change < 50 ? "\u25d1"
	       : change < 85 ? "\u25d5"
			     : "\u25cf";
}

static struct str change_words(struct arena *a, int change)
{
	return change == -2  ? STR("first")
	       : change < 0  ? STR("change not known")
	       : change == 0 ? STR("same text")
			     : arena_printf(a, "%d %% changed", change);
}

static void year_list(struct calendar *c, struct buf *b)
{
	html(b, "<nav aria-label=\"Years\"><ul class=\"years\">");
	for (size_t i = 0; i < c->n_years; i++) {
		char year[24];

		snprintf(year, sizeof year, "%04" PRId64, c->years[i].year);
		html(b, "<li><a%m href=\"%s/%p/%z*/%r\">%z<small>%n<span class=\"hidden\"> captures</span></small>",
		     c->years[i].year == c->year ? " aria-current=\"true\"" : "", page_base(c->q),
		     str(c->q->served->slug), year, c->url, year, c->years[i].n);
		page_bar(b, c->years[i].n, c->most);
		html(b, "</a></li>");
	}
	html(b, "</ul></nav>\n");
}

static const char *const month_names[] = { "January", "February", "March",     "April",	  "May",      "June",
					   "July",    "August",	  "September", "October", "November", "December" };

static void day(struct calendar *c, struct buf *b, unsigned number, const struct point *p, size_t n)
{
	int change = -1;
	unsigned gone = 0;
	bool good = false;

	if (!n) {
		html(b, "<td>%u</td>", (uint64_t)number);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		change = p[i].change == -2 && change < 0 ? -2 : p[i].change > change ? p[i].change : change;
		gone += p[i].hidden;
		good |= p[i].status < 300;
	}
	html(b, "<td class=\"has\"><a href=\"%s/%p/%i/%r\" title=\"%n captures, %s\">", page_base(c->q),
	     str(c->q->served->slug), p[n - 1].time, c->url, (uint64_t)n, change_words(&c->q->arena, change));
	html(b,
	     "<b>%u</b><span class=\"dot\" aria-hidden=\"true\">%z%z</span><span class=\"hidden\"> %z: %n captures, %s",
	     (uint64_t)number, shape(change), n > 1 ? "+" : "", month_names[stamp_civil(p->time).month - 1],
	     (uint64_t)n, change_words(&c->q->arena, change));
	if (gone)
		html(b, ", %u hidden", (uint64_t)gone);
	html(b, "</span>");
	if (gone)
		html(b, "<small aria-hidden=\"true\">\u2212%u</small>", (uint64_t)gone);
	if (!good)
		html(b, "<small>%u</small>", (uint64_t)p->status);
	html(b, "</a></td>");
}

static size_t month(struct calendar *c, struct buf *b, unsigned m, size_t at)
{
	unsigned days = stamp_month_days(c->year, m),
		 column = (stamp_civil(stamp_from_civil(c->year, m, 1, 0, 0, 0)).weekday + 6) % 7;

	html(
	    b,
	    "<table><caption>%z</caption><thead><tr><th scope=\"col\">Mo</th><th scope=\"col\">Tu</th><th scope=\"col\">We</th><th scope=\"col\">Th</th><th scope=\"col\">Fr</th><th "
	    "scope=\"col\">Sa</th><th scope=\"col\">Su</th></tr></thead><tbody><tr>",
	    month_names[m - 1]);
	for (unsigned i = 0; i < column; i++)
		html(b, "<td></td>");
	for (unsigned d = 1; d <= days; d++) {
		int64_t end = stamp_from_civil(c->year, m, d, 0, 0, 0) + 86400;
		size_t from = at;

		while (at < c->n && c->points[at].time < end)
			at++;
		if (column == 7) {
			html(b, "</tr><tr>");
			column = 0;
		}
		day(c, b, d, c->points + from, at - from);
		column++;
	}
	for (; column < 7; column++)
		html(b, "<td></td>");
	html(b, "</tr></tbody></table>\n");
	return at;
}

static void table(struct calendar *c, struct buf *b)
{
	html(
	    b,
	    "<h2 id=\"list\">Captures of %u</h2>\n<table class=\"cards\"><thead><tr><th scope=\"col\">Time</th><th scope=\"col\">Status</th><th scope=\"col\">Change</th>",
	    (uint64_t)c->year);
	html(b, c->cover.id ? "<th scope=\"col\">Cover</th>" : "");
	html(b, "<th scope=\"col\">Also</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < c->n && i < TABLE_ROWS; i++) {
		const struct point *p = &c->points[i];

		html(b, "<tr><th scope=\"row\"><a href=\"%s/%p/%i/%r\">%t</a></th><td data-name=\"Status\">",
		     page_base(c->q), str(c->q->served->slug), p->time, c->url, p->time);
		if (p->status > 0)
			html(b, "%u", (uint64_t)p->status);
		html(b, "</td><td data-name=\"Change\">%z %s</td>", shape(p->change),
		     change_words(&c->q->arena, p->change));
		if (c->cover.id)
			html(b, p->hidden ? "<td data-name=\"Cover\"><span class=\"tag dropped\">hidden</span></td>"
					  : "<td></td>");
		html(b, "<td><a href=\"%s/%p/%iid_/%r\">raw<span class=\"hidden\"> bytes of %i</span></a>",
		     page_base(c->q), str(c->q->served->slug), p->time, c->url, p->time);
		if (i && p->content && c->points[i - 1].content)
			html(
			    b,
			    " <a href=\"%s/c/%p/diff/%u..%u\">diff<span class=\"hidden\"> of %i with the one before</span></a>",
			    page_base(c->q), str(c->q->served->name), c->points[i - 1].id, p->id, p->time);
		html(b, "</td></tr>\n");
	}
	html(b, "</tbody></table>\n");
	if (c->n > TABLE_ROWS)
		html(b, "<p>The first %n of %n captures of this year are listed.</p>\n", (uint64_t)TABLE_ROWS,
		     (uint64_t)c->n);
}

static void show(struct calendar *c, struct buf *b)
{
	size_t at = 0, gone = 0;

	for (size_t i = 0; i < c->n; i++)
		gone += c->points[i].hidden;
	html(b, "<h1>%b</h1>\n<p role=\"status\">%n captures in %n years.", c->url, c->all, (uint64_t)c->n_years);
	if (c->cover.id)
		html(b,
		     " In %u, %n of %n are hidden by <a href=\"%s/c/%p/covers/%u\">cover %u</a>; all are shown here.",
		     (uint64_t)c->year, (uint64_t)gone, (uint64_t)c->n, page_base(c->q), str(c->q->served->name),
		     c->cover.id, c->cover.id);
	html(b, "</p>\n");
	year_list(c, b);
	html(
	    b,
	    "<p class=\"hint\">Since the capture before: \u25cb same text, \u25d4 under 15 %% changed, \u25d1 under half, \u25d5 most, \u25cf nearly all, \u25c6 first, \u00b7 "
	    "not known; + several that day; \u2212n hidden by the cover. <a href=\"#list\">As a list</a></p>\n<div class=\"months\">\n");
	for (unsigned m = 1; m <= 12; m++)
		at = month(c, b, m, at);
	html(b, "</div>\n");
	if (c->cut)
		html(b, "<p class=\"note\">Only the first %n captures of this year are shown.</p>\n",
		     (uint64_t)YEAR_CAPTURES);
	table(c, b);
}

static void not_archived(struct calendar *c, struct response *r)
{
	struct buf *b = page_begin(c->q, TAB_NONE, STR("Not archived"));

	html(
	    b,
	    "<h1>Not archived</h1>\n<p>This collection has no capture of <b>%b</b>.</p>\n<p><a href=\"%s/c/%p\">What it has</a></p>\n",
	    c->url, page_base(c->q), str(c->q->served->name));
	r->status = 404;
	page_end(c->q, r, b);
}

void page_calendar_of(struct request *q, struct response *r, struct str url, int64_t year)
{
	struct calendar *c = ARENA_NEW(&q->arena, struct calendar);
	struct buf *key = request_buf(q, 4 * LIMIT_URL), *b;

	c->q = q;
	c->url = url;
	r->policy = POLICY_UI;
	if (!(c->coll = page_collection(q, r)))
		return;
	surt_add(surt_profile(catalog_settings(c->coll->catalog)->profile), url, key);
	c->key = buf_view(key);
	count_years(c);
	c->year = c->n_years ? c->years[c->n_years - 1].year : 0;
	for (size_t i = 0; i < c->n_years; i++)
		if (c->years[i].year == year)
			c->year = year;
	if (c->n_years) {
		load_points(c);
		changes(c);
		hidden(c);
	}
	if (c->n) {
		b = page_begin(q, TAB_NONE, arena_printf(&q->arena, "Captures of %.*s", STR_FMT(url)));
		show(c, b);
		page_end(q, r, b);
	} else {
		not_archived(c, r);
	}
	page_done(c->coll);
}

void page_go(struct request *q, struct response *r)
{
	struct buf *b = request_buf(q, 4 * LIMIT_URL);
	struct str url = str_trim(request_param(q, "url"));

	if (!url.n) {
		response_error(r, 400, "write the URL whose captures you want to see");
		return;
	}
	html(b, "%s/%p/*/", page_base(q), str(q->served->slug));
	location_url(b, url);
	response_redirect(r, 302, buf_view(b));
}
