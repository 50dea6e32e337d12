/* tests/unit/archive/http.c -- heads, chunks, codings and digests as archives hold them. */
#include "archive/http.h"

#include "archive/chunk.h"
#include "archive/decode.h"
#include "archive/digest.h"
#include "archive/warc.h"
#include "base/limits.h"
#include "make.h"

static const struct {
	const char *text;
	bool head;
	int status;
	unsigned major, minor;
	const char *reason, *type, *flaws;
} heads[] = {
	{ "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nbody", true, 200, 1, 1, "OK", "text/html", "" },
	{ "HTTP/1.1 200\r\nContent-Type: a/b\r\n\r\n", true, 200, 1, 1, "", "a/b", "" },
	{ "HTTP/2 200\r\ncontent-type: a/b\r\n\r\n", true, 200, 2, 0, "", "a/b", "" },
	{ "HTTP 404 Not Found\r\n\r\n", true, 404, 0, 0, "Not Found", "", "" },
	{ "ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n", true, 200, 0, 0, "OK", "audio/mpeg", "" },
	{ "HTTP/1.0 0 \r\n\r\n", true, 0, 1, 0, "", "", "http-status" },
	{ "HTTP/1.1 \r\n\r\n", true, 0, 1, 1, "", "", "http-status" },
	{ "HTTP/1.1 200 OK\nContent-Type: a/b\n\nbody", true, 200, 1, 1, "OK", "a/b", "http-line-end" },
	{ "HTTP/1.1 200 OK\r\nno colon\r\nContent-Type: a/b\r\n\r\n", true, 200, 1, 1, "OK", "a/b", "http-field" },
	{ "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Type: a/b\r\n\r\n", true, 200, 1, 1, "OK", "a/b", "http-folded" },
	{ "HTTP/1.1 410 Gone\r\r\n\r\n", true, 410, 1, 1, "Gone", "", "" },
	{ "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n", true, 200, 1, 1, "OK", "a/b", "http-truncated" },
	{ "GET /x y HTTP/1.1\r\nHost: a\r\n\r\n", true, 0, 1, 1, "", "", "" },
	{ "<html>\r\n\r\n", false, 0, 0, 0, "", "", "" },
	{ "", false, 0, 0, 0, "", "", "" },
};

TEST(http, reads_heads_as_found)
{
	struct http_scratch scratch = { 0 };

	for (size_t i = 0; i < COUNT(heads); i++) {
		struct http_head h;
		struct flaws flaws = { 0 };
		bool head = http_parse(&h, HTTP_EITHER, str(heads[i].text), &scratch, &flaws, 0);

		CHECK(head == heads[i].head, "%s", heads[i].text);
		CHECK(h.status == heads[i].status, "%s: %d", heads[i].text, h.status);
		CHECK(h.major == heads[i].major && h.minor == heads[i].minor, "%s: %u.%u", heads[i].text, h.major,
		      h.minor);
		CHECK_STR(h.reason, str(heads[i].reason), "%s", heads[i].text);
		CHECK_STR(h.content_type, str(heads[i].type), "%s", heads[i].text);
		CHECK_STR(str(flaws.n ? flaw_name(flaws.v[0].kind) : ""), str(heads[i].flaws), "%s", heads[i].text);
	}
	struct http_head h;

	CHECK(http_parse(&h, HTTP_EITHER, str(heads[12].text), &scratch, NULL, 0));
	CHECK_STR(h.method, STR("GET"));
	CHECK_STR(h.target, STR("/x y"));
	http_scratch_release(&scratch);
}

/* A response without a head is all body, though its first words may look like a request. */
TEST(http, asks_for_the_head_that_the_record_must_have)
{
	struct str text = STR("Some text\r\n\r\nmore"), answer = STR("HTTP/1.1 200 OK\r\n\r\n");
	struct http_scratch scratch = { 0 };
	struct flaws flaws = { 0 };
	struct http_head h;

	CHECK(!http_parse(&h, http_kind_of(RECORD_RESPONSE), text, &scratch, &flaws, 0));
	CHECK_EQ(h.size, 0);
	CHECK(!http_parse(&h, http_kind_of(RECORD_REVISIT), text, &scratch, &flaws, 0));
	CHECK(!http_parse(&h, http_kind_of(RECORD_REQUEST), answer, &scratch, &flaws, 0));
	CHECK(http_parse(&h, http_kind_of(RECORD_REQUEST), text, &scratch, &flaws, 0) && h.request);
	CHECK(http_parse(&h, http_kind_of(RECORD_RESPONSE), answer, &scratch, &flaws, 0) && !h.request);
	CHECK_EQ(flaws.n, 0);
	http_scratch_release(&scratch);
}

/* A source that gives its text in pieces of random size. */
struct pieces {
	struct source source;
	struct test *t;
	struct str left;
	size_t most;
};

static int pull_piece(struct source *s, struct str *piece, struct err *err)
{
	struct pieces *p = (struct pieces *)(void *)s;
	size_t n = p->most ? 1 + test_below(p->t, p->most) : p->left.n;

	(void)err;
	if (!p->left.n)
		return WN_END;
	*piece = str_sub(p->left, 0, n);
	p->left = str_sub(p->left, piece->n, p->left.n);
	s->last = p->left.n == 0;
	return WN_OK;
}

static struct str gather(struct test *t, struct source *s)
{
	struct buf out = BUF(64 * MIB);
	struct str piece;
	struct err err = { 0 };

	while (source_pull(s, &piece, &err) == WN_OK)
		buf_str(&out, piece);
	struct str all = arena_str(t->arena, buf_view(&out));

	buf_release(&out);
	return all;
}

static const struct {
	const char *text, *want, *flaw;
} chunks[] = {
	{ "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde", "" },
	{ "3;x=y\r\nabc\r\n0\r\nTrailer: x\r\n\r\n", "abc", "" },
	{ "03 \nabc\n0\n\n", "abc", "" },
	{ "3\r\nabc\r\n0", "abc", "" },
	{ "0\r\n\r\n", "", "" },
	{ "", "", "" },
	{ "<html>", "<html>", "not-chunked" },
	{ "<html>\r\nabc\r\n", "<html>\r\nabc\r\n", "not-chunked" },
	{ "3\r\nabc\r\nzz\r\nrest", "abczz\r\nrest", "chunk" },
	{ "9\r\nabc", "abc", "chunk" },
	{ "3\r\nabc2\r\nde\r\n0\r\n\r\n", "abcde", "chunk" },
	{ "3\r\nabc\r\n0\r\n\r\nmore", "abc", "chunk" },
	{ "fffffffffffffffff\r\nabc", "fffffffffffffffff\r\nabc", "not-chunked" },
};

TEST(chunk, comes_off_however_it_is_cut)
{
	for (size_t i = 0; i < COUNT(chunks); i++)
		for (size_t most = 0; most < 6; most++) {
			struct pieces p = { { pull_piece, false }, t, str(chunks[i].text), most };
			struct flaws flaws = { 0 };
			struct dechunk d;

			dechunk_init(&d, &p.source, &flaws, 0);
			struct str got = gather(t, &d.source);

			CHECK_STR(got, str(chunks[i].want), "case %zu, pieces of %zu", i, most);
			CHECK_STR(str(flaws.n ? flaw_name(flaws.v[0].kind) : ""), str(chunks[i].flaw),
				  "case %zu, pieces of %zu", i, most);
		}
}

static struct str decoded(struct test *t, struct str in, size_t most, const char *label, struct flaws *flaws)
{
	struct pieces p = { { pull_piece, false }, t, in, most };
	struct decode d = { 0 };
	enum coding coding = CODING_NONE;

	decode_label(str(label), &coding);
	decode_init(&d, &p.source, coding, str(label), flaws, 0);
	struct str out = gather(t, &d.source);

	decode_release(&d);
	return out;
}

TEST(decode, gives_back_what_was_coded)
{
	struct str hello = STR("hello hello hello hello\n");

	for (size_t most = 0; most < 4000; most = most ? most * 5 : 1) {
		struct flaws flaws = { 0 };
		struct str noise = make_noise(t, 200000);
		struct str gz = make_member(t->arena, noise, MAKE_GZIP), zst = make_member(t->arena, noise, MAKE_ZSTD);

		CHECK(str_eq(decoded(t, gz, most, "gzip", &flaws), noise));
		CHECK(str_eq(decoded(t, gz, most, "X-GZIP", &flaws), noise));
		CHECK(str_eq(decoded(t, zst, most, "zstd", &flaws), noise));
		CHECK(str_eq(decoded(t, str_sub(gz, 10, gz.n - 8), most, "deflate", &flaws), noise),
		      "raw deflate, pieces of %zu", most);
		CHECK_EQ(flaws.n, 0);
		CHECK_STR(decoded(t, hello, most, "gzip", &flaws), hello);
		CHECK_STR(str(flaw_name(flaws.v[0].kind)), STR("coding-wrong"));
		flaws.n = 0;
		CHECK_STR(decoded(t, hello, most, "br", &flaws), hello, "pieces of %zu", most);
		CHECK(flaws.n == 1 && flaws.v[0].kind == FLAW_CODING_WRONG);
		flaws.n = 0;
		struct str part = decoded(t, str_sub(gz, 0, gz.n / 2), most, "gzip", &flaws);

		CHECK(part.n > 0 && part.n < noise.n && memcmp(part.p, noise.p, part.n) == 0);
		CHECK(flaws.n == 1 && flaws.v[0].kind == FLAW_CODING_DAMAGED);
	}
}

TEST(decode, reads_two_gzip_members_as_one)
{
	struct flaws flaws = { 0 };
	struct str two = make_join(t->arena,
				   (struct str[]){ make_member(t->arena, STR("abc"), MAKE_GZIP),
						   make_member(t->arena, STR("def"), MAKE_GZIP) },
				   2);

	CHECK_STR(decoded(t, two, 0, "gzip", &flaws), STR("abcdef"));
	CHECK_STR(decoded(t, two, 3, "gzip", &flaws), STR("abcdef"));
	CHECK_EQ(flaws.n, 0);
}

static const struct {
	const char *text;
	bool ok;
	const char *written;
} digests[] = {
	{ "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", true, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" },
	{ "SHA-1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj", true, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" },
	{ "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", true, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" },
	{ "sha1=DA39A3EE5E6B4B0D3255BFEF95601890AFD80709", true, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" },
	{ "md5:d41d8cd98f00b204e9800998ecf8427e", true, "md5:d41d8cd98f00b204e9800998ecf8427e" },
	{ "md5:2QOYZWMPACZAJ2MABGMOZ6CCPY======", true, "md5:d41d8cd98f00b204e9800998ecf8427e" },
	{ "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", true,
	  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=", true, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" },
	{ "sha1:2jmj7l5rSw0yVb_vlWAYkK_YBwk", true, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" },
	{ "md5:1B2M2Y8AsgTpgAmY7PhCfg==", true, "md5:d41d8cd98f00b204e9800998ecf8427e" },
	{ "sha-256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", true,
	  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "sha1:2jmj7l5rSw0yVb!vlWAYkK/YBwk=", false, "" },
	{ "sha1:xyz", false, "" },
	{ "crc32:00000000", false, "" },
	{ "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", false, "" },
	{ "", false, "" },
};

TEST(digest, reads_every_spelling)
{
	for (size_t i = 0; i < COUNT(digests); i++) {
		struct digest d, empty;
		char text[DIGEST_TEXT];

		if (!CHECK(digest_parse(str(digests[i].text), &d) == digests[i].ok, "%s", digests[i].text) ||
		    !digests[i].ok)
			continue;
		digest_write(&d, text);
		CHECK_STR(str(text), str(digests[i].written));
		digest_of(d.kind, STR(""), &empty);
		CHECK(digest_eq(&d, &empty), "%s is that of nothing", digests[i].text);
	}
}

/* A head of many folded lines takes memory as it is long; copied line by line, these would take gigabytes. */
TEST(http, folded_lines_take_what_they_are_long)
{
	enum { LINES = 100000 };
	struct buf text = BUF(4 * MIB), want = BUF(4 * MIB);
	struct http_scratch s = { 0 };
	struct head_scratch w = { 0 };
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct http_head head;

	buf_str(&want, STR("a"));
	for (unsigned i = 0; i < LINES; i++)
		buf_printf(&want, " x%u", i % 10);
	buf_str(&text, STR("HTTP/1.1 200 OK\r\nX-Long: a\r\n"));
	for (unsigned i = 0; i < LINES; i++)
		buf_printf(&text, " x%u\r\n", i % 10);
	buf_str(&text, STR("Y: b\r\n c\r\n\r\n"));
	CHECK(http_parse(&head, HTTP_EITHER, buf_view(&text), &s, NULL, 0));
	REQUIRE(head.nfields == 2);
	CHECK(str_eq(head.fields[0].value, buf_view(&want)), "%zu bytes of %zu", head.fields[0].value.n, want.n);
	CHECK_STR(head.fields[1].value, STR("b c"));
	CHECK(s.arena.used < 8 * MIB, "%zu bytes", s.arena.used);
	memcpy(text.p, "WARC/1.0       \r\n", 17); /* the same length as the status line */
	warc_parse(rec, buf_view(&text), &w, 0);
	REQUIRE(rec->nfields == 2);
	CHECK(str_eq(rec->fields[0].value, buf_view(&want)));
	CHECK_STR(rec->fields[1].value, STR("b c"));
	CHECK(w.arena.used < 8 * MIB, "%zu bytes", w.arena.used);
	http_scratch_release(&s);
	head_scratch_release(&w);
	buf_release(&text);
	buf_release(&want);
}

/* What comes of a body that is cut off does not depend on the pieces it comes in, though an inflater looks ahead. */
TEST(decode, a_cut_body_opens_to_the_same_bytes_from_any_pieces)
{
	static const size_t pieces[] = { 7, 1000, 3000, 70000 };

	for (int round = 0; round < 40; round++) {
		struct str gz = make_member(t->arena, make_noise(t, 1000 + test_below(t, 100000)), MAKE_GZIP), want;
		struct flaws flaws = { 0 };

		gz.n = 20 + test_below(t, gz.n - 20);
		want = decoded(t, gz, 0, "gzip", &flaws);
		for (size_t i = 0; i < COUNT(pieces); i++)
			CHECK(str_eq(decoded(t, gz, pieces[i], "gzip", &flaws), want), "pieces of %zu", pieces[i]);
	}
}
