/* flow/run.h -- a rule on a selection of a collection, ready to be joined.
 *
 * run_open reads the rule and the selection, loads the documents' columns and
 * opens their stored sets: what reduce, check, why, preview, graph and update
 * all begin with.  Everything in it belongs to one revision of the collection.
 */
#ifndef WINNOW_FLOW_RUN_H
#define WINNOW_FLOW_RUN_H
#include "base/opt.h"
#include "flow/selection.h"
#include "join/coverage.h"
#include "join/ruled.h"
#include "join/stored.h"

struct run_request {
	struct str rule;   /* text, not a preset's name */
	const char *where; /* NULL: documents with status 200 or none */
	const char *per;   /* with keep_at_least */
	uint64_t keep_at_least;
	const char *prefer;	 /* NULL: none */
	const char *const *keep; /* documents as a person names them */
	size_t n_keep;
	uint64_t min_versions;
	const uint64_t *only; /* captures; NULL: all (flow/selection.h) */
	size_t n_only;
	bool approx;
	bool late;	  /* sets are tested when they are used, not all of them before */
	bool catalogue;	  /* captures from the catalogue alone (flow/selection.h) */
	bool with_report; /* also the columns that a report needs: host, year, bytes, urlkey */
	unsigned threads;
	uint64_t memory;
	const char *tmp; /* where temporary files go; NULL: into the collection */
};

struct run {
	struct arena arena;
	struct collection *coll;
	struct rule *rule, *where, *prefer_rule;
	struct selection docs;
	struct bound *bound;
	struct plan *plan;
	struct stored sets;
	struct ruled ruled;
	struct join_options join;
	uint8_t *pinned; /* [n] or NULL */
	uint32_t *group; /* [n] or NULL */
	uint32_t groups, *demand;
	int64_t *prefer;	/* [n] or NULL */
	uint32_t *apart;	/* what folding must not mix: group, preference, pin */
	uint8_t *previous;	/* [n] or NULL: kept before, as `update --prefer stable` has it */
	bool needs[ATTR_LIMIT]; /* attributes that the rule, the preference and the groups look at */
	int kind; /* of text that witnesses are measured by: the default, unless the rule measures only the other */
	uint64_t revision;
	const char *tmp; /* a directory for temporary files */
};

int run_open(struct run *r, struct collection *coll, const struct run_request *q, struct err *err);
void run_close(struct run *r); /* zero is fine */

/* After `previous` was set: twins of which one was kept are not folded any more. */
void run_set_apart(struct run *r);
/* 64 bits of each document's text and of whatever the rule, the preference and the groups look at. */
void run_signatures(const struct run *r, uint64_t *out);

/* Overlaps of two documents for each text of the rule; of one kind of text, whatever the rule. */
int run_overlaps(struct run *r, uint32_t a, uint32_t b, struct overlap out[TEXT_KINDS], struct err *err);
int run_overlap(struct run *r, uint32_t a, uint32_t b, int kind, struct overlap *out, struct err *err);
/* The query with the sets of `kind`, which a rule without a measure does not load by itself: for whoever
 * reports overlaps.  Joins take ruled.query, where equal texts mean nothing to such a rule. */
int run_measured(struct run *r, struct join_query *out, struct err *err);
/* coverage_witness by `kind` and time. */
int run_witnesses(struct run *r, const uint8_t *kept, uint32_t *witness, uint32_t *shared, struct err *err);
/* Shingles of a document's text of `kind`. */
int run_set_size(struct run *r, uint32_t doc, uint64_t *size, struct err *err);
#endif
