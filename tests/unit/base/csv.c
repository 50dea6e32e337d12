/* tests/unit/base/csv.c -- rows of comma-separated values. */
#include "base/csv.h"

#include "base/limits.h"
#include "test.h"

/* Cells are shown as [a][b], rows by their lines: 1[a][b] 2[c]. */
static const struct {
	const char *text, *rows;
} cases[] = {
	{ "", "" },
	{ "a,b\nc,d\n", "1[a][b] 2[c][d] " },
	{ "a,b\r\nc,d", "1[a][b] 2[c][d] " },
	{ "a\rb\r", "1[a] 2[b] " },
	{ ",\n\n,,", "1[][] 2[] 3[][][] " },
	{ "\"a,b\",\"c\"\"d\"\"\"\n", "1[a,b][c\"d\"] " },
	{ "\"two\nlines\",x\ny,z\n", "1[two\nlines][x] 3[y][z] " },
	{ "\"\",\"\"\"\"\n", "1[][\"] " },
	{ "a \"b\",c\n", "1[a \"b\"][c] " },
	{ "a,\"b\"c\n", "line 1: something stands behind a closing quote" },
	{ "a\n\"b\nc\n", "1[a] line 2: a quoted cell does not end" },
};

TEST(csv, reads_rows_as_written)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct csv c = { .rest = str(cases[i].text) };
		struct buf got = BUF(4096);
		struct err err = { 0 };
		int rc;

		while ((rc = csv_next(&c, &err)) == WN_OK) {
			buf_printf(&got, "%d", (int)c.line);
			for (size_t k = 0; k < c.cells.n; k++)
				buf_printf(&got, "[%.*s]", STR_FMT(c.cells.p[k]));
			buf_byte(&got, ' ');
		}
		buf_str(&got, str(err.text));
		CHECK_STR(buf_view(&got), str(cases[i].rows), "%s", cases[i].text);
		csv_release(&c);
		buf_release(&got);
	}
}

/* A row of many quoted cells in a long file takes the memory of the row, not of the file for each cell. */
TEST(csv, many_quoted_cells_take_little)
{
	struct buf text = BUF(64 * MIB);
	struct csv c;
	struct err err = { 0 };

	for (int i = 0; i < LIMIT_CSV_CELLS; i++)
		buf_str(&text, i ? STR(",\"a\"\"b\"") : STR("\"a\"\"b\""));
	for (int i = 0; i < 8; i++) {
		buf_byte(&text, '\n');
		for (size_t k = 0; k < MIB; k++)
			buf_byte(&text, 'x');
	}
	c = (struct csv){ .rest = buf_view(&text) };
	CHECK_EQ(csv_next(&c, &err), WN_OK, "%s", err.text);
	CHECK_EQ(c.cells.n, LIMIT_CSV_CELLS, "cells");
	CHECK(c.arena.used < MIB, "%zu bytes", c.arena.used);
	csv_release(&c);
	buf_reset(&text);
	for (int i = 0; i <= LIMIT_CSV_CELLS; i++)
		buf_byte(&text, ',');
	c = (struct csv){ .rest = buf_view(&text) };
	CHECK_EQ(csv_next(&c, &err), WN_USAGE, "more cells than the limit");
	csv_release(&c);
	buf_release(&text);
}
