/* text/lang.c -- scripts first, then letter groups.
 *
 * The sample (SAMPLE bytes: the beginning, then pieces from all over the text)
 * is read in chunks.  Each code point is looked up once: it belongs to a script
 * with one language, to a script of lang_table.h (then it has a number within
 * its alphabet), or separates words.  Groups of three and four letters, a mark
 * before and behind each word, find a row of weights, one per language; rows are added.
 *
 * A weight is the quantised logarithm of a frequency, so a sum is the logarithm
 * of a likelihood: naive Bayes with equal priors.  Two things are judged apart:
 * - English inside pages of other languages is common (names, programs,
 *   quotations), the reverse is not.  Where English wins in the sum, another
 *   language that won ENGLISH_SHARE of the chunks' groups takes the page.
 *   Latin letters give way to other scripts in the same manner.
 * - Text that is no language (numbers, code, names) hits few rows: "und".  So is
 *   what has few words beside its codes, or hardly a word of three letters.
 *
 * Cost: two lookups and two rows (64 bytes for Latin) a letter, at most
 * SAMPLE bytes a text, whatever its length.  Tables are indexed once a process.
 * A word's groups are its own, whatever stands beside it, so what those of an
 * ASCII word add up to can be kept (lang_memo): then a word costs one look-up and one row.  What is kept is larger than
 * the nearest caches, too: the words of a chunk are all asked for before the first is added.
 */
#include "text/lang.h"

#include <math.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/log.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "text/lang_index.h"
#include "text/main_ranges.h"

#define CHUNK 224     /* bytes; its groups must not overflow 16-bit sums of weights */
#define HEAD_CHUNKS 5 /* read from the beginning */
#define TAIL_CHUNKS 5 /* spread over the rest */
#define SAMPLE ((HEAD_CHUNKS + TAIL_CHUNKS) * CHUNK)
#define ENGLISH 0	      /* column of English in the Latin table */
#define ENGLISH_SHARE 0.15    /* of the groups, for another language to win */
#define CHUNK_LEAD 1.0	      /* weights a group by which a chunk must be won */
#define SCRIPT_SHARE 0.15     /* of the ink, for a script to win over Latin */
#define LEAST_GROUPS 16	      /* fewer known groups than this, two or three words, tell nothing */
#define LEAST_HITS 0.30	      /* share of a Latin text's groups that must be known */
#define LEAST_HITS_OTHER 0.08 /* the same where the script has told much already */
#define LEAST_IN_WORDS 0.5    /* share of the Latin ink that is words, not codes */
#define LEAST_LENGTH 2.2      /* letters of a Latin word on average */

static uint8_t script_of(uint32_t point)
{
	if (point < RANGE_MAP_END)
		return lang_tables.script[point];
	for (size_t i = 0; i < RANGES; i++)
		if (point >= lang_ranges[i].from && point <= lang_ranges[i].to)
			return (uint8_t)(SCRIPT_ONE + i);
	return SCRIPT_NONE;
}

/* The sums of one script of lang_table.h. */
struct tally {
	uint32_t sum[COLUMNS];
	uint32_t won[COLUMNS]; /* groups of the chunks this language leads, English apart */
	uint32_t hits, groups;
};

struct reading {
	struct tally tally[LANG_SCRIPTS];
	uint32_t ink[SCRIPTS];
	uint32_t kana;
	uint32_t codes; /* digits and letters in runs of both */
	bool avx2;
	struct lang_memo *memo; /* NULL: none */
};

/* The groups of one chunk.  Rows lie all over a table larger than the near
 * caches, so each step goes over the whole chunk and asks for what the next one
 * needs: keys first, then rows, then sums.  What a letter or a group turns out
 * to be is as good as random: the steps compute instead of branching on it. */
enum { CHUNK_GROUPS = 2 * (CHUNK + 1) };
struct groups {
	uint32_t n;
	uint32_t keys[CHUNK_GROUPS + 2]; /* written two ahead */
};

/* The groups that end with the last letter of the window, behind n others; how many there are then.  Between words the
 * window is one mark, and none ends with a second. */
static inline uint32_t add_group(uint32_t *keys, uint32_t n, uint32_t window)
{
	keys[n] = window & 0xffffff;
	n += (window & 0xff0000) != 0;
	keys[n] = window;
	return n + (window >> 24 != 0);
}

static inline __attribute__((always_inline)) size_t find_rows(const struct groups *g, size_t s, const size_t columns,
							      const unsigned char **rows)
{
	const struct lookup lookup = lang_tables.lookups[s];
	const struct slot *slots = lang_tables.slots + lookup.first;
	const uint16_t *factors = lang_tables.factors + lookup.factors;
	const unsigned char *weights = (const unsigned char *)lang_script_tables[s].weights;
	size_t n = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		uint64_t hash = key_hash(g->keys[i]);
		struct slot slot = slots[slot_of(hash, factors[hash >> lookup.share], lookup.down)];

		rows[n] = weights + slot.row * columns;
		__builtin_prefetch(rows[n]);
		n += slot.key == g->keys[i];
	}
	return n;
}

/* Sums of 16 bits of rows of bytes: what two bytes side by side make as one number, and what the higher ones make alone;
 * the lower ones make what is left.  A weight is below 128, so two rows are added as they are.  Sums may be added. */
typedef uint16_t lanes __attribute__((vector_size(32)));
typedef uint16_t lanes_anywhere __attribute__((vector_size(32), aligned(2), may_alias));
struct sums {
	lanes both[2], high[2];
};

static inline __attribute__((always_inline)) void add_rows(struct sums *sums, const unsigned char **rows, size_t n,
							   const size_t bytes)
{
	static const unsigned char none[COLUMNS];
	const size_t wide = (bytes + 31) / 32, step = bytes < 32 ? bytes : 32;
	struct sums own = *sums;

	rows[n] = none;
	for (size_t r = 0; r < n; r += 2)
		for (size_t i = 0; i < wide; i++) {
			lanes x = { 0 }, y = { 0 };

			memcpy(&x, rows[r] + 32 * i, step);
			memcpy(&y, rows[r + 1] + 32 * i, step);
			x += y;
			own.both[i] += x;
			own.high[i] += x >> 8;
		}
	*sums = own;
}

static inline __attribute__((always_inline)) size_t sum_groups(struct sums *sums, const struct groups *g, size_t s)
{
	const unsigned char *rows[CHUNK_GROUPS + 1];
	size_t n;

	if (lang_script_tables[s].columns == 64) {
		n = find_rows(g, s, 64, rows);
		add_rows(sums, rows, n, 64);
	} else {
		n = find_rows(g, s, 16, rows);
		add_rows(sums, rows, n, 16);
	}
	return n;
}

static size_t sum_plain(struct sums *sums, const struct groups *g, size_t s) { return sum_groups(sums, g, s); }
#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2"))) static size_t sum_avx2(struct sums *sums, const struct groups *g, size_t s)
{
	return sum_groups(sums, g, s);
}
#else
#define sum_avx2 sum_plain
#endif

/* The sums of each language, from those of bytes side by side. */
static void sums_to_columns(const struct sums *sums, uint16_t *column)
{
	const size_t first = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	for (size_t i = 0; i < COLUMNS / 2; i++) {
		uint16_t odd = sums->high[i / 16][i % 16];

		column[2 * i + first] = (uint16_t)(sums->both[i / 16][i % 16] - (odd << 8));
		column[2 * i + 1 - first] = odd;
	}
}

/* What the chunk's groups of one script sum up to. */
static void end_chunk(struct tally *t, size_t n_codes, const struct sums *sums, uint32_t hits)
{
	uint16_t chunk[COLUMNS], most = 0;
	size_t best = 0;

	if (!hits)
		return;
	sums_to_columns(sums, chunk);
	for (size_t i = 0; i < n_codes; i++) {
		t->sum[i] += chunk[i];
		most = chunk[i] > most ? chunk[i] : most;
	}
	while (chunk[best] != most)
		best++;
	if (hits >= 10 && best != ENGLISH && chunk[best] - chunk[ENGLISH] > CHUNK_LEAD * hits)
		t->won[best] += hits;
	t->hits += hits;
}

/* The state of reading: the window of four numbers slides over a word and its marks. */
struct cursor {
	uint32_t window;
	uint8_t word;	/* script of the word we are in */
	bool number_on; /* in a number: letters behind it (0x1f, 3rd) are no word */
};

/* Behind the letters and digits that follow, the first of them a digit or behind one.  They are a code when there are
 * letters among them. */
static const char *read_number(struct reading *r, const char *p, const char *end)
{
	const char *from = p;
	uint32_t letters = 0;

	for (; p < end && (unsigned char)*p < 0x80; p++) {
		uint32_t is = lang_tables.ascii[(unsigned char)*p];

		if (!(is & (ASCII_DIGIT | ASCII_LETTER)))
			break;
		letters += is / ASCII_LETTER;
	}
	r->codes += letters ? (uint32_t)(p - from) : 0;
	return p;
}

/* ASCII bytes, in a Latin word or in none. */
static const char *read_ascii(struct reading *r, struct cursor *c, struct groups *g, const char *p, const char *end)
{
	uint32_t window = c->window, ink = 0, n = g->n;
	bool number_on = false;

	if (c->number_on && p < end) {
		const char *behind = read_number(r, p, end);

		if (behind > p && window != WORD_MARK) { /* a letter beyond ASCII between digits and these */
			n = add_group(g->keys, n, window << 8 | WORD_MARK);
			window = WORD_MARK;
		}
		p = behind;
		number_on = p == end || (unsigned char)*p >= 0x80;
	}
	for (; p < end && (unsigned char)*p < 0x80; p++) {
		uint32_t is = lang_tables.ascii[(unsigned char)*p], letter = is / ASCII_LETTER;

		if (is & ASCII_DIGIT) {
			if (window != WORD_MARK)
				n = add_group(g->keys, n, window << 8 | WORD_MARK);
			window = WORD_MARK;
			p = read_number(r, p, end) - 1;
			number_on = p + 1 == end || (unsigned char)p[1] >= 0x80;
			continue;
		}
		ink += letter;
		window = window << 8 | (letter ? is & 0xff : WORD_MARK);
		n = add_group(g->keys, n, window);
		window = letter ? window : WORD_MARK;
	}
	g->n = n;
	r->ink[SCRIPT_TABLE] += ink;
	*c = (struct cursor){ window, window != WORD_MARK ? SCRIPT_TABLE : SCRIPT_NONE, number_on };
	return p;
}

static void read_run(struct reading *r, struct groups *groups, const char *p, const char *end)
{
	struct cursor c = { .window = WORD_MARK };

	while (p <= end) {
		uint32_t point = ' ';
		uint8_t script = SCRIPT_NONE, number = WORD_MARK;

		if (c.word <= SCRIPT_TABLE)
			p = read_ascii(r, &c, &groups[0], p, end);
		if (p == end) {
			p++;
		} else if ((unsigned char)*p < 0x80) {
			point = (unsigned char)*p++;
			script = lang_tables.script[point];
			c.number_on = ascii_digit((char)point) || (c.number_on && script);
			if (c.number_on)
				script = SCRIPT_NONE;
		} else {
			p += utf8_decode(p, end, &point);
			script = script_of(point);
		}
		if (script >= SCRIPT_ONE) {
			r->ink[script] += lang_ranges[script - SCRIPT_ONE].ink;
			r->kana += (point >= 0x3041 && point <= 0x30ff) || (point >= 0xff66 && point <= 0xff9f);
			script = SCRIPT_NONE;
		} else if (script) {
			r->ink[script]++;
			number = lang_tables.number[point];
		}
		if (!script && !c.word)
			continue;
		c.window = c.window << 8 | number;
		struct groups *g = &groups[(c.word ? c.word : script) - SCRIPT_TABLE];

		g->n = add_group(g->keys, g->n, c.window);
		if (!script)
			c.window = WORD_MARK;
		c.word = script;
	}
}

/* ---- words met before ---- */

enum { MEMO_BITS = 14, MEMO_SLOTS = 1 << MEMO_BITS, MEMO_BYTES = 16, WINDOW = 256 };
_Static_assert(CHUNK + 2 + MEMO_BYTES <= WINDOW && WINDOW % 64 == 0,
	       "a window holds a chunk and what is loaded behind it");

struct memo_word {
	uint64_t key[2]; /* its letters as lower case, zeros behind; zero: none */
	uint64_t hits;
	uint16_t sums[COLUMNS]; /* a struct sums, whose alignment a heap does not promise */
};
struct lang_memo {
	struct memo_word words[MEMO_SLOTS];
};

struct lang_memo *lang_memo_new(void) { return mem_zalloc(sizeof(struct lang_memo)); }
void lang_memo_free(struct lang_memo *m) { mem_free(m); }

/* Of the bytes of a window a bit each. */
struct classes {
	uint64_t letter[WINDOW / 64], run[WINDOW / 64],
	    high[WINDOW / 64]; /* run: letters, digits and what is no ASCII */
};

static inline __attribute__((always_inline)) void classify(const char *p, struct classes *c)
{
	for (size_t w = 0; w < WINDOW / 64; w++) {
		uint64_t letter = 0, run = 0, high = 0;

		for (unsigned i = 0; i < 64; i++) {
			char x = p[64 * w + i];
			uint64_t own = ascii_alpha(x), above = (unsigned char)x >> 7;

			letter |= own << i;
			high |= above << i;
			run |= (own | above | (uint64_t)ascii_digit(x)) << i;
		}
		c->letter[w] = letter;
		c->run[w] = run;
		c->high[w] = high;
	}
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static inline uint64_t within_avx2(__m256i x, __m256i y, char from, char to)
{
	const __m256i low = _mm256_set1_epi8((char)(from - 1)), high = _mm256_set1_epi8((char)(to + 1));
	__m256i a = _mm256_and_si256(_mm256_cmpgt_epi8(x, low), _mm256_cmpgt_epi8(high, x)),
		b = _mm256_and_si256(_mm256_cmpgt_epi8(y, low), _mm256_cmpgt_epi8(high, y));

	return (uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}

__attribute__((target("avx2"))) static void classify_avx2(const char *p, struct classes *c)
{
	const __m256i lower = _mm256_set1_epi8(0x20);

	for (size_t w = 0; w < WINDOW / 64; w++) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(p + 64 * w)),
			y = _mm256_loadu_si256((const __m256i *)(p + 64 * w + 32));

		c->high[w] = (uint32_t)_mm256_movemask_epi8(x) | (uint64_t)(uint32_t)_mm256_movemask_epi8(y) << 32;
		c->run[w] = within_avx2(x, y, '0', '9');
		c->letter[w] = within_avx2(_mm256_or_si256(x, lower), _mm256_or_si256(y, lower), 'a', 'z');
		c->run[w] |= c->letter[w] | c->high[w];
	}
}
#else
#define classify_avx2 classify
#endif

/* The first place from `at` on whose bit is as `want` says, at most n. */
static inline size_t next_bit(const uint64_t *bits, bool want, size_t at, size_t n)
{
	while (at < n) {
		uint64_t w = (want ? bits[at / 64] : ~bits[at / 64]) >> at % 64;

		if (w) {
			at += (unsigned)__builtin_ctzll(w);
			return at < n ? at : n;
		}
		at = (at / 64 + 1) * 64;
	}
	return n;
}

static const uint8_t letters_mask[2 * MEMO_BYTES] = { 255, 255, 255, 255, 255, 255, 255, 255,
						      255, 255, 255, 255, 255, 255, 255, 255 };

/* A word of n ASCII letters at p, and where it is kept.  MEMO_BYTES can be read at p. */
struct wanted_word {
	const char *p;
	size_t n;
	uint64_t key[2];
	struct memo_word *kept;
};

static inline struct wanted_word wanted_word(const struct reading *r, const char *p, size_t n)
{
	struct wanted_word w = { .p = p, .n = n };
	uint64_t mask[2];

	memcpy(w.key, p, sizeof w.key);
	memcpy(mask, letters_mask + MEMO_BYTES - n, sizeof mask);
	for (unsigned i = 0; i < 2; i++)
		w.key[i] = (w.key[i] | 0x2020202020202020U) & mask[i];
	w.kept = &r->memo->words[(key_hash64(w.key[0]) ^ key_hash64(w.key[1] + 1)) >> (64 - MEMO_BITS)];
	return w;
}

/* Makes what is kept of a word that is not there. */
static __attribute__((noinline)) void keep_word(const struct reading *r, const struct wanted_word *w)
{
	struct groups g;
	struct sums sums = { 0 };
	uint32_t window = WORD_MARK;

	g.n = 0;
	for (size_t i = 0; i < w->n; i++) {
		window = window << 8 | (lang_tables.ascii[(unsigned char)w->p[i]] & 0xff);
		g.n = add_group(g.keys, g.n, window);
	}
	g.n = add_group(g.keys, g.n, window << 8 | WORD_MARK);
	memcpy(w->kept->key, w->key, sizeof w->key);
	w->kept->hits = (r->avx2 ? sum_avx2 : sum_plain)(&sums, &g, 0);
	memcpy(w->kept->sums, &sums, sizeof sums);
}

/* Runs of letters, digits and what is no ASCII, in p[from..to) of a window: a run without the latter is at most one word,
 * what stands before its first digit.  How many of the words' groups are known. */
static inline __attribute__((always_inline)) uint32_t sum_words(struct reading *r, struct groups *groups,
								const struct classes *c, const char *p, size_t from,
								size_t to, struct sums *out)
{
	lanes both0 = { 0 }, both1 = { 0 }, high0 = { 0 }, high1 = { 0 };
	struct wanted_word words[WINDOW / 2];
	uint32_t letters = 0, made = 0, hits = 0;
	size_t n_words = 0;

	for (size_t at = next_bit(c->run, true, from, to), end; at < to; at = next_bit(c->run, true, end, to)) {
		size_t n;

		end = next_bit(c->run, false, at, to);
		n = next_bit(c->letter, false, at, end) - at;
		if (next_bit(c->high, true, at, end) < end || n > MEMO_BYTES) {
			read_run(r, groups, p + at, p + end);
			continue;
		}
		if (at + n < end && next_bit(c->letter, true, at + n, end) < end)
			r->codes += (uint32_t)(end - at - n);
		if (n) {
			struct wanted_word *w = &words[n_words++];

			*w = wanted_word(r, p + at, n);
			for (size_t line = 0; line < sizeof *w->kept; line += 64)
				__builtin_prefetch((const char *)w->kept + line);
			letters += (uint32_t)n;
			made += (uint32_t)(2 * n - 1);
		}
	}
	for (size_t i = 0; i < n_words; i++) {
		const struct wanted_word *w = &words[i];
		const lanes_anywhere *own = (const lanes_anywhere *)w->kept->sums;

		if (w->kept->key[0] != w->key[0] || w->kept->key[1] != w->key[1])
			keep_word(r, w);
		both0 += own[0];
		both1 += own[1];
		high0 += own[2];
		high1 += own[3];
		hits += (uint32_t)w->kept->hits;
	}
	r->ink[SCRIPT_TABLE] += letters;
	r->tally[0].groups += made;
	*out = (struct sums){ { both0, both1 }, { high0, high1 } };
	return hits;
}

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2"))) static uint32_t
sum_words_avx2(struct reading *r, struct groups *groups, const char *p, size_t from, size_t to, struct sums *out)
{
	struct classes c;

	classify_avx2(p, &c);
	return sum_words(r, groups, &c, p, from, to, out);
}
#else
#define sum_words_avx2 sum_words_plain
#endif
static uint32_t sum_words_plain(struct reading *r, struct groups *groups, const char *p, size_t from, size_t to,
				struct sums *out)
{
	struct classes c;

	classify(p, &c);
	return sum_words(r, groups, &c, p, from, to, out);
}

/* p[from..to) of a window: WINDOW bytes can be read at p. */
static void read_chunk(struct reading *r, const char *p, size_t from, size_t to)
{
	struct groups groups[LANG_SCRIPTS];
	struct sums sums;
	uint32_t hits = 0;

	for (size_t s = 0; s < LANG_SCRIPTS; s++)
		groups[s].n = 0;
	if (r->memo)
		hits = (r->avx2 ? sum_words_avx2 : sum_words_plain)(r, groups, p, from, to, &sums);
	else
		read_run(r, groups, p + from, p + to);
	for (size_t s = 0; s < LANG_SCRIPTS; s++) {
		if (!hits)
			sums = (struct sums){ 0 };
		if (groups[s].n)
			hits += (uint32_t)(r->avx2 ? sum_avx2 : sum_plain)(&sums, &groups[s], s);
		r->tally[s].groups += groups[s].n;
		end_chunk(&r->tally[s], lang_script_tables[s].n_codes, &sums, hits);
		hits = 0;
	}
}

/* ---- the sample ---- */

/* Where bytes are fetched from. */
struct source {
	const struct lang_text *t;
	struct main_ranges walk;
	struct main_range
	    range; /* the one at hand, and where it begins in the text it is part of; none when it is empty */
	size_t at;
};

static void source_begin(struct source *s)
{
	s->walk = main_ranges_of(s->t->ranges, s->t->text.n);
	s->range = (struct main_range){ 0, 0 };
	s->at = 0;
	main_ranges_next(&s->walk, &s->range);
}

/* The n bytes from `at` on; ranges have a line feed between them. */
static void fetch(struct source *s, size_t at, char *out, size_t n)
{
	if (!s->t->ranges.n) {
		memcpy(out, s->t->text.p + at, n);
		return;
	}
	if (at < s->at)
		source_begin(s);
	for (size_t end = at + n; at < end;) {
		size_t bytes = s->range.end - s->range.start, take;

		if (at - s->at < bytes) {
			take = bytes - (at - s->at) < end - at ? bytes - (at - s->at) : end - at;
			memcpy(out, s->t->text.p + s->range.start + (at - s->at), take);
		} else if (at - s->at == bytes) {
			take = 1;
			*out = '\n';
		} else {
			s->at += bytes + 1;
			if (!main_ranges_next(&s->walk, &s->range))
				BUG("ranges make less than %zu bytes", s->t->n);
			continue;
		}
		out += take;
		at += take;
	}
}

/* A chunk from about `at`, moved to where a word begins and ends. */
static void read_at(struct reading *r, struct source *s, size_t at, size_t n)
{
	char p[WINDOW];
	size_t lead = at > 0, all = s->t->n - (at - lead), from = lead, end = from + n < all ? from + n : all;
	size_t got = end < all ? end + 1 : end;

	fetch(s, at - lead, p, got);
	memset(p + got, 0, sizeof p - got);
	if (lead)
		while (from < end && from < lead + 32 && !ascii_space(p[from - 1]))
			from++;
	while (from < end && ((unsigned char)p[from] & 0xc0) == 0x80)
		from++;
	if (end < all)
		for (size_t back = 0; back < 32 && end > from && !ascii_space(p[end]); back++)
			end--;
	while (end > from && end < all && ((unsigned char)p[end] & 0xc0) == 0x80)
		end--;
	if (end > from)
		read_chunk(r, p, from, end);
}

static void read_sample(struct reading *r, const struct lang_text *text)
{
	size_t n = text->n, head = n <= SAMPLE ? n : (size_t)HEAD_CHUNKS * CHUNK;
	struct source s = { .t = text };

	source_begin(&s);
	for (size_t at = 0; at < head; at += CHUNK)
		read_at(r, &s, at, at + CHUNK < head ? CHUNK : head - at);
	if (head < n)
		for (size_t i = 0; i < TAIL_CHUNKS; i++)
			read_at(r, &s, head + (n - head - CHUNK) / TAIL_CHUNKS * i, CHUNK);
}

static struct lang answer(const char *code, double confidence)
{
	struct lang out = { .confidence = (float)confidence };

	memcpy(out.code, code, strlen(code));
	return out;
}

static struct lang unsure(void) { return answer("und", 0); }

/* The language of the words of one table's script. */
static struct lang by_groups(const struct tally *t, const struct lang_script *script)
{
	size_t best = 0, second = SIZE_MAX;
	double lead;

	if (t->hits < LEAST_GROUPS ||
	    t->hits < (script == &lang_script_tables[0] ? LEAST_HITS : LEAST_HITS_OTHER) * t->groups)
		return unsure();
	for (size_t i = 1; i < script->n_codes; i++)
		if (t->sum[i] > t->sum[best])
			best = i;
	if (script == &lang_script_tables[0] && best == ENGLISH) {
		size_t other = 1;

		for (size_t i = 2; i < script->n_codes; i++)
			if (t->won[i] > t->won[other])
				other = i;
		if (t->won[other] >= ENGLISH_SHARE * t->hits)
			return answer(script->codes[other], 0.5 + 0.5 * t->won[other] / t->hits);
	}
	for (size_t i = 0; i < script->n_codes; i++)
		if (i != best && (second == SIZE_MAX || t->sum[i] > t->sum[second]))
			second = i;
	/* Neighbouring groups overlap, so the evidence counts a quarter. */
	lead = (t->sum[best] - t->sum[second]) / lang_steps / 4;
	if (lead < 0.4)
		return unsure();
	return answer(script->codes[best], 1 / (1 + exp(-lead)));
}

/* Latin letters make words rather than check sums, hex dumps, moves of chess or columns of letters, whose short runs of
 * letters are groups of some language.  A word of n letters has 2n - 1 groups, so that words need not be counted. */
static bool has_words(const struct reading *r)
{
	uint32_t ink = r->ink[SCRIPT_TABLE], words = 2 * ink - r->tally[0].groups;

	return ink >= LEAST_IN_WORDS * (ink + r->codes) && ink >= LEAST_LENGTH * words;
}

static struct lang language(const struct lang_text *text, bool avx2, struct lang_memo *memo)
{
	struct reading r = { .avx2 = avx2, .memo = memo };
	uint32_t total = 0, best = SCRIPT_TABLE, latin, han = 0;
	uint32_t ink[SCRIPTS];

	read_sample(&r, text);
	/* Ranges of one language are one; kana tells Japanese from Chinese. */
	memcpy(ink, r.ink, sizeof ink);
	for (size_t i = 0; i < RANGES; i++) {
		uint32_t of_range = r.ink[SCRIPT_ONE + i];

		han += lang_tables.han[i] ? of_range : 0;
		ink[SCRIPT_ONE + i] -= of_range;
		ink[SCRIPT_ONE + lang_tables.first_of[i]] += of_range;
	}
	for (uint32_t i = SCRIPT_TABLE; i < SCRIPTS; i++)
		total += ink[i];
	latin = ink[SCRIPT_TABLE];
	for (uint32_t i = SCRIPT_TABLE + 1; i < SCRIPTS; i++)
		if (ink[i] > (best == SCRIPT_TABLE ? 0 : ink[best]))
			best = i;
	if (han && han >= SCRIPT_SHARE * total && han >= ink[best])
		return answer(r.kana * 3 * 10 >= han ? "ja" : "zh", 0.5 + 0.5 * han / total);
	if (best != SCRIPT_TABLE && (ink[best] < SCRIPT_SHARE * total || ink[best] < 4))
		best = SCRIPT_TABLE;
	if (best == SCRIPT_TABLE ? !latin : best >= SCRIPT_ONE && ink[best] < 4)
		return unsure();
	if (best >= SCRIPT_ONE)
		return answer(lang_ranges[best - SCRIPT_ONE].code, 0.5 + 0.5 * ink[best] / total);
	if (best == SCRIPT_TABLE && !has_words(&r))
		return unsure();
	return by_groups(&r.tally[best - SCRIPT_TABLE], &lang_script_tables[best - SCRIPT_TABLE]);
}

struct lang lang_of_ranges(const struct lang_text *t, struct lang_memo *m)
{
	lang_index_once();
	return language(t, lang_tables.avx2, m);
}

struct lang lang_of(struct str text) { return lang_of_ranges(&(struct lang_text){ .text = text, .n = text.n }, NULL); }

struct lang lang_of_plain(struct str text)
{
	lang_index_once();
	return language(&(struct lang_text){ .text = text, .n = text.n }, false, NULL);
}

const char *const *lang_codes(size_t *n)
{
	lang_index_once();
	*n = lang_tables.n_codes;
	return lang_tables.codes;
}
