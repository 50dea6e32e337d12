/* serve/page_calendar.c -- a URL in time: its years, twelve months of one of them, and a list of its captures.
 *
 * /coll/2010STAR/url shows a year, 201004STAR and 20100412STAR list a month or a day of it
 * (STAR: an asterisk).  Years and days are counted from the index of keys alone.  A
 * day's mark says how much the text changed since the capture before it, by its
 * shape and in words, never by colour: Jaccard distance of the shingle sets.
 * In a year of more than DETAILS_MOST captures a day is judged by its last one;
 * at most CHANGES_MOST changes are measured a page.  So the cost is one pass
 * over the index and a bounded number of seeks, whatever the URL's history.
 */
#include <inttypes.h>
#include <stdio.h>

#include "archive/stamp.h"
#include "archive/surt.h"
#include "base/limits.h"
#include "serve/page.h"
#include "serve/replay.h"

enum { YEARS_MOST = 400, DETAILS_MOST = 3000, TABLE_ROWS = 500, CHANGES_MOST = 400, BEFORE_MOST = 1000 };
enum { CHANGE_UNKNOWN = -1, CHANGE_FIRST = -2 };

struct point {
	uint64_t id, content;
	int64_t time;
	int status;
	int change;  /* percent of the text that is new since the one before, or CHANGE_... */
	bool known;  /* status, content and change were looked up */
	bool hidden; /* by the cover */
};

struct calendar {
	struct request *q;
	struct collection *coll;
	struct str url, key;
	struct year {
		int64_t year, from, to; /* its first second, and the next year's */
		uint64_t n;
	} years[YEARS_MOST];
	size_t n_years;
	uint64_t all, most;
	int64_t year, from, to; /* the year shown; what of it is listed, inclusive */
	struct point *points;	/* of the year, in order of time */
	size_t n, room;
	struct cover_row cover; /* newest; id 0: none */
};

static int count_one(void *context, uint64_t id, int64_t time)
{
	struct calendar *c = context;
	struct year *y = c->n_years ? &c->years[c->n_years - 1] : NULL;

	(void)id;
	if (!y || time < y->from || time >= y->to) {
		int64_t year = stamp_civil(time).year;

		if (c->n_years == YEARS_MOST)
			return WN_END;
		y = &c->years[c->n_years++];
		*y = (struct year){ .year = year,
				    .from = stamp_from_civil(year, 1, 1, 0, 0, 0),
				    .to = stamp_from_civil(year + 1, 1, 1, 0, 0, 0) };
	}
	c->all++;
	if (++y->n > c->most)
		c->most = y->n;
	return WN_OK;
}

static void count_years(struct calendar *c)
{
	catalog_times(c->coll->catalog, c->key, INT64_MIN, INT64_MAX, count_one, c, NULL);
}

static int load_one(void *context, uint64_t id, int64_t time)
{
	struct calendar *c = context;

	if (c->n == c->room)
		return WN_END;
	if (page_allowed(c->q, c->key, time))
		c->points[c->n++] =
		    (struct point){ .id = id, .time = time, .status = CAPTURE_NO_STATUS, .change = CHANGE_UNKNOWN };
	return WN_OK;
}

/* Times and numbers of the year's captures, from the index of keys. */
static void load_points(struct calendar *c)
{
	const struct year *y = NULL;

	for (size_t i = 0; i < c->n_years; i++)
		if (c->years[i].year == c->year)
			y = &c->years[i];
	c->room = y ? y->n : 0;
	c->points = ARENA_ARRAY(&c->q->arena, struct point, c->room + 1);
	if (y)
		catalog_times(c->coll->catalog, c->key, y->from, y->to - 1, load_one, c, NULL);
}

/* Which captures are looked at: all of a year that has few, else the last of each day and those that are listed. */
static void choose_details(struct calendar *c)
{
	size_t listed = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct point *p = &c->points[i];
		bool last = i + 1 == c->n || c->points[i + 1].time / 86400 != p->time / 86400;

		p->known =
		    c->n <= DETAILS_MOST || last || (p->time >= c->from && p->time <= c->to && listed++ < TABLE_ROWS);
	}
}

static void load_details(struct calendar *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct point *p = &c->points[i];

		if (p->known)
			catalog_brief(c->coll->catalog, p->id, &p->status, &p->content, NULL);
	}
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

/* The content of the last capture before this year that has one, of so many; 0: none. */
static uint64_t content_before(struct calendar *c)
{
	struct cdx_range before = { .from = { c->key, INT64_MIN, INT64_MIN },
				    .to = { c->key, stamp_from_civil(c->year, 1, 1, 0, 0, 0), INT64_MIN },
				    .backward = true,
				    .keys_only = true };
	struct cdx_cursor *list = NULL;
	uint64_t content = 0;
	struct cdx_row row;
	int status;

	if (catalog_cdx(c->coll->catalog, &before, &list, NULL) < 0)
		return 0;
	for (unsigned i = 0; i < BEFORE_MOST && !content && cdx_next(list, &row, NULL) == WN_OK; i++)
		catalog_brief(c->coll->catalog, row.id, &status, &content, NULL);
	cdx_close(list);
	return content;
}

static int distance(struct calendar *c, uint64_t before, uint64_t now)
{
	struct arena scratch = { 0 };
	int change = CHANGE_UNKNOWN;
	struct set a, b;

	if (collection_set(c->coll, &scratch, before, SKETCH_BODY, &a, NULL) == WN_OK &&
	    collection_set(c->coll, &scratch, now, SKETCH_BODY, &b, NULL) == WN_OK && a.n + b.n) {
		size_t both = shared(&a, &b);

		change = 100 - (int)(100 * both / (a.n + b.n - both));
		change = change ? change : 1; /* another text, however little of it */
	}
	arena_release(&scratch);
	return change;
}

static void changes(struct calendar *c)
{
	uint64_t before = content_before(c);
	unsigned measured = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct point *p = &c->points[i];

		if (!p->content)
			continue;
		if (!before)
			p->change = i == 0 ? CHANGE_FIRST : CHANGE_UNKNOWN;
		else if (before == p->content)
			p->change = 0;
		else if (measured++ < CHANGES_MOST)
			p->change = distance(c, before, p->content);
		before = p->content;
	}
}

/* Which of the points the newest cover hides: a seek each. */
static void hidden(struct calendar *c)
{
	struct cover_row *rows;
	uint64_t witness;
	size_t n;
	int state;

	if (page_covers(c->q, c->coll, &rows, &n, NULL) < 0 || !n)
		return;
	c->cover = rows[0];
	for (size_t i = 0; i < c->n; i++)
		c->points[i].hidden = catalog_cover_state(c->coll->catalog, c->cover.id, c->points[i].id, &state,
							  &witness, NULL) == WN_OK &&
				      state == 0;
}

/* The shape of a change and its words. */
static const char *shape(int change)
{
	return change == CHANGE_FIRST ? "\u25c6"
	       : change < 0	      ? "\u00b7"
	       : change == 0	      ? "\u25cb"
	       : change < 15	      ? "\u25d4"
	       : change < 50	      ? "\u25d1"
	       : change < 85	      ? "\u25d5"
				      : "\u25cf";
}

static struct str change_words(struct arena *a, int change)
{
	return change == CHANGE_FIRST ? STR("first")
	       : change < 0	      ? STR("change not known")
	       : change == 0	      ? STR("same text")
				      : arena_printf(a, "%d %% changed", change);
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static void year_list(struct calendar *c, struct buf *b)
{
	html(b, "<nav aria-label=\"Years\"><ul class=\"years\">");
	for (size_t i = 0; i < c->n_years; i++) {
		char year[24];

		snprintf(year, sizeof year, "%04" PRId64, c->years[i].year);
		html(b, "<li><a%m href=\"%s/%p/%z*/%r\">%z<small>%n<span class=\"hidden\"> capture%z</span></small>",
		     c->years[i].year == c->year ? " aria-current=\"true\"" : "", page_base(c->q),
		     str(c->q->served->slug), year, c->url, year, c->years[i].n, plural(c->years[i].n));
		page_bar(b, c->years[i].n, c->most);
		html(b, "</a></li>");
	}
	html(b, "</ul></nav>\n");
}

static const char *const month_names[] = { "January", "February", "March",     "April",	  "May",      "June",
					   "July",    "August",	  "September", "October", "November", "December" };

/* One capture leads to itself, several to their list. */
static void day_href(struct calendar *c, struct buf *b, const struct point *p, size_t n)
{
	char stamp[15];

	html(b, "%s/%p/", page_base(c->q), str(c->q->served->slug));
	if (n == 1)
		html(b, "%i/%r", p->time, c->url);
	else
		html(b, "%s*/%r", str_sub(stamp_14(p->time, stamp), 0, 8), c->url);
}

static void day(struct calendar *c, struct buf *b, unsigned number, const struct point *p, size_t n)
{
	int change = CHANGE_UNKNOWN, status = CAPTURE_NO_STATUS;
	unsigned gone = 0;
	bool good = false;

	if (!n) {
		html(b, "<td>%u</td>", (uint64_t)number);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		change = p[i].change == CHANGE_FIRST && change < 0 ? CHANGE_FIRST
			 : p[i].change > change			   ? p[i].change
								   : change;
		gone += p[i].hidden;
		good |= p[i].known && p[i].status < 400;
		status = p[i].status > status ? p[i].status : status;
	}
	html(b, "<td class=\"has\"><a href=\"");
	day_href(c, b, p, n);
	html(b, "\" title=\"%n capture%z, %s\">", (uint64_t)n, plural(n), change_words(&c->q->arena, change));
	html(
	    b,
	    "<b>%u</b><span class=\"dot\" aria-hidden=\"true\">%z%z</span><span class=\"hidden\"> %z: %n capture%z, %s",
	    (uint64_t)number, shape(change), n > 1 ? "+" : "", month_names[stamp_civil(p->time).month - 1], (uint64_t)n,
	    plural(n), change_words(&c->q->arena, change));
	if (gone)
		html(b, ", %u hidden", (uint64_t)gone);
	html(b, "</span>");
	if (gone)
		html(b, "<small aria-hidden=\"true\">\u2212%u</small>", (uint64_t)gone);
	if (!good && status > 0)
		html(b, "<small>%u</small>", (uint64_t)status);
	html(b, "</a></td>");
}

static size_t month(struct calendar *c, struct buf *b, unsigned m, size_t at)
{
	unsigned days = stamp_month_days(c->year, m),
		 column = (stamp_civil(stamp_from_civil(c->year, m, 1, 0, 0, 0)).weekday + 6) % 7;

	int64_t next = stamp_from_civil(c->year, m, days, 0, 0, 0) + 86400;
	bool none = at >= c->n || c->points[at].time >= next; /* a narrow screen shows its name alone */

	html(b, "<table%m><caption>%z</caption><thead><tr>", none ? " class=\"none\"" : "", month_names[m - 1]);
	for (unsigned i = 0; i < 7; i++)
		html(b, "<th scope=\"col\">%z</th>",
		     ((const char *const[]){ "Mo", "Tu", "We", "Th", "Fr", "Sa", "Su" })[i]);
	html(b, "</tr></thead><tbody><tr>");
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

static const struct sheet_column capture_columns[] = {
	{ "time", "Time", COLUMN_TEXT },
	{ "status", "Status", COLUMN_TEXT },
	{ "change", "Change since the one before", COLUMN_TEXT },
	{ "cover", "Cover", COLUMN_TEXT },
	{ "also", "Also", COLUMN_TEXT },
	{ NULL, NULL, COLUMN_TEXT },
};

static void capture_row(struct calendar *c, struct sheet *l, const struct point *p, const struct point *before)
{
	sheet_row(l);
	if (sheet_cell_time(l, p->time))
		html(l->b, "<a href=\"%s/%p/%i/%r\">%t</a>", page_base(c->q), str(c->q->served->slug), p->time, c->url,
		     p->time);
	if (sheet_cell(l, STR_NONE) && p->status > 0)
		html(l->b, "%u", (uint64_t)p->status);
	if (sheet_cell(l, STR_NONE))
		html(l->b, "<span aria-hidden=\"true\">%z</span> %s", shape(p->change),
		     change_words(&c->q->arena, p->change));
	if (sheet_cell(l, STR_NONE) && c->cover.id && p->hidden)
		html(l->b, "<a class=\"tag dropped\" href=\"%s/c/%p/covers/%u/doc/%u\">hidden</a>", page_base(c->q),
		     str(c->q->served->name), c->cover.id, p->id);
	if (sheet_cell(l, STR_NONE)) {
		html(
		    l->b,
		    "<span class=\"actions\"><a href=\"%s/%p/%iid_/%r\">raw<span class=\"hidden\"> bytes of %i</span></a>",
		    page_base(c->q), str(c->q->served->slug), p->time, c->url, p->time);
		if (before && p->content && before->content)
			html(
			    l->b,
			    "<a href=\"%s/c/%p/diff/%u..%u\">diff<span class=\"hidden\"> of %i with the one before</span></a>",
			    page_base(c->q), str(c->q->served->name), before->id, p->id, p->time);
		html(l->b, "</span>");
	}
}

static void list(struct calendar *c, struct buf *b)
{
	struct sheet l;
	size_t shown = 0, all = 0;

	html(b, "<h2 id=\"list\">Captures from %d to %d</h2>\n", c->from, c->to);
	sheet_begin(&l, SHEET_TABLE, b, capture_columns, NULL);
	for (size_t i = 0; i < c->n; i++)
		if (c->points[i].time >= c->from && c->points[i].time <= c->to && all++ < TABLE_ROWS) {
			capture_row(c, &l, &c->points[i], i ? &c->points[i - 1] : NULL);
			shown++;
		}
	sheet_end(&l);
	if (all > shown)
		html(b, "<p>The first %n of %n are listed; the days of the calendar list theirs.</p>\n",
		     (uint64_t)shown, (uint64_t)all);
}

static void show(struct calendar *c, struct buf *b)
{
	size_t at = 0, gone = 0;

	for (size_t i = 0; i < c->n; i++)
		gone += c->points[i].hidden;
	html(b, "<h1>%b</h1>\n<p role=\"status\">%n capture%z in %n year%z.", c->url, c->all, plural(c->all),
	     (uint64_t)c->n_years, plural(c->n_years));
	if (c->cover.id)
		html(b,
		     " In %u, %n of %n are hidden by <a href=\"%s/c/%p/covers/%u\">cover %u</a>; all are shown here.",
		     (uint64_t)c->year, (uint64_t)gone, (uint64_t)c->n, page_base(c->q), str(c->q->served->name),
		     c->cover.id, c->cover.id);
	html(b, "</p>\n");
	year_list(c, b);
	html(
	    b,
	    "<p class=\"hint\">Since the capture before: \u25cb same text, \u25d4 under 15 %% changed, \u25d1 under half, \u25d5 most, \u25cf nearly all, \u25c6 first, \u00b7 not known; + several "
	    "that day; \u2212n hidden by the cover.%z <a href=\"#list\">As a list</a></p>\n<div class=\"months\">\n",
	    c->n > DETAILS_MOST ? " A day is judged by its last capture." : "");
	for (unsigned m = 1; m <= 12; m++)
		at = month(c, b, m, at);
	html(b, "</div>\n");
	list(c, b);
}

static void not_archived(struct calendar *c, struct response *r, const struct stamp *period)
{
	struct history *h = request_history(c->q, r);

	if (h)
		replay_missing_page(c->q, r, h, c->url, period ? period->time : STAMP_MAX);
}

/* The year to show, and what of it is listed. */
static void choose_period(struct calendar *c, const struct stamp *period)
{
	int64_t wanted = period ? stamp_civil(period->time).year : 0;
	bool has = false;

	c->year = c->n_years ? c->years[c->n_years - 1].year : 0;
	for (size_t i = 0; i < c->n_years; i++)
		has |= period && c->years[i].year == wanted;
	c->year = has ? wanted : c->year;
	c->from = has && period->precision > STAMP_YEAR ? period->time : stamp_from_civil(c->year, 1, 1, 0, 0, 0);
	c->to = has && period->precision > STAMP_YEAR ? stamp_end(period)
						      : stamp_from_civil(c->year + 1, 1, 1, 0, 0, 0) - 1;
}

void page_calendar_of(struct request *q, struct response *r, struct str url, const struct stamp *period)
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
	choose_period(c, period);
	if (c->n_years) {
		load_points(c);
		choose_details(c);
		load_details(c);
		changes(c);
		hidden(c);
	}
	if (c->n) {
		b = page_begin(q, TAB_NONE, arena_printf(&q->arena, "Captures of %.*s", STR_FMT(url)));
		show(c, b);
		page_end(q, r, b);
	} else {
		not_archived(c, r, period);
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
