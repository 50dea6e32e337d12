/* join/postings.h -- who has which item: the index of one join, kept for the next (docs/format/postings.md).
 *
 * columns.c sees every distinct item of a block with the list of rows that have it.  What it sees is
 * streamed out: the items by value, with where their lists are; the lists, one for each class;
 * for each row the classes that it has, and the set that it was made of.  Whoever later has a few new
 * sets looks up their items, which gives what they share with any row; what two rows share
 * is the weight of the classes that both have.
 *
 *	writing   columns_build with a postings_writer (buckets), then postings_finish
 *	reading   postings_open, postings_bind; postings_find for all items of all new sets at once;
 *		  postings_classes for what was found; postings_list, postings_row
 *
 * Classes are numbered from the shortest list to the longest.  Lists begin with the rows for which the class is among
 * the rarest that they cannot do without (`prefix`).
 * Cost: 10 bytes for each distinct item, 8 for each posting, 32 for each class; a
 * lookup is a few nanoseconds when many are made at once, in order.
 */
#ifndef WINNOW_JOIN_POSTINGS_H
#define WINNOW_JOIN_POSTINGS_H
#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "join/added.h"
#include "join/columns.h"

#define POSTINGS_FINE 32u	    /* parts of a bucket */
#define POSTINGS_GROUPS 8u	    /* of parts, which have a checksum each */
#define POSTINGS_LEAST_BITS 11u	    /* 2^bits buckets, so that with 48 more bits an item is known in full */
#define POSTINGS_OWN (1u << 31)	    /* a ref of an item that one row alone has: the row's number is in it */
#define POSTINGS_BLOCK_ROWS 64u	    /* with fewer rows to a block reading them all is cheaper than an index */
#define POSTINGS_BUCKET_MOST 65535u /* distinct items of one bucket; beyond, nothing is kept */

/* ---- as it is stored ---- */

#define POSTINGS_ENTRY 10u		    /* bytes: 6 of the item, 4 of the ref */
#define POSTINGS_ENDS (4 * POSTINGS_GROUPS) /* where in a bucket the ends of its parts are: behind the checksums */
#define POSTINGS_BLOCK_HEAD (POSTINGS_ENDS + 2 * POSTINGS_FINE)

struct postings_class { /* items with one list */
	uint64_t start; /* of the list */
	uint32_t n, prefix, weight, check;
};

struct postings_row {
	uint64_t start;			/* of its classes */
	uint32_t n, name, alone, check; /* alone: items that no other row of its block has */
};

struct postings_name { /* what buckets call a class; several may share a ref */
	uint32_t ref, class;
};

struct postings_tail { /* the last bytes of the file */
	char magic[8];
	uint64_t length, tables, postings, run, bounds;
	uint32_t bits, class_bits, classes, rows;
	uint64_t check_tables, check;
};

static inline unsigned postings_fine(uint64_t item, unsigned bits) { return item << bits >> 59; }
/* The 48 bits that follow; at the lowest end of them bits that every item has. */
static inline uint64_t postings_rest(uint64_t item, unsigned bits) { return item << bits << 5 >> 16; }
extern const char postings_magic[8];
/* The checksum of a group of a bucket, which has its entries from..to. */
uint32_t postings_check_group(const unsigned char *block, unsigned group, uint16_t from, uint16_t to);
/* The checksum of the tables, which lie one behind the other; t is whole but for checksums. */
uint64_t postings_check_tables(const struct postings_tail *t, const unsigned char *tables);
uint64_t postings_tables_bytes(const struct postings_tail *t);

/* ---- writing ---- */

struct postings_writer {
	/* Given: where the bytes go (false: there is no room), names of sets that outlive the run, a
	 * number for the bounds that the prefixes are made for. */
	bool (*put)(void *context, const void *p, size_t n);
	void *context;
	const uint32_t *name;
	uint64_t run; /* whose it is */
	uint64_t bounds;
	unsigned coarse; /* bits of a ref that are left away; 0 but where tests want refs that mean several classes */
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
uint32_t postings_ref(const struct postings_writer *w, uint64_t signature); /* of a list with several rows */
/* The rest of the file.  set[r], size[r]: of each row; least[r]: what the row shares at least with an opposite. */
void postings_finish(struct postings_writer *w, const struct columns_index *c, const uint32_t *set,
		     const uint32_t *size, const uint64_t *least);

/* ---- reading ---- */

struct postings_later { /* a pair of sets, and who may probe, as far as is known */
	uint32_t set, other;
	uint32_t
	    base; /* the two share as many items as `set` shares with this row, and `differ` more; UINT32_MAX: no row */
	int32_t differ;
	bool set_probes, other_probes;
};

/* A set that the index does not know, in its terms: the row of a set like it, or UINT32_MAX, and of `refs` one for each
 * item that was found: those that it has and the base has not, then those that the base has and it has not. */
struct postings_looked {
	uint32_t set, base;
	size_t start, n_own, n_missing;
};

/* For whoever walks over the index: all zero, and left so (lookup_int.h). */
struct postings_marks {
	uint32_t *class; /* [classes] */
	uint32_t *alone; /* [rows] */
	uint8_t *seen;	 /* [rows] */
};

struct postings {
	const unsigned char *bytes;
	struct postings_tail tail;
	const uint64_t *bucket; /* where each begins */
	const struct postings_class *classes;
	const struct postings_row *rows;
	const struct postings_name *names;
	const uint32_t *directory, *post, *forward;
	uint32_t *set_of;		    /* [rows] the set of now; JOIN_NO_SET: none */
	uint32_t *row_of, *next_row;	    /* [sets] a row of it, [rows] another of the same set; UINT32_MAX: none */
	uint8_t *tested, *tested_row;	    /* [classes], [rows] whose lists were found to be as they were written */
	uint8_t *tested_bucket;		    /* [2^bits] a bit for each group of a bucket */
	bool damaged;			    /* found while reading: what was found is not all */
	VEC(struct postings_later) later;   /* pairs of sets that nobody wanted to know yet (lookup.h) */
	VEC(struct postings_looked) looked; /* what was looked up, so that it is not again */
	VEC(uint32_t) refs;
	struct map looked_of;		  /* by set */
	struct added added;		  /* sets that came later */
	VEC(struct postings_marks) marks; /* by thread, once somebody walked */
	uint32_t *docs_start,
	    *docs; /* [sets + 2]: the documents of each set and of none, ascending, once they were asked for (lookup.h) */
};

/* bytes stay the caller's. WN_DATA with the reason. */
int postings_open(struct postings *p, const unsigned char *bytes, size_t n, struct err *err);
/* set_of[name] of now, of `names` names; JOIN_NO_SET: none.  sets: how many there are now. */
void postings_bind(struct postings *p, const uint32_t *set_of, uint32_t names, uint32_t sets);
/* The marks of a thread; those of the threads before it are there. */
struct postings_marks postings_marks(struct postings *p, unsigned thread);
void postings_close(struct postings *p); /* zero is fine */

struct postings_query {
	uint64_t item;
	uint32_t of; /* which new set asks */
};
struct postings_found {
	uint32_t of, ref;
};
typedef VEC(struct postings_found) postings_hits;

/* Queries ascending by item; appends what there is.  False: damaged. */
bool postings_find(const struct postings *p, const struct postings_query *q, size_t n, postings_hits *out);
/* The classes that a ref may mean: one, if not by rare chance; returns how many, none of a damaged index. */
uint32_t postings_classes(struct postings *p, uint32_t ref, const struct postings_name **first);
/* The same will be asked, then soon. */
static inline __attribute__((always_inline)) void postings_expect_slot(const struct postings *p, uint32_t ref)
{
	__builtin_prefetch(&p->directory[(ref & ~POSTINGS_OWN) >> (31 - p->tail.class_bits)]);
}
static inline __attribute__((always_inline)) void postings_expect_class(const struct postings *p, uint32_t ref)
{
	uint32_t slot = (ref & ~POSTINGS_OWN) >> (31 - p->tail.class_bits);

	__builtin_prefetch((const void *)((uintptr_t)p->names + p->directory[slot] * sizeof *p->names));
}
/* The rows of a class, the classes of a row; NULL: damaged. */
const uint32_t *postings_list(struct postings *p, uint32_t class);
const uint32_t *postings_row_classes(struct postings *p, uint32_t row);
#endif
