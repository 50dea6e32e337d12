/* cover/parts.h -- what parts of a block need by themselves, as rows of the whole.
 *
 * Any set of rows needs some number k of columns; so every cover of the block has at least k of the columns that are in
 * those rows.  Where the relaxation of the part stays below k, that row cuts off its fractional covers, as no small
 * number of other cuts would.  Parts are nested: each is solved with what is known of those inside it, so that it costs
 * little more than what it adds to them.
 *
 * Parts follow the layers of the block.  Under a rule like "not older" a document has coverers in its own layer and in newer
 * ones, so that the rows of the newest layers have few columns, and those are in few other rows that matter: rows that
 * reach each other by "a column of this row is a row too" are a layer, and with all that they reach a closed part.
 */
#ifndef WINNOW_COVER_PARTS_H
#define WINNOW_COVER_PARTS_H
#include "cover/search.h"

/* Adds to what is known of `in`, whose demands and weights are all 1, within about `work` numbers touched.  Returns what
 * every cover needs by that alone, which is no more than `enough`, the size of one; 0 if `in` has no layers. */
uint32_t parts_learn(struct arena *a, struct search *s, struct instance *in, uint32_t enough, uint64_t work);
#endif
