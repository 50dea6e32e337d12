/* fulltext/gather.h -- the words of one stretch of a text, each with its places.
 *
 *	gather_open(&g, bytes);
 *	i = gather_words(&g, &reader, i);   // of each batch, until all of it is taken or the stretch is full
 *	gather_close(&g);
 *	for each of g.terms: gather_key(&g, t), t->n numbers at gather_gaps(&g, t)
 *	gather_release(&g);
 *
 * A page says most of its words several times, so the large tables of a builder
 * are asked once for each word of a page instead of once for each occurrence.
 * What is here is as small as the stretch and stays in the nearest caches.
 * Two terms are one when their bytes are equal, not when their hashes are.
 */
#ifndef WINNOW_FULLTEXT_GATHER_H
#define WINNOW_FULLTEXT_GATHER_H
#include "base/vec.h"
#include "text/word.h"

#define GATHER_MOST 16384 /* occurrences in a stretch; places and numbers of terms are 16 bits */

struct gathered {
	uint64_t hash, first[2]; /* first: the first sixteen bytes, padded with zeros */
	uint32_t key_at;	 /* of a longer key */
	uint16_t key_n, n;	 /* n: occurrences */
	uint16_t at, last;	 /* private; closed: where its gaps end, its last place */
};

struct gather {
	VEC(struct gathered) terms;
	size_t n; /* occurrences */
	/* private */
	VEC(char) keys;
	uint32_t *slots; /* 16 bits of the hash, number of the term + 1; 0 is free */
	size_t slots_n, slots_cap;
	uint16_t *terms_of, *gaps; /* of each occurrence: its term; closed, by term: the gaps */
};

void gather_open(struct gather *g, size_t bytes); /* bytes: about how long the stretch will be */
/* Takes the reader's terms from the first on; returns the one that did not fit, or how many there are. */
size_t gather_words(struct gather *g, const struct word_reader *r, size_t first);
void gather_close(struct gather *g);
void gather_release(struct gather *g);

static inline struct str gather_key(const struct gather *g, const struct gathered *t)
{
	return (struct str){ t->key_n > 16 ? g->keys.p + t->key_at : (const char *)t->first, t->key_n };
}
/* The first place, then how many places lie between each and the one before. */
static inline const uint16_t *gather_gaps(const struct gather *g, const struct gathered *t)
{
	return g->gaps + t->at - t->n;
}
#endif
