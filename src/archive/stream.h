/* archive/stream.h -- the bytes of a file (or of a part of one) through a window.
 *
 * Regular files are read with pread, so that one that shrinks meanwhile gives
 * a short read and not a signal.  Pipes are read as they come; they cannot
 * seek.  A deflated ZIP entry is inflated in passing and cannot seek either.
 * Offsets count from the start of the part.
 */
#ifndef WINNOW_ARCHIVE_STREAM_H
#define WINNOW_ARCHIVE_STREAM_H
#include "archive/coding.h"
#include "base/err.h"

struct stream {
	int fd; /* not ours to close */
	const char *path;
	bool seekable;
	uint64_t base, limit; /* the part: [base, base + limit) of the file */
	char *buf;
	size_t cap, at, end;
	uint64_t offset; /* of buf[0] in the part */
	bool eof;	 /* nothing follows buf[end] */
	/* a deflated part */
	struct decoder *inflate;
	char *packed;
	size_t packed_at, packed_end;
	uint64_t packed_left, packed_offset;
};

/* [base, base + limit) of fd with a window of cap bytes. */
void stream_init(struct stream *s, int fd, const char *path, bool seekable, uint64_t base, uint64_t limit, size_t cap);
void stream_lead(struct stream *s, struct str lead); /* directly after init: these bytes of a pipe were read before */
void stream_inflate(struct stream *s);		     /* directly after init: the part is raw deflate */
void stream_grow(struct stream *s, size_t cap);	     /* a larger window; what is in it stays */
void stream_release(struct stream *s);

/* Everything in the window from here on, at least `want` bytes unless the part
 * ends before; borrowed until the next call. want <= cap. */
int stream_view(struct stream *s, size_t want, struct str *view, struct err *err);
void stream_skip(struct stream *s, size_t n);			 /* n bytes that were viewed */
int stream_seek(struct stream *s, uint64_t at, struct err *err); /* only when seekable, or inside the window */
/* Begins anew at `at`, with nothing known but that the part ends at `end` or before. */
void stream_restart(struct stream *s, uint64_t at, uint64_t end);
bool stream_can_seek(const struct stream *s, uint64_t at);
static inline uint64_t stream_at(const struct stream *s) { return s->offset + s->at; }
#endif
