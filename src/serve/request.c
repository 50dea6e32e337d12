/* serve/request.c -- reading a request: its target, parameters, headers, and the handles it needs. */
#include "serve/server_int.h"
#include "serve/wire.h"

#include <stdarg.h>

#include "archive/url.h"
#include "base/limits.h"

struct str percent_decode(struct arena *a, struct str s, bool plus)
{
	char *out = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%' && i + 2 < s.n && hex_digit(s.p[i + 1]) >= 0 && hex_digit(s.p[i + 2]) >= 0) {
			out[n++] = (char)(hex_digit(s.p[i + 1]) * 16 + hex_digit(s.p[i + 2]));
			i += 2;
		} else {
			out[n++] = plus && s.p[i] == '+' ? ' ' : s.p[i];
		}
	}
	out[n] = 0;
	return str_n(out, n);
}

/* Path, query and parameters of q->target; false when it is none of ours. */
bool request_split(struct request *q)
{
	struct str path = q->target, rest;
	ptrdiff_t mark = str_chr(path, '?');
	size_t n = 0;

	if (str_istarts(path, STR("http://")) ||
	    str_istarts(path, STR("https://"))) { /* the absolute form that proxies send */
		struct str after = str_sub(path, (size_t)str_chr(path, '/') + 2, path.n);
		ptrdiff_t slash = str_chr(after, '/');

		q->authority = slash < 0 ? after : str_sub(after, 0, (size_t)slash);
		path = slash < 0 ? STR("/") : str_sub(after, (size_t)slash, after.n);
		mark = str_chr(path, '?');
	}
	if (path.n == 0 || path.p[0] != '/')
		return false;
	if (mark >= 0) {
		q->query = str_sub(path, (size_t)mark + 1, path.n);
		path.n = (size_t)mark;
	}
	if (q->server->prefix.n && str_starts(path, q->server->prefix) &&
	    (path.n == q->server->prefix.n || path.p[q->server->prefix.n] == '/'))
		path = str_sub(path, q->server->prefix.n, path.n);
	q->path = path.n ? path : STR("/");
	rest = q->query;
	for (size_t i = 0; i < rest.n; i++)
		n += rest.p[i] == '&';
	if (n > LIMIT_PARAMS)
		return false;
	struct param *params = ARENA_ARRAY(&q->arena, struct param, n + 1);

	while (rest.n) {
		struct str value = str_cut(&rest, '&'), name = str_cut(&value, '=');

		if (name.n == 0 && value.n == 0)
			continue;
		params[q->n_params++] =
		    (struct param){ percent_decode(&q->arena, name, true), percent_decode(&q->arena, value, true) };
	}
	q->params = params;
	return true;
}

struct str request_param(const struct request *q, const char *name)
{
	for (size_t i = 0; i < q->n_params; i++)
		if (str_eq(q->params[i].name, str(name)))
			return q->params[i].value;
	return STR_NONE;
}

bool request_u64(const struct request *q, const char *name, uint64_t low, uint64_t high, uint64_t fallback,
		 uint64_t *out)
{
	struct str s = request_param(q, name);

	*out = fallback;
	if (!s.p)
		return true;
	return str_u64(s, out) && *out >= low && *out <= high;
}

struct str request_header(const struct request *q, const char *name)
{
	struct str want = str(name);

	for (size_t i = 0; i < q->n_fields; i++)
		if (q->fields[i].name.n == want.n && str_ieq(q->fields[i].name, want))
			return q->fields[i].value.p ? q->fields[i].value : STR("");
	return STR_NONE;
}

struct str request_arg(const struct request *q, const char *name)
{
	for (unsigned i = 0; i < q->n_args; i++)
		if (strcmp(q->args[i].name, name) == 0)
			return q->args[i].value;
	return STR_NONE;
}

__attribute__((format(printf, 3, 0))) static struct str under(struct request *q, struct str origin, const char *fmt,
							      va_list ap)
{
	struct str rest = arena_vprintf(&q->arena, fmt, ap);

	return arena_printf(&q->arena, "%.*s%.*s%.*s", STR_FMT(origin), STR_FMT(q->server->prefix), STR_FMT(rest));
}

struct str request_at(struct request *q, struct str origin, const char *fmt, ...)
{
	va_list ap;
	struct str s;

	va_start(ap, fmt);
	s = under(q, origin, fmt, ap);
	va_end(ap);
	return s;
}

struct str request_absolute(struct request *q, const char *fmt, ...)
{
	va_list ap;
	struct str s;

	va_start(ap, fmt);
	s = under(q, q->origin, fmt, ap);
	va_end(ap);
	return s;
}

struct str request_href(struct request *q, const char *fmt, ...)
{
	va_list ap;
	struct str s;

	va_start(ap, fmt);
	s = under(q, STR(""), fmt, ap);
	va_end(ap);
	return s;
}

struct str request_replay_base(struct request *q)
{
	if (!q->server->replay_host.n)
		return q->server->prefix;
	return arena_printf(&q->arena, "%.*s%.*s", STR_FMT(q->replay_origin), STR_FMT(q->server->prefix));
}

const struct served *server_find(const struct server *s, struct str name, bool slug)
{
	for (size_t i = 0; i < s->n_served; i++)
		if (str_eq(name, str(slug ? s->served[i].slug : s->served[i].name)))
			return &s->served[i];
	return NULL;
}

struct collection *request_open(struct request *q, const struct served *which, struct response *r)
{
	struct err err = { 0 };
	struct handle *h = worker_handle(q->worker, which->index, &err);

	if (!h) { /* it was there when it was named */
		response_error(r, 503, "%s", err.text);
		return NULL;
	}
	return &h->coll;
}

struct collection *request_collection(struct request *q, struct response *r)
{
	if (!q->served) {
		response_error(r, 404, "there is no such collection here");
		return NULL;
	}
	return request_open(q, q->served, r);
}

struct history *request_history(struct request *q, struct response *r)
{
	struct err err = { 0 };
	struct handle *h = request_collection(q, r) ? worker_handle(q->worker, q->served->index, &err) : NULL;

	if (h && !h->history && history_open(&h->history, &h->coll, &err) < 0) {
		response_err(r, &err);
		return NULL;
	}
	return h ? h->history : NULL;
}

struct buf *request_buf(struct request *q, size_t max)
{
	struct owned_buf *o = ARENA_NEW(&q->arena, struct owned_buf);

	o->buf.max = max;
	o->next = extra(q)->bufs;
	extra(q)->bufs = o;
	return &o->buf;
}
