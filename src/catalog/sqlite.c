/* catalog/sqlite.c -- the catalogue in SQLite: opening, locking, settings, versions.
 *
 * WAL mode: readers never wait, a writer waits for no reader.  synchronous is
 * NORMAL, so a power cut may take the last batches but never half of one, and
 * ingest reads again what is missing; sq_close checkpoints, which syncs.
 * One writer at a time holds an flock on the file `lock` of the collection.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fault.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/os.h"
#include "catalog/fault_vfs.h"
#include "catalog/linkstore.h"
#include "catalog/sqlite_int.h"

extern const unsigned char catalog_schema[];

int sq_fail(struct sqlite_catalog *c, const char *what, struct err *err)
{
	int code = sqlite3_extended_errcode(c->db) & 0xff;

	if (code == SQLITE_FULL)
		return err_set(
		    err, WN_IO,
		    "the disk is full: %s/catalog.db could not grow (%s); free some space and give the same command again",
		    c->base.dir, what);
	/* on such a disk SQLite stumbles over a file of its own that it cannot make, and may name another reason */
	if (code == SQLITE_READONLY || (code == SQLITE_CANTOPEN && access(c->base.dir, W_OK) != 0 && errno == EROFS))
		return err_set(err, WN_IO, "%s/catalog.db cannot be written (%s): the disk or the file is read-only",
			       c->base.dir, what);
	if (code == SQLITE_NOMEM)
		die("no memory for the catalogue; what was committed is safe. Try a smaller --memory");
	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		return err_set(err, WN_DATA,
			       "%s/catalog.db is damaged (%s: %s); make the collection again from its archives",
			       c->base.dir, what, sqlite3_errmsg(c->db));
	if (code == SQLITE_CANTOPEN) {
		int why = sqlite3_system_errno(c->db);

		if (why)
			return err_sys(err, why, "cannot open %s/catalog.db%s", c->base.dir,
				       why == EROFS ? " for writing" : "");
		return err_set(err, WN_IO,
			       "cannot open %s/catalog.db; who opens it must be allowed to read it and its directory",
			       c->base.dir);
	}
	if (code == SQLITE_BUSY)
		return err_set(err, WN_BUSY, "%s is being written by another process (%s)", c->base.dir, what);
	return err_set(err, WN_CATALOG, "%s: %s: %s", c->base.dir, what, sqlite3_errmsg(c->db));
}

int sq_exec(struct sqlite_catalog *c, const char *sql, struct err *err)
{
	return sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK ? WN_OK : sq_fail(c, sql, err);
}

int sq_prepare(struct sqlite_catalog *c, sqlite3_stmt **out, const char *sql, struct err *err)
{
	return sqlite3_prepare_v2(c->db, sql, -1, out, NULL) == SQLITE_OK ? WN_OK : sq_fail(c, sql, err);
}

int sq_run(struct sqlite_catalog *c, sqlite3_stmt *s, struct err *err)
{
	int rc = sqlite3_step(s);

	if (rc != SQLITE_DONE && rc != SQLITE_ROW) {
		sq_fail(c, sqlite3_sql(s), err);
		sqlite3_reset(s);
		return err ? err->code : WN_CATALOG;
	}
	sqlite3_reset(s);
	return WN_OK;
}

int sq_one(struct sqlite_catalog *c, const char *sql, int64_t *out, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc, step;

	if ((rc = sq_prepare(c, &s, sql, err)) < 0)
		return rc;
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		*out = sqlite3_column_int64(s, 0);
	else
		rc = step == SQLITE_DONE ? WN_END : sq_fail(c, sql, err);
	sqlite3_finalize(s);
	return rc;
}

int64_t sq_hash(char what, struct str value)
{
	char text[300];
	size_t n = value.n < sizeof text - 1 ? value.n : sizeof text - 1;

	text[0] = what;
	if (n)
		memcpy(text + 1, value.p, n);
	return (int64_t)hash64(text, n + 1);
}

static int lock_collection(struct sqlite_catalog *c, struct err *err)
{
	const char *path;
	struct arena a = { 0 };
	char owner[32] = "";
	int rc, n;

	path = arena_printf(&a, "%s/lock", c->base.dir).p;
	if ((rc = os_open(&c->lock_fd, path, O_RDWR | O_CREAT, err)) < 0)
		goto out;
	if (flock(c->lock_fd, LOCK_EX | LOCK_NB)) {
		if (pread(c->lock_fd, owner, sizeof owner - 1, 0) < 0)
			owner[0] = 0;
		rc = err_set(
		    err, WN_BUSY,
		    "%s is being written by another winnow (process %ld); wait until it ends, then give the command again",
		    c->base.dir, strtol(owner, NULL, 10));
		os_close(&c->lock_fd);
		goto out;
	}
	n = snprintf(owner, sizeof owner, "%ld\n", (long)getpid());
	if (ftruncate(c->lock_fd, 0) || pwrite(c->lock_fd, owner, (size_t)n, 0) < 0)
		rc = err_sys(err, errno, "cannot write %s", path);
out:
	arena_release(&a);
	return rc;
}

static int set_meta(struct sqlite_catalog *c, const char *key, struct str value, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc;

	if ((rc = sq_prepare(c, &s, "insert or replace into meta values (?, ?)", err)) < 0)
		return rc;
	sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
	sq_text_always(s, 2, value);
	rc = sq_run(c, s, err);
	sqlite3_finalize(s);
	return rc;
}

static int get_meta(struct sqlite_catalog *c, const char *key, struct arena *a, struct str *value, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc, step;

	if ((rc = sq_prepare(c, &s, "select cast(value as text) from meta where key = ?", err)) < 0)
		return rc;
	sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		*value = arena_str(a, sq_col(s, 0));
	else
		rc = step == SQLITE_DONE ? WN_NONE : sq_fail(c, "meta", err);
	sqlite3_finalize(s);
	return rc;
}

static int64_t meta_number(struct sqlite_catalog *c, const char *key, int64_t otherwise)
{
	struct arena a = { 0 };
	struct str v = STR_NONE;
	int64_t n = otherwise;

	if (get_meta(c, key, &a, &v, NULL) == WN_OK && !str_i64(v, &n))
		n = otherwise;
	arena_release(&a);
	return n;
}

static int set_number(struct sqlite_catalog *c, const char *key, int64_t v, struct err *err)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%" PRId64, v);

	return set_meta(c, key, str_n(text, (size_t)n), err);
}

static int make(struct sqlite_catalog *c, const struct catalog_settings *s, struct err *err)
{
	int rc;

	if ((rc = sq_exec(c, "begin immediate", err)) < 0)
		return rc;
	if ((rc = sq_exec(c, (const char *)catalog_schema, err)) == WN_OK &&
	    (rc = set_number(c, "version", CATALOG_VERSION, err)) == WN_OK &&
	    (rc = set_number(c, "k", s->k, err)) == WN_OK && (rc = set_number(c, "chars", s->chars, err)) == WN_OK &&
	    (rc = set_number(c, "bag", s->bag, err)) == WN_OK &&
	    (rc = set_number(c, "main_text", s->main_text, err)) == WN_OK &&
	    (rc = set_meta(c, "profile", str(s->profile), err)) == WN_OK &&
	    (rc = set_number(c, "extractor", s->extractor, err)) == WN_OK &&
	    (rc = set_number(c, "digests_spelled", 1, err)) == WN_OK &&
	    (rc = set_number(c, "revision", 0, err)) == WN_OK)
		return sq_exec(c, "commit", err);
	sqlite3_exec(c->db, "rollback", NULL, NULL, NULL);
	return rc;
}

/* Whoever makes a collection holds its lock from before there is a file until long after there are tables. */
static bool being_made(const struct sqlite_catalog *c)
{
	struct arena a = { 0 };
	int fd = -1;
	bool held = os_open(&fd, arena_printf(&a, "%s/lock", c->base.dir).p, O_RDONLY, NULL) == WN_OK &&
		    flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	os_close(&fd);
	arena_release(&a);
	return held;
}

static int load_settings(struct sqlite_catalog *c, struct err *err)
{
	struct catalog_settings *s = &c->base.settings;
	int64_t version = meta_number(c, "version", -1);
	struct arena a = { 0 };
	struct str profile = STR_NONE;

	if (version < 0 && c->lock_fd < 0 && being_made(c))
		return err_set(err, WN_BUSY, "%s is being made by another winnow just now; give the command again",
			       c->base.dir);
	if (version < 0)
		return err_set(err, WN_DATA, "%s/catalog.db is not a winnow catalogue", c->base.dir);
	if (version > CATALOG_VERSION)
		return err_set(err, WN_USAGE,
			       "%s was made by a newer winnow (catalogue version %" PRId64
			       ", this one reads up to %d); use that one",
			       c->base.dir, version, CATALOG_VERSION);
	s->k = (unsigned)meta_number(c, "k", 5);
	s->chars = meta_number(c, "chars", 0) != 0;
	s->bag = meta_number(c, "bag", 0) != 0;
	s->main_text = meta_number(c, "main_text", 0) != 0;
	s->extractor = (unsigned)meta_number(c, "extractor", 0);
	if (get_meta(c, "profile", &a, &profile, NULL) == WN_OK)
		snprintf(s->profile, sizeof s->profile, "%.*s", STR_FMT(profile));
	arena_release(&a);
	return WN_OK;
}

static bool sq_here(const char *dir)
{
	struct arena a = { 0 };
	bool here = access(arena_printf(&a, "%s/catalog.db", dir).p, F_OK) == 0;

	arena_release(&a);
	return here;
}

static void sq_close(struct catalog *base)
{
	struct sqlite_catalog *c = sq(base);

	if (c->lock_fd >= 0 && c->db)
		sqlite3_wal_checkpoint_v2(c->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	sq_cdx_release(c);
	sq_keys_release(c);
	sqlite3_finalize(c->one_capture);
	sqlite3_finalize(c->content_by_key);
	sqlite3_finalize(c->page_by_key);
	if (c->db)
		sqlite3_close_v2(c->db);
	linkstore_free(c->links);
	intern_release(&c->words.names);
	vec_release(&c->words.ids);
	intern_release(&c->hosts.names);
	vec_release(&c->hosts.ids);
	os_close(&c->lock_fd);
	mem_free(c->base.dir);
	mem_free(c);
}

static int open_file(struct sqlite_catalog *c, const char *name, int flags, struct err *err)
{
	fault_vfs_install();
	if (sqlite3_open_v2(name, &c->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		return sq_fail(c, "opening it", err);
	sqlite3_extended_result_codes(c->db, 1);
	sq_links_install(c);
	if (!(flags & SQLITE_OPEN_READONLY))
		sq_given_install(c->db);
	sq_members_install(c->db, c->base.dir);
	sqlite3_busy_timeout(c->db, 60000); /* batches of another writer are short */
	if (sqlite3_exec(
		c->db,
		/* a reader maps what SQLite is able to: pages behind that are copied by calls, one by one */
		flags & SQLITE_OPEN_READONLY
		    ? "pragma cache_size = -32768; pragma temp_store = memory; pragma mmap_size = 2147418112; select 1 from meta"
		    : "pragma cache_size = -32768; pragma temp_store = memory; pragma mmap_size = 1073741824; select 1 from meta",
		NULL, NULL, NULL) == SQLITE_OK)
		return WN_OK;
	/* no table yet is for the caller to see */
	return (sqlite3_errcode(c->db) & 0xff) == SQLITE_ERROR ? WN_OK : sq_fail(c, "opening it", err);
}

static int copy_file(const char *from, const char *to, struct err *err)
{
	char *piece = mem_alloc(MIB);
	int in = -1, out = -1, rc;
	size_t got = 0;

	if ((rc = os_open(&in, from, O_RDONLY, err)) == WN_OK)
		rc = os_open(&out, to, O_WRONLY | O_CREAT | O_EXCL, err);
	while (rc == WN_OK && (rc = os_read(in, piece, MIB, &got, from, err)) == WN_OK && got)
		rc = os_write(out, piece, got, to, err);
	os_close(&in);
	os_close(&out);
	mem_free(piece);
	return rc;
}

/* The same where a log waits to be read: SQLite reads logs only where it may write, so that it gets a copy of both, whose
 * files have no names any more once they are open. */
static int open_copy(struct sqlite_catalog *c, struct arena *a, const char *path, struct err *err)
{
	const char *tmp = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	char *dir = arena_strz(a, arena_printf(a, "%s/winnow-XXXXXX", tmp));
	static const char *const suffixes[] = { "", "-wal", "-shm" };
	const char *copy;
	int rc;

	if (!mkdtemp(dir))
		return err_sys(err, errno, "cannot make a directory in %s", tmp);
	copy = arena_printf(a, "%s/catalog.db", dir).p;
	sqlite3_close_v2(c->db);
	c->db = NULL;
	if ((rc = copy_file(path, copy, err)) == WN_OK &&
	    (rc = copy_file(arena_printf(a, "%s-wal", path).p, arena_printf(a, "%s-wal", copy).p, err)) == WN_OK)
		rc = open_file(c, copy, SQLITE_OPEN_READONLY, err);
	for (size_t i = 0; i < COUNT(suffixes); i++)
		os_unlink(arena_printf(a, "%s%s", copy, suffixes[i]).p, NULL);
	rmdir(dir);
	return rc;
}

/* Where nothing may be written, not even the shared memory of readers, and no log waits to be read:
 * the file does not change, and SQLite need not look. */
static int open_unchanging(struct sqlite_catalog *c, struct arena *a, const char *path, struct err *err)
{
	struct buf uri = BUF(64 * KIB);
	struct stat st;
	int rc;

	if (stat(arena_printf(a, "%s-wal", path).p, &st) == 0 && st.st_size > 0)
		return open_copy(c, a, path, err);
	buf_str(&uri, STR("file:"));
	for (const char *p = path; *p; p++) {
		if (strchr("?#%", *p))
			buf_printf(&uri, "%%%02x", (unsigned)(unsigned char)*p);
		else
			buf_byte(&uri, *p);
	}
	buf_add(&uri, "?immutable=1", sizeof "?immutable=1");
	sqlite3_close_v2(c->db);
	c->db = NULL;
	rc = open_file(c, uri.p, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
	buf_release(&uri);
	return rc;
}

static int open_database(struct sqlite_catalog *c, enum catalog_mode mode, struct err *err)
{
	struct arena a = { 0 };
	const char *path = arena_printf(&a, "%s/catalog.db", c->base.dir).p;
	int flags = mode == CATALOG_READ ? SQLITE_OPEN_READONLY
					 : SQLITE_OPEN_READWRITE | (mode == CATALOG_CREATE ? SQLITE_OPEN_CREATE : 0);
	int rc = open_file(c, path, flags, err), code;

	if (rc < 0 && mode == CATALOG_READ &&
	    ((code = sqlite3_errcode(c->db) & 0xff) == SQLITE_READONLY || code == SQLITE_CANTOPEN)) {
		if (err)
			err_reset(err); /* the first try ends well after all */
		rc = open_unchanging(c, &a, path, err);
	}
	if (rc == WN_OK && mode != CATALOG_READ)
		rc = sq_exec(
		    c,
		    "pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 4000",
		    err);
	arena_release(&a);
	return rc;
}

/* A new collection is made in an empty directory only: nobody's files get company by a slip. */
static int must_be_ours(const char *dir, struct err *err)
{
	struct arena a = { 0 };
	struct str *names = NULL;
	size_t n = 0;
	int rc = sq_here(dir) ? WN_OK : os_list(&a, dir, "", &names, &n, err);

	for (size_t i = 0; i < n && rc == WN_OK; i++)
		if (!str_eq(names[i], STR("lock")) && !str_eq(names[i], STR("winnow.conf")) &&
		    !str_eq(names[i], STR("incoming")))
			rc = err_set(err, WN_USAGE,
				     "%s is a directory with other files in it and no collection; name a new one", dir);
	if (rc == WN_USAGE)
		os_unlink(arena_printf(&a, "%s/lock", dir).p, NULL); /* ours, made a moment ago */
	arena_release(&a);
	return rc;
}

static int sq_open(struct catalog **out, const char *dir, enum catalog_mode mode, const struct catalog_settings *fresh,
		   struct err *err);

/* A collection of an earlier version is brought up to date by whoever opens it first; a reader becomes a writer for that moment. */
static int bring_up_to_date(struct sqlite_catalog *c, enum catalog_mode mode, struct err *err)
{
	int64_t version = meta_number(c, "version", -1);
	struct catalog *writer = NULL;
	struct err why = { 0 };
	int rc;

	if (version < 1 || version >= CATALOG_VERSION)
		return WN_OK; /* load_settings says what is wrong, if anything */
	if (version == 3 && mode == CATALOG_READ)
		return WN_OK; /* it only has nothing of what is new */
	if (mode == CATALOG_WRITE || mode == CATALOG_CREATE)
		return sq_migrate(c, version, err);
	if ((rc = sq_open(&writer, c->base.dir, CATALOG_WRITE, NULL, &why)) < 0)
		return err_set(err, rc,
			       "%s was made by an earlier winnow (catalogue version %" PRId64
			       ") and could not be brought up to date: %s",
			       c->base.dir, version, why.text);
	sq_close(writer);
	return WN_OK;
}

static int sq_open(struct catalog **out, const char *dir, enum catalog_mode mode, const struct catalog_settings *fresh,
		   struct err *err)
{
	struct sqlite_catalog *c = mem_zalloc(sizeof *c);
	int64_t tables = 0;
	int rc;

	c->base.ops = &catalog_backend_sqlite;
	c->base.dir = mem_strdup(dir);
	c->base.mode = mode;
	c->lock_fd = -1;
	if (mode == CATALOG_CREATE && (rc = os_mkdir(dir, err)) < 0)
		goto fail;
	if ((mode == CATALOG_WRITE || mode == CATALOG_CREATE) && (rc = lock_collection(c, err)) < 0)
		goto fail;
	/* under the lock: another process may be making it just now */
	if (mode == CATALOG_CREATE && (rc = must_be_ours(dir, err)) < 0)
		goto fail;
	if ((rc = open_database(c, mode, err)) < 0)
		goto fail;
	if ((rc = sq_one(c, "select count(*) from sqlite_master", &tables, err)) < 0)
		goto fail;
	if (tables == 0 && mode == CATALOG_CREATE && (rc = make(c, fresh, err)) < 0)
		goto fail;
	if ((rc = bring_up_to_date(c, mode, err)) < 0 || (rc = load_settings(c, err)) < 0)
		goto fail;
	if ((mode == CATALOG_WRITE || mode == CATALOG_CREATE) && (rc = sq_add_indexes(c, err)) < 0)
		goto fail;
	*out = &c->base;
	return WN_OK;
fail:
	sq_close(&c->base);
	return rc;
}

static int sq_begin(struct catalog *base, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	int64_t ignored = 0;
	int rc;

	if (sqlite3_get_autocommit(c->db) && (rc = sq_exec(c, "begin", err)) < 0)
		return rc; /* held: it has one already */
	c->in_snapshot = true;
	/* the snapshot is taken by the first read */
	rc = sq_one(c, "select count(*) from meta", &ignored, err);
	return rc < 0 ? rc : WN_OK;
}

static void sq_end(struct catalog *base)
{
	struct sqlite_catalog *c = sq(base);

	if (c->in_snapshot)
		sqlite3_exec(c->db, "commit", NULL, NULL, NULL);
	c->in_snapshot = false;
}

/* Without a transaction each question takes its own lock: slower, not wrong; so failures need no answer. */
static void run_kept(struct sqlite_catalog *c, sqlite3_stmt **s, const char *sql)
{
	if (!*s && sqlite3_prepare_v3(c->db, sql, -1, SQLITE_PREPARE_PERSISTENT, s, NULL) != SQLITE_OK)
		return;
	sqlite3_step(*s);
	sqlite3_reset(*s);
}

static void sq_hold(struct catalog *base)
{
	struct sqlite_catalog *c = sq(base);

	if (sqlite3_get_autocommit(c->db))
		run_kept(c, &c->hold, "begin");
}

static void sq_rest(struct catalog *base)
{
	struct sqlite_catalog *c = sq(base);

	if (!sqlite3_get_autocommit(c->db) && !c->in_snapshot)
		run_kept(c, &c->rest, "commit");
}

static int sq_next(struct catalog *base, struct catalog_next *out, struct err *err)
{
	static const char *const tables[] = { "file", "crawl", "capture", "content", "page" };
	struct sqlite_catalog *c = sq(base);
	int64_t v[COUNT(tables)];
	int rc;

	for (size_t i = 0; i < COUNT(tables); i++) {
		char sql[128], key[32];
		int64_t used;

		/* ids are never given twice, though their rows may be gone */
		snprintf(sql, sizeof sql, "select ifnull(max(id), 0) from %s", tables[i]);
		v[i] = 0;
		if ((rc = sq_one(c, sql, &v[i], err)) < 0)
			return rc;
		snprintf(key, sizeof key, "last_%s", tables[i]);
		used = meta_number(c, key, 0);
		v[i] = (used > v[i] ? used : v[i]) + 1;
	}
	*out = (struct catalog_next){ (uint64_t)v[0], (uint64_t)v[1], (uint64_t)v[2],
				      (uint64_t)v[3], (uint64_t)v[4], (uint64_t)meta_number(c, "revision", 0) };
	return WN_OK;
}

int sq_bump_revision(struct sqlite_catalog *c, uint64_t by, struct err *err)
{
	return by ? set_number(c, "revision", meta_number(c, "revision", 0) + (int64_t)by, err) : WN_OK;
}

static int sq_get(struct catalog *base, const char *key, struct arena *a, struct str *value, struct err *err)
{
	return get_meta(sq(base), key, a, value, err);
}

static int sq_set(struct catalog *base, const char *key, struct str value, struct err *err)
{
	return set_meta(sq(base), key, value, err);
}

static struct sqlite3 *sq_handle(struct catalog *base) { return sq(base)->db; }

/* clang-format off */
const struct catalog_backend catalog_backend_sqlite = {
	.name = "sqlite", .here = sq_here, .open = sq_open, .close = sq_close, .begin = sq_begin, .end = sq_end, .hold = sq_hold, .rest = sq_rest, .next = sq_next,
	.add = sq_add, .content_by_key = sq_content_by_key, .page_by_key = sq_page_by_key, .forget_texts = sq_forget_texts, .resolve = sq_resolve, .reprocessed = sq_reprocessed, .files = sq_files,
	.contents = sq_contents, .flawed = sq_flawed, .check = sq_check, .remove = sq_remove, .remove_captures = sq_remove_captures, .adopt = sq_adopt, .captures = sq_captures, .cdx = sq_cdx, .cdx_row = sq_cdx_row, .times = sq_times, .brief = sq_brief, .url = sq_url, .cover_state = sq_cover_state, .stats = sq_stats, .counts = sq_counts, .links = sq_links, .lost_links = sq_lost_links, .forget_links = sq_forget_links,
	.get = sq_get, .set = sq_set, .sqlite = sq_handle,
};
/* clang-format on */
