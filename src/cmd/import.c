/* cmd/import.c -- winnow import: attributes from CSV, captures from CDX. */
#include <inttypes.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/os.h"
#include "cmd/table.h"
#include "flow/import.h"

struct args {
	const char *attributes;
	struct opt_list cdx;
};

static const struct opt opts[] = {
	{ "attributes", 0, OPT_TEXT, "FILE.csv", "columns become attributes; the key column is url, urlkey, host or id",
	  offsetof(struct args, attributes) },
	{ "cdx", 0, OPT_LIST, "FILE", "captures of a CDXJ or CDX index, without documents; may be given several times",
	  offsetof(struct args, cdx) },
	{ 0 },
};

/* Before anything is made: all files are there, and those of --cdx can be taken. */
static int look(const struct args *a, const char *coll, struct err *err)
{
	int rc = a->attributes ? os_named_file(a->attributes, err) : WN_OK;

	for (size_t i = 0; i < a->cdx.n && rc == WN_OK; i++)
		rc = import_cdx_look(a->cdx.p[i], coll, err);
	return rc;
}

static int run(struct cmd_run *run)
{
	struct args *a = run->args;
	struct catalog_settings fresh = collection_defaults();
	struct collection coll = { 0 };
	struct import_report r;
	struct buf out = BUF(64 * KIB);
	int rc;

	for (size_t i = 1; i < run->rest.n; i++) /* --cdx A B C */
		vec_push(&a->cdx, run->rest.p[i]);
	if (!a->attributes == !a->cdx.n)
		rc = err_set(&run->err, WN_USAGE, "needs either --attributes FILE.csv or --cdx FILE...");
	else if ((rc = look(a, run->rest.p[0], &run->err)) == WN_OK)
		rc = collection_open(&coll, run->rest.p[0], a->cdx.n ? CATALOG_CREATE : CATALOG_WRITE, &fresh,
				     &run->err);
	if (rc == WN_OK && a->attributes)
		rc = import_attributes(&coll, a->attributes, &r, &run->err);
	else if (rc == WN_OK)
		rc = import_cdx(&coll, (const char *const *)a->cdx.p, a->cdx.n, run->common.memory, &r, &run->err);
	collection_close(&coll);
	vec_release(&a->cdx);
	if (rc < 0)
		return cmd_fail(run, rc);
	if (run->common.json)
		buf_printf(&out,
			   "{\"rows\": %" PRIu64 ", \"attributes\": %" PRIu64 ", \"unmatched\": %" PRIu64
			   ", \"skipped\": %" PRIu64 ", \"known\": %" PRIu64 "}\n",
			   r.rows, r.attributes, r.unmatched, r.skipped, r.known);
	else if (a->attributes)
		buf_printf(&out, "%" PRIu64 " rows of %" PRIu64 " attributes\n", r.rows, r.attributes);
	else if (r.known)
		buf_printf(&out, "%" PRIu64 " captures; %" PRIu64 " were there already\n", r.rows, r.known);
	else
		buf_printf(&out, "%" PRIu64 " captures\n", r.rows);
	cmd_out(&out);
	buf_release(&out);
	if (r.unmatched)
		warning("%" PRIu64 " of these keys %s in the collection: no capture has %s", r.unmatched,
			r.unmatched == 1 ? "is not" : "are not", r.unmatched == 1 ? "it" : "them");
	if (r.skipped)
		warning("%" PRIu64 " lines were passed over; the first: %s", r.skipped, r.first_skipped);
	return r.skipped ? EXIT_FINDINGS : EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow import sample --attributes sections.csv",
	  "a column 'section' by url becomes an attribute for rules, ls and sql" },
	{ 0 },
};

const struct cmd cmd_import = {
	.name = "import",
	.args = "COLL",
	.summary = "add attributes from CSV, or captures from CDX",
	.group = GROUP_GATHER,
	.coll_first = true,
	.continues = true,
	.min_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.run = run,
	.examples = examples,
	.prose =
	    "--attributes: the first line of the CSV file names its columns; url, urlkey, host or id is the key, every other column becomes an attribute (number, "
	    "time or text, by its values) that rules, ls, sql and export know by its name. Importing a column again replaces it.\n\n"
	    "--cdx: the lines of an index become captures without documents: the CDX server, Memento and, where the archive file is found, replay serve them; rules "
	    "and search do not see them. A line that was imported before is passed over. rm --file takes the captures of an archive file out again.",
};
