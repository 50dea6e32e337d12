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

static void row(struct request *q, struct sheet *l, const struct catalog_url *u)
{
	struct str at = replay_url_of(&q->arena, u->url, u->urlkey);

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

/* Rows of keys in [from, to); the last one given in *last.  1: there may be more, 0: there are none, else an error. */
static int rows(struct request *q, struct collection *coll, struct sheet *l, struct str from, struct str to,
		struct str *last, struct err *err)
{
	for (unsigned n = 0; n < URLS; n++) {
		struct catalog_url u;
		int rc = catalog_url(coll->catalog, &q->arena, from, to, COUNT_MOST, &u, err);

		if (rc < 0)
			return rc == WN_NONE ? 0 : rc;
		*last = u.urlkey;
		from = behind(&q->arena, *last);
		if (page_allowed(q, u.urlkey, u.last))
			row(q, l, &u);
	}
	return 1;
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
	if (page_sheet_begin(&p, q, coll, &l, url_columns,
			     &(struct page_look){ .tab = TAB_OVERVIEW, .title = STR("URLs") }))
		head(q, &p, url);
	more = rows(q, coll, &l, key.n ? behind(&q->arena, key) : buf_view(from), buf_view(to), &key, &err);
	if (more > 0)
		html(next, "url=%p&after=%p", url, key);
	page_sheet_end(&p, r, buf_view(next));
	if (more < 0)
		response_err(r, &err);
	page_done(coll);
}
