/* archive/surt.c -- urlkeys.
 *
 * Two ways to one answer.  The fast way (fast_key) takes URLs that need no
 * decoding: lower-case http or https, a plain host, a path and query of safe
 * bytes without dots to resolve or session ids; that is most of the web, and
 * they are written in one pass.  Anything else goes the slow way: taken apart
 * (struct parts), decoded and normalised (google_step), massaged (ia_step) and
 * put together.  A test holds that both agree wherever the fast way answers.
 *
 * Decoding to a fixed point is one pass over a stack: a byte that completes
 * "%XX" is folded at once, so chains of %252525... cost O(n).
 */
#include "archive/surt.h"
#include "base/vec.h"

#include <stdlib.h>

#include "archive/url.h"
#include "archive/url_host.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/utf8.h"

#define KEY_MAX (16 * LIMIT_URL)
#define ARGS_FAST 32

const struct surt_profile surt_profiles[] = {
	{ "ia-surt", "the Internet Archive's key: case, www, ports, session ids and argument order do not count", 1, 0 },
	{ "plain", "the URL as a browser reads it, its host reversed, nothing else changed", 1, SURT_WHATWG },
	{ "no-www-massage", "ia-surt that keeps www", 1, SURT_KEEP_WWW },
	{ NULL, NULL, 0, 0 },
};

const struct surt_profile *surt_profile(const char *name)
{
	for (const struct surt_profile *p = surt_profiles; p->name; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

struct parts {
	struct buf host, path, query; /* owned */
	struct str scheme;	      /* without colon; borrowed */
	int port;		      /* -1 none */
	bool has_host, has_query;
};

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

static void lower(struct buf *b)
{
	for (size_t i = 0; i < b->n; i++)
		b->p[i] = ascii_lower(b->p[i]);
}

/* b becomes what is in *with; *with is emptied. */
static void replace(struct buf *b, struct buf *with)
{
	struct buf swap = *b;

	*b = *with;
	*with = swap;
	buf_reset(with);
}

/* ---- taking apart ---- */

static size_t scheme_length(struct str s)
{
	size_t i = 0;

	if (s.n == 0 || !ascii_alpha(s.p[0]))
		return 0;
	while (i < s.n && (ascii_alpha(s.p[i]) || ascii_digit(s.p[i]) || s.p[i] == '+' || s.p[i] == '-' || s.p[i] == '.'))
		i++;
	return i < s.n && s.p[i] == ':' ? i : 0;
}

/* White space off the ends, tabs and line ends out. */
static void clean(struct str s, struct buf *out)
{
	s = str_trim(s);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\t' && s.p[i] != '\r' && s.p[i] != '\n')
			buf_byte(out, s.p[i]);
}

static size_t http_prefix(struct str s)
{
	return str_starts(s, STR("http://")) ? 7 : str_starts(s, STR("https://")) ? 8 : 0;
}

/* "http://https://x" -> "https://x"; "http:////x" and "http:x" -> "http://x".
 * Returns the scheme and leaves what follows "scheme:" in *rest. */
static struct str split_scheme(struct str s, struct str *rest)
{
	size_t n, next;
	struct str scheme;

	while ((n = http_prefix(s)) && (next = http_prefix(str_sub(s, n, s.n))))
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

static bool parse_authority(struct str s, struct parts *u)
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

/* False when there is a port that is no number. */
static bool parse(struct str s, struct parts *u)
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

/* ---- decoding and normalising ---- */

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

static void google_host(struct parts *u, struct buf *tmp)
{
	surt_unescape(buf_view(&u->host), tmp);
	replace(&u->host, tmp);
	if (!is_ascii(buf_view(&u->host)) && utf8_valid(buf_view(&u->host)) == u->host.n) {
		if (url_idna_old(buf_view(&u->host), tmp))
			replace(&u->host, tmp);
		else
			buf_reset(tmp);
	}
	squeeze_dots(&u->host);
	lower(&u->host);
	if (surt_ipv4(buf_view(&u->host), tmp))
		replace(&u->host, tmp);
	buf_reset(tmp);
	escape(buf_view(&u->host), true, tmp);
	replace(&u->host, tmp);
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

static void google_path(struct parts *u, struct buf *tmp)
{
	surt_unescape(buf_view(&u->path), tmp);
	replace(&u->path, tmp);
	if (u->has_host) {
		resolve_dots(&u->path, tmp);
		replace(&u->path, tmp);
	}
	escape(buf_view(&u->path), true, tmp);
	replace(&u->path, tmp);
}

/* Argument by argument, so that an escaped '&' stays one (%26). */
static void google_query(struct parts *u, struct buf *tmp)
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
	replace(&u->query, tmp);
	buf_release(&arg);
}

static void google_step(struct parts *u, struct buf *tmp)
{
	if (u->has_host)
		google_host(u, tmp);
	google_path(u, tmp);
	if (u->has_query)
		google_query(u, tmp);
}

/* ---- massaging ---- */

struct str surt_strip_www(struct str host)
{
	size_t i = 3;

	if (!str_starts(host, STR("www")))
		return host;
	while (i < host.n && ascii_digit(host.p[i]))
		i++;
	return i < host.n && host.p[i] == '.' ? str_sub(host, i + 1, host.n) : host;
}

static bool is_alnum(char c) { return ascii_alpha(c) || ascii_digit(c); }

/* Length of "(24 letters or digits)" or "(x(24)y(24)...)" with the slash behind it; 0 when neither. */
static size_t asp_id(const char *p, const char *end, bool nested)
{
	const char *from = p;

	if (p == end || *p++ != '(')
		return 0;
	for (unsigned groups = 0;; groups++) {
		if (nested) {
			if (groups && p < end && *p == ')')
				break;
			if (end - p < 2 || !ascii_alpha(p[0]) || p[1] != '(')
				return 0;
			p += 2;
		}
		if (end - p < 25)
			return 0;
		for (int i = 0; i < 24; i++)
			if (!is_alnum(*p++))
				return 0;
		if (*p != ')')
			return 0;
		if (!nested)
			break;
		p++;
	}
	p++;
	return p < end && *p == '/' ? (size_t)(p + 1 - from) : 0;
}

/* Takes the last such segment out when a page of ASP.NET follows. */
static void strip_asp(struct str path, bool nested, struct buf *out)
{
	ptrdiff_t page = -1;

	for (size_t i = path.n; i-- > 1;) {
		struct str behind;
		ptrdiff_t question;
		size_t n;

		if (path.p[i - 1] != '/' || path.p[i] != '(' || !(n = asp_id(path.p + i, path.p + path.n, nested)))
			continue;
		behind = str_sub(path, i + n, path.n);
		question = str_chr(behind, '?');
		page = str_ifind(str_sub(behind, 1, question < 0 ? behind.n : (size_t)question + 5), STR(".aspx"));
		if (page < 0)
			continue;
		buf_str(out, str_sub(path, 0, i));
		buf_str(out, behind);
		return;
	}
	buf_str(out, path);
}

void surt_strip_path(struct str path, struct buf *out)
{
	struct buf once = BUF(KEY_MAX);

	if (path.n == 0 || !memchr(path.p, '(', path.n)) {
		buf_str(out, path);
		return;
	}
	strip_asp(path, true, &once);
	strip_asp(buf_view(&once), false, out);
	buf_release(&once);
}

/* Length of a run of n letters (and digits), or 0 when it is shorter. */
static size_t run(struct str s, size_t n, bool digits_too)
{
	if (s.n < n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!ascii_alpha(s.p[i]) && !(digits_too && ascii_digit(s.p[i])))
			return 0;
	return n;
}

static size_t session_32(struct str s, struct str name)
{
	return str_istarts(s, name) ? run(str_sub(s, name.n, s.n), 32, true) + name.n : 0;
}

static size_t match_jsessionid(struct str s) { return session_32(s, STR("jsessionid=")); }
static size_t match_phpsessid(struct str s) { return session_32(s, STR("phpsessid=")); }
static size_t match_sid(struct str s) { return session_32(s, STR("sid=")); }

static size_t match_asp(struct str s)
{
	if (!str_istarts(s, STR("aspsessionid")) || !run(str_sub(s, 12, s.n), 8, false) || s.n <= 20 || s.p[20] != '=')
		return 0;
	return run(str_sub(s, 21, s.n), 24, false) ? 45 : 0;
}

/* The bytes up to the next '&'. */
static size_t argument(struct str s)
{
	ptrdiff_t at = str_chr(s, '&');

	return at < 0 ? s.n : (size_t)at;
}

static size_t match_cf(struct str s)
{
	size_t id, token;

	if (!str_istarts(s, STR("cfid=")) || (id = argument(str_sub(s, 5, s.n))) == 0)
		return 0;
	if (!str_istarts(str_sub(s, 5 + id, s.n), STR("&cftoken=")))
		return 0;
	token = argument(str_sub(s, 14 + id, s.n));
	return token ? 14 + id + token : 0;
}

/* In order; of each the last place is taken that ends where an argument ends. */
static const struct {
	char first; /* how it begins, lower case */
	size_t (*match)(struct str s); /* length, or 0 */
	size_t least;		       /* a shorter match is none: the value was too short */
} sessions[] = {
	{ 'j', match_jsessionid, 43 }, { 'p', match_phpsessid, 42 }, { 's', match_sid, 36 },
	{ 'a', match_asp, 45 }, { 'c', match_cf, 1 },
};

static void strip_sessions(struct buf *query, struct buf *tmp)
{
	for (size_t k = 0; k < COUNT(sessions); k++) {
		struct str s = buf_view(query);

		for (size_t i = s.n; i-- > 0;) {
			size_t n;

			if ((s.p[i] | 32) != sessions[k].first)
				continue;
			n = sessions[k].match(str_sub(s, i, s.n));
			if (n < sessions[k].least || (i + n < s.n && s.p[i + n] != '&'))
				continue;
			buf_str(tmp, str_sub(s, 0, i));
			buf_str(tmp, str_sub(s, i + n + 1, s.n));
			replace(query, tmp);
			break;
		}
	}
}

static int compare_args(const void *a, const void *b)
{
	struct str x = *(const struct str *)a, y = *(const struct str *)b, x_name, y_name;
	int order;

	x_name = str_cut(&x, '=');
	y_name = str_cut(&y, '=');
	order = str_cmp(x_name, y_name);
	if (order)
		return order;
	if (!x.p || !y.p)
		return (x.p != NULL) - (y.p != NULL);
	return str_cmp(x, y);
}

void surt_sort_query(struct str query, struct buf *out)
{
	struct str few[ARGS_FAST], *args = few;
	size_t n = 1, i = 0;

	for (size_t k = 0; k < query.n; k++)
		n += query.p[k] == '&';
	if (n == 1) {
		buf_str(out, query);
		return;
	}
	if (n > ARGS_FAST)
		args = mem_array(n, sizeof *args);
	for (struct str rest = query; rest.p && i < n;)
		args[i++] = str_cut(&rest, '&');
	if (n <= ARGS_FAST) {
		for (size_t k = 1; k < n; k++) { /* few: insertion */
			struct str x = args[k];
			size_t at = k;

			for (; at > 0 && compare_args(&args[at - 1], &x) > 0; at--)
				args[at] = args[at - 1];
			args[at] = x;
		}
	} else {
		sort_array(args, n, sizeof *args, compare_args);
	}
	for (i = 0; i < n; i++) {
		if (i)
			buf_byte(out, '&');
		buf_str(out, args[i]);
	}
	if (args != few)
		mem_free(args);
}

static void ia_query(unsigned flags, struct parts *u, struct buf *tmp)
{
	strip_sessions(&u->query, tmp);
	buf_reset(tmp);
	if (!(flags & SURT_KEEP_QUERY_CASE))
		lower(&u->query);
	surt_sort_query(buf_view(&u->query), tmp);
	replace(&u->query, tmp);
	u->has_query = u->query.n > 0;
}

static void ia_step(unsigned flags, struct parts *u, struct buf *tmp)
{
	bool https = str_eq(u->scheme, STR("https"));

	lower(&u->host);
	if (!(flags & SURT_KEEP_WWW)) {
		buf_str(tmp, surt_strip_www(buf_view(&u->host)));
		replace(&u->host, tmp);
	}
	if ((https && u->port == 443) || (str_eq(u->scheme, STR("http")) && u->port == 80))
		u->port = -1;
	surt_strip_path(buf_view(&u->path), tmp);
	replace(&u->path, tmp);
	if (u->path.n > 1 && u->path.p[u->path.n - 1] == '/')
		u->path.n--;
	lower(&u->path);
	if (u->has_query)
		ia_query(flags, u, tmp);
}

/* ---- putting together ---- */

static bool is_ipv4(struct str host)
{
	unsigned dots = 0;

	for (size_t i = 0; i < host.n; i++) {
		dots += host.p[i] == '.';
		if (!ascii_digit(host.p[i]) && host.p[i] != '.')
			return false;
	}
	return dots == 3;
}

static void add_reversed(struct str host, struct buf *out)
{
	for (size_t end = host.n;;) {
		size_t from = end;

		while (from > 0 && host.p[from - 1] != '.')
			from--;
		buf_add(out, host.p + from, end - from);
		if (from == 0)
			return;
		buf_byte(out, ',');
		end = from - 1;
	}
}

static void add_tail(const struct parts *u, struct buf *out)
{
	if (u->path.n == 0 && (u->has_host || u->has_query))
		buf_byte(out, '/');
	buf_str(out, buf_view(&u->path));
	if (u->has_query) {
		buf_byte(out, '?');
		buf_str(out, buf_view(&u->query));
	}
}

static void add_key(unsigned flags, const struct parts *u, struct buf *out)
{
	if (!u->has_host) {
		buf_str(out, u->scheme);
		buf_byte(out, ':');
		add_tail(u, out);
		return;
	}
	if (flags & SURT_WITH_SCHEME) {
		buf_str(out, u->scheme);
		buf_str(out, STR("://("));
	}
	if ((flags & SURT_KEEP_IP) && is_ipv4(buf_view(&u->host)))
		buf_str(out, buf_view(&u->host));
	else
		add_reversed(buf_view(&u->host), out);
	if (u->port >= 0)
		buf_printf(out, ":%d", u->port);
	if (flags & SURT_TRAILING_COMMA)
		buf_byte(out, ',');
	buf_byte(out, ')');
	add_tail(u, out);
}

static void add_url(const struct parts *u, struct buf *out)
{
	buf_str(out, u->scheme);
	buf_byte(out, ':');
	if (u->has_host) {
		buf_str(out, STR("//"));
		buf_str(out, buf_view(&u->host));
		if (u->port >= 0)
			buf_printf(out, ":%d", u->port);
	}
	add_tail(u, out);
}

/* The URL itself, as one printable word. */
static void add_raw(struct str url, struct buf *out)
{
	static const char hex[] = "0123456789ABCDEF";

	url = str_trim(url);
	for (size_t i = 0; i < url.n; i++) {
		unsigned char c = (unsigned char)url.p[i];

		if (c > ' ' && c < 127) {
			buf_byte(out, (char)c);
		} else {
			buf_byte(out, '%');
			buf_byte(out, hex[c >> 4]);
			buf_byte(out, hex[c & 15]);
		}
	}
}

static void slow(unsigned flags, struct str url, bool key, struct buf *out)
{
	struct parts u = { .host = BUF(KEY_MAX), .path = BUF(KEY_MAX), .query = BUF(KEY_MAX), .port = -1 };
	struct buf text = BUF(LIMIT_URL), tmp = BUF(KEY_MAX);
	bool ok;

	clean(url, &text);
	ok = !text.full && parse(buf_view(&text), &u);
	if (ok && !(flags & SURT_KEEP_ESCAPES))
		google_step(&u, &tmp);
	if (ok && !(flags & SURT_KEEP_DETAIL))
		ia_step(flags, &u, &tmp);
	u.has_host = u.host.n > 0;
	if (!ok)
		add_raw(url, out);
	else if (key)
		add_key(flags, &u, out);
	else
		add_url(&u, out);
	buf_release(&tmp);
	buf_release(&text);
	buf_release(&u.host);
	buf_release(&u.path);
	buf_release(&u.query);
}

/* ---- the fast way ---- */

enum { F_HOST = 1, F_TAIL = 2 };
static const unsigned char fast_class[256] = {
#define T F_TAIL
#define B (F_HOST | F_TAIL)
	['!'] = T, ['"'] = T, ['$'] = T, ['&'] = T, ['\''] = T, [')'] = T, ['*'] = T, ['+'] = T, [','] = T, ['-'] = B, ['.'] = B,
	['/'] = T, ['0'] = B, ['1'] = B, ['2'] = B, ['3'] = B, ['4'] = B, ['5'] = B, ['6'] = B, ['7'] = B, ['8'] = B, ['9'] = B,
	[':'] = T, [';'] = T, ['<'] = T, ['='] = T, ['>'] = T, ['@'] = T, ['A'] = B, ['B'] = B, ['C'] = B, ['D'] = B, ['E'] = B,
	['F'] = B, ['G'] = B, ['H'] = B, ['I'] = B, ['J'] = B, ['K'] = B, ['L'] = B, ['M'] = B, ['N'] = B, ['O'] = B, ['P'] = B,
	['Q'] = B, ['R'] = B, ['S'] = B, ['T'] = B, ['U'] = B, ['V'] = B, ['W'] = B, ['X'] = B, ['Y'] = B, ['Z'] = B, ['['] = T,
	['\\'] = T, [']'] = T, ['^'] = T, ['_'] = B, ['`'] = T, ['a'] = B, ['b'] = B, ['c'] = B, ['d'] = B, ['e'] = B, ['f'] = B,
	['g'] = B, ['h'] = B, ['i'] = B, ['j'] = B, ['k'] = B, ['l'] = B, ['m'] = B, ['n'] = B, ['o'] = B, ['p'] = B, ['q'] = B,
	['r'] = B, ['s'] = B, ['t'] = B, ['u'] = B, ['v'] = B, ['w'] = B, ['x'] = B, ['y'] = B, ['z'] = B, ['{'] = T, ['|'] = T,
	['}'] = T, ['~'] = T,
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

/* The key of a URL that needs no decoding; false leaves out as it was. */
static bool fast_key(unsigned flags, struct str url, struct buf *out)
{
	size_t at = http_prefix(url), host_n, i, path_end;
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
	if (!(flags & SURT_KEEP_WWW) && host_n > 4 && (host.p[0] | 32) == 'w' && (host.p[1] | 32) == 'w' && (host.p[2] | 32) == 'w') {
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
			if (c == '=' && to - start >= 3 && ((to[-1] == 'd' && to[-2] == 'i') || (to[-1] == 'n' && to[-2] == 'e' && to[-3] == 'k')))
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

static void plain_key(struct str url, struct buf *out)
{
	struct url u = { 0 };
	struct str host;

	if (!url_parse(&u, url, NULL)) {
		add_raw(url, out);
	} else if (!u.has_host || (host = url_hostname(&u)).n == 0) {
		add_raw(url_href_no_hash(&u), out); /* opaque paths may hold blanks */
	} else {
		if (host.p[0] == '[' || is_ipv4(host))
			buf_str(out, host);
		else
			add_reversed(host, out);
		if (u.port >= 0)
			buf_printf(out, ":%d", (int)u.port);
		buf_byte(out, ')');
		buf_str(out, url_pathname(&u));
		buf_str(out, url_search(&u));
	}
	url_release(&u);
}

void surt_add_flags(unsigned flags, struct str url, struct buf *out)
{
	if (url.n == 0)
		buf_byte(out, '-');
	else if (flags & SURT_WHATWG)
		plain_key(url, out);
	else if (str_starts(url, STR("filedesc")))
		add_raw(url, out);
	else if ((flags & ~(unsigned)SURT_KEEP_WWW) || !fast_key(flags, url, out))
		slow(flags, url, true, out);
}

void surt_add(const struct surt_profile *p, struct str url, struct buf *out) { surt_add_flags(p ? p->flags : 0, url, out); }

void surt_canonical(unsigned flags, struct str url, struct buf *out) { slow(flags, url, false, out); }

/* ---- queries ---- */

struct str surt_host(struct str key)
{
	ptrdiff_t at = str_chr(key, ')');

	return at < 0 ? key : str_sub(key, 0, (size_t)at);
}

void surt_range(const struct surt_profile *p, struct str url, enum surt_match match, struct buf *from, struct buf *to)
{
	size_t start = from->n;
	struct str key, host;
	char last = url.n ? url.p[url.n - 1] : 0;

	surt_add(p, url, from);
	if (match == SURT_PREFIX && (last == '/' || last == '?') && from->p[from->n - 1] != last)
		buf_byte(from, last);
	key = str_n(from->p + start, from->n - start);
	if (match == SURT_EXACT || (match != SURT_PREFIX && str_chr(key, ')') < 0)) {
		buf_str(to, key);
		buf_byte(to, '!');
		return;
	}
	if (match == SURT_PREFIX) {
		buf_str(to, key);
		to->p[to->n - 1]++;
		return;
	}
	host = surt_host(key);
	buf_str(to, host);
	if (match == SURT_HOST) {
		buf_byte(to, '*');
		from->n = start + host.n;
		buf_str(from, STR(")/"));
		return;
	}
	buf_byte(to, '-');
	from->n = start + host.n;
	buf_str(from, memchr(host.p, ',', host.n) ? STR(")/") : STR(","));
}
