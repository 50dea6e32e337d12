/* tests/unit/archive/reader.c -- records come out whole, whatever the file looks like. */
#include "archive/reader.h"
#include "archive/warc.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "archive/payload.h"
#include "base/limits.h"
#include "base/os.h"
#include "make.h"

/* What a file holds, as text: a line per record, its flaws behind it. */
static struct str listing(struct test *t, const char *path)
{
	struct buf out = BUF(16 * MIB);
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct reader *r;
	struct err err = { 0 };
	int rc = reader_open(&r, path, &err);

	if (rc < 0)
		return arena_printf(t->arena, "error: %s", err.text);
	while ((rc = reader_next(r, rec, &err)) == WN_OK) {
		struct digest d;
		struct hasher h = { 0 };
		struct str piece;
		char text[DIGEST_TEXT];

		hasher_begin(&h, DIGEST_MD5);
		while (reader_block(r, &piece, &err) == WN_OK)
			hasher_add(&h, piece);
		hasher_end(&h, &d);
		hasher_release(&h);
		digest_write(&d, text);
		reader_end(r, rec, &err);
		buf_printf(&out, "%s %.*s %s", record_type_name(rec->type), STR_FMT(rec->target_uri), text);
		for (unsigned i = 0; i < rec->flaws.n; i++)
			buf_printf(&out, " %s", flaw_name(rec->flaws.v[i].kind));
		buf_byte(&out, '\n');
	}
	for (unsigned i = 0; i < reader_tail(r)->n; i++)
		buf_printf(&out, "tail %s\n", flaw_name(reader_tail(r)->v[i].kind));
	if (rc < 0)
		buf_printf(&out, "error: %s\n", err.text);
	reader_close(r);
	struct str s = arena_str(t->arena, buf_view(&out));

	buf_release(&out);
	return s;
}

/* Only types and flaws: "response: a b; tail: c". */
static struct str summary(struct test *t, struct str data)
{
	struct buf out = BUF(MIB);
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct reader *r;
	struct err err = { 0 };

	if (reader_open(&r, make_file(t, "case", data), &err) < 0)
		return arena_printf(t->arena, "error: %s", err.text);
	while (reader_next(r, rec, &err) == WN_OK) {
		reader_end(r, rec, &err);
		buf_printf(&out, "%s%s %llu", out.n ? "; " : "", record_type_name(rec->type),
			   (unsigned long long)rec->length);
		for (unsigned i = 0; i < rec->flaws.n; i++)
			buf_printf(&out, " %s", flaw_name(rec->flaws.v[i].kind));
	}
	for (unsigned i = 0; i < reader_tail(r)->n; i++)
		buf_printf(&out, "%stail %s", out.n ? "; " : "", flaw_name(reader_tail(r)->v[i].kind));
	reader_close(r);
	struct str s = arena_str(t->arena, buf_view(&out));

	buf_release(&out);
	return s;
}

#define HEAD \
	"WARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://a/\r\n"
#define GOOD "WARC/1.0\r\n" HEAD "Content-Length: 3\r\n\r\nabc\r\n\r\n"
#define ARC \
	"filedesc://x.arc 0.0.0.0 20080430204825 text/plain 76\n1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n"

static const struct {
	const char *text, *want, *because;
} cases[] = {
	{ GOOD GOOD, "resource 3; resource 3", "two good records" },
	{ "", "tail empty-file; tail not-an-archive", "nothing" },
	{ "hello\n", "tail not-an-archive", "a text" },
	{ "WARC/1.0\r\r\nWARC-Type: metadata\r\r\nContent-Length: 2\r\r\n\r\r\nab\r\n\r\n", "metadata 2 line-end",
	  "CR CR LF" },
	{ "WARC/1.0\n"
	  "WARC-Type: metadata\n"
	  "Content-Length: 2\n\nab\n\n",
	  "metadata 2 line-end record-trailer", "LF line ends" },
	{ "WARC/1.0\r\nWARC-Type: metadata\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
	  "metadata 0 folded-field", "a folded field" },
	{ "WARC/1.0\r\n" HEAD "\r\nabc\r\n\r\n" GOOD, "resource 3 missing-length; resource 3",
	  "no length: up to the next record" },
	{ "WARC/1.0\r\n" HEAD "Content-Length: x\r\n\r\nabc\r\n\r\n" GOOD, "resource 3 bad-length; resource 3",
	  "a length that is no number" },
	{ "WARC/1.0\r\n" HEAD "Content-Length: 5\r\n\r\nabc\r\n\r\n" GOOD, "resource 3 wrong-length; resource 3",
	  "a length that reaches into the trailer" },
	{ "WARC/1.0\r\n" HEAD "Content-Length: 60\r\n\r\nabc\r\n\r\n" GOOD, "resource 3 wrong-length; resource 3",
	  "a length that swallows the next head" },
	{ "WARC/1.0\r\n" HEAD "Content-Length: 2\r\n\r\nabc\r\n\r\n" GOOD, "resource 3 wrong-length; resource 3",
	  "a length that is too short" },
	{ GOOD "junk junk\r\n\r\n" GOOD, "resource 3; resource 3 garbage", "garbage between records" },
	{ GOOD "junk", "resource 3; tail garbage", "garbage at the end" },
	{ "junk\n" GOOD, "resource 3 garbage", "garbage at the beginning" },
	{ GOOD "\r\n\r\n\r\n" GOOD, "resource 3 record-trailer; resource 3", "more line ends than two" },
	{ "WARC/1.0\r\n" HEAD "Content-Length: 9\r\n\r\nabc", "resource 3 block-truncated",
	  "the file ends in the block" },
	{ GOOD "WARC/1.0\r\nWARC-Ty", "resource 3; unknown 0 bad-field missing-length head-truncated",
	  "the file ends in a head" },
	{ "warc/1.0\r\n" HEAD "Content-Length: 3\r\n\r\nabc\r\n\r\n", "resource 3 version", "a version in lower case" },
	{ "WARC/9.9\r\n" HEAD "Content-Length: 3\r\n\r\nabc\r\n\r\n", "resource 3 version", "a version that is none" },
	{ "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Type: request\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
	  "resource 0 duplicate-field", "the first of two counts" },
	{ "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: <http://a/b c>\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
	  "resource 0 uri-brackets uri-space", "brackets and a space" },
	{ "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI:\r\n <http://a/\tb>\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
	  "resource 0 uri-brackets uri-space folded-field", "a URI on a folded line, with a tab" },
	{ "WARC/1.0\r\nWARC-Type: resource\r\nno colon\r\nContent-Length: 0\r\n\r\n\r\n\r\n", "resource 0 bad-field",
	  "a line that is no field" },
	{ ARC "http://a/ 1.2.3.4 20080430204825 text/html 3\nabc\n", "warcinfo 76; resource 3", "ARC" },
	{ ARC "http://a/ 1.2.3.4 00000000000000 text/html 3\nabc\n", "warcinfo 76; resource 3", "ARC without a date" },
	{ ARC "http://a/ 1.2.3.4 20080430204825 text/html 15\nHTTP/1.0 200 OK\n", "warcinfo 76; response 15",
	  "ARC with HTTP" },
	{ ARC "http://a/b c 1.2.3.4 20080430204825 text/html 3\nabc\n", "warcinfo 76; resource 3 uri-space arc-line",
	  "ARC, a space in the URL" },
	{ ARC "http://a/ 20080430204825 1.2.3.4 text/html 3\nabc\n", "warcinfo 76; resource 3 arc-line",
	  "ARC, address and date transposed" },
	{ ARC "http://a/ 1.2.3.4 20080430204825 text/html; charset=x 3\nabc\n", "warcinfo 76; resource 3",
	  "ARC, a type with a parameter" },
	{ ARC "http://a/ 1.2.3.4 20080430204825 text/html -1\nabc\nhttp://b/ 1.2.3.4 20080430204825 text/html 3\nabc\n",
	  "warcinfo 76; resource 3 bad-length; resource 3", "ARC, no length" },
	{ ARC "rubbish\nhttp://b/ 1.2.3.4 20080430204825 text/html 3\nabc\n", "warcinfo 76; resource 3 garbage",
	  "ARC, garbage" },
	{ "http://a/ 1.2.3.4 20080430204825 text/html 60 x.arc.gz 1234\n", "tail not-an-archive", "a CDX is no ARC" },
};

TEST(reader, names_each_flaw_and_goes_on)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str got = summary(t, str(cases[i].text));

		CHECK_STR(got, str(cases[i].want), "%s", cases[i].because);
	}
}

TEST(reader, compression_makes_no_difference)
{
	struct str plain[6], want;

	for (size_t i = 0; i < COUNT(plain); i++) {
		/* below, at and far above what is seen whole */
		static const size_t sizes[] = { 0, 10, 5000, 300000, 2 * MIB + 17, 6 * MIB };

		plain[i] = make_record(t->arena, "resource", "http://a/", make_noise(t, sizes[i]), NULL);
	}
	want = listing(t, make_file(t, "plain.warc", make_join(t->arena, plain, COUNT(plain))));
	CHECK(str_find(want, STR("error")) < 0);
	for (int coding = MAKE_GZIP; coding < MAKE_CODINGS; coding++) {
		struct str packed[COUNT(plain)];

		for (size_t i = 0; i < COUNT(plain); i++)
			packed[i] = make_member(t->arena, plain[i], (enum make_coding)coding);
		CHECK_STR(listing(t, make_file(t, "packed", make_join(t->arena, packed, COUNT(plain)))), want,
			  "coding %d", coding);
	}
}

TEST(reader, reads_one_member_for_all)
{
	struct str plain[3];

	for (size_t i = 0; i < 3; i++)
		plain[i] = make_record(t->arena, "resource", "http://a/", make_noise(t, 40000), NULL);
	struct str all = make_join(t->arena, plain, 3);

	CHECK_STR(summary(t, make_member(t->arena, all, MAKE_GZIP)),
		  STR("resource 40000; resource 40000 shared-member; resource 40000"));
	CHECK_STR(summary(t, make_member(t->arena, all, MAKE_ZSTD)),
		  STR("resource 40000; resource 40000 shared-member; resource 40000"));
}

TEST(reader, passes_damaged_members)
{
	struct str one =
	    make_member(t->arena, make_record(t->arena, "resource", "http://a/", make_noise(t, 3000), NULL), MAKE_GZIP);
	struct str empty = make_member(t->arena, STR(""), MAKE_GZIP), junk = STR("some junk");
	char *bad = arena_alloc(t->arena, one.n), *sum = arena_alloc(t->arena, one.n);

	memcpy(bad, one.p, one.n);
	memset(bad + one.n / 2, 0xff, 20);
	memcpy(sum, one.p, one.n);
	sum[one.n - 6] ^= 1;
	CHECK_STR(summary(t, make_join(t->arena, (struct str[]){ one, empty, one }, 3)),
		  STR("resource 3000; resource 3000 empty-member"));
	CHECK_STR(summary(t, make_join(t->arena, (struct str[]){ one, junk, one }, 3)),
		  STR("resource 3000; resource 3000 garbage"));
	CHECK_STR(summary(t, make_join(t->arena, (struct str[]){ one, junk }, 2)), STR("resource 3000; tail garbage"));
	CHECK_STR(summary(t, make_join(t->arena, (struct str[]){ one, str_n(sum, one.n), one }, 3)),
		  STR("resource 3000; resource 3000 bad-checksum; resource 3000"));
	struct str got = summary(t, make_join(t->arena, (struct str[]){ one, str_n(bad, one.n), one }, 3));

	CHECK(str_find(got, STR(" bad-")) > 0 && str_find(str_sub(got, 20, got.n), STR("; resource 3000")) > 0, "%.*s",
	      STR_FMT(got));
	got = summary(t, make_join(t->arena, (struct str[]){ one, str_sub(one, 0, one.n / 2) }, 2));
	CHECK(str_find(got, STR("truncated-file")) > 0, "%.*s", STR_FMT(got));
}

TEST(reader, joins_a_record_over_members)
{
	struct str record = make_record(t->arena, "resource", "http://a/", make_noise(t, 9000), NULL), parts[4];

	for (size_t i = 0; i < 3; i++)
		parts[i] = make_member(t->arena, str_sub(record, i * 4000, (i + 1) * 4000), MAKE_GZIP);
	parts[3] = make_member(t->arena, make_record(t->arena, "resource", "http://b/", STR("xyz"), NULL), MAKE_GZIP);
	CHECK_STR(summary(t, make_join(t->arena, parts, 4)), STR("resource 9000 split-record; resource 3"));
}

/* Members that end anywhere, as tools make them that know nothing of records: also inside heads and version lines. */
TEST(reader, joins_records_over_members_of_any_size)
{
	static const enum make_coding codings[] = { MAKE_GZIP, MAKE_GZIP_EXTRA, MAKE_ZSTD, MAKE_LZ4, MAKE_BZIP2 };
	struct str records[5];

	for (size_t i = 0; i < COUNT(records); i++)
		records[i] = make_record(
		    t->arena, "resource", "http://a/", /* line ends around it could be those of a head or trailer */
		    make_join(t->arena, (struct str[]){ STR("."), make_noise(t, 8 + 700 * i), STR(".") }, 3), NULL);
	struct str all = make_join(t->arena, records, COUNT(records));

	for (size_t size = 5; size < 400; size += 1 + size / 3)
		for (size_t c = 0; c < COUNT(codings); c++) {
			struct arena round = { 0 }, *outer = t->arena;
			size_t n = 0;

			t->arena = &round;
			struct str *members = ARENA_ARRAY(t->arena, struct str, all.n / size + 1);

			for (size_t at = 0; at < all.n; at += size)
				members[n++] = make_member(t->arena, str_sub(all, at, at + size), codings[c]);
			struct str got = summary(t, make_join(t->arena, members, n));

			CHECK(str_find(got, STR("resource 10")) == 0 && str_find(got, STR("resource 710 ")) > 0 &&
				  str_find(got, STR("resource 1410 ")) > 0 &&
				  str_find(got, STR("resource 2110 ")) > 0 && str_find(got, STR("resource 2810 ")) > 0,
			      "members of %zu bytes, coding %d: %.*s", size, (int)codings[c], STR_FMT(got));
			t->arena = outer;
			arena_release(&round);
		}
}

/* The last byte of a block is a line end, and begins a member with the trailer and the next head. */
TEST(reader, joins_a_block_whose_last_byte_is_a_line_end)
{
	struct str first = make_record(t->arena, "resource", "http://a/", STR("some text\n"), NULL),
		   second = make_record(t->arena, "resource", "http://b/", STR("xyz"), NULL);
	struct str all = make_join(t->arena, (struct str[]){ first, second }, 2);

	for (enum make_coding coding = MAKE_GZIP; coding <= MAKE_BZIP2; coding++) {
		struct str parts[2] = { make_member(t->arena, str_sub(all, 0, first.n - 5), coding),
					make_member(t->arena, str_sub(all, first.n - 5, all.n), coding) };

		CHECK_STR(summary(t, make_join(t->arena, parts, 2)), STR("resource 10 split-record; resource 3"),
			  "coding %d", (int)coding);
	}
}

/* zstd and lz4 have the same skippable frames; only what follows the first tells which of them it is. */
TEST(reader, passes_skippable_frames)
{
	static const char frame[] = "\x53\x2a\x4d\x18\x07\0\0\0ignored";
	struct str skip = str_n(frame, sizeof frame - 1),
		   record = make_record(t->arena, "resource", "http://a/", STR("abc"), NULL);

	for (int c = 0; c < 2; c++) {
		struct str one = make_member(t->arena, record, c ? MAKE_LZ4 : MAKE_ZSTD);

		CHECK_STR(summary(t, make_join(t->arena, (struct str[]){ skip, skip, one, skip, one, skip }, 6)),
			  STR("resource 3; resource 3"));
	}
}

TEST(reader, uses_the_dictionary_frame)
{
	struct str record = make_record(t->arena, "resource", "http://a/", STR("abc"), NULL);
	/* a raw-content dictionary: any bytes that do not begin with the magic of a trained one */
	struct str dictionary = STR("WARC/1.1 WARC-Type: resource");
	char head[8] = { 0x5d, 0x2a, 0x4d, 0x18, (char)dictionary.n, 0, 0, 0 };
	struct str file = make_join(
	    t->arena, (struct str[]){ str_n(head, 8), dictionary, make_member(t->arena, record, MAKE_ZSTD) }, 3);

	CHECK_STR(summary(t, file), STR("resource 3"));
}

/* A frame that names a dictionary which the file does not carry: that is told, and what follows is found. */
TEST(reader, tells_that_a_dictionary_is_missing)
{
	struct str record = make_record(t->arena, "resource", "http://a/", STR("abc"), NULL),
		   frame = make_member(t->arena, record, MAKE_ZSTD);
	bool window = !(frame.p[4] & 0x20); /* then a byte says how large it is, and the dictionary's number follows */
	size_t at = window ? 6 : 5;
	char *head = arena_strz(t->arena, str_sub(frame, 0, at));
	struct reader *r;
	struct err err = { 0 };
	struct record *rec = ARENA_NEW(t->arena, struct record);

	memcpy(head, frame.p, at);
	head[4] |= 3;
	struct str asks =
	    make_join(t->arena, (struct str[]){ str_n(head, at), STR("\x07\0\0\0"), str_sub(frame, at, frame.n) }, 3);

	CHECK_STR(summary(t, asks), STR("tail missing-dictionary; tail not-an-archive"));
	CHECK_STR(summary(t, make_join(t->arena, (struct str[]){ frame, asks, frame }, 3)),
		  STR("resource 3; resource 3 missing-dictionary"));
	REQUIRE(reader_open(&r, make_file(t, "asks", asks), &err) == WN_OK);
	CHECK(reader_next(r, rec, &err) == WN_END);
	CHECK_STR(str(reader_tail(r)->v[0].detail), STR("it asks for dictionary 7, and the file has none"));
	reader_close(r);
}

/* The block lost its end and its trailer, and its length reaches into the next line: that is no "ttp://". */
TEST(reader, an_arc_line_keeps_its_first_letters)
{
	for (int by = 1; by < 7; by++) {
		const char *file =
		    arena_printf(t->arena,
				 "filedesc://x.arc 0.0.0.0 20200101000000 text/plain 76\n1 0 InternetArchive\nURL "
				 "IP-address Archive-date Content-type Archive-length\n\n"
				 "http://a/ 1.2.3.4 20200101000000 text/plain %d\na 1"
				 "http://b/ 1.2.3.4 20200101000000 text/plain 3\nxyz\n",
				 3 + by)
			.p;

		CHECK(str_find(listing(t, make_file(t, "cut.arc", str(file))), STR(" http://b/ ")) >= 0, "by %d", by);
	}
}

/* Files of several makers put behind each other: each member tells its own coding, also behind what is neither. */
TEST(reader, reads_members_of_several_codings)
{
	for (int round = 0; round < 100; round++) {
		size_t n = 2 + test_below(t, 12), bad = test_below(t, 2) ? n : 1 + test_below(t, n - 1);
		struct str parts[16], got;
		struct buf want = BUF(MIB);

		for (size_t i = 0; i < n; i++) {
			const char *uri = arena_printf(t->arena, "http://host/%zu", i).p;
			struct str block = make_noise(t, 20 + test_below(t, 3000));

			enum make_coding coding = (enum make_coding)test_below(t, MAKE_CODINGS);

			parts[i] = make_member(t->arena, make_record(t->arena, "resource", uri, block, NULL), coding);
			if (i == bad)
				parts[i] = STR("neither a member nor a record");
			else
				buf_printf(&want, "%sresource %zu", want.n ? "; " : "", block.n);
		}
		got = summary(t, make_join(t->arena, parts, n));
		if (bad == n) {
			CHECK_STR(got, buf_view(&want), "round %d", round);
		} else { /* the record behind it has the flaw, or the tail */
			ptrdiff_t flaw = str_find(got, STR(" garbage"));

			REQUIRE(flaw > 0, "round %d: %.*s", round, STR_FMT(got));
			CHECK(str_starts(buf_view(&want), str_sub(got, 0, (size_t)flaw)) || bad == n - 1,
			      "round %d: %.*s", round, STR_FMT(got));
			for (size_t i = 0; i < n; i++)
				if (i != bad)
					CHECK(str_find(listing(t, make_file(t, "mixed", make_join(t->arena, parts, n))),
						       arena_printf(t->arena, " http://host/%zu ", i)) >= 0,
					      "round %d: record %zu of %zu, %zu is bad", round, i, n, bad);
		}
		buf_release(&want);
	}
}

/* Damages one member at random: all records in the other members are found. */
TEST(reader, loses_only_what_was_damaged)
{
	for (int round = 0; round < 60; round++) {
		size_t n = 3 + test_below(t, 6), victim = test_below(t, n);
		struct str parts[10];
		enum make_coding coding = test_below(t, 3) ? MAKE_GZIP : test_below(t, 2) ? MAKE_ZSTD : MAKE_LZ4;

		for (size_t i = 0; i < n; i++) {
			const char *uri = arena_printf(t->arena, "http://host/%zu", i).p;

			parts[i] = make_member(
			    t->arena,
			    make_record(t->arena, "resource", uri, make_noise(t, 20 + test_below(t, 4000)), NULL),
			    coding);
		}
		char *copy = arena_alloc(t->arena, parts[victim].n);

		memcpy(copy, parts[victim].p, parts[victim].n);
		size_t cut = parts[victim].n;
		if (test_below(t, 2))
			cut = 1 + test_below(t, cut - 1); /* bytes are missing */
		else
			for (int k = 0; k < 8; k++)
				copy[test_below(t, cut)] ^= (char)(1 + test_below(t, 255));
		parts[victim] = str_n(copy, cut);
		struct str got = listing(t, make_file(t, "damaged", make_join(t->arena, parts, n)));

		for (size_t i = 0; i < n; i++)
			if (i != victim)
				CHECK(str_find(got, arena_printf(t->arena, "http://host/%zu ", i)) >= 0,
				      "record %zu of %zu, victim %zu, coding %d, seed %" PRIu64 ":\n%.*s", i, n, victim,
				      (int)coding, t->seed, STR_FMT(got));
	}
}

TEST(reader, opens_a_record_by_its_span)
{
	struct str parts[5];
	const char *paths[3];

	for (size_t i = 0; i < 5; i++)
		parts[i] = make_record(t->arena, "resource", arena_printf(t->arena, "http://h/%zu", i).p,
				       make_noise(t, 700 * i), NULL);
	struct str all = make_join(t->arena, parts, 5), packed[5];

	for (size_t i = 0; i < 5; i++)
		packed[i] = make_member(t->arena, parts[i], MAKE_GZIP);
	paths[0] = make_file(t, "span.warc", all);
	paths[1] = make_file(t, "span.warc.gz", make_join(t->arena, packed, 5));
	paths[2] = make_file(t, "span-one.warc.gz", make_member(t->arena, all, MAKE_GZIP));
	for (size_t p = 0; p < 3; p++) {
		struct reader *r, *again;
		struct record *rec = ARENA_NEW(t->arena, struct record), *same = ARENA_NEW(t->arena, struct record);
		struct err err = { 0 };
		unsigned n = 0;

		REQUIRE(reader_open(&r, paths[p], &err) == WN_OK);
		while (reader_next(r, rec, &err) == WN_OK) {
			struct str uri = arena_str(t->arena, rec->target_uri);

			reader_end(r, rec, &err);
			REQUIRE(reader_open_span(&again, paths[p], rec->span, &err) == WN_OK, "%s", err.text);
			if (CHECK(reader_next(again, same, &err) == WN_OK)) {
				CHECK_STR(same->target_uri, uri);
				CHECK_EQ(same->length, rec->length);
				reader_end(again, same, &err);
				CHECK(reader_next(again, same, &err) == WN_END);
			}
			reader_close(again);
			n++;
		}
		CHECK_EQ(n, 5);
		reader_close(r);
	}
}

TEST(reader, names_a_file_that_was_cut_since)
{
	const char *path = make_file(t, "cut.warc", STR(""));
	struct span span = { .at = 5000 };
	struct reader *r;
	struct err err = { 0 };

	CHECK(reader_open_span(&r, path, span, &err) == WN_IO);
	CHECK(r == NULL && str_starts(str(err.text), str(path)), "%s", err.text);
	err = (struct err){ 0 };
	REQUIRE(reader_open_range(&r, path, 5000, UINT64_MAX, false, &err) == WN_OK, "%s", err.text);
	CHECK(reader_next(r, ARENA_NEW(t->arena, struct record), &err) == WN_END);
	reader_close(r);
}

struct feed {
	const char *path;
	struct str data;
};

static void *feed(void *context)
{
	struct feed *f = context;
	struct err err = { 0 };
	int fd = -1;

	if (os_open(&fd, f->path, O_WRONLY, &err) == WN_OK)
		os_write(fd, f->data.p, f->data.n, f->path, &err);
	os_close(&fd);
	return NULL;
}

/* The record is seen again when it was left: nothing of its head may have moved away. */
TEST(reader, keeps_a_head_that_is_too_long)
{
	char *field = arena_alloc(t->arena, 1100000);

	memcpy(field, "X-Big: ", 7);
	memset(field + 7, 'a', 1100000 - 10);
	memcpy(field + 1100000 - 3, "\r\n", 3);
	struct str big = make_record(t->arena, "resource", "http://big/", STR("block"), field);
	struct str small = make_record(t->arena, "resource", "http://small/", STR("block"), NULL);

	for (int second = 0; second < 2; second++)
		for (enum make_coding c = MAKE_PLAIN; c <= MAKE_GZIP; c++) {
			struct str first = make_member(t->arena, second ? small : big, c);
			struct str then = make_member(t->arena, second ? big : small, c);
			const char *path =
			    make_file(t, "long-head", make_join(t->arena, (struct str[]){ first, then }, 2));
			struct record *rec = ARENA_NEW(t->arena, struct record);
			struct err err = { 0 };
			struct reader *r;

			CHECK(reader_open(&r, path, &err) == WN_OK, "%s", err.text);
			for (int i = 0; i < 2; i++) {
				const char *uri = i == second ? "http://big/" : "http://small/";

				CHECK(reader_next(r, rec, &err) == WN_OK && reader_end(r, rec, &err) == WN_OK);
				CHECK_STR(rec->target_uri, str(uri));
				CHECK(flaw_has(&rec->flaws, FLAW_HEAD_TOO_LONG) == (i == second));
			}
			CHECK(reader_next(r, rec, &err) == WN_END);
			reader_close(r);
		}
}

TEST(reader, looks_for_records_in_its_range_only)
{
	struct str block = make_noise(t, 24 * MIB);

	for (enum make_coding c = MAKE_PLAIN; c <= MAKE_GZIP; c++) {
		struct str one = make_record(t->arena, "resource", "http://long/", block, NULL);
		const char *path = make_file(t, "long", make_member(t->arena, one, c));
		struct record *rec = ARENA_NEW(t->arena, struct record);
		struct err err = { 0 };
		struct reader *r;

		CHECK(reader_open_range(&r, path, 2 * MIB, 4 * MIB, false, &err) == WN_OK, "%s", err.text);
		CHECK(reader_next(r, rec, &err) == WN_END);
		CHECK(reader_at(r) >= 4 * MIB && reader_at(r) <= 8 * MIB, "read up to %llu",
		      (unsigned long long)reader_at(r));
		reader_close(r);
	}
}

TEST(reader, reads_a_pipe)
{
	struct str parts[4];
	struct feed f = { .path = arena_printf(t->arena, "%s/pipe", test_dir(t)).p };
	pthread_t thread;

	for (size_t i = 0; i < 4; i++)
		parts[i] = make_member(t->arena,
				       make_record(t->arena, "resource", "http://a/", make_noise(t, 100000 * i), NULL),
				       MAKE_GZIP);
	f.data = make_join(t->arena, parts, 4);
	struct str want = listing(t, make_file(t, "file.warc.gz", f.data));

	REQUIRE(mkfifo(f.path, 0600) == 0);
	pthread_create(&thread, NULL, feed, &f);
	CHECK_STR(listing(t, f.path), want);
	pthread_join(thread, NULL);
}

/* Members of several codings and what is neither between them: a pipe, which cannot look ahead, has what the file has. */
TEST(reader, reads_several_codings_from_a_pipe)
{
	struct feed f = { .path = arena_printf(t->arena, "%s/pipe", test_dir(t)).p };

	REQUIRE(mkfifo(f.path, 0600) == 0);
	for (int round = 0; round < 40; round++) {
		size_t n = 4 + test_below(t, 12), want = n;
		struct str parts[16], whole;
		pthread_t thread;

		for (size_t i = 0; i < n; i++) {
			static const size_t sizes[] = { 20, 3000, 100000, 1 * MIB };
			const char *uri = arena_printf(t->arena, "http://host/%zu", i).p;
			struct str block = make_noise(t, sizes[test_below(t, COUNT(sizes))]);

			parts[i] = make_member(t->arena, make_record(t->arena, "resource", uri, block, NULL),
					       (enum make_coding)test_below(t, MAKE_CODINGS));
			if (i && test_below(t, 3) == 0) {
				parts[i] = make_noise(t, 10 + test_below(t, 30000));
				want--;
			}
		}
		f.data = make_join(t->arena, parts, n);
		whole = listing(t, make_file(t, "mixed", f.data));
		size_t found = 0;

		for (size_t i = 0; i < n; i++)
			found += str_find(whole, arena_printf(t->arena, " http://host/%zu ", i)) >= 0;
		CHECK(found == want, "round %d: %zu of %zu, seed %" PRIu64, round, found, want, t->seed);
		pthread_create(&thread, NULL, feed, &f);
		CHECK_STR(listing(t, f.path), whole, "round %d, seed %" PRIu64, round, t->seed);
		pthread_join(thread, NULL);
	}
}

TEST(reader, puts_segments_together)
{
	struct str parts[4] = {
		make_record(t->arena, "resource", "http://a/", STR("one "), "WARC-Segment-Number: 1\r\n"),
		make_record(t->arena, "resource", "http://b/", STR("other"), NULL),
		STR_NONE,
		STR_NONE,
	};
	ptrdiff_t id = str_find(parts[0], STR("<urn:test:"));
	struct str origin = str_sub(parts[0], (size_t)id,
				    (size_t)id + (size_t)str_chr(str_sub(parts[0], (size_t)id, parts[0].n), '>') + 1);

	parts[2] = make_record(
	    t->arena, "continuation", "http://a/", STR("two "),
	    arena_printf(t->arena, "WARC-Segment-Origin-ID: %.*s\r\nWARC-Segment-Number: 2\r\n", STR_FMT(origin)).p);
	parts[3] = make_record(
	    t->arena, "continuation", "http://a/", STR("three"),
	    arena_printf(t->arena,
			 "WARC-Segment-Origin-ID: %.*s\r\nWARC-Segment-Number: 3\r\nWARC-Segment-Total-Length: 13\r\n",
			 STR_FMT(origin))
		.p);
	for (int packed = 0; packed < 2; packed++) {
		struct payload p = { 0 };
		struct reader *r;
		struct record *rec = ARENA_NEW(t->arena, struct record);
		struct err err = { 0 };
		struct str all;
		bool cut;

		if (packed)
			for (int i = 0; i < 4; i++)
				parts[i] = make_member(t->arena, parts[i], MAKE_GZIP);
		REQUIRE(reader_open(&r, make_file(t, "segments", make_join(t->arena, parts, 4)), &err) == WN_OK);
		REQUIRE(reader_next(r, rec, &err) == WN_OK);
		REQUIRE(payload_begin(&p, r, rec, PAYLOAD_DECODED, PAYLOAD_CHECK | PAYLOAD_DIGEST, &err) == WN_OK, "%s",
			err.text);
		REQUIRE(payload_all(&p, 1000, &all, &cut, &err) == WN_OK);
		CHECK_STR(all, STR("one two three"));
		payload_end(&p, rec, &err);
		CHECK_EQ(rec->flaws.n, 0);
		CHECK(reader_next(r, rec, &err) == WN_OK && str_eq(rec->target_uri, STR("http://b/")));
		payload_release(&p);
		reader_close(r);
	}
}

TEST(reader, leaves_tabs_and_line_ends_out_of_uris)
{
	static const char *const uris[][2] = { { "http://a/b\tc", "http://a/bc" },
					       { " <\thttp://a/b\r\n c>", "http://a/b%20c" },
					       { "http://a\t.b/%09", "http://a.b/%09" },
					       { "\t", "" } };

	for (size_t i = 0; i < COUNT(uris); i++)
		CHECK_STR(warc_clean_uri(t->arena, str(uris[i][0]), NULL, 0), str(uris[i][1]));
}
