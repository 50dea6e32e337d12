/* flow/update_plan.h -- which documents to probe and which to solve again (inside update.c). */
#ifndef WINNOW_FLOW_UPDATE_PLAN_H
#define WINNOW_FLOW_UPDATE_PLAN_H
#include "base/vec.h"
#include "cover/cover.h"
#include "flow/run.h"
#include "flow/state.h"

#define UPDATE_NONE UINT32_MAX
#define UPDATE_CHANGED STATE_KINDS

struct update_pair {
	uint32_t a, b, shared; /* b covers a; shared: of the run's kind, 0 when the rule measures no text */
};

/* Documents of the run as it is now are numbers 0..n-1; those of the run that
 * made the cover are `old` numbers. */
struct update_work {
	struct run *run;
	const struct run_state *was;
	uint32_t n;
	uint64_t *signature; /* [n] */
	uint32_t *before;    /* [n] old number, or UPDATE_NONE */
	uint32_t *now;	     /* by old number: number, or UPDATE_NONE when gone or changed */
	uint8_t *kind;	     /* [n] how the run before settled it (state.h); UPDATE_CHANGED: it is new or changed */
	uint32_t *of;	     /* [n] of covered and folded ones by whom, if that is unchanged, or UPDATE_NONE */
	uint8_t *kept;	     /* [n] it was there, perhaps another, and kept */
	/* [n] probed: `pairs` has its coverers among the probed and those kept before, and whom it covers of the probed
	 * and of rows that mattered; the rest was put off.  whole: all its coverers but those that are folded. */
	uint8_t *probed, *whole;
	uint8_t *folds;	    /* [n] a changed document that is folded into an unchanged twin; it is not probed */
	uint32_t *fold;	    /* [n] of those: into which */
	uint8_t *forced;    /* [n] nothing covers it, as far as is known: true where set */
	uint8_t *unsettled; /* [n] covered or folded before, and what settled it is there no more */
	uint32_t n_lost;    /* documents that were forced and are not: what `unsettled` was made for */
	uint32_t *by;	    /* [n] something forced that covers it, by the pairs, or UPDATE_NONE */
	VEC(struct update_pair) pairs; /* after update_part_build each once */
	uint32_t *pair_start;	       /* [n + 1] by a, once update_rows was called */
	uint8_t *open;		       /* [n] to be solved again */
	uint8_t *part_open;	       /* by old component */
	uint32_t n_changed, n_gone, n_probed;
};

/* The problem of the open documents, by numbers of its own. */
struct update_part {
	uint32_t *docs, n; /* [n] numbers in the run, ascending */
	uint32_t *place;   /* by number in the run: number here, or UPDATE_NONE */
	uint64_t *start;   /* coverers */
	VEC(uint32_t) by;
	uint8_t *covered; /* something forced, outside, covers it */
	uint32_t *fold;
};

void update_work_open(struct update_work *w, struct run *r, const struct run_state *was);
void update_work_close(struct update_work *w); /* zero is fine */
static inline bool update_unchanged(const struct update_work *w, uint32_t d) { return w->kind[d] != UPDATE_CHANGED; }
/* Adds the pairs that are asked for; of documents probed before only those put off (ask.later). */
int update_pairs(struct update_work *w, struct coverage_asking ask, struct err *err);
/* Probes `more` ([n], as what; changed), then whatever that unsettles, until nothing is. */
int update_probe(struct update_work *w, uint8_t *more, struct err *err);
/* Sets open[].  values: the old certificate's. */
void update_choose(struct update_work *w, const struct certificate *proof);
void update_part_build(struct update_part *p, struct update_work *w);
void update_part_release(struct update_part *p); /* zero is fine */
/* How an open document is settled, after update_part_build: numbers of the part. */
enum state_kind update_settled(const struct update_part *p, const struct update_work *w, uint32_t i, uint32_t *of);
#endif
