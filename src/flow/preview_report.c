/* flow/preview_report.c -- examples of a preview, and its report as JSON; see preview.h. */
#include "flow/preview_int.h"

#include <math.h>
#include <stdlib.h>

#include "archive/stamp.h"
#include "base/log.h"
#include "base/vec.h"

const char *preview_why_name(enum preview_why why)
{
	static const char *const names[] = { "typical", "borderline", "surprising" };

	return names[why];
}

const char *preview_blocks_name(enum preview_blocks by)
{
	static const char *const names[] = { "all documents", "documents of equal keys", "captures of one URL" };

	return names[by];
}

const char *measure_name(enum measure m)
{
	static const char *const names[] = { "containment(a, b)", "containment(b, a)", "jaccard(a, b)", "dice(a, b)",
					     "shared(a, b)" };

	return names[m];
}

/* ---- examples ---- */

struct pair {
	uint32_t a, b, shared;
	double score, rank; /* rank: how far from the best of its kind, the less the better */
};

static int by_rank(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->a < b->a ? -1 : a->a > b->a;
}

static uint64_t size_of(const struct stored *sets, int kind, uint32_t doc)
{
	return kind < 0 || sets->set_of[doc] == JOIN_NO_SET ? 0 : sets->size[kind][sets->set_of[doc]];
}

static double score_of(const struct preview_state *p, const struct stored *sets, int kind, const struct pair *v)
{
	struct overlap o = { v->shared, size_of(sets, kind, v->a), size_of(sets, kind, v->b) };

	return p->has_threshold && kind == (int)p->threshold.kind ? measure_value(p->threshold.measure, o) : NAN;
}

static double rank_of(const struct preview_state *p, enum preview_why why, const struct selection *docs,
		      const struct stored *sets, int kind, const struct pair *v, double middle)
{
	const uint64_t *key = docs->url;
	double a = (double)size_of(sets, kind, v->a) + 1, b = (double)size_of(sets, kind, v->b) + 1;

	if (why == EXAMPLE_SURPRISING) /* another URL counts as much as a text of ten times the length */
		return -(fabs(log10(b / a)) + (key[v->a] != key[v->b]));
	if (v->score != v->score)
		return 0;
	return why == EXAMPLE_TYPICAL ? fabs(v->score - middle) : fabs(v->score - p->threshold.value);
}

static int page_of(struct preview_state *p, const struct selection *docs, const struct stored *sets, int kind,
		   uint32_t doc, struct preview_page *out, struct err *err)
{
	struct capture c;
	int rc = catalog_capture(p->coll->catalog, p->arena, docs->id[doc], &c, err);

	if (rc == WN_OK)
		*out =
		    (struct preview_page){ c.id, size_of(sets, kind, doc), c.words, c.url, c.title, c.time, c.urlkey };
	return rc;
}

/* The best three of a kind, each of another URL. */
static int pick(struct preview_state *p, enum preview_why why, const struct selection *docs, const struct stored *sets,
		int kind, struct pair *pairs, size_t n, double middle, struct preview_report *o, struct err *err)
{
	const uint64_t *key = docs->url;
	uint64_t used[PREVIEW_EXAMPLES];
	size_t picked = 0;
	int rc = WN_OK;

	for (size_t i = 0; i < n; i++)
		pairs[i].rank = rank_of(p, why, docs, sets, kind, &pairs[i], middle);
	sort_array(pairs, n, sizeof *pairs, by_rank);
	for (size_t i = 0; i < n && picked < PREVIEW_EXAMPLES / 3 && rc == WN_OK; i++) {
		struct preview_example *e = &o->examples[o->n_examples];
		bool again = false;

		for (size_t k = 0; k < picked; k++)
			again |= used[k] == key[pairs[i].a];
		if (again)
			continue;
		used[picked++] = key[pairs[i].a];
		*e = (struct preview_example){ .why = why, .shared = pairs[i].shared, .score = pairs[i].score };
		if ((rc = page_of(p, docs, sets, kind, pairs[i].a, &e->dropped, err)) == WN_OK &&
		    (rc = page_of(p, docs, sets, kind, pairs[i].b, &e->by, err)) == WN_OK)
			o->n_examples++;
	}
	return rc;
}

static int by_score(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

static double middle_score(const struct pair *pairs, size_t n)
{
	double *s = mem_array(n + 1, sizeof *s), middle = 1;
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (pairs[i].score == pairs[i].score)
			s[known++] = pairs[i].score;
	sort_array(s, known, sizeof *s, by_score);
	if (known)
		middle = s[known / 2];
	mem_free(s);
	return middle;
}

int preview_examples(struct preview_state *p, const struct ground *g, const uint8_t *kept, struct preview_report *o,
		     struct err *err)
{
	const struct selection *docs = g->docs;
	uint32_t *witness = mem_array(docs->n + 1, sizeof *witness), *shared = mem_zarray(docs->n + 1, sizeof *shared);
	struct pair *pairs = mem_array(docs->n + 1, sizeof *pairs);
	size_t n = 0;
	double middle;
	int rc, kind;

	if ((rc = ground_witness(p, g, p->rule, kept, witness, shared, &kind, err)) < 0)
		goto out;
	for (uint32_t d = 0; d < docs->n; d++)
		if (!kept[d] && witness[d] != UINT32_MAX) {
			pairs[n] = (struct pair){ .a = d, .b = witness[d], .shared = shared[d] };
			pairs[n].score = score_of(p, g->sets, kind, &pairs[n]);
			n++;
		}
	middle = middle_score(pairs, n);
	for (int why = EXAMPLE_TYPICAL; why <= EXAMPLE_SURPRISING && rc == WN_OK; why++)
		if (why != EXAMPLE_BORDERLINE || p->has_threshold)
			rc = pick(p, (enum preview_why)why, docs, g->sets, kind, pairs, n, middle, o, err);
out:
	mem_free(witness);
	mem_free(shared);
	mem_free(pairs);
	return rc;
}

/* ---- JSON ---- */

static void interval_members(struct json *j, const struct preview_interval *v, const struct preview_report *r)
{
	json_put_u64(j, "value", (uint64_t)llround(fmax(v->estimate, 0)));
	json_put_open(j, "ci95", '[');
	json_u64(j, (uint64_t)llround(fmax(v->low, 0)));
	json_u64(j, (uint64_t)llround(fmax(v->high, 0)));
	json_close(j, ']');
	json_put_bool(j, "exact", v->exact && !r->lower_bound);
	json_put_u64(j, "sampled_blocks", r->sampled_blocks);
	json_put_u64(j, "seed", r->seed);
}

static void interval_json(struct json *j, const char *key, const struct preview_interval *v,
			  const struct preview_report *r)
{
	json_put_open(j, key, '{');
	interval_members(j, v, r);
	json_close(j, '}');
}

static void page_json(struct json *j, const char *key, const struct preview_page *g)
{
	char time[21];

	json_put_open(j, key, '{');
	json_put_u64(j, "id", g->id);
	json_put_str(j, "url", g->url);
	json_put_str(j, "time", stamp_rfc3339(g->time, time));
	json_put_str(j, "title", g->title);
	json_put_u64(j, "shingles", g->shingles);
	json_put_u64(j, "words", g->words);
	json_close(j, '}');
}

static void example_json(struct json *j, const struct preview_example *e)
{
	uint64_t a = e->dropped.shingles, b = e->by.shingles, o = e->shared;
	struct overlap ov = { o, a, b };

	json_open(j, '{');
	json_put_z(j, "why", preview_why_name(e->why));
	page_json(j, "dropped", &e->dropped);
	page_json(j, "by", &e->by);
	json_put_u64(j, "shared", o);
	json_put_double(j, "containment", measure_value(MEASURE_CONTAINMENT_AB, ov), 4);
	json_put_double(j, "jaccard", measure_value(MEASURE_JACCARD, ov), 4);
	json_key(j, "score");
	isnan(e->score) ? json_null(j) : json_double(j, e->score, 4);
	json_close(j, '}');
}

void preview_report_json(const struct preview_report *r, struct json *j)
{
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "documents", r->documents },
		{ "bytes", r->bytes },
		{ "blocks", r->blocks },
		{ "sampled_blocks", r->sampled_blocks },
		{ "sampled_documents", r->sampled_documents },
		{ "sampled_shingles", r->sampled_shingles },
		{ "seed", r->seed },
		{ "revision", r->revision },
	};

	json_open(j, '{');
	json_put_str(j, "rule", r->rule);
	json_put_str(j, "rule_sha256", r->sha256);
	json_put_text(j, "selection", r->selection);
	for (size_t i = 0; i < COUNT(numbers); i++)
		json_put_u64(j, numbers[i].key, numbers[i].value);
	json_put_z(j, "blocks_by", preview_blocks_name(r->blocks_by));
	json_put_bool(j, "lower_bound", r->lower_bound);
	json_put_double(j, "narrowed_share", r->narrowed, 4);
	interval_json(j, "kept", &r->kept, r);
	interval_json(j, "dropped", &r->dropped, r);
	interval_json(j, "bytes_kept", &r->bytes_kept, r);
	json_put_z(j, "measure", r->measure);
	json_put_open(j, "curve", '[');
	for (size_t i = 0; i < r->n_curve; i++) {
		json_open(j, '{');
		json_put_double(j, "threshold", r->curve[i].threshold / 100.0, 2);
		interval_json(j, "kept", &r->curve[i].kept, r);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_put_open(j, "examples", '[');
	for (size_t i = 0; i < r->n_examples; i++)
		example_json(j, &r->examples[i]);
	json_close(j, ']');
	json_put_double(j, "seconds", r->seconds, 3);
	json_close(j, '}');
}
