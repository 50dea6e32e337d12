/* archive/wacz.c -- see wacz.h.
 *
 * A ZIP of stored members: for each a local header, its bytes, and at the end
 * of the file the directory.  Size and CRC of a member are known when its bytes
 * have passed, so its header is written with room for them and patched.  ZIP64
 * fields stand only where a number needs them: 4 GiB, or 65535 members.
 *
 *	local:     PK\3\4 version flags method time date crc size size name-len extra-len name extra
 *	directory: PK\1\2 made version ... offset name extra
 *	end:       [PK\6\6 and PK\6\7 of ZIP64] PK\5\6
 */
#include "archive/wacz.h"

#include <fcntl.h>
#include <libdeflate.h>

#include "archive/cdx.h"
#include "archive/digest.h"
#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/vec.h"

#define COPY_CHUNK (256 * KIB)
#define WACZ_VERSION "1.1.1"
#define MARK UINT64_C(0xffffffff) /* "see the ZIP64 field" */

struct member {
	struct str path; /* in the arena */
	uint64_t at, size;
	uint32_t crc;
	struct digest sha256;
};

struct wacz {
	struct os_atomic file;
	struct arena arena;
	struct wacz_options o; /* its strings are copied */
	uint64_t at;
	VEC(struct member) members;
	struct cdx_blocks index;
	struct buf pages;
	struct hasher hasher;
	uint16_t date, time; /* of all members, as MS-DOS has them */
};

/* ---- little-endian ---- */

static char *put16(char *p, uint64_t v)
{
	p[0] = (char)v;
	p[1] = (char)(v >> 8);
	return p + 2;
}

static char *put32(char *p, uint64_t v) { return put16(put16(p, v), v >> 16); }
static char *put64(char *p, uint64_t v) { return put32(put32(p, v), v >> 32); }

static int put(struct wacz *z, const void *p, size_t n, struct err *err)
{
	int rc = os_pwrite(z->file.fd, p, n, z->at, z->file.tmp, err);

	z->at += n;
	return rc;
}

/* ---- members ---- */

/* The local header; sizes are in a ZIP64 field when big. */
static size_t local_header(const struct wacz *z, const struct member *m, bool big, char *out)
{
	char *p = put32(out, 0x04034b50);

	p = put16(p, big ? 45 : 20);
	p = put16(p, 0x0800); /* names are UTF-8 */
	p = put16(p, 0);      /* stored */
	p = put16(put16(p, z->time), z->date);
	p = put32(p, m->crc);
	p = put32(p, big ? MARK : m->size);
	p = put32(p, big ? MARK : m->size);
	p = put16(put16(p, m->path.n), big ? 20 : 0);
	memcpy(p, m->path.p, m->path.n);
	p += m->path.n;
	if (big)
		p = put64(put64(put16(put16(p, 1), 16), m->size), m->size);
	return (size_t)(p - out);
}

static struct member *begin(struct wacz *z, const char *folder, const char *name)
{
	struct member m = { .path = arena_printf(&z->arena, "%s%s", folder, name), .at = z->at };

	hasher_begin(&z->hasher, DIGEST_SHA256);
	vec_push(&z->members, m);
	return &vec_last(&z->members);
}

static int add_bytes(struct wacz *z, struct member *m, const char *p, size_t n, struct err *err)
{
	m->crc = libdeflate_crc32(m->crc, p, n);
	m->size += n;
	hasher_add(&z->hasher, str_n(p, n));
	return put(z, p, n, err);
}

static int add_member(struct wacz *z, const char *folder, const char *name, struct str data, struct err *err)
{
	struct member *m = begin(z, folder, name);
	bool big = data.n >= z->o.zip64_from;
	char *head = mem_alloc(m->path.n + 64);
	int rc;

	m->size = data.n;
	m->crc = libdeflate_crc32(0, data.p, data.n);
	hasher_add(&z->hasher, data);
	hasher_end(&z->hasher, &m->sha256);
	rc = put(z, head, local_header(z, m, big, head), err);
	if (rc == WN_OK)
		rc = put(z, data.p, data.n, err);
	mem_free(head);
	return rc;
}

static int copy_file(struct wacz *z, struct member *m, int fd, uint64_t size, const char *path, struct err *err)
{
	char *chunk = mem_alloc(COPY_CHUNK);
	uint64_t at = 0;
	int rc = WN_OK;

	while (rc == WN_OK && at < size) {
		size_t want = size - at < COPY_CHUNK ? (size_t)(size - at) : COPY_CHUNK, got;

		if ((rc = os_pread(fd, chunk, want, at, &got, path, err)) < 0)
			break;
		if (got < want)
			rc = err_set(err, WN_IO, "%s became shorter while it was read", path);
		else
			rc = add_bytes(z, m, chunk, got, err);
		at += got;
	}
	mem_free(chunk);
	return rc;
}

int wacz_archive(struct wacz *z, const char *name, const char *path, struct err *err)
{
	struct member *m;
	uint64_t size;
	char *head;
	size_t n;
	int fd = -1, rc;

	if ((rc = os_open(&fd, path, O_RDONLY, err)) < 0)
		return rc;
	if ((rc = os_size(fd, &size, path, err)) < 0)
		goto out;
	m = begin(z, "archive/", name);
	head = mem_alloc(m->path.n + 64);
	n = local_header(z, m, size >= z->o.zip64_from, head);
	rc = put(z, head, n, err);
	if (rc == WN_OK)
		rc = copy_file(z, m, fd, size, path, err);
	hasher_end(&z->hasher, &m->sha256);
	if (rc == WN_OK) {
		n = local_header(z, m, size >= z->o.zip64_from, head);
		rc = os_pwrite(z->file.fd, head, n, m->at, z->file.tmp, err);
	}
	mem_free(head);
out:
	os_close(&fd);
	return rc;
}

int wacz_cdxj(struct wacz *z, struct str line, struct err *err)
{
	(void)err;
	cdx_blocks_add(&z->index, line);
	return WN_OK;
}

/* ---- pages and descriptions ---- */

static void member_text(struct json *j, const char *key, struct str s)
{
	if (s.n == 0)
		return;
	json_put_str(j, key, s);
}

static void member_time(struct json *j, const char *key, int64_t time)
{
	char text[21];

	json_put_str(j, key, stamp_rfc3339(time, text));
}

int wacz_page(struct wacz *z, const struct wacz_page *page, struct err *err)
{
	struct json j = { .out = &z->pages, .spaced = true };

	json_open(&j, '{');
	member_text(&j, "id", page->id);
	member_text(&j, "url", page->url);
	member_time(&j, "ts", page->time);
	member_text(&j, "title", page->title);
	member_text(&j, "text", page->text);
	if (page->size)
		json_put_u64(&j, "size", page->size);
	json_close(&j, '}');
	buf_byte(&z->pages, '\n');
	return z->pages.full ? err_set(err, WN_LIMIT, "the list of pages is too long") : WN_OK;
}

static struct str file_name(struct str path)
{
	ptrdiff_t slash = str_rchr(path, '/');

	return str_sub(path, (size_t)(slash + 1), path.n);
}

static void describe(struct wacz *z, struct buf *out)
{
	struct json j = { .out = out, .spaced = true, .indent = true };
	char digest[DIGEST_TEXT];

	json_open(&j, '{');
	json_put_z(&j, "profile", "data-package");
	json_put_z(&j, "wacz_version", WACZ_VERSION);
	member_text(&j, "title", z->o.title);
	member_text(&j, "description", z->o.description);
	member_text(&j, "software", z->o.software);
	member_time(&j, "created", z->o.created);
	if (z->o.main_url.n) {
		member_text(&j, "mainPageUrl", z->o.main_url);
		member_time(&j, "mainPageDate", z->o.main_time);
	}
	json_put_open(&j, "resources", '[');
	for (size_t i = 0; i < z->members.n; i++) {
		const struct member *m = &z->members.p[i];

		digest_write(&m->sha256, digest);
		json_open(&j, '{');
		member_text(&j, "name", file_name(m->path));
		member_text(&j, "path", m->path);
		member_text(&j, "hash", str(digest));
		json_put_u64(&j, "bytes", m->size);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	buf_byte(out, '\n');
}

static int add_descriptions(struct wacz *z, struct err *err)
{
	struct buf package = BUF(SIZE_MAX / 2), digest = BUF(64 * KIB);
	struct json j = { .out = &digest, .spaced = true };
	char text[DIGEST_TEXT];
	int rc;

	describe(z, &package);
	rc = add_member(z, "", "datapackage.json", buf_view(&package), err);
	if (rc == WN_OK) {
		digest_write(&vec_last(&z->members).sha256, text);
		json_open(&j, '{');
		member_text(&j, "path", STR("datapackage.json"));
		member_text(&j, "hash", str(text));
		json_close(&j, '}');
		rc = add_member(z, "", "datapackage-digest.json", buf_view(&digest), err);
	}
	buf_release(&package);
	buf_release(&digest);
	return rc;
}

/* ---- the directory ---- */

static int directory_entry(struct wacz *z, const struct member *m, struct err *err)
{
	bool big_size = m->size >= z->o.zip64_from, big_at = m->at >= z->o.zip64_from;
	size_t extra = (big_size ? 16 : 0) + (big_at ? 8 : 0);
	char *head = mem_alloc(m->path.n + 128), *p = put32(head, 0x02014b50);
	int rc;

	p = put16(put16(p, 3 << 8 | 45), extra ? 45 : 20); /* made on Unix */
	p = put16(put16(p, 0x0800), 0);
	p = put16(put16(p, z->time), z->date);
	p = put32(p, m->crc);
	p = put32(put32(p, big_size ? MARK : m->size), big_size ? MARK : m->size);
	p = put16(put16(p, m->path.n), extra ? extra + 4 : 0);
	p = put16(put16(put16(p, 0), 0), 0);
	p = put32(p, UINT64_C(0100644) << 16);
	p = put32(p, big_at ? MARK : m->at);
	memcpy(p, m->path.p, m->path.n);
	p += m->path.n;
	if (extra)
		p = put16(put16(p, 1), extra);
	if (big_size)
		p = put64(put64(p, m->size), m->size);
	if (big_at)
		p = put64(p, m->at);
	rc = put(z, head, (size_t)(p - head), err);
	mem_free(head);
	return rc;
}

static int add_directory(struct wacz *z, struct err *err)
{
	uint64_t from = z->at, n = z->members.n, size;
	char end[128], *p = end;
	bool big;
	int rc = WN_OK;

	for (size_t i = 0; i < n && rc == WN_OK; i++)
		rc = directory_entry(z, &z->members.p[i], err);
	if (rc < 0)
		return rc;
	size = z->at - from;
	big = from >= z->o.zip64_from || size >= z->o.zip64_from || n >= 0xffff;
	if (big) {
		p = put64(put32(p, 0x06064b50), 44);
		p = put16(put16(p, 3 << 8 | 45), 45);
		p = put32(put32(p, 0), 0);
		p = put64(put64(p, n), n);
		p = put64(put64(p, size), from);
		p = put32(put32(p, 0x07064b50), 0);
		p = put32(put64(p, z->at), 1);
	}
	p = put16(put16(put32(p, 0x06054b50), 0), 0);
	p = put16(put16(p, n >= 0xffff ? 0xffff : n), n >= 0xffff ? 0xffff : n);
	p = put32(put32(p, size >= z->o.zip64_from ? MARK : size), from >= z->o.zip64_from ? MARK : from);
	p = put16(p, 0);
	return put(z, end, (size_t)(p - end), err);
}

/* ---- opening and closing ---- */

int wacz_open(struct wacz **out, const char *path, const struct wacz_options *o, struct err *err)
{
	struct wacz *z = mem_zalloc(sizeof *z);
	struct stamp_civil c = stamp_civil(o->created);
	int rc;

	z->o = *o;
	if (!z->o.zip64_from)
		z->o.zip64_from = MARK;
	z->o.title = arena_str(&z->arena, o->title);
	z->o.description = arena_str(&z->arena, o->description);
	z->o.software = arena_str(&z->arena, o->software);
	z->o.main_url = arena_str(&z->arena, o->main_url);
	z->pages = BUF(SIZE_MAX / 2);
	if (c.year >= 1980 && c.year < 2108) {
		z->date = (uint16_t)((c.year - 1980) << 9 | c.month << 5 | c.day);
		z->time = (uint16_t)(c.hour << 11 | c.minute << 5 | c.second / 2);
	} else {
		z->date = 1 << 5 | 1;
	}
	cdx_blocks_init(&z->index, STR("index.cdx.gz"), 0);
	buf_str(&z->pages, STR("{\"format\": \"json-pages-1.0\", \"id\": \"pages\", \"title\": \"All Pages\"}\n"));
	if ((rc = os_atomic_open(&z->file, path, err)) < 0) {
		wacz_abort(z);
		return rc;
	}
	*out = z;
	return WN_OK;
}

int wacz_close(struct wacz *z, struct err *err)
{
	int rc;

	cdx_blocks_end(&z->index);
	rc = add_member(z, "indexes/", "index.cdx.gz", buf_view(&z->index.gz), err);
	if (rc == WN_OK)
		rc = add_member(z, "indexes/", "index.idx", buf_view(&z->index.idx), err);
	if (rc == WN_OK)
		rc = add_member(z, "pages/", "pages.jsonl", buf_view(&z->pages), err);
	if (rc == WN_OK)
		rc = add_descriptions(z, err);
	if (rc == WN_OK)
		rc = add_directory(z, err);
	if (rc == WN_OK)
		rc = os_atomic_commit(&z->file, err);
	wacz_abort(z);
	return rc;
}

void wacz_abort(struct wacz *z)
{
	if (!z)
		return;
	os_atomic_abort(&z->file);
	cdx_blocks_release(&z->index);
	buf_release(&z->pages);
	hasher_release(&z->hasher);
	vec_release(&z->members);
	arena_release(&z->arena);
	mem_free(z);
}
