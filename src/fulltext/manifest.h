/* fulltext/manifest.h -- which files of an index count: fulltext/manifest.
 *
 *	winnow-fulltext 1
 *	next 9                      the number the next new file gets
 *	segment 4 0 90ab...         000004.seg, nothing removed; its head_check, 16 hex digits
 *	segment 7 8 77e1...         000007.seg, less the docs of 000008.del
 *	check 1f0c...               XXH3-64 of all before this line, 16 hex digits
 *
 * Replaced as a whole; whoever has read one may open its files until a later
 * one no longer names them, and tries again with that one when a file is gone.
 */
#ifndef WINNOW_FULLTEXT_MANIFEST_H
#define WINNOW_FULLTEXT_MANIFEST_H
#include "base/vec.h"
#include "fulltext/segment.h"

struct ftpart {			     /* a segment with what is removed from it */
	uint64_t number, del_number; /* del_number 0: no file */
	struct ftseg *s;
	uint64_t *deleted; /* a bit per doc; NULL: none */
	uint32_t n_deleted;
	uint64_t deleted_tokens[FT_FIELDS];
	bool dirty, pending, busy; /* private to the writer: bits not yet written; not yet committed; being merged */
};

struct ftmanifest {
	uint64_t next;
	VEC(struct ftpart) parts;
};

/* Reads the manifest of a directory and opens what it names; none is an empty index. */
int ftmanifest_open(struct ftmanifest *m, const char *dir, struct err *err);
void ftmanifest_release(struct ftmanifest *m);
/* Writes the numbers of all parts that are not pending. */
int ftmanifest_write(const struct ftmanifest *m, const char *dir, struct err *err);

struct str ftmanifest_name(struct arena *a, const char *dir, uint64_t number, const char *suffix);
/* Marks a doc as removed; false when it was already. */
bool ftpart_delete(struct ftpart *p, uint32_t doc);
int ftpart_write_deleted(const struct ftpart *p, const char *path, struct err *err);
void ftpart_release(struct ftpart *p);
#endif
