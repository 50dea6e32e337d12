/* archive/payload.h -- what a record's block carries: head, body, document.
 *
 * One pass over the block gives the HTTP head, the body in the form asked for
 * and the digests on the way:
 *
 *	struct payload p = { 0 };		// kept for many records
 *	payload_begin(&p, r, &rec, PAYLOAD_DECODED, PAYLOAD_CHECK | PAYLOAD_DIGEST, err);
 *	while ((rc = payload_read(&p, &piece, err)) == WN_OK) ...
 *	payload_end(&p, &rec, err);		// digests, flaws; also when not all was read
 *	...
 *	payload_release(&p);
 *
 * Forms: RAW as archived; DECHUNKED without transfer coding; DECODED also
 * without content codings.  A label that lies is a flaw: then the bytes come
 * as they are.  Memory is bounded; output stops at LIMIT_DECODED (a bomb).
 * A segmented record's payload runs on through its continuations.
 */
#ifndef WINNOW_ARCHIVE_PAYLOAD_H
#define WINNOW_ARCHIVE_PAYLOAD_H
#include "archive/digest.h"
#include "archive/http.h"
#include "archive/reader.h"
#include "base/buf.h"

enum payload_form { PAYLOAD_RAW, PAYLOAD_DECHUNKED, PAYLOAD_DECODED };

#define PAYLOAD_CHECK 1u  /* verify the payload digest: flaw */
#define PAYLOAD_BLOCK 4u  /* verify the block digest: flaw */
#define PAYLOAD_HEAD 8u	  /* where the block was passed over, its head is enough: nothing of it is read or compared */
#define PAYLOAD_DIGEST 2u /* also sha1 of raw body (payload_digest) and decoded payload (digest) */

struct payload_state;
struct payload {
	bool has_http;
	struct http_head http; /* slices last until payload_end or, when the block is whole, as long as the record's */
	struct digest payload_digest; /* after payload_end with PAYLOAD_DIGEST: sha1 of the body as archived */
	struct digest digest;	      /* sha1 of the decoded payload: equal for equal documents */
	struct digest block_digest;   /* with PAYLOAD_BLOCK, in the kind the record names */
	uint64_t raw_size, size;      /* bytes of the body as archived, and in the form asked for */
	bool complete;		      /* all of it was read and nothing was cut or damaged */
	bool head_only;		      /* PAYLOAD_HEAD, and it was passed over: digests are none, size is raw_size */
	struct payload_state *state;
};

int payload_begin(struct payload *p, struct reader *r, struct record *rec, enum payload_form form, unsigned wants,
		  struct err *err);
/* Other files in which continuations of a segmented record are looked for when its own does not have them all; the
 * array lasts as long as p. */
void payload_others(struct payload *p, const char *const *paths, size_t n);
int payload_read(struct payload *p, struct str *piece, struct err *err); /* WN_OK, WN_END or error */
/* All of it in one piece of at most max bytes (the rest is passed over and
 * *cut set): a slice of the block where possible, else gathered in p. */
int payload_all(struct payload *p, size_t max, struct str *out, bool *cut, struct err *err);
/* After payload_all has set *cut: the same from the beginning with a larger max. */
int payload_more(struct payload *p, size_t max, struct str *out, bool *cut, struct err *err);
/* Reads what is left, compares digests, appends flaws to rec->flaws (and calls reader_end). */
int payload_end(struct payload *p, struct record *rec, struct err *err);
/* What the body is said to be: by its HTTP head, or by the record where there is none; may be empty.  As p->http. */
struct str payload_type(const struct payload *p, const struct record *rec);
void payload_release(struct payload *p);
#endif
