/* text/newline.h -- CR LF and CR become LF, for a whole page at once.
 *
 * Where the processor can put the kept bytes of 64 together (AVX-512 VBMI2),
 * lines cost nothing; elsewhere the bytes between two CRs are copied sixteen
 * at a time.  The twin of both is newline_slow; a test compares them.
 */
#ifndef WINNOW_TEXT_NEWLINE_H
#define WINNOW_TEXT_NEWLINE_H
#include "base/str.h"

#define NEWLINE_SLACK 64 /* bytes behind the result that may be written */

/* Each writes s to out, which has room for s.n + NEWLINE_SLACK bytes; returns how many it has become. */
size_t newline_unix(char *out, struct str s);
size_t newline_narrow(char *out, struct str s); /* as on any processor */
size_t newline_slow(char *out, struct str s);
#endif
