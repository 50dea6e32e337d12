/* Any bytes as CSV: rows are read or refused with a reason; written again they are the same rows. */
#include <stdlib.h>

#include "base/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct csv c = { .rest = str_n((const char *)data, size) };
	struct buf row = BUF((size_t)1 << 24);
	struct err err = { 0 };
	int rc;

	while ((rc = csv_next(&c, &err)) == WN_OK) {
		struct csv again = { 0 };

		buf_reset(&row);
		for (size_t i = 0; i < c.cells.n; i++) {
			if (i)
				buf_byte(&row, ',');
			csv_cell(&row, c.cells.p[i]);
		}
		buf_byte(&row, '\n');
		again.rest = buf_view(&row);
		if (csv_next(&again, &err) != WN_OK || again.rest.n || again.cells.n != c.cells.n)
			abort();
		for (size_t i = 0; i < c.cells.n; i++)
			if (!str_eq(c.cells.p[i], again.cells.p[i]))
				abort();
		csv_release(&again);
	}
	if (rc < 0 && !err.text[0])
		abort();
	csv_release(&c);
	buf_release(&row);
	return 0;
}
