/* flow/batch.c -- see batch.h. */
#include "flow/batch.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/os.h"
#include "base/task.h"
#include "fulltext/index.h"
#include "text/document.h"

enum { BATCH_CAPTURES = 40000, KNOWN_MOST = 1 << 19 };

struct known_key {
	unsigned char key[32];
	uint64_t id;
};

struct batch {
	struct collection *coll;
	struct batch_options o;
	struct ftindex *words;
	struct catalog_next next;
	struct batch_counts counts;
	size_t captures_most; /* of one batch; WINNOW_BATCH in the environment makes it smaller, for tests of kills */

	/* the batch in the making */
	struct arena arena;
	VEC(struct catalog_file) files;
	VEC(struct catalog_crawl) crawls;
	VEC(struct capture) captures, updates;
	VEC(struct content) contents;
	VEC(struct found *) sources; /* of contents, same order: texts and sets */
	VEC(struct catalog_flaw) flaws;
	VEC(struct catalog_page) pages;
	struct map record_at; /* hash of record id -> index in captures */
	uint64_t text_bytes;
	uint64_t crawl, crawl_file; /* the warcinfo that holds now */

	/* contents known to be there: first 8 bytes of key -> index in known_keys; pages: key -> id */
	struct map known, known_pages;
	VEC(struct known_key) known_keys;
	bool ask_contents, ask_pages; /* the catalogue has some that are not in known; false in a new collection */
	uint64_t segment;	      /* number of the next segment file */
};

struct found *found_new(void)
{
	struct found *f = mem_zalloc(sizeof *f);

	f->packed = BUF(2 * GIB);
	f->capture = (struct capture){ .status = CAPTURE_NO_STATUS,
				       .published = CAPTURE_NO_TIME,
				       .refers_time = CAPTURE_NO_TIME };
	return f;
}

void found_flaws(struct found *f, const struct flaw *v, unsigned n)
{
	if (n == 0)
		return;
	f->flaws = ARENA_ARRAY(&f->arena, struct flaw, n);
	memcpy(f->flaws, v, n * sizeof *v);
	f->n_flaws = n;
}

void found_free(struct found *f)
{
	if (!f)
		return;
	arena_release(&f->arena);
	buf_release(&f->packed);
	mem_free(f);
}

/* Removes segments that a killed writer left: those that begin at or after the next content. */
static int clean_segments(struct batch *b, const char *name, struct err *err)
{
	struct arena a = { 0 };
	const char *dir = collection_path(b->coll, &a, name);
	struct str *names = NULL;
	size_t n = 0;
	int rc;

	if ((rc = os_mkdir(dir, err)) < 0 || (rc = os_list(&a, dir, "", &names, &n, err)) < 0)
		goto out;
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		const char *path = arena_printf(&a, "%s/%.*s", dir, STR_FMT(names[i])).p;
		uint64_t first = 0, number = 0;
		bool segment = str_ends(names[i], STR(".seg"));
		struct str rest = segment ? str_sub(names[i], 0, names[i].n - 4) : STR_NONE;

		/* NNNNNNNNNN-FIRST.seg: the number orders files, FIRST is their first content */
		if (segment && (!str_u64(str_cut(&rest, '-'), &number) || !str_u64(rest, &first)))
			continue;
		if (!segment || first >= b->next.content)
			rc = os_unlink(path, err);
		else if (number >= b->segment)
			b->segment = number + 1;
	}
out:
	arena_release(&a);
	return rc;
}

uint64_t batch_share(uint64_t memory)
{
	return memory > LIMIT_PAGE_WORK + LIMIT_PAGE_WORK / 4 ? (memory - LIMIT_PAGE_WORK) / 6 : memory / 24;
}

int batch_open(struct batch **out, struct collection *coll, const struct batch_options *o, struct err *err)
{
	struct batch *b = mem_zalloc(sizeof *b);
	struct arena a = { 0 };
	uint64_t small;
	int rc;

	b->coll = coll;
	b->o = *o;
	b->segment = 1;
	b->captures_most = BATCH_CAPTURES;
	if (getenv("WINNOW_BATCH") && str_u64(str(getenv("WINNOW_BATCH")), &small) && small > 0 &&
	    small < BATCH_CAPTURES)
		b->captures_most = small;
	if ((rc = catalog_next(coll->catalog, &b->next, err)) == WN_OK &&
	    (rc = clean_segments(b, "sketch", err)) == WN_OK && (rc = clean_segments(b, "text", err)) == WN_OK &&
	    o->fulltext && (rc = ftindex_open(&b->words, collection_path(coll, &a, "fulltext"), err)) == WN_OK &&
	    ftindex_end(b->words) > b->next.content && (rc = ftindex_truncate(b->words, b->next.content, err)) == WN_OK)
		rc = ftindex_commit(b->words, err);
	arena_release(&a);
	if (rc < 0) {
		batch_close(b);
		return rc;
	}
	b->ask_contents = b->next.content > 1;
	b->ask_pages = b->next.page > 1;
	*out = b;
	return WN_OK;
}

static void empty(struct batch *b)
{
	for (size_t i = 0; i < b->sources.n; i++)
		found_free(b->sources.p[i]);
	b->files.n = b->crawls.n = b->captures.n = b->updates.n = b->contents.n = b->sources.n = b->flaws.n =
	    b->pages.n = 0;
	map_release(&b->record_at);
	b->text_bytes = 0;
	arena_reset(&b->arena);
}

void batch_close(struct batch *b)
{
	if (!b)
		return;
	empty(b);
	arena_release(&b->arena);
	vec_release(&b->files);
	vec_release(&b->crawls);
	vec_release(&b->captures);
	vec_release(&b->updates);
	vec_release(&b->contents);
	vec_release(&b->sources);
	vec_release(&b->flaws);
	vec_release(&b->pages);
	map_release(&b->known);
	map_release(&b->known_pages);
	vec_release(&b->known_keys);
	ftindex_close(b->words);
	mem_free(b);
}

const struct batch_counts *batch_counts(const struct batch *b) { return &b->counts; }
uint64_t batch_next_file(struct batch *b) { return b->next.file++; }

bool batch_full(const struct batch *b)
{
	return b->captures.n + b->updates.n >= b->captures_most || b->text_bytes + b->arena.used >= b->o.memory;
}

void batch_file(struct batch *b, const struct catalog_file *f)
{
	for (size_t i = 0; i < b->files.n; i++)
		if (b->files.p[i].id == f->id) {
			b->files.p[i] = *f;
			b->files.p[i].path = arena_str(&b->arena, f->path);
			return;
		}
	vec_push(&b->files, *f);
	vec_last(&b->files).path = arena_str(&b->arena, f->path);
}

/* What is known may be forgotten between batches: the catalogue knows it then. */
static void trim(struct batch *b)
{
	if (b->known.n > KNOWN_MOST) {
		map_release(&b->known);
		b->known_keys.n = 0;
		b->ask_contents = true;
	}
	if (b->known_pages.n > KNOWN_MOST) {
		map_release(&b->known_pages);
		b->ask_pages = true;
	}
}

static uint64_t key_prefix(const unsigned char key[32])
{
	uint64_t v;

	memcpy(&v, key, 8);
	return v;
}

/* The id of the content, new when nobody has it; *fresh says so. */
static int content_id(struct batch *b, const struct content *t, uint64_t *id, bool *fresh, struct err *err)
{
	uint64_t prefix = key_prefix(t->key), *at = map_get(&b->known, prefix);
	int rc;

	*fresh = false;
	if (at && memcmp(b->known_keys.p[*at].key, t->key, 32) == 0) {
		*id = b->known_keys.p[*at].id;
		return WN_OK;
	}
	*id = 0;
	if (b->ask_contents && (rc = catalog_content_by_key(b->coll->catalog, t->key, id, err)) < 0)
		return rc;
	if (*id == 0) {
		*id = b->next.content++;
		*fresh = true;
	}
	if (!at) {
		map_put(&b->known, prefix, b->known_keys.n);
		vec_push(&b->known_keys, ((struct known_key){ .id = *id }));
		memcpy(vec_last(&b->known_keys).key, t->key, 32);
	} else {
		b->ask_contents = true; /* two keys begin alike: only one of them is in known */
	}
	return WN_OK;
}

static int page_id(struct batch *b, uint64_t key, uint64_t *id, bool *fresh, struct err *err)
{
	uint64_t *known = map_get(&b->known_pages, key);
	int rc;

	*fresh = false;
	if (known) {
		*id = *known;
		return WN_OK;
	}
	*id = 0;
	if (b->ask_pages && (rc = catalog_page_by_key(b->coll->catalog, key, id, err)) < 0)
		return rc;
	if (*id == 0) {
		*id = b->next.page++;
		*fresh = true;
	}
	map_put(&b->known_pages, key, *id);
	return WN_OK;
}

static void copy_capture(struct arena *a, struct capture *c)
{
	struct str *all[] = { &c->part,	    &c->host,	   &c->domain,	  &c->urlkey,	      &c->url,	    &c->mime,
			      &c->declared, &c->charset,   &c->digest,	  &c->payload_digest, &c->redirect, &c->via,
			      &c->method,   &c->record_id, &c->refers_to, &c->refers_uri };

	for (size_t i = 0; i < COUNT(all); i++)
		if (all[i]->n)
			*all[i] = arena_str(a, *all[i]);
}

static void take_flaws(struct batch *b, const struct found *f, uint64_t file, uint64_t capture)
{
	size_t before = b->flaws.n;

	for (unsigned i = 0; i < f->n_flaws; i++)
		vec_push(&b->flaws, ((struct catalog_flaw){ file, f->flaws[i].at, capture, flaw_name(f->flaws[i].kind),
							    arena_str(&b->arena, str(f->flaws[i].detail)) }));
	for (const struct document_flaw_name *n = document_flaw_names; n->flaw; n++)
		if (f->document_flaws & n->flaw)
			vec_push(&b->flaws, ((struct catalog_flaw){ file, f->at, capture, n->name,
								    n->flaw == DOC_FLAW_READER_FAILED
									? arena_str(&b->arena, f->reader_failed)
									: STR_NONE }));
	b->counts.flaws += b->flaws.n - before;
}

/* The links of a new page.  A found that stays (kept) holds them until the commit. */
static void take_links(struct batch *b, const struct found *f, uint64_t id, bool kept)
{
	vec_push(&b->pages,
		 ((struct catalog_page){ id, f->page_key, kept ? f->links : arena_str(&b->arena, f->links) }));
	if (kept)
		b->text_bytes += f->links.n;
}

/* Content and links of a capture; f is kept (*kept) when its texts are needed at the commit. */
static int take_document(struct batch *b, struct found **at, struct capture *c, bool *kept, struct err *err)
{
	struct found *f = *at;
	bool fresh;
	int rc;

	if (f->has_document) {
		if ((rc = content_id(b, &f->content, &c->content, &fresh, err)) < 0)
			return rc;
		if (fresh && !f->has_texts) { /* skipped as known, but the one it equals was never delivered */
			if ((rc = b->o.again(b->o.context, c, &f, err)) < 0)
				return rc;
			found_free(*at);
			*at = f;
		}
		b->counts.documents++;
		if (fresh) {
			b->counts.contents++;
			f->content.id = c->content;
			vec_push(&b->contents, f->content);
			b->text_bytes += f->texts.body.n + f->texts.main.n + f->packed.n;
			*kept = true;
		}
	}
	if (f->page_key) {
		if ((rc = page_id(b, f->page_key, &c->page, &fresh, err)) < 0)
			return rc;
		if (fresh && !f->has_links) {
			struct found *full = NULL;

			if ((rc = b->o.again(b->o.context, c, &full, err)) < 0)
				return rc;
			take_links(b, full, c->page, false);
			found_free(full);
		} else if (fresh) {
			take_links(b, f, c->page, *kept);
		}
	}
	return WN_OK;
}

static void take_via(struct batch *b, const struct found *f)
{
	uint64_t *at = map_get(&b->record_at, hash_str(f->via_of));

	if (at)
		b->captures.p[*at].via = arena_str(&b->arena, f->via);
}

int batch_take(struct batch *b, struct found *f, uint64_t file, struct err *err)
{
	uint64_t capture = 0;
	bool kept = false;
	int rc = WN_OK;

	if (b->crawl_file != file) {
		b->crawl = 0;
		b->crawl_file = file;
	}
	if (f->crawl) {
		struct catalog_crawl k = *f->crawl;
		struct str *all[] = { &k.record_id, &k.name, &k.software, &k.operator_, &k.fields };

		for (size_t i = 0; i < COUNT(all); i++)
			*all[i] = arena_str(&b->arena, *all[i]);
		k.id = b->crawl = b->next.crawl++;
		k.file = file;
		vec_push(&b->crawls, k);
	}
	if (f->via_of.n)
		take_via(b, f);
	if (f->is_capture) {
		struct capture c = f->capture;

		c.id = capture = b->next.capture++;
		c.file = file;
		c.crawl = b->crawl;
		copy_capture(&b->arena, &c); /* first: f may be replaced below, and its arena with it */
		if ((rc = take_document(b, &f, &c, &kept, err)) < 0)
			goto out;
		if (f->record_id.n)
			map_put(&b->record_at, hash_str(f->record_id), b->captures.n);
		vec_push(&b->captures, c);
		b->counts.captures++;
		b->counts.bytes_payload += c.bytes;
	}
	take_flaws(b, f, file, capture);
out:
	if (kept)
		vec_push(&b->sources, f);
	else
		found_free(f);
	return rc;
}

int batch_retake(struct batch *b, struct found *f, const struct capture *known, struct err *err)
{
	struct capture c = f->capture;
	bool kept = false;
	int rc;

	c.id = known->id;
	c.file = known->file;
	copy_capture(&b->arena, &c);
	if ((rc = take_document(b, &f, &c, &kept, err)) == WN_OK) {
		vec_push(&b->updates, c);
		b->counts.captures++;
	}
	if (kept)
		vec_push(&b->sources, f);
	else
		found_free(f);
	return rc;
}

static int write_sets(struct batch *b, struct err *err)
{
	struct arena a = { 0 };
	const char *path = collection_path(
	    b->coll, &a, arena_printf(&a, "sketch/%010" PRIu64 "-%" PRIu64 ".seg", b->segment, b->contents.p[0].id).p);
	struct segment_writer *w = NULL;
	int rc = segment_writer_open(&w, path, collection_spec(b->coll), b->contents.p[0].id, err);

	for (size_t i = 0; i < b->contents.n && rc == WN_OK; i++)
		rc = segment_writer_put(w, b->contents.p[i].id, &b->sources.p[i]->packed, err);
	if (rc == WN_OK)
		rc = segment_writer_commit(w, err);
	else
		segment_writer_abort(w);
	arena_release(&a);
	return rc;
}

static int write_texts(struct batch *b, struct err *err)
{
	struct arena a = { 0 };
	const char *path = collection_path(
	    b->coll, &a, arena_printf(&a, "text/%010" PRIu64 "-%" PRIu64 ".seg", b->segment, b->contents.p[0].id).p);
	struct textstore_writer *w = NULL;
	int rc = textstore_writer_open(&w, path, b->contents.p[0].id, err);

	for (size_t i = 0; i < b->contents.n && rc == WN_OK; i++)
		rc = textstore_writer_add(w, b->contents.p[i].id, b->sources.p[i]->texts, err);
	if (rc == WN_OK)
		rc = textstore_writer_commit(w, err);
	else
		textstore_writer_abort(w);
	arena_release(&a);
	return rc;
}

/* Each part of the batch's contents is one builder's work. */
struct word_work {
	struct batch *b;
	size_t part;
	int rc;
	struct err err;
};

static void index_part(void *context, size_t from, size_t to, unsigned worker)
{
	struct word_work *w = context;
	struct batch *b = w[0].b;
	size_t part = w[0].part;

	(void)worker;
	for (size_t p = from; p < to; p++) {
		size_t first = p * part, last = first + part < b->contents.n ? first + part : b->contents.n;
		struct ftbuild *build = ftbuild_new(b->o.memory);

		for (size_t i = first; i < last && w[p].rc == WN_OK; i++) {
			ftbuild_add(build, b->contents.p[i].id, b->sources.p[i]->texts.title,
				    b->sources.p[i]->texts.body);
			if (ftbuild_full(build))
				w[p].rc = ftindex_flush(b->words, build, &w[p].err);
		}
		if (w[p].rc == WN_OK)
			w[p].rc = ftindex_flush(b->words, build, &w[p].err);
		ftbuild_free(build);
	}
}

static int write_words(struct batch *b, struct err *err)
{
	unsigned parts = b->o.threads && b->contents.n >= 64 ? b->o.threads : 1;
	struct word_work *w = mem_zarray(parts, sizeof *w);
	int rc = WN_OK;

	for (unsigned p = 0; p < parts; p++)
		w[p] = (struct word_work){ .b = b, .part = (b->contents.n + parts - 1) / parts };
	task_each(parts, parts, 1, index_part, w);
	for (unsigned p = 0; p < parts && rc == WN_OK; p++)
		if (w[p].rc < 0) {
			rc = w[p].rc;
			if (err)
				*err = w[p].err;
		}
	mem_free(w);
	return rc == WN_OK ? ftindex_commit(b->words, err) : rc;
}

int batch_commit(struct batch *b, struct err *err)
{
	struct catalog_batch rows = { .files = b->files.p,
				      .n_files = b->files.n,
				      .crawls = b->crawls.p,
				      .n_crawls = b->crawls.n,
				      .captures = b->captures.p,
				      .n_captures = b->captures.n,
				      .contents = b->contents.p,
				      .n_contents = b->contents.n,
				      .updates = b->updates.p,
				      .n_updates = b->updates.n,
				      .flaws = b->flaws.p,
				      .n_flaws = b->flaws.n,
				      .pages = b->pages.p,
				      .n_pages = b->pages.n };
	int rc = WN_OK;

	if (rows.n_files + rows.n_crawls + rows.n_captures + rows.n_updates + rows.n_flaws == 0)
		return WN_OK;
	if (b->contents.n) {
		if ((rc = write_sets(b, err)) < 0 || (rc = write_texts(b, err)) < 0 ||
		    (b->words && (rc = write_words(b, err)) < 0))
			return rc;
		b->segment++;
	}
	if ((rc = catalog_add(b->coll->catalog, &rows, err)) < 0)
		return rc;
	mem_watch();
	empty(b);
	trim(b);
	return WN_OK;
}

static int forget_all(sqlite3 *db, struct ftindex *words, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = WN_OK;

	if (sqlite3_prepare_v2(db, "select id from dead_content", -1, &s, NULL) != SQLITE_OK)
		return err_set(err, WN_CATALOG, "dead_content: %s", sqlite3_errmsg(db));
	while (rc == WN_OK && sqlite3_step(s) == SQLITE_ROW)
		rc = ftindex_remove(words, (uint64_t)sqlite3_column_int64(s, 0), err);
	if (sqlite3_finalize(s) != SQLITE_OK && rc == WN_OK)
		rc = err_set(err, WN_CATALOG, "dead_content: %s", sqlite3_errmsg(db));
	if (rc == WN_OK && (rc = ftindex_commit(words, err)) == WN_OK &&
	    sqlite3_exec(db, "delete from dead_content", NULL, NULL, NULL) != SQLITE_OK)
		rc = err_set(err, WN_CATALOG, "dead_content: %s", sqlite3_errmsg(db));
	return rc;
}

int batch_forget(struct collection *coll, struct err *err)
{
	struct arena a = { 0 };
	struct ftindex *words = NULL;
	int rc;

	if ((rc = ftindex_open(&words, collection_path(coll, &a, "fulltext"), err)) == WN_OK)
		rc = forget_all(catalog_sqlite(coll->catalog), words, err);
	ftindex_close(words);
	arena_release(&a);
	return rc;
}

int batch_finish(struct batch *b, struct err *err)
{
	bool did = true;
	int rc = WN_OK;

	if (b->words)
		rc = forget_all(catalog_sqlite(b->coll->catalog), b->words, err);
	while (b->words && did && rc == WN_OK)
		rc = ftindex_merge(b->words, &did, err);
	return rc;
}
