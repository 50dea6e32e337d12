/* base/csv.h -- comma-separated values (RFC 4180): writing a cell, reading rows.
 *
 * A quoted cell may hold commas, line ends and "" for ".  Rows end with LF, CR LF
 * or CR.  Cells are borrowed: from the text, or (those in quotes that hold "")
 * from the reader's arena, until the next row.
 * Cost: one pass; memory of a row's cells, of which LIMIT_CSV_CELLS are taken.
 */
#ifndef WINNOW_BASE_CSV_H
#define WINNOW_BASE_CSV_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

/* Adds s, in quotes when it holds a comma, a quote or a line end. */
void csv_cell(struct buf *out, struct str s);

struct csv { /* begin with { .rest = text } */
	struct str rest;
	VEC(struct str) cells; /* of the present row */
	struct arena arena;
	uint64_t line, lines; /* where the present row begins, from 1; line ends passed so far */
};

/* The next row into cells: WN_OK, WN_END, or WN_USAGE with the line and the reason. */
int csv_next(struct csv *c, struct err *err);
void csv_release(struct csv *c);
#endif
