/* cover/cover.h -- the smallest set of documents that covers all others.
 *
 * Documents are the numbers 0..n-1 in canonical order (urlkey, time, digest,
 * url, file, offset); every tie is decided by that order, never by threads,
 * memory or the clock, so equal problems have equal answers.
 *
 *	struct cover_result r;
 *	if ((rc = cover_solve(&problem, &r, err)) < 0) return rc;
 *	... r.kept[d], r.kept_count, r.lower_bound ...
 *	cover_result_release(&r);
 *
 * The problem (RULES, "Problem"): K covers every document, holds every pin,
 * has at least demand[g] documents of each group g (or all of them, if there
 * are fewer); among those the fewest documents, then the most of `previous`,
 * then the largest sum of `prefer`.
 *
 * The coverage graph is a CSR of coverers: by[start[a] .. start[a+1]) are the
 * documents b != a with Cov(a, b), ascending.  A row may be left incomplete
 * if it names at least one document that has no coverer at all (such a one is
 * in every cover, so nothing else about the row matters): that is how a join
 * avoids the V*V pairs of long version chains.  covered[a] says the same of a
 * row that is not given at all: some document without coverers covers a, or
 * the caller makes sure of it by itself.
 *
 * fold[x] = y != x says that x was folded into y: x has an empty row and is in
 * no row.  This asks that Cov(x, y), that y covers whatever x covers, that all
 * coverers of y cover x, that both are of one group and neither is pinned, and
 * that x is worth no more than y (previous, then prefer).  A folded document
 * still counts in its group and may be kept to fill it.
 *
 * Cost: a few passes over the graph, then exact search of what reductions
 * leave.  Memory: about 12 bytes per edge and 60 per document, and COVER_MEMORY at most for the search.
 */
#ifndef WINNOW_COVER_COVER_H
#define WINNOW_COVER_COVER_H
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define COVER_NO_GROUP UINT32_MAX
#define COVER_NO_COMPONENT UINT32_MAX

/* What is known of nearly the same problem.  A block of which most rows were in components that its search had to give
 * up is not searched through again: it gets the better of the old cover, made whole, and of a greedy one, local search,
 * and the old dual values, repaired. */
struct cover_known {
	const uint8_t *given_up; /* n: of a component that was left without proof */
	const uint8_t *kept;	 /* n */
	const uint32_t *y;	 /* n, over `denominator` */
	uint32_t denominator;
};

struct cover_problem {
	uint32_t n;
	const uint64_t *start;	/* n + 1 */
	const uint32_t *by;	/* coverers, ascending in each row */
	const uint8_t *covered; /* n, or NULL */
	const uint8_t *pinned;	/* n, or NULL */
	const uint32_t *fold;	/* n, or NULL: nothing folded */
	const uint32_t *group;	/* n, or NULL: no quotas; COVER_NO_GROUP is in none */
	uint32_t groups;
	const uint32_t *demand;		 /* by group; cut to the group's size */
	const int64_t *prefer;		 /* n, or NULL; thousandths */
	const uint8_t *previous;	 /* n, or NULL: kept before, for `stable` */
	const struct cover_known *known; /* NULL: nothing; not with quotas */
	const uint8_t *begin;		 /* n, or NULL: what is to be made whole first; not with prefer, previous */
	uint64_t least;			 /* no cover is smaller, as far as is known; 0: nothing is.  With `begin` */
	uint64_t node_budget;		 /* of search nodes in all; 0 = COVER_NODES */
	double time_limit;		 /* seconds; 0 = none.  A run it ends is not reproducible */
	/* Told now and then while a block is searched that no bound settles, in steps of the budget: `most` is what the search of
	 * it and of the blocks behind it can still cost; it may end at any time before.  NULL: nobody asks. */
	void (*progress)(void *context, uint64_t done, uint64_t most);
	void *progress_context;
};

/* Bytes that the search of a hard block may take beside the graph: relaxations and their copies, states of a sweep, rows
 * that were learned.  The same under any limit of memory, as the answer must be. */
#define COVER_MEMORY ((uint64_t)256 << 20)
#define COVER_NODES 20000 /* real components met so far need fewer than ten each */

enum cover_status {
	COVER_CERTIFIED, /* minimum, and the dual values prove it */
	COVER_SEARCHED,	 /* minimum, found by branching beyond the dual bound */
	COVER_BOUNDED,	 /* budget or time ran out: lower <= minimum <= kept */
};

struct cover_component {
	uint32_t documents, kept, lower;
	uint32_t certified; /* what the dual values alone prove */
	uint8_t status;	    /* enum cover_status, of the size */
	bool best_value;    /* previous and prefer are proven best by search too */
};

struct cover_result {
	uint8_t *kept; /* n */
	uint32_t kept_count, pinned_count;
	uint64_t lower_bound; /* of any valid cover: certificate, or search where that went further */
	uint64_t certified;   /* what the dual values alone prove */

	/* The certificate: y over one denominator, by document and by group. */
	uint32_t denominator;
	uint32_t *y;	   /* n */
	uint32_t *group_y; /* groups, or NULL */

	/* Components of the graph; a quota that may bind joins those it touches.
	 * Numbered by their first document.  COVER_NO_COMPONENT: covered[] without
	 * a place in any row, and not pinned. */
	uint32_t *component; /* n */
	struct cover_component *components;
	uint32_t component_count, by_status[3];
	uint32_t quotas_binding; /* groups with no more kept than demanded */

	bool timed_out, value_proven;
	uint64_t forced, nodes, pivots, residual_rows, residual_columns, residual_blocks; /* work done */
};

/* WN_USAGE if the problem breaks what is said above. */
int cover_solve(const struct cover_problem *p, struct cover_result *r, struct err *err);
void cover_result_release(struct cover_result *r);

/* Groups with no more kept than they ask for. */
uint32_t cover_count_binding(const struct cover_problem *p, const uint8_t *kept);

/* Sum of prefer over what is kept; hi:lo of a signed 128-bit number. */
struct cover_sum {
	int64_t hi;
	uint64_t lo;
};
struct cover_sum cover_prefer_sum(const int64_t *prefer, const uint8_t *kept, uint32_t n);

#endif
