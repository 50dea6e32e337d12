/* text/html_text.c -- states between tags but the first (html_bulk.c): RCDATA, RAWTEXT, script, PLAINTEXT, CDATA. */
#include "text/html_states.h"
#include "text/scan.h"

static html_state rcdata_lt, rcdata_end_open, rcdata_end_name, rawtext_lt, rawtext_end_open, rawtext_end_name;
static html_state script_lt, script_end_open, script_end_name, script_escape_start, script_escape_start_dash,
    script_escaped, script_escaped_dash, script_escaped_dash_dash, script_escaped_lt, script_escaped_end_open,
    script_escaped_end_name, script_double_start, script_double, script_double_dash, script_double_dash_dash,
    script_double_lt, script_double_end;
static html_state cdata_bracket, cdata_end;

static const char *null_as_replacement(struct html *h, const char *p)
{
	html_error(h, "unexpected-null-character");
	html_text(h, REPLACEMENT, 3);
	return p + 1;
}

static const char *to(struct html *h, html_state *state, const char *p)
{
	h->state = state;
	return p;
}

STATE(state_rcdata)
{
	const char *q = scan_data(p, end);

	html_text(h, p, (size_t)(q - p));
	if (q == end)
		return p == end ? html_eof(h, p) : q;
	if (*q == '<')
		return to(h, rcdata_lt, q + 1);
	if (*q == '&')
		return html_reference(h, state_rcdata, q);
	return null_as_replacement(h, q);
}

STATE(state_rawtext)
{
	const char *q = scan_two(p, end, '<', 0);

	html_text(h, p, (size_t)(q - p));
	if (q == end)
		return p == end ? html_eof(h, p) : q;
	return *q == '<' ? to(h, rawtext_lt, q + 1) : null_as_replacement(h, q);
}

STATE(state_script)
{
	const char *q = scan_two(p, end, '<', 0);

	html_text(h, p, (size_t)(q - p));
	if (q == end)
		return p == end ? html_eof(h, p) : q;
	return *q == '<' ? to(h, script_lt, q + 1) : null_as_replacement(h, q);
}

STATE(state_plaintext)
{
	const char *q = scan_two(p, end, 0, 0);

	html_text(h, p, (size_t)(q - p));
	if (q == end)
		return p == end ? html_eof(h, p) : q;
	return null_as_replacement(h, q);
}

/* "</name" inside RCDATA, RAWTEXT and script: the name as written goes to the
 * (unused) first attribute's name; it is text again when it does not match the
 * last start tag. */
static const char *raw_end_open(struct html *h, const char *p, const char *end, html_state *name, html_state *text)
{
	h->store.n = 0;
	h->attr_name[0] = (struct span_in){ 0, 0 };
	if (p < end && ascii_alpha(*p))
		return to(h, name, p);
	html_text(h, "</", 2);
	return to(h, text, p);
}

static const char *raw_not_end(struct html *h, const char *p, html_state *text)
{
	html_text(h, "</", 2);
	html_text(h, h->store.p + h->attr_name[0].at, h->attr_name[0].n);
	h->store.n = 0;
	return to(h, text, p);
}

static const char *raw_end_name(struct html *h, const char *p, const char *end, html_state *text)
{
	if (p < end) {
		struct span_in *s = &h->attr_name[0];

		if (ascii_alpha(*p)) {
			if (s->n <= sizeof h->last_start_copy) {
				html_store(h, s, p, 1);
				return p + 1;
			}
			return raw_not_end(h, p, text);
		}
		bool ends = html_space(*p) || *p == '/' || *p == '>';

		if (ends && s->n == h->last_start_n && h->last_start_n) {
			bool same = true;

			for (size_t i = 0; i < s->n; i++)
				same &= ascii_lower(h->store.p[s->at + i]) == h->last_start[i];
			if (same) {
				html_begin_tag(h, true);
				html_store(h, &h->name, h->last_start, h->last_start_n);
				if (*p == '>') {
					h->state = state_data;
					html_emit_tag(h);
					return p + 1;
				}
				return to(h, *p == '/' ? state_self_closing : state_before_attr_name, p + 1);
			}
		}
	}
	return raw_not_end(h, p, text);
}

#define RAW_END(prefix, text_state)                                                                        \
	static STATE(prefix##_end_open) { return raw_end_open(h, p, end, prefix##_end_name, text_state); } \
	static STATE(prefix##_end_name) { return raw_end_name(h, p, end, text_state); }

RAW_END(rcdata, state_rcdata)
RAW_END(rawtext, state_rawtext)
RAW_END(script, state_script)
RAW_END(script_escaped, script_escaped)

static STATE(rcdata_lt)
{
	if (p < end && *p == '/')
		return to(h, rcdata_end_open, p + 1);
	html_text(h, "<", 1);
	return to(h, state_rcdata, p);
}

static STATE(rawtext_lt)
{
	if (p < end && *p == '/')
		return to(h, rawtext_end_open, p + 1);
	html_text(h, "<", 1);
	return to(h, state_rawtext, p);
}

static STATE(script_lt)
{
	if (p < end && *p == '/')
		return to(h, script_end_open, p + 1);
	if (p < end && *p == '!') {
		html_text(h, "<!", 2);
		return to(h, script_escape_start, p + 1);
	}
	html_text(h, "<", 1);
	return to(h, state_script, p);
}

static STATE(script_escape_start)
{
	if (p < end && *p == '-') {
		html_text(h, "-", 1);
		return to(h, script_escape_start_dash, p + 1);
	}
	return to(h, state_script, p);
}

static STATE(script_escape_start_dash)
{
	if (p < end && *p == '-') {
		html_text(h, "-", 1);
		return to(h, script_escaped_dash_dash, p + 1);
	}
	return to(h, state_script, p);
}

static const char *eof_in_script(struct html *h, const char *p)
{
	html_error(h, "eof-in-script-html-comment-like-text");
	return html_eof(h, p);
}

static STATE(script_escaped)
{
	if (p == end)
		return eof_in_script(h, p);
	const char *q = scan_three(p, end, '<', '-', 0);

	html_text(h, p, (size_t)(q - p));
	if (q == end)
		return q;
	if (*q == '-') {
		html_text(h, "-", 1);
		return to(h, script_escaped_dash, q + 1);
	}
	return *q == '<' ? to(h, script_escaped_lt, q + 1) : null_as_replacement(h, q);
}

static STATE(script_escaped_dash)
{
	if (p == end)
		return eof_in_script(h, p);
	if (*p == '-') {
		html_text(h, "-", 1);
		return to(h, script_escaped_dash_dash, p + 1);
	}
	return to(h, script_escaped, p);
}

static STATE(script_escaped_dash_dash)
{
	if (p == end)
		return eof_in_script(h, p);
	if (*p == '-' || *p == '>') {
		html_text(h, p, 1);
		return *p == '-' ? p + 1 : to(h, state_script, p + 1);
	}
	return to(h, script_escaped, p);
}

static STATE(script_escaped_lt)
{
	if (p < end && *p == '/')
		return to(h, script_escaped_end_open, p + 1);
	html_text(h, "<", 1);
	if (p < end && ascii_alpha(*p)) {
		h->temp_n = 0;
		return to(h, script_double_start, p);
	}
	return to(h, script_escaped, p);
}

/* <script or </script inside an escaped script: temp collects the name. */
static const char *double_name(struct html *h, const char *p, html_state *yes, html_state *no, html_state *other)
{
	if (html_space(*p) || *p == '/' || *p == '>') {
		bool script = h->temp_n == 6 && memcmp(h->temp, "script", 6) == 0;

		html_text(h, p, 1);
		return to(h, script ? yes : no, p + 1);
	}
	if (ascii_alpha(*p)) {
		if (h->temp_n < sizeof h->temp)
			h->temp[h->temp_n++] = ascii_lower(*p);
		html_text(h, p, 1);
		return p + 1;
	}
	return to(h, other, p);
}

static STATE(script_double_start)
{
	return p == end ? to(h, script_escaped, p) : double_name(h, p, script_double, script_escaped, script_escaped);
}

static STATE(script_double)
{
	if (p == end)
		return eof_in_script(h, p);
	const char *q = scan_three(p, end, '<', '-', 0);

	html_text(h, p, (size_t)(q - p));
	if (q == end)
		return q;
	if (*q == 0)
		return null_as_replacement(h, q);
	html_text(h, q, 1);
	return to(h, *q == '-' ? script_double_dash : script_double_lt, q + 1);
}

static STATE(script_double_dash)
{
	if (p == end)
		return eof_in_script(h, p);
	if (*p == '-') {
		html_text(h, "-", 1);
		return to(h, script_double_dash_dash, p + 1);
	}
	return to(h, script_double, p);
}

static STATE(script_double_dash_dash)
{
	if (p == end)
		return eof_in_script(h, p);
	if (*p == '-' || *p == '>') {
		html_text(h, p, 1);
		return *p == '-' ? p + 1 : to(h, state_script, p + 1);
	}
	return to(h, script_double, p);
}

static STATE(script_double_lt)
{
	if (p < end && *p == '/') {
		h->temp_n = 0;
		html_text(h, "/", 1);
		return to(h, script_double_end, p + 1);
	}
	return to(h, script_double, p);
}

static STATE(script_double_end)
{
	return p == end ? to(h, script_double, p) : double_name(h, p, script_escaped, script_double, script_double);
}

STATE(state_cdata)
{
	if (p == end) {
		html_error(h, "eof-in-cdata");
		return html_eof(h, p);
	}
	const char *q = scan_two(p, end, ']', ']');

	html_text(h, p, (size_t)(q - p));
	return q == end ? q : to(h, cdata_bracket, q + 1);
}

static STATE(cdata_bracket)
{
	if (p < end && *p == ']')
		return to(h, cdata_end, p + 1);
	html_text(h, "]", 1);
	return to(h, state_cdata, p);
}

static STATE(cdata_end)
{
	if (p < end && *p == ']') {
		html_text(h, "]", 1);
		return p + 1;
	}
	if (p < end && *p == '>')
		return to(h, state_data, p + 1);
	html_text(h, "]]", 2);
	return to(h, state_cdata, p);
}
