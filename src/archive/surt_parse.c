/* archive/surt_parse.c -- the first step of the slow way: a URL taken apart, as leniently as crawlers wrote it. */
#include "archive/surt_int.h"

static size_t scheme_length(struct str s)
{
	size_t i = 0;

	if (s.n == 0 || !ascii_alpha(s.p[0]))
		return 0;
	while (i < s.n &&
	       (ascii_alpha(s.p[i]) || ascii_digit(s.p[i]) || s.p[i] == '+' || s.p[i] == '-' || s.p[i] == '.'))
		i++;
	return i < s.n && s.p[i] == ':' ? i : 0;
}

size_t surt_http_prefix(struct str s)
{
	return str_starts(s, STR("http://")) ? 7 : str_starts(s, STR("https://")) ? 8 : 0;
}

/* "http://https://x" -> "https://x"; "http:////x" and "http:x" -> "http://x".
 * Returns the scheme and leaves what follows "scheme:" in *rest. */
static struct str split_scheme(struct str s, struct str *rest)
{
	size_t n, next;
	struct str scheme;

	while ((n = surt_http_prefix(s)) && (next = surt_http_prefix(str_sub(s, n, s.n))))
		s = str_sub(s, n, s.n);
	n = scheme_length(s);
	if (n == 0) {
		scheme = STR("http");
		*rest = s;
	} else {
		scheme = str_n(s.p, n);
		*rest = str_sub(s, n + 1, s.n);
	}
	return scheme;
}

static struct str skip_slashes(struct str s)
{
	while (s.n && s.p[0] == '/')
		s = str_sub(s, 1, s.n);
	return s;
}

static bool parse_port(struct str s, int *port)
{
	int v = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_digit(s.p[i]))
			return false;
		v = v * 10 + (s.p[i] - '0');
		if (v > 65535)
			return false;
	}
	*port = v > 0 ? v : -1;
	return true;
}

static bool parse_authority(struct str s, struct surt_parts *u)
{
	ptrdiff_t at = str_rchr(s, '@'), end;

	s = str_sub(s, (size_t)(at + 1), s.n);
	if (s.n && s.p[0] == '[') { /* IPv6: the brackets go */
		s = str_sub(s, 1, s.n);
		end = str_chr(s, ']');
		if (end < 0)
			return buf_str(&u->host, s);
		buf_str(&u->host, str_sub(s, 0, (size_t)end));
		s = str_sub(s, (size_t)end + 1, s.n);
		return s.n == 0 || s.p[0] != ':' || parse_port(str_sub(s, 1, s.n), &u->port);
	}
	end = str_chr(s, ':');
	buf_str(&u->host, end < 0 ? s : str_sub(s, 0, (size_t)end));
	return end < 0 || parse_port(str_sub(s, (size_t)end + 1, s.n), &u->port);
}

bool surt_parse(struct str s, struct surt_parts *u)
{
	struct str rest;
	ptrdiff_t at;
	size_t end;

	u->scheme = split_scheme(s, &rest);
	if ((at = str_chr(rest, '#')) >= 0)
		rest = str_sub(rest, 0, (size_t)at);
	if ((at = str_chr(rest, '?')) >= 0) {
		u->has_query = true;
		buf_str(&u->query, str_sub(rest, (size_t)at + 1, rest.n));
		rest = str_sub(rest, 0, (size_t)at);
	}
	if (str_eq(u->scheme, STR("http")) || str_eq(u->scheme, STR("https")))
		rest = skip_slashes(rest);
	else if (str_starts(rest, STR("//")))
		rest = str_sub(rest, 2, rest.n);
	else {
		buf_str(&u->path, rest);
		return true;
	}
	at = str_chr(rest, '/');
	end = at < 0 ? rest.n : (size_t)at;
	if (!parse_authority(str_sub(rest, 0, end), u))
		return false;
	u->has_host = u->host.n > 0;
	buf_str(&u->path, str_sub(rest, end, rest.n));
	return true;
}
