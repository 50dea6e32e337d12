/* text/link.c -- links of a page: which attributes hold them, and what they resolve to.
 *
 * One table says per element which attributes are links of which kind.  Links
 * are kept as written while the page goes by and resolved at the end, when the
 * base is known. */
#include "text/extract_page.h"
#include "text/charset.h"
#include "text/css.h"

static const char *const kind_names[LINK_KINDS] = { "a",     "area", "link",	"img", "script",
						    "frame", "form", "refresh", "css", "media" };
const char *link_kind_name(enum link_kind kind) { return kind_names[kind]; }

static bool white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* clang-format off */
static const struct {
	uint8_t tag, kind;
	struct str attr;
} table[] = {
	{ TAG_A, LINK_A, STR("href") }, { TAG_A, LINK_A, STR("xlink:href") }, { TAG_AREA, LINK_AREA, STR("href") },
	{ TAG_LINK, LINK_LINK, STR("href") }, { TAG_IMG, LINK_IMG, STR("src") }, { TAG_IMAGE, LINK_IMG, STR("href") },
	{ TAG_IMAGE, LINK_IMG, STR("xlink:href") }, { TAG_IMAGE, LINK_IMG, STR("src") }, { TAG_SCRIPT, LINK_SCRIPT, STR("src") },
	{ TAG_IFRAME, LINK_FRAME, STR("src") }, { TAG_FRAME, LINK_FRAME, STR("src") }, { TAG_FORM, LINK_FORM, STR("action") },
	{ TAG_INPUT, LINK_IMG, STR("src") }, { TAG_BUTTON, LINK_FORM, STR("formaction") }, { TAG_VIDEO, LINK_MEDIA, STR("src") },
	{ TAG_VIDEO, LINK_IMG, STR("poster") }, { TAG_AUDIO, LINK_MEDIA, STR("src") }, { TAG_SOURCE, LINK_MEDIA, STR("src") },
	{ TAG_TRACK, LINK_MEDIA, STR("src") }, { TAG_EMBED, LINK_MEDIA, STR("src") }, { TAG_OBJECT, LINK_MEDIA, STR("data") },
	{ TAG_BODY, LINK_IMG, STR("background") }, { TAG_TABLE, LINK_IMG, STR("background") }, { TAG_TD, LINK_IMG, STR("background") },
};
/* clang-format on */

const uint8_t link_rows[TAG_COUNT] = {
	[TAG_A] = 1,	   [TAG_AREA] = 3,    [TAG_LINK] = 4,
	[TAG_IMG] = 5,	   [TAG_IMAGE] = 6,   [TAG_SCRIPT] = 9,
	[TAG_IFRAME] = 10, [TAG_FRAME] = 11,  [TAG_FORM] = 12,
	[TAG_INPUT] = 13,  [TAG_BUTTON] = 14, [TAG_VIDEO] = 15,
	[TAG_AUDIO] = 17,  [TAG_SOURCE] = 18, [TAG_TRACK] = 19,
	[TAG_EMBED] = 20,  [TAG_OBJECT] = 21, [TAG_BODY] = 22,
	[TAG_TABLE] = 23,  [TAG_TD] = 24,     [TAG_BASE] = COUNT(table) + 1, /* no row, but read */
};

static bool has_nofollow(struct str rel)
{
	for (size_t i = 0; rel.n >= 8 && i <= rel.n - 8; i++)
		if ((i == 0 || white(rel.p[i - 1])) && (i + 8 == rel.n || white(rel.p[i + 8])) &&
		    strncasecmp(rel.p + i, "nofollow", 8) == 0)
			return true;
	return false;
}

void link_add(struct extract *x, enum link_kind kind, struct str href, struct str rel)
{
	href = str_trim(href);
	if (x->links.n >= LIMIT_LINKS || href.n > LIMIT_URL) {
		x->cut |= CUT_LINKS;
		return;
	}
	struct open_link *l = vec_add(&x->links);

	*l = (struct open_link){ .link = { .href = extract_keep(x, href, LIMIT_URL),
					   .kind = (uint8_t)kind,
					   .at = (uint32_t)x->n,
					   .rel = rel.n ? extract_keep(x, rel, LIMIT_META) : STR_NONE,
					   .nofollow = has_nofollow(rel) } };
}

static void css_one(void *context, struct str url)
{
	struct extract *x = context;

	if (!str_istarts(url, STR("data:")))
		link_add(x, LINK_CSS, url, STR_NONE);
}

void link_css(struct extract *x, struct str css) { css_urls(css, css_one, x); }

/* The candidates of a srcset: URLs, each perhaps followed by a descriptor and a comma. */
static void srcset(struct extract *x, struct str s)
{
	size_t i = 0;

	for (;;) {
		while (i < s.n && (white(s.p[i]) || s.p[i] == ','))
			i++;
		size_t from = i;

		while (i < s.n && !white(s.p[i]))
			i++;
		if (i == from)
			return;
		size_t to = i;
		bool comma = s.p[to - 1] == ',';

		while (to > from && s.p[to - 1] == ',')
			to--;
		if (to > from)
			link_add(x, LINK_IMG, str_n(s.p + from, to - from), STR_NONE);
		if (comma)
			continue;
		for (int parens = 0; i < s.n && (s.p[i] != ',' || parens); i++)
			parens = s.p[i] == '(' ? 1 : s.p[i] == ')' ? 0 : parens;
	}
}

void link_start(struct extract *x, const struct html_token *t)
{
	unsigned row = link_rows[t->tag];

	if (t->tag == TAG_BASE) {
		struct str href = html_attr(t, STR("href"));

		if (href.p && !x->base.p)
			x->base = extract_keep(x, str_trim(href), LIMIT_URL);
		return;
	}
	if (!row || x->options.no_links)
		return;
	for (row--; row < COUNT(table) && table[row].tag == t->tag; row++) {
		struct str href = html_attr(t, table[row].attr);

		if (!href.p)
			continue;
		size_t before = x->links.n;

		link_add(x, table[row].kind, href, html_attr(t, STR("rel")));
		if (x->links.n == before)
			continue;
		struct open_link *l = &vec_last(&x->links);

		if (t->tag == TAG_A) {
			l->anchor_start = l->anchor_end = (uint32_t)x->n;
			l->has_anchor = true;
			x->anchor = (uint32_t)x->links.n;
			break;
		}
		if (t->tag == TAG_AREA) {
			struct str alt = html_attr(t, STR("alt"));

			if (alt.n)
				l->link.anchor = extract_keep(x, str_trim(alt), LIMIT_ANCHOR);
		}
	}
	if (t->tag == TAG_IMG || t->tag == TAG_SOURCE || t->tag == TAG_LINK) {
		struct str set = html_attr(t, t->tag == TAG_LINK ? STR("imagesrcset") : STR("srcset"));

		if (set.n)
			srcset(x, set);
	}
}

void link_end_anchor(struct extract *x)
{
	if (!x->anchor)
		return;
	struct open_link *l = &x->links.p[x->anchor - 1];

	l->anchor_end = (uint32_t)x->n;
	if (l->anchor_end > l->anchor_start && !x->options.no_outline)
		outline_link(&x->outline, l->anchor_end - l->anchor_start);
	x->anchor = 0;
}

static struct str anchor_of(const struct extract *x, const struct open_link *l)
{
	size_t end = l->anchor_end < x->n ? l->anchor_end : x->n;

	if (l->anchor_start >= end)
		return STR("");
	struct str s = str_trim(str_n(x->text + l->anchor_start, end - l->anchor_start));

	if (s.n > LIMIT_ANCHOR)
		for (s.n = LIMIT_ANCHOR; s.n && ((unsigned char)s.p[s.n] & 0xC0) == 0x80; s.n--)
			;
	return s;
}

/* ---- resolving ----
 *
 * Almost every reference consists of letters that a URL keeps as they are; then
 * the result is a prefix of the base, or an authority met before, and the
 * reference itself.  Whatever else is for url_parse, which a test holds this to. */

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

/* s is a path, perhaps with query and fragment, that stays as it is behind a slash. */
static bool stays(struct str s)
{
	size_t i = 0;

	if (s.n && s.p[0] == '.')
		return false;
	for (; i < s.n && (kept[(unsigned char)s.p[i]] & IN_PATH); i++)
		if (s.p[i] == '/' && i + 1 < s.n && s.p[i + 1] == '.')
			return false; /* perhaps a segment of dots */
	if (i < s.n && s.p[i] == '?')
		for (i++; i < s.n && (kept[(unsigned char)s.p[i]] & IN_QUERY); i++)
			;
	if (i < s.n && s.p[i] == '#')
		for (i++; i < s.n && (kept[(unsigned char)s.p[i]] & IN_FRAGMENT); i++)
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

/* Length of "http://host" as written, up to a slash behind it; 0 when there is none. */
static size_t authority_of(struct str href)
{
	size_t n = str_starts(href, STR("http://")) ? 7 : str_starts(href, STR("https://")) ? 8 : 0;

	for (; n && n < href.n; n++)
		if (href.p[n] == '/')
			return n > 8 ? n : 0;
	return 0;
}

static bool authority_stays(const struct extract *x, struct str authority)
{
	for (size_t i = 0; i < COUNT(x->authorities); i++)
		if (x->authorities[i].n == authority.n && memcmp(x->authorities[i].text, authority.p, authority.n) == 0)
			return true;
	return false;
}

/* An address such as most are. */
static bool mail_stays(struct str s)
{
	size_t i = 0;

	while (i < s.n && (s.p[i] == '@' || (s.p[i] != '/' && (kept[(unsigned char)s.p[i]] & IN_PATH))))
		i++;
	return i == s.n && s.n > 0;
}

static struct str resolved_plain(struct extract *x, struct str href)
{
	const struct url *base = &x->base_url;
	struct str whole = url_href(base), path;
	size_t n;

	if (href.n == 0 || base->n == 0 || !url_is_http(base))
		return STR_NONE;
	if (href.p[0] == '#') {
		for (n = 1; n < href.n && (kept[(unsigned char)href.p[n]] & IN_FRAGMENT); n++)
			;
		return n == href.n ? joined(x, str_n(whole.p, base->hash), href) : STR_NONE;
	}
	if (href.p[0] == '/') {
		path = str_sub(href, 1, href.n);
		return !(path.n && path.p[0] == '/') && stays(path) ? joined(x, str_n(whole.p, base->path), href)
								    : STR_NONE;
	}
	if ((n = authority_of(href))) {
		path = str_sub(href, n + 1, href.n);
		return authority_stays(x, str_n(href.p, n)) && stays(path) ? href : STR_NONE;
	}
	if (str_starts(href, STR("mailto:")))
		return mail_stays(str_sub(href, 7, href.n)) ? href : STR_NONE;
	for (n = base->search; n > base->path && whole.p[n - 1] != '/'; n--)
		;
	for (path = href; str_starts(path, STR("../")); path = str_sub(path, 3, path.n))
		if (n > base->path + 1) /* up one folder; the root has none above it */
			for (n--; whole.p[n - 1] != '/'; n--)
				;
	return n > base->path && path.n && path.p[0] != '/' && path.p[0] != '?' && stays(path)
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

static struct str resolved(struct extract *x, struct str href)
{
	struct str url = resolved_plain(x, href);

	if (url.n)
		return url;
	if (!url_parse(&x->scratch_url, href, x->base_url.n ? &x->base_url : NULL))
		return STR_NONE;
	if (x->options.encoding && url_is_http(&x->scratch_url)) {
		struct str sent = with_query(x, href);

		if (sent.p != href.p && !url_parse(&x->scratch_url, sent, x->base_url.n ? &x->base_url : NULL))
			return STR_NONE;
	}
	url = arena_str(&x->arena, url_href(&x->scratch_url));
	size_t n = authority_of(href);

	/* an authority that stays as written will do so again */
	if (n && n == x->scratch_url.path && n <= sizeof x->authorities[0].text && memcmp(href.p, url.p, n) == 0) {
		memcpy(x->authorities[x->next_authority].text, href.p, n);
		x->authorities[x->next_authority].n = (uint8_t)n;
		x->next_authority = (x->next_authority + 1) % COUNT(x->authorities);
	}
	return url;
}

void link_finish(struct extract *x)
{
	x->base_url.n = 0;
	link_end_anchor(x);
	if (x->options.no_resolve && !x->canonical.n)
		goto fill;
	bool ok = x->url.n && url_parse(&x->base_url, x->url, NULL);

	if (x->base.n && url_parse(&x->scratch_url, x->base, ok ? &x->base_url : NULL))
		url_copy(&x->base_url, &x->scratch_url);
	if (x->canonical.n) {
		struct str canonical = resolved(x, x->canonical);

		if (canonical.n)
			x->canonical = canonical;
	}
fill:
	vec_reserve(&x->done, x->links.n);
	x->done.n = 0;
	for (size_t i = 0, bytes = 0; i < x->links.n; i++) {
		struct link l = x->links.p[i].link;

		if (x->links.p[i].has_anchor)
			l.anchor = anchor_of(x, &x->links.p[i]);
		l.nofollow |= x->nofollow;
		if (!x->options.no_resolve)
			l.url = resolved(x, l.href);
		bytes += l.url.n;
		if (bytes > LIMIT_LINKS_BYTES) { /* many short links below a long base */
			x->cut |= CUT_LINKS;
			break;
		}
		x->done.p[x->done.n++] = l;
	}
}
