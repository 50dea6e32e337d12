/* cover/local.c -- see local.h.
 *
 * score(c) is what taking or leaving c changes in the weight of what rows have of their demand: for a column outside, the
 * weight of open rows that it is in; for one inside, less the weight of rows that have no more than they ask for.  Kept up
 * to date by the steps: when a row's number of coverers passes its demand from one below to one above, its columns' scores
 * change.
 */
#include "cover/local.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/task.h"

#define STEPS_TOLD 65536 /* after so many it is told how far the search is */

struct state {
	const struct instance *in;
	uint8_t *taken, *may_enter;
	uint32_t *count;		/* rows: taken columns in it */
	uint32_t *open, *place, opens;	/* rows that are open; where each is in that list */
	uint32_t *inside, *where, size; /* taken columns, likewise */
	int64_t *score, *row_weight;
	uint64_t *since; /* columns: the step of the last move */
	uint64_t step, work;
};

static void list_add(uint32_t *list, uint32_t *place, uint32_t *n, uint32_t x)
{
	place[x] = *n;
	list[(*n)++] = x;
}

static void list_remove(uint32_t *list, uint32_t *place, uint32_t *n, uint32_t x)
{
	uint32_t last = list[--*n];

	list[place[x]] = last;
	place[last] = place[x];
}

/* Adds to the scores of the columns of r but c that are taken, of a row that has `left` of them. */
static void shift_taken(struct state *s, uint32_t r, uint32_t c, uint32_t left, int64_t by)
{
	uint64_t i;

	for (i = s->in->row_at[r]; left; i++)
		if (s->taken[s->in->row_col[i]] && s->in->row_col[i] != c) {
			s->score[s->in->row_col[i]] += by;
			left--;
		}
	s->work += s->in->demand[r] > 1 ? i - s->in->row_at[r] : 0;
}

/* Adds to the scores of the columns of r but c that are not taken. */
static void shift_others(struct state *s, uint32_t r, uint32_t c, int64_t by)
{
	for (uint64_t i = s->in->row_at[r]; i < s->in->row_at[r + 1]; i++)
		if (s->in->row_col[i] != c && !s->taken[s->in->row_col[i]]) {
			s->score[s->in->row_col[i]] += by;
			s->may_enter[s->in->row_col[i]] = 1;
		}
	s->work += s->in->row_at[r + 1] - s->in->row_at[r];
}

static void enter(struct state *s, uint32_t c)
{
	const struct instance *in = s->in;

	s->score[c] = -s->score[c];
	for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++) {
		uint32_t r = in->col_row[i];

		if (s->count[r] + 1 == in->demand[r]) {
			list_remove(s->open, s->place, &s->opens, r);
			shift_others(s, r, c, -s->row_weight[r]);
		} else if (s->count[r] == in->demand[r]) {
			shift_taken(s, r, c, s->count[r], s->row_weight[r]);
		}
		s->count[r]++;
	}
	s->taken[c] = 1;
	list_add(s->inside, s->where, &s->size, c);
	s->since[c] = s->step;
	s->work += in->col_at[c + 1] - in->col_at[c];
}

static void leave(struct state *s, uint32_t c)
{
	const struct instance *in = s->in;

	s->score[c] = -s->score[c];
	s->taken[c] = 0;
	s->may_enter[c] = 0;
	for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++) {
		uint32_t r = in->col_row[i];

		s->count[r]--;
		if (s->count[r] + 1 == in->demand[r]) {
			list_add(s->open, s->place, &s->opens, r);
			shift_others(s, r, c, s->row_weight[r]);
		} else if (s->count[r] == in->demand[r]) {
			shift_taken(s, r, c, s->count[r], -s->row_weight[r]);
		}
	}
	list_remove(s->inside, s->where, &s->size, c);
	s->since[c] = s->step;
	s->work += in->col_at[c + 1] - in->col_at[c];
}

static bool better(const struct state *s, uint32_t c, uint32_t best)
{
	if (s->score[c] != s->score[best])
		return s->score[c] > s->score[best];
	if (s->since[c] != s->since[best])
		return s->since[c] < s->since[best];
	return c < best;
}

/* The taken column that is missed least, but not `tabu`. */
static uint32_t least_missed(struct state *s, uint32_t tabu)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < s->size; i++)
		if (s->inside[i] != tabu && (best == UINT32_MAX || better(s, s->inside[i], best)))
			best = s->inside[i];
	s->work += s->size;
	return best;
}

/* The column of row r that covers most, among those that may come in. */
static uint32_t most_wanted(struct state *s, uint32_t r)
{
	uint32_t best = UINT32_MAX;

	for (uint64_t i = s->in->row_at[r]; i < s->in->row_at[r + 1]; i++) {
		uint32_t c = s->in->row_col[i];

		if (s->may_enter[c] && !s->taken[c] && (best == UINT32_MAX || better(s, c, best)))
			best = c;
	}
	s->work += s->in->row_at[r + 1] - s->in->row_at[r];
	return best;
}

static void weigh_open_rows(struct state *s)
{
	for (uint32_t k = 0; k < s->opens; k++) {
		uint32_t r = s->open[k];

		s->row_weight[r]++;
		for (uint64_t i = s->in->row_at[r]; i < s->in->row_at[r + 1]; i++)
			s->score[s->in->row_col[i]] += s->taken[s->in->row_col[i]] ? -1 : 1;
		s->work += s->in->row_at[r + 1] - s->in->row_at[r];
	}
}

static void state_init(struct arena *a, struct state *s, const struct instance *in, const uint8_t *taken)
{
	*s = (struct state){ .in = in,
			     .taken = arena_zalloc(a, (size_t)in->cols + 1),
			     .may_enter = arena_alloc(a, (size_t)in->cols + 1),
			     .count = arena_zalloc(a, sizeof(uint32_t) * ((size_t)in->rows + 1)),
			     .open = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
			     .place = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
			     .inside = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1),
			     .where = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1),
			     .score = ARENA_ARRAY(a, int64_t, (size_t)in->cols + 1),
			     .row_weight = ARENA_ARRAY(a, int64_t, (size_t)in->rows + 1),
			     .since = arena_zalloc(a, sizeof(uint64_t) * ((size_t)in->cols + 1)) };
	memset(s->may_enter, 1, in->cols);
	for (uint32_t r = 0; r < in->rows; r++) {
		s->row_weight[r] = 1;
		list_add(s->open, s->place, &s->opens, r);
	}
	for (uint32_t c = 0; c < in->cols; c++)
		s->score[c] = (int64_t)(in->col_at[c + 1] - in->col_at[c]);
	for (uint32_t c = 0; c < in->cols; c++)
		if (taken[c])
			enter(s, c);
}

static bool all_ones(const struct instance *in)
{
	for (uint32_t c = 0; c < in->cols; c++)
		if (in->w[c] != 1)
			return false;
	return in->rows > 0;
}

bool local_search(struct search *s, const struct instance *in, weight enough, uint64_t work, uint8_t *taken)
{
	struct arena a = { 0 };
	struct state t;
	uint32_t tabu = UINT32_MAX, out, in_;

	if (!all_ones(in))
		return false;
	state_init(&a, &t, in, taken);
	for (; t.work < work && !task_interrupted(); t.step++) {
		if (t.step % STEPS_TOLD == 0)
			search_tell(s, t.work);
		while (t.opens == 0) { /* a smaller cover than before */
			memcpy(taken, t.taken, in->cols);
			if (t.size <= 1 || t.size <= enough)
				goto done;
			leave(&t, least_missed(&t, UINT32_MAX));
		}
		if ((out = least_missed(&t, tabu)) != UINT32_MAX)
			leave(&t, out);
		in_ = most_wanted(&t, t.open[mix64(t.step + 1) % t.opens]);
		if (in_ == UINT32_MAX) {
			memset(t.may_enter, 1, in->cols);
			continue;
		}
		enter(&t, in_);
		tabu = in_;
		weigh_open_rows(&t);
	}
done:
	s->work += t.work;
	arena_release(&a);
	return true;
}
