/* serve/page_jobs.c -- jobs: the line, one job with its phases, starting and cancelling. */
#include "base/limits.h"
#include "serve/api.h"
#include "serve/jobs.h"
#include "serve/page.h"
#include "serve/setup.h"

/* The collection a job is of, as this server has it; NULL: not any more. */
static void result_link(struct request *q, struct buf *b, const struct job_view *j)
{
	if (j->cover && j->format.n)
		html(b, "<a href=\"%s/c/%p/covers/%u/export/%p\">cover %u as %s</a>", page_base(q), j->coll, j->cover,
		     j->format, j->cover, j->format);
	else if (j->cover)
		html(b, "<a href=\"%s/c/%p/covers/%u\">cover %u</a>", page_base(q), j->coll, j->cover, j->cover);
	else
		html(b, "<a href=\"%s/c/%p\">%s</a>", page_base(q), j->coll, j->coll);
}

static struct str subject(const struct job_view *j) { return j->rule.n ? j->rule : j->format.n ? j->format : j->file; }

static const struct sheet_column job_columns[] = {
	{ "id", "Job", COLUMN_TEXT },	    { "kind", "Kind", COLUMN_TEXT },
	{ "subject", "Of", COLUMN_CODE },   { "collection", "Collection", COLUMN_TEXT },
	{ "state", "State", COLUMN_TEXT },  { "created_at", "Asked", COLUMN_TEXT },
	{ "cover", "Result", COLUMN_TEXT }, { NULL, NULL, COLUMN_TEXT },
};

static void job_row(struct request *q, struct sheet *l, const struct job_view *j)
{
	sheet_row(l);
	if (sheet_cell(l, j->id))
		html(l->b, "<a href=\"%s/jobs/%p\">%s</a>", page_base(q), j->id, j->id);
	sheet_text(l, j->kind);
	sheet_text(l, subject(j));
	sheet_text(l, j->coll);
	sheet_text(l, str(job_state_name(j->state)));
	sheet_time(l, j->created);
	if (!j->cover && l->form != SHEET_TABLE)
		sheet_none(l);
	else if (sheet_cell_u64(l, j->cover) && j->state == JOB_SUCCEEDED)
		result_link(q, l->b, j);
}

void page_job_list(struct request *q, struct response *r)
{
	struct job_view *list;
	struct page_sheet p;
	struct sheet l;
	size_t n;

	setup_look(q->server);
	n = jobs_list(&q->arena, &list);
	if (page_sheet_begin(
		&p, q, NULL, &l, job_columns,
		&(struct page_look){ .tab = TAB_JOBS, .title = STR("Jobs"), .refresh = jobs_active() ? 5 : 0 })) {
		html(
		    p.b, "<h1>Jobs</h1>\n%m",
		    n ? ""
		      : "<p>No job was started so far. Computing a cover starts one, and so does a dropped archive.</p>\n");
		page_sheet_table(&p, NULL);
	}
	for (size_t i = 0; i < n; i++)
		job_row(q, &l, &list[i]);
	response_header(r, "Cache-Control", STR("no-store"));
	page_sheet_end(&p, r, STR_NONE);
}

static void phases(struct buf *b, const struct job_view *v)
{
	if (!v->n_phases)
		return;
	html(b, "<h2>Phases</h2><ol class=\"phases\">");
	for (unsigned i = 0; i < v->n_phases; i++) {
		const struct job_phase *p = &v->phases[i];
		bool now = i + 1 == v->n_phases && v->state == JOB_RUNNING;

		html(b, "<li><span aria-hidden=\"true\">%z</span><span>%s</span><span>%n", now ? "\u25b6" : "\u2713",
		     p->name, p->done);
		if (now && p->total)
			html(b, " of %n", p->total);
		html(b, " %s", p->unit);
		if (p->seconds >= 0)
			html(b, ", %f s", p->seconds);
		html(b, "%z</span></li>", now ? ", under way" : "");
	}
	html(b, "</ol>\n");
}

static void wish_button(struct request *q, struct buf *b, const struct job_view *v, const char *wish, const char *label)
{
	html(b, "<form method=\"post\" action=\"%s/jobs/%p/%z\"><button>%z</button></form>", page_base(q), v->id, wish,
	     label);
}

static const char *state_words(const struct job_view *v)
{
	return v->state == JOB_QUEUED	? "Waiting in line."
	       : v->state == JOB_PAUSED ? "Paused: what was done is kept."
	       : v->stopping		? "Ending."
					: "Working.";
}

static void time_left(struct buf *b, const struct job_view *v)
{
	html(b, "<p class=\"left\">");
	if (v->high > 0) {
		html(b, "%z ends in about ", v->whole ? "It" : "This phase");
		page_duration(b, v->low);
		html(b, " to ");
		page_duration(b, v->high);
		html(b, ", an estimate.");
		if (v->revised) {
			html(b, " It was revised by %z", v->revised > 0 ? "+" : "\u2212");
			page_duration(b, v->revised > 0 ? v->revised : -v->revised);
			html(b, ".");
		}
	}
	html(b, "</p>");
}

static void running(struct request *q, struct buf *b, const struct job_view *v)
{
	html(
	    b,
	    "<div class=\"panel\" data-job=\"%s/jobs/%p.json\" data-events=\"%s/api/v1/jobs/%p/events\"><p role=\"status\" class=\"hidden\"></p>\n<p class=\"now\">%z</p>",
	    page_base(q), v->id, page_base(q), v->id, state_words(v));
	if (v->state == JOB_QUEUED && v->ahead)
		html(b, "<p>%n %z ahead.</p>", (uint64_t)v->ahead, v->ahead == 1 ? "job is" : "jobs are");
	if (v->n_phases && v->phases[v->n_phases - 1].total)
		html(b, "<progress aria-label=\"This phase\" max=\"%u\" value=\"%u\"></progress>",
		     v->phases[v->n_phases - 1].total, v->phases[v->n_phases - 1].done);
	else
		html(b, "<progress aria-label=\"This phase\"></progress>");
	time_left(b, v);
	html(b, "<div class=\"row\">");
	if (v->state == JOB_PAUSED)
		wish_button(q, b, v, "resume", "Go on");
	else
		wish_button(q, b, v, "pause", "Pause");
	wish_button(q, b, v, "cancel", "Cancel this job");
	html(b, "</div></div>\n");
}

static void ended(struct request *q, struct buf *b, const struct job_view *v)
{
	if (v->state == JOB_SUCCEEDED) {
		html(b, "<p class=\"note good\">Done: ");
		result_link(q, b, v);
		html(b, ".</p>\n");
	}
	if (v->state == JOB_FAILED)
		html(b, "<p class=\"note bad\">It failed, and nothing was stored: %s</p>\n", v->error);
	if (v->state == JOB_CANCELLED)
		html(b, "<p class=\"note\">It was cancelled, and nothing was stored.</p>\n");
}

void page_job(struct request *q, struct response *r)
{
	struct job_view v;
	struct buf *b;
	bool open;

	if (!jobs_get(&q->arena, request_arg(q, "id"), &v)) {
		response_error(r, 404, "there is no such job; of those that ended only the last are kept");
		return;
	}
	if (q->format.n) {
		api_job_send(q, r, &v);
		return;
	}
	open = !job_state_over(v.state);
	b = page_begin_as(q, &(struct page_look){ .tab = TAB_JOBS,
						  .title = arena_printf(&q->arena, "Job %.*s: %s", STR_FMT(v.id),
									job_state_name(v.state)),
						  .refresh = open ? 2 : 0 });
	html(b, "<h1>Job %s: %z</h1>\n<p>%z <a href=\"%s/c/%p\">%s</a>, asked for at %t.</p>\n", v.id,
	     job_state_name(v.state),
	     v.file.n	  ? "An archive for"
	     : v.format.n ? "What a cover keeps of"
			  : "A cover of",
	     page_base(q), v.coll, v.coll, v.created);
	if (subject(&v).n)
		html(b, "<pre>%s</pre>\n", subject(&v));
	if (v.attempts > 1)
		html(b, "<p>It was started %n times: a server ended while it worked, and another went on.</p>\n",
		     v.attempts);
	if (open)
		running(q, b, &v);
	ended(q, b, &v);
	phases(b, &v);
	page_forms(q, b, "json");
	response_header(r, "Cache-Control", STR("no-store"));
	page_end(q, r, b);
}

static void wish(struct request *q, struct response *r, enum job_wish what)
{
	struct str id = request_arg(q, "id");

	if (!jobs_ask(id, what)) {
		response_error(r, 409, "this job has ended already, or there is none of that number");
		return;
	}
	response_redirect(r, 303, request_href(q, "/jobs/%.*s", STR_FMT(id)));
}

void page_job_cancel(struct request *q, struct response *r) { wish(q, r, JOB_WISH_CANCEL); }
void page_job_pause(struct request *q, struct response *r) { wish(q, r, JOB_WISH_PAUSE); }
void page_job_resume(struct request *q, struct response *r) { wish(q, r, JOB_GO_ON); }
