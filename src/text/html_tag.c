/* text/html_tag.c -- states of tags and their attributes. */
#include "text/html_states.h"
#include "text/scan.h"

static html_state attr_name, after_attr_name, before_attr_value, after_attr_value;

static const char *to(struct html *h, html_state *state, const char *p)
{
	h->state = state;
	return p;
}

static const char *emit(struct html *h, const char *p)
{
	h->state = state_data;
	html_emit_tag(h);
	return p + 1;
}

static const char *eof_in_tag(struct html *h, const char *p)
{
	html_error(h, "eof-in-tag");
	return html_eof(h, p);
}

STATE(state_tag_open)
{
	if (p == end) {
		html_error(h, "eof-before-tag-name");
		html_text(h, "<", 1);
		return html_eof(h, p);
	}
	if (*p == '!') {
		h->temp_n = 0;
		return to(h, state_markup_declaration, p + 1);
	}
	if (*p == '/')
		return to(h, state_end_tag_open, p + 1);
	if (ascii_alpha(*p)) {
		html_begin_tag(h, false);
		return to(h, state_tag_name, p);
	}
	if (*p == '?') {
		html_error(h, "unexpected-question-mark-instead-of-tag-name");
		html_begin_tag(h, false);
		return to(h, state_bogus_comment, p);
	}
	html_error(h, "invalid-first-character-of-tag-name");
	html_text(h, "<", 1);
	return to(h, state_data, p);
}

STATE(state_end_tag_open)
{
	if (p == end) {
		html_error(h, "eof-before-tag-name");
		html_text(h, "</", 2);
		return html_eof(h, p);
	}
	if (ascii_alpha(*p)) {
		html_begin_tag(h, true);
		return to(h, state_tag_name, p);
	}
	if (*p == '>') {
		html_error(h, "missing-end-tag-name");
		return to(h, state_data, p + 1);
	}
	html_error(h, "invalid-first-character-of-tag-name");
	html_begin_tag(h, false);
	return to(h, state_bogus_comment, p);
}

/* A run of a name: folded, NUL replaced.  Stops at white space, '/', '>' and, for attributes, '='. */
static const char *store_name(struct html *h, struct span_in *s, const char *p, const char *end, bool attribute)
{
	for (; p < end && !html_space(*p) && *p != '/' && *p != '>' && !(attribute && *p == '='); p++) {
		char c = ascii_lower(*p);

		if (c == 0) {
			html_error(h, "unexpected-null-character");
			html_store(h, s, REPLACEMENT, 3);
			continue;
		}
		if (attribute && (c == '"' || c == '\'' || c == '<'))
			html_error(h, "unexpected-character-in-attribute-name");
		html_store(h, s, &c, 1);
	}
	return p;
}

STATE(state_tag_name)
{
	if (p == end)
		return eof_in_tag(h, p);
	p = store_name(h, &h->name, p, end, false);
	if (p == end)
		return p;
	if (*p == '>')
		return emit(h, p);
	return to(h, *p == '/' ? state_self_closing : state_before_attr_name, p + 1);
}

STATE(state_before_attr_name)
{
	while (p < end && html_space(*p)) {
		if (++p == end)
			return p;
	}
	if (p == end || *p == '/' || *p == '>')
		return to(h, after_attr_name, p);
	html_begin_attr(h);
	h->state = attr_name;
	if (*p == '=') {
		html_error(h, "unexpected-equals-sign-before-attribute-name");
		html_store(h, &h->attr_name[h->nattrs], p, 1);
		return p + 1;
	}
	return p;
}

static STATE(attr_name)
{
	if (p == end) {
		html_end_attr_name(h);
		return to(h, after_attr_name, p);
	}
	p = store_name(h, &h->attr_name[h->nattrs], p, end, true);
	if (p == end)
		return p;
	html_end_attr_name(h);
	return *p == '=' ? to(h, before_attr_value, p + 1) : to(h, after_attr_name, p);
}

static STATE(after_attr_name)
{
	if (p == end)
		return eof_in_tag(h, p);
	if (html_space(*p))
		return p + 1;
	if (*p == '/')
		return to(h, state_self_closing, p + 1);
	if (*p == '=')
		return to(h, before_attr_value, p + 1);
	if (*p == '>')
		return emit(h, p);
	html_begin_attr(h);
	return to(h, attr_name, p);
}

static STATE(before_attr_value)
{
	if (p == end)
		return to(h, state_attr_value_unquoted, p);
	if (html_space(*p))
		return p + 1;
	if (*p == '"')
		return to(h, state_attr_value_double, p + 1);
	if (*p == '\'')
		return to(h, state_attr_value_single, p + 1);
	if (*p == '>') {
		html_error(h, "missing-attribute-value");
		return emit(h, p);
	}
	return to(h, state_attr_value_unquoted, p);
}

/* The value at hand: nattrs was counted up by html_end_attr_name unless it is being dropped. */
static struct span_in *value(struct html *h) { return &h->attr_value[h->dropping ? LIMIT_HTML_ATTRS : h->nattrs - 1]; }

static const char *value_special(struct html *h, const char *p, html_state *back)
{
	if (*p == '&') {
		h->back = back;
		h->temp[0] = '&';
		h->temp_n = 1;
		return to(h, state_reference, p + 1);
	}
	html_error(h, "unexpected-null-character");
	html_store(h, value(h), REPLACEMENT, 3);
	return p + 1;
}

static const char *quoted(struct html *h, const char *p, const char *end, char quote, html_state *self)
{
	if (p == end)
		return eof_in_tag(h, p);
	const char *q = scan_three(p, end, quote, '&', 0);

	html_store(h, value(h), p, (size_t)(q - p));
	if (q == end)
		return q;
	return *q == quote ? to(h, after_attr_value, q + 1) : value_special(h, q, self);
}

STATE(state_attr_value_double) { return quoted(h, p, end, '"', state_attr_value_double); }
STATE(state_attr_value_single) { return quoted(h, p, end, '\'', state_attr_value_single); }

STATE(state_attr_value_unquoted)
{
	if (p == end)
		return eof_in_tag(h, p);
	if (html_space(*p))
		return to(h, state_before_attr_name, p + 1);
	if (*p == '>')
		return emit(h, p);
	if (*p == '&' || *p == 0)
		return value_special(h, p, state_attr_value_unquoted);
	if (*p == '"' || *p == '\'' || *p == '<' || *p == '=' || *p == '`')
		html_error(h, "unexpected-character-in-unquoted-attribute-value");
	html_store(h, value(h), p, 1);
	return p + 1;
}

static STATE(after_attr_value)
{
	if (p == end)
		return eof_in_tag(h, p);
	if (html_space(*p))
		return to(h, state_before_attr_name, p + 1);
	if (*p == '/')
		return to(h, state_self_closing, p + 1);
	if (*p == '>')
		return emit(h, p);
	html_error(h, "missing-whitespace-between-attributes");
	return to(h, state_before_attr_name, p);
}

STATE(state_self_closing)
{
	if (p == end)
		return eof_in_tag(h, p);
	if (*p == '>') {
		h->self_closing = true;
		return emit(h, p);
	}
	html_error(h, "unexpected-solidus-in-tag");
	return to(h, state_before_attr_name, p);
}
