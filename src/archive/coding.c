/* archive/coding.c -- one table of decoders.
 *
 * Invariant of decoder_step: it uses input or writes output, or returns
 * something other than DECODE_MORE, or needs what it was not given.
 */
#include "archive/coding.h"

#include <brotli/decode.h>
#include <bzlib.h>
#include <isa-l/igzip_lib.h>
#include <lz4frame.h>
#include <stddef.h>
#include <zstd.h>

#include "base/log.h"
#include "base/mem.h"

#define ZSTD_WINDOW_LOG 24 /* 16 MiB: twice what warc-zstd permits */

struct decoder {
	enum coding coding;
	struct inflate_state *inflate, *saved; /* now; before the last step */
	bool failed;			       /* inflate is at an error */
	size_t taken;			       /* by it, of the present DECODER_PIECE */
	BrotliDecoderState *br;
	ZSTD_DCtx *zstd;
	LZ4F_dctx *lz4;
	bz_stream bz;
	bool bz_open;
};

static void reset_inflate(struct decoder *d)
{
	isal_inflate_reset(d->inflate);
	d->inflate->crc_flag = d->coding == CODING_GZIP	  ? ISAL_GZIP
			       : d->coding == CODING_ZLIB ? ISAL_ZLIB
							  : ISAL_DEFLATE;
	d->inflate->avail_in = 0;
	d->failed = false;
	d->taken = 0;
}

void decoder_reset(struct decoder *d)
{
	switch (d->coding) {
	case CODING_GZIP:
	case CODING_ZLIB:
	case CODING_DEFLATE: reset_inflate(d); break;
	case CODING_BR:
		if (d->br)
			BrotliDecoderDestroyInstance(d->br);
		if (!(d->br = BrotliDecoderCreateInstance(NULL, NULL, NULL)))
			die("no memory for a brotli decoder");
		break;
	case CODING_ZSTD: ZSTD_DCtx_reset(d->zstd, ZSTD_reset_session_only); break;
	case CODING_LZ4: LZ4F_resetDecompressionContext(d->lz4); break;
	case CODING_BZIP2:
		if (d->bz_open)
			BZ2_bzDecompressEnd(&d->bz);
		d->bz = (bz_stream){ 0 };
		if (BZ2_bzDecompressInit(&d->bz, 0, 0) != BZ_OK)
			die("no memory for a bzip2 decoder");
		d->bz_open = true;
		break;
	default: break;
	}
}

struct decoder *decoder_new(enum coding coding)
{
	struct decoder *d = mem_zalloc(sizeof *d);

	d->coding = coding;
	switch (coding) {
	case CODING_GZIP:
	case CODING_ZLIB:
	case CODING_DEFLATE:
		d->inflate = mem_alloc(sizeof *d->inflate);
		d->saved = mem_alloc(sizeof *d->saved);
		isal_inflate_init(d->inflate);
		break;
	case CODING_ZSTD:
		if (!(d->zstd = ZSTD_createDCtx()))
			die("no memory for a zstd decoder");
		ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
		break;
	case CODING_LZ4:
		if (LZ4F_isError(LZ4F_createDecompressionContext(&d->lz4, LZ4F_VERSION)))
			die("no memory for an lz4 decoder");
		break;
	default: break;
	}
	decoder_reset(d);
	return d;
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	mem_free(d->inflate);
	mem_free(d->saved);
	if (d->br)
		BrotliDecoderDestroyInstance(d->br);
	if (d->zstd) /* which would load the library (base/late.h) */
		ZSTD_freeDCtx(d->zstd);
	if (d->lz4)
		LZ4F_freeDecompressionContext(d->lz4);
	if (d->bz_open)
		BZ2_bzDecompressEnd(&d->bz);
	mem_free(d);
}

bool decoder_dictionary(struct decoder *d, struct str dictionary)
{
	return !ZSTD_isError(ZSTD_DCtx_loadDictionary(d->zstd, dictionary.p, dictionary.n));
}

static uint32_t clip32(size_t n) { return n > (1u << 30) ? 1u << 30 : (uint32_t)n; }

/* What an inflater needs to be as it was: of its window only what is in use. */
static void copy_inflate(struct inflate_state *to, const struct inflate_state *from)
{
	memcpy(to, from, offsetof(struct inflate_state, tmp_out_buffer) + (size_t)from->tmp_out_valid);
}

static int run_inflate(struct inflate_state *s, struct str *in, size_t most, char *out, size_t cap, size_t *used)
{
	uint32_t nin = clip32(in->n < most ? in->n : most), nout = clip32(cap - *used);

	s->next_in = (uint8_t *)(uintptr_t)in->p;
	s->avail_in = nin;
	s->next_out = (uint8_t *)out + *used;
	s->avail_out = nout;
	int rc = isal_inflate(s);

	*in = str_sub(*in, nin - s->avail_in, in->n);
	*used += nout - s->avail_out;
	return rc;
}

/* What was decoded in front of an error and found no room. */
static enum decode_state give_rest(struct decoder *d, char *out, size_t cap, size_t *used)
{
	struct inflate_state *s = d->inflate;
	size_t rest = (size_t)(s->tmp_out_valid - s->tmp_out_processed), room = cap - *used;
	size_t n = rest < room ? rest : room;

	memcpy(out + *used, s->tmp_out_buffer + s->tmp_out_processed, n);
	s->tmp_out_processed += (int32_t)n;
	*used += n;
	return n < rest ? DECODE_MORE : DECODE_BAD;
}

/* In its fast loop, ISA-L counts bytes that it did not write when it meets an error, and how many depends on where its
 * input and output were cut.  The loop is not entered with a byte of input at a time, and then the count is exact: so an
 * error is approached in ever shorter steps, and what comes out of damaged data is the same however it is read. */
static enum decode_state inflate_exactly(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used)
{
	struct inflate_state *s = d->inflate;
	size_t step = in->n;
	int rc;

	if (d->failed)
		return give_rest(d, out, cap, used);
	for (;;) {
		struct str before = *in;
		size_t was = *used;

		copy_inflate(d->saved, s);
		rc = run_inflate(s, in, step, out, cap, used);
		bool error = rc < 0 && rc != ISAL_INCORRECT_CHECKSUM;

		if (error && step > 1) {
			copy_inflate(s, d->saved);
			*in = before;
			*used = was;
			step = step / 16 ? step / 16 : 1;
		} else if (rc != ISAL_DECOMP_OK || s->block_state == ISAL_BLOCK_FINISH || !in->n || *used == cap ||
			   step >= before.n) {
			break;
		}
	}
	if (rc == ISAL_INCORRECT_CHECKSUM)
		return DECODE_BAD_CHECKSUM;
	if (rc < 0 || rc == ISAL_NEED_DICT) {
		d->failed = true;
		return give_rest(d, out, cap, used);
	}
	return s->block_state == ISAL_BLOCK_FINISH ? DECODE_DONE : DECODE_MORE;
}

static enum decode_state step_inflate(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used)
{
	size_t made = 0;
	struct str piece = str_sub(*in, 0, DECODER_PIECE - d->taken);
	size_t given = piece.n;
	enum decode_state state = inflate_exactly(d, &piece, out, cap, &made);

	d->taken = (d->taken + given - piece.n) % DECODER_PIECE;
	*in = str_sub(*in, given - piece.n, in->n);
	*used += made;
	return state;
}

static enum decode_state step_br(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used)
{
	const uint8_t *next = (const uint8_t *)in->p;
	uint8_t *to = (uint8_t *)out;
	size_t room = cap;
	BrotliDecoderResult rc = BrotliDecoderDecompressStream(d->br, &in->n, &next, &room, &to, NULL);

	in->p = (const char *)next;
	*used += cap - room;
	if (rc == BROTLI_DECODER_RESULT_ERROR)
		return DECODE_BAD;
	return rc == BROTLI_DECODER_RESULT_SUCCESS ? DECODE_DONE : DECODE_MORE;
}

static enum decode_state step_zstd(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used)
{
	ZSTD_inBuffer i = { in->p, in->n, 0 };
	ZSTD_outBuffer o = { out, cap, 0 };
	size_t rc = ZSTD_decompressStream(d->zstd, &o, &i);

	in->p += i.pos;
	in->n -= i.pos;
	*used += o.pos;
	if (ZSTD_isError(rc))
		return ZSTD_getErrorName(rc) && strstr(ZSTD_getErrorName(rc), "checksum") ? DECODE_BAD_CHECKSUM
											  : DECODE_BAD;
	return rc == 0 ? DECODE_DONE : DECODE_MORE;
}

static enum decode_state step_lz4(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used)
{
	size_t nin = in->n, nout = cap;
	size_t rc = LZ4F_decompress(d->lz4, out, &nout, in->p, &nin, NULL);

	if (LZ4F_isError(rc)) {
		bool sum = strstr(LZ4F_getErrorName(rc), "hecksum") != NULL;

		LZ4F_resetDecompressionContext(d->lz4);
		return sum ? DECODE_BAD_CHECKSUM : DECODE_BAD;
	}
	in->p += nin;
	in->n -= nin;
	*used += nout;
	return rc == 0 ? DECODE_DONE : DECODE_MORE;
}

static enum decode_state step_bzip2(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used)
{
	uint32_t nin = clip32(in->n), nout = clip32(cap);

	d->bz.next_in = (char *)(uintptr_t)in->p;
	d->bz.avail_in = nin;
	d->bz.next_out = out;
	d->bz.avail_out = nout;
	int rc = BZ2_bzDecompress(&d->bz);
	in->p += nin - d->bz.avail_in;
	in->n -= nin - d->bz.avail_in;
	*used += nout - d->bz.avail_out;
	if (rc == BZ_STREAM_END)
		return DECODE_DONE;
	return rc == BZ_OK ? DECODE_MORE : DECODE_BAD;
}

static enum decode_state step_none(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used)
{
	size_t n = in->n < cap ? in->n : cap;

	(void)d;
	memcpy(out, in->p, n);
	in->p += n;
	in->n -= n;
	*used += n;
	return DECODE_MORE;
}

static const struct {
	enum decode_state (*step)(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used);
	const char *magic; /* at the start of a stream; NULL: none that can be told */
	size_t nmagic;
} table[CODINGS] = {
	[CODING_NONE] = { step_none, NULL, 0 },
	[CODING_GZIP] = { step_inflate, "\x1f\x8b\x08", 3 },
	[CODING_ZLIB] = { step_inflate, NULL, 0 },
	[CODING_DEFLATE] = { step_inflate, NULL, 0 },
	[CODING_BR] = { step_br, NULL, 0 },
	[CODING_ZSTD] = { step_zstd, "\x28\xb5\x2f\xfd", 4 },
	[CODING_LZ4] = { step_lz4, "\x04\x22\x4d\x18", 4 },
	[CODING_BZIP2] = { step_bzip2, "BZh", 3 },
};

enum decode_state decoder_step(struct decoder *d, struct str *in, char *out, size_t cap, size_t *used)
{
	return table[d->coding].step(d, in, out, cap, used);
}

enum coding coding_sniff(struct str s)
{
	for (int c = CODING_NONE + 1; c < CODINGS; c++)
		if (table[c].magic && s.n >= table[c].nmagic && memcmp(s.p, table[c].magic, table[c].nmagic) == 0)
			return (enum coding)c;
	return CODING_NONE;
}
