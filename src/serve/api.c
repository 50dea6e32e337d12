/* serve/api.c -- /api/v1: collections, captures, calendar, search; JSON for programs.  Rules and covers are in api_rules.c.
 *
 * {"data": ..., "meta": {...}, "links": {"self", "next"}}; lists go on by
 * page[cursor] (the last id), never by counting.  Every answer holds to the
 * access rules: what they hide is not listed, counted by day, found or quoted.
 */

#include "archive/stamp.h"
#include "archive/surt.h"
#include "base/json.h"
#include "base/limits.h"
#include "flow/find.h"
#include "serve/acl.h"
#include "serve/api.h"
#include "serve/cdx_scan.h"
#include "serve/glance.h"
#include "serve/routes.h"
#include "serve/setup.h"
#include "serve/sheet.h"

bool api_begin(struct api *a, struct request *q, struct response *r)
{
	*a = (struct api){ .q = q, .r = r };
	if (q->served) {
		if (!(a->coll = request_collection(q, r)))
			return false;
		a->acl = request_acl(q, q->served);
	}
	a->j.out = request_buf(q, 64 * MIB);
	json_open(&a->j, '{');
	json_key(&a->j, "data");
	return true;
}

static void api_meta(struct api *a)
{
	json_put_open(&a->j, "meta", '{');
	if (a->coll) {
		struct catalog_next next;

		json_put_z(&a->j, "collection", a->q->served->name);
		if (catalog_next(a->coll->catalog, &next, NULL) == WN_OK)
			json_put_u64(&a->j, "revision", next.revision);
	}
	json_put_z(&a->j, "version", WINNOW_VERSION);
	json_close(&a->j, '}');
}

void api_end(struct api *a, uint64_t next)
{
	struct buf *out = a->j.out;
	struct str self = a->q->target;

	api_meta(a);
	json_put_open(&a->j, "links", '{');
	json_put_str(&a->j, "self", self);
	if (next) {
		struct str path = self;
		struct buf *link = request_buf(a->q, MIB);

		buf_str(link, str_cut(&path, '?'));
		buf_printf(link, "?page%%5Bcursor%%5D=%llu", (unsigned long long)next);
		for (struct str rest = a->q->query; rest.p && rest.n;) {
			struct str pair = str_cut(&rest, '&');

			if (pair.n && !str_starts(pair, STR("page[cursor]=")) &&
			    !str_istarts(pair, STR("page%5Bcursor%5D=")))
				buf_printf(link, "&%.*s", STR_FMT(pair));
		}
		json_put_str(&a->j, "next", buf_view(link));
	}
	json_close(&a->j, '}');
	json_close(&a->j, '}');
	buf_byte(out, '\n');
	if (out->full) {
		response_error(a->r, 503, "the answer is too long; ask for a smaller page");
		return;
	}
	response_json(a->r, buf_view(out));
}

void api_envelope(struct request *q, struct response *r, struct json *j)
{
	struct api a = { .q = q, .r = r, .j = *j };

	api_end(&a, 0);
}

void api_fail(struct api *a) { response_err(a->r, &a->err); }

static void put_capture(struct json *j, const struct capture *c)
{
	char stamp[15];

	json_open(j, '{');
	json_put_u64(j, "id", c->id);
	json_put_text(j, "url", c->url);
	json_put_text(j, "urlkey", c->urlkey);
	data_time(j, "time", c->time);
	json_put_text(j, "ts14", stamp_14(c->time, stamp));
	json_put_text(j, "host", c->host);
	json_put_text(j, "kind", str(capture_kind_name(c->kind)));
	json_put_text(j, "mime", c->mime.n ? c->mime : c->declared);
	json_key(j, "status");
	if (c->status == CAPTURE_NO_STATUS)
		json_null(j);
	else
		json_i64(j, c->status);
	json_put_u64(j, "bytes", c->bytes);
	json_put_text(j, "title", c->title);
	json_put_text(j, "lang", c->lang);
	json_put_u64(j, "words", c->words);
	json_put_u64(j, "shingles", c->shingles);
	json_put_text(j, "payload_digest", c->payload_digest);
	json_put_text(j, "file", c->file_name);
	json_put_u64(j, "offset", c->at);
	json_put_u64(j, "length", c->length);
	json_close(j, '}');
}

bool api_visible(const struct api *a, const struct capture *c)
{
	return acl_allows(a->acl, c->urlkey, c->time, a->q->acl_user);
}

/* A filter or an order that was asked for and is not there would make another list look like an answer. */
static bool understood(struct api *a, const char *const filter[2])
{
	for (size_t i = 0; i < a->q->n_params; i++) {
		struct str name = a->q->params[i].name;
		bool known =
		    !str_starts(name, STR("filter[")) && !str_eq(name, STR("sort")) && !str_eq(name, STR("fields"));

		for (int k = 0; k < 2 && filter[k]; k++)
			known |= str_eq(name, arena_printf(&a->q->arena, "filter[%s]", filter[k]));
		if (!known) {
			response_error(a->r, 400, "there is no %.*s here", STR_FMT(name));
			return false;
		}
	}
	return true;
}

bool api_page(struct api *a, const char *const filter[2], uint64_t *cursor, uint64_t *size)
{
	if (!understood(a, filter))
		return false;
	if (request_u64(a->q, "page[cursor]", 0, INT64_MAX, 0, cursor) &&
	    request_u64(a->q, "page[size]", 1, 1000, 100, size))
		return true;
	response_error(a->r, 400, "page[size] is a number from 1 to 1000, page[cursor] one that an answer gave");
	return false;
}

/* ---- collections ---- */

/* Its numbers: as they were counted beside, or now where that is quick. */
static bool stats_of(struct request *q, struct collection *coll, struct catalog_stats *out)
{
	enum { COUNTED_AT_ONCE = 150000 };
	struct catalog_next next;
	struct glance g;

	if (glance_of(q, q->served, coll, &g)) {
		*out = g.stats;
		return true;
	}
	return catalog_next(coll->catalog, &next, NULL) == WN_OK && next.capture <= COUNTED_AT_ONCE &&
	       catalog_stats(coll->catalog, out, NULL) == WN_OK;
}

static void put_collection(struct api *a, const struct served *s, const struct catalog_stats *counted)
{
	json_open(&a->j, '{');
	json_put_text(&a->j, "name", str(s->name));
	if (counted) {
		struct catalog_stats stats = *counted;

		json_put_u64(&a->j, "captures", stats.captures);
		json_put_u64(&a->j, "documents", stats.documents);
		json_put_u64(&a->j, "contents", stats.contents);
		json_put_u64(&a->j, "urls", stats.urls);
		json_put_u64(&a->j, "hosts", stats.hosts);
		json_put_u64(&a->j, "bytes_payload", stats.bytes_payload);
		json_put_u64(&a->j, "words", stats.words);
		json_put_u64(&a->j, "files", stats.files);
		json_put_u64(&a->j, "revision", stats.revision);
		data_time(&a->j, "first", stats.first);
		data_time(&a->j, "last", stats.last);
	}
	json_close(&a->j, '}');
}

void api_collections(struct request *q, struct response *r)
{
	struct api a;

	if (!api_begin(&a, q, r))
		return;
	json_open(&a.j, '[');
	setup_look(q->server);
	for (size_t i = 0; i < q->server->n_served; i++)
		put_collection(&a, &q->server->served[i], NULL);
	json_close(&a.j, ']');
	api_end(&a, 0);
}

void api_collection(struct request *q, struct response *r)
{
	struct catalog_stats stats;
	struct api a;

	if (!api_begin(&a, q, r))
		return;
	if (!stats_of(q, a.coll, &stats)) {
		glance_later(r);
		return;
	}
	put_collection(&a, q->served, &stats);
	api_end(&a, 0);
}

/* ---- captures ---- */

static struct str key_of(struct api *a, struct str url)
{
	struct buf *key = request_buf(a->q, 8 * LIMIT_URL);

	surt_add(surt_profile(catalog_settings(a->coll->catalog)->profile), url, key);
	return buf_view(key);
}

/* A page of captures on its way: `last` was the last that fits, n counts one more. */
struct listing {
	struct api *a;
	uint64_t cursor, size, n, last;
	VEC(uint64_t) ids; /* of a URL, behind the cursor */
};

static void list_one(struct listing *x, const struct capture *c)
{
	if (!api_visible(x->a, c) || ++x->n > x->size)
		return;
	put_capture(&x->a->j, c);
	x->last = c->id;
}

static int note_id(void *context, uint64_t id, int64_t time)
{
	struct listing *x = context;

	(void)time;
	if (id > x->cursor)
		vec_push(&x->ids, id);
	return WN_OK;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The index has them in order of time. */
static int list_of_url(struct listing *x, struct str url)
{
	struct catalog *c = x->a->coll->catalog;
	int rc = catalog_times(c, key_of(x->a, url), INT64_MIN, INT64_MAX, note_id, x, &x->a->err);

	if (x->ids.n)
		qsort(x->ids.p, x->ids.n, sizeof *x->ids.p, by_number);
	for (size_t i = 0; i < x->ids.n && x->n <= x->size && rc == WN_OK; i++) {
		struct arena scratch = { 0 };
		struct capture found;

		if ((rc = catalog_capture(c, &scratch, x->ids.p[i], &found, &x->a->err)) == WN_OK)
			list_one(x, &found);
		arena_release(&scratch);
	}
	vec_release(&x->ids);
	return rc;
}

static int list_by_id(struct listing *x, struct str host, uint64_t until)
{
	struct capture_query of = { .after = x->cursor, .until = until, .host = host };
	struct capture_cursor *list;
	struct capture found;
	int rc = catalog_captures(x->a->coll->catalog, &of, &list, &x->a->err);

	if (rc < 0)
		return rc;
	while (x->n <= x->size && (rc = capture_next(list, &found, &x->a->err)) == WN_OK)
		list_one(x, &found);
	capture_close(list);
	return rc;
}

/* Captures by id; filter[url], filter[host] narrow them. */
void api_captures(struct request *q, struct response *r)
{
	enum { LOOKED_AT = 150000 };
	struct str host = request_param(q, "filter[host]"), url = request_param(q, "filter[url]");
	struct api a;
	struct listing x = { .a = &a };
	struct catalog_next ids;
	uint64_t until = 0;

	if (!api_begin(&a, q, r) || !api_page(&a, (const char *const[2]){ "url", "host" }, &x.cursor, &x.size))
		return;
	if (url.n > LIMIT_URL) {
		response_error(r, 400, "the url is too long");
		return;
	}
	/* a host has no index: a page looks at so many captures, may be short of rows, and says where to go on */
	if (host.n && !url.n && catalog_next(a.coll->catalog, &ids, NULL) == WN_OK &&
	    x.cursor + LOOKED_AT < ids.capture)
		until = x.cursor + LOOKED_AT;
	json_open(&a.j, '[');
	if ((url.n ? list_of_url(&x, url) : list_by_id(&x, host, until)) < 0) {
		api_fail(&a);
		return;
	}
	json_close(&a.j, ']');
	api_end(&a, x.n > x.size ? x.last : until);
}

static bool url_given(struct api *a, struct str *url)
{
	*url = request_param(a->q, "url");
	if (url->n && url->n <= LIMIT_URL)
		return true;
	response_error(a->r, 400, "url= must give the page's URL");
	return false;
}

static int put_day(void *context, int64_t day, uint64_t captures, uint64_t first)
{
	struct api *a = context;
	char text[21];

	json_open(&a->j, '{');
	json_put_text(&a->j, "day", str_sub(stamp_rfc3339(day * 86400, text), 0, 10));
	json_put_u64(&a->j, "captures", captures);
	json_put_u64(&a->j, "first", first);
	json_close(&a->j, '}');
	return WN_OK;
}

void api_calendar(struct request *q, struct response *r)
{
	struct api a;
	struct str url;
	struct cdx_setting setting = { .user = q->acl_user };

	if (!api_begin(&a, q, r) || !url_given(&a, &url))
		return;
	setting.acl = a.acl;
	json_open(&a.j, '[');
	if (cdx_days(a.coll->catalog, key_of(&a, url), INT64_MIN, INT64_MAX, &setting, put_day, &a, &a.err) < 0) {
		api_fail(&a);
		return;
	}
	json_close(&a.j, ']');
	api_end(&a, 0);
}

/* The capture of url nearest to stamp (none: the newest). */
void api_capture(struct request *q, struct response *r)
{
	struct api a;
	struct str url, stamp = request_param(q, "stamp");
	struct cdx_setting setting = { .user = q->acl_user };
	struct cdx_row row;
	struct capture c;
	int64_t at = STAMP_MAX;
	int rc;

	if (!api_begin(&a, q, r) || !url_given(&a, &url))
		return;
	if (stamp.n && !cdx_stamp_bound(stamp, false, &at)) {
		response_error(r, 400, "stamp= is 1 to 14 digits of a time");
		return;
	}
	setting.acl = a.acl;
	rc = cdx_nearest(a.coll->catalog, &q->arena, key_of(&a, url), at, &setting, &row, &a.err);
	if (rc == WN_OK)
		rc = catalog_capture(a.coll->catalog, &q->arena, row.id, &c, &a.err);
	if (rc == WN_NONE) {
		response_error(r, 404, "this URL is not archived here");
		return;
	}
	if (rc < 0) {
		api_fail(&a);
		return;
	}
	put_capture(&a.j, &c);
	api_end(&a, 0);
}

void api_search(struct request *q, struct response *r)
{
	struct api a;
	struct find_request find = { .words = request_param(q, "q"), .snippet = 300, .user = q->acl_user };
	struct str where = request_param(q, "where");
	struct find_result result;
	uint64_t size, cover;

	if (!api_begin(&a, q, r))
		return;
	if (!request_u64(q, "page[size]", 1, 1000, 20, &size) || !request_u64(q, "cover", 0, INT64_MAX, 0, &cover) ||
	    !find.words.n) {
		response_error(r, 400,
			       "q= must hold the words; page[size] is a number from 1 to 1000, cover a cover's number");
		return;
	}
	find.limit = size;
	find.cover = cover;
	find.acl = a.acl;
	find.where = where.n ? arena_strz(&q->arena, where) : NULL;
	if (find_run(a.coll, &q->arena, &find, &result, &a.err) < 0) {
		api_fail(&a);
		return;
	}
	json_open(&a.j, '{');
	json_put_open(&a.j, "matches", '{');
	json_put_u64(&a.j, "value", result.matches);
	json_put_text(&a.j, "relation", STR("eq"));
	json_close(&a.j, '}');
	json_put_open(&a.j, "hits", '[');
	for (size_t i = 0; i < result.n; i++) {
		const struct find_hit *h = &result.hits[i];

		json_open(&a.j, '{');
		json_key(&a.j, "capture");
		put_capture(&a.j, &h->capture);
		json_put_u64(&a.j, "captures", h->captures);
		json_put_double(&a.j, "score", h->score, 4);
		json_put_text(&a.j, "snippet", h->snippet.text);
		json_close(&a.j, '}');
	}
	json_close(&a.j, ']');
	json_close(&a.j, '}');
	api_end(&a, 0);
}
