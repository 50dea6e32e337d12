/* archive/surt_int.h -- what the files of urlkeys share: surt.c (profiles, writing keys), surt_fast.c (plain URLs in one
 * pass), surt_parse.c, surt_decode.c and surt_massage.c (the three steps of the slow way). */
#ifndef WINNOW_ARCHIVE_SURT_INT_H
#define WINNOW_ARCHIVE_SURT_INT_H
#include "archive/surt.h"
#include "base/limits.h"

#define KEY_MAX (16 * LIMIT_URL)

/* A URL taken apart. */
struct surt_parts {
	struct buf host, path, query; /* owned */
	struct str scheme;	      /* without colon; borrowed */
	int port;		      /* -1 none */
	bool has_host, has_query;
};

/* The steps of the slow way.  tmp is empty before and after. */
bool surt_parse(struct str s, struct surt_parts *u); /* false when there is a port that is no number */
void surt_decode(struct surt_parts *u, struct buf *tmp);
void surt_massage(unsigned flags, struct surt_parts *u, struct buf *tmp);

/* The key of a URL that needs no decoding; false leaves out as it was. */
bool surt_fast(unsigned flags, struct str url, struct buf *out);

size_t surt_http_prefix(struct str s); /* length of "http://" or "https://", or 0 */

static inline void surt_lower(struct buf *b)
{
	for (size_t i = 0; i < b->n; i++)
		b->p[i] = ascii_lower(b->p[i]);
}

/* b becomes what is in *with; *with is emptied. */
static inline void surt_replace(struct buf *b, struct buf *with)
{
	struct buf swap = *b;

	*b = *with;
	*with = swap;
	buf_reset(with);
}
#endif
