/* cover/improve.h -- better covers where the search had to give up.
 *
 * Large neighbourhood search: a row is drawn, the taken columns around it are
 * let go, and the cheapest way to cover what they alone covered is searched
 * for exactly.  It never makes a cover worse, and draws from a fixed seed.
 */
#ifndef WINNOW_COVER_IMPROVE_H
#define WINNOW_COVER_IMPROVE_H
#include "cover/search.h"

/* Until the cost is `enough`, or nothing was gained for a number of rounds. */
void improve_cover(struct search *s, const struct instance *in, weight enough, uint8_t *taken);
#endif
