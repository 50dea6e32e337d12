/* serve/dispatch.c -- from a request to its row of the table, and back with the headers that isolate it. */
#include "base/limits.h"
#include "serve/routes.h"
#include "serve/server_int.h"
#include "serve/setup.h"

static const char *const forms[] = { ".json", ".csv", ".jsonl" }; /* the first of every page, all of lists */

static bool take_segment(struct request *q, const char *name, size_t name_n, struct str value, bool raw)
{
	if (q->n_args == COUNT(q->args))
		return false;
	value = raw ? value : percent_decode(&q->arena, value, false);
	q->args[q->n_args].name = arena_strz(&q->arena, str_n(name, name_n));
	q->args[q->n_args++].value = value;
	return true;
}

bool route_fits(const struct route *route, struct request *q)
{
	const char *p = route->pattern + 1;
	struct str rest = str_sub(q->path, 1, q->path.n);

	q->n_args = 0;
	q->served = NULL;
	q->format = STR_NONE;
	for (;;) {
		size_t n = strcspn(p, "/");
		bool last = p[n] == 0;

		if (n > 2 && p[n - 2] == '*' && p[0] == '{')
			return rest.n > 0 && take_segment(q, p + 1, n - 3, rest, true);
		ptrdiff_t slash = str_chr(rest, '/');
		struct str segment = slash < 0 ? rest : str_sub(rest, 0, (size_t)slash);

		if (last != (slash < 0))
			return false;
		if (last && route->flags & ROUTE_FORMS)
			for (size_t i = 0; i < (route->flags & ROUTE_LIST ? COUNT(forms) : 1); i++)
				if (segment.n > strlen(forms[i]) && str_ends(segment, str(forms[i]))) {
					q->format = str(forms[i] + 1);
					segment.n -= strlen(forms[i]);
				}
		if (p[0] == '{') {
			bool slug = strncmp(p, "{coll}", 6) == 0;

			if (segment.n == 0 || !take_segment(q, p + 1, n - 2, segment, false))
				return false;
			if (slug || strncmp(p, "{c}", 3) == 0) {
				q->served = server_find(q->server, q->args[q->n_args - 1].value, slug);
				if (!q->served && slug)
					return false;
			}
		} else if (!str_eq(segment, str_n(p, n))) {
			return false;
		}
		if (last)
			return true;
		rest = str_sub(rest, (size_t)slash + 1, rest.n);
		p += n + 1;
	}
}

static bool is_there(const struct server *s, const struct route *route)
{
	if (s->options.read_only && route->flags & ROUTE_CHANGES)
		return false;
	if (route->flags & ROUTE_CDX_WRITE && !s->options.allow_cdx_write)
		return false;
	return !(route->flags & ROUTE_SQL) || s->options.allow_sql;
}

static unsigned methods_of(const struct route *route)
{
	return route->methods | (route->methods & METHOD_GET ? METHOD_HEAD : 0u);
}

static void answer_options(struct request *q, struct response *r, unsigned allowed, const char *allow)
{
	(void)q;
	r->status = 204;
	response_header(r, "Allow", str(allow));
	if (r->policy == POLICY_REPLAY || r->policy == POLICY_OPEN) {
		response_header(r, "Access-Control-Allow-Headers", STR("*"));
		response_header(r, "Access-Control-Allow-Methods", str(allow));
		response_header(r, "Access-Control-Max-Age", STR("86400"));
	}
	(void)allowed;
}

static const char *allow_list(struct request *q, unsigned allowed)
{
	static const char *const names[] = { "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH" };
	struct buf *out = request_buf(q, 256);

	for (unsigned i = 0; i < COUNT(names); i++)
		if (allowed >> i & 1)
			buf_printf(out, "%s, ", names[i]);
	buf_str(out, STR("OPTIONS"));
	return arena_strz(&q->arena, buf_view(out));
}

/* The row of the table, or the answer 404, 405 or OPTIONS in r. */
static const struct route *find_route(struct request *q, struct response *r)
{
	const struct route *first = NULL;
	unsigned allowed = 0;

	for (size_t i = 0; i < n_routes; i++) {
		char begins = routes[i].pattern[1];

		if (begins && begins != '{' && q->path.n > 1 && begins != q->path.p[1])
			continue; /* most of the table */
		if (!is_there(q->server, &routes[i]) || !route_fits(&routes[i], q))
			continue;
		if (methods_of(&routes[i]) & q->method)
			return &routes[i];
		/* the rows under a catch-all speak for themselves alone */
		if (!first || strcmp(first->pattern, routes[i].pattern) == 0 || !strstr(routes[i].pattern, "*}"))
			allowed |= methods_of(&routes[i]);
		if (!first)
			first = &routes[i];
	}
	if (!first) {
		r->policy = POLICY_REPLAY_OWN;
		if (str_starts(q->path, STR("/api/")))
			r->policy = POLICY_DATA;
		response_error(r, 404,
			       "there is nothing at this address; the collections are listed at the start page");
		return NULL;
	}
	route_fits(first, q);
	r->policy = first->policy;
	if (q->method == METHOD_OPTIONS) {
		answer_options(q, r, allowed, allow_list(q, allowed));
		return NULL;
	}
	response_error(r, 405, "%s is not possible here", q->method_name);
	response_header(r, "Allow", str(allow_list(q, allowed)));
	return NULL;
}

static void begin(struct request *q, struct response *r, enum policy policy)
{
	*r = (struct response){ .status = 200, .policy = policy, .request = q, .headers = r->headers };
	r->headers.n = 0;
}

static bool names_nothing(const struct request *q, const struct response *r, const struct route *route)
{
	return route ? !q->served && strstr(route->pattern, "{c}") : r->status == 404;
}

/* A collection that is not known may have come by another server of the same folder. */
static const struct route *find_known(struct request *q, struct response *r)
{
	const struct route *route = find_route(q, r);

	if (!names_nothing(q, r, route) || !setup_look(q->server))
		return route;
	begin(q, r, POLICY_REPLAY_OWN);
	return find_route(q, r);
}

bool dispatch_head(struct request *q, struct response *r)
{
	begin(q, r, POLICY_REPLAY_OWN);
	if (q->target.n > LIMIT_URL) {
		r->policy = POLICY_DATA;
		response_error(r, 414, "the address is longer than %zu bytes", LIMIT_URL);
	} else if (q->method == METHOD_OPTIONS && str_eq(q->target, STR("*"))) {
		r->policy = POLICY_DATA; /* of the server as such */
		r->status = 204;
		response_header(r, "Allow", STR("GET, HEAD, POST, OPTIONS"));
	} else if (!request_split(q)) {
		response_error(r, 400, "this is no address of this server");
	} else if (guard_host(q, r) && (q->route = find_known(q, r)) != NULL) {
		r->policy = q->route->policy;
		if (guard_here(q, r) && guard_route(q, r)) {
			if (q->served || !strstr(q->route->pattern, "{c}"))
				return true;
			response_error(r, 404, "there is no such collection here");
		}
	}
	policy_apply(q, r);
	return false;
}

/* Whether the client has what the tag names: If-None-Match, a list. */
static bool client_has(const struct request *q, struct str tag)
{
	struct str rest = request_header(q, "If-None-Match");

	while (rest.n) {
		struct str one = str_trim(str_cut(&rest, ','));

		if (str_starts(one, STR("W/")))
			one = str_sub(one, 2, one.n);
		if (str_eq(one, tag) || str_eq(one, STR("*")))
			return true;
	}
	return false;
}

/* Every whole answer to GET has a tag of its bytes, and is not sent to who has them. */
static void tag(struct request *q, struct response *r)
{
	struct str made, given = response_get(r, "ETag");

	if (!(q->method & (METHOD_GET | METHOD_HEAD)) || r->status != 200 || r->more ||
	    str_eq(response_get(r, "Cache-Control"), STR("no-store")))
		return;
	made = given.n ? given : response_tag(&q->arena, r->body);
	if (!given.n)
		response_header(r, "ETag", made);
	if (!client_has(q, made))
		return;
	r->status = 304;
	r->body = STR_NONE;
}

void dispatch_run(struct request *q, struct response *r)
{
	q->route->handler(q, r);
	tag(q, r);
	squeeze_apply(q, r);
	policy_apply(q, r);
}

void dispatch_refuse(struct request *q, struct response *r, int status, const char *why)
{
	begin(q, r, POLICY_DATA);
	response_error(r, status, "%s", why);
	policy_apply(q, r);
}
