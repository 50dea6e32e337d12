/* rule/clause.c -- a rule's clauses with their numbers, for `why`. */
#include <inttypes.h>
#include <math.h>

#include "archive/stamp.h"
#include "base/buf.h"
#include "base/vec.h"
#include "rule/ast.h"

static void measure_text(struct arena *arena, struct buf *b, const struct node *m, const struct walk *w,
			 const struct rule_env *env)
{
	struct overlap ov = w->ov[m->kind];
	struct str name = node_canonical(arena, m, env);

	buf_printf(b, "%s%.*s = ", b->n ? ", " : "", STR_FMT(name));
	if (m->measure == MEASURE_SHARED)
		buf_printf(b, "%" PRIu64, ov.o);
	else if (ov.a == 0 || ov.b == 0)
		buf_printf(b, "%d (%s)", ov.a == ov.b, ov.a == ov.b ? "both texts are empty" : "one text is empty");
	else
		buf_printf(b, "%" PRIu64 "/%" PRIu64 " = %.4f", m->measure == MEASURE_DICE ? 2 * ov.o : ov.o,
			   m->measure == MEASURE_CONTAINMENT_AB	  ? ov.a
			   : m->measure == MEASURE_CONTAINMENT_BA ? ov.b
			   : m->measure == MEASURE_JACCARD	  ? ov.a + ov.b - ov.o
								  : ov.a + ov.b,
			   measure_value(m->measure, ov));
}

static void field_text(struct arena *arena, struct buf *b, const struct node *n, const struct walk *w,
		       const struct rule_env *env)
{
	struct str name = node_canonical(arena, n, env);
	char stamp[21];
	double v;

	buf_printf(b, "%s%.*s ", b->n ? ", " : "", STR_FMT(name));
	if (n->type == TYPE_TEXT) {
		struct str s = walk_text(w, n);

		if (s.p)
			buf_printf(b, "= \"%.*s%s\"", (int)(s.n > 200 ? 200 : s.n), s.p, s.n > 200 ? "..." : "");
		else
			buf_str(b, STR("is missing"));
		return;
	}
	v = walk_number(w, n);
	if (isnan(v)) {
		buf_str(b, STR("is missing"));
	} else if (n->type == TYPE_TIME) {
		struct str s = stamp_rfc3339((int64_t)v, stamp);

		buf_printf(b, "= %.*s", STR_FMT(s));
	} else {
		buf_printf(b, "= %.15g", v);
	}
}

static void numbers(struct arena *arena, struct buf *b, const struct node *n, const struct walk *w,
		    const struct rule_env *env)
{
	if (n->op == NODE_MEASURE)
		measure_text(arena, b, n, w, env);
	else if (n->op == NODE_FIELD)
		field_text(arena, b, n, w, env);
	for (size_t i = 0; i < n->n; i++)
		numbers(arena, b, n->kids[i], w, env);
}

static bool missing(const struct walk *w, const struct node *n)
{
	return n->type == TYPE_TEXT ? !walk_text(w, n).p : isnan(walk_number(w, n));
}

struct clause *rule_clauses(struct arena *arena, const struct rule *rule, const struct columns *c, uint32_t a,
			    uint32_t b, const struct overlap ov[TEXT_KINDS], size_t *n)
{
	struct node *const *parts = rule->root->op == NODE_AND ? rule->root->kids : &rule->root;
	struct walk w = { .rule = rule, .c = c, .a = a, .b = b, .ov = ov, .scratch = arena };
	struct clause *out;

	*n = rule->root->op == NODE_AND ? rule->root->n : 1;
	out = arena_zalloc(arena, *n * sizeof *out);
	for (size_t i = 0; i < *n; i++) {
		struct buf text = BUF(1 << 16);
		const struct node *p = parts[i];

		numbers(arena, &text, p, &w, &rule->env);
		out[i].text = node_canonical(arena, p, &rule->env);
		out[i].holds = walk_truth(&w, p);
		out[i].by_missing = p->op == NODE_CMP && !p->threshold && p->cmp == CMP_EQ &&
				    p->kids[0]->type != TYPE_BOOL && p->kids[0]->op != NODE_SETTING &&
				    p->kids[1]->op != NODE_SETTING && missing(&w, p->kids[0]) &&
				    missing(&w, p->kids[1]);
		out[i].numbers = arena_str(arena, buf_view(&text));
		buf_release(&text);
	}
	return out;
}
