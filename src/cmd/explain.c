/* cmd/explain.c -- winnow explain: the plan of a rule in words. */
#include <stddef.h>

#include "base/json.h"
#include "base/limits.h"
#include "cmd/table.h"
#include "flow/selection.h"
#include "rule/explain.h"

struct args {
	const char *coll, *where;
};

static const struct opt opts[] = {
	{ "coll", 0, OPT_TEXT, "COLL", "take counts from this collection", offsetof(struct args, coll) },
	{ "where", 0, OPT_TEXT, "EXPR", "only documents of which this is true", offsetof(struct args, where) },
	{ 0 },
};

/* What was found, for both forms of the report. */
struct explained {
	struct rule *rule;
	struct str text;
	bool counted; /* with a collection */
	size_t documents;
	double pairs; /* quadratic */
	size_t alternatives;
};

static void print(struct cmd_run *run, const struct explained *x)
{
	struct buf out = BUF(4 * MIB);

	if (run->common.json) {
		struct json j = { .out = &out, .spaced = true };

		json_open(&j, '{');
		json_put_str(&j, "rule", x->rule->canonical);
		json_put_z(&j, "rule_sha256", x->rule->sha256);
		if (x->counted) {
			json_put_u64(&j, "documents", x->documents);
			json_put_u64(&j, "alternatives", x->alternatives);
			json_put_u64(&j, "quadratic_pairs", (uint64_t)x->pairs);
		}
		json_put_str(&j, "plan", x->text);
		json_close(&j, '}');
		buf_byte(&out, '\n');
	} else {
		buf_str(&out, x->text);
	}
	cmd_out(&out);
	buf_release(&out);
}

/* RULE is a rule or the name of a preset: a single word that is no rule by itself. */
static int read_rule(struct cmd_run *run, const struct rule_env *env, struct rule **out)
{
	struct str given = str(run->rest.p[0]);
	const struct preset *preset;
	struct err as_preset = { 0 };
	int rc;

	if (preset_find(given, &preset, &as_preset) == WN_OK)
		return rule_parse(&run->arena, str(preset->rule), env, out, &run->err);
	rc = rule_parse(&run->arena, given, env, out, &run->err);
	if (rc < 0 && given.n && strspn(given.p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_") == given.n)
		run->err = as_preset;
	return rc;
}

static int explain_on(struct cmd_run *run, struct collection *coll, struct explained *x)
{
	struct args *a = run->args;
	struct selection_request q = { 0 };
	struct selection s = { 0 };
	struct rule_env env;
	struct rule *where = NULL;
	struct bound *bound = NULL;
	struct plan *plan = NULL;
	int rc;

	if ((rc = selection_env(coll, &run->arena, RULE_SELECTION, &env, &run->err)) < 0)
		return rc;
	if (a->where && (rc = rule_parse(&run->arena, str(a->where), &env, &where, &run->err)) < 0)
		return rc;
	env.kind = RULE_PAIR;
	if ((rc = read_rule(run, &env, &x->rule)) < 0)
		return rc;
	q.where = where;
	memcpy(q.needs, x->rule->needs, sizeof q.needs);
	if ((rc = selection_load(&s, coll, &q, &run->err)) < 0 ||
	    (rc = rule_bind(&bound, x->rule, &s.columns, NULL, &run->err)) < 0 ||
	    (rc = plan_make(&plan, bound, &run->err)) < 0)
		goto out;
	x->counted = true;
	x->documents = s.n;
	x->alternatives = plan->n;
	x->pairs = plan_quadratic(plan);
	x->text = rule_explain(&run->arena, x->rule, &s.columns, plan, &run->err);
	rc = x->text.p ? WN_OK : run->err.code;
out:
	plan_free(plan);
	bound_free(bound);
	selection_release(&s);
	return rc;
}

static int explain_alone(struct cmd_run *run, struct explained *x)
{
	struct rule_env env = { .kind = RULE_PAIR, .uncomputed = SELECTION_UNCOMPUTED };
	int rc;

	if ((rc = read_rule(run, &env, &x->rule)) < 0)
		return rc;
	x->text = rule_explain(&run->arena, x->rule, NULL, NULL, &run->err);
	return x->text.p ? WN_OK : run->err.code;
}

static int run(struct cmd_run *run)
{
	struct args *a = run->args;
	struct collection coll = { 0 };
	struct explained x = { 0 };
	int rc;

	if (!a->coll && a->where)
		return cmd_usage(run, "--where needs --coll COLL");
	if (!a->coll) {
		rc = explain_alone(run, &x);
	} else {
		if ((rc = collection_open(&coll, a->coll, CATALOG_READ, NULL, &run->err)) < 0)
			return cmd_fail(run, rc);
		if ((rc = catalog_begin(coll.catalog, &run->err)) == WN_OK)
			rc = explain_on(run, &coll, &x);
		catalog_end(coll.catalog);
		collection_close(&coll);
	}
	if (rc < 0)
		return cmd_fail(run, rc);
	print(run, &x);
	return EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow explain \"containment(a,b) >= 0.7 and a.time <= b.time and a.host = b.host\"",
	  "how this rule is understood" },
	{ "winnow explain journalist --coll sample", "a preset, with the numbers of a collection" },
	{ 0 },
};

const struct cmd cmd_explain = {
	.name = "explain",
	.args = "RULE",
	.summary = "show the plan of a rule in words, with warnings",
	.group = GROUP_DECIDE,
	.min_args = 1,
	.max_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.run = run,
	.examples = examples,
	.prose = "Reads a rule (or the name of a preset), checks it, and says how its pairs would be found: blocks, "
		 "orders, content, what is only tested, and whether "
		 "some part of it is quadratic. Nothing is changed and no pair is made.\n\n"
		 "With --coll the collection's settings and imported attributes are known, and the number of blocks "
		 "and pairs and the missing values are counted. The "
		 "language is described by 'winnow help rules'.",
};
