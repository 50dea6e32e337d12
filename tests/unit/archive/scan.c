/* tests/unit/archive/scan.c -- threads and cutting change nothing; payloads and WACZ. */
#include "archive/scan.h"

#include "archive/verify.h"
#include "base/limits.h"
#include "base/mem.h"
#include "make.h"

/* A scan written down as text. */
struct notes {
	struct buf out;
	struct payload payloads[5];
};

static void *note_record(void *context, struct reader *r, struct record *rec, size_t file, unsigned worker)
{
	struct notes *n = context;
	struct payload *p = &n->payloads[worker];
	struct err err = { 0 };
	struct buf line = BUF(MIB);
	char digest[DIGEST_TEXT];
	struct str piece;

	if (payload_begin(p, r, rec, PAYLOAD_DECODED, PAYLOAD_CHECK | PAYLOAD_DIGEST, &err) == WN_OK) {
		while (payload_read(p, &piece, &err) == WN_OK)
			;
		payload_end(p, rec, &err);
	}
	digest_write(&p->digest, digest);
	buf_printf(&line, "%zu %llu+%llu/%llu %.*s %s", file, (unsigned long long)rec->span.at,
		   (unsigned long long)rec->span.length, (unsigned long long)rec->span.skip, STR_FMT(rec->target_uri),
		   digest);
	for (unsigned i = 0; i < rec->flaws.n; i++)
		buf_printf(&line, " [%llu %s %s]", (unsigned long long)rec->flaws.v[i].at,
			   flaw_name(rec->flaws.v[i].kind), rec->flaws.v[i].detail);
	buf_byte(&line, '\n');
	buf_byte(&line, 0);
	return line.p;
}

static int note_item(void *context, void *item, size_t file, const struct scan_file *f)
{
	struct notes *n = context;

	if (item) {
		buf_str(&n->out, str(item));
		mem_free(item);
		return 0;
	}
	buf_printf(&n->out, "end of %zu: %llu records, %d", file, (unsigned long long)f->records, f->code);
	for (unsigned i = 0; i < f->tail->n; i++)
		buf_printf(&n->out, " [%llu %s %s]", (unsigned long long)f->tail->v[i].at,
			   flaw_name(f->tail->v[i].kind), f->tail->v[i].detail);
	buf_byte(&n->out, '\n');
	return 0;
}

static void drop_item(void *context, void *item)
{
	(void)context;
	mem_free(item);
}

static struct str scanned(struct test *t, const char *const *paths, size_t n, unsigned threads)
{
	struct notes *notes = ARENA_NEW(t->arena, struct notes);
	struct scan s = {
		.threads = threads, .context = notes, .work = note_record, .done = note_item, .drop = drop_item
	};
	struct err err = { 0 };

	notes->out.max = 64 * MIB;
	CHECK(scan_paths(&s, paths, n, &err) == WN_OK, "%s", err.text);
	for (unsigned i = 0; i < COUNT(notes->payloads); i++)
		payload_release(&notes->payloads[i]);
	struct str all = arena_str(t->arena, buf_view(&notes->out));

	buf_release(&notes->out);
	return all;
}

/* Several ranges' worth of records, some damaged, some holding records of their own. */
static struct str random_archive(struct test *t, bool packed)
{
	struct buf out = BUF(64 * MIB);

	for (unsigned i = 0; out.n < 7 * MIB; i++) {
		size_t size = test_below(t, 20) ? test_below(t, 60000) : test_below(t, 3 * MIB);
		struct str block = make_noise(t, size), record;

		if (test_below(t, 10) == 0) /* an archive in an archive: false heads at any place */
			block = make_member(t->arena, make_record(t->arena, "resource", "http://inner/", block, NULL),
					    test_below(t, 2) ? MAKE_GZIP : MAKE_PLAIN);
		record = make_record(t->arena, "resource", arena_printf(t->arena, "http://h/%u", i).p, block, NULL);
		if (test_below(t, 15) == 0) { /* a length that is wrong, by little or by much */
			ptrdiff_t at = str_find(record, STR("Content-Length: ")) + 16;

			((char *)(uintptr_t)record.p)[at] = (char)('1' + test_below(t, 9));
		}
		if (packed)
			record = make_member(t->arena, record, MAKE_GZIP);
		if (test_below(t, 25) == 0)
			record.n -= test_below(t, record.n / 2);
		buf_str(&out, record);
		if (test_below(t, 25) == 0)
			buf_str(&out, STR("\n\ngarbage "));
	}
	struct str all = arena_str(t->arena, buf_view(&out));

	buf_release(&out);
	return all;
}

TEST(scan, finds_the_same_with_any_number_of_threads)
{
	for (int round = 0; round < 4; round++) {
		struct arena round_arena = { 0 }, *outer = t->arena;

		t->arena = &round_arena;
		const char *paths[3] = { make_file(t, "a", random_archive(t, round & 1)),
					 make_file(t, "b",
						   make_record(t->arena, "resource", "http://b/", STR("b"), NULL)),
					 "/nowhere/c.warc" };
		struct str want = scanned(t, paths, 3, 1);

		CHECK(str_find(want, STR("end of 2: 0 records, -")) > 0);
		for (unsigned threads = 2; threads <= 4; threads++) {
			struct str got = scanned(t, paths, 3, threads);
			size_t same = 0;

			while (same < got.n && same < want.n && got.p[same] == want.p[same])
				same++;
			CHECK(str_eq(got, want), "%u threads, round %d: differs at %.200s", threads, round,
			      want.p + (same > 100 ? same - 100 : 0));
		}
		t->arena = outer;
		arena_release(&round_arena);
	}
}

/* Ranges that lie in garbage, or in one long record, hold nothing. */
TEST(scan, passes_ranges_in_which_nothing_begins)
{
	for (enum make_coding c = MAKE_PLAIN; c <= MAKE_GZIP; c++) {
		struct str few[4], garbage = make_noise(t, 9 * MIB + test_below(t, MIB));

		for (unsigned i = 0; i < COUNT(few); i++) {
			struct str block = make_noise(t, i == 2 ? 20 * MIB : test_below(t, 50000));

			few[i] =
			    make_record(t->arena, "resource", arena_printf(t->arena, "http://h/%u", i).p, block, NULL);
			few[i] = make_member(t->arena, few[i], c);
		}
		struct str parts[] = { few[0], garbage, few[1], few[2], few[3], garbage };
		const char *path = make_file(t, "sparse", make_join(t->arena, parts, COUNT(parts) - test_below(t, 2)));
		struct str want = scanned(t, &path, 1, 1);

		CHECK(str_find(want, STR("end of 0: 4 records, 0")) > 0, "%.*s", STR_FMT(want));
		for (unsigned threads = 2; threads <= 4; threads++)
			CHECK_STR(scanned(t, &path, 1, threads), want);
	}
}

TEST(scan, reads_one_large_member_in_sequence)
{
	struct str parts[40];

	for (size_t i = 0; i < COUNT(parts); i++)
		parts[i] = make_record(t->arena, "resource", "http://a/", make_noise(t, 200000), NULL);
	const char *path =
	    make_file(t, "one.warc.gz", make_member(t->arena, make_join(t->arena, parts, COUNT(parts)), MAKE_GZIP));

	CHECK_STR(scanned(t, &path, 1, 3), scanned(t, &path, 1, 1));
}

/* A stored ZIP entry by hand: local header, data; the directory is added by zip(). */
struct entry {
	const char *name;
	struct str data;
	bool deflated;
};

static void put(struct buf *b, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_byte(b, (char)(v >> (8 * i)));
}

static struct str zip(struct test *t, const struct entry *e, size_t n, bool directory)
{
	struct buf out = BUF(16 * MIB), central = BUF(MIB);

	for (size_t i = 0; i < n; i++) {
		struct str data = e[i].data, packed = data;
		size_t at = out.n, name = strlen(e[i].name);

		if (e[i].deflated) {
			struct str gz = make_member(t->arena, data, MAKE_GZIP);

			packed = str_sub(gz, 10, gz.n - 8);
		}
		buf_str(&out, STR("PK\3\4"));
		put(&out, 20, 2), put(&out, 0, 2), put(&out, e[i].deflated ? 8 : 0, 2), put(&out, 0, 4),
		    put(&out, 0, 4);
		put(&out, packed.n, 4), put(&out, data.n, 4), put(&out, name, 2), put(&out, 0, 2);
		buf_add(&out, e[i].name, name);
		buf_str(&out, packed);
		buf_str(&central, STR("PK\1\2"));
		put(&central, 20, 2), put(&central, 20, 2), put(&central, 0, 2),
		    put(&central, e[i].deflated ? 8 : 0, 2), put(&central, 0, 4), put(&central, 0, 4);
		put(&central, packed.n, 4), put(&central, data.n, 4), put(&central, name, 2), put(&central, 0, 2),
		    put(&central, 0, 2), put(&central, 0, 2);
		put(&central, 0, 2), put(&central, 0, 4), put(&central, at, 4);
		buf_add(&central, e[i].name, name);
	}
	size_t at = out.n;

	if (directory) {
		buf_str(&out, buf_view(&central));
		buf_str(&out, STR("PK\5\6"));
		put(&out, 0, 4), put(&out, n, 2), put(&out, n, 2), put(&out, central.n, 4), put(&out, at, 4),
		    put(&out, 0, 2);
	}
	struct str all = arena_str(t->arena, buf_view(&out));

	buf_release(&out);
	buf_release(&central);
	return all;
}

TEST(scan, reads_the_archives_of_a_wacz)
{
	struct str one = make_record(t->arena, "resource", "http://one/", STR("1"), NULL),
		   two = make_record(t->arena, "resource", "http://two/", STR("22"), NULL);
	struct entry entries[] = {
		{ "datapackage.json", STR("{}"), false },
		{ "archive/one.warc.gz", make_member(t->arena, one, MAKE_GZIP), false },
		{ "archive/two.warc", two, true },
		{ "pages/pages.jsonl", STR("WARC/1.0\r\nWARC-Type: resource\r\n\r\n"), false },
	};

	for (int directory = 0; directory < 2; directory++) {
		const char *path = make_file(t, "x.wacz", zip(t, entries, COUNT(entries), directory));
		struct str got = scanned(t, &path, 1, 2);

		CHECK(str_find(got, STR("http://one/")) > 0 && str_find(got, STR("http://two/")) > 0 &&
			  str_find(got, STR(": 2 records")) > 0,
		      "%.*s", STR_FMT(got));
		CHECK((str_find(got, STR("bad-container")) > 0) == !directory);
	}
	const char *part =
	    arena_printf(t->arena, "%s#archive/two.warc", make_file(t, "y.wacz", zip(t, entries, COUNT(entries), true)))
		.p;
	struct str got = scanned(t, &part, 1, 1);

	CHECK(str_find(got, STR("http://one/")) < 0 && str_find(got, STR("http://two/")) > 0, "%.*s", STR_FMT(got));
	struct entry none = { "readme.txt", STR("WARC"), false };
	const char *plain = make_file(t, "z.zip", zip(t, &none, 1, true));

	CHECK(str_find(scanned(t, &plain, 1, 1), STR("not-an-archive")) > 0);
}

static struct str response(struct test *t, const char *head, struct str body, const char *fields)
{
	struct str block =
	    make_join(t->arena, (struct str[]){ STR("HTTP/1.1 200 OK\r\n"), str(head), STR("\r\n"), body }, 4);

	return make_record(t->arena, "response", "http://a/", block,
			   arena_printf(t->arena, "Content-Type: application/http; msgtype=response\r\n%s", fields).p);
}

/* The payload of one record in the decoded form, and its flaws. */
static struct str document(struct test *t, struct str record, struct flaws *flaws, struct digest *digest)
{
	struct payload p = { 0 };
	struct reader *r;
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct err err = { 0 };
	struct str all = STR_NONE;
	bool cut;

	if (reader_open(&r, make_file(t, "payload", record), &err) == WN_OK && reader_next(r, rec, &err) == WN_OK &&
	    payload_begin(&p, r, rec, PAYLOAD_DECODED, PAYLOAD_CHECK | PAYLOAD_BLOCK | PAYLOAD_DIGEST, &err) == WN_OK &&
	    payload_all(&p, 16 * MIB, &all, &cut, &err) == WN_OK) {
		all = arena_str(t->arena, all);
		payload_end(&p, rec, &err);
	}
	*flaws = rec->flaws;
	*digest = p.digest;
	payload_release(&p);
	reader_close(r);
	return all;
}

TEST(payload, is_the_same_document_in_any_coding)
{
	for (size_t size = 10; size < 8 * MIB; size *= 90) {
		struct str text = make_noise(t, size), gz = make_member(t->arena, text, MAKE_GZIP),
			   twice = make_member(t->arena, gz, MAKE_ZSTD);
		struct str chunked =
		    make_join(t->arena,
			      (struct str[]){ arena_printf(t->arena, "%zx\r\n", size / 2), str_sub(text, 0, size / 2),
					      arena_printf(t->arena, "\r\n%zx\r\n", size - size / 2),
					      str_sub(text, size / 2, size), STR("\r\n0\r\n\r\n") },
			      5);
		struct str both = make_join(
		    t->arena, (struct str[]){ arena_printf(t->arena, "%zx\r\n", gz.n), gz, STR("\r\n0\r\n\r\n") }, 3);
		const struct {
			struct str record;
			const char *name;
		} forms[] = {
			{ response(t, "", text, ""), "plain" },
			{ response(t, "Content-Encoding: gzip\r\n", gz, ""), "gzip" },
			{ response(t, "Transfer-Encoding: chunked\r\n", chunked, ""), "chunked" },
			{ response(t, "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", both, ""), "both" },
			{ response(t, "Content-Encoding: gzip, zstd\r\n", twice, ""), "stacked" },
			{ response(t, "Content-Encoding: gzip\r\nContent-Encoding: zstd\r\n", twice, ""),
			  "stacked in two fields" },
			{ response(t, "Transfer-Encoding: gzip, chunked\r\n", both, ""), "transfer gzip" },
		};
		struct digest want;

		digest_of(DIGEST_SHA1, text, &want);
		for (size_t i = 0; i < COUNT(forms); i++) {
			struct flaws flaws;
			struct digest got;

			CHECK(str_eq(document(t, forms[i].record, &flaws, &got), text), "%s, %zu bytes", forms[i].name,
			      size);
			CHECK(flaws.n == 0, "%s, %zu bytes: %s %s", forms[i].name, size, flaw_name(flaws.v[0].kind),
			      flaws.v[0].detail);
			CHECK(digest_eq(&got, &want), "%s, %zu bytes", forms[i].name, size);
		}
	}
}

TEST(payload, compares_digests_raw_first_then_dechunked)
{
	struct str chunked = STR("3\r\nabc\r\n0\r\n\r\n");
	struct digest raw, plain, got;
	char raw_text[DIGEST_TEXT], plain_text[DIGEST_TEXT];

	digest_of(DIGEST_SHA1, chunked, &raw);
	digest_of(DIGEST_SHA256, STR("abc"), &plain);
	digest_write(&raw, raw_text);
	digest_write(&plain, plain_text);
	const struct {
		const char *digest;
		bool fits;
	} cases[] = { { raw_text, true }, { plain_text, true }, { "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", false } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct flaws flaws;
		struct str record = response(t, "Transfer-Encoding: chunked\r\n", chunked,
					     arena_printf(t->arena, "WARC-Payload-Digest: %s\r\n", cases[i].digest).p);

		CHECK_STR(document(t, record, &flaws, &got), STR("abc"));
		CHECK(flaw_has(&flaws, FLAW_PAYLOAD_DIGEST) == !cases[i].fits, "%s", cases[i].digest);
	}
	struct flaws flaws;

	document(t, response(t, "", STR("x"), "WARC-Block-Digest: md5:d41d8cd98f00b204e9800998ecf8427e\r\n"), &flaws,
		 &got);
	CHECK(flaw_has(&flaws, FLAW_BLOCK_DIGEST));
	document(t, response(t, "", STR("x"), "WARC-Block-Digest: what\r\n"), &flaws, &got);
	CHECK(flaw_has(&flaws, FLAW_BAD_DIGEST));
}

TEST(flaw, has_a_name_and_a_meaning_for_each_kind)
{
	for (int k = 0; k < FLAW_KINDS; k++) {
		enum flaw_kind back;

		REQUIRE(flaw_name((enum flaw_kind)k) && flaw_meaning((enum flaw_kind)k), "kind %d", k);
		CHECK(flaw_kind(str(flaw_name((enum flaw_kind)k)), &back) && back == (enum flaw_kind)k,
		      "%s stands twice", flaw_name((enum flaw_kind)k));
	}
}

static int take_flaw(void *context, const char *path, struct str part, const struct flaw *f)
{
	(void)path;
	(void)part;
	buf_printf(context, "%s ", flaw_name(f->kind));
	return 0;
}

TEST(verify, names_missing_fields_bad_dates_and_ids)
{
	static const char text[] =
	    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:a>\r\nWARC-Date: 2020-13-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	    "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Target-URI: nothing\r\nWARC-Record-ID: <urn:a>\r\nWARC-Date: 2020-01-01\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	    "WARC/1.1\r\nWARC-Type: continuation\r\nWARC-Target-URI: http://a/\r\nWARC-Date: 2020-01-01\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
	struct buf out = BUF(MIB);
	struct verify v = { .threads = 2, .context = &out, .flaw = take_flaw };
	struct verify_result result;
	struct err err = { 0 };
	const char *path = make_file(t, "verify", str(text));

	CHECK(verify_paths(&v, &path, 1, &result, &err) == WN_OK);
	CHECK_STR(
	    buf_view(&out),
	    STR("bad-date missing-field date-precision bad-uri missing-field duplicate-id missing-field missing-field missing-field "));
	CHECK_EQ(result.records, 3);
	CHECK_EQ(result.counts[FLAW_MISSING_FIELD], 5);
	buf_release(&out);
}
