/* archive/url_host.h -- the host part of a URL; for what reads URLs and heads. */
#ifndef WINNOW_ARCHIVE_URL_HOST_H
#define WINNOW_ARCHIVE_URL_HOST_H
#include "base/buf.h"

/* UTS #46 ToASCII as the URL Standard sets it (non-transitional, no STD3, no
 * hyphen and length checks).  Adds the name in lower-case ASCII; false when ICU
 * refuses the name.  ASCII only goes to lower case. */
bool url_idna(struct str domain, struct buf *out);

/* The same as older software does it (transitional: ß is ss) with all of UTS #46's
 * checks but those of hyphens: what ia-surt's keys are made of. */
bool url_idna_old(struct str domain, struct buf *out);

/* Plain ASCII host names in one look: when every byte is a letter, digit, '-',
 * '.' or '_' and the last label does not begin with a digit, writes the name in
 * lower case to out[host.n] and returns true. */
bool url_plain_host(struct str host, char *out);

/* Whether it is written like an IPv4 or IPv6 address; its numbers are not looked at. */
bool url_looks_like_ip(struct str s);

void url_ipv4_add(uint32_t address, struct buf *out);
#endif
