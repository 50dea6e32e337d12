/* base/late_codings.c -- see late.h: what packs and unpacks, which is for reading and writing archives and texts. */
#include <brotli/decode.h>
#include <bzlib.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lz4frame.h>
#include <zstd.h>

#include "base/late.h"

static struct late_library deflate = LATE_LIBRARY("libdeflate.so.0"), isal = LATE_LIBRARY("libisal.so.2"),
			   zstd = LATE_LIBRARY("libzstd.so.1"), lz4 = LATE_LIBRARY("liblz4.so.1"),
			   brotli = LATE_LIBRARY("libbrotlidec.so.1"), bzip2 = LATE_LIBRARY("libbz2.so.1.0");

/* ---- libdeflate ---- */

LATE(deflate, struct libdeflate_compressor *, libdeflate_alloc_compressor, (int level), (level))
LATE_VOID(deflate, libdeflate_free_compressor, (struct libdeflate_compressor * c), (c))
LATE(deflate, size_t, libdeflate_gzip_compress,
     (struct libdeflate_compressor * c, const void *in, size_t n, void *out, size_t room), (c, in, n, out, room))
LATE(deflate, size_t, libdeflate_gzip_compress_bound, (struct libdeflate_compressor * c, size_t n), (c, n))
LATE(deflate, struct libdeflate_decompressor *, libdeflate_alloc_decompressor, (void), ())
LATE_VOID(deflate, libdeflate_free_decompressor, (struct libdeflate_decompressor * d), (d))
LATE(deflate, enum libdeflate_result, libdeflate_deflate_decompress,
     (struct libdeflate_decompressor * d, const void *in, size_t n, void *out, size_t room, size_t *got),
     (d, in, n, out, room, got))
LATE(deflate, enum libdeflate_result, libdeflate_gzip_decompress,
     (struct libdeflate_decompressor * d, const void *in, size_t n, void *out, size_t room, size_t *got),
     (d, in, n, out, room, got))
LATE(deflate, enum libdeflate_result, libdeflate_gzip_decompress_ex,
     (struct libdeflate_decompressor * d, const void *in, size_t n, void *out, size_t room, size_t *read, size_t *got),
     (d, in, n, out, room, read, got))
LATE(deflate, uint32_t, libdeflate_crc32, (uint32_t crc, const void *p, size_t n), (crc, p, n))

/* ---- ISA-L ---- */

LATE_VOID(isal, isal_deflate_init, (struct isal_zstream * s), (s))
LATE(isal, int, isal_deflate, (struct isal_zstream * s), (s))
LATE_VOID(isal, isal_inflate_init, (struct inflate_state * s), (s))
LATE_VOID(isal, isal_inflate_reset, (struct inflate_state * s), (s))
LATE(isal, int, isal_inflate, (struct inflate_state * s), (s))

/* ---- zstd ---- */

LATE(zstd, const char *, ZSTD_versionString, (void), ())
LATE(zstd, unsigned, ZSTD_isError, (size_t code), (code))
LATE(zstd, const char *, ZSTD_getErrorName, (size_t code), (code))
LATE(zstd, size_t, ZSTD_compressBound, (size_t n), (n))
LATE(zstd, ZSTD_CCtx *, ZSTD_createCCtx, (void), ())
LATE(zstd, size_t, ZSTD_freeCCtx, (ZSTD_CCtx * c), (c))
LATE(zstd, size_t, ZSTD_CCtx_reset, (ZSTD_CCtx * c, ZSTD_ResetDirective what), (c, what))
LATE(zstd, size_t, ZSTD_CCtx_setParameter, (ZSTD_CCtx * c, ZSTD_cParameter what, int value), (c, what, value))
LATE(zstd, size_t, ZSTD_CCtx_setPledgedSrcSize, (ZSTD_CCtx * c, unsigned long long n), (c, n))
LATE(zstd, size_t, ZSTD_compress2, (ZSTD_CCtx * c, void *out, size_t room, const void *in, size_t n),
     (c, out, room, in, n))
LATE(zstd, size_t, ZSTD_compressCCtx, (ZSTD_CCtx * c, void *out, size_t room, const void *in, size_t n, int level),
     (c, out, room, in, n, level))
LATE(zstd, size_t, ZSTD_compressStream2, (ZSTD_CCtx * c, ZSTD_outBuffer *out, ZSTD_inBuffer *in, ZSTD_EndDirective end),
     (c, out, in, end))
LATE(zstd, ZSTD_DCtx *, ZSTD_createDCtx, (void), ())
LATE(zstd, size_t, ZSTD_freeDCtx, (ZSTD_DCtx * d), (d))
LATE(zstd, size_t, ZSTD_DCtx_reset, (ZSTD_DCtx * d, ZSTD_ResetDirective what), (d, what))
LATE(zstd, size_t, ZSTD_DCtx_setParameter, (ZSTD_DCtx * d, ZSTD_dParameter what, int value), (d, what, value))
LATE(zstd, size_t, ZSTD_DCtx_loadDictionary, (ZSTD_DCtx * d, const void *p, size_t n), (d, p, n))
LATE(zstd, size_t, ZSTD_decompress, (void *out, size_t room, const void *in, size_t n), (out, room, in, n))
LATE(zstd, size_t, ZSTD_decompressDCtx, (ZSTD_DCtx * d, void *out, size_t room, const void *in, size_t n),
     (d, out, room, in, n))
LATE(zstd, size_t, ZSTD_decompressStream, (ZSTD_DStream * d, ZSTD_outBuffer *out, ZSTD_inBuffer *in), (d, out, in))
LATE(zstd, size_t, ZSTD_findFrameCompressedSize, (const void *p, size_t n), (p, n))
LATE(zstd, unsigned long long, ZSTD_getFrameContentSize, (const void *p, size_t n), (p, n))
LATE(zstd, unsigned, ZSTD_getDictID_fromDict, (const void *p, size_t n), (p, n))
LATE(zstd, unsigned, ZSTD_getDictID_fromFrame, (const void *p, size_t n), (p, n))

/* ---- lz4 ---- */

LATE(lz4, const char *, LZ4_versionString, (void), ())
LATE(lz4, unsigned, LZ4F_isError, (LZ4F_errorCode_t code), (code))
LATE(lz4, const char *, LZ4F_getErrorName, (LZ4F_errorCode_t code), (code))
LATE(lz4, LZ4F_errorCode_t, LZ4F_createDecompressionContext, (LZ4F_dctx * *d, unsigned version), (d, version))
LATE(lz4, LZ4F_errorCode_t, LZ4F_freeDecompressionContext, (LZ4F_dctx * d), (d))
LATE_VOID(lz4, LZ4F_resetDecompressionContext, (LZ4F_dctx * d), (d))
LATE(lz4, size_t, LZ4F_decompress,
     (LZ4F_dctx * d, void *out, size_t *n_out, const void *in, size_t *n_in, const LZ4F_decompressOptions_t *o),
     (d, out, n_out, in, n_in, o))

/* ---- brotli ---- */

LATE(brotli, uint32_t, BrotliDecoderVersion, (void), ())
LATE(brotli, BrotliDecoderState *, BrotliDecoderCreateInstance,
     (brotli_alloc_func alloc, brotli_free_func release, void *context), (alloc, release, context))
LATE_VOID(brotli, BrotliDecoderDestroyInstance, (BrotliDecoderState * s), (s))
LATE(brotli, BrotliDecoderResult, BrotliDecoderDecompressStream,
     (BrotliDecoderState * s, size_t *n_in, const uint8_t **in, size_t *n_out, uint8_t **out, size_t *total),
     (s, n_in, in, n_out, out, total))

/* ---- bzip2 ---- */

LATE(bzip2, int, BZ2_bzDecompressInit, (bz_stream * s, int verbosity, int small), (s, verbosity, small))
LATE(bzip2, int, BZ2_bzDecompress, (bz_stream * s), (s))
LATE(bzip2, int, BZ2_bzDecompressEnd, (bz_stream * s), (s))
