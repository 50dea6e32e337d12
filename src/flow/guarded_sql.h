/* flow/guarded_sql.h -- a stranger's SQL on a catalogue: reading only.
 *
 * The connection is opened read-only, and an authorizer refuses whatever is
 * not a read of the documented views, ATTACH, PRAGMA and extensions first.
 * A collection with access rules (access.aclj) is refused: SQL can count and
 * join its way around any filter of rows, so no half of a promise is made.
 */
#ifndef WINNOW_FLOW_GUARDED_SQL_H
#define WINNOW_FLOW_GUARDED_SQL_H
#include "flow/collection.h"

struct sql_limits {
	uint64_t rows;	 /* 0: any number */
	double seconds;	 /* 0: any time */
	uint64_t memory; /* 0: any; SQLite counts for the whole process */
	int value;	 /* bytes of one value; 0: any.  What one function does with it is never interrupted */
};

struct sqlite3_stmt;
/* Calls head(names) once and row(statement) for each row. */
struct sql_sink {
	void *context;
	int (*head)(void *context, const char *const *names, size_t n);
	int (*row)(void *context, struct sqlite3_stmt *s, size_t n);
};

/* WN_USAGE for SQL that is wrong or not allowed; WN_LIMIT for what took too long or too much. */
int guarded_sql(struct collection *coll, struct str sql, const struct sql_limits *limits, const struct sql_sink *sink,
		struct err *err);
#endif
