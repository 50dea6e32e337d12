/* sketch/segment.h -- stored sets: sketch/NNNNNN.seg.
 *
 * A segment is written once, holds the contents [first, first + n) in order,
 * and never changes.  Per content: the sets of body and main text (Elias-Fano:
 * gaps of the high parts in unary, low bits packed; about 66 - log2(size) bits
 * a shingle), the main text's where possible as bits over the body's, MinHash and
 * SimHash of each.  Every record has its own checksum,
 * tested when it is read: a damaged segment is an error that names it, never a
 * wrong set.  docs/format/sketch-segment.md has it byte by byte.
 *
 *	segment_writer_open(&w, "sketch/000001.seg", spec, first, err);
 *	segment_writer_add(w, content, body, main, err);   // content = first, first + 1, ...
 *	segment_writer_commit(w, err);                     // appears whole or not at all
 *
 * Readers are const after opening and may be shared by threads.
 */
#ifndef WINNOW_SKETCH_SEGMENT_H
#define WINNOW_SKETCH_SEGMENT_H
#include "sketch/minhash.h"

enum sketch_text { SKETCH_BODY, SKETCH_MAIN, SKETCH_TEXTS };

struct segment_writer;
int segment_writer_open(struct segment_writer **out, const char *path, struct shingle_spec spec, uint64_t first,
			struct err *err);
/* main equal to body costs nothing, a part of it a bit a value.  MinHash and SimHash are made here unless
 * given (made by segment_pack on another thread). */
int segment_writer_add(struct segment_writer *w, uint64_t content, struct set body, struct set main, struct err *err);
int segment_writer_commit(struct segment_writer *w, struct err *err); /* frees w either way */
void segment_writer_abort(struct segment_writer *w);		      /* w may be NULL */

/* The heavy part of adding, for worker threads: a record ready to be written.
 * segment_writer_add(...) = segment_pack + segment_writer_put. */
struct buf;
void segment_pack(struct buf *out, struct set body, struct set main); /* out is reset first */
/* The same one after the other, so that only one of the sets need be there at a time; without the second, main is body. */
void segment_pack_body(struct buf *out, struct set body);
void segment_pack_main(struct buf *out, struct set main);
int segment_writer_put(struct segment_writer *w, uint64_t content, struct buf *packed, struct err *err);

struct segment;
int segment_open(struct segment **out, const char *path, struct err *err);
void segment_close(struct segment *s); /* s may be NULL */
uint64_t segment_first(const struct segment *s);
uint64_t segment_count(const struct segment *s);
struct shingle_spec segment_spec(const struct segment *s);

struct sketch {	  /* what is known of a text without decoding its set */
	size_t n; /* size of the set */
	uint64_t simhash;
	struct minhash minhash;
};
/* WN_NONE when the content is not in this segment; WN_DATA when damaged. */
int segment_sketch(const struct segment *s, uint64_t content, enum sketch_text which, struct sketch *out,
		   struct err *err);
/* Size only, O(1); and the set, decoded into out[0..size). */
int segment_size(const struct segment *s, uint64_t content, enum sketch_text which, size_t *n, struct err *err);
int segment_get(const struct segment *s, uint64_t content, enum sketch_text which, uint64_t *out, size_t room,
		size_t *n, struct err *err);

/* A stored set, tested, to be read in parts: *i is the next value's number, *at
 * its place among the high bits or, of a part, in the body's set; both 0 at first.  Reads values below `below`
 * (all for UINT64_MAX), at most cap; returns how many. */
struct set_view {
	const unsigned char *p; /* its form is known to setpack.c alone */
	uint32_t n;
};
int segment_view(const struct segment *s, uint64_t content, enum sketch_text which, struct set_view *out,
		 struct err *err);
uint32_t set_view_read(struct set_view v, uint32_t *i, uint64_t *at, uint64_t below, uint64_t *out, uint32_t cap);
void set_view_near(struct set_view v, uint32_t i,
		   uint64_t at); /* asks the cache for what a read from there begins with */

/* Reads all of a file and says what is wrong first; WN_OK when nothing is. */
int segment_check(const char *path, struct err *err);

/* All segments of a directory, by content: files ???*.seg in order of first;
 * where two hold a content the file with the larger name wins. */
struct segments;
int segments_open(struct segments **out, const char *dir, struct err *err); /* a missing directory is empty */
void segments_close(struct segments *s);
const struct segment *segments_find(const struct segments *s, uint64_t content); /* NULL when absent */
int segments_get(const struct segments *s, uint64_t content, enum sketch_text which, uint64_t *out, size_t room,
		 size_t *n, struct err *err);
int segments_size(const struct segments *s, uint64_t content, enum sketch_text which, size_t *n, struct err *err);
#endif
