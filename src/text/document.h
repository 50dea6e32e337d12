/* text/document.h -- from a payload to a document: the one entry for flow.
 *
 * One table (document.c) says for each kind of payload how its text is made:
 * HTML, XHTML, plain text, feeds, other XML, PDF, office files.  A payload without text
 * is not an error: `why_none` says why, and stats count it.
 *
 *	struct document d;
 *	document_extract(&d, arena, worker->documents, &in, err);
 *
 * Strings of *out lie in the arena, in in->payload, or in the struct
 * documents (scratch of one worker), until its next use: copy what must last.
 */
#ifndef WINNOW_TEXT_DOCUMENT_H
#define WINNOW_TEXT_DOCUMENT_H
#include "base/arena.h"
#include "base/err.h"
#include "text/charset.h"
#include "text/extract.h"
#include "text/lang.h"
#include "text/main.h"

/* What the payload really is, after sniffing. */
enum payload_kind {
	PAYLOAD_NONE,
	PAYLOAD_HTML,
	PAYLOAD_XHTML,
	PAYLOAD_TEXT,
	PAYLOAD_FEED,
	PAYLOAD_XML, /* of no kind that has a reader of its own */
	PAYLOAD_PDF,
	PAYLOAD_OFFICE,
	PAYLOAD_BINARY,
	PAYLOAD_KINDS
};

/* Why there is no document.  Names by document_why_name(). */
enum document_why {
	DOCUMENT_HAS_TEXT,
	DOCUMENT_EMPTY,
	DOCUMENT_BINARY,
	DOCUMENT_NO_READER,
	DOCUMENT_FAILED,
	DOCUMENT_WHYS
};

struct document_in {
	struct str payload; /* decoded of content codings */
	struct str mime;    /* declared; may have parameters, may be empty */
	struct str charset; /* of the HTTP head; may be empty: then mime's parameter counts */
	struct str url;
	bool is_text; /* payload is text already, in UTF-8: what it looks like is not asked */
	bool no_links, no_resolve, no_main, no_lang, no_pdf;
};

enum document_flaw {
	DOC_FLAW_REPLACED = 1,
	DOC_FLAW_TEXT_CUT = 2,
	DOC_FLAW_DEPTH_CUT = 4,
	DOC_FLAW_LINKS_CUT = 8,
	DOC_FLAW_TOKEN_CUT = 16,
	DOC_FLAW_CHARSET_UNKNOWN = 32,
	DOC_FLAW_READER_FAILED = 64,
	DOC_FLAW_NUL = 128,
	DOC_FLAW_CHARSET_LIES = 256
};
struct document_flaw_name {
	unsigned flaw;
	const char *name, *text; /* "text-cut", one sentence */
};
extern const struct document_flaw_name document_flaw_names[]; /* ends with flaw = 0 */

struct document {
	enum payload_kind kind;
	enum document_why why_none;
	const char *failed;		      /* with DOC_FLAW_READER_FAILED: what the reader said */
	struct str mime;		      /* identified: "text/html" */
	struct page page;		      /* text, title, blocks, links, ...: valid for every kind with text */
	struct str main;		      /* main content */
	const struct main_range *main_ranges; /* of page.text */
	size_t nmain_ranges;
	struct str lang; /* ISO 639-1 or 639-3; "und" when unsure */
	double lang_confidence;
	const char *charset; /* lower case name of the Encoding Standard, NULL for binary kinds */
	enum charset_source charset_source;
	size_t replaced; /* U+FFFD put in while decoding */
	unsigned flaws;	 /* enum document_flaw */
};

struct documents; /* scratch of one worker */
struct documents *documents_new(void);
void documents_free(struct documents *d); /* d may be NULL */

/* The language of a text: of its main content where that is long enough. */
struct lang document_lang(struct str body, struct str main);
/* The same where main may be ranges of the body (text/main_ranges.h), and what was learnt of words before is kept. */
struct lang document_lang_of(struct str body, struct str main, struct str ranges, struct lang_memo *memo);
/* WN_OK also for a payload without text. */
int document_extract(struct document *out, struct arena *a, struct documents *scratch, const struct document_in *in,
		     struct err *err);
/* Whether there is a reader for it; the first 4 KiB of the payload are enough. */
bool document_readable(struct str payload, struct str mime);
const char *document_why_name(enum document_why why);

/* Bump when the same payload may give other text, links or attributes. */
#define DOCUMENT_VERSION 6
#endif
