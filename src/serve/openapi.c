/* serve/openapi.c -- OpenAPI 3.1, written from the table of routes: what is served is described, and nothing else. */
#include "base/json.h"
#include "base/limits.h"
#include "serve/routes.h"

/* The next {name} of a pattern; false at its end.  A star at its end is taken off. */
static bool next_name(struct str *rest, struct str *name)
{
	ptrdiff_t open = str_chr(*rest, '{'), end;

	if (open < 0)
		return false;
	*rest = str_sub(*rest, (size_t)open + 1, rest->n);
	end = str_chr(*rest, '}');
	*name = str_sub(*rest, 0, (size_t)(end < 0 ? 0 : end));
	*rest = str_sub(*rest, (size_t)(end < 0 ? 0 : end), rest->n);
	if (name->n && name->p[name->n - 1] == '*')
		name->n--;
	return true;
}

static void put_path(struct json *j, const char *pattern)
{
	struct buf path = BUF(4 * KIB);

	for (const char *p = pattern; *p; p++)
		if (*p != '*' || p[1] != '}')
			buf_byte(&path, *p);
	json_key_str(j, buf_view(&path));
	buf_release(&path);
}

static void put_operation(struct json *j, const struct route *route, const char *method)
{
	struct str rest = str(route->pattern), name;

	json_put_open(j, method, '{');
	json_put_z(j, "summary", route->summary);
	json_put_open(j, "parameters", '[');
	while (next_name(&rest, &name)) {
		json_open(j, '{');
		json_put_str(j, "name", name);
		json_put_z(j, "in", "path");
		json_put_bool(j, "required", true);
		json_put_open(j, "schema", '{');
		json_put_z(j, "type", "string");
		json_close(j, '}');
		json_close(j, '}');
	}
	json_close(j, ']');
	if (route->flags & ROUTE_CHANGES) {
		json_put_open(j, "security", '[');
		json_open(j, '{');
		json_put_open(j, "token", '[');
		json_close(j, ']');
		json_close(j, '}');
		json_close(j, ']');
	}
	json_put_open(j, "responses", '{');
	json_put_open(j, "default", '{');
	json_put_z(j, "description", route->summary);
	json_close(j, '}');
	json_close(j, '}');
	json_close(j, '}');
}

/* Whether the server of this request has the route at all. */
static bool is_served(const struct request *q, const struct route *route)
{
	const struct server_options *o = &q->server->options;

	return !(route->flags & ROUTE_HIDDEN) && !((route->flags & ROUTE_CHANGES) && o->read_only) &&
	       !((route->flags & ROUTE_SQL) && !o->allow_sql) &&
	       !((route->flags & ROUTE_CDX_WRITE) && (!o->allow_cdx_write || o->read_only));
}

/* All operations of a pattern stand together; a pattern that an earlier row had is done. */
static bool first_of(const struct request *q, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_served(q, &routes[i]) && strcmp(routes[i].pattern, routes[at].pattern) == 0)
			return false;
	return true;
}

void api_openapi(struct request *q, struct response *r)
{
	static const struct {
		enum method method;
		const char *name;
	} methods[] = { { METHOD_GET, "get" },
			{ METHOD_POST, "post" },
			{ METHOD_PUT, "put" },
			{ METHOD_DELETE, "delete" },
			{ METHOD_PATCH, "patch" } };
	struct buf *out = request_buf(q, 4 * MIB);
	struct json j = { .out = out };

	json_open(&j, '{');
	json_put_z(&j, "openapi", "3.1.0");
	json_put_open(&j, "info", '{');
	json_put_z(&j, "title", "winnow");
	json_put_z(&j, "version", WINNOW_VERSION);
	json_close(&j, '}');
	json_put_open(&j, "servers", '[');
	json_open(&j, '{');
	json_put_str(&j, "url", request_href(q, "/"));
	json_close(&j, '}');
	json_close(&j, ']');
	json_put_open(&j, "components", '{');
	json_put_open(&j, "securitySchemes", '{');
	json_put_open(&j, "token", '{');
	json_put_z(&j, "type", "http");
	json_put_z(&j, "scheme", "bearer");
	json_close(&j, '}');
	json_close(&j, '}');
	json_close(&j, '}');
	json_put_open(&j, "paths", '{');
	for (size_t i = 0; i < n_routes; i++) {
		unsigned done = 0;

		if (!is_served(q, &routes[i]) || !first_of(q, i))
			continue;
		put_path(&j, routes[i].pattern);
		json_open(&j, '{');
		for (size_t k = i; k < n_routes; k++)
			for (size_t m = 0; m < COUNT(methods); m++)
				if (is_served(q, &routes[k]) && strcmp(routes[k].pattern, routes[i].pattern) == 0 &&
				    (routes[k].methods & methods[m].method) && !(done & methods[m].method)) {
					put_operation(&j, &routes[k], methods[m].name);
					done |= methods[m].method;
				}
		json_close(&j, '}');
	}
	json_close(&j, '}');
	json_close(&j, '}');
	buf_byte(out, '\n');
	response_json(r, buf_view(out));
}
