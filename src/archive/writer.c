/* archive/writer.c -- WARC 1.1, record by record.
 *
 * A record with its block in memory is put together in one buffer, compressed
 * as one member and written with one call.  A streamed one goes through a
 * compressor that keeps its state (ISA-L for gzip, zstd) and is written as it
 * comes; when it is not completed, the file is cut back to where it began.
 * Whatever happens, the bytes before `at` are whole records.
 *
 * Field values are other people's: line ends in them become blanks, so that no
 * value can make a field or a record of its own.
 */
#include "archive/writer.h"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <stdio.h>
#include <time.h>
#include <zstd.h>

#include "archive/digest.h"
#include "archive/reader.h"
#include "archive/stamp.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"

#define COPY_CHUNK (256 * KIB)
#define HEAD_MAX (2 * LIMIT_RECORD_HEAD)
#define ID_TEXT 256

struct writer {
	struct writer_options o;
	struct os_atomic atomic; /* when whole_or_nothing */
	int fd;
	char *path;
	uint64_t at;	  /* bytes of whole records in the file */
	uint64_t began;	  /* where the record under way begins */
	uint64_t written; /* bytes of it that are in the file */
	uint64_t left;	  /* bytes of its block still to come */
	bool open_record;
	bool failed; /* a write failed: nothing more is tried */
	struct buf head, packed;
	struct libdeflate_compressor *deflate;
	ZSTD_CCtx *zstd;
	struct isal_zstream *stream; /* with its level buffer behind */
	uint8_t *level_buf;
	uint64_t seed, counter;
	char id[ID_TEXT];   /* of the last record */
	char info[ID_TEXT]; /* of the warcinfo */
};

/* ---- heads ---- */

static void make_id(struct writer *w, char out[ID_TEXT])
{
	uint64_t key[2] = { w->seed, ++w->counter };
	struct hash128 h = hash128(key, sizeof key);
	uint64_t a = (h.hi & ~UINT64_C(0xf000)) | 0x4000, b = (h.lo & ~(UINT64_C(3) << 62)) | (UINT64_C(2) << 62);

	snprintf(out, ID_TEXT, "urn:uuid:%08x-%04x-%04x-%04x-%012llx", (unsigned)(a >> 32),
		 (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xffff), (unsigned)(b >> 48),
		 (unsigned long long)(b & 0xffffffffffff));
}

static void add_field(struct buf *b, struct str name, struct str value)
{
	if (value.n == 0)
		return;
	buf_str(b, name);
	buf_str(b, STR(": "));
	for (size_t i = 0; i < value.n; i++)
		buf_byte(b, value.p[i] == '\r' || value.p[i] == '\n' || value.p[i] == '\0' ? ' ' : value.p[i]);
	buf_str(b, STR("\r\n"));
}

/* "<id>" */
static void add_id(struct buf *b, struct str name, struct str id)
{
	char text[1024];

	if (id.n == 0)
		return;
	if (id.n > sizeof text - 2)
		id.n = sizeof text - 2;
	text[0] = '<';
	memcpy(text + 1, id.p, id.n);
	text[id.n + 1] = '>';
	add_field(b, name, str_n(text, id.n + 2));
}

/* URIs have no blanks: %20, as readers expect. */
static void add_uri(struct buf *b, struct str name, struct str uri)
{
	struct buf clean = BUF(HEAD_MAX);

	for (size_t i = 0; i < uri.n; i++) {
		unsigned char c = (unsigned char)uri.p[i];

		if (c <= ' ' || c == 0x7f)
			buf_printf(&clean, "%%%02X", c);
		else
			buf_byte(&clean, (char)c);
	}
	add_field(b, name, buf_view(&clean));
	buf_release(&clean);
}

static void add_head(struct writer *w, const struct writer_head *h, uint64_t length, struct str block_digest)
{
	char date[31];
	struct buf *b = &w->head;

	if (h->id.n)
		snprintf(w->id, sizeof w->id, "%.*s", STR_FMT(h->id));
	else
		make_id(w, w->id);
	buf_str(b, STR("WARC/1.1\r\n"));
	add_field(b, STR("WARC-Type"), str(record_type_name(h->type)));
	add_id(b, STR("WARC-Record-ID"), h->id.n ? h->id : str(w->id));
	add_uri(b, STR("WARC-Target-URI"), h->target_uri);
	add_field(b, STR("WARC-Date"), stamp_rfc3339_ns(h->time, h->nsec, date));
	if (h->type != RECORD_WARCINFO)
		add_id(b, STR("WARC-Warcinfo-ID"), h->warcinfo_id.n ? h->warcinfo_id : str(w->info));
	add_field(b, STR("WARC-Filename"), h->filename);
	add_field(b, STR("WARC-IP-Address"), h->ip);
	add_id(b, STR("WARC-Concurrent-To"), h->concurrent_to);
	add_uri(b, STR("WARC-Profile"), h->profile);
	add_id(b, STR("WARC-Refers-To"), h->refers_to);
	add_uri(b, STR("WARC-Refers-To-Target-URI"), h->refers_to_uri);
	add_field(b, STR("WARC-Refers-To-Date"), h->refers_to_date);
	add_field(b, STR("WARC-Truncated"), h->truncated);
	add_field(b, STR("WARC-Payload-Digest"), h->payload_digest);
	add_field(b, STR("WARC-Block-Digest"), block_digest);
	for (unsigned i = 0; i < h->nmore; i++)
		add_field(b, h->more[i].name, h->more[i].value);
	add_field(b, STR("Content-Type"), h->content_type);
	buf_printf(b, "Content-Length: %llu\r\n\r\n", (unsigned long long)length);
}

/* ---- the file ---- */

static int put(struct writer *w, const void *p, size_t n, struct err *err)
{
	int rc;

	if (w->failed)
		return err_set(err, WN_IO, "%s: an earlier write failed", w->path);
	rc = os_pwrite(w->fd, p, n, w->began + w->written, w->path, err);
	if (rc < 0)
		w->failed = true;
	else
		w->written += n;
	return rc;
}

/* The record under way is whole. */
static void settle(struct writer *w, struct span *span)
{
	if (span)
		*span = (struct span){ .at = w->began, .length = w->written };
	w->at = w->began + w->written;
	w->began = w->at;
	w->written = 0;
	w->open_record = false;
}

/* Takes back what was written of it. */
static void take_back(struct writer *w)
{
	struct err ignored = { 0 };

	if (w->written)
		os_truncate(w->fd, w->at, w->path, &ignored);
	w->began = w->at;
	w->written = 0;
	w->open_record = false;
}

static int open_append(struct writer *w, struct err *err)
{
	uint64_t size, whole = 0;
	int rc;

	if ((rc = os_open(&w->fd, w->path, O_RDWR | O_CREAT, err)) < 0 ||
	    (rc = os_size(w->fd, &size, w->path, err)) < 0)
		return rc;
	if (size && (rc = writer_whole(w->path, w->o.coding, &whole, err)) < 0)
		return rc;
	if (whole < size && (rc = os_truncate(w->fd, whole, w->path, err)) < 0)
		return rc;
	w->at = w->began = whole;
	return WN_OK;
}

int writer_open(struct writer **out, const char *path, const struct writer_options *o, struct err *err)
{
	struct writer *w = mem_zalloc(sizeof *w);
	struct timespec now;
	int rc;

	w->o = *o;
	w->fd = w->atomic.fd = -1;
	w->path = mem_strdup(path);
	w->head = w->packed = BUF(SIZE_MAX / 2);
	clock_gettime(CLOCK_REALTIME, &now);
	w->seed = o->id_seed ? o->id_seed
			     : mix64((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec) ^ mix64((uintptr_t)w);
	if (o->whole_or_nothing) {
		rc = os_atomic_open(&w->atomic, path, err);
		w->fd = w->atomic.fd;
	} else if (o->append) {
		rc = open_append(w, err);
	} else {
		rc = os_open(&w->fd, path, O_RDWR | O_CREAT | O_TRUNC, err);
	}
	if (rc == WN_OK)
		*out = w;
	else
		writer_abort(w);
	return rc;
}

/* ---- compressing ---- */

static int put_packed(struct writer *w, struct str text, struct err *err)
{
	size_t room, n;
	char *to;

	if (w->o.coding == WRITER_PLAIN)
		return put(w, text.p, text.n, err);
	buf_reset(&w->packed);
	if (w->o.coding == WRITER_GZIP) {
		if (!w->deflate)
			w->deflate = libdeflate_alloc_compressor(w->o.level ? w->o.level : 6);
		if (!w->deflate)
			return err_set(err, WN_USAGE, "gzip has no level %d", w->o.level);
		room = libdeflate_gzip_compress_bound(w->deflate, text.n);
		to = buf_room(&w->packed, room);
		n = libdeflate_gzip_compress(w->deflate, text.p, text.n, to, room);
	} else {
		if (!w->zstd)
			w->zstd = ZSTD_createCCtx();
		ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_and_parameters);
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, w->o.level ? w->o.level : 3);
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
		room = ZSTD_compressBound(text.n);
		to = buf_room(&w->packed, room);
		n = ZSTD_compress2(w->zstd, to, room, text.p, text.n);
		if (ZSTD_isError(n))
			return err_set(err, WN_DATA, "zstd: %s", ZSTD_getErrorName(n));
	}
	return put(w, to, n, err);
}

static void begin_stream(struct writer *w)
{
	if (w->o.coding == WRITER_GZIP) {
		if (!w->stream) {
			w->stream = mem_zalloc(sizeof *w->stream);
			w->level_buf = mem_alloc(ISAL_DEF_LVL3_DEFAULT);
		}
		isal_deflate_init(w->stream);
		w->stream->gzip_flag = IGZIP_GZIP;
		w->stream->level = 3;
		w->stream->level_buf = w->level_buf;
		w->stream->level_buf_size = ISAL_DEF_LVL3_DEFAULT;
	} else if (w->o.coding == WRITER_ZSTD) {
		if (!w->zstd)
			w->zstd = ZSTD_createCCtx();
		ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_and_parameters);
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, w->o.level ? w->o.level : 3);
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
	}
}

static int stream_gzip(struct writer *w, struct str text, bool last, struct err *err)
{
	int rc;

	for (size_t at = 0; at < text.n || last;) {
		size_t n = text.n - at < 1 * GIB ? text.n - at : 1 * GIB;
		bool end = last && at + n == text.n;

		w->stream->next_in = (uint8_t *)(uintptr_t)text.p + at;
		w->stream->avail_in = (uint32_t)n;
		w->stream->end_of_stream = end;
		do {
			w->stream->next_out = (uint8_t *)w->packed.p;
			w->stream->avail_out = COPY_CHUNK;
			if (isal_deflate(w->stream) != COMP_OK)
				return err_set(err, WN_DATA, "%s: compressing failed", w->path);
			if ((rc = put(w, w->packed.p, COPY_CHUNK - w->stream->avail_out, err)) < 0)
				return rc;
		} while (w->stream->avail_out == 0 || (end && w->stream->internal_state.state != ZSTATE_END));
		at += n;
		if (end)
			break;
	}
	return WN_OK;
}

static int stream_zstd(struct writer *w, struct str text, bool last, struct err *err)
{
	ZSTD_inBuffer in = { text.p, text.n, 0 };
	size_t left;
	int rc;

	do {
		ZSTD_outBuffer to = { w->packed.p, COPY_CHUNK, 0 };

		left = ZSTD_compressStream2(w->zstd, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return err_set(err, WN_DATA, "zstd: %s", ZSTD_getErrorName(left));
		if (to.pos && (rc = put(w, w->packed.p, to.pos, err)) < 0)
			return rc;
	} while (last ? left != 0 : in.pos < in.size);
	return WN_OK;
}

static int stream(struct writer *w, struct str text, bool last, struct err *err)
{
	if (w->o.coding == WRITER_PLAIN)
		return text.n ? put(w, text.p, text.n, err) : WN_OK;
	buf_reset(&w->packed);
	buf_room(&w->packed, COPY_CHUNK);
	return w->o.coding == WRITER_GZIP ? stream_gzip(w, text, last, err) : stream_zstd(w, text, last, err);
}

/* ---- records ---- */

int writer_record(struct writer *w, const struct writer_head *h, struct str block, struct span *span, struct err *err)
{
	char text[DIGEST_TEXT];
	struct str digest = h->block_digest;
	int rc;

	if (w->open_record)
		take_back(w);
	if (!digest.n) {
		struct digest d;

		digest_of(DIGEST_SHA1, block, &d);
		digest = str_n(text, digest_write(&d, text));
	}
	buf_reset(&w->head);
	add_head(w, h, block.n, digest);
	buf_str(&w->head, block);
	buf_str(&w->head, STR("\r\n\r\n"));
	rc = put_packed(w, buf_view(&w->head), err);
	if (rc < 0)
		take_back(w);
	else
		settle(w, span);
	if (w->head.cap > 64 * MIB)
		buf_release(&w->head);
	return rc;
}

int writer_info(struct writer *w, const char *filename, int64_t time, struct str fields, struct err *err)
{
	struct writer_head h = { .type = RECORD_WARCINFO,
				 .time = time,
				 .content_type = STR("application/warc-fields"),
				 .filename = str(filename) };
	int rc = writer_record(w, &h, fields, NULL, err);

	if (rc == WN_OK)
		memcpy(w->info, w->id, sizeof w->info);
	return rc;
}

int writer_begin(struct writer *w, const struct writer_head *h, uint64_t length, struct err *err)
{
	int rc;

	if (w->open_record)
		take_back(w);
	buf_reset(&w->head);
	add_head(w, h, length, h->block_digest);
	w->open_record = true;
	w->left = length;
	begin_stream(w);
	if ((rc = stream(w, buf_view(&w->head), false, err)) < 0)
		take_back(w);
	return rc;
}

int writer_piece(struct writer *w, struct str piece, struct err *err)
{
	int rc;

	if (!w->open_record)
		return err_set(err, WN_USAGE, "%s: a piece without a record", w->path);
	if (piece.n > w->left) {
		take_back(w);
		return err_set(err, WN_USAGE, "%s: more bytes than the record was to have", w->path);
	}
	if (piece.n == 0)
		return WN_OK;
	w->left -= piece.n;
	if ((rc = stream(w, piece, false, err)) < 0)
		take_back(w);
	return rc;
}

int writer_end(struct writer *w, struct span *span, struct err *err)
{
	int rc;

	if (!w->open_record)
		return err_set(err, WN_USAGE, "%s: no record to end", w->path);
	if (w->left) {
		take_back(w);
		return err_set(err, WN_USAGE, "%s: %llu bytes of the record are missing", w->path,
			       (unsigned long long)w->left);
	}
	if ((rc = stream(w, STR("\r\n\r\n"), true, err)) < 0)
		take_back(w);
	else
		settle(w, span);
	return rc;
}

int writer_copy(struct writer *w, int fd, const char *path, uint64_t at, uint64_t length, struct span *span,
		struct err *err)
{
	int rc = WN_OK;

	if (w->open_record)
		take_back(w);
	buf_reset(&w->packed);
	buf_room(&w->packed, COPY_CHUNK);
	while (length) {
		size_t want = length < COPY_CHUNK ? (size_t)length : COPY_CHUNK, got;

		if ((rc = os_pread(fd, w->packed.p, want, at, &got, path, err)) < 0)
			break;
		if (got < want) {
			rc = err_set(err, WN_IO, "%s ended at %llu: it is shorter than it was", path,
				     (unsigned long long)at + got);
			break;
		}
		if ((rc = put(w, w->packed.p, got, err)) < 0)
			break;
		at += got;
		length -= got;
	}
	if (rc < 0)
		take_back(w);
	else
		settle(w, span);
	return rc;
}

uint64_t writer_at(const struct writer *w) { return w->at; }
struct str writer_last_id(const struct writer *w) { return str(w->id); }

static void writer_free(struct writer *w)
{
	libdeflate_free_compressor(w->deflate);
	ZSTD_freeCCtx(w->zstd);
	mem_free(w->stream);
	mem_free(w->level_buf);
	buf_release(&w->head);
	buf_release(&w->packed);
	mem_free(w->path);
	mem_free(w);
}

int writer_close(struct writer *w, struct err *err)
{
	int rc;

	if (w->open_record)
		take_back(w);
	if (w->failed)
		rc = err_set(err, WN_IO, "%s: an earlier write failed", w->path);
	else if (w->o.whole_or_nothing)
		rc = os_atomic_commit(&w->atomic, err);
	else
		rc = os_fsync(w->fd, w->path, err);
	if (!w->o.whole_or_nothing)
		os_close(&w->fd);
	else
		os_atomic_abort(&w->atomic);
	writer_free(w);
	return rc;
}

void writer_abort(struct writer *w)
{
	if (!w)
		return;
	if (w->o.whole_or_nothing) {
		os_atomic_abort(&w->atomic);
	} else {
		if (w->open_record && w->fd >= 0)
			take_back(w);
		os_close(&w->fd);
	}
	writer_free(w);
}

static bool is_torn(const struct flaws *f)
{
	return flaw_has(f, FLAW_TRUNCATED_FILE) || flaw_has(f, FLAW_BLOCK_TRUNCATED) ||
	       flaw_has(f, FLAW_HEAD_TRUNCATED) || flaw_has(f, FLAW_BAD_MEMBER) || flaw_has(f, FLAW_RECORD_TRAILER) ||
	       flaw_has(f, FLAW_WRONG_LENGTH) || flaw_has(f, FLAW_BAD_CHECKSUM);
}

int writer_whole(const char *path, enum writer_coding coding, uint64_t *whole, struct err *err)
{
	struct record rec;
	struct reader *r = NULL;
	int rc = reader_open(&r, path, err);

	(void)coding; /* the reader sees it from the bytes */
	*whole = 0;
	while (rc == WN_OK && (rc = reader_next(r, &rec, err)) == WN_OK) {
		if ((rc = reader_end(r, &rec, err)) < 0)
			break;
		if (is_torn(&rec.flaws))
			break;
		*whole = rec.span.at + rec.span.length;
	}
	reader_close(r);
	return rc < 0 ? rc : WN_OK;
}
