/* rule/bind.h -- between the compiled evaluator and the planner.
 *
 * Parts of a rule that read one document become columns: truth bytes, doubles,
 * ranks of texts.  Equal parts (also with a and b exchanged) share a column,
 * so `va == vb` tells that both sides are the same expression.
 */
#ifndef WINNOW_RULE_BIND_H
#define WINNOW_RULE_BIND_H
#include "base/vec.h"
#include "rule/ast.h"

enum code_op {
	CODE_CONST,
	CODE_NUM_A,
	CODE_NUM_B,
	CODE_TRUE_A,
	CODE_TRUE_B,
	CODE_RANKS,
	CODE_NUMS,
	CODE_THRESHOLD,
	CODE_MEASURE,
	CODE_CMP,
	CODE_IN,
	CODE_TEXTS,
	CODE_ABS,
	CODE_ROUND,
	CODE_MIN,
	CODE_MAX,
	CODE_CIVIL,
	CODE_HAS,
	CODE_NEG,
	CODE_ADD,
	CODE_SUB,
	CODE_MUL,
	CODE_DIV,
	CODE_NOT,
	CODE_AND,
	CODE_OR,
};

/* One step of the compiled form.  Columns are indexed by a (x) and b (y). */
struct code {
	enum code_op op;
	enum cmp_op cmp;
	bool swapped; /* ranks, nums: the left side reads b */
	enum func func;
	enum measure measure;
	enum text_kind kind;
	uint64_t p, q;
	double num;
	const double *nx, *ny;
	const uint32_t *rx, *ry;
	const uint8_t *truth;
	const struct str *strs;
	struct code **kids;
	size_t n;
};

struct derived {
	const struct node *node;
	double *num;
	uint8_t *truth;
	uint32_t *rank;
	struct str *strs;	 /* of rank */
	const struct node *with; /* rank: ranked together with that */
};

struct bound {
	const struct rule *rule;
	const struct columns *c;
	const struct text_hits *hits;
	struct arena arena;
	VEC(struct derived) derived;
	struct code *code;
};

bool one_sided(const struct node *n);				    /* reads a only or b only */
const uint8_t *bound_truth(struct bound *b, const struct node *n);  /* one-sided condition, by document */
const double *bound_numbers(struct bound *b, const struct node *n); /* one-sided number */
/* One-sided texts x and y in ranks that compare with each other; 0 = missing. */
void bound_ranks(struct bound *b, const struct node *x, const struct node *y, const uint32_t **rx, const uint32_t **ry);
struct code *bound_compile(struct bound *b, const struct node *n);

bool code_truth(const struct code *c, uint32_t a, uint32_t b, const struct overlap *ov);
double code_number(const struct code *c, uint32_t a, uint32_t b, const struct overlap *ov);
#endif
