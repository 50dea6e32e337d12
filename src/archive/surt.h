/* archive/surt.h -- urlkeys: URLs in a form that sorts by site.
 *
 *	http://www.Archive.org/goo/?a=2&b&a=1  ->  org,archive)/goo?a=1&a=2&b
 *
 * How a URL becomes a key is a named profile, stored in collections, since two
 * indexes can be joined only when both used the same one.  surt_add never
 * fails: what cannot be taken apart is its own key (blanks, control bytes and
 * non-ASCII escaped, so that a key is always one word of a CDX line).
 * Cost: one pass over plain URLs, no allocation beyond `out`.
 */
#ifndef WINNOW_ARCHIVE_SURT_H
#define WINNOW_ARCHIVE_SURT_H
#include "base/buf.h"

struct surt_profile {
	const char *name, *summary;
	uint32_t version; /* stored with the name; changes when any key changes */
	void (*add)(const struct surt_profile *p, struct str url, struct buf *out);
	/* variations of ia-surt */
	bool trailing_comma, with_scheme, keep_ip, keep_www, keep_session, keep_case;
};

extern const struct surt_profile surt_profiles[]; /* ends with name NULL; [0] is the default, ia-surt */
const struct surt_profile *surt_profile(const char *name); /* NULL when unknown */

/* Adds the key of url to out.  p NULL is the default profile. */
void surt_add(const struct surt_profile *p, struct str url, struct buf *out);

/* ia-surt's canonical URL (not reversed), as other software stores it. */
void surt_canonical(const struct surt_profile *p, struct str url, struct buf *out);

/* The half-open range of keys [from, to) that a CDX query means. */
enum surt_match { SURT_EXACT, SURT_PREFIX, SURT_HOST, SURT_DOMAIN };
void surt_range(const struct surt_profile *p, struct str url, enum surt_match match, struct buf *from, struct buf *to);

/* The host part of a key, "org,archive" of "org,archive)/goo"; the whole key when it has none. */
struct str surt_host(struct str key);
#endif
