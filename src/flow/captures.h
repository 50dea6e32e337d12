/* flow/captures.h -- the plain facts of every capture, in canonical order.
 *
 * Reading a million rows out of the catalogue takes seconds, and nearly all of
 * them are as they were.  So what rules, selections and reports ask most is
 * kept as arrays of fixed width beside the runs (runs/captures-rN.table, mapped, and captures-rN.delta with what
 * came since; docs/format/capture-table.md), and brought up to date from the catalogue's
 * list of captures that were added, altered or removed since.  The catalogue
 * is the truth: a table that is absent, damaged or too old is made anew, and
 * one that cannot be written is not missed.
 *
 * A table that was brought up to date is not copied: what is as it was stays where the mapped table has it,
 * in stretches, and what came is in a table of its own, `rest`.  captures_take copies the arrays that are asked for.
 *
 * Cost: mapping and a checksum, about 0.1 ns a byte of 84 bytes a capture; after
 * a change, a few questions for each capture that changed.
 */
#ifndef WINNOW_FLOW_CAPTURES_H
#define WINNOW_FLOW_CAPTURES_H
#include <stddef.h>

#include "base/os.h"
#include "flow/collection.h"

struct capture_stretch { /* rows that follow one another */
	uint32_t from, n;
};

struct captures {
	uint64_t revision;
	uint64_t last;	  /* the largest id ever given */
	uint64_t altered; /* the last entry of the catalogue's list that is in here */
	size_t n;
	/* In the order urlkey, time, digest, url, file name, offset these rows: below n_table those of the arrays, from there
	 * on those of rest's. */
	struct capture_stretch *stretches;
	size_t n_stretches;
	/* [n_table], in that order too; to be read only */
	size_t n_table;
	int64_t *time, *published; /* CAPTURE_NO_TIME */
	uint64_t *bytes, *url;	   /* url: 64 bits of the urlkey; captures of one are neighbours */
	uint32_t *id, *content;	   /* content 0: none */
	uint32_t *host, *mime, *declared, *charset, *lang; /* rows of host and word; 0: none */
	uint32_t *words, *shingles, *shingles_main, *file, *crawl;
	int32_t *status; /* CAPTURE_NO_STATUS */
	char *block;	 /* all of it as a file has it, when not mapped */
	struct os_map map;
	struct captures *rest; /* what came since the table of revision `base`, in order; NULL: nothing */
	uint64_t base;
	enum { CAPTURES_READ, CAPTURES_MAPPED, CAPTURES_PATCHED } how; /* it came to be */
};

/* Of the revision that the catalogue's reader sees. */
int captures_load(struct captures *out, struct collection *coll, struct err *err);
/* The same from the catalogue alone: for who must not trust what another command kept. */
int captures_read(struct captures *out, struct collection *coll, struct err *err);
/* Some of them, in the order given, at the cost of a few seeks each; ids that are gone are left out. */
int captures_some(struct captures *out, struct collection *coll, const uint64_t *ids, size_t n, struct err *err);
void captures_release(struct captures *c); /* zero is fine */

/* A fact of a row. */
#define CAPTURE_FACT(c, name, row) \
	((row) < (c)->n_table ? (c)->name[row] : (c)->rest->name[(row) - (uint32_t)(c)->n_table])
/* The facts `name` of rows, in stretches none of which is of both tables, into an array of the same type. */
#define CAPTURES_TAKE(out, c, name, stretches, n)                                                        \
	do {                                                                                             \
		_Static_assert(sizeof *(out) == sizeof *(c)->name, "arrays of one width");               \
		captures_take(out, c, offsetof(struct captures, name), sizeof *(c)->name, stretches, n); \
	} while (0)
void captures_take(void *out, const struct captures *c, size_t field, size_t size,
		   const struct capture_stretch *stretches, size_t n);
#endif
