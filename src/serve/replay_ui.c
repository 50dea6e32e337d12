/* serve/replay_ui.c -- where replay meets access rules and our own pages. */
#include "serve/acl.h"
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

/* The frame page and the calendar; the archived page itself is what both lead to. */
void replay_ui(struct request *q, struct response *r, struct history *h, const struct replay_path *p)
{
	(void)h;
	if (p->calendar)
		response_redirect(r, 302, request_absolute(q, "/%s/timemap/link/%.*s", q->served->slug, STR_FMT(p->url)));
	else
		response_redirect(r, 302, request_absolute(q, "/%s/%.*smp_/%.*s", q->served->slug, STR_FMT(p->stamp), STR_FMT(p->url)));
}
