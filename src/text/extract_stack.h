/* text/extract_stack.h -- the open elements: what is closed when, and who is found from where.
 *
 * The stack is that of struct extract; count[] says how many of a tag are open,
 * so that a search for what is not there costs one look.  Everything that takes
 * an element off the stack also does what closing it means for the text.
 */
#ifndef WINNOW_TEXT_EXTRACT_STACK_H
#define WINNOW_TEXT_EXTRACT_STACK_H
#include <limits.h>

#include "text/extract_page.h"

#define OPEN_NONE UINT_MAX
enum scope { SCOPE_DEFAULT, SCOPE_BUTTON, SCOPE_LIST, SCOPE_TABLE };

static inline const struct open *open_top(const struct extract *x) { return x->depth ? &x->stack[x->depth - 1] : NULL; }
static inline unsigned tag_flags(enum tag tag) { return tag_info[tag].flags; }

/* The element at hand is SVG or MathML. */
static inline bool tree_foreign(const struct extract *x)
{
	const struct open *e;

	if (!x->count[TAG_SVG] && !x->count[TAG_MATH])
		return false;
	e = open_top(x);
	return e && e->ns != NS_HTML && !e->integrates;
}

bool open_math_token(const struct open *e); /* MathML's token elements: text in them is HTML's */
bool open_special(const struct open *e);    /* of the standard's category: ends the search for what an end tag closes */
void open_tell(struct extract *x);	    /* the tokenizer, whether CDATA sections count here */
void open_pop(struct extract *x);
void open_pop_to(struct extract *x, unsigned depth);
void open_take_out(struct extract *x, unsigned at); /* out of the middle: what is above it stays open */

/* Index of the innermost open `tag` in scope, or OPEN_NONE. */
unsigned open_find(const struct extract *x, enum tag tag, enum scope scope);
bool open_close(struct extract *x, enum tag tag, enum scope scope); /* it and all above it; false: not found */
unsigned open_heading(const struct extract *x);
void open_close_item(struct extract *x, enum tag a, enum tag b); /* <li>, <dd>, <dt>: its forerunner of the same list */

unsigned open_table(const struct extract *x); /* innermost table or template, or OPEN_NONE */
unsigned open_part(const struct extract *x, unsigned from, enum tag a, enum tag b, enum tag c);
/* Closes what a part of a table ends by beginning; false: no table, so the tag means nothing. */
bool open_enter_part(struct extract *x, enum tag tag);
#endif
