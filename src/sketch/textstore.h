/* sketch/textstore.h -- stored texts: text/NNNNNN.seg.
 *
 * Title, body and main text of the contents [first, first + n), several to a
 * zstd block, each block with its checksum.  Written once, appearing
 * whole or not at all; read by content in any order.  A damaged segment is an
 * error that names it.  docs/format/text-segment.md has it byte by byte.
 *
 * A store is const after opening and may be shared by threads; each thread
 * has its own textcache, which keeps the block it decoded last.
 */
#ifndef WINNOW_SKETCH_TEXTSTORE_H
#define WINNOW_SKETCH_TEXTSTORE_H
#include "base/err.h"
#include "base/str.h"

struct texts {
	struct str title, body, main;
};
/* Texts to be stored.  Where main is ranges of the body, they say it (text/main_ranges.h), and of main only its size
 * counts. */
struct texts_in {
	struct texts texts;
	struct str ranges; /* empty: main is what texts say */
};

struct textstore_writer;
/* Texts of the n contents from first on, each added once, in any order: those that follow one another share a block, and
 * the more alike they are, the smaller and sooner done it is. */
int textstore_writer_open(struct textstore_writer **out, const char *path, uint64_t first, size_t n, struct err *err);
int textstore_writer_add(struct textstore_writer *w, uint64_t content, struct texts_in texts, struct err *err);
int textstore_writer_commit(struct textstore_writer *w, struct err *err); /* frees w either way */
void textstore_writer_abort(struct textstore_writer *w);		  /* w may be NULL */

/* All segments of a directory, or one file. */
struct textstore;
int textstore_open(struct textstore **out, const char *dir, struct err *err); /* a missing directory is empty */
int textstore_open_file(struct textstore **out, const char *path, struct err *err);
void textstore_close(struct textstore *s); /* s may be NULL */
bool textstore_has(const struct textstore *s, uint64_t content);

struct textcache { /* zero-initialised is empty */
	const void *block;
	char *p;
	size_t cap;
	char *main; /* put together from ranges of a body */
	size_t main_cap;
	void *zstd;
};
/* The texts of a content, borrowed from the cache until its next use; WN_NONE when absent. */
int textstore_get(const struct textstore *s, uint64_t content, struct textcache *c, struct texts *out, struct err *err);
void textcache_release(struct textcache *c);

int textstore_check(const char *path, struct err *err); /* reads all of a file; what is wrong first */
#endif
