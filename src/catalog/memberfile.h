/* catalog/memberfile.h -- who is a member of a cover, as a file: runs/ID.members.
 *
 * Written by whoever stores a cover, before its row is committed; read through the virtual table cover_member
 * (sqlite_members.c), so that SQL sees a row for each member.  docs/format/members.md has it byte by byte.
 */
#ifndef WINNOW_CATALOG_MEMBERFILE_H
#define WINNOW_CATALOG_MEMBERFILE_H
#include "base/err.h"
#include "base/os.h"

#define MEMBER_KEPT UINT32_MAX /* instead of a witness */

struct member_list { /* in the canonical order of documents */
	uint32_t n;
	const uint32_t *id;		  /* captures */
	const uint32_t *witness, *shared; /* witness: a number of this order, or MEMBER_KEPT */
	const uint32_t *size; /* shingles; 0 of kept ones that are nobody's witness, where it would cost something */
};

struct memberfile {
	struct member_list list;
	/* Made by the first who asks: */
	uint32_t *by_id;      /* [n] ascending by capture */
	uint32_t *by_witness; /* the dropped ones, by witness's capture, then by capture */
	uint32_t dropped;
	struct os_map map;
};

int memberfile_write(const struct member_list *m, uint64_t revision, const char *path, struct err *err);
/* WN_DATA: damaged, or of another revision. */
int memberfile_open(struct memberfile *f, const char *path, uint64_t revision, struct err *err);
/* The same where numbers may be out of range and captures there twice: for who looks for that. */
int memberfile_read(struct memberfile *f, const char *path, uint64_t revision, struct err *err);
void memberfile_close(struct memberfile *f); /* zero is fine */
bool memberfile_order(struct memberfile *f); /* false: a capture is there twice */
void memberfile_order_by_witness(struct memberfile *f);
/* The first place in by_id of a capture that is not less; n: none. */
uint32_t memberfile_find(const struct memberfile *f, uint64_t capture);
/* The same in by_witness, for a witness, then for a capture among those of the same witness. */
uint32_t memberfile_find_witness(const struct memberfile *f, uint64_t witness, uint64_t capture);
#endif
