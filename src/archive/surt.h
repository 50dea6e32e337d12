/* archive/surt.h -- urlkeys: URLs in a form that sorts by site.
 *
 *	http://www.Archive.org/goo/?a=2&b&a=1  ->  org,archive)/goo?a=1&a=2&b
 *
 * How a URL becomes a key is a named profile, stored in collections, since two
 * indexes can be joined only when both used the same one.  surt_add never
 * fails: what cannot be taken apart is its own key (blanks, control bytes and
 * non-ASCII escaped, so that a key is always one word of a CDX line).
 * docs/format/surt.md has the steps and the differences to other software.
 * Cost: one pass over plain URLs, no allocation beyond `out`.
 */
#ifndef WINNOW_ARCHIVE_SURT_H
#define WINNOW_ARCHIVE_SURT_H
#include "base/buf.h"

/* Which of the steps a profile takes.  0 is ia-surt, all of them. */
enum surt_flag {
	SURT_KEEP_ESCAPES = 1, /* no decoding, dots, IPv4 spellings */
	SURT_KEEP_DETAIL = 2,  /* no case folding, sorting, session ids, www, default ports */
	SURT_KEEP_WWW = 4,
	SURT_KEEP_QUERY_CASE = 8,
	SURT_TRAILING_COMMA = 16, /* org,archive,)/ */
	SURT_WITH_SCHEME = 32,	  /* http://(org,archive)/ */
	SURT_KEEP_IP = 64,	  /* IPv4 addresses are not reversed */
	SURT_WHATWG = 128,	  /* parse as a browser does, then only reverse the host */
};

struct surt_profile {
	const char *name, *summary;
	unsigned version; /* stored with the name; changes when any key changes */
	unsigned flags;	  /* enum surt_flag */
};

extern const struct surt_profile surt_profiles[];	   /* ends with name NULL; [0] is the default, ia-surt */
const struct surt_profile *surt_profile(const char *name); /* NULL when unknown */

/* Adds the key of url to out.  p NULL is the default profile. */
void surt_add(const struct surt_profile *p, struct str url, struct buf *out);
void surt_add_flags(unsigned flags, struct str url, struct buf *out);

/* Whether `ref`, written in the page `base`, has that key: of a redirect, whether it leads to itself. */
bool surt_leads_to(const struct surt_profile *p, struct str base, struct str ref, struct str key);

/* The canonical URL that the key is made of, not reversed: http://archive.org/goo?a=1&a=2&b */
void surt_canonical(unsigned flags, struct str url, struct buf *out);

/* The half-open range of keys [from, to) that a CDX query means. */
enum surt_match { SURT_EXACT, SURT_PREFIX, SURT_HOST, SURT_DOMAIN };
void surt_range(const struct surt_profile *p, struct str url, enum surt_match match, struct buf *from, struct buf *to);

/* Single steps, for tests and for those who need one alone.  Each adds to out. */
void surt_unescape(struct str s, struct buf *out);	 /* %XX until none is left; O(n) */
void surt_sort_query(struct str query, struct buf *out); /* arguments by name, then value */
bool surt_ipv4(struct str host, struct buf *out);	 /* any decimal or octal spelling to a.b.c.d; false: none */
struct str surt_strip_www(struct str host);		 /* one leading www, www1, ... */
void surt_strip_path(struct str path, struct buf *out);	 /* ASP.NET session ids */
#endif
