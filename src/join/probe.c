/* join/probe.c -- see probe.h and joiner.h. */
#include "join/probe.h"

#include <string.h>

#include "join/big.h"
#include "join/bound.h"
#include "join/intersect.h"

static uint32_t row_in(const struct joiner *j, uint32_t x) { return j->sub ? j->sub[x] : x; }

/* The bounds of kinds that do not lead, from the sets themselves. */
static bool others_hold(struct probe *p, const struct joiner *j, uint32_t a, uint32_t b)
{
	for (unsigned i = 0; i < j->n_other; i++) {
		const struct join_bound *o = &j->other[i];
		struct join_overlap v =
		    sets_overlap(&p->sets, j->q, o->kind, j->rows.set[o->kind][a], j->rows.set[o->kind][b]);

		if (!bound_holds(o, v.a, v.b, v.shared))
			return false;
	}
	return true;
}

/* x probed and met y; the leading bounds hold. */
static void report(struct probe *p, struct joiner *j, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	uint32_t a = j->flip ? y : x, b = j->flip ? x : y;

	for (int turn = 0; turn < 1 + (j->symmetric && x != y) && !p->ended; turn++) {
		if (rows_may(&j->rows, j->d, a, b) && others_hold(p, j, a, b)) {
			p->stats.row_pairs++;
			p->ended = !p->pair(p->context, worker, a, b, shared);
		}
		a = a ^ b;
		b = a ^ b;
		a = a ^ b;
	}
}

void probe_met(struct probe *p, struct joiner *j, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	if (joiner_lead_holds(j, j->rows.size[j->kind][x], j->rows.size[j->kind][y], shared))
		report(p, j, worker, x, y, shared);
}

static bool wanted(const struct joiner *j, uint32_t y);

void probe_known(struct probe *p, struct joiner *j, unsigned worker, uint32_t x)
{
	const struct row_lists *l = &j->known;

	for (uint64_t i = l->start[x]; i < l->start[x + 1] && !p->ended; i++)
		if (l->to[i] != x && j->rows.size[j->kind][x] && wanted(j, l->to[i]))
			probe_met(p, j, worker, x, l->to[i], l->shared[i]);
}

static bool wanted(const struct joiner *j, uint32_t y)
{
	return (!j->targets || j->targets[y]) && side_count(j->flip ? &j->as_a : &j->as_b, y) != 0;
}

/* Rows to be met from x: all that its order allows, or, where both directions
 * are tried at once, all that come after it. */
static void opposite_rows(const struct joiner *j, uint32_t x, uint32_t *from, uint32_t *to)
{
	rows_range(&j->rows, j->d, x, from, to);
	if (j->symmetric) {
		*from = x + 1;
		*to = j->rows.block_start[j->rows.block[x] + 1];
	}
}

void probe_without_index(struct probe *p, struct joiner *j, unsigned worker, uint32_t x)
{
	uint32_t size = j->kind < 0 ? 0 : j->rows.size[j->kind][x], from, to;

	p->stats.probed++;
	if (j->kind < 0) {
		rows_range(&j->rows, j->d, x, &from, &to);
		for (uint32_t y = from; y < to && !p->ended; y++)
			if (wanted(j, y))
				report(p, j, worker, x, y, 0);
		if ((x < from || x >= to) && wanted(j, x))
			report(p, j, worker, x, x, 0);
		return;
	}
	if (wanted(j, x) && j->rows.start[x + 1] - j->rows.start[x] > 1 && joiner_lead_holds(j, size, size, size))
		report(p, j, worker, x, x, size);
	if (size || !joiner_lead_holds(j, 0, 0, 0))
		return;
	opposite_rows(j, x, &from, &to);
	for (uint32_t i = 0; i < j->n_empty && !p->ended; i++) {
		uint32_t y = j->empty[i];

		if (y >= from && y < to && y != x && wanted(j, y))
			report(p, j, worker, x, y, 0);
	}
}

static void reserve(struct probe *p, uint32_t rows, uint64_t classes)
{
	if (p->rows < rows) {
		if (p->acc)
			big_free(p->acc, (size_t)p->rows * sizeof *p->acc);
		mem_free(p->met);
		p->rows = rows;
		p->acc = big_alloc((size_t)rows * sizeof *p->acc);
		p->met = mem_array((size_t)rows + 1, sizeof *p->met);
	}
	if (p->room < classes) {
		p->room = (uint32_t)(classes + classes / 2 + 16);
		p->weight = mem_rearray(p->weight, p->room, sizeof *p->weight);
		p->rest = mem_rearray(p->rest, p->room + 1, sizeof *p->rest);
	}
}

void probe_reset(struct probe *p)
{
	if (p->acc)
		big_free(p->acc, (size_t)p->rows * sizeof *p->acc);
	p->acc = NULL;
	p->rows = 0;
}

void probe_release(struct probe *p)
{
	probe_reset(p);
	mem_free(p->met);
	mem_free(p->weight);
	mem_free(p->rest);
	sets_scratch_release(&p->sets);
	*p = (struct probe){ 0 };
}

/* The first of list[0..n) that is >= bound. */
static uint64_t lower(const uint32_t *list, uint64_t n, uint32_t bound)
{
	uint64_t low = 0;

	while (n) {
		uint64_t half = n / 2;

		if (list[low + half] < bound) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

struct part { /* rows of a list inside [from, to) */
	const uint32_t *p, *end;
};

static struct part list_part(const struct columns_index *c, uint32_t class, uint32_t from, uint32_t to)
{
	const uint32_t *list = c->post + c->post_start[class];
	uint64_t n = c->post_start[class + 1] - c->post_start[class];
	uint64_t first = n && list[0] < from ? lower(list, n, from) : 0;
	uint64_t last = n && list[n - 1] >= to ? lower(list, n, to) : n;

	return (struct part){ list + first, list + (last < first ? first : last) };
}

struct target {		       /* a prober and what it still needs */
	uint32_t x, row, size; /* in the index, among the rows, items */
	uint32_t from, to;     /* opposite rows, as numbers in the index */
	uint32_t least;
	const uint32_t *classes;
	uint32_t n, done; /* classes of x; how many were walked for everyone */
	uint32_t n_met;
};

static void walk_prefix(struct probe *p, const struct columns_index *c, struct target *t)
{
	uint32_t i, met = 0;

	for (i = 0; i < t->n && p->rest[i] >= t->least; i++) {
		struct part l;
		uint32_t w = p->weight[i];

		if (i + 4 < t->n)
			__builtin_prefetch(c->post + c->post_start[t->classes[i + 4]]);
		l = list_part(c, t->classes[i], t->from, t->to);
		for (; l.p < l.end; l.p++) {
			uint32_t y = *l.p, old = p->acc[y];

			p->met[met] = y;
			met += old == 0;
			p->acc[y] = old + w;
		}
	}
	t->done = i;
	t->n_met = met;
}

/* May y be opposite to x at all, metadata and chunks considered? */
static bool opposite(const struct joiner *j, const struct target *t, uint32_t y, uint32_t row)
{
	bool turned = j->symmetric && rows_may(&j->rows, j->d, row, t->row);

	if (y == t->x || !wanted(j, row))
		return false;
	if (j->side && j->side[y] == j->side[t->x] && !j->within[j->side[y]])
		return false;
	return turned || (j->flip ? rows_may(&j->rows, j->d, row, t->row) : rows_may(&j->rows, j->d, t->row, row));
}

/* Keeps those rows met that can still reach their need; estimates what
 * finishing each by intersection costs. */
static uint64_t sift(struct probe *p, struct joiner *j, struct target *t)
{
	uint32_t kept = 0, rest = t->done < t->n ? p->rest[t->done] : 0;
	uint64_t cost = 0;

	for (uint32_t i = 0; i < t->n_met; i++) {
		uint32_t y = p->met[i], row = row_in(j, y), size = j->rows.size[j->kind][row];
		uint64_t need = joiner_need(j, t->size, size);

		if (p->acc[y] + (uint64_t)rest < need || need > size || !opposite(j, t, y, row)) {
			p->acc[y] = 0;
			continue;
		}
		p->met[kept++] = y;
		cost += 24 + (t->n - t->done + j->index.forward_start[y + 1] - j->index.forward_start[y]) / 4;
	}
	t->n_met = kept;
	return cost;
}

static uint64_t walk_cost(const struct columns_index *c, const struct target *t)
{
	uint64_t cost = 0;

	for (uint32_t i = t->done; i < t->n; i++)
		cost += 8 + c->post_start[t->classes[i] + 1] - c->post_start[t->classes[i]];
	return cost;
}

static void finish_by_walking(struct probe *p, const struct columns_index *c, struct target *t)
{
	for (uint32_t i = t->done; i < t->n; i++) {
		struct part l = list_part(c, t->classes[i], t->from, t->to);
		uint32_t w = p->weight[i];

		for (; l.p < l.end; l.p++) {
			uint32_t old = p->acc[*l.p];

			p->acc[*l.p] = old + (old ? w : 0);
		}
	}
}

static uint32_t finish_by_merging(struct probe *p, const struct joiner *j, const struct target *t, uint32_t y,
				  uint64_t need)
{
	const struct columns_index *c = &j->index;
	const uint32_t *other = c->forward + c->forward_start[y];
	uint64_t n = c->forward_start[y + 1] - c->forward_start[y], skip = lower(other, n, t->classes[t->done]);
	uint32_t acc = p->acc[y];

	return acc + intersect_weights(t->classes + t->done, p->weight + t->done, p->rest + t->done, t->n - t->done,
				       other + skip, (uint32_t)(n - skip), need > acc ? (uint32_t)(need - acc) : 0);
}

/* Looks at the prober's classes; false when it cannot reach its least need. */
static bool aim(struct probe *p, const struct joiner *j, struct target *t)
{
	const struct columns_index *c = &j->index;
	uint64_t least = 1, n = c->forward_start[t->x + 1] - c->forward_start[t->x];
	uint32_t from, to;

	for (unsigned i = 0; i < j->n_lead; i++) {
		uint64_t l = bound_least(&j->lead[i], t->size);

		least = l > least ? l : least;
	}
	if (t->size - c->privately[t->x] < least)
		return false;
	opposite_rows(j, t->row, &from, &to);
	if (from >= to)
		return false;
	t->from = j->sub ? (uint32_t)lower(j->sub, j->n_sub, from) : from;
	t->to = j->sub ? (uint32_t)lower(j->sub, j->n_sub, to) : to;
	t->least = (uint32_t)least;
	t->classes = c->forward + c->forward_start[t->x];
	t->n = (uint32_t)n;
	reserve(p, c->rows, n);
	p->rest[n] = 0;
	for (uint32_t i = (uint32_t)n; i-- > 0;) {
		p->weight[i] = c->weight[t->classes[i]];
		p->rest[i] = p->rest[i + 1] + p->weight[i];
	}
	return t->from < t->to;
}

void probe_index(struct probe *p, struct joiner *j, unsigned worker, uint32_t x)
{
	struct target t = { .x = x, .row = row_in(j, x) };
	uint64_t merge_cost;
	bool walked;

	t.size = j->rows.size[j->kind][t.row];
	if (t.size == 0 || !aim(p, j, &t))
		return;
	walk_prefix(p, &j->index, &t);
	merge_cost = sift(p, j, &t);
	walked = t.done < t.n && t.n_met && walk_cost(&j->index, &t) < merge_cost;
	if (walked)
		finish_by_walking(p, &j->index, &t);
	for (uint32_t i = 0; i < t.n_met; i++) {
		uint32_t y = p->met[i], row = row_in(j, y), acc = p->acc[y];
		uint64_t need = joiner_need(j, t.size, j->rows.size[j->kind][row]);

		if (!p->ended && !walked && t.done < t.n)
			acc = finish_by_merging(p, j, &t, y, need);
		p->acc[y] = 0;
		if (!p->ended && acc >= need)
			report(p, j, worker, t.row, row, acc);
	}
}
