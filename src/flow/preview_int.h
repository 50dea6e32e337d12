/* flow/preview_int.h -- what the files of a preview share. */
#ifndef WINNOW_FLOW_PREVIEW_INT_H
#define WINNOW_FLOW_PREVIEW_INT_H
#include "base/mem.h"
#include "cover/cover.h"
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
	struct rule *loosest; /* of the curve's rules: the one that all pairs satisfy; NULL without a curve */
	struct selection docs;
	struct join_options join;
	uint64_t seed, budget;
	/* blocks */
	enum preview_blocks by;
	uint32_t *block;	/* by document */
	uint32_t blocks, *size; /* documents of each */
	uint64_t *shingles;	/* of each, a content counted once */
	uint64_t all_shingles, all_contents;
	uint64_t whole_shingles, contents; /* the same before blocks of a key were divided by URL */
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

/* Documents and sets that a rule is tried on.  Trials of other thresholds share an index. */
struct ground {
	const struct selection *docs;
	const struct stored *sets;
	const uint32_t *apart; /* [docs->n] blocks between which no pair counts, or NULL */
	struct coverage_index *index;
	bool curve; /* rules of the curve are solved on it */
};
/* nodes: of exact search; what is not proven then is a good cover, and a bound. */
int ground_solve(const struct preview_state *p, const struct ground *g, const struct rule *rule, unsigned nodes,
		 struct cover_result *out, struct err *err);
/* As coverage_witness, of what is kept there. */
int ground_witness(const struct preview_state *p, const struct ground *g, const struct rule *rule, const uint8_t *kept,
		   uint32_t *witness, uint32_t *shared, int *kind, struct err *err);
/* The sets that the rule names of these documents. */
int preview_sets(const struct preview_state *p, const struct selection *docs, struct stored *out, struct err *err);
/* Documents kept of each of n blocks; of[d]: in which one d lies.  The caller's. */
double *kept_by_block(const uint8_t *kept, const uint32_t *of, size_t docs, size_t n);

/* All documents by a share of their shingles (preview_narrow.c). */
struct narrowed {
	struct stored sets;
	struct ground inside, across; /* pairs inside blocks count; all */
	double share;		      /* of the shingles */
	uint32_t kept;		      /* of the rule that was looked at first */
};
/* Opens it when a share that the budget allows tells documents apart; else w->inside.docs is NULL. */
int narrowed_open(struct narrowed *w, const struct preview_state *p, struct err *err);
void narrowed_release(struct narrowed *w); /* zero is fine */

struct narrowed_view {
	double *kept;		    /* [blocks] about, by pairs inside; the caller's */
	double least, across, most; /* share of that which pairs across blocks take away */
};
/* The rule that was looked at first, with another threshold: `own` corrects what narrowed sets say of it. */
int narrowed_point(struct narrowed *w, const struct preview_state *p, const struct rule *rule,
		   const struct preview_interval *own, struct preview_interval *out, struct err *err);
int narrowed_look(struct narrowed *w, const struct preview_state *p, const struct rule *rule, struct narrowed_view *out,
		  struct err *err);

int preview_examples(struct preview_state *p, const struct ground *g, const uint8_t *kept, struct preview_report *o,
		     struct err *err);
const char *measure_name(enum measure m);
#endif
