/* archive/continuation.h -- segmented records put together again.
 *
 * The first segment carries WARC-Segment-Number 1; `continuation` records
 * name it by WARC-Segment-Origin-ID.  The table knows all continuations of the
 * files that were read for it (one pass over each, made when a segmented record
 * is met); their blocks, in order, follow the first segment's.
 * Memory: LIMIT_SEGMENTS continuations.
 */
#ifndef WINNOW_ARCHIVE_CONTINUATION_H
#define WINNOW_ARCHIVE_CONTINUATION_H
#include "archive/reader.h"
#include "base/vec.h"

struct continuation {
	struct str origin, part;
	const char *path;
	size_t file;		/* how many files were read before its own */
	uint64_t number, total; /* total: what the last one declares, else 0 */
	struct span span;
};

struct continuations {
	struct arena arena;
	VEC(const char *) files;      /* that were read */
	VEC(struct continuation) all; /* when sorted: by origin, number, file, place */
	bool sorted;
};

/* Adds those of path; nothing to do when it was read before. */
int continuations_read(struct continuations *s, const char *path, struct err *err);
/* The continuations of record id, number 2 first; *n 0 when there are none. */
const struct continuation *continuations_find(struct continuations *s, struct str id, size_t *n);
void continuations_release(struct continuations *s);
#endif
