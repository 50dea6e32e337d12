/* text/word.c -- see word.h.
 *
 * A code point's class and folding come from a two-stage table
 * (unicode_table.h, made by tools/mkunicode).  The class is that of the code
 * point as written; folding is applied to what a term holds.
 *
 * State between batches: no term is open, a run is open, or a character that
 * stands alone is open for its marks.  An open term's folded bytes move to the
 * front of folded[] when a new batch begins; they are few, because a batch
 * ends with the first block that fills it.
 */
#include "text/word.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "text/unicode_table.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { STATE_NONE, STATE_RUN, STATE_ALONE };
#define SCAN_SLACK 64 /* a block may be written behind folded_n, a word read behind a term */

static inline unsigned record_of(uint32_t cp)
{
	return cp < UNICODE_END ? unicode_cells[(size_t)unicode_rows[cp >> 7] << 7 | (cp & 127)] : 0;
}

/* The classes of unicode_table.h. */
enum word_class { WORD_OTHER, WORD_RUN, WORD_MARK, WORD_ALONE };
static enum word_class word_class(uint32_t cp) { return (enum word_class)unicode_records[record_of(cp)].cls; }
static uint32_t word_fold(uint32_t cp) { return cp + (uint32_t)unicode_records[record_of(cp)].fold; }

static inline uint64_t load64(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* Reads up to 15 bytes behind p + n.  One word or two is as good as random, so both are computed and one is taken. */
static inline uint64_t hash_range(const char *p, size_t n)
{
	uint64_t h = WORD_SEED, two, word;

	for (; n > 16; n -= 8, p += 8)
		h = word_hash_step(h, load64(p));
	two = -(uint64_t)(n > 8);
	h ^= (h ^ word_hash_step(h, load64(p))) & two;
	word = load64(p + (two & 8));
	return word_hash_step(h, word & (~(uint64_t)0 >> (64 - 8 * (n - (two & 8)))));
}

uint64_t word_hash(struct str folded)
{
	uint64_t h = WORD_SEED;
	char last[8] = { 0 };

	for (; folded.n > 8; folded.n -= 8, folded.p += 8)
		h = word_hash_step(h, load64(folded.p));
	if (folded.n)
		memcpy(last, folded.p, folded.n);
	return word_hash_step(h, load64(last));
}

static void grow_folded(struct word_reader *r)
{
	r->folded_cap = r->folded_cap * 2 + 32 * 1024;
	r->folded = mem_realloc(r->folded, r->folded_cap);
}

static inline size_t close_term(struct word_reader *r, size_t to, size_t n)
{
	r->terms[n] = (struct term){ hash_range(r->folded + r->open_at, to - r->open_at), (uint32_t)r->open_at,
				     (uint32_t)(to - r->open_at) };
	r->state = STATE_NONE;
	return n + 1;
}

/* Well-formed sequences of two and three bytes in line; the rest by the decoder. */
static inline size_t decode(const char *p, const char *end, uint32_t *cp)
{
	const unsigned char *s = (const unsigned char *)p;

	if (end - p >= 3) {
		if (s[0] >= 0xc2 && s[0] <= 0xdf && (s[1] & 0xc0) == 0x80) {
			*cp = (uint32_t)(s[0] & 0x1f) << 6 | (s[1] & 0x3f);
			return 2;
		}
		if (s[0] > 0xe0 && s[0] < 0xed && (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80) {
			*cp = (uint32_t)(s[0] & 0x0f) << 12 | (uint32_t)(s[1] & 0x3f) << 6 | (s[2] & 0x3f);
			return 3;
		}
	}
	return utf8_decode(p, end, cp);
}

/* Takes code points up to the next ASCII byte, the end, or a full batch. */
static const char *scan_code_points(struct word_reader *r, const char *p, const char *end, size_t *count)
{
	size_t n = *count;

	while (p < end && (unsigned char)*p >= 0x80 && n < WORD_BATCH) {
		uint32_t cp;
		unsigned record;
		enum word_class cls;

		if (r->folded_n + 2 * SCAN_SLACK > r->folded_cap)
			grow_folded(r);
		p += decode(p, end, &cp);
		record = record_of(cp);
		cls = (enum word_class)unicode_records[record].cls;
		if (r->state != STATE_NONE &&
		    (cls == WORD_OTHER || cls == WORD_ALONE || (cls == WORD_RUN && r->state == STATE_ALONE)))
			n = close_term(r, r->folded_n, n);
		if (cls == WORD_OTHER)
			continue;
		if (r->state == STATE_NONE) {
			r->open_at = r->folded_n;
			r->state = cls == WORD_ALONE ? STATE_ALONE : STATE_RUN;
		}
		r->folded_n += utf8_encode(cp + (uint32_t)unicode_records[record].fold, r->folded + r->folded_n);
	}
	*count = n;
	return p;
}

static inline void block_scalar(const char *p, char *out, uint64_t *letters, uint64_t *high)
{
	uint64_t l = 0, h = 0;

	for (unsigned i = 0; i < 64; i++) {
		unsigned char c = (unsigned char)p[i], low = c | 0x20;
		bool letter = (unsigned char)(low - 'a') < 26;

		out[i] = (char)(letter ? low : c);
		l |= (uint64_t)(letter || (unsigned char)(c - '0') < 10) << i;
		h |= (uint64_t)(c >> 7) << i;
	}
	*letters = l;
	*high = h;
}

#define SCAN_NAME scan_scalar
#define SCAN_TARGET
#define SCAN_BLOCK block_scalar
#include "text/word_scan.h"

#if defined(__x86_64__)
__attribute__((target("avx2,bmi,bmi2"))) static inline uint32_t half_avx2(const char *p, char *out, uint32_t *high)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)p);
	__m256i low = _mm256_or_si256(v, _mm256_set1_epi8(0x20));
	__m256i letter = _mm256_sub_epi8(low, _mm256_set1_epi8('a'));
	__m256i digit = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));

	letter = _mm256_cmpeq_epi8(_mm256_min_epu8(letter, _mm256_set1_epi8(25)), letter);
	digit = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, _mm256_set1_epi8(9)), digit);
	_mm256_storeu_si256((__m256i *)out, _mm256_blendv_epi8(v, low, letter));
	*high = (uint32_t)_mm256_movemask_epi8(v);
	return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(letter, digit));
}

__attribute__((target("avx2,bmi,bmi2"))) static inline void block_avx2(const char *p, char *out, uint64_t *letters,
								       uint64_t *high)
{
	uint32_t h0, h1, l0 = half_avx2(p, out, &h0), l1 = half_avx2(p + 32, out + 32, &h1);

	*letters = l0 | (uint64_t)l1 << 32;
	*high = h0 | (uint64_t)h1 << 32;
}

#define SCAN_NAME scan_avx2
#define SCAN_TARGET __attribute__((target("avx2,bmi,bmi2")))
#define SCAN_BLOCK block_avx2
#include "text/word_scan.h"
#endif

static bool fast(const struct word_reader *r)
{
#if defined(__x86_64__)
	return r->force != 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
	return (void)r, false;
#endif
}

void word_open(struct word_reader *r, struct str text)
{
	if (!r->terms)
		r->terms = mem_array(WORD_BATCH + 64, sizeof *r->terms);
	if (!r->folded)
		grow_folded(r);
	r->p = text.p;
	r->end = str_end(text);
	r->n = 0;
	r->folded_n = r->open_at = 0;
	r->state = STATE_NONE;
}

bool word_batch(struct word_reader *r)
{
	if (r->state != STATE_NONE) {
		memmove(r->folded, r->folded + r->open_at, r->folded_n - r->open_at);
		r->folded_n -= r->open_at;
	} else {
		r->folded_n = 0;
	}
	r->open_at = 0;
	r->n = 0;
#if defined(__x86_64__)
	if (fast(r)) {
		scan_avx2(r);
		return r->n > 0;
	}
#endif
	scan_scalar(r);
	return r->n > 0;
}

void word_release(struct word_reader *r)
{
	mem_free(r->terms);
	mem_free(r->folded);
	*r = (struct word_reader){ .force = r->force };
}

bool word_next(struct str *rest, struct buf *folded, struct str *source)
{
	const char *p = rest->p, *end = rest->n ? p + rest->n : p, *start = NULL;
	bool alone = false;

	buf_reset(folded);
	*source = STR_NONE;
	if (!rest->n)
		return false;
	while (p < end) {
		uint32_t cp;
		char bytes[4];
		size_t n = utf8_decode(p, end, &cp);
		enum word_class cls = word_class(cp);

		if (start && (cls == WORD_OTHER || cls == WORD_ALONE || (cls == WORD_RUN && alone)))
			break;
		if (cls != WORD_OTHER) {
			if (!start) {
				start = p;
				alone = cls == WORD_ALONE;
			}
			buf_add(folded, bytes, utf8_encode(word_fold(cp), bytes));
		}
		p += n;
	}
	*rest = (struct str){ p, (size_t)(end - p) };
	*source = (struct str){ start, start ? (size_t)(p - start) : 0 };
	return start != NULL;
}
