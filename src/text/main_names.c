/* text/main_names.c -- names that sound like furniture and are none.
 *
 * Words of a line that are called a comment.  Hints of such rows are cleared before furniture is looked for.
 * Linear in rows; pages without such names are not looked through.
 */
#include "text/main_rows.h"

/* What is inline and has no blocks inside is no section of comments, but words of a line.  A link to the comments, and
 * their number, is no text. */
static void clear_inline_comments(struct page_rows *p)
{
	for (size_t i = 1; i < p->n; i++) {
		struct row *row = &p->rows[i];

		if (row->tag == OUTLINE_SPAN && (row->hints & HINT_COMMENT) && row->last == i + 1 &&
		    row->own >= UNIT_BYTES && (uint64_t)row->link * 2 <= row->own)
			row->hints &= (uint16_t)~HINT_COMMENT;
	}
}

void rows_clear_names(struct page_rows *p)
{
	if ((p->hints & HINT_COMMENT) && IN(OUTLINE_SPAN, p->tags))
		clear_inline_comments(p);
}
