/* sketch/shingle.c -- see shingle.h.
 *
 * hash of a shingle = mix64(sum over i of t[i] * multiplier[i]), where t[i] is
 * the hash of its i-th term: a direct sum beats a rolling hash, whose recurrence
 * is one long chain of dependent multiplications.
 *
 * Sorting: the hashes are uniform, so one pass that scatters them by their
 * leading bits leaves buckets of a few values, and one insertion sort over all
 * of them ends it.  Long arrays are first cut by 8 bits, to stay in the cache.
 * Values that repeat make full buckets; those go to a three-way quicksort,
 * which is linear in repeated values.
 */
#include "sketch/shingle.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/utf8.h"

#define GOLDEN 0x9e3779b97f4a7c15U
#define WINDOW 4096 /* term hashes looked at together */
#define SMALL 24    /* sorted by insertion alone */
#define LARGE 16384 /* cut by 8 bits first: what is left fits the first caches */
#define FULL 48	    /* a bucket with more is no accident */

struct window {
	uint64_t multiplier[LIMIT_SHINGLE_K];
	uint64_t t[WINDOW + LIMIT_SHINGLE_K];
	size_t n, made; /* hashes in t; shingles so far */
	unsigned k;
};

int shingle_check(struct shingle_spec spec, struct err *err)
{
	if (spec.k < 1 || spec.k > LIMIT_SHINGLE_K)
		return err_set(err, WN_USAGE, "a shingle of %u %s is not possible: k is 1 to %u", spec.k,
			       spec.unit == SHINGLE_CHAR ? "characters" : "words", (unsigned)LIMIT_SHINGLE_K);
	return WN_OK;
}

static uint64_t *room(uint64_t **p, size_t *cap, size_t want)
{
	if (want > *cap) {
		size_t grown = *cap + *cap / 2 + WINDOW;

		*cap = grown > want ? grown : want;
		*p = mem_rearray(*p, *cap, sizeof **p);
	}
	return *p;
}

/* Shingles of all whole windows of w->t; its last k - 1 hashes stay. */
static void slide(struct window *w, struct shingler *s)
{
	const uint64_t *t = w->t, *m = w->multiplier;
	size_t n = w->n >= w->k ? w->n - w->k + 1 : 0;
	uint64_t *out;

	if (!n)
		return;
	out = room(&s->hashes, &s->hashes_cap, w->made + n) + w->made;
	if (w->k == 5) {
		uint64_t m0 = m[0], m1 = m[1], m2 = m[2], m3 = m[3], m4 = m[4];

		for (size_t i = 0; i < n; i++)
			out[i] = mix64(t[i] * m0 + t[i + 1] * m1 + t[i + 2] * m2 + t[i + 3] * m3 + t[i + 4] * m4);
	} else {
		for (size_t i = 0; i < n; i++) {
			uint64_t sum = 0;

			for (unsigned j = 0; j < w->k; j++)
				sum += t[i + j] * m[j];
			out[i] = mix64(sum);
		}
	}
	w->made += n;
	memmove(w->t, w->t + n, (w->n - n) * sizeof *w->t);
	w->n -= n;
}

static inline void push(struct window *w, struct shingler *s, uint64_t t)
{
	if (w->n == WINDOW)
		slide(w, s);
	w->t[w->n++] = t;
}

static void push_words(struct window *w, struct shingler *s)
{
	const struct term *terms = s->words.terms;

	for (size_t i = 0, n = s->words.n; i < n;) {
		size_t take;

		if (w->n == WINDOW)
			slide(w, s);
		take = WINDOW - w->n < n - i ? WINDOW - w->n : n - i;
		for (size_t j = 0; j < take; j++)
			w->t[w->n + j] = terms[i + j].hash;
		w->n += take;
		i += take;
	}
}

static void push_chars(struct window *w, struct shingler *s, bool first)
{
	for (size_t i = 0; i < s->words.n; i++) {
		struct str term = word_bytes(&s->words, i);
		const char *p = term.p, *end = p + term.n;

		if (!first)
			push(w, s, word_hash_step(WORD_SEED, ' '));
		first = false;
		while (p < end) {
			uint32_t cp;

			p += utf8_decode(p, end, &cp);
			push(w, s, word_hash_step(WORD_SEED, cp));
		}
	}
}

static void insertion(uint64_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = v[i];
		size_t j = i;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

/* Dijkstra's three-way partition: repeated values are done in one round. */
static void quick3(uint64_t *v, size_t n)
{
	while (n > SMALL) {
		uint64_t a = v[0], b = v[n / 2], c = v[n - 1], pivot;
		size_t low = 0, i = 0, high = n;

		pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
		while (i < high) {
			uint64_t x = v[i];

			if (x < pivot) {
				v[i++] = v[low];
				v[low++] = x;
			} else if (x > pivot) {
				v[i] = v[--high];
				v[high] = x;
			} else {
				i++;
			}
		}
		if (low < n - high) {
			quick3(v, low);
			v += high;
			n -= high;
		} else {
			quick3(v + high, n - high);
			n = low;
		}
	}
	insertion(v, n);
}

/* Sorts from[0..n) into to[0..n), whose leading `used` bits are equal; from is used as scratch. */
static void sort_into(uint64_t *from, uint64_t *to, size_t n, unsigned used)
{
	uint32_t count[LARGE / 2 + 1];
	unsigned bits = 1, fullest = 0;
	size_t at = 0;

	if (!n)
		return;
	if (n <= SMALL || used >= 48 || n > UINT32_MAX) {
		memcpy(to, from, n * sizeof *to);
		quick3(to, n);
		return;
	}
	if (n > LARGE)
		bits = 8;
	else
		while ((size_t)4 << bits <= n) /* two to four values a bucket */
			bits++;
	memset(count, 0, sizeof *count << bits);
	for (size_t i = 0; i < n; i++)
		count[from[i] << used >> (64 - bits)]++;
	for (size_t b = 0; b < (size_t)1 << bits; b++) {
		uint32_t c = count[b];

		fullest = c > fullest ? c : fullest;
		count[b] = (uint32_t)at;
		at += c;
	}
	for (size_t i = 0; i < n; i++)
		to[count[from[i] << used >> (64 - bits)]++] = from[i];
	if (n > LARGE || fullest > FULL) { /* count[b] is now where bucket b ends */
		for (size_t b = 0, begin = 0; b < (size_t)1 << bits; begin = count[b++]) {
			size_t m = count[b] - begin;

			if (n > LARGE && m <= n - n / 8) {
				memcpy(from + begin, to + begin, m * sizeof *to);
				sort_into(from + begin, to + begin, m, used + bits);
			} else if (m > SMALL) {
				quick3(to + begin, m);
			}
		}
	}
	if (n <= LARGE)
		insertion(to, n);
}

static size_t unique(const uint64_t *from, size_t n, uint64_t *to)
{
	size_t m = 0;

	if (!n)
		return 0;
	for (size_t i = 0; i + 1 < n; i++) {
		to[m] = from[i];
		m += from[i] != from[i + 1];
	}
	to[m++] = from[n - 1];
	return m;
}

size_t shingle_sort_unique(uint64_t *v, size_t n, uint64_t *scratch)
{
	sort_into(v, scratch, n, 0);
	return unique(scratch, n, v);
}

/* The i-th occurrence of s, i > 0, becomes mix64(s + i * GOLDEN). */
static void number_occurrences(uint64_t *v, const uint64_t *sorted, size_t n)
{
	uint64_t i = 0;

	for (size_t at = 0; at < n; at++) {
		i = at > 0 && sorted[at] == sorted[at - 1] ? i + 1 : 0;
		v[at] = i ? mix64(sorted[at] + i * GOLDEN) : sorted[at];
	}
}

struct set shingle_text(struct shingler *s, struct str text)
{
	struct window w;
	size_t n;
	uint64_t *sorted;

	w.k = s->spec.k;
	w.n = w.made = 0;
	for (unsigned i = 0; i < w.k; i++)
		w.multiplier[i] = mix64((i + 1) * GOLDEN) | 1;
	s->terms = 0;
	word_open(&s->words, text);
	while (word_batch(&s->words)) {
		if (s->spec.unit == SHINGLE_CHAR)
			push_chars(&w, s, s->terms == 0);
		else
			push_words(&w, s);
		s->terms += s->words.n;
	}
	slide(&w, s);
	if (w.made == 0 && w.n > 0) { /* fewer than k: one shingle of all of them */
		uint64_t sum = 0;

		for (size_t i = 0; i < w.n; i++)
			sum += w.t[i] * w.multiplier[i];
		room(&s->hashes, &s->hashes_cap, 1)[0] = mix64(sum);
		w.made = 1;
	}
	n = w.made;
	sorted = room(&s->sorted, &s->sorted_cap, n);
	if (s->spec.bag) {
		sort_into(s->hashes, sorted, n, 0);
		number_occurrences(s->hashes, sorted, n);
	}
	if (n)
		n = shingle_sort_unique(s->hashes, n, sorted);
	return (struct set){ s->hashes, n };
}

void shingler_release(struct shingler *s)
{
	word_release(&s->words);
	mem_free(s->hashes);
	mem_free(s->sorted);
	*s = (struct shingler){ .spec = s->spec };
}

size_t set_shared(struct set a, struct set b)
{
	size_t i = 0, j = 0, n = 0;

	while (i < a.n && j < b.n) {
		uint64_t x = a.p[i], y = b.p[j];

		n += x == y;
		i += x <= y;
		j += y <= x;
	}
	return n;
}

bool set_check(struct set s, const char **reason)
{
	for (size_t i = 1; i < s.n; i++)
		if (s.p[i - 1] >= s.p[i]) {
			*reason = s.p[i - 1] == s.p[i] ? "a value twice" : "values out of order";
			return false;
		}
	return true;
}
