/* cmd/rm.c -- winnow rm: take a file's captures out of a collection. */
#include <inttypes.h>

#include "base/json.h"
#include "base/limits.h"
#include "cmd/table.h"
#include "flow/batch.h"

struct args {
	const char *file;
};

static const struct opt opts[] = {
	{ "file", 0, OPT_TEXT, "NAME", "the archive file: its name, or its path", offsetof(struct args, file) },
	{ 0 },
};

struct named {
	struct str name;
	uint64_t id;
	unsigned found;
};

static int look(void *context, const struct catalog_file *f)
{
	struct named *n = context;
	ptrdiff_t slash = str_rchr(f->path, '/');

	if (str_eq(f->path, n->name) || str_eq(str_sub(f->path, (size_t)(slash + 1), f->path.n), n->name)) {
		n->id = f->id;
		n->found++;
	}
	return WN_OK;
}

static int run(struct cmd_run *run)
{
	struct args *a = run->args;
	struct named want = { .name = str(a->file) };
	struct collection coll = { 0 };
	uint64_t captures = 0, resolved, left;
	struct buf out = BUF(4 * KIB);
	int rc;

	if (!a->file)
		return cmd_usage(run, "needs --file NAME: which file's captures shall go");
	if ((rc = collection_open(&coll, run->rest.p[0], CATALOG_WRITE, NULL, &run->err)) < 0)
		return cmd_fail(run, rc);
	if ((rc = catalog_files(coll.catalog, look, &want, &run->err)) == WN_OK && want.found != 1) {
		collection_close(&coll);
		if (want.found == 0)
			return cmd_usage(run,
					 "%s holds no file '%s'; 'winnow sql %s \"select name from files\"' lists them",
					 run->rest.p[0], a->file, run->rest.p[0]);
		return cmd_usage(run, "%u files of %s are called '%s'; give the whole path", want.found, run->rest.p[0],
				 a->file);
	}
	if (rc == WN_OK && (rc = catalog_remove(coll.catalog, want.id, 0, &captures, &run->err)) == WN_OK)
		rc = catalog_resolve(coll.catalog, &resolved, &left, &run->err);
	if (rc == WN_OK)
		rc = batch_forget(&coll, &run->err);
	collection_close(&coll);
	if (rc < 0)
		return cmd_fail(run, rc);
	if (run->common.json)
		buf_printf(&out, "{\"captures_removed\": %" PRIu64 "}\n", captures);
	else
		buf_printf(&out, "%" PRIu64 " captures of %s taken out; the file itself was not touched\n", captures,
			   a->file);
	cmd_out(&out);
	buf_release(&out);
	return EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow rm sample --file sample-spring-2011.warc.gz", "forget what came from that file" }, { 0 }
};

const struct cmd cmd_rm = {
	.name = "rm",
	.args = "COLL",
	.summary = "take a file's captures out of a collection",
	.group = GROUP_GATHER,
	.coll_first = true,
	.min_args = 1,
	.max_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.run = run,
	.examples = examples,
	.prose =
	    "Takes the captures that came from one archive file out of the collection. The archive file itself is never touched. Revisits whose original "
	    "goes look for another one.",
};
