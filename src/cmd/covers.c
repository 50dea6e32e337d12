/* cmd/covers.c -- winnow covers: the covers of a collection; winnow cover rm: forget one. */
#include "archive/stamp.h"
#include "cmd/listing.h"
#include "cmd/table.h"
#include "flow/covers.h"

static int row(void *context, const struct cover_row *r)
{
	struct listing *l = context;
	char time[21];

	listing_u64(l, r->id);
	listing_text(l, r->name);
	listing_text(l, stamp_rfc3339(r->created, time));
	listing_u64(l, r->revision);
	listing_u64(l, r->documents);
	listing_u64(l, r->kept);
	listing_u64(l, r->documents - r->kept);
	listing_u64(l, r->lower_bound);
	listing_text(l, r->rule);
	listing_text(l, r->selection);
	listing_row(l);
	return WN_OK;
}

static int run_list(struct cmd_run *run, struct collection *coll)
{
	static const char *const names[] = { "id",   "name",	"created",     "revision", "documents",
					     "kept", "dropped", "lower_bound", "rule",	   "where" };
	struct listing l;
	int rc;

	listing_open(&l, run, names, COUNT(names));
	rc = covers_each(coll, row, &l, &run->err);
	listing_close(&l);
	return rc;
}

static const struct cmd_example list_examples[] = { { "winnow covers sample", "what was computed, by which rule" },
						    { 0 } };

const struct cmd cmd_covers = {
	.name = "covers",
	.args = "COLL",
	.summary = "list the covers of a collection",
	.group = GROUP_DECIDE,
	.coll_first = true,
	.listing = true,
	.min_args = 1,
	.max_args = 1,
	.read = run_list,
	.examples = list_examples,
	.prose =
	    "Lists what reduce has computed: id, name, when, at which revision of the collection, how many documents, kept and dropped, the lower bound, the rule.",
};

static int run_remove(struct cmd_run *run)
{
	struct collection coll = { 0 };
	struct cover_row r;
	int rc;

	if (strcmp(run->rest.p[0], "rm") != 0)
		return cmd_usage(run, "'winnow cover rm COLL ID' is all there is; 'winnow covers COLL' lists");
	if ((rc = collection_open(&coll, run->rest.p[1], CATALOG_READ, NULL, &run->err)) < 0)
		return cmd_fail(run, rc);
	rc = covers_find(&coll, &run->arena, run->rest.p[2], &r, &run->err);
	collection_close(&coll);
	if (rc == WN_OK)
		rc = covers_remove(run->rest.p[1], r.id, &run->err);
	if (rc == WN_NONE)
		rc = WN_USAGE;
	return rc < 0 ? cmd_fail(run, rc) : EXIT_DONE;
}

static const struct cmd_example remove_examples[] = { { "winnow cover rm sample 2", "forget that cover" }, { 0 } };

const struct cmd cmd_cover = {
	.name = "cover",
	.args = "rm COLL ID",
	.summary = "forget a cover",
	.group = GROUP_DECIDE,
	.min_args = 3,
	.max_args = 3,
	.run = run_remove,
	.examples = remove_examples,
	.prose = "Removes a cover and its certificate from the collection. No document is touched.",
};
