/* flow/linesort.h -- lines in byte order, more of them than fit into memory.
 *
 *	linesort_init(&s, limit, directory);
 *	linesort_add(&s, line, err);		// with its newline
 *	linesort_drain(&s, context, write, err); // once
 *	linesort_release(&s);
 *
 * Lines gather in one buffer; when it is full it is sorted and written as a
 * run to one temporary file (unlinked at once, so that a kill leaves nothing),
 * and the runs are merged by a heap.  Memory: limit, whatever comes.
 * Cost: O(n log n) comparisons, each line written and read at most once.
 */
#ifndef WINNOW_FLOW_LINESORT_H
#define WINNOW_FLOW_LINESORT_H
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct linesort_line {
	uint64_t prefix; /* its first eight bytes, big-endian */
	uint32_t at, n;
};

struct linesort_run {
	uint64_t at, n; /* bytes of the temporary file */
};

struct linesort {
	size_t limit;
	const char *directory;
	char *text;
	size_t n, cap;
	VEC(struct linesort_line) lines;
	VEC(struct linesort_run) runs;
	int fd; /* -1: none yet */
	uint64_t spilled;
};

void linesort_init(struct linesort *s, size_t limit, const char *directory); /* limit at least 1 MiB */
int linesort_add(struct linesort *s, struct str line, struct err *err);
int linesort_drain(struct linesort *s, void *context, int (*write)(void *context, struct str lines, struct err *err),
		   struct err *err);
void linesort_release(struct linesort *s);
#endif
