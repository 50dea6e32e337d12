/* cover/local.h -- better covers of equal weights, by local search with weights on rows.
 *
 * A cover is made one smaller by taking out the column that is missed least; then, step by step, one more goes out
 * and one comes in that covers a row drawn among the open ones, until all are covered again.  Rows that stay open
 * weigh more with every step, which leads the search out of its valleys; a column may come back only after something
 * near it has changed.  Draws come from a fixed seed.
 *
 * Cost: a step touches the columns of the rows of two columns.
 */
#ifndef WINNOW_COVER_LOCAL_H
#define WINNOW_COVER_LOCAL_H
#include "cover/search.h"

/* Until the cost is `enough`, or `work` numbers have been touched.  For instances whose weights are all
 * 1; false if it is not for this one.  taken[] is a cover, before and after. */
bool local_search(struct search *s, const struct instance *in, weight enough, uint64_t work, uint8_t *taken);
#endif
