/* catalog/sqlite_resolve.c -- finding the original of each revisit.
 *
 * A revisit points, in this order, to: the record its WARC-Refers-To names; a
 * capture of WARC-Refers-To-Target-URI at WARC-Refers-To-Date whose payload digest
 * does not contradict its own; a capture of its own URL with its payload digest; a
 * capture of any URL with that digest.  Digests are compared decoded: label, base and case say
 * nothing.  A revisit of a profile that is not known points to nothing.  Among several one with the digest wins,
 * then one that is not later than the revisit, the newest of those, else the nearest, then what else
 * tells captures apart, ids last, so that the order of ingest does not matter.  Where the one pointed to is a revisit itself the chain is followed,
 * by a loop, until a capture with a payload; a ring stays unresolved.  Linear in the
 * number of revisits.
 * A revisit takes content, digest and the rest from its original.
 */
#include "archive/digest.h"
#include "archive/flaw.h"
#include "archive/surt.h"
#include "base/limits.h"
#include "catalog/sqlite_int.h"

/* SHA-1 of nothing: equal for all empty pages, so it tells nothing across URLs. */
#define EMPTY_SHA1 "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"

enum { PICK_ID, PICK_URI, PICK_SAME_URL, PICK_ANY_URL, PICKS };

struct resolver {
	struct sqlite_catalog *c;
	struct err *err;
	sqlite3_stmt *by_hash, *by_uri, *kind;
	struct map points; /* revisit -> what it points to */
	struct map ends;   /* revisit -> its original, 0: none */
	struct buf key;
};

int64_t sq_digest_hash(struct str digest)
{
	char text[DIGEST_TEXT];

	return sq_hash('d', digest_spelled(digest, text));
}

/* spelled(DIGEST): the digest in its one spelling. */
static void sql_spelled(sqlite3_context *x, int n, sqlite3_value **v)
{
	struct str digest = str_n((const char *)sqlite3_value_text(v[0]), (size_t)sqlite3_value_bytes(v[0]));
	char text[DIGEST_TEXT];

	(void)n;
	if (!digest.p)
		return;
	digest = digest_spelled(digest, text);
	sqlite3_result_text(x, digest.p, (int)digest.n, SQLITE_TRANSIENT);
}

/* digest_hash(DIGEST): its hash as capture_hash has it. */
static void sql_digest_hash(sqlite3_context *x, int n, sqlite3_value **v)
{
	struct str digest = str_n((const char *)sqlite3_value_text(v[0]), (size_t)sqlite3_value_bytes(v[0]));

	(void)n;
	if (digest.p)
		sqlite3_result_int64(x, sq_digest_hash(digest));
}

/* An earlier winnow hashed digests as they were written: once, those in another spelling are entered anew. */
static int respell(struct sqlite_catalog *c, struct err *err)
{
	int64_t done = 0;
	int rc = sq_one(c, "select count(*) from meta where key = 'digests_spelled'", &done, err);

	if (rc < 0 || done)
		return rc;
	return sq_exec(c,
		       "insert or ignore into capture_hash select digest_hash(payload_digest), id from capture "
		       "where payload_digest is not null and spelled(payload_digest) <> payload_digest;"
		       "insert into meta values ('digests_spelled', '1')",
		       err);
}

static int add_functions(struct sqlite_catalog *c, struct err *err)
{
	const int how = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;

	if (sqlite3_create_function_v2(c->db, "spelled", 1, how, NULL, sql_spelled, NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_create_function_v2(c->db, "digest_hash", 1, how, NULL, sql_digest_hash, NULL, NULL, NULL) !=
		SQLITE_OK)
		return sq_fail(c, "functions", err);
	return WN_OK;
}

/* Steps s for its best row's id; 0 when there is none. */
static int best(struct resolver *r, sqlite3_stmt *s, uint64_t *id)
{
	int step = sqlite3_step(s), rc = WN_OK;

	*id = step == SQLITE_ROW ? sq_u64(s, 0) : 0;
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		rc = sq_fail(r->c, "revisit", r->err);
	sqlite3_reset(s);
	return rc;
}

/* by_hash: ?1 hash, ?2 the revisit, ?3 its time, ?4 urlkey or null, ?5 digest in its one spelling or null */
static int find_by_hash(struct resolver *r, int64_t hash, uint64_t revisit, int64_t time, struct str urlkey,
			struct str digest, uint64_t *id)
{
	sqlite3_bind_int64(r->by_hash, 1, hash);
	sq_int(r->by_hash, 2, revisit);
	sqlite3_bind_int64(r->by_hash, 3, time);
	sq_text(r->by_hash, 4, urlkey);
	sq_text(r->by_hash, 5, digest);
	return best(r, r->by_hash, id);
}

static int find_by_uri(struct resolver *r, struct str uri, uint64_t revisit, int64_t when, int64_t time,
		       struct str digest, uint64_t *id)
{
	buf_reset(&r->key);
	surt_add(surt_profile(r->c->base.settings.profile), uri, &r->key);
	sq_text_always(r->by_uri, 1, buf_view(&r->key));
	sq_int(r->by_uri, 2, revisit);
	sq_time_or_null(r->by_uri, 3, when);
	sqlite3_bind_int64(r->by_uri, 4, time);
	sq_text(r->by_uri, 5, digest);
	return best(r, r->by_uri, id);
}

static int point(struct resolver *r, sqlite3_stmt *s)
{
	uint64_t revisit = sq_u64(s, 0), id = 0;
	int64_t time = sqlite3_column_int64(s, 1);
	char spelled[DIGEST_TEXT];
	struct str urlkey = sq_col(s, 2), digest = digest_spelled(sq_col(s, 4), spelled), refers_to = sq_col(s, 5),
		   uri = sq_col(s, 6);
	int64_t when = sq_time(s, 7);
	bool empty = str_ifind(digest, STR(EMPTY_SHA1)) >= 0;
	int rc = WN_OK;

	for (int pick = 0; pick < PICKS && !id && rc == WN_OK; pick++) {
		if (pick == PICK_ID && refers_to.n)
			rc = find_by_hash(r, sq_hash('i', refers_to), revisit, time, STR_NONE, STR_NONE, &id);
		else if (pick == PICK_URI && uri.n)
			rc = find_by_uri(r, uri, revisit, when, time, digest, &id);
		else if (pick == PICK_SAME_URL && digest.n)
			rc = find_by_hash(r, sq_hash('d', digest), revisit, time, urlkey, digest, &id);
		else if (pick == PICK_ANY_URL && digest.n && !empty)
			rc = find_by_hash(r, sq_hash('d', digest), revisit, time, STR_NONE, digest, &id);
	}
	if (id)
		map_put(&r->points, revisit, id);
	return rc;
}

/* The capture with a payload that `at` is or knows; 0 when it is a revisit that is not resolved. */
static int payload_of(struct resolver *r, uint64_t at, uint64_t *original)
{
	int step, rc = WN_OK;

	*original = 0;
	sq_int(r->kind, 1, at);
	step = sqlite3_step(r->kind);
	if (step == SQLITE_ROW)
		*original = sqlite3_column_int(r->kind, 0) == CAPTURE_REVISIT ? sq_u64(r->kind, 1) : at;
	else if (step != SQLITE_DONE)
		rc = sq_fail(r->c, "revisit", r->err);
	sqlite3_reset(r->kind);
	return rc;
}

/* Follows the pointers from a revisit to a capture with a payload; 0 for a dead end or a ring.  Each revisit is passed
 * once, whatever chains lead over it: all on the way get the same end. */
static int follow(struct resolver *r, uint64_t revisit, uint64_t *original)
{
	const uint64_t *next;
	uint64_t at = revisit, *end;
	int rc = WN_OK;

	*original = 0;
	for (;;) {
		if ((end = map_get(&r->ends, at))) {
			*original = *end; /* 0 also for one of this very way: a ring */
			break;
		}
		map_put(&r->ends, at, 0);
		if (!(next = map_get(&r->points, at)))
			break;
		at = *next;
		if ((rc = payload_of(r, at, original)) < 0 || *original)
			break;
	}
	for (at = revisit; *original && (end = map_get(&r->ends, at)) && !*end; at = *next) {
		*end = *original;
		if (!(next = map_get(&r->points, at)))
			break;
	}
	return rc;
}

static int settle(struct resolver *r, sqlite3_stmt *take, sqlite3_stmt *mark, sqlite3_stmt *own, uint64_t revisit,
		  uint64_t original)
{
	int rc;

	sq_int(take, 1, original);
	sq_int(take, 2, revisit);
	sq_int(mark, 1, revisit);
	sq_int(own, 1, revisit);
	if ((rc = sq_run(r->c, take, r->err)) < 0 || (rc = sq_run(r->c, mark, r->err)) < 0)
		return rc;
	return sq_run(r->c, own, r->err);
}

static int resolve_all(struct resolver *r, uint64_t *resolved)
{
	sqlite3_stmt *open = NULL, *take = NULL, *mark = NULL, *own = NULL;
	VEC(uint64_t) revisits = { 0 };
	int rc, step = SQLITE_DONE;

	if ((rc = sq_prepare(
		 r->c, &open,
		 "select v.capture, c.time, c.urlkey, c.url, c.payload_digest, v.refers_to, v.refers_uri, v.refers_time from revisit v "
		 "join capture c on c.id = v.capture where v.unresolved "
		 "and v.capture not in (select capture from flaw where kind = ? and capture is not null) order by v.capture",
		 r->err)) < 0 ||
	    (rc = sq_prepare(
		 r->c, &take,
		 "update capture set (original, content, digest, mime, charset, bytes, why, published, page, status) = (select o.id, o.content, o.digest, "
		 "o.mime, o.charset, o.bytes, o.why, o.published, case when o.url = capture.url then o.page end, "
		 "case when capture.status is null or capture.status = 304 then o.status else capture.status end from capture o where o.id = ?1) where id = ?2",
		 r->err)) < 0 ||
	    (rc = sq_prepare(r->c, &mark, "update revisit set unresolved = 0 where capture = ?", r->err)) < 0 ||
	    (rc = sq_prepare(
		 r->c, &own,
		 "insert or ignore into content_capture select content, id from capture where id = ? and content is not null",
		 r->err)) < 0)
		goto out;
	sq_text(open, 1, str(flaw_name(FLAW_UNKNOWN_PROFILE)));
	while (rc == WN_OK && (step = sqlite3_step(open)) == SQLITE_ROW) {
		vec_push(&revisits, sq_u64(open, 0));
		rc = point(r, open);
	}
	if (rc == WN_OK && step != SQLITE_DONE)
		rc = sq_fail(r->c, "revisits", r->err);
	sqlite3_reset(open);
	for (size_t i = 0; i < revisits.n && rc == WN_OK; i++) {
		uint64_t original;

		if ((rc = follow(r, revisits.p[i], &original)) < 0 || !original)
			continue;
		rc = settle(r, take, mark, own, revisits.p[i], original);
		*resolved += rc == WN_OK;
	}
out:
	vec_release(&revisits);
	sqlite3_finalize(open);
	sqlite3_finalize(take);
	sqlite3_finalize(mark);
	sqlite3_finalize(own);
	return rc;
}

int sq_resolve(struct catalog *base, uint64_t *resolved, uint64_t *left, struct err *err)
{
	struct resolver r = { .c = sq(base), .err = err, .key = BUF(4 * LIMIT_URL) };
	int64_t n = 0;
	int rc;

	*resolved = *left = 0;
	if ((rc = sq_one(r.c, "select count(*) from revisit where unresolved", &n, err)) < 0 || n == 0)
		return rc;
	if ((rc = add_functions(r.c, err)) < 0 || (rc = sq_exec(r.c, "begin immediate", err)) < 0)
		return rc;
	/* a capture with a payload before another revisit; then the newest that is not later, else the nearest; a fixed order */
	if ((rc = respell(r.c, err)) == WN_OK &&
	    (rc = sq_prepare(
		 r.c, &r.by_hash,
		 "select c.id from capture_hash h join capture c on c.id = h.capture where h.hash = ?1 and c.id <> ?2 and (?4 is null or c.urlkey = ?4) "
		 "and (?5 is null or spelled(c.payload_digest) = ?5) order by c.kind = 2, c.time > ?3, abs(c.time - ?3), c.time, c.urlkey, c.url, c.at, c.payload_digest, c.length, c.id limit 1",
		 err)) == WN_OK &&
	    (rc = sq_prepare(
		 r.c, &r.by_uri,
		 "select c.id from capture_key k join capture c on c.id = k.capture where k.urlkey = ?1 and c.id <> ?2 and (?3 is null or k.time = ?3) "
		 /* digests of one algorithm can be compared; others say nothing */
		 "and (?5 is null or c.payload_digest is null or upper(spelled(c.payload_digest)) = upper(?5) or length(spelled(c.payload_digest)) <> length(?5) or "
		 "lower(substr(spelled(c.payload_digest), 1, instr(spelled(c.payload_digest), ':'))) <> lower(substr(?5, 1, instr(?5, ':')))) "
		 "order by c.kind = 2, upper(spelled(c.payload_digest)) is not upper(?5), c.time > ?4, abs(c.time - ?4), c.time, c.url, c.at, c.payload_digest, c.length, c.id limit 1",
		 err)) == WN_OK &&
	    (rc = sq_prepare(r.c, &r.kind, "select kind, original from capture where id = ?", err)) == WN_OK)
		rc = resolve_all(&r, resolved);
	if (rc == WN_OK)
		rc = sq_bump_revision(r.c, *resolved, err);
	sqlite3_finalize(r.by_hash);
	sqlite3_finalize(r.by_uri);
	sqlite3_finalize(r.kind);
	if (rc == WN_OK)
		rc = sq_exec(r.c, "commit", err);
	if (rc < 0)
		sqlite3_exec(r.c->db, "rollback", NULL, NULL, NULL);
	map_release(&r.points);
	map_release(&r.ends);
	buf_release(&r.key);
	*left = (uint64_t)n - *resolved;
	return rc;
}
