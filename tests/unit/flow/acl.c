/* tests/unit/flow/acl.c -- access rules: which line decides. */
#include "flow/acl.h"

#include "archive/stamp.h"
#include "test.h"

static const char rules[] = "# one site, its private part, one page of that\n"
			    "org,example,shop)/ - {\"access\": \"block\"}\n"
			    "org,example)/private/open### - {\"access\": \"allow\"}\n"
			    "org,example)/private - {\"access\": \"allow\", \"user\": \"staff\"}\n"
			    "org,example)/private - {\"access\": \"exclude\"}\n"
			    "org,example)/news/press - {\"access\": \"allow_ignore_embargo\"}\n"
			    "org,example)/news/a - {\"access\": \"allow\"}\n"
			    "org,example)/news - {\"access\": \"block\", \"newer\": {\"years\": 1}}\n"
			    "org,example)/old - {\"access\": \"exclude\", \"before\": \"2001\"}\n"
			    "org,example)/fresh - {\"access\": \"exclude\", \"after\": \"2001\"}\n"
			    "com, - {\"access\": \"exclude\", \"older\": \"30 days\"}\n";

TEST(acl, the_longest_key_decides)
{
	static const struct {
		const char *key, *time, *user;
		enum acl_access want;
	} cases[] = {
		{ "org,example)/", "20100101", "", ACL_ALLOW },
		{ "org,example,shop)/x", "20100101", "", ACL_BLOCK },
		{ "org,example)/private", "20100101", "", ACL_EXCLUDE },
		{ "org,example)/private/x", "20100101", "staff", ACL_ALLOW },
		{ "org,example)/private/x", "20100101", "other", ACL_EXCLUDE },
		{ "org,example)/private/open", "20100101", "", ACL_ALLOW },
		{ "org,example)/private/openly", "20100101", "", ACL_EXCLUDE },
		{ "org,example)/news/x", "20100601", "", ACL_BLOCK },
		{ "org,example)/news/x", "20080601", "", ACL_ALLOW },
		{ "org,example)/news/a", "20100601", "", ACL_BLOCK },
		{ "org,example)/news/press", "20100601", "", ACL_ALLOW },
		{ "org,example)/old", "20001231", "", ACL_EXCLUDE },
		{ "org,example)/old", "20010101", "", ACL_ALLOW },
		{ "org,example)/fresh", "20011231", "", ACL_ALLOW },
		{ "org,example)/fresh", "20020101", "", ACL_EXCLUDE },
		{ "com,x)/", "20100615", "", ACL_ALLOW },
		{ "com,x)/", "20100101", "", ACL_EXCLUDE },
		{ "", "20100101", "", ACL_ALLOW },
		{ "zz", "20100101", "", ACL_ALLOW },
	};
	struct acl *acl;
	struct err err = { 0 };

	REQUIRE(acl_parse(&acl, str(rules), &err) == WN_OK, "%s", err.text);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct stamp at;

		stamp_parse(str(cases[i].time), &at);
		CHECK_EQ(acl_check_at(acl, str(cases[i].key), at.time, str(cases[i].user),
				      stamp_from_civil(2010, 7, 1, 0, 0, 0)),
			 cases[i].want, "%s %s %s", cases[i].key, cases[i].time, cases[i].user);
	}
	acl_free(acl);
}

/* The slow way: every line, the longest that fits. */
TEST(acl, agrees_with_trying_every_line)
{
	for (int round = 0; round < 200; round++) {
		struct {
			char key[8];
			enum acl_access access;
		} lines[12];
		size_t n = 1 + test_below(t, 12);
		struct str text = STR("");
		struct acl *acl;
		struct err err = { 0 };

		for (size_t i = 0; i < n; i++) {
			size_t m = test_below(t, 6);

			for (size_t k = 0; k < m; k++)
				lines[i].key[k] = (char)('a' + test_below(t, 2));
			lines[i].key[m] = 0;
			for (size_t k = 0; k < i; k++)
				if (strcmp(lines[k].key, lines[i].key) == 0)
					i = k, n--; /* one line per key */
			lines[i].access = test_below(t, 2) ? ACL_BLOCK : ACL_ALLOW;
		}
		for (size_t i = 0; i < n; i++)
			text =
			    arena_printf(t->arena, "%.*s%s%s - {\"access\": \"%s\"}\n", STR_FMT(text), lines[i].key,
					 lines[i].key[0] ? "" : "*", lines[i].access == ACL_BLOCK ? "block" : "allow");
		REQUIRE(acl_parse(&acl, text, &err) == WN_OK, "%s", err.text);
		for (int q = 0; q < 50; q++) {
			char key[8];
			size_t m = test_below(t, 7), best = 0;
			enum acl_access want = ACL_ALLOW;

			for (size_t k = 0; k < m; k++)
				key[k] = (char)('a' + test_below(t, 2));
			key[m] = 0;
			for (size_t i = 0; i < n; i++)
				if (str_starts(str(key), str(lines[i].key)) && strlen(lines[i].key) + 1 > best) {
					best = strlen(lines[i].key) + 1;
					want = lines[i].access;
				}
			CHECK_EQ(acl_check_at(acl, str(key), 0, STR_NONE, 0), want, "%s in\n%.*s", key, STR_FMT(text));
		}
		acl_free(acl);
	}
}

TEST(acl, a_line_that_cannot_be_read_is_an_error)
{
	static const char *const bad[] = { "org,example)/",
					   "org,example)/ - ",
					   "org,example)/ - {}",
					   "org,example)/ - {\"access\": \"blok\"}",
					   "org,example)/ - [1]",
					   "org,example)/ - {\"access\": 1}",
					   "x - {\"access\": \"block\", \"before\": \"soon\"}",
					   "x - {\"access\": \"block\", \"newer\": {\"moons\": 1}}",
					   "x - {\"access\": \"block\"",
					   "x {\"access\": \"block\"}",
					   "x - {\"access\": \"block\", \"newer\": -1}" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct acl *acl = NULL;
		struct err err = { 0 };

		CHECK(acl_parse(&acl, str(bad[i]), &err) < 0 && err.text[0], "%s", bad[i]);
	}
}
