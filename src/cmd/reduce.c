/* cmd/reduce.c -- winnow reduce: the smallest set of documents that covers the rest. */
#include <inttypes.h>

#include "base/json.h"
#include "base/limits.h"
#include "cmd/rule_args.h"
#include "cmd/table.h"
#include "flow/reduce.h"

struct args {
	struct rule_args rule;
	const char *where, *per, *prefer, *name;
	uint64_t keep_at_least, min_versions;
	struct opt_list keep;
	bool approx, yes;
	double time_limit;
};

static const struct opt opts[] = {
	RULE_OPTS(struct args, rule),
	{ "where", 'w', OPT_TEXT, "EXPR", "which documents (default: those with a text and status 200 or none)",
	  offsetof(struct args, where) },
	{ "keep-at-least", 0, OPT_COUNT, "N", "keep at least N documents of each group of --per",
	  offsetof(struct args, keep_at_least) },
	{ "per", 0, OPT_TEXT, "ATTR[,ATTR]", "groups of equal values of these attributes", offsetof(struct args, per) },
	{ "prefer", 0, OPT_TEXT, "newest|oldest|longest|EXPR",
	  "among the smallest covers, the one with the largest sum of this", offsetof(struct args, prefer) },
	{ "keep", 0, OPT_LIST, "DOC", "keep this document in any case; may be given several times",
	  offsetof(struct args, keep) },
	{ "min-versions", 0, OPT_COUNT, "N", "only documents whose URL has at least N selected captures",
	  offsetof(struct args, min_versions) },
	{ "name", 0, OPT_TEXT, "NAME", "a name for the cover", offsetof(struct args, name) },
	{ "approx", 0, OPT_FLAG, NULL,
	  "find candidates by MinHash: may miss pairs, prints its estimated recall; seldom faster than the exact join",
	  offsetof(struct args, approx) },
	{ "yes", 0, OPT_FLAG, NULL, "also when all pairs must be tried", offsetof(struct args, yes) },
	{ "time-limit", 0, OPT_DOUBLE, "S", "search at most S seconds (default: bounded by nodes, not by the clock)",
	  offsetof(struct args, time_limit) },
	{ 0 },
};

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }
/* In tenths, never rounded up: 100 is all. */
static double percent_least(uint64_t part, uint64_t whole)
{
	uint64_t tenths = whole ? 1000 * part / whole : 0;

	return (double)tenths / 10;
}

static void table(struct buf *out, const char *what, const struct reduce_share *s, size_t n, size_t most)
{
	buf_printf(out, "\n  %-32s %10s %10s %7s\n", what, "documents", "kept", "kept %");
	for (size_t i = 0; i < n && i < most; i++)
		buf_printf(out, "  %-32.*s %10" PRIu64 " %10" PRIu64 " %7.1f\n", STR_FMT(s[i].name), s[i].documents,
			   s[i].kept, percent(s[i].kept, s[i].documents));
	if (n > most)
		buf_printf(out, "  ... and %zu more (--json lists all)\n", n - most);
}

static void report_text(const struct cmd_run *run, const struct reduce_report *r)
{
	struct buf out = BUF(16 * MIB);
	char all[STR_SIZE], kept[STR_SIZE];

	buf_printf(&out, "cover %" PRIu64 ": %.*s\n\n", r->cover, STR_FMT(r->rule));
	buf_printf(&out,
		   "documents   %" PRIu64 " of %" PRIu64 " URLs, %.2f a URL (deviation %.2f), %" PRIu64 " shingles\n",
		   r->documents, r->urls, r->versions_mean, r->versions_sd, r->shingles);
	buf_printf(&out, "kept        %" PRIu64 " (%.1f %%), dropped %" PRIu64 ", each with a witness that is kept\n",
		   r->kept, percent(r->kept, r->documents), r->dropped);
	buf_printf(&out, "bytes       %.*s, kept %.*s (%.1f %%)\n", STR_FMT(str_size(r->bytes, all)),
		   STR_FMT(str_size(r->bytes_kept, kept)), percent(r->bytes_kept, r->bytes));
	if (r->approximate)
		buf_printf(
		    &out,
		    "proof       of the witnesses only: candidates were approximate (MinHash, estimated recall %.3f), and "
		    "pairs that were missed may allow fewer\n",
		    r->recall);
	else if (r->gap == 0)
		buf_printf(&out,
			   "proof       minimum: no smaller set covers the rest (%" PRIu64 " of %" PRIu64
			   " components by certificate%s)\n",
			   r->proven_by_certificate, r->components,
			   r->proven_by_certificate == r->components ? "" : ", the others by search");
	else
		buf_printf(&out,
			   "proof       proven minimum in %.1f %% of %" PRIu64 " components, at most %" PRIu64
			   " above the optimum in all%s\n",
			   percent_least(r->proven_components, r->components), r->components, r->gap,
			   r->timed_out ? " (the time limit ended the search)" : "");
	if (r->by_missing)
		buf_printf(&out,
			   "missing     %" PRIu64
			   " were dropped by an equality that holds only because both values are missing\n",
			   r->by_missing);
	if (r->excluded.no_text + r->excluded.status + r->excluded.where + r->excluded.versions)
		buf_printf(&out,
			   "left out    %" PRIu64 " without text, %" PRIu64 " by status, %" PRIu64
			   " by --where, %" PRIu64 " by --min-versions\n",
			   r->excluded.no_text, r->excluded.status, r->excluded.where, r->excluded.versions);
	buf_printf(&out, "time        %.2f s, %.*s of memory\n", r->seconds, STR_FMT(str_size(r->peak_memory, all)));
	table(&out, "host", r->hosts, r->n_hosts, 10);
	table(&out, "year", r->years, r->n_years, 40);
	if (r->dropped == 0)
		buf_printf(
		    &out,
		    "\nNothing was dropped: no selected document has a coverer under this rule. 'winnow explain' and 'winnow preview' show why.\n");
	else
		buf_printf(&out,
			   "\n'winnow why %s DOC --cover %" PRIu64
			   "' says why a document was dropped; 'winnow export' hands out what is kept.\n",
			   run->rest.p[0], r->cover);
	cmd_out(&out);
	buf_release(&out);
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct reduce_request q = { .name = a->name, .yes = a->yes, .time_limit = a->time_limit };
	struct reduce_report report;
	int rc;

	if (a->time_limit < 0)
		return cmd_usage(run, "--time-limit takes seconds, not a negative number");
	if (!!a->keep_at_least != !!a->per)
		return cmd_usage(run, "--keep-at-least N and --per ATTR go together");
	q.run = (struct run_request){ .where = a->where,
				      .per = a->per,
				      .keep_at_least = a->keep_at_least,
				      .prefer = a->prefer,
				      .keep = (const char *const *)a->keep.p,
				      .n_keep = a->keep.n,
				      .min_versions = a->min_versions,
				      .approx = a->approx,
				      .threads = (unsigned)run->common.threads,
				      .memory = run->common.memory,
				      .tmp = run->common.tmp };
	if ((rc = rule_args_text(run, &a->rule, &q.run.rule)) == WN_OK)
		rc = reduce_run(coll, &q, &report, &run->err);
	vec_release(&a->keep);
	if (rc < 0)
		return rc == WN_NONE ? WN_USAGE : rc; /* a document of --keep that is not there */
	if (run->common.json) {
		struct buf out = BUF(256 * MIB);
		struct json j = { .out = &out, .spaced = true };

		reduce_report_json(&report, &j);
		cmd_out_line(&out);
	} else {
		report_text(run, &report);
	}
	reduce_report_release(&report);
	return EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow reduce sample --preset journalist", "drop what a newer page of the same host contains" },
	{ "winnow reduce sample --rule \"containment(a,b) >= 0.9 and a.urlkey = b.urlkey and a.time <= b.time\" --name appended",
	  "a rule of one's own" },
	{ "winnow reduce sample --preset near-duplicate --keep-at-least 1 --per host --prefer longest",
	  "keep every host, and of equals the longest" },
	{ 0 },
};

const struct cmd cmd_reduce = {
	.name = "reduce",
	.args = "COLL",
	.summary = "find the smallest set of documents that covers the rest",
	.group = GROUP_DECIDE,
	.joins = true,
	.coll_first = true,
	.continues = true,
	.min_args = 1,
	.max_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "Finds every pair of documents of which the rule is true, and the smallest set of documents such that each other one has a coverer in it. The result "
	    "is stored in the collection as a cover, with a witness for every dropped document and a certificate of how small a cover can be.\n\n"
	    "The answer is exact and does not depend on threads, memory or the order in which archives were ingested. The archives themselves are not changed. "
	    "Fewer threads run when --memory is small: one for each 32M.",
};
