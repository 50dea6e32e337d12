/* draw.c -- see draw.h. */
#include "draw.h"

static void relation_of_sets(struct test *t, struct exhaustive *e)
{
	uint32_t set[DRAW_MAX], time[DRAW_MAX], need = 4 + (uint32_t)test_below(t, 6); /* tenths */
	bool ordered = test_below(t, 4) != 0, strict = test_below(t, 4) == 0;

	for (uint32_t d = 0; d < e->n; d++) {
		set[d] = (uint32_t)test_random(t) & 0xffff;
		if (d && test_below(t, 3))
			set[d] = set[test_below(t, d)] ^ (test_below(t, 2) ? 1u << test_below(t, 16) : 0);
		time[d] = (uint32_t)test_below(t, e->n);
	}
	for (uint32_t a = 0; a < e->n; a++)
		for (uint32_t b = 0; b < e->n; b++) {
			uint32_t shared = (uint32_t)__builtin_popcount(set[a] & set[b]),
				 size = (uint32_t)__builtin_popcount(set[a]);
			bool in_order = !ordered || (strict ? time[a] < time[b] : time[a] <= time[b]);

			if (a != b && in_order && shared * 10 >= need * size)
				e->by[a] |= 1u << b;
		}
}

static void relation_of_edges(struct test *t, struct exhaustive *e)
{
	uint64_t density = 1 + test_below(t, 5);

	for (uint32_t a = 0; a < e->n; a++)
		for (uint32_t b = 0; b < e->n; b++)
			if (a != b && test_below(t, 12) < density)
				e->by[a] |= 1u << b;
}

static uint32_t covered_by(const struct exhaustive *e, uint32_t b)
{
	uint32_t out = 1u << b;

	for (uint32_t a = 0; a < e->n; a++)
		out |= (e->by[a] >> b & 1) << a;
	return out;
}

static bool may_fold(const struct draw *d, uint32_t x, uint32_t y)
{
	const struct exhaustive *e = &d->e;

	if (x == y || !(e->by[x] >> y & 1) || (covered_by(e, x) & ~covered_by(e, y)) ||
	    (e->by[y] & ~e->by[x] & ~(1u << x)))
		return false;
	if (d->pinned[x] || d->pinned[y] || (d->p.group && d->group[x] != d->group[y]))
		return false;
	if (d->p.previous && d->previous[x] != d->previous[y])
		return d->previous[x] < d->previous[y];
	return !d->p.prefer || d->prefer[x] <= d->prefer[y];
}

static void fold_some(struct test *t, struct draw *d)
{
	for (uint32_t x = 0; x < d->e.n; x++)
		for (uint32_t y = 0; y < d->e.n && d->fold[x] == x; y++) {
			bool target = false; /* x must not be one that others were folded into */

			for (uint32_t z = 0; z < d->e.n; z++)
				target |= z != x && d->fold[z] == x;
			if (!target && d->fold[y] == y && may_fold(d, x, y) && test_below(t, 3)) {
				d->fold[x] = y;
				d->folded++;
			}
		}
}

void draw_problem(struct test *t, struct draw *d, uint32_t n, unsigned with)
{
	uint64_t at = 0;

	*d = (struct draw){ .e.n = n, .p.n = n };
	if (test_below(t, 2))
		relation_of_sets(t, &d->e);
	else
		relation_of_edges(t, &d->e);
	for (uint32_t i = 0; i < n; i++) {
		d->pinned[i] = (with & DRAW_PINS) && test_below(t, 8) == 0;
		d->e.pinned |= (uint32_t)d->pinned[i] << i;
		d->prefer[i] = (int64_t)test_below(t, test_below(t, 2) ? 4 : 1000000) - 2;
		if (test_below(t, 40) == 0)
			d->prefer[i] = test_below(t, 2) ? INT64_MAX : INT64_MIN;
		d->previous[i] = (uint8_t)test_below(t, 2);
		d->e.previous |= (uint32_t)d->previous[i] << i;
		d->fold[i] = i;
	}
	if (with & DRAW_PINS)
		d->p.pinned = d->pinned;
	if (with & DRAW_PREFER)
		d->p.prefer = d->e.prefer = d->prefer;
	if (with & DRAW_PREVIOUS) {
		d->p.previous = d->previous;
		d->e.use_previous = true;
	}
	if (with & DRAW_QUOTAS) {
		d->p.groups = d->e.groups = 1 + (uint32_t)test_below(t, 4);
		for (uint32_t i = 0; i < n; i++)
			d->group[i] = test_below(t, 10) ? (uint32_t)test_below(t, d->p.groups) : COVER_NO_GROUP;
		for (uint32_t g = 0; g < d->p.groups; g++)
			d->demand[g] = (uint32_t)test_below(t, 6);
		d->p.group = d->e.group = d->group;
		d->p.demand = d->e.demand = d->demand;
	}
	if (with & DRAW_FOLD) {
		fold_some(t, d);
		d->p.fold = d->fold;
	}
	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t b = 0; b < n; b++)
			if ((d->e.by[a] >> b & 1) && d->fold[a] == a && d->fold[b] == b)
				d->by[at++] = b;
		d->start[a + 1] = at;
	}
	d->p.start = d->start;
	d->p.by = d->by;
}

int draw_covers(void *context, uint32_t a, uint32_t b, struct err *err)
{
	const struct exhaustive *e = context;

	(void)err;
	return a == b || (e->by[a] >> b & 1);
}

int draw_coverers(void *context, uint32_t a, int (*each)(void *arg, uint32_t b), void *arg, struct err *err)
{
	const struct exhaustive *e = context;

	(void)err;
	for (uint32_t b = e->n; b-- > 0;) /* any order */
		if (e->by[a] >> b & 1)
			each(arg, b);
	return WN_OK;
}

void draw_world(const struct draw *d, struct cover_world *w)
{
	*w = (struct cover_world){ .n = d->p.n,
				   .pinned = d->p.pinned,
				   .group = d->p.group,
				   .groups = d->p.groups,
				   .demand = d->p.demand,
				   .run = { .rule = { 1 }, .revision = 7 },
				   .context = (void *)(uintptr_t)&d->e,
				   .covers = draw_covers,
				   .coverers = draw_coverers };
}

void draw_store(struct test *t, const struct draw *d, const struct cover_result *r, struct draw_stored *s)
{
	struct certificate_run run = { .rule = { 1 }, .revision = 7 };
	uint32_t kept = 0;

	*s = (struct draw_stored){ 0 };
	for (uint32_t i = 0; i < d->p.n; i++)
		kept |= (uint32_t)r->kept[i] << i;
	certificate_from_result(t->arena, &d->p, r, &run, &s->certificate);
	for (uint32_t i = 0; i < d->p.n; i++) {
		uint32_t by = d->e.by[i] & kept;

		if (r->kept[i]) {
			s->kept[s->claim.kept_count++] = i;
			continue;
		}
		s->witness[s->claim.dropped_count] = by ? (uint32_t)__builtin_ctz(by) : COVER_NO_WITNESS_ID;
		s->dropped[s->claim.dropped_count++] = i;
	}
	s->claim.kept = s->kept;
	s->claim.dropped = s->dropped;
	s->claim.witness = s->witness;
	s->claim.certificate = &s->certificate;
}
