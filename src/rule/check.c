/* rule/check.c -- types, before anything runs.
 *
 * Goes once over the tree from the leaves: types and sides of every node,
 * constants folded into thresholds as exact fractions, regular expressions
 * compiled, attributes and texts that the rule needs noted.  There is no
 * silent conversion; the one reading that depends on the neighbour is a
 * four-digit number beside a time, which is a year.
 */
#include <math.h>
#include <stdio.h>

#include "archive/stamp.h"
#include "base/vec.h"
#include "rule/ast.h"

struct checker {
	struct arena *arena;
	struct rule *rule;
	struct str text;
	struct err *err;
	VEC(struct node *) expressions; /* thresholds that are expressions */
	VEC(struct str) queries;
};

#define FAIL(c, place, ...) rule_fail((c)->err, (c)->text, (place), __VA_ARGS__)

static int check(struct checker *c, struct node *n);

/* An exact fraction with sign; ok = false when not exact in 64 bits. */
struct fraction {
	bool ok, negative;
	uint64_t p, q;
};

typedef unsigned __int128 u128;

static struct fraction fraction(bool negative, u128 p, u128 q)
{
	u128 x = p, y = q;

	if (q == 0)
		return (struct fraction){ 0 };
	while (y) {
		u128 r = x % y;

		x = y;
		y = r;
	}
	p /= x;
	q /= x;
	if (p >> 62 || q >> 62)
		return (struct fraction){ 0 };
	return (struct fraction){ true, negative && p, (uint64_t)p, (uint64_t)q };
}

static struct fraction fold(const struct node *n)
{
	struct fraction x, y;
	u128 l, r, q;

	if (n->op == NODE_CONST && n->type == TYPE_NUMBER && n->exact)
		return fraction(false, n->p, n->q);
	if (n->op < NODE_NEG || n->op > NODE_DIV)
		return (struct fraction){ 0 };
	x = fold(n->kids[0]);
	if (n->op == NODE_NEG) {
		x.negative = !x.negative && x.p;
		return x;
	}
	y = fold(n->kids[1]);
	if (!x.ok || !y.ok)
		return (struct fraction){ 0 };
	if (n->op == NODE_MUL)
		return fraction(x.negative != y.negative, (u128)x.p * y.p, (u128)x.q * y.q);
	if (n->op == NODE_DIV)
		return fraction(x.negative != y.negative, (u128)x.p * y.q, (u128)x.q * y.p);
	if (n->op == NODE_SUB)
		y.negative = !y.negative;
	l = (u128)x.p * y.q;
	r = (u128)y.p * x.q;
	q = (u128)x.q * y.q;
	if (x.negative == y.negative)
		return fraction(x.negative, l + r, q);
	return l >= r ? fraction(x.negative, l - r, q) : fraction(y.negative, r - l, q);
}

static unsigned kid_sides(const struct node *n)
{
	unsigned sides = 0;

	for (size_t i = 0; i < n->n; i++)
		sides |= n->kids[i]->sides;
	return sides;
}

/* 604,800,000 beside a duration: milliseconds; 604800: seconds. */
static struct str as_duration(struct checker *c, const struct node *n)
{
	static const struct {
		const char *unit;
		double s;
	} units[] = {
		{ "w", 604800 }, { "d", 86400 }, { "h", 3600 }, { "m", 60 }, { "s", 1 },
	};
	bool ms = n->num >= 1e8;
	double s = ms ? n->num / 1000 : n->num;

	if (n->op != NODE_CONST || !(s >= 1))
		return STR("7d");
	if (s < 1000)
		return arena_printf(c->arena, "%.*sd", STR_FMT(n->text));
	for (size_t i = s == 604800; i < COUNT(units); i++)
		if (fmod(s, units[i].s) == 0)
			return arena_printf(c->arena, "%.0f%s", s / units[i].s, units[i].unit);
	return arena_printf(c->arena, "%.0fs", s);
}

static bool is_scalar(enum value_type t) { return t == TYPE_NUMBER || t == TYPE_TIME || t == TYPE_DURATION; }

static int mixed(struct checker *c, const struct node *at, const struct node *x, const struct node *y, const char *verb)
{
	const struct node *number = x->type == TYPE_NUMBER ? x : y->type == TYPE_NUMBER ? y : NULL;
	const struct node *other = number == x ? y : x;

	if (number && (other->type == TYPE_TIME || other->type == TYPE_DURATION)) {
		struct str d = as_duration(c, number);

		if (number->op == NODE_CONST && number->num >= 1e8)
			return FAIL(c, number->at,
				    "%s is %s and this is a plain number, which looks like milliseconds; write the "
				    "duration %.*s",
				    other == x ? "the left side" : "the right side", type_name(other->type),
				    STR_FMT(d));
		if (other->type == TYPE_DURATION || at->op != NODE_CMP)
			return FAIL(c, number->at, "cannot %s %s and %s; a duration has a unit: %.*s", verb,
				    type_name(x->type), type_name(y->type), STR_FMT(d));
		return FAIL(c, number->at, "cannot %s %s and %s; write a date such as 2010-01-31", verb,
			    type_name(x->type), type_name(y->type));
	}
	if (x->type == TYPE_TEXT && y->type == TYPE_NUMBER)
		return FAIL(c, y->at, "cannot %s a text and a number; texts stand in quotes", verb);
	if (y->type == TYPE_TEXT && y->op == NODE_CONST && is_scalar(x->type))
		return FAIL(c, y->at, "cannot %s %s and a text; %s stand without quotes", verb, type_name(x->type),
			    x->type == TYPE_TIME ? "dates" : "numbers");
	return FAIL(c, y->at, "cannot %s %s and %s", verb, type_name(x->type), type_name(y->type));
}

/* A four-digit number beside a time names a year. */
static void year_beside_time(struct node *x, const struct node *beside)
{
	if (beside->type == TYPE_TIME && x->op == NODE_CONST && x->type == TYPE_NUMBER && x->year) {
		x->type = TYPE_TIME;
		x->num = (double)stamp_from_civil((int64_t)x->num, 1, 1, 0, 0, 0);
		x->exact = false;
	}
}

static int no_measure(struct checker *c, const struct node *n, const char *where)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->kids[i]->sides & SIDE_PAIR && n->kids[i]->type != TYPE_BOOL)
			return FAIL(c, n->kids[i]->at,
				    "a measure is compared with a threshold, as in containment(a, b) >= 0.7; it cannot "
				    "stand %s",
				    where);
	return WN_OK;
}

static int check_arith(struct checker *c, struct node *n)
{
	struct node *x = n->kids[0], *y = n->n > 1 ? n->kids[1] : NULL;
	enum value_type tx = x->type, ty;
	static const char *const verbs[] = { "add", "subtract", "multiply", "divide" };
	int rc;

	if ((rc = no_measure(c, n, "in arithmetic")) < 0)
		return rc;
	if (n->op == NODE_NEG) {
		n->type = tx;
		return tx == TYPE_NUMBER || tx == TYPE_DURATION
			   ? WN_OK
			   : FAIL(c, x->at, "'-' needs a number or a duration, found %s", type_name(tx));
	}
	if (n->op == NODE_SUB || n->op == NODE_ADD) {
		if (n->op == NODE_SUB)
			year_beside_time(x, y), year_beside_time(y, x);
		tx = x->type;
		ty = y->type;
		if (tx == ty && (tx == TYPE_NUMBER || tx == TYPE_DURATION))
			n->type = tx;
		else if (n->op == NODE_SUB && tx == TYPE_TIME && ty == TYPE_TIME)
			n->type = TYPE_DURATION;
		else if ((tx == TYPE_TIME && ty == TYPE_DURATION) ||
			 (n->op == NODE_ADD && tx == TYPE_DURATION && ty == TYPE_TIME))
			n->type = TYPE_TIME;
	} else {
		ty = y->type;
		if ((tx == TYPE_NUMBER && ty == TYPE_NUMBER) ||
		    (n->op == NODE_DIV && tx == TYPE_DURATION && ty == TYPE_DURATION))
			n->type = TYPE_NUMBER;
		else if ((tx == TYPE_DURATION && ty == TYPE_NUMBER) ||
			 (n->op == NODE_MUL && tx == TYPE_NUMBER && ty == TYPE_DURATION))
			n->type = TYPE_DURATION;
	}
	return n->type != TYPE_NONE ? WN_OK : mixed(c, n, x, y, verbs[n->op - NODE_ADD]);
}

static int check_arg(struct checker *c, const struct node *n, size_t i, enum value_type want)
{
	const struct node *k = n->kids[i];

	if (k->type == want)
		return WN_OK;
	if (want == TYPE_TEXT && k->op == NODE_CONST)
		return FAIL(c, k->at, "expected a text here (in quotes), found %s", type_name(k->type));
	return FAIL(c, k->at, "expected %s here, found %s", type_name(want), type_name(k->type));
}

static int check_call(struct checker *c, struct node *n)
{
	int rc;

	if ((rc = no_measure(c, n, "inside a function")) < 0)
		return rc;
	switch (n->func) {
	case FUNC_YEAR:
	case FUNC_MONTH:
	case FUNC_DAY: n->type = TYPE_NUMBER; return check_arg(c, n, 0, TYPE_TIME);
	case FUNC_LOWER: n->type = TYPE_TEXT; return check_arg(c, n, 0, TYPE_TEXT);
	case FUNC_LEN: n->type = TYPE_NUMBER; return check_arg(c, n, 0, TYPE_TEXT);
	case FUNC_ROUND: n->type = TYPE_NUMBER; return check_arg(c, n, 0, TYPE_NUMBER);
	case FUNC_ABS:
		n->type = n->kids[0]->type;
		return n->type == TYPE_DURATION ? WN_OK : check_arg(c, n, 0, TYPE_NUMBER);
	case FUNC_MIN:
	case FUNC_MAX:
		for (size_t i = 1; i < n->n; i++)
			year_beside_time(n->kids[i], n->kids[0]), year_beside_time(n->kids[0], n->kids[i]);
		n->type = n->kids[0]->type;
		if (!is_scalar(n->type))
			return FAIL(c, n->kids[0]->at, "expected a number, a time or a duration here, found %s",
				    type_name(n->type));
		for (size_t i = 1; i < n->n; i++)
			if (n->kids[i]->type != n->type)
				return mixed(c, n, n->kids[0], n->kids[i], "compare");
		return WN_OK;
	case FUNC_STARTSWITH:
	case FUNC_ENDSWITH:
	case FUNC_CONTAINS:
		n->type = TYPE_BOOL;
		return (rc = check_arg(c, n, 0, TYPE_TEXT)) < 0 ? rc : check_arg(c, n, 1, TYPE_TEXT);
	case FUNC_HAS:
		n->type = TYPE_BOOL;
		if (n->kids[0]->sides == 0 || n->kids[0]->type == TYPE_BOOL)
			if (n->kids[0]->op != NODE_FIELD)
				return FAIL(c, n->kids[0]->at, "has() asks for an attribute, as in has(a.title)");
		return WN_OK;
	}
	return WN_OK;
}

static int check_threshold(struct checker *c, struct node *n)
{
	struct node *x = n->kids[0], *y = n->kids[1];
	struct node *m = x->op == NODE_MEASURE ? x : y, *t = m == x ? y : x;
	bool ratio = m->measure != MEASURE_SHARED;
	struct fraction f;

	if (m->op != NODE_MEASURE || t->sides & SIDE_PAIR)
		return FAIL(
		    c, (m->op != NODE_MEASURE ? x : t)->at,
		    "a measure is compared with a threshold, as in containment(a, b) >= 0.7, not with another measure");
	if (t->type != TYPE_NUMBER)
		return FAIL(c, t->at, "a measure is a number; the threshold is %s", type_name(t->type));
	n->threshold = true;
	n->measure_at = m == y;
	if (t->sides) {
		vec_push(&c->expressions, n);
		return WN_OK;
	}
	f = fold(t);
	if (!f.ok)
		return FAIL(c, t->at, "this threshold cannot be computed exactly; write a decimal such as 0.7");
	if (ratio && (f.negative || f.p == 0 || f.p > f.q))
		return FAIL(c, t->at, "a threshold lies above 0 and not above 1%s",
			    f.p == 0 ? "; pairs that share nothing: shared(a, b) = 0" : "");
	if (f.negative)
		return FAIL(c, t->at, "a number of shared shingles is not below 0");
	n->constant = true;
	n->p = f.p;
	n->q = f.q;
	return WN_OK;
}

static int check_setting(struct checker *c, const struct node *n)
{
	const struct node *s = n->kids[0]->op == NODE_SETTING ? n->kids[0] : n->kids[1];
	const struct node *v = s == n->kids[0] ? n->kids[1] : n->kids[0];

	if (v->op != NODE_CONST || n->cmp != CMP_EQ)
		return FAIL(c, n->at,
			    "a rule may name the collection's setting as k = 5 or unit = \"word\", nothing else");
	if (s->type == TYPE_TEXT && !str_eq(v->text, STR("word")) && !str_eq(v->text, STR("char")))
		return FAIL(c, v->at, "unit is \"word\" or \"char\"");
	if (!c->rule->env.has_settings)
		return WN_OK;
	if (s->type == TYPE_NUMBER && v->num != s->num)
		return FAIL(c, n->at, "the rule wants k = %.*s, but this collection was made with k = %.0f",
			    STR_FMT(v->text), s->num);
	if (s->type == TYPE_TEXT && !str_eq(v->text, s->text))
		return FAIL(c, n->at,
			    "the rule wants unit = \"%.*s\", but this collection was made with unit = \"%.*s\"",
			    STR_FMT(v->text), STR_FMT(s->text));
	return WN_OK;
}

/* "und" is how others write a language that nobody knows; here it is missing, and no text equals that. */
static int unknown_language(struct checker *c, const struct node *x, const struct node *v)
{
	if (x->op != NODE_FIELD || x->attr != ATTR_LANG || v->op != NODE_CONST || !str_eq(v->text, STR("und")))
		return WN_OK;
	return FAIL(c, v->at,
		    "a language that is not known is missing, and nothing equals \"und\"; write not has(%slang)",
		    c->rule->env.kind != RULE_PAIR ? ""
		    : x->side == SIDE_A		   ? "a."
						   : "b.");
}

static int check_cmp(struct checker *c, struct node *n)
{
	int rc;

	struct node *x = n->kids[0], *y = n->kids[1];

	if ((x->sides | y->sides) & SIDE_PAIR && x->type != TYPE_BOOL && y->type != TYPE_BOOL)
		return check_threshold(c, n);
	year_beside_time(x, y);
	year_beside_time(y, x);
	if (x->type != y->type)
		return mixed(c, n, x, y, "compare");
	if (x->type == TYPE_BOOL && n->cmp != CMP_EQ && n->cmp != CMP_NE)
		return FAIL(c, y->at, "conditions are compared with = and != only");
	if (x->op == NODE_SETTING || y->op == NODE_SETTING)
		return check_setting(c, n);
	if ((rc = unknown_language(c, x, y)) < 0)
		return rc;
	return unknown_language(c, y, x);
}

static int check_match(struct checker *c, struct node *n)
{
	struct node *x = n->kids[0], *y = n->kids[1];
	struct err why = { 0 };
	size_t column = 1;

	if (y->op != NODE_CONST || y->type != TYPE_TEXT)
		return FAIL(c, y->at, "expected a string after '~'");
	if (x->type != TYPE_TEXT)
		return FAIL(c, x->at, "'~' searches a text, found %s", type_name(x->type));
	if (x->op == NODE_FIELD && x->attr == ATTR_TEXT) {
		if (str_trim(y->text).n == 0)
			return FAIL(c, y->at, "an empty query finds nothing");
		n->query = (int)c->queries.n;
		vec_push(&c->queries, y->text);
		return WN_OK;
	}
	if (regex_parse(c->arena, y->text, REGEX_ICASE, &n->regex, &column, &why) < 0)
		return FAIL(c, y->at + column, "in the regular expression, column %zu: %s", column, why.text);
	return WN_OK;
}

static int check_in(struct checker *c, struct node *n)
{
	struct node *x = n->kids[0];
	int rc;

	if (x->sides & SIDE_PAIR)
		return FAIL(c, x->at,
			    "a measure is compared with a threshold, as in containment(a, b) >= 0.7; it cannot stand "
			    "before 'in'");
	for (size_t i = 1; i < n->n; i++) {
		struct node *v = n->kids[i];

		if (v->op != NODE_CONST && !(v->op == NODE_NEG && v->kids[0]->op == NODE_CONST))
			return FAIL(c, v->at, "a list holds constants");
		year_beside_time(v, x);
		if (v->type != x->type)
			return mixed(c, n, x, v, "compare");
		if ((rc = unknown_language(c, x, v)) < 0)
			return rc;
	}
	return WN_OK;
}

static int check_conditions(struct checker *c, struct node *n, const char *word)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->kids[i]->type != TYPE_BOOL)
			return FAIL(c, n->kids[i]->at,
				    "'%s' needs a condition, but this is %s; compare it with something", word,
				    type_name(n->kids[i]->type));
	return WN_OK;
}

static int check_text_use(struct checker *c, const struct node *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->kids[i]->op == NODE_FIELD && n->kids[i]->attr == ATTR_TEXT && !(n->op == NODE_MATCH && i == 0))
			return FAIL(c, n->kids[i]->at, "text is searched with text ~ \"words\"; it is not compared");
	return WN_OK;
}

static int check(struct checker *c, struct node *n)
{
	int rc;

	for (size_t i = 0; i < n->n; i++)
		if ((rc = check(c, n->kids[i])) < 0)
			return rc;
	if (n->n)
		n->sides = kid_sides(n);
	if ((rc = check_text_use(c, n)) < 0)
		return rc;
	if (n->op >= NODE_CMP)
		n->type = TYPE_BOOL;
	switch (n->op) {
	case NODE_FIELD:
		c->rule->needs[n->attr == ATTR_YEAR ? ATTR_TIME : n->attr] = n->attr != ATTR_TEXT;
		return WN_OK;
	case NODE_MEASURE: c->rule->texts |= 1u << n->kind; return WN_OK;
	case NODE_NEG:
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_DIV: return check_arith(c, n);
	case NODE_CALL: return check_call(c, n);
	case NODE_CMP: return check_cmp(c, n);
	case NODE_MATCH: return check_match(c, n);
	case NODE_IN: return check_in(c, n);
	case NODE_NOT: return check_conditions(c, n, "not");
	case NODE_AND: return check_conditions(c, n, "and");
	case NODE_OR: return check_conditions(c, n, "or");
	default: return WN_OK;
	}
}

/* A constant threshold of the same measure and text, anywhere. */
static bool has_constant(const struct node *n, const struct node *m)
{
	if (n->op == NODE_CMP && n->threshold) {
		const struct node *x = n->kids[n->measure_at];

		return n->constant && x->measure == m->measure && x->kind == m->kind;
	}
	for (size_t i = 0; i < n->n; i++)
		if (has_constant(n->kids[i], m))
			return true;
	return false;
}

static int check_root(struct checker *c)
{
	struct node *root = c->rule->root;
	static const char *const names[] = { "containment(a, b)", "containment(b, a)", "jaccard(a, b)", "dice(a, b)",
					     "shared(a, b)" };

	if (root->op == NODE_FIELD && root->attr == ATTR_TEXT)
		return FAIL(c, root->at, "text is searched with text ~ \"words\"");
	if (c->rule->env.kind == RULE_NUMERIC) {
		if (root->type == TYPE_TEXT || root->type == TYPE_BOOL)
			return FAIL(c, root->at, "a preference is a number, a time or a duration, found %s",
				    type_name(root->type));
		return WN_OK;
	}
	if (root->op == NODE_MEASURE)
		return FAIL(c, root->end, "expected a threshold after the measure, as in >= 0.7");
	if (root->type != TYPE_BOOL)
		return FAIL(c, root->at, "a %s is a condition, but this is %s; compare it with something",
			    c->rule->env.kind == RULE_PAIR ? "rule" : "selection", type_name(root->type));
	for (size_t i = 0; i < c->expressions.n; i++) {
		const struct node *n = c->expressions.p[i];
		const struct node *m = n->kids[n->measure_at];

		if (!has_constant(root, m))
			return FAIL(c, n->kids[!n->measure_at]->at,
				    "a threshold that depends on metadata needs a constant one beside it, to find "
				    "pairs by; add: %s >= %s and ...",
				    names[m->measure], m->measure == MEASURE_SHARED ? "10" : "0.5");
	}
	return WN_OK;
}

int node_check(struct arena *arena, struct rule *rule, struct str text, struct err *err)
{
	struct checker c = { .arena = arena, .rule = rule, .text = text, .err = err };
	int rc = check(&c, rule->root);

	if (rc == WN_OK)
		rc = check_root(&c);
	rule->n_queries = c.queries.n;
	rule->queries = ARENA_ARRAY(arena, struct str, c.queries.n + 1);
	for (size_t i = 0; i < c.queries.n; i++)
		rule->queries[i] = c.queries.p[i];
	vec_release(&c.expressions);
	vec_release(&c.queries);
	return rc;
}
