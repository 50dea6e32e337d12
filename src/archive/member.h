/* archive/member.h -- the decompressed text of an archive file, member by member.
 *
 * A file is a row of compressed members (gzip members, zstd or lz4 frames,
 * bzip2 streams) or, plain, one member of its own bytes.  The text of the
 * present member is seen through a window; the next one is entered with
 * text_next, or looked at with text_peek when a record may run on into it.
 *
 * A member that fits into the window is decoded whole by libdeflate (gzip) or
 * one call of zstd; a larger or damaged one in steps.  After damage, decoding
 * goes on at the next place where a member begins with a record's head.
 *
 * A record between members that is not compressed is a member of its own bytes
 * (stored).  A file that begins plain may go on in members (text_turn), and
 * members of one coding may be followed by those of another.
 */
#ifndef WINNOW_ARCHIVE_MEMBER_H
#define WINNOW_ARCHIVE_MEMBER_H
#include "archive/flaw.h"
#include "archive/stream.h"
#include "base/limits.h"

#define TEXT_WINDOW (4 * MIB) /* decoded text kept; a record that fits in is seen whole */
#define TEXT_OPENS (16 * KIB) /* of a file: enough to tell whether a member begins with a record's head */

struct libdeflate_decompressor;

struct text_mark {
	uint64_t text, raw; /* a member begins at this text position and this offset of the file */
	bool stored;	    /* it is a record that is not compressed */
};

struct text {
	struct stream raw;
	enum coding coding;			     /* of the last member; CODING_NONE: plain */
	struct decoder *decoder, *decoders[CODINGS]; /* the coding's; those made so far */
	struct libdeflate_decompressor *whole;
	char *buf;
	size_t cap, at, end, cut; /* unread text of the member is [at, cut); of following ones [cut, end) */
	uint64_t base;		  /* text position of buf[0] */
	struct text_mark *marks;  /* of the members in the window, oldest first; the first is the present one */
	size_t nmarks, marks_cap;
	bool inside; /* the decoder is in the middle of the last member */
	uint64_t
	    stored_end; /* where that ends in the file, when it is stored; else 0; UINT64_MAX in a pipe: at the next member */
	uint64_t raw_end; /* where the last complete member ended */
	bool damaged;	  /* the last member ended by damage: the next must be searched for */
	/* what is wrong with the last member; told when all of its text was read, so that it does not depend on
	 * how far was looked ahead which record has the flaw */
	bool trouble;
	enum flaw_kind trouble_kind;
	bool trouble_end;		    /* the damaged member was decoded to its end all the same */
	uint64_t trouble_raw, trouble_text; /* where the member begins; text decoded */
	unsigned dictionary, asks; /* zstd: the dictionary of the file; that which the last member names, or 0 */
	uint64_t reread;	   /* bytes searched again after damage */
	bool first;		   /* nothing decoded so far */
	bool any;		   /* at least one byte of text was seen */
	struct flaws *flaws;	   /* where what is found goes; set by the reader, never NULL */
};

/* Where a text comes from. */
struct text_source {
	int fd;
	const char *path;
	bool seekable, deflated;
	uint64_t base, limit; /* the part of the file */
	struct str lead;      /* of a pipe: bytes that were read before */
};
/* Sniffs the coding.  WN_OK or an error; release it either way. */
int text_init(struct text *t, const struct text_source *from, struct flaws *flaws, struct err *err);
void text_release(struct text *t);

/* Starts over at offset `at` of the file, where a member (plain: anything) begins. */
int text_seek(struct text *t, uint64_t at, struct err *err);
/* The same at the first offset >= at where a member begins with a record's head; plain: at `at`. WN_END: none that
 * begins before `most`, and no more than that was searched. */
int text_sync(struct text *t, uint64_t at, uint64_t most, struct err *err);

/* Between two members: goes on with the one at `at`, which is known to begin there, as if that before had been read. */
int text_leap(struct text *t, uint64_t at, struct err *err);

/* The unread text of the present member, at least want (<= TEXT_WINDOW / 2)
 * bytes of it unless the member ends before; then *all is set.  Borrowed until
 * the next call on t. */
int text_view(struct text *t, size_t want, struct str *view, bool *all, struct err *err);
void text_skip(struct text *t, size_t n);
int text_pass(struct text *t, uint64_t n,
	      struct err *err);			/* n bytes, over the ends of members; WN_END: there are fewer */
int text_next(struct text *t, struct err *err); /* leaves the member: WN_OK in the next one, WN_END: no more */

/* The beginning of the next member behind the present one, which has been
 * viewed to its end; WN_END when there is none.  *view is the text of it. */
int text_peek(struct text *t, struct str *view, struct err *err);
void text_join(struct text *t); /* what text_peek showed belongs to the present member from now on */

/* In a plain text: whether members of a coding begin here, the first with a record's head; it is read as such from here on. */
int text_turn(struct text *t, bool *turned, struct err *err);
/* The same for the first such place before `most` of v, which is the view: it is gone to.  Returns it, or most. */
size_t text_turn_in(struct text *t, struct str v, size_t most);
/* Whether the present member is plain. */
static inline bool text_plain(const struct text *t)
{
	return t->coding == CODING_NONE || (t->nmarks && t->marks[0].stored);
}

static inline uint64_t text_at(const struct text *t)
{
	return t->coding == CODING_NONE ? stream_at(&t->raw) : t->base + t->at;
}
/* Offset of the member and bytes of text between its start and here. */
void text_place(const struct text *t, uint64_t *raw, uint64_t *skip);
/* Closes a member of which all text was read; offset in the file behind what was read so far. */
int text_settle(struct text *t, uint64_t *raw, struct err *err);
#endif
