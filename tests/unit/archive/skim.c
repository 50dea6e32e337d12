/* tests/unit/archive/skim.c -- heads alone: what is found must be what reading everything finds.
 *
 * The slow twin of skimming is the reader itself.  Archives are made so that every rule of skim.c is needed: archives
 * inside blocks, members of equal size in a row, damage of all sorts, wrong lengths, several records in a member.
 */
#include <libdeflate.h>

#include "archive/lead.h"
#include "archive/payload.h"
#include "archive/scan.h"
#include "base/limits.h"
#include "base/mem.h"
#include "make.h"

/* What a reader found, written down. */
struct found {
	struct str text;
	unsigned records, passed;
};

static bool inside_block(enum flaw_kind k)
{
	return k == FLAW_BAD_MEMBER || k == FLAW_BAD_CHECKSUM || k == FLAW_BLOCK_TRUNCATED || k == FLAW_TRUNCATED_FILE;
}

/* `damaged` gets for each record, and the tail, whether it has a flaw that only reading shows; of what is to be left out,
 * only the place is written.  Either may be NULL. */
static struct found read_file(struct test *t, const char *path, bool quick, const bool *leave_out, bool *damaged)
{
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct found f = { 0 };
	struct buf out = BUF(64 * MIB);
	struct payload p = { 0 };
	struct reader *r;
	struct err err = { 0 };
	int rc = reader_open(&r, path, &err);

	if (!CHECK(rc == WN_OK, "%s", err.text))
		return f;
	if (quick)
		reader_quick(r);
	while ((rc = reader_next(r, rec, &err)) == WN_OK) {
		bool passed = rec->passed, bad = false;

		CHECK(payload_begin(&p, r, rec, PAYLOAD_RAW, PAYLOAD_HEAD, &err) == WN_OK, "%s", err.text);
		uint64_t status = p.has_http ? (uint64_t)p.http.status + 1000 * p.http.size : 0;

		CHECK(payload_end(&p, rec, &err) == WN_OK, "%s", err.text);
		for (unsigned i = 0; i < rec->flaws.n; i++)
			bad |= inside_block(rec->flaws.v[i].kind);
		if (damaged)
			damaged[f.records] = bad;
		buf_printf(&out, "%llu", (unsigned long long)rec->span.at);
		if (!leave_out || !leave_out[f.records]) {
			buf_printf(&out, "+%llu/%llu %s %.*s %zu+%llu, %llu of %llu%s",
				   (unsigned long long)rec->span.length, (unsigned long long)rec->span.skip,
				   record_type_name(rec->type), STR_FMT(rec->target_uri), rec->head,
				   (unsigned long long)rec->length, (unsigned long long)status,
				   (unsigned long long)p.raw_size, rec->plain ? " plain" : "");
			for (unsigned i = 0; i < rec->flaws.n; i++)
				buf_printf(&out, " [%llu %s %s]", (unsigned long long)rec->flaws.v[i].at,
					   flaw_name(rec->flaws.v[i].kind), rec->flaws.v[i].detail);
		}
		buf_byte(&out, '\n');
		f.records++;
		f.passed += passed;
	}
	CHECK(rc == WN_END, "%s", err.text);
	for (unsigned i = 0; i < reader_tail(r)->n; i++) {
		if (damaged)
			damaged[f.records] |= inside_block(reader_tail(r)->v[i].kind);
		if (leave_out && leave_out[f.records])
			continue;
		buf_printf(&out, "tail [%llu %s %s]\n", (unsigned long long)reader_tail(r)->v[i].at,
			   flaw_name(reader_tail(r)->v[i].kind), reader_tail(r)->v[i].detail);
	}
	payload_release(&p);
	reader_close(r);
	f.text = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	return f;
}

/* Reads it both ways; the number of records that were passed over. */
static unsigned compare(struct test *t, struct str archive, bool all_flaws)
{
	const char *path = make_file(t, "skim", archive);
	bool *damaged = ARENA_ARRAY(t->arena, bool, 100000);

	memset(damaged, 0, 100000 * sizeof *damaged);
	struct found full = read_file(t, path, false, NULL, damaged);

	for (unsigned i = 0; i < full.records; i++) /* where decoding ran over the end, the next one is told of it */
		damaged[i] |= damaged[i + 1];
	if (!all_flaws)
		full = read_file(t, path, false, damaged, NULL);
	struct found quick = read_file(t, path, true, all_flaws ? NULL : damaged, NULL);
	size_t same = 0;

	while (same < full.text.n && same < quick.text.n && full.text.p[same] == quick.text.p[same])
		same++;
	CHECK(str_eq(full.text, quick.text), "full: %.300s\nquick: %.300s", full.text.p + (same > 100 ? same - 100 : 0),
	      quick.text.p + (same > 100 ? same - 100 : 0));
	return quick.passed;
}

static struct str packed(struct test *t, struct str data, int level)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);
	size_t cap = libdeflate_gzip_compress_bound(c, data.n);
	char *out = arena_alloc(t->arena, cap);
	size_t n = libdeflate_gzip_compress(c, data.p, data.n, out, cap);

	libdeflate_free_compressor(c);
	return str_n(out, n);
}

/* What compresses to a small part of it. */
static struct str words(struct test *t, size_t n)
{
	char *out = arena_alloc(t->arena, n + 1);

	for (size_t i = 0; i < n; i++)
		out[i] = "the quick brown fox "[(i + (i / 100) * (i & 3)) % 20];
	return str_n(out, n);
}

static struct str body(struct test *t, size_t n) { return test_below(t, 2) ? make_noise(t, n) : words(t, n); }

static struct str response(struct test *t, const char *uri, struct str content)
{
	struct str parts[] = { STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"),
			       test_below(t, 8) ? STR("") : arena_printf(t->arena, "Cookie: %0*u\r\n", 5000, 7),
			       STR("\r\n"), content };

	return make_record(t->arena, "response", uri, make_join(t->arena, parts, COUNT(parts)),
			   "Content-Type: application/http; msgtype=response\r\n");
}

static struct str random_record(struct test *t, unsigned i, bool gzip)
{
	struct str content = body(t, test_below(t, 4) ? test_below(t, 9000) + 3000 : test_below(t, 300000));

	if (gzip && test_below(t, 8) == 0)
		content = packed(t, response(t, "http://inner/", content), test_below(t, 2) ? 0 : 6);
	if (test_below(t, 6) == 0)
		content = body(t, 5000); /* the same size again and again */
	return response(t, arena_printf(t->arena, "http://h/%06u", i).p, content);
}

/* One member a record; `odd` of a hundred are not as they should be, without damage that only reading shows. */
static struct str random_archive(struct test *t, unsigned odd)
{
	struct buf out = BUF(64 * MIB);

	for (unsigned i = 0; i < 150; i++) {
		struct str record = random_record(t, i, true);
		bool is_odd = test_below(t, 100) < odd;
		unsigned how = is_odd ? (unsigned)test_below(t, 7) : 99;

		if (how == 0) /* a wrong length */
			((char *)(uintptr_t)record.p)[str_find(record, STR("Content-Length: ")) + 16] =
			    (char)('1' + test_below(t, 9));
		if (how == 1) /* two records in a member */
			record = make_join(t->arena, (struct str[]){ record, random_record(t, i + 500, true) }, 2);
		if (how == 2) /* no line ends behind */
			record.n -= 1 + test_below(t, 4);
		struct str member = packed(t, record, test_below(t, 10) ? 6 : 0);

		if (how == 3) { /* a record in two members */
			size_t cut = 1 + test_below(t, record.n - 1);

			member = make_join(t->arena,
					   (struct str[]){ packed(t, str_sub(record, 0, cut), 6),
							   packed(t, str_sub(record, cut, record.n), 6) },
					   2);
		}
		if (how == 4)
			buf_str(&out, STR("garbage between members"));
		if (how == 5)
			buf_str(&out, packed(t, STR(""), 6));
		if (how == 6) /* not compressed at all */
			member = record;
		buf_str(&out, member);
	}
	struct str all = arena_str(t->arena, buf_view(&out));

	buf_release(&out);
	return all;
}

TEST(skim, finds_what_reading_everything_finds)
{
	unsigned passed = 0;

	for (int round = 0; round < 8; round++) {
		struct arena own = { 0 }, *outer = t->arena;

		test_dir(t);
		t->arena = &own;
		passed += compare(t, random_archive(t, round < 4 ? 0 : 15), true);
		t->arena = outer;
		arena_release(&own);
	}
	CHECK(passed > 500, "%u of 1200 records were passed over", passed);
}

/* Bytes changed or taken out anywhere: records are found at the same places. */
TEST(skim, finds_the_same_places_after_damage)
{
	for (int round = 0; round < 8; round++) {
		struct arena own = { 0 }, *outer = t->arena;
		struct buf out = BUF(64 * MIB);

		test_dir(t);
		t->arena = &own;
		for (unsigned i = 0; i < 100; i++) {
			struct str m = packed(t, random_record(t, i, false), 6);

			if (test_below(t, 4) == 0)
				((char *)(uintptr_t)m.p)[test_below(t, test_below(t, 2) ? 30 : m.n)] ^=
				    (char)(1u << test_below(t, 8));
			if (test_below(t, 12) == 0)
				m.n -= test_below(t, m.n / 2);
			buf_str(&out, m);
		}
		compare(t, arena_str(&own, buf_view(&out)), false);
		buf_release(&out);
		t->arena = outer;
		arena_release(&own);
	}
}

/* A member of the size of the outer one, then one that opens, both stored in its block: the first place with the right
 * number before it is not the end. */
TEST(skim, is_not_misled_by_an_archive_made_to_look_like_its_end)
{
	struct str inner = packed(t, response(t, "http://inner/", body(t, 4000)), 6), last = body(t, 900);

	for (int end = 0; end < 2; end++) {
		const size_t block = 30000;
		struct str outer = STR_NONE;

		for (int twice = 0; twice < 2; twice++) { /* the head has the same size both times */
			size_t size = twice ? outer.n : 1;
			char *zeros = arena_alloc(t->arena, size);

			memset(zeros, 0, size);
			struct str bait = packed(t, str_n(zeros, size), 6);
			struct str parts[] = { make_noise(t, 3000), bait, inner, STR_NONE };

			parts[3] = make_noise(t, block - 3000 - bait.n - inner.n);
			outer = make_record(t->arena, "resource", twice ? "http://outer/2" : "http://outer/1",
					    make_join(t->arena, parts, 4), "Ends: 1\r\n");
		}
		struct str members[] = { packed(t, response(t, "http://a/", last), 6), packed(t, outer, 0),
					 packed(t, response(t, "http://b/", last), 6) };

		compare(t, make_join(t->arena, members, end ? 2 : 3), true);
	}
}

/* Two members of one size, of which the second does not open: the first must not take it in. */
TEST(skim, does_not_take_in_a_damaged_neighbour_of_equal_size)
{
	for (unsigned hurt = 0; hurt < 3; hurt++) {
		struct str m[4];

		for (unsigned i = 0; i < COUNT(m); i++) { /* the first two are of exactly one size */
			struct str block = words(t, i < 2 ? 20000 : 25000);

			m[i] = packed(
			    t,
			    make_record(t->arena, "resource", arena_printf(t->arena, "http://h/%u", i).p, block, NULL),
			    6);
		}
		((char *)(uintptr_t)m[1].p)[hurt] ^= 4;
		compare(t, make_join(t->arena, m, COUNT(m)), false);
	}
}

/* A length that is wrong by just so much that it is that of the next member. */
TEST(skim, does_not_believe_a_wrong_length_that_fits_the_neighbour)
{
	struct str one = make_record(t->arena, "resource", "http://h/1", words(t, 20005), NULL),
		   two = make_record(t->arena, "resource", "http://h/2", words(t, 20008), NULL);

	((char *)(uintptr_t)one.p)[str_find(one, STR("20005")) + 4] = '8';
	struct str three = make_record(t->arena, "resource", "http://h/3", make_noise(t, 30000), NULL);
	struct str m[] = { packed(t, one, 6), packed(t, two, 6), packed(t, three, 6) };

	compare(t, make_join(t->arena, m, COUNT(m)), true);
}

TEST(skim, passes_long_blocks_of_plain_files_over)
{
	struct str parts[6];
	unsigned passed;

	for (unsigned i = 0; i < COUNT(parts); i++)
		parts[i] = response(t, arena_printf(t->arena, "http://h/%u", i).p,
				    make_noise(t, i & 1	   ? 500000
						  : i == 4 ? 9 * MIB
							   : 2000));
	passed = compare(t, make_join(t->arena, parts, COUNT(parts)), true);
	CHECK(passed >= 3, "%u were passed", passed);
	((char *)(uintptr_t)parts[3].p)[str_find(parts[3], STR("Content-Length: ")) + 16] = '4';
	parts[4].n -= 3;
	compare(t, make_join(t->arena, parts, COUNT(parts)), true);
}

/* The block of a record that was passed over can be read all the same, with all its flaws, and reading goes on behind. */
TEST(skim, reads_a_block_that_is_asked_for)
{
	struct str parts[6], blocks[6];

	for (int gzip = 0; gzip < 2; gzip++) {
		unsigned passed = 0;

		for (unsigned i = 0; i < COUNT(parts); i++) {
			blocks[i] = make_noise(t, 300000 + i);
			parts[i] = make_record(t->arena, "resource", "http://h/", blocks[i],
					       "WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n");
			parts[i] = gzip ? packed(t, parts[i], 6) : parts[i];
		}
		struct record *rec = ARENA_NEW(t->arena, struct record);
		struct payload p = { 0 };
		struct reader *r;
		struct err err = { 0 };
		struct str all;
		bool cut;

		REQUIRE(reader_open(&r, make_file(t, "wanted", make_join(t->arena, parts, COUNT(parts))), &err) ==
			WN_OK);
		reader_quick(r);
		for (unsigned i = 0; i < COUNT(parts); i++) {
			REQUIRE(reader_next(r, rec, &err) == WN_OK, "record %u", i);
			passed += rec->passed;
			if (i % 3 == 2)
				continue;
			REQUIRE(payload_begin(&p, r, rec, PAYLOAD_DECODED, PAYLOAD_BLOCK, &err) == WN_OK);
			REQUIRE(payload_all(&p, MIB, &all, &cut, &err) == WN_OK);
			CHECK(str_eq(all, blocks[i]), "block %u", i);
			CHECK(payload_end(&p, rec, &err) == WN_OK);
			CHECK(rec->flaws.n == 1 && rec->flaws.v[0].kind == FLAW_BLOCK_DIGEST, "%u flaws", rec->flaws.n);
		}
		CHECK(reader_next(r, rec, &err) == WN_END);
		CHECK(passed == COUNT(parts), "%u passed", passed);
		payload_release(&p);
		reader_close(r);
	}
}

/* By threads */

static void *note(void *context, struct reader *r, struct record *rec, size_t file, unsigned worker)
{
	struct err err = { 0 };
	struct buf line = BUF(MIB);

	(void)context, (void)file, (void)worker;
	reader_end(r, rec, &err);
	buf_printf(&line, "%llu+%llu/%llu %.*s %u\n", (unsigned long long)rec->span.at,
		   (unsigned long long)rec->span.length, (unsigned long long)rec->span.skip, STR_FMT(rec->target_uri),
		   rec->flaws.n);
	buf_byte(&line, 0);
	return line.p;
}

static int gather(void *context, void *item, size_t file, const struct scan_file *f)
{
	struct buf *out = context;

	(void)file;
	if (item)
		buf_str(out, str(item));
	else
		buf_printf(out, "%llu records to %llu\n", (unsigned long long)f->records, (unsigned long long)f->stop);
	mem_free(item);
	return 0;
}

static void drop(void *context, void *item)
{
	(void)context;
	mem_free(item);
}

static struct str scanned(struct test *t, const char *path, bool quick, unsigned threads)
{
	struct buf out = BUF(16 * MIB);
	struct scan s = {
		.threads = threads, .quick = quick, .context = &out, .work = note, .done = gather, .drop = drop
	};
	struct err err = { 0 };

	CHECK(scan_paths(&s, &path, 1, &err) == WN_OK, "%s", err.text);
	struct str all = arena_str(t->arena, buf_view(&out));

	buf_release(&out);
	return all;
}

TEST(skim, finds_the_same_with_any_number_of_threads)
{
	struct str parts[3] = { random_archive(t, 10), random_archive(t, 0), random_archive(t, 10) };
	const char *path = make_file(t, "many", make_join(t->arena, parts, COUNT(parts)));
	struct str want = scanned(t, path, false, 1);

	for (unsigned threads = 1; threads <= 3; threads++)
		CHECK(str_eq(scanned(t, path, true, threads), want), "%u threads", threads);
}

/* The beginning of a member's text */

TEST(lead, is_the_beginning_of_the_text)
{
	struct lead_tables *tables = lead_tables_new();
	char *room = arena_alloc(t->arena, 300000);

	for (int round = 0; round < 300; round++) {
		size_t size = test_below(t, 5) ? test_below(t, 3000) : test_below(t, 200000), n, used;
		struct str text = body(t, size), gz = packed(t, text, (int)test_below(t, 13));

		if (test_below(t, 3) == 0)
			gz = make_member(t->arena, text, MAKE_GZIP_EXTRA);
		size_t cap = test_below(t, 2) ? test_below(t, 2000) : 300000;
		enum lead_state state = lead_decode(tables, gz, room, cap, &n, &used);

		CHECK(state == LEAD_CUT || state == LEAD_WHOLE, "state %d", state);
		CHECK(n == (size < cap ? size : cap), "%zu of %zu bytes, room %zu", n, size, cap);
		CHECK(n <= size && memcmp(room, text.p, n) == 0);
		CHECK(used <= gz.n - 8, "%zu of %zu", used, gz.n);
		if (size < cap)
			CHECK(state == LEAD_WHOLE && used == gz.n - 8, "%zu of %zu", used, gz.n);
		/* cut or damaged input: nothing is made up, nothing is read or written beside */
		struct str part = arena_str(t->arena, str_sub(gz, 0, test_below(t, gz.n)));

		state = lead_decode(tables, part, room, cap, &n, &used);
		CHECK(n <= size && memcmp(room, text.p, n) == 0 && used <= part.n);
		for (int k = 0; k < 20; k++) {
			((char *)(uintptr_t)gz.p)[test_below(t, gz.n < 200 ? gz.n : 200)] ^=
			    (char)(1 + test_below(t, 255));
			lead_decode(tables, gz, room, cap, &n, &used);
			CHECK(n <= cap && used <= gz.n);
		}
	}
	lead_tables_free(tables);
}
