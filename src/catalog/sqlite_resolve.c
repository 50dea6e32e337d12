/* catalog/sqlite_resolve.c -- finding the original of each revisit.
 *
 * A revisit points, in this order, to: the record its WARC-Refers-To names; a
 * capture of WARC-Refers-To-Target-URI at WARC-Refers-To-Date whose payload digest
 * does not contradict its own; a capture of its own URL with its payload digest; a
 * capture of any URL with that digest.  Among several one with the digest wins,
 * then the nearest in time, an earlier one before a later one, then what else
 * tells captures apart, ids last, so that the order of ingest does not matter.  Where the one pointed to is a revisit itself the chain is followed,
 * by a loop, until a capture with a payload; a ring stays unresolved.  Linear in the
 * number of revisits.
 * A revisit takes content, digest and the rest from its original.
 */
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

/* by_hash: ?1 hash, ?2 the revisit, ?3 its time, ?4 urlkey or null, ?5 digest or null */
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
	struct str urlkey = sq_col(s, 2), digest = sq_col(s, 4), refers_to = sq_col(s, 5), uri = sq_col(s, 6);
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
		 "join capture c on c.id = v.capture where v.unresolved order by v.capture",
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
	if ((rc = sq_exec(r.c, "begin immediate", err)) < 0)
		return rc;
	/* a capture with a payload before another revisit; then the nearest, the earlier, and a fixed order */
	if ((rc = sq_prepare(
		 r.c, &r.by_hash,
		 "select c.id from capture_hash h join capture c on c.id = h.capture where h.hash = ?1 and c.id <> ?2 and (?4 is null or c.urlkey = ?4) "
		 "and (?5 is null or c.payload_digest = ?5) order by c.kind = 2, abs(c.time - ?3), c.time, c.urlkey, c.url, c.at, c.payload_digest, c.length, c.id limit 1",
		 err)) == WN_OK &&
	    (rc = sq_prepare(
		 r.c, &r.by_uri,
		 "select c.id from capture_key k join capture c on c.id = k.capture where k.urlkey = ?1 and c.id <> ?2 and (?3 is null or k.time = ?3) "
		 /* digests of one algorithm in one spelling can be compared; others say nothing */
		 "and (?5 is null or c.payload_digest is null or upper(c.payload_digest) = upper(?5) or length(c.payload_digest) <> length(?5) or "
		 "lower(substr(c.payload_digest, 1, instr(c.payload_digest, ':'))) <> lower(substr(?5, 1, instr(?5, ':')))) "
		 "order by c.kind = 2, upper(c.payload_digest) is not upper(?5), abs(c.time - ?4), c.time, c.url, c.at, c.payload_digest, c.length, c.id limit 1",
		 err)) == WN_OK &&
	    (rc = sq_prepare(r.c, &r.kind, "select kind, original from capture where id = ?", err)) == WN_OK)
		rc = resolve_all(&r, resolved);
	if (rc == WN_OK && *resolved)
		rc = sq_bump_revision(r.c, err);
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
