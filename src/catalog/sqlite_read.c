/* catalog/sqlite_read.c -- questions to the catalogue: captures in order, counts, files, links. */
#include <stdio.h>

#include "base/buf.h"
#include "base/limits.h"
#include "catalog/sqlite_int.h"

/* The id that a statement kept for this question finds, or 0. */
static int id_by_key(struct sqlite_catalog *c, sqlite3_stmt *s, uint64_t *id, struct err *err)
{
	int step = sqlite3_step(s), rc = WN_OK;

	*id = step == SQLITE_ROW ? sq_u64(s, 0) : 0;
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		rc = sq_fail(c, sqlite3_sql(s), err);
	sqlite3_reset(s);
	return rc;
}

int sq_content_by_key(struct catalog *base, const unsigned char key[32], uint64_t *id, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	int rc;

	if (!c->content_by_key &&
	    (rc = sq_prepare(c, &c->content_by_key, "select id from content where key = ?", err)) < 0)
		return rc;
	sqlite3_bind_blob(c->content_by_key, 1, key, 32, SQLITE_STATIC);
	return id_by_key(c, c->content_by_key, id, err);
}

int sq_page_by_key(struct catalog *base, uint64_t key, uint64_t *id, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	int rc;

	if (!c->page_by_key && (rc = sq_prepare(c, &c->page_by_key, "select id from page where key = ?", err)) < 0)
		return rc;
	sq_int(c->page_by_key, 1, key);
	return id_by_key(c, c->page_by_key, id, err);
}

struct sq_cursor {
	struct capture_cursor base;
	struct sqlite_catalog *c;
	sqlite3_stmt *s;
	bool one; /* of the statement that is kept */
};

static int cursor_next(struct capture_cursor *cur, struct capture *o, struct err *err)
{
	struct sq_cursor *x = (struct sq_cursor *)(void *)cur;
	sqlite3_stmt *s = x->s;
	int step = sqlite3_step(s);

	if (step == SQLITE_DONE)
		return WN_END;
	if (step != SQLITE_ROW)
		return sq_fail(x->c, "captures", err);
	*o = (struct capture){
		.id = sq_u64(s, 0),
		.file = sq_u64(s, 1),
		.at = sq_u64(s, 2),
		.length = sq_u64(s, 3),
		.skip = sq_u64(s, 4),
		.part = sq_col(s, 5),
		.kind = (enum capture_kind)sqlite3_column_int(s, 6),
		.time = sqlite3_column_int64(s, 7),
		.host = sq_col(s, 8),
		.domain = sq_col(s, 9),
		.urlkey = sq_col(s, 10),
		.url = sq_col(s, 11),
		.status = sqlite3_column_type(s, 12) == SQLITE_NULL ? CAPTURE_NO_STATUS : sqlite3_column_int(s, 12),
		.mime = sq_col(s, 13),
		.declared = sq_col(s, 14),
		.charset = sq_col(s, 15),
		.bytes = sq_u64(s, 16),
		.digest = sq_col(s, 17),
		.payload_digest = sq_col(s, 18),
		.content = sq_u64(s, 19),
		.why = (unsigned)sqlite3_column_int(s, 20),
		.crawl = sq_u64(s, 21),
		.original = sq_u64(s, 22),
		.published = sq_time(s, 23),
		.page = sq_u64(s, 24),
		.redirect = sq_col(s, 25),
		.via = sq_col(s, 26),
		.method = sq_col(s, 27),
		.title = sq_col(s, 28),
		.lang = sq_col(s, 29),
		.words = sq_u64(s, 30),
		.shingles = sq_u64(s, 31),
		.file_name =
		    sq_col(s, sq_u64(s, 1) ? 32 : 5), /* as an imported index has it, where the file is not known */
		.crawl_name = sq_col(s, 33),
		.refers_time = CAPTURE_NO_TIME,
	};
	return WN_OK;
}

static void cursor_close(struct capture_cursor *cur)
{
	struct sq_cursor *x = (struct sq_cursor *)(void *)cur;

	if (x->one && !x->c->one_capture) {
		sqlite3_reset(x->s);
		x->c->one_capture = x->s;
	} else {
		sqlite3_finalize(x->s);
	}
	mem_free(x);
}

/* The statement a query means; parameters are bound by number: 1 key_from, 2 key_to, 3 time_from, 4 time_to, 5 id, 6 content, 7 file,
 * 8 after, 9 until, 10 host. */
static void query_sql(struct buf *sql, const struct capture_query *q, bool main_text)
{
	bool keyed = q->by_key || q->key_from.n || q->key_to.n;
	const char *turn = q->backward ? " desc" : "";

	buf_str(
	    sql,
	    STR("select c.id, iif(f.lines, 0, c.file), c.at, c.length, c.skip, c.part, c.kind, c.time, h.name, h.domain, c.urlkey, c.url, c.status, m.text, d.text, "
		"s.text, c.bytes, c.digest, c.payload_digest, c.content, c.why, c.crawl, c.original, c.published, c.page, c.redirect, c.via, c.method, "
		"t.title, l.text, t.words, "));
	buf_str(sql, main_text ? STR("t.shingles_main") : STR("t.shingles"));
	buf_str(sql, STR(", f.name, k.name from "));
	if (keyed)
		buf_str(sql, STR("capture_key x cross join capture c on c.id = x.capture"));
	else if (q->content)
		buf_str(sql, STR("content_capture x cross join capture c on c.id = x.capture"));
	else
		buf_str(sql, STR("capture c"));
	buf_str(
	    sql,
	    STR(" left join host h on h.id = c.host left join word m on m.id = c.mime left join word d on d.id = c.declared left join word s on "
		"s.id = c.charset left join content t on t.id = c.content left join word l on l.id = t.lang left join file f on f.id = c.file "
		"left join crawl k on k.id = c.crawl where 1"));
	if (q->key_from.n)
		buf_str(sql, STR(" and x.urlkey >= ?1"));
	if (q->key_to.n)
		buf_str(sql, STR(" and x.urlkey < ?2"));
	if (q->time_from || q->time_to)
		buf_printf(sql, " and %s.time between ?3 and ?4", keyed ? "x" : "c");
	if (q->id)
		buf_str(sql, STR(" and c.id = ?5"));
	if (q->content)
		buf_str(sql, keyed ? STR(" and c.content = ?6") : STR(" and x.content = ?6"));
	if (q->file)
		buf_str(sql, STR(" and c.file = ?7"));
	if (q->after)
		buf_str(sql, STR(" and c.id > ?8"));
	if (q->until)
		buf_str(sql, STR(" and c.id <= ?9"));
	if (q->host.n)
		buf_str(sql, STR(" and c.host in (select id from host where name = ?10)"));
	if (q->documents_only)
		buf_str(sql, STR(" and c.content is not null"));
	if (keyed)
		buf_printf(sql, " order by x.urlkey%s, x.time%s, x.capture%s", turn, turn, turn);
	else
		buf_printf(sql, " order by %s%s", q->content ? "x.capture" : "c.id", turn);
	if (q->limit)
		buf_printf(sql, " limit %llu", (unsigned long long)q->limit);
	buf_byte(sql, 0);
}

/* What catalog_capture asks. */
static bool by_id_alone(const struct capture_query *q)
{
	return q->id && q->limit == 1 &&
	       !(q->key_from.n || q->key_to.n || q->time_from || q->time_to || q->content || q->file || q->by_key ||
		 q->backward || q->documents_only || q->after || q->until || q->host.n);
}

int sq_captures(struct catalog *base, const struct capture_query *q, struct capture_cursor **out, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	struct sq_cursor *x = mem_zalloc(sizeof *x);
	struct buf sql = BUF(8 * KIB);
	int rc;

	x->base = (struct capture_cursor){ cursor_next, cursor_close };
	x->c = c;
	x->one = by_id_alone(q);
	if (x->one && c->one_capture) {
		x->s = c->one_capture;
		c->one_capture = NULL;
		rc = WN_OK;
	} else {
		query_sql(&sql, q, base->settings.main_text);
		rc = sq_prepare(c, &x->s, sql.p, err);
	}
	buf_release(&sql);
	if (rc < 0) {
		mem_free(x);
		return rc;
	}
	/* the caller's slices need not outlive this call */
	sqlite3_bind_text(x->s, 1, q->key_from.p, (int)q->key_from.n, SQLITE_TRANSIENT);
	sqlite3_bind_text(x->s, 2, q->key_to.p, (int)q->key_to.n, SQLITE_TRANSIENT);
	sqlite3_bind_int64(x->s, 3, q->time_from);
	sqlite3_bind_int64(x->s, 4, q->time_to);
	sq_int(x->s, 5, q->id);
	sq_int(x->s, 6, q->content);
	sq_int(x->s, 7, q->file);
	sq_int(x->s, 8, q->after);
	sq_int(x->s, 9, q->until);
	sqlite3_bind_text(x->s, 10, q->host.p, (int)q->host.n, SQLITE_TRANSIENT);
	*out = &x->base;
	return WN_OK;
}

/* The ids that s gives, until each returns non-zero. */
static int each_id(struct sqlite_catalog *c, sqlite3_stmt *s, int (*each)(void *context, uint64_t id), void *context,
		   const char *what, struct err *err)
{
	int step;

	while ((step = sqlite3_step(s)) == SQLITE_ROW)
		if (each(context, sq_u64(s, 0)))
			return WN_OK;
	return step == SQLITE_DONE ? WN_OK : sq_fail(c, what, err);
}

int sq_contents(struct catalog *base, int (*each)(void *context, uint64_t id), void *context, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = sq_prepare(sq(base), &s, "select id from content order by id", err);

	if (rc == WN_OK)
		rc = each_id(sq(base), s, each, context, "contents", err);
	sqlite3_finalize(s);
	return rc;
}

int sq_flawed(struct catalog *base, const char *kind, int (*each)(void *context, uint64_t id), void *context,
	      struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = sq_prepare(sq(base), &s,
			    "select distinct capture from flaw where kind = ? and capture is not null order by 1", err);

	if (rc == WN_OK) {
		sqlite3_bind_text(s, 1, kind, -1, SQLITE_STATIC);
		rc = each_id(sq(base), s, each, context, "flaws", err);
	}
	sqlite3_finalize(s);
	return rc;
}

int sq_check(struct catalog *base, void (*wrong)(void *context, const char *why), void *context, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	sqlite3_stmt *s = NULL;
	int rc, step;

	if ((rc = sq_prepare(c, &s, "pragma integrity_check(100)", err)) < 0)
		return rc;
	while ((step = sqlite3_step(s)) == SQLITE_ROW) {
		struct str line = str((const char *)sqlite3_column_text(s, 0));

		if (str_starts(line, STR("*** in database main ***\n")))
			line = str_sub(line, 25, line.n);
		if (line.n && !str_eq(line, STR("ok")))
			wrong(context, line.p);
	}
	if (step == SQLITE_CORRUPT || step == SQLITE_NOTADB)
		wrong(context, sqlite3_errmsg(c->db));
	else if (step != SQLITE_DONE)
		rc = sq_fail(c, "integrity_check", err);
	sqlite3_finalize(s);
	return rc;
}

int sq_stats(struct catalog *base, struct catalog_stats *o, struct err *err)
{
	static const char sql[] =
	    "select (select count(*) from capture), (select count(*) from capture where content is not null), (select count(*) from content), "
	    "(select count(*) from (select 1 from capture_key group by urlkey)), (select count(*) from host where name <> ''), (select ifnull(sum(bytes), 0) from capture), "
	    "(select ifnull(sum(bytes), 0) from content), (select ifnull(sum(words), 0) from content), (select ifnull(sum(iif(?1, shingles_main, shingles)), 0) from content), "
	    "(select count(*) from file), (select value from meta where key = 'revision'), (select min(time) from capture), (select max(time) from capture), "
	    "(select count(*) from revisit), (select count(*) from revisit where unresolved)";
	struct sqlite_catalog *c = sq(base);
	sqlite3_stmt *s = NULL;
	int rc;

	if ((rc = sq_prepare(c, &s, sql, err)) < 0)
		return rc;
	sqlite3_bind_int(s, 1, base->settings.main_text);
	if (sqlite3_step(s) == SQLITE_ROW)
		*o = (struct catalog_stats){
			.captures = sq_u64(s, 0),
			.documents = sq_u64(s, 1),
			.contents = sq_u64(s, 2),
			.urls = sq_u64(s, 3),
			.hosts = sq_u64(s, 4),
			.bytes_payload = sq_u64(s, 5),
			.bytes_text = sq_u64(s, 6),
			.words = sq_u64(s, 7),
			.shingles = sq_u64(s, 8),
			.files = sq_u64(s, 9),
			.revision = sq_u64(s, 10),
			.first = sq_time(s, 11),
			.last = sq_time(s, 12),
			.revisits = sq_u64(s, 13),
			.revisits_unresolved = sq_u64(s, 14),
		};
	else
		rc = sq_fail(c, "stats", err);
	sqlite3_finalize(s);
	return rc;
}

int sq_counts(struct catalog *base, const char *what, int (*each)(void *context, struct str value, uint64_t count),
	      void *context, struct err *err)
{
	static const struct {
		const char *what, *sql;
	} questions[] = {
		{ "mime",
		  "select w.text, count(*) n from capture c join word w on w.id = c.mime group by c.mime order by n desc, w.text" },
		{ "status",
		  "select ifnull(status, 'none'), count(*) n from capture group by status order by n desc, status" },
		{ "lang",
		  "select w.text, count(*) n from capture c join content t on t.id = c.content join word w on w.id = t.lang group by t.lang order by n desc, w.text" },
		{ "charset",
		  "select w.text, count(*) n from capture c join word w on w.id = c.charset group by c.charset order by n desc, w.text" },
		{ "flaws", "select kind, count(*) n from flaw group by kind order by n desc, kind" },
		{ "kind", "select kind, count(*) n from capture group by kind order by n desc, kind" },
		{ "months",
		  "select strftime('%Y-%m', time, 'unixepoch') m, count(*) from capture_key group by m order by m" },
		{ "hosts",
		  "select h.name, n from (select host, count(*) n from capture group by host order by n desc limit 1000) c join host h on h.id = c.host order by n desc, h.name" },
		{ "why",
		  "select why, count(*) n from capture where content is null group by why order by n desc, why" },
	};
	struct sqlite_catalog *c = sq(base);
	sqlite3_stmt *s = NULL;
	const char *sql = NULL;
	int rc, step;

	for (size_t i = 0; i < COUNT(questions); i++)
		if (strcmp(questions[i].what, what) == 0)
			sql = questions[i].sql;
	if (!sql)
		return err_set(err, WN_USAGE, "there are no counts by %s", what);
	if ((rc = sq_prepare(c, &s, sql, err)) < 0)
		return rc;
	while ((step = sqlite3_step(s)) == SQLITE_ROW && rc == WN_OK) {
		sqlite3_column_text(s, 0); /* numbers become text */
		rc = each(context, sq_col(s, 0), sq_u64(s, 1));
	}
	if (rc == WN_OK && step != SQLITE_DONE)
		rc = sq_fail(c, "counts", err);
	sqlite3_finalize(s);
	return rc;
}

int sq_files(struct catalog *base, int (*each)(void *context, const struct catalog_file *f), void *context,
	     struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	sqlite3_stmt *s = NULL;
	int rc, step;

	if ((rc = sq_prepare(
		 c, &s, "select id, path, bytes, mtime, hash, done_to, complete, records, lines from file order by id",
		 err)) < 0)
		return rc;
	while ((step = sqlite3_step(s)) == SQLITE_ROW && rc == WN_OK) {
		struct str hash = sq_col(s, 4);
		struct catalog_file f = { .id = sq_u64(s, 0),
					  .path = sq_col(s, 1),
					  .bytes = sq_u64(s, 2),
					  .mtime = sqlite3_column_int64(s, 3),
					  .done_to = sq_u64(s, 5),
					  .complete = sq_u64(s, 6) != 0,
					  .records = sq_u64(s, 7),
					  .lines = sq_u64(s, 8) != 0 };

		memcpy(f.hash, hash.p, hash.n < sizeof f.hash ? hash.n : sizeof f.hash);
		rc = each(context, &f);
	}
	if (rc == WN_OK && step != SQLITE_DONE)
		rc = sq_fail(c, "files", err);
	sqlite3_finalize(s);
	return rc;
}
