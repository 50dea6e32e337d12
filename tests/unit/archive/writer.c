/* tests/unit/archive/writer.c -- WARC and WACZ files that are read again. */
#include "archive/writer.h"

#include <fcntl.h>
#include <stdlib.h>

#include "archive/digest.h"
#include "archive/payload.h"
#include "archive/reader.h"
#include "archive/wacz.h"
#include "base/limits.h"
#include "base/os.h"
#include "test.h"

static const char *path_of(struct test *t, const char *name)
{
	return arena_printf(t->arena, "%s/%s", test_dir(t), name).p;
}

static const struct {
	enum writer_coding coding;
	const char *name;
} codings[] = { { WRITER_PLAIN, "a.warc" }, { WRITER_GZIP, "a.warc.gz" }, { WRITER_ZSTD, "a.warc.zst" } };

/* A block of n bytes that does not compress to nothing. */
static struct str block_of(struct test *t, size_t n)
{
	char *p = arena_alloc(t->arena, n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = (char)('a' + test_random(t) % 20);
	return str_n(p, n);
}

static struct writer_head head_of(struct test *t, unsigned i)
{
	return (struct writer_head){ .type = RECORD_RESOURCE,
				     .target_uri = arena_printf(t->arena, "http://example.com/%u x", i),
				     .time = 1000000000 + i,
				     .content_type = STR("text/plain"),
				     .payload_digest = STR("sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A") };
}

static unsigned count_records(struct test *t, const char *path, const struct str *blocks, unsigned nblocks)
{
	struct reader *r = NULL;
	struct record *rec = arena_zalloc(t->arena, sizeof *rec);
	struct err err = { 0 };
	unsigned n = 0;
	int rc;

	if (!CHECK(reader_open(&r, path, &err) == WN_OK, "%s", err.text))
		return 0;
	while ((rc = reader_next(r, rec, &err)) == WN_OK) {
		struct buf got = BUF(64 * MIB);
		struct str piece;

		CHECK_EQ(rec->version_minor, 1);
		if (n && n <= nblocks) {
			CHECK_STR(rec->target_uri, arena_printf(t->arena, "http://example.com/%u%%20x", n - 1));
			CHECK(rec->warcinfo_id.n > 0);
		}
		while (reader_block(r, &piece, &err) == WN_OK)
			buf_str(&got, piece);
		if (n && n <= nblocks)
			CHECK(str_eq(buf_view(&got), blocks[n - 1]), "block %u of %s", n - 1, path);
		CHECK(reader_end(r, rec, &err) == WN_OK, "%s", err.text);
		CHECK_EQ(rec->flaws.n, 0, "%s at %llu: %s", path, (unsigned long long)rec->span.at,
			 rec->flaws.n ? flaw_name(rec->flaws.v[0].kind) : "");
		buf_release(&got);
		n++;
	}
	CHECK_EQ(rc, WN_END, "%s", err.text);
	CHECK_EQ(reader_tail(r)->n, 0);
	reader_close(r);
	return n;
}

TEST(writer, is_read_again)
{
	static const size_t sizes[] = { 0, 1, 100, 70000, 3000000 };
	struct str blocks[2 * COUNT(sizes)];

	for (size_t k = 0; k < COUNT(codings); k++) {
		struct writer_options o = { .coding = codings[k].coding, .id_seed = 7 };
		const char *path = path_of(t, codings[k].name);
		struct writer *w;
		struct span span;
		struct err err = { 0 };
		uint64_t at;

		REQUIRE(writer_open(&w, path, &o, &err) == WN_OK, "%s", err.text);
		CHECK(writer_info(w, codings[k].name, 1000000000, STR("software: test\r\n"), &err) == WN_OK, "%s",
		      err.text);
		for (unsigned i = 0; i < COUNT(blocks); i++) {
			struct writer_head h = head_of(t, i);

			blocks[i] = block_of(t, sizes[i / 2]);
			at = writer_at(w);
			if (i % 2) {
				CHECK(writer_record(w, &h, blocks[i], &span, &err) == WN_OK, "%s", err.text);
			} else {
				CHECK(writer_begin(w, &h, blocks[i].n, &err) == WN_OK, "%s", err.text);
				for (size_t from = 0; from < blocks[i].n; from += 100000)
					CHECK(writer_piece(w, str_sub(blocks[i], from, from + 100000), &err) == WN_OK,
					      "%s", err.text);
				CHECK(writer_end(w, &span, &err) == WN_OK, "%s", err.text);
			}
			CHECK_EQ(span.at, at);
			CHECK_EQ(span.at + span.length, writer_at(w));
		}
		CHECK(writer_close(w, &err) == WN_OK, "%s", err.text);
		CHECK_EQ(count_records(t, path, blocks, COUNT(blocks)), COUNT(blocks) + 1, "%s", path);
	}
}

TEST(writer, takes_back_what_was_not_completed)
{
	for (size_t k = 0; k < COUNT(codings); k++) {
		struct writer_options o = { .coding = codings[k].coding, .id_seed = 7 };
		const char *path = path_of(t, codings[k].name);
		struct writer_head h = head_of(t, 0);
		struct str block = block_of(t, 2000000);
		struct writer *w;
		struct err err = { 0 };

		REQUIRE(writer_open(&w, path, &o, &err) == WN_OK, "%s", err.text);
		CHECK(writer_info(w, "x", 0, STR("a: b\r\n"), &err) == WN_OK);
		CHECK(writer_begin(w, &h, block.n + 1, &err) == WN_OK);
		CHECK(writer_piece(w, block, &err) == WN_OK);
		CHECK(writer_end(w, NULL, &err) < 0);
		CHECK(writer_record(w, &h, block, NULL, &err) == WN_OK);
		CHECK(writer_begin(w, &h, block.n, &err) == WN_OK);
		CHECK(writer_piece(w, block, &err) == WN_OK);
		CHECK(writer_close(w, &err) == WN_OK, "%s", err.text);
		CHECK_EQ(count_records(t, path, &block, 1), 2, "%s", path);
	}
}

/* A file cut anywhere, as a kill leaves it, goes on behind its last whole record. */
TEST(writer, appends_behind_the_last_whole_record)
{
	for (size_t k = 0; k < COUNT(codings); k++) {
		struct writer_options o = { .coding = codings[k].coding, .id_seed = 7 };
		const char *path = path_of(t, codings[k].name);
		struct str blocks[4];
		struct span spans[4];
		struct err err = { 0 };
		struct writer *w;

		for (unsigned i = 0; i < 4; i++)
			blocks[i] = block_of(t, 500 + 400 * i);
		for (unsigned round = 0; round < 12; round++) {
			uint64_t cut, whole;
			unsigned kept = 0;
			int fd = -1;

			o.append = false;
			REQUIRE(writer_open(&w, path, &o, &err) == WN_OK, "%s", err.text);
			writer_info(w, "x", 0, STR("a: b\r\n"), &err);
			for (unsigned i = 0; i < 3; i++) {
				struct writer_head h = head_of(t, i);

				writer_record(w, &h, blocks[i], &spans[i], &err);
			}
			REQUIRE(writer_close(w, &err) == WN_OK, "%s", err.text);
			cut = spans[0].at + test_below(t, spans[2].at + spans[2].length - spans[0].at);
			while (kept < 3 && spans[kept].at + spans[kept].length <= cut)
				kept++;
			REQUIRE(os_open(&fd, path, O_RDWR, &err) == WN_OK && os_truncate(fd, cut, path, &err) == WN_OK,
				"%s", err.text);
			os_close(&fd);
			CHECK(writer_whole(path, o.coding, &whole, &err) == WN_OK, "%s", err.text);
			CHECK_EQ(whole, spans[kept].at, "%s cut at %llu", path, (unsigned long long)cut);
			o.append = true;
			REQUIRE(writer_open(&w, path, &o, &err) == WN_OK, "%s", err.text);
			for (unsigned i = kept; i < 4; i++) {
				struct writer_head h = head_of(t, i);

				h.warcinfo_id = STR("urn:uuid:0");
				CHECK(writer_record(w, &h, blocks[i], NULL, &err) == WN_OK, "%s", err.text);
			}
			REQUIRE(writer_close(w, &err) == WN_OK, "%s", err.text);
			CHECK_EQ(count_records(t, path, blocks, 4), 5, "%s cut at %llu", path, (unsigned long long)cut);
		}
	}
}

TEST(writer, copies_members_byte_for_byte)
{
	struct writer_options o = { .coding = WRITER_GZIP, .id_seed = 7 };
	const char *from = path_of(t, "from.warc.gz"), *to = path_of(t, "to.warc.gz");
	struct str blocks[] = { block_of(t, 5000), block_of(t, 6000) }, a, b;
	struct span spans[2], copied;
	struct err err = { 0 };
	struct writer *w;
	int fd = -1;

	REQUIRE(writer_open(&w, from, &o, &err) == WN_OK, "%s", err.text);
	writer_info(w, "from.warc.gz", 0, STR("a: b\r\n"), &err);
	for (unsigned i = 0; i < 2; i++) {
		struct writer_head h = head_of(t, i);

		writer_record(w, &h, blocks[i], &spans[i], &err);
	}
	REQUIRE(writer_close(w, &err) == WN_OK, "%s", err.text);
	o.whole_or_nothing = true;
	REQUIRE(writer_open(&w, to, &o, &err) == WN_OK, "%s", err.text);
	REQUIRE(os_open(&fd, from, O_RDONLY, &err) == WN_OK, "%s", err.text);
	CHECK(writer_copy(w, fd, from, spans[1].at, spans[1].length, &copied, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(copied.at, 0);
	CHECK(writer_copy(w, fd, from, spans[1].at, spans[1].length + 1, &copied, &err) < 0,
	      "past the end of the file");
	os_close(&fd);
	CHECK(os_slurp(t->arena, to, MIB, &a, &err) < 0, "a whole_or_nothing file is not there before it is closed");
	err_reset(&err);
	REQUIRE(writer_close(w, &err) == WN_OK, "%s", err.text);
	REQUIRE(os_slurp(t->arena, to, MIB, &a, &err) == WN_OK && os_slurp(t->arena, from, MIB, &b, &err) == WN_OK,
		"%s", err.text);
	CHECK(str_eq(a, str_sub(b, spans[1].at, spans[1].at + spans[1].length)));
}

TEST(writer, no_value_can_end_a_field)
{
	struct writer_options o = { .coding = WRITER_PLAIN, .id_seed = 7 };
	const char *path = path_of(t, "a.warc");
	struct writer_head h = head_of(t, 0);
	struct str text;
	struct err err = { 0 };
	struct writer *w;

	h.ip = STR("1.2.3.4\r\nX-Injected: yes\r\n\r\nWARC/1.1");
	REQUIRE(writer_open(&w, path, &o, &err) == WN_OK, "%s", err.text);
	CHECK(writer_record(w, &h, STR("x"), NULL, &err) == WN_OK);
	REQUIRE(writer_close(w, &err) == WN_OK, "%s", err.text);
	REQUIRE(os_slurp(t->arena, path, MIB, &text, &err) == WN_OK, "%s", err.text);
	CHECK(str_find(text, STR("\nX-Injected")) < 0);
}

static void make_wacz(struct test *t, uint64_t zip64_from, const char *keep)
{
	struct writer_options o = { .coding = WRITER_GZIP, .id_seed = 7 };
	struct wacz_options zo = {
		.title = STR("a title"), .software = STR("winnow"), .created = 1700000000, .zip64_from = zip64_from
	};
	struct wacz_page page = {
		.url = STR("http://example.com/0%20x"), .title = STR("page \"one\""), .time = 1000000000, .id = STR("1")
	};
	const char *warc = path_of(t, "data.warc.gz"), *path = path_of(t, "out.wacz");
	struct writer_head h = head_of(t, 0);
	struct str block = block_of(t, 5000), text;
	struct err err = { 0 };
	struct writer *w;
	struct wacz *z;

	REQUIRE(writer_open(&w, warc, &o, &err) == WN_OK, "%s", err.text);
	writer_info(w, "data.warc.gz", 0, STR("a: b\r\n"), &err);
	writer_record(w, &h, block, NULL, &err);
	REQUIRE(writer_close(w, &err) == WN_OK, "%s", err.text);
	REQUIRE(wacz_open(&z, path, &zo, &err) == WN_OK, "%s", err.text);
	CHECK(wacz_archive(z, "data.warc.gz", warc, &err) == WN_OK, "%s", err.text);
	CHECK(wacz_cdxj(z, STR("com,example)/0%20x 20010909014640 {\"url\": \"http://example.com/0%20x\"}\n"), &err) ==
	      WN_OK);
	CHECK(wacz_page(z, &page, &err) == WN_OK);
	REQUIRE(wacz_close(z, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(count_records(t, path, &block, 1), 2);
	REQUIRE(os_slurp(t->arena, path, MIB, &text, &err) == WN_OK, "%s", err.text);
	CHECK(str_find(text, STR("datapackage-digest.json")) > 0);
	CHECK(str_find(text, STR("\"wacz_version\": \"1.1.1\"")) > 0);
	CHECK(str_find(text, STR("{\"format\": \"json-pages-1.0\"")) > 0);
	if (keep) /* for a validator to look at */
		CHECK(os_rename(path, keep, &err) == WN_OK, "%s", err.text);
}

TEST(wacz, is_read_again) { make_wacz(t, 0, getenv("KEEP_WACZ")); }
TEST(wacz, is_read_again_with_zip64_fields) { make_wacz(t, 100, getenv("KEEP_WACZ64")); }
