/* rule/plan_int.h -- what the files of the planner share. */
#ifndef WINNOW_RULE_PLAN_INT_H
#define WINNOW_RULE_PLAN_INT_H
#include "base/vec.h"
#include "rule/bind.h"
#include "rule/plan.h"

/* A term of a disjunct; negated only where negation cannot be pushed in. */
struct literal {
	const struct node *node;
	bool negated;
	enum cmp_op cmp; /* of = != and constant thresholds, negation applied; else the node's */
};

struct conjunction {
	struct literal *lit;
	size_t n;
};

/* The normal form without columns, in the arena.  Terms that read no document
 * are gone; WN_LIMIT beyond LIMIT_RULE_DISJUNCTS. */
int dnf_make(struct arena *arena, const struct rule *rule, struct conjunction **out, size_t *n, struct err *err);

/* What a term is to the planner. */
enum term_kind { TERM_ONE_SIDED, TERM_KEY, TERM_RANGE, TERM_DIFFER, TERM_CONTENT, TERM_CONTENT_REST, TERM_REST };

/* sign * (tb - ta) + offset cmp 0, or with abs: |tb - ta + offset| within `within`. */
struct linear {
	const struct node *ta, *tb;
	double lo, hi;
	bool lo_strict, hi_strict;
	bool exact; /* holds exactly when the term does; else wider, by what rounding may move a bound */
};

enum term_kind term_kind(const struct literal *l, struct linear *range);
struct str literal_text(struct arena *arena, const struct literal *l, const struct rule_env *env);

struct disjunct_code {
	struct code **meta, **content;
	size_t n_meta, n_content;
};

/* One requirement of x folding into y: key(y) >= key(x), or equality. */
struct feature {
	const double *num;
	const uint32_t *rank;
	const uint8_t *truth;
	bool equal, down, missing_high;
};

struct plan_memory {
	struct arena arena;
	struct conjunction *conj;
	VEC(void *) owned; /* mem_free'd with the plan */
	VEC(struct feature) features;
};

void fold_features(struct plan *p, struct bound *b);
#endif
