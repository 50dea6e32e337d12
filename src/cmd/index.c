/* cmd/index.c -- winnow index: a sorted CDX of archive files on standard output. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/progress.h"
#include "cmd/table.h"
#include "flow/index.h"
#include "flow/inputs.h"

#define SORT_MOST (48 * MIB) /* beyond it lines are sorted on disk: an index needs no more than 128 MB */

struct args {
	const char *format, *max_flaws;
	bool post_append, quick;
};

static const struct opt opts[] = {
	{ "format", 0, OPT_CHOICE, "cdxj|cdx11|cdx9", "the lines to write (default cdxj)",
	  offsetof(struct args, format) },
	{ "post-append", 0, OPT_FLAG, NULL, "make method and body of a request part of its response's urlkey",
	  offsetof(struct args, post_append) },
	{ "quick", 0, OPT_FLAG, NULL, "believe the payload digests in the archive and pass payloads over",
	  offsetof(struct args, quick) },
	{ "max-flaws", 0, OPT_TEXT, "N", "end with 1 when more than N flaws were found (default: any number is fine)",
	  offsetof(struct args, max_flaws) },
	{ 0 },
};

static int write_lines(void *context, struct str lines, struct err *err)
{
	(void)context;
	(void)err;
	cmd_print(lines);
	return WN_OK;
}

static void trouble(void *context, const char *path, const char *why)
{
	(void)context;
	error("index: %s: %s", path, why);
}

static void advance(void *context, uint64_t bytes)
{
	(void)context;
	progress_add(bytes);
}

static int run(struct cmd_run *run)
{
	struct args *a = run->args;
	uint64_t memory = run->common.memory / 4, most = UINT64_MAX;
	struct index_options o = { .post_append = a->post_append,
				   .quick = a->quick,
				   .threads = (unsigned)run->common.threads,
				   .tmp = run->common.tmp,
				   .memory = memory < SORT_MOST ? memory : SORT_MOST,
				   .write = write_lines,
				   .trouble = trouble,
				   .progress = advance };
	struct paths paths = { 0 };
	struct index_report report;
	size_t unread;
	int rc;

	if ((rc = cmd_max_flaws(run, a->max_flaws, &most)) != EXIT_DONE)
		return rc;
	if (run->common.json)
		return cmd_usage(run, "the lines are JSON already (--format cdxj); without --json they are written");
	if (a->format)
		cdx_format(a->format, &o.format);
	if ((rc = cmd_inputs(run, (const char *const *)run->rest.p, run->rest.n, &paths)) != EXIT_DONE) {
		paths_release(&paths);
		return rc;
	}
	unread = paths.unread.n;
	progress_phase("reading", "bytes", inputs_bytes(&paths));
	rc = index_paths(&o, paths.list.p, paths.list.n, &report, &run->err);
	progress_end();
	paths_release(&paths);
	if (rc < 0)
		return cmd_fail(run, rc);
	if (report.failed || unread)
		return EXIT_FAILED;
	return report.not_archives || report.flaws > most ? EXIT_FINDINGS : EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow index sample.warc.gz", "CDXJ, as pywb and OutbackCDX read it" },
	{ "winnow index --format cdx11 sample.warc.gz", "the older form with eleven columns" },
	{ "winnow index --quick sample.warc.gz", "by the heads alone, with the archive's own digests" },
	{ 0 },
};

const struct cmd cmd_index = {
	.name = "index",
	.args = "PATH...",
	.summary = "write a sorted index of archive files",
	.group = GROUP_LOOK,
	.min_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.run = run,
	.examples = examples,
	.prose =
	    "Reads archive files (and those in directories; '-' is standard input) and writes a line for each capture, sorted by bytes, to standard output. No "
	    "collection is needed or made. Lines are CDXJ as cdxj-indexer writes them, or CDX with eleven or nine columns; the urlkey is that of the profile "
	    "ia-surt (see 'winnow help surt').\n\n"
	    "Payload digests are checked: the record's own is written, and counted as a flaw when it is wrong; where there is none it is computed. "
	    "With --quick the payload of a record that has a digest is passed over: its own digest is written and not checked, and damage inside payloads is "
	    "not seen ('winnow verify' sees it). Where digests are right the lines are the same, but a file made to deceive can hide records from it: it is "
	    "for archives one trusts. It is several times faster on gzip files with a member for each record and on plain ones; other records are read in full.\n\n"
	    "Beyond 48 MB of lines the sort goes on in temporary files (--tmp). A file that is no archive is named on standard error and the exit code is 1; "
	    "one that cannot be read too, with exit code 3, and the others are indexed; flaws are counted by 'winnow verify'.",
};
