/* text/entity.h -- named character references, matched a byte at a time.
 *
 *	struct entity_match m = ENTITY_START;
 *	while (more && entity_step(&m, c)) ;
 *	if (m.best) use entity_text(m.best), m.best_n bytes of name matched
 *
 * The table is sorted; a match is the range of names that still fit, so the
 * longest one wins and no byte is looked at twice.  A step is two binary
 * searches in that range.  Short names with their semicolon, which are almost
 * all that pages use, are found at once by hash.
 */
#ifndef WINNOW_TEXT_ENTITY_H
#define WINNOW_TEXT_ENTITY_H
#include "base/str.h"

struct entity_match {
	uint16_t lo, hi; /* names that begin with what was read */
	uint16_t n;	 /* bytes read */
	uint16_t best;	 /* 1 + number of the longest whole name, 0: none yet */
	uint16_t best_n;
};

void entity_start(struct entity_match *m);
bool entity_step(struct entity_match *m, char c); /* false: no name goes on with c, which is not taken */
/* The whole name at p that ends with ';' within eight bytes, all of which may be read, and its
 * length: as best above; 0: none such, and no name at all begins there when the length is 0. */
uint16_t entity_short(const char *p, size_t *length);
struct str entity_text(uint16_t best); /* static UTF-8 */

/* The code point a numeric reference stands for (windows-1252 for C1, U+FFFD
 * for what cannot be); *error is its code of the standard or NULL. */
uint32_t entity_number(uint32_t n, const char **error);
#endif
