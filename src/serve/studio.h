/* serve/studio.h -- what the files of the rule studio share: a rule as it is asked for, checked and tried out. */
#ifndef WINNOW_SERVE_STUDIO_H
#define WINNOW_SERVE_STUDIO_H
#include "flow/preview.h"
#include "serve/builder.h"
#include "serve/page.h"

struct studio {
	struct str rule, where, per, prefer, name, keep_at_least, saved; /* saved: the name it was saved under */
	const char *preset;
	struct rule *good; /* NULL: none or wrong */
	struct err wrong, wrong_where;
	struct str plan;
	struct built built;
	bool fields;		       /* the builder can show it */
	struct preview_report preview; /* with looked */
	struct err no_preview;
	bool looked;
};

/* From the request's query; from the posted form. */
void studio_ask(struct request *q, struct studio *s);
void studio_posted(struct request *q, struct studio *s);
void studio_check(struct request *q, struct collection *coll, struct studio *s);
/* Tries the rule out; preview_report_release when s->looked. */
void studio_look(struct request *q, struct collection *coll, struct studio *s);
struct buf *studio_page(struct request *q, struct collection *coll, const struct studio *s);
/* page_preview.c: the inside of the preview's panel. */
void studio_preview(struct request *q, struct buf *b, const struct studio *s);
/* The address of this studio with another rule (STR_NONE: the same). */
void studio_href(struct request *q, struct buf *b, const struct studio *s, struct str rule);
#endif
