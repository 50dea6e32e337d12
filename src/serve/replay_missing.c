/* serve/replay_missing.c -- what there is where nothing is archived: the captures nearest to what was asked for.
 *
 * Near are some URLs right behind it in the order of keys, those of its folder, then
 * those of its host; of each the capture closest in time.  One seek a URL.
 */
#include "base/limits.h"
#include "serve/page.h"
#include "serve/replay.h"

enum { NEAR = 10, TRIED = 200 /* keys, should access rules hide many */ };

struct near {
	struct request *q;
	struct history *h;
	struct buf *b;
	int64_t time;
	unsigned listed, tried;
};

static void list_one(struct near *n, struct str key)
{
	struct request *q = n->q;
	struct capture c;

	if (replay_find(n->h, q, key, n->time, n->time, &c, NULL) != WN_OK || !replay_allows(q, c.urlkey, c.time))
		return;
	html(n->b, n->listed++ ? "" : "<h2>Archived nearby</h2>\n<ul>\n");
	html(n->b, "<li><a target=\"_top\" href=\"%s/%p/%i/%r\">%b</a> %d</li>\n", page_base(q), str(q->served->slug),
	     c.time, page_url(q, &c), c.url, c.time);
}

/* Keys in (after, before), until `most` are listed. */
static void list(struct near *n, struct str after, struct str before, unsigned most)
{
	while (n->listed < most && n->tried++ < TRIED &&
	       history_next_key(n->h, &n->q->arena, after, before, &after, NULL) == WN_OK)
		list_one(n, after);
}

static void nearby(struct request *q, struct history *h, struct str url, int64_t time, struct buf *b)
{
	struct near n = { .q = q, .h = h, .b = b, .time = time };
	struct str key = history_key(h, &q->arena, url), folder = key, first, end;
	ptrdiff_t paren = str_chr(key, ')');

	if (paren < 0)
		return;
	while (folder.n > (size_t)paren + 1 && folder.p[folder.n - 1] != '/')
		folder.n--;
	first = arena_printf(&q->arena, "%.*s)", (int)paren, key.p);
	end = arena_printf(&q->arena, "%.*s*", (int)paren, key.p);
	list(&n, key, end, NEAR / 2);
	list(&n, folder, key, NEAR);
	list(&n, first, folder, NEAR);
	html(b, n.listed ? "</ul>\n" : "");
}

static void say(struct request *q, struct history *h, struct str url, int64_t time, struct buf *b)
{
	html(b, "<h1>Not archived</h1>\n<p>This collection has no capture of %b.</p>\n", url);
	nearby(q, h, url, time, b);
}

static void answer(struct response *r, enum policy policy)
{
	response_error(r, 404, "not archived");
	r->policy = policy;
	r->headers.n = 0;
	response_header(r, "X-Winnow-Error", STR("404"));
}

void replay_missing(struct request *q, struct response *r, struct history *h, struct str url, int64_t time)
{
	struct buf *b = request_buf(q, 1 * MIB);

	answer(r, POLICY_REPLAY_OWN);
	html(
	    b,
	    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Not archived"
	    "</title></head><body><main>");
	say(q, h, url, time, b);
	html(b, "<p><a target=\"_top\" href=\"%s/\">All collections</a></p></main></body></html>\n", page_base(q));
	response_html(r, buf_view(b));
}

void replay_missing_page(struct request *q, struct response *r, struct history *h, struct str url, int64_t time)
{
	struct buf *b = page_begin(q, TAB_NONE, STR("Not archived"));

	answer(r, POLICY_UI);
	say(q, h, url, time, b);
	html(
	    b,
	    "<p><a href=\"%s/c/%p/urls?url=%p\">All URLs near that address</a></p>\n<form action=\"%s/c/%p/go\"><label for=\"url\">Captures of another URL</label><div class=\"join\"><input id=\"url\" name=\"url\" type=\"text\" inputmode=\"url\" "
	    "value=\"%s\"><button>Show</button></div></form>\n",
	    page_base(q), str(q->served->name), url, page_base(q), str(q->served->name), url);
	page_end(q, r, b);
}
