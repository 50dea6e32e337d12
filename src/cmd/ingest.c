/* cmd/ingest.c -- winnow ingest: archive files into a collection. */
#include <inttypes.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/os.h"
#include "cmd/table.h"
#include "flow/batch.h"
#include "flow/ingest.h"
#include "flow/inputs.h"
#include "flow/jsonl.h"
#include "sketch/shingle.h"

struct args {
	uint64_t k;
	const char *unit, *text, *max_flaws, *jsonl, *map;
	bool bag, index_only, quick, no_fulltext, parse_all, reprocess;
};

static const struct opt opts[] = {
	{ "k", 0, OPT_COUNT, "N", "terms in a shingle (default 5); fixed when COLL is created",
	  offsetof(struct args, k) },
	{ "unit", 0, OPT_CHOICE, "word|char", "what shingles are made of; fixed when COLL is created",
	  offsetof(struct args, unit) },
	{ "bag", 0, OPT_FLAG, NULL, "count repeated shingles; fixed when COLL is created", offsetof(struct args, bag) },
	{ "text", 0, OPT_CHOICE, "body|main", "which text is the document; fixed when COLL is created",
	  offsetof(struct args, text) },
	{ "index-only", 0, OPT_FLAG, NULL, "enter captures without making documents of them",
	  offsetof(struct args, index_only) },
	{ "quick", 0, OPT_FLAG, NULL,
	  "with --index-only: believe the payload digests in the archive and pass payloads over",
	  offsetof(struct args, quick) },
	{ "no-fulltext", 0, OPT_FLAG, NULL, "leave the full-text index alone", offsetof(struct args, no_fulltext) },
	{ "parse-all", 0, OPT_FLAG, NULL, "parse every payload, also one that was seen before (same result, slower)",
	  offsetof(struct args, parse_all) },
	{ "jsonl", 0, OPT_TEXT, "FILE", "take documents from lines of JSON instead of archives",
	  offsetof(struct args, jsonl) },
	{ "map", 0, OPT_TEXT, "id=..,text=..", "which members of a line are id, text, url, time, title",
	  offsetof(struct args, map) },
	{ "reprocess", 0, OPT_FLAG, NULL,
	  "make all texts anew from the archive files, when text extraction has changed or stored ones are damaged",
	  offsetof(struct args, reprocess) },
	{ "max-flaws", 0, OPT_TEXT, "N", "end with 1 when more than N flaws were found (default: any number is fine)",
	  offsetof(struct args, max_flaws) },
	{ 0 },
};

static void report_json(const struct ingest_report *r)
{
	struct buf out = BUF(64 * KIB);
	struct json j = { .out = &out, .spaced = true };
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "files", r->files },
		{ "files_skipped", r->files_skipped },
		{ "files_failed", r->files_failed },
		{ "files_replaced", r->files_replaced },
		{ "captures_replaced", r->captures_replaced },
		{ "captures_adopted", r->captures_adopted },
		{ "captures_rejoined", r->captures_rejoined },
		{ "records", r->records },
		{ "captures", r->captures },
		{ "documents", r->documents },
		{ "contents", r->contents },
		{ "revisits_resolved", r->revisits_resolved },
		{ "revisits_unresolved", r->revisits_unresolved },
		{ "flaws", r->flaws },
		{ "bytes_read", r->bytes_read },
		{ "bytes_payload", r->bytes_payload },
	};

	json_open(&j, '{');
	for (size_t i = 0; i < COUNT(numbers); i++)
		json_put_u64(&j, numbers[i].key, numbers[i].value);
	json_put_double(&j, "seconds", r->seconds, 3);
	json_close(&j, '}');
	cmd_out_line(&out);
}

static void report_text(const struct cmd_run *run, const struct ingest_report *r)
{
	struct buf out = BUF(64 * KIB);
	char size[STR_SIZE], payload[STR_SIZE];

	buf_printf(&out, "%" PRIu64 " file%s read", r->files, r->files == 1 ? "" : "s");
	if (r->files_skipped)
		buf_printf(&out, ", %" PRIu64 " already there", r->files_skipped);
	buf_printf(&out, ": %" PRIu64 " records, %" PRIu64 " captures\n", r->records, r->captures);
	if (r->files_replaced)
		buf_printf(&out,
			   "%" PRIu64 " path%s other bytes than before: %" PRIu64
			   " captures of the earlier bytes were taken out\n",
			   r->files_replaced, r->files_replaced == 1 ? " has" : "s have", r->captures_replaced);
	if (r->captures_adopted)
		buf_printf(&out, "%" PRIu64 " of them were known from an imported index, and stand there once\n",
			   r->captures_adopted);
	if (r->captures_rejoined)
		buf_printf(&out, "%" PRIu64 " capture%s of before got segments that were missing\n",
			   r->captures_rejoined, r->captures_rejoined == 1 ? "" : "s");
	buf_printf(&out, "%" PRIu64 " documents of %" PRIu64 " new texts", r->documents, r->contents);
	if (r->revisits_resolved || r->revisits_unresolved)
		buf_printf(&out, ", %" PRIu64 " revisits with their original, %" PRIu64 " without",
			   r->revisits_resolved, r->revisits_unresolved);
	buf_printf(&out, "\n%.*s of archive, %.*s of payload in %.1f s", STR_FMT(str_size(r->bytes_read, size)),
		   STR_FMT(str_size(r->bytes_payload, payload)), r->seconds);
	if (r->seconds > 0)
		buf_printf(&out, " (%.*s of payload a second)",
			   STR_FMT(str_size((uint64_t)((double)r->bytes_payload / r->seconds), size)));
	buf_byte(&out, '\n');
	if (r->flaws)
		buf_printf(&out,
			   "%" PRIu64
			   " %s noted; 'winnow stats %s' counts them by kind, 'winnow help flaws' explains them\n",
			   r->flaws, r->flaws == 1 ? "flaw" : "flaws", run->rest.p[0]);
	cmd_out(&out);
	buf_release(&out);
}

static int enough_memory(const struct ingest_options *o, bool chars, struct err *err)
{
	if (o->memory >= memory_least(chars))
		return WN_OK;
	return err_set(err, WN_USAGE, "--memory must be at least %uM here: one page may have a text of 32 MiB",
		       (unsigned)(memory_least(chars) / MIB));
}

static int reprocess(struct cmd_run *run, const struct ingest_options *o)
{
	struct collection coll = { 0 };
	struct ingest_report report;
	int rc;

	if (run->rest.n != 1)
		return cmd_usage(run, "--reprocess takes a collection and no files");
	if ((rc = collection_open(&coll, run->rest.p[0], CATALOG_WRITE, NULL, &run->err)) < 0)
		return cmd_fail(run, rc);
	if ((rc = enough_memory(o, catalog_settings(coll.catalog)->chars, &run->err)) == WN_OK)
		rc = ingest_reprocess(&coll, o->parse_all, o, &report, &run->err);
	collection_close(&coll);
	if (rc < 0)
		return cmd_fail(run, rc);
	if (run->common.json)
		report_json(&report);
	else if (report.captures == 0 && report.mended.words)
		note("the full-text index was made again from the stored texts");
	else if (report.captures == 0 && !report.files_failed)
		note(
		    "the texts are sound and were made by this version of text extraction; nothing to do (--parse-all makes them anew all the same)");
	else if (report.captures)
		note("%" PRIu64 " captures read again, %" PRIu64 " new texts", report.captures, report.contents);
	if (report.files_failed) {
		error("ingest: %" PRIu64 " capture%s could not be read again: %s", report.files_failed,
		      report.files_failed == 1 ? "" : "s", report.failure);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

/* What the collection is made with, should it not be there; its shingles must be possible. */
static int settings_wanted(const struct args *a, struct catalog_settings *out, struct err *err)
{
	*out = collection_defaults();
	if (a->k)
		out->k = (unsigned)a->k;
	out->chars = a->unit && a->unit[0] == 'c';
	out->bag = a->bag;
	out->main_text = a->text && a->text[0] == 'm';
	return shingle_check(
	    (struct shingle_spec){ .k = out->k, .unit = out->chars ? SHINGLE_CHAR : SHINGLE_WORD, .bag = out->bag },
	    err);
}

/* Settings that were named must be those that a collection of before has. */
static int settings_compare(const struct args *a, const struct catalog_settings *want,
			    const struct catalog_settings *have, const char *coll, struct err *err)
{
	if ((!a->k || have->k == want->k) && (!a->unit || have->chars == want->chars) && (!a->bag || have->bag) &&
	    (!a->text || have->main_text == want->main_text))
		return WN_OK;
	return err_set(
	    err, WN_USAGE,
	    "%s was created with k = %u, unit %s%s, text %s; these are fixed: make another collection for others", coll,
	    have->k, have->chars ? "char" : "word", have->bag ? ", bag" : "", have->main_text ? "main" : "body");
}

/* Into the collection, which is made when it is not there. */
static int enter(struct cmd_run *run, const struct ingest_options *o, struct ingest_report *report)
{
	struct args *a = run->args;
	const char *const *paths = (const char *const *)run->rest.p + 1;
	struct catalog_settings fresh;
	struct collection coll = { 0 };
	struct jsonl_map map;
	size_t n = run->rest.n - 1;
	int rc;

	if ((rc = settings_wanted(a, &fresh, &run->err)) < 0 ||
	    (a->jsonl && (rc = jsonl_map_parse(str(a->map), &map, &run->err)) < 0))
		return rc;
	if ((rc = collection_open(&coll, run->rest.p[0], CATALOG_CREATE, &fresh, &run->err)) < 0)
		return rc;
	if ((rc = settings_compare(a, &fresh, catalog_settings(coll.catalog), run->rest.p[0], &run->err)) == WN_OK &&
	    (rc = enough_memory(o, catalog_settings(coll.catalog)->chars, &run->err)) == WN_OK)
		rc = a->jsonl ? jsonl_ingest(&coll, a->jsonl, &map, o, report, &run->err)
			      : ingest_paths(&coll, paths, n, o, report, &run->err);
	collection_close(&coll);
	return rc;
}

/* Tells what of the named files cannot be read; EXIT_DONE while there is anything to read. */
static int look(struct cmd_run *run)
{
	const struct args *a = run->args;
	struct paths all = { 0 };
	int rc;

	if (a->jsonl)
		return (rc = os_named_file(a->jsonl, &run->err)) < 0 ? cmd_fail(run, rc) : EXIT_DONE;
	rc = cmd_inputs(run, (const char *const *)run->rest.p + 1, run->rest.n - 1, &all);
	paths_release(&all);
	return rc;
}

static void trouble(const char *why) { error("ingest: %s", why); }

static int run(struct cmd_run *run)
{
	struct args *a = run->args;
	struct ingest_options o = { .threads = (unsigned)run->common.threads,
				    .memory = run->common.memory,
				    .index_only = a->index_only,
				    .quick = a->quick,
				    .no_fulltext = a->no_fulltext,
				    .parse_all = a->parse_all,
				    .tmp = run->common.tmp };
	struct ingest_report report;
	uint64_t most = UINT64_MAX;
	int rc;

	if ((rc = cmd_max_flaws(run, a->max_flaws, &most)) != EXIT_DONE)
		return rc;
	if ((rc = enough_memory(&o, a->unit && a->unit[0] == 'c', &run->err)) < 0)
		return cmd_fail(run, rc);
	if (a->quick && !a->index_only)
		return cmd_usage(run, "--quick goes with --index-only: documents are made of payloads");
	if (a->reprocess)
		return reprocess(run, &o);
	if (a->jsonl ? run->rest.n != 1 || !a->map : run->rest.n < 2)
		return cmd_usage(run, "needs COLL PATH..., or COLL --jsonl FILE --map id=..,text=..");
	if ((rc = look(run)) != EXIT_DONE)
		return rc;
	o.trouble = trouble;
	if ((rc = enter(run, &o, &report)) < 0)
		return cmd_fail(run, rc);
	run->common.json ? report_json(&report) : report_text(run, &report);
	if (report.bare)
		note(
		    "captures that were entered with --index-only have no documents; 'winnow ingest --reprocess %s' makes them",
		    run->rest.p[0]);
	if (report.files_failed) {
		error("ingest: %" PRIu64 " file%s could not be read to the end; the same command tries again",
		      report.files_failed, report.files_failed == 1 ? "" : "s");
		return EXIT_FAILED;
	}
	return report.flaws > most ? EXIT_FINDINGS : EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow ingest sample sample.warc.gz", "one file; the collection is made when it is not there" },
	{ "winnow ingest sample crawls/ extra.wacz", "all archives below a directory, and a WACZ" },
	{ 0 },
};

const struct cmd cmd_ingest = {
	.name = "ingest",
	.args = "COLL PATH...",
	.summary = "enter the captures of WARC and ARC files in a collection",
	.group = GROUP_GATHER,
	.coll_first = true,
	.own_floor = true,
	.continues = true,
	.min_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.run = run,
	.examples = examples,
	.prose =
	    "Reads WARC and ARC files (plain, gzip, zstd, lz4, WACZ; '-' is standard input), and enters every capture with its text, links, language and "
	    "shingle sets in the collection COLL, a directory that is made when it is not there. The archive files stay where they are and are never changed; "
	    "the collection remembers where each record lies.\n\n"
	    "What is wrong in an archive is recorded as a flaw and reading goes on. A file whose bytes are in already is skipped, wherever it lies now; a file "
	    "that grew is continued. A path names one file: when other bytes lie there than were read before, the captures of "
	    "the earlier bytes are taken out (they could not be read any more), unless the same command finds those bytes at "
	    "another path. The same holds for --jsonl, whose documents are dated 1970-01-01 where --map names no time or a line has none that can be read (a flaw). "
	    "A killed ingest is continued by the same command. Where segments of a record come with a later file, its capture is made anew then.\n\n"
	    "With --index-only captures are entered without documents; 'winnow ingest --reprocess COLL' makes them later. With --quick besides, the payload of "
	    "a record that names its digest is passed over: damage inside it is not seen ('winnow verify' sees it), and a coded payload has no digest of its "
	    "decoded form, and its size as archived, until --reprocess has read it.\n\n"
	    "It stays within --memory, which must be 512M or more (768M with --unit char), since one page may have a text of 32 MiB. "
	    "pdftotext, which reads PDF, runs beside it, with at most 1 GiB.",
};
