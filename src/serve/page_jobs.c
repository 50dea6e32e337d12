/* serve/page_jobs.c -- jobs: the line, one job with its phases, starting and cancelling. */
#include <inttypes.h>

#include "base/json.h"
#include "base/limits.h"
#include "serve/jobs.h"
#include "serve/page.h"

static void result_link(struct request *q, struct buf *b, const struct job_view *j)
{
	html(b, "<a href=\"%s/c/%p/covers/%u\">cover %u</a>", page_base(q), j->coll, j->cover, j->cover);
}

void page_job_list(struct request *q, struct response *r)
{
	struct job_view *list;
	size_t n = jobs_list(&q->arena, &list);
	struct buf *b = page_begin_as(
	    q, &(struct page_look){ .tab = TAB_JOBS, .title = STR("Jobs"), .refresh = jobs_active() ? 5 : 0 });

	html(b, "<h1>Jobs</h1>\n");
	if (!n)
		html(b, "<p>No job was started since this server runs. A rule's page starts one.</p>\n");
	if (n)
		html(
		    b,
		    "<table class=\"cards\"><thead><tr><th scope=\"col\">Job</th><th scope=\"col\">Collection</th><th scope=\"col\">State</th><th "
		    "scope=\"col\">Asked</th><th scope=\"col\">Result</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < n; i++) {
		html(
		    b,
		    "<tr><th scope=\"row\"><a href=\"%s/jobs/%u\">Job %u</a> <code>%s</code></th><td data-name=\"Collection\">%s</td><td data-name=\"State\">%z</td><td "
		    "data-name=\"Asked\">%t</td><td data-name=\"Result\">",
		    page_base(q), list[i].id, list[i].id, list[i].rule, list[i].coll, job_state_name(list[i].state),
		    list[i].created);
		if (list[i].state == JOB_SUCCEEDED)
			result_link(q, b, &list[i]);
		else
			html(b, "none%z", list[i].state < JOB_SUCCEEDED ? " yet" : "");
		html(b, "</td></tr>\n");
	}
	if (n)
		html(b, "</tbody></table>\n");
	response_header(r, "Cache-Control", STR("no-store"));
	page_end(q, r, b);
}

static void as_json(struct request *q, struct response *r, const struct job_view *v)
{
	struct buf *b = request_buf(q, 1 * MIB);
	struct json j = { .out = b };

	json_open(&j, '{');
	json_key(&j, "data");
	json_open(&j, '{');
	json_key(&j, "id");
	json_u64(&j, v->id);
	json_key(&j, "state");
	json_z(&j, job_state_name(v->state));
	json_key(&j, "collection");
	json_str(&j, v->coll);
	json_key(&j, "rule");
	json_str(&j, v->rule);
	json_key(&j, "queue_position");
	json_u64(&j, v->ahead);
	json_key(&j, "phases");
	json_open(&j, '[');
	for (unsigned i = 0; i < v->n_phases; i++) {
		bool now = i + 1 == v->n_phases && v->state == JOB_RUNNING;

		json_open(&j, '{');
		json_key(&j, "id");
		json_z(&j, v->phases[i].name);
		json_key(&j, "unit");
		json_z(&j, v->phases[i].unit);
		json_key(&j, "done");
		json_u64(&j, v->phases[i].done);
		json_key(&j, "total");
		json_u64(&j, now ? v->total : v->phases[i].done);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_key(&j, "eta");
	if (v->state == JOB_RUNNING && v->high > 0) {
		json_open(&j, '{');
		json_key(&j, "low_s");
		json_double(&j, v->low, 1);
		json_key(&j, "high_s");
		json_double(&j, v->high, 1);
		json_close(&j, '}');
	} else {
		json_null(&j);
	}
	json_key(&j, "error");
	v->error.n ? json_str(&j, v->error) : json_null(&j);
	json_key(&j, "result");
	if (v->state == JOB_SUCCEEDED) {
		json_open(&j, '{');
		json_key(&j, "cover");
		json_u64(&j, v->cover);
		json_close(&j, '}');
	} else {
		json_null(&j);
	}
	json_close(&j, '}');
	json_close(&j, '}');
	response_header(r, "Cache-Control", STR("no-store"));
	response_json(r, buf_view(b));
	r->policy = POLICY_DATA;
}

static void phases(struct buf *b, const struct job_view *v)
{
	if (!v->n_phases)
		return;
	html(b, "<h2>Phases</h2><ol class=\"phases\">");
	for (unsigned i = 0; i < v->n_phases; i++) {
		const struct progress_phase *p = &v->phases[i];
		bool now = i + 1 == v->n_phases && v->state == JOB_RUNNING;

		html(b, "<li>%z: %n", p->name, p->done);
		if (now && v->total)
			html(b, " of %n", v->total);
		html(b, " %z", p->unit);
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
	    "<div class=\"panel\" data-job=\"%s/jobs/%u.json\"><p role=\"status\" class=\"hidden\"></p>\n<p class=\"now\">%z</p>",
	    page_base(q), v->id, v->state == JOB_QUEUED ? "Waiting in line." : "Working.");
	if (v->state == JOB_QUEUED)
		html(b, "<p>%n jobs are ahead.</p>", (uint64_t)v->ahead);
	if (v->total)
		html(b, "<progress aria-label=\"This phase\" max=\"%u\" value=\"%u\"></progress>", v->total,
		     v->phases[v->n_phases - 1].done);
	else
		html(b, "<progress aria-label=\"This phase\"></progress>");
	if (v->high > 0) {
		html(b, "<p>This phase ends in about ");
		page_duration(b, v->low);
		html(b, " to ");
		page_duration(b, v->high);
		html(b, ".</p>");
	}
	html(b, "<form method=\"post\" action=\"%s/jobs/%u/cancel\"><button>Cancel this job</button></form></div>\n",
	     page_base(q), v->id);
}

void page_job(struct request *q, struct response *r)
{
	struct job_view v;
	uint64_t id;
	struct buf *b;
	bool open;

	if (!str_u64(request_arg(q, "id"), &id) || !jobs_get(&q->arena, id, &v)) {
		response_error(r, 404,
			       "there is no such job; jobs are forgotten when the server ends, their covers are not");
		return;
	}
	if (q->format.n) {
		as_json(q, r, &v);
		return;
	}
	open = v.state < JOB_SUCCEEDED;
	b = page_begin_as(q, &(struct page_look){
				 .tab = TAB_JOBS,
				 .title = arena_printf(&q->arena, "Job %" PRIu64 ": %s", id, job_state_name(v.state)),
				 .refresh = open ? 2 : 0 });
	html(b, "<h1>Job %u: %z</h1>\n<p>A cover of <a href=\"%s/c/%p\">%s</a>, asked for at %t.</p>\n<pre>%s</pre>\n",
	     id, job_state_name(v.state), page_base(q), v.coll, v.coll, v.created, v.rule);
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
	uint64_t id;

	if (!str_u64(request_arg(q, "id"), &id) || !jobs_cancel(id)) {
		response_error(r, 409, "this job has ended already, or there is none of that number");
		return;
	}
	response_redirect(r, 303, request_href(q, "/jobs/%" PRIu64, id));
}
