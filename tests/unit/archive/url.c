/* tests/unit/archive/url.c -- URL parsing against the standard's vectors and a few of our own. */
#include "archive/url.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/os.h"
#include "test.h"

static void one_vector(struct test *t, const struct json_value *v, unsigned *passed)
{
	static const struct {
		const char *key;
		struct str (*get)(const struct url *u);
	} parts[] = {
		{ "href", url_href },	      { "protocol", url_protocol }, { "username", url_username },
		{ "password", url_password }, { "host", url_host_port },    { "hostname", url_hostname },
		{ "port", url_port },	      { "pathname", url_pathname }, { "search", url_search },
		{ "hash", url_hash },
	};
	struct url base = { 0 }, u = { 0 };
	struct str input = json_text(v, "input"), base_text = json_text(v, "base");
	unsigned failures = t->failures;
	bool ok =
	    (!base_text.p || url_parse(&base, base_text, NULL)) && url_parse(&u, input, base_text.p ? &base : NULL);

	if (json_get(v, "failure")) {
		CHECK(!ok, "\"%.*s\" on \"%.*s\" gave \"%.*s\"", STR_FMT(input), STR_FMT(base_text),
		      STR_FMT(url_href(&u)));
	} else if (CHECK(ok, "\"%.*s\" on \"%.*s\" is a URL", STR_FMT(input), STR_FMT(base_text))) {
		for (size_t i = 0; i < COUNT(parts); i++)
			if (json_get(v, parts[i].key))
				CHECK_STR(parts[i].get(&u), json_text(v, parts[i].key), "%s of \"%.*s\" on \"%.*s\"",
					  parts[i].key, STR_FMT(input), STR_FMT(base_text));
		if (json_get(v, "origin")) {
			struct buf b = BUF(LIMIT_URL);

			url_origin(&u, &b);
			CHECK_STR(buf_view(&b), json_text(v, "origin"), "origin of \"%.*s\"", STR_FMT(input));
			buf_release(&b);
		}
	}
	*passed += t->failures == failures;
	url_release(&u);
	url_release(&base);
}

TEST_SUITE(url, passes_urltestdata)
{
	struct str text;
	struct json_value *all;
	struct err err = { 0 };
	unsigned passed = 0, n = 0;

	REQUIRE(os_slurp(t->arena, suite_path(t, "suites/wpt-url/urltestdata.json"), 16 * MIB, &text, &err) == WN_OK,
		"%s", err.text);
	REQUIRE(json_parse(t->arena, text, &all, &err) == WN_OK, "%s", err.text);
	for (const struct json_value *v = all->first; v; v = v->next)
		if (v->type == JSON_OBJECT) {
			n++;
			one_vector(t, v, &passed);
		}
	printf("urltestdata: %u of %u vectors pass\n", passed, n);
	CHECK_EQ(n, 891);
	CHECK_EQ(passed, n);
}

static const struct {
	const char *base, *href, *want;
} resolved[] = {
	{ "http://a/b/c/d;p?q", "g", "http://a/b/c/g" },
	{ "http://a/b/c/d;p?q", "./g/", "http://a/b/c/g/" },
	{ "http://a/b/c/d;p?q", "/g", "http://a/g" },
	{ "http://a/b/c/d;p?q", "//g", "http://g/" },
	{ "http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y" },
	{ "http://a/b/c/d;p?q", "g?y#s", "http://a/b/c/g?y#s" },
	{ "http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q#s" },
	{ "http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q" },
	{ "http://a/b/c/d;p?q", "../../../../g", "http://a/g" },
	{ "http://a/b/c/d;p?q", "..", "http://a/b/" },
	{ "http://a/b/c/d;p?q", "g;x=1/../y", "http://a/b/c/y" },
	{ "http://a/b/c/d;p?q", "http:g", "http://a/b/c/g" },
	{ "http://a/b/c/d;p?q", " x y ", "http://a/b/c/x%20y" },
	{ "http://u:p@A.example:80/x", "y", "http://u:p@a.example/y" },
	{ "http://xn--bcher-kva.example/",
	  "http://B\xc3\xbc"
	  "cher.example/\xc3\xa4?\xc3\xb6#\xc3\xbc",
	  "http://xn--bcher-kva.example/%C3%A4?%C3%B6#%C3%BC" },
	{ "http://a/", "mailto:x@y", "mailto:x@y" },
	{ "http://a/", "http://[::1]:80/", "http://[::1]/" },
	{ "http://a/", "http://0x7f.1/", "http://127.0.0.1/" },
	{ "http://a/", "http://[1::2", NULL },
	{ "http://a/", "http://a b/", NULL },
	{ "http://a/", "http://:80/", NULL },
	{ "http://a/", "http://h:70000/", NULL },
	{ "mailto:x", "y", NULL },
	{ "http://a/", "\xff", "http://a/%EF%BF%BD" },
};

TEST(url, resolves_references)
{
	struct url base = { 0 }, scratch = { 0 };
	struct buf out = BUF(LIMIT_URL);

	for (size_t i = 0; i < COUNT(resolved); i++) {
		bool ok;

		REQUIRE(url_parse(&base, str(resolved[i].base), NULL));
		buf_reset(&out);
		ok = url_resolve(&base, str(resolved[i].href), &scratch, &out);
		CHECK_EQ(ok, resolved[i].want != NULL, "%s on %s", resolved[i].href, resolved[i].base);
		if (ok && resolved[i].want)
			CHECK_STR(buf_view(&out), str(resolved[i].want), "%s on %s", resolved[i].href,
				  resolved[i].base);
	}
	buf_release(&out);
	url_release(&scratch);
	url_release(&base);
}

/* Random strings made of pieces that matter to the parser. */
static struct str random_input(struct test *t)
{
	static const char *const pieces[] = { "http:", "https:", "file:",    "x:",    "//",  "/",     "\\",
					      "?",     "#",	 "@",	     ":",     ".",   "..",    "%2e",
					      "%",     "a",	 "B",	     "[::1]", "1.2", "0x7",   "C|",
					      "\t",    " ",	 "\xc3\xbc", "\xff",  "80",  "xn--a", "localhost" };
	struct buf b = BUF(1024);
	unsigned n = (unsigned)test_below(t, 12);
	struct str s;

	for (unsigned i = 0; i < n; i++)
		buf_str(&b, str(pieces[test_below(t, COUNT(pieces))]));
	s = arena_str(t->arena, buf_view(&b));
	buf_release(&b);
	return s;
}

TEST(url, reparses_its_own_output)
{
	struct url base = { 0 }, u = { 0 }, again = { 0 };

	for (int i = 0; i < 20000; i++) {
		struct str b = random_input(t), s = random_input(t);
		bool has_base = url_parse(&base, b, NULL);

		if (!url_parse(&u, s, has_base ? &base : NULL))
			continue;
		CHECK(u.scheme_end <= u.user_end && u.user_end <= u.host && u.host <= u.host_end &&
			  u.host_end <= u.path && u.path <= u.search && u.search <= u.hash && u.hash <= u.n,
		      "offsets ascend for \"%.*s\" on \"%.*s\"", STR_FMT(s), STR_FMT(b));
		if (CHECK(url_parse(&again, url_href(&u), NULL), "\"%.*s\" from \"%.*s\"", STR_FMT(url_href(&u)),
			  STR_FMT(s)))
			CHECK_STR(url_href(&again), url_href(&u), "\"%.*s\" on \"%.*s\"", STR_FMT(s), STR_FMT(b));
	}
	url_release(&again);
	url_release(&u);
	url_release(&base);
}

TEST(url, refuses_what_is_too_long)
{
	size_t n = LIMIT_URL + 1;
	char *p = arena_alloc(t->arena, n);
	struct url u = { 0 };

	memset(p, 'a', n);
	memcpy(p, "http://a/", 9);
	CHECK(!url_parse(&u, str_n(p, n), NULL));
	CHECK(url_parse(&u, str_n(p, n - 1), NULL));
	CHECK_EQ(url_href(&u).n, LIMIT_URL);
	url_release(&u);
}
