/* cover/improve.c -- let go around a row, cover again exactly, keep what is no worse. */
#include "cover/improve.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/task.h"

#define IDLE_ROUNDS 400 /* rounds without gain, then stop */
#define LET_GO 24	/* taken columns in a neighbourhood */
#define LET_GO_ROWS 300 /* rows they cover, with repeats */
#define ROUND_NODES 40	/* nodes of each exact search */

struct
try {
	uint32_t *count; /* rows: taken columns that cover it */
	uint32_t *queue; /* rows in the order reached */
	uint32_t *row, *demand, *scratch;
	uint8_t *seen, *use;
};

/* Takes out up to LET_GO columns around row `from`; returns the cost of them. */
static weight let_go(const struct instance *in, struct try *t, uint32_t from, uint8_t *taken)
{
	uint32_t head = 0, tail = 0, n = 0;
	uint64_t rows = 0;
	weight cost = 0;

	memset(t->seen, 0, in->rows);
	t->seen[from] = 1;
	t->queue[tail++] = from;
	while (head < tail && n < LET_GO && rows < LET_GO_ROWS) {
		uint32_t r = t->queue[head++];

		for (uint64_t i = in->row_at[r]; i < in->row_at[r + 1] && n < LET_GO && rows < LET_GO_ROWS; i++) {
			uint32_t c = in->row_col[i];

			if (!taken[c])
				continue;
			taken[c] = 0;
			cost += in->w[c];
			n++;
			rows += in->col_at[c + 1] - in->col_at[c];
			for (uint64_t k = in->col_at[c]; k < in->col_at[c + 1]; k++) {
				uint32_t q = in->col_row[k];

				t->count[q]--;
				if (!t->seen[q]) {
					t->seen[q] = 1;
					t->queue[tail++] = q;
				}
			}
		}
		if (head == tail && n < LET_GO) /* go on to rows beside those reached */
			for (uint32_t q = 0; q < head && tail < in->rows; q++)
				for (uint64_t i = in->row_at[t->queue[q]]; i < in->row_at[t->queue[q] + 1]; i++)
					for (uint64_t k = in->col_at[in->row_col[i]];
					     k < in->col_at[in->row_col[i] + 1]; k++)
						if (!t->seen[in->col_row[k]]) {
							t->seen[in->col_row[k]] = 1;
							t->queue[tail++] = in->col_row[k];
						}
	}
	return cost;
}

static void count_in(const struct instance *in, struct try *t, const uint8_t *taken)
{
	memset(t->count, 0, sizeof(*t->count) * in->rows);
	for (uint32_t c = 0; c < in->cols; c++)
		if (taken[c])
			for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
				t->count[in->col_row[i]]++;
}

/* One round: true if it found something cheaper. */
static bool round_at(struct search *s, const struct instance *in, struct try *t, uint32_t from, uint8_t *taken)
{
	struct search inner = {
		.effort = s->effort, .before = s->before + s->work, .node_budget = ROUND_NODES, .deadline = s->deadline
	};
	struct arena a = { 0 };
	struct instance part;
	uint8_t *before = mem_array((size_t)in->cols + 1, 1), *got;
	uint32_t rows = 0;
	weight cost, now;

	memcpy(before, taken, in->cols);
	cost = let_go(in, t, from, taken);
	for (uint32_t r = 0; r < in->rows; r++)
		if (t->count[r] < in->demand[r]) {
			t->demand[r] = in->demand[r] - t->count[r];
			t->row[rows++] = r;
		}
	for (uint32_t c = 0; c < in->cols; c++)
		t->use[c] = !taken[c];
	instance_part(&a, &part, in, t->row, rows, t->use, t->demand, in->w, t->scratch);
	got = arena_zalloc(&a, (size_t)part.cols + 1);
	if (search_cover(&inner, &part, cost + 1, got)) { /* as good is good enough: it moves */
		now = instance_cost(&part, got);
		for (uint32_t c = 0, at = 0; c < part.cols; c++) {
			while (in->col_id[at] != part.col_id[c])
				at++;
			taken[at] = got[c];
		}
	} else {
		now = cost;
		memcpy(taken, before, in->cols);
	}
	s->pivots += inner.pivots;
	s->work += inner.work;
	s->timed_out |= inner.timed_out;
	count_in(in, t, taken);
	mem_free(before);
	arena_release(&a);
	return now < cost;
}

void improve_cover(struct search *s, const struct instance *in, weight enough, uint8_t *taken)
{
	struct try t = { .count = mem_array((size_t)in->rows + 1, sizeof(*t.count)),
			 .queue = mem_array((size_t)in->rows + 1, sizeof(*t.queue)),
			 .row = mem_array((size_t)in->rows + 1, sizeof(*t.row)),
			 .demand = mem_array((size_t)in->rows + 1, sizeof(*t.demand)),
			 .scratch = mem_array((size_t)in->cols + 1, sizeof(*t.scratch)),
			 .seen = mem_array((size_t)in->rows + 1, 1),
			 .use = mem_array((size_t)in->cols + 1, 1) };
	weight cost = instance_cost(in, taken);
	uint64_t most = s->work + s->node_budget * SEARCH_WORK / 2;

	memset(t.scratch, 0xff, sizeof(*t.scratch) * in->cols);
	count_in(in, &t, taken);
	for (uint64_t i = 0, idle = 0;
	     idle < IDLE_ROUNDS && s->work < most && cost > enough && !s->timed_out && !task_interrupted(); i++) {
		idle++;
		if (round_at(s, in, &t, (uint32_t)(mix64(i + 1) % in->rows), taken)) {
			idle = 0;
			cost = instance_cost(in, taken);
		}
	}
	mem_free(t.count);
	mem_free(t.queue);
	mem_free(t.row);
	mem_free(t.demand);
	mem_free(t.scratch);
	mem_free(t.seen);
	mem_free(t.use);
}
