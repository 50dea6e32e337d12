/* text/main_names.c -- names that sound like furniture and are none.
 *
 * A comment in a line of code, and a section that is called what its own
 * heading says.  Hints of such rows are cleared before furniture is looked for.
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

/* Whether a section is text: prose, few links, nothing to fill in, little in it that is furniture itself.  Readers'
 * comments have names for each of them, for who wrote it and when. */
static bool is_text(const struct page_rows *p, size_t at, uint32_t hints)
{
	const uint64_t never = SET(OUTLINE_FORM) | SET(OUTLINE_CONTROL) | SET(OUTLINE_NAV) | SET(OUTLINE_TIME);
	const struct row *section = &p->rows[at];
	uint64_t odd = 0;

	if (section->weight < SECTION_PROSE || (uint64_t)section->link * 4 > section->end - section->start)
		return false;
	for (size_t i = at + 1; i < section->last;) {
		const struct row *row = &p->rows[i];

		if (IN(row->tag, never) || ((hints & HINT_COMMENT) && (row->hints & (HINT_COMMENT | HINT_META))))
			return false;
		odd += row->hints & STRONG ? row->weight : 0;
		i = row->hints & STRONG ? row->last : i + 1;
	}
	return !share(odd, section->weight, SECTION_ODD);
}

/* Whether the page has an article and this is no part of it. */
static bool is_outside(const struct page_rows *p, size_t at)
{
	if (!(p->hints & HINT_BODY) && !IN(OUTLINE_ARTICLE, p->tags))
		return false;
	for (; at; at = p->rows[at].parent)
		if (p->rows[at].tag == OUTLINE_ARTICLE || (p->rows[at].hints & HINT_BODY))
			return false;
	return true;
}

/* An id that is made of the section's first heading says what it is about.  Inner sections first: what is cleared there
 * counts for those around.  Of sections that nest without end the outer ones are not looked at. */
static void clear_ids_of_headings(struct page_rows *p, const struct outline *o)
{
	size_t heading = p->n, seen = p->n; /* the first heading from row `seen` on */
	size_t left = SECTION_LOOKS * p->n;

	for (size_t n = o->ids.n; n-- > 0;) {
		const struct outline_id *id = &o->ids.p[n];
		size_t at = (size_t)id->row + 1;
		struct row *row = &p->rows[at];

		while (seen > at)
			if (p->rows[--seen].tag == OUTLINE_HEADING)
				heading = seen;
		if (heading >= row->last || p->rows[heading].end - p->rows[heading].start > TITLE_MOST ||
		    outline_words(rows_trimmed(p, &p->rows[heading])) != id->words ||
		    (p->article && (id->hints & HINT_COMMENT)) || is_outside(p, at) || row->last - at > left)
			continue;
		left -= row->last - at;
		if (is_text(p, at, id->hints))
			row->hints &= (uint16_t)~id->hints;
	}
}

void rows_clear_names(struct page_rows *p, const struct outline *o)
{
	if ((p->hints & HINT_COMMENT) && IN(OUTLINE_SPAN, p->tags))
		clear_inline_comments(p);
	if (o->ids.n)
		clear_ids_of_headings(p, o);
}
