/* text/extract_stack.c -- see extract_stack.h. */
#include "text/extract_stack.h"

bool open_math_token(const struct open *e)
{
	return e->ns == NS_MATH &&
	       (e->tag == TAG_MI || e->tag == TAG_MO || e->tag == TAG_MN || e->tag == TAG_MS || e->tag == TAG_MTEXT);
}

bool open_special(const struct open *e)
{
	switch (e->ns) {
	case NS_HTML: return tag_flags(e->tag) & IS_SPECIAL;
	case NS_SVG: return e->tag == TAG_FOREIGNOBJECT || e->tag == TAG_DESC || e->tag == TAG_TITLE;
	default: return open_math_token(e) || e->tag == TAG_ANNOTATION_XML;
	}
}

void open_tell(struct extract *x)
{
	const struct open *e = open_top(x);

	html_set_foreign(x->html, x->options.xml || (e && e->ns != NS_HTML));
}

/* What closing an element means for the text; it is already off the stack. */
static void closed(struct extract *x, struct open e)
{
	unsigned flags = e.ns == NS_HTML ? tag_flags(e.tag) : 0;

	x->count[e.tag]--;
	x->hide -= e.hides;
	if (e.pre) {
		x->pre--;
		x->skip_newline = false;
	}
	if (x->hide)
		; /* what is not shown does not separate */
	else if (flags & IS_BLOCK)
		extract_separate(x, '\n');
	else if (flags & IS_CELL)
		extract_separate(x, '\t');
	if (e.outlined)
		outline_close(&x->outline, e.outlined, x->n);
	if (e.tag == TAG_A)
		link_end_anchor(x);
	else if (e.tag == TAG_FORM)
		x->form = false;
}

void open_pop(struct extract *x)
{
	struct open e = x->stack[--x->depth];

	closed(x, e);
	if (e.ns != NS_HTML || x->count[TAG_SVG] || x->count[TAG_MATH])
		open_tell(x);
}

void open_pop_to(struct extract *x, unsigned depth)
{
	while (x->depth > depth)
		open_pop(x);
}

void open_take_out(struct extract *x, unsigned at)
{
	struct open e = x->stack[at];

	memmove(&x->stack[at], &x->stack[at + 1], (x->depth - at - 1) * sizeof x->stack[0]);
	x->depth--;
	closed(x, e);
}

/* ---- scopes ---- */

static bool bounds(const struct open *e, enum scope scope)
{
	if (e->ns != NS_HTML)
		return e->integrates;
	if (scope == SCOPE_TABLE)
		return e->tag == TAG_TABLE || e->tag == TAG_TEMPLATE;
	if (tag_flags(e->tag) & IS_SCOPE)
		return true;
	return (scope == SCOPE_BUTTON && e->tag == TAG_BUTTON) ||
	       (scope == SCOPE_LIST && (e->tag == TAG_OL || e->tag == TAG_UL));
}

unsigned open_find(const struct extract *x, enum tag tag, enum scope scope)
{
	if (!x->count[tag])
		return OPEN_NONE;
	for (unsigned i = x->depth; i-- > 0;) {
		if (x->stack[i].tag == tag && x->stack[i].ns == NS_HTML)
			return i;
		if (bounds(&x->stack[i], scope))
			return OPEN_NONE;
	}
	return OPEN_NONE;
}

bool open_close(struct extract *x, enum tag tag, enum scope scope)
{
	unsigned at = open_find(x, tag, scope);

	if (at == OPEN_NONE)
		return false;
	open_pop_to(x, at);
	return true;
}

unsigned open_heading(const struct extract *x)
{
	for (unsigned i = x->depth; i-- > 0;) {
		if (x->stack[i].ns == NS_HTML && (tag_flags(x->stack[i].tag) & IS_HEADING))
			return i;
		if (bounds(&x->stack[i], SCOPE_DEFAULT))
			break;
	}
	return OPEN_NONE;
}

void open_close_item(struct extract *x, enum tag a, enum tag b)
{
	if (!x->count[a] && !x->count[b])
		return;
	for (unsigned i = x->depth; i-- > 0;) {
		enum tag tag = x->stack[i].tag;

		if (x->stack[i].ns == NS_HTML && (tag == a || tag == b)) {
			open_pop_to(x, i);
			return;
		}
		if (x->stack[i].ns != NS_HTML ||
		    ((tag_flags(tag) & IS_SPECIAL) && tag != TAG_ADDRESS && tag != TAG_DIV && tag != TAG_P))
			return;
	}
}

/* ---- tables ---- */

unsigned open_table(const struct extract *x)
{
	if (!x->count[TAG_TABLE] && !x->count[TAG_TEMPLATE])
		return OPEN_NONE;
	for (unsigned i = x->depth; i-- > 0;)
		if (x->stack[i].ns == NS_HTML && (x->stack[i].tag == TAG_TABLE || x->stack[i].tag == TAG_TEMPLATE))
			return i;
	return OPEN_NONE;
}

unsigned open_part(const struct extract *x, unsigned from, enum tag a, enum tag b, enum tag c)
{
	for (unsigned i = from + 1; i < x->depth; i++) {
		enum tag tag = x->stack[i].tag;

		if (x->stack[i].ns == NS_HTML && (tag == a || tag == b || tag == c))
			return i;
	}
	return OPEN_NONE;
}

bool open_enter_part(struct extract *x, enum tag tag)
{
	unsigned table = open_table(x), at;

	if (table == OPEN_NONE)
		return false;
	if (x->count[TAG_SELECT] && open_find(x, TAG_SELECT, SCOPE_TABLE) != OPEN_NONE)
		open_close(x, TAG_SELECT, SCOPE_TABLE);
	if ((at = open_part(x, table, TAG_CAPTION, TAG_COLGROUP, TAG_CAPTION)) != OPEN_NONE && tag != TAG_COL)
		open_pop_to(x, at);
	if (tag == TAG_TD || tag == TAG_TH) {
		if ((at = open_part(x, table, TAG_TD, TAG_TH, TAG_TD)) != OPEN_NONE)
			open_pop_to(x, at);
		else if ((at = open_part(x, table, TAG_TR, TAG_TR, TAG_TR)) != OPEN_NONE)
			open_pop_to(x, at + 1);
		else if (x->stack[table].tag == TAG_TABLE &&
			 open_part(x, table, TAG_TBODY, TAG_THEAD, TAG_TFOOT) == OPEN_NONE)
			open_pop_to(x, table + 1);
	} else if (tag == TAG_TR) {
		if ((at = open_part(x, table, TAG_TR, TAG_TR, TAG_TR)) != OPEN_NONE)
			open_pop_to(x, at);
		else if ((at = open_part(x, table, TAG_TBODY, TAG_THEAD, TAG_TFOOT)) != OPEN_NONE)
			open_pop_to(x, at + 1);
		else if (x->stack[table].tag == TAG_TABLE)
			open_pop_to(x, table + 1);
	} else if (x->stack[table].tag == TAG_TABLE && tag != TAG_COL) {
		open_pop_to(x, table + 1);
	}
	return true;
}
