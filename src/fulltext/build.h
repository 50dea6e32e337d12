/* fulltext/build.h -- between building, merging and the index: writing segments. */
#ifndef WINNOW_FULLTEXT_BUILD_H
#define WINNOW_FULLTEXT_BUILD_H
#include "fulltext/index.h"
#include "fulltext/segment.h"

/* Writes what the builder holds as a segment and empties it. */
int ftbuild_write(struct ftbuild *b, const char *path, struct err *err);

/* Writes the live documents of several segments as one; deleted[i] is NULL or
 * a bitmap of segment i's docs that are gone. */
int ftmerge_write(struct ftseg *const *segments, const uint64_t *const *deleted, size_t n, const char *path,
		  struct err *err);
#endif
