/* cover/sweep.c -- see sweep.h.
 *
 * The order of the columns: row by row, the next row being one that brings the fewest new rows into the front; of several
 * rows to begin with, the one after which the fronts are narrowest.
 *
 * Each row of the front has a bit; a state is a set of those bits with the least cost of reaching it.  States of a step
 * are found by a hash table.  Where each came from is kept, four bytes a state, so that the cover can be read back.
 */
#include "cover/sweep.h"

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

#define WORDS 2
#define WIDEST 80		 /* rows of a front, at most 64 * WORDS: beyond it there are too many states */
#define STARTS 100		 /* rows to begin with, for each order */
#define ORDERS 4		 /* that are begun with */
#define FIRST_TRY 16		 /* part of the work that each of them has; all of it has the one that came furthest */
#define STATES_MOST (1u << 19)	 /* of a step: 40 MiB */
#define HISTORY_MOST (16u << 20) /* of all steps: 64 MiB */
#define RIVALS 4		 /* of the cheapest states, that others are compared with */
#define PRICED 3000		 /* states, from which on dual values are found anew */
#define PRICE_EVERY 5		 /* steps */
#define PRICE_WORK 100000000
#define LOOK_UP 20 /* what finding a state counts as work */

struct order {
	uint32_t *col, width;
	double score;
};

struct state {
	uint64_t bit[WORDS];
	uint32_t cost, from; /* from: number of the state before, twice, and whether the column was taken */
};

struct table {
	struct state *state;
	uint32_t n, cap, *slot, slots; /* slot: state + 1, or 0 */
};

struct sweep {
	const struct instance *in;
	uint32_t *left, *place; /* rows: columns to come; its bit in the front */
	uint64_t front[WORDS];
	uint64_t (*ahead)[WORDS]; /* what columns to come cover of the front, less what lies inside others */
	uint32_t aheads;
	/* Two sets of dual values, of all that is to come and of what no column was decided of: the sum of the latter
	 * rows; by row; of the front. */
	weight rest[2], *u[2], price[2][64 * WORDS];
	uint32_t known; /* size of the best cover */
	struct table now, next;
	struct state rival[RIVALS];
	uint32_t rivals, least;
	uint32_t **from; /* by step */
	uint64_t history, work, limit;
};

/* How many rows a row would bring into the front with the columns that it lacks. */
static uint32_t brings(const struct instance *in, const uint8_t *done, const uint8_t *met, uint32_t r, uint32_t *seen,
		       uint32_t mark)
{
	uint32_t n = 0;

	for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++) {
		uint32_t c = in->row_col[i];

		for (uint64_t k = in->col_at[c]; !done[c] && k < in->col_at[c + 1]; k++)
			if (!met[in->col_row[k]] && seen[in->col_row[k]] != mark) {
				seen[in->col_row[k]] = mark;
				n++;
			}
	}
	return n;
}

/* Of the columns that row r lacks, the one that widens the front least. */
static uint32_t next_column(const struct instance *in, const uint8_t *done, const uint8_t *met, const uint32_t *left,
			    uint32_t r, uint64_t *work)
{
	uint32_t best = UINT32_MAX;
	int64_t least = 0;

	for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1]; i++) {
		uint32_t c = in->row_col[i];
		int64_t wider = 0;

		if (done[c])
			continue;
		*work += in->col_at[c + 1] - in->col_at[c];
		for (uint64_t k = in->col_at[c]; k < in->col_at[c + 1]; k++)
			wider += !met[in->col_row[k]] ? 1 : left[in->col_row[k]] == 1 ? -1 : 0;
		if (best == UINT32_MAX || wider < least) {
			best = c;
			least = wider;
		}
	}
	return best;
}

/* About how many states a front may have.  Multiplied out, since a library's pow() need not be the same everywhere. */
static double states_of(uint32_t front)
{
	double n = 1;

	while (front--)
		n *= 1.5;
	return n;
}

/* From row `first` on; gives up when it gets worse than `best`, or has touched numbers up to `limit`. */
static bool find_order(struct arena *a, const struct instance *in, uint32_t first, const struct order *best,
		       struct order *o, uint64_t limit, uint64_t *work)
{
	uint8_t *done = arena_zalloc(a, (size_t)in->cols + 1), *met = arena_zalloc(a, (size_t)in->rows + 1);
	uint32_t *left = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
		 *seen = arena_zalloc(a, sizeof(*seen) * ((size_t)in->rows + 1)), mark = 0, n = 0, front = 0;

	*o = (struct order){ .col = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1) };
	for (uint32_t r = 0; r < in->rows; r++)
		left[r] = (uint32_t)(in->row_at[r + 1] - in->row_at[r]);
	for (uint32_t row = first; n < in->cols;) {
		uint32_t c, least = UINT32_MAX;

		while ((c = next_column(in, done, met, left, row, work)) != UINT32_MAX) {
			done[c] = 1;
			o->col[n++] = c;
			for (uint64_t k = in->col_at[c]; k < in->col_at[c + 1]; k++) {
				front += !met[in->col_row[k]];
				met[in->col_row[k]] = 1;
			}
			o->width = front > o->width ? front : o->width;
			for (uint64_t k = in->col_at[c]; k < in->col_at[c + 1]; k++)
				front -= --left[in->col_row[k]] == 0;
			if (o->width > WIDEST || o->score > best->score || *work > limit)
				return false;
			o->score += states_of(front);
		}
		for (uint32_t r = 0; r < in->rows; r++) {
			uint32_t by;

			if (!left[r] || !met[r])
				continue;
			*work += in->row_at[r + 1] - in->row_at[r];
			by = brings(in, done, met, r, seen, ++mark);
			*work += 4 * by;
			if (by < least) {
				least = by;
				row = r;
			}
		}
		if (least == UINT32_MAX && n < in->cols)
			return false; /* it falls apart */
	}
	return true;
}

/* The best order that begins with one of the rows from `first` on and before `end`; false if all are too wide. */
static bool narrowest(struct arena *a, const struct instance *in, uint32_t first, uint32_t end, struct order *best,
		      uint64_t limit, uint64_t *work)
{
	uint32_t rows = end - first, starts = rows < STARTS ? rows : STARTS,
		 *col = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1);

	*best = (struct order){ .score = INFINITY };
	for (uint32_t k = 0; k < starts && *work < limit; k++) {
		struct arena one = { 0 };
		struct order o;

		if (find_order(&one, in, first + (uint32_t)((uint64_t)k * rows / starts), best, &o, limit, work) &&
		    o.score < best->score) {
			*best = (struct order){ col, o.width, o.score };
			memcpy(col, o.col, sizeof(*col) * in->cols);
		}
		arena_release(&one);
	}
	return best->col != NULL;
}

static uint64_t hash_of(const uint64_t *bit)
{
	uint64_t h = 0;

	for (int k = 0; k < WORDS; k++)
		h = mix64(h ^ bit[k]);
	return h;
}

static bool same(const uint64_t *x, const uint64_t *y)
{
	for (int k = 0; k < WORDS; k++)
		if (x[k] != y[k])
			return false;
	return true;
}

/* The slot of the state with these bits, or of none. */
static uint32_t find(const struct table *t, const uint64_t *bit)
{
	uint32_t at = (uint32_t)hash_of(bit) & (t->slots - 1);

	while (t->slot[at] && !same(t->state[t->slot[at] - 1].bit, bit))
		at = (at + 1) & (t->slots - 1);
	return at;
}

static void table_clear(struct table *t, uint32_t expected)
{
	uint32_t slots = 1024;

	while (slots < 3 * expected)
		slots *= 2;
	if (slots != t->slots) {
		mem_free(t->slot);
		t->slot = mem_array(slots, sizeof(*t->slot));
		t->slots = slots;
	}
	memset(t->slot, 0, sizeof(*t->slot) * slots);
	if (t->cap < expected) {
		mem_free(t->state);
		t->state = mem_array(t->cap = expected, sizeof(*t->state));
	}
	t->n = 0;
}

static void put(struct table *t, const struct state *s)
{
	uint32_t at = find(t, s->bit);

	if (!t->slot[at]) {
		t->state[t->n++] = *s;
		t->slot[at] = t->n;
	} else if (s->cost < t->state[t->slot[at] - 1].cost) {
		t->state[t->slot[at] - 1] = *s;
	}
}

/* The least cost of covering this and no more of the front. */
static uint32_t cost_of(const struct table *t, const uint64_t *bit)
{
	uint32_t k = t->slot[find(t, bit)];

	return k ? t->state[k - 1].cost : UINT32_MAX;
}

static bool empty(const uint64_t *x)
{
	for (int k = 0; k < WORDS; k++)
		if (x[k])
			return false;
	return true;
}

/* Both sides of deciding a column that covers `mask` of the front and is the last one of the rows `last`. */
static void decide(struct sweep *w, const uint64_t *mask, const uint64_t *last)
{
	table_clear(&w->next, 2 * w->now.n + 2);
	for (uint32_t k = 0; k < w->now.n; k++) {
		struct state s = w->now.state[k], t;
		bool may_leave = true, may_take = false;

		t = s;
		for (int i = 0; i < WORDS; i++) {
			may_leave &= !(last[i] & ~s.bit[i]);
			may_take |= (mask[i] & ~s.bit[i]) != 0;
			t.bit[i] = (s.bit[i] | mask[i]) & ~last[i];
			s.bit[i] &= ~last[i];
		}
		s.from = 2 * k;
		t.from = 2 * k + 1;
		t.cost++;
		if (may_leave)
			put(&w->next, &s);
		if (may_take)
			put(&w->next, &t);
	}
	w->work += 2 * LOOK_UP * (uint64_t)w->now.n;
}

/* What the columns to come cover of the front; those inside others need not be asked. */
static void look_ahead(struct sweep *w, const uint32_t *col, uint32_t n)
{
	w->aheads = 0;
	for (uint32_t k = 0; k < n; k++) {
		uint64_t x[WORDS] = { 0 };
		uint32_t kept = 0;
		bool inside = false;

		for (uint64_t i = w->in->col_at[col[k]]; i < w->in->col_at[col[k] + 1]; i++) {
			uint32_t bit = w->place[w->in->col_row[i]];

			if (bit != UINT32_MAX)
				x[bit / 64] |= (uint64_t)1 << bit % 64;
		}
		for (uint32_t j = 0; j < w->aheads && !inside; j++) {
			inside = true;
			for (int i = 0; i < WORDS; i++)
				inside &= !(x[i] & ~w->ahead[j][i]);
		}
		if (inside || empty(x))
			continue;
		for (uint32_t j = 0; j < w->aheads; j++) {
			bool goes = true;

			for (int i = 0; i < WORDS; i++)
				goes &= !(w->ahead[j][i] & ~x[i]);
			if (!goes)
				memmove(w->ahead[kept++], w->ahead[j], sizeof(x));
		}
		memcpy(w->ahead[kept++], x, sizeof(x));
		w->aheads = kept;
		w->work += kept;
	}
}

/* Without the instruction for it, which not every machine has, the compiler's own is a call. */
static uint32_t ones(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555u;
	x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (uint32_t)(x * 0x0101010101010101u >> 56);
}

static uint32_t count(const uint64_t *x, const uint64_t *y)
{
	uint32_t n = 0;

	for (int i = 0; i < WORDS; i++)
		n += ones(x[i] & y[i]);
	return n;
}

/* Does r, with as many columns to come as it is cheaper, cover all that s does?  Greedily, so "no" means nothing. */
static bool rivalled(struct sweep *w, const struct state *s, const struct state *r)
{
	uint64_t lacks[WORDS];
	uint32_t room = s->cost - r->cost;

	if (s->cost < r->cost || same(s->bit, r->bit))
		return false;
	for (int i = 0; i < WORDS; i++)
		lacks[i] = s->bit[i] & ~r->bit[i];
	while (!empty(lacks) && room) {
		uint32_t best = 0, most = 0;

		for (uint32_t k = 0; k < w->aheads; k++) {
			uint32_t n = count(lacks, w->ahead[k]);

			if (n > most) {
				most = n;
				best = k;
			}
		}
		w->work += w->aheads;
		if (!most)
			return false;
		for (int i = 0; i < WORDS; i++)
			lacks[i] &= ~w->ahead[best][i];
		room--;
	}
	return empty(lacks);
}

/* What dual values say of the rows that are open: too much for a cover that is smaller than the one known? */
static bool too_dear(const struct sweep *w, const struct state *s)
{
	int64_t open[2] = { (int64_t)w->rest[0], (int64_t)w->rest[1] },
		room = ((int64_t)w->known - 1 - (int64_t)s->cost) * PACKING_SCALE;

	for (int i = 0; i < WORDS; i++)
		for (uint64_t x = w->front[i] & ~s->bit[i]; x; x &= x - 1) {
			open[0] += (int64_t)w->price[0][64 * i + __builtin_ctzll(x)];
			open[1] += (int64_t)w->price[1][64 * i + __builtin_ctzll(x)];
		}
	return open[0] > room || open[1] > room;
}

static void sum_prices(struct sweep *w)
{
	for (int k = 0; k < 2; k++) {
		w->rest[k] = 0;
		for (uint32_t r = 0; r < w->in->rows; r++) {
			if (w->place[r] != UINT32_MAX)
				w->price[k][w->place[r]] = w->u[k][r];
			else if (w->left[r])
				w->rest[k] += w->u[k][r];
		}
	}
}

/* The dual values of what is to come, with the front or without it. */
static void price(struct sweep *w, const uint32_t *col, uint32_t n, int without_front)
{
	struct arena a = { 0 };
	const struct instance *in = w->in;
	uint32_t *row = ARENA_ARRAY(&a, uint32_t, (size_t)in->rows + 1), rows = 0,
		 *scratch = ARENA_ARRAY(&a, uint32_t, (size_t)in->cols + 1);
	uint8_t *use = arena_zalloc(&a, (size_t)in->cols + 1);
	struct packing relaxed;
	struct instance part;

	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	for (uint32_t k = 0; k < n; k++)
		use[col[k]] = 1;
	for (uint32_t r = 0; r < in->rows; r++) {
		w->u[without_front][r] = 0;
		if (w->left[r] && !(without_front && w->place[r] != UINT32_MAX))
			row[rows++] = r;
	}
	if (rows) {
		instance_part(&a, &part, in, row, rows, use, in->demand, in->w, scratch);
		packing_solve(&a, &part, PRICE_WORK, &relaxed);
		packing_repair(&part, relaxed.u, PACKING_SCALE);
		for (uint32_t i = 0; i < rows; i++)
			w->u[without_front][row[i]] = relaxed.u[i];
		w->work += relaxed.work;
	}
	arena_release(&a);
}

/* Is there a state that is as good whatever follows?  It has a lower cost, or more of the front at the same. */
static bool dominated(struct sweep *w, const struct state *s)
{
	for (uint32_t k = 0; k < w->rivals; k++)
		if (rivalled(w, s, &w->rival[k]))
			return true;
	for (uint32_t k = 0; k < w->aheads && s->cost > w->least; k++) {
		uint64_t x[WORDS];
		bool less = false;

		for (int i = 0; i < WORDS; i++) {
			x[i] = s->bit[i] & ~w->ahead[k][i];
			less |= x[i] != s->bit[i];
		}
		w->work += LOOK_UP;
		if (less && cost_of(&w->next, x) < s->cost)
			return true;
	}
	for (int i = 0; i < WORDS; i++)
		for (uint64_t more = w->front[i] & ~s->bit[i]; more; more &= more - 1) {
			uint64_t x[WORDS];

			memcpy(x, s->bit, sizeof(x));
			x[i] |= more & -more;
			w->work += LOOK_UP;
			if (cost_of(&w->next, x) <= s->cost)
				return true;
		}
	return false;
}

static void find_rivals(struct sweep *w)
{
	w->least = UINT32_MAX;
	w->rivals = 0;
	for (uint32_t k = 0; k < w->next.n; k++)
		w->least = w->next.state[k].cost < w->least ? w->next.state[k].cost : w->least;
	for (uint32_t k = 0; k < w->next.n && w->rivals < RIVALS; k++)
		if (w->next.state[k].cost == w->least)
			w->rival[w->rivals++] = w->next.state[k];
}

/* What is worth going on with: becomes `now`.  False if it is too much. */
static bool thin_out(struct sweep *w, struct search *s, uint32_t step)
{
	uint32_t n = 0, *from;

	find_rivals(w);
	table_clear(&w->now, w->next.n);
	for (uint32_t k = 0; k < w->next.n && w->work < w->limit; k++)
		if (!too_dear(w, &w->next.state[k]) && !dominated(w, &w->next.state[k]))
			w->now.state[n++] = w->next.state[k];
	w->now.n = n;
	w->work += 40 * (uint64_t)w->next.n;
	w->history += n;
	search_tell(s, w->work);
	if (n > STATES_MOST || w->history > HISTORY_MOST || w->work >= w->limit || search_spent(s))
		return false;
	from = w->from[step] = mem_array((size_t)n + 1, sizeof(*from));
	for (uint32_t k = 0; k < n; k++)
		from[k] = w->now.state[k].from;
	return true;
}

/* The rows of column c come into the front, and those that it is the last one of leave it. */
static void move_front(struct sweep *w, uint32_t c, uint64_t *mask, uint64_t *last)
{
	for (uint64_t i = w->in->col_at[c]; i < w->in->col_at[c + 1]; i++) {
		uint32_t r = w->in->col_row[i], bit = 0;

		if (w->place[r] == UINT32_MAX) {
			while (w->front[bit / 64] >> bit % 64 & 1)
				bit++;
			w->front[bit / 64] |= (uint64_t)1 << bit % 64;
			w->place[r] = bit;
		}
		bit = w->place[r];
		mask[bit / 64] |= (uint64_t)1 << bit % 64;
		if (--w->left[r] == 0) {
			last[bit / 64] |= (uint64_t)1 << bit % 64;
			w->place[r] = UINT32_MAX;
		}
	}
}

/* How many columns were decided: all of them, if it went through. */
static uint32_t run(struct sweep *w, struct search *s, const struct order *o)
{
	struct state begin = { { 0 }, 0, 0 };
	uint32_t priced = 0, k = 0; /* steps */

	table_clear(&w->now, 1);
	w->now.state[w->now.n++] = begin;
	for (; k < w->in->cols; k++) {
		uint64_t mask[WORDS] = { 0 }, last[WORDS] = { 0 };

		move_front(w, o->col[k], mask, last);
		decide(w, mask, last);
		for (int i = 0; i < WORDS; i++)
			w->front[i] &= ~last[i];
		look_ahead(w, o->col + k + 1, w->in->cols - k - 1);
		if (w->next.n > PRICED && k >= priced + PRICE_EVERY) {
			price(w, o->col + k + 1, w->in->cols - k - 1, 0);
			price(w, o->col + k + 1, w->in->cols - k - 1, 1);
			priced = k;
		}
		sum_prices(w);
		if (!thin_out(w, s, k))
			break;
	}
	return k;
}

/* The cover that the only state left at the end stands for. */
static void read_back(const struct sweep *w, const struct order *o, uint8_t *taken)
{
	uint32_t at = 0;

	memset(taken, 0, w->in->cols);
	for (uint32_t k = w->in->cols; k-- > 0;) {
		taken[o->col[k]] = w->from[k][at] & 1;
		at = w->from[k][at] / 2;
	}
}

static bool is_plain(const struct instance *in)
{
	for (uint32_t c = 0; c < in->cols; c++)
		if (in->w[c] != 1)
			return false;
	for (uint32_t r = 0; r < in->rows; r++)
		if (in->demand[r] != 1)
			return false;
	return in->rows > 0;
}

/* How far an order comes within `work`; taken[] is as small as can be if that is all the way. */
static uint32_t attempt(struct search *s, const struct instance *in, const weight *u, const struct order *o,
			uint64_t work, uint8_t *taken)
{
	struct sweep w = { .in = in, .known = (uint32_t)instance_cost(in, taken), .limit = work };
	struct arena a = { 0 };
	uint32_t steps;

	w.left = ARENA_ARRAY(&a, uint32_t, (size_t)in->rows + 1);
	w.place = ARENA_ARRAY(&a, uint32_t, (size_t)in->rows + 1);
	w.ahead = arena_alloc(&a, sizeof(*w.ahead) * ((size_t)in->cols + 1));
	w.from = arena_zalloc(&a, sizeof(*w.from) * ((size_t)in->cols + 1));
	w.u[0] = ARENA_ARRAY(&a, weight, (size_t)in->rows + 1);
	w.u[1] = ARENA_ARRAY(&a, weight, (size_t)in->rows + 1);
	memset(w.place, 0xff, sizeof(*w.place) * in->rows);
	for (uint32_t r = 0; r < in->rows; r++) {
		w.left[r] = (uint32_t)(in->row_at[r + 1] - in->row_at[r]);
		w.u[0][r] = w.u[1][r] = u[r];
	}
	steps = run(&w, s, o);
	if (steps == in->cols && w.now.n)
		read_back(&w, o, taken);
	for (uint32_t k = 0; k < in->cols; k++)
		mem_free(w.from[k]);
	mem_free(w.now.state);
	mem_free(w.now.slot);
	mem_free(w.next.state);
	mem_free(w.next.slot);
	s->work += w.work;
	arena_release(&a);
	return steps;
}

bool sweep_cover(struct search *s, const struct instance *in, const weight *u, uint64_t work, uint8_t *taken)
{
	struct arena a = { 0 };
	struct order order[ORDERS], *best = NULL;
	uint64_t limit = s->work + work;
	uint32_t furthest = 0;

	for (uint32_t k = 0; k < ORDERS && is_plain(in) && furthest < in->cols; k++) {
		uint32_t first = (uint32_t)((uint64_t)k * in->rows / ORDERS),
			 end = (uint32_t)((uint64_t)(k + 1) * in->rows / ORDERS), steps;

		if (!narrowest(&a, in, first, end, &order[k], limit, &s->work))
			continue;
		if ((steps = attempt(s, in, u, &order[k], work / FIRST_TRY, taken)) > furthest) {
			furthest = steps;
			best = &order[k];
		}
	}
	if (best && furthest < in->cols)
		furthest = attempt(s, in, u, best, work, taken);
	arena_release(&a);
	return furthest == in->cols;
}
