/* serve/job_api.c -- /api/v1/jobs: the list, one job, its events as they happen, and what can be asked of it.
 *
 * Events (text/event-stream): `progress` with the job's JSON when it changed, at
 * most four a second, `phase` when another phase began, `log` when it changed
 * hands or an estimate moved, `done` at its end.  Their id is the row's seq, so
 * that a client that comes back with Last-Event-ID hears only what is new.
 * A line of comment every 15 seconds keeps proxies from closing.  The stream
 * looks at the row four times a second; another process may work on the job.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "base/limits.h"
#include "serve/api.h"
#include "serve/jobs.h"
#include "serve/routes.h"
#include "serve/server_int.h"

void api_jobs(struct request *q, struct response *r)
{
	struct buf *b = request_buf(q, 64 * MIB);
	struct json j = { .out = b };
	struct job_view *list;
	size_t n = jobs_list(&q->arena, &list);

	json_open(&j, '{');
	json_put_open(&j, "data", '[');
	for (size_t i = 0; i < n; i++)
		jobs_json(&j, &list[i]);
	json_close(&j, ']');
	api_envelope(q, r, &j);
}

static bool job_of(struct request *q, struct response *r, struct job_view *v)
{
	if (jobs_get(&q->arena, request_arg(q, "id"), v))
		return true;
	response_error(r, 404, "there is no such job");
	return false;
}

void api_job_send(struct request *q, struct response *r, const struct job_view *v)
{
	struct buf *b = request_buf(q, MIB);
	struct json j = { .out = b };

	json_open(&j, '{');
	json_key(&j, "data");
	jobs_json(&j, v);
	if (!job_state_over(v->state))
		response_header(r, "Retry-After", STR("1"));
	r->policy = POLICY_DATA;
	api_envelope(q, r, &j);
}

void api_job(struct request *q, struct response *r)
{
	struct job_view v;

	if (job_of(q, r, &v))
		api_job_send(q, r, &v);
}

static void ask(struct request *q, struct response *r, enum job_wish wish, const char *cannot)
{
	struct job_view v;

	if (!job_of(q, r, &v))
		return;
	if (!jobs_ask(v.id, wish)) {
		response_error(r, 409, "this job is %s, so it cannot be %s", job_state_name(v.state), cannot);
		return;
	}
	if (job_of(q, r, &v))
		api_job_send(q, r, &v);
}

void api_job_cancel(struct request *q, struct response *r) { ask(q, r, JOB_WISH_CANCEL, "cancelled"); }
void api_job_pause(struct request *q, struct response *r) { ask(q, r, JOB_WISH_PAUSE, "paused"); }
void api_job_resume(struct request *q, struct response *r) { ask(q, r, JOB_GO_ON, "resumed"); }

/* ---- events ---- */

struct events {
	struct str id;
	uint64_t seen, attempts;
	unsigned phases;
	int revised;
	int64_t spoke; /* ns */
	bool first, over;
	struct buf text;
	size_t sent;
	struct arena arena;
};

static void event(struct events *e, const struct job_view *v, const char *name, const char *log)
{
	struct json j = { .out = &e->text };

	buf_printf(&e->text, "event: %s\nid: %" PRIu64 "\ndata: ", name, v->seq);
	if (log) {
		json_open(&j, '{');
		json_put_z(&j, "message", log);
		json_close(&j, '}');
	} else {
		jobs_json(&j, v);
	}
	buf_str(&e->text, STR("\n\n"));
}

/* What is to be said of the job as it is now. */
static void speak(struct events *e, const struct job_view *v)
{
	char log[200];

	if (!e->first && v->attempts > e->attempts && e->attempts) {
		snprintf(log, sizeof log, "taken over: attempt %" PRIu64, v->attempts);
		event(e, v, "log", log);
	}
	if (!e->first && v->revised != e->revised && v->revised) {
		snprintf(log, sizeof log, "estimate revised by %+d s", v->revised);
		event(e, v, "log", log);
	}
	if (job_state_over(v->state)) {
		event(e, v, "done", NULL);
		e->over = true;
	} else {
		event(e, v, !e->first && v->n_phases != e->phases ? "phase" : "progress", NULL);
	}
	e->attempts = v->attempts;
	e->revised = v->revised;
	e->phases = v->n_phases;
	e->first = false;
}

static ptrdiff_t events_more(void *context, char *p, size_t n)
{
	struct events *e = context;
	int64_t now = server_now_ns();
	struct job_view v;

	if (e->sent == e->text.n) {
		buf_reset(&e->text);
		e->sent = 0;
		if (e->over)
			return 0;
		arena_reset(&e->arena);
		if (!jobs_get(&e->arena, e->id, &v))
			return 0;
		if (v.seq != e->seen)
			speak(e, &v);
		else if (now - e->spoke > INT64_C(15000000000))
			buf_str(&e->text, STR(": still here\n\n"));
		e->seen = v.seq;
		if (!e->text.n)
			return RESPONSE_WAIT;
		e->spoke = now;
	}
	if (n > e->text.n - e->sent)
		n = e->text.n - e->sent;
	memcpy(p, e->text.p + e->sent, n);
	e->sent += n;
	return (ptrdiff_t)n;
}

static void events_done(void *context)
{
	struct events *e = context;

	buf_release(&e->text);
	arena_release(&e->arena);
}

void api_job_events(struct request *q, struct response *r)
{
	struct events *e = ARENA_NEW(&q->arena, struct events);
	struct str last = request_header(q, "Last-Event-ID");
	struct job_view v;

	if (!job_of(q, r, &v))
		return;
	*e = (struct events){ .id = v.id, .first = true, .text = BUF(MIB), .spoke = server_now_ns() };
	if (str_u64(last, &e->seen) && e->seen == v.seq && job_state_over(v.state)) {
		r->status = 204; /* nothing will come: a client does not ask again */
		return;
	}
	response_header(r, "Cache-Control", STR("no-store"));
	response_header(r, "X-Accel-Buffering", STR("no"));
	response_stream(r, "text/event-stream", events_more, events_done, e);
}
