/* archive/flaw.h -- what can be wrong with archived data, as one table.
 *
 * A flaw is recorded, counted and shown; it never stops the reading.  The
 * names are what `verify` prints and the catalogue stores, and the manual
 * prints the table, so a kind is added here and in one line of flaw.c.
 */
#ifndef WINNOW_ARCHIVE_FLAW_H
#define WINNOW_ARCHIVE_FLAW_H
#include "base/limits.h"
#include "base/str.h"

enum flaw_kind {
	/* the file and its members */
	FLAW_NOT_AN_ARCHIVE,
	FLAW_EMPTY_FILE,
	FLAW_GARBAGE,
	FLAW_TRUNCATED_FILE,
	FLAW_BAD_MEMBER,
	FLAW_BAD_CHECKSUM,
	FLAW_EMPTY_MEMBER,
	FLAW_SHARED_MEMBER,
	FLAW_SPLIT_RECORD,
	FLAW_BAD_DICTIONARY,
	FLAW_MISSING_DICTIONARY,
	FLAW_BAD_CONTAINER,
	/* the record's head */
	FLAW_VERSION,
	FLAW_LINE_END,
	FLAW_FOLDED_FIELD,
	FLAW_BAD_FIELD,
	FLAW_MISSING_FIELD,
	FLAW_DUPLICATE_FIELD,
	FLAW_TOO_MANY_FIELDS,
	FLAW_HEAD_TRUNCATED,
	FLAW_HEAD_TOO_LONG,
	FLAW_ARC_LINE,
	FLAW_URI_BRACKETS,
	FLAW_URI_SPACE,
	FLAW_BAD_URI,
	FLAW_BAD_DATE,
	FLAW_DATE_PRECISION,
	FLAW_BAD_ID,
	FLAW_DUPLICATE_ID,
	FLAW_BAD_VALUE,
	FLAW_UNKNOWN_PROFILE,
	/* lengths, block, digests, segments */
	FLAW_MISSING_LENGTH,
	FLAW_BAD_LENGTH,
	FLAW_WRONG_LENGTH,
	FLAW_BLOCK_TRUNCATED,
	FLAW_RECORD_TRAILER,
	FLAW_BAD_DIGEST,
	FLAW_BLOCK_DIGEST,
	FLAW_PAYLOAD_DIGEST,
	FLAW_SEGMENT,
	/* HTTP and codings */
	FLAW_HTTP_HEAD,
	FLAW_HTTP_STATUS,
	FLAW_HTTP_FIELD,
	FLAW_HTTP_FOLDED,
	FLAW_HTTP_LINE_END,
	FLAW_HTTP_TRUNCATED,
	FLAW_CHUNK,
	FLAW_NOT_CHUNKED,
	FLAW_CODING_UNKNOWN,
	FLAW_CODING_WRONG,
	FLAW_CODING_DAMAGED,
	FLAW_CODING_LIMIT,
	FLAW_BAD_LINE,
	/* a collection's own files */
	FLAW_BAD_STORE,
	FLAW_FILE_CHANGED,
	FLAW_KINDS
};

struct flaw {
	enum flaw_kind kind;
	uint64_t at;	  /* offset in the file (compressed offset of the record's member where there is one) */
	char detail[112]; /* one line, lower case, may be empty; bytes outside ASCII are shown as \xNN */
};

struct flaws {
	unsigned n, more; /* kept; found beyond LIMIT_FLAWS_PER_RECORD and only counted */
	struct flaw v[LIMIT_FLAWS_PER_RECORD];
};

const char *flaw_name(enum flaw_kind kind);    /* "block-truncated" */
const char *flaw_meaning(enum flaw_kind kind); /* a sentence for the manual */
bool flaw_kind(struct str name, enum flaw_kind *out);

/* Depends on all segments of a record: what is wrong with its payload, and with them. */
static inline bool flaw_of_payload(enum flaw_kind kind)
{
	return kind >= FLAW_PAYLOAD_DIGEST && kind <= FLAW_CODING_LIMIT;
}

void flaw_add(struct flaws *f, enum flaw_kind kind, uint64_t at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool flaw_has(const struct flaws *f, enum flaw_kind kind);
void flaw_all(struct flaws *into, const struct flaws *from); /* appends */
#endif
