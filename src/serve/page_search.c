/* serve/page_search.c -- full text: hits with snippets, facets, collapsed by a cover.
 *
 * Facets are counted over the best FACET_HITS hits, and the page says so when
 * there are more.  A hidden document is never lost: each hit says how many
 * captures stand behind it, and how many of the same text or covered ones.
 */
#include <inttypes.h>

#include "archive/stamp.h"
#include "base/limits.h"
#include "flow/find.h"
#include "flow/members.h"
#include "serve/acl.h"
#include "serve/page.h"

enum {
	PAGE_HITS = 20,
	FACET_HITS = 500,
	FACET_ROWS = 12,
	PAGES_MOST = 50,
	CONTEXT_BYTES = 90,
	LINES_PER_TEXT = 5,
	WHOLE_TEXT = 1 << 20
};

struct asked {
	struct str words, host, year, lang, from, to, cover, view;
	uint64_t page, cover_id;
};

static void quoted(struct buf *b, struct str s)
{
	buf_byte(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_byte(b, '"');
		buf_byte(b, s.p[i]);
	}
	buf_byte(b, '"');
}

/* A date as a person writes it, as the rule language reads it; false when it is none. */
static bool date_clause(struct buf *b, const char *op, struct str date)
{
	struct stamp t;
	char text[21];

	if (!stamp_parse(date, &t))
		return false;
	buf_printf(b, "%stime %s %s", b->n ? " and " : "", op,
		   stamp_rfc3339(op[0] == '<' ? stamp_end(&t) : t.time, text).p);
	return true;
}

/* The filters as a selection; NULL: none.  false: a filter is wrong. */
static bool where(struct request *q, const struct asked *a, const char **out)
{
	struct buf *b = request_buf(q, LIMIT_RULE);
	uint64_t year;

	*out = NULL;
	if (a->host.n) {
		buf_str(b, STR("host = "));
		quoted(b, a->host);
	}
	if (a->lang.n) {
		buf_printf(b, "%slang = ", b->n ? " and " : "");
		quoted(b, a->lang);
	}
	if (a->year.n) {
		if (!str_u64(a->year, &year) || year > 9999)
			return false;
		buf_printf(b, "%syear = %" PRIu64, b->n ? " and " : "", year);
	}
	if ((a->from.n && !date_clause(b, ">=", a->from)) || (a->to.n && !date_clause(b, "<=", a->to)))
		return false;
	if (b->n)
		*out = arena_strz(&q->arena, buf_view(b));
	return !b->full;
}

/* The address of this search with one filter changed; value empty: without it. */
static void href(struct request *q, struct buf *b, const struct asked *a, const char *name, struct str value,
		 uint64_t page)
{
	const struct {
		const char *name;
		struct str value;
	} all[] = { { "q", a->words },	 { "host", a->host }, { "year", a->year },   { "lang", a->lang },
		    { "from", a->from }, { "to", a->to },     { "cover", a->cover }, { "view", a->view } };
	char sign = '?';

	html(b, "%s/c/%p/search", page_base(q), str(q->served->name));
	for (size_t i = 0; i < COUNT(all); i++) {
		struct str v = name && strcmp(name, all[i].name) == 0 ? value : all[i].value;

		if (!v.n)
			continue;
		html(b, "%z%z=%p", sign == '?' ? "?" : "&", all[i].name, v);
		sign = '&';
	}
	if (page > 1)
		html(b, "%zpage=%u", sign == '?' ? "?" : "&", page);
}

static void option(struct buf *b, struct str value, struct str label, bool selected)
{
	html(b, "<option value=\"%s\"%z>%s</option>", value, selected ? " selected" : "", label);
}

static void form(struct request *q, struct buf *b, const struct asked *a, const struct cover_row *covers,
		 size_t n_covers)
{
	html(
	    b,
	    "<h1>Search</h1>\n<form role=\"search\" action=\"%s/c/%p/search\"><div class=\"row\"><div class=\"field grow\"><label for=\"q\">Words</label>"
	    "<input id=\"q\" name=\"q\" type=\"search\" value=\"%s\" aria-describedby=\"how\"></div>",
	    page_base(q), str(q->served->name), a->words);
	html(
	    b,
	    "<div class=\"field\"><label for=\"from\">From</label><input id=\"from\" name=\"from\" size=\"10\" value=\"%s\" placeholder=\"2010-01\"></div>"
	    "<div class=\"field\"><label for=\"to\">To</label><input id=\"to\" name=\"to\" size=\"10\" value=\"%s\" placeholder=\"2011\"></div>",
	    a->from, a->to);
	if (n_covers) {
		html(
		    b,
		    "<div class=\"field\"><label for=\"cover\">Collapse with</label><select id=\"cover\" name=\"cover\">");
		option(b, STR(""), STR("nothing: show all"), !a->cover.n);
		for (size_t i = 0; i < n_covers && i < 50; i++) {
			struct str id = arena_printf(&q->arena, "%" PRIu64, covers[i].id);

			option(b, id,
			       covers[i].name.n ? arena_printf(&q->arena, "cover %" PRIu64 ", %.*s", covers[i].id,
							       STR_FMT(covers[i].name))
						: arena_printf(&q->arena, "cover %" PRIu64, covers[i].id),
			       covers[i].id == a->cover_id);
		}
		html(b, "</select></div>");
	}
	html(
	    b,
	    "<input type=\"hidden\" name=\"host\" value=\"%s\"><input type=\"hidden\" name=\"year\" value=\"%s\"><input type=\"hidden\" name=\"lang\" value=\"%s\">"
	    "<button class=\"primary\">Search</button></div>\n<p id=\"how\" class=\"hint\">All words must be there. \"some words\" in a row, word*, -without, title:word, or.</p></form>\n",
	    a->host, a->year, a->lang);
}

struct facet {
	const char *name, *title;
	struct {
		struct str value;
		uint64_t n;
	} rows[256];
	size_t n;
};

static void facet_add(struct facet *f, struct str value)
{
	if (!value.n)
		return;
	for (size_t i = 0; i < f->n; i++)
		if (str_eq(f->rows[i].value, value)) {
			f->rows[i].n++;
			return;
		}
	if (f->n < COUNT(f->rows)) {
		f->rows[f->n].value = value;
		f->rows[f->n++].n = 1;
	}
}

static void facet_show(struct request *q, struct buf *b, const struct asked *a, struct facet *f, struct str active)
{
	if (!f->n && !active.n)
		return;
	html(b, "<details open><summary>%z</summary><ul>", f->title);
	if (active.n) {
		html(b, "<li><span>only <b>%b</b></span> <a href=\"", active);
		href(q, b, a, f->name, STR(""), 1);
		html(b, "\">any<span class=\"hidden\"> %z</span></a></li>", f->title);
	}
	for (size_t shown = 0; !active.n && shown < FACET_ROWS && shown < f->n; shown++) {
		size_t best = 0;

		for (size_t i = 1; i < f->n; i++)
			if (f->rows[i].n > f->rows[best].n)
				best = i;
		if (!f->rows[best].n)
			break;
		html(b, "<li><a href=\"");
		href(q, b, a, f->name, f->rows[best].value, 1);
		html(b, "\">%b</a> <span>%n</span></li>", f->rows[best].value, f->rows[best].n);
		f->rows[best].n = 0;
	}
	html(b, "</ul></details>\n");
}

static void facets(struct request *q, struct buf *b, const struct asked *a, const struct find_result *all)
{
	struct facet *f = arena_zalloc(&q->arena, 3 * sizeof *f);

	f[0].name = "host", f[0].title = "Host";
	f[1].name = "year", f[1].title = "Year";
	f[2].name = "lang", f[2].title = "Language";
	for (size_t i = 0; i < all->n; i++) {
		const struct capture *c = &all->hits[i].capture;

		facet_add(&f[0], c->host);
		facet_add(&f[1], arena_printf(&q->arena, "%" PRId64, stamp_civil(c->time).year));
		facet_add(&f[2], c->lang);
	}
	html(b, "<aside class=\"side\" aria-label=\"Filters\">\n");
	facet_show(q, b, a, &f[0], a->host);
	facet_show(q, b, a, &f[1], a->year);
	facet_show(q, b, a, &f[2], a->lang);
	if (all->matches > all->n)
		html(b, "<p class=\"hint\">Counted over the best %n of %n texts.</p>", (uint64_t)all->n, all->matches);
	html(b, "</aside>\n");
}

static void snippet(struct buf *b, const struct ftsnippet *s)
{
	size_t at = 0;

	html(b, "<p class=\"snippet\"><bdi>%z", s->cut_before ? "\u2026 " : "");
	for (size_t i = 0; i < s->n_marks; i++) {
		html(b, "%s<mark>%s</mark>", str_sub(s->text, at, s->marks[i].at),
		     str_sub(s->text, s->marks[i].at, s->marks[i].at + s->marks[i].n));
		at = s->marks[i].at + s->marks[i].n;
	}
	html(b, "%s%z</bdi></p>\n", str_sub(s->text, at, s->text.n), s->cut_after ? " \u2026" : "");
}

/* How many documents a hit is the witness of; without a cover none. */
static uint64_t count_covered(struct collection *coll, uint64_t cover, uint64_t capture)
{
	uint64_t n = 0;

	if (cover)
		members_count_of(coll, cover, capture, &n, NULL);
	return n;
}

static void hit(struct request *q, struct collection *coll, struct buf *b, const struct asked *a,
		const struct find_hit *h)
{
	const struct capture *c = &h->capture;
	uint64_t covered = count_covered(coll, a->cover_id, c->id);

	html(b, "<li><h2>");
	page_capture_link(q, b, c);
	html(b, "</h2>\n<p class=\"soft\">%t \u00b7 %b", c->time, c->url);
	html(b, " \u00b7 <a href=\"%s/%p/*/%r\">all captures<span class=\"hidden\"> of %b</span></a>", page_base(q),
	     str(q->served->slug), page_url(q, c), c->url);
	if (h->captures > 1)
		html(b, " \u00b7 +%n with the same text", h->captures - 1);
	if (covered)
		html(b, " \u00b7 <a href=\"%s/c/%p/covers/%u/doc/%u\">+%n covered</a>", page_base(q),
		     str(q->served->name), a->cover_id, c->id, covered);
	html(b, "</p>\n");
	snippet(b, &h->snippet);
	html(b, "</li>\n");
}

/* ---- concordance: each place of the words, in its line ---- */

static bool inside_character(struct str s, size_t at) { return at < s.n && ((unsigned char)s.p[at] & 0xc0) == 0x80; }

static struct str context_left(struct str s, size_t at)
{
	size_t from = at > CONTEXT_BYTES ? at - CONTEXT_BYTES : 0;

	while (inside_character(s, from))
		from++;
	return str_sub(s, from, at);
}

static struct str context_right(struct str s, size_t at)
{
	size_t to = at + CONTEXT_BYTES < s.n ? at + CONTEXT_BYTES : s.n;

	while (to > at && inside_character(s, to))
		to--;
	return str_sub(s, at, to);
}

static void concordance_line(struct request *q, struct buf *b, const struct capture *c, struct str text, size_t at,
			     size_t end)
{
	html(
	    b,
	    "<tr><td class=\"left\">%b</td><td class=\"word\"><a href=\"%s/%p/%i/%r\" title=\"%s\"><mark>%b</mark></a></td><td>%b</td><td>%d</td></tr>\n",
	    context_left(text, at), page_base(q), str(q->served->slug), c->time, page_url(q, c),
	    c->title.n ? c->title : c->url, str_sub(text, at, end), context_right(text, end), c->time);
}

/* Words that stand together, as of a phrase, are one place. */
static void concordance(struct request *q, struct buf *b, const struct find_hit *h)
{
	const struct ftsnippet *s = &h->snippet;
	unsigned lines = 0;

	for (size_t i = 0; i < s->n_marks && lines < LINES_PER_TEXT; lines++) {
		size_t at = s->marks[i].at, end = at + s->marks[i].n;

		for (i++; i < s->n_marks && s->marks[i].at <= end + 1; i++)
			end = s->marks[i].at + s->marks[i].n;
		concordance_line(q, b, &h->capture, s->text, at, end);
	}
}

/* ---- the list, for people and for programs ---- */

static const struct sheet_column hit_columns[] = {
	{ "id", "Document", COLUMN_NUMBER },
	{ "url", "URL", COLUMN_TEXT },
	{ "time", "Time", COLUMN_TEXT },
	{ "host", "Host", COLUMN_TEXT },
	{ "lang", "Language", COLUMN_TEXT },
	{ "title", "Title", COLUMN_TEXT },
	{ "score", "Score", COLUMN_NUMBER },
	{ "captures", "Captures", COLUMN_NUMBER },
	{ "covered", "Covers", COLUMN_NUMBER },
	{ "snippet", "Snippet", COLUMN_TEXT },
	{ NULL, NULL, COLUMN_TEXT },
};

static void put_hit(struct collection *coll, struct sheet *l, const struct asked *a, const struct find_hit *h)
{
	const struct capture *c = &h->capture;

	sheet_row(l);
	sheet_number(l, c->id);
	sheet_text(l, c->url);
	sheet_time(l, c->time);
	sheet_text(l, c->host);
	sheet_text(l, c->lang);
	sheet_text(l, c->title);
	sheet_real(l, h->score, 4);
	sheet_number(l, h->captures);
	sheet_number(l, count_covered(coll, a->cover_id, c->id));
	sheet_text(l, h->snippet.text);
}

/* The search as a selection of the studio. */
static void set_link(struct request *q, struct buf *b, const struct asked *a)
{
	struct buf *set = request_buf(q, LIMIT_RULE);
	const char *filters = NULL;

	buf_str(set, STR("text ~ "));
	quoted(set, a->words);
	where(q, a, &filters);
	if (filters)
		buf_printf(set, " and %s", filters);
	html(b, "<a class=\"button\" href=\"%s/c/%p/rules/new?preset=journalist&amp;where=%p\">Make this my set</a>",
	     page_base(q), str(q->served->name), buf_view(set));
}

static void ways_on(struct request *q, struct buf *b, const struct asked *a)
{
	bool kwic = str_eq(a->view, STR("kwic"));

	html(b, "<nav class=\"pager\" aria-label=\"What to do with the results\"><a class=\"button\"%m href=\"",
	     kwic ? "" : " aria-current=\"true\"");
	href(q, b, a, "view", STR(""), 1);
	html(b, "\">Documents</a><a class=\"button\"%m href=\"", kwic ? " aria-current=\"true\"" : "");
	href(q, b, a, "view", STR("kwic"), 1);
	html(b, "\">In context</a>");
	set_link(q, b, a);
	html(b, "</nav>\n");
}

static void pager(struct request *q, struct buf *b, const struct asked *a, uint64_t pages)
{
	html(b, "<nav class=\"pager\" aria-label=\"Pages\">");
	if (a->page > 1) {
		html(b, "<a class=\"button\" rel=\"prev\" href=\"");
		href(q, b, a, NULL, STR(""), a->page - 1);
		html(b, "\">Previous</a>");
	}
	if (a->page < pages && a->page < PAGES_MOST) {
		html(b, "<a class=\"button\" rel=\"next\" href=\"");
		href(q, b, a, NULL, STR(""), a->page + 1);
		html(b, "\">Next</a>");
	}
	html(b, "</nav>");
}

static void hits(struct request *q, struct collection *coll, struct buf *b, const struct asked *a,
		 const struct find_result *found, uint64_t unfiltered)
{
	bool kwic = str_eq(a->view, STR("kwic"));

	html(b, "<section aria-label=\"Results\"><p role=\"status\"><b>%n</b> %z", found->matches,
	     found->matches == 1 ? "text matches." : "texts match.");
	if (a->cover_id && unfiltered > found->matches) {
		html(b, " %n more are hidden by cover %u: <a href=\"", unfiltered - found->matches, a->cover_id);
		href(q, b, a, "cover", STR(""), 1);
		html(b, "\">show all</a>.");
	}
	html(b, "</p>\n");
	if (!found->matches)
		html(
		    b,
		    "<p>Try fewer words, the start of a word with * (<code>librar*</code>), or wider dates.</p></section>\n");
	if (!found->matches)
		return;
	ways_on(q, b, a);
	html(
	    b,
	    kwic
		? "<table class=\"kwic\"><colgroup><col><col class=\"word\"><col><col class=\"day\"></colgroup><thead class=\"hidden\"><tr><th scope=\"col\">Before</th><th scope=\"col\">Words</th><th scope=\"col\">After</th><th "
		  "scope=\"col\">Captured</th></tr></thead><tbody>\n"
		: "<ol class=\"hits\">\n");
	for (uint64_t i = (a->page - 1) * PAGE_HITS; i < found->n && i < a->page * PAGE_HITS; i++) {
		const struct find_hit *h = &found->hits[i];

		if (kwic)
			concordance(q, b, h);
		else
			hit(q, coll, b, a, h);
	}
	html(b, kwic ? "</tbody></table>\n" : "</ol>\n");
	pager(q, b, a, (found->matches + PAGE_HITS - 1) / PAGE_HITS);
	html(b, "</section>\n");
}

struct found {
	struct find_result best, shown; /* best: FACET_HITS of them, without snippets */
	uint64_t unfiltered;		/* without the cover */
};

static int look_for(struct request *q, struct collection *coll, const struct asked *a, struct found *f, struct err *err)
{
	struct find_request find = { .words = a->words,
				     .cover = a->cover_id,
				     .limit = FACET_HITS,
				     .acl = request_acl(q, q->served),
				     .user = q->acl_user,
				     .brief = true };
	struct find_result whole;
	int rc;

	if (!where(q, a, &find.where))
		return err_set(err, WN_USAGE,
			       "a date is a year, a month or a day, such as 2010, 2010-03 or 2010-03-04");
	if ((rc = find_run(coll, &q->arena, &find, &f->best, err)) < 0)
		return rc;
	find.limit = a->page * PAGE_HITS;
	find.brief = false;
	find.snippet = str_eq(a->view, STR("kwic")) ? WHOLE_TEXT : 260;
	if ((rc = find_run(coll, &q->arena, &find, &f->shown, err)) < 0 || !a->cover_id)
		return rc;
	find.cover = find.snippet = 0;
	find.limit = 1;
	if ((rc = find_run(coll, &q->arena, &find, &whole, err)) == WN_OK)
		f->unfiltered = whole.matches;
	return rc;
}

static void as_data(struct request *q, struct response *r, struct collection *coll, const struct asked *a,
		    const struct found *f)
{
	struct page_sheet p;
	struct sheet l;
	struct buf *next = request_buf(q, LIMIT_URL);

	page_sheet_begin(&p, q, coll, &l, hit_columns, NULL);
	for (uint64_t i = (a->page - 1) * PAGE_HITS; i < f->shown.n && i < a->page * PAGE_HITS; i++)
		put_hit(coll, &l, a, &f->shown.hits[i]);
	if (a->page * PAGE_HITS < f->shown.matches && a->page < PAGES_MOST) {
		buf_printf(next, "page=%" PRIu64, a->page + 1);
		for (struct str rest = q->query; rest.n;) {
			struct str pair = str_cut(&rest, '&');

			if (pair.n && !str_starts(pair, STR("page=")))
				buf_printf(next, "&%.*s", STR_FMT(pair));
		}
	}
	page_sheet_end(&p, r, buf_view(next));
}

static int find_cover(struct request *q, struct asked *a, const struct cover_row *covers, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(a->cover, arena_printf(&q->arena, "%" PRIu64, covers[i].id)) ||
		    (a->cover.n && str_eq(a->cover, covers[i].name)))
			a->cover_id = covers[i].id;
	return a->cover.n && !a->cover_id ? err_set(err, WN_NONE, "there is no cover %.*s",
						    (int)(a->cover.n < 80 ? a->cover.n : 80), a->cover.p)
					  : WN_OK;
}

static void search_page(struct request *q, struct response *r, struct collection *coll, const struct asked *a,
			const struct cover_row *covers, size_t n, const struct found *f, const struct err *err)
{
	struct buf *b = page_begin(
	    q, TAB_SEARCH, a->words.n ? arena_printf(&q->arena, "%.*s - search", STR_FMT(a->words)) : STR("Search"));

	form(q, b, a, covers, n);
	if (err->code) { /* a bad query is the person's to mend, on the same page */
		html(b, "<pre class=\"note bad\" role=\"alert\">%z</pre>\n", err->text);
		r->status = 400;
	} else if (a->words.n) {
		html(b, "<div class=\"with-side\">\n");
		facets(q, b, a, &f->best);
		hits(q, coll, b, a, &f->shown, f->unfiltered);
		html(b, "</div>\n");
		page_forms(q, b, "json csv jsonl");
	} else if (a->host.n || a->lang.n) {
		html(b, "<p>Write the words to look for%z%b.</p>\n", a->host.n ? " on " : " in ",
		     a->host.n ? a->host : a->lang);
	}
	page_end(q, r, b);
}

void page_search(struct request *q, struct response *r)
{
	struct collection *coll;
	struct cover_row *covers;
	struct err err = { 0 };
	struct asked a = { .words = str_trim(request_param(q, "q")),
			   .host = request_param(q, "host"),
			   .year = request_param(q, "year"),
			   .lang = request_param(q, "lang"),
			   .from = request_param(q, "from"),
			   .to = request_param(q, "to"),
			   .cover = request_param(q, "cover"),
			   .view = request_param(q, "view"),
			   .page = 1 };
	struct found f = { 0 };
	size_t n_covers;
	int rc;

	if (!request_u64(q, "page", 1, PAGES_MOST, 1, &a.page)) {
		response_error(r, 400, "page is a number from 1 to %d", PAGES_MOST);
		return;
	}
	if (!(coll = page_collection(q, r)))
		return;
	if ((rc = page_covers(q, coll, &covers, &n_covers, &err)) == WN_OK &&
	    (rc = find_cover(q, &a, covers, n_covers, &err)) == WN_OK && a.words.n)
		rc = look_for(q, coll, &a, &f, &err);
	if (rc < 0 && (rc != WN_USAGE || q->format.n))
		response_err(r, &err);
	else if (q->format.n)
		as_data(q, r, coll, &a, &f);
	else
		search_page(q, r, coll, &a, covers, n_covers, &f, &err);
	page_done(coll);
}
