/* cover/packing.h -- the linear relaxation of a covering instance, and bounds from it.
 *
 * The dual of covering is packing: the largest sum of demand(r) * u(r) with
 * the u of each column's rows at most its weight.  Any u >= 0, feasible or
 * not, bounds the cost of every cover from below by
 *
 *	L(u) = sum demand(r) u(r) + sum over columns of min(0, w(c) - load(c))
 *
 * and that is evaluated here in exact integers, so floating point decides
 * only how good a bound is, never whether it is one.
 */
#ifndef WINNOW_COVER_PACKING_H
#define WINNOW_COVER_PACKING_H
#include "cover/cuts.h"
#include "cover/tableau.h"

/* Numerators are over this: every fraction up to sixteenths is exact. */
#define PACKING_SCALE 720720

enum packing_fixed { PACKING_FREE, PACKING_TAKEN, PACKING_REFUSED };

struct packing {
	weight *u;	       /* rows, over PACKING_SCALE: of the relaxation without cuts */
	double *x;	       /* cols: the fractional cover, 0..1 */
	weight bound;	       /* every cover costs at least this: ceil(value) */
	weight value;	       /* the same over PACKING_SCALE */
	weight *reduced;       /* cols, over PACKING_SCALE: a cover with c costs at least value + reduced[c] */
	uint64_t pivots, work; /* work: numbers touched */

	/* What packing_tighten and packing_fix go on from. */
	uint8_t *fixed; /* cols: enum packing_fixed */
	struct tableau t;
	struct cut_pool cuts;
	uint64_t limit;
	double enough; /* the tableau's sum need not be more */
	uint32_t caps, knowns;
	bool optimal, some_rows;
};

/* Solves the relaxation: by the simplex method on a dense tableau when that is
 * small enough and ends before it has touched `work` numbers, otherwise near
 * enough by subgradients.  Deterministic. */
void packing_solve(struct arena *a, const struct instance *in, uint64_t work, struct packing *out);
#define PACKING_WORK 4000000000 /* a few seconds */

/* Raises the bound by what is known of the instance, which packing_solve did already if it was known by then.  No cuts
 * may have been added yet; u stays. */
void packing_learn(struct arena *a, const struct instance *in, struct packing *p);

/* Adds cuts (cuts.h) until the bound reaches `target`, they gain no more, `work` more numbers are touched, or `rounds`
 * of them were added.  The bound only rises; u stays, so that it may go into a certificate.  No cuts after subgradients,
 * or with caps. */
void packing_tighten(struct arena *a, const struct instance *in, weight target, uint64_t work, int rounds,
		     struct packing *p);
#define PACKING_ROUNDS 40 /* of cuts, where much depends on the bound */

/* A branch of a search, which may go on from a relaxation that packing_branches says yes of: a copy of it, in which
 * columns are taken or refused; then packing_resume.  Cuts that are added to the copy hold only there. */
bool packing_branches(const struct packing *p);
void packing_copy(struct arena *a, const struct instance *in, const struct packing *p, struct packing *out);
/* False if the relaxation came to no bound: then there is no cover most likely, and this copy is of no use. */
bool packing_fix(struct packing *p, uint32_t c, bool taken);
/* Rows that are covered, or contain others, need no variable any more. */
void packing_forget(struct packing *p, const uint8_t *row_needed);
/* At most `pivots` more, and until the tableau's sum is `enough`; bound and value of what is fixed so far, fixed columns
 * and all; they only rise. */
void packing_resume(const struct instance *in, uint64_t pivots, uint64_t work, double enough, struct packing *p);
size_t packing_size(const struct packing *p); /* bytes of a copy, about */

/* Makes u feasible for weights `unit` on every column: lowers what is too
 * much, then raises what has room, rows in order. */
void packing_repair(const struct instance *in, weight *u, weight unit);
#endif
