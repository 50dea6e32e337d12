/* cmd/stats.c -- winnow stats: what a collection holds, in numbers. */
#include <inttypes.h>
#include <stdlib.h>

#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "cmd/table.h"
#include "flow/collection.h"
#include "text/document.h"

struct counting {
	struct json *j;
	struct buf *out;
	unsigned shown;
	bool why;
};

static struct str name_of(const struct counting *c, struct str value)
{
	uint64_t why;

	if (!c->why || !str_u64(value, &why))
		return value;
	return why ? str(document_why_name((enum document_why)why)) : STR("no-original"); /* a revisit */
}

static int count_json(void *context, struct str value, uint64_t n)
{
	struct counting *c = context;

	json_key_str(c->j, name_of(c, value));
	json_u64(c->j, n);
	return WN_OK;
}

static int count_text(void *context, struct str value, uint64_t n)
{
	struct counting *c = context;

	if (c->shown++ < 8)
		buf_printf(c->out, "%s%.*s %" PRIu64, c->shown > 1 ? ", " : "", STR_FMT(name_of(c, value)), n);
	else if (c->shown == 9)
		buf_str(c->out, STR(", ..."));
	return WN_OK;
}

static const char *const kinds[] = { "mime", "status", "lang", "charset", "flaws", "why" };
static const char *const labels[] = { "types", "status", "languages", "charsets", "flaws", "no text" };

static void stats_json(const struct catalog_stats *s, struct buf *out, struct catalog *c, struct err *err)
{
	struct json j = { .out = out, .spaced = true };
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "captures", s->captures },	 { "documents", s->documents },
		{ "contents", s->contents },	 { "urls", s->urls },
		{ "hosts", s->hosts },		 { "bytes_payload", s->bytes_payload },
		{ "bytes_text", s->bytes_text }, { "words", s->words },
		{ "shingles", s->shingles },	 { "files", s->files },
		{ "revisits", s->revisits },	 { "revisits_unresolved", s->revisits_unresolved },
		{ "revision", s->revision },
	};
	const int64_t times[] = { s->first, s->last };
	char text[21];

	json_open(&j, '{');
	for (size_t i = 0; i < COUNT(numbers); i++)
		json_put_u64(&j, numbers[i].key, numbers[i].value);
	for (size_t i = 0; i < COUNT(times); i++) {
		json_key(&j, i ? "last" : "first");
		if (times[i] == CAPTURE_NO_TIME)
			json_null(&j);
		else
			json_str(&j, stamp_rfc3339(times[i], text));
	}
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct counting count = { .j = &j, .why = strcmp(kinds[i], "why") == 0 };

		json_put_open(&j, count.why ? "no_text" : kinds[i], '{');
		catalog_counts(c, kinds[i], count_json, &count, err);
		json_close(&j, '}');
	}
	json_close(&j, '}');
	buf_byte(out, '\n');
}

static void stats_text(const struct catalog_stats *s, struct buf *out, struct catalog *c, struct err *err)
{
	char first[21] = "-", last[21] = "-", payload[STR_SIZE], text[STR_SIZE];

	if (s->first != CAPTURE_NO_TIME) {
		stamp_rfc3339(s->first, first);
		stamp_rfc3339(s->last, last);
	}
	buf_printf(out, "captures   %" PRIu64 " of %" PRIu64 " URL%s on %" PRIu64 " host%s, in %" PRIu64 " file%s\n",
		   s->captures, s->urls, s->urls == 1 ? "" : "s", s->hosts, s->hosts == 1 ? "" : "s", s->files,
		   s->files == 1 ? "" : "s");
	buf_printf(out, "time       %.10s to %.10s\n", first, last);
	buf_printf(out, "documents  %" PRIu64 " with %" PRIu64 " different texts\n", s->documents, s->contents);
	buf_printf(out, "size       %.*s of payload, %.*s of different text, %" PRIu64 " words, %" PRIu64 " shingles\n",
		   STR_FMT(str_size(s->bytes_payload, payload)), STR_FMT(str_size(s->bytes_text, text)), s->words,
		   s->shingles);
	if (s->revisits)
		buf_printf(out, "revisits   %" PRIu64 ", %" PRIu64 " without their original\n", s->revisits,
			   s->revisits_unresolved);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct counting count = { .out = out, .why = strcmp(kinds[i], "why") == 0 };

		buf_printf(out, "%-10s ", labels[i]);
		catalog_counts(c, kinds[i], count_text, &count, err);
		buf_str(out, count.shown ? STR("\n") : STR("none\n"));
	}
	buf_printf(out, "revision   %" PRIu64 "\n", s->revision);
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct catalog_stats s;
	struct buf out = BUF(4 * MIB);
	int rc;

	if ((rc = catalog_stats(coll->catalog, &s, &run->err)) < 0)
		return rc;
	run->common.json ? stats_json(&s, &out, coll->catalog, &run->err)
			 : stats_text(&s, &out, coll->catalog, &run->err);
	if (run->err.code == WN_OK)
		cmd_out(&out);
	buf_release(&out);
	return run->err.code;
}

static const struct cmd_example examples[] = {
	{ "winnow stats sample", "what is in the collection" },
	{ "winnow stats sample --json", "the same for a program" },
	{ 0 },
};

const struct cmd cmd_stats = {
	.name = "stats",
	.args = "COLL",
	.summary = "count what a collection holds",
	.group = GROUP_LOOK,
	.coll_first = true,
	.min_args = 1,
	.max_args = 1,
	.read = run,
	.examples = examples,
	.prose =
	    "Counts captures, documents, different texts, URLs, hosts, words and shingles, and how they divide by type, status, language, charset and flaw. "
	    "Captures without text are counted by the reason.",
};
