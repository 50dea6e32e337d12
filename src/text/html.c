/* text/html.c -- feeding the states, and what they do in common.
 *
 * html_feed cuts the input at CR, so that states see LF only.  When errors are
 * wanted, input goes through the states one code point at a time: each is
 * first looked at for what the standard says of the input stream (control
 * characters, noncharacters, surrogates). */
#include "text/html_states.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"

struct html *html_new(html_sink *sink, void *context)
{
	struct html *h = mem_zalloc(sizeof *h);

	h->sink = sink;
	h->context = context;
	h->bulk = true;
	h->kernel = scan_kernel();
	h->store = BUF(LIMIT_HTML_TOKEN);
	html_reset(h);
	return h;
}

void html_reset(struct html *h)
{
	h->state = state_data;
	h->foreign = h->done = h->skip_lf = false;
	h->store.n = h->scratch_n = 0;
	h->nattrs = h->cut = h->temp_n = h->pending_n = h->last_start_n = 0;
	h->last_start = h->last_start_copy;
}

void html_free(struct html *h)
{
	if (h) {
		buf_release(&h->store);
		mem_free(h);
	}
}

void html_errors(struct html *h, html_error_sink *errors) { h->errors = errors; }
void html_text_to(struct html *h, html_text_sink *text) { h->text = text; }
void html_bulk(struct html *h, bool on) { h->bulk = on; }
void html_set_foreign(struct html *h, bool foreign) { h->foreign = foreign; }
size_t html_cut(const struct html *h) { return h->cut; }

void html_set_model(struct html *h, enum html_model model)
{
	static html_state *const states[] = { state_data,   state_rcdata,    state_rawtext,
					      state_script, state_plaintext, state_cdata };

	h->state = states[model];
}

void html_set_last_start(struct html *h, struct str name) { html_last_start(h, tag_of(name.p, name.n), name); }

struct str html_attr(const struct html_token *token, struct str name)
{
	for (size_t i = 0; i < token->nattrs; i++) {
		struct str a = token->attrs[i].name;

		if (a.n == name.n && a.n && a.p[0] == name.p[0] && memcmp(a.p, name.p, a.n) == 0)
			return token->attrs[i].value;
	}
	return STR_NONE;
}

/* ---- the token under construction ---- */

void html_begin(struct html *h, struct span_in *s) { *s = (struct span_in){ (uint32_t)h->store.n, 0 }; }

void html_store(struct html *h, struct span_in *s, const char *p, size_t n)
{
	size_t room = LIMIT_HTML_TOKEN - h->store.n;

	if (h->dropping && s == &h->attr_value[LIMIT_HTML_ATTRS])
		return;
	if (n > room) {
		h->cut += n - room;
		n = room;
	}
	buf_add(&h->store, p, n);
	s->n += (uint32_t)n;
}

void html_begin_tag(struct html *h, bool end_tag)
{
	h->store.n = 0;
	h->nattrs = 0;
	h->end_tag = end_tag;
	h->self_closing = h->force_quirks = h->has_public = h->has_system = h->dropping = false;
	html_begin(h, &h->name);
	h->public_id = h->system_id = (struct span_in){ 0, 0 };
}

void html_begin_attr(struct html *h)
{
	h->dropping = false;
	html_begin(h, &h->attr_name[h->nattrs]);
}

void html_end_attr_name(struct html *h)
{
	struct span_in s = h->attr_name[h->nattrs];
	const char *name = h->store.p + s.at;
	uint32_t hash = (uint32_t)hash64(name, s.n);

	h->dropping = h->nattrs == LIMIT_HTML_ATTRS;
	if (h->dropping)
		h->cut++;
	for (size_t i = 0; i < h->nattrs && !h->dropping; i++) {
		if (h->attr_hash[i] == hash && h->attr_name[i].n == s.n &&
		    memcmp(h->store.p + h->attr_name[i].at, name, s.n) == 0) {
			html_error(h, "duplicate-attribute");
			h->dropping = true;
		}
	}
	if (h->dropping) {
		h->store.n = s.at;
		return;
	}
	h->attr_hash[h->nattrs] = hash;
	html_begin(h, &h->attr_value[h->nattrs++]);
}

static struct str stored(const struct html *h, struct span_in s)
{
	return str_n(h->store.p ? h->store.p + s.at : "", s.n);
}

void html_emit_tag(struct html *h)
{
	struct html_token t = { .type = h->end_tag ? HTML_END : HTML_START, .text = stored(h, h->name) };

	t.tag = tag_of(t.text.p, t.text.n);
	if (h->end_tag) {
		if (h->nattrs)
			html_error(h, "end-tag-with-attributes");
		if (h->self_closing)
			html_error(h, "end-tag-with-trailing-solidus");
	} else {
		html_last_start(h, t.tag, t.text);
		for (size_t i = 0; i < h->nattrs; i++)
			h->attrs[i] = (struct html_attr){ stored(h, h->attr_name[i]), stored(h, h->attr_value[i]) };
		t.attrs = h->attrs;
		t.nattrs = h->nattrs;
		t.self_closing = h->self_closing;
	}
	h->sink(h->context, &t);
}

void html_emit_comment(struct html *h)
{
	struct html_token t = { .type = HTML_COMMENT, .text = stored(h, h->name) };

	h->sink(h->context, &t);
}

void html_emit_doctype(struct html *h)
{
	struct html_token t = { .type = HTML_DOCTYPE,
				.text = stored(h, h->name),
				.force_quirks = h->force_quirks,
				.has_public = h->has_public,
				.has_system = h->has_system,
				.public_id = stored(h, h->public_id),
				.system_id = stored(h, h->system_id) };

	h->sink(h->context, &t);
}

const char *html_eof(struct html *h, const char *p)
{
	struct html_token t = { .type = HTML_EOF };

	h->done = true;
	h->sink(h->context, &t);
	return p;
}

bool html_in_attribute(const struct html *h)
{
	return h->back == state_attr_value_double || h->back == state_attr_value_single ||
	       h->back == state_attr_value_unquoted;
}

void html_flush_reference(struct html *h, const char *p, size_t n)
{
	if (html_in_attribute(h))
		html_store(h, &h->attr_value[h->dropping ? LIMIT_HTML_ATTRS : h->nattrs - 1], p, n);
	else
		html_text(h, p, n);
}

/* ---- feeding ---- */

static void input_error(struct html *h, uint32_t cp)
{
	if (cp >= 0xD800 && cp <= 0xDFFF)
		html_error(h, "surrogate-in-input-stream");
	else if ((cp >= 0xFDD0 && cp <= 0xFDEF) || (cp & 0xFFFE) == 0xFFFE)
		html_error(h, "noncharacter-in-input-stream");
	else if ((cp < 0x20 && cp != 0 && cp != '\t' && cp != '\n' && cp != '\f') || (cp >= 0x7F && cp <= 0x9F))
		html_error(h, "control-character-in-input-stream");
}

static unsigned sequence_length(unsigned char lead) { return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

/* Generalised UTF-8: surrogates decode to themselves. */
static uint32_t code_point(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	switch (n) {
	case 2: return (u[0] & 0x1Fu) << 6 | (u[1] & 0x3Fu);
	case 3: return (u[0] & 0x0Fu) << 12 | (u[1] & 0x3Fu) << 6 | (u[2] & 0x3Fu);
	case 4: return (u[0] & 0x07u) << 18 | (u[1] & 0x3Fu) << 12 | (u[2] & 0x3Fu) << 6 | (u[3] & 0x3Fu);
	default: return u[0] & 0x80 ? 0xFFFD : u[0];
	}
}

static void run(struct html *h, const char *p, const char *end)
{
	while (p < end)
		p = h->state(h, p, end);
}

static void run_checked(struct html *h, const char *p, const char *end)
{
	while (p < end) {
		h->pending[h->pending_n++] = *p++;
		if (h->pending_n < sequence_length((unsigned char)h->pending[0]))
			continue;
		size_t n = h->pending_n;

		h->pending_n = 0;
		/* looking ahead does not consume: what it finds comes before what the character itself is */
		if (h->state == state_markup_declaration && h->temp_n &&
		    h->state(h, h->pending, h->pending + n) != h->pending)
			continue;
		input_error(h, code_point(h->pending, n));
		run(h, h->pending, h->pending + n);
	}
}

void html_feed(struct html *h, struct str piece)
{
	const char *p = piece.p, *end = p + piece.n;
	void (*step)(struct html *, const char *, const char *) = h->errors ? run_checked : run;

	while (p < end) {
		if (h->skip_lf) {
			h->skip_lf = false;
			if (*p == '\n') {
				p++;
				continue;
			}
		}
		const char *cr = memchr(p, '\r', (size_t)(end - p));

		step(h, p, cr ? cr : end);
		if (!cr)
			return;
		step(h, "\n", &"\n"[1]);
		h->skip_lf = true;
		p = cr + 1;
	}
}

void html_feed_clean(struct html *h, struct str piece)
{
	if (h->errors)
		run_checked(h, piece.p, str_end(piece));
	else
		run(h, piece.p, str_end(piece));
}

void html_end(struct html *h)
{
	static const char nothing[1];

	if (h->pending_n) {
		size_t n = h->pending_n;

		h->pending_n = 0;
		run(h, h->pending, h->pending + n);
	}
	while (!h->done)
		h->state(h, nothing, nothing);
}
