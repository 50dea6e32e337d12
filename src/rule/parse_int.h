/* rule/parse_int.h -- what the two files of the parser share: parse.c reads
 * formulas, parse_name.c what begins with a name. */
#ifndef WINNOW_RULE_PARSE_INT_H
#define WINNOW_RULE_PARSE_INT_H
#include "base/vec.h"
#include "rule/lex.h"

struct parser {
	struct lexer lx;
	struct token tok; /* the next one, not yet taken */
	struct rule *rule;
	unsigned depth;
	struct err *err;
};

typedef VEC(struct node *) node_vec;

#define FAIL(p, place, ...) rule_fail((p)->err, (p)->lx.text, (place), __VA_ARGS__)

int parser_next(struct parser *p);
int parser_expect(struct parser *p, enum token_kind kind);
int parser_unexpected(struct parser *p, const char *expected); /* "found X, expected Y" */
struct node *parser_node(struct parser *p, enum node_op op, size_t at);
int parser_kids(struct parser *p, struct node *n, struct node *const *kids, size_t count); /* fails when too deep */

int parse_or(struct parser *p, struct node **out);   /* a whole formula */
int parse_name(struct parser *p, struct node **out); /* field, call, measure or setting */
#endif
