/* rule/fold.c -- which equal sets may be counted as one.
 *
 * x may fold into y when, for every z, rule(z, x) implies rule(z, y) and
 * rule(y, z) implies rule(x, z), and rule(x, y) holds.  The normal form is
 * positive in its terms, so it is enough that each term alone has the two
 * implications.  A term that compares u(a) with v(b) by an order has them when
 * v(y) is at least as good as v(x) and u(x) as good as u(y); by = or != when
 * u and v agree on x and y; a one-sided term when its truth moves the right
 * way; measures always, the sets being equal.  Any other term: when all the
 * attributes it reads agree.
 *
 * Each of these is a feature: key(y) >= key(x), or equality.  A missing value
 * never satisfies an order, so on b's side it is the worst and on a's side
 * (where y's being satisfiable is what obliges) the best that y can have.
 * IEEE sums and differences are monotone under rounding, so this holds for
 * the arithmetic of windows as it is computed.
 */
#include <math.h>

#include "base/hash.h"
#include "rule/plan_int.h"

static void feature_add(struct plan *p, struct feature f)
{
	struct feature *all = p->memory->features.p;
	size_t n = p->memory->features.n;

	for (size_t i = 0; i < n; i++) {
		if (all[i].num != f.num || all[i].rank != f.rank || all[i].truth != f.truth)
			continue;
		if (all[i].equal)
			return;
		if (f.equal || all[i].down != f.down) { /* both ways: must be equal */
			all[i].equal = true;
			return;
		}
		if (all[i].missing_high == f.missing_high)
			return;
	}
	vec_push(&p->memory->features, f);
}

static struct feature column_of(struct bound *b, const struct node *n)
{
	const uint32_t *rank, *same;

	if (n->type == TYPE_TEXT) {
		bound_ranks(b, n, n, &rank, &same);
		return (struct feature){ .rank = rank };
	}
	if (n->type == TYPE_BOOL && n->op != NODE_FIELD)
		return (struct feature){ .truth = bound_truth(b, n) };
	return (struct feature){ .num = bound_numbers(b, n) };
}

/* Every attribute below n must agree. */
static void all_equal(struct plan *p, struct bound *b, const struct node *n)
{
	struct feature f;

	if (n->op == NODE_FIELD && n->attr != ATTR_TEXT) {
		f = column_of(b, n);
		f.equal = true;
		feature_add(p, f);
	}
	for (size_t i = 0; i < n->n; i++)
		all_equal(p, b, n->kids[i]);
}

/* t reads one document; a larger value helps (up) or hurts the term. */
static void monotone(struct plan *p, struct bound *b, const struct node *t, bool larger_helps)
{
	struct feature f = column_of(b, t);
	bool side_a = t->sides == SIDE_A;

	/* b: y at least as good as x.  a: y at least as hard as x. */
	f.down = side_a ? larger_helps : !larger_helps;
	f.missing_high = side_a;
	feature_add(p, f);
}

static void one_sided_feature(struct plan *p, struct bound *b, const struct literal *l)
{
	struct feature f = { .truth = bound_truth(b, l->node) };
	bool flip = l->negated || (l->node->op == NODE_CMP && l->cmp != l->node->cmp);

	f.down = (l->node->sides == SIDE_A) != flip;
	feature_add(p, f);
}

static void literal_features(struct plan *p, struct bound *b, const struct literal *l)
{
	const struct node *n = l->node, *x = n->n ? n->kids[0] : NULL, *y = n->n > 1 ? n->kids[1] : NULL;
	struct linear r;
	enum term_kind kind = term_kind(l, &r);

	if (kind == TERM_CONTENT)
		return;
	if (kind == TERM_ONE_SIDED) {
		one_sided_feature(p, b, l);
		return;
	}
	if (kind == TERM_RANGE && (isinf(r.lo) || isinf(r.hi))) {
		bool larger_b = isinf(r.hi); /* lo <= tb - ta */

		monotone(p, b, r.tb, larger_b);
		monotone(p, b, r.ta, !larger_b);
		return;
	}
	if (n->op == NODE_CMP && !l->negated && kind == TERM_REST && x->type == TYPE_TEXT && one_sided(x) &&
	    one_sided(y) && l->cmp != CMP_EQ) {
		bool left_less = l->cmp == CMP_LT || l->cmp == CMP_LE;

		monotone(p, b, x, !left_less);
		monotone(p, b, y, left_less);
		return;
	}
	if ((kind == TERM_KEY || kind == TERM_DIFFER || (kind == TERM_REST && n->op == NODE_CMP && l->cmp == CMP_EQ)) &&
	    one_sided(x) && one_sided(y)) {
		struct feature fx = column_of(b, x), fy = column_of(b, y);

		fx.equal = fy.equal = true;
		feature_add(p, fx);
		feature_add(p, fy);
		return;
	}
	all_equal(p, b, n);
}

void fold_features(struct plan *p, struct bound *b)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->memory->conj[i].n; k++)
			literal_features(p, b, &p->memory->conj[i].lit[k]);
}

static double feature_key(const struct feature *f, uint32_t doc)
{
	double missing = f->missing_high ? INFINITY : -INFINITY, v;

	if (f->truth)
		v = f->truth[doc];
	else if (f->rank)
		v = f->rank[doc] ? (double)f->rank[doc] : NAN;
	else
		v = f->num[doc];
	if (isnan(v))
		return missing;
	return f->down ? -v : v;
}

uint64_t plan_fold_signature(const struct plan *p, uint32_t doc)
{
	uint64_t h = 1;

	for (size_t i = 0; i < p->memory->features.n; i++) {
		const struct feature *f = &p->memory->features.p[i];
		uint64_t bits = 0;
		double v;

		if (!f->equal)
			continue;
		v = feature_key(f, doc) + 0.0; /* -0 and 0 are equal */
		memcpy(&bits, &v, sizeof bits);
		h = mix64(h ^ bits) + 0x9e3779b97f4a7c15u;
	}
	return h;
}

int plan_fold_order(const struct plan *p, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < p->memory->features.n; i++) {
		const struct feature *f = &p->memory->features.p[i];
		double kx, ky;

		if (f->equal)
			continue;
		kx = feature_key(f, x);
		ky = feature_key(f, y);
		if (kx != ky)
			return kx > ky ? -1 : 1;
	}
	return x < y ? -1 : x > y;
}

bool plan_folds(const struct plan *p, uint32_t x, uint32_t y, const struct overlap self[TEXT_KINDS])
{
	for (size_t i = 0; i < p->memory->features.n; i++) {
		const struct feature *f = &p->memory->features.p[i];
		double kx = feature_key(f, x), ky = feature_key(f, y);

		if (f->equal ? kx != ky : ky < kx)
			return false;
	}
	return rule_holds(p->bound, x, y, self);
}

bool plan_same(const struct plan *p, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < p->memory->features.n; i++)
		if (feature_key(&p->memory->features.p[i], x) != feature_key(&p->memory->features.p[i], y))
			return false;
	return true;
}
