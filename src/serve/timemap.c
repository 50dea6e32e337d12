/* serve/timemap.c -- TimeMaps in three forms, at most LIMIT_TIMEMAP mementos on a page.
 *
 * /{coll}/timemap/{link|json|cdxj}/{url}, further pages with their number behind the
 * type: /{coll}/timemap/{type}/{N}/{url}.  Pages are found by seeking from the
 * last moment of the one before, so page N costs N pages of the index. */
#include "archive/url.h"
#include "base/json.h"
#include "base/limits.h"
#include "serve/replay.h"
#include "serve/routes.h"

struct page {
	struct request *q;
	struct str url, key, type;
	struct moment *m;
	size_t n;
	uint64_t number; /* from 1 */
	bool more;
};

static struct str page_address(struct page *p, uint64_t number)
{
	if (number == 1)
		return request_absolute(p->q, "/%s/timemap/%.*s/%.*s", p->q->served->slug, STR_FMT(p->type),
					STR_FMT(p->url));
	return request_absolute(p->q, "/%s/timemap/%.*s/%llu/%.*s", p->q->served->slug, STR_FMT(p->type),
				(unsigned long long)number, STR_FMT(p->url));
}

static void write_link(struct page *p, struct buf *out)
{
	struct request *q = p->q;
	struct buf *url = request_buf(q, 4 * LIMIT_URL);
	char from[30], until[30];

	memento_target(url, p->url);
	p->url = buf_view(url);
	stamp_http(p->m[0].time, from);
	stamp_http(p->m[p->n - 1].time, until);
	buf_printf(out, "<%.*s>; rel=\"self\"; type=\"application/link-format\"; from=\"%s\"; until=\"%s\",\n",
		   STR_FMT(page_address(p, p->number)), from, until);
	if (p->number > 1)
		buf_printf(out, "<%.*s>; rel=\"timemap\"; type=\"application/link-format\",\n",
			   STR_FMT(page_address(p, p->number - 1)));
	if (p->more)
		buf_printf(out, "<%.*s>; rel=\"timemap\"; type=\"application/link-format\"; from=\"%s\",\n",
			   STR_FMT(page_address(p, p->number + 1)), until);
	buf_printf(out, "<%.*s>; rel=\"timegate\",\n",
		   STR_FMT(request_absolute(q, "/%s/%.*s", q->served->slug, STR_FMT(p->url))));
	buf_printf(out, "<%.*s>; rel=\"original\"", STR_FMT(p->url));
	for (size_t i = 0; i < p->n; i++) {
		bool first = i == 0 && p->number == 1, last = i + 1 == p->n && !p->more;

		buf_printf(out, ",\n<%.*s>; rel=\"%smemento\"; datetime=\"%s\"",
			   STR_FMT(memento_address(q, p->m[i].time, MOD_MP, p->url)),
			   first && last ? "first last "
			   : first	 ? "first "
			   : last	 ? "last "
					 : "",
			   stamp_http(p->m[i].time, from).p);
	}
	buf_byte(out, '\n');
}

static void write_json(struct page *p, struct buf *out)
{
	struct request *q = p->q;
	struct json j = { .out = out, .spaced = true };
	char date[21];

	json_open(&j, '{');
	json_put_str(&j, "original_uri", p->url);
	json_put_str(&j, "timegate_uri", request_absolute(q, "/%s/%.*s", q->served->slug, STR_FMT(p->url)));
	json_put_open(&j, "timemap_uri", '{');
	json_put_str(&j, "link_format", request_absolute(q, "/%s/timemap/link/%.*s", q->served->slug, STR_FMT(p->url)));
	json_put_str(&j, "json_format", request_absolute(q, "/%s/timemap/json/%.*s", q->served->slug, STR_FMT(p->url)));
	json_put_str(&j, "cdxj_format", request_absolute(q, "/%s/timemap/cdxj/%.*s", q->served->slug, STR_FMT(p->url)));
	json_close(&j, '}');
	if (p->number > 1)
		json_put_str(&j, "prev_page", page_address(p, p->number - 1));
	if (p->more)
		json_put_str(&j, "next_page", page_address(p, p->number + 1));
	json_put_open(&j, "mementos", '{');
	json_put_open(&j, "list", '[');
	for (size_t i = 0; i < p->n; i++) {
		json_open(&j, '{');
		json_put_str(&j, "datetime", stamp_rfc3339(p->m[i].time, date));
		json_put_str(&j, "uri", memento_address(q, p->m[i].time, MOD_MP, p->url));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_close(&j, '}');
	buf_byte(out, '\n');
}

static void write_cdxj(struct page *p, struct buf *out)
{
	struct request *q = p->q;
	char stamp[15], date[30];

	buf_printf(out, "!context [\"http://tools.ietf.org/html/rfc7089\"]\n!id {\"uri\": ");
	json_quote(out, page_address(p, p->number));
	buf_printf(out, "}\n!keys [\"memento_datetime_YYYYMMDDhhmmss\"]\n!meta {\"original_uri\": ");
	json_quote(out, p->url);
	buf_printf(out, "}\n!meta {\"timegate_uri\": ");
	json_quote(out, request_absolute(q, "/%s/%.*s", q->served->slug, STR_FMT(p->url)));
	buf_str(out, STR("}\n"));
	if (p->more) {
		buf_printf(out, "!meta {\"next_page\": ");
		json_quote(out, page_address(p, p->number + 1));
		buf_str(out, STR("}\n"));
	}
	for (size_t i = 0; i < p->n; i++) {
		bool first = i == 0 && p->number == 1, last = i + 1 == p->n && !p->more;

		buf_printf(out, "%s {\"uri\": ", stamp_14(p->m[i].time, stamp).p);
		json_quote(out, memento_address(q, p->m[i].time, MOD_MP, p->url));
		buf_printf(out, ", \"rel\": \"%smemento\", \"datetime\": \"%s\"}\n",
			   first && last ? "first last "
			   : first	 ? "first "
			   : last	 ? "last "
					 : "",
			   stamp_http(p->m[i].time, date).p);
	}
}

static const struct {
	const char *name, *type;
	void (*write)(struct page *p, struct buf *out);
} types[] = {
	{ "link", "application/link-format", write_link },
	{ "json", "application/json", write_json },
	{ "cdxj", "application/cdxj+ors", write_cdxj },
};

/* Several captures in one second are one memento: they have one address.  What access rules hide is not listed. */
static void one_per_second(struct page *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if ((n == 0 || p->m[n - 1].time != p->m[i].time) && replay_allows(p->q, p->key, p->m[i].time))
			p->m[n++] = p->m[i];
	p->n = n;
}

static int fill(struct page *p, struct history *h, struct err *err)
{
	struct moment at = { 0, INT64_MIN };
	size_t got = 0;
	int rc = WN_OK;

	p->m = ARENA_ARRAY(&p->q->arena, struct moment, LIMIT_TIMEMAP + 1);
	for (uint64_t k = 1; k <= p->number; k++) {
		if ((rc = history_list(h, p->key, at, p->m, LIMIT_TIMEMAP + 1, &got, err)) < 0)
			return rc;
		p->more = got > LIMIT_TIMEMAP;
		p->n = p->more ? LIMIT_TIMEMAP : got;
		if (k < p->number && !p->more) {
			p->n = 0;
			return WN_OK;
		}
		if (p->n)
			at = p->m[p->n - 1];
	}
	one_per_second(p);
	return rc;
}

void timemap_any(struct request *q, struct response *r)
{
	struct page p = { .q = q, .type = request_arg(q, "type"), .number = 1 };
	struct str rest = request_arg(q, "url"), after = rest, head = str_cut(&after, '/');
	struct replay_path path;
	struct history *h;
	struct buf *out;
	struct err err = { 0 };
	size_t which = COUNT(types);
	uint64_t number;

	for (size_t i = 0; i < COUNT(types); i++)
		if (str_eq(p.type, str(types[i].name)))
			which = i;
	if (which == COUNT(types)) {
		response_error(r, 400, "output=%.*s not supported", STR_FMT(p.type));
		return;
	}
	if (after.n && str_u64(head, &number) && number > 0 && number < 1000000) {
		p.number = number;
		rest = after;
	}
	if (!replay_path_parse(&path, &q->arena, arena_printf(&q->arena, "mp_/%.*s", STR_FMT(rest)), q->query,
			       q->query.p != NULL)) {
		response_error(r, 400, "there is no URL in this address");
		return;
	}
	if (!(h = request_history(q, r)))
		return;
	p.url = path.url;
	p.key = history_key(h, &q->arena, p.url);
	if (fill(&p, h, &err) < 0) {
		response_err(r, &err);
		return;
	}
	if (p.n == 0) {
		r->status = 404;
		response_header(r, "X-Winnow-Error", STR("404"));
		response_body(r, types[which].type, STR(""));
		return;
	}
	out = request_buf(q, 256 * MIB);
	types[which].write(&p, out);
	response_body(r, types[which].type, buf_view(out));
}
