/* flow/captures_int.h -- what making a table of captures and bringing one up to date share. */
#ifndef WINNOW_FLOW_CAPTURES_INT_H
#define WINNOW_FLOW_CAPTURES_INT_H
#include <sqlite3.h>

#include "flow/captures.h"

/* All captures of the table, and no others. */
void captures_all(struct captures *c);
/* Room for n captures; the head is not filled yet. */
void captures_alloc(struct captures *c, size_t n);
/* A table of its own with the same captures. */
void captures_whole(struct captures *out, const struct captures *c);
/* Columns of a statement that begins with CAPTURE_COLUMNS, into row i. */
#define CAPTURE_COLUMNS \
	"c.id, c.content, c.time, c.status, c.host, c.bytes, c.mime, c.declared, c.charset, c.published, c.file, c.crawl"
void captures_row(struct captures *c, size_t i, sqlite3_stmt *s);
#define PLACE_COLUMNS "c.urlkey, c.digest, c.url, f.name, c.at"
void captures_copy(struct captures *to, size_t i, const struct captures *from, size_t k, size_t n);

uint64_t captures_url(struct str urlkey);
/* Where the arrays of c->n_table captures stand from `base` on; returns their bytes. */
size_t captures_lay_out(struct captures *c, char *base);

/* ---- files (captures_file.c): what cannot be written is not missed, what is damaged is not there ---- */

bool captures_map(struct captures *c, struct collection *coll, uint64_t revision);
/* The newest of a revision before. */
bool captures_map_older(struct captures *c, struct collection *coll, uint64_t revision);
void captures_store(struct captures *c, struct collection *coll);
#define CAPTURES_HEAD 48u /* magic, revision, last, altered, n, checksum */

struct capture_place { /* where a capture stands among those of all urlkeys */
	uint32_t id;
	uint32_t row;	 /* captures_patch.c: of what was read */
	uint32_t before; /* captures_patch.c: the capture in front, 0: none, UINT32_MAX: not looked for */
	int64_t time;
	struct str urlkey, digest, url, file;
	uint64_t at;
};
/* By canonical order; qsort. */
int captures_by_place(const void *a, const void *b);
/* From a statement with id, anything and time, and PLACE_COLUMNS from i on; strings in the arena. */
void captures_place(struct capture_place *out, sqlite3_stmt *s, int i, struct arena *a);

#define CAPTURE_NEW UINT32_MAX
/* out->n captures: of each piece those that stand in `old` from one on, or, from CAPTURE_NEW, the next of `rows`.  old,
 * which was mapped, is empty then.  False: the pieces do not add up. */
bool captures_put_together(struct captures *out, struct captures *old, const struct captures *rows,
			   const struct capture_stretch *pieces, size_t n);

/* old, brought to the present; WN_NONE when that is not possible or not worth it. */
int captures_patch(struct captures *out, struct captures *old, sqlite3 *db, struct err *err);
#endif
