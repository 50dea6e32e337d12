/* archive/url.c -- the URL parser of the WHATWG standard, without its state machine.
 *
 * The states only ever end a part at '#', '?' or a slash, so the input is cut
 * there first and each part is written straight into the serialised form:
 * scheme, credentials, host, port, path, query, fragment.  "Shortening" the
 * path is cutting the text at its last slash.  A relative reference copies the
 * prefix of the base's text that it keeps (one memcpy) and goes on from there.
 *
 * Room is reserved once: every input byte becomes at most three ("%XX"), so
 * nothing below checks for space.  Only hosts can grow otherwise (IDNA); they
 * reserve for themselves.  Cost: O(input + kept part of the base), with no
 * allocation when u has been used before.
 *
 * Invariants: the offsets in u are ascending; u->n <= 4 * LIMIT_URL.
 */
#include "archive/url.h"

#include "archive/url_host.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/utf8.h"

#define URL_MAX (4 * LIMIT_URL)

/* Which percent-encode sets a byte is in, and what else it is. */
enum {
	IN_FRAGMENT = 1,
	IN_QUERY = 2,
	IN_SPECIAL_QUERY = 4,
	IN_PATH = 8,
	IN_USERINFO = 16,
	IN_C0 = 32,
	STRIPPED = 64, /* tab, newline, carriage return */
};

#define ALL (IN_FRAGMENT | IN_QUERY | IN_SPECIAL_QUERY | IN_PATH | IN_USERINFO)
#define C0 (ALL | IN_C0)
#define QUERY (IN_QUERY | IN_SPECIAL_QUERY | IN_PATH | IN_USERINFO)
#define PATH (IN_PATH | IN_USERINFO)

/* clang-format off */
static const unsigned char class[256] = {
	[0] = C0, [1] = C0, [2] = C0, [3] = C0, [4] = C0, [5] = C0, [6] = C0, [7] = C0, [8] = C0,
	['\t'] = C0 | STRIPPED, ['\n'] = C0 | STRIPPED, [11] = C0, [12] = C0, ['\r'] = C0 | STRIPPED, [14] = C0, [15] = C0,
	[16] = C0, [17] = C0, [18] = C0, [19] = C0, [20] = C0, [21] = C0, [22] = C0, [23] = C0, [24] = C0, [25] = C0,
	[26] = C0, [27] = C0, [28] = C0, [29] = C0, [30] = C0, [31] = C0, [127] = C0,
#define ROW8(i) [i] = C0, [(i) + 1] = C0, [(i) + 2] = C0, [(i) + 3] = C0, [(i) + 4] = C0, [(i) + 5] = C0, [(i) + 6] = C0, [(i) + 7] = C0
	ROW8(128), ROW8(136), ROW8(144), ROW8(152), ROW8(160), ROW8(168), ROW8(176), ROW8(184),
	ROW8(192), ROW8(200), ROW8(208), ROW8(216), ROW8(224), ROW8(232), ROW8(240), ROW8(248),
	[' '] = ALL, ['"'] = ALL, ['<'] = ALL, ['>'] = ALL, ['`'] = IN_FRAGMENT | PATH,
	['#'] = QUERY, ['\''] = IN_SPECIAL_QUERY,
	['?'] = PATH, ['^'] = PATH, ['{'] = PATH, ['}'] = PATH,
	['/'] = IN_USERINFO, [':'] = IN_USERINFO, [';'] = IN_USERINFO, ['='] = IN_USERINFO, ['@'] = IN_USERINFO,
	['['] = IN_USERINFO, ['\\'] = IN_USERINFO, [']'] = IN_USERINFO, ['|'] = IN_USERINFO,
};
/* clang-format on */

static const struct {
	const char *name; /* with its colon */
	unsigned char n;
	int16_t port;
} schemes[] = {
	[URL_HTTP] = { "http:", 5, 80 }, [URL_HTTPS] = { "https:", 6, 443 }, [URL_WS] = { "ws:", 3, 80 },
	[URL_WSS] = { "wss:", 4, 443 },	 [URL_FTP] = { "ftp:", 4, 21 },	     [URL_FILE] = { "file:", 5, -1 },
};

/* The input, cut at its first '#' and the first '?' before that. */
struct input {
	struct str body; /* behind the scheme */
	struct str query, fragment;
	bool has_query, has_fragment;
};

static bool reserve(struct url *u, size_t want)
{
	size_t cap = u->cap ? u->cap : 256;

	if (want > URL_MAX)
		return false;
	if (want <= u->cap)
		return true;
	while (cap < want)
		cap *= 2;
	u->p = mem_realloc(u->p, cap);
	u->cap = (uint32_t)cap;
	return true;
}

static void put(struct url *u, const char *p, size_t n)
{
	if (n)
		memcpy(u->p + u->n, p, n);
	u->n += (uint32_t)n;
}

static void put_byte(struct url *u, char c) { u->p[u->n++] = c; }

static void put_encoded(struct url *u, struct str s, unsigned set)
{
	static const char hex[] = "0123456789ABCDEF";
	char *to = u->p + u->n;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (class[c] & set) {
			*to++ = '%';
			*to++ = hex[c >> 4];
			*to++ = hex[c & 15];
		} else {
			*to++ = (char)c;
		}
	}
	u->n = (uint32_t)(to - u->p);
}

static bool is_slash(char c, bool special) { return c == '/' || (special && c == '\\'); }

static bool drive_letter(struct str s) { return s.n == 2 && ascii_alpha(s.p[0]) && (s.p[1] == ':' || s.p[1] == '|'); }

/* The text begins with a drive letter that is a whole segment; what follows the
 * body is a query or a fragment, which end a segment too. */
static bool starts_with_drive(struct str s)
{
	if (s.n < 2 || !drive_letter(str_n(s.p, 2)))
		return false;
	return s.n == 2 || is_slash(s.p[2], true);
}

/* "." or ".." with any of the dots written %2e; how many dots, else 0. */
static unsigned dots(const char *p, size_t n)
{
	unsigned count = 0;
	size_t i = 0;

	if (n == 0 || n > 6)
		return 0;
	while (i < n) {
		if (p[i] == '.')
			i++;
		else if (p[i] == '%' && i + 2 < n && p[i + 1] == '2' && (p[i + 2] | 32) == 'e')
			i += 3;
		else
			return 0;
		count++;
	}
	return count <= 2 ? count : 0;
}

static void shorten(struct url *u)
{
	uint32_t at = u->n;

	if (u->scheme == URL_FILE && u->n == u->path + 3 && ascii_alpha(u->p[u->path + 1]) && u->p[u->path + 2] == ':')
		return;
	while (at > u->path && u->p[at - 1] != '/')
		at--;
	if (at > u->path)
		u->n = at - 1;
}

static void put_segment(struct url *u, struct str s)
{
	bool first = u->n == u->path;

	put_byte(u, '/');
	if (u->scheme == URL_FILE && first && drive_letter(s)) {
		put_byte(u, s.p[0]);
		put_byte(u, ':');
	} else {
		put_encoded(u, s, IN_PATH);
	}
}

/* Adds the segments of s, whose leading slash is already gone. */
static void put_path(struct url *u, struct str s)
{
	bool special = url_is_special(u);
	const char *p = s.p, *end = str_end(s);

	for (;;) {
		const char *from = p;
		unsigned n;
		bool last;

		while (p < end && !is_slash(*p, special))
			p++;
		last = p == end;
		n = dots(from, (size_t)(p - from));
		if (n == 2)
			shorten(u);
		if (n == 0)
			put_segment(u, str_n(from, (size_t)(p - from)));
		else if (last)
			put_byte(u, '/');
		if (last)
			return;
		p++;
	}
}

/* The path behind an authority: one leading slash is its own. */
static void put_path_start(struct url *u, struct str s)
{
	bool special = url_is_special(u);

	if (s.n && is_slash(s.p[0], special))
		put_path(u, str_sub(s, 1, s.n));
	else if (s.n || special)
		put_path(u, s);
}

/* Opaque paths keep blanks, but one before '?' or '#' would be lost. */
static void put_opaque(struct url *u, const struct input *in)
{
	struct str s = in->body;
	bool cut = in->has_query || in->has_fragment;

	if (cut && s.n && s.p[s.n - 1] == ' ') {
		put_encoded(u, str_sub(s, 0, s.n - 1), IN_C0);
		put(u, "%20", 3);
	} else {
		put_encoded(u, s, IN_C0);
	}
}

static void put_query(struct url *u, const struct input *in)
{
	u->search = u->n;
	u->has_search = in->has_query;
	if (in->has_query) {
		put_byte(u, '?');
		put_encoded(u, in->query, url_is_special(u) ? IN_SPECIAL_QUERY : IN_QUERY);
	}
}

/* Ends u: a path that would read as an authority is led by "/.", the fragment is added. */
static void finish(struct url *u, const struct input *in)
{
	if (!u->has_host && !u->opaque && u->search - u->path >= 2 && memcmp(u->p + u->path, "//", 2) == 0) {
		memmove(u->p + u->path + 2, u->p + u->path, u->n - u->path);
		memcpy(u->p + u->path, "/.", 2);
		u->n += 2;
		u->path += 2;
		u->search += 2;
	}
	u->hash = u->n;
	u->has_hash = in->has_fragment;
	if (in->has_fragment) {
		put_byte(u, '#');
		put_encoded(u, in->fragment, IN_FRAGMENT);
	}
}

/* Everything of base before its path, and optionally the path and the query. */
enum keep { KEEP_SCHEME, KEEP_AUTHORITY, KEEP_PATH, KEEP_QUERY };

static void copy_base(struct url *u, const struct url *base, enum keep keep)
{
	uint32_t authority_end = base->has_host ? base->path : base->scheme_end;

	u->n = 0;
	put(u, base->p, keep == KEEP_SCHEME ? base->scheme_end : authority_end);
	u->scheme = base->scheme;
	u->scheme_end = base->scheme_end;
	u->user_end = u->host = u->host_end = u->path = u->n;
	u->port = -1;
	u->has_host = u->opaque = false;
	if (keep == KEEP_SCHEME)
		return;
	u->has_host = base->has_host;
	u->user_end = base->user_end;
	u->host = base->host;
	u->host_end = base->host_end;
	u->port = base->port;
	if (keep == KEEP_AUTHORITY)
		return;
	put(u, base->p + base->path, base->search - base->path);
	u->opaque = base->opaque;
	u->search = u->n;
	u->has_search = false;
	if (keep == KEEP_QUERY) {
		put(u, base->p + base->search, base->hash - base->search);
		u->has_search = base->has_search;
	}
}

static void put_credentials(struct url *u, struct str s)
{
	ptrdiff_t colon = str_chr(s, ':');
	struct str user = colon < 0 ? s : str_sub(s, 0, (size_t)colon);
	struct str pass = colon < 0 ? STR_NONE : str_sub(s, (size_t)colon + 1, s.n);

	put_encoded(u, user, IN_USERINFO);
	u->user_end = u->n;
	if (pass.n) {
		put_byte(u, ':');
		put_encoded(u, pass, IN_USERINFO);
	}
	u->host = u->n;
	if (user.n || pass.n)
		put_byte(u, '@');
}

static bool put_port(struct url *u, struct str s)
{
	uint32_t port = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_digit(s.p[i]))
			return false;
		port = port * 10 + (uint32_t)(s.p[i] - '0');
		if (port > 65535)
			return false;
	}
	if (s.n == 0 || (u->scheme != URL_OTHER && schemes[u->scheme].port == (int)port))
		return true;
	u->port = (int32_t)port;
	put_byte(u, ':');
	for (uint32_t power = port >= 10000  ? 10000
			      : port >= 1000 ? 1000
			      : port >= 100  ? 100
			      : port >= 10   ? 10
					     : 1;
	     power; power /= 10)
		put_byte(u, (char)('0' + port / power % 10));
	return true;
}

/* The host, with `rest` input bytes still to come behind it. */
static bool put_host(struct url *u, struct str host, size_t rest)
{
	bool special = url_is_special(u);
	struct buf b = BUF(URL_MAX);
	bool ok;

	if (special && url_plain_host(host, u->p + u->n)) {
		u->n += (uint32_t)host.n;
		return true;
	}
	ok = url_host_parse(host, special, &b) && reserve(u, u->n + b.n + 3 * rest + 64);
	if (ok)
		put(u, b.p, b.n);
	buf_release(&b);
	return ok;
}

/* Where the colon of a port is, outside brackets; or s.n. */
static size_t port_colon(struct str s)
{
	bool inside = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '[')
			inside = true;
		else if (s.p[i] == ']')
			inside = false;
		else if (s.p[i] == ':' && !inside)
			return i;
	}
	return s.n;
}

/* "user:pass@host:port/path", the two slashes being gone. */
static bool put_authority(struct url *u, const struct input *in, struct str s)
{
	bool special = url_is_special(u);
	size_t end = 0, colon, rest = s.n + in->query.n + in->fragment.n;
	struct str authority;
	ptrdiff_t at;

	while (end < s.n && !is_slash(s.p[end], special))
		end++;
	authority = str_sub(s, 0, end);
	put(u, "//", 2);
	u->has_host = true;
	u->user_end = u->host = u->n;
	at = str_rchr(authority, '@');
	if (at >= 0) {
		put_credentials(u, str_sub(authority, 0, (size_t)at));
		authority = str_sub(authority, (size_t)at + 1, authority.n);
		if (authority.n == 0)
			return false;
	}
	colon = port_colon(authority);
	if (colon == 0 && (special || authority.n > 0))
		return false;
	if (colon > 0 && !put_host(u, str_sub(authority, 0, colon), rest))
		return false;
	u->host_end = u->n;
	if (colon < authority.n && !put_port(u, str_sub(authority, colon + 1, authority.n)))
		return false;
	u->path = u->n;
	put_path_start(u, str_sub(s, end, s.n));
	put_query(u, in);
	return true;
}

static struct str skip_slashes(struct str s)
{
	while (s.n && is_slash(s.p[0], true))
		s = str_sub(s, 1, s.n);
	return s;
}

/* An empty reference keeps all but the fragment; one of only a query keeps the path. */
static void put_same_document(struct url *u, const struct url *base, const struct input *in)
{
	copy_base(u, base, in->has_query ? KEEP_PATH : KEEP_QUERY);
	if (in->has_query)
		put_query(u, in);
}

static bool relative(struct url *u, const struct url *base, const struct input *in)
{
	bool special = base->scheme != URL_OTHER;
	struct str s = in->body;

	if (s.n == 0) {
		put_same_document(u, base, in);
		return true;
	}
	if (is_slash(s.p[0], special)) {
		if (s.n > 1 && is_slash(s.p[1], special)) {
			copy_base(u, base, KEEP_SCHEME);
			return put_authority(u, in, special ? skip_slashes(s) : str_sub(s, 2, s.n));
		}
		copy_base(u, base, KEEP_AUTHORITY);
		put_path(u, str_sub(s, 1, s.n));
	} else {
		copy_base(u, base, KEEP_PATH);
		shorten(u);
		put_path(u, s);
	}
	put_query(u, in);
	return true;
}

static bool file_host(struct url *u, const struct input *in, struct str s)
{
	size_t end = 0, from;
	struct str host;

	while (end < s.n && !is_slash(s.p[end], true))
		end++;
	host = str_sub(s, 0, end);
	put(u, "//", 2);
	u->has_host = true;
	from = u->user_end = u->host = u->host_end = u->path = u->n;
	if (drive_letter(host)) { /* file://C:/x is a path */
		put_path(u, s);
		put_query(u, in);
		return true;
	}
	if (host.n && !put_host(u, host, s.n + in->query.n + in->fragment.n))
		return false;
	if (str_eq(str_n(u->p + from, u->n - from), STR("localhost")))
		u->n = (uint32_t)from;
	u->host_end = u->path = u->n;
	put_path_start(u, str_sub(s, end, s.n));
	put_query(u, in);
	return true;
}

static void file_empty_host(struct url *u)
{
	put(u, "//", 2);
	u->has_host = true;
	u->user_end = u->host = u->host_end = u->path = u->n;
}

/* A file URL; u holds "file:" only.  base may be NULL or not a file. */
static bool file(struct url *u, const struct url *base, const struct input *in)
{
	struct str s = in->body;

	if (base && base->scheme != URL_FILE)
		base = NULL;
	if (s.n && is_slash(s.p[0], true)) {
		if (s.n > 1 && is_slash(s.p[1], true))
			return file_host(u, in, str_sub(s, 2, s.n));
		s = str_sub(s, 1, s.n);
		if (base) {
			const char *path = base->p + base->path;
			uint32_t n = base->search - base->path;

			copy_base(u, base, KEEP_AUTHORITY);
			if (!starts_with_drive(s) && n >= 3 && ascii_alpha(path[1]) && path[2] == ':' &&
			    (n == 3 || path[3] == '/'))
				put(u, path, 3);
		} else {
			file_empty_host(u);
		}
	} else if (base) {
		if (s.n == 0) {
			put_same_document(u, base, in);
			return true;
		}
		copy_base(u, base, KEEP_PATH);
		if (starts_with_drive(s))
			u->n = u->path;
		else
			shorten(u);
	} else {
		file_empty_host(u);
	}
	put_path(u, s);
	put_query(u, in);
	return true;
}

/* Length of the scheme with its colon, or 0. */
static size_t scheme_length(struct str s)
{
	size_t i = 0;

	if (s.n == 0 || !ascii_alpha(s.p[0]))
		return 0;
	while (i < s.n &&
	       (ascii_alpha(s.p[i]) || ascii_digit(s.p[i]) || s.p[i] == '+' || s.p[i] == '-' || s.p[i] == '.'))
		i++;
	return i < s.n && s.p[i] == ':' ? i + 1 : 0;
}

static void put_scheme(struct url *u, struct str s)
{
	u->n = 0;
	for (size_t i = 0; i < s.n; i++)
		put_byte(u, ascii_lower(s.p[i]));
	u->scheme = URL_OTHER;
	for (size_t i = URL_HTTP; i < COUNT(schemes); i++)
		if (u->n == schemes[i].n && memcmp(u->p, schemes[i].name, u->n) == 0)
			u->scheme = (uint8_t)i;
	u->scheme_end = u->user_end = u->host = u->host_end = u->path = u->n;
	u->port = -1;
	u->has_host = u->opaque = false;
}

static bool with_scheme(struct url *u, const struct url *base, const struct input *in)
{
	struct str s = in->body;

	if (u->scheme == URL_FILE)
		return file(u, base, in);
	if (url_is_special(u)) {
		if (base && base->scheme == u->scheme && !(s.n > 1 && s.p[0] == '/' && s.p[1] == '/'))
			return relative(u, base, in);
		return put_authority(u, in, skip_slashes(s));
	}
	if (s.n > 1 && s.p[0] == '/' && s.p[1] == '/')
		return put_authority(u, in, str_sub(s, 2, s.n));
	if (s.n && s.p[0] == '/') {
		put_path(u, str_sub(s, 1, s.n));
	} else {
		u->opaque = true;
		put_opaque(u, in);
	}
	put_query(u, in);
	return true;
}

static bool without_scheme(struct url *u, const struct url *base, const struct input *in)
{
	if (!base || base->n == 0)
		return false;
	if (base->opaque) {
		if (in->body.n || in->has_query || !in->has_fragment)
			return false;
		copy_base(u, base, KEEP_QUERY);
		return true;
	}
	if (base->scheme == URL_FILE) {
		copy_base(u, base, KEEP_SCHEME);
		return file(u, base, in);
	}
	return relative(u, base, in);
}

static bool parse_clean(struct url *u, struct str s, const struct url *base)
{
	struct input in = { 0 };
	size_t scheme;
	ptrdiff_t at;
	bool ok;

	if (!reserve(u, (base ? base->n : 0) + 3 * s.n + 64))
		return false;
	if ((at = str_chr(s, '#')) >= 0) {
		in.has_fragment = true;
		in.fragment = str_sub(s, (size_t)at + 1, s.n);
		s = str_sub(s, 0, (size_t)at);
	}
	if ((at = str_chr(s, '?')) >= 0) {
		in.has_query = true;
		in.query = str_sub(s, (size_t)at + 1, s.n);
		s = str_sub(s, 0, (size_t)at);
	}
	scheme = scheme_length(s);
	in.body = str_sub(s, scheme, s.n);
	if (scheme) {
		put_scheme(u, str_n(s.p, scheme));
		ok = with_scheme(u, base, &in);
	} else {
		ok = without_scheme(u, base, &in);
	}
	if (ok)
		finish(u, &in);
	return ok && u->n <= URL_MAX;
}

/* A copy of s without tabs and line ends and with U+FFFD for ill-formed bytes. */
static char *cleaned(struct str s, size_t *n)
{
	char *copy = mem_alloc(3 * s.n + 4), *to = copy;
	const char *p = s.p, *end = str_end(s);

	while (p < end) {
		uint32_t cp;

		if ((unsigned char)*p < 128) {
			if (!(class[(unsigned char)*p] & STRIPPED))
				*to++ = *p;
			p++;
			continue;
		}
		p += utf8_decode(p, end, &cp);
		to += utf8_encode(cp, to);
	}
	*n = (size_t)(to - copy);
	return copy;
}

static bool has_stripped(struct str s)
{
	unsigned char any = 0;

	for (size_t i = 0; i < s.n; i++)
		any |= class[(unsigned char)s.p[i]];
	return any & STRIPPED;
}

bool url_parse(struct url *u, struct str s, const struct url *base)
{
	bool ok = false;

	while (s.n && (unsigned char)s.p[0] <= ' ')
		s = str_sub(s, 1, s.n);
	while (s.n && (unsigned char)s.p[s.n - 1] <= ' ')
		s.n--;
	if (s.n <= LIMIT_URL) {
		if (has_stripped(s) || utf8_valid(s) != s.n) {
			size_t n;
			char *copy = cleaned(s, &n);

			ok = parse_clean(u, str_n(copy, n), base);
			mem_free(copy);
		} else {
			ok = parse_clean(u, s, base);
		}
	}
	if (!ok)
		*u = (struct url){ .p = u->p, .cap = u->cap, .port = -1 };
	return ok;
}

bool url_resolve(const struct url *base, struct str href, struct url *scratch, struct buf *out)
{
	return url_parse(scratch, href, base) && buf_add(out, scratch->p, scratch->n);
}

void url_copy(struct url *to, const struct url *from)
{
	char *p = to->p;
	uint32_t cap = to->cap;

	if (cap < from->n) {
		cap = from->n;
		p = mem_realloc(p, cap);
	}
	*to = *from;
	to->p = p;
	to->cap = cap;
	if (from->n)
		memcpy(p, from->p, from->n);
}

void url_release(struct url *u)
{
	mem_free(u->p);
	*u = (struct url){ .port = -1 };
}

int url_port_number(const struct url *u)
{
	return u->port >= 0 ? u->port : u->scheme != URL_OTHER ? schemes[u->scheme].port : -1;
}
