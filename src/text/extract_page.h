/* text/extract_page.h -- inside of the extractor: its struct, shared by its files.
 *
 * extract.c takes tokens and keeps the text, extract_tree.c knows what tags do,
 * extract_stack.c which elements are open, extract_head.c what the page says of
 * itself, link.c its links.
 *
 * Strings of links are offsets into the text where they are text (it moves
 * while it grows), slices of the page where they stand there as written, and
 * copies in the arena otherwise.
 */
#ifndef WINNOW_TEXT_EXTRACT_PAGE_H
#define WINNOW_TEXT_EXTRACT_PAGE_H
#include "archive/url.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/vec.h"
#include "text/extract.h"
#include "text/html.h"
#include "text/scan.h"

enum { NS_HTML, NS_SVG, NS_MATH };

struct open { /* an open element */
	uint8_t tag;
	uint8_t ns;
	bool hides;	  /* its text is not shown */
	bool pre;	  /* white space counts */
	uint8_t outlined; /* its row in the outline (enum outline_tag), 0: not reported */
	bool integrates;  /* HTML inside it is HTML, though it is SVG or MathML */
	uint32_t name;	  /* hash, for TAG_OTHER */
};

struct anchor { /* of a link, beside it: where it lies in the text */
	uint32_t start, end;
	bool has;
};

/* "http://Host:80" as written, and behind it what a URL makes of it: those met last, on any page. */
enum { AUTHORITY_MAX = 62, AUTHORITY_BITS = 10 };
struct authority {
	uint8_t n, resolved_n;
	bool same;
	char text[2 * AUTHORITY_MAX + 1];
};

#define EXTRACT_SLACK 16 /* bytes that may be read behind a string that extract_keep() copied */

struct extract {
	struct html *html;
	struct arena arena; /* of the page */
	struct outline outline;
	struct extract_options options;
	struct str page, url;

	/* the text */
	char *text;
	size_t n, cap, max, easy; /* easy: the lesser of both, so that one look tells that there is room */
	char sep;		  /* what must stand before the next text: 0, ' ', '\t', '\n' */
	bool newline;		  /* the text ends with a newline, as that of a pre may */
	enum scan_kernel kernel;
	unsigned hide;	   /* open elements that hide their text */
	unsigned pre;	   /* open elements in which white space counts */
	bool skip_newline; /* the first newline of a pre is not text */

	/* the tree */
	struct open stack[LIMIT_HTML_DEPTH];
	unsigned depth;
	size_t too_deep; /* opened beyond the limit and not yet closed */
	uint32_t count[TAG_COUNT];
	bool frameset, frameset_ok, body, head, head_done;
	bool form;
	enum tag raw;	    /* the element whose raw text comes now */
	bool raw_text_kept; /* its text goes to raw_text: JSON-LD, style, title */
	struct buf raw_text;
	struct str raw_view; /* or it is this slice of the page */
	unsigned cut;

	/* links */
	VEC(struct link) links;
	VEC(struct anchor) anchors; /* one for each */
	uint32_t anchor;	    /* 1 + number of the open a, 0 none */
	uint32_t base_folder;	    /* of base_url: behind the last slash of its path */
	struct url base_url, scratch_url;
	struct authority authorities[1 << AUTHORITY_BITS];

	/* the head */
	struct str base, description, canonical, lang, published, author, site_name;
	struct str title; /* set once, in the arena */
	bool has_title, title_late;
	unsigned published_rank;
	bool nofollow, noindex;
};

struct str extract_keep(struct extract *x, struct str s,
			size_t max);			      /* a slice that lasts as long as the page's result */
void extract_add(struct extract *x, const char *p, size_t n); /* text, as the element at hand shows it */
static inline void extract_separate(struct extract *x, char c)
{
	if (c == '\n' || x->sep != '\n')
		x->sep = c;
}

/* extract_tree.c */
void tree_start(struct extract *x, const struct html_token *t);
void tree_end(struct extract *x, const struct html_token *t);
void tree_text(struct extract *x, struct str text);
void tree_finish(struct extract *x);

/* extract_head.c */
enum { RANK_PUBLISHED = 7 }; /* dates of at least this rank are of publication, not of any change */
void head_meta(struct extract *x, const struct html_token *t);
void head_link(struct extract *x, const struct html_token *t);
void head_attributes(struct extract *x, const struct html_token *t); /* lang, itemprop, datetime */
void head_raw(struct extract *x, enum tag tag, struct str text);     /* the text of a title, style or JSON-LD script */

/* link.c */
extern const uint8_t link_rows[TAG_COUNT]; /* 1 + first row of the tag in the table of links; 0: it has none */
void link_start(struct extract *x, const struct html_token *t);
void link_end_anchor(struct extract *x);
void link_add(struct extract *x, enum link_kind kind, struct str href, struct str rel);
void link_css(struct extract *x, struct str css);
void link_finish(struct extract *x); /* resolves */

/* link_resolve.c */
void link_base(struct extract *x);			     /* base_url, of the page's address and its base */
struct str link_resolve(struct extract *x, struct str href); /* href is of extract_keep(); STR_NONE: no URL */
#endif
