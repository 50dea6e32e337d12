/* fulltext/segment.c -- reading a segment: its documents and its dictionary; see segment.h. */
#include "fulltext/segment.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"

static int damaged(const struct ftseg *s, const char *what, struct err *err)
{
	return segfile_damaged(err, s->path, "%s", what);
}

static int read_index(struct ftseg *s, struct err *err)
{
	const unsigned char *p = s->map.p + s->head.index_at;
	uint64_t data = s->head.index_at - SEGFILE_HEAD;
	struct ftseg_index x;

	if (s->head.index_n < sizeof x || s->head.index_at % 8)
		return damaged(s, "its index has the wrong size", err);
	memcpy(&x, p, sizeof x);
	if (x.chunks != (data + FT_CHUNK - 1) / FT_CHUNK ||
	    x.dict_blocks != (x.terms + FT_DICT_BLOCK - 1) / FT_DICT_BLOCK || x.dict_at > data ||
	    x.dict_blocks > data || s->head.n > UINT32_MAX - 2 ||
	    s->head.index_n != sizeof x + 8 * (x.chunks + x.dict_blocks + 1 + s->head.n) + FT_FIELDS * s->head.n)
		return damaged(s, "its index has the wrong size", err);
	memcpy(s->tokens, x.tokens, sizeof s->tokens);
	s->terms = x.terms;
	s->dict_at = SEGFILE_HEAD + x.dict_at;
	s->dict_blocks = x.dict_blocks;
	s->n = (uint32_t)s->head.n;
	p += sizeof x;
	s->checks = (const uint64_t *)(const void *)p;
	s->dict = s->checks + x.chunks;
	s->contents = s->dict + x.dict_blocks + 1;
	for (int f = 0; f < FT_FIELDS; f++)
		s->norms[f] = (const uint8_t *)(s->contents + s->n) + (size_t)f * s->n;
	for (uint64_t b = 0; b < s->dict_blocks; b++)
		if (s->dict[b] > s->dict[b + 1] || s->dict[b + 1] > data - x.dict_at)
			return damaged(s, "its dictionary lies outside of it", err);
	for (uint32_t d = 1; d < s->n; d++)
		if (s->contents[d - 1] >= s->contents[d])
			return damaged(s, "its documents are out of order", err);
	s->tested = mem_zarray(x.chunks / 64 + 1, sizeof *s->tested);
	return WN_OK;
}

int ftseg_open(struct ftseg **out, const char *path, struct err *err)
{
	struct ftseg *s = mem_zalloc(sizeof *s);
	int rc = segfile_open(&s->map, &s->head, path, "WNWORDS", 1, err);

	s->path = mem_strdup(path);
	if (rc == WN_OK)
		rc = read_index(s, err);
	if (rc < 0) {
		ftseg_close(s);
		return rc;
	}
	*out = s;
	return WN_OK;
}

void ftseg_close(struct ftseg *s)
{
	if (!s)
		return;
	os_unmap(&s->map);
	mem_free(s->path);
	mem_free((void *)s->tested);
	mem_free(s);
}

bool ftseg_find_doc(const struct ftseg *s, uint64_t content, uint32_t *doc)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->contents[middle] < content)
			low = middle + 1;
		else
			high = middle;
	}
	*doc = low;
	return low < s->n && s->contents[low] == content;
}

/* Tests the checksums of the chunks that [at, at + n) touches, each once. */
static int touch(const struct ftseg *s, uint64_t at, uint64_t n, struct err *err)
{
	uint64_t data = s->head.index_at - SEGFILE_HEAD, from = at - SEGFILE_HEAD;

	if (at < SEGFILE_HEAD || from > data || n > data - from)
		return damaged(s, "a term's data lies outside of it", err);
	if (!n)
		return WN_OK;
	for (uint64_t c = from / FT_CHUNK; c <= (from + n - 1) / FT_CHUNK; c++) {
		uint64_t bit = (uint64_t)1 << c % 64, left = data - c * FT_CHUNK;

		if (atomic_load_explicit(&s->tested[c / 64], memory_order_relaxed) & bit)
			continue;
		if (hash64(s->map.p + SEGFILE_HEAD + c * FT_CHUNK, left < FT_CHUNK ? left : FT_CHUNK) != s->checks[c])
			return segfile_damaged(err, s->path, "chunk %" PRIu64 " has a wrong checksum", c);
		atomic_fetch_or_explicit(&s->tested[c / 64], bit, memory_order_relaxed);
	}
	return WN_OK;
}

int ftcursor_open(struct ftcursor *c, const struct ftseg *s, const struct ftterm *term, struct err *err)
{
	int rc = touch(s, term->at, (uint64_t)term->postings_n + term->positions_n, err);
	const unsigned char *p = s->map.p + term->at;

	if (rc < 0)
		return rc;
	if (term->df > s->n || term->df == 0 || term->ttf < term->df ||
	    term->ttf >
		(uint64_t)PACK_N / 2 * ((uint64_t)term->positions_n + 2)) /* 128 positions take two bytes and more */
		return damaged(s, "a term has a wrong number of documents", err);
	c->s = s;
	c->term = *term;
	c->end = p + term->postings_n;
	c->positions = c->end;
	c->positions_end = c->end + term->positions_n;
	c->skip = NULL;
	c->blocks = p;
	c->n_blocks = (term->df + PACK_N - 1) / PACK_N;
	c->pos_last = NULL;
	if (c->n_blocks > 1) {
		size_t skips = (size_t)FT_SKIP * c->n_blocks;

		if (term->postings_n < skips + FT_SKIP_TAIL)
			return damaged(s, "a term's skip table is cut off", err);
		c->skip = p;
		c->blocks = p + skips + FT_SKIP_TAIL;
		if (get_u32(p + skips) > term->positions_n)
			return damaged(s, "a term's positions lie outside of it", err);
		c->pos_last = c->positions + get_u32(p + skips);
	}
	c->damage = NULL;
	c->pos_block = UINT32_MAX;
	ftcursor_load(c, 0);
	return ftcursor_error(c, err);
}

/* Enters block d->block of the dictionary. */
static int enter_block(struct ftdict *d, struct err *err)
{
	const struct ftseg *s = d->s;
	uint64_t at = s->dict_at + s->dict[d->block], n = s->dict[d->block + 1] - s->dict[d->block];
	int rc = touch(s, at, n, err);

	if (rc < 0)
		return rc;
	d->p = s->map.p + at;
	d->end = d->p + n;
	d->left = d->block + 1 == s->dict_blocks ? (s->terms - 1) % FT_DICT_BLOCK + 1 : FT_DICT_BLOCK;
	d->block++;
	buf_reset(&d->key);
	if (!(d->p = unpack_varint(d->p, d->end, &d->at)))
		return damaged(s, "its dictionary is cut off", err);
	return WN_OK;
}

static int read_term(struct ftdict *d, struct err *err)
{
	uint64_t shared, n, v[4];

	if (!(d->p = unpack_varint(d->p, d->end, &shared)) || !(d->p = unpack_varint(d->p, d->end, &n)) ||
	    shared > d->key.n || shared + n > FT_KEY_MOST || n > (uint64_t)(d->end - d->p))
		return damaged(d->s, "its dictionary is cut off", err);
	d->key.n = (size_t)shared;
	if (!buf_add(&d->key, d->p, (size_t)n))
		return damaged(d->s, "its dictionary has a term that is too long", err);
	d->p += n;
	for (int i = 0; i < 4; i++)
		if (!(d->p = unpack_varint(d->p, d->end, &v[i])) || (i != 1 && v[i] > UINT32_MAX))
			return damaged(d->s, "its dictionary is cut off", err);
	d->term = (struct ftterm){ .df = (uint32_t)v[0],
				   .ttf = v[0] + v[1],
				   .at = SEGFILE_HEAD + d->at,
				   .postings_n = (uint32_t)v[2],
				   .positions_n = (uint32_t)v[3] };
	d->at += v[2] + v[3];
	d->left--;
	return WN_OK;
}

int ftdict_next(struct ftdict *d, struct err *err)
{
	int rc;

	if (!d->left) {
		if (d->block >= d->s->dict_blocks)
			return WN_END;
		if ((rc = enter_block(d, err)) < 0)
			return rc;
	}
	return read_term(d, err);
}

/* The first term of a block, without reading the rest. */
static int first_term(const struct ftseg *s, uint64_t block, struct str *key, struct err *err)
{
	uint64_t at = s->dict_at + s->dict[block], n = s->dict[block + 1] - s->dict[block], x = 0;
	const unsigned char *p = s->map.p + at, *end = p + n;
	int rc = touch(s, at, n, err);

	if (rc < 0)
		return rc;
	for (int field = 0; field < 3 && p; field++) /* the third is the length of the key */
		p = unpack_varint(p, end, &x);
	if (!p || x > (uint64_t)(end - p))
		return damaged(s, "its dictionary is cut off", err);
	*key = str_n((const char *)p, (size_t)x);
	return WN_OK;
}

int ftdict_seek(struct ftdict *d, const struct ftseg *s, struct str key, struct err *err)
{
	uint64_t low = 0, high = s->dict_blocks; /* the last block whose first term is <= key */
	int rc;

	d->s = s;
	d->left = 0;
	d->key.max = FT_KEY_MOST;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		struct str first;

		if ((rc = first_term(s, middle, &first, err)) < 0)
			return rc;
		if (str_cmp(first, key) <= 0)
			low = middle;
		else
			high = middle;
	}
	d->block = low;
	while ((rc = ftdict_next(d, err)) == WN_OK && str_cmp(buf_view(&d->key), key) < 0)
		;
	return rc;
}

void ftdict_release(struct ftdict *d) { buf_release(&d->key); }

int ftseg_lookup(const struct ftseg *s, struct str key, struct ftterm *term, bool *found, struct err *err)
{
	struct ftdict d = { 0 };
	int rc = ftdict_seek(&d, s, key, err);

	*found = rc == WN_OK && str_eq(buf_view(&d.key), key);
	if (*found)
		*term = d.term;
	ftdict_release(&d);
	return rc < 0 ? rc : WN_OK;
}
