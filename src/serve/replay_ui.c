/* serve/replay_ui.c -- where replay meets access rules and our own pages. */
#include "base/limits.h"
#include "serve/acl.h"
#include "serve/page.h"
#include "serve/replay.h"
#include "serve/routes.h"

bool replay_allows(struct request *q, struct str key, int64_t time)
{
	return acl_allows(request_acl(q, q->served), key, time, q->acl_user);
}

bool replay_permit(struct request *q, struct response *r, struct str key, int64_t time)
{
	const struct acl *acl = request_acl(q, q->served);
	enum acl_access access = acl ? acl_check(acl, key, time, q->acl_user) : ACL_ALLOW;

	if (access == ACL_BLOCK)
		response_error(r, 451, "access to this capture is blocked in this collection");
	else if (access != ACL_ALLOW)
		response_error(r, 404, "this collection has no capture of that address");
	return access == ACL_ALLOW;
}

/* The frame page of the closest capture, at its exact stamp; or the calendar. */
void replay_ui(struct request *q, struct response *r, struct history *h, const struct replay_path *p)
{
	struct capture c;
	struct err err = { 0 };
	bool fuzzy;
	int rc;

	r->policy = POLICY_UI;
	if (p->prefix) {
		struct buf *b = request_buf(q, 4 * LIMIT_URL);

		html(b, "%s/c/%p/urls?url=%p", page_base(q), str(q->served->name), p->url);
		response_redirect(r, 302, buf_view(b));
		return;
	}
	if (p->calendar) {
		page_calendar_of(q, r, p->url, p->stamp.n >= 4 ? &p->time : NULL);
		return;
	}
	rc = replay_look(h, q, p->url, p->time.time, stamp_end(&p->time), &c, &fuzzy, &err);
	if (rc == WN_NONE)
		replay_missing_page(q, r, h, p->url, p->time.time);
	else if (rc < 0)
		response_err(r, &err);
	else if (!replay_permit(q, r, c.urlkey, c.time))
		return;
	else if (fuzzy) /* the banner speaks of the URL in its own address */
		response_redirect(r, 302, memento_address(q, c.time, MOD_NONE, c.url));
	else if (p->stamp.n != 14 || c.time != p->time.time || p->modifier == MOD_TF)
		response_redirect(r, 302, memento_address(q, c.time, MOD_NONE, p->url));
	else
		page_frame_of(q, r, &c);
}
