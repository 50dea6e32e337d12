/* serve/exports.h -- archive files made of covers: which forms there are, and where those that a job made lie.
 *
 * A file is COLL/exports/cover-N-rREVISION[-aRULES].ENDING, so that one of an older
 * revision, or made under other access rules (acl_state_of), is not given for the
 * present one; it appears whole, takes the place of older ones of its cover, and of
 * all files there the LIMIT_EXPORTS newest stay.
 */
#ifndef WINNOW_SERVE_EXPORTS_H
#define WINNOW_SERVE_EXPORTS_H
#include "flow/export.h"

struct export_form {
	const char *format, *ending, *type;
};
const struct export_form *export_form(struct str format); /* NULL: there is none of that name */

/* NULL with the error when the access rules cannot be read. */
const char *exports_path(struct arena *a, const char *dir, const struct cover_row *row, const struct export_form *f,
			 struct err *err);
int exports_make(struct arena *a, const char *dir, struct collection *coll, const struct cover_row *row,
		 const struct export_form *f, unsigned threads, uint64_t memory, struct err *err);
#endif
