/* cover/parts.c -- see parts.h.
 *
 * Families of parts: each layer alone, each layer with all that it reaches, and a chain: layers in the order of how many
 * columns they reach, taken together from the first on, and between two links of it the rows of the next layer a few at a
 * time.  The smallest part comes first.
 */
#include "cover/parts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cover/layers.h"
#include "cover/local.h"
#include "cover/pieces.h"
#include "cover/reduce.h"
#include "cover/round.h"
#include "cover/tree.h"

#define LEAST_ROWS 8	/* of a part */
#define STEP 8		/* rows by which the chain grows at least, */
#define STEP_PART 64	/* and this part of what it has */
#define SHARE_CHAIN 6	/* of the work that is left, for a part of the chain, */
#define SHARE_SIDE 24	/* and for another one */
#define SHARE_PIECES 3	/* of a part's work, for pieces of it */
#define SKIP 8		/* after a link that was given up: by this part of its rows */
#define TIGHTEN 8	/* rounds of cuts */
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
	uint32_t parts, cap;	      /* cap: of in->known */
	size_t words;		      /* of a set of rows */
	uint8_t *cover;		      /* cols: of the last part of the chain */
	uint32_t bound, enough, skip; /* skip: links of the chain with fewer rows */
	uint64_t end;
	bool last; /* a part that needs `enough`, as far as is known, was looked at with all the work that was left */
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

/* A part as an instance, and what reductions leave of it; numbers in the block. */
struct core {
	struct instance part, in;
	uint32_t *part_col, *row, *col; /* of the part; of what is left */
	uint32_t taken;			/* columns that reductions take */
};

static uint32_t *names_in(struct arena *a, const uint32_t *name, uint32_t n, const uint32_t *all)
{
	uint32_t *at = ARENA_ARRAY(a, uint32_t, (size_t)n + 1);

	for (uint32_t k = 0, i = 0; k < n; k++) {
		while (all[i] != name[k])
			i++;
		at[k] = i;
	}
	return at;
}

/* With what is known of parts inside it. */
static void cut_part(struct arena *a, const struct learner *l, const struct part *p, struct core *out)
{
	struct instance *in = l->in, known = *in;
	uint32_t rows = 0, *row = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
		 *scratch = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	uint8_t *use = arena_alloc(a, (size_t)in->cols + 1);
	struct reduction red;

	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	memset(use, 1, in->cols);
	for (uint32_t r = 0; r < in->rows; r++)
		if (bits_has(p->bits, r))
			row[rows++] = r;
	instance_part(a, &out->part, in, row, rows, use, in->demand, in->w, scratch);
	out->part_col = names_in(a, out->part.col_id, out->part.cols, in->col_id);
	known.known = ARENA_ARRAY(a, struct cut, (size_t)in->knowns + 1);
	known.knowns = 0;
	for (uint32_t q = 0; q < in->knowns; q++)
		if (in->known[q].rows && bits_contain(p->bits, in->known[q].rows, l->words))
			known.known[known.knowns++] = in->known[q];
	instance_know(a, &out->part, &known, out->part_col, NULL, NULL);
	reduce(a, &out->part, &red);
	rows = 0;
	for (uint32_t r = 0; r < out->part.rows; r++)
		if (red.row_alive[r])
			row[rows++] = r;
	instance_part(a, &out->in, &out->part, row, rows, red.col_alive, red.demand, out->part.w, scratch);
	instance_know(a, &out->in, &out->part, names_in(a, out->in.col_id, out->in.cols, out->part.col_id), red.taken,
		      NULL);
	out->row = names_in(a, out->in.row_id, out->in.rows, in->row_id);
	out->col = names_in(a, out->in.col_id, out->in.cols, in->col_id);
	out->taken = (uint32_t)red.taken_count;
	l->s->work += 4 * out->part.row_at[out->part.rows];
}

/* Which of the rows a column has, as bits. */
static uint64_t trace_of(const struct instance *in, uint32_t c, const uint32_t *row, uint32_t rows)
{
	uint64_t bits = 0;

	for (uint64_t i = in->col_at[c], k = 0; i < in->col_at[c + 1] && k < rows;)
		if (in->col_row[i] == row[k]) {
			bits |= (uint64_t)1 << k++;
			i++;
		} else if (in->col_row[i] < row[k]) {
			i++;
		} else {
			k++;
		}
	return bits;
}

/* A row of what is left of a part, as one of the block: a column that reductions dropped counts like one that has all the
 * rows that it has, of those that the row follows from. */
static void pass_on_one(struct learner *l, const struct core *core, const struct cut *old)
{
	struct instance *in = l->in;
	struct arena a = { 0 };
	uint64_t *rows = arena_zalloc(l->a, sizeof(*rows) * l->words), *trace;
	uint32_t row[PIECES_ROWS], n = 0, m = 0,
				   *factor = arena_zalloc(&a, sizeof(*factor) * ((size_t)core->in.cols + 1)),
				   *met = ARENA_ARRAY(&a, uint32_t, (size_t)core->in.cols + 1);
	struct cut *new = &in->known[in->knowns++];

	for (uint32_t r = 0; r < core->in.rows; r++)
		if (bits_has(old->rows, r)) {
			bits_set(rows, core->row[r]);
			row[n++] = core->row[r];
		}
	for (uint32_t i = 0; i < old->n; i++)
		factor[old->col[i]] = old->factor[i];
	trace = ARENA_ARRAY(&a, uint64_t, (size_t)core->in.cols + 1);
	for (uint32_t c = 0; c < core->in.cols; c++)
		if ((trace[m] = trace_of(in, core->col[c], row, n)))
			met[m++] = c;
	*new = (struct cut){ 0, ARENA_ARRAY(l->a, uint32_t, (size_t)core->part.cols + 1),
			     ARENA_ARRAY(l->a, uint32_t, (size_t)core->part.cols + 1), old->least, rows };
	for (uint32_t k = 0; k < core->part.cols; k++) {
		uint32_t c = core->part_col[k], least = old->least;
		uint64_t bits = trace_of(in, c, row, n);

		for (uint32_t i = 0; bits && i < m; i++)
			if (!(bits & ~trace[i]) && factor[met[i]] < least)
				least = factor[met[i]];
		if (bits && least) {
			new->col[new->n] = c;
			new->factor[new->n++] = least;
		}
	}
	l->s->work += core->part.cols * (uint64_t)m / 4 + core->part.row_at[core->part.rows];
	arena_release(&a);
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

/* What the part needs at least, by what is known (`bound`), by pieces, and then by search; taken: a cover of it. */
static uint32_t bound_of_part(struct arena *a, struct search *s, struct instance *part, uint64_t work, uint32_t bound,
			      uint8_t *taken)
{
	uint32_t first = part->knowns, cost;
	uint64_t before;
	struct packing p;

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
	if (cost <= bound || search_spent(s) || !packing_branches(&p))
		return bound;
	before = p.work;
	packing_tighten(a, part, cost, work / SHARE_PIECES, TIGHTEN, &p);
	s->work += p.work - before;
	for (bound = p.bound > bound ? (uint32_t)p.bound : bound; bound < cost; bound++)
		if (tree_search(s, part, &p, (weight)bound + 1, true, taken) || s->exhausted)
			break;
	return bound;
}

/* The cover of the part before, made one of this. */
static uint8_t *begin_cover(struct arena *a, const struct learner *l, const struct instance *in, const uint32_t *col)
{
	uint8_t *taken = arena_zalloc(a, (size_t)in->cols + 1), *anew = arena_zalloc(a, (size_t)in->cols + 1);

	for (uint32_t k = 0; k < in->cols; k++)
		taken[k] = l->cover[col[k]];
	round_complete(in, taken);
	round_cover(in, NULL, anew);
	return instance_cost(in, anew) < instance_cost(in, taken) ? anew : taken;
}

static void learn_part(struct learner *l, const struct part *p, uint64_t work)
{
	struct search s = { .effort = l->s->effort,
			    .before = l->s->before + l->s->work,
			    .node_budget = work / SEARCH_WORK + 1,
			    .deadline = l->s->deadline };
	struct instance *in = l->in;
	struct arena a = { 0 };
	struct core core = { 0 };
	uint32_t first, bound, knew;
	uint8_t *taken;

	cut_part(&a, l, p, &core);
	first = core.in.knowns;
	knew = bound_known(&core.part);
	taken = begin_cover(&a, l, &core.in, core.col);
	local_search(&s, &core.in, knew > core.taken ? knew - core.taken : 0, LOCAL_EACH * core.in.row_at[core.in.rows],
		     taken);
	if (core.taken + instance_cost(&core.in, taken) >= l->enough) { /* its proof is one of the whole */
		l->last = true;
		work = l->end - l->s->work;
		s.node_budget = work / SEARCH_WORK + 1;
	}
	bound = core.taken + bound_of_part(&a, &s, &core.in, work, knew > core.taken ? knew - core.taken : 0, taken);
	l->s->work += s.work;
	l->s->nodes += s.nodes;
	l->s->pivots += s.pivots;
	l->s->timed_out |= s.timed_out;
	l->bound = bound > l->bound ? bound : l->bound;
	for (uint32_t k = 0; p->chain && k < core.in.cols; k++)
		l->cover[core.col[k]] = taken[k];
	for (uint32_t k = first; k < core.in.knowns && in->knowns + 1 < l->cap; k++)
		pass_on_one(l, &core, &core.in.known[k]);
	if (p->chain && bound < core.taken + instance_cost(&core.in, taken))
		l->skip = p->rows + p->rows / SKIP;
	if (bound > knew) {
		struct cut *new = &in->known[in->knowns++];
		uint32_t n = core.part.cols;

		*new = (struct cut){ n, ARENA_ARRAY(l->a, uint32_t, (size_t)n + 1),
				     ARENA_ARRAY(l->a, uint32_t, (size_t)n + 1), bound, p->bits };
		for (uint32_t k = 0; k < n; k++) {
			new->col[k] = core.part_col[k];
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

uint32_t parts_learn(struct arena *a, struct search *s, struct instance *in, uint32_t enough, uint64_t work)
{
	struct learner *l = arena_zalloc(a, sizeof(*l));
	uint64_t end = s->work + work;
	uint32_t had = in->knowns;
	struct layers y;
	struct cut *known;

	*l = (struct learner){ .s = s, .in = in, .a = a, .words = bits_words(in->rows), .enough = enough, .end = end };
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
	for (uint32_t k = 0; k < l->parts && s->work < end && l->bound < enough && !l->last; k++)
		if ((!k || smaller_first(&l->part[k], &l->part[k - 1], &l->words)) &&
		    !(l->part[k].chain && l->part[k].rows < l->skip))
			learn_part(l, &l->part[k], (end - s->work) / (l->part[k].chain ? SHARE_CHAIN : SHARE_SIDE));
	return l->bound;
}
