/* join/rows.h -- row collapse: documents that a disjunct can tell apart only by
 * order and test become one row.
 *
 * A row is (key, sets of the kinds in use); its members are documents.  Rows
 * are numbered by (block = key, sort value), so that a block is a range of
 * rows and, with an order, the rows that may lie on the other side of a pair
 * are a suffix of it.  Empty sets are one set.  Documents that can be neither
 * side of a pair are in no row.
 * Cost: a sort of the documents; 4-5 numbers a document, 6-8 a row.
 */
#ifndef WINNOW_JOIN_ROWS_H
#define WINNOW_JOIN_ROWS_H
#include "join/query.h"

#define ROW_NONE UINT32_MAX

struct rows {
	uint32_t n, n_blocks;
	uint32_t *block;	    /* [n] */
	uint32_t *block_start;	    /* [n_blocks + 1] rows of a block */
	uint32_t *set[JOIN_KINDS];  /* [n]; JOIN_NO_SET is the empty set; NULL when the kind is not in use */
	uint32_t *size[JOIN_KINDS]; /* [n] */
	uint32_t *start,
	    *member;	  /* members of row r: member[start[r]] .. ; ascending by (vb of the first order, number) */
	uint32_t *row_of; /* [documents] or ROW_NONE */
	/* Over the members, by the first order (NULL without one): the range of va and of vb; empty ranges are
	 * (INFINITY, -INFINITY). */
	double *a_min, *a_max, *b_min, *b_max;
	bool flip; /* sorted by a_min instead of b_max */
};

/* kinds: bit k set = sets of kind k tell rows apart.  live: [q->n] or NULL.
 * flip: rows ascend by a_min instead of by b_max. */
void rows_build(struct rows *r, const struct join_query *q, const struct join_disjunct *d, unsigned kinds, bool flip,
		const uint8_t *live);
void rows_release(struct rows *r);

/* Rows of the block of x that can stand opposite to it by the first order:
 * x as b when r->flip, else x as a. */
void rows_range(const struct rows *r, const struct join_disjunct *d, uint32_t x, uint32_t *from, uint32_t *to);
/* Can some member of x be a, and some of y be b, by the first order? */
bool rows_may(const struct rows *r, const struct join_disjunct *d, uint32_t x, uint32_t y);
#endif
