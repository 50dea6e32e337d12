/* archive/revisit.h -- which capture a revisit stands for.
 *
 * A pure function over one array of captures: for each revisit the index of
 * the capture that has its payload, or REVISIT_NONE.  What is tried, in order:
 *
 *	1. the record that WARC-Refers-To names by id;
 *	2. WARC-Refers-To-Target-URI with -Date: the capture of that URL at exactly
 *	   that second; with an equal digest where both are known, the nearest in
 *	   time of that URL will do;
 *	3. the same urlkey and the same payload digest, nearest in time;
 *	4. the same payload digest under any URL, nearest in time.
 *
 * A step that leads to another revisit follows that one's answer; chains of any
 * length are walked without recursion, and a cycle is no answer (the next step
 * is tried).  The empty payload's digest matches in steps 1 to 3 only: all
 * empty responses of a crawl are not one document.  Ties go to the smaller
 * time, then to the smaller index, so the answer does not depend on order of
 * arrival beyond the order of the array.
 *
 * Later ingests: call it again with the unresolved revisits and the captures
 * that the same lookups find in the catalogue: record id = refers_to; urlkey =
 * refers_to key and time = refers_to time; urlkey and digest; digest alone.
 * Cost: O(n log n) for the sorted lookups, one step per link of a chain.
 */
#ifndef WINNOW_ARCHIVE_REVISIT_H
#define WINNOW_ARCHIVE_REVISIT_H
#include "base/str.h"

#define REVISIT_NONE UINT32_MAX

struct revisit_capture {
	struct str id; /* WARC-Record-ID without <>; may be empty */
	struct str urlkey;
	struct str digest; /* payload digest in one spelling (label and base32 or hex); may be empty */
	int64_t time;
	bool is_revisit;
	/* of a revisit: */
	struct str refers_to;	  /* id, may be empty */
	struct str refers_to_key; /* urlkey of WARC-Refers-To-Target-URI; may be empty */
	int64_t refers_to_time;	  /* INT64_MIN when none */
};

enum revisit_how {
	REVISIT_UNRESOLVED,
	REVISIT_BY_ID,
	REVISIT_BY_URI_DATE,
	REVISIT_BY_URL_DIGEST,
	REVISIT_BY_DIGEST,
	REVISIT_HOWS
};
const char *revisit_how_name(enum revisit_how how); /* "by-id" */

struct revisit_table {
	const struct revisit_capture *captures;
	size_t n;
	uint32_t *original;	     /* out, n: index, or REVISIT_NONE; of a capture that is no revisit its own index */
	unsigned char *how;	     /* out, n, may be NULL: enum revisit_how */
	size_t counts[REVISIT_HOWS]; /* out: revisits by how */
};

void revisit_resolve(struct revisit_table *t);

/* SHA-1 of nothing, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" in any label or none; also sha256 and md5 of nothing. */
bool revisit_digest_is_empty(struct str digest);
#endif
