/* rule/parse.c -- from text to tree, by recursive descent; the grammar is in
 * winnow-rules(7).
 *
 * Names are resolved here (attributes, functions, measures, texts); types are
 * left to check.c.  Depth is bounded twice: the descent by LIMIT_RULE_DEPTH,
 * and the height of the tree too, since 1+1+1+... is deep without brackets.
 */
#include <openssl/sha.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/vec.h"
#include "rule/lex.h"

struct parser {
	struct lexer lx;
	struct token tok;
	struct rule *rule;
	unsigned depth;
	struct err *err;
};

typedef VEC(struct node *) node_vec;

static int parse_or(struct parser *p, struct node **out);
static int parse_sum(struct parser *p, struct node **out);

static int next(struct parser *p)
{
	return lex_next(&p->lx, &p->tok, p->err);
}

#define FAIL(p, place, ...) rule_fail((p)->err, (p)->lx.text, (place), __VA_ARGS__)

static struct str found(const struct parser *p)
{
	if (p->tok.kind == TOK_END)
		return STR("the end of the rule");
	return arena_printf(p->lx.arena, "\"%.*s\"", (int)(p->tok.end - p->tok.at < 40 ? p->tok.end - p->tok.at : 40), p->lx.text.p + p->tok.at);
}

static int unexpected(struct parser *p, const char *expected)
{
	struct str f = found(p);

	return FAIL(p, p->tok.at, "found %.*s, expected %s", STR_FMT(f), expected);
}

static int expect(struct parser *p, enum token_kind kind)
{
	return p->tok.kind == kind ? next(p) : unexpected(p, token_name(kind));
}

static struct node *node_new(struct parser *p, enum node_op op, size_t at)
{
	struct node *n = ARENA_NEW(p->lx.arena, struct node);

	n->op = op;
	n->at = at;
	n->depth = 1;
	n->query = -1;
	return n;
}

static int node_kids(struct parser *p, struct node *n, struct node *const *kids, size_t count)
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
	*out = node_new(p, op, x->at);
	(*out)->end = y->end;
	return node_kids(p, *out, (struct node *[]){ x, y }, 2);
}

static int deeper(struct parser *p)
{
	if (++p->depth > LIMIT_RULE_DEPTH + 1)
		return FAIL(p, p->tok.at, "nested deeper than %d", LIMIT_RULE_DEPTH);
	return WN_OK;
}

/* a, di, d_i: SIDE_A; b, dj, d_j: SIDE_B; else 0. */
static unsigned doc_side(struct str name)
{
	if (str_ieq(name, STR("a")) || str_ieq(name, STR("di")) || str_ieq(name, STR("d_i")))
		return SIDE_A;
	if (str_ieq(name, STR("b")) || str_ieq(name, STR("dj")) || str_ieq(name, STR("d_j")))
		return SIDE_B;
	return 0;
}

static int unknown_attribute(struct parser *p, struct str name, size_t at)
{
	struct nearest near = { .word = name };

	for (unsigned i = 0; i < ATTR_USER; i++)
		if (i != ATTR_TEXT || p->rule->env.kind == RULE_SELECTION)
			nearest_try(&near, str(attr_name(i)));
	nearest_try(&near, STR("hostname"));
	nearest_try(&near, STR("timestamp"));
	nearest_try(&near, STR("mime-type"));
	for (size_t i = 0; i < p->rule->env.n_user; i++)
		nearest_try(&near, p->rule->env.user[i].name);
	if (near.best.p)
		return FAIL(p, at, "unknown attribute \"%.*s\"; did you mean \"%.*s\"?", (int)(name.n < 60 ? name.n : 60), name.p, STR_FMT(near.best));
	return FAIL(p, at, "unknown attribute \"%.*s\"; expected one such as url, host, time, mime, status, title, lang, words (winnow help rules lists them)",
		(int)(name.n < 60 ? name.n : 60), name.p);
}

static const char *command_for(unsigned attr)
{
	return attr == ATTR_RANK ? "winnow rank COLL" : "winnow graph COLL";
}

static int field_attr(struct parser *p, struct node *n, struct str name)
{
	const struct rule_env *env = &p->rule->env;
	int attr = attr_find(name);

	for (size_t i = 0; attr < 0 && i < env->n_user; i++)
		if (name_eq(name, env->user[i].name)) {
			n->attr = ATTR_USER + (unsigned)i;
			n->name = env->user[i].name;
			n->type = env->user[i].type;
			return WN_OK;
		}
	if (attr < 0)
		return unknown_attribute(p, name, n->at);
	n->attr = (unsigned)attr;
	n->name = str(attr_name(n->attr));
	n->type = attr_type(n->attr);
	if (env->uncomputed >> attr & 1)
		return FAIL(p, n->at, "%s is not computed yet for this collection; run %s first", attr_name(n->attr), command_for(n->attr));
	if (attr == ATTR_TEXT && env->kind != RULE_SELECTION)
		return FAIL(p, n->at, "text belongs to selections (--where 'text ~ \"word\"'); rules compare texts by containment, jaccard or dice");
	return WN_OK;
}

static bool measure_of(struct str name, enum measure *m)
{
	static const struct { const char *name; enum measure m; } table[] = {
		{ "containment", MEASURE_CONTAINMENT_AB }, { "c", MEASURE_CONTAINMENT_AB }, { "jaccard", MEASURE_JACCARD }, { "j", MEASURE_JACCARD },
		{ "dice", MEASURE_DICE }, { "d", MEASURE_DICE }, { "shared", MEASURE_SHARED },
	};

	for (size_t i = 0; i < COUNT(table); i++)
		if (name_eq(name, str(table[i].name))) {
			*m = table[i].m;
			return true;
		}
	return false;
}

static bool text_of(struct str name, enum text_kind *kind)
{
	*kind = name_eq(name, STR("main")) ? TEXT_MAIN : TEXT_BODY;
	return name_eq(name, STR("main")) || name_eq(name, STR("body"));
}

/* One argument of a measure: a, a.main, main(a), sh(a), sh(a.main). */
static int measure_arg(struct parser *p, unsigned *side, bool *named, enum text_kind *kind)
{
	int rc, closes = 0;
	bool body_or_main = false;

	while (p->tok.kind == TOK_NAME && !doc_side(p->tok.text)) {
		if (text_of(p->tok.text, kind))
			body_or_main = true;
		else if (!name_eq(p->tok.text, STR("sh")))
			return unexpected(p, "a document: a, b, a.main, b.body or sh(a)");
		if (++closes > 3)
			return unexpected(p, "a document: a, b, a.main, b.body or sh(a)");
		if ((rc = next(p)) < 0 || (rc = expect(p, TOK_OPEN)) < 0)
			return rc;
	}
	if (p->tok.kind != TOK_NAME)
		return unexpected(p, "a document: a, b, a.main, b.body or sh(a)");
	*side = doc_side(p->tok.text);
	if ((rc = next(p)) < 0)
		return rc;
	if (p->tok.kind == TOK_DOT) {
		if ((rc = next(p)) < 0)
			return rc;
		if (p->tok.kind != TOK_NAME || !text_of(p->tok.text, kind) || body_or_main)
			return unexpected(p, "which text: body or main");
		body_or_main = true;
		if ((rc = next(p)) < 0)
			return rc;
	}
	*named = body_or_main;
	for (; closes > 0; closes--)
		if ((rc = expect(p, TOK_CLOSE)) < 0)
			return rc;
	return WN_OK;
}

static int parse_measure(struct parser *p, struct node *n)
{
	unsigned side[2] = { 0, 0 };
	bool named[2] = { false, false };
	enum text_kind kind[2] = { TEXT_BODY, TEXT_BODY };
	size_t second;
	int rc;

	if (p->rule->env.kind != RULE_PAIR)
		return FAIL(p, n->at, "a measure compares two documents; a selection speaks of one");
	p->lx.commas = true;
	if ((rc = expect(p, TOK_OPEN)) < 0 || (rc = measure_arg(p, &side[0], &named[0], &kind[0])) < 0)
		return rc;
	if ((rc = expect(p, TOK_COMMA)) < 0)
		return rc;
	second = p->tok.at;
	if ((rc = measure_arg(p, &side[1], &named[1], &kind[1])) < 0)
		return rc;
	n->end = p->tok.end;
	if (p->tok.kind != TOK_CLOSE)
		return unexpected(p, "')': a measure has two documents");
	if (side[0] == side[1])
		return FAIL(p, second, "a measure compares a with b, not a document with itself");
	if (named[0] != named[1] || kind[0] != kind[1])
		return FAIL(p, second, "both arguments of a measure name the same text: a.main, b.main or a.body, b.body");
	n->op = NODE_MEASURE;
	n->type = TYPE_NUMBER;
	n->sides = SIDE_PAIR;
	n->swapped = side[0] == SIDE_B;
	n->named_text = named[0];
	n->kind = named[0] ? kind[0] : p->rule->env.default_text;
	if (n->measure == MEASURE_CONTAINMENT_AB && n->swapped)
		n->measure = MEASURE_CONTAINMENT_BA;
	return WN_OK;
}

static int unknown_function(struct parser *p, struct str name, size_t at)
{
	struct nearest near = { .word = name };
	static const char *const measures[] = { "containment", "jaccard", "dice", "shared" };

	for (size_t i = 0; i < COUNT(measures); i++)
		nearest_try(&near, str(measures[i]));
	for (const struct func_info *f = func_table; f->name; f++)
		nearest_try(&near, str(f->name));
	for (unsigned i = 0; i < ATTR_USER; i++)
		nearest_try(&near, str(attr_name(i)));
	if (near.best.p)
		return FAIL(p, at, "unknown function \"%.*s\"; did you mean \"%.*s\"?", (int)(name.n < 60 ? name.n : 60), name.p, STR_FMT(near.best));
	return FAIL(p, at, "unknown function \"%.*s\"; expected containment, jaccard, dice, shared, year, month, day, lower, len, abs, min, max, round, "
		"startswith, endswith, contains or has", (int)(name.n < 60 ? name.n : 60), name.p);
}

/* name(di): the seed's way to write di.name.  The opening bracket is the token. */
static int parse_field_call(struct parser *p, struct node *n, struct str name, bool *is)
{
	struct lexer lx = p->lx;
	struct token tok = p->tok;
	unsigned side = 0;
	int rc;

	*is = false;
	if (p->rule->env.kind != RULE_PAIR)
		return WN_OK;
	if ((rc = next(p)) < 0)
		return rc;
	if (p->tok.kind == TOK_NAME)
		side = doc_side(p->tok.text);
	if (side) {
		if ((rc = next(p)) < 0)
			return rc;
		*is = p->tok.kind == TOK_CLOSE;
	}
	if (!*is) {
		p->lx = lx;
		p->tok = tok;
		return WN_OK;
	}
	n->op = NODE_FIELD;
	n->side = n->sides = side;
	n->end = p->tok.end;
	if ((rc = field_attr(p, n, name)) < 0)
		return rc;
	return next(p);
}

static int parse_args(struct parser *p, struct node *n, const struct func_info *f)
{
	node_vec args = { 0 };
	struct node *arg;
	bool commas = p->lx.commas;
	int rc;

	p->lx.commas = true;
	if ((rc = next(p)) < 0)
		return rc;
	for (;;) {
		if (args.n > f->max_args) {
			rc = FAIL(p, n->at, "%s has at most %u argument%s", f->name, f->max_args, f->max_args == 1 ? "" : "s");
			goto out;
		}
		if ((rc = parse_or(p, &arg)) < 0)
			goto out;
		vec_push(&args, arg);
		if (p->tok.kind != TOK_COMMA)
			break;
		if ((rc = next(p)) < 0)
			goto out;
	}
	if (p->tok.kind != TOK_CLOSE) {
		rc = unexpected(p, "',' or ')'");
		goto out;
	}
	p->lx.commas = commas;
	n->end = p->tok.end;
	if (args.n < f->min_args || args.n > f->max_args) {
		rc = FAIL(p, n->at, "%s has %u argument%s, found %zu", f->name, f->min_args, f->min_args == 1 ? "" : f->max_args > f->min_args ? "s or more" : "s", args.n);
		goto out;
	}
	if ((rc = node_kids(p, n, args.p, args.n)) == WN_OK)
		rc = next(p);
out:
	vec_release(&args);
	return rc;
}

static int parse_call(struct parser *p, struct node *n, struct str name)
{
	bool commas = p->lx.commas, is;
	int rc;

	if (measure_of(name, &n->measure)) {
		if ((rc = parse_measure(p, n)) < 0)
			return rc;
		p->lx.commas = commas;
		return next(p);
	}
	if (name_eq(name, STR("sh")))
		return FAIL(p, n->at, "sh(...) stands inside a measure: containment(sh(a), sh(b)) >= 0.7");
	if ((rc = parse_field_call(p, n, name, &is)) < 0 || is)
		return rc;
	for (const struct func_info *f = func_table; f->name; f++)
		if (name_eq(name, str(f->name))) {
			n->op = NODE_CALL;
			n->func = f->func;
			return parse_args(p, n, f);
		}
	return unknown_function(p, name, n->at);
}

static bool setting_of(struct str name)
{
	return name_eq(name, STR("k")) || name_eq(name, STR("unit"));
}

static int parse_setting(struct parser *p, struct node *n, struct str name)
{
	const struct rule_env *env = &p->rule->env;

	n->op = NODE_SETTING;
	n->name = name_eq(name, STR("k")) ? STR("k") : STR("unit");
	n->type = n->name.n == 1 ? TYPE_NUMBER : TYPE_TEXT;
	n->num = env->k;
	n->text = env->unit_char ? STR("char") : STR("word");
	return WN_OK;
}

static int bare_name(struct parser *p, struct str name, size_t at)
{
	struct nearest near = { .word = name };

	if (doc_side(name))
		return FAIL(p, p->tok.at, "expected '.' and an attribute after the document, as in a.host");
	if (attr_find(name) >= 0)
		return FAIL(p, at, "of which document? write a.%.*s or b.%.*s", STR_FMT(name), STR_FMT(name));
	if (name_eq(name, STR("nan")) || name_eq(name, STR("inf")) || name_eq(name, STR("infinity")) || name_eq(name, STR("null")))
		return FAIL(p, at, "there is no %.*s here; has(a.x) asks whether a value is there", STR_FMT(name));
	nearest_try(&near, STR("and"));
	nearest_try(&near, STR("or"));
	nearest_try(&near, STR("not"));
	nearest_try(&near, STR("true"));
	nearest_try(&near, STR("false"));
	if (near.best.p)
		return FAIL(p, at, "unknown name \"%.*s\"; did you mean \"%.*s\"?", (int)(name.n < 60 ? name.n : 60), name.p, STR_FMT(near.best));
	return FAIL(p, at, "unknown name \"%.*s\"; expected an attribute such as a.host, a measure or a constant (texts stand in quotes)",
		(int)(name.n < 60 ? name.n : 60), name.p);
}

static bool is_user(const struct parser *p, struct str name)
{
	for (size_t i = 0; i < p->rule->env.n_user; i++)
		if (name_eq(name, p->rule->env.user[i].name))
			return true;
	return false;
}

static int parse_name(struct parser *p, struct node **out)
{
	struct str name = p->tok.text;
	struct node *n = *out = node_new(p, NODE_FIELD, p->tok.at);
	bool pair = p->rule->env.kind == RULE_PAIR;
	unsigned side = doc_side(name);
	int rc;

	n->end = p->tok.end;
	if ((rc = next(p)) < 0)
		return rc;
	if (p->tok.kind == TOK_OPEN)
		return parse_call(p, n, name);
	if (p->tok.kind == TOK_DOT) {
		if (!pair)
			return FAIL(p, n->at, "a selection speaks of one document: write the attribute alone, without \"%.*s.\"", STR_FMT(name));
		if (!side)
			return FAIL(p, n->at, "unknown document \"%.*s\"; expected a or b", (int)(name.n < 60 ? name.n : 60), name.p);
		if ((rc = next(p)) < 0)
			return rc;
		if (p->tok.kind != TOK_NAME)
			return unexpected(p, "an attribute");
		n->side = n->sides = side;
		n->at = p->tok.at;
		if ((name_eq(p->tok.text, STR("main")) || name_eq(p->tok.text, STR("body"))) && !is_user(p, p->tok.text))
			return FAIL(p, p->tok.at, "a.%.*s is a text and stands inside a measure: containment(a.%.*s, b.%.*s)", STR_FMT(p->tok.text),
				STR_FMT(p->tok.text), STR_FMT(p->tok.text));
		if ((rc = field_attr(p, n, p->tok.text)) < 0)
			return rc;
		n->end = p->tok.end;
		return next(p);
	}
	if (!pair && (attr_find(name) >= 0 || !setting_of(name))) {
		n->side = n->sides = SIDE_A;
		return field_attr(p, n, name);
	}
	if (setting_of(name))
		return parse_setting(p, n, name);
	return bare_name(p, name, n->at);
}

static int parse_const(struct parser *p, struct node **out)
{
	struct node *n = *out = node_new(p, NODE_CONST, p->tok.at);
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
	default:
		n->type = TYPE_BOOL;
		n->num = t->kind == TOK_TRUE;
	}
	return next(p);
}

static int parse_atom(struct parser *p, struct node **out)
{
	size_t at = p->tok.at;
	bool commas = p->lx.commas;
	int rc;

	switch (p->tok.kind) {
	case TOK_NUMBER: case TOK_DURATION: case TOK_DATE: case TOK_STRING: case TOK_TRUE: case TOK_FALSE:
		return parse_const(p, out);
	case TOK_NAME:
		return parse_name(p, out);
	case TOK_OPEN:
		p->lx.commas = false;
		if ((rc = next(p)) < 0 || (rc = parse_or(p, out)) < 0)
			return rc;
		if (p->tok.kind != TOK_CLOSE)
			return p->tok.kind == TOK_END ? FAIL(p, at, "this '(' is never closed") : unexpected(p, "')' or an operator");
		p->lx.commas = commas;
		return next(p);
	default:
		return unexpected(p, p->rule->env.kind == RULE_PAIR ? "a value: a.attribute, b.attribute, a measure, a constant or '('" :
								      "a value: an attribute, a constant or '('");
	}
}

static int parse_unary(struct parser *p, struct node **out)
{
	size_t at = p->tok.at;
	struct node *kid;
	int rc;

	if (p->tok.kind != TOK_MINUS)
		return parse_atom(p, out);
	if ((rc = deeper(p)) < 0 || (rc = next(p)) < 0 || (rc = parse_unary(p, &kid)) < 0)
		return rc;
	p->depth--;
	*out = node_new(p, NODE_NEG, at);
	(*out)->end = kid->end;
	return node_kids(p, *out, &kid, 1);
}

static int parse_prod(struct parser *p, struct node **out)
{
	struct node *y;
	int rc;

	if ((rc = parse_unary(p, out)) < 0)
		return rc;
	while (p->tok.kind == TOK_STAR || p->tok.kind == TOK_SLASH) {
		enum node_op op = p->tok.kind == TOK_STAR ? NODE_MUL : NODE_DIV;

		if ((rc = next(p)) < 0 || (rc = parse_unary(p, &y)) < 0 || (rc = binary(p, op, *out, y, out)) < 0)
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

		if ((rc = next(p)) < 0 || (rc = parse_prod(p, &y)) < 0 || (rc = binary(p, op, *out, y, out)) < 0)
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
	if ((rc = next(p)) < 0 || (rc = expect(p, TOK_OPEN)) < 0)
		goto out;
	for (;;) {
		if ((rc = parse_unary(p, &value)) < 0)
			goto out;
		vec_push(&kids, value);
		if (p->tok.kind != TOK_COMMA)
			break;
		if ((rc = next(p)) < 0)
			goto out;
	}
	if (p->tok.kind != TOK_CLOSE) {
		rc = unexpected(p, "',' or ')'");
		goto out;
	}
	p->lx.commas = commas;
	*out = node_new(p, NODE_IN, x->at);
	(*out)->end = p->tok.end;
	if ((rc = node_kids(p, *out, kids.p, kids.n)) == WN_OK)
		rc = next(p);
out:
	vec_release(&kids);
	return rc;
}

static bool is_cmp(enum token_kind k)
{
	return k >= TOK_EQ && k <= TOK_NOMATCH;
}

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
	if ((rc = next(p)) < 0 || (rc = parse_sum(p, &y)) < 0)
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
	if ((rc = deeper(p)) < 0 || (rc = next(p)) < 0 || (rc = parse_not(p, &kid)) < 0)
		return rc;
	p->depth--;
	*out = node_new(p, NODE_NOT, at);
	(*out)->end = kid->end;
	return node_kids(p, *out, &kid, 1);
}

/* x op x op x as one flat node; brackets around the same op vanish. */
static int parse_flat(struct parser *p, enum token_kind sep, enum node_op op, int (*part)(struct parser *, struct node **), struct node **out)
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
		if ((rc = next(p)) < 0)
			goto out;
	}
	*out = x;
	if (kids.n == 1 || (x->op == op && kids.n == x->n))
		goto out;
	*out = node_new(p, op, kids.p[0]->at);
	(*out)->end = x->end;
	rc = node_kids(p, *out, kids.p, kids.n);
out:
	vec_release(&kids);
	return rc;
}

static int parse_and(struct parser *p, struct node **out)
{
	return parse_flat(p, TOK_AND, NODE_AND, parse_not, out);
}

static int parse_or(struct parser *p, struct node **out)
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
	unsigned char digest[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)rule->canonical.p, rule->canonical.n, digest);
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
		return FAIL(p, p->tok.at, "found %.*s, expected 'and', 'or' or the end; did you mean \"%.*s\"?", STR_FMT(f), STR_FMT(near.best));
	return unexpected(p, "'and', 'or' or the end");
}

int rule_parse(struct arena *arena, struct str text, const struct rule_env *env, struct rule **out, struct err *err)
{
	struct rule *rule = ARENA_NEW(arena, struct rule);
	struct parser p = { .lx = { .arena = arena, .text = text }, .rule = rule, .err = err };
	int rc;

	rule->env = *env;
	p.lx.env = &rule->env;
	if (text.n > LIMIT_RULE)
		return err_set(err, WN_USAGE, "the rule has %zu bytes; at most %zu are read", text.n, (size_t)LIMIT_RULE);
	if (env->n_user > ATTR_LIMIT - ATTR_USER)
		return err_set(err, WN_USAGE, "the collection has %zu imported attributes; rules see at most %d", env->n_user, ATTR_LIMIT - ATTR_USER);
	if (env->n_user) {
		struct rule_attr *user = ARENA_ARRAY(arena, struct rule_attr, env->n_user);

		for (size_t i = 0; i < env->n_user; i++)
			user[i] = (struct rule_attr){ arena_str(arena, env->user[i].name), env->user[i].type };
		rule->env.user = user;
	}
	if ((rc = next(&p)) < 0)
		return rc;
	if (p.tok.kind == TOK_END)
		return err_set(err, WN_USAGE, "the rule is empty; an example is: containment(a, b) >= 0.7 and a.time <= b.time and a.host = b.host");
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
