/* tests/unit/archive/suite_warc.c -- all files of the `warc` pack: counts, captures, memory.
 *
 * Prints how many records were found; the goals are in docs/testing.md.
 */
#include <stdlib.h>

#include "archive/payload.h"
#include "archive/scan.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/vec.h"
#include "test.h"

struct row {
	const char *path;
	struct str kind, special;
	uint64_t records;
};

struct count {
	uint64_t warc, arc, flaws;
	bool not_an_archive;
	int code;
};

static size_t read_manifest(struct test *t, struct row **rows)
{
	struct str text, header;
	struct err err = { 0 };
	VEC(struct row) v = { 0 };

	if (os_slurp(t->arena, suite_path(t, "warc/MANIFEST.dev.tsv"), 16 * MIB, &text, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 0;
	}
	header = str_cut(&text, '\n');
	(void)header;
	while (text.n) {
		struct str line = str_cut(&text, '\n'), column[18];

		for (size_t i = 0; i < COUNT(column); i++)
			column[i] = str_cut(&line, '\t');
		struct row r = { arena_printf(t->arena, "%s/%.*s", suite_path(t, "warc"), STR_FMT(column[0])).p,
				 column[3], column[16], 0 };

		str_u64(column[6], &r.records);
		vec_push(&v, r);
	}
	*rows = ARENA_ARRAY(t->arena, struct row, v.n + 1);
	if (v.n)
		memcpy(*rows, v.p, v.n * sizeof *v.p);
	size_t n = v.n;

	vec_release(&v);
	return n;
}

static struct count count_file(struct test *t, const char *path)
{
	struct count c = { 0 };
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct payload p = { 0 };
	struct reader *r;
	struct err err = { 0 };

	if ((c.code = reader_open(&r, path, &err)) < 0)
		return c;
	while ((c.code = reader_next(r, rec, &err)) == WN_OK) {
		struct str piece;

		*(rec->format == RECORD_ARC ? &c.arc : &c.warc) += 1;
		payload_begin(&p, r, rec, PAYLOAD_DECODED, PAYLOAD_CHECK | PAYLOAD_BLOCK, &err);
		while (payload_read(&p, &piece, &err) == WN_OK)
			;
		payload_end(&p, rec, &err);
		c.flaws += rec->flaws.n + rec->flaws.more;
	}
	c.flaws += reader_tail(r)->n;
	c.not_an_archive = flaw_has(reader_tail(r), FLAW_NOT_AN_ARCHIVE);
	payload_release(&p);
	reader_close(r);
	return c;
}

/* What the makers of the pack saw broken; there counts may differ. */
static bool is_damaged(struct str special)
{
	static const char *const signs[] = { "truncated", "unterminated",	   "bad-", "error", "garbage",
					     "trailing",  "missing-content-length" };

	for (size_t i = 0; i < COUNT(signs); i++)
		if (str_find(special, str(signs[i])) >= 0)
			return true;
	return false;
}

TEST_SUITE(warc_pack, gives_all_its_records)
{
	struct row *rows;
	size_t n = read_manifest(t, &rows), archives = 0, fewer_damaged = 0, skipped = 0;
	uint64_t warc = 0, arc = 0, listed = 0;

	REQUIRE(n == 505, "%zu files", n);
	for (size_t i = 0; i < n; i++) {
		struct count c = count_file(t, rows[i].path);
		bool listed_kind = str_eq(rows[i].kind, STR("warc")) || str_eq(rows[i].kind, STR("arc")) ||
				   str_eq(rows[i].kind, STR("warc?"));

		CHECK(c.code == WN_END, "%s ended with %d", rows[i].path, c.code);
		warc += c.warc;
		arc += c.arc;
		listed += rows[i].records;
		archives += listed_kind;
		if (listed_kind && c.warc + c.arc < rows[i].records) {
			fewer_damaged++;
			CHECK(is_damaged(rows[i].special), "%s: %" PRIu64 " of %" PRIu64 " records", rows[i].path,
			      c.warc + c.arc, rows[i].records);
			CHECK(c.flaws > 0, "%s: fewer records and no flaw", rows[i].path);
		}
		if (!listed_kind && !str_eq(rows[i].kind, STR("broken")) && !str_eq(rows[i].kind, STR("wacz"))) {
			CHECK(c.warc + c.arc == 0 && c.not_an_archive, "%s is %.*s and gave %" PRIu64 " records",
			      rows[i].path, STR_FMT(rows[i].kind), c.warc + c.arc);
			skipped++;
		}
	}
	printf("warc pack: %zu files, %zu of them archives, %zu not: %" PRIu64 " WARC and %" PRIu64
	       " ARC records (%" PRIu64 " rows listed, CDX lines among them), %zu damaged files with fewer\n",
	       n, archives, skipped, warc, arc, listed, fewer_damaged);
	CHECK(warc >= 4290, "%" PRIu64, warc);
	CHECK(arc >= 1640, "%" PRIu64, arc);
}

/* The records of a file and where they lie; *passed counts those of which only the heads were read. */
static struct str places(struct test *t, const char *path, bool quick, uint64_t *passed)
{
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct buf out = BUF(64 * MIB);
	struct reader *r;
	struct err err = { 0 };

	if (reader_open(&r, path, &err) < 0)
		return STR_NONE;
	if (quick)
		reader_quick(r);
	while (reader_next(r, rec, &err) == WN_OK) {
		*passed += rec->passed;
		reader_end(r, rec, &err);
		buf_printf(&out, "%.*s %" PRIu64 "+%" PRIu64 "/%" PRIu64 " %s %.*s, %u flaws\n", STR_FMT(rec->part),
			   rec->span.at, rec->span.length, rec->span.skip, record_type_name(rec->type),
			   STR_FMT(rec->target_uri), rec->flaws.n);
	}
	buf_printf(&out, "%u in the tail\n", reader_tail(r)->n);
	reader_close(r);
	struct str all = arena_str(t->arena, buf_view(&out));

	buf_release(&out);
	return all;
}

TEST_SUITE(warc_pack, has_the_same_records_by_their_heads_alone)
{
	struct row *rows;
	size_t n = read_manifest(t, &rows);
	uint64_t passed = 0;

	REQUIRE(n == 505, "%zu files", n);
	for (size_t i = 0; i < n; i++) {
		struct arena own = { 0 }, *outer = t->arena;

		t->arena = &own;
		struct str full = places(t, rows[i].path, false, &passed),
			   quick = places(t, rows[i].path, true, &passed);

		CHECK(str_eq(full, quick), "%s:\n%.*s\nby heads:\n%.*s", rows[i].path, STR_FMT(str_sub(full, 0, 3000)),
		      STR_FMT(str_sub(quick, 0, 3000)));
		t->arena = outer;
		arena_release(&own);
	}
	printf("warc pack: %" PRIu64 " records passed over by their heads\n", passed);
	CHECK(passed > 500, "%" PRIu64, passed);
}

/* URL, date and digest of the payload of each response or resource. */
static int by_text(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

static struct str captures(struct test *t, const char *path)
{
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct payload p = { 0 };
	struct reader *r;
	struct err err = { 0 };
	struct buf out = BUF(16 * MIB);
	VEC(struct str) lines = { 0 };

	if (reader_open(&r, path, &err) < 0)
		return STR_NONE;
	while (reader_next(r, rec, &err) == WN_OK) {
		char digest[DIGEST_TEXT], date[32] = "";
		size_t n = 0;

		if (rec->type != RECORD_RESPONSE && rec->type != RECORD_RESOURCE)
			continue;
		for (size_t i = 0; i < rec->date.n && n < 14; i++)
			if (ascii_digit(rec->date.p[i]))
				date[n++] = rec->date.p[i];
		payload_begin(&p, r, rec, PAYLOAD_DECODED, PAYLOAD_DIGEST, &err);
		struct str uri = arena_str(t->arena, rec->target_uri);

		payload_end(&p, rec, &err);
		digest_write(&p.digest, digest);
		vec_push(&lines, arena_printf(t->arena, "%.*s %s %d %s\n", STR_FMT(uri), date, p.http.status, digest));
	}
	qsort(lines.p, lines.n, sizeof *lines.p, by_text);
	for (size_t i = 0; i < lines.n; i++)
		buf_str(&out, lines.p[i]);
	struct str all = arena_str(t->arena, buf_view(&out));

	vec_release(&lines);
	buf_release(&out);
	payload_release(&p);
	reader_close(r);
	return all;
}

TEST_SUITE(warc_pack, has_the_same_captures_as_warc_and_as_arc)
{
	const char *dir = "warc/archivesunleashed+aut/src/test/resources";
	struct str a = captures(t, suite_path(t, arena_printf(t->arena, "%s/warc/example.warc.gz", dir).p));
	struct str b = captures(t, suite_path(t, arena_printf(t->arena, "%s/arc/example.arc.gz", dir).p));

	CHECK(a.n > 10000);
	CHECK_STR(b, a);
}

TEST_SUITE(warc_pack, passes_a_record_of_431_mb_in_little_memory)
{
	size_t before = mem_now(), most = 0;
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct payload p = { 0 };
	struct reader *r;
	struct err err = { 0 };
	struct str piece;
	uint64_t bytes = 0;

	REQUIRE(reader_open(&r, suite_path(t, "warc/internetarchive+CDX-Writer/tests/small_warcs/giant_html.warc.gz"),
			    &err) == WN_OK);
	REQUIRE(reader_next(r, rec, &err) == WN_OK);
	REQUIRE(payload_begin(&p, r, rec, PAYLOAD_DECODED, PAYLOAD_DIGEST, &err) == WN_OK);
	while (payload_read(&p, &piece, &err) == WN_OK) {
		bytes += piece.n;
		if (mem_now() > most)
			most = mem_now();
	}
	payload_end(&p, rec, &err);
	CHECK(bytes > 431000000, "%" PRIu64 " bytes", bytes);
	CHECK(most - before < 64 * MIB, "%zu bytes more", most - before);
	payload_release(&p);
	reader_close(r);
}
