/* flow/state.h -- what update needs to know of the run that made a cover.
 *
 * runs/ID.state, beside the certificate: for each document, in the run's order,
 * its capture, a signature of its text and attributes, how the kernel settled
 * it, and its component.  Dual values are in the certificate, by the same
 * numbers; who is kept, in the catalogue.  docs/format/run-state.md has it
 * byte by byte.
 */
#ifndef WINNOW_FLOW_STATE_H
#define WINNOW_FLOW_STATE_H
#include "base/buf.h"
#include "cover/certificate.h"
#include "join/coverage.h"

enum state_kind {
	STATE_FORCED,  /* nothing covers it, but what is folded into it */
	STATE_COVERED, /* `of`, which is forced, covers it; its other coverers were not all looked for */
	STATE_FOLDED,  /* into `of` */
	STATE_CORE,    /* all its coverers are of its component */
	STATE_KINDS
};

struct state_part { /* a component */
	uint32_t kept, lower, certified, status;
};

struct run_state {
	struct certificate_run run;
	uint32_t n, n_parts;
	uint64_t *id, *signature;    /* [n] */
	uint32_t *of, *part, *group; /* [n]; group: COVER_NO_GROUP without quotas */
	uint8_t *kind;
	struct state_part *parts; /* [n_parts] */
};

void state_alloc(struct run_state *s, uint32_t n, uint32_t n_parts);
void state_release(struct run_state *s); /* zero is fine */
/* How a kernel settled document d. */
enum state_kind state_settled(const struct kernel *k, uint32_t d, uint32_t *of);
bool state_write(const struct run_state *s, struct buf *out);		/* false: out is full */
int state_read(struct run_state *s, struct str bytes, struct err *err); /* WN_DATA with the reason */
#endif
