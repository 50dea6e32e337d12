/* What is put into a page is escaped, whatever it is. */
#include "serve/html.h"

#include "test.h"

static struct str made(struct test *t, struct buf *b)
{
	struct str s = arena_str(t->arena, buf_view(b));

	buf_release(b);
	return s;
}

TEST(html, escapes_text_and_attributes)
{
	struct buf b = BUF(4096);

	html(&b, "<p title=\"%s\">%z</p>", STR("\"><script>'&"), "</p><b>");
	CHECK_STR(made(t, &b), STR("<p title=\"&quot;&gt;&lt;script&gt;&#39;&amp;\">&lt;/p&gt;&lt;b&gt;</p>"));
}

TEST(html, isolates_archived_text_and_replaces_what_is_no_text)
{
	struct buf b = BUF(4096);

	html(&b, "%b", str_n("a\0\x01\xff\xc3(\xd7\x90\n", 9));
	CHECK_STR(made(t, &b), STR("<bdi>a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd(\xd7\x90\n</bdi>"));
}

TEST(html, an_archived_url_cannot_leave_its_attribute_or_path)
{
	struct buf b = BUF(4096);

	html(&b, "%r", STR("http://a.example/?q=1&x=\"> <i>#top'\xc3\xa9"));
	CHECK_STR(made(t, &b), STR("http://a.example/?q=1&amp;x=%22%3E%20%3Ci%3E%23top&#39;%C3%A9"));
	b = BUF(4096);
	html(&b, "?q=%p", STR("a b&c=d/%\"+"));
	CHECK_STR(made(t, &b), STR("?q=a%20b%26c%3Dd%2F%25%22%2B"));
	b = BUF(4096);
	location_url(&b, STR("http://a.example/\r\nSet-Cookie: x&y"));
	CHECK_STR(made(t, &b), STR("http://a.example/%0D%0ASet-Cookie:%20x&y"));
}

TEST(html, writes_numbers_and_times_for_people)
{
	struct buf b = BUF(4096);

	html(&b, "%n %n %u %f %i %t %d 100%%", (uint64_t)1234567, (uint64_t)999, (uint64_t)1234, 2.25, (int64_t)0,
	     (int64_t)60, (int64_t)86400);
	CHECK_STR(
	    made(t, &b),
	    STR("1,234,567 999 1234 2.2 19700101000000 <time datetime=\"1970-01-01T00:01:00Z\">1970-01-01 00:01</time> "
		"<time datetime=\"1970-01-02T00:00:00Z\">1970-01-02</time> 100%"));
}
