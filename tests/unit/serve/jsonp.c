/* tests/unit/serve/jsonp.c -- which scripts are answers to a name, and that only the name in them changes. */
#include "serve/jsonp.h"
#include "test.h"

#define WAS "http://a.example/f?x=1&callback=jQuery17_1&_=5"
#define NOW "http://a.example/f?x=1&callback=jQuery17_2&_=9"

static const struct {
	const char *archived, *asked, *body, *want;
} rows[] = {
	{ WAS, NOW, "jQuery17_1({\"a\":\"jQuery17_1(\"})", "jQuery17_2({\"a\":\"jQuery17_1(\"})" },
	{ WAS, NOW, "/**/ typeof jQuery17_1 === 'function' && jQuery17_1 ([1]);",
	  "/**/ typeof jQuery17_2 === 'function' && jQuery17_2 ([1]);" },
	{ WAS, NOW, "\xef\xbb\xbfjQuery17_1(1)", "\xef\xbb\xbfjQuery17_2(1)" },
	{ WAS, NOW, "jQuery17_12(1)", "jQuery17_12(1)" },
	{ WAS, NOW, "x.jQuery17_1(1)", "x.jQuery17_1(1)" },
	{ WAS, NOW, "{\"jQuery17_1\": 1}", "{\"jQuery17_1\": 1}" },
	{ WAS, NOW, "jQuery17_1", "jQuery17_1" },
	{ WAS, NOW, "", "" },
	{ WAS, WAS, "jQuery17_1(1)", "jQuery17_1(1)" },
	{ WAS, "http://a.example/f?x=1", "jQuery17_1(1)", "jQuery17_1(1)" },
	{ "http://a.example/f", NOW, "jQuery17_1(1)", "jQuery17_1(1)" },
	{ WAS, "http://a.example/f?callback=alert(1)//", "jQuery17_1(1)", "jQuery17_1(1)" },
	{ "http://a.example/f?cb=a.b_0", "http://a.example/f?cb=a.b_1", "a.b_0(1)", "a.b_1(1)" },
};

TEST(jsonp, the_answer_calls_the_name_that_was_asked_for)
{
	struct arena a = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str got = jsonp_rename(&a, str(rows[i].body), str(rows[i].archived), str(rows[i].asked));

		CHECK(str_eq(got, str(rows[i].want)), "%s: %.*s", rows[i].body, STR_FMT(got));
	}
	arena_release(&a);
}

TEST(jsonp, a_callback_is_a_name_in_a_known_parameter)
{
	CHECK(jsonp_names(STR("callback"), STR("f")), "callback=f");
	CHECK(jsonp_names(STR("jsonp"), STR("angular.callbacks._0")), "jsonp=angular.callbacks._0");
	CHECK(!jsonp_names(STR("callback"), STR("http://b.example/")), "callback=http://b.example/");
	CHECK(!jsonp_names(STR("callback"), STR("1")), "callback=1");
	CHECK(!jsonp_names(STR("callback"), STR_NONE), "callback=");
	CHECK(!jsonp_names(STR("q"), STR("f")), "q=f");
}
