/* Random rules on random documents: the compiled evaluator, the plan, its
 * bounds and folding, each against the plain evaluator over all pairs. */
#include <math.h>
#include <stdlib.h>

#include "../../oracle/random_rule.h"
#include "rule/plan.h"
#include "test.h"

#define WORLDS 300
#define RULES_PER_WORLD 12
#define DOCS 14

struct trial {
	struct test *t;
	struct world w;
	struct rule *rule;
	struct bound *bound;
	struct plan *plan;
	bool holds[DOCS][DOCS];
	struct overlap ov[DOCS][DOCS][TEXT_KINDS];
	unsigned long pairs, folds, ranges, needs;
};

static bool in_range(const struct plan_range *r, uint32_t a, uint32_t b)
{
	double d = r->vb[b] - r->va[a];

	return (r->lo_strict ? d > r->lo : d >= r->lo) && (r->hi_strict ? d < r->hi : d <= r->hi);
}

static void check_filters(struct trial *x, const struct disjunct *d, uint32_t a, uint32_t b)
{
	struct test *t = x->t;

	for (size_t i = 0; i < d->n_ranges; i++) {
		CHECK(in_range(&d->ranges[i], a, b), "a range cuts a pair of %.*s", STR_FMT(x->rule->canonical));
		x->ranges++;
	}
	for (int kind = 0; kind < TEXT_KINDS; kind++) {
		struct overlap ov = x->ov[a][b][kind];
		uint64_t need = content_need(d, kind, ov.a, ov.b);

		x->needs += need > 0;
		CHECK(ov.o >= need, "need %" PRIu64 " but a pair shares %" PRIu64 ": %.*s", need, ov.o,
		      STR_FMT(x->rule->canonical));
	}
}

static bool planned(struct trial *x, uint32_t a, uint32_t b)
{
	bool any = false;

	for (size_t i = 0; i < x->plan->n; i++) {
		const struct disjunct *d = &x->plan->d[i];

		if (d->block && d->block[a] != d->block[b])
			continue;
		if ((d->may_a && !d->may_a[a]) || (d->may_b && !d->may_b[b]) || !disjunct_meta(d, a, b) ||
		    !disjunct_content(d, a, b, x->ov[a][b]))
			continue;
		any = true;
		check_filters(x, d, a, b);
	}
	return any;
}

static bool equal_sets(const struct trial *x, uint32_t a, uint32_t b)
{
	for (int kind = 0; kind < TEXT_KINDS; kind++)
		if (x->rule->texts >> kind & 1 &&
		    (x->ov[a][b][kind].o != x->ov[a][b][kind].a || x->ov[a][b][kind].o != x->ov[a][b][kind].b))
			return false;
	return true;
}

static void check_fold(struct trial *x, uint32_t a, uint32_t b)
{
	struct test *t = x->t;

	if (!equal_sets(x, a, b) || !plan_folds(x->plan, a, b, x->ov[a][b]))
		return;
	x->folds++;
	CHECK(plan_fold_signature(x->plan, a) == plan_fold_signature(x->plan, b), "signatures differ");
	if (!plan_folds(x->plan, b, a, x->ov[b][a]))
		CHECK(plan_fold_order(x->plan, b, a) < 0, "the dominating one comes first");
	CHECK(x->holds[a][b]);
	for (uint32_t z = 0; z < DOCS; z++) {
		if (z == a || z == b)
			continue;
		CHECK(!x->holds[z][a] || x->holds[z][b], "what x covers y covers: %.*s", STR_FMT(x->rule->canonical));
		CHECK(!x->holds[b][z] || x->holds[a][z], "what covers y covers x: %.*s", STR_FMT(x->rule->canonical));
	}
}

static void try_rule(struct trial *x, struct str text)
{
	struct test *t = x->t;
	struct err err = { 0 };
	int rc;

	REQUIRE(rule_parse(t->arena, text, &x->w.env, &x->rule, &err) == WN_OK, "%.*s\n%s", STR_FMT(text), err.text);
	REQUIRE(rule_bind(&x->bound, x->rule, &x->w.c, NULL, &err) == WN_OK, "%s", err.text);
	for (uint32_t a = 0; a < DOCS; a++)
		for (uint32_t b = 0; b < DOCS; b++) {
			x->holds[a][b] = rule_holds_plainly(x->rule, &x->w.c, NULL, a, b, x->ov[a][b]);
			CHECK(rule_holds(x->bound, a, b, x->ov[a][b]) == x->holds[a][b],
			      "compiled differs at (%u, %u): %.*s", a, b, STR_FMT(text));
			x->pairs += x->holds[a][b];
		}
	rc = plan_make(&x->plan, x->bound, &err);
	if (rc == WN_OK) {
		for (uint32_t a = 0; a < DOCS; a++)
			for (uint32_t b = 0; b < DOCS; b++)
				if (a != b) {
					CHECK(planned(x, a, b) == x->holds[a][b], "plan differs at (%u, %u): %.*s", a,
					      b, STR_FMT(text));
					check_fold(x, a, b);
				}
		plan_free(x->plan);
	}
	bound_free(x->bound);
}

TEST(random, compiled_plan_and_folds_agree_with_the_definition)
{
	unsigned counts[DRAWS] = { 0 };
	struct trial *x = arena_zalloc(t->arena, sizeof *x);

	x->t = t;
	for (unsigned w = 0; w < WORLDS; w++) {
		struct arena arena = { 0 };
		struct arena *outer = t->arena;

		t->arena = &arena;
		random_world(&arena, &t->rng, DOCS, &x->w, counts);
		for (uint32_t a = 0; a < DOCS; a++)
			for (uint32_t b = 0; b < DOCS; b++)
				for (int kind = 0; kind < TEXT_KINDS; kind++)
					x->ov[a][b][kind] = world_overlap(&x->w, kind, a, b);
		for (unsigned r = 0; r < RULES_PER_WORLD; r++)
			try_rule(x, random_rule(&arena, &t->rng, counts));
		columns_release(&x->w.c);
		arena_release(&arena);
		t->arena = outer;
	}
	printf("  %d rules: %lu pairs hold, %lu folds, %lu ranges and %lu needs tried\n", WORLDS * RULES_PER_WORLD,
	       x->pairs, x->folds, x->ranges, x->needs);
	for (unsigned i = 0; i < DRAWS; i++) {
		printf("  %6u %s\n", counts[i], draw_names[i]);
		CHECK(counts[i] > 0, "%s was never drawn", draw_names[i]);
	}
	CHECK(x->pairs > 0 && x->folds > 0 && x->ranges > 0 && x->needs > 0);
}
