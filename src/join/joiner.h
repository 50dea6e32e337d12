/* join/joiner.h -- the pairs of rows of one disjunct.
 *
 *	joiner_open     rows, and which bound leads
 *	joiner_run      calls back for every pair of rows whose sets satisfy all
 *			bounds and whose first order can hold for some members
 *	joiner_expand   from a pair of rows to documents: every term is tested
 *
 * The leading bound is the one that needs the most overlap; the side that it
 * measures probes.  A probe walks the shortest lists of its row until what is
 * left of its weight could no longer reach the need, adds up weights by row
 * met, drops rows that cannot reach their need any more, and finishes the rest
 * by the cheaper of walking the remaining lists or intersecting class numbers.
 * Without a bound all pairs of rows of a block are met.
 * When the index would not fit in memory, rows are cut into chunks and every
 * two chunks are joined by themselves: the same pairs in another order.
 */
#ifndef WINNOW_JOIN_JOINER_H
#define WINNOW_JOIN_JOINER_H
#include "join/bound.h"
#include "join/columns.h"
#include "join/coverage.h"
#include "join/rows.h"

struct row_side { /* members of each row that may be one side of a pair */
	const uint32_t *start, *member;
	bool own; /* else those of the rows */
};

struct row_lists { /* by a's row: to[start[x]] .. with what they share */
	uint64_t *start;
	uint32_t *to, *shared;
};

void lists_release(struct row_lists *l); /* zero is fine */

struct joiner {
	const struct join_query *q;
	const struct join_disjunct *d;
	const struct join_options *o;
	unsigned number; /* of the disjunct */
	unsigned threads;
	size_t memory;
	int kind;	/* of the leading bound; -1: none */
	bool flip;	/* the probing side is b */
	bool symmetric; /* all bounds are: each pair of rows is met once */
	unsigned kinds; /* that tell rows apart */
	struct join_bound lead[JOIN_BOUNDS],
	    other[JOIN_BOUNDS]; /* of the leading kind, seen from the prober; the rest */
	unsigned n_lead, n_other;
	struct rows rows;
	struct row_side as_a, as_b; /* all members unless joiner_take says otherwise */
	bool one_side;		    /* they have the same members */
	uint32_t *empty, n_empty;   /* rows whose leading set is empty */
	struct columns_index index;
	const struct columns_filter *filter; /* of items; NULL: all */
	bool indexed, too_large;	     /* the whole index is there; would not fit */
	struct row_lists known; /* by the prober's row: all pairs by weaker bounds; absent (start NULL) else */
	struct join_bound known_by[JOIN_BOUNDS]; /* those bounds, as `lead` */
	uint32_t *sub, n_sub;			 /* rows in the index, ascending; NULL: all */
	uint8_t *side;				 /* [n_sub] which chunk, when sub */
	bool within[2];				 /* pairs inside chunk 0, 1 are wanted */
	const uint8_t *targets;			 /* of the run under way */
	struct probe *probes;			 /* [threads] */
	struct coverage_stats stats;
};

/* x has a's row, y has b's; shared is of the leading kind (0 without one).
 * Called from several threads; for one x from one thread at a time unless the
 * joiner is symmetric or flipped.  False: no more pairs for this probe. */
typedef bool joiner_pair(void *context, unsigned worker, uint32_t x, uint32_t y, uint32_t shared);

/* Which bound leads, and nothing else: needs no joiner_close. */
void joiner_aim(struct joiner *j, const struct join_query *q, unsigned disjunct);
/* What a set of this size shares at least with an opposite when it probes. */
uint64_t joiner_least(const struct joiner *j, uint64_t size);
/* A number for the bounds that lead: an index is of use to the same ones only. */
uint64_t joiner_bounds(const struct joiner *j);
/* live: [q->n] or NULL; documents to leave out.  once: pairs of rows may be met
 * from either side (see joiner_pair). */
void joiner_open(struct joiner *j, const struct join_query *q, unsigned disjunct, const struct join_options *o,
		 const uint8_t *live, bool once);
/* Takes the index of a joiner over the same sets, if it is of the same rows; bounds may differ.  Pairs that are known
 * too, if the bounds are no weaker. */
void joiner_adopt(struct joiner *j, struct joiner *from);
/* From now on only documents with a_ok[a] are a, with b_ok[b] are b ([q->n], NULL: all).  Rows and index stay. */
void joiner_take(struct joiner *j, const uint8_t *a_ok, const uint8_t *b_ok);
/* The members of rows that are ok, for as_a and as_b; the caller's. */
struct row_side joiner_side(const struct joiner *j, const uint8_t *ok);
void joiner_side_release(struct row_side *s);
/* of_a, of_b: [rows.n] or NULL, rows that may be a's and b's (not with `once`). */
int joiner_run(struct joiner *j, const uint8_t *of_a, const uint8_t *of_b, joiner_pair *pair, void *context,
	       struct err *err);
void joiner_close(struct joiner *j);

/* Every b of row y with the disjunct true of (a, b): each(context, b) until it
 * returns false.  shared: as given by joiner_pair. */
typedef bool joiner_doc(void *context, uint32_t b);
bool joiner_expand(struct joiner *j, unsigned worker, uint32_t a, uint32_t y, uint32_t shared, joiner_doc *each,
		   void *context);

/* Pairs of documents that were tried so far: what joiner_expand costs, whether they hold or not. */
uint64_t joiner_tried(const struct joiner *j, unsigned worker);

/* has[a] = 1 for every document of row x that some document of row y covers; true: all of x have it by now. */
bool joiner_mark_covered(struct joiner *j, unsigned worker, uint32_t x, uint32_t y, uint32_t shared, uint8_t *has);

/* What the sets of kind `kind` of two documents share, with their sizes. */
struct join_overlap joiner_overlap(struct joiner *j, unsigned worker, int kind, uint32_t a, uint32_t b);

/* What sets of these sizes, the first of which probes, share at least; do they satisfy all leading bounds? */
static inline uint64_t joiner_need(const struct joiner *j, uint32_t A, uint32_t B)
{
	uint64_t need = 1;

	for (unsigned i = 0; i < j->n_lead; i++) {
		uint64_t n = bound_need(&j->lead[i], A, B);

		need = n > need ? n : need;
	}
	return need;
}

static inline bool joiner_lead_holds(const struct joiner *j, uint32_t A, uint32_t B, uint32_t shared)
{
	for (unsigned i = 0; i < j->n_lead; i++)
		if (!bound_holds(&j->lead[i], A, B, shared))
			return false;
	return true;
}

static inline uint32_t side_count(const struct row_side *s, uint32_t row) { return s->start[row + 1] - s->start[row]; }
#endif
