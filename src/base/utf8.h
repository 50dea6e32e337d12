/* base/utf8.h -- code points in and out of UTF-8. */
#ifndef WINNOW_BASE_UTF8_H
#define WINNOW_BASE_UTF8_H
#include "base/str.h"

/* Decodes one code point at p (p < end), stores it and returns the bytes used.
 * Ill-formed input gives U+FFFD and the length of the maximal subpart, as the
 * Encoding Standard does. */
size_t utf8_decode(const char *p, const char *end, uint32_t *cp);

/* Writes cp (any scalar value) to out[4], returns the length. */
size_t utf8_encode(uint32_t cp, char *out);

/* Length of the longest prefix of ASCII. */
size_t utf8_ascii(struct str s);

/* Length of the longest valid prefix; s.n when all of it is valid.  Fast on ASCII. */
size_t utf8_valid(struct str s);
#endif
