/* catalog/sqlite_remove.c -- taking a file's captures out again.
 *
 * Contents, pages and hosts that no capture has any more go with them; sets and
 * texts in the segments are then dead bytes.  Ids are never given again (meta last_*),
 * so that a stored cover cannot come to mean another document.
 */
#include <stdio.h>

#include "catalog/sqlite_int.h"

static int remember_ids(struct sqlite_catalog *c, struct err *err)
{
	static const char *const tables[] = { "file", "crawl", "capture", "content", "page" };
	int rc = WN_OK;

	for (size_t i = 0; i < COUNT(tables) && rc == WN_OK; i++) {
		char sql[256];

		snprintf(sql, sizeof sql,
			 "insert or replace into meta select 'last_%s', max(ifnull((select max(id) from %s), 0), "
			 "ifnull((select cast(value as integer) from meta where key = 'last_%s'), 0))",
			 tables[i], tables[i], tables[i]);
		rc = sq_exec(c, sql, err);
	}
	return rc;
}

/* Takes the captures in the temporary table `gone` out. */
static int remove_gone(struct sqlite_catalog *c, struct err *err)
{
	static const char *const steps[] = {
		/* originals that go leave their revisits open again, with nothing from them (sqlite_resolve.c) */
		"update revisit set unresolved = 1 where capture in (select id from capture where original in (select id from gone))",
		"delete from content_capture where capture in (select id from capture where original in (select id from gone))",
		"update capture set content = null, original = null, why = 0, digest = null, mime = null, charset = null, bytes = 0, published = null, page = null where original in (select id from gone)",
		"delete from capture_key where (urlkey, time, capture) in (select c.urlkey, c.time, c.id from capture c join gone g on g.id = c.id)",
		"delete from capture_hash where capture in (select id from gone)",
		"create temp table loose as select distinct content as id from content_capture where capture in (select id from gone)",
		"delete from content_capture where capture in (select id from gone)",
		"delete from revisit where capture in (select id from gone)",
		"create temp table loose_page as select distinct page as id from capture where id in (select id from gone) and page is not null",
		"create temp table loose_host as select distinct host as id from capture where id in (select id from gone)",
		"delete from capture where id in (select id from gone)",
		"insert or ignore into dead_content select id from loose where not exists (select 1 from content_capture x where x.content = loose.id)",
		"delete from content where id in (select id from loose) and not exists (select 1 from content_capture x where x.content = content.id)",
		"delete from page where id in (select id from loose_page) and not exists (select 1 from capture c where c.page = page.id)",
		"delete from host where id in (select id from loose_host) and not exists (select 1 from capture c where c.host = host.id)",
	};
	/* a temporary index, since pages are looked up by it */
	int rc = sq_exec(c, "create index if not exists capture_page on capture (page)", err);

	sq_forget_names(&c->hosts);
	for (size_t i = 0; i < COUNT(steps) && rc == WN_OK; i++)
		rc = sq_exec(c, steps[i], err);
	return rc;
}

static int finish(struct sqlite_catalog *c, int rc, struct err *err)
{
	if (rc == WN_OK)
		rc = sq_exec(
		    c,
		    "drop index capture_page; drop table gone; drop table loose; drop table loose_page; drop table loose_host",
		    err);
	if (rc == WN_OK)
		rc = sq_bump_revision(c, 1, err);
	if (rc == WN_OK)
		rc = sq_exec(c, "commit", err);
	if (rc < 0)
		sqlite3_exec(c->db, "rollback", NULL, NULL, NULL);
	return rc;
}

int sq_remove_captures(struct catalog *base, const uint64_t *ids, size_t n, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	sqlite3_stmt *s = NULL;
	int rc;

	if ((rc = sq_exec(c, "begin immediate", err)) < 0)
		return rc;
	if ((rc = remember_ids(c, err)) == WN_OK &&
	    (rc = sq_exec(c, "create temp table gone (id integer primary key)", err)) == WN_OK)
		rc = sq_prepare(c, &s, "insert or ignore into gone values (?)", err);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		sq_int(s, 1, ids[i]);
		rc = sq_run(c, s, err);
	}
	sqlite3_finalize(s);
	if (rc == WN_OK)
		rc = remove_gone(c, err);
	return finish(c, rc, err);
}

int sq_remove(struct catalog *base, uint64_t file, uint64_t from, uint64_t *captures, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	char sql[256];
	int64_t n = 0;
	int rc;

	if ((rc = sq_exec(c, "begin immediate", err)) < 0)
		return rc;
	rc = remember_ids(c, err);
	snprintf(sql, sizeof sql, "create temp table gone as select id from capture where file = %llu and at >= %llu",
		 (unsigned long long)file, (unsigned long long)from);
	if (rc == WN_OK)
		rc = sq_exec(c, sql, err);
	if (rc == WN_OK)
		rc = sq_one(c, "select count(*) from gone", &n, err);
	if (rc == WN_OK)
		rc = remove_gone(c, err);
	snprintf(sql, sizeof sql, "delete from flaw where file = %llu and at >= %llu", (unsigned long long)file,
		 (unsigned long long)from);
	if (rc == WN_OK)
		rc = sq_exec(c, sql, err);
	snprintf(sql, sizeof sql, "delete from crawl where file = %llu; delete from file where id = %llu",
		 (unsigned long long)file, (unsigned long long)file);
	if (rc == WN_OK && from == 0)
		rc = sq_exec(c, sql, err);
	rc = finish(c, rc, err);
	*captures = (uint64_t)n;
	return rc;
}

#define LAST_PART(x) "replace(" x ", rtrim(" x ", replace(" x ", '/', '')), '')"

/* Looks from the captures that were added since the last time, so that it costs what they cost. */
int sq_adopt(struct catalog *base, uint64_t *captures, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	int64_t imported = 0, n = 0;
	int rc = sq_one(c, "select count(*) from meta where key = '" CATALOG_IMPORTED "'", &imported, err);

	*captures = 0;
	if (rc < 0 || !imported)
		return rc;
	if ((rc = sq_exec(c, "begin immediate", err)) < 0)
		return rc;
	if ((rc = remember_ids(c, err)) == WN_OK &&
	    (rc = sq_exec(
		 c,
		 "create temp table gone as select distinct i.id from capture c cross join file f on f.id = c.file "
		 "cross join capture_key k on k.urlkey = c.urlkey and k.time = c.time cross join capture i on i.id = k.capture "
		 "where c.id > ifnull((select cast(value as integer) from meta where key = 'adopted'), 0) and i.file = 0 and i.at = c.at and " LAST_PART(
		     "i.part") " in (f.name, " LAST_PART("ifnull(c.part, '')") ")",
		 err)) == WN_OK &&
	    (rc = sq_one(c, "select count(*) from gone", &n, err)) == WN_OK)
		rc = remove_gone(c, err);
	if (rc == WN_OK)
		rc = sq_exec(c, "insert or replace into meta select 'adopted', ifnull(max(id), 0) from capture", err);
	*captures = (uint64_t)n;
	return finish(c, rc, err);
}

int sq_forget_texts(struct catalog *base, const uint64_t *ids, size_t n, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	sqlite3_stmt *s = NULL;
	int rc;

	if ((rc = sq_exec(c, "begin immediate", err)) < 0)
		return rc;
	/* keys are 32 bytes: none of a text is like this */
	rc = sq_prepare(c, &s, "update content set key = cast('lost ' || id as blob) where id = ?", err);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)ids[i]);
		if (sqlite3_step(s) != SQLITE_DONE)
			rc = sq_fail(c, "forget texts", err);
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
	if (rc == WN_OK)
		rc = sq_exec(c, "commit", err);
	if (rc < 0)
		sqlite3_exec(c->db, "rollback", NULL, NULL, NULL);
	return rc;
}

int sq_reprocessed(struct catalog *base, unsigned extractor, struct err *err)
{
	static const char *const steps[] = {
		"delete from content_capture where capture in (select capture from revisit)",
		"update capture set content = null, original = null, digest = null, mime = null, charset = null, bytes = 0, published = null, page = null where id in (select capture from revisit)",
		"update revisit set unresolved = 1",
		"insert or ignore into dead_content select id from content where not exists (select 1 from content_capture x where x.content = content.id)",
		"delete from content where not exists (select 1 from content_capture x where x.content = content.id)",
		"delete from page where id not in (select page from capture where page is not null)",
	};
	struct sqlite_catalog *c = sq(base);
	char sql[120];
	int rc;

	if ((rc = sq_exec(c, "begin immediate", err)) < 0)
		return rc;
	rc = remember_ids(c, err);
	for (size_t i = 0; i < COUNT(steps) && rc == WN_OK; i++)
		rc = sq_exec(c, steps[i], err);
	snprintf(sql, sizeof sql, "update meta set value = '%u' where key = 'extractor'", extractor);
	if (rc == WN_OK)
		rc = sq_exec(c, sql, err);
	if (rc == WN_OK)
		rc = sq_bump_revision(c, 1, err);
	if (rc == WN_OK)
		rc = sq_exec(c, "commit", err);
	if (rc < 0)
		sqlite3_exec(c->db, "rollback", NULL, NULL, NULL);
	return rc;
}
