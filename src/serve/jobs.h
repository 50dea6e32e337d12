/* serve/jobs.h -- long work while people do something else: covers, updates, ingests.
 *
 * Jobs lie in the catalogue of their collection (job_store.h), so that every
 * process that serves it shows and cancels them, and takes them over from one that
 * died.  Each process works on one at a time, on a thread of its own with its
 * own handle of the collection; another thread renews the lease, writes down
 * how far the work is, and hears what is asked of it.
 *
 * A job is named NAME-N: the collection's name here, and its number there.
 */
#ifndef WINNOW_SERVE_JOBS_H
#define WINNOW_SERVE_JOBS_H
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/progress.h"
#include "serve/job_store.h"

struct served;
struct server;

/* A cover, when rule is set; the cover `update` brought up to date; the cover `export` as an archive in `format`; or the archive
 * file `file` ingested. */
struct job_request {
	const char *coll;				/* name of the collection */
	const char *rule, *where, *per, *prefer, *name; /* NULL: none */
	const char *const *keep;
	size_t n_keep;
	uint64_t keep_at_least;
	uint64_t update, export;
	const char *file, *format;
	const char *key; /* Idempotency-Key; NULL: none */
};

#define JOB_PHASES 16

struct job_phase {
	struct str name, unit;
	uint64_t done, total; /* total 0: not known */
	double seconds,
	    weight; /* seconds < 0: under way; weight: its share of the time of earlier jobs, 0: not known */
};

struct job_view {	     /* strings in the caller's arena */
	struct str id;	     /* NAME-N */
	uint64_t seq, cover; /* cover: of one that succeeded */
	enum job_state state;
	bool stopping;						/* someone asked it to end, and it has not yet */
	struct str coll, kind, rule, name, file, format, error; /* format: of an export */
	int64_t created, started, ended;			/* seconds; 0: not yet */
	uint64_t attempts;
	unsigned ahead; /* jobs in front of it */
	struct job_phase phases[JOB_PHASES];
	unsigned n_phases;
	double low, high; /* seconds until its end; high 0: not known */
	bool whole;	  /* low and high speak of the whole job, not of this phase alone */
	int revised;	  /* seconds by which the estimate moved */
};

/* Starts the threads; with `lease` ms.  jobs_end lets a job that runs wait for the next process. */
int jobs_begin(struct server *s, int64_t lease, struct err *err);
void jobs_end(void);

/* WN_LIMIT when too many wait.  The name in the arena. */
int jobs_add(struct arena *a, const struct job_request *q, struct str *id, struct err *err);
bool jobs_get(struct arena *a, struct str id, struct job_view *out);
size_t jobs_list(struct arena *a, struct job_view **out); /* newest first */
bool jobs_ask(struct str id, enum job_wish wish); /* JOB_GO_ON resumes; false: there is no such job, or it has ended */
unsigned jobs_active(void);			  /* that wait or run */
void jobs_json(struct json *j, const struct job_view *v); /* the object of the API */
#endif
