/* flow/preview.c -- see preview.h.
 *
 * The selection is loaded whole (a row a document), sets only of what is drawn:
 * selection_part makes a small selection of the drawn documents, and everything
 * after it works on that.  Steps: rule, selection, blocks (preview_blocks.c),
 * sample, trial of the rule, trials of other thresholds on a smaller sample,
 * examples.
 */
#include "flow/preview_int.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/progress.h"
#include "cover/cover.h"
#include "flow/solving.h"

/* ---- a rule on some documents, solved ---- */

void trial_close(struct trial *t)
{
	for (size_t i = 0; t->keys && i < t->plan->n; i++)
		mem_free(t->keys[i]);
	mem_free(t->keys);
	ruled_close(&t->ruled);
	plan_free(t->plan);
	bound_free(t->bound);
	*t = (struct trial){ 0 };
}

/* Pairs lie inside the blocks: every disjunct's key becomes (key, block), and twins of two blocks are not folded. */
static void keep_apart(struct trial *t, const uint32_t *apart)
{
	t->keys = mem_zarray(t->plan->n + 1, sizeof *t->keys);
	t->ruled.fold.apart = apart;
	for (size_t i = 0; i < t->plan->n; i++) {
		struct join_disjunct *d = &t->ruled.disjuncts[i];
		struct map ids = { 0 };

		t->keys[i] = mem_array(t->plan->n_docs + 1, sizeof **t->keys);
		for (size_t k = 0; k < t->plan->n_docs; k++)
			t->keys[i][k] =
			    (uint32_t)*map_put(&ids, (uint64_t)apart[k] << 32 | (d->key ? d->key[k] : 0), ids.n);
		d->key = t->keys[i];
		map_release(&ids);
	}
}

int trial_open(struct trial *t, const struct rule *rule, const struct selection *docs, const struct stored *sets,
	       const uint32_t *apart, struct err *err)
{
	int rc;

	*t = (struct trial){ .kind = -1 };
	if ((rc = rule_bind(&t->bound, rule, &docs->columns, NULL, err)) < 0 ||
	    (rc = plan_make(&t->plan, t->bound, err)) < 0) {
		trial_close(t);
		return rc;
	}
	ruled_open(&t->ruled, t->plan);
	if (apart)
		keep_apart(t, apart);
	for (int k = 0; sets && k < JOIN_KINDS; k++)
		if (rule->texts >> k & 1) {
			t->ruled.query.sets[k] = sets->sets[k];
			t->ruled.query.set_of[k] = sets->set_of;
			if (t->kind < 0 || k == (int)rule->env.default_text)
				t->kind = k;
		}
	return WN_OK;
}

static int trial_solve(struct trial *t, const struct join_options *o, unsigned nodes, struct cover_result *out,
		       struct err *err)
{
	struct join_options unbounded = *o;
	struct coverage_stats stats;
	struct kernel k = { 0 };
	struct cover_problem p;
	int rc;

	unbounded.memory = 0; /* nodes bound the search; a preview is not refused for its pairs */
	if (plan_quadratic(t->plan) > PREVIEW_PAIRS)
		return err_set(
		    err, WN_USAGE,
		    "this rule gives no way to find pairs but to try them all, which no preview can; 'winnow explain' says how many. "
		    "Add an equality such as a.host = b.host or a measure such as containment(a, b) >= 0.7");
	if ((rc = coverage_kernel(&k, &t->ruled.query, o, &stats, err)) < 0)
		return rc;
	p = (struct cover_problem){ .node_budget = nodes };
	rc = solving_run(&p, &k, &t->ruled.query, &unbounded, out, err);
	kernel_release(&k);
	return rc;
}

/* Pairs by the loosest rule, which those of all others are among: one probe instead of several for each. */
static int ground_gather(const struct preview_state *p, const struct ground *g, const struct join_options *o,
			 struct err *err)
{
	struct trial t;
	int rc;

	if (!g->curve || !p->loosest)
		return WN_OK;
	if ((rc = trial_open(&t, p->loosest, g->docs, g->sets, g->apart, err)) < 0)
		return rc;
	rc = coverage_gather(&t.ruled.query, o, PREVIEW_GATHERED, err);
	coverage_index_pass(g->index);
	trial_close(&t);
	return rc;
}

int ground_solve(const struct preview_state *p, const struct ground *g, const struct rule *rule, unsigned nodes,
		 struct cover_result *out, struct err *err)
{
	struct join_options o = p->join;
	struct trial t;
	int rc;

	o.index = g->index;
	if ((rc = ground_gather(p, g, &o, err)) < 0 || (rc = trial_open(&t, rule, g->docs, g->sets, g->apart, err)) < 0)
		return rc;
	rc = trial_solve(&t, &o, nodes, out, err);
	coverage_index_pass(g->index);
	trial_close(&t);
	return rc;
}

int ground_witness(const struct preview_state *p, const struct ground *g, const struct rule *rule, const uint8_t *kept,
		   uint32_t *witness, uint32_t *shared, int *kind, struct err *err)
{
	struct join_options o = p->join;
	struct trial t;
	int rc;

	if ((rc = trial_open(&t, rule, g->docs, g->sets, g->apart, err)) < 0)
		return rc;
	o.index = g->index;
	*kind = t.kind;
	rc = coverage_witness(witness, shared, &t.ruled.query, &o, kept, t.kind, g->docs->columns.col[ATTR_TIME]->num,
			      NULL, err);
	coverage_index_pass(g->index);
	trial_close(&t);
	return rc;
}

/* ---- a sample: drawn blocks as a selection of their own ---- */

struct sample {
	struct preview_sample drawn;
	struct selection docs;
	uint32_t *of; /* [docs.n] which drawn block */
	struct stored sets;
	uint64_t shingles;
	struct ground inside, across; /* the same documents; pairs across blocks count in the second */
};

static void sample_release(struct sample *s)
{
	mem_free(s->of);
	stored_close(&s->sets);
	selection_release(&s->docs);
	coverage_index_free(s->inside.index);
	coverage_index_free(s->across.index);
}

/* Shingles that the join would read: each content counts once in a block. */
static uint64_t drawn_shingles(const struct preview_state *p, const struct preview_sample *s)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < s->n; i++)
		sum += p->shingles[s->block[i]];
	return sum;
}

/* Blocks within the budget; classes of few heavy blocks may exceed it, so the
 * budget of documents is lowered until the shingles fit, or cannot. */
static void sample_draw(struct preview_state *p, struct preview_sample *s)
{
	bool part = p->by != BLOCKS_ALL && p->all_shingles > p->budget;
	double share = part ? (double)p->budget / (double)p->all_shingles : 1;
	uint64_t documents = part ? (uint64_t)(share * (double)p->docs.n) : p->docs.n;

	for (int turn = 0; turn < 6; turn++, documents /= 2) {
		preview_draw(p->arena, s, p->size, p->blocks, documents, p->seed);
		if (s->whole || drawn_shingles(p, s) <= p->budget + p->budget / 4)
			break;
	}
}

int preview_sets(const struct preview_state *p, const struct selection *docs, struct stored *out, struct err *err)
{
	uint64_t *content = mem_array(docs->n + 1, sizeof *content);
	struct segments *segments;
	int rc;

	for (size_t i = 0; i < docs->n; i++)
		content[i] = docs->content[i] ? docs->content[i] : STORED_NO_CONTENT;
	if ((rc = collection_sets(p->coll, &segments, err)) == WN_OK)
		rc = stored_open(out, segments, content, (uint32_t)docs->n, p->rule->texts, p->join.threads, NULL, err);
	mem_free(content);
	return rc;
}

static int sample_open(struct preview_state *p, struct sample *out, struct err *err)
{
	uint32_t *nth = mem_array((size_t)p->blocks + 1, sizeof *nth), *docs = mem_array(p->docs.n + 1, sizeof *docs);
	uint32_t n = 0;

	*out = (struct sample){ 0 };
	sample_draw(p, &out->drawn);
	memset(nth, 0xff, (size_t)p->blocks * sizeof *nth);
	for (uint32_t i = 0; i < out->drawn.n; i++)
		nth[out->drawn.block[i]] = i;
	out->of = mem_array((size_t)out->drawn.documents + 1, sizeof *out->of);
	for (uint32_t d = 0; d < p->docs.n; d++)
		if (nth[p->block[d]] != UINT32_MAX) {
			out->of[n] = nth[p->block[d]];
			docs[n++] = d;
		}
	selection_part(&out->docs, &p->docs, docs, n);
	out->shingles = drawn_shingles(p, &out->drawn);
	mem_free(nth);
	mem_free(docs);
	out->inside = (struct ground){ &out->docs, &out->sets, p->by == BLOCKS_URL ? out->of : NULL,
				       coverage_index_new(), false };
	out->across = (struct ground){ &out->docs, &out->sets, NULL, coverage_index_new(), false };
	return preview_sets(p, &out->docs, &out->sets, err);
}

/* ---- estimates ---- */

double *kept_by_block(const uint8_t *kept, const uint32_t *of, size_t docs, size_t n)
{
	double *by_block = mem_zarray(n + 1, sizeof *by_block);

	for (size_t d = 0; d < docs; d++)
		by_block[of[d]] += kept[d];
	return by_block;
}

static struct preview_interval estimate_bytes(struct preview_state *p, const struct sample *s, const uint8_t *kept)
{
	double *by_block = mem_zarray((size_t)s->drawn.n + 1, sizeof *by_block);
	const double *bytes = s->docs.columns.col[ATTR_BYTES]->num;
	struct preview_interval v;

	for (size_t d = 0; d < s->docs.n; d++)
		by_block[s->of[d]] += kept[d] && bytes[d] == bytes[d] ? bytes[d] : 0;
	v = preview_total(&s->drawn, p->size, p->blocks, &(struct preview_amounts){ p->bytes, p->bytes, 0, by_block });
	mem_free(by_block);
	return v;
}

/* Documents kept of all when pairs count inside blocks only; x: about proportional to it, by block. */
static struct preview_interval estimate_inside(struct preview_state *p, const struct sample *s, const uint8_t *kept,
					       const double *x)
{
	double *by_block = kept_by_block(kept, s->of, s->docs.n, s->drawn.n),
	       *size = mem_array((size_t)p->blocks + 1, sizeof *size);
	struct preview_interval v;

	for (uint32_t b = 0; b < p->blocks; b++)
		size[b] = p->size[b];
	v = preview_total(&s->drawn, p->size, p->blocks, &(struct preview_amounts){ x ? x : size, size, 1, by_block });
	mem_free(by_block);
	mem_free(size);
	return v;
}

/* Pairs across blocks take a share of what is kept: between `least` and `most` of it, `share` most likely. */
static void take_away(struct preview_interval *v, double least, double share, double most)
{
	v->estimate *= 1 - share;
	v->low = fmax(v->low * (1 - fmin(most, 1)), 1);
	v->high *= 1 - fmax(least, 0);
	v->estimate = fmin(fmax(v->estimate, v->low), v->high);
}

/* What narrowed sets say of every block, corrected by what whole sets say of the drawn ones; and of pairs across blocks. */
static int estimate_narrowed(struct preview_state *p, struct narrowed *w, struct sample *s, const struct rule *rule,
			     const uint8_t *kept, struct preview_interval *out, struct err *err)
{
	struct narrowed_view v;
	int rc;

	if ((rc = narrowed_look(w, p, rule, &v, err)) < 0)
		return rc;
	*out = estimate_inside(p, s, kept, v.kept);
	take_away(out, v.least, v.across, v.most);
	mem_free(v.kept);
	return WN_OK;
}

/* By URLs, and too many for narrowed sets: pairs across blocks that happen to
 * lie in the sample are seen by a second solution without the blocks: scaled
 * up it is the better estimate; what is not seen may drop as much again, and
 * nothing at all at the other end. */
static int estimate_across(struct preview_state *p, struct sample *s, const struct rule *rule,
			   const struct cover_result *inside, struct preview_interval *out, struct err *err)
{
	struct cover_result across = { 0 };
	double seen;
	int rc;

	*out = estimate_inside(p, s, inside->kept, NULL);
	if (p->by != BLOCKS_URL || inside->kept_count == 0 ||
	    (rc = ground_solve(p, &s->across, rule, PREVIEW_NODES, &across, err)) < 0)
		return p->by != BLOCKS_URL || inside->kept_count == 0 ? WN_OK : rc;
	seen = (double)(inside->kept_count - across.kept_count) / (double)inside->kept_count;
	take_away(out, 0, seen, 2 * seen);
	cover_result_release(&across);
	return WN_OK;
}

/* What a sample says of a rule; w: NULL, or what narrowed sets can tell beside it. */
static int estimate(struct preview_state *p, struct sample *s, struct narrowed *w, const struct rule *rule,
		    unsigned nodes, struct cover_result *cover, struct preview_interval *kept, struct err *err)
{
	int rc;

	if ((rc = ground_solve(p, &s->inside, rule, nodes, cover, err)) < 0)
		return rc;
	if (p->by == BLOCKS_ALL) {
		*kept = (struct preview_interval){ cover->kept_count, (double)cover->lower_bound, cover->kept_count,
						   cover->lower_bound == cover->kept_count };
		return WN_OK;
	}
	return w && cover->kept_count ? estimate_narrowed(p, w, s, rule, cover->kept, kept, err)
				      : estimate_across(p, s, rule, cover, kept, err);
}

/* ---- the curve ---- */

/* A stricter threshold keeps no fewer: points are moved to where their neighbours on the rule's own side allow. */
static void make_monotone(struct preview_point *c, size_t n, double own)
{
	for (size_t i = 1; i < n; i++) /* above the rule's own threshold, from there up */
		if (c[i].threshold > own && c[i - 1].threshold >= own) {
			c[i].kept.estimate = fmax(c[i].kept.estimate, c[i - 1].kept.estimate);
			c[i].kept.high = fmax(c[i].kept.high, c[i].kept.estimate);
		}
	for (size_t i = n; i-- > 1;) /* below it, from there down */
		if (c[i - 1].threshold < own) {
			c[i - 1].kept.estimate = fmin(c[i - 1].kept.estimate, c[i].kept.estimate);
			c[i - 1].kept.low = fmin(c[i - 1].kept.low, c[i - 1].kept.estimate);
		}
}

static const unsigned steps[] = { 50, 60, 70, 80, 90, 100 }; /* ascending */

static int parse_loosest(struct preview_state *p, const struct preview_request *q, struct err *err)
{
	p->loosest = p->rule;
	if (p->threshold.value * 100 <= steps[0])
		return WN_OK;
	return rule_parse(p->arena, rule_with_threshold(p->arena, q->rule, &p->threshold, steps[0]), &p->rule->env,
			  &p->loosest, err);
}

static int curve(struct preview_state *p, const struct preview_request *q, struct sample *s, struct narrowed *w,
		 struct preview_report *o, struct err *err)
{
	int rc = WN_OK;

	for (size_t i = 0; o->measure && i < COUNT(steps) && rc == WN_OK; i++) {
		struct str text = rule_with_threshold(p->arena, q->rule, &p->threshold, steps[i]);
		struct preview_point *point = &o->curve[o->n_curve];
		struct cover_result r = { 0 };
		struct rule *rule;

		point->threshold = steps[i];
		if (fabs(p->threshold.value * 100 - steps[i]) < 1e-9)
			point->kept = o->kept;
		else if ((rc = rule_parse(p->arena, text, &p->rule->env, &rule, err)) == WN_OK)
			rc = w ? narrowed_point(w, p, rule, &o->kept, &point->kept, err)
			       : estimate(p, s, NULL, rule, PREVIEW_NODES_CURVE, &r, &point->kept, err);
		o->n_curve += rc == WN_OK;
		cover_result_release(&r);
	}
	make_monotone(o->curve, o->n_curve, p->threshold.value * 100);
	return rc;
}

/* ---- all of it ---- */

/* Without what access rules hide: counts of a selection would tell word by word what is in it. */
static void leave_hidden(struct preview_state *p, const struct preview_request *q)
{
	const struct columns *c = &p->docs.columns;
	uint32_t *shown = mem_array(p->docs.n + 1, sizeof *shown), n = 0;
	struct selection part;

	for (uint32_t d = 0; d < p->docs.n; d++)
		if (acl_allows(q->acl, columns_str(c, c->col[ATTR_URLKEY], d), (int64_t)c->col[ATTR_TIME]->num[d],
			       q->user))
			shown[n++] = d;
	if (n < p->docs.n) {
		selection_part(&part, &p->docs, shown, n);
		part.revision = p->docs.revision;
		selection_release(&p->docs);
		p->docs = part;
	}
	mem_free(shown);
}

static int load(struct preview_state *p, const struct preview_request *q, struct preview_report *o, struct err *err)
{
	struct selection_request s = { .min_versions = q->min_versions };
	struct rule_env env;
	struct rule *where = NULL;
	int rc;

	if ((rc = selection_env(p->coll, p->arena, RULE_PAIR, &env, err)) < 0 ||
	    (rc = rule_parse(p->arena, q->rule, &env, &p->rule, err)) < 0)
		return rc;
	env.kind = RULE_SELECTION;
	if (q->where && (rc = rule_parse(p->arena, arena_str(p->arena, str(q->where)), &env, &where, err)) < 0)
		return err_in(err, "in --where");
	s.where = where;
	memcpy(s.needs, p->rule->needs, sizeof s.needs);
	s.needs[ATTR_TIME] = s.needs[ATTR_BYTES] = s.needs[ATTR_SHINGLES] = true;
	s.needs[ATTR_URLKEY] |= q->acl != NULL;
	if ((rc = selection_load(&p->docs, p->coll, &s, err)) < 0)
		return rc;
	if (p->docs.n >= UINT32_MAX - 1)
		return err_set(err, WN_LIMIT, "%zu documents are more than one run takes", p->docs.n);
	if (q->acl)
		leave_hidden(p, q);
	o->rule = p->rule->canonical;
	o->sha256 = str(p->rule->sha256);
	o->selection = where ? where->canonical : STR_NONE;
	o->revision = p->docs.revision;
	o->documents = p->docs.n;
	p->has_threshold = rule_threshold(p->rule, &p->threshold);
	if (p->has_threshold)
		o->measure = measure_name(p->threshold.measure);
	return WN_OK;
}

static void fill_report(struct preview_state *p, const struct sample *s, const uint8_t *kept, struct preview_report *o)
{
	o->blocks_by = p->by;
	o->blocks = p->blocks;
	o->sampled_blocks = s->drawn.n;
	o->sampled_documents = s->docs.n;
	o->sampled_shingles = s->shingles;
	o->seed = p->seed;
	for (uint32_t b = 0; b < p->blocks; b++)
		o->bytes += (uint64_t)p->bytes[b];
	o->bytes_kept = estimate_bytes(p, s, kept);
	o->bytes_kept.exact = o->kept.exact;
	if (p->by == BLOCKS_URL) { /* pairs across blocks take the same share of bytes */
		struct preview_interval inside = estimate_inside(p, s, kept, NULL);

		o->bytes_kept.estimate *= inside.estimate > 0 ? o->kept.estimate / inside.estimate : 1;
		o->bytes_kept.low *= inside.low > 0 ? fmin(1, o->kept.low / inside.low) : 1;
	}
	o->dropped =
	    (struct preview_interval){ (double)o->documents - o->kept.estimate, (double)o->documents - o->kept.high,
				       (double)o->documents - o->kept.low, o->kept.exact };
}

int preview_run(struct collection *coll, const struct preview_request *q, struct preview_report *out, struct err *err)
{
	double started = progress_clock();
	struct preview_state p = { .coll = coll,
				   .seed = q->seed ? q->seed : 1,
				   .budget = q->budget ? q->budget : PREVIEW_SHINGLES };
	struct cover_result cover = { 0 };
	struct sample s = { 0 };
	struct narrowed all = { 0 }, *w = NULL;
	int rc;

	*out = (struct preview_report){ 0 };
	p.arena = &out->arena;
	p.join = (struct join_options){ .threads = q->threads, .memory = q->memory, .again = true };
	if ((rc = load(&p, q, out, err)) < 0 || (rc = preview_divide(&p, err)) < 0 ||
	    (rc = sample_open(&p, &s, err)) < 0)
		goto out;
	if ((rc = narrowed_open(&all, &p, err)) < 0)
		goto out;
	w = all.inside.docs ? &all : NULL;
	s.inside.curve = s.across.curve = !w;
	all.inside.curve = p.by != BLOCKS_URL;
	all.across.curve = p.by == BLOCKS_URL;
	if (out->measure && (rc = parse_loosest(&p, q, err)) < 0)
		goto out;
	out->narrowed = all.share;
	out->lower_bound = p.by == BLOCKS_URL && !w;
	if ((rc = estimate(&p, &s, w, p.rule, PREVIEW_NODES, &cover, &out->kept, err)) < 0)
		goto out;
	fill_report(&p, &s, cover.kept, out);
	if ((rc = curve(&p, q, &s, w, out, err)) == WN_OK)
		rc = preview_examples(&p, &s.inside, cover.kept, out, err);
	out->seconds = progress_clock() - started;
out:
	cover_result_release(&cover);
	sample_release(&s);
	narrowed_release(&all);
	preview_release(&p);
	if (rc < 0)
		preview_report_release(out);
	return rc;
}

void preview_report_release(struct preview_report *r)
{
	arena_release(&r->arena);
	*r = (struct preview_report){ 0 };
}
