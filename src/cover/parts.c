/* cover/parts.c -- see parts.h.
 *
 * Families of parts: each layer alone, each layer with all that it reaches, and a chain: layers in the order of how many
 * columns they reach, taken together from the first on, and between two links of it the rows of the next layer a few at a
 * time.  The smallest part comes first.
 */
#include "cover/parts.h"

#include <stdlib.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cover/layers.h"
#include "cover/local.h"
#include "cover/pieces.h"
#include "cover/round.h"

#define LEAST_ROWS 8	/* of a part */
#define STEP 8 		/* rows by which the chain grows at least, */
#define STEP_PART 64	/* and this part of what it has */
#define SHARE_CHAIN 6	/* of the work that is left, for a part of the chain, */
#define SHARE_SIDE 24	/* and for another one */
#define SHARE_PIECES 3	/* of a part's work, for pieces of it */
#define LOCAL_EACH 1000 /* numbers that local search touches for each entry of a part */
#define PARTS_MOST 400	/* of a block */
#define KNOWN_MOST 8000 /* rows that pieces give */
#define ONE_LAYER 4	/* a layer of all rows but one in so many: there are no others to speak of */

struct part {
	uint64_t *bits; /* rows */
	uint32_t rows;
	bool chain;
};

struct learner {
	struct search *s;
	struct instance *in;
	struct arena *a;
	struct part part[3 * PARTS_MOST];
	uint32_t parts, cap; /* cap: of in->known */
	size_t words;	     /* of a set of rows */
	uint8_t *cover;	     /* cols: of the last part of the chain */
	uint32_t bound;
};

static void add_part(struct learner *l, const uint64_t *bits, bool chain)
{
	uint32_t rows = bits_count(bits, l->words);

	if (rows < LEAST_ROWS || rows >= l->in->rows || l->parts == COUNT(l->part))
		return;
	l->part[l->parts] = (struct part){ ARENA_ARRAY(l->a, uint64_t, l->words), rows, chain };
	memcpy(l->part[l->parts++].bits, bits, sizeof(*bits) * l->words);
}

struct size {
	uint32_t layer, cols;
};

static int by_columns(const void *x, const void *y)
{
	const struct size *a = x, *b = y;

	if (a->cols != b->cols)
		return a->cols < b->cols ? -1 : 1;
	return a->layer < b->layer ? -1 : a->layer > b->layer;
}

struct chain {
	uint64_t *rows, *cols; /* what it has */
	uint32_t count, last;  /* rows; the same when a part of it was last noted */
};

/* Of the rows in `next` that the chain has not, the one that brings the fewest columns. */
static uint32_t next_row(struct learner *l, const struct chain *h, const uint64_t *next)
{
	const struct instance *in = l->in;
	uint32_t best = UINT32_MAX, fewest = UINT32_MAX;

	for (uint32_t r = 0; r < in->rows; r++) {
		uint32_t new = 0;

		if (!bits_has(next, r) || bits_has(h->rows, r))
			continue;
		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1] && new < fewest; i++)
			new += !bits_has(h->cols, in->row_col[i]);
		l->s->work += in->row_at[r + 1] - in->row_at[r];
		if (new < fewest) {
			best = r;
			fewest = new;
		}
	}
	return best;
}

/* Rows of `next` join the chain. */
static void chain_grow(struct learner *l, struct chain *h, const uint64_t *next)
{
	uint32_t r;

	while ((r = next_row(l, h, next)) != UINT32_MAX) {
		bits_set(h->rows, r);
		for (uint64_t i = l->in->row_at[r]; i < l->in->row_at[r + 1]; i++)
			bits_set(h->cols, l->in->row_col[i]);
		if (++h->count >= h->last + STEP + h->last / STEP_PART) {
			add_part(l, h->rows, true);
			h->last = h->count;
		}
	}
}

static void add_chain(struct learner *l, const struct layers *y)
{
	struct size *order = ARENA_ARRAY(l->a, struct size, (size_t)y->n + 1);
	struct chain h = { .rows = arena_zalloc(l->a, sizeof(uint64_t) * l->words),
			   .cols = arena_zalloc(l->a, sizeof(uint64_t) * bits_words(l->in->cols)) };

	for (uint32_t k = 0; k < y->n; k++)
		order[k] = (struct size){ k, bits_count(y->col[k], bits_words(l->in->cols)) };
	sort_array(order, y->n, sizeof(*order), by_columns);
	for (uint32_t k = 0; k < y->n; k++)
		chain_grow(l, &h, y->rows[order[k].layer]);
}

static int smaller_first(const void *x, const void *y, void *context)
{
	const struct part *a = x, *b = y;

	if (a->rows != b->rows)
		return a->rows < b->rows ? -1 : 1;
	return memcmp(a->bits, b->bits, sizeof(*a->bits) * *(const size_t *)context);
}

/* The part as an instance, with what is known of parts inside it; col, row: numbers in the block. */
static void cut_part(struct arena *a, const struct learner *l, const struct part *p, struct instance *out,
		     uint32_t **col, uint32_t **row)
{
	struct instance *in = l->in, known = *in;
	uint32_t rows = 0, *scratch = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	uint8_t *use = arena_alloc(a, (size_t)in->cols + 1);

	*row = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1);
	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	memset(use, 1, in->cols);
	for (uint32_t r = 0; r < in->rows; r++)
		if (bits_has(p->bits, r))
			(*row)[rows++] = r;
	instance_part(a, out, in, *row, rows, use, in->demand, in->w, scratch);
	*col = ARENA_ARRAY(a, uint32_t, (size_t)out->cols + 1);
	for (uint32_t k = 0, at = 0; k < out->cols; k++) {
		while (in->col_id[at] != out->col_id[k])
			at++;
		(*col)[k] = at;
	}
	known.known = ARENA_ARRAY(a, struct cut, (size_t)in->knowns + 1);
	known.knowns = 0;
	for (uint32_t q = 0; q < in->knowns; q++)
		if (in->known[q].rows && bits_contain(p->bits, in->known[q].rows, l->words))
			known.known[known.knowns++] = in->known[q];
	instance_know(a, out, &known, *col, NULL, NULL);
}

/* What is known of a part from number `first` on becomes known of the block. */
static void pass_on(struct learner *l, const struct instance *part, uint32_t first, const uint32_t *col,
		    const uint32_t *row)
{
	struct instance *in = l->in;

	for (uint32_t k = first; k < part->knowns && in->knowns + 1 < l->cap; k++) {
		const struct cut *old = &part->known[k];
		uint64_t *rows = arena_zalloc(l->a, sizeof(*rows) * l->words);
		struct cut new = { old->n, ARENA_ARRAY(l->a, uint32_t, (size_t)old->n + 1),
				   ARENA_ARRAY(l->a, uint32_t, (size_t)old->n + 1), old->least, rows };

		for (uint32_t i = 0; i < old->n; i++) {
			new.col[i] = col[old->col[i]];
			new.factor[i] = old->factor[i];
		}
		for (uint32_t i = 0; i < part->rows; i++)
			if (bits_has(old->rows, i))
				bits_set(rows, row[i]);
		in->known[in->knowns++] = new;
	}
}

/* What is known already: at least so many of some of its columns. */
static uint32_t bound_known(const struct instance *part)
{
	uint32_t bound = 0;

	for (uint32_t k = 0; k < part->knowns; k++) {
		const struct cut *cut = &part->known[k];
		bool ones = true;

		for (uint32_t i = 0; ones && i < cut->n; i++)
			ones = cut->factor[i] == 1;
		if (ones && cut->least > bound)
			bound = cut->least;
	}
	return bound;
}

/* What the part needs at least, by what is known, by pieces, and then by search; taken: a cover of it. */
static uint32_t bound_of_part(struct arena *a, struct search *s, struct instance *part, uint64_t work, uint8_t *taken)
{
	uint32_t first = part->knowns, bound = bound_known(part), cost;
	struct packing p;
	weight found, rest;

	local_search(s, part, bound, LOCAL_EACH * part->row_at[part->rows], taken);
	if ((cost = (uint32_t)instance_cost(part, taken)) <= bound)
		return bound;
	packing_solve(a, part, work, &p);
	s->work += p.work;
	bound = p.bound > bound ? (uint32_t)p.bound : bound;
	if (cost <= bound || search_spent(s))
		return bound;
	pieces_learn(a, s, part, cost, work / SHARE_PIECES, &p);
	pieces_prune(part, first, p.x);
	bound = p.bound > bound ? (uint32_t)p.bound : bound;
	if (cost <= bound || search_spent(s))
		return bound;
	found = search_bound(s, part, &rest);
	return found > bound ? (uint32_t)found : bound;
}

/* The cover of the part before, made one of this. */
static uint8_t *begin_cover(struct arena *a, const struct learner *l, const struct instance *part, const uint32_t *col)
{
	uint8_t *taken = arena_zalloc(a, (size_t)part->cols + 1), *anew = arena_zalloc(a, (size_t)part->cols + 1);

	for (uint32_t k = 0; k < part->cols; k++)
		taken[k] = l->cover[col[k]];
	round_complete(part, taken);
	round_cover(part, NULL, anew);
	return instance_cost(part, anew) < instance_cost(part, taken) ? anew : taken;
}

static void learn_part(struct learner *l, const struct part *p, uint64_t work)
{
	struct search s = { .node_budget = work / SEARCH_WORK + 1, .deadline = l->s->deadline };
	struct instance *in = l->in, part;
	struct arena a = { 0 };
	uint32_t *col, *row, first, bound, knew;
	uint8_t *taken;

	cut_part(&a, l, p, &part, &col, &row);
	first = part.knowns;
	knew = bound_known(&part);
	taken = begin_cover(&a, l, &part, col);
	bound = bound_of_part(&a, &s, &part, work, taken);
	if (getenv("PL")) fprintf(stderr, "part %u x %u %s: bound %u cover %d %s knew %u learned %u of %u nodes %llu work %.2fG\n", part.rows, part.cols, p->chain ? "chain" : "side", bound, (int)instance_cost(&part, taken), s.exhausted ? "GIVEN UP" : "", first, part.knowns - first, in->knowns, (unsigned long long)s.nodes, s.work/1e9);
	l->s->work += s.work;
	l->s->nodes += s.nodes;
	l->s->pivots += s.pivots;
	l->s->timed_out |= s.timed_out;
	l->bound = bound > l->bound ? bound : l->bound;
	for (uint32_t k = 0; p->chain && k < part.cols; k++)
		l->cover[col[k]] = taken[k];
	pass_on(l, &part, first, col, row);
	if (bound > knew) {
		struct cut *new = &in->known[in->knowns++];

		*new = (struct cut){ part.cols, ARENA_ARRAY(l->a, uint32_t, (size_t)part.cols + 1),
				     ARENA_ARRAY(l->a, uint32_t, (size_t)part.cols + 1), bound, p->bits };
		for (uint32_t k = 0; k < part.cols; k++) {
			new->col[k] = col[k];
			new->factor[k] = 1;
		}
	}
	arena_release(&a);
}

static void find_parts(struct learner *l, const struct layers *y)
{
	for (uint32_t k = 0; k < y->n && l->parts < PARTS_MOST; k++) {
		uint64_t *own = arena_zalloc(l->a, sizeof(*own) * l->words);

		for (uint32_t i = y->first[k]; i < y->first[k + 1]; i++)
			bits_set(own, y->row[i]);
		add_part(l, own, false);
		if (y->first[k + 1] - y->first[k] >= LEAST_ROWS)
			add_part(l, y->rows[k], false);
	}
	add_chain(l, y);
	qsort_r(l->part, l->parts, sizeof(*l->part), smaller_first, &l->words);
}

uint32_t parts_learn(struct arena *a, struct search *s, struct instance *in, uint64_t work)
{
	struct learner *l = arena_zalloc(a, sizeof(*l));
	uint64_t end = s->work + work;
	uint32_t had = in->knowns;
	struct layers y;
	struct cut *known;

	*l = (struct learner){ .s = s, .in = in, .a = a, .words = bits_words(in->rows) };
	l->cover = arena_zalloc(a, (size_t)in->cols + 1);
	layers_find(a, in, &y);
	for (uint32_t k = 0; k < y.n; k++)
		if (y.first[k + 1] - y.first[k] > in->rows - in->rows / ONE_LAYER)
			return 0;
	find_parts(l, &y);
	l->cap = had + l->parts + KNOWN_MOST;
	known = ARENA_ARRAY(a, struct cut, (size_t)l->cap + 1);
	if (had)
		memcpy(known, in->known, sizeof(*known) * had);
	in->known = known;
	for (uint32_t k = 0; k < l->parts && s->work < end; k++)
		if (!k || smaller_first(&l->part[k], &l->part[k - 1], &l->words))
			learn_part(l, &l->part[k],
				   (end - s->work) / (l->part[k].chain ? SHARE_CHAIN : SHARE_SIDE));
	return l->bound;
}
