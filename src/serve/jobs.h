/* serve/jobs.h -- covers computed while people do something else.
 *
 * One job runs at a time, on a thread of its own with its own handle of the
 * collection; others wait in line.  A job's result is the stored cover, in one
 * transaction: a server that ends in the middle leaves no half of one.  The
 * list itself is this process's memory, of at most LIMIT_JOBS jobs.
 */
#ifndef WINNOW_SERVE_JOBS_H
#define WINNOW_SERVE_JOBS_H
#include "base/arena.h"
#include "base/err.h"
#include "base/progress.h"

struct served;

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED };
const char *job_state_name(enum job_state s);

struct job_request {
	const char *coll, *dir;				/* name and directory of the collection */
	const char *rule, *where, *per, *prefer, *name; /* NULL: none */
	const char *const *keep;
	size_t n_keep;
	uint64_t keep_at_least, memory;
	unsigned threads;
};

#define JOB_PHASES 16

struct job_view {	    /* strings in the caller's arena */
	uint64_t id, cover; /* cover: of one that succeeded */
	enum job_state state;
	struct str coll, rule, name, error;
	int64_t created, started, ended; /* 0: not yet */
	unsigned ahead;			 /* jobs in front of it */
	struct progress_phase phases[JOB_PHASES];
	unsigned n_phases;
	uint64_t total;	  /* of the last phase; 0: not known */
	double low, high; /* seconds until the end of this phase; high 0: not known */
};

/* WN_LIMIT when too many wait. */
int jobs_add(const struct job_request *q, uint64_t *id, struct err *err);
bool jobs_get(struct arena *a, uint64_t id, struct job_view *out);
size_t jobs_list(struct arena *a, struct job_view **out); /* newest first */
bool jobs_cancel(uint64_t id);				  /* false: there is no such job, or it has ended */
unsigned jobs_active(void);				  /* that wait or run */
#endif
