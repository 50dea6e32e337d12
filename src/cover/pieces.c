/* cover/pieces.c -- see pieces.h.
 *
 * Pieces grow from every row that the fractional cover splits: the next row is the one that brings the least of x.
 */
#include "cover/pieces.h"

#include <math.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cover/round.h"

#define FIRST_ROWS 18	/* of a piece; where that gains less than */
#define LITTLE 10	/* one part in so many of a column, half as many more */
#define COVERS_MOST 400 /* that a piece may need */
#define FINE 2520	/* w is put on multiples of one part in so many, if fewer will not do */
#define FEW 60
#define NEAR_WHOLE 1e-4
#define SLACK 500	  /* a cover that is cheaper by less than one part in so many is not looked for */
#define LEAST_GAIN 0.01	  /* by which a cut must be broken, of its right side */
#define CHEAP_NODES 20000 /* of a search for a cheap cover, then it is given up */
#define NUDGE 1e-4	  /* so that traces which x has nothing of do not weigh more than they must */
#define SHOWN 1e-7
#define SPARE 0.005 /* of its right side that a row may have to spare, to be kept */

struct piece {
	uint32_t row[PIECES_ROWS], rows;
	/* Traces: */
	uint32_t n, cap;
	uint64_t *bits;
	double *x;
	/* Columns of the block and their traces: */
	uint32_t cols, *col, *trace;
};

struct learner {
	struct search *s;
	struct instance *in;
	struct arena *a;
	struct packing *p;
	uint64_t end;
	uint32_t cap;			  /* of in->known */
	uint64_t *mask;			  /* cols: which rows of the piece */
	uint32_t *touched, touched_count; /* columns with a mask */
	double *brings;			  /* rows: what of x it would bring */
	uint32_t *near, near_count;	  /* rows that share a column with the piece */
	uint8_t *is_near;
};

static void piece_add(struct learner *l, struct piece *s, uint32_t r)
{
	const struct instance *in = l->in;

	for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++) {
		uint32_t c = in->row_col[i];

		if (!l->mask[c]) {
			l->touched[l->touched_count++] = c;
			if (l->p->x[c] > SHOWN)
				for (uint64_t k = in->col_at[c]; k < in->col_at[c + 1]; k++) {
					uint32_t q = in->col_row[k];

					if (!l->is_near[q]) {
						l->is_near[q] = 1;
						l->near[l->near_count++] = q;
						l->brings[q] = 0;
						for (uint64_t e = in->row_at[q]; e < in->row_at[q + 1]; e++)
							l->brings[q] += l->p->x[in->row_col[e]];
					}
					l->brings[q] -= l->p->x[c];
				}
		}
		l->mask[c] |= (uint64_t)1 << s->rows;
	}
	l->is_near[r] = 2;
	s->row[s->rows++] = r;
}

static void grow(struct learner *l, struct piece *s, uint32_t seed, uint32_t rows)
{
	s->rows = 0;
	l->touched_count = l->near_count = 0;
	l->is_near[seed] = 1;
	l->near[l->near_count++] = seed;
	l->brings[seed] = 0;
	piece_add(l, s, seed);
	while (s->rows < rows) {
		uint32_t best = UINT32_MAX;

		for (uint32_t k = 0; k < l->near_count; k++) {
			uint32_t r = l->near[k];

			if (l->is_near[r] == 1 &&
			    (best == UINT32_MAX || l->brings[r] < l->brings[best] - 1e-9 ||
			     (l->brings[r] < l->brings[best] + 1e-9 &&
			      l->in->row_at[r + 1] - l->in->row_at[r] < l->in->row_at[best + 1] - l->in->row_at[best])))
				best = r;
		}
		if (best == UINT32_MAX)
			break;
		piece_add(l, s, best);
	}
	for (uint32_t k = 0; k < l->near_count; k++)
		l->is_near[l->near[k]] = 0;
}

struct masked {
	uint64_t bits;
	uint32_t col;
};

static int by_bits(const void *x, const void *y)
{
	const struct masked *a = x, *b = y;

	if (a->bits != b->bits)
		return a->bits < b->bits ? -1 : 1;
	return a->col < b->col ? -1 : a->col > b->col;
}

static void find_traces(struct arena *a, struct learner *l, struct piece *s)
{
	struct masked *m = ARENA_ARRAY(a, struct masked, (size_t)l->touched_count + 1);

	s->cols = l->touched_count;
	s->col = ARENA_ARRAY(a, uint32_t, (size_t)s->cols + 1);
	s->trace = ARENA_ARRAY(a, uint32_t, (size_t)s->cols + 1);
	s->bits = ARENA_ARRAY(a, uint64_t, (size_t)s->cols + 1);
	s->x = ARENA_ARRAY(a, double, (size_t)s->cols + 1);
	s->n = 0;
	for (uint32_t k = 0; k < s->cols; k++) {
		m[k] = (struct masked){ l->mask[l->touched[k]], l->touched[k] };
		l->mask[l->touched[k]] = 0;
	}
	sort_array(m, s->cols, sizeof(*m), by_bits);
	for (uint32_t k = 0; k < s->cols; k++) {
		if (!k || m[k].bits != m[k - 1].bits) {
			s->bits[s->n] = m[k].bits;
			s->x[s->n++] = 0;
		}
		s->col[k] = m[k].col;
		s->trace[k] = s->n - 1;
		s->x[s->n - 1] += l->p->x[m[k].col];
	}
}

struct cheap {
	const struct piece *s;
	const uint32_t *w;
	uint32_t *at, *col; /* traces of each row of the piece: col[at[i] ...] */
	uint8_t *banned, *taken;
	uint32_t *banned_list, banned_count;
	uint64_t nodes, work;
};

static bool cheap_under(struct cheap *q, uint64_t open, int64_t room);

/* Dual values of the open rows, one after the other, as much as their traces have left: what covers of `open` cost at
 * least.  Traces that a cover under `room` cannot afford are banned. */
static int64_t ascend(struct cheap *q, uint64_t open, int64_t room, int64_t *left, uint32_t *narrowest)
{
	uint32_t order[PIECES_ROWS] = { 0 }, degree[PIECES_ROWS], n = 0;
	int64_t sum = 0;

	for (uint64_t x = open; x; x &= x - 1) {
		uint32_t r = (uint32_t)__builtin_ctzll(x), k = n++, d = 0;

		for (uint32_t i = q->at[r]; i < q->at[r + 1]; i++)
			d += !q->banned[q->col[i]];
		for (; k && d < degree[k - 1]; k--) {
			degree[k] = degree[k - 1];
			order[k] = order[k - 1];
		}
		degree[k] = d;
		order[k] = r;
		q->work += q->at[r + 1] - q->at[r];
	}
	*narrowest = order[0];
	for (uint32_t k = 0; k < q->s->n; k++)
		left[k] = q->w[k];
	for (uint32_t k = 0; k < n && sum < room; k++) {
		int64_t least = INT64_MAX;

		for (uint32_t i = q->at[order[k]]; i < q->at[order[k] + 1]; i++)
			if (!q->banned[q->col[i]] && left[q->col[i]] < least)
				least = left[q->col[i]];
		if (least == INT64_MAX)
			return INT64_MAX;
		for (uint32_t i = q->at[order[k]]; least && i < q->at[order[k] + 1]; i++)
			left[q->col[i]] -= least;
		sum += least;
		q->work += 2 * (q->at[order[k] + 1] - q->at[order[k]]);
	}
	return sum;
}

static bool cheap_branch(struct cheap *q, uint64_t open, int64_t room, uint32_t r, const int64_t *left)
{
	for (;;) {
		uint32_t best = UINT32_MAX;

		for (uint32_t i = q->at[r]; i < q->at[r + 1]; i++) {
			uint32_t c = q->col[i];

			if (!q->banned[c] &&
			    (best == UINT32_MAX || left[c] < left[best] ||
			     (left[c] == left[best] && __builtin_popcountll(q->s->bits[c] & open) >
							   __builtin_popcountll(q->s->bits[best] & open))))
				best = c;
		}
		if (best == UINT32_MAX)
			return false;
		q->taken[best] = 1;
		if (cheap_under(q, open & ~q->s->bits[best], room - q->w[best]))
			return true;
		q->taken[best] = 0;
		q->banned[best] = 1;
		q->banned_list[q->banned_count++] = best;
	}
}

/* Is there a cover of `open`, without what is banned, that costs less than `room`? */
static bool cheap_under(struct cheap *q, uint64_t open, int64_t room)
{
	uint32_t was = q->banned_count, r;
	int64_t *left, sum;
	bool found;

	if (room <= 0 || q->nodes >= CHEAP_NODES)
		return false;
	if (!open)
		return true;
	q->nodes++;
	left = mem_array((size_t)q->s->n + 1, sizeof(*left));
	sum = ascend(q, open, room, left, &r);
	found = sum < room;
	for (uint32_t k = 0; found && k < q->s->n; k++)
		if (!q->banned[k] && (q->s->bits[k] & open) && sum + left[k] >= room) {
			q->banned[k] = 1;
			q->banned_list[q->banned_count++] = k;
		}
	q->work += 4 * q->s->n;
	found = found && cheap_branch(q, open, room, r, left);
	while (q->banned_count > was)
		q->banned[q->banned_list[--q->banned_count]] = 0;
	mem_free(left);
	return found;
}

enum cheap_answer { CHEAP_NONE, CHEAP_FOUND, CHEAP_UNKNOWN };

/* A cover that costs less than `below`, in taken[]; traces of weight 0 are taken. */
static enum cheap_answer cheaper(struct learner *l, const struct piece *s, const uint32_t *w, int64_t below,
				 uint8_t *taken)
{
	struct arena a = { 0 };
	uint64_t open = s->rows == 64 ? ~(uint64_t)0 : ((uint64_t)1 << s->rows) - 1;
	struct cheap q = { .s = s,
			   .w = w,
			   .at = arena_zalloc(&a, sizeof(uint32_t) * (PIECES_ROWS + 1)),
			   .col = ARENA_ARRAY(&a, uint32_t, (size_t)s->n * s->rows + 1),
			   .banned = arena_zalloc(&a, (size_t)s->n + 1),
			   .banned_list = ARENA_ARRAY(&a, uint32_t, (size_t)s->n + 1),
			   .taken = taken };
	uint32_t n = 0;
	bool found;

	for (uint32_t r = 0; r < s->rows; r++) {
		for (uint32_t k = 0; k < s->n; k++)
			if (s->bits[k] >> r & 1)
				q.col[n++] = k;
		q.at[r + 1] = n;
	}
	for (uint32_t k = 0; k < s->n; k++)
		if ((taken[k] = !w[k]))
			open &= ~s->bits[k];
	found = cheap_under(&q, open, below);
	l->s->work += q.work + n;
	arena_release(&a);
	return found ? CHEAP_FOUND : q.nodes >= CHEAP_NODES ? CHEAP_UNKNOWN : CHEAP_NONE;
}

/* w over as few parts of 1 as will do. */
static uint32_t on_whole_numbers(const struct piece *s, const double *w, uint32_t *out)
{
	uint32_t parts = 1;

	for (; parts < FEW; parts++) {
		double worst = 0;

		for (uint32_t k = 0; k < s->n; k++) {
			double v = w[k] * parts, off = fabs(v - floor(v + 0.5));

			worst = off > worst ? off : worst;
		}
		if (worst < NEAR_WHOLE)
			break;
	}
	if (parts == FEW)
		parts = FINE;
	for (uint32_t k = 0; k < s->n; k++)
		out[k] = (uint32_t)(w[k] * parts + 0.5);
	return parts;
}

/* Takes out what a cover does not need. */
static void thin_cover(const struct piece *s, uint8_t *taken)
{
	for (uint32_t k = 0; k < s->n; k++) {
		uint64_t others = 0, all = 0;

		if (!taken[k])
			continue;
		for (uint32_t q = 0; q < s->n; q++)
			if (taken[q]) {
				all |= s->bits[q];
				others |= q != k ? s->bits[q] : 0;
			}
		if (others == all)
			taken[k] = 0;
	}
}

static void keep(struct learner *l, const struct piece *s, const uint32_t *w, uint32_t least)
{
	uint64_t *rows = arena_zalloc(l->a, sizeof(*rows) * (l->in->rows / 64 + 1));
	struct cut *new;
	uint32_t n = 0;

	for (uint32_t k = 0; k < s->rows; k++)
		rows[s->row[k] / 64] |= (uint64_t)1 << s->row[k] % 64;

	if (l->in->knowns == l->cap) {
		struct cut *more = ARENA_ARRAY(l->a, struct cut, l->cap = 2 * l->cap + 256);

		if (l->in->knowns)
			memcpy(more, l->in->known, sizeof(*more) * l->in->knowns);
		l->in->known = more;
	}
	new = &l->in->known[l->in->knowns++];
	*new = (struct cut){ 0, ARENA_ARRAY(l->a, uint32_t, (size_t)s->cols + 1),
			     ARENA_ARRAY(l->a, uint32_t, (size_t)s->cols + 1), least, rows };
	for (uint32_t k = 0; k < s->cols; k++)
		if (w[s->trace[k]]) {
			new->col[n] = s->col[k];
			new->factor[n++] = w[s->trace[k]] < least ? w[s->trace[k]] : least;
		}
	new->n = n;
}

/* True if a cut was found. */
static bool separate(struct arena *a, struct learner *l, const struct piece *s)
{
	struct instance frame = { .rows = 0, .cols = s->n };
	struct tableau t;
	double *right = ARENA_ARRAY(a, double, (size_t)s->n + 1), *w = ARENA_ARRAY(a, double, (size_t)s->n + 1);
	uint32_t *whole = ARENA_ARRAY(a, uint32_t, (size_t)s->n + 1), parts = s->n + 1;
	uint8_t *taken = arena_alloc(a, (size_t)s->n + 1);
	struct tableau_term *term = ARENA_ARRAY(a, struct tableau_term, (size_t)s->n + 1);
	bool found = false;

	for (uint32_t k = 0; k < s->n; k++)
		right[k] = s->x[k] + NUDGE * (1 + (double)(k % 7) / 7);
	tableau_init(a, &t, &frame, right, COVERS_MOST);
	for (uint32_t k = 0; k < s->n; k++)
		whole[k] = 1;
	for (uint32_t covers = 0; covers < COVERS_MOST && l->s->work < l->end; covers++) {
		uint32_t least = parts - parts / SLACK;
		enum cheap_answer is = cheaper(l, s, whole, least, taken);
		double sum = 0;
		size_t n = 0;

		if (is == CHEAP_UNKNOWN)
			break;
		if (is == CHEAP_NONE) {
			for (uint32_t k = 0; k < s->n; k++)
				sum += whole[k] * s->x[k];
			if ((found = sum < (double)least * (1 - LEAST_GAIN)))
				keep(l, s, whole, least);
			break;
		}
		thin_cover(s, taken);
		for (uint32_t k = 0; k < s->n; k++)
			if (taken[k])
				term[n++] = (struct tableau_term){ k, 1 };
		if (!tableau_add(&t, s->n + covers, term, n, 1))
			break;
		tableau_solve(&t, 10000, UINT64_MAX, INFINITY);
		if (tableau_value(&t) > 1 - LEAST_GAIN / 2)
			break;
		tableau_cover(&t, w);
		parts = on_whole_numbers(s, w, whole);
	}
	l->s->work += t.work;
	return found;
}

static bool split(const struct learner *l, uint32_t r)
{
	for (uint64_t i = l->in->row_at[r]; i < l->in->row_at[r + 1]; i++) {
		double x = l->p->x[l->in->row_col[i]];

		if (x > 0.01 && x < 0.99)
			return true;
	}
	return false;
}

/* A piece from each row that is split; how many cuts were found. */
static uint32_t pass(struct learner *l, uint32_t rows)
{
	uint32_t found = 0;

	for (uint32_t r = 0; r < l->in->rows && l->s->work < l->end && !search_spent(l->s); r++) {
		struct arena a = { 0 };
		struct piece s;

		if (!split(l, r))
			continue;
		grow(l, &s, r, rows);
		find_traces(&a, l, &s);
		found += separate(&a, l, &s);
		arena_release(&a);
	}
	return found;
}

void pieces_learn(struct arena *a, struct search *s, struct instance *in, weight target, uint64_t work,
		  struct packing *p)
{
	struct learner l = { .s = s,
			     .in = in,
			     .a = a,
			     .p = p,
			     .end = s->work + work,
			     .cap = in->knowns,
			     .mask = arena_zalloc(a, sizeof(uint64_t) * ((size_t)in->cols + 1)),
			     .touched = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1),
			     .brings = ARENA_ARRAY(a, double, (size_t)in->rows + 1),
			     .near = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
			     .is_near = arena_zalloc(a, (size_t)in->rows + 1) };

	if (!packing_branches(p))
		return;
	for (uint32_t rows = FIRST_ROWS; rows <= PIECES_ROWS && p->bound < target && s->work < l.end;) {
		weight before = p->value;
		uint64_t pivots = p->pivots, worked = p->work;

		if (pass(&l, rows)) {
			packing_learn(a, in, p);
			s->work += p->work - worked;
			s->pivots += p->pivots - pivots;
		}
		if (p->value - before < PACKING_SCALE / LITTLE)
			rows += rows / 2;
	}
}

void pieces_prune(struct instance *in, uint32_t first, const double *x)
{
	uint32_t n = first;

	for (uint32_t k = first; k < in->knowns; k++) {
		const struct cut *cut = &in->known[k];
		double sum = 0;

		for (uint32_t i = 0; i < cut->n; i++)
			sum += cut->factor[i] * x[cut->col[i]];
		if (sum < cut->least * (1 + SPARE))
			in->known[n++] = *cut;
	}
	in->knowns = n;
}
