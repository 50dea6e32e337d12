/* join/lookup_shared.c -- what two documents share, by a kept index (coverage.h), without reading their sets. */
#include "join/coverage.h"
#include "join/joiner.h"
#include "join/postings.h"

/* A row of a set, with its classes; false: the index does not know it, or is damaged. */
static bool row_of(struct postings *p, uint32_t set, const struct postings_row **row, const uint32_t **class)
{
	uint32_t r = set == JOIN_NO_SET ? UINT32_MAX : p->row_of[set];

	if (r == UINT32_MAX || !(*class = postings_row_classes(p, r)))
		return false;
	*row = &p->rows[r];
	return true;
}

static uint32_t common_weight(const struct postings *p, const uint32_t *x, uint32_t n, const uint32_t *y, uint32_t m)
{
	uint32_t shared = 0;

	for (uint32_t i = 0, k = 0; i < n && k < m;) {
		uint32_t left = x[i], right = y[k];

		if (left == right)
			shared += p->classes[left].weight;
		i += left <= right;
		k += right <= left;
	}
	return shared;
}

bool coverage_shared(const struct join_query *q, const struct join_options *o, int kind, uint32_t a, uint32_t b,
		     uint32_t *shared)
{
	for (unsigned i = 0; o && o->kept && i < q->n_disjuncts; i++) {
		struct postings *p = &o->kept[i];
		const struct postings_row *x, *y;
		const uint32_t *of = q->set_of[kind], *of_x, *of_y;
		struct joiner lead;

		if (!p->bytes || q->disjunct[i].key) /* rows of one set may be of several blocks */
			continue;
		joiner_aim(&lead, q, i);
		if (lead.kind != kind || !row_of(p, of[a], &x, &of_x) || !row_of(p, of[b], &y, &of_y))
			continue;
		*shared = of[a] == of[b] ? q->sets[kind].size[of[a]] : common_weight(p, of_x, x->n, of_y, y->n);
		return true;
	}
	return false;
}
