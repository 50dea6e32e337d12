/* archive/record.h -- one record of an archive file, WARC or ARC alike.
 *
 * An ARC line appears under WARC names: its URL is target_uri, its date is
 * date (14 digits as written), its type content_type, and `type` is RESPONSE,
 * RESOURCE or WARCINFO (the filedesc block) by what the block holds.
 * All slices are borrowed; see reader.h for how long.
 */
#ifndef WINNOW_ARCHIVE_RECORD_H
#define WINNOW_ARCHIVE_RECORD_H
#include "archive/flaw.h"
#include "base/arena.h"

enum record_type {
	RECORD_UNKNOWN, /* missing or of a kind we do not know; see type_text */
	RECORD_WARCINFO,
	RECORD_RESPONSE,
	RECORD_RESOURCE,
	RECORD_REQUEST,
	RECORD_METADATA,
	RECORD_REVISIT,
	RECORD_CONVERSION,
	RECORD_CONTINUATION,
	RECORD_TYPES
};

enum record_format { RECORD_WARC, RECORD_ARC };

/* Where a record lies: what the catalogue stores and reader_open_span takes. */
struct span {
	uint64_t at;	 /* offset of the record, or of the compressed member it begins in */
	uint64_t length; /* bytes in the file up to the next record; whole member(s) when compressed */
	uint64_t skip;	 /* bytes of decompressed data in front of it in its member; 0 but for shared members */
};

struct field {
	struct str name, value; /* value trimmed and unfolded */
};

/* Adds a line that goes on with a folded value behind it and a blank.  The value's room doubles, so that one of many
 * lines takes memory as it is long: copied line by line, a head of 1 MiB would take many gigabytes. */
struct unfolding { /* zero at the beginning of a head */
	char *p;   /* the value that was unfolded last */
	size_t room;
};
struct str field_unfold(struct arena *a, struct unfolding *u, struct str value, struct str more);

struct record {
	enum record_format format;
	enum record_type type;
	unsigned version_major, version_minor; /* WARC 1.1 -> 1, 1; ARC: version block's, or 1, 0 */
	struct str type_text;
	const struct field *fields;
	unsigned nfields;

	struct str id;		 /* WARC-Record-ID without <>; empty for ARC */
	struct str target_uri;	 /* without <>, spaces as %20; empty when there is none */
	struct str date;	 /* as written */
	struct str content_type; /* of the block (WARC) or the payload (ARC) */
	struct str ip;
	struct str block_digest, payload_digest; /* as written, "sha1:..." */
	struct str truncated;			 /* WARC-Truncated: length, time, ... */
	struct str profile;			 /* of a revisit; without <> */
	struct str refers_to, refers_to_uri, refers_to_date;
	struct str warcinfo_id, concurrent_to; /* the first WARC-Concurrent-To */
	struct str segment_origin;
	uint64_t segment_number; /* 0: not segmented */
	uint64_t segment_total;	 /* of the last segment; else 0 */
	bool has_length;
	uint64_t length; /* of the block, as declared; without one what was found */

	struct str part;  /* the WARC's name inside a WACZ, else empty */
	struct span span; /* length is final after reader_end */
	size_t head;	  /* bytes of the record's head; its block follows */
	bool plain;	  /* lies in the file uncompressed */
	struct str whole; /* the whole block when it lies in memory (p != NULL), else use reader_block */
	bool passed;	  /* only the heads were read (reader_quick) */
	struct str lead;  /* of one that was passed: the block's beginning, with its HTTP head */
	struct flaws flaws;
};

const char *record_type_name(enum record_type type); /* "response"; "unknown" */

/* The first field of that name (any case), or STR_NONE. */
struct str record_field(const struct record *rec, const char *name);

/* True when the block begins with an HTTP head: by Content-Type application/http
 * with type response, request or revisit; in ARC by http(s) URL and "HTTP". */
bool record_is_http(const struct record *rec, struct str block_start);
#endif
