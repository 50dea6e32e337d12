/* cmd/show.c -- winnow show: a capture's bytes, as archived or decoded. */
#include "archive/payload.h"
#include "base/limits.h"
#include "base/os.h"
#include "cmd/table.h"
#include "flow/replay.h"

struct args {
	bool headers, payload, record, raw;
};

static const struct opt opts[] = {
	{ "headers", 0, OPT_FLAG, NULL, "the HTTP head (of a resource: the record's fields)",
	  offsetof(struct args, headers) },
	{ "payload", 0, OPT_FLAG, NULL, "the payload (default)", offsetof(struct args, payload) },
	{ "record", 0, OPT_FLAG, NULL, "the record as it stands in the archive, uncompressed",
	  offsetof(struct args, record) },
	{ "raw", 0, OPT_FLAG, NULL, "the payload as archived: transfer and content codings left on",
	  offsetof(struct args, raw) },
	{ 0 },
};

static int print_fields(const struct record *rec)
{
	struct buf out = BUF(4 * MIB);

	buf_printf(&out, rec->format == RECORD_ARC ? "ARC/%u.%u\r\n" : "WARC/%u.%u\r\n", rec->version_major,
		   rec->version_minor);
	for (unsigned i = 0; i < rec->nfields; i++)
		buf_printf(&out, "%.*s: %.*s\r\n", STR_FMT(rec->fields[i].name), STR_FMT(rec->fields[i].value));
	buf_str(&out, STR("\r\n"));
	cmd_out(&out);
	buf_release(&out);
	return WN_OK;
}

static int print_head(const struct http_head *h)
{
	struct buf out = BUF(4 * MIB);

	buf_printf(&out, "HTTP/%u.%u %d%s%.*s\r\n", h->major, h->minor, h->status, h->reason.n ? " " : "",
		   STR_FMT(h->reason));
	for (unsigned i = 0; i < h->nfields; i++)
		buf_printf(&out, "%.*s: %.*s\r\n", STR_FMT(h->fields[i].name), STR_FMT(h->fields[i].value));
	buf_str(&out, STR("\r\n"));
	cmd_out(&out);
	buf_release(&out);
	return WN_OK;
}

static int print(struct replay *p, const struct args *a, struct err *err)
{
	struct str piece;
	int rc;

	if (a->record) {
		print_fields(&p->record);
		while ((rc = reader_block(p->reader, &piece, err)) == WN_OK)
			cmd_print(piece);
		return rc < 0 ? rc : WN_OK;
	}
	if ((rc = payload_begin(&p->payload, p->reader, &p->record, a->raw ? PAYLOAD_RAW : PAYLOAD_DECODED, 0, err)) <
	    0)
		return rc;
	if (a->headers)
		return p->payload.has_http ? print_head(&p->payload.http) : print_fields(&p->record);
	while ((rc = payload_read(&p->payload, &piece, err)) == WN_OK)
		cmd_print(piece);
	return rc < 0 ? rc : WN_OK;
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct replay p = { 0 };
	struct capture c;
	int rc;

	if (run->common.json)
		return cmd_usage(
		    run, "the bytes of a capture have no form in JSON; 'winnow ls --format jsonl' has its facts");
	if (a->headers + a->payload + a->record > 1)
		return cmd_usage(run, "--headers, --payload and --record exclude each other");
	if ((rc = collection_find(coll, &run->arena, run->rest.p[1], &c, &run->err)) == WN_OK &&
	    (rc = replay_open(&p, coll, &c, !(a->headers || a->record), &run->err)) == WN_OK)
		rc = print(&p, a, &run->err);
	replay_close(&p);
	return rc;
}

static const struct cmd_example examples[] = {
	{ "winnow show sample http://gazette.example/ --headers", "the HTTP head of the newest capture" },
	{ "winnow show sample http://gazette.example/@2010 --payload", "the page as it was in 2010" },
	{ "winnow show sample 1 --record", "the whole record" },
	{ 0 },
};

const struct cmd cmd_show = {
	.name = "show",
	.args = "COLL DOC",
	.summary = "print a capture's payload, head or record",
	.group = GROUP_LOOK,
	.coll_first = true,
	.min_args = 2,
	.max_args = 2,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "Writes the bytes of one capture to standard output, read from the archive file it came from. DOC is an id, a URL (its newest capture) or "
	    "URL@STAMP (the closest capture to that time, e.g. http://example.org/@2011). A revisit shows the payload of its original.",
};
