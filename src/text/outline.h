/* text/outline.h -- where the block elements of a page lie in its body text.
 *
 * The extractor fills one while it walks the page; text/main.h reads it to tell
 * the article from what surrounds it.  There is no tree: a node is a row, rows
 * are in document order, and the rows of a subtree are contiguous, so that
 * "all that is inside" is a range of rows and a range of text.
 *
 *	outline_reset(o);
 *	outline_open(o, OUTLINE_DIV, text.n, class, id, role, itemprop);   <div ...>
 *	outline_open(o, OUTLINE_P, text.n, ...);                           <p>
 *	outline_link(o, bytes of anchor text);                             </a>
 *	outline_close(o, OUTLINE_P, text.n);                               </p>
 *	outline_finish(o, text.n);
 *
 * The extractor reports the elements of enum outline_tag and no others; inline
 * elements are not reported, links by their length only.  Closing tags need
 * not match: a tag that is not open is ignored, one that is open closes all
 * that is inside it, and an opening <p>, <li>, <td>, <tr>, <dt>, <dd> or
 * <option> closes its forerunner as the tree builder would.  Depth and rows
 * are bounded (LIMIT_OUTLINE_DEPTH, LIMIT_OUTLINE_NODES); beyond them rows are
 * left out and the text belongs to what is around it.
 * Cost: O(1) a call beside the words of class and id, which are read once.
 */
#ifndef WINNOW_TEXT_OUTLINE_H
#define WINNOW_TEXT_OUTLINE_H
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"

/* A column for the table of elements: the extractor keeps it beside what else
 * it knows of a tag; OUTLINE_NONE is an element that is not reported. */
enum outline_tag {
	OUTLINE_NONE,
	OUTLINE_BODY, /* body */
	OUTLINE_DIV,  /* div center fieldset details dialog hgroup search */
	OUTLINE_ARTICLE,
	OUTLINE_MAIN,
	OUTLINE_SECTION,
	OUTLINE_HEADER,
	OUTLINE_FOOTER,
	OUTLINE_NAV,
	OUTLINE_ASIDE,
	OUTLINE_P,
	OUTLINE_HEADING, /* h1 .. h6 */
	OUTLINE_UL,	 /* ul ol menu dir */
	OUTLINE_LI,
	OUTLINE_DL,
	OUTLINE_DT,
	OUTLINE_DD,
	OUTLINE_TABLE,
	OUTLINE_TR,
	OUTLINE_TD,    /* td th */
	OUTLINE_PRE,   /* pre listing xmp plaintext */
	OUTLINE_QUOTE, /* blockquote */
	OUTLINE_FIGURE,
	OUTLINE_CAPTION, /* figcaption caption */
	OUTLINE_FORM,
	OUTLINE_CONTROL, /* button select textarea label legend option optgroup datalist */
	OUTLINE_ADDRESS,
	OUTLINE_SPAN, /* span with a class; has a row only when that hints at something */
	OUTLINE_TIME, /* time */
	OUTLINE_TAGS
};

/* What class, id, role and itemprop say, as bits. */
enum outline_hint {
	HINT_BODY = 1 << 0,	/* articleBody, entry-content, story-body: almost surely the article */
	HINT_CONTENT = 1 << 1,	/* content, main, post, article: perhaps the article */
	HINT_NAV = 1 << 2,	/* nav, menu, breadcrumb, pagination, toolbar */
	HINT_SIDE = 1 << 3,	/* sidebar, widget, rail, aside */
	HINT_FOOT = 1 << 4,	/* footer, copyright, legal */
	HINT_HEAD = 1 << 5,	/* header, masthead, banner */
	HINT_SHARE = 1 << 6,	/* share, social, follow, newsletter, subscribe */
	HINT_RELATED = 1 << 7,	/* related, recommended, popular, more-from, promo */
	HINT_COMMENT = 1 << 8,	/* comment, disqus, respond, reply */
	HINT_AD = 1 << 9,	/* ad, advert, sponsor, outbrain, taboola */
	HINT_NOTE = 1 << 10,	/* cookie, consent, gdpr, modal, popup, overlay, paywall */
	HINT_META = 1 << 11,	/* byline, author, date, tags, category, meta */
	HINT_CAPTION = 1 << 12, /* caption, credit, image-source */
	HINT_HIDDEN = 1 << 13,	/* display:none, aria-hidden, screen-reader-only, print-only */
	HINT_LEAD = 1 << 14,	/* lead, standfirst, intro: the paragraph before the article's body */
	HINT_TITLE = 1 << 15,	/* headline, title */
};

struct outline_node {
	uint32_t start, end; /* bytes of body text */
	uint32_t last;	     /* row behind its subtree: rows i+1 .. last-1 are inside */
	uint32_t parent;     /* row, UINT32_MAX for the first */
	uint32_t link;	     /* bytes of anchor text inside */
	uint32_t name;	     /* hash of the class attribute, 0 without one */
	uint16_t hints;
	uint8_t tag;	 /* enum outline_tag; role=main and role=article count as the elements */
	uint8_t written; /* the tag as written, by which it is closed */
};

/* Hints of lists of names met before: pages repeat a few.  By the low bits of the hash; a newer one takes the place. */
enum { OUTLINE_NAMES = 256, OUTLINE_NAMES_MAX = 32 };
struct outline_names {
	uint64_t hash;
	uint32_t n, hints;
	char text[OUTLINE_NAMES_MAX];
};

/* A row whose id hints at something bad: it may be made of the words of its heading, which comes later. */
struct outline_id {
	uint32_t row, words; /* outline_words() of the id */
	uint16_t hints;	     /* that nothing but the id gave */
};

struct outline {
	VEC(struct outline_node) nodes;
	VEC(struct outline_id) ids;	    /* in order of rows; few pages have any */
	uint32_t open[LIMIT_OUTLINE_DEPTH]; /* elements that are open, outermost first: their rows, if they have one */
	uint32_t n_open;
	uint32_t row;	   /* innermost open row, UINT32_MAX for none; means nothing while there are no rows */
	uint32_t too_deep; /* opened beyond the limit and not yet closed */
	bool article;	   /* the page says that it is one: its type, or a date of publication */
	uint64_t tags;	   /* of all rows, a bit each, and their hints */
	uint32_t hints;
	struct outline_names names[OUTLINE_NAMES];
};

/* Attributes may be empty; they are read now and not kept.  style is read for
 * display:none only. */
struct outline_attrs {
	struct str class_, id, role, itemprop, style;
};

/* The hints of the attribute values; words are cut at anything but letters, and before a capital.  *name: hash of the
 * class as written, 0 for none. */
uint32_t outline_hints(struct outline *o, const struct outline_attrs *attrs, uint32_t *name);

/* Hash of the letters alone, in lower case: the same of "Search", "search-1" and "2.3 Search". */
uint32_t outline_words(struct str text);

void outline_reset(struct outline *o); /* zero-initialised is reset */
void outline_open(struct outline *o, enum outline_tag tag, size_t at,
		  const struct outline_attrs *attrs); /* attrs may be NULL */
void outline_close(struct outline *o, enum outline_tag tag, size_t at);
void outline_link(struct outline *o, size_t bytes); /* an anchor ended: so many bytes of body text were its text */
void outline_finish(struct outline *o, size_t at);  /* closes what is open */
void outline_release(struct outline *o);

#endif
