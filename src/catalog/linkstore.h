/* catalog/linkstore.h -- lists of links outside the database: links/NUMBER-FIRST.seg.
 *
 * The packed lists (linkpack.h) of the pages [first, first + n), one behind the
 * other, each with its checksum; docs/format/links.md has it byte by byte.  Written
 * once, appearing whole or not at all.  They are most of what ingest has to say of a
 * page, and a database would write them twice, to its log and to its file.
 *
 * A store belongs to one thread.  Segments are listed when the first page is asked
 * for and again when a page is in none of those known; each is mapped when it is
 * needed and stays so: what was given lasts until the store is closed.
 */
#ifndef WINNOW_CATALOG_LINKSTORE_H
#define WINNOW_CATALOG_LINKSTORE_H
#include "catalog/catalog.h"

/* Ids of the pages follow one another; n > 0. */
int linkstore_write(const char *path, const struct catalog_page *pages, size_t n, struct err *err);

struct linkstore;
struct linkstore *linkstore_new(const char *dir); /* a missing directory is empty */
void linkstore_free(struct linkstore *s);	  /* s may be NULL */
/* The page's packed list; WN_NONE when no segment holds it, WN_DATA when the segment is damaged. */
int linkstore_get(struct linkstore *s, uint64_t page, struct str *packed, struct err *err);
/* The same, but for the list's own bytes. */
int linkstore_has(struct linkstore *s, uint64_t page, struct err *err);

/* Reads all of a segment; WN_DATA names what is damaged. */
int linkstore_check(const char *path, struct err *err);
#endif
