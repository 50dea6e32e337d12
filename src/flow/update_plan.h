/* flow/update_plan.h -- which documents to probe and which to solve again (inside update.c). */
#ifndef WINNOW_FLOW_UPDATE_PLAN_H
#define WINNOW_FLOW_UPDATE_PLAN_H
#include "base/vec.h"
#include "flow/run.h"
#include "flow/state.h"

#define UPDATE_NONE UINT32_MAX

struct update_pair {
	uint32_t a, b; /* b covers a */
};

/* Documents of the run as it is now are numbers 0..n-1; those of the run that
 * made the cover are `old` numbers. */
struct update_work {
	struct run *run;
	const struct run_state *was;
	const uint8_t *was_kept; /* by old number */
	uint32_t n;
	uint32_t *before; /* [n] old number, or UPDATE_NONE */
	uint32_t *now;	  /* by old number: number, or UPDATE_NONE when gone or changed */
	uint8_t *probed;  /* [n] all pairs with it are in `pairs` */
	uint8_t *forced;  /* [n] nothing covers it, as far as is known: true where set */
	uint32_t *by;	  /* [n] something forced that covers it, by the pairs, or UPDATE_NONE */
	VEC(struct update_pair) pairs;
	uint8_t *open; /* [n] to be solved again */
	uint32_t n_changed, n_gone, n_probed;
};

void update_work_open(struct update_work *w, struct run *r, const struct run_state *was, const uint8_t *was_kept);
void update_work_close(struct update_work *w);
/* Probes `more` ([n] bytes, changed), then whatever that unsettles, until nothing is. */
int update_probe(struct update_work *w, uint8_t *more, struct err *err);
/* Sets open[]: whole components. */
void update_choose(struct update_work *w);
/* Documents of docs[] that the part's kernel makes use of although not all their
 * coverers are known to be in the part: marked in more; returns how many. */
uint32_t update_unsettled(const struct update_work *w, const uint32_t *docs, const struct kernel *k, uint8_t *more);
#endif
