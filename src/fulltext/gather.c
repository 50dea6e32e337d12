/* fulltext/gather.c -- see gather.h.
 *
 * Each occurrence is looked up in a table of the stretch and its term's number
 * noted; when all are there, a counting sort by that number brings the places
 * of each term together.  Both go over arrays of a few KiB for a usual page.
 */
#include "fulltext/gather.h"

#include "base/limits.h"

#define SLOTS_LEAST 256
#define BYTES_A_SLOT 8 /* of text: some two slots for each different word */
#define KEY_ROOM 16

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
		g->gaps = mem_array(GATHER_MOST, sizeof *g->gaps);
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

/* key.p has a word's room behind it, as terms of a word_reader do. */
static inline uint64_t key_start(struct str key)
{
	uint64_t w;

	memcpy(&w, key.p, 8);
	return key.n >= 8 ? w : w & (((uint64_t)1 << 8 * key.n) - 1);
}

static uint32_t new_term(struct gather *g, size_t slot, uint64_t hash, uint64_t start, struct str key)
{
	vec_push(&g->terms, ((struct gathered){ .hash = hash,
						.start = start,
						.key_at = (uint32_t)g->keys.n,
						.key_n = (uint16_t)key.n,
						.last = UINT16_MAX }));
	g->slots[slot] = tag(hash) | (uint32_t)g->terms.n;
	vec_reserve(&g->keys, g->keys.n + key.n + KEY_ROOM);
	memcpy(g->keys.p + g->keys.n, key.p, key.n);
	g->keys.n += key.n;
	return (uint32_t)g->terms.n - 1;
}

static inline uint32_t find(struct gather *g, uint64_t hash, struct str key)
{
	size_t mask = g->slots_n - 1, at = hash & mask;
	uint64_t start = key_start(key);

	for (; g->slots[at]; at = (at + 1) & mask)
		if ((g->slots[at] & 0xffff0000U) == tag(hash)) {
			uint32_t i = (g->slots[at] & 0xffff) - 1;
			const struct gathered *t = &g->terms.p[i];

			if (t->hash == hash && t->start == start && t->key_n == key.n &&
			    gather_same_rest(g->keys.p + t->key_at, key.p, key.n))
				return i;
		}
	return new_term(g, at, hash, start, key);
}

size_t gather_words(struct gather *g, const struct word_reader *r, size_t first)
{
	size_t i = first, room = GATHER_MOST - g->n, end = r->n - first < room ? r->n : first + room;

	for (; i < end; i++) {
		struct str key = word_bytes(r, i);
		uint64_t hash = r->terms[i].hash;
		uint32_t term;

		if (key.n > LIMIT_FT_TERM) {
			key.n = LIMIT_FT_TERM;
			hash = word_hash(key);
		}
		if (2 * g->terms.n >= g->slots_n)
			more_slots(g);
		term = find(g, hash, key);
		g->terms_of[g->n++] = (uint16_t)term;
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
