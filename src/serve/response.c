/* serve/response.c -- making a response: headers, bodies, errors. */
#include <stdarg.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/limits.h"
#include "serve/server_int.h"

/* clang-format off */
static const struct { int status; const char *reason; } reasons[] = {
	{ 200, "OK" }, { 201, "Created" }, { 202, "Accepted" }, { 204, "No Content" }, { 206, "Partial Content" }, { 301, "Moved Permanently" },
	{ 302, "Found" }, { 303, "See Other" }, { 304, "Not Modified" }, { 307, "Temporary Redirect" }, { 308, "Permanent Redirect" },
	{ 400, "Bad Request" }, { 401, "Unauthorized" }, { 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" }, { 408, "Request Timeout" }, { 409, "Conflict" }, { 410, "Gone" }, { 411, "Length Required" }, { 412, "Precondition Failed" },
	{ 413, "Content Too Large" }, { 414, "URI Too Long" }, { 415, "Unsupported Media Type" }, { 416, "Range Not Satisfiable" },
	{ 417, "Expectation Failed" }, { 418, "I'm a Teapot" }, { 421, "Misdirected Request" }, { 422, "Unprocessable Content" }, { 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" },
	{ 451, "Unavailable For Legal Reasons" }, { 500, "Internal Server Error" }, { 501, "Not Implemented" }, { 502, "Bad Gateway" },
	{ 503, "Service Unavailable" }, { 504, "Gateway Timeout" }, { 507, "Insufficient Storage" }, { 505, "HTTP Version Not Supported" },
};
/* clang-format on */

const char *status_reason(int status)
{
	for (size_t i = 0; i < COUNT(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Status";
}

void response_header(struct response *r, const char *name, struct str value)
{
	char *copy;

	for (size_t i = 0; i < value.n; i++)
		if (((unsigned char)value.p[i] < 0x20 && value.p[i] != '\t') || value.p[i] == 0x7f)
			return;
	copy = arena_strz(&r->request->arena, value);
	vec_push(&r->headers, ((struct header){ str(name), str_n(copy, value.n) }));
}

void response_headerf(struct response *r, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	response_header(r, name, arena_vprintf(&r->request->arena, fmt, ap));
	va_end(ap);
}

void response_vary(struct response *r, const char *name)
{
	for (size_t i = 0; i < r->headers.n; i++)
		if (str_ieq(r->headers.p[i].name, STR("Vary"))) {
			if (str_ifind(r->headers.p[i].value, str(name)) < 0)
				r->headers.p[i].value =
				    arena_printf(&r->request->arena, "%.*s, %s", STR_FMT(r->headers.p[i].value), name);
			return;
		}
	response_header(r, "Vary", str(name));
}

void response_weaken(struct response *r)
{
	for (size_t i = 0; i < r->headers.n; i++)
		if (str_ieq(r->headers.p[i].name, STR("ETag")) && !str_starts(r->headers.p[i].value, STR("W/")))
			r->headers.p[i].value =
			    arena_printf(&r->request->arena, "W/%.*s", STR_FMT(r->headers.p[i].value));
}

struct str response_get(const struct response *r, const char *name)
{
	for (size_t i = 0; i < r->headers.n; i++)
		if (str_ieq(r->headers.p[i].name, str(name)))
			return r->headers.p[i].value;
	return STR_NONE;
}

void response_body(struct response *r, const char *type, struct str body)
{
	response_header(r, "Content-Type", str(type));
	r->body = body;
}

void response_html(struct response *r, struct str body) { response_body(r, "text/html; charset=utf-8", body); }
void response_json(struct response *r, struct str body) { response_body(r, "application/json", body); }

void response_stream(struct response *r, const char *type, response_more *more, void (*done)(void *), void *context)
{
	response_header(r, "Content-Type", str(type));
	r->more = more;
	r->done = done;
	r->context = context;
	r->length = UINT64_MAX;
}

void response_redirect(struct response *r, int status, struct str location)
{
	r->status = status;
	response_header(r, "Location", location);
	r->body = STR_NONE;
}

void html_escape(struct buf *out, struct str s)
{
	size_t from = 0;

	for (size_t i = 0; i < s.n; i++) {
		struct str to;

		switch (s.p[i]) {
		case '&': to = STR("&amp;"); break;
		case '<': to = STR("&lt;"); break;
		case '>': to = STR("&gt;"); break;
		case '"': to = STR("&quot;"); break;
		case '\'': to = STR("&#39;"); break;
		default: continue;
		}
		buf_add(out, s.p + from, i - from);
		buf_str(out, to);
		from = i + 1;
	}
	buf_add(out, s.p + from, s.n - from);
}

static void problem(struct response *r, int status, struct str detail)
{
	struct buf *out = request_buf(r->request, 64 * KIB);
	struct json j = { .out = out };

	json_open(&j, '{');
	json_put_z(&j, "type", "about:blank");
	json_put_z(&j, "title", status_reason(status));
	json_put_u64(&j, "status", (uint64_t)status);
	json_put_str(&j, "detail", detail);
	json_put_str(&j, "instance",
		     arena_printf(&r->request->arena, "urn:winnow:request:%llu", (unsigned long long)r->request->id));
	json_close(&j, '}');
	response_body(r, "application/problem+json", buf_view(out));
}

static void page(struct response *r, int status, struct str detail)
{
	struct buf *out = request_buf(r->request, 256 * KIB);

	buf_printf(
	    out,
	    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
	    "<title>%d %s</title></head><body><main><h1>%s</h1><p>",
	    status, status_reason(status), status_reason(status));
	html_escape(out, detail);
	buf_printf(
	    out,
	    "</p><p><a href=\"%.*s/\">All collections</a></p><p><small>request %llu</small></p></main></body></html>\n",
	    STR_FMT(r->request->server->prefix), (unsigned long long)r->request->id);
	response_html(r, buf_view(out));
}

/* Where collections lie is nobody's business: their folders by the names under which they are served. */
/* Every `dir` in the text as `name`. */
static struct str renamed(struct request *q, struct str text, struct str dir, struct str name)
{
	struct buf *out = request_buf(q, 64 * KIB);
	ptrdiff_t at;

	while ((at = str_find(text, dir)) >= 0) {
		buf_str(out, str_sub(text, 0, (size_t)at));
		buf_str(out, name);
		text = str_sub(text, (size_t)at + dir.n, text.n);
	}
	buf_str(out, text);
	return buf_view(out);
}

/* "/srv/crawls/a.warc.gz: no such file": "a.warc.gz: no such file".  A path begins behind a blank or a quote, so URLs stay. */
static struct str without_folders(struct request *q, struct str text)
{
	struct buf *out = request_buf(q, 64 * KIB);

	for (size_t i = 0; i < text.n; i++) {
		size_t end = i, last = i;

		if (text.p[i] == '/' && (i == 0 || strchr(" '\"(=", text.p[i - 1]))) {
			for (; end < text.n && !strchr(" '\",;)", text.p[end]); end++)
				if (text.p[end] == '/' && end + 1 < text.n && !strchr(" '\",;)", text.p[end + 1]))
					last = end + 1;
			i = last;
		}
		buf_byte(out, text.p[i]);
	}
	return buf_view(out);
}

struct str response_unpathed(struct request *q, int status, struct str text)
{
	for (size_t i = 0; i < q->server->n_served; i++) {
		const struct served *s = &q->server->served[i];

		if (strchr(s->dir, '/') && str_find(text, str(s->dir)) >= 0)
			text = renamed(q, text, str(s->dir), str(s->name));
	}
	return status < 500 ? text : without_folders(q, text);
}

void response_error(struct response *r, int status, const char *fmt, ...)
{
	struct request *q = r->request;
	struct str detail;
	va_list ap;

	va_start(ap, fmt);
	detail = response_unpathed(q, status, arena_vprintf(&q->arena, fmt, ap));
	va_end(ap);
	if (r->done && !extra(q)->done_called)
		r->done(r->context);
	r->done = NULL;
	r->more = NULL;
	r->headers.n = 0;
	r->status = status;
	response_headerf(r, "X-Winnow-Error", "%d", status);
	if (str_starts(q->path, STR("/api/")) || r->policy == POLICY_DATA)
		problem(r, status, detail);
	else if (r->policy == POLICY_OPEN) {
		struct buf *out = request_buf(q, 64 * KIB);
		struct json j = { .out = out, .spaced = true };

		json_open(&j, '{');
		json_put_str(&j, "message", detail);
		json_close(&j, '}');
		response_json(r, buf_view(out));
	} else {
		if (r->policy == POLICY_REPLAY)
			r->policy = POLICY_REPLAY_OWN;
		page(r, status, detail);
	}
}

void response_err(struct response *r, const struct err *err)
{
	static const struct {
		int code, status;
	} map[] = {
		{ WN_USAGE, 400 }, { WN_NONE, 404 },	{ WN_BUSY, 503 }, { WN_LIMIT, 413 },
		{ WN_IO, 503 },	   { WN_CATALOG, 503 }, { WN_DATA, 503 },
	};
	int status = 500;

	for (size_t i = 0; i < COUNT(map); i++)
		if (map[i].code == err->code)
			status = map[i].status;
	response_error(r, status, "%s", err->text);
}

struct str response_tag(struct arena *a, struct str body)
{
	uint64_t v = hash64(body.n ? body.p : "", body.n);
	char *p = arena_alloc(a, 18);

	p[0] = p[17] = '"';
	for (unsigned i = 16; i > 0; i--, v >>= 4)
		p[i] = "0123456789abcdef"[v & 15];
	return str_n(p, 18);
}
