/* text/charset_pairs.h -- Big5, EUC-JP, EUC-KR, GB18030, Shift_JIS and ISO-2022-JP to UTF-8. */
#ifndef WINNOW_TEXT_CHARSET_PAIRS_H
#define WINNOW_TEXT_CHARSET_PAIRS_H
#include "base/arena.h"

/* s in the encoding that ICU calls `icu`; table: with our tables where there is one (false: the twin, ICU alone).
 * In the arena; *replaced is counted up by U+FFFD put in. */
struct str charset_pairs_decode(struct arena *a, const char *icu, struct str s, bool table, size_t *replaced);

/* The other way: as many letters of text, UTF-8, as the encoding has bytes for, from the first; *bytes of them in out, which
 * is as long as cap.  Returns how much of text that is; 0: not even the first. */
size_t charset_pairs_encode(const char *icu, struct str text, char *out, size_t cap, size_t *bytes);
#endif
