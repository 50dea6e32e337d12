/* serve/replay.c -- /{coll}/{stamp}{modifier}/{url}: which capture is meant, and where else to go.
 *
 * A stamp that is not exactly a capture's leads to the exact one (302); an
 * address without a stamp is the TimeGate.  The capture itself is sent by
 * replay_send.c. */
#include "serve/replay.h"

#include "archive/cdx.h"
#include "archive/surt.h"
#include "base/limits.h"
#include "serve/routes.h"

#define PICK_STEPS 64 /* captures looked at on either side for one that can be shown */
#define SAME_SECOND 16

/* ---- which capture ---- */

static bool leads_to_itself(struct history *h, const struct capture *c, struct str key)
{
	return c->status >= 300 && c->status < 400 && c->redirect.n &&
	       surt_leads_to(history_profile(h), c->url, c->redirect, key);
}

static bool can_show(const struct capture *c)
{
	return c->kind == CAPTURE_RESPONSE || c->kind == CAPTURE_RESOURCE || c->kind == CAPTURE_REVISIT ||
	       c->kind == CAPTURE_CONVERSION;
}

/* The best capture in the second of m: shown as it is, not one that redirects to itself.  WN_NONE; *second: one that is no better than nothing. */
static int in_second(struct history *h, struct request *q, struct str key, int64_t time, struct capture *out,
		     struct capture *second, struct err *err)
{
	struct moment all[SAME_SECOND];
	struct capture c;
	size_t n;
	int rc;

	if ((rc = history_list(h, key, (struct moment){ 0, time }, all, SAME_SECOND, &n, err)) < 0)
		return rc;
	for (size_t i = 0; i < n && all[i].time == time; i++) {
		if ((rc = history_capture(h, &q->arena, all[i].id, &c, err)) < 0)
			return rc;
		if (!can_show(&c))
			continue;
		if (!leads_to_itself(h, &c, key)) {
			*out = c;
			return WN_OK;
		}
		if (!second->id)
			*second = c;
	}
	return WN_NONE;
}

int replay_find(struct history *h, struct request *q, struct str key, int64_t from, int64_t to, struct capture *out,
		struct err *err)
{
	struct moment m, before, after;
	struct capture second = { 0 };
	int rc, has_before, has_after;

	if ((rc = history_closest(h, key, from, to, &m, err)) < 0)
		return rc;
	if ((rc = in_second(h, q, key, m.time, out, &second, err)) != WN_NONE)
		return rc;
	before = after = m;
	has_before = has_after = WN_OK;
	for (unsigned i = 0; i < PICK_STEPS && (has_before == WN_OK || has_after == WN_OK); i++) {
		struct moment b = before, a = after, *go;

		has_before = has_before == WN_OK ? history_before(h, key, before, &b, err) : has_before;
		has_after = has_after == WN_OK ? history_after(h, key, after, &a, err) : has_after;
		if (has_before != WN_OK && has_after != WN_OK)
			break;
		go = has_after != WN_OK || (has_before == WN_OK && from - b.time <= a.time - from) ? &b : &a;
		if ((rc = in_second(h, q, key, go->time, out, &second, err)) != WN_NONE)
			return rc;
		*(go == &b ? &before : &after) = *go;
	}
	if (!second.id)
		return WN_NONE;
	*out = second;
	return WN_OK;
}

/* ---- TimeGate ---- */

/* Prefer is a list; the first preference that means a form of replay is applied and named. */
static enum modifier preferred(struct request *q, struct response *r, enum modifier fallback)
{
	static const struct {
		const char *word;
		enum modifier mod;
	} words[] = { { "raw", MOD_ID }, { "banner-only", MOD_BN }, { "rewritten", MOD_MP } };
	struct str rest = request_header(q, "Prefer");

	while (rest.n) {
		struct str one = str_cut(&rest, ','), word = str_trim(str_cut(&one, ';'));

		for (size_t i = 0; i < COUNT(words); i++)
			if (str_ieq(word, str(words[i].word))) {
				response_header(r, "Preference-Applied", str(words[i].word));
				return words[i].mod;
			}
	}
	return fallback;
}

static void timegate(struct request *q, struct response *r, struct history *h, const struct replay_path *p)
{
	struct str wish = request_header(q, "Accept-Datetime");
	struct stamp t = { .time = STAMP_MAX };
	struct capture c;
	struct moment m;
	struct err err = { 0 };
	bool fuzzy;
	enum modifier mod = p->has_modifier ? p->modifier : MOD_MP;
	int rc;

	if (wish.p && (!stamp_parse_http(wish, &t) || t.flaw)) {
		response_error(r, 400, "Accept-Datetime must be a date such as 'Thu, 06 May 2004 07:08:09 GMT'");
		response_header(r, "Vary", STR("accept-datetime"));
		return;
	}
	rc = replay_look(h, q, p->url, t.time, t.time, &c, &fuzzy, &err);
	if (rc == WN_OK && fuzzy)
		response_header(r, "X-Winnow-Fuzzy", c.url);
	if (rc == WN_NONE) {
		replay_missing(q, r, h, p->url, t.time);
		response_header(r, "Vary", STR("accept-datetime"));
		return;
	}
	if (rc < 0) {
		response_err(r, &err);
		return;
	}
	if (!replay_permit(q, r, c.urlkey, c.time))
		return;
	mod = preferred(q, r, mod);
	if (!wish.p && !p->has_modifier && str_eq(request_header(q, "Sec-Fetch-Dest"), STR("document")))
		mod = MOD_NONE;
	m = (struct moment){ c.id, c.time };
	if (memento_links(q, r, h, c.urlkey, p->url, &m, &err) < 0) {
		response_err(r, &err);
		return;
	}
	response_header(r, "Vary",
			request_header(q, "Prefer").p ? STR("accept-datetime, sec-fetch-dest, prefer")
						      : STR("accept-datetime, sec-fetch-dest"));
	response_header(r, "Cache-Control", STR("no-cache"));
	response_redirect(r, 302, memento_address(q, c.time, mod, p->url));
}

/* ---- the address ---- */

static void at_stamp(struct request *q, struct response *r, struct history *h, const struct replay_path *p)
{
	struct replay_job job = { .q = q, .r = r, .h = h, .path = p };
	struct err err = { 0 };
	bool fuzzy = false;
	struct buf post = BUF(LIMIT_POST_BODY * 4), url = BUF(8 * LIMIT_URL);
	int64_t from = p->time.time, to = stamp_end(&p->time);
	int rc = WN_NONE;

	if (q->method == METHOD_POST &&
	    cdx_post_query(STR("POST"), request_header(q, "Content-Type"), q->body, &post)) {
		cdx_post_url(p->url, buf_view(&post), &url);
		rc = replay_find(h, q, history_key(h, &q->arena, buf_view(&url)), from, to, &job.capture, &err);
	}
	buf_release(&post);
	buf_release(&url);
	if (rc == WN_NONE)
		rc = replay_look(h, q, p->url, from, to, &job.capture, &fuzzy, &err);
	if (rc == WN_OK)
		job.key = job.capture.urlkey;
	if (rc == WN_OK && fuzzy)
		response_header(r, "X-Winnow-Fuzzy", job.capture.url);
	if (rc == WN_NONE) {
		replay_missing(q, r, h, p->url, from);
	} else if (rc < 0) {
		response_err(r, &err);
	} else if (replay_permit(q, r, job.capture.urlkey, job.capture.time)) {
		if ((p->stamp.n != 14 || job.capture.time != from) && q->method != METHOD_POST)
			response_redirect(r, 302, memento_address(q, job.capture.time, p->modifier, p->url));
		else
			replay_send(&job);
	}
}

/* With --replay-host our pages have one origin and archived ones another: the same address, there. */
static void elsewhere(struct request *q, struct response *r, struct str origin)
{
	r->policy = POLICY_REPLAY_OWN;
	response_redirect(
	    r, 307, request_at(q, origin, "%.*s%s%.*s", STR_FMT(q->path), q->query.p ? "?" : "", STR_FMT(q->query)));
}

bool replay_refuses_worker(struct request *q, struct response *r)
{
	if (!str_ieq(request_header(q, "Service-Worker"), STR("script")))
		return false;
	response_error(r, 403, "archived pages cannot install service workers here");
	return true;
}

void replay_any(struct request *q, struct response *r)
{
	struct replay_path p;
	struct history *h;

	if (replay_refuses_worker(q, r))
		return;
	if (!replay_path_parse(&p, &q->arena, request_arg(q, "replay"), q->query, q->query.p != NULL)) {
		response_error(r, 400, "there is no URL in this address, or its time is none");
		return;
	}
	if (!(h = request_history(q, r)))
		return;
	if (p.calendar || (p.stamp.n && !p.has_modifier) || p.modifier == MOD_TF) {
		if (q->at_replay)
			elsewhere(q, r, q->origin);
		else
			replay_ui(q, r, h, &p);
	} else if (p.stamp.n && q->server->replay_host.n && !q->at_replay) {
		elsewhere(q, r, q->replay_origin);
	} else {
		if (p.stamp.n && request_header(q, "Prefer").p) {
			p.modifier = preferred(q, r, p.modifier);
			response_header(r, "Vary", STR("prefer"));
		}
		history_begin(h);
		if (p.stamp.n == 0)
			timegate(q, r, h, &p);
		else
			at_stamp(q, r, h, &p);
		history_end(h);
	}
}
