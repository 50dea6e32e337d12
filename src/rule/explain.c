/* rule/explain.c -- the plan in words, for a person who wants to know what a
 * rule will do before it runs. */
#include "rule/explain.h"

#include <math.h>

#include "base/buf.h"
#include "rule/plan_int.h"

#define EXPLAIN_MAX (1 << 20)

struct explainer {
	struct arena *arena;
	struct buf out;
	const struct rule *rule;
	const struct columns *c;
	const struct plan *plan;
};

static void count_text(struct buf *b, double n)
{
	if (n < 1e6)
		buf_printf(b, "%.0f", n);
	else if (n < 1e9)
		buf_printf(b, "%.1f million", n / 1e6);
	else
		buf_printf(b, "%.3g thousand million", n / 1e9);
}

/* One line "label: term, term" of the terms of these kinds. */
static unsigned list_terms(struct explainer *e, const struct conjunction *c, const char *label, unsigned kinds,
			   unsigned side)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct linear range;
		enum term_kind kind = term_kind(&c->lit[i], &range);
		struct str text;

		if (!(kinds >> kind & 1) || (side && c->lit[i].node->sides != side))
			continue;
		text = literal_text(e->arena, &c->lit[i], &e->rule->env);
		buf_printf(&e->out, "%s%.*s", n++ ? ", " : label, STR_FMT(text));
	}
	if (n)
		buf_byte(&e->out, '\n');
	return n;
}

static bool literal_is_lower(const struct literal *l)
{
	const struct node *n = l->node;
	enum cmp_op op;

	if (n->op != NODE_CMP || !n->threshold || !n->constant)
		return false;
	op = n->measure_at ? cmp_flip(l->cmp) : l->cmp;
	return (op == CMP_GE || op == CMP_EQ || op == CMP_GT) && (n->p > 0 || op == CMP_GT);
}

static bool has_lower(const struct conjunction *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (literal_is_lower(&c->lit[i]))
			return true;
	return false;
}

/* Does every alternative ask for a ratio above 0?  Of a document with no terms and one with some all are 0. */
static bool all_ratios(const struct conjunction *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool ratio = false;

		for (size_t k = 0; k < c[i].n; k++) {
			const struct node *node = c[i].lit[k].node;

			ratio |=
			    literal_is_lower(&c[i].lit[k]) && node->kids[node->measure_at]->measure != MEASURE_SHARED;
		}
		if (!ratio)
			return false;
	}
	return n > 0;
}

static void explain_method(struct explainer *e, const struct conjunction *c, const struct disjunct *d, unsigned keys)
{
	bool lower = has_lower(c);
	double pairs;

	if (lower && keys)
		buf_str(&e->out, STR("  method     inside each block, documents that share enough shingles, rarest "
				     "shingles first\n"));
	else if (lower)
		buf_str(&e->out, STR("  method     documents that share enough shingles, rarest shingles first\n"));
	else if (keys)
		buf_str(&e->out, STR("  method     every pair inside a block\n"));
	else
		buf_str(&e->out, STR("  method     every pair of documents: QUADRATIC; add an equality such as a.host "
				     "= b.host or a threshold such as containment(a, b) >= 0.5\n"));
	if (!d)
		return;
	pairs = disjunct_pairs(e->plan, d);
	buf_str(&e->out, STR("  work       "));
	if (d->block)
		buf_printf(&e->out, "%zu blocks, ", d->n_blocks);
	count_text(&e->out, pairs);
	buf_printf(&e->out, " pairs %s%s\n", d->block ? "inside them" : "of documents",
		   lower ? ", of which only those that share shingles are looked at" : "");
}

static void explain_disjunct(struct explainer *e, size_t i, const struct conjunction *c)
{
	const struct disjunct *d = e->plan ? &e->plan->d[i] : NULL;
	unsigned keys;

	keys = list_terms(e, c, "  blocks     ", 1u << TERM_KEY, 0);
	list_terms(e, c, "  dropped    only where ", 1u << TERM_ONE_SIDED, SIDE_A);
	list_terms(e, c, "  kept       only where ", 1u << TERM_ONE_SIDED, SIDE_B);
	list_terms(e, c, "  order      ", 1u << TERM_RANGE, 0);
	list_terms(e, c, "  content    ", 1u << TERM_CONTENT, 0);
	list_terms(e, c, "  different  ", 1u << TERM_DIFFER, 0);
	list_terms(e, c, "  tested     ", 1u << TERM_REST | 1u << TERM_CONTENT_REST, 0);
	explain_method(e, c, d, keys);
}

static struct str attr_text(const struct explainer *e, unsigned attr)
{
	return attr < ATTR_USER ? str(attr_name(attr)) : e->rule->env.user[attr - ATTR_USER].name;
}

static void explain_missing(struct explainer *e)
{
	for (unsigned i = 0; e->c && i < ATTR_LIMIT; i++)
		if (e->rule->needs[i] && e->c->col[i] && e->c->col[i]->n_missing) {
			struct str name = attr_text(e, i);

			buf_printf(&e->out,
				   "warning: %zu of %zu documents have no %.*s; missing equals missing and no order "
				   "holds of it (has(a.%.*s) asks)\n",
				   e->c->col[i]->n_missing, e->c->n, STR_FMT(name), STR_FMT(name));
		}
}

static void explain_settings(struct explainer *e, bool ratios)
{
	const struct rule_env *env = &e->rule->env;

	static const char *const texts[] = { "", "body text", "main text", "body and main text" };

	if (!e->rule->texts) {
		buf_str(&e->out, STR("content   the rule does not look at texts\n"));
		return;
	}
	buf_printf(&e->out, "content   %s",
		   env->has_settings ? texts[e->rule->texts] : "shingle sets as the collection makes them");
	if (env->has_settings)
		buf_printf(&e->out, ", k = %u %s, %s", env->k, env->unit_char ? "characters" : "words",
			   env->bag ? "bags" : "sets");
	if (ratios)
		buf_str(&e->out, STR("; a document with no terms is covered only by documents with no terms"));
	buf_byte(&e->out, '\n');
}

struct str rule_explain(struct arena *arena, const struct rule *rule, const struct columns *c, const struct plan *plan,
			struct err *err)
{
	struct explainer e = { .arena = arena, .out = BUF(EXPLAIN_MAX), .rule = rule, .c = c, .plan = plan };
	struct conjunction *conj;
	struct str text;
	size_t n;
	double quadratic;

	if (dnf_make(arena, rule, &conj, &n, err) < 0)
		return STR_NONE;
	buf_printf(&e.out, "rule      %.*s\nname      %s\n", STR_FMT(rule->canonical), rule->sha256);
	buf_str(&e.out, STR("meaning   a may be dropped as long as b is kept\n"));
	explain_settings(&e, all_ratios(conj, n));
	if (plan)
		buf_printf(&e.out, "documents %zu\n", plan->n_docs);
	if (n == 0)
		buf_str(&e.out, STR("warning: the rule is never true; every document is kept\n"));
	for (size_t i = 0; i < n; i++) {
		if (n > 1)
			buf_printf(&e.out, "%s%zu of %zu\n", i ? "or, alternative " : "alternative ", i + 1, n);
		else
			buf_str(&e.out, STR("plan\n"));
		explain_disjunct(&e, i, &conj[i]);
	}
	if (plan && (quadratic = plan_quadratic(plan)) > 0) {
		buf_str(&e.out, STR("warning: "));
		count_text(&e.out, quadratic);
		buf_str(&e.out, STR(" pairs would be tried one by one; `winnow reduce` asks for --yes\n"));
	}
	explain_missing(&e);
	text = arena_str(arena, buf_view(&e.out));
	buf_release(&e.out);
	return text;
}
