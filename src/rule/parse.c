/* rule/parse.c -- from text to tree, by recursive descent; the grammar is in
 * winnow-rules(7).
 *
 * Names are resolved in parse_name.c, types in check.c.  Depth is bounded twice: the descent by LIMIT_RULE_DEPTH,
 * and the height of the tree too, since 1+1+1+... is deep without brackets.
 */
#include <stdio.h>

#include "archive/digest.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "rule/parse_int.h"

static int parse_sum(struct parser *p, struct node **out);

int parser_next(struct parser *p) { return lex_next(&p->lx, &p->tok, p->err); }

static struct str found(const struct parser *p)
{
	if (p->tok.kind == TOK_END)
		return STR("the end of the rule");
	return arena_printf(p->lx.arena, "\"%.*s\"", (int)(p->tok.end - p->tok.at < 40 ? p->tok.end - p->tok.at : 40),
			    p->lx.text.p + p->tok.at);
}

int parser_unexpected(struct parser *p, const char *expected)
{
	struct str f = found(p);

	return FAIL(p, p->tok.at, "found %.*s, expected %s", STR_FMT(f), expected);
}

int parser_expect(struct parser *p, enum token_kind kind)
{
	return p->tok.kind == kind ? parser_next(p) : parser_unexpected(p, token_name(kind));
}

struct node *parser_node(struct parser *p, enum node_op op, size_t at)
{
	struct node *n = ARENA_NEW(p->lx.arena, struct node);

	n->op = op;
	n->at = at;
	n->depth = 1;
	n->query = -1;
	return n;
}

int parser_kids(struct parser *p, struct node *n, struct node *const *kids, size_t count)
{
	n->kids = ARENA_ARRAY(p->lx.arena, struct node *, count ? count : 1);
	n->n = count;
	for (size_t i = 0; i < count; i++) {
		n->kids[i] = kids[i];
		if (kids[i]->depth + 1 > n->depth)
			n->depth = kids[i]->depth + 1;
	}
	if (n->depth > LIMIT_RULE_DEPTH)
		return FAIL(p, n->at, "nested deeper than %d", LIMIT_RULE_DEPTH);
	return WN_OK;
}

static int binary(struct parser *p, enum node_op op, struct node *x, struct node *y, struct node **out)
{
	*out = parser_node(p, op, x->at);
	(*out)->end = y->end;
	return parser_kids(p, *out, (struct node *[]){ x, y }, 2);
}

static int deeper(struct parser *p)
{
	if (++p->depth > LIMIT_RULE_DEPTH + 1)
		return FAIL(p, p->tok.at, "nested deeper than %d", LIMIT_RULE_DEPTH);
	return WN_OK;
}

static int parse_const(struct parser *p, struct node **out)
{
	struct node *n = *out = parser_node(p, NODE_CONST, p->tok.at);
	const struct token *t = &p->tok;

	n->end = t->end;
	n->num = t->num;
	n->text = t->text;
	switch (t->kind) {
	case TOK_NUMBER:
		n->type = TYPE_NUMBER;
		n->exact = t->q != 0;
		n->p = t->p;
		n->q = t->q;
		n->grouped = t->grouped;
		n->year = t->year;
		break;
	case TOK_DURATION: n->type = TYPE_DURATION; break;
	case TOK_DATE: n->type = TYPE_TIME; break;
	case TOK_STRING: n->type = TYPE_TEXT; break;
	default: n->type = TYPE_BOOL; n->num = t->kind == TOK_TRUE;
	}
	return parser_next(p);
}

static int parse_atom(struct parser *p, struct node **out)
{
	size_t at = p->tok.at;
	bool commas = p->lx.commas;
	int rc;

	switch (p->tok.kind) {
	case TOK_NUMBER:
	case TOK_DURATION:
	case TOK_DATE:
	case TOK_STRING:
	case TOK_TRUE:
	case TOK_FALSE: return parse_const(p, out);
	case TOK_NAME: return parse_name(p, out);
	case TOK_OPEN:
		p->lx.commas = false;
		if ((rc = parser_next(p)) < 0 || (rc = parse_or(p, out)) < 0)
			return rc;
		if (p->tok.kind != TOK_CLOSE)
			return p->tok.kind == TOK_END ? FAIL(p, at, "this '(' is never closed")
						      : parser_unexpected(p, "')' or an operator");
		p->lx.commas = commas;
		return parser_next(p);
	default:
		return parser_unexpected(p, p->rule->env.kind == RULE_PAIR
						? "a value: a.attribute, b.attribute, a measure, a constant or '('"
						: "a value: an attribute, a constant or '('");
	}
}

static int parse_unary(struct parser *p, struct node **out)
{
	size_t at = p->tok.at;
	struct node *kid;
	int rc;

	if (p->tok.kind != TOK_MINUS)
		return parse_atom(p, out);
	if ((rc = deeper(p)) < 0 || (rc = parser_next(p)) < 0 || (rc = parse_unary(p, &kid)) < 0)
		return rc;
	p->depth--;
	*out = parser_node(p, NODE_NEG, at);
	(*out)->end = kid->end;
	return parser_kids(p, *out, &kid, 1);
}

static int parse_prod(struct parser *p, struct node **out)
{
	struct node *y;
	int rc;

	if ((rc = parse_unary(p, out)) < 0)
		return rc;
	while (p->tok.kind == TOK_STAR || p->tok.kind == TOK_SLASH) {
		enum node_op op = p->tok.kind == TOK_STAR ? NODE_MUL : NODE_DIV;

		if ((rc = parser_next(p)) < 0 || (rc = parse_unary(p, &y)) < 0 ||
		    (rc = binary(p, op, *out, y, out)) < 0)
			return rc;
	}
	return WN_OK;
}

static int parse_sum(struct parser *p, struct node **out)
{
	struct node *y;
	int rc;

	if ((rc = parse_prod(p, out)) < 0)
		return rc;
	while (p->tok.kind == TOK_PLUS || p->tok.kind == TOK_MINUS) {
		enum node_op op = p->tok.kind == TOK_PLUS ? NODE_ADD : NODE_SUB;

		if ((rc = parser_next(p)) < 0 || (rc = parse_prod(p, &y)) < 0 || (rc = binary(p, op, *out, y, out)) < 0)
			return rc;
	}
	return WN_OK;
}

static int parse_list(struct parser *p, struct node *x, struct node **out)
{
	node_vec kids = { 0 };
	bool commas = p->lx.commas;
	struct node *value;
	int rc;

	vec_push(&kids, x);
	p->lx.commas = true;
	if ((rc = parser_next(p)) < 0 || (rc = parser_expect(p, TOK_OPEN)) < 0)
		goto out;
	for (;;) {
		if ((rc = parse_unary(p, &value)) < 0)
			goto out;
		vec_push(&kids, value);
		if (p->tok.kind != TOK_COMMA)
			break;
		if ((rc = parser_next(p)) < 0)
			goto out;
	}
	if (p->tok.kind != TOK_CLOSE) {
		rc = parser_unexpected(p, "',' or ')'");
		goto out;
	}
	p->lx.commas = commas;
	*out = parser_node(p, NODE_IN, x->at);
	(*out)->end = p->tok.end;
	if ((rc = parser_kids(p, *out, kids.p, kids.n)) == WN_OK)
		rc = parser_next(p);
out:
	vec_release(&kids);
	return rc;
}

static bool is_cmp(enum token_kind k) { return k >= TOK_EQ && k <= TOK_NOMATCH; }

static int parse_cmp(struct parser *p, struct node **out)
{
	static const enum cmp_op ops[] = { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };
	enum token_kind op;
	struct node *x, *y;
	int rc;

	if ((rc = parse_sum(p, &x)) < 0)
		return rc;
	*out = x;
	if (p->tok.kind == TOK_IN)
		return parse_list(p, x, out);
	if (!is_cmp(op = p->tok.kind))
		return WN_OK;
	if ((rc = parser_next(p)) < 0 || (rc = parse_sum(p, &y)) < 0)
		return rc;
	if (is_cmp(p->tok.kind))
		return FAIL(p, p->tok.at, "comparisons do not chain; write x <= y and y <= z");
	if ((rc = binary(p, op >= TOK_MATCH ? NODE_MATCH : NODE_CMP, x, y, out)) < 0)
		return rc;
	(*out)->negated = op == TOK_NOMATCH;
	if (op < TOK_MATCH)
		(*out)->cmp = ops[op - TOK_EQ];
	return WN_OK;
}

static int parse_not(struct parser *p, struct node **out)
{
	size_t at = p->tok.at;
	struct node *kid;
	int rc;

	if (p->tok.kind != TOK_NOT)
		return parse_cmp(p, out);
	if ((rc = deeper(p)) < 0 || (rc = parser_next(p)) < 0 || (rc = parse_not(p, &kid)) < 0)
		return rc;
	p->depth--;
	*out = parser_node(p, NODE_NOT, at);
	(*out)->end = kid->end;
	return parser_kids(p, *out, &kid, 1);
}

/* x op x op x as one flat node; brackets around the same op vanish. */
static int parse_flat(struct parser *p, enum token_kind sep, enum node_op op,
		      int (*part)(struct parser *, struct node **), struct node **out)
{
	node_vec kids = { 0 };
	struct node *x;
	int rc;

	for (;;) {
		if ((rc = part(p, &x)) < 0)
			goto out;
		if (x->op == op)
			for (size_t i = 0; i < x->n; i++)
				vec_push(&kids, x->kids[i]);
		else
			vec_push(&kids, x);
		if (p->tok.kind != sep)
			break;
		if ((rc = parser_next(p)) < 0)
			goto out;
	}
	*out = x;
	if (kids.n == 1 || (x->op == op && kids.n == x->n))
		goto out;
	*out = parser_node(p, op, kids.p[0]->at);
	(*out)->end = x->end;
	rc = parser_kids(p, *out, kids.p, kids.n);
out:
	vec_release(&kids);
	return rc;
}

static int parse_and(struct parser *p, struct node **out) { return parse_flat(p, TOK_AND, NODE_AND, parse_not, out); }

int parse_or(struct parser *p, struct node **out)
{
	int rc;

	if ((rc = deeper(p)) < 0)
		return rc;
	rc = parse_flat(p, TOK_OR, NODE_OR, parse_and, out);
	p->depth--;
	return rc;
}

static void name_rule(struct rule *rule)
{
	unsigned char digest[32];

	digest_sha256(rule->canonical, digest);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(rule->sha256 + 2 * i, 3, "%02x", digest[i]);
}

static int trailing(struct parser *p)
{
	struct nearest near = { .word = p->tok.kind == TOK_NAME ? p->tok.text : STR_NONE };
	struct str f = found(p);

	if (p->tok.kind == TOK_CLOSE)
		return FAIL(p, p->tok.at, "this ')' closes nothing");
	nearest_try(&near, STR("and"));
	nearest_try(&near, STR("or"));
	nearest_try(&near, STR("in"));
	if (p->tok.kind == TOK_NAME && p->tok.text.n > 1 && near.best.p)
		return FAIL(p, p->tok.at, "found %.*s, expected 'and', 'or' or the end; did you mean \"%.*s\"?",
			    STR_FMT(f), STR_FMT(near.best));
	return parser_unexpected(p, "'and', 'or' or the end");
}

int rule_parse(struct arena *arena, struct str text, const struct rule_env *env, struct rule **out, struct err *err)
{
	struct rule *rule = ARENA_NEW(arena, struct rule);
	struct parser p = { .lx = { .arena = arena, .text = text }, .rule = rule, .err = err };
	size_t valid;
	int rc;

	rule->env = *env;
	rule->source = arena_str(arena, text);
	p.lx.env = &rule->env;
	if (text.n > LIMIT_RULE)
		return err_set(err, WN_USAGE, "the rule has %zu bytes; at most %zu are read", text.n,
			       (size_t)LIMIT_RULE);
	if ((valid = utf8_valid(text)) < text.n)
		return rule_fail(err, text, valid, "the byte 0x%02x is not UTF-8", (unsigned char)text.p[valid]);
	if (str_chr(text, 0) >= 0)
		return rule_fail(err, text, (size_t)str_chr(text, 0), "a zero byte is no text");
	if (env->n_user > ATTR_LIMIT - ATTR_USER)
		return err_set(err, WN_USAGE, "the collection has %zu imported attributes; rules see at most %d",
			       env->n_user, ATTR_LIMIT - ATTR_USER);
	if (env->n_user) {
		struct rule_attr *user = ARENA_ARRAY(arena, struct rule_attr, env->n_user);

		for (size_t i = 0; i < env->n_user; i++)
			user[i] = (struct rule_attr){ arena_str(arena, env->user[i].name), env->user[i].type };
		rule->env.user = user;
	}
	if ((rc = parser_next(&p)) < 0)
		return rc;
	if (p.tok.kind == TOK_END)
		return err_set(err, WN_USAGE,
			       "the rule is empty; an example is: containment(a, b) >= 0.7 and a.time <= b.time and "
			       "a.host = b.host");
	if ((rc = parse_or(&p, &rule->root)) < 0)
		return rc;
	if (p.tok.kind != TOK_END)
		return trailing(&p);
	if ((rc = node_check(arena, rule, text, err)) < 0)
		return rc;
	rule->canonical = node_canonical(arena, rule->root, &rule->env);
	name_rule(rule);
	*out = rule;
	return WN_OK;
}
