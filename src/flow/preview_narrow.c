/* flow/preview_narrow.c -- all documents by a share of their shingles; see preview.h.
 *
 * Without a key, what lies across URLs decides, and no sample of URLs shows it.
 * So all documents are solved by the shingles whose hash lies below a bound,
 * the same share of every set: who is about equal to whom, everywhere, at a
 * fraction of the cost.  Short texts keep few shingles and look more alike than
 * they are; so pairs that matter are tried again by whole sets, some of them.
 * With a key, and not by URLs, what narrowed sets keep of every block still
 * tells what whole ones would, better than its size does.
 */
#include "flow/preview_int.h"

#include <math.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/vec.h"

/* Of the documents that go by pairs across blocks of narrowed sets, a part goes by the very same pairs of whole sets; more
 * go by other pairs.  How many was measured (docs/algorithm/preview.md): the root of that part, FOUND_MOST times that at most. */
#define FOUND_MOST 1.6
#define MISSED 0.1	 /* twice the error of the part, of so few tried */
#define POINT_DOUBT 0.25 /* how far the correction of one threshold may be from that of another; measured there too */

void narrowed_release(struct narrowed *w)
{
	stored_close(&w->sets);
	coverage_index_free(w->inside.index);
	coverage_index_free(w->across.index);
}

int narrowed_open(struct narrowed *w, const struct preview_state *p, struct err *err)
{
	double all = (double)p->whole_shingles, share = fmin(0.5, PREVIEW_NARROWED * (double)p->budget / all);
	int rc;

	*w = (struct narrowed){ 0 };
	if (p->by == BLOCKS_ALL || !p->rule->texts || share * all < PREVIEW_NARROW_ITEMS * (double)p->contents)
		return WN_OK;
	if ((rc = preview_sets(p, &p->docs, &w->sets, err)) < 0)
		return rc;
	stored_narrow(&w->sets, (uint64_t)(share * 0x1p64), p->join.threads);
	w->share = share;
	w->inside = (struct ground){ &p->docs, &w->sets, p->block, coverage_index_new(), false };
	w->across = (struct ground){ &p->docs, &w->sets, NULL, coverage_index_new(), false };
	return WN_OK;
}

struct doubtful {
	uint64_t ticket;
	uint32_t doc, by;
};

static int by_ticket(const void *x, const void *y)
{
	const struct doubtful *a = x, *b = y;

	if (a->ticket != b->ticket)
		return a->ticket < b->ticket ? -1 : 1;
	return a->doc < b->doc ? -1 : a->doc > b->doc;
}

/* How many of these are covered by whole sets, by one of the coverers named for them. */
static int count_true(const struct preview_state *p, const struct rule *rule, const struct doubtful *tried, size_t n,
		      uint32_t *out, struct err *err)
{
	uint8_t *mark = mem_zalloc(p->docs.n + 1), *covers = mem_alloc(2 * n + 1);
	uint32_t *docs = mem_array(2 * n + 1, sizeof *docs), *witness = mem_array(2 * n + 1, sizeof *witness), m = 0;
	struct selection part = { 0 };
	struct stored sets = { 0 };
	int rc, kind;

	for (size_t i = 0; i < n; i++)
		mark[tried[i].by] = 2;
	for (size_t i = 0; i < n; i++)
		mark[tried[i].doc] = 1;
	for (uint32_t d = 0; d < p->docs.n; d++)
		if (mark[d]) {
			covers[m] = mark[d] == 2;
			docs[m++] = d;
		}
	selection_part(&part, &p->docs, docs, m);
	if ((rc = preview_sets(p, &part, &sets, err)) == WN_OK)
		rc = ground_witness(p, &(struct ground){ &part, &sets, NULL, NULL, false }, rule, covers, witness, NULL,
				    &kind, err);
	for (uint32_t i = 0; i < m && rc == WN_OK; i++)
		*out += !covers[i] && witness[i] != UINT32_MAX;
	stored_close(&sets);
	selection_release(&part);
	mem_free(docs);
	mem_free(witness);
	mem_free(covers);
	mem_free(mark);
	return rc;
}

/* Documents that only pairs across blocks let go, by narrowed sets: which part of some of them goes by whole sets too. */
static int try_some(const struct narrowed *w, const struct preview_state *p, const struct rule *rule,
		    const uint8_t *inside, const uint8_t *across, double *part, struct err *err)
{
	uint32_t *witness = mem_array(p->docs.n + 1, sizeof *witness), truly = 0;
	VEC(struct doubtful) all = { 0 };
	size_t tried;
	int rc, kind;

	if ((rc = ground_witness(p, &w->across, rule, across, witness, NULL, &kind, err)) < 0)
		goto out;
	for (uint32_t d = 0; d < p->docs.n; d++)
		if (inside[d] && !across[d] && witness[d] != UINT32_MAX)
			vec_push(&all, ((struct doubtful){ mix64(p->seed ^ mix64(d + 1)), d, witness[d] }));
	sort_array(all.p, all.n, sizeof *all.p, by_ticket);
	tried = all.n < PREVIEW_TRIED ? all.n : PREVIEW_TRIED;
	rc = count_true(p, rule, all.p, tried, &truly, err);
	*part = tried ? (double)truly / (double)tried : 1;
out:
	vec_release(&all);
	mem_free(witness);
	return rc;
}

/* What pairs across blocks take away. */
static int look_across(struct narrowed *w, const struct preview_state *p, const struct rule *rule,
		       const struct cover_result *inside, struct narrowed_view *out, struct err *err)
{
	struct cover_result across = { 0 };
	double share, part;
	int rc;

	if ((rc = ground_solve(p, &w->across, rule, PREVIEW_NODES_CURVE, &across, err)) == WN_OK &&
	    (rc = try_some(w, p, rule, inside->kept, across.kept, &part, err)) == WN_OK) {
		w->kept = across.kept_count;
		share = 1 - (double)across.kept_count / (double)inside->kept_count;
		out->least = share * fmax(part - MISSED, 0);
		out->across = share * sqrt(part);
		out->most = share * fmin(FOUND_MOST * sqrt(part + MISSED), 1.2);
	}
	cover_result_release(&across);
	return rc;
}

int narrowed_look(struct narrowed *w, const struct preview_state *p, const struct rule *rule, struct narrowed_view *out,
		  struct err *err)
{
	struct cover_result inside = { 0 };
	int rc;

	*out = (struct narrowed_view){ 0 };
	if ((rc = ground_solve(p, &w->inside, rule, PREVIEW_NODES_CURVE, &inside, err)) == WN_OK) {
		w->kept = inside.kept_count;
		if (p->by == BLOCKS_URL)
			rc = look_across(w, p, rule, &inside, out, err);
		if (rc == WN_OK)
			out->kept = kept_by_block(inside.kept, p->block, p->docs.n, p->blocks);
	}
	cover_result_release(&inside);
	return rc;
}

int narrowed_point(struct narrowed *w, const struct preview_state *p, const struct rule *rule,
		   const struct preview_interval *own, struct preview_interval *out, struct err *err)
{
	struct cover_result cover = { 0 };
	double all = (double)p->docs.n, times;
	int rc;

	if ((rc = ground_solve(p, p->by == BLOCKS_URL ? &w->across : &w->inside, rule, PREVIEW_NODES_CURVE, &cover,
			       err)) < 0)
		return rc;
	times = (double)cover.kept_count / (double)w->kept;
	*out = (struct preview_interval){ fmin(own->estimate * times, all),
					  fmin(own->low * times * (1 - POINT_DOUBT), all),
					  fmin(own->high * times * (1 + POINT_DOUBT), all), false };
	cover_result_release(&cover);
	return WN_OK;
}
