/* serve/cdx_scan_int.h -- what cdx_scan.c (which rows) and cdx_format.c (how they look) share. */
#ifndef WINNOW_SERVE_CDX_SCAN_INT_H
#define WINNOW_SERVE_CDX_SCAN_INT_H
#include "base/map.h"
#include "serve/cdx_scan.h"

struct cdx_scan {
	const struct cdx_query *q;
	struct cdx_setting set;
	struct regex_run *runs[CDX_FILTERS];
	bool begun;
	/* the source: ranges still to be read, and their next rows */
	struct cdx_range side[2];
	struct cdx_cursor *cursor[2];
	struct cdx_row next[2];
	bool peeked[2], side_end[2];
	unsigned n_sides;
	struct arena places; /* of the keys in side */
	/* the row in hand */
	int cover_state;
	uint64_t witness, dupes;
	/* collapsing */
	struct buf collapsed, collapse_now;
	bool has_before, priming;
	struct cdx_place resume; /* rows up to here only prime */
	/* held back */
	bool holding;
	struct cdx_row held;
	struct arena held_arena;
	int held_cover;
	uint64_t held_witness, held_dupes, skipped;
	int64_t last_skipped;
	/* duplicates of one URL */
	struct map digests;
	struct str digest_of;
	struct arena digest_key;
	/* counts */
	bool counting;
	uint64_t counted, to_skip, written;
	/* where to resume */
	bool more, more_same_time;
	char resume_stamp[15];
	int64_t resume_time;
	uint64_t resume_id;
	struct buf text; /* scratch; the urlkey of the last row for the resume key is in resume_key */
	struct buf resume_key;
};

struct str cdx_bare_digest(struct str digest);
/* A column's value as text; empty when there is none.  Until the next call. */
struct str cdx_value(struct cdx_scan *s, const struct cdx_row *row, enum cdx_column column, char scratch[32]);
bool cdx_place_behind(const struct cdx_scan *s, const struct cdx_row *row); /* behind s->resume, in the scan's order */
void cdx_remember(struct cdx_scan *s, const struct cdx_row *row);
void cdx_more(struct cdx_scan *s, const struct cdx_row *row);

void cdx_write_head(struct cdx_scan *s, struct buf *out);
int cdx_write_row(struct cdx_scan *s, struct catalog *c, const struct cdx_row *row, struct buf *out, struct err *err);
void cdx_write_block(struct cdx_scan *s, uint64_t block, const struct cdx_row *first, struct buf *out);
void cdx_write_tail(struct cdx_scan *s, struct buf *out);
#endif
