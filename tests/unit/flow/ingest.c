/* tests/unit/flow/ingest.c -- archives made here, into collections, by the real pipeline. */
#include "flow/ingest.h"

#include <stdio.h>

#include "archive/digest.h"
#include "archive/stamp.h"
#include "archive/writer.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/os.h"
#include "base/progress.h"
#include "test.h"
#include "text/document.h"

struct archive {
	struct writer *w;
	struct test *t;
	struct err err;
};

static const char *in_dir(struct test *t, const char *name)
{
	return arena_printf(t->arena, "%s/%s", test_dir(t), name).p;
}

static struct archive archive_open(struct test *t, const char *path)
{
	struct archive a = { .t = t };
	struct writer_options o = { .coding = WRITER_GZIP, .id_seed = 1 + test_below(t, 1 << 30) };

	CHECK(writer_open(&a.w, path, &o, &a.err) == WN_OK, "%s", a.err.text);
	return a;
}

static struct str digest_text(struct test *t, struct str body)
{
	struct digest d;
	char text[DIGEST_TEXT];

	digest_of(DIGEST_SHA1, body, &d);
	return arena_str(t->arena, str_n(text, digest_write(&d, text)));
}

static void add_page(struct archive *a, const char *url, int64_t time, struct str words)
{
	struct test *t = a->t;
	struct str body = arena_printf(t->arena, "<title>%.*s</title><p>%.*s</p><a href=/next>next</a>", STR_FMT(words),
				       STR_FMT(words));
	struct str block =
	    arena_printf(t->arena, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n%.*s", STR_FMT(body));
	struct writer_head h = { .type = RECORD_RESPONSE,
				 .target_uri = str(url),
				 .time = time,
				 .content_type = STR("application/http; msgtype=response"),
				 .payload_digest = digest_text(t, body) };

	CHECK(writer_record(a->w, &h, block, NULL, &a->err) == WN_OK, "%s", a->err.text);
}

/* A revisit that names nothing but what is given. */
static void add_revisit(struct archive *a, const char *url, int64_t time, struct str digest, struct str refers_uri,
			int64_t refers_time)
{
	struct test *t = a->t;
	char date[21];
	struct writer_head h = { .type = RECORD_REVISIT,
				 .target_uri = str(url),
				 .time = time,
				 .content_type = STR("application/http; msgtype=response"),
				 .payload_digest = digest,
				 .profile = STR(WARC_REVISIT_IDENTICAL),
				 .refers_to_uri = refers_uri };

	if (refers_uri.n)
		h.refers_to_date = stamp_rfc3339(refers_time, date);
	CHECK(writer_record(a->w, &h, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), NULL, &a->err) ==
		  WN_OK,
	      "%s", a->err.text);
}

static void archive_close(struct archive *a)
{
	struct test *t = a->t;

	CHECK_EQ(writer_close(a->w, &a->err), WN_OK);
}

static struct ingest_report ingest_with(struct test *t, const char *dir, const struct ingest_options *o,
					const char *const *paths, size_t n)
{
	struct catalog_settings fresh = { .k = 5, .profile = "ia-surt", .extractor = DOCUMENT_VERSION };
	struct ingest_report r = { 0 };
	struct collection coll;
	struct err err = { 0 };

	progress_setup(PROGRESS_NEVER);
	if (!CHECK(collection_open(&coll, dir, CATALOG_CREATE, &fresh, &err) == WN_OK, "%s", err.text))
		return r;
	CHECK(ingest_paths(&coll, paths, n, o, &r, &err) == WN_OK, "%s", err.text);
	collection_close(&coll);
	return r;
}

static struct ingest_report ingest(struct test *t, const char *dir, unsigned threads, const char *const *paths,
				   size_t n)
{
	return ingest_with(t, dir, &(struct ingest_options){ .threads = threads, .memory = 256u << 20 }, paths, n);
}

/* Everything of every capture that a person can see, by URL and time. */
static struct str dump(struct test *t, const char *dir, bool ids)
{
	struct buf out = BUF(64u << 20);
	struct capture_query q = { .by_key = true };
	struct capture_cursor *cur = NULL;
	struct collection coll;
	struct capture c;
	struct err err = { 0 };
	struct str s;

	CHECK(collection_open(&coll, dir, CATALOG_READ, NULL, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(catalog_captures(coll.catalog, &q, &cur, &err), WN_OK);
	while (capture_next(cur, &c, &err) == WN_OK) {
		if (ids)
			buf_printf(&out, "%llu %llu ", (unsigned long long)c.id, (unsigned long long)c.content);
		buf_printf(&out, "%.*s %lld %d %.*s %.*s %llu %.*s\n", STR_FMT(c.url), (long long)c.time, c.status,
			   STR_FMT(c.mime), STR_FMT(c.payload_digest), (unsigned long long)c.words, STR_FMT(c.title));
	}
	capture_close(cur);
	collection_close(&coll);
	s = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	return s;
}

static struct str random_words(struct test *t)
{
	static const char *const words[] = { "harbour", "library", "ferry",  "council",
					     "budget",	"cake",	   "engine", "island" };
	struct buf b = BUF(4096);
	struct str s;

	for (unsigned i = 0, n = 3 + (unsigned)test_below(t, 12); i < n; i++)
		buf_printf(&b, "%s ", words[test_below(t, COUNT(words))]);
	s = arena_str(t->arena, buf_view(&b));
	buf_release(&b);
	return s;
}

static void random_archive(struct test *t, const char *path, unsigned pages)
{
	struct archive a = archive_open(t, path);

	for (unsigned i = 0; i < pages; i++)
		add_page(&a,
			 arena_printf(t->arena, "http://site%u.example/p%u", (unsigned)test_below(t, 4),
				      (unsigned)test_below(t, 20))
			     .p,
			 1200000000 + (int64_t)test_below(t, 1000) * 86400, random_words(t));
	archive_close(&a);
}

TEST(ingest, gives_the_same_rows_for_any_number_of_threads)
{
	const char *file = in_dir(t, "many.warc.gz");
	const char *one = in_dir(t, "one"), *four = in_dir(t, "four");

	random_archive(t, file, 400);
	ingest(t, one, 1, &file, 1);
	ingest(t, four, 4, &file, 1);
	CHECK_STR(dump(t, four, true), dump(t, one, true));
}

/* Many payloads, few texts, in many files: threads meet them in any order, and some of what they skip is needed. */
TEST(ingest, a_text_met_in_other_payloads_is_one_content)
{
	static const char *const forms[] = { "number", "&#110;umber", "n&#117;mber" };
	const char *files[12], *one = in_dir(t, "one");
	struct ingest_report r;
	uint64_t contents;

	for (unsigned f = 0; f < COUNT(files); f++) {
		struct archive a;

		files[f] = in_dir(t, arena_printf(t->arena, "part%u.warc.gz", f).p);
		a = archive_open(t, files[f]);
		for (unsigned i = 0; i < 25; i++)
			add_page(&a, "http://a.example/", 1200000000 + (int64_t)(f * 25 + i),
				 arena_printf(t->arena, "text %s %u of some", forms[test_below(t, COUNT(forms))],
					      (unsigned)test_below(t, 20)));
		archive_close(&a);
	}
	r = ingest(t, one, 1, files, COUNT(files));
	contents = r.contents;
	CHECK(contents <= 20, "%" PRIu64, contents);
	for (unsigned threads = 1; threads <= 4; threads += 3)
		for (unsigned all = 0; all < 2; all++) {
			const char *dir = in_dir(t, arena_printf(t->arena, "%u-%u", threads, all).p);

			r = ingest_with(
			    t, dir,
			    &(struct ingest_options){ .threads = threads, .memory = 256u << 20, .parse_all = all },
			    files, COUNT(files));
			CHECK_EQ(r.contents, contents);
			CHECK_STR(dump(t, dir, true), dump(t, one, true));
		}
}

TEST(ingest, order_and_grouping_of_files_change_ids_only)
{
	const char *files[3], *back[3];
	const char *forth = in_dir(t, "forth"), *other = in_dir(t, "other");

	for (unsigned i = 0; i < 3; i++) {
		files[i] = in_dir(t, arena_printf(t->arena, "part%u.warc.gz", i).p);
		random_archive(t, files[i], 40);
		back[2 - i] = files[i];
	}
	ingest(t, forth, 2, files, 3);
	for (unsigned i = 0; i < 3; i++)
		ingest(t, other, 2, &back[i], 1);
	CHECK(dump(t, forth, false).n == dump(t, other, false).n, "the same captures, whatever the order");
}

TEST(ingest, a_file_is_entered_once)
{
	const char *file = in_dir(t, "a.warc.gz"), *copy = in_dir(t, "b.warc.gz"), *dir = in_dir(t, "coll");
	struct ingest_report r;
	struct str before;

	random_archive(t, file, 30);
	r = ingest(t, dir, 2, &file, 1);
	CHECK_EQ(r.captures, 30);
	before = dump(t, dir, true);
	r = ingest(t, dir, 2, &file, 1);
	CHECK_EQ(r.files_skipped, 1);
	CHECK(rename(file, copy) == 0, "moved");
	r = ingest(t, dir, 2, &copy, 1);
	CHECK_EQ(r.files_skipped, 1, "known by its bytes");
	CHECK_STR(dump(t, dir, true), before);
}

TEST(ingest, a_grown_file_is_continued)
{
	const char *file = in_dir(t, "log.warc.gz"), *dir = in_dir(t, "coll");
	struct writer_options more = { .coding = WRITER_GZIP, .append = true, .id_seed = 77 };
	struct archive a = archive_open(t, file);
	struct ingest_report r;

	add_page(&a, "http://a.example/1", 1200000000, STR("the first page of a growing file"));
	archive_close(&a);
	ingest(t, dir, 1, &file, 1);
	CHECK_EQ(writer_open(&a.w, file, &more, &a.err), WN_OK);
	add_page(&a, "http://a.example/2", 1200000001, STR("the second page of a growing file"));
	archive_close(&a);
	r = ingest(t, dir, 1, &file, 1);
	CHECK_EQ(r.captures, 1, "only what is new");
	CHECK(str_find(dump(t, dir, false), STR("a.example/1")) >= 0 &&
	      str_find(dump(t, dir, false), STR("a.example/2")) >= 0);
}

TEST(ingest, a_chain_of_revisits_ends_at_the_payload)
{
	const char *file = in_dir(t, "chain.warc.gz"), *dir = in_dir(t, "coll");
	struct archive a = archive_open(t, file);
	struct ingest_report r;
	enum { LINKS = 400 };

	/* each names only the capture before it, which is a revisit itself; digests tell nothing */
	for (int i = LINKS; i > 0; i--)
		add_revisit(&a, "http://a.example/", 1200000000 + i, STR_NONE, STR("http://a.example/"),
			    1200000000 + i - 1);
	add_page(&a, "http://a.example/", 1200000000, STR("what all of them refer to in the end"));
	archive_close(&a);
	r = ingest(t, dir, 2, &file, 1);
	CHECK_EQ(r.revisits_resolved, LINKS);
	CHECK_EQ(r.revisits_unresolved, 0);
}

TEST(ingest, a_ring_of_revisits_stays_unresolved)
{
	const char *file = in_dir(t, "ring.warc.gz"), *dir = in_dir(t, "coll");
	struct archive a = archive_open(t, file);
	struct ingest_report r;

	for (int i = 0; i < 5; i++)
		add_revisit(&a, "http://a.example/", 1200000000 + i, STR_NONE, STR("http://a.example/"),
			    1200000000 + (i + 1) % 5);
	archive_close(&a);
	r = ingest(t, dir, 1, &file, 1);
	CHECK_EQ(r.revisits_resolved, 0);
	CHECK_EQ(r.revisits_unresolved, 5);
}

TEST(ingest, the_original_may_come_later_and_from_another_url)
{
	const char *first = in_dir(t, "first.warc.gz"), *second = in_dir(t, "second.warc.gz"), *dir = in_dir(t, "coll");
	struct str words = STR("the payload that the revisit lacks"), body;
	struct archive a = archive_open(t, first);
	struct ingest_report r;

	body = arena_printf(t->arena, "<title>%.*s</title><p>%.*s</p><a href=/next>next</a>", STR_FMT(words),
			    STR_FMT(words));
	add_revisit(&a, "http://copy.example/x", 1300000000, digest_text(t, body), STR_NONE, 0);
	archive_close(&a);
	r = ingest(t, dir, 1, &first, 1);
	CHECK_EQ(r.revisits_unresolved, 1);
	a = archive_open(t, second);
	add_page(&a, "http://origin.example/y", 1200000000, words);
	archive_close(&a);
	r = ingest(t, dir, 1, &second, 1);
	CHECK_EQ(r.revisits_resolved, 1);
	CHECK(str_find(dump(t, dir, false), STR("copy.example/x 1300000000 200 text/html")) >= 0,
	      "it has its original's type and text");
}

TEST(ingest, a_path_names_one_file)
{
	const char *a = in_dir(t, "a.warc.gz"), *b = in_dir(t, "b.warc.gz"), *dir = in_dir(t, "coll");
	const char *fresh = in_dir(t, "fresh"), *both[2] = { a, b };
	struct ingest_report r;

	random_archive(t, a, 30);
	ingest(t, dir, 2, &a, 1);
	random_archive(t, a, 20); /* other bytes in its place */
	r = ingest(t, dir, 2, &a, 1);
	CHECK_EQ(r.captures, 20);
	CHECK_EQ(r.files_replaced, 1);
	CHECK_EQ(r.captures_replaced, 30);
	ingest(t, fresh, 2, &a, 1);
	CHECK_STR(dump(t, dir, false), dump(t, fresh, false));

	/* moved away and replaced, both named: nothing is taken out */
	CHECK(rename(a, b) == 0);
	random_archive(t, a, 10);
	r = ingest(t, dir, 2, both, 2);
	CHECK_EQ(r.captures, 10);
	CHECK_EQ(r.files_skipped, 1);
	CHECK_EQ(r.files_replaced, 0);
	ingest(t, in_dir(t, "both"), 2, both, 2);
	CHECK_STR(dump(t, dir, false), dump(t, in_dir(t, "both"), false));
}

TEST(ingest, a_second_copy_in_one_command_is_no_finished_file)
{
	const char *a = in_dir(t, "a.warc.gz"), *b = in_dir(t, "b.warc.gz"), *dir = in_dir(t, "coll"),
		   *both[2] = { a, b };
	struct str bytes;
	struct err err = { 0 };
	struct ingest_report r;
	FILE *f;

	random_archive(t, a, 30);
	REQUIRE(os_slurp(t->arena, a, 1u << 20, &bytes, &err) == WN_OK, "%s", err.text);
	REQUIRE((f = fopen(b, "wb")));
	CHECK_EQ(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	fclose(f);
	r = ingest(t, dir, 2, both, 2);
	CHECK_EQ(r.files, 1);
	CHECK_EQ(r.files_skipped, 1);
	CHECK_EQ(r.captures, 30);
	r = ingest(t, dir, 2, both, 2);
	CHECK_EQ(r.files_skipped, 2);
}

static int count_link(void *context, const struct catalog_link *l)
{
	*(uint64_t *)context += l->url.n > 60000;
	return WN_OK;
}

TEST(ingest, many_links_below_a_long_base_are_cut)
{
	const char *file = in_dir(t, "long.warc.gz"), *dir = in_dir(t, "coll");
	struct archive a = archive_open(t, file);
	struct buf page = BUF(4u << 20);
	struct collection coll;
	struct ingest_report r;
	struct err err = { 0 };
	uint64_t links = 0;

	buf_str(&page, STR("<base href=\"http://long.example/"));
	for (int i = 0; i < 60000; i++)
		buf_byte(&page, 'a');
	buf_str(&page, STR("/\">"));
	for (int i = 0; i < 2000; i++)
		buf_printf(&page, "<a href=%d>x</a>", i);
	add_page(&a, "http://long.example/", 1200000000, buf_view(&page));
	archive_close(&a);
	buf_release(&page);
	r = ingest(t, dir, 1, &file, 1);
	CHECK(r.flaws >= 1);
	REQUIRE(collection_open(&coll, dir, CATALOG_READ, NULL, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(catalog_links(coll.catalog, 1, count_link, &links, &err), WN_OK);
	CHECK(links > 500 && links < 600, "%" PRIu64, links);
	collection_close(&coll);
}
