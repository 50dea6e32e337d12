/* archive/cdx.h -- lines of CDXJ, CDX 11 and CDX 9: writing and reading them.
 *
 * One struct cdx is one capture as indexes of web archives list it.  Writing
 * gives what other software writes: CDXJ as cdxj-indexer does (values are
 * strings, ", " and ": ", bytes outside ASCII as \uXXXX), CDX-N with '-' for
 * what is not known and digests without their label.  Reading takes what is
 * found: 14- and 17-digit stamps, numbers or strings, all the field names that
 * are in use, any CDX header line.
 * docs/format/cdx.md has both, field by field.
 */
#ifndef WINNOW_ARCHIVE_CDX_H
#define WINNOW_ARCHIVE_CDX_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum cdx_format { CDX_J, CDX_11, CDX_9, CDX_FORMATS };
bool cdx_format(const char *name, enum cdx_format *out);

#define CDX_NONE UINT64_MAX /* a number that is not known */

struct cdx {
	struct str urlkey;
	int64_t time;				/* seconds */
	uint32_t nsec;				/* of a 17-digit stamp */
	struct str url, mime, digest, filename; /* digest with its label where it has one */
	int status;				/* -1 none */
	uint64_t length, offset;		/* CDX_NONE */
	struct str redirect, meta;		/* CDX 11: r and M */
	struct str method, request_body;	/* CDXJ, of requests joined for --post-append */
};

/* The header line of a CDX-N file, with its newline; empty for CDXJ. */
struct str cdx_header(enum cdx_format f);

/* Adds the line with its newline. */
void cdx_add(enum cdx_format f, const struct cdx *c, struct buf *out);

/* Reads the lines of one file; zero-initialised expects CDXJ or CDX 11 or 9,
 * told apart by their fields, until a header line (" CDX N b a ...") names them. */
struct cdx_reader {
	char fields[32]; /* letters of the header, in order */
	unsigned nfields;
	char delimiter;
};

/* WN_OK; WN_NONE for a line that is no capture (header, comment, empty); WN_DATA with the reason
 * for one that cannot be read.  Slices are borrowed from line and arena. */
int cdx_parse(struct cdx_reader *r, struct arena *a, struct str line, struct cdx *out, struct err *err);

/* The name in CDXJ of a field that a client asked for by any of its names
 * (original, u, statuscode, ...); NULL when it is none of them. */
const char *cdx_field(struct str name);

/* What is added to the URL of a request that is not a GET before its key is
 * made, "__wb_method=POST&a=1", by method, Content-Type and body (at most
 * LIMIT_POST_BODY bytes are used): forms as they are, JSON flattened, multipart
 * by parts, text and the rest in base64.  False, and nothing added, for GET. */
bool cdx_post_query(struct str method, struct str content_type, struct str body, struct buf *out);
/* url with that query added behind '?' or '&'. */
void cdx_post_url(struct str url, struct str query, struct buf *out);

/* Compressed indexes (WACZ): blocks of lines, each a gzip member, and a
 * secondary index with the first key of each block. */
struct cdx_blocks {
	struct buf gz, idx; /* written so far */
	struct buf lines;   /* of the open block */
	unsigned count, per_block;
	struct str filename; /* of the .cdx.gz, as .idx names it; borrowed */
};
void cdx_blocks_init(struct cdx_blocks *b, struct str filename, unsigned per_block); /* 0: 300 */
void cdx_blocks_add(struct cdx_blocks *b, struct str line);			     /* sorted; with newline */
void cdx_blocks_end(struct cdx_blocks *b);
void cdx_blocks_release(struct cdx_blocks *b);
#endif
