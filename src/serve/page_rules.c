/* serve/page_rules.c -- the rule studio: presets, a builder and the text as two views of one rule.
 *
 * All of the rule's state is in the address, so a rule can be sent to someone.
 * The builder writes text and the text is what counts; a rule that is wrong is
 * shown with a caret under the place.  Computing is a job (serve/jobs.h).
 */
#include <inttypes.h>
#include <math.h>

#include "archive/surt.h"
#include "base/json.h"
#include "base/limits.h"
#include "flow/preview.h"
#include "rule/explain.h"
#include "serve/jobs.h"
#include "serve/page.h"

struct studio {
	struct str rule, where, per, prefer, name, keep_at_least;
	const char *preset;
	struct rule *good; /* NULL: none or wrong */
	struct err wrong, wrong_where;
	struct str plan;
	struct preview_report preview; /* with looked */
	struct err no_preview;
	bool looked;
	const struct surt_profile *profile; /* of urlkeys here */
};

/* ---- what is asked ---- */

static const struct {
	const char *value, *label, *clause;
} sames[] = {
	{ "host", "has the same host", "a.host = b.host" },
	{ "url", "has the same URL", "a.urlkey = b.urlkey" },
	{ "other-host", "is on another host", "a.host != b.host" },
	{ "any", "is anywhere", "" },
};
static const char *const measures[] = { "containment", "jaccard", "dice" };

/* The builder's fields as a rule. */
static struct str built(struct request *q)
{
	struct buf *b = request_buf(q, LIMIT_RULE);
	struct str measure = request_param(q, "measure"), same = request_param(q, "same");
	uint64_t at;

	if (!request_u64(q, "at", 1, 100, 70, &at))
		at = 70;
	for (size_t i = 0; i < COUNT(measures); i++)
		if (str_eq(measure, str(measures[i])))
			buf_printf(b, "%s(a, b) >= %" PRIu64 ".%02" PRIu64, measures[i], at / 100, at % 100);
	if (!b->n)
		buf_str(b, STR("a.content = b.content"));
	if (request_param(q, "order").n)
		buf_str(b, STR(" and a.time <= b.time"));
	for (size_t i = 0; i < COUNT(sames); i++)
		if (sames[i].clause[0] && str_eq(same, str(sames[i].value)))
			buf_printf(b, " and %s", sames[i].clause);
	return buf_view(b);
}

static void check(struct request *q, struct collection *coll, struct studio *s)
{
	struct rule_env env;
	struct rule *where;

	s->profile = surt_profile(catalog_settings(coll->catalog)->profile);
	if (selection_env(coll, &q->arena, RULE_PAIR, &env, &s->wrong) < 0)
		return;
	if (s->rule.n > LIMIT_RULE)
		err_set(&s->wrong, WN_USAGE, "a rule has at most %zu bytes", LIMIT_RULE);
	else if (s->rule.n && rule_parse(&q->arena, s->rule, &env, &s->good, &s->wrong) < 0)
		s->good = NULL;
	if (s->good)
		s->plan = rule_explain(&q->arena, s->good, NULL, NULL, &s->wrong);
	env.kind = RULE_SELECTION;
	if (s->where.n)
		rule_parse(&q->arena, s->where, &env, &where, &s->wrong_where);
}

static void ask(struct request *q, struct studio *s)
{
	const struct preset *p;

	*s = (struct studio){ .rule = str_trim(request_param(q, "rule")),
			      .where = str_trim(request_param(q, "where")),
			      .per = str_trim(request_param(q, "per")),
			      .prefer = request_param(q, "prefer"),
			      .name = str_trim(request_param(q, "name")),
			      .keep_at_least = str_trim(request_param(q, "keep_at_least")) };
	if (request_param(q, "build").n) {
		s->rule = built(q);
	} else if (request_param(q, "preset").n && preset_find(request_param(q, "preset"), &p, NULL) == WN_OK) {
		s->rule = str(p->rule);
		s->preset = p->name;
	}
}

/* ---- the page ---- */

static void preset_list(struct request *q, struct buf *b, const struct studio *s)
{
	html(b, "<h2 id=\"presets\">Start from a preset</h2>\n<ul class=\"links\">");
	for (const struct preset *p = presets; p->name; p++)
		html(b, "<li><a%m href=\"%s/c/%p/rules/new?preset=%p\">%z</a>: %z</li>\n",
		     s->preset == p->name ? " aria-current=\"true\"" : "", page_base(q), str(q->served->name),
		     str(p->name), p->name, p->summary);
	html(b, "</ul>\n");
}

static void builder(struct request *q, struct buf *b)
{
	struct str measure = request_param(q, "measure"), same = request_param(q, "same");
	bool fresh = !request_param(q, "build").n;
	uint64_t at;

	if (!request_u64(q, "at", 1, 100, 70, &at))
		at = 70;
	html(
	    b,
	    "<form class=\"panel\" action=\"%s/c/%p/rules/new\"><h2>Build</h2><p>Hide a document when another one\u2026</p><input type=\"hidden\" name=\"build\" value=\"1\">\n"
	    "<div class=\"row\"><div class=\"field\"><label for=\"measure\">Measure</label><select id=\"measure\" name=\"measure\">",
	    page_base(q), str(q->served->name));
	html(
	    b,
	    "<option value=\"containment\">contains this much of it</option><option value=\"jaccard\"%z>is alike (Jaccard)</option><option value=\"dice\"%z>is alike (Dice)</option>"
	    "<option value=\"exact\"%z>has exactly its text</option></select></div>",
	    str_eq(measure, STR("jaccard")) ? " selected" : "", str_eq(measure, STR("dice")) ? " selected" : "",
	    str_eq(measure, STR("exact")) ? " selected" : "");
	html(
	    b,
	    "<div class=\"field\"><label for=\"at\">At least, percent</label><input id=\"at\" name=\"at\" type=\"number\" min=\"1\" max=\"100\" value=\"%u\"></div></div>\n",
	    at);
	html(
	    b,
	    "<p><label class=\"plain\"><input type=\"checkbox\" name=\"order\" value=\"1\"%z> and is not older</label></p>\n<fieldset><legend>and</legend>",
	    fresh || request_param(q, "order").n ? " checked" : "");
	for (size_t i = 0; i < COUNT(sames); i++)
		html(b, "<label class=\"plain\"><input type=\"radio\" name=\"same\" value=\"%z\"%z> %z</label> ",
		     sames[i].value, (same.n ? str_eq(same, str(sames[i].value)) : i == 0) ? " checked" : "",
		     sames[i].label);
	html(b, "</fieldset>\n<button>Write this rule</button></form>\n");
}

static void prefer_option(struct buf *b, const struct studio *s, const char *value, const char *label)
{
	html(b, "<option value=\"%z\"%z>%z</option>", value, str_eq(s->prefer, str(value)) ? " selected" : "", label);
}

static void text_form(struct request *q, struct buf *b, const struct studio *s)
{
	struct str coll = str(q->served->name);

	html(
	    b,
	    "<form class=\"panel\" action=\"%s/c/%p/rules/new\"><h2>Text</h2>\n<label for=\"rule\">The rule: a is hidden as long as b is kept, when</label>\n"
	    "<textarea id=\"rule\" name=\"rule\" rows=\"4\" spellcheck=\"false\" aria-describedby=\"checked\"%m data-check=\"%s/api/v1/collections/%p/rules/check?rule=\">%s</textarea>\n",
	    page_base(q), coll, s->rule.n && !s->good ? " aria-invalid=\"true\"" : "", page_base(q), coll, s->rule);
	html(
	    b,
	    "<pre id=\"checked\" tabindex=\"0\" role=\"status\" aria-label=\"What was understood\" class=\"fixed note %z\">",
	    s->good	? "good"
	    : s->rule.n ? "bad"
			: "");
	if (s->good)
		html(b, "Understood: %s", s->good->canonical);
	else
		html(b, "%z", s->rule.n ? s->wrong.text : "No rule yet: choose a preset, build one, or write it.");
	html(b, "</pre>\n<details%z><summary>Which documents, and what to keep</summary>\n",
	     s->where.n || s->keep_at_least.n || s->prefer.n ? " open" : "");
	html(
	    b,
	    "<div class=\"field\"><label for=\"where\">Only documents with</label><input id=\"where\" name=\"where\" value=\"%s\" placeholder=\"time &gt;= 2010 and lang = &quot;en&quot;\"></div>\n",
	    s->where);
	if (s->wrong_where.code)
		html(b, "<pre class=\"note bad\" role=\"alert\">%z</pre>\n", s->wrong_where.text);
	html(
	    b,
	    "<div class=\"row\"><div class=\"field\"><label for=\"least\">Keep at least</label><input id=\"least\" name=\"keep_at_least\" type=\"number\" min=\"1\" value=\"%s\"></div>"
	    "<div class=\"field\"><label for=\"per\">per</label><input id=\"per\" name=\"per\" value=\"%s\" placeholder=\"host,year\"></div>\n",
	    s->keep_at_least, s->per);
	html(b, "<div class=\"field\"><label for=\"prefer\">Prefer</label><select id=\"prefer\" name=\"prefer\">");
	prefer_option(b, s, "", "any");
	prefer_option(b, s, "newest", "newest");
	prefer_option(b, s, "oldest", "oldest");
	prefer_option(b, s, "longest", "longest");
	html(
	    b,
	    "</select></div><div class=\"field\"><label for=\"name\">Name of the cover</label><input id=\"name\" name=\"name\" value=\"%s\"></div></div></details>\n",
	    s->name);
	html(b, "<p class=\"row\"><button>Check</button>");
	if (!q->server->options.read_only)
		html(
		    b,
		    "<button class=\"primary\" formmethod=\"post\" formaction=\"%s/c/%p/covers\">Compute the cover</button>",
		    page_base(q), coll);
	html(b, "</p></form>\n");
}

static void understood(struct buf *b, const struct studio *s)
{
	html(b, "<section class=\"panel\" aria-labelledby=\"plan\"><h2 id=\"plan\">How it will be computed</h2>\n");
	if (s->good && s->plan.n)
		html(b, "<pre>%s</pre><p class=\"soft\">The answer is exact: no pair of documents is missed.</p>\n",
		     s->plan);
	else
		html(b, "<p>A rule that is understood is explained here.</p>\n");
	html(b, "</section>\n");
}

static bool url_shown(struct request *q, const struct surt_profile *profile, struct str url, int64_t time)
{
	struct buf *key = request_buf(q, 4 * LIMIT_URL);

	surt_add(profile, url, key);
	return page_allowed(q, buf_view(key), time);
}

static bool example_shown(struct request *q, const struct surt_profile *profile, const struct preview_example *e)
{
	return url_shown(q, profile, e->dropped.url, e->dropped.time) && url_shown(q, profile, e->by.url, e->by.time);
}

static void page_line(struct request *q, struct buf *b, const struct preview_page *p)
{
	html(b, "%d <a href=\"%s/%p/%i/%r\">%b</a>", p->time, page_base(q), str(q->served->slug), p->time, p->url,
	     p->title.n ? p->title : p->url);
}

static void examples(struct request *q, struct buf *b, const struct studio *s)
{
	const struct preview_report *p = &s->preview;
	static const char *const heads[] = { "Typical", "Borderline: closest to the threshold",
					     "Surprising: other title or much longer" };

	for (int why = EXAMPLE_TYPICAL; why <= EXAMPLE_SURPRISING; why++) {
		bool any = false;

		for (size_t i = 0; i < p->n_examples; i++) {
			const struct preview_example *e = &p->examples[i];

			if ((int)e->why != why || !example_shown(q, s->profile, e))
				continue;
			html(b, any ? "<li>" : "<h3>%z</h3><ul class=\"covered\"><li>", heads[why]);
			any = true;
			page_line(q, b, &e->dropped);
			html(b, " hidden by ");
			page_line(q, b, &e->by);
			if (!isnan(e->score))
				html(b, " <span class=\"soft\">%f %%</span>", 100 * e->score);
			html(
			    b,
			    " <a href=\"%s/c/%p/diff/%u..%u\">diff<span class=\"hidden\"> of %u and %u</span></a></li>\n",
			    page_base(q), str(q->served->name), e->dropped.id, e->by.id, e->dropped.id, e->by.id);
		}
		html(b, any ? "</ul>\n" : "");
	}
}

static void interval(struct buf *b, const struct preview_interval *v)
{
	html(b, "%n", (uint64_t)llround(v->estimate));
	if (!v->exact)
		html(b, " <small>%n to %n</small>", (uint64_t)llround(v->low), (uint64_t)llround(v->high));
}

static void curve(struct buf *b, const struct preview_report *p)
{
	if (!p->n_curve || !p->documents)
		return;
	html(
	    b,
	    "<h3>Hidden share by threshold of %z</h3>\n<table><thead><tr><th scope=\"col\">At least</th><th scope=\"col\" class=\"num\">Hidden</th><td></td></tr></thead><tbody>\n",
	    p->measure);
	for (size_t i = 0; i < p->n_curve; i++) {
		double share = 100 * (1 - p->curve[i].kept.estimate / (double)p->documents);

		html(b, "<tr><th scope=\"row\">%u %%</th><td class=\"num\">%f %%</td><td>",
		     (uint64_t)p->curve[i].threshold, share);
		page_bar(b, (uint64_t)(share > 0 ? 10 * share : 0), 1000);
		html(b, "</td></tr>\n");
	}
	html(b, "</tbody></table>\n");
}

static void preview(struct request *q, struct buf *b, const struct studio *s)
{
	const struct preview_report *p = &s->preview;

	html(b, "<section class=\"panel\" aria-labelledby=\"preview-head\"><h2 id=\"preview-head\">Preview%z</h2>\n",
	     !s->looked	      ? ""
	     : p->kept.exact  ? ", exact"
	     : p->lower_bound ? ", a lower bound"
			      : ", an estimate");
	html(b, "<p id=\"live\" role=\"status\"></p>\n");
	if (!s->looked) {
		html(b, "<p>%z</p></section>\n",
		     s->no_preview.code ? s->no_preview.text : "A rule that is understood is tried out here.");
		return;
	}
	html(b, "<dl class=\"facts\"><div><dt>Keep</dt><dd>");
	interval(b, &p->kept);
	html(b, "</dd></div><div><dt>Hide</dt><dd>");
	interval(b, &p->dropped);
	html(b, "</dd></div></dl>\n<p>%f %% of %n documents would be hidden.</p>",
	     p->documents ? 100 * p->dropped.estimate / (double)p->documents : 0, p->documents);
	page_bar(b, (uint64_t)p->dropped.estimate, p->documents);
	if (!p->kept.exact)
		html(b, "<p class=\"soft\">From %n of %n blocks, seed %u; the ranges hold with 95 %%.%z</p>\n",
		     p->sampled_blocks, p->blocks, p->seed,
		     p->lower_bound ? " Pairs across blocks are not seen, so more may be hidden." : "");
	curve(b, p);
	examples(q, b, s);
	html(b, "</section>\n");
}

static struct buf *studio_page(struct request *q, const struct studio *s)
{
	struct buf *b = page_begin(q, TAB_RULES, STR("Rule studio"));

	html(b, "<h1>What is redundant?</h1>\n");
	preset_list(q, b, s);
	html(b, "<div class=\"studio\"><div>\n");
	text_form(q, b, s);
	html(b, "</div><div>\n");
	preview(q, b, s);
	builder(q, b);
	understood(b, s);
	html(b, "</div></div>\n");
	return b;
}

static void look(struct request *q, struct collection *coll, struct studio *s)
{
	if (s->good && !s->wrong_where.code)
		s->looked =
		    preview_run(
			coll, &(struct preview_request){ .rule = s->rule, .where = page_z(q, s->where), .threads = 1 },
			&s->preview, &s->no_preview) == WN_OK;
}

void page_studio(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct studio s;

	if (!coll)
		return;
	ask(q, &s);
	check(q, coll, &s);
	look(q, coll, &s);
	page_end(q, r, studio_page(q, &s));
	page_done(coll);
	if (s.looked)
		preview_report_release(&s.preview);
}

/* For the page's script, while a rule is written. */
void page_rule_check(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct buf *b = request_buf(q, 1 * MIB);
	struct json j = { .out = b };
	struct studio s;

	if (!coll)
		return;
	ask(q, &s);
	check(q, coll, &s);
	look(q, coll, &s);
	page_done(coll);
	json_open(&j, '{');
	json_key(&j, "data");
	json_open(&j, '{');
	json_key(&j, "ok");
	json_bool(&j, s.good != NULL);
	json_key(&j, "rule");
	s.good ? json_str(&j, s.good->canonical) : json_null(&j);
	json_key(&j, "sha256");
	s.good ? json_z(&j, s.good->sha256) : json_null(&j);
	json_key(&j, "error");
	s.good ? json_null(&j) : json_z(&j, s.rule.n ? s.wrong.text : "there is no rule yet");
	json_key(&j, "preview");
	if (s.looked) {
		s.preview.n_examples = 0; /* those have a page of their own, which looks at the access rules */
		preview_report_json(&s.preview, &j);
		preview_report_release(&s.preview);
	} else {
		json_null(&j);
	}
	json_close(&j, '}');
	json_close(&j, '}');
	response_json(r, buf_view(b));
}

/* ---- computing ---- */

/* The request of an earlier cover, with one more document that must stay. */
static int again(struct request *q, struct collection *coll, struct job_request *job, struct err *err)
{
	struct str keep = page_form(q, "keep");
	struct cover_row row;
	const char **ids;
	uint64_t id;
	int rc;

	if (!str_u64(keep, &id))
		return err_set(err, WN_USAGE, "keep is the number of a document");
	if ((rc = covers_find(coll, &q->arena, arena_strz(&q->arena, page_form(q, "again")), &row, err)) < 0)
		return rc;
	ids = ARENA_ARRAY(&q->arena, const char *, row.options.n_keep + 1);
	for (size_t i = 0; i < row.options.n_keep; i++)
		ids[i] = arena_printf(&q->arena, "%" PRIu64, row.options.keep[i]).p;
	ids[row.options.n_keep] = arena_strz(&q->arena, keep);
	job->rule = page_z(q, row.rule);
	job->where = page_z(q, row.options.where);
	job->per = page_z(q, row.options.per);
	job->prefer = page_z(q, row.options.prefer);
	job->keep_at_least = row.options.keep_at_least;
	job->keep = ids;
	job->n_keep = row.options.n_keep + 1;
	return WN_OK;
}

/* The studio's fields; false: the page with what is wrong was answered. */
static bool fresh(struct request *q, struct collection *coll, struct response *r, struct job_request *job)
{
	struct studio s = { .rule = str_trim(page_form(q, "rule")),
			    .where = str_trim(page_form(q, "where")),
			    .per = str_trim(page_form(q, "per")),
			    .prefer = page_form(q, "prefer"),
			    .name = str_trim(page_form(q, "name")),
			    .keep_at_least = str_trim(page_form(q, "keep_at_least")) };
	uint64_t least = 0;

	check(q, coll, &s);
	if (s.good && !s.wrong_where.code &&
	    ((s.keep_at_least.n && !str_u64(s.keep_at_least, &least)) || !!least != !!s.per.n)) {
		s.good = NULL;
		err_set(&s.wrong, WN_USAGE,
			"\"keep at least\" is a number and goes together with \"per\", such as host");
	}
	if (!s.good || s.wrong_where.code) {
		r->status = 422;
		page_end(q, r, studio_page(q, &s));
		return false;
	}
	job->rule = page_z(q, s.rule);
	job->where = page_z(q, s.where);
	job->per = page_z(q, s.per);
	job->prefer = page_z(q, s.prefer);
	job->name = page_z(q, s.name);
	job->keep_at_least = least;
	return true;
}

void page_compute(struct request *q, struct response *r)
{
	struct job_request job = { .coll = q->served->name,
				   .dir = q->served->dir,
				   .threads = q->server->options.threads ? q->server->options.threads : 1,
				   .memory = q->server->options.memory ? q->server->options.memory : 1 * GIB };
	struct collection *coll = page_collection(q, r);
	struct err err = { 0 };
	uint64_t id = 0;
	bool ok = true;

	if (!coll)
		return;
	if (page_form(q, "again").n)
		again(q, coll, &job, &err);
	else
		ok = fresh(q, coll, r, &job);
	page_done(coll);
	if (!ok)
		return;
	if (err.code || jobs_add(&job, &id, &err) < 0) {
		response_err(r, &err);
		return;
	}
	response_redirect(r, 303, request_href(q, "/jobs/%" PRIu64, id));
}
