/* oracle/random_rule.h -- small random collections and random rules over them.
 *
 * Made to be nasty rather than typical: few distinct values, so that keys,
 * times and sets collide; missing values; empty and equal sets; all kinds of
 * terms.  What was drawn is counted by name, so that a test can show that it
 * met everything.  The same rng gives the same draw.
 */
#ifndef WINNOW_ORACLE_RANDOM_RULE_H
#define WINNOW_ORACLE_RANDOM_RULE_H
#include "rule/eval.h"

enum draw {
	DRAW_OR,
	DRAW_NOT,
	DRAW_NOT_EQUAL,
	DRAW_STRICT_ORDER,
	DRAW_ORDER,
	DRAW_WINDOW,
	DRAW_ONE_SIDED,
	DRAW_MISSING,
	DRAW_BODY,
	DRAW_MAIN,
	DRAW_BOTH_TEXTS,
	DRAW_NO_CONTENT,
	DRAW_UPPER_THRESHOLD,
	DRAW_NEGATED_CONTENT,
	DRAW_EXPRESSION_THRESHOLD,
	DRAW_SHARED,
	DRAW_EMPTY_SETS,
	DRAW_EQUAL_SETS,
	DRAW_EQUAL_TIMES,
	DRAW_BAG,
	DRAW_KEY,
	DRAW_COMPUTED_KEY,
	DRAW_REGEX,
	DRAW_TEXT_ORDER,
	DRAW_IMPORTED,
	DRAWS
};
extern const char *const draw_names[DRAWS];

struct world {
	struct columns
	    c; /* url urlkey host domain time mime status title lang words shingles content bytes digest, and `topic`, `score`, `seen` */
	size_t n;
	uint64_t
	    *set[TEXT_KINDS][64]; /* ascending, by document; with bags the i-th occurrence is an element of its own */
	size_t size[TEXT_KINDS][64];
	bool bag;
	struct rule_env env; /* for rule_parse: RULE_PAIR, with the imported attributes */
};

/* n <= 64 documents, in the arena but for w->c (columns_release). */
void random_world(struct arena *arena, uint64_t *rng, size_t n, struct world *w, unsigned counts[DRAWS]);
struct str random_rule(struct arena *arena, uint64_t *rng, unsigned counts[DRAWS]);
struct overlap world_overlap(const struct world *w, enum text_kind kind, uint32_t a, uint32_t b);
uint64_t draw_next(uint64_t *rng);
uint64_t draw_below(uint64_t *rng, uint64_t bound);
#endif
