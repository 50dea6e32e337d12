/* archive/source.h -- bytes that are pulled in pieces.
 *
 *	while ((rc = source_pull(s, &piece, err)) == WN_OK)
 *		use(piece);
 *
 * A piece is borrowed until the next pull and never empty.  `last` is set with
 * the piece when the source knows that nothing follows, so that filters which
 * get everything in their first piece may take a short cut.
 */
#ifndef WINNOW_ARCHIVE_SOURCE_H
#define WINNOW_ARCHIVE_SOURCE_H
#include "base/err.h"
#include "base/str.h"

struct source {
	int (*pull)(struct source *s, struct str *piece, struct err *err); /* WN_OK, WN_END or an error */
	bool last;
};

static inline int source_pull(struct source *s, struct str *piece, struct err *err) { return s->pull(s, piece, err); }
#endif
