/* serve/replay_send.c -- one capture as a response: its status and headers, its body as the modifier wants it. */
#include "base/limits.h"
#include "serve/archived.h"
#include "serve/jsonp.h"
#include "serve/opened.h"
#include "serve/replay.h"
#include "serve/routes.h"
#include "text/charset.h"

#include "serve/replay_js.inc"

enum { REASON_MOST = 200 }; /* bytes; status lines of more are refused by some clients */

void replay_script(struct request *q, struct response *r)
{
	if (replay_refuses_worker(q, r))
		return;
	response_header(r, "Cache-Control", STR("max-age=3600"));
	response_body(r, "text/javascript; charset=utf-8", str_n(replay_js, sizeof replay_js - 1));
}

/* ---- ranges ---- */

/* A position in a body; one that no number holds is behind every end. */
static bool position(struct str s, uint64_t *out)
{
	if (str_u64(s, out))
		return true;
	*out = UINT64_MAX;
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_digit(s.p[i]))
			return false;
	return s.n > 0;
}

/* One range of a body of n bytes: 1 fits, 0 not asked for or not understood, -1 cannot be. */
static int range_of(struct str header, uint64_t n, uint64_t *from, uint64_t *to)
{
	struct str spec, first;
	uint64_t a, b;

	if (!str_istarts(header, STR("bytes=")) || str_chr(header, ',') >= 0)
		return 0;
	spec = str_trim(str_sub(header, 6, header.n));
	if (str_chr(spec, '-') < 0)
		return 0;
	first = str_trim(str_cut(&spec, '-'));
	spec = str_trim(spec);
	if (first.n == 0) {
		if (!position(spec, &b))
			return 0;
		if (b == 0 || n == 0)
			return -1;
		*from = b > n ? 0 : n - b;
		*to = n - 1;
		return 1;
	}
	if (!position(first, &a) || (spec.n && !position(spec, &b)))
		return 0;
	if (!spec.n)
		b = n ? n - 1 : 0;
	if (spec.n && b < a)
		return 0;
	if (a >= n)
		return -1;
	*from = a;
	*to = b >= n ? n - 1 : b;
	return 1;
}

/* What of a body of n bytes was asked for, [*from, *end); the status and its headers in r.  whole: NULL when it is not in memory. */
static void choose_range(struct request *q, struct response *r, uint64_t n, const struct str *whole, uint64_t *from,
			 uint64_t *end)
{
	struct str header = request_header(q, "Range"), only = request_header(q, "If-Range"), tag;
	uint64_t a, b;
	int fits;

	*from = 0;
	*end = n;
	if (r->status != 200)
		return;
	response_header(r, "Accept-Ranges", STR("bytes"));
	if (!header.p || q->method != METHOD_GET)
		return;
	tag = whole ? response_tag(&q->arena, *whole) : STR_NONE;
	if (only.p && !(tag.n && str_eq(str_trim(only), tag)))
		return; /* of something else: all of it */
	fits = range_of(str_trim(header), n, &a, &b);
	if (fits < 0) {
		r->status = 416;
		response_headerf(r, "Content-Range", "bytes */%llu", (unsigned long long)n);
		*end = 0;
	} else if (fits) {
		r->status = 206;
		if (tag.n)
			response_header(r, "ETag", tag);
		response_headerf(r, "Content-Range", "bytes %llu-%llu/%llu", (unsigned long long)a,
				 (unsigned long long)b, (unsigned long long)n);
		*from = a;
		*end = b + 1;
	}
}

/* ---- bodies ---- */

static struct str charset_param(struct str type)
{
	ptrdiff_t at = str_ifind(type, STR("charset="));
	struct str value;

	if (at < 0)
		return STR_NONE;
	value = str_trim(str_sub(type, (size_t)at + 8, type.n));
	if (value.n && (value.p[0] == '"' || value.p[0] == '\''))
		value = str_sub(value, 1, value.n);
	for (size_t i = 0; i < value.n; i++)
		if (strchr("\"'; ,", value.p[i]))
			return str_sub(value, 0, i);
	return value;
}

static bool like_ascii(const char *name)
{
	return strncmp(name, "utf-16", 6) != 0 && strcmp(name, "iso-2022-jp") != 0 && strcmp(name, "replacement") != 0;
}

static void add_head(struct rewriter *w, struct buf *head)
{
	buf_printf(head, "<script%s src=\"%.*s_/replay.js\" data-stamp=\"%s\" data-prefix=\"%.*s\" data-url=\"",
		   w->xml ? " xmlns=\"http://www.w3.org/1999/xhtml\"" : "", STR_FMT(w->prefix), w->stamp,
		   STR_FMT(w->prefix));
	html_escape(head, url_href(&w->base));
	buf_str(head, STR("\"></script>"));
	w->head = buf_view(head);
}

/* The charset of markup, for the rewriter.  What is not like ASCII becomes UTF-8, which is then said in *label. */
static struct str decoded(struct request *q, struct rewriter *w, struct str type, struct str body, const char **label)
{
	struct charset c = charset_find(body, charset_param(type), true);
	const char *name = encoding_name(c.encoding);
	size_t replaced;

	if (!like_ascii(name)) {
		body = charset_decode(&q->arena, c, body, &replaced);
		*label = name = "utf-8";
		c = (struct charset){ .encoding = encoding_of_label(STR("utf-8")) };
	}
	w->charset = c;
	w->charset.ascii = 0; /* that was said of the page; parts of it are decoded by this */
	w->utf8 = strcmp(name, "utf-8") == 0;
	return body;
}

/* The body rewritten; its charset, where we say it ourselves, in *label. */
static struct str rewritten(struct replay_job *job, struct rewriter *w, enum rewrite_kind kind, struct str mime,
			    struct str type, struct str body, const char **label)
{
	struct request *q = job->q;
	struct buf *out = request_buf(q, 4 * LIMIT_REWRITE), *head = request_buf(q, 4 * LIMIT_URL);
	enum modifier mod = job->path->modifier;

	w->out = out;
	switch (kind) {
	case REWRITE_CSS: rewrite_css(w, body, out); break;
	case REWRITE_JS: rewrite_js(w, body, out); break;
	case REWRITE_HLS: rewrite_hls(w, body, out); break;
	case REWRITE_APP: rewrite_app(w, body, out); break;
	case REWRITE_NOT: return body;
	case REWRITE_XML:
		body = decoded(q, w, type, body, label);
		rewrite_xml(w, body);
		break;
	case REWRITE_HTML:
		body = decoded(q, w, type, body, label);
		*label = encoding_name(w->charset.encoding);
		w->xml = !str_ieq(mime, STR("text/html"));
		w->top = mod == MOD_MP;
		w->head_done = mod == MOD_IM || mod == MOD_UO; /* an image runs no scripts */
		add_head(w, head);
		rewrite_html(w, body);
		break;
	}
	return out->full ? body : buf_view(out);
}

struct streaming {
	struct opened opened;
	struct str piece;
	uint64_t skip, left; /* bytes passed over first; bytes still to be sent, UINT64_MAX: all there are */
	struct err err;
};

/* On a helper's thread: a range far behind costs the reading of all before it. */
static ptrdiff_t more_of_it(void *context, char *p, size_t n)
{
	struct streaming *s = context;
	int rc;

	if (!s->left)
		return 0;
	while (s->piece.n <= s->skip) {
		s->skip -= s->piece.n;
		s->piece = STR_NONE;
		if ((rc = payload_read(&s->opened.payload, &s->piece, &s->err)) != WN_OK)
			return rc == WN_END && s->left == UINT64_MAX
				   ? 0
				   : -1; /* less than was promised: the connection ends */
	}
	s->piece = str_sub(s->piece, (size_t)s->skip, s->piece.n);
	s->skip = 0;
	n = n < s->piece.n ? n : s->piece.n;
	if (n > s->left)
		n = (size_t)s->left;
	memcpy(p, s->piece.p, n);
	s->piece = str_sub(s->piece, n, s->piece.n);
	if (s->left != UINT64_MAX)
		s->left -= n;
	return (ptrdiff_t)n;
}

static void close_it(void *context)
{
	struct streaming *s = context;

	opened_close(&s->opened);
}

static void own_headers(struct replay_job *job)
{
	struct request *q = job->q;
	struct response *r = job->r;
	struct moment m = { job->capture.id, job->capture.time };
	struct err err = { 0 };
	char date[30];

	response_header(r, "Memento-Datetime", stamp_http(m.time, date));
	memento_links(q, r, job->h, job->capture.urlkey, job->path->url, &m, &err);
	if (q->method == METHOD_POST)
		response_header(r, "Content-Location", memento_address(q, m.time, job->path->modifier, job->path->url));
}

/* The body in memory, unless it is too large to be held. */
static int read_body(struct opened *o, struct err *err)
{
	if (!o->reader)
		return WN_OK; /* a revisit of a redirect has none */
	o->cut = o->length > LIMIT_REPLAY_BODY;
	o->unread = o->cut;
	return o->cut ? WN_OK : payload_all(&o->payload, LIMIT_REPLAY_BODY, &o->body, &o->cut, err);
}

/* Too large to hold: read while it is sent.  Where its length is known it is told, and parts of it can be asked for. */
static void stream(struct replay_job *job, struct streaming *s, bool raw)
{
	struct response *r = job->r;
	struct opened *o = &s->opened;
	uint64_t n = o->length, from = 0, end = UINT64_MAX;
	struct err err = { 0 };

	if (!o->unread) {
		opened_close(o);
		if (opened_open(o, job->q, job->h, &job->capture, raw, false, &err) < 0) {
			response_error(r, 503, "%s", err.text);
			return;
		}
	}
	r->body = STR_NONE;
	if (n)
		choose_range(job->q, r, n, NULL, &from, &end);
	if (r->status == 416)
		return;
	s->skip = from;
	s->left = n ? end - from : UINT64_MAX;
	r->more = more_of_it;
	r->length = s->left;
}

/* Archived words that can stand in a status line. */
static bool is_reason(struct str reason)
{
	for (size_t i = 0; i < reason.n; i++)
		if (((unsigned char)reason.p[i] < 0x20 && reason.p[i] != '\t') || reason.p[i] == 0x7f)
			return false;
	return reason.n > 0 && reason.n <= REASON_MOST;
}

void replay_send(struct replay_job *job)
{
	struct request *q = job->q;
	struct response *r = job->r;
	enum modifier mod = job->path->modifier;
	bool raw = mod == MOD_ID || mod == MOD_IR;
	struct streaming *s = ARENA_NEW(&q->arena, struct streaming);
	struct opened *o = &s->opened;
	struct rewriter *w = ARENA_NEW(&q->arena, struct rewriter);
	enum rewrite_kind kind;
	struct str mime, body;
	const char *label = NULL;
	uint64_t from, end;
	struct err err = { 0 };

	/* until the response was sent: the body may lie in the reader's memory */
	r->done = close_it;
	r->context = s;
	if (opened_open(o, q, job->h, &job->capture, raw, false, &err) < 0 || read_body(o, &err) < 0) {
		response_error(r, 503, "%s", err.text); /* the capture is known; its bytes are not to be had */
		return;
	}
	r->status = o->status == 206 || o->status < 200 || o->status > 999 ? 200 : o->status;
	if (o->has_head && is_reason(o->head.reason)) {
		r->reason = o->head.reason;
		r->reason_of = o->head.status;
	}
	mime = http_mime(o->type);
	if (!mime.n && str_eq(job->capture.mime, STR("text/html")))
		mime = job->capture.mime; /* nothing was said of it: what it was found to be */
	stamp_14(job->capture.time, w->stamp);
	w->prefix = request_href(q, "/%s/", q->served->slug);
	w->arena = &q->arena;
	w->bare = !q->at_replay;
	if (!url_parse(&w->base, job->capture.url, NULL) && !url_parse(&w->base, job->path->url, NULL))
		kind = REWRITE_NOT;
	else
		kind = o->cut || o->body.n > LIMIT_REWRITE ? REWRITE_NOT : rewrite_kind(mime, mod, o->body);
	body = raw ? o->body : jsonp_rename(&q->arena, o->body, job->capture.url, job->path->url);
	body = rewritten(job, w, kind, mime, o->type, body, &label);
	r->still = w->made;
	if (label)
		response_headerf(r, "Content-Type", "%.*s; charset=%s", STR_FMT(mime), label);
	else if (!o->has_head && o->type.n)
		archived_type(r, o->type);
	if (o->has_head)
		archived_headers(r, &o->head,
				 label ? ARCHIVED_REWRITTEN
				 : raw ? ARCHIVED_RAW
				       : ARCHIVED_DECODED,
				 w, mod != MOD_ID);
	own_headers(job);
	r->body = body;
	url_release(&w->base);
	url_release(&w->scratch);
	if (o->cut) {
		stream(job, s, raw);
		return;
	}
	choose_range(q, r, body.n, &body, &from, &end);
	r->body = str_sub(r->body, (size_t)from, (size_t)end);
}
