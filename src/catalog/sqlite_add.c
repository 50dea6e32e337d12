/* catalog/sqlite_add.c -- one batch of ingest as one transaction.
 *
 * Rows of `capture` are appended by id; what is kept in another order (keys,
 * hashes, pages) is sorted first, so that every B-tree is entered from left to
 * right.  Cost: about a microsecond a row and index entry.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/flaw.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "catalog/linkpack.h"
#include "catalog/sqlite_int.h"
#include "text/document.h"

struct adder {
	struct sqlite_catalog *c;
	const struct catalog_batch *b;
	struct err *err;
};

/* What is not given is null. */
static void give_int(sqlite3_context *out, uint64_t v) { sqlite3_result_int64(out, (sqlite3_int64)v); }

static void give_int_or_null(sqlite3_context *out, uint64_t v)
{
	if (v)
		give_int(out, v);
}

static void give_text(sqlite3_context *out, struct str v)
{
	if (v.n)
		sqlite3_result_text(out, v.p, (int)v.n, SQLITE_STATIC);
}

static void give_blob(sqlite3_context *out, struct str v)
{
	if (v.n)
		sqlite3_result_blob(out, v.p, (int)v.n, SQLITE_STATIC);
}

static void give_text_always(sqlite3_context *out, struct str v)
{
	sqlite3_result_text(out, v.n ? v.p : "", (int)v.n, SQLITE_STATIC);
}

/* The id of a name in table `word` or `host`, made when new; 0 for an empty name. */
static int name_id(struct adder *x, struct name_cache *cache, const char *find, const char *make, struct str name,
		   struct str second, int64_t *id)
{
	sqlite3_stmt *s = NULL;
	uint32_t at = 0;
	int rc, step;

	*id = 0;
	if (name.n == 0)
		return WN_OK;
	if (intern_find(&cache->names, name, &at)) {
		*id = cache->ids.p[at];
		return WN_OK;
	}
	if ((rc = sq_prepare(x->c, &s, find, x->err)) < 0)
		return rc;
	sq_text_always(s, 1, name);
	step = sqlite3_step(s);
	if (step == SQLITE_ROW)
		*id = sqlite3_column_int64(s, 0);
	else if (step != SQLITE_DONE) /* it may have rolled back: what is inserted now would be committed at once */
		rc = sq_fail(x->c, find, x->err);
	sqlite3_finalize(s);
	if (rc < 0)
		return rc;
	if (step != SQLITE_ROW) {
		if ((rc = sq_prepare(x->c, &s, make, x->err)) < 0)
			return rc;
		sq_text_always(s, 1, name);
		if (sqlite3_bind_parameter_count(s) > 1)
			sq_text_always(s, 2, second);
		rc = sq_run(x->c, s, x->err);
		*id = sqlite3_last_insert_rowid(x->c->db);
		sqlite3_finalize(s);
		if (rc < 0)
			return rc;
	}
	at = intern_id(&cache->names, name);
	vec_push(&cache->ids, *id);
	return WN_OK;
}

static int word_id(struct adder *x, struct str text, int64_t *id)
{
	return name_id(x, &x->c->words, "select id from word where text = ?", "insert into word (text) values (?)",
		       text, STR_NONE, id);
}

static int host_id(struct adder *x, struct str name, struct str domain, int64_t *id)
{
	if (name.n == 0)
		name = STR("-");
	return name_id(x, &x->c->hosts, "select id from host where name = ?",
		       "insert into host (name, domain) values (?, ?)", name, domain, id);
}

static int add_files(struct adder *x)
{
	sqlite3_stmt *s = NULL;
	int rc;

	if ((rc = sq_prepare(x->c, &s, "insert or replace into file values (?,?,?,?,?,?,?,?,?,?)", x->err)) < 0)
		return rc;
	for (size_t i = 0; i < x->b->n_files && rc == WN_OK; i++) {
		const struct catalog_file *f = &x->b->files[i];
		ptrdiff_t slash = str_rchr(f->path, '/');

		sq_int(s, 1, f->id);
		sq_text_always(s, 2, f->path);
		sq_text_always(s, 3, str_sub(f->path, (size_t)(slash + 1), f->path.n));
		sq_int(s, 4, f->bytes);
		sqlite3_bind_int64(s, 5, f->mtime);
		sqlite3_bind_blob(s, 6, f->hash, sizeof f->hash, SQLITE_STATIC);
		sq_int(s, 7, f->done_to);
		sq_int(s, 8, f->complete);
		sq_int(s, 9, f->records);
		sq_int(s, 10, f->lines);
		rc = sq_run(x->c, s, x->err);
	}
	sqlite3_finalize(s);
	return rc;
}

static int add_crawls(struct adder *x)
{
	sqlite3_stmt *s = NULL;
	int rc;

	if ((rc = sq_prepare(x->c, &s, "insert into crawl values (?,?,?,?,?,?,?,?,?,?)", x->err)) < 0)
		return rc;
	for (size_t i = 0; i < x->b->n_crawls && rc == WN_OK; i++) {
		const struct catalog_crawl *k = &x->b->crawls[i];

		sq_int(s, 1, k->id);
		sq_int(s, 2, k->file);
		sq_int(s, 3, k->at);
		sq_int(s, 4, k->length);
		sq_text_always(s, 5, k->record_id);
		sq_text_always(s, 6, k->name);
		sq_text_always(s, 7, k->software);
		sq_text_always(s, 8, k->operator_);
		sqlite3_bind_int64(s, 9, k->time);
		sq_text_always(s, 10, k->fields);
		rc = sq_run(x->c, s, x->err);
	}
	sqlite3_finalize(s);
	return rc;
}

/* Names come before rows, for they may be rows of other tables. */
struct content_rows {
	const struct content *contents;
	int64_t *langs;
};

static void content_column(sqlite3_context *out, const void *rows, size_t row, int i)
{
	const struct content_rows *r = rows;
	const struct content *t = &r->contents[row];

	switch (i) {
	case 1: give_int(out, t->id); break;
	case 2: give_blob(out, str_n((const char *)t->key, sizeof t->key)); break;
	case 3: give_text(out, t->title); break;
	case 4: give_int_or_null(out, (uint64_t)r->langs[row]); break;
	case 5: sqlite3_result_double(out, t->confidence); break;
	case 6: give_int(out, t->words); break;
	case 7: give_int(out, t->shingles); break;
	case 8: give_int(out, t->shingles_main); break;
	default: give_int(out, t->bytes);
	}
}

static int add_contents(struct adder *x)
{
	size_t n = x->b->n_contents;
	struct content_rows rows = { x->b->contents, mem_array(n, sizeof *rows.langs) };
	int rc = WN_OK;

	for (size_t i = 0; i < n && rc == WN_OK; i++)
		rc = word_id(x, x->b->contents[i].lang, &rows.langs[i]);
	if (rc == WN_OK)
		rc = sq_insert_given(
		    x->c, "insert or fail into content select c1, c2, c3, c4, c5, c6, c7, c8, c9 from given(?)",
		    (struct sq_given){ n, &rows, content_column }, x->err);
	mem_free(rows.langs);
	return rc;
}

static int add_revisit(struct adder *x, sqlite3_stmt *s, const struct capture *c)
{
	sq_int(s, 1, c->id);
	sq_text(s, 2, c->refers_to);
	sq_text(s, 3, c->refers_uri);
	sq_time_or_null(s, 4, c->refers_time);
	return sq_run(x->c, s, x->err);
}

/* What capture rows are made of: captures, and the ids of their names. */
struct capture_rows {
	const struct capture *captures;
	struct capture_names {
		int64_t host, mime, declared, charset;
	} * names;
};

static void capture_column(sqlite3_context *out, const void *rows, size_t row, int i)
{
	const struct capture_rows *r = rows;
	const struct capture *c = &r->captures[row];

	switch (i) {
	case 1: give_int(out, c->id); break;
	case 2: give_int(out, c->file); break;
	case 3: give_int(out, c->at); break;
	case 4: give_int(out, c->length); break;
	case 5: give_int(out, c->skip); break;
	case 6: give_text(out, c->part); break;
	case 7: give_int(out, (uint64_t)c->kind); break;
	case 8: sqlite3_result_int64(out, c->time); break;
	case 9: sqlite3_result_int64(out, r->names[row].host); break;
	case 10: give_text_always(out, c->urlkey); break;
	case 11: give_text_always(out, c->url); break;
	case 12:
		if (c->status != CAPTURE_NO_STATUS)
			sqlite3_result_int(out, c->status);
		break;
	case 13: give_int_or_null(out, (uint64_t)r->names[row].mime); break;
	case 14: give_int_or_null(out, (uint64_t)r->names[row].declared); break;
	case 15: give_int_or_null(out, (uint64_t)r->names[row].charset); break;
	case 16: give_int(out, c->bytes); break;
	case 17: give_blob(out, c->digest); break;
	case 18: give_text(out, c->payload_digest); break;
	case 19: give_int_or_null(out, c->content); break;
	case 20: give_int(out, c->why); break;
	case 21: give_int_or_null(out, c->crawl); break;
	case 22: give_int_or_null(out, c->original); break;
	case 23:
		if (c->published != CAPTURE_NO_TIME)
			sqlite3_result_int64(out, c->published);
		break;
	case 24: give_int_or_null(out, c->page); break;
	case 25: give_text(out, c->redirect); break;
	case 26: give_text(out, c->via); break;
	default: give_text(out, c->method);
	}
}

static int add_captures(struct adder *x)
{
	size_t n = x->b->n_captures;
	struct capture_rows rows = { x->b->captures, mem_array(n, sizeof *rows.names) };
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		const struct capture *c = &x->b->captures[i];
		struct capture_names *names = &rows.names[i];

		if ((rc = host_id(x, c->host, c->domain, &names->host)) == WN_OK &&
		    (rc = word_id(x, c->mime, &names->mime)) == WN_OK &&
		    (rc = word_id(x, c->declared, &names->declared)) == WN_OK)
			rc = word_id(x, c->charset, &names->charset);
	}
	if (rc == WN_OK)
		rc = sq_insert_given(
		    x->c,
		    "insert or fail into capture select c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, "
		    "c13, c14, c15, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27 "
		    "from given(?)",
		    (struct sq_given){ n, &rows, capture_column }, x->err);
	if (rc == WN_OK)
		rc = sq_prepare(x->c, &s, "insert into revisit values (?,?,?,?,1)", x->err);
	for (size_t i = 0; i < n && rc == WN_OK; i++)
		if (x->b->captures[i].kind == CAPTURE_REVISIT)
			rc = add_revisit(x, s, &x->b->captures[i]);
	sqlite3_finalize(s);
	mem_free(rows.names);
	return rc;
}

/* What else is new of a capture that got other segments: its digest, their flaws and those of the payload. */
static int add_rejoined(struct adder *x, const struct capture *c)
{
	sqlite3_stmt *s[3] = { NULL };
	int rc;

	if ((rc = sq_prepare(x->c, &s[0], "delete from flaw where file = ? and capture = ? and kind = ?", x->err)) ==
		WN_OK &&
	    (rc = sq_prepare(x->c, &s[1], "update capture set payload_digest = ?2 where id = ?1", x->err)) == WN_OK &&
	    (rc = sq_prepare(x->c, &s[2], "insert or ignore into capture_hash values (?,?)", x->err)) == WN_OK) {
		sq_int(s[0], 1, c->file);
		sq_int(s[0], 2, c->id);
		for (int kind = 0; kind < FLAW_KINDS && rc == WN_OK; kind++)
			if (flaw_of_payload((enum flaw_kind)kind)) {
				sq_text_always(s[0], 3, str(flaw_name((enum flaw_kind)kind)));
				rc = sq_run(x->c, s[0], x->err);
			}
		sq_int(s[1], 1, c->id);
		sq_text(s[1], 2, c->payload_digest);
		sqlite3_bind_int64(s[2], 1, sq_digest_hash(c->payload_digest));
		sq_int(s[2], 2, c->id);
		for (size_t i = 1; i < COUNT(s) && c->payload_digest.n && rc == WN_OK; i++)
			rc = sq_run(x->c, s[i], x->err);
	}
	for (size_t i = 0; i < COUNT(s); i++)
		sqlite3_finalize(s[i]);
	return rc;
}

static bool is_of_text(const char *kind)
{
	const struct document_flaw_name *n = document_flaw_names;

	while (n->flaw && strcmp(n->name, kind) != 0)
		n++;
	return n->flaw != 0;
}

/* What the old texts of captures had wrong goes; add_flaws tells of the new ones.  One pass over all flaws, for they have
 * no index by capture and are few. */
static int forget_text_flaws(struct adder *x)
{
	struct map again = { 0 };
	sqlite3_stmt *all = NULL, *gone = NULL;
	int rc, step = SQLITE_DONE;

	for (size_t i = 0; i < x->b->n_updates; i++)
		map_put(&again, x->b->updates[i].id, 0);
	if ((rc = sq_prepare(x->c, &all, "select id, capture, kind from flaw where capture is not null", x->err)) < 0 ||
	    (rc = sq_prepare(x->c, &gone, "delete from flaw where id = ?", x->err)) < 0)
		goto out;
	while (rc == WN_OK && (step = sqlite3_step(all)) == SQLITE_ROW)
		if (map_get(&again, (uint64_t)sqlite3_column_int64(all, 1)) &&
		    is_of_text((const char *)sqlite3_column_text(all, 2))) {
			sqlite3_bind_int64(gone, 1, sqlite3_column_int64(all, 0));
			rc = sq_run(x->c, gone, x->err);
		}
	if (rc == WN_OK && step != SQLITE_DONE)
		rc = sq_fail(x->c, "read flaws", x->err);
out:
	sqlite3_finalize(all);
	sqlite3_finalize(gone);
	map_release(&again);
	return rc;
}

/* Captures whose text was made anew. */
static int add_updates(struct adder *x)
{
	sqlite3_stmt *s = NULL, *old = NULL, *own = NULL;
	int rc;

	if (x->b->n_updates == 0)
		return WN_OK;
	if ((rc = forget_text_flaws(x)) < 0 ||
	    (rc = sq_prepare(
		 x->c, &s,
		 "update capture set content = ?2, mime = ?3, charset = ?4, why = ?5, published = ?6, page = ?7, digest = ?8, bytes = ?9 where id = ?1",
		 x->err)) < 0 ||
	    (rc = sq_prepare(
		 x->c, &old,
		 "delete from content_capture where (content, capture) in (select content, id from capture where id = ?)",
		 x->err)) < 0 ||
	    (rc = sq_prepare(x->c, &own, "insert or ignore into content_capture values (?,?)", x->err)) < 0)
		goto out;
	for (size_t i = 0; i < x->b->n_updates; i++) {
		const struct capture *c = &x->b->updates[i];
		int64_t mime, charset;

		if ((rc = word_id(x, c->mime, &mime)) < 0 || (rc = word_id(x, c->charset, &charset)) < 0)
			break;
		sq_int(old, 1, c->id);
		sq_int(s, 1, c->id);
		sq_int_or_null(s, 2, c->content);
		sq_int_or_null(s, 3, (uint64_t)mime);
		sq_int_or_null(s, 4, (uint64_t)charset);
		sq_int(s, 5, c->why);
		sq_time_or_null(s, 6, c->published);
		sq_int_or_null(s, 7, c->page);
		sq_blob(s, 8, c->digest);
		sq_int(s, 9, c->bytes);
		sq_int(own, 1, c->content);
		sq_int(own, 2, c->id);
		if ((rc = sq_run(x->c, old, x->err)) < 0 || (rc = sq_run(x->c, s, x->err)) < 0 ||
		    (c->content && (rc = sq_run(x->c, own, x->err)) < 0) ||
		    (c->rejoined && (rc = add_rejoined(x, c)) < 0))
			break;
	}
out:
	sqlite3_finalize(s);
	sqlite3_finalize(old);
	sqlite3_finalize(own);
	return rc;
}

static int by_key(const void *a, const void *b)
{
	const struct capture *x = *(const struct capture *const *)a, *y = *(const struct capture *const *)b;
	int d = str_cmp(x->urlkey, y->urlkey);

	if (d)
		return d;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void key_column(sqlite3_context *out, const void *rows, size_t row, int i)
{
	const struct capture *c = ((const struct capture *const *)rows)[row];

	if (i == 1)
		give_text_always(out, c->urlkey);
	else
		sqlite3_result_int64(out, i == 2 ? c->time : (sqlite3_int64)c->id);
}

static int add_keys(struct adder *x)
{
	size_t n = x->b->n_captures;
	const struct capture **order = mem_array(n, sizeof(struct capture *));
	int rc;

	for (size_t i = 0; i < n; i++)
		order[i] = &x->b->captures[i];
	sort_array(order, n, sizeof(struct capture *), by_key);
	rc = sq_insert_given(x->c, "insert or fail into capture_key select c1, c2, c3 from given(?)",
			     (struct sq_given){ n, order, key_column }, x->err);
	mem_free(order);
	return rc;
}

struct pair {
	int64_t a, b;
};

static int by_pair(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return p->b < q->b ? -1 : p->b > q->b;
}

static void pair_column(sqlite3_context *out, const void *rows, size_t row, int i)
{
	const struct pair *p = (const struct pair *)rows + row;

	sqlite3_result_int64(out, i == 1 ? p->a : p->b);
}

/* Sorted pairs into a two-column table without rowid. */
static int add_pairs(struct adder *x, struct pair *p, size_t n, const char *sql)
{
	sort_array(p, n, sizeof *p, by_pair);
	return sq_insert_given(x->c, sql, (struct sq_given){ n, p, pair_column }, x->err);
}

static int add_hashes(struct adder *x)
{
	VEC(struct pair) hashes = { 0 }, contents = { 0 };
	int rc;

	for (size_t i = 0; i < x->b->n_captures; i++) {
		const struct capture *c = &x->b->captures[i];

		if (c->record_id.n)
			vec_push(&hashes, ((struct pair){ sq_hash('i', c->record_id), (int64_t)c->id }));
		if (c->payload_digest.n)
			vec_push(&hashes, ((struct pair){ sq_digest_hash(c->payload_digest), (int64_t)c->id }));
		if (c->content)
			vec_push(&contents, ((struct pair){ (int64_t)c->content, (int64_t)c->id }));
	}
	rc = add_pairs(x, hashes.p, hashes.n, "insert or ignore into capture_hash select c1, c2 from given(?)");
	if (rc == WN_OK)
		rc = add_pairs(x, contents.p, contents.n,
			       "insert or fail into content_capture select c1, c2 from given(?)");
	vec_release(&hashes);
	vec_release(&contents);
	return rc;
}

static void page_column(sqlite3_context *out, const void *rows, size_t row, int i)
{
	const struct catalog_batch *b = rows;
	const struct catalog_page *page = &b->pages[row];
	unsigned char elsewhere[LINKPACK_PAGE];

	if (i < 3)
		give_int(out, i == 1 ? page->id : page->key);
	else if (b->links_apart)
		sqlite3_result_blob(out, elsewhere, (int)linkpack_put_page(elsewhere, page->id), SQLITE_TRANSIENT);
	else
		give_blob(out, page->links);
}

static int add_pages(struct adder *x)
{
	return sq_insert_given(x->c, "insert or fail into page select c1, c2, c3 from given(?)",
			       (struct sq_given){ x->b->n_pages, x->b, page_column }, x->err);
}

static int add_flaws(struct adder *x)
{
	sqlite3_stmt *s = NULL;
	int rc;

	rc = sq_prepare(x->c, &s, "insert into flaw (file, at, kind, detail, capture) values (?,?,?,?,?)", x->err);
	for (size_t i = 0; i < x->b->n_flaws && rc == WN_OK; i++) {
		const struct catalog_flaw *f = &x->b->flaws[i];

		sq_int(s, 1, f->file);
		sq_int(s, 2, f->at);
		sq_text_always(s, 3, str(f->kind));
		sq_text_always(s, 4, f->detail);
		sq_int_or_null(s, 5, f->capture);
		rc = sq_run(x->c, s, x->err);
	}
	sqlite3_finalize(s);
	return rc;
}

void sq_forget_names(struct name_cache *cache)
{
	intern_release(&cache->names);
	vec_release(&cache->ids);
}

/* What of a batch counts for the revision: the sum over batches is the same however they were cut. */
static uint64_t changes(const struct catalog_batch *b)
{
	uint64_t n = b->n_captures + b->n_updates + b->n_flaws;

	for (size_t i = 0; i < b->n_files; i++)
		n += b->files[i].complete;
	return n;
}

int sq_add(struct catalog *base, const struct catalog_batch *b, struct err *err)
{
	static int (*const steps[])(struct adder *) = { add_files, add_crawls, add_contents, add_captures, add_updates,
							add_keys,  add_hashes, add_pages,    add_flaws };
	struct adder x = { sq(base), b, err };
	int rc;

	if ((rc = sq_exec(x.c, "begin immediate", err)) < 0)
		return rc;
	for (size_t i = 0; i < COUNT(steps) && rc == WN_OK; i++)
		rc = steps[i](&x);
	if (rc == WN_OK)
		rc = sq_bump_revision(x.c, changes(b), err);
	if (rc == WN_OK && b->ready)
		rc = b->ready(b->context, err);
	if (rc == WN_OK)
		rc = sq_exec(x.c, "commit", err);
	if (rc < 0) {
		sqlite3_exec(x.c->db, "rollback", NULL, NULL, NULL);
		/* names made in this transaction are gone with it */
		sq_forget_names(&x.c->words);
		sq_forget_names(&x.c->hosts);
	}
	if (x.c->hosts.names.n > 200000) /* a cache, not a copy of the table */
		sq_forget_names(&x.c->hosts);
	return rc;
}
