/* sketch/shingle.c -- see shingle.h.
 *
 * hash of a shingle = mix64(sum over i of t[i] * multiplier[i]), where t[i] is
 * the hash of its i-th term: a direct sum beats a rolling hash, whose recurrence
 * is one long chain of dependent multiplications.
 *
 * A text and a part of it: shingles that lie within a range of the part are
 * shingles of both.  Three lists are sorted, those of both, of the whole alone
 * and of the part alone (over the seams of its ranges), and united in pairs.
 */
#include "sketch/shingle.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "sketch/hashsort.h"

#define GOLDEN 0x9e3779b97f4a7c15U
#define WINDOW 4096		 /* term hashes looked at together */
#define IN_PLACE_FROM (1u << 20) /* more are sorted in place: slower, with half of the memory */
#define PAIR_MOST (256 * KIB)	 /* bytes of text made in one piece with its part: 6 arrays of a number a term */

struct multipliers {
	uint64_t of[LIMIT_SHINGLE_K];
	unsigned k;
	bool wide; /* the processor multiplies eight at once */
};

struct window {
	struct multipliers m;
	uint64_t t[WINDOW + LIMIT_SHINGLE_K];
	size_t n, made; /* hashes in t; shingles so far */
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

/* Five terms, the usual case: as loops that a compiler makes the most of. */
static inline __attribute__((always_inline)) void hash_fives(const uint64_t *m, const uint64_t *t, size_t n,
							     uint64_t *out)
{
	uint64_t m0 = m[0], m1 = m[1], m2 = m[2], m3 = m[3], m4 = m[4];

	for (size_t i = 0; i < n; i++)
		out[i] = mix64(t[i] * m0 + t[i + 1] * m1 + t[i + 2] * m2 + t[i + 3] * m3 + t[i + 4] * m4);
}

#if defined(__x86_64__)
/* The same with multiplications of eight numbers at once. */
__attribute__((target("avx512f,avx512dq"))) static void hash_fives_wide(const uint64_t *m, const uint64_t *restrict t,
									size_t n, uint64_t *restrict out)
{
	hash_fives(m, t, n, out);
}

#endif

static bool wide(const struct shingler *s)
{
#if defined(__x86_64__)
	return !s->force_narrow && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
	return (void)s, false;
#endif
}

static void multipliers_fill(struct multipliers *m, const struct shingler *s)
{
	m->k = s->spec.k;
	m->wide = wide(s);
	for (unsigned i = 0; i < m->k; i++)
		m->of[i] = mix64((i + 1) * GOLDEN) | 1;
}

/* Shingles of the n windows that begin at t[0..n). */
static void hash_windows(const struct multipliers *m, const uint64_t *t, size_t n, uint64_t *out)
{
	if (m->k == 5) {
#if defined(__x86_64__)
		if (m->wide) {
			hash_fives_wide(m->of, t, n, out);
			return;
		}
#endif
		hash_fives(m->of, t, n, out);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = 0;

		for (unsigned j = 0; j < m->k; j++)
			sum += t[i + j] * m->of[j];
		out[i] = mix64(sum);
	}
}

/* Shingles of all whole windows of w->t; its last k - 1 hashes stay. */
static void slide(struct window *w, struct shingler *s)
{
	size_t n = w->n >= w->m.k ? w->n - w->m.k + 1 : 0;

	if (!n)
		return;
	hash_windows(&w->m, w->t, n, room(&s->hashes, &s->hashes_cap, w->made + n) + w->made);
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

/* v is sorted.  The i-th occurrence of s, i > 0, becomes mix64(s + i * GOLDEN). */
static void number_occurrences(uint64_t *v, size_t n)
{
	uint64_t i = 0, before = 0;

	for (size_t at = 0; at < n; at++) {
		uint64_t own = v[at];

		i = at > 0 && own == before ? i + 1 : 0;
		v[at] = i ? mix64(own + i * GOLDEN) : own;
		before = own;
	}
}

static size_t sort_hashes(struct shingler *s, size_t n, bool repeated)
{
	size_t some = n / 64;

	if (n < IN_PLACE_FROM)
		return hashsort(s->hashes, n, room(&s->sorted, &s->sorted_cap, n), repeated);
	return hashsort_in_place(s->hashes, n, room(&s->sorted, &s->sorted_cap, some), some, repeated);
}

struct set shingle_text(struct shingler *s, struct str text)
{
	struct window w;
	size_t n;

	multipliers_fill(&w.m, s);
	w.n = w.made = 0;
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
			sum += w.t[i] * w.m.of[i];
		room(&s->hashes, &s->hashes_cap, 1)[0] = mix64(sum);
		w.made = 1;
	}
	n = w.made;
	if (s->spec.bag) {
		sort_hashes(s, n, true);
		number_occurrences(s->hashes, n);
	}
	n = sort_hashes(s, n, false);
	return (struct set){ s->hashes, n };
}

/* ---- a text and a part of it ---- */

static bool separates(char c) { return (unsigned char)c < 0x80 && !ascii_alpha(c) && !ascii_digit(c); }

/* Whether no term lies on both sides of a place. */
static bool between_terms(struct str text, size_t at)
{
	return at == 0 || at == text.n || separates(text.p[at - 1]) || separates(text.p[at]);
}

static size_t add_terms(struct shingler *s, const char *from, const char *end, size_t n)
{
	word_open(&s->words, (struct str){ from, (size_t)(end - from) });
	while (from < end && word_batch(&s->words)) {
		uint64_t *t = room(&s->t, &s->t_cap, n + s->words.n) + n;

		for (size_t i = 0; i < s->words.n; i++)
			t[i] = s->words.terms[i].hash;
		n += s->words.n;
	}
	return n;
}

/* The terms of the whole text in s->t; s->ends has where those of each range begin and end. */
static size_t terms_of_ranges(struct shingler *s, struct str text, const struct main_range *ranges, size_t n_ranges)
{
	uint64_t *ends = room(&s->ends, &s->ends_cap, 2 * n_ranges);
	size_t n = 0, at = 0;

	for (size_t i = 0; i < n_ranges; i++) {
		ends[2 * i] = n = add_terms(s, text.p + at, text.p + ranges[i].start, n);
		at = ranges[i].end;
		ends[2 * i + 1] = n = add_terms(s, text.p + ranges[i].start, text.p + at, n);
	}
	return add_terms(s, text.p + at, text.p + text.n, n);
}

/* Shingles of the part that begin before range i and end in it.  tail: the part's last *n_tail terms, fewer than k. */
static size_t over_seam(const struct shingler *s, const struct multipliers *m, size_t i, uint64_t *tail, size_t *n_tail,
			uint64_t *out)
{
	size_t terms = (size_t)(s->ends[2 * i + 1] - s->ends[2 * i]), k = s->spec.k;
	size_t head = terms < k - 1 ? terms : k - 1, n = *n_tail + head, made = n < k ? 0 : n - k + 1;

	memcpy(tail + *n_tail, s->t + s->ends[2 * i], head * sizeof *tail);
	hash_windows(m, tail, made, out);
	if (terms >= k - 1) {
		memcpy(tail, s->t + s->ends[2 * i + 1] - (k - 1), (k - 1) * sizeof *tail);
		*n_tail = k - 1;
	} else {
		*n_tail = n < k - 1 ? n : k - 1;
		memmove(tail, tail + n - *n_tail, *n_tail * sizeof *tail);
	}
	return made;
}

bool shingle_with_part(struct shingler *s, struct str text, const struct main_range *ranges, size_t n_ranges,
		       struct set *whole, struct set *part)
{
	size_t k = s->spec.k, n, n_part = 0, n_both = 0, at_both = 0, at_whole, at_part, n_windows, at = 0, n_tail = 0;
	uint64_t tail[2 * LIMIT_SHINGLE_K], *v, *sorted;
	struct multipliers m;

	if (s->spec.unit != SHINGLE_WORD || s->spec.bag || !n_ranges || text.n > PAIR_MOST)
		return false;
	for (size_t i = 0; i < n_ranges; i++)
		if (!between_terms(text, ranges[i].start) || !between_terms(text, ranges[i].end))
			return false;
	n = terms_of_ranges(s, text, ranges, n_ranges);
	for (size_t i = 0; i < n_ranges; i++) {
		size_t terms = (size_t)(s->ends[2 * i + 1] - s->ends[2 * i]);

		n_part += terms;
		n_both += terms < k ? 0 : terms - k + 1;
	}
	if (n_part < k)
		return false;
	s->terms = n;
	n_windows = n - k + 1;
	multipliers_fill(&m, s);
	v = room(&s->hashes, &s->hashes_cap, n_windows + (n_part - k + 1 - n_both));
	at_whole = n_both;
	at_part = n_windows;
	for (size_t i = 0; i < n_ranges; i++) {
		size_t from = (size_t)s->ends[2 * i], terms = (size_t)s->ends[2 * i + 1] - from;

		at_part += over_seam(s, &m, i, tail, &n_tail, v + at_part);
		if (terms < k)
			continue;
		hash_windows(&m, s->t + at, from - at, v + at_whole);
		at_whole += from - at;
		hash_windows(&m, s->t + from, terms - k + 1, v + at_both);
		at_both += terms - k + 1;
		at = from + terms - k + 1;
	}
	hash_windows(&m, s->t + at, n_windows - at, v + at_whole);
	sorted = room(&s->sorted, &s->sorted_cap, n_windows + n_part - k + 1);
	*whole = (struct set){ v + n_both, hashsort(v + n_both, n_windows - n_both, sorted, false) };
	*part = (struct set){ v + n_windows, hashsort(v + n_windows, at_part - n_windows, sorted, false) };
	n_both = hashsort(v, n_both, sorted, false);
	whole->n = hashsort_unite(sorted, v, n_both, whole->p, whole->n);
	part->n = hashsort_unite(sorted + n_windows, v, n_both, part->p, part->n);
	whole->p = sorted;
	part->p = sorted + n_windows;
	return true;
}

void shingler_release(struct shingler *s)
{
	word_release(&s->words);
	mem_free(s->hashes);
	mem_free(s->sorted);
	mem_free(s->t);
	mem_free(s->ends);
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
