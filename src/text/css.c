/* text/css.c -- see css.h. */
#include "text/css.h"
#include "text/scan.h"

static bool space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* A quoted string at p (its quote): its content; *p moves behind it. */
static struct str quoted(const char **p, const char *end)
{
	char quote = *(*p)++;
	const char *from = *p;

	while (*p < end && **p != quote && **p != '\n')
		*p += **p == '\\' && *p + 1 < end ? 2 : 1;
	struct str s = str_n(from, (size_t)(*p - from));

	if (*p < end)
		++*p;
	return s;
}

/* Undoes escapes in place of a small buffer; long or hex-escaped URLs beyond it are given as written. */
static void give(struct str s, css_url *each, void *context)
{
	char out[2048];
	size_t n = 0;

	s = str_trim(s);
	if (s.n == 0)
		return;
	if (s.n > sizeof out || str_chr(s, '\\') < 0) {
		each(context, s);
		return;
	}
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '\\') {
			out[n++] = s.p[i];
			continue;
		}
		unsigned value = 0, digits = 0;

		while (digits < 6 && i + 1 < s.n && hex_digit(s.p[i + 1]) >= 0) {
			value = value * 16 + (unsigned)hex_digit(s.p[++i]);
			digits++;
		}
		if (digits && i + 1 < s.n && space(s.p[i + 1]))
			i++;
		if (digits && value && value < 128)
			out[n++] = (char)value;
		else if (!digits && i + 1 < s.n && s.p[i + 1] != '\n')
			out[n++] = s.p[++i];
	}
	each(context, str_n(out, n));
}

/* Where something may begin: a comment, a string, @import, the parenthesis of url(. */
static bool begins(char c) { return c == '/' || c == '"' || c == '\'' || c == '@' || c == '('; }

static const char *next_begin(const char *p, const char *end)
{
#if defined(__x86_64__)
	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i quote =
		    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\'')));
		__m128i other =
		    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('(')), _mm_cmpeq_epi8(v, _mm_set1_epi8('@')));
		__m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('/'));
		unsigned hit = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, other), slash));

		if (hit)
			return p + __builtin_ctz(hit);
	}
#endif
	while (p < end && !begins(*p))
		p++;
	return p;
}

/* The URL in url(...), p behind the parenthesis; returns where it ends. */
static const char *give_url(const char *p, const char *end, css_url *each, void *context)
{
	while (p < end && space(*p))
		p++;
	if (p < end && (*p == '"' || *p == '\'')) {
		give(quoted(&p, end), each, context);
		return p;
	}
	const char *from = p;

	while (p < end && *p != ')')
		p++;
	give(str_n(from, (size_t)(p - from)), each, context);
	return p;
}

void css_urls(struct str css, css_url *each, void *context)
{
	const char *p = css.p, *end = str_end(css), *from = p; /* what lies before `from` is used up */
	bool import = false;

	while (p < end) {
		const char *at = next_begin(p, end);

		for (; import && p < at; p++) /* @import ends with its statement */
			import = *p != ';' && *p != '{';
		size_t left = (size_t)(end - at);

		p = at + 1;
		if (left == 0)
			return;
		if (*at == '/' && left > 1 && at[1] == '*') {
			const char *close = memmem(at + 2, left - 2, "*/", 2);

			p = from = close ? close + 2 : end;
		} else if (*at == '"' || *at == '\'') {
			struct str s = quoted(&at, end);

			p = from = at;
			if (import)
				give(s, each, context);
			import = false;
		} else if (*at == '@' && left > 7 && strncasecmp(at, "@import", 7) == 0) {
			import = true;
			p = from = at + 7;
		} else if (*at == '(' && at - from >= 3 && left > 1 && strncasecmp(at - 3, "url", 3) == 0) {
			import = false;
			p = from = give_url(at + 1, end, each, context);
		}
	}
}
