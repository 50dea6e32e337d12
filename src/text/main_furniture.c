/* text/main_furniture.c -- what stands around an article, and what is left without it. */
#include "text/main_rows.h"

static unsigned furniture_share(const struct row *row, uint32_t strong)
{
	const uint64_t always = SET(OUTLINE_NAV) | SET(OUTLINE_ASIDE) | SET(OUTLINE_FOOTER) | SET(OUTLINE_CONTROL) |
				SET(OUTLINE_FORM) | SET(OUTLINE_HEADER);

	if (IN(row->tag, always))
		return FURNITURE_SHARE;
	if (row->tag == OUTLINE_CAPTION || row->tag == OUTLINE_FIGURE)
		return 20;
	if (row->tag == OUTLINE_ARTICLE || row->tag == OUTLINE_MAIN || row->tag == OUTLINE_BODY ||
	    (row->hints & HINT_BODY))
		return 0;
	if (row->hints & strong)
		return row->hints & HINT_CONTENT ? BOTH_SHARE : FURNITURE_SHARE;
	if ((row->hints & WEAK) && !((row->hints & HINT_CONTENT) && row->tag == OUTLINE_P))
		return row->end - row->start < WEAK_BYTES ? WEAK_SHARE : 0;
	return 0;
}

/* A page that consists of comments, with no article above them, is a forum:
 * there they are the content, each of them. */
static bool is_forum(const struct page_rows *p)
{
	uint64_t comments = 0;

	for (size_t i = 1; i < p->n;) {
		const struct row *row = &p->rows[i];

		if (row->hints & HINT_COMMENT) {
			comments += row->weight;
			i = row->last;
			continue;
		}
		if ((row->tag == OUTLINE_ARTICLE || (row->hints & HINT_BODY)) &&
		    share(row->weight, p->total, FORUM_ARTICLE) && !share(row->weight, p->total, FORUM_SHARE))
			return false;
		i++;
	}
	return p->total && share(comments, p->total, FORUM_SHARE);
}

void rows_mark_furniture(struct page_rows *p)
{
	uint32_t strong = is_forum(p) ? STRONG & ~HINT_COMMENT : STRONG;

	for (size_t i = 1; i < p->n;) {
		unsigned percent = furniture_share(&p->rows[i], strong);

		if (percent && (uint64_t)p->rows[i].weight * 100 <= (uint64_t)p->total * percent) {
			for (size_t end = p->rows[i].last; i < end; i++)
				p->rows[i].bad = true;
		} else {
			i++;
		}
	}
}

/* Sums without furniture: prose, plain text, and what kind of page it is. */
void rows_sum_rest(struct page_rows *p)
{
	const uint64_t kinds = SET(OUTLINE_PRE) | SET(OUTLINE_DT) | SET(OUTLINE_DD) | SET(OUTLINE_TD) |
			       SET(OUTLINE_LI) | SET(OUTLINE_TR) | SET(OUTLINE_TABLE) | SET(OUTLINE_DL) |
			       SET(OUTLINE_UL);
	const uint64_t items = SET(OUTLINE_LI) | SET(OUTLINE_P) | SET(OUTLINE_TD) | SET(OUTLINE_DIV);
	uint32_t structure_to = 0, n_items = 0; /* rows before structure_to are inside an item */

	for (size_t i = 1; i < p->n; i++) {
		struct row *row = &p->rows[i];
		bool inside = i < structure_to;

		row->items = n_items;
		n_items += IN(row->tag, items);
		if (!inside && (row->tag == OUTLINE_TD || row->tag == OUTLINE_LI || row->tag == OUTLINE_DD ||
				row->tag == OUTLINE_PRE || row->tag == OUTLINE_DT))
			structure_to = row->last;
		if (row->bad)
			continue;
		row->kept = row->prose;
		row->plain = row->own > row->own_link ? row->own - row->own_link : 0;
		p->visible += row->own;
		if (row->prose)
			p->prose += row->own - row->own_link;
		if (inside || IN(row->tag, kinds))
			p->structure += row->plain;
	}
	for (size_t i = p->n; i-- > 1;) {
		p->rows[p->rows[i].parent].kept += p->rows[i].kept;
		p->rows[p->rows[i].parent].plain += p->rows[i].plain;
	}
	p->left = p->rows[0].kept;
}
