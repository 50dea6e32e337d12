/* flow/members.h -- the documents of a stored cover in an order, from a place on: what pages and programs list.
 *
 * Each step is one step of an index; nothing is sorted, so that the first rows
 * of a cover of millions cost what they are.
 */
#ifndef WINNOW_FLOW_MEMBERS_H
#define WINNOW_FLOW_MEMBERS_H
#include "flow/covers.h"

enum members_which {
	MEMBERS_ALL, /* by capture, behind `after`, as are the next two */
	MEMBERS_KEPT,
	MEMBERS_DROPPED,
	MEMBERS_BY_WITNESS, /* the dropped ones by witness and capture, behind (witness, after) */
	MEMBERS_OF,	    /* those that `witness` covers, by capture */
};

struct members_query {
	uint64_t cover;
	enum members_which which;
	uint64_t witness, after;
};

struct members;

int members_open(struct members **out, struct collection *coll, const struct members_query *q, struct err *err);
int members_next(struct members *m, struct cover_member *out, struct err *err); /* WN_END */
void members_close(struct members *m);						/* NULL is fine */

/* How many documents a kept one covers; how many captures of a URL are dropped. */
int members_count_of(struct collection *coll, uint64_t cover, uint64_t witness, uint64_t *n, struct err *err);
int members_count_dropped(struct collection *coll, uint64_t cover, struct str urlkey, uint64_t *n, struct err *err);
/* Calls each for every kept document that covers others, by its number, with how many. */
int members_covering(struct catalog *c, uint64_t cover, void (*each)(void *context, uint64_t kept, uint64_t covers),
		     void *context, struct err *err);
/* How many documents both covers keep, and how many the first alone.  Reads all of the first. */
int members_compare(struct collection *coll, uint64_t first, uint64_t second, uint64_t *both, uint64_t *alone,
		    struct err *err);
#endif
