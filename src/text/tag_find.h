/* text/tag_find.h -- a short tag name to its number, inline where every tag of a page passes. */
#ifndef WINNOW_TEXT_TAG_FIND_H
#define WINNOW_TEXT_TAG_FIND_H
#include "text/tag.h"
#include "text/tag_table.h"

/* By a lower-case name of at most eight bytes, first byte lowest, zeros behind it: the key is the name. */
static inline enum tag tag_of_word(uint64_t lower, size_t n)
{
	uint64_t key = lower ^ n;
	unsigned slot = tag_slots[(key * TAG_HASH_MUL) >> (64 - TAG_HASH_BITS)];

	return key == tag_keys[slot] && tag_info[slot].name.n == n ? (enum tag)slot : TAG_OTHER;
}
#endif
