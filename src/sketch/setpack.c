/* sketch/setpack.c -- see setpack.h; docs/format/sketch-segment.md draws the bytes. */
#include "sketch/setpack.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/buf.h"
#include "base/hash.h"
#include "sketch/segfile.h"

#define RAW 64 /* low bits of a set stored as it is */

unsigned low_bits(size_t n) { return n < 64 ? RAW : n < 256 ? 57 : 64 - (63 - (unsigned)__builtin_clzll(n)); }

static size_t low_bytes(size_t n, unsigned low) { return (n * low + 63) / 64 * 8; }
static size_t high_words(size_t n, unsigned low) { return low == RAW ? 0 : (n + ((size_t)1 << (64 - low)) + 63) / 64; }
size_t set_bytes(size_t n, unsigned low) { return n ? low_bytes(n, low) + high_words(n, low) * 8 : 0; }

/* Low parts go out as whole words at whole bytes, each with the bits that the one before left over, so that no value
 * waits for another; the last may write over the beginning of the high part, which is written then. */
static void pack_low(unsigned char *out, struct set s, unsigned low)
{
	uint64_t mask = ((uint64_t)1 << low) - 1, over = 0;
	size_t at = 0;

	for (size_t i = 0; i < s.n; i++) {
		size_t next = at + low, bytes = (next >> 3) - (at >> 3);

		over |= (s.p[i] & mask) << (at & 7);
		memcpy(out + (at >> 3), &over, 8);
		over = over >> 4 * bytes >> 4 * bytes; /* bytes may be 8 */
		at = next;
	}
}

static void pack_high(unsigned char *out, struct set s, unsigned low)
{
	uint64_t ones = 0;
	size_t word = 0;

	memset(out, 0, high_words(s.n, low) * 8);
	for (size_t i = 0; i < s.n; i++) {
		size_t bit = (size_t)(s.p[i] >> low) + i;

		if (bit / 64 != word) {
			memcpy(out + 8 * word, &ones, 8);
			ones = 0;
			word = bit / 64;
		}
		ones |= (uint64_t)1 << bit % 64;
	}
	memcpy(out + 8 * word, &ones, 8);
}

#if defined(__x86_64__)
/* Eight values are `low` bytes: a word of them has bits of up to three values. */
__attribute__((target("avx512f,avx512bw"))) static size_t pack_low_wide(unsigned char *out, struct set s, unsigned low)
{
	const __m512i mask = _mm512_set1_epi64((long long)(((uint64_t)1 << low) - 1));
	const __mmask64 bytes = ((__mmask64)1 << low) - 1;
	uint64_t from[8], down[8], up[2][8];
	__m512i first, right, left1, left2, next, one = _mm512_set1_epi64(1);
	size_t i = 0;

	for (unsigned j = 0; j < 8; j++) {
		unsigned bit = 64 * j, of = bit / low;

		from[j] = of;
		down[j] = of < 8 ? bit - of * low : 64; /* by 64 nothing is left */
		up[0][j] = of + 1 < 8 ? (of + 1) * low - bit : 64;
		up[1][j] = of + 2 < 8 ? (of + 2) * low - bit : 64;
	}
	first = _mm512_loadu_si512(from);
	right = _mm512_loadu_si512(down);
	left1 = _mm512_loadu_si512(up[0]);
	left2 = _mm512_loadu_si512(up[1]);
	next = _mm512_add_epi64(first, one);
	one = _mm512_add_epi64(next, one);
	for (; i + 8 <= s.n; i += 8, out += low) {
		__m512i v = _mm512_and_si512(_mm512_loadu_si512(s.p + i), mask),
			a = _mm512_srlv_epi64(_mm512_permutexvar_epi64(first, v), right),
			b = _mm512_sllv_epi64(_mm512_permutexvar_epi64(next, v), left1),
			c = _mm512_sllv_epi64(_mm512_permutexvar_epi64(one, v), left2);

		_mm512_mask_storeu_epi8(out, bytes, _mm512_or_si512(_mm512_or_si512(a, b), c));
	}
	return i;
}

static bool wide(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"); }
#else
static size_t pack_low_wide(unsigned char *out, struct set s, unsigned low)
{
	return (void)out, (void)s, (void)low, (size_t)0;
}
static bool wide(void) { return false; }
#endif

static void pack(unsigned char *out, struct set s, unsigned low, bool wide)
{
	size_t done;

	if (low == RAW) {
		if (s.n)
			memcpy(out, s.p, s.n * 8);
		return;
	}
	memset(out + low_bytes(s.n, low) - 8, 0, 8);
	done = wide ? pack_low_wide(out, s, low) : 0;
	pack_low(out + done / 8 * low, (struct set){ s.p + done, s.n - done }, low);
	pack_high(out + low_bytes(s.n, low), s, low);
}

void pack_set(unsigned char *out, struct set s, unsigned low) { pack(out, s, low, wide()); }
void pack_set_narrow(unsigned char *out, struct set s, unsigned low) { pack(out, s, low, false); }

bool unpack_set(uint64_t *out, const unsigned char *p, size_t n, unsigned low)
{
	const unsigned char *high = p + low_bytes(n, low);
	size_t words = high_words(n, low), i = 0, at = 0;
	uint64_t mask;

	if (low == RAW) {
		memcpy(out, p, n * 8);
		return true;
	}
	mask = ((uint64_t)1 << low) - 1;
	for (size_t w = 0; w < words; w++) {
		uint64_t ones = get_u64(high + 8 * w);
		size_t base = 64 * w;

		if ((size_t)__builtin_popcountll(ones) > n - i)
			return false;
		for (; ones; ones &= ones - 1, i++, at += low) {
			uint64_t part = base + (unsigned)__builtin_ctzll(ones) - i;

			out[i] = part << low | (get_u64(p + (at >> 3)) >> (at & 7) & mask);
		}
	}
	return i == n;
}

/* ---- sets that are part of another ---- */

static size_t bitmap_bytes(size_t n_body) { return (n_body + 63) / 64 * 8; }
size_t part_bytes(size_t n_body, size_t n_extra) { return PART_HEAD + bitmap_bytes(n_body) + 8 * n_extra; }

/* The body's values, some at a time, from where they are: in memory, or packed. */
struct body_reader {
	struct set all; /* p is NULL: packed */
	struct set_view view;
	uint32_t i;
	uint64_t at, some[256];
};

static struct set body_read(struct body_reader *r)
{
	struct set got = r->all;

	if (got.p)
		r->all = (struct set){ got.p + got.n, 0 };
	else
		got =
		    (struct set){ r->some, set_view_read(r->view, &r->i, &r->at, UINT64_MAX, r->some, COUNT(r->some)) };
	return got;
}

/* A part in the making. */
struct part_writer {
	unsigned char *bits, *extra;
	size_t n_extra, most, k, j; /* k: next value of the body's set, j: of main */
};

/* Goes over some values of the body's set; false when there is no more room. */
static bool put_some(struct part_writer *w, struct set some, struct set main)
{
	for (size_t i = 0; i < some.n; i++, w->k++) {
		for (; w->j < main.n && main.p[w->j] < some.p[i]; w->j++) {
			if (w->n_extra == w->most)
				return false;
			memcpy(w->extra + 8 * w->n_extra++, &main.p[w->j], 8);
		}
		if (w->j < main.n && main.p[w->j] == some.p[i]) {
			w->bits[w->k / 8] |= (unsigned char)(1u << w->k % 8);
			w->j++;
		}
	}
	return true;
}

#if defined(__x86_64__)
/* The same, eight at a time as long as the two are equal.  Ends where few are left of either. */
__attribute__((target("avx512f,bmi"))) static bool put_equal(struct part_writer *w, struct set body, struct set main)
{
	size_t k = 0, j = 0;

	while (k + 16 <= body.n && j + 8 <= main.n) { /* two bytes of bits are there */
		unsigned equal =
			     _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(body.p + k), _mm512_loadu_si512(main.p + j)),
			 n = _tzcnt_u32(~equal);
		uint16_t two;

		memcpy(&two, w->bits + k / 8, 2);
		two = (uint16_t)(two | (equal & ~(equal + 1)) << k % 8);
		memcpy(w->bits + k / 8, &two, 2);
		k += n;
		j += n;
		if (n == 8)
			continue;
		if (main.p[j] > body.p[k]) {
			k++;
		} else {
			if (w->n_extra == w->most)
				return false;
			memcpy(w->extra + 8 * w->n_extra++, &main.p[j++], 8);
		}
	}
	w->k = k;
	w->j = j;
	return true;
}
#else
static bool put_equal(struct part_writer *w, struct set body, struct set main)
{
	return (void)w, (void)body, (void)main, true;
}
#endif

static size_t write_part(unsigned char *out, size_t room, struct body_reader *body, size_t n_body, struct set main,
			 bool wide)
{
	uint32_t head[2] = { (uint32_t)n_body, 0 };
	struct part_writer w = { .bits = out + PART_HEAD, .extra = out + PART_HEAD + bitmap_bytes(n_body) };

	if (room < part_bytes(n_body, 0))
		return 0;
	w.most = (room - part_bytes(n_body, 0)) / 8;
	memset(w.bits, 0, bitmap_bytes(n_body));
	if (wide && body->all.p) {
		if (!put_equal(&w, body->all, main))
			return 0;
		body->all = (struct set){ body->all.p + w.k, body->all.n - w.k };
	}
	for (struct set some; (some = body_read(body)).n;)
		if (!put_some(&w, some, main))
			return 0;
	if (main.n - w.j > w.most - w.n_extra)
		return 0;
	if (main.n > w.j)
		memcpy(w.extra + 8 * w.n_extra, main.p + w.j, (main.n - w.j) * 8);
	w.n_extra += main.n - w.j;
	head[1] = (uint32_t)w.n_extra;
	memcpy(out, head, sizeof head);
	return part_bytes(n_body, w.n_extra);
}

size_t pack_part(unsigned char *out, size_t room, struct set body, struct set_view packed, struct set main)
{
	struct body_reader from = { .all = body, .view = packed };

	return write_part(out, room, &from, body.p ? body.n : packed.n, main, wide());
}

size_t pack_part_narrow(unsigned char *out, size_t room, struct set body, struct set main)
{
	struct body_reader from = { .all = body };

	return write_part(out, room, &from, body.n, main, false);
}

struct part_reader {
	const unsigned char *body, *bits, *extra;
	uint32_t n_body, n_extra, e; /* e: the next value besides */
	uint64_t below, *out;
	uint32_t n, cap;
};

static bool part_put(struct part_reader *r, uint64_t x)
{
	if (r->n == r->cap || (x >= r->below && r->below != UINT64_MAX))
		return false;
	r->out[r->n++] = x;
	return true;
}

/* The values besides that are less than x. */
static bool part_put_extra(struct part_reader *r, uint64_t x)
{
	for (; r->e < r->n_extra && get_u64(r->extra + 8 * (size_t)r->e) < x; r->e++)
		if (!part_put(r, get_u64(r->extra + 8 * (size_t)r->e)))
			return false;
	return true;
}

/* How many of the first k values of the body's set are in it. */
static uint32_t part_rank(const struct part_reader *r, uint32_t k)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < k / 64; w++)
		n += (uint32_t)__builtin_popcountll(get_u64(r->bits + 8 * (size_t)w));
	if (k % 64)
		n += (uint32_t)__builtin_popcountll(get_u64(r->bits + k / 64 * (size_t)8) << (64 - k % 64));
	return n;
}

static bool part_has(const struct part_reader *r, uint32_t k) { return r->bits[k / 8] >> k % 8 & 1; }

/* *at: the high part of the next value of the body's set << 32 | its number. */
uint32_t part_read(struct set_view v, uint32_t *i, uint64_t *at, uint64_t below, uint64_t *out, uint32_t cap)
{
	const unsigned char *part = v.p - 1;
	struct part_reader r = {
		.n_body = get_u32(part), .n_extra = get_u32(part + 4), .below = below, .out = out, .cap = cap
	};
	unsigned low = low_bits(r.n_body);
	uint64_t mask = ((uint64_t)1 << (low & 63)) - 1, bit = (*at >> 32) + (uint32_t)*at, x;
	uint32_t k = (uint32_t)*at;
	bool open = true;

	r.body = part - set_bytes(r.n_body, low);
	r.bits = part + PART_HEAD;
	r.extra = r.bits + bitmap_bytes(r.n_body);
	r.e = *i - part_rank(&r, k);
	for (; low == RAW && k < r.n_body; k++)
		if (part_has(&r, k)) {
			x = get_u64(r.body + 8 * (size_t)k);
			if (!(open = part_put_extra(&r, x) && part_put(&r, x)))
				break;
		}
	for (size_t w = bit / 64, words = high_words(r.n_body, low); open && w < words && k < r.n_body; w++) {
		uint64_t ones = get_u64(r.body + low_bytes(r.n_body, low) + 8 * w);

		if (w == bit / 64)
			ones &= ~(uint64_t)0 << bit % 64;
		for (; ones && k < r.n_body; ones &= ones - 1, k++) {
			uint64_t from = (uint64_t)k * low;

			if (!part_has(&r, k))
				continue;
			bit = 64 * (uint64_t)w + (unsigned)__builtin_ctzll(ones);
			x = (bit - k) << low | (get_u64(r.body + (from >> 3)) >> (from & 7) & mask);
			if (!(open = part_put_extra(&r, x) && part_put(&r, x)))
				break;
		}
	}
	for (; open && r.e < r.n_extra; r.e++)
		if (!part_put(&r, get_u64(r.extra + 8 * (size_t)r.e)))
			break;
	*i += r.n;
	*at = (low == RAW ? 0 : bit - k) << 32 | k;
	return r.n;
}

/* ---- reading in parts ---- */

uint32_t set_view_read(struct set_view v, uint32_t *i, uint64_t *at, uint64_t below, uint64_t *out, uint32_t cap)
{
	unsigned low = low_bits(v.n);
	const unsigned char *high = v.p + low_bytes(v.n, low);
	uint64_t mask = ((uint64_t)1 << (low & 63)) - 1, x;
	uint32_t n = 0, k = *i;

	if (is_part(v))
		return part_read(v, i, at, below, out, cap);
	if (k == 0 && *at == 0 && below == UINT64_MAX && cap >= v.n && unpack_set(out, v.p, v.n, low))
		return *i = v.n;
	if (low == RAW) {
		for (; n < cap && k < v.n && ((x = get_u64(v.p + 8 * (size_t)k)) < below || below == UINT64_MAX);
		     n++, k++)
			out[n] = x;
		*i = k;
		return n;
	}
	for (size_t w = *at / 64, words = high_words(v.n, low); w < words && k < v.n; w++) {
		uint64_t ones = get_u64(high + 8 * w);

		if (w == *at / 64)
			ones &= ~(uint64_t)0 << *at % 64;
		for (; ones && k < v.n; ones &= ones - 1, k++) {
			uint64_t bit = 64 * (uint64_t)w + (unsigned)__builtin_ctzll(ones), from = (uint64_t)k * low;

			x = (bit - k) << low | (get_u64(v.p + (from >> 3)) >> (from & 7) & mask);
			if (n == cap || (x >= below && below != UINT64_MAX)) {
				*i = k;
				*at = bit;
				return n;
			}
			out[n++] = x;
		}
	}
	*i = k;
	return n;
}

void set_view_near(struct set_view v, uint32_t i, uint64_t at)
{
	unsigned low = low_bits(v.n);
	const unsigned char *high = v.p + low_bytes(v.n, low);

	if (is_part(v))
		return;
	__builtin_prefetch(low == RAW ? v.p + 8 * (size_t)i : v.p + ((uint64_t)i * low >> 3));
	if (low != RAW)
		__builtin_prefetch(high + at / 64 * 8);
}
