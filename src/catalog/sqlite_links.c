/* catalog/sqlite_links.c -- packed links as rows: the table-valued function unpack_links(packed).
 *
 * The view `links` joins it to the pages, so that whoever asks in SQL sees one
 * row a link though there is none.  It reads the bytes it is given, or the list in a
 * segment of this collection that they stand for, and nothing else, which is why it
 * may stand in a view (SQLITE_VTAB_INNOCUOUS).  A list that is damaged ends with an
 * error that says so.
 */
#include <inttypes.h>

#include "base/arena.h"
#include "base/mem.h"
#include "catalog/linkpack.h"
#include "catalog/linkstore.h"
#include "catalog/sqlite_int.h"

enum { COLUMN_SEQ, COLUMN_KIND, COLUMN_NOFOLLOW, COLUMN_TARGET, COLUMN_ANCHOR, COLUMN_PACKED };

struct links_table {
	sqlite3_vtab base;
	struct sqlite_catalog *c;
};

struct links_cursor {
	sqlite3_vtab_cursor base;
	struct linkpack_reader reader;
	sqlite3_value *packed; /* our copy: the reader looks into it */
	struct catalog_link link;
	sqlite3_int64 seq;
	bool there;
};

static struct linkstore *store(struct sqlite_catalog *c)
{
	struct arena a = { 0 };

	if (!c->links)
		c->links = linkstore_new(arena_printf(&a, "%s/links", c->base.dir).p);
	arena_release(&a);
	return c->links;
}

/* What stands in page.links, or what it stands for; lasts as long as both. */
static int whole_list(struct sqlite_catalog *c, struct str column, struct str *packed, struct err *err)
{
	uint64_t page;
	int rc;

	*packed = column;
	if (!linkpack_page(column, &page))
		return WN_OK;
	rc = linkstore_get(store(c), page, packed, err);
	return rc == WN_NONE ? err_set(err, WN_DATA,
				       "the links of page %" PRIu64
				       " are missing in %s/links; ingest with --reprocess makes them again",
				       page, c->base.dir)
			     : rc;
}

static int links_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
	int rc = sqlite3_declare_vtab(
	    db,
	    "create table x (seq integer, kind integer, nofollow integer, target text, anchor text, packed blob hidden)");

	struct links_table *t;

	(void)argc, (void)argv, (void)message;
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	if (!(t = sqlite3_malloc(sizeof *t)))
		return SQLITE_NOMEM;
	*t = (struct links_table){ .c = aux };
	*out = &t->base;
	return SQLITE_OK;
}

static int links_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

/* One way to read it: from the bytes that `packed` equals. */
static int links_best(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != COLUMN_PACKED ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable)
			return SQLITE_CONSTRAINT;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = 1;
		info->estimatedCost = 50;
		info->estimatedRows = 50;
		return SQLITE_OK;
	}
	return SQLITE_CONSTRAINT;
}

static int links_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct links_cursor *c = mem_zalloc(sizeof *c);

	(void)t;
	*out = &c->base;
	return SQLITE_OK;
}

static void forget(struct links_cursor *c)
{
	linkpack_close(&c->reader);
	sqlite3_value_free(c->packed);
	c->packed = NULL;
}

static int links_close(sqlite3_vtab_cursor *base)
{
	struct links_cursor *c = (struct links_cursor *)base;

	forget(c);
	mem_free(c);
	return SQLITE_OK;
}

static int links_next(sqlite3_vtab_cursor *base)
{
	struct links_cursor *c = (struct links_cursor *)base;

	c->seq++;
	c->there = linkpack_next(&c->reader, &c->link);
	if (!c->reader.damaged)
		return SQLITE_OK;
	sqlite3_free(base->pVtab->zErrMsg);
	base->pVtab->zErrMsg = sqlite3_mprintf(
	    "a list of links is damaged behind its link %lld; 'winnow ingest --reprocess' makes it again", c->seq);
	return SQLITE_CORRUPT;
}

static int links_filter(sqlite3_vtab_cursor *base, int plan, const char *name, int argc, sqlite3_value **argv)
{
	struct links_cursor *c = (struct links_cursor *)base;
	struct str packed = STR_NONE;
	struct err err = { 0 };

	(void)plan, (void)name;
	forget(c);
	if (argc && sqlite3_value_type(argv[0]) == SQLITE_BLOB && (c->packed = sqlite3_value_dup(argv[0])))
		packed = str_n(sqlite3_value_blob(c->packed), (size_t)sqlite3_value_bytes(c->packed));
	if (whole_list(((struct links_table *)base->pVtab)->c, packed, &packed, &err) < 0) {
		sqlite3_free(base->pVtab->zErrMsg);
		base->pVtab->zErrMsg = sqlite3_mprintf("%s", err.text);
		c->there = false;
		return err.code == WN_DATA ? SQLITE_CORRUPT : SQLITE_IOERR;
	}
	linkpack_open(&c->reader, packed);
	c->seq = -1;
	return links_next(base);
}

static int links_eof(sqlite3_vtab_cursor *base) { return !((struct links_cursor *)base)->there; }

static void text_result(sqlite3_context *x, struct str s)
{
	if (s.n)
		sqlite3_result_text(x, s.p, (int)s.n, SQLITE_TRANSIENT);
	else
		sqlite3_result_null(x);
}

static int links_column(sqlite3_vtab_cursor *base, sqlite3_context *x, int column)
{
	struct links_cursor *c = (struct links_cursor *)base;

	switch (column) {
	case COLUMN_SEQ: sqlite3_result_int64(x, c->seq); break;
	case COLUMN_KIND: sqlite3_result_int64(x, (sqlite3_int64)c->link.kind); break;
	case COLUMN_NOFOLLOW: sqlite3_result_int(x, c->link.nofollow); break;
	case COLUMN_TARGET: text_result(x, c->link.url); break;
	case COLUMN_ANCHOR: text_result(x, c->link.anchor); break;
	default: sqlite3_result_null(x);
	}
	return SQLITE_OK;
}

static int links_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct links_cursor *)base)->seq;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = links_connect,
	.xDisconnect = links_disconnect,
	.xBestIndex = links_best,
	.xOpen = links_open,
	.xClose = links_close,
	.xFilter = links_filter,
	.xNext = links_next,
	.xEof = links_eof,
	.xColumn = links_column,
	.xRowid = links_rowid,
};

int sq_links_install(struct sqlite_catalog *c) { return sqlite3_create_module(c->db, "unpack_links", &module, c); }

int sq_links(struct catalog *base, uint64_t page, int (*each)(void *context, const struct catalog_link *l),
	     void *context, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	struct linkpack_reader r;
	struct catalog_link l;
	struct str packed = STR_NONE;
	sqlite3_stmt *s = NULL;
	int rc, step;

	if ((rc = sq_prepare(c, &s, "select links from page where id = ?", err)) < 0)
		return rc;
	sq_int(s, 1, page);
	step = sqlite3_step(s);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		rc = sq_fail(c, "links", err);
	else if (step == SQLITE_ROW)
		rc = whole_list(c, sq_col(s, 0), &packed, err);
	linkpack_open(&r, packed);
	while (rc == WN_OK && linkpack_next(&r, &l))
		rc = each(context, &l);
	if (rc == WN_OK && r.damaged)
		rc = err_set(
		    err, WN_DATA,
		    "the links of page %llu are damaged in %s/catalog.db; make them anew with 'winnow ingest --reprocess --parse-all %s'",
		    (unsigned long long)page, base->dir, base->dir);
	linkpack_close(&r);
	sqlite3_finalize(s);
	return rc;
}

int sq_lost_links(struct catalog *base, int (*each)(void *context, uint64_t page), void *context, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	sqlite3_stmt *s = NULL;
	int rc = sq_prepare(c, &s, "select id, links from page where length(links) > 0 order by id", err), step = 0;

	linkstore_free(c->links); /* files may be gone that were there */
	c->links = NULL;
	while (rc == WN_OK && (step = sqlite3_step(s)) == SQLITE_ROW) {
		struct err why = { 0 };
		uint64_t page;

		rc = linkpack_page(sq_col(s, 1), &page) ? linkstore_has(store(c), page, &why)
		     : linkpack_sound(sq_col(s, 1))	? WN_OK
							: WN_DATA;
		if (rc == WN_OK)
			continue;
		if (rc != WN_NONE && rc != WN_DATA)
			*err = why;
		else
			rc = each(context, sq_u64(s, 0));
	}
	if (rc == WN_OK && step != SQLITE_DONE)
		rc = sq_fail(c, "pages", err);
	sqlite3_finalize(s);
	return rc;
}

int sq_forget_links(struct catalog *base, const uint64_t *pages, size_t n, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	sqlite3_stmt *s = NULL;
	int rc;

	if ((rc = sq_exec(c, "begin immediate", err)) < 0)
		return rc;
	/* keys are hashes: none of a page is like this.  The row stays until no capture has it: a kill leaves what is lost to be
	 * found again. */
	rc = sq_prepare(c, &s, "update page set key = -id where id = ?", err);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		sq_int(s, 1, pages[i]);
		rc = sq_run(c, s, err);
	}
	sqlite3_finalize(s);
	if (rc == WN_OK)
		rc = sq_exec(c, "commit", err);
	if (rc < 0)
		sqlite3_exec(c->db, "rollback", NULL, NULL, NULL);
	return rc;
}
