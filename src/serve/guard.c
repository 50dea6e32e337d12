/* serve/guard.c -- who may ask what: the Host names that are ours, the token, the origin, trusted proxies.
 *
 * Whatever changes state needs the token on every address, since a proxy in
 * front of 127.0.0.1 would make it public.  A cookie also needs a request from
 * our own pages (Sec-Fetch-Site or Origin); a program with Bearer does not. */
#include "base/limits.h"
#include "serve/routes.h"
#include "serve/server_int.h"
#include "serve/wire.h"

static struct str host_only(struct str host)
{
	ptrdiff_t colon;

	if (host.n && host.p[0] == '[') {
		ptrdiff_t end = str_chr(host, ']');

		return end < 0 ? host : str_sub(host, 0, (size_t)end + 1);
	}
	colon = str_chr(host, ':');
	return colon < 0 ? host : str_sub(host, 0, (size_t)colon);
}

static bool is_loopback(struct str host)
{
	static const char *const names[] = { "localhost", "[::1]" };
	struct str rest = host;

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_ieq(host, str(names[i])))
			return true;
	if (!str_starts(host, STR("127.")))
		return false;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t n;

		if (!str_u64(str_cut(&rest, '.'), &n) || n > 255)
			return false;
	}
	return rest.n == 0;
}

static bool good_host_bytes(struct str host)
{
	for (size_t i = 0; i < host.n; i++)
		if (!ascii_alpha(host.p[i]) && !ascii_digit(host.p[i]) && !strchr(".-:[]_", host.p[i]))
			return false;
	return host.n > 0 && host.n < 300;
}

static struct str plain_origin(struct arena *a, struct str host)
{
	static const char scheme[] = "http://";
	char *p = arena_alloc(a, sizeof scheme + host.n);

	memcpy(p, scheme, sizeof scheme - 1);
	memcpy(p + sizeof scheme - 1, host.p, host.n);
	return str_n(p, sizeof scheme - 1 + host.n);
}

bool guard_host(struct request *q, struct response *r)
{
	const struct server *s = q->server;
	struct str host = request_header(q, "Host"), name;
	unsigned hosts = 0;

	for (size_t i = 0; i < q->n_fields; i++)
		hosts += str_ieq(q->fields[i].name, STR("Host"));
	if (hosts > 1 || (hosts == 1 && !good_host_bytes(host)) || (hosts == 0 && q->minor)) {
		response_error(r, 400, "a request has one Host header, with a host name in it");
		return false;
	}
	if (hosts == 0)
		host = s->public_host.n ? s->public_host : arena_printf(&q->arena, "127.0.0.1:%d", s->port);
	name = host_only(host);
	q->origin = s->origin.n ? s->origin : plain_origin(&q->arena, host);
	if (!is_loopback(name) &&
	    !(s->public_host.n && (str_ieq(host, s->public_host) || str_ieq(name, host_only(s->public_host)))) &&
	    !(s->options.replay_host && str_ieq(name, host_only(str(s->options.replay_host))))) {
		response_error(r, 421,
			       "this server does not answer for that host name; --public-url names the one it has");
		return false;
	}
	return true;
}

bool guard_token_is(const struct server *s, struct str token)
{
	struct str ours = str(s->token);
	unsigned char differs = token.n != ours.n;

	for (size_t i = 0; i < ours.n; i++) /* the time says nothing of where they differ */
		differs |= (unsigned char)(ours.p[i] ^ (token.n ? token.p[i % token.n] : 1));
	return !differs;
}

static void recognise(struct request *q)
{
	struct str bearer = request_header(q, "Authorization");
	struct str rest = str(q->server->options.trust_proxy);

	if (str_istarts(bearer, STR("Bearer ")))
		q->bearer = q->authorised = guard_token_is(q->server, str_trim(str_sub(bearer, 7, bearer.n)));
	if (!q->authorised)
		q->authorised = guard_token_is(q->server, request_cookie(q, "winnow"));
	while (rest.n)
		if (str_eq(str_trim(str_cut(&rest, ',')), q->peer))
			q->trusted_proxy = true;
	if (q->trusted_proxy)
		q->acl_user = request_header(q, "X-Pywb-ACL-User");
}

static bool from_our_pages(const struct request *q)
{
	struct str site = request_header(q, "Sec-Fetch-Site"), origin = request_header(q, "Origin");

	if (origin.n && !str_eq(origin, q->origin))
		return false;
	return site.n ? str_eq(site, STR("same-origin")) : origin.n > 0;
}

bool guard_route(struct request *q, struct response *r)
{
	const struct route *route = q->route;

	recognise(q);
	if (q->server->options.private_paths && !q->authorised && !strstr(route->pattern, "{coll}") &&
	    !(route->flags & ROUTE_PUBLIC)) {
		response_error(r, 401,
			       "this server is private: open the link that it printed, or send its token as Bearer");
		response_header(r, "WWW-Authenticate", STR("Bearer"));
		return false;
	}
	if (!(route->flags & ROUTE_CHANGES))
		return true;
	if (!q->authorised) {
		response_error(
		    r, 401,
		    "what changes something needs the token: open the link that the server printed, or send it as Bearer");
		response_header(r, "WWW-Authenticate", STR("Bearer"));
		return false;
	}
	if (!q->bearer && !from_our_pages(q)) {
		response_error(r, 403, "what changes something must come from a page of this server");
		return false;
	}
	return true;
}
