/* text/html.h -- the tokenizer of the HTML standard, fed in pieces.
 *
 *	struct html *h = html_new(sink, context);
 *	while (more) html_feed(h, piece);
 *	html_end(h);				// HTML_EOF reaches the sink
 *	html_free(h);
 *
 * Input is UTF-8 (lone surrogates as generalised UTF-8 pass through); a piece
 * may end at any byte.  CR and CRLF become LF.  Tokens go to one sink; all
 * that a token points to lasts until the sink returns, except slices for which
 * html_borrowed() says they lie in the piece itself.  Text may arrive in
 * several tokens.  The sink plays the tree builder: it may call
 * html_set_state() while it handles a start tag, and html_set_foreign().
 *
 * State = function: each state of the standard is a function from a position
 * to a new position, so feeding resumes anywhere.  Beside it runs a bulk path
 * that reads a whole ordinary tag at once and steps aside (to the states) for
 * anything that is not ordinary.  Errors are reported only when asked for;
 * otherwise they cost nothing.
 *
 * Cost: one pass.  Memory: LIMIT_HTML_TOKEN for the longest tag or comment,
 * LIMIT_HTML_ATTRS attributes; what is beyond is dropped and counted in cut.
 */
#ifndef WINNOW_TEXT_HTML_H
#define WINNOW_TEXT_HTML_H
#include "base/str.h"
#include "text/tag.h"

enum html_type { HTML_TEXT, HTML_START, HTML_END, HTML_COMMENT, HTML_DOCTYPE, HTML_EOF };

struct html_attr {
	struct str name;  /* lower case */
	struct str value; /* character references decoded */
};

struct html_token {
	enum html_type type;
	enum tag tag; /* start, end: TAG_OTHER when not in tag.h */
	bool self_closing;
	bool force_quirks, has_public, has_system; /* doctype */
	struct str text;			   /* text, comment: content; tags, doctype: name */
	struct str public_id, system_id;
	const struct html_attr *attrs;
	size_t nattrs;
};

typedef void html_sink(void *context, const struct html_token *token);
typedef void html_text_sink(void *context, const char *p, size_t n);
typedef void html_error_sink(void *context, const char *code); /* code as the standard spells it */

/* The states a tree builder switches to. */
enum html_model { HTML_DATA, HTML_RCDATA, HTML_RAWTEXT, HTML_SCRIPT, HTML_PLAINTEXT, HTML_CDATA };

struct html;
struct html *html_new(html_sink *sink, void *context);
void html_errors(struct html *h, html_error_sink *errors); /* same context; NULL: none */
void html_text_to(struct html *h, html_text_sink *text);   /* text goes there, not to the sink; same context */
void html_bulk(struct html *h, bool on);		   /* the bulk path; on by default, off is the twin */
void html_feed(struct html *h, struct str piece);
void html_feed_clean(struct html *h, struct str piece); /* a piece that has no CR */
void html_end(struct html *h);
void html_reset(struct html *h); /* ready for another page, keeps memory */
void html_free(struct html *h);	 /* h may be NULL */

void html_set_model(struct html *h, enum html_model model);
void html_set_last_start(struct html *h, struct str name); /* what an "appropriate end tag" must match */
void html_set_foreign(struct html *h, bool foreign);	   /* <![CDATA[ opens a section */
size_t html_cut(const struct html *h);			   /* attributes and bytes dropped at the limits */

/* The attribute's value, STR_NONE when the token has none (an empty value has p != NULL). */
struct str html_attr(const struct html_token *token, struct str name);
#endif
