/* rule/columns.h -- what a run knows of its documents, a column per attribute.
 *
 * The documents of a run are the numbers 0 .. n-1 in canonical order (urlkey,
 * time, digest, url, file name, offset).  Numbers, times (whole seconds UTC),
 * durations and truth values are doubles, NaN where missing: integers are
 * exact up to 2^53, far beyond any time or count.  Text is a dense id into one
 * table of all texts of all columns, sorted by bytes: equal texts have equal
 * ids, byte order is id order, and 0 is missing.  So `a.host = b.domain` is
 * one comparison of integers.
 *
 *	columns_init(&c, n);
 *	col = columns_add(&c, ATTR_HOST, TYPE_TEXT);
 *	columns_text(&c, col, doc, host);      unset cells are missing
 *	columns_finish(&c);                    once, before anything reads ids
 *
 * Cost: 8 bytes a number, 4 bytes a text cell, each distinct text once; finish
 * sorts the distinct texts.  Read-only after finish, so threads may share it.
 */
#ifndef WINNOW_RULE_COLUMNS_H
#define WINNOW_RULE_COLUMNS_H
#include "base/map.h"

enum value_type { TYPE_NONE, TYPE_BOOL, TYPE_NUMBER, TYPE_TEXT, TYPE_TIME, TYPE_DURATION };

/* Built-in attributes; imported ones are ATTR_USER + index in rule_env.user. */
enum attr {
	ATTR_URL,
	ATTR_URLKEY,
	ATTR_SCHEME,
	ATTR_HOST,
	ATTR_PORT,
	ATTR_PATH,
	ATTR_QUERY,
	ATTR_DOMAIN,
	ATTR_TIME,
	ATTR_MIME,
	ATTR_TYPE,
	ATTR_STATUS,
	ATTR_TITLE,
	ATTR_LANG,
	ATTR_CHARSET,
	ATTR_YEAR,
	ATTR_BYTES,
	ATTR_WORDS,
	ATTR_SHINGLES,
	ATTR_DIGEST,
	ATTR_CONTENT,
	ATTR_CRAWL,
	ATTR_FILE,
	ATTR_RANK,
	ATTR_INLINKS,
	ATTR_OUTLINKS,
	ATTR_PUBLISHED,
	ATTR_TEXT,
	ATTR_USER
};
#define ATTR_LIMIT 256 /* built-in and imported attributes together */

struct column {
	enum value_type type;
	double *num;	  /* all types but text; NaN = missing */
	uint32_t *id;	  /* text; 0 = missing */
	size_t n_missing; /* known after columns_finish */
};

struct columns {
	size_t n;
	struct column *col[ATTR_LIMIT]; /* by attribute; NULL = not filled */
	struct str *strs;		/* by text id; strs[0] is missing; sorted from 1 */
	size_t n_strs;
	struct intern intern;
	bool finished;
};

void columns_init(struct columns *c, size_t n);
struct column *columns_add(struct columns *c, unsigned attr, enum value_type type); /* all cells missing */
void columns_text(struct columns *c, struct column *col, size_t doc, struct str s);
void columns_number(struct column *col, size_t doc, double v);
void columns_finish(struct columns *c);
void columns_release(struct columns *c);

/* The cell's text, STR_NONE when missing.  Lasts as long as the columns. */
static inline struct str columns_str(const struct columns *c, const struct column *col, size_t doc)
{
	return c->strs[col->id[doc]];
}
#endif
