/* text/html_doctype.c -- states of the document type. */
#include "text/html_states.h"

static html_state doctype_name, after_name, keyword, after_public_keyword, before_public, public_double, public_single,
    after_public, between, after_system_keyword, before_system, system_double, system_single, after_system, bogus;

static const char *to(struct html *h, html_state *state, const char *p)
{
	h->state = state;
	return p;
}

static const char *emit(struct html *h, const char *p)
{
	h->state = state_data;
	html_emit_doctype(h);
	return p + 1;
}

static const char *eof(struct html *h, const char *p)
{
	html_error(h, "eof-in-doctype");
	h->force_quirks = true;
	html_emit_doctype(h);
	return html_eof(h, p);
}

static const char *quirks(struct html *h, const char *code)
{
	html_error(h, code);
	h->force_quirks = true;
	return code;
}

STATE(state_doctype)
{
	if (p == end)
		return eof(h, p);
	if (html_space(*p))
		return to(h, state_before_doctype_name, p + 1);
	if (*p != '>')
		html_error(h, "missing-whitespace-before-doctype-name");
	return to(h, state_before_doctype_name, p);
}

STATE(state_before_doctype_name)
{
	if (p == end)
		return eof(h, p);
	if (html_space(*p))
		return p + 1;
	if (*p == '>') {
		quirks(h, "missing-doctype-name");
		return emit(h, p);
	}
	return to(h, doctype_name, p);
}

static STATE(doctype_name)
{
	if (p == end)
		return eof(h, p);
	if (html_space(*p))
		return to(h, after_name, p + 1);
	if (*p == '>')
		return emit(h, p);
	if (*p == 0) {
		html_error(h, "unexpected-null-character");
		html_store(h, &h->name, REPLACEMENT, 3);
	} else {
		char c = ascii_lower(*p);

		html_store(h, &h->name, &c, 1);
	}
	return p + 1;
}

static STATE(after_name)
{
	if (p == end)
		return eof(h, p);
	if (html_space(*p))
		return p + 1;
	if (*p == '>')
		return emit(h, p);
	h->temp_n = 0;
	return to(h, keyword, p);
}

/* PUBLIC or SYSTEM, byte by byte; anything else makes the rest bogus. */
static STATE(keyword)
{
	if (p < end) {
		char first = h->temp_n ? h->temp[0] : ascii_lower(*p);
		const char *word = first == 'p' ? "public" : first == 's' ? "system" : "";

		if (ascii_lower(*p) == word[h->temp_n] && *p) {
			h->temp[h->temp_n++] = ascii_lower(*p++);
			if (h->temp_n == 6)
				h->state = first == 'p' ? after_public_keyword : after_system_keyword;
			return p;
		}
	}
	quirks(h, "invalid-character-sequence-after-doctype-name");
	return to(h, bogus, p);
}

static void begin(struct html *h, struct span_in *id, bool *has)
{
	html_begin(h, id);
	*has = true;
}

static STATE(after_public_keyword)
{
	if (p < end && (*p == '"' || *p == '\''))
		html_error(h, "missing-whitespace-after-doctype-public-keyword");
	else if (p < end && html_space(*p))
		p++;
	return to(h, before_public, p);
}

static STATE(before_public)
{
	if (p == end)
		return eof(h, p);
	if (html_space(*p))
		return p + 1;
	if (*p == '"' || *p == '\'') {
		begin(h, &h->public_id, &h->has_public);
		return to(h, *p == '"' ? public_double : public_single, p + 1);
	}
	if (*p == '>') {
		quirks(h, "missing-doctype-public-identifier");
		return emit(h, p);
	}
	quirks(h, "missing-quote-before-doctype-public-identifier");
	return to(h, bogus, p);
}

static const char *identifier(struct html *h, const char *p, const char *end, struct span_in *id, char quote,
			      html_state *after, const char *abrupt)
{
	if (p == end)
		return eof(h, p);
	if (*p == quote)
		return to(h, after, p + 1);
	if (*p == '>') {
		quirks(h, abrupt);
		return emit(h, p);
	}
	if (*p == 0) {
		html_error(h, "unexpected-null-character");
		html_store(h, id, REPLACEMENT, 3);
	} else {
		html_store(h, id, p, 1);
	}
	return p + 1;
}

static STATE(public_double)
{
	return identifier(h, p, end, &h->public_id, '"', after_public, "abrupt-doctype-public-identifier");
}
static STATE(public_single)
{
	return identifier(h, p, end, &h->public_id, '\'', after_public, "abrupt-doctype-public-identifier");
}
static STATE(system_double)
{
	return identifier(h, p, end, &h->system_id, '"', after_system, "abrupt-doctype-system-identifier");
}
static STATE(system_single)
{
	return identifier(h, p, end, &h->system_id, '\'', after_system, "abrupt-doctype-system-identifier");
}

static STATE(after_public)
{
	if (p == end)
		return eof(h, p);
	if (html_space(*p))
		return to(h, between, p + 1);
	if (*p == '>')
		return emit(h, p);
	if (*p == '"' || *p == '\'') {
		html_error(h, "missing-whitespace-between-doctype-public-and-system-identifiers");
		return to(h, between, p);
	}
	quirks(h, "missing-quote-before-doctype-system-identifier");
	return to(h, bogus, p);
}

static const char *open_system(struct html *h, const char *p)
{
	begin(h, &h->system_id, &h->has_system);
	return to(h, *p == '"' ? system_double : system_single, p + 1);
}

static STATE(between)
{
	if (p == end)
		return eof(h, p);
	if (html_space(*p))
		return p + 1;
	if (*p == '>')
		return emit(h, p);
	if (*p == '"' || *p == '\'')
		return open_system(h, p);
	quirks(h, "missing-quote-before-doctype-system-identifier");
	return to(h, bogus, p);
}

static STATE(after_system_keyword)
{
	if (p < end && (*p == '"' || *p == '\''))
		html_error(h, "missing-whitespace-after-doctype-system-keyword");
	else if (p < end && html_space(*p))
		p++;
	return to(h, before_system, p);
}

static STATE(before_system)
{
	if (p == end)
		return eof(h, p);
	if (html_space(*p))
		return p + 1;
	if (*p == '"' || *p == '\'')
		return open_system(h, p);
	if (*p == '>') {
		quirks(h, "missing-doctype-system-identifier");
		return emit(h, p);
	}
	quirks(h, "missing-quote-before-doctype-system-identifier");
	return to(h, bogus, p);
}

static STATE(after_system)
{
	if (p == end)
		return eof(h, p);
	if (html_space(*p))
		return p + 1;
	if (*p == '>')
		return emit(h, p);
	html_error(h, "unexpected-character-after-doctype-system-identifier");
	return to(h, bogus, p);
}

static STATE(bogus)
{
	if (p == end) {
		html_emit_doctype(h);
		return html_eof(h, p);
	}
	if (*p == '>')
		return emit(h, p);
	if (*p == 0)
		html_error(h, "unexpected-null-character");
	return p + 1;
}
