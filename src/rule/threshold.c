/* rule/threshold.c -- see threshold.h. */
#include "rule/threshold.h"

#include "rule/ast.h"

static bool lower_bound(const struct node *n)
{
	enum cmp_op op;

	if (n->op != NODE_CMP || !n->threshold || !n->constant)
		return false;
	op = n->measure_at == 0 ? n->cmp : cmp_flip(n->cmp);
	return (op == CMP_GE || op == CMP_GT) && n->kids[n->measure_at]->measure != MEASURE_SHARED;
}

static const struct node *first_bound(const struct node *n)
{
	const struct node *found = lower_bound(n) ? n : NULL;

	if (n->op == NODE_AND || n->op == NODE_OR)
		for (size_t i = 0; i < n->n && !found; i++)
			found = first_bound(n->kids[i]);
	return found;
}

bool rule_threshold(const struct rule *rule, struct threshold *out)
{
	const struct node *n = first_bound(rule->root), *measure, *constant;

	if (!n)
		return false;
	measure = n->kids[n->measure_at];
	constant = n->kids[1 - n->measure_at];
	*out = (struct threshold){ constant->at, constant->end, measure->measure, measure->kind,
				   (double)n->p / (double)n->q };
	return true;
}

struct str rule_with_threshold(struct arena *a, struct str text, const struct threshold *t, unsigned value)
{
	return arena_printf(a, "%.*s%u.%02u%.*s", (int)t->at, text.p, value / 100, value % 100, (int)(text.n - t->end),
			    text.p + t->end);
}
