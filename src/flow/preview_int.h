/* flow/preview_int.h -- what the files of a preview share. */
#ifndef WINNOW_FLOW_PREVIEW_INT_H
#define WINNOW_FLOW_PREVIEW_INT_H
#include "base/mem.h"
#include "flow/preview.h"
#include "join/coverage.h"
#include "join/ruled.h"
#include "join/stored.h"
#include "rule/threshold.h"

struct preview_state {
	struct arena *arena; /* of the report */
	struct collection *coll;
	struct rule *rule;
	struct threshold threshold;
	bool has_threshold;
	struct selection docs;
	struct join_options join;
	uint64_t seed, budget;
	/* blocks */
	enum preview_blocks by;
	uint32_t *block;		  /* by document */
	uint32_t blocks, *size;		  /* documents of each */
	uint64_t *shingles, all_shingles; /* of each block, a content counted once */
	double *bytes;
};

/* Divides the documents into blocks: everything from `by` on. */
int preview_divide(struct preview_state *p, struct err *err);
void preview_release(struct preview_state *p);

/* A rule bound to some documents and their sets (NULL: none yet), ready to be joined. */
struct trial {
	struct bound *bound;
	struct plan *plan;
	struct ruled ruled;
	int kind;	 /* of text that examples are measured by; -1: no measure */
	uint32_t **keys; /* [plan->n] by disjunct, when blocks are kept apart; NULL else */
};
/* apart: [docs->n] blocks between which no pair counts, or NULL. */
int trial_open(struct trial *t, const struct rule *rule, const struct selection *docs, const struct stored *sets,
	       const uint32_t *apart, struct err *err);
void trial_close(struct trial *t); /* zero is fine */

int preview_examples(struct preview_state *p, const struct selection *docs, const struct stored *sets,
		     const uint32_t *apart, const uint8_t *kept, struct preview_report *o, struct err *err);
const char *measure_name(enum measure m);
#endif
