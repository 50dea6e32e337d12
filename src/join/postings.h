/* join/postings.h -- who has which item: the index of one join, kept for the next (docs/format/postings.md).
 *
 * columns.c sees every distinct item of a block with the list of rows that have it.  What it sees is
 * streamed out: by value of the item, 16 more bits of it and where its list is; the
 * lists, one for each class; the sets of the rows.  Whoever later has a few new
 * sets looks up their items and gets candidates, of which none is missing: a
 * false one costs an intersection.
 *
 *	writing   columns_build with a postings_writer (buckets), then postings_finish
 *	reading   postings_open; postings_find for all items of all new sets at once;
 *		  postings_lists for the lists of what was found
 *
 * Lists begin with the rows for which the class is among the rarest that they cannot do without (`prefix`).
 * Cost: 6 bytes for each distinct item, 4 for each posting, 24 for each class; a
 * lookup is a few nanoseconds when many are made at once, in order.
 */
#ifndef WINNOW_JOIN_POSTINGS_H
#define WINNOW_JOIN_POSTINGS_H
#include "base/err.h"
#include "base/vec.h"
#include "join/columns.h"

#define POSTINGS_FINE 32u	    /* parts of a bucket */
#define POSTINGS_OWN (1u << 31)	    /* a ref of an item that one row alone has: the row's number is in it */
#define POSTINGS_BLOCK_ROWS 64u	    /* with fewer rows to a block reading them all is cheaper than an index */
#define POSTINGS_BUCKET_MOST 65535u /* distinct items of one bucket; beyond, nothing is kept */

/* ---- writing ---- */

struct postings_writer {
	/* Given: where the bytes go (false: there is no room), names of sets that outlive the run, a
	 * number for the bounds that the prefixes are made for. */
	bool (*put)(void *context, const void *p, size_t n);
	void *context;
	const uint32_t *name;
	uint64_t run; /* whose it is */
	uint64_t bounds;
	/* Made. */
	bool given_up, done;
	uint64_t at;
	unsigned bits;
	VEC(uint64_t) bucket;
};

struct postings_group { /* an item and where its list is */
	uint64_t item;
	uint32_t ref;
};

/* The bytes of a bucket of 2^bits; false: too many for one. */
bool postings_bucket(const struct postings_group *g, uint32_t n, unsigned bits, unsigned char *out);
size_t postings_bucket_bytes(uint32_t n);
void postings_add_bucket(struct postings_writer *w, const unsigned char *p, size_t n);
uint32_t postings_ref(uint64_t signature); /* of a list with several rows */
/* The rest of the file.  set[r], size[r]: of each row; least[r]: what the row shares at least with an opposite. */
void postings_finish(struct postings_writer *w, const struct columns_index *c, const uint32_t *set,
		     const uint32_t *size, const uint64_t *least);

/* ---- reading ---- */

struct postings_class {
	uint32_t ref, n, prefix, check;
	uint64_t start;
};

struct postings_tail { /* the last bytes of the file */
	char magic[8];
	uint64_t length, tables, postings, run, bounds;
	uint32_t bits, class_bits, classes, rows;
	uint64_t check_tables, check;
};

struct postings_later { /* who may probe, by the first order */
	uint32_t set, other;
	bool set_probes, other_probes;
};

struct postings {
	const unsigned char *bytes;
	struct postings_tail tail;
	const uint64_t *bucket; /* where each begins */
	const uint32_t *directory, *name, *post;
	const struct postings_class *classes;
	uint32_t *set_of;		  /* [rows] whoever opens it says which set of now; JOIN_NO_SET: none */
	uint8_t *tested;		  /* [classes] whose list was found to be as it was written */
	uint8_t *tested_bucket;		  /* [2^bits] the same of buckets */
	bool damaged;			  /* found while reading: what was found is not all */
	VEC(struct postings_later) later; /* sets that met and were not looked at yet (lookup.h) */
};

/* bytes stay the caller's. WN_DATA with the reason. */
int postings_open(struct postings *p, const unsigned char *bytes, size_t n, struct err *err);
void postings_close(struct postings *p); /* zero is fine */

struct postings_query {
	uint64_t item;
	uint32_t of; /* which new set asks */
};
struct postings_found {
	uint32_t of, ref;
};
typedef VEC(struct postings_found) postings_hits;

/* Queries ascending by item; appends what there is for sets < below, false hits included.  False: damaged. */
bool postings_find(const struct postings *p, const struct postings_query *q, size_t n, uint32_t below,
		   postings_hits *out);
/* A ref will be asked for soon: first its place, later (near) what is there. */
void postings_expect(const struct postings *p, uint32_t ref, bool near);
/* Each class that a ref may mean; at: 0 at first. NULL: no more, or damaged. */
const struct postings_class *postings_lists(struct postings *p, uint32_t ref, uint32_t *at);
#endif
