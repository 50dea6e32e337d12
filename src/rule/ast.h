/* rule/ast.h -- the tree of a rule, for the files of this folder and for tests.
 *
 * Made by parse.c, typed by check.c; never changed afterwards.  `and` and `or`
 * are flat: no `and` has an `and` as a child.
 */
#ifndef WINNOW_RULE_AST_H
#define WINNOW_RULE_AST_H
#include "rule/eval.h"
#include "rule/regex.h"

enum node_op {
	NODE_CONST,   /* type; num, text, or a fraction p/q for numbers */
	NODE_FIELD,   /* side, attr */
	NODE_SETTING, /* k or unit of the collection */
	NODE_MEASURE, /* measure, text, named_text */
	NODE_CALL,    /* func */
	NODE_NEG,
	NODE_ADD,
	NODE_SUB,
	NODE_MUL,
	NODE_DIV,
	NODE_CMP,   /* cmp */
	NODE_MATCH, /* kids[0] ~ kids[1]; negated for !~ */
	NODE_IN,    /* kids[0] in (kids[1..]) */
	NODE_NOT,
	NODE_AND,
	NODE_OR,
};

enum func {
	FUNC_YEAR,
	FUNC_MONTH,
	FUNC_DAY,
	FUNC_LOWER,
	FUNC_LEN,
	FUNC_ABS,
	FUNC_MIN,
	FUNC_MAX,
	FUNC_ROUND,
	FUNC_STARTSWITH,
	FUNC_ENDSWITH,
	FUNC_CONTAINS,
	FUNC_HAS
};

enum side { SIDE_A = 1, SIDE_B = 2, SIDE_PAIR = 4 /* a measure */ };

struct node {
	enum node_op op;
	enum value_type type;
	unsigned sides; /* which documents it reads */
	unsigned depth;
	size_t at, end; /* bytes of the source */
	struct node **kids;
	size_t n;
	/* by op */
	double num;		      /* const: number, seconds, 0 or 1 */
	struct str text;	      /* const text; canonical spelling of other constants */
	bool exact;		      /* const number with the exact value p/q (sign apart) */
	bool negative, grouped, year; /* const: below zero; had digit groups; four digits */
	uint64_t p, q;
	unsigned side, attr; /* field: SIDE_A or SIDE_B; SIDE_A in a selection */
	struct str name;     /* field: canonical name */
	enum measure measure;
	bool swapped, named_text; /* measure: written (b, a); the text was named */
	enum text_kind kind;
	enum func func;
	enum cmp_op cmp;
	bool negated;
	bool threshold; /* cmp: one side is a measure; kids[measure_at] */
	unsigned measure_at;
	bool constant;	     /* threshold: against a constant, p/q here */
	struct regex *regex; /* match */
	int query;	     /* match on `text`: index in rule->queries, else -1 */
};

struct func_info {
	const char *name;
	enum func func;
	unsigned min_args, max_args;
};
extern const struct func_info func_table[]; /* ends with name == NULL */

/* A place in the rule's text, with a complete multi-line message. */
int rule_fail(struct err *err, struct str text, size_t at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Nearest of the candidates fed to it (Damerau distance, a third of the length at most). */
struct nearest {
	struct str word, best;
	unsigned distance;
};
void nearest_try(struct nearest *n, struct str candidate);

bool name_eq(struct str a, struct str b); /* '-' and '_' alike, any ASCII case */

int node_check(struct arena *arena, struct rule *rule, struct str text, struct err *err);
struct str node_canonical(struct arena *arena, const struct node *node, const struct rule_env *env);
bool node_same(const struct node *x, const struct node *y, bool swap_sides); /* equal trees (with a and b exchanged) */

/* The plain evaluator. */
struct walk {
	const struct rule *rule;
	const struct columns *c;
	const struct text_hits *hits;
	uint32_t a, b;
	const struct overlap *ov;
	struct arena *scratch; /* texts made on the way */
};
double walk_number(const struct walk *w, const struct node *n);	  /* NaN = missing; truth values 0, 1 */
struct str walk_text(const struct walk *w, const struct node *n); /* p == NULL = missing */
bool walk_truth(const struct walk *w, const struct node *n);

/* `cmp` seen from the other side (3 < x is x > 3), and its complement. */
enum cmp_op cmp_flip(enum cmp_op op);
enum cmp_op cmp_not(enum cmp_op op);
bool cmp_double(enum cmp_op op, double x, double y);   /* missing: equal to itself, unordered */
bool cmp_rank(enum cmp_op op, uint32_t x, uint32_t y); /* 0 = missing */

/* Overflow gives missing, as division by zero does: no infinities in rules. */
static inline double finite_or_missing(double v) { return __builtin_isfinite(v) ? v : __builtin_nan(""); }
#endif
