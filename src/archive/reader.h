/* archive/reader.h -- the records of an archive file, one after another.
 *
 * WARC and ARC, plain, gzip (a member per record or one for all), zstd, lz4
 * and WACZ look alike from here: what a file is, is seen from its bytes.
 *
 *	while ((rc = reader_next(r, &rec, err)) == WN_OK) {
 *		while ((rc = reader_block(r, &piece, err)) == WN_OK) ...   // optional
 *		if ((rc = reader_end(r, &rec, err)) < 0) ...		   // optional
 *	}
 *
 * A damaged record is still a record: what is wrong with it is listed in
 * rec.flaws, and reading goes on at the next true record.  What belongs to no
 * record (garbage at the end, not an archive at all) is in reader_tail() after
 * WN_END.  Only a failing file is an error.
 * Cost: one pass, no seeks; memory is bounded by LIMIT_RECORD_HEAD and a few
 * buffers of fixed size, whatever the size of a record.
 */
#ifndef WINNOW_ARCHIVE_READER_H
#define WINNOW_ARCHIVE_READER_H
#include "archive/record.h"
#include "archive/source.h"
#include "base/err.h"

struct reader;

/* Opens path; "-" is standard input.  "x.wacz" reads all WARCs in it, one
 * after another; "x.wacz#archive/y.warc.gz" that one.  On success *out is the
 * caller's. */
int reader_open(struct reader **out, const char *path, struct err *err);

/* Only the record at span (of path, as above). */
int reader_open_span(struct reader **out, const char *path, struct span span, struct err *err);

/* An open reader moved to another record of its file, as if it had been opened there: no file is opened, no memory
 * made.  span.length 0: not known; else nothing behind it is read. */
bool reader_can_move(const struct reader *r);
int reader_move(struct reader *r, struct span span, struct err *err);

/* The records that begin in [from, to): reading starts at exactly `from` when
 * it is 0 or `exact`, else at the first true record at or after it. */
int reader_open_range(struct reader **out, const char *path, uint64_t from, uint64_t to, bool exact, struct err *err);

/* The records that begin before `to`, which is UINT64_MAX or an offset in a file of one part. */
int reader_open_to(struct reader **out, const char *path, uint64_t to, struct err *err);

/* Goes on where reader_stop said; `to` as above. */
int reader_resume(struct reader **out, const char *path, uint64_t at, uint64_t skip, uint64_t to, struct err *err);

/* From now on only the heads are read where that is possible (skim.c says when): such a record is `passed`, the
 * beginning of its block, with all of its HTTP head, is rec.lead, and what is wrong inside the block is not seen.  Records,
 * spans and flaws of heads and framing are those that reading everything finds.  reader_block reads the block all the
 * same. */
void reader_quick(struct reader *r);

/* The next record, or WN_END.  Its slices are borrowed from the reader and
 * last until the next call. */
int reader_next(struct reader *r, struct record *rec, struct err *err);

/* The next piece of the record's block, or WN_END. */
int reader_block(struct reader *r, struct str *piece, struct err *err);

/* The same as a source; valid until the next reader_next. */
struct source *reader_source(struct reader *r);

/* Passes what is left of the block, completes rec->flaws and rec->span. */
int reader_end(struct reader *r, struct record *rec, struct err *err);

/* Where reading goes on after the record that was left last: an offset that
 * reader_open_range takes as exact, and the bytes of text to skip there. */
void reader_stop(const struct reader *r, uint64_t *at, uint64_t *skip);
bool reader_can_split(const struct reader *r); /* a regular file of one part: ranges of it can be read */

/* After reader_end, for files that are still being written.  Whole: it ends where its length says and is closed as it
 * should be.  Tentative: it might be another record if the file went on behind its present end; others that were found
 * behind it may then be part of it. */
bool reader_whole(const struct reader *r, const struct record *rec);
bool reader_tentative(const struct reader *r, const struct record *rec);

const char *reader_path(const struct reader *r); /* without the part */
bool reader_seekable(const struct reader *r);

const struct flaws *reader_tail(const struct reader *r); /* after WN_END */
uint64_t reader_ahead(const struct reader *r);		 /* after WN_END: no record begins between the last and here */
uint64_t reader_at(const struct reader *r);		 /* bytes of the file consumed so far, for progress */
void reader_close(struct reader *r);			 /* r may be NULL */
#endif
