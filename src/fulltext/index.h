/* fulltext/index.h -- words to contents: the full-text index of a collection.
 *
 * fulltext/ holds immutable segments (NNNNNN.seg), tombstones (NNNNNN.del) and
 * one manifest that names those that count; it is replaced atomically, so a
 * killed writer leaves the last committed state and a reader that has opened a
 * state keeps it, whatever a writer does meanwhile.
 *
 * Writing (one process; the index is safe between its threads):
 *
 *	ftindex_open(&x, dir, err);
 *	b = ftbuild_new(memory);                           // one per thread
 *	ftindex_add(x, b, content, title, body, err);      // contents ascending within one builder; flushed when full
 *	ftindex_flush(x, b, err);                          // a new segment, not yet visible
 *	ftindex_commit(x, err);                            // all flushed segments at once
 *	ftindex_merge(x, &did, err);                       // one step; from any thread
 *
 * Reading: fulltext/search.h.  Plain words search the body text, which begins
 * with the title; title:word searches the title.
 */
#ifndef WINNOW_FULLTEXT_INDEX_H
#define WINNOW_FULLTEXT_INDEX_H
#include "base/err.h"
#include "base/str.h"

struct ftbuild;					  /* an inverted index in memory, of one thread */
struct ftbuild *ftbuild_new(size_t memory_bytes); /* at least 1 MiB; writing it takes some 20 MiB besides */
void ftbuild_free(struct ftbuild *b);		  /* b may be NULL */
size_t ftbuild_contents(const struct ftbuild *b); /* that are not flushed */

struct ftindex;
int ftindex_open(struct ftindex **out, const char *dir,
		 struct err *err); /* made when absent; removes leftovers of a killed writer */
/* Merges stay within this memory: what has more documents is not merged.  Without it, 256 MiB. */
void ftindex_memory(struct ftindex *x, uint64_t bytes);
void ftindex_close(struct ftindex *x);		    /* what was not committed is dropped; x may be NULL */
uint64_t ftindex_contents(const struct ftindex *x); /* live contents in the committed state */
uint64_t ftindex_end(const struct ftindex *x);	    /* one more than the largest committed content */
/* A text of any size: when the builder's memory is used up within it, what there is goes to disk and is joined later. */
int ftindex_add(struct ftindex *x, struct ftbuild *b, uint64_t content, struct str title, struct str body,
		struct err *err);
int ftindex_flush(struct ftindex *x, struct ftbuild *b, struct err *err); /* writes b as a segment and empties it */
int ftindex_remove(struct ftindex *x, uint64_t content, struct err *err); /* with the next commit; absent is fine */
int ftindex_truncate(struct ftindex *x, uint64_t end, struct err *err);	  /* removes all contents >= end */
int ftindex_commit(struct ftindex *x, struct err *err);
/* Merges the segments of one tier when there are enough of them, and commits
 * that; *did says whether anything was to be done.  ftindex_merge_all leaves
 * one segment (or several near the greatest size).  One merge at a time. */
int ftindex_merge(struct ftindex *x, bool *did, struct err *err);
int ftindex_merge_all(struct ftindex *x, struct err *err);

/* Reads all of a segment or a whole index directory; says what is wrong first. */
int ftindex_check(const char *path, struct err *err);
#endif
