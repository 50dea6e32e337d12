/* archive/flaw.c -- the one table of flaws: enum, name, meaning.
 *
 * The order is that of enum flaw_kind; a test checks that no entry is empty
 * and no name stands twice.
 */
#include "archive/flaw.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
	const char *name, *meaning;
} table[FLAW_KINDS] = {
	[FLAW_NOT_AN_ARCHIVE] = { "not-an-archive", "the file holds no WARC or ARC record at all" },
	[FLAW_EMPTY_FILE] = { "empty-file", "the file has no bytes, or only empty members" },
	[FLAW_GARBAGE] = { "garbage", "bytes between records that belong to none; they were passed over" },
	[FLAW_TRUNCATED_FILE] = { "truncated-file", "the file ends inside a record or a compressed member" },
	[FLAW_BAD_MEMBER] = { "bad-member", "a compressed member cannot be decompressed to its end" },
	[FLAW_BAD_CHECKSUM] = { "bad-checksum", "a compressed member's checksum or size does not fit its content" },
	[FLAW_EMPTY_MEMBER] = { "empty-member", "a compressed member holds nothing" },
	[FLAW_SHARED_MEMBER] = { "shared-member",
				 "one compressed member holds several records, so that none but the first can be reached directly" },
	[FLAW_SPLIT_RECORD] = { "split-record", "a record runs over the end of its compressed member" },
	[FLAW_BAD_DICTIONARY] = { "bad-dictionary", "the zstd dictionary frame cannot be used" },
	[FLAW_MISSING_DICTIONARY] = { "missing-dictionary",
				      "a zstd member was packed with a dictionary that the file does not begin with; with it, it could be read" },
	[FLAW_BAD_CONTAINER] = { "bad-container", "a ZIP or WACZ directory or entry is damaged" },
	[FLAW_VERSION] = { "version", "the version is none of WARC 0.17, 0.18, 1.0, 1.1 or ARC 1, 2" },
	[FLAW_LINE_END] = { "line-end", "header lines end with LF or CR CR LF instead of CR LF" },
	[FLAW_FOLDED_FIELD] = { "folded-field", "a header field runs over several lines" },
	[FLAW_BAD_FIELD] = { "bad-field", "a header line is no field: no colon, no name or control characters" },
	[FLAW_MISSING_FIELD] = { "missing-field", "a field is missing that this kind of record must have" },
	[FLAW_DUPLICATE_FIELD] = { "duplicate-field",
				   "a field stands twice that may stand once; the first one counts" },
	[FLAW_TOO_MANY_FIELDS] = { "too-many-fields", "more header fields than the limit; the rest was passed over" },
	[FLAW_HEAD_TRUNCATED] = { "head-truncated", "the header has no empty line at its end" },
	[FLAW_HEAD_TOO_LONG] = { "head-too-long", "the header is longer than the limit" },
	[FLAW_ARC_LINE] = { "arc-line", "an ARC header line with missing, additional or transposed parts" },
	[FLAW_URI_BRACKETS] = { "uri-brackets", "a URI is written in < and >" },
	[FLAW_URI_SPACE] = { "uri-space",
			     "a URI contains white space or control characters, read as %XX; tabs and line ends are left out" },
	[FLAW_BAD_URI] = { "bad-uri", "a target URI has no scheme" },
	[FLAW_BAD_DATE] = { "bad-date",
			    "a date that cannot be read, or is no date of the calendar; a capture without one is dated 1970" },
	[FLAW_DATE_PRECISION] = { "date-precision",
				  "a date with fewer or more digits than this version of the format writes" },
	[FLAW_BAD_ID] = { "bad-id", "a record id that is not a URI in < and >" },
	[FLAW_DUPLICATE_ID] = { "duplicate-id", "two records of a file have the same id" },
	[FLAW_BAD_VALUE] = { "bad-value", "a field's value is not of the form the standard asks for" },
	[FLAW_UNKNOWN_PROFILE] = { "unknown-profile",
				   "a revisit whose WARC-Profile says neither that the payload is the same nor that the server had nothing new; "
				   "it is not interpreted and has no original" },
	[FLAW_MISSING_LENGTH] = { "missing-length", "no Content-Length; the block was taken up to the next record" },
	[FLAW_BAD_LENGTH] = { "bad-length", "a length that is no number; the block was taken up to the next record" },
	[FLAW_WRONG_LENGTH] = { "wrong-length", "the block is longer or shorter than its length says" },
	[FLAW_BLOCK_TRUNCATED] = { "block-truncated", "the block ends before its length" },
	[FLAW_RECORD_TRAILER] = { "record-trailer",
				  "the block is not followed by the two (ARC: one) line ends that close a record" },
	[FLAW_BAD_DIGEST] = { "bad-digest", "a digest of unknown kind or form" },
	[FLAW_BLOCK_DIGEST] = { "block-digest", "the block does not have the digest its header names" },
	[FLAW_PAYLOAD_DIGEST] = { "payload-digest",
				  "neither the body as archived nor the body without chunks has the payload digest" },
	[FLAW_SEGMENT] = { "segment", "segments of a record are missing, stand twice or have another total length" },
	[FLAW_HTTP_HEAD] = { "http-head", "the block should begin with an HTTP head and does not" },
	[FLAW_HTTP_STATUS] = { "http-status", "an HTTP status that is not a number from 100 to 999" },
	[FLAW_HTTP_FIELD] = { "http-field", "an HTTP header line without a colon or name" },
	[FLAW_HTTP_FOLDED] = { "http-folded", "an HTTP header field runs over several lines" },
	[FLAW_HTTP_LINE_END] = { "http-line-end", "HTTP header lines end with LF instead of CR LF" },
	[FLAW_HTTP_TRUNCATED] = { "http-truncated", "the HTTP head has no empty line at its end" },
	[FLAW_CHUNK] = { "chunk", "the chunks of the body are damaged or end early" },
	[FLAW_NOT_CHUNKED] = { "not-chunked", "the body is called chunked and is not; it is taken as it is" },
	[FLAW_CODING_UNKNOWN] = { "coding-unknown", "a content or transfer coding that winnow does not know" },
	[FLAW_CODING_WRONG] = { "coding-wrong", "the body is not in the coding its label names; it is taken as it is" },
	[FLAW_CODING_DAMAGED] = { "coding-damaged", "the coded body cannot be decoded to its end" },
	[FLAW_CODING_LIMIT] = { "coding-limit", "the body has too many codings or decodes to more than the limit" },
	[FLAW_BAD_STORE] = { "bad-store",
			     "a file of the collection itself is damaged, or lacks what the catalogue says is in it" },
	[FLAW_FILE_CHANGED] = { "file-changed",
				"an archive file that the collection was made of is gone, shorter or another one now" },
	[FLAW_BAD_LINE] = { "bad-line", "a line of --jsonl that is no object or has no text; it was passed over" },
};

const char *flaw_name(enum flaw_kind kind) { return table[kind].name; }
const char *flaw_meaning(enum flaw_kind kind) { return table[kind].meaning; }

bool flaw_kind(struct str name, enum flaw_kind *out)
{
	for (int k = 0; k < FLAW_KINDS; k++)
		if (str_eq(name, str(table[k].name))) {
			*out = (enum flaw_kind)k;
			return true;
		}
	return false;
}

/* Shows text on one line: what is not printable ASCII becomes \xNN. */
static void show(char *out, size_t cap, const char *text)
{
	size_t n = 0;

	for (; *text && n + 5 < cap; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x20 && c < 0x7f)
			out[n++] = (char)c;
		else
			n += (size_t)snprintf(out + n, cap - n, "\\x%02x", c);
	}
	out[n] = 0;
}

void flaw_add(struct flaws *f, enum flaw_kind kind, uint64_t at, const char *fmt, ...)
{
	char text[sizeof f->v[0].detail];
	va_list ap;

	if (f->n == LIMIT_FLAWS_PER_RECORD) {
		f->more++;
		return;
	}
	struct flaw *v = &f->v[f->n++];

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	v->kind = kind;
	v->at = at;
	show(v->detail, sizeof v->detail, text);
}

bool flaw_has(const struct flaws *f, enum flaw_kind kind)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->v[i].kind == kind)
			return true;
	return false;
}

void flaw_all(struct flaws *into, const struct flaws *from)
{
	for (unsigned i = 0; i < from->n; i++) {
		if (into->n == LIMIT_FLAWS_PER_RECORD)
			into->more++;
		else
			into->v[into->n++] = from->v[i];
	}
	into->more += from->more;
}
