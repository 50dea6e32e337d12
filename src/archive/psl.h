/* archive/psl.h -- the registrable domain of a host (public suffix list, libpsl's own).
 *
 * The list is opened once per process and read by all threads.
 */
#ifndef WINNOW_ARCHIVE_PSL_H
#define WINNOW_ARCHIVE_PSL_H
#include "base/arena.h"

/* "example.co.uk" for "www.example.co.uk"; a part of host itself, or empty for a
 * public suffix, an IP address, or nothing.  host is lower case, ASCII (xn--) or
 * UTF-8; one trailing dot is allowed and kept. */
struct str psl_domain(struct str host);
#endif
