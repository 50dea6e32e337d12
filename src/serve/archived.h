/* serve/archived.h -- headers of an archived response: which pass, which are rewritten, which get a prefix. */
#ifndef WINNOW_SERVE_ARCHIVED_H
#define WINNOW_SERVE_ARCHIVED_H
#include "archive/http.h"
#include "serve/rewrite.h"
#include "serve/server.h"

enum archived_form {
	ARCHIVED_RAW,	    /* id_: the bytes as archived, their coding too */
	ARCHIVED_DECODED,   /* codings undone, nothing rewritten */
	ARCHIVED_REWRITTEN, /* length and type are ours */
};

/* The type of an archived body, said to a browser. */
void archived_type(struct response *r, struct str type);
void archived_headers(struct response *r, const struct http_head *head, enum archived_form form, struct rewriter *w,
		      bool redirects);
#endif
