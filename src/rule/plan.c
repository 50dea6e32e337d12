/* rule/plan.c -- the normal form of a rule, and what each of its terms is.
 *
 * Negation is pushed through and/or into =, != and constant thresholds; a
 * negated order or ~ stays a negated test.  A part that reads one document
 * only is a single term however it is built, so `a.host = "x" or a.host = "y"`
 * does not multiply the disjuncts.
 */
#include <math.h>

#include "base/limits.h"
#include "rule/plan_int.h"

struct normal {
	struct arena *arena;
	const struct rule *rule;
	struct err *err;
};

typedef VEC(struct conjunction) conj_vec;

static int too_many(struct normal *nf, const struct node *n)
{
	return rule_fail(nf->err, nf->rule->source, n->at,
			 "written out as alternatives the rule has more than %d of them; use fewer 'or' inside 'and'",
			 LIMIT_RULE_DISJUNCTS);
}

static void conj_push(conj_vec *v, struct conjunction c) { vec_push(v, c); }

static int dnf(struct normal *nf, const struct node *n, bool negated, conj_vec *out);

/* All combinations of one alternative from each side. */
static int product(struct normal *nf, const struct node *n, conj_vec *acc, const conj_vec *with)
{
	conj_vec out = { 0 };

	if (acc->n * with->n > LIMIT_RULE_DISJUNCTS)
		return too_many(nf, n);
	for (size_t i = 0; i < acc->n; i++)
		for (size_t k = 0; k < with->n; k++) {
			struct conjunction x = acc->p[i], y = with->p[k], z = { 0 };

			z.n = x.n + y.n;
			z.lit = ARENA_ARRAY(nf->arena, struct literal, z.n + 1);
			if (x.n)
				memcpy(z.lit, x.lit, x.n * sizeof *x.lit);
			if (y.n)
				memcpy(z.lit + x.n, y.lit, y.n * sizeof *y.lit);
			conj_push(&out, z);
		}
	vec_release(acc);
	acc->p = out.p, acc->n = out.n, acc->cap = out.cap;
	return WN_OK;
}

static int dnf_all(struct normal *nf, const struct node *n, bool negated, conj_vec *out)
{
	int rc = WN_OK;

	conj_push(out, (struct conjunction){ 0 }); /* true */
	for (size_t i = 0; rc == WN_OK && i < n->n; i++) {
		conj_vec kid = { 0 };

		if ((rc = dnf(nf, n->kids[i], negated, &kid)) == WN_OK)
			rc = product(nf, n->kids[i], out, &kid);
		vec_release(&kid);
	}
	return rc;
}

static int dnf_any(struct normal *nf, const struct node *n, bool negated, conj_vec *out)
{
	int rc = WN_OK;

	for (size_t i = 0; rc == WN_OK && i < n->n; i++) {
		conj_vec kid = { 0 };

		rc = dnf(nf, n->kids[i], negated, &kid);
		for (size_t k = 0; rc == WN_OK && k < kid.n; k++)
			conj_push(out, kid.p[k]);
		vec_release(&kid);
		if (rc == WN_OK && out->n > LIMIT_RULE_DISJUNCTS)
			rc = too_many(nf, n->kids[i]);
	}
	return rc;
}

static int dnf(struct normal *nf, const struct node *n, bool negated, conj_vec *out)
{
	struct literal lit = { n, negated, n->cmp };
	struct conjunction c = { 0 };

	if (n->sides == 0) {
		struct walk w = { .rule = nf->rule };

		if (walk_truth(&w, n) != negated)
			conj_push(out, c);
		return WN_OK;
	}
	if (n->op == NODE_NOT)
		return dnf(nf, n->kids[0], !negated, out);
	if (!one_sided(n) && (n->op == NODE_AND || n->op == NODE_OR))
		return (n->op == NODE_AND) != negated ? dnf_all(nf, n, negated, out) : dnf_any(nf, n, negated, out);
	if (n->op == NODE_CMP && negated &&
	    ((n->threshold && n->constant) || (!n->threshold && (n->cmp == CMP_EQ || n->cmp == CMP_NE)))) {
		lit.negated = false;
		lit.cmp = cmp_not(n->cmp);
	}
	c.lit = ARENA_ARRAY(nf->arena, struct literal, 1);
	c.lit[0] = lit;
	c.n = 1;
	conj_push(out, c);
	return WN_OK;
}

int dnf_make(struct arena *arena, const struct rule *rule, struct conjunction **out, size_t *n, struct err *err)
{
	struct normal nf = { arena, rule, err };
	conj_vec v = { 0 };
	int rc = dnf(&nf, rule->root, false, &v);

	if (rc == WN_OK) {
		*n = v.n;
		*out = ARENA_ARRAY(arena, struct conjunction, v.n + 1);
		for (size_t i = 0; i < v.n; i++)
			(*out)[i] = v.p[i];
	}
	vec_release(&v);
	return rc;
}

/* n as sign * (term of a) + sign * (term of b) + constant; at most one each. */
struct sum {
	const struct node *t[2];
	int sign[2];
	double constant;
	bool whole; /* every constant is a whole number, every term a plain time */
};

static bool sum_add(const struct node *n, int sign, struct sum *s)
{
	if (n->sides == 0) {
		struct walk w = { 0 };
		double v = walk_number(&w, n);

		s->constant += sign * v;
		s->whole = s->whole && v == floor(v) && fabs(v) < 1e15;
		return isfinite(v);
	}
	if (n->op == NODE_NEG)
		return sum_add(n->kids[0], -sign, s);
	if (n->op == NODE_ADD || n->op == NODE_SUB)
		return sum_add(n->kids[0], sign, s) && sum_add(n->kids[1], n->op == NODE_SUB ? -sign : sign, s);
	if (one_sided(n)) {
		int side = n->sides == SIDE_B;

		if (s->t[side])
			return false;
		s->t[side] = n;
		s->sign[side] = sign;
		s->whole = s->whole && n->op == NODE_FIELD && n->type == TYPE_TIME;
		return true;
	}
	return false;
}

static bool sum_is_difference(const struct sum *s) { return s->t[0] && s->t[1] && s->sign[0] == -s->sign[1]; }

/* Rounding may move a bound of times by less than this; a filter must not cut. */
static double slack(const struct sum *s) { return s->whole ? 0 : 1; }

/* abs(x) <= w, w a constant: -w <= x <= w. */
static bool window_of(const struct node *n, enum cmp_op op, const struct node *abs_node, const struct node *bound,
		      struct linear *out)
{
	struct sum s = { .whole = true };
	struct walk w = { 0 };
	double width, mid, more;

	(void)n;
	if (bound->sides || (op != CMP_LE && op != CMP_LT) || abs_node->op != NODE_CALL || abs_node->func != FUNC_ABS ||
	    abs_node->type != TYPE_DURATION)
		return false;
	if (!sum_add(abs_node->kids[0], 1, &s) || !sum_is_difference(&s))
		return false;
	width = walk_number(&w, bound);
	s.whole = s.whole && width == floor(width);
	mid = s.sign[1] > 0 ? -s.constant : s.constant;
	more = slack(&s);
	*out = (struct linear){
		s.t[0], s.t[1], mid - width - more, mid + width + more, op == CMP_LT && !more, op == CMP_LT && !more,
		!more
	};
	return true;
}

/* x cmp y where both sides together are tb - ta + constant. */
static bool order_of(enum cmp_op op, const struct node *x, const struct node *y, struct linear *out)
{
	struct sum s = { .whole = true };
	bool plain = one_sided(x) && one_sided(y) && x->sides != y->sides; /* compared as they are: no rounding */
	double bound, more;

	if (x->type == TYPE_TEXT || x->type == TYPE_BOOL || op == CMP_EQ || op == CMP_NE)
		return false;
	if (plain && x->type == TYPE_NUMBER) {
		bool swap = x->sides == SIDE_B;

		s = (struct sum){ { swap ? y : x, swap ? x : y }, { swap ? -1 : 1, swap ? 1 : -1 }, 0, true };
	} else if (x->type == TYPE_NUMBER || !sum_add(x, 1, &s) || !sum_add(y, -1, &s) || !sum_is_difference(&s)) {
		return false;
	}
	/* sign[1] * (tb - ta) + constant  op  0 */
	if (s.sign[1] < 0)
		op = cmp_flip(op);
	bound = s.sign[1] > 0 ? -s.constant : s.constant;
	more = slack(&s);
	*out = (struct linear){ s.t[0], s.t[1], -INFINITY, INFINITY, false, false, !more };
	if (op == CMP_GE || op == CMP_GT) {
		out->lo = bound - more;
		out->lo_strict = op == CMP_GT && !more;
	} else {
		out->hi = bound + more;
		out->hi_strict = op == CMP_LT && !more;
	}
	return true;
}

enum term_kind term_kind(const struct literal *l, struct linear *range)
{
	const struct node *n = l->node, *x, *y;

	*range = (struct linear){ 0 };
	if (one_sided(n))
		return TERM_ONE_SIDED;
	if (n->sides & SIDE_PAIR)
		return n->op == NODE_CMP && n->threshold && n->constant ? TERM_CONTENT : TERM_CONTENT_REST;
	if (n->op != NODE_CMP || l->negated)
		return TERM_REST;
	x = n->kids[0];
	y = n->kids[1];
	if (l->cmp == CMP_EQ && x->type != TYPE_BOOL && one_sided(x) && one_sided(y) && node_same(x, y, true))
		return TERM_KEY;
	if (l->cmp == CMP_NE && x->type != TYPE_BOOL && one_sided(x) && one_sided(y))
		return TERM_DIFFER;
	if (order_of(l->cmp, x, y, range) || window_of(n, l->cmp, x, y, range) ||
	    window_of(n, cmp_flip(l->cmp), y, x, range))
		return TERM_RANGE;
	return TERM_REST;
}

struct str literal_text(struct arena *arena, const struct literal *l, const struct rule_env *env)
{
	struct node copy = *l->node;
	struct str s;

	copy.cmp = l->cmp;
	s = node_canonical(arena, &copy, env);
	if (!l->negated)
		return s;
	return copy.op == NODE_AND || copy.op == NODE_OR ? arena_printf(arena, "not (%.*s)", STR_FMT(s))
							 : arena_printf(arena, "not %.*s", STR_FMT(s));
}
