/* text/link.c -- links of a page: which attributes hold them.
 *
 * One table says per element which attributes are links of which kind.  Links
 * are kept as written while the page goes by and resolved (link_resolve.c) at the
 * end, when the base is known. */
#include "text/extract_page.h"
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

static inline struct str trimmed(struct str s)
{
	return s.n && (white(s.p[0]) || white(s.p[s.n - 1])) ? str_trim(s) : s;
}

void link_add(struct extract *x, enum link_kind kind, struct str href, struct str rel)
{
	href = trimmed(href);
	if (x->links.n >= LIMIT_LINKS || href.n > LIMIT_URL) {
		x->cut |= CUT_LINKS;
		return;
	}
	struct link *l = vec_add(&x->links);

	*l = (struct link){ .href = extract_keep(x, href, LIMIT_URL),
			    .kind = (uint8_t)kind,
			    .at = (uint32_t)x->n,
			    .rel = rel.n ? extract_keep(x, rel, LIMIT_META) : STR_NONE,
			    .nofollow = rel.n && has_nofollow(rel) };
	vec_push(&x->anchors, ((struct anchor){ (uint32_t)x->n, (uint32_t)x->n, false }));
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

static inline bool named(const struct html_attr *a, struct str name)
{
	return a->name.n == name.n && memcmp(a->name.p, name.p, name.n) == 0;
}

/* The link of an <a href>, in one pass over its attributes; false: for all others. */
static bool start_anchor(struct extract *x, const struct html_token *t)
{
	struct str href = STR_NONE, rel = STR_NONE;
	size_t before = x->links.n;

	for (size_t i = 0; i < t->nattrs; i++) {
		if (named(&t->attrs[i], STR("href")))
			href = t->attrs[i].value;
		else if (named(&t->attrs[i], STR("rel")))
			rel = t->attrs[i].value;
	}
	if (href.p)
		link_add(x, LINK_A, href, rel);
	if (x->links.n == before)
		return false;
	vec_last(&x->anchors).has = true;
	x->anchor = (uint32_t)x->links.n;
	return true;
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
	if (!row || x->options.no_links || (t->tag == TAG_A && start_anchor(x, t)))
		return;
	for (row--; row < COUNT(table) && table[row].tag == t->tag; row++) {
		struct str href = html_attr(t, table[row].attr);

		if (!href.p)
			continue;
		size_t before = x->links.n;

		link_add(x, table[row].kind, href, html_attr(t, STR("rel")));
		if (x->links.n == before)
			continue;
		if (t->tag == TAG_A) {
			vec_last(&x->anchors).has = true;
			x->anchor = (uint32_t)x->links.n;
			break;
		}
		if (t->tag == TAG_AREA) {
			struct str alt = html_attr(t, STR("alt"));

			if (alt.n)
				vec_last(&x->links).anchor = extract_keep(x, str_trim(alt), LIMIT_ANCHOR);
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
	struct anchor *a = &x->anchors.p[x->anchor - 1];

	a->end = (uint32_t)x->n;
	if (a->end > a->start && !x->options.no_outline)
		outline_link(&x->outline, a->end - a->start);
	x->anchor = 0;
}

static struct str anchor_of(const struct extract *x, const struct anchor *a)
{
	size_t end = a->end < x->n ? a->end : x->n;

	if (a->start >= end)
		return STR("");
	struct str s = trimmed(str_n(x->text + a->start, end - a->start));

	if (s.n > LIMIT_ANCHOR)
		for (s.n = LIMIT_ANCHOR; s.n && ((unsigned char)s.p[s.n] & 0xC0) == 0x80; s.n--)
			;
	return s;
}

void link_finish(struct extract *x)
{
	x->base_url.n = 0;
	link_end_anchor(x);
	if (!x->options.no_resolve || x->canonical.n)
		link_base(x);
	if (x->canonical.n) {
		struct str canonical = link_resolve(x, x->canonical);

		if (canonical.n)
			x->canonical = canonical;
	}
	for (size_t i = 0, bytes = 0; i < x->links.n; i++) {
		struct link *l = &x->links.p[i];

		if (x->anchors.p[i].has)
			l->anchor = anchor_of(x, &x->anchors.p[i]);
		l->nofollow |= x->nofollow;
		if (!x->options.no_resolve)
			l->url = link_resolve(x, l->href);
		bytes += l->url.n;
		if (bytes > LIMIT_LINKS_BYTES) { /* many short links below a long base */
			x->cut |= CUT_LINKS;
			x->links.n = i;
			break;
		}
	}
}
