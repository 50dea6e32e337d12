/* serve/rewrite.h -- archived pages, styles and scripts whose references lead into the archive.
 *
 * Everything is a copy of the archived bytes in which only references are
 * replaced; whatever is no reference stays byte for byte, so charsets, XHTML
 * and text in textareas are untouched.  Input is in an encoding that agrees
 * with ASCII below 0x80 (UTF-16 is converted before).  Cost: one pass.
 */
#ifndef WINNOW_SERVE_REWRITE_H
#define WINNOW_SERVE_REWRITE_H
#include "archive/url.h"
#include "base/buf.h"
#include "serve/path.h"
#include "text/charset.h"

struct rewriter {
	struct charset charset; /* of the page */
	struct str prefix;	/* "/sample/" or "/base/sample/" */
	char stamp[15];		/* of the capture */
	struct url base;	/* of the page; <base href> changes it */
	struct url scratch;
	struct buf *out;
	struct arena *arena;
	struct str head; /* put where the page's own scripts begin; empty: nothing */
	bool head_done;
	bool utf8; /* bytes >= 0x80 in URLs are UTF-8 */
	bool xml;  /* XHTML: entities and CDATA as XML has them */
	bool bare; /* the page has no origin: browsers refuse its XSLT, and would show nothing */
	bool made; /* found: its document type makes elements or attributes, which nobody rewrote */
	bool top;  /* links leave the frame by target=_top: rewritten to the frame page */
};

/* Adds the reference, rewritten; as it is when it is none that can be archived (data:, mailto:, #x). */
void rewrite_ref(struct rewriter *w, struct str ref, enum modifier mod, struct buf *out);
/* The same, but what stays in the archive by itself stays as it is: what it is relative to may be written elsewhere. */
void rewrite_lead(struct rewriter *w, struct str ref, enum modifier mod, struct buf *out);
/* An absolute address in the archive of url (resolved), e.g. for Location. */
void rewrite_absolute(struct rewriter *w, struct str ref, enum modifier mod, struct buf *out);

void rewrite_html(struct rewriter *w, struct str page);
void rewrite_css(struct rewriter *w, struct str css, struct buf *out);
void rewrite_js(struct rewriter *w, struct str js, struct buf *out);	       /* rewrite_js.c says what it changes */
void rewrite_import_map(struct rewriter *w, struct str json, struct buf *out); /* keys and values that are addresses */
void rewrite_srcset(struct rewriter *w, struct str value, enum modifier mod, struct buf *out);
void rewrite_hls(struct rewriter *w, struct str lines, struct buf *out); /* lines that are URIs, URI="..." */
void rewrite_app(struct rewriter *w, struct str json, struct buf *out);	 /* a web application's manifest */
void rewrite_xml(struct rewriter *w, struct str xml);			 /* rewrite_xml.c says what it changes */
struct str xml_root(struct str xml);					 /* its first element's name, without prefix */

/* Which way a body of this type is rewritten, by type, modifier and first bytes. */
enum rewrite_kind { REWRITE_NOT, REWRITE_HTML, REWRITE_CSS, REWRITE_JS, REWRITE_HLS, REWRITE_APP, REWRITE_XML };
enum rewrite_kind rewrite_kind(struct str mime, enum modifier mod, struct str body);
#endif
