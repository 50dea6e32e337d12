/* rule/lex.h -- the words of a rule.  One token at a time, on demand, because
 * 604,800,000 is a number and max(1,200) is not: the parser says whether a
 * comma separates. */
#ifndef WINNOW_RULE_LEX_H
#define WINNOW_RULE_LEX_H
#include "rule/ast.h"

enum token_kind {
	TOK_END,
	TOK_NAME,
	TOK_NUMBER,
	TOK_DURATION,
	TOK_DATE,
	TOK_STRING,
	TOK_AND,
	TOK_OR,
	TOK_NOT,
	TOK_IN,
	TOK_TRUE,
	TOK_FALSE,
	TOK_EQ,
	TOK_NE,
	TOK_LT,
	TOK_LE,
	TOK_GT,
	TOK_GE,
	TOK_MATCH,
	TOK_NOMATCH,
	TOK_PLUS,
	TOK_MINUS,
	TOK_STAR,
	TOK_SLASH,
	TOK_OPEN,
	TOK_CLOSE,
	TOK_COMMA,
	TOK_DOT,
};

struct token {
	enum token_kind kind;
	size_t at, end;
	struct str text; /* name, string contents, or canonical spelling of a constant */
	double num;	 /* number, seconds of a duration or date */
	uint64_t p, q;	 /* number: exactly */
	bool grouped;	 /* digit groups */
	bool year;	 /* four digits */
};

struct lexer {
	struct arena *arena;
	struct str text;
	const struct rule_env *env;
	size_t at;
	bool commas; /* a comma separates list values here */
};

int lex_next(struct lexer *lx, struct token *out, struct err *err);
const char *token_name(enum token_kind kind);
#endif
