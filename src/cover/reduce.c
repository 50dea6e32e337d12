/* cover/reduce.c -- the reductions, driven by what changed.
 *
 * Alive flags and degrees over an immutable instance.  A row that lost a
 * column is looked at again as the smaller one (it may now lie inside others,
 * or be down to its demand); a column that lost a row likewise (it may now lie
 * inside another).  "Inside" tests start from the shortest list the smaller
 * side touches, are filtered by size and by a 64-bit signature (an OR of
 * hashed members: s inside t needs sig(s) & ~sig(t) == 0), and end in a merge
 * of sorted lists that stops at the first missing member.  Signatures of the
 * larger side may be stale, which only lets more pairs reach the merge.  Where
 * lists hold so much of all that bit sets are no larger, those are compared.
 * Stopping early is always right: so an interruption ends it at once.
 */
#include "cover/reduce.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/task.h"

#define DENSE 32 /* one of so many is there: a bit of each takes what a number of one takes */

struct side { /* rows seen as sets of columns, or columns as sets of rows */
	const uint64_t *at;
	const uint32_t *member;
	uint8_t *alive;
	uint32_t *degree;
	uint64_t *signature;
	uint8_t *dirty;
	/* Of dense instances, else NULL: the members of x from bits[x * words] on; which x live. */
	uint64_t *bits, *living;
	size_t words;
};

struct work {
	const struct instance *in;
	struct reduction *out;
	struct side row, col;
	uint32_t *unit; /* stack of rows down to their demand */
	uint32_t units;
	uint8_t *queued;
	bool quotas;
};

static uint64_t bit_of(uint32_t x) { return (uint64_t)1 << (mix64(x) & 63); }

static void end(struct side *s, uint32_t x)
{
	s->alive[x] = 0;
	if (s->living)
		s->living[x / 64] &= ~((uint64_t)1 << x % 64);
}

static void drop_row(struct work *w, uint32_t r)
{
	end(&w->row, r);
	w->out->rows_left--;
	for (uint64_t i = w->in->row_at[r]; i < w->in->row_at[r + 1]; i++) {
		uint32_t c = w->in->row_col[i];

		w->col.degree[c]--;
		w->col.dirty[c] = 1;
		if (w->col.alive[c] && w->col.degree[c] == 0) {
			end(&w->col, c);
			w->out->cols_left--;
		}
	}
}

static void look_at_unit(struct work *w, uint32_t r)
{
	if (w->row.degree[r] < w->out->demand[r])
		w->out->infeasible = true;
	else if (w->row.degree[r] == w->out->demand[r] && !w->queued[r]) {
		w->queued[r] = 1;
		w->unit[w->units++] = r;
	}
}

static void drop_col(struct work *w, uint32_t c)
{
	end(&w->col, c);
	w->out->cols_left--;
	for (uint64_t i = w->in->col_at[c]; i < w->in->col_at[c + 1]; i++) {
		uint32_t r = w->in->col_row[i];

		if (!w->row.alive[r])
			continue;
		w->row.degree[r]--;
		w->row.dirty[r] = 1;
		look_at_unit(w, r);
	}
}

static void take_col(struct work *w, uint32_t c, uint32_t why)
{
	w->out->taken[c] = 1;
	w->out->why[c] = why;
	w->out->taken_count++;
	end(&w->col, c);
	w->out->cols_left--;
	for (uint64_t i = w->in->col_at[c]; i < w->in->col_at[c + 1]; i++) {
		uint32_t r = w->in->col_row[i];

		if (!w->row.alive[r])
			continue;
		w->row.degree[r]--;
		if (--w->out->demand[r] == 0) {
			drop_row(w, r);
		} else { /* its members need fewer dominators now */
			w->row.dirty[r] = 1;
			look_at_unit(w, r);
			for (uint64_t k = w->in->row_at[r]; k < w->in->row_at[r + 1]; k++)
				w->col.dirty[w->in->row_col[k]] = 1;
		}
	}
}

static void take_units(struct work *w)
{
	while (w->units && !w->out->infeasible) {
		uint32_t r = w->unit[--w->units];

		w->queued[r] = 0;
		for (uint64_t i = w->in->row_at[r]; w->row.alive[r] && i < w->in->row_at[r + 1]; i++)
			if (w->col.alive[w->in->row_col[i]])
				take_col(w, w->in->row_col[i], r);
	}
}

static bool inside_bits(const struct side *s, const struct side *members, uint32_t x, uint32_t y)
{
	const uint64_t *a = s->bits + x * s->words, *b = s->bits + y * s->words;

	for (size_t i = 0; i < s->words; i++)
		if (a[i] & members->living[i] & ~b[i])
			return false;
	return true;
}

/* Are x's living members all in y? */
static bool inside(const struct side *s, const struct side *members, uint32_t x, uint32_t y)
{
	uint64_t i = s->at[x], j = s->at[y], i_end = s->at[x + 1], j_end = s->at[y + 1];

	if (s->bits)
		return inside_bits(s, members, x, y);
	for (; i < i_end; i++) {
		uint32_t m = s->member[i];

		if (!members->alive[m])
			continue;
		while (j < j_end && s->member[j] < m)
			j++;
		if (j == j_end || s->member[j] != m)
			return false;
	}
	return true;
}

/* The living member of x with the lowest degree; refreshes x's signature. */
static uint32_t narrowest(struct side *s, const struct side *other, uint32_t x)
{
	uint32_t best = REDUCE_NONE;
	uint64_t sig = 0;

	for (uint64_t i = s->at[x]; i < s->at[x + 1]; i++) {
		uint32_t m = s->member[i];

		if (!other->alive[m])
			continue;
		sig |= bit_of(m);
		if (best == REDUCE_NONE || other->degree[m] < other->degree[best])
			best = m;
	}
	s->signature[x] = sig;
	return best;
}

static void drop_rows_around(struct work *w, uint32_t e)
{
	uint32_t c = narrowest(&w->row, &w->col, e);

	if (c == REDUCE_NONE)
		return;
	for (uint64_t i = w->in->col_at[c]; i < w->in->col_at[c + 1]; i++) {
		uint32_t f = w->in->col_row[i];

		if (f == e || !w->row.alive[f] || w->row.degree[f] < w->row.degree[e] ||
		    w->out->demand[f] > w->out->demand[e] || (w->row.signature[e] & ~w->row.signature[f]))
			continue;
		if (inside(&w->row, &w->col, e, f))
			drop_row(w, f);
	}
}

/* How many columns must dominate s before it may go: the largest open demand. */
static uint32_t dominators_needed(const struct work *w, uint32_t s)
{
	uint32_t need = 1;

	if (w->quotas)
		for (uint64_t i = w->in->col_at[s]; i < w->in->col_at[s + 1]; i++)
			if (w->row.alive[w->in->col_row[i]] && w->out->demand[w->in->col_row[i]] > need)
				need = w->out->demand[w->in->col_row[i]];
	return need;
}

static void drop_if_dominated(struct work *w, uint32_t s)
{
	uint32_t r = narrowest(&w->col, &w->row, s), need = dominators_needed(w, s);

	if (r == REDUCE_NONE)
		return;
	for (uint64_t i = w->in->row_at[r]; i < w->in->row_at[r + 1]; i++) {
		uint32_t t = w->in->row_col[i];
		bool equal;

		if (t == s || !w->col.alive[t] || w->col.degree[t] < w->col.degree[s] ||
		    (w->col.signature[s] & ~w->col.signature[t]))
			continue;
		equal = w->col.degree[t] == w->col.degree[s];
		if (w->in->w[t] > w->in->w[s]) {
			if (equal && need == 1 && inside(&w->col, &w->row, s, t))
				drop_col(w, t); /* the same set, dearer */
			continue;
		}
		if (equal && w->in->w[t] == w->in->w[s] && t > s) {
			if (need == 1 && inside(&w->col, &w->row, s, t))
				drop_col(w, t);
			continue;
		}
		if (inside(&w->col, &w->row, s, t) && --need == 0) {
			drop_col(w, s);
			return;
		}
	}
}

static bool reduce_rows(struct work *w)
{
	bool any = false;

	for (uint32_t r = 0; r < w->in->rows && !task_interrupted(); r++)
		if (w->row.alive[r] && w->row.dirty[r]) {
			w->row.dirty[r] = 0;
			any = true;
			drop_rows_around(w, r);
		}
	return any;
}

static bool reduce_cols(struct work *w)
{
	bool any = false;

	for (uint32_t c = 0; c < w->in->cols && !task_interrupted(); c++)
		if (w->col.alive[c] && w->col.dirty[c]) {
			w->col.dirty[c] = 0;
			any = true;
			drop_if_dominated(w, c);
		}
	return any;
}

static void side_init(struct arena *a, struct side *s, uint32_t n, const uint64_t *at, const uint32_t *member)
{
	s->at = at;
	s->member = member;
	s->alive = arena_alloc(a, (size_t)n + 1);
	s->dirty = arena_alloc(a, (size_t)n + 1);
	memset(s->alive, 1, n);
	memset(s->dirty, 1, n);
	s->degree = ARENA_ARRAY(a, uint32_t, (size_t)n + 1);
	s->signature = ARENA_ARRAY(a, uint64_t, (size_t)n + 1);
	for (uint32_t x = 0; x < n; x++) {
		s->degree[x] = (uint32_t)(at[x + 1] - at[x]);
		s->signature[x] = 0;
		for (uint64_t i = at[x]; i < at[x + 1]; i++)
			s->signature[x] |= bit_of(member[i]);
	}
}

static void side_bits(struct arena *a, struct side *s, uint32_t n, uint32_t members)
{
	s->words = ((size_t)members + 63) / 64;
	s->bits = ARENA_ARRAY(a, uint64_t, n * s->words + 1);
	memset(s->bits, 0, n * s->words * sizeof *s->bits);
	for (uint32_t x = 0; x < n; x++)
		for (uint64_t i = s->at[x]; i < s->at[x + 1]; i++)
			s->bits[x * s->words + s->member[i] / 64] |= (uint64_t)1 << s->member[i] % 64;
	s->living = ARENA_ARRAY(a, uint64_t, (size_t)n / 64 + 1);
	memset(s->living, 0xff, ((size_t)n / 64 + 1) * sizeof *s->living);
}

void reduce(struct arena *a, const struct instance *in, struct reduction *out)
{
	struct work w = { .in = in, .out = out };

	side_init(a, &w.row, in->rows, in->row_at, in->row_col);
	side_init(a, &w.col, in->cols, in->col_at, in->col_row);
	if (in->rows > 64 && in->cols > 64 && in->row_at[in->rows] * DENSE >= (uint64_t)in->rows * in->cols) {
		side_bits(a, &w.row, in->rows, in->cols);
		side_bits(a, &w.col, in->cols, in->rows);
	}
	*out = (struct reduction){
		.row_alive = w.row.alive, .col_alive = w.col.alive, .rows_left = in->rows, .cols_left = in->cols
	};
	out->taken = arena_zalloc(a, (size_t)in->cols + 1);
	out->demand = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1);
	out->why = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);
	memset(out->why, 0xff, sizeof(*out->why) * in->cols);
	w.unit = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1);
	w.queued = arena_zalloc(a, (size_t)in->rows + 1);
	for (uint32_t r = 0; r < in->rows; r++)
		out->demand[r] = in->demand[r];
	for (uint32_t r = 0; r < in->rows; r++) {
		w.quotas |= in->demand[r] > 1;
		if (in->demand[r] == 0)
			drop_row(&w, r);
	}
	for (uint32_t c = 0; c < in->cols; c++)
		if (w.col.alive[c] && w.col.degree[c] == 0) {
			end(&w.col, c);
			out->cols_left--;
		}
	for (uint32_t r = 0; r < in->rows; r++)
		if (w.row.alive[r])
			look_at_unit(&w, r);
	for (bool more = true; more && !out->infeasible && !task_interrupted();) {
		take_units(&w);
		more = reduce_cols(&w);
		take_units(&w);
		more |= reduce_rows(&w);
	}
}
