/* flow/reduce_int.h -- steps that reduce and update share. */
#ifndef WINNOW_FLOW_REDUCE_INT_H
#define WINNOW_FLOW_REDUCE_INT_H
#include "flow/covers.h"
#include "flow/reduce.h"

/* What the run is about, as its certificate names it. */
struct certificate_run reduce_about(const struct run *r);
/* The certificate; in the arena. */
void reduce_proof(const struct run *r, const struct cover_result *c, struct arena *a, struct certificate *out);
/* The sizes of the texts of dropped documents and of their witnesses, by document; others may be 0. */
int reduce_sizes(struct run *r, const uint32_t *witness, uint32_t *size, struct err *err);
/* Dropped documents whose witness (by document) holds by an equality of missing values. */
int reduce_count_missing(struct run *r, const uint32_t *witness, uint64_t *count, struct err *err);
/* Of an update: what it was asked that the report repeats. */
void reduce_tell_pins(const struct reduce_request *q, struct reduce_report *o);
void reduce_fill_report(struct run *r, const struct cover_result *c, const struct coverage_stats *stats,
			struct reduce_report *o);
/* What there is to store. */
struct reduce_answer {
	struct member_list members;
	const struct certificate *proof;
	const struct run_state *state; /* NULL: none */
	bool patch;		       /* the rest as in struct cover_row */
	bool (*differs)(const void *update, uint32_t document);
	const void *update;
	const uint64_t *gone;
	size_t n_gone;
	uint64_t was_revision;
	const struct cover_index *index;
	unsigned n_index;
};
int reduce_store(struct run *r, const struct reduce_request *q, struct reduce_report *o, struct reduce_answer *x,
		 struct err *err);
#endif
