/* cover/check.h -- is this a cover, and is it as small as it claims?
 *
 * Short code of its own, sharing nothing with the solver and nothing with the
 * join: all it knows of the documents comes through the caller's `world`,
 * which answers from the stored sets and attributes by the rule's evaluator.
 * It verifies, and names the first few offences of each kind:
 *   every document is kept or dropped, not both, and of the selection;
 *   every dropped one has a witness, that is kept and does cover it;
 *   pins are kept, quotas are filled;
 *   the dual values are feasible, so that the bound they give is a bound.
 */
#ifndef WINNOW_COVER_CHECK_H
#define WINNOW_COVER_CHECK_H
#include "cover/certificate.h"

enum cover_offence {
	COVER_NO_WITNESS,      /* a dropped document names no coverer */
	COVER_WITNESS_DROPPED, /* its witness is not kept */
	COVER_WITNESS_FALSE,   /* its witness does not cover it */
	COVER_IN_NEITHER,      /* a document of the selection is neither kept nor dropped */
	COVER_IN_BOTH,	       /* or it is both */
	COVER_OUTSIDE,	       /* kept or dropped, but not of the selection */
	COVER_PIN_DROPPED,
	COVER_QUOTA_BROKEN,
	COVER_DUAL_INFEASIBLE, /* some document covers dual values of more than 1 */
	COVER_WRONG_RUN,       /* rule, selection or revision is another one */
	COVER_WRONG_BOUND,     /* the stated sizes or bound are not what the numbers give */
	COVER_OFFENCES
};

/* The stored result to be checked; see certificate.h for `certificate`. */
struct cover_claim {
	const uint32_t *kept, *dropped,
	    *witness; /* ascending document numbers; witness[i] of dropped[i], or COVER_NO_WITNESS_ID */
	uint32_t kept_count, dropped_count;
	const struct certificate *certificate;
};
#define COVER_NO_WITNESS_ID UINT32_MAX

struct cover_world {
	uint32_t n;	       /* documents of the selection are 0..n-1; anything else is outside */
	const uint8_t *pinned; /* n, or NULL */
	const uint32_t *group; /* n, or NULL */
	uint32_t groups;
	const uint32_t *demand;	    /* by group, as asked for */
	struct certificate_run run; /* what the run ought to be about */
	void *context;
	/* Does b cover a?  0, 1, or a negative code with err set. */
	int (*covers)(void *context, uint32_t a, uint32_t b, struct err *err);
	/* Calls each(arg, b) for every b != a with Cov(a, b), any order. */
	int (*coverers)(void *context, uint32_t a, int (*each)(void *arg, uint32_t b), void *arg, struct err *err);
	/* The documents d of group g, by number, are those with group[d] == g. */
};

struct cover_verdict {
	uint64_t count[COVER_OFFENCES];
	uint32_t example[COVER_OFFENCES]; /* the first document (or group) of each kind */
	uint64_t bound;			  /* what the dual values prove, recomputed */
	bool ok;			  /* no offence of any kind */
	bool proves_minimum;		  /* ok, and bound == kept_count */
};

/* WN_OK when the check was made, whatever it found. */
int cover_check(const struct cover_claim *claim, const struct cover_world *world, struct cover_verdict *v,
		struct err *err);
const char *cover_offence_name(enum cover_offence o); /* "witness-not-kept" */
const char *cover_offence_says(enum cover_offence o); /* "its witness is not kept", of the first document */
#endif
