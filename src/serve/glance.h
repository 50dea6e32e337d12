/* serve/glance.h -- what a collection has, counted once for each revision.
 *
 * Counting reads whole tables: a second or two for a million captures.  So it
 * is done beside the pages, by one thread, and the numbers are kept in memory
 * and in the catalogue (meta 'glance', unless the server only reads): a server
 * that starts on a collection that was counted before has them at once.  A page
 * that asks waits GLANCE_WAIT_MS, which is enough for small collections; then
 * it gets the last numbers known, or none, and says so.  The same thread then
 * makes the table of captures that previews read (not by a server that only reads).
 */
#ifndef WINNOW_SERVE_GLANCE_H
#define WINNOW_SERVE_GLANCE_H
#include "serve/server.h"

struct glance_row {
	struct str name;
	uint64_t n;
};

struct glance_table {
	struct glance_row *rows;
	size_t n;
	uint64_t all;	    /* rows there are; n of them are here */
	uint64_t sum, most; /* of the rows that are here */
};

enum glance_kind {
	GLANCE_MONTHS,
	GLANCE_HOSTS,
	GLANCE_MIME,
	GLANCE_STATUS,
	GLANCE_LANG,
	GLANCE_FLAWS,
	GLANCE_WHY,
	GLANCE_KINDS
};
extern const char *const glance_names[GLANCE_KINDS];

struct glance {
	struct catalog_stats stats; /* its revision is the one that was counted */
	struct glance_table tables[GLANCE_KINDS];
};

/* In q->arena.  False: nothing is known yet (*g is zero, or of an older revision: then its stats.revision says which). */
bool glance_of(struct request *q, const struct served *s, struct collection *coll, struct glance *g);
void glance_later(struct response *r); /* 503: to programs that ask before it was counted */
#endif
