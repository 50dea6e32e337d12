/* fulltext/segment.h -- one immutable part of the full-text index, on disk.
 *
 *	docs        0 .. n-1, ascending by content; a length class (norm) per field
 *	terms       sorted by key (a field byte for the title, then the folded bytes)
 *	postings    per term: docs and frequencies in blocks of 128, with a skip table
 *	            (last doc, greatest frequency, least norm) where there is more than one block
 *	positions   per term: gaps within a document, blocks of 128
 *
 * Data is tested by checksums of 64 KiB chunks the first time each is touched;
 * so a damaged segment is an error that names it, and a warm one costs nothing.
 * docs/format/fulltext-segment.md draws the bytes.
 */
#ifndef WINNOW_FULLTEXT_SEGMENT_H
#define WINNOW_FULLTEXT_SEGMENT_H
#include "fulltext/pack.h"
#include "sketch/segfile.h"

enum ft_field { FT_BODY, FT_TITLE, FT_FIELDS };
#define FT_TITLE_KEY '\x01' /* first byte of a title term's key; no term begins with it */
#define FT_KEY_MOST (LIMIT_FT_TERM + 1)
#define FT_DONE UINT32_MAX /* no further doc */

/* Length of a text in terms, as one byte: exact to 15, then 3 bits of mantissa; never more than the length.
 * Sums of lengths are sums of these, so that they do not change when segments are merged. */
uint8_t ft_norm(uint64_t length);
uint32_t ft_norm_length(uint8_t norm);

/* ---- writing: documents first, then terms in order of their keys ---- */
struct ftseg_writer;
int ftseg_writer_open(struct ftseg_writer **out, const char *path, struct err *err);
void ftseg_writer_doc(struct ftseg_writer *w, uint64_t content, const uint64_t lengths[FT_FIELDS]);
void ftseg_writer_doc_norm(struct ftseg_writer *w, uint64_t content, const uint8_t norms[FT_FIELDS]); /* merging */
void ftseg_writer_term(struct ftseg_writer *w, struct str key);
/* Postings one by one: a document, then its gaps in one piece or more (the first position as it is, then how many
 * lie between each and the one before).  gaps16: one, then n more of two bytes each; 14 bytes behind them may be read. */
void ftseg_writer_posting(struct ftseg_writer *w, uint32_t doc);
void ftseg_writer_gaps(struct ftseg_writer *w, const uint32_t *gaps, size_t n);
void ftseg_writer_gaps16(struct ftseg_writer *w, uint32_t first, const unsigned char *gaps, size_t n);
/* Many at once, no more than there is room for; then the gaps of all of them, in one piece or more. */
size_t ftseg_writer_room(const struct ftseg_writer *w);
void ftseg_writer_postings(struct ftseg_writer *w, const uint32_t *docs, const uint32_t *tfs, size_t n);
void ftseg_writer_row(struct ftseg_writer *w, const uint32_t *gaps, size_t n);
int ftseg_writer_term_end(struct ftseg_writer *w, struct err *err); /* a term without postings leaves no trace */
int ftseg_writer_commit(struct ftseg_writer *w, struct err *err);   /* frees w either way */
void ftseg_writer_abort(struct ftseg_writer *w);

/* ---- reading ---- */
struct ftseg {
	struct os_map map;
	struct segfile_head head;
	char *path;
	uint32_t n; /* docs */
	const uint64_t *contents;
	const uint8_t *norms[FT_FIELDS];
	uint64_t tokens[FT_FIELDS], terms;
	uint64_t dict_at, dict_blocks;
	const uint64_t *dict;	  /* where each block of terms begins */
	const uint64_t *checks;	  /* of 64 KiB chunks */
	_Atomic uint64_t *tested; /* a bit per chunk */
};
int ftseg_open(struct ftseg **out, const char *path, struct err *err);
void ftseg_close(struct ftseg *s); /* s may be NULL */
int ftseg_check(const char *path, struct err *err);
bool ftseg_find_doc(const struct ftseg *s, uint64_t content, uint32_t *doc);

struct ftterm { /* where a term's data is */
	uint32_t df;
	uint64_t ttf;
	uint64_t at;
	uint32_t postings_n, positions_n;
};
/* *found says whether the term is there. */
int ftseg_lookup(const struct ftseg *s, struct str key, struct ftterm *term, bool *found, struct err *err);

/* Terms in order, from the first that is >= key. */
struct ftdict {
	const struct ftseg *s;
	const unsigned char *p, *end;
	uint64_t block, left; /* next block; terms left in this one */
	uint64_t at;
	struct buf key;
	struct ftterm term;
};
int ftdict_seek(struct ftdict *d, const struct ftseg *s, struct str key, struct err *err); /* WN_OK or WN_END */
int ftdict_next(struct ftdict *d, struct err *err);
void ftdict_release(struct ftdict *d);

/* A term's documents in order. */
struct ftcursor {
	const struct ftseg *s;
	struct ftterm term;
	const unsigned char *skip, *blocks, *end; /* skip: NULL when there is one block */
	const unsigned char *block_tf, *block_end;
	const unsigned char *positions, *positions_end;
	uint32_t n_blocks, block; /* block: the one decoded */
	uint32_t doc;		  /* the present one, FT_DONE behind the last */
	uint32_t n, at;		  /* in the block */
	bool have_tf;
	uint32_t docs[PACK_N], tfs[PACK_N];
	/* positions: the decoded block of them, and where in it the doc numbered pos_docs of block pos_block begins */
	const unsigned char *pos_p, *pos_last; /* the next block; the last one (NULL: pos_left counts) */
	uint64_t pos_left;
	uint32_t pos_n, pos_at, pos_block, pos_docs, pos_before; /* pos_before: the last one given */
	uint32_t pos[PACK_N];
	const char *damage; /* set when the data could not be read; the cursor is then done */
};
#define FT_SKIP 16	 /* bytes of an entry: last u32, at u32, pos_at u32, pos_in u8, max_tf u8, min_norm u8, 0 */
#define FT_SKIP_TAIL 8	 /* behind the entries: where the last block of positions begins u32, 0 u32 */
#define FT_DICT_BLOCK 32 /* terms in a block of the dictionary */
#define FT_CHUNK 65536	 /* bytes under one checksum */
/* What the index begins with. */
struct ftseg_index {
	uint64_t tokens[FT_FIELDS], terms, dict_at, dict_blocks, chunks;
};
int ftcursor_open(struct ftcursor *c, const struct ftseg *s, const struct ftterm *term, struct err *err);
uint32_t ftcursor_load(struct ftcursor *c, uint32_t block); /* decodes a block; its first doc */
uint32_t ftcursor_next_block(struct ftcursor *c);
uint32_t ftcursor_seek_far(struct ftcursor *c, uint32_t target);
uint32_t ftcursor_seek_block(const struct ftcursor *c,
			     uint32_t target); /* the block that may hold target, from the present on */
void ftcursor_need_tf(struct ftcursor *c);
/* Positions of the present doc into out[0..tf); false when damaged. */
bool ftcursor_positions(struct ftcursor *c, uint32_t *out);
/* The same in pieces: ftcursor_positions_open, then tf of them by calls of ftcursor_positions_some. */
bool ftcursor_positions_open(struct ftcursor *c);
bool ftcursor_positions_some(struct ftcursor *c, uint32_t *out, uint32_t n);
/* Of the present doc and the n - 1 behind it in its block, as they are stored: ftcursor_gaps_open says how many, then
 * ftcursor_gaps gives some of the next `most`, 0 when damaged. */
uint64_t ftcursor_gaps_open(struct ftcursor *c, uint32_t n);
uint32_t ftcursor_gaps(struct ftcursor *c, const uint32_t **gaps, uint64_t most);
int ftcursor_error(const struct ftcursor *c, struct err *err); /* WN_OK, or WN_DATA when damaged */

static inline uint32_t ftcursor_next(struct ftcursor *c)
{
	if (++c->at < c->n)
		return c->doc = c->docs[c->at];
	return ftcursor_next_block(c);
}
/* The first doc >= target; never goes back. */
static inline uint32_t ftcursor_seek(struct ftcursor *c, uint32_t target)
{
	return c->doc >= target ? c->doc : ftcursor_seek_far(c, target);
}
static inline uint32_t ftcursor_tf(struct ftcursor *c)
{
	if (!c->have_tf)
		ftcursor_need_tf(c);
	return c->tfs[c->at];
}
/* Of a block: its last doc, and greatest frequency (255: that or more) and least norm. */
static inline uint32_t ftcursor_last(const struct ftcursor *c, uint32_t block)
{
	return c->skip ? get_u32(c->skip + FT_SKIP * (size_t)block) : FT_DONE - 1;
}
#endif
