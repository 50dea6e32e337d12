/* tests/unit/text/office.c -- docx and odt files made here, whole and damaged. */
#include "text/office.h"

#include "base/buf.h"
#include "test.h"

static void le(struct buf *b, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_byte(b, (char)(v >> (8 * i)));
}

/* A ZIP of two stored members. */
static struct str zip_of(struct test *t, const char *const names[2], const char *const data[2])
{
	struct buf b = BUF(1 << 20), dir = BUF(1 << 20);
	struct str out;
	size_t start;

	for (int i = 0; i < 2; i++) {
		size_t at = b.n, n = strlen(data[i]);

		le(&b, 0x04034b50, 4), le(&b, 20, 2), le(&b, 0, 8), le(&b, 0, 4), le(&b, n, 4), le(&b, n, 4);
		le(&b, strlen(names[i]), 2), le(&b, 0, 2);
		buf_str(&b, str(names[i]));
		buf_str(&b, str(data[i]));
		le(&dir, 0x02014b50, 4), le(&dir, 20, 2), le(&dir, 20, 2), le(&dir, 0, 8), le(&dir, 0, 4),
		    le(&dir, n, 4), le(&dir, n, 4);
		le(&dir, strlen(names[i]), 2), le(&dir, 0, 2), le(&dir, 0, 2), le(&dir, 0, 2), le(&dir, 0, 2),
		    le(&dir, 0, 4), le(&dir, at, 4);
		buf_str(&dir, str(names[i]));
	}
	start = b.n;
	buf_str(&b, buf_view(&dir));
	le(&b, 0x06054b50, 4), le(&b, 0, 4), le(&b, 2, 2), le(&b, 2, 2), le(&b, dir.n, 4), le(&b, start, 4),
	    le(&b, 0, 2);
	out = arena_str(t->arena, buf_view(&b));
	buf_release(&b);
	buf_release(&dir);
	return out;
}

static const char *const docx_names[2] = { "word/document.xml", "docProps/core.xml" };
static const char *const docx_data[2] = {
	"<?xml version='1.0'?><w:document><w:body><w:p><w:pPr><w:x/></w:pPr><w:r><w:t>Bread</w:t></w:r><w:r><w:t xml:space='preserve'> &amp; butter</w:t>"
	"<w:tab/><w:t>1</w:t></w:r></w:p><w:p><w:r><w:instrText>PAGE</w:instrText><w:t>Second</w:t></w:r></w:p></w:body></w:document>",
	"<cp:coreProperties><dc:title>Food &lt;all&gt;</dc:title></cp:coreProperties>"
};
static const char *const odt_names[2] = { "content.xml", "meta.xml" };
static const char *const odt_data[2] = {
	"<office:document-content><office:automatic-styles>no</office:automatic-styles><office:body><office:text><text:h>Head</text:h>"
	"<text:p>One<text:s/>two<text:line-break/>three</text:p></office:text></office:body></office:document-content>",
	"<office:meta><dc:title></dc:title></office:meta>"
};

TEST(office, docx_and_odt)
{
	struct str text, title;
	const char *why;
	struct err err = { 0 };

	REQUIRE(office_text(t->arena, zip_of(t, docx_names, docx_data), &text, &title, &why, &err) == WN_OK, "%s",
		err.text);
	CHECK(!why, "%s", why ? why : "");
	CHECK_STR(text, STR("Bread & butter\t1\nSecond"));
	CHECK_STR(title, STR("Food <all>"));
	REQUIRE(office_text(t->arena, zip_of(t, odt_names, odt_data), &text, &title, &why, &err) == WN_OK, "%s",
		err.text);
	CHECK_STR(text, STR("Head\nOne two\nthree"));
	CHECK_EQ(title.n, 0);
}

TEST(office, damage_has_a_reason_and_does_no_harm)
{
	struct str good = zip_of(t, docx_names, docx_data);

	for (size_t n = 0; n < good.n; n += 7) {
		struct str text, title;
		const char *why;
		struct err err = { 0 };
		char *p = arena_strz(t->arena, good);

		office_text(t->arena, str_n(good.p, n), &text, &title, &why, &err);
		for (int i = 0; i < 4; i++)
			p[test_below(t, good.n)] = (char)test_random(t);
		office_text(t->arena, str_n(p, good.n), &text, &title, &why, &err);
		CHECK(text.n <= good.n);
	}
}
