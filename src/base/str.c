/* base/str.c -- see str.h. */
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool str_ieq(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (ascii_lower(a.p[i]) != ascii_lower(b.p[i]))
			return false;
	return true;
}

bool str_istarts(struct str s, struct str head) { return s.n >= head.n && str_ieq(str_n(s.p, head.n), head); }

bool str_ends(struct str s, struct str tail)
{
	return s.n >= tail.n && str_eq(str_n(s.p + s.n - tail.n, tail.n), tail);
}

bool str_iends(struct str s, struct str tail)
{
	return s.n >= tail.n && str_ieq(str_n(s.p + s.n - tail.n, tail.n), tail);
}

ptrdiff_t str_find(struct str s, struct str what)
{
	const char *at;

	if (what.n == 0)
		return 0;
	if (s.n < what.n)
		return -1;
	at = memmem(s.p, s.n, what.p, what.n);
	return at ? at - s.p : -1;
}

ptrdiff_t str_ifind(struct str s, struct str what)
{
	if (what.n == 0)
		return 0;
	for (size_t i = 0; i + what.n <= s.n; i++)
		if (str_ieq(str_n(s.p + i, what.n), what))
			return (ptrdiff_t)i;
	return -1;
}

ptrdiff_t str_chr(struct str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? at - s.p : -1;
}

ptrdiff_t str_rchr(struct str s, char c)
{
	const char *at = s.n ? memrchr(s.p, c, s.n) : NULL;

	return at ? at - s.p : -1;
}

struct str str_trim(struct str s)
{
	while (s.n && ascii_space(s.p[0]))
		s.p++, s.n--;
	while (s.n && ascii_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str str_cut(struct str *rest, char c)
{
	struct str s = *rest;
	ptrdiff_t at = str_chr(s, c);

	if (at < 0) {
		*rest = STR_NONE;
		return s;
	}
	*rest = str_n(s.p + at + 1, s.n - (size_t)at - 1);
	s.n = (size_t)at;
	return s;
}

bool str_u64(struct str s, uint64_t *out)
{
	uint64_t v = 0;

	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_digit(s.p[i]) || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
			return false;
	}
	*out = v;
	return true;
}

bool str_i64(struct str s, int64_t *out)
{
	bool minus = s.n && s.p[0] == '-';
	uint64_t v;

	if (minus)
		s.p++, s.n--;
	if (!str_u64(s, &v) || v > (uint64_t)INT64_MAX + minus)
		return false;
	*out = minus ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool str_double(struct str s, double *out)
{
	char z[64], *end;
	double v;

	if (s.n == 0 || s.n >= sizeof z || ascii_space(s.p[0]))
		return false;
	memcpy(z, s.p, s.n);
	z[s.n] = 0;
	errno = 0;
	v = strtod(z, &end);
	if (end != z + s.n || !isfinite(v))
		return false;
	*out = v;
	return true;
}

int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = ascii_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct str str_size(uint64_t bytes, char out[static STR_SIZE])
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double v = (double)bytes;
	unsigned i = 0;

	for (; v >= 999.5 && i + 1 < COUNT(units); i++) /* what would be printed as 1000 is one of the next unit */
		v /= 1000;
	return str_n(out, (size_t)snprintf(out, STR_SIZE, i && v < 99.95 ? "%.1f %s" : "%.0f %s", v, units[i]));
}
