/* cmd/listing.h -- rows for people and programs: table, tsv, csv, jsonl or one JSON object.
 *
 *	listing_open(&l, run, names, n);
 *	listing_text(&l, s); listing_u64(&l, v); ... one call per column; listing_row(&l);
 *	listing_close(&l);
 *
 * A table on a terminal, tsv otherwise, unless --format says; --json is one
 * object, {"rows": [...]}, as reports are one object.  A table is
 * laid out over the first rows and cut to the terminal's width; the others
 * stream.  In tsv tabs, line ends and backslashes are written \t \n \\.
 */
#ifndef WINNOW_CMD_LISTING_H
#define WINNOW_CMD_LISTING_H
#include "base/json.h"
#include "cmd/cmd.h"

enum listing_form { LISTING_TABLE, LISTING_TSV, LISTING_CSV, LISTING_JSONL, LISTING_JSON };

struct listing_cell {
	struct str text; /* p NULL: nothing */
	bool number;
};

struct listing {
	enum listing_form form;
	const char *const *names; /* of the columns that a row is filled with; until listing_close */
	size_t n, filled;
	struct listing_cell *cells;	 /* [n] of the present row */
	VEC(size_t) shown;		 /* which columns are written, in which order: those of --fields, else all */
	struct arena arena;		 /* of the present row, or of the rows of a table */
	VEC(struct listing_cell *) rows; /* of a table that is not laid out yet, as shown */
	unsigned *widths;		 /* of what is shown */
	unsigned width;			 /* of the terminal */
	struct buf out;
	uint64_t count;
};

void listing_open(struct listing *l, const struct cmd_run *run, const char *const *names, size_t n);
void listing_text(struct listing *l, struct str s);
void listing_u64(struct listing *l, uint64_t v);
void listing_i64(struct listing *l, int64_t v);
void listing_double(struct listing *l, double v, int decimals);
void listing_number(struct listing *l, struct str digits); /* as it is written */
void listing_none(struct listing *l);
void listing_row(struct listing *l);
void listing_close(struct listing *l); /* writes what is left */
#endif
