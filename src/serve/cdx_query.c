/* serve/cdx_query.c -- see cdx_query.h.  One table of parameters, one of columns. */
#include "serve/cdx_query.h"

#include <string.h>

#include "archive/cdx.h"
#include "archive/stamp.h"
#include "base/limits.h"
#include "base/utf8.h"

static const struct {
	const char *pywb, *ia; /* names in output */
} columns[COLUMNS] = {
	[COL_URLKEY] = { "urlkey", "urlkey" },
	[COL_TIMESTAMP] = { "timestamp", "timestamp" },
	[COL_URL] = { "url", "original" },
	[COL_MIME] = { "mime", "mimetype" },
	[COL_STATUS] = { "status", "statuscode" },
	[COL_DIGEST] = { "digest", "digest" },
	[COL_REDIRECT] = { "redirect", "redirect" },
	[COL_ROBOTFLAGS] = { "robotflags", "robotflags" },
	[COL_LENGTH] = { "length", "length" },
	[COL_OFFSET] = { "offset", "offset" },
	[COL_FILENAME] = { "filename", "filename" },
	[COL_METHOD] = { "method", "method" },
	[COL_REQUEST_BODY] = { "requestBody", "requestBody" },
	[COL_RECORD_DIGEST] = { "recordDigest", "recordDigest" },
	[COL_SOURCE] = { "source", "source" },
	[COL_SOURCE_COLL] = { "source-coll", "source-coll" },
	[COL_DUPECOUNT] = { "dupecount", "dupecount" },
	[COL_SKIPCOUNT] = { "skipcount", "skipcount" },
	[COL_ENDTIMESTAMP] = { "endtimestamp", "endtimestamp" },
	[COL_ORIG_LENGTH] = { "orig.length", "orig.length" },
	[COL_ORIG_OFFSET] = { "orig.offset", "orig.offset" },
	[COL_ORIG_FILENAME] = { "orig.filename", "orig.filename" },
	[COL_COVEREDCOUNT] = { "coveredcount", "coveredcount" },
	[COL_COVEREDBY] = { "coveredby", "coveredby" },
};

const char *cdx_column_name(enum cdx_dialect d, enum cdx_column c)
{
	return d == CDX_IA ? columns[c].ia : columns[c].pywb;
}

/* A column by any name that clients use; -1 when it is none. */
static int column_of(struct str name)
{
	const char *canonical = cdx_field(name);

	for (int i = 0; i < COLUMNS; i++)
		if (str_eq(name, str(columns[i].pywb)) || str_eq(name, str(columns[i].ia)) ||
		    (canonical && strcmp(canonical, columns[i].pywb) == 0))
			return i;
	return -1;
}

const char *cdx_output_type(enum cdx_output o)
{
	switch (o) {
	case CDX_OUT_CDXJ: return "text/x-cdxj";
	case CDX_OUT_NDJSON: return "application/json";
	case CDX_OUT_LINK: return "application/link-format";
	case CDX_OUT_ARRAY: return "application/json";
	default: return "text/plain";
	}
}

/* ---- values ---- */

bool cdx_stamp_bound(struct str s, bool last, int64_t *out)
{
	char d[14];
	unsigned v[6];
	static const unsigned char at[] = { 4, 6, 8, 10, 12, 14 };

	if (s.n < 1 || s.n > 14)
		return false;
	memset(d, last ? '9' : '0', sizeof d);
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_digit(s.p[i]))
			return false;
		d[i] = s.p[i];
	}
	for (size_t i = 0, from = 0; i < COUNT(at); from = at[i++])
		for (v[i] = 0; from < at[i]; from++)
			v[i] = v[i] * 10 + (unsigned)(d[from] - '0');
	v[1] = v[1] < 1 ? 1 : v[1] > 12 ? 12 : v[1];
	v[2] = v[2] < 1 ? 1 : v[2] > stamp_month_days(v[0], v[1]) ? stamp_month_days(v[0], v[1]) : v[2];
	*out = stamp_from_civil(v[0], v[1], v[2], v[3] > 23 ? 23 : v[3], v[4] > 59 ? 59 : v[4], v[5] > 59 ? 59 : v[5]);
	return true;
}

static bool decode(struct arena *a, struct str raw, struct str *out)
{
	char *p = arena_alloc(a, raw.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < raw.n; i++) {
		int high, low;

		if (raw.p[i] == '%' && i + 2 < raw.n && (high = hex_digit(raw.p[i + 1])) >= 0 &&
		    (low = hex_digit(raw.p[i + 2])) >= 0) {
			p[n++] = (char)(high * 16 + low);
			i += 2;
		} else {
			p[n++] = raw.p[i] == '+' ? ' ' : raw.p[i];
		}
	}
	p[n] = 0;
	*out = str_n(p, n);
	return memchr(p, 0, n) == NULL;
}

static bool yes(struct str v) { return !str_ieq(v, STR("false")) && !str_eq(v, STR("0")) && v.n > 0; }

/* ---- what is being read ---- */

struct reading {
	struct arena *a;
	struct cdx_query *q;
	const struct surt_profile *profile;
	struct err *err;
	struct str url, urlkey, match, method, body;
	bool sorted_closest;
	bool has_closest;
};

static int bad(struct reading *r, const char *name, struct str v, const char *want)
{
	return err_set(r->err, WN_USAGE, "%s=%.*s: %s", name, (int)(v.n < 100 ? v.n : 100), v.p, want);
}

static int take_number(struct reading *r, const char *name, struct str v, uint64_t most, uint64_t *out)
{
	return str_u64(v, out) && *out <= most ? WN_OK : bad(r, name, v, "a whole number is wanted");
}

static int take_limit(struct reading *r, struct str v)
{
	r->q->limited = true;
	return str_i64(v, &r->q->limit) && r->q->limit > -INT64_C(1000000000) && r->q->limit < INT64_MAX / 2
		   ? WN_OK
		   : bad(r, "limit", v, "a whole number is wanted; a negative one asks for the last rows");
}

static int take_fields(struct reading *r, struct str v)
{
	struct cdx_query *q = r->q;

	q->n_fields = 0;
	q->fields_given = true;
	while (v.p && v.n) {
		struct str name = str_trim(str_cut(&v, ','));
		int c = column_of(name);

		if (name.n == 0)
			continue;
		if (c < 0)
			return bad(r, q->dialect == CDX_IA ? "fl" : "fields", name, "there is no such field");
		if (q->n_fields == CDX_FIELDS)
			return bad(r, "fl", name, "too many fields");
		q->fields[q->n_fields++] = (enum cdx_column)c;
	}
	q->fields_given = q->n_fields > 0;
	return WN_OK;
}

/* pywb: [!] then = exact, ~ regex from the start, nothing: contains.
 * IA: ~ contains, then !, nothing: a regex that must match the whole value. */
static int take_filter(struct reading *r, struct str v)
{
	struct cdx_query *q = r->q;
	struct cdx_filter *f = &q->filters[q->n_filters];
	struct str whole = v, name;
	struct regex *regex;
	struct err why = { 0 };
	bool ia = q->dialect == CDX_IA;
	ptrdiff_t colon;
	int c;

	if (q->n_filters == CDX_FILTERS)
		return bad(r, "filter", v, "too many filters");
	*f = (struct cdx_filter){ .kind = ia ? FILTER_REGEX : FILTER_CONTAINS };
	if (ia && v.n && v.p[0] == '~') {
		f->kind = FILTER_CONTAINS;
		v = str_sub(v, 1, v.n);
	}
	if (v.n && v.p[0] == '!') {
		f->negated = true;
		v = str_sub(v, 1, v.n);
	}
	if (!ia && v.n && (v.p[0] == '=' || v.p[0] == '~')) {
		f->kind = v.p[0] == '=' ? FILTER_EQUALS : FILTER_REGEX;
		v = str_sub(v, 1, v.n);
	}
	colon = str_chr(v, ':');
	if (colon < 0 && ia)
		return bad(r, "filter", whole, "field:regex is wanted");
	name = colon < 0 ? STR_NONE : str_sub(v, 0, (size_t)colon);
	f->text = colon < 0 ? v : str_sub(v, (size_t)colon + 1, v.n);
	c = name.n ? column_of(name) : COL_LINE;
	if (c < 0 && !ia)
		c = COL_RECORD_DIGEST; /* a field that no row has is empty, as in pywb */
	if (c < 0)
		return bad(r, "filter", whole, "there is no such field");
	if (c >= COL_DUPECOUNT && c != COL_LINE)
		return bad(r, "filter", whole, "this field is made after filtering");
	f->column = (enum cdx_column)c;
	if (f->kind == FILTER_REGEX) {
		if (f->text.n > LIMIT_REGEX)
			return bad(r, "filter", str_sub(whole, 0, 40), "the expression is too long");
		if (regex_parse(r->a, f->text, ia ? REGEX_FULL : REGEX_START, &regex, NULL, &why) < 0)
			return bad(r, "filter", whole, why.text);
		f->regex = regex;
	}
	q->n_filters++;
	return WN_OK;
}

static int take_collapse(struct reading *r, const char *param, struct str v)
{
	struct cdx_query *q = r->q;
	struct str rest = v, name = str_cut(&rest, ':');
	uint64_t length = 0;
	int c = column_of(name);

	if (v.n == 0)
		return WN_OK;
	if (q->n_collapses == CDX_COLLAPSES)
		return bad(r, param, v, "too many of them");
	if (c < 0 || c >= COL_DUPECOUNT)
		return bad(r, param, v, "there is no such field");
	if (rest.p && (!str_u64(rest, &length) || length == 0 || length > LIMIT_URL))
		return bad(r, param, v, "field:N is wanted, N from 1");
	q->collapses[q->n_collapses++] = (struct cdx_collapse){ (enum cdx_column)c, (uint32_t)length };
	return WN_OK;
}

static int take_output(struct reading *r, struct str v)
{
	static const struct {
		const char *name;
		int output[2]; /* by dialect; -1: not there */
	} outputs[] = {
		{ "cdxj", { CDX_OUT_CDXJ, CDX_OUT_CDXJ } },	    { "json", { CDX_OUT_NDJSON, CDX_OUT_ARRAY } },
		{ "jsondict", { CDX_OUT_NDJSON, CDX_OUT_NDJSON } }, { "link", { CDX_OUT_LINK, -1 } },
		{ "text", { CDX_OUT_TEXT, CDX_OUT_TEXT } },	    { "cdx", { CDX_OUT_TEXT, CDX_OUT_TEXT } },
	};

	for (size_t i = 0; i < COUNT(outputs); i++)
		if (str_eq(v, str(outputs[i].name)) && outputs[i].output[r->q->dialect] >= 0) {
			r->q->output = (enum cdx_output)outputs[i].output[r->q->dialect];
			return WN_OK;
		}
	return err_set(r->err, WN_USAGE, "output=%.*s not supported", (int)(v.n < 100 ? v.n : 100), v.p);
}

/* "urlkey stamp!" is behind all of that second, "urlkey stamp id!" behind that row. */
static int take_resume(struct reading *r, struct str v)
{
	struct str rest = v, key = str_cut(&rest, ' '), stamp;
	int64_t id = INT64_MAX;

	if (v.n == 0)
		return WN_OK;
	if (!rest.n || rest.p[rest.n - 1] != '!')
		return bad(r, "resumeKey", v, "this is no key of ours");
	rest.n--;
	stamp = str_cut(&rest, ' ');
	if (key.n == 0 || stamp.n != 14 || !cdx_stamp_bound(stamp, false, &r->q->resume.time) ||
	    (rest.n && (!str_i64(rest, &id) || id <= 0)))
		return bad(r, "resumeKey", v, "this is no key of ours");
	r->q->resume.key = key;
	r->q->resume.id = id;
	r->q->resumed = true;
	return WN_OK;
}

static int take_sort(struct reading *r, struct str v)
{
	if (str_eq(v, STR("reverse")))
		r->q->sort = CDX_SORT_REVERSE;
	else if (str_eq(v, STR("closest")))
		r->sorted_closest = true;
	else if (v.n && !str_eq(v, STR("default")) && !str_eq(v, STR("urlkey")))
		return bad(r, "sort", v, "reverse or closest is wanted");
	return WN_OK;
}

static int take_time(struct reading *r, const char *name, struct str v, bool last, int64_t *out)
{
	if (v.n == 0)
		return WN_OK;
	return cdx_stamp_bound(v, last, out) ? WN_OK : bad(r, name, v, "1 to 14 digits of a time are wanted");
}

/* clang-format off */
enum taker { P_URL, P_URLKEY, P_MATCH, P_FROM, P_TO, P_LIMIT, P_SORT, P_CLOSEST, P_OUTPUT, P_FIELDS, P_FILTER, P_COLLAPSE, P_COLLAPSE_LAST, P_COLLAPSE_TIME, P_PAGE,
	     P_PAGE_SIZE, P_NUM_PAGES, P_PAGED_INDEX, P_SHOW_RESUME, P_RESUME, P_OFFSET, P_DUPES, P_SKIPS, P_LAST_SKIP, P_FAST, P_RESOLVE, P_GZIP, P_COVER,
	     P_COVERED, P_METHOD, P_REQUEST_BODY, P_OMIT_SELF };
/* clang-format on */

/* clang-format off */
static const struct {
	struct str name;
	enum taker what;
} params[] = {
	{ STR("url"), P_URL }, { STR("urlkey"), P_URLKEY }, { STR("matchType"), P_MATCH }, { STR("from"), P_FROM }, { STR("to"), P_TO }, { STR("limit"), P_LIMIT }, { STR("sort"), P_SORT },
	{ STR("closest"), P_CLOSEST }, { STR("output"), P_OUTPUT }, { STR("fields"), P_FIELDS }, { STR("fl"), P_FIELDS }, { STR("filter"), P_FILTER }, { STR("collapse"), P_COLLAPSE },
	{ STR("collapseToFirst"), P_COLLAPSE }, { STR("collapseToLast"), P_COLLAPSE_LAST }, { STR("collapseTime"), P_COLLAPSE_TIME }, { STR("page"), P_PAGE },
	{ STR("pageSize"), P_PAGE_SIZE }, { STR("showNumPages"), P_NUM_PAGES }, { STR("showPagedIndex"), P_PAGED_INDEX }, { STR("showResumeKey"), P_SHOW_RESUME },
	{ STR("resumeKey"), P_RESUME }, { STR("resumptionKey"), P_RESUME }, { STR("offset"), P_OFFSET }, { STR("showDupeCount"), P_DUPES }, { STR("showSkipCount"), P_SKIPS },
	{ STR("lastSkipTimestamp"), P_LAST_SKIP }, { STR("fastLatest"), P_FAST }, { STR("resolveRevisits"), P_RESOLVE }, { STR("gzip"), P_GZIP }, { STR("cover"), P_COVER },
	{ STR("showCovered"), P_COVERED }, { STR("method"), P_METHOD }, { STR("requestBody"), P_REQUEST_BODY }, { STR("omitSelfRedirects"), P_OMIT_SELF },
};
/* clang-format on */

static int take(struct reading *r, enum taker what, const char *name, struct str v)
{
	struct cdx_query *q = r->q;
	uint64_t n;
	int rc;

	switch (what) {
	case P_URL: r->url = v; return WN_OK;
	case P_URLKEY: r->urlkey = v; return WN_OK;
	case P_MATCH: r->match = v; return WN_OK;
	case P_FROM: q->timed |= v.n > 0; return take_time(r, name, v, false, &q->time_from);
	case P_TO: q->timed |= v.n > 0; return take_time(r, name, v, true, &q->time_to);
	case P_LIMIT: return take_limit(r, v);
	case P_SORT: return take_sort(r, v);
	case P_CLOSEST: r->has_closest |= v.n > 0; return take_time(r, name, v, false, &q->closest);
	case P_OUTPUT: return v.n ? take_output(r, v) : WN_OK;
	case P_FIELDS: return take_fields(r, v);
	case P_FILTER: return v.n ? take_filter(r, v) : WN_OK;
	case P_COLLAPSE: return take_collapse(r, name, v);
	case P_COLLAPSE_LAST: q->collapse_to_last = true; return take_collapse(r, name, v);
	case P_COLLAPSE_TIME:
		if ((rc = take_number(r, name, v, 14, &n)) < 0)
			return rc;
		return n ? take_collapse(r, name, arena_printf(r->a, "timestamp:%u", (unsigned)n)) : WN_OK;
	case P_PAGE: q->paged = true; return take_number(r, name, v, UINT32_MAX, &q->page);
	case P_PAGE_SIZE:
		if ((rc = take_number(r, name, v, 1000000, &q->page_size)) < 0 || q->page_size)
			return rc;
		return bad(r, name, v, "a number from 1 is wanted");
	case P_NUM_PAGES: q->show_pages = yes(v); return WN_OK;
	case P_PAGED_INDEX: q->show_index = yes(v); return WN_OK;
	case P_SHOW_RESUME: q->show_resume = yes(v); return WN_OK;
	case P_RESUME: return take_resume(r, v);
	case P_OFFSET: return take_number(r, name, v, UINT64_MAX / 2, &q->offset);
	case P_DUPES: q->dupe_count = yes(v); return WN_OK;
	case P_SKIPS: q->skip_count = yes(v); return WN_OK;
	case P_LAST_SKIP: q->last_skip = yes(v); return WN_OK;
	case P_FAST: q->fast_latest = yes(v); return WN_OK;
	case P_RESOLVE: q->resolve_revisits = yes(v); return WN_OK;
	case P_GZIP: q->no_gzip = !yes(v); return WN_OK;
	case P_COVER:
		if ((rc = take_number(r, name, v, INT64_MAX, &q->cover)) < 0 || q->cover)
			return rc;
		return bad(r, name, v, "a cover's number is wanted");
	case P_COVERED: q->covered_too = yes(v); return WN_OK;
	case P_METHOD: r->method = v; return WN_OK;
	case P_REQUEST_BODY: r->body = v; return WN_OK;
	case P_OMIT_SELF: q->omit_self = yes(v) ? r->profile : NULL; return WN_OK;
	}
	return WN_OK;
}

/* ---- which keys ---- */

/* UTF-8, and a bracket of an IPv6 address that ends. */
static bool sound(struct str url)
{
	const char *p = url.p, *end = str_end(url);
	ptrdiff_t host = str_find(url, STR("://["));

	if (host >= 0 && str_chr(str_sub(url, (size_t)host, url.n), ']') < 0)
		return false;
	while (p < end) {
		uint32_t c;
		size_t n = utf8_decode(p, end, &c);

		if (c == 0xfffd && !(n == 3 && memcmp(p, "\xef\xbf\xbd", 3) == 0))
			return false;
		p += n;
	}
	return true;
}

/* As OutbackCDX is asked for the answer to a POST: what was sent is in its key. */
static struct str with_method(struct reading *r, struct str url)
{
	if (!r->method.n || str_ieq(r->method, STR("GET")))
		return url;
	return arena_printf(r->a, "%.*s%c__wb_method=%.*s%s%.*s", STR_FMT(url), str_chr(url, '?') < 0 ? '?' : '&',
			    STR_FMT(r->method), r->body.n ? "&" : "", STR_FMT(r->body));
}

static int find_keys(struct reading *r)
{
	static const struct {
		const char *name;
		int match;
	} matches[] = { { "exact", SURT_EXACT },
			{ "prefix", SURT_PREFIX },
			{ "host", SURT_HOST },
			{ "domain", SURT_DOMAIN },
			{ "range", -1 } };
	struct cdx_query *q = r->q;
	struct buf from = BUF(8 * LIMIT_URL), to = BUF(8 * LIMIT_URL);
	struct str url = r->url;
	int match = SURT_EXACT;
	bool known = r->match.n == 0;

	if (url.n == 0 && r->urlkey.n == 0)
		return err_set(r->err, WN_USAGE, "the url parameter is required");
	if (url.n > LIMIT_URL || r->urlkey.n > LIMIT_URL)
		return err_set(r->err, WN_USAGE, "the url is longer than %zu bytes", LIMIT_URL);
	if (!sound(url) || !sound(r->urlkey))
		return err_set(r->err, WN_USAGE, "url: this is no URL");
	for (size_t i = 0; i < COUNT(matches); i++)
		if (str_eq(r->match, str(matches[i].name))) {
			match = matches[i].match;
			known = true;
		}
	if (!known)
		return bad(r, "matchType", r->match, "exact, prefix, host, domain or range is wanted");
	if (r->match.n == 0 && str_starts(url, STR("*."))) {
		match = SURT_DOMAIN;
		url = str_sub(url, 2, url.n);
	} else if (r->match.n == 0 && url.n > 1 && url.p[url.n - 1] == '*') {
		match = SURT_PREFIX;
		url.n--;
	} else if (match == SURT_PREFIX && url.n > 1 && url.p[url.n - 1] == '*') {
		url.n--;
	}
	if (url.n == 0 && r->urlkey.n == 0)
		return bad(r, "url", r->url, "this is no URL");
	q->url = url;
	if (r->urlkey.n) {
		buf_str(&from, r->urlkey);
		buf_str(&to, r->urlkey);
		if (match == SURT_PREFIX)
			to.p[to.n - 1]++;
		else
			buf_byte(&to, '!');
		if (match != SURT_PREFIX && match != -1)
			match = SURT_EXACT;
	} else {
		surt_range(r->profile, match == SURT_EXACT ? with_method(r, url) : url,
			   match < 0 ? SURT_EXACT : (enum surt_match)match, &from, &to);
	}
	q->exact = match == SURT_EXACT;
	q->key = arena_str(r->a, buf_view(&from));
	q->end = match < 0 ? STR_NONE : arena_str(r->a, buf_view(&to));
	buf_release(&from);
	buf_release(&to);
	return WN_OK;
}

static void add_field(struct cdx_query *q, enum cdx_column c)
{
	for (unsigned i = 0; i < q->n_fields; i++)
		if (q->fields[i] == c)
			return;
	if (q->n_fields < CDX_FIELDS)
		q->fields[q->n_fields++] = c;
}

/* Fields by default, and those that other parameters ask for. */
static void settle_fields(struct cdx_query *q)
{
	static const enum cdx_column ia[] = { COL_URLKEY, COL_TIMESTAMP, COL_URL,   COL_MIME,
					      COL_STATUS, COL_DIGEST,	 COL_LENGTH };
	static const enum cdx_column pywb[] = { COL_URLKEY,   COL_TIMESTAMP,	COL_URL,    COL_MIME,
						COL_STATUS,   COL_DIGEST,	COL_LENGTH, COL_OFFSET,
						COL_FILENAME, COL_REQUEST_BODY, COL_METHOD };

	if (!q->fields_given) {
		for (size_t i = 0; i < COUNT(ia) && q->dialect == CDX_IA; i++)
			q->fields[q->n_fields++] = ia[i];
		for (size_t i = 0; i < COUNT(pywb) && q->dialect == CDX_PYWB; i++)
			q->fields[q->n_fields++] = pywb[i];
	}
	if (q->resolve_revisits && (!q->fields_given || q->dialect == CDX_IA)) {
		add_field(q, COL_ORIG_LENGTH);
		add_field(q, COL_ORIG_OFFSET);
		add_field(q, COL_ORIG_FILENAME);
	}
	if (q->dupe_count)
		add_field(q, COL_DUPECOUNT);
	if (q->skip_count)
		add_field(q, COL_SKIPCOUNT);
	if (q->last_skip)
		add_field(q, COL_ENDTIMESTAMP);
	if (q->cover && !q->fields_given) {
		add_field(q, COL_COVEREDCOUNT);
		add_field(q, COL_COVEREDBY);
	}
	for (unsigned i = 0; i < q->n_fields; i++) {
		q->resolve_revisits |= q->fields[i] >= COL_ORIG_LENGTH && q->fields[i] <= COL_ORIG_FILENAME;
		q->dupe_count |= q->fields[i] == COL_DUPECOUNT;
		q->skip_count |= q->fields[i] == COL_SKIPCOUNT;
		q->last_skip |= q->fields[i] == COL_ENDTIMESTAMP;
	}
}

static int settle(struct reading *r)
{
	struct cdx_query *q = r->q;
	int rc;

	if ((rc = find_keys(r)) < 0)
		return rc;
	if (r->sorted_closest && !r->has_closest)
		return err_set(r->err, WN_USAGE, "sort=closest needs closest=, a time");
	if (r->has_closest && q->sort != CDX_SORT_REVERSE && (r->sorted_closest || q->dialect == CDX_PYWB)) {
		if (!q->exact)
			return err_set(r->err, WN_USAGE, "sort=closest needs one URL, not a range of them");
		q->sort = CDX_SORT_CLOSEST;
	}
	if (q->limited && q->limit < 0 && q->sort == CDX_SORT_CLOSEST)
		return err_set(r->err, WN_USAGE, "limit: the last rows have no meaning with sort=closest");
	if (q->sort == CDX_SORT_CLOSEST && (q->resumed || q->paged))
		return err_set(r->err, WN_USAGE, "sort=closest cannot be paged or resumed; use offset and limit");
	if ((q->show_pages || q->show_index) && q->resumed)
		return err_set(r->err, WN_USAGE, "pages and resumeKey exclude each other");
	settle_fields(q);
	return WN_OK;
}

int cdx_query_parse(struct arena *a, enum cdx_dialect dialect, const struct surt_profile *profile, struct str query,
		    struct cdx_query *out, struct err *err)
{
	struct reading r = { .a = a, .q = out, .profile = profile, .err = err };
	int rc;

	*out = (struct cdx_query){ .dialect = dialect,
				   .output = dialect == CDX_IA ? CDX_OUT_TEXT : CDX_OUT_CDXJ,
				   .page_size = 10,
				   .time_from = INT64_MIN,
				   .time_to = INT64_MAX };
	while (query.p && query.n) {
		struct str pair = str_cut(&query, '&'), value = pair, key = str_cut(&value, '='), k, v;

		if (!decode(a, key, &k) || !decode(a, value, &v))
			return err_set(err, WN_USAGE, "a parameter holds a NUL byte");
		for (size_t i = 0; i < COUNT(params); i++)
			if (str_eq(k, params[i].name) && (rc = take(&r, params[i].what, params[i].name.p, v)) < 0)
				return rc;
	}
	return settle(&r);
}
