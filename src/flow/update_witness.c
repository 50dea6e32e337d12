/* flow/update_witness.c -- witnesses after an update (update_int.h): of documents whose witness is kept no more, and
 * of those for which a newly kept one is better.  The best of all kept documents, as a fresh run has it.
 */
#include <inttypes.h>

#include "base/log.h"
#include "flow/update_int.h"
#include "join/flags.h"

/* Nothing that was kept before is better than the old witness, which is dropped now: is what it has? */
static bool surpasses(const struct update *u, uint32_t d)
{
	const struct join_query *q = &u->run->ruled.query;
	const double *time = u->run->docs.columns.col[ATTR_TIME]->num;
	uint32_t o = u->work.before[d], b = u->is.witness[d], old;

	if (b == STATE_KEPT || !update_unchanged(&u->work, d) || u->was.witness[o] == STATE_KEPT ||
	    !q->set_of[u->run->kind] || (old = u->work.now[u->was.witness[o]]) == UPDATE_NONE)
		return false;
	return coverage_better(time, b, coverage_rank(q, u->run->kind, d, b, u->is.shared[d]), old,
			       coverage_rank(q, u->run->kind, d, old, u->was.shared[o]));
}

/* Witnesses that are unchanged and still kept stay the best of those that were kept before; who has none asks. */
static void old_witnesses(struct update *u, uint8_t *asks)
{
	const struct update_work *w = &u->work;
	const uint32_t *before = w->before, *now = w->now, *was_witness = u->was.witness, *was_shared = u->was.shared;
	const uint8_t *kept = u->all.kept, *kind = w->kind;
	uint32_t *witness = u->is.witness, *shared = u->is.shared;

	for (uint32_t d = 0, n = w->n; d < n; d++) {
		uint32_t o = before[d], old, b;

		witness[d] = STATE_KEPT;
		shared[d] = 0;
		if (kept[d])
			continue;
		old = kind[d] != UPDATE_CHANGED ? was_witness[o] : STATE_KEPT;
		b = old == STATE_KEPT ? UPDATE_NONE : now[old];
		if (b != UPDATE_NONE && kept[b]) {
			witness[d] = b;
			shared[d] = was_shared[o];
		} else {
			asks[d] = 1;
		}
	}
}

/* What two documents share, from the index if that knows. */
static int measure(struct update *u, const struct join_query *q, uint32_t a, uint32_t b, uint32_t *shared,
		   struct err *err)
{
	struct overlap measured;
	int rc = WN_OK;

	if (q->set_of[u->run->kind] && coverage_shared(q, &u->run->join, u->run->kind, a, b, shared))
		return WN_OK;
	rc = run_overlap(u->run, a, b, u->run->kind, &measured, err);
	*shared = (uint32_t)measured.o;
	return rc;
}

/* The better of what it has and b, which covers it.  What a rule without a measure leaves open is measured now. */
static int offer(struct update *u, const struct join_query *q, struct update_pair p, struct err *err)
{
	const double *time = u->run->docs.columns.col[ATTR_TIME]->num;
	uint32_t has = u->is.witness[p.a], rank, than;
	int kind = u->run->kind, rc;

	if (!u->run->ruled.query.set_of[kind] && (rc = measure(u, &u->run->ruled.query, p.a, p.b, &p.shared, err)) < 0)
		return rc;
	rank = coverage_rank(q, kind, p.a, p.b, p.shared);
	than = has == STATE_KEPT ? 0 : coverage_rank(q, kind, p.a, has, u->is.shared[p.a]);
	if (!coverage_better(time, p.b, rank, has, than))
		return WN_OK;
	u->is.witness[p.a] = p.b;
	u->is.shared[p.a] = p.shared;
	return WN_OK;
}

/* Offers of the pairs from one on. */
static int offer_pairs(struct update *u, const struct join_query *q, const uint8_t *asks, const uint8_t *fresh,
		       size_t from, struct err *err)
{
	int rc = WN_OK;

	for (size_t i = from; i < u->work.pairs.n && rc == WN_OK; i++) {
		const struct update_pair *p = &u->work.pairs.p[i];

		if (!u->all.kept[p->a] && u->all.kept[p->b] && (asks[p->a] || fresh[p->b]))
			rc = offer(u, q, *p, err);
	}
	return rc;
}

/* Of a core document all coverers are listed, but those that are folded, which only quotas keep. */
static bool is_listed(const struct update *u, uint32_t d) { return u->is.kind[d] == STATE_CORE && !u->run->group; }

/* Offers of listed coverers that no pair tells of, as neither end was probed. */
static int offer_listed(struct update *u, const struct join_query *q, const uint8_t *asks, const uint8_t *fresh,
			struct err *err)
{
	int rc = WN_OK;

	for (uint32_t d = 0, n = u->work.n; d < n && rc == WN_OK; d++) {
		bool any;

		if (u->is.kind[d] != STATE_CORE || !is_listed(u, d) || u->all.kept[d] || u->work.probed[d])
			continue;
		any = asks[d] && !surpasses(u, d);
		for (uint32_t i = u->is.start[d]; i < u->is.start[d + 1] && rc == WN_OK; i++) {
			struct update_pair p = { d, u->is.by[i], 0 };

			if (!u->all.kept[p.b] || u->work.probed[p.b] || !(any || fresh[p.b]))
				continue;
			if ((rc = measure(u, &u->run->ruled.query, p.a, p.b, &p.shared, err)) == WN_OK)
				rc = offer(u, q, p, err);
		}
	}
	return rc;
}

static void note_dropped(uint8_t *restrict dropped, const uint8_t *restrict kept, uint32_t n)
{
	for (uint32_t d = 0; d < n; d++)
		dropped[d] = kept[d] ? 0 : COVERAGE_NOW;
}

/* Pairs of documents that were probed, or met one that was, and are kept: they were put off. */
static int witnesses_put_off(struct update *u, const uint8_t *fresh, struct err *err)
{
	struct update_work *w = &u->work;
	uint8_t *more = mem_zarray((size_t)w->n + 1, 1), *dropped = mem_alloc((size_t)w->n + 1);
	int rc;

	note_dropped(dropped, u->all.kept, w->n);
	for (uint32_t d = 0; (d = flags_next(fresh, d, w->n)) < w->n; d++)
		more[d] = COVERAGE_AS_B; /* those are kept */
	for (uint32_t d = 0; (d = flags_next(w->probed, d, w->n)) < w->n; d++)
		more[d] = u->all.kept[d] ? COVERAGE_AS_B : 0;
	rc = update_pairs(w, (struct coverage_asking){ .asks = more, .a_ok = dropped, .later = true }, err);
	mem_free(more);
	mem_free(dropped);
	return rc;
}

/* Offers what settles it, or, where that is its twin and dropped, the twin's witness: whoever is better shares as much. */
static int offer_settling(struct update *u, const struct join_query *q, uint32_t d, struct err *err)
{
	struct update_pair p = { d, u->is.of[d], 0 };
	int rc;

	if (!u->all.kept[p.b])
		p.b = u->is.witness[p.b];
	if (p.b == STATE_KEPT || p.b == d || p.b == u->is.witness[d])
		return WN_OK;
	rc = measure(u, &u->run->ruled.query, p.a, p.b, &p.shared, err);
	return rc < 0 ? rc : offer(u, q, p, err);
}

/* Whoever asks and is not listed looks for kept documents, newly kept ones for those that are dropped and not listed. */
static int probe_witnesses(struct update *u, const struct join_query *q, const uint8_t *asks, const uint8_t *fresh,
			   struct err *err)
{
	struct update_work *w = &u->work;
	uint8_t *more = mem_zarray((size_t)w->n + 1, 1), *a_ok = mem_alloc((size_t)w->n + 1);
	uint32_t count = 0, *least = mem_zarray((size_t)w->n + 1, sizeof *least);
	int rc = WN_OK;

	note_dropped(a_ok, u->all.kept, w->n);
	for (uint32_t d = 0; d < w->n && !u->run->group; d++)
		a_ok[d] &= u->is.kind[d] != STATE_CORE; /* those are listed */
	for (uint32_t d = 0; (d = flags_next(fresh, d, w->n)) < w->n; d++) {
		more[d] = w->probed[d] ? 0 : COVERAGE_AS_B;
		count += more[d] != 0;
	}
	for (uint32_t d = 0; rc == WN_OK && (d = flags_next(asks, d, w->n)) < w->n; d++) {
		if (w->probed[d] || !a_ok[d] || surpasses(u, d))
			continue;
		more[d] = COVERAGE_AS_A;
		count++;
		rc = offer_settling(u, q, d, err);
		least[d] = u->is.shared[d];
	}
	if (count && rc == WN_OK)
		rc = update_pairs(
		    w, (struct coverage_asking){ .asks = more, .a_ok = a_ok, .b_ok = u->all.kept, .least = least },
		    err);
	mem_free(more);
	mem_free(a_ok);
	mem_free(least);
	return rc;
}

/* Those that are kept now, and were not, or were another. */
static void note_fresh(uint8_t *restrict fresh, const uint8_t *restrict kept, const uint8_t *restrict was,
		       const uint8_t *restrict kind, uint32_t n)
{
	for (uint32_t d = 0; d < n; d++)
		fresh[d] = (uint8_t)(kept[d] & ~(was[d] & (kind[d] != UPDATE_CHANGED)) & 1);
}

int update_witnesses(struct update *u, struct err *err)
{
	struct update_work *w = &u->work;
	uint8_t *asks = mem_zarray((size_t)w->n + 1, 1), *fresh = mem_zarray((size_t)w->n + 1, 1);
	struct join_query q = u->run->ruled.query;
	size_t from;
	int rc = WN_OK;

	old_witnesses(u, asks);
	note_fresh(fresh, u->all.kept, w->kept, w->kind, w->n);
	if (!q.set_of[u->run->kind])
		rc = run_measured(u->run, &q, err);
	rc = rc == WN_OK ? witnesses_put_off(u, fresh, err) : rc;
	rc = rc == WN_OK ? offer_pairs(u, &q, asks, fresh, 0, err) : rc;
	from = w->pairs.n;
	if (rc == WN_OK && (rc = probe_witnesses(u, &q, asks, fresh, err)) == WN_OK &&
	    (rc = offer_listed(u, &q, asks, fresh, err)) == WN_OK)
		rc = offer_pairs(u, &q, asks, fresh, from, err);
	for (uint32_t d = 0; d < w->n && rc == WN_OK; d++)
		if (!u->all.kept[d] && u->is.witness[d] == STATE_KEPT)
			BUG("document %" PRIu64 " was dropped without a witness", u->run->docs.id[d]);
	mem_free(asks);
	mem_free(fresh);
	return rc;
}
