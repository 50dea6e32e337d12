/* flow/update_int.h -- an update under way: what update.c, update_combine.c and update_witness.c share. */
#ifndef WINNOW_FLOW_UPDATE_INT_H
#define WINNOW_FLOW_UPDATE_INT_H
#include "flow/kept_index.h"
#include "flow/reduce_int.h"
#include "flow/update_plan.h"

struct update {
	struct update_work work;
	struct update_part part;
	struct run *run;
	struct run_state was, is;
	struct kept_index index;
	struct certificate proof;   /* the old one */
	bool timed_out;		    /* the clock had ended the search that made it */
	bool value_unproven;	    /* its preference was not proven the best */
	struct cover_result solved; /* of the part */
	struct cover_result all;
	struct arena arena;
};

/* After `solved`: all, and is without its witnesses. */
void update_combine(struct update *u);
/* Then those. */
int update_witnesses(struct update *u, struct err *err);
#endif
