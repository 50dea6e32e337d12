/* text/main_lead.c -- headline, lead and headings of an article.
 *
 * The headline is the heading that the page's title has, or most of its words.
 * The lead stands between it and the first paragraph, whatever it is called and
 * in.  A heading whose text was left out goes with it.
 */
#include "text/main_rows.h"

struct str rows_trimmed(const struct page_rows *p, const struct row *row)
{
	return str_trim(str_n(p->body.p + row->start, row->end - row->start));
}

/* The page's title stands before all rows. */
struct str rows_title(const struct page_rows *p)
{
	struct str title = p->n_segments && !p->segments[0].row ? str_n(p->body.p, p->segments[0].end) : STR_NONE;

	return title.n > TITLE_MOST ? str_n(title.p, TITLE_MOST) : title;
}

bool rows_in_title(const struct page_rows *p, const struct row *row)
{
	struct str title = rows_title(p);

	return str_find(title, rows_trimmed(p, row)) >= 0;
}

/* A heading whose text went is no heading of what comes next: behind it something was left out, and then another heading
 * follows or nothing. */
void rows_mark_orphans(struct page_rows *p, size_t first, size_t end)
{
	const uint64_t little = SET(OUTLINE_CONTROL) | SET(OUTLINE_CAPTION) | SET(OUTLINE_FIGURE) | SET(OUTLINE_TIME);
	bool orphan = true; /* a heading here would have nothing under it */
	bool left = true;   /* something was left out between it and that */

	for (size_t i = end; i-- > first;) {
		struct segment *s = &p->segments[i];
		const struct row *row = &p->rows[s->row];

		if (!row->keep || s->aside) {
			left |= !IN(row->tag, little) && !(row->hints & (HINT_CAPTION | HINT_AD));
		} else if (row->tag != OUTLINE_HEADING) {
			orphan = left = false;
		} else {
			s->aside = orphan && left;
			left = s->aside;
			orphan = true;
		}
	}
}

/* A time of day in a short line: when and by whom the article was written. */
static bool is_dated(struct str text)
{
	for (size_t i = 1; text.n < DATED_MOST && i + 2 < text.n; i++)
		if (text.p[i] == ':' && ascii_digit(text.p[i - 1]) && ascii_digit(text.p[i + 1]) &&
		    ascii_digit(text.p[i + 2]))
			return true;
	return false;
}

/* Whether a segment behind the headline may be the lead: prose, and in nothing that surely is something else.  What holds
 * the headline too (a <header>) says nothing of it. */
static bool may_lead(const struct page_rows *p, const struct segment *s, uint32_t headline)
{
	const uint64_t never = SET(OUTLINE_TIME) | SET(OUTLINE_CONTROL) | SET(OUTLINE_ADDRESS) | SET(OUTLINE_CAPTION) |
			       SET(OUTLINE_FIGURE) | SET(OUTLINE_NAV) | SET(OUTLINE_ASIDE) | SET(OUTLINE_FOOTER) |
			       SET(OUTLINE_FORM) | SET(OUTLINE_TD) | SET(OUTLINE_LI);
	const uint32_t others = (STRONG & ~HINT_RELATED) | WEAK; /* many call the lead a teaser */
	const struct row *row = &p->rows[s->row];
	uint32_t bytes = s->end - s->start;

	if (bytes < LEAD_BYTES || bytes > LEAD_MOST || (uint64_t)row->own_link * 10 >= (uint64_t)row->own * 3 ||
	    !main_has_mark(str_n(p->body.p + s->start, bytes)) || is_dated(str_n(p->body.p + s->start, bytes)))
		return false;
	for (uint32_t i = s->row; i && p->rows[i].start > headline; i = p->rows[i].parent)
		if (IN(p->rows[i].tag, never) || (p->rows[i].hints & others))
			return false;
	return true;
}

static bool called_lead(const struct page_rows *p, uint32_t row, uint32_t heading)
{
	for (; row && p->rows[row].start > heading; row = p->rows[row].parent)
		if (p->rows[row].hints & HINT_LEAD)
			return true;
	return false;
}

static bool letter(char c) { return ascii_alpha(c) || ascii_digit(c) || (c & 0x80); }

/* Whether most words of a heading are in the title, which often says the same in other words. */
static bool mostly_in_title(struct str title, struct str heading)
{
	size_t all = 0, found = 0;

	for (size_t i = 0; i < heading.n;) {
		size_t from;

		while (i < heading.n && !letter(heading.p[i]))
			i++;
		for (from = i; i < heading.n && letter(heading.p[i]); i++)
			;
		if (i - from < WORD_LEAST)
			continue;
		all++;
		found += str_ifind(title, str_n(heading.p + from, i - from)) >= 0;
	}
	return found >= 2 && share(found, all, HEADLINE_SHARE);
}

/* The lead stands between the headline, which is in the page's title, and the article's first paragraph, whatever it is
 * called and in. */
void rows_mark_leads(struct page_rows *p, size_t first)
{
	struct str title = rows_title(p);
	size_t headline = 0, nearest = 0; /* the nearest heading at all */

	for (size_t i = first; i-- > 1 && !headline;) {
		const struct segment *s = &p->segments[i];
		struct str text = str_n(p->body.p + s->start, s->end - s->start);

		if (p->rows[s->row].tag != OUTLINE_HEADING)
			continue;
		nearest = nearest ? nearest : i;
		if (text.n >= TITLE_BYTES && text.n <= TITLE_MOST && title.n >= TITLE_BYTES &&
		    (str_find(title, text) >= 0 || mostly_in_title(title, text)))
			headline = i;
	}
	for (size_t i = headline + 1; headline && i < first; i++)
		p->segments[i].lead = may_lead(p, &p->segments[i], p->segments[headline].start);
	for (size_t i = nearest + 1; nearest && !headline && i < first; i++)
		p->segments[i].lead = called_lead(p, p->segments[i].row, p->segments[nearest].start) &&
				      may_lead(p, &p->segments[i], p->segments[nearest].start);
}
