/* tests/unit/flow/index.c -- indexes of archive files. */
#include "flow/index.h"

#include "archive/writer.h"
#include "base/limits.h"
#include "base/os.h"
#include "test.h"

static int gather(void *context, struct str lines, struct err *err)
{
	(void)err;
	buf_str(context, lines);
	return WN_OK;
}

static struct str index_of(struct test *t, const char *path, struct index_options o)
{
	struct buf out = BUF(64 * MIB);
	struct index_report report;
	struct err err = { 0 };
	struct str s;

	o.context = &out;
	o.write = gather;
	CHECK(index_paths(&o, &path, 1, &report, &err) == WN_OK, "%s", err.text);
	s = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	return s;
}

/* A POST with its response, a page, a revisit of it, and records that are no captures. */
static const char *sample(struct test *t)
{
	const char *path = arena_printf(t->arena, "%s/a.warc.gz", test_dir(t)).p;
	struct writer_options o = { .coding = WRITER_GZIP, .id_seed = 1 };
	struct writer_head response = { .type = RECORD_RESPONSE,
					.target_uri = STR("http://www.example.com/b"),
					.time = 1000000000,
					.content_type = STR("application/http; msgtype=response") };
	struct writer_head request = { .type = RECORD_REQUEST,
				       .target_uri = STR("http://www.example.com/b"),
				       .time = 1000000000,
				       .content_type = STR("application/http; msgtype=request") };
	struct writer_head page = response, revisit = response,
			   meta = { .type = RECORD_METADATA,
				    .target_uri = STR("http://www.example.com/b"),
				    .time = 1000000000,
				    .content_type = STR("application/warc-fields") };
	struct writer *w;
	struct err err = { 0 };

	page.target_uri = STR("http://www.example.com/a");
	revisit.type = RECORD_REVISIT;
	revisit.time++;
	revisit.target_uri = page.target_uri;
	revisit.payload_digest = STR("sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A");
	revisit.profile = STR(WARC_REVISIT_IDENTICAL);
	CHECK(writer_open(&w, path, &o, &err) == WN_OK, "%s", err.text);
	writer_info(w, "a.warc.gz", 1000000000, STR("software: test\r\n"), &err);
	writer_record(w, &response, STR("HTTP/1.1 201 Created\r\nContent-Type: text/plain; charset=x\r\n\r\nok"), NULL,
		      &err);
	writer_record(w, &request,
		      STR("POST /b HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{\"q\": [1, \"x y\"]}"), NULL,
		      &err);
	writer_record(w, &meta, STR("via: x\r\n"), NULL, &err);
	writer_record(w, &page, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x"), NULL, &err);
	writer_record(w, &revisit, STR("HTTP/1.1 200 OK\r\n\r\n"), NULL, &err);
	CHECK(writer_close(w, &err) == WN_OK, "%s", err.text);
	return path;
}

static struct str without(struct test *t, struct str s, const char *key)
{
	struct buf out = BUF(MIB);

	while (s.n) {
		struct str line = str_cut(&s, '\n');
		struct str from = arena_printf(t->arena, "\"%s\": \"", key);
		ptrdiff_t at = str_find(line, from);

		if (at >= 0) {
			struct str rest = str_sub(line, (size_t)at + from.n, line.n);

			buf_str(&out, str_sub(line, 0, (size_t)at));
			str_cut(&rest, '"');
			buf_str(&out, str_sub(rest, 2, rest.n));
		} else {
			buf_str(&out, line);
		}
		buf_byte(&out, '\n');
	}
	s = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	return s;
}

TEST(index, lists_captures_in_order)
{
	const char *path = sample(t);
	struct str plain = without(t, without(t, index_of(t, path, (struct index_options){ 0 }), "length"), "offset");
	struct str joined = without(
	    t, without(t, index_of(t, path, (struct index_options){ .post_append = true }), "length"), "offset");

	CHECK_STR(
	    plain,
	    STR("com,example)/a 20010909014640 {\"url\": \"http://www.example.com/a\", \"mime\": \"text/html\", \"status\": \"200\", "
		"\"digest\": \"sha1:K3J4PGXHRB47DWTXKEVUV2DC75KILPGG\", \"filename\": \"a.warc.gz\"}\n"
		"com,example)/a 20010909014641 {\"url\": \"http://www.example.com/a\", \"mime\": \"warc/revisit\", "
		"\"digest\": \"sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A\", \"filename\": \"a.warc.gz\"}\n"
		"com,example)/b 20010909014640 {\"url\": \"http://www.example.com/b\", \"mime\": \"text/plain\", \"status\": \"201\", "
		"\"digest\": \"sha1:PKC7I5SLXVW26HBVIXX3X4HSPGTNYC7L\", \"filename\": \"a.warc.gz\"}\n"));
	CHECK(str_find(joined, STR("com,example)/b?__wb_method=post&q=1&q.2_=x+y 20010909014640")) >= 0, "%.*s",
	      STR_FMT(joined));
	CHECK(str_find(joined, STR("\"requestBody\": \"q=1&q.2_=x+y\", \"method\": \"POST\"}")) > 0, "%.*s",
	      STR_FMT(joined));
}

TEST(index, is_the_same_for_any_threads_and_memory)
{
	const char *path = arena_printf(t->arena, "%s/many.warc.gz", test_dir(t)).p;
	struct writer_options o = { .coding = WRITER_GZIP, .id_seed = 1, .level = 1 };
	struct writer *w;
	struct err err = { 0 };
	struct str one, two;

	REQUIRE(writer_open(&w, path, &o, &err) == WN_OK, "%s", err.text);
	for (int i = 0; i < 6000; i++) {
		struct writer_head h = { .type = RECORD_RESOURCE,
					 .target_uri =
					     arena_printf(t->arena, "http://example.com/%u/%0*d",
							  (unsigned)test_below(t, 500), (int)test_below(t, 200), i),
					 .time = (int64_t)test_below(t, 1000000000),
					 .content_type = STR("text/plain") };

		writer_record(w, &h, arena_printf(t->arena, "%llu", (unsigned long long)test_random(t)), NULL, &err);
	}
	REQUIRE(writer_close(w, &err) == WN_OK, "%s", err.text);
	one = index_of(t, path, (struct index_options){ .threads = 1 });
	two = index_of(t, path, (struct index_options){ .threads = 3, .memory = MIB, .tmp = test_dir(t) });
	CHECK(one.n > MIB, "%zu bytes of lines", one.n);
	CHECK(str_eq(one, two));
}

static void golden(struct test *t, const char *archive, const char *index, enum cdx_format f, bool post)
{
	struct str got = index_of(t, suite_path(t, archive),
				  (struct index_options){ .format = f, .threads = 2, .post_append = post }),
		   want;
	struct buf bare = BUF(64 * MIB);
	struct err err = { 0 };

	REQUIRE(os_slurp(t->arena, suite_path(t, index), 64 * MIB, &want, &err) == WN_OK, "%s", err.text);
	for (ptrdiff_t at; (at = str_find(got, STR("\"sha1:"))) >= 0; got = str_sub(got, (size_t)at + 6, got.n))
		buf_str(&bare, str_sub(got, 0, (size_t)at + 1));
	buf_str(&bare, got);
	printf("%s: %s\n", index, CHECK_STR(buf_view(&bare), want, "%s", index) ? "equal" : "differs");
	buf_release(&bare);
}

TEST_SUITE(index, gives_the_goldens)
{
	golden(t, "warc/webrecorder+pywb/sample_archive/warcs/iana.warc.gz",
	       "warc/webrecorder+pywb/sample_archive/cdxj/iana.cdxj", CDX_J, false);
	golden(t, "warc/webrecorder+pywb/sample_archive/warcs/iana.warc.gz",
	       "warc/webrecorder+pywb/sample_archive/cdx/iana.cdx", CDX_11, false);
	golden(t, "warc/webrecorder+pywb/sample_archive/warcs/example.warc.gz",
	       "warc/webrecorder+pywb/sample_archive/cdx/example.cdx", CDX_11, false);
	golden(t, "warc/webrecorder+pywb/sample_archive/warcs/example2.warc.gz",
	       "warc/webrecorder+pywb/sample_archive/cdxj/example2.cdxj", CDX_J, false);
	golden(t, "warc/webrecorder+pywb/sample_archive/warcs/post-test.warc.gz",
	       "warc/webrecorder+pywb/sample_archive/cdx/post-test.cdx", CDX_11, true);
}
