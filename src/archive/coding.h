/* archive/coding.h -- decoders: gzip, deflate, br, zstd, lz4, bzip2 behind one step function.
 *
 * The same decoders open the members of archive files and the content codings
 * of HTTP bodies.  A decoder is made once and reset for each stream.
 * Memory: deflate 90 KB, br and zstd up to their window (16 MiB at most),
 * bzip2 4 MB.
 */
#ifndef WINNOW_ARCHIVE_CODING_H
#define WINNOW_ARCHIVE_CODING_H
#include "base/str.h"

enum coding {
	CODING_NONE,
	CODING_GZIP,	/* one member */
	CODING_ZLIB,	/* deflate in a zlib wrapper */
	CODING_DEFLATE, /* deflate, bare */
	CODING_BR,
	CODING_ZSTD,  /* one frame */
	CODING_LZ4,   /* one frame */
	CODING_BZIP2, /* one stream */
	CODINGS
};

enum decode_state {
	DECODE_MORE,	     /* wants more input or more room */
	DECODE_DONE,	     /* the stream is complete; input behind it is untouched */
	DECODE_BAD,	     /* not decodable from here on */
	DECODE_BAD_CHECKSUM, /* complete, but checksum or size are wrong; input behind it is untouched */
};

/* deflate looks ahead, and how many of the last bits of data that is cut off it uses depends on where its input was cut
 * before.  So a step takes input up to the next multiple of this from the start of the stream, and whoever gives it less
 * than that, though there is more, may get a byte or two more or less of a stream that ends early. */
#define DECODER_PIECE ((size_t)65536)

struct decoder;
struct decoder *decoder_new(enum coding coding);
void decoder_free(struct decoder *d); /* d may be NULL */
void decoder_reset(struct decoder *d);

/* zstd: the dictionary for all following frames; false when it is none. */
bool decoder_dictionary(struct decoder *d, struct str dictionary);

/* Decodes from *in to out[0..cap), cuts *in by what was used, adds to *used
 * what was written. */
enum decode_state decoder_step(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used);

/* The coding whose magic the bytes begin with, or CODING_NONE. */
enum coding coding_sniff(struct str s);
#endif
