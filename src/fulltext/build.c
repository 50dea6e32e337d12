/* fulltext/build.c -- inverting documents in memory; see index.h.
 *
 * A term has one stream of bytes: for each occurrence a varint, gap << 1
 * within a document, (documents passed << 1 | 1) and a position when it is a new
 * one.  Streams grow in slices of 8, 16, ... 4096 bytes cut from a pool; the
 * last four bytes of a slice say where the next one is.  So an occurrence costs
 * one table lookup and one or two bytes written, and memory is about 2.5
 * bytes an occurrence.  The three places an occurrence touches (table, term,
 * stream) are far apart, so they are fetched ahead while others are worked on.
 * Writing sorts the terms and reads each stream once.
 *
 * When the memory is used up in the middle of a text, what is there becomes a run,
 * a segment of its own in which the last document is not whole; the runs are
 * joined when the builder is flushed.  So no text is too large.
 */
#include "fulltext/build.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/vec.h"
#include "text/word.h"

#define BUILD_LEAST (1 * MIB)
#define POOL_SPARE (16 * MIB) /* addresses, not memory: what one batch of words can add to a pool that is full */
#define AHEAD_SLOT 24	      /* occurrences ahead: fetch the slot, */
#define AHEAD_TERM 16	      /* the term, */
#define AHEAD_STREAM 8	      /* the place where its stream goes on */
#define FIRST_SLICE 8
#define LAST_LEVEL 9 /* 4096 bytes */
#define NO_DOC UINT32_MAX
#define TITLE_SALT 0x5851f42d4c957f2dU

struct bterm {
	uint64_t hash, start; /* start: of the folded bytes, the first eight, padded with zeros */
	uint32_t key_at;
	uint16_t key_n; /* with the field's byte */
	uint8_t level, field;
	uint32_t doc, position; /* of the last occurrence */
	uint32_t head, at, end; /* the stream: first byte, next byte to write, where the slice's link is */
	uint32_t df;
};

struct slot {
	uint32_t tag, id; /* id + 1; 0 is free */
};

struct ftbuild {
	size_t memory;
	struct slot *slots;
	size_t cap; /* a power of two */
	VEC(struct bterm) terms;
	VEC(unsigned char) keys;
	unsigned char *pool;
	size_t pool_n; /* addresses of the pool */
	uint32_t pool_at;
	VEC(uint64_t) contents;
	VEC(uint64_t) lengths; /* FT_FIELDS each */
	VEC(uint64_t) runs;    /* their numbers, in order */
	struct word_reader words;
};

struct ftbuild *ftbuild_new(size_t memory_bytes)
{
	struct ftbuild *b = mem_zalloc(sizeof *b);

	b->memory = memory_bytes < BUILD_LEAST ? BUILD_LEAST : memory_bytes > 3 * GIB ? 3 * GIB : memory_bytes;
	b->pool_n = b->memory + POOL_SPARE;
	b->pool = mem_map(b->pool_n);
	return b;
}

static void empty(struct ftbuild *b)
{
	if (b->slots)
		memset(b->slots, 0, b->cap * sizeof *b->slots);
	b->terms.n = b->keys.n = b->contents.n = b->lengths.n = 0;
	b->pool_at = 0;
}

void ftbuild_free(struct ftbuild *b)
{
	if (!b)
		return;
	mem_free(b->slots);
	vec_release(&b->terms);
	vec_release(&b->keys);
	mem_unmap(b->pool, b->pool_n);
	vec_release(&b->contents);
	vec_release(&b->lengths);
	vec_release(&b->runs);
	word_release(&b->words);
	mem_free(b);
}

size_t ftbuild_contents(const struct ftbuild *b) { return b->contents.n; }

struct order {		/* of writing */
	uint64_t start; /* the key's first eight bytes, big-endian: compares as the key does */
	uint32_t id;
};

/* Whether `more` occurrences could take more than the memory, with what sorting the terms takes twice (qsort copies). */
static bool no_room(const struct ftbuild *b, size_t more)
{
	size_t terms = b->terms.n + more, slots = b->cap ? b->cap : 1;

	while (slots < 2 * terms)
		slots *= 2;
	return b->pool_at + terms * (sizeof *b->terms.p + 2 * sizeof(struct order) + FIRST_SLICE) +
		   slots * sizeof *b->slots + b->keys.n + b->contents.n * 24 >=
	       b->memory;
}

static inline unsigned char *byte_at(const struct ftbuild *b, uint32_t at) { return b->pool + at; }

static uint32_t new_slice(struct ftbuild *b, unsigned level)
{
	uint32_t size = (uint32_t)FIRST_SLICE << level, at = b->pool_at;

	if (b->pool_n - at < size)
		BUG("a builder holds more than it may: ftbuild_full was not asked");
	b->pool_at = at + size;
	return at;
}

static void next_slice(struct ftbuild *b, struct bterm *t)
{
	unsigned level = t->level < LAST_LEVEL ? t->level + 1u : LAST_LEVEL;
	uint32_t at = new_slice(b, level);

	memcpy(byte_at(b, t->end), &at, 4);
	t->level = (uint8_t)level;
	t->at = at;
	t->end = at + ((uint32_t)FIRST_SLICE << level) - 4;
}

static void append_long(struct ftbuild *b, struct bterm *t, uint32_t v)
{
	for (;; v >>= 7) {
		if (t->at == t->end)
			next_slice(b, t);
		*byte_at(b, t->at++) = (unsigned char)(v > 127 ? v | 128 : v);
		if (v < 128)
			return;
	}
}

static inline void append(struct ftbuild *b, struct bterm *t, uint32_t v)
{
	if (v < 128 && t->at != t->end)
		*byte_at(b, t->at++) = (unsigned char)v;
	else
		append_long(b, t, v);
}

static void grow_table(struct ftbuild *b)
{
	size_t cap = b->cap ? b->cap * 2 : 1 << 14;

	mem_free(b->slots);
	b->slots = mem_zarray(cap, sizeof *b->slots);
	b->cap = cap;
	for (size_t i = 0; i < b->terms.n; i++) {
		uint64_t h = b->terms.p[i].hash;
		size_t at = h & (cap - 1);

		while (b->slots[at].id)
			at = (at + 1) & (cap - 1);
		b->slots[at] = (struct slot){ (uint32_t)(h >> 32), (uint32_t)i + 1 };
	}
}

/* key.p has a word's room behind it, as terms of a word_reader do. */
static inline uint64_t key_start(struct str key)
{
	uint64_t w;

	memcpy(&w, key.p, 8);
	return key.n >= 8 ? w : w & (((uint64_t)1 << 8 * key.n) - 1);
}

static struct bterm *new_term(struct ftbuild *b, struct slot *slot, uint64_t hash, enum ft_field field, struct str key)
{
	struct bterm *t = vec_add(&b->terms);

	*slot = (struct slot){ (uint32_t)(hash >> 32), (uint32_t)b->terms.n };
	*t = (struct bterm){ .hash = hash,
			     .start = key_start(key),
			     .key_at = (uint32_t)b->keys.n,
			     .key_n = (uint16_t)(key.n + (field == FT_TITLE)),
			     .field = (uint8_t)field,
			     .doc = NO_DOC };
	vec_reserve(&b->keys, b->keys.n + key.n + 1);
	if (field == FT_TITLE)
		b->keys.p[b->keys.n++] = FT_TITLE_KEY;
	memcpy(b->keys.p + b->keys.n, key.p, key.n);
	b->keys.n += key.n;
	t->head = t->at = new_slice(b, 0);
	t->end = t->at + FIRST_SLICE - 4;
	return t;
}

static inline bool same_key(const struct ftbuild *b, const struct bterm *t, enum ft_field field, struct str key)
{
	size_t skip = field == FT_TITLE;

	return t->field == field && t->key_n == key.n + skip && t->start == key_start(key) &&
	       (key.n <= 8 || memcmp(b->keys.p + t->key_at + skip + 8, key.p + 8, key.n - 8) == 0);
}

static inline struct bterm *find(struct ftbuild *b, uint64_t hash, enum ft_field field, struct str key)
{
	size_t at = hash & (b->cap - 1);
	uint32_t tag = (uint32_t)(hash >> 32);

	for (; b->slots[at].id; at = (at + 1) & (b->cap - 1))
		if (b->slots[at].tag == tag) {
			struct bterm *t = &b->terms.p[b->slots[at].id - 1];

			if (t->hash == hash && same_key(b, t, field, key))
				return t;
		}
	return new_term(b, &b->slots[at], hash, field, key);
}

/* Guesses only: a slot that another term took first costs a miss, not an error. */
static inline void fetch_ahead(const struct ftbuild *b, const struct term *terms, size_t i, size_t n, uint64_t salt)
{
	if (i + AHEAD_SLOT < n)
		__builtin_prefetch(&b->slots[(terms[i + AHEAD_SLOT].hash ^ salt) & (b->cap - 1)]);
	if (i + AHEAD_TERM < n) {
		uint32_t id = b->slots[(terms[i + AHEAD_TERM].hash ^ salt) & (b->cap - 1)].id;

		if (id)
			__builtin_prefetch(&b->terms.p[id - 1]);
	}
	if (i + AHEAD_STREAM < n) {
		uint32_t id = b->slots[(terms[i + AHEAD_STREAM].hash ^ salt) & (b->cap - 1)].id;

		if (id)
			__builtin_prefetch(byte_at(b, b->terms.p[id - 1].at), 1);
	}
}

static inline void occurrence(struct ftbuild *b, struct bterm *t, uint32_t doc, uint32_t position)
{
	if (t->doc == doc) {
		append(b, t, (position - t->position) << 1);
	} else {
		append(b, t, (doc - (t->doc == NO_DOC ? 0 : t->doc)) << 1 | 1);
		append(b, t, position);
		t->doc = doc;
		t->df++;
	}
	t->position = position;
}

static int spill(struct ftindex *x, struct ftbuild *b, struct err *err);

static int add_field(struct ftindex *x, struct ftbuild *b, enum ft_field field, struct str text, uint64_t *length,
		     struct err *err)
{
	uint32_t position = 0, doc = (uint32_t)b->contents.n - 1;
	int rc;
	uint64_t salt = field == FT_TITLE ? TITLE_SALT : 0;

	word_open(&b->words, text);
	while (word_batch(&b->words)) {
		if (b->terms.n && no_room(b, b->words.n)) {
			*length = position;
			if ((rc = spill(x, b, err)) < 0)
				return rc;
			doc = 0;
		}
		if ((b->terms.n + b->words.n) * 2 > b->cap)
			do
				grow_table(b);
			while ((b->terms.n + b->words.n) * 2 > b->cap);
		for (size_t i = 0; i < b->words.n; i++) {
			struct str key = word_bytes(&b->words, i);
			uint64_t hash = b->words.terms[i].hash;

			fetch_ahead(b, b->words.terms, i, b->words.n, salt);
			if (key.n > LIMIT_FT_TERM) {
				key.n = LIMIT_FT_TERM;
				hash = word_hash(key);
			}
			occurrence(b, find(b, hash ^ salt, field, key), doc, position++);
		}
	}
	*length = position;
	return WN_OK;
}

int ftindex_add(struct ftindex *x, struct ftbuild *b, uint64_t content, struct str title, struct str body,
		struct err *err)
{
	uint64_t lengths[FT_FIELDS] = { 0 };
	int rc;

	if (b->contents.n && content <= vec_last(&b->contents))
		BUG("content %llu added behind content %llu", (unsigned long long)content,
		    (unsigned long long)vec_last(&b->contents));
	vec_push(&b->contents, content);
	for (int f = 0; f < FT_FIELDS; f++)
		vec_push(&b->lengths, (uint64_t)0);
	if ((rc = add_field(x, b, FT_BODY, body, &lengths[FT_BODY], err)) < 0 ||
	    (rc = add_field(x, b, FT_TITLE, title, &lengths[FT_TITLE], err)) < 0)
		return rc;
	memcpy(b->lengths.p + b->lengths.n - FT_FIELDS, lengths, sizeof lengths);
	return b->runs.n || no_room(b, 0) ? ftindex_flush(x, b, err) : WN_OK;
}

/* ---- writing ---- */

static struct str key_of(const struct ftbuild *b, uint32_t id)
{
	return str_n((const char *)b->keys.p + b->terms.p[id].key_at, b->terms.p[id].key_n);
}

static int by_key(const void *a, const void *b, void *build)
{
	const struct order *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return str_cmp(key_of(build, x->id), key_of(build, y->id));
}

static struct order *sorted_terms(struct ftbuild *b)
{
	struct order *out = mem_array(b->terms.n + 1, sizeof *out);

	for (size_t i = 0; i < b->terms.n; i++) {
		const struct bterm *t = &b->terms.p[i];
		unsigned char start[8] = { 0 };

		memcpy(start, b->keys.p + t->key_at, t->key_n < 8 ? t->key_n : 8);
		memcpy(&out[i].start, start, 8);
		out[i].start = __builtin_bswap64(out[i].start);
		out[i].id = (uint32_t)i;
	}
	qsort_r(out, b->terms.n, sizeof *out, by_key, b);
	return out;
}

struct stream { /* reading one back */
	const struct ftbuild *b;
	uint32_t at, end, stop;
	unsigned level;
};

static void stream_link(struct stream *s)
{
	memcpy(&s->at, byte_at(s->b, s->end), 4);
	s->level += s->level < LAST_LEVEL;
	s->end = s->at + ((uint32_t)FIRST_SLICE << s->level) - 4;
}

static inline uint32_t stream_next(struct stream *s)
{
	uint32_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		unsigned char byte;

		if (s->at == s->end)
			stream_link(s);
		byte = *byte_at(s->b, s->at++);
		v |= (uint32_t)(byte & 127) << shift;
		if (byte < 128)
			return v;
	}
}

static void write_postings(const struct ftbuild *b, const struct bterm *t, struct ftseg_writer *w)
{
	struct stream s = { b, t->head, t->head + FIRST_SLICE - 4, t->at, 0 };
	uint32_t doc = 0, position = 0, some[PACK_N], n = 0;

	while (s.at != s.stop) {
		uint32_t v = stream_next(&s);

		if (n == PACK_N || (n && v & 1)) {
			ftseg_writer_positions(w, some, n);
			n = 0;
		}
		if (v & 1) {
			doc += v >> 1;
			ftseg_writer_posting(w, doc);
			position = stream_next(&s);
		} else {
			position += v >> 1;
		}
		some[n++] = position;
	}
	if (n)
		ftseg_writer_positions(w, some, n);
}

static int ftbuild_write(struct ftbuild *b, const char *path, struct err *err)
{
	struct ftseg_writer *w;
	struct order *order;
	int rc = ftseg_writer_open(&w, path, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < b->contents.n; i++)
		ftseg_writer_doc(w, b->contents.p[i], b->lengths.p + FT_FIELDS * i);
	order = sorted_terms(b);
	for (size_t i = 0; i < b->terms.n && rc == WN_OK; i++) {
		ftseg_writer_term(w, key_of(b, order[i].id));
		write_postings(b, &b->terms.p[order[i].id], w);
		rc = ftseg_writer_term_end(w, err);
	}
	mem_free(order);
	if (rc < 0) {
		ftseg_writer_abort(w);
		return rc;
	}
	if ((rc = ftseg_writer_commit(w, err)) == WN_OK)
		empty(b);
	return rc;
}

/* What is there becomes a run; its last document goes on in the next. */
static int spill(struct ftindex *x, struct ftbuild *b, struct err *err)
{
	struct arena a = { 0 };
	uint64_t number, content = vec_last(&b->contents);
	int rc = ftbuild_write(b, ftindex_new_path(x, &a, FT_RUN, &number), err);

	if (rc == WN_OK) {
		vec_push(&b->runs, number);
		vec_push(&b->contents, content);
		for (int f = 0; f < FT_FIELDS; f++)
			vec_push(&b->lengths, (uint64_t)0);
	}
	arena_release(&a);
	return rc;
}

int ftbuild_join(struct ftindex *x, struct ftbuild *b, const char *path, struct err *err)
{
	struct arena a = { 0 };
	VEC(struct ftseg *) runs = { 0 };
	uint64_t number;
	int rc;

	if (!b->runs.n)
		return ftbuild_write(b, path, err);
	if ((rc = ftbuild_write(b, ftindex_new_path(x, &a, FT_RUN, &number), err)) == WN_OK)
		vec_push(&b->runs, number);
	for (size_t i = 0; i < b->runs.n && rc == WN_OK; i++) {
		struct ftseg *s;

		if ((rc = ftseg_open(&s, ftindex_path(x, &a, FT_RUN, b->runs.p[i]), err)) == WN_OK)
			vec_push(&runs, s);
	}
	if (rc == WN_OK)
		rc = ftmerge_write(runs.p, NULL, runs.n, true, path, err);
	for (size_t i = 0; i < runs.n; i++)
		ftseg_close(runs.p[i]);
	for (size_t i = 0; i < b->runs.n && rc == WN_OK; i++)
		rc = os_unlink(ftindex_path(x, &a, FT_RUN, b->runs.p[i]), err);
	if (rc == WN_OK)
		b->runs.n = 0;
	vec_release(&runs);
	arena_release(&a);
	return rc;
}
