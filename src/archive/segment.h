/* archive/segment.h -- segmented records put together again.
 *
 * The first segment carries WARC-Segment-Number 1; `continuation` records
 * name it by WARC-Segment-Origin-ID.  The table knows all continuations of
 * one file (one pass over it, made when the first segmented record is met);
 * their blocks, in order, follow the first segment's.
 */
#ifndef WINNOW_ARCHIVE_SEGMENT_H
#define WINNOW_ARCHIVE_SEGMENT_H
#include "archive/reader.h"

struct segment {
	struct str origin, part;
	uint64_t number, total; /* total: what the last one declares, else 0 */
	struct span span;
};

struct segments {
	struct arena arena;
	char *path; /* whose continuations these are */
	struct segment *v; /* by origin, then number */
	size_t n, cap;
};

/* Makes the table that of path; nothing to do when it is already. */
int segments_of(struct segments *s, const char *path, struct err *err);
/* The continuations of record id, number 2 first; *n 0 when there are none. */
const struct segment *segments_find(const struct segments *s, struct str id, size_t *n);
void segments_release(struct segments *s);
#endif
