/* fulltext/build.c -- inverting documents in memory; see index.h.
 *
 * A text's words are brought together first (gather.h), so that what follows is
 * done once for each word of a text.  A term has one stream of 16-bit numbers,
 * for each text that has it (a text longer than a stretch: for each stretch):
 *
 *	head      10 bits documents passed since the last one, 0: the same goes on; 1023: that or more
 *	          1 bit   the first place takes two numbers
 *	          5 bits  occurrences less one; 31: that or more
 *	[2]       documents passed, when 1023
 *	[1]       occurrences less one, when 31
 *	1 or 2    the first place, or when the same document goes on, its gap
 *	...       the gaps (places between one and the next) of the other occurrences
 *
 * Streams grow in slices of 8, 16, ... 4096 bytes cut from a pool; the last four
 * bytes of a slice say where the next one is.  Memory is about 2.5 bytes an
 * occurrence.  The three places that a word of a text touches (table, term,
 * stream) are far apart, so they are fetched ahead while others are worked on.
 * Writing sorts the terms and reads each stream once; the gaps are those of the file.
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
#include "fulltext/gather.h"

#define BUILD_LEAST (1 * MIB)
#define BATCH 2048	      /* words of a text that are added before memory is looked at again */
#define POOL_SPARE (16 * MIB) /* addresses, not memory: what one batch of words can add to a pool that is full */
#define POOL_SLACK 16	      /* bytes behind a slice that may be read */
#define AHEAD_SLOT 24	      /* words ahead: fetch the slot, */
#define AHEAD_TERM 16	      /* the term, */
#define AHEAD_STREAM 8	      /* the place where its stream goes on */
#define FIRST_SLICE 8
#define LAST_LEVEL 9	  /* 4096 bytes */
#define FAR_LEVEL 5	  /* 256 bytes */
#define NO_DOC UINT32_MAX /* one more is 0 */
enum { MANY_PASSED = 1023, MANY_TIMES = 31, WIDE = 32, PASSED_SHIFT = 6, HEAD_MOST = 6 };
#define TITLE_SALT 0x5851f42d4c957f2dU

struct bterm {
	uint64_t hash, first[2]; /* first: of the folded bytes the first sixteen, padded with zeros */
	uint32_t key_at;
	uint16_t key_n; /* with the field's byte */
	uint8_t level, field;
	uint32_t doc, position; /* of the last occurrence */
	uint32_t head, at, end; /* the stream: first byte, next byte to write, where the slice's link is */
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
	struct gather gather;
};

struct ftbuild *ftbuild_new(size_t memory_bytes)
{
	struct ftbuild *b = mem_zalloc(sizeof *b);

	b->memory = memory_bytes < BUILD_LEAST ? BUILD_LEAST : memory_bytes > 3 * GIB ? 3 * GIB : memory_bytes;
	b->pool_n = b->memory + POOL_SPARE + POOL_SLACK;
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
	gather_release(&b->gather);
	mem_free(b);
}

size_t ftbuild_contents(const struct ftbuild *b) { return b->contents.n; }

struct order {		/* of writing */
	uint64_t start; /* the key's first eight bytes, big-endian: compares as the key does */
	uint32_t id, head;
};

/* Whether `more` occurrences could take more than the memory, with what sorting the terms takes. */
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

	if (b->pool_n - POOL_SLACK - at < size)
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

static void append(struct ftbuild *b, struct bterm *t, const uint16_t *v, size_t n)
{
	while (n) {
		uint32_t here;

		if (t->at == t->end)
			next_slice(b, t);
		here = (t->end - t->at) / 2;
		here = here < n ? here : (uint32_t)n;
		memcpy(byte_at(b, t->at), v, 2 * here);
		t->at += 2 * here;
		v += here;
		n -= here;
	}
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

static struct bterm *new_term(struct ftbuild *b, struct slot *slot, uint64_t hash, enum ft_field field,
			      const struct gathered *g)
{
	struct str key = gather_key(&b->gather, g);
	struct bterm *t = vec_add(&b->terms);

	*slot = (struct slot){ (uint32_t)(hash >> 32), (uint32_t)b->terms.n };
	*t = (struct bterm){ .hash = hash,
			     .first = { g->first[0], g->first[1] },
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

static inline bool same_key(const struct ftbuild *b, const struct bterm *t, enum ft_field field,
			    const struct gathered *g)
{
	size_t skip = field == FT_TITLE;

	return t->field == field && t->key_n == g->key_n + skip && t->first[0] == g->first[0] &&
	       t->first[1] == g->first[1] &&
	       (g->key_n <= 16 || memcmp(b->keys.p + t->key_at + skip + 16, gather_key(&b->gather, g).p + 16,
					 g->key_n - (size_t)16) == 0);
}

static inline struct bterm *find(struct ftbuild *b, uint64_t hash, enum ft_field field, const struct gathered *g)
{
	size_t at = hash & (b->cap - 1);
	uint32_t tag = (uint32_t)(hash >> 32);

	for (; b->slots[at].id; at = (at + 1) & (b->cap - 1))
		if (b->slots[at].tag == tag) {
			struct bterm *t = &b->terms.p[b->slots[at].id - 1];

			if (t->hash == hash && same_key(b, t, field, g))
				return t;
		}
	return new_term(b, &b->slots[at], hash, field, g);
}

/* Guesses only: a slot that another term took first costs a miss, not an error.  Always in line: to a compiler a
 * function that only fetches does nothing, and calls of it are left out. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct ftbuild *b, const struct gathered *terms,
							      size_t i, size_t n, uint64_t salt)
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

static void append_head(struct ftbuild *b, struct bterm *t, uint32_t passed, uint32_t times, uint32_t first)
{
	uint16_t head[HEAD_MOST];
	size_t n = 1;

	head[0] = (uint16_t)((passed < MANY_PASSED ? passed : MANY_PASSED) << PASSED_SHIFT |
			     (first > UINT16_MAX ? WIDE : 0) | (times < MANY_TIMES ? times : MANY_TIMES));
	if (passed >= MANY_PASSED) {
		head[n++] = (uint16_t)passed;
		head[n++] = (uint16_t)(passed >> 16);
	}
	if (times >= MANY_TIMES)
		head[n++] = (uint16_t)times;
	head[n++] = (uint16_t)first;
	if (first > UINT16_MAX)
		head[n++] = (uint16_t)(first >> 16);
	append(b, t, head, n);
}

/* The occurrences of a term in a stretch of a document that begins at position base. */
static inline void occurrences(struct ftbuild *b, struct bterm *t, const struct gathered *g, uint32_t doc,
			       uint32_t base)
{
	const uint16_t *gaps = gather_gaps(&b->gather, g);
	uint32_t passed = doc - t->doc, times = g->n - 1U, first = base + gaps[0];

	if (!passed)
		first -= t->position + 1;
	if (passed < MANY_PASSED && times < MANY_TIMES && first <= UINT16_MAX && 4 + 2 * times <= t->end - t->at) {
		/* most often: as one number, and the gaps in pairs, the last of which may go into the place of the link */
		uint32_t two = passed << PASSED_SHIFT | times | first << 16;
		unsigned char *to = byte_at(b, t->at);

		memcpy(to, &two, 4);
		for (uint32_t i = 0; i < times; i += 2)
			memcpy(to + 4 + 2 * i, gaps + 1 + i, 4);
		t->at += 4 + 2 * times;
	} else {
		append_head(b, t, passed, times, first);
		append(b, t, gaps + 1, times);
	}
	t->doc = doc;
	t->position = base + g->last;
}

static int spill(struct ftindex *x, struct ftbuild *b, struct err *err);

/* What was gathered, from position base of the last document on. */
static int add_gathered(struct ftindex *x, struct ftbuild *b, enum ft_field field, uint32_t base, struct err *err)
{
	const struct gathered *terms = b->gather.terms.p;
	uint64_t salt = field == FT_TITLE ? TITLE_SALT : 0;
	int rc;

	for (size_t i = 0, end; i < b->gather.terms.n; i = end) {
		size_t n = b->gather.terms.n - i < BATCH ? b->gather.terms.n - i : BATCH;
		uint32_t doc;

		end = i + n;
		if (b->terms.n && no_room(b, n) && (rc = spill(x, b, err)) < 0)
			return rc;
		doc = (uint32_t)b->contents.n - 1;
		while ((b->terms.n + n) * 2 > b->cap)
			grow_table(b);
		for (; i < end; i++) {
			fetch_ahead(b, terms, i, end, salt);
			occurrences(b, find(b, terms[i].hash ^ salt, field, &terms[i]), &terms[i], doc, base);
		}
	}
	return WN_OK;
}

static int add_field(struct ftindex *x, struct ftbuild *b, enum ft_field field, struct str text, uint64_t *length,
		     struct err *err)
{
	struct gather *g = &b->gather;
	uint32_t base = 0;
	int rc = WN_OK;

	word_open(&b->words, text);
	gather_open(g, text.n);
	while (word_batch(&b->words) && rc == WN_OK)
		for (size_t i = 0; rc == WN_OK && (i = gather_words(g, &b->words, i)) < b->words.n;) {
			gather_close(g);
			rc = add_gathered(x, b, field, base, err);
			base += (uint32_t)g->n;
			gather_open(g, text.n);
		}
	gather_close(g);
	*length = base + g->n;
	return rc == WN_OK ? add_gathered(x, b, field, base, err) : rc;
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

	return str_cmp(key_of(build, x->id), key_of(build, y->id));
}

/* By start, a byte at a time from the last; what is the same in all is passed over.  Returns the one that holds it. */
static struct order *by_start(struct order *v, struct order *other, size_t n)
{
	uint32_t(*count)[256] = mem_zarray(8, sizeof *count);

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 8; k++)
			count[k][v[i].start >> 8 * k & 255]++;
	for (unsigned k = 0; k < 8; k++) {
		struct order *swap = v;
		uint32_t at = 0;

		if (n && count[k][v[0].start >> 8 * k & 255] == n)
			continue;
		for (unsigned c = 0; c < 256; c++) {
			uint32_t here = count[k][c];

			count[k][c] = at;
			at += here;
		}
		for (size_t i = 0; i < n; i++)
			other[count[k][v[i].start >> 8 * k & 255]++] = v[i];
		v = other;
		other = swap;
	}
	mem_free(count);
	return v;
}

/* One of the two arrays at *both; the caller frees that. */
static struct order *sorted_terms(struct ftbuild *b, struct order **both)
{
	size_t n = b->terms.n;
	struct order *v = *both = mem_array(2 * n + 1, sizeof *v);

	for (size_t i = 0; i < n; i++) {
		const struct bterm *t = &b->terms.p[i];
		uint64_t start = __builtin_bswap64(t->first[0]);

		if (t->field == FT_TITLE)
			start = (uint64_t)FT_TITLE_KEY << 56 | start >> 8;
		v[i] = (struct order){ start, (uint32_t)i, t->head };
	}
	v = by_start(v, v + n, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[end].start == v[i].start; end++)
			;
		if (end - i > 1)
			qsort_r(v + i, end - i, sizeof *v, by_key, b);
	}
	return v;
}

struct stream { /* reading one back */
	const struct ftbuild *b;
	uint32_t at, end, stop;
	unsigned level;
};

/* The next slice is fetched while this one is read; the last one's link is nothing, and fetching that harmless. */
static inline __attribute__((always_inline)) void stream_ahead(const struct stream *s)
{
	uint32_t next;

	if (s->level < FAR_LEVEL) { /* else the link itself is far */
		memcpy(&next, byte_at(s->b, s->end), 4);
		__builtin_prefetch(byte_at(s->b, next));
	}
}

static void stream_link(struct stream *s)
{
	memcpy(&s->at, byte_at(s->b, s->end), 4);
	s->level += s->level < LAST_LEVEL;
	s->end = s->at + ((uint32_t)FIRST_SLICE << s->level) - 4;
	stream_ahead(s);
}

static inline uint32_t stream_next(struct stream *s)
{
	uint16_t v;

	if (s->at == s->end)
		stream_link(s);
	memcpy(&v, byte_at(s->b, s->at), 2);
	s->at += 2;
	return v;
}

static inline uint32_t stream_two(struct stream *s)
{
	uint32_t low = stream_next(s);

	return low | stream_next(s) << 16;
}

static void write_postings(const struct ftbuild *b, const struct bterm *t, struct ftseg_writer *w)
{
	struct stream s = { b, t->head, t->head + FIRST_SLICE - 4, t->at, 0 };
	uint32_t doc = NO_DOC;

	stream_ahead(&s);
	while (s.at != s.stop) {
		uint32_t head = stream_next(&s), passed = head >> PASSED_SHIFT, times = head % WIDE, first;

		if (passed == MANY_PASSED)
			passed = stream_two(&s);
		if (times == MANY_TIMES)
			times = stream_next(&s);
		first = head & WIDE ? stream_two(&s) : stream_next(&s);
		doc += passed;
		if (passed)
			ftseg_writer_posting(w, doc);
		for (;;) {
			uint32_t here = (s.end - s.at) / 2;

			here = here < times ? here : times;
			ftseg_writer_gaps16(w, first, byte_at(b, s.at), here);
			s.at += 2 * here;
			if (!(times -= here))
				break;
			first = stream_next(&s); /* of the next slice */
			times--;
		}
	}
}

/* Terms to come, their first slices and, nearer, the next three. */
static inline __attribute__((always_inline)) void fetch_streams(const struct ftbuild *b, struct order *order, size_t i,
								size_t n)
{
	if (i + AHEAD_TERM < n)
		__builtin_prefetch(&b->terms.p[order[i + AHEAD_TERM].id]);
	if (i + AHEAD_STREAM < n) {
		__builtin_prefetch(byte_at(b, order[i + AHEAD_STREAM].head));
		__builtin_prefetch(b->keys.p + b->terms.p[order[i + AHEAD_STREAM].id].key_at);
	}
	for (unsigned level = 0; level < 3; level++) {
		size_t j = i + AHEAD_STREAM - 2 * (level + 1);

		if (j >= AHEAD_STREAM && j < n && b->terms.p[order[j].id].level > level) { /* else no step was before */
			memcpy(&order[j].head, byte_at(b, order[j].head + ((uint32_t)FIRST_SLICE << level) - 4), 4);
			__builtin_prefetch(byte_at(b, order[j].head));
		}
	}
}

static int ftbuild_write(struct ftbuild *b, const char *path, struct err *err)
{
	struct ftseg_writer *w;
	struct order *both;
	struct order *order;
	int rc = ftseg_writer_open(&w, path, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < b->contents.n; i++)
		ftseg_writer_doc(w, b->contents.p[i], b->lengths.p + FT_FIELDS * i);
	order = sorted_terms(b, &both);
	for (size_t i = 0; i < b->terms.n && rc == WN_OK; i++) {
		fetch_streams(b, order, i, b->terms.n);
		ftseg_writer_term(w, key_of(b, order[i].id));
		write_postings(b, &b->terms.p[order[i].id], w);
		rc = ftseg_writer_term_end(w, err);
	}
	mem_free(both);
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
