/* join/query.h -- what the joiner is asked, in normal form: arrays only.
 *
 * A query is a collection of n documents (numbers 0..n-1 in canonical order),
 * their sets, and a rule as a union of disjuncts.  Disjunct i holds of an
 * ordered pair (a, b), a != b, when
 *
 *	a_ok[a] and b_ok[b]				one-sided terms
 *	key[a] = key[b]					equality of attributes, as one number
 *	lo <= vb[b] - va[a] <= hi			for every order (see struct join_order)
 *	overlap / ... >= num / den			for every bound
 *	test(context, i, a, b, overlaps)		what is left, NULL when nothing is
 *
 * Cov(a, b) holds when some disjunct does.  Nothing here knows the rule
 * language: rule/plan.h is turned into this by whoever calls.
 *
 * Sets: documents refer to sets by number (set_of), so that documents of one
 * content cost once.  A set's items ascend; a bag repeats an item as often as
 * it occurs, and the overlap of bags sums the smaller counts.
 */
#ifndef WINNOW_JOIN_QUERY_H
#define WINNOW_JOIN_QUERY_H
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#define JOIN_KINDS 2  /* texts a document may have: body, main */
#define JOIN_ORDERS 4 /* order terms of one disjunct; more go into test */
#define JOIN_BOUNDS 8 /* bounds of one disjunct; more go into test */
#define JOIN_NO_SET UINT32_MAX

struct join_cursor { /* a place in one set; opaque but for `left` */
	uint64_t at, last;
	uint32_t left, read, size; /* items not yet read; that were; of all */
};

struct join_sets {
	uint32_t n;	       /* number of sets */
	bool bag;	       /* items may repeat */
	const uint32_t *size;  /* [n] items of each, repeats counted */
	const uint64_t *start; /* [n] where each begins, in items[], or whatever open() makes of it */
	const uint64_t *items; /* plain arrays: items[start[s]] .. ; NULL when stored coded: */
	void *context;
	void (*open)(void *context, uint32_t set, struct join_cursor *c);
	/* Decodes items < below (all that are left for UINT64_MAX) into out, at most cap; returns how many. */
	uint32_t (*read)(void *context, struct join_cursor *c, uint64_t below, uint64_t *out, uint32_t cap);
	/* Asks the cache for what the next read begins with; NULL: cannot.  A million sets are read in some dozen ranges:
	 * what costs is the way to each. */
	void (*near)(const struct join_cursor *c);
};

enum join_measure {
	JOIN_CONTAINED, /* o / A: containment(a,b) */
	JOIN_CONTAINS,	/* o / B: containment(b,a) */
	JOIN_JACCARD,	/* o / (A + B - o) */
	JOIN_DICE,	/* 2 o / (A + B) */
	JOIN_SHARED,	/* o */
};

struct join_bound { /* measure >= num/den, or > when strict; den <= 10^9, num >= 1 */
	uint8_t kind, measure;
	bool strict;
	uint64_t num, den;
};

/* lo <= vb[b] - va[a] <= hi, or < where strict; NaN is missing: no order with it
 * holds.  a.time <= b.time: 0, INFINITY.   within a week: -604800, 604800. */
struct join_order {
	const double *va, *vb; /* [n]; often the same array */
	double lo, hi;	       /* -INFINITY, INFINITY: no bound */
	bool lo_strict, hi_strict;
};

struct join_overlap {
	uint32_t a, b, shared; /* sizes of the two sets and of what they share */
};

/* o[k] is filled for the kinds in the disjunct's test_kinds and bounds. */
typedef bool join_test(void *context, unsigned disjunct, uint32_t a, uint32_t b,
		       const struct join_overlap o[JOIN_KINDS]);

struct join_disjunct {
	const uint32_t *key;	    /* [n] or NULL: all equal */
	const uint8_t *a_ok, *b_ok; /* [n] or NULL: all */
	struct join_order order[JOIN_ORDERS];
	unsigned n_orders;
	struct join_bound bound[JOIN_BOUNDS];
	unsigned n_bounds;
	bool has_test;
	unsigned test_kinds; /* bit k: the test looks at the overlap of kind k */
};

/* Folding of twins, documents with equal sets.  x may fold into y when the rule
 * is true of (x, y), y covers all that x covers, and every coverer of y covers
 * x; the relation is transitive.  Documents of different signature or different
 * `apart` never fold (quota groups, pins, preferences); compare sorts whoever can
 * dominate to the front. */
struct join_fold {
	void *context;
	uint64_t (*signature)(void *context, uint32_t doc);
	int (*compare)(void *context, uint32_t x, uint32_t y);
	bool (*folds)(void *context, uint32_t x, uint32_t y, const struct join_overlap self[JOIN_KINDS]);
	/* Of twins: does every term of every disjunct say the same of both, whoever is opposite?  NULL: not known of any. */
	bool (*same)(void *context, uint32_t x, uint32_t y);
	const uint32_t *apart; /* [n] or NULL */
};

struct join_query {
	uint32_t n;
	const uint32_t *set_of[JOIN_KINDS]; /* [n] set of each document; NULL when the kind is not used */
	struct join_sets sets[JOIN_KINDS];
	const struct join_disjunct *disjunct;
	unsigned n_disjuncts;
	join_test *test; /* shared by the disjuncts with has_test; called from several threads */
	void *test_context;
	const struct join_fold *fold; /* NULL: fold nothing */
};

struct coverage_index; /* coverage.h */
struct postings;       /* postings.h */
struct postings_writer;

struct join_options {
	unsigned threads; /* 0 = 1 */
	size_t memory;	  /* bytes the joiner may hold beside the query and its answer; 0 = 4 GiB */
	uint32_t list;	  /* coverage_kernel: longest list of rows kept in its first pass; 0 = 256 */
	uint64_t edges;	  /* coverage_kernel: entries of the core's lists, beyond which they are put off; 0 = 2^23 */
	uint64_t turn_entries; /* where they were: entries of all turns of solving, beyond which these end; 0 = 2^26 */
	/* Candidates by MinHash bands instead of all: rows x bands; 0 bands = exact. */
	unsigned bands, rows;
	/* Where coverage_kernel leaves its rows and index for a later call with the same sets; NULL: nowhere. */
	struct coverage_index *index;
	bool again; /* coverage_witness leaves it there too */
	/* By disjunct, or NULL: where the index goes for later (coverage_kernel); what a run before left (coverage_changed). */
	struct postings_writer *keep;
	struct postings *kept;
	/* Called now and then with work done and expected, one thread at a time: "index", items; "probe", rows.  May be NULL. */
	void (*progress)(void *context, const char *phase, uint64_t done, uint64_t of);
	void *progress_context;
};
#endif
