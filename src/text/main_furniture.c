/* text/main_furniture.c -- what stands around an article, and what is left without it. */
#include "text/main_rows.h"

static bool is_frame(const struct row *row) { return IN(row->tag, FRAMES); }

static inline unsigned furniture_share(const struct row *row, uint32_t strong)
{
	if (is_frame(row) || row->tag == OUTLINE_CONTROL || row->tag == OUTLINE_FORM)
		return FURNITURE_SHARE;
	if (row->tag == OUTLINE_CAPTION || row->tag == OUTLINE_FIGURE)
		return 20;
	if (row->tag == OUTLINE_ARTICLE || row->tag == OUTLINE_MAIN || row->tag == OUTLINE_BODY ||
	    (row->hints & HINT_BODY))
		return 0;
	if (row->hints & strong)
		return row->hints & HINT_CONTENT ? BOTH_SHARE : FURNITURE_SHARE;
	if (row->tag == OUTLINE_TR || row->tag == OUTLINE_TD)
		return 0; /* "date", "player", "author" are columns of a table */
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

static bool is_furniture(const struct page_rows *p, const struct row *row, uint32_t strong, uint64_t whole)
{
	unsigned percent = furniture_share(row, strong);

	return percent && (uint64_t)row->weight * 100 <= whole * percent && p->total;
}

/* The row that surely holds the article: called its body, or else an <article>, of those outside furniture the one with
 * the most prose; 0 when none has enough. */
static size_t find_core(const struct page_rows *p, uint32_t strong)
{
	size_t body = 0, article = 0;

	for (size_t i = 1; i < p->n;) {
		const struct row *row = &p->rows[i];

		if (is_furniture(p, row, strong, p->total)) {
			i = row->last;
			continue;
		}
		if ((row->hints & HINT_BODY) && (!body || row->weight > p->rows[body].weight))
			body = i;
		if (row->tag == OUTLINE_ARTICLE && (!article || row->weight > p->rows[article].weight))
			article = i;
		i++;
	}
	if (body && p->rows[body].weight >= CORE_PROSE && share(p->rows[body].weight, p->total, CORE_SHARE))
		return body;
	if (article && p->rows[article].weight >= CORE_PROSE && share(p->rows[article].weight, p->total, CORE_SHARE))
		return article;
	return 0;
}

/* Names are believed one by one, but not when what they name together is most of the prose: a page may call each of its
 * paragraphs a widget, or put a "paywall" on it.  Kinds are pairs of element and hint. */
struct kinds {
	uint64_t weight[OUTLINE_TAGS][16];
};

static unsigned kind_of(const struct row *row, uint32_t strong)
{
	uint32_t bits = row->hints & (strong | WEAK);

	return bits ? (unsigned)__builtin_ctz(bits) : 0;
}

/* Rows in [from, to) that would be furniture by their name alone; inside the core, shares are of its prose. */
static void weigh_kinds(const struct page_rows *p, uint32_t strong, size_t from, size_t to, uint64_t whole,
			uint32_t never, struct kinds *k)
{
	for (size_t i = from; i < to;) {
		const struct row *row = &p->rows[i];

		if (!is_furniture(p, row, strong, whole) && !is_frame(row)) {
			i++;
			continue;
		}
		if (!is_frame(row) && !(row->hints & never))
			k->weight[row->tag][kind_of(row, strong)] += row->weight;
		i = row->last;
	}
}

static void mark(struct page_rows *p, size_t *i)
{
	for (size_t end = p->rows[*i].last; *i < end; ++*i)
		p->rows[*i].bad = true;
}

static void mark_furniture(struct page_rows *p)
{
	uint32_t strong = (p->hints & HINT_COMMENT) && is_forum(p) ? STRONG & ~HINT_COMMENT : STRONG;
	bool may_core = (p->hints & HINT_BODY) || IN(OUTLINE_ARTICLE, p->tags);
	size_t core = may_core ? find_core(p, strong) : 0, from = core ? core : 1,
	       to = core ? p->rows[core].last : p->n;
	uint64_t whole = core ? p->rows[core].weight : p->total;
	struct kinds kinds = { 0 };
	unsigned doubted = 0;
	size_t doubted_to = 0, frame_to = 0;

	if (!(p->hints & (STRONG | WEAK)) && !(p->tags & FURNITURE))
		return;
	if (p->hints & (STRONG | WEAK))
		weigh_kinds(p, strong, from, to, whole, core ? HINT_COMMENT : HINT_COMMENT | HINT_HIDDEN, &kinds);
	for (size_t i = 1; i < p->n;) {
		const struct row *row = &p->rows[i];
		unsigned percent = furniture_share(row, strong), kind = kind_of(row, strong);
		bool inside = i >= from && i < to, around = core && i < core && row->last > core;
		bool bad = percent && !around && (uint64_t)row->weight * 100 <= whole * percent;

		if (core && !inside && !around && percent == FURNITURE_SHARE)
			bad = true; /* however much it holds */
		if (is_frame(row) && row->last > frame_to)
			frame_to = row->last;
		if (bad && inside && i >= frame_to && kind &&
		    kinds.weight[row->tag][kind] * 100 > whole * FURNITURE_SHARE) {
			doubted = kind;
			doubted_to = row->last;
		}
		bad &= i >= doubted_to || kind != doubted; /* nor what says the same inside it */
		if (bad)
			mark(p, &i);
		else
			i++;
	}
}

/* Pages that show their text by script call all of it hidden until then: where little else is left, it is the text.
 * What is hidden and called a dialog or a menu besides is not. */
static bool is_veiled(const struct page_rows *p)
{
	const uint32_t others = STRONG & ~HINT_HIDDEN;
	uint64_t hidden = 0, shown = 0;

	for (size_t i = 1, hidden_to = 0; i < p->n;) {
		const struct row *row = &p->rows[i];

		if (row->bad && (IN(row->tag, FURNITURE) || (row->hints & others) ||
				 (i >= hidden_to && !(row->hints & HINT_HIDDEN)))) {
			i = row->last;
			continue;
		}
		if (row->bad && i >= hidden_to)
			hidden_to = row->last;
		if (row->bad && row->prose)
			hidden += row->own - row->own_link;
		else if (!row->bad && row->tag != OUTLINE_HEADING && row->own > row->own_link)
			shown += row->own - row->own_link;
		i++;
	}
	return hidden >= VEILED_BYTES && shown <= VEILED_REST && share(hidden, hidden + shown, VEILED_SHARE);
}

void rows_mark_furniture(struct page_rows *p)
{
	mark_furniture(p);
	if (!(p->hints & HINT_HIDDEN) || !is_veiled(p))
		return;
	for (size_t i = 1; i < p->n; i++) {
		p->rows[i].bad = false;
		if ((p->rows[i].hints & STRONG) == HINT_HIDDEN)
			p->rows[i].hints &= (uint16_t)~HINT_HIDDEN;
	}
	mark_furniture(p);
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
