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
	uint64_t probed, row_pairs, pairs;
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
int coverage_each(const struct join_query *q, const struct join_options *o, int kind, coverage_pair *pair,
		  void *context, struct coverage_stats *stats, struct err *err);

/* What a minimum cover needs, without V^2 lists: the same optimum as the whole
 * graph.  fold[x] = y != x: x is folded into y (struct join_fold), has an empty
 * list and is in none.  A document without a coverer but itself (and what is
 * folded into it) has an empty list: it is in every cover.  A document that one
 * of those covers has a list of that one alone (the first): nothing else about
 * it matters.  Every other document is of the core, and its list is complete; but where the core's lists would be too
 * long to hold (o->edges), it is *open*: it has no list in the graph, kernel_grow gives it out. */
struct kernel {
	struct coverage graph;
	uint32_t *fold;					/* [n] itself unless folded; never a folded document */
	uint32_t n_folded, n_forced, n_covered, n_core; /* add up to n */
	uint8_t *open;					/* [n] or NULL: none is */
	uint32_t n_open;
};

int coverage_kernel(struct kernel *out, const struct join_query *q, const struct join_options *o,
		    struct coverage_stats *stats, struct err *err);
void kernel_release(struct kernel *k); /* zero is fine */

/* The complete list of a document that was open. */
typedef void kernel_row(void *context, uint32_t doc, const uint32_t *by, size_t n);

/* Of the open documents that nothing kept covers, gives out the complete lists of some, *grown of them, which are open no
 * more; 0 when there is no such document.  kept: [n], or NULL: nothing.  A minimum cover of the rows that are there which
 * leaves nothing uncovered is a minimum cover of all, and lower bounds of the one are lower bounds of the other; so
 * solving and growing in turns ends with the answer, long before all rows are there. */
int kernel_grow(struct kernel *k, const struct join_query *q, const struct join_options *o, const uint8_t *kept,
		kernel_row *row, void *context, uint32_t *grown, struct err *err);

/* The lists of documents that ask, but only of coverers that are columns: both [n].  Ascending. */
int kernel_lists(const struct kernel *k, const struct join_query *q, const struct join_options *o, const uint8_t *asks,
		 const uint8_t *columns, kernel_row *row, void *context, struct err *err);

/* What two answers share (join_options.index): most of a join's work is its index, and bounds are no part of it. */
struct coverage_index *coverage_index_new(void);
/* The query it was made for ends; the next may be another one over the same documents and sets, and takes over what is the same. */
void coverage_index_pass(struct coverage_index *x); /* x may be NULL */
void coverage_index_free(struct coverage_index *x); /* x may be NULL */
/* The pairs of rows of a query, found once and left in o->index for queries that differ from it in stricter bounds; nothing
 * when there are more than `most`. */
int coverage_gather(const struct join_query *q, const struct join_options *o, uint64_t most, struct err *err);

/* witness[a] for a with kept[a] = 0: the b with kept[b] and Cov(a, b) of the
 * largest shared / A (kind `kind`; < 0: all equal; 1 of two empty sets), then the largest latest[b]
 * (NULL: all equal; NaN is the least), then the least b; UINT32_MAX when there is none.  shared[a],
 * if not NULL, its overlap. */
int coverage_witness(uint32_t *witness, uint32_t *shared, const struct join_query *q, const struct join_options *o,
		     const uint8_t *kept, int kind, const double *latest, struct coverage_stats *stats,
		     struct err *err);

/* How good a coverer is for document a, beside others of the same: what they share (by `kind`), or, of an empty
 * text, whether the other is empty too: of empty texts every ratio is 1, of one empty text 0. */
uint32_t coverage_rank(const struct join_query *q, int kind, uint32_t a, uint32_t b, uint32_t shared);
/* Is b, of that rank, a better witness than `than`?  As coverage_witness has it. */
bool coverage_better(const double *latest, uint32_t b, uint32_t rank, uint32_t than, uint32_t than_rank);

/* Who asks for pairs, and with whom.  Arrays by document; those that may be NULL then say: all. */
struct coverage_asking {
	const uint8_t *asks; /* COVERAGE_AS_A, COVERAGE_AS_B or both: its coverers, whom it covers; 0: does not ask */
	const uint8_t *done; /* whose pairs are known and not wanted; NULL: nobody's */
	/* Who is wanted as a opposite to one that asks as b, and the other way round: 0 is not; COVERAGE_NOW;
	 * COVERAGE_LATER: with an index that was kept, finding out may be put off until a call with `later`. */
	const uint8_t *a_ok, *b_ok;
	/* Who asks as a: pairs that share less, by `kind` of the call, are of no use, whoever else asks, and may be left
	 * out; NULL: none are. */
	const uint32_t *least;
	bool later; /* only what earlier calls with the same o->kept put off; either end may ask now */
};

enum { COVERAGE_AS_A = 1, COVERAGE_AS_B = 2 };
enum { COVERAGE_NOW = 1, COVERAGE_LATER = 2 };

/* All pairs (a, b) in which a asks as a and b is wanted, or b asks as b and a is wanted, ascending: what an update must
 * look at.  A pair may be given again by a later call.  `pair` gets the overlap of `kind` (< 0: 0) and 0 for sizes.
 * Cost: with an index that was kept (o->kept), lookups; else one scan of the sets that share a key with them. */
int coverage_changed(const struct join_query *q, const struct join_options *o, const struct coverage_asking *ask,
		     int kind, coverage_pair *pair, void *context, struct coverage_stats *stats, struct err *err);

/* What two documents share by `kind`, when an index that was kept knows both; false: it does not.
 * Cost: by their classes; no set is read. */
bool coverage_shared(const struct join_query *q, const struct join_options *o, int kind, uint32_t a, uint32_t b,
		     uint32_t *shared);
#endif
