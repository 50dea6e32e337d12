/* serve/page_jobs.c -- jobs: the line, one job with its phases, starting and cancelling. */
#include "base/limits.h"
#include "serve/api.h"
#include "serve/jobs.h"
#include "serve/page.h"

static void result_link(struct request *q, struct buf *b, const struct job_view *j)
{
	if (j->cover)
		html(b, "<a href=\"%s/c/%p/covers/%u\">cover %u</a>", page_base(q), j->coll, j->cover, j->cover);
	else
		html(b, "<a href=\"%s/c/%p\">%s</a>", page_base(q), j->coll, j->coll);
}

void page_job_list(struct request *q, struct response *r)
{
	struct job_view *list;
	size_t n = jobs_list(&q->arena, &list);
	struct buf *b = page_begin_as(
	    q, &(struct page_look){ .tab = TAB_JOBS, .title = STR("Jobs"), .refresh = jobs_active() ? 5 : 0 });

	html(b, "<h1>Jobs</h1>\n");
	if (!n)
		html(b, "<p>No job was started so far. A rule's page starts one.</p>\n");
	if (n)
		html(
		    b,
		    "<table class=\"cards\"><thead><tr><th scope=\"col\">Job</th><th scope=\"col\">Collection</th><th scope=\"col\">State</th><th "
		    "scope=\"col\">Asked</th><th scope=\"col\">Result</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < n; i++) {
		html(
		    b,
		    "<tr><th scope=\"row\"><a href=\"%s/jobs/%p\">Job %s</a> <code>%s</code></th><td data-name=\"Collection\">%s</td><td data-name=\"State\">%z</td><td "
		    "data-name=\"Asked\">%t</td><td data-name=\"Result\">",
		    page_base(q), list[i].id, list[i].id, list[i].rule.n ? list[i].rule : list[i].file, list[i].coll,
		    job_state_name(list[i].state), list[i].created);
		if (list[i].state == JOB_SUCCEEDED)
			result_link(q, b, &list[i]);
		else
			html(b, "none%z", job_state_over(list[i].state) ? "" : " yet");
		html(b, "</td></tr>\n");
	}
	if (n)
		html(b, "</tbody></table>\n");
	response_header(r, "Cache-Control", STR("no-store"));
	page_end(q, r, b);
}

static void phases(struct buf *b, const struct job_view *v)
{
	if (!v->n_phases)
		return;
	html(b, "<h2>Phases</h2><ol class=\"phases\">");
	for (unsigned i = 0; i < v->n_phases; i++) {
		const struct job_phase *p = &v->phases[i];
		bool now = i + 1 == v->n_phases && v->state == JOB_RUNNING;

		html(b, "<li>%s: %n", p->name, p->done);
		if (now && p->total)
			html(b, " of %n", p->total);
		html(b, " %s", p->unit);
		if (p->seconds >= 0)
			html(b, ", done in %f s", p->seconds);
		html(b, "%z</li>", now ? ", under way" : "");
	}
	html(b, "</ol>\n");
}

static void running(struct request *q, struct buf *b, const struct job_view *v)
{
	html(
	    b,
	    "<div class=\"panel\" data-job=\"%s/jobs/%p.json\" data-events=\"%s/api/v1/jobs/%p/events\"><p role=\"status\" class=\"hidden\"></p>\n<p class=\"now\">%z</p>",
	    page_base(q), v->id, page_base(q), v->id,
	    v->state == JOB_QUEUED   ? "Waiting in line."
	    : v->state == JOB_PAUSED ? "Paused."
	    : v->stopping	     ? "Ending."
				     : "Working.");
	if (v->state == JOB_QUEUED)
		html(b, "<p>%n jobs are ahead.</p>", (uint64_t)v->ahead);
	if (v->n_phases && v->phases[v->n_phases - 1].total)
		html(b, "<progress aria-label=\"This phase\" max=\"%u\" value=\"%u\"></progress>",
		     v->phases[v->n_phases - 1].total, v->phases[v->n_phases - 1].done);
	else
		html(b, "<progress aria-label=\"This phase\"></progress>");
	if (v->high > 0) {
		html(b, "<p>%z ends in about ", v->whole ? "It" : "This phase");
		page_duration(b, v->low);
		html(b, " to ");
		page_duration(b, v->high);
		html(b, ".</p>");
	}
	html(b, "<form method=\"post\" action=\"%s/jobs/%p/cancel\"><button>Cancel this job</button></form></div>\n",
	     page_base(q), v->id);
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
	html(b, "<h1>Job %s: %z</h1>\n<p>%z <a href=\"%s/c/%p\">%s</a>, asked for at %t.</p>\n<pre>%s</pre>\n", v.id,
	     job_state_name(v.state), v.file.n ? "An archive for" : "A cover of", page_base(q), v.coll, v.coll,
	     v.created, v.file.n ? v.file : v.rule);
	if (open)
		running(q, b, &v);
	if (v.state == JOB_SUCCEEDED) {
		html(b, "<p class=\"note good\">Done: ");
		result_link(q, b, &v);
		html(b, ".</p>\n");
	}
	if (v.state == JOB_FAILED)
		html(b, "<p class=\"note bad\">It failed, and nothing was stored: %s</p>\n", v.error);
	if (v.state == JOB_CANCELLED)
		html(b, "<p class=\"note\">It was cancelled, and nothing was stored.</p>\n");
	phases(b, &v);
	response_header(r, "Cache-Control", STR("no-store"));
	page_end(q, r, b);
}

void page_job_cancel(struct request *q, struct response *r)
{
	struct str id = request_arg(q, "id");

	if (!jobs_ask(id, JOB_WISH_CANCEL)) {
		response_error(r, 409, "this job has ended already, or there is none of that number");
		return;
	}
	response_redirect(r, 303, request_href(q, "/jobs/%.*s", STR_FMT(id)));
}
