/* archive/wacz.h -- WACZ 1.1.1 files: archives with their index and pages in one ZIP.
 *
 *	wacz_open(&z, "out.wacz", &options, err);
 *	wacz_archive(z, "data.warc.gz", path, err);	  // archive/data.warc.gz
 *	wacz_cdxj(z, line, err);			  // sorted by bytes
 *	wacz_page(z, &page, err);
 *	wacz_close(z, err);
 *
 * Members are stored, not compressed (they are already), with ZIP64 fields
 * where sizes need them.  The file appears whole or not at all.
 * Memory: the compressed index and the pages; archives are copied in pieces.
 */
#ifndef WINNOW_ARCHIVE_WACZ_H
#define WINNOW_ARCHIVE_WACZ_H
#include "base/err.h"
#include "base/str.h"

struct wacz_options {
	struct str title, description, software; /* may be empty; software: "winnow VERSION" */
	int64_t created;			 /* time of making; so that runs repeat */
	struct str main_url;			 /* may be empty */
	int64_t main_time;
	uint64_t zip64_from; /* numbers from here on go to ZIP64 fields; 0: 4 GiB - 1, smaller in tests */
};

struct wacz_page {
	struct str url, title, id, text; /* only url must be there */
	int64_t time;
	uint64_t size; /* 0: not written */
};

struct wacz;
int wacz_open(struct wacz **out, const char *path, const struct wacz_options *o, struct err *err);
int wacz_archive(struct wacz *z, const char *name, const char *path, struct err *err);
int wacz_cdxj(struct wacz *z, struct str line, struct err *err); /* with newline */
int wacz_page(struct wacz *z, const struct wacz_page *page, struct err *err);
int wacz_close(struct wacz *z, struct err *err); /* writes index, pages and datapackage; frees z either way */
void wacz_abort(struct wacz *z);		 /* NULL is fine */
#endif
