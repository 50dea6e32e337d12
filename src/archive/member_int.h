/* archive/member_int.h -- what the files of the text share: member.c (the window, decoding), member_find.c (where members
 * begin and what they are). */
#ifndef WINNOW_ARCHIVE_MEMBER_INT_H
#define WINNOW_ARCHIVE_MEMBER_INT_H
#include "archive/member.h"

#define DICTIONARY_FRAME 0x184d2a5du /* the skippable frame that carries it */

static inline uint32_t le32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static inline bool text_skippable(struct str s) { return s.n >= 8 && (le32(s.p) & 0xfffffff0u) == 0x184d2a50u; }

void text_use(struct text *t, enum coding coding); /* what follows is of that coding */
/* Does the data of t's coding at the start of raw open to a record's head? */
bool text_opens(struct text *t, struct str raw);
/* The same of any coding, which becomes t's. */
bool text_begins(struct text *t, struct str raw);
/* The first place before `most` of v where one does; most: none. */
size_t text_find_member(struct text *t, struct str v, size_t most);
/* The coding of a file whose very first bytes are damaged: sets coding and decoder when a true member is near. */
void text_hidden_coding(struct text *t, struct str v);
/* zstd and lz4 share the skippable frames: what follows them tells which it is. */
enum coding text_behind_skippable(struct str v);
enum text_goal {
	FIND_OWN,    /* a true member of t's coding */
	FIND_MEMBER, /* of any coding, which becomes t's */
	FIND_RECORD, /* or a WARC record that is not compressed */
};
/* Moves the raw stream to the next of them at or after where it stands.
 * WN_END: there is none that begins before `most` (the stream is there or behind it, or at its end). */
int text_search(struct text *t, uint64_t most, enum text_goal goal, struct err *err);
/* A record that is not compressed: does v begin with one, and where does that end?  See member_find.c. */
bool text_plain_head(struct str v);
int text_stored_end(struct text *t, struct str v, uint64_t *end, struct err *err);
#endif
