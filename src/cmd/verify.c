/* cmd/verify.c -- winnow verify: everything that is wrong with archive files, or with a collection. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "archive/verify.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/progress.h"
#include "cmd/table.h"
#include "flow/health.h"
#include "flow/inputs.h"

#define FLUSH_AT (32 * KIB)

struct args {
	const char *max_flaws;
};

static const struct opt opts[] = {
	{ "max-flaws", 0, OPT_TEXT, "N", "end with 1 only when more than N flaws were found (default 0)",
	  offsetof(struct args, max_flaws) },
	{ 0 },
};

struct output {
	struct buf text;
	bool json;
	uint64_t damages; /* of collections' own files */
	uint64_t changed; /* archive files that are not what was read */
};

static void flush(struct output *o)
{
	cmd_out(&o->text);
	buf_reset(&o->text);
}

static int on_flaw(void *context, const char *path, struct str part, const struct flaw *f)
{
	struct output *o = context;

	if (o->json)
		return 0;
	buf_printf(&o->text, part.n ? "%s#%.*s" : "%s", path, STR_FMT(part));
	buf_printf(&o->text, " %" PRIu64 " %s%s%s\n", f->at, flaw_name(f->kind), f->detail[0] ? " " : "", f->detail);
	if (o->text.n > FLUSH_AT)
		flush(o);
	return 0;
}

static int on_failed(void *context, const char *path, const struct err *err)
{
	struct output *o = context;

	(void)path;
	flush(o);
	error("verify: %s", err->text);
	return 0;
}

static void on_damage(void *context, enum health_part part, const char *path, const char *why)
{
	struct output *o = context;

	(void)part;
	o->damages++;
	if (!o->json)
		buf_printf(&o->text, "%s 0 %s %s\n", path, flaw_name(FLAW_BAD_STORE), why);
}

static void on_progress(void *context, uint64_t bytes)
{
	(void)context;
	progress_add(bytes);
}

struct gathering {
	struct arena *arena;
	struct paths *paths;
	struct output *out;
	const char *coll;
};

/* Says what became of a file, and what to do; the captures that were read of it are not in it any more. */
static void tell_changed(const struct gathering *to, const struct catalog_file *f, enum file_state state, uint64_t now)
{
	struct output *o = to->out;

	o->changed++;
	if (o->json)
		return;
	buf_printf(&o->text, "%.*s 0 %s ", STR_FMT(f->path), flaw_name(FLAW_FILE_CHANGED));
	if (state == FILE_GONE)
		buf_printf(
		    &o->text,
		    "it is not there any more, so its captures cannot be read; bring it back, or 'winnow ingest %s FILE' "
		    "where it lies now, or 'winnow rm %s --file %.*s' takes them out\n",
		    to->coll, to->coll, STR_FMT(f->path));
	else if (state == FILE_SHRUNK)
		buf_printf(&o->text,
			   "it has %" PRIu64 " bytes and had %" PRIu64
			   " when it was read, so captures of it cannot be read; "
			   "bring it back, or 'winnow ingest %s %.*s' takes in what is left\n",
			   now, f->bytes, to->coll, STR_FMT(f->path));
	else
		buf_printf(
		    &o->text,
		    "it holds other bytes than were read, so its captures cannot be read; bring the old file back, or "
		    "'winnow ingest %s %.*s' takes in the new one and the old captures out\n",
		    to->coll, STR_FMT(f->path));
}

static int add_file(void *context, const struct catalog_file *f)
{
	struct gathering *to = context;
	enum file_state state;
	struct err unheard = { 0 };
	uint64_t now;

	if (f->lines) /* lines of JSON are no archive */
		return 0;
	/* what cannot be read now is told when it is its turn */
	if (inputs_state(f, &state, &now, &unheard) == WN_OK && state != FILE_SAME && state != FILE_GROWN)
		tell_changed(to, f, state, now);
	else
		state = FILE_SAME;
	if (state != FILE_GONE)
		vec_push(&to->paths->list, arena_strz(to->arena, f->path));
	return 0;
}

/* A collection's own files are checked here and now; the archive files it was made of join the others. */
static int gather_collection(struct cmd_run *run, const char *dir, struct paths *paths, struct output *o)
{
	struct gathering to = { &run->arena, paths, o, dir };
	struct health health = { .context = o, .damaged = on_damage };
	struct collection coll = { 0 };
	int rc;

	if ((rc = collection_open(&coll, dir, CATALOG_READ, NULL, &run->err)) < 0)
		return rc;
	if ((rc = health_check(&coll, &health, &run->err)) == WN_OK)
		rc = catalog_files(coll.catalog, add_file, &to, &run->err);
	collection_close(&coll);
	return rc;
}

/* The files a collection was made of, or those that the paths name.  EXIT_DONE while there is anything to look at. */
static int gather(struct cmd_run *run, struct paths *paths, struct output *o)
{
	struct stat st;
	int code = EXIT_DONE;
	bool any = false;

	for (size_t i = 0; i < run->rest.n; i++) {
		const char *path = run->rest.p[i];
		int rc, ended = EXIT_DONE;

		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
		    stat(arena_printf(&run->arena, "%s/catalog.db", path).p, &st) == 0) {
			if ((rc = gather_collection(run, path, paths, o)) < 0) {
				flush(o);
				ended = cmd_fail(run, rc);
				paths_unread(paths, &run->arena, &run->err);
			}
		} else {
			ended = cmd_inputs(run, &path, 1, paths);
		}
		if (ended == EXIT_INTERRUPTED)
			return ended;
		any |= ended == EXIT_DONE;
		if (ended > code)
			code = ended;
	}
	return any ? EXIT_DONE : code;
}

static void report(struct output *o, const struct verify_result *r)
{
	uint64_t listed = r->flaws - r->unlisted;

	if (!o->json) {
		char more[64] = "";

		if (r->unlisted)
			snprintf(more, sizeof more, " and %" PRIu64 " more that are not listed", r->unlisted);
		flush(o);
		note("%" PRIu64 " file%s, %" PRIu64 " record%s, %" PRIu64 " flaw%s%s", r->files,
		     r->files == 1 ? "" : "s", r->records, r->records == 1 ? "" : "s", listed, listed == 1 ? "" : "s",
		     more);
		return;
	}
	struct json j = { .out = &o->text, .spaced = true };

	json_open(&j, '{');
	json_put_u64(&j, "files", r->files);
	json_put_u64(&j, "records", r->records);
	json_put_open(&j, "flaws", '{');
	for (int k = 0; k < FLAW_KINDS; k++)
		if (r->counts[k])
			json_put_u64(&j, flaw_name((enum flaw_kind)k), r->counts[k]);
	json_close(&j, '}');
	if (r->unlisted)
		json_put_u64(&j, "unlisted", r->unlisted);
	json_put_u64(&j, "failed", r->failed);
	json_close(&j, '}');
	buf_byte(&o->text, '\n');
	flush(o);
}

static int run(struct cmd_run *run)
{
	struct args *a = run->args;
	struct paths paths = { 0 };
	struct output out = { .text = BUF(4 * MIB), .json = run->common.json };
	struct verify v = { .threads = (unsigned)run->common.threads,
			    .context = &out,
			    .flaw = on_flaw,
			    .failed = on_failed,
			    .progress = on_progress };
	struct verify_result result;
	uint64_t most = 0;
	int rc;

	if ((rc = cmd_max_flaws(run, a->max_flaws, &most)) != EXIT_DONE)
		return rc;
	if ((rc = gather(run, &paths, &out)) != EXIT_DONE) {
		flush(&out);
		buf_release(&out.text);
		paths_release(&paths);
		return rc;
	}
	progress_phase("verify", "bytes", inputs_bytes(&paths));
	rc = verify_paths(&v, paths.list.p, paths.list.n, &result, &run->err);
	progress_end();
	result.failed += paths.unread.n;
	paths_release(&paths);
	if (rc >= 0) {
		result.flaws += out.damages;
		result.counts[FLAW_BAD_STORE] += out.damages;
		result.flaws += out.changed;
		result.counts[FLAW_FILE_CHANGED] += out.changed;
		report(&out, &result);
	} else {
		flush(&out);
	}
	buf_release(&out.text);
	if (rc < 0)
		return cmd_fail(run, rc);
	if (result.failed)
		return EXIT_FAILED;
	return result.flaws > most ? EXIT_FINDINGS : EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow verify sample.warc.gz", "every flaw of a file, one a line" },
	{ "winnow verify --json sample", "how many flaws of each kind the files of a collection have" },
	{ 0 },
};

const struct cmd cmd_verify = {
	.name = "verify",
	.args = "PATH...|COLL",
	.summary = "check archive files: lengths, digests, compression, fields, ids",
	.group = GROUP_CARE,
	.min_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.run = run,
	.examples = examples,
	.prose =
	    "Reads every record of the files to its end and prints each flaw as a line of FILE, OFFSET, KIND and DETAIL. Checked are compression, "
	    "lengths, headers, mandatory fields, dates, record ids, block and payload digests, HTTP heads, chunks, content codings and segments.\n\n"
	    "A directory stands for the archive files in it, - for standard input, a collection for the files it was made of and its own: every page of its "
	    "catalogue, every stored set, text and word list is read and tested (bad-store), and the archive files must hold the bytes that were read (file-changed). Covers are tested by check.\n\n"
	    "Of one record, sixteen flaws are listed and counted by kind; the rest is a number only (unlisted).\n\n"
	    "OFFSET is that of the record, or of the compressed member it begins in. A file that is no archive is a flaw, not an error.\n\n"
	    "The exit code is 0 when there are no flaws (at most --max-flaws), 1 when there are, 3 when a file could not be read.",
};
