/* tests/unit/archive/cdx.c -- index lines, written and read. */
#include "archive/cdx.h"

#include "archive/surt.h"
#include "base/limits.h"
#include "base/os.h"
#include "test.h"

static const struct cdx sample = {
	.urlkey = { "com,example)/", 13 },
	.time = 1390842720,
	.url = { "http://example.com/\xc3\xbc\"", 22 },
	.mime = { "text/html", 9 },
	.digest = { "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", 37 },
	.filename = { "a.warc.gz", 9 },
	.status = 200,
	.length = 1046,
	.offset = 334,
};

static struct str line_of(struct test *t, enum cdx_format f, const struct cdx *c)
{
	struct buf b = BUF(MIB);
	struct str s;

	cdx_add(f, c, &b);
	s = arena_str(t->arena, buf_view(&b));
	buf_release(&b);
	return s;
}

TEST(cdx, writes_lines_as_others_do)
{
	struct cdx bare = { .url = STR("x y"), .status = -1, .length = CDX_NONE, .offset = CDX_NONE };

	CHECK_STR(
	    line_of(t, CDX_J, &sample),
	    STR("com,example)/ 20140127171200 {\"url\": \"http://example.com/\\u00fc\\\"\", \"mime\": \"text/html\", \"status\": \"200\", "
		"\"digest\": \"sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A\", \"length\": \"1046\", \"offset\": \"334\", \"filename\": \"a.warc.gz\"}\n"));
	CHECK_STR(
	    line_of(t, CDX_11, &sample),
	    STR("com,example)/ 20140127171200 http://example.com/\xc3\xbc\" text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 1046 334 a.warc.gz\n"));
	CHECK_STR(
	    line_of(t, CDX_9, &sample),
	    STR("com,example)/ 20140127171200 http://example.com/\xc3\xbc\" text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - 334 a.warc.gz\n"));
	CHECK_STR(line_of(t, CDX_J, &bare), STR("- 19700101000000 {\"url\": \"x y\"}\n"));
	CHECK_STR(line_of(t, CDX_9, &bare), STR("- 19700101000000 x%20y - - - - - -\n"));
}

TEST(cdx, escapes_as_python_does)
{
	struct cdx c = { .url = STR("\b\t\n\f\r\x01\x7f\\/\xf0\x9f\x98\x80\xff"),
			 .status = -1,
			 .length = CDX_NONE,
			 .offset = CDX_NONE };

	CHECK_STR(line_of(t, CDX_J, &c),
		  STR("- 19700101000000 {\"url\": \"\\b\\t\\n\\f\\r\\u0001\x7f\\\\/\\ud83d\\ude00\\ufffd\"}\n"));
}

static void check_same(struct test *t, const struct cdx *got, const struct cdx *want, bool label)
{
	CHECK_STR(got->urlkey, want->urlkey);
	CHECK_EQ(got->time, want->time);
	CHECK_STR(got->url, want->url);
	CHECK_STR(got->mime, want->mime);
	CHECK_EQ(got->status, want->status);
	CHECK_STR(got->digest, label ? want->digest : str_sub(want->digest, 5, want->digest.n));
	CHECK_EQ(got->offset, want->offset);
	CHECK_STR(got->filename, want->filename);
}

TEST(cdx, reads_what_it_writes)
{
	for (unsigned f = 0; f < CDX_FORMATS; f++) {
		struct cdx_reader r = { 0 };
		struct cdx got;
		struct err err = { 0 };

		REQUIRE(cdx_parse(&r, t->arena, line_of(t, (enum cdx_format)f, &sample), &got, &err) == WN_OK, "%s",
			err.text);
		check_same(t, &got, &sample, f == CDX_J);
		if (f == CDX_J)
			continue;
		CHECK_EQ(cdx_parse(&r, t->arena, cdx_header((enum cdx_format)f), &got, &err), WN_NONE);
		CHECK_EQ(cdx_parse(&r, t->arena, line_of(t, (enum cdx_format)f, &sample), &got, &err), WN_OK);
		check_same(t, &got, &sample, false);
	}
}

TEST(cdx, reads_lines_of_others)
{
	static const struct {
		const char *line;
		int rc;
		int status;
		uint64_t offset;
	} lines[] = {
		{ "com,example)/ 20140127171200123 {\"original\": \"http://example.com/\", \"statuscode\": 404, \"offset\": 7}",
		  WN_OK, 404, 7 },
		{ "com,example)/ 20140127171200 {\"url\":\"http://example.com/\",\"status\":\"-\",\"x\":[1,{}]}", WN_OK,
		  -1, CDX_NONE },
		{ "com,example)/ 20140127171200 http://example.com/ text/html 200 B2LT 100", WN_OK, 200, CDX_NONE },
		{ "com,example)/ 20140127171200 http://example.com/ text/html 200 B2LT - - 5 9 f.warc 1 2 g.warc",
		  WN_OK, 200, 9 },
		{ "com,example)/ never {\"url\": \"x\"}", WN_DATA, 0, 0 },
		{ "com,example)/ 20140127171200 {\"url\": ", WN_DATA, 0, 0 },
		{ "com,example)/ 20140127171200 {\"url\": \"x\"} y", WN_DATA, 0, 0 },
		{ "one two", WN_DATA, 0, 0 },
		{ "# comment", WN_NONE, 0, 0 },
		{ "!meta 0 {\"format\": \"cdxj-gzip-1.0\"}", WN_NONE, 0, 0 },
		{ "", WN_NONE, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct cdx_reader r = { 0 };
		struct cdx c;
		struct err err = { 0 };
		int rc = cdx_parse(&r, t->arena, str(lines[i].line), &c, &err);

		CHECK(lines[i].rc == rc || (lines[i].rc < 0 && lines[i].rc != WN_NONE && rc < 0 && rc != WN_NONE),
		      "%s: %d %s", lines[i].line, rc, err.text);
		if (rc != WN_OK)
			continue;
		CHECK_EQ(c.status, lines[i].status, "%s", lines[i].line);
		CHECK_EQ(c.offset, lines[i].offset, "%s", lines[i].line);
		CHECK_STR(c.url, STR("http://example.com/"), "%s", lines[i].line);
	}
}

TEST(cdx, knows_all_names_of_a_field)
{
	CHECK_STR(str(cdx_field(STR("original"))), STR("url"));
	CHECK_STR(str(cdx_field(STR("statuscode"))), STR("status"));
	CHECK_STR(str(cdx_field(STR("mimetype"))), STR("mime"));
	CHECK(cdx_field(STR("nothing")) == NULL);
}

static const struct {
	const char *method, *type, *body, *query;
} posts[] = {
	{ "GET", "", "", NULL },
	{ "HEAD", "", "", "__wb_method=HEAD" },
	{ "POST", "application/x-www-form-urlencoded", "a=1&b=2", "__wb_method=POST&a=1&b=2" },
	{ "POST", "application/x-www-form-urlencoded; charset=utf-8", "a=%20b+c&d=\xc3\xbc",
	  "__wb_method=POST&a= b c&d=\xc3\xbc" },
	{ "POST", "application/x-www-form-urlencoded", "\xff\xfe", "__wb_method=POST&__wb_post_data=//4=" },
	{ "POST", "application/json",
	  "{\"a\":\"b\",\"c\":{\"a\":2},\"d\":[\"e\",1,true,false,null,1.5,\"f g&h\"],\"a2\":{\"a\":\"x\"}}",
	  "__wb_method=POST&a=b&a.2_=2&d=e&d.2_=1&d.3_=True&d.4_=False&d.5_=None&d.6_=1.5&d.7_=f+g%26h&a.3_=x" },
	{ "POST", "application/json", "[1,2]", "__wb_method=POST" },
	{ "POST", "application/json", "not json", "__wb_method=POST" },
	{ "POST", "application/json", "{\"a\":1}\n{\"a\":2}", "__wb_method=POST&a=1&a.2_=2" },
	{ "POST", "application/json", "{\"n\":1e3,\"m\":1.50,\"b\":-0,\"s\":\"~*-_.!()\",\"e\":\"\",\"x\":1e-7}",
	  "__wb_method=POST&n=1000.0&m=1.5&b=0&s=~%2A-_.%21%28%29&e=&x=1e-07" },
	{ "POST", "text/plain", "{\"a\":\"b\"}", "__wb_method=POST&a=b" },
	{ "POST", "text/plain", "plain text", "__wb_method=POST&__wb_post_data=cGxhaW4gdGV4dA==" },
	{ "PUT", "application/json", "{\"a\":1}", "__wb_method=PUT&a=1" },
	{ "POST", "", "xyz", "__wb_method=POST&__wb_post_data=eHl6" },
	{ "POST", "multipart/form-data; boundary=XX",
	  "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1 2&3\r\n--XX\r\nContent-Disposition: form-data; name=\"f\"; "
	  "filename=\"x.txt\"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--XX--\r\n",
	  "__wb_method=POST&a=1+2%263&f=hello" },
	{ "POST", "multipart/form-data; boundary=\"YY\"", "garbage", "__wb_method=POST&__wb_post_data=Z2FyYmFnZQ==" },
};

TEST(cdx, makes_queries_of_requests)
{
	for (size_t i = 0; i < COUNT(posts); i++) {
		struct buf b = BUF(MIB);
		bool ok = cdx_post_query(str(posts[i].method), str(posts[i].type), str(posts[i].body), &b);

		CHECK_EQ(ok, posts[i].query != NULL, "%s %s", posts[i].method, posts[i].body);
		if (posts[i].query)
			CHECK_STR(buf_view(&b), str(posts[i].query), "%s", posts[i].body);
		buf_release(&b);
	}
}

TEST(cdx, bounds_what_a_body_adds)
{
	char *body = arena_alloc(t->arena, 100000);
	struct buf b = BUF(MIB);

	memset(body, '&', 100000);
	cdx_post_query(STR("POST"), STR("application/x-www-form-urlencoded"), str_n(body, 100000), &b);
	CHECK_EQ(b.n, strlen("__wb_method=POST&") + LIMIT_POST_BODY);
	buf_release(&b);
}

TEST(cdx, blocks_have_their_own_index)
{
	struct cdx_blocks b;
	struct str rest;
	unsigned lines = 0;

	cdx_blocks_init(&b, STR("index.cdx.gz"), 2);
	for (int i = 0; i < 5; i++)
		cdx_blocks_add(&b, arena_printf(t->arena, "com,example)/%d 20140127171200 {\"url\": \"x\"}\n", i));
	cdx_blocks_end(&b);
	rest = buf_view(&b.idx);
	CHECK_STR(str_cut(&rest, '\n'), STR("!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}"));
	while (rest.n) {
		struct str line = str_cut(&rest, '\n');

		CHECK(
		    str_starts(line, arena_printf(t->arena, "com,example)/%u 20140127171200 {\"offset\": ", 2 * lines)),
		    "%.*s", STR_FMT(line));
		lines++;
	}
	CHECK_EQ(lines, 3);
	cdx_blocks_release(&b);
}

/* Every index of the pack is read; every urlkey in it that an ia-surt index has is made again. */
TEST_SUITE(cdx, reads_the_indexes_of_others)
{
	static const char *const files[] = {
		"warc/webrecorder+pywb/sample_archive/cdxj/iana.cdxj",
		"warc/webrecorder+pywb/sample_archive/cdx/iana.cdx",
		"warc/webrecorder+pywb/sample_archive/cdxj/dupes.cdxj",
		"warc/webrecorder+pywb/sample_archive/cdx/example.cdx",
		"warc/nla+outbackcdx/test-integration/test1.cdx",
	};

	for (size_t i = 0; i < COUNT(files); i++) {
		struct cdx_reader r = { 0 };
		struct str text;
		struct err err = { 0 };
		unsigned n = 0, keys = 0;

		REQUIRE(os_slurp(t->arena, suite_path(t, files[i]), 64 * MIB, &text, &err) == WN_OK, "%s", err.text);
		while (text.n) {
			struct str line = str_cut(&text, '\n');
			struct buf key = BUF(MIB);
			struct cdx c;
			int rc = cdx_parse(&r, t->arena, line, &c, &err);

			CHECK(rc == WN_OK || rc == WN_NONE, "%s: %.*s: %s", files[i], STR_FMT(line), err.text);
			if (rc == WN_OK) {
				n++;
				surt_add(NULL, c.url, &key);
				keys += str_eq(buf_view(&key), c.urlkey);
			}
			buf_release(&key);
		}
		printf("%s: %u lines read, %u urlkeys equal\n", files[i], n, keys);
		CHECK(n > 0, "%s", files[i]);
		CHECK_EQ(keys, n, "%s", files[i]);
	}
}
