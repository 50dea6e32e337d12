/* archive/scan.h -- the records of many files, read by many threads, delivered in order.
 *
 * For every path in order and every record in order, `work` runs on some
 * worker with full access to the record (its block or payload through r) and
 * returns an item, or NULL for nothing; `done` gets the items in global order,
 * one at a time, on the calling thread.  The result is the same for any number
 * of threads.  At the end of each path `done` is called once with item NULL
 * and the file's summary.
 *
 * Large files are cut into ranges that begin at true records; a range whose
 * beginning does not meet its predecessor's end is dropped and read again in
 * sequence, so that cutting never changes what is found.  `work` may therefore
 * run on a record more than once or on a false one: it must only compute, and
 * `drop` frees an item that will not be delivered.
 * Memory: one reader per worker and the items of a few ranges, which stop early
 * and are carried on in sequence when they hold their share.  A record that is too
 * large to be worked on beside others can be put off: where work returns
 * SCAN_LATER, it is called again for the record in its turn, on the calling thread,
 * as worker number `threads`.
 */
#ifndef WINNOW_ARCHIVE_SCAN_H
#define WINNOW_ARCHIVE_SCAN_H
#include "archive/payload.h"

extern char scan_later_; /* its address is no item */
#define SCAN_LATER ((void *)&scan_later_)

struct scan_file { /* about one path, when all its records were delivered */
	const char *path;
	uint64_t records, bytes;  /* found; size of the file */
	uint64_t stop;		  /* a grown file is continued here: its end, or where its last record begins, or 0 */
	const struct flaws *tail; /* flaws that belong to no record */
	int code;		  /* WN_OK, or why it could not be read to the end */
	const struct err *err;
};

struct scan {
	unsigned threads; /* 0: one */
	bool quick;	  /* blocks are passed over: reader_quick */
	void *context;
	/* worker is in [0, threads]: make threads + 1 scratches. rec's flaws and span are complete after
	 * payload_end or reader_end; scan calls reader_end if work did not. */
	void *(*work)(void *context, struct reader *r, struct record *rec, size_t file, unsigned worker);
	int (*done)(void *context, void *item, size_t file,
		    const struct scan_file *summary); /* non-zero ends the scan */
	void (*drop)(void *context, void *item);
	/* What an item takes, and what all that wait for their turn may take; 0: they are counted only. */
	size_t (*size)(void *context, const void *item);
	uint64_t memory;
	void (*progress)(void *context, uint64_t bytes); /* compressed bytes passed; may be NULL; any thread */
	void *progress_context;				 /* its own; NULL: context */
	const uint64_t *starts; /* NULL, or per path the offset to continue from (scan_file.stop of last time) */
};

/* A path that cannot be opened is reported through done's summary (code < 0)
 * and the scan goes on.  Returns what done returned, or WN_OK. */
int scan_paths(const struct scan *s, const char *const *paths, size_t n, struct err *err);
#endif
