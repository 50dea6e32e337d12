/* join/answer.h -- pairs of rows gathered into lists, for what coverage.h gives
 * out (inside coverage.c, kernel.c). */
#ifndef WINNOW_JOIN_ANSWER_H
#define WINNOW_JOIN_ANSWER_H
#include "base/vec.h"
#include "join/joiner.h"

struct row_pair {
	uint32_t x, y, shared;
};
typedef VEC(struct row_pair) row_pairs;

struct answer { /* one joiner and one list of row pairs per disjunct */
	const struct join_query *q;
	unsigned n, threads;
	struct joiner *joiner;
	struct row_lists *lists; /* absent (start NULL) where no bound leads: all rows of the block */
};

void answer_open(struct answer *s, const struct join_query *q, const struct join_options *o, const uint8_t *live,
		 bool once);
void answer_close(struct answer *s);
/* The same for pairs in both directions, with what o->index holds; and back, or closed. */
void answer_take(struct answer *s, const struct join_query *q, const struct join_options *o);
void answer_give(struct answer *s, const struct join_options *o);
void answer_stats(const struct answer *s, struct coverage_stats *stats); /* adds; stats may be NULL */

/* Lists from what threads gathered; the pairs are released. */
void lists_build(struct row_lists *l, uint32_t rows, row_pairs *pairs, unsigned threads);

struct covering { /* one coverer of a document */
	uint32_t b, shared;
};
typedef VEC(struct covering) coverings;

/* The coverers of a by the lists, ascending, each once, into out (reset first).
 * kind >= 0: with what they share.  Returns how many pairs were tried. */
uint64_t answer_coverers(struct answer *s, unsigned worker, uint32_t a, int kind, coverings *out);
#endif
