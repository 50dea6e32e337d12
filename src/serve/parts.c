/* serve/parts.c -- see parts.h. */
#include "serve/parts.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/map.h"
#include "serve/opened.h"
#include "serve/rewrite_html.h"

struct search {
	struct request *q;
	struct history *h;
	const struct capture *page;
	struct parts *out;
	struct map seen;   /* hashes of urlkeys */
	struct str prefix; /* "/sample/" */
	char stamp[15];	   /* of the page: replay of styles keeps it, too */
	unsigned styles;
};

static void look_up(struct search *s, struct str url, enum modifier mod, unsigned depth);

static void rewriter_init(struct search *s, struct rewriter *w, struct buf *out)
{
	*w =
	    (struct rewriter){ .prefix = s->prefix, .out = out, .arena = &s->q->arena, .head_done = true, .top = true };
	memcpy(w->stamp, s->stamp, sizeof w->stamp);
}

static bool ends_url(char c)
{
	return (unsigned char)c <= 0x20 || c == '"' || c == '\'' || c == ')' || c == '<' || c == '>';
}

/* Every address of a part in rewritten text. */
static void collect(struct search *s, struct str text, unsigned depth)
{
	struct str needle = arena_printf(&s->q->arena, "%.*s%s", STR_FMT(s->prefix), s->stamp);

	for (ptrdiff_t at; (at = str_find(text, needle)) >= 0;) {
		size_t mod, url;

		text = str_sub(text, (size_t)at + needle.n, text.n);
		for (mod = 0; mod < text.n && text.p[mod] >= 'a' && text.p[mod] <= 'z'; mod++)
			;
		if (!mod || mod + 1 >= text.n || text.p[mod] != '_' || text.p[mod + 1] != '/')
			continue;
		for (url = mod + 2; url < text.n && !ends_url(text.p[url]); url++)
			;
		if (modifier_of(str_sub(text, 0, mod + 1)) != MOD_MP &&
		    modifier_of(str_sub(text, 0, mod + 1)) != MOD_LN)
			look_up(s, html_attr_decode(&s->q->arena, str_sub(text, mod + 2, url)),
				modifier_of(str_sub(text, 0, mod + 1)), depth);
	}
}

static bool read_part(struct search *s, const struct capture *c, unsigned depth)
{
	struct buf *out = request_buf(s->q, 4 * LIMIT_REWRITE);
	struct opened o = { 0 };
	struct rewriter w;
	enum rewrite_kind kind = REWRITE_NOT;

	rewriter_init(s, &w, out);
	if (opened_open(&o, s->q, s->h, c, false, true, NULL) == WN_OK && !o.cut && o.body.n <= LIMIT_REWRITE &&
	    url_parse(&w.base, c->url, NULL)) {
		kind = rewrite_kind(http_mime(o.type), depth ? MOD_CS : MOD_MP, o.body);
		if (kind == REWRITE_HTML && !depth) {
			w.charset = charset_find(o.body, STR_NONE, true);
			rewrite_html(&w, o.body);
		} else if (kind == REWRITE_CSS) {
			rewrite_css(&w, o.body, out);
		} else {
			kind = REWRITE_NOT;
		}
	}
	if (kind != REWRITE_NOT)
		collect(s, buf_view(out), depth);
	url_release(&w.base);
	url_release(&w.scratch);
	opened_close(&o);
	return kind != REWRITE_NOT;
}

static void look_up(struct search *s, struct str url, enum modifier mod, unsigned depth)
{
	struct str key = history_key(s->h, &s->q->arena, url);
	uint64_t hash = hash64(key.p, key.n);
	struct parts *p = s->out;
	struct capture c;
	int64_t offset;

	if (!key.n || map_get(&s->seen, hash))
		return;
	if (s->seen.n == PARTS_MOST) {
		p->cut = true;
		return;
	}
	map_put(&s->seen, hash, 1);
	if (replay_find(s->h, s->q, key, s->page->time, s->page->time, &c, NULL) < 0 ||
	    !replay_allows(s->q, c.urlkey, c.time)) {
		p->missing++;
		return;
	}
	p->found++;
	offset = c.time - s->page->time;
	p->before = offset < p->before ? offset : p->before;
	p->after = offset > p->after ? offset : p->after;
	if (mod == MOD_CS && depth == 0 && s->styles++ < PARTS_STYLES)
		read_part(s, &c, depth + 1);
}

bool parts_of(struct request *q, struct history *h, const struct capture *page, struct parts *out)
{
	struct search s = { .q = q, .h = h, .page = page, .out = out };
	bool read;

	*out = (struct parts){ 0 };
	s.prefix = request_href(q, "/%s/", q->served->slug);
	stamp_14(page->time, s.stamp);
	read = read_part(&s, page, 0);
	map_release(&s.seen);
	return read;
}
