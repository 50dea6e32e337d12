/* flow/update.c -- see update.h.
 *
 * Steps: open the run of the present revision; tell by signatures which
 * documents are new, changed or gone; probe (update_plan.c); join and solve the
 * open components as a run of their own; put the two halves together: kept
 * documents, components, dual values over a common denominator; witnesses of
 * what was solved again, of documents whose witness is kept no more, and of those
 * for which a newly kept one is better.
 */
#include "flow/update.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/map.h"
#include "base/progress.h"
#include "base/task.h"
#include "flow/reduce_int.h"
#include "flow/update_plan.h"
#include "join/near.h"

struct update {
	struct update_work work;
	struct run *run, part;
	struct run_state was, is;
	struct certificate proof; /* the old one */
	struct cover_member *old; /* by capture */
	size_t n_old;
	uint8_t *was_kept; /* by old number */
	uint8_t *previous; /* [n] kept before, by present number */
	uint32_t *docs;	   /* of the part */
	uint32_t n_docs;
	struct kernel kernel;	    /* of the part */
	struct cover_result solved; /* of the part */
	struct cover_result all;
	struct arena arena;
};

static const struct cover_member *member_of(const struct update *u, uint64_t id)
{
	struct cover_member key = { .id = id };

	return u->n_old ? bsearch(&key, u->old, u->n_old, sizeof key, reduce_by_member) : NULL;
}

/* Reads the old answer; WN_NONE with the reason when it is not there as a whole. */
static int load(struct update *u, const struct cover_row *row, struct err *err)
{
	int rc;

	if (covers_state(u->run->coll, row, &u->was, err) < 0)
		return WN_NONE;
	if ((rc = covers_members(u->run->coll, &u->arena, row->id, &u->old, &u->n_old, err)) < 0)
		return rc;
	if (covers_certificate(u->run->coll, &u->arena, row->id, &u->proof, err) < 0)
		return WN_NONE;
	if (memcmp(u->was.run.rule, u->proof.run.rule, 32) != 0 || u->was.run.revision != u->proof.run.revision ||
	    u->proof.run.revision != row->revision || u->was.n != u->proof.documents || u->was.n != u->n_old)
		return err_set(err, WN_NONE, "its files are of different runs");
	struct certificate_run about = reduce_about(u->run);

	if (memcmp(about.rule, u->was.run.rule, 32) != 0 || memcmp(about.selection, u->was.run.selection, 32) != 0)
		return err_set(err, WN_NONE, "the rule or the selection reads differently now");
	u->was_kept = mem_zarray((size_t)u->was.n + 1, 1);
	for (uint32_t o = 0; o < u->was.n; o++) {
		const struct cover_member *m = member_of(u, u->was.id[o]);

		if (!m)
			return err_set(err, WN_NONE, "its files are of different runs");
		u->was_kept[o] = m->kept;
	}
	return WN_OK;
}

static void close_part(struct update *u)
{
	kernel_release(&u->kernel);
	run_close(&u->part);
	mem_free(u->docs);
	u->docs = NULL;
	u->n_docs = 0;
}

/* The open documents as a run of their own, and its kernel. */
static int join_part(struct update *u, bool stable, struct err *err)
{
	struct coverage_stats stats = { 0 };
	int rc;

	close_part(u);
	u->docs = mem_array((size_t)u->work.n + 1, sizeof *u->docs);
	for (uint32_t d = 0; d < u->work.n; d++)
		if (u->work.open[d])
			u->docs[u->n_docs++] = d;
	if ((rc = run_restrict(&u->part, u->run, u->docs, u->n_docs, stable ? u->previous : NULL, err)) < 0)
		return rc;
	return coverage_kernel(&u->kernel, &u->part.ruled.query, &u->part.join, &stats, err);
}

/* Probes, opens and joins until every row that the part uses is known to be complete. */
static int find_part(struct update *u, bool stable, struct err *err)
{
	struct update_work *w = &u->work;
	uint8_t *more = mem_zarray((size_t)w->n + 1, 1);
	bool unsettled = true;
	int rc = WN_OK;

	progress_phase("probing", "documents", w->n_changed);
	for (uint32_t d = 0; d < w->n; d++)
		more[d] = w->before[d] == UPDATE_NONE || w->now[w->before[d]] != d;
	while (unsettled && rc == WN_OK) {
		if ((rc = update_probe(w, more, err)) < 0)
			break;
		update_choose(w);
		if ((rc = join_part(u, stable, err)) < 0)
			break;
		unsettled = update_unsettled(w, u->docs, &u->kernel, more) != 0;
	}
	mem_free(more);
	return rc;
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
	for (uint32_t i = 0; i < u->n_docs; i++)
		all->y[u->docs[i]] = u->solved.y[i] * new_by;
	if (!u->run->group)
		return;
	all->group_y = mem_zarray((size_t)u->run->groups + 1, sizeof *all->group_y);
	for (uint32_t g = 0; g < u->part.groups; g++)
		all->group_y[g] = u->solved.group_y[g] * new_by;
	old = mem_zarray((size_t)u->was.n + 1, sizeof *old); /* there are no more groups than documents */
	for (uint32_t i = 0; i < u->proof.group_value_count; i++)
		if (u->proof.group_values[i].id < u->was.n)
			old[u->proof.group_values[i].id] = u->proof.group_values[i].y * old_by;
	for (uint32_t d = 0; d < w->n; d++) /* groups are open or closed as a whole */
		if (!w->open[d] && u->was.group[w->before[d]] != COVER_NO_GROUP)
			all->group_y[u->run->group[d]] = old[u->was.group[w->before[d]]];
	mem_free(old);
}

static void put_document(struct update *u, uint32_t d, enum state_kind kind, uint32_t of, uint32_t part)
{
	u->is.id[d] = u->run->docs.id[d];
	u->is.signature[d] = run_signature(u->run, d);
	u->is.kind[d] = (uint8_t)kind;
	u->is.of[d] = of;
	u->is.part[d] = part;
	u->is.group[d] = u->run->group ? u->run->group[d] : COVER_NO_GROUP;
}

/* The state of the run as it is now: closed components, then those solved. */
static void combine_state(struct update *u)
{
	const struct update_work *w = &u->work;
	uint32_t *number = mem_array((size_t)u->was.n_parts + 1, sizeof *number), parts = 0;

	memset(number, 0xff, ((size_t)u->was.n_parts + 1) * sizeof *number);
	state_alloc(&u->is, w->n, w->n); /* at most so many components */
	u->is.run = reduce_about(u->run);
	for (uint32_t d = 0; d < w->n; d++) {
		uint32_t o = w->before[d], k;

		if (w->open[d])
			continue;
		k = u->was.part[o];
		if (number[k] == UINT32_MAX) {
			u->is.parts[parts] = u->was.parts[k];
			number[k] = parts++;
		}
		put_document(u, d, (enum state_kind)u->was.kind[o], w->now[u->was.of[o]], number[k]);
	}
	for (uint32_t i = 0; i < u->n_docs; i++) {
		uint32_t of;
		enum state_kind kind = state_settled(&u->kernel, i, &of);

		put_document(u, u->docs[i], kind, u->docs[of], parts + u->solved.component[i]);
	}
	for (uint32_t k = 0; k < u->solved.component_count; k++) {
		const struct cover_component *c = &u->solved.components[k];

		u->is.parts[parts++] = (struct state_part){ c->kept, c->lower, c->certified, c->status };
	}
	u->is.n_parts = parts;
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
		if (!w->open[d])
			all->kept[d] = u->was_kept[w->before[d]];
	for (uint32_t i = 0; i < u->n_docs; i++)
		all->kept[u->docs[i]] = u->solved.kept[i];
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

struct best { /* of a dropped document, as witnesses are compared */
	uint32_t witness, shared;
};

static bool is_better(const struct update *u, struct best x, struct best y)
{
	const double *time = u->run->docs.columns.col[ATTR_TIME]->num;

	if (x.witness == UINT32_MAX || y.witness == UINT32_MAX)
		return x.witness != UINT32_MAX;
	if (x.shared != y.shared)
		return x.shared > y.shared;
	if (time[x.witness] != time[y.witness])
		return time[x.witness] > time[y.witness];
	return x.witness < y.witness;
}

/* Of those that ask and those that offer, the documents of the larger side that no one of the other can pair with. */
static uint8_t *far_apart(const struct update *u, const uint8_t *ask, const uint8_t *offers)
{
	const struct join_query *q = &u->run->ruled.query;
	uint8_t *far = mem_alloc((size_t)q->n + 1), *live = mem_alloc((size_t)q->n + 1);
	uint32_t asking = 0, offering = 0;
	const uint8_t *few, *many;

	for (uint32_t d = 0; d < q->n; d++) {
		asking += ask[d];
		offering += offers[d];
	}
	few = asking <= offering ? ask : offers;
	many = few == ask ? offers : ask;
	for (uint32_t d = 0; d < q->n; d++)
		far[d] = many[d] && !few[d];
	for (unsigned i = 0; i < q->n_disjuncts; i++) {
		memcpy(live, many, q->n);
		coverage_near(q, i, &u->run->join, few, few == ask, few != ask, live, NULL);
		for (uint32_t d = 0; d < q->n; d++)
			far[d] &= !live[d];
	}
	mem_free(live);
	return far;
}

/* Best witnesses of dropped documents in ask[] among those in offer[]; better ones replace. */
static int offer(struct update *u, const uint8_t *ask, const uint8_t *offers, struct best *best, struct err *err)
{
	uint32_t n = 0, *docs = mem_array((size_t)u->work.n + 1, sizeof *docs), *witness, *shared, asked = 0;
	uint8_t *kept, *far = far_apart(u, ask, offers);
	struct run part;
	int rc;

	for (uint32_t d = 0; d < u->work.n; d++)
		if ((ask[d] || offers[d]) && !far[d]) {
			asked += ask[d] != 0;
			docs[n++] = d;
		}
	mem_free(far);
	if (asked == 0 || asked == n) {
		mem_free(docs);
		return WN_OK;
	}
	if ((rc = run_restrict(&part, u->run, docs, n, NULL, err)) < 0) {
		mem_free(docs);
		return rc;
	}
	witness = mem_array((size_t)n + 1, sizeof *witness);
	shared = mem_array((size_t)n + 1, sizeof *shared);
	kept = mem_array((size_t)n + 1, 1);
	for (uint32_t i = 0; i < n; i++)
		kept[i] = offers[docs[i]];
	rc = run_witnesses(&part, kept, witness, shared, err);
	for (uint32_t i = 0; i < n && rc == WN_OK; i++)
		if (!kept[i] && witness[i] != UINT32_MAX) {
			struct best found = { docs[witness[i]], shared[i] };

			if (is_better(u, found, best[docs[i]]))
				best[docs[i]] = found;
		}
	mem_free(witness);
	mem_free(shared);
	mem_free(kept);
	mem_free(docs);
	run_close(&part);
	return rc;
}

static void old_witnesses(const struct update *u, struct best *best, uint8_t *ask)
{
	const struct update_work *w = &u->work;
	struct map number = { 0 };

	for (uint32_t d = 0; d < w->n; d++)
		map_put(&number, u->run->docs.id[d], d);
	for (uint32_t d = 0; d < w->n; d++) {
		const struct cover_member *m =
		    w->before[d] == UPDATE_NONE || w->now[w->before[d]] != d ? NULL : member_of(u, u->run->docs.id[d]);
		const uint64_t *at = m && !m->kept ? map_get(&number, m->witness) : NULL;

		best[d] = (struct best){ UINT32_MAX, 0 };
		ask[d] = 0;
		if (u->all.kept[d])
			continue;
		/* a witness that is unchanged and still kept stays the best of those that were kept before */
		if (at && w->before[*at] != UPDATE_NONE && w->now[w->before[*at]] == *at && u->all.kept[*at])
			best[d] = (struct best){ (uint32_t)*at, (uint32_t)m->shared };
		else
			ask[d] = 1;
	}
	map_release(&number);
}

/* Whom a newly kept document may serve better: those of its pairs if it was probed, else anyone. */
static void mark_others(const struct update *u, const uint8_t *ask, const uint8_t *fresh, uint8_t *others)
{
	const struct update_work *w = &u->work;
	bool known = true;

	for (uint32_t d = 0; d < w->n; d++)
		known = known && (!fresh[d] || w->probed[d]);
	for (uint32_t d = 0; d < w->n; d++)
		others[d] = !known && !u->all.kept[d] && !ask[d];
	for (size_t i = 0; i < w->pairs.n && known; i++) {
		uint32_t a = w->pairs.p[i].a;

		if (fresh[w->pairs.p[i].b] && !u->all.kept[a] && !ask[a])
			others[a] = 1;
	}
}

static int find_witnesses(struct update *u, struct cover_member *members, struct err *err)
{
	const struct update_work *w = &u->work;
	struct best *best = mem_array((size_t)w->n + 1, sizeof *best);
	uint8_t *ask = mem_zarray((size_t)w->n + 1, 1), *others = mem_zarray((size_t)w->n + 1, 1),
		*fresh = mem_zarray((size_t)w->n + 1, 1);
	int rc;

	old_witnesses(u, best, ask);
	for (uint32_t d = 0; d < w->n; d++)
		fresh[d] = u->all.kept[d] && !(u->previous[d] && w->now[w->before[d]] == d);
	mark_others(u, ask, fresh, others);
	if ((rc = offer(u, ask, u->all.kept, best, err)) == WN_OK)
		rc = offer(u, others, fresh, best, err);
	for (uint32_t d = 0; d < w->n && rc == WN_OK; d++) {
		members[d] = (struct cover_member){ .id = u->run->docs.id[d], .kept = u->all.kept[d] };
		if (members[d].kept)
			continue;
		if (best[d].witness == UINT32_MAX)
			BUG("document %" PRIu64 " was dropped without a witness", members[d].id);
		members[d].witness = u->run->docs.id[best[d].witness];
		members[d].shared = best[d].shared;
		rc = reduce_sizes(u->run, d, best[d].witness, &members[d], err);
	}
	mem_free(best);
	mem_free(ask);
	mem_free(others);
	mem_free(fresh);
	return rc;
}

/* ---- all of it ---- */

static void mark_previous(struct update *u)
{
	u->previous = mem_zarray((size_t)u->work.n + 1, 1);
	for (uint32_t d = 0; d < u->work.n; d++)
		u->previous[d] = u->work.before[d] != UPDATE_NONE && u->was_kept[u->work.before[d]];
}

static void count_changes(const struct update *u, struct reduce_report *o)
{
	uint32_t common_kept = 0, before = 0;

	for (uint32_t d = 0; d < u->work.n; d++)
		common_kept += u->all.kept[d] && u->previous[d];
	for (uint32_t i = 0; i < u->was.n; i++)
		before += u->was_kept[i];
	o->update.done = true;
	o->update.changed = u->work.n_changed;
	o->update.gone = u->work.n_gone;
	o->update.probed = u->work.n_probed;
	o->update.solved = u->n_docs;
	o->update.components = u->solved.component_count;
	o->update.kept_new = u->all.kept_count - common_kept;
	o->update.kept_no_more = before - common_kept;
}

static int update_part(struct update *u, const struct reduce_request *rq, bool stable, struct reduce_report *out,
		       double started, struct err *err)
{
	struct coverage_stats stats = { .recall = 1 };
	struct cover_member *members = NULL;
	struct certificate proof;
	int rc;

	update_work_open(&u->work, u->run, &u->was, u->was_kept);
	mark_previous(u);
	if ((rc = find_part(u, stable, err)) < 0 || (rc = reduce_solve(&u->part, &u->kernel, 0, &u->solved, err)) < 0)
		return rc;
	combine(u);
	reduce_proof(u->run, &u->all, &u->arena, &proof);
	progress_phase("witnesses", "documents", u->n_docs);
	members = mem_array((size_t)u->work.n + 1, sizeof *members);
	if ((rc = find_witnesses(u, members, err)) < 0)
		goto out;
	if (task_interrupted()) {
		rc = err_set(err, WN_INTERRUPTED, "interrupted");
		goto out;
	}
	reduce_fill_report(u->run, &u->all, &stats, out);
	count_changes(u, out);
	if ((rc = reduce_count_missing(u->run, members, &out->by_missing, err)) < 0)
		goto out;
	progress_phase("storing", "documents", u->work.n);
	out->peak_memory = mem_peak();
	out->seconds = progress_clock() - started;
	rc = reduce_store(u->run, rq, out, members, &proof, &u->is, err);
out:
	mem_free(members);
	return rc;
}

/* Without the state there is nothing to begin with: a reduce in the cover's place. */
static int update_whole(struct collection *coll, struct update *u, struct reduce_request *rq, bool stable,
			const char *why, struct reduce_report *out, struct err *err)
{
	VEC(uint64_t) kept = { 0 };
	int rc;

	for (size_t i = 0; stable && i < u->n_old; i++)
		if (u->old[i].kept)
			vec_push(&kept, u->old[i].id);
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
	close_part(u);
	update_work_close(&u->work);
	cover_result_release(&u->solved);
	cover_result_release(&u->all);
	state_release(&u->was);
	state_release(&u->is);
	mem_free(u->was_kept);
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
	if ((rc = present_pins(coll, &a, row, &rq.run, err)) < 0 || (rc = run_open(&r, coll, &rq.run, err)) < 0)
		goto out;
	u.run = &r;
	rc = load(&u, row, &why);
	if (rc == WN_OK) {
		rq.was = u.old;
		rq.n_was = u.n_old;
		rq.was_revision = row->revision;
		rc = update_part(&u, &rq, q->stable, out, started, err);
	} else if (rc == WN_NONE) {
		run_close(&r);
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
