/* cmd/export.c -- winnow export: a collection, or what a cover keeps, for others. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/log.h"
#include "cmd/table.h"
#include "flow/export.h"

struct args {
	const char *cover, *what, *format, *out;
	bool yes;
};

static const struct opt opts[] = {
	{ "cover", 0, OPT_TEXT, "ID", "of this cover (default: the whole collection)", offsetof(struct args, cover) },
	{ "what", 0, OPT_CHOICE, "kept|dropped|all",
	  "which documents (default: all for csv, jsonl, graph, sets; else kept)", offsetof(struct args, what) },
	{ "format", 'f', OPT_CHOICE, export_formats, "what to write", offsetof(struct args, format) },
	{ "output", 'o', OPT_TEXT, "OUT", "the file; - is standard output", offsetof(struct args, out) },
	{ "yes", 0, OPT_FLAG, NULL, "also a graph of more than a thousand million pairs", offsetof(struct args, yes) },
	{ 0 },
};

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct export_request q = { .format = a->format,
				    .path = a->out,
				    .threads = (unsigned)run->common.threads,
				    .memory = run->common.memory,
				    .tmp = run->common.tmp,
				    .yes = a->yes };
	struct export_report report;
	struct cover_row row;
	int rc;

	if (!a->format || !a->out)
		return cmd_usage(run, "needs --format %s and -o OUT", export_formats);
	if (a->what && a->what[0] != 'a' && !a->cover)
		return cmd_usage(run, "--what is about a cover; it needs --cover ID");
	if (a->what && strcmp(a->format, "graph") == 0)
		return cmd_usage(run, "a graph has all pairs of the cover's documents; --what does not go with it");
	q.what = !a->what	     ? EXPORT_DEFAULT
		 : a->what[0] == 'k' ? EXPORT_KEPT
		 : a->what[0] == 'd' ? EXPORT_DROPPED
				     : EXPORT_ALL;
	if (a->cover) {
		if ((rc = cmd_read_cover(run, coll, a->cover, &row)) < 0)
			return rc;
		q.cover = &row;
	}
	if ((rc = export_run(coll, &q, &report, &run->err)) < 0)
		return rc == WN_NONE && !report.missing ? WN_USAGE : rc;
	if (run->common.json) {
		struct buf out = BUF(64 * KIB);

		buf_printf(&out,
			   "{\"documents\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"copied\": %" PRIu64
			   ", \"rewritten\": %" PRIu64 ", \"originals\": %" PRIu64 ", \"warcinfos\": %" PRIu64
			   ", \"missing\": %" PRIu64 "}\n",
			   report.documents, report.bytes, report.copied, report.rewritten, report.originals,
			   report.warcinfos, report.missing);
		cmd_out(&out);
		buf_release(&out);
	} else if (report.copied + report.rewritten) {
		note("%s: %" PRIu64 " documents; %" PRIu64 " records copied byte for byte, %" PRIu64
		     " written anew; with them %" PRIu64 " originals of revisits and %" PRIu64 " warcinfo records",
		     a->out, report.documents, report.copied, report.rewritten, report.originals, report.warcinfos);
	} else {
		note("%s: %" PRIu64 " rows", a->out, report.documents);
	}
	if (!report.missing)
		return EXIT_DONE;
	error(
	    "%s: %" PRIu64
	    " records are missing, for they could not be read as they were; 'winnow ingest %s FILE' of their archive files, or of "
	    "good copies, brings them",
	    a->out, report.missing, catalog_dir(coll->catalog));
	return EXIT_FINDINGS;
}

static const struct cmd_example examples[] = {
	{ "winnow export sample --cover 1 --format warc -o kept.warc.gz", "an archive of what the cover keeps" },
	{ "winnow export sample --cover 1 --format csv -o cover.csv",
	  "every document, kept or dropped, with its witness" },
	{ "winnow export sample --format cdxj -o -", "an index of the collection" },
	{ 0 },
};

const struct cmd cmd_export = {
	.name = "export",
	.args = "COLL",
	.summary = "hand out a collection, or what a cover keeps of it",
	.group = GROUP_LOOK,
	.joins = true,
	.coll_first = true,
	.min_args = 1,
	.max_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "Formats: warc (a gzip member that holds one record of what is exported, whole, byte for byte; any other record as WARC 1.1), wacz, cdxj, csv and jsonl (documents with "
	    "state, witness and measures), graph (every pair of the rule: a b shared size_a size_b), sets (shingle hashes), gexf.\n\n"
	    "With a cover a methods note for a paper's appendix is written beside the file, as OUT.methods.txt.\n\n"
	    "A record that cannot be read, or whose payload is not what was ingested, is not written to an archive: the first ones are named, and the exit code is 1.",
};
