/* serve/jobs.c -- see jobs.h: the thread that works, the thread that holds the lease. */
#include "serve/jobs.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/task.h"
#include "flow/ingest.h"
#include "flow/update.h"
#include "serve/exports.h"
#include "serve/job_spec.h"
#include "serve/server.h"
#include "serve/setup.h"

enum { LOOK_MS = 1000, BEAT_MS = 250 };

/* The job that this process works on. */
struct work {
	bool on, lost, late;
	const struct served *served;
	struct job_row row; /* strings in arena */
	struct arena arena;
	enum job_wish wish;
	uint64_t result; /* the cover that was brought up to date */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t look, beat;
	struct server *server;
	struct catalog **handles; /* of the working thread, by served.index */
	struct catalog **views;	  /* for reading, under the lock */
	char owner[96];
	int64_t lease;
	pthread_t worker, keeper;
	bool begun;
	atomic_bool over;
	struct work work;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .look = PTHREAD_COND_INITIALIZER, .beat = PTHREAD_COND_INITIALIZER };

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void wait_ms(pthread_cond_t *c, int64_t ms)
{
	int64_t at = now_ms() + ms;
	struct timespec t = { at / 1000, at % 1000 * 1000000 };

	pthread_cond_timedwait(c, &all.lock, &t);
}

/* ---- the work itself ---- */

/* In the transaction that stores the cover: either this process still has the job, and it ends, or nothing is stored. */
static int end_with_cover(void *context, struct sqlite3 *db, uint64_t cover, struct err *err)
{
	struct work *w = context;
	struct buf progress = BUF(64 * KIB);
	int rc;

	job_progress_write(&progress, NULL);
	rc = job_store_end(db, w->row.number, str(all.owner), JOB_SUCCEEDED, cover, STR_NONE, buf_view(&progress),
			   now_ms(), err);
	buf_release(&progress);
	pthread_mutex_lock(&all.lock);
	w->lost |= rc == WN_NONE;
	pthread_mutex_unlock(&all.lock);
	return rc;
}

static int make_cover(struct work *w, struct collection *coll, const struct job_spec *spec, struct err *err)
{
	struct covers_commit commit = { end_with_cover, w };
	struct reduce_request r = { .name = spec->name, .commit = &commit };
	const struct server_options *o = &all.server->options;
	struct reduce_report report;
	int rc;

	r.run = (struct run_request){ .rule = str(spec->rule),
				      .where = spec->where,
				      .per = spec->per,
				      .keep_at_least = spec->keep_at_least,
				      .prefer = spec->prefer,
				      .keep = spec->keep,
				      .n_keep = spec->n_keep,
				      .threads = o->threads ? o->threads : task_cores(),
				      .memory = o->memory ? o->memory : 1 * GIB };
	if ((rc = reduce_run(coll, &r, &report, err)) == WN_OK)
		reduce_report_release(&report);
	return rc;
}

static int bring_up_to_date(struct work *w, struct collection *coll, const struct job_spec *spec, struct err *err)
{
	struct covers_commit commit = { end_with_cover, w };
	const struct server_options *o = &all.server->options;
	struct update_request r = { .threads = o->threads ? o->threads : task_cores(),
				    .memory = o->memory ? o->memory : 1 * GIB,
				    .commit = &commit };
	struct reduce_report report;
	struct cover_row row;
	char id[24];
	int rc;

	snprintf(id, sizeof id, "%" PRIu64, spec->update);
	if ((rc = covers_find(coll, &w->arena, id, &row, err)) < 0)
		return rc;
	w->result = spec->update;
	if ((rc = update_run(coll, &row, &r, &report, err)) == WN_OK)
		reduce_report_release(&report);
	return rc;
}

static int make_export(struct work *w, struct collection *coll, const struct job_spec *spec, struct err *err)
{
	const struct server_options *o = &all.server->options;
	const struct export_form *form = export_form(str(spec->format));
	struct cover_row row;
	char id[24];
	int rc;

	snprintf(id, sizeof id, "%" PRIu64, spec->export);
	if (!form)
		return err_set(err, WN_USAGE, "there is no export as '%s'", spec->format);
	if ((rc = covers_find(coll, &w->arena, id, &row, err)) < 0)
		return rc;
	w->result = row.id;
	return exports_make(&w->arena, w->served->dir, coll, &row, form, o->threads ? o->threads : task_cores(),
			    o->memory ? o->memory : 1 * GIB, err);
}

static int ingest_file(struct work *w, const struct job_spec *spec, struct err *err)
{
	const struct server_options *o = &all.server->options;
	struct ingest_options options = { .threads = o->threads ? o->threads : task_cores(),
					  .memory = o->memory ? o->memory : 1 * GIB };
	struct collection coll = { 0 };
	struct ingest_report report;
	int rc;

	if ((rc = collection_open(&coll, w->served->dir, CATALOG_WRITE, NULL, err)) == WN_OK)
		rc = ingest_paths(&coll, &spec->file, 1, &options, &report, err);
	collection_close(&coll);
	if (rc == WN_OK && report.files_failed)
		return err_set(err, WN_IO, "%s", report.failure);
	return rc;
}

static int do_work(struct work *w, struct err *err)
{
	struct collection coll = { 0 };
	struct job_spec spec;
	int rc;

	if ((rc = job_spec_read(&w->arena, w->row.spec, &spec, err)) < 0)
		return rc;
	if (spec.file)
		return ingest_file(w, &spec, err);
	if ((rc = collection_open(&coll, w->served->dir, CATALOG_READ, NULL, err)) < 0)
		return rc;
	if ((rc = catalog_begin(coll.catalog, err)) == WN_OK)
		rc = spec.update   ? bring_up_to_date(w, &coll, &spec, err)
		     : spec.export ? make_export(w, &coll, &spec, err)
				   : make_cover(w, &coll, &spec, err);
	catalog_end(coll.catalog);
	collection_close(&coll);
	return rc;
}

/* ---- taking and ending ---- */

static struct catalog *handle_of(unsigned index)
{
	struct err err = { 0 };
	struct catalog **c = &all.handles[index];

	if (!*c && catalog_open(c, all.server->served[index].dir, CATALOG_SHARED, NULL, &err) < 0)
		*c = NULL; /* not writable: another process has to do its jobs */
	return *c;
}

/* The oldest job that waits in any collection; false: none. */
static bool take(struct work *w)
{
	struct err err = { 0 };

	setup_look(all.server);
	for (size_t i = 0; i < all.server->n_served; i++) {
		struct catalog *c = handle_of((unsigned)i);

		if (!c || !job_store_is_there(catalog_sqlite(c)))
			continue;
		arena_reset(&w->arena);
		if (job_store_take(catalog_sqlite(c), &w->arena, str(all.owner), now_ms(), all.lease, &w->row, &err) ==
		    WN_OK) {
			w->served = &all.server->served[i];
			return true;
		}
	}
	return false;
}

/* How it goes on with a job whose work ended with rc. */
static enum job_state state_after(const struct work *w, int rc, const struct err *err)
{
	if (rc == WN_OK)
		return JOB_SUCCEEDED;
	if (w->late)
		return JOB_FAILED;
	if (w->wish == JOB_WISH_CANCEL)
		return JOB_CANCELLED;
	if (w->wish == JOB_WISH_PAUSE)
		return JOB_PAUSED;
	if (all.over || rc == WN_BUSY)
		return JOB_QUEUED;
	if (strstr(err->text, "No space left"))
		return JOB_PAUSED; /* room can be made; what was done so far is kept */
	return JOB_FAILED;
}

static void end(struct work *w, int rc, const struct err *err)
{
	struct catalog *c = handle_of(w->served->index);
	enum job_state state = state_after(w, rc, err);
	struct buf progress = BUF(64 * KIB);
	struct str why = state == JOB_FAILED || state == JOB_PAUSED ? str(err->text) : STR_NONE;
	struct err ignored = { 0 };

	job_progress_write(&progress, NULL);
	if (w->late)
		why = STR("it took longer than this server lets a job take");
	if (c && !w->lost)
		job_store_end(catalog_sqlite(c), w->row.number, str(all.owner), state,
			      state == JOB_SUCCEEDED ? w->result : 0, why, buf_view(&progress), now_ms(),
			      &ignored); /* WN_NONE: it ended with its cover, or another has it */
	buf_release(&progress);
}

static int begin_work(struct work *w, struct err *err)
{
	if (w->row.wish == JOB_WISH_CANCEL) {
		w->wish = JOB_WISH_CANCEL;
		return WN_INTERRUPTED;
	}
	if (w->row.attempts > LIMIT_JOB_ATTEMPTS)
		return err_set(err, WN_LIMIT, "%d processes that worked on it ended before it did", LIMIT_JOB_ATTEMPTS);
	return do_work(w, err);
}

static void *work_main(void *context)
{
	struct work *w = &all.work;

	(void)context;
	pthread_mutex_lock(&all.lock);
	while (!all.over) {
		struct err err = { 0 };
		bool busy;
		int rc;

		pthread_mutex_unlock(&all.lock);
		busy = take(w);
		pthread_mutex_lock(&all.lock);
		if (!busy) {
			if (!all.over)
				wait_ms(&all.look, LOOK_MS);
			continue;
		}
		task_stop(all.over);
		progress_reset();
		w->wish = JOB_GO_ON;
		w->lost = w->late = false;
		w->result = 0;
		w->on = true;
		pthread_cond_signal(&all.beat);
		pthread_mutex_unlock(&all.lock);
		rc = begin_work(w, &err);
		pthread_mutex_lock(&all.lock);
		w->on = false;
		pthread_mutex_unlock(&all.lock);
		end(w, rc, &err);
		pthread_mutex_lock(&all.lock);
		task_stop(false);
		if (rc == WN_BUSY && !all.over)
			wait_ms(&all.look, LOOK_MS);
	}
	pthread_mutex_unlock(&all.lock);
	return NULL;
}

/* ---- the lease ---- */

static void beat(struct catalog *c, const struct buf *progress, uint64_t number)
{
	struct work *w = &all.work;
	enum job_wish wish = JOB_GO_ON;
	struct err err = { 0 };
	int rc = job_store_beat(catalog_sqlite(c), number, str(all.owner), now_ms(), all.lease, buf_view(progress),
				&wish, &err);

	pthread_mutex_lock(&all.lock);
	if (w->on && w->row.number == number) {
		if (rc == WN_NONE)
			w->lost = true;
		if (wish != JOB_GO_ON)
			w->wish = wish;
		w->late = now_ms() - w->row.started > (int64_t)LIMIT_JOB_SECONDS * 1000;
		if (w->lost || w->late || wish != JOB_GO_ON)
			task_stop(true);
	}
	pthread_mutex_unlock(&all.lock);
}

static void *keep_main(void *context)
{
	struct buf progress = BUF(64 * KIB);
	struct catalog *c = NULL;
	const struct served *of = NULL;
	struct job_estimate estimate = { 0 };
	uint64_t last = 0;

	(void)context;
	pthread_mutex_lock(&all.lock);
	while (!all.over) {
		struct err err = { 0 };
		uint64_t number;

		if (!all.work.on) {
			pthread_cond_wait(&all.beat, &all.lock);
			continue;
		}
		wait_ms(&all.beat, BEAT_MS);
		if (!all.work.on || all.over)
			continue;
		number = all.work.row.number;
		if (of != all.work.served) {
			of = all.work.served;
			catalog_close(c);
			c = NULL;
		}
		if (last != number)
			estimate = (struct job_estimate){ 0 };
		last = number;
		pthread_mutex_unlock(&all.lock);
		buf_reset(&progress);
		job_progress_write(&progress, &estimate);
		if (c || catalog_open(&c, of->dir, CATALOG_SHARED, NULL, &err) == WN_OK)
			beat(c, &progress, number);
		pthread_mutex_lock(&all.lock);
	}
	pthread_mutex_unlock(&all.lock);
	catalog_close(c);
	buf_release(&progress);
	return NULL;
}

/* ---- start and end ---- */

int jobs_begin(struct server *s, int64_t lease, struct err *err)
{
	unsigned char id[8];
	char host[48] = "";

	if (getrandom(id, sizeof id, 0) != (ssize_t)sizeof id)
		return err_set(err, WN_IO, "the system gives no random bytes");
	gethostname(host, sizeof host - 1);
	snprintf(all.owner, sizeof all.owner, "%s:%ld:%02x%02x%02x%02x%02x%02x%02x%02x", host, (long)getpid(), id[0],
		 id[1], id[2], id[3], id[4], id[5], id[6], id[7]);
	all.server = s;
	all.lease = lease;
	all.handles = mem_zarray(s->max_served, sizeof(void *));
	all.views = mem_zarray(s->max_served, sizeof(void *));
	if (s->options.read_only)
		return WN_OK; /* it shows them, and leaves the work to others */
	if (pthread_create(&all.worker, NULL, work_main, NULL) != 0)
		return err_set(err, WN_LIMIT, "the system gives no thread for jobs");
	if (pthread_create(&all.keeper, NULL, keep_main, NULL) != 0)
		die("the system gives no thread for jobs");
	all.begun = true;
	return WN_OK;
}

void jobs_end(void)
{
	if (!all.server)
		return;
	pthread_mutex_lock(&all.lock);
	all.over = true;
	task_stop(true);
	pthread_cond_broadcast(&all.look);
	pthread_cond_broadcast(&all.beat);
	pthread_mutex_unlock(&all.lock);
	if (all.begun) {
		pthread_join(all.worker, NULL);
		pthread_join(all.keeper, NULL);
	}
	for (size_t i = 0; i < all.server->max_served; i++) {
		catalog_close(all.handles[i]);
		catalog_close(all.views[i]);
	}
	arena_release(&all.work.arena);
	mem_free(all.handles);
	mem_free(all.views);
	all.server = NULL;
}

/* ---- asking ---- */

static const struct served *served_of(struct str id, uint64_t *number)
{
	ptrdiff_t dash = str_rchr(id, '-');
	const struct served *s;
	struct str name;

	if (!all.server || dash < 0 || !str_u64(str_sub(id, (size_t)dash + 1, id.n), number))
		return NULL;
	name = str_sub(id, 0, (size_t)dash);
	s = server_find(all.server, name, false);
	return s || !setup_look(all.server) ? s : server_find(all.server, name, false);
}

int jobs_add(struct arena *a, const struct job_request *q, struct str *id, struct err *err)
{
	const struct served *s = server_find(all.server, str(q->coll), false);
	struct buf spec = BUF(4 * MIB);
	struct catalog *c = NULL;
	uint64_t number = 0;
	bool known;
	int rc;

	if (!s)
		return err_set(err, WN_NONE, "there is no collection '%s' here", q->coll);
	job_spec_write(&spec, q);
	if (spec.full)
		rc = err_set(err, WN_LIMIT, "this is too much for one job");
	else if ((rc = catalog_open(&c, s->dir, CATALOG_SHARED, NULL, err)) == WN_OK &&
		 (rc = job_store_prepare(catalog_sqlite(c), err)) == WN_OK)
		rc = job_store_add(catalog_sqlite(c),
				   q->file     ? "ingest"
				   : q->update ? "update"
				   : q->export ? "export"
					       : "cover",
				   buf_view(&spec), str(q->key), now_ms(), &number, &known, err);
	catalog_close(c);
	buf_release(&spec);
	if (rc < 0)
		return rc;
	*id = arena_printf(a, "%s-%" PRIu64, s->name, number);
	pthread_mutex_lock(&all.lock);
	pthread_cond_signal(&all.look);
	pthread_mutex_unlock(&all.lock);
	return WN_OK;
}

/* Under the lock. */
static struct sqlite3 *view_db(const struct served *s)
{
	struct catalog **c = &all.views[s->index];
	struct err err = { 0 };

	if (!*c && catalog_open(c, s->dir, CATALOG_READ, NULL, &err) < 0)
		*c = NULL;
	return *c ? catalog_sqlite(*c) : NULL;
}

bool jobs_get(struct arena *a, struct str id, struct job_view *out)
{
	uint64_t number;
	const struct served *s = served_of(id, &number);
	struct err err = { 0 };
	struct job_row row;
	struct sqlite3 *db;
	bool found = false;

	if (!s)
		return false;
	pthread_mutex_lock(&all.lock);
	if ((db = view_db(s)) && job_store_get(db, a, number, &row, &err) == WN_OK) {
		job_view_make(a, db, s->name, &row, out);
		found = true;
	}
	pthread_mutex_unlock(&all.lock);
	return found;
}

static int newest_first(const void *a, const void *b)
{
	const struct job_view *x = a, *y = b;

	return (x->created < y->created) - (x->created > y->created);
}

size_t jobs_list(struct arena *a, struct job_view **out)
{
	size_t n = 0, max = all.server ? all.server->n_served * LIMIT_JOBS : 0;

	if (max > 4 * LIMIT_JOBS)
		max = 4 * LIMIT_JOBS;
	*out = ARENA_ARRAY(a, struct job_view, max + 1);
	pthread_mutex_lock(&all.lock);
	for (size_t i = 0; all.server && i < all.server->n_served; i++) {
		const struct served *s = &all.server->served[i];
		struct sqlite3 *db = view_db(s);
		struct err err = { 0 };
		struct job_row *rows;
		size_t got = 0;

		if (!db || job_store_list(db, a, LIMIT_JOBS, &rows, &got, &err) < 0)
			continue;
		for (size_t k = 0; k < got && n < max; k++)
			job_view_make(a, NULL, s->name, &rows[k], &(*out)[n++]);
	}
	pthread_mutex_unlock(&all.lock);
	sort_array(*out, n, sizeof **out, newest_first);
	return n;
}

bool jobs_ask(struct str id, enum job_wish wish)
{
	uint64_t number;
	const struct served *s = served_of(id, &number);
	struct catalog *c = NULL;
	struct err err = { 0 };
	bool done;

	if (!s || catalog_open(&c, s->dir, CATALOG_SHARED, NULL, &err) < 0)
		return false;
	done = (wish == JOB_GO_ON ? job_store_resume(catalog_sqlite(c), number, &err)
				  : job_store_ask(catalog_sqlite(c), number, wish, now_ms(), &err)) == WN_OK;
	catalog_close(c);
	pthread_mutex_lock(&all.lock);
	pthread_cond_signal(&all.look);
	pthread_cond_signal(&all.beat); /* if it is ours, it hears of it now */
	pthread_mutex_unlock(&all.lock);
	return done;
}

unsigned jobs_active(void)
{
	unsigned n = 0;

	pthread_mutex_lock(&all.lock);
	for (size_t i = 0; all.server && i < all.server->n_served; i++) {
		struct sqlite3 *db = view_db(&all.server->served[i]);

		n += db ? job_store_open_jobs(db) : 0;
	}
	pthread_mutex_unlock(&all.lock);
	return n;
}
