/* join/probe.h -- one row against the index (inside joiner.c). */
#ifndef WINNOW_JOIN_PROBE_H
#define WINNOW_JOIN_PROBE_H
#include "join/joiner.h"
#include "join/sets.h"

struct probe {			 /* what one thread holds; zero is fine */
	uint32_t rows;		 /* acc and met are for so many */
	uint32_t *acc;		 /* weight met so far by row; zero between probes */
	uint32_t *met;		 /* rows with acc > 0 */
	uint32_t *weight, *rest; /* of the prober's classes, and summed from the end */
	uint32_t room;
	bool ended;
	joiner_pair *pair;
	void *context;
	struct sets_scratch sets;
	struct coverage_stats stats;
	uint64_t tried; /* pairs of documents */
};

/* Pairs that no index finds: x with itself, x empty, or all rows when nothing leads. */
void probe_without_index(struct probe *p, struct joiner *j, unsigned worker, uint32_t x);
/* x probes and meets y, another row of its block; shared is exact.  The bounds are tested. */
void probe_met(struct probe *p, struct joiner *j, unsigned worker, uint32_t x, uint32_t y, uint32_t shared);
/* x and whom it meets by the pairs that are known. */
void probe_known(struct probe *p, struct joiner *j, unsigned worker, uint32_t x);
/* x: number in the index. */
void probe_index(struct probe *p, struct joiner *j, unsigned worker, uint32_t x);
void probe_reset(struct probe *p);   /* another index follows */
void probe_release(struct probe *p); /* the memory */
#endif
