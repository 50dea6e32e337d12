/* cmd/rm.c -- winnow rm: take a file's captures out of a collection. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/vec.h"
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
	struct str path; /* where the name leads from here, links followed; may be empty */
	uint64_t id;
	unsigned found;
};

static int look(void *context, const struct catalog_file *f)
{
	struct named *n = context;
	ptrdiff_t slash = str_rchr(f->path, '/');

	if (str_eq(f->path, n->name) || (n->path.n && str_eq(f->path, n->path)) ||
	    str_eq(str_sub(f->path, (size_t)(slash + 1), f->path.n), n->name)) {
		n->id = f->id;
		n->found++;
	}
	return WN_OK;
}

/* Captures that an imported index places in a file of that name. */
static int remove_indexed(struct collection *coll, struct str name, uint64_t *captures, struct err *err)
{
	struct capture_query q = { 0 };
	struct capture_cursor *cur = NULL;
	struct capture c;
	VEC(uint64_t) ids = { 0 };
	int rc = catalog_captures(coll->catalog, &q, &cur, err);

	while (rc == WN_OK && (rc = capture_next(cur, &c, err)) == WN_OK)
		if (c.file == 0 && str_eq(c.part, name))
			vec_push(&ids, c.id);
	capture_close(cur);
	if (rc == WN_END)
		rc = ids.n ? catalog_remove_captures(coll->catalog, ids.p, ids.n, err) : WN_OK;
	*captures = ids.n;
	vec_release(&ids);
	return rc;
}

static int remove_named(struct cmd_run *run, struct collection *coll, const char *name, uint64_t *captures)
{
	char *path = realpath(name, NULL);
	struct named want = { .name = str(name), .path = path ? str(path) : STR_NONE };
	int rc = catalog_files(coll->catalog, look, &want, &run->err);

	free(path);
	if (rc < 0)
		return rc;
	if (want.found == 1) { /* and what an index brought of it */
		uint64_t more = 0;

		if ((rc = catalog_remove(coll->catalog, want.id, 0, captures, &run->err)) == WN_OK)
			rc = remove_indexed(coll,
					    str_sub(want.name, (size_t)(str_rchr(want.name, '/') + 1), want.name.n),
					    &more, &run->err);
		*captures += more;
		return rc;
	}
	if (want.found > 1)
		return err_set(&run->err, WN_USAGE, "%u files of %s are called '%s'; give the whole path", want.found,
			       run->rest.p[0], name);
	if ((rc = remove_indexed(coll, want.name, captures, &run->err)) == WN_OK && *captures == 0)
		rc = err_set(&run->err, WN_USAGE,
			     "%s holds no file '%s'; 'winnow sql %s \"select name from files\"' lists them",
			     run->rest.p[0], name, run->rest.p[0]);
	return rc;
}

static int run(struct cmd_run *run)
{
	struct args *a = run->args;
	struct collection coll = { 0 };
	uint64_t captures = 0, resolved, left;
	struct buf out = BUF(4 * KIB);
	int rc;

	if (!a->file)
		return cmd_usage(run, "needs --file NAME: which file's captures shall go");
	if ((rc = collection_open(&coll, run->rest.p[0], CATALOG_WRITE, NULL, &run->err)) < 0)
		return cmd_fail(run, rc);
	if ((rc = remove_named(run, &coll, a->file, &captures)) == WN_OK &&
	    (rc = catalog_resolve(coll.catalog, &resolved, &left, &run->err)) == WN_OK)
		rc = batch_forget(&coll, &run->err);
	collection_close(&coll);
	if (rc < 0)
		return cmd_fail(run, rc);
	if (run->common.json)
		buf_printf(&out, "{\"captures_removed\": %" PRIu64 "}\n", captures);
	else
		buf_printf(&out, "%" PRIu64 " capture%s of %s taken out; the file itself was not touched\n", captures,
			   captures == 1 ? "" : "s", a->file);
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
	    "goes look for another one. Captures that came from an imported index go by the name of the archive file that the index places them in. "
	    "A record whose segments lie in several files keeps the text that they made together; 'winnow ingest COLL --reprocess --parse-all' makes it again from "
	    "those that are left.",
};
