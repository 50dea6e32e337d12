/* base/limits.h -- every bound on untrusted input, in one place, with its reason.
 *
 * A parser that meets one of these records a flaw or returns WN_LIMIT; it
 * never grows past it.  A new growing thing gets a new line here.
 */
#ifndef WINNOW_BASE_LIMITS_H
#define WINNOW_BASE_LIMITS_H

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#define LIMIT_RECORD_HEAD (1 * MIB)	/* a WARC/ARC header block; the longest seen in the wild is 70 KB */
#define LIMIT_HTTP_HEAD (1 * MIB)	/* an HTTP head; servers stop at 8-64 KB, cookies make some longer */
#define LIMIT_FIELDS 4096		/* header fields in one head */
#define LIMIT_URL (64 * KIB)		/* longer URLs are data: URLs or noise */
#define LIMIT_CODINGS 8			/* stacked content codings */
#define LIMIT_FLAWS_PER_RECORD 16	/* the rest is counted, not kept */
#define LIMIT_TEXT (32 * MIB)		/* a document's text, then it is cut (flaw text-cut) */
#define LIMIT_RULE (64 * KIB)		/* a rule's text */
#define LIMIT_RULE_DEPTH 200
#define LIMIT_RULE_DISJUNCTS 64
#define LIMIT_JSON_DEPTH 64
#define LIMIT_LINE (4 * MIB)		/* a line of CDX, CSV or JSONL */
#endif
