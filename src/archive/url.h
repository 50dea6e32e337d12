/* archive/url.h -- URLs as browsers read them (WHATWG URL Standard).
 *
 *	struct url base = { 0 }, u = { 0 };
 *	url_parse(&base, page, NULL);
 *	if (url_parse(&u, href, &base)) use(url_href(&u), url_host(&u));
 *	url_release(&u); url_release(&base);
 *
 * A struct url owns one buffer with the serialised URL; its components are
 * ranges of that text, so reading one costs nothing, and parsing the next URL
 * into the same struct reuses the memory.  Zero-initialised is an empty one.
 * Input is UTF-8; ill-formed bytes count as U+FFFD.  Hosts go through UTS #46
 * (ICU, non-transitional, not strict).  Input longer than LIMIT_URL and
 * results longer than 4 * LIMIT_URL fail.  Threads: one struct, one thread;
 * a base may be shared by readers.
 */
#ifndef WINNOW_ARCHIVE_URL_H
#define WINNOW_ARCHIVE_URL_H
#include "base/buf.h"

struct url {
	char *p; /* the href, not terminated */
	uint32_t n, cap;
	/* https://user:pass@example.com:1234/foo/bar?baz#quux
	 *       |     |    |          | ^^^^|       |   |
	 *       |     |    |          | |   |       |   hash (n when none)
	 *       |     |    |          | |   |       search (hash when none)
	 *       |     |    |          | |   path
	 *       |     |    |          | port (number; -1 none)
	 *       |     |    |          host_end
	 *       |     |    host (at '@' when there are credentials)
	 *       |     user_end
	 *       scheme_end (behind the colon)						*/
	uint32_t scheme_end, user_end, host, host_end, path, search, hash;
	int32_t port;
	uint8_t scheme; /* enum url_scheme */
	bool has_host;	/* an authority is there, though perhaps empty */
	bool opaque;	/* the path is one string: mailto:x */
	bool has_search, has_hash;
};

enum url_scheme { URL_OTHER, URL_HTTP, URL_HTTPS, URL_WS, URL_WSS, URL_FTP, URL_FILE };

/* Parses input against base (NULL for none, never u itself) into u.  False when
 * the standard says failure; u is then empty (n = 0). */
bool url_parse(struct url *u, struct str input, const struct url *base);

/* Resolves href against base and adds the serialised result to out.  False, and
 * nothing added, on failure.  `scratch` keeps its memory between calls. */
bool url_resolve(const struct url *base, struct str href, struct url *scratch, struct buf *out);

void url_copy(struct url *to, const struct url *from);
void url_release(struct url *u);

/* Components, borrowed from u until it changes. */
struct str url_href(const struct url *u);
struct str url_href_no_hash(const struct url *u);
struct str url_protocol(const struct url *u); /* with its colon: "http:" */
struct str url_username(const struct url *u);
struct str url_password(const struct url *u);
struct str url_hostname(const struct url *u);  /* without port; IPv6 in brackets */
struct str url_host_port(const struct url *u); /* "host" of the standard */
struct str url_port(const struct url *u);      /* digits or empty */
struct str url_pathname(const struct url *u);
struct str url_search(const struct url *u);	       /* with '?', empty when "" or none */
struct str url_hash(const struct url *u);	       /* with '#', empty when "" or none */
int url_port_number(const struct url *u);	       /* the default one when none is written; -1 unknown */
bool url_origin(const struct url *u, struct buf *out); /* adds it, or "null" (false) */
static inline bool url_is_http(const struct url *u) { return u->scheme == URL_HTTP || u->scheme == URL_HTTPS; }
static inline bool url_is_special(const struct url *u) { return u->scheme != URL_OTHER; }

/* A host name as the standard's host parser writes it (percent-decoding, IDNA,
 * IPv4, IPv6); false when it is none. */
bool url_host_parse(struct str host, bool special, struct buf *out);

/* %XX decoded once; anything else as it is. */
void url_percent_decode(struct str s, struct buf *out);
#endif
