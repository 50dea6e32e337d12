/* serve/own.c -- the small addresses every server has: metrics, health, icon, robots, and the link that was printed. */
#include "base/limits.h"
#include "serve/routes.h"
#include "serve/server_int.h"

void own_metrics(struct request *q, struct response *r)
{
	struct buf *out = request_buf(q, 256 * KIB);

	metrics_write(out);
	buf_printf(
	    out,
	    "# HELP winnow_collections Collections that are served.\n# TYPE winnow_collections gauge\nwinnow_collections %zu\n",
	    q->server->n_served);
	response_header(r, "Cache-Control", STR("no-store"));
	response_body(r, "text/plain; version=0.0.4; charset=utf-8", buf_view(out));
}

void own_healthz(struct request *q, struct response *r)
{
	(void)q;
	response_header(r, "Cache-Control", STR("no-store"));
	response_body(r, "text/plain; charset=utf-8", STR("ok\n"));
}

void own_favicon(struct request *q, struct response *r)
{
	static const char svg[] =
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><rect width=\"16\" height=\"16\" rx=\"3\" fill=\"#1d5c4c\"/>"
	    "<path d=\"M3 4l2 8 3-6 3 6 2-8\" fill=\"none\" stroke=\"#fff\" stroke-width=\"1.6\"/></svg>\n";

	(void)q;
	response_header(r, "Cache-Control", STR("max-age=86400"));
	response_body(r, "image/svg+xml", str(svg));
}

void own_robots(struct request *q, struct response *r)
{
	(void)q;
	response_body(r, "text/plain; charset=utf-8", STR("User-agent: *\nDisallow: /\n"));
}

/* /?token=T: the browser that opened the printed link gets the cookie. */
void own_login(struct request *q, struct response *r)
{
	struct str token = request_param(q, "token");

	if (!guard_token_is(q->server, token)) {
		response_error(r, 403, "this token is not the one that the server printed when it was started");
		return;
	}
	response_headerf(r, "Set-Cookie", "winnow=%s; Path=%.*s/; HttpOnly; SameSite=Lax%s", q->server->token,
			 STR_FMT(q->server->prefix), str_starts(q->origin, STR("https:")) ? "; Secure" : "");
	response_header(r, "Cache-Control", STR("no-store"));
	response_redirect(r, 303, request_href(q, "/"));
}
