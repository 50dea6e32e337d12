/* tests/unit/text/pdf.c -- text out of PDFs, and nothing worse. */
#include "text/pdf.h"

#include <stdlib.h>

#include "base/buf.h"
#include "test.h"

/* A PDF of one page that says `says`, with a title; `stream` may replace the
 * page's content.  Offsets are left out: pdftotext rebuilds the table. */
static struct str small_pdf(struct test *t, const char *says, const char *title)
{
	struct str content = arena_printf(t->arena, "BT /F1 24 Tf 72 700 Td (%s) Tj ET", says);

	return arena_printf(t->arena,
			    "%%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
			    "2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n"
			    "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
			    " /Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n"
			    "4 0 obj\n<< /Length %zu >>\nstream\n%.*s\nendstream\nendobj\n"
			    "5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n"
			    "6 0 obj\n<< /Title (%s) >>\nendobj\n"
			    "trailer\n<< /Root 1 0 R /Info 6 0 R /Size 7 >>\n%%%%EOF\n",
			    content.n, STR_FMT(content), title);
}

TEST(pdf, text_and_title_of_a_page)
{
	struct str text, title;
	const char *why;
	struct err err = { 0 };

	REQUIRE(pdf_text(t->arena, small_pdf(t, "Bread & <butter>", "Food & drink"), &text, &title, &why, &err) ==
		    WN_OK,
		"%s", err.text);
	CHECK(why == NULL, "%s", why ? why : "");
	CHECK_STR(str_trim(text), STR("Bread & <butter>"));
	CHECK_STR(title, STR("Food & drink"));
}

static const struct {
	const char *payload, *because;
} bad[] = {
	{ "", "nothing at all" },
	{ "hello", "no PDF" },
	{ "%PDF-1.7\n", "only a head" },
	{ "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 1 0 R >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n",
	  "pages that contain themselves" },
	{ "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2147483647 >>\n"
	  "endobj\ntrailer\n<< /Root 1 0 R >>\n",
	  "two billion pages" },
};

TEST(pdf, bad_files_have_a_reason_and_do_no_harm)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct str text, title;
		const char *why = NULL;
		struct err err = { 0 };

		CHECK_EQ(pdf_text(t->arena, str(bad[i].payload), &text, &title, &why, &err), WN_OK, "%s",
			 bad[i].because);
		CHECK(why != NULL, "%s", bad[i].because);
		CHECK_EQ(text.n, 0, "%s", bad[i].because);
	}
}

TEST(pdf, random_damage_does_no_harm)
{
	struct str good = small_pdf(t, "All is well", "t");

	for (int round = 0; round < 8; round++) {
		char *damaged = arena_strz(t->arena, good);
		struct str text, title;
		const char *why;
		struct err err = { 0 };

		for (int i = 0; i < 20; i++)
			damaged[test_below(t, good.n)] = (char)test_random(t);
		CHECK_EQ(pdf_text(t->arena, str_n(damaged, good.n), &text, &title, &why, &err), WN_OK);
	}
}
