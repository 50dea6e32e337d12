/* archive/decode.h -- one content coding, taken off.
 *
 * When all input comes in one piece and its result is of moderate size, gzip
 * is decoded in one call; else in steps of DECODE_OUT.  Input that is not in
 * the coding comes out as it is (flaw coding-wrong); where it is damaged, the
 * output ends (flaw coding-damaged).
 */
#ifndef WINNOW_ARCHIVE_DECODE_H
#define WINNOW_ARCHIVE_DECODE_H
#include "archive/coding.h"
#include "archive/flaw.h"
#include "archive/source.h"
#include "base/buf.h"

struct libdeflate_decompressor;

struct decode {
	struct source source;
	struct source *up;
	struct flaws *flaws;
	uint64_t at;		 /* offset for flaws */
	enum coding coding;	 /* what is decoded; CODING_ZLIB stands for both meanings of deflate */
	struct str label;	 /* as the head calls it */
	struct decoder *decoder; /* kept from one body to the next */
	enum coding made;	 /* for which decoder was made */
	struct libdeflate_decompressor *whole;
	char *out;
	size_t cap;
	struct str in, piece; /* input not yet used; the whole of the piece it is from */
	struct str rest;      /* of what came from up, not yet in a piece */
	bool final;	      /* nothing follows it */
	struct buf gathered;  /* of deflate: what comes in any size becomes pieces of DECODER_PIECE */
	struct buf held;      /* pieces used before the first output: given out should the label prove wrong */
	bool started, as_is, over, damaged;
	bool between;	/* a member is complete; another may follow */
	uint64_t total; /* bytes given out */
};

void decode_init(struct decode *d, struct source *up, enum coding coding, struct str label, struct flaws *flaws,
		 uint64_t at);
void decode_release(struct decode *d);

/* The coding a label names; false when it is unknown.  identity is CODING_NONE. */
bool decode_label(struct str label, enum coding *out);
#endif
