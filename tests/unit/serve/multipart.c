/* tests/unit/serve/multipart.c -- forms, however their bytes are cut. */
#include "serve/multipart.h"

#include "test.h"

static bool keep(void *context, struct str bytes) { return buf_str(context, bytes); }

#define PART(head, body) "--x y\r\nContent-Disposition: form-data; " head "\r\n\r\n" body "\r\n"

TEST(multipart, gives_the_same_however_it_is_cut)
{
	static const char body[] = "before\r\n" PART("name=\"title\"", "a\0b c")
	    PART("name=file; filename=\"one.warc\"", "WARC\r\n--x\r\n--x z")
		PART("name=more; filename=two", "no") "--x y--\r\nbehind";

	for (size_t step = 1; step < sizeof body; step++) {
		struct multipart m;
		struct buf file = BUF(4096);
		bool bad = false;

		REQUIRE(multipart_init(&m, STR("multipart/form-data; boundary=\"x y\"")));
		for (size_t at = 0; at < sizeof body - 1; at += step)
			CHECK(
			    multipart_add(&m, str_sub(str_n(body, sizeof body - 1), at, at + step), keep, &file, &bad));
		CHECK(!bad, "pieces of %zu", step);
		CHECK_STR(multipart_field(&m, "title"), str_n("a\0b c", 5), "pieces of %zu", step);
		CHECK_STR(str(m.file), STR("one.warc"));
		CHECK_STR(buf_view(&file), STR("WARC\r\n--x\r\n--x z"), "pieces of %zu", step);
		multipart_release(&m);
		buf_release(&file);
	}
}
