/* archive/continuation.h -- segmented records put together again.
 *
 * The first segment carries WARC-Segment-Number 1; `continuation` records
 * name it by WARC-Segment-Origin-ID.  The table knows all continuations of
 * one file (one pass over it, made when the first segmented record is met);
 * their blocks, in order, follow the first segment's.
 */
#ifndef WINNOW_ARCHIVE_CONTINUATION_H
#define WINNOW_ARCHIVE_CONTINUATION_H
#include "archive/reader.h"

struct continuation {
	struct str origin, part;
	uint64_t number, total; /* total: what the last one declares, else 0 */
	struct span span;
};

struct continuations {
	struct arena arena;
	char *path;		/* whose continuations these are */
	struct continuation *v; /* by origin, then number */
	size_t n, cap;
};

/* Makes the table that of path; nothing to do when it is already. */
int continuations_of(struct continuations *s, const char *path, struct err *err);
/* The continuations of record id, number 2 first; *n 0 when there are none. */
const struct continuation *continuations_find(const struct continuations *s, struct str id, size_t *n);
void continuations_release(struct continuations *s);
#endif
