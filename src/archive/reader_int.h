/* archive/reader_int.h -- what the files of the reader share: reader.c (records), reader_open.c (files, parts, ranges). */
#ifndef WINNOW_ARCHIVE_READER_INT_H
#define WINNOW_ARCHIVE_READER_INT_H
#include "archive/arc.h"
#include "archive/member.h"
#include "archive/reader.h"

struct part {
	struct str name;
	uint64_t base, limit;
	bool deflated;
};

struct reader {
	int fd;
	bool own_fd, seekable, open; /* open: a part is */
	char *path;
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
	struct source source;
	struct str whole;     /* the block, when all of it is in the window */
	size_t ahead;	      /* bytes of the window to skip when the record is left: head and whole block */
	bool given;	      /* whole was handed out */
	size_t piece;	      /* bytes handed out, not yet skipped */
	uint64_t left, found; /* of the block: to come, handed out */
	bool cut;	      /* the block ended early */
	enum record_format format;
	uint64_t declared;
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
};

int reader_open_part(struct reader *r, struct err *err); /* the part that r->part names */
int reader_next_part(struct reader *r, struct err *err); /* leaves it for the next; WN_END: there is none */
#endif
