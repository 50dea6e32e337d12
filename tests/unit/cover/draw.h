/* draw.h -- random covering problems for the tests of this layer.
 *
 * Documents get small random sets and times, and Cov is containment with an
 * order, so that the graphs look like real ones (chains, twins, cycles of
 * equal times); or the relation is drawn edge by edge.
 */
#ifndef WINNOW_TEST_COVER_DRAW_H
#define WINNOW_TEST_COVER_DRAW_H
#include "../../oracle/exhaustive_cover.h"
#include "cover/check.h"
#include "test.h"

#define DRAW_MAX 20

struct draw {
	struct exhaustive e; /* the whole relation */
	struct cover_problem p;
	uint64_t start[DRAW_MAX + 1];
	uint32_t by[DRAW_MAX * DRAW_MAX], fold[DRAW_MAX], group[DRAW_MAX], demand[DRAW_MAX];
	uint8_t pinned[DRAW_MAX], previous[DRAW_MAX];
	int64_t prefer[DRAW_MAX];
	uint32_t folded;
};

enum { DRAW_PINS = 1, DRAW_QUOTAS = 2, DRAW_PREFER = 4, DRAW_PREVIOUS = 8, DRAW_FOLD = 16 };

void draw_problem(struct test *t, struct draw *d, uint32_t n, unsigned with);
/* covers() and coverers() of a struct cover_world over d->e. */
int draw_covers(void *context, uint32_t a, uint32_t b, struct err *err);
int draw_coverers(void *context, uint32_t a, int (*each)(void *arg, uint32_t b), void *arg, struct err *err);
void draw_world(const struct draw *d, struct cover_world *w);

/* What a run would store. */
struct draw_stored {
	uint32_t kept[DRAW_MAX], dropped[DRAW_MAX], witness[DRAW_MAX];
	struct certificate certificate;
	struct cover_claim claim;
};
void draw_store(struct test *t, const struct draw *d, const struct cover_result *r, struct draw_stored *s);
#endif
