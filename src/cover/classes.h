/* cover/classes.h -- documents that the rows of a problem do not tell apart, as one column.
 *
 * Two documents that are in the same rows, and of one quota, can stand for each
 * other; a minimum cover has no more of them than their quota asks for, and the
 * best of them will do.  Where thousands of equal pages cover each other, a row has
 * tens of thousands of documents and few classes: of k intervals of time at most
 * 2k + 1.  Rows are added one by one, and classes split as these tell them apart.
 *
 *	classes_open(&c, &problem);
 *	classes_add(&c, a, by, count);
 *	classes_problem(&c, &narrow);
 *	... cover_solve(&narrow.problem, ...): an answer to the whole of it ...
 *	narrow_release(&narrow);
 *	classes_close(&c);
 *
 * Cost: a row is added in the time of reading it, and of copying the row numbers of
 * the classes that it splits.  Memory: 9 bytes a document, 4 for each class of each row.
 */
#ifndef WINNOW_COVER_CLASSES_H
#define WINNOW_COVER_CLASSES_H
#include "base/vec.h"
#include "cover/cover.h"

typedef VEC(uint32_t) class_rows; /* that have the documents of a class, in the order in which they came */

struct classes {
	const struct cover_problem *p;
	uint32_t *order;      /* [n] documents by quota, the best first */
	uint32_t *of;	      /* [n] class of each document */
	VEC(uint32_t) size;   /* documents of each class */
	VEC(class_rows) rows; /* of each class */
	VEC(uint32_t) owner;  /* of each row */
	uint64_t entries;     /* rows of classes, in all */
};

/* p: the problem without the rows that are added, for which it has empty ones; it is used until the end.  Whose row is not
 * there (yet) is covered[], which may change. */
void classes_open(struct classes *c, const struct cover_problem *p);
void classes_close(struct classes *c);
/* The row of document a: it and its coverers `by`, which are ascending. */
void classes_add(struct classes *c, uint32_t a, const uint32_t *by, size_t count);

/* The document that is in most of the rows that were added and have nothing kept; UINT32_MAX: there are none. */
uint32_t classes_best(const struct classes *c, const uint8_t *kept);

struct narrow { /* a problem in which few documents stand for all */
	struct cover_problem problem;
	uint64_t *start;
	uint32_t *by, *group;
	uint8_t *covered;
};

/* The problem with the rows that were added.  Its minimum is that of all documents, in size, previous and preference; so
 * are its bounds and dual values. */
void classes_problem(const struct classes *c, struct narrow *out);
void narrow_release(struct narrow *out);
#endif
