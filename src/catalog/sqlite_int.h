/* catalog/sqlite_int.h -- what the files of the SQLite backend share. */
#ifndef WINNOW_CATALOG_SQLITE_INT_H
#define WINNOW_CATALOG_SQLITE_INT_H
#include <sqlite3.h>

#include "base/map.h"
#include "base/vec.h"
#include "catalog/backend.h"

/* A table of strings with ids (word, host), remembered while writing. */
struct name_cache {
	struct intern names;
	VEC(int64_t) ids; /* by intern id */
};

/* The index reader (sqlite_cdx.c): prepared once, kept until the catalogue is closed. */
enum {
	CDX_FORWARD,
	CDX_BACKWARD,
	CDX_KEYS_FORWARD,
	CDX_KEYS_BACKWARD,
	CDX_ONE_FORWARD,
	CDX_ONE_BACKWARD,
	CDX_ONE_PLACED_FORWARD,
	CDX_ONE_PLACED_BACKWARD,
	CDX_MANY_FORWARD,
	CDX_MANY_BACKWARD,
	CDX_SHAPES,
	CDX_CURSORS = 4
};
struct sq_cdx;
struct sq_names {      /* texts of word or file by id, as met */
	struct map at; /* id -> index */
	VEC(struct str) texts;
	struct arena arena;
	sqlite3_stmt *find;
};

struct sqlite_catalog {
	struct catalog base;
	sqlite3 *db;
	int lock_fd; /* -1: reader */
	bool in_snapshot;
	struct name_cache words, hosts;
	struct linkstore *links;		     /* NULL until a list is asked for that is in a segment */
	struct sq_cdx *cdx[CDX_SHAPES][CDX_CURSORS]; /* NULL until first used */
	struct sq_names word_texts, file_names;
	sqlite3_stmt *cdx_by_id, *cover_state;
	sqlite3_stmt *hold, *rest;
	sqlite3_stmt *brief, *next_key, *about_key; /* sqlite_keys.c */
	sqlite3_stmt *one_capture; /* by id: asked for row by row in exports; NULL while a cursor has it */
	sqlite3_stmt *content_by_key, *page_by_key; /* asked for every record: prepared once */
};

static inline struct sqlite_catalog *sq(struct catalog *c) { return (struct sqlite_catalog *)(void *)c; }

/* err from the database's last failure. */
int sq_fail(struct sqlite_catalog *c, const char *what, struct err *err);
int sq_exec(struct sqlite_catalog *c, const char *sql, struct err *err);
int sq_prepare(struct sqlite_catalog *c, sqlite3_stmt **out, const char *sql, struct err *err);
/* Steps to the end and resets; for statements without rows. */
int sq_run(struct sqlite_catalog *c, sqlite3_stmt *s, struct err *err);
/* One integer; *out untouched when there is no row (WN_END). */
int sq_one(struct sqlite_catalog *c, const char *sql, int64_t *out, struct err *err);

static inline void sq_text(sqlite3_stmt *s, int i, struct str v) /* empty is NULL; borrowed until the step */
{
	if (v.n)
		sqlite3_bind_text(s, i, v.p, (int)v.n, SQLITE_STATIC);
	else
		sqlite3_bind_null(s, i);
}
static inline void sq_text_always(sqlite3_stmt *s, int i, struct str v)
{
	sqlite3_bind_text(s, i, v.n ? v.p : "", (int)v.n, SQLITE_STATIC);
}
static inline void sq_blob(sqlite3_stmt *s, int i, struct str v)
{
	if (v.n)
		sqlite3_bind_blob(s, i, v.p, (int)v.n, SQLITE_STATIC);
	else
		sqlite3_bind_null(s, i);
}
static inline void sq_int(sqlite3_stmt *s, int i, uint64_t v) { sqlite3_bind_int64(s, i, (sqlite3_int64)v); }
static inline void sq_int_or_null(sqlite3_stmt *s, int i, uint64_t v) /* 0 is NULL */
{
	if (v)
		sqlite3_bind_int64(s, i, (sqlite3_int64)v);
	else
		sqlite3_bind_null(s, i);
}
static inline void sq_time_or_null(sqlite3_stmt *s, int i, int64_t v)
{
	if (v == CAPTURE_NO_TIME)
		sqlite3_bind_null(s, i);
	else
		sqlite3_bind_int64(s, i, v);
}
static inline struct str sq_col(sqlite3_stmt *s, int i)
{
	const char *p = sqlite3_column_blob(s, i); /* text or blob alike */

	return str_n(p, (size_t)sqlite3_column_bytes(s, i));
}
static inline uint64_t sq_u64(sqlite3_stmt *s, int i) { return (uint64_t)sqlite3_column_int64(s, i); }
static inline int64_t sq_time(sqlite3_stmt *s, int i)
{
	return sqlite3_column_type(s, i) == SQLITE_NULL ? CAPTURE_NO_TIME : sqlite3_column_int64(s, i);
}

/* Rows that lie in memory, for an insert of all of them by one statement: "insert or fail into T select c1, c2 from
 * given(?)".  With "or fail" (or "or ignore") SQLite keeps no copy of every page that the statement alters, for undoing it
 * alone; who inserts rolls back all when it fails. */
enum { SQ_GIVEN_COLUMNS = 27 };
struct sq_given {
	size_t n;
	const void *rows;
	void (*column)(sqlite3_context *out, const void *rows, size_t row, int i); /* i from 1, as of a binding */
};
int sq_given_install(sqlite3 *db); /* for this connection */
int sq_insert_given(struct sqlite_catalog *c, const char *sql, struct sq_given g, struct err *err);

/* What capture_hash holds: hashes of "i" + record id, "d" + payload digest in its one spelling. */
int64_t sq_hash(char what, struct str value);
int64_t sq_digest_hash(struct str digest);

int sq_add(struct catalog *c, const struct catalog_batch *b, struct err *err);
int sq_content_by_key(struct catalog *c, const unsigned char key[32], uint64_t *id, struct err *err);
int sq_page_by_key(struct catalog *c, uint64_t key, uint64_t *id, struct err *err);
int sq_resolve(struct catalog *c, uint64_t *resolved, uint64_t *left, struct err *err);
int sq_reprocessed(struct catalog *c, unsigned extractor, struct err *err);
int sq_files(struct catalog *c, int (*each)(void *context, const struct catalog_file *f), void *context,
	     struct err *err);
int sq_remove(struct catalog *c, uint64_t file, uint64_t from, uint64_t *captures, struct err *err);
int sq_adopt(struct catalog *c, uint64_t *captures, struct err *err);
int sq_remove_captures(struct catalog *c, const uint64_t *ids, size_t n, struct err *err);
int sq_captures(struct catalog *c, const struct capture_query *q, struct capture_cursor **out, struct err *err);
int sq_cdx(struct catalog *c, const struct cdx_range *r, struct cdx_cursor **out, struct err *err);
int sq_cdx_row(struct catalog *c, uint64_t id, struct cdx_row *out, struct err *err);
int sq_times(struct catalog *c, struct str urlkey, int64_t from, int64_t to,
	     int (*each)(void *context, uint64_t id, int64_t time), void *context, struct err *err);
int sq_brief(struct catalog *c, uint64_t id, int *status, uint64_t *content, struct err *err);
int sq_url(struct catalog *c, struct arena *a, struct str from, struct str to, uint64_t most, struct catalog_url *out,
	   struct err *err);
void sq_keys_release(struct sqlite_catalog *c);
int sq_cover_state(struct catalog *c, uint64_t cover, uint64_t capture, int *state, uint64_t *witness, struct err *err);
void sq_cdx_release(struct sqlite_catalog *c);
int sq_forget_texts(struct catalog *c, const uint64_t *ids, size_t n, struct err *err);
int sq_contents(struct catalog *c, int (*each)(void *context, uint64_t id), void *context, struct err *err);
int sq_flawed(struct catalog *base, const char *kind, int (*each)(void *context, uint64_t id), void *context,
	      struct err *err);
int sq_check(struct catalog *c, void (*wrong)(void *context, const char *why), void *context, struct err *err);
int sq_stats(struct catalog *c, struct catalog_stats *out, struct err *err);
int sq_counts(struct catalog *c, const char *what, int (*each)(void *context, struct str value, uint64_t count),
	      void *context, struct err *err);
int sq_links(struct catalog *c, uint64_t page, int (*each)(void *context, const struct catalog_link *l), void *context,
	     struct err *err);
/* The table-valued function that makes rows of packed links, for this connection. */
int sq_links_install(struct sqlite_catalog *c);
int sq_lost_links(struct catalog *c, int (*each)(void *context, uint64_t page), void *context, struct err *err);
int sq_forget_links(struct catalog *c, const uint64_t *pages, size_t n, struct err *err);
/* The members of covers as a table, for this connection to the catalogue of a collection. */
int sq_members_install(sqlite3 *db, const char *dir);
/* Brings a catalogue of an earlier version up to date, in one transaction. */
int sq_migrate(struct sqlite_catalog *c, int64_t from, struct err *err);
/* Indexes that collections of any version may lack: a writer adds them, a reader can do without. */
int sq_add_indexes(struct sqlite_catalog *c, struct err *err);
void sq_forget_names(struct name_cache *cache); /* after ids in it may be gone */
/* The next revision, written in the open transaction.  It counts what was entered, altered and removed, not transactions:
 * how many those are depends on memory, and a revision is printed. */
int sq_bump_revision(struct sqlite_catalog *c, uint64_t by, struct err *err);
#endif
