/* flow/run.c -- see run.h. */
#include "flow/run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/progress.h"

static int parse_all(struct run *r, const struct run_request *q, struct selection_request *s, unsigned *per,
		     size_t *n_per, struct err *err)
{
	struct rule_env env;
	int rc;

	if ((rc = selection_env(r->coll, &r->arena, RULE_PAIR, &env, err)) < 0 ||
	    (rc = rule_parse(&r->arena, arena_str(&r->arena, q->rule), &env, &r->rule, err)) < 0)
		return rc;
	env.kind = RULE_SELECTION;
	if (q->where && (rc = rule_parse(&r->arena, arena_str(&r->arena, str(q->where)), &env, &r->where, err)) < 0)
		return err_in(err, "in --where");
	env.kind = RULE_NUMERIC;
	if (q->prefer &&
	    (rc = prefer_parse(&r->arena, arena_str(&r->arena, str(q->prefer)), &env, &r->prefer_rule, err)) < 0)
		return err_in(err, "in --prefer");
	env.kind = RULE_SELECTION;
	*n_per = 0;
	if (q->per && (rc = attrs_parse(str(q->per), &env, per, 8, n_per, err)) < 0)
		return err_in(err, "in --per");
	s->where = r->where;
	s->min_versions = q->min_versions;
	s->only = q->only;
	s->n_only = q->n_only;
	s->sizes = q->late;
	s->catalogue = q->catalogue;
	for (size_t i = 0; i < ATTR_LIMIT; i++)
		s->needs[i] = r->rule->needs[i] || (r->prefer_rule && r->prefer_rule->needs[i]);
	for (size_t i = 0; i < *n_per; i++)
		s->needs[per[i]] = true;
	s->needs[ATTR_TIME] = true; /* witnesses: the latest of equals */
	memcpy(r->needs, s->needs, sizeof r->needs);
	if (q->with_report)
		s->needs[ATTR_HOST] = s->needs[ATTR_YEAR] = s->needs[ATTR_BYTES] = s->needs[ATTR_SHINGLES] = true;
	return WN_OK;
}

/* A number per value of an attribute: equal values, equal numbers; missing is one of them. */
static uint64_t cell_bits(const struct columns *c, unsigned attr, size_t doc)
{
	const struct column *col = c->col[attr];
	uint64_t bits;
	double v;

	if (col->type == TYPE_TEXT)
		return col->id[doc];
	v = col->num[doc] + 0.0;
	if (v != v)
		return UINT64_MAX;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static void make_groups(struct run *r, const unsigned *per, size_t n_per, uint64_t at_least)
{
	struct map ids = { 0 };
	size_t n = r->docs.n;

	r->group = mem_array(n + 1, sizeof *r->group);
	for (size_t d = 0; d < n; d++) {
		uint64_t h = 0;

		/* attributes combine to one 64-bit value; two columns of dense ids cannot collide in practice */
		for (size_t i = 0; i < n_per; i++)
			h = mix64(h + 0x9e3779b97f4a7c15u * (i + 1)) ^ cell_bits(&r->docs.columns, per[i], d);
		r->group[d] = (uint32_t)*map_put(&ids, h, ids.n);
	}
	r->groups = (uint32_t)ids.n;
	r->demand = mem_array(ids.n + 1, sizeof *r->demand);
	for (size_t g = 0; g < ids.n; g++)
		r->demand[g] = at_least > UINT32_MAX ? UINT32_MAX : (uint32_t)at_least;
	map_release(&ids);
}

static int make_pins(struct run *r, const struct run_request *q, struct err *err)
{
	int rc;

	r->pinned = mem_zarray(r->docs.n + 1, 1);
	for (size_t i = 0; i < q->n_keep; i++) {
		struct capture c;
		uint32_t doc;

		if ((rc = collection_find(r->coll, &r->arena, q->keep[i], &c, err)) < 0)
			return err_in(err, "in --keep");
		if (!selection_find(&r->docs, c.id, &doc))
			return err_set(err, WN_USAGE, "--keep %s: document %" PRIu64 " is not in the selection",
				       q->keep[i], c.id);
		r->pinned[doc] = 1;
	}
	return WN_OK;
}

static int make_preference(struct run *r, struct err *err)
{
	struct bound *b = NULL;
	size_t beyond;
	int rc;

	if ((rc = rule_bind(&b, r->prefer_rule, &r->docs.columns, NULL, err)) < 0)
		return rc;
	r->prefer = mem_array(r->docs.n + 1, sizeof *r->prefer);
	beyond = prefer_values(b, r->prefer);
	bound_free(b);
	if (beyond)
		return err_set(
		    err, WN_USAGE,
		    "in --prefer: the values of %zu documents are beyond 4.6e15, where they could not be told apart; "
		    "divide the expression by a constant",
		    beyond);
	return WN_OK;
}

/* Twins are folded only where nothing that was asked for tells them apart. */
static void make_apart(struct run *r)
{
	struct map ids = { 0 };

	if (!r->group && !r->prefer && !r->pinned && !r->previous)
		return;
	r->apart = mem_array(r->docs.n + 1, sizeof *r->apart);
	for (size_t d = 0; d < r->docs.n; d++) {
		uint64_t h = mix64(r->group ? r->group[d] + 1 : 0);

		h = mix64(h ^ (uint64_t)(r->prefer ? r->prefer[d] : 0));
		h = mix64(h + (r->pinned && r->pinned[d] ? d + 1 : 0));
		h = mix64(h + (r->previous && r->previous[d]));
		r->apart[d] = (uint32_t)*map_put(&ids, h, ids.n);
	}
	map_release(&ids);
}

static int open_sets(struct run *r, unsigned kinds, struct err *err)
{
	struct segments *segments;
	uint64_t *content = mem_array(r->docs.n + 1, sizeof *content);
	int rc;

	for (size_t d = 0; d < r->docs.n; d++)
		content[d] = r->docs.content[d] ? r->docs.content[d] : STORED_NO_CONTENT;
	if ((rc = collection_sets(r->coll, &segments, err)) == WN_OK)
		rc = stored_open(&r->sets, segments, content, (uint32_t)r->docs.n, kinds, r->join.threads,
				 r->docs.shingles[0] ? r->docs.shingles : NULL, err);
	mem_free(content);
	return rc;
}

/* What the later phases of a reduction took in measured runs, as shares of all before them; the search for the
 * minimum may take longer than that. */
static void expect_after(const char *phase)
{
	static const struct {
		const char *phase;
		double low, high;
	} shares[] = { { "index", 0.15, 1.2 }, { "probe", 0.05, 0.8 }, { "witnesses", 0.01, 0.3 } };

	for (size_t i = 0; i < COUNT(shares); i++)
		if (strcmp(shares[i].phase, phase) == 0)
			progress_after(shares[i].low, shares[i].high);
}

static void follow_join(void *context, const char *phase, uint64_t done, uint64_t of)
{
	static const char *last; /* one join at a time */
	static uint64_t before;

	if (context)
		phase = context; /* all of a join that is a part of another phase */
	if (phase != last || done < before) {
		progress_phase(phase, "steps", of);
		expect_after(phase);
		before = 0;
	}
	last = phase;
	progress_add(done - before);
	before = done;
}

static int open_query(struct run *r, struct err *err)
{
	int rc;

	make_apart(r);
	if ((rc = open_sets(r, r->rule->texts, err)) < 0)
		return rc;
	ruled_open(&r->ruled, r->plan);
	r->kind = (int)r->rule->env.default_text;
	for (int k = 0; k < JOIN_KINDS; k++)
		if (r->rule->texts >> k & 1) {
			r->ruled.query.sets[k] = r->sets.sets[k];
			r->ruled.query.set_of[k] = r->sets.set_of;
			if (!(r->rule->texts >> r->kind & 1))
				r->kind = k;
		}
	r->ruled.fold.apart = r->apart;
	return WN_OK;
}

int run_open(struct run *r, struct collection *coll, const struct run_request *q, struct err *err)
{
	struct selection_request s = { 0 };
	struct catalog_next next;
	unsigned per[8];
	size_t n_per;
	int rc;

	*r = (struct run){ .coll = coll };
	r->join = (struct join_options){
		.threads = q->threads, .memory = q->memory, .progress = follow_join, .index = coverage_index_new()
	};
	r->tmp = arena_strz(&r->arena, str(q->tmp ? q->tmp : catalog_dir(coll->catalog)));
	if (q->approx) {
		r->join.bands = 32; /* of 128 bytes: 32 bands of 4 rows */
		r->join.rows = 4;
	}
	if ((rc = parse_all(r, q, &s, per, &n_per, err)) < 0)
		goto fail;
	if ((rc = catalog_next(coll->catalog, &next, err)) < 0)
		goto fail;
	progress_phase("selecting", "captures", next.capture - 1);
	if ((rc = selection_load(&r->docs, coll, &s, err)) < 0)
		goto fail;
	r->revision = r->docs.revision;
	progress_add(r->docs.captures);
	if (r->docs.n >= UINT32_MAX - 1) {
		rc = err_set(err, WN_LIMIT, "%zu documents are more than one run takes", r->docs.n);
		goto fail;
	}
	if ((rc = rule_bind(&r->bound, r->rule, &r->docs.columns, NULL, err)) < 0 ||
	    (rc = plan_make(&r->plan, r->bound, err)) < 0)
		goto fail;
	if (n_per)
		make_groups(r, per, n_per, q->keep_at_least);
	if ((q->n_keep && (rc = make_pins(r, q, err)) < 0) || (r->prefer_rule && (rc = make_preference(r, err)) < 0))
		goto fail;
	if ((rc = open_query(r, err)) < 0)
		goto fail;
	return WN_OK;
fail:
	run_close(r);
	return rc;
}

void run_close(struct run *r)
{
	coverage_index_free(r->join.index);
	ruled_close(&r->ruled);
	stored_close(&r->sets);
	plan_free(r->plan);
	bound_free(r->bound);
	selection_release(&r->docs);
	mem_free(r->pinned);
	mem_free(r->group);
	mem_free(r->demand);
	mem_free(r->prefer);
	mem_free(r->apart);
	mem_free(r->previous);
	arena_release(&r->arena);
	*r = (struct run){ 0 };
}

void run_set_apart(struct run *r)
{
	mem_free(r->apart);
	r->apart = NULL;
	make_apart(r);
	r->ruled.fold.apart = r->apart;
}

/* Hashes of the texts of a column, each once: by its number there. */
static uint64_t *text_hashes(const struct columns *c, const struct column *col, size_t n)
{
	uint32_t most = 0;
	uint64_t *hash;

	for (size_t d = 0; d < n; d++)
		most = col->id[d] > most ? col->id[d] : most;
	hash = mem_zarray((size_t)most + 1, sizeof *hash);
	for (size_t d = 0; d < n; d++)
		if (col->id[d] && !hash[col->id[d]])
			hash[col->id[d]] = hash_str(columns_str(c, col, d));
	return hash;
}

void run_signatures(const struct run *r, uint64_t *out)
{
	const struct columns *c = &r->docs.columns;
	size_t n = r->docs.n;

	for (size_t d = 0; d < n; d++)
		out[d] = mix64(r->docs.content[d]);
	for (unsigned i = 0; i < ATTR_LIMIT; i++) {
		uint64_t *hash;

		if (!r->needs[i] || !c->col[i])
			continue;
		hash = c->col[i]->type == TYPE_TEXT ? text_hashes(c, c->col[i], n) : NULL;
		for (size_t d = 0; d < n; d++)
			out[d] = mix64(out[d] + 0x9e3779b97f4a7c15u * (i + 1)) ^
				 (hash ? hash[c->col[i]->id[d]] : cell_bits(c, i, d));
		mem_free(hash);
	}
	for (size_t d = 0; d < n; d++)
		out[d] = mix64(out[d]);
}

/* ---- overlaps ---- */

static int text_set(struct run *r, struct arena *a, uint32_t doc, int kind, struct set *out, struct err *err)
{
	*out = (struct set){ 0 };
	if (!r->docs.content[doc])
		return WN_OK;
	return collection_set(r->coll, a, r->docs.content[doc], (enum sketch_text)kind, out, err);
}

int run_overlap(struct run *r, uint32_t a, uint32_t b, int kind, struct overlap *out, struct err *err)
{
	struct arena scratch = { 0 };
	struct set x, y;
	int rc;

	*out = (struct overlap){ 0 };
	if ((rc = text_set(r, &scratch, a, kind, &x, err)) == WN_OK &&
	    (rc = text_set(r, &scratch, b, kind, &y, err)) == WN_OK)
		*out = (struct overlap){ .o = set_shared(x, y), .a = x.n, .b = y.n };
	arena_release(&scratch);
	return rc;
}

int run_overlaps(struct run *r, uint32_t a, uint32_t b, struct overlap out[TEXT_KINDS], struct err *err)
{
	int rc = WN_OK;

	for (int k = 0; k < TEXT_KINDS && rc == WN_OK; k++) {
		out[k] = (struct overlap){ 0 };
		if (r->rule->texts >> k & 1)
			rc = run_overlap(r, a, b, k, &out[k], err);
	}
	return rc;
}

int run_measured(struct run *r, struct join_query *out, struct err *err)
{
	int rc;

	if (!r->sets.size[r->kind]) { /* no text of the rule: nothing was opened */
		stored_close(&r->sets);
		if ((rc = open_sets(r, 1u << r->kind, err)) < 0)
			return rc;
	}
	*out = r->ruled.query;
	out->sets[r->kind] = r->sets.sets[r->kind];
	out->set_of[r->kind] = r->sets.set_of;
	return WN_OK;
}

int run_witnesses(struct run *r, const uint8_t *kept, uint32_t *witness, uint32_t *shared, struct err *err)
{
	static char phase[] = "witnesses";
	struct join_options o = r->join;
	struct coverage_stats stats;
	struct join_query measured, *q = &r->ruled.query; /* the one whose index the kernel left */
	int rc = WN_OK;

	if (!q->set_of[r->kind]) {
		rc = run_measured(r, &measured, err);
		q = &measured;
	}
	o.progress_context = phase;
	return rc < 0 ? rc
		      : coverage_witness(witness, shared, q, &o, kept, r->kind, r->docs.columns.col[ATTR_TIME]->num,
					 &stats, err);
}

int run_set_size(struct run *r, uint32_t doc, uint64_t *size, struct err *err)
{
	struct segments *segments;
	size_t n;
	int rc;

	*size = 0;
	if (!r->docs.content[doc])
		return WN_OK;
	if (r->sets.size[r->kind]) {
		*size = r->sets.size[r->kind][r->sets.set_of[doc]];
		return WN_OK;
	}
	if ((rc = collection_sets(r->coll, &segments, err)) == WN_OK &&
	    (rc = segments_size(segments, r->docs.content[doc], (enum sketch_text)r->kind, &n, err)) == WN_OK)
		*size = n;
	return rc;
}
