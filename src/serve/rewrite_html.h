/* serve/rewrite_html.h -- inside of the HTML rewriter: tags and attributes with their place in the source. */
#ifndef WINNOW_SERVE_REWRITE_HTML_H
#define WINNOW_SERVE_REWRITE_HTML_H
#include "serve/rewrite.h"

#define SCAN_ATTRS 256 /* attributes of one tag that are looked at; the rest is copied */

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
};

/* The tag at s.p[at] == '<'; where it ends, 0: never. */
size_t html_scan_tag(struct str s, size_t at, struct scanned_tag *t);
size_t html_scan_comment(struct str s, size_t at);
size_t html_scan_raw(struct str s, size_t at, struct str name); /* where the element's end tag begins */
bool html_is_raw(struct str name);
struct str html_scan_value(const struct scanned_tag *t, const char *name);
struct str html_attr_decode(struct arena *a, struct str s);
void html_rewrite_at(struct rewriter *w, struct str page, unsigned depth);
#endif
