/* text/lang_index.h -- the tables of lang_table.h, indexed: for lang.c alone. */
#ifndef WINNOW_TEXT_LANG_INDEX_H
#define WINNOW_TEXT_LANG_INDEX_H
#include "base/str.h"

#define COLUMNS 64
enum { LANG_SCRIPTS = 6 };

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
extern const struct lang_script *const lang_script_tables; /* LANG_SCRIPTS of them */
extern const double lang_steps;				   /* weights per nat */

/* Scripts of one language, and those that need a closer look. */
enum { SCRIPT_NONE = 0, SCRIPT_TABLE = 1, SCRIPT_ONE = SCRIPT_TABLE + LANG_SCRIPTS, RANGES = 31 };
struct lang_range {
	uint32_t from, to;
	const char *code;
	uint8_t ink; /* how many Latin letters one of its characters stands for */
};
extern const struct lang_range lang_ranges[RANGES];
enum { RANGE_MAP_END = 0x2000, SCRIPTS = SCRIPT_ONE + RANGES, WORD_MARK = 1, LETTER_OTHER = 255 };

/* Indexed once: which script a low code point is of, its number there, and the rows by key.
 *
 * Each key has a slot that no other has: its hash times an odd factor that keys with the same high bits of the hash share
 * and that was chosen so (hash and displace).  A look-up is one comparison. */
struct slot {
	uint32_t key; /* 0: none */
	uint32_t row;
};
enum { SLOTS = 1 << 16, SHARE_BITS = 3, ASCII_DIGIT = 0x100, ASCII_LETTER = 0x200 };
struct lang_index {
	uint8_t script[RANGE_MAP_END], number[RANGE_MAP_END];
	struct lookup {
		uint32_t first;	  /* of slots */
		uint32_t down;	  /* shift to a number of one */
		uint32_t factors; /* first of its factors */
		uint32_t share;	  /* shift of a hash to the bits that choose one */
	} lookups[LANG_SCRIPTS];
	struct slot slots[SLOTS]; /* power-of-two tables, half full at most, one behind another */
	uint16_t factors[SLOTS >> SHARE_BITS];
	uint16_t ascii[128]; /* number of a letter, else WORD_MARK; and what it is */
	const char *codes[192];
	size_t n_codes;
	uint8_t first_of[RANGES]; /* the first range of the same language */
	bool han[RANGES];	  /* Chinese or Japanese */
	bool avx2;		  /* what the processor has */
};
extern struct lang_index lang_tables;
void lang_index_once(void); /* before lang_tables is read */

static inline uint64_t key_hash64(uint64_t key) { return key * 0x9e3779b97f4a7c15u; }
static inline uint64_t key_hash(uint32_t key) { return key * 0x9e3779b97f4a7c15u; }
static inline uint32_t slot_of(uint64_t hash, uint32_t factor, uint32_t down)
{
	return (uint32_t)(hash >> 16) * factor >> down;
}
#endif
