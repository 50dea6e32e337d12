/* sketch/textstore.c -- see textstore.h; docs/format/text-segment.md draws the bytes.
 *
 * Texts are gathered until a block has 128 KiB, then compressed together; a
 * longer text is a block of its own, which is compressed from where it lies.  So
 * one text costs the decoding of one block, and short pages still share their
 * words; pages that are alike share nearly all when they are added together.
 * A main text is nearly always ranges of its body, and stored as those.
 */
#include "sketch/textstore.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/vec.h"
#include "sketch/segfile.h"
#include "text/main_ranges.h"

#define MAGIC "WNTEXTS"
#define VERSION 2
#define BLOCK (128 * KIB)
#define BLOCK_MAX (3 * LIMIT_TEXT + BLOCK) /* title, body and main of one content behind a block not yet full */
#define LARGE (4 * MIB)			   /* from here on a text is packed in pieces */
#define BLOCK_HEAD 16
#define LEVEL 1
#define NO_BLOCK UINT32_MAX

/* With FLAG_MAIN_OF_BODY the bits above FLAG_BITS are how many bytes its ranges take. */
enum { FLAG_MAIN_IS_BODY = 1, FLAG_MAIN_OF_BODY = 2, FLAG_BITS = 2 };
_Static_assert(LIMIT_TEXT + 1 < UINT32_MAX >> FLAG_BITS, "ranges take no more bytes than their body and one");

struct entry { /* of the index, one a content */
	uint32_t block, at, title_n, body_n, main_n, flags;
};

struct textstore_writer {
	struct segfile_writer file;
	uint64_t first;
	struct buf block, packed;
	VEC(uint64_t) blocks;  /* where each block begins */
	struct entry *entries; /* n of them; NO_BLOCK until it is added */
	size_t n, n_added;
	ZSTD_CCtx *zstd;
};

int textstore_writer_open(struct textstore_writer **out, const char *path, uint64_t first, size_t n, struct err *err)
{
	struct textstore_writer *w;
	int rc;

	if (n > LIMIT_SEGMENT_CONTENTS)
		return err_set(err, WN_LIMIT, "a segment of texts has at most %u contents", LIMIT_SEGMENT_CONTENTS);
	w = mem_zalloc(sizeof *w);
	w->first = first;
	w->n = n;
	w->entries = mem_array(n, sizeof *w->entries);
	for (size_t i = 0; i < n; i++)
		w->entries[i].block = NO_BLOCK;
	w->block = BUF(BLOCK_MAX);
	w->packed = BUF(2 * BLOCK_MAX);
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		rc = err_set(err, WN_IO, "zstd has no memory for %s", path);
	else
		rc = segfile_create(&w->file, path, err);
	if (rc < 0) {
		textstore_writer_abort(w);
		return rc;
	}
	*out = w;
	return WN_OK;
}

/* check u64 (of all that follows) · raw_n u32 · packed_n u32 · zstd frame of packed_n bytes, which stand in w->packed */
static int put_block(struct textstore_writer *w, size_t raw_n, size_t packed_n, struct err *err)
{
	uint32_t sizes[2] = { (uint32_t)raw_n, (uint32_t)packed_n };
	char *p = w->packed.p;
	uint64_t check;

	memcpy(p + 8, sizes, 8);
	check = hash64(p + 8, packed_n + 8);
	memcpy(p, &check, 8);
	vec_push(&w->blocks, w->file.at);
	return segfile_write(&w->file, p, BLOCK_HEAD + packed_n, err);
}

static int not_packed(size_t code, struct err *err)
{
	return err_set(err, WN_IO, "zstd cannot compress a block of texts: %s", ZSTD_getErrorName(code));
}

static int flush_block(struct textstore_writer *w, struct err *err)
{
	size_t bound = ZSTD_compressBound(w->block.n), raw_n = w->block.n, n;
	char *p;

	if (!raw_n)
		return WN_OK;
	buf_reset(&w->packed);
	p = buf_room(&w->packed, BLOCK_HEAD + bound);
	n = ZSTD_compressCCtx(w->zstd, p + BLOCK_HEAD, bound, w->block.p, raw_n, LEVEL);
	if (ZSTD_isError(n))
		return not_packed(n, err);
	buf_reset(&w->block);
	return put_block(w, raw_n, n, err);
}

/* A block of one content, in pieces: neither a copy of the texts nor room for the worst case is needed. */
static int put_large(struct textstore_writer *w, const struct str *parts, size_t n_parts, struct err *err)
{
	size_t raw_n = 0, code = 1;

	for (size_t i = 0; i < n_parts; i++)
		raw_n += parts[i].n;
	buf_reset(&w->packed);
	buf_room(&w->packed, BLOCK_HEAD);
	w->packed.n = BLOCK_HEAD;
	ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setPledgedSrcSize(w->zstd, raw_n);
	for (size_t i = 0; i < n_parts; i++) {
		ZSTD_inBuffer in = { parts[i].p, parts[i].n, 0 };
		bool last = i + 1 == n_parts;

		for (code = 1; last ? code != 0 : in.pos < in.size;) {
			ZSTD_outBuffer out = { buf_room(&w->packed, MIB), MIB, 0 };

			code = ZSTD_compressStream2(w->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
			if (ZSTD_isError(code))
				return not_packed(code, err);
			w->packed.n += out.pos;
		}
	}
	return put_block(w, raw_n, w->packed.n - BLOCK_HEAD, err);
}

int textstore_writer_add(struct textstore_writer *w, uint64_t content, struct texts_in in, struct err *err)
{
	const struct texts t = in.texts;
	bool same = !in.ranges.n && str_eq(t.main, t.body);
	struct str main = same ? STR_NONE : in.ranges.n ? in.ranges : t.main;
	struct entry e = { .title_n = (uint32_t)t.title.n, .body_n = (uint32_t)t.body.n, .main_n = (uint32_t)t.main.n };
	size_t n = t.title.n + t.body.n + main.n;
	int rc;

	if (content < w->first || content - w->first >= w->n || w->entries[content - w->first].block != NO_BLOCK)
		return err_set(err, WN_USAGE,
			       "content %" PRIu64 " has no place in a segment of texts %" PRIu64 " to %" PRIu64,
			       content, w->first, w->first + w->n - 1);
	if (t.title.n > LIMIT_TEXT || t.body.n > LIMIT_TEXT || t.main.n > LIMIT_TEXT)
		return err_set(err, WN_LIMIT, "a text of content %" PRIu64 " is longer than %zu bytes", content,
			       (size_t)LIMIT_TEXT);
	if (in.ranges.n && (in.ranges.n > t.body.n + 1 || t.main.n > t.body.n))
		BUG("ranges of %zu bytes, a main text of %zu, a body of %zu", in.ranges.n, t.main.n, t.body.n);
	if (w->block.n + n > BLOCK && (rc = flush_block(w, err)) < 0)
		return rc;
	e.block = (uint32_t)w->blocks.n;
	e.at = (uint32_t)w->block.n;
	e.flags = same ? FLAG_MAIN_IS_BODY : in.ranges.n ? FLAG_MAIN_OF_BODY | (uint32_t)in.ranges.n << FLAG_BITS : 0;
	w->entries[content - w->first] = e;
	w->n_added++;
	if (n > LARGE)
		return put_large(w, (struct str[]){ t.title, t.body, main }, same ? 2 : 3, err);
	buf_str(&w->block, t.title);
	buf_str(&w->block, t.body);
	buf_str(&w->block, main);
	return WN_OK;
}

static void writer_free(struct textstore_writer *w)
{
	ZSTD_freeCCtx(w->zstd);
	buf_release(&w->block);
	buf_release(&w->packed);
	vec_release(&w->blocks);
	mem_free(w->entries);
	mem_free(w);
}

int textstore_writer_commit(struct textstore_writer *w, struct err *err)
{
	struct segfile_head head = { .version = VERSION, .first = w->first, .n = w->n };
	struct buf index = BUF(SIZE_MAX / 2);
	int rc = w->n_added == w->n ? flush_block(w, err)
				    : err_set(err, WN_USAGE, "a segment of %zu texts was given %zu", w->n, w->n_added);

	memcpy(head.magic, MAGIC, 8);
	if (rc < 0) {
		textstore_writer_abort(w);
		return rc;
	}
	head.extra = w->blocks.n;
	vec_push(&w->blocks, w->file.at);
	buf_add(&index, w->blocks.p, w->blocks.n * 8);
	if (w->n)
		buf_add(&index, w->entries, w->n * sizeof *w->entries);
	rc = segfile_commit(&w->file, &head, index.p, index.n, err);
	buf_release(&index);
	writer_free(w);
	return rc;
}

void textstore_writer_abort(struct textstore_writer *w)
{
	if (!w)
		return;
	segfile_abort(&w->file);
	writer_free(w);
}

struct part { /* one file */
	struct os_map map;
	struct segfile_head head;
	char *path;
};
struct textstore {
	VEC(struct part) parts; /* by name; a content is looked for from the last to the first */
};

static int part_open(struct textstore *s, const char *path, struct err *err)
{
	struct part p = { 0 };
	int rc = segfile_open(&p.map, &p.head, path, MAGIC, VERSION, err);

	if (rc < 0)
		return rc;
	p.path = mem_strdup(path);
	vec_push(&s->parts, p);
	if (p.head.extra > p.head.index_n / 8 ||
	    p.head.index_n != (p.head.extra + 1) * 8 + p.head.n * sizeof(struct entry))
		return segfile_damaged(err, path, "its index has the wrong size");
	return WN_OK;
}

int textstore_open_file(struct textstore **out, const char *path, struct err *err)
{
	struct textstore *s = mem_zalloc(sizeof *s);
	int rc = part_open(s, path, err);

	if (rc < 0) {
		textstore_close(s);
		return rc;
	}
	*out = s;
	return WN_OK;
}

int textstore_open(struct textstore **out, const char *dir, struct err *err)
{
	struct textstore *s = mem_zalloc(sizeof *s);
	struct arena arena = { 0 };
	struct str *names;
	size_t n;
	int rc = os_list(&arena, dir, ".seg", &names, &n, err);

	for (size_t i = 0; i < n && rc == WN_OK; i++)
		rc = part_open(s, arena_printf(&arena, "%s/%.*s", dir, STR_FMT(names[i])).p, err);
	arena_release(&arena);
	if (rc < 0) {
		textstore_close(s);
		return rc;
	}
	*out = s;
	return WN_OK;
}

void textstore_close(struct textstore *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->parts.n; i++) {
		os_unmap(&s->parts.p[i].map);
		mem_free(s->parts.p[i].path);
	}
	vec_release(&s->parts);
	mem_free(s);
}

/* The last part that has a content counts; NULL when none has it. */
static const struct part *part_of(const struct textstore *s, uint64_t content)
{
	for (size_t i = s->parts.n; i-- > 0;)
		if (content >= s->parts.p[i].head.first && content - s->parts.p[i].head.first < s->parts.p[i].head.n)
			return &s->parts.p[i];
	return NULL;
}

bool textstore_has(const struct textstore *s, uint64_t content) { return part_of(s, content) != NULL; }

/* Block b of p: where it lies, and what it says of its sizes. */
static int find_block(const struct part *p, uint32_t b, const unsigned char **block, uint32_t *raw_n,
		      uint32_t *packed_n, struct err *err)
{
	const unsigned char *index = p->map.p + p->head.index_at;
	uint64_t at, end;

	if (b >= p->head.extra)
		return segfile_damaged(err, p->path, "a text is in block %" PRIu32 ", which is not there", b);
	at = get_u64(index + 8 * (size_t)b);
	end = get_u64(index + 8 * (size_t)b + 8);
	if (at < SEGFILE_HEAD || end > p->head.index_at || at > end || end - at < BLOCK_HEAD)
		return segfile_damaged(err, p->path, "block %" PRIu32 " lies outside of it", b);
	*block = p->map.p + at;
	*raw_n = get_u32(*block + 8);
	*packed_n = get_u32(*block + 12);
	if (*packed_n != end - at - BLOCK_HEAD || *raw_n > BLOCK_MAX)
		return segfile_damaged(err, p->path, "block %" PRIu32 " has the wrong size", b);
	return WN_OK;
}

/* Block b of p, decoded into the cache unless it is there. */
static int decode_block(const struct part *p, uint32_t b, struct textcache *c, struct err *err)
{
	const unsigned char *block = NULL;
	uint32_t raw_n = 0, packed_n = 0;
	int rc = find_block(p, b, &block, &raw_n, &packed_n, err);
	size_t n;

	if (rc < 0 || c->block == block)
		return rc;
	if (get_u64(block) != hash64(block + 8, packed_n + (size_t)8))
		return segfile_damaged(err, p->path, "block %" PRIu32 " has a wrong checksum", b);
	c->block = NULL;
	if (raw_n > c->cap) {
		mem_free(c->p);
		c->cap = raw_n;
		c->p = mem_alloc(c->cap);
	}
	if (!c->zstd && !(c->zstd = ZSTD_createDCtx()))
		return err_set(err, WN_IO, "zstd has no memory for %s", p->path);
	n = ZSTD_decompressDCtx(c->zstd, c->p, raw_n, block + BLOCK_HEAD, packed_n);
	if (ZSTD_isError(n) || n != raw_n)
		return segfile_damaged(err, p->path, "block %" PRIu32 " does not decompress", b);
	c->block = block;
	return WN_OK;
}

/* How many bytes of the block say the main text. */
static uint32_t stored_main(const struct entry *e)
{
	return e->flags & FLAG_MAIN_OF_BODY ? e->flags >> FLAG_BITS : e->flags & FLAG_MAIN_IS_BODY ? 0 : e->main_n;
}

/* The entry of a content, tested; *n is how many bytes of its block are its texts. */
static int find_entry(const struct part *p, uint64_t content, struct entry *e, uint64_t *n, struct err *err)
{
	const unsigned char *entries = p->map.p + p->head.index_at + 8 * (p->head.extra + 1), *block;
	uint32_t raw_n = 0, packed_n;
	bool possible;
	int rc;

	memcpy(e, entries + (content - p->head.first) * sizeof *e, sizeof *e);
	*n = (uint64_t)e->title_n + e->body_n + stored_main(e);
	if (e->flags & FLAG_MAIN_OF_BODY)
		possible = !(e->flags & FLAG_MAIN_IS_BODY) && e->main_n <= e->body_n && p->head.version > 1;
	else
		possible = e->flags <= 1 && (!e->flags || e->main_n == e->body_n);
	if (!possible)
		return segfile_damaged(err, p->path, "the entry of content %" PRIu64 " is not possible", content);
	if (!*n)
		return WN_OK;
	if ((rc = find_block(p, e->block, &block, &raw_n, &packed_n, err)) < 0)
		return rc;
	if (e->at > raw_n || *n > raw_n - e->at)
		return segfile_damaged(err, p->path, "the texts of content %" PRIu64 " lie outside of their block",
				       content);
	return WN_OK;
}

static int join_main(const struct part *p, uint64_t content, struct textcache *c, struct str packed, uint32_t n,
		     struct texts *out, struct err *err)
{
	if (n > c->main_cap) {
		mem_free(c->main);
		c->main_cap = n;
		c->main = mem_alloc(n);
	}
	if (!main_ranges_join(out->body, packed, c->main, n))
		return segfile_damaged(err, p->path, "the main text of content %" PRIu64 " is not of its body",
				       content);
	out->main = str_n(n ? c->main : "", n);
	return WN_OK;
}

static int part_get(const struct part *p, uint64_t content, struct textcache *c, struct texts *out, struct err *err)
{
	struct entry e;
	uint64_t n = 0;
	const char *at;
	int rc;

	*out = (struct texts){ { "", 0 }, { "", 0 }, { "", 0 } };
	if ((rc = find_entry(p, content, &e, &n, err)) < 0 || !n || (rc = decode_block(p, e.block, c, err)) < 0)
		return rc;
	at = c->p + e.at;
	out->title = str_n(at, e.title_n);
	out->body = str_n(at + e.title_n, e.body_n);
	at += e.title_n + e.body_n;
	if (e.flags & FLAG_MAIN_OF_BODY)
		return join_main(p, content, c, str_n(at, stored_main(&e)), e.main_n, out, err);
	out->main = e.flags & FLAG_MAIN_IS_BODY ? out->body : str_n(at, e.main_n);
	return WN_OK;
}

int textstore_get(const struct textstore *s, uint64_t content, struct textcache *c, struct texts *out, struct err *err)
{
	const struct part *p = part_of(s, content);

	if (!p)
		return err_set(err, WN_NONE, "no segment holds the texts of content %" PRIu64, content);
	return part_get(p, content, c, out, err);
}

void textcache_release(struct textcache *c)
{
	if (c->zstd) /* which would load the library (base/late.h) */
		ZSTD_freeDCtx(c->zstd);
	mem_free(c->p);
	mem_free(c->main);
	*c = (struct textcache){ 0 };
}

static int by_block(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* All texts, block by block. */
static int check_texts(const struct part *p, struct textcache *c, struct err *err)
{
	const unsigned char *entries = p->map.p + p->head.index_at + 8 * (p->head.extra + 1);
	uint64_t *order = mem_array(p->head.n, sizeof *order);
	struct texts t;
	int rc = WN_OK;

	for (uint64_t i = 0; i < p->head.n; i++)
		order[i] = (uint64_t)get_u32(entries + i * sizeof(struct entry)) << 32 | i;
	sort_array(order, p->head.n, sizeof *order, by_block);
	for (uint64_t i = 0; i < p->head.n && rc == WN_OK; i++)
		rc = part_get(p, p->head.first + (uint32_t)order[i], c, &t, err);
	mem_free(order);
	return rc;
}

int textstore_check(const char *path, struct err *err)
{
	struct textstore *s;
	struct textcache c = { 0 };
	int rc = textstore_open_file(&s, path, err);

	if (rc < 0)
		return rc;
	for (uint64_t b = 0; b < s->parts.p[0].head.extra && rc == WN_OK; b++)
		rc = decode_block(&s->parts.p[0], (uint32_t)b, &c, err);
	if (rc == WN_OK)
		rc = check_texts(&s->parts.p[0], &c, err);
	textcache_release(&c);
	textstore_close(s);
	return rc;
}
