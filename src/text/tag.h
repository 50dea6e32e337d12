/* text/tag.h -- the elements of HTML: one line each, with all that is known of it.
 *
 * X(id, name, flags, outline): flags say how the element behaves in the body
 * text and on the stack of open elements; outline is its column for
 * text/outline.h.  tools/mktag makes the perfect hash of the names
 * (tag_table.h); run it when a line is added.
 */
#ifndef WINNOW_TEXT_TAG_H
#define WINNOW_TEXT_TAG_H
#include "base/str.h"
#include "text/outline.h"

enum tag_flag {
	IS_BLOCK = 1,	  /* separates terms: begins and ends a line */
	IS_CELL = 2,	  /* separates terms by a tab */
	IS_VOID = 4,	  /* has no content and no end */
	IS_HIDE = 8,	  /* its text is never shown */
	IS_CLOSES_P = 16, /* its start closes an open p */
	IS_SPECIAL =
	    32, /* the standard's category, of what is kept on the stack: an end tag of another name does not reach past it */
	IS_FORMAT = 64,	  /* formatting element (adoption agency) */
	IS_IMPLIED = 128, /* closed by generating implied end tags */
	IS_SCOPE = 256,	  /* bounds the default scope */
	IS_RAW = 512,	  /* switches the tokenizer; see extract.c */
	IS_HEADING = 1024,
	IS_BREAKOUT = 2048,   /* its start ends foreign content */
	IS_HEAD = 4096,	      /* may stand in head without opening body */
	IS_TABLE_PART = 8192, /* caption colgroup col tbody thead tfoot tr td th */
	IS_STRUCTURE = 16384, /* its start tag may mean no element: html head body frameset frame form */
	IS_ENDING = 32768,    /* its start tag ends others beside an open p */
};

#define IS_B_ (IS_BLOCK | IS_CLOSES_P | IS_SPECIAL)
/* clang-format off */
#define TAG_LIST(X) \
	X(A, "a", IS_FORMAT | IS_ENDING, NONE) X(ABBR, "abbr", 0, NONE) X(ACRONYM, "acronym", 0, NONE) \
	X(ADDRESS, "address", IS_B_, ADDRESS) X(APPLET, "applet", IS_SPECIAL | IS_SCOPE, NONE) \
	X(AREA, "area", IS_VOID, NONE) X(ARTICLE, "article", IS_B_, ARTICLE) X(ASIDE, "aside", IS_B_, ASIDE) \
	X(AUDIO, "audio", IS_HIDE, NONE) X(B, "b", IS_FORMAT | IS_BREAKOUT, NONE) \
	X(BASE, "base", IS_VOID | IS_HEAD, NONE) X(BASEFONT, "basefont", IS_VOID | IS_HEAD, NONE) \
	X(BDI, "bdi", 0, NONE) X(BDO, "bdo", 0, NONE) X(BGSOUND, "bgsound", IS_VOID | IS_HEAD, NONE) \
	X(BIG, "big", IS_FORMAT | IS_BREAKOUT, NONE) X(BLINK, "blink", 0, NONE) \
	X(BLOCKQUOTE, "blockquote", IS_B_ | IS_BREAKOUT, QUOTE) X(BODY, "body", IS_BLOCK | IS_SPECIAL | IS_BREAKOUT | IS_STRUCTURE, BODY) \
	X(BR, "br", IS_VOID | IS_BREAKOUT, NONE) X(BUTTON, "button", IS_SPECIAL | IS_ENDING, CONTROL) X(CANVAS, "canvas", 0, NONE) \
	X(CAPTION, "caption", IS_BLOCK | IS_SPECIAL | IS_SCOPE | IS_TABLE_PART, CAPTION) \
	X(CENTER, "center", IS_B_ | IS_BREAKOUT, DIV) X(CITE, "cite", 0, NONE) X(CODE, "code", IS_FORMAT | IS_BREAKOUT, NONE) \
	X(COL, "col", IS_VOID | IS_TABLE_PART, NONE) X(COLGROUP, "colgroup", IS_SPECIAL | IS_TABLE_PART, NONE) \
	X(DATA, "data", 0, NONE) X(DATALIST, "datalist", IS_HIDE, CONTROL) \
	X(DD, "dd", IS_B_ | IS_IMPLIED | IS_BREAKOUT | IS_ENDING, DD) X(DEL, "del", 0, NONE) \
	X(DESC, "desc", 0, NONE) X(DETAILS, "details", IS_B_, DIV) X(DFN, "dfn", 0, NONE) X(DIALOG, "dialog", IS_BLOCK | IS_CLOSES_P, DIV) \
	X(DIR, "dir", IS_B_, UL) X(DIV, "div", IS_B_ | IS_BREAKOUT, DIV) X(DL, "dl", IS_B_ | IS_BREAKOUT, DL) \
	X(DT, "dt", IS_B_ | IS_IMPLIED | IS_BREAKOUT | IS_ENDING, DT) X(EM, "em", IS_FORMAT | IS_BREAKOUT, NONE) \
	X(EMBED, "embed", IS_VOID | IS_BREAKOUT, NONE) X(FIELDSET, "fieldset", IS_B_, DIV) \
	X(FIGCAPTION, "figcaption", IS_B_, CAPTION) X(FIGURE, "figure", IS_B_, FIGURE) X(FONT, "font", IS_FORMAT, NONE) \
	X(FOOTER, "footer", IS_B_, FOOTER) X(FOREIGNOBJECT, "foreignobject", IS_BLOCK, NONE) X(FORM, "form", IS_B_ | IS_STRUCTURE, FORM) \
	X(FRAME, "frame", IS_VOID | IS_STRUCTURE, NONE) X(FRAMESET, "frameset", IS_SPECIAL | IS_STRUCTURE, NONE) \
	X(H1, "h1", IS_B_ | IS_HEADING | IS_BREAKOUT | IS_ENDING, HEADING) X(H2, "h2", IS_B_ | IS_HEADING | IS_BREAKOUT | IS_ENDING, HEADING) \
	X(H3, "h3", IS_B_ | IS_HEADING | IS_BREAKOUT | IS_ENDING, HEADING) X(H4, "h4", IS_B_ | IS_HEADING | IS_BREAKOUT | IS_ENDING, HEADING) \
	X(H5, "h5", IS_B_ | IS_HEADING | IS_BREAKOUT | IS_ENDING, HEADING) X(H6, "h6", IS_B_ | IS_HEADING | IS_BREAKOUT | IS_ENDING, HEADING) \
	X(HEAD, "head", IS_SPECIAL | IS_BREAKOUT | IS_STRUCTURE, NONE) X(HEADER, "header", IS_B_, HEADER) X(HGROUP, "hgroup", IS_B_, DIV) \
	X(HR, "hr", IS_B_ | IS_VOID | IS_BREAKOUT, NONE) X(HTML, "html", IS_BLOCK | IS_SPECIAL | IS_SCOPE | IS_STRUCTURE, NONE) \
	X(I, "i", IS_FORMAT | IS_BREAKOUT, NONE) X(IFRAME, "iframe", IS_RAW | IS_HIDE, NONE) X(IMAGE, "image", IS_VOID, NONE) \
	X(IMG, "img", IS_VOID | IS_BREAKOUT, NONE) X(INPUT, "input", IS_VOID, NONE) X(INS, "ins", 0, NONE) \
	X(KBD, "kbd", 0, NONE) X(KEYGEN, "keygen", IS_VOID, NONE) X(LABEL, "label", 0, CONTROL) X(LEGEND, "legend", IS_BLOCK, CONTROL) \
	X(LI, "li", IS_B_ | IS_IMPLIED | IS_BREAKOUT | IS_ENDING, LI) X(LINK, "link", IS_VOID | IS_HEAD, NONE) \
	X(LISTING, "listing", IS_B_ | IS_BREAKOUT, PRE) X(MAIN, "main", IS_B_, MAIN) X(MAP, "map", 0, NONE) X(MARK, "mark", 0, NONE) \
	X(MARQUEE, "marquee", IS_SPECIAL | IS_SCOPE, NONE) X(MATH, "math", 0, NONE) X(MENU, "menu", IS_B_ | IS_BREAKOUT, UL) \
	X(META, "meta", IS_VOID | IS_HEAD | IS_BREAKOUT, NONE) X(METER, "meter", 0, NONE) X(MI, "mi", 0, NONE) X(MN, "mn", 0, NONE) \
	X(MO, "mo", 0, NONE) X(MS, "ms", 0, NONE) X(MTEXT, "mtext", 0, NONE) X(ANNOTATION_XML, "annotation-xml", 0, NONE) \
	X(NAV, "nav", IS_B_, NAV) X(NOBR, "nobr", IS_FORMAT | IS_BREAKOUT | IS_ENDING, NONE) X(NOEMBED, "noembed", IS_RAW | IS_HIDE, NONE) \
	X(NOFRAMES, "noframes", IS_RAW | IS_HIDE | IS_HEAD, NONE) X(NOSCRIPT, "noscript", IS_SPECIAL | IS_HEAD, NONE) \
	X(OBJECT, "object", IS_SPECIAL | IS_SCOPE, NONE) X(OL, "ol", IS_B_ | IS_BREAKOUT, UL) \
	X(OPTGROUP, "optgroup", IS_BLOCK | IS_IMPLIED | IS_ENDING, CONTROL) X(OPTION, "option", IS_BLOCK | IS_IMPLIED | IS_ENDING, CONTROL) \
	X(OUTPUT, "output", 0, NONE) X(P, "p", IS_B_ | IS_IMPLIED | IS_BREAKOUT, P) X(PARAM, "param", IS_VOID, NONE) \
	X(PICTURE, "picture", 0, NONE) X(PLAINTEXT, "plaintext", IS_B_ | IS_RAW, PRE) X(PRE, "pre", IS_B_ | IS_BREAKOUT, PRE) \
	X(PROGRESS, "progress", 0, NONE) X(Q, "q", 0, NONE) X(RB, "rb", IS_IMPLIED | IS_ENDING, NONE) X(RP, "rp", IS_IMPLIED | IS_HIDE | IS_ENDING, NONE) \
	X(RT, "rt", IS_IMPLIED | IS_ENDING, NONE) X(RTC, "rtc", IS_IMPLIED | IS_ENDING, NONE) X(RUBY, "ruby", IS_BREAKOUT, NONE) \
	X(S, "s", IS_FORMAT | IS_BREAKOUT, NONE) X(SAMP, "samp", 0, NONE) X(SCRIPT, "script", IS_RAW | IS_HIDE | IS_HEAD, NONE) \
	X(SEARCH, "search", IS_B_, DIV) X(SECTION, "section", IS_B_, SECTION) \
	X(SELECT, "select", IS_SPECIAL, CONTROL) X(SMALL, "small", IS_FORMAT | IS_BREAKOUT, NONE) X(SOURCE, "source", IS_VOID, NONE) \
	X(SPAN, "span", IS_BREAKOUT, NONE) X(STRIKE, "strike", IS_FORMAT | IS_BREAKOUT, NONE) \
	X(STRONG, "strong", IS_FORMAT | IS_BREAKOUT, NONE) X(STYLE, "style", IS_RAW | IS_HIDE | IS_HEAD, NONE) \
	X(SUB, "sub", IS_BREAKOUT, NONE) X(SUMMARY, "summary", IS_B_, NONE) X(SUP, "sup", IS_BREAKOUT, NONE) X(SVG, "svg", 0, NONE) \
	X(TABLE, "table", IS_B_ | IS_SCOPE | IS_BREAKOUT | IS_ENDING, TABLE) X(TBODY, "tbody", IS_BLOCK | IS_SPECIAL | IS_TABLE_PART, NONE) \
	X(TD, "td", IS_CELL | IS_SPECIAL | IS_SCOPE | IS_TABLE_PART, TD) X(TEMPLATE, "template", IS_HIDE | IS_SPECIAL | IS_SCOPE | IS_HEAD, NONE) \
	X(TEXTAREA, "textarea", IS_RAW | IS_BLOCK | IS_SPECIAL, CONTROL) X(TFOOT, "tfoot", IS_BLOCK | IS_SPECIAL | IS_TABLE_PART, NONE) \
	X(TH, "th", IS_CELL | IS_SPECIAL | IS_SCOPE | IS_TABLE_PART, TD) X(THEAD, "thead", IS_BLOCK | IS_SPECIAL | IS_TABLE_PART, NONE) \
	X(TIME, "time", 0, TIME) X(TITLE, "title", IS_RAW | IS_HEAD, NONE) X(TR, "tr", IS_BLOCK | IS_SPECIAL | IS_TABLE_PART, TR) \
	X(TRACK, "track", IS_VOID, NONE) X(TT, "tt", IS_FORMAT | IS_BREAKOUT, NONE) X(U, "u", IS_FORMAT | IS_BREAKOUT, NONE) \
	X(UL, "ul", IS_B_ | IS_BREAKOUT, UL) X(VAR, "var", IS_BREAKOUT, NONE) X(VIDEO, "video", IS_HIDE, NONE) \
	X(WBR, "wbr", IS_VOID, NONE) X(XMP, "xmp", IS_B_ | IS_RAW, PRE)
/* clang-format on */

enum tag {
	TAG_OTHER,
#define X(id, name, flags, outline) TAG_##id,
	TAG_LIST(X)
#undef X
	    TAG_COUNT
};

struct tag_info {
	struct str name;
	uint16_t flags;
	uint8_t outline; /* enum outline_tag */
};
extern const struct tag_info tag_info[TAG_COUNT]; /* by enum tag; TAG_OTHER has no name */

enum tag tag_of(const char *lower, size_t n); /* by lower-case name */
#endif
