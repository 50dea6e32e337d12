/* flow/health.h -- are a collection's own files as they were written?
 *
 * Readers test what they open, and a damaged part is an error then; this reads
 * all of it at once: the catalogue's pages and indexes, every set with its
 * sketches, every text, every list of words, and that each content has both.
 * Covers have a checker of their own (flow/proof.h); what is kept only to be
 * quick (tables and states of runs) is tested when read and made again.
 * Cost: one pass over the files.
 */
#ifndef WINNOW_FLOW_HEALTH_H
#define WINNOW_FLOW_HEALTH_H
#include "flow/collection.h"

enum health_part {
	HEALTH_CATALOG,
	HEALTH_SEGMENT, /* of sets or texts */
	HEALTH_WORDS,	/* the full-text index; the path is its directory */
	HEALTH_CONTENTS /* every file is sound, but some contents are in none */
};

struct health {
	void *context;
	void (*damaged)(void *context, enum health_part part, const char *path, const char *why);
	uint64_t files, damages; /* out */
};

/* WN_OK whatever was found; an error when it could not look. */
int health_check(struct collection *coll, struct health *h, struct err *err);

/* Prepares that texts are made anew where they were lost: removes damaged segments and a damaged index of words, and
 * lets the catalogue forget which texts the contents had that no segment holds any more, so that the next reading of
 * their captures gives new ones.  *lost of them; WN_DATA when the catalogue itself is damaged.  A kill in the middle
 * leaves what the next call finds and goes on with.  The collection is open for writing. */
int health_mend(struct collection *coll, bool fulltext, uint64_t *lost, struct err *err);
#endif
