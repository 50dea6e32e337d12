/* cmd/update.c -- winnow update: a cover, brought to the collection's present revision. */
#include <inttypes.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "cmd/table.h"
#include "flow/update.h"

struct args {
	const char *cover, *prefer;
};

static const struct opt opts[] = {
	{ "cover", 0, OPT_TEXT, "ID", "which cover", offsetof(struct args, cover) },
	{ "prefer", 0, OPT_TEXT, "stable", "among the smallest covers, the one that changes fewest documents",
	  offsetof(struct args, prefer) },
	{ 0 },
};

#define DOCUMENT_BYTES 600u /* of the arrays of an update, about */

static void report_text(const struct reduce_report *r, uint64_t was_kept)
{
	struct buf out = BUF(1 * MIB);

	buf_printf(&out, "cover %" PRIu64 ": %.*s\n\n", r->cover, STR_FMT(r->rule));
	if (r->update.whole.n)
		buf_printf(&out, "All of it was solved again, because what an update needs is missing: %.*s\n",
			   STR_FMT(r->update.whole));
	else
		buf_printf(&out,
			   "changed     %" PRIu64 " documents new or changed, %" PRIu64 " gone\nwork        %" PRIu64
			   " documents probed, %" PRIu64 " components with %" PRIu64
			   " documents solved again, of %" PRIu64 " documents\n",
			   r->update.changed, r->update.gone, r->update.probed, r->update.components, r->update.solved,
			   r->documents);
	buf_printf(&out, "kept        %" PRIu64 " of %" PRIu64 " (before: %" PRIu64 ")", r->kept, r->documents,
		   was_kept);
	if (!r->update.whole.n)
		buf_printf(&out, ", %" PRIu64 " newly kept, %" PRIu64 " no more", r->update.kept_new,
			   r->update.kept_no_more);
	if (r->gap == 0)
		buf_printf(&out, "\nproof       minimum: no smaller set covers the rest\n");
	else
		buf_printf(&out, "\nproof       at most %" PRIu64 " above the optimum\n", r->gap);
	buf_printf(&out, "time        %.2f s, %.*s of memory\n", r->seconds,
		   STR_FMT(str_size(r->peak_memory, (char[STR_SIZE]){ 0 })));
	cmd_out(&out);
	buf_release(&out);
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct update_request q = { .stable = a->prefer != NULL,
				    .threads = (unsigned)run->common.threads,
				    .memory = run->common.memory,
				    .tmp = run->common.tmp };
	struct reduce_report report;
	struct cover_row row;
	int rc;

	if (!a->cover)
		return cmd_usage(run, "needs --cover ID; 'winnow covers %s' lists them", run->rest.p[0]);
	if (a->prefer && strcmp(a->prefer, "stable") != 0)
		return cmd_usage(
		    run,
		    "--prefer can only be stable here; every other preference stays as it was when the cover was made");
	if ((rc = cmd_find_cover(run, coll, a->cover, &row)) < 0)
		return rc;
	if (run->common.memory >= MEM_PLENTY)
		mem_expect(row.documents * DOCUMENT_BYTES);
	if ((rc = update_run(coll, &row, &q, &report, &run->err)) < 0)
		return rc == WN_NONE ? WN_USAGE : rc;
	for (size_t i = 0; i < report.update.n_pins_gone; i++)
		warning("document %" PRIu64
			" was to be kept (--keep) and is in the collection no more; the cover does without it",
			report.update.pins_gone[i]);
	if (run->common.json) {
		struct buf out = BUF(256 * MIB);
		struct json j = { .out = &out, .spaced = true };

		reduce_report_json(&report, &j);
		cmd_out_line(&out);
	} else {
		report_text(&report, row.kept);
	}
	reduce_report_release(&report);
	return EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow update sample --cover 1", "after more captures were ingested" },
	{ "winnow update sample --cover 1 --prefer stable", "and change as few documents as possible" },
	{ 0 },
};

const struct cmd cmd_update = {
	.name = "update",
	.args = "COLL",
	.summary = "bring a cover to the collection's present state",
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
	    "After captures were ingested, removed or imported attributes changed, brings a cover up to date: only documents that changed, and those that lost "
	    "what settled them, are compared with the others, and only the components they touch are solved again. The cover keeps its id and name, has the "
	    "same size as a new 'winnow reduce' would give, and passes 'winnow check'. A document of --keep that is in the collection no more is told, and no longer "
	    "asked for. A cover of the present state is left as it is.",
};
