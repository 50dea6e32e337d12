/* flow/health.h -- are a collection's own files as they were written?
 *
 * Readers test what they open, and a damaged part is an error then; this reads
 * all of it at once: the catalogue's pages and indexes, every set with its
 * sketches, every text, every list of links and of words, and that each content has both.
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
	HEALTH_LINKS,	/* lists of links; the path is a segment or, where one was lost, their directory */
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

struct health_mended {
	uint64_t lost;	/* contents whose texts or sets are to be made again */
	uint64_t links; /* lists of links, the same */
	bool words;	/* the full-text index was made again */
};
/* Makes the full-text index again from the stored texts where it is damaged or lacks some, and prepares that texts and
 * sets are made again where they were lost: damaged segments are removed, and the catalogue forgets which texts those
 * contents had, so that the next reading of their captures gives new ones.  Changes nothing (WN_DATA) when the catalogue
 * itself is damaged, or when some could not be made again because their archive file is not there.  A kill in the
 * middle leaves what the next call finds and goes on with.  The collection is open for writing. */
int health_mend(struct collection *coll, bool fulltext, uint64_t memory, struct health_mended *out, struct err *err);
#endif
