/* archive/surt_decode.c -- the second step of the slow way: escapes, dots, slashes, IPv4 spellings, IDNA.
 *
 * Decoding to a fixed point is one pass over a stack: a byte that completes
 * "%XX" is folded at once, so chains of %252525... cost O(n).
 */
#include "archive/surt_int.h"
#include "archive/url.h"
#include "archive/url_host.h"
#include "base/utf8.h"

/* Bytes of a path or query that stand as they are: printable ASCII but # and %. */
static bool is_safe(unsigned char c) { return c > ' ' && c < 127 && c != '#' && c != '%'; }

static void escape(struct str s, bool keep_amp, struct buf *out)
{
	static const char hex[] = "0123456789ABCDEF";
	char *to = buf_room(out, 3 * s.n + 1);
	size_t n = 0;

	if (!to)
		return;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (is_safe(c) && (c != '&' || keep_amp)) {
			to[n++] = (char)c;
		} else {
			to[n++] = '%';
			to[n++] = hex[c >> 4];
			to[n++] = hex[c & 15];
		}
	}
	out->n += n;
}

void surt_unescape(struct str s, struct buf *out)
{
	char *to = buf_room(out, s.n + 1);
	size_t n = 0;

	if (!to)
		return;
	for (size_t i = 0; i < s.n; i++) {
		to[n++] = s.p[i];
		while (n >= 3 && to[n - 3] == '%' && hex_digit(to[n - 2]) >= 0 && hex_digit(to[n - 1]) >= 0) {
			to[n - 3] = (char)(hex_digit(to[n - 2]) << 4 | hex_digit(to[n - 1]));
			n -= 2;
		}
	}
	out->n += n;
}

bool surt_ipv4(struct str host, struct buf *out)
{
	uint64_t part[4], address;
	unsigned n = 0;

	if (host.n == 0)
		return false;
	if (str_chr(host, '.') < 0) { /* one decimal number, modulo 2^32 */
		uint32_t v = 0;

		for (size_t i = 0; i < host.n; i++) {
			if (!ascii_digit(host.p[i]))
				return false;
			v = v * 10 + (uint32_t)(host.p[i] - '0');
		}
		url_ipv4_add(v, out);
		return true;
	}
	for (struct str rest = host; rest.p; n++) {
		struct str s = str_cut(&rest, '.');
		unsigned base = s.n > 1 && s.p[0] == '0' ? 8 : 10;

		if (n == 4 || s.n == 0)
			return false;
		part[n] = 0;
		for (size_t i = 0; i < s.n; i++) {
			unsigned d = (unsigned)(unsigned char)s.p[i] - '0';

			if (d >= base || part[n] > UINT32_MAX)
				return false;
			part[n] = part[n] * base + d;
		}
	}
	for (unsigned i = 0; i + 1 < n; i++)
		if (part[i] > 255)
			return false;
	if (part[n - 1] >= UINT64_C(1) << (8 * (5 - n)))
		return false;
	address = part[n - 1];
	for (unsigned i = 0; i + 1 < n; i++)
		address |= part[i] << (8 * (3 - i));
	url_ipv4_add((uint32_t)address, out);
	return true;
}

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 128)
			return false;
	return true;
}

/* Runs of dots become one; dots at the ends go. */
static void squeeze_dots(struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->p[i] != '.' || (n > 0 && b->p[n - 1] != '.'))
			b->p[n++] = b->p[i];
	while (n > 0 && b->p[n - 1] == '.')
		n--;
	b->n = n;
}

static void google_host(struct surt_parts *u, struct buf *tmp)
{
	surt_unescape(buf_view(&u->host), tmp);
	surt_replace(&u->host, tmp);
	if (!is_ascii(buf_view(&u->host)) && utf8_valid(buf_view(&u->host)) == u->host.n) {
		if (url_idna_old(buf_view(&u->host), tmp))
			surt_replace(&u->host, tmp);
		else
			buf_reset(tmp);
	}
	squeeze_dots(&u->host);
	surt_lower(&u->host);
	if (surt_ipv4(buf_view(&u->host), tmp))
		surt_replace(&u->host, tmp);
	buf_reset(tmp);
	escape(buf_view(&u->host), true, tmp);
	surt_replace(&u->host, tmp);
}

/* Runs of slashes become one. */
static void squeeze_slashes(struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->p[i] != '/' || n == 0 || b->p[n - 1] != '/')
			b->p[n++] = b->p[i];
	b->n = n;
}

/* "." goes; ".." takes the segment before it, an empty one too, and stays at
 * the root; then empty segments go. */
static void resolve_dots(struct buf *path, struct buf *out)
{
	struct str rest = buf_view(path);
	bool slash = false; /* the path ends with one */

	rest = str_sub(rest, rest.n && rest.p[0] == '/', rest.n);
	for (const char *p = rest.p, *end = p + rest.n;;) {
		const char *from = p;
		size_t n;
		bool last;

		while (p < end && *p != '/')
			p++;
		n = (size_t)(p - from);
		last = p == end;
		slash = true;
		if (n == 2 && from[0] == '.' && from[1] == '.' && out->n > 0) {
			while (out->p[--out->n] != '/')
				;
		} else if (n != 1 || *from != '.') {
			buf_byte(out, '/');
			buf_add(out, from, n);
			slash = !last;
		}
		if (last)
			break;
		p++;
	}
	if (slash || out->n == 0)
		buf_byte(out, '/');
	squeeze_slashes(out);
}

static void google_path(struct surt_parts *u, struct buf *tmp)
{
	surt_unescape(buf_view(&u->path), tmp);
	surt_replace(&u->path, tmp);
	if (u->has_host) {
		resolve_dots(&u->path, tmp);
		surt_replace(&u->path, tmp);
	}
	escape(buf_view(&u->path), true, tmp);
	surt_replace(&u->path, tmp);
}

/* Argument by argument, so that an escaped '&' stays one (%26). */
static void google_query(struct surt_parts *u, struct buf *tmp)
{
	struct buf arg = BUF(KEY_MAX);
	bool first = true;

	for (struct str rest = buf_view(&u->query); rest.p; first = false) {
		struct str s = str_cut(&rest, '&');

		if (!first)
			buf_byte(tmp, '&');
		buf_reset(&arg);
		surt_unescape(s, &arg);
		escape(buf_view(&arg), false, tmp);
	}
	surt_replace(&u->query, tmp);
	buf_release(&arg);
}

void surt_decode(struct surt_parts *u, struct buf *tmp)
{
	if (u->has_host)
		google_host(u, tmp);
	google_path(u, tmp);
	if (u->has_query)
		google_query(u, tmp);
}
