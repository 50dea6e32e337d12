/* flow/batch.c -- see batch.h. */
#include "flow/batch.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "archive/cdx.h"
#include "archive/surt.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/os.h"
#include "flow/committer.h"
#include "fulltext/index.h"
#include "text/document.h"

enum { BATCH_CAPTURES = 40000, KNOWN_MOST = 1 << 19, KNOWN_BYTES = 112 };
enum { SPOKEN_OF = 1 << 16 }; /* captures of a file that its next record may still speak of */

struct known_key {
	unsigned char key[32];
	uint64_t id;
	size_t before; /* index of another that begins alike, or SIZE_MAX */
};

struct batch {
	struct collection *coll;
	struct batch_options o;
	struct ftindex *words;
	struct catalog_next next;
	struct batch_counts counts;
	size_t captures_most; /* of one batch; WINNOW_BATCH in the environment makes it smaller, for tests of kills */

	struct load *load; /* the batch in the making */
	struct committer *committer;
	uint64_t crawl, crawl_file; /* the warcinfo that holds now */

	/* A request belongs to the capture that it names, else to the one before or behind it with its URL; all of one
	 * file.  Batches end where memory does, so what comes of it must not depend on whether that capture is in load or
	 * was passed on. */
	struct map passed; /* of this file, hash of record id -> capture; those in load are in its record_at */
	struct {
		uint64_t capture; /* 0: the newest has its request */
		struct buf url;
	} unasked;
	struct {
		bool open; /* a request whose capture has not come */
		struct buf url, query;
	} asking;

	/* contents known to be there: first 8 bytes of key -> index in known_keys; pages: key -> id */
	struct map known, known_pages;
	VEC(struct known_key) known_keys;
	struct catalog *asked;	      /* NULL until it is asked */
	bool ask_contents, ask_pages; /* the catalogue has some that are not in known; false in a new collection */
	uint64_t segment;	      /* number of the next segment file */
};

/* Removes segments that a killed writer left: those that begin at or after the next content, or page. */
static int clean_segments(struct batch *b, const char *name, uint64_t next, struct err *err)
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

		/* NNNNNNNNNN-FIRST.seg: the number orders files, FIRST is their first content or page */
		if (segment && (!str_u64(str_cut(&rest, '-'), &number) || !str_u64(rest, &first)))
			continue;
		if (!segment || first >= next)
			rc = os_unlink(path, err);
		else if (number >= b->segment)
			b->segment = number + 1;
	}
out:
	arena_release(&a);
	return rc;
}

struct memory_plan memory_plan(uint64_t memory, unsigned threads)
{
	struct memory_plan p = { .fixed = 96 * MIB, .threads = threads ? threads : 1 };
	uint64_t left = memory > p.fixed + 64 * MIB ? memory - p.fixed : 64 * MIB;

	p.waiting = left / 8;
	p.batch = left / 6;
	p.words = left / 6;
	p.known = left / 16 / KNOWN_BYTES < KNOWN_MOST ? (size_t)(left / 16 / KNOWN_BYTES) : KNOWN_MOST;
	/* a range holds one page more than its share, of some 10 times the payload */
	p.large = (size_t)(left / 12 / 24 / p.threads);
	if (p.large > 8 * MIB)
		p.large = 8 * MIB;
	p.wide = 2 * p.large;
	p.roomy = left / 5 >= 2 * LIMIT_PAGE_WORK;
	return p;
}

uint64_t memory_least(bool chars) { return chars ? 768 * MIB : 512 * MIB; }

/* That there is an index of words is remembered, so that its absence can be told from a collection without one. */
static int note_fulltext(struct collection *coll, struct err *err)
{
	struct arena a = { 0 };
	struct str value;
	int rc = catalog_get(coll->catalog, CATALOG_FULLTEXT, &a, &value, err);

	if (rc == WN_NONE)
		rc = catalog_set(coll->catalog, CATALOG_FULLTEXT, STR("1"), err);
	arena_release(&a);
	return rc;
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
	b->unasked.url = BUF(LIMIT_URL);
	b->asking.url = BUF(LIMIT_URL);
	b->asking.query = BUF(16 * LIMIT_POST_BODY);
	if (getenv("WINNOW_BATCH") && str_u64(str(getenv("WINNOW_BATCH")), &small) && small > 0 &&
	    small < BATCH_CAPTURES)
		b->captures_most = small;
	if ((rc = catalog_next(coll->catalog, &b->next, err)) == WN_OK &&
	    (rc = clean_segments(b, "sketch", b->next.content, err)) == WN_OK &&
	    (rc = clean_segments(b, "text", b->next.content, err)) == WN_OK &&
	    (rc = clean_segments(b, "links", b->next.page, err)) == WN_OK && o->fulltext &&
	    (rc = ftindex_open(&b->words, collection_path(coll, &a, "fulltext"), err)) == WN_OK &&
	    ftindex_end(b->words) > b->next.content && (rc = ftindex_truncate(b->words, b->next.content, err)) == WN_OK)
		rc = ftindex_commit(b->words, err);
	arena_release(&a);
	if (rc == WN_OK && o->fulltext)
		rc = note_fulltext(coll, err);
	if (rc < 0) {
		batch_close(b);
		return rc;
	}
	b->ask_contents = b->next.content > 1;
	b->ask_pages = b->next.page > 1;
	b->load = load_new();
	if (b->words)
		ftindex_memory(b->words, o->plan.words / 4);
	b->committer = committer_new(coll, b->words, o->threads, o->plan.words / 4 * 3);
	*out = b;
	return WN_OK;
}

void batch_close(struct batch *b)
{
	if (!b)
		return;
	committer_free(b->committer);
	load_free(b->load);
	catalog_close(b->asked);
	map_release(&b->known);
	map_release(&b->known_pages);
	vec_release(&b->known_keys);
	ftindex_close(b->words);
	map_release(&b->passed);
	buf_release(&b->unasked.url);
	buf_release(&b->asking.url);
	buf_release(&b->asking.query);
	mem_free(b);
}

const struct batch_counts *batch_counts(const struct batch *b) { return &b->counts; }

static uint64_t load_size(const struct load *l)
{
	return l->found_bytes + l->arena.used + (l->captures.n + l->updates.n) * (sizeof(struct capture) + 32) +
	       l->contents.n * sizeof(struct content) + l->flaws.n * sizeof(struct catalog_flaw) +
	       l->pages.n * sizeof(struct catalog_page);
}

bool batch_full(const struct batch *b)
{
	return b->load->captures.n + b->load->updates.n >= b->captures_most || load_size(b->load) >= b->o.plan.batch;
}

static bool is_unasked(const struct batch *b, const struct found *f)
{
	return b->unasked.capture && str_eq(buf_view(&b->unasked.url), f->asked_url);
}

/* The capture of this file with that record id, the newest of several; 0: none. */
static uint64_t capture_named(const struct batch *b, struct str record_id)
{
	uint64_t *at, id = 0;

	if (!record_id.n)
		return 0;
	if ((at = map_get(&b->load->record_at, hash_str(record_id))))
		id = b->load->captures.p[*at].id;
	else if ((at = map_get(&b->passed, hash_str(record_id))))
		id = *at;
	return b->next.capture - id <= SPOKEN_OF ? id : 0;
}

bool batch_worth(const struct batch *b) { return load_size(b->load) >= b->o.plan.batch / 4; }

bool batch_ends_before(const struct batch *b, const struct found *f, bool should)
{
	bool about_ours = (f->via_of.n && map_get(&b->load->record_at, hash_str(f->via_of))) ||
			  (f->asked_of.n && map_get(&b->load->record_at, hash_str(f->asked_of))) ||
			  (f->is_request && is_unasked(b, f)) || (f->is_capture && b->asking.open);

	return (should || batch_full(b)) && (!about_ours || load_size(b->load) >= 2 * b->o.plan.batch);
}

void batch_file(struct batch *b, const struct catalog_file *f)
{
	for (size_t i = 0; i < b->load->files.n; i++)
		if (b->load->files.p[i].id == f->id) {
			b->load->files.p[i] = *f;
			b->load->files.p[i].path = arena_str(&b->load->arena, f->path);
			return;
		}
	vec_push(&b->load->files, *f);
	vec_last(&b->load->files).path = arena_str(&b->load->arena, f->path);
}

/* What is known may be forgotten when all of it is committed: the catalogue knows it then. */
static void trim(struct batch *b)
{
	if (b->known.n > b->o.plan.known) {
		map_release(&b->known);
		b->known_keys.n = 0;
		b->ask_contents = true;
	}
	if (b->known_pages.n > b->o.plan.known) {
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

/* What the catalogue is asked through: a connection of its own while a thread writes.  It sees what is committed; what is
 * on its way there is in known. */
static int asked(struct batch *b, struct catalog **out, struct err *err)
{
	int rc = WN_OK;

	if (b->o.threads > 1 && !b->asked)
		rc = catalog_open(&b->asked, catalog_dir(b->coll->catalog), CATALOG_READ, NULL, err);
	*out = b->o.threads > 1 ? b->asked : b->coll->catalog;
	return rc;
}

/* The id of the content, new when nobody has it; *fresh says so. */
static int content_id(struct batch *b, const struct content *t, uint64_t *id, bool *fresh, struct err *err)
{
	uint64_t prefix = key_prefix(t->key), *at = map_get(&b->known, prefix);
	size_t first = at ? (size_t)*at : SIZE_MAX;
	struct catalog *catalog;
	int rc;

	*fresh = false;
	for (size_t i = first; i != SIZE_MAX; i = b->known_keys.p[i].before)
		if (memcmp(b->known_keys.p[i].key, t->key, 32) == 0) {
			*id = b->known_keys.p[i].id;
			return WN_OK;
		}
	*id = 0;
	if (b->ask_contents &&
	    ((rc = asked(b, &catalog, err)) < 0 || (rc = catalog_content_by_key(catalog, t->key, id, err)) < 0))
		return rc;
	if (*id == 0) {
		*id = b->next.content++;
		*fresh = true;
	}
	*map_put(&b->known, prefix, 0) = b->known_keys.n;
	vec_push(&b->known_keys, ((struct known_key){ .id = *id, .before = first }));
	memcpy(vec_last(&b->known_keys).key, t->key, 32);
	return WN_OK;
}

static int page_id(struct batch *b, uint64_t key, uint64_t *id, bool *fresh, struct err *err)
{
	uint64_t *known = map_get(&b->known_pages, key);
	struct catalog *catalog;
	int rc;

	*fresh = false;
	if (known) {
		*id = *known;
		return WN_OK;
	}
	*id = 0;
	if (b->ask_pages &&
	    ((rc = asked(b, &catalog, err)) < 0 || (rc = catalog_page_by_key(catalog, key, id, err)) < 0))
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

static void take_flaw(struct batch *b, const struct flaw *v, uint64_t file, uint64_t capture)
{
	vec_push(&b->load->flaws, ((struct catalog_flaw){ file, v->at, capture, flaw_name(v->kind),
							  arena_str(&b->load->arena, str(v->detail)) }));
}

static void take_text_flaws(struct batch *b, const struct found *f, uint64_t file, uint64_t capture)
{
	for (const struct document_flaw_name *n = document_flaw_names; n->flaw; n++)
		if (f->document_flaws & n->flaw)
			vec_push(&b->load->flaws,
				 ((struct catalog_flaw){ file, f->at, capture, n->name,
							 n->flaw == DOC_FLAW_READER_FAILED
							     ? arena_str(&b->load->arena, f->reader_failed)
							     : STR_NONE }));
}

static void take_flaws(struct batch *b, const struct found *f, uint64_t file, uint64_t capture)
{
	size_t before = b->load->flaws.n;

	for (unsigned i = 0; i < f->n_flaws; i++)
		take_flaw(b, &f->flaws[i], file, capture);
	take_text_flaws(b, f, file, capture);
	b->counts.flaws += b->load->flaws.n - before;
}

/* The links of a new page.  A found that stays (kept) holds them until the commit. */
static void take_links(struct batch *b, const struct found *f, uint64_t id, bool kept)
{
	vec_push(&b->load->pages,
		 ((struct catalog_page){ id, f->page_key, kept ? f->links : arena_str(&b->load->arena, f->links) }));
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
			found_flaws(f, (*at)->flaws, (*at)->n_flaws); /* garbage before it was seen in passing only */
			found_free(*at);
			*at = f;
		}
		b->counts.documents++;
		if (fresh) {
			b->counts.contents++;
			f->content.id = c->content;
			vec_push(&b->load->contents, f->content);
			b->load->found_bytes += found_size(f);
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

/* c is the answer to a request, other than GET where query is not empty. */
static void set_answer(const struct batch *b, struct arena *a, struct capture *c, struct str query)
{
	struct buf url = BUF(2 * LIMIT_URL + 16 * LIMIT_POST_BODY), key = BUF(4 * LIMIT_URL + 64 * LIMIT_POST_BODY);

	if (query.n && !c->method.n) {
		cdx_post_url(c->url, query, &url);
		surt_add(surt_profile(catalog_settings(b->coll->catalog)->profile), buf_view(&url), &key);
		c->urlkey = arena_str(a, buf_view(&key));
		query = str_sub(str_cut(&query, '&'), strlen("__wb_method="), SIZE_MAX);
		c->method = arena_str(a, query);
	}
	buf_release(&url);
	buf_release(&key);
}

/* Writes what a record said of a capture that is in the catalogue: c, whose key was `key`. */
static int rewrite(sqlite3 *db, const struct capture *c, struct str key, struct err *err)
{
	static const char *const steps[] = {
		"begin immediate",
		"update capture_key set urlkey = ?2 where urlkey = ?3 and time = ?4 and capture = ?1",
		"update capture set urlkey = ?2, method = nullif(?5, ''), via = nullif(?6, '') where id = ?1",
		"commit",
	};
	const struct str texts[][2] = { { c->urlkey, key }, { c->method, c->via } };
	bool ok = true;

	for (size_t i = 0; i < COUNT(steps) && ok; i++) {
		sqlite3_stmt *s = NULL;

		ok = sqlite3_prepare_v2(db, steps[i], -1, &s, NULL) == SQLITE_OK;
		if (ok && sqlite3_bind_parameter_count(s)) {
			sqlite3_bind_int64(s, 1, (sqlite3_int64)c->id);
			sqlite3_bind_int64(s, 4, c->time);
			for (int k = 0; k < 4; k++)
				sqlite3_bind_text(s, k < 2 ? k + 2 : k + 3,
						  texts[k / 2][k % 2].n ? texts[k / 2][k % 2].p : "",
						  (int)texts[k / 2][k % 2].n, SQLITE_STATIC);
		}
		ok = ok && sqlite3_step(s) == SQLITE_DONE;
		ok = sqlite3_finalize(s) == SQLITE_OK && ok;
	}
	if (ok)
		return WN_OK;
	err_set(err, WN_CATALOG, "capture: %s", sqlite3_errmsg(db));
	sqlite3_exec(db, "rollback", NULL, NULL, NULL);
	return WN_CATALOG;
}

/* What a record says of a capture, which is in load or, seldom, in a batch passed before: that is waited for. */
static int tell(struct batch *b, uint64_t capture, struct str query, struct str via, struct err *err)
{
	size_t n = b->load->captures.n;
	bool here = n && capture >= b->load->captures.p[0].id;
	struct arena own = { 0 }, *a = here ? &b->load->arena : &own;
	struct capture stored, *c = here ? &b->load->captures.p[capture - b->load->captures.p[0].id] : &stored;
	struct str key;
	int rc = WN_OK;

	if (!query.n && !via.n)
		return WN_OK;
	if (!here && ((rc = committer_wait(b->committer, err)) < 0 ||
		      (rc = catalog_capture(b->coll->catalog, &own, capture, &stored, err)) < 0))
		goto out;
	key = c->urlkey;
	set_answer(b, a, c, query);
	if (via.n)
		c->via = arena_str(a, via);
	if (!here)
		rc = rewrite(catalog_sqlite(b->coll->catalog), c, key, err);
out:
	arena_release(&own);
	return rc;
}

static int take_via(struct batch *b, const struct found *f, struct err *err)
{
	uint64_t capture = capture_named(b, f->via_of);

	return capture ? tell(b, capture, STR_NONE, f->via, err) : WN_OK;
}

static int take_request(struct batch *b, const struct found *f, struct err *err)
{
	uint64_t capture = capture_named(b, f->asked_of);

	if (!capture && is_unasked(b, f))
		capture = b->unasked.capture;
	if (capture) {
		if (capture == b->unasked.capture)
			b->unasked.capture = 0;
		return tell(b, capture, f->asked, STR_NONE, err);
	}
	buf_reset(&b->asking.url);
	buf_reset(&b->asking.query);
	buf_str(&b->asking.url, f->asked_url);
	buf_str(&b->asking.query, f->asked);
	b->asking.open = true;
	return WN_OK;
}

/* The newest capture of load. */
static void find_request(struct batch *b)
{
	struct capture *c = &vec_last(&b->load->captures);

	b->unasked.capture = c->id;
	buf_reset(&b->unasked.url);
	buf_str(&b->unasked.url, c->url);
	if (b->asking.open && str_eq(c->url, buf_view(&b->asking.url))) {
		set_answer(b, &b->load->arena, c, buf_view(&b->asking.query));
		b->unasked.capture = 0;
	}
	b->asking.open = false;
}

static void begin_file(struct batch *b, uint64_t file)
{
	b->crawl = 0;
	b->crawl_file = file;
	b->unasked.capture = 0;
	b->asking.open = false;
	map_release(&b->load->record_at);
	map_release(&b->passed);
}

/* The captures of load go, their names stay as long as a record may speak of them. */
static void pass_names(struct batch *b)
{
	struct map old = b->passed;
	const struct map *now = &b->load->record_at;

	if (old.n > SPOKEN_OF) {
		b->passed = (struct map){ 0 };
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].used && b->next.capture - old.slots[i].value <= SPOKEN_OF)
				map_put(&b->passed, old.slots[i].key, old.slots[i].value);
		map_release(&old);
	}
	for (size_t i = 0; i < now->cap; i++)
		if (now->slots[i].used) {
			uint64_t id = b->load->captures.p[now->slots[i].value].id;

			*map_put(&b->passed, now->slots[i].key, id) = id;
		}
}

int batch_take(struct batch *b, struct found *f, uint64_t file, struct err *err)
{
	uint64_t capture = 0;
	bool kept = false;
	int rc = WN_OK;

	if (b->crawl_file != file)
		begin_file(b, file);
	if (f->crawl) {
		struct catalog_crawl k = *f->crawl;
		struct str *all[] = { &k.record_id, &k.name, &k.software, &k.operator_, &k.fields };

		for (size_t i = 0; i < COUNT(all); i++)
			*all[i] = arena_str(&b->load->arena, *all[i]);
		k.id = b->crawl = b->next.crawl++;
		k.file = file;
		vec_push(&b->load->crawls, k);
	}
	if ((f->via_of.n && (rc = take_via(b, f, err)) < 0) || (f->is_request && (rc = take_request(b, f, err)) < 0))
		goto out;
	if (f->is_capture) {
		struct capture c = f->capture;

		c.id = capture = b->next.capture++;
		c.file = file;
		c.crawl = b->crawl;
		copy_capture(&b->load->arena, &c); /* first: f may be replaced below, and its arena with it */
		if ((rc = take_document(b, &f, &c, &kept, err)) < 0)
			goto out;
		if (f->record_id.n)
			*map_put(&b->load->record_at, hash_str(f->record_id), 0) = b->load->captures.n;
		vec_push(&b->load->captures, c);
		find_request(b);
		b->counts.captures++;
		b->counts.bytes_payload += c.bytes;
	}
	take_flaws(b, f, file, capture);
out:
	if (kept)
		vec_push(&b->load->sources, f);
	else
		found_free(f);
	return rc;
}

/* What is wrong with the payload as the segments make it, and with them. */
static void take_segment_flaws(struct batch *b, const struct found *f, const struct capture *known)
{
	for (unsigned i = 0; i < f->n_flaws; i++)
		if (flaw_of_payload(f->flaws[i].kind))
			take_flaw(b, &f->flaws[i], known->file, known->id);
}

int batch_retake(struct batch *b, struct found *f, const struct capture *known, bool rejoined, struct err *err)
{
	struct capture c = f->capture;
	size_t before = b->load->flaws.n;
	bool kept = false;
	int rc;

	c.id = known->id;
	c.file = known->file;
	c.rejoined = rejoined;
	copy_capture(&b->load->arena, &c);
	if (rejoined)
		take_segment_flaws(b, f, known);
	if ((rc = take_document(b, &f, &c, &kept, err)) == WN_OK) {
		vec_push(&b->load->updates, c);
		b->counts.captures++;
		take_text_flaws(b, f, c.file, c.id); /* in place of those it had */
		b->counts.flaws += b->load->flaws.n - before;
	}
	if (kept)
		vec_push(&b->load->sources, f);
	else
		found_free(f);
	return rc;
}

int batch_pass(struct batch *b, struct err *err)
{
	bool large = load_size(b->load) > 2 * b->o.plan.batch;
	int rc;

	if (load_empty(b->load))
		return WN_OK;
	b->load->segment = b->segment;
	b->segment += b->load->contents.n || b->load->pages.n;
	pass_names(b);
	if ((rc = committer_pass(b->committer, &b->load, err)) < 0)
		return rc;
	if (b->known.n <= b->o.plan.known && b->known_pages.n <= b->o.plan.known && (!large || b->o.plan.roomy))
		return WN_OK;
	if ((rc = committer_wait(b->committer, err)) == WN_OK)
		trim(b);
	return rc;
}

int batch_commit(struct batch *b, struct err *err)
{
	int rc = batch_pass(b, err);

	return rc == WN_OK ? committer_wait(b->committer, err) : rc;
}

int batch_make_room(struct batch *b, struct err *err) { return b->o.plan.roomy ? WN_OK : batch_commit(b, err); }

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
