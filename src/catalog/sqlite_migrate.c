/* catalog/sqlite_migrate.c -- collections of earlier versions, brought up to date.
 *
 * One step a version, all of them in one transaction: a kill leaves the
 * collection as it was.  Steps speak the SQL of their version and never use
 * schema.sql, which is of today.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "catalog/linkpack.h"
#include "catalog/sqlite_int.h"

/* Version 1 had a row a link: link (page, seq, kind, nofollow, target, anchor) and target (id, url). */
static int pack_page(struct sqlite_catalog *c, sqlite3_stmt *links, sqlite3_stmt *put, struct linkpack *pack,
		     uint64_t page, struct err *err)
{
	int step;

	linkpack_reset(pack);
	sq_int(links, 1, page);
	while ((step = sqlite3_step(links)) == SQLITE_ROW) {
		struct catalog_link l = { (unsigned)sqlite3_column_int(links, 0), sqlite3_column_int(links, 1) != 0,
					  sq_col(links, 2), sq_col(links, 3) };

		if (!linkpack_add(pack, &l))
			break;
	}
	sqlite3_reset(links);
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		return sq_fail(c, "links", err);
	sq_int(put, 1, page);
	sq_blob(put, 2, linkpack_view(pack));
	return sq_run(c, put, err);
}

static int pack_links(struct sqlite_catalog *c, struct err *err)
{
	static const char begin[] =
	    "drop view links; alter table page rename to old_page;"
	    "create table page (id integer primary key, key integer not null unique, links blob)";
	static const char end[] =
	    "drop table old_page; drop table link; drop table target;"
	    "create view links as select c.id as capture, c.url as source, l.seq, l.kind, l.nofollow, l.target, l.anchor "
	    "from capture c join page p on p.id = c.page join unpack_links(p.links) l";
	sqlite3_stmt *pages = NULL, *links = NULL, *put = NULL;
	struct linkpack pack = LINKPACK;
	int rc, step = SQLITE_DONE;

	if ((rc = sq_exec(c, begin, err)) < 0)
		return rc;
	if ((rc = sq_prepare(c, &pages, "select id from old_page order by id", err)) == WN_OK &&
	    (rc = sq_prepare(
		 c, &links,
		 "select l.kind, l.nofollow, t.url, l.anchor from link l join target t on t.id = l.target where l.page = ? order by l.seq",
		 err)) == WN_OK)
		rc = sq_prepare(c, &put, "insert into page select id, key, ?2 from old_page where id = ?1", err);
	while (rc == WN_OK && (step = sqlite3_step(pages)) == SQLITE_ROW)
		rc = pack_page(c, links, put, &pack, sq_u64(pages, 0), err);
	if (rc == WN_OK && step != SQLITE_DONE)
		rc = sq_fail(c, "pages", err);
	sqlite3_finalize(pages);
	sqlite3_finalize(links);
	sqlite3_finalize(put);
	linkpack_release(&pack);
	return rc == WN_OK ? sq_exec(c, end, err) : rc;
}

/* Version 3 knows files of JSON lines; before, they had no row. */
static int add_lines(struct sqlite_catalog *c, struct err *err)
{
	return sq_exec(c, "alter table file add column lines integer not null default 0", err);
}

/* Version 4 has links in segments and members of covers in files; those that are in tables stay there
 * (flow/covers_rows.h says until when). */
static int allow_files(struct sqlite_catalog *c, struct err *err)
{
	(void)c, (void)err;
	return WN_OK;
}

/* The list of altered captures, which any version may lack. */
static int add_altered(struct sqlite_catalog *c, struct err *err)
{
	return sq_exec(
	    c,
	    "create table if not exists altered (seq integer primary key autoincrement, capture integer not null);"
	    "create trigger if not exists capture_altered after update on capture begin insert into altered (capture) values (old.id); end;"
	    "create trigger if not exists capture_removed after delete on capture begin insert into altered (capture) values (old.id); end",
	    err);
}

int sq_add_indexes(struct sqlite_catalog *c, struct err *err)
{
	return sq_exec(c,
		       "create index if not exists capture_host on capture (host);"
		       "create index if not exists capture_file on capture (file)",
		       err);
}

int sq_migrate(struct sqlite_catalog *c, int64_t from, struct err *err)
{
	static int (*const steps[])(struct sqlite_catalog *,
				    struct err *) = { [1] = pack_links, [2] = add_lines, [3] = allow_files };
	char sql[80];
	int rc;

	if ((rc = sq_exec(c, "begin immediate", err)) < 0)
		return rc;
	for (int64_t v = from; v < CATALOG_VERSION && rc == WN_OK; v++)
		rc = v >= 1 && v < (int64_t)COUNT(steps)
			 ? steps[v](c, err)
			 : err_set(err, WN_DATA, "%s/catalog.db is of version %" PRId64 ", which never was",
				   c->base.dir, v);
	snprintf(sql, sizeof sql, "update meta set value = '%d' where key = 'version'", CATALOG_VERSION);
	if (rc == WN_OK && (rc = add_altered(c, err)) == WN_OK && (rc = sq_exec(c, sql, err)) == WN_OK)
		rc = sq_exec(c, "commit", err);
	if (rc < 0)
		sqlite3_exec(c->db, "rollback", NULL, NULL, NULL);
	return rc;
}
