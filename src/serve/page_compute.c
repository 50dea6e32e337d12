/* serve/page_compute.c -- what the studio and the cover pages start: covers as jobs, rules saved and forgotten. */
#include <inttypes.h>

#include "base/limits.h"
#include "flow/rules.h"
#include "serve/jobs.h"
#include "serve/studio.h"

/* An earlier cover: brought up to date, or computed with one more document that must stay. */
static int again(struct request *q, struct collection *coll, struct job_request *job, struct err *err)
{
	struct str keep = page_form(q, "keep");
	struct cover_row row;
	const char **ids;
	uint64_t id;
	int rc;

	if (keep.n && !str_u64(keep, &id))
		return err_set(err, WN_USAGE, "keep is the number of a document");
	if ((rc = covers_find(coll, &q->arena, arena_strz(&q->arena, page_form(q, "again")), &row, err)) < 0)
		return rc;
	if (page_form(q, "update").n) {
		job->update = row.id;
		return WN_OK;
	}
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
	job->n_keep = row.options.n_keep + (keep.n > 0);
	return WN_OK;
}

static void wrong(struct request *q, struct response *r, struct collection *coll, struct studio *s)
{
	r->status = 422;
	page_end(q, r, studio_page(q, coll, s));
}

/* The studio's fields; false: the page with what is wrong was answered. */
static bool fresh(struct request *q, struct collection *coll, struct response *r, struct job_request *job)
{
	struct studio s;
	uint64_t least = 0;

	studio_posted(q, &s);
	studio_check(q, coll, &s);
	if (s.good && !s.wrong_where.code &&
	    ((s.keep_at_least.n && !str_u64(s.keep_at_least, &least)) || !!least != !!s.per.n)) {
		s.good = NULL;
		err_set(&s.wrong, WN_USAGE,
			"\"keep at least\" is a number and goes together with \"per\", such as host");
	}
	if (!s.good || s.wrong_where.code) {
		wrong(q, r, coll, &s);
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
	struct job_request job = { .coll = q->served->name };
	struct collection *coll = page_collection(q, r);
	struct err err = { 0 };
	struct str id;
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
	if (err.code || jobs_add(&q->arena, &job, &id, &err) < 0) {
		response_err(r, &err);
		return;
	}
	response_redirect(r, 303, request_href(q, "/jobs/%.*s", STR_FMT(id)));
}

/* ---- saved rules ---- */

static void to_rule(struct request *q, struct response *r, struct str name)
{
	struct buf *b = request_buf(q, LIMIT_URL);

	html(b, "%s/c/%p/rules/%p", page_base(q), str(q->served->name), name);
	response_redirect(r, 303, buf_view(b));
}

void page_rule_save(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct err err = { 0 };
	struct studio s;

	if (!coll)
		return;
	studio_posted(q, &s);
	studio_check(q, coll, &s);
	if (s.good && !s.wrong_where.code &&
	    rules_save(q->served->dir, &(struct saved_rule){ s.name, s.good->canonical, s.where }, &err) < 0) {
		s.good = NULL;
		s.wrong = err;
		s.fields = false;
	}
	if (!s.good || s.wrong_where.code)
		wrong(q, r, coll, &s);
	else
		to_rule(q, r, s.name);
	page_done(coll);
}

void page_rule_remove(struct request *q, struct response *r)
{
	struct err err = { 0 };

	if (rules_remove(q->served->dir, request_arg(q, "name"), &err) < 0)
		response_err(r, &err);
	else
		to_rule(q, r, STR("new"));
}

static const struct sheet_column rule_columns[] = { { "name", "Rule", COLUMN_TEXT },
						    { "text", "Text", COLUMN_CODE },
						    { "selection", "Only documents with", COLUMN_CODE },
						    { NULL, NULL, COLUMN_TEXT } };

struct rule_rows {
	struct request *q;
	struct sheet sheet;
};

static int rule_row(void *context, const struct saved_rule *rule)
{
	struct rule_rows *x = context;

	sheet_row(&x->sheet);
	if (sheet_cell(&x->sheet, rule->name))
		html(x->sheet.b, "<a href=\"%s/c/%p/rules/%p\">%b</a>", page_base(x->q), str(x->q->served->name),
		     rule->name, rule->name);
	sheet_text(&x->sheet, rule->text);
	sheet_text(&x->sheet, rule->selection);
	return WN_OK;
}

static int note_any(void *context, const struct saved_rule *rule)
{
	(void)rule;
	*(bool *)context = true;
	return WN_OK;
}

void page_rule_list(struct request *q, struct response *r)
{
	struct collection *coll = page_collection(q, r);
	struct rule_rows x = { .q = q };
	struct err err = { 0 };
	struct page_sheet p;
	bool any = false;

	if (!coll)
		return;
	rules_each(coll, note_any, &any, NULL);
	if (page_sheet_begin(&p, q, coll, &x.sheet, rule_columns,
			     &(struct page_look){ .tab = TAB_RULES, .title = STR("Saved rules") })) {
		html(
		    p.b,
		    "<h1>Saved rules</h1>\n<p><a class=\"button primary\" href=\"%s/c/%p/rules/new\">New rule</a></p>\n%m",
		    page_base(q), str(q->served->name),
		    any ? ""
			: "<p>No rule was saved so far. Start from a preset, change it until its preview shows what you mean, and give it a name.</p>\n");
		page_sheet_table(&p, NULL);
	}
	if (rules_each(coll, rule_row, &x, &err) < 0)
		response_err(r, &err);
	else
		page_sheet_end(&p, r, STR_NONE);
	page_done(coll);
}
