/* cover/layers.h -- rows of a block that reach each other, and what they reach.
 *
 * A row reaches the rows whose documents are its columns.  Under a rule like "not older" a layer is a number of documents
 * of one time, and reaches newer ones.
 */
#ifndef WINNOW_COVER_LAYERS_H
#define WINNOW_COVER_LAYERS_H
#include <stddef.h>

#include "cover/instance.h"

/* Strongly connected parts (Tarjan): numbered so that what a layer reaches has lower numbers. */
struct layers {
	uint32_t n, *of;	/* of: rows */
	uint32_t *first, *row;	/* rows of layer k: row[first[k] ...] */
	uint32_t *row_of;	/* cols: the row of the same name, or NONE */
	uint64_t **rows, **col; /* n, as bits: what it reaches, itself too */
};

void layers_find(struct arena *a, const struct instance *in, struct layers *l);

/* Sets as bits. */
static inline size_t bits_words(uint32_t n) { return n / 64 + 1; }
static inline void bits_set(uint64_t *x, uint32_t i) { x[i / 64] |= (uint64_t)1 << i % 64; }
static inline bool bits_has(const uint64_t *x, uint32_t i) { return x[i / 64] >> i % 64 & 1; }
void bits_unite(uint64_t *x, const uint64_t *y, size_t words);
uint32_t bits_count(const uint64_t *x, size_t words);
bool bits_contain(const uint64_t *x, const uint64_t *y, size_t words); /* all of y in x */
#endif
