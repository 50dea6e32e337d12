/* tests/unit/archive/psl.c -- registrable domains against the list's own vectors. */
#include "archive/psl.h"

#include "archive/url.h"
#include "base/limits.h"
#include "base/os.h"
#include "test.h"

TEST(psl, knows_registrable_domains)
{
	CHECK_STR(psl_domain(STR("www.example.co.uk")), STR("example.co.uk"));
	CHECK_STR(psl_domain(STR("www.example.com.")), STR("example.com."));
	CHECK_STR(psl_domain(STR("co.uk")), STR(""));
	CHECK_STR(psl_domain(STR("1.2.3.4")), STR(""));
	CHECK_STR(psl_domain(STR("[::1]")), STR(""));
	CHECK_STR(psl_domain(STR("")), STR(""));
}

/* 'text' or null; what follows goes to *rest. */
static struct str argument(struct str *rest)
{
	ptrdiff_t from = str_chr(*rest, '\''), to;
	struct str s;

	if (str_starts(str_trim(*rest), STR("null"))) {
		*rest = str_sub(*rest, (size_t)str_find(*rest, STR("null")) + 4, rest->n);
		return STR_NONE;
	}
	s = str_sub(*rest, (size_t)from + 1, rest->n);
	to = str_chr(s, '\'');
	*rest = str_sub(s, (size_t)to + 1, s.n);
	return str_sub(s, 0, (size_t)to);
}

TEST_SUITE(psl, passes_test_psl)
{
	static const char call[] = "checkPublicSuffix(";
	struct str text;
	struct err err = { 0 };
	unsigned n = 0, passed = 0;

	REQUIRE(os_slurp(t->arena, suite_path(t, "suites/publicsuffix/tests/test_psl.txt"), MIB, &text, &err) == WN_OK,
		"%s", err.text);
	while (text.p) {
		struct str line = str_cut(&text, '\n'), host, want;

		if (!str_starts(line, str(call)))
			continue;
		line = str_sub(line, strlen(call), line.n);
		host = argument(&line);
		line = str_sub(line, (size_t)str_chr(line, ',') + 1, line.n);
		want = argument(&line);
		n++;
		passed += CHECK_STR(psl_domain(arena_lower(t->arena, host)), want.p ? want : STR(""), "domain of %.*s",
				    STR_FMT(host));
	}
	printf("public suffix: %u of %u vectors pass\n", passed, n);
	CHECK_EQ(n, 78);
}
