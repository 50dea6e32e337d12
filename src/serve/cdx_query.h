/* serve/cdx_query.h -- what a CDX query asks, in either dialect, as one plain plan.
 *
 * Two servers made the dialects and disagree on names, filters and shapes:
 * pywb (`/{coll}/cdx`) and the Internet Archive (`/cdx/search/cdx`).
 * cdx_query_parse reads the raw query string; nothing after it knows a
 * parameter.  docs/format/cdx-server.md has the table.
 * Unknown parameters are passed over, as both servers do; bad values are
 * WN_USAGE with one sentence, which is the message of the 400.
 */
#ifndef WINNOW_SERVE_CDX_QUERY_H
#define WINNOW_SERVE_CDX_QUERY_H
#include "archive/surt.h"
#include "base/arena.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "rule/regex.h"

enum cdx_dialect { CDX_PYWB, CDX_IA };

enum cdx_output { CDX_OUT_CDXJ, CDX_OUT_NDJSON, CDX_OUT_LINK, CDX_OUT_TEXT, CDX_OUT_ARRAY };

enum cdx_sort { CDX_SORT_KEY, CDX_SORT_REVERSE, CDX_SORT_CLOSEST };

/* The columns a row can have; names in cdx_query.c. */
/* clang-format off */
enum cdx_column {
	COL_URLKEY, COL_TIMESTAMP, COL_URL, COL_MIME, COL_STATUS, COL_DIGEST, COL_REDIRECT, COL_ROBOTFLAGS, COL_LENGTH, COL_OFFSET, COL_FILENAME,
	COL_METHOD, COL_REQUEST_BODY, COL_RECORD_DIGEST, COL_SOURCE, COL_SOURCE_COLL, COL_DUPECOUNT, COL_SKIPCOUNT, COL_ENDTIMESTAMP, COL_ORIG_LENGTH, COL_ORIG_OFFSET,
	COL_ORIG_FILENAME, COL_COVEREDCOUNT, COL_COVEREDBY, COLUMNS, COL_LINE = COLUMNS, /* the whole line, in filters */
};
/* clang-format on */

enum {
	CDX_FILTERS = 32,
	CDX_COLLAPSES = 8,
	CDX_FIELDS = 32,
	CDX_BLOCK = 3000 /* rows of a block; pages are so many blocks */
};

enum cdx_filter_kind { FILTER_CONTAINS, FILTER_EQUALS, FILTER_REGEX };
struct cdx_filter {
	enum cdx_filter_kind kind;
	bool negated;
	enum cdx_column column;
	struct str text;
	const struct regex *regex;
};

struct cdx_collapse {
	enum cdx_column column;
	uint32_t length; /* so many characters in front; 0: all */
};

struct cdx_query {
	enum cdx_dialect dialect;
	struct str url;
	bool exact;	     /* one key: from.key */
	struct str key, end; /* rows with key <= urlkey < end; end empty: no bound */
	int64_t time_from, time_to;
	bool timed; /* from or to was given */
	enum cdx_sort sort;
	int64_t closest;
	bool limited;
	int64_t limit; /* negative: the last ones */
	uint64_t offset;
	enum cdx_output output;
	enum cdx_column fields[CDX_FIELDS];
	unsigned n_fields;
	bool fields_given;
	struct cdx_filter filters[CDX_FILTERS];
	unsigned n_filters;
	struct cdx_collapse collapses[CDX_COLLAPSES];
	unsigned n_collapses;
	bool collapse_to_last;
	bool paged, show_pages, show_index;
	uint64_t page, page_size;
	bool show_resume, resumed;
	struct cdx_place resume; /* rows behind it are wanted; id INT64_MAX: behind all of that time */
	bool dupe_count, skip_count, last_skip, resolve_revisits, fast_latest, no_gzip;
	const struct surt_profile
	    *omit_self;	  /* rows that redirect to their own key by it are left out; NULL: none are */
	uint64_t cover;	  /* 0: none */
	bool covered_too; /* with a cover: also what it hides, with coveredby */
};

/* In the arena.  query is raw: "url=http://x/&limit=5". */
int cdx_query_parse(struct arena *a, enum cdx_dialect dialect, const struct surt_profile *profile, struct str query,
		    struct cdx_query *out, struct err *err);

const char *cdx_column_name(enum cdx_dialect d, enum cdx_column c);
const char *cdx_output_type(enum cdx_output o); /* Content-Type */

/* The first (or last) second that 1 to 14 digits mean: "20071" is 2007-10 to 2007-12. */
bool cdx_stamp_bound(struct str digits, bool last, int64_t *out);
#endif
