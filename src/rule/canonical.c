/* rule/canonical.c -- one spelling for each rule: `a`, `b`, full names, lower-case
 * words, ASCII operators, single spaces, numbers shortest, brackets only where
 * they are needed, order as written.  Reading it again gives the same tree. */
#include "base/buf.h"
#include "base/limits.h"
#include "rule/ast.h"

/* Binding strength: or 1, and 2, not 3, comparison 4, sum 5, product 6, minus 7, atom 8. */
static int level(const struct node *n)
{
	switch (n->op) {
	case NODE_OR: return 1;
	case NODE_AND: return 2;
	case NODE_NOT: return 3;
	case NODE_CMP:
	case NODE_MATCH:
	case NODE_IN: return 4;
	case NODE_ADD:
	case NODE_SUB: return 5;
	case NODE_MUL:
	case NODE_DIV: return 6;
	case NODE_NEG: return 7;
	default: return 8;
	}
}

static const char *cmp_text(enum cmp_op op)
{
	static const char *const names[] = { "=", "!=", "<", "<=", ">", ">=" };

	return names[op];
}

struct printer {
	struct buf out;
	const struct rule_env *env;
};

static void print(struct printer *p, const struct node *n, int min);

static void print_string(struct buf *b, struct str s)
{
	buf_byte(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_byte(b, '"');
		buf_byte(b, s.p[i]);
	}
	buf_byte(b, '"');
}

static void print_measure(struct buf *b, const struct node *n)
{
	static const char *const names[] = { "containment", "containment", "jaccard", "dice", "shared" };
	const char *text = !n->named_text ? "" : n->kind == TEXT_MAIN ? ".main" : ".body";

	buf_printf(b, "%s(%s%s, %s%s)", names[n->measure], n->swapped ? "b" : "a", text, n->swapped ? "a" : "b", text);
}

static void print_const(struct buf *b, const struct node *n)
{
	if (n->type == TYPE_BOOL)
		buf_printf(b, n->num != 0 ? "true" : "false");
	else if (n->type == TYPE_TEXT)
		print_string(b, n->text);
	else
		buf_printf(b, "%s%.*s", n->type == TYPE_TIME && n->year && n->text.n < 4 ? &"000"[n->text.n - 1] : "",
			   STR_FMT(n->text));
}

static void print_list(struct printer *p, const struct node *n, size_t from, const char *sep, int min)
{
	for (size_t i = from; i < n->n; i++) {
		if (i > from)
			buf_str(&p->out, str(sep));
		print(p, n->kids[i], min);
	}
}

static const char *func_name(enum func f)
{
	for (const struct func_info *i = func_table; i->name; i++)
		if (i->func == f)
			return i->name;
	return "?";
}

static void print_bare(struct printer *p, const struct node *n)
{
	struct buf *b = &p->out;

	switch (n->op) {
	case NODE_CONST: print_const(b, n); break;
	case NODE_FIELD:
		if (p->env->kind == RULE_PAIR)
			buf_str(b, n->side == SIDE_A ? STR("a.") : STR("b."));
		buf_str(b, n->name);
		break;
	case NODE_SETTING: buf_str(b, n->name); break;
	case NODE_MEASURE: print_measure(b, n); break;
	case NODE_CALL:
		buf_printf(b, "%s(", func_name(n->func));
		print_list(p, n, 0, ", ", 0);
		buf_byte(b, ')');
		break;
	case NODE_NEG:
		buf_byte(b, '-');
		print(p, n->kids[0], 7);
		break;
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_DIV:
		print(p, n->kids[0], level(n));
		buf_printf(b, " %c ", "+-*/"[n->op - NODE_ADD]);
		print(p, n->kids[1], level(n) + 1);
		break;
	case NODE_CMP:
		print(p, n->kids[0], 5);
		buf_printf(b, " %s ", cmp_text(n->cmp));
		print(p, n->kids[1], 5);
		break;
	case NODE_MATCH:
		print(p, n->kids[0], 5);
		buf_str(b, n->negated ? STR(" !~ ") : STR(" ~ "));
		print(p, n->kids[1], 5);
		break;
	case NODE_IN:
		print(p, n->kids[0], 5);
		buf_str(b, STR(" in ("));
		print_list(p, n, 1, ", ", 7);
		buf_byte(b, ')');
		break;
	case NODE_NOT:
		buf_str(b, STR("not "));
		print(p, n->kids[0], 3);
		break;
	case NODE_AND: print_list(p, n, 0, " and ", 3); break;
	case NODE_OR: print_list(p, n, 0, " or ", 2); break;
	}
}

static void print(struct printer *p, const struct node *n, int min)
{
	if (level(n) < min)
		buf_byte(&p->out, '(');
	print_bare(p, n);
	if (level(n) < min)
		buf_byte(&p->out, ')');
}

struct str node_canonical(struct arena *arena, const struct node *node, const struct rule_env *env)
{
	struct printer p = { .out = BUF(16 * LIMIT_RULE), .env = env };
	struct str s;

	print(&p, node, 0);
	s = arena_str(arena, buf_view(&p.out));
	buf_release(&p.out);
	return s;
}

bool node_same(const struct node *x, const struct node *y, bool swap)
{
	unsigned side = swap && y->side ? (SIDE_A | SIDE_B) - y->side : y->side;

	if (x->op != y->op || x->type != y->type || x->n != y->n || x->cmp != y->cmp || x->func != y->func ||
	    x->negated != y->negated)
		return false;
	if (x->op == NODE_FIELD && (x->attr != y->attr || x->side != side))
		return false;
	if (x->op == NODE_CONST && (x->num != y->num || !str_eq(x->text, y->text)))
		return false;
	if (x->op == NODE_MEASURE && (x->measure != y->measure || x->kind != y->kind))
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (!node_same(x->kids[i], y->kids[i], swap))
			return false;
	return true;
}
