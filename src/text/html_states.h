/* text/html_states.h -- inside of the tokenizer: its struct, shared by the files of states.
 *
 * A state is a function (h, p, end) -> new p.  It is called with p < end while
 * input lasts, and with p == end once, at the end of the page, which it must
 * answer by finishing (html_eof) or by handing on to another state.  To
 * reconsume, it sets h->state and returns p unmoved.  It never sees CR.
 *
 * Strings of the token under construction lie in h->store, one behind the
 * other; they are offsets until the token is emitted, because store moves.
 */
#ifndef WINNOW_TEXT_HTML_STATES_H
#define WINNOW_TEXT_HTML_STATES_H
#include "base/buf.h"
#include "base/limits.h"
#include "text/entity.h"
#include "text/html.h"
#include "text/scan.h"

#define HTML_SCRATCH (16 * KIB)
#define STATE(name) const char *name(struct html *h, const char *p, const char *end)
typedef STATE(html_state);

struct span_in { /* of store */
	uint32_t at, n;
};

struct html {
	html_state *state;
	html_state *back; /* where a character reference returns to */
	html_sink *sink;
	html_text_sink *text; /* takes text in its place, unless NULL */
	void *context;
	html_error_sink *errors;
	bool bulk, foreign, done;
	enum scan_kernel kernel;
	bool skip_lf; /* the last byte was CR */

	struct html_token token; /* text and bulk tags: filled anew only where they differ */

	/* the token under construction */
	struct buf store;
	struct span_in name, public_id, system_id;
	bool end_tag, self_closing, force_quirks, has_public, has_system;
	bool dropping; /* the attribute at hand is a duplicate or over the limit */
	struct span_in attr_name[LIMIT_HTML_ATTRS + 1], attr_value[LIMIT_HTML_ATTRS + 1];
	uint32_t attr_hash[LIMIT_HTML_ATTRS + 1];
	struct html_attr attrs[LIMIT_HTML_ATTRS];
	size_t nattrs;
	size_t cut;

	char last_start_copy[64];
	const char *last_start; /* name of the last start tag, empty when too long */
	size_t last_start_n;

	char temp[40]; /* temporary buffer; character reference; keyword being matched */
	size_t temp_n;
	struct entity_match match;
	uint32_t number;

	char pending[4]; /* errors wanted: bytes of an unfinished code point */
	size_t pending_n;
	size_t scratch_n;
	char scratch[HTML_SCRATCH]; /* bulk path: folded names and decoded values of one tag */
};

static inline void html_error(struct html *h, const char *code)
{
	if (__builtin_expect(h->errors != NULL, 0))
		h->errors(h->context, code);
}

static inline void html_text(struct html *h, const char *p, size_t n)
{
	if (n && h->text) {
		h->text(h->context, p, n);
	} else if (n) {
		h->token.type = HTML_TEXT;
		h->token.text = (struct str){ p, n };
		h->sink(h->context, &h->token);
	}
}

static inline void html_last_start(struct html *h, enum tag tag, struct str name)
{
	if (tag != TAG_OTHER) {
		h->last_start = tag_info[tag].name.p;
		h->last_start_n = name.n;
	} else {
		h->last_start = h->last_start_copy;
		h->last_start_n = name.n <= sizeof h->last_start_copy ? name.n : 0;
		memcpy(h->last_start_copy, name.p, h->last_start_n);
	}
}

#define REPLACEMENT "\xEF\xBF\xBD"
static inline bool html_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\f'; }

void html_store(struct html *h, struct span_in *s, const char *p, size_t n); /* s must end at the end of store */
void html_begin(struct html *h, struct span_in *s);			     /* an empty string at the end of store */
void html_begin_tag(struct html *h, bool end_tag);
void html_begin_attr(struct html *h);
void html_end_attr_name(struct html *h);
void html_emit_tag(struct html *h);
void html_emit_comment(struct html *h);
void html_emit_doctype(struct html *h);
const char *html_eof(struct html *h, const char *p);		    /* emits EOF */
void html_flush_reference(struct html *h, const char *p, size_t n); /* to the attribute or as text */
bool html_in_attribute(const struct html *h);

/* A reference at p ('&') that surely ends before end: its text goes to out[8]; its length, 0 when the states must do it. */
size_t html_bulk_reference(const char *p, const char *end, bool attribute, char *out, size_t *out_n);

html_state state_data, state_rcdata, state_rawtext, state_script, state_plaintext, state_cdata;
html_state state_tag_open, state_end_tag_open, state_tag_name, state_before_attr_name, state_attr_value_double,
    state_attr_value_single, state_attr_value_unquoted, state_self_closing;
html_state state_bogus_comment, state_markup_declaration, state_comment_start, state_before_doctype_name, state_doctype;
html_state state_reference;

/* A character reference begins at p ('&'); behind it, `back` goes on. */
static inline const char *html_reference(struct html *h, html_state *back, const char *p)
{
	h->back = back;
	h->temp[0] = '&';
	h->temp_n = 1;
	h->state = state_reference;
	return p + 1;
}
#endif
