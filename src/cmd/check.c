/* cmd/check.c -- winnow check: an independent check of a cover. */
#include <inttypes.h>

#include "base/json.h"
#include "base/limits.h"
#include "cmd/table.h"
#include "flow/proof.h"

struct args {
	const char *cover;
};

static const struct opt opts[] = { { "cover", 0, OPT_TEXT, "ID", "which cover", offsetof(struct args, cover) }, { 0 } };

static void offence(struct buf *out, const struct proof_report *p, enum cover_offence o)
{
	if (!p->verdict.count[o])
		return;
	buf_printf(out, "  %s: %" PRIu64 "; ", cover_offence_name(o), p->verdict.count[o]);
	if (p->example[o])
		buf_printf(out, "document %" PRIu64 ": ", p->example[o]);
	buf_printf(out, "%s\n", cover_offence_says(o));
}

static void print(struct buf *out, const struct proof_report *p, const struct cover_row *row, bool as_json)
{
	const struct cover_verdict *v = &p->verdict;
	struct json j = { .out = out, .spaced = true };

	if (as_json) {
		json_open(&j, '{');
		json_put_u64(&j, "cover", row->id);
		json_put_bool(&j, "ok", v->ok);
		json_put_u64(&j, "kept", p->kept);
		json_put_u64(&j, "dropped", p->dropped);
		json_put_u64(&j, "certified_bound", p->bound);
		json_put_u64(&j, "stated_bound", p->stated_bound);
		json_put_bool(&j, "proves_minimum", v->proves_minimum);
		json_put_open(&j, "offences", '{');
		for (int o = 0; o < COVER_OFFENCES; o++)
			if (v->count[o])
				json_put_u64(&j, cover_offence_name((enum cover_offence)o), v->count[o]);
		json_close(&j, '}');
		json_put_open(&j, "examples", '{'); /* a capture for each offence that has one */
		for (int o = 0; o < COVER_OFFENCES; o++)
			if (p->example[o])
				json_put_u64(&j, cover_offence_name((enum cover_offence)o), p->example[o]);
		json_close(&j, '}');
		json_put_double(&j, "seconds", p->seconds, 3);
		json_close(&j, '}');
		buf_byte(out, '\n');
		return;
	}
	if (v->ok) {
		buf_printf(out,
			   "cover %" PRIu64 " is right: %" PRIu64 " kept, each of %" PRIu64
			   " dropped has a kept witness that covers it\n",
			   row->id, p->kept, p->dropped);
		if (v->proves_minimum)
			buf_printf(out,
				   "it is a minimum: the certificate proves that no valid cover has fewer than %" PRIu64
				   "\n",
				   p->bound);
		else
			buf_printf(out,
				   "the certificate proves that no valid cover has fewer than %" PRIu64
				   "; search stated %" PRIu64 "\n",
				   p->bound, p->stated_bound);
	} else {
		buf_printf(out, "cover %" PRIu64 " is wrong:\n", row->id);
		for (int o = 0; o < COVER_OFFENCES; o++)
			offence(out, p, (enum cover_offence)o);
		if (p->stale)
			buf_str(
			    out,
			    STR("the collection has changed since this cover was made; 'winnow update' brings it up to date\n"));
	}
	buf_printf(out, "checked in %.1f s from the stored sets and attributes\n", p->seconds);
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct cover_row row;
	struct proof_report report = { 0 };
	struct buf out = BUF(1 * MIB);
	int rc;

	if (!a->cover)
		return cmd_usage(run, "needs --cover ID; 'winnow covers %s' lists them", run->rest.p[0]);
	if ((rc = cmd_find_cover(run, coll, a->cover, &row)) < 0)
		return rc;
	rc = proof_check(coll, &row, (unsigned)run->common.threads, run->common.memory, &report, &run->err);
	if (rc < 0)
		return rc == WN_DATA ? WN_NONE : rc; /* a certificate that is damaged is a check that failed */
	print(&out, &report, &row, run->common.json);
	cmd_out(&out);
	buf_release(&out);
	return report.verdict.ok ? EXIT_DONE : EXIT_FINDINGS;
}

static const struct cmd_example examples[] = {
	{ "winnow check sample --cover 1", "is the cover right, and as small as it says?" }, { 0 }
};

const struct cmd cmd_check = {
	.name = "check",
	.args = "COLL",
	.summary = "check a cover by independent code",
	.group = GROUP_DECIDE,
	.joins = true,
	.coll_first = true,
	.min_args = 1,
	.max_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "Verifies a stored cover straight from the stored sets and attributes, without trusting the code that made it: every document is kept or dropped, "
	    "every dropped one has a kept witness that covers it, pins and quotas hold, and the certificate's numbers prove the lower bound. Ends with 1 when "
	    "anything is wrong, and says what.",
};
