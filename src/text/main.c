/* text/main.c -- from rows to the article.
 *
 * 1. A row's own text (not that of rows inside it) is weighed as prose: length
 *    less twice its anchor text, little without punctuation.  Sums go outwards.
 * 2. Furniture is marked: navigation, footers, forms and what class and id call
 *    shares, related, comments, ads, unless it holds a large part of the prose.
 * 3. The container is the first row called an article's body that holds enough
 *    of the prose left, with its sisters of the same name (pages cut into
 *    chunks); else the innermost row that still holds nearly all of it.
 * 4. Inside it, lists of links, titles and articles within articles go; short
 *    lines before the first and behind the last paragraph go.
 *    Where nothing says article and much of the page would stay, nothing but
 *    furniture goes.
 * 5. Where the page is no article (little prose; tables, lists and code, and
 *    nothing says article; hardly any furniture) the body stands in, without
 *    navigation, footers, notes and ads; within <main> when there is one.
 *
 * Row 0 is the whole text, row i+1 is row i of the outline.  Every pass is
 * linear in rows, and the text is read only for its first punctuation mark.
 * docs/algorithm/main-content.md tells on which pages the thresholds were chosen,
 * and what pages that were not looked at said.
 */
#include "text/main.h"

#include <stdlib.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define FURNITURE_SHARE 45    /* % of the prose that what looks like furniture may hold */
#define BOTH_SHARE 15	      /* the same when another of its names says content */
#define WEAK_SHARE 15	      /* captions, bylines and dates */
#define WEAK_BYTES 700	      /* and how long they may be */
#define FORUM_SHARE 92	      /* % of the prose in comments that make a page a forum, */
#define FORUM_ARTICLE 10      /* unless an article holds this much of it */
#define BODY_SHARE 30	      /* % of the prose left that an article's body must hold */
#define DESCEND_SHARE 85      /* % that a row must keep of its parent to be preferred */
#define REPAIR_SHARE 35	      /* % of all text left that a container must hold */
#define ARTICLE_SHARE 30      /* % of the prose that makes <article> evidence */
#define PROSE_SHARE 25	      /* % of the text that must be prose in an article */
#define PROSE_BYTES 150	      /* and at least so much; */
#define PROSE_BYTES_PLAIN 400 /* more where nothing says article */
#define PLAIN_PAGE_BYTES 1500 /* a page shorter than this where nothing says article is kept whole */
#define STRUCTURE_SHARE 40    /* % in tables, lists and code that make a page no article */
#define MAIN_SHARE 10	      /* % of the text that makes <main> count */
#define MAIN_KEEP 80	      /* % of <main> that must survive */
#define MOST_SHARE 85	      /* more than this of the body kept: there is no furniture, keep all */
#define GENTLE_SHARE 50	      /* more than this kept and nothing says article: keep all but furniture */
#define UNTRIMMED_SHARE 30 /* more than this kept and nothing says article: keep all of the container but furniture */
#define LEAST_SHARE 8	   /* less than this kept: the choice was wrong */
#define CHUNK_SHARE 10	   /* % of the first chunk's prose in each other chunk */
#define LINKED_SHARE 30	   /* % of the container's prose that a list of links may not hold */
#define ITEM_BYTES 80	   /* shorter items in a list of links */
#define UNIT_BYTES 40	   /* own text shorter than this is not weighed */
#define LEAD_BYTES 60	   /* a line must be this long to begin or end the article, */
#define LEAD_BYTES_BODY 25 /* a paragraph of a named body this */

#define STRONG                                                                                               \
	(HINT_NAV | HINT_SIDE | HINT_FOOT | HINT_SHARE | HINT_RELATED | HINT_COMMENT | HINT_AD | HINT_NOTE | \
	 HINT_HIDDEN)
#define WEAK (HINT_META | HINT_CAPTION)
#define SET(tag) (UINT64_C(1) << (tag))
#define IN(tag, set) ((set) >> (tag)&1)

struct row {
	uint32_t start, end, last, parent, link, name;
	uint32_t own, own_link; /* bytes of its own text */
	uint32_t weight, kept;	/* prose, and prose when furniture is out; both summed outwards */
	uint32_t prose;		/* its own weight */
	uint32_t plain;		/* bytes of text that is no link, furniture out, summed */
	uint32_t items;		/* rows of items before this one */
	uint16_t hints;
	uint8_t tag;
	bool bad, keep, mark; /* furniture; chosen; has punctuation */
};

struct segment { /* text between two boundaries, and the innermost row it is in */
	uint32_t start, end, row;
};

struct page_rows {
	struct str body;
	struct row *rows;
	size_t n;
	struct segment *segments;
	size_t n_segments;
	uint32_t total, left;		    /* prose, with and without furniture */
	uint32_t visible, prose, structure; /* bytes without furniture */
};

static bool share(uint64_t part, uint64_t whole, unsigned percent) { return part * 100 >= whole * percent; }

/* ---- rows and segments ---- */

static bool blank(char c) { return ascii_space(c); }

static void add_segment(struct page_rows *p, uint32_t start, uint32_t end, uint32_t row)
{
	while (start < end && blank(p->body.p[start]))
		start++;
	while (start < end && blank(p->body.p[end - 1]))
		end--;
	if (start < end) {
		p->segments[p->n_segments++] = (struct segment){ start, end, row };
		p->rows[row].own += end - start;
	}
}

static void cut_segments(struct page_rows *p)
{
	uint32_t at = 0, cur = 0;

	for (uint32_t i = 1; i <= p->n; i++) {
		while (i == p->n ? cur != 0 : i >= p->rows[cur].last) {
			add_segment(p, at, p->rows[cur].end, cur);
			at = at < p->rows[cur].end ? p->rows[cur].end : at;
			cur = p->rows[cur].parent;
		}
		if (i == p->n)
			break;
		add_segment(p, at, p->rows[i].start, cur);
		at = at < p->rows[i].start ? p->rows[i].start : at;
		cur = i;
	}
	add_segment(p, at, p->rows[0].end, 0);
}

/* Rows of the outline behind a row for the whole text; offsets are made to
 * ascend and to lie in the body, and rows to nest, whatever the outline says. */
static void fill_rows(struct arena *a, struct page_rows *p, const struct outline *o)
{
	uint32_t high = 0;

	p->n = o->nodes.n + 1;
	p->rows = arena_zalloc(a, p->n * sizeof *p->rows);
	p->segments = ARENA_ARRAY(a, struct segment, 2 * p->n + 1);
	p->rows[0] = (struct row){ .end = (uint32_t)p->body.n, .last = (uint32_t)p->n };
	for (size_t i = 1; i < p->n; i++) {
		const struct outline_node *node = &o->nodes.p[i - 1];
		struct row *row = &p->rows[i];
		uint32_t most;

		row->parent = node->parent + 1; /* UINT32_MAX becomes row 0 */
		while (row->parent >= i || p->rows[row->parent].last <= i)
			row->parent = row->parent >= i ? 0 : p->rows[row->parent].parent;
		most = p->rows[row->parent].end;
		row->start = node->start < high ? high : node->start;
		row->start = row->start > most ? most : row->start;
		row->end = node->end > most ? most : node->end;
		row->end = row->end < row->start ? row->start : row->end;
		high = row->start;
		row->last = node->last + 1;
		if (row->last <= i || row->last > p->rows[row->parent].last)
			row->last = p->rows[row->parent].last;
		row->link = node->link;
		row->name = node->name;
		row->hints = node->hints;
		row->tag = node->tag;
		row->own_link = node->link;
	}
	for (size_t i = p->n; i-- > 1;)
		if (p->rows[i].parent) {
			struct row *up = &p->rows[p->rows[i].parent];

			up->own_link -= p->rows[i].link < up->own_link ? p->rows[i].link : up->own_link;
		}
	cut_segments(p);
}

/* ---- prose ---- */

/* Bytes that are marks, and those that begin one. */
enum { MARK = 1, MARK_LEAD };
static const uint8_t mark_class[256] = {
	['.'] = MARK, [','] = MARK,	  [';'] = MARK,	      [':'] = MARK,	  ['!'] = MARK,
	['?'] = MARK, [0xe3] = MARK_LEAD, [0xef] = MARK_LEAD, [0xd8] = MARK_LEAD, [0xe0] = MARK_LEAD,
};

static bool is_wide_mark(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t n = (size_t)(end - p);

	if (u[0] == 0xd8) /* Arabic comma, question mark */
		return n > 1 && (u[1] == 0x8c || u[1] == 0x9f);
	if (n < 3)
		return false;
	return (u[0] == 0xe3 && u[1] == 0x80 && (u[2] == 0x81 || u[2] == 0x82)) || /* ideographic comma, full stop */
	       (u[0] == 0xef && u[1] == 0xbc && (u[2] == 0x8c || u[2] == 0x8e)) || /* full-width comma, full stop */
	       (u[0] == 0xe0 && u[1] == 0xa5 && (u[2] == 0xa4 || u[2] == 0xa5));   /* danda */
}

bool main_has_mark_slow(struct str text)
{
	for (const char *p = text.p, *end = str_end(text); p < end; p++) {
		uint8_t class = mark_class[(unsigned char)*p];

		if (class == MARK || (class && is_wide_mark(p, end)))
			return true;
	}
	return false;
}

bool main_has_mark(struct str text)
{
	const char *p = text.p, *end = str_end(text);

#if defined(__x86_64__)
#define EQUAL(c) _mm_cmpeq_epi8(v, _mm_set1_epi8((char)(c)))
	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i stops =
		    _mm_or_si128(_mm_or_si128(EQUAL('.'), EQUAL(',')), _mm_or_si128(EQUAL(';'), EQUAL(':')));
		__m128i marks = _mm_or_si128(stops, _mm_or_si128(EQUAL('!'), EQUAL('?')));

		if (_mm_movemask_epi8(marks))
			return true;
		if (!_mm_movemask_epi8(v)) /* all ASCII */
			continue;
		__m128i leads =
		    _mm_or_si128(_mm_or_si128(EQUAL(0xe3), EQUAL(0xef)), _mm_or_si128(EQUAL(0xd8), EQUAL(0xe0)));

		for (unsigned hit = (unsigned)_mm_movemask_epi8(leads); hit; hit &= hit - 1)
			if (is_wide_mark(p + __builtin_ctz(hit), end))
				return true;
	}
#undef EQUAL
#endif
	return main_has_mark_slow(str_n(p, (size_t)(end - p)));
}

static bool has_mark(struct str body, uint32_t start, uint32_t end)
{
	return main_has_mark(str_n(body.p + start, end - start));
}

static void weigh(struct page_rows *p)
{
	const uint64_t never = SET(OUTLINE_HEADING) | SET(OUTLINE_CONTROL) | SET(OUTLINE_CAPTION) | SET(OUTLINE_TIME) |
			       SET(OUTLINE_ADDRESS) | SET(OUTLINE_DT);

	for (size_t i = 0; i < p->n_segments; i++) {
		const struct segment *s = &p->segments[i];
		struct row *row = &p->rows[s->row];

		if (!row->mark && row->own >= UNIT_BYTES && s->row != 0)
			row->mark = has_mark(p->body, s->start, s->end);
	}
	for (size_t i = 1; i < p->n; i++) {
		struct row *row = &p->rows[i];

		if (row->own < UNIT_BYTES || IN(row->tag, never) || row->own <= 2 * (uint64_t)row->own_link)
			continue;
		row->prose = row->own - 2 * row->own_link;
		if (!row->mark)
			row->prose /= 5;
		if (row->tag == OUTLINE_P)
			row->prose += row->prose * 3 / 10;
		row->weight = row->prose;
	}
	for (size_t i = p->n; i-- > 1;)
		p->rows[p->rows[i].parent].weight += p->rows[i].weight;
	p->total = p->rows[0].weight;
}

/* ---- furniture ---- */

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

static void mark_furniture(struct page_rows *p)
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
static void sum_rest(struct page_rows *p)
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

/* ---- the container ---- */

static uint32_t measure(const struct row *row, bool by_prose) { return by_prose ? row->kept : row->plain; }

/* The innermost row that keeps nearly all that its parent has. */
static size_t descend(const struct page_rows *p, bool by_prose)
{
	size_t at = 0;

	for (;;) {
		size_t next = 0;

		for (size_t i = at + 1; i < p->rows[at].last && !next; i = p->rows[i].last)
			if (!p->rows[i].bad && p->rows[i].tag != OUTLINE_P && measure(&p->rows[i], by_prose) &&
			    share(measure(&p->rows[i], by_prose), measure(&p->rows[at], by_prose), DESCEND_SHARE))
				next = i;
		if (!next)
			return at;
		at = next;
	}
}

struct choice {
	size_t at;     /* row of the container */
	bool named;    /* it is called an article's body */
	bool evidence; /* something says that the page is an article */
	size_t main;   /* row of <main> when it counts and there is no evidence, else 0 */
};

static struct choice choose(const struct page_rows *p)
{
	const uint64_t no_body = SET(OUTLINE_BODY) | SET(OUTLINE_P) | SET(OUTLINE_LI) | SET(OUTLINE_HEADING);
	struct choice c = { 0 };

	for (size_t i = 1; i < p->n && !c.named; i++) {
		const struct row *row = &p->rows[i];

		if (!row->bad && (row->hints & HINT_BODY) && row->kept && !IN(row->tag, no_body) &&
		    share(row->kept, p->left, BODY_SHARE)) {
			c.at = i;
			c.named = true;
		}
	}
	if (!c.named)
		c.at = descend(p, p->left > 200);
	if (!share(p->rows[c.at].plain, p->rows[0].plain, REPAIR_SHARE)) {
		c.at = descend(p, false);
		c.named = false;
	}
	c.evidence = c.named;
	for (size_t i = 1; i < p->n; i++) {
		const struct row *row = &p->rows[i];

		if (row->bad)
			continue;
		if (row->tag == OUTLINE_ARTICLE && row->kept && share(row->kept, p->left, ARTICLE_SHARE))
			c.evidence = true;
		if (row->tag == OUTLINE_MAIN && row->plain > p->rows[c.main].plain * (c.main != 0) &&
		    share(row->end - row->start, p->body.n, MAIN_SHARE))
			c.main = i;
	}
	if (c.evidence)
		c.main = 0;
	return c;
}

/* ---- what is kept ---- */

static bool article_inside(const struct page_rows *p, size_t i, size_t from)
{
	for (i = p->rows[i].parent; i >= from && i; i = p->rows[i].parent)
		if (p->rows[i].tag == OUTLINE_ARTICLE)
			return true;
	return false;
}

static bool list_of_links(const struct page_rows *p, size_t i, uint64_t container)
{
	const uint64_t kinds = SET(OUTLINE_UL) | SET(OUTLINE_TABLE) | SET(OUTLINE_DL) | SET(OUTLINE_DIV) |
			       SET(OUTLINE_SECTION) | SET(OUTLINE_P) | SET(OUTLINE_LI) | SET(OUTLINE_HEADING);
	const struct row *row = &p->rows[i];
	uint64_t bytes = row->end - row->start, items;

	if (!IN(row->tag, kinds) || !bytes || (uint64_t)row->link * 2 <= bytes ||
	    share(row->kept, container, LINKED_SHARE))
		return false;
	items = (row->last < p->n ? p->rows[row->last].items : p->rows[p->n - 1].items + 1) - row->items;
	return (uint64_t)row->link * 10 > bytes * 9 || bytes < ITEM_BYTES * (items ? items : 1);
}

static void keep_inside(struct page_rows *p, size_t from, uint64_t container)
{
	p->rows[from].keep = true;
	for (size_t i = from + 1; i < p->rows[from].last;) {
		struct row *row = &p->rows[i];

		if (row->bad || (row->tag == OUTLINE_ARTICLE && article_inside(p, i, from)) ||
		    list_of_links(p, i, container) || (row->tag == OUTLINE_HEADING && (row->hints & HINT_TITLE))) {
			i = row->last;
		} else {
			row->keep = true;
			i++;
		}
	}
}

static uint32_t depth(const struct page_rows *p, size_t i)
{
	uint32_t n = 0;

	for (; i; i = p->rows[i].parent)
		n++;
	return n;
}

/* A named body may come in pieces: its sisters of the same name and depth. */
static void keep_container(struct page_rows *p, const struct choice *c)
{
	const struct row *first = &p->rows[c->at];
	uint64_t container = first->kept;
	uint32_t deep = depth(p, c->at);

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = first->last; c->named && i < p->n;) {
			const struct row *row = &p->rows[i];

			if (row->bad || row->tag != first->tag || row->hints != first->hints ||
			    row->name != first->name || !share(row->kept, first->kept, CHUNK_SHARE) ||
			    depth(p, i) != deep) {
				i++;
				continue;
			}
			if (pass)
				keep_inside(p, i, container);
			else
				container += row->kept;
			i = row->last;
		}
	keep_inside(p, c->at, container);
}

/* The body without what is surely furniture, all of it or that of <main>. */
static void keep_whole(struct page_rows *p, size_t from)
{
	for (size_t i = 0; i < p->n; i++)
		p->rows[i].keep = false;
	for (size_t i = from; i < p->rows[from].last;) {
		struct row *row = &p->rows[i];
		bool sure = row->tag == OUTLINE_NAV || row->tag == OUTLINE_FOOTER || row->tag == OUTLINE_ASIDE ||
			    (row->hints & (HINT_NAV | HINT_FOOT | HINT_SHARE | HINT_AD | HINT_NOTE | HINT_HIDDEN));

		if (sure && i != from && row->tag != OUTLINE_BODY && row->tag != OUTLINE_MAIN &&
		    row->tag != OUTLINE_ARTICLE && (uint64_t)row->weight * 5 <= p->total &&
		    (uint64_t)(row->end - row->start) * 10 < p->body.n * 3) {
			i = row->last;
		} else {
			row->keep = true;
			i++;
		}
	}
}

/* All inside a row but furniture. */
static void keep_untrimmed(struct page_rows *p, size_t from)
{
	for (size_t i = from ? from : 1; i < p->rows[from].last; i++)
		p->rows[i].keep = !p->rows[i].bad;
}

static bool begins_or_ends(const struct page_rows *p, const struct segment *s, const struct choice *c)
{
	const uint64_t never = SET(OUTLINE_HEADING) | SET(OUTLINE_TIME) | SET(OUTLINE_CONTROL) | SET(OUTLINE_ADDRESS);
	const struct row *row = &p->rows[s->row];
	uint32_t bytes = s->end - s->start;

	if (IN(row->tag, never) || (uint64_t)row->own_link * 10 >= (uint64_t)row->own * 6)
		return false;
	if ((row->tag == OUTLINE_P || row->tag == OUTLINE_LI) && c->named && !(row->hints & (WEAK | STRONG)) &&
	    bytes >= LEAD_BYTES_BODY)
		return true;
	return bytes >= LEAD_BYTES && has_mark(p->body, s->start, s->end);
}

/* The segments of kept rows; *first .. *end are left when short lines at
 * both ends are cut.  Returns their bytes. */
static uint64_t trim(const struct page_rows *p, const struct choice *c, size_t *first, size_t *end)
{
	uint64_t bytes = 0;
	size_t from = p->n_segments, to = 0;

	for (size_t i = 0; i < p->n_segments; i++)
		if (p->rows[p->segments[i].row].keep && (from == p->n_segments || i >= to) &&
		    begins_or_ends(p, &p->segments[i], c)) {
			from = from == p->n_segments ? i : from;
			to = i + 1;
		}
	if (from == p->n_segments) {
		from = 0;
		to = p->n_segments;
	}
	for (size_t i = from; i < to; i++)
		if (p->rows[p->segments[i].row].keep)
			bytes += p->segments[i].end - p->segments[i].start;
	*first = from;
	*end = to;
	return bytes;
}

static bool is_no_article(const struct page_rows *p, const struct choice *c)
{
	if (p->prose < (c->evidence ? PROSE_BYTES : PROSE_BYTES_PLAIN) || !share(p->prose, p->visible, PROSE_SHARE))
		return !(c->evidence && share(p->prose, p->visible, 10));
	return !c->evidence && (p->body.n < PLAIN_PAGE_BYTES || share(p->structure, p->rows[0].plain, STRUCTURE_SHARE));
}

static bool is_wrong(const struct page_rows *p, const struct choice *c, uint64_t bytes)
{
	if (c->evidence)
		return false;
	return (c->main && !share(bytes, p->rows[c->main].plain, MAIN_KEEP)) || share(bytes, p->body.n, MOST_SHARE) ||
	       !share(bytes, p->visible, LEAST_SHARE);
}

/* Lines that stand between paragraphs over an advertisement that is not there. */
static bool is_label(struct str body, const struct segment *s)
{
	static const struct str labels[] = {
		STR("advert"),
		STR("advertisement"),
		STR("advertisements"),
		STR("advertising"),
		STR("ad"),
		STR("sponsored"),
		STR("article continues below advertisement"),
		STR("advertisement - continue reading below"),
		STR("scroll to continue"),
		STR("story continues below advertisement"),
		STR("anzeige"),
		STR("werbung"),
		STR("publicit\xC3\xA9"),
		STR("publicidad"),
		STR("publicidade"),
		STR("pubblicit\xC3\xA0"),
		STR("advertentie"),
		STR("reklama"),
		STR("reklam"),
		STR("reklame"),
		STR("annons"),
		STR("mainos"),
		STR("\xD1\x80\xD0\xB5\xD0\xBA\xD0\xBB\xD0\xB0\xD0\xBC\xD0\xB0"),
		STR("\xE5\xBA\x83\xE5\x91\x8A"),
		STR("\xE5\xB9\xBF\xE5\x91\x8A"),
	};
	struct str text = str_n(body.p + s->start, s->end - s->start);

	if (text.n > 48)
		return false;
	for (size_t i = 0; i < COUNT(labels); i++)
		if (str_ieq(text, labels[i]))
			return true;
	return false;
}

static void join(struct arena *a, const struct page_rows *p, size_t first, size_t end, struct main_text *out)
{
	size_t n = 0, left = 0;
	bool adjoins = false;
	char *text;

	out->ranges = ARENA_ARRAY(a, struct main_range, end > first ? end - first : 1);
	for (size_t i = first; i < end; i++) {
		const struct segment *s = &p->segments[i];

		if (!p->rows[s->row].keep || (!out->whole && is_label(p->body, s))) {
			adjoins = false;
			left++;
			continue;
		}
		if (adjoins)
			out->ranges[n - 1].end = s->end;
		else
			out->ranges[n++] = (struct main_range){ s->start, s->end };
		adjoins = true;
	}
	out->n_ranges = n;
	if (n == 1 && !left && first == 0 && end == p->n_segments) {
		out->ranges[0] = (struct main_range){ 0, (uint32_t)p->body.n };
		out->text = p->body;
		return;
	}
	out->text.p = text = arena_alloc(a, p->body.n + n + 1);
	for (size_t i = 0; i < n; i++) {
		size_t bytes = out->ranges[i].end - out->ranges[i].start;

		if (i)
			*text++ = '\n';
		memcpy(text, p->body.p + out->ranges[i].start, bytes);
		text += bytes;
	}
	out->text.n = (size_t)(text - out->text.p);
}

struct main_text main_content(struct arena *a, struct str body, const struct outline *o)
{
	struct main_text out = { 0 };
	struct page_rows p = { .body = body };
	struct choice c;
	size_t first = 0, end;

	if (body.n == 0 || body.n >= UINT32_MAX)
		return (struct main_text){ .text = body, .whole = true };
	fill_rows(a, &p, o);
	weigh(&p);
	mark_furniture(&p);
	sum_rest(&p);
	c = choose(&p);
	end = p.n_segments;
	out.whole = is_no_article(&p, &c);
	if (!out.whole) {
		uint64_t bytes;

		keep_container(&p, &c);
		bytes = trim(&p, &c, &first, &end);
		out.whole = is_wrong(&p, &c, bytes);
		if (!out.whole && !c.evidence && share(bytes, body.n, UNTRIMMED_SHARE)) {
			keep_untrimmed(&p, share(bytes, body.n, GENTLE_SHARE) ? 0 : c.at);
			first = 0;
			end = p.n_segments;
		}
	}
	if (out.whole) {
		keep_whole(&p, c.main);
		first = 0;
		end = p.n_segments;
	}
	join(a, &p, first, end, &out);
	return out;
}
