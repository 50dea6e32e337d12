/* serve/page_frame.c -- an archived page in a frame, under a banner that tells what it is.
 *
 * The banner speaks of the capture in the page's own address and takes nothing
 * from the archived page.  The frame is sandboxed here and by its own headers.
 */
#include <inttypes.h>
#include <sqlite3.h>

#include "archive/stamp.h"
#include "base/limits.h"
#include "serve/page.h"

struct place { /* of a capture among those of its URL */
	uint64_t number, all;
	int64_t before, after; /* CAPTURE_NO_TIME: none */
	uint64_t before_id;
};

static bool one(struct collection *coll, const char *sql, const struct capture *c, sqlite3_stmt **s)
{
	if (sqlite3_prepare_v2(catalog_sqlite(coll->catalog), sql, -1, s, NULL) != SQLITE_OK)
		return false;
	sqlite3_bind_text(*s, 1, c->urlkey.p, (int)c->urlkey.n, SQLITE_STATIC);
	sqlite3_bind_int64(*s, 2, c->time);
	return sqlite3_step(*s) == SQLITE_ROW;
}

static struct place find_place(struct collection *coll, const struct capture *c)
{
	struct place p = { .before = CAPTURE_NO_TIME, .after = CAPTURE_NO_TIME };
	sqlite3_stmt *s = NULL;

	if (one(coll, "select count(*) filter (where time <= ?2), count(*) from capture_key where urlkey = ?1", c,
		&s)) {
		p.number = (uint64_t)sqlite3_column_int64(s, 0);
		p.all = (uint64_t)sqlite3_column_int64(s, 1);
	}
	sqlite3_finalize(s);
	s = NULL;
	if (one(coll,
		"select time, capture from capture_key where urlkey = ?1 and time < ?2 order by time desc, capture desc limit 1",
		c, &s)) {
		p.before = sqlite3_column_int64(s, 0);
		p.before_id = (uint64_t)sqlite3_column_int64(s, 1);
	}
	sqlite3_finalize(s);
	s = NULL;
	if (one(coll, "select time from capture_key where urlkey = ?1 and time > ?2 order by time limit 1", c, &s))
		p.after = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return p;
}

static void link_to(struct request *q, struct buf *b, const char *rel, const char *label, int64_t time, struct str url)
{
	if (time != CAPTURE_NO_TIME)
		html(b, "<a rel=\"%z\" href=\"%s/%p/%i/%r\">%z<span class=\"hidden\"> capture</span></a>\n", rel,
		     page_base(q), str(q->served->slug), time, url, label);
	else
		html(b, "<span class=\"soft\">no %z</span>\n", rel[0] == 'p' ? "earlier" : "later");
}

static void cover_state(struct request *q, struct collection *coll, struct buf *b, const struct capture *c)
{
	struct cover_row *rows;
	struct cover_member m;
	size_t n;

	if (page_covers(q, coll, &rows, &n, NULL) < 0 || !n || covers_member(coll, rows[0].id, c->id, &m, NULL) < 0)
		return;
	html(b, "<a href=\"%s/c/%p/covers/%u/doc/%u\">%z by cover %u</a>\n", page_base(q), str(q->served->name),
	     rows[0].id, c->id, m.kept ? "kept" : "hidden", rows[0].id);
}

static void banner(struct request *q, struct collection *coll, struct buf *b, const struct capture *c)
{
	struct place p = find_place(coll, c);
	struct str slug = str(q->served->slug);

	html(
	    b,
	    "<div class=\"banner\"><h1><span data-capture>%b</span><span id=\"moved\" hidden>The frame shows another page than this address names.</span></h1>\n",
	    c->url);
	html(b, "<span data-capture><b>%t</b> UTC \u00b7 capture %n of %n</span>\n", c->time, p.number, p.all);
	link_to(q, b, "prev", "\u27e8 previous", p.before, c->url);
	link_to(q, b, "next", "next \u27e9", p.after, c->url);
	html(b, "<a href=\"%s/%p/*/%r\">calendar</a>\n", page_base(q), slug, c->url);
	if (p.before_id && c->content)
		html(b, "<a data-capture href=\"%s/c/%p/diff/%u..%u\">diff with previous</a>\n", page_base(q),
		     str(q->served->name), p.before_id, c->id);
	html(b, "<a data-capture href=\"%s/%p/%iid_/%r\">raw</a>\n", page_base(q), slug, c->time, c->url);
	cover_state(q, coll, b, c);
	html(b, "<details data-capture><summary>cite</summary><p>%s, captured %t UTC. <br><code>%s/%p/%i/%r</code></p>",
	     c->url, c->time, arena_printf(&q->arena, "%.*s%.*s", STR_FMT(q->origin), STR_FMT(page_base(q))), slug,
	     c->time, c->url);
	if (c->payload_digest.n)
		html(b, "<p>Payload %s</p>", c->payload_digest);
	html(b, "</details>\n<a href=\"#after\" class=\"skip\">Skip the archived page</a></div>\n");
}

void page_frame_of(struct request *q, struct response *r, const struct capture *c)
{
	struct collection *coll;
	struct buf *b;

	r->policy = POLICY_UI;
	if (!(coll = page_collection(q, r)))
		return;
	b = page_begin_as(q, &(struct page_look){ .title = arena_printf(&q->arena, "%.*s", STR_FMT(c->url)),
						  .body_class = "framed" });
	banner(q, coll, b, c);
	html(
	    b,
	    "<iframe class=\"replay\" title=\"Archived page\" sandbox=\"allow-scripts allow-forms allow-downloads allow-top-navigation-by-user-activation\" "
	    "referrerpolicy=\"no-referrer\" src=\"%s/%p/%imp_/%r\"></iframe>\n<span id=\"after\" tabindex=\"-1\"></span>",
	    page_base(q), str(q->served->slug), c->time, c->url);
	page_done(coll);
	page_end(q, r, b);
}
