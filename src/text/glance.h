/* text/glance.h -- what bytes a payload has, in one pass before anything else reads it.
 *
 * Which charset a page is in, whether it is UTF-8 as it stands and whether its
 * lines end with CR all hang on bytes that most pages do not have.  One look
 * for all of them spares a look for each.
 */
#ifndef WINNOW_TEXT_GLANCE_H
#define WINNOW_TEXT_GLANCE_H
#include "base/str.h"

struct glance {
	size_t ascii;	   /* length of the longest prefix of ASCII */
	bool nul, cr, esc; /* bytes 0, '\r', 0x1B are there */
};

struct glance glance_at(struct str s);
struct glance glance_plain(struct str s); /* as on any x86-64 */
struct glance glance_slow(struct str s);  /* their twin */
#endif
