/* serve/page.c -- see page.h. */
#include "serve/page.h"

#include "base/limits.h"
#include "serve/acl.h"
#include "serve/asset.h"
#include "serve/jobs.h"
#include "serve/replay.h"

struct str page_base(const struct request *q) { return q->server->prefix; }

const char *page_z(struct request *q, struct str s) { return s.n ? arena_strz(&q->arena, s) : NULL; }

static void asset_href(struct request *q, struct buf *b, const char *name)
{
	const struct asset *a = asset_find(name);

	html(b, "%s/a/%z/%z", page_base(q), q->server->options.assets ? "dev" : a->hash, name);
}

static void tab(struct request *q, struct buf *b, bool current, const char *path, const char *name)
{
	html(b, "<a href=\"%s", page_base(q));
	if (q->served)
		html(b, "/c/%p", str(q->served->name));
	html(b, "%z\"%m>%z</a>\n", path, current ? " aria-current=\"page\"" : "", name);
}

static void menu(struct request *q, struct buf *b, enum page_tab now)
{
	unsigned active = q->server->options.read_only ? 0 : jobs_active();

	html(b, "<header class=\"top\"><nav aria-label=\"Main\"><a class=\"brand\" href=\"%s/\">winnow</a>\n",
	     page_base(q));
	if (q->served) {
		html(b, "<a class=\"coll\" href=\"%s/c/%p\">%s</a>\n", page_base(q), str(q->served->name),
		     str(q->served->name));
		tab(q, b, now == TAB_OVERVIEW, "", "Overview");
		tab(q, b, now == TAB_SEARCH, "/search", "Search");
		tab(q, b, now == TAB_RULES, "/rules/new", "Rules");
		tab(q, b, now == TAB_COVERS, "/covers", "Covers");
	}
	html(b, "<span class=\"space\"></span>");
	if (!q->server->options.read_only) {
		html(b, "<a href=\"%s/jobs\"%m>Jobs", page_base(q), now == TAB_JOBS ? " aria-current=\"page\"" : "");
		if (active)
			html(b, "<span class=\"count\">%n<span class=\"hidden\"> under way</span></span>",
			     (uint64_t)active);
		html(b, "</a>\n");
	}
	html(
	    b,
	    "<button type=\"button\" id=\"help\" hidden aria-haspopup=\"dialog\"><span aria-hidden=\"true\">?</span><span class=\"hidden\">Keys</span></button>"
	    "<button type=\"button\" id=\"theme\" hidden><span aria-hidden=\"true\">\u25d0</span><span class=\"hidden\">Light or dark</span></button></nav></header>\n");
}

/* Shown by the script that listens to them. */
static void key_sheet(struct buf *b)
{
	static const struct {
		const char *key, *does;
	} keys[] = {
		{ "/", "to the search field" },
		{ "g o", "overview" },
		{ "g s", "search" },
		{ "g r", "rules" },
		{ "g c", "covers" },
		{ "g j", "jobs" },
		{ "j k", "next and previous row" },
		{ "x", "open or close what a row covers" },
		{ "d", "difference of this row" },
		{ "n p", "next and previous change" },
		{ "[ ]", "previous and next capture" },
		{ "?", "this sheet" },
		{ "Esc", "close" },
	};

	html(
	    b,
	    "<dialog id=\"keys\" aria-labelledby=\"keys-head\"><h2 id=\"keys-head\">Keys</h2><table><thead class=\"hidden\"><tr><th scope=\"col\">Key</th><th "
	    "scope=\"col\">Does</th></tr></thead><tbody>");
	for (size_t i = 0; i < COUNT(keys); i++)
		html(b, "<tr><th scope=\"row\"><kbd>%z</kbd></th><td>%z</td></tr>", keys[i].key, keys[i].does);
	html(
	    b,
	    "</tbody></table><p><label class=\"plain\"><input type=\"checkbox\" id=\"keys-on\" checked> Single keys do this; unchecked, only ? and Esc do</label></p>"
	    "<form method=\"dialog\"><button>Close</button></form></dialog>\n");
}

static void script(struct request *q, struct buf *b, const char *name)
{
	html(b, "<script type=\"module\" src=\"");
	asset_href(q, b, name);
	html(b, "\"></script>\n");
}

struct buf *page_begin_as(struct request *q, const struct page_look *look)
{
	struct buf *b = request_buf(q, LIMIT_PAGE);

	html(
	    b,
	    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
	if (look->refresh)
		html(b, "<noscript><meta http-equiv=\"refresh\" content=\"%u\"></noscript>\n", (uint64_t)look->refresh);
	html(b, "<title>%s%z</title>\n<link rel=\"stylesheet\" href=\"", look->title, " - winnow");
	asset_href(q, b, "app.css");
	html(b, "\">\n<link rel=\"icon\" type=\"image/svg+xml\" href=\"");
	asset_href(q, b, "icon.svg");
	html(b, "\">\n");
	script(q, b, "app.js");
	if (look->script)
		script(q, b, look->script);
	html(b, "</head>\n<body%m%m%m>\n<a class=\"skip\" href=\"#main\">Skip to content</a>\n",
	     look->body_class ? " class=\"" : "", look->body_class ? look->body_class : "",
	     look->body_class ? "\"" : "");
	menu(q, b, look->tab);
	html(b, "<main id=\"main\" tabindex=\"-1\">\n");
	return b;
}

struct buf *page_begin(struct request *q, enum page_tab now, struct str title)
{
	return page_begin_as(q, &(struct page_look){ .tab = now, .title = title });
}

void page_end(struct request *q, struct response *r, struct buf *b)
{
	html(
	    b,
	    "</main>\n<footer>winnow %z \u00b7 times are UTC \u00b7 <a href=\"%s/help\">help</a> \u00b7 <a href=\"%s/api\">for programs</a></footer>\n",
	    WINNOW_VERSION, page_base(q), page_base(q));
	key_sheet(b);
	html(b, "</body></html>\n");
	if (b->full)
		response_error(r, 500, "this page would be larger than %zu MB", LIMIT_PAGE / MIB);
	else
		response_html(r, buf_view(b));
}

void page_forms(struct request *q, struct buf *b, const char *forms)
{
	struct str path = q->path, rest = str(forms);

	html(b, "<p class=\"forms\">This page as");
	while (rest.n) {
		struct str form = str_cut(&rest, ' ');

		html(b, " <a href=\"%s%s.%s%z%s\" type=\"%z\">%s</a>", page_base(q), path, form, q->query.n ? "?" : "",
		     q->query, str_eq(form, STR("json")) ? "application/json" : "text/plain", form);
	}
	html(b, "</p>\n");
}

bool page_sheet_begin(struct page_sheet *p, struct request *q, struct collection *coll, struct sheet *sheet,
		      const struct sheet_column *columns, const struct page_look *look)
{
	enum sheet_form form = sheet_form(q);
	struct catalog_next next = { 0 };

	if (coll)
		catalog_next(coll->catalog, &next, NULL);
	*p = (struct page_sheet){ .q = q, .sheet = sheet, .columns = columns, .revision = next.revision };
	if (form == SHEET_TABLE) {
		p->b = page_begin_as(q, look);
		return true;
	}
	if (form == SHEET_JSON) {
		p->j = data_begin(q);
		sheet_begin_in(sheet, p->j, columns);
	} else {
		p->b = request_buf(q, LIMIT_PAGE);
		sheet_begin(sheet, form, p->b, columns, NULL);
	}
	return false;
}

void page_sheet_table(struct page_sheet *p, const char *caption)
{
	sheet_begin(p->sheet, SHEET_TABLE, p->b, p->columns, caption);
}

void page_sheet_end(struct page_sheet *p, struct response *r, struct str next)
{
	enum sheet_form form = p->sheet->form;

	sheet_end(p->sheet);
	if (form == SHEET_JSON) {
		data_end(p->q, r, p->j, p->revision, next);
	} else if (form == SHEET_TABLE) {
		if (next.n)
			html(
			    p->b,
			    "<nav class=\"pager\" aria-label=\"Pages\"><a class=\"button\" rel=\"next\" href=\"?%s\">Next</a></nav>\n",
			    next);
		page_forms(p->q, p->b, "json csv jsonl");
		page_end(p->q, r, p->b);
	} else {
		r->policy = POLICY_DATA;
		response_body(r, form == SHEET_CSV ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
			      buf_view(p->b));
	}
}

void page_duration(struct buf *b, double seconds)
{
	buf_printf(b,
		   seconds < 100    ? "%.0f s"
		   : seconds < 6000 ? "%.0f min"
				    : "%.1f h",
		   seconds < 100    ? seconds
		   : seconds < 6000 ? seconds / 60
				    : seconds / 3600);
}

static struct str decoded(struct arena *a, struct str s)
{
	char *out = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%' && i + 2 < s.n && hex_digit(s.p[i + 1]) >= 0 && hex_digit(s.p[i + 2]) >= 0) {
			out[n++] = (char)(hex_digit(s.p[i + 1]) * 16 + hex_digit(s.p[i + 2]));
			i += 2;
		} else {
			out[n++] = s.p[i] == '+' ? ' ' : s.p[i];
		}
	}
	return str_n(out, n);
}

struct str page_form(struct request *q, const char *name)
{
	struct str rest = q->body;

	while (rest.n) {
		struct str field = str_cut(&rest, '&'), key = str_cut(&field, '=');

		if (str_eq(decoded(&q->arena, key), str(name)))
			return decoded(&q->arena, field);
	}
	return STR_NONE;
}

struct collection *page_collection(struct request *q, struct response *r)
{
	struct collection *coll = request_collection(q, r);
	struct err err = { 0 };

	if (coll && catalog_begin(coll->catalog, &err) < 0) {
		response_err(r, &err);
		return NULL;
	}
	return coll;
}

void page_done(struct collection *coll) { catalog_end(coll->catalog); }

bool page_allowed(struct request *q, struct str urlkey, int64_t time)
{
	return acl_allows(request_acl(q, q->served), urlkey, time, q->acl_user);
}

struct str page_url(struct request *q, const struct capture *c) { return replay_url_of(&q->arena, c->url, c->urlkey); }

void page_capture_link(struct request *q, struct buf *b, const struct capture *c)
{
	html(b, "<a href=\"%s/%p/%i/%r\">%b</a>", page_base(q), str(q->served->slug), c->time, page_url(q, c),
	     c->title.n ? c->title : c->url);
}

void page_bar(struct buf *b, uint64_t part, uint64_t whole)
{
	double share = whole ? 100.0 * (double)part / (double)whole : 0;

	html(
	    b,
	    "<svg class=\"bar\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"%f\" height=\"4\"/></svg>",
	    share);
}

struct listing_covers {
	struct request *q;
	VEC(struct cover_row) rows;
};

static int take_cover(void *context, const struct cover_row *row)
{
	struct listing_covers *l = context;
	struct arena *a = &l->q->arena;
	struct cover_row *copy = vec_add(&l->rows);

	*copy = *row;
	copy->name = arena_str(a, row->name);
	copy->rule = arena_str(a, row->rule);
	copy->sha256 = arena_str(a, row->sha256);
	copy->selection = arena_str(a, row->selection);
	copy->report = STR_NONE;
	copy->options = (struct cover_options){ 0 };
	return WN_OK;
}

int page_covers(struct request *q, struct collection *coll, struct cover_row **out, size_t *n, struct err *err)
{
	struct listing_covers l = { .q = q };
	int rc = covers_each(coll, take_cover, &l, err);

	*n = l.rows.n;
	*out = ARENA_ARRAY(&q->arena, struct cover_row, l.rows.n + 1);
	for (size_t i = 0; i < l.rows.n; i++)
		(*out)[i] = l.rows.p[l.rows.n - 1 - i];
	vec_release(&l.rows);
	return rc;
}

void page_collection_redirect(struct request *q, struct response *r)
{
	struct buf *b = request_buf(q, 4 * LIMIT_URL);

	if (request_param(q, "url").n) { /* where OutbackCDX answers queries */
		html(b, "%s/%p/cdx?", page_base(q), str(q->served->slug));
		buf_str(b, q->query);
	} else {
		html(b, "%s/c/%p", page_base(q), str(q->served->name));
	}
	response_redirect(r, 302, buf_view(b));
}
