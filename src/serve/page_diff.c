/* serve/page_diff.c -- how the texts of two captures differ, older first; the pair is in the address. */
#include <inttypes.h>

#include "base/limits.h"
#include "serve/opened.h"
#include "serve/page.h"
#include "sketch/diff.h"

enum { SOURCE_MOST = 2 << 20 }; /* bytes of a payload that are compared line by line */

static bool pair(struct str text, uint64_t id[2])
{
	ptrdiff_t dots = str_find(text, STR(".."));

	return dots > 0 && str_u64(str_sub(text, 0, (size_t)dots), &id[0]) &&
	       str_u64(str_sub(text, (size_t)dots + 2, text.n), &id[1]);
}

enum mode { MODE_CHANGES, MODE_TEXT, MODE_SOURCE, MODE_RENDERED, MODES };
static const struct {
	const char *name, *label;
} modes[MODES] = {
	{ "changes", "Changes only" }, { "text", "Whole text" }, { "source", "Source" }, { "rendered", "Side by side" }
};

static enum mode mode_of(struct request *q)
{
	struct str name = request_param(q, "mode");

	for (int m = 0; m < MODES; m++)
		if (str_eq(name, str(modes[m].name)))
			return (enum mode)m;
	return MODE_CHANGES;
}

static int captures(struct request *q, struct collection *coll, const uint64_t id[2], struct capture c[2],
		    struct err *err)
{
	int rc = WN_OK;

	for (int i = 0; i < 2 && rc == WN_OK; i++) {
		rc = catalog_capture(coll->catalog, &q->arena, id[i], &c[i], err);
		if (rc == WN_OK && !page_allowed(q, c[i].urlkey, c[i].time))
			rc = err_set(err, WN_NONE, "this capture is not open to readers");
	}
	return rc;
}

static int texts(struct request *q, struct collection *coll, const struct capture c[2], struct str text[2],
		 struct err *err)
{
	struct texts t;
	int rc = WN_OK;

	for (int i = 0; i < 2 && rc == WN_OK; i++) {
		if (!c[i].content)
			return err_set(err, WN_NONE, "capture %" PRIu64 " has no text", c[i].id);
		if ((rc = collection_text(coll, c[i].content, &t, err)) == WN_OK)
			text[i] = arena_str(&q->arena, t.body);
	}
	return rc;
}

/* The payloads as archived, decoded; cut where a page ends being one. */
static int sources(struct request *q, struct response *r, const struct capture c[2], struct str text[2],
		   struct err *err)
{
	struct history *h = request_history(q, r);
	int rc = h ? WN_OK : WN_IO;

	for (int i = 0; i < 2 && rc == WN_OK; i++) {
		struct opened o = { 0 };

		if ((rc = opened_open(&o, q, h, &c[i], false, true, err)) == WN_OK)
			text[i] =
			    arena_str(&q->arena, str_sub(o.body, 0, o.body.n < SOURCE_MOST ? o.body.n : SOURCE_MOST));
		opened_close(&o);
	}
	return rc;
}

/* The nearest place that is not within a word, or in text without blanks a character; step is 1 or -1. */
static size_t whole_word(struct str s, size_t at, int step)
{
	enum { LONG_WORD = 40 };
	size_t to = at;

	for (unsigned i = 0; i < LONG_WORD && to > 0 && to<s.n; i++, to = step> 0 ? to + 1 : to - 1)
		if (ascii_space(s.p[step > 0 ? to : to - 1]))
			return to;
	while (at > 0 && at < s.n && ((unsigned char)s.p[at] & 0xc0) == 0x80)
		at = step > 0 ? at + 1 : at - 1;
	return at;
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
	head = head ? whole_word(s, head, 1) : 0;
	tail = tail ? s.n - whole_word(s, s.n - tail, -1) : 0;
	html(b, "%s\n<span class=\"soft\">[%n characters the same]</span>\n%s", str_sub(s, 0, head),
	     (uint64_t)(s.n - head - tail), str_sub(s, s.n - tail, s.n));
}

static void pieces(struct buf *b, const struct diff *d, bool changes_only, bool source)
{
	html(b, "<div class=\"diff panel%z\" dir=\"auto\">", source ? " source" : "");
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

static void nav(struct buf *b, enum mode mode)
{
	html(b, "<nav class=\"pager\" aria-label=\"Ways to show it\">");
	for (int m = 0; m < MODES; m++)
		html(b, "<a class=\"button\" href=\"?mode=%z\"%m>%z</a>", modes[m].name,
		     (int)mode == m ? " aria-current=\"true\"" : "", modes[m].label);
	html(b, "</nav>\n");
}

static void side_by_side(struct request *q, struct buf *b, const struct capture c[2])
{
	html(b, "<div class=\"sides\">");
	for (int i = 0; i < 2; i++)
		html(
		    b,
		    "<iframe title=\"%z, archived\" sandbox=\"allow-scripts allow-forms\" referrerpolicy=\"no-referrer\" src=\"%s/%p/%imp_/%r\"></iframe>",
		    i ? "Newer" : "Older", request_replay_base(q), str(q->served->slug), c[i].time, c[i].url);
	html(b, "</div>\n");
}

static void show(struct request *q, struct buf *b, const struct capture c[2], const struct diff *d, enum mode mode)
{
	html(b, "<h1>What changed</h1>\n<div class=\"cols\">");
	side(q, b, "Older", &c[0]);
	side(q, b, "Newer", &c[1]);
	html(b, "</div>\n");
	nav(b, mode);
	if (mode == MODE_RENDERED) {
		side_by_side(q, b, c);
		return;
	}
	html(b, "<p role=\"status\"><b>\u2212%n +%n</b> %z, %n the same.</p>\n", (uint64_t)d->only_a,
	     (uint64_t)d->only_b, mode == MODE_SOURCE ? "lines" : "words", (uint64_t)d->same);
	if (!d->only_a && !d->only_b)
		html(b, "<p class=\"note\">There is no difference of this kind.</p>\n");
	html(
	    b,
	    "<p class=\"hint\">Removed words are <del>struck through</del>, added ones <ins>underlined</ins>. Keys n and p go to the next "
	    "and previous change.</p>\n");
	pieces(b, d, mode != MODE_TEXT, mode == MODE_SOURCE);
}

static void as_json(struct request *q, struct response *r, const struct capture c[2], const struct diff *d,
		    uint64_t revision)
{
	static const char *const ops[] = { [DIFF_SAME] = "same", [DIFF_ONLY_A] = "removed", [DIFF_ONLY_B] = "added" };
	struct json *j = data_begin(q);

	json_open(j, '{');
	json_put_u64(j, "older", c[0].id);
	json_put_u64(j, "newer", c[1].id);
	json_put_u64(j, "removed", d->only_a);
	json_put_u64(j, "added", d->only_b);
	json_put_u64(j, "same", d->same);
	json_put_open(j, "pieces", '[');
	for (size_t i = 0; i < d->n; i++) {
		json_open(j, '{');
		json_put_text(j, "op", str(ops[d->pieces[i].op]));
		json_put_text(j, "text", d->pieces[i].text);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	data_end(q, r, j, revision, STR_NONE);
}

static void to_order(struct request *q, struct response *r, const uint64_t id[2])
{
	struct buf *b = request_buf(q, LIMIT_URL);

	html(b, "%s/c/%p/diff/%u..%u", page_base(q), str(q->served->name), id[1], id[0]);
	response_redirect(r, 302, buf_view(b));
}

void page_diff(struct request *q, struct response *r)
{
	enum mode mode = mode_of(q);
	struct catalog_next next = { 0 };
	struct collection *coll;
	struct capture c[2];
	struct str text[2] = { 0 };
	struct err err = { 0 };
	struct diff d = { 0 };
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
	rc = captures(q, coll, id, c, &err);
	if (rc == WN_OK && c[0].time <= c[1].time && mode != MODE_RENDERED)
		rc = mode == MODE_SOURCE ? sources(q, r, c, text, &err) : texts(q, coll, c, text, &err);
	catalog_next(coll->catalog, &next, NULL);
	page_done(coll);
	if (rc < 0) {
		response_err(r, &err);
		return;
	}
	if (c[0].time > c[1].time) { /* older is left */
		to_order(q, r, id);
		return;
	}
	if (mode != MODE_RENDERED)
		d = diff_texts(&q->arena, text[0], text[1], mode == MODE_SOURCE ? DIFF_LINE : DIFF_WORD);
	if (q->format.n) {
		as_json(q, r, c, &d, next.revision);
		return;
	}
	b = page_begin(q, TAB_NONE, STR("What changed"));
	show(q, b, c, &d, mode);
	page_forms(q, b, "json");
	page_end(q, r, b);
}
