/* flow/reduce.h -- from a rule to a stored cover: kept documents, witnesses, proof. */
#ifndef WINNOW_FLOW_REDUCE_H
#define WINNOW_FLOW_REDUCE_H
#include "base/json.h"
#include "cover/certificate.h"
#include "flow/covers.h"
#include "flow/run.h"

struct reduce_request {
	struct run_request run;
	const char *name;
	bool yes;		  /* also when all pairs must be tried */
	double time_limit;	  /* seconds of search; 0: none */
	uint64_t replaces;	  /* a cover's id: the answer takes its place; 0: a new one */
	const uint64_t *previous; /* captures that were kept, ascending: keep many of them; NULL: no matter */
	size_t n_previous;
	const struct covers_commit *commit; /* NULL: none */
	const char *update_whole;	    /* an update that has to solve all says why; NULL: no update */
	const uint64_t *pins_gone; /* of an update: captures that were to be kept and are in the collection no more */
	size_t n_pins_gone;
};

struct reduce_share { /* documents of one host or year */
	struct str name;
	uint64_t documents, kept, bytes, bytes_kept;
};

struct reduce_report {
	uint64_t cover; /* its id */
	struct str rule, sha256, selection;
	uint64_t documents, urls, shingles, kept, dropped, bytes, bytes_kept;
	double versions_mean, versions_sd;
	uint64_t pairs; /* UINT64_MAX: not all were needed */
	uint64_t components, proven_components, proven_by_certificate, lower_bound, gap, forced, quotas_binding;
	uint64_t by_missing; /* dropped by an equality that holds only because both sides are missing */
	bool timed_out, value_proven;
	double recall; /* 1: exact */
	bool approximate;
	struct reduce_share *hosts, *years;
	size_t n_hosts, n_years;
	struct {
		uint64_t no_text, status, where, versions;
	} excluded;
	double seconds;
	uint64_t peak_memory, revision;
	bool resumed; /* the join was there from a run that was killed */
	struct {      /* of an update only */
		bool done;
		uint64_t changed, gone, probed, solved, components; /* documents; components solved again */
		uint64_t kept_new, kept_no_more;
		bool stable;	  /* few changes were preferred to the cover's own preference */
		struct str whole; /* why all of it was solved again; empty: it was not */
		uint64_t *pins_gone;
		size_t n_pins_gone;
	} update;
	struct arena arena; /* of the strings and arrays above */
};

/* Joins, solves, stores the cover and its certificate.  WN_USAGE when the rule
 * is bad or quadratic without `yes`. */
int reduce_run(struct collection *coll, const struct reduce_request *q, struct reduce_report *out, struct err *err);
void reduce_report_release(struct reduce_report *r);
void reduce_report_json(const struct reduce_report *r, struct json *j); /* the object that --json prints */
#endif
