/* flow/kept_index.h -- the index of a join beside its cover: runs/ID.postingsI for each disjunct I that has one.
 *
 * reduce writes it while it joins, under a name of its own (pending-KEY-...), without waiting for the disk: what a
 * crash leaves of it does not pass its checksums and is not used.  covers_store
 * gives it the cover's name; an update hands it on by a link, and writes runs/ID.postingsI+N with the sets that it
 * did not know (join/added.h).
 * docs/format/postings.md has it byte by byte.
 */
#ifndef WINNOW_FLOW_KEPT_INDEX_H
#define WINNOW_FLOW_KEPT_INDEX_H
#include "flow/covers.h"
#include "flow/run.h"
#include "join/postings.h"

#define KEPT_INDEX_MOST 16u  /* disjuncts with an index; of further ones none is kept */
#define KEPT_INDEX_ADDED 64u /* parts of sets added to each; parts are merged, so there are fewer */

struct index_file {
	int fd;
	const char *path, *whole; /* whole: its name when all of it is there */
	char *room;
	size_t n;
};

struct index_writing {
	struct arena arena;
	unsigned n;
	uint64_t number; /* of the run */
	struct postings_writer *writer;
	struct index_file *file;
};

/* Before the join, whose options it joins; after it.  What cannot be written is not kept. */
void index_writing_open(struct index_writing *w, struct run *r, const unsigned char key[32]);
void index_writing_close(struct index_writing *w, struct run *r);
void index_writing_release(struct index_writing *w); /* zero is fine */
uint64_t index_number(const unsigned char key[32]);
/* The name of the i-th file before there is a cover. */
const char *index_pending(struct arena *a, const char *dir, uint64_t number, uint64_t revision, unsigned i);

struct kept_index {
	unsigned n;
	uint64_t number;
	struct postings *postings;     /* [n] */
	VEC(struct os_map) maps;       /* of all files */
	VEC(struct cover_index) files; /* that are used, then those to be handed on */
	VEC(struct cover_index) written;
};

/* The indexes of a cover, for the joins of r; those that are absent, damaged or of another run are left out. */
void kept_index_open(struct kept_index *k, struct run *r, const struct cover_row *row, struct arena *a,
		     uint64_t number);
/* Writes what was not known; then files are those of the cover that r makes. */
void kept_index_add(struct kept_index *k, struct run *r, struct arena *a);
void kept_index_close(struct kept_index *k, struct run *r); /* zero is fine */
#endif
