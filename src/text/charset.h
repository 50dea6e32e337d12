/* text/charset.h -- which encoding a payload is in, and its text as UTF-8.
 *
 * The order is that of browsers: byte order mark, HTTP charset, meta prescan
 * (first 1024 bytes) or XML declaration, then detection.  Labels are those of
 * the Encoding Standard; so latin1 and ascii mean windows-1252.
 *
 * A label is not believed where the bytes disprove it: a legacy label on a page
 * that is UTF-8 throughout, a seven-bit one on eight-bit text, or latin1 on
 * ISO-2022-JP.  Browsers show such pages garbled; here they are read, and
 * `lied` is set.  A page that says UTF-8 is always read as UTF-8.
 *
 * Decoding never fails: what cannot be decoded becomes U+FFFD and is counted.
 * UTF-8 that is valid is not copied.  Cost: one pass; single-byte encodings go
 * through a table of 128 entries, the others through ICU.
 */
#ifndef WINNOW_TEXT_CHARSET_H
#define WINNOW_TEXT_CHARSET_H
#include "base/arena.h"

struct encoding; /* one of the Encoding Standard; static, never freed */

const struct encoding *encoding_of_label(struct str label); /* NULL when unknown */
const char *encoding_name(const struct encoding *e);	    /* "windows-1252", as the standard spells it, lower case */
bool encoding_keeps_ascii(const struct encoding *e);	    /* bytes below 0x80 are ASCII, and no others become it */

enum charset_source { CHARSET_BOM, CHARSET_HTTP, CHARSET_META, CHARSET_XML, CHARSET_DETECTED, CHARSET_DEFAULT };

struct charset {
	const struct encoding *encoding;
	enum charset_source source;
	size_t bom;   /* bytes of mark to skip */
	size_t ascii; /* so many bytes of those that were looked at are ASCII, from the first; 0 fits any bytes */
	bool no_cr;   /* and none of them is CR; false fits any bytes */
	bool lied;    /* a label named another encoding, and the bytes prove it wrong */
	bool mixed;   /* windows-1252 may have UTF-8 pasted into it, ISO-8859-2 letters of windows-1250: read as such */
};

/* markup: look for meta and the XML declaration. */
struct charset charset_find(struct str bytes, struct str http_label, bool markup);
struct str charset_prescan(struct str bytes);		 /* the label meta names, or STR_NONE */
const struct encoding *charset_detect(struct str bytes); /* never NULL */

/* The text; either bytes itself (valid UTF-8) or in the arena.  *replaced counts U+FFFD put in. */
struct str charset_decode(struct arena *a, struct charset c, struct str bytes, size_t *replaced);

/* The query of a URL as browsers send it from a page in e: what is not ASCII as bytes of e, percent-escaped, and what e
 * has no bytes for as a reference in numbers.  In the arena; s itself where UTF-8 is sent (UTF-8, UTF-16). */
struct str charset_query(struct arena *a, const struct encoding *e, struct str s);
#endif
