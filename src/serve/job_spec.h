/* serve/job_spec.h -- what a job is to do and how far it is, as the JSON that its row keeps. */
#ifndef WINNOW_SERVE_JOB_SPEC_H
#define WINNOW_SERVE_JOB_SPEC_H
#include "serve/jobs.h"

struct job_spec { /* in the arena */
	const char *rule, *where, *per, *prefer, *name, *file, *format;
	const char **keep;
	size_t n_keep;
	uint64_t keep_at_least, update, export;
};

void job_spec_write(struct buf *out, const struct job_request *q);
int job_spec_read(struct arena *a, struct str text, struct job_spec *out, struct err *err);

/* The end as it was last foretold, so that a change can be named. */
struct job_estimate {
	double finish; /* progress_clock; 0: not yet */
	double told;
	int revised; /* seconds */
};
/* How far the work of this process is.  e NULL: it has ended. */
void job_progress_write(struct buf *out, struct job_estimate *e);

struct sqlite3;
/* db: of its collection, to learn from earlier jobs; NULL: not asked. */
void job_view_make(struct arena *a, struct sqlite3 *db, const char *coll, const struct job_row *row,
		   struct job_view *out);
#endif
