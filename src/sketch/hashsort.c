/* sketch/hashsort.c -- see hashsort.h.
 *
 * The hashes are uniform, so one pass that scatters them by their leading bits into two to four times as many buckets
 * as there are values leaves most of them alone in theirs, in order; a last pass over all puts those right that are
 * not, drops what is repeated, and seldom guesses a branch wrong.  Long arrays are first cut by 8 bits, to stay in the
 * cache.  Values that share leading bits without being equal would make that last pass slow: it gives up after a few
 * moves a value, and a three-way quicksort, which is linear in repeated values, does it.
 */
#include "sketch/hashsort.h"

#include <string.h>

#define SMALL 24	      /* sorted by insertion alone */
#define LARGE ((size_t)16384) /* more are cut by 8 bits first; at most 2^15, for places to fit 16 bits */
#define MOVES 8		      /* a value, then it is no accident */

typedef uint16_t lanes __attribute__((vector_size(16)));

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

static size_t unique(uint64_t *v, size_t n)
{
	size_t m = 0;

	for (size_t i = 1; i < n; i++) {
		m += v[i] != v[m];
		v[m] = v[i];
	}
	return n ? m + 1 : 0;
}

static size_t by_comparison(uint64_t *v, size_t n, bool repeated)
{
	quick3(v, n);
	return repeated ? n : unique(v, n);
}

/* Counts become the places where their buckets begin: eight at a time.  n is a multiple of eight. */
static void count_to_place(uint16_t *count, size_t n)
{
	const lanes none = { 0 };
	lanes before = { 0 };

	for (size_t i = 0; i < n; i += 8) {
		lanes own, sum;

		memcpy(&own, count + i, sizeof own);
		sum = own + __builtin_shufflevector(none, own, 0, 8, 9, 10, 11, 12, 13, 14);
		sum += __builtin_shufflevector(none, sum, 0, 0, 8, 9, 10, 11, 12, 13);
		sum += __builtin_shufflevector(none, sum, 0, 0, 0, 0, 8, 9, 10, 11);
		own = before + sum - own;
		memcpy(count + i, &own, sizeof own);
		before += __builtin_shufflevector(sum, sum, 7, 7, 7, 7, 7, 7, 7, 7);
	}
}

/* from[0..n), nearly in order, to out[0..m) in order; m, or 0 after too many moves, then only from is whole. */
static size_t settle(const uint64_t *from, size_t n, uint64_t *out, bool repeated)
{
	size_t m = 0, moves = MOVES * n;
	uint64_t last = from[0];

	out[0] = last;
	for (size_t i = 1; i < n; i++) {
		uint64_t x = from[i];

		if (x >= last) {
			m += (x != last) | repeated;
			out[m] = last = x;
		} else {
			size_t at = m;

			while (at > 0 && out[at - 1] > x)
				at--;
			if (m - at >= moves)
				return 0;
			moves -= m - at;
			if (!repeated && at > 0 && out[at - 1] == x)
				continue;
			m++;
			for (size_t j = m; j > at; j--)
				out[j] = out[j - 1];
			out[at] = x;
		}
	}
	return m + 1;
}

/* At most LARGE values whose leading `used` bits are equal. */
static size_t sort_some(uint64_t *v, size_t n, uint64_t *scratch, unsigned used, bool repeated)
{
	uint16_t place[2 * LARGE];
	unsigned bits = 4, shift;
	size_t m;

	while ((size_t)1 << bits < 2 * n)
		bits++;
	shift = 64 - bits;
	memset(place, 0, sizeof *place << bits);
	for (size_t i = 0; i < n; i++)
		place[v[i] << used >> shift]++;
	count_to_place(place, (size_t)1 << bits);
	for (size_t i = 0; i < n; i++)
		scratch[place[v[i] << used >> shift]++] = v[i];
	m = settle(scratch, n, v, repeated);
	if (m)
		return m;
	memcpy(v, scratch, n * sizeof *v);
	return by_comparison(v, n, repeated);
}

static size_t sort_bits(uint64_t *v, size_t n, uint64_t *scratch, unsigned used, bool repeated)
{
	size_t end[256] = { 0 }, at = 0, m = 0;

	if (n <= SMALL || used >= 48)
		return by_comparison(v, n, repeated);
	if (n <= LARGE)
		return sort_some(v, n, scratch, used, repeated);
	for (size_t i = 0; i < n; i++)
		end[v[i] << used >> 56]++;
	for (size_t b = 0; b < 256; b++) {
		size_t count = end[b];

		end[b] = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		scratch[end[v[i] << used >> 56]++] = v[i];
	for (size_t b = 0, begin = 0; b < 256; begin = end[b++]) {
		size_t left = end[b] - begin;

		if (left > n - n / 8) /* more of the same bits would not cut it either */
			left = by_comparison(scratch + begin, left, repeated);
		else
			left = sort_bits(scratch + begin, left, v + begin, used + 8, repeated);
		memcpy(v + m, scratch + begin, left * sizeof *v);
		m += left;
	}
	return m;
}

size_t hashsort(uint64_t *v, size_t n, uint64_t *scratch, bool repeated)
{
	return sort_bits(v, n, scratch, 0, repeated);
}

size_t hashsort_in_place(uint64_t *v, size_t n, uint64_t *scratch, size_t n_scratch, bool repeated)
{
	size_t at[256] = { 0 }, end[256], sum = 0, m = 0;

	for (size_t i = 0; i < n; i++)
		at[v[i] >> 56]++;
	for (size_t b = 0; b < 256; b++) {
		sum += at[b];
		end[b] = sum;
		at[b] = sum - at[b];
	}
	for (size_t b = 0; b < 256; b++) /* each value goes where it belongs, and what was there takes its turn */
		while (at[b] < end[b]) {
			uint64_t x = v[at[b]];

			for (size_t to; (to = x >> 56) != b;) {
				uint64_t other = v[at[to]];

				v[at[to]++] = x;
				x = other;
			}
			v[at[b]++] = x;
		}
	for (size_t b = 0, begin = 0; b < 256; begin = end[b++]) {
		size_t left = end[b] - begin;

		left = left <= n_scratch ? sort_bits(v + begin, left, scratch, 8, repeated)
					 : by_comparison(v + begin, left, repeated);
		memmove(v + m, v + begin, left * sizeof *v);
		m += left;
	}
	return m;
}

/* The first index from `at` on whose value is not less than x, by steps that double. */
static size_t not_less(const uint64_t *v, size_t at, size_t n, uint64_t x)
{
	size_t step = 1, end;

	while (at + step <= n && v[at + step - 1] < x) {
		at += step;
		step *= 2;
	}
	end = at + step <= n ? at + step - 1 : n;
	while (at < end) {
		size_t middle = at + (end - at) / 2;

		if (v[middle] < x)
			at = middle + 1;
		else
			end = middle;
	}
	return at;
}

size_t hashsort_unite(uint64_t *out, const uint64_t *a, size_t na, const uint64_t *b, size_t nb)
{
	size_t i = 0, j = 0, n = 0;

	if (na < nb)
		return hashsort_unite(out, b, nb, a, na);
	if (nb < na / 16) /* stretches of the longer one between values of the shorter are copied whole */
		for (; j < nb; j++) {
			size_t from = i;

			i = not_less(a, i, na, b[j]);
			memcpy(out + n, a + from, (i - from) * sizeof *out);
			n += i - from;
			out[n++] = b[j];
			i += i < na && a[i] == b[j];
		}
	while (i < na && j < nb) {
		uint64_t x = a[i], y = b[j];

		out[n++] = x < y ? x : y;
		i += x <= y;
		j += y <= x;
	}
	if (i < na)
		memcpy(out + n, a + i, (na - i) * sizeof *out);
	n += na - i;
	if (j < nb)
		memcpy(out + n, b + j, (nb - j) * sizeof *out);
	return n + nb - j;
}
