/* fulltext/gather.c -- see gather.h.
 *
 * Each occurrence is looked up in a table of the stretch and its term's number
 * noted; when all are there, a counting sort by that number brings the places
 * of each term together.  Both go over arrays of a few KiB for a usual page.
 */
#include "fulltext/gather.h"

#include "base/limits.h"

#define SLOTS_LEAST 256
#define BYTES_A_SLOT 4 /* of text: some six slots for each different word */

static void slots_empty(struct gather *g, size_t n)
{
	if (n > g->slots_cap) {
		mem_free(g->slots);
		g->slots = mem_zarray(n, sizeof *g->slots);
		g->slots_cap = n;
	} else {
		memset(g->slots, 0, n * sizeof *g->slots);
	}
	g->slots_n = n;
}

void gather_open(struct gather *g, size_t bytes)
{
	size_t n = SLOTS_LEAST;

	if (!g->gaps) {
		g->terms_of = mem_array(GATHER_MOST, sizeof *g->terms_of);
		g->gaps = mem_array(GATHER_MOST + 1, sizeof *g->gaps); /* read in pairs */
	}
	while (n < 2 * GATHER_MOST && n < bytes / BYTES_A_SLOT)
		n *= 2;
	slots_empty(g, n);
	g->terms.n = g->keys.n = g->n = 0;
}

static inline uint32_t tag(uint64_t hash) { return (uint32_t)(hash >> 48) << 16; }

static void more_slots(struct gather *g)
{
	slots_empty(g, g->slots_n * 2);
	for (size_t i = 0; i < g->terms.n; i++) {
		size_t at = g->terms.p[i].hash & (g->slots_n - 1);

		while (g->slots[at])
			at = (at + 1) & (g->slots_n - 1);
		g->slots[at] = tag(g->terms.p[i].hash) | (uint32_t)(i + 1);
	}
}

/* The first sixteen bytes of a key, padded with zeros; there is room behind it, as terms of a word_reader have.
 * Lengths are as good as random, so they choose a mask, not a way. */
#define ONES(n) ((n) < 8 ? ((uint64_t)1 << 8 * ((n)&7)) - 1 : ~(uint64_t)0)
#define MASKS(n)                                   \
	{                                          \
		ONES(n), (n) < 8 ? 0 : ONES((n)-8) \
	}
static const uint64_t key_masks[17][2] = { MASKS(0),  MASKS(1),	 MASKS(2),  MASKS(3),  MASKS(4),  MASKS(5),
					   MASKS(6),  MASKS(7),	 MASKS(8),  MASKS(9),  MASKS(10), MASKS(11),
					   MASKS(12), MASKS(13), MASKS(14), MASKS(15), MASKS(16) };

/* A term that is looked for; by value, so that it stays in registers. */
struct wanted {
	uint64_t hash, first[2];
	struct str key;
};

static inline struct wanted wanted(struct str key, uint64_t hash)
{
	const uint64_t *masks = key_masks[key.n < 16 ? key.n : 16];
	uint64_t two[2];

	memcpy(two, key.p, sizeof two);
	return (struct wanted){ hash, { two[0] & masks[0], two[1] & masks[1] }, key };
}

/* Whether a term may be it: is, when the key has no more than sixteen bytes. */
static inline bool alike(const struct gathered *t, struct wanted w)
{
	return ((t->hash ^ w.hash) | (t->first[0] ^ w.first[0]) | (t->first[1] ^ w.first[1]) | (t->key_n ^ w.key.n)) ==
	       0;
}

static uint16_t new_term(struct gather *g, size_t slot, struct wanted w)
{
	size_t i = g->terms.n;
	struct gathered *t = vec_add(&g->terms);

	g->slots[slot] = tag(w.hash) | (uint32_t)(i + 1);
	t->hash = w.hash;
	t->first[0] = w.first[0];
	t->first[1] = w.first[1];
	t->key_n = (uint16_t)w.key.n;
	t->n = 0;
	t->last = UINT16_MAX;
	if (w.key.n > 16) {
		t->key_at = (uint32_t)g->keys.n;
		vec_reserve(&g->keys, g->keys.n + w.key.n);
		memcpy(g->keys.p + g->keys.n, w.key.p, w.key.n);
		g->keys.n += w.key.n;
	}
	if (2 * g->terms.n > g->slots_n)
		more_slots(g);
	return (uint16_t)i;
}

static __attribute__((noinline)) uint16_t find(struct gather *g, struct str key, uint64_t hash)
{
	size_t mask = g->slots_n - 1, at;
	struct wanted w;

	if (key.n > LIMIT_FT_TERM) {
		key.n = LIMIT_FT_TERM;
		hash = word_hash(key);
	}
	w = wanted(key, hash);
	for (at = hash & mask; g->slots[at]; at = (at + 1) & mask)
		if ((g->slots[at] & 0xffff0000U) == tag(hash)) {
			uint32_t i = (g->slots[at] & 0xffff) - 1;
			const struct gathered *t = &g->terms.p[i];

			if (alike(t, w) &&
			    (key.n <= 16 || memcmp(g->keys.p + t->key_at + 16, key.p + 16, key.n - 16) == 0))
				return (uint16_t)i;
		}
	return new_term(g, at, w);
}

size_t gather_words(struct gather *g, const struct word_reader *r, size_t first)
{
	size_t i = first, room = GATHER_MOST - g->n, end = r->n - first < room ? r->n : first + room;
	uint16_t *terms_of = g->terms_of + g->n;

	g->n += end - first;
	for (; i < end; i++) {
		struct str key = word_bytes(r, i);
		uint64_t hash = r->terms[i].hash;
		uint16_t term = (uint16_t)(g->slots[hash & (g->slots_n - 1)] - 1);

		/* most often the first slot has it; of a free one the number is that of no term */
		if (term >= g->terms.n || key.n > 16 || !alike(&g->terms.p[term], wanted(key, hash)))
			term = find(g, key, hash);
		*terms_of++ = term;
		g->terms.p[term].n++;
	}
	return i;
}

void gather_close(struct gather *g)
{
	size_t at = 0;

	for (size_t i = 0; i < g->terms.n; i++) {
		g->terms.p[i].at = (uint16_t)at;
		at += g->terms.p[i].n;
	}
	for (size_t i = 0; i < g->n; i++) {
		struct gathered *t = &g->terms.p[g->terms_of[i]];

		g->gaps[t->at++] = (uint16_t)(i - t->last - 1); /* the first: last is -1 */
		t->last = (uint16_t)i;
	}
}

void gather_release(struct gather *g)
{
	vec_release(&g->terms);
	vec_release(&g->keys);
	mem_free(g->slots);
	mem_free(g->terms_of);
	mem_free(g->gaps);
	*g = (struct gather){ 0 };
}
