/* join/coverage.h -- who covers whom: the answer of the join, in four forms.
 *
 *	coverage_build    every pair, as lists by document
 *	coverage_each     every pair, streamed in order of (a, b), with overlaps
 *	coverage_kernel   only what a minimum cover needs: no V^2 lists for long
 *			  chains and equal pages
 *	coverage_witness  for each document its best coverer among those kept
 *
 * All are exact for every query, and the same for any number of threads and
 * any memory bound.  docs/algorithm/join.md tells the method.
 */
#ifndef WINNOW_JOIN_COVERAGE_H
#define WINNOW_JOIN_COVERAGE_H
#include "base/err.h"
#include "join/query.h"

struct coverage_stats {
	uint64_t rows, classes, postings; /* after collapsing, summed over disjuncts */
	uint64_t probed, candidates, verified, row_pairs, pairs;
	double recall; /* estimated; 1 when exact */
};

/* by[start[a]] .. by[start[a + 1]]: the b != a with Cov(a, b), ascending. */
struct coverage {
	uint32_t n;
	uint64_t *start; /* [n + 1] */
	uint32_t *by;
};

int coverage_build(struct coverage *out, const struct join_query *q, const struct join_options *o,
		   struct coverage_stats *stats, struct err *err);
void coverage_release(struct coverage *c); /* zero is fine */

/* One pair.  shared, size_a, size_b are of `kind` of coverage_each. */
typedef int coverage_pair(void *context, uint32_t a, uint32_t b, uint32_t shared, uint32_t size_a, uint32_t size_b);

/* Every pair once, ascending by a, then b, on the calling thread.  A non-zero
 * answer of `pair` ends it and is returned.  kind < 0: no overlaps wanted. */
int coverage_each(const struct join_query *q, const struct join_options *o, int kind, coverage_pair *pair, void *context,
		  struct coverage_stats *stats, struct err *err);

/* What a minimum cover needs.  For every document exactly one of
 *
 *	FOLDED   into folded_into[d]: equal set and attributes; the other is at
 *		 least as good an element and a coverer.  Never needed, but it may
 *		 be kept to fill a quota.
 *	FORCED   nothing covers it but itself and documents folded into it (or it
 *		 was forced by the caller): it is in the cover.
 *	COVERED  by a forced document: no element any more, may be a coverer.
 *	CORE     an element with the list of its coverers, itself among them.
 *
 * K is a minimum (then best preferred) cover of the kernel if and only if
 * forced + K is one of the whole, among the covers without folded documents;
 * and no cover with folded documents is smaller or preferred.
 * Lists name only unfolded documents.  elements ascend; so do their lists. */
enum kernel_state { KERNEL_FOLDED, KERNEL_FORCED, KERNEL_COVERED, KERNEL_CORE };

struct kernel {
	uint32_t n;
	uint8_t *state;		/* [n] */
	uint32_t *folded_into;	/* [n] itself unless folded; never a folded document */
	uint32_t n_forced, *forced;   /* ascending */
	uint32_t n_elements, *element; /* ascending: the documents in state CORE */
	uint64_t *start;	/* [n_elements + 1] */
	uint32_t *by;		/* coverers of element i: by[start[i]] .. by[start[i + 1]] */
};

/* pinned: [n] or NULL, documents that are in the cover in any case; they are
 * never folded and count as forced. */
int coverage_kernel(struct kernel *out, const struct join_query *q, const struct join_options *o, const uint8_t *pinned,
		    struct coverage_stats *stats, struct err *err);
void kernel_release(struct kernel *k); /* zero is fine */

/* witness[a] for a with kept[a] = 0: the b with kept[b] and Cov(a, b) of the
 * largest shared / A (kind `kind`; < 0: all equal), then the largest latest[b]
 * (NULL: all equal), then the least b; UINT32_MAX when there is none.  shared[a],
 * if not NULL, its overlap. */
int coverage_witness(uint32_t *witness, uint32_t *shared, const struct join_query *q, const struct join_options *o,
		     const uint8_t *kept, int kind, const int64_t *latest, struct coverage_stats *stats, struct err *err);

/* All pairs with an end in changed[] (bytes, [n]), ascending by (a, b): what an
 * update must look at.  Cost: one scan of the sets that share a key with them. */
int coverage_changed(const struct join_query *q, const struct join_options *o, const uint8_t *changed, coverage_pair *pair,
		     void *context, struct coverage_stats *stats, struct err *err);

/* Weakly connected components of a kernel: part[i] of element i, 0.. in order of
 * least element; the number of parts is returned. */
uint32_t kernel_parts(const struct kernel *k, uint32_t *part);
#endif
