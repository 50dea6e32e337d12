/* serve/cdx_scan.h -- the answer to a CDX query, in pieces of bounded size.
 *
 *	struct cdx_scan *s = cdx_scan_new(&query, &setting);
 *	while (!done)
 *		cdx_scan_fill(s, catalog, &out, 64 * KIB, &done, err);
 *	cdx_scan_free(s);
 *
 * A fill opens its cursors at the place where the last one stopped and closes
 * them before it returns, so that between two fills no statement is open: a
 * slow client holds no snapshot, and each fill may use another handle of the
 * same catalogue.  Memory: a row, the digests of one URL for showDupeCount, and
 * what was asked for in `enough`.
 */
#ifndef WINNOW_SERVE_CDX_SCAN_H
#define WINNOW_SERVE_CDX_SCAN_H
#include "base/buf.h"
#include "flow/acl.h"
#include "serve/cdx_query.h"

struct cdx_setting {
	const struct acl *acl; /* NULL: none */
	struct str user;       /* for the acl */
	struct str memento;    /* what stands before "STAMPmp_/URL" in output=link */
	struct str source;     /* name of the collection, for the fields source and source-coll */
};

struct cdx_scan;
/* query and what setting points to must outlive the scan. */
struct cdx_scan *cdx_scan_new(const struct cdx_query *query, const struct cdx_setting *setting);
void cdx_scan_free(struct cdx_scan *s); /* NULL is fine */

/* Adds to out until it holds `enough` bytes or all was written (*done), or many rows were passed over in vain. */
int cdx_scan_fill(struct cdx_scan *s, struct catalog *c, struct buf *out, size_t enough, bool *done, struct err *err);

/* How many captures of a capture's cover it stands for: from memory, shared by all threads. */
int cdx_covered_count(struct catalog *c, uint64_t cover, uint64_t capture, uint64_t *out, struct err *err);

/* The nearest capture to a time of one key, by a seek to either side; WN_NONE.  Strings in the arena. */
int cdx_nearest(struct catalog *c, struct arena *a, struct str urlkey, int64_t time, const struct cdx_setting *setting,
		struct cdx_row *out, struct err *err);
/* Captures of a key per day (days since 1970, ascending); those the acl hides do not count. */
int cdx_days(struct catalog *c, struct str urlkey, int64_t from, int64_t to, const struct cdx_setting *setting,
	     int (*each)(void *context, int64_t day, uint64_t captures, uint64_t first), void *context,
	     struct err *err);
#endif
