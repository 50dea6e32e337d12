/* join/answer.c -- see answer.h. */
#include "join/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void answer_open(struct answer *s, const struct join_query *q, const struct join_options *o, const uint8_t *live,
		 bool once)
{
	*s = (struct answer){ .q = q, .n = q->n_disjuncts, .threads = o && o->threads ? o->threads : 1 };
	s->joiner = mem_zarray((size_t)s->n + 1, sizeof *s->joiner);
	s->lists = mem_zarray((size_t)s->n + 1, sizeof *s->lists);
	for (unsigned i = 0; i < s->n; i++)
		joiner_open(&s->joiner[i], q, i, o, live, once);
}

void answer_close(struct answer *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		joiner_close(&s->joiner[i]);
		lists_release(&s->lists[i]);
	}
	mem_free(s->joiner);
	mem_free(s->lists);
	*s = (struct answer){ 0 };
}

struct coverage_index {
	struct answer s;
	bool there;
	bool gathered; /* pairs were looked for, found or too many */
};

struct coverage_index *coverage_index_new(void) { return mem_zalloc(sizeof(struct coverage_index)); }

void coverage_index_free(struct coverage_index *x)
{
	if (x && x->there)
		answer_close(&x->s);
	mem_free(x);
}

void coverage_index_pass(struct coverage_index *x)
{
	if (x)
		x->s.q = NULL;
}

struct gather {
	row_pairs *pairs;
	bool flip;
	uint64_t most, n;
};

static bool gather_pair(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	struct gather *g = context;

	if (__atomic_add_fetch(&g->n, 1, __ATOMIC_RELAXED) > g->most)
		return false;
	vec_push(&g->pairs[worker], ((struct row_pair){ g->flip ? y : x, g->flip ? x : y, shared }));
	return true;
}

int coverage_gather(const struct join_query *q, const struct join_options *o, uint64_t most, struct err *err)
{
	struct answer s;
	struct gather g = { .most = most };
	int rc = WN_OK;

	if (!o || !o->index || o->bands || o->index->gathered)
		return WN_OK;
	answer_take(&s, q, o);
	g.pairs = mem_zarray(s.threads, sizeof *g.pairs);
	for (unsigned i = 0; i < s.n && rc == WN_OK && g.n <= most; i++) {
		struct joiner *j = &s.joiner[i];

		if (j->kind < 0 || j->known.start)
			continue;
		g.flip = j->flip;
		rc = joiner_run(j, NULL, NULL, gather_pair, &g, err);
		lists_build(&j->known, j->rows.n, g.pairs, s.threads);
		memcpy(j->known_by, j->lead, sizeof j->known_by);
		if (rc < 0 || g.n > most)
			lists_release(&j->known);
	}
	mem_free(g.pairs);
	answer_give(&s, o);
	o->index->gathered = true;
	return rc;
}

/* An answer to another query than the one that left the index. */
static void answer_adopt(struct answer *s, struct coverage_index *x)
{
	for (unsigned i = 0; i < s->n && i < x->s.n; i++)
		joiner_adopt(&s->joiner[i], &x->s.joiner[i]);
	answer_close(&x->s);
	x->there = false;
}

void answer_take(struct answer *s, const struct join_query *q, const struct join_options *o)
{
	if (!o || !o->index || !o->index->there || o->index->s.q != q) {
		answer_open(s, q, o, NULL, false);
		if (o && o->index && o->index->there && !o->index->s.q)
			answer_adopt(s, o->index);
		return;
	}
	*s = o->index->s;
	o->index->there = false;
	for (unsigned i = 0; i < s->n; i++)
		s->joiner[i].stats = (struct coverage_stats){ 0 };
}

void answer_give(struct answer *s, const struct join_options *o)
{
	if (!o || !o->index || o->index->there) {
		answer_close(s);
		return;
	}
	for (unsigned i = 0; i < s->n; i++) {
		joiner_take(&s->joiner[i], NULL, NULL);
		lists_release(&s->lists[i]);
	}
	*o->index = (struct coverage_index){ *s, true, o->index->gathered };
	*s = (struct answer){ 0 };
}

void answer_stats(const struct answer *s, struct coverage_stats *stats)
{
	if (!stats)
		return;
	stats->recall = 1;
	for (unsigned i = 0; i < s->n; i++) {
		const struct coverage_stats *j = &s->joiner[i].stats;

		stats->rows += j->rows;
		stats->classes += j->classes;
		stats->postings += j->postings;
		stats->probed += j->probed;
		stats->row_pairs += j->row_pairs;
		if (j->recall > 0 && j->recall < stats->recall)
			stats->recall = j->recall;
	}
}

void lists_build(struct row_lists *l, uint32_t rows, row_pairs *pairs, unsigned threads)
{
	uint64_t total = 0;

	lists_release(l);
	l->start = mem_zarray((size_t)rows + 2, sizeof *l->start);
	for (unsigned t = 0; t < threads; t++) {
		total += pairs[t].n;
		for (size_t i = 0; i < pairs[t].n; i++)
			l->start[pairs[t].p[i].x + 2]++;
	}
	for (uint32_t r = 1; r <= rows; r++)
		l->start[r + 1] += l->start[r];
	l->to = mem_array(total + 1, sizeof *l->to);
	l->shared = mem_array(total + 1, sizeof *l->shared);
	for (unsigned t = 0; t < threads; t++) {
		for (size_t i = 0; i < pairs[t].n; i++) {
			uint64_t at = l->start[pairs[t].p[i].x + 1]++;

			l->to[at] = pairs[t].p[i].y;
			l->shared[at] = pairs[t].p[i].shared;
		}
		vec_release(&pairs[t]);
	}
}

struct gathering {
	struct answer *s;
	struct joiner *j;
	unsigned worker;
	int kind;
	uint32_t a, shared;
	coverings *out;
};

static bool gather_doc(void *context, uint32_t b)
{
	struct gathering *g = context;
	uint32_t shared = g->shared;

	if (g->kind >= 0 && g->kind != g->j->kind)
		shared = joiner_overlap(g->j, g->worker, g->kind, g->a, b).shared;
	vec_push(g->out, ((struct covering){ b, shared }));
	return true;
}

static int by_document(const void *pa, const void *pb)
{
	const struct covering *a = pa, *b = pb;

	return a->b < b->b ? -1 : a->b > b->b;
}

static uint64_t tried_by(const struct answer *s, unsigned worker)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->n; i++)
		sum += joiner_tried(&s->joiner[i], worker);
	return sum;
}

uint64_t answer_coverers(struct answer *s, unsigned worker, uint32_t a, int kind, coverings *out)
{
	struct gathering g = { s, NULL, worker, kind, a, 0, out };
	uint64_t before = tried_by(s, worker);
	size_t n = 0;
	bool sorted = true;

	out->n = 0;
	for (unsigned i = 0; i < s->n; i++) {
		const struct row_lists *l = &s->lists[i];
		uint32_t x = s->joiner[i].rows.row_of[a], from, to;

		g.j = &s->joiner[i];
		if (x == ROW_NONE)
			continue;
		if (l->start) {
			for (uint64_t k = l->start[x]; k < l->start[x + 1]; k++) {
				g.shared = l->shared[k];
				joiner_expand(g.j, worker, a, l->to[k], g.shared, gather_doc, &g);
			}
		} else if (g.j->kind < 0) {
			from = g.j->rows.block_start[g.j->rows.block[x]];
			to = g.j->rows.block_start[g.j->rows.block[x] + 1];
			for (uint32_t y = from; y < to; y++)
				joiner_expand(g.j, worker, a, y, 0, gather_doc, &g);
		}
	}
	for (size_t i = 1; i < out->n && sorted; i++)
		sorted = out->p[i - 1].b < out->p[i].b;
	if (sorted)
		return tried_by(s, worker) - before;
	sort_array(out->p, out->n, sizeof *out->p, by_document);
	for (size_t i = 0; i < out->n; i++)
		if (i == 0 || out->p[i].b != out->p[n - 1].b)
			out->p[n++] = out->p[i];
	out->n = n;
	return tried_by(s, worker) - before;
}
