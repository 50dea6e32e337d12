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
 * - Text that is no language (numbers, code, names) hits few rows: "und".
 *
 * Cost: two lookups and two rows (64 bytes for Latin) a letter, at most
 * SAMPLE bytes a text, whatever its length.  Tables are indexed once a process.
 */
#include "text/lang.h"

#include <math.h>
#include <pthread.h>

#include "base/log.h"
#include "base/utf8.h"
#include "base/vec.h"

struct lang_letter {
	uint16_t point;
	uint8_t number;
};

struct lang_script {
	const char *name;
	const char *const *codes;
	const struct lang_letter *letters;
	const uint32_t *keys;
	const char *weights;
	size_t n_codes, n_letters, n_keys, columns;
};

#include "text/lang_table.h"

#define CHUNK 224     /* bytes; its groups must not overflow 16-bit sums of weights */
#define HEAD_CHUNKS 5 /* read from the beginning */
#define TAIL_CHUNKS 5 /* spread over the rest */
#define SAMPLE ((HEAD_CHUNKS + TAIL_CHUNKS) * CHUNK)
#define COLUMNS 64
#define ENGLISH 0	      /* column of English in the Latin table */
#define ENGLISH_SHARE 0.15    /* of the groups, for another language to win */
#define CHUNK_LEAD 1.0	      /* weights a group by which a chunk must be won */
#define SCRIPT_SHARE 0.15     /* of the ink, for a script to win over Latin */
#define LEAST_GROUPS 6	      /* fewer known groups than this tell nothing */
#define LEAST_HITS 0.30	      /* share of a Latin text's groups that must be known */
#define LEAST_HITS_OTHER 0.08 /* the same where the script has told much already */

/* Scripts of one language, and those that need a closer look. */
enum { SCRIPT_NONE = 0, SCRIPT_TABLE = 1, SCRIPT_ONE = SCRIPT_TABLE + COUNT(lang_scripts) };
static const struct {
	uint32_t from, to;
	const char *code;
	uint8_t ink; /* how many Latin letters one of its characters stands for */
} ranges[] = {
	{ 0x0370, 0x03ff, "el", 1 },   { 0x1f00, 0x1fff, "el", 1 }, { 0x0530, 0x058f, "hy", 1 },
	{ 0x10a0, 0x10ff, "ka", 1 },   { 0x1c90, 0x1cbf, "ka", 1 }, { 0x0e00, 0x0e7f, "th", 1 },
	{ 0x0e80, 0x0eff, "lo", 1 },   { 0x1780, 0x17ff, "km", 1 }, { 0x1000, 0x109f, "my", 1 },
	{ 0x0f00, 0x0fff, "bo", 1 },   { 0x0980, 0x09ff, "bn", 1 }, { 0x0a00, 0x0a7f, "pa", 1 },
	{ 0x0a80, 0x0aff, "gu", 1 },   { 0x0b00, 0x0b7f, "or", 1 }, { 0x0b80, 0x0bff, "ta", 1 },
	{ 0x0c00, 0x0c7f, "te", 1 },   { 0x0c80, 0x0cff, "kn", 1 }, { 0x0d00, 0x0d7f, "ml", 1 },
	{ 0x0d80, 0x0dff, "si", 1 },   { 0x0780, 0x07bf, "dv", 1 }, { 0x13a0, 0x13ff, "chr", 2 },
	{ 0x1400, 0x167f, "iu", 2 },   { 0xac00, 0xd7af, "ko", 2 }, { 0x1100, 0x11ff, "ko", 1 },
	{ 0x3130, 0x318f, "ko", 1 },   { 0x3041, 0x30ff, "ja", 3 }, { 0xff66, 0xff9f, "ja", 2 },
	{ 0x3400, 0x4dbf, "zh", 3 },   { 0x4e00, 0x9fff, "zh", 3 }, { 0xf900, 0xfaff, "zh", 3 },
	{ 0x20000, 0x3ffff, "zh", 3 },
};
enum { RANGE_MAP_END = 0x2000, SCRIPTS = SCRIPT_ONE + COUNT(ranges), WORD_MARK = 1, LETTER_OTHER = 255 };

/* Indexed once: which script a low code point is of, its number there, and the rows by key.
 *
 * Each key has a slot that no other has: its hash times an odd factor that keys with the same high bits of the hash share
 * and that was chosen so (hash and displace).  A look-up is one comparison. */
struct slot {
	uint32_t key; /* 0: none */
	uint32_t row;
};
enum { SLOTS = 1 << 16, SHARE_BITS = 3, ASCII_DIGIT = 0x100, ASCII_LETTER = 0x200 };
static struct {
	uint8_t script[RANGE_MAP_END], number[RANGE_MAP_END];
	struct lookup {
		uint32_t first;	  /* of slots */
		uint32_t down;	  /* shift to a number of one */
		uint32_t factors; /* first of its factors */
		uint32_t share;	  /* shift of a hash to the bits that choose one */
	} lookups[COUNT(lang_scripts)];
	struct slot slots[SLOTS]; /* power-of-two tables, half full at most, one behind another */
	uint16_t factors[SLOTS >> SHARE_BITS];
	uint16_t ascii[128]; /* number of a letter, else WORD_MARK; and what it is */
	const char *codes[192];
	size_t n_codes;
	uint8_t first_of[COUNT(ranges)]; /* the first range of the same language */
	bool han[COUNT(ranges)];	 /* Chinese or Japanese */
	bool avx2;			 /* what the processor has */
} tables;
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static inline uint64_t key_hash(uint32_t key) { return key * 0x9e3779b97f4a7c15u; }
static inline uint32_t slot_of(uint64_t hash, uint32_t factor, uint32_t down)
{
	return (uint32_t)(hash >> 16) * factor >> down;
}

static void add_code(const char *code)
{
	size_t at = 0;

	while (at < tables.n_codes && strcmp(tables.codes[at], code) < 0)
		at++;
	if (at < tables.n_codes && strcmp(tables.codes[at], code) == 0)
		return;
	memmove(&tables.codes[at + 1], &tables.codes[at], (tables.n_codes - at) * sizeof *tables.codes);
	tables.codes[at] = code;
	tables.n_codes++;
}

/* The keys of a script by the factor that they share. */
struct sharers {
	uint32_t n, number;
	uint32_t keys[64]; /* rows */
};

static int more_first(const void *a, const void *b)
{
	const struct sharers *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : x->number < y->number ? -1 : 1;
}

/* Whether the slots of all are free by this factor; then they are taken. */
static bool take_slots(const struct lang_script *script, const struct sharers *all, struct slot *slots, uint32_t down,
		       uint32_t factor)
{
	uint32_t i = 0;

	for (; i < all->n; i++) {
		uint32_t key = script->keys[all->keys[i]];
		struct slot *slot = &slots[slot_of(key_hash(key), factor, down)];

		if (slot->key)
			break;
		*slot = (struct slot){ key, all->keys[i] };
	}
	for (uint32_t j = 0; i < all->n && j < i; j++)
		slots[slot_of(key_hash(script->keys[all->keys[j]]), factor, down)] = (struct slot){ 0, 0 };
	return i == all->n;
}

static void index_keys(const struct lang_script *script, const struct lookup *lookup, uint32_t size)
{
	uint32_t n_factors = size >> SHARE_BITS;
	struct sharers *sharers = mem_zarray(n_factors, sizeof *sharers);

	for (uint32_t i = 0; i < n_factors; i++)
		sharers[i].number = i;
	for (size_t i = 0; i < script->n_keys; i++) {
		struct sharers *all = &sharers[key_hash(script->keys[i]) >> lookup->share];

		if (all->n == COUNT(all->keys))
			BUG("%s: too many groups share a factor", script->name);
		all->keys[all->n++] = (uint32_t)i;
	}
	sort_array(sharers, n_factors, sizeof *sharers, more_first);
	for (uint32_t i = 0; i < n_factors && sharers[i].n; i++) {
		uint32_t factor = 1;

		while (!take_slots(script, &sharers[i], &tables.slots[lookup->first], lookup->down, factor))
			if ((factor += 2) > UINT16_MAX)
				BUG("%s: groups that fit nowhere", script->name);
		tables.factors[lookup->factors + sharers[i].number] = (uint16_t)factor;
	}
	mem_free(sharers);
}

static void index_script(size_t s, uint32_t *room)
{
	const struct lang_script *script = &lang_scripts[s];
	uint32_t size = 16;

	for (size_t i = 0; i < script->n_letters; i++) {
		tables.script[script->letters[i].point] = (uint8_t)(SCRIPT_TABLE + s);
		tables.number[script->letters[i].point] = script->letters[i].number;
		if (script->letters[i].point < 128)
			tables.ascii[script->letters[i].point] = script->letters[i].number | ASCII_LETTER;
	}
	while (size < 2 * script->n_keys)
		size *= 2;
	if (*room + size > SLOTS)
		BUG("%s: %zu groups are more than there is room for", script->name, script->n_keys);
	tables.lookups[s] = (struct lookup){ .first = *room,
					     .down = 32 - (uint32_t)__builtin_ctz(size),
					     .factors = *room >> SHARE_BITS,
					     .share = 64 - (uint32_t)__builtin_ctz(size >> SHARE_BITS) };
	index_keys(script, &tables.lookups[s], size);
	*room += size;
	for (size_t i = 0; i < script->n_codes; i++)
		add_code(script->codes[i]);
}

/* Letters of a script that its alphabet has not, so that they join words. */
static void other_letters(uint32_t from, uint32_t to, size_t s)
{
	for (uint32_t p = from; p <= to; p++)
		if (!tables.script[p]) {
			tables.script[p] = (uint8_t)(SCRIPT_TABLE + s);
			tables.number[p] = LETTER_OTHER;
		}
}

static void tables_fill(void)
{
	uint32_t room = 0;

	for (unsigned c = 0; c < 128; c++)
		tables.ascii[c] = ascii_digit((char)c) ? WORD_MARK | ASCII_DIGIT : WORD_MARK;
	for (size_t s = 0; s < COUNT(lang_scripts); s++)
		index_script(s, &room);
	other_letters(0xc0, 0xd6, 0);
	other_letters(0xd8, 0xf6, 0);
	other_letters(0xf8, 0x2af, 0);
	other_letters(0x1e00, 0x1eff, 0);
	other_letters(0x0400, 0x0481, 1);
	other_letters(0x048a, 0x052f, 1);
	other_letters(0x0620, 0x065f, 2);
	other_letters(0x066e, 0x06d5, 2);
	other_letters(0x0900, 0x0963, 3);
	other_letters(0x05b0, 0x05f2, 4);
#if defined(__x86_64__)
	tables.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif
	for (size_t i = 0; i < COUNT(ranges); i++) {
		for (uint32_t p = ranges[i].from; p <= ranges[i].to && p < RANGE_MAP_END; p++)
			if (!tables.script[p])
				tables.script[p] = (uint8_t)(SCRIPT_ONE + i);
		add_code(ranges[i].code);
		while (strcmp(ranges[tables.first_of[i]].code, ranges[i].code) != 0)
			tables.first_of[i]++;
		tables.han[i] = strcmp(ranges[i].code, "zh") == 0 || strcmp(ranges[i].code, "ja") == 0;
	}
}

static uint8_t script_of(uint32_t point)
{
	if (point < RANGE_MAP_END)
		return tables.script[point];
	for (size_t i = 0; i < COUNT(ranges); i++)
		if (point >= ranges[i].from && point <= ranges[i].to)
			return (uint8_t)(SCRIPT_ONE + i);
	return SCRIPT_NONE;
}

/* The sums of one script of lang_table.h. */
struct tally {
	uint16_t chunk[COLUMNS] __attribute__((aligned(64)));
	uint32_t sum[COLUMNS];
	uint32_t won[COLUMNS]; /* groups of the chunks this language leads, English apart */
	uint32_t hits, groups, chunk_hits;
};

struct reading {
	struct tally tally[COUNT(lang_scripts)];
	uint32_t ink[SCRIPTS];
	uint32_t kana;
	uint32_t letters;
	bool avx2;
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
	const struct lookup lookup = tables.lookups[s];
	const struct slot *slots = tables.slots + lookup.first;
	const uint16_t *factors = tables.factors + lookup.factors;
	const unsigned char *weights = (const unsigned char *)lang_scripts[s].weights;
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

/* Adds rows of 32 * wide bytes into sums of 16 bits: the bytes at even and at odd places apart.  A weight is below 128,
 * so two rows are added as they are; what the even ones alone make is what all make less what the odd ones do. */
typedef uint16_t lanes __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) void add_rows(uint16_t *sum, const unsigned char **rows, size_t n,
							   const size_t bytes)
{
	static const unsigned char none[COLUMNS];
	const size_t wide = (bytes + 31) / 32, step = bytes < 32 ? bytes : 32;
	lanes both[2] = { 0 }, high[2] = { 0 };
	const size_t first = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	rows[n] = none;
	for (size_t r = 0; r < n; r += 2)
		for (size_t i = 0; i < wide; i++) {
			lanes x = { 0 }, y = { 0 };

			memcpy(&x, rows[r] + 32 * i, step);
			memcpy(&y, rows[r + 1] + 32 * i, step);
			x += y;
			both[i] += x;
			high[i] += x >> 8;
		}
	for (size_t i = 0; i < bytes / 2; i++) {
		uint16_t odd = high[i / 16][i % 16], even = (uint16_t)(both[i / 16][i % 16] - (odd << 8));

		sum[2 * i + first] = (uint16_t)(sum[2 * i + first] + even);
		sum[2 * i + 1 - first] = (uint16_t)(sum[2 * i + 1 - first] + odd);
	}
}

static inline __attribute__((always_inline)) size_t sum_groups(uint16_t *sum, const struct groups *g, size_t s)
{
	const unsigned char *rows[CHUNK_GROUPS + 1];
	size_t n;

	if (lang_scripts[s].columns == 64) {
		n = find_rows(g, s, 64, rows);
		add_rows(sum, rows, n, 64);
	} else {
		n = find_rows(g, s, 16, rows);
		add_rows(sum, rows, n, 16);
	}
	return n;
}

static size_t sum_plain(uint16_t *sum, const struct groups *g, size_t s) { return sum_groups(sum, g, s); }
#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2"))) static size_t sum_avx2(uint16_t *sum, const struct groups *g, size_t s)
{
	return sum_groups(sum, g, s);
}
#else
#define sum_avx2 sum_plain
#endif

static void add_groups(struct tally *t, const struct groups *g, size_t s, bool avx2)
{
	t->groups += g->n;
	t->chunk_hits += (uint32_t)(avx2 ? sum_avx2 : sum_plain)(t->chunk, g, s);
}

static void end_chunk(struct tally *t, const struct lang_script *script)
{
	size_t best = 0;

	if (!t->chunk_hits)
		return;
	for (size_t i = 0; i < script->n_codes; i++) {
		t->sum[i] += t->chunk[i];
		if (t->chunk[i] > t->chunk[best])
			best = i;
	}
	if (t->chunk_hits >= 10 && best != ENGLISH && t->chunk[best] - t->chunk[ENGLISH] > CHUNK_LEAD * t->chunk_hits)
		t->won[best] += t->chunk_hits;
	t->hits += t->chunk_hits;
	t->chunk_hits = 0;
	memset(t->chunk, 0, sizeof t->chunk);
}

/* The state of reading: the window of four numbers slides over a word and its marks. */
struct cursor {
	uint32_t window;
	uint8_t word;	/* script of the word we are in */
	bool number_on; /* in a number: letters that touch it (0x1f, 3rd) are no word */
};

/* ASCII bytes, in a Latin word or in none. */
static const char *read_ascii(struct reading *r, struct cursor *c, struct groups *g, const char *p, const char *end)
{
	uint32_t window = c->window, number_on = c->number_on, ink = 0, n = g->n;

	for (; p < end && (unsigned char)*p < 0x80; p++) {
		uint32_t is = tables.ascii[(unsigned char)*p], letter;

		number_on = (is / ASCII_DIGIT | (is / ASCII_LETTER & number_on)) & 1;
		letter = is / ASCII_LETTER & ~number_on;
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

static void read_chunk(struct reading *r, const char *p, const char *end)
{
	struct cursor c = { .window = WORD_MARK };
	struct groups groups[COUNT(lang_scripts)];

	for (size_t s = 0; s < COUNT(lang_scripts); s++)
		groups[s].n = 0;

	while (p <= end) {
		uint32_t point = ' ';
		uint8_t script = SCRIPT_NONE, number = WORD_MARK;

		if (c.word <= SCRIPT_TABLE)
			p = read_ascii(r, &c, &groups[0], p, end);
		if (p == end) {
			p++;
		} else if ((unsigned char)*p < 0x80) {
			point = (unsigned char)*p++;
			script = tables.script[point];
			c.number_on = ascii_digit((char)point) || (c.number_on && script);
			if (c.number_on)
				script = SCRIPT_NONE;
		} else {
			p += utf8_decode(p, end, &point);
			script = script_of(point);
		}
		if (script >= SCRIPT_ONE) {
			r->ink[script] += ranges[script - SCRIPT_ONE].ink;
			r->kana += (point >= 0x3041 && point <= 0x30ff) || (point >= 0xff66 && point <= 0xff9f);
			script = SCRIPT_NONE;
		} else if (script) {
			r->ink[script]++;
			number = tables.number[point];
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
	for (size_t s = 0; s < COUNT(lang_scripts); s++) {
		if (groups[s].n)
			add_groups(&r->tally[s], &groups[s], s, r->avx2);
		end_chunk(&r->tally[s], &lang_scripts[s]);
	}
}

/* A chunk from about `at`, moved to where a word begins and ends. */
static void read_at(struct reading *r, struct str text, size_t at, size_t n)
{
	size_t end = at + n < text.n ? at + n : text.n, from = at;

	if (from > 0)
		while (from < end && from < at + 32 && !ascii_space(text.p[from - 1]))
			from++;
	while (from < end && ((unsigned char)text.p[from] & 0xc0) == 0x80)
		from++;
	if (end < text.n)
		for (size_t back = 0; back < 32 && end > from && !ascii_space(text.p[end]); back++)
			end--;
	while (end > from && end < text.n && ((unsigned char)text.p[end] & 0xc0) == 0x80)
		end--;
	if (end > from)
		read_chunk(r, text.p + from, text.p + end);
}

static void read_sample(struct reading *r, struct str text)
{
	size_t head = text.n <= SAMPLE ? text.n : (size_t)HEAD_CHUNKS * CHUNK;

	for (size_t at = 0; at < head; at += CHUNK)
		read_at(r, text, at, at + CHUNK < head ? CHUNK : head - at);
	if (head < text.n)
		for (size_t i = 0; i < TAIL_CHUNKS; i++)
			read_at(r, text, head + (text.n - head - CHUNK) / TAIL_CHUNKS * i, CHUNK);
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
	    t->hits < (script == &lang_scripts[0] ? LEAST_HITS : LEAST_HITS_OTHER) * t->groups)
		return unsure();
	for (size_t i = 1; i < script->n_codes; i++)
		if (t->sum[i] > t->sum[best])
			best = i;
	if (script == &lang_scripts[0] && best == ENGLISH) {
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
	lead = (t->sum[best] - t->sum[second]) / LANG_STEPS / 4;
	if (lead < 0.4)
		return unsure();
	return answer(script->codes[best], 1 / (1 + exp(-lead)));
}

static struct lang language(struct str text, bool avx2)
{
	struct reading r = { .avx2 = avx2 };
	uint32_t total = 0, best = SCRIPT_TABLE, latin, han = 0;
	uint32_t ink[SCRIPTS];

	read_sample(&r, text);
	/* Ranges of one language are one; kana tells Japanese from Chinese. */
	memcpy(ink, r.ink, sizeof ink);
	for (size_t i = 0; i < COUNT(ranges); i++) {
		uint32_t of_range = r.ink[SCRIPT_ONE + i];

		han += tables.han[i] ? of_range : 0;
		ink[SCRIPT_ONE + i] -= of_range;
		ink[SCRIPT_ONE + tables.first_of[i]] += of_range;
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
		return answer(ranges[best - SCRIPT_ONE].code, 0.5 + 0.5 * ink[best] / total);
	return by_groups(&r.tally[best - SCRIPT_TABLE], &lang_scripts[best - SCRIPT_TABLE]);
}

struct lang lang_of(struct str text)
{
	pthread_once(&tables_once, tables_fill);
	return language(text, tables.avx2);
}

struct lang lang_of_plain(struct str text)
{
	pthread_once(&tables_once, tables_fill);
	return language(text, false);
}

const char *const *lang_codes(size_t *n)
{
	pthread_once(&tables_once, tables_fill);
	*n = tables.n_codes;
	return tables.codes;
}
