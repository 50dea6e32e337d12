/* cmd/diff.c -- winnow diff: how the texts of two captures differ. */
#include <inttypes.h>
#include <unistd.h>

#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "cmd/table.h"
#include "flow/collection.h"
#include "sketch/diff.h"

struct args {
	const char *unit;
	bool html, main;
};

static const struct opt opts[] = {
	{ "unit", 0, OPT_CHOICE, "word|line", "compare by words (default) or lines", offsetof(struct args, unit) },
	{ "html", 0, OPT_FLAG, NULL, "a page of its own, with <ins> and <del>", offsetof(struct args, html) },
	{ "main", 0, OPT_FLAG, NULL, "compare the main texts", offsetof(struct args, main) },
	{ 0 },
};

static void html_text(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '&': buf_str(out, STR("&amp;")); break;
		case '<': buf_str(out, STR("&lt;")); break;
		case '>': buf_str(out, STR("&gt;")); break;
		case '"': buf_str(out, STR("&quot;")); break;
		default: buf_byte(out, s.p[i]);
		}
	}
}

static void as_html(struct buf *out, const struct diff *d, const struct capture c[2])
{
	static const char *const tags[] = { NULL, "del", "ins" };

	buf_str(
	    out,
	    STR("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Difference</title>\n"
		"<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:50rem;margin:1rem auto;padding:0 1rem;white-space:pre-wrap;color-scheme:light dark}"
		"ins{background:#1a7f3733}del{background:#cf222e33}</style>\n<p>"));
	for (int i = 0; i < 2; i++) {
		char time[21];

		html_text(out, c[i].url);
		buf_printf(out, " at %s%s", stamp_rfc3339(c[i].time, time).p, i ? "</p>\n<main>" : " and ");
	}
	for (size_t i = 0; i < d->n; i++) {
		const char *tag = tags[d->pieces[i].op];

		if (tag)
			buf_printf(out, "<%s>", tag);
		html_text(out, d->pieces[i].text);
		if (tag)
			buf_printf(out, "</%s>", tag);
	}
	buf_str(out, STR("</main></html>\n"));
}

/* A stretch that is the same is shown by its ends. */
static void same(struct buf *out, struct str s, bool first, bool last)
{
	const size_t ends = 120;

	if (s.n <= 3 * ends) {
		buf_str(out, s);
		return;
	}
	if (!first)
		buf_str(out, str_sub(s, 0, ends));
	buf_printf(out, "\n[... %zu bytes the same ...]\n", s.n - (first ? 0 : ends) - (last ? 0 : ends));
	if (!last)
		buf_str(out, str_sub(s, s.n - ends, s.n));
}

static void as_text(struct buf *out, const struct diff *d, bool colour)
{
	for (size_t i = 0; i < d->n; i++) {
		struct str s = d->pieces[i].text, body = s;

		while (body.n && ascii_space(body.p[body.n - 1]))
			body.n--;
		if (d->pieces[i].op == DIFF_SAME) {
			same(out, s, i == 0, i + 1 == d->n);
			continue;
		}
		if (colour)
			buf_str(out, d->pieces[i].op == DIFF_ONLY_A ? STR("\033[31;9m") : STR("\033[32m"));
		else
			buf_str(out, d->pieces[i].op == DIFF_ONLY_A ? STR("[-") : STR("{+"));
		buf_str(out, body);
		buf_str(out, colour ? STR("\033[0m") : d->pieces[i].op == DIFF_ONLY_A ? STR("-]") : STR("+}"));
		buf_str(out, str_sub(s, body.n, s.n));
	}
	buf_byte(out, '\n');
}

static void as_json(struct buf *out, const struct diff *d, const struct capture c[2])
{
	struct json j = { .out = out, .spaced = true };
	static const char *const names[] = { "same", "only_a", "only_b" };

	json_open(&j, '{');
	json_put_u64(&j, "a", c[0].id);
	json_put_u64(&j, "b", c[1].id);
	json_put_u64(&j, "same", d->same);
	json_put_u64(&j, "only_a", d->only_a);
	json_put_u64(&j, "only_b", d->only_b);
	json_put_open(&j, "pieces", '[');
	for (size_t i = 0; i < d->n; i++) {
		json_open(&j, '{');
		json_put_z(&j, "op", names[d->pieces[i].op]);
		json_put_str(&j, "text", d->pieces[i].text);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	buf_byte(out, '\n');
}

static int texts_of(struct cmd_run *run, struct collection *coll, struct capture c[2], struct str text[2])
{
	struct args *a = run->args;
	int rc;

	for (int i = 0; i < 2; i++) {
		struct texts t;

		if ((rc = collection_find(coll, &run->arena, run->rest.p[1 + i], &c[i], &run->err)) < 0)
			return rc;
		if (!c[i].content)
			return err_set(&run->err, WN_NONE, "%.*s has no text", STR_FMT(c[i].url));
		if ((rc = collection_text(coll, c[i].content, &t, &run->err)) < 0)
			return rc;
		text[i] = arena_str(&run->arena, a->main ? t.main : t.body);
	}
	return WN_OK;
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct capture c[2];
	struct str text[2];
	struct buf out = BUF(512 * MIB);
	struct diff d;
	int rc;

	if ((rc = texts_of(run, coll, c, text)) < 0)
		return rc;
	d = diff_texts(&run->arena, text[0], text[1], a->unit && a->unit[0] == 'l' ? DIFF_LINE : DIFF_WORD);
	if (run->common.json)
		as_json(&out, &d, c);
	else if (a->html)
		as_html(&out, &d, c);
	else
		as_text(&out, &d, isatty(1));
	cmd_out(&out);
	buf_release(&out);
	return EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow diff sample 1 2", "what changed between two captures" },
	{ "winnow diff sample 1 2 --html", "the same as a page" },
	{ 0 },
};

const struct cmd cmd_diff = {
	.name = "diff",
	.args = "COLL DOC DOC",
	.summary = "show how the texts of two captures differ",
	.group = GROUP_DECIDE,
	.coll_first = true,
	.min_args = 3,
	.max_args = 3,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "Compares two texts word by word (or line by line). What only the first has is shown as [-...-], what only the second has as {+...+}, in colour on a "
	    "terminal. Long stretches that are the same are shown by their ends.",
};
