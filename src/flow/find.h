/* flow/find.h -- full-text search over documents: the best contents, then their captures.
 *
 * A content is a hit once, however many captures it has; a filter (selection
 * or cover) passes a content when one of its captures passes, and the newest
 * of those stands for it.  What access rules hide does not pass: it is neither
 * shown nor counted.
 */
#ifndef WINNOW_FLOW_FIND_H
#define WINNOW_FLOW_FIND_H
#include "flow/acl.h"
#include "flow/collection.h"

struct find_request {
	struct str words;
	const char *where; /* NULL: all documents */
	uint64_t cover;	   /* 0: none; else only what it keeps */
	size_t limit;
	size_t snippet;	       /* bytes; 0: no snippets */
	const struct acl *acl; /* NULL: nothing is hidden */
	struct str user;       /* whom it asks about */
	bool brief;	       /* of a capture only id, time, urlkey, host and lang: what facets count */
};

struct find_hit {
	struct capture capture; /* the newest that passes */
	uint64_t captures;	/* of that content that pass */
	double score;
	struct ftsnippet snippet;
};

struct find_result {
	struct find_hit *hits;
	size_t n;
	uint64_t matches; /* contents that match and pass */
};

/* In the arena. */
int find_run(struct collection *coll, struct arena *a, const struct find_request *q, struct find_result *out,
	     struct err *err);
#endif
