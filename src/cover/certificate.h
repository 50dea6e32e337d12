/* cover/certificate.h -- the proof that goes with a cover, and its stored form.
 *
 * Dual values y(a) >= 0 on documents and z(g) >= 0 on quota groups, integers
 * over one denominator D, such that for every document b that is not pinned
 *
 *	sum of y(a) over what b covers, with b itself, + z(group of b) <= D
 *
 * and y(a) = 0 wherever a pin covers a.  Then no valid cover has fewer than
 *
 *	pins + sum over components of ceil((sum y + sum (demand - pins) z) / D)
 *
 * documents, where the components are those of documents and groups with
 * values > 0, joined when one document touches both.  Byte by byte:
 * docs/format/certificate.md.
 */
#ifndef WINNOW_COVER_CERTIFICATE_H
#define WINNOW_COVER_CERTIFICATE_H
#include "base/arena.h"
#include "base/buf.h"
#include "cover/cover.h"

/* What the run was about; a certificate of another run is no proof. */
struct certificate_run {
	unsigned char rule[32];	     /* SHA-256 of the canonical rule */
	unsigned char selection[32]; /* SHA-256 of the canonical selection; zero: all documents */
	uint64_t revision;	     /* of the collection */
};

struct certificate_value {
	uint32_t id, y; /* document or group, numerator; y > 0 */
};

struct certificate {
	struct certificate_run run;
	uint32_t documents, kept;
	uint64_t bound;	      /* as proven by the values */
	uint64_t lower_bound; /* as reported: search may have gone further */
	uint32_t denominator;
	struct certificate_value *values; /* by document, ascending */
	struct certificate_value *group_values;
	uint32_t value_count, group_value_count;
	uint32_t by_status[3]; /* components certified, searched, bounded */
};

void certificate_from_result(struct arena *a, const struct cover_problem *p, const struct cover_result *r,
			     const struct certificate_run *run, struct certificate *out);
bool certificate_write(const struct certificate *c, struct buf *out); /* false: out is full */
/* Reads what write wrote; WN_DATA with the reason for anything else.  The
 * arrays live in the arena. */
int certificate_read(struct arena *a, struct str bytes, struct certificate *out, struct err *err);
#endif
