/* text/main.c -- from rows to the article.
 *
 * 1. A row's own text (not that of rows inside it) is weighed as prose: length
 *    less twice its anchor text, little without punctuation.  Sums go outwards.
 * 2. Furniture is marked: navigation, footers, forms and what class and id call
 *    shares, related, comments, ads, unless it holds a large part of the prose
 *    or the name means something else.
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
#include "text/main_rows.h"

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
	size_t thread; /* row of the posts when there are several */
	size_t main;   /* row of <main> when it counts and there is no evidence, else 0 */
};

/* Another article beside this one, not much shorter. */
static bool has_sister(const struct page_rows *p, size_t at)
{
	const struct row *article = &p->rows[at];

	for (size_t i = article->parent + 1; i < p->rows[article->parent].last; i = p->rows[i].last)
		if (i != at && p->rows[i].tag == OUTLINE_ARTICLE && !p->rows[i].bad &&
		    share(p->rows[i].kept, article->kept, CHUNK_SHARE))
			return true;
	return false;
}

/* The <article> whose heading is in the page's title, where it holds a good part of the prose or there are several whole
 * articles (a page that goes on with the next ones); 0: none, or more than one. */
static size_t titled_article(const struct page_rows *p)
{
	struct str title = rows_title(p);
	size_t found = 0;

	for (size_t i = 1; i < p->n && title.n >= TITLE_BYTES; i++) {
		const struct row *row = &p->rows[i];
		struct str heading;
		size_t at;

		if (row->tag != OUTLINE_HEADING || row->end - row->start < TITLE_BYTES)
			continue;
		heading = rows_trimmed(p, row);
		if (heading.n < TITLE_BYTES || str_find(title, heading) < 0)
			continue;
		for (at = row->parent; at && p->rows[at].tag != OUTLINE_ARTICLE;)
			at = p->rows[at].parent;
		if (!at || p->rows[at].bad)
			continue;
		if (found && found != at)
			return 0;
		found = at;
	}
	if (!found || p->rows[found].kept < CORE_PROSE)
		return 0;
	return share(p->rows[found].kept, p->left, ARTICLE_SHARE) || has_sister(p, found) ? found : 0;
}

/* Several bodies of one name, none of which is most of the page: the posts of a thread, a question and its answers.  The
 * innermost row that holds all of them, or 0. */
static size_t thread(const struct page_rows *p)
{
	uint64_t kept = 0;
	size_t n = 0, first = 0, all = 0;

	for (size_t i = 1; i < p->n;) {
		const struct row *row = &p->rows[i];

		if (row->bad || !(row->hints & HINT_BODY) || !row->kept ||
		    (first && (row->tag != p->rows[first].tag || row->name != p->rows[first].name))) {
			i++;
			continue;
		}
		all = first ? all : row->parent;
		first = first ? first : i;
		while (p->rows[all].last < row->last)
			all = p->rows[all].parent;
		kept += row->kept;
		n++;
		i = row->last;
	}
	return n >= POSTS_LEAST && share(kept, p->left, POSTS_SHARE) ? all : 0;
}

static struct choice choose(const struct page_rows *p)
{
	const uint64_t no_body = SET(OUTLINE_BODY) | SET(OUTLINE_P) | SET(OUTLINE_LI) | SET(OUTLINE_HEADING);
	struct choice c = { 0 };

	for (size_t i = 1; (p->hints & HINT_BODY) && i < p->n && !c.named; i++) {
		const struct row *row = &p->rows[i];

		if (!row->bad && (row->hints & HINT_BODY) && row->kept && !IN(row->tag, no_body) &&
		    share(row->kept, p->left, BODY_SHARE)) {
			c.at = i;
			c.named = true;
		}
	}
	if (!c.named)
		c.at = c.thread = (p->hints & HINT_BODY) && !p->article ? thread(p) : 0;
	if (!c.named && !c.thread)
		c.at = descend(p, p->left > 200);
	if (!share(p->rows[c.at].plain, p->rows[0].plain, REPAIR_SHARE)) {
		c.at = descend(p, false);
		c.named = false;
	}
	size_t titled = c.named || !IN(OUTLINE_ARTICLE, p->tags) ? 0 : titled_article(p);

	if (titled)
		c.at = titled;
	c.evidence = c.named || titled;
	for (size_t i = 1; (p->tags & (SET(OUTLINE_ARTICLE) | SET(OUTLINE_MAIN))) && i < p->n; i++) {
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
	const struct row *row = &p->rows[i], *list = &p->rows[row->parent];
	uint64_t bytes = row->end - row->start, items;

	if (row->tag == OUTLINE_LI && list->tag == OUTLINE_UL && (uint64_t)list->link * 3 <= list->end - list->start)
		return false; /* an item of a list of text, with a link in it */
	if (!IN(row->tag, kinds) || !bytes || (uint64_t)row->link * 2 <= bytes ||
	    share(row->kept, container, LINKED_SHARE))
		return false;
	items = (row->last < p->n ? p->rows[row->last].items : p->rows[p->n - 1].items + 1) - row->items;
	return (uint64_t)row->link * 10 > bytes * 9 || bytes < ITEM_BYTES * (items ? items : 1);
}

/* The headline itself; other headings that are called titles are those of sections. */
static bool is_headline(const struct page_rows *p, const struct row *row)
{
	return row->tag == OUTLINE_HEADING && (row->hints & HINT_TITLE) && rows_in_title(p, row);
}

/* Whether the articles within the article are together nearly all of it, and none of them the article: the entries of a list,
 * a live report. */
static bool made_of_articles(const struct page_rows *p, size_t from, uint64_t container)
{
	uint64_t inner = 0;

	for (size_t i = from + 1; IN(OUTLINE_ARTICLE, p->tags) && i < p->rows[from].last;) {
		const struct row *row = &p->rows[i];
		bool is_inner = !row->bad && row->tag == OUTLINE_ARTICLE && article_inside(p, i, from);

		if (is_inner && share(row->kept, container, INNER_SHARE))
			return false;
		inner += is_inner ? row->kept : 0;
		i = row->bad || is_inner ? row->last : i + 1;
	}
	return share(inner, container, INNERS_SHARE);
}

static void keep_inside(struct page_rows *p, size_t from, uint64_t container)
{
	bool articles = made_of_articles(p, from, container);

	p->rows[from].keep = true;
	for (size_t i = from + 1; i < p->rows[from].last;) {
		struct row *row = &p->rows[i];

		if (row->bad ||
		    (row->tag == OUTLINE_ARTICLE && !articles && article_inside(p, i, from) &&
		     !share(row->kept, container, INNER_SHARE)) ||
		    list_of_links(p, i, container) || is_headline(p, row)) {
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

/* What is called the lead stands before the body, in the same article. */
static void keep_lead(struct page_rows *p, size_t body, uint64_t container)
{
	size_t article = body;

	while (article && p->rows[article].tag != OUTLINE_ARTICLE && p->rows[article].tag != OUTLINE_MAIN)
		article = p->rows[article].parent;
	for (size_t i = article + 1; article && i < body;) {
		const struct row *row = &p->rows[i];
		uint32_t bytes = row->end - row->start;

		if (row->bad) {
			i = row->last;
		} else if ((row->hints & HINT_LEAD) && row->last <= body && row->tag != OUTLINE_HEADING &&
			   bytes >= LEAD_BYTES && bytes <= LEAD_MOST) {
			keep_inside(p, i, container);
			i = row->last;
		} else {
			i++;
		}
	}
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
	if (c->named)
		keep_lead(p, c->at, container);
}

/* The body without what is surely furniture, all of it or that of <main>. */
static void keep_whole(struct page_rows *p, size_t from)
{
	for (size_t i = 0; i < p->n; i++)
		p->rows[i].keep = false;
	for (size_t i = from; i < p->rows[from].last;) {
		struct row *row = &p->rows[i];
		bool sure =
		    row->tag == OUTLINE_NAV || row->tag == OUTLINE_FOOTER || row->tag == OUTLINE_ASIDE ||
		    (row->hints & (HINT_NAV | HINT_SIDE | HINT_FOOT | HINT_SHARE | HINT_AD | HINT_NOTE | HINT_HIDDEN));

		if (sure && row->bad && i != from && row->tag != OUTLINE_BODY && row->tag != OUTLINE_MAIN &&
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

/* A cell or item of a table or list that is content: of some length, few links. */
static bool in_data(const struct page_rows *p, size_t i)
{
	const uint64_t parts = SET(OUTLINE_TD) | SET(OUTLINE_TR) | SET(OUTLINE_LI) | SET(OUTLINE_P);
	const struct row *row = &p->rows[i];

	for (int up = 0; up < 4 && IN(row->tag, parts); up++)
		row = &p->rows[row->parent];
	return (row->tag == OUTLINE_TABLE || row->tag == OUTLINE_UL) && row->keep &&
	       row->end - row->start >= DATA_BYTES && (uint64_t)row->link * 4 <= row->end - row->start;
}

static bool begins_or_ends(const struct page_rows *p, const struct segment *s, const struct choice *c)
{
	const uint64_t never = SET(OUTLINE_TIME) | SET(OUTLINE_CONTROL) | SET(OUTLINE_ADDRESS);
	const struct row *row = &p->rows[s->row];
	uint32_t bytes = s->end - s->start;
	bool said = p->article && !c->evidence; /* by nothing but the page's head */
	bool hinted = (row->hints & (WEAK | STRONG)) != 0;

	if (IN(row->tag, never) || (uint64_t)row->own_link * 10 >= (uint64_t)row->own * 6)
		return false;
	if (row->tag == OUTLINE_HEADING &&
	    (!c->named || bytes < HEADING_LEAD || row->own_link || rows_in_title(p, row)))
		return false;
	if ((row->tag == OUTLINE_P || row->tag == OUTLINE_LI) && (c->named || said) && !hinted &&
	    bytes >= LEAD_BYTES_BODY)
		return true;
	if ((c->named || said) && !hinted && (row->tag == OUTLINE_PRE || in_data(p, s->row)))
		return true;
	return bytes >= (said ? LEAD_BYTES_BODY : LEAD_BYTES) &&
	       main_has_mark(str_n(p->body.p + s->start, s->end - s->start));
}

/* The segments of kept rows; *first .. *end are left when short lines at
 * both ends are cut.  Returns their bytes. */
static uint64_t trim(const struct page_rows *p, const struct choice *c, size_t *first, size_t *end)
{
	uint64_t bytes = 0;
	size_t from = p->n_segments, to = 0;

	for (size_t i = 0; i < p->n_segments; i++)
		if (p->rows[p->segments[i].row].keep && !p->segments[i].aside && (from == p->n_segments || i >= to) &&
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

/* Mostly tables, lists and code. */
static bool structured(const struct page_rows *p) { return share(p->structure, p->rows[0].plain, STRUCTURE_SHARE); }

static bool is_no_article(const struct page_rows *p, const struct choice *c)
{
	if (p->prose < (c->evidence ? PROSE_BYTES : PROSE_BYTES_PLAIN) || !share(p->prose, p->visible, PROSE_SHARE))
		return !((c->evidence || p->article) && share(p->prose, p->visible, 10));
	return !c->evidence && (p->body.n < PLAIN_PAGE_BYTES || (!p->article && structured(p)));
}

static bool is_wrong(const struct page_rows *p, const struct choice *c, uint64_t bytes)
{
	if (c->evidence)
		return bytes == 0;
	return (c->main && !share(bytes, p->rows[c->main].plain, MAIN_KEEP)) ||
	       (!p->article && share(bytes, p->body.n, MOST_SHARE)) ||
	       !share(bytes, p->rows[0].plain, p->article && !structured(p) ? ARTICLE_LOSS : LOSS_SHARE) ||
	       !share(bytes, p->visible, LEAST_SHARE);
}

/* The segments from `first` on that are kept, and the leads before. */
static void join(struct arena *a, const struct page_rows *p, size_t first, size_t end, struct main_text *out)
{
	size_t n = 0, left = 0;
	bool adjoins = false;
	char *text;

	out->ranges = ARENA_ARRAY(a, struct main_range, end + 1);
	for (size_t i = 0; i < end; i++) {
		const struct segment *s = &p->segments[i];

		if (!s->lead && (i < first || !p->rows[s->row].keep || (!out->whole && s->aside))) {
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
	if (n == 1 && !left && end == p->n_segments) {
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

/* A short page where nothing says furniture and nothing says article: all of it stays, whatever its rows weigh. */
static bool is_plain(struct str body, const struct outline *o)
{
	return body.n < PLAIN_PAGE_BYTES && !o->article && !(o->hints & (STRONG | WEAK | HINT_BODY)) &&
	       !(o->tags & (FURNITURE | SET(OUTLINE_ARTICLE) | SET(OUTLINE_MAIN))) && str_trim(body).n;
}

struct main_text main_content(struct arena *a, struct str body, const struct outline *o)
{
	struct main_text out = { 0 };
	struct page_rows p = { .body = body, .article = o->article };
	struct choice c;
	size_t first = 0, end;

	if (body.n == 0 || body.n >= UINT32_MAX)
		return (struct main_text){ .text = body, .whole = true };
	if (is_plain(body, o)) {
		out = (struct main_text){ .text = body, .n_ranges = 1, .whole = true };
		out.ranges = ARENA_ARRAY(a, struct main_range, 1);
		out.ranges[0] = (struct main_range){ 0, (uint32_t)body.n };
		return out;
	}
	rows_fill(a, &p, o);
	rows_weigh(&p);
	rows_clear_names(&p, o);
	rows_mark_furniture(&p);
	rows_sum_rest(&p);
	c = choose(&p);
	end = p.n_segments;
	out.whole = is_no_article(&p, &c);
	if (!out.whole) {
		uint64_t bytes;

		keep_container(&p, &c);
		rows_mark_asides(&p, c.evidence || p.article);
		bytes = trim(&p, &c, &first, &end);
		out.whole = is_wrong(&p, &c, bytes);
		if (!out.whole)
			rows_mark_leads(&p, first);
		if (!out.whole && (c.evidence || p.article))
			rows_mark_orphans(&p, first, end);
		if (!out.whole && !c.evidence && !p.article && (c.thread || share(bytes, body.n, UNTRIMMED_SHARE))) {
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
