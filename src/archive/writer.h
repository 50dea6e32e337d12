/* archive/writer.h -- WARC 1.1 files, safe against being killed.
 *
 *	writer_open(&w, "out.warc.gz", &options, err);
 *	writer_info(w, time, STR("software: winnow\r\n"), err);
 *	writer_record(w, &head, block, &span, err);
 *	writer_close(w, err);
 *
 * A record reaches the file as one whole member (gzip or zstd) or, when its
 * block is streamed, as a member that is complete before the next begins.  The
 * file is written under its final name and appended to; after a kill all
 * records but perhaps the last are whole, and writer_open with `append` cuts a
 * torn tail off before it goes on.  With `whole_or_nothing` the file appears
 * under its name only when writer_close has succeeded.
 * Memory: one record's block, or WRITER_CHUNK when streaming.
 */
#ifndef WINNOW_ARCHIVE_WRITER_H
#define WINNOW_ARCHIVE_WRITER_H
#include "archive/record.h"
#include "base/buf.h"
#include "base/err.h"

enum writer_coding { WRITER_PLAIN, WRITER_GZIP, WRITER_ZSTD };

struct writer_options {
	enum writer_coding coding;
	int level;	       /* 0: 6 for gzip, 3 for zstd */
	bool append;	       /* go on behind the last whole record */
	bool whole_or_nothing; /* appears at close */
	uint64_t id_seed;      /* record ids are made from it and a counter, so that runs repeat; 0: from the clock */
};

/* Of a record to be written; empty strings are left out. */
struct writer_head {
	enum record_type type;
	struct str id; /* without <>; empty: made */
	struct str target_uri;
	int64_t time; /* WARC-Date */
	uint32_t nsec;
	struct str content_type;
	struct str ip;
	struct str payload_digest; /* with label; empty: left out */
	struct str block_digest;   /* with label; empty: computed (sha1) when the block is in memory */
	struct str profile, refers_to, refers_to_uri, refers_to_date; /* of a revisit */
	struct str concurrent_to, warcinfo_id, truncated, filename;
	const struct field *more; /* any others, written behind these */
	unsigned nmore;
};

#define WARC_REVISIT_IDENTICAL "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

struct writer;
int writer_open(struct writer **out, const char *path, const struct writer_options *o, struct err *err);

/* A warcinfo record; its id becomes the WARC-Warcinfo-ID of those that follow. */
int writer_info(struct writer *w, const char *filename, int64_t time, struct str fields, struct err *err);

/* One record with its block in memory.  span (may be NULL) gets its place. */
int writer_record(struct writer *w, const struct writer_head *h, struct str block, struct span *span, struct err *err);

/* The same in pieces: `length` bytes of block must follow. */
int writer_begin(struct writer *w, const struct writer_head *h, uint64_t length, struct err *err);
int writer_piece(struct writer *w, struct str piece, struct err *err);
int writer_end(struct writer *w, struct span *span, struct err *err);

/* Bytes of an archive file as they are: a gzip member or several that make up
 * whole records (fd is read at [at, at + length)).  Only into a file of the same coding. */
int writer_copy(struct writer *w, int fd, const char *path, uint64_t at, uint64_t length, struct span *span,
		struct err *err);

uint64_t writer_at(const struct writer *w);	     /* bytes written */
struct str writer_last_id(const struct writer *w);   /* of the last record begun, without <> */
int writer_close(struct writer *w, struct err *err); /* flushes, syncs; frees w either way */
void writer_abort(struct writer *w);		     /* NULL is fine; a whole_or_nothing file goes away */

/* How many bytes of the file are whole records (members); what follows is torn. */
int writer_whole(const char *path, enum writer_coding coding, uint64_t *whole, struct err *err);
#endif
