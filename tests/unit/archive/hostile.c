/* tests/unit/archive/hostile.c -- good archives, damaged one way at a time.
 *
 * An archive of a few records is made in each form (plain, gzip by member or
 * as one, zstd with and without a dictionary, lz4; WARC and ARC) and one thing
 * is done to one record, to one member or to the file.  Then: every record that
 * was not touched is found with its block byte for byte; the touched one too,
 * where the damage leaves it knowable; the damage is a flaw; nothing hangs.
 */
#include <lz4frame.h>
#include <zstd.h>

#include "archive/digest.h"
#include "archive/reader.h"
#include "archive/verify.h"
#include "base/limits.h"
#include "base/mem.h"
#include "make.h"

#define RECORDS 6

enum form { PLAIN, GZIP, GZIP_ONE, ZSTD, ZSTD_DICTIONARY, LZ4, FORMS };
static const char *const form_names[] = {
	"plain", "gzip", "gzip in one member", "zstd", "zstd with a dictionary", "lz4"
};
static bool by_member(enum form f) { return f != PLAIN && f != GZIP_ONE; }

/* A record in parts, so that each can be damaged; uri and md5 are what must be found. */
struct piece {
	struct str version, fields, block, trailer;
	int64_t lie; /* added to the length */
	bool no_length;
	const char *uri;
	char md5[DIGEST_TEXT];
};

struct archive {
	bool arc;
	enum form form;
	size_t victim;
	struct piece v[RECORDS];
};

enum expect { WHOLE, FOUND, ANY }; /* of the victim */

static void remember(struct piece *p)
{
	struct digest d;

	digest_of(DIGEST_MD5, p->block, &d);
	digest_write(&d, p->md5);
}

/* A block that no trailer can be confused with: its last byte is a letter. */
static struct str make_block(struct test *t, unsigned kind)
{
	struct str text = make_noise(t, test_below(t, kind == 3 ? 9000 : 900));
	const char *head = kind % 2 ? "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" : "line\r\n\r\nline\n\n";

	/* line ends in the noise would now and then close a record where a wrong length happens to end */
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\n' || text.p[i] == '\r')
			((char *)(uintptr_t)text.p)[i] = '_';
	return make_join(t->arena, (struct str[]){ str(head), text, STR(".") }, 3);
}

static void make_archive(struct test *t, struct archive *a, bool arc, enum form form)
{
	*a = (struct archive){ .arc = arc, .form = form, .victim = test_below(t, RECORDS) };
	for (unsigned i = 0; i < RECORDS; i++) {
		struct piece *p = &a->v[i];
		bool http = test_below(t, 2);
		char block_digest[DIGEST_TEXT];
		struct digest d;

		p->block = make_block(t, http);
		p->uri = arena_printf(t->arena, "http://host.example/%u", i).p;
		remember(p);
		digest_of(DIGEST_SHA1, p->block, &d);
		digest_write(&d, block_digest);
		p->trailer = arc ? STR("\n") : STR("\r\n\r\n");
		p->version = STR("WARC/1.1\r\n");
		p->fields =
		    arena_printf(t->arena,
				 "WARC-Type: %s\r\nWARC-Record-ID: <urn:x:%u>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
				 "WARC-Target-URI: %s\r\nContent-Type: %s\r\n%s%s%s",
				 http ? "response" : "resource", i, p->uri,
				 http ? "application/http; msgtype=response" : "text/plain",
				 i % 2 ? "WARC-Block-Digest: " : "", i % 2 ? block_digest : "", i % 2 ? "\r\n" : "");
	}
}

static struct str text_of(struct test *t, const struct archive *a, size_t i)
{
	const struct piece *p = &a->v[i];
	unsigned long long length = (unsigned long long)((int64_t)p->block.n + p->lie);
	struct str head;

	if (a->arc)
		head = arena_printf(t->arena, "%s 1.2.3.4 20200101000000 text/html %llu\n", p->uri, length);
	else
		head = make_join(
		    t->arena,
		    (struct str[]){ p->version, p->fields,
				    p->no_length ? STR("") : arena_printf(t->arena, "Content-Length: %llu\r\n", length),
				    STR("\r\n") },
		    4);
	return make_join(t->arena, (struct str[]){ head, p->block, p->trailer }, 3);
}

static const char dictionary[] =
    "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:0>\r\nWARC-Target-URI: http://host.example/";

static struct str with_dictionary(struct test *t, struct str text)
{
	size_t cap = ZSTD_compressBound(text.n);
	char *out = arena_alloc(t->arena, cap);
	ZSTD_CCtx *c = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_loadDictionary(c, dictionary, sizeof dictionary - 1);
	size_t n = ZSTD_compress2(c, out, cap, text.p, text.n);

	ZSTD_freeCCtx(c);
	return str_n(out, n);
}

static struct str lz4_checked(struct test *t, struct str text)
{
	LZ4F_preferences_t p = { .frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled };
	size_t cap = LZ4F_compressFrameBound(text.n, &p);
	char *out = arena_alloc(t->arena, cap);

	return str_n(out, LZ4F_compressFrame(out, cap, text.p, text.n, &p));
}

static struct str pack(struct test *t, enum form form, struct str text)
{
	switch (form) {
	case GZIP:
	case GZIP_ONE: return make_member(t->arena, text, MAKE_GZIP);
	case ZSTD: return make_member(t->arena, text, MAKE_ZSTD);
	case ZSTD_DICTIONARY: return with_dictionary(t, text);
	case LZ4: return lz4_checked(t, text);
	default: return text;
	}
}

/* What stands before the first record: an ARC's version block, a dictionary. */
static struct str lead(struct test *t, const struct archive *a)
{
	struct str text =
	    a->arc ? STR("filedesc://x.arc 0.0.0.0 20200101000000 text/plain 76\n1 0 InternetArchive\nURL IP-address "
			 "Archive-date Content-type Archive-length\n\n")
		   : STR("");

	if (a->form == ZSTD_DICTIONARY) {
		char head[8] = { 0x5d, 0x2a, 0x4d, 0x18, (char)(sizeof dictionary - 1), 0, 0, 0 };
		struct str first = a->arc ? pack(t, a->form, text) : STR("");

		return make_join(t->arena,
				 (struct str[]){ arena_str(t->arena, str_n(head, 8)), str(dictionary), first }, 3);
	}
	return by_member(a->form) && text.n ? pack(t, a->form, text) : text;
}

/* The file, with `between` (as it is) behind record `after`, and `mend` done to the victim's member. */
typedef struct str (*mangle)(struct test *t, struct str member);

static struct str file_of(struct test *t, const struct archive *a, mangle mend, struct str between)
{
	struct str parts[2 * RECORDS + 1], all;
	size_t n = 0;

	parts[n++] = lead(t, a);
	for (size_t i = 0; i < RECORDS; i++) {
		struct str text = text_of(t, a, i);

		if (by_member(a->form))
			text = pack(t, a->form, text);
		parts[n++] = mend && i == a->victim ? mend(t, text) : text;
		if (i == a->victim)
			parts[n++] = between;
	}
	all = make_join(t->arena, parts, n);
	return a->form == GZIP_ONE ? pack(t, a->form, all) : all;
}

/* "uri md5" of each record found, a line each. */
static struct str found_in(struct test *t, const char *path)
{
	struct buf out = BUF(16 * MIB);
	struct record *rec = ARENA_NEW(t->arena, struct record);
	struct reader *r;
	struct err err = { 0 };
	struct str piece;
	int rc;

	if (reader_open(&r, path, &err) < 0)
		return STR("cannot be opened");
	while ((rc = reader_next(r, rec, &err)) == WN_OK) {
		struct hasher h = { 0 };
		struct digest d;
		char text[DIGEST_TEXT];

		buf_str(&out, rec->target_uri);
		hasher_begin(&h, DIGEST_MD5);
		while (reader_block(r, &piece, &err) == WN_OK)
			hasher_add(&h, piece);
		hasher_end(&h, &d);
		hasher_release(&h);
		digest_write(&d, text);
		buf_printf(&out, " %s\n", text);
	}
	CHECK(rc == WN_END, "%s", err.text);
	reader_close(r);
	struct str s = arena_str(t->arena, buf_view(&out));

	buf_release(&out);
	return s;
}

static uint64_t flaws_in(struct test *t, const char *path)
{
	struct verify v = { .threads = 2 };
	struct verify_result result;
	struct err err = { 0 };

	CHECK(verify_paths(&v, &path, 1, &result, &err) == WN_OK, "%s", err.text);
	return result.flaws;
}

static void check_file(struct test *t, const struct archive *a, struct str file, enum expect victim, bool silent,
		       const char *what)
{
	const char *path = make_file(t, "hostile", file);
	struct str got = found_in(t, path);

	for (size_t i = 0; i < RECORDS; i++) {
		struct str want = arena_printf(t->arena, "%s %s\n", a->v[i].uri, a->v[i].md5);
		struct str uri = arena_printf(t->arena, "%s ", a->v[i].uri);

		if (i != a->victim || victim == WHOLE)
			CHECK(str_find(got, want) >= 0,
			      "%s, %s %s: record %zu (victim %zu) is not found whole in\n%.*s", what,
			      form_names[a->form], a->arc ? "ARC" : "WARC", i, a->victim, STR_FMT(got));
		else if (victim == FOUND)
			CHECK(str_find(got, uri) >= 0, "%s, %s %s: victim %zu is lost in\n%.*s", what,
			      form_names[a->form], a->arc ? "ARC" : "WARC", a->victim, STR_FMT(got));
	}
	if (!silent)
		CHECK(flaws_in(t, path) > (a->form == GZIP_ONE), "%s, %s %s: no flaw", what, form_names[a->form],
		      a->arc ? "ARC" : "WARC");
}

/* Damage to the text of one record. */

/* Line ends where a lie ends the block would be a record's end as good as the true one: it ends before them. */
static void lie(struct piece *p, int64_t by)
{
	p->lie = by < 0 && (size_t)-by > p->block.n ? -(int64_t)p->block.n : by;
	while (p->lie < 0 && (size_t)-p->lie < p->block.n && strchr("\r\n", p->block.p[(int64_t)p->block.n + p->lie]))
		p->lie--;
}

/* A length that ends where a later record begins is that of an archive in the archive: nobody can tell it from a lie. */
static void away_from_records(struct test *t, struct archive *a)
{
	for (size_t i = 0; i < RECORDS; i++) {
		int64_t at = 0;

		for (size_t next = i + 1; next < RECORDS; next++) {
			at += (int64_t)text_of(t, a, next).n;
			if (a->v[i].lie > at - 10 && a->v[i].lie < at + 10)
				a->v[i].lie = at + 20;
		}
	}
}

static struct str replaced(struct test *t, struct str s, const char *from, const char *to)
{
	ptrdiff_t at = str_find(s, str(from));

	return at < 0 ? s
		      : make_join(t->arena,
				  (struct str[]){ str_sub(s, 0, (size_t)at), str(to),
						  str_sub(s, (size_t)at + strlen(from), s.n) },
				  3);
}

static struct str without_cr(struct test *t, struct str s)
{
	char *out = arena_alloc(t->arena, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\r')
			out[n++] = s.p[i];
	return str_n(out, n);
}

static struct str lower(struct test *t, struct str s)
{
	char *out = arena_alloc(t->arena, s.n + 1);
	bool name = true;

	for (size_t i = 0; i < s.n; i++) {
		name = s.p[i] == '\n' || (name && s.p[i] != ':');
		out[i] = name ? ascii_lower(s.p[i]) : s.p[i];
	}
	return str_n(out, s.n);
}

static void long_field(struct test *t, struct piece *p, size_t n)
{
	char *fill = arena_alloc(t->arena, n);

	memset(fill, 'x', n);
	p->fields = make_join(t->arena, (struct str[]){ p->fields, STR("X-Long: "), str_n(fill, n), STR("\r\n") }, 4);
}

static void longer_1(struct test *t, struct piece *p) { (void)t, lie(p, 1); }
static void longer_2(struct test *t, struct piece *p) { (void)t, lie(p, 2); }
static void longer_3(struct test *t, struct piece *p) { (void)t, lie(p, 3); }
static void longer_4(struct test *t, struct piece *p) { (void)t, lie(p, 4); }
static void longer_5(struct test *t, struct piece *p) { (void)t, lie(p, 5); }
static void longer_500(struct test *t, struct piece *p) { (void)t, lie(p, 500); }
static void longer_5m(struct test *t, struct piece *p) { (void)t, lie(p, 5000000); }
static void longer_1t(struct test *t, struct piece *p) { (void)t, lie(p, INT64_C(1000000000000)); }
static void longer_max(struct test *t, struct piece *p) { (void)t, lie(p, INT64_MAX - 100000); }
static void shorter(struct test *t, struct piece *p) { lie(p, -1 - (int64_t)test_below(t, 5)); }
static void length_0(struct test *t, struct piece *p) { (void)t, lie(p, INT64_MIN / 2); }
static void no_length(struct test *t, struct piece *p) { (void)t, p->no_length = true; }
static void no_trailer(struct test *t, struct piece *p) { (void)t, p->trailer = STR(""); }
static void lf_trailer(struct test *t, struct piece *p) { (void)t, p->trailer = STR("\n\n"); }
static void half_trailer(struct test *t, struct piece *p) { (void)t, p->trailer = STR("\r\n"); }
static void long_trailer(struct test *t, struct piece *p) { (void)t, p->trailer = STR("\r\n\r\n\r\n\r\n\r\n"); }
static void lf_head(struct test *t, struct piece *p)
{
	p->version = STR("WARC/1.1\n"), p->fields = without_cr(t, p->fields);
}
static void folded(struct test *t, struct piece *p)
{
	p->fields = replaced(t, p->fields, "WARC-Date: ", "X-Folded: a\r\n\tb\r\nWARC-Date: ");
}
static void lower_names(struct test *t, struct piece *p) { p->fields = lower(t, p->fields); }
static void odd_version(struct test *t, struct piece *p) { (void)t, p->version = STR("WARC/7.3\r\n"); }
static void no_version(struct test *t, struct piece *p) { (void)t, p->version = STR("XXXXXXXX\r\n"); }
static void brackets(struct test *t, struct piece *p)
{
	p->fields = replaced(t, p->fields, "WARC-Target-URI: ", "WARC-Target-URI: <"),
	p->fields = replaced(t, p->fields, "\r\nContent-Type", ">\r\nContent-Type");
}
static void no_colon(struct test *t, struct piece *p)
{
	p->fields = replaced(t, p->fields, "WARC-Date: ", "nothing here\r\nWARC-Date: ");
}
static void long_head(struct test *t, struct piece *p) { long_field(t, p, 900 * KIB); }
static void longest_head(struct test *t, struct piece *p) { long_field(t, p, 1100 * KIB); }
static void many_fields(struct test *t, struct piece *p)
{
	struct buf b = BUF(MIB);

	for (int i = 0; i < 5000; i++)
		buf_printf(&b, "X-%d: y\r\n", i);
	p->fields = make_join(t->arena, (struct str[]){ p->fields, buf_view(&b) }, 2);
	buf_release(&b);
}

static void nul_in_head(struct test *t, struct piece *p)
{
	p->fields = make_join(t->arena, (struct str[]){ STR("X-Nul: a\0b\r\n"), p->fields, STR("X\0Y: z\r\n") }, 3);
}

static void cut_head(struct test *t, struct piece *p)
{
	p->fields = str_sub(p->fields, 0, test_below(t, p->fields.n));
	p->no_length = true;
	p->block = p->trailer = STR("");
}

static void cut_block(struct test *t, struct piece *p)
{
	size_t n = test_below(t, p->block.n);

	p->lie = (int64_t)(p->block.n - n);
	p->block = str_sub(p->block, 0, n);
	p->trailer = STR("");
}

static const struct damage {
	const char *name;
	void (*apply)(struct test *t, struct piece *p);
	enum expect warc, arc; /* what is left of the victim */
	unsigned silent;       /* not a flaw in WARC (1), in ARC (2) */
	bool warc_only;
} damages[] = {
	{ "a length too long by 1", longer_1, WHOLE, FOUND, 2, false },
	{ "a length too long by 2", longer_2, WHOLE, FOUND, 0, false },
	{ "a length too long by 3", longer_3, WHOLE, FOUND, 0, false },
	{ "a length too long by 4", longer_4, WHOLE, FOUND, 0, false },
	{ "a length too long by 5", longer_5, WHOLE, FOUND, 0, false },
	{ "a length too long by 500", longer_500, WHOLE, FOUND, 0, false },
	{ "a length too long by 5 MB", longer_5m, WHOLE, FOUND, 0, false },
	{ "a length too long by a terabyte", longer_1t, WHOLE, FOUND, 0, false },
	{ "a length near the largest number", longer_max, WHOLE, FOUND, 0, false },
	{ "a length too short", shorter, WHOLE, FOUND, 0, false },
	{ "a length of 0", length_0, WHOLE, FOUND, 0, false },
	{ "no length", no_length, WHOLE, FOUND, 0, true },
	{ "no line ends behind the block", no_trailer, WHOLE, WHOLE, 2, false },
	{ "LF LF behind the block", lf_trailer, WHOLE, WHOLE, 0, false },
	{ "CR LF behind the block", half_trailer, WHOLE, WHOLE, 0, false },
	{ "many line ends behind the block", long_trailer, WHOLE, WHOLE, 0, false },
	{ "LF in the head", lf_head, WHOLE, ANY, 0, true },
	{ "a folded field", folded, WHOLE, ANY, 0, true },
	{ "names in lower case", lower_names, WHOLE, ANY, 3, true },
	{ "a version that is none", odd_version, WHOLE, ANY, 0, true },
	{ "no version line", no_version, ANY, ANY, 0, true },
	{ "a URI in < >", brackets, WHOLE, ANY, 0, true },
	{ "a line without a colon", no_colon, WHOLE, ANY, 0, true },
	{ "a head of 900 KB", long_head, WHOLE, ANY, 3, true },
	{ "a head of 1.1 MB", longest_head, ANY, ANY, 0, true },
	{ "5,000 fields", many_fields, WHOLE, ANY, 0, true },
	{ "NULs in the head", nul_in_head, WHOLE, ANY, 0, true },
	{ "a head that ends early", cut_head, ANY, ANY, 0, true },
	{ "a block that ends early", cut_block, FOUND, FOUND, 0, false },
};

TEST(hostile, damage_to_one_record_costs_no_other)
{
	for (size_t k = 0; k < COUNT(damages); k++)
		for (int form = PLAIN; form < FORMS; form++)
			for (int arc = 0; arc < (damages[k].warc_only ? 1 : 2); arc++) {
				struct arena round = { 0 }, *outer = t->arena;
				struct archive a;

				t->arena = &round;
				make_archive(t, &a, arc, (enum form)form);
				damages[k].apply(t, &a.v[a.victim]);
				away_from_records(t, &a);
				check_file(t, &a, file_of(t, &a, NULL, STR("")), arc ? damages[k].arc : damages[k].warc,
					   damages[k].silent & (arc ? 2u : 1u), damages[k].name);
				t->arena = outer;
				arena_release(&round);
			}
}

/* Every length is wrong: none of the records may be lost. */
TEST(hostile, lengths_that_are_all_wrong_lose_nothing)
{
	static const int64_t by[] = { -3, -1, 1, 2, 3, 4, 700, 3000000, INT64_C(5000000000) };

	for (size_t k = 0; k < COUNT(by); k++)
		for (int form = PLAIN; form < FORMS; form++) {
			struct archive a;

			make_archive(t, &a, false, (enum form)form);
			for (size_t i = 0; i < RECORDS; i++)
				lie(&a.v[i], by[k]);
			away_from_records(t, &a);
			check_file(t, &a, file_of(t, &a, NULL, STR("")), WHOLE, false,
				   arena_printf(t->arena, "all lengths wrong by %lld", (long long)by[k]).p);
		}
}

/* The same where blocks are longer than the window, so that they are judged as they pass. */
TEST(hostile, wrong_lengths_of_long_blocks_lose_nothing)
{
	static const int64_t by[] = { 0, -300000, -3, 3, 4, 700, 3000000, INT64_C(5000000000) };

	for (size_t k = 0; k < COUNT(by); k++)
		for (int form = PLAIN; form < FORMS; form++) {
			struct arena round = { 0 }, *outer = t->arena;
			struct archive a;

			t->arena = &round;
			make_archive(t, &a, false, (enum form)form);
			struct piece *p = &a.v[a.victim = 2];

			/* an archive in the archive: heads inside are no reason to doubt a length that is right */
			p->block =
			    make_join(t->arena,
				      (struct str[]){ make_noise(t, 2500000), by[k] ? STR("") : text_of(t, &a, 1),
						      make_noise(t, 600000), STR(".") },
				      4);
			p->fields = replaced(t, p->fields, "response", "resource");
			remember(p);
			lie(p, by[k]);
			away_from_records(t, &a);
			check_file(
			    t, &a, file_of(t, &a, NULL, STR("")), WHOLE, by[k] == 0,
			    arena_printf(t->arena, "a long block, its length wrong by %lld", (long long)by[k]).p);
			t->arena = outer;
			arena_release(&round);
		}
}

/* Damage to members, or between them. */

static struct str copy_of(struct test *t, struct str s)
{
	char *p = arena_alloc(t->arena, s.n + 1);

	memcpy(p, s.p, s.n);
	return str_n(p, s.n);
}

static struct str flip(struct test *t, struct str member)
{
	struct str s = copy_of(t, member);

	((char *)(uintptr_t)s.p)[test_below(t, s.n)] ^= (char)(1 << test_below(t, 8));
	return s;
}

static struct str flip_head(struct test *t, struct str member)
{
	struct str s = copy_of(t, member);

	((char *)(uintptr_t)s.p)[test_below(t, 4)] ^= (char)(1 + test_below(t, 255));
	return s;
}

static struct str zeros(struct test *t, struct str member)
{
	struct str s = copy_of(t, member);
	size_t from = test_below(t, s.n);

	memset((char *)(uintptr_t)s.p + from, 0, s.n - from < 40 ? s.n - from : 40);
	return s;
}

static struct str cut_tail(struct test *t, struct str member) { return str_sub(member, 0, test_below(t, member.n)); }
static struct str cut_start(struct test *t, struct str member)
{
	return str_sub(member, 1 + test_below(t, member.n - 1), member.n);
}

static struct str hole(struct test *t, struct str member)
{
	size_t from = test_below(t, member.n);

	return make_join(
	    t->arena,
	    (struct str[]){ str_sub(member, 0, from), str_sub(member, from + 1 + test_below(t, 30), member.n) }, 2);
}

static const struct {
	const char *name;
	mangle apply;
	bool silent;
} mangles[] = {
	{ "a bit of a member", flip, true }, /* some bits mean nothing: the time in a gzip header */
	{ "the magic of a member", flip_head, true }, { "forty bytes of zero", zeros, true },
	{ "a member cut off", cut_tail, true },	      { "a member without its start", cut_start, false },
	{ "bytes missing in a member", hole, true },
};

TEST(hostile, damage_to_one_member_costs_no_other)
{
	for (int round = 0; round < 5; round++)
		for (size_t k = 0; k < COUNT(mangles); k++)
			for (int form = GZIP; form < FORMS; form++)
				for (int arc = 0; arc < 2; arc++) {
					struct archive a;

					if (form == GZIP_ONE)
						continue;
					make_archive(t, &a, arc, (enum form)form);
					check_file(t, &a, file_of(t, &a, mangles[k].apply, STR("")), ANY,
						   mangles[k].silent, mangles[k].name);
				}
}

TEST(hostile, garbage_between_records_costs_none)
{
	for (int form = PLAIN; form < FORMS; form++)
		for (int arc = 0; arc < 2; arc++) {
			struct archive a;
			struct str second;

			make_archive(t, &a, arc, (enum form)form);
			check_file(t, &a, file_of(t, &a, NULL, STR("some rubbish\r\nHTTP/1.1 200 OK\r\n\r\n\n")), WHOLE,
				   false, "text in between");
			check_file(t, &a, file_of(t, &a, NULL, make_noise(t, 5000)), WHOLE, false, "noise in between");
			check_file(t, &a, file_of(t, &a, NULL, str_n("\0\0\0\0\0\0\0\0\0\0\0\0", 12)), WHOLE, false,
				   "zeros in between");
			second = text_of(t, &a, a.victim);
			check_file(t, &a, file_of(t, &a, NULL, by_member(a.form) ? pack(t, a.form, second) : second),
				   WHOLE, arc, "a record twice");
			if (by_member(a.form))
				check_file(t, &a, file_of(t, &a, NULL, pack(t, a.form, STR(""))), WHOLE, false,
					   "an empty member");
			if (a.form == GZIP) {
				second = make_join(t->arena, (struct str[]){ text_of(t, &a, 0), text_of(t, &a, 1) }, 2);
				check_file(t, &a, file_of(t, &a, NULL, pack(t, a.form, second)), WHOLE, false,
					   "two records in a member");
				check_file(t, &a, file_of(t, &a, NULL, second), WHOLE, arc,
					   "plain records among members");
			}
		}
}

/* Cut at every place: what lies before the cut is found. */
TEST(hostile, a_file_cut_anywhere_keeps_what_is_before)
{
	for (int form = PLAIN; form < FORMS; form++) {
		struct archive a;
		size_t ends[RECORDS], at;

		make_archive(t, &a, false, (enum form)form);
		struct str file = file_of(t, &a, NULL, STR(""));

		at = lead(t, &a).n;
		for (size_t i = 0; i < RECORDS; i++)
			ends[i] = at += by_member(a.form) ? pack(t, a.form, text_of(t, &a, i)).n : text_of(t, &a, i).n;
		for (size_t cut = 1; cut < file.n; cut += 1 + test_below(t, file.n / 150)) {
			struct str got = found_in(t, make_file(t, "cut", str_sub(file, 0, cut)));

			for (size_t i = 0; i < RECORDS && a.form != GZIP_ONE && ends[i] <= cut; i++)
				CHECK(str_find(got, arena_printf(t->arena, "%s %s\n", a.v[i].uri, a.v[i].md5)) >= 0,
				      "%s cut at %zu of %zu: record %zu", form_names[form], cut, file.n, i);
		}
	}
}
