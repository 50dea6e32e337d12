/* serve/sheet.h -- a list, told once: a table for people; CSV, JSON lines and JSON for programs.
 *
 *	struct sheet l;
 *	sheet_begin(&l, SHEET_TABLE, b, columns, NULL);
 *	while (...) {
 *		sheet_row(&l);
 *		if (sheet_cell_u64(&l, id))		// true: write the cell's markup into l.b
 *			html(l.b, "<a href=...>cover %u</a>", id);
 *		sheet_text(&l, rule);			// or leave that to it
 *	}
 *	sheet_end(&l);
 *
 * Cells come in the order of the columns.  A column without a title is for
 * programs only.  In CSV, cells that a
 * spreadsheet would compute are quoted with an apostrophe.  A whole list that
 * may be long is streamed a piece at a time (sheet_stream), each piece read
 * by key with a handle of its own, so that memory does not grow with it.
 */
#ifndef WINNOW_SERVE_SHEET_H
#define WINNOW_SERVE_SHEET_H
#include "base/json.h"
#include "serve/html.h"
#include "serve/server.h"

struct sheet_column {
	const char *name, *title; /* name NULL: the end */
	enum { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_CODE } kind;
};

enum sheet_form { SHEET_TABLE, SHEET_CSV, SHEET_JSONL, SHEET_JSON };

struct sheet {
	struct buf *b;
	const struct sheet_column *columns;
	unsigned at; /* the next cell */
	enum sheet_form form;
	struct json j, *outer;
	bool in_row, in_cell;
	const char *cell_end;
};

enum sheet_form sheet_form(const struct request *q);

/* caption NULL: none. */
void sheet_begin(struct sheet *l, enum sheet_form form, struct buf *b, const struct sheet_column *columns,
		 const char *caption);
/* As the value that j is at. */
void sheet_begin_in(struct sheet *l, struct json *j, const struct sheet_column *columns);
void sheet_row(struct sheet *l);
/* The next cell's value.  True: its markup is the caller's to write into l->b. */
bool sheet_cell(struct sheet *l, struct str value);
bool sheet_cell_u64(struct sheet *l, uint64_t value);
bool sheet_cell_time(struct sheet *l, int64_t time);
/* The same where the value is all there is to see. */
void sheet_text(struct sheet *l, struct str value);
void sheet_number(struct sheet *l, uint64_t value);
void sheet_real(struct sheet *l, double value, int decimals);
void sheet_time(struct sheet *l, int64_t time);
void sheet_none(struct sheet *l);
void sheet_end(struct sheet *l);

/* Answers with all rows, a piece at a time: fill adds some rows and returns whether there are more. */
struct sheet_source {
	bool (*fill)(struct sheet_source *s, struct sheet *l, struct collection *coll, struct arena *scratch);
	const struct sheet_column *columns;
	struct request *q;
	uint64_t list, after, after_minor; /* for fill: which list, the last row that was given */
	struct buf *from;		   /* the same where rows go by key: where the next piece begins, */
	struct str to;			   /* and the list ends */
};
void sheet_stream(struct request *q, struct response *r, struct sheet_source *s, const char *name);

/* ---- pages as JSON: {"data": ..., "meta": {...}, "links": {"self", "next"}} ---- */

struct json *data_begin(struct request *q); /* at the value of "data" */
/* next: the query of the next page, STR_NONE when this is the last. */
void data_end(struct request *q, struct response *r, struct json *j, uint64_t revision, struct str next);
void data_time(struct json *j, const char *key, int64_t t);
#endif
