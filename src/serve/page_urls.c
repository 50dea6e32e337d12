/* serve/page_urls.c -- the URLs of a collection by key: all of a host, a folder, or what stands near an address.
 *
 * A loose scan of the index of keys: one seek a URL, however many captures it
 * has; captures are counted up to COUNT_MOST.  Goes on by key.
 */
#include <sqlite3.h>

#include "archive/surt.h"
#include "base/limits.h"
#include "serve/page.h"
#include "serve/replay.h"

enum { URLS = 100, COUNT_MOST = 10000 };

static const struct sheet_column url_columns[] = {
	{ "url", "URL", COLUMN_TEXT },	   { "urlkey", NULL, COLUMN_TEXT }, { "captures", "Captures", COLUMN_NUMBER },
	{ "first", "First", COLUMN_TEXT }, { "last", "Last", COLUMN_TEXT }, { NULL, NULL, COLUMN_TEXT },
};

struct urls {
	struct request *q;
	struct collection *coll;
	struct sheet *sheet;
	sqlite3_stmt *next, *about;
};

static struct str column(sqlite3_stmt *s, int i)
{
	const char *p = (const char *)sqlite3_column_text(s, i);

	return p ? str_n(p, (size_t)sqlite3_column_bytes(s, i)) : STR_NONE;
}

static void row(struct urls *u, struct str key)
{
	sqlite3_stmt *s = u->about;
	uint64_t n;
	struct str url, at;

	sqlite3_bind_text(s, 1, key.p, (int)key.n, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, COUNT_MOST);
	if (sqlite3_step(s) == SQLITE_ROW && page_allowed(u->q, key, sqlite3_column_int64(s, 3))) {
		n = (uint64_t)sqlite3_column_int64(s, 1);
		url = column(s, 0);
		at = replay_url_of(&u->q->arena, url, key);
		sheet_row(u->sheet);
		if (sheet_cell(u->sheet, url))
			html(u->sheet->b, "<a href=\"%s/%p/*/%r\">%b</a>%z", page_base(u->q), str(u->q->served->slug),
			     at, url, at.p == url.p ? "" : " <span class=\"tag\">POST</span>");
		sheet_text(u->sheet, key);
		if (sheet_cell_u64(u->sheet, n))
			html(u->sheet->b, "%n%z", n, n == COUNT_MOST ? " or more" : "");
		sheet_time(u->sheet, sqlite3_column_int64(s, 2));
		sheet_time(u->sheet, sqlite3_column_int64(s, 3));
	}
	sqlite3_reset(s);
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

/* Rows of keys in [from, to); the last one given in *last, false when there are no more. */
static bool rows(struct urls *u, struct str from, struct str to, struct str *last)
{
	for (unsigned n = 0; n < URLS; n++) {
		sqlite3_bind_text(u->next, 1, from.n ? from.p : "", (int)from.n, SQLITE_STATIC);
		sqlite3_bind_text(u->next, 2, to.n ? to.p : "", (int)to.n, SQLITE_STATIC);
		sqlite3_bind_int(u->next, 3, to.n > 0);
		if (sqlite3_step(u->next) != SQLITE_ROW) {
			sqlite3_reset(u->next);
			return false;
		}
		*last = arena_str(&u->q->arena, column(u->next, 0));
		from = behind(&u->q->arena, *last);
		sqlite3_reset(u->next);
		row(u, *last);
	}
	return true;
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
	struct urls u = { .q = q, .sheet = &l };
	sqlite3 *db;
	bool more;

	if (url.n > LIMIT_URL) {
		response_error(r, 400, "this URL is too long");
		return;
	}
	if (!(coll = page_collection(q, r)))
		return;
	u.coll = coll;
	if (url.n)
		surt_range(surt_profile(catalog_settings(coll->catalog)->profile), url, SURT_PREFIX, from, to);
	db = catalog_sqlite(coll->catalog);
	if (sqlite3_prepare_v2(
		db,
		"select urlkey from capture_key where urlkey >= ?1 and (not ?3 or urlkey < ?2) order by urlkey limit 1",
		-1, &u.next, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(
		db,
		"select (select c.url from capture c join capture_key k on k.capture = c.id where k.urlkey = ?1 order by k.time desc limit 1), "
		"(select count(*) from (select 1 from capture_key where urlkey = ?1 limit ?2)), (select min(time) from capture_key where urlkey = ?1), "
		"(select max(time) from capture_key where urlkey = ?1)",
		-1, &u.about, NULL) != SQLITE_OK) {
		response_error(r, 503, "the catalogue cannot be read");
	} else {
		if (page_sheet_begin(&p, q, coll, &l, url_columns,
				     &(struct page_look){ .tab = TAB_OVERVIEW, .title = STR("URLs") }))
			head(q, &p, url);
		more = rows(&u, key.n ? behind(&q->arena, key) : buf_view(from), buf_view(to), &key);
		if (more)
			html(next, "url=%p&after=%p", url, key);
		page_sheet_end(&p, r, buf_view(next));
	}
	sqlite3_finalize(u.next);
	sqlite3_finalize(u.about);
	page_done(coll);
}
