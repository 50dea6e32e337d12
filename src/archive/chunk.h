/* archive/chunk.h -- transfer coding "chunked", taken off.
 *
 * Pieces of chunk data are slices of the input; nothing is copied.  What is
 * not chunked at all comes out as it is (flaw not-chunked); from a broken
 * chunk on, the rest comes out as it is (flaw chunk).
 */
#ifndef WINNOW_ARCHIVE_CHUNK_H
#define WINNOW_ARCHIVE_CHUNK_H
#include "archive/flaw.h"
#include "archive/source.h"

enum chunk_state { CHUNK_SIZE, CHUNK_DATA, CHUNK_DATA_END, CHUNK_TRAILER, CHUNK_DONE, CHUNK_AS_IS };

struct dechunk {
	struct source source;
	struct source *up;
	struct flaws *flaws;
	uint64_t at; /* offset for flaws */
	enum chunk_state state;
	struct str in;
	char line[256]; /* a size line that came in several pieces */
	size_t nline;
	bool fresh;    /* no chunk was read so far */
	bool complete; /* the last chunk was seen */
	bool told;
	uint64_t left, chunks, extra;
};

void dechunk_init(struct dechunk *d, struct source *up, struct flaws *flaws, uint64_t at);
#endif
