/* flow/health.c -- see health.h. */
#include "flow/health.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "base/vec.h"
#include "catalog/linkstore.h"
#include "fulltext/index.h"

static void damaged(struct health *h, enum health_part part, const char *path, const char *why)
{
	h->damages++;
	h->damaged(h->context, part, path, why);
}

/* One file by its layer's checker: what is wrong with the file is told, what kept us from looking is returned. */
static int one_file(struct health *h, enum health_part part, int (*check)(const char *path, struct err *err),
		    const char *path, struct err *err)
{
	int rc = check(path, err);

	h->files++;
	if (rc != WN_DATA)
		return rc;
	damaged(h, part, path, err->text);
	err_reset(err);
	return WN_OK;
}

static int all_files(struct health *h, enum health_part part, int (*check)(const char *path, struct err *err),
		     const char *dir, struct err *err)
{
	struct arena arena = { 0 };
	struct str *names;
	size_t n;
	int rc = os_list(&arena, dir, ".seg", &names, &n, err);

	for (size_t i = 0; i < n && rc == WN_OK; i++)
		rc = one_file(h, part, check, arena_printf(&arena, "%s/%.*s", dir, STR_FMT(names[i])).p, err);
	arena_release(&arena);
	return rc;
}

struct missing {
	const struct segments *sets;
	const struct textstore *texts;
	uint64_t without_set, without_text;
	VEC(uint64_t) ids;
};

static int content(void *context, uint64_t id)
{
	struct missing *m = context;
	bool set = segments_find(m->sets, id) != NULL, text = textstore_has(m->texts, id);

	if (!set || !text)
		vec_push(&m->ids, id);
	m->without_set += !set;
	m->without_text += !text;
	return 0;
}

/* Contents of the catalogue that no segment holds: a file was lost whole. */
static int find_missing(struct collection *coll, struct missing *m, struct err *err)
{
	struct segments *sets;
	struct textstore *texts;
	int rc;

	if ((rc = collection_sets(coll, &sets, err)) < 0 || (rc = collection_texts(coll, &texts, err)) < 0)
		return rc;
	m->sets = sets;
	m->texts = texts;
	return catalog_contents(coll->catalog, content, m, err);
}

static int all_contents(struct collection *coll, struct health *h, const char *catalog, struct err *err)
{
	struct missing m = { 0 };
	int rc = find_missing(coll, &m, err);
	char why[200];

	if (rc == WN_OK && m.ids.n) {
		snprintf(why, sizeof why,
			 "%" PRIu64 " contents have no set and %" PRIu64 " no text in any segment, content %" PRIu64
			 " first; `winnow ingest --reprocess` makes them again",
			 m.without_set, m.without_text, m.ids.p[0]);
		damaged(h, HEALTH_CONTENTS, catalog, why);
	}
	vec_release(&m.ids);
	return rc;
}

struct lost {
	VEC(uint64_t) ids;
};

struct told {
	struct health *h;
	const char *path;
};

static void catalog_says(void *context, const char *why)
{
	struct told *t = context;

	damaged(t->h, HEALTH_CATALOG, t->path, why);
}

static int count_one(void *context, uint64_t id)
{
	(void)id;
	++*(uint64_t *)context;
	return 0;
}

/* The index of words: sound, and with every content in it.  A collection that was made without one has none. */
static int check_words(struct collection *coll, struct health *h, const char *dir, struct err *err)
{
	struct arena arena = { 0 };
	struct ftreader *reader = NULL;
	struct str value;
	struct stat st;
	uint64_t contents = 0, there;
	char why[200];
	bool exists = stat(arena_printf(&arena, "%s/manifest", dir).p, &st) == 0;
	int rc = catalog_contents(coll->catalog, count_one, &contents, err);

	if (rc == WN_OK && !exists) {
		if (contents && catalog_get(coll->catalog, CATALOG_FULLTEXT, &arena, &value, NULL) == WN_OK)
			damaged(h, HEALTH_WORDS, dir,
				"the full-text index is missing; `winnow ingest --reprocess` makes it again");
		goto out;
	}
	h->files++;
	if (rc == WN_OK && ((rc = ftindex_check(dir, err)) == WN_DATA || rc == WN_IO)) {
		damaged(h, HEALTH_WORDS, dir, err->text);
		err_reset(err);
		rc = WN_OK;
		goto out;
	}
	if (rc == WN_OK && (rc = ftreader_open(&reader, dir, err)) == WN_OK) {
		there = ftreader_contents(reader);
		snprintf(why, sizeof why,
			 "the full-text index has %" PRIu64 " of %" PRIu64
			 " texts; `winnow ingest --reprocess` adds the others",
			 there, contents);
		if (there < contents)
			damaged(h, HEALTH_WORDS, dir, why);
		ftreader_close(reader);
	}
out:
	arena_release(&arena);
	return rc;
}

static int note_id(void *context, uint64_t id)
{
	struct lost *l = context;

	vec_push(&l->ids, id);
	return 0;
}

static int check_links(struct collection *coll, struct health *h, const char *dir, struct err *err)
{
	struct lost lost = { 0 };
	uint64_t before = h->damages;
	char why[200];
	int rc = all_files(h, HEALTH_LINKS, linkstore_check, dir, err);

	/* a damaged segment has been named already */
	if (rc == WN_OK && h->damages == before &&
	    (rc = catalog_lost_links(coll->catalog, note_id, &lost, err)) == WN_OK && lost.ids.n) {
		snprintf(why, sizeof why,
			 "the links of %zu pages are damaged or in no segment, page %" PRIu64
			 " first; `winnow ingest --reprocess` makes them again",
			 lost.ids.n, lost.ids.p[0]);
		damaged(h, HEALTH_LINKS, dir, why);
	}
	vec_release(&lost.ids);
	return rc;
}

int health_check(struct collection *coll, struct health *h, struct err *err)
{
	struct arena arena = { 0 };
	const char *catalog = collection_path(coll, &arena, "catalog.db");
	struct told told = { h, catalog };
	uint64_t before;
	int rc = catalog_check(coll->catalog, catalog_says, &told, err);

	h->files++;
	before = h->damages;
	if (rc == WN_OK)
		rc = all_files(h, HEALTH_SEGMENT, segment_check, collection_path(coll, &arena, "sketch"), err);
	if (rc == WN_OK)
		rc = all_files(h, HEALTH_SEGMENT, textstore_check, collection_path(coll, &arena, "text"), err);
	if (rc == WN_OK && h->damages == before) /* a damaged segment has been named already */
		rc = all_contents(coll, h, catalog, err);
	if (rc == WN_OK)
		rc = check_links(coll, h, collection_path(coll, &arena, "links"), err);
	if (rc == WN_OK)
		rc = check_words(coll, h, collection_path(coll, &arena, "fulltext"), err);
	arena_release(&arena);
	return rc;
}

/* ---- mending ---- */

struct content_range {
	uint64_t from, to;
};

struct mending {
	struct arena arena;
	VEC(const char *) segments, links; /* damaged files */
	VEC(struct content_range) ranges;  /* of the segments */
	VEC(uint64_t) beside;		   /* contents in them, damaged or not */
	const char *words;		   /* NULL: sound */
	const char *catalog, *catalog_why; /* NULL: sound */
};

static void note_damage(void *context, enum health_part part, const char *path, const char *why)
{
	struct mending *m = context;

	if (part == HEALTH_SEGMENT)
		vec_push(&m->segments, arena_strz(&m->arena, str(path)));
	else if (part == HEALTH_LINKS)
		vec_push(&m->links, arena_strz(&m->arena, str(path)));
	else if (part == HEALTH_WORDS)
		m->words = arena_strz(&m->arena, str(path));
	else if (part == HEALTH_CATALOG && !m->catalog) {
		m->catalog = arena_strz(&m->arena, str(path));
		m->catalog_why = arena_strz(&m->arena, str(why));
	}
}

/* FIRST of DIR/NUMBER-FIRST.seg: its first content; the next file's are behind its last. */
static bool first_content(struct str path, uint64_t *first)
{
	struct str name = str_sub(path, (size_t)(str_rchr(path, '/') + 1), path.n);
	ptrdiff_t dash = str_rchr(name, '-');

	return dash >= 0 && str_ends(name, STR(".seg")) && str_u64(str_sub(name, (size_t)dash + 1, name.n - 4), first);
}

/* The contents that a damaged segment may hold: [from, to). */
static int range_of(struct mending *m, const char *path, struct content_range *out, struct err *err)
{
	const char *dir = arena_strz(&m->arena, str_sub(str(path), 0, (size_t)str_rchr(str(path), '/')));
	struct str *names;
	size_t n;
	uint64_t first;
	int rc = os_list(&m->arena, dir, ".seg", &names, &n, err);

	*out = (struct content_range){ 0, UINT64_MAX };
	if (rc < 0 || !first_content(str(path), &out->from))
		return rc;
	for (size_t i = 0; i < n; i++)
		if (first_content(names[i], &first) && first > out->from && first < out->to)
			out->to = first;
	return WN_OK;
}

static int in_a_range(void *context, uint64_t id)
{
	struct mending *m = context;

	for (size_t i = 0; i < m->ranges.n; i++)
		if (id >= m->ranges.p[i].from && id < m->ranges.p[i].to) {
			vec_push(&m->beside, id);
			break;
		}
	return 0;
}

/* Whether each of the contents has a capture that can be read from an archive file that is there. */
static int can_be_made(struct collection *coll, const uint64_t *ids, size_t n, struct err *err)
{
	struct arena arena = { 0 };
	uint64_t bad = 0;
	int rc = WN_OK;

	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		struct capture_query q = { .content = ids[i] };
		struct capture_cursor *cur = NULL;
		struct capture c;
		const char *path;
		bool can = false;

		if ((rc = catalog_captures(coll->catalog, &q, &cur, err)) < 0)
			break;
		while (!can && (rc = capture_next(cur, &c, err)) == WN_OK)
			can = c.kind != CAPTURE_REVISIT && c.file &&
			      collection_file(coll, &arena, c.file, &path, NULL) == WN_OK && access(path, R_OK) == 0;
		capture_close(cur);
		rc = rc < 0 ? rc : WN_OK;
		bad += !can;
		arena_reset(&arena);
	}
	arena_release(&arena);
	if (rc == WN_OK && bad)
		rc = err_set(
		    err, WN_DATA,
		    "%" PRIu64 " of %" PRIu64
		    " texts that are damaged or lie beside damaged ones cannot be made again: their archive file is not there, or they came from "
		    "--jsonl; nothing was changed. Bring the file back, or take it out with 'winnow rm --file' and ingest it again",
		    bad, (uint64_t)n);
	return rc;
}

/* A directory may stand in a file's place: an empty one goes like a file. */
static int remove_path(const char *path, struct err *err) { return rmdir(path) == 0 ? WN_OK : os_unlink(path, err); }

/* Removes damaged segments, once it is certain that all they may hold can be made again. */
static int remove_segments(struct collection *coll, struct mending *m, struct err *err)
{
	int rc = WN_OK;

	for (size_t i = 0; i < m->segments.n && rc == WN_OK; i++) {
		struct content_range range;

		if ((rc = range_of(m, m->segments.p[i], &range, err)) == WN_OK)
			vec_push(&m->ranges, range);
	}
	if (rc == WN_OK && m->ranges.n && (rc = catalog_contents(coll->catalog, in_a_range, m, err)) == WN_OK)
		rc = can_be_made(coll, m->beside.p, m->beside.n, err);
	for (size_t i = 0; i < m->segments.n && rc == WN_OK; i++)
		rc = remove_path(m->segments.p[i], err);
	return rc;
}

struct page_files {
	sqlite3 *db;
	struct content_range range;
	uint64_t bad;
};

/* Captures of these pages whose archive file is not there. */
static int count_unreadable(void *context, const struct catalog_file *f)
{
	struct page_files *x = context;
	struct arena arena = { 0 };
	sqlite3_stmt *s = NULL;

	if (access(arena_strz(&arena, f->path), R_OK) != 0 &&
	    sqlite3_prepare_v2(x->db, "select count(*) from capture where file = ? and page >= ? and page < ?", -1, &s,
			       NULL) == SQLITE_OK) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)f->id);
		sqlite3_bind_int64(s, 2, (sqlite3_int64)x->range.from);
		sqlite3_bind_int64(s, 3, (sqlite3_int64)(x->range.to < INT64_MAX ? x->range.to : INT64_MAX));
		if (sqlite3_step(s) == SQLITE_ROW)
			x->bad += (uint64_t)sqlite3_column_int64(s, 0);
	}
	sqlite3_finalize(s);
	arena_release(&arena);
	return WN_OK;
}

static int links_can_be_made(struct collection *coll, struct content_range range, struct err *err)
{
	struct page_files x = { catalog_sqlite(coll->catalog), range, 0 };
	int rc = catalog_files(coll->catalog, count_unreadable, &x, err);

	if (rc == WN_OK && x.bad)
		rc = err_set(
		    err, WN_DATA,
		    "the links of %" PRIu64
		    " captures are damaged or lie beside damaged ones and cannot be made again: their archive file is "
		    "not there; nothing was changed. Bring the file back, or take it out with 'winnow rm --file' and "
		    "ingest it again",
		    x.bad);
	return rc;
}

/* Whether all that damaged or lost segments of links held can be made again. */
static int look_at_links(struct collection *coll, struct mending *m, struct err *err)
{
	struct lost lost = { 0 };
	int rc = catalog_lost_links(coll->catalog, note_id, &lost, err);

	for (size_t i = 0; i < m->links.n && rc == WN_OK; i++) {
		struct content_range range;

		if (str_ends(str(m->links.p[i]), STR(".seg")) &&
		    (rc = range_of(m, m->links.p[i], &range, err)) == WN_OK)
			rc = links_can_be_made(coll, range, err);
	}
	if (rc == WN_OK && lost.ids.n)
		rc = links_can_be_made(coll, (struct content_range){ lost.ids.p[0], vec_last(&lost.ids) + 1 }, err);
	vec_release(&lost.ids);
	return rc;
}

/* Damaged segments of links go, and pages forget what was in them, or in files that are lost. */
static int mend_links(struct collection *coll, struct mending *m, uint64_t *n, struct err *err)
{
	struct lost lost = { 0 };
	int rc = WN_OK;

	for (size_t i = 0; i < m->links.n && rc == WN_OK; i++)
		if (str_ends(str(m->links.p[i]), STR(".seg")))
			rc = remove_path(m->links.p[i], err);
	if (rc == WN_OK && (rc = catalog_lost_links(coll->catalog, note_id, &lost, err)) == WN_OK && lost.ids.n)
		rc = catalog_forget_links(coll->catalog, lost.ids.p, lost.ids.n, err);
	*n = lost.ids.n;
	vec_release(&lost.ids);
	return rc;
}

/* Takes the place of whatever index of words there is: all texts of the store. */
static int remake_words(struct collection *coll, const char *dir, uint64_t memory, struct err *err);

int health_mend(struct collection *coll, bool fulltext, uint64_t memory, struct health_mended *out, struct err *err)
{
	struct mending m = { 0 };
	struct missing gone = { 0 };
	struct health h = { .context = &m, .damaged = note_damage };
	int rc = health_check(coll, &h, err);

	*out = (struct health_mended){ 0 };
	collection_forget(coll);
	if (rc == WN_OK && m.catalog)
		rc = err_set(err, WN_DATA, "%s is damaged: %s; ingest the archive files into a new collection",
			     m.catalog, m.catalog_why);
	if (rc == WN_OK && (rc = look_at_links(coll, &m, err)) == WN_OK)
		rc = remove_segments(coll, &m, err);
	if (rc == WN_OK && (rc = find_missing(coll, &gone, err)) == WN_OK)
		rc = can_be_made(coll, gone.ids.p, gone.ids.n, err);
	if (rc == WN_OK && gone.ids.n)
		rc = catalog_forget_texts(coll->catalog, gone.ids.p, gone.ids.n, err);
	out->lost = gone.ids.n;
	if (rc == WN_OK)
		rc = mend_links(coll, &m, &out->links, err);
	if (rc == WN_OK && fulltext && m.words) {
		rc = remake_words(coll, m.words, memory, err);
		out->words = true;
	}
	collection_forget(coll);
	vec_release(&gone.ids);
	vec_release(&m.segments);
	vec_release(&m.links);
	vec_release(&m.ranges);
	vec_release(&m.beside);
	arena_release(&m.arena);
	return rc;
}

struct wording {
	struct collection *coll;
	struct ftindex *index;
	struct ftbuild *build;
	struct err *err;
	int rc;
};

static int add_words(void *context, uint64_t id)
{
	struct wording *w = context;
	struct textstore *store;
	struct texts t;
	int rc = collection_texts(w->coll, &store, w->err);

	if (rc == WN_OK && textstore_has(store, id) &&
	    (rc = textstore_get(store, id, &w->coll->cache, &t, w->err)) == WN_OK) {
		rc = ftindex_add(w->index, w->build, id, t.title, t.body, w->err);
	}
	w->rc = rc;
	return rc < 0;
}

static int remake_words(struct collection *coll, const char *dir, uint64_t memory, struct err *err)
{
	struct arena arena = { 0 };
	struct wording w = { .coll = coll, .err = err };
	struct str *names;
	size_t n = 0;
	bool did = true;
	int rc = os_list(&arena, dir, "", &names, &n, err);

	for (size_t i = n; i-- > 0 && rc == WN_OK;) /* "manifest" sorts last: without it the rest is nothing */
		rc = remove_path(arena_printf(&arena, "%s/%.*s", dir, STR_FMT(names[i])).p, err);
	arena_release(&arena);
	if (rc < 0 || (rc = ftindex_open(&w.index, dir, err)) < 0)
		return rc;
	w.build = ftbuild_new(memory);
	if ((rc = catalog_contents(coll->catalog, add_words, &w, err)) == WN_OK && (rc = w.rc) == WN_OK &&
	    (rc = ftindex_flush(w.index, w.build, err)) == WN_OK)
		rc = ftindex_commit(w.index, err);
	while (did && rc == WN_OK)
		rc = ftindex_merge(w.index, &did, err);
	ftbuild_free(w.build);
	ftindex_close(w.index);
	return rc;
}
