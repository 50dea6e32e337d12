/* rule/eval.h -- rules at work on documents.
 *
 * rule_bind() compiles a rule against filled columns: whatever depends on one
 * document alone is computed once for all documents and becomes a column of
 * its own (a truth byte, a double, a rank of texts), so a pair costs a few
 * loads and compares.  Measures compare integers in 128 bits.
 *
 * A bound rule borrows rule and columns.  Read-only after binding: threads
 * may share it.  Memory: at most 8 bytes a document for each one-sided part.
 */
#ifndef WINNOW_RULE_EVAL_H
#define WINNOW_RULE_EVAL_H
#include "rule/rule.h"

/* What two sets share, and their sizes (with --bag: multiset sizes). */
struct overlap {
	uint64_t o, a, b;
};

/* Answers to rule->queries[i]: a byte per document, 1 = found. */
struct text_hits {
	const uint8_t *hit;
};

struct bound;
/* Fails with WN_USAGE when a needed column is not filled.  hits: one per query
 * (selections only), else NULL. */
int rule_bind(struct bound **out, const struct rule *rule, const struct columns *c, const struct text_hits *hits,
	      struct err *err);
void bound_free(struct bound *b);

/* Is the rule true of (a, b)?  ov[TEXT_BODY], ov[TEXT_MAIN]: only those in
 * rule->texts are read; may be NULL when it is 0.  Cov is this or a == b. */
bool rule_holds(const struct bound *r, uint32_t a, uint32_t b, const struct overlap ov[TEXT_KINDS]);

/* A selection of all documents at once: out[doc] = 1 or 0. */
void selection_run(const struct bound *r, uint8_t *out);
bool selection_holds(const struct bound *r, uint32_t doc);

/* RULE_NUMERIC: thousandths, rounded to nearest, missing = 0, clipped to +-2^62; returns how many were. */
size_t prefer_values(const struct bound *r, int64_t *out);

/* One measure against a constant p/q, exactly, as winnow-rules(7) defines it. */
enum measure { MEASURE_CONTAINMENT_AB, MEASURE_CONTAINMENT_BA, MEASURE_JACCARD, MEASURE_DICE, MEASURE_SHARED };
enum cmp_op { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };
bool measure_holds(enum measure m, enum cmp_op op, uint64_t p, uint64_t q, struct overlap ov);
/* Its value as a double (for expressions, reports). */
double measure_value(enum measure m, struct overlap ov);

/* The same rule straight from the definition: walks the tree, computes every
 * part anew.  Slow; for tests and for `check`. */
bool rule_holds_plainly(const struct rule *rule, const struct columns *c, const struct text_hits *hits, uint32_t a,
			uint32_t b, const struct overlap ov[TEXT_KINDS]);

/* `why`: each top-level clause of the rule (cut at `and`) with its truth and
 * its numbers in words, for one pair.  In the arena. */
struct clause {
	struct str text; /* canonical */
	bool holds;
	bool by_missing;    /* an equality that holds only because both sides are missing */
	struct str numbers; /* "containment(a, b) = 7/10 = 0.7", "a.time = 2010-01-01T00:00:00Z, ..." */
};
struct clause *rule_clauses(struct arena *arena, const struct rule *rule, const struct columns *c, uint32_t a,
			    uint32_t b, const struct overlap ov[TEXT_KINDS], size_t *n);
#endif
