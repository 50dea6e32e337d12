/* cover/check.c -- the checker.  It uses no code of the solver or the join.
 *
 * Cost: one covers() per dropped document, one coverers() per document with a
 * dual value, linear otherwise.  Memory: 21 bytes per document.
 */
#include "cover/check.h"

#include "base/forest.h"
#include "base/mem.h"

enum { KEPT = 1, DROPPED = 2 };

struct audit {
	const struct cover_claim *claim;
	const struct cover_world *world;
	struct cover_verdict *v;
	uint8_t *state;	 /* by document: KEPT | DROPPED */
	uint64_t *load;	 /* by document: dual values of what it covers */
	uint32_t *owner; /* by document: a value it touches, + 1 */
	uint32_t *up;	 /* by value: components */
	uint32_t now;	 /* the value under way */
};

static const char *const names[COVER_OFFENCES] = {
	[COVER_NO_WITNESS] = "no-witness",
	[COVER_WITNESS_DROPPED] = "witness-not-kept",
	[COVER_WITNESS_FALSE] = "witness-false",
	[COVER_IN_NEITHER] = "in-neither-set",
	[COVER_IN_BOTH] = "in-both-sets",
	[COVER_OUTSIDE] = "outside-the-selection",
	[COVER_PIN_DROPPED] = "pin-dropped",
	[COVER_QUOTA_BROKEN] = "quota-broken",
	[COVER_DUAL_INFEASIBLE] = "dual-infeasible",
	[COVER_WRONG_RUN] = "wrong-rule-or-revision",
	[COVER_WRONG_BOUND] = "wrong-bound",
};

const char *cover_offence_name(enum cover_offence o) { return (unsigned)o < COVER_OFFENCES ? names[o] : "unknown"; }

const char *cover_offence_says(enum cover_offence o)
{
	static const char *const says[COVER_OFFENCES] = {
		[COVER_NO_WITNESS] = "it is dropped and names no document that covers it",
		[COVER_WITNESS_DROPPED] = "the document that it names as its witness is not kept",
		[COVER_WITNESS_FALSE] = "its witness does not cover it, or not with the numbers that are stored",
		[COVER_IN_NEITHER] = "it is of the selection, and neither kept nor dropped",
		[COVER_IN_BOTH] = "it is both kept and dropped",
		[COVER_OUTSIDE] = "it is not of the selection",
		[COVER_PIN_DROPPED] = "it was to be kept (--keep) and is not",
		[COVER_QUOTA_BROKEN] = "its group keeps fewer than --keep-at-least asks for",
		[COVER_DUAL_INFEASIBLE] =
		    "the certificate's values on what it covers are too large, so they prove nothing",
		[COVER_WRONG_RUN] = "the certificate or the stored row is of another rule, selection or revision",
		[COVER_WRONG_BOUND] = "the stated sizes or the bound are not what the stored documents and values give",
	};

	return (unsigned)o < COVER_OFFENCES ? says[o] : "unknown";
}

static void offend(struct audit *t, enum cover_offence o, uint32_t document)
{
	if (t->v->count[o]++ == 0)
		t->v->example[o] = document;
}

static void mark(struct audit *t, const uint32_t *list, uint32_t n, uint8_t as)
{
	for (uint32_t i = 0; i < n; i++) {
		if (list[i] >= t->world->n) {
			offend(t, COVER_OUTSIDE, list[i]);
			continue;
		}
		if (t->state[list[i]])
			offend(t, COVER_IN_BOTH, list[i]);
		t->state[list[i]] |= as;
	}
}

static void check_sets(struct audit *t)
{
	const struct cover_world *w = t->world;

	mark(t, t->claim->kept, t->claim->kept_count, KEPT);
	mark(t, t->claim->dropped, t->claim->dropped_count, DROPPED);
	for (uint32_t d = 0; d < w->n; d++) {
		if (!t->state[d])
			offend(t, COVER_IN_NEITHER, d);
		if (w->pinned && w->pinned[d] && !(t->state[d] & KEPT))
			offend(t, COVER_PIN_DROPPED, d);
	}
}

static int check_witnesses(struct audit *t, struct err *err)
{
	for (uint32_t i = 0; i < t->claim->dropped_count; i++) {
		uint32_t a = t->claim->dropped[i], b = t->claim->witness ? t->claim->witness[i] : COVER_NO_WITNESS_ID;
		int rc;

		if (a >= t->world->n)
			continue;
		if (b == COVER_NO_WITNESS_ID) {
			offend(t, COVER_NO_WITNESS, a);
			continue;
		}
		if (b >= t->world->n || !(t->state[b] & KEPT))
			offend(t, COVER_WITNESS_DROPPED, a);
		if (b >= t->world->n)
			continue;
		if ((rc = t->world->covers(t->world->context, a, b, err)) < 0)
			return rc;
		if (!rc || a == b)
			offend(t, COVER_WITNESS_FALSE, a);
	}
	return WN_OK;
}

static void check_quotas(struct audit *t)
{
	const struct cover_world *w = t->world;
	uint64_t *size = mem_zarray((size_t)w->groups + 1, sizeof(*size)),
		 *kept = mem_zarray((size_t)w->groups + 1, sizeof(*kept));

	for (uint32_t d = 0; w->group && d < w->n; d++)
		if (w->group[d] < w->groups) {
			size[w->group[d]]++;
			kept[w->group[d]] += (t->state[d] & KEPT) != 0;
		}
	for (uint32_t g = 0; w->group && g < w->groups; g++)
		if (kept[g] < size[g] && kept[g] < w->demand[g])
			offend(t, COVER_QUOTA_BROKEN, g);
	mem_free(size);
	mem_free(kept);
}

/* Value t->now weighs on document b. */
static void weigh(struct audit *t, uint32_t b, uint32_t y)
{
	t->load[b] += y;
	if (t->owner[b])
		forest_unite(t->up, t->now, t->owner[b] - 1);
	else
		t->owner[b] = t->now + 1;
}

static int weigh_coverer(void *arg, uint32_t b)
{
	struct audit *t = arg;
	const struct certificate_value *v = &t->claim->certificate->values[t->now];

	if (b >= t->world->n || (t->world->pinned && t->world->pinned[b]))
		offend(t, COVER_DUAL_INFEASIBLE, b); /* what a pin covers must have no value */
	else if (b != v->id)
		weigh(t, b, v->y);
	return 0;
}

/* What a group's quota asks for beyond its pins. */
static uint64_t wanted(const struct cover_world *w, uint32_t g)
{
	uint64_t size = 0, pins = 0, want;

	for (uint32_t d = 0; d < w->n; d++)
		if (w->group[d] == g) {
			size++;
			pins += w->pinned && w->pinned[d];
		}
	want = w->demand[g] < size ? w->demand[g] : size;
	return want > pins ? want - pins : 0;
}

static int weigh_values(struct audit *t, unsigned __int128 *sum, struct err *err)
{
	const struct certificate *c = t->claim->certificate;
	const struct cover_world *w = t->world;
	int rc;

	for (t->now = 0; t->now < c->value_count; t->now++) {
		const struct certificate_value *v = &c->values[t->now];

		if (v->id >= w->n || (t->now && v->id <= v[-1].id) || (w->pinned && w->pinned[v->id])) {
			offend(t, COVER_DUAL_INFEASIBLE, v->id);
			continue;
		}
		weigh(t, v->id, v->y);
		if ((rc = w->coverers(w->context, v->id, weigh_coverer, t, err)) < 0)
			return rc;
		sum[t->now] = v->y;
	}
	for (uint32_t k = 0; k < c->group_value_count; k++, t->now++) {
		const struct certificate_value *v = &c->group_values[k];

		if (!w->group || v->id >= w->groups || (k && v->id <= v[-1].id)) {
			offend(t, COVER_DUAL_INFEASIBLE, v->id);
			continue;
		}
		for (uint32_t d = 0; d < w->n; d++)
			if (w->group[d] == v->id && !(w->pinned && w->pinned[d]))
				weigh(t, d, v->y);
		sum[t->now] = (unsigned __int128)wanted(w, v->id) * v->y;
	}
	return WN_OK;
}

static int check_bound(struct audit *t, struct err *err)
{
	const struct certificate *c = t->claim->certificate;
	uint32_t values = c->value_count + c->group_value_count;
	unsigned __int128 *sum = mem_zarray((size_t)values + 1, sizeof(*sum));
	int rc;

	t->up = forest_new(values);
	if ((rc = weigh_values(t, sum, err)) < 0)
		goto out;
	for (uint32_t d = 0; d < t->world->n; d++)
		if (t->load[d] > c->denominator)
			offend(t, COVER_DUAL_INFEASIBLE, d);
	for (uint32_t i = 0; i < values; i++)
		if (forest_root(t->up, i) != i)
			sum[forest_root(t->up, i)] += sum[i];
	for (uint32_t i = 0; i < values; i++)
		if (t->up[i] == i)
			t->v->bound += (uint64_t)((sum[i] + c->denominator - 1) / c->denominator);
	for (uint32_t d = 0; d < t->world->n; d++)
		t->v->bound += t->world->pinned && t->world->pinned[d];
	if (c->kept != t->claim->kept_count || c->bound > t->v->bound || c->lower_bound > c->kept)
		offend(t, COVER_WRONG_BOUND, 0);
out:
	mem_free(sum);
	return rc;
}

int cover_check(const struct cover_claim *claim, const struct cover_world *world, struct cover_verdict *v,
		struct err *err)
{
	struct audit t = { .claim = claim, .world = world, .v = v };
	const struct certificate_run *x = &claim->certificate->run, *y = &world->run;
	int rc;

	*v = (struct cover_verdict){ .ok = true };
	t.state = mem_zarray((size_t)world->n + 1, 1);
	t.load = mem_zarray((size_t)world->n + 1, sizeof(*t.load));
	t.owner = mem_zarray((size_t)world->n + 1, sizeof(*t.owner));
	if (memcmp(x->rule, y->rule, sizeof(x->rule)) != 0 ||
	    memcmp(x->selection, y->selection, sizeof(x->selection)) != 0 || x->revision != y->revision ||
	    claim->certificate->documents != world->n)
		offend(&t, COVER_WRONG_RUN, 0);
	check_sets(&t);
	check_quotas(&t);
	if ((rc = check_witnesses(&t, err)) < 0 || (rc = check_bound(&t, err)) < 0)
		goto out;
	for (int o = 0; o < COVER_OFFENCES; o++)
		v->ok &= v->count[o] == 0;
	v->proves_minimum = v->ok && v->bound == claim->kept_count;
	rc = WN_OK;
out:
	mem_free(t.state);
	mem_free(t.load);
	mem_free(t.owner);
	mem_free(t.up);
	return rc;
}
