/* join/joiner.c -- see joiner.h: choosing the leading bound, running the probes
 * in chunks that fit, and expanding rows to documents.  probe.c holds the probe. */
#include "join/joiner.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/task.h"
#include "join/approx.h"
#include "join/bound.h"
#include "join/postings.h"
#include "join/probe.h"

#define PROBE_BLOCK 64 /* rows handed out at once */
#define CHUNK_LEAST 8u /* twice as many rows are not cut again, whatever they need */

/* How much of a set of a thousand items a bound needs, seen from a or from b. */
static uint64_t strength(const struct join_bound *b, bool flip)
{
	struct join_bound seen = flip ? bound_flip(*b) : *b;

	return bound_least(&seen, 1000);
}

static void choose_lead(struct joiner *j)
{
	uint64_t best = 0;

	j->kind = -1;
	for (unsigned i = 0; i < j->d->n_bounds; i++)
		for (int flip = 0; flip < 2; flip++) {
			uint64_t s = strength(&j->d->bound[i], flip);

			if (j->d->bound[i].num && s > best) {
				best = s;
				j->kind = j->d->bound[i].kind;
				j->flip = flip;
			}
		}
	j->symmetric = j->kind >= 0;
	for (unsigned i = 0; i < j->d->n_bounds; i++) {
		const struct join_bound *b = &j->d->bound[i];

		j->kinds |= 1u << b->kind;
		if (b->kind == j->kind) {
			j->symmetric &= bound_symmetric(b);
			j->lead[j->n_lead++] = j->flip ? bound_flip(*b) : *b;
		} else {
			j->other[j->n_other++] = *b;
		}
	}
	if (j->n_other)
		j->symmetric = false;
}

void joiner_aim(struct joiner *j, const struct join_query *q, unsigned disjunct)
{
	*j = (struct joiner){ .q = q, .d = &q->disjunct[disjunct], .number = disjunct };
	choose_lead(j);
}

uint64_t joiner_least(const struct joiner *j, uint64_t size)
{
	uint64_t most = 1;

	for (unsigned i = 0; i < j->n_lead; i++) {
		uint64_t l = bound_least(&j->lead[i], size);

		most = l > most ? l : most;
	}
	return most;
}

uint64_t joiner_bounds(const struct joiner *j)
{
	uint64_t h = mix64(j->number * 4 + (uint64_t)j->kind * 2 + j->flip);

	for (unsigned i = 0; i < j->n_lead; i++) {
		h = mix64(h ^ j->lead[i].num) + j->lead[i].measure * 2u + j->lead[i].strict;
		h = mix64(h ^ j->lead[i].den);
	}
	return h;
}

/* Where there is little, what documents and lists of pairs take counts: the classes of an index may have a third of the rest,
 * for they are there twice while they are ranked, beside a partition of entries. */
static size_t index_memory(size_t memory) { return memory < MEM_PLENTY ? mem_left(memory) / 3 : memory; }

void joiner_open(struct joiner *j, const struct join_query *q, unsigned disjunct, const struct join_options *o,
		 const uint8_t *live, bool once)
{
	joiner_aim(j, q, disjunct);
	j->o = o;
	j->threads = o && o->threads ? o->threads : 1;
	j->memory = index_memory(o && o->memory ? o->memory : (size_t)4 << 30);
	j->symmetric &= once;
	if (j->d->has_test)
		j->kinds |= j->d->test_kinds;
	rows_build(&j->rows, q, j->d, j->kinds, j->flip, live);
	joiner_take(j, NULL, NULL);
	if (j->kind >= 0) {
		j->empty = mem_array((size_t)j->rows.n + 1, sizeof *j->empty);
		for (uint32_t r = 0; r < j->rows.n; r++)
			if (j->rows.size[j->kind][r] == 0)
				j->empty[j->n_empty++] = r;
	}
	j->probes = mem_zarray(j->threads, sizeof *j->probes);
}

void joiner_side_release(struct row_side *s)
{
	if (s->own) {
		mem_free((void *)(uintptr_t)s->start);
		mem_free((void *)(uintptr_t)s->member);
	}
}

static struct row_side side_of(const struct rows *r, const uint8_t *ok)
{
	uint32_t *start, *member, at = 0;

	if (!ok)
		return (struct row_side){ r->start, r->member, false };
	start = mem_array((size_t)r->n + 1, sizeof *start);
	member = mem_array((size_t)r->start[r->n] + 1, sizeof *member);
	for (uint32_t x = 0; x < r->n; x++) {
		start[x] = at;
		for (uint32_t i = r->start[x]; i < r->start[x + 1]; i++)
			if (ok[r->member[i]])
				member[at++] = r->member[i];
	}
	start[r->n] = at;
	return (struct row_side){ start, member, true };
}

struct row_side joiner_side(const struct joiner *j, const uint8_t *ok) { return side_of(&j->rows, ok); }

void joiner_take(struct joiner *j, const uint8_t *a_ok, const uint8_t *b_ok)
{
	joiner_side_release(&j->as_a);
	joiner_side_release(&j->as_b);
	j->as_a = side_of(&j->rows, a_ok);
	j->as_b = side_of(&j->rows, b_ok);
	j->one_side = a_ok == b_ok;
}

static void drop_index(struct joiner *j)
{
	columns_index_release(&j->index);
	mem_free(j->sub);
	mem_free(j->side);
	j->sub = NULL;
	j->side = NULL;
	j->indexed = false;
	for (unsigned t = 0; t < j->threads; t++)
		probe_reset(&j->probes[t]);
}

static bool same_rows(const struct rows *x, const struct rows *y, int kind)
{
	return x->n == y->n && memcmp(x->set[kind], y->set[kind], x->n * sizeof *x->set[kind]) == 0 &&
	       memcmp(x->block, y->block, x->n * sizeof *x->block) == 0;
}

/* Does whatever satisfies the leading bounds of j satisfy those that the pairs of `from` are known by? */
static bool no_weaker(const struct joiner *j, const struct joiner *from)
{
	bool is = j->n_lead == from->n_lead && j->flip == from->flip && j->n_other == from->n_other &&
		  memcmp(j->other, from->other, j->n_other * sizeof *j->other) == 0;

	for (unsigned i = 0; i < j->n_lead && is; i++) {
		const struct join_bound *x = &j->lead[i], *y = &from->known_by[i];

		is = x->measure == y->measure && (x->strict || !y->strict) &&
		     (unsigned __int128)x->num * y->den >= (unsigned __int128)y->num * x->den;
	}
	return is;
}

void joiner_adopt(struct joiner *j, struct joiner *from)
{
	if (from->filter || j->kind < 0 || j->kind != from->kind || !same_rows(&j->rows, &from->rows, j->kind))
		return;
	if (from->known.start && no_weaker(j, from)) {
		j->known = from->known;
		memcpy(j->known_by, from->known_by, sizeof j->known_by);
		from->known = (struct row_lists){ 0 };
	}
	if (!from->indexed || from->sub)
		return;
	j->index = from->index;
	j->indexed = true;
	from->index = (struct columns_index){ 0 };
	from->indexed = false;
}

void lists_release(struct row_lists *l)
{
	mem_free(l->start);
	mem_free(l->to);
	mem_free(l->shared);
	*l = (struct row_lists){ 0 };
}

void joiner_close(struct joiner *j)
{
	if (j->probes)
		drop_index(j);
	for (unsigned t = 0; j->probes && t < j->threads; t++)
		probe_release(&j->probes[t]);
	mem_free(j->probes);
	mem_free(j->empty);
	joiner_side_release(&j->as_a);
	joiner_side_release(&j->as_b);
	rows_release(&j->rows);
	lists_release(&j->known);
	*j = (struct joiner){ 0 };
}

/* --- running --- */

struct run {
	struct joiner *j;
	const uint8_t *probes;
	joiner_pair *pair;
	void *context;
	uint32_t n; /* rows or rows of the chunk */
	bool first; /* pairs that need no index are met now */
	uint64_t done;
};

static void tell(const struct joiner *j, uint64_t done, uint64_t of)
{
	if (j->o && j->o->progress)
		j->o->progress(j->o->progress_context, "probe", done, of);
}

static void run_block(void *context, size_t from, size_t to, unsigned worker)
{
	struct run *r = context;
	struct joiner *j = r->j;
	struct probe *p = &j->probes[worker];
	uint64_t done;

	p->pair = r->pair;
	p->context = r->context;
	for (size_t i = from; i < to && !task_interrupted(); i++) {
		uint32_t x = j->sub ? j->sub[i] : (uint32_t)i;

		if ((r->probes && !r->probes[x]) || side_count(j->flip ? &j->as_b : &j->as_a, x) == 0)
			continue;
		p->ended = false;
		if (r->first)
			probe_without_index(p, j, worker, x);
		if (j->known.start)
			probe_known(p, j, worker, x);
		else if (j->indexed && !p->ended)
			probe_index(p, j, worker, (uint32_t)i);
	}
	done = __atomic_add_fetch(&r->done, to - from, __ATOMIC_RELAXED);
	if (worker == 0) /* one thread at a time */
		tell(j, done, r->n);
}

static void collect(struct joiner *j)
{
	for (unsigned t = 0; t < j->threads; t++) {
		struct coverage_stats *s = &j->probes[t].stats;

		j->stats.probed += s->probed;
		j->stats.row_pairs += s->row_pairs;
		*s = (struct coverage_stats){ 0 };
	}
}

/* Where the index of all rows goes for later, if it is wanted and worth it. */
static struct postings_writer *keeper(const struct joiner *j)
{
	struct postings_writer *w = j->o && j->o->keep && !j->filter ? &j->o->keep[j->number] : NULL;

	if (!w || w->done || w->given_up)
		return NULL;
	w->given_up = j->sub || (j->rows.n_blocks > 1 && j->rows.n / j->rows.n_blocks < POSTINGS_BLOCK_ROWS);
	w->bounds = joiner_bounds(j);
	return w->given_up ? NULL : w;
}

static void finish_postings(const struct joiner *j, struct postings_writer *w)
{
	uint64_t *least = mem_array((size_t)j->rows.n + 1, sizeof *least);

	for (uint32_t r = 0; r < j->rows.n; r++)
		least[r] = joiner_least(j, j->rows.size[j->kind][r]);
	postings_finish(w, &j->index, j->rows.set[j->kind], j->rows.size[j->kind], least);
	mem_free(least);
}

static int build_chunk(struct joiner *j, struct err *err)
{
	struct postings_writer *w = keeper(j);
	const struct rows *r = &j->rows;
	uint32_t *set = r->set[j->kind], *block = r->block, n = j->sub ? j->n_sub : r->n;
	int rc;

	if (j->sub) {
		set = mem_array((size_t)n + 1, sizeof *set);
		block = mem_array((size_t)n + 1, sizeof *block);
		for (uint32_t i = 0; i < n; i++) {
			set[i] = r->set[j->kind][j->sub[i]];
			block[i] = r->block[j->sub[i]];
		}
	}
	rc = columns_build(&j->index, &j->q->sets[j->kind], set, block, n, j->filter, j->o,
			   n <= 2 * CHUNK_LEAST ? SIZE_MAX : j->memory, w, err);
	if (j->sub) {
		mem_free(set);
		mem_free(block);
	}
	if (rc == WN_OK && w && !w->given_up)
		finish_postings(j, w);
	if (rc == WN_OK) {
		j->indexed = true;
		j->stats.classes += j->index.classes;
		j->stats.postings += j->index.postings;
	}
	return rc;
}

struct chunk { /* rows [from, to); within: are the pairs inside it wanted? */
	uint32_t from, to;
	bool within;
};

static void take_chunks(struct joiner *j, const struct chunk c[2])
{
	drop_index(j);
	j->n_sub = c[0].to - c[0].from + c[1].to - c[1].from;
	j->sub = mem_array((size_t)j->n_sub + 1, sizeof *j->sub);
	j->side = mem_array((size_t)j->n_sub + 1, sizeof *j->side);
	for (uint32_t i = 0, at = 0; i < 2; i++) {
		j->within[i] = c[i].within;
		for (uint32_t r = c[i].from; r < c[i].to; r++) {
			j->side[at] = (uint8_t)i;
			j->sub[at++] = r;
		}
	}
}

/* The row that halves the items of a chunk. */
static uint32_t middle(const struct joiner *j, struct chunk c)
{
	uint64_t total = 0, seen = 0;

	for (uint32_t r = c.from; r < c.to; r++)
		total += j->rows.size[j->kind][r];
	for (uint32_t r = c.from; r < c.to; r++)
		if ((seen += j->rows.size[j->kind][r]) * 2 >= total && r > c.from)
			return r;
	return c.from + (c.to - c.from) / 2;
}

static int run_two(struct joiner *j, struct run *run, struct chunk x, struct chunk y, struct err *err);

static int run_halves(struct joiner *j, struct run *run, struct chunk x, struct chunk y, struct err *err)
{
	uint32_t mx = middle(j, x), my = middle(j, y);
	struct chunk part[4] = {
		{ x.from, mx, x.within },
		{ mx, x.to, x.within },
		{ y.from, my, y.within },
		{ my, y.to, y.within },
	};
	int rc = WN_OK;

	if (x.within)
		rc = run_two(j, run, part[0], part[1], err);
	if (rc == WN_OK && y.within)
		rc = run_two(j, run, part[2], part[3], err);
	for (int i = 0; i < 4; i++)
		part[i].within = false;
	for (int i = 0; i < 4 && rc == WN_OK; i++)
		rc = run_two(j, run, part[i / 2], part[2 + i % 2], err);
	return rc;
}

/* All pairs between x and y, and inside those that ask for it; cut smaller
 * until the index fits.  x lies before y. */
static int run_two(struct joiner *j, struct run *run, struct chunk x, struct chunk y, struct err *err)
{
	int rc;

	if (!x.within && !y.within &&
	    (x.from == x.to || y.from == y.to || j->rows.block[x.to - 1] != j->rows.block[y.from]))
		return WN_OK; /* no key in common */
	take_chunks(j, (struct chunk[]){ x, y });
	rc = build_chunk(j, err);
	if (rc == WN_LIMIT)
		return run_halves(j, run, x, y, err);
	if (rc < 0)
		return rc;
	run->n = j->n_sub;
	run->first = false;
	run->done = 0;
	task_each(j->threads, run->n, PROBE_BLOCK, run_block, run);
	tell(j, run->n, run->n);
	collect(j);
	return WN_OK;
}

int joiner_run(struct joiner *j, const uint8_t *of_a, const uint8_t *of_b, joiner_pair *pair, void *context,
	       struct err *err)
{
	struct run run = { j, j->flip ? of_b : of_a, pair, context, j->rows.n, true, 0 };
	bool banded = j->kind >= 0 && j->o && j->o->bands;
	int rc = WN_OK;

	j->targets = j->flip ? of_a : of_b;
	j->stats.rows = j->rows.n;
	if (j->kind >= 0 && !j->indexed && j->rows.n && !banded && !j->known.start) {
		rc = j->too_large ? WN_LIMIT : build_chunk(j, err);
		if (rc < 0 && rc != WN_LIMIT)
			return rc;
		j->too_large = rc == WN_LIMIT;
	}
	task_each(j->threads, run.n, PROBE_BLOCK, run_block, &run);
	tell(j, run.n, run.n);
	if (banded)
		rc = approx_run(j, of_a, of_b, pair, context, err);
	collect(j);
	if (rc == WN_LIMIT) {
		uint32_t mid = middle(j, (struct chunk){ 0, j->rows.n, true });

		rc = run_two(j, &run, (struct chunk){ 0, mid, true }, (struct chunk){ mid, j->rows.n, true }, err);
		drop_index(j);
	}
	if (rc == WN_OK && task_interrupted())
		rc = err_set(err, WN_INTERRUPTED, "interrupted while joining");
	return rc;
}

/* --- documents --- */

static bool orders_hold(const struct join_disjunct *d, uint32_t a, uint32_t b)
{
	for (unsigned i = 0; i < d->n_orders; i++) {
		const struct join_order *o = &d->order[i];
		double v = o->vb[b] - o->va[a];

		if (!(o->lo_strict ? v > o->lo : v >= o->lo) || !(o->hi_strict ? v < o->hi : v <= o->hi))
			return false;
	}
	return true;
}

struct join_overlap joiner_overlap(struct joiner *j, unsigned worker, int kind, uint32_t a, uint32_t b)
{
	const uint32_t *of = j->q->set_of[kind];

	return sets_overlap(&j->probes[worker].sets, j->q, kind, of ? of[a] : JOIN_NO_SET, of ? of[b] : JOIN_NO_SET);
}

/* The first member of y that can be b for this a, by the first order. */
static uint32_t first_member(const struct joiner *j, uint32_t a, uint32_t y)
{
	uint32_t low = j->as_b.start[y], high = j->as_b.start[y + 1];
	const struct join_order *o = &j->d->order[0];

	if (j->d->n_orders == 0 || high - low < 8)
		return low;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (o->vb[j->as_b.member[mid]] - o->va[a] < o->lo)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Is the disjunct true of a and b, a member of row y?  o: overlaps of the two rows, which are there once `ready`. */
static bool pair_holds(struct joiner *j, unsigned worker, uint32_t a, uint32_t y, uint32_t b, uint32_t shared,
		       struct join_overlap o[JOIN_KINDS], bool *ready)
{
	const struct join_disjunct *d = j->d;

	if (b == a || (d->b_ok && !d->b_ok[b]) || !orders_hold(d, a, b))
		return false;
	if (!d->has_test)
		return true;
	for (int k = 0; !*ready && k < JOIN_KINDS; k++)
		if (k == j->kind)
			o[k] = (struct join_overlap){ j->rows.size[k][j->rows.row_of[a]], j->rows.size[k][y], shared };
		else if (j->kinds >> k & 1)
			o[k] = joiner_overlap(j, worker, k, a, b);
	*ready = true;
	return j->q->test(j->q->test_context, j->number, a, b, o);
}

bool joiner_expand(struct joiner *j, unsigned worker, uint32_t a, uint32_t y, uint32_t shared, joiner_doc *each,
		   void *context)
{
	const struct join_disjunct *d = j->d;
	struct join_overlap o[JOIN_KINDS] = { 0 };
	bool ready = false;

	if (d->a_ok && !d->a_ok[a])
		return true;
	for (uint32_t i = first_member(j, a, y); i < j->as_b.start[y + 1]; i++) {
		uint32_t b = j->as_b.member[i];

		j->probes[worker].tried++;
		if (d->n_orders && d->order[0].vb[b] - d->order[0].va[a] > d->order[0].hi)
			break;
		if (pair_holds(j, worker, a, y, b, shared, o, &ready) && !each(context, b))
			return false;
	}
	return true;
}

/* Documents that were found last, tried first: of many twins that differ in what the rule must not find equal, nearly
 * all lie behind members that cannot be it, and the coverer of the last document mostly covers the next. */
#define LAST 4u

struct last {
	uint32_t doc[LAST], n;
};

static void last_put(struct last *l, uint32_t doc) { l->doc[l->n++ % LAST] = doc; }
static uint32_t last_count(const struct last *l) { return l->n < LAST ? l->n : LAST; }

static bool note_found(void *context, uint32_t b)
{
	last_put(context, b);
	return false;
}

struct marking {
	struct joiner *j;
	unsigned worker;
	uint32_t y, shared;
	bool within;	      /* members of x are those of y */
	struct last covering; /* members of y that covered one of x */
	struct last barren;   /* members of x that nothing in y covers */
};

static bool has_coverer(struct marking *m, uint32_t a)
{
	const struct join_fold *f = m->j->q->fold;
	struct join_overlap o[JOIN_KINDS] = { 0 };
	bool ready = false;

	if (m->j->d->a_ok && !m->j->d->a_ok[a])
		return false;
	for (uint32_t k = 0; k < last_count(&m->covering); k++)
		if (pair_holds(m->j, m->worker, a, m->y, m->covering.doc[k], m->shared, o, &ready))
			return true;
	/* Twins have the same coverers but themselves: what nothing covers leaves its twins itself at most. */
	for (uint32_t k = 0; f && f->same && k < last_count(&m->barren); k++) {
		uint32_t twin = m->barren.doc[k];

		if (f->same(f->context, a, twin))
			return m->within && pair_holds(m->j, m->worker, a, m->y, twin, m->shared, o, &ready);
	}
	if (!joiner_expand(m->j, m->worker, a, m->y, m->shared, note_found, &m->covering))
		return true;
	last_put(&m->barren, a);
	return false;
}

bool joiner_mark_covered(struct joiner *j, unsigned worker, uint32_t x, uint32_t y, uint32_t shared, uint8_t *has)
{
	struct marking m = { .j = j, .worker = worker, .y = y, .shared = shared, .within = x == y && j->one_side };
	bool all = true;

	for (uint32_t i = j->as_a.start[x]; i < j->as_a.start[x + 1]; i++) {
		uint32_t a = j->as_a.member[i];

		if (__atomic_load_n(&has[a], __ATOMIC_RELAXED))
			continue;
		if (has_coverer(&m, a))
			__atomic_store_n(&has[a], 1, __ATOMIC_RELAXED);
		else
			all = false;
	}
	return all;
}

uint64_t joiner_tried(const struct joiner *j, unsigned worker) { return j->probes[worker].tried; }
