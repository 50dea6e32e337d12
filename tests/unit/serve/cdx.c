/* tests/unit/serve/cdx.c -- CDX queries in both dialects: readable cases, and a slow twin on random ones. */
#include <stdlib.h>

#include "archive/stamp.h"
#include "base/limits.h"
#include "base/os.h"
#include "base/vec.h"
#include "flow/import.h"
#include "serve/cdx_scan.h"
#include "test.h"

static struct collection *import(struct test *t, const char *path)
{
	static const struct catalog_settings fresh = { .k = 5, .profile = "ia-surt" };
	struct collection *coll = arena_zalloc(t->arena, sizeof *coll);
	struct import_report report;
	struct err err = { 0 };
	uint64_t a, b;

	if (!CHECK(collection_open(coll, arena_printf(t->arena, "%s/coll", test_dir(t)).p, CATALOG_CREATE, &fresh,
				   &err) == WN_OK,
		   "%s", err.text))
		return NULL;
	CHECK(import_cdx(coll, &path, 1, 64 * MIB, &report, &err) == WN_OK, "%s", err.text);
	CHECK(catalog_resolve(coll->catalog, &a, &b, &err) == WN_OK, "%s", err.text);
	return coll;
}

/* The whole answer, filled in pieces of `piece` bytes; "400 message" for what is refused. */
static struct str answer(struct test *t, struct collection *coll, enum cdx_dialect dialect, struct str query,
			 size_t piece, const struct acl *acl)
{
	struct cdx_setting setting = { .acl = acl, .memento = STR("http://host/c/"), .source = STR("c") };
	struct buf out = BUF(64 * MIB);
	struct cdx_query *q = arena_zalloc(t->arena, sizeof *q);
	struct err err = { 0 };
	struct cdx_scan *s;
	struct str all;
	bool done = false;

	if (cdx_query_parse(t->arena, dialect, NULL, query, q, &err) < 0)
		return arena_printf(t->arena, "400 %s\n", err.text);
	s = cdx_scan_new(q, &setting);
	while (!done && CHECK(cdx_scan_fill(s, coll->catalog, &out, out.n + piece, &done, &err) == WN_OK, "%.*s: %s",
			      STR_FMT(query), err.text))
		;
	cdx_scan_free(s);
	all = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	return all;
}

/* A case is "pywb QUERY" or "ia QUERY", the lines of the answer, each behind "| ". */
TEST(cdx, answers_as_the_cases_say)
{
	struct collection *coll = import(t, TEST_DATA "/serve/index.cdxj");
	struct str text;
	struct err err = { 0 };

	REQUIRE(coll && os_slurp(t->arena, TEST_DATA "/serve/cdx.cases", MIB, &text, &err) == WN_OK, "%s", err.text);
	while (text.n) {
		struct str line = str_cut(&text, '\n'), query = line, name;
		struct buf want = BUF(MIB);

		if (line.n == 0 || line.p[0] == '#')
			continue;
		name = str_cut(&query, ' ');
		while (str_starts(text, STR("|"))) {
			struct str l = str_cut(&text, '\n');

			buf_str(&want, str_sub(l, 2, l.n));
			buf_byte(&want, '\n');
		}
		for (int small = 0; small < 2; small++)
			CHECK_STR(
			    answer(t, coll, str_eq(name, STR("ia")) ? CDX_IA : CDX_PYWB, query, small ? 1 : MIB, NULL),
			    buf_view(&want), "%.*s", STR_FMT(line));
		buf_release(&want);
	}
	collection_close(coll);
}

/* ---- the twin: every row, looked at one by one ---- */

struct twin_row {
	struct str urlkey, url, stamp, status, mime, digest;
	int64_t time;
	uint64_t id;
};

struct twin_query {
	int match; /* enum surt_match */
	struct str url, filter_field, filter_value, collapse;
	bool negated;
	int64_t from, to, closest;
	int sort, limit; /* limit 0: none */
	unsigned offset, collapse_n;
};

static struct twin_query *asked;

static int by_place(const void *va, const void *vb)
{
	const struct twin_row *a = va, *b = vb;
	int by = str_cmp(a->urlkey, b->urlkey);

	if (by == 0)
		by = a->time < b->time ? -1 : a->time > b->time;
	if (by == 0)
		by = a->id < b->id ? -1 : a->id > b->id;
	return asked->sort == CDX_SORT_REVERSE ? -by : by;
}

static int by_distance(const void *va, const void *vb)
{
	const struct twin_row *a = va, *b = vb;
	int64_t da = llabs(a->time - asked->closest), db = llabs(b->time - asked->closest);

	if (da != db)
		return da < db ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->id < b->id ? -1 : a->id > b->id) * (a->time < asked->closest ? -1 : 1);
}

static struct str field_of(const struct twin_row *r, struct str name)
{
	return str_eq(name, STR("status"))	? r->status
	       : str_eq(name, STR("mime"))	? r->mime
	       : str_eq(name, STR("digest"))	? r->digest
	       : str_eq(name, STR("timestamp")) ? r->stamp
						: r->urlkey;
}

static struct str twin_answer(struct test *t, const struct twin_row *rows, size_t n, struct twin_query *q)
{
	struct twin_row *kept = arena_alloc(t->arena, (n + 1) * sizeof *kept);
	struct buf low = BUF(MIB), high = BUF(MIB), out = BUF(16 * MIB);
	struct str all, before = STR_NONE;
	size_t m = 0, k = 0;

	surt_range(NULL, q->url, (enum surt_match)q->match, &low, &high);
	for (size_t i = 0; i < n; i++) {
		const struct twin_row *r = &rows[i];

		if (str_cmp(r->urlkey, buf_view(&low)) < 0 || str_cmp(r->urlkey, buf_view(&high)) >= 0 ||
		    r->time < q->from || r->time > q->to)
			continue;
		if (q->filter_field.n && (str_find(field_of(r, q->filter_field), q->filter_value) >= 0) == q->negated)
			continue;
		kept[m++] = *r;
	}
	asked = q;
	qsort(kept, m, sizeof *kept, q->sort == CDX_SORT_CLOSEST ? by_distance : by_place);
	for (size_t i = 0; i < m; i++) {
		struct str v = field_of(&kept[i], q->collapse);

		if (q->collapse_n)
			v = str_sub(v, 0, q->collapse_n);
		if (q->collapse.n && before.p && str_eq(v, before))
			continue;
		before = v.p ? v : STR("");
		kept[k++] = kept[i];
	}
	for (size_t i = q->limit < 0 ? (k > (size_t)-q->limit ? k + (size_t)(ptrdiff_t)q->limit : 0) : q->offset; i < k;
	     i++) {
		if (q->limit > 0 && i >= q->offset + (size_t)q->limit)
			break;
		buf_printf(&out, "%.*s %.*s %.*s\n", STR_FMT(kept[i].urlkey), STR_FMT(kept[i].stamp),
			   STR_FMT(kept[i].url));
	}
	all = arena_str(t->arena, buf_view(&out));
	buf_release(&low);
	buf_release(&high);
	buf_release(&out);
	return all;
}

static const char *const urls[] = { "http://a.com/",	"http://a.com/x", "http://a.com/x/y", "http://b.a.com/",
				    "http://b.a.com/x", "http://ab.com/", "http://a.org/" };

static size_t make_rows(struct test *t, struct twin_row *rows, size_t n, const char *path)
{
	static const char *const mimes[] = { "text/html", "image/png", "warc/revisit" };
	struct buf text = BUF(16 * MIB), key = BUF(MIB);
	struct os_atomic f = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct twin_row *r = &rows[i];
		char stamp[15];

		r->url = str(urls[test_below(t, COUNT(urls))]);
		buf_reset(&key);
		surt_add(NULL, r->url, &key);
		r->urlkey = arena_str(t->arena, buf_view(&key));
		r->time = stamp_from_civil(2000 + (int64_t)test_below(t, 4), 1 + (unsigned)test_below(t, 12),
					   1 + (unsigned)test_below(t, 3), 0, 0, 0);
		r->stamp = arena_str(t->arena, stamp_14(r->time, stamp));
		r->status = test_below(t, 3) ? STR("200") : STR("404");
		r->mime = str(mimes[test_below(t, 3)]);
		r->digest = arena_printf(t->arena, "sha1:%c%c", (char)('A' + test_below(t, 3)), 'Z');
		r->id = i + 1;
		buf_printf(
		    &text,
		    "%.*s %.*s {\"url\": \"%.*s\", \"mime\": \"%.*s\", \"status\": \"%.*s\", \"digest\": \"%.*s\", \"length\": \"9\", \"offset\": \"%zu\", \"filename\": \"f\"}\n",
		    STR_FMT(r->urlkey), STR_FMT(r->stamp), STR_FMT(r->url), STR_FMT(r->mime), STR_FMT(r->status),
		    STR_FMT(r->digest), i);
	}
	CHECK(os_atomic_open(&f, path, &err) == WN_OK && os_write(f.fd, text.p, text.n, path, &err) == WN_OK &&
		  os_atomic_commit(&f, &err) == WN_OK,
	      "%s", err.text);
	buf_release(&text);
	buf_release(&key);
	return n;
}

static struct twin_query draw_query(struct test *t)
{
	static const char *const fields[] = { "status", "mime", "digest" };
	static const char *const values[] = { "200", "html", "A" };
	struct twin_query q = { .match = (int)test_below(t, 4),
				.url = str(urls[test_below(t, COUNT(urls))]),
				.from = INT64_MIN,
				.to = INT64_MAX };
	size_t f = test_below(t, 3);

	q.sort = q.match == SURT_EXACT ? (int)test_below(t, 3) : (int)test_below(t, 2);
	if (test_below(t, 2)) {
		q.filter_field = str(fields[f]);
		q.filter_value = str(values[f]);
		q.negated = test_below(t, 2) != 0;
	}
	if (!test_below(t, 3))
		cdx_stamp_bound(STR("2001"), false, &q.from);
	if (!test_below(t, 3))
		cdx_stamp_bound(STR("200206"), true, &q.to);
	if (!test_below(t, 3)) {
		q.collapse = test_below(t, 2) ? STR("timestamp") : STR("digest");
		q.collapse_n = str_eq(q.collapse, STR("timestamp")) ? 6 : 0;
	}
	q.closest = stamp_from_civil(2001, 6, 2, 0, 0, 0);
	if (test_below(t, 2))
		q.limit = 1 + (int)test_below(t, 20);
	if (q.sort != CDX_SORT_CLOSEST && !test_below(t, 4))
		q.limit = -(1 + (int)test_below(t, 20));
	if (q.limit >= 0 && !test_below(t, 3))
		q.offset = (unsigned)test_below(t, 10);
	return q;
}

static struct str spell(struct test *t, const struct twin_query *q)
{
	static const char *const matches[] = { "exact", "prefix", "host", "domain" };
	struct buf b = BUF(64 * KIB);
	struct str s;

	buf_printf(&b, "url=%.*s&matchType=%s&fl=urlkey,timestamp,original&output=text", STR_FMT(q->url),
		   matches[q->match]);
	if (q->filter_field.n)
		buf_printf(&b, "&filter=%s%.*s:%.*s", q->negated ? "!" : "", STR_FMT(q->filter_field),
			   STR_FMT(q->filter_value));
	if (q->from != INT64_MIN)
		buf_str(&b, STR("&from=2001"));
	if (q->to != INT64_MAX)
		buf_str(&b, STR("&to=200206"));
	if (q->collapse.n)
		buf_printf(&b, q->collapse_n ? "&collapse=%.*s:6" : "&collapse=%.*s", STR_FMT(q->collapse));
	if (q->sort == CDX_SORT_REVERSE)
		buf_str(&b, STR("&sort=reverse"));
	if (q->sort == CDX_SORT_CLOSEST)
		buf_str(&b, STR("&sort=closest&closest=20010602"));
	if (q->limit)
		buf_printf(&b, "&limit=%d", q->limit);
	if (q->offset)
		buf_printf(&b, "&offset=%u", q->offset);
	s = arena_str(t->arena, buf_view(&b));
	buf_release(&b);
	return s;
}

TEST(cdx, agrees_with_looking_at_every_row)
{
	size_t n = 400;
	struct twin_row *rows = arena_zalloc(t->arena, n * sizeof *rows);
	const char *path = arena_printf(t->arena, "%s/in.cdxj", test_dir(t)).p;
	struct collection *coll;

	make_rows(t, rows, n, path);
	coll = import(t, path);
	REQUIRE(coll != NULL);
	for (int round = 0; round < 400; round++) {
		struct twin_query q = draw_query(t);
		struct str query = spell(t, &q), want = twin_answer(t, rows, n, &q);

		if (!CHECK_STR(answer(t, coll, CDX_PYWB, query, 1 + test_below(t, 2000), NULL), want, "%.*s",
			       STR_FMT(query)))
			break;
	}
	collection_close(coll);
}

static struct cdx_place draw_place(struct test *t, const struct twin_row *rows, size_t n)
{
	const struct twin_row *r = &rows[test_below(t, n)];
	int64_t times[] = { INT64_MIN, r->time, r->time + 1, INT64_MAX };
	int64_t ids[] = { INT64_MIN, (int64_t)r->id, (int64_t)r->id + 1, INT64_MAX };

	return (struct cdx_place){ r->urlkey, times[test_below(t, 4)], ids[test_below(t, 4)] };
}

static int to_place(const struct twin_row *r, const struct cdx_place *p)
{
	int by = str_cmp(r->urlkey, p->key);

	if (by == 0)
		by = r->time < p->time ? -1 : r->time > p->time;
	return by ? by : (int64_t)r->id < p->id ? -1 : (int64_t)r->id > p->id;
}

/* Whatever statement a range is read by, its rows are those between its two places. */
TEST(cdx, a_range_has_the_rows_between_its_places)
{
	size_t n = 300;
	struct twin_row *rows = arena_zalloc(t->arena, n * sizeof *rows);
	const char *path = arena_printf(t->arena, "%s/in.cdxj", test_dir(t)).p;
	struct twin_query order = { 0 };
	struct collection *coll;
	struct err err = { 0 };

	make_rows(t, rows, n, path);
	coll = import(t, path);
	REQUIRE(coll != NULL);
	for (int round = 0; round < 2000; round++) {
		struct cdx_range r = { .from = draw_place(t, rows, n),
				       .to = draw_place(t, rows, n),
				       .backward = test_below(t, 2) != 0,
				       .keys_only = !test_below(t, 4) };
		struct cdx_cursor *cur = NULL;
		struct cdx_row row;
		int rc;

		if (test_below(t, 2))
			r.to.key = r.from.key;
		if (!test_below(t, 6))
			r.to = (struct cdx_place){ STR_NONE, INT64_MIN, INT64_MIN };
		order.sort = r.backward ? CDX_SORT_REVERSE : 0;
		asked = &order;
		qsort(rows, n, sizeof *rows, by_place);
		REQUIRE(catalog_cdx(coll->catalog, &r, &cur, &err) == WN_OK, "%s", err.text);
		for (size_t i = 0; i < n; i++) {
			if (to_place(&rows[i], &r.from) < 0 || (r.to.key.n && to_place(&rows[i], &r.to) >= 0))
				continue;
			rc = cdx_next(cur, &row, &err);
			REQUIRE(rc == WN_OK && row.id == rows[i].id && str_eq(row.urlkey, rows[i].urlkey) &&
				    row.time == rows[i].time,
				"round %d, row %zu", round, i);
		}
		REQUIRE(cdx_next(cur, &row, &err) == WN_END, "round %d", round);
		cdx_close(cur);
	}
	collection_close(coll);
}

/* Resumed page by page, in either direction and collapsed or not, the pages are the whole. */
TEST(cdx, resumed_pages_make_the_whole)
{
	static const char *const forms[] = { "", "&sort=reverse", "&collapse=timestamp:6",
					     "&collapse=digest&sort=reverse", "&filter=statuscode:200" };
	size_t n = 300;
	struct twin_row *rows = arena_zalloc(t->arena, n * sizeof *rows);
	const char *path = arena_printf(t->arena, "%s/in.cdxj", test_dir(t)).p;
	struct collection *coll;

	make_rows(t, rows, n, path);
	coll = import(t, path);
	REQUIRE(coll != NULL);
	for (size_t f = 0; f < COUNT(forms); f++) {
		struct str whole =
			       answer(t, coll, CDX_IA, arena_printf(t->arena, "url=*.a.com%s", forms[f]), MIB, NULL),
			   key = STR_NONE;
		struct buf pages = BUF(MIB);
		int count = 0;

		do {
			struct str page =
			    answer(t, coll, CDX_IA,
				   arena_printf(t->arena, "url=*.a.com%s&limit=7&showResumeKey=true&resumeKey=%.*s",
						forms[f], STR_FMT(key)),
				   MIB, NULL);
			ptrdiff_t gap = str_find(page, STR("\n\n"));

			buf_str(&pages, gap < 0 ? page : str_sub(page, 0, (size_t)gap + 1));
			key = gap < 0 ? STR_NONE : str_trim(str_sub(page, (size_t)gap + 2, page.n));
		} while (key.n && ++count < 200);
		CHECK_STR(buf_view(&pages), whole, "%s", forms[f]);
		buf_release(&pages);
	}
	collection_close(coll);
}

TEST(cdx, hides_what_the_rules_hide)
{
	struct collection *coll = import(t, TEST_DATA "/serve/index.cdxj");
	struct acl *acl;
	struct err err = { 0 };

	REQUIRE(coll != NULL);
	REQUIRE(
	    acl_parse(&acl,
		      STR("com,example)/a - {\"access\": \"exclude\"}\ncom,example)/ab - {\"access\": \"allow\"}\n"),
		      &err) == WN_OK,
	    "%s", err.text);
	CHECK_STR(answer(t, coll, CDX_IA, STR("url=example.com/a*&fl=original"), MIB, acl),
		  STR("http://example.com/ab\n"));
	CHECK_STR(answer(t, coll, CDX_IA, STR("url=example.com/a/b&output=json"), MIB, acl), STR("[]\n"));
	acl_free(acl);
	collection_close(coll);
}

static int count_days(void *context, int64_t day, uint64_t captures, uint64_t first)
{
	(void)first;
	buf_printf(context, "%lld:%llu ", (long long)day, (unsigned long long)captures);
	return WN_OK;
}

TEST(cdx, counts_days_and_finds_the_nearest)
{
	struct collection *coll = import(t, TEST_DATA "/serve/index.cdxj");
	struct cdx_setting none = { 0 };
	struct buf days = BUF(KIB);
	struct cdx_row row;
	struct err err = { 0 };

	REQUIRE(coll != NULL);
	CHECK(cdx_days(coll->catalog, STR("com,example)/"), INT64_MIN, INT64_MAX, &none, count_days, &days, &err) ==
		  WN_OK,
	      "%s", err.text);
	CHECK_STR(buf_view(&days), STR("12418:1 12784:1 12949:2 13702:1 "));
	CHECK(cdx_nearest(coll->catalog, t->arena, STR("com,example)/"), stamp_from_civil(2004, 2, 1, 0, 0, 0), &none,
			  &row, &err) == WN_OK,
	      "%s", err.text);
	CHECK_EQ(row.id, 1);
	CHECK(cdx_nearest(coll->catalog, t->arena, STR("com,nowhere)/"), 0, &none, &row, &err) == WN_NONE);
	buf_release(&days);
	collection_close(coll);
}
