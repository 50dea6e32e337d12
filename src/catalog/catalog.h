/* catalog/catalog.h -- what a collection knows, durably.
 *
 * A collection is a directory.  Captures, contents, files and links are behind a
 * table of functions (struct catalog_backend), in whole batches and rows of plain
 * structs, so that another store could stand where SQLite stands; whoever keeps
 * tables of his own beside them (covers, rules, jobs) asks catalog_sqlite().
 *
 * Writing: one writer at a time (catalog_open with CATALOG_WRITE takes the
 * collection's lock), in batches; each batch is one transaction, so that a
 * killed writer leaves the last batch whole and nothing of the next.
 * Reading: any number of readers, never blocked, each seeing one revision
 * between catalog_begin and catalog_end.
 *
 * Strings handed out last until the next step of the cursor they came from.
 */
#ifndef WINNOW_CATALOG_CATALOG_H
#define WINNOW_CATALOG_CATALOG_H
#include "base/arena.h"
#include "base/err.h"

#define CATALOG_VERSION 4 /* of the schema; a newer one is refused, an older one brought up to date */

struct catalog;

enum catalog_mode {
	CATALOG_READ,
	CATALOG_WRITE,	/* takes the lock; WN_BUSY when another writer holds it */
	CATALOG_CREATE, /* the same, made when absent */
	CATALOG_SHARED, /* writes covers and rules beside whoever holds the lock, in short transactions */
};

/* Fixed when a collection is made. */
struct catalog_settings {
	unsigned k;
	bool chars; /* unit: characters */
	bool bag;
	bool main_text;	    /* the document's text is the main text */
	char profile[32];   /* urlkey profile: "ia-surt" */
	unsigned extractor; /* version of text extraction its texts come from */
};

enum capture_kind {
	CAPTURE_RESPONSE,
	CAPTURE_RESOURCE,
	CAPTURE_REVISIT,
	CAPTURE_METADATA,
	CAPTURE_CONVERSION,
	CAPTURE_REQUEST,
	CAPTURE_KINDS
};
const char *capture_kind_name(enum capture_kind kind);

#define CAPTURE_NO_STATUS (-1)
#define CAPTURE_NO_TIME INT64_MIN

struct capture {
	uint64_t id;
	uint64_t file; /* 0: of no archive file (reading; a file of JSON lines is none, either) */
	uint64_t at, length, skip;
	struct str part;
	enum capture_kind kind;
	int64_t time;
	struct str host, domain, urlkey, url;
	int status;			    /* CAPTURE_NO_STATUS */
	struct str mime, declared, charset; /* empty: none */
	uint64_t bytes;
	struct str digest;	   /* 20 bytes, or empty */
	struct str payload_digest; /* "sha1:..." as the WARC says, or as computed */
	uint64_t content;	   /* 0: no document */
	unsigned why;
	uint64_t crawl, original, page; /* 0: none */
	int64_t published;		/* CAPTURE_NO_TIME */
	struct str redirect, via, method;
	/* of its content, when it has one (reading only) */
	struct str title, lang;
	uint64_t words, shingles;	  /* shingles of the text that is the document (catalog_settings.main_text) */
	struct str file_name, crawl_name; /* reading only */
	/* of a revisit (writing only) */
	struct str record_id, refers_to, refers_uri;
	int64_t refers_time; /* CAPTURE_NO_TIME */
	bool rejoined; /* of an update: its segments were looked for again, and their flaws are those of this batch */
};

struct content {
	uint64_t id;
	unsigned char key[32];
	struct str title, lang;
	double confidence;
	uint64_t words, shingles, shingles_main, bytes;
};

struct catalog_link {
	unsigned kind;
	bool nofollow;
	struct str url, anchor;
};

struct catalog_file {
	uint64_t id;
	struct str path;
	uint64_t bytes;
	int64_t mtime;
	unsigned char hash[16];
	uint64_t done_to, records;
	bool lines; /* of JSON, not records: its captures have no span to read */
	bool complete;
};

struct catalog_flaw {
	uint64_t file, at, capture; /* capture 0: of no capture */
	const char *kind;
	struct str detail;
};

struct catalog_crawl {
	uint64_t id, file, at, length;
	struct str record_id, name, software, operator_, fields;
	int64_t time;
};

/* One transaction of ingest.  Ids in it were taken from catalog_next. */
struct catalog_batch {
	struct catalog_file *files; /* inserted or brought up to date, by id */
	size_t n_files;
	struct catalog_crawl *crawls;
	size_t n_crawls;
	struct capture *captures;
	size_t n_captures;
	struct capture *
	    updates; /* captures that are there, whose text was made anew: id, content, mime, charset, why, published, page */
	size_t n_updates;
	struct content *contents;
	size_t n_contents;
	struct catalog_flaw *flaws;
	size_t n_flaws;
	struct catalog_page {
		uint64_t id, key; /* key: hash of URL and payload */
		struct str links; /* packed: linkpack.h */
	} * pages;
	size_t n_pages;
	bool links_apart; /* their links are, or will be by `ready`, in a segment (linkstore.h): rows say only that */
	/* NULL, or waits for what must be on disk before the batch counts: called when all rows are in, before the commit;
	 * its failure is the batch's. */
	int (*ready)(void *context, struct err *err);
	void *context;
};

/* The next free ids, and the present revision. */
struct catalog_next {
	uint64_t file, crawl, capture, content, page, revision;
};

/* Which captures, in which order.  Zero is all, by id. */
struct capture_query {
	struct str key_from, key_to; /* urlkey in [from, to); empty: no bound */
	int64_t time_from, time_to;  /* inclusive; both 0: no bound */
	uint64_t id;		     /* only this one */
	uint64_t content;	     /* only of this content */
	uint64_t file;		     /* only of this file */
	uint64_t after, until;	     /* ids behind the one, up to the other; 0: no bound */
	struct str host;	     /* only of this host; it has no index: `until` bounds what is looked at */
	bool by_key;		     /* order by urlkey, time, id; else by id */
	bool backward;
	bool documents_only;
	uint64_t limit; /* 0: none */
};

struct capture_cursor;

struct catalog_stats {
	uint64_t captures, documents, contents, urls, hosts, bytes_payload, bytes_text, words, shingles, files,
	    revision;
	int64_t first, last; /* CAPTURE_NO_TIME when empty */
	uint64_t revisits, revisits_unresolved;
};

int catalog_open(struct catalog **out, const char *dir, enum catalog_mode mode, const struct catalog_settings *fresh,
		 struct err *err);
void catalog_close(struct catalog *c); /* c may be NULL */
const char *catalog_dir(const struct catalog *c);
const struct catalog_settings *catalog_settings(const struct catalog *c);

int catalog_begin(struct catalog *c, struct err *err); /* a reader's snapshot */
void catalog_end(struct catalog *c);
/* Many short questions at the cost of one lock: all until catalog_rest are of one snapshot.  Never held while waiting. */
void catalog_hold(struct catalog *c);
void catalog_rest(struct catalog *c);
int catalog_next(struct catalog *c, struct catalog_next *out, struct err *err);

int catalog_add(struct catalog *c, const struct catalog_batch *b, struct err *err);
/* 0 in *id when there is none. */
int catalog_content_by_key(struct catalog *c, const unsigned char key[32], uint64_t *id, struct err *err);
int catalog_page_by_key(struct catalog *c, uint64_t key, uint64_t *id, struct err *err);
/* No text that is read later is one of these contents, whose own were lost. */
int catalog_forget_texts(struct catalog *c, const uint64_t *ids, size_t n, struct err *err);
/* Finds originals for revisits that have none yet; counts. */
int catalog_resolve(struct catalog *c, uint64_t *resolved, uint64_t *left, struct err *err);

/* After all texts were made anew: removes contents and pages that nobody has any more, and lets revisits look for
 * their original again. */
int catalog_reprocessed(struct catalog *c, unsigned extractor, struct err *err);

/* Calls each for every file, by id, until it returns non-zero. */
int catalog_files(struct catalog *c, int (*each)(void *context, const struct catalog_file *f), void *context,
		  struct err *err);
/* Calls each for every content, by id, until it returns non-zero. */
int catalog_contents(struct catalog *c, int (*each)(void *context, uint64_t id), void *context, struct err *err);
/* Calls each for every capture that has a flaw of that kind, by id, until it returns non-zero. */
int catalog_flawed(struct catalog *c, const char *kind, int (*each)(void *context, uint64_t id), void *context,
		   struct err *err);
/* Reads all of the store; says what is wrong with it, if anything.  WN_OK whatever was found. */
int catalog_check(struct catalog *c, void (*wrong)(void *context, const char *why), void *context, struct err *err);
/* Takes the captures of a file at offsets >= from out; with from 0 the file too.  *captures of them.  Contents
 * that no capture has any more go with them. */
int catalog_remove(struct catalog *c, uint64_t file, uint64_t from, uint64_t *captures, struct err *err);

/* Takes out captures of CDX files (file 0) that stand for records which were read since: the same URL, time, file name and
 * offset.  Their number; nothing is looked for where there was no import. */
int catalog_adopt(struct catalog *c, uint64_t *captures, struct err *err);

int catalog_remove_captures(struct catalog *c, const uint64_t *ids, size_t n, struct err *err);

int catalog_captures(struct catalog *c, const struct capture_query *q, struct capture_cursor **out, struct err *err);
int capture_next(struct capture_cursor *cur, struct capture *out, struct err *err); /* WN_OK, WN_END */
void capture_close(struct capture_cursor *cur);					    /* cur may be NULL */
int catalog_capture(struct catalog *c, struct arena *a, uint64_t id, struct capture *out,
		    struct err *err); /* WN_NONE */

/* ---- the index alone: what CDX, replay and calendars ask, as fast as the store can answer ----
 *
 * Rows in the order urlkey, time, id.  Statements are prepared once per open
 * catalogue and used again; names of files and types are remembered. */
struct cdx_place {
	struct str key;
	int64_t time;
	int64_t id;
};

struct cdx_range {
	struct cdx_place from, to; /* from <= row < to; an empty key in `to`: no bound */
	bool timed;		   /* only rows of time_from to time_to, inclusive */
	int64_t time_from, time_to;
	bool backward;
	bool keys_only; /* id, time and urlkey are filled, the rest is not */
};

struct cdx_row {
	uint64_t id, file, at, length, original; /* original 0: none known */
	enum capture_kind kind;
	int64_t time;
	struct str urlkey, url;
	int status;	   /* CAPTURE_NO_STATUS */
	struct str type;   /* as the server declared it; "warc/revisit" for a revisit */
	struct str digest; /* as the WARC has it, with its label */
	struct str redirect, method, file_name;
};

struct cdx_cursor;
int catalog_cdx(struct catalog *c, const struct cdx_range *r, struct cdx_cursor **out, struct err *err);
int cdx_next(struct cdx_cursor *cur, struct cdx_row *out,
	     struct err *err);		/* WN_OK, WN_END; strings until the next step */
void cdx_close(struct cdx_cursor *cur); /* cur may be NULL */
/* One row by id; strings last until the next call. */
int catalog_cdx_row(struct catalog *c, uint64_t id, struct cdx_row *out, struct err *err); /* WN_NONE */
/* Calls each for the captures of one key, of from to `to`, in order of time and id, until it returns non-zero (which is
 * returned): numbers alone, one step of the index each. */
int catalog_times(struct catalog *c, struct str urlkey, int64_t from, int64_t to,
		  int (*each)(void *context, uint64_t id, int64_t time), void *context, struct err *err);
/* Status and content of a capture, by a statement that is kept; WN_NONE. */
int catalog_brief(struct catalog *c, uint64_t id, int *status, uint64_t *content, struct err *err);
/* The first key in [from, to) and what is under it: seeks, however many captures there are; WN_NONE.  Empty `to`: no bound. */
struct catalog_url {
	struct str urlkey, url; /* in the arena; url: of the last capture */
	uint64_t captures;	/* counted up to `most` */
	int64_t first, last;
};
int catalog_url(struct catalog *c, struct arena *a, struct str from, struct str to, uint64_t most,
		struct catalog_url *out, struct err *err);
/* What a cover says of a capture: *state 1 kept, 0 dropped, -1 not a member. */
int catalog_cover_state(struct catalog *c, uint64_t cover, uint64_t capture, int *state, uint64_t *witness,
			struct err *err);

int catalog_stats(struct catalog *c, struct catalog_stats *out, struct err *err);
/* Counts by "mime", "status", "lang", "charset", "flaws", "why" and "hosts" (the first 1,000), largest first; by "months"
 * ("2010-01") in their order. */
int catalog_counts(struct catalog *c, const char *what, int (*each)(void *context, struct str value, uint64_t count),
		   void *context, struct err *err);
/* Pages whose links are damaged, or in no segment, though they should be; and what makes them again: no page that is read later is one of
 * these. */
int catalog_lost_links(struct catalog *c, int (*each)(void *context, uint64_t page), void *context, struct err *err);
int catalog_forget_links(struct catalog *c, const uint64_t *pages, size_t n, struct err *err);
int catalog_links(struct catalog *c, uint64_t page, int (*each)(void *context, const struct catalog_link *l),
		  void *context, struct err *err);

#define CATALOG_FULLTEXT "fulltext"	/* set when the collection has a full-text index */
#define CATALOG_INDEX_ONLY "index_only" /* "1": there are captures of which no documents were made */
#define CATALOG_IMPORTED "imported"	/* set when captures of CDX files were entered */
int catalog_get(struct catalog *c, const char *key, struct arena *a, struct str *value,
		struct err *err); /* meta; WN_NONE */
int catalog_set(struct catalog *c, const char *key, struct str value, struct err *err);

/* The SQLite handle, for `sql` and for what other layers keep in tables of
 * their own; NULL for another backend. */
struct sqlite3;
struct sqlite3 *catalog_sqlite(struct catalog *c);
#endif
