/* join/rows.c -- see rows.h.
 *
 * Two sorts: documents by (sets, key, value, number) make the rows; rows by
 * (key, sort value, first member) give them their numbers.  Canonical document
 * numbers keep pages of one URL together, so rows of one chain stay close.
 */
#include "join/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "join/flags.h"
#include "join/sets.h"

#define FEW_ROWS 8u /* of a few documents the rows are sorted without a bucket for each set */

struct doc_key {
	uint32_t key, set[JOIN_KINDS], doc;
	double value;
};

static int by_row(const void *pa, const void *pb, void *context)
{
	const struct doc_key *a = pa, *b = pb;

	(void)context;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	for (int k = 0; k < JOIN_KINDS; k++)
		if (a->set[k] != b->set[k])
			return a->set[k] < b->set[k] ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->doc < b->doc ? -1 : a->doc > b->doc;
}

struct row_key {
	uint32_t key, first, at; /* at: where its documents begin in the first sort */
	double value;
};

static int by_number(const void *pa, const void *pb)
{
	const struct row_key *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static bool same_row(const struct doc_key *a, const struct doc_key *b)
{
	return a->key == b->key && memcmp(a->set, b->set, sizeof a->set) == 0;
}

/* Documents that can be a side of a pair, with what makes their row. */
static size_t gather(struct doc_key *keys, const struct join_query *q, const struct join_disjunct *d, unsigned kinds,
		     const uint8_t *live)
{
	size_t n = 0;

	for (uint32_t i = 0; (i = live ? flags_next(live, i, q->n) : i) < q->n; i++) {
		bool a = !d->a_ok || d->a_ok[i], b = !d->b_ok || d->b_ok[i];
		struct doc_key *k = &keys[n];

		if (!a && !b)
			continue;
		k->key = d->key ? d->key[i] : 0;
		k->doc = i;
		k->value = 0;
		if (d->n_orders) { /* missing sorts last and never matches */
			double v = d->order[0].vb[i];

			k->value = isnan(v) ? INFINITY : v;
		}
		for (int j = 0; j < JOIN_KINDS; j++) {
			uint32_t s = kinds >> j & 1 && q->set_of[j] ? q->set_of[j][i] : JOIN_NO_SET;

			k->set[j] = s != JOIN_NO_SET && q->sets[j].size[s] ? s : JOIN_NO_SET;
		}
		n++;
	}
	return n;
}

struct span_of {
	double a_min, a_max, b_min, b_max;
};

static struct span_of row_span(const struct join_disjunct *d, const struct doc_key *from, const struct doc_key *to)
{
	struct span_of s = { INFINITY, -INFINITY, INFINITY, -INFINITY };

	for (const struct doc_key *k = from; k < to; k++) {
		double a = d->order[0].va[k->doc], b = d->order[0].vb[k->doc];

		if (!isnan(a) && (!d->a_ok || d->a_ok[k->doc])) {
			s.a_min = fmin(s.a_min, a);
			s.a_max = fmax(s.a_max, a);
		}
		if (!isnan(b) && (!d->b_ok || d->b_ok[k->doc])) {
			s.b_min = fmin(s.b_min, b);
			s.b_max = fmax(s.b_max, b);
		}
	}
	return s;
}

static size_t row_end(const struct doc_key *keys, size_t n, size_t at)
{
	size_t i = at + 1;

	while (i < n && same_row(&keys[at], &keys[i]))
		i++;
	return i;
}

static void fill(struct rows *r, const struct join_query *q, const struct join_disjunct *d, unsigned kinds,
		 const struct doc_key *keys, size_t n, const struct row_key *order)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct doc_key *first = &keys[order[i].at];
		size_t end = row_end(keys, n, order[i].at);

		if (i == 0 || order[i].key != order[i - 1].key)
			r->block_start[r->n_blocks++] = i;
		r->block[i] = r->n_blocks - 1;
		for (int k = 0; k < JOIN_KINDS; k++)
			if (kinds >> k & 1) {
				r->set[k][i] = first->set[k];
				r->size[k][i] = first->set[k] == JOIN_NO_SET ? 0 : q->sets[k].size[first->set[k]];
			}
		if (d->n_orders) {
			struct span_of s = row_span(d, first, keys + end);

			r->a_min[i] = s.a_min;
			r->a_max[i] = s.a_max;
			r->b_min[i] = s.b_min;
			r->b_max[i] = s.b_max;
		}
		r->start[i] = at;
		for (size_t j = order[i].at; j < end; j++) {
			r->row_of[keys[j].doc] = i;
			r->member[at++] = keys[j].doc;
		}
	}
	r->start[r->n] = at;
	r->block_start[r->n_blocks] = r->n;
}

void rows_build(struct rows *r, const struct join_query *q, const struct join_disjunct *d, unsigned kinds, bool flip,
		const uint8_t *live)
{
	struct doc_key *keys = mem_array((size_t)(live ? flags_count(live, q->n) : q->n) + 1, sizeof *keys);
	size_t n = gather(keys, q, d, kinds, live), rows = 0;
	struct row_key *order = mem_array(n + 1, sizeof *order);
	size_t kind;
	uint32_t sets;

	*r = (struct rows){ .flip = flip };
	kind = kinds & 1 && q->set_of[0] ? 0 : 1;
	sets = kinds >> kind & 1 && q->set_of[kind] ? q->sets[kind].n : 0;
	if (n < sets / FEW_ROWS)
		qsort_r(keys, n, sizeof *keys, by_row, NULL);
	else
		sets_sort(keys, n, sizeof *keys, offsetof(struct doc_key, set) + kind * sizeof keys->set[0], sets,
			  by_row, NULL);
	for (size_t i = 0, end; i < n; i = end) {
		end = row_end(keys, n, i);
		order[rows] = (struct row_key){ keys[i].key, keys[i].doc, (uint32_t)i, 0 };
		if (d->n_orders) {
			struct span_of s = row_span(d, keys + i, keys + end);

			order[rows].value = flip ? s.a_min : s.b_max;
		}
		rows++;
	}
	sort_array(order, rows, sizeof *order, by_number);
	r->n = (uint32_t)rows;
	r->block = mem_array(rows + 1, sizeof *r->block);
	r->block_start = mem_array(rows + 2, sizeof *r->block_start);
	for (int k = 0; k < JOIN_KINDS; k++)
		if (kinds >> k & 1) {
			r->set[k] = mem_array(rows + 1, sizeof *r->set[k]);
			r->size[k] = mem_array(rows + 1, sizeof *r->size[k]);
		}
	r->start = mem_array(rows + 1, sizeof *r->start);
	r->member = mem_array(n + 1, sizeof *r->member);
	r->row_of = mem_array((size_t)q->n + 1, sizeof *r->row_of);
	memset(r->row_of, 0xff, ((size_t)q->n + 1) * sizeof *r->row_of);
	if (d->n_orders) {
		r->a_min = mem_array(rows + 1, sizeof *r->a_min);
		r->a_max = mem_array(rows + 1, sizeof *r->a_max);
		r->b_min = mem_array(rows + 1, sizeof *r->b_min);
		r->b_max = mem_array(rows + 1, sizeof *r->b_max);
	}
	fill(r, q, d, kinds, keys, n, order);
	mem_free(order);
	mem_free(keys);
}

void rows_release(struct rows *r)
{
	mem_free(r->block);
	mem_free(r->block_start);
	for (int k = 0; k < JOIN_KINDS; k++) {
		mem_free(r->set[k]);
		mem_free(r->size[k]);
	}
	mem_free(r->start);
	mem_free(r->member);
	mem_free(r->row_of);
	mem_free(r->a_min);
	mem_free(r->a_max);
	mem_free(r->b_min);
	mem_free(r->b_max);
	*r = (struct rows){ 0 };
}

/* Differences are taken as the test takes them, so that rounding, which keeps
 * order, cannot lose a pair. */
void rows_range(const struct rows *r, const struct join_disjunct *d, uint32_t x, uint32_t *from, uint32_t *to)
{
	uint32_t b = r->block[x], low = r->block_start[b], high = r->block_start[b + 1];

	*from = low;
	*to = high;
	if (d->n_orders == 0 || !isfinite(d->order[0].lo))
		return;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (r->flip ? r->b_max[x] - r->a_min[mid] >= d->order[0].lo
			    : r->b_max[mid] - r->a_min[x] < d->order[0].lo)
			low = mid + 1;
		else
			high = mid;
	}
	if (r->flip)
		*to = low;
	else
		*from = low;
}

bool rows_may(const struct rows *r, const struct join_disjunct *d, uint32_t x, uint32_t y)
{
	return d->n_orders == 0 ||
	       (r->b_max[y] - r->a_min[x] >= d->order[0].lo && r->b_min[y] - r->a_max[x] <= d->order[0].hi);
}
