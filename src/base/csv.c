/* base/csv.c -- see csv.h. */
#include "base/csv.h"

void csv_cell(struct buf *out, struct str s)
{
	bool quote = false;

	for (size_t i = 0; i < s.n; i++)
		quote |= s.p[i] == '"' || s.p[i] == ',' || s.p[i] == '\n' || s.p[i] == '\r';
	if (!quote) {
		buf_str(out, s);
		return;
	}
	buf_byte(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_byte(out, '"');
		buf_byte(out, s.p[i]);
	}
	buf_byte(out, '"');
}
