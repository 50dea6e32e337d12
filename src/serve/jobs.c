/* serve/jobs.c -- see jobs.h. */
#include "serve/jobs.h"

#include <pthread.h>
#include <time.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/task.h"
#include "flow/reduce.h"

struct job {
	struct job *next; /* older */
	struct arena arena;
	struct job_request q;
	struct job_view view; /* strings in its own arena */
	bool cancel;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs; /* newest first */
static uint64_t last_id;
static bool running;

const char *job_state_name(enum job_state s)
{
	static const char *const names[] = { "queued", "running", "succeeded", "failed", "cancelled" };

	return names[s];
}

static bool ended(const struct job *j) { return j->view.state > JOB_RUNNING; }

static struct job *find(uint64_t id)
{
	for (struct job *j = jobs; j; j = j->next)
		if (j->view.id == id)
			return j;
	return NULL;
}

static struct job *oldest_waiting(void)
{
	struct job *found = NULL;

	for (struct job *j = jobs; j; j = j->next)
		if (j->view.state == JOB_QUEUED)
			found = j;
	return found;
}

/* Work of one job; its own strings are not touched by others while it runs. */
static int compute(const struct job_request *q, uint64_t *cover, struct err *err)
{
	struct reduce_request r = { .name = q->name };
	struct reduce_report report;
	struct collection coll = { 0 };
	int rc;

	r.run = (struct run_request){ .rule = str(q->rule),
				      .where = q->where,
				      .per = q->per,
				      .keep_at_least = q->keep_at_least,
				      .prefer = q->prefer,
				      .keep = q->keep,
				      .n_keep = q->n_keep,
				      .threads = q->threads,
				      .memory = q->memory };
	if ((rc = collection_open(&coll, q->dir, CATALOG_READ, NULL, err)) < 0)
		return rc;
	if ((rc = catalog_begin(coll.catalog, err)) == WN_OK && (rc = reduce_run(&coll, &r, &report, err)) == WN_OK) {
		*cover = report.cover;
		reduce_report_release(&report);
	}
	catalog_end(coll.catalog);
	collection_close(&coll);
	return rc;
}

static void take_progress(struct job *j)
{
	struct progress_state s;

	progress_now(&s);
	j->view.n_phases = s.n < JOB_PHASES ? s.n : JOB_PHASES;
	memcpy(j->view.phases, s.phases + (s.n - j->view.n_phases), j->view.n_phases * sizeof *s.phases);
	j->view.total = s.total;
	j->view.low = s.low;
	j->view.high = s.high;
}

static void *work(void *context)
{
	struct job *j;

	(void)context;
	pthread_mutex_lock(&lock);
	while ((j = oldest_waiting())) {
		struct err err = { 0 };
		uint64_t cover = 0;
		int rc;

		j->view.state = JOB_RUNNING;
		j->view.started = time(NULL);
		task_stop(false);
		progress_reset();
		pthread_mutex_unlock(&lock);
		rc = compute(&j->q, &cover, &err);
		pthread_mutex_lock(&lock);
		take_progress(j);
		task_stop(false);
		j->view.ended = time(NULL);
		j->view.cover = cover;
		j->view.state = rc == WN_OK ? JOB_SUCCEEDED : j->cancel ? JOB_CANCELLED : JOB_FAILED;
		if (rc < 0)
			j->view.error = arena_str(&j->arena, str(err.text));
	}
	running = false;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static const char *copy(struct arena *a, const char *s) { return s ? arena_strz(a, str(s)) : NULL; }

static struct job *job_new(const struct job_request *q)
{
	struct job *j = mem_zalloc(sizeof *j);
	const char **keep = ARENA_ARRAY(&j->arena, const char *, q->n_keep + 1);

	j->q = *q;
	j->q.coll = copy(&j->arena, q->coll);
	j->q.dir = copy(&j->arena, q->dir);
	j->q.rule = copy(&j->arena, q->rule);
	j->q.where = copy(&j->arena, q->where);
	j->q.per = copy(&j->arena, q->per);
	j->q.prefer = copy(&j->arena, q->prefer);
	j->q.name = copy(&j->arena, q->name);
	for (size_t i = 0; i < q->n_keep; i++)
		keep[i] = copy(&j->arena, q->keep[i]);
	j->q.keep = keep;
	j->view = (struct job_view){
		.coll = str(j->q.coll), .rule = str(j->q.rule), .name = str(j->q.name), .created = time(NULL)
	};
	return j;
}

/* Forgets the oldest that has ended when there are too many; false when none has. */
static bool make_room(void)
{
	struct job **oldest = NULL, *gone;
	unsigned n = 0;

	for (struct job **p = &jobs; *p; p = &(*p)->next) {
		n++;
		if (ended(*p))
			oldest = p;
	}
	if (n < LIMIT_JOBS)
		return true;
	if (!oldest)
		return false;
	gone = *oldest;
	*oldest = gone->next;
	arena_release(&gone->arena);
	mem_free(gone);
	return true;
}

int jobs_add(const struct job_request *q, uint64_t *id, struct err *err)
{
	struct job *j;
	pthread_t thread;
	int rc = WN_OK;

	pthread_mutex_lock(&lock);
	if (!make_room()) {
		pthread_mutex_unlock(&lock);
		return err_set(err, WN_LIMIT, "%d jobs are waiting already; try again when one has ended", LIMIT_JOBS);
	}
	j = job_new(q);
	j->view.id = *id = ++last_id;
	j->next = jobs;
	jobs = j;
	if (!running) {
		if (pthread_create(&thread, NULL, work, NULL) == 0) {
			pthread_detach(thread);
			running = true;
		} else {
			j->view.state = JOB_FAILED;
			rc = err_set(err, WN_LIMIT, "the system gives no thread for the job; try again later");
		}
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

static void view(struct arena *a, struct job *j, struct job_view *out)
{
	if (j->view.state == JOB_RUNNING)
		take_progress(j);
	*out = j->view;
	out->coll = arena_str(a, out->coll);
	out->rule = arena_str(a, out->rule);
	out->name = arena_str(a, out->name);
	out->error = arena_str(a, out->error);
	out->ahead = 0;
	if (j->view.state == JOB_QUEUED)
		for (struct job *o = j->next; o; o = o->next)
			out->ahead += !ended(o);
}

bool jobs_get(struct arena *a, uint64_t id, struct job_view *out)
{
	struct job *j;

	pthread_mutex_lock(&lock);
	if ((j = find(id)))
		view(a, j, out);
	pthread_mutex_unlock(&lock);
	return j != NULL;
}

size_t jobs_list(struct arena *a, struct job_view **out)
{
	size_t n = 0;

	pthread_mutex_lock(&lock);
	for (struct job *j = jobs; j; j = j->next)
		n++;
	*out = ARENA_ARRAY(a, struct job_view, n + 1);
	n = 0;
	for (struct job *j = jobs; j; j = j->next)
		view(a, j, &(*out)[n++]);
	pthread_mutex_unlock(&lock);
	return n;
}

bool jobs_cancel(uint64_t id)
{
	struct job *j;
	bool can;

	pthread_mutex_lock(&lock);
	j = find(id);
	can = j && !ended(j);
	if (can) {
		j->cancel = true;
		if (j->view.state == JOB_QUEUED) {
			j->view.state = JOB_CANCELLED;
			j->view.ended = time(NULL);
		} else {
			task_stop(true);
		}
	}
	pthread_mutex_unlock(&lock);
	return can;
}

unsigned jobs_active(void)
{
	unsigned n = 0;

	pthread_mutex_lock(&lock);
	for (struct job *j = jobs; j; j = j->next)
		n += !ended(j);
	pthread_mutex_unlock(&lock);
	return n;
}
