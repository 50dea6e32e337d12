/* tests/unit/archive/surt.c -- urlkeys against the vectors of the surt package and our own cases. */
#include "archive/surt.h"

#include "archive/psl.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/os.h"
#include "test.h"

static struct str key_of(struct test *t, unsigned flags, struct str url)
{
	struct buf b = BUF(MIB);
	struct str s;

	surt_add_flags(flags, url, &b);
	s = arena_str(t->arena, buf_view(&b));
	buf_release(&b);
	return s;
}

static struct str canonical_of(struct test *t, unsigned flags, struct str url)
{
	struct buf b = BUF(MIB);
	struct str s;

	surt_canonical(flags, url, &b);
	s = arena_str(t->arena, buf_view(&b));
	buf_release(&b);
	return s;
}

static const struct {
	const char *url, *key;
} cases[] = {
	{ "", "-" },
	{ "http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b" },
	{ "http://example.org/a/././b/../c/../../../../..", "org,example)/.." },
	{ "http://example.org/too/many/../../../dots", "org,example)/../dots" },
	{ "http://example.org/?foosid=0123456789abcdefghijklemopqrstuv&bar", "org,example)/?foobar" },
	{ "http://example.org/?jsessionid=0123456789abcdefghijklemopqrstuv&sid=0123456789abcdefghijklemopqrstuv",
	  "org,example)/" },
	{ "http://example.org/?a&sid=0123456789abcdefghijklemopqrstuv", "org,example)/?&a" },
	{ "http://example.org/x?a=b&CFID=12412453&CFTOKEN=15501799&c", "org,example)/x?a=b&c" },
	{ "http://example.org/x?a=b&ASPSESSIONIDAQBSDSRT=EOHBLBDDPFCLHKPGGKLILNAM", "org,example)/x?&a=b" },
	{ "http://example.org/x/(S(4hqa0555fwsecu455xqckv45))/y/mileg.ASPX?a", "org,example)/x/y/mileg.aspx?a" },
	{ "http://example.org/(4hqa0555fwsecu455xqckv45)/mileg.html",
	  "org,example)/(4hqa0555fwsecu455xqckv45)/mileg.html" },
	{ "http://www1355544.com/", "com)/" },
	{ "http://b\xc3\xbc"
	  "cher.ch/\xc3\x84",
	  "ch,xn--bcher-kva)/%c3%84" },
	{ "http://[2001:db8:0::1]:80/", "2001:db8:0::1)/" },
	{ "http://010.0.0.1/", "1,0,0,8)/" },
	{ "http://0x7f.1/", "1,0x7f)/" },
	{ "http://39024579298/", "226,210,11,22)/" },
	{ "http://example.com:abc/", "http://example.com:abc/" },
	{ "http://user:pw@Example.COM:8080/A?Q=1#f", "com,example:8080)/a?q=1" },
	{ "http://example.com/?a=1&a-b=2&a", "com,example)/?a&a=1&a-b=2" },
	{ "http://example.com//a//b/", "com,example)/a/b" },
	{ "http://example.com/a%252Fb%00 c", "com,example)/a/b%00%20c" },
	{ "http://https://order.1and1.com", "com,1and1,order)/" },
	{ "http:////////www.vikings.com", "com,vikings)/" },
	{ "urn:text:http://www.example.com/", "urn:text:http://www.example.com" },
	{ "file:///C:/x", "file:/c:/x" },
	{ "filedesc:foo.arc.gz", "filedesc:foo.arc.gz" },
	{ "http://", "http:" },
	{ "?x", "http:/?x" },
	{ "http://example.com/a//../b", "com,example)/a/b" },
	{ "x y", "x%20y)/" },
	{ "HTTP://www.A.example:80/x", "example,a)/x" },
	{ "Https://A.example:443/", "example,a)/" },
	{ "HTTP://a.example:443/", "example,a:443)/" },
	{ "FTP://a.example:80/", "example,a:80)/" },
};

TEST(surt, makes_keys)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_STR(key_of(t, 0, str(cases[i].url)), str(cases[i].key), "key of \"%s\"", cases[i].url);
}

TEST(surt, plain_only_reverses)
{
	unsigned plain = surt_profile("plain")->flags;

	CHECK_STR(key_of(t, plain, STR("http://u@WWW.Example.com:80/A/../B/?b&a#x")), STR("com,example,www)/B/?b&a"));
	CHECK_STR(key_of(t, plain, STR("https://[::1]:8080/")), STR("[::1]:8080)/"));
	CHECK_STR(key_of(t, plain, STR("http://1.2.3.4/")), STR("1.2.3.4)/"));
	CHECK_STR(key_of(t, plain, STR("mailto:x@y")), STR("mailto:x@y"));
	CHECK_STR(key_of(t, plain, STR("no url")), STR("no%20url"));
	CHECK_STR(key_of(t, plain, STR("x:a b c")), STR("x:a%20b%20c"));
	CHECK_STR(key_of(t, surt_profile("no-www-massage")->flags, STR("http://WWW.Example.com/A")),
		  STR("com,example,www)/a"));
	CHECK(surt_profile("nothing") == NULL);
}

static struct str random_url(struct test *t)
{
	static const char *const pieces[] = { "a",
					      "B",
					      ".",
					      "..",
					      "/",
					      "//",
					      "?",
					      "&",
					      "=",
					      "sid=",
					      "0123456789abcdefghijklemopqrstuv",
					      "www.",
					      "www1.",
					      "%41",
					      "%2525",
					      "%26",
					      "\xc3\xbc",
					      "\xff",
					      "(",
					      ")",
					      ":80",
					      ":",
					      "@",
					      "#",
					      " ",
					      "\t",
					      "cfid=1",
					      "&cftoken=2",
					      "1.2.3.4",
					      "x-y",
					      "~",
					      ";",
					      "jsessionid=",
					      "/.",
					      "index.aspx",
					      "4hqa0555fwsecu455xqckv45",
					      "\\" };
	struct buf b = BUF(4096);
	unsigned n = (unsigned)test_below(t, 14);
	struct str s;

	if (test_below(t, 10))
		buf_str(&b, test_below(t, 2) ? STR("http://") : STR("https://www.Example.com"));
	for (unsigned i = 0; i < n; i++)
		buf_str(&b, str(pieces[test_below(t, COUNT(pieces))]));
	s = arena_str(t->arena, buf_view(&b));
	buf_release(&b);
	return s;
}

/* The slow way alone: a flag without effect on hosts that are no address switches the fast one off. */
TEST(surt, fast_way_agrees_with_slow_way)
{
	for (int i = 0; i < 30000; i++) {
		struct str url = random_url(t), key = key_of(t, 0, url);
		struct str with_scheme = key_of(t, SURT_WITH_SCHEME, url);
		ptrdiff_t at = str_find(with_scheme, STR("://("));

		if (at >= 0 && str_find(url, STR("://(")) < 0 && !str_starts(key, STR("http:")) &&
		    !str_starts(key, STR("https:")))
			CHECK_STR(key, str_sub(with_scheme, (size_t)at + 4, with_scheme.n), "\"%.*s\"", STR_FMT(url));
		for (size_t k = 0; k < key.n; k++)
			if ((unsigned char)key.p[k] <= ' ' || (unsigned char)key.p[k] > 126) {
				CHECK(false, "\"%.*s\" has a byte that breaks a line: \"%.*s\"", STR_FMT(url),
				      STR_FMT(key));
				break;
			}
	}
}

TEST(surt, decodes_long_chains_in_one_pass)
{
	size_t n = LIMIT_URL - 64;
	char *p = arena_alloc(t->arena, n);

	memcpy(p, "http://a.com/%", 14);
	for (size_t i = 14; i + 1 < n; i += 2)
		memcpy(p + i, "25", 2);
	CHECK_STR(key_of(t, 0, str_n(p, n)), STR("com,a)/%25"));
}

TEST(surt, ranges_hold_what_a_query_means)
{
	static const struct {
		const char *url;
		enum surt_match match;
		const char *from, *to;
	} ranges[] = {
		{ "http://example.com/a", SURT_EXACT, "com,example)/a", "com,example)/a!" },
		{ "http://example.com/a", SURT_PREFIX, "com,example)/a", "com,example)/b" },
		{ "http://example.com/a/", SURT_PREFIX, "com,example)/a/", "com,example)/a0" },
		{ "http://example.com/a/", SURT_HOST, "com,example)/", "com,example*" },
		{ "http://example.com/a/", SURT_DOMAIN, "com,example)/", "com,example-" },
		{ "com", SURT_DOMAIN, "com,", "com-" },
	};

	for (size_t i = 0; i < COUNT(ranges); i++) {
		struct buf from = BUF(MIB), to = BUF(MIB);

		surt_range(NULL, str(ranges[i].url), ranges[i].match, &from, &to);
		CHECK_STR(buf_view(&from), str(ranges[i].from), "%s", ranges[i].url);
		CHECK_STR(buf_view(&to), str(ranges[i].to), "%s", ranges[i].url);
		buf_release(&from);
		buf_release(&to);
	}
}

/* ---- the vectors ---- */

static bool is_true(const struct json_value *options, const char *key)
{
	const struct json_value *v = json_get(options, key);

	return v && v->type == JSON_TRUE;
}

static bool is_false(const struct json_value *options, const char *key)
{
	const struct json_value *v = json_get(options, key);

	return v && v->type == JSON_FALSE;
}

static unsigned flags_of(const struct json_value *options)
{
	return (is_true(options, "trailing_comma") ? SURT_TRAILING_COMMA : 0) |
	       (is_true(options, "with_scheme") ? SURT_WITH_SCHEME : 0) |
	       (is_false(options, "host_massage") ? SURT_KEEP_WWW : 0) |
	       (is_false(options, "query_lowercase") ? SURT_KEEP_QUERY_CASE : 0);
}

/* Text of a value that is a string, {"bytes": ...} or null. */
static struct str text_of(const struct json_value *v)
{
	if (v && v->type == JSON_OBJECT)
		return json_text(v, "bytes");
	return v && v->type == JSON_STRING ? v->text : STR_NONE;
}

static struct str step(struct test *t, struct str op, struct str in)
{
	struct buf b = BUF(MIB);
	struct str s = STR_NONE;

	if (str_ends(op, STR("unescapeRepeatedly")))
		surt_unescape(in, &b);
	else if (str_ends(op, STR("alphaReorderQuery")))
		surt_sort_query(in, &b);
	else if (str_ends(op, STR("stripPathSessionID")))
		surt_strip_path(in, &b);
	else if (str_ends(op, STR("massageHost")))
		buf_str(&b, surt_strip_www(in));
	else if (str_ends(op, STR("attemptIPFormats")) && !surt_ipv4(in, &b))
		goto out;
	s = arena_str(t->arena, b.p ? buf_view(&b) : STR(""));
out:
	buf_release(&b);
	return s;
}

enum kind { END_TO_END, STEP, DOMAIN, LEFT_OUT };

/* The internal functions of that package and what answers to them here. */
static const struct {
	const char *op;
	enum kind kind;
	const char *reason;
} ops[] = {
	{ "surt.surt", END_TO_END, NULL },
	{ "surt.GoogleURLCanonicalizer.canonicalize(handyurl.parse).getURLString", END_TO_END, NULL },
	{ "surt.IAURLCanonicalizer.canonicalize(handyurl.parse).getURLString", END_TO_END, NULL },
	{ "surt.DefaultIAURLCanonicalizer.canonicalize(handyurl.parse).getURLString", END_TO_END, NULL },
	{ "surt.GoogleURLCanonicalizer.unescapeRepeatedly", STEP, NULL },
	{ "surt.GoogleURLCanonicalizer.attemptIPFormats", STEP, NULL },
	{ "surt.IAURLCanonicalizer.alphaReorderQuery", STEP, NULL },
	{ "surt.IAURLCanonicalizer.massageHost", STEP, NULL },
	{ "surt.URLRegexTransformer.stripPathSessionID", STEP, NULL },
	{ "handyurl.getPublicSuffix", DOMAIN, NULL },
	{ "handyurl.getPublicPrefix", LEFT_OUT,
	  "winnow asks for the registrable domain only, never for what is before it" },
	{ "handyurl.parse.geturl", LEFT_OUT,
	  "an intermediate form: winnow never serialises a URL between parsing and normalising" },
	{ "handyurl.parse.scheme", LEFT_OUT, "an intermediate form, covered by the keys of mailto: URLs" },
	{ "surt.IAURLCanonicalizer.getDefaultPort", LEFT_OUT,
	  "two comparisons inside one step, covered by the keys of URLs with ports" },
};

static struct str end_to_end(struct test *t, struct str op, struct str in, unsigned flags)
{
	if (str_eq(op, STR("surt.surt")))
		return key_of(t, flags, in);
	if (str_find(op, STR("Google")) >= 0)
		flags |= SURT_KEEP_DETAIL;
	else if (str_find(op, STR("Default")) < 0)
		flags |= SURT_KEEP_ESCAPES;
	return canonical_of(t, flags, in);
}

TEST_SUITE(surt, passes_the_vectors)
{
	unsigned n[4] = { 0 }, passed[4] = { 0 }, left[COUNT(ops)] = { 0 };
	struct str text;
	struct err err = { 0 };

	REQUIRE(os_slurp(t->arena, suite_path(t, "suites/surt/vectors.jsonl"), MIB, &text, &err) == WN_OK, "%s",
		err.text);
	while (text.p) {
		struct str line = str_cut(&text, '\n'), op, in, got = STR_NONE, want;
		const struct json_value *options;
		struct json_value *v;
		size_t k = 0;

		if (line.n == 0)
			continue;
		REQUIRE(json_parse(t->arena, line, &v, &err) == WN_OK, "%s", err.text);
		op = json_text(v, "op");
		options = json_get(v, "options");
		in = text_of(json_get(v, "input"));
		want = text_of(json_get(v, "expected"));
		while (k < COUNT(ops) && !str_eq(op, str(ops[k].op)))
			k++;
		REQUIRE(k < COUNT(ops), "unknown operation %.*s", STR_FMT(op));
		n[ops[k].kind]++;
		left[k] += ops[k].kind == LEFT_OUT;
		if (ops[k].kind == END_TO_END)
			got = end_to_end(t, op, in, flags_of(options));
		else if (ops[k].kind == STEP)
			got = in.p ? step(t, op, in) : STR_NONE;
		else if (ops[k].kind == DOMAIN)
			got = psl_domain(json_text(options, "host"));
		else
			continue;
		passed[ops[k].kind] += CHECK_STR(got, want, "%.*s of \"%.*s\"", STR_FMT(op), STR_FMT(in));
	}
	printf("surt: %u of %u end-to-end vectors pass\n", passed[END_TO_END], n[END_TO_END]);
	printf("surt: %u of %u internal vectors pass\n", passed[STEP] + passed[DOMAIN], n[STEP] + n[DOMAIN]);
	for (size_t k = 0; k < COUNT(ops); k++)
		if (left[k])
			printf("surt: %u of %s left out: %s\n", left[k], ops[k].op, ops[k].reason);
	CHECK_EQ(n[END_TO_END], 102);
	CHECK_EQ(n[STEP] + n[DOMAIN] + n[LEFT_OUT], 65);
}
