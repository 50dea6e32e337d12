/* serve/guard.c -- who may ask what: the Host names that are ours, the token, the origin, trusted proxies.
 *
 * Whatever changes state needs the token on every address, since a proxy in
 * front of 127.0.0.1 would make it public.  A cookie also needs a request from
 * our own pages (Sec-Fetch-Site or Origin); a program with Bearer does not. */
#include "base/limits.h"
#include "serve/routes.h"
#include "serve/server_int.h"
#include "serve/wire.h"

struct str guard_host_name(struct str host)
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

bool guard_host_is_sound(struct str host)
{
	struct str name = guard_host_name(host), port = str_sub(host, name.n, host.n);
	bool address = name.n && name.p[0] == '[';
	uint64_t n;

	for (size_t i = 0; i < name.n; i++)
		if (!ascii_alpha(name.p[i]) && !ascii_digit(name.p[i]) && !strchr(address ? "[:.]" : ".-_", name.p[i]))
			return false;
	if (port.n > 1 && (!str_u64(str_sub(port, 1, port.n), &n) || n > 65535))
		return false;
	return name.n > 0 && host.n < 300 && (!port.n || port.p[0] == ':') && (!address || name.p[name.n - 1] == ']');
}

static struct str plain_origin(struct arena *a, struct str host)
{
	static const char scheme[] = "http://";
	char *p = arena_alloc(a, sizeof scheme + host.n);

	memcpy(p, scheme, sizeof scheme - 1);
	memcpy(p + sizeof scheme - 1, host.p, host.n);
	return str_n(p, sizeof scheme - 1 + host.n);
}

/* Where our pages are and where archived ones are, as this browser sees it. */
static void find_origins(struct request *q, struct str host, struct str name)
{
	const struct server *s = q->server;
	struct str port = s->replay_port, asked = s->public_host.n ? s->public_host : host;

	q->at_replay = s->replay_host.n && str_ieq(name, s->replay_host);
	if (s->origin.n)
		q->origin = s->origin;
	else if (q->at_replay)
		q->origin = arena_printf(&q->arena, "http://%.*s:%d", STR_FMT(s->listen_host), s->port);
	else
		q->origin = plain_origin(&q->arena, host);
	q->replay_origin = q->origin;
	if (!s->replay_host.n)
		return;
	if (!port.n)
		port = str_sub(asked, guard_host_name(asked).n, asked.n);
	q->replay_origin =
	    arena_printf(&q->arena, "%s://%.*s%.*s", str_starts(q->origin, STR("https:")) ? "https" : "http",
			 STR_FMT(s->replay_host), STR_FMT(port));
}

bool guard_host(struct request *q, struct response *r)
{
	const struct server *s = q->server;
	struct str host = request_header(q, "Host"), name;
	unsigned hosts = 0;
	bool sound = guard_host_is_sound(host);

	for (size_t i = 0; i < q->n_fields; i++)
		hosts += str_ieq(q->fields[i].name, STR("Host"));
	if (hosts > 1 || (q->authority.p && !guard_host_is_sound(q->authority)) || (hosts == 1 && !sound) ||
	    (hosts == 0 && q->minor)) {
		response_error(r, 400, "a request has one Host header, with a host name in it");
		return false;
	}
	if (q->authority.p)
		host = q->authority; /* the absolute form: Host does not count, as RFC 9112 says */
	else if (hosts == 0)
		host = s->public_host.n ? s->public_host : arena_printf(&q->arena, "127.0.0.1:%d", s->port);
	name = guard_host_name(host);
	find_origins(q, host, name);
	if (!q->at_replay && !is_loopback(name) &&
	    !(s->public_host.n && (str_ieq(host, s->public_host) || str_ieq(name, guard_host_name(s->public_host))))) {
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

/* Any cookie of that name: a page of a neighbouring host can put another one before ours. */
static bool has_token_cookie(const struct request *q)
{
	struct str rest = request_header(q, "Cookie");
	bool has = false;

	while (rest.n) {
		struct str value = str_cut(&rest, ';'), key = str_trim(str_cut(&value, '='));

		has |= str_eq(key, STR("winnow")) && guard_token_is(q->server, str_trim(value));
	}
	return has;
}

static void recognise(struct request *q)
{
	struct str bearer = request_header(q, "Authorization");
	struct str rest = str(q->server->options.trust_proxy);

	if (str_istarts(bearer, STR("Bearer ")))
		q->bearer = q->authorised = guard_token_is(q->server, str_trim(str_sub(bearer, 7, bearer.n)));
	if (!q->authorised)
		q->authorised = has_token_cookie(q);
	while (rest.n)
		if (str_eq(str_trim(str_cut(&rest, ',')), q->peer))
			q->trusted_proxy = true;
	if (q->trusted_proxy)
		q->acl_user = request_header(q, "X-Pywb-ACL-User");
}

/* At the host of archived pages there is nothing but them and what is open to all; our pages are elsewhere. */
bool guard_here(struct request *q, struct response *r)
{
	const struct route *route = q->route;

	if (!q->at_replay)
		return true;
	if ((route->policy == POLICY_REPLAY || route->policy == POLICY_OPEN ||
	     (route->flags & ROUTE_PUBLIC && route->policy != POLICY_UI)) &&
	    !(route->flags & ROUTE_CHANGES))
		return true;
	if (route->policy == POLICY_UI && q->method & (METHOD_GET | METHOD_HEAD)) {
		r->policy = POLICY_REPLAY_OWN;
		response_redirect(
		    r, 302,
		    request_absolute(q, "%.*s%s%.*s", STR_FMT(q->path), q->query.p ? "?" : "", STR_FMT(q->query)));
	} else {
		response_error(r, 404, "at this host there are archived pages alone");
	}
	return false;
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
