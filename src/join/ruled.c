/* join/ruled.c -- see ruled.h. */
#include "join/ruled.h"

#include <math.h>

#include "base/mem.h"

_Static_assert((int)MEASURE_CONTAINMENT_AB == JOIN_CONTAINED && (int)MEASURE_CONTAINMENT_BA == JOIN_CONTAINS &&
		   (int)MEASURE_JACCARD == JOIN_JACCARD && (int)MEASURE_DICE == JOIN_DICE &&
		   (int)MEASURE_SHARED == JOIN_SHARED,
	       "measures have one numbering");
_Static_assert((int)TEXT_KINDS == JOIN_KINDS, "as many texts as kinds");

static void as_overlaps(struct overlap out[TEXT_KINDS], const struct join_overlap in[JOIN_KINDS])
{
	for (int k = 0; k < JOIN_KINDS; k++)
		out[k] = (struct overlap){ .o = in[k].shared, .a = in[k].a, .b = in[k].b };
}

static bool test_rest(void *context, unsigned i, uint32_t a, uint32_t b, const struct join_overlap o[JOIN_KINDS])
{
	const struct ruled *r = context;
	const struct disjunct *d = &r->plan->d[i];
	struct overlap v[TEXT_KINDS];

	if (!disjunct_meta(d, a, b))
		return false;
	as_overlaps(v, o);
	return disjunct_content(d, a, b, v);
}

static uint64_t fold_signature(void *context, uint32_t doc)
{
	const struct ruled *r = context;

	return plan_fold_signature(r->plan, doc);
}

static int fold_compare(void *context, uint32_t x, uint32_t y)
{
	const struct ruled *r = context;

	return plan_fold_order(r->plan, x, y);
}

static bool fold_folds(void *context, uint32_t x, uint32_t y, const struct join_overlap self[JOIN_KINDS])
{
	const struct ruled *r = context;
	struct overlap v[TEXT_KINDS];

	as_overlaps(v, self);
	return plan_folds(r->plan, x, y, v);
}

static bool fold_same(void *context, uint32_t x, uint32_t y)
{
	const struct ruled *r = context;

	return plan_same(r->plan, x, y);
}

/* A range becomes an order; true when the order says all that the range does. */
static bool take_range(struct join_disjunct *d, const struct plan_range *g)
{
	if (d->n_orders == JOIN_ORDERS)
		return false;
	d->order[d->n_orders++] = (struct join_order){ g->va, g->vb, g->lo, g->hi, g->lo_strict, g->hi_strict };
	return g->exact;
}

/* The same for a content term. */
static bool take_term(struct join_disjunct *d, const struct content_term *c)
{
	if (!c->lower || d->n_bounds == JOIN_BOUNDS || c->p == 0 || c->q > 1000000000u || c->p > (uint64_t)1 << 62)
		return false;
	if (c->measure != MEASURE_SHARED && c->p > 1000000000u)
		return false;
	d->bound[d->n_bounds++] = (struct join_bound){ .kind = (uint8_t)c->kind,
						       .measure = (uint8_t)c->measure,
						       .strict = c->op == CMP_GT,
						       .num = c->p,
						       .den = c->q };
	return c->op == CMP_GT || c->op == CMP_GE;
}

static void take_disjunct(struct join_disjunct *out, const struct disjunct *d)
{
	bool all = d->n_rest == 0 && d->n_differ == 0;

	*out = (struct join_disjunct){ .key = d->block, .a_ok = d->may_a, .b_ok = d->may_b };
	for (size_t i = 0; i < d->n_ranges; i++)
		all &= take_range(out, &d->ranges[i]);
	for (size_t i = 0; i < d->n_content; i++)
		all &= take_term(out, &d->content[i]);
	out->has_test = !all;
	out->test_kinds = d->texts;
}

void ruled_open(struct ruled *r, const struct plan *plan)
{
	*r = (struct ruled){ .plan = plan, .disjuncts = mem_array(plan->n + 1, sizeof *r->disjuncts) };
	for (size_t i = 0; i < plan->n; i++)
		take_disjunct(&r->disjuncts[i], &plan->d[i]);
	r->fold = (struct join_fold){ r, fold_signature, fold_compare, fold_folds, fold_same, NULL };
	r->query = (struct join_query){ .n = (uint32_t)plan->n_docs,
					.disjunct = r->disjuncts,
					.n_disjuncts = (unsigned)plan->n,
					.test = test_rest,
					.test_context = r,
					.fold = &r->fold };
}

void ruled_close(struct ruled *r)
{
	mem_free(r->disjuncts);
	*r = (struct ruled){ 0 };
}
