/* flow/update.c -- see update.h.
 *
 * Steps: open the run of the present revision; tell by signatures which
 * documents are new, changed or gone; probe them, and say what is open
 * (update_plan.c); solve that; put the two halves together: kept
 * documents, components, dual values over a common denominator; witnesses of
 * documents whose witness is kept no more, and of those for which a newly kept
 * one is better.  Nothing is joined but what changed, and only rows that differ are stored.
 */
#include "flow/update.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/progress.h"
#include "base/task.h"
#include "flow/kept_index.h"
#include "flow/reduce_int.h"
#include "flow/update_plan.h"

struct update {
	struct update_work work;
	struct update_part part;
	struct run *run;
	struct run_state was, is;
	struct kept_index index;
	struct certificate proof;   /* the old one */
	uint8_t *previous;	    /* [n] kept before, by present number */
	struct cover_result solved; /* of the part */
	struct cover_result all;
	struct arena arena;
};

/* Reads the old answer; WN_NONE with the reason when it is not there as a whole. */
static int load(struct update *u, const struct cover_row *row, struct err *err)
{
	struct certificate_run about = reduce_about(u->run);
	uint64_t kept = 0;

	if (covers_state(u->run->coll, row, &u->was, err) < 0 ||
	    covers_certificate(u->run->coll, &u->arena, row->id, &u->proof, err) < 0)
		return WN_NONE;
	for (uint32_t o = 0; o < u->was.n; o++)
		kept += u->was.witness[o] == STATE_KEPT;
	if (memcmp(u->was.run.rule, u->proof.run.rule, 32) != 0 || u->was.run.revision != u->proof.run.revision ||
	    u->proof.run.revision != row->revision || u->was.n != u->proof.documents || u->was.n != row->documents ||
	    kept != row->kept)
		return err_set(err, WN_NONE, "its files are of different runs");
	if (memcmp(about.rule, u->was.run.rule, 32) != 0 || memcmp(about.selection, u->was.run.selection, 32) != 0)
		return err_set(err, WN_NONE, "the rule or the selection reads differently now");
	return WN_OK;
}

static const char *const *index_paths(struct update *u, const struct cover_row *row, unsigned *n)
{
	const char **paths = ARENA_ARRAY(&u->arena, const char *, KEPT_INDEX_MOST);

	for (*n = 0; *n < KEPT_INDEX_MOST && *n < u->run->ruled.query.n_disjuncts; ++*n)
		paths[*n] = covers_index(u->run->coll, &u->arena, row, *n);
	return paths;
}

static int probe(struct update *u, struct err *err)
{
	struct update_work *w = &u->work;
	uint8_t *more = mem_zarray((size_t)w->n + 1, 1);
	int rc;

	progress_phase("probing", "documents", w->n_changed);
	for (uint32_t d = 0; d < w->n; d++)
		more[d] = update_unchanged(w, d) || w->fold[d] != UPDATE_NONE ? 0 : COVERAGE_AS_A | COVERAGE_AS_B;
	rc = update_probe(w, more, err);
	progress_add(w->n_changed);
	mem_free(more);
	return rc;
}

/* Some elements of an array by document, by the part's numbers; NULL of NULL. */
static void *picked(struct update *u, const void *from, size_t size)
{
	char *out = from ? arena_alloc(&u->arena, ((size_t)u->part.n + 1) * size) : NULL;

	for (uint32_t i = 0; from && i < u->part.n; i++)
		memcpy(out + i * size, (const char *)from + u->part.docs[i] * size, size);
	return out;
}

static int solve(struct update *u, bool stable, struct err *err)
{
	const struct run *r = u->run;
	struct cover_problem p = { .n = u->part.n,
				   .start = u->part.start,
				   .by = u->part.by.p,
				   .covered = u->part.covered,
				   .fold = u->part.fold,
				   .pinned = picked(u, r->pinned, 1),
				   .group = picked(u, r->group, sizeof *r->group),
				   .groups = r->groups,
				   .demand = r->demand,
				   .prefer = picked(u, r->prefer, sizeof *r->prefer),
				   .previous = stable ? picked(u, u->previous, 1) : NULL };

	progress_phase("solving", "documents", u->part.n);
	progress_add(u->part.n);
	return cover_solve(&p, &u->solved, err);
}

/* ---- two halves ---- */

static uint32_t common(uint32_t x, uint32_t y)
{
	uint32_t a = x, b = y;

	while (b) {
		uint32_t t = a % b;

		a = b;
		b = t;
	}
	return x / a * y; /* both divide the solver's scale, so this does too */
}

static void combine_values(struct update *u)
{
	struct cover_result *all = &u->all;
	const struct update_work *w = &u->work;
	uint32_t old_by, new_by, *old;

	all->denominator = common(u->proof.denominator, u->solved.denominator);
	old_by = all->denominator / u->proof.denominator;
	new_by = all->denominator / u->solved.denominator;
	all->y = mem_zarray((size_t)w->n + 1, sizeof *all->y);
	for (uint32_t i = 0; i < u->proof.value_count; i++) {
		uint32_t d = w->now[u->proof.values[i].id];

		if (d != UPDATE_NONE && !w->open[d])
			all->y[d] = u->proof.values[i].y * old_by;
	}
	for (uint32_t i = 0; i < u->part.n; i++)
		all->y[u->part.docs[i]] = u->solved.y[i] * new_by;
	if (!u->run->group)
		return;
	all->group_y = mem_zarray((size_t)u->run->groups + 1, sizeof *all->group_y);
	for (uint32_t g = 0; g < u->run->groups; g++)
		all->group_y[g] = u->solved.group_y[g] * new_by;
	old = mem_zarray((size_t)u->was.n + 1, sizeof *old); /* there are no more groups than documents */
	for (uint32_t i = 0; i < u->proof.group_value_count; i++)
		if (u->proof.group_values[i].id < u->was.n)
			old[u->proof.group_values[i].id] = u->proof.group_values[i].y * old_by;
	for (uint32_t d = 0; d < w->n; d++) /* groups are open or closed as a whole */
		if (!w->open[d] && w->before[d] != UPDATE_NONE && u->was.group[w->before[d]] != COVER_NO_GROUP)
			all->group_y[u->run->group[d]] = old[u->was.group[w->before[d]]];
	mem_free(old);
}

/* Coverers of closed core documents that are still there. */
static uint32_t closed_list(const struct update *u, uint32_t o, uint32_t *out)
{
	uint32_t n = 0;

	for (uint32_t i = u->was.start[o]; i < u->was.start[o + 1]; i++) {
		uint32_t b = u->work.now[u->was.by[i]];

		if (out && b != UPDATE_NONE)
			out[n] = b;
		n += b != UPDATE_NONE;
	}
	return n;
}

static void settle_open(struct update *u, uint32_t d, uint32_t *at, uint32_t first_part)
{
	const struct update_part *p = &u->part;
	uint32_t i = p->place[d], component = u->solved.component[i];

	u->is.kind[d] = (uint8_t)update_settled(p, &u->work, i, &u->is.of[d]);
	u->is.part[d] = component == COVER_NO_COMPONENT ? UPDATE_NONE : first_part + component;
	for (uint64_t k = p->start[i]; u->is.kind[d] == STATE_CORE && k < p->start[i + 1]; k++)
		u->is.by[(*at)++] = p->docs[p->by.p[k]];
}

static void settle_closed(struct update *u, uint32_t d, uint32_t *at, const uint32_t *number)
{
	uint32_t o = u->work.before[d];

	if (u->work.fold[d] != UPDATE_NONE) {
		u->is.kind[d] = STATE_FOLDED;
		u->is.of[d] = u->work.fold[d];
		u->is.part[d] = UPDATE_NONE;
		return;
	}
	if (u->work.probed[d] && !update_unchanged(&u->work, d)) { /* it only has to be covered, and is */
		u->is.kind[d] = STATE_COVERED;
		u->is.of[d] = u->work.by[d];
		u->is.part[d] = UPDATE_NONE;
		return;
	}
	u->is.kind[d] = u->was.kind[o];
	u->is.of[d] = u->work.now[u->was.of[o]];
	u->is.part[d] = number[u->was.part[o]];
	*at += closed_list(u, o, u->is.by + *at);
}

/* Numbers of closed components, in order of their documents; returns how many. */
static uint32_t number_parts(const struct update *u, uint32_t *number)
{
	uint32_t parts = 0;

	memset(number, 0xff, ((size_t)u->was.n_parts + 1) * sizeof *number);
	for (uint32_t d = 0; d < u->work.n; d++)
		if (!u->work.open[d] && update_unchanged(&u->work, d) &&
		    number[u->was.part[u->work.before[d]]] == UINT32_MAX)
			number[u->was.part[u->work.before[d]]] = parts++;
	return parts;
}

static uint64_t count_edges(const struct update *u)
{
	uint64_t edges = 0;
	uint32_t of;

	for (uint32_t d = 0; d < u->work.n; d++)
		if (!u->work.open[d] && update_unchanged(&u->work, d))
			edges += closed_list(u, u->work.before[d], NULL);
	for (uint32_t i = 0; i < u->part.n; i++)
		if (update_settled(&u->part, &u->work, i, &of) == STATE_CORE)
			edges += u->part.start[i + 1] - u->part.start[i];
	return edges;
}

/* The state of the run as it is now: closed components, then those solved.  Witnesses come later. */
static void combine_state(struct update *u)
{
	const struct update_work *w = &u->work;
	uint32_t *number = mem_array((size_t)u->was.n_parts + 1, sizeof *number), closed = number_parts(u, number),
		 at = 0;

	state_alloc(&u->is, w->n, closed + u->solved.component_count, (uint32_t)count_edges(u));
	u->is.run = reduce_about(u->run);
	u->is.index = u->was.index;
	memcpy(u->is.signature, w->signature, w->n * sizeof *w->signature);
	for (uint32_t d = 0; d < w->n; d++) {
		u->is.id[d] = (uint32_t)u->run->docs.id[d];
		u->is.group[d] = u->run->group ? u->run->group[d] : COVER_NO_GROUP;
		u->is.start[d] = at;
		w->open[d] ? settle_open(u, d, &at, closed) : settle_closed(u, d, &at, number);
	}
	u->is.start[w->n] = at;
	for (uint32_t d = 0; d < w->n; d++) { /* with whom they need */
		uint32_t of = d;

		while (u->is.part[of] == UPDATE_NONE)
			of = u->is.of[of];
		u->is.part[d] = u->is.part[of];
	}
	for (uint32_t k = 0; k < u->was.n_parts; k++)
		if (number[k] != UINT32_MAX)
			u->is.parts[number[k]] = u->was.parts[k];
	for (uint32_t k = 0; k < u->solved.component_count; k++) {
		const struct cover_component *c = &u->solved.components[k];

		u->is.parts[closed + k] = (struct state_part){ c->kept, c->lower, c->certified, c->status };
	}
	mem_free(number);
}

static void count_quotas(struct update *u)
{
	const struct run *r = u->run;
	uint32_t *kept = mem_zarray((size_t)r->groups + 1, sizeof *kept),
		 *size = mem_zarray((size_t)r->groups + 1, sizeof *size);

	for (uint32_t d = 0; r->group && d < r->docs.n; d++) {
		kept[r->group[d]] += u->all.kept[d];
		size[r->group[d]]++;
	}
	for (uint32_t g = 0; r->group && g < r->groups; g++)
		u->all.quotas_binding +=
		    size[g] && r->demand[g] && kept[g] <= (r->demand[g] < size[g] ? r->demand[g] : size[g]);
	mem_free(kept);
	mem_free(size);
}

static void combine(struct update *u)
{
	struct cover_result *all = &u->all;
	const struct update_work *w = &u->work;

	all->kept = mem_zarray((size_t)w->n + 1, 1);
	for (uint32_t d = 0; d < w->n; d++)
		if (!w->open[d] && update_unchanged(w, d))
			all->kept[d] = u->previous[d];
	for (uint32_t i = 0; i < u->part.n; i++)
		all->kept[u->part.docs[i]] = u->solved.kept[i];
	combine_values(u);
	combine_state(u);
	for (uint32_t d = 0; d < w->n; d++) {
		all->kept_count += all->kept[d];
		all->pinned_count += u->run->pinned && u->run->pinned[d];
		all->forced += u->is.kind[d] == STATE_FORCED;
	}
	all->component_count = u->is.n_parts;
	for (uint32_t k = 0; k < u->is.n_parts; k++) {
		all->lower_bound += u->is.parts[k].lower;
		all->certified += u->is.parts[k].certified;
		all->by_status[u->is.parts[k].status]++;
	}
	all->timed_out = u->solved.timed_out;
	all->value_proven = u->solved.value_proven;
	count_quotas(u);
}

/* ---- witnesses ---- */

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

	for (uint32_t d = 0; d < w->n; d++) {
		uint32_t o = w->before[d], old, b;

		u->is.witness[d] = STATE_KEPT;
		u->is.shared[d] = 0;
		if (u->all.kept[d])
			continue;
		old = update_unchanged(w, d) ? u->was.witness[o] : STATE_KEPT;
		b = old == STATE_KEPT ? UPDATE_NONE : w->now[old];
		if (b != UPDATE_NONE && u->all.kept[b]) {
			u->is.witness[d] = b;
			u->is.shared[d] = u->was.shared[o];
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

	for (uint32_t d = 0; d < u->work.n && rc == WN_OK; d++) {
		bool any = asks[d] && !surpasses(u, d);

		if (u->all.kept[d] || u->work.probed[d] || !is_listed(u, d))
			continue;
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

/* Pairs of documents that were probed, or met one that was, and are kept: they were put off. */
static int witnesses_put_off(struct update *u, const uint8_t *fresh, struct err *err)
{
	struct update_work *w = &u->work;
	uint8_t *more = mem_zarray((size_t)w->n + 1, 1), *dropped = mem_alloc((size_t)w->n + 1);
	int rc;

	for (uint32_t d = 0; d < w->n; d++) {
		dropped[d] = u->all.kept[d] ? 0 : COVERAGE_NOW;
		if (u->all.kept[d] && (fresh[d] || w->probed[d]))
			more[d] = COVERAGE_AS_B;
	}
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
	if (p.b == STATE_KEPT || p.b == d)
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

	for (uint32_t d = 0; d < w->n && rc == WN_OK; d++) {
		a_ok[d] = !u->all.kept[d] && !is_listed(u, d);
		if (w->probed[d])
			continue;
		if (fresh[d]) {
			more[d] = COVERAGE_AS_B;
		} else if (asks[d] && a_ok[d] && !surpasses(u, d)) {
			more[d] = COVERAGE_AS_A;
			rc = offer_settling(u, q, d, err);
			least[d] = u->is.shared[d];
		}
		count += more[d] != 0;
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

static int find_witnesses(struct update *u, struct err *err)
{
	struct update_work *w = &u->work;
	uint8_t *asks = mem_zarray((size_t)w->n + 1, 1), *fresh = mem_zarray((size_t)w->n + 1, 1);
	struct join_query q = u->run->ruled.query;
	size_t from;
	int rc = WN_OK;

	old_witnesses(u, asks);
	for (uint32_t d = 0; d < w->n; d++)
		fresh[d] = u->all.kept[d] && !(u->previous[d] && update_unchanged(w, d));
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

/* ---- storing ---- */

/* Is its row in the catalogue as it was? */
static bool same_row(const struct update *u, uint32_t d)
{
	const struct update_work *w = &u->work;
	uint32_t o = w->before[d], old;

	if (!update_unchanged(w, d) || u->all.kept[d] != u->previous[d])
		return false;
	old = u->was.witness[o];
	return u->all.kept[d] || (w->now[old] == u->is.witness[d] && u->was.shared[o] == u->is.shared[d]);
}

static int list_members(struct update *u, struct cover_member *members, size_t *n, struct err *err)
{
	int rc = WN_OK;

	for (uint32_t d = 0; d < u->work.n && rc == WN_OK; d++) {
		struct cover_member m = { .id = u->run->docs.id[d], .kept = u->all.kept[d] };

		if (same_row(u, d))
			continue;
		if (!m.kept) {
			m.witness = u->run->docs.id[u->is.witness[d]];
			m.shared = u->is.shared[d];
			rc = reduce_sizes(u->run, d, u->is.witness[d], &m, err);
		}
		members[(*n)++] = m;
	}
	return rc;
}

static size_t list_gone(const struct update *u, uint64_t *gone)
{
	uint8_t *there = mem_zarray((size_t)u->was.n + 1, 1);
	size_t n = 0;

	for (uint32_t d = 0; d < u->work.n; d++)
		if (u->work.before[d] != UPDATE_NONE)
			there[u->work.before[d]] = 1;
	for (uint32_t o = 0; o < u->was.n; o++)
		if (!there[o])
			gone[n++] = u->was.id[o];
	mem_free(there);
	return n;
}

static void count_changes(const struct update *u, struct reduce_report *o)
{
	uint32_t common_kept = 0, before = 0;

	for (uint32_t d = 0; d < u->work.n; d++)
		common_kept += u->all.kept[d] && u->previous[d];
	for (uint32_t i = 0; i < u->was.n; i++)
		before += u->was.witness[i] == STATE_KEPT;
	o->update.done = true;
	o->update.changed = u->work.n_changed;
	o->update.gone = u->work.n_gone;
	o->update.probed = u->work.n_probed;
	o->update.solved = u->part.n;
	o->update.components = u->solved.component_count;
	o->update.kept_new = u->all.kept_count - common_kept;
	o->update.kept_no_more = before - common_kept;
}

/* ---- all of it ---- */

static void mark_previous(struct update *u)
{
	u->previous = mem_zarray((size_t)u->work.n + 1, 1);
	for (uint32_t d = 0; d < u->work.n; d++)
		u->previous[d] = u->work.before[d] != UPDATE_NONE && u->was.witness[u->work.before[d]] == STATE_KEPT;
}

static int store(struct update *u, const struct reduce_request *rq, struct reduce_answer *x, struct reduce_report *out,
		 double started, struct err *err)
{
	uint64_t *gone = mem_array((size_t)u->was.n + 1, sizeof *gone);
	int rc;

	x->members = mem_array((size_t)u->work.n + 1, sizeof *x->members);
	x->state = &u->is;
	x->patch = true;
	x->gone = gone;
	x->n_gone = list_gone(u, gone);
	x->was_revision = u->was.run.revision;
	if ((rc = list_members(u, x->members, &x->n_members, err)) == WN_OK) {
		progress_phase("storing", "documents", x->n_members);
		progress_add(x->n_members);
		out->peak_memory = mem_peak();
		out->seconds = progress_clock() - started;
		rc = reduce_store(u->run, rq, out, x, err);
	}
	mem_free(x->members);
	mem_free(gone);
	return rc;
}

static int update_part(struct update *u, const struct reduce_request *rq, const struct cover_row *row, bool stable,
		       struct reduce_report *out, double started, struct err *err)
{
	struct coverage_stats stats = { .recall = 1 };
	struct reduce_answer answer = { 0 };
	struct certificate proof;
	int rc;

	answer.index = index_paths(u, row, &answer.n_index);
	kept_index_open(&u->index, u->run, answer.index, answer.n_index, u->was.index);
	update_work_open(&u->work, u->run, &u->was);
	mark_previous(u);
	if ((rc = probe(u, err)) < 0)
		return rc;
	update_choose(&u->work, &u->proof);
	update_part_build(&u->part, &u->work);
	if ((rc = solve(u, stable, err)) < 0)
		return rc;
	combine(u);
	reduce_proof(u->run, &u->all, &u->arena, &proof);
	answer.proof = &proof;
	progress_phase("witnesses", "documents", u->part.n);
	if ((rc = find_witnesses(u, err)) < 0 || (rc = stored_state(&u->run->sets, err)) < 0)
		return rc;
	if (task_interrupted())
		return err_set(err, WN_INTERRUPTED, "interrupted");
	reduce_fill_report(u->run, &u->all, &stats, out);
	count_changes(u, out);
	out->update.stable = stable;
	if ((rc = reduce_count_missing(u->run, u->is.witness, &out->by_missing, err)) < 0)
		return rc;
	return store(u, rq, &answer, out, started, err);
}

/* Without the state there is nothing to begin with: a reduce in the cover's place. */
static int update_whole(struct collection *coll, struct update *u, struct reduce_request *rq, bool stable,
			const char *why, struct reduce_report *out, struct err *err)
{
	VEC(uint64_t) kept = { 0 };
	struct cover_member *old;
	size_t n_old;
	int rc;

	if (stable && (rc = covers_members(coll, &u->arena, rq->replaces, &old, &n_old, err)) < 0)
		return rc;
	for (size_t i = 0; stable && i < n_old; i++)
		if (old[i].kept)
			vec_push(&kept, old[i].id);
	if (stable) {
		vec_reserve(&kept, 1);
		rq->previous = kept.p;
		rq->n_previous = kept.n;
	}
	rq->yes = true; /* it was asked when the cover was made */
	rq->update_whole = why;
	rc = reduce_run(coll, rq, out, err);
	vec_release(&kept);
	return rc;
}

static void release(struct update *u)
{
	kept_index_close(&u->index, NULL);
	update_part_release(&u->part);
	update_work_close(&u->work);
	cover_result_release(&u->solved);
	cover_result_release(&u->all);
	state_release(&u->was);
	state_release(&u->is);
	mem_free(u->previous);
	arena_release(&u->arena);
}

/* Pins that are still in the collection. */
static int present_pins(struct collection *coll, struct arena *a, const struct cover_row *row, struct run_request *q,
			struct err *err)
{
	const char **keep = ARENA_ARRAY(a, const char *, q->n_keep + 1);
	size_t n = 0;

	for (size_t i = 0; i < q->n_keep; i++) {
		struct capture c;
		int rc = catalog_capture(coll->catalog, a, row->options.keep[i], &c, err);

		if (rc < 0 && rc != WN_NONE)
			return rc;
		if (rc == WN_OK)
			keep[n++] = q->keep[i];
	}
	q->keep = keep;
	q->n_keep = n;
	return WN_OK;
}

int update_run(struct collection *coll, const struct cover_row *row, const struct update_request *q,
	       struct reduce_report *out, struct err *err)
{
	double started = progress_clock();
	struct update u = { 0 };
	struct arena a = { 0 };
	struct reduce_request rq = { .run = covers_request(&a, row), .replaces = row->id, .commit = q->commit };
	struct err why = { 0 };
	struct run r = { 0 };
	int rc;

	*out = (struct reduce_report){ 0 };
	rq.name = row->name.n ? arena_strz(&a, row->name) : NULL;
	rq.run.threads = q->threads;
	rq.run.memory = q->memory;
	rq.run.tmp = q->tmp;
	rq.run.with_report = true;
	rq.run.late = true;
	if ((rc = present_pins(coll, &a, row, &rq.run, err)) < 0 || (rc = run_open(&r, coll, &rq.run, err)) < 0)
		goto out;
	u.run = &r;
	if (!q->stable && row->options.prefer.n && str_find(row->report, STR("\"stable\": true")) >= 0)
		rc = err_set(&why, WN_NONE,
			     "the update before this one preferred few changes to the cover's own preference");
	else
		rc = load(&u, row, &why);
	if (rc == WN_OK) {
		rc = update_part(&u, &rq, row, q->stable, out, started, err);
	} else if (rc == WN_NONE) {
		run_close(&r);
		rq.run.late = false;
		rc = update_whole(coll, &u, &rq, q->stable, why.text, out, err);
	} else {
		*err = why;
	}
	progress_end();
	out->seconds = progress_clock() - started;
	out->peak_memory = mem_peak();
out:
	release(&u);
	run_close(&r);
	arena_release(&a);
	return rc;
}
