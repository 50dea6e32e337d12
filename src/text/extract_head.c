/* text/extract_head.c -- what a page says of itself: title, meta, dates, language.
 *
 * A date has a rank, so that the page's own word on publication wins over a
 * first <time>: see `dates`. */
#include "archive/stamp.h"
#include "text/extract_page.h"

static bool white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* White space collapsed, ends trimmed; in the arena. */
static struct str collapsed(struct extract *x, struct str s, size_t max)
{
	char *out = arena_alloc(&x->arena, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == 0)
			continue;
		if (!white(s.p[i]))
			out[n++] = s.p[i];
		else if (n && out[n - 1] != ' ')
			out[n++] = ' ';
	}
	while (n && out[n - 1] == ' ')
		n--;
	if (n > max)
		for (n = max; n && ((unsigned char)out[n] & 0xC0) == 0x80; n--)
			;
	return str_n(out, n);
}

static void set_once(struct extract *x, struct str *to, struct str value)
{
	if (!to->n && value.n)
		*to = collapsed(x, value, LIMIT_META);
}

/* The first date of the highest rank; what no reader of dates understands does not hide a lower one. */
static void set_published(struct extract *x, struct str value, unsigned rank)
{
	struct stamp t;

	value = str_trim(value);
	if (value.n && value.n <= 100 && rank > x->published_rank && stamp_parse(value, &t) && !t.clipped) {
		x->published = extract_keep(x, value, LIMIT_META);
		x->published_rank = rank;
	}
}

/* clang-format off */
static const struct {
	struct str name;
	unsigned rank;
} dates[] = {
	{ STR("article:published_time"), 9 }, { STR("og:article:published_time"), 9 }, { STR("datepublished"), 8 }, { STR("date.issued"), 7 },
	{ STR("dc.date.issued"), 7 }, { STR("dcterms.issued"), 7 }, { STR("dcterms.created"), 6 }, { STR("dc.date.created"), 6 },
	{ STR("dc.date"), 6 }, { STR("dcterms.date"), 6 }, { STR("citation_publication_date"), 7 }, { STR("citation_date"), 6 },
	{ STR("pubdate"), 7 }, { STR("publishdate"), 7 }, { STR("publish_date"), 7 }, { STR("publication_date"), 7 },
	{ STR("rnews:datepublished"), 7 }, { STR("dc.date.published"), 7 }, { STR("date_published"), 7 }, { STR("pub_date"), 7 },
	{ STR("article.published"), 7 }, { STR("originalpublicationdate"), 7 }, { STR("prism.publicationdate"), 7 },
	{ STR("bepress_citation_date"), 7 }, { STR("cxenseparse:recs:publishtime"), 7 }, { STR("datecreated"), 6 },
	{ STR("parsely-pub-date"), 7 }, { STR("sailthru.date"), 6 }, { STR("date"), 5 }, { STR("og:updated_time"), 2 },
	{ STR("article:modified_time"), 2 },
};
/* clang-format on */

static void meta_name(struct extract *x, struct str name, struct str content)
{
	if (str_ieq(name, STR("description")) || str_ieq(name, STR("og:description")) ||
	    str_ieq(name, STR("dc.description"))) {
		set_once(x, &x->description, content);
	} else if (str_ieq(name, STR("author")) || str_ieq(name, STR("article:author")) ||
		   str_ieq(name, STR("dc.creator"))) {
		set_once(x, &x->author, content);
	} else if (str_ieq(name, STR("og:site_name"))) {
		set_once(x, &x->site_name, content);
	} else if (str_ieq(name, STR("og:type"))) {
		x->outline.article |= str_ieq(str_trim(content), STR("article"));
	} else if (str_ieq(name, STR("robots"))) {
		x->nofollow |= str_ifind(content, STR("nofollow")) >= 0 || str_ieq(str_trim(content), STR("none"));
		x->noindex |= str_ifind(content, STR("noindex")) >= 0 || str_ieq(str_trim(content), STR("none"));
	} else {
		for (size_t i = 0; i < COUNT(dates); i++)
			if (str_ieq(name, dates[i].name))
				set_published(x, content, dates[i].rank);
	}
}

/* "5; url=next.html": the URL as the standard's shared declarative refresh steps read it. */
static struct str refresh_url(struct str s)
{
	size_t i = 0;

	while (i < s.n && white(s.p[i]))
		i++;
	size_t digits = i;

	while (i < s.n && (ascii_digit(s.p[i]) || s.p[i] == '.'))
		i++;
	if (i == digits)
		return STR_NONE;
	while (i < s.n && (white(s.p[i]) || s.p[i] == ';' || s.p[i] == ','))
		i++;
	s = str_n(s.p + i, s.n - i);
	if (str_istarts(s, STR("url"))) {
		struct str rest = str_trim(str_n(s.p + 3, s.n - 3));

		if (rest.n && rest.p[0] == '=')
			s = str_trim(str_n(rest.p + 1, rest.n - 1));
	}
	if (s.n && (s.p[0] == '"' || s.p[0] == '\'')) {
		ptrdiff_t close = str_chr(str_n(s.p + 1, s.n - 1), s.p[0]);

		s = str_n(s.p + 1, close >= 0 ? (size_t)close : s.n - 1);
	}
	return s;
}

void head_meta(struct extract *x, const struct html_token *t)
{
	struct str content = html_attr(t, STR("content")), equiv = html_attr(t, STR("http-equiv"));
	struct str name = html_attr(t, STR("name")), property = html_attr(t, STR("property")),
		   item = html_attr(t, STR("itemprop"));

	if (!content.n)
		return;
	if (equiv.n) {
		if (str_ieq(equiv, STR("refresh"))) {
			struct str url = refresh_url(content);

			if (url.n && !x->options.no_links)
				link_add(x, LINK_REFRESH, url, STR_NONE);
		} else if (str_ieq(equiv, STR("content-language"))) {
			set_once(x, &x->lang, content);
		}
	}
	if (name.n)
		meta_name(x, str_trim(name), content);
	if (property.n)
		meta_name(x, str_trim(property), content);
	if (item.n && str_ieq(item, STR("datePublished")))
		set_published(x, content, 8);
}

static bool has_token(struct str list, struct str word)
{
	while (list.n) {
		size_t n = 0;

		while (n < list.n && !white(list.p[n]))
			n++;
		if (str_ieq(str_n(list.p, n), word))
			return true;
		n += n < list.n;
		list = str_n(list.p + n, list.n - n);
	}
	return false;
}

void head_link(struct extract *x, const struct html_token *t)
{
	struct str rel = html_attr(t, STR("rel")), href = str_trim(html_attr(t, STR("href")));

	if (href.n && !x->canonical.n && has_token(rel, STR("canonical")))
		x->canonical = extract_keep(x, href, LIMIT_URL);
}

/* An element that names the property its attribute has the value of (microdata, RDFa), or an hAtom date. */
static void attribute_date(struct extract *x, const struct html_token *t)
{
	struct str item = html_attr(t, STR("itemprop")), value = html_attr(t, STR("content"));

	if (!item.n)
		item = html_attr(t, STR("property"));
	if (!value.n && t->tag == TAG_ABBR)
		value = html_attr(t, STR("title"));
	if (!value.n)
		return;
	if (str_istarts(item, STR("schema:")))
		item = str_n(item.p + 7, item.n - 7);
	if (str_ieq(item, STR("datePublished")))
		set_published(x, value, 8);
	else if (t->tag == TAG_ABBR && has_token(html_attr(t, STR("class")), STR("published")))
		set_published(x, value, 7);
	else if (str_ieq(item, STR("dateCreated")))
		set_published(x, value, 6);
}

void head_attributes(struct extract *x, const struct html_token *t)
{
	if (t->tag == TAG_HTML || (t->tag == TAG_BODY && !x->lang.n)) {
		struct str lang = str_trim(html_attr(t, STR("lang")));

		if (!lang.n)
			lang = str_trim(html_attr(t, STR("xml:lang")));
		if (lang.n && lang.n <= 64)
			x->lang = extract_keep(x, lang, 64); /* wins over a meta seen before */
	} else if (t->tag == TAG_TIME) {
		struct str datetime = html_attr(t, STR("datetime")), item = html_attr(t, STR("itemprop"));

		set_published(x, datetime,
			      str_ieq(item, STR("datePublished")) ? 8
			      : html_attr(t, STR("pubdate")).p	  ? 7
								  : 3);
	} else if (t->tag == TAG_LINK) {
		head_link(x, t);
	} else {
		attribute_date(x, t);
	}
}

/* "datePublished": "..." of JSON-LD, without reading the JSON: first occurrence wins. */
static void json_date(struct extract *x, struct str json)
{
	ptrdiff_t at = str_find(json, STR("\"datePublished\""));

	if (at < 0)
		return;
	struct str rest = str_trim(str_n(json.p + at + 15, json.n - (size_t)at - 15));

	if (!rest.n || rest.p[0] != ':')
		return;
	rest = str_trim(str_n(rest.p + 1, rest.n - 1));
	if (rest.n && rest.p[0] == '"') {
		ptrdiff_t close = str_chr(str_n(rest.p + 1, rest.n - 1), '"');

		if (close > 0)
			set_published(x, str_n(rest.p + 1, (size_t)close), 8);
	}
}

void head_raw(struct extract *x, enum tag tag, struct str text)
{
	if (tag == TAG_STYLE) {
		link_css(x, text);
	} else if (tag == TAG_SCRIPT) {
		json_date(x, text);
	} else if (tag == TAG_TITLE) {
		x->has_title = true;
		if (text.n > LIMIT_META)
			x->cut |= CUT_TEXT;
		if (text.n > 8 * LIMIT_META) /* a title that is never closed is the rest of the page */
			for (text.n = 8 * LIMIT_META; text.n && ((unsigned char)text.p[text.n] & 0xC0) == 0x80;
			     text.n--)
				;
		x->title = collapsed(x, text, LIMIT_META);
		if (x->n) {
			x->title_late = true;
		} else if (x->title.n) {
			unsigned pre = x->pre;

			x->pre = 0;
			extract_add(x, x->title.p, x->title.n);
			x->pre = pre;
			x->sep = '\n';
		}
	}
}
