/* serve/page_diff.c -- how the texts of two captures differ, older first; the pair is in the address. */
#include <inttypes.h>

#include "base/limits.h"
#include "serve/page.h"
#include "sketch/diff.h"

static bool pair(struct str text, uint64_t id[2])
{
	ptrdiff_t dots = str_find(text, STR(".."));

	return dots > 0 && str_u64(str_sub(text, 0, (size_t)dots), &id[0]) &&
	       str_u64(str_sub(text, (size_t)dots + 2, text.n), &id[1]);
}

static int load(struct request *q, struct collection *coll, const uint64_t id[2], struct capture c[2],
		struct str text[2], struct err *err)
{
	struct texts t;
	int rc;

	for (int i = 0; i < 2; i++) {
		if ((rc = catalog_capture(coll->catalog, &q->arena, id[i], &c[i], err)) < 0)
			return rc;
		if (!page_allowed(q, c[i].urlkey, c[i].time))
			return err_set(err, WN_NONE, "this capture is not open to readers");
		if (!c[i].content)
			return err_set(err, WN_NONE, "capture %" PRIu64 " has no text", id[i]);
		if ((rc = collection_text(coll, c[i].content, &t, err)) < 0)
			return rc;
		text[i] = arena_str(&q->arena, t.body);
	}
	return WN_OK;
}

/* Of a long stretch that is the same, its ends. */
static void same(struct buf *b, struct str s, bool first, bool last)
{
	const size_t ends = 160;
	size_t head = first ? 0 : ends, tail = last ? 0 : ends;

	if (s.n <= 3 * ends) {
		html(b, "%s", s);
		return;
	}
	while (head && head < s.n && ((unsigned char)s.p[head] & 0xc0) == 0x80) /* not within a character */
		head++;
	while (tail && tail < s.n && ((unsigned char)s.p[s.n - tail] & 0xc0) == 0x80)
		tail++;
	html(b, "%s\n<span class=\"soft\">[%n characters the same]</span>\n%s", str_sub(s, 0, head),
	     (uint64_t)(s.n - head - tail), str_sub(s, s.n - tail, s.n));
}

static void pieces(struct buf *b, const struct diff *d, bool changes_only)
{
	html(b, "<div class=\"diff panel\" dir=\"auto\">");
	for (size_t i = 0; i < d->n; i++) {
		struct str s = d->pieces[i].text;

		if (d->pieces[i].op == DIFF_SAME && changes_only)
			same(b, s, i == 0, i + 1 == d->n);
		else if (d->pieces[i].op == DIFF_SAME)
			html(b, "%s", s);
		else if (d->pieces[i].op == DIFF_ONLY_A)
			html(b, "<del><span class=\"hidden\">removed: </span>%s</del>", s);
		else
			html(b, "<ins><span class=\"hidden\">added: </span>%s</ins>", s);
	}
	html(b, "</div>\n");
}

static void side(struct request *q, struct buf *b, const char *name, const struct capture *c)
{
	html(b, "<div class=\"panel\"><h2>%z</h2><p>%t<br>", name, c->time);
	page_capture_link(q, b, c);
	html(b, "</p><p class=\"soft\">%b \u00b7 %n words</p></div>\n", c->url, c->words);
}

static void show(struct request *q, struct buf *b, const struct capture c[2], const struct diff *d, bool changes)
{
	html(b, "<h1>What changed</h1>\n<div class=\"cols\">");
	side(q, b, "Older", &c[0]);
	side(q, b, "Newer", &c[1]);
	html(b, "</div>\n<p role=\"status\">\u2212%n +%n words, %n the same.</p>\n", (uint64_t)d->only_a,
	     (uint64_t)d->only_b, (uint64_t)d->same);
	html(
	    b,
	    "<nav class=\"pager\" aria-label=\"Ways to show it\"><a class=\"button\" href=\"?mode=text\"%m>Whole text</a><a class=\"button\" href=\"?mode=changes\"%m>Changes "
	    "only</a></nav>\n",
	    changes ? "" : " aria-current=\"true\"", changes ? " aria-current=\"true\"" : "");
	if (!d->only_a && !d->only_b)
		html(b, "<p class=\"note\">The texts are the same, word for word.</p>\n");
	html(
	    b,
	    "<p class=\"hint\">Removed words are <del>struck through</del>, added ones <ins>underlined</ins>. Keys n and p go to the next and previous change.</p>\n");
	pieces(b, d, changes);
}

void page_diff(struct request *q, struct response *r)
{
	struct collection *coll;
	struct capture c[2];
	struct str text[2];
	struct err err = { 0 };
	struct diff d;
	struct buf *b;
	uint64_t id[2];
	int rc;

	if (!pair(request_arg(q, "pair"), id)) {
		response_error(r, 404,
			       "a difference has the address /diff/OLDER..NEWER, with the numbers of two captures");
		return;
	}
	if (!(coll = page_collection(q, r)))
		return;
	rc = load(q, coll, id, c, text, &err);
	page_done(coll);
	if (rc < 0) {
		response_err(r, &err);
		return;
	}
	if (c[0].time > c[1].time) { /* older is left */
		b = request_buf(q, LIMIT_URL);
		html(b, "%s/c/%p/diff/%u..%u", page_base(q), str(q->served->name), id[1], id[0]);
		response_redirect(r, 302, buf_view(b));
		return;
	}
	d = diff_texts(&q->arena, text[0], text[1], DIFF_WORD);
	b = page_begin(q, TAB_NONE, STR("What changed"));
	show(q, b, c, &d, !str_eq(request_param(q, "mode"), STR("text")));
	page_end(q, r, b);
}
