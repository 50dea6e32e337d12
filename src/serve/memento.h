/* serve/memento.h -- RFC 7089: the Link header of a capture, and where its parts lead. */
#ifndef WINNOW_SERVE_MEMENTO_H
#define WINNOW_SERVE_MEMENTO_H
#include "serve/history.h"
#include "serve/path.h"
#include "serve/server.h"

/* original, timegate, timemap and, around m, first/prev/this/next/last; WN_OK or an error.  m NULL: only the first three. */
int memento_links(struct request *q, struct response *r, struct history *h, struct str key, struct str url,
		  const struct moment *m, struct err *err);
/* A URL between < and >: what would end it is escaped. */
void memento_target(struct buf *out, struct str url);
/* /coll/STAMPmod/url, absolute. */
struct str memento_address(struct request *q, int64_t time, enum modifier mod, struct str url);
#endif
