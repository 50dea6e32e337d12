/* serve/policy.c -- the headers that keep archived pages, our pages and data apart; docs/security has the why. */
#include "serve/server_int.h"

static void ui(struct request *q, struct response *r)
{
	struct str o = arena_printf(&q->arena, "%.*s%.*s", STR_FMT(q->origin), STR_FMT(q->server->prefix));
	struct str frames = q->server->replay_host.n ? request_replay_base(q) : o;

	response_headerf(
	    r, "Content-Security-Policy",
	    "default-src 'none'; script-src %.*s/a/; style-src %.*s/a/; img-src %.*s/a/ data:; font-src %.*s/a/; "
	    "connect-src %.*s/api/ %.*s/jobs/; frame-src %.*s/; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	    STR_FMT(o), STR_FMT(o), STR_FMT(o), STR_FMT(o), STR_FMT(o), STR_FMT(o), STR_FMT(frames));
	response_header(r, "Cross-Origin-Opener-Policy", STR("same-origin"));
	response_header(r, "Referrer-Policy", STR("same-origin"));
	if (!response_get(r, "Cache-Control").n)
		response_header(r, "Cache-Control", STR("no-cache"));
}

static void replay(struct request *q, struct response *r)
{
	struct str o = arena_printf(&q->arena, "%.*s%.*s/%s", STR_FMT(q->replay_origin), STR_FMT(q->server->prefix),
				    q->served ? q->served->slug : "");

	/* only where nothing of ours is may an archived page have the origin of its address */
	response_headerf(
	    r, "Content-Security-Policy",
	    "sandbox%s allow-forms allow-downloads allow-top-navigation-by-user-activation%s; "
	    "default-src %.*s/ 'unsafe-inline' 'unsafe-eval' data: blob:; form-action %.*s/; base-uri %.*s/; frame-ancestors %.*s%s%.*s",
	    r->still ? "" : " allow-scripts", q->at_replay ? " allow-same-origin" : "", STR_FMT(o), STR_FMT(o),
	    STR_FMT(o), STR_FMT(q->origin), q->at_replay ? " " : "",
	    STR_FMT(q->at_replay ? q->replay_origin : STR("")));
}

static void own_at_replay(struct request *q, struct response *r)
{
	struct str o = arena_printf(&q->arena, "%.*s%.*s", STR_FMT(q->origin), STR_FMT(q->server->prefix));

	response_headerf(
	    r, "Content-Security-Policy",
	    "default-src 'none'; style-src %.*s/a/; img-src %.*s/a/ data:; font-src %.*s/a/; form-action 'self'; base-uri 'none'; frame-ancestors 'self'%s%.*s",
	    STR_FMT(o), STR_FMT(o), STR_FMT(o), q->at_replay ? " " : "", STR_FMT(q->at_replay ? q->origin : STR("")));
	response_header(r, "Referrer-Policy", STR("same-origin"));
	if (!response_get(r, "Cache-Control").n)
		response_header(r, "Cache-Control", STR("no-cache"));
}

void policy_apply(struct request *q, struct response *r)
{
	switch (r->policy) {
	case POLICY_UI: ui(q, r); break;
	case POLICY_REPLAY: replay(q, r); break;
	case POLICY_REPLAY_OWN: own_at_replay(q, r); break;
	case POLICY_DATA:
	case POLICY_OPEN:
	case POLICY_ASSET:
		response_header(r, "Content-Security-Policy",
				STR("default-src 'none'; frame-ancestors 'none'; sandbox"));
		break;
	}
	if (r->policy != POLICY_REPLAY) /* an archived page keeps what its server let browsers guess */
		response_header(r, "X-Content-Type-Options", STR("nosniff"));
	if (q->acl_user.n) { /* what one user may see is not for a cache that others ask */
		response_header(r, "Vary", STR("x-pywb-acl-user"));
		if (!response_get(r, "Cache-Control").n)
			response_header(r, "Cache-Control", STR("private"));
	}
	if (r->policy == POLICY_DATA)
		response_header(r, "Cross-Origin-Resource-Policy", STR("same-origin"));
	if (r->policy == POLICY_REPLAY || r->policy == POLICY_OPEN || (r->policy == POLICY_REPLAY_OWN && q->served)) {
		response_header(r, "Access-Control-Allow-Origin", STR("*"));
		response_header(r, "Access-Control-Expose-Headers", STR("*"));
	}
}
