/* archive/lead.h -- the beginning of a gzip member's text, and no more.
 *
 * The decoders of coding.h are made for whole members: ISA-L decodes at least
 * 64 KiB ahead, libdeflate says nothing of a member that it could not finish.
 * Where only a head is wanted, building their large tables costs more than
 * decoding it.  This one has small tables, stops where it is told and checks no
 * checksum, since it never sees the end.
 */
#ifndef WINNOW_ARCHIVE_LEAD_H
#define WINNOW_ARCHIVE_LEAD_H
#include "base/str.h"

enum lead_state {
	LEAD_CUT,   /* room is full, and the member goes on */
	LEAD_WHOLE, /* all text of the member is there; its trailer was not looked at */
	LEAD_SHORT, /* the input ends before */
	LEAD_BAD,   /* no gzip member, or damaged */
};

struct lead_tables; /* scratch, kept from one member to the next */
struct lead_tables *lead_tables_new(void);
void lead_tables_free(struct lead_tables *t); /* t may be NULL */

/* Decodes the member at the start of raw into room[0..cap).  *n gets the bytes of text, *used those of raw that were
 * needed for them: the member does not end before. */
enum lead_state lead_decode(struct lead_tables *t, struct str raw, char *room, size_t cap, size_t *n, size_t *used);
#endif
