/* base/csv.h -- a cell of comma-separated values (RFC 4180). */
#ifndef WINNOW_BASE_CSV_H
#define WINNOW_BASE_CSV_H
#include "base/buf.h"

/* Adds s, in quotes when it holds a comma, a quote or a line end. */
void csv_cell(struct buf *out, struct str s);
#endif
