/* join/columns_int.h -- classes while they are found (columns.c), which are then ranked (columns_rank.c). */
#ifndef WINNOW_JOIN_COLUMNS_INT_H
#define WINNOW_JOIN_COLUMNS_INT_H
#include "base/vec.h"
#include "join/columns.h"

#define SHARDS 64u /* class tables, each filled by one thread at a time */

/* Classes while building: records of n, weight and n rows, one after another. */
struct shard {
	uint64_t *slots; /* tag << 32 | record's place + 1; 0 = free */
	size_t cap, n;	 /* slots, classes */
	VEC(uint32_t) records;
};
enum { REC_N, REC_WEIGHT, REC_ROWS };

struct columns_shards {
	uint32_t rows;
	struct shard shard[SHARDS];
};

void columns_shard_release(struct shard *s);
/* The index of all classes, which leave their shards. */
void columns_rank(struct columns_index *c, struct columns_shards *b, const struct join_sets *sets, const uint32_t *set,
		  unsigned threads);
#endif
