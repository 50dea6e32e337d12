/* cover/kernel.h -- answers of the join as covering problems; they borrow its arrays.
 *
 * The caller adds pins, quotas, preferences.
 */
#ifndef WINNOW_COVER_KERNEL_H
#define WINNOW_COVER_KERNEL_H
#include "cover/cover.h"
#include "join/coverage.h"

static inline struct cover_problem cover_from_coverage(const struct coverage *c)
{
	return (struct cover_problem){ .n = c->n, .start = c->start, .by = c->by };
}

static inline struct cover_problem cover_from_kernel(const struct kernel *k)
{
	return (struct cover_problem){ .n = k->graph.n, .start = k->graph.start, .by = k->graph.by, .fold = k->fold };
}
#endif
