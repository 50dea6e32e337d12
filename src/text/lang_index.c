/* text/lang_index.c -- see lang_index.h. */
#include "text/lang_index.h"

#include <pthread.h>

#include "base/log.h"
#include "base/vec.h"
#include "text/lang_table.h"

_Static_assert(COUNT(lang_scripts) == LANG_SCRIPTS, "lang_index.h counts the scripts of lang_table.h");
const struct lang_script *const lang_script_tables = lang_scripts;
const double lang_steps = LANG_STEPS;

const struct lang_range lang_ranges[RANGES] = {
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

struct lang_index lang_tables;
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void add_code(const char *code)
{
	size_t at = 0;

	while (at < lang_tables.n_codes && strcmp(lang_tables.codes[at], code) < 0)
		at++;
	if (at < lang_tables.n_codes && strcmp(lang_tables.codes[at], code) == 0)
		return;
	memmove(&lang_tables.codes[at + 1], &lang_tables.codes[at],
		(lang_tables.n_codes - at) * sizeof *lang_tables.codes);
	lang_tables.codes[at] = code;
	lang_tables.n_codes++;
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

		while (!take_slots(script, &sharers[i], &lang_tables.slots[lookup->first], lookup->down, factor))
			if ((factor += 2) > UINT16_MAX)
				BUG("%s: groups that fit nowhere", script->name);
		lang_tables.factors[lookup->factors + sharers[i].number] = (uint16_t)factor;
	}
	mem_free(sharers);
}

static void index_script(size_t s, uint32_t *room)
{
	const struct lang_script *script = &lang_scripts[s];
	uint32_t size = 16;

	for (size_t i = 0; i < script->n_letters; i++) {
		lang_tables.script[script->letters[i].point] = (uint8_t)(SCRIPT_TABLE + s);
		lang_tables.number[script->letters[i].point] = script->letters[i].number;
		if (script->letters[i].point < 128)
			lang_tables.ascii[script->letters[i].point] = script->letters[i].number | ASCII_LETTER;
	}
	while (size < 2 * script->n_keys)
		size *= 2;
	if (*room + size > SLOTS)
		BUG("%s: %zu groups are more than there is room for", script->name, script->n_keys);
	lang_tables.lookups[s] = (struct lookup){ .first = *room,
						  .down = 32 - (uint32_t)__builtin_ctz(size),
						  .factors = *room >> SHARE_BITS,
						  .share = 64 - (uint32_t)__builtin_ctz(size >> SHARE_BITS) };
	index_keys(script, &lang_tables.lookups[s], size);
	*room += size;
	for (size_t i = 0; i < script->n_codes; i++)
		add_code(script->codes[i]);
}

/* Letters of a script that its alphabet has not, so that they join words. */
static void other_letters(uint32_t from, uint32_t to, size_t s)
{
	for (uint32_t p = from; p <= to; p++)
		if (!lang_tables.script[p]) {
			lang_tables.script[p] = (uint8_t)(SCRIPT_TABLE + s);
			lang_tables.number[p] = LETTER_OTHER;
		}
}

static void tables_fill(void)
{
	uint32_t room = 0;

	for (unsigned c = 0; c < 128; c++)
		lang_tables.ascii[c] = ascii_digit((char)c) ? WORD_MARK | ASCII_DIGIT : WORD_MARK;
	for (size_t s = 0; s < COUNT(lang_scripts); s++)
		index_script(s, &room);
	for (unsigned c = 0; c < 128; c++) /* what a lang_memo takes for granted */
		if (!(lang_tables.ascii[c] & ASCII_LETTER) != !ascii_alpha((char)c) ||
		    (ascii_alpha((char)c) && lang_tables.ascii[c] != lang_tables.ascii[c | 0x20]))
			BUG("the table's ASCII letters are not A to Z and a to z");
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
	lang_tables.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif
	for (size_t i = 0; i < RANGES; i++) {
		for (uint32_t p = lang_ranges[i].from; p <= lang_ranges[i].to && p < RANGE_MAP_END; p++)
			if (!lang_tables.script[p])
				lang_tables.script[p] = (uint8_t)(SCRIPT_ONE + i);
		add_code(lang_ranges[i].code);
		while (strcmp(lang_ranges[lang_tables.first_of[i]].code, lang_ranges[i].code) != 0)
			lang_tables.first_of[i]++;
		lang_tables.han[i] = strcmp(lang_ranges[i].code, "zh") == 0 || strcmp(lang_ranges[i].code, "ja") == 0;
	}
}

void lang_index_once(void) { pthread_once(&tables_once, tables_fill); }
