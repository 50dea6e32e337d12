/* cmd/text.c -- winnow text: what a reader of the page would have read. */
#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "cmd/table.h"
#include "flow/collection.h"

struct args {
	bool main;
};

static const struct opt opts[] = {
	{ "main", 0, OPT_FLAG, NULL, "only the main content: no navigation, header, footer",
	  offsetof(struct args, main) },
	{ 0 },
};

static void print_json(const struct capture *c, const struct texts *t)
{
	struct buf out = BUF(2 * GIB);
	struct json j = { .out = &out, .spaced = true };
	char time[21];

	json_open(&j, '{');
	json_put_u64(&j, "id", c->id);
	json_put_text(&j, "url", c->url);
	json_put_text(&j, "time", stamp_rfc3339(c->time, time));
	json_put_text(&j, "title", t->title);
	json_put_text(&j, "lang", c->lang);
	json_put_text(&j, "body", t->body);
	json_put_text(&j, "main", t->main);
	json_close(&j, '}');
	buf_byte(&out, '\n');
	cmd_out(&out);
	buf_release(&out);
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct texts t;
	struct capture c;
	int rc;

	if ((rc = collection_find(coll, &run->arena, run->rest.p[1], &c, &run->err)) < 0)
		return rc;
	if (!c.content)
		return err_set(&run->err, WN_NONE, "%.*s has no text; 'winnow stats' counts why captures have none",
			       STR_FMT(c.url));
	if ((rc = collection_text(coll, c.content, &t, &run->err)) < 0)
		return rc;
	if (run->common.json) {
		print_json(&c, &t);
		return EXIT_DONE;
	}
	cmd_print(a->main ? t.main : t.body);
	cmd_print(STR("\n"));
	return EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow text sample http://gazette.example/", "the text of the newest capture" },
	{ "winnow text sample http://gazette.example/ --main", "without navigation and the like" },
	{ 0 },
};

const struct cmd cmd_text = {
	.name = "text",
	.args = "COLL DOC",
	.summary = "print the text of a capture",
	.group = GROUP_LOOK,
	.coll_first = true,
	.min_args = 2,
	.max_args = 2,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "Prints the document's text as it was extracted at ingest: the title, then what a reader of the page saw, a line per block. With --json both texts, title and language are members of one object.",
};
