/* serve/cover_ui.h -- what the pages of covers share. */
#ifndef WINNOW_SERVE_COVER_UI_H
#define WINNOW_SERVE_COVER_UI_H
#include "flow/members.h"
#include "serve/page.h"

static inline double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

void cover_href(struct request *q, struct buf *b, uint64_t id);
/* The cover that the argument names, its collection begun; false with the error in r. */
bool cover_open(struct request *q, struct response *r, const char *name, struct collection **coll,
		struct cover_row *row);
/* One document in a list; false when readers may not see it (its number stands there). */
bool cover_document(struct request *q, struct collection *coll, struct buf *b, uint64_t id, struct capture *c);
/* How much of a hidden document is in the one that hides it. */
void cover_score(struct buf *b, const struct cover_member *m);
/* diff, why, keep this one. */
void cover_actions(struct request *q, struct buf *b, const struct cover_row *row, uint64_t hidden, uint64_t kept);
/* What a kept document hides, at most `most` of them. */
void cover_covered(struct request *q, struct collection *coll, struct buf *b, const struct cover_row *row,
		   uint64_t kept, uint64_t most);
/* A button that computes the cover with one more document kept; keep 0: that brings it up to date. */
void cover_again(struct request *q, struct buf *b, uint64_t cover, uint64_t keep, const char *label);
#endif
