/* text/html_comment.c -- states of comments and of what "<!" begins. */
#include "text/html_states.h"
#include "text/scan.h"

static html_state comment_start_dash, comment, comment_lt, comment_lt_bang, comment_lt_bang_dash,
    comment_lt_bang_dash_dash, comment_end_dash, comment_end, comment_end_bang;

static const char *to(struct html *h, html_state *state, const char *p)
{
	h->state = state;
	return p;
}

static const char *emit(struct html *h, const char *p)
{
	h->state = state_data;
	html_emit_comment(h);
	return p;
}

static const char *eof_in_comment(struct html *h, const char *p)
{
	html_error(h, "eof-in-comment");
	html_emit_comment(h);
	return html_eof(h, p);
}

static void add(struct html *h, const char *p, size_t n) { html_store(h, &h->name, p, n); }

STATE(state_bogus_comment)
{
	if (p == end) {
		html_emit_comment(h);
		return html_eof(h, p);
	}
	const char *q = scan_two(p, end, '>', 0);

	add(h, p, (size_t)(q - p));
	if (q == end)
		return q;
	if (*q == '>')
		return emit(h, q + 1);
	html_error(h, "unexpected-null-character");
	add(h, REPLACEMENT, 3);
	return q + 1;
}

/* After "<!": temp collects what may still become "--", "doctype" or "[CDATA[". */
STATE(state_markup_declaration)
{
	static const struct {
		struct str word;
		bool fold;
	} words[] = { { STR("--"), false }, { STR("doctype"), true }, { STR("[CDATA["), false } };

	if (p < end) {
		for (size_t i = 0; i < COUNT(words); i++) {
			struct str w = words[i].word;
			size_t n = h->temp_n;
			char c = words[i].fold ? ascii_lower(*p) : *p;

			if (n >= w.n || w.p[n] != c)
				continue;
			bool same = true;
			for (size_t k = 0; k < n; k++)
				same &= (words[i].fold ? ascii_lower(h->temp[k]) : h->temp[k]) == w.p[k];
			if (!same)
				continue;
			h->temp[h->temp_n++] = *p++;
			if (h->temp_n < w.n)
				return p;
			html_begin_tag(h, false);
			if (i == 0)
				return to(h, state_comment_start, p);
			if (i == 1)
				return to(h, state_doctype, p);
			if (h->foreign)
				return to(h, state_cdata, p);
			html_error(h, "cdata-in-html-content");
			add(h, h->temp, h->temp_n);
			return to(h, state_bogus_comment, p);
		}
	}
	html_error(h, "incorrectly-opened-comment");
	html_begin_tag(h, false);
	add(h, h->temp, h->temp_n);
	return to(h, state_bogus_comment, p);
}

STATE(state_comment_start)
{
	if (p < end && *p == '-')
		return to(h, comment_start_dash, p + 1);
	if (p < end && *p == '>') {
		html_error(h, "abrupt-closing-of-empty-comment");
		return emit(h, p + 1);
	}
	return to(h, comment, p);
}

static STATE(comment_start_dash)
{
	if (p == end)
		return eof_in_comment(h, p);
	if (*p == '-')
		return to(h, comment_end, p + 1);
	if (*p == '>') {
		html_error(h, "abrupt-closing-of-empty-comment");
		return emit(h, p + 1);
	}
	add(h, "-", 1);
	return to(h, comment, p);
}

static STATE(comment)
{
	if (p == end)
		return eof_in_comment(h, p);
	const char *q = scan_three(p, end, '<', '-', 0);

	add(h, p, (size_t)(q - p));
	if (q == end)
		return q;
	if (*q == '-')
		return to(h, comment_end_dash, q + 1);
	if (*q == '<') {
		add(h, "<", 1);
		return to(h, comment_lt, q + 1);
	}
	html_error(h, "unexpected-null-character");
	add(h, REPLACEMENT, 3);
	return q + 1;
}

static STATE(comment_lt)
{
	if (p < end && (*p == '!' || *p == '<')) {
		add(h, p, 1);
		return *p == '!' ? to(h, comment_lt_bang, p + 1) : p + 1;
	}
	return to(h, comment, p);
}

static STATE(comment_lt_bang) { return p < end && *p == '-' ? to(h, comment_lt_bang_dash, p + 1) : to(h, comment, p); }

static STATE(comment_lt_bang_dash)
{
	return p < end && *p == '-' ? to(h, comment_lt_bang_dash_dash, p + 1) : to(h, comment_end_dash, p);
}

static STATE(comment_lt_bang_dash_dash)
{
	if (p < end && *p != '>')
		html_error(h, "nested-comment");
	return to(h, comment_end, p);
}

static STATE(comment_end_dash)
{
	if (p == end)
		return eof_in_comment(h, p);
	if (*p == '-')
		return to(h, comment_end, p + 1);
	add(h, "-", 1);
	return to(h, comment, p);
}

static STATE(comment_end)
{
	if (p == end)
		return eof_in_comment(h, p);
	if (*p == '>')
		return emit(h, p + 1);
	if (*p == '!')
		return to(h, comment_end_bang, p + 1);
	if (*p == '-') {
		add(h, "-", 1);
		return p + 1;
	}
	add(h, "--", 2);
	return to(h, comment, p);
}

static STATE(comment_end_bang)
{
	if (p == end)
		return eof_in_comment(h, p);
	if (*p == '>') {
		html_error(h, "incorrectly-closed-comment");
		return emit(h, p + 1);
	}
	add(h, "--!", 3);
	return *p == '-' ? to(h, comment_end_dash, p + 1) : to(h, comment, p);
}
