/* serve/job_store.h -- the jobs of a collection, in its catalogue: any process adds, shows and cancels, one at a time works.
 *
 * A row of table `job` is queued, running, paused, or ended (succeeded, failed,
 * cancelled).  Who works on it holds a lease: owner and a time, which it moves on as
 * long as it lives.  A running job whose lease has passed may be taken by
 * another, which becomes its owner; whoever lost it finds out at its next beat,
 * and at the latest when it stores its result: that happens in one transaction
 * with the end of the job, under the condition that it is still the owner.  So
 * a job ends once, and its result is there once, whoever dies when.
 *
 * Times are milliseconds since 1970 and come from the caller: tests have their own clock.
 */
#ifndef WINNOW_SERVE_JOB_STORE_H
#define WINNOW_SERVE_JOB_STORE_H
#include "catalog/catalog.h"

struct sqlite3;

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_PAUSED, JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED, JOB_STATES };
const char *job_state_name(enum job_state s);
static inline bool job_state_over(enum job_state s) { return s >= JOB_SUCCEEDED; }

enum job_wish { JOB_GO_ON, JOB_WISH_CANCEL, JOB_WISH_PAUSE }; /* what someone asked of a running job */

struct job_row {	 /* strings in the caller's arena */
	uint64_t number; /* in its collection, from 1 */
	uint64_t seq;	 /* grows with each change of the row */
	enum job_state state;
	enum job_wish wish;
	struct str kind;     /* "cover", "update", "ingest" */
	struct str spec;     /* JSON: what to do */
	struct str owner;    /* of one that runs */
	struct str progress; /* JSON, as the owner last wrote it */
	struct str error;
	struct str key; /* Idempotency-Key */
	int64_t created, started, ended, lease;
	uint64_t attempts, result; /* result: a cover's id */
	unsigned ahead;		   /* that wait in front of it */
};

/* Makes the table where a collection has none yet; in a transaction of its own. */
int job_store_prepare(struct sqlite3 *db, struct err *err);
bool job_store_is_there(struct sqlite3 *db);

/* key not empty and known: the same job's number again, and *known. */
int job_store_add(struct sqlite3 *db, const char *kind, struct str spec, struct str key, int64_t now, uint64_t *number,
		  bool *known, struct err *err);
/* The oldest that waits, or that its owner left: now the caller's.  WN_NONE. */
int job_store_take(struct sqlite3 *db, struct arena *a, struct str owner, int64_t now, int64_t lease,
		   struct job_row *out, struct err *err);
/* Moves the lease on and stores the progress.  WN_NONE: it is not the caller's any more. */
int job_store_beat(struct sqlite3 *db, uint64_t number, struct str owner, int64_t now, int64_t lease,
		   struct str progress, enum job_wish *wish, struct err *err);
/* Ends it (or lets it wait again: queued, paused), if it is still the caller's; else WN_NONE.  Within a transaction of the caller's
 * when there is one. */
int job_store_end(struct sqlite3 *db, uint64_t number, struct str owner, enum job_state state, uint64_t result,
		  struct str error, struct str progress, int64_t now, struct err *err);
/* Cancels or pauses: at once when it waits, else its owner is asked.  WN_NONE: it has ended, or there is none. */
int job_store_ask(struct sqlite3 *db, uint64_t number, enum job_wish wish, int64_t now, struct err *err);
int job_store_resume(struct sqlite3 *db, uint64_t number, struct err *err); /* a paused one waits again; WN_NONE */

int job_store_get(struct sqlite3 *db, struct arena *a, uint64_t number, struct job_row *out,
		  struct err *err); /* WN_NONE */
/* Newest first, at most n. */
int job_store_list(struct sqlite3 *db, struct arena *a, size_t n, struct job_row **out, size_t *got, struct err *err);
unsigned job_store_open_jobs(struct sqlite3 *db); /* that wait or run */
#endif
