/* text/tag.c -- a tag name to its number: one multiplication, one comparison.
 *
 * The key is the first eight bytes of the name, its last eight when it is
 * longer, and its length; tag_table.h has a multiplier under which no two names
 * share a slot. */
#include "text/tag_find.h"

const struct tag_info tag_info[TAG_COUNT] = { [TAG_OTHER] = { { "", 0 }, 0, OUTLINE_NONE },
#define X(id, name, flags, outline) [TAG_##id] = { { name, sizeof(name) - 1 }, flags, OUTLINE_##outline },
					      TAG_LIST(X)
#undef X
};

static uint64_t tag_key(const char *p, size_t n)
{
	uint64_t head = 0, tail = 0;

	if (n >= 8) {
		memcpy(&head, p, 8);
		if (n > 8)
			memcpy(&tail, p + n - 8, 8);
	} else if (n >= 4) {
		uint32_t lo, hi;

		memcpy(&lo, p, 4);
		memcpy(&hi, p + n - 4, 4);
		head = lo | (uint64_t)hi << (8 * (n - 4));
	} else if (n) {
		head = (uint8_t)p[0] | (uint64_t)(uint8_t)p[n / 2] << (8 * (n / 2)) |
		       (uint64_t)(uint8_t)p[n - 1] << (8 * (n - 1));
	}
	return head ^ tail * 31 ^ n;
}

enum tag tag_of(const char *lower, size_t n)
{
	if (n == 0 || n > 16)
		return TAG_OTHER;
	uint64_t key = tag_key(lower, n);
	unsigned slot = tag_slots[(key * TAG_HASH_MUL) >> (64 - TAG_HASH_BITS)];
	const struct tag_info *info = &tag_info[slot];

	if (key != tag_keys[slot] || info->name.n != n)
		return TAG_OTHER;
	/* up to eight bytes the key is the name */
	return n <= 8 || memcmp(info->name.p, lower, n) == 0 ? (enum tag)slot : TAG_OTHER;
}
