/* flow/committer.c -- see committer.h.
 *
 * Two loads go back and forth: one is made, one is written or empty.  `busy`
 * says whose the second is; nothing else is shared with the thread.  Rows are
 * entered while segments are written: only the transaction's commit waits for
 * them.  Segments of words are merged by a thread of its own, since the next
 * load need not wait for that.
 */
#include "flow/committer.h"

#include <inttypes.h>
#include <pthread.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/task.h"
#include "catalog/linkstore.h"
#include "fulltext/index.h"
#include "text/document.h"

struct committer {
	struct collection *coll;
	struct ftindex *words;
	unsigned threads;
	uint64_t memory;
	struct load *load; /* being written when busy, else empty */
	struct ftbuild *
	    *builds; /* one for each part of a load's words; kept from load to load for their memory, NULL at first */

	struct lang_memo **memos; /* of the threads that tell languages, NULL at first */

	/* of the threads; threads > 1 */
	pthread_t id, merger;
	pthread_mutex_t lock;
	pthread_cond_t turn; /* one of these has changed */
	bool busy, merging, closing;
	int rc; /* of the first load that failed */
	struct err err;
	int merge_rc;
	struct err merge_err;
};

struct load *load_new(void) { return mem_zalloc(sizeof(struct load)); }

static void load_reset(struct load *l)
{
	for (size_t i = 0; i < l->sources.n; i++)
		found_free(l->sources.p[i]);
	l->files.n = l->crawls.n = l->captures.n = l->updates.n = l->contents.n = l->sources.n = l->flaws.n =
	    l->pages.n = 0;
	map_release(&l->record_at);
	l->found_bytes = 0;
	arena_reset(&l->arena);
}

void load_free(struct load *l)
{
	if (!l)
		return;
	load_reset(l);
	arena_release(&l->arena);
	vec_release(&l->files);
	vec_release(&l->crawls);
	vec_release(&l->captures);
	vec_release(&l->updates);
	vec_release(&l->contents);
	vec_release(&l->sources);
	vec_release(&l->flaws);
	vec_release(&l->pages);
	mem_free(l);
}

bool load_empty(const struct load *l)
{
	return l->files.n + l->crawls.n + l->captures.n + l->updates.n + l->flaws.n == 0;
}

static const char *segment_path(const struct committer *w, const struct load *l, struct arena *a, const char *dir,
				uint64_t first)
{
	return collection_path(w->coll, a,
			       arena_printf(a, "%s/%010" PRIu64 "-%" PRIu64 ".seg", dir, l->segment, first).p);
}

static int write_sets(const struct committer *w, const struct load *l, struct err *err)
{
	struct arena a = { 0 };
	struct segment_writer *out = NULL;
	int rc = segment_writer_open(&out, segment_path(w, l, &a, "sketch", l->contents.p[0].id),
				     collection_spec(w->coll), l->contents.p[0].id, err);

	for (size_t i = 0; i < l->contents.n && rc == WN_OK; i++) {
		rc = segment_writer_put(out, l->contents.p[i].id, &l->sources.p[i]->packed, err);
		found_drop_sets(l->sources.p[i]);
	}
	if (rc == WN_OK)
		rc = segment_writer_commit(out, err);
	else
		segment_writer_abort(out);
	arena_release(&a);
	return rc;
}

/* The last part of a URL's path: what versions and translations of a page share most often. */
static struct str file_name(struct str url)
{
	struct str path = str_cut(&url, '?');

	return str_sub(path, (size_t)(str_rchr(path, '/') + 1), path.n);
}

static int by_name(const void *a, const void *b)
{
	const struct found *x = *(struct found *const *)a, *y = *(struct found *const *)b;
	int d = str_cmp(file_name(x->capture.url), file_name(y->capture.url));

	if (d || (d = str_cmp(x->capture.url, y->capture.url)))
		return d;
	return x->content.id < y->content.id ? -1 : x->content.id > y->content.id;
}

/* Versions of a page side by side: they are packed together. */
static int write_texts(const struct committer *w, const struct load *l, struct err *err)
{
	struct arena a = { 0 };
	struct textstore_writer *out = NULL;
	size_t n = l->contents.n;
	struct found **order = ARENA_ARRAY(&a, struct found *, n);
	int rc = textstore_writer_open(&out, segment_path(w, l, &a, "text", l->contents.p[0].id), l->contents.p[0].id,
				       n, err);

	memcpy(order, l->sources.p, n * sizeof(struct found *));
	sort_array(order, n, sizeof(struct found *), by_name);
	for (size_t i = 0; i < n && rc == WN_OK; i++)
		rc = textstore_writer_add(out, order[i]->content.id, order[i]->texts, err);
	if (rc == WN_OK)
		rc = textstore_writer_commit(out, err);
	else
		textstore_writer_abort(out);
	arena_release(&a);
	return rc;
}

static int write_links(const struct committer *w, const struct load *l, struct err *err)
{
	struct arena a = { 0 };
	int rc = linkstore_write(segment_path(w, l, &a, "links", l->pages.p[0].id), l->pages.p, l->pages.n, err);

	arena_release(&a);
	return rc;
}

/* The words of contents [from, to): one builder's work. */
static int write_words(const struct committer *w, const struct load *l, size_t part, size_t from, size_t to,
		       struct err *err)
{
	struct ftbuild *build = w->builds[part];
	int rc = WN_OK;

	if (!build)
		build = w->builds[part] = ftbuild_new(w->memory / w->threads);
	for (size_t i = from; i < to && rc == WN_OK; i++) {
		const struct texts *t = &l->sources.p[i]->texts.texts;

		rc = ftindex_add(w->words, build, l->contents.p[i].id, t->title, t->body, err);
	}
	return rc == WN_OK ? ftindex_flush(w->words, build, err) : rc;
}

/* Words in parts, then texts, sets and links: the longest first.  None has to do with another.  Of a few contents links, sets,
 * texts and words one after the other: they may be large, and each then has the memory of the one before. */
enum { FEW = 64 };

struct segment_work {
	const struct committer *w;
	const struct load *l;
	size_t parts, part; /* how many of words, contents of each */
	struct segment_end {
		int rc;
		struct err err;
	} * ends;
};

static void write_some(void *context, size_t from, size_t to, unsigned worker)
{
	struct segment_work *s = context;
	size_t n = s->l->contents.n;

	(void)worker;
	for (size_t i = from; i < to; i++) {
		size_t first = i * s->part, last = first + s->part;
		struct segment_end *end = &s->ends[i];

		if (i == s->parts + 2)
			end->rc = s->l->pages.n ? write_links(s->w, s->l, &end->err) : WN_OK;
		else if (n == 0)
			end->rc = WN_OK;
		else if (i < s->parts)
			end->rc = write_words(s->w, s->l, i, first < n ? first : n, last < n ? last : n, &end->err);
		else if (i == s->parts)
			end->rc = write_texts(s->w, s->l, &end->err);
		else
			end->rc = write_sets(s->w, s->l, &end->err);
	}
}

static int write_segments(const struct committer *w, const struct load *l, struct err *err)
{
	struct segment_work s = { .w = w, .l = l };
	size_t n;
	int rc = WN_OK;

	if (w->words)
		s.parts = l->contents.n >= FEW ? w->threads : 1;
	s.part = s.parts ? (l->contents.n + s.parts - 1) / s.parts : 0;
	n = s.parts + 3;
	s.ends = mem_zarray(n, sizeof *s.ends);
	if (l->contents.n >= FEW)
		task_each(w->threads, n, 1, write_some, &s);
	else
		for (size_t i = n; i-- > 0;)
			write_some(&s, i, i + 1, 0);
	for (size_t i = 0; i < n && rc == WN_OK; i++)
		if ((rc = s.ends[i].rc) < 0)
			*err = s.ends[i].err;
	mem_free(s.ends);
	return rc == WN_OK && w->words ? ftindex_commit(w->words, err) : rc;
}

/* Languages are told here, of many texts in a row: the tables then stay in the cache, which a page's other work would
 * push out of it. */
struct language_work {
	const struct load *l;
	struct lang *told;
	struct lang_memo **memos; /* of each worker */
};

static void tell_some(void *context, size_t from, size_t to, unsigned worker)
{
	struct language_work *work = context;

	if (!work->memos[worker])
		work->memos[worker] = lang_memo_new();
	for (size_t i = from; i < to; i++) {
		const struct texts_in *t = &work->l->sources.p[i]->texts;

		work->told[i] = document_lang_of(t->texts.body, t->texts.main, t->ranges, work->memos[worker]);
	}
}

static void tell_languages(const struct committer *w, struct load *l)
{
	struct language_work work = { l, ARENA_ARRAY(&l->arena, struct lang, l->contents.n), w->memos };

	task_each(w->threads, l->contents.n, 64, tell_some, &work);
	for (size_t i = 0; i < l->contents.n; i++) {
		l->contents.p[i].lang = str(work.told[i].code);
		l->contents.p[i].confidence = work.told[i].confidence;
	}
}

/* The same on a thread of its own. */
struct segments_work {
	const struct committer *w;
	const struct load *l;
	pthread_t id;
	bool open;
	int rc;
	struct err err;
};

static void *segments_main(void *arg)
{
	struct segments_work *s = arg;

	s->rc = write_segments(s->w, s->l, &s->err);
	return NULL;
}

static int segments_wait(void *context, struct err *err)
{
	struct segments_work *s = context;

	if (s->open)
		pthread_join(s->id, NULL);
	s->open = false;
	if (s->rc < 0 && err)
		*err = s->err;
	return s->rc;
}

static int write_load(struct committer *w, struct err *err)
{
	struct load *l = w->load;
	struct catalog_batch rows = { .files = l->files.p,
				      .n_files = l->files.n,
				      .crawls = l->crawls.p,
				      .n_crawls = l->crawls.n,
				      .captures = l->captures.p,
				      .n_captures = l->captures.n,
				      .contents = l->contents.p,
				      .n_contents = l->contents.n,
				      .updates = l->updates.p,
				      .n_updates = l->updates.n,
				      .flaws = l->flaws.p,
				      .n_flaws = l->flaws.n,
				      .pages = l->pages.p,
				      .n_pages = l->pages.n,
				      .links_apart = true };
	struct segments_work segments = { .w = w, .l = l };
	bool any = l->contents.n || l->pages.n;
	int rc;

	tell_languages(w, l);
	if (any && w->threads > 1) {
		if (pthread_create(&segments.id, NULL, segments_main, &segments))
			die("cannot start a thread; try --threads 1");
		segments.open = true;
		rows.ready = segments_wait;
		rows.context = &segments;
		rc = catalog_add(w->coll->catalog, &rows, err);
		segments_wait(&segments, NULL); /* rows that failed did not wait */
	} else {
		rc = any ? write_segments(w, l, err) : WN_OK;
		if (rc == WN_OK)
			rc = catalog_add(w->coll->catalog, &rows, err);
	}
	mem_watch();
	load_reset(l);
	return rc;
}

/* With one thread words are merged at the end. */
static void *merger_main(void *arg)
{
	struct committer *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		bool did = true;
		int rc = WN_OK;

		while (!w->merging && !w->closing)
			pthread_cond_wait(&w->turn, &w->lock);
		if (!w->merging)
			break;
		pthread_mutex_unlock(&w->lock);
		while (did && rc == WN_OK)
			rc = ftindex_merge(w->words, &did, &w->merge_err);
		pthread_mutex_lock(&w->lock);
		w->merge_rc = rc;
		w->merging = false;
		pthread_cond_broadcast(&w->turn);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void *committer_main(void *arg)
{
	struct committer *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->busy && !w->closing)
			pthread_cond_wait(&w->turn, &w->lock);
		if (!w->busy)
			break;
		pthread_mutex_unlock(&w->lock);
		int rc = write_load(w, &w->err); /* read by others when it is not busy only */

		pthread_mutex_lock(&w->lock);
		w->rc = rc;
		w->busy = false;
		if (w->words && rc == WN_OK && !w->merging && w->merge_rc == WN_OK)
			w->merging = true;
		pthread_cond_broadcast(&w->turn);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct committer *committer_new(struct collection *coll, struct ftindex *words, unsigned threads, uint64_t memory)
{
	struct committer *w = mem_zalloc(sizeof *w);

	w->coll = coll;
	w->words = words;
	w->threads = threads ? threads : 1;
	w->memory = memory;
	w->load = load_new();
	w->builds = mem_zarray(w->threads, sizeof(struct ftbuild *));
	w->memos = mem_zarray(w->threads, sizeof(struct lang_memo *));
	if (w->threads == 1)
		return w;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->turn, NULL);
	if (pthread_create(&w->id, NULL, committer_main, w) || pthread_create(&w->merger, NULL, merger_main, w))
		die("cannot start a thread; try --threads 1");
	return w;
}

/* Until the load is written; with `all`, until the merger rests as well. */
static int wait_for(struct committer *w, bool all, struct err *err)
{
	if (w->threads > 1) {
		pthread_mutex_lock(&w->lock);
		while (w->busy || (all && w->merging))
			pthread_cond_wait(&w->turn, &w->lock);
		if (w->rc == WN_OK && !w->merging && w->merge_rc < 0) {
			w->rc = w->merge_rc;
			w->err = w->merge_err;
		}
		pthread_mutex_unlock(&w->lock);
	}
	if (w->rc < 0 && err)
		*err = w->err;
	return w->rc;
}

static void drop_builds(struct committer *w)
{
	for (unsigned i = 0; i < w->threads; i++) {
		ftbuild_free(w->builds[i]);
		w->builds[i] = NULL;
	}
}

int committer_wait(struct committer *w, struct err *err)
{
	int rc = wait_for(w, true, err);

	drop_builds(w);
	return rc;
}

int committer_pass(struct committer *w, struct load **load, struct err *err)
{
	struct load *given = *load;
	int rc;

	if ((rc = wait_for(w, false, err)) < 0)
		return rc;
	*load = w->load;
	w->load = given;
	if (w->threads == 1) {
		w->rc = write_load(w, &w->err);
		return committer_wait(w, err);
	}
	pthread_mutex_lock(&w->lock);
	w->busy = true;
	pthread_cond_broadcast(&w->turn);
	pthread_mutex_unlock(&w->lock);
	return WN_OK;
}

void committer_free(struct committer *w)
{
	if (!w)
		return;
	if (w->threads > 1) {
		pthread_mutex_lock(&w->lock);
		w->closing = true;
		pthread_cond_broadcast(&w->turn);
		pthread_mutex_unlock(&w->lock);
		pthread_join(w->id, NULL);
		pthread_join(w->merger, NULL);
		pthread_cond_destroy(&w->turn);
		pthread_mutex_destroy(&w->lock);
	}
	drop_builds(w);
	mem_free(w->builds);
	for (unsigned i = 0; i < w->threads; i++)
		lang_memo_free(w->memos[i]);
	mem_free(w->memos);
	load_free(w->load);
	mem_free(w);
}
