/* fulltext/segment_write.c -- writing a segment; see segment.h.
 *
 * A term's blocks and positions wait until it ends, because its skip table
 * comes first, and the dictionary until all terms are there.  What waits is in
 * memory up to a few MiB and beyond that in a file without a name, so that
 * neither a term of all documents nor millions of terms take memory; everything
 * else streams to the file.  Memory besides: 20 bytes a document.
 */
#include <inttypes.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/vec.h"
#include "fulltext/segment.h"

#define TERM_MAX (2 * GIB)    /* bytes of one term's postings, and of its positions; offsets are u32 */
#define WAITING_MAX (4 * MIB) /* of what waits in memory */
#define GAPS_AT_ONCE 8	      /* copied as one, the last time with some that are not meant */

struct waiting {
	struct buf mem; /* the end of it */
	uint64_t on_disk;
	int fd; /* -1 until it is needed */
};

struct ftseg_writer {
	struct segfile_writer file;
	char *path;
	VEC(uint64_t) contents;
	VEC(uint8_t) norms[FT_FIELDS];
	struct ftseg_index index;
	VEC(uint64_t) checks, dict;
	struct buf chunk;
	struct waiting terms; /* the dictionary */
	/* the present term */
	struct buf key, previous, skips;
	struct waiting blocks, positions;
	uint32_t docs[PACK_N], tfs[PACK_N], pos[PACK_N + GAPS_AT_ONCE];
	uint32_t n, n_pos, df, last, max_tf, min_norm;
	uint32_t block_pos_at, block_pos_in, last_pos_at;
	uint64_t ttf, at;
	enum ft_field field;
	int rc;
	struct err err;
};

uint8_t ft_norm(uint64_t length)
{
	unsigned e;

	if (length < 16)
		return (uint8_t)length;
	e = 63 - (unsigned)__builtin_clzll(length);
	if (e > 33)
		return 255;
	return (uint8_t)(16 + (e - 4) * 8 + (length >> (e - 3) & 7));
}

uint32_t ft_norm_length(uint8_t norm)
{
	uint64_t length = norm < 16 ? norm : (uint64_t)(8 + (norm - 16) % 8) << ((norm - 16) / 8 + 1);

	return length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
}

static void put(struct ftseg_writer *w, const void *p, size_t n)
{
	const char *from = p;

	w->at += n;
	while (n && w->rc == WN_OK) {
		size_t take = FT_CHUNK - w->chunk.n < n ? FT_CHUNK - w->chunk.n : n;

		buf_add(&w->chunk, from, take);
		from += take;
		n -= take;
		if (w->chunk.n == FT_CHUNK) {
			vec_push(&w->checks, hash64(w->chunk.p, w->chunk.n));
			w->rc = segfile_write(&w->file, w->chunk.p, w->chunk.n, &w->err);
			buf_reset(&w->chunk);
		}
	}
}

static struct waiting waiting_new(void) { return (struct waiting){ .mem = BUF(SIZE_MAX / 2), .fd = -1 }; }

static uint64_t waiting_n(const struct waiting *q) { return q->on_disk + q->mem.n; }

static void waiting_reset(struct waiting *q)
{
	buf_reset(&q->mem);
	q->on_disk = 0;
}

static void waiting_release(struct waiting *q)
{
	buf_release(&q->mem);
	os_close(&q->fd);
}

/* After something was added to its end. */
static void waiting_added(struct ftseg_writer *w, struct waiting *q)
{
	if (q->mem.n < WAITING_MAX || w->rc < 0)
		return;
	if (q->fd < 0)
		w->rc = os_temporary(&q->fd, &w->err);
	if (w->rc == WN_OK)
		w->rc = os_pwrite(q->fd, q->mem.p, q->mem.n, q->on_disk, "a temporary file", &w->err);
	q->on_disk += q->mem.n;
	buf_reset(&q->mem);
}

/* All of it goes to the file. */
static void put_waiting(struct ftseg_writer *w, struct waiting *q)
{
	char *piece = q->on_disk ? mem_alloc(FT_CHUNK) : NULL;
	size_t got = 0;

	for (uint64_t at = 0; at < q->on_disk && w->rc == WN_OK; at += got) {
		size_t want = q->on_disk - at < FT_CHUNK ? (size_t)(q->on_disk - at) : FT_CHUNK;

		w->rc = os_pread(q->fd, piece, want, at, &got, "a temporary file", &w->err);
		if (w->rc == WN_OK && got < want)
			w->rc = err_set(&w->err, WN_IO, "a temporary file became shorter");
		if (w->rc == WN_OK)
			put(w, piece, got);
	}
	mem_free(piece);
	put(w, q->mem.p, q->mem.n);
}

int ftseg_writer_open(struct ftseg_writer **out, const char *path, struct err *err)
{
	struct ftseg_writer *w = mem_zalloc(sizeof *w);
	int rc = segfile_create(&w->file, path, err);

	w->path = mem_strdup(path);
	w->chunk = BUF(FT_CHUNK);
	w->terms = waiting_new();
	w->blocks = waiting_new();
	w->positions = waiting_new();
	w->key = w->previous = BUF(FT_KEY_MOST);
	w->skips = BUF(TERM_MAX);
	if (rc < 0) {
		ftseg_writer_abort(w);
		return rc;
	}
	*out = w;
	return WN_OK;
}

void ftseg_writer_doc_norm(struct ftseg_writer *w, uint64_t content, const uint8_t norms[FT_FIELDS])
{
	vec_push(&w->contents, content);
	for (int f = 0; f < FT_FIELDS; f++) {
		vec_push(&w->norms[f], norms[f]);
		w->index.tokens[f] += ft_norm_length(norms[f]);
	}
}

void ftseg_writer_doc(struct ftseg_writer *w, uint64_t content, const uint64_t lengths[FT_FIELDS])
{
	uint8_t norms[FT_FIELDS];

	for (int f = 0; f < FT_FIELDS; f++)
		norms[f] = ft_norm(lengths[f]);
	ftseg_writer_doc_norm(w, content, norms);
}

void ftseg_writer_term(struct ftseg_writer *w, struct str key)
{
	buf_reset(&w->key);
	buf_str(&w->key, key);
	waiting_reset(&w->blocks);
	buf_reset(&w->skips);
	waiting_reset(&w->positions);
	w->field = key.n && key.p[0] == FT_TITLE_KEY ? FT_TITLE : FT_BODY;
	w->n = w->n_pos = w->df = 0;
	w->ttf = 0;
	w->last = UINT32_MAX; /* so that the first gap counts from 0 */
	w->last_pos_at = 0;
}

static void end_positions(struct ftseg_writer *w)
{
	w->last_pos_at = (uint32_t)waiting_n(&w->positions);
	pack_block(&w->positions.mem, w->pos, w->n_pos);
	waiting_added(w, &w->positions);
	w->n_pos = 0;
}

static void end_block(struct ftseg_writer *w)
{
	uint32_t gaps[PACK_N], last = w->last;
	unsigned char skip[FT_SKIP] = { 0 };
	uint32_t words[3] = { w->docs[w->n - 1], (uint32_t)waiting_n(&w->blocks), w->block_pos_at };

	for (uint32_t i = 0; i < w->n; i++) {
		gaps[i] = w->docs[i] - last - 1;
		last = w->docs[i];
		w->tfs[i]--;
	}
	w->last = last;
	pack_block(&w->blocks.mem, gaps, w->n);
	pack_block(&w->blocks.mem, w->tfs, w->n);
	waiting_added(w, &w->blocks);
	memcpy(skip, words, 12);
	skip[12] = (unsigned char)w->block_pos_in;
	skip[13] = (unsigned char)(w->max_tf > 255 ? 255 : w->max_tf);
	skip[14] = (unsigned char)w->min_norm;
	buf_add(&w->skips, skip, sizeof skip);
	w->n = 0;
}

static void begin_block(struct ftseg_writer *w)
{
	if (w->n_pos == PACK_N) /* a full block not yet written: the next begins behind it */
		end_positions(w);
	w->block_pos_at = (uint32_t)waiting_n(&w->positions);
	w->block_pos_in = w->n_pos;
	w->max_tf = 0;
	w->min_norm = 255;
}

void ftseg_writer_posting(struct ftseg_writer *w, uint32_t doc)
{
	uint32_t norm = w->norms[w->field].p[doc];

	if (w->n == PACK_N)
		end_block(w);
	if (w->n == 0)
		begin_block(w);
	w->docs[w->n] = doc;
	w->tfs[w->n++] = 0;
	w->min_norm = norm < w->min_norm ? norm : w->min_norm;
	w->df++;
}

/* More occurrences of the last document. */
static inline void more_times(struct ftseg_writer *w, size_t n)
{
	uint32_t tf = w->tfs[w->n - 1] += (uint32_t)n;

	w->max_tf = tf > w->max_tf ? tf : w->max_tf;
	w->ttf += n;
}

void ftseg_writer_gaps(struct ftseg_writer *w, const uint32_t *gaps, size_t n)
{
	more_times(w, n);
	ftseg_writer_row(w, gaps, n);
}

void ftseg_writer_gaps16(struct ftseg_writer *w, uint32_t first, const unsigned char *gaps, size_t n)
{
	more_times(w, n + 1);
	if (w->n_pos == PACK_N)
		end_positions(w);
	w->pos[w->n_pos++] = first;
	while (n) {
		size_t take;

		if (w->n_pos == PACK_N)
			end_positions(w);
		take = PACK_N - w->n_pos < n ? PACK_N - w->n_pos : n;
		for (size_t i = 0; i < take; i += GAPS_AT_ONCE) {
			uint16_t some[GAPS_AT_ONCE];

			memcpy(some, gaps + 2 * i, sizeof some);
			for (size_t j = 0; j < GAPS_AT_ONCE; j++)
				w->pos[w->n_pos + i + j] = some[j];
		}
		w->n_pos += (uint32_t)take;
		gaps += 2 * take;
		n -= take;
	}
}

size_t ftseg_writer_room(const struct ftseg_writer *w) { return w->n == PACK_N ? PACK_N : PACK_N - w->n; }

void ftseg_writer_postings(struct ftseg_writer *w, const uint32_t *docs, const uint32_t *tfs, size_t n)
{
	const uint8_t *norms = w->norms[w->field].p;

	if (w->n == PACK_N)
		end_block(w);
	if (w->n == 0)
		begin_block(w);
	for (size_t i = 0; i < n; i++) {
		uint32_t norm = norms[docs[i]];

		w->docs[w->n + i] = docs[i];
		w->tfs[w->n + i] = tfs[i];
		w->max_tf = tfs[i] > w->max_tf ? tfs[i] : w->max_tf;
		w->min_norm = norm < w->min_norm ? norm : w->min_norm;
		w->ttf += tfs[i];
	}
	w->n += (uint32_t)n;
	w->df += (uint32_t)n;
}

void ftseg_writer_row(struct ftseg_writer *w, const uint32_t *gaps, size_t n)
{
	while (n) {
		size_t take;

		if (w->n_pos == PACK_N)
			end_positions(w);
		take = PACK_N - w->n_pos < n ? PACK_N - w->n_pos : n;
		memcpy(w->pos + w->n_pos, gaps, take * sizeof *gaps);
		w->n_pos += (uint32_t)take;
		gaps += take;
		n -= take;
	}
}

static void add_to_dictionary(struct ftseg_writer *w, size_t postings_n, size_t positions_n, uint64_t at)
{
	struct buf *out = &w->terms.mem;
	size_t shared = 0;

	if (w->index.terms % FT_DICT_BLOCK == 0) {
		vec_push(&w->dict, waiting_n(&w->terms));
		pack_varint(out, at);
	} else {
		while (shared < w->key.n && shared < w->previous.n && w->key.p[shared] == w->previous.p[shared])
			shared++;
	}
	pack_varint(out, shared);
	pack_varint(out, w->key.n - shared);
	buf_add(out, w->key.p + shared, w->key.n - shared);
	pack_varint(out, w->df);
	pack_varint(out, w->ttf - w->df);
	pack_varint(out, postings_n);
	pack_varint(out, positions_n);
	waiting_added(w, &w->terms);
	buf_reset(&w->previous);
	buf_str(&w->previous, buf_view(&w->key));
	w->index.terms++;
}

int ftseg_writer_term_end(struct ftseg_writer *w, struct err *err)
{
	uint64_t at = w->at;
	size_t postings_n;

	if (!w->df)
		return WN_OK;
	end_block(w);
	end_positions(w);
	if (waiting_n(&w->blocks) > TERM_MAX || waiting_n(&w->positions) > TERM_MAX)
		return err_set(err, WN_LIMIT, "the postings of one term in %s are longer than %zu bytes", w->path,
			       (size_t)TERM_MAX);
	postings_n = (size_t)waiting_n(&w->blocks);
	if (w->df > PACK_N) {
		uint32_t tail[2] = { w->last_pos_at, 0 };

		postings_n += w->skips.n + sizeof tail;
		put(w, w->skips.p, w->skips.n);
		put(w, tail, sizeof tail);
	}
	put_waiting(w, &w->blocks);
	put_waiting(w, &w->positions);
	add_to_dictionary(w, postings_n, (size_t)waiting_n(&w->positions), at);
	if (w->rc < 0)
		return err_set(err, w->rc, "%s", w->err.text);
	return WN_OK;
}

static void writer_free(struct ftseg_writer *w)
{
	vec_release(&w->contents);
	for (int f = 0; f < FT_FIELDS; f++)
		vec_release(&w->norms[f]);
	vec_release(&w->checks);
	vec_release(&w->dict);
	buf_release(&w->chunk);
	buf_release(&w->key);
	buf_release(&w->previous);
	buf_release(&w->skips);
	waiting_release(&w->terms);
	waiting_release(&w->blocks);
	waiting_release(&w->positions);
	mem_free(w->path);
	mem_free(w);
}

int ftseg_writer_commit(struct ftseg_writer *w, struct err *err)
{
	struct segfile_head head = { .magic = "WNWORDS", .version = 1, .n = w->contents.n };
	struct buf index = BUF(SIZE_MAX / 2);
	int rc;

	head.first = w->contents.n ? w->contents.p[0] : 0;
	w->index.dict_at = w->at;
	put_waiting(w, &w->terms);
	put(w, "\0\0\0\0\0\0\0", (size_t)(-w->at & 7)); /* the index is read as whole words */
	vec_push(&w->dict, waiting_n(&w->terms));
	if (w->chunk.n && w->rc == WN_OK) {
		vec_push(&w->checks, hash64(w->chunk.p, w->chunk.n));
		w->rc = segfile_write(&w->file, w->chunk.p, w->chunk.n, &w->err);
	}
	if (w->rc < 0) {
		rc = err_set(err, w->rc, "%s", w->err.text);
		ftseg_writer_abort(w);
		return rc;
	}
	w->index.dict_blocks = w->dict.n - 1;
	w->index.chunks = w->checks.n;
	buf_add(&index, &w->index, sizeof w->index);
	buf_add(&index, w->checks.p, w->checks.n * 8);
	buf_add(&index, w->dict.p, w->dict.n * 8);
	buf_add(&index, w->contents.p, w->contents.n * 8);
	for (int f = 0; f < FT_FIELDS; f++)
		buf_add(&index, w->norms[f].p, w->norms[f].n);
	rc = segfile_commit(&w->file, &head, index.p, index.n, err);
	buf_release(&index);
	writer_free(w);
	return rc;
}

void ftseg_writer_abort(struct ftseg_writer *w)
{
	if (!w)
		return;
	segfile_abort(&w->file);
	writer_free(w);
}
