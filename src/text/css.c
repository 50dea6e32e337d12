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

/* Most style sheets name no URL: one quick look for "url(" and "@import". */
static bool names_any(struct str css)
{
	const char *p = css.p, *end = str_end(css);

	while ((p = scan_two(p, end, '(', '@')) < end) {
		if (*p == '(' && p - css.p >= 3 && strncasecmp(p - 3, "url", 3) == 0)
			return true;
		if (*p == '@' && end - p > 7 && strncasecmp(p, "@import", 7) == 0)
			return true;
		p++;
	}
	return false;
}

void css_urls(struct str css, css_url *each, void *context)
{
	/* bytes at which something may begin or end */
	static const bool stop[256] = {
		['/'] = 1, ['"'] = 1, ['\''] = 1, ['@'] = 1, ['u'] = 1, ['U'] = 1, [';'] = 1, ['{'] = 1
	};
	const char *p = css.p, *end = str_end(css);
	bool import = false;

	if (!css.n || !names_any(css))
		return;

	while (p < end) {
		size_t left = (size_t)(end - p);

		if (*p == '/' && left > 1 && p[1] == '*') {
			const char *close = memmem(p + 2, left - 2, "*/", 2);

			p = close ? close + 2 : end;
		} else if (*p == '"' || *p == '\'') {
			struct str s = quoted(&p, end);

			if (import)
				give(s, each, context);
			import = false;
		} else if (*p == '@' && left > 7 && strncasecmp(p, "@import", 7) == 0) {
			import = true;
			p += 7;
		} else if ((*p == 'u' || *p == 'U') && left > 4 && strncasecmp(p, "url(", 4) == 0) {
			import = false;
			p += 4;
			while (p < end && space(*p))
				p++;
			if (p < end && (*p == '"' || *p == '\'')) {
				give(quoted(&p, end), each, context);
			} else {
				const char *from = p;

				while (p < end && *p != ')')
					p++;
				give(str_n(from, (size_t)(p - from)), each, context);
			}
		} else {
			if (*p == ';' || *p == '{')
				import = false;
			for (p++; p < end && !stop[(unsigned char)*p]; p++)
				;
		}
	}
}
