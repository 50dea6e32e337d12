/* serve/page_rules.c -- the rule studio: presets and saved rules, a builder and the text as two views of one rule.
 *
 * All of the rule's state is in the address, so a rule can be sent to someone.
 * Fields and text stand in one form: one button reads the fields, one the text;
 * with scripts, whichever was touched last is read, and the other follows.  A
 * rule that is wrong is shown with a caret under the place, beside the last
 * good preview.  Computing and saving are in page_compute.c.
 */
#include <inttypes.h>

#include "archive/surt.h"
#include "base/limits.h"
#include "flow/rules.h"
#include "rule/explain.h"
#include "serve/studio.h"

enum { PREVIEW_AT_ONCE = 50000 }; /* documents up to which the page itself has the preview, scripts or not */

/* ---- what is asked ---- */

static unsigned choice(const struct built_choice *all, struct str value)
{
	unsigned i = 0;

	while (all[i].value && !str_eq(value, str(all[i].value)))
		i++;
	return all[i].value ? i : 0;
}

/* The builder's fields as a rule. */
static struct str built_text(struct request *q)
{
	struct buf *b = request_buf(q, LIMIT_RULE);
	struct built f = { .measure = choice(built_measures, request_param(q, "measure")),
			   .place = choice(built_places, request_param(q, "same")),
			   .percent = 7000,
			   .main_text = request_param(q, "main").n,
			   .not_older = request_param(q, "order").n,
			   .same_lang = request_param(q, "samelang").n,
			   .more = str_trim(request_param(q, "more")) };

	built_percent(request_param(q, "at"), &f.percent);
	built_write(&f, b);
	return buf_view(b);
}

void studio_ask(struct request *q, struct studio *s)
{
	const struct preset *p;

	*s = (struct studio){ .rule = str_trim(request_param(q, "rule")),
			      .where = str_trim(request_param(q, "where")),
			      .per = str_trim(request_param(q, "per")),
			      .prefer = request_param(q, "prefer"),
			      .name = str_trim(request_param(q, "name")),
			      .keep_at_least = str_trim(request_param(q, "keep_at_least")) };
	if (str_eq(request_param(q, "view"), STR("fields"))) {
		s->rule = built_text(q);
	} else if (request_param(q, "preset").n && preset_find(request_param(q, "preset"), &p, NULL) == WN_OK) {
		s->rule = str(p->rule);
		s->preset = p->name;
	}
}

void studio_posted(struct request *q, struct studio *s)
{
	*s = (struct studio){ .rule = str_trim(page_form(q, "rule")),
			      .where = str_trim(page_form(q, "where")),
			      .per = str_trim(page_form(q, "per")),
			      .prefer = page_form(q, "prefer"),
			      .name = str_trim(page_form(q, "name")),
			      .keep_at_least = str_trim(page_form(q, "keep_at_least")) };
}

static void recognise_preset(struct studio *s, struct arena *a, const struct rule_env *env)
{
	for (const struct preset *p = presets; p->name && !s->preset; p++) {
		struct rule *rule;

		if (rule_parse(a, str(p->rule), env, &rule, NULL) == WN_OK &&
		    strcmp(rule->sha256, s->good->sha256) == 0)
			s->preset = p->name;
	}
}

void studio_check(struct request *q, struct collection *coll, struct studio *s)
{
	struct rule_env env;
	struct rule *where;

	if (selection_env(coll, &q->arena, RULE_PAIR, &env, &s->wrong) < 0)
		return;
	if (s->rule.n > LIMIT_RULE)
		err_set(&s->wrong, WN_USAGE, "a rule has at most %zu bytes", LIMIT_RULE);
	else if (s->rule.n && rule_parse(&q->arena, s->rule, &env, &s->good, &s->wrong) < 0)
		s->good = NULL;
	if (s->good) {
		s->plan = rule_explain(&q->arena, s->good, NULL, NULL, &s->wrong);
		s->fields = built_read(&q->arena, s->good->canonical, &s->built);
		recognise_preset(s, &q->arena, &env);
	} else {
		built_read(&q->arena, STR("containment(a, b) >= 0.7 and a.time <= b.time and a.host = b.host"),
			   &s->built);
		s->fields = !s->rule.n;
	}
	env.kind = RULE_SELECTION;
	if (s->where.n)
		rule_parse(&q->arena, s->where, &env, &where, &s->wrong_where);
}

void studio_look(struct request *q, struct collection *coll, struct studio *s)
{
	if (s->good && !s->wrong_where.code)
		s->looked = preview_run(coll,
					&(struct preview_request){ .rule = s->rule,
								   .where = page_z(q, s->where),
								   .acl = request_acl(q, q->served),
								   .user = q->acl_user,
								   .threads = 1 },
					&s->preview, &s->no_preview) == WN_OK;
}

void studio_href(struct request *q, struct buf *b, const struct studio *s, struct str rule)
{
	const struct {
		const char *name;
		struct str value;
	} all[] = { { "rule", rule.n ? rule : s->rule },
		    { "where", s->where },
		    { "keep_at_least", s->keep_at_least },
		    { "per", s->per },
		    { "prefer", s->prefer },
		    { "name", s->name } };
	const char *sign = "?";

	html(b, "%s/c/%p/rules/new", page_base(q), str(q->served->name));
	for (size_t i = 0; i < COUNT(all); i++)
		if (all[i].value.n) {
			html(b, "%m%z=%p", sign, all[i].name, all[i].value);
			sign = "&amp;";
		}
}

/* ---- the page ---- */

static void preset_list(struct request *q, struct buf *b, const struct studio *s)
{
	html(b, "<h2 id=\"presets\">Start from a preset</h2>\n<ul class=\"presets\" aria-labelledby=\"presets\">");
	for (const struct preset *p = presets; p->name; p++)
		html(b, "<li><a%m href=\"%s/c/%p/rules/new?preset=%p%z%p\"><b>%z</b>%z</a></li>\n",
		     s->preset == p->name ? " aria-current=\"true\"" : "", page_base(q), str(q->served->name),
		     str(p->name), s->where.n ? "&where=" : "", s->where, p->name, p->summary);
	html(b, "</ul>\n");
}

struct shown {
	struct request *q;
	struct buf *b;
	const struct studio *s;
	unsigned n;
};

static int saved_link(void *context, const struct saved_rule *rule)
{
	struct shown *x = context;

	if (!x->n++)
		html(x->b, "<h2 id=\"saved\">Saved rules</h2>\n<ul class=\"presets\" aria-labelledby=\"saved\">");
	html(x->b, "<li><a%m href=\"%s/c/%p/rules/%p\"><b><bdi>%s</bdi></b><code>%s</code></a></li>\n",
	     str_eq(x->s->saved, rule->name) ? " aria-current=\"true\"" : "", page_base(x->q), str(x->q->served->name),
	     rule->name, rule->name, rule->text);
	return WN_OK;
}

static void saved_list(struct request *q, struct collection *coll, struct buf *b, const struct studio *s)
{
	struct shown x = { q, b, s, 0 };

	rules_each(coll, saved_link, &x, NULL);
	if (!x.n)
		return;
	html(b, "</ul>\n");
	if (s->saved.n && !q->server->options.read_only)
		html(
		    b,
		    "<form method=\"post\" action=\"%s/c/%p/rules/%p/remove\"><button class=\"small\">Forget the saved rule %b</button></form>\n",
		    page_base(q), str(q->served->name), s->saved, s->saved);
}

static void options(struct buf *b, const struct built_choice *all, unsigned now)
{
	for (unsigned i = 0; all[i].value; i++)
		html(b, "<option value=\"%z\"%m>%z</option>", all[i].value, i == now ? " selected" : "", all[i].label);
}

static void builder(struct request *q, struct buf *b, const struct studio *s)
{
	const struct built *f = &s->built;

	html(
	    b,
	    "<section class=\"panel\" id=\"builder\" aria-labelledby=\"build\"><h2 id=\"build\">Hide a document when another one\u2026</h2>\n"
	    "<p id=\"no-fields\" class=\"note\"%m>The fields cannot show this rule; the text can.</p>\n<div class=\"row\"><div class=\"field grow\"><label "
	    "for=\"measure\">Measure</label><select id=\"measure\" name=\"measure\">",
	    s->fields ? " hidden" : "");
	options(b, built_measures, f->measure);
	html(
	    b,
	    "</select></div><div class=\"field\"><label for=\"at\">At least, percent</label><input id=\"at\" name=\"at\" type=\"number\" min=\"0.01\" max=\"100\" step=\"any\" "
	    "value=\"%s\"></div></div>\n",
	    built_percent_text(&q->arena, f->percent));
	html(
	    b,
	    "<fieldset><legend>and</legend><label class=\"plain\"><input type=\"checkbox\" name=\"order\" value=\"1\"%m> is not older</label>"
	    "<label class=\"plain\"><input type=\"checkbox\" name=\"samelang\" value=\"1\"%m> has the same language</label>"
	    "<label class=\"plain\"><input type=\"checkbox\" name=\"main\" value=\"1\"%m> looking at the main text only</label></fieldset>\n",
	    f->not_older ? " checked" : "", f->same_lang ? " checked" : "", f->main_text ? " checked" : "");
	html(b, "<fieldset><legend>and</legend>");
	for (unsigned i = 0; built_places[i].value; i++)
		html(b, "<label class=\"plain\"><input type=\"radio\" name=\"same\" value=\"%z\"%m> %z</label>",
		     built_places[i].value, i == f->place ? " checked" : "", built_places[i].label);
	html(
	    b,
	    "</fieldset>\n<div class=\"field\"><label for=\"more\">and also</label><input id=\"more\" name=\"more\" class=\"mono\" value=\"%s\" placeholder=\"a.title = b.title\"></div>\n"
	    "<p class=\"no-script\"><button name=\"view\" value=\"fields\">Use these fields</button></p></section>\n",
	    f->more);
}

static void text_view(struct request *q, struct buf *b, const struct studio *s)
{
	html(
	    b,
	    "<section class=\"panel\" aria-labelledby=\"text-head\"><h2 id=\"text-head\">The same as text</h2>\n<label for=\"rule\">a is hidden as long as b is kept, when</label>\n"
	    "<textarea id=\"rule\" name=\"rule\" rows=\"3\" spellcheck=\"false\" autocapitalize=\"off\" aria-describedby=\"checked\"%m data-check=\"%s/api/v1/collections/%p/rules/check\">%s"
	    "</textarea>\n",
	    s->rule.n && !s->good ? " aria-invalid=\"true\"" : "", page_base(q), str(q->served->name),
	    s->good ? s->good->canonical : s->rule);
	html(b,
	     "<pre id=\"checked\" tabindex=\"0\" role=\"status\" aria-label=\"What was understood\" class=\"note %z\">",
	     s->good	 ? "good"
	     : s->rule.n ? "fixed bad" /* a mark below points at the place */
			 : "");
	if (s->good)
		html(b, "Understood.");
	else
		html(b, "%z",
		     s->rule.n ? s->wrong.text : "No rule yet: choose a preset, set the fields, or write it here.");
	html(
	    b,
	    "</pre>\n<p class=\"no-script\"><button name=\"view\" value=\"text\">Use this text</button></p></section>\n");
}

static void prefer_option(struct buf *b, const struct studio *s, const char *value, const char *label)
{
	html(b, "<option value=\"%z\"%m>%z</option>", value, str_eq(s->prefer, str(value)) ? " selected" : "", label);
}

static void which_documents(struct buf *b, const struct studio *s)
{
	html(b, "<details class=\"panel\"%m><summary>Which documents, and what to keep</summary>\n",
	     s->where.n || s->keep_at_least.n || s->prefer.n ? " open" : "");
	html(
	    b,
	    "<div class=\"field\"><label for=\"where\">Only documents with</label><input id=\"where\" name=\"where\" class=\"mono\" value=\"%s\" placeholder=\"time &gt;= 2010 and lang = "
	    "&quot;en&quot;\"></div>\n",
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
	html(b, "</select></div></div></details>\n");
}

static void buttons(struct request *q, struct buf *b, const struct studio *s)
{
	struct str coll = str(q->served->name);

	if (q->server->options.read_only)
		return;
	html(
	    b,
	    "<div class=\"row\"><div class=\"field\"><label for=\"name\">Name</label><input id=\"name\" name=\"name\" value=\"%s\" aria-describedby=\"name-hint\"></div><button "
	    "class=\"primary\" formmethod=\"post\" formaction=\"%s/c/%p/covers\">Compute the cover</button><button formmethod=\"post\" formaction=\"%s/c/%p/rules\">Save the "
	    "rule</button></div>\n<p id=\"name-hint\" class=\"hint\">A cover may have a name; a saved rule has one.</p>\n",
	    s->name, page_base(q), coll, page_base(q), coll);
}

static void understood(struct buf *b, const struct studio *s)
{
	html(b, "<details class=\"panel\" id=\"plan\"><summary>How it is computed</summary>\n");
	if (s->good && s->plan.n)
		html(b, "<pre>%s</pre><p class=\"soft\">The answer is exact: no pair of documents is missed.</p>\n",
		     s->plan);
	else
		html(b, "<p>A rule that is understood is explained here.</p>\n");
	html(b, "</details>\n");
}

struct buf *studio_page(struct request *q, struct collection *coll, const struct studio *s)
{
	struct buf *b = page_begin_as(
	    q, &(struct page_look){ .tab = TAB_RULES, .title = STR("Rule studio"), .script = "studio.js" });

	html(b, "<h1>What is redundant?</h1>\n");
	preset_list(q, b, s);
	saved_list(q, coll, b, s);
	html(b, "<div class=\"studio\"><form id=\"studio\" action=\"%s/c/%p/rules/new\">\n", page_base(q),
	     str(q->served->name));
	builder(q, b, s);
	text_view(q, b, s);
	which_documents(b, s);
	buttons(q, b, s);
	html(b, "</form><div>\n<section class=\"panel\" id=\"preview\" aria-label=\"Preview\"%m>",
	     s->good && !s->looked && !s->no_preview.code ? " data-wanted" : "");
	studio_preview(q, b, s);
	html(b, "</section>\n");
	understood(b, s);
	html(b, "</div></div>\n");
	page_forms(q, b, "json");
	return b;
}

/* Small collections have their preview in the page; of large ones it comes after it. */
static bool at_once(struct request *q, struct collection *coll)
{
	struct catalog_next next;

	return request_param(q, "try").n ||
	       (catalog_next(coll->catalog, &next, NULL) == WN_OK && next.capture <= PREVIEW_AT_ONCE);
}

static void check_json(struct json *j, const struct studio *s)
{
	json_put_text(j, "rule", s->good ? s->good->canonical : STR_NONE);
	json_put_text(j, "sha256", s->good ? str(s->good->sha256) : STR_NONE);
	json_put_text(j, "error",
		      s->good	  ? s->wrong_where.code ? str(s->wrong_where.text) : STR_NONE
		      : s->rule.n ? str(s->wrong.text)
				  : STR("there is no rule yet"));
	json_put_bool(j, "ok", s->good && !s->wrong_where.code);
	json_key(j, "fields");
	if (s->good && s->fields) {
		json_open(j, '{');
		json_put_text(j, "measure", str(built_measures[s->built.measure].value));
		json_put_double(j, "at", s->built.percent / 100.0, 2);
		json_put_text(j, "same", str(built_places[s->built.place].value));
		json_put_bool(j, "order", s->built.not_older);
		json_put_bool(j, "samelang", s->built.same_lang);
		json_put_bool(j, "main", s->built.main_text);
		json_put_text(j, "more", s->built.more);
		json_close(j, '}');
	} else {
		json_null(j);
	}
	json_put_text(j, "preset", str(s->preset));
}

static void answer_json(struct request *q, struct response *r, struct collection *coll, struct studio *s,
			bool with_html)
{
	struct json *j = data_begin(q);
	struct catalog_next next = { 0 };

	json_open(j, '{');
	check_json(j, s);
	if (with_html && s->good && !s->wrong_where.code) {
		struct buf *b = request_buf(q, LIMIT_PAGE);

		studio_preview(q, b, s);
		json_put_text(j, "html", buf_view(b));
		json_put_text(j, "plan", s->plan);
	}
	json_key(j, "preview");
	if (s->looked) {
		s->preview.n_examples = 0; /* the page has them, and looks at the access rules */
		preview_report_json(&s->preview, j);
	} else {
		json_null(j);
	}
	json_close(j, '}');
	catalog_next(coll->catalog, &next, NULL);
	data_end(q, r, j, next.revision, STR_NONE);
}

static void answer(struct request *q, struct response *r, struct collection *coll, struct studio *s)
{
	studio_check(q, coll, s);
	if (q->format.n || at_once(q, coll))
		studio_look(q, coll, s);
	if (q->format.n)
		answer_json(q, r, coll, s, false);
	else
		page_end(q, r, studio_page(q, coll, s));
	page_done(coll);
	if (s->looked)
		preview_report_release(&s->preview);
}

void page_studio(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct studio s;

	if (!coll)
		return;
	studio_ask(q, &s);
	answer(q, r, coll, &s);
}

void page_saved_rule(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct saved_rule saved;
	struct err err = { 0 };
	struct studio s;

	if (!coll)
		return;
	studio_ask(q, &s);
	if (rules_find(coll, &q->arena, request_arg(q, "name"), &saved, &err) < 0) {
		page_done(coll);
		response_err(r, &err);
		return;
	}
	s.rule = saved.text;
	s.where = saved.selection;
	s.saved = s.name = saved.name;
	answer(q, r, coll, &s);
}

/* For the page's script, while a rule is written. */
void page_rule_check(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct studio s;

	if (!coll)
		return;
	studio_ask(q, &s);
	studio_check(q, coll, &s);
	studio_look(q, coll, &s);
	answer_json(q, r, coll, &s, true);
	page_done(coll);
	if (s.looked)
		preview_report_release(&s.preview);
}
