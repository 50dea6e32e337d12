/* cmd/search.c -- winnow search: full text, ranked, with snippets. */
#include <inttypes.h>
#include <unistd.h>

#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "cmd/listing.h"
#include "cmd/table.h"
#include "flow/covers.h"
#include "flow/find.h"

struct args {
	const char *where, *cover;
	uint64_t limit;
};

static const struct opt opts[] = {
	{ "where", 'w', OPT_TEXT, "EXPR", "only documents for which EXPR is true", offsetof(struct args, where) },
	{ "cover", 0, OPT_TEXT, "ID", "only what this cover keeps", offsetof(struct args, cover) },
	{ "limit", 'n', OPT_COUNT, "N", "at most N hits (default 20)", offsetof(struct args, limit) },
	{ 0 },
};

/* The snippet on one line, what was found between open and close. */
static void snippet(struct buf *out, const struct ftsnippet *s, struct str open, struct str close)
{
	size_t at = 0;

	if (s->cut_before)
		buf_str(out, STR("... "));
	for (size_t i = 0; i <= s->n_marks; i++) {
		size_t end = i < s->n_marks ? s->marks[i].at : s->text.n;

		for (; at < end; at++)
			buf_byte(out, (unsigned char)s->text.p[at] < 0x20 ? ' ' : s->text.p[at]);
		if (i == s->n_marks)
			break;
		buf_str(out, open);
		for (end = at + s->marks[i].n; at < end; at++)
			buf_byte(out, (unsigned char)s->text.p[at] < 0x20 ? ' ' : s->text.p[at]);
		buf_str(out, close);
	}
	if (s->cut_after)
		buf_str(out, STR(" ..."));
}

static void for_people(const struct find_result *r)
{
	struct buf out = BUF(64 * MIB);
	bool colour = isatty(1);

	for (size_t i = 0; i < r->n; i++) {
		const struct find_hit *h = &r->hits[i];
		char time[21];

		buf_printf(&out, "%" PRIu64 "  %s  %.*s", h->capture.id, stamp_rfc3339(h->capture.time, time).p,
			   STR_FMT(h->capture.url));
		if (h->captures > 1)
			buf_printf(&out, "  (+%" PRIu64 " captures of the same text)", h->captures - 1);
		if (h->capture.title.n)
			buf_printf(&out, "\n    %.*s", STR_FMT(h->capture.title));
		buf_str(&out, STR("\n    "));
		snippet(&out, &h->snippet, colour ? STR("\033[1m") : STR("["), colour ? STR("\033[0m") : STR("]"));
		buf_str(&out, STR("\n\n"));
	}
	buf_printf(&out, "%" PRIu64 " texts match\n", r->matches);
	cmd_out(&out);
	buf_release(&out);
}

static void as_rows(struct cmd_run *run, const struct find_result *r)
{
	static const char *const names[] = { "id", "score", "time", "url", "title", "captures", "snippet" };
	struct listing l;

	listing_open(&l, run, names, COUNT(names));
	for (size_t i = 0; i < r->n; i++) {
		const struct find_hit *h = &r->hits[i];
		struct buf text = BUF(1 * MIB);
		char time[21];

		listing_u64(&l, h->capture.id);
		listing_double(&l, h->score, 4);
		listing_text(&l, stamp_rfc3339(h->capture.time, time));
		listing_text(&l, h->capture.url);
		listing_text(&l, h->capture.title);
		listing_u64(&l, h->captures);
		snippet(&text, &h->snippet, STR("["), STR("]"));
		listing_text(&l, buf_view(&text));
		listing_row(&l);
		buf_release(&text);
	}
	listing_close(&l);
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct find_request q = { .where = a->where, .limit = a->limit ? a->limit : 20, .snippet = 200 };
	struct find_result result = { 0 };
	struct buf words = BUF(64 * KIB);
	struct cover_row row;
	bool too_long;
	int rc;

	if (q.limit > 100000)
		return cmd_usage(run, "--limit takes at most 100000");
	for (size_t i = 1; i < run->rest.n; i++) {
		bool phrase = strchr(run->rest.p[i], ' ') && !strchr(run->rest.p[i], '"') &&
			      run->rest.n > 2; /* the shell took the quotes away */

		buf_printf(&words, phrase ? "%s\"%s\"" : "%s%s", i > 1 ? " " : "", run->rest.p[i]);
	}
	q.words = arena_str(&run->arena, buf_view(&words));
	too_long = words.full;
	buf_release(&words);
	if (too_long)
		return cmd_usage(run, "the query is longer than 64 KB");
	if (a->cover) {
		if ((rc = cmd_read_cover(run, coll, a->cover, &row)) < 0)
			return rc;
		q.cover = row.id;
	}
	if ((rc = find_run(coll, &run->arena, &q, &result, &run->err)) < 0)
		return rc;
	run->common.format || run->common.fields || run->common.json || !isatty(1) ? as_rows(run, &result)
										   : for_people(&result);
	return result.n ? EXIT_DONE : EXIT_FINDINGS;
}

static const struct cmd_example examples[] = {
	{ "winnow search sample council budget", "texts with both words, best first" },
	{ "winnow search sample '\"keeps the library\" -circus' --where \"time >= 2010\"",
	  "a phrase, without a word, by time" },
	{ 0 },
};

const struct cmd cmd_search = {
	.name = "search",
	.args = "COLL WORDS...",
	.summary = "search the full text",
	.group = GROUP_LOOK,
	.coll_first = true,
	.listing = true,
	.min_args = 2,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "Finds documents by their words, ranked by BM25, with snippets. Equal texts with one title are one hit. Words are told apart by their first 256 bytes. The query: words (all must be there), \"phrases\", pre* (words "
	    "that begin so), -word (must not be there), title:word, or, parentheses. Ends with 1 when nothing matches.",
};
