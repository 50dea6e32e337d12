/* serve/page_urls.c -- the URLs of a collection by key: all of a host, a folder, or what stands near an address.
 *
 * A loose scan of the index of keys: one seek a URL, however many captures it
 * has; captures are counted up to COUNT_MOST.  Goes on by key.
 */
#include "archive/surt.h"
#include "base/limits.h"
#include "serve/page.h"
#include "serve/replay.h"

enum { URLS = 100, COUNT_MOST = 10000 };

static const struct sheet_column url_columns[] = {
	{ "url", "URL", COLUMN_TEXT },	   { "urlkey", NULL, COLUMN_TEXT }, { "captures", "Captures", COLUMN_NUMBER },
	{ "first", "First", COLUMN_TEXT }, { "last", "Last", COLUMN_TEXT }, { NULL, NULL, COLUMN_TEXT },
};

static void row(struct request *q, struct arena *a, struct sheet *l, const struct catalog_url *u)
{
	struct str at = replay_url_of(a, u->url, u->urlkey);

	sheet_row(l);
	if (sheet_cell(l, u->url))
		html(l->b, "<a href=\"%s/%p/*/%r\">%b</a>%z", page_base(q), str(q->served->slug), at, u->url,
		     at.p == u->url.p ? "" : " <span class=\"tag\">POST</span>");
	sheet_text(l, u->urlkey);
	if (sheet_cell_u64(l, u->captures))
		html(l->b, "%n%z", u->captures, u->captures == COUNT_MOST ? " or more" : "");
	sheet_time(l, u->first);
	sheet_time(l, u->last);
}

/* The smallest key behind this one: seeking it passes over all captures of this one. */
static struct str behind(struct arena *a, struct str key)
{
	char *p = arena_alloc(a, key.n + 1);

	if (key.n)
		memcpy(p, key.p, key.n);
	p[key.n] = 0;
	return str_n(p, key.n + 1);
}

/* What access rules leave of a URL. */
struct open_part {
	struct request *q;
	struct catalog_url *u;
	uint64_t last; /* id */
};

static int open_one(void *context, uint64_t id, int64_t time)
{
	struct open_part *o = context;

	if (!page_allowed(o->q, o->u->urlkey, time))
		return WN_OK;
	if (!o->u->captures)
		o->u->first = time;
	o->u->captures += o->u->captures < COUNT_MOST;
	o->u->last = time;
	o->last = id;
	return WN_OK;
}

/* Leaves of u what may be seen: captures 0 where that is nothing. */
static int narrow(struct request *q, struct collection *coll, struct arena *a, struct catalog_url *u, struct err *err)
{
	struct open_part o = { .q = q, .u = u };
	int64_t last = u->last;
	struct capture found;
	int rc;

	if (!request_acl(q, q->served))
		return WN_OK;
	u->captures = 0;
	rc = catalog_times(coll->catalog, u->urlkey, INT64_MIN, INT64_MAX, open_one, &o, err);
	if (rc == WN_OK && u->captures && u->last != last &&
	    (rc = catalog_capture(coll->catalog, a, o.last, &found, err)) == WN_OK)
		u->url = found.url;
	return rc;
}

/* Rows of keys in [from, to); the last one given in *last.  1: there may be more, 0: there are none, else an error. */
static int rows(struct request *q, struct collection *coll, struct arena *a, struct sheet *l, struct str from,
		struct str to, struct str *last, struct err *err)
{
	for (unsigned n = 0; n < URLS; n++) {
		struct catalog_url u;
		int rc = catalog_url(coll->catalog, a, from, to, COUNT_MOST, &u, err);

		if (rc < 0)
			return rc == WN_NONE ? 0 : rc;
		*last = u.urlkey;
		from = behind(a, *last);
		if ((rc = narrow(q, coll, a, &u, err)) < 0)
			return rc;
		if (u.captures)
			row(q, a, l, &u);
	}
	return 1;
}

static bool fill(struct sheet_source *s, struct sheet *l, struct collection *coll, struct arena *scratch)
{
	struct str last = STR_NONE;
	int more = rows(s->q, coll, scratch, l, buf_view(s->from), s->to, &last, NULL);

	buf_reset(s->from);
	buf_str(s->from, last);
	buf_byte(s->from, 0); /* as behind() */
	return more > 0;
}

static void head(struct request *q, struct page_sheet *p, struct str url)
{
	html(
	    p->b,
	    "<h1>URLs%z%s</h1>\n<form class=\"row\"><div class=\"field grow\"><label for=\"url\">Host or folder</label><input id=\"url\" name=\"url\" inputmode=\"url\" value=\"%s\" "
	    "placeholder=\"http://example.org/news/\"></div><button>Show</button></form>\n",
	    url.n ? " under " : "", url, url);
	(void)q;
	page_sheet_table(p, NULL);
}

void page_urls(struct request *q, struct response *r)
{
	struct buf *from = request_buf(q, 8 * LIMIT_URL), *to = request_buf(q, 8 * LIMIT_URL),
		   *next = request_buf(q, 8 * LIMIT_URL);
	struct str url = str_trim(request_param(q, "url")), key = request_param(q, "after");
	struct collection *coll;
	struct page_sheet p;
	struct sheet l;
	struct err err = { 0 };
	int more;

	if (url.n > LIMIT_URL) {
		response_error(r, 400, "this URL is too long");
		return;
	}
	if (!(coll = page_collection(q, r)))
		return;
	if (url.n)
		surt_range(surt_profile(catalog_settings(coll->catalog)->profile), url, SURT_PREFIX, from, to);
	if (sheet_form(q) == SHEET_CSV || sheet_form(q) == SHEET_JSONL) { /* all of them, not a page */
		struct sheet_source *all = ARENA_NEW(&q->arena, struct sheet_source);

		if (key.n) {
			buf_reset(from);
			buf_str(from, behind(&q->arena, key));
		}
		*all = (struct sheet_source){ .fill = fill, .columns = url_columns, .from = from, .to = buf_view(to) };
		page_done(coll);
		sheet_stream(q, r, all, "urls");
		return;
	}
	if (page_sheet_begin(&p, q, coll, &l, url_columns,
			     &(struct page_look){ .tab = TAB_OVERVIEW, .title = STR("URLs") }))
		head(q, &p, url);
	more = rows(q, coll, &q->arena, &l, key.n ? behind(&q->arena, key) : buf_view(from), buf_view(to), &key, &err);
	if (more > 0)
		html(next, "url=%p&after=%p", url, key);
	page_sheet_end(&p, r, buf_view(next));
	if (more < 0)
		response_err(r, &err);
	page_done(coll);
}
