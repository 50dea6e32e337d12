/* tests/unit/archive/make.c -- see make.h. */
#include "make.h"

#include <bzlib.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <lz4frame.h>
#include <unistd.h>
#include <zstd.h>

#include "base/limits.h"
#include "base/os.h"

struct str make_record(struct arena *a, const char *type, const char *uri, struct str block, const char *more_fields)
{
	static unsigned serial;
	struct buf b = BUF(64 * MIB);

	buf_printf(&b,
		   "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:test:%u>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n",
		   type, serial++);
	if (uri)
		buf_printf(&b, "WARC-Target-URI: %s\r\n", uri);
	buf_printf(&b, "%sContent-Length: %zu\r\n\r\n", more_fields ? more_fields : "", block.n);
	buf_str(&b, block);
	buf_str(&b, STR("\r\n\r\n"));
	struct str s = arena_str(a, buf_view(&b));

	buf_release(&b);
	return s;
}

static struct str gzip(struct arena *a, struct str data)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t cap = libdeflate_gzip_compress_bound(c, data.n);
	char *out = arena_alloc(a, cap);
	size_t n = libdeflate_gzip_compress(c, data.p, data.n, out, cap);

	libdeflate_free_compressor(c);
	return str_n(out, n);
}

/* The same member with an extra field in its header. */
static struct str with_extra(struct arena *a, struct str member)
{
	static const char extra[] = "\x0c\x00sl\x08\x00\x01\x02\x03\x04\x05\x06\x07\x08";
	char *out = arena_alloc(a, member.n + 14);

	memcpy(out, member.p, 10);
	out[3] |= 4;
	memcpy(out + 10, extra, 14);
	memcpy(out + 24, member.p + 10, member.n - 10);
	return str_n(out, member.n + 14);
}

/* A frame with its checksum: without one, damage may pass as other content. */
static struct str zstd_checked(char *out, size_t cap, struct str data)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t n;

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(c, out, cap, data.p, data.n);
	ZSTD_freeCCtx(c);
	return str_n(out, n);
}

/* With a checksum: without, a block that lost its end may take just the next frame for it, and nobody could tell. */
static struct str lz4_checked(struct arena *a, struct str data)
{
	LZ4F_preferences_t p = { .frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled };
	size_t cap = LZ4F_compressFrameBound(data.n, &p);
	char *out = arena_alloc(a, cap);

	return str_n(out, LZ4F_compressFrame(out, cap, data.p, data.n, &p));
}

struct str make_member(struct arena *a, struct str data, enum make_coding coding)
{
	char *out;
	size_t cap;

	switch (coding) {
	case MAKE_GZIP: return gzip(a, data);
	case MAKE_GZIP_EXTRA: return with_extra(a, gzip(a, data));
	case MAKE_ZSTD:
		cap = ZSTD_compressBound(data.n);
		out = arena_alloc(a, cap);
		return zstd_checked(out, cap, data);
	case MAKE_LZ4: return lz4_checked(a, data);
	case MAKE_BZIP2: {
		unsigned size = (unsigned)(data.n + data.n / 50 + 1000);

		out = arena_alloc(a, size);
		BZ2_bzBuffToBuffCompress(out, &size, (char *)(uintptr_t)data.p, (unsigned)data.n, 1, 0, 0);
		return str_n(out, size);
	}
	default: return data;
	}
}

struct str make_join(struct arena *a, const struct str *parts, size_t n)
{
	size_t total = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		total += parts[i].n;
	char *out = arena_alloc(a, total + 1);

	for (size_t i = 0; i < n; i++) {
		memcpy(out + at, parts[i].p, parts[i].n);
		at += parts[i].n;
	}
	return str_n(out, total);
}

struct str make_noise(struct test *t, size_t n)
{
	char *out = arena_alloc(t->arena, n + 1);

	for (size_t i = 0; i < n; i++)
		out[i] = (char)(test_random(t) & (i & 64 ? 0xff : 0x0f));
	return str_n(out, n);
}

const char *make_file(struct test *t, const char *name, struct str data)
{
	const char *path = arena_printf(t->arena, "%s/%s", test_dir(t), name).p;
	struct err err = { 0 };
	int fd = -1;

	if (os_open(&fd, path, O_WRONLY | O_CREAT | O_TRUNC, &err) < 0 || os_write(fd, data.p, data.n, path, &err) < 0)
		fprintf(stderr, "%s\n", err.text);
	os_close(&fd);
	return path;
}

struct str make_hex(struct arena *a, const char *hex)
{
	size_t n = strlen(hex) / 2;
	char *out = arena_alloc(a, n + 1);

	for (size_t i = 0; i < n; i++)
		out[i] = (char)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
	return str_n(out, n);
}
