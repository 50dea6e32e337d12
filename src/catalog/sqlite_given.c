/* catalog/sqlite_given.c -- rows that lie in memory as a table, for `insert into T select c1, c2 from given(?)`.
 *
 * A statement that is run for each row opens its B-trees each time and goes down each of them from the root.  One
 * statement for all rows keeps its cursors: rows in ascending order are entered where the last one was, and the price of
 * starting, binding and ending a statement is paid once.
 */
#include "catalog/sqlite_int.h"

#define POINTER "rows given to insert" /* only who has the pointer can read: no SQL text can name rows */

struct given_cursor {
	sqlite3_vtab_cursor base;
	const struct sq_given *g;
	size_t row;
};

static int given_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
	int rc = sqlite3_declare_vtab(
	    db, "create table x (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, "
		"c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, rows hidden)");
	sqlite3_vtab *t;

	(void)aux, (void)argc, (void)argv, (void)message;
	if (rc != SQLITE_OK)
		return rc;
	if (!(t = sqlite3_malloc(sizeof *t)))
		return SQLITE_NOMEM;
	*t = (sqlite3_vtab){ 0 };
	*out = t;
	return SQLITE_OK;
}

static int given_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

/* One way to read it: all rows of what `rows` equals. */
static int given_best(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != SQ_GIVEN_COLUMNS ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || !info->aConstraint[i].usable)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = 1;
		return SQLITE_OK;
	}
	return SQLITE_CONSTRAINT;
}

static int given_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct given_cursor *c = sqlite3_malloc(sizeof *c);

	(void)t;
	if (!c)
		return SQLITE_NOMEM;
	*c = (struct given_cursor){ 0 };
	*out = &c->base;
	return SQLITE_OK;
}

static int given_close(sqlite3_vtab_cursor *c)
{
	sqlite3_free(c);
	return SQLITE_OK;
}

static int given_filter(sqlite3_vtab_cursor *base, int number, const char *name, int argc, sqlite3_value **argv)
{
	struct given_cursor *c = (struct given_cursor *)base;

	(void)number, (void)name;
	c->g = argc ? sqlite3_value_pointer(argv[0], POINTER) : NULL;
	c->row = 0;
	return SQLITE_OK;
}

static int given_next(sqlite3_vtab_cursor *base)
{
	((struct given_cursor *)base)->row++;
	return SQLITE_OK;
}

static int given_eof(sqlite3_vtab_cursor *base)
{
	const struct given_cursor *c = (struct given_cursor *)base;

	return !c->g || c->row >= c->g->n;
}

static int given_column(sqlite3_vtab_cursor *base, sqlite3_context *out, int i)
{
	const struct given_cursor *c = (struct given_cursor *)base;

	if (i < SQ_GIVEN_COLUMNS)
		c->g->column(out, c->g->rows, c->row, i + 1);
	return SQLITE_OK;
}

static int given_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct given_cursor *)base)->row;
	return SQLITE_OK;
}

static const sqlite3_module module = { .xConnect = given_connect,
				       .xBestIndex = given_best,
				       .xDisconnect = given_disconnect,
				       .xOpen = given_open,
				       .xClose = given_close,
				       .xFilter = given_filter,
				       .xNext = given_next,
				       .xEof = given_eof,
				       .xColumn = given_column,
				       .xRowid = given_rowid };

int sq_given_install(sqlite3 *db) { return sqlite3_create_module(db, "given", &module, NULL); }

int sq_insert_given(struct sqlite_catalog *c, const char *sql, struct sq_given g, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = sq_prepare(c, &s, sql, err);

	if (rc == WN_OK) {
		sqlite3_bind_pointer(s, 1, &g, POINTER, NULL);
		rc = sq_run(c, s, err);
	}
	sqlite3_finalize(s);
	return rc;
}
