/* archive/surt_fast.c -- keys of plain URLs, written in one pass.
 *
 * Plain is a lower-case http or https, a host of letters, a path and query of
 * safe bytes without dots to resolve or session ids: most of the web.
 */
#include "archive/surt_int.h"

enum { F_HOST = 1, F_TAIL = 2 };
static const unsigned char fast_class[256] = {
#define T F_TAIL
#define B (F_HOST | F_TAIL)
	['!'] = T, ['"'] = T, ['$'] = T, ['&'] = T, ['\''] = T, [')'] = T,  ['*'] = T, ['+'] = T, [','] = T, ['-'] = B,
	['.'] = B, ['/'] = T, ['0'] = B, ['1'] = B, ['2'] = B,	['3'] = B,  ['4'] = B, ['5'] = B, ['6'] = B, ['7'] = B,
	['8'] = B, ['9'] = B, [':'] = T, [';'] = T, ['<'] = T,	['='] = T,  ['>'] = T, ['@'] = T, ['A'] = B, ['B'] = B,
	['C'] = B, ['D'] = B, ['E'] = B, ['F'] = B, ['G'] = B,	['H'] = B,  ['I'] = B, ['J'] = B, ['K'] = B, ['L'] = B,
	['M'] = B, ['N'] = B, ['O'] = B, ['P'] = B, ['Q'] = B,	['R'] = B,  ['S'] = B, ['T'] = B, ['U'] = B, ['V'] = B,
	['W'] = B, ['X'] = B, ['Y'] = B, ['Z'] = B, ['['] = T,	['\\'] = T, [']'] = T, ['^'] = T, ['_'] = B, ['`'] = T,
	['a'] = B, ['b'] = B, ['c'] = B, ['d'] = B, ['e'] = B,	['f'] = B,  ['g'] = B, ['h'] = B, ['i'] = B, ['j'] = B,
	['k'] = B, ['l'] = B, ['m'] = B, ['n'] = B, ['o'] = B,	['p'] = B,  ['q'] = B, ['r'] = B, ['s'] = B, ['t'] = B,
	['u'] = B, ['v'] = B, ['w'] = B, ['x'] = B, ['y'] = B,	['z'] = B,  ['{'] = T, ['|'] = T, ['}'] = T, ['~'] = T,
#undef T
#undef B
};

/* Length of the plain host at p; 0 when it has empty labels, is an address, or is not plain. */
static size_t fast_host(const char *p, size_t max)
{
	size_t n = 0;

	while (n < max && fast_class[(unsigned char)p[n]] & F_HOST) {
		if (p[n] == '.' && (n == 0 || p[n - 1] == '.'))
			return 0;
		n++;
	}
	return n > 0 && p[n - 1] != '.' && !ascii_digit(p[n - 1]) ? n : 0;
}

static void put_reversed(const char *host, size_t n, char **to)
{
	char *p = *to;

	for (size_t end = n;;) {
		size_t from = end;

		while (from > 0 && host[from - 1] != '.')
			from--;
		for (size_t i = from; i < end; i++)
			*p++ = ascii_lower(host[i]);
		if (from == 0)
			break;
		*p++ = ',';
		end = from - 1;
	}
	*to = p;
}

static void sort_in_place(char *query, size_t n)
{
	char few[1024];
	struct buf sorted = BUF(KEY_MAX);

	if (n <= sizeof few) {
		memcpy(few, query, n);
		sorted = (struct buf){ .p = query, .cap = n, .max = n };
		surt_sort_query(str_n(few, n), &sorted);
		return;
	}
	surt_sort_query(str_n(query, n), &sorted);
	memcpy(query, sorted.p, sorted.n);
	buf_release(&sorted);
}

bool surt_fast(unsigned flags, struct str url, struct buf *out)
{
	size_t at = surt_http_prefix(url), host_n, i, path_end;
	bool sort = false;
	struct str host;
	const char *hash;
	char *to, *from;

	if (at && (hash = memchr(url.p, '#', url.n)))
		url.n = (size_t)(hash - url.p);
	if (!at || url.n > LIMIT_URL)
		return false;
	host_n = fast_host(url.p + at, url.n - at);
	if (!host_n)
		return false;
	i = at + host_n;
	if (i < url.n && url.p[i] != '/')
		return false;
	if (!(to = from = buf_room(out, url.n + 8)))
		return false;
	host = str_n(url.p + at, host_n);
	if (!(flags & SURT_KEEP_WWW) && host_n > 4 && (host.p[0] | 32) == 'w' && (host.p[1] | 32) == 'w' &&
	    (host.p[2] | 32) == 'w') {
		size_t w = 3;

		while (w < host.n && ascii_digit(host.p[w]))
			w++;
		if (host.p[w] == '.')
			host = str_sub(host, w + 1, host.n);
	}
	put_reversed(host.p, host.n, &to);
	*to++ = ')';
	path_end = (size_t)(to - from) + 1;
	if (i == url.n)
		*to++ = '/';
	for (; i < url.n && url.p[i] != '?'; i++) {
		char c = url.p[i];

		if (!(fast_class[(unsigned char)c] & F_TAIL))
			return false;
		if (c == '/' && i + 1 < url.n && (url.p[i + 1] == '/' || url.p[i + 1] == '.'))
			return false;
		*to++ = ascii_lower(c);
	}
	if (to[-1] == '/' && (size_t)(to - from) > path_end)
		to--;
	if (i + 1 < url.n) {
		size_t query = (size_t)(to - from) + 1;
		char *start;

		*to++ = '?';
		start = to;
		for (i++; i < url.n; i++) {
			char c = url.p[i];

			if (!(fast_class[(unsigned char)c] & F_TAIL) && c != '?' && c != '(')
				return false;
			/* sid=, cftoken=, aspsessionid...=: leave these to the slow way */
			if (c == '=' && to - start >= 3 &&
			    ((to[-1] == 'd' && to[-2] == 'i') || (to[-1] == 'n' && to[-2] == 'e' && to[-3] == 'k')))
				return false;
			if (c == '=' && to - start >= 20 && memcmp(to - 20, "aspsessionid", 12) == 0)
				return false;
			sort |= c == '&';
			*to++ = ascii_lower(c);
		}
		if (sort) {
			sort_in_place(from + query, (size_t)(to - from) - query);
		}
	}
	out->n += (size_t)(to - from);
	return true;
}
