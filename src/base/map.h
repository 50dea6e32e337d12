/* base/map.h -- open-addressing tables: 64-bit keys, and strings to numbers.
 *
 * struct map: u64 -> u64, any key allowed.  struct intern: str -> dense id,
 * in order of first sight; the strings are copied.  Zero-initialised is empty.
 */
#ifndef WINNOW_BASE_MAP_H
#define WINNOW_BASE_MAP_H
#include "base/arena.h"

struct map_slot {
	uint64_t key, value;
	bool used;
};
struct map {
	struct map_slot *slots;
	size_t n, cap; /* cap is a power of two or 0 */
};

uint64_t *map_get(const struct map *m, uint64_t key);		/* NULL when absent; until the next put */
uint64_t *map_put(struct map *m, uint64_t key, uint64_t value); /* inserts if absent; the slot's value */
void map_release(struct map *m);

struct intern {
	struct arena arena;
	struct str *strs; /* by id */
	uint64_t *hashes;
	uint32_t *slots; /* id + 1, 0 = free */
	size_t n, cap, strs_cap;
};

uint32_t intern_id(struct intern *t, struct str s); /* id, made if new */
bool intern_find(const struct intern *t, struct str s, uint32_t *id);
void intern_release(struct intern *t);
#endif
