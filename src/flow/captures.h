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
 * Cost: mapping and a checksum, about 0.1 ns a byte of 84 bytes a capture; after
 * a change, copying them once and a few questions for each capture that changed.
 */
#ifndef WINNOW_FLOW_CAPTURES_H
#define WINNOW_FLOW_CAPTURES_H
#include "base/os.h"
#include "flow/collection.h"

#define CAPTURE_NEW UINT32_MAX

struct captures {
	uint64_t revision;
	uint64_t last;	  /* the largest id ever given */
	uint64_t altered; /* the last entry of the catalogue's list that is in here */
	size_t n;
	/* [n], in the order urlkey, time, digest, url, file name, offset; to be read only */
	int64_t *time, *published; /* CAPTURE_NO_TIME */
	uint64_t *bytes, *url;	   /* url: 64 bits of the urlkey; captures of one are neighbours */
	uint32_t *id, *content;	   /* content 0: none */
	uint32_t *host, *mime, *declared, *charset, *lang; /* rows of host and word; 0: none */
	uint32_t *words, *shingles, *shingles_main, *file, *crawl;
	int32_t *status; /* CAPTURE_NO_STATUS */
	char *block;	 /* all of it as a file has it, when not mapped */
	struct os_map map;
	/* of one that is not mapped whole: by row its place in the table of revision `base`, or CAPTURE_NEW; NULL: none */
	uint32_t *from;
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
#endif
