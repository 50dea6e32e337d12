/* text/entity.c -- see entity.h. */
#include "text/entity.h"

#include <pthread.h>

struct entity {
	char name[34];
	uint8_t n, text_n;
	char text[7];
};
#include "text/entity_table.h"

void entity_start(struct entity_match *m) { *m = (struct entity_match){ .lo = 0, .hi = COUNT(entity_table) }; }

/* First of [lo, hi) whose byte `at` is not below c; names that are shorter count as NUL. */
static uint16_t bound(uint16_t lo, uint16_t hi, unsigned at, unsigned char c)
{
	while (lo < hi) {
		uint16_t mid = (uint16_t)((lo + hi) / 2);

		if ((unsigned char)entity_table[mid].name[at] < c)
			lo = (uint16_t)(mid + 1);
		else
			hi = mid;
	}
	return lo;
}

bool entity_step(struct entity_match *m, char c)
{
	uint16_t lo, hi;

	if (c <= 0)
		return false;
	if (m->n == 0) {
		lo = entity_first[(unsigned char)c][0];
		hi = entity_first[(unsigned char)c][1];
	} else {
		lo = bound(m->lo, m->hi, m->n, (unsigned char)c);
		hi = bound(lo, m->hi, m->n, (unsigned char)(c + 1));
	}
	if (lo == hi)
		return false;
	m->lo = lo;
	m->hi = hi;
	m->n++;
	if (entity_table[lo].n == m->n) {
		m->best = (uint16_t)(lo + 1);
		m->best_n = m->n;
	}
	return true;
}

/* ---- short names by hash: the name is the key ---- */

#define SHORT_BITS 12
static struct {
	uint64_t name;
	uint16_t best;
} shorts[1 << SHORT_BITS];
static pthread_once_t shorts_once = PTHREAD_ONCE_INIT;

/* A bit for how each name begins: its first four letters, or all of a shorter one.  Most references that pages have not
 * escaped ("?a=1&format=2") begin like no name. */
#define START_BITS 13
static uint64_t starts[(1 << START_BITS) / 64];

static size_t short_slot(uint64_t name) { return (size_t)(name * 0x9E3779B97F4A7C15u >> (64 - SHORT_BITS)); }
static size_t start_slot(uint32_t letters) { return letters * 0x9E3779B1u >> (32 - START_BITS); }
static bool starts_one(uint32_t letters)
{
	size_t at = start_slot(letters);

	return starts[at / 64] >> at % 64 & 1;
}

/* Up to eight bytes, the first lowest. */
static uint64_t word_of(const char *p, size_t n)
{
	uint64_t word = 0;

	for (size_t i = 0; i < n; i++)
		word |= (uint64_t)(unsigned char)p[i] << 8 * i;
	return word;
}

static void shorts_fill(void)
{
	for (size_t i = 0; i < COUNT(entity_table); i++) {
		const struct entity *e = &entity_table[i];
		uint32_t letters = (uint32_t)word_of(e->name, e->n < 4 ? e->n : 4);

		starts[start_slot(letters) / 64] |= (uint64_t)1 << start_slot(letters) % 64;
		if (e->n > 8 || e->name[e->n - 1] != ';')
			continue;
		uint64_t name = word_of(e->name, e->n);
		size_t at = short_slot(name);

		while (shorts[at].best)
			at = (at + 1) & ((1u << SHORT_BITS) - 1);
		shorts[at].name = name;
		shorts[at].best = (uint16_t)(i + 1);
	}
}

/* Bit 7 of the first byte that is a semicolon, perhaps of later ones. */
static uint64_t semicolons(uint64_t bytes)
{
	bytes ^= 0x3b3b3b3b3b3b3b3bu;
	return (bytes - 0x0101010101010101u) & ~bytes & 0x8080808080808080u;
}

uint16_t entity_short(const char *p, size_t *length)
{
	uint64_t name = word_of(p, 8), ends = semicolons(name); /* one load where the first byte is the lowest */
	uint32_t four = (uint32_t)name;

	pthread_once(&shorts_once, shorts_fill);
	*length = 0;
	if (ends) {
		unsigned n = (unsigned)__builtin_ctzll(ends) / 8;
		uint64_t key = name & ~(uint64_t)0 >> (56 - 8 * n);

		for (size_t at = short_slot(key); shorts[at].best; at = (at + 1) & ((1u << SHORT_BITS) - 1))
			if (shorts[at].name == key)
				return *length = n + 1, shorts[at].best;
	}
	*length = starts_one(four) || starts_one(four & 0xFFFFFF) || starts_one(four & 0xFFFF);
	return 0;
}

struct str entity_text(uint16_t best) { return str_n(entity_table[best - 1].text, entity_table[best - 1].text_n); }

uint32_t entity_number(uint32_t n, const char **error)
{
	static const uint16_t c1[32] = { 0x20AC, 0,	 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
					 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,	 0x017D, 0,
					 0,	 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
					 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,	 0x017E, 0x0178 };

	*error = NULL;
	if (n == 0)
		return *error = "null-character-reference", 0xFFFD;
	if (n > 0x10FFFF)
		return *error = "character-reference-outside-unicode-range", 0xFFFD;
	if (n >= 0xD800 && n <= 0xDFFF)
		return *error = "surrogate-character-reference", 0xFFFD;
	if ((n >= 0xFDD0 && n <= 0xFDEF) || (n & 0xFFFE) == 0xFFFE)
		return *error = "noncharacter-character-reference", n;
	if (n == 0x0D || (n < 0x20 && n != '\t' && n != '\n' && n != '\f') || (n >= 0x7F && n <= 0x9F)) {
		*error = "control-character-reference";
		if (n >= 0x80 && n <= 0x9F && c1[n - 0x80])
			return c1[n - 0x80];
	}
	return n;
}
