/* join/coverage.c -- all pairs, as lists or streamed, and the best coverers
 * among documents kept (see coverage.h; kernel.c has what a cover needs).
 *
 * Pairs of rows are gathered first, in any order; then the documents are taken
 * in order, a few at a time on each thread, and their rows' lists expanded and
 * sorted.  So the answer's order depends on neither threads nor chunks.
 */
#include "join/coverage.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/forest.h"
#include "base/mem.h"
#include "base/task.h"
#include "join/answer.h"

#define DOCUMENTS_PER_ITEM 32 /* few: one document may have 100,000 coverers */

static bool keep_pair(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	row_pairs *pairs = context;

	vec_push(&pairs[worker], ((struct row_pair){ x, y, shared }));
	return true;
}

static int answer_pairs(struct answer *s, struct err *err)
{
	row_pairs *pairs = mem_zarray(s->threads, sizeof *pairs);
	int rc = WN_OK;

	for (unsigned i = 0; i < s->n && rc == WN_OK; i++) {
		struct joiner *j = &s->joiner[i];

		if (j->kind < 0)
			continue;
		rc = joiner_run(j, NULL, NULL, keep_pair, pairs, err);
		lists_build(&s->lists[i], j->rows.n, pairs, s->threads);
		columns_index_release(&j->index);
		j->indexed = false;
	}
	mem_free(pairs);
	return rc;
}

/* --- streaming --- */

struct stream_item { /* a few documents and their coverers */
	uint32_t from, to;
	uint32_t count[DOCUMENTS_PER_ITEM];
	coverings all;
};

struct stream {
	struct answer *s;
	int kind;
	coverings *scratch; /* [threads] */
	coverage_pair *pair;
	void *context;
	struct coverage *build; /* instead of pair */
	VEC(uint32_t) by;
	uint64_t pairs;
};

static void stream_work(void *context, void *item, unsigned worker)
{
	struct stream *m = context;
	struct stream_item *it = item;

	for (uint32_t a = it->from; a < it->to; a++) {
		coverings *one = &m->scratch[worker];

		answer_coverers(m->s, worker, a, m->kind, one);
		it->count[a - it->from] = (uint32_t)one->n;
		vec_reserve(&it->all, it->all.n + one->n);
		if (one->n)
			memcpy(it->all.p + it->all.n, one->p, one->n * sizeof *one->p);
		it->all.n += one->n;
	}
}

static uint32_t size_of(const struct join_query *q, int kind, uint32_t d)
{
	uint32_t s = kind >= 0 && q->set_of[kind] ? q->set_of[kind][d] : JOIN_NO_SET;

	return s == JOIN_NO_SET ? 0 : q->sets[kind].size[s];
}

static int stream_emit(struct stream *m, const struct stream_item *it)
{
	const struct covering *c = it->all.p;
	int rc = 0;

	for (uint32_t a = it->from; a < it->to && rc == 0; a++) {
		uint32_t n = it->count[a - it->from];

		m->pairs += n;
		if (m->build) {
			m->build->start[a] = m->by.n;
			vec_reserve(&m->by, m->by.n + n);
			for (uint32_t i = 0; i < n; i++)
				m->by.p[m->by.n++] = c[i].b;
		} else {
			for (uint32_t i = 0; i < n && rc == 0; i++)
				rc = m->pair(m->context, a, c[i].b, c[i].shared, size_of(m->s->q, m->kind, a),
					     size_of(m->s->q, m->kind, c[i].b));
		}
		if (n)
			c += n;
	}
	return rc;
}

static int stream_done(void *context, void *item, bool cancelled)
{
	struct stream_item *it = item;
	int rc = cancelled ? 0 : stream_emit(context, it);

	vec_release(&it->all);
	mem_free(it);
	return rc;
}

static int stream_all(struct stream *m, uint32_t n)
{
	struct pool *pool = pool_new(m->s->threads, m->s->threads * 4, stream_work, stream_done, m);
	int rc = 0;

	m->scratch = mem_zarray(m->s->threads, sizeof *m->scratch);
	for (uint32_t a = 0; a < n && rc == 0; a += DOCUMENTS_PER_ITEM) {
		struct stream_item *it = mem_zalloc(sizeof *it);

		it->from = a;
		it->to = a + DOCUMENTS_PER_ITEM < n ? a + DOCUMENTS_PER_ITEM : n;
		rc = pool_add(pool, it);
	}
	rc = pool_finish(pool);
	pool_free(pool);
	for (unsigned t = 0; t < m->s->threads; t++)
		vec_release(&m->scratch[t]);
	mem_free(m->scratch);
	return rc;
}

int coverage_each(const struct join_query *q, const struct join_options *o, int kind, coverage_pair *pair,
		  void *context, struct coverage_stats *stats, struct err *err)
{
	struct answer s;
	struct stream m = { .s = &s, .kind = kind, .pair = pair, .context = context };
	int rc;

	answer_open(&s, q, o, NULL, true);
	rc = answer_pairs(&s, err);
	if (rc == WN_OK)
		rc = stream_all(&m, q->n);
	answer_stats(&s, stats);
	if (stats)
		stats->pairs += m.pairs;
	answer_close(&s);
	return rc;
}

int coverage_build(struct coverage *out, const struct join_query *q, const struct join_options *o,
		   struct coverage_stats *stats, struct err *err)
{
	struct answer s;
	struct stream m = { .s = &s, .kind = -1, .build = out };
	int rc;

	*out = (struct coverage){ .n = q->n, .start = mem_zarray((size_t)q->n + 1, sizeof *out->start) };
	answer_open(&s, q, o, NULL, true);
	rc = answer_pairs(&s, err);
	if (rc == WN_OK)
		rc = stream_all(&m, q->n);
	out->start[q->n] = m.by.n;
	out->by = m.by.p ? m.by.p : mem_alloc(sizeof *out->by);
	answer_stats(&s, stats);
	if (stats)
		stats->pairs += m.pairs;
	answer_close(&s);
	if (rc < 0)
		coverage_release(out);
	return rc;
}

void coverage_release(struct coverage *c)
{
	mem_free(c->start);
	mem_free(c->by);
	*c = (struct coverage){ 0 };
}

/* --- witnesses --- */

#define LOCKS 256u

struct witnessing {
	struct joiner *j;
	int kind;
	const double *latest;
	uint32_t *witness, *shared;
	bool lock;
	pthread_mutex_t locks[LOCKS];
};

struct candidate {
	struct witnessing *w;
	unsigned worker;
	uint32_t a, shared;
};

static bool later(const double *latest, uint32_t x, uint32_t y)
{
	double a = latest[x], b = latest[y];

	return !isnan(a) && (isnan(b) || a > b);
}

bool coverage_better(const double *latest, uint32_t b, uint32_t rank, uint32_t than, uint32_t than_rank)
{
	if (than == UINT32_MAX || rank != than_rank)
		return than == UINT32_MAX || rank > than_rank;
	if (latest && (later(latest, b, than) || later(latest, than, b)))
		return later(latest, b, than);
	return b < than;
}

uint32_t coverage_rank(const struct join_query *q, int kind, uint32_t a, uint32_t b, uint32_t shared)
{
	if (kind < 0)
		return 0;
	return size_of(q, kind, a) ? shared : size_of(q, kind, b) == 0;
}

/* A text smaller than the best overlap so far cannot share as much: its set is not read. */
static bool could_be_better(struct witnessing *w, uint32_t a, uint32_t b)
{
	bool could;

	if (w->kind < 0 || w->kind == w->j->kind || size_of(w->j->q, w->kind, a) == 0)
		return true;
	if (w->lock)
		pthread_mutex_lock(&w->locks[a % LOCKS]);
	could = w->witness[a] == UINT32_MAX || size_of(w->j->q, w->kind, b) >= w->shared[a];
	if (w->lock)
		pthread_mutex_unlock(&w->locks[a % LOCKS]);
	return could;
}

static bool weigh(void *context, uint32_t b)
{
	struct candidate *c = context;
	struct witnessing *w = c->w;
	uint32_t shared = c->shared, a = c->a;

	if (!could_be_better(w, a, b))
		return true;
	if (w->kind >= 0 && w->kind != w->j->kind && size_of(w->j->q, w->kind, a))
		shared = joiner_overlap(w->j, c->worker, w->kind, a, b).shared;
	shared = coverage_rank(w->j->q, w->kind, a, b, shared);
	if (w->lock)
		pthread_mutex_lock(&w->locks[a % LOCKS]);
	if (coverage_better(w->latest, b, shared, w->witness[a], w->shared[a])) {
		w->witness[a] = b;
		w->shared[a] = shared;
	}
	if (w->lock)
		pthread_mutex_unlock(&w->locks[a % LOCKS]);
	return true;
}

static bool weigh_rows(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared)
{
	struct witnessing *w = context;

	for (uint32_t i = w->j->as_a.start[x]; i < w->j->as_a.start[x + 1]; i++) {
		struct candidate c = { w, worker, w->j->as_a.member[i], shared };

		joiner_expand(w->j, worker, c.a, y, shared, weigh, &c);
	}
	return true;
}

int coverage_witness(uint32_t *witness, uint32_t *shared, const struct join_query *q, const struct join_options *o,
		     const uint8_t *kept, int kind, const double *latest, struct coverage_stats *stats, struct err *err)
{
	struct witnessing w = { .kind = kind, .latest = latest, .witness = witness, .shared = shared };
	struct answer s;
	uint8_t *dropped;
	int rc = WN_OK;

	if (!shared)
		w.shared = mem_array((size_t)q->n + 1, sizeof *w.shared);
	for (uint32_t d = 0; d < q->n; d++) {
		w.witness[d] = UINT32_MAX;
		w.shared[d] = 0;
	}
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_init(&w.locks[i], NULL);
	answer_take(&s, q, o);
	dropped = mem_alloc((size_t)q->n + 1);
	for (uint32_t d = 0; d < q->n; d++)
		dropped[d] = !kept[d];
	for (unsigned i = 0; i < s.n && rc == WN_OK; i++) {
		w.j = &s.joiner[i];
		w.lock = w.j->flip || (o && o->bands);
		joiner_take(w.j, dropped, kept);
		rc = joiner_run(w.j, NULL, NULL, weigh_rows, &w, err);
		if (!o || !o->again) { /* it is large, and what follows needs room */
			columns_index_release(&w.j->index);
			w.j->indexed = false;
		}
	}
	mem_free(dropped);
	for (uint32_t d = 0; kind >= 0 && d < q->n; d++)
		if (size_of(q, kind, d) == 0)
			w.shared[d] = 0; /* it was a rank */
	answer_stats(&s, stats);
	if (o && o->again)
		answer_give(&s, o);
	else
		answer_close(&s);
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_destroy(&w.locks[i]);
	if (!shared)
		mem_free(w.shared);
	return rc;
}
