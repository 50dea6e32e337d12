/* text/outline.c -- rows of block elements while the page goes by.
 *
 * The open rows form a stack; a row's `last` is set when it closes.  Anchor
 * text is added to the innermost open row and summed outwards once, at the
 * end.  The words of class and id are looked up in a table of `words`, which
 * is hashed on first use.
 */
#include "text/outline.h"

#include <pthread.h>

#include "base/hash.h"

#define ROW_NONE UINT32_MAX
#define NO_ROW 0x80000000u /* in the stack: an element without a row, and its tag */

/* Internal bits: words that make HINT_BODY when two kinds meet in one name. */
enum {
	WORD_KIND = 1 << 16,
	WORD_TEXT = 1 << 17,
	WORD_NOT = 1 << 18,
	WORD_EMBED = 1 << 19,
	WORD_BUILT = 1 << 20,
	WORD_FOUND = 1 << 21,
	WORD_SEEN = 1 << 22,
	WORD_WIDE = 1 << 23,
	WORD_BLOCK = 1 << 24,
	WORD_WRAP = 1 << 25,
	WORD_SHOWN = 1 << 26 /* of a list of names: shown on some screens */
};
#define HINTS_BAD                                                                                            \
	(HINT_NAV | HINT_SIDE | HINT_FOOT | HINT_SHARE | HINT_RELATED | HINT_COMMENT | HINT_AD | HINT_NOTE | \
	 HINT_HIDDEN | HINT_META | HINT_CAPTION)

/* clang-format off */
static const struct {
	const char *word;
	uint32_t bits;
} words[] = {
	{ "article", HINT_CONTENT | WORD_KIND }, { "articles", HINT_RELATED }, { "story", HINT_CONTENT | WORD_KIND },
	{ "entry", HINT_CONTENT | WORD_KIND }, { "post", HINT_CONTENT | WORD_KIND }, { "news", WORD_KIND },
	{ "blog", WORD_KIND }, { "blogpost", HINT_CONTENT | WORD_KIND },
	{ "content", HINT_CONTENT | WORD_TEXT }, { "contents", HINT_CONTENT | WORD_TEXT }, { "body", WORD_TEXT },
	{ "text", WORD_TEXT }, { "copy", WORD_TEXT }, { "main", HINT_CONTENT }, { "maincontent", HINT_CONTENT },
	{ "articlebody", HINT_BODY }, { "articletext", HINT_BODY }, { "articlecontent", HINT_BODY },
	{ "storybody", HINT_BODY }, { "storytext", HINT_BODY }, { "storycontent", HINT_BODY }, { "postcontent", HINT_BODY },
	{ "postbody", HINT_BODY }, { "entrycontent", HINT_BODY }, { "bodytext", HINT_BODY }, { "bodycopy", HINT_BODY },
	{ "richtext", HINT_CONTENT }, { "paragraph", HINT_CONTENT },
	{ "nav", HINT_NAV }, { "navigation", HINT_NAV }, { "navbar", HINT_NAV }, { "menu", HINT_NAV }, { "menus", HINT_NAV },
	{ "breadcrumb", HINT_NAV }, { "breadcrumbs", HINT_NAV }, { "crumb", HINT_NAV }, { "crumbs", HINT_NAV },
	{ "pagination", HINT_NAV }, { "pager", HINT_NAV }, { "paging", HINT_NAV }, { "toolbar", HINT_NAV }, { "tabs", HINT_NAV },
	{ "skip", HINT_NAV }, { "search", HINT_NAV }, { "dropdown", HINT_NAV }, { "submenu", HINT_NAV }, { "topnav", HINT_NAV },
	{ "sidebar", HINT_SIDE }, { "sidenav", HINT_SIDE }, { "aside", HINT_SIDE }, { "widget", HINT_SIDE },
	{ "widgets", HINT_SIDE }, { "rail", HINT_SIDE }, { "sidecolumn", HINT_SIDE }, { "complementary", HINT_SIDE },
	{ "footer", HINT_FOOT }, { "foot", HINT_FOOT }, { "copyright", HINT_FOOT }, { "legal", HINT_FOOT }, { "contentinfo", HINT_FOOT },
	{ "colophon", HINT_FOOT },
	{ "header", HINT_HEAD }, { "masthead", HINT_HEAD }, { "banner", HINT_HEAD }, { "topbar", HINT_HEAD }, { "logo", HINT_HEAD },
	{ "share", HINT_SHARE }, { "sharing", HINT_SHARE }, { "shares", HINT_SHARE }, { "social", HINT_SHARE }, { "follow", HINT_SHARE },
	{ "newsletter", HINT_SHARE }, { "subscribe", HINT_SHARE }, { "subscription", HINT_SHARE }, { "signup", HINT_SHARE },
	{ "addthis", HINT_SHARE }, { "sharedaddy", HINT_SHARE }, { "sharethis", HINT_SHARE }, { "addtoany", HINT_SHARE },
	{ "socials", HINT_SHARE }, { "sharebar", HINT_SHARE }, { "facebook", HINT_SHARE }, { "whatsapp", HINT_SHARE },
	{ "related", HINT_RELATED }, { "recommended", HINT_RELATED }, { "recommendations", HINT_RELATED }, { "recommend", HINT_RELATED },
	{ "popular", HINT_RELATED }, { "trending", HINT_RELATED }, { "promo", HINT_RELATED }, { "promos", HINT_RELATED },
	{ "teaser", HINT_RELATED }, { "teasers", HINT_RELATED }, { "readmore", HINT_RELATED }, { "similar", HINT_RELATED },
	{ "suggested", HINT_RELATED }, { "latest", HINT_RELATED }, { "relatedposts", HINT_RELATED },
	{ "recirc", HINT_RELATED }, { "mostread", HINT_RELATED }, { "mostpopular", HINT_RELATED }, { "yarpp", HINT_RELATED },
	{ "seealso", HINT_RELATED }, { "relatedlinks", HINT_RELATED }, { "recommendation", HINT_RELATED }, { "relation", HINT_RELATED },
	{ "comment", HINT_COMMENT }, { "comments", HINT_COMMENT }, { "disqus", HINT_COMMENT }, { "respond", HINT_COMMENT },
	{ "commentlist", HINT_COMMENT }, { "livefyre", HINT_COMMENT }, { "commentarea", HINT_COMMENT }, { "replies", HINT_COMMENT },
	{ "discussion", HINT_COMMENT }, { "commenting", HINT_COMMENT },
	{ "ad", HINT_AD }, { "ads", HINT_AD }, { "advert", HINT_AD }, { "advertisement", HINT_AD }, { "advertising", HINT_AD },
	{ "sponsor", HINT_AD }, { "sponsored", HINT_AD }, { "sponsors", HINT_AD }, { "outbrain", HINT_AD }, { "taboola", HINT_AD },
	{ "adbox", HINT_AD }, { "adslot", HINT_AD }, { "dfp", HINT_AD }, { "gpt", HINT_AD }, { "mpu", HINT_AD }, { "adsbygoogle", HINT_AD },
	{ "adunit", HINT_AD }, { "promoted", HINT_AD },
	{ "cookie", HINT_NOTE }, { "cookies", HINT_NOTE }, { "consent", HINT_NOTE }, { "gdpr", HINT_NOTE }, { "modal", HINT_NOTE },
	{ "popup", HINT_NOTE }, { "overlay", HINT_NOTE }, { "paywall", HINT_NOTE }, { "lightbox", HINT_NOTE }, { "tooltip", HINT_NOTE },
	{ "cta", HINT_NOTE }, { "dialog", HINT_NOTE }, { "privacy", HINT_NOTE }, { "login", HINT_NOTE }, { "alert", HINT_NOTE },
	{ "byline", HINT_META }, { "author", HINT_META }, { "authors", HINT_META }, { "bio", HINT_META }, { "timestamp", HINT_META },
	{ "dateline", HINT_META }, { "date", HINT_META }, { "meta", HINT_META }, { "tags", HINT_META }, { "taglist", HINT_META },
	{ "category", HINT_META }, { "categories", HINT_META }, { "postmeta", HINT_META }, { "topics", HINT_META }, { "keywords", HINT_META },
	{ "published", HINT_META }, { "kicker", HINT_META }, { "infos", HINT_META }, { "eyebrow", HINT_META }, { "rating", HINT_META },
	{ "caption", HINT_CAPTION }, { "captions", HINT_CAPTION }, { "credit", HINT_CAPTION }, { "credits", HINT_CAPTION },
	{ "gallery", HINT_CAPTION }, { "slideshow", HINT_CAPTION }, { "carousel", HINT_CAPTION }, { "figcaption", HINT_CAPTION },
	{ "video", HINT_CAPTION }, { "photo", HINT_CAPTION }, { "image", HINT_CAPTION }, { "player", HINT_CAPTION },
	{ "sidebarright", HINT_SIDE }, { "sidebarleft", HINT_SIDE }, { "rightsidebar", HINT_SIDE }, { "leftsidebar", HINT_SIDE },
	{ "rightcolumn", HINT_SIDE }, { "rightcol", HINT_SIDE }, { "rightbar", HINT_SIDE }, { "rightbox", HINT_SIDE },
	{ "recentcomments", HINT_RELATED }, { "recentposts", HINT_RELATED }, { "nextpost", HINT_NAV }, { "prevpost", HINT_NAV },
	{ "previouspost", HINT_NAV }, { "siteinfo", HINT_FOOT }, { "authorbox", HINT_META }, { "authorbio", HINT_META },
	{ "kommentar", HINT_COMMENT }, { "kommentare", HINT_COMMENT }, { "kommentarer", HINT_COMMENT }, { "commentaire", HINT_COMMENT },
	{ "commentaires", HINT_COMMENT }, { "comentario", HINT_COMMENT }, { "comentarios", HINT_COMMENT }, { "commento", HINT_COMMENT },
	{ "commenti", HINT_COMMENT }, { "reacties", HINT_COMMENT }, { "komentarze", HINT_COMMENT }, { "komentar", HINT_COMMENT },
	{ "komentare", HINT_COMMENT }, { "komentarai", HINT_COMMENT }, { "yorumlar", HINT_COMMENT }, { "trackback", HINT_COMMENT },
	{ "trackbacks", HINT_COMMENT }, { "pingback", HINT_COMMENT },
	{ "werbung", HINT_AD }, { "anzeige", HINT_AD }, { "publicidad", HINT_AD }, { "publicite", HINT_AD }, { "publicidade", HINT_AD },
	{ "pubblicita", HINT_AD }, { "reklama", HINT_AD }, { "reklame", HINT_AD },
	{ "menue", HINT_NAV }, { "navigazione", HINT_NAV }, { "navegacion", HINT_NAV }, { "brotkrumen", HINT_NAV }, { "ariane", HINT_NAV },
	{ "migas", HINT_NAV }, { "suche", HINT_NAV }, { "recherche", HINT_NAV }, { "buscador", HINT_NAV }, { "sommaire", HINT_NAV },
	{ "fusszeile", HINT_FOOT }, { "piedepagina", HINT_FOOT }, { "rodape", HINT_FOOT }, { "impressum", HINT_FOOT },
	{ "teilen", HINT_SHARE }, { "partager", HINT_SHARE }, { "compartir", HINT_SHARE }, { "compartilhar", HINT_SHARE },
	{ "condividi", HINT_SHARE }, { "partage", HINT_SHARE }, { "paylas", HINT_SHARE },
	{ "relacionadas", HINT_RELATED }, { "relacionados", HINT_RELATED }, { "correlati", HINT_RELATED }, { "verwandte", HINT_RELATED },
	{ "seitenleiste", HINT_SIDE }, { "lateral", HINT_SIDE }, { "seitenspalte", HINT_SIDE },
	{ "artikel", HINT_CONTENT | WORD_KIND }, { "beitrag", HINT_CONTENT | WORD_KIND }, { "articulo", HINT_CONTENT | WORD_KIND },
	{ "articolo", HINT_CONTENT | WORD_KIND }, { "artigo", HINT_CONTENT | WORD_KIND }, { "noticia", HINT_CONTENT | WORD_KIND },
	{ "notizia", HINT_CONTENT | WORD_KIND }, { "artykul", HINT_CONTENT | WORD_KIND }, { "haber", HINT_CONTENT | WORD_KIND },
	{ "inhalt", HINT_CONTENT | WORD_TEXT }, { "texte", HINT_CONTENT | WORD_TEXT }, { "texto", HINT_CONTENT | WORD_TEXT },
	{ "testo", HINT_CONTENT | WORD_TEXT }, { "contenu", HINT_CONTENT | WORD_TEXT }, { "contenido", HINT_CONTENT | WORD_TEXT },
	{ "conteudo", HINT_CONTENT | WORD_TEXT }, { "contenuto", HINT_CONTENT | WORD_TEXT }, { "corpo", HINT_CONTENT | WORD_TEXT },
	{ "cuerpo", HINT_CONTENT | WORD_TEXT }, { "tresc", HINT_CONTENT | WORD_TEXT }, { "artikeltext", HINT_BODY }, { "brodtext", HINT_BODY },
	{ "hidden", HINT_HIDDEN }, { "hide", HINT_HIDDEN }, { "invisible", HINT_HIDDEN }, { "sronly", HINT_HIDDEN },
	{ "offscreen", HINT_HIDDEN },
	{ "lead", HINT_LEAD }, { "lede", HINT_LEAD }, { "standfirst", HINT_LEAD }, { "intro", HINT_LEAD },
	{ "perex", HINT_LEAD }, { "chapo", HINT_LEAD }, { "chapeau", HINT_LEAD }, { "vorspann", HINT_LEAD }, { "ingress", HINT_LEAD },
	{ "entradilla", HINT_LEAD }, { "sommario", HINT_LEAD },
	{ "title", HINT_TITLE }, { "headline", HINT_TITLE }, { "heading", HINT_TITLE }, { "subtitle", HINT_TITLE },
	{ "wrapper", WORD_WRAP }, { "wrap", WORD_WRAP }, { "container", WORD_WRAP }, { "has", WORD_NOT }, { "no", WORD_NOT },
	{ "with", WORD_NOT }, { "without", WORD_NOT }, { "is", WORD_NOT }, { "layout", WORD_NOT }, { "col", WORD_NOT }, { "columns", WORD_NOT },
	{ "and", WORD_NOT }, { "w", WORD_NOT }, { "plus", WORD_NOT }, { "enabled", WORD_NOT }, { "off", WORD_NOT }, { "on", WORD_NOT },
	{ "open", WORD_NOT }, { "opened", WORD_NOT }, { "elementor", WORD_BUILT }, { "result", WORD_FOUND }, { "results", WORD_FOUND },
	{ "overflow", WORD_SEEN }, { "label", WORD_SEEN }, { "print", WORD_SEEN }, { "xs", WORD_SEEN }, { "s", WORD_SEEN }, { "sm", WORD_SEEN },
	{ "md", WORD_WIDE }, { "lg", WORD_WIDE }, { "xl", WORD_WIDE }, { "mobile", WORD_SEEN }, { "phone", WORD_SEEN }, { "tablet", WORD_SEEN },
	{ "desktop", WORD_WIDE }, { "small", WORD_SEEN }, { "medium", WORD_WIDE }, { "large", WORD_WIDE },
	{ "block", WORD_BLOCK }, { "flex", WORD_BLOCK }, { "grid", WORD_BLOCK }, { "inline", WORD_BLOCK },
	{ "embed", WORD_EMBED }, { "embedded", WORD_EMBED }, { "tweet", WORD_EMBED },
};
/* clang-format on */

#define WORD_MAX 24
#define SLOT_BITS 10
static struct word_slot {
	char word[WORD_MAX];
	uint32_t bits;
	uint8_t n;
} slots[1 << SLOT_BITS];
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

static uint32_t word_hash(const char *word, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)word[i]) * 16777619u;
	return (h ^ h >> 15) & ((1u << SLOT_BITS) - 1);
}

static void slots_fill(void)
{
	for (size_t i = 0; i < COUNT(words); i++) {
		size_t n = strlen(words[i].word);
		uint32_t at = word_hash(words[i].word, n);

		while (slots[at].n)
			at = (at + 1) & ((1u << SLOT_BITS) - 1);
		memcpy(slots[at].word, words[i].word, n);
		slots[at].n = (uint8_t)n;
		slots[at].bits = words[i].bits;
	}
}

static uint32_t word_bits(const char *word, size_t n)
{
	uint32_t at = word_hash(word, n);

	for (; slots[at].n; at = (at + 1) & ((1u << SLOT_BITS) - 1))
		if (slots[at].n == n && memcmp(slots[at].word, word, n) == 0)
			return slots[at].bits;
	return 0;
}

/* One name of a class list ("entry-content"): the bits of its words, with
 * HINT_BODY where a kind and a text meet.  A name that says "wrapper" or
 * "has-sidebar" tells about what is inside it and hints at nothing bad; one
 * that says "sidebar-content" is no content; an embedded post is no share bar, what a search found no search box, and
 * a site builder calls each of its blocks a widget. */
static uint32_t name_hints(struct str name)
{
	uint32_t bits = 0;
	size_t i = 0;

	while (i < name.n) {
		char word[WORD_MAX];
		size_t n = 0;

		while (i < name.n && !ascii_alpha(name.p[i]))
			i++;
		for (size_t from = i; i < name.n && ascii_alpha(name.p[i]); i++) {
			bool capital = name.p[i] >= 'A' && name.p[i] <= 'Z';

			if (capital && i > from && !(name.p[i - 1] >= 'A' && name.p[i - 1] <= 'Z'))
				break;
			if (n < WORD_MAX)
				word[n] = ascii_lower(name.p[i]);
			n++;
		}
		if (n > 0 && n <= WORD_MAX)
			bits |= word_bits(word, n);
	}
	if ((bits & WORD_KIND) && (bits & WORD_TEXT) && !(bits & (WORD_NOT | WORD_WRAP)))
		bits |= HINT_BODY;
	if (bits & WORD_NOT)
		bits &= HINT_CONTENT;
	if ((bits & WORD_WRAP) && (bits & HINT_CONTENT))
		bits &= HINT_CONTENT;
	else if (bits & WORD_WRAP)
		bits &= HINT_FOOT | HINT_COMMENT | HINT_SHARE;
	if (bits & WORD_EMBED)
		bits &= ~(uint32_t)HINT_SHARE;
	if (bits & WORD_FOUND)
		bits &= ~(uint32_t)HINT_NAV;
	if (bits & WORD_SEEN)
		bits &= ~(uint32_t)HINT_HIDDEN;
	if ((bits & (WORD_SEEN | WORD_WIDE)) && (bits & WORD_BLOCK))
		bits |= WORD_SHOWN;
	if (bits & WORD_BUILT)
		bits &= ~(uint32_t)HINT_SIDE;
	if (bits & HINTS_BAD)
		bits &= ~(uint32_t)(HINT_BODY | HINT_CONTENT);
	return bits;
}

static uint32_t list_hints(struct str list)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < list.n;) {
		size_t from;

		while (i < list.n && ascii_space(list.p[i]))
			i++;
		for (from = i; i < list.n && !ascii_space(list.p[i]); i++)
			;
		if (i > from)
			bits |= name_hints(str_n(list.p + from, i - from));
	}
	return bits & WORD_SHOWN ? bits & ~(uint32_t)HINT_HIDDEN : bits;
}

/* The same, from memory where it can be. */
static uint32_t known_hints(struct outline *o, struct str list, uint64_t hash)
{
	struct outline_names *known = &o->names[hash % OUTLINE_NAMES];

	if (list.n > OUTLINE_NAMES_MAX)
		return list_hints(list);
	if (known->hash != hash || known->n != list.n || memcmp(known->text, list.p, list.n) != 0) {
		known->hash = hash;
		known->n = (uint32_t)list.n;
		known->hints = list_hints(list);
		memcpy(known->text, list.p, list.n);
	}
	return known->hints;
}

uint32_t outline_hints(struct outline *o, const struct outline_attrs *attrs, uint32_t *name)
{
	uint32_t bits = 0;

	pthread_once(&slots_once, slots_fill);
	*name = 0;
	if (attrs->class_.n) {
		uint64_t hash = hash_str(attrs->class_);

		*name = (uint32_t)hash;
		bits |= known_hints(o, attrs->class_, hash);
	}
	if (attrs->id.n) /* most ids are met once: not worth remembering */
		bits |= list_hints(attrs->id);
	if (attrs->role.n)
		bits |= list_hints(attrs->role);
	if (attrs->itemprop.n)
		bits |= list_hints(attrs->itemprop);
	if (attrs->style.n &&
	    (str_ifind(attrs->style, STR("display:none")) >= 0 || str_ifind(attrs->style, STR("display: none")) >= 0))
		bits |= HINT_HIDDEN;
	return bits & 0xffff;
}

uint32_t outline_words(struct str text)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < text.n; i++)
		if (ascii_alpha(text.p[i]))
			h = (h ^ (unsigned char)ascii_lower(text.p[i])) * 16777619u;
	return h;
}

void outline_reset(struct outline *o)
{
	o->nodes.n = o->ids.n = 0;
	o->n_open = o->too_deep = 0;
	o->article = false;
	o->tags = o->hints = 0;
}

void outline_release(struct outline *o)
{
	vec_release(&o->nodes);
	vec_release(&o->ids);
	outline_reset(o);
}

static uint8_t open_tag(const struct outline *o, uint32_t level)
{
	uint32_t open = o->open[level];

	return open & NO_ROW ? (uint8_t)open : o->nodes.p[open].written;
}

static void close_from(struct outline *o, uint32_t level, size_t at)
{
	while (o->n_open > level) {
		uint32_t open = o->open[--o->n_open];

		if (open & NO_ROW)
			continue;
		o->nodes.p[open].end = (uint32_t)at;
		o->nodes.p[open].last = (uint32_t)o->nodes.n;
		o->row = o->nodes.p[open].parent;
	}
}

#define SET(tag) (UINT64_C(1) << (tag))

/* Elements that an unrelated end tag does not reach past. */
static inline bool is_wall(uint8_t tag)
{
	return (SET(OUTLINE_TABLE) | SET(OUTLINE_TD) | SET(OUTLINE_CAPTION) | SET(OUTLINE_BODY)) >> tag & 1;
}

static inline bool is_item(uint8_t tag)
{
	return (SET(OUTLINE_LI) | SET(OUTLINE_DT) | SET(OUTLINE_DD) | SET(OUTLINE_TR) | SET(OUTLINE_TD) |
		SET(OUTLINE_P)) >>
		   tag &
	       1;
}

/* The level of the innermost open row of that tag that is in reach, or ROW_NONE. */
static uint32_t find_open(const struct outline *o, uint8_t tag, bool implied)
{
	for (uint32_t level = o->n_open; level-- > 0;) {
		uint8_t open = open_tag(o, level);

		if (open == tag)
			return level;
		if (tag == OUTLINE_TR && (open == OUTLINE_TD || (!implied && open != OUTLINE_TABLE)))
			continue;
		if (is_wall(open) && tag != OUTLINE_TABLE && tag != OUTLINE_BODY)
			return ROW_NONE;
		if (is_item(tag) && (open == OUTLINE_UL || open == OUTLINE_DL))
			return ROW_NONE;
		if (implied && !is_item(open))
			return ROW_NONE;
	}
	return ROW_NONE;
}

static void close_implied(struct outline *o, enum outline_tag tag, size_t at)
{
	uint32_t level = ROW_NONE;

	if (tag == OUTLINE_SPAN || tag == OUTLINE_TIME || tag == OUTLINE_CONTROL || tag == OUTLINE_CAPTION)
		return;
	if (o->n_open && open_tag(o, o->n_open - 1) == OUTLINE_P)
		close_from(o, o->n_open - 1, at);
	if (!is_item(tag) || tag == OUTLINE_P || !o->n_open || !is_item(open_tag(o, o->n_open - 1)))
		return; /* what is closed is an item, and nothing but items is inside it */
	if (tag == OUTLINE_DT || tag == OUTLINE_DD) {
		level = find_open(o, OUTLINE_DT, true);
		if (level == ROW_NONE)
			level = find_open(o, OUTLINE_DD, true);
	} else {
		level = find_open(o, tag, true);
	}
	if (level != ROW_NONE)
		close_from(o, level, at);
}

/* Whether a class has a name that ends in the word "comment": what highlighters call a comment in code (comment,
 * hljs-comment), in whatever element they put its lines.  Readers' are called comments, comment-count, comment-author. */
static bool is_code_comment(struct str class_)
{
	const struct str word = STR("comment");

	for (size_t i = word.n; i <= class_.n; i++)
		if ((i == class_.n || ascii_space(class_.p[i])) && str_ieq(str_n(class_.p + i - word.n, word.n), word))
			return true;
	return false;
}

/* What programs for documents call the parts of one: docutils and Pandoc (section level2), DocBook (sect1, refsect1),
 * Texinfo (chapter, unnumberedsec, subsection-level-extent). */
static bool is_part(struct str name)
{
	static const struct str parts[] = {
		STR("section"),	 STR("subsection"), STR("subsubsection"), STR("chapter"),
		STR("appendix"), STR("preface"),    STR("simplesect"),	  STR("refsection")
	};
	static const struct str numbered[] = { STR("level"), STR("sect"), STR("refsect") };
	static const struct str extent = STR("-level-extent");

	if (name.n > extent.n && str_ieq(str_n(str_end(name) - extent.n, extent.n), extent))
		return true;
	for (size_t i = 0; i < COUNT(parts); i++)
		if (str_ieq(name, parts[i]))
			return true;
	for (size_t i = 0; i < COUNT(numbered); i++)
		if (name.n == numbered[i].n + 1 && ascii_digit(name.p[name.n - 1]) && str_istarts(name, numbered[i]))
			return true;
	return str_istarts(name, STR("unnumbered")) || str_istarts(name, STR("appendixs")); /* sec, subsec, ... */
}

/* Whether all names of a class are such, and there is one: a designer's "section dark" says nothing. */
static bool are_parts(struct str list)
{
	bool some = false;

	for (size_t i = 0; i < list.n;) {
		size_t from;

		while (i < list.n && ascii_space(list.p[i]))
			i++;
		for (from = i; i < list.n && !ascii_space(list.p[i]); i++)
			;
		if (i > from && !is_part(str_n(list.p + from, i - from)))
			return false;
		some |= i > from;
	}
	return some;
}

/* Ids of headings are made of their text, and so are those of the sections that programs for documents make of them
 * (<section id=comments>, <div class=section id=comments>): they say nothing of what part of the page it is. */
static bool id_of_text(enum outline_tag tag, struct str class_)
{
	if (tag == OUTLINE_HEADING || tag == OUTLINE_SPAN)
		return true;
	if (tag != OUTLINE_SECTION && tag != OUTLINE_DIV)
		return false;
	return (tag == OUTLINE_SECTION && !class_.n) || are_parts(class_);
}

/* The id of a section written by hand may be made of its heading too; whether it is shows when the heading was read. */
static void note_id(struct outline *o, const struct outline_attrs *attrs, uint32_t hints)
{
	struct outline_attrs others = *attrs;
	uint32_t name;

	others.id = STR_NONE;
	hints &= HINTS_BAD & ~outline_hints(o, &others, &name);
	if (hints)
		*vec_add(&o->ids) = (struct outline_id){ .row = (uint32_t)o->nodes.n - 1,
							 .words = outline_words(attrs->id),
							 .hints = (uint16_t)hints };
}

void outline_open(struct outline *o, enum outline_tag tag, size_t at, const struct outline_attrs *attrs)
{
	struct outline_attrs named;
	uint32_t name = 0, hints;
	struct outline_node *node;

	if (attrs && attrs->id.n && id_of_text(tag, attrs->class_)) {
		named = *attrs;
		named.id = STR_NONE;
		attrs = &named;
	}
	hints = attrs ? outline_hints(o, attrs, &name) : 0;
	if (tag == OUTLINE_SPAN && (hints & HINT_COMMENT) && is_code_comment(attrs->class_))
		hints &= ~(uint32_t)HINT_COMMENT;
	if (o->n_open)
		close_implied(o, tag, at);
	if (o->n_open == LIMIT_OUTLINE_DEPTH || o->nodes.n == LIMIT_OUTLINE_NODES) {
		o->too_deep++;
		return;
	}
	if (tag == OUTLINE_SPAN && !hints) { /* it would only cut its paragraph */
		o->open[o->n_open++] = NO_ROW | tag;
		return;
	}
	node = vec_add(&o->nodes);
	*node = (struct outline_node){
		.start = (uint32_t)at,
		.end = (uint32_t)at,
		.parent = o->nodes.n > 1 ? o->row : ROW_NONE,
		.name = name,
		.hints = (uint16_t)hints,
		.tag = (uint8_t)tag,
		.written = (uint8_t)tag,
	};
	if (attrs && str_ieq(attrs->role, STR("main")))
		node->tag = OUTLINE_MAIN;
	else if (attrs && str_ieq(attrs->role, STR("article")))
		node->tag = OUTLINE_ARTICLE;
	if ((hints & HINTS_BAD) && attrs->id.n && (tag == OUTLINE_DIV || tag == OUTLINE_SECTION))
		note_id(o, attrs, hints);
	o->tags |= SET(node->tag);
	o->hints |= hints;
	o->row = (uint32_t)o->nodes.n - 1;
	o->open[o->n_open++] = o->row;
}

void outline_close(struct outline *o, enum outline_tag tag, size_t at)
{
	uint32_t level;

	if (o->too_deep) {
		o->too_deep--;
		return;
	}
	if (o->n_open && open_tag(o, o->n_open - 1) == tag)
		level = o->n_open - 1; /* almost always */
	else
		level = find_open(o, (uint8_t)tag, false);
	if (level != ROW_NONE)
		close_from(o, level, at);
}

void outline_link(struct outline *o, size_t bytes)
{
	if (o->nodes.n && o->row != ROW_NONE)
		o->nodes.p[o->row].link += (uint32_t)bytes;
}

void outline_finish(struct outline *o, size_t at)
{
	close_from(o, 0, at);
	o->too_deep = 0;
	for (size_t i = o->nodes.n; i-- > 0;) {
		struct outline_node *node = &o->nodes.p[i];

		if (node->parent != ROW_NONE)
			o->nodes.p[node->parent].link += node->link;
	}
}
