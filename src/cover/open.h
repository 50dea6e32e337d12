/* cover/open.h -- what is still open once the certain documents are kept.
 *
 * Certain are pins and documents without coverers.  What they cover needs no
 * more thought; the rest becomes an instance: a row per uncovered document
 * (row_id = document), a row per quota not yet filled (row_id = n + group),
 * a column per document that occurs in one (col_id = document).
 */
#ifndef WINNOW_COVER_OPEN_H
#define WINNOW_COVER_OPEN_H
#include "cover/cover.h"
#include "cover/instance.h"

struct open {
	struct instance in; /* all weights 1 */
	uint8_t *sure;	    /* n: kept for certain */
	uint32_t *wants;    /* groups: min(demand, size) less pins */
	uint32_t sure_count;
};

/* WN_USAGE if the problem breaks the rules of cover.h. */
int open_check(const struct cover_problem *p, struct err *err);
void open_build(struct arena *a, const struct cover_problem *p, struct open *out);
#endif
