/* flow/reduce.c -- see reduce.h.
 *
 * Phases: selecting, the phases of the join (which give the kernel), solving,
 * witnesses, storing.  The kernel of a join that took its time is kept until the
 * cover is stored (pending.h), so that a killed run goes on from there; storing
 * is one transaction, before which nothing is called a cover.
 */
#include "flow/reduce.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "archive/digest.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/map.h"
#include "base/os.h"
#include "base/progress.h"
#include "base/task.h"
#include "base/vec.h"
#include "flow/kept_index.h"
#include "flow/pending.h"
#include "flow/reduce_int.h"
#include "flow/solving.h"

#define SEARCH_LEAST 4096    /* steps; a search with less than that to do is not told apart */
#define SEARCH_SHOWN 256     /* nor is one before this part of it is done */
#define PENDING_SECONDS 0.05 /* a join that is faster is done again rather than synced to disk */

struct certificate_run reduce_about(const struct run *r)
{
	struct certificate_run c = { .revision = r->revision };

	digest_sha256(r->rule->canonical, c.rule);
	if (r->where)
		digest_sha256(r->where->canonical, c.selection);
	return c;
}

/* A block that no bound settles is a phase of its own: how long it takes depends on its search, not on documents.  Most are
 * settled by the first steps of it. */
struct shown {
	uint32_t documents; /* of the phase before; rows in turns have one of their own */
	bool search;
	uint64_t done;
};

static void show_search(void *context, uint64_t done, uint64_t most)
{
	struct shown *shown = context;

	if (!shown->search && (most < SEARCH_LEAST || done < most / SEARCH_SHOWN))
		return;
	if (!shown->search)
		progress_add(shown->documents);
	if (!shown->search || done < shown->done) /* another turn */
		progress_phase("searching", "steps", most);
	shown->search = true;
	shown->done = done;
	progress_at_most(done, most);
}

static int solve(const struct run *r, struct kernel *k, double time_limit, struct cover_result *out, struct err *err)
{
	struct cover_problem p = { .pinned = r->pinned,
				   .group = r->group,
				   .groups = r->groups,
				   .demand = r->demand,
				   .prefer = r->prefer,
				   .previous = r->previous,
				   .time_limit = time_limit };
	struct join_options o = r->join;
	struct shown shown = { .documents = k->open ? 0 : k->n_core };
	int rc;

	mem_give_back();
	p.progress = show_search;
	p.progress_context = &shown;
	progress_phase("solving", "documents", k->n_core);
	o.progress = NULL; /* joins in turns with the solver are no phases of their own */
	if ((rc = solving_run(&p, k, &r->ruled.query, &o, out, err)) == WN_OK && !shown.search)
		progress_add(shown.documents);
	return rc;
}

void reduce_proof(const struct run *r, const struct cover_result *c, struct arena *a, struct certificate *out)
{
	struct cover_problem p = { .n = (uint32_t)r->docs.n, .groups = r->groups };
	struct certificate_run about = reduce_about(r);

	certificate_from_result(a, &p, c, &about, out);
}

/* What an update will need to know of this run, but for the witnesses.  False: too much. */
static bool note_state(const struct run *r, const struct kernel *k, const struct cover_result *c, struct run_state *s)
{
	uint64_t edges = 0;
	uint32_t of, at = 0;

	if (k->open)
		return false;
	for (uint32_t d = 0; d < k->graph.n; d++)
		edges += state_settled(k, d, &of) == STATE_CORE ? k->graph.start[d + 1] - k->graph.start[d] : 0;
	if (edges > LIMIT_STATE_EDGES)
		return false;
	state_alloc(s, (uint32_t)r->docs.n, c->component_count, (uint32_t)edges, r->group != NULL);
	s->run = reduce_about(r);
	run_signatures(r, s->signature);
	for (uint32_t d = 0; d < s->n; d++) {
		s->id[d] = (uint32_t)r->docs.id[d];
		s->kind[d] = (uint8_t)state_settled(k, d, &s->of[d]);
		s->part[d] = c->component[d];
		if (s->group)
			s->group[d] = r->group[d];
		s->start[d] = at;
		for (uint64_t i = k->graph.start[d]; i < k->graph.start[d + 1] && s->kind[d] == STATE_CORE; i++)
			s->by[at++] = k->graph.by[i];
	}
	s->start[s->n] = at;
	for (uint32_t i = 0; i < s->n_parts; i++)
		s->parts[i] = (struct state_part){ c->components[i].kept, c->components[i].lower,
						   c->components[i].certified, c->components[i].status };
	return true;
}

/* The kernel: from a run that was killed, or by joining. */
static int find_kernel(struct run *r, const unsigned char key[32], struct kernel *k, struct coverage_stats *stats,
		       struct reduce_report *o, struct err *err)
{
	double started = progress_clock();
	struct index_writing index;
	struct err ignored = { 0 };
	int rc;

	if (pending_load(r, key, k, stats, &ignored) == WN_OK) {
		o->resumed = true;
		return WN_OK;
	}
	index_writing_open(&index, r, key);
	rc = coverage_kernel(k, &r->ruled.query, &r->join, stats, err);
	index_writing_close(&index, r);
	index_writing_release(&index);
	if (rc < 0)
		return rc;
	if (task_interrupted()) {
		kernel_release(k);
		return err_set(err, WN_INTERRUPTED, "interrupted");
	}
	if (progress_clock() - started > PENDING_SECONDS)
		pending_store(r, key, k, stats, &ignored); /* where that fails only a killed run joins again */
	return WN_OK;
}

int reduce_sizes(struct run *r, const uint32_t *witness, uint32_t *size, struct err *err)
{
	const uint32_t *sizes = r->sets.size[r->kind], *of = r->sets.set_of;
	const uint64_t *content = r->docs.content;
	size_t n = r->docs.n;
	uint64_t each;
	int rc = WN_OK;

	for (size_t d = 0; d < n && sizes; d++)
		size[d] = content[d] ? sizes[of[d]] : 0;
	if (sizes)
		return WN_OK;
	memset(size, 0, n * sizeof *size);
	for (uint32_t d = 0; d < n && rc == WN_OK; d++) {
		if (witness[d] == MEMBER_KEPT)
			continue;
		rc = run_set_size(r, d, &each, err);
		size[d] = (uint32_t)each;
		if (rc == WN_OK && size[witness[d]] == 0) {
			rc = run_set_size(r, witness[d], &each, err);
			size[witness[d]] = (uint32_t)each;
		}
	}
	return rc;
}

/* The members; every document that is dropped has a witness. */
static int list_members(struct run *r, const struct cover_result *c, const uint32_t *witness, const uint32_t *shared,
			struct arena *a, struct member_list *out, struct err *err)
{
	uint32_t n = (uint32_t)r->docs.n, *id = ARENA_ARRAY(a, uint32_t, (size_t)n + 1),
		 *size = ARENA_ARRAY(a, uint32_t, (size_t)n + 1);

	for (uint32_t d = 0; d < n; d++) {
		if (!c->kept[d] && witness[d] == MEMBER_KEPT)
			BUG("document %" PRIu64 " was dropped without a witness", r->docs.id[d]);
		id[d] = (uint32_t)r->docs.id[d];
	}
	*out = (struct member_list){ n, id, witness, shared, size };
	return reduce_sizes(r, witness, size, err);
}

/* ---- the report ---- */

static int by_documents(const void *a, const void *b)
{
	const struct reduce_share *x = a, *y = b;

	if (x->documents != y->documents)
		return x->documents > y->documents ? -1 : 1;
	return str_cmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	return str_cmp(((const struct reduce_share *)a)->name, ((const struct reduce_share *)b)->name);
}

#define SHARES_SEEN 64u /* neighbours are mostly of a few */

static struct reduce_share *shares(struct arena *a, const struct run *r, const uint8_t *kept, unsigned attr, size_t *n)
{
	const struct columns *c = &r->docs.columns;
	const struct column *col = c->col[attr], *bytes = c->col[ATTR_BYTES];
	struct map ids = { 0 };
	VEC(struct reduce_share) all = { 0 };
	struct reduce_share *out;
	struct {
		uint64_t key, next; /* next: its share and one, 0: none */
	} seen[SHARES_SEEN] = { 0 };
	uint64_t last = 0, at = 0;

	for (size_t d = 0; d < r->docs.n; d++) {
		uint64_t key = col->type == TYPE_TEXT
				   ? col->id[d]
				   : (uint64_t)(int64_t)(col->num[d] == col->num[d] ? col->num[d] : -1),
			 size = (uint64_t)(int64_t)bytes->num[d];
		struct reduce_share *s;

		if (d == 0 || key != last) { /* neighbours have one as a rule */
			if (seen[key % SHARES_SEEN].next == 0 || seen[key % SHARES_SEEN].key != key) {
				seen[key % SHARES_SEEN].key = key;
				seen[key % SHARES_SEEN].next = *map_put(&ids, key, all.n) + 1;
			}
			at = seen[key % SHARES_SEEN].next - 1;
			last = key;
		}
		if (at == all.n) {
			struct str name =
			    col->type == TYPE_TEXT ? columns_str(c, col, d) : arena_printf(a, "%.0f", col->num[d]);

			vec_push(&all, ((struct reduce_share){ .name = arena_str(a, name.n ? name : STR("-")) }));
		}
		s = &all.p[at];
		s->documents++;
		s->bytes += size;
		s->kept += kept[d];
		s->bytes_kept += kept[d] ? size : 0;
	}
	map_release(&ids);
	out = ARENA_ARRAY(a, struct reduce_share, all.n + 1);
	if (all.n)
		memcpy(out, all.p, all.n * sizeof *out);
	*n = all.n;
	vec_release(&all);
	sort_array(out, *n, sizeof *out, attr == ATTR_YEAR ? by_name : by_documents);
	return out;
}

static void count_versions(const struct run *r, struct reduce_report *o)
{
	const uint64_t *url = r->docs.url;
	double sum = 0, squares = 0;

	for (size_t d = 0; d < r->docs.n;) {
		size_t end = d;

		while (end < r->docs.n && url[end] == url[d])
			end++;
		o->urls++;
		sum += (double)(end - d);
		squares += (double)(end - d) * (double)(end - d);
		d = end;
	}
	if (o->urls) {
		o->versions_mean = sum / (double)o->urls;
		o->versions_sd = sqrt(fmax(0, squares / (double)o->urls - o->versions_mean * o->versions_mean));
	}
}

int reduce_count_missing(struct run *r, const uint32_t *witness, uint64_t *count, struct err *err)
{
	bool any = false;
	int rc = WN_OK;

	for (unsigned i = 0; i < ATTR_LIMIT; i++)
		any |= r->rule->needs[i] && r->docs.columns.col[i] && r->docs.columns.col[i]->n_missing;
	for (uint32_t d = 0; d < r->docs.n && rc == WN_OK && any; d++) {
		struct overlap ov[TEXT_KINDS];
		struct arena a = { 0 };
		struct clause *c;
		size_t n;

		if (witness[d] == UINT32_MAX)
			continue;
		if ((rc = run_overlaps(r, d, witness[d], ov, err)) == WN_OK) {
			c = rule_clauses(&a, r->rule, &r->docs.columns, d, witness[d], ov, &n);
			for (size_t i = 0; i < n; i++)
				if (c[i].holds && c[i].by_missing) {
					++*count;
					break;
				}
		}
		arena_release(&a);
	}
	return rc;
}

void reduce_fill_report(struct run *r, const struct cover_result *c, const struct coverage_stats *stats,
			struct reduce_report *o)
{
	const struct columns *cols = &r->docs.columns;

	o->rule = arena_str(&o->arena, r->rule->canonical);
	o->sha256 = arena_str(&o->arena, str(r->rule->sha256));
	o->selection = r->where ? arena_str(&o->arena, r->where->canonical) : STR_NONE;
	o->documents = r->docs.n;
	o->kept = c->kept_count;
	o->dropped = o->documents - o->kept;
	for (size_t d = 0; d < r->docs.n; d++) {
		uint64_t bytes = (uint64_t)(int64_t)cols->col[ATTR_BYTES]->num[d];

		o->bytes += bytes;
		o->bytes_kept += c->kept[d] ? bytes : 0;
		o->shingles += (uint64_t)(int64_t)cols->col[ATTR_SHINGLES]->num[d];
	}
	count_versions(r, o);
	o->pairs = UINT64_MAX;
	o->components = c->component_count;
	o->proven_by_certificate = c->by_status[COVER_CERTIFIED];
	o->proven_components = c->by_status[COVER_CERTIFIED] + c->by_status[COVER_SEARCHED];
	o->lower_bound = c->lower_bound;
	o->gap = o->kept - c->lower_bound;
	o->forced = c->forced;
	o->quotas_binding = c->quotas_binding;
	o->timed_out = c->timed_out;
	o->value_proven = c->value_proven;
	o->approximate = r->join.bands != 0;
	o->recall = r->join.bands ? stats->recall : 1;
	o->hosts = shares(&o->arena, r, c->kept, ATTR_HOST, &o->n_hosts);
	o->years = shares(&o->arena, r, c->kept, ATTR_YEAR, &o->n_years);
	o->excluded.no_text = r->docs.excluded.no_text;
	o->excluded.status = r->docs.excluded.status;
	o->excluded.where = r->docs.excluded.where;
	o->excluded.versions = r->docs.excluded.versions;
	o->revision = r->revision;
}

static void shares_json(struct json *j, const char *key, const char *name, const struct reduce_share *s, size_t n)
{
	json_put_open(j, key, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(j, '{');
		json_put_str(j, name, s[i].name);
		json_put_u64(j, "documents", s[i].documents);
		json_put_u64(j, "kept", s[i].kept);
		json_put_u64(j, "bytes", s[i].bytes);
		json_put_u64(j, "bytes_kept", s[i].bytes_kept);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Each phase once: the passes of a join that has several are added up. */
static void phases_json(struct json *j)
{
	unsigned n;
	const struct progress_phase *p = progress_phases(&n);

	json_put_open(j, "phases", '[');
	for (unsigned i = 0; i < n; i++) {
		double seconds = 0;
		uint64_t done = 0;
		bool before = false;

		for (unsigned k = 0; k < n; k++)
			if (strcmp(p[k].name, p[i].name) == 0) {
				before = before || k < i;
				seconds += p[k].seconds < 0 ? 0 : p[k].seconds;
				done += p[k].done;
			}
		if (before)
			continue;
		json_open(j, '{');
		json_put_z(j, "name", p[i].name);
		json_put_double(j, "seconds", seconds, 3);
		json_put_u64(j, "done", done);
		json_put_z(j, "unit", p[i].unit);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void update_json(const uint64_t values[7], struct str whole, struct json *j)
{
	static const char *const names[] = { "documents_changed",  "documents_gone",	  "documents_probed",
					     "documents_resolved", "components_resolved", "kept_new",
					     "kept_no_more" };

	for (size_t i = 0; i < COUNT(names); i++)
		json_put_u64(j, names[i], values[i]);
	json_put_text(j, "solved_whole_because", whole);
}

void reduce_report_json(const struct reduce_report *r, struct json *j)
{
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "kept", r->kept },
		{ "dropped", r->dropped },
		{ "bytes", r->bytes },
		{ "bytes_kept", r->bytes_kept },
		{ "components", r->components },
		{ "proven_components", r->proven_components },
		{ "proven_by_certificate", r->proven_by_certificate },
		{ "lower_bound", r->lower_bound },
		{ "gap", r->gap },
		{ "forced", r->forced },
		{ "quotas_binding", r->quotas_binding },
		{ "dropped_by_missing", r->by_missing },
		{ "peak_memory_bytes", r->peak_memory },
		{ "revision", r->revision },
	};

	json_open(j, '{');
	json_put_u64(j, "cover", r->cover);
	json_put_str(j, "rule", r->rule);
	json_put_str(j, "rule_sha256", r->sha256);
	json_put_text(j, "selection", r->selection);
	json_put_u64(j, "documents", r->documents);
	json_put_u64(j, "urls", r->urls);
	json_put_double(j, "versions_mean", r->versions_mean, 4);
	json_put_double(j, "versions_sd", r->versions_sd, 4);
	json_put_u64(j, "shingles", r->shingles);
	json_key(j, "pairs");
	r->pairs == UINT64_MAX ? json_null(j) : json_u64(j, r->pairs);
	for (size_t i = 0; i < COUNT(numbers); i++)
		json_put_u64(j, numbers[i].key, numbers[i].value);
	json_put_bool(j, "timed_out", r->timed_out);
	json_put_bool(j, "preference_proven", r->value_proven);
	json_put_bool(j, "approximate", r->approximate);
	json_put_double(j, "recall_estimate", r->recall, 4);
	json_put_open(j, "excluded", '{');
	json_put_u64(j, "no_text", r->excluded.no_text);
	json_put_u64(j, "status", r->excluded.status);
	json_put_u64(j, "where", r->excluded.where);
	json_put_u64(j, "min_versions", r->excluded.versions);
	json_close(j, '}');
	json_put_bool(j, "resumed", r->resumed);
	if (r->update.done)
		update_json((const uint64_t[]){ r->update.changed, r->update.gone, r->update.probed, r->update.solved,
						r->update.components, r->update.kept_new, r->update.kept_no_more },
			    r->update.whole, j);
	if (r->update.done)
		json_put_open(j, "pins_gone", '[');
	for (size_t i = 0; i < r->update.n_pins_gone; i++)
		json_u64(j, r->update.pins_gone[i]);
	if (r->update.done)
		json_close(j, ']');
	if (r->update.stable)
		json_put_bool(j, "stable", true); /* update_run looks for this */
	shares_json(j, "by_host", "host", r->hosts, r->n_hosts);
	shares_json(j, "by_year", "year", r->years, r->n_years);
	phases_json(j);
	json_put_double(j, "seconds", r->seconds, 3);
	json_close(j, '}');
}

void reduce_report_release(struct reduce_report *r)
{
	arena_release(&r->arena);
	*r = (struct reduce_report){ 0 };
}

/* ---- all of it ---- */

/* The report as it is stored, now that the cover has its id. */
static void describe(void *described, uint64_t cover, struct buf *out)
{
	struct json j = { .out = out, .spaced = true };
	struct reduce_report *o = described;

	o->cover = cover;
	reduce_report_json(o, &j);
}

int reduce_store(struct run *r, const struct reduce_request *q, struct reduce_report *o, struct reduce_answer *x,
		 struct err *err)
{
	struct cover_row row = { .id = q->replaces,
				 .revision = r->revision,
				 .documents = o->documents,
				 .kept = o->kept,
				 .lower_bound = o->lower_bound,
				 .name = str(q->name),
				 .rule = o->rule,
				 .sha256 = o->sha256,
				 .selection = o->selection };
	VEC(uint64_t) keep = { 0 };
	int rc;

	for (uint32_t d = 0; r->pinned && d < r->docs.n; d++)
		if (r->pinned[d])
			vec_push(&keep, r->docs.id[d]);
	row.options = (struct cover_options){ .rule = o->rule,
					      .where = str(q->run.where),
					      .per = str(q->run.per),
					      .prefer = str(q->run.prefer),
					      .approx = r->join.bands != 0,
					      .keep_at_least = q->run.keep_at_least,
					      .min_versions = q->run.min_versions,
					      .keep = keep.p,
					      .n_keep = keep.n };
	row.patch = x->patch;
	row.gone = x->gone;
	row.n_gone = x->n_gone;
	row.was_revision = x->was_revision;
	row.index = x->index;
	row.n_index = x->n_index;
	row.describe = describe;
	row.described = o;
	row.differs = x->differs;
	row.update = x->update;
	rc = covers_store(catalog_dir(r->coll->catalog), &row, &x->members, x->proof, x->state, q->commit, err);
	vec_release(&keep);
	return rc;
}

static int quadratic(const struct run *r, const struct reduce_request *q, struct err *err)
{
	double pairs = plan_quadratic(r->plan);

	if (q->yes || pairs <= 0)
		return WN_OK;
	return err_set(
	    err, WN_USAGE,
	    "this rule gives no way to find pairs but to try about %.3g of them. Add an equality such as a.host = b.host or a measure such as "
	    "containment(a, b) >= 0.7, or say --yes to try them all",
	    pairs);
}

static void mark_previous(struct run *r, const struct reduce_request *q)
{
	struct map kept = { 0 };

	if (!q->previous)
		return;
	for (size_t i = 0; i < q->n_previous; i++)
		map_put(&kept, q->previous[i], 1);
	r->previous = mem_zarray(r->docs.n + 1, 1);
	for (size_t d = 0; d < r->docs.n; d++)
		r->previous[d] = map_get(&kept, r->docs.id[d]) != NULL;
	map_release(&kept);
	run_set_apart(r);
}

/* Pairs that approximate candidates missed may allow a smaller cover: nothing is proven but the pins. */
static void unprove(const struct run *r, struct cover_result *c)
{
	memset(c->y, 0, r->docs.n * sizeof *c->y);
	if (c->group_y)
		memset(c->group_y, 0, r->groups * sizeof *c->group_y);
	c->certified = c->lower_bound = c->pinned_count;
	c->value_proven = false;
	c->by_status[COVER_CERTIFIED] = c->by_status[COVER_SEARCHED] = 0;
	c->by_status[COVER_BOUNDED] = c->component_count;
}

/* The index that the join left, by its name until now. */
static const struct cover_index *index_files(const struct run *r, const unsigned char key[32], struct arena *a,
					     unsigned *n)
{
	struct cover_index *files = ARENA_ARRAY(a, struct cover_index, KEPT_INDEX_MOST);

	for (*n = 0; *n < KEPT_INDEX_MOST && *n < r->ruled.query.n_disjuncts; ++*n)
		files[*n] = (struct cover_index){
			index_pending(a, catalog_dir(r->coll->catalog), index_number(key), r->revision, *n), *n, 0
		};
	return files;
}

static void remove_index(const struct run *r, const unsigned char key[32])
{
	struct arena a = { 0 };
	unsigned n;
	const struct cover_index *files = index_files(r, key, &a, &n);

	for (unsigned i = 0; i < n; i++)
		os_unlink(files[i].path, NULL);
	arena_release(&a);
}

void reduce_tell_pins(const struct reduce_request *q, struct reduce_report *o)
{
	o->update.n_pins_gone = q->n_pins_gone;
	o->update.pins_gone = ARENA_ARRAY(&o->arena, uint64_t, q->n_pins_gone + 1);
	for (size_t i = 0; i < q->n_pins_gone; i++)
		o->update.pins_gone[i] = q->pins_gone[i];
}

/* What an update reports when it had to solve all. */
static void tell_whole_update(const struct reduce_request *q, const struct cover_result *c, struct reduce_report *o)
{
	o->update.done = true;
	o->update.stable = q->n_previous > 0;
	o->update.whole = arena_str(&o->arena, str(q->update_whole));
	o->update.probed = o->update.solved = o->documents;
	o->update.components = c->component_count;
	reduce_tell_pins(q, o);
}

/* Everything between the run and the stored cover. */
static int reduce_opened(struct run *r, const struct reduce_request *q, struct reduce_report *out, double started,
			 struct err *err)
{
	uint32_t *witness = mem_array(r->docs.n + 1, sizeof *witness),
		 *shared = mem_zarray(r->docs.n + 1, sizeof *shared);
	struct reduce_answer answer = { 0 };
	struct cover_result cover = { 0 };
	struct run_state state = { 0 };
	struct certificate proof;
	struct coverage_stats stats = { 0 };
	struct kernel kernel = { 0 };
	struct arena a = { 0 };
	unsigned char key[32];
	int rc;

	mark_previous(r, q);
	pending_key(r, &q->run, key);
	if ((rc = quadratic(r, q, err)) < 0 || (rc = find_kernel(r, key, &kernel, &stats, out, err)) < 0 ||
	    (rc = solve(r, &kernel, q->time_limit, &cover, err)) < 0)
		goto out;
	if (r->join.bands)
		unprove(r, &cover);
	reduce_proof(r, &cover, &a, &proof);
	if (!r->join.bands) /* an update of an approximate cover would mix two notions of coverage */
		answer.state = note_state(r, &kernel, &cover, &state) ? &state : NULL;
	kernel_release(&kernel);
	progress_phase("witnesses", "steps", 0);
	if ((rc = run_witnesses(r, cover.kept, witness, shared, err)) < 0 ||
	    (rc = list_members(r, &cover, witness, shared, &a, &answer.members, err)) < 0)
		goto out;
	if (answer.state) {
		memcpy(state.witness, witness, r->docs.n * sizeof *witness);
		memcpy(state.shared, shared, r->docs.n * sizeof *shared);
		answer.index = index_files(r, key, &a, &answer.n_index);
		state.index = index_number(key);
	}
	if (task_interrupted()) {
		rc = err_set(err, WN_INTERRUPTED, "interrupted");
		goto out;
	}
	reduce_fill_report(r, &cover, &stats, out);
	if (q->update_whole)
		tell_whole_update(q, &cover, out);
	if ((rc = reduce_count_missing(r, witness, &out->by_missing, err)) < 0)
		goto out;
	progress_phase("storing", "documents", r->docs.n);
	progress_add(r->docs.n); /* one transaction; the report that is stored in it says how many */
	out->peak_memory = mem_peak();
	out->seconds = progress_clock() - started;
	answer.proof = &proof;
	if ((rc = reduce_store(r, q, out, &answer, err)) == WN_OK)
		rc = pending_clear(catalog_dir(r->coll->catalog), key, r->revision, err);
out:
	if (rc < 0 && rc != WN_INTERRUPTED) /* a disk that is full has better use for the room */
		remove_index(r, key);
	mem_free(witness);
	mem_free(shared);
	kernel_release(&kernel);
	state_release(&state);
	cover_result_release(&cover);
	arena_release(&a);
	return rc;
}

int reduce_run(struct collection *coll, const struct reduce_request *q, struct reduce_report *out, struct err *err)
{
	double started = progress_clock();
	struct run_request rq = q->run;
	struct run r;
	int rc;

	*out = (struct reduce_report){ 0 };
	if ((rc = covers_name_check(str(q->name), err)) < 0)
		return rc;
	rq.with_report = true;
	if ((rc = run_open(&r, coll, &rq, err)) < 0)
		return rc;
	rc = reduce_opened(&r, q, out, started, err);
	progress_end();
	out->seconds = progress_clock() - started;
	out->peak_memory = mem_peak();
	run_close(&r);
	return rc;
}
