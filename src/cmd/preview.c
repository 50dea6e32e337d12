/* cmd/preview.c -- winnow preview: what a rule would do, before anything is computed for all. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "cmd/rule_args.h"
#include "cmd/table.h"
#include "flow/preview.h"

struct args {
	struct rule_args rule;
	const char *where;
	uint64_t min_versions, seed, budget;
};

static const struct opt opts[] = {
	RULE_OPTS(struct args, rule),
	{ "where", 'w', OPT_TEXT, "EXPR", "which documents (default: those with a text and status 200 or none)",
	  offsetof(struct args, where) },
	{ "min-versions", 0, OPT_COUNT, "N", "only documents whose URL has at least N selected captures",
	  offsetof(struct args, min_versions) },
	{ "seed", 0, OPT_U64, "N", "which sample (default 1): the same seed gives the same answer",
	  offsetof(struct args, seed) },
	{ "budget", 0, OPT_COUNT, "N",
	  "shingles to sample (default " TEXT_OF(PREVIEW_SHINGLES) "; " TEXT_OF(
	      PREVIEW_WHOLE) " times as many are taken whole); more takes longer and says more",
	  offsetof(struct args, budget) },
	{ 0 },
};

/* A count, or a size where as_size is true, in words. */
static const char *amount(double v, bool as_size, char out[static STR_SIZE])
{
	if (as_size)
		str_size((uint64_t)v, out);
	else
		snprintf(out, STR_SIZE, "%.0f", v);
	return out;
}

static void line(struct buf *out, const char *name, const struct preview_interval *v, double whole, bool as_size)
{
	double part = whole > 0 ? 100 / whole : 0;
	char estimate[STR_SIZE], low[STR_SIZE], high[STR_SIZE];

	buf_printf(out, "%-11s %s%s (%.1f %%)", name, v->exact ? "" : "about ", amount(v->estimate, as_size, estimate),
		   v->estimate * part);
	if (!v->exact)
		buf_printf(out, ", 95 %% between %s and %s (%.1f to %.1f %%)", amount(v->low, as_size, low),
			   amount(v->high, as_size, high), v->low * part, v->high * part);
	buf_byte(out, '\n');
}

static void examples_text(struct buf *out, const struct preview_report *r)
{
	for (size_t i = 0; i < r->n_examples; i++) {
		const struct preview_example *e = &r->examples[i];
		char a[21], b[21];

		if (i == 0 || e->why != r->examples[i - 1].why)
			buf_printf(out, "\n  %s\n", preview_why_name(e->why));
		if (!isnan(e->score))
			buf_printf(out, "    %.3f ", e->score);
		else
			buf_printf(out, "    ");
		buf_printf(out, "%" PRIu64 " %.*s %.*s  (%" PRIu64 " shingles)\n", e->dropped.id,
			   STR_FMT(stamp_rfc3339(e->dropped.time, a)), STR_FMT(e->dropped.url), e->dropped.shingles);
		buf_printf(out, "       by %" PRIu64 " %.*s %.*s  (%" PRIu64 ", %" PRIu64 " shared)\n", e->by.id,
			   STR_FMT(stamp_rfc3339(e->by.time, b)), STR_FMT(e->by.url), e->by.shingles, e->shared);
	}
}

static void report_text(const struct preview_report *r)
{
	struct buf out = BUF(16 * MIB);

	buf_printf(&out, "%.*s\n\n", STR_FMT(r->rule));
	buf_printf(&out, "documents   %" PRIu64 ", %.*s\n", r->documents,
		   STR_FMT(str_size(r->bytes, (char[STR_SIZE]){ 0 })));
	line(&out, "kept", &r->kept, (double)r->documents, false);
	line(&out, "dropped", &r->dropped, (double)r->documents, false);
	line(&out, "bytes kept", &r->bytes_kept, (double)r->bytes, true);
	if (r->kept.exact)
		buf_printf(&out, "sample      none: this is exact\n");
	else if (r->blocks_by == BLOCKS_ALL)
		buf_printf(&out, "sample      none: all documents; the search for fewer was not taken to its end\n");
	else
		buf_printf(
		    &out,
		    "sample      %" PRIu64 " of %" PRIu64 " blocks (%s), %" PRIu64 " documents, seed %" PRIu64 "\n",
		    r->sampled_blocks, r->blocks, preview_blocks_name(r->blocks_by), r->sampled_documents, r->seed);
	if (r->narrowed > 0)
		buf_printf(&out, "            and all documents by %.1f %% of their shingles\n", 100 * r->narrowed);
	if (r->lower_bound)
		buf_printf(
		    &out,
		    "lower bound the rule has no key that divides the documents: pairs across blocks are seen in the sample only, more may be dropped\n");
	if (r->n_curve)
		buf_printf(&out, "\n  %s >=   kept %%   95 %% between\n", r->measure);
	for (size_t i = 0; i < r->n_curve; i++) {
		double part = r->documents ? 100 / (double)r->documents : 0;

		buf_printf(&out, "  %*.2f   %6.1f   %.1f to %.1f\n", (int)strlen(r->measure) + 3,
			   r->curve[i].threshold / 100.0, r->curve[i].kept.estimate * part, r->curve[i].kept.low * part,
			   r->curve[i].kept.high * part);
	}
	examples_text(&out, r);
	buf_printf(&out, "\n%.2f s. 'winnow diff COLL ID ID' shows a pair; 'winnow reduce' computes the cover.\n",
		   r->seconds);
	cmd_out(&out);
	buf_release(&out);
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct preview_request q = { .where = a->where,
				     .min_versions = a->min_versions,
				     .seed = a->seed,
				     .budget = a->budget,
				     .threads = (unsigned)run->common.threads,
				     .memory = run->common.memory };
	struct preview_report report;
	int rc;

	if ((rc = rule_args_text(run, &a->rule, &q.rule)) < 0 || (rc = preview_run(coll, &q, &report, &run->err)) < 0)
		return rc;
	if (run->common.json) {
		struct buf out = BUF(16 * MIB);
		struct json j = { .out = &out, .spaced = true };

		preview_report_json(&report, &j);
		cmd_out_line(&out);
	} else {
		report_text(&report);
	}
	preview_report_release(&report);
	return EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow preview sample --preset journalist", "about how much would be dropped, with examples" },
	{ "winnow preview sample --rule \"jaccard(a,b) >= 0.8 and a.host = b.host\" --json", "the same for programs" },
	{ 0 },
};

const struct cmd cmd_preview = {
	.name = "preview",
	.args = "COLL",
	.summary = "estimate in a second what a rule would drop",
	.group = GROUP_DECIDE,
	.joins = true,
	.coll_first = true,
	.min_args = 1,
	.max_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "Finds the exact cover of a sample of whole blocks (documents that are equal in the rule's key, else the captures of one URL), and says what that means for all documents: "
	    "an estimate with an interval that holds the true number nineteen times in twenty (of a rule without a key: by rule of thumb), a curve over thresholds, and examples: typical ones, those nearest the "
	    "threshold, and surprising ones. Collections of up to some twenty thousand pages are computed whole, and the answer is then exact. "
	    "Pairs across URLs, where no key divides the documents, are found among all of them by a share of their shingles, and some of these pairs are tried by all.\n\n"
	    "Nothing is stored. Of the same collection, rule, --seed and --budget the answer is always the same, whatever --memory is.",
};
