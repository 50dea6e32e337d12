/* text/word.h -- the terms of a text, profile uni-1.
 *
 * A term is a maximal run of letters, marks and digits (general categories L,
 * M, N of Unicode 15.0) in simple case folding; in Han, Hiragana, Katakana,
 * Thai, Lao, Khmer and Myanmar script (property Script) each letter or digit
 * is, with the marks behind it, a term of its own.  Everything else, ill-formed
 * UTF-8 included, separates.  docs/format/shingles.md has it byte by byte.
 *
 *	struct word_reader r = { 0 };
 *	word_open(&r, text);
 *	while (word_batch(&r))
 *		for (size_t i = 0; i < r.n; i++)
 *			use(r.terms[i].hash, word_bytes(&r, i));
 *	word_release(&r);
 *
 * Terms come in batches that stay in the cache, so a text of any length takes
 * little memory.  ASCII goes 64 bytes at a time (AVX2 where the processor has
 * it, a scalar twin elsewhere), all else by code point; the answer is the same.
 */
#ifndef WINNOW_TEXT_WORD_H
#define WINNOW_TEXT_WORD_H
#include "base/str.h"

#define WORD_PROFILE "uni-1"
#define WORD_BATCH 2048 /* a batch ends once it has this many terms */

struct term {
	uint64_t hash;	/* word_hash() of the folded bytes */
	uint32_t at, n; /* where those are in the reader's folded[] */
};

struct word_reader {
	/* this batch */
	struct term *terms;
	size_t n;
	char *folded;
	/* private */
	const char *p, *end;
	size_t folded_n, folded_cap, open_at;
	int state;
	int force; /* tests: 1 scalar, 2 AVX2 */
};

void word_open(struct word_reader *r, struct str text); /* r may be reused; text is borrowed until the last batch */
bool word_batch(struct word_reader *r);			/* false: no more terms */
void word_release(struct word_reader *r);
static inline struct str word_bytes(const struct word_reader *r, size_t i)
{
	return (struct str){ r->folded + r->terms[i].at, r->terms[i].n };
}

/* The 64-bit hash of a term's folded bytes: h = WORD_SEED; for each 8 bytes
 * (little-endian, the last padded with zeros) m = (h ^ w) * WORD_MUL in 128
 * bits, h = low half of m ^ high half of m. */
#define WORD_SEED 0x2545f4914f6cdd1dU
#define WORD_MUL 0x9fb21c651e98df25U
uint64_t word_hash(struct str folded);
static inline uint64_t word_hash_step(uint64_t h, uint64_t w)
{
	unsigned __int128 m = (unsigned __int128)(h ^ w) * WORD_MUL;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* One term after another with its place in the text: the slow and obvious
 * twin, for snippets and queries.  *rest is what is still to be read, folded
 * (base/buf.h) becomes the term's folded bytes, *source its bytes in the text.
 * False at the end. */
struct buf;
bool word_next(struct str *rest, struct buf *folded, struct str *source);
#endif
