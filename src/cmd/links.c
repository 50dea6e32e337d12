/* cmd/links.c -- winnow links: where a page points to. */
#include "cmd/listing.h"
#include "cmd/table.h"
#include "flow/collection.h"
#include "text/extract.h"

static int row(void *context, const struct catalog_link *l)
{
	struct listing *list = context;

	listing_text(list, str(link_kind_name((enum link_kind)l->kind)));
	listing_text(list, l->url);
	listing_text(list, l->anchor);
	listing_text(list, l->nofollow ? STR("nofollow") : STR(""));
	listing_row(list);
	return WN_OK;
}

static int run(struct cmd_run *run, struct collection *coll)
{
	static const char *const names[] = { "kind", "url", "anchor", "nofollow" };
	struct listing list;
	struct capture c;
	int rc;

	if ((rc = collection_find(coll, &run->arena, run->rest.p[1], &c, &run->err)) < 0)
		return rc;
	listing_open(&list, run, names, COUNT(names));
	if (c.page)
		rc = catalog_links(coll->catalog, c.page, row, &list, &run->err);
	listing_close(&list);
	return rc;
}

static const struct cmd_example examples[] = {
	{ "winnow links sample http://gazette.example/", "its links in the order of the page" }, { 0 }
};

const struct cmd cmd_links = {
	.name = "links",
	.args = "COLL DOC",
	.summary = "list the links of a capture",
	.group = GROUP_LOOK,
	.coll_first = true,
	.listing = true,
	.min_args = 2,
	.max_args = 2,
	.read = run,
	.examples = examples,
	.prose =
	    "Lists where the page points to, in the order of the page, resolved against its base: kind (a, img, script, ...), URL, anchor text, nofollow.",
};
