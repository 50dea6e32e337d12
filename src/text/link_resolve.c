/* text/link_resolve.c -- what a reference of a page points to.
 *
 * Almost every reference consists of letters that a URL keeps as they are; then
 * the result is a prefix of the base, or an authority met before, and the
 * reference itself.  Whatever else is for url_parse, which a test holds this to.
 *
 * Cost: sixteen letters at a time; an authority costs one look in a table that
 * lasts from page to page.
 */
#include "text/charset.h"
#include "text/extract_page.h"
#include "text/scan.h"

enum { IN_PATH = 1, IN_QUERY = 2, IN_FRAGMENT = 4 };
static const uint8_t kept[256] = {
/* bytes that stay as they are */
#define ALL7 (IN_PATH | IN_QUERY | IN_FRAGMENT)
	['a' ... 'z'] = ALL7,
	['A' ... 'Z'] = ALL7,
	['0' ... '9'] = ALL7,
	['-'] = ALL7,
	['_'] = ALL7,
	['.'] = ALL7,
	['~'] = ALL7,
	['/'] = ALL7,
	[','] = ALL7,
	['+'] = ALL7,
	['='] = ALL7,
	['@'] = ALL7,
	['!'] = ALL7,
	['$'] = ALL7,
	['('] = ALL7,
	[')'] = ALL7,
	['*'] = ALL7,
	[';'] = ALL7,
	['&'] = ALL7,
	['%'] = IN_QUERY | IN_FRAGMENT,
	[':'] = IN_QUERY | IN_FRAGMENT,
	['?'] = IN_QUERY | IN_FRAGMENT,
#undef ALL7
};

/* A part of s that is "." or "..": such segments are taken out. */
static bool is_dots(struct str s, size_t i)
{
	i += i + 1 < s.n && s.p[i + 1] == '.' ? 2 : 1;
	return i == s.n || s.p[i] == '/' || s.p[i] == '?' || s.p[i] == '#';
}

#if defined(__x86_64__)
static inline __m128i between(__m128i v, char low, char high)
{
	__m128i above = _mm_sub_epi8(v, _mm_set1_epi8(low));

	return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8((char)(high - low))), above);
}

/* Of the sixteen bytes, those that surely stay in a path: letters, "()*+,-./", digits, '_', '='. */
static inline __m128i path_bytes(__m128i v)
{
	__m128i letter = between(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 'z');
	__m128i sign = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('_')), _mm_cmpeq_epi8(v, _mm_set1_epi8('=')));

	return _mm_or_si128(_mm_or_si128(letter, sign), between(v, '(', '9'));
}
#endif

/* How far s, which begins a segment, is surely bytes of a path, and no segment begins with a dot. */
static inline size_t path_run(struct str s, const char *readable)
{
	size_t i = 0;

#if defined(__x86_64__)
	for (unsigned begins = 1; i < s.n && readable - (s.p + i) >= 16; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(s.p + i));
		unsigned seen = s.n - i < 16 ? (1u << (s.n - i)) - 1 : 0xFFFF;
		unsigned good = (unsigned)_mm_movemask_epi8(path_bytes(v));
		unsigned dots = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('.')));
		unsigned slashes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('/')));

		unsigned bad = ((dots & (slashes << 1 | begins)) | ~good) & seen;

		if (bad)
			return i + (size_t)__builtin_ctz(bad);
		begins = slashes >> 15;
	}
#endif
	(void)readable;
	return i < s.n ? i : s.n;
}

/* The same of a query or fragment from i on: those of a path, and "$%&:;". */
static inline size_t query_run(struct str s, size_t i, const char *readable)
{
#if defined(__x86_64__)
	for (; i < s.n && readable - (s.p + i) >= 16; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(s.p + i));
		unsigned seen = s.n - i < 16 ? (1u << (s.n - i)) - 1 : 0xFFFF;
		__m128i more = _mm_or_si128(between(v, '$', '&'), between(v, ':', ';'));

		unsigned bad = ~(unsigned)_mm_movemask_epi8(_mm_or_si128(path_bytes(v), more)) & seen;

		if (bad)
			return i + (size_t)__builtin_ctz(bad);
	}
#endif
	(void)readable;
	return i < s.n ? i : s.n;
}

/* s is a path, perhaps with query and fragment, that stays as it is behind a slash.  Bytes up to readable may be looked
 * at. */
static bool stays(struct str s, const char *readable)
{
	size_t i = path_run(s, readable);

	for (; i < s.n && (kept[(unsigned char)s.p[i]] & IN_PATH); i++)
		if (s.p[i] == '.' && (i == 0 || s.p[i - 1] == '/') && is_dots(s, i))
			return false;
	if (i < s.n && s.p[i] == '?')
		for (i = query_run(s, i + 1, readable); i < s.n && (kept[(unsigned char)s.p[i]] & IN_QUERY); i++)
			;
	if (i < s.n && s.p[i] == '#')
		for (i = query_run(s, i + 1, readable); i < s.n && (kept[(unsigned char)s.p[i]] & IN_FRAGMENT); i++)
			;
	return i == s.n;
}

static struct str joined(struct extract *x, struct str a, struct str b)
{
	char *p = arena_alloc(&x->arena, a.n + b.n + 1);

	memcpy(p, a.p, a.n);
	if (b.n)
		memcpy(p + a.n, b.p, b.n);
	return str_n(p, a.n + b.n);
}

/* Length of "http://host:80" as written, up to a slash or the end; 0 when there is none that is worth remembering. */
static size_t authority_of(struct str href)
{
	size_t n = href.n < AUTHORITY_MAX + 1 ? href.n : AUTHORITY_MAX + 1;
	const char *slash;

	if (!str_starts(href, STR("http://")) && !str_starts(href, STR("https://")) && !str_starts(href, STR("ftp://")))
		return 0;
	slash = memchr(href.p + 8, '/', n - 8);
	n = slash ? (size_t)(slash - href.p) : n;
	return n > 8 && n <= AUTHORITY_MAX ? n : 0;
}

/* Letters, digits and "-.:" alone: what the authority becomes then depends on nothing but itself. */
static bool authority_stands_alone(struct str written)
{
	size_t i = written.p[4] == ':' ? 7 : written.p[0] == 'f' ? 6 : 8;

	while (i < written.n && (ascii_alpha(written.p[i]) || ascii_digit(written.p[i]) || written.p[i] == '.' ||
				 written.p[i] == '-' || written.p[i] == ':'))
		i++;
	return i == written.n;
}

/* Where an authority of more than eight bytes is remembered, if it is. */
static struct authority *authority_slot(struct extract *x, struct str written)
{
	uint64_t last, middle;

	memcpy(&last, written.p + written.n - 8, 8);
	memcpy(&middle, written.p + (written.n - 8) / 2, 8);
	return &x->authorities[(last * 0x9e3779b97f4a7c15u ^ middle * 0xbf58476d1ce4e5b9u) >> (64 - AUTHORITY_BITS)];
}

/* An absolute reference whose authority was met before and whose path stays. */
static struct str resolved_absolute(struct extract *x, struct str href, size_t n, const char *readable)
{
	const struct authority *known = authority_slot(x, str_n(href.p, n));
	struct str rest = str_sub(href, n, href.n);

	if (known->n != n || memcmp(known->text, href.p, n) != 0)
		return STR_NONE;
	if (!rest.n)
		rest = STR("/");
	else if (!stays(str_n(rest.p + 1, rest.n - 1), readable))
		return STR_NONE;
	else if (known->same)
		return href;
	return joined(x, str_n(known->text + n, known->resolved_n), rest);
}

static void remember_authority(struct extract *x, struct str href, size_t n)
{
	struct str written = str_n(href.p, n), url = url_href(&x->scratch_url);
	size_t to = x->scratch_url.path;

	if (to > AUTHORITY_MAX || !authority_stands_alone(written))
		return;
	struct authority *a = authority_slot(x, written);

	a->n = (uint8_t)n;
	a->resolved_n = (uint8_t)to;
	a->same = n == to && memcmp(written.p, url.p, n) == 0;
	memcpy(a->text, written.p, n);
	memcpy(a->text + n, url.p, to);
}

/* An address such as most are. */
static bool mail_stays(struct str s)
{
	size_t i = 0;

	while (i < s.n && (s.p[i] == '@' || (s.p[i] != '/' && (kept[(unsigned char)s.p[i]] & IN_PATH))))
		i++;
	return i == s.n && s.n > 0;
}

static struct str resolved_plain(struct extract *x, struct str href, size_t authority)
{
	const struct url *base = &x->base_url;
	struct str whole = url_href(base), path;
	bool inside = href.p >= x->page.p && href.p < str_end(x->page);
	const char *readable = inside ? str_end(x->page) : href.p + href.n + EXTRACT_SLACK;
	size_t n;

	if (href.n == 0 || base->n == 0 || !url_is_http(base))
		return STR_NONE;
	if (href.p[0] == '#') {
		for (n = query_run(href, 1, readable); n < href.n && (kept[(unsigned char)href.p[n]] & IN_FRAGMENT);
		     n++)
			;
		return n == href.n ? joined(x, str_n(whole.p, base->hash), href) : STR_NONE;
	}
	if (href.p[0] == '/') {
		path = str_sub(href, 1, href.n);
		return !(path.n && path.p[0] == '/') && stays(path, readable)
			   ? joined(x, str_n(whole.p, base->path), href)
			   : STR_NONE;
	}
	if (authority)
		return resolved_absolute(x, href, authority, readable);
	if (str_starts(href, STR("mailto:")))
		return mail_stays(str_sub(href, 7, href.n)) ? href : STR_NONE;
	n = x->base_folder;
	for (path = href; str_starts(path, STR("../")); path = str_sub(path, 3, path.n))
		if (n > base->path + 1) /* up one folder; the root has none above it */
			for (n--; whole.p[n - 1] != '/'; n--)
				;
	return n > base->path && path.n && path.p[0] != '/' && path.p[0] != '?' && stays(path, readable)
		   ? joined(x, str_n(whole.p, n), path)
		   : STR_NONE;
}

/* The reference with its query as it is sent from a page in another encoding; href itself when that is no other. */
static struct str with_query(struct extract *x, struct str href)
{
	ptrdiff_t hash = str_chr(href, '#');
	struct str before = str_sub(href, 0, hash < 0 ? href.n : (size_t)hash);
	ptrdiff_t mark = str_chr(before, '?');
	struct str query = mark < 0 ? STR_NONE : str_sub(before, (size_t)mark, before.n);
	struct str sent = charset_query(&x->arena, x->options.encoding, query);

	if (sent.p == query.p)
		return href;
	return arena_printf(&x->arena, "%.*s%.*s%.*s", (int)mark, href.p, (int)sent.n, sent.p, (int)(href.n - before.n),
			    str_end(before));
}

struct str link_resolve(struct extract *x, struct str href)
{
	size_t authority = href.n > 8 && (href.p[0] == 'h' || href.p[0] == 'f') ? authority_of(href) : 0;
	struct str url = resolved_plain(x, href, authority);

	if (url.n)
		return url;
	if (!url_parse(&x->scratch_url, href, x->base_url.n ? &x->base_url : NULL))
		return STR_NONE;
	if (authority)
		remember_authority(x, href, authority);
	if (x->options.encoding && url_is_http(&x->scratch_url)) {
		struct str sent = with_query(x, href);

		if (sent.p != href.p && !url_parse(&x->scratch_url, sent, x->base_url.n ? &x->base_url : NULL))
			return STR_NONE;
	}
	return arena_str(&x->arena, url_href(&x->scratch_url));
}

/* The standard passes over a <base> of these schemes; the page's own URL stays the base. */
static bool may_be_base(const struct url *u)
{
	return !str_eq(url_protocol(u), STR("data:")) && !str_eq(url_protocol(u), STR("javascript:"));
}

void link_base(struct extract *x)
{
	bool ok = x->url.n && url_parse(&x->base_url, x->url, NULL);
	uint32_t n;

	if (x->base.n && url_parse(&x->scratch_url, x->base, ok ? &x->base_url : NULL) && may_be_base(&x->scratch_url))
		url_copy(&x->base_url, &x->scratch_url);
	for (n = x->base_url.search; n > x->base_url.path && x->base_url.p[n - 1] != '/'; n--)
		;
	x->base_folder = n;
}
