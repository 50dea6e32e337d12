/* flow/state.h -- what update needs to know of the run that made a cover.
 *
 * runs/ID.state, beside the certificate: for each document, in the run's order,
 * its capture, a signature of its text and attributes, how the kernel settled
 * it, its component, who its witness is; and the coverers of each core document.  Dual values are in
 * the certificate, by the same numbers.  The arrays are used where they are in the mapped file.
 * docs/format/run-state.md has it byte by byte.
 */
#ifndef WINNOW_FLOW_STATE_H
#define WINNOW_FLOW_STATE_H
#include "base/os.h"
#include "catalog/memberfile.h"
#include "cover/certificate.h"
#include "join/coverage.h"

enum state_kind {
	STATE_FORCED,  /* nothing covers it, but what is folded into it */
	STATE_COVERED, /* `of`, which is forced, covers it; its other coverers were not all looked for */
	STATE_FOLDED,  /* into `of` */
	STATE_CORE,    /* all its coverers are listed, but those that are folded; they are of its component */
	STATE_KINDS
};

#define STATE_KEPT UINT32_MAX /* instead of a witness */

struct state_part { /* a component */
	uint32_t kept, lower, certified, status;
};

struct run_state {
	struct certificate_run run;
	uint64_t index; /* the number of the kept index that belongs to it; 0: none */
	uint32_t n, n_parts, edges;
	uint64_t *signature; /* [n] */
	uint32_t *of, *part; /* [n] */
	uint32_t *group;     /* [n]; NULL without quotas */
	/* [n] These are in the file of members where there is one (catalog/memberfile.h), else here. */
	uint32_t *id, *witness, *shared;
	uint32_t *start, *by;	   /* [n + 1], [edges]: coverers of core documents, ascending; of others none */
	struct state_part *parts;  /* [n_parts] */
	uint8_t *kind;		   /* [n] */
	struct os_map map;	   /* where the arrays are, and */
	struct memberfile members; /* or */
	void *memory, *more;	   /* more: group, id, witness, shared */
};

/* Arrays to be filled. */
void state_alloc(struct run_state *s, uint32_t n, uint32_t n_parts, uint32_t edges, bool grouped);
void state_release(struct run_state *s); /* zero is fine */
/* How a kernel settled document d. */
enum state_kind state_settled(const struct kernel *k, uint32_t d, uint32_t *of);
/* s is as state_alloc made it, with n_parts as they are in the end.  with_members: id, witness and shared are in no other
 * file. */
int state_write(const struct run_state *s, bool with_members, const char *path, struct err *err);
/* WN_DATA with the reason.  id NULL: the members are in their own file, for state_join. */
int state_read(struct run_state *s, const char *path, struct err *err);
int state_join(struct run_state *s, const char *members, struct err *err);
#endif
