/* archive/surt.c -- urlkeys: profiles, and the writing of keys.
 *
 * Two ways to one answer.  The fast way (surt_fast.c) takes URLs that need no
 * decoding; anything else goes the slow way: taken apart (surt_parse.c), decoded
 * and normalised (surt_decode.c), massaged (surt_massage.c) and put together
 * here.  A test holds that both agree wherever the fast way answers.
 */
#include "archive/surt_int.h"
#include "archive/url.h"
#include "archive/url_host.h"
#include "base/limits.h"

const struct surt_profile surt_profiles[] = {
	{ "ia-surt", "the Internet Archive's key: case, www, ports, session ids and argument order do not count", 1,
	  0 },
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

static void add_tail(const struct surt_parts *u, struct buf *out)
{
	if (u->path.n == 0 && (u->has_host || u->has_query))
		buf_byte(out, '/');
	buf_str(out, buf_view(&u->path));
	if (u->has_query) {
		buf_byte(out, '?');
		buf_str(out, buf_view(&u->query));
	}
}

static void add_key(unsigned flags, const struct surt_parts *u, struct buf *out)
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

static void add_url(const struct surt_parts *u, struct buf *out)
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

/* White space off the ends, tabs and line ends out. */
static void clean(struct str s, struct buf *out)
{
	s = str_trim(s);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\t' && s.p[i] != '\r' && s.p[i] != '\n')
			buf_byte(out, s.p[i]);
}

static void slow(unsigned flags, struct str url, bool key, struct buf *out)
{
	struct surt_parts u = { .host = BUF(KEY_MAX), .path = BUF(KEY_MAX), .query = BUF(KEY_MAX), .port = -1 };
	struct buf text = BUF(LIMIT_URL), tmp = BUF(KEY_MAX);
	bool ok;

	clean(url, &text);
	ok = !text.full && surt_parse(buf_view(&text), &u);
	if (ok && !(flags & SURT_KEEP_ESCAPES))
		surt_decode(&u, &tmp);
	if (ok && !(flags & SURT_KEEP_DETAIL))
		surt_massage(flags, &u, &tmp);
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
	else if ((flags & ~(unsigned)SURT_KEEP_WWW) || !surt_fast(flags, url, out))
		slow(flags, url, true, out);
}

void surt_add(const struct surt_profile *p, struct str url, struct buf *out)
{
	surt_add_flags(p ? p->flags : 0, url, out);
}

void surt_canonical(unsigned flags, struct str url, struct buf *out) { slow(flags, url, false, out); }

/* ---- queries ---- */

/* The host part of a key, "org,archive" of "org,archive)/goo"; the whole key when it has none. */
static struct str host_part(struct str key)
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
	host = host_part(key);
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

bool surt_leads_to(const struct surt_profile *p, struct str base, struct str ref, struct str key)
{
	struct url page = { 0 }, to = { 0 };
	struct buf got = BUF(8 * LIMIT_URL);
	bool same = false;

	if (url_parse(&page, base, NULL) && url_parse(&to, ref, &page)) {
		surt_add(p, url_href(&to), &got);
		same = str_eq(buf_view(&got), key);
	}
	buf_release(&got);
	url_release(&page);
	url_release(&to);
	return same;
}
