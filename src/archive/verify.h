/* archive/verify.h -- everything that can be checked about archive files.
 *
 * Each record is read to its end: compression, lengths, heads, mandatory
 * fields, dates, ids, block and payload digests, HTTP head, chunks, content
 * codings, segments.  What is found comes as flaws, in the order of the files,
 * the same for any number of threads.
 * Memory: that of a scan, and 24 bytes for each record id of one file.
 */
#ifndef WINNOW_ARCHIVE_VERIFY_H
#define WINNOW_ARCHIVE_VERIFY_H
#include "archive/flaw.h"
#include "archive/record.h"
#include "base/err.h"

struct verify {
	unsigned threads;
	void *context;
	/* part: the WARC inside a WACZ, else empty.  Non-zero ends the run. */
	int (*flaw)(void *context, const char *path, struct str part, const struct flaw *f);
	/* A file that could not be read (to its end). */
	int (*failed)(void *context, const char *path, const struct err *err);
	void (*progress)(void *context, uint64_t bytes); /* may be NULL; any thread */
};

struct verify_result {
	uint64_t files, records, flaws, failed;
	uint64_t counts[FLAW_KINDS];
	uint64_t unlisted; /* flaws beyond LIMIT_FLAWS_PER_RECORD of a record: in flaws, not in counts */
};

int verify_paths(const struct verify *v, const char *const *paths, size_t n, struct verify_result *out,
		 struct err *err);

/* What the head alone shows: mandatory fields, dates, values.  Appends to rec->flaws. */
void verify_head(struct record *rec);
#endif
