/* join/lookup_int.h -- the sets that an index does not know, in its terms (lookup.c, lookup_items.c). */
#ifndef WINNOW_JOIN_LOOKUP_INT_H
#define WINNOW_JOIN_LOOKUP_INT_H
#include "base/vec.h"
#include "join/lookup.h"
#include "join/sets.h"

/* An item of a member, or of its base: which it alone of the two has, which both have, which the base alone has.  SEEN:
 * one of a member without a base, which was looked up before, or need not be. */
enum { LOOKUP_OWN, LOOKUP_IN_BASE, LOOKUP_NOT_HERE, LOOKUP_SEEN, LOOKUP_KIND_BITS = 2 };
static inline uint32_t lookup_kind(uint32_t of) { return of & ((1u << LOOKUP_KIND_BITS) - 1); }

/* Items that the same members have, or miss, as one class: those by which one differs from its base while another has
 * them, and one of all asks. */
struct lookup_runs {
	VEC(uint32_t) start, weight; /* by run: where its holders begin */
	VEC(uint32_t) in_base;	     /* where those begin that have its items in their base: they are the last */
	VEC(uint32_t) class;	     /* that its items are of in the index; UINT32_MAX: of none, or of one row alone */
	VEC(uint32_t) holders;	     /* member << LOOKUP_KIND_BITS | kind */
	uint32_t *of_start, *of;     /* [members + 1]: the runs of each that has their items */
};

struct lookup_more {
	uint32_t added, next; /* next: in more, or ADDED_NONE */
};

struct lookup {
	const struct lookup_request *r;
	const struct join_sets *sets;
	/* Sets whose items are looked up: those that are in neither the index nor added to it and that ask, others that are
	 * in neither; if there are added ones, then those that ask and are in one of the two. */
	VEC(uint32_t) member;
	uint32_t n_asking, n_unknown;
	VEC(uint32_t) known; /* sets that ask and that are in the index or added */
	unsigned known_ask;  /* as what, taken together */
	unsigned member_ask; /* the same of members that are unknown */
	bool added_ask;	     /* some of them are not in the index */
	uint32_t *member_of; /* [sets] or UINT32_MAX */
	uint64_t *start;     /* [members + 1] in the items of all */
	uint32_t *base;	     /* [members] the row of a set like it, or UINT32_MAX */
	/* By member the differences of added sets that it has (added.h: who, by the numbers of all rows). */
	size_t *differ_start; /* [members + 2] */
	uint32_t *differ;
	/* By class the added sets that have it in their prefix while their base has not. */
	uint32_t *more_start; /* [classes] */
	VEC(struct lookup_more) more;
	struct lookup_runs runs;
	bool compares; /* members that are unknown with each other */
	/* [unknown] the row from which runs tell how a member differs, or UINT32_MAX: they tell all its items; [rows], by
	 * row and member: the first and the next such, UINT32_MAX: none */
	uint32_t *beside, *beside_first, *beside_next;
	struct walker *walker; /* [threads] */
	near_pairs *found;
	bool damaged;
};

/* ---- walking (lookup_walk.c) ---- */

/* In a mark, above the items: a ref may have meant another class; the class's list was walked. */
#define LOOKUP_AMBIGUOUS (1u << 31)
#define LOOKUP_WALKED (1u << 30)
#define LOOKUP_ITEMS (LOOKUP_WALKED - 1)

struct part {				/* a list that a seeker is in */
	uint32_t length, weight, class; /* of a list of one row (POSTINGS_OWN): the row */
};

struct named { /* a class, and how many of its items were found; not sure: a ref may have meant another */
	uint32_t class, weight;
	bool sure;
};

struct range { /* of a set's documents, by the first order */
	double a_min, a_max, b_min, b_max;
	uint32_t next; /* the set and one; 0: none */
};
#define LOOKUP_RANGES 1024u

enum { BESIDE_NOTED = 1, BESIDE_MET };

struct beside_set {
	uint32_t seen;	/* 0, or as above */
	int32_t differ; /* what the seeker shares with it, less what it shares with the row */
};

struct beside { /* sets that are known by how they differ from a row, by number */
	struct beside_set *of;
	VEC(uint32_t) noted; /* which were seen */
};
void beside_forget(struct beside *b);

/* A set that the seeker met: by the orders and by what is asked for, when a pair is wanted in which the one probes or
 * the other, and what they must share then. */
struct candidate {
	uint32_t set;
	unsigned probing, probed;
	uint64_t least_probing, least_probed;
	bool may_probe, may_be_probed; /* by the orders alone */
};

struct considered {
	struct candidate set;
	uint32_t row;
};

struct walker { /* per thread */
	struct sets_scratch scratch;
	VEC(struct part) parts;
	VEC(uint64_t) refs, order;
	VEC(struct named) named;
	uint64_t *slot; /* a table of refs, which a new turn empties */
	size_t slots;
	uint32_t turn;
	/* Those of the index (postings.h), forgotten after each seeker. */
	uint32_t *mark;	   /* [classes] items of it that the seeker has */
	uint32_t *alone;   /* [rows] items that a row alone has and the seeker too */
	uint8_t *seen;	   /* [rows] */
	VEC(uint32_t) met; /* the same, listed */
	VEC(struct considered) considered;
	struct beside added, members;
	struct range *ranges; /* [LOOKUP_RANGES] of sets that were asked for */
	VEC(struct postings_later) later;
};

struct seeker {
	uint32_t set, n;
	uint64_t least, more; /* it shares with an opposite when it probes; of that what it asks for */
	struct range range;   /* if there is an order */
	bool probes, probed;
};

void lookup_walkers_open(struct lookup *x);
void lookup_walkers_close(struct lookup *x); /* without any is fine */
/* The lists that a set is in, which was looked up or has a row; false: neither. */
bool lookup_gather(struct lookup *x, struct walker *w, uint32_t set);
/* Those of one of its rows. */
void lookup_gather_row(struct lookup *x, struct walker *w, uint32_t row);
/* Meets the rows of the shortest lists of one that probes: without one of them it shares too little.  Who would walk
 * one of the lists themselves, up to this one, stand in front. */
void lookup_walk(struct lookup *x, struct walker *w, const struct seeker *s);
void lookup_forget(struct walker *w); /* the lists */

/* Is a member compared with added sets?  One that does not ask is when one of those does. */
static inline bool lookup_wants_added(const struct lookup *x, uint32_t m)
{
	return x->r->kept->added.n && (m < x->n_asking || m >= x->n_unknown || x->added_ask);
}

/* Looks up the items of the members, if they were not before (r->kept->looked): start, base, differ and runs.  False: the
 * index is damaged. */
bool lookup_items(struct lookup *x);
void lookup_items_release(struct lookup *x);

/* The differences of added sets that a set has, which are told as `of`. */
void lookup_added_items(const struct added *a, const uint64_t *item, uint32_t n, uint32_t of, postings_hits *out);
void lookup_added_more(struct lookup *x); /* more, more_start */
#endif
