/* oracle/brute_join.c -- see brute_join.h. */
#include "brute_join.h"

#include <stdlib.h>

static uint32_t items_of(const struct join_query *q, int kind, uint32_t d, uint64_t **out)
{
	const struct join_sets *s = &q->sets[kind];
	uint32_t set = q->set_of[kind] ? q->set_of[kind][d] : JOIN_NO_SET, n = set == JOIN_NO_SET ? 0 : s->size[set];
	uint64_t *v = malloc((n + 1) * sizeof *v);
	struct join_cursor c = { 0 };

	if (n && s->items) {
		for (uint32_t i = 0; i < n; i++)
			v[i] = s->items[s->start[set] + i];
	} else if (n) {
		s->open(s->context, set, &c);
		n = s->read(s->context, &c, UINT64_MAX, v, n);
	}
	*out = v;
	return n;
}

struct join_overlap brute_overlap(const struct join_query *q, int kind, uint32_t a, uint32_t b)
{
	uint64_t *x, *y;
	struct join_overlap o = { .a = items_of(q, kind, a, &x), .b = items_of(q, kind, b, &y) };
	uint8_t *used = calloc(o.b + 1, 1);

	for (uint32_t i = 0; i < o.a; i++)
		for (uint32_t j = 0; j < o.b; j++)
			if (!used[j] && x[i] == y[j]) {
				used[j] = 1;
				o.shared++;
				break;
			}
	free(used);
	free(x);
	free(y);
	return o;
}

bool brute_bound(const struct join_bound *b, struct join_overlap o)
{
	__int128 over, under; /* the measure is over / under */

	if (b->measure == JOIN_SHARED) {
		over = o.shared;
		under = 1;
	} else if (o.a == 0 && o.b == 0) {
		over = under = 1;
	} else if (o.a == 0 || o.b == 0) {
		over = 0;
		under = 1;
	} else if (b->measure == JOIN_CONTAINED) {
		over = o.shared;
		under = o.a;
	} else if (b->measure == JOIN_CONTAINS) {
		over = o.shared;
		under = o.b;
	} else if (b->measure == JOIN_JACCARD) {
		over = o.shared;
		under = (__int128)o.a + o.b - o.shared;
	} else {
		over = 2 * (__int128)o.shared;
		under = (__int128)o.a + o.b;
	}
	return b->strict ? over * b->den > under * b->num : over * b->den >= under * b->num;
}

static bool disjunct_covers(const struct join_query *q, unsigned i, uint32_t a, uint32_t b)
{
	const struct join_disjunct *d = &q->disjunct[i];
	struct join_overlap o[JOIN_KINDS] = { 0 };

	if ((d->a_ok && !d->a_ok[a]) || (d->b_ok && !d->b_ok[b]) || (d->key && d->key[a] != d->key[b]))
		return false;
	for (unsigned k = 0; k < d->n_orders; k++) {
		double v = d->order[k].vb[b] - d->order[k].va[a];

		if (!(v >= d->order[k].lo && v <= d->order[k].hi) || (d->order[k].lo_strict && v == d->order[k].lo) ||
		    (d->order[k].hi_strict && v == d->order[k].hi))
			return false;
	}
	for (int k = 0; k < JOIN_KINDS; k++)
		o[k] = brute_overlap(q, k, a, b);
	for (unsigned k = 0; k < d->n_bounds; k++)
		if (!brute_bound(&d->bound[k], o[d->bound[k].kind]))
			return false;
	return !d->has_test || q->test(q->test_context, i, a, b, o);
}

bool brute_covers(const struct join_query *q, uint32_t a, uint32_t b)
{
	for (unsigned i = 0; i < q->n_disjuncts; i++)
		if (disjunct_covers(q, i, a, b))
			return true;
	return false;
}

uint8_t *brute_join(const struct join_query *q)
{
	uint8_t *covers = calloc((size_t)q->n * q->n + 1, 1);

	for (uint32_t a = 0; a < q->n; a++)
		for (uint32_t b = 0; b < q->n; b++)
			covers[(size_t)a * q->n + b] = a != b && brute_covers(q, a, b);
	return covers;
}
