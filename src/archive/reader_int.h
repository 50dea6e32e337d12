/* archive/reader_int.h -- what the files of the reader share: reader.c (records), reader_block.c (their blocks), reader_sight.c (what a head looks like),
 * reader_length.c (where a block really ends), reader_open.c (files, parts, ranges), skim.c (heads alone). */
#ifndef WINNOW_ARCHIVE_READER_INT_H
#define WINNOW_ARCHIVE_READER_INT_H
#include "archive/arc.h"
#include "archive/member.h"
#include "archive/reader.h"

#define BEYOND (2 * KIB)		     /* text viewed behind a block, to see how it ends */
#define TRAILER 4			     /* bytes of the longest trailer */
#define WHOLE_MAX (TEXT_WINDOW / 2 - BEYOND) /* head and block of a record seen whole */

struct part {
	struct str name;
	uint64_t base, limit;
	bool deflated;
};

struct reader {
	int fd;
	bool own_fd, seekable, open; /* open: a part is */
	bool kept;		     /* fd is a copy of a pipe, which cannot be opened again */
	char lead[4];		     /* of a pipe: bytes read to see what it is */
	size_t nlead;
	char *path;
	uint64_t size; /* of a regular file when it was opened */
	struct arena names;
	struct part *parts;
	size_t nparts, part;

	struct text text;
	uint64_t to; /* records that begin before this offset */
	bool single; /* one record only */
	unsigned arc_version;
	bool seen_warc, seen_arc;
	uint64_t records, first_record;
	bool done;  /* WN_END was returned */
	bool loose; /* a range of a plain file: begin at any sure head */
	bool line;  /* the block read so far ends with a line end */

	bool in_record, until; /* until: the block goes to the next head */
	bool watch;	       /* a head inside the block makes its length doubtful */
	bool wrong;	       /* the length is: told when the true one is known */
	uint64_t probed;       /* text looked at twice so far */
	struct source source;
	struct str whole;     /* the block, when all of it is in the window */
	size_t ahead;	      /* bytes of the window to skip when the record is left: head and whole block */
	bool given;	      /* whole was handed out */
	size_t piece;	      /* bytes handed out, not yet skipped */
	uint64_t left, found; /* of the block: to come, handed out */
	bool cut;	      /* the block ended early */
	bool closed;	      /* the record ended with the line ends that its format asks for */
	bool ended;	      /* the same, and perhaps with more of them */
	enum record_format format;
	uint64_t declared;
	size_t head_size;
	struct span span;
	uint64_t last_member; /* offset of the last record's member, for FLAW_SHARED_MEMBER */
	bool shared_told;

	struct head_scratch scratch;
	char *head; /* copy of the head of a long record */
	size_t head_cap;
	struct flaws pending; /* for the next record, or the tail */
	struct flaws late;    /* of the present record, found after its head */
	uint64_t stop_raw, stop_skip;
	uint64_t consumed; /* by the parts before */
	struct skim *skim; /* NULL: every block is read */
	bool passed;	   /* the present one was not */
};

/* A head, seen. */
struct sighting {
	enum record_format format;
	size_t at, size; /* where; length of an ARC line */
};

/* Is there a head at the start of s?  Strict: only one that no garbage looks like. */
enum head_sight reader_sight(const struct reader *r, struct str s, bool all, bool strict, struct sighting *out);
/* The first sure head in s, which begins at the start of a line when `line`
 * says so.  HEAD_SHORT: none before out->at, from where more text is needed. */
enum head_sight reader_find_head(const struct reader *r, struct str s, bool line, bool all, struct sighting *out);

/* How the text behind a block closes it. */
enum closing {
	CLOSE_EXACT, /* as the format asks, then a head or the end */
	CLOSE_LOOSE, /* other line ends, or none, then a head or the end */
	CLOSE_GAP,   /* line ends that close a record, then something that is no head */
	CLOSE_NOT,   /* not at all: the length is wrong */
};
/* The block ends at text[end]; *run gets the line ends behind it. */
enum closing reader_closing(const struct reader *r, enum record_format format, struct str text, size_t end, bool all,
			    size_t *run);
/* The length of a block that closes loosely when the trailer it counted in is given back; else as it was. */
size_t reader_give_back(enum record_format format, struct str text, size_t length, size_t run);

/* The bytes of line ends that close a record at the end of text; 0 when it does not end so. */
size_t reader_trailer(enum record_format format, struct str text);

/* What can be said of a block's length by the text in view. */
enum verdict {
	LENGTH_RIGHT, /* rec->length is, or has been made, that of the block */
	LENGTH_CUT,   /* the block ends with the text: rec->length is what there is */
	LENGTH_OPEN,  /* the block goes on beyond the view; *wrong when its length is surely not rec->length */
};
/* block: the text in view from the block's start; all: nothing of the member follows. */
enum verdict reader_judge(struct reader *r, struct record *rec, struct str block, bool all, bool *wrong);

/* Is a block of that length, which ends beyond the view, closed there?  By a second look at the file. */
enum probe {
	PROBE_NO,
	PROBE_GAP, /* it closes, but no head follows: believed when there is no head inside */
	PROBE_YES,
	PROBE_CANNOT,
};
enum probe reader_probe(struct reader *r, size_t head, uint64_t length);

/* The member ends inside the block: does the record run on into the next one?
 * WN_OK: yes, and it is joined; WN_END: no. */
int reader_run_on(struct reader *r, uint64_t lacking, struct flaws *flaws, struct err *err);

/* Notes that the reader stands before the head of a record of its own kind at raw, `skip` behind the member's start. */
void reader_enter(struct reader *r, enum record_format format, uint64_t raw, uint64_t skip);
/* Sets up the record whose head begins the text; WN_END: there is none. */
int reader_begin(struct reader *r, struct record *rec, struct err *err);
/* Reads a head into a fresh record.  What stays: span, part, pending flaws. */
void reader_parse_head(struct reader *r, struct record *rec, enum record_format format, struct str head, bool cut);
/* What of the head follows from the file and from the block. */
void reader_complete_head(struct reader *r, struct record *rec, struct str block);

/* skim.c: the next record by its heads alone.  WN_END: it is to be read as usual, from where the reader stands. */
int skim_next(struct reader *r, struct record *rec, struct err *err);
int skim_open(struct reader *r, struct err *err); /* the block of the record that was passed is wanted all the same */
void skim_forget(struct skim *s);		  /* another part begins */
void skim_free(struct skim *s);			  /* s may be NULL */

int reader_next_part(struct reader *r, struct err *err); /* leaves it for the next; WN_END: there is none */
#endif
