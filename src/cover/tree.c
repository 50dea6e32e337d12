/* cover/tree.c -- see tree.h.
 *
 * Branching: the gains of both sides of a column are estimated from what columns gained before (pseudo-costs); of the
 * most promising, those with few trials are tried for a few pivots, which at the top of the tree is most of them.
 * The side that refuses the column goes on in place, the other one in a copy: there are as many copies as columns
 * taken on the way down, and beyond HELD_MOST bytes of them branches begin anew from the instance.
 */
#include "cover/tree.h"

#include <math.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cover/reduce.h"
#include "cover/round.h"

#define HELD_MOST ((size_t)48 << 20) /* bytes of copies; the same under any --memory, as the answer must be */
#define RELIABLE 2		     /* trials, then a column's past is trusted */
#define TRIED_MOST 6		     /* columns tried at a node */
#define TRIAL_PIVOTS 8
#define NODE_PIVOTS 2000
#define NODE_CUTS 3    /* rounds of cuts at a node */
#define CUTS_PAY 0.3   /* of what is missing that a round must close */
#define CUTS_EVERY 4   /* nodes: how often they are tried where they do not pay */
#define PLATEAU 0.02   /* documents: a branch that gains less begins anew */
#define ROUND_EVERY 16 /* nodes: how often a cover is made of what is left */
#define WHOLE 1e-6
#define SURE 0.002 /* documents: what floating point and rounding may be off */
#define PART 0.002 /* what nearness to a half counts beside gains */

struct tree {
	struct search *s;
	const struct instance *in;
	weight below, began; /* value of the root */
	bool any, found;
	uint8_t *taken;	 /* the best cover under the first `below` */
	double *gain[2]; /* cols: of refusing and of taking, for each unit of x, summed */
	uint32_t *tries[2];
	double heaviest, cuts_close; /* what cuts close of what is missing, of late */
	size_t held;
};

/* What is open at a node: an instance of the free columns, and what reductions say of it. */
struct left {
	struct instance in; /* col_id: number in the block */
	uint32_t *row;	    /* in.rows: number in the block */
	struct reduction red;
	uint32_t blocks;
	weight cost; /* of what is taken so far, by reductions too */
};

static void left_open(struct arena *a, const struct instance *in, const uint8_t *fixed, struct left *l)
{
	uint32_t *demand = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1),
		 *scratch = ARENA_ARRAY(a, uint32_t, (size_t)in->cols + 1), rows = 0, at = 0, *block;
	uint8_t *use = arena_alloc(a, (size_t)in->cols + 1);

	*l = (struct left){ .row = ARENA_ARRAY(a, uint32_t, (size_t)in->rows + 1) };
	memcpy(demand, in->demand, sizeof(*demand) * in->rows);
	memset(scratch, 0xff, sizeof(*scratch) * in->cols);
	for (uint32_t c = 0; c < in->cols; c++) {
		use[c] = fixed[c] == PACKING_FREE;
		if (fixed[c] != PACKING_TAKEN)
			continue;
		l->cost += in->w[c];
		for (uint64_t i = in->col_at[c]; i < in->col_at[c + 1]; i++)
			demand[in->col_row[i]] -= demand[in->col_row[i]] > 0;
	}
	for (uint32_t r = 0; r < in->rows; r++)
		if (demand[r])
			l->row[rows++] = r;
	instance_part(a, &l->in, in, l->row, rows, use, demand, in->w, scratch);
	for (uint32_t k = 0; k < l->in.cols; k++) {
		while (in->col_id[at] != l->in.col_id[k])
			at++;
		l->in.col_id[k] = at;
	}
	for (uint32_t c = 0; c < in->cols; c++)
		use[c] = fixed[c] == PACKING_TAKEN;
	instance_know(a, &l->in, in, l->in.col_id, use, NULL);
	reduce(a, &l->in, &l->red);
	for (uint32_t k = 0; k < l->in.cols; k++)
		l->cost += l->red.taken[k] ? l->in.w[k] : 0;
	block = ARENA_ARRAY(a, uint32_t, (size_t)rows + 1);
	l->blocks = l->red.infeasible ? 0 : instance_blocks(&l->in, l->red.row_alive, l->red.col_alive, block);
}

/* Notes what is fixed with `more` of the free columns (may be NULL), if that is a better cover. */
static void note_cover(struct tree *t, const uint8_t *fixed, const struct left *l, const uint8_t *more)
{
	uint8_t *cover = mem_zarray((size_t)t->in->cols + 1, 1);

	for (uint32_t c = 0; c < t->in->cols; c++)
		cover[c] = fixed[c] == PACKING_TAKEN;
	for (uint32_t k = 0; k < l->in.cols; k++)
		cover[l->in.col_id[k]] |= l->red.taken[k] || (more && more[k]);
	if (instance_covered(t->in, cover) && instance_cost(t->in, cover) < t->below) {
		memcpy(t->taken, cover, t->in->cols);
		t->below = instance_cost(t->in, cover);
		t->found = true;
	}
	mem_free(cover);
}

static bool done(const struct tree *t) { return t->s->exhausted || (t->any && t->found); }

/* What is left as problems of their own: where it has fallen apart, or its relaxation is of no more use. */
static void solve_left(struct tree *t, const uint8_t *fixed)
{
	struct arena a = { 0 };
	struct left l;
	weight cost = 0;
	uint8_t *got;

	left_open(&a, t->in, fixed, &l);
	for (uint32_t c = 0; c < t->in->cols; c++)
		cost += fixed[c] == PACKING_TAKEN ? t->in->w[c] : 0;
	got = arena_zalloc(&a, (size_t)l.in.cols + 1);
	if (cost < t->below && !l.red.infeasible &&
	    (t->any ? search_any : search_cover)(t->s, &l.in, t->below - cost, got)) {
		memset(l.red.taken, 0, l.in.cols); /* got has its own choice */
		note_cover(t, fixed, &l, got);
	}
	arena_release(&a);
}

static bool fix_reduced(struct tree *t, struct packing *p, const struct left *l)
{
	uint8_t *met = mem_zarray((size_t)t->in->cols + 1, 1), *needed = mem_zarray((size_t)t->in->rows + 1, 1);
	bool good = true;

	for (uint32_t k = 0; good && k < l->in.cols; k++) {
		met[l->in.col_id[k]] = 1;
		if (l->red.taken[k] || !l->red.col_alive[k])
			good = packing_fix(p, l->in.col_id[k], l->red.taken[k]);
	}
	for (uint32_t c = 0; good && c < t->in->cols; c++)
		if (p->fixed[c] == PACKING_FREE && !met[c])
			good = packing_fix(p, c, false);
	for (uint32_t i = 0; i < l->in.rows; i++)
		needed[l->row[i]] = l->red.row_alive[i];
	if (good)
		packing_forget(p, needed);
	mem_free(met);
	mem_free(needed);
	return good;
}

/* Columns without which, or with which, a cover costs too much; how many, or -1 if the relaxation is lost. */
static int fix_by_cost(struct tree *t, struct packing *p)
{
	weight room = (t->below - 1) * PACKING_SCALE - p->value;
	int n = 0;

	for (uint32_t c = 0; c < t->in->cols; c++)
		if (p->fixed[c] == PACKING_FREE && (p->reduced[c] > room || -p->reduced[c] > room)) {
			if (!packing_fix(p, c, p->reduced[c] < 0))
				return -1;
			n++;
		}
	return n;
}

/* First no further than it takes to be done with this node, by the look of it. */
static void resume(struct tree *t, struct packing *p)
{
	uint64_t work = p->t.work, pivots = p->t.pivots;
	double enough = ((double)(t->below - 1) + SURE * t->heaviest) / t->heaviest;

	packing_resume(t->in, NODE_PIVOTS, search_work_left(t->s), enough, p);
	if (p->bound < t->below && tableau_value(&p->t) >= enough)
		packing_resume(t->in, NODE_PIVOTS, search_work_left(t->s), INFINITY, p);
	t->s->work += p->t.work - work;
	t->s->pivots += p->t.pivots - pivots;
}

static void round_left(struct tree *t, const struct packing *p, const struct left *l)
{
	uint8_t *got = mem_zarray((size_t)l->in.cols + 1, 1);
	double *x = mem_array((size_t)l->in.cols + 1, sizeof(*x));

	for (uint32_t k = 0; k < l->in.cols; k++)
		x[k] = p->x[l->in.col_id[k]];
	round_cover(&l->in, x, got);
	memset(l->red.taken, 0, l->in.cols);
	note_cover(t, p->fixed, l, got);
	mem_free(got);
	mem_free(x);
}

enum settled { SETTLED_DONE, SETTLED_APART, SETTLED_MORE, SETTLED_OPEN };

/* One round of reductions, bound and reduced costs: done with this node, or it must be solved in parts, or another
 * round is worth while, or it stays open. */
static enum settled settle_once(struct tree *t, struct arena *a, struct packing *p, bool look)
{
	struct left l;
	int fixed;

	left_open(a, t->in, p->fixed, &l);
	t->s->work += 4 * l.in.row_at[l.in.rows];
	if (l.red.infeasible || l.cost >= t->below)
		return SETTLED_DONE;
	if (!l.red.rows_left) {
		note_cover(t, p->fixed, &l, NULL);
		return SETTLED_DONE;
	}
	if (l.blocks > 1 || !fix_reduced(t, p, &l))
		return SETTLED_APART;
	resume(t, p);
	if (look && p->bound < t->below)
		round_left(t, p, &l);
	if (done(t) || p->bound >= t->below)
		return SETTLED_DONE;
	if ((fixed = fix_by_cost(t, p)) < 0)
		return SETTLED_APART;
	return (uint32_t)fixed * 10 < p->t.lines ? SETTLED_OPEN : SETTLED_MORE;
}

/* False if nothing is left to do here. */
static bool settle(struct tree *t, struct packing *p)
{
	enum settled is = SETTLED_MORE;

	for (int round = 0; is == SETTLED_MORE && round < 4; round++) {
		struct arena a = { 0 };

		is = settle_once(t, &a, p, round == 0 && t->s->nodes % ROUND_EVERY == 0);
		arena_release(&a);
	}
	if (is == SETTLED_APART)
		solve_left(t, p->fixed);
	return is == SETTLED_MORE || is == SETTLED_OPEN;
}

struct choice {
	double score;
	uint32_t col;
};

static int best_first(const void *x, const void *y)
{
	const struct choice *a = x, *b = y;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->col < b->col ? -1 : a->col > b->col;
}

/* What a side of a column gains within a few pivots, for each unit that x moves. */
static void try_side(struct tree *t, const struct packing *p, uint32_t c, int side)
{
	struct arena a = { 0 };
	struct tableau trial;
	double before = tableau_value(&p->t), way = side ? 1 - p->x[c] : p->x[c], gain = 1;

	tableau_copy(&a, &trial, &p->t, 0);
	if (tableau_fix(&trial, c, side)) {
		tableau_solve(&trial, TRIAL_PIVOTS, UINT64_MAX, INFINITY);
		gain = tableau_value(&trial) - before;
	}
	t->s->work += trial.work - p->t.work;
	t->s->pivots += trial.pivots - p->t.pivots;
	t->gain[side][c] += (gain > 0 ? gain : 0) / way;
	t->tries[side][c]++;
	arena_release(&a);
}

static double average(const struct tree *t, int side)
{
	double sum = 0;
	uint64_t n = 0;

	for (uint32_t c = 0; c < t->in->cols; c++)
		if (t->tries[side][c]) {
			sum += t->gain[side][c] / t->tries[side][c];
			n++;
		}
	return n ? sum / (double)n : 1;
}

/* The product of what both sides gain, neither more than it takes to be done with it. */
static double score_of(const struct tree *t, const struct packing *p, uint32_t c, const double usual[2], double enough)
{
	double score = 1, part = fabs(p->x[c] - 0.5),
	       least = PART * (part < 0.5 ? 0.5 - part : 0) + 1e-5 * (double)(t->in->col_at[c + 1] - t->in->col_at[c]);

	for (int side = 0; side < 2; side++) {
		double way = side ? 1 - p->x[c] : p->x[c],
		       each = t->tries[side][c] ? t->gain[side][c] / t->tries[side][c] : usual[side], gain = each * way;

		gain = gain < enough ? gain : enough;
		score *= gain + least;
	}
	return score;
}

static uint32_t any_free(const struct tree *t, const struct packing *p)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t c = 0; c < t->in->cols; c++)
		if (p->fixed[c] == PACKING_FREE && (best == UINT32_MAX || p->x[c] > p->x[best]))
			best = c;
	return best;
}

static uint32_t branching_column(struct tree *t, const struct packing *p)
{
	struct choice *list = mem_array((size_t)t->in->cols + 1, sizeof(*list)), best = { -1, UINT32_MAX };
	double usual[2] = { average(t, 0), average(t, 1) },
	       enough =
		   ((double)(t->below - 1) * PACKING_SCALE - (double)p->value) / PACKING_SCALE / t->heaviest + 1e-3;
	uint32_t n = 0, tried = 0;

	for (uint32_t c = 0; c < t->in->cols; c++)
		if (p->fixed[c] == PACKING_FREE && p->x[c] > WHOLE && p->x[c] < 1 - WHOLE)
			list[n++] = (struct choice){ score_of(t, p, c, usual, enough), c };
	sort_array(list, n, sizeof(*list), best_first);
	for (uint32_t k = 0; k < n && tried < TRIED_MOST; k++) {
		uint32_t c = list[k].col;

		if (t->tries[0][c] < RELIABLE || t->tries[1][c] < RELIABLE) {
			tried++;
			try_side(t, p, c, 0);
			try_side(t, p, c, 1);
		} else if (k >= TRIED_MOST) {
			break;
		}
		list[k].score = score_of(t, p, c, usual, enough);
		if (list[k].score > best.score)
			best = list[k];
	}
	mem_free(list);
	return best.col != UINT32_MAX ? best.col : any_free(t, p);
}

/* Rounds of cuts while each closes enough of what is missing; where they seldom do, only now and then. */
static void tighten(struct tree *t, struct arena *a, struct packing *p)
{
	uint64_t work = p->t.work, pivots = p->t.pivots;
	weight first = p->value, missing = (t->below - 1) * PACKING_SCALE - first;
	double closed;

	if (t->cuts_close < CUTS_PAY && t->s->nodes % CUTS_EVERY)
		return;
	for (int round = 0; round < NODE_CUTS && p->bound < t->below; round++) {
		weight before = p->value;

		packing_tighten(a, t->in, t->below, search_work_left(t->s), 1, p);
		if ((double)(p->value - before) < CUTS_PAY * (double)missing)
			break;
	}
	closed = missing > 0 ? (double)(p->value - first) / (double)missing : 1;
	t->cuts_close += 0.1 * ((closed < 1 ? closed : 1) - t->cuts_close);
	t->s->work += p->t.work - work;
	t->s->pivots += p->t.pivots - pivots;
}

static void descend(struct tree *t, struct arena *a, struct packing *p, bool root);

static void take_branch(struct tree *t, struct packing *p, uint32_t c)
{
	struct arena a = { 0 };
	struct packing child;
	size_t size = packing_size(p);

	if (t->held + size > HELD_MOST) {
		p->fixed[c] = PACKING_TAKEN;
		solve_left(t, p->fixed);
		p->fixed[c] = PACKING_FREE;
		return;
	}
	t->held += size;
	packing_copy(&a, t->in, p, &child);
	if (packing_fix(&child, c, true))
		descend(t, &a, &child, false);
	else
		solve_left(t, child.fixed);
	t->held -= size;
	arena_release(&a);
}

/* Cuts that were added on the way down hold the value on a plateau now and then, where others, of what is left alone,
 * would not. */
static bool on_plateau(const struct tree *t, const struct packing *p)
{
	return (double)(p->value - t->began) < PLATEAU * PACKING_SCALE * t->heaviest;
}

/* a: what p lives in. */
static void descend(struct tree *t, struct arena *a, struct packing *p, bool root)
{
	for (; !done(t) && !search_spent(t->s); root = false) {
		uint32_t c;

		t->s->nodes++;
		if (!settle(t, p))
			return;
		tighten(t, a, p);
		if (p->bound >= t->below)
			return;
		if ((!root && on_plateau(t, p)) || (c = branching_column(t, p)) == UINT32_MAX)
			break;
		take_branch(t, p, c);
		if (done(t))
			return;
		if (!packing_fix(p, c, false))
			break;
	}
	if (!done(t) && !search_spent(t->s))
		solve_left(t, p->fixed);
}

bool tree_search(struct search *s, const struct instance *in, const struct packing *relaxed, weight below, bool any,
		 uint8_t *taken)
{
	struct tree t = { .s = s,
			  .in = in,
			  .below = below,
			  .any = any,
			  .taken = taken,
			  .heaviest = 1,
			  .cuts_close = 1,
			  .began = relaxed->value };
	struct arena a = { 0 };
	struct packing root;

	for (uint32_t c = 0; c < in->cols; c++)
		t.heaviest = (double)in->w[c] > t.heaviest ? (double)in->w[c] : t.heaviest;
	for (int side = 0; side < 2; side++) {
		t.gain[side] = arena_zalloc(&a, sizeof(double) * ((size_t)in->cols + 1));
		t.tries[side] = arena_zalloc(&a, sizeof(uint32_t) * ((size_t)in->cols + 1));
	}
	packing_copy(&a, in, relaxed, &root);
	descend(&t, &a, &root, true);
	arena_release(&a);
	return t.found;
}
