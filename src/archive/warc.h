/* archive/warc.h -- WARC record heads: seeing one, and reading one.
 *
 * Heads are accepted as they come (any version, LF, folding, lines that are no
 * fields); each departure from the standard is a flaw.
 */
#ifndef WINNOW_ARCHIVE_WARC_H
#define WINNOW_ARCHIVE_WARC_H
#include "archive/record.h"

/* Memory for fields and unfolded values, kept from one head to the next.
 * Zero-initialised is valid. */
struct head_scratch {
	struct field *fields;
	unsigned cap;
	struct arena arena; /* reset by the reader for each record */
};
void head_scratch_release(struct head_scratch *s);
struct field *head_field(struct head_scratch *s, unsigned n); /* room for field n, NULL at LIMIT_FIELDS */

enum head_sight { HEAD_NO, HEAD_YES, HEAD_SHORT /* more bytes are needed to tell */ };

/* Is there surely a WARC head at the start of s: version line, then a WARC- or
 * Content- field?  Used where a head must be told from garbage. */
enum head_sight warc_sight(struct str s, bool all);

/* Bytes of the head at the start of s with its empty line.  0: not all of it
 * is there yet.  With `all` (nothing follows) or a next head in the way the
 * head ends there and *cut is set. */
size_t warc_head_size(struct str s, bool all, bool *cut);

/* Reads the head, whose size was found before, into rec; flaws get offset at. */
void warc_parse(struct record *rec, struct str head, struct head_scratch *scratch, uint64_t at);

/* A URI as archives write it: < > taken off, tabs and line ends too, other white space as %XX. */
struct str warc_clean_uri(struct arena *a, struct str uri, struct flaws *flaws, uint64_t at);
#endif
