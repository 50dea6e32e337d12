/* serve/rewrite_html.h -- inside of the rewriters of markup: tags and attributes with their place in the source. */
#ifndef WINNOW_SERVE_REWRITE_HTML_H
#define WINNOW_SERVE_REWRITE_HTML_H
#include "serve/rewrite.h"

enum {
	SCAN_ATTRS = 256,  /* attributes of one tag that are held; more are read again from the source */
	SCAN_DECIDING = 6, /* names of attributes that say how others are read */
};

struct scanned_attr {
	struct str name, value; /* in the source; value without quotes, not decoded */
	char quote;		/* 0: none */
	bool has_value;
};
struct scanned_tag {
	struct str name;
	bool end, self_closing;
	size_t n;
	struct scanned_attr attrs[SCAN_ATTRS];
	size_t rest;			/* where the attribute behind those begins; 0: there is none */
	struct str late[SCAN_DECIDING]; /* what attributes from there on decide */
};

static inline bool html_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

/* The next attribute of a tag, from *at on, which goes behind it or behind the tag. */
enum scan { SCAN_ATTR, SCAN_END, SCAN_CUT };
enum scan html_scan_attr(struct str s, size_t *at, struct scanned_attr *a, bool *self_closing);
/* The tag at s.p[at] == '<'; where it ends, 0: never. */
size_t html_scan_tag(struct str s, size_t at, struct scanned_tag *t);
size_t html_scan_comment(struct str s, size_t at);
size_t html_scan_raw(struct str s, size_t at, struct str name); /* where the element's end tag begins */
bool html_is_raw(struct str name);
struct str html_scan_value(const struct scanned_tag *t, const char *name); /* .p NULL: it has none */
struct str html_attr_decode(struct arena *a, struct str s);
/* The same, but references to others than ASCII are marked, and html_add_encoded makes them what they were. */
struct str html_attr_decode_ascii(struct arena *a, struct str s);
void html_add_encoded(struct buf *out, struct str s);

/* Of XML, where it is not as in HTML. */
struct str xml_local(struct str name);				    /* without its prefix */
size_t xml_scan_other(struct str s, size_t at);			    /* at "<!" or "<?": where that ends */
size_t xml_pass_other(struct rewriter *w, struct str s, size_t at); /* the same, and what it makes is noted */
/* Where the end tag of this name begins; false: an element is there before it. */
bool xml_scan_text(struct str s, size_t at, struct str name, size_t *end);
bool xml_has_own_names(struct str value); /* entities that only the document can know */
/* At <?xml-stylesheet, written like a tag: where it ends; *href NULL: it has none. */
size_t xml_scan_style(struct str s, size_t at, struct scanned_tag *t, const struct scanned_attr **href);
bool xml_is_transform(struct arena *a, const struct scanned_tag *style);

/* A page on its way out: what lies before `from` is written. */
struct html_copy {
	struct str page;
	size_t from;
	struct buf *out;
};
void html_copy_to(struct html_copy *c, const char *p);	      /* all before p */
void html_copy_renamed(struct html_copy *c, struct str name); /* a name that browsers do not act upon */
void html_copy_value(struct html_copy *c, const struct scanned_attr *a, struct str value);

void html_rewrite_at(struct rewriter *w, struct str page, unsigned depth);
#endif
