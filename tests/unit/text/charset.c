/* Charsets: labels, the order of evidence, decoders, labels that lie, and the
 * corpus of seventeen languages. */
#include "base/buf.h"
#include "base/os.h"
#include "base/utf8.h"
#include "test.h"
#include "text/charset.h"
#include "text/charset_pairs.h"
#include "text/extract.h"

static struct str decoded(struct test *t, struct str bytes, const char *http, bool markup, const char **name,
			  size_t *replaced)
{
	struct charset c = charset_find(bytes, str(http), markup);

	*name = encoding_name(c.encoding);
	return charset_decode(t->arena, c, bytes, replaced);
}

/* clang-format off */
static const struct {
	const char *label, *name;
} label_cases[] = {
	{ "latin1", "windows-1252" }, { "ISO-8859-1", "windows-1252" }, { " us-ascii\n", "windows-1252" }, { "utf8", "utf-8" },
	{ "unicode-1-1-utf-8", "utf-8" }, { "x-sjis", "shift_jis" }, { "gb2312", "gbk" }, { "ks_c_5601-1987", "euc-kr" },
	{ "big5-hkscs", "big5" }, { "iso-2022-kr", "replacement" }, { "cp866", "ibm866" }, { "koi8-ru", "koi8-u" }, { "tis-620", "windows-874" },
	{ "utf-16", "utf-16le" }, { "logical", "iso-8859-8-i" }, { "x-x-big5", "big5" },
};
/* clang-format on */

TEST(charset, knows_the_labels_of_the_standard)
{
	for (size_t i = 0; i < COUNT(label_cases); i++) {
		const struct encoding *e = encoding_of_label(str(label_cases[i].label));

		if (CHECK(e, "%s", label_cases[i].label))
			CHECK_STR(str(encoding_name(e)), str(label_cases[i].name), "%s", label_cases[i].label);
	}
	CHECK(!encoding_of_label(STR("utf-7")));
	CHECK(!encoding_of_label(STR("")));
	CHECK(!encoding_of_label(STR("latin1\0")));
}

#define META(cs) "<meta charset=" cs ">"
static const struct {
	const char *bytes, *http, *text, *name, *because;
	size_t replaced;
} cases[] = {
	{ "\xEF\xBB\xBF\xC3\xA9", "latin1", "\xC3\xA9", "utf-8", "a mark wins over HTTP", 0 },
	{ META("utf-8") "\xE9", "latin1", META("utf-8") "\xC3\xA9", "windows-1252", "HTTP wins over meta", 0 },
	{ META("koi8-r") "\xD0", "", META("koi8-r") "\xD0\xBF", "koi8-r", "meta", 0 },
	{ META("koi8-r") "\xD0", "bogus", META("koi8-r") "\xD0\xBF", "koi8-r",
	  "an unknown label of HTTP does not count", 0 },
	{ "<meta http-equiv=Content-Type content='text/html; charset = \"iso-8859-7\"'>\xE1", "",
	  "<meta http-equiv=Content-Type content='text/html; charset = \"iso-8859-7\"'>\xCE\xB1", "iso-8859-7",
	  "meta with http-equiv", 0 },
	{ "<!-- <meta charset=koi8-r> --><meta charset=utf-16>\xC3\xA9", "",
	  "<!-- <meta charset=koi8-r> --><meta charset=utf-16>\xC3\xA9", "utf-8",
	  "a comment does not count; meta utf-16 means utf-8", 0 },
	{ "<?xml version='1.0' encoding='iso-8859-5'?>\xD0", "", "<?xml version='1.0' encoding='iso-8859-5'?>\xD0\xB0",
	  "iso-8859-5", "XML declaration", 0 },
	{ META("utf-8") "a\xFF\xC3"
			"b",
	  "",
	  META("utf-8") "a\xEF\xBF\xBD\xEF\xBF\xBD"
			"b",
	  "utf-8", "what is not UTF-8 is replaced", 2 },
	{ "\xE3\x81\x82", "", "\xE3\x81\x82", "utf-8", "UTF-8 is seen", 0 },
	{ "caf\xE9 na\xEFve", "", "caf\xC3\xA9 na\xC3\xAFve", "windows-1252", "the web's default", 0 },
	{ "\x1B$B$\"\x1B(B", "", "\xE3\x81\x82", "iso-2022-jp", "ISO-2022-JP is seen", 0 },
	{ META("iso-2022-jp") "\x1B$B$\"\x1B(B.", "", META("iso-2022-jp") "\xE3\x81\x82.", "iso-2022-jp", "ISO-2022-JP",
	  0 },
	{ META("euc-kr") "\xB0\xA1", "", META("euc-kr") "\xEA\xB0\x80", "euc-kr", "EUC-KR", 0 },
	{ META("big5") "\xA4\xA4", "", META("big5") "\xE4\xB8\xAD", "big5", "Big5", 0 },
	{ META("gb18030") "\xD6\xD0\x81\x30\x84\x36", "", META("gb18030") "\xE4\xB8\xAD\xC2\xA5", "gb18030",
	  "GB18030, four bytes", 0 },
	{ META("shift_jis") "\x82\xA0\\", "", META("shift_jis") "\xE3\x81\x82\\", "shift_jis", "Shift_JIS", 0 },
	{ META("euc-jp") "\xA4\xA2", "", META("euc-jp") "\xE3\x81\x82", "euc-jp", "EUC-JP", 0 },
	{ META("x-user-defined") "\xE9", "", META("x-user-defined") "\xC3\xA9", "windows-1252",
	  "x-user-defined in meta is windows-1252", 0 },
	{ "\x80", "x-user-defined", "\xEF\x9E\x80", "x-user-defined", "x-user-defined of HTTP", 0 },
	{ "anything", "hz-gb-2312", "\xEF\xBF\xBD", "replacement", "replacement", 1 },
	{ META("windows-1252") "\x80\x81", "", META("windows-1252") "\xE2\x82\xAC\xC2\x81", "windows-1252",
	  "C1 of windows-1252", 0 },
	{ META("iso-8859-1") "\xC3\xA9t\xC3\xA9", "", META("iso-8859-1") "\xC3\xA9t\xC3\xA9", "utf-8",
	  "a label the bytes disprove", 0 },
	{ META("iso-8859-1") "\xC3\xA9t\xE9", "", META("iso-8859-1") "\xC3\xA9t\xC3\xA9", "windows-1252",
	  "UTF-8 pasted into latin1", 0 },
	{ META("iso-8859-1") "\x1B$B$\"\x1B(B", "", META("iso-8859-1") "\xE3\x81\x82", "iso-2022-jp",
	  "ISO-2022-JP said to be latin1", 0 },
};

TEST(charset, evidence_and_decoders)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *name;
		size_t replaced;
		struct str text = decoded(t, str(cases[i].bytes), cases[i].http, true, &name, &replaced);

		CHECK_STR(text, str(cases[i].text), "%s", cases[i].because);
		CHECK_STR(str(name), str(cases[i].name), "%s", cases[i].because);
		CHECK_EQ(replaced, cases[i].replaced, "%s", cases[i].because);
	}
}

TEST(charset, utf16_with_and_without_mark_and_cut)
{
	const char *name;
	size_t replaced;

	CHECK_STR(decoded(t,
			  str_n("\xFF\xFE"
				"a\0\xE9\0",
				6),
			  "", true, &name, &replaced),
		  STR("a\xC3\xA9"));
	CHECK_STR(decoded(t, str_n("\xFE\xFF\0a\xD8\x3D\xDE\0", 8), "", true, &name, &replaced),
		  STR("a\xF0\x9F\x98\x80"));
	CHECK_STR(decoded(t, str_n("<\0p\0>\0a\0b\0", 10), "", true, &name, &replaced), STR("<p>ab"));
	CHECK_STR(str(name), STR("utf-16le"));
	CHECK_STR(decoded(t,
			  str_n("\xFF\xFE"
				"a\0\x3D\xD8",
				6),
			  "", true, &name, &replaced),
		  STR("a\xEF\xBF\xBD"), "half a pair");
	CHECK_EQ(replaced, 1);
	CHECK_STR(decoded(t,
			  str_n("\xFF\xFE"
				"a\0b",
				5),
			  "", true, &name, &replaced),
		  STR("a\xEF\xBF\xBD"), "half a unit");
	CHECK_EQ(replaced, 1);
}

TEST(charset, late_meta_is_found_but_not_by_the_prescan)
{
	char page[3000];
	const char *name;
	size_t replaced;

	memset(page, ' ', sizeof page);
	memcpy(page + 2000, "<meta charset=koi8-r>\xD0", 22);
	CHECK(!charset_prescan(str_n(page, sizeof page)).p);
	decoded(t, str_n(page, sizeof page), "", true, &name, &replaced);
	CHECK_STR(str(name), STR("koi8-r"));
}

TEST(charset, output_is_valid_utf8_for_any_bytes)
{
	for (int i = 0; i < 20000; i++) {
		char bytes[64];
		size_t n = test_below(t, sizeof bytes + 1), replaced;
		struct charset c = { 0 };
		size_t k = test_below(t, COUNT(label_cases) + COUNT(cases));
		struct str label =
		    k < COUNT(label_cases) ? str(label_cases[k].name) : str(cases[k - COUNT(label_cases)].name);

		for (size_t b = 0; b < n; b++)
			bytes[b] = (char)(test_below(t, 3) ? 0x80 + test_below(t, 128) : test_below(t, 128));
		c.encoding = encoding_of_label(label);
		c.mixed = test_below(t, 2);
		struct str text = charset_decode(t->arena, c, str_n(bytes, n), &replaced);

		CHECK_EQ(utf8_valid(text), text.n, "%.*s", STR_FMT(label));
		text =
		    charset_decode(t->arena, charset_find(str_n(bytes, n), STR_NONE, true), str_n(bytes, n), &replaced);
		CHECK_EQ(utf8_valid(text), text.n, "detected");
	}
}

/* Bytes as these encodings are made of, ordinary ones more often than not. */
static size_t random_pairs(struct test *t, char *bytes, size_t max)
{
	static const char *const pieces[] = { "\x1B(B", "\x1B(J",	"\x1B$B",	    "\x1B$@",
					      "\x1B(I", "\x8F\xB0\xA1", "\x81\x30\x84\x36", "\x90\x30\x81\x30",
					      "\n",	"a \\~",	"$\"%\"",	    "\x88\x62" };
	size_t n = 0;

	while (n + 8 < max) {
		size_t kind = test_below(t, 12);

		if (kind == 0) {
			const char *piece = pieces[test_below(t, COUNT(pieces))];

			memcpy(bytes + n, piece, strlen(piece));
			n += strlen(piece);
		} else if (kind < 4) {
			bytes[n++] = (char)(0x20 + test_below(t, 0x5F));
		} else if (kind == 4) {
			bytes[n++] = (char)test_below(t, 256);
		} else {
			bytes[n++] = (char)(0x81 + test_below(t, 0x7E));
			bytes[n++] = (char)(test_below(t, 3) ? 0xA1 + test_below(t, 0x5E) : 0x40 + test_below(t, 0x3F));
		}
	}
	return n;
}

TEST(charset, tables_of_pairs_agree_with_the_converter)
{
	static const char *const names[] = { "Big5-HKSCS",	  "EUC-JP",	"windows-949", "gb18030",
					     "ibm-943_P15A-2003", "ISO-2022-JP" };

	for (int i = 0; i < 6000; i++) {
		char bytes[200];
		const char *icu = names[i % COUNT(names)];
		size_t n = random_pairs(t, bytes, 9 + test_below(t, sizeof bytes - 9)), a = 0, b = 0;
		bool mail = i % COUNT(names) == 5;

		for (size_t k = 0; mail && k < n; k++) /* seven bits, so that some of it is ordinary */
			bytes[k] &= 0x7F;
		struct str by_table = charset_pairs_decode(t->arena, icu, str_n(bytes, n), true, &a);
		struct str twin = charset_pairs_decode(t->arena, icu, str_n(bytes, n), false, &b);

		CHECK_STR(by_table, twin, "%s", icu);
		CHECK_EQ(a, b, "%s: replacements", icu);
	}
	size_t replaced = 0;

	CHECK_STR(charset_pairs_decode(t->arena, "ISO-2022-JP", STR("a\x1B(J\\~\x1B$B$\"F|\x1B(B~"), true, &replaced),
		  STR("a\xC2\xA5\xE2\x80\xBE\xE3\x81\x82\xE6\x97\xA5~"));
}

TEST(charset, cyrillic_without_a_label)
{
	/* clang-format off */
	static const struct {
		const char *bytes, *name;
	} scripts[] = {
		{ "\xF0\xCF\xD2\xD4 \xC2\xD9\xCC \xDA\xC1\xCB\xD2\xD9\xD4 \xD7\xCF \xD7\xD4\xCF\xD2\xCE\xC9\xCB \xD0"
	     "\xCF\xD3\xCC\xC5 \xD0\xC1\xC4\xC5\xCE\xC9\xD1 \xCB\xD2\xC1\xCE\xC1. \xF7\xD3\xC5 \xD3\xD5\xC4\xC1"
	     " \xD6\xC4\xD5\xD4 \xCF\xD4\xCB\xD2\xD9\xD4\xC9\xD1 \xCB\xC1\xCE\xC1\xCC\xC1 \xD7 \xD0\xD1\xD4\xCE"
	     "\xC9\xC3\xD5.", "koi8-r" },
		{ "\xF0\xCF\xD2\xD4 \xC2\xD5\xCC\xCF \xDA\xC1\xCB\xD2\xC9\xD4\xCF \xD5 \xD7\xA6\xD7\xD4\xCF\xD2\xCF\xCB"
	     " \xD0\xA6\xD3\xCC\xD1 \xD0\xC1\xC4\xA6\xCE\xCE\xD1 \xCB\xD2\xC1\xCE\xC1. \xF5\xD3\xA6 \xD3\xD5"
	     "\xC4\xCE\xC1 \xDE\xC5\xCB\xC1\xC0\xD4\xD8 \xD7\xA6\xC4\xCB\xD2\xC9\xD4\xD4\xD1 \xCB\xC1\xCE\xC1\xCC\xD5"
	     ".", "koi8-u" },
		{ "\x8F\xAE\xE0\xE2 \xA1\xEB\xAB \xA7\xA0\xAA\xE0\xEB\xE2 \xA2\xAE \xA2\xE2\xAE\xE0\xAD\xA8\xAA \xAF"
	     "\xAE\xE1\xAB\xA5 \xAF\xA0\xA4\xA5\xAD\xA8\xEF \xAA\xE0\xA0\xAD\xA0. \x82\xE1\xA5 \xE1\xE3\xA4\xA0"
	     " \xA6\xA4\xE3\xE2 \xAE\xE2\xAA\xE0\xEB\xE2\xA8\xEF \xAA\xA0\xAD\xA0\xAB\xA0 \xA2 \xAF\xEF\xE2\xAD"
	     "\xA8\xE6\xE3.", "ibm866" },
		{ "\xCF\xEE\xF0\xF2 \xE1\xFB\xEB \xE7\xE0\xEA\xF0\xFB\xF2 \xE2\xEE \xE2\xF2\xEE\xF0\xED\xE8\xEA \xEF"
	     "\xEE\xF1\xEB\xE5 \xEF\xE0\xE4\xE5\xED\xE8\xFF \xEA\xF0\xE0\xED\xE0. \xC2\xF1\xE5 \xF1\xF3\xE4\xE0"
	     " \xE6\xE4\xF3\xF2 \xEE\xF2\xEA\xF0\xFB\xF2\xE8\xFF \xEA\xE0\xED\xE0\xEB\xE0 \xE2 \xEF\xFF\xF2\xED"
	     "\xE8\xF6\xF3.", "windows-1251" },
	};
	/* clang-format on */

	for (size_t i = 0; i < COUNT(scripts); i++)
		CHECK_STR(str(encoding_name(charset_detect(str(scripts[i].bytes)))), str(scripts[i].name), "case %zu",
			  i);
}

TEST(charset, utf16_in_other_letters_begins_with_markup)
{
	static const char page[] =
	    "<\0p\0>\0 \0\x1F\x04\x3E\x04\x40\x04\x42\x04\x31\x04\x4B\x04\x3B\x04\x37\x04\x30\x04\x3A\x04\x40\x04\x4B\x04";
	const char *name;
	size_t replaced;

	decoded(t, str_n(page, sizeof page - 1), "", true, &name, &replaced);
	CHECK_STR(str(name), STR("utf-16le"));
	decoded(t, str_n(page, sizeof page - 2), "", true, &name, &replaced);
	CHECK_STR(str(name), STR("utf-16le"), "cut in a letter");
}

TEST(charset, a_short_czech_page_by_its_rings)
{
	CHECK_STR(str(encoding_name(charset_detect(
		      STR("<title>Pr\xF9hlednost</title>N\xE1pov\xEC"
			  "da, obsah, rejst\xF8\xEDk. Ur\xE8uje pr\xF9hlednost grafick\xE9ho objektu. "
			  "Jsou mo\x9En\xE9 hodnoty od 0 (nepr\xF9hledn\xE9) do 100 (pr\xF9hledn\xE9).")))),
		  STR("windows-1250"));
	CHECK_STR(str(encoding_name(charset_detect(
		      STR("d'o\xF9 vient-il, et o\xF9 va-t-il? pi\xF9 o meno, perch\xE9 la citt\xE0 \xE8 cos\xEC")))),
		  STR("windows-1252"));
}

TEST(charset, latin_text_needs_no_statistics_but_czech_does)
{
	CHECK_STR(str(encoding_name(charset_detect(STR("une \xE9"
						       "t\xE9 \xE0 No\xEBl, le gar\xE7on a mang\xE9")))),
		  STR("windows-1252"));
	CHECK_STR(str(encoding_name(charset_detect(STR("d\xFC"
						       "zenli g\xF6r\xFC\xFElerin de\xF0"
						       "i\xFEtirilmesi i\xE7in yap\xFDlan \xE7"
						       "al\xFD\xFEmalar\xFDn ba\xFElang\xFD\xE7 a\xFE"
						       "amas\xFD")))),
		  STR("windows-1254"));
	CHECK(strstr("iso-8859-2 windows-1250",
		     encoding_name(charset_detect(STR("P\xF8\xEDli\xB9 \xBElu\xBB"
						      "ou\xE8k\xFD k\xF9\xF2 \xFA"
						      "p\xEC"
						      "l \xEF\xE1"
						      "belsk\xE9 \xF3"
						      "dy. "
						      "Nech\xBB ji\xBE h\xF8\xED\xB9n\xE9 saxofony \xEF\xE1"
						      "bl\xF9 rozezvu\xE8\xED s\xED\xF2 \xFA"
						      "d\xEC"
						      "sn\xFDmi t\xF3ny")))));
}

/* What browsers send; the bytes are those of Python's codecs. */
TEST(charset, queries_are_sent_in_the_encoding_of_the_page)
{
	static const struct {
		const char *label, *query, *sent;
	} queries[] = {
		{ "utf-8", "?q=é", "?q=é" },
		{ "utf-16le", "?q=é", "?q=é" },
		{ "windows-1252", "?q=plain&r=1", "?q=plain&r=1" },
		{ "windows-1252", "?q=é&r=€", "?q=%E9&r=%80" },
		{ "koi8-r", "?q=День", "?q=%E4%C5%CE%D8" },
		{ "shift_jis", "?q=テスト&x=1", "?q=%83e%83X%83g&x=1" },
		{ "euc-kr", "?q=한글", "?q=%C7%D1%B1%DB" },
		{ "big5", "?q=中文", "?q=%A4%A4%A4%E5" },
		{ "gb18030", "?q=中文𝄞", "?q=%D6%D0%CE%C4%942%BE4" },
		{ "iso-2022-jp", "?q=テスト;", "?q=%1B$B%F%9%H%1B(B;" },
		{ "windows-1252", "?q=День", "?q=%26%231044%3B%26%231077%3B%26%231085%3B%26%231100%3B" },
		{ "shift_jis", "?q=テ한스ト", "?q=%83e%26%2354620%3B%26%2349828%3B%83g" },
	};

	for (size_t i = 0; i < COUNT(queries); i++)
		CHECK_STR(charset_query(t->arena, encoding_of_label(str(queries[i].label)), str(queries[i].query)),
			  str(queries[i].sent), "%s", queries[i].label);
}

/* A query longer than what is converted at once: as if letter by letter. */
TEST(charset, long_queries_are_sent_whole)
{
	struct buf query = { .max = 1 << 20 }, sent = { .max = 1 << 20 };

	buf_str(&query, STR("?"));
	buf_str(&sent, STR("?"));
	for (unsigned i = 0; i < 5000; i++) {
		buf_str(&query, STR("中文한"));
		buf_str(&sent, STR("%A4%A4%A4%E5%26%2354620%3B"));
	}
	CHECK_STR(charset_query(t->arena, encoding_of_label(STR("big5")), buf_view(&query)), buf_view(&sent));
	buf_release(&query);
	buf_release(&sent);
}
