/* cover/kernel.h -- a join's kernel as a covering problem.
 *
 * Core documents bring their lists; forced ones have no coverers; covered ones
 * need no row; folded ones point to their representative.  The caller adds
 * pins (the same that the join was given), quotas, preferences.
 */
#ifndef WINNOW_COVER_KERNEL_H
#define WINNOW_COVER_KERNEL_H
#include "base/arena.h"
#include "cover/cover.h"
#include "join/coverage.h"

/* Fills n, start, by, covered and fold; the arrays live in the arena, or are
 * the kernel's own. */
void cover_from_kernel(struct arena *a, const struct kernel *k, struct cover_problem *out);
/* The same of a full graph; borrows its arrays. */
void cover_from_coverage(const struct coverage *c, struct cover_problem *out);
#endif
