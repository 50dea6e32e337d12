/* flow/extractor.h -- from a record to what is entered of it: pure work of one thread.
 *
 * An extractor holds one worker's scratch.  extractor_found reads the record's
 * payload, makes text, sets, links and digests, and returns them in one struct
 * found, or NULL when nothing of the record is entered.  Memory: some 24 times the
 * payload of a page that is not large, LIMIT_PAGE_WORK for one that is.
 *
 * A payload that was parsed before, at the same URL and under the same type,
 * gives the same answer: a shared memory of recent ones (flow/seen.h) saves the
 * work.  Four captures of five are such in a collection of repeated crawls.  A
 * text that was met before has its sets and its language, whatever it came from.
 */
#ifndef WINNOW_FLOW_EXTRACTOR_H
#define WINNOW_FLOW_EXTRACTOR_H
#include <pthread.h>

#include "archive/payload.h"
#include "flow/batch.h"

struct seen;

struct extractor_options {
	struct shingle_spec spec;
	const char *profile; /* of urlkeys */
	bool index_only;
	size_t payload_max; /* a longer payload is cut for its text */
	/* A page whose payload or text is longer than this is large; 0: none is.  Before the work on one begins,
	 * make_room is called; where there is none, extractor_found refuses it: NULL and WN_LIMIT. */
	size_t large;
	/* Those that are not longer than `wide` are made without that, one at a time: who has the turn.  NULL: none. */
	size_t wide;
	pthread_mutex_t *wide_turn;
	int (*make_room)(void *context, struct err *err);
	void *context;
	struct seen *seen; /* NULL: everything is made each time */
	bool parse_all;	   /* every payload is parsed, also one that was seen */
};

struct extractor;
struct extractor *extractor_new(const struct extractor_options *o);
void extractor_free(struct extractor *x); /* x may be NULL */

/* Where the rest of a segmented record may lie; the array lasts as long as x. */
void extractor_others(struct extractor *x, const char *const *paths, size_t n);

struct found *extractor_found(struct extractor *x, struct reader *r, struct record *rec, struct err *err);
/* The same of a text without an archive record. */
struct found *extractor_text(struct extractor *x, struct str url, int64_t time, struct str text, struct str title);
#endif
