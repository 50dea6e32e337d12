/* serve/archived.c -- see archived.h.
 *
 * A header that is not in the table speaks to the browser of its own day and
 * gets the prefix X-Archive-Orig-, so that nothing archived acts as ours.  Of
 * these as many are sent as browsers and other clients take (100 fields for
 * Python's, 256 KiB for Chromium). */
#include "serve/archived.h"

#include "base/limits.h"

enum { FIELDS_MOST = 80, BYTES_MOST = 64 * KIB };
enum fate { FATE_PREFIX, FATE_KEEP, FATE_CODING, FATE_LOCATION, FATE_TYPE, FATE_COOKIE, FATE_DROP };

static const struct {
	const char *name;
	enum fate fate;
} table[] = {
	{ "content-type", FATE_TYPE },	      { "content-language", FATE_KEEP }, { "content-disposition", FATE_KEEP },
	{ "content-encoding", FATE_CODING },  { "location", FATE_LOCATION },	 { "content-location", FATE_LOCATION },
	{ "content-base", FATE_LOCATION },    { "x-robots-tag", FATE_PREFIX },	 { "accept-ranges", FATE_PREFIX },
	{ "set-cookie", FATE_COOKIE },	      { "content-length", FATE_PREFIX }, { "content-range", FATE_PREFIX },
	{ "transfer-encoding", FATE_PREFIX },
};

static enum fate fate_of(struct str name)
{
	for (size_t i = 0; i < COUNT(table); i++)
		if (str_ieq(name, str(table[i].name)))
			return table[i].fate;
	return FATE_PREFIX;
}

static bool is_token(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!ascii_alpha(name.p[i]) && !ascii_digit(name.p[i]) && !strchr("!#$%&'*+-.^_`|~", name.p[i]))
			return false;
	return name.n > 0 && name.n < 200;
}

static void prefixed(struct response *r, struct str name, struct str value)
{
	struct request *q = r->request;
	size_t bytes = value.n;

	for (size_t i = 0; i < r->headers.n; i++)
		bytes += r->headers.p[i].value.n;
	if (r->headers.n < FIELDS_MOST && bytes < BYTES_MOST)
		response_header(r, arena_printf(&q->arena, "X-Archive-Orig-%.*s", STR_FMT(name)).p, value);
}

static void location(struct response *r, struct str name, struct str value, struct rewriter *w, bool redirects)
{
	struct request *q = r->request;
	struct buf *out;

	if (!redirects || !w || !str_trim(value).n) { /* an empty one would lead to itself */
		prefixed(r, name, value);
		return;
	}
	out = request_buf(q, 4 * LIMIT_URL);
	buf_str(out, q->replay_origin);
	rewrite_absolute(w, value, MOD_MP, out);
	if (out->n > q->replay_origin.n && out->p[q->replay_origin.n] == '/' &&
	    str_starts(str_sub(buf_view(out), q->replay_origin.n, out->n), w->prefix))
		response_header(r, arena_strz(&q->arena, name), buf_view(out));
	prefixed(r, name, value);
}

/* A cookie at the host of archived pages: for the archived site at this time alone, as long as the browser runs.  Its own end
 * lies in the past by now; one that said to forget is not set at all. */
static void cookie(struct response *r, struct str value, struct rewriter *w)
{
	struct request *q = r->request;
	struct str rest = value, pair = str_trim(str_cut(&rest, ';')), path = STR("/");
	struct buf *out = request_buf(q, 4 * LIMIT_URL);
	bool hidden = false;

	while (rest.n) {
		struct str v = str_trim(str_cut(&rest, ';')), name = str_trim(str_cut(&v, '='));

		v = str_trim(v);
		hidden |= str_ieq(name, STR("httponly"));
		if (str_ieq(name, STR("path")) && v.n && v.p[0] == '/')
			path = v;
		if (str_ieq(name, STR("max-age")) && v.n && (v.p[0] == '-' || str_eq(v, STR("0"))))
			return;
	}
	if (!pair.n)
		return;
	buf_str(out, pair);
	buf_str(out, STR("; Path="));
	buf_str(out, w->prefix);
	buf_str(out, str(w->stamp));
	buf_str(out, STR("mp_/"));
	url_origin(&w->base, out);
	buf_str(out, path);
	if (hidden)
		buf_str(out, STR("; HttpOnly"));
	response_header(r, "Set-Cookie", buf_view(out));
}

/* Parts of a multipart answer have headers of their own, which browsers obey: such a body is bytes to them. */
void archived_type(struct response *r, struct str type)
{
	if (str_istarts(type, STR("multipart/"))) {
		prefixed(r, STR("Content-Type"), type);
		type = STR("application/octet-stream");
	}
	response_header(r, "Content-Type", type);
}

void archived_headers(struct response *r, const struct http_head *head, enum archived_form form, struct rewriter *w,
		      bool redirects)
{
	for (unsigned i = 0; i < head->nfields; i++) {
		struct str name = head->fields[i].name, value = str_trim(head->fields[i].value);

		if (!is_token(name) || value.n > 16 * KIB)
			continue;
		switch (fate_of(name)) {
		case FATE_KEEP: response_header(r, arena_strz(&r->request->arena, name), value); break;
		case FATE_TYPE:
			if (form == ARCHIVED_REWRITTEN)
				prefixed(r, name, value);
			else if (!response_get(r, "Content-Type").p)
				archived_type(r, value);
			break;
		case FATE_CODING:
			if (form == ARCHIVED_RAW)
				response_header(r, "Content-Encoding", value);
			else
				prefixed(r, name, value);
			break;
		case FATE_LOCATION: location(r, name, value, w, redirects); break;
		case FATE_COOKIE:
			if (w && r->request->at_replay)
				cookie(r, value, w);
			prefixed(r, name, value);
			break;
		case FATE_DROP: break;
		case FATE_PREFIX: prefixed(r, name, value); break;
		}
	}
}
