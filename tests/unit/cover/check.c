/* The checker accepts what the solver makes and names each of ten corruptions. */
#include "draw.h"

/* Five documents: 0, 1, 2 chain to 3 (no coverer); 4 alone, covered by 2. */
static void small(struct draw *d)
{
	*d = (struct draw){ .e.n = 5, .p.n = 5 };
	d->e.by[0] = 1u << 3;
	d->e.by[1] = 1u << 3;
	d->e.by[2] = 1u << 3;
	d->e.by[4] = 1u << 2;
	d->p.group = d->e.group = d->group;
	d->p.groups = d->e.groups = 1;
	d->demand[0] = 1;
	d->p.demand = d->e.demand = d->demand;
	d->p.pinned = d->pinned;
	for (uint32_t a = 0; a < 5; a++) {
		d->start[a + 1] = d->start[a];
		for (uint32_t b = 0; b < 5; b++)
			if (d->e.by[a] >> b & 1)
				d->by[d->start[a + 1]++] = b;
	}
	d->p.start = d->start;
	d->p.by = d->by;
}

static struct cover_verdict verdict_of(struct test *t, const struct draw *d, const struct draw_stored *s,
				       const struct cover_world *w)
{
	struct cover_verdict v;

	(void)d;
	CHECK_EQ(cover_check(&s->claim, w, &v, NULL), WN_OK);
	return v;
}

TEST(check, accepts_the_truth_and_names_each_corruption)
{
	struct draw d;
	struct cover_result r;
	struct cover_world w, other;
	struct draw_stored good, s;
	struct certificate_value values[8];

	small(&d);
	REQUIRE(cover_solve(&d.p, &r, NULL) == WN_OK);
	draw_world(&d, &w);
	draw_store(t, &d, &r, &good);
	CHECK(verdict_of(t, &d, &good, &w).proves_minimum);
	CHECK_EQ(good.claim.kept_count, 2);
#define AGAIN                                                                                       \
	(s = good, s.claim.kept = s.kept, s.claim.dropped = s.dropped, s.claim.witness = s.witness, \
	 s.claim.certificate = &s.certificate)
	AGAIN, s.witness[0] = COVER_NO_WITNESS_ID;
	CHECK_EQ(verdict_of(t, &d, &s, &w).count[COVER_NO_WITNESS], 1);
	AGAIN, s.witness[0] = s.dropped[1];
	CHECK_EQ(verdict_of(t, &d, &s, &w).count[COVER_WITNESS_DROPPED], 1);
	AGAIN, s.witness[0] = s.kept[0] == 3 ? s.kept[1] : s.kept[0]; /* only 3 covers 0 */
	CHECK_EQ(verdict_of(t, &d, &s, &w).count[COVER_WITNESS_FALSE], 1);
	AGAIN, s.claim.dropped_count--;
	CHECK_EQ(verdict_of(t, &d, &s, &w).count[COVER_IN_NEITHER], 1);
	AGAIN, s.dropped[s.claim.dropped_count] = s.kept[0], s.witness[s.claim.dropped_count++] = s.kept[1];
	CHECK_EQ(verdict_of(t, &d, &s, &w).count[COVER_IN_BOTH], 1);
	AGAIN, s.kept[s.claim.kept_count++] = 5;
	CHECK_EQ(verdict_of(t, &d, &s, &w).count[COVER_OUTSIDE], 1);
	AGAIN, d.pinned[s.dropped[0]] = 1;
	CHECK_EQ(verdict_of(t, &d, &s, &w).count[COVER_PIN_DROPPED], 1);
	d.pinned[s.dropped[0]] = 0;
	d.demand[0] = 3;
	CHECK_EQ(verdict_of(t, &d, &s, &w).count[COVER_QUOTA_BROKEN], 1);
	d.demand[0] = 1;
	AGAIN, memcpy(values, s.certificate.values, sizeof(*values) * s.certificate.value_count);
	REQUIRE(s.certificate.value_count > 0);
	values[0].y++;
	s.certificate.values = values;
	CHECK(verdict_of(t, &d, &s, &w).count[COVER_DUAL_INFEASIBLE] > 0);
	other = w;
	other.run.revision++;
	CHECK_EQ(verdict_of(t, &d, &good, &other).count[COVER_WRONG_RUN], 1);
	other = w;
	other.run.rule[5] ^= 1;
	CHECK_EQ(verdict_of(t, &d, &good, &other).count[COVER_WRONG_RUN], 1);
	AGAIN, s.certificate.bound = s.certificate.kept, s.certificate.value_count = 0,
	       s.certificate.group_value_count = 0;
	CHECK_EQ(verdict_of(t, &d, &s, &w).count[COVER_WRONG_BOUND], 1);
	cover_result_release(&r);
}

/* Any single change of a dual value upwards on a tight document is caught. */
TEST(check, catches_values_that_are_too_large)
{
	for (int i = 0; i < 300 && !t->failures; i++) {
		struct draw d;
		struct cover_result r;
		struct cover_world w;
		struct draw_stored s;
		struct cover_verdict v;
		uint32_t k;

		draw_problem(t, &d, 4 + (uint32_t)test_below(t, 8), DRAW_PINS);
		REQUIRE(cover_solve(&d.p, &r, NULL) == WN_OK);
		draw_world(&d, &w);
		draw_store(t, &d, &r, &s);
		if (s.certificate.value_count) {
			k = (uint32_t)test_below(t, s.certificate.value_count);
			s.certificate.values[k].y += s.certificate.denominator;
			CHECK_EQ(cover_check(&s.claim, &w, &v, NULL), WN_OK);
			CHECK(v.count[COVER_DUAL_INFEASIBLE] > 0 && !v.ok);
		}
		cover_result_release(&r);
	}
}

TEST(check, every_offence_has_a_name)
{
	for (int o = 0; o < COVER_OFFENCES; o++)
		CHECK(strcmp(cover_offence_name(o), "unknown") != 0, "offence %d", o);
}
