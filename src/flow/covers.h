/* flow/covers.h -- covers as the collection stores them.
 *
 * A row of `cover`, runs/ID.members with its members (catalog/memberfile.h), which SQL sees as cover_member, runs/ID.seg
 * with the certificate, runs/ID.state and runs/ID.postings* with what update needs.  The row appears in
 * one transaction, after the files.  In collections made before catalogue version 4 cover_member is a table, and stays one while
 * it has rows.  A cover that was brought up to date keeps
 * its id; its files are then ID-rREVISION.*, so that the rows always have the
 * files of their own revision, also after a kill between the two.
 */
#ifndef WINNOW_FLOW_COVERS_H
#define WINNOW_FLOW_COVERS_H
#include "catalog/memberfile.h"
#include "cover/certificate.h"
#include "flow/run.h"
#include "flow/state.h"

/* How a cover was asked for: enough to open its run again. */
struct cover_options {
	struct str rule, where, per, prefer; /* where empty: the default */
	uint64_t keep_at_least, min_versions;
	bool approx;	/* its pairs were found by approximate candidates; what is computed of it later is exact */
	uint64_t *keep; /* ids of pinned captures */
	size_t n_keep;
};

struct cover_index { /* a file of an index: runs/ID.postingsI, or the n-th that was added to it (kept_index.h) */
	const char *path;
	unsigned disjunct, added;
};

struct cover_member;
struct cover_row {
	uint64_t id, revision, documents, kept, lower_bound;
	struct str name, rule, sha256, selection, report;
	int64_t created;
	struct cover_options options;
	void (*describe)(void *described, uint64_t cover, struct buf *out); /* covers_store: writes the report */
	void *described;
	/* covers_store in the place of a cover as it is at was_revision, whose members are these but for those that
	 * differ, and for captures that are none any more; told where members are rows */
	bool patch;
	bool (*differs)(const void *update, uint32_t document);
	const void *update;
	const uint64_t *gone;
	size_t n_gone;
	uint64_t was_revision;
	const struct cover_index *index; /* covers_store: files that get the cover's name */
	unsigned n_index;
};

struct cover_member {
	uint64_t id, witness; /* captures; witness 0: kept */
	bool kept;
	uint64_t shared, size, witness_size;
};

/* A name that could be an id is refused. */
int covers_name_check(struct str name, struct err *err);
/* What is to happen in the transaction that stores a cover, or not at all: it fails, nothing is stored. */
struct sqlite3;
struct covers_commit {
	int (*run)(void *context, struct sqlite3 *db, uint64_t cover, struct err *err);
	void *context;
};

/* Stores.  row->id 0: a new cover, the id is given; else in place of that one, which keeps its name.
 * state may be NULL: then an update has to solve all again.  commit may be NULL. */
int covers_store(const char *dir, struct cover_row *row, const struct member_list *members,
		 const struct certificate *proof, const struct run_state *state, const struct covers_commit *commit,
		 struct err *err);
/* For a cover that stays as it is: the caller's part of that transaction alone. */
int covers_commit(const char *dir, uint64_t cover, const struct covers_commit *commit, struct err *err);
/* By id or name; WN_NONE with what to do. */
int covers_find(struct collection *coll, struct arena *a, const char *name, struct cover_row *out, struct err *err);
int covers_each(struct collection *coll, int (*each)(void *context, const struct cover_row *row), void *context,
		struct err *err);
int covers_members(struct collection *coll, struct arena *a, uint64_t cover, struct cover_member **out, size_t *n,
		   struct err *err);
/* The same in the order of the file, whatever numbers are in it: a witness that is no member is UINT64_MAX. */
int covers_members_as_stored(struct collection *coll, struct arena *a, const struct cover_row *row,
			     struct cover_member **out, size_t *n, struct err *err);
int covers_member(struct collection *coll, uint64_t cover, uint64_t capture, struct cover_member *out,
		  struct err *err); /* WN_NONE */
/* The row that a statement with these columns stands at: capture, kept, witness, shared, size, witness_size. */
struct sqlite3_stmt;
void covers_read_member(struct sqlite3_stmt *s, struct cover_member *m);
int covers_certificate(struct collection *coll, struct arena *a, uint64_t cover, struct certificate *out,
		       struct err *err);
int covers_state(struct collection *coll, const struct cover_row *row, struct run_state *out, struct err *err);
/* Where the index of disjunct i is, if there is one. */
const char *covers_index(struct collection *coll, struct arena *a, const struct cover_row *row, unsigned disjunct,
			 unsigned added);
int covers_remove(const char *dir, uint64_t cover, struct err *err);
/* The request that opens the cover's run again. */
struct run_request covers_request(struct arena *a, const struct cover_row *row);
#endif
