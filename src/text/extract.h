/* text/extract.h -- what a page says, in one pass over its tokens.
 *
 * The result: the body text, where its block elements lie (text/outline.h, from
 * which main content is computed), what the head says, and the links in
 * document order.  Nobody parses a page twice.
 *
 * Body text: the title, then a line per block.  White space is collapsed to one
 * blank except in pre and textarea; a cell ends with a tab, a block with a
 * newline, br is a newline.  Not in it: script, style, template, comments,
 * what is `hidden`, head text but the title, and what no reader is shown
 * (noframes, iframe, noembed, audio, video, datalist, a closed dialog).
 * noscript is read as without scripts.
 *
 * Everything is borrowed from the extractor and from the page's bytes, until
 * the next extract_page() or release.  Memory and time are bounded by lines of
 * base/limits.h; what was cut is in `cut`.
 */
#ifndef WINNOW_TEXT_EXTRACT_H
#define WINNOW_TEXT_EXTRACT_H
#include "base/str.h"
#include "text/outline.h"
#include "text/tag.h"

/* New kinds at the end: the catalogue stores the number. */
/* clang-format off */
enum link_kind { LINK_A, LINK_AREA, LINK_LINK, LINK_IMG, LINK_SCRIPT, LINK_FRAME, LINK_FORM, LINK_REFRESH, LINK_CSS, LINK_MEDIA, LINK_KINDS };
/* clang-format on */
const char *link_kind_name(enum link_kind kind);

struct link {
	struct str href;   /* as written, references decoded, white space trimmed */
	struct str url;	   /* resolved against the base; STR_NONE when it cannot be, or resolving was not asked for */
	struct str anchor; /* LINK_A, LINK_AREA: its text (alt for an area), collapsed, at most LIMIT_ANCHOR bytes */
	struct str rel;
	uint32_t at; /* where it begins in the body text */
	uint8_t kind;
	bool nofollow; /* by rel, or by the page's robots meta */
};

struct encoding;

struct extract_options {
	bool xml; /* XHTML served as XML: CDATA sections and self-closing tags count */
	bool no_links;
	bool no_resolve; /* leave link.url empty */
	bool no_outline;
	bool no_cr;			 /* the page has none, which else would be looked for */
	size_t max_text;		 /* 0: LIMIT_TEXT */
	const struct encoding *encoding; /* that the page was in, for the queries of its links; NULL: UTF-8 */
};

enum extract_cut { CUT_TEXT = 1, CUT_DEPTH = 2, CUT_LINKS = 4, CUT_TOKEN = 8, CUT_NUL = 16 };

struct page {
	struct str text;	/* the body text, title first */
	struct str title;	/* collapsed */
	size_t body_start;	/* where the text behind the title begins */
	struct str description; /* meta description, og:description */
	struct str canonical;	/* link rel=canonical, resolved */
	struct str lang;	/* html lang, xml:lang, meta content-language */
	struct str published;	/* as the page says it */
	struct str author, site_name;
	struct str base;	/* what links were resolved against */
	bool nofollow, noindex; /* robots meta */
	const struct link *links;
	size_t nlinks;
	const struct outline *outline; /* rows of the body text; NULL with no_outline */
	unsigned cut;		       /* enum extract_cut */
};

struct extract;
struct extract *extract_new(void);
/* page must outlive *out: slices point into it.  html is UTF-8. */
void extract_page(struct extract *x, struct str html, struct str url, const struct extract_options *options,
		  struct page *out);
void extract_free(struct extract *x); /* x may be NULL */
#endif
