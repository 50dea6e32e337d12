/* fulltext/build.h -- between building, merging and the index: writing segments. */
#ifndef WINNOW_FULLTEXT_BUILD_H
#define WINNOW_FULLTEXT_BUILD_H
#include "fulltext/index.h"
#include "fulltext/segment.h"

/* Writes what the builder and its runs hold as a segment and empties it. */
int ftbuild_join(struct ftindex *x, struct ftbuild *b, const char *path, struct err *err);

/* Writes the live documents of several segments as one; deleted (or deleted[i]) is NULL or
 * a bitmap of segment i's docs that are gone.  joined: they are runs of one builder, in order,
 * and a content in two of them is one document that goes on in the second. */
int ftmerge_write(struct ftseg *const *segments, const uint64_t *const *deleted, size_t n, bool joined,
		  const char *path, struct err *err);

/* Paths of files of the index, the second that of a new one. */
#define FT_RUN ".run.tmp" /* may go at any time after its builder */
const char *ftindex_path(const struct ftindex *x, struct arena *a, const char *suffix, uint64_t number);
const char *ftindex_new_path(struct ftindex *x, struct arena *a, const char *suffix, uint64_t *number);
#endif
