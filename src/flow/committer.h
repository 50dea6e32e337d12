/* flow/committer.h -- batches written by a thread of their own.
 *
 * A load is all that one batch adds: rows, and the texts and sets of its new
 * contents.  The committer takes one after another and commits each whole, segments
 * first, while the next is being made; so reading waits for disk and catalogue
 * only when it is a whole batch ahead.  After a failure nothing more is written.
 * With one thread, writing happens in committer_pass itself.
 */
#ifndef WINNOW_FLOW_COMMITTER_H
#define WINNOW_FLOW_COMMITTER_H
#include "base/map.h"
#include "base/vec.h"
#include "flow/batch.h"

struct ftindex;

struct load {
	struct arena arena; /* of strings below that no source holds */
	VEC(struct catalog_file) files;
	VEC(struct catalog_crawl) crawls;
	VEC(struct capture) captures, updates;
	VEC(struct content) contents;
	VEC(struct found *) sources; /* of contents, same order: texts and sets */
	VEC(struct catalog_flaw) flaws;
	VEC(struct catalog_page) pages;
	struct map record_at; /* hash of record id -> index in captures */
	uint64_t found_bytes; /* of the sources */
	uint64_t segment;     /* number of the files that hold its contents and links */
};

struct load *load_new(void);
void load_free(struct load *l); /* l may be NULL */
bool load_empty(const struct load *l);

struct committer;
/* words may be NULL: no full text.  Both must outlive it. */
struct committer *committer_new(struct collection *coll, struct ftindex *words, unsigned threads, uint64_t memory);
void committer_free(struct committer *w); /* waits; w may be NULL */
/* *load is written; what stands there then is empty.  The error may be that of an earlier load. */
int committer_pass(struct committer *w, struct load **load, struct err *err);
int committer_wait(struct committer *w, struct err *err); /* until nothing is being written */
#endif
