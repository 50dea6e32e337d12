/* flow/covers_rows.h -- members of covers as rows of a table, as collections made before catalogue version 4 have them.
 *
 * All in the transaction that stores or removes a cover.
 */
#ifndef WINNOW_FLOW_COVERS_ROWS_H
#define WINNOW_FLOW_COVERS_ROWS_H
#include "flow/covers.h"

struct sqlite3;
bool rows_here(struct sqlite3 *db); /* is there such a table? */
/* Where no cover is, the table goes, and *rows is false: from then on members are files. */
int rows_leave(struct sqlite3 *db, bool *rows, struct err *err);
int rows_delete(struct sqlite3 *db, uint64_t cover, const uint64_t *gone, size_t n, struct err *err);
int rows_delete_all(struct sqlite3 *db, uint64_t cover, struct err *err);
/* All members, or with row->patch those that differ. */
int rows_insert(struct sqlite3 *db, const struct cover_row *row, const struct member_list *m, struct err *err);
#endif
