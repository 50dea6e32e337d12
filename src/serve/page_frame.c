/* serve/page_frame.c -- an archived page in a frame, under a banner that tells what it is.
 *
 * The banner speaks of the capture in the page's own address and takes nothing
 * from the archived page but the addresses of its parts, whose times it tells.
 * The frame is sandboxed here and by its own headers.
 */
#include "archive/stamp.h"
#include "base/limits.h"
#include "flow/members.h"
#include "serve/page.h"
#include "serve/parts.h"

enum { HIDDEN_COUNTED = 10000 }; /* captures of a URL up to which those hidden are counted */

struct place { /* of a capture among those of its URL */
	uint64_t number, all;
	int64_t before, after; /* CAPTURE_NO_TIME: none */
	uint64_t before_id;
};

typedef int step_to(struct history *h, struct str key, struct moment m, struct moment *out, struct err *err);

/* The closest one on a side that this reader may see. */
static int64_t neighbour(struct request *q, struct history *h, step_to *step, const struct capture *c, uint64_t *id)
{
	struct moment m = { c->id, c->time };

	while (step(h, c->urlkey, m, &m, NULL) == WN_OK)
		if (page_allowed(q, c->urlkey, m.time)) {
			*id = m.id;
			return m.time;
		}
	return CAPTURE_NO_TIME;
}

static struct place find_place(struct request *q, struct history *h, const struct capture *c)
{
	struct place p = { .before = CAPTURE_NO_TIME, .after = CAPTURE_NO_TIME };
	uint64_t next;

	if (!h)
		return p;
	history_count(h, c->urlkey, c->time, &p.number, &p.all, NULL);
	p.before = neighbour(q, h, history_before, c, &p.before_id);
	p.after = neighbour(q, h, history_after, c, &next);
	return p;
}

static void link_to(struct request *q, struct buf *b, const char *rel, const char *label, int64_t time, struct str url)
{
	if (time != CAPTURE_NO_TIME)
		html(b, "<a rel=\"%z\" href=\"%s/%p/%i/%r\">%m<span class=\"hidden\"> capture</span></a>\n", rel,
		     page_base(q), str(q->served->slug), time, url, label);
	else
		html(b, "<span class=\"soft\">%m</span>\n", label);
}

/* What the newest cover says of this capture, and of how many others of its URL. */
static void cover_state(struct request *q, struct collection *coll, struct buf *b, const struct capture *c,
			const struct place *p)
{
	struct cover_row *rows;
	struct cover_member m;
	uint64_t dropped;
	size_t n;

	if (page_covers(q, coll, &rows, &n, NULL) < 0 || !n)
		return;
	if (covers_member(coll, rows[0].id, c->id, &m, NULL) == WN_OK)
		html(b, "<a data-capture href=\"%s/c/%p/covers/%u/doc/%u\">%z by cover %u</a>\n", page_base(q),
		     str(q->served->name), rows[0].id, c->id, m.kept ? "kept" : "hidden", rows[0].id);
	if (p->all > HIDDEN_COUNTED)
		return;
	if (members_count_dropped(coll, rows[0].id, c->urlkey, &dropped, NULL) == WN_OK && dropped)
		html(b, "<span data-capture class=\"soft\">%n of its captures %z hidden by it</span>\n", dropped,
		     dropped == 1 ? "is" : "are");
}

static void offset(struct buf *b, int64_t seconds)
{
	double s = seconds < 0 ? -(double)seconds : (double)seconds;

	buf_str(b, seconds < 0 ? STR("\u2212") : STR("+"));
	buf_printf(b,
		   s < 120	       ? "%.0f s"
		   : s < 7200	       ? "%.0f min"
		   : s < 172800	       ? "%.0f h"
		   : s < 86400 * 730.0 ? "%.0f d"
				       : "%.1f years",
		   s < 120	       ? s
		   : s < 7200	       ? s / 60
		   : s < 172800	       ? s / 3600
		   : s < 86400 * 730.0 ? s / 86400
				       : s / (86400 * 365.25));
}

static void tell_parts(struct request *q, struct response *r, struct buf *b, const struct capture *c)
{
	struct history *h = request_history(q, r);
	struct parts p;

	if (!h || !parts_of(q, h, c, &p) || !(p.found + p.missing))
		return;
	html(b, "<span data-capture>");
	if (p.found) {
		html(b, "%n parts span ", (uint64_t)p.found);
		offset(b, p.before);
		html(b, " to ");
		offset(b, p.after);
	}
	if (p.missing)
		html(b, "%z%n %z missing", p.found ? " \u00b7 " : "", (uint64_t)p.missing,
		     p.missing == 1 ? "is" : "are");
	html(b, "%z</span>\n", p.cut ? " \u00b7 there are more" : "");
}

static void cite(struct request *q, struct buf *b, const struct capture *c)
{
	html(b,
	     "<details data-capture><summary>cite</summary><p>%b, captured %t UTC. <br><code>%s%s/%p/%i/%r</code></p>",
	     c->url, c->time, q->origin, page_base(q), str(q->served->slug), c->time, page_url(q, c));
	if (c->payload_digest.n)
		html(b, "<p>Payload <code>%s</code></p>", c->payload_digest);
	html(b, "</details>\n");
}

static void banner(struct request *q, struct response *r, struct collection *coll, struct buf *b,
		   const struct capture *c)
{
	struct place p = find_place(q, request_history(q, r), c);
	struct str slug = str(q->served->slug), url = page_url(q, c);

	html(
	    b,
	    "<div class=\"banner\"><h1><span data-capture>%b</span><span id=\"moved\" hidden>The frame shows another page than this address names.</span></h1>\n",
	    c->url);
	html(b, "<span data-capture><b>%t</b> UTC \u00b7 capture %n of %n</span>\n", c->time, p.number, p.all);
	link_to(q, b, "prev", "\u27e8 previous", p.before, url);
	link_to(q, b, "next", "next \u27e9", p.after, url);
	html(b, "<a href=\"%s/%p/*/%r\">calendar</a>\n", page_base(q), slug, url);
	if (p.before_id && c->content)
		html(b, "<a data-capture href=\"%s/c/%p/diff/%u..%u\">diff with previous</a>\n", page_base(q),
		     str(q->served->name), p.before_id, c->id);
	html(b, "<a data-capture href=\"%s/%p/%iid_/%r\">raw</a>\n", request_replay_base(q), slug, c->time, url);
	cover_state(q, coll, b, c, &p);
	tell_parts(q, r, b, c);
	cite(q, b, c);
	html(b, "<a href=\"#after\" class=\"skip\">Skip the archived page</a></div>\n");
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
	banner(q, r, coll, b, c);
	html(
	    b,
	    "<iframe class=\"replay\" title=\"Archived page\" sandbox=\"allow-scripts allow-forms allow-downloads allow-top-navigation-by-user-activation%z\" "
	    "referrerpolicy=\"no-referrer\" src=\"%s/%p/%imp_/%r\"></iframe>\n<a id=\"after\" class=\"skip\" href=\"#main\">Back to the banner</a>",
	    q->server->replay_host.n ? " allow-same-origin" : "", request_replay_base(q), str(q->served->slug), c->time,
	    page_url(q, c));
	page_done(coll);
	page_end(q, r, b);
}
