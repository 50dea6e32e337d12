/* flow/update.c -- see update.h.
 *
 * Steps: open the run of the present revision; tell by signatures which
 * documents are new, changed or gone; probe them, and say what is open
 * (update_plan.c); solve that; put the two halves together (update_combine.c);
 * find the witnesses that changed (update_witness.c).  Nothing is joined but
 * what changed, and only rows that differ are stored.
 */
#include "flow/update.h"

#include "base/json.h"
#include "base/map.h"
#include "base/progress.h"
#include "base/task.h"
#include "flow/update_int.h"

#define KNOWN_LESS 8 /* a component that lost this part of its documents, or more, is another one */

/* Reads the old answer; WN_NONE with the reason when it is not there as a whole. */
static int load(struct update *u, const struct cover_row *row, struct err *err)
{
	struct certificate_run about = reduce_about(u->run);
	uint64_t kept = 0;

	if (covers_state(u->run->coll, row, &u->was, err) < 0 ||
	    covers_certificate(u->run->coll, &u->arena, row->id, &u->proof, err) < 0)
		return WN_NONE;
	for (uint32_t o = 0, n = u->was.n; o < n; o++)
		kept += u->was.witness[o] == STATE_KEPT;
	if (memcmp(u->was.run.rule, u->proof.run.rule, 32) != 0 || u->was.run.revision != u->proof.run.revision ||
	    u->proof.run.revision != row->revision || u->was.n != u->proof.documents || u->was.n != row->documents ||
	    kept != row->kept || (u->run->group && !u->was.group))
		return err_set(err, WN_NONE, "its files are of different runs");
	if (memcmp(about.rule, u->was.run.rule, 32) != 0 || memcmp(about.selection, u->was.run.selection, 32) != 0)
		return err_set(err, WN_NONE, "the rule or the selection reads differently now");
	return WN_OK;
}

static int probe(struct update *u, struct err *err)
{
	struct update_work *w = &u->work;
	uint8_t *more = mem_zarray((size_t)w->n + 1, 1);
	int rc;

	progress_phase("probing", "documents", w->n_changed);
	for (uint32_t d = 0, n = w->n; d < n; d++)
		if (!update_unchanged(w, d) && !w->folds[d])
			more[d] = COVERAGE_AS_A | COVERAGE_AS_B;
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

/* Where the run before had to leave a component without proof, and most of it is as it was, its cover and its dual
 * values are where the solver begins; to spend the whole of its budget on that again would be a reduce.  Where the
 * clock had ended the search it is searched as a whole now. */
static struct cover_known *known(struct update *u)
{
	const struct run_state *was = &u->was;
	struct cover_known *k = ARENA_NEW(&u->arena, struct cover_known);
	uint8_t *given_up = arena_zalloc(&u->arena, (size_t)u->part.n + 1),
		*kept = arena_zalloc(&u->arena, (size_t)u->part.n + 1);
	uint32_t *y = arena_zalloc(&u->arena, ((size_t)u->part.n + 1) * sizeof *y),
		 *less = mem_zarray((size_t)was->n_parts + 1, sizeof *less),
		 *size = mem_zarray((size_t)was->n_parts + 1, sizeof *size);
	bool any = false;

	for (uint32_t o = 0; o < was->n; o++) {
		size[was->part[o]]++;
		less[was->part[o]] += u->work.now[o] == UPDATE_NONE;
	}
	for (uint32_t i = 0; i < u->part.n; i++) {
		uint32_t d = u->part.docs[i], o = u->work.before[d];

		if (!update_unchanged(&u->work, d))
			continue;
		given_up[i] = was->parts[was->part[o]].status == COVER_BOUNDED &&
			      less[was->part[o]] * KNOWN_LESS < size[was->part[o]];
		kept[i] = u->work.kept[d];
		any |= given_up[i];
	}
	for (uint32_t v = 0; v < u->proof.value_count; v++) {
		uint32_t d = u->work.now[u->proof.values[v].id];

		if (d != UPDATE_NONE && u->part.place[d] != UPDATE_NONE)
			y[u->part.place[d]] = u->proof.values[v].y;
	}
	mem_free(less);
	mem_free(size);
	*k = (struct cover_known){ given_up, kept, y, u->proof.denominator };
	return any && !u->run->group && !u->timed_out ? k : NULL;
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
				   .previous = stable ? picked(u, u->work.kept, 1) : NULL,
				   .known = known(u) };

	progress_phase("solving", "documents", u->part.n);
	progress_add(u->part.n);
	return cover_solve(&p, &u->solved, err);
}

/* ---- storing ---- */

/* Is its row in the catalogue as it was? */
static bool same_row(const struct update *u, uint32_t d)
{
	const struct update_work *w = &u->work;
	uint32_t o = w->before[d], old;

	if (!update_unchanged(w, d) || u->all.kept[d] != u->work.kept[d])
		return false;
	old = u->was.witness[o];
	return u->all.kept[d] || (w->now[old] == u->is.witness[d] && u->was.shared[o] == u->is.shared[d]);
}

/* The same as struct cover_row asks it. */
static bool differs(const void *update, uint32_t d) { return !same_row(update, d); }

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
		common_kept += u->all.kept[d] && u->work.kept[d];
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

static int store(struct update *u, const struct reduce_request *rq, struct reduce_answer *x, struct reduce_report *out,
		 double started, struct err *err)
{
	uint64_t *gone = mem_array((size_t)u->was.n + 1, sizeof *gone);
	uint32_t *size = mem_array((size_t)u->work.n + 1, sizeof *size);
	int rc;

	x->members = (struct member_list){ u->work.n, u->is.id, u->is.witness, u->is.shared, size };
	x->state = &u->is;
	x->differs = differs;
	x->update = u;
	x->patch = true;
	x->gone = gone;
	x->n_gone = u->work.n_gone ? list_gone(u, gone) : 0;
	x->was_revision = u->was.run.revision;
	if ((rc = reduce_sizes(u->run, u->is.witness, size, err)) == WN_OK) {
		progress_phase("storing", "documents", u->work.n);
		progress_add(u->work.n);
		out->peak_memory = mem_peak();
		out->seconds = progress_clock() - started;
		rc = reduce_store(u->run, rq, out, x, err);
	}
	mem_free(size);
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

	u->timed_out = str_find(row->report, STR("\"timed_out\": true")) >= 0;
	u->value_unproven = str_find(row->report, STR("\"preference_proven\": false")) >= 0;
	kept_index_open(&u->index, u->run, row, &u->arena, u->was.index);
	update_work_open(&u->work, u->run, &u->was);
	if ((rc = probe(u, err)) < 0)
		return rc;
	update_choose(&u->work, &u->proof);
	update_part_build(&u->part, &u->work);
	if ((rc = solve(u, stable, err)) < 0)
		return rc;
	update_combine(u);
	reduce_proof(u->run, &u->all, &u->arena, &proof);
	answer.proof = &proof;
	progress_phase("witnesses", "documents", u->part.n);
	if ((rc = update_witnesses(u, err)) < 0 || (rc = stored_state(&u->run->sets, err)) < 0)
		return rc;
	if (task_interrupted())
		return err_set(err, WN_INTERRUPTED, "interrupted");
	reduce_fill_report(u->run, &u->all, &stats, out);
	count_changes(u, out);
	reduce_tell_pins(rq, out);
	out->update.stable = stable;
	if ((rc = reduce_count_missing(u->run, u->is.witness, &out->by_missing, err)) < 0)
		return rc;
	kept_index_add(&u->index, u->run, &u->arena);
	answer.index = u->index.files.p;
	answer.n_index = (unsigned)u->index.files.n;
	return store(u, rq, &answer, out, started, err);
}

/* ---- nothing to do ---- */

static uint32_t stated(const struct json_value *report, const char *key)
{
	uint64_t n = 0;

	return str_u64(json_text(report, key), &n) && n < UINT32_MAX ? (uint32_t)n : 0;
}

/* Which documents are kept; false: the stored members are not those of this run. */
static bool stored_kept(struct update *u, const struct cover_row *row, uint8_t *kept)
{
	const struct run *r = u->run;
	struct cover_member *m;
	struct map by_id = { 0 };
	struct err ignored = { 0 };
	uint64_t n_kept = 0;
	size_t n, found = 0;

	if (covers_members(r->coll, &u->arena, row->id, &m, &n, &ignored) < 0 || n != r->docs.n)
		return false;
	for (size_t i = 0; i < n; i++)
		map_put(&by_id, m[i].id, m[i].kept);
	for (size_t d = 0; d < n; d++) {
		const uint64_t *is = map_get(&by_id, r->docs.id[d]);

		found += is != NULL;
		kept[d] = is && *is;
		n_kept += kept[d];
	}
	map_release(&by_id);
	return found == n && n_kept == row->kept;
}

/* A cover of this very revision is the answer already, also where nothing was kept to go on from because rows were put
 * off.  Not one whose search the clock ended, nor an approximate one: to solve it again makes it better. */
static bool as_it_was(struct update *u, const struct cover_row *row, const struct reduce_request *rq, bool stable,
		      struct reduce_report *out)
{
	struct run *r = u->run;
	struct coverage_stats stats = { .recall = 1 };
	uint8_t *kept = arena_zalloc(&u->arena, r->docs.n + 1);
	struct cover_result was = { .kept = kept, .kept_count = (uint32_t)row->kept, .lower_bound = row->lower_bound };
	struct json_value *report;
	struct certificate proof;
	struct err ignored = { 0 };

	if (row->revision != r->revision || row->documents != r->docs.n || row->options.approx || rq->n_pins_gone ||
	    !str_eq(row->sha256, str(r->rule->sha256)) ||
	    !str_eq(row->selection, r->where ? r->where->canonical : STR_NONE) ||
	    json_parse(&u->arena, row->report, &report, &ignored) < 0 || !json_get(report, "components") ||
	    str_find(row->report, STR("\"timed_out\": true")) >= 0 ||
	    covers_certificate(r->coll, &u->arena, row->id, &proof, &ignored) < 0 ||
	    proof.run.revision != row->revision || proof.lower_bound != row->lower_bound || !stored_kept(u, row, kept))
		return false;
	was.component_count = stated(report, "components");
	was.by_status[COVER_CERTIFIED] = stated(report, "proven_by_certificate");
	was.by_status[COVER_SEARCHED] = stated(report, "proven_components") - was.by_status[COVER_CERTIFIED];
	was.forced = stated(report, "forced");
	was.quotas_binding = stated(report, "quotas_binding");
	was.value_proven = str_find(row->report, STR("\"preference_proven\": true")) >= 0;
	reduce_fill_report(r, &was, &stats, out);
	out->cover = row->id;
	out->by_missing = stated(report, "dropped_by_missing");
	out->update.done = true;
	out->update.stable = stable;
	reduce_tell_pins(rq, out);
	return true;
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
	arena_release(&u->arena);
}

/* Pins that are still in the collection, and those that are not. */
static int present_pins(struct collection *coll, struct arena *a, const struct cover_row *row,
			struct reduce_request *rq, struct err *err)
{
	struct run_request *q = &rq->run;
	const char **keep = ARENA_ARRAY(a, const char *, q->n_keep + 1);
	uint64_t *gone = ARENA_ARRAY(a, uint64_t, q->n_keep + 1);
	size_t n = 0;

	for (size_t i = 0; i < q->n_keep; i++) {
		struct capture c;
		int rc = catalog_capture(coll->catalog, a, row->options.keep[i], &c, err);

		if (rc < 0 && rc != WN_NONE)
			return rc;
		if (rc == WN_OK)
			keep[n++] = q->keep[i];
		else
			gone[rq->n_pins_gone++] = row->options.keep[i];
	}
	q->keep = keep;
	q->n_keep = n;
	rq->pins_gone = gone;
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
	if ((rc = present_pins(coll, &a, row, &rq, err)) < 0 || (rc = run_open(&r, coll, &rq.run, err)) < 0)
		goto out;
	u.run = &r;
	if (!q->stable && row->options.prefer.n && str_find(row->report, STR("\"stable\": true")) >= 0)
		rc = err_set(&why, WN_NONE,
			     "the update before this one preferred few changes to the cover's own preference");
	else if ((rc = load(&u, row, &why)) == WN_NONE && as_it_was(&u, row, &rq, q->stable, out))
		rc = WN_END;
	if (rc == WN_END) {
		rc = q->commit ? covers_commit(catalog_dir(coll->catalog), row->id, q->commit, err) : WN_OK;
	} else if (rc == WN_OK) {
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
