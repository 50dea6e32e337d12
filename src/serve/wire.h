/* serve/wire.h -- HTTP/1.1 requests as bytes: where a head ends, what it says, bodies in chunks.
 *
 * Pure functions over a buffer; nothing is copied: strings point into it.  What
 * two programs on the way could read differently is refused (RFC 9112, 11.2):
 * a length beside chunks, two lengths, a blank before a colon, folded lines,
 * control bytes.  A line may end in LF alone.  One pass; the end of the head is
 * looked for once per byte, however it arrives.
 */
#ifndef WINNOW_SERVE_WIRE_H
#define WINNOW_SERVE_WIRE_H
#include "base/str.h"

struct field_pair {
	struct str name, value; /* value without blanks around it */
};

struct wire_head {
	struct str method, target;
	unsigned minor; /* HTTP/1.minor: 0 or 1 */
	struct field_pair *fields;
	size_t n_fields;
	bool keep_alive;
	bool chunked;
	bool expects;	 /* 100-continue before the body */
	uint64_t length; /* of the body; 0 when chunked */
};

/* The end of the head in p[0..n): bytes of it, with its empty line, or 0 when it is not there yet.
 * *seen is where looking goes on when more has come; 0 at first. */
size_t wire_head_end(const char *p, size_t n, size_t *seen);
/* Empty lines in front of a request, which some clients send: how many bytes. */
size_t wire_blank(const char *p, size_t n);
/* The head p[0..n) read; 0, or the status that answers it: 400, 414, 431, 501, 505. */
int wire_head_read(struct wire_head *h, const char *p, size_t n, struct field_pair *fields, size_t max_fields);
/* A chunked body as it comes.  Zero-initialised is before the first byte. */
struct wire_chunks {
	int state;
	uint64_t left; /* of the present chunk */
	size_t line;   /* bytes of the present line */
	bool cr;       /* the last byte of the line was a CR: LF must follow, and alone never ends a line */
};
/* Takes p[0..n): *used bytes of it, and of these *data are one piece of the body.  1: the body has ended, 0: more is
 * to come, -1: these are no chunks. */
int wire_chunks_next(struct wire_chunks *c, const char *p, size_t n, size_t *used, struct str *data);
#endif
