/* text/html_reference.c -- states of character references, and their bulk twin. */
#include "base/utf8.h"
#include "text/entity.h"
#include "text/html_states.h"

static html_state named, ambiguous, numeric, hex_start, hex, decimal_start, decimal, numeric_end;

static const char *to(struct html *h, html_state *state, const char *p)
{
	h->state = state;
	return p;
}

static bool alnum(char c) { return ascii_alpha(c) || ascii_digit(c); }

static void flush(struct html *h) { html_flush_reference(h, h->temp, h->temp_n); }

STATE(state_reference)
{
	if (p < end && alnum(*p)) {
		entity_start(&h->match);
		return to(h, named, p);
	}
	if (p < end && *p == '#') {
		h->temp[h->temp_n++] = '#';
		return to(h, numeric, p + 1);
	}
	flush(h);
	return to(h, h->back, p);
}

static const char *named_end(struct html *h, const char *p, const char *end)
{
	size_t n = h->match.best_n + 1; /* of temp, with the '&' */

	if (!h->match.best) {
		flush(h);
		return to(h, ambiguous, p);
	}
	h->state = h->back;
	if (h->temp[n - 1] != ';') {
		char next = n < h->temp_n ? h->temp[n] : p < end ? *p : 0;

		if (html_in_attribute(h) && (next == '=' || alnum(next))) {
			flush(h);
			return p;
		}
		html_error(h, "missing-semicolon-after-character-reference");
	}
	struct str text = entity_text(h->match.best);

	html_flush_reference(h, text.p, text.n);
	html_flush_reference(h, h->temp + n, h->temp_n - n); /* letters and digits: themselves in any state */
	return p;
}

static STATE(named)
{
	if (p < end && entity_step(&h->match, *p)) {
		h->temp[h->temp_n++] = *p;
		return *p == ';' ? named_end(h, p + 1, end) : p + 1;
	}
	return named_end(h, p, end);
}

static STATE(ambiguous)
{
	if (p < end && alnum(*p)) {
		html_flush_reference(h, p, 1);
		return p + 1;
	}
	if (p < end && *p == ';')
		html_error(h, "unknown-named-character-reference");
	return to(h, h->back, p);
}

static STATE(numeric)
{
	h->number = 0;
	if (p < end && (*p == 'x' || *p == 'X')) {
		h->temp[h->temp_n++] = *p;
		return to(h, hex_start, p + 1);
	}
	return to(h, decimal_start, p);
}

static const char *no_digits(struct html *h, const char *p)
{
	html_error(h, "absence-of-digits-in-numeric-character-reference");
	flush(h);
	return to(h, h->back, p);
}

static STATE(hex_start) { return p < end && hex_digit(*p) >= 0 ? to(h, hex, p) : no_digits(h, p); }
static STATE(decimal_start) { return p < end && ascii_digit(*p) ? to(h, decimal, p) : no_digits(h, p); }

static uint32_t grow(uint32_t n, unsigned base, unsigned digit) { return n > 0x10FFFF ? n : n * base + digit; }

static const char *number_stop(struct html *h, const char *p, const char *end)
{
	if (p < end && *p == ';')
		return to(h, numeric_end, p + 1);
	html_error(h, "missing-semicolon-after-character-reference");
	return to(h, numeric_end, p);
}

static STATE(hex)
{
	if (p < end && hex_digit(*p) >= 0) {
		h->number = grow(h->number, 16, (unsigned)hex_digit(*p));
		return p + 1;
	}
	return number_stop(h, p, end);
}

static STATE(decimal)
{
	if (p < end && ascii_digit(*p)) {
		h->number = grow(h->number, 10, (unsigned)(*p - '0'));
		return p + 1;
	}
	return number_stop(h, p, end);
}

static STATE(numeric_end)
{
	const char *error;
	char out[4];
	uint32_t cp = entity_number(h->number, &error);

	(void)end;
	if (error)
		html_error(h, error);
	html_flush_reference(h, out, utf8_encode(cp, out));
	return to(h, h->back, p);
}

/* The reference at p when all of it, and a byte behind it, lie before end. */
static size_t bulk_number(const char *p, const char *end, char *out, size_t *out_n)
{
	const char *q = p + 2, *error;
	uint32_t n = 0;
	bool sixteen = q < end && (*q | 32) == 'x';
	const char *digits = q += sixteen;

	for (; q < end && (sixteen ? hex_digit(*q) >= 0 : ascii_digit(*q)); q++)
		n = grow(n, sixteen ? 16 : 10, (unsigned)hex_digit(*q));
	if (q == digits || q == end)
		return 0;
	*out_n = utf8_encode(entity_number(n, &error), out);
	return (size_t)(q + (*q == ';') - p);
}

size_t html_bulk_reference(const char *p, const char *end, bool attribute, char *out, size_t *out_n)
{
	struct entity_match m;
	const char *q = p + 1;

	if (end - p < 3)
		return 0;
	if (*q == '#')
		return bulk_number(p, end, out, out_n);
	if (!alnum(*q)) { /* a lone ampersand */
		out[0] = '&';
		*out_n = 1;
		return 1;
	}
	if (end - p > 8) { /* the references of almost all pages */
		size_t n;
		uint16_t best = entity_short(q, &n);

		if (best) {
			struct str text = entity_text(best);

			memcpy(out, text.p, text.n);
			*out_n = text.n;
			return n + 1;
		}
		if (!n) {
			out[0] = '&';
			*out_n = 1;
			return 1;
		}
	}
	entity_start(&m);
	while (q < end && entity_step(&m, *q))
		q++;
	if (q == end && q[-1] != ';')
		return 0;
	if (!m.best) { /* not a name: the ampersand is itself, the rest is text */
		out[0] = '&';
		*out_n = 1;
		return 1;
	}
	const char *after = p + 1 + m.best_n;

	if (attribute && after[-1] != ';' && (*after == '=' || alnum(*after))) {
		out[0] = '&';
		*out_n = 1;
		return 1;
	}
	struct str text = entity_text(m.best);

	memcpy(out, text.p, text.n);
	*out_n = text.n;
	return (size_t)(after - p);
}
