/* serve/parts.h -- of what times the parts of an archived page are.
 *
 * The page is rewritten as replay rewrites it, and every reference to a part
 * (image, style, script, frame) in the result is looked up as replay would:
 * the capture closest to the page's time.  The styles' own parts are looked up
 * too.  Cost: one rewriting and two seeks a part, at most PARTS_MOST of them.
 */
#ifndef WINNOW_SERVE_PARTS_H
#define WINNOW_SERVE_PARTS_H
#include "serve/replay.h"

#define PARTS_MOST 300
#define PARTS_STYLES 20

struct parts {
	unsigned found, missing;
	int64_t before, after; /* seconds: the earliest part before the page (<= 0), the latest after it (>= 0) */
	bool cut;	       /* there are more than PARTS_MOST */
};

/* False: the page has no parts that can be known (no HTML, not readable). */
bool parts_of(struct request *q, struct history *h, const struct capture *page, struct parts *out);
#endif
