/* rule/plan.h -- how the pairs of a rule are found without trying them all.
 *
 * The rule in disjunctive normal form; per disjunct, bound to the columns:
 *
 *	block     documents with equal keys (all a.X = b.X at once); pairs lie inside a block
 *	may_a/b   who may be dropped, who may stay (one-sided terms)
 *	ranges    lo <= vb[b] - va[a] <= hi     (orders and windows)
 *	content   measures against constants, with lower bounds usable as filters
 *	rest      everything else
 *
 * (a, b) satisfies the disjunct exactly when
 *	a, b in one block && may_a[a] && may_b[b] && disjunct_meta(d, a, b) && disjunct_content(d, a, b, ov)
 * and the rule exactly when some disjunct is satisfied.  Ranges and needs are
 * necessary conditions, implied by the above; only a range that is exact may replace its term.
 */
#ifndef WINNOW_RULE_PLAN_H
#define WINNOW_RULE_PLAN_H
#include "rule/eval.h"

/* lo <= vb[b] - va[a] <= hi; NaN on a side: no pair.  va == vb when both sides
 * are the same expression of their document (a.time <= b.time). */
struct plan_range {
	const double *va, *vb;
	double lo, hi; /* -INFINITY, INFINITY when open */
	bool lo_strict, hi_strict;
	bool exact; /* says all that the term does, so that the term needs no test of its own */
};

struct content_term {
	enum text_kind kind;
	enum measure measure;
	enum cmp_op op;
	uint64_t p, q; /* the threshold, exactly */
	bool lower;    /* > >= = : bounds the overlap from below */
};

struct disjunct {
	const uint32_t *block; /* by document, 0 .. n_blocks-1 in order of first document; NULL: no key, one block */
	size_t n_blocks;
	unsigned n_keys;
	const uint8_t *may_a, *may_b; /* by document; NULL: all may */
	struct plan_range *ranges;
	size_t n_ranges;
	struct content_term *content;
	size_t n_content;
	bool has_lower[TEXT_KINDS]; /* a constant lower bound on a measure of that text */
	unsigned texts;		    /* text kinds whose overlap disjunct_content reads */
	unsigned n_differ;	    /* a.X != b.X terms; n_rest: terms that are only tested */
	unsigned n_rest;
	struct disjunct_code *code; /* compiled tests */
};

struct plan {
	const struct rule *rule;
	const struct bound *bound;
	size_t n_docs;
	struct disjunct *d;
	size_t n; /* 0: the rule is never true */
	struct plan_memory *memory;
};

/* WN_USAGE when the normal form has more than LIMIT_RULE_DISJUNCTS.  May add
 * columns to bound: make the plan before threads share it.  Borrows bound. */
int plan_make(struct plan **out, const struct bound *bound, struct err *err);
void plan_free(struct plan *p);

bool disjunct_meta(const struct disjunct *d, uint32_t a, uint32_t b);
bool disjunct_content(const struct disjunct *d, uint32_t a, uint32_t b, const struct overlap ov[TEXT_KINDS]);

/* Lower bounds on the overlap of one kind of text (all lower terms of the
 * disjunct together).  NEED_NEVER: no overlap can satisfy them.  0: none is
 * needed, so sharing a shingle is no filter (no lower term, or both sets empty:
 * empty sets satisfy every ratio among themselves and none with others). */
#define NEED_NEVER UINT64_MAX
uint64_t content_need(const struct disjunct *d, enum text_kind kind, uint64_t size_a, uint64_t size_b);

/* Pairs (a != b) inside the blocks that may_a and may_b leave. */
double disjunct_pairs(const struct plan *p, const struct disjunct *d);
/* The pairs that would be tried one by one: disjuncts without a lower content
 * term and without a key, or with blocks of more than 10^9 pairs.  0: not
 * quadratic; else the command asks for --yes. */
double plan_quadratic(const struct plan *p);

/* Folding twins.  x and y have equal sets for every kind in rule->texts (for a
 * rule without measures that asks nothing).  plan_folds says that x may fold
 * into y: the rule is true of (x, y), all that x covers y covers, every coverer
 * of y covers x.  Proven from how each term uses each side (equal, upwards,
 * downwards, else equal); false when not provable.  Transitive; mutual for
 * ties, where the caller keeps the smaller document number.
 *	Documents with different signatures never fold.  Sort a class of twins by
 * (signature, plan_fold_order): whoever can dominate comes before; compare
 * each with the maximal ones kept so far.  `self` is the overlap of twins. */
uint64_t plan_fold_signature(const struct plan *p, uint32_t doc);
int plan_fold_order(const struct plan *p, uint32_t x, uint32_t y);
bool plan_folds(const struct plan *p, uint32_t x, uint32_t y, const struct overlap self[TEXT_KINDS]);
/* Of twins: does the rule say the same of both, whoever is opposite? */
bool plan_same(const struct plan *p, uint32_t x, uint32_t y);
#endif
