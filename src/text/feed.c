/* text/feed.c -- a scanner of XML that knows the few elements a feed has.
 *
 * Elements go by without a stack.  Where a text element begins (title,
 * description, content, ...) its value is gathered until its end: character
 * data decoded once, CDATA as it is, markup inside (Atom's xhtml) as written.
 * The value is then read as HTML by the tokenizer, which drops tags and keeps
 * line breaks, unless Atom says that it is plain text.
 */
#include "text/feed.h"

#include "base/limits.h"
#include "base/vec.h"
#include "text/html.h"
#include "text/xml.h"

enum field { FIELD_NONE, FIELD_TITLE, FIELD_TEXT, FIELD_LINK, FIELD_DATE, FIELD_LANG };

static const struct {
	struct str name; /* without prefix */
	enum field field;
} fields[] = {
	{ STR("title"), FIELD_TITLE },	 { STR("description"), FIELD_TEXT }, { STR("encoded"), FIELD_TEXT },
	{ STR("summary"), FIELD_TEXT },	 { STR("content"), FIELD_TEXT },     { STR("subtitle"), FIELD_TEXT },
	{ STR("tagline"), FIELD_TEXT },	 { STR("link"), FIELD_LINK },	     { STR("pubdate"), FIELD_DATE },
	{ STR("date"), FIELD_DATE },	 { STR("updated"), FIELD_DATE },     { STR("published"), FIELD_DATE },
	{ STR("modified"), FIELD_DATE }, { STR("language"), FIELD_LANG },
};

struct reading {
	struct arena *arena;
	struct feed *out;
	struct buf text, value;
	VEC(struct feed_link) links;
	struct html *html;
	struct str item_title; /* in the arena */
	bool in_item, atom;
	enum field field;
	struct str field_name; /* the element that the value is of */
	unsigned nested;       /* elements of that name inside it */
	bool plain, xhtml;     /* its type */
	char sep;	       /* what must stand before the next word */
	size_t anchor_link;    /* 1 + the link whose anchor is being read, 0 for none ... */
	size_t anchor_at;      /* ... and where it began in the text */
};

/* ---- text ---- */

static void put_text(struct reading *r, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (ascii_space(s.p[i])) {
			r->sep = r->sep ? r->sep : ' ';
			continue;
		}
		if (r->sep && r->text.n && r->text.p[r->text.n - 1] != '\n')
			buf_byte(&r->text, r->sep);
		r->sep = 0;
		buf_byte(&r->text, s.p[i]);
	}
}

static void add_link(struct reading *r, struct str url, struct str anchor)
{
	url = str_trim(url);
	if (url.n && url.n <= LIMIT_URL && r->links.n < LIMIT_LINKS)
		vec_push(&r->links, ((struct feed_link){ arena_str(r->arena, url), anchor }));
}

static void anchor_ends(struct reading *r)
{
	if (r->anchor_link)
		r->links.p[r->anchor_link - 1].anchor =
		    arena_str(r->arena, str_trim(str_sub(buf_view(&r->text), r->anchor_at, r->text.n)));
	r->anchor_link = 0;
}

static void anchor_begins(struct reading *r, struct str href)
{
	size_t before = r->links.n;

	anchor_ends(r);
	add_link(r, href, STR_NONE);
	r->anchor_link = r->links.n > before ? r->links.n : 0;
	r->anchor_at = r->text.n;
}

static void html_token_read(void *context, const struct html_token *token)
{
	struct reading *r = context;

	if (token->type == HTML_TEXT) {
		put_text(r, token->text);
	} else if (token->type == HTML_START || token->type == HTML_END) {
		unsigned flags = tag_info[token->tag].flags;

		if (flags & (IS_BLOCK | IS_CELL) || token->tag == TAG_BR)
			r->sep = '\n';
		if (token->tag == TAG_A && token->type == HTML_START)
			anchor_begins(r, html_attr(token, STR("href")));
		else if (token->tag == TAG_A)
			anchor_ends(r);
		if (token->type == HTML_START && token->tag == TAG_SCRIPT)
			html_set_model(r->html, HTML_SCRIPT);
		else if (token->type == HTML_START && token->tag == TAG_STYLE)
			html_set_model(r->html, HTML_RAWTEXT);
	}
}

/* script and style hold text that nobody reads: the tokenizer gives it as text
 * tokens, so it is cut out beforehand. */
static struct str without(struct str s, struct str open, struct str close, struct buf *out)
{
	ptrdiff_t at;

	if (str_ifind(s, open) < 0)
		return s;
	buf_reset(out);
	while ((at = str_ifind(s, open)) >= 0) {
		ptrdiff_t end = str_ifind(str_sub(s, (size_t)at, s.n), close);

		buf_str(out, str_n(s.p, (size_t)at));
		s = end < 0 ? STR_NONE : str_sub(s, (size_t)(at + end) + close.n, s.n);
	}
	buf_str(out, s);
	return buf_view(out);
}

static void put_value(struct reading *r)
{
	struct str value = buf_view(&r->value);

	r->sep = '\n';
	if (r->plain) {
		put_text(r, value);
	} else {
		struct buf no_script = BUF(LIMIT_TEXT), no_style = BUF(LIMIT_TEXT);

		value = without(value, STR("<script"), STR("</script>"), &no_script);
		value = without(value, STR("<style"), STR("</style>"), &no_style);
		html_reset(r->html);
		if (value.n)
			html_feed(r->html, value);
		html_end(r->html);
		anchor_ends(r);
		buf_release(&no_script);
		buf_release(&no_style);
	}
	if (r->text.n && r->text.p[r->text.n - 1] != '\n')
		buf_byte(&r->text, '\n');
	r->sep = 0;
}

/* ---- XML ---- */

static struct str attr_of(struct arena *a, struct str attrs, struct str name)
{
	while (attrs.n) {
		struct str key, value;
		size_t i = 0;
		char quote;

		while (i < attrs.n && (ascii_space(attrs.p[i]) || attrs.p[i] == '/'))
			i++;
		attrs = str_sub(attrs, i, attrs.n);
		for (i = 0; i < attrs.n && attrs.p[i] != '=' && !ascii_space(attrs.p[i]); i++)
			;
		key = str_n(attrs.p, i);
		while (i < attrs.n && ascii_space(attrs.p[i]))
			i++;
		if (i >= attrs.n || attrs.p[i] != '=')
			return STR_NONE;
		for (i++; i < attrs.n && ascii_space(attrs.p[i]); i++)
			;
		if (i >= attrs.n || (attrs.p[i] != '"' && attrs.p[i] != '\''))
			return STR_NONE;
		quote = attrs.p[i];
		value = str_sub(attrs, i + 1, attrs.n);
		attrs = value;
		value = str_cut(&attrs, quote);
		if (str_ieq(key, name)) {
			struct buf b = BUF(LIMIT_URL);
			struct str out;

			xml_decode(&b, value);
			out = arena_str(a, buf_view(&b));
			buf_release(&b);
			return out;
		}
	}
	return STR_NONE;
}

static enum field field_of(struct str name)
{
	for (size_t i = 0; i < COUNT(fields); i++)
		if (str_ieq(name, fields[i].name))
			return fields[i].field;
	return FIELD_NONE;
}

static void newest_date(struct reading *r, struct str date)
{
	struct str *best = &r->out->published;

	date = str_trim(date);
	/* Dates of one feed are written alike; those of Atom order as text. */
	if (date.n && date.n < 64 && (!best->n || (r->atom && str_cmp(date, *best) > 0)))
		*best = arena_str(r->arena, date);
}

static void end_field(struct reading *r)
{
	struct str value = buf_view(&r->value);
	size_t before = r->text.n;

	switch (r->field) {
	case FIELD_TITLE:
		put_value(r);
		r->item_title = arena_str(r->arena, str_trim(str_sub(buf_view(&r->text), before, r->text.n)));
		if (!r->in_item && !r->out->title.n)
			r->out->title = r->item_title;
		break;
	case FIELD_TEXT: put_value(r); break;
	case FIELD_LINK: add_link(r, value, r->item_title); break;
	case FIELD_DATE: newest_date(r, value); break;
	case FIELD_LANG:
		if (!r->out->lang.n)
			r->out->lang = arena_str(r->arena, str_trim(value));
		break;
	default: break;
	}
	r->field = FIELD_NONE;
}

static void start_field(struct reading *r, const struct xml_tag *t)
{
	struct str type;

	r->field = field_of(t->name);
	if (r->field == FIELD_NONE)
		return;
	type = attr_of(r->arena, t->attrs, STR("type"));
	if (r->field == FIELD_LINK) {
		struct str rel = attr_of(r->arena, t->attrs, STR("rel"));

		if (!str_ieq(rel, STR("self")) && !str_ieq(rel, STR("hub")))
			add_link(r, attr_of(r->arena, t->attrs, STR("href")), r->item_title);
	}
	r->field_name = t->name;
	r->nested = 0;
	r->xhtml = str_ieq(type, STR("xhtml"));
	r->plain = r->atom && !r->xhtml && !str_ieq(type, STR("html")) && !str_ieq(type, STR("text/html"));
	buf_reset(&r->value);
	if (t->empty)
		r->field = FIELD_NONE;
}

static void on_tag(struct reading *r, const struct xml_tag *t, struct str raw)
{
	bool item = str_ieq(t->name, STR("item")) || str_ieq(t->name, STR("entry"));

	if (r->field != FIELD_NONE) {
		if (str_eq(t->name, r->field_name)) {
			if (t->end && r->nested-- == 0)
				end_field(r);
			else if (!t->end && !t->empty)
				r->nested++;
		}
		if (r->field != FIELD_NONE && r->xhtml)
			buf_str(&r->value, raw);
		return;
	}
	if (item) {
		r->in_item = !t->end && !t->empty;
		r->out->items += !t->end;
		if (!t->end)
			r->item_title = STR_NONE;
		return;
	}
	if (!t->end) {
		if (str_ieq(t->name, STR("feed")))
			r->atom = true;
		if (!r->out->lang.n && !r->in_item)
			r->out->lang = attr_of(r->arena, t->attrs, STR("xml:lang"));
		start_field(r, t);
	}
}

/* What stands at "<": a tag, a comment, CDATA, a declaration.  Returns its bytes. */
static size_t read_markup(struct reading *r, struct str s)
{
	struct xml_tag t;
	struct str data;
	size_t n = xml_aside(s, &data);

	if (r->field != FIELD_NONE)
		buf_str(&r->value, data);
	if (n)
		return n;
	n = xml_tag(s, &t);
	if (!n)
		return s.n;
	on_tag(r, &t, str_n(s.p, n));
	return n;
}

bool feed_is(struct str payload)
{
	struct xml_tag t;

	while (payload.n) {
		ptrdiff_t at = str_chr(payload, '<'), end;

		if (at < 0)
			return false;
		payload = str_sub(payload, (size_t)at, payload.n);
		if (str_starts(payload, STR("<?")) || str_starts(payload, STR("<!"))) {
			struct str close = str_starts(payload, STR("<!--")) ? STR("-->") : STR(">");

			end = str_find(payload, close);
			if (end < 0)
				return false;
			payload = str_sub(payload, (size_t)end + close.n, payload.n);
			continue;
		}
		if (!xml_tag(payload, &t))
			return false;
		return str_ieq(t.name, STR("rss")) || str_ieq(t.name, STR("feed")) || str_ieq(t.name, STR("RDF"));
	}
	return false;
}

void feed_read(struct arena *a, struct str payload, struct feed *out)
{
	struct reading r = { .arena = a, .out = out, .text = BUF(LIMIT_TEXT), .value = BUF(LIMIT_TEXT) };

	*out = (struct feed){ 0 };
	r.html = html_new(html_token_read, &r);
	while (payload.n) {
		ptrdiff_t at = str_chr(payload, '<');
		size_t n = at < 0 ? payload.n : (size_t)at;

		if (n && r.field != FIELD_NONE) {
			if (r.xhtml)
				buf_add(&r.value, payload.p, n);
			else
				xml_decode(&r.value, str_n(payload.p, n));
		}
		payload = str_sub(payload, n, payload.n);
		if (payload.n)
			payload = str_sub(payload, read_markup(&r, payload), payload.n);
	}
	if (r.field != FIELD_NONE)
		end_field(&r);
	html_free(r.html);
	out->text = arena_str(a, str_trim(buf_view(&r.text)));
	out->cut = r.text.full || r.value.full;
	out->n_links = r.links.n;
	out->links = ARENA_ARRAY(a, struct feed_link, r.links.n + 1);
	if (r.links.n)
		memcpy(out->links, r.links.p, r.links.n * sizeof *r.links.p);
	vec_release(&r.links);
	buf_release(&r.text);
	buf_release(&r.value);
}
